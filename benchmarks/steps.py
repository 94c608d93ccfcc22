#!/usr/bin/env python3
# Predicted training steps of large models on meshes of many GPUs.
#
# Requires: a Python with JAX and the package (PYTHONPATH=build/python), and a build
# with shard-opt, and shard-run for --cpu. Without that nothing runs but the compiler:
# no GPU is needed.
# Guarantees: programs are those that JAX writes for the full model, forward, backward
# and AdamW with f32 state, all layers written out; they are compiled up to the
# schedules of all kernels. With --cpu small models run on ranks as threads, each beside
# its prediction for rates that were measured right before. Exit status 1 where a
# program does not compile.
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
              f"--shardir-schedule-for-gpu=arch=sm_90a{times}", "--canonicalize=top-down=false", "--cse",
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


def run(program, *arguments):
    """Raises RuntimeError with what it says."""
    result = subprocess.run([program, *arguments], text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if result.returncode:
        raise RuntimeError(next((line for line in result.stderr.splitlines() if "error" in line), "failed")[:300])


def measure_cpu(model, devices, build, options):
    """Predicted and measured step on ranks as threads; the machine is measured before, as other work may change it."""
    with tempfile.TemporaryDirectory() as folder:
        path, report, rates = (os.path.join(folder, name) for name in ("step.mlir", "report.json", "machine.json"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(model.program(devices)[0])
        program = os.path.join(build, "bin", "shard-run")
        run(program, "--measure-machine", "-o", rates)
        run(program, path, f"--options=machine={rates} {options}", "--benchmark=5", f"--report={report}")
        with open(report, encoding="utf-8") as file:
            found = json.load(file)
        with open(rates, encoding="utf-8") as file:
            measured_rates = json.load(file)
    return {"model": model.name, "devices": devices, "mesh": model.mesh(devices), "rates": measured_rates,
            "predicted_ms": round(1e3 * found["predicted"]["seconds"], 1),
            "communication_ms": round(1e3 * found["predicted"]["communication_seconds"], 1),
            "min_ms": round(found["measured"]["benchmark"]["min_ms"], 1),
            "median_ms": round(found["measured"]["benchmark"]["median_ms"], 1)}


def show_cpu(row):
    flops = row["rates"]["flops"]
    print(f"{row['model']:8} {row['devices']:>5} | {flops['f32'] / 1e9:6.1f} {flops['bf16'] / 1e9:6.1f} "
          f"{row['rates']['memory_bandwidth'] / 1e9:6.1f} | {row['predicted_ms']:9.1f} {row['min_ms']:8.1f} "
          f"{row['predicted_ms'] / row['min_ms']:5.2f}", flush=True)


def head_cpu(found):
    print(f"ranks as threads on {found['cores']} cores of {found['machine']}, JAX {found['jax']}")
    print(f"{'':8} {'':>5} | {'f32':>6} {'bf16':>6} {'memory':>6} | {'predicted':>9} {'measured':>8} {'ratio':>5}")
    print(f"{'':8} {'ranks':>5} | {'Gop/s':>6} {'Gop/s':>6} {'GB/s':>6} | {'ms':>9} {'ms':>8}")


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
    parser.add_argument("--cpu", action="store_true", help="run small models on this machine, and compare with predictions for it")
    parser.add_argument("--model", help="this model alone: llama3_8b or gpt3_175b; with --cpu mlp, gpt2 or llama")
    parser.add_argument("--devices", help="numbers of devices (64,256,1024,4096,16384; with --cpu 1,2)")
    parser.add_argument("--layers", type=int, help="so many layers, for a quick look; figures are of that smaller model")
    parser.add_argument("--options", default="", help="more options of the compiler")
    parser.add_argument("--kernel-times", metavar="FILE", help="measured times of kernels, which correct the predicted ones")
    args = parser.parse_args()
    if args.show:
        with open(args.show, encoding="utf-8") as file:
            found = json.load(file)
        start, each = (head_cpu, show_cpu) if "predicted_ms" in found["rows"][0] else (head, show)
        start(found)
        for row in found["rows"]:
            each(row)
        return 0
    import jax

    from step_models import MODELS, SMALL_MODELS
    found = {"version": 1, "date": datetime.date.today().isoformat(), "machine": machine(), "cores": CORES,
             "jax": jax.__version__, "options": args.options, "rows": []}
    start, each, models = (head_cpu, show_cpu, SMALL_MODELS) if args.cpu else (head, show, MODELS)
    start(found)
    failed = False
    for model in models:
        if args.model and model.name != args.model:
            continue
        if args.layers:
            model = dataclasses.replace(model, layers=args.layers)
        for devices in map(int, (args.devices or ("1,2" if args.cpu else "64,256,1024,4096,16384")).split(",")):
            try:
                found["rows"].append(measure_cpu(model, devices, args.build, args.options) if args.cpu else
                                     measure(model, devices, args.build, args.options, args.kernel_times))
                each(found["rows"][-1])
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
