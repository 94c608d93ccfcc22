#!/usr/bin/env python3
# Time of each stage as the mesh grows and the program stays.
#
# Requires: a build with shard-opt and shard-compile; the exported programs under
# shared/programs beside the repository, else these are left out.
# Guarantees: the meshes of one case take turns, so that a busy machine hits all of
# them; times are of the passes as shard-opt's own timer has them. Exit status 1 where a
# run fails.
"""Curves of the compiler's time over the number of devices."""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from run import CORES, HERE, machine

sys.path.insert(0, os.path.join(os.path.dirname(HERE), "utils"))
import annotate

# The axes of each mesh; of one axis, two, or three.
MESHES = {1: [[8], [64], [512], [4096], [32768]],
          2: [[2, 4], [8, 8], [16, 32], [64, 64], [128, 256]],
          3: [[2, 2, 2], [4, 4, 4], [8, 8, 8], [16, 16, 16], [32, 32, 32]]}
AXES = {1: ["tp"], 2: ["dp", "tp"], 3: ["dp", "tp", "pp"]}


def function(mesh, arguments, body, result):
    """A function @main; arguments are (type, dims as text)."""
    axes = ", ".join(f'"{axis}"={size}' for axis, size in mesh)
    signature = ", ".join(f"%a{i}: tensor<{type}> {{shardir.placement = #shardir.placement<@m, [{dims}]>}}"
                          for i, (type, dims) in enumerate(arguments))
    return (f"shardir.mesh @m <[{axes}]>\nfunc.func @main({signature}) -> {result} {{\n"
            f"  %zero = arith.constant 0.0 : f32\n{body}}}\n")


def named(op, name, x, y, type_x, type_y, result, attributes=""):
    return (f"  %e{name} = tensor.empty() : tensor<{result}>\n"
            f"  %z{name} = linalg.fill ins(%zero : f32) outs(%e{name} : tensor<{result}>) -> tensor<{result}>\n"
            f"  %{name} = linalg.{op} {attributes} ins({x}, {y} : tensor<{type_x}>, tensor<{type_y}>) "
            f"outs(%z{name} : tensor<{result}>) -> tensor<{result}>\n")


def matmuls(mesh, m, k, n, p):
    """Rows over all axes but the last, which splits columns of one weight and rows of the other."""
    rows, last = ", ".join(f'"{axis}"' for axis, _ in mesh[:-1]), f'"{mesh[-1][0]}"'
    return function(mesh, [(f"{m}x{k}xf32", f"{{{rows}}}, {{}}"), (f"{k}x{n}xf32", f"{{}}, {{{last}}}"),
                           (f"{n}x{p}xf32", f"{{{last}}}, {{}}")],
                    named("matmul", "h", "%a0", "%a1", f"{m}x{k}xf32", f"{k}x{n}xf32", f"{m}x{n}xf32")
                    + named("matmul", "y", "%h", "%a2", f"{m}x{n}xf32", f"{n}x{p}xf32", f"{m}x{p}xf32")
                    + f"  return %y : tensor<{m}x{p}xf32>\n", f"tensor<{m}x{p}xf32>")


def mlp(mesh, rows, width, hidden):
    """A feed-forward block with a residual sum: the batch over all axes, weights over the last."""
    every, last = ", ".join(f'"{axis}"' for axis, _ in mesh), f'"{mesh[-1][0]}"'
    x, h = f"{rows}x{width}xf32", f"{rows}x{hidden}xf32"
    return function(mesh, [(x, f"{{{every}}}, {{}}"), (f"{width}x{hidden}xf32", f"{{}}, {{{last}}}"),
                           (f"{hidden}x{width}xf32", f"{{{last}}}, {{}}")],
                    named("matmul", "h", "%a0", "%a1", x, f"{width}x{hidden}xf32", h)
                    + f"  %r = arith.maximumf %h, %zh : tensor<{h}>\n"
                    + named("matmul", "y", "%r", "%a2", h, f"{hidden}x{width}xf32", x)
                    + f"  %s = arith.addf %a0, %y : tensor<{x}>\n  return %s : tensor<{x}>\n", f"tensor<{x}>")


def convolution(mesh, rows):
    """Rows of an image over the last axis, which a window of 5 reads across."""
    rest, last = ", ".join(f'"{axis}"' for axis, _ in mesh[:-1]), f'"{mesh[-1][0]}"'
    x, y = f"256x{rows}x16x4xf32", f"256x{rows - 4}x12x8xf32"
    return function(mesh, [(x, f"{{{rest}}}, {{{last}}}, {{}}, {{}}"), ("5x5x4x8xf32", "{}, {}, {}, {}")],
                    named("conv_2d_nhwc_hwcf", "y", "%a0", "%a1", x, "5x5x4x8xf32", y,
                          "{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}")
                    + f"  return %y : tensor<{y}>\n", f"tensor<{y}>")


def corpus(name):
    return lambda mesh, programs: annotate.annotate_program(programs, annotate.load_manifest(programs)[name], mesh)


