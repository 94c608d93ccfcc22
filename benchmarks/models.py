#!/usr/bin/env python3
# Models from JAX and PyTorch beside XLA: compile time, bytes, memory, steps.
#
# Requires: a Python with JAX and the package (PYTHONPATH=build/python); PyTorch is
# optional, and its model is left out where it is not there. XLA runs the same function
# with the same shardings on virtual devices of the CPU.
# Guarantees: steps of both take turns, so that a busy machine hits both; results are
# compared. Bytes are what one device receives, by the formulas of docs/Report.md for
# both; memory is of one device, arguments and results included. Exit status 1 where a
# case fails or differs, and with --check where ours receives more or needs more memory.
"""Train and run models; prints a table and writes JSON."""

import argparse
import datetime
import json
import os
import re
import statistics
import sys
import tempfile
import time

from run import CORES, HERE, machine

DEVICES = 4
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={DEVICES}"
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "utils"))

import hlo_bytes
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import shardir.jax
from model_cases import cases

LOSS_TOLERANCE = 1e-5


class Ours:
    def __init__(self, case, options):
        self.case, self.values = case, case.arguments
        start = time.perf_counter()
        if case.of_torch:
            self.program, self.step = case.of_torch(*case.arguments[case.donated:], options)
        else:
            jitted = shardir.jax.jit(case.step, mesh=case.mesh, in_shardings=case.shardings, out_shardings=case.results,
                                     donate_argnums=tuple(range(case.donated)), options=options)
            lowered = jitted.lower(*case.arguments)
            self.program, self.step = lowered.program, lambda: self.call(jitted)
        self.compile_s = time.perf_counter() - start

    def call(self, jitted):
        results = jitted(*self.values)
        if self.case.donated:
            self.values = (*results[:self.case.donated], *self.values[self.case.donated:])
        return results

    def time(self):
        """Milliseconds of a step; what it returned."""
        results = self.step()
        return self.program.report.measured["ms"], results

    def figures(self):
        report = self.program.report
        measured = report.measured
        return {"bytes": measured["bytes_per_device"], "predicted_bytes": report.bytes_per_device,
                "peak": measured["peak_bytes_per_device"], "predicted_peak": report.peak_bytes_per_device}


class XLA:
    def __init__(self, case):
        self.case = case
        mesh = Mesh(np.array(jax.devices()[:DEVICES]).reshape(tuple(case.mesh.values())), tuple(case.mesh))
        is_spec = lambda x: isinstance(x, PartitionSpec)
        places, results = (jax.tree.map(lambda spec: NamedSharding(mesh, spec), specs, is_leaf=is_spec)
                           for specs in (case.shardings, case.results))
        start = time.perf_counter()
        self.compiled = jax.jit(case.step, in_shardings=places, out_shardings=results,
                                donate_argnums=tuple(range(case.donated))).lower(*case.arguments).compile()
        self.compile_s = time.perf_counter() - start
        self.values = tuple(jax.device_put(value, place) for value, place in zip(case.arguments, places))

    def time(self):
        start = time.perf_counter()
        results = jax.block_until_ready(self.compiled(*self.values))
        ms = 1e3 * (time.perf_counter() - start)
        if self.case.donated:
            self.values = (*results[:self.case.donated], *self.values[self.case.donated:])
        return ms, results

    def figures(self):
        memory = self.compiled.memory_analysis()
        return {"bytes": hlo_bytes.count(self.compiled.as_text())[0],
                "peak": memory.argument_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes
                + memory.temp_size_in_bytes}


def difference(case, ours, expected):
    """In words, or None where the results of the first step agree."""
    def compare(name, a, b, tolerance):
        a, b = np.asarray(a), np.asarray(b)
        error = abs(a - b).max() / max(abs(b).max(), 1e-30)
        return None if error <= tolerance else f"{name} differs from XLA's by {error:.1e} relative to its largest value"
    if not case.donated:
        return compare("the result", ours, expected, case.tolerance)
    found = [compare("the loss", ours if case.of_torch else ours[-1], expected[-1], LOSS_TOLERANCE)]
    if not case.of_torch:
        # First moments are gradients. Parameters move by a gradient's sign, which rounding changes near zero.
        found += [compare(f"the gradient of '{name}'", ours[1][name], expected[1][name], case.tolerance) for name in expected[1]]
    return next((each for each in found if each), None)


