#!/usr/bin/env python3
# Checks that what a file says in another order is placed in the same way.
#
# Requires: shard-opt; nothing but Python. Programs are those of fuzz_generator.py and,
# where benchmarks/ is beside this folder, the matmul-heavy ones of compare_shardy.py.
# Guarantees: every program is in one module several times: as it is, and with ops
# that do not depend on one another shuffled, values and functions renamed, and the
# functions and meshes of the module in another order. Every value must have the
# same placement each time. A program that fails is written with its variant, cut down.
"""Shuffle and rename random annotated programs; their placements must not change."""

import argparse
import os
import random
import re
import sys
import tempfile

from fuzz_generator import Generator
from report_of import report_of

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, os.pardir, "benchmarks"))
try:
    from compare_shardy import random_program
except ImportError:
    random_program = None


class Text:
    """A function in parts: `ops` are (result, lines, operands) in an order that may change."""

    def __init__(self, header, arguments, ops, results):
        self.header, self.arguments, self.ops, self.results = header, arguments, ops, results

    @classmethod
    def of_fuzz(cls, seed):
        program = Generator(seed).make()
        typed = lambda value, placement: value.type + (f" {{shardir.placement = {placement}}}" if placement else "")
        return cls(program.header, [(v.name, typed(v, p)) for v, p in program.arguments],
                   [(values[0].name, lines, operands_of(lines)) for values, lines, _ in program.ops],
                   [(v.name, typed(v, p)) for v, p in program.results])

    @classmethod
    def of_twin(cls, seed):
        text = random_program(seed).linalg().splitlines()
        signature = text[1]
        arguments, results = re.match(r"func.func @main\((.*)\) -> \((.*)\) \{", signature).groups()
        split = lambda part: re.findall(r"tensor<[^>]*>(?: \{shardir.placement = #shardir.placement<[^>]*>\})?", part)
        names = re.findall(r"%(\w+): tensor", arguments)
        ops, lines = [], []
        for line in text[2:-2]:
            lines.append(line.strip())
            if not re.match(r"(\^bb|%[mn] =|linalg.yield|%s\d+_ )", lines[-1]) and not line.endswith("{"):
                ops.append((re.match(r"%(\w+) =", lines[0]).group(1), lines, operands_of(lines)))
                lines = []
        returned = re.findall(r"%(\w+)", text[-2].split(" : ")[0])
        return cls([text[0]], list(zip(names, split(arguments))), ops, list(zip(returned, split(results))))

    def shuffled(self, rng):
        """Another order in which every op comes behind its operands."""
        made = {name: i for i, (name, _, _) in enumerate(self.ops)}
        waits = [{made[o] for o in operands if o in made and made[o] != i} for i, (_, _, operands) in enumerate(self.ops)]
        order, left = [], set(range(len(self.ops)))
        while left:
            ready = sorted(i for i in left if not waits[i] - set(order))
            chosen = rng.choice(ready)
            order.append(chosen)
            left.remove(chosen)
        return Text(self.header, self.arguments, [self.ops[i] for i in order], self.results)

    def without(self, kept):
        """Only the ops numbered in `kept`, if they need no other."""
        ops = [self.ops[i] for i in kept]
        made, results = {name for name, _ in self.arguments}, {name for name, _, _ in self.ops}
        for name, _, operands in ops:
            made.add(name)
            if any(o in results and o not in made for o in operands):
                return None
        results = [(n, t) for n, t in self.results if n in made]
        return Text(self.header, self.arguments, ops, results) if results else None

    def text(self, function, mesh, names):
        """As @function; `names` maps each value's name to the one it has here."""
        value = lambda match: "%" + names.setdefault(match[1], match[1])
        symbol = lambda match: f"@{mesh}" if match[1] == "m" else f"@{function}_{match[1]}"
        rewrite = lambda line: re.sub(r"@(\w+)", symbol, re.sub(r"%([A-Za-z_]\w*)", value, line))
        lines = [re.sub(r"@(\w+)", symbol, line) for line in self.header if not line.startswith("shardir.mesh")]
        arguments = ", ".join(rewrite(f"%{n}: {t}") for n, t in self.arguments)
        lines.append(f"func.func @{function}({arguments}) -> ({', '.join(rewrite(t) for _, t in self.results)}) {{")
        for name, body, _ in self.ops:
            lines += ["  " + rewrite(line) for line in body]
            lines[-1] += f' loc("{names.setdefault(name, name)}")'
        types = [re.match(r"tensor<[^>]*>", t)[0] for _, t in self.results]
        lines += [rewrite(f"  return {', '.join('%' + n for n, _ in self.results)} : {', '.join(types)}"), "}"]
        return "\n".join(lines)

    def mesh(self, name):
        line = next(line for line in self.header if line.startswith("shardir.mesh"))
        return line.replace("@m ", f"@{name} ")


