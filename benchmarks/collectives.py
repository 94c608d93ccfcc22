#!/usr/bin/env python3
# Runs the runtime's collectives side by side with the peers that are installed.
#
# Requires: a build with bench-collectives. Peers are optional: an MPI (mpicc and
# mpirun), JAX, and PyTorch with gloo; what is not there is said and left out.
# Guarantees: everybody moves the same bytes between the same ranks, and rounds are
# interleaved, so that a busy machine hits all of them. Exit status 1 where ours
# fails, and with --check where a peer is ahead.
"""Time all kinds of collectives; prints ratios and writes JSON."""

import argparse
import collections
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile

from run import CORES, HERE, PeerError, call, machine

KINDS = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute", "exchange", "broadcast", "gather",
         "scatter", "send_recv"]
BYTES = [4 << 10, 256 << 10, 16 << 20, 64 << 20]
# The slowdown allowed for 4 and 8 ranks relative to 2, where they are more than the cores.
CROWDED = {4: 2.0, 8: 4.0}


def rows_of(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


class Ours:
    name = "shardir"

    def __init__(self, build):
        self.tool = os.path.join(build, "bin", "bench-collectives")
        self.version = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True,
                                      text=True).stdout.strip()

    def run(self, ranks, kinds, sizes, batches):
        return call([self.tool, "--json", f"--ranks={ranks}", f"--batches={batches}", "--kinds=" + ",".join(kinds),
                     "--bytes=" + ",".join(map(str, sizes))])


class MPI:
    name = "mpi"

    def __init__(self, scratch):
        self.tool = os.path.join(scratch, "collectives_mpi")
        try:
            call(["mpicc", "-O2", os.path.join(HERE, "peers", "collectives_mpi.c"), "-o", self.tool])
            self.version = call(["mpirun", "--version"]).splitlines()[0]
        except FileNotFoundError as error:
            raise PeerError(f"{error.filename} is not installed") from None
        self.options = ["--oversubscribe"] if "Open MPI" in self.version else []
        if self.options and os.geteuid() == 0:
            self.options.append("--allow-run-as-root")

    def run(self, ranks, kinds, sizes, batches):
        return call(["mpirun", *self.options, "-n", str(ranks), self.tool, ",".join(kinds),
                     ",".join(map(str, sizes)), str(batches)])


