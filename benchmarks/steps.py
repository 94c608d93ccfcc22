#!/usr/bin/env python3
# Predicted training steps of large models on meshes of many GPUs.
#
# Requires: a Python with JAX and the package (PYTHONPATH=build/python), and a build
# with shard-opt. Nothing runs but the compiler: no GPU is needed.
# Guarantees: programs are those that JAX writes for the full model, forward, backward
# and AdamW with f32 state, all layers written out; they are compiled up to the
# schedules of all kernels. Exit status 1 where a program does not compile.
"""Compile training steps for meshes of H100s and print what a step is predicted to take."""

import argparse
import dataclasses
import datetime
import json
import os
import resource
import subprocess
import sys
import tempfile

from run import CORES, HERE, machine

PEAK = 989e12  # bf16 operations per second of an H100 SXM, without sparsity
MEMORY = 80_000_000_000  # bytes of one


def compile_step(build, path, report, options, kernel_times):
    """The compiler's seconds on a processor, which others' work hardly changes; raises RuntimeError with its message."""
    times = f" kernel-times={kernel_times}" if kernel_times else ""
    passes = [f"--shardir-to-bufferized=machine=h100x8 arch=sm_90a {options}", "--shardir-place-on-gpu",
              f"--shardir-schedule-for-gpu=arch=sm_90a{times}", "--canonicalize", "--cse",
              f"--shardir-overlap-collectives=memory-limit={MEMORY}", f"--shardir-report=file={report}"]
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = subprocess.run([os.path.join(build, "bin", "shard-opt"), path, *passes, "-o", os.devnull], text=True,
                            stderr=subprocess.PIPE)
    if result.returncode:
        raise RuntimeError(next((line for line in result.stderr.splitlines() if "error" in line), "failed")[:300])
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start


def measure(model, devices, build, options, kernel_times):
    with tempfile.TemporaryDirectory() as folder:
        path, report = (os.path.join(folder, name) for name in ("step.mlir", "report.json"))
        text, tokens = model.program(devices)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        seconds = compile_step(build, path, report, options, kernel_times)
        with open(report, encoding="utf-8") as file:
            found = json.load(file)
    predicted = found["predicted"]
    return {"model": model.name, "layers": model.layers, "devices": devices, "mesh": model.mesh(devices), "tokens": tokens,
            "step_s": round(predicted["seconds"], 4), "mfu": round(model.flops(tokens) / predicted["seconds"] / devices / PEAK, 3),
            "compute_s": round(predicted["compute_seconds"], 4), "communication_s": round(predicted["communication_seconds"], 4),
            "exposed_s": round(predicted["exposed_seconds"], 4), "bytes": found["bytes_per_device"],
            "peak": found["peak_bytes_per_device"], "compile_s": round(seconds, 1)}


def show(row):
    mesh = ",".join(f"{axis}={size}" for axis, size in row["mesh"].items())
    print(f"{row['model']:10} {row['devices']:>6} {mesh:22} | {row['step_s']:7.3f} {100 * row['mfu']:5.1f} | {row['compute_s']:7.3f} "
          f"{row['communication_s']:7.3f} {row['exposed_s']:7.3f} | {row['bytes'] / 1e9:6.1f} {row['peak'] / 1e9:6.1f} | "
          f"{row['compile_s']:7.1f}", flush=True)


def head(found):
    print(f"nodes of 8 H100 SXM; compiled on {found['machine']}, JAX {found['jax']}")
    print(f"{'':40} | {'step':>7} {'MFU':>5} | {'kernels':>7} {'links':>7} {'exposed':>7} | {'GB':>6} {'GB':>6} | {'compile':>7}")
    print(f"{'':40} | {'s':>7} {'%':>5} | {'s':>7} {'s':>7} {'s':>7} | {'in':>6} {'peak':>6} | {'s':>7}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", metavar="FILE", help="print the figures of a JSON file, and compile nothing")
    parser.add_argument("--json", help="the file to write")
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    parser.add_argument("--model", help="this model alone: llama3_8b or gpt3_175b")
    parser.add_argument("--devices", default="64,256,1024,4096,16384")
    parser.add_argument("--layers", type=int, help="so many layers, for a quick look; figures are of that smaller model")
    parser.add_argument("--options", default="", help="more options of the compiler")
    parser.add_argument("--kernel-times", metavar="FILE", help="measured times of kernels, which correct the predicted ones")
    args = parser.parse_args()
    if args.show:
        with open(args.show, encoding="utf-8") as file:
            found = json.load(file)
        head(found)
        for row in found["rows"]:
            show(row)
        return 0
    import jax

    from step_models import MODELS
    found = {"version": 1, "date": datetime.date.today().isoformat(), "machine": machine(), "cores": CORES,
             "jax": jax.__version__, "options": args.options, "rows": []}
    head(found)
    failed = False
    for model in MODELS:
        if args.model and model.name != args.model:
            continue
        if args.layers:
            model = dataclasses.replace(model, layers=args.layers)
        for devices in map(int, args.devices.split(",")):
            try:
                found["rows"].append(measure(model, devices, args.build, args.options, args.kernel_times))
                show(found["rows"][-1])
            except RuntimeError as error:
                print(f"{model.name} on {devices} devices failed: {error}", flush=True)
                failed = True
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
            file.write("\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
