#!/usr/bin/env python3
# Writes the tables of docs/Rules.md that shard-validate makes of the rules.
#
# Requires: a build with shard-validate, or --tables with what its --docs wrote; a
# page with <!-- rules: begin --> and <!-- rules: end -->.
# Guarantees: with --check the page stays as it is, and exit status 1 and a
# difference say that a rule is another than the page shows.
"""Write or check the tables of docs/Rules.md."""

import argparse
import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(SOURCE, "docs", "Rules.md")
MARKS = re.compile(r"(?<=<!-- rules: begin -->\n).*?(?=<!-- rules: end -->)", re.DOTALL)


def run_validator(tool):
    """The tables of all ops of the corpus."""
    corpus = os.path.join(SOURCE, "test", "Validate")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tables.md")
        result = subprocess.run([tool, *sorted(glob.glob(os.path.join(corpus, "*.mlir"))),
                                 f"--accepted={os.path.join(corpus, 'Inputs', 'accepted.json')}",
                                 f"--docs={path}"], stdout=subprocess.PIPE)
        # Wrong rules and gaps are in the page, too; it is written all the same.
        if result.returncode not in (0, 1):
            sys.exit(f"error: {tool} ended with status {result.returncode}")
        with open(path) as file:
            return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=os.path.join(SOURCE, "build", "bin", "shard-validate"))
    parser.add_argument("--tables", help="what shard-validate --docs wrote, instead of running it")
    parser.add_argument("--check", action="store_true", help="change nothing; fail where the page differs")
    options = parser.parse_args()
    if options.tables:
        with open(options.tables) as file:
            tables = file.read()
    else:
        tables = run_validator(options.tool)
    with open(PAGE) as file:
        page = file.read()
    if not MARKS.search(page):
        sys.exit(f"error: {PAGE} has no place for the tables")
    new = MARKS.sub(lambda _: tables + "\n", page)
    if options.check:
        sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), new.splitlines(True),
                                                   "docs/Rules.md", "the rules"))
        if new != page:
            sys.exit("docs/Rules.md is not what the rules are: run utils/update-rules.py")
    elif new != page:
        with open(PAGE, "w") as file:
            file.write(new)


if __name__ == "__main__":
    main()
