#!/usr/bin/env python3
# Runs the benchmarks side by side with the peers that are installed.
#
# Requires: a build with shard-run and shard-compile. Peers are optional: OpenBLAS
# (libopenblas-dev), PyTorch, JAX, oneDNN (onednn-cpu-gomp); what is not there is said and left out.
# Guarantees: everybody's runs are interleaved, so that a busy machine hits all of
# them; a case that fails is printed with its error, and the exit status is 1.
"""Run the benchmarks; prints ratios and writes JSON."""

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
CORES = len(os.sched_getaffinity(0))


def machine():
    """The processor's name, as figures mean nothing without it."""
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()


class PeerError(Exception):
    """A peer cannot run a case; the message says why."""


def call(command, threads=1, environment=None):
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads), **(environment or {}))
    # Tuning presets of somebody's shell would make the comparison unfair.
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        env.pop(name, None)
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", env=env, timeout=600)
    except subprocess.TimeoutExpired:
        raise PeerError("no answer in 600 s") from None
    if result.returncode:
        lines = [line for line in (result.stderr + result.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if "error:" in line]
        raise PeerError((errors or lines[-1:] or [f"exit {result.returncode}"])[0][:160])
    return result.stdout


def extents_of(case):
    """What a peer must know: m, k, n of a product; rows, width and hidden width of
    an MLP; batch, positions, width, heads and hidden width of a layer and its
    gradients; the first argument's shape otherwise."""
    if case.name.startswith(("layer_", "grads_")):
        return case.name.split("_")[1].split("x")
    shapes = [shape for _, shape, _ in case.arguments]
    if case.name.startswith("linear"):
        return [*shapes[0], shapes[1][0]]
    product = case.name.split("_")[0] in ("matmul", "mlp")
    return [*shapes[0], shapes[1][1]] if product else list(shapes[0])


class ShardIR:
    def __init__(self, shard_run, scratch, sharded):
        self.name = "shardir" if sharded else "shardir_one_device"
        self.shard_run, self.scratch, self.sharded = shard_run, scratch, sharded

    def time(self, case, runs):
        stem = os.path.join(self.scratch, f"{case.name}.{self.name}")
        if not os.path.exists(stem + ".mlir"):
            with open(stem + ".mlir", "w") as file:
                file.write(case.text(self.sharded))
        call([self.shard_run, stem + ".mlir", f"--benchmark={runs}", f"--report={stem}.json"],
             environment={"SHARDIR_CACHE_DIR": os.path.join(self.scratch, "cache")})
        with open(stem + ".json") as file:
            measured = json.load(file)["measured"]["benchmark"]
        return [measured["min_ms"], measured["median_ms"]]


class OpenBLAS:
    name = "openblas"

    def __init__(self, scratch):
        self.tool = os.path.join(scratch, "openblas")
        compiler = shutil.which("cc") or shutil.which("clang-22")
        if not compiler:
            raise PeerError("no C compiler")
        call([compiler, "-O2", os.path.join(HERE, "peers", "openblas.c"), "-lopenblas", "-o", self.tool])

    def time(self, case, runs):
        if not case.name.startswith("matmul") or case.dtype != "f32":
            return None
        command = [self.tool, *(str(extent) for extent in extents_of(case)), str(runs)]
        times = [float(line) for line in call(command, threads=CORES).split()]
        return [min(times), statistics.median(times)]


class PythonPeer:
    """A package of Python's with a script of ours in peers/, and words for that script; `loaded` fails without it."""

    def __init__(self, package, *words, loaded=None):
        self.name, self.words = "_".join([package, *words]), words
        self.script = os.path.join(HERE, "peers", package + "_peer.py")
        call([sys.executable, "-c", loaded or f"import {package}"])

    def time(self, case, runs):
        # There is nothing to compile about one call into a library.
        if "compile" in self.words and case.name.split("_")[0] not in ("mlp", "layer", "grads"):
            return None
        # All cores for everybody, as one device of ours has them too.
        command = [sys.executable, self.script, case.name.split("_")[0],
                   ",".join(str(extent) for extent in extents_of(case)), case.dtype, str(CORES), str(runs), *self.words]
        times = [float(line) for line in call(command, threads=CORES).split()]
        return [min(times), statistics.median(times)] if times else None


def find_peers(scratch, match):
    peers = []
    makers = {"openblas": lambda: OpenBLAS(scratch), "torch": lambda: PythonPeer("torch"),
              "torch_compile": lambda: PythonPeer("torch", "compile"), "jax": lambda: PythonPeer("jax"),
              "onednn": lambda: PythonPeer("onednn", loaded="import ctypes, sys; ctypes.CDLL(sys.prefix + '/lib/libdnnl.so.3')")}
    for name, make in makers.items():
        if not re.search(match, name):
            continue
        try:
            peers.append(make())
        except PeerError as error:
            print(f"note: peer {name} is left out: {error}")
    return peers


def find_cases(build):
    """Those of cases.py, and the gradients of layers where JAX and the package are."""
    sys.path.insert(0, os.path.join(build, "python"))
    found = cases.local_cases()
    try:
        import layers
        import shardir
        found += layers.gradient_cases()
    except ImportError as error:
        print(f"note: gradients of layers are left out: {error}")
    return found + cases.sharded_cases()


def measure(case, contestants, rounds, runs):
    """The least minimum and the middle median over all rounds, per contestant."""
    samples = {each.name: [] for each in contestants}
    errors = {}
    for _ in range(rounds):
        for each in contestants:
            if each.name in errors:
                continue
            try:
                times = each.time(case, runs)
            except PeerError as error:
                errors[each.name] = str(error)
                continue
            if times:
                samples[each.name].append(times)
    row = {"case": case.name, "ranks": case.ranks, "flops": case.flops, "errors": errors, "times": {}}
    for name, times in samples.items():
        if times:
            row["times"][name] = {"min_ms": min(t[0] for t in times),
                                  "median_ms": statistics.median(t[1] for t in times)}
    return row


def show(row):
    ours = row["times"].get("shardir")
    parts = [f"{row['case']:30}"]
    for name, times in row["times"].items():
        part = f"{name} {times['min_ms']:.3f} ms"
        if row["flops"]:
            part += f" ({row['flops'] / times['min_ms'] / 1e6:.0f} GFLOP/s)"
        if ours and name != "shardir":
            part += f", ratio {ours['min_ms'] / times['min_ms']:.2f}"
        parts.append(part)
    parts += [f"{name} failed: {error}" for name, error in row["errors"].items()]
    print(" | ".join(parts), flush=True)


def show_table(path):
    """Prints the figures of a file that --json wrote: least milliseconds, and ratios."""
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    peers = sorted({name for row in found["rows"] for name in row["times"]} - {"shardir"})
    print(f"{found['machine']}, {found['cores']} cores; least ms, and ShardIR's time to the other's")
    print(f"{'':30}{'shardir':>10}" + "".join(f"{name:>20}" for name in peers))
    for row in found["rows"]:
        ours = row["times"]["shardir"]["min_ms"]
        cells = [f"{times['min_ms']:.2f} ({ours / times['min_ms']:.2f})" if times else ""
                 for times in (row["times"].get(name) for name in peers)]
        print((f"{row['case']:30}{ours:10.2f}" + "".join(f"{cell:>20}" for cell in cells)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", metavar="FILE", help="print the figures of a JSON file, and measure nothing")
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    parser.add_argument("--json", help="the file to write")
    parser.add_argument("--match", default=".", help="a regular expression on the names of cases")
    parser.add_argument("--peers", default=".", help="a regular expression on the names of peers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=10, help="timed runs of one round")
    options = parser.parse_args()
    if options.show:
        return show_table(options.show)
    shard_run = os.path.join(options.build, "bin", "shard-run")
    if not os.path.exists(shard_run):
        print(f"error: '{shard_run}' is not built", file=sys.stderr)
        return 2

    rows = []
    print(f"{machine()}, {CORES} cores")
    with tempfile.TemporaryDirectory() as scratch:
        peers = find_peers(scratch, options.peers)
        sharded, whole = ShardIR(shard_run, scratch, True), ShardIR(shard_run, scratch, False)
        for case in find_cases(options.build):
            if re.search(options.match, case.name):
                contestants = [sharded] + ([whole] if case.mesh else []) + peers
                rows.append(measure(case, contestants, options.rounds, options.runs))
                show(rows[-1])
    print("ratio: ShardIR's time to the other's; below 1 ShardIR is faster")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"version": 1, "machine": machine(), "cores": CORES, "rows": rows}, file, indent=1)
    return 1 if any("shardir" in name for row in rows for name in row["errors"]) else 0


if __name__ == "__main__":
    sys.exit(main())
