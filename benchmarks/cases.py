# The programs that the benchmarks run, as MLIR text with and without a mesh.
#
# Requires: nothing but Python.
# Guarantees: each case is one function @main on arguments of one type whose sharded form
# differs from the unsharded one by the mesh and the placements alone.
"""Programs of the benchmarks."""

import math


class Case:
    """`arguments`: (name, shape, placement by dim or None); `body` defines %y."""

    def __init__(self, name, dtype, arguments, body, result, flops, mesh=None, result_dtype=None):
        self.name = name
        self.dtype = dtype
        self.result_dtype = result_dtype or dtype
        self.arguments = arguments
        self.body = body
        self.result = result
        self.flops = flops
        self.mesh = mesh or {}

    @property
    def ranks(self):
        return math.prod(self.mesh.values())

    def text(self, sharded=True):
        lines = []
        if sharded and self.mesh:
            axes = ", ".join(f'"{axis}"={size}' for axis, size in self.mesh.items())
            lines.append(f"shardir.mesh @m <[{axes}]>")
        arguments = []
        for name, shape, placement in self.arguments:
            attribute = ""
            if sharded and self.mesh and placement:
                dims = ", ".join("{" + ", ".join(f'"{axis}"' for axis in dim) + "}" for dim in placement)
                attribute = f" {{shardir.placement = #shardir.placement<@m, [{dims}]>}}"
            arguments.append(f"%{name}: {tensor(shape, self.dtype)}{attribute}")
        result = tensor(self.result, self.result_dtype)
        lines.append(f"func.func @main({', '.join(arguments)}) -> {result} {{")
        lines += ["  " + line for line in self.body]
        lines += [f"  return %y : {result}", "}", ""]
        return "\n".join(lines)


def tensor(shape, dtype):
    return f"tensor<{'x'.join([str(extent) for extent in shape] + [dtype])}>"


def filled(name, shape, dtype, constant):
    t = tensor(shape, dtype)
    return [f"%{name}_e = tensor.empty() : {t}",
            f"%{name} = linalg.fill ins(%{constant} : {dtype}) outs(%{name}_e : {t}) -> {t}"]


def matmul(out, lhs, rhs, m, k, n, dtype):
    """Accumulates in f32, as the libraries do for bf16."""
    a, b, c = tensor((m, k), dtype), tensor((k, n), dtype), tensor((m, n), "f32")
    acc = out if dtype == "f32" else out + "_f32"
    lines = filled(out + "_z", (m, n), "f32", "zero")
    lines.append(f"%{acc} = linalg.matmul ins(%{lhs}, %{rhs} : {a}, {b}) outs(%{out}_z : {c}) -> {c}")
    if dtype != "f32":
        lines += elementwise(out, [acc], (m, n), ["f32", dtype],
                             [f"%r = arith.truncf %a0 : f32 to {dtype}"])
    return lines


def generic(out, inputs, maps, iterators, init, types, result, scalars):
    """One linalg.generic; the block's arguments are %a0, %a1, … and %o."""
    rank = len(iterators)
    dims = ", ".join(f"d{i}" for i in range(rank))
    spelled = ", ".join(f"affine_map<({dims}) -> ({', '.join(f'd{i}' for i in m)})>" for m in maps)
    kinds = ", ".join(f'"{kind}"' for kind in iterators)
    names = ", ".join(f"%{name}" for name in inputs)
    element = result[1]
    block = ", ".join([f"%a{i}: {t[1]}" for i, t in enumerate(types)] + [f"%o: {element}"])
    t = tensor(*result)
    return [f"%{out} = linalg.generic {{indexing_maps = [{spelled}], iterator_types = [{kinds}]}}",
            f"    ins({names} : {', '.join(tensor(*x) for x in types)}) outs(%{init} : {t}) {{",
            f"^bb0({block}):", *["  " + s for s in scalars], f"  linalg.yield %r : {element}", f"}} -> {t}"]


def elementwise(out, inputs, shape, dtypes, scalars):
    """`dtypes`: of the inputs, then of the result."""
    rank = len(shape)
    identity = tuple(range(rank))
    return [f"%{out}_e = tensor.empty() : {tensor(shape, dtypes[-1])}"] + generic(
        out, inputs, [identity] * (len(inputs) + 1), ["parallel"] * rank, out + "_e",
        [(shape, d) for d in dtypes[:-1]], (shape, dtypes[-1]), scalars)


