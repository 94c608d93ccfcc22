# Programs that are written once and printed twice: as linalg with ShardIR's
# placements, and as StableHLO with Shardy's shardings.
#
# Requires: nothing but Python.
# Guarantees: both texts compute the same values, each of which has one name in both
# (`%v5`, and a location "v5"), from the same annotations. Blocks are f32 throughout.
"""Twin programs: one value per op, printed in either dialect."""

import math


class Value:
    """One op; `annotation` is a placement on it, or None."""

    def __init__(self, name, op, operands, shape, **parameters):
        self.name, self.op, self.operands, self.shape = name, op, operands, tuple(shape)
        self.parameters, self.annotation, self.location = parameters, None, name


class Placement(list):
    """A list of dims, each a list of axes: `"a"`, `a:(1)2` with its own quotes, `?`
    behind them where the dim is open, and `p0` behind that for a priority."""

    def __init__(self, dims, replicated=()):
        super().__init__(dims)
        self.replicated = replicated


def spell(placement, separator):
    """As both dialects spell it; `separator` is of the replicated axes."""
    quote = lambda axis: axis if axis == "?" or '"' in str(axis) else str(axis) if isinstance(axis, int) else f'"{axis}"'
    dims = []
    for dim in placement:
        priority = next((axis for axis in dim if str(axis) in ("p0", "p1", "p2")), "")
        dims.append("{" + ", ".join(quote(axis) for axis in dim if axis != priority) + "}" + priority)
    replicated = getattr(placement, "replicated", ())
    tail = f", replicated = {separator[0]}{', '.join(map(quote, replicated))}{separator[1]}" if replicated else ""
    return f"[{', '.join(dims)}]{tail}"


UNARY = {"exp": ("math.exp", "exponential"), "tanh": ("math.tanh", "tanh"), "neg": ("arith.negf", "negate"),
         "rsqrt": ("math.rsqrt", "rsqrt")}
BINARY = {"add": ("arith.addf", "add"), "mul": ("arith.mulf", "multiply"), "sub": ("arith.subf", "subtract"),
          "div": ("arith.divf", "divide"), "max": ("arith.maximumf", "maximum")}
REDUCE = {"add": "0.000000e+00", "max": "0xFF800000"}
NAMED = {"exp": "exp", "tanh": "tanh", "neg": "negf", "rsqrt": "rsqrt", "add": "add", "mul": "mul", "sub": "sub",
         "div": "div", "max": "max"}


def tensor(shape):
    return f"tensor<{'x'.join([str(extent) for extent in shape] + ['f32'])}>"


def affine(rank, dims):
    return f"affine_map<({', '.join(f'd{i}' for i in range(rank))}) -> ({', '.join(f'd{i}' for i in dims)})>"


def reshape_groups(source, target):
    """Groups of dims of equal products, or None where the shapes do not nest."""
    groups, i, j = [], 0, 0
    while i < len(source) or j < len(target):
        a, b, p, q = [], [], 1, 1
        while True:
            if p == q and a and b:
                break
            if p <= q and i < len(source) and (p < q or not a):
                a.append(i)
                p *= source[i]
                i += 1
            elif j < len(target) and (q < p or not b):
                b.append(j)
                q *= target[j]
                j += 1
            else:
                break
        if p != q:
            return None
        groups.append((a, b))
        if i == len(source):
            b += [k for k in range(j, len(target)) if target[k] == 1]
            j = len(target) if all(target[k] == 1 for k in range(j, len(target))) else j
        if j == len(target):
            a += [k for k in range(i, len(source)) if source[k] == 1]
            i = len(source) if all(source[k] == 1 for k in range(i, len(source))) else i
        if not a and not b:
            return None
    return groups


