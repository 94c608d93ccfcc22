#!/usr/bin/env python3
# Prints the counters of shard-run --counters as a table, with a roofline estimate by the report of the same program.
#
# Requires: counters of version 1; a report with `gpu` and `kernels` (shard-compile --report, with ptxas for the
# occupancy), of the same program and options.
# Guarantees: exit status 2 and one message where a file is none of these, or a kernel is not in the report.
"""Estimate the time of kernels from their counters.

    utils/print-counters.py COUNTERS.json REPORT.json [--sources]

Per launch, a kernel takes as long as the slowest of
    memory   bytes that move to and from DRAM / bandwidth of the memory
    matrix   work of matrix units / their rate
    issue    instructions of warps, four per cycle and multiprocessor
    shared   passes over the banks of shared memory, one per cycle and multiprocessor
The last three are divided by the share of the multiprocessors that have a block. Cycles follow from the rate of
f32: 128 multiply-adds each. Latencies, and the instructions that ptxas makes of PTX, are not modelled.
"""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import text_table  # noqa: E402


def estimate(kernel, gpu):
    """Microseconds of one launch by limit; the blocks of a launch."""
    launches = kernel["launches"]
    blocks = kernel["blocks"] / launches
    filled = min(1, blocks / gpu["multiprocessors"])
    # Warps' instructions per second: 128 lanes are four warps, a multiply-add two operations.
    issue = gpu["f32_flops"] / 64
    moved = kernel["dram_read_bytes"] + kernel["dram_written_bytes"]
    limits = {"memory": moved / gpu["memory_bandwidth"],
              "matrix": kernel["tensor_flops"] / gpu["bf16_flops"] / filled,
              "issue": kernel["instructions"] / issue / filled,
              "shared": kernel["shared_wavefronts"] / (issue / 4) / filled}
    return {name: 1e6 * seconds / launches for name, seconds in limits.items()}, blocks


def load(path, key):
    with open(path) as stream:
        value = json.load(stream)
    if not isinstance(value, dict) or key not in value:
        raise ValueError(f"'{path}' has no '{key}'")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counters")
    parser.add_argument("report")
    parser.add_argument("--sources", action="store_true", help="also by line of the program")
    options = parser.parse_args()
    try:
        kernels = load(options.counters, "kernels")["kernels"]
        report = load(options.report, "gpu")
        known = {each["name"]: each for each in report["kernels"]}
        missing = [each["name"] for each in kernels if each["name"] not in known]
        if missing:
            raise ValueError(f"'{options.report}' is of another program: it has no kernel {missing[0]}")
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    rows = [["kernel", "us", "bound by", "memory", "matrix", "issue", "shared", "sectors/least", "conflicts", "blocks",
             "at once", "registers"]]
    for kernel in kernels:
        limits, blocks = estimate(kernel, report["gpu"])
        bound = max(limits, key=limits.get)
        least = max(kernel["least_sectors"], 1)
        of = known[kernel["name"]]
        rows.append([kernel["name"], f"{limits[bound]:.2f}", bound, *(f"{limits[name]:.2f}" for name in limits),
                     f"{kernel['sectors'] / least:.2f}", kernel["bank_conflicts"], f"{blocks:g}",
                     of.get("blocks_per_multiprocessor", "?"), of.get("registers", "?")])
    print(text_table.aligned(rows))
    if options.sources:
        print()
        print(text_table.aligned(
            [["source", "kernel", "instructions", "sectors", "least", "conflicts"]]
            + [[line["source"] or "?", kernel["name"], line["instructions"], line["sectors"], line["least_sectors"],
                line["bank_conflicts"]] for kernel in kernels for line in kernel["sources"]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