ZERO = ["%zero = arith.constant 0.0 : f32"]


def matmul_case(m, k, n, dtype, mesh=None, name=None, placements=(None, None)):
    return Case(name or f"matmul_{m}x{k}x{n}_{dtype}", dtype,
                [("a", (m, k), placements[0]), ("b", (k, n), placements[1])],
                ZERO + matmul("y", "a", "b", m, k, n, dtype), (m, n), 2 * m * k * n, mesh)


def byte_matmul_case(m, k, n):
    a, b, c = tensor((m, k), "i8"), tensor((k, n), "i8"), tensor((m, n), "i32")
    body = ["%zero = arith.constant 0 : i32", *filled("z", (m, n), "i32", "zero"),
            f"%y = linalg.matmul ins(%a, %b : {a}, {b}) outs(%z : {c}) -> {c}"]
    return Case(f"matmul_{m}x{k}x{n}_i8", "i8", [("a", (m, k), None), ("b", (k, n), None)], body, (m, n),
                2 * m * k * n, result_dtype="i32")


def linear_case(m, k, n, dtype):
    """Weights are stored transposed, as PyTorch's linear layers do."""
    rows, weights, result = ((m, k), dtype), ((n, k), dtype), ((m, n), "f32")
    wide = [] if dtype == "f32" else [f"%xf = arith.extf %a0 : {dtype} to f32", f"%wf = arith.extf %a1 : {dtype} to f32"]
    factors = "%xf, %wf" if wide else "%a0, %a1"
    acc = "y" if dtype == "f32" else "sums"
    body = ZERO + filled("z", (m, n), "f32", "zero") + generic(
        acc, ["x", "w"], [(0, 2), (1, 2), (0, 1)], ["parallel", "parallel", "reduction"], "z", [rows, weights], result,
        [*wide, f"%p = arith.mulf {factors} : f32", "%r = arith.addf %o, %p : f32"])
    if wide:
        body += elementwise("y", [acc], (m, n), ["f32", dtype], [f"%r = arith.truncf %a0 : f32 to {dtype}"])
    return Case(f"linear_{m}x{k}x{n}_{dtype}", dtype, [("x", (m, k), None), ("w", (n, k), None)], body, (m, n),
                2 * m * k * n)


GELU_CONSTANTS = ["%half = arith.constant 0.5 : f32", "%one = arith.constant 1.0 : f32",
                  "%gelu = arith.constant 0.797884583 : f32", "%cubic = arith.constant 4.471500e-02 : f32"]
GELU = ["%v2 = arith.mulf %a0, %a0 : f32", "%v3 = arith.mulf %v2, %a0 : f32",
        "%c = arith.mulf %v3, %cubic : f32", "%i = arith.addf %a0, %c : f32",
        "%si = arith.mulf %i, %gelu : f32", "%t0 = math.tanh %si : f32",
        "%t1 = arith.addf %t0, %one : f32", "%hv = arith.mulf %a0, %half : f32",
        "%r = arith.mulf %hv, %t1 : f32"]


def in_f32(scalars, dtype):
    """The scalars of a body on f32 between the type's widening and rounding."""
    if dtype == "f32":
        return scalars
    text = "\n".join(scalars).replace("%a0", "%wide").replace("%r = ", "%sum = ")
    return [f"%wide = arith.extf %a0 : {dtype} to f32", *text.split("\n"), f"%r = arith.truncf %sum : f32 to {dtype}"]


def widen(dtype, *arguments):
    """What widens these arguments of a body to f32, and their names then."""
    if dtype == "f32":
        return [], [f"%a{i}" for i in arguments]
    return [f"%a{i}_f32 = arith.extf %a{i} : {dtype} to f32" for i in arguments], [f"%a{i}_f32" for i in arguments]


