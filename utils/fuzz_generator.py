# Random annotated programs, as values that can be printed, cut down and run.
#
# Requires: nothing but Python.
# Guarantees: a seed names one program for ever on one version of this file. Inputs
# are small integers, and no value leaves the range in which its type holds every
# integer, so that all orders of summation give the same bits.
"""Programs for fuzz-programs.py."""

import random

from fuzz_program import Program, Value, count, tensor
from fuzz_regions import RegionGenerator

# Largest integers up to which every integer is a number of the type.
EXACT = {"f32": 1 << 23, "f64": 1 << 50, "bf16": 256, "f16": 2048,
         "i8": 127, "i16": 32767, "i32": (1 << 31) - 1, "i64": 1 << 60, "i1": 1}
FLOATS = ("f32", "f64", "bf16", "f16")
MESHES = [{"x": 2}, {"x": 3}, {"x": 4}, {"x": 2, "y": 2}, {"x": 2, "y": 3}, {"x": 3, "y": 1, "z": 2},
          {"x": 4, "y": 2}, {"x": 2, "y": 2, "z": 2}]
SIZES = [1, 2, 3, 4, 4, 5, 6, 7, 8, 10]


def numbers(rng, value):
    low = 0 if value.dtype == "i1" else -value.bound
    return [rng.randint(low, value.bound) for _ in range(count(value.shape))]