def measure(case, rounds, options):
    ours, xla = Ours(case, options), XLA(case)
    times = [], []
    for i in range(rounds + 1):
        ms, results = ours.time()
        xla_ms, expected = xla.time()
        if i == 0:
            error = difference(case, results, expected)
            if error:
                raise ArithmeticError(error)
            continue
        times[0].append(ms), times[1].append(xla_ms)
    row = {"case": case.name, "mesh": case.mesh}
    for name, each, own in (("shardir", ours, times[0]), ("xla", xla, times[1])):
        row[name] = {"compile_s": round(each.compile_s, 2), **each.figures(), "min_ms": round(min(own), 2),
                     "median_ms": round(statistics.median(own), 2)}
    return row


def show(row):
    a, b = row["shardir"], row["xla"]
    mib = lambda bytes: f"{bytes / 2**20:.2f}"
    print(f"{row['case']:16} {','.join(f'{n}={s}' for n, s in row['mesh'].items()):12} | "
          f"{a['compile_s']:6.1f} {b['compile_s']:6.1f} | {mib(a['bytes']):>7} {mib(b['bytes']):>7} | "
          f"{mib(a['predicted_peak']):>9} {mib(a['peak']):>7} {mib(b['peak']):>7} | "
          f"{a['min_ms']:7.1f} {b['min_ms']:7.1f}", flush=True)


def head():
    print(f"{'':29} | {'compile s':>13} | {'received MiB':>15} | {'peak MiB':>25} | {'step ms':>15}")
    print(f"{'':29} | {'ours':>6} {'XLA':>6} | {'ours':>7} {'XLA':>7} | {'predicted':>9} {'ours':>7} {'XLA':>7} | "
          f"{'ours':>7} {'XLA':>7}")


def show_table(path):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    print(f"{found['machine']}, {found['cores']} cores, JAX {found['jax']}; {DEVICES} devices, {found['options']}")
    head()
    for row in found["rows"]:
        show(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", metavar="FILE", help="print the figures of a JSON file, and measure nothing")
    parser.add_argument("--json", help="the file to write")
    parser.add_argument("--match", default=".", help="a regular expression on the names of cases")
    parser.add_argument("--rounds", type=int, default=5, help="timed steps of each")
    parser.add_argument("--options", default="cost=time", help="options of our compiler")
    parser.add_argument("--check", action="store_true", help="fail where ours receives more, or needs more memory")
    options = parser.parse_args()
    if options.show:
        return show_table(options.show)
    print(f"{machine()}, {CORES} cores, JAX {jax.__version__}; {DEVICES} devices, {options.options}")
    head()
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as cache:
        os.environ["SHARDIR_CACHE_DIR"] = cache
        for make in cases():
            case = make()
            if not re.search(options.match, case.name):
                continue
            try:
                rows.append(measure(case, options.rounds, options.options))
            except ModuleNotFoundError as error:
                print(f"note: {case.name} is left out: {error}")
            except (shardir.Error, ArithmeticError, ValueError) as error:
                print(f"{case.name} failed: {error}")
                failed = True
            else:
                show(rows[-1])
    worse = [f"{row['case']}: {row['shardir'][key]} {key}, XLA {row['xla'][key]}" for row in rows for key in ("bytes", "peak")
             if row["shardir"][key] > row["xla"][key]]
    if worse:
        print("more than XLA: " + "; ".join(worse))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "date": datetime.date.today().isoformat(), "machine": machine(), "cores": CORES,
                       "jax": jax.__version__, "options": options.options, "rows": rows}, file, indent=1)
            file.write("\n")
    return 1 if failed or (options.check and worse) else 0


if __name__ == "__main__":
    sys.exit(main())
