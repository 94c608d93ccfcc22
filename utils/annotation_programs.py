# Programs that can be annotated at several places that say the same.
#
# Requires: nothing but Python.
# Guarantees: of a program made here each dim is known to be one with dims of other
# values, and the places offered for an axis say the same: where nothing sums over the
# dim all of them, else different ways to annotate one value. A seed names one program
# for ever on one version of this file and of fuzz_generator.py.
"""Programs for check-annotations.py."""

import math
import random
import re

from fuzz_generator import Generator

MESHES = [{"a": 2}, {"a": 2, "b": 2}, {"a": 3, "b": 2}, {"a": 4, "b": 2}]


# --- programs whose dims are known to be one ----------------------------------

class Value:
    """A tensor; each dim is a tuple of atoms, the major first."""

    def __init__(self, name, dims):
        self.name, self.dims = name, dims


class Op:
    """`lines` have `%<name>` for operands and `ATTR` where attributes stand."""

    def __init__(self, results, lines, inside=()):
        self.results, self.lines, self.inside = results, lines, inside


class Dims:
    """Which dims of a program are one, and which of those no axis may be named at."""

    def __init__(self):
        self.parent, self.size, self.banned = [], [], set()
        self.together = []  # atoms of one op, each of which must be of another class
        self.reduced = set()  # atoms that an op sums over
        self.everywhere = set()  # of these, the ones that are best split wherever they are

    def atom(self, size):
        self.parent.append(len(self.parent))
        self.size.append(size)
        return len(self.parent) - 1

    def find(self, atom):
        while self.parent[atom] != atom:
            atom = self.parent[atom]
        return atom

    def unite(self, a, b):
        self.parent[self.find(a)] = self.find(b)

    def classes(self):
        """Those of which no op has two, and that nothing says may not be split."""
        bad = {self.find(a) for a in self.banned}
        for atoms in self.together:
            seen = set()
            for atom in map(self.find, atoms):
                bad |= {atom} & seen
                seen.add(atom)
        return sorted({self.find(a) for a in range(len(self.parent))} - bad)

    def is_reduced(self, root):
        """Whether it counts at which value the class is annotated: an op that sums over what
        is split makes its result partial, unless its operand is replicated as nothing says otherwise."""
        of = lambda atoms: root in map(self.find, atoms)
        return of(self.reduced) and not of(self.everywhere)


