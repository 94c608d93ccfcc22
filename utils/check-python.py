#!/usr/bin/env python3
# The target `make check-python`: installs the package into a virtual environment as
# users do, with PyTorch and JAX, and runs test/Python.
#
# Requires: the network for PyPI, unless the frameworks are installed already.
# Guarantees: the last line is `N passed, N failed, N skipped`. Where PyPI's packages
# cannot be had all tests count as skipped, with the reason; a package that does not
# build or install is a failure.
"""usage: check-python.py VENV [pytest arguments]"""

import os
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.join(ROOT, "test", "Python")


def finish(passed, failed, skipped):
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed + skipped else 0


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    venv = os.path.abspath(sys.argv[1])
    with open(os.path.join(ROOT, "python", "pyproject.toml"), "rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    wanted = [package for extra in ("torch", "jax", "test") for package in extras[extra]]
    if subprocess.run([os.path.join(ROOT, "utils", "python-env.sh"), venv, *wanted]).returncode:
        print("note: PyPI's packages cannot be installed, so that nothing is tested", file=sys.stderr)
        count = 0
        for name in os.listdir(TESTS):
            if name.endswith(".py"):
                with open(os.path.join(TESTS, name), encoding="utf-8") as file:
                    count += len(re.findall(r"^def test_", file.read(), re.MULTILINE))
        return finish(0, 0, count)
    python = os.path.join(venv, "bin", "python")
    if subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", ROOT]).returncode:
        return finish(0, 1, 0)
    results = os.path.join(venv, "results.xml")
    arguments = sys.argv[2:]
    if not any(not a.startswith("-") for a in arguments):
        arguments.append(TESTS)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    # Each worker needs some 2 GB.
    workers = min(len(os.sched_getaffinity(0)), 8)
    subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(workers), "--durations=5",
                    f"--junitxml={results}", *arguments], cwd=venv, env=environment)
    try:
        suite = xml.etree.ElementTree.parse(results).getroot().find("testsuite")
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        print(f"error: pytest left no results: {error}", file=sys.stderr)
        return finish(0, 1, 0)
    failed = int(suite.get("failures")) + int(suite.get("errors"))
    skipped = int(suite.get("skipped"))
    return finish(int(suite.get("tests")) - failed - skipped, failed, skipped)


if __name__ == "__main__":
    sys.exit(main())
