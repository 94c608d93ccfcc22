# Random annotated programs on dims whose extent is known only at run time.
#
# Requires: nothing but Python.
# Guarantees: a seed, a number of ops and a list of sizes name one run for ever on
# one version of this file. Inputs are small integers, and no value leaves the range
# in which its type holds every integer, at the largest sizes that are drawn, so that
# all orders of summation give the same bits.
"""Programs for fuzz-programs.py --dynamic."""

import random

EXACT = {"f32": 1 << 23, "f64": 1 << 50, "i32": (1 << 31) - 1, "i64": 1 << 60}
LARGEST = 13  # of an argument's open dim
MESHES = [{"x": 2}, {"x": 3}, {"x": 4}, {"x": 2, "y": 2}, {"x": 2, "y": 3}, {"x": 4, "y": 2}, {"x": 1, "y": 3}]
SYMBOLIC = [1, 2, 3, 4, 8]


class Skip(Exception):
    """What was drawn has no operands."""


class Dim:
    """An extent: a number, or an index value of the program and how to compute it
    from the sizes that a run draws."""

    def __init__(self, number=None, name=None, value=None):
        self.number, self.name = number, name
        self.value = value or (lambda env: number)

    @property
    def text(self):
        return "?" if self.number is None else str(self.number)

    @property
    def most(self):
        return self.value([LARGEST] * 3)

    def same(self, other):
        return self.name == other.name if self.number is None else self.number == other.number


class Value:
    def __init__(self, name, dims, dtype, bound):
        self.name, self.dims, self.dtype, self.bound = name, list(dims), dtype, bound

    @property
    def type(self):
        return f"tensor<{''.join(d.text + 'x' for d in self.dims)}{self.dtype}>"