class Generator(RegionGenerator):
    def __init__(self, seed, regions=0):
        self.regions = regions # how often loops and branches around other ops are drawn
        self.rng = random.Random(seed)
        self.program = Program()
        self.values = []
        self.next = 0
        self.depth = 0 # of regions around what is made
        self.mesh = self.rng.choice(MESHES)

    # --- helpers ---------------------------------------------------------

    def chance(self, p):
        return self.rng.random() < p

    def name(self, prefix="v"):
        self.next += 1
        return f"{prefix}{self.next}"

    def pick(self, accept=lambda value: True):
        found = [value for value in self.values if accept(value)]
        if not found:
            raise Skip
        # Later values more often: deep programs rather than wide ones.
        return found[max(self.rng.randrange(len(found)), self.rng.randrange(len(found)))]

    def emit(self, lines, shape, dtype, bound, operands, name):
        if bound > EXACT[dtype] or count(shape) > 3000 or len(shape) > 5:
            raise Skip
        value = Value(name, shape, dtype, bound)
        self.program.ops.append(([value], lines, [v.name for v in operands]))
        self.values.append(value)
        return value

    def constant(self, dtype, number):
        """Lines and a name for a scalar."""
        name = self.name("c")
        literal = f"{number}.0" if dtype in FLOATS else str(number)
        if dtype == "i1":
            literal = "true" if number else "false"
            return [f"%{name} = arith.constant {literal}"], name
        return [f"%{name} = arith.constant {literal} : {dtype}"], name

    def filled(self, shape, dtype, number):
        lines, c = self.constant(dtype, number)
        e, z = self.name("e"), self.name("z")
        t = tensor(shape, dtype)
        return lines + [f"%{e} = tensor.empty() : {t}",
                        f"%{z} = linalg.fill ins(%{c} : {dtype}) outs(%{e} : {t}) -> {t}"], z

    def empty(self, shape, dtype):
        e = self.name("e")
        return [f"%{e} = tensor.empty() : {tensor(shape, dtype)}"], e

    # --- meshes and placements -------------------------------------------

    def mesh_line(self):
        axes = ", ".join(f'"{name}"={size}' for name, size in self.mesh.items())
        devices = ""
        if self.chance(0.15):
            order = list(range(count(self.mesh.values())))
            self.rng.shuffle(order)
            devices = f", devices = {order}"
        return f"shardir.mesh @m <[{axes}]{devices}>"

    def placement(self, shape, dtype, open_dims=True, partial=True):
        rng = self.rng
        splits = [[] for _ in shape]
        pending = []
        axes = []
        for name, size in self.mesh.items():
            if size == 4 and self.chance(0.3):
                axes += [f'"{name}":(1)2', f'"{name}":(2)2']
            else:
                axes.append(f'"{name}"')
        rng.shuffle(axes)
        for axis in axes:
            if shape and self.chance(0.6):
                dim = rng.randrange(len(shape))
                if not splits[dim] and self.chance(0.08):
                    factors = [f for f in range(2, shape[dim] + 1) if shape[dim] % f == 0]
                    if factors:
                        splits[dim].append(str(rng.choice(factors)))
                splits[dim].append(axis)
            elif partial and self.chance(0.15):
                pending.append(axis)
        dims = []
        for split in splits:
            text = list(split)
            if open_dims and self.chance(0.25):
                text.append("?")
            dims.append("{" + ", ".join(text) + "}" + (rng.choice(["p0", "p1"]) if open_dims and self.chance(0.05) else ""))
        kinds = ["sum", "sum", "sum", "max", "min", "prod"]
        kinds += ["maxnum", "minnum"] if dtype in FLOATS else ["umax", "umin", "and", "or", "xor"]
        if dtype == "i1":
            kinds = ["and", "or", "xor"]
        tail = f", partial = {rng.choice(kinds)} [{', '.join(pending)}]" if pending else ""
        return f"#shardir.placement<@m, [{', '.join(dims)}]{tail}>"

    # --- ops --------------------------------------------------------------

    def unary(self, dtype, operand, bound):
        """A random exact function of one scalar: lines, name, bound."""
        name, f = self.name("s"), dtype in FLOATS
        kind = self.rng.choice(["neg", "abs", "relu", "double", "inc", "none", "none"])
        if dtype == "i1":
            if self.chance(0.5):
                return [], operand, 1
            lines, c = self.constant("i1", 1)
            return lines + [f"%{name} = arith.xori %{operand}, %{c} : i1"], name, 1
        if kind == "neg" and f:
            return [f"%{name} = arith.negf %{operand} : {dtype}"], name, bound
        if kind == "abs":
            return [f"%{name} = math.abs{'f' if f else 'i'} %{operand} : {dtype}"], name, bound
        if kind == "relu":
            lines, c = self.constant(dtype, 0)
            op = self.rng.choice(["maximumf", "maxnumf"]) if f else "maxsi"
            return lines + [f"%{name} = arith.{op} %{operand}, %{c} : {dtype}"], name, bound
        if kind in ("double", "inc"):
            lines, c = self.constant(dtype, 2 if kind == "double" else 1)
            op = ("mul" if kind == "double" else "add") + ("f" if f else "i")
            return (lines + [f"%{name} = arith.{op} %{operand}, %{c} : {dtype}"], name,
                    bound * 2 if kind == "double" else bound + 1)
        return [], operand, bound

    def binary(self, dtype, a, b, bound_a, bound_b, kinds=None):
        name, f = self.name("s"), dtype in FLOATS
        kind = self.rng.choice(kinds or ["add", "sub", "mul", "mul", "max", "min"])
        if dtype == "i1":
            return [f"%{name} = arith.{self.rng.choice(['andi', 'ori', 'xori'])} %{a}, %{b} : i1"], name, 1
        ops = {"add": "addf addi", "sub": "subf subi", "mul": "mulf muli", "max": "maximumf maxsi", "min": "minimumf minsi",
               "maxnum": "maxnumf maxui", "minnum": "minnumf minui"}
        bound = bound_a + bound_b if kind in ("add", "sub") else bound_a * bound_b if kind == "mul" else max(bound_a, bound_b)
        op = ops[kind].split()[0 if f else 1]
        return [f"%{name} = arith.{op} %{a}, %{b} : {dtype}"], name, bound

    def generic(self):
        """Any op of linalg with projected permutations: elementwise, broadcast,
        transpose, reduction and contraction."""
        rng = self.rng
        first = self.pick()
        dtype = first.dtype
        operands = [first]
        while len(operands) < 3 and self.chance(0.55):
            operands.append(self.pick(lambda v: v.dtype == dtype))
        sizes, maps = [], []
        for value in operands:
            used = []
            for extent in value.shape:
                same = [d for d, n in enumerate(sizes) if n == extent and d not in used]
                if same and self.chance(0.85):
                    used.append(rng.choice(same))
                else:
                    used.append(len(sizes))
                    sizes.append(extent)
            maps.append(used)
        if count(sizes) > 6000 or len(sizes) > 6:
            raise Skip
        out = list(range(len(sizes)))
        if sizes and self.chance(0.5):
            out = [d for d in out if self.chance(0.6)]
        if self.chance(0.4):
            rng.shuffle(out)
        reduced = [d for d in range(len(sizes)) if d not in out]
        if self.chance(0.08):
            sizes.append(rng.choice(SIZES))
            out.insert(rng.randrange(len(out) + 1), len(sizes) - 1)
        shape = [sizes[d] for d in out]

        lines, arguments, body, names, bounds = [], [], [], [], []
        for value in operands:
            arguments.append(self.name("a"))
            more, name, bound = self.unary(dtype, arguments[-1], value.bound)
            body += more
            names.append(name)
            bounds.append(bound)
        term, bound = names[0], bounds[0]
        for other, other_bound in zip(names[1:], bounds[1:]):
            more, term, bound = self.binary(dtype, term, other, bound, other_bound)
            body += more
        if sizes and dtype != "i1" and dtype in ("f32", "i32", "f64", "i64") and self.chance(0.1):
            d = rng.randrange(len(sizes))
            i, c, s = self.name("s"), self.name("s"), self.name("s")
            body += [f"%{i} = linalg.index {d} : index"]
            integer = {"f32": "i32", "f64": "i64"}.get(dtype, dtype)
            body += [f"%{c} = arith.index_cast %{i} : index to {integer}"]
            if dtype in FLOATS:
                f = self.name("s")
                body += [f"%{f} = arith.sitofp %{c} : {integer} to {dtype}"]
                c = f
            body += [f"%{s} = arith.{'addf' if dtype in FLOATS else 'addi'} %{term}, %{c} : {dtype}"]
            term, bound = s, bound + sizes[d]

        accumulator = self.name("o")
        uses = list(operands)
        inits = [v for v in self.values if v.shape == tuple(shape) and v.dtype == dtype]
        if reduced:
            kinds = rng.choice([["add"], ["add"], ["add"], ["max"], ["min"], ["maxnum"], ["minnum"]])
            if inits and self.chance(0.25):
                start = rng.choice(inits)
                init, start_bound = start.name, start.bound
                uses.append(start)
            else:
                number = rng.choice([0, 0, 1, 3, -2]) if dtype != "i1" else rng.choice([0, 1])
                more, init = self.filled(shape, dtype, number)
                lines += more
                start_bound = abs(number)
            more, term, _ = self.binary(dtype, *(rng.sample([accumulator, term], 2)), 1, 1, kinds)
            body += more
            times = count(sizes[d] for d in reduced)
            bound = bound * times + start_bound if kinds == ["add"] else max(bound, start_bound)
            if kinds[0] in ("maxnum", "minnum") and dtype not in FLOATS:
                bound = EXACT[dtype]
            if dtype == "i1":
                bound = 1
        elif inits and self.chance(0.2):
            start = rng.choice(inits)
            init = start.name
            uses.append(start)
            more, term, bound = self.binary(dtype, accumulator, term, start.bound, bound)
            body += more
        else:
            more, init = self.empty(shape, dtype)
            lines += more
        dims = ", ".join(f"d{d}" for d in range(len(sizes)))
        to_map = lambda used: f"affine_map<({dims}) -> ({', '.join(f'd{d}' for d in used)})>"
        iterators = ", ".join('"reduction"' if d in reduced else '"parallel"' for d in range(len(sizes)))
        result, t = self.name(), tensor(shape, dtype)
        lines += [f"%{result} = linalg.generic {{indexing_maps = [{', '.join(map(to_map, maps + [out]))}], "
                  f"iterator_types = [{iterators}]}}",
                  f"    ins({', '.join('%' + v.name for v in operands)} : {', '.join(v.type for v in operands)}) "
                  f"outs(%{init} : {t}) {{",
                  f"^bb0({', '.join(f'%{a}: {dtype}' for a in arguments + [accumulator])}):"]
        lines += ["  " + line for line in body] + [f"  linalg.yield %{term} : {dtype}", f"}} -> {t}"]
        self.emit(lines, shape, dtype, bound, uses, result)

    def cast(self):
        value = self.pick()
        target = self.rng.choice([d for d in EXACT if d != value.dtype])
        a, b = value.dtype, target
        order = ["bf16", "f16", "f32", "f64"]
        if a in FLOATS and b in FLOATS:
            if {a, b} == {"bf16", "f16"}:
                raise Skip
            op = "extf" if order.index(a) < order.index(b) else "truncf"
        elif a in FLOATS:
            if b == "i1":
                op = "cmp"
            else:
                op = "fptosi"
        elif b in FLOATS:
            op = "uitofp" if a == "i1" else "sitofp"
        elif b == "i1":
            op = "cmp"
        else:
            op = ("extui" if a == "i1" else "extsi") if int(a[1:]) < int(b[1:]) else "trunci"
        lines, e = self.empty(value.shape, target)
        result = self.name()
        rank = len(value.shape)
        dims = ", ".join(f"d{d}" for d in range(rank))
        body = [f"  %{result}s = arith.{op} %{result}a : {a} to {b}"]
        if op == "cmp":
            more, c = self.constant(a, 0)
            lines += more
            body = [f"  %{result}s = arith.cmp{'f ogt' if a in FLOATS else 'i sgt'}, %{result}a, %{c} : {a}"]
        iterators = ", ".join(['"parallel"'] * rank)
        lines += [f"%{result} = linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>, affine_map<({dims}) -> ({dims})>], "
                  f"iterator_types = [{iterators}]}}",
                  f"    ins(%{value.name} : {value.type}) outs(%{e} : {tensor(value.shape, target)}) {{",
                  f"^bb0(%{result}a: {a}, %{result}o: {b}):"] + body + [
                  f"  linalg.yield %{result}s : {b}", f"}} -> {tensor(value.shape, target)}"]
        self.emit(lines, value.shape, target, 1 if op == "cmp" else value.bound, [value], result)

    def select(self):
        condition = self.pick(lambda v: v.dtype == "i1")
        a = self.pick(lambda v: v.shape == condition.shape and v.dtype != "i1")
        b = self.pick(lambda v: v.shape == condition.shape and v.dtype == a.dtype)
        result = self.name()
        lines = [f"%{result} = arith.select %{condition.name}, %{a.name}, %{b.name} : {condition.type}, {a.type}"]
        self.emit(lines, a.shape, a.dtype, max(a.bound, b.bound), [condition, a, b], result)

    def arith_on_tensors(self):
        a = self.pick(lambda v: v.dtype != "i1")
        b = self.pick(lambda v: v.shape == a.shape and v.dtype == a.dtype)
        lines, name, bound = self.binary(a.dtype, a.name, b.name, a.bound, b.bound)
        result = self.name()
        lines = [line.replace(f"%{name} =", f"%{result} =").rsplit(" : ", 1)[0] + f" : {a.type}" for line in lines]
        self.emit(lines, a.shape, a.dtype, bound, [a, b], result)

    def matmul(self):
        a = self.pick(lambda v: len(v.shape) == 2 and v.dtype in ("f32", "f64", "i32"))
        b = self.pick(lambda v: len(v.shape) == 2 and v.dtype == a.dtype and v.shape[0] == a.shape[1])
        shape = (a.shape[0], b.shape[1])
        lines, z = self.filled(shape, a.dtype, self.rng.choice([0, 0, 2]))
        result, t = self.name(), tensor(shape, a.dtype)
        lines += [f"%{result} = linalg.matmul ins(%{a.name}, %{b.name} : {a.type}, {b.type}) outs(%{z} : {t}) -> {t}"]
        self.emit(lines, shape, a.dtype, a.bound * b.bound * a.shape[1] + 2, [a, b], result)

    def named(self):
        value = self.pick()
        result, rank = self.name(), len(value.shape)
        # Upstream's verifier crashes on a transpose of rank 0.
        if rank and self.chance(0.5):
            order = list(range(rank))
            self.rng.shuffle(order)
            shape = [value.shape[d] for d in order]
            lines, e = self.empty(shape, value.dtype)
            lines += [f"%{result} = linalg.transpose ins(%{value.name} : {value.type}) outs(%{e} : {tensor(shape, value.dtype)}) permutation = {order}"]
        else:
            at = self.rng.randrange(rank + 1)
            shape = list(value.shape)
            shape.insert(at, self.rng.choice(SIZES))
            lines, e = self.empty(shape, value.dtype)
            lines += [f"%{result} = linalg.broadcast ins(%{value.name} : {value.type}) outs(%{e} : {tensor(shape, value.dtype)}) dimensions = [{at}]"]
        self.emit(lines, shape, value.dtype, value.bound, [value], result)

    def collapse(self):
        value = self.pick(lambda v: len(v.shape) >= 2)
        groups = [[0]]
        for d in range(1, len(value.shape)):
            if self.chance(0.6):
                groups[-1].append(d)
            else:
                groups.append([d])
        shape = [count(value.shape[d] for d in group) for group in groups]
        result = self.name()
        lines = [f"%{result} = tensor.collapse_shape %{value.name} {groups} : {value.type} into {tensor(shape, value.dtype)}"]
        self.emit(lines, shape, value.dtype, value.bound, [value], result)

    def expand(self):
        value = self.pick(lambda v: len(v.shape) >= 1)
        groups, shape = [], []
        for extent in value.shape:
            parts = [extent]
            while len(parts) < 3 and self.chance(0.5):
                rest = parts.pop()
                factor = self.rng.choice([f for f in range(1, rest + 1) if rest % f == 0])
                parts += [factor, rest // factor]
            groups.append(list(range(len(shape), len(shape) + len(parts))))
            shape += parts
        result = self.name()
        lines = [f"%{result} = tensor.expand_shape %{value.name} {groups} output_shape {shape} : "
                 f"{value.type} into {tensor(shape, value.dtype)}"]
        self.emit(lines, shape, value.dtype, value.bound, [value], result)

    def slices(self, value):
        offsets, sizes, strides = [], [], []
        for extent in value.shape:
            if self.chance(0.4):
                offsets.append(0), sizes.append(extent), strides.append(1)
                continue
            stride = self.rng.choice([1, 1, 1, 2, 3])
            offset = self.rng.randrange(extent)
            sizes.append(self.rng.randint(1, (extent - offset - 1) // stride + 1))
            offsets.append(offset), strides.append(stride)
        return offsets, sizes, strides

    def extract_slice(self):
        value = self.pick(lambda v: len(v.shape) >= 1)
        offsets, sizes, strides = self.slices(value)
        shape = [n for n in sizes if n != 1 or self.chance(0.6)] if self.chance(0.3) else sizes
        result = self.name()
        lines = [f"%{result} = tensor.extract_slice %{value.name}{offsets} {sizes} {strides} : "
                 f"{value.type} to {tensor(shape, value.dtype)}"]
        self.emit(lines, shape, value.dtype, value.bound, [value], result)

    def insert_slice(self):
        value = self.pick(lambda v: len(v.shape) >= 1)
        source = self.pick(lambda v: v.dtype == value.dtype and len(v.shape) == len(value.shape) and
                           all(a <= b for a, b in zip(v.shape, value.shape)))
        offsets = [self.rng.randint(0, b - a) for a, b in zip(source.shape, value.shape)]
        result = self.name()
        lines = [f"%{result} = tensor.insert_slice %{source.name} into %{value.name}{offsets} {list(source.shape)} "
                 f"{[1] * len(offsets)} : {source.type} into {value.type}"]
        self.emit(lines, value.shape, value.dtype, max(value.bound, source.bound), [value, source], result)

    def dynamic_slice(self):
        """A slice whose start is read from a tensor and clamped."""
        value = self.pick(lambda v: len(v.shape) >= 1)
        index = self.pick(lambda v: v.dtype in ("i32", "i64") and len(v.shape) <= 2)
        dim = self.rng.randrange(len(value.shape))
        size = self.rng.randint(1, value.shape[dim])
        limit = value.shape[dim] - size
        n = self.name
        lines, at = [], []
        for extent in index.shape:
            c = n("c")
            lines.append(f"%{c} = arith.constant {self.rng.randrange(extent)} : index")
            at.append(f"%{c}")
        e, i, zero, top, low, start, result = (n("s") for _ in range(7))
        lines += [f"%{e} = tensor.extract %{index.name}[{', '.join(at)}] : {index.type}",
                  f"%{i} = arith.index_cast %{e} : {index.dtype} to index",
                  f"%{zero} = arith.constant 0 : index", f"%{top} = arith.constant {limit} : index",
                  f"%{low} = arith.maxsi %{i}, %{zero} : index", f"%{start} = arith.minsi %{low}, %{top} : index"]
        offsets = [f"%{start}" if d == dim else "0" for d in range(len(value.shape))]
        shape = [size if d == dim else extent for d, extent in enumerate(value.shape)]
        ones = [1] * len(shape)
        t = tensor(shape, value.dtype)
        updates = [v for v in self.values if v.dtype == value.dtype and v.shape == tuple(shape)]
        if updates and self.chance(0.5):
            update = self.rng.choice(updates)
            lines += [f"%{result} = tensor.insert_slice %{update.name} into %{value.name}[{', '.join(offsets)}] {shape} {ones} : {t} into {value.type}"]
            self.emit(lines, value.shape, value.dtype, max(value.bound, update.bound), [value, index, update], result)
            return
        lines += [f"%{result} = tensor.extract_slice %{value.name}[{', '.join(offsets)}] {shape} {ones} : {value.type} to {t}"]
        self.emit(lines, shape, value.dtype, value.bound, [value, index], result)

    def pad(self):
        value = self.pick(lambda v: len(v.shape) >= 1)
        low = [self.rng.choice([0, 0, 0, 1, 2]) for _ in value.shape]
        high = [self.rng.choice([0, 0, 0, 1, 3]) for _ in value.shape]
        shape = [a + n + b for a, n, b in zip(low, value.shape, high)]
        number = self.rng.choice([0, 1])
        lines, c = self.constant(value.dtype, number)
        result = self.name()
        lines += [f"%{result} = tensor.pad %{value.name} low{low} high{high} {{",
                  f"^bb0({', '.join(f'%{result}i{d}: index' for d in range(len(shape)))}):",
                  f"  tensor.yield %{c} : {value.dtype}", f"}} : {value.type} to {tensor(shape, value.dtype)}"]
        self.emit(lines, shape, value.dtype, max(value.bound, number), [value], result)

    def concat(self):
        value = self.pick(lambda v: len(v.shape) >= 1)
        dim = self.rng.randrange(len(value.shape))
        parts = [value]
        while len(parts) < 3 and self.chance(0.7):
            parts.append(self.pick(lambda v: v.dtype == value.dtype and len(v.shape) == len(value.shape) and
                                   all(a == b for d, (a, b) in enumerate(zip(v.shape, value.shape)) if d != dim)))
        shape = list(value.shape)
        shape[dim] = sum(v.shape[dim] for v in parts)
        result = self.name()
        lines = [f"%{result} = tensor.concat dim({dim}) {', '.join('%' + v.name for v in parts)} : "
                 f"({', '.join(v.type for v in parts)}) -> {tensor(shape, value.dtype)}"]
        self.emit(lines, shape, value.dtype, max(v.bound for v in parts), parts, result)

    def gather(self):
        """Rows by index, as an embedding reads them: tensor.extract in a body."""
        table = self.pick(lambda v: len(v.shape) == 2)
        index = self.pick(lambda v: v.dtype in ("i32", "i64") and len(v.shape) == 1)
        shape = (index.shape[0], table.shape[1])
        lines, e = self.empty(shape, table.dtype)
        n, r = self.name, self.name()
        zero, top = n("c"), n("c")
        lines += [f"%{zero} = arith.constant 0 : {index.dtype}", f"%{top} = arith.constant {table.shape[0] - 1} : {index.dtype}",
                  f"%{r} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], "
                  f"iterator_types = [\"parallel\", \"parallel\"]}} ins(%{index.name} : {index.type}) outs(%{e} : {tensor(shape, table.dtype)}) {{",
                  f"^bb0(%{r}a: {index.dtype}, %{r}o: {table.dtype}):",
                  f"  %{r}l = arith.maxsi %{r}a, %{zero} : {index.dtype}", f"  %{r}t = arith.minsi %{r}l, %{top} : {index.dtype}",
                  f"  %{r}i = arith.index_cast %{r}t : {index.dtype} to index", f"  %{r}j = linalg.index 1 : index",
                  f"  %{r}x = tensor.extract %{table.name}[%{r}i, %{r}j] : {table.type}",
                  f"  linalg.yield %{r}x : {table.dtype}", f"}} -> {tensor(shape, table.dtype)}"]
        self.emit(lines, shape, table.dtype, table.bound, [table, index], r)

    def generate(self):
        shape = [self.rng.choice(SIZES) for _ in range(self.rng.randint(1, 2))]
        r = self.name()
        arguments = ", ".join(f"%{r}i{d}: index" for d in range(len(shape)))
        if self.chance(0.5):
            lines = [f"%{r} = tensor.generate {{", f"^bb0({arguments}):",
                     f"  %{r}a = arith.index_cast %{r}i0 : index to i32", f"  tensor.yield %{r}a : i32", f"}} : {tensor(shape, 'i32')}"]
            self.emit(lines, shape, "i32", 10, [], r)
        else:
            def nest(extents):
                if not extents:
                    return f"{self.rng.randint(-3, 3)}.0"
                return "[" + ", ".join(nest(extents[1:]) for _ in range(extents[0])) + "]"
            lines = [f"%{r} = arith.constant dense<{nest(shape)}> : {tensor(shape, 'f32')}"]
            self.emit(lines, shape, "f32", 3, [], r)

    def loop(self):
        """scf.for with one carried value: x -> x - y or max(x, y), three times."""
        value = self.pick(lambda v: v.dtype in ("f32", "i32"))
        other = self.pick(lambda v: v.dtype == value.dtype and v.shape == value.shape)
        r, f = self.name(), value.dtype in FLOATS
        op = self.rng.choice(["subf", "maximumf", "addf"] if f else ["subi", "maxsi", "addi"])
        lines = [f"%{r}l = arith.constant 0 : index", f"%{r}u = arith.constant 3 : index", f"%{r}s = arith.constant 1 : index",
                 f"%{r} = scf.for %{r}i = %{r}l to %{r}u step %{r}s iter_args(%{r}c = %{value.name}) -> ({value.type}) {{",
                 f"  %{r}n = arith.{op} %{r}c, %{other.name} : {value.type}", f"  scf.yield %{r}n : {value.type}", "}"]
        self.emit(lines, value.shape, value.dtype, value.bound + 3 * other.bound, [value, other], r)

    def branch(self):
        condition = self.pick(lambda v: v.dtype == "i1" and len(v.shape) <= 2)
        a = self.pick()
        b = self.pick(lambda v: v.shape == a.shape and v.dtype == a.dtype)
        r, lines, at = self.name(), [], []
        for extent in condition.shape:
            c = self.name("c")
            lines.append(f"%{c} = arith.constant {self.rng.randrange(extent)} : index")
            at.append(f"%{c}")
        lines += [f"%{r}c = tensor.extract %{condition.name}[{', '.join(at)}] : {condition.type}",
                  f"%{r} = scf.if %{r}c -> ({a.type}) {{", f"  scf.yield %{a.name} : {a.type}", "} else {",
                  f"  scf.yield %{b.name} : {a.type}", "}"]
        self.emit(lines, a.shape, a.dtype, max(a.bound, b.bound), [condition, a, b], r)

    def call(self):
        value = self.pick(lambda v: v.dtype in ("f32", "i32"))
        r, f = self.name(), value.dtype in FLOATS
        self.program.header.append(
            f"func.func private @{r}(%x: {value.type}) -> {value.type} {{\n"
            f"  %y = arith.add{'f' if f else 'i'} %x, %x : {value.type}\n  return %y : {value.type}\n}}")
        self.emit([f"%{r} = func.call @{r}(%{value.name}) : ({value.type}) -> {value.type}"],
                  value.shape, value.dtype, 2 * value.bound, [value], r)

    def constrain(self):
        value = self.pick()
        r = self.name()
        self.emit([f"%{r} = shardir.constrain %{value.name} to {self.placement(value.shape, value.dtype)} : {value.type}"],
                  value.shape, value.dtype, value.bound, [value], r)

    # --- programs ----------------------------------------------------------

    def makers(self, nested=False):
        found = [self.generic] * 10 + [self.constrain] * 3 + [
            self.cast, self.select, self.arith_on_tensors, self.matmul, self.named, self.named, self.collapse, self.collapse,
            self.expand, self.expand, self.extract_slice, self.extract_slice, self.insert_slice, self.dynamic_slice, self.pad,
            self.concat, self.gather, self.generate, self.loop, self.branch, self.call]
        return found + ([] if nested else [self.for_loop, self.for_loop, self.while_loop, self.branches] * self.regions)

    def attempt(self, maker):
        """Makes one op; nothing where there are no operands for it."""
        header = len(self.program.header)
        try:
            maker()
        except Skip:
            del self.program.header[header:]

    def make(self):
        rng, program = self.rng, self.program
        program.header.append(self.mesh_line())
        shape = None
        for _ in range(rng.randint(1, 4)):
            if shape is None or self.chance(0.6):
                shape = [rng.choice(SIZES) for _ in range(rng.choice([0, 1, 2, 2, 2, 3]))]
            dtype = rng.choice(["f32", "f32", "f32", "f32", "i32", "f64", "i64", "i8", "i16", "i1", "bf16", "f16"])
            value = Value(self.name("x"), shape, dtype, 1 if dtype == "i1" else 3)
            self.values.append(value)
            program.arguments.append((value, self.placement(shape, dtype) if self.chance(0.6) else None))
            program.inputs[value.name] = numbers(rng, value)
        wanted, tries = rng.choice([1, 2, 3, 4, 6, 8, 12, 16]), 0
        while len(program.ops) < wanted and tries < 100:
            tries += 1
            self.attempt(rng.choice(self.makers()))
        for _ in range(rng.randint(1, 3)):
            value = rng.choice(self.values[-6:])
            program.results.append((value, self.placement(value.shape, value.dtype) if self.chance(0.35) else None))
        return program


class Skip(Exception):
    """No operands for this op, or values that would not stay exact."""
