#!/usr/bin/env python3
# Checks that it makes no difference where a program is annotated.
#
# Requires: shard-opt; nothing but Python.
# Guarantees: every program is in one module several times, annotated at other places
# that say the same: arguments, results, ops or constraints. For programs made for that
# (annotation_programs.py) all placements and collectives must be equal. In those of
# fuzz_generator.py, where annotations may exclude one another, those of arguments and
# results become constraints; under cost=bytes as many bytes must move. What differs is
# written to --out.
"""Annotate arguments, results or the middle: what is decided must not differ."""

import argparse
import os
import random
import re
import sys
import tempfile

from annotation_programs import KINDS, Drawn, Made
from report_of import report_of


class Checker:
    def __init__(self, tool, options, folder):
        self.tool, self.options, self.folder = tool, options, folder
        self.compared = self.split = 0

    def decide(self, text):
        """{function: ({value: placement}, collectives)}, or what went wrong."""
        found, error = report_of(self.tool, text, f"--shardir-to-collective={self.options}", self.folder)
        if error:
            return None, error
        decided = {}
        for value in found["values"]:
            if value["name"] and not value["op"].startswith(("collective.", "shardir.")):
                values, _ = decided.setdefault(value["function"], ({}, []))
                values.setdefault(value["name"], re.sub(r"@\w+", "@m", value["placement"]))
        for step in found["collectives"]:
            decided.setdefault(step["function"], ({}, []))[1].append(
                (step["kind"], tuple(step["axes"]), step["bytes_per_device"], step["executions"]))
        return decided, None

    def differences(self, first, other, what):
        """What differs: of `all`, or of the `bytes` that each device receives."""
        lines = []
        for name, placement in first[0].items():
            self.compared += 1
            self.split += '"' in placement
            if other[0].get(name) != placement:
                lines.append(f"{name}: {placement}, else {other[0].get(name)}")
        if sorted(map(repr, first[1])) != sorted(map(repr, other[1])):
            lines.append(f"collectives {sorted(first[1])}, else {sorted(other[1])}")
        if what == "bytes" and sum(step[2] for step in first[1]) == sum(step[2] for step in other[1]):
            return []
        return lines


def check_made(checker, seeds, variants):
    """Yields (key, what differs, text) of programs made here."""
    meshes, functions, keys = [], {}, {}
    for seed in seeds:
        for kind in KINDS:
            program = Made(seed, kind)
            assignment = program.assignment()
            if not assignment:
                continue
            key = f"{kind}{seed}"
            meshes.append(program.mesh_line(f"m_{key}"))
            keys[key] = (program, [program.annotated(assignment) for _ in range(variants)])
            for i, annotations in enumerate(keys[key][1]):
                functions[f"{key}_{i}"] = program.text(f"{key}_{i}", f"m_{key}", annotations)
    yield from compare(checker, meshes, functions, {key: [f"{key}_{i}" for i in range(variants)] for key in keys})


def check_drawn(checker, seeds):
    """Yields (key, what differs, text) of random programs."""
    programs = {f"fuzz{seed}": Drawn(seed) for seed in seeds}
    meshes = [program.mesh_line(f"m_{key}") for key, program in programs.items()]
    functions, groups = {}, {}
    for key, program in programs.items():
        functions[key], groups[key] = program.text(key, f"m_{key}"), [key]
        for i, (what, constrained) in enumerate(program.ways().items()):
            functions[f"{key}_{i}"] = f"// {what}\n" + program.text(f"{key}_{i}", f"m_{key}", constrained)
            groups[key].append(f"{key}_{i}")
    yield from compare(checker, meshes, functions, groups, "bytes")


def compare(checker, meshes, functions, groups, what="all"):
    """Yields what differs in a group of functions from its first one."""
    decided, error = checker.decide("\n".join(meshes + list(functions.values())) + "\n")
    if error:
        # One program that fails must not hide the others.
        if len(groups) == 1:
            yield next(iter(groups)), [error], "\n".join(meshes + list(functions.values()))
            return
        for key, members in groups.items():
            mesh = [line for line in meshes if f"@m_{key} " in line]
            yield from compare(checker, mesh, {m: functions[m] for m in members}, {key: members}, what)
        return
    nothing = ({}, [])
    for key, (first, *others) in groups.items():
        for other in others:
            lines = checker.differences(decided.get(first, nothing), decided.get(other, nothing), what)
            if lines:
                mesh = [line for line in meshes if f"@m_{key} " in line]
                yield other, lines, "\n".join(mesh + [functions[first], functions[other]])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shard-opt", default="shard-opt")
    parser.add_argument("--seed", type=int, default=None, help="of the programs and of where they are annotated; drawn if not given")
    parser.add_argument("--count", type=int, default=10, help="programs of each kind")
    parser.add_argument("--variants", type=int, default=4, help="places at which each is annotated")
    parser.add_argument("--drawn", type=int, default=40, help="programs of fuzz_generator.py")
    parser.add_argument("--options", default="", help="of the pipeline, such as cost=bytes")
    parser.add_argument("--out", default="build/annotation-failures", help="where programs that differ are written")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 20)
    print(f"seed {seed}", flush=True)
    failures, ran = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(args.shard_opt, args.options, folder)
        batches = [(check_made, range(seed + i, seed + min(i + 10, args.count)), [args.variants]) for i in range(0, args.count, 10)]
        batches += [(check_drawn, range(seed + i, seed + min(i + 40, args.drawn)), [])
                    for i in range(0, args.drawn, 40)]
        for check, seeds, how in batches:
            ran += len(seeds) * (len(KINDS) if check is check_made else 1)
            for key, lines, text in check(checker, seeds, *how):
                failures += 1
                print(f"{key}: " + "; ".join(lines[:3]), flush=True)
                os.makedirs(args.out, exist_ok=True)
                with open(os.path.join(args.out, f"{key}.mlir"), "w") as file:
                    file.write(text + "\n")
    print(f"{ran} programs: {checker.compared} placements compared, {checker.split} of them not replicated, {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