class Made:
    """A program of one of KINDS, drawn by a seed."""

    def __init__(self, seed, kind):
        self.rng = random.Random(f"{seed}/{kind}")
        self.mesh = self.rng.choice(MESHES)
        self.dims = Dims()
        self.arguments, self.ops, self.results = [], [], []
        self.count, self.used = 0, set()
        self.sums = {}  # by value: atoms that ops up to it have summed over
        KINDS[kind](self)

    # Parts of programs.

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def shape(self, value):
        return [math.prod(self.dims.size[a] for a in dim) for dim in value.dims]

    def type(self, value):
        return f"tensor<{''.join(f'{n}x' for n in self.shape(value))}f32>"

    def argument(self, *sizes):
        value = Value(self.name(), [(self.dims.atom(n),) for n in sizes])
        self.arguments.append(value)
        return value

    def add(self, value, lines, reduced=()):
        """An op; `reduced` are atoms that it sums over."""
        self.dims.reduced.update(reduced)
        read = set(re.findall(r"%<(\w+)>", " ".join(lines))) - {value.name}
        self.sums[value.name] = set(reduced).union(*(self.sums.get(name, set()) for name in read))
        self.dims.together.append([a for dim in value.dims for a in dim])
        self.ops.append(Op([value], lines))
        return value

    def unary(self, x, op=None):
        y = Value(self.name(), x.dims)
        # Not the same op twice: the two would become one.
        op = op or self.rng.choice([op for op in ("math.exp", "math.tanh", "math.absf", "arith.negf", "math.sin", "math.floor")
                                    if (x.name, op) not in self.used])
        self.used.add((x.name, op))
        return self.add(y, [f"%<{y.name}> = {op} %<{x.name}> ATTR : {self.type(x)}"])

    def binary(self, x, y, op=None):
        for a, b in zip(x.dims, y.dims):
            for i, j in zip(a, b):
                self.dims.unite(i, j)
        z = Value(self.name(), x.dims)
        op = op or self.rng.choice(["arith.addf", "arith.mulf", "arith.subf", "arith.maximumf"])
        return self.add(z, [f"%<{z.name}> = {op} %<{x.name}>, %<{y.name}> ATTR : {self.type(z)}"])

    def init(self, value, number=None):
        lines = [f"%{value.name}_e = tensor.empty() : {self.type(value)}"]
        if number is None:
            return lines, f"%{value.name}_e"
        return lines + [f"%{value.name}_c = arith.constant {number} : f32",
                        f"%{value.name}_z = linalg.fill ins(%{value.name}_c : f32) outs(%{value.name}_e : {self.type(value)})"
                        f" -> {self.type(value)}"], f"%{value.name}_z"

    def generic(self, operands, maps, out, loops, body, number=None):
        """`maps` and `out` number loops, of which `loops` are the dims."""
        result = Value(self.name(), [loops[d] for d in out])
        for value, used in zip(operands, maps):
            for dim, loop in zip(value.dims, used):
                for a, b in zip(dim, loops[loop]):
                    self.dims.unite(a, b)
        lines, init = self.init(result, number)
        names = ", ".join(f"d{i}" for i in range(len(loops)))
        texts = ", ".join(f"affine_map<({names}) -> ({', '.join(f'd{d}' for d in used)})>" for used in maps + [out])
        kinds = ", ".join('"parallel"' if d in out else '"reduction"' for d in range(len(loops)))
        inputs = ""
        if operands:
            inputs = f"ins({', '.join(f'%<{v.name}>' for v in operands)} : {', '.join(map(self.type, operands))}) "
        n = result.name
        block = ", ".join(f"%{n}_a{i}: f32" for i in range(len(operands) + 1))
        lines.append(f"%<{n}> = linalg.generic {{indexing_maps = [{texts}], iterator_types = [{kinds}]}} {inputs}"
                     f"outs({init} : {self.type(result)}) attrs = ATTR {{ ^bb0({block}):")
        lines += [line.replace("@", f"%{n}_") for line in body] + [f"}} -> {self.type(result)}"]
        self.dims.together.append([a for dim in loops for a in dim])
        return self.add(result, lines, [a for d, dim in enumerate(loops) if d not in out for a in dim])

    def matmul(self, x, w):
        loops = x.dims[:-1] + [w.dims[1], x.dims[-1]]
        n = len(loops)
        m = list(range(n - 2))
        return self.generic([x, w], [m + [n - 1], [n - 1, n - 2]], m + [n - 2], loops,
                            ["@m = arith.mulf @a0, @a1 : f32", "@n = arith.addf @m, @a2 : f32", "linalg.yield @n : f32"], "0.0")

    def reduce(self, x, dim, op="arith.addf", start="0.0"):
        out = [d for d in range(len(x.dims)) if d != dim]
        return self.generic([x], [list(range(len(x.dims)))], out, x.dims,
                            [f"@n = {op} @a0, @a1 : f32", "linalg.yield @n : f32"], start)

    def broadcast(self, b, like, dims):
        return self.generic([b], [dims], list(range(len(like.dims))), like.dims, ["linalg.yield @a0 : f32"])

    def transpose(self, x, order):
        return self.generic([x], [list(range(len(x.dims)))], order, x.dims, ["linalg.yield @a0 : f32"])

    def draw(self, like):
        """Numbers that depend on their place alone."""
        body = []
        for i in range(len(like.dims)):
            body += [f"@i{i} = linalg.index {i} : index", f"@j{i} = arith.index_cast @i{i} : index to i32",
                     f"@f{i} = arith.sitofp @j{i} : i32 to f32"]
        self.count += 1
        body[2] = f"@h0 = arith.sitofp @j0 : i32 to f32"
        body[3:3] = [f"@k = arith.constant {self.count}.5 : f32", "@f0 = arith.mulf @h0, @k : f32"]
        sums = [f"@g{i} = arith.addf @f{i}, @{'f0' if i == 1 else f'g{i - 1}'} : f32" for i in range(1, len(like.dims))]
        last = f"@g{len(like.dims) - 1}" if sums else "@f0"
        return self.generic([], [], list(range(len(like.dims))), like.dims, body + sums + [f"linalg.yield {last} : f32"])

    def collapse(self, x, groups):
        y = Value(self.name(), [sum((x.dims[d] for d in group), ()) for group in groups])
        return self.add(y, [f"%<{y.name}> = tensor.collapse_shape %<{x.name}> {groups} ATTR : {self.type(x)} into {self.type(y)}"])

    def expand(self, x):
        dims, groups = [], []
        for dim in x.dims:
            groups.append(list(range(len(dims), len(dims) + len(dim))))
            dims += [(atom,) for atom in dim]
        y = Value(self.name(), dims)
        return self.add(y, [f"%<{y.name}> = tensor.expand_shape %<{x.name}> {groups} output_shape {self.shape(y)} ATTR : "
                            f"{self.type(x)} into {self.type(y)}"])

    def slice(self, x, dim):
        """Of a dim that no axis is named at, every other element."""
        self.dims.banned.update(x.dims[dim])
        size = self.shape(x)
        half = (size[dim] + 1) // 2
        y = Value(self.name(), [(self.dims.atom(half),) if d == dim else x.dims[d] for d in range(len(size))])
        self.dims.banned.update(y.dims[dim])
        sizes = [half if d == dim else n for d, n in enumerate(size)]
        strides = [2 if d == dim else 1 for d in range(len(size))]
        return self.add(y, [f"%<{y.name}> = tensor.extract_slice %<{x.name}>{[0] * len(size)} {sizes} {strides} ATTR : "
                            f"{self.type(x)} to {self.type(y)}"])

    def convolution(self, x, k):
        """NHWC and HWCF; no axis is named at spatial dims."""
        n, h, w, c = self.shape(x)
        kh, kw, _, _ = self.shape(k)
        y = Value(self.name(), [x.dims[0], (self.dims.atom(h - kh + 1),), (self.dims.atom(w - kw + 1),), k.dims[3]])
        for dim in x.dims[1:3] + k.dims[:2] + y.dims[1:3]:
            self.dims.banned.update(dim)
        for a, b in zip(x.dims[3], k.dims[2]):
            self.dims.unite(a, b)
        self.dims.together.append([*x.dims[0], *x.dims[3], *k.dims[3]])
        lines, init = self.init(y, "0.0")
        return self.add(y, lines + [f"%<{y.name}> = linalg.conv_2d_nhwc_hwcf ATTR ins(%<{x.name}>, %<{k.name}> : {self.type(x)}, "
                                    f"{self.type(k)}) outs({init} : {self.type(y)}) -> {self.type(y)}"], x.dims[3])

    def region(self, opening, make, init, closing):
        """An op of one result around what `make` makes of the value in it."""
        outside, self.ops = self.ops, []
        result = Value(self.name(), init.dims)
        inner = make(result)
        inside, self.ops = self.ops, outside
        lines = opening(result), closing(inner, result)
        self.ops.append(Op([result], lines, inside))
        return result

    def loop(self, init, make):
        """`make` gives the next value of the one that goes around."""
        around = Value(self.name(), init.dims)
        t = self.type(init)
        return self.region(
            lambda r: [f"%{r.name}_l = arith.constant 0 : index", f"%{r.name}_u = arith.constant 3 : index",
                       f"%{r.name}_s = arith.constant 1 : index",
                       f"%<{r.name}> = scf.for %{r.name}_i = %{r.name}_l to %{r.name}_u step %{r.name}_s "
                       f"iter_args(%<{around.name}> = %<{init.name}>) -> ({t}) {{"],
            lambda r: make(around), init, lambda inner, r: [f"scf.yield %<{inner.name}> : {t}", "}"])

    def branch(self, x, make):
        """`make` in one branch, the value as it is in the other."""
        t = self.type(x)
        return self.region(
            lambda r: [f"%{r.name}_c = arith.constant true", f"%<{r.name}> = scf.if %{r.name}_c -> ({t}) {{"],
            lambda r: make(x), x,
            lambda inner, r: [f"scf.yield %<{inner.name}> : {t}", "} else {", f"scf.yield %<{x.name}> : {t}", "}"])

    # Annotations.

    def values(self):
        """{value: how it may be annotated}."""
        found = {v: ["argument", "constraint"] for v in self.arguments}
        def of(ops, depth):
            for op in ops:
                of(op.inside, depth + 1)
                for value in op.results:
                    found[value] = [] if op.inside else ["op"] if depth else ["op", "constraint"]
        of(self.ops, 0)
        for value in self.results:
            found[value] = found[value] + ["result"]
        return found

    def sites(self, root):
        """Where the class is the major part of a dim, or all: (value, ways, dim)."""
        return [(value, ways, d) for value, ways in self.values().items() for d, dim in enumerate(value.dims)
                if ways and self.dims.find(dim[0]) == root]

    def assignment(self):
        """{class: (axes, where it may be annotated)}, all axes used."""
        axes = {}
        roots = [root for root in self.dims.classes() if self.sites(root)]
        for axis in self.mesh if roots else []:
            axes.setdefault(self.rng.choice(roots), []).append(axis)
        found = {}
        for root in sorted(axes):
            # Where a sum may be partial an annotation says that it is not.
            sites = [site for site in self.sites(root)
                     if not any(self.dims.find(atom) in axes for atom in self.sums.get(site[0].name, ()))]
            if self.dims.is_reduced(root) and sites:
                sites = [self.rng.choice(sites)]
            # Blocks of a dim that others have become part of are those of the dim.
            uneven = self.dims.size[root] % math.prod(self.mesh[axis] for axis in axes[root])
            if not sites or uneven and any(len(value.dims[d]) > 1 for value, _, d in self.sites(root)):
                return {}
            found[root] = axes[root], sites
        return found

    def annotated(self, assignment):
        """{(value, way): placement}: each class at one place."""
        found = {}
        for axes, sites in assignment.values():
            value, ways, dim = self.rng.choice(sites)
            taken = [w for v, w in found if v is value]
            way = taken[0] if taken else self.rng.choice(ways)
            found.setdefault((value, way), [[] for _ in value.dims])[dim] = [f'"{axis}"' for axis in axes]
        text = lambda splits: ", ".join("{" + ", ".join(split + ["?"]) + "}" for split in splits)
        return {key: f"#shardir.placement<@M, [{text(splits)}]>" for key, splits in found.items()}

    def text(self, function, mesh, annotations):
        """As @function."""
        at = {(value.name, way): placement.replace("@M", f"@{mesh}") for (value, way), placement in annotations.items()}
        renamed = {}
        def reference(text):
            return re.sub(r"%<(\w+)>", lambda m: "%" + renamed.get(m[1], m[1]), text)
        def constrain(value):
            if (value.name, "constraint") not in at:
                return []
            renamed[value.name] = value.name + "_k"
            return [f"%{value.name}_k = shardir.constrain %{value.name} to {at[value.name, 'constraint']} : {self.type(value)}"]
        def body(ops):
            lines = []
            for op in ops:
                if op.inside:
                    opening, closing = op.lines
                    name = op.results[0].name
                    lines += [reference(line) for line in opening] + body(op.inside) + [reference(line) for line in closing]
                    lines[-1] += f' loc("{name}")'
                else:
                    (value,) = op.results
                    placement = at.get((value.name, "op"))
                    attribute = f"{{shardir.placements = [{placement}]}}" if placement else "{}"
                    own = [reference(line) for line in op.lines]
                    if not placement:
                        own = [line.replace("attrs = ATTR ", "").replace("ATTR ", "") for line in own]
                    lines += [line.replace("ATTR", attribute) for line in own]
                    lines[-1] += f' loc("{value.name}")'
                for value in op.results:
                    lines += constrain(value)
            return lines
        typed = lambda value, way: self.type(value) + (f" {{shardir.placement = {at[value.name, way]}}}" if (value.name, way) in at else "")
        arguments = ", ".join(f"%{v.name}: {typed(v, 'argument')}" for v in self.arguments)
        entry = [line for value in self.arguments for line in constrain(value)]
        lines = entry + body(self.ops)
        returned = ", ".join(reference(f"%<{v.name}>") for v in self.results)
        return "\n".join([f"func.func @{function}({arguments}) -> ({', '.join(typed(v, 'result') for v in self.results)}) {{"] +
                         ["  " + line for line in lines] +
                         [f"  return {returned} : {', '.join(map(self.type, self.results))}", "}"])

    def mesh_line(self, name):
        axes = ", ".join('"{}"={}'.format(*axis) for axis in self.mesh.items())
        return f"shardir.mesh @{name} <[{axes}]>"


