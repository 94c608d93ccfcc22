#!/usr/bin/env python3
# Placements of random annotated programs: ours beside those of live Shardy.
#
# Requires: shard-opt, and a Python with jaxlib (--python) for Shardy.
# Guarantees: a seed names one program for ever on one version of this file; with
# --uneven another one, of sizes and axes that need not divide. Both
# see the same annotations; both are counted by our own model under cost=bytes,
# Shardy's placements by a program that asks for each of them with a constraint. The
# choice of factors inside of an op is free there, so that what is counted is the
# least that Shardy's placements can cost. Exit status 1 where ours cost more.
"""Compare bytes of our placements with those of Shardy's on random programs."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

from twin_programs import Program, reshape_groups

HERE = os.path.dirname(os.path.abspath(__file__))
MESHES = [{"x": 2}, {"x": 4}, {"x": 2, "y": 2}, {"x": 2, "y": 4}, {"x": 4, "y": 2}]
SIZES = [2, 4, 8, 8, 16, 16, 32]
UNEVEN_MESHES = [{"x": 3}, {"x": 2, "y": 3}, {"x": 3, "y": 2}, {"x": 4}, {"x": 2, "y": 2}]
UNEVEN_SIZES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16]
MAX_ELEMENTS = 1 << 16


def placement(rng, shape, mesh, uneven=False):
    """Each axis on one dim that it divides, or with `uneven` that has an element for each device, or on none."""
    dims = [[] for _ in shape]
    for axis, size in mesh.items():
        blocks = lambda d: size * prod(mesh[a] for a in dims[d])
        fits = [d for d, n in enumerate(shape) if (n >= blocks(d) if uneven else n % blocks(d) == 0)]
        if fits and rng.random() < 0.75:
            dims[rng.choice(fits)].append(axis)
    return dims


def prod(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def factored(rng, shape):
    """Another shape of as many elements, by merging or splitting a dim."""
    shape = list(shape)
    if len(shape) > 1 and rng.random() < 0.5:
        i = rng.randrange(len(shape) - 1)
        shape[i:i + 2] = [shape[i] * shape[i + 1]]
        return shape
    fits = [i for i, n in enumerate(shape) if n >= 4]
    if not fits or len(shape) > 3:
        return None
    i = rng.choice(fits)
    factors = [k for k in range(2, shape[i]) if shape[i] % k == 0]
    if not factors:
        return None
    first = rng.choice(factors)
    shape[i:i + 1] = [first, shape[i] // first]
    return shape


def random_program(seed, ops=12, uneven=False):
    rng = random.Random(seed)
    sizes = UNEVEN_SIZES if uneven else SIZES
    program = Program(rng.choice(UNEVEN_MESHES if uneven else MESHES))
    values = []

    def argument(shape):
        annotated = placement(rng, shape, program.mesh, uneven) if rng.random() < 0.6 else None
        values.append(program.argument(shape, annotated))
        return values[-1]

    def pick(accept=lambda v: True):
        found = [v for v in values if accept(v)]
        return found[max(rng.randrange(len(found)), rng.randrange(len(found)))] if found else None

    for _ in range(rng.randint(1, 3)):
        argument([rng.choice(sizes) for _ in range(rng.choice([2, 2, 2, 3]))])
    for _ in range(rng.randint(3, ops)):
        kind = rng.choice(["unary", "binary", "binary", "dot", "dot", "dot", "batch", "reduce", "transpose", "broadcast",
                           "reshape", "constrain", "constant"])
        x = pick()
        y = None
        if kind == "unary":
            y = program.unary(rng.choice(["tanh", "exp", "neg"]), x)
        elif kind == "binary":
            other = pick(lambda v: v.shape == x.shape) if rng.random() < 0.85 else argument(x.shape)
            y = program.binary(rng.choice(["add", "mul", "max"]), x, other)
        elif kind == "constant":
            y = program.binary("mul", x, program.constant(x.shape, 2.0))
        elif kind == "dot" and len(x.shape) in (1, 2, 3):
            d = rng.randrange(len(x.shape))
            other = pick(lambda v: v is not x and len(v.shape) <= 2 and x.shape[d] in v.shape) if rng.random() < 0.6 else None
            other = other or argument(rng.sample([x.shape[d], rng.choice(sizes)], 2))
            e = rng.choice([i for i, n in enumerate(other.shape) if n == x.shape[d]])
            if len(x.shape) + len(other.shape) > 2:
                y = program.dot(x, other, ((d,), (e,)))
        elif kind == "batch" and len(x.shape) == 3:
            other = pick(lambda v: len(v.shape) == 3 and v.shape[0] == x.shape[0] and v.shape[1] == x.shape[2])
            other = other or argument([x.shape[0], x.shape[2], rng.choice(sizes)])
            y = program.dot(x, other, ((2,), (1,)), ((0,), (0,)))
        elif kind == "reduce" and len(x.shape) > 1:
            y = program.reduce(rng.choice(["add", "add", "max"]), x, (rng.randrange(len(x.shape)),))
        elif kind == "transpose" and len(x.shape) > 1:
            order = list(range(len(x.shape)))
            rng.shuffle(order)
            y = program.transpose(x, order)
        elif kind == "broadcast" and len(x.shape) < 3:
            at, n = rng.randrange(len(x.shape) + 1), rng.choice(sizes)
            shape = list(x.shape[:at]) + [n] + list(x.shape[at:])
            y = program.broadcast(x, shape, [i for i in range(len(shape)) if i != at])
        elif kind == "reshape":
            shape = factored(rng, x.shape)
            if shape and reshape_groups(x.shape, shape):
                y = program.reshape(x, shape)
        elif kind == "constrain" and rng.random() < 0.4:
            y = program.constrain(x, placement(rng, x.shape, program.mesh, uneven))
        if y is not None and prod(y.shape) <= MAX_ELEMENTS:
            values.append(y)
        elif y is not None:
            while program.values[-1] is not y:
                program.values.pop()
            program.values.pop()
    used = {o.name for v in program.values for o in v.operands}
    for value in program.values:
        if value.name not in used and value.op not in ("argument", "constant"):
            program.returns(value, placement(rng, value.shape, program.mesh, uneven) if rng.random() < 0.4 else None)
    if not program.results:
        program.returns(program.unary("tanh", values[0]))
    return program


class Shardy:
    def __init__(self, python):
        self.process = subprocess.Popen([python, os.path.join(HERE, "peers", "shardy_peer.py")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        first = json.loads(self.process.stdout.readline() or '{"error": "did not start"}')
        self.error = first.get("error")

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline() or '{"error": "the peer died"}')

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def with_placements(program, reply):
    """The program with each value constrained to where Shardy puts it."""
    placed = Program(program.mesh)
    names = {}
    arguments = iter(reply["arguments"] or [None] * len(program.arguments))
    whole = lambda value: [[] for _ in value.shape]
    for value in program.values:
        if value.op == "argument":
            names[value.name] = placed.argument(value.shape, next(arguments) or whole(value))
            names[value.name].location = value.name
            continue
        copy = placed._new(value.op, [names[o.name] for o in value.operands], value.shape, **value.parameters)
        names[value.name], copy.location = copy, None
        if value.op == "constrain":
            copy.location = value.name
            copy.parameters["placement"] = reply["placements"].get(value.name, copy.parameters["placement"])
        elif value.op != "constant":
            names[value.name] = placed.constrain(copy, reply["placements"].get(value.name) or whole(value))
            names[value.name].location = value.name
    results = reply["results"] or [None] * len(program.results)
    for (value, _), dims in zip(program.results, results):
        placed.returns(names[value.name], dims or whole(value))
    return placed


def count(build, text, folder, options):
    """Bytes per device of a program's collectives, or what went wrong."""
    path, report = os.path.join(folder, "p.mlir"), os.path.join(folder, "p.json")
    with open(path, "w") as file:
        file.write(text)
    run = subprocess.run([os.path.join(build, "bin", "shard-opt"), path, f"--shardir-to-collective={options}",
                          f"--shardir-report=file={report}", "-o", os.devnull], capture_output=True, text=True, timeout=120)
    if run.returncode:
        return None, next((line for line in run.stderr.splitlines() if "error" in line), run.stderr[:200])
    with open(report) as file:
        return json.load(file)["bytes_per_device"], None