# Each with the numbers of axes that it is measured on.
CASES = {
    "matmuls_even": ([1, 2, 3], lambda mesh, _: matmuls(mesh, 65536, 4096, 65536, 4096)),
    "matmuls_uneven": ([1, 2, 3], lambda mesh, _: matmuls(mesh, 50001, 4099, 70003, 4099)),
    "mlp_even": ([1, 2, 3], lambda mesh, _: mlp(mesh, 65536, 4096, 65536)),
    "mlp_uneven": ([1, 2, 3], lambda mesh, _: mlp(mesh, 50001, 4099, 70003)),
    "convolution": ([2], lambda mesh, _: convolution(mesh, 2048)),
    "sdy_block_megatron_fwd": ([2], corpus("sdy_block_megatron_fwd")),
    "hf_gpt2_fwd": ([2], corpus("hf_gpt2_fwd")),
}


def stages(build, path, cost, steps, seconds):
    """Milliseconds per stage of one run; {error} where it fails."""
    times = {}

    def call(key, command):
        start = time.monotonic()
        try:
            result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return f"{key}: more than {seconds} s"
        times[key] = 1e3 * (time.monotonic() - start)
        if result.returncode:
            return key + ": " + next((line for line in result.stderr.splitlines() if "error" in line), "failed")[:200]
        passes = {}
        for wall, name in re.findall(r"^\s*([\d.]+) \([^)]*\)\s+(\S.*?)\s*$", result.stderr, re.M):
            passes[name] = passes.get(name, 0) + 1e3 * float(wall)
        if "Total" in passes:
            times[key] = passes["Total"] - passes["Parser"] - passes["Output"]
            times["passes"] = passes
        return None

    opt = [os.path.join(build, "bin", "shard-opt"), path, "-o", os.devnull, "--mlir-timing", "--mlir-timing-display=list"]
    commands = {"collective": [*opt, f"--shardir-to-collective=cost={cost}"],
                "report": [*opt, f"--shardir-to-collective=cost={cost}", "--shardir-report"],
                "local": [*opt, f"--shardir-to-local=cost={cost}"],
                "compile": [os.path.join(build, "bin", "shard-compile"), path, f"--options=cost={cost}", "-o", path + ".so"]}
    for key in steps:
        error = call(key, commands[key])
        if error:
            return {"error": error}
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    parser.add_argument("--programs", default=annotate.DEFAULT_PROGRAMS)
    parser.add_argument("--json", help="the file to write")
    parser.add_argument("--match", default=".", help="a regular expression on `name axes cost`")
    parser.add_argument("--devices", default="8,64,512,4096,32768")
    parser.add_argument("--steps", default="collective,report,local,compile")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=120, help="after which a run is given up")
    parser.add_argument("--passes", action="store_true", help="also print the passes that take longest")
    args = parser.parse_args()
    wanted, steps = [int(n) for n in args.devices.split(",")], args.steps.split(",")
    print(f"{machine()}, {CORES} cores; ms, least of {args.rounds}")
    print(f"{'':24} {'axes':>4} {'cost':5} {'devices':>7} | " + " ".join(f"{step:>10}" for step in steps))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (counts, text) in CASES.items():
            if name.startswith(("sdy_", "hf_")) and not os.path.exists(os.path.join(args.programs, name + ".mlir")):
                print(f"note: {name} is left out: no {args.programs}")
                continue
            for count in counts:
                meshes = [mesh for n, mesh in zip((8, 64, 512, 4096, 32768), MESHES[count]) if n in wanted]
                paths = []
                for sizes in meshes:
                    paths.append(os.path.join(folder, "x".join(map(str, sizes)) + ".mlir"))
                    with open(paths[-1], "w") as file:
                        file.write(text(list(zip(AXES[count], sizes)), args.programs))
                for cost in ("time", "bytes"):
                    if not re.search(args.match, f"{name} {count} {cost}"):
                        continue
                    runs = [[] for _ in meshes]
                    for _ in range(args.rounds):
                        for path, own in zip(paths, runs):
                            own.append(stages(args.build, path, cost, steps, args.seconds))
                    for sizes, own in zip(meshes, runs):
                        devices = 1
                        for size in sizes:
                            devices *= size
                        row = {"case": name, "mesh": sizes, "devices": devices, "cost": cost}
                        error = next((run["error"] for run in own if "error" in run), None)
                        if error:
                            row["error"] = error
                        else:
                            row.update({f"{step}_ms": round(min(run[step] for run in own), 2) for step in steps})
                        rows.append(row)
                        print(f"{name:24} {count:>4} {cost:5} {devices:>7} | "
                              + (error or " ".join(f"{row[step + '_ms']:10.1f}" for step in steps)), flush=True)
                        if args.passes and not error:
                            for key, ms in sorted(own[-1]["passes"].items(), key=lambda item: -item[1])[:8]:
                                if key not in ("Total", "Rest", "root"):
                                    print(f"    {ms:10.1f} {key}")
    for row in rows:
        least = next((own for own in rows if own["case"] == row["case"] and len(own["mesh"]) == len(row["mesh"])
                      and own["cost"] == row["cost"] and "error" not in own), None)
        if row["devices"] == max(wanted) and "error" not in row and least is not None and least is not row:
            print(f"ratio: {row['case']}, {len(row['mesh'])} axes, {row['cost']}: {row['devices']} devices to {least['devices']}: "
                  + ", ".join(f"{step} {row[step + '_ms'] / least[step + '_ms']:.2f}" for step in steps))
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"version": 1, "date": datetime.date.today().isoformat(), "machine": machine(), "cores": CORES,
                       "rows": rows}, file, indent=1)
            file.write("\n")
    return 1 if any("error" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