# --- what is made --------------------------------------------------------------

def elementwise(p):
    x, y = p.argument(24, 12), p.argument(24, 12)
    for _ in range(p.rng.randint(2, 6)):
        x, y = (p.binary(x, y), y) if p.rng.random() < 0.5 else (y, p.unary(x))
    p.results = [x, p.binary(x, y)]


def mlp(p):
    x = p.argument(24, 12)
    for _ in range(p.rng.randint(1, 2)):
        h = p.unary(p.matmul(x, p.argument(p.shape(x)[1], 24)), "math.tanh")
        x = p.binary(x, p.matmul(h, p.argument(24, 12)), "arith.addf")
    p.results = [x]


def pairs(p):
    """Megatron's: what is between the two is large, so that it is split wherever it is said."""
    x = p.argument(24, 12)
    up, down = p.argument(12, 96), p.argument(96, 12)
    h = p.matmul(x, up)
    h = p.unary(p.binary(h, p.broadcast(p.argument(96), h, [1]), "arith.addf"))
    p.dims.everywhere.update(up.dims[1])
    p.results = [p.unary(p.matmul(h, down))]


def reshapes(p):
    x = p.argument(12, 3, 24)
    y = p.unary(p.collapse(x, [[0, 1], [2]]))
    z = p.expand(p.unary(y))
    w = p.collapse(p.transpose(p.unary(z), [2, 0, 1]), [[0], [1, 2]])
    p.results = [p.unary(w), y] if p.rng.random() < 0.5 else [p.unary(w)]