def mlp_case(m, d, h, mesh=None, name=None, dtype="f32"):
    """Two matmuls with a tanh-GELU between them; the hidden dim over tp."""
    body = ZERO + GELU_CONSTANTS
    body += matmul("h", "x", "w1", m, d, h, dtype)
    body += elementwise("t", ["h"], (m, h), [dtype, dtype], in_f32(GELU, dtype))
    body += matmul("y", "t", "w2", m, h, d, dtype)
    return Case(name or f"mlp_{m}x{d}x{h}_{dtype}", dtype,
                [("x", (m, d), None), ("w1", (d, h), [[], ["tp"]]), ("w2", (h, d), [["tp"], []])],
                body, (m, d), 4 * m * d * h, mesh)


LOW = ["%low = arith.constant 0xFF800000 : f32"]


def softmax(out, x, shape):
    """Along the last dim, in f32."""
    full, row = tuple(range(len(shape))), tuple(range(len(shape) - 1))
    rows, wide, terms = ["parallel"] * len(row) + ["reduction"], (shape, "f32"), (shape[:-1], "f32")
    mx, terms_of, total = out + "_max", out + "_exp", out + "_sum"
    body = filled(mx + "_z", shape[:-1], "f32", "low")
    body += generic(mx, [x], [full, row], rows, mx + "_z", [wide], terms, ["%r = arith.maximumf %a0, %o : f32"])
    body += [f"%{terms_of}_e = tensor.empty() : {tensor(shape, 'f32')}"]
    body += generic(terms_of, [x, mx], [full, row, full], ["parallel"] * len(full), terms_of + "_e", [wide, terms], wide,
                    ["%d = arith.subf %a0, %a1 : f32", "%r = math.exp %d : f32"])
    body += filled(total + "_z", shape[:-1], "f32", "zero")
    body += generic(total, [terms_of], [full, row], rows, total + "_z", [wide], terms,
                    ["%r = arith.addf %a0, %o : f32"])
    body += generic(out, [terms_of, total], [full, row, full], ["parallel"] * len(full), terms_of + "_e", [wide, terms],
                    wide, ["%r = arith.divf %a0, %a1 : f32"])
    return body


NORM = ["%small = arith.constant 1.0e-05 : f32"]


def layernorm(out, x, g, b, shape, dtype):
    """Along the rows; mean and variance in f32, as the libraries have them. Needs %count, the length of a row."""
    (m, n), row, full = shape, (shape[:1], "f32"), (shape, "f32")
    each, rows = ["parallel"] * 2, ["parallel", "reduction"]
    total, mean, squares, scale = (f"{out}_{part}" for part in ("sum", "mean", "squares", "scale"))
    body = []
    if dtype != "f32":
        body += elementwise(out + "_wide", [x], shape, [dtype, "f32"], [f"%r = arith.extf %a0 : {dtype} to f32"])
        x = out + "_wide"
    body += filled(out + "_z", (m,), "f32", "zero") + [f"%{out}_row = tensor.empty() : {tensor(*row)}"]
    body += generic(total, [x], [(0, 1), (0,)], rows, out + "_z", [full], row, ["%r = arith.addf %a0, %o : f32"])
    body += generic(mean, [total], [(0,), (0,)], ["parallel"], out + "_row", [row], row,
                    ["%r = arith.divf %a0, %count : f32"])
    body += generic(squares, [x, mean], [(0, 1), (0,), (0,)], rows, out + "_z", [full, row], row,
                    ["%d = arith.subf %a0, %a1 : f32", "%s = arith.mulf %d, %d : f32", "%r = arith.addf %s, %o : f32"])
    body += generic(scale, [squares], [(0,), (0,)], ["parallel"], out + "_row", [row], row,
                    ["%v = arith.divf %a0, %count : f32", "%w = arith.addf %v, %small : f32", "%r = math.rsqrt %w : f32"])
    widened, (wide_g, wide_b) = widen(dtype, 3, 4)
    last = ["%d = arith.subf %a0, %a1 : f32", "%e = arith.mulf %d, %a2 : f32", *widened,
            f"%f = arith.mulf %e, {wide_g} : f32"]
    last += [f"%r = arith.addf %f, {wide_b} : f32"] if dtype == "f32" else [
        f"%h = arith.addf %f, {wide_b} : f32", f"%r = arith.truncf %h : f32 to {dtype}"]
    body += [f"%{out}_e = tensor.empty() : {tensor(shape, dtype)}"]
    return body + generic(out, [x, mean, scale, g, b], [(0, 1), (0,), (0,), (1,), (1,), (0, 1)], each, out + "_e",
                          [full, row, row, ((n,), dtype), ((n,), dtype)], (shape, dtype), last)


