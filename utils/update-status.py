#!/usr/bin/env python3
# Writes the table of docs/Status.md from the rows that run-programs.py --json wrote.
#
# Requires: rows, and a page with <!-- programs: begin --> and <!-- programs: end -->.
# Guarantees: every row has a cell, and every one that did not pass says why below the
# table; with --check the page stays as it is, and exit status 1 says that a
# program's state on a mesh is another than the page shows.
"""Write or check the table of programs in docs/Status.md."""

import argparse
import json
import os
import re
import sys

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "Status.md")
MARKS = re.compile(r"(?<=<!-- programs: begin -->\n).*?(?=<!-- programs: end -->)", re.DOTALL)
SHORT = {"all_gather": "ag", "all_reduce": "ar", "reduce_scatter": "rs", "all_to_all": "a2a", "permute": "p",
         "exchange": "x", "halo_exchange": "h"}
USUAL = ["tp=2", "tp=4", "dp=2,tp=2", "tp=3"]


def cell(row):
    """`pass`, and how many collectives of each kind; `unsharded` where nothing is sharded."""
    if row.get("sharded_values") == 0:
        return row["status"] + " (unsharded)"
    moved = ", ".join(f"{count} {SHORT[kind]}" for kind, count in sorted((row.get("collectives") or {}).items()))
    return row["status"] + (f" ({moved})" if moved else "")


def reason(row):
    """A message without the folders of this machine."""
    return re.sub(r"@?(?:/[\w.+-]+)+/", "", row["message"])


def table(rows):
    programs = {}
    for row in rows:
        programs.setdefault(row["program"], {})[row["mesh"]] = row
    lines = ["| program | " + " | ".join(USUAL) + " | its own mesh |", "|---" * (len(USUAL) + 2) + "|"]
    for name, by_mesh in programs.items():
        own = [f"{mesh}: {cell(row)}" for mesh, row in by_mesh.items() if mesh not in USUAL]
        cells = [cell(by_mesh[mesh]) if mesh in by_mesh else "" for mesh in USUAL]
        lines.append(f"| {name} | " + " | ".join(cells) + " | " + ", ".join(own) + " |")
    counts = {}
    for row in rows:
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    lines += ["", "Runs: " + ", ".join(f"{count} {status}" for status, count in
                                       sorted(counts.items(), key=lambda entry: -entry[1])) + "."]
    odd = [row for row in rows if row["status"] != "pass"]
    if odd:
        lines += ["", "Runs with a note:", ""]
        lines += [f"- {row['program']}, {row['mesh']}, {row['status']}: `{reason(row)}`" for row in odd]
    return "\n".join(lines) + "\n"


def states(text):
    """(program, column) to the state, whatever moves."""
    found = {}
    for line in text.splitlines():
        cells = [part.strip() for part in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == len(USUAL) + 2:
            for column, entry in zip(USUAL + ["own"], cells[1:]):
                found[cells[0], column] = re.sub(r" \(.*?\)", "", entry)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", help="what run-programs.py --json wrote")
    parser.add_argument("--page", default=PAGE)
    parser.add_argument("--check", action="store_true", help="compare only; the counts of collectives may differ")
    options = parser.parse_args()
    try:
        with open(options.rows) as file:
            new = table(json.load(file))
        with open(options.page) as file:
            page = file.read()
        old = MARKS.search(page)
        if not old:
            raise ValueError(f"'{options.page}' has no marks for the table")
    except (OSError, ValueError, KeyError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not options.check:
        with open(options.page, "w") as file:
            file.write(page[:old.start()] + new + page[old.end():])
        return 0
    before, after = states(old[0]), states(new)
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            print(f"{key[0]}, {key[1]}: the page says '{before.get(key)}', the run '{after.get(key)}'")
    return 0 if before == after else 1


if __name__ == "__main__":
    sys.exit(main())
