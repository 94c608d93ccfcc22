#!/usr/bin/env python3
# Writes random programs of ops that read through windows (convolutions, poolings,
# pads, slices, concatenations, shifted accesses) and runs each with
# `shard-run --verify`.
#
# Requires: shard-run and shard-compile; nothing but Python.
# Guarantees: a seed names one program for ever on one version of this file. Tensors
# hold integers, so that sharded and unsharded results are equal to the bit. A
# program that fails is cut down to the op that does and written to the output folder.
"""Run random window ops on random meshes and placements against their unsharded form."""

import argparse
import os
import random
import subprocess
import sys

MESHES = [("x=2",), ("x=3",), ("x=4",), ("x=2", "y=2"), ("x=3", "y=2"), ("x=5",)]


class Op:
    """One op on tensors of its own: lines that define `%r`, and what they take."""

    def __init__(self):
        self.args, self.lines, self.shape = [], [], None

    def arg(self, shape):
        self.args.append(shape)
        return f"%a{len(self.args) - 1}", tensor(shape)


def tensor(shape):
    return "tensor<" + "".join(f"{n}x" for n in shape) + "i32>"


def fill(op, shape, value, name):
    op.lines += [f"%c{name} = arith.constant {value} : i32",
                 f"%e{name} = tensor.empty() : {tensor(shape)}",
                 f"%{name} = linalg.fill ins(%c{name} : i32) outs(%e{name} : {tensor(shape)}) -> {tensor(shape)}"]
    return f"%{name}"


def contraction(op, maps, kinds, inputs, types, acc, shape):
    """%r: products of two inputs, added to `acc`."""
    iterators = ", ".join(f'"{kind}"' for kind in kinds)
    op.lines += [f"%r = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterators}]}} ins({', '.join(inputs)} : {', '.join(types)}) outs({acc} : {tensor(shape)}) {{",
                 "^bb0(%x: i32, %w: i32, %o: i32):",
                 "  %m = arith.muli %x, %w : i32",
                 "  %s = arith.addi %m, %o : i32",
                 "  linalg.yield %s : i32",
                 f"}} -> {tensor(shape)}"]


def maybe_pad(rng, op, shape, spatial):
    """A tensor of `shape` at most, padded to it now and then as exporters do."""
    low = [rng.choice([0, 0, 1, 2]) if d in spatial and rng.random() < 0.6 else 0 for d in range(len(shape))]
    high = [rng.choice([0, 1, 2]) if d in spatial and rng.random() < 0.6 else 0 for d in range(len(shape))]
    inner = [n - a - b for n, a, b in zip(shape, low, high)]
    if min(inner) < 1 or not any(low + high):
        return op.arg(shape)[0]
    name, kind = op.arg(inner)
    if rng.random() < 0.3:
        # As stablehlo's dilated pads are lowered: into a filled tensor.
        into = fill(op, shape, rng.choice([0, 1]), "z")
        op.lines.append(f"%p = tensor.insert_slice {name} into {into}{low} {inner} {[1] * len(shape)} : {kind} into {tensor(shape)}")
    else:
        op.lines += [f"%pz = arith.constant {rng.choice([0, 0, -3])} : i32",
                     f"%p = tensor.pad {name} low{low} high{high} {{",
                     "^bb0(" + ", ".join(f"%i{d}: index" for d in range(len(shape))) + "):",
                     "  tensor.yield %pz : i32",
                     f"}} : {kind} to {tensor(shape)}"]
    return "%p"