def layernorm_case(m, n, dtype):
    body = ZERO + NORM + [f"%count = arith.constant {n}.0 : f32"] + layernorm("y", "x", "g", "b", (m, n), dtype)
    return Case(f"layernorm_{m}x{n}_{dtype}", dtype, [("x", (m, n), None), ("g", (n,), None), ("b", (n,), None)],
                body, (m, n), 0)


def attention(out, q, k, v, shape, positions, dtype):
    """Causal; scores and sums in f32. `positions`: that dim of the operands and of the result. The last dim is of
    elements, the others are of heads and a batch. Needs %root, the scale of scores."""
    rank = len(shape)
    s, others = shape[positions], [dim for dim in range(rank - 1) if dim != positions]
    loops = ["parallel"] * rank + ["reduction"]
    # Loops of the scores: the other dims in order, rows, columns, elements.
    loop = {dim: i for i, dim in enumerate(others)}
    rows, columns, inner = len(others), len(others) + 1, len(others) + 2
    scores = (*(shape[dim] for dim in others), s, s)

    def at(position, element):
        return tuple(element if dim == rank - 1 else position if dim == positions else loop[dim] for dim in range(rank))

    widened, (x, y) = widen(dtype, 0, 1)
    product = [*widened, f"%p = arith.mulf {x}, {y} : f32", "%r = arith.addf %o, %p : f32"]
    batch = tuple(range(len(others)))
    body = filled(out + "_qk_z", scores, "f32", "zero")
    body += generic(out + "_qk", [q, k], [at(rows, inner), at(columns, inner), (*batch, rows, columns)], loops,
                    out + "_qk_z", [(shape, dtype)] * 2, (scores, "f32"), product)
    body += elementwise(out + "_masked", [out + "_qk"], scores, ["f32", "f32"], [
        f"%i = linalg.index {rows} : index", f"%j = linalg.index {columns} : index",
        "%c = arith.cmpi ule, %j, %i : index", "%s = arith.mulf %a0, %root : f32",
        "%r = arith.select %c, %s, %low : f32"])
    weights = out + "_probs"
    body += softmax(weights, out + "_masked", scores)
    if dtype != "f32":
        body += elementwise(out + "_rounded", [weights], scores, ["f32", dtype],
                            [f"%r = arith.truncf %a0 : f32 to {dtype}"])
        weights = out + "_rounded"
    acc = out if dtype == "f32" else out + "_pv"
    body += filled(out + "_pv_z", shape, "f32", "zero")
    # Of the result: elements are the loop before the columns, which are reduced.
    body += generic(acc, [weights, v], [(*batch, rows, inner), at(inner, columns), at(rows, columns)], loops,
                    out + "_pv_z", [(scores, dtype), (shape, dtype)], (shape, "f32"), product)
    if dtype != "f32":
        body += elementwise(out, [acc], shape, ["f32", dtype], [f"%r = arith.truncf %a0 : f32 to {dtype}"])
    return body


def attention_case(h, s, d, dtype):
    """Of h heads, s positions, d elements."""
    shape = (h, s, d)
    body = ZERO + LOW + [f"%root = arith.constant {d ** -0.5} : f32"]
    body += attention("y", "q", "k", "v", shape, 1, dtype)
    return Case(f"attention_{h}x{s}x{d}_{dtype}", dtype, [(name, shape, None) for name in "qkv"], body, shape,
                4 * h * s * s * d)


