# Compares formulas of a report with the figures of the same program at known sizes.
#
# Requires: shard-opt, and a program in which each `?N` is the size of an axis and
# each open dim of a type one of a function's argument, so that a number can stand in
# its place. `// SIZES: 7 12` lines name the extents of open dims, in the order of
# their first appearance, then the sizes of open axes.
# Guarantees: every formula of the program's report gives at these sizes the figure
# that the program with these sizes is reported with, where it is planned alike; at
# least as many are compared as `// COMPARED: n` says.
"""usage: check-formulas.py PROGRAM.mlir"""

import fractions
import json
import math
import re
import subprocess
import sys

FIGURES = ("bytes_per_device", "operand_bytes", "result_bytes", "local_bytes")


def report(text):
    run = subprocess.run(["shard-opt", "-", "--shardir-to-collective=cost=bytes", "--shardir-report=file=-", "-o", "/dev/null"],
                         input=text, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"shard-opt: {run.stderr}\n{text}")
    return json.loads(run.stdout)


def value_of(formula, sizes):
    return eval(formula, {"__builtins__": {}, "ceil": math.ceil, "floor": math.floor, "min": min, "max": max, **sizes})


def entries(whole):
    yield "the program", whole
    for kind in ("collectives", "values"):
        for i, entry in enumerate(whole[kind]):
            yield f"{kind}[{i}] {entry.get('kind', entry.get('name') or entry.get('op'))}", entry


def main():
    with open(sys.argv[1]) as file:
        text = file.read()
    program = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    runs = [[int(n) for n in line.split()] for line in re.findall(r"^// SIZES:(.*)$", text, re.M)]
    least = int(re.search(r"^// COMPARED: (\d+)$", text, re.M)[1])
    # Letters stand for open dims: one letter, one extent.
    letters = sorted(set(re.findall(r"(?<=[<x])[A-Z](?=x)", program)))
    axes = re.findall(r'"(\w+)"=\?', program)
    open_program = re.sub(r"(?<=[<x])[A-Z](?=x)", "?", program)
    symbolic = report(open_program)
    arguments = re.findall(r"%\w+: tensor<([^>]*)>", program.split("->")[0])
    formulas = {(where, key): entry[key] for where, entry in entries(symbolic) for key in FIGURES if isinstance(entry.get(key), str)}
    if not formulas:
        sys.exit(f"no formula in {json.dumps(symbolic, indent=1)}")
    compared = 0
    for run in runs:
        extents, counts = dict(zip(letters, run)), dict(zip(axes, run[len(letters):]))
        known = re.sub(r"(?<=[<x])[A-Z](?=x)", lambda m: str(extents[m[0]]), program)
        for axis, count in counts.items():
            known = re.sub(rf'"{axis}"=\?\d*', f'"{axis}"={count}', known)
        sizes = {name: fractions.Fraction(n) for name, n in counts.items()}
        for i, shape in enumerate(arguments):
            for d, extent in enumerate(shape.split("x")[:-1]):
                if extent in extents:
                    sizes[f"arg{i}_dim{d}"] = fractions.Fraction(extents[extent])
        concrete = report(known)
        def plan(whole):
            # An exchange that divides evenly has other names.
            return [[{"all_to_all": "exchange", "permute": "exchange"}.get(e.get("kind"), e.get("kind")), e.get("reason")]
                    for _, e in entries(whole)]

        if plan(concrete) != plan(symbolic):
            print(f"planned otherwise at {run}")
            continue
        figures = {where: entry for (where, _), (_, entry) in zip(entries(symbolic), entries(concrete))}
        for (where, key), formula in formulas.items():
            found, expected = value_of(formula, sizes), figures[where][key]
            if found != expected:
                sys.exit(f"{where}, {key}: {formula} is {found} at {sizes}, expected {expected}")
            compared += 1
    print(f"{len(formulas)} formulas, {compared} values equal")
    for (where, key), formula in formulas.items():
        print(f"{where}: {key} = {formula}")
    if compared < least:
        sys.exit(f"only {compared} were compared")


main()