def common_factors(source, target):
    """Dims of which both shapes merge some, where there are such."""
    cuts = set()
    for shape in (source, target):
        product = 1
        for extent in shape:
            product *= extent
            cuts.add(product)
    factors, before = [], 1
    for cut in sorted(cuts):
        if before == 0 or cut % before:
            return None
        factors.append(cut // before)
        before = cut
    return factors if 1 not in source and 1 not in target and 1 not in factors else None


def grouped(factors, shape):
    """The numbers of the factors that make each dim."""
    groups, i = [], 0
    for extent in shape:
        product, group = 1, []
        while product < extent:
            product *= factors[i]
            group.append(i)
            i += 1
        groups.append(group)
    return groups


class Program:
    """Ops in order; `mesh` is a dict of axes."""

    def __init__(self, mesh):
        self.mesh = dict(mesh)
        self.values, self.arguments, self.results = [], [], []

    # --- building ----------------------------------------------------------

    def _new(self, op, operands, shape, **parameters):
        value = Value(f"v{len(self.values)}", op, operands, shape, **parameters)
        self.values.append(value)
        return value

    def argument(self, shape, placement=None):
        value = self._new("argument", [], shape, placement=placement)
        self.arguments.append(value)
        return value

    def constant(self, shape, number):
        return self._new("constant", [], shape, number=number)

    def unary(self, kind, x):
        return self._new("unary", [x], x.shape, kind=kind)

    def binary(self, kind, x, y):
        assert x.shape == y.shape
        return self._new("binary", [x, y], x.shape, kind=kind)

    def dot(self, x, y, contract, batch=((), ())):
        """The result has the batch dims, then x's other dims, then y's."""
        free = [[i for i in range(len(v.shape)) if i not in contract[s] and i not in batch[s]] for s, v in enumerate((x, y))]
        shape = [x.shape[i] for i in batch[0]] + [x.shape[i] for i in free[0]] + [y.shape[i] for i in free[1]]
        return self._new("dot", [x, y], shape, contract=contract, batch=batch, free=free)

    def broadcast(self, x, shape, dims):
        """Dim i of x is dim dims[i] of the result."""
        return self._new("broadcast", [x], shape, dims=tuple(dims))

    def reduce(self, kind, x, dims):
        return self._new("reduce", [x], [n for i, n in enumerate(x.shape) if i not in dims], kind=kind, dims=tuple(dims))

    def transpose(self, x, permutation):
        return self._new("transpose", [x], [x.shape[i] for i in permutation], permutation=tuple(permutation))

    def reshape(self, x, shape):
        assert math.prod(x.shape) == math.prod(shape)
        return self._new("reshape", [x], shape)

    def constrain(self, x, placement):
        return self._new("constrain", [x], x.shape, placement=placement)

    def slice(self, x, low, high):
        """Elements low to high of each dim."""
        return self._new("slice", [x], [b - a for a, b in zip(low, high)], low=tuple(low), high=tuple(high))

    def concat(self, operands, dim):
        shape = list(operands[0].shape)
        shape[dim] = sum(o.shape[dim] for o in operands)
        return self._new("concat", list(operands), shape, dim=dim)

    def annotate(self, value, placement):
        """A placement on the op itself."""
        value.annotation = placement
        return value

    def fan_in(self, operands):
        """The sum of many in one op (linalg) or a tree of adds (StableHLO has no such op)."""
        return self._new("fan_in", list(operands), operands[0].shape)

    def returns(self, value, placement=None):
        self.results.append((value, placement))

    # --- linalg ------------------------------------------------------------

    def linalg(self, locations=False, function="main", mesh=True):
        dims = lambda p: f"#shardir.placement<@m, {spell(p, '[]')}>"
        emitter = _Linalg(locations)
        arguments = []
        for value in self.arguments:
            placement = value.parameters["placement"]
            attribute = f" {{shardir.placement = {dims(placement)}}}" if placement is not None else ""
            arguments.append(f"%{value.name}: {tensor(value.shape)}{attribute}" +
                             (f' loc("{value.location}")' if locations and value.location else ""))
        for value in self.values:
            if value.op == "argument":
                continue
            placement = value.parameters.get("placement")
            if value.annotation is None:
                emitter.emit(value, dims(placement) if value.op == "constrain" else None)
                continue
            # In StableHLO it says where the value lies, not how the op computes.
            name, location = value.name, value.location
            value.name, value.location = name + "_u", None
            emitter.emit(value, None)
            value.name, value.location = name, location
            asked = Value(name, "constrain", [Value(name + "_u", None, [], value.shape)], value.shape)
            asked.location = location
            emitter.emit(asked, dims(value.annotation))
        results = [tensor(v.shape) + (f" {{shardir.placement = {dims(p)}}}" if p is not None else "")
                   for v, p in self.results]
        axes = ", ".join(f'"{axis}"={size}' for axis, size in self.mesh.items())
        names = ", ".join(f"%{v.name}" for v, _ in self.results)
        types = ", ".join(tensor(v.shape) for v, _ in self.results)
        return "\n".join([*([f"shardir.mesh @m <[{axes}]>"] if mesh else []),
                          f"func.func @{function}({', '.join(arguments)}) -> ({', '.join(results)}) {{",
                          *emitter.lines, f"  return {names} : {types}", "}", ""])

    # --- StableHLO -----------------------------------------------------------

    def stablehlo(self):
        dims = lambda p: f"<@mesh, {spell(p, '{}')}>"
        lines, arguments = [], []
        for value in self.arguments:
            placement = value.parameters["placement"]
            attribute = f" {{sdy.sharding = #sdy.sharding{dims(placement)}}}" if placement is not None else ""
            arguments.append(f"%{value.name}: {tensor(value.shape)}{attribute}" + f' loc("{value.name}")')
        for value in self.values:
            if value.op != "argument":
                lines += ["    " + line for line in _stablehlo(value, dims)]
        results = [tensor(v.shape) + (f" {{sdy.sharding = #sdy.sharding{dims(p)}}}" if p is not None else "")
                   for v, p in self.results]
        axes = ", ".join(f'"{axis}"={size}' for axis, size in self.mesh.items())
        names = ", ".join(f"%{v.name}" for v, _ in self.results)
        types = ", ".join(tensor(v.shape) for v, _ in self.results)
        return "\n".join(["module @twin {", f"  sdy.mesh @mesh = <[{axes}]>",
                          f"  func.func public @main({', '.join(arguments)}) -> ({', '.join(results)}) {{", *lines,
                          f"    return {names} : {types}", "  }", "}", ""])

    # --- derivatives ---------------------------------------------------------

    def gradients(self, output, cotangent, wanted):
        """Appends the reverse sweep; returns the derivatives of `wanted`."""
        total = {output.name: cotangent}

        def add(value, derivative):
            old = total.get(value.name)
            total[value.name] = derivative if old is None else self.binary("add", old, derivative)

        for value in list(reversed(self.values[:self.values.index(cotangent) if cotangent in self.values and
                                               cotangent.op != "argument" else len(self.values)])):
            g = total.get(value.name)
            if g is None or value.op in ("argument", "constant"):
                continue
            self._pull(value, g, add)
        return [total[value.name] for value in wanted]

    def _pull(self, value, g, add):
        p = value.parameters
        if value.op == "unary":
            x = value.operands[0]
            if p["kind"] == "exp":
                add(x, self.binary("mul", g, value))
            elif p["kind"] == "neg":
                add(x, self.unary("neg", g))
            elif p["kind"] == "tanh":
                square = self.binary("mul", value, value)
                add(x, self.binary("sub", g, self.binary("mul", g, square)))
            elif p["kind"] == "rsqrt":
                cube = self.binary("mul", self.binary("mul", value, value), value)
                half = self.constant(x.shape, -0.5)
                add(x, self.binary("mul", self.binary("mul", g, cube), half))
        elif value.op == "binary":
            x, y = value.operands
            if p["kind"] == "add":
                add(x, g)
                add(y, g)
            elif p["kind"] == "sub":
                add(x, g)
                add(y, self.unary("neg", g))
            elif p["kind"] == "mul":
                if x.op != "constant":
                    add(x, self.binary("mul", g, y))
                if y.op != "constant":
                    add(y, self.binary("mul", g, x))
            elif p["kind"] == "div":
                add(x, self.binary("div", g, y))
                add(y, self.unary("neg", self.binary("div", self.binary("mul", g, value), y)))
            else:
                raise ValueError("no derivative of " + p["kind"])
        elif value.op == "broadcast":
            x = value.operands[0]
            if x.op == "constant":
                return
            reduced = [i for i in range(len(value.shape)) if i not in p["dims"]]
            add(x, self.reduce("add", g, reduced))
        elif value.op == "reduce":
            x = value.operands[0]
            if p["kind"] == "max":  # only as the stabilizer of a softmax: no derivative is needed
                return
            add(x, self.broadcast(g, x.shape, [i for i in range(len(x.shape)) if i not in p["dims"]]))
        elif value.op == "transpose":
            inverse = sorted(range(len(value.shape)), key=lambda i: p["permutation"][i])
            add(value.operands[0], self.transpose(g, inverse))
        elif value.op == "reshape":
            add(value.operands[0], self.reshape(g, value.operands[0].shape))
        elif value.op == "constrain":
            add(value.operands[0], g)
        elif value.op == "dot":
            x, y = value.operands
            contract, batch, free = p["contract"], p["batch"], p["free"]
            nb, nx = len(batch[0]), len(free[0])
            gx, gy = list(range(nb, nb + nx)), list(range(nb + nx, len(value.shape)))
            # dx has batch, x's free dims, then x's contracted ones in the order of y's dims.
            order = sorted(range(len(contract[1])), key=lambda i: contract[1][i])
            dx = self.dot(g, y, (tuple(gy), tuple(free[1])), (tuple(range(nb)), tuple(batch[1])))
            layout = list(batch[0]) + list(free[0]) + [contract[0][i] for i in order]
            add(x, self._arrange(dx, layout))
            order = sorted(range(len(contract[0])), key=lambda i: contract[0][i])
            dy = self.dot(g, x, (tuple(gx), tuple(free[0])), (tuple(range(nb)), tuple(batch[0])))
            layout = list(batch[1]) + list(free[1]) + [contract[1][i] for i in order]
            add(y, self._arrange(dy, layout))
        else:
            raise ValueError("no derivative of " + value.op)

    def _arrange(self, value, layout):
        """Dim i of the value is dim layout[i] of what is wanted."""
        if layout == sorted(layout):
            return value
        return self.transpose(value, [layout.index(i) for i in range(len(layout))])


class _Linalg:
    """Lines of linalg; empties, fills and constants are shared, as they are in exported programs."""

    def __init__(self, locations):
        self.lines, self.made, self.locations = [], {}, locations

    def once(self, key, line):
        if key not in self.made:
            self.made[key] = name = f"%s{len(self.made)}"
            self.lines.append("  " + line(name))
        return self.made[key]

    def empty(self, shape):
        return self.once(("empty", shape), lambda n: f"{n} = tensor.empty() : {tensor(shape)}")

    def scalar(self, text):
        return self.once(("scalar", text), lambda n: f"{n} = arith.constant {text} : f32")

    def filled(self, shape, text):
        scalar, empty = self.scalar(text), self.empty(shape)
        return self.once(("fill", shape, text), lambda n: f"{n} = linalg.fill ins({scalar} : f32) "
                         f"outs({empty} : {tensor(shape)}) -> {tensor(shape)}")

    def emit(self, value, constraint):
        tail = f' loc("{value.location}")' if self.locations and value.location else ""
        for i, line in enumerate(lines := self.text(value, constraint)):
            self.lines.append("  " + line + (tail if i == len(lines) - 1 else ""))

    def text(self, value, constraint):
        p, t = value.parameters, tensor(value.shape)
        names = ", ".join(f"%{v.name}" for v in value.operands)
        types = ", ".join(tensor(v.shape) for v in value.operands)
        ins = f"ins({names} : {types})"
        out = f"%{value.name} = "
        if value.op == "constant":
            return [f"{out}arith.constant dense<{p['number']:e}> : {t}"]
        if value.op in ("unary", "binary"):
            return [f"{out}linalg.{NAMED[p['kind']]} {ins} outs({self.empty(value.shape)} : {t}) -> {t}"]
        if value.op == "transpose":
            return [f"{out}linalg.transpose {ins} outs({self.empty(value.shape)} : {t}) "
                    f"permutation = [{', '.join(map(str, p['permutation']))}]"]
        if value.op == "broadcast":
            source = value.operands[0].shape
            added = [i for i in range(len(value.shape)) if i not in p["dims"]]
            if list(p["dims"]) == sorted(p["dims"]) and all(source[i] == value.shape[d] for i, d in enumerate(p["dims"])):
                return [f"{out}linalg.broadcast {ins} outs({self.empty(value.shape)} : {t}) "
                        f"dimensions = [{', '.join(map(str, added))}]"]
            raise ValueError("a broadcast that stretches or permutes dims")
        if value.op == "reduce":
            init = self.filled(value.shape, REDUCE[p["kind"]])
            return [f"{out}linalg.reduce {{ {BINARY[p['kind']][0]} }} {ins} outs({init} : {t}) "
                    f"dimensions = [{', '.join(map(str, p['dims']))}]"]
        if value.op == "constrain":
            return [f"{out}shardir.constrain %{value.operands[0].name} to {constraint} : {t}"]
        if value.op == "fan_in":
            rank = len(value.shape)
            maps = ", ".join([affine(rank, range(rank))] * (len(value.operands) + 1))
            block = ", ".join(f"%a{i}: f32" for i in range(len(value.operands)))
            lines = [f"{out}linalg.generic {{indexing_maps = [{maps}], iterator_types = [{', '.join([chr(34) + 'parallel' + chr(34)] * rank)}]}} "
                     f"{ins} outs({self.empty(value.shape)} : {t}) {{",
                     f"^bb0({block}, %o: f32):"]
            last = "%a0"
            for i in range(1, len(value.operands)):
                lines.append(f"  %s{i}_ = arith.addf {last}, %a{i} : f32")
                last = f"%s{i}_"
            return lines + [f"  linalg.yield {last} : f32", f"}} -> {t}"]
        if value.op == "slice":
            x = value.operands[0]
            spelled = "".join("[" + ", ".join(map(str, each)) + "]" for each in (p["low"], value.shape, [1] * len(value.shape)))
            return [f"{out}tensor.extract_slice %{x.name}{spelled} : {tensor(x.shape)} to {t}"]
        if value.op == "concat":
            return [f"{out}tensor.concat dim({p['dim']}) {names} : ({types}) -> {t}"]
        if value.op == "dot":
            return self.dot(value, out, ins)
        if value.op == "reshape":
            return self.reshape(value, out)
        raise ValueError(value.op)

    def dot(self, value, out, ins):
        p, t = value.parameters, tensor(value.shape)
        init = self.filled(value.shape, "0.000000e+00")
        contract, batch, free = p["contract"], p["batch"], p["free"]
        ranks = [len(v.shape) for v in value.operands]
        if not batch[0] and contract == ((1,), (0,)) and ranks == [2, 2]:
            return [f"{out}linalg.matmul {ins} outs({init} : {t}) -> {t}"]
        if batch == ((0,), (0,)) and contract == ((2,), (1,)) and ranks == [3, 3]:
            return [f"{out}linalg.batch_matmul {ins} outs({init} : {t}) -> {t}"]
        nb, n = len(batch[0]), len(value.shape)
        loops = n + len(contract[0])
        maps = []
        for s in range(2):
            dims = [0] * ranks[s]
            for i, d in enumerate(batch[s]):
                dims[d] = i
            first = nb if s == 0 else nb + len(free[0])
            for i, d in enumerate(free[s]):
                dims[d] = first + i
            for i, d in enumerate(contract[s]):
                dims[d] = n + i
            maps.append(affine(loops, dims))
        maps.append(affine(loops, range(n)))
        kinds = ", ".join(['"parallel"'] * n + ['"reduction"'] * len(contract[0]))
        return [f"{out}linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} {ins} "
                f"outs({init} : {t}) {{", "^bb0(%a: f32, %b: f32, %c: f32):", "  %m = arith.mulf %a, %b : f32",
                "  %n = arith.addf %m, %c : f32", "  linalg.yield %n : f32", f"}} -> {t}"]

    def reshape(self, value, out):
        x, shape = value.operands[0], value.shape
        groups = reshape_groups(x.shape, shape)
        if groups and all(len(a) == 1 for a, _ in groups):
            spelled = ", ".join("[" + ", ".join(map(str, b)) + "]" for _, b in groups)
            return [f"{out}tensor.expand_shape %{x.name} [{spelled}] output_shape [{', '.join(map(str, shape))}] "
                    f": {tensor(x.shape)} into {tensor(shape)}"]
        if groups and all(len(b) == 1 for _, b in groups):
            spelled = ", ".join("[" + ", ".join(map(str, a)) + "]" for a, _ in groups)
            return [f"{out}tensor.collapse_shape %{x.name} [{spelled}] : {tensor(x.shape)} into {tensor(shape)}"]
        factors = common_factors(x.shape, shape)
        if factors:
            first, second = grouped(factors, x.shape), grouped(factors, shape)
            lists = lambda groups: ", ".join("[" + ", ".join(map(str, g)) + "]" for g in groups)
            return [f"%{value.name}_f = tensor.expand_shape %{x.name} [{lists(first)}] output_shape [{', '.join(map(str, factors))}] "
                    f": {tensor(x.shape)} into {tensor(factors)}",
                    f"{out}tensor.collapse_shape %{value.name}_f [{lists(second)}] : {tensor(factors)} into {tensor(shape)}"]
        dims = self.once(("shape", shape), lambda n: f"{n} = arith.constant dense<[{', '.join(map(str, shape))}]> : "
                         f"tensor<{len(shape)}xindex>")
        return [f"{out}tensor.reshape %{x.name}({dims}) : ({tensor(x.shape)}, tensor<{len(shape)}xindex>) -> {tensor(shape)}"]


def _stablehlo(value, dims):
    p, t = value.parameters, tensor(value.shape)
    names = [f"%{v.name}" for v in value.operands]
    types = [tensor(v.shape) for v in value.operands]
    out, at = f"%{value.name} = ", f' loc("{value.name}")'
    own = f" {{sdy.sharding = #sdy.sharding_per_value<[{dims(value.annotation)}]>}}" if value.annotation is not None else ""
    if value.op == "slice":
        spelled = ", ".join(f"{a}:{b}" for a, b in zip(p["low"], p["high"]))
        return [f"{out}stablehlo.slice {names[0]} [{spelled}]{own} : ({types[0]}) -> {t}{at}"]
    if value.op == "concat":
        return [f"{out}stablehlo.concatenate {', '.join(names)}, dim = {p['dim']}{own} : ({', '.join(types)}) -> {t}{at}"]
    if value.op == "constant":
        return [f"{out}stablehlo.constant dense<{p['number']:e}> : {t}{at}"]
    if value.op == "unary":
        return [f"{out}stablehlo.{UNARY[p['kind']][1]} {names[0]}{own} : {t}{at}"]
    if value.op == "binary":
        return [f"{out}stablehlo.{BINARY[p['kind']][1]} {names[0]}, {names[1]}{own} : {t}{at}"]
    if value.op == "transpose":
        return [f"{out}stablehlo.transpose {names[0]}, dims = {list(p['permutation'])}{own} : ({types[0]}) -> {t}{at}"]
    if value.op == "broadcast":
        return [f"{out}stablehlo.broadcast_in_dim {names[0]}, dims = {list(p['dims'])}{own} : ({types[0]}) -> {t}{at}"]
    if value.op == "reduce":
        init = f"%{value.name}_init"
        return [f"{init} = stablehlo.constant dense<{REDUCE[p['kind']]}> : tensor<f32>",
                f"{out}stablehlo.reduce({names[0]} init: {init}) applies stablehlo.{BINARY[p['kind']][1]} across dimensions = "
                f"{list(p['dims'])}{own} : ({types[0]}, tensor<f32>) -> {t}{at}"]
    if value.op == "constrain":
        return [f"{out}sdy.sharding_constraint {names[0]} {dims(p['placement'])} : {t}{at}"]
    if value.op == "reshape":
        return [f"{out}stablehlo.reshape {names[0]}{own} : ({types[0]}) -> {t}{at}"]
    if value.op == "dot":
        batching = f"batching_dims = {list(p['batch'][0])} x {list(p['batch'][1])}, " if p["batch"][0] else ""
        return [f"{out}stablehlo.dot_general {', '.join(names)}, {batching}contracting_dims = {list(p['contract'][0])} x "
                f"{list(p['contract'][1])}{own} : ({', '.join(types)}) -> {t}{at}"]
    if value.op == "fan_in":
        lines, last = [], names[0]
        for i, name in enumerate(names[1:], 1):
            result = f"%{value.name}" if i + 1 == len(names) else f"%{value.name}_{i}"
            lines.append(f"{result} = stablehlo.add {last}, {name} : {t}{at}")
            last = result
        return lines
    raise ValueError(value.op)