def layer_case(b, s, d, h, f, dtype):
    """A transformer's layer: attention and an MLP, each behind a layer norm and added to what it read."""
    tokens, wide, heads = (b * s, d), (b * s, f), (b, s, h, d // h)
    body = ZERO + LOW + NORM + GELU_CONSTANTS + [
        f"%count = arith.constant {d}.0 : f32", f"%root = arith.constant {(d // h) ** -0.5} : f32"]
    body += layernorm("n1", "x", "g1", "b1", tokens, dtype)
    body += matmul("qkv", "n1", "wqkv", b * s, d, 3 * d, dtype)
    parts = tensor((b, s, 3, h, d // h), dtype)
    body += [f"%parts = tensor.expand_shape %qkv [[0, 1], [2, 3, 4]] output_shape [{b}, {s}, 3, {h}, {d // h}] : "
             f"{tensor((b * s, 3 * d), dtype)} into {parts}"]
    body += [f"%{name} = tensor.extract_slice %parts[0, 0, {i}, 0, 0] [{b}, {s}, 1, {h}, {d // h}] [1, 1, 1, 1, 1] : "
             f"{parts} to {tensor(heads, dtype)}" for i, name in enumerate(("queries", "keys", "values"))]
    body += attention("attended", "queries", "keys", "values", heads, 1, dtype)
    body += [f"%joined = tensor.collapse_shape %attended [[0, 1], [2, 3]] : {tensor(heads, dtype)} into {tensor(tokens, dtype)}"]
    body += matmul("projected", "joined", "wo", b * s, d, d, dtype)
    add = [f"%r = arith.addf %a0, %a1 : {dtype}"]
    body += elementwise("middle", ["x", "projected"], tokens, [dtype] * 3, add)
    body += layernorm("n2", "middle", "g2", "b2", tokens, dtype)
    body += matmul("up", "n2", "w1", b * s, d, f, dtype)
    body += elementwise("active", ["up"], wide, [dtype, dtype], in_f32(GELU, dtype))
    body += matmul("down", "active", "w2", b * s, f, d, dtype)
    body += elementwise("y", ["middle", "down"], tokens, [dtype] * 3, add)
    shapes = [("x", tokens), ("g1", (d,)), ("b1", (d,)), ("wqkv", (d, 3 * d)), ("wo", (d, d)), ("g2", (d,)),
              ("b2", (d,)), ("w1", (d, f)), ("w2", (f, d))]
    return Case(f"layer_{b}x{s}x{d}x{h}x{f}_{dtype}", dtype, [(name, shape, None) for name, shape in shapes], body,
                tokens, 2 * b * s * (4 * d * d + 2 * d * f) + 4 * b * s * s * d)


def softmax_case(m, n, mesh=None, name=None):
    shape = (m, n)
    body = ZERO + LOW + softmax("y", "x", shape)
    return Case(name or f"softmax_{m}x{n}_f32", "f32", [("x", shape, [[], ["tp"]])], body, shape, 0, mesh)


def local_cases():
    """One device: the quality of the generated code."""
    return [matmul_case(512, 512, 512, "f32"), matmul_case(1024, 1024, 1024, "f32"),
            matmul_case(2048, 2048, 2048, "f32"),
            matmul_case(8, 4096, 4096, "f32"), matmul_case(1024, 1024, 1024, "bf16"),
            matmul_case(2048, 2048, 2048, "bf16"), matmul_case(4096, 4096, 4096, "bf16"),
            matmul_case(4096, 1024, 64, "bf16"), *(matmul_case(m, 4096, 4096, "bf16") for m in (8, 16, 64)),
            *(linear_case(m, 4096, 4096, dtype) for dtype in ("f32", "bf16") for m in (8, 24)),
            byte_matmul_case(1024, 1024, 1024), byte_matmul_case(2048, 2048, 2048), byte_matmul_case(8, 4096, 4096),
            mlp_case(512, 1024, 4096), mlp_case(512, 1024, 4096, dtype="bf16"), softmax_case(4096, 4096),
            layernorm_case(4096, 4096, "f32"), layernorm_case(4096, 4096, "bf16"),
            *(attention_case(16, s, 64, dtype) for dtype in ("f32", "bf16") for s in (512, 1024)),
            *(layer_case(b, 512, 1024, 16, 4096, dtype) for dtype in ("f32", "bf16") for b in (1, 2))]


def sharded_cases():
    """Two devices: what is gained, and what communication costs."""
    tp = {"tp": 2}
    return [mlp_case(512, 1024, 4096, tp, "mlp_tp2"),
            matmul_case(1024, 1024, 1024, "f32", tp, "matmul_rows_tp2", ([["tp"], []], None)),
            matmul_case(1024, 4096, 1024, "f32", tp, "matmul_k_tp2", ([[], ["tp"]], [["tp"], []])),
            softmax_case(4096, 4096, tp, "softmax_columns_tp2")]
