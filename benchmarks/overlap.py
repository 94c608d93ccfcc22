#!/usr/bin/env python3
# Collectives beside work over MPI, on links that are as slow as a network's.
#
# Requires: a build, and mpirun. Each link is emulated (SHARDIR_SLOW_LINK): data of a
# collective arrives no earlier than it could over that link; the program is compiled
# for a mesh with that link.
# Guarantees: runs with overlap and without take turns, so that a busy machine hits
# both; each has the results of the unsharded program. Exit status 1 where a run fails.
"""Trains a stack of dense layers, fully sharded, with overlap=true and overlap=false."""

import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

from run import CORES, HERE, machine

LINKS = [(1e-4, 2e9), (1e-3, 4e8), (1e-3, 1e8)]  # seconds, bytes per second


def program(layers, rows, width, latency, bandwidth):
    """A training step: forward, backward, update."""
    x, w = f"tensor<{rows}x{width}xf32>", f"tensor<{width}x{width}xf32>"
    split = '{shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}'
    maps = {"nn": "", "nt": "indexing_maps = [affine_map<(i,j,k)->(i,k)>, affine_map<(i,j,k)->(j,k)>, affine_map<(i,j,k)->(i,j)>]",
            "tn": "indexing_maps = [affine_map<(i,j,k)->(k,i)>, affine_map<(i,j,k)->(k,j)>, affine_map<(i,j,k)->(i,j)>]"}
    lines = []

    def product(result, kind, a, b, types):
        lines.append(f"  %{result}e = tensor.empty() : {types[2]}")
        lines.append(f"  %{result}z = linalg.fill ins(%zero : f32) outs(%{result}e : {types[2]}) -> {types[2]}")
        lines.append(f"  %{result} = linalg.matmul {maps[kind]} ins(%{a}, %{b} : {types[0]}, {types[1]}) "
                     f"outs(%{result}z : {types[2]}) -> {types[2]}")

    def each(result, op, a, b, type):
        lines.append(f"  %{result}o = tensor.empty() : {type}")
        lines.append(f"  %{result} = linalg.{op} ins(%{a}, %{b} : {type}, {type}) outs(%{result}o : {type}) -> {type}")

    for i in range(layers):
        product(f"h{i}", "nn", f"a{i}" if i else "x", f"w{i}", (x, w, x))
        each(f"a{i + 1}", "max", f"h{i}", "floor", x)
    each(f"g{layers}", "sub", f"a{layers}", "t", x)
    for i in reversed(range(layers)):
        product(f"d{i}", "tn", f"a{i}" if i else "x", f"g{i + 1}", (x, x, w))
        if i:
            product(f"b{i}", "nt", f"g{i + 1}", f"w{i}", (x, w, x))
            each(f"g{i}", "mul", f"b{i}", f"a{i}", x)
    for i in range(layers):
        each(f"u{i}", "mul", f"d{i}", "rate", w)
        each(f"n{i}", "sub", f"w{i}", f"u{i}", w)
    arguments = [f"%x: {x} {split}", f"%t: {x} {split}"] + [f"%w{i}: {w} {split}" for i in range(layers)]
    return "\n".join(
        [f'shardir.mesh @m <["dp"=2], links = {{dp = {{bandwidth = {bandwidth:e}, latency = {latency:e}}}}}>',
         f"func.func @step({', '.join(arguments)}) -> ({', '.join([f'{w} {split}'] * layers)}) {{",
         "  %zero = arith.constant 0.0 : f32", f"  %rate = arith.constant dense<1.0e-3> : {w}",
         f"  %floor = arith.constant dense<0.0> : {x}"] + lines +
        [f"  return {', '.join(f'%n{i}' for i in range(layers))} : {', '.join([w] * layers)}", "}", ""])


def run(command, **environment):
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--json")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--rows", type=int, default=1024)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    tool = os.path.join(options.build, "bin", "shard-run")
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", tool]
    results = []
    print("link                      overlap   min ms  median ms")
    for latency, bandwidth in LINKS:
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "step.mlir")
            with open(source, "w") as file:
                file.write(program(options.layers, options.rows, options.width, latency, bandwidth))
            link = {"SHARDIR_SLOW_LINK": f"{latency},{bandwidth}"}
            compiled = {}
            for overlap in ("true", "false"):
                compiled[overlap] = os.path.join(folder, f"{overlap}.so")
                run([tool, source, f"--options=overlap={overlap} rings=never", "--compile-only", "-o", compiled[overlap], "--verify"])
                run([*mpirun, compiled[overlap], "--device=mpi", "--verify"], **link)
            times = {"true": [], "false": []}
            for _ in range(options.rounds):
                for overlap, path in compiled.items():
                    text = run([*mpirun, path, "--device=mpi", "--benchmark=5"], **link)
                    times[overlap].append(float(re.search(r"min(?:imum)?[ :=]+([0-9.]+)", text)[1]))
        for overlap, values in times.items():
            results.append({"latency_s": latency, "bandwidth": bandwidth, "overlap": overlap == "true",
                            "min_ms": min(values), "median_ms": statistics.median(values)})
            print(f"{latency * 1e3:5.1f} ms {bandwidth / 1e6:7.0f} MB/s     {overlap:7}  {min(values):7.1f}    "
                  f"{statistics.median(values):7.1f}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"version": 1, "date": str(datetime.date.today()), "machine": machine(), "cores": CORES,
                       "layers": options.layers, "rows": options.rows, "width": options.width, "results": results}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
