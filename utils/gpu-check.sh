#!/bin/sh
# Builds all that a machine with a GPU needs to check this repository, without
# LLVM there: `utils/gpu-check.sh FOLDER [--arch=sm_90a] [--filter=TEXT]`, then
# copy FOLDER (less than 64 MiB) and run `FOLDER/run.sh`. Requires a build in
# build/ (or --build=DIR); see utils/gpu_check.py --help.
exec python3 "$(dirname "$0")/gpu_check.py" "$@"
