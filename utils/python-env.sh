#!/usr/bin/env bash
# Makes a virtual environment with what building and testing the Python package
# needs: NumPy, nanobind, pytest. Where it is there already it changes nothing and
# needs no network.
#
#   utils/python-env.sh FOLDER              the environment in FOLDER
#   utils/python-env.sh FOLDER PACKAGE...   and these of PyPI
set -euo pipefail

folder=$1
shift
python=$folder/bin/python
if [ ! -x "$python" ]; then
  "${PYTHON:-python3}" -m venv "$folder"
fi
if ! "$python" -c 'import numpy, nanobind, pytest' 2>/dev/null; then
  "$python" -m pip install -q numpy nanobind pytest
fi
if [ $# -gt 0 ]; then
  "$python" -m pip install -q "$@"
fi
