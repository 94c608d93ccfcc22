#!/usr/bin/env python3
# Writes random annotated programs and runs each with `shard-run --verify`.
#
# Requires: shard-run and shard-compile; nothing but Python.
# Guarantees: a seed names one program for ever on one version of this file. Inputs
# are small integers and ops keep values where floats are exact, so that sharded and
# unsharded results must be equal to the bit (--tolerance=0). A program that
# fails (another status than 0, a hang, a difference) is reduced while it fails in the
# same way, and written to the output folder with its command line.
"""Run random annotated programs against their unsharded form."""

import argparse
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from fuzz_dynamic import DynamicGenerator
from fuzz_generator import Generator, numbers
from fuzz_program import Value


# --- running and reducing ----------------------------------------------------

class Runner:
    def __init__(self, tool, folder, timeout, options):
        self.tool, self.folder, self.timeout, self.options = tool, folder, timeout, options

    def run(self, program):
        """How the program fails, or None: (status, what it said), numbers made equal."""
        path = os.path.join(self.folder, "p.mlir")
        with open(path, "w") as file:
            file.write(program.text())
        cache = os.path.join(self.folder, "cache")
        command = [self.tool, path, "--verify", "--tolerance=0", f"--timeout={self.timeout // 2}", *self.options, *program.flags()]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=self.timeout,
                                 env={**os.environ, "SHARDIR_CACHE_DIR": cache})
        except subprocess.TimeoutExpired:
            return ("hang", ""), "", command
        finally:
            shutil.rmtree(cache, ignore_errors=True)
        said = run.stdout + run.stderr
        if run.returncode == 0 and " differs " not in said:
            return None, said, command
        errors = [line for line in said.splitlines() if "error" in line]
        first = errors[0] if errors else said.splitlines()[0] if said else ""
        first = re.sub(r"^.*?error: ", "", first)
        shape = re.sub(r"\d+|%\w+|'[^']*p\.mlir'|tensor<[^>]*>|<[^>]*>|\"[^\"]*\"", "#", first)
        return (run.returncode, "" if run.returncode == 1 else shape[:60]), said, command


def sweep(program):
    """Without what no result needs."""
    needed = {v.name for v, _ in program.results}
    kept = []
    for values, lines, operands in reversed(program.ops):
        if any(v.name in needed for v in values):
            kept.append((values, lines, operands))
            needed.update(operands)
    program.ops = kept[::-1]
    program.arguments = [(v, p) for v, p in program.arguments if v.name in needed]
    program.header = [line for line in program.header
                      if "private" not in line or re.search(r"@(\w+)", line)[1] in needed]
    return program


def smaller(program):
    """Programs with one thing less, the boldest first."""
    for i in range(len(program.results)):
        if len(program.results) > 1:
            other = program.copy()
            other.results = [program.results[i]]
            yield sweep(other)
    types = {v.name: (v.shape, v.dtype) for v, _ in program.arguments}
    types.update({v.name: (v.shape, v.dtype) for op in program.ops for v in op[0]})
    used = {name for _, _, operands in program.ops for name in operands} | {v.name for v, _ in program.results}
    for i in reversed(range(len(program.ops))):
        values, _, operands = program.ops[i]
        if not used.intersection(v.name for v in values):
            # Also one by one: what is dead may still decide placements.
            other = program.copy()
            del other.ops[i]
            yield other
        for value in values:
            # An op's result becomes an argument...
            other = program.copy()
            argument = Value(value.name, value.shape, value.dtype, min(value.bound, 3))
            other.inputs = {**program.inputs, value.name: numbers(random.Random(value.name), argument)}
            other.arguments.append((argument, None))
            del other.ops[i]
            yield sweep(other)
        # ...or a result of the program.
        if values[0].name not in {v.name for v, _ in program.results}:
            other = program.copy()
            other.results = [(values[0], None)]
            yield sweep(other)
    for field in ("arguments", "results"):
        for i, (value, placement) in enumerate(getattr(program, field)):
            if placement:
                for simpler in [None] + simpler_placements(placement):
                    other = program.copy()
                    getattr(other, field)[i] = (value, simpler)
                    yield other
    for i, (values, lines, operands) in enumerate(program.ops):
        same = [name for name in operands if (values[0].shape, values[0].dtype) == types.get(name)]
        for name in same:
            # Users of the result use the operand.
            other = program.copy()
            other.ops = [op if k <= i else (op[0], [re.sub(rf"%{values[0].name}\b", f"%{name}", line) for line in op[1]],
                                            [name if o == values[0].name else o for o in op[2]])
                         for k, op in enumerate(program.ops) if k != i]
            kept = {v.name: v for v, _ in program.arguments}
            kept.update({v.name: v for op in program.ops for v in op[0]})
            other.results = [(kept[name] if v.name == values[0].name else v, p) for v, p in other.results]
            yield other
        for j, line in enumerate(lines):
            if "shardir.constrain" in line:
                placement = re.search(r"#shardir.placement<.*>(?= :)", line)[0]
                for simpler in simpler_placements(placement):
                    other = program.copy()
                    other.ops[i] = (values, lines[:j] + [line.replace(placement, simpler)] + lines[j + 1:], operands)
                    yield other
    for i, line in enumerate(program.header):
        if "devices" in line:
            other = program.copy()
            other.header[i] = re.sub(r", devices = \[[^]]*\]", "", line)
            yield other


