"""fuzz-layouts.py FIRST LAST DIR: writes one random program per seed, runs it with
every `layout`, and ends with 1 unless all results have the bits of row-major.

Programs are chains of elementwise ops, contractions, sums, transpositions,
reshapes, slices and changes of placement, of tensors of rank 2 to 4. Those of
even seeds compute with i32, where sums are exact in any order: all layouts are
compared. Those of odd seeds compute with f32, where `auto` must keep the order of
sums; `contiguous` is compared with the unsharded program by tolerance. At the end
it says how many programs had something reordered, and fails if there was none.
"""
import json
import os
import random
import subprocess
import sys

first, last, scratch = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
tool = os.environ.get("SHARD_RUN", "shard-run")
EXTENTS = [1, 2, 3, 4, 5, 16, 16, 20, 66, 66]
MESHES = [[("x", 2)], [("x", 3)], [("x", 4)], [("x", 2), ("y", 2)]]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.element = "i32" if seed % 2 == 0 else "f32"
        self.axes = self.random.choice(MESHES)
        self.arguments, self.lines, self.values, self.count = [], [], [], 0
        shape = [self.random.choice(EXTENTS) for _ in range(self.random.choice([2, 3, 3, 4]))]
        self.values.append((self.argument(shape), shape))
        for _ in range(self.random.randint(3, 7)):
            if self.random.random() < 0.3:
                self.sandwich()
            else:
                self.step()

    def type(self, shape):
        return f"tensor<{'x'.join(map(str, shape))}{'x' if shape else ''}{self.element}>"

    def placement(self, rank):
        dims = [[] for _ in range(rank)]
        for axis, _ in self.axes:
            if rank and self.random.random() < 0.7:
                dims[self.random.randrange(rank)].append(f'"{axis}"')
        return f"#shardir.placement<@m, [{', '.join('{' + ', '.join(dim) + '}' for dim in dims)}]>"

    def argument(self, shape):
        name = f"%arg{len(self.arguments)}"
        self.arguments.append(f"{name}: {self.type(shape)} {{shardir.placement = {self.placement(len(shape))}}}")
        return name

    def add(self, text, shape):
        self.count += 1
        self.lines.append(f"  %{self.count} = {text}")
        self.values.append((f"%{self.count}", shape))
        return f"%{self.count}"

    def empty(self, shape):
        return self.add(f"tensor.empty() : {self.type(shape)}", shape)

    def zeros(self, shape):
        empty = self.empty(shape)
        self.values.pop()
        fill = self.add(f"linalg.fill ins(%zero : {self.element}) outs({empty} : {self.type(shape)}) "
                        f"-> {self.type(shape)}", shape)
        self.values.pop()
        return fill

    def maps(self, loops, *operands):
        names = ", ".join(f"d{i}" for i in range(loops))
        return "[" + ", ".join(
            f"affine_map<({names}) -> ({', '.join(f'd{i}' for i in dims)})>" for dims in operands) + "]"

    def generic(self, maps, kinds, inputs, init, shape, body):
        operands = ", ".join(name for name, _ in inputs)
        types = ", ".join(self.type(each) for _, each in inputs)
        arguments = ", ".join(f"%e{i}: {self.element}" for i in range(len(inputs) + 1))
        return self.add(f"linalg.generic {{indexing_maps = {maps}, iterator_types = [{', '.join(kinds)}]}} "
                        f"ins({operands} : {types}) outs({init} : {self.type(shape)}) {{\n"
                        f"  ^bb0({arguments}):\n{body}  }} -> {self.type(shape)}", shape)

    def sandwich(self):
        """Two changes of placement between products: what layouts are for."""
        for move in ("product", "place", "place", self.random.choice(["product", "sum", "binary"])):
            self.step(move)

    def step(self, move=None):
        # Late values more often: chains.
        late = move or self.random.random() < 0.8
        name, shape = self.values[-1] if late else self.random.choice(self.values)
        rank, integer = len(shape), self.element == "i32"
        add, mul = ("arith.addi", "arith.muli") if integer else ("arith.addf", "arith.mulf")
        move = move or self.random.choice(["place", "place", "unary", "binary", "splat", "transpose",
                                           "product", "sum", "split", "join", "slice", "row"])
        if move == "place":
            self.add(f"shardir.constrain {name} to {self.placement(rank)} : {self.type(shape)}", shape)
        elif move == "unary":
            self.add(f"{add} {name}, {name} : {self.type(shape)}" if integer
                     else f"math.absf {name} : {self.type(shape)}", shape)
        elif move == "binary":
            others = [other for other, own in self.values if own == shape]
            self.add(f"{add} {name}, {self.random.choice(others)} : {self.type(shape)}", shape)
        elif move == "splat":
            value = "3" if integer else "0.5"
            constant = self.add(f"arith.constant dense<{value}> : {self.type(shape)}", shape)
            self.values.pop()
            self.add(f"{mul} {constant}, {name} : {self.type(shape)}", shape)
        elif move == "transpose" and rank > 1:
            order = self.random.sample(range(rank), rank)
            result = [shape[dim] for dim in order]
            init = self.empty(result)
            self.values.pop()
            self.add(f"linalg.transpose ins({name} : {self.type(shape)}) outs({init} : {self.type(result)}) "
                     f"permutation = {order}", result)
        elif move == "product" and rank > 1:
            # [..., k] x [k, n] or [n, k].
            n = self.random.choice(EXTENTS)
            swapped = self.random.random() < 0.4
            weight = [n, shape[-1]] if swapped else [shape[-1], n]
            result = shape[:-1] + [n]
            lead = list(range(rank - 1))
            init = self.zeros(result)
            maps = self.maps(rank + 1, lead + [rank], [rank - 1, rank] if swapped else [rank, rank - 1],
                             lead + [rank - 1])
            self.generic(maps, ['"parallel"'] * rank + ['"reduction"'],
                         [(name, shape), (self.argument(weight), weight)], init, result,
                         f"    %p = {mul} %e0, %e1 : {self.element}\n    %s = {add} %e2, %p : {self.element}\n"
                         f"    linalg.yield %s : {self.element}\n")
        elif move == "sum" and rank > 2:
            dim = self.random.randrange(rank)
            result = shape[:dim] + shape[dim + 1:]
            kinds = ['"reduction"' if i == dim else '"parallel"' for i in range(rank)]
            self.generic(self.maps(rank, range(rank), [i for i in range(rank) if i != dim]), kinds, [(name, shape)],
                         self.zeros(result), result,
                         f"    %s = {add} %e1, %e0 : {self.element}\n    linalg.yield %s : {self.element}\n")
        elif move == "split" and rank < 4 and any(extent in (4, 16, 20, 66) for extent in shape):
            dim = self.random.choice([i for i, extent in enumerate(shape) if extent in (4, 16, 20, 66)])
            result = shape[:dim] + [2, shape[dim] // 2] + shape[dim + 1:]
            groups = [[i] if i < dim else [i, i + 1] if i == dim else [i + 1] for i in range(rank)]
            self.add(f"tensor.expand_shape {name} {groups} output_shape {result} : {self.type(shape)} into "
                     f"{self.type(result)}", result)
        elif move == "join" and rank > 2:
            dim = self.random.randrange(rank - 1)
            if shape[dim] * shape[dim + 1] <= 400:
                result = shape[:dim] + [shape[dim] * shape[dim + 1]] + shape[dim + 2:]
                groups = [[i] if i < dim else [i, i + 1] if i == dim else [i + 1] for i in range(rank - 1)]
                self.add(f"tensor.collapse_shape {name} {groups} : {self.type(shape)} into {self.type(result)}",
                         result)
        elif move == "slice":
            offsets = [self.random.choice([0, extent // 3]) for extent in shape]
            result = [max(1, (extent - offset) // self.random.choice([1, 1, 2]))
                      for extent, offset in zip(shape, offsets)]
            self.add(f"tensor.extract_slice {name}{offsets} {result} {[1] * rank} : {self.type(shape)} to "
                     f"{self.type(result)}", result)
        elif move == "row":
            # A row is added, and the index: it is that of the whole tensor.
            row, dim = [shape[-1]], self.random.randrange(rank)
            init = self.empty(shape)
            self.values.pop()
            cast = "" if integer else "    %f = arith.sitofp %n : i32 to f32\n"
            self.generic(self.maps(rank, range(rank), [rank - 1], range(rank)), ['"parallel"'] * rank,
                         [(name, shape), (self.argument(row), row)], init, shape,
                         f"    %i = linalg.index {dim} : index\n    %n = arith.index_cast %i : index to i32\n{cast}"
                         f"    %s = {add} %e0, %e1 : {self.element}\n"
                         f"    %t = {add} %s, {'%n' if integer else '%f'} : {self.element}\n"
                         f"    linalg.yield %t : {self.element}\n")

    def text(self):
        zero = "0" if self.element == "i32" else "0.0"
        axes = ", ".join(f'"{name}"={size}' for name, size in self.axes)
        results = self.values[-1:] + [value for value in self.values[:-1] if self.random.random() < 0.15]
        self.results = len(results)
        placed = ", ".join(f"{self.type(shape)} {{shardir.placement = {self.placement(len(shape))}}}"
                           for _, shape in results)
        names, types = ", ".join(name for name, _ in results), ", ".join(self.type(shape) for _, shape in results)
        body = "\n".join(self.lines)
        return (f"shardir.mesh @m <[{axes}]>\nfunc.func @main({', '.join(self.arguments)}) -> ({placed}) {{\n"
                f"  %zero = arith.constant {zero} : {self.element}\n{body}\n  return {names} : {types}\n}}\n")


def run(path, layout, results, verify):
    files = [f"{path}.{layout}.{i}.npy" for i in range(results)]
    # Values stay where an annotation first brings them, so that collectives lie
    # between ops and not at arguments alone.
    command = [tool, path, f"--options=conflicts=shardy layout={layout}", f"--report={path}.{layout}.json",
               *(f"--output=@{file}" for file in files), *(["--verify"] if verify else [])]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode != 0:
        print(" ".join(command), f"\nstatus {process.returncode}\n{process.stdout}{process.stderr}")
        sys.exit(1)
    with open(f"{path}.{layout}.json") as report:
        saved = json.load(report)["layout_saved_bytes"]
    return [open(file, "rb").read() for file in files], saved


os.makedirs(scratch, exist_ok=True)
reordered = {"auto": 0, "contiguous": 0}
for seed in range(first, last):
    program = Program(seed)
    path = os.path.join(scratch, f"seed-{seed}.mlir")
    with open(path, "w") as file:
        file.write(program.text())
    expected, _ = run(path, "row-major", program.results, verify=True)
    for layout in reordered:
        exact = layout == "auto" or program.element == "i32"
        results, saved = run(path, layout, program.results, verify=not exact)
        reordered[layout] += saved != 0
        if exact and results != expected:
            sys.exit(f"seed {seed}: layout={layout} gives other bits than row-major: {path}")
print(f"{last - first} programs, reordered: {reordered}")
if not all(reordered.values()):
    sys.exit("no program was reordered: the test shows nothing")
