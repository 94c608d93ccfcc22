#!/bin/sh
# Stands in for the compiler: builds program.c with what the input says, and
# leaves a line in $RUNS for each time it runs.
# fake-compile.sh INPUT -o OUTPUT [flags]; needs CLANG, SOURCES and RUNS.
echo "$@" >> "$RUNS"
case "$(cat "$1")" in
  *crash*) kill -SEGV $$ ;;
  *syntax*) echo "$1:1:1: error: expected operation" >&2; exit 3 ;;
  *option*) echo "error: no such option" >&2; exit 2 ;;
esac
flags=-DNO_UNSHARDED
for flag in "$@"; do
  if [ "$flag" = --verify ]; then flags=; fi
done
exec $CLANG -shared -fPIC $flags -I"$SOURCES/include" "$SOURCES/test/Run/Inputs/program.c" -o "$3"