def reductions(p):
    x = p.argument(12, 24, 12)
    y = p.unary(x)
    total = p.reduce(y, p.rng.randrange(3))
    most = p.reduce(p.unary(total), 0, "arith.maximumf", "0xFF800000")
    p.results = [p.unary(total), most]


def softmax(p):
    x = p.argument(24, 12)
    most = p.broadcast(p.reduce(x, 1, "arith.maximumf", "0xFF800000"), x, [0])
    e = p.unary(p.binary(x, most, "arith.subf"), "math.exp")
    p.results = [p.binary(e, p.broadcast(p.reduce(e, 1), e, [0]), "arith.divf")]


def random_numbers(p):
    x = p.argument(24, 12)
    y = p.binary(x, p.draw(x), "arith.mulf")
    z = p.binary(p.unary(y), p.draw(y), "arith.addf")
    p.results = [z, p.unary(y)]


def broadcasts(p):
    x = p.argument(12, 24, 12)
    y = p.binary(x, p.broadcast(p.argument(12), x, [2]))
    z = p.binary(p.unary(y), p.broadcast(p.argument(12, 24), y, [0, 1]))
    p.results = [z, p.transpose(z, [2, 0, 1])]


def convolutions(p):
    x = p.argument(12, 7, 6, 12)
    y = p.unary(p.convolution(x, p.argument(3, 2, 12, 24)))
    y = p.binary(y, p.broadcast(p.argument(24), y, [3]))
    p.results = [p.convolution(y, p.argument(2, 3, 24, 12))]


