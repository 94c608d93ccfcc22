#!/usr/bin/env python3
# Runs the tests of a build tree and closes with one line,
# `N passed, N failed, N skipped`, counted from lit's own JSON.
#
# Requires: a configured and built tree, which has bin/shardir-lit.
# Guarantees: the count line is the last line and stands there once; the exit
# status is 0 only where something ran, nothing failed and lit itself was well.
"""usage: check-summary.py BUILD_DIR [--list=FILE] [--except=FILE] [lit arguments or test paths]

--list=FILE    run the tests that FILE names, one a line, relative to test/, with the options there
--except=FILE  leave out those that FILE names
"""

import json
import os
import re
import subprocess
import sys

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SLOWEST = 10
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def lines(path):
    """The lines of a list of tests, without comments."""
    with open(path) as file:
        stripped = [line.strip() for line in file]
    return [line for line in stripped if line and not line.startswith("#")]


def full_name(test):
    """What lit calls the test at this path, relative to test/."""
    return re.sub("^ShardIR :: RunMpi/", "ShardIR-MPI :: ", "ShardIR :: " + test)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    build = os.path.abspath(sys.argv[1])
    lit = os.path.join(build, "bin", "shardir-lit")
    if not os.path.exists(lit):
        print(f"error: '{lit}' does not exist: configure with SHARDIR_BUILD_TESTS=ON", file=sys.stderr)
        return 2

    results = os.path.join(build, "test", "results.json")
    if os.path.exists(results):
        os.remove(results)
    arguments = []
    for argument in sys.argv[2:]:
        if argument.startswith("--list="):
            arguments += [line if line.startswith("-") else os.path.join(build, "test", line)
                          for line in lines(argument[len("--list="):])]
        elif argument.startswith("--except="):
            names = "|".join(re.escape(full_name(test)) for test in lines(argument[len("--except="):]))
            arguments.append(f"--filter-out=^(?:{names})$")
        else:
            arguments.append(argument)
    if not any(not argument.startswith("-") for argument in arguments):
        arguments = arguments + [os.path.join(build, "test")]
    status = subprocess.run([lit, "--output", results] + arguments).returncode

    passed = failed = skipped = 0
    try:
        with open(results) as file:
            tests = json.load(file)["tests"]
    except (OSError, ValueError, KeyError) as error:
        print(f"error: lit left no results: {error}", file=sys.stderr)
        tests, status = [], status or 1
    for test in tests:
        if test["code"] in PASSED:
            passed += 1
        elif test["code"] in SKIPPED:
            skipped += 1
        else:
            failed += 1
    if len(tests) > SLOWEST:
        print("Slowest tests, in seconds:")
        for test in sorted(tests, key=lambda test: -test["elapsed"])[:SLOWEST]:
            print(f"{test['elapsed']:8.1f}  {test['name']}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or status or not passed else 0


sys.exit(main())
