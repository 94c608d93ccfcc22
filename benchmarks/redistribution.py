#!/usr/bin/env python3
# Measures every change of a matrix's placement, beside XLA's.
#
# Requires: a build with bench-redistribution. XLA is measured with --live where JAX
# is installed (2401 compilations, a minute or two for each partitioner); otherwise
# its figures are those of benchmarks/results/redistribution.json, with their date.
# Guarantees: our figures are counted while the pairs are executed and checked,
# element by element; exit status 1 where one is wrong, above the limit, or needs
# temporary memory above the larger of source and destination.
"""Every change of placement on a mesh: bytes and memory, ours and others'."""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys

from run import CORES, HERE, machine

RESULTS = os.path.join(HERE, "results", "redistribution.json")
AXIS = re.compile(r'"(\w+)"')


def dims(placement):
    return tuple(tuple(AXIS.findall(dim)) for dim in re.findall(r"\{([^}]*)\}", placement))


def summary(rows, limits):
    """Totals over pairs; `limits` are the bytes that a device lacks, by pair."""
    least = [limits[dims(row["from"]), dims(row["to"])] for row in rows]
    ratios = [row["bytes"] / limit for row, limit in zip(rows, least) if limit]
    return {"pairs": len(rows), "bytes": sum(row["bytes"] for row in rows), "least_bytes": sum(least),
            "above_limit": sum(row["bytes"] > limit for row, limit in zip(rows, least)),
            "largest_ratio": round(max(ratios), 2),
            "temporary_above_larger": sum(row["temporary_bytes"] > row["larger_bytes"] for row in rows),
            "largest_temporary_ratio": round(max(row["temporary_bytes"] / row["larger_bytes"] for row in rows), 2),
            "replicated": sum(row["replicates"] for row in rows)}


def ours(build, mesh, shape):
    command = [os.path.join(build, "bin", "bench-redistribution"), mesh, shape]
    run = subprocess.run(command, capture_output=True, text=True)
    sys.stderr.write(run.stderr)
    if run.returncode not in (0, 1):
        sys.exit(f"error: {command[0]} ended with status {run.returncode}")
    result = json.loads(run.stdout)
    for row in result["pairs"]:
        # Whole on a device on the way, where neither source nor destination is.
        row["replicates"] = row["intermediate_bytes"] > row["larger_bytes"]
    return result


def live_xla(mesh, shape, partitioner):
    command = [sys.executable, os.path.join(HERE, "peers", "jax_reshard.py"), mesh, shape, partitioner]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return None, (run.stderr.strip().splitlines() or ["no message"])[-1]
    return json.loads(run.stdout), None


def in_mesh_order(row):
    """Whether DTensor's one entry per mesh axis can spell both placements."""
    return all(list(dim) == sorted(dim) for key in ("from", "to") for dim in dims(row[key]))


def show(name, figures):
    def cell(key, text="{}"):
        return text.format(figures[key]) if figures.get(key) is not None else "-"
    megabytes = f"{figures['bytes'] / 1e6:.1f}"
    print(f"{name:44} {figures['pairs']:6} {megabytes:>8} {cell('above_limit'):>11} {cell('largest_ratio', '{:.2f}x'):>11} "
          f"{cell('temporary_above_larger'):>16} {cell('replicated'):>11}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    parser.add_argument("--mesh", default="2,2,2", help="axis sizes")
    parser.add_argument("--shape", default="256,256", help="rows and columns, divided by the mesh")
    parser.add_argument("--live", action="store_true", help="measure XLA now, where JAX is installed")
    parser.add_argument("--json", help="the file to write")
    options = parser.parse_args()

    measured = ours(options.build, options.mesh, options.shape)
    limits = {(dims(row["from"]), dims(row["to"])): row["least_bytes"] for row in measured["pairs"]}
    figures = summary(measured["pairs"], limits)
    document = {"version": 1, "date": datetime.date.today().isoformat(), "machine": machine(), "cores": CORES,
                "mesh": measured["mesh"], "shape": measured["shape"], "element_type": "f32",
                "systems": {"shardir": figures | {"wrong": measured["wrong"],
                                                  "planning_ms_per_pair": round(measured["planning_ms_per_pair"], 4)}}}
    subset = [row for row in measured["pairs"] if in_mesh_order(row)]
    document["systems"]["shardir, DTensor's pairs"] = summary(subset, limits)

    others, note = {}, ""
    if options.live:
        for partitioner in ("shardy", "gspmd"):
            peer, error = live_xla(options.mesh, options.shape, partitioner)
            if error:
                print(f"note: XLA is left out: {error}")
                break
            others[f"xla, {partitioner}"] = summary(peer["pairs"], limits) | {"jax": peer["jax"], "date": document["date"]}
    elif os.path.exists(RESULTS):
        with open(RESULTS) as file:
            kept = json.load(file)
        if (kept["mesh"], kept["shape"]) == (document["mesh"], document["shape"]):
            others = {name: peer for name, peer in kept["systems"].items() if not name.startswith("shardir")}
            note = "figures of other systems are kept ones; --live measures XLA again"
        else:
            note = "no kept figures of other systems for this mesh and shape; --live measures XLA"
    document["systems"].update(others)

    print(f"{machine()}, {CORES} cores")
    print(f"every placement of a {options.shape.replace(',', 'x')} f32 matrix on a mesh {options.mesh.replace(',', 'x')} "
          f"to every other; the limit is {figures['least_bytes'] / 1e6:.1f} MB")
    print(f"{'':44} {'pairs':>6} {'MB':>8} {'above limit':>11} {'at most':>11} {'temp > larger':>16} {'replicated':>11}")
    for name, row in document["systems"].items():
        source = f" (JAX {row['jax']}, {row['date']})" if "jax" in row else f" ({row['cited']})" if "cited" in row else ""
        show(name + source, row)
    if note:
        print(f"note: {note}")
    print(f"ratio: {figures['bytes'] / figures['least_bytes']:.3f} of the limit"
          + "".join(f", {figures['bytes'] / row['bytes']:.3f} of {name}'s bytes"
                    for name, row in others.items() if row["pairs"] == figures["pairs"]))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
    bad = measured["wrong"] or figures["above_limit"] or figures["temporary_above_larger"] or figures["replicated"]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
