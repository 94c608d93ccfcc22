#!/usr/bin/env python3
# The programs on which propagation's time and memory are measured.
#
# Requires: nothing but Python.
# Guarantees: a name and a size give one program for ever on one version of this file.
"""Programs that grow: scaling_programs.py NAME SIZE [--stablehlo] > f.mlir"""

import argparse

from twin_programs import Program


def chain(ops, annotate="all", dim=512):
    """matmul and maximum in turn, `ops` of them: the input over dp, weights split by columns, then rows, over tp."""
    p = Program({"dp": 2, "tp": 4})
    x = p.argument((dim, dim), [["dp"], []])
    weights = [p.argument((dim, dim), ([[], ["tp"]] if i % 2 == 0 else [["tp"], []]) if annotate == "all" or i < 2 else None)
               for i in range(ops // 2)]
    zero = p.constant((dim, dim), 0.0)
    for w in weights:
        x = p.binary("max", p.dot(x, w, ((1,), (0,))), zero)
    p.returns(x)
    return p


def elementwise(ops, dim=512):
    """One split argument through `ops` elementwise ops."""
    p = Program({"dp": 2, "tp": 4})
    x = first = p.argument((dim, dim), [["dp"], ["tp"]])
    for i in range(ops):
        x = p.unary("tanh", x) if i % 2 else p.binary("add", x, first)
    p.returns(x)
    return p


def doubled(levels, dim=64):
    """x = x + x: 2^levels paths to one value."""
    p = Program({"dp": 2, "tp": 4})
    x = p.argument((dim, dim), [["dp"], ["tp"]])
    for _ in range(levels):
        x = p.binary("add", x, x)
    p.returns(x)
    return p


def diamonds(levels, dim=64):
    """Each level splits in two branches, one a matmul, and joins again; neither branch is annotated."""
    p = Program({"dp": 2, "tp": 4})
    x = p.argument((dim, dim), [["dp"], []])
    w = p.argument((dim, dim), [[], ["tp"]])
    for _ in range(levels):
        x = p.binary("add", p.unary("tanh", x), p.unary("exp", p.dot(x, w, ((1,), (0,)))))
    p.returns(x)
    return p


def conflicted(levels, dim=64):
    """Diamonds whose branches want the same axis on different dims: each level is a conflict."""
    p = Program({"dp": 2, "tp": 4})
    x = p.argument((dim, dim), [["tp"], []])
    w = [p.argument((dim, dim), [[], ["tp"]]), p.argument((dim, dim), [["tp"], []])]
    for i in range(levels):
        x = p.binary("add", p.unary("tanh", x), p.unary("exp", p.dot(x, w[i % 2], ((1,), (0,)))))
    p.returns(x)
    return p


def fan_in(width, dim=64):
    """One op that reads `width` values, split by rows and by columns in turn."""
    p = Program({"dp": 2, "tp": 4})
    arguments = [p.argument((dim, dim), [["tp"], []] if i % 2 else [[], ["tp"]]) for i in range(width)]
    p.returns(p.fan_in([p.unary("tanh", a) for a in arguments]))
    return p


def fan_out(width, dim=64):
    """One value with `width` users, split by rows and by columns in turn, and their sum."""
    p = Program({"dp": 2, "tp": 4})
    x = p.unary("tanh", p.argument((dim, dim)))
    weights = [p.argument((dim, dim), [["tp"], []] if i % 2 else [[], ["tp"]]) for i in range(width)]
    total = None
    for w in weights:
        y = p.dot(x, w, ((1,), (0,)))
        total = y if total is None else p.binary("add", total, y)
    p.returns(total)
    return p


def gathers(count, dim=64):
    """A chain of matmuls by weights that are all split by columns: each product's columns must be gathered for the next."""
    p = Program({"dp": 2, "tp": 4})
    x = p.argument((dim, dim), [["dp"], ["tp"]])
    for _ in range(count):
        x = p.dot(x, p.argument((dim, dim), [[], ["tp"]]), ((1,), (0,)))
    p.returns(x, [["dp"], ["tp"]])
    return p


def layer_norm(p, x, gain, bias):
    n, rank = x.shape[-1], len(x.shape)
    rows = list(range(rank - 1))
    wide = lambda v: p.broadcast(v, x.shape, rows)
    mean = p.binary("mul", p.reduce("add", x, (rank - 1,)), p.constant(x.shape[:-1], 1 / n))
    centred = p.binary("sub", x, wide(mean))
    variance = p.binary("mul", p.reduce("add", p.binary("mul", centred, centred), (rank - 1,)), p.constant(x.shape[:-1], 1 / n))
    scale = p.unary("rsqrt", p.binary("add", variance, p.constant(x.shape[:-1], 1e-5)))
    y = p.binary("mul", centred, wide(scale))
    last = lambda v: p.broadcast(v, x.shape, (rank - 1,))
    return p.binary("add", p.binary("mul", y, last(gain)), last(bias))


def gelu(p, x):
    c = lambda number: p.constant(x.shape, number)
    cube = p.binary("mul", p.binary("mul", x, x), x)
    inner = p.binary("mul", p.binary("add", x, p.binary("mul", cube, c(0.044715))), c(0.7978845608))
    return p.binary("mul", p.binary("mul", x, c(0.5)), p.binary("add", p.unary("tanh", inner), c(1.0)))


def attention(p, x, wq, wk, wv, wo, mask=None):
    """x is [b, s, d], weights [d, h, k] and [h, k, d]; mask [s, s] is added to the scores."""
    q, k, v = [p.transpose(p.dot(x, w, ((2,), (0,))), (0, 2, 1, 3)) for w in (wq, wk, wv)]
    scores = p.dot(q, k, ((3,), (3,)), ((0, 1), (0, 1)))
    scores = p.binary("mul", scores, p.constant(scores.shape, q.shape[-1] ** -0.5))
    if mask:
        scores = p.binary("add", scores, p.broadcast(mask, scores.shape, (2, 3)))
    wide = lambda value: p.broadcast(value, scores.shape, (0, 1, 2))
    weights = p.unary("exp", p.binary("sub", scores, wide(p.reduce("max", scores, (3,)))))
    weights = p.binary("div", weights, wide(p.reduce("add", weights, (3,))))
    out = p.transpose(p.dot(weights, v, ((3,), (2,)), ((0, 1), (0, 1))), (0, 2, 1, 3))
    return p.dot(out, wo, ((2, 3), (0, 1)))


def layer_arguments(p, layers, tp, d, h, f):
    """Of each layer its norms, attention and feed-forward weights; matrices tensor-parallel over tp."""
    specs = [((d,), None), ((d,), None), *[((d, h, d // h), [[], tp, []])] * 3, ((h, d // h, d), [tp, [], []]), ((d,), None),
             ((d,), None), ((d, f), [[], tp]), ((f, d), [tp, []])]
    return [[p.argument(shape, placement) for shape, placement in specs] for _ in range(layers)]


def layer(p, x, weights, mask=None):
    g1, b1, wq, wk, wv, wo, g2, b2, w1, w2 = weights
    x = p.binary("add", x, attention(p, layer_norm(p, x, g1, b1), wq, wk, wv, wo, mask))
    return p.binary("add", x, p.dot(gelu(p, p.dot(layer_norm(p, x, g2, b2), w1, ((2,), (0,)))), w2, ((2,), (0,))))


def transformer(layers, backward=True, mesh=None, b=4, s=512, d=1024, h=16, f=4096):
    """Pre-norm layers, forward and (if asked for) backward to all weights, tensor-parallel over tp, batch over dp."""
    mesh = mesh or {"dp": 2, "tp": 4}
    p = Program(mesh)
    dp, tp = ["dp"] if "dp" in mesh else [], ["tp"]
    x = p.argument((b, s, d), [dp, [], []])
    weights = layer_arguments(p, layers, tp, d, h, f)
    dy = p.argument((b, s, d), [dp, [], []]) if backward else None
    for own in weights:
        x = layer(p, x, own)
    p.returns(x, [dp, [], []])
    if backward:
        wanted = [w for own in weights for w in own]
        for w, gradient in zip(wanted, p.gradients(x, dy, wanted)):
            p.returns(gradient, w.parameters["placement"] or [[] for _ in w.shape])
    return p


def gpt(layers, b=4, s=512, d=1024, h=16, f=4096, v=8192):
    """A step of training: tokens looked up in an embedding over tp that gives the logits as well, one mask for all layers,
    forward, backward, and each weight less its gradient times one rate. What all layers share joins them."""
    p = Program({"dp": 2, "tp": 4})
    dp, tp = ["dp"], ["tp"]
    tokens = p.argument((b, s, v), [dp, [], []])
    embedding = p.argument((v, d), [tp, []])
    mask, rate = p.argument((s, s)), p.argument(())
    weights = layer_arguments(p, layers, tp, d, h, f)
    x = p.dot(tokens, embedding, ((2,), (0,)))
    for own in weights:
        x = layer(p, x, own, mask)
    logits = p.dot(x, embedding, ((2,), (1,)))
    wanted = [embedding] + [w for own in weights for w in own]
    for w, gradient in zip(wanted, p.gradients(logits, p.argument(logits.shape, [dp, [], tp]), wanted)):
        p.returns(p.binary("sub", w, p.binary("mul", gradient, p.broadcast(rate, w.shape, ()))),
                  w.parameters["placement"] or [[] for _ in w.shape])
    return p


PROGRAMS = {
    "chain": chain, "chain_few": lambda n: chain(n, "few"), "elementwise": elementwise, "doubled": doubled,
    "diamonds": diamonds, "conflicted": conflicted, "fan_in": fan_in, "fan_out": fan_out, "gathers": gathers,
    "transformer_tp": lambda n: transformer(n, True, {"tp": 4}), "transformer_dp_tp": transformer,
    "transformer_forward": lambda n: transformer(n, False),
    "gpt": gpt,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=PROGRAMS)
    parser.add_argument("size", type=int)
    parser.add_argument("--stablehlo", action="store_true")
    parser.add_argument("--locations", action="store_true")
    args = parser.parse_args()
    program = PROGRAMS[args.name](args.size)
    print(program.stablehlo() if args.stablehlo else program.linalg(locations=args.locations), end="")


if __name__ == "__main__":
    main()
