#!/usr/bin/env python3
# Measures shardir-propose on models of real size beside plans made by hand.
#
# Requires: Python, and a build (--build). Prints to stdout; changes no file.
# Guarantees: a name and a size give one program on one version of this file.
"""Propose placements for stacks of layers, and compare them with plans made by hand.

    propose.py                     all models: time of the pass, and predicted cost of both placements
    propose.py gpt2_train --print  one program without placements, on stdout
    propose.py gpt2_train --print --plan    the same with the plan made by hand
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from scaling_programs import gelu, layer_norm
from twin_programs import Program

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Model(Program):
    """A program whose arguments have names and, in the plan made by hand, splits."""

    def __init__(self, mesh):
        super().__init__(mesh)
        self.names = []

    def parameter(self, name, shape, plan=None):
        self.names.append(name)
        on_mesh = lambda dim: [] if any(isinstance(axis, str) and axis not in self.mesh for axis in dim) else dim
        return self.argument(shape, [on_mesh(dim) for dim in plan] if plan else [[] for _ in shape])

    def text(self, planned):
        placed = [v.parameters["placement"] for v in self.arguments]
        if not planned:
            for value in self.arguments:
                value.parameters["placement"] = None
        # One argument is left for the search, which then gives the plan's cost.
        names = self.names + ["unused"]
        self.argument((1,))
        text = self.linalg()
        self.arguments.pop()
        self.values.pop()
        for value, placement in zip(self.arguments, placed):
            value.parameters["placement"] = placement
        numbers = iter(names)

        def named(match):
            rest = match["rest"]
            return f'{match["type"]} {{shardir.name = "{next(numbers)}"{", " + rest if rest else ""}}}'

        head, body = text.split(") -> ", 1)
        head = re.sub(r"(?P<type>%v\d+: tensor<[^>]*>)(?: \{(?P<rest>shardir\.placement = #shardir\.placement<[^>]*>)\})?",
                      named, head)
        return head + ") -> " + body


def rms_norm(p, x, gain):
    n, rank = x.shape[-1], len(x.shape)
    square = p.binary("mul", p.reduce("add", p.binary("mul", x, x), (rank - 1,)), p.constant(x.shape[:-1], 1 / n))
    scale = p.unary("rsqrt", p.binary("add", square, p.constant(x.shape[:-1], 1e-5)))
    y = p.binary("mul", x, p.broadcast(scale, x.shape, list(range(rank - 1))))
    return p.binary("mul", y, p.broadcast(gain, x.shape, (rank - 1,)))


def biased(p, x, b):
    return p.binary("add", x, p.broadcast(b, x.shape, (len(x.shape) - 1,)))


def linear(p, x, w, b=None):
    y = p.dot(x, w, ((len(x.shape) - 1,), (0,)))
    return biased(p, y, b) if b else y


def softmax(p, x):
    wide = lambda value: p.broadcast(value, x.shape, list(range(len(x.shape) - 1)))
    e = p.unary("exp", p.binary("sub", x, wide(p.reduce("max", x, (len(x.shape) - 1,)))))
    return p.binary("div", e, wide(p.reduce("add", e, (len(x.shape) - 1,))))


def attend(p, q, k, v, mask=None):
    """q, k, v are [b, s, h, k]; the result is [b, s, h * k]."""
    q, k, v = (p.transpose(t, (0, 2, 1, 3)) for t in (q, k, v))
    scores = p.dot(q, k, ((3,), (3,)), ((0, 1), (0, 1)))
    scores = p.binary("mul", scores, p.constant(scores.shape, q.shape[-1] ** -0.5))
    if mask:
        scores = p.binary("add", scores, p.broadcast(mask, scores.shape, (2, 3)))
    out = p.transpose(p.dot(softmax(p, scores), v, ((3,), (2,)), ((0, 1), (0, 1))), (0, 2, 1, 3))
    return p.reshape(out, (out.shape[0], out.shape[1], out.shape[2] * out.shape[3]))


def heads(p, x, h):
    return p.reshape(x, (*x.shape[:2], h, x.shape[2] // h))


COLUMNS, ROWS = [[], ["tp"]], [["tp"], []]


def gpt2(mesh, layers=12, b=8, s=1024, d=768, h=12, v=50257, train=False, fused=False):
    """GPT-2: embeddings looked up by one-hot tokens, logits by the same table; with `fused` queries, keys and values are
    slices of one product, as Hugging Face has them."""
    p = Model(mesh)
    weights = []
    add = lambda *own: weights.append(p.parameter(*own)) or weights[-1]
    wte = add("transformer.wte.weight", (v, d), ROWS)
    wpe = add("transformer.wpe.weight", (s, d))
    stack = []
    for i in range(layers):
        at = f"transformer.h.{i}."
        own = [add(at + "ln_1.weight", (d,)), add(at + "ln_1.bias", (d,))]
        if fused:
            own += [add(at + "attn.c_attn.weight", (d, 3 * d), [[], [3, "tp"]]), add(at + "attn.c_attn.bias", (3 * d,), [[3, "tp"]])]
        else:
            for name in ("q", "k", "v"):
                own += [add(at + f"attn.{name}.weight", (d, d), COLUMNS), add(at + f"attn.{name}.bias", (d,), [["tp"]])]
        own += [add(at + "attn.c_proj.weight", (d, d), ROWS), add(at + "attn.c_proj.bias", (d,)),
                add(at + "ln_2.weight", (d,)), add(at + "ln_2.bias", (d,)),
                add(at + "mlp.c_fc.weight", (d, 4 * d), COLUMNS), add(at + "mlp.c_fc.bias", (4 * d,), [["tp"]]),
                add(at + "mlp.c_proj.weight", (4 * d, d), ROWS), add(at + "mlp.c_proj.bias", (d,))]
        stack.append(own)
    lnf = [add("transformer.ln_f.weight", (d,)), add("transformer.ln_f.bias", (d,))]
    tokens = p.parameter("tokens", (b, s, v), [["dp"], [], []])
    mask = p.parameter("mask", (s, s))
    x = p.dot(tokens, wte, ((2,), (0,)))
    x = p.binary("add", x, p.broadcast(wpe, x.shape, (1, 2)))
    for own in stack:
        n = layer_norm(p, x, own[0], own[1])
        if fused:
            joined = linear(p, n, own[2], own[3])
            q, k, u = (heads(p, p.slice(joined, (0, 0, i * d), (b, s, (i + 1) * d)), h) for i in range(3))
            rest = own[4:]
        else:
            q, k, u = (heads(p, linear(p, n, own[i], own[i + 1]), h) for i in (2, 4, 6))
            rest = own[8:]
        x = p.binary("add", x, linear(p, attend(p, q, k, u, mask), rest[0], rest[1]))
        n = layer_norm(p, x, rest[2], rest[3])
        x = p.binary("add", x, linear(p, gelu(p, linear(p, n, rest[4], rest[5])), rest[6], rest[7]))
    logits = p.dot(layer_norm(p, x, *lnf), wte, ((2,), (1,)))
    if not train:
        p.returns(logits)
        return p
    rate = p.parameter("rate", ())
    given = p.parameter("dlogits", logits.shape, [["dp"], [], ["tp"]])
    for w, gradient in zip(weights, p.gradients(logits, given, weights)):
        p.returns(p.binary("sub", w, p.binary("mul", gradient, p.broadcast(rate, w.shape, ()))))
    return p


def llama(mesh, layers=16, b=4, s=2048, d=2048, h=32, groups=8, f=8192, v=32000):
    """Llama's layers: no biases, gated perceptrons, several queries for one key."""
    p = Model(mesh)
    k = d // h
    stack = []
    table = p.parameter("model.embed_tokens.weight", (v, d), ROWS)
    for i in range(layers):
        at = f"model.layers.{i}."
        stack.append([p.parameter(at + name, shape, plan) for name, shape, plan in (
            ("input_layernorm.weight", (d,), None), ("self_attn.q_proj.weight", (d, d), COLUMNS),
            ("self_attn.k_proj.weight", (d, groups * k), COLUMNS), ("self_attn.v_proj.weight", (d, groups * k), COLUMNS),
            ("self_attn.o_proj.weight", (d, d), ROWS), ("post_attention_layernorm.weight", (d,), None),
            ("mlp.gate_proj.weight", (d, f), COLUMNS), ("mlp.up_proj.weight", (d, f), COLUMNS),
            ("mlp.down_proj.weight", (f, d), ROWS))])
    norm, head = p.parameter("model.norm.weight", (d,)), p.parameter("lm_head.weight", (d, v), COLUMNS)
    tokens, mask = p.parameter("tokens", (b, s, v), [["dp"], [], []]), p.parameter("mask", (s, s))
    x = p.dot(tokens, table, ((2,), (0,)))
    for g1, wq, wk, wv, wo, g2, gate, up, down in stack:
        n = rms_norm(p, x, g1)
        q = p.reshape(linear(p, n, wq), (b, s, groups, h // groups, k))
        keys, values = (p.transpose(p.reshape(linear(p, n, w), (b, s, groups, k)), (0, 2, 1, 3)) for w in (wk, wv))
        q = p.transpose(q, (0, 2, 3, 1, 4))
        scores = p.dot(q, keys, ((4,), (3,)), ((0, 1), (0, 1)))
        scores = p.binary("mul", scores, p.constant(scores.shape, k ** -0.5))
        scores = softmax(p, p.binary("add", scores, p.broadcast(mask, scores.shape, (3, 4))))
        out = p.transpose(p.dot(scores, values, ((4,), (2,)), ((0, 1), (0, 1))), (0, 3, 1, 2, 4))
        x = p.binary("add", x, linear(p, p.reshape(out, (b, s, d)), wo))
        n = rms_norm(p, x, g2)
        g = linear(p, n, gate)
        silu = p.binary("div", g, p.binary("add", p.constant(g.shape, 1.0), p.unary("exp", p.unary("neg", g))))
        x = p.binary("add", x, linear(p, p.binary("mul", silu, linear(p, n, up)), down))
    p.returns(linear(p, rms_norm(p, x, norm), head))
    return p


def moe(mesh, layers=8, b=8, s=512, d=1024, h=16, e=8, f=4096):
    """Attention, then a mixture of experts over all tokens, weighed by a softmax: the experts over tp."""
    p = Model(mesh)
    stack = []
    x = p.parameter("x", (b, s, d), [["dp"], [], []])
    for i in range(layers):
        at = f"layers.{i}."
        stack.append([p.parameter(at + name, shape, plan) for name, shape, plan in (
            ("norm1.weight", (d,), None), ("q.weight", (d, d), COLUMNS), ("k.weight", (d, d), COLUMNS),
            ("v.weight", (d, d), COLUMNS), ("o.weight", (d, d), ROWS), ("norm2.weight", (d,), None),
            ("gate.weight", (d, e), COLUMNS), ("experts.up", (e, d, f), [["tp"], [], []]),
            ("experts.down", (e, f, d), [["tp"], [], []]))])
    for g1, wq, wk, wv, wo, g2, gate, up, down in stack:
        n = rms_norm(p, x, g1)
        q, k, u = (heads(p, linear(p, n, w), h) for w in (wq, wk, wv))
        x = p.binary("add", x, linear(p, attend(p, q, k, u), wo))
        n = rms_norm(p, x, g2)
        gates = softmax(p, linear(p, n, gate))  # [b, s, e]
        hidden = p.dot(n, up, ((2,), (1,)))  # [b, s, e, f]
        hidden = p.binary("max", hidden, p.constant(hidden.shape, 0.0))
        hidden = p.binary("mul", hidden, p.broadcast(gates, hidden.shape, (0, 1, 2)))
        x = p.binary("add", x, p.dot(hidden, down, ((2, 3), (0, 1))))
    p.returns(x)
    return p


def vit(mesh, layers=12, b=32, s=196, d=768, h=12, classes=1000):
    """A vision transformer: patches in, classes out; data parallel by hand."""
    p = Model(mesh)
    both = [["dp", "tp"]]
    x = p.parameter("patches", (b, s, d), both + [[], []])
    project, positions = p.parameter("patch.weight", (d, d)), p.parameter("positions", (s, d))
    stack = [[p.parameter(f"blocks.{i}.{name}", shape) for name, shape in (
        ("norm1.weight", (d,)), ("norm1.bias", (d,)), ("q.weight", (d, d)), ("k.weight", (d, d)), ("v.weight", (d, d)),
        ("o.weight", (d, d)), ("norm2.weight", (d,)), ("norm2.bias", (d,)), ("fc1.weight", (d, 4 * d)), ("fc1.bias", (4 * d,)),
        ("fc2.weight", (4 * d, d)), ("fc2.bias", (d,)))] for i in range(layers)]
    head = p.parameter("head.weight", (d, classes))
    x = linear(p, x, project)
    x = p.binary("add", x, p.broadcast(positions, x.shape, (1, 2)))
    for g1, b1, wq, wk, wv, wo, g2, b2, w1, c1, w2, c2 in stack:
        n = layer_norm(p, x, g1, b1)
        q, k, u = (heads(p, linear(p, n, w), h) for w in (wq, wk, wv))
        x = p.binary("add", x, linear(p, attend(p, q, k, u), wo))
        x = p.binary("add", x, linear(p, gelu(p, linear(p, layer_norm(p, x, g2, b2), w1, c1)), w2, c2))
    pooled = p.reduce("add", x, (1,))
    p.returns(linear(p, pooled, head))
    return p


DP_TP = {"dp": 2, "tp": 4}
MODELS = {
    "gpt2_tp": lambda: gpt2({"tp": 4}, b=1), "gpt2": lambda: gpt2(DP_TP), "gpt2_fused": lambda: gpt2(DP_TP, fused=True),
    "gpt2_train": lambda: gpt2(DP_TP, train=True), "llama": lambda: llama(DP_TP), "moe": lambda: moe(DP_TP),
    "vit": lambda: vit(DP_TP),
}


def cost(build, text, options=""):
    """(seconds of the pass, the chosen candidate of the JSON file)."""
    with tempfile.TemporaryDirectory() as folder:
        program, log = os.path.join(folder, "p.mlir"), os.path.join(folder, "log.json")
        with open(program, "w") as f:
            f.write(text)
        began = time.time()
        run = subprocess.run([os.path.join(build, "bin", "shard-opt"), program, f"-shardir-propose=file={log} {options}",
                              "-o", os.devnull], capture_output=True, text=True)
        took = time.time() - began
        if run.returncode:
            sys.exit(run.stderr[-3000:])
        function = json.load(open(log))["functions"][0]
        return took, function["candidates"][0], function["attempts"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", choices=[*MODELS, []], metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--print", action="store_true", help="print the program")
    parser.add_argument("--plan", action="store_true", help="with the plan made by hand")
    parser.add_argument("--options", default="", help="of shardir-propose, such as memory-limit=1000000000")
    args = parser.parse_args()
    for name in args.models or MODELS:
        model = MODELS[name]()
        if args.print:
            print(model.text(args.plan))
            continue
        took, found, attempts = cost(args.build, model.text(False), args.options)
        _, planned, _ = cost(args.build, model.text(True))
        print(f"{name}: {took:.1f} s, {attempts} attempts: {found['seconds']:.3f} s, {found['bytes_per_device'] / 1e6:.0f} MB, "
              f"peak {found['peak_bytes_per_device'] / 1e6:.0f} MB; by hand {planned['seconds']:.3f} s, "
              f"{planned['bytes_per_device'] / 1e6:.0f} MB, peak {planned['peak_bytes_per_device'] / 1e6:.0f} MB", flush=True)
        print(f"  {found['splits']}")


if __name__ == "__main__":
    main()
