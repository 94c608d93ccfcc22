#!/usr/bin/env bash
# Installs the Debian 12 packages that a build needs and that are missing.
# Where all of them are there it asks dpkg, changes nothing and needs no
# network and no root.
#
#   utils/install-deps.sh             what `make build` and `make check` need
#   utils/install-deps.sh --minimal   what `make demo` needs
#   utils/install-deps.sh --dev       plus formatting, linting and the optional peers
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
# Open MPI for the tests of --device=mpi, which are skipped without it.
full=(ccache "libclang-rt-$llvm-dev" python3-psutil openmpi-bin)
dev=("clang-format-$llvm" "clang-tidy-$llvm" libopenblas-dev)

list=false
minimal=false
with_dev=false
for argument in "$@"; do
  case "$argument" in
    --minimal) minimal=true ;;
    --dev) with_dev=true ;;
    --list) list=true ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: unknown argument '$argument' (known: --minimal, --dev, --list)" >&2; exit 2 ;;
  esac
done
$minimal || packages+=("${full[@]}")
$with_dev && packages+=("${dev[@]}")

if $list; then
  printf '%s\n' "${packages[@]}"
  exit 0
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