def window_op(rng):
    """A convolution or pooling of one to three spatial dims, named or generic."""
    op = Op()
    rank = rng.choice([1, 2, 2, 2, 3])
    batch, cin, cout = rng.choice([1, 1, 2, 3]), rng.choice([1, 2, 3]), rng.choice([1, 2, 4])
    kernel = [rng.choice([1, 2, 3, 3, 5]) for _ in range(rank)]
    strides = [rng.choice([1, 1, 1, 2, 3]) for _ in range(rank)]
    dilations = [rng.choice([1, 1, 1, 2]) for _ in range(rank)]
    out = [rng.choice([1, 2, 3, 4, 5, 7, 8]) for _ in range(rank)]
    extra = [rng.choice([0, 0, 1]) for _ in range(rank)]
    inside = [(o - 1) * s + (k - 1) * d + 1 + e for o, s, k, d, e in zip(out, strides, kernel, dilations, extra)]
    spatial = list(range(1, rank + 1))
    attrs = f"{{dilations = dense<{dilations}> : tensor<{rank}xi64>, strides = dense<{strides}> : tensor<{rank}xi64>}}"
    kind = rng.choice(["conv", "conv", "generic", "depthwise", "sum", "max", "min"])
    x_shape = [batch, *inside, cin]
    x = maybe_pad(rng, op, x_shape, spatial)
    x_type = tensor(x_shape)
    if kind in ("sum", "max", "min") and rank == 3:
        kind = "conv"
    if kind == "depthwise" and rank == 3:
        kind = "generic"
    if kind in ("sum", "max", "min"):
        name = {1: "nwc", 2: "nhwc"}[rank]
        shape = [batch, *out, cin]
        acc = fill(op, shape, {"sum": 0, "max": -2147483648, "min": 2147483647}[kind], "f")
        op.lines.append(f"%k = tensor.empty() : {tensor(kernel)}")
        op.lines.append(f"%r = linalg.pooling_{name}_{kind} {attrs} ins({x}, %k : {x_type}, {tensor(kernel)}) outs({acc} : {tensor(shape)}) -> {tensor(shape)}")
    elif kind == "depthwise":
        name = {1: "1d_nwc_wc", 2: "2d_nhwc_hwc"}[rank]
        w_shape = [*kernel, cin]
        w, w_type = op.arg(w_shape)
        shape = [batch, *out, cin]
        acc = fill(op, shape, 0, "f")
        op.lines.append(f"%r = linalg.depthwise_conv_{name} {attrs} ins({x}, {w} : {x_type}, {w_type}) outs({acc} : {tensor(shape)}) -> {tensor(shape)}")
    elif kind == "conv":
        name = {1: "1d_nwc_wcf", 2: "2d_nhwc_hwcf", 3: "3d_ndhwc_dhwcf"}[rank]
        w, w_type = op.arg([*kernel, cin, cout])
        shape = [batch, *out, cout]
        acc = fill(op, shape, rng.choice([0, 0, 7]), "f")
        op.lines.append(f"%r = linalg.conv_{name} {attrs} ins({x}, {w} : {x_type}, {w_type}) outs({acc} : {tensor(shape)}) -> {tensor(shape)}")
    else:
        # Loops: batch, out…, cout, kernel…, cin; the kernel reversed now and then.
        w, w_type = op.arg([*kernel, cin, cout])
        shape = [batch, *out, cout]
        acc = fill(op, shape, 0, "f")
        loops = 2 * rank + 3
        names = ", ".join(f"d{i}" for i in range(loops))
        flip = rng.random() < 0.4
        taps = [f"d{rank + 2 + i}" for i in range(rank)]
        reads = []
        for i in range(rank):
            # A window that is read backwards starts at its end.
            tap = f"{taps[i]} * {dilations[i]}"
            if flip:
                tap = f"{(kernel[i] - 1) * dilations[i]} - {tap}"
            reads.append(f"d{i + 1} * {strides[i]} + {tap}")
        maps = [f"affine_map<({names}) -> (d0, {', '.join(reads)}, d{loops - 1})>",
                f"affine_map<({names}) -> ({', '.join(taps)}, d{loops - 1}, d{rank + 1})>",
                f"affine_map<({names}) -> ({', '.join(f'd{i}' for i in range(rank + 2))})>"]
        kinds = ["parallel"] * (rank + 2) + ["reduction"] * (rank + 1)
        contraction(op, maps, kinds, [x, w], [x_type, w_type], acc, shape)
    op.shape = shape
    return op