def operands_of(lines):
    return set(re.findall(r"%([A-Za-z_]\w*)", "\n".join(lines)))


def renamed(program, rng):
    """Names in an order of their own."""
    found = sorted(operands_of([line for _, lines, _ in program.ops for line in lines]) | {n for n, _ in program.arguments})
    numbers = list(range(len(found)))
    rng.shuffle(numbers)
    return {name: f"n{number}" for name, number in zip(found, numbers)}


class Checker:
    def __init__(self, tool, options, folder):
        self.tool, self.options, self.folder = tool, options, folder
        self.compared = self.split = 0

    def placements(self, text):
        """{function: {value: placement}}, or what went wrong."""
        report, error = report_of(self.tool, text, f"--shardir-to-propagated={self.options}", self.folder)
        if error:
            return None, error
        found = {}
        for value in report["values"]:
            if value["name"]:
                found.setdefault(value["function"], {})[value["name"]] = re.sub(r"@\w+", "@m", value["placement"])
        return found, None

    def check(self, programs, rng, variants):
        """Runs programs {key: Text} with their variants; yields those that differ."""
        functions, meshes, names = [], [], {}
        for key, program in programs.items():
            meshes.append(program.mesh(f"m_{key}"))
            functions.append(program.text(f"p_{key}", f"m_{key}", {}))
            for i in range(variants):
                other = program.shuffled(rng)
                names[key, i] = renamed(program, rng)
                functions.append(other.text(f"p_{key}_{i}", f"m_{key}", names[key, i]))
        rng.shuffle(functions)
        rng.shuffle(meshes)
        text = "\n".join(meshes + functions if rng.random() < 0.5 else functions + meshes) + "\n"
        found, error = self.placements(text)
        if error:
            return None, error
        different = {}
        for (key, i), mapping in names.items():
            first, other = found.get(f"p_{key}", {}), found.get(f"p_{key}_{i}", {})
            for name, placement in first.items():
                now = other.get(mapping.get(name, name))
                if now is None and other:  # merged with an equal op, which has the name now
                    continue
                self.compared += 1
                self.split += '"' in placement
                if now != placement:
                    different.setdefault(key, []).append(f"{name}: {placement}, shuffled {now}")
        return different, None


def reduce(checker, program, seed, limit=60):
    """Drops ops while some shuffle of what is left still differs."""
    def fails(candidate):
        different, error = checker.check({"r": candidate}, random.Random(seed), 12)
        return not error and bool(different)

    if not fails(program):
        return program
    tries, progress = 0, True
    while progress and tries < limit:
        progress = False
        for i in reversed(range(len(program.ops))):
            candidate = program.without([k for k in range(len(program.ops)) if k != i])
            tries += 1
            if candidate and fails(candidate):
                program, progress = candidate, True
                break
            if tries >= limit:
                break
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shard-opt", default="shard-opt")
    parser.add_argument("--seed", type=int, default=None, help="of the programs and of their order; drawn if not given")
    parser.add_argument("--count", type=int, default=40, help="programs of each generator")
    parser.add_argument("--variants", type=int, default=3)
    parser.add_argument("--batch", type=int, default=40, help="programs in one module")
    parser.add_argument("--options", default="", help="of the pipeline, such as cost=bytes")
    parser.add_argument("--out", default="build/order-failures", help="where programs that fail are written")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 20)
    print(f"seed {seed}", flush=True)
    generators = {"fuzz": Text.of_fuzz, **({"twin": Text.of_twin} if random_program else {})}
    failures, ran = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(args.shard_opt, args.options, folder)
        for kind, make in generators.items():
            for start in range(0, args.count, args.batch):
                seeds = range(seed + start, seed + min(start + args.batch, args.count))
                programs = {f"{kind}{s}": make(s) for s in seeds}
                ran += len(programs)
                different, error = checker.check(programs, random.Random(seed + start), args.variants)
                if error:
                    # One program that no order makes right must not hide the others.
                    different = {}
                    for key, program in programs.items():
                        one, error = checker.check({key: program}, random.Random(seed), args.variants)
                        if error:
                            failures += 1
                            print(f"{key}: {error}")
                        different.update(one or {})
                for key, lines in different.items():
                    failures += 1
                    print(f"{key}: " + "; ".join(lines[:3]), flush=True)
                    if failures > 12:
                        continue
                    small = reduce(checker, programs[key], seed)
                    os.makedirs(args.out, exist_ok=True)
                    rng = random.Random(seed)
                    with open(os.path.join(args.out, f"{key}.mlir"), "w") as file:
                        file.write("\n".join([small.mesh("m_r"), small.text("p_r", "m_r", {})] +
                                             [small.shuffled(rng).text(f"p_r_{i}", "m_r", {}) for i in range(3)]) + "\n")
    print(f"{ran} programs, {args.variants} orders each: {checker.compared} placements compared, {checker.split} of them not "
          f"replicated, {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