def loops(p):
    x, w = p.argument(24, 12), p.argument(24, 12)
    y = p.loop(p.unary(x), lambda v: p.unary(p.binary(v, w)))
    p.results = [p.unary(y)]


def branches(p):
    x = p.unary(p.argument(24, 12))
    y = p.branch(x, lambda v: p.unary(p.unary(v)))
    p.results = [p.binary(y, p.argument(24, 12))]


def slices(p):
    x = p.unary(p.argument(24, 12, 12))
    y = p.slice(x, p.rng.randrange(3))
    p.results = [p.unary(y), p.unary(x)]


KINDS = {f.__name__: f for f in (elementwise, mlp, pairs, reshapes, reductions, softmax, random_numbers, broadcasts, convolutions,
                                 loops, branches, slices)}


# --- programs of fuzz_generator.py ------------------------------------------------

class Drawn:
    """A random program, whose annotations may be written in other ways."""

    def __init__(self, seed):
        self.program = Generator(seed).make()

    def mesh_line(self, name):
        line = next(line for line in self.program.header if line.startswith("shardir.mesh"))
        return line.replace("@m ", f"@{name} ")

    def text(self, function, mesh, constrained=frozenset()):
        """`constrained`: arguments and results that are annotated by a constraint."""
        p = self.program
        typed = lambda v, place, key: v.type + (f" {{shardir.placement = {place}}}" if place and key not in constrained else "")
        symbol = lambda line: re.sub(r"@(\w+)", lambda m: {"m": f"@{mesh}", function: m[0]}.get(m[1], f"@{function}_{m[1]}"), line)
        renamed, entry, end = {}, [], []
        for v, place in p.arguments:
            if place and ("argument", v.name) in constrained:
                entry.append(f"%{v.name}_k = shardir.constrain %{v.name} to {place} : {v.type}")
                renamed[v.name] = v.name + "_k"
        rewrite = lambda line: re.sub(r"%([A-Za-z_]\w*)", lambda m: "%" + renamed.get(m[1], m[1]), line)
        lines = [line for line in p.header if not line.startswith("shardir.mesh")]
        arguments = ", ".join(f"%{v.name}: {typed(v, q, ('argument', v.name))}" for v, q in p.arguments)
        results = ", ".join(typed(v, q, ("result", i)) for i, (v, q) in enumerate(p.results))
        lines.append(f"func.func @{function}({arguments}) -> ({results}) {{")
        lines += ["  " + line for line in entry]
        for values, body, _ in p.ops:
            lines += ["  " + rewrite(line) for line in body]
            lines[-1] += f' loc("{values[0].name}")'
        returned = []
        for i, (v, place) in enumerate(p.results):
            name = renamed.get(v.name, v.name)
            if place and ("result", i) in constrained:
                lines.append(f"  %result{i}_k = shardir.constrain %{name} to {place} : {v.type}")
                name = f"result{i}_k"
            returned.append("%" + name)
        lines += [f"  return {', '.join(returned)} : {', '.join(v.type for v, _ in p.results)}", "}"]
        return "\n".join(map(symbol, lines))

    def ways(self):
        """{what is different: text arguments}."""
        p = self.program
        # An axis reaches no dim of one element, and nothing unannotated is partial.
        plain = lambda v, q: q and not re.search(r"partial|p[01]", q) and all(
            "\"" not in dim for dim, n in zip(re.findall(r"\{[^}]*\}", q), v.shape) if n == 1)
        arguments = [("argument", v.name) for v, q in p.arguments if plain(v, q)]
        results = [("result", i) for i, (v, q) in enumerate(p.results) if plain(v, q)]
        return {"arguments as constraints": {"constrained": frozenset(arguments)},
                "results as constraints": {"constrained": frozenset(results)},
                "both": {"constrained": frozenset(arguments + results)}}