def weight_gradient(rng):
    """The gradient of a convolution's kernel: the window runs over the long dim."""
    op = Op()
    taps, out, channels = rng.choice([2, 3, 5]), rng.choice([4, 5, 8, 9]), rng.choice([1, 2])
    stride, dilation = rng.choice([1, 2]), rng.choice([1, 2])
    x_shape = [2, (out - 1) * stride + (taps - 1) * dilation + 1, channels]
    x = maybe_pad(rng, op, x_shape, [1])
    g, g_type = op.arg([2, out, 3])
    shape = [taps, channels, 3]
    acc = fill(op, shape, 0, "f")
    maps = [f"affine_map<(k, c, f, n, o) -> (n, k * {dilation} + o * {stride}, c)>",
            "affine_map<(k, c, f, n, o) -> (n, o, f)>", "affine_map<(k, c, f, n, o) -> (k, c, f)>"]
    contraction(op, maps, ["parallel"] * 3 + ["reduction"] * 2, [x, g], [tensor(x_shape), g_type], acc, shape)
    op.shape = shape
    return op


def shifted(rng):
    """A stencil: tensors read at several offsets, by rows of the whole tensor."""
    op = Op()
    n, m = rng.choice([3, 6, 8, 11]), rng.choice([1, 4])
    offsets = sorted(rng.sample(range(4), rng.choice([1, 2, 3])))
    stride = rng.choice([1, 1, 2])
    # A map that is plain, i alone, is of the loop's own extent.
    inputs = [op.arg([(n - 1) * stride + o + 1 + (rng.choice([0, 1]) if o or stride > 1 else 0), m]) for o in offsets]
    maps = [f"affine_map<(i, j) -> (i * {stride} + {o}, j)>" for o in offsets] + ["affine_map<(i, j) -> (i, j)>"]
    op.shape = [n, m]
    acc = fill(op, op.shape, 0, "f")
    ins = ", ".join(name for name, _ in inputs)
    types = ", ".join(kind for _, kind in inputs)
    op.lines += [f"%r = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [\"parallel\", \"parallel\"]}} ins({ins} : {types}) outs({acc} : {tensor(op.shape)}) {{",
                 "^bb0(" + ", ".join(f"%x{i}: i32" for i in range(len(offsets))) + ", %o: i32):",
                 "  %i = linalg.index 0 : index",
                 "  %n = arith.index_cast %i : index to i32",
                 "  %s0 = arith.addi %n, %o : i32"]
    for i in range(len(offsets)):
        op.lines.append(f"  %s{i + 1} = arith.addi %s{i}, %x{i} : i32")
    op.lines += [f"  linalg.yield %s{len(offsets)} : i32", f"}} -> {tensor(op.shape)}"]
    return op


