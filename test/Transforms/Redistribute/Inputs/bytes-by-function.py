"""bytes-by-function.py BEFORE AFTER: what each function moves in two reports.

Prints `name: BYTES in COLLECTIVES, then BYTES in COLLECTIVES`, the sums of the
collectives' bytes per device. Fails where a function of one is not in the other.
"""
import collections
import json
import sys


def moved(path):
    with open(path) as file:
        report = json.load(file)
    sums = {value["function"]: [0, 0] for value in report["values"]}
    for each in report["collectives"]:
        sums[each["function"]][0] += each["bytes_per_device"]
        sums[each["function"]][1] += 1
    return sums


before, after = moved(sys.argv[1]), moved(sys.argv[2])
if set(before) != set(after):
    sys.exit("the reports are about different functions")
for name in before:
    print(f"{name}: {before[name][0]} in {before[name][1]}, then {after[name][0]} in {after[name][1]}")