def write_pairs(folder, pairs, uneven):
    """One file a mesh: each program as @seed_N, and with Shardy's placements as @seed_N_theirs."""
    files = {}
    for seed, program, placed in pairs:
        files.setdefault(tuple(program.mesh.items()), []).append(
            f"// CHECK: seed_{seed}: {{{{placements equal|fewer bytes|as many bytes}}}}\n" +
            program.linalg(locations=True, function=f"seed_{seed}", mesh=False) +
            placed.linalg(locations=True, function=f"seed_{seed}_theirs", mesh=False))
    os.makedirs(folder, exist_ok=True)
    for mesh, texts in files.items():
        kind = "uneven" if uneven else "random"
        axes = ", ".join(f'"{axis}"={size}' for axis, size in mesh)
        with open(os.path.join(folder, "-".join([kind, *(f"{axis}{size}" for axis, size in mesh)]) + ".mlir"), "w") as file:
            file.write(f"// Random programs, written by benchmarks/compare_shardy.py{' --uneven' if uneven else ''}. Each @name is beside\n// @name_theirs, "
                       "which puts every value where live Shardy puts it.\n//\n"
                       "// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s\n\n"
                       f"shardir.mesh @m <[{axes}]>\n\n" + "\n".join(texts))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(HERE, os.pardir, "build"))
    parser.add_argument("--python", default=sys.executable, help="a Python that has jaxlib")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="the first; programs have consecutive seeds")
    parser.add_argument("--ops", type=int, default=12)
    parser.add_argument("--uneven", action="store_true", help="sizes and axes that need not divide")
    parser.add_argument("--options", default="cost=bytes")
    parser.add_argument("--keep", help="folder for the programs where Shardy's placements cost less or that fail")
    parser.add_argument("--seeds", help="these, apart by commas, rather than consecutive ones")
    parser.add_argument("--write", help="folder for pairs of functions as test/Run/Comparisons has them, one file a mesh")
    parser.add_argument("--show", action="store_true", help="print each program's bytes")
    args = parser.parse_args()
    shardy = Shardy(args.python)
    if shardy.error:
        sys.exit(f"error: Shardy is not to be had from {args.python}: {shardy.error}")
    less = equal = 0
    lost, failed, pairs, totals = [], [], [], [0, 0]
    seeds = [int(seed) for seed in args.seeds.split(",")] if args.seeds else range(args.seed, args.seed + args.count)

    def keep(seed, texts):
        if args.keep:
            os.makedirs(args.keep, exist_ok=True)
            for name, text in texts.items():
                with open(os.path.join(args.keep, f"{seed}.{name}.mlir"), "w") as file:
                    file.write(text)

    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            program = random_program(seed, args.ops, args.uneven)
            reply = shardy.ask(text=program.stablehlo(), placements=True)
            if "error" in reply:
                failed.append((seed, "Shardy: " + reply["error"]))
                continue
            text = program.linalg()
            ours, error = count(args.build, text, folder, args.options)
            if error:
                failed.append((seed, error))
                keep(seed, {"ours": text})
                continue
            twin = with_placements(program, reply)
            pairs.append((seed, program, twin))
            placed = twin.linalg()
            theirs, error = count(args.build, placed, folder, args.options)
            if error:
                failed.append((seed, "Shardy's placements: " + error))
                keep(seed, {"shardy": placed})
                continue
            totals[0] += ours
            totals[1] += theirs
            less += ours < theirs
            equal += ours == theirs
            if args.show:
                print(f"seed {seed}: {ours} bytes, Shardy's placements {theirs}")
            if ours > theirs:
                lost.append((seed, ours, theirs, len(program.values)))
                keep(seed, {"ours": text, "shardy": placed, "stablehlo": program.stablehlo()})
    shardy.close()
    if args.write:
        write_pairs(args.write, pairs, args.uneven)
    print(f"seeds {args.seeds or f'{seeds[0]} to {seeds[-1]}'}: {less} with fewer bytes than Shardy's placements, {equal} equal, "
          f"{len(lost)} with more, {len(failed)} failed; {totals[0]} bytes in all, Shardy's {totals[1]}")
    for seed, ours, theirs, ops in lost:
        print(f"  seed {seed} ({ops} values): {ours} bytes, Shardy's placements {theirs}")
    for seed, error in failed:
        print(f"  seed {seed} failed: {error}")
    return 1 if lost or failed else 0


if __name__ == "__main__":
    sys.exit(main())