class DynamicGenerator:
    def __init__(self, seed, limit=14):
        self.rng = random.Random(seed)
        self.seed, self.limit = seed, limit
        self.mesh = self.rng.choice(MESHES)
        self.symbolic = self.rng.random() < 0.25
        self.lines, self.values, self.arguments = [], [], []
        self.next = 0
        self.indent = "  "

    # --- helpers ---------------------------------------------------------

    def chance(self, p):
        return self.rng.random() < p

    def name(self, prefix="v"):
        self.next += 1
        return f"{prefix}{self.next}"

    def say(self, line):
        self.lines.append(self.indent + line)

    def pick(self, accept=lambda v: True):
        found = [v for v in self.values if accept(v)]
        if not found:
            raise Skip
        return found[max(self.rng.randrange(len(found)), self.rng.randrange(len(found)))]

    def keep(self, name, dims, dtype, bound):
        value = Value(name, dims, dtype, bound)
        self.values.append(value)
        return value

    def check(self, dims, dtype, bound):
        total = 1
        for d in dims:
            total *= max(1, d.most)
        if bound > EXACT[dtype] or total > 30000 or len(dims) > 4:
            raise Skip

    def index(self, op, a, b, value):
        a, b, name = self.operand(a), self.operand(b), self.name("n")
        self.say(f"%{name} = arith.{op} {a}, {b} : index")
        return Dim(None, name, value)

    def operand(self, dim):
        if dim.number is None:
            return f"%{dim.name}"
        if dim.number < 9:
            return f"%k{dim.number}"
        name = self.name("kk")
        self.say(f"%{name} = arith.constant {dim.number} : index")
        return f"%{name}"

    def sizes(self, dims):
        return ", ".join(f"%{d.name}" for d in dims if d.number is None)

    def mixed(self, dims):
        return ", ".join(f"%{d.name}" if d.number is None else str(d.number) for d in dims)

    def typed(self, dims, dtype):
        return Value("", dims, dtype, 0).type

    def empty(self, dims, dtype):
        e = self.name("e")
        self.say(f"%{e} = tensor.empty({self.sizes(dims)}) : {self.typed(dims, dtype)}")
        return e

    def scalar(self, dtype, number):
        c = self.name("c")
        self.say(f"%{c} = arith.constant {number}{'.0' if dtype[0] == 'f' else ''} : {dtype}")
        return c

    def filled(self, dims, dtype, number):
        c, e, z = self.scalar(dtype, number), self.empty(dims, dtype), self.name("z")
        t = self.typed(dims, dtype)
        self.say(f"%{z} = linalg.fill ins(%{c} : {dtype}) outs(%{e} : {t}) -> {t}")
        return z

    def placement(self, rank, partial=False):
        splits, pending = [[] for _ in range(rank)], []
        axes = list(self.mesh)
        self.rng.shuffle(axes)
        for axis in axes:
            if rank and self.chance(0.65):
                splits[self.rng.randrange(rank)].append(f'"{axis}"')
            elif partial and self.chance(0.15):
                pending.append(f'"{axis}"')
        dims = ["{" + ", ".join(s + (["?"] if self.chance(0.25) else [])) + "}" for s in splits]
        return f"#shardir.placement<@m, [{', '.join(dims)}]{', partial = sum [' + ', '.join(pending) + ']' if pending else ''}>"

    def binary(self, dtype, a, b, bound_a, bound_b, indent=""):
        kind = self.rng.choice(["add", "sub", "mul", "max", "min"])
        f = dtype[0] == "f"
        op = {"add": "addf addi", "sub": "subf subi", "mul": "mulf muli", "max": "maximumf maxsi", "min": "minimumf minsi"}[kind].split()[0 if f else 1]
        bound = bound_a + bound_b if kind in ("add", "sub") else bound_a * bound_b if kind == "mul" else max(bound_a, bound_b)
        return op, bound

    # --- ops --------------------------------------------------------------

    def elementwise(self):
        a = self.pick()
        b = self.pick(lambda v: v.dtype == a.dtype and len(v.dims) == len(a.dims) and all(map(Dim.same, v.dims, a.dims)))
        op, bound = self.binary(a.dtype, a, b, a.bound, b.bound)
        self.check(a.dims, a.dtype, bound)
        r = self.name()
        self.say(f"%{r} = arith.{op} %{a.name}, %{b.name} : {a.type}")
        self.keep(r, a.dims, a.dtype, bound)

    def generic(self):
        operands = [self.pick()]
        dtype = operands[0].dtype
        if self.chance(0.6):
            operands.append(self.pick(lambda v: v.dtype == dtype))
        loops, maps = [], []
        for value in operands:
            used = []
            for dim in value.dims:
                same = [i for i, d in enumerate(loops) if d.same(dim) and i not in used]
                if same and self.chance(0.85):
                    used.append(self.rng.choice(same))
                else:
                    used.append(len(loops))
                    loops.append(dim)
            maps.append(used)
        out = [i for i in range(len(loops)) if self.chance(0.75)]
        if self.chance(0.4):
            self.rng.shuffle(out)
        reduced = [i for i in range(len(loops)) if i not in out]
        dims = [loops[i] for i in out]
        bound = operands[0].bound
        body, term = [], "a0"
        if len(operands) == 2:
            op, bound = self.binary(dtype, "a0", "a1", operands[0].bound, operands[1].bound)
            body.append(f"%s0 = arith.{op} %a0, %a1 : {dtype}")
            term = "s0"
        if loops and self.chance(0.25):
            i = self.rng.randrange(len(loops))
            integer = "i32" if dtype in ("i32", "f32") else "i64"
            body += [f"%i0 = linalg.index {i} : index", f"%i1 = arith.index_cast %i0 : index to {integer}"]
            last = "i1"
            if dtype[0] == "f":
                body.append(f"%i2 = arith.sitofp %i1 : {integer} to {dtype}")
                last = "i2"
            body.append(f"%s1 = arith.{'addf' if dtype[0] == 'f' else 'addi'} %{term}, %{last} : {dtype}")
            term, bound = "s1", bound + loops[i].most
        if reduced:
            for i in reduced:
                bound *= max(1, loops[i].most)
            start = self.rng.choice([0, 0, 2])
            bound += start
        self.check(dims, dtype, bound)
        self.check(loops[:4], dtype, 0)
        if reduced:
            init = self.filled(dims, dtype, start)
            body.append(f"%s9 = arith.{'addf' if dtype[0] == 'f' else 'addi'} %{term}, %o : {dtype}")
            term = "s9"
        else:
            init = self.empty(dims, dtype)
        ds = ", ".join(f"d{i}" for i in range(len(loops)))
        to_map = lambda used: f"affine_map<({ds}) -> ({', '.join(f'd{i}' for i in used)})>"
        iterators = ", ".join('"reduction"' if i in reduced else '"parallel"' for i in range(len(loops)))
        r, t = self.name(), self.typed(dims, dtype)
        self.say(f"%{r} = linalg.generic {{indexing_maps = [{', '.join(map(to_map, maps + [out]))}], iterator_types = [{iterators}]}}")
        self.say(f"    ins({', '.join('%' + v.name for v in operands)} : {', '.join(v.type for v in operands)}) outs(%{init} : {t}) {{")
        self.say(f"^bb0({', '.join(f'%a{i}: {dtype}' for i in range(len(operands)))}, %o: {dtype}):")
        for line in body:
            self.say("  " + line)
        self.say(f"  linalg.yield %{term} : {dtype}")
        self.say(f"}} -> {t}")
        self.keep(r, dims, dtype, bound)

    def matmul(self):
        a = self.pick(lambda v: len(v.dims) == 2)
        b = self.pick(lambda v: len(v.dims) == 2 and v.dtype == a.dtype and v.dims[0].same(a.dims[1]))
        dims = [a.dims[0], b.dims[1]]
        bound = a.bound * b.bound * max(1, a.dims[1].most) + 2
        self.check(dims, a.dtype, bound)
        z = self.filled(dims, a.dtype, self.rng.choice([0, 0, 2]))
        r, t = self.name(), self.typed(dims, a.dtype)
        self.say(f"%{r} = linalg.matmul ins(%{a.name}, %{b.name} : {a.type}, {b.type}) outs(%{z} : {t}) -> {t}")
        self.keep(r, dims, a.dtype, bound)

    def transpose(self):
        a = self.pick(lambda v: len(v.dims) > 1)
        order = list(range(len(a.dims)))
        self.rng.shuffle(order)
        dims = [a.dims[i] for i in order]
        e, r = self.empty(dims, a.dtype), self.name()
        self.say(f"%{r} = linalg.transpose ins(%{a.name} : {a.type}) outs(%{e} : {self.typed(dims, a.dtype)}) permutation = {order}")
        self.keep(r, dims, a.dtype, a.bound)

    def broadcast(self):
        a = self.pick(lambda v: len(v.dims) < 3)
        dim = self.rng.choice([d for v in self.values for d in v.dims] or [Dim(3)])
        at = self.rng.randrange(len(a.dims) + 1)
        dims = a.dims[:at] + [dim] + a.dims[at:]
        self.check(dims, a.dtype, a.bound)
        e, r = self.empty(dims, a.dtype), self.name()
        self.say(f"%{r} = linalg.broadcast ins(%{a.name} : {a.type}) outs(%{e} : {self.typed(dims, a.dtype)}) dimensions = [{at}]")
        self.keep(r, dims, a.dtype, a.bound)

    def query(self):
        """A tensor scaled by the size of a dim: trap 12."""
        a = self.pick(lambda v: v.dims)
        at = self.rng.randrange(len(a.dims))
        bound = a.bound + a.dims[at].most
        self.check(a.dims, a.dtype, bound)
        n, r = self.name("n"), self.name()
        self.say(f"%{n} = tensor.dim %{a.name}, %k{at} : {a.type}")
        integer = "i32" if a.dtype in ("i32", "f32") else "i64"
        c = self.name("c")
        self.say(f"%{c} = arith.index_cast %{n} : index to {integer}")
        if a.dtype[0] == "f":
            f = self.name("c")
            self.say(f"%{f} = arith.sitofp %{c} : {integer} to {a.dtype}")
            c = f
        s = self.name("z")
        self.say(f"%{s} = tensor.splat %{c}{'[' + self.sizes(a.dims) + ']' if self.sizes(a.dims) else ''} : {a.type}")
        self.say(f"%{r} = arith.{'addf' if a.dtype[0] == 'f' else 'addi'} %{a.name}, %{s} : {a.type}")
        self.keep(r, a.dims, a.dtype, bound)

    def generate(self):
        a = self.pick(lambda v: v.dims)
        if a.dtype not in ("i32", "i64"):
            raise Skip
        r, arguments = self.name(), [self.name("i") for _ in a.dims]
        bound = max(d.most for d in a.dims) + 1
        self.say(f"%{r} = tensor.generate {self.sizes(a.dims)} {{")
        self.say(f"^bb0({', '.join(f'%{i}: index' for i in arguments)}):")
        self.say(f"  %{r}c = arith.index_cast %{self.rng.choice(arguments)} : index to {a.dtype}")
        self.say(f"  tensor.yield %{r}c : {a.dtype}")
        self.say(f"}} : {a.type}")
        self.keep(r, a.dims, a.dtype, bound)

    def slice(self):
        a = self.pick(lambda v: v.dims)
        at = self.rng.randrange(len(a.dims))
        dim = a.dims[at]
        if dim.number is not None:
            if dim.number < 2:
                raise Skip
            size = Dim(self.rng.randrange(1, dim.number))
            offset = Dim(self.rng.randrange(dim.number - size.number + 1))
        elif self.chance(0.5):
            # All but the first: nothing of nothing.
            less = self.index("subi", dim, Dim(1), lambda env: dim.value(env) - 1)
            size = self.index("maxsi", less, Dim(0), lambda env: max(less.value(env), 0))
            offset = self.index("subi", dim, size, lambda env: dim.value(env) - size.value(env))
        else:
            size = self.index("minsi", dim, Dim(3), lambda env: min(dim.value(env), 3))
            offset = Dim(0)
        dims = a.dims[:at] + [size] + a.dims[at + 1:]
        offsets = [Dim(0)] * len(dims)
        offsets[at] = offset
        r = self.name()
        self.say(f"%{r} = tensor.extract_slice %{a.name}[{self.mixed(offsets)}] [{self.mixed(dims)}] [{', '.join('1' for _ in dims)}] "
                 f": {a.type} to {self.typed(dims, a.dtype)}")
        self.keep(r, dims, a.dtype, a.bound)
        if self.chance(0.5):
            # And back, over something of the same type.
            other = self.pick(lambda v: v.dtype == a.dtype and len(v.dims) == len(a.dims) and all(map(Dim.same, v.dims, a.dims)))
            b = self.name()
            self.say(f"%{b} = tensor.insert_slice %{r} into %{other.name}[{self.mixed(offsets)}] [{self.mixed(dims)}] [{', '.join('1' for _ in dims)}] "
                     f": {self.typed(dims, a.dtype)} into {other.type}")
            self.keep(b, a.dims, a.dtype, max(a.bound, other.bound))

    def pad(self):
        a = self.pick(lambda v: v.dims)
        at = self.rng.randrange(len(a.dims))
        dim, low, high = a.dims[at], self.rng.randrange(3), self.rng.randrange(3)
        if dim.number is not None:
            wide = Dim(dim.number + low + high)
        else:
            wide = self.index("addi", dim, Dim(low + high), lambda env: dim.value(env) + low + high)
        dims = a.dims[:at] + [wide] + a.dims[at + 1:]
        self.check(dims, a.dtype, a.bound)
        c, r = self.scalar(a.dtype, self.rng.choice([0, 2])), self.name()
        pads = lambda n: ", ".join(str(n if i == at else 0) for i in range(len(dims)))
        self.say(f"%{r} = tensor.pad %{a.name} low[{pads(low)}] high[{pads(high)}] {{")
        self.say(f"^bb0({', '.join(f'%{r}i{i}: index' for i in range(len(dims)))}):")
        self.say(f"  tensor.yield %{c} : {a.dtype}")
        self.say(f"}} : {a.type} to {self.typed(dims, a.dtype)}")
        self.keep(r, dims, a.dtype, max(a.bound, 2))

    def window(self):
        """A sum over a few taps of what is padded around, at stride 1 or 2: a convolution."""
        a = self.pick(lambda v: v.dims)
        at = self.rng.randrange(len(a.dims))
        dim, taps, stride = a.dims[at], self.rng.choice([2, 3]), self.rng.choice([1, 1, 2])
        low = self.rng.randrange(taps)
        bound = a.bound * taps * 2
        self.check(a.dims, a.dtype, bound)
        if dim.number is not None:
            wide = Dim(dim.number + taps - 1)
            out = Dim(-(-dim.number // stride))
        else:
            wide = self.index("addi", dim, Dim(taps - 1), lambda env: dim.value(env) + taps - 1)
            out = dim
            if stride > 1:
                more = self.index("addi", dim, Dim(1), lambda env: dim.value(env) + 1)
                out = self.index("divui", more, Dim(2), lambda env: more.value(env) // 2)
        padded, dims = a.dims[:at] + [wide] + a.dims[at + 1:], a.dims[:at] + [out] + a.dims[at + 1:]
        c, p, k, r = self.scalar(a.dtype, 0), self.name(), self.name("taps"), self.name()
        pads = lambda n: ", ".join(str(n if i == at else 0) for i in range(len(dims)))
        self.say(f"%{p} = tensor.pad %{a.name} low[{pads(low)}] high[{pads(taps - 1 - low)}] {{")
        self.say(f"^bb0({', '.join(f'%{p}i{i}: index' for i in range(len(dims)))}):")
        self.say(f"  tensor.yield %{c} : {a.dtype}")
        self.say(f"}} : {a.type} to {self.typed(padded, a.dtype)}")
        dot = ".0" if a.dtype[0] == "f" else ""
        self.say(f"%{k} = arith.constant dense<[{', '.join(f'{self.rng.choice([-1, 1, 2])}{dot}' for _ in range(taps))}]> : tensor<{taps}x{a.dtype}>")
        z = self.filled(dims, a.dtype, 0)
        ds = [f"d{i}" for i in range(len(dims) + 1)]
        read = [f"d{i}{f' * {stride}' if stride > 1 else ''} + {ds[-1]}" if i == at else f"d{i}" for i in range(len(dims))]
        to_map = lambda exprs: f"affine_map<({', '.join(ds)}) -> ({', '.join(exprs)})>"
        kinds = ", ".join(['"parallel"'] * len(dims) + ['"reduction"'])
        f, t = a.dtype[0] == "f", self.typed(dims, a.dtype)
        self.say(f"%{r} = linalg.generic {{indexing_maps = [{to_map(read)}, {to_map(ds[-1:])}, {to_map(ds[:-1])}], iterator_types = [{kinds}]}}")
        self.say(f"    ins(%{p}, %{k} : {self.typed(padded, a.dtype)}, tensor<{taps}x{a.dtype}>) outs(%{z} : {t}) {{")
        self.say(f"^bb0(%u: {a.dtype}, %w: {a.dtype}, %o: {a.dtype}):")
        self.say(f"  %s0 = arith.{'mulf' if f else 'muli'} %u, %w : {a.dtype}")
        self.say(f"  %s1 = arith.{'addf' if f else 'addi'} %s0, %o : {a.dtype}")
        self.say(f"  linalg.yield %s1 : {a.dtype}")
        self.say(f"}} -> {t}")
        self.keep(r, dims, a.dtype, bound)

    def concat(self):
        a = self.pick(lambda v: v.dims)
        at = self.rng.randrange(len(a.dims))
        b = self.pick(lambda v: v.dtype == a.dtype and len(v.dims) == len(a.dims) and
                      all(i == at or x.same(y) for i, (x, y) in enumerate(zip(v.dims, a.dims))))
        x, y = a.dims[at], b.dims[at]
        if x.number is not None and y.number is not None:
            both = Dim(x.number + y.number)
        else:
            both = self.index("addi", x, y, lambda env: x.value(env) + y.value(env))
        dims = a.dims[:at] + [both] + a.dims[at + 1:]
        self.check(dims, a.dtype, a.bound)
        r = self.name()
        self.say(f"%{r} = tensor.concat dim({at}) %{a.name}, %{b.name} : ({a.type}, {b.type}) -> {self.typed(dims, a.dtype)}")
        self.keep(r, dims, a.dtype, max(a.bound, b.bound))

    def reshape(self):
        """Two dims become one, and mostly two again."""
        a = self.pick(lambda v: len(v.dims) > 1)
        at = self.rng.randrange(len(a.dims) - 1)
        x, y = a.dims[at], a.dims[at + 1]
        if x.number is not None and y.number is not None:
            both = Dim(x.number * y.number)
        else:
            both = self.index("muli", x, y, lambda env: x.value(env) * y.value(env))
        dims = a.dims[:at] + [both] + a.dims[at + 2:]
        groups = lambda: str([[i] for i in range(at)] + [[at, at + 1]] + [[i + 1] for i in range(at + 1, len(dims))])
        r = self.name()
        self.say(f"%{r} = tensor.collapse_shape %{a.name} {groups()} : {a.type} into {self.typed(dims, a.dtype)}")
        merged = self.keep(r, dims, a.dtype, a.bound)
        if self.chance(0.4):
            return
        if self.chance(0.5):
            d = self.name()
            self.say(f"%{d} = arith.{'addf' if a.dtype[0] == 'f' else 'addi'} %{r}, %{r} : {merged.type}")
            self.check(dims, a.dtype, a.bound * 2)
            merged = self.keep(d, dims, a.dtype, a.bound * 2)
        b = self.name()
        back = list(a.dims)
        self.say(f"%{b} = tensor.expand_shape %{merged.name} {groups()} output_shape [{self.mixed(back)}] : {merged.type} into {self.typed(back, a.dtype)}")
        self.keep(b, back, a.dtype, merged.bound)

    def constrain(self):
        a = self.pick(lambda v: v.dims)
        r = self.name()
        self.say(f"%{r} = shardir.constrain %{a.name} to {self.placement(len(a.dims))} : {a.type}")
        self.keep(r, a.dims, a.dtype, a.bound)

    def region(self):
        """A loop that adds, or a branch."""
        a = self.pick(lambda v: v.dims)
        same = lambda v: v.dtype == a.dtype and len(v.dims) == len(a.dims) and all(map(Dim.same, v.dims, a.dims))
        b = self.pick(same)
        add = "addf" if a.dtype[0] == "f" else "addi"
        r = self.name()
        if self.chance(0.5):
            bound = a.bound + 2 * b.bound
            self.check(a.dims, a.dtype, bound)
            self.say(f"%{r} = scf.for %{r}i = %k0 to %k2 step %k1 iter_args(%{r}a = %{a.name}) -> ({a.type}) {{")
            self.say(f"  %{r}b = arith.{add} %{r}a, %{b.name} : {a.type}")
            self.say(f"  scf.yield %{r}b : {a.type}")
            self.say("}")
        else:
            bound = a.bound + b.bound
            self.check(a.dims, a.dtype, bound)
            n = a.dims[self.rng.randrange(len(a.dims))]
            n = self.operand(n)
            self.say(f"%{r}c = arith.cmpi ugt, {n}, %k2 : index")
            self.say(f"%{r} = scf.if %{r}c -> {a.type} {{")
            self.say(f"  %{r}b = arith.{add} %{a.name}, %{b.name} : {a.type}")
            self.say(f"  scf.yield %{r}b : {a.type}")
            self.say("} else {")
            self.say(f"  scf.yield %{a.name} : {a.type}")
            self.say("}")
        self.keep(r, a.dims, a.dtype, bound)

    # --- programs ------------------------------------------------------------

    def make(self):
        rng = self.rng
        dtype = rng.choice(["i32", "i64", "f32", "f64"])
        for i in range(rng.randint(2, 4)):
            dims = []
            for d in range(rng.choice([1, 2, 2, 2, 3])):
                symbol = rng.randrange(3)
                dims.append((None, symbol) if self.chance(0.65) else (rng.choice([1, 2, 3, 4, 5, 8]), None))
            real = []
            for d, (number, symbol) in enumerate(dims):
                if number is not None:
                    real.append(Dim(number))
                    continue
                # Arguments of one symbol have one extent, read from the first.
                known = [x for v, s in self.arguments for x, y in zip(v.dims, s) if y == symbol] + [
                    x for x, (n, y) in zip(real, dims) if n is None and y == symbol]
                real.append(known[0] if known else Dim(None, f"arg{i}d{d}", lambda env, symbol=symbol: env[symbol]))
            value = self.keep(f"arg{i}", real, dtype, 3)
            self.arguments.append((value, [symbol for _, symbol in dims]))
        for number in range(9):
            self.say(f"%k{number} = arith.constant {number} : index")
        for value, _ in self.arguments:
            for d, dim in enumerate(value.dims):
                if dim.name == f"{value.name}d{d}":
                    self.say(f"%{dim.name} = tensor.dim %{value.name}, %k{d} : {value.type}")
        ops = [self.elementwise, self.generic, self.generic, self.generic, self.matmul, self.transpose, self.broadcast, self.query,
               self.generate, self.slice, self.pad, self.concat, self.window, self.reshape, self.reshape, self.constrain, self.region]
        made = 0
        for _ in range(40):
            if made >= self.limit:
                break
            before, known = len(self.lines), len(self.values)
            try:
                rng.choice(ops)()
                made += 1
            except Skip:
                del self.lines[before:], self.values[known:]
        results = self.values[len(self.arguments):] or self.values
        self.results = [results[-1]] + rng.sample(results, min(len(results), rng.randrange(3)))
        self.notes = [(self.placement(len(v.dims), partial=True) if self.chance(0.7) else None) for v, _ in self.arguments]
        self.asked = [(self.placement(len(v.dims)) if self.chance(0.4) else None) for v in self.results]
        return self

    def text(self):
        axes = ", ".join(f'"{name}"={"?" if self.symbolic else size}' for name, size in self.mesh.items())
        note = lambda p: f" {{shardir.placement = {p}}}" if p else ""
        arguments = ", ".join(f"%{v.name}: {v.type}{note(p)}" for (v, _), p in zip(self.arguments, self.notes))
        types = ", ".join(f"{v.type}{note(p)}" for v, p in zip(self.results, self.asked))
        return (f"shardir.mesh @m <[{axes}]>\nfunc.func @main({arguments})\n    -> ({types}) {{\n" + "\n".join(self.lines) +
                f"\n  return {', '.join('%' + v.name for v in self.results)} : {', '.join(v.type for v in self.results)}\n}}\n")

    def runs(self, count):
        """The flags of `count` runs: uneven and empty sizes, and for symbolic
        meshes several of those."""
        rng = random.Random(self.seed * 7919)
        devices = max(self.mesh.values())
        drawn = [[rng.choice([1, devices - 1, devices, devices + 1, 2 * devices, 5, 7, 12]) for _ in range(3)] for _ in range(count - 1)]
        drawn.append([rng.choice([0, 0, 1, 2]) for _ in range(3)])
        for k, env in enumerate(drawn):
            env = [min(n, LARGEST) for n in env]
            flags = []
            for value, _ in self.arguments:
                shape = [d.value(env) for d in value.dims]
                total = 1
                for n in shape:
                    total *= n
                data = ",".join(str(rng.randint(-3, 3)) for _ in range(total))
                flags.append(f"--input={'x'.join(map(str, shape + [value.dtype]))}" + (f"={data}" if total else ""))
            if self.symbolic:
                sizes = [SYMBOLIC[(k + i) % len(SYMBOLIC)] for i in range(len(self.mesh))]
                while len(sizes) > 1 and sizes[0] * sizes[1] > 8:
                    sizes[1] = 1
                flags.append("--mesh=" + ",".join(f"{name}={size}" for name, size in zip(self.mesh, sizes)))
            yield flags
