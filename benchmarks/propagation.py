#!/usr/bin/env python3
# Time and memory of propagation, and from annotated to collective, as programs grow.
#
# Requires: a build with shard-opt. Shardy (through jaxlib) and XLA (--xla) are run
# live where the Python of --python has JAX; what is not there is said and left out.
# Guarantees: runs are interleaved, so that a busy machine hits all contestants; ours
# are of the passes as shard-opt's own timer has them, MLIR's verifier between passes
# included, without parsing and printing, as Shardy's are. Exit status 1 where one of
# ours fails.
"""Curves of propagation's time and memory beside Shardy's and XLA's."""

import argparse
import datetime
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

from compare_shardy import Shardy
from run import CORES, HERE, machine
from scaling_programs import PROGRAMS

CASES = [("chain", 1000), ("chain", 10000), ("chain", 100000), ("chain_few", 10000), ("elementwise", 10000),
         ("elementwise", 100000), ("doubled", 20), ("diamonds", 20), ("diamonds", 2500), ("conflicted", 20), ("conflicted", 2500),
         ("fan_in", 64), ("fan_out", 64), ("gathers", 5000), ("transformer_forward", 48), ("transformer_tp", 48),
         ("transformer_dp_tp", 12), ("transformer_dp_tp", 48), ("gpt", 12), ("gpt", 48)]
XLA_LAYERS = [1, 4]


def ours(build, path, options, seconds):
    """{propagate_ms, collective_ms, whole_ms, peak_kb} of one run, or {error}."""
    command = [os.path.join(build, "bin", "shard-opt"), path, f"--shardir-to-collective={options}", "--mlir-timing",
               "--mlir-timing-display=list", "-o", os.devnull]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    text = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        errors = [line for line in text.splitlines() if "error" in line]
        return {"error": errors[0][:160] if errors else f"more than {seconds} s" if process.returncode < 0 else text[:160]}
    times = {}
    for wall, name in re.findall(r"^\s*([\d.]+) \([^)]*\)\s+(\S.*?)\s*$", text, re.M):
        times[name] = times.get(name, 0) + 1e3 * float(wall)
    return {"propagate_ms": times["Propagate"], "whole_ms": times["Total"], "peak_kb": usage.ru_maxrss,
            "collective_ms": times["Total"] - times["Parser"] - times["Output"]}


def least_and_median(samples):
    return {"min": round(min(samples), 2), "median": round(statistics.median(samples), 2)}


def cell(row, key):
    return f"{row[key]['min']:9.1f} {row[key]['median']:9.1f}" if key in row else f"{'-':>9} {'-':>9}"


def show(row):
    print(f"{row['case']:20} {row['size']:7} {row['ops']:7} | {cell(row, 'propagate_ms')} | {cell(row, 'collective_ms')} | "
          f"{cell(row, 'shardy_ms')} | {row.get('peak_mb', '-'):>7}" + (f"  {row['error']}" if "error" in row else "")
          + (f"  Shardy: {row['shardy_error']}" if "shardy_error" in row else ""), flush=True)


def measure(name, size, args, shardy, folder):
    program = PROGRAMS[name](size)
    text, path = program.linalg(), os.path.join(folder, "p.mlir")
    with open(path, "w") as file:
        file.write(text)
    row = {"case": name, "size": size, "ops": len(re.findall(r"^  %\w+ = (?!arith.constant 0)", text, re.M))}
    runs, theirs = [], []
    other = program.stablehlo()
    row["shardy_ops"] = len(re.findall(r"^    %\w+ = ", other, re.M))
    # Long cases are repeated less.
    for _ in range(args.rounds if row["ops"] < 50000 else min(2, args.rounds)):
        run = ours(args.build, path, args.options, args.seconds)
        if "error" in run:
            row["error"] = run["error"]
            break
        runs.append(run)
        if shardy and row["shardy_ops"] <= args.shardy_ops and "shardy_error" not in row:
            reply = shardy.ask(text=other, reps=1)
            if "error" in reply:
                row["shardy_error"] = reply["error"][:160]
            else:
                theirs += reply["ms"]
    for key in ("propagate_ms", "collective_ms", "whole_ms"):
        if runs:
            row[key] = least_and_median([run[key] for run in runs])
    if runs:
        row["peak_mb"] = round(min(run["peak_kb"] for run in runs) / 1024)
    if theirs:
        row["shardy_ms"] = least_and_median(theirs)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    parser.add_argument("--python", default=sys.executable, help="a Python that has JAX")
    parser.add_argument("--json", help="the file to write")
    parser.add_argument("--match", default=".", help="a regular expression on `name size`")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=120, help="processor time after which a run of ours is given up")
    parser.add_argument("--shardy-ops", type=int, default=200000, help="larger programs are not given to Shardy")
    parser.add_argument("--options", default="")
    parser.add_argument("--xla", action="store_true", help="also time XLA's compilation of a few layers")
    args = parser.parse_args()

    shardy = Shardy(args.python)
    if shardy.error:
        print(f"note: Shardy is left out: {shardy.error}")
        shardy = None
    print(f"{machine()}, {CORES} cores; ms, least and median")
    print(f"{'':20} {'size':>7} {'ops':>7} | {'propagation':>19} | {'to collective':>19} | {'Shardy propagation':>19} | {'peak MB':>7}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, size in CASES:
            if re.search(args.match, f"{name} {size}"):
                rows.append(measure(name, size, args, shardy, folder))
                show(rows[-1])
    xla = []
    for layers in XLA_LAYERS if args.xla else []:
        run = subprocess.run([args.python, os.path.join(HERE, "peers", "jax_compile.py"), str(layers)], capture_output=True,
                             text=True, timeout=600)
        if run.returncode:
            print(f"note: XLA is left out: {(run.stderr.strip().splitlines() or ['no message'])[-1][:160]}")
            break
        xla.append({"layers": layers, **json.loads(run.stdout)})
        print(f"XLA compiles {layers} transformer layers, forward and backward, in {xla[-1]['ms']:.0f} ms")
    if shardy:
        shardy.close()
    for small, large in ((10000, 100000),):
        for name in ("chain", "elementwise"):
            found = {row["size"]: row for row in rows if row["case"] == name and "collective_ms" in row}
            if small in found and large in found:
                ratio = found[large]["collective_ms"]["min"] / found[small]["collective_ms"]["min"]
                print(f"ratio: {name} of {large} ops to {small}: {ratio:.1f} in time, "
                      f"{found[large]['peak_mb'] / found[small]['peak_mb']:.1f} in memory")
    for row in rows:
        if "shardy_ms" in row and "propagate_ms" in row:
            print(f"ratio: {row['case']} {row['size']}: propagation {row['propagate_ms']['min'] / row['shardy_ms']['min']:.2f} of "
                  f"Shardy's time, all up to collective {row['collective_ms']['min'] / row['shardy_ms']['min']:.2f}")
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"version": 1, "date": datetime.date.today().isoformat(), "machine": machine(), "cores": CORES,
                       "rows": rows, "xla": xla}, file, indent=1)
            file.write("\n")
    return 1 if any("error" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
