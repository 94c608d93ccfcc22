#!/usr/bin/env bash
# Installs the Debian 12 packages that a build needs and that are missing.
# Where all of them are there it asks dpkg, changes nothing and needs no
# network and no root.
#
#   utils/install-deps.sh             what `make build` and `make check` need
#   utils/install-deps.sh --minimal   what `make demo` needs
#   utils/install-deps.sh --dev       plus formatting, linting and the optional peers
#   utils/install-deps.sh --gpu       also what compiling for a GPU needs: ptxas and
#                                     libdevice, from PyPI where there is no CUDA
#                                     toolkit, into ~/.cache/shardir/cuda
#   utils/install-deps.sh --list      prints the packages instead
set -euo pipefail

llvm=22

# libgtest-dev and libgmock-dev are part of the minimum because one configured
# tree serves `make demo` and `make check`.
packages=(
  make cmake ninja-build python3 g++
  "clang-$llvm" "lld-$llvm" "llvm-$llvm-dev" "llvm-$llvm-tools"
  "libmlir-$llvm-dev" "mlir-$llvm-tools"
  nlohmann-json3-dev zlib1g-dev libgtest-dev libgmock-dev
)
# Open MPI for the tests of --device=mpi, which are skipped without it; mimalloc
# for the tools, which are slower without it; venv for the site of `make docs` and the Python package.
full=(ccache libmimalloc-dev "libclang-rt-$llvm-dev" python3-psutil python3-dev python3-venv openmpi-bin)
dev=("clang-format-$llvm" "clang-tidy-$llvm" libopenblas-dev)

list=false
minimal=false
with_dev=false
with_gpu=false
for argument in "$@"; do
  case "$argument" in
    --minimal) minimal=true ;;
    --dev) with_dev=true ;;
    --gpu) with_gpu=true ;;
    --list) list=true ;;
    -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: unknown argument '$argument' (known: --minimal, --dev, --gpu, --list)" >&2; exit 2 ;;
  esac
done
$minimal || packages+=("${full[@]}")
$with_dev && packages+=("${dev[@]}")

# The version that the tests have run with; the compiler looks in this folder
# after the toolkits (lib/Conversion/LinalgToGPU/CudaTools.cpp).
cuda_version='13.0.*'
cuda_wheels=(nvidia-cuda-nvcc nvidia-nvvm)
cuda_folder=${XDG_CACHE_HOME:-$HOME/.cache}/shardir/cuda

install_cuda_tools() {
  local root
  for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "${CUDA_ROOT:-}" /usr/local/cuda "$cuda_folder"; do
    if [ -n "$root" ] && [ -x "$root/bin/ptxas" ] && [ -e "$root/nvvm/libdevice/libdevice.10.bc" ]; then
      return 0
    fi
  done
  local unpacked wheel
  unpacked=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$unpacked'" RETURN
  echo "Installing ptxas and libdevice from PyPI into $cuda_folder"
  for wheel in "${cuda_wheels[@]}"; do
    if ! python3 -m pip download -q --no-deps --only-binary=:all: -d "$unpacked" "$wheel==$cuda_version"; then
      echo "error: cannot download $wheel from PyPI; install a CUDA toolkit instead, and name it in CUDA_HOME" >&2
      return 1
    fi
  done
  mkdir -p "$cuda_folder/bin" "$cuda_folder/nvvm/libdevice"
  python3 - "$unpacked" "$cuda_folder" <<'END'
import glob, os, shutil, sys, zipfile
source, target = sys.argv[1:]
wanted = {"bin/ptxas": 0o755, "nvvm/libdevice/libdevice.10.bc": 0o644}
for wheel in glob.glob(os.path.join(source, "*.whl")):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            for name, mode in list(wanted.items()):
                if member.endswith("/" + name):
                    path = os.path.join(target, name)
                    with archive.open(member) as data, open(path, "wb") as file:
                        shutil.copyfileobj(data, file)
                    os.chmod(path, mode)
                    del wanted[name]
if wanted:
    sys.exit(f"error: the wheels have no {' and no '.join(wanted)}")
END
}

if $list; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi
if $with_gpu; then
  install_cuda_tools
fi
if ! command -v dpkg-query >/dev/null; then
  echo "note: this is no Debian; the packages expected are: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=
  [ "$state" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

echo "Installing: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "error: installing needs root: run 'apt-get install ${missing[*]}' as root, then try again" >&2
    exit 1
  fi
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3)
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends "${missing[@]}"