def simpler_placements(placement):
    found = [re.sub(r", partial = \w+ \[[^]]*\]", "", placement)] if "partial" in placement else []
    for match in re.finditer(r'"\w+"(:\(\d+\)\d+)?(, )?|\?|p[01]', placement):
        text = placement[:match.start()] + placement[match.end():]
        text = text.replace(", }", "}").replace(", ]", "]")
        if re.search(r"\{\d+(, \?)?\}|\[\]>$", text) and "partial" in text:
            continue
        found.append(text)
    return found


def reduce(program, failure, runner, limit):
    tries, progress = 0, True
    while progress and tries < limit:
        progress = False
        for other in smaller(program):
            tries += 1
            if tries >= limit:
                break
            if runner.run(other)[0] == failure:
                program, progress = other, True
                break
    return program


def run_dynamic(seed, limit, runner, runs):
    """How the program of this seed and length fails at one of `runs` sizes."""
    program = DynamicGenerator(seed, limit).make()
    path = os.path.join(runner.folder, "p.mlir")
    with open(path, "w") as file:
        file.write(program.text())
    cache = os.path.join(runner.folder, "cache")
    try:
        for flags in program.runs(runs):
            command = [runner.tool, path, "--verify", "--tolerance=0", f"--timeout={runner.timeout // 2}", *runner.options, *flags]
            try:
                run = subprocess.run(command, capture_output=True, text=True, timeout=runner.timeout,
                                     env={**os.environ, "SHARDIR_CACHE_DIR": cache})
            except subprocess.TimeoutExpired:
                return ("hang", ""), "", command
            said = run.stdout + run.stderr
            if run.returncode or " differs " in said or said.count(" equal to ") != len(program.results):
                errors = [line for line in said.splitlines() if "error" in line or "differs" in line]
                return (run.returncode, re.sub(r"\d+|%\w+|'[^']*p\.mlir'", "#", errors[0] if errors else "")[:90]), said, command
        return None, "", None
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def fuzz_dynamic(arguments):
    """--dynamic: programs on open dims, each at several sizes."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.shard_run, folder, arguments.timeout, arguments.options)
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            if arguments.print:
                print(DynamicGenerator(seed).make().text())
                continue
            failure, said, command = run_dynamic(seed, 14, runner, arguments.runs)
            if not failure:
                continue
            failures += 1
            print(f"seed {seed}: {failure}", flush=True)
            limit = 14
            for shorter in range(1, 14) if arguments.reduce else []:
                found = run_dynamic(seed, shorter, runner, arguments.runs)
                if found[0]:
                    limit, (failure, said, command) = shorter, found
                    break
            os.makedirs(arguments.out, exist_ok=True)
            with open(os.path.join(arguments.out, f"{seed}.mlir"), "w") as file:
                file.write(f"// RUN: shard-run %s {shlex.join(command[2:])}\n")
                file.write("".join(f"// {line}\n" for line in said.splitlines()[:8]) + DynamicGenerator(seed, limit).make().text())
    if not arguments.print:
        print(f"{arguments.count} programs, {failures} failures")
    return failures != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shard-run", default="shard-run")
    parser.add_argument("--seed", type=int, default=0, help="the first program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--regions", type=int, default=0, help="how often loops and branches around other ops are drawn")
    parser.add_argument("--timeout", type=int, default=60, help="seconds for one program")
    parser.add_argument("--out", default="fuzz-failures", help="where programs that fail are written")
    parser.add_argument("--options", default=[], action="append", help="a flag handed on to shard-run")
    parser.add_argument("--reduce", type=int, default=150, help="most runs for the reduction of one failure")
    parser.add_argument("--print", action="store_true", help="print the programs, run nothing")
    parser.add_argument("--dynamic", action="store_true", help="programs on dims whose extent is known only at run time")
    parser.add_argument("--runs", type=int, default=3, help="with --dynamic: at how many sizes each program runs")
    arguments = parser.parse_args()
    if arguments.dynamic:
        return fuzz_dynamic(arguments)
    seen = {}
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.shard_run, folder, arguments.timeout, arguments.options)
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            program = Generator(seed, arguments.regions).make()
            if arguments.print:
                print(program.text())
                continue
            failure, said, command = runner.run(program)
            if not failure:
                continue
            failures += 1
            seen[failure] = seen.get(failure, 0) + 1
            print(f"seed {seed}: {failure}", flush=True)
            # Failures that look alike are reduced a few times only.
            if seen[failure] > (4 if failure[0] == 1 else 2):
                continue
            program = reduce(program, failure, runner, arguments.reduce)
            _, said, command = runner.run(program)
            os.makedirs(arguments.out, exist_ok=True)
            with open(os.path.join(arguments.out, f"{seed}.mlir"), "w") as file:
                file.write(f"// RUN: shard-run %s {shlex.join(command[2:])}\n")
                file.write("".join(f"// {line}\n" for line in said.splitlines()[:8]) + program.text())
    if not arguments.print:
        print(f"{arguments.count} programs, {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
