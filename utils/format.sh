#!/usr/bin/env bash
# Formats the C and C++ sources that differ from a base.
#
#   utils/format.sh            what differs from HEAD, and untracked files
#   utils/format.sh --all      every tracked source
#   utils/format.sh --check    changes nothing; exit 1 and a list where a file is not formatted
set -euo pipefail
cd "$(dirname "$0")/.."

check=false
all=false
for argument in "$@"; do
  case "$argument" in
    --all) all=true ;;
    --check) check=true; all=true ;;
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: unknown argument '$argument' (known: --all, --check)" >&2; exit 2 ;;
  esac
done

tool=$(command -v clang-format-22 || command -v clang-format || true)
if [ -z "$tool" ]; then
  echo "error: clang-format-22 is not installed (utils/install-deps.sh --dev installs it)" >&2
  exit 1
fi

patterns=('*.h' '*.cpp' '*.c')
if $all; then
  mapfile -t files < <(git ls-files -- "${patterns[@]}")
else
  mapfile -t files < <({ git diff --name-only --diff-filter=d HEAD -- "${patterns[@]}"
                         git ls-files --others --exclude-standard -- "${patterns[@]}"; } | sort -u)
fi
[ "${#files[@]}" -gt 0 ] || exit 0
if $check; then
  "$tool" --dry-run --Werror "${files[@]}"
else
  "$tool" -i "${files[@]}"
fi