class Python:
    """A package of Python's with a script of ours in peers/."""

    def __init__(self, name, package, interpreter, slow):
        self.name, self.interpreter, self.slow = name, interpreter, slow
        self.script = os.path.join(HERE, "peers", f"collectives_{package}.py")
        self.version = call([interpreter, "-c", f"import {package}; print({package}.__version__)"]).strip()

    def run(self, ranks, kinds, sizes, batches):
        return call([self.interpreter, self.script, str(ranks), ",".join(kinds), ",".join(map(str, sizes)),
                     str(max(3, batches // self.slow))])


def find_peers(options, scratch):
    makers = {"mpi": lambda: MPI(scratch), "jax": lambda: Python("jax", "jax", options.jax_python, 2),
              "gloo": lambda: Python("gloo", "torch", options.torch_python, 4)}
    peers = []
    for name, make in makers.items():
        if name not in options.peers.split(","):
            continue
        try:
            peers.append(make())
        except (PeerError, FileNotFoundError) as error:
            print(f"note: peer {name} is left out: {error}")
    return peers


def gather(options, contestants):
    """By kind, ranks, bytes and contestant: the least time and the median of the medians."""
    least, medians, errors = {}, collections.defaultdict(list), {}
    for _ in range(options.rounds):
        for ranks in options.ranks:
            for each in contestants:
                if errors.get((each.name, ranks)):
                    continue
                try:
                    rows = rows_of(each.run(ranks, options.kinds, options.bytes, options.batches))
                except PeerError as error:
                    errors[each.name, ranks] = str(error)
                    print(f"note: {each.name} on {ranks} ranks: {error}")
                    continue
                for row in rows:
                    key = row["collective"], ranks, row["bytes"], each.name
                    if "error" in row:
                        errors[key] = row["error"]
                        continue
                    least[key] = min(row["min_us"], least.get(key, row["min_us"]))
                    medians[key].append(row["median_us"])
    return {key: {"min_us": round(least[key], 3), "median_us": round(statistics.median(medians[key]), 3)}
            for key in least}, errors


def table(options, times, names):
    """Prints and returns the rows."""
    rows = []
    behind = crowded = compared = 0
    for kind in options.kinds:
        for size in options.bytes:
            for ranks in options.ranks:
                row = {"collective": kind, "ranks": ranks, "bytes": size, "times": {
                    name: times[kind, ranks, size, name] for name in names if (kind, ranks, size, name) in times}}
                rows.append(row)
                ours = row["times"].get("shardir")
                if not ours:
                    continue
                parts = [f"{kind:15} {ranks:2} ranks {size:9} bytes  {ours['min_us']:10.2f} us"]
                two = times.get((kind, 2, size, "shardir"))
                if ranks > CORES and ranks in CROWDED and two:
                    row["times_two_ranks"] = round(ours["min_us"] / two["min_us"], 2)
                    crowded += row["times_two_ranks"] > CROWDED[ranks]
                parts.append(f"x{row['times_two_ranks']:.2f}" if "times_two_ranks" in row else " " * 5)
                for name, time in row["times"].items():
                    if name != "shardir":
                        ratio = ours["min_us"] / time["min_us"]
                        compared += 1
                        behind += ratio > 1
                        parts.append(f"{name} {time['min_us']:.1f} ({ratio:.2f})")
                print("  ".join(parts), flush=True)
    print("in brackets: ShardIR's time to the other's, below 1 ShardIR is faster; x: to its own on 2 ranks, where ranks "
          "outnumber the cores")
    print(f"{compared - behind} of {compared} comparisons ahead; {crowded} above {CROWDED} times 2 ranks")
    return rows, behind


def main():
    numbers = lambda text: [int(item) for item in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    parser.add_argument("--json", help="the file to write")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batches", type=int, default=20, help="timed batches of one round")
    parser.add_argument("--ranks", type=numbers, default=[2, 4, 8], help="each an even number")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS)
    parser.add_argument("--bytes", type=numbers, default=BYTES)
    parser.add_argument("--peers", default="mpi,jax,gloo")
    parser.add_argument("--jax-python", default=os.environ.get("JAX_PYTHON", sys.executable),
                        help="the interpreter that has JAX; $JAX_PYTHON")
    parser.add_argument("--torch-python", default=os.environ.get("TORCH_PYTHON", sys.executable),
                        help="the interpreter that has PyTorch; $TORCH_PYTHON")
    parser.add_argument("--check", action="store_true", help="fail where a peer is ahead")
    options = parser.parse_args()
    unknown = [kind for kind in options.kinds if kind not in KINDS]
    if unknown or any(ranks % 2 for ranks in options.ranks):
        parser.error(f"no collective '{unknown[0]}'" if unknown else "ranks must be even")
    ours = Ours(options.build)
    if not os.path.exists(ours.tool):
        print(f"error: '{ours.tool}' is not built", file=sys.stderr)
        return 2

    print(f"{machine()}, {CORES} cores")
    with tempfile.TemporaryDirectory() as scratch:
        contestants = [ours] + find_peers(options, scratch)
        times, errors = gather(options, contestants)
    rows, behind = table(options, times, [each.name for each in contestants])
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"version": 1, "machine": machine(), "cores": CORES,
                       "date": datetime.date.today().isoformat(),
                       "contestants": {each.name: each.version for each in contestants},
                       "errors": {" ".join(map(str, key)): error for key, error in errors.items()},
                       "rows": rows}, file, indent=1)
            file.write("\n")
    return 1 if (options.check and behind) or any("shardir" in key for key in errors) else 0


if __name__ == "__main__":
    sys.exit(main())
