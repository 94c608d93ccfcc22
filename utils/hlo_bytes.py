#!/usr/bin/env python3
# Counts what one device receives in a partitioned HLO program, from its text.
#
# Requires: a module of XLA after SPMD partitioning, as HLO text.
# Guarantees: bytes by the formulas of docs/Report.md, collectives of loops times
# their known trip count; a ValueError names what cannot be counted.
"""Print the bytes that one device receives in an HLO program, and its collectives."""

import math
import re
import sys

# Bits of an element. `pred` is stored as a byte.
BITS = {"pred": 8, "s4": 4, "u4": 4, "s8": 8, "u8": 8, "f8e4m3fn": 8, "f8e5m2": 8, "s16": 16, "u16": 16, "f16": 16,
        "bf16": 16, "s32": 32, "u32": 32, "f32": 32, "s64": 64, "u64": 64, "f64": 64, "c64": 64, "c128": 128}
COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.-]+) (?:\(.*\) -> .*)?\{")
COLLECTIVE = re.compile(r"= (?P<type>.*?) (?P<kind>all-reduce|all-gather|reduce-scatter|all-to-all|"
                        r"collective-permute|collective-broadcast|ragged-all-to-all)(?P<start>-start)?\(")
WHILE = re.compile(r" while\(.*body=%?([\w.-]+)")
TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"\}')
CALLED = re.compile(r"(?:calls|to_apply|body|condition|true_computation|false_computation)=%?([\w.-]+)")
SHAPE = re.compile(r"\b([a-z]\w*)\[([\d,]*)\]")


def counts_of(text):
    """(elements, bits of one) of every array in a type's text."""
    arrays = []
    for element, dims in SHAPE.findall(re.sub(r"/\*.*?\*/", "", text)):
        if element not in BITS:
            raise ValueError(f"unknown element type '{element}'")
        arrays.append((math.prod(int(dim) for dim in dims.split(",") if dim), BITS[element]))
    return arrays


def group_size(line):
    """How many devices one group of a collective has."""
    listed = re.search(r"replica_groups=\{\{([\d,]*)\}", line)
    if listed:
        return listed[1].count(",") + 1
    named = re.search(r"replica_groups=mesh\[([^\]]*)\](?:, device_ids=\(.*?\)\))? ?\{([^}]*)\}", line)
    if named:
        sizes = dict(re.findall(r"'([^']+)'=(\d+)", named[1]))
        return math.prod(int(sizes[axis]) for axis in re.findall(r"'([^']+)'", named[2]))
    iota = re.search(r"replica_groups=\[\d+,(\d+)\]", line)
    if iota:
        return int(iota[1])
    raise ValueError(f"cannot read the groups of '{line.strip()[:80]}'")


def received(line, match):
    """What one device receives in one execution: the formulas of docs/Report.md."""
    kind, arrays = match["kind"], counts_of(match["type"])
    if match["start"] or kind in ("collective-broadcast", "ragged-all-to-all"):
        raise ValueError(f"cannot count '{line.strip()[:80]}'")
    if kind == "collective-permute":
        return sum(count * bits for count, bits in arrays) // 8
    if kind == "all-to-all" and match["type"].startswith("("):
        return sum(count * bits for count, bits in arrays[1:]) // 8  # one array from each device
    devices = group_size(line)
    shares = {"all-reduce": lambda count: 2 * (devices - 1) * -(-count // devices),
              "reduce-scatter": lambda count: (devices - 1) * count,
              "all-gather": lambda count: count - count // devices,
              "all-to-all": lambda count: count - count // devices}
    return sum(shares[kind](count) * bits for count, bits in arrays) // 8


def count(text):
    """The bytes that one device receives, and {kind: how many, loops unrolled}."""
    lines, entry, current = {}, None, None
    for line in text.splitlines():
        opening = COMPUTATION.match(line)
        if opening:
            current = opening[2]
            lines[current] = []
            entry = current if opening[1] else entry
        elif line.startswith("}"):
            current = None
        elif current:
            lines[current].append(line)
    if entry is None:
        raise ValueError("no ENTRY computation")

    def walk(name):
        total, kinds = 0, {}

        def add(bytes_, found, times):
            nonlocal total
            total += times * bytes_
            for kind, number in found.items():
                kinds[kind] = kinds.get(kind, 0) + times * number

        for line in lines[name]:
            match = COLLECTIVE.search(line)
            if match:
                add(received(line, match), {match["kind"]: 1}, 1)
                continue
            loop = WHILE.search(line)
            times = 1
            for called in CALLED.findall(line):
                if called not in lines:
                    raise ValueError(f"no computation '{called}'")
                inner = walk(called)
                if loop and inner[1]:
                    trips = TRIPS.search(line)
                    if not trips:
                        raise ValueError(f"the trip count of '{line.strip()[:60]}' is unknown")
                    times = int(trips[1])
                add(*inner, times)
        return total, kinds

    return walk(entry)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(f"usage: {sys.argv[0]} FILE\n{__doc__}", file=sys.stderr)
        return 2
    try:
        with open(sys.argv[1]) as file:
            total, kinds = count(file.read())
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(total, " ".join(f"{kind}={number}" for kind, number in sorted(kinds.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