def extract(rng):
    op = Op()
    shape = [rng.choice([1, 4, 7, 8, 16]), rng.choice([2, 3, 8])]
    x, x_type = op.arg(shape)
    offsets, sizes, strides, dynamic = [], [], [], []
    for d, n in enumerate(shape):
        stride = rng.choice([1, 1, 2, 3])
        size = rng.randint(1, (n - 1) // stride + 1)
        last = n - 1 - (size - 1) * stride
        offset = rng.randint(0, last)
        if rng.random() < 0.4:
            # As exporters write it: the start clamped by the whole tensor.
            start, limit = op.arg([])[0], last
            op.lines += [f"%s{d} = tensor.extract {start}[] : tensor<i32>", f"%z{d} = arith.constant 0 : i32",
                         f"%l{d} = arith.constant {limit} : i32", f"%u{d} = arith.maxsi %s{d}, %z{d} : i32",
                         f"%v{d} = arith.minsi %u{d}, %l{d} : i32", f"%o{d} = arith.index_cast %v{d} : i32 to index"]
            offset = f"%o{d}"
        offsets.append(offset)
        sizes.append(size)
        strides.append(stride)
    text = f"[{', '.join(map(str, offsets))}] {sizes} {strides}"
    op.shape = sizes
    if rng.random() < 0.3 and 1 in sizes:
        drop = sizes.index(1)
        op.shape = [n for d, n in enumerate(sizes) if d != drop]
    op.lines.append(f"%r = tensor.extract_slice {x}{text} : {x_type} to {tensor(op.shape)}")
    return op


def insert(rng):
    op = Op()
    shape = [rng.choice([1, 4, 7, 8, 16]), rng.choice([2, 3, 8])]
    sizes, strides, offsets = [], [], []
    starts = []
    for d, n in enumerate(shape):
        stride = rng.choice([1, 1, 2, 3])
        size = rng.randint(1, (n - 1) // stride + 1)
        last = n - 1 - (size - 1) * stride
        offset = rng.randint(0, last)
        if rng.random() < 0.4:
            starts.append((d, last))
            offset = f"%o{d}"
        offsets.append(offset)
        sizes.append(size)
        strides.append(stride)
    source = sizes
    if rng.random() < 0.3 and 1 in sizes:
        drop = sizes.index(1)
        source = [n for d, n in enumerate(sizes) if d != drop]
    s, s_type = op.arg(source)
    t, t_type = op.arg(shape)
    for d, last in starts:
        start = op.arg([])[0]
        op.lines += [f"%s{d} = tensor.extract {start}[] : tensor<i32>", f"%z{d} = arith.constant 0 : i32",
                     f"%l{d} = arith.constant {last} : i32", f"%u{d} = arith.maxsi %s{d}, %z{d} : i32",
                     f"%v{d} = arith.minsi %u{d}, %l{d} : i32", f"%o{d} = arith.index_cast %v{d} : i32 to index"]
    op.lines.append(f"%r = tensor.insert_slice {s} into {t}[{', '.join(map(str, offsets))}] {sizes} {strides} : {s_type} into {t_type}")
    op.shape = shape
    return op


def concat(rng):
    op = Op()
    dim, other = rng.choice([0, 1]), rng.choice([1, 3, 4])
    parts = [rng.choice([1, 1, 2, 3, 5, 8]) for _ in range(rng.choice([2, 2, 3]))]
    def shape(n):
        return [n, other] if dim == 0 else [other, n]
    inputs = [op.arg(shape(n)) for n in parts]
    op.shape = shape(sum(parts))
    op.lines.append(f"%r = tensor.concat dim({dim}) {', '.join(n for n, _ in inputs)} : ({', '.join(t for _, t in inputs)}) -> {tensor(op.shape)}")
    return op


def roll(rng):
    """What rolls are written as: two slices of one tensor, joined the other way around."""
    op = Op()
    dim, n, other = rng.choice([0, 1]), rng.choice([3, 4, 8, 9]), rng.choice([2, 4])
    k = rng.randint(1, n - 1)
    def shape(m):
        return [m, other] if dim == 0 else [other, m]
    def at(o):
        return [o, 0] if dim == 0 else [0, o]
    x, x_type = op.arg(shape(n))
    op.lines += [f"%h = tensor.extract_slice {x}{at(n - k)} {shape(k)} [1, 1] : {x_type} to {tensor(shape(k))}",
                 f"%t = tensor.extract_slice {x}{at(0)} {shape(n - k)} [1, 1] : {x_type} to {tensor(shape(n - k))}",
                 f"%r = tensor.concat dim({dim}) %h, %t : ({tensor(shape(k))}, {tensor(shape(n - k))}) -> {x_type}"]
    op.shape = shape(n)
    if rng.random() < 0.5:
        # Read through a window again.
        op.lines[-1] = op.lines[-1].replace("%r", "%q")
        start, size = rng.randint(0, n - 1), None
        size = rng.randint(1, n - start)
        op.shape = shape(size)
        op.lines.append(f"%r = tensor.extract_slice %q{at(start)} {shape(size)} [1, 1] : {x_type} to {tensor(shape(size))}")
    return op


def pad(rng):
    op = Op()
    shape = [rng.choice([1, 3, 4, 8]), rng.choice([1, 2, 5])]
    low, high = [rng.choice([0, 1, 3]) for _ in shape], [rng.choice([0, 1, 4]) for _ in shape]
    x, x_type = op.arg(shape)
    op.shape = [n + a + b for n, a, b in zip(shape, low, high)]
    op.lines += [f"%r = tensor.pad {x} low{low} high{high} {{", "^bb0(%i: index, %j: index):"]
    if rng.random() < 0.5:
        op.lines += ["  %k = arith.muli %i, %i : index", "  %l = arith.addi %k, %j : index",
                     "  %y = arith.index_cast %l : index to i32"]
    else:
        op.lines += ["  %y = arith.constant 5 : i32"]
    op.lines += ["  tensor.yield %y : i32", f"}} : {x_type} to {tensor(op.shape)}"]
    return op


KINDS = [window_op, window_op, window_op, weight_gradient, shifted, extract, insert, concat, roll, pad]


def placement(rng, shape, axes):
    dims = [[] for _ in shape]
    if shape:
        for axis in axes:
            if rng.random() < 0.7:
                dims[rng.randrange(len(shape))].append(f'"{axis}"')
    return "#shardir.placement<@m, [" + ", ".join("{" + ", ".join(d) + "}" for d in dims) + "]>"


class Program:
    def __init__(self, seed, count, only=None):
        rng = random.Random(seed)
        mesh = rng.choice(MESHES)
        self.axes = [a.split("=")[0] for a in mesh]
        self.mesh = ", ".join(f'"{a}"={n}' for a, n in (m.split("=") for m in mesh))
        self.functions = []
        for i in range(count):
            op = rng.choice(KINDS)(rng)
            marked = [rng.random() < 0.6 for _ in op.args]
            places = [placement(rng, s, self.axes) if m and s else None for s, m in zip(op.args, marked)]
            result = placement(rng, op.shape, self.axes) if rng.random() < 0.5 or not any(places) else None
            if only is None or i in only:
                self.functions.append((i, op, places, result))

    def text(self):
        args, body, returned, types = [], [], [], []
        for i, op, places, result in self.functions:
            def rename(line):
                return line.replace("%", f"%v{i}_")
            for a, (shape, place) in enumerate(zip(op.args, places)):
                mark = f" {{shardir.placement = {place}}}" if place else ""
                args.append(f"%v{i}_a{a}: {tensor(shape)}{mark}")
            body += ["  " + rename(line) for line in op.lines]
            returned.append(f"%v{i}_r")
            types.append(tensor(op.shape) + (f" {{shardir.placement = {result}}}" if result else ""))
        plain = ", ".join(tensor(op.shape) for _, op, _, _ in self.functions)
        return "\n".join([f"shardir.mesh @m <[{self.mesh}]>",
                          f"func.func @main({', '.join(args)}) -> ({', '.join(types)}) {{", *body,
                          f"  return {', '.join(returned)} : {plain}", "}", ""])


def run(tool, program, folder, name):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(program.text())
    try:
        done = subprocess.run([tool, path, "--verify", "--timeout=60"], capture_output=True, text=True, timeout=240)
    except subprocess.TimeoutExpired:
        return "hangs"
    said = done.stdout + done.stderr
    return None if done.returncode == 0 and " differs " not in said else f"status {done.returncode}\n{said}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/bin/shard-run", help="shard-run")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=10, help="how many programs")
    parser.add_argument("--ops", type=int, default=8, help="ops per program")
    parser.add_argument("--output", default="build/fuzz-windows", help="where programs are written")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    failures = 0
    for seed in range(options.seed, options.seed + options.count):
        said = run(options.tool, Program(seed, options.ops), options.output, "now.mlir")
        if said is None:
            continue
        failures += 1
        # The ops are independent: the first that fails alone says more.
        for i in range(options.ops):
            name = f"seed-{seed}-op-{i}.mlir"
            alone = run(options.tool, Program(seed, options.ops, {i}), options.output, name)
            if alone is not None:
                said = f"{name}: {alone}"
                break
            os.remove(os.path.join(options.output, name))
        print(f"seed {seed}: {said}", file=sys.stderr)
    print(f"{options.count - failures} programs of {options.ops} ops equal, {failures} not")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
