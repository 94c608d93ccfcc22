# The models of models.py: functions of JAX with arguments and shardings, and one of
# them in PyTorch too.
#
# Requires: JAX; PyTorch for `torch_gpt` alone.
# Guarantees: the same arrays in every run. Training steps return what they were given,
# updated, and the loss; nothing in a model is about sharding.
"""Models for benchmarks/models.py."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P


@dataclasses.dataclass
class Case:
    """`step(*arguments)`, the first `donated` of which it gives back updated.

    `shardings` and `results` are PartitionSpecs as `jax.jit` takes them; `tolerance` is of the gradients, relative to the
    largest value of each; `of_torch`, if any, makes the same step from a module of PyTorch with the same parameters, of the
    batch as arrays of NumPy and options of the compiler: its program, and a function that runs it."""

    name: str
    mesh: dict[str, int]
    step: Callable
    arguments: tuple
    shardings: tuple
    results: Any
    donated: int = 0
    tolerance: float = 1e-3
    of_torch: Callable | None = None


class Parameters:
    """Random arrays by name, with a PartitionSpec each."""

    def __init__(self, seed=0):
        self.random, self.values, self.specs = np.random.default_rng(seed), {}, {}

    def add(self, name, shape, spec=P(), fill=None):
        scale = math.prod(shape[1:]) ** -0.5
        value = np.full(shape, fill) if fill is not None else self.random.standard_normal(shape) * scale
        self.values[name], self.specs[name] = value.astype(np.float32), spec

    def norm(self, name, width, spec=P(), bias=True):
        self.add(name + ".weight", (width,), spec, 1)
        if bias:
            self.add(name + ".bias", (width,), spec, 0)

    def linear(self, name, inputs, outputs, spec=P(), bias=True):
        """As PyTorch has them: weights are outputs x inputs."""
        self.add(name + ".weight", (outputs, inputs), spec)
        if bias:
            self.add(name + ".bias", (outputs,), P(*spec[:1]), 0)


def training(loss, rate=1e-4, decay=0.01):
    """A step of AdamW as PyTorch defines it."""
    def step(params, first, second, count, *batch):
        value, grads = jax.value_and_grad(loss)(params, *batch)
        count = count + 1
        first = {n: 0.9 * first[n] + 0.1 * g for n, g in grads.items()}
        second = {n: 0.999 * second[n] + 0.001 * g * g for n, g in grads.items()}
        scale = rate / (1 - 0.9 ** count)
        root = jnp.sqrt(1 - 0.999 ** count)
        params = {n: p * (1 - rate * decay) - scale * first[n] / (jnp.sqrt(second[n]) / root + 1e-6)
                  for n, p in params.items()}
        return params, first, second, count, value
    return step


def trained(name, mesh, loss, parameters, batch, batch_specs, of_torch=None):
    zeros = {n: np.zeros_like(v) for n, v in parameters.values.items()}
    specs = parameters.specs
    state = (parameters.values, zeros, {n: v.copy() for n, v in zeros.items()}, np.float32(0))
    return Case(name, mesh, training(loss), (*state, *batch), (specs, specs, specs, P(), *batch_specs),
                (specs, specs, specs, P(), P()), donated=4, of_torch=of_torch)


# -- Layers ------------------------------------------------------------------------------------------------------------


def linear(p, name, x):
    y = x @ p[name + ".weight"].T
    return y + p[name + ".bias"] if name + ".bias" in p else y


def layer_norm(p, name, x):
    centred = x - x.mean(-1, keepdims=True)
    return (centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)) * p[name + ".weight"] + p[name + ".bias"]


def rms_norm(p, name, x):
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p[name + ".weight"]


def heads_of(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def attention(q, k, v, causal):
    """Of heads x length x width, in f32; a key may have several queries' heads."""
    if k.shape[1] != q.shape[1]:
        k, v = (jnp.repeat(x, q.shape[1] // x.shape[1], axis=1) for x in (k, v))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
    if causal:
        length = q.shape[2]
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e30)
    out = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)
    return out.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1)


def rotated(x):
    """Rotary positions."""
    half = x.shape[-1] // 2
    angles = jnp.arange(x.shape[2])[:, None] * 10000.0 ** (-jnp.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * jnp.cos(angles) - b * jnp.sin(angles), b * jnp.cos(angles) + a * jnp.sin(angles)], -1)


def cross_entropy(logits, labels):
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], axis=-1)
    return -picked.mean()


def convolution(p, name, x, stride=1):
    y = jax.lax.conv_general_dilated(x, p[name + ".weight"], (stride, stride), "SAME",
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return y + p[name + ".bias"] if name + ".bias" in p else y


def batch_norm(p, name, x):
    centred = x - x.mean((0, 1, 2))
    return centred * jax.lax.rsqrt((centred * centred).mean((0, 1, 2)) + 1e-5) * p[name + ".weight"] + p[name + ".bias"]


# -- Transformers ------------------------------------------------------------------------------------------------------


def gpt_parameters(layers, width, vocabulary, length, columns, rows):
    """`columns` places weights whose outputs are heads or hidden units, `rows` those that take them."""
    p = Parameters()
    p.add("tokens.weight", (vocabulary, width), rows if columns == rows else P())
    p.add("positions.weight", (length, width))
    for i in range(layers):
        b = f"blocks.{i}."
        p.norm(b + "norm1", width), p.norm(b + "norm2", width)
        for name in "qkv":
            p.linear(b + name, width, width, columns, bias=False)
        p.linear(b + "o", width, width, rows, bias=False)
        p.linear(b + "up", width, 4 * width, columns, bias=False)
        p.linear(b + "down", 4 * width, width, rows, bias=False)
    p.norm("norm", width)
    p.linear("head", width, vocabulary, columns, bias=False)
    return p


def gpt(heads, layers, causal=True):
    def forward(p, ids):
        x = p["tokens.weight"][ids] + p["positions.weight"][:ids.shape[1]]
        for i in range(layers):
            b = f"blocks.{i}."
            n = layer_norm(p, b + "norm1", x)
            q, k, v = (heads_of(linear(p, b + name, n), heads) for name in "qkv")
            x = x + linear(p, b + "o", attention(q, k, v, causal))
            x = x + linear(p, b + "down", jax.nn.gelu(linear(p, b + "up", layer_norm(p, b + "norm2", x)), approximate=False))
        return linear(p, "head", layer_norm(p, "norm", x))
    return forward


def ids_of(shape, vocabulary, seed):
    return np.random.default_rng(seed).integers(0, vocabulary, shape).astype(np.int32)


def torch_gpt(values, mesh, layers, heads):
    """The step of `gpt` from PyTorch."""
    import torch
    import torch.nn as nn
    import torch.nn.functional as F

    import shardir
    import shardir.torch
    from shardir.torch import ColwiseParallel, RowwiseParallel
    vocabulary, width = values["tokens.weight"].shape

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
            self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

        def forward(self, x):
            n = self.norm1(x)
            q, k, v = (linear(n).unflatten(2, (heads, -1)).transpose(1, 2) for linear in (self.q, self.k, self.v))
            x = x + self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(len(values["positions.weight"]), width)
            self.blocks = nn.ModuleList(Block() for _ in range(layers))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

        def forward(self, ids):
            x = self.tokens(ids) + self.positions.weight[:ids.shape[1]]
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    model = GPT()
    model.load_state_dict({name: torch.tensor(value) for name, value in values.items()})
    plan = {"head": ColwiseParallel(), **{f"blocks.*.{n}": ColwiseParallel() for n in ("q", "k", "v", "up")},
            **{f"blocks.*.{n}": RowwiseParallel() for n in ("o", "down")}}

    def make(ids, labels, options):
        batch = torch.tensor(ids).long(), torch.tensor(labels).long()
        step = shardir.torch.train_step(model, lambda y, labels: F.cross_entropy(y.flatten(0, 1), labels.flatten()),
                                        torch.optim.AdamW(model.parameters(), lr=1e-4, eps=1e-6),
                                        args=batch, mesh=mesh, plan=plan, options=options)
        return step.program, lambda: float(step(*batch))
    return make


def gpt_case(name, mesh, columns, rows, of_torch=False, batch=8, length=128, width=256, layers=2, vocabulary=2048):
    parameters = gpt_parameters(layers, width, vocabulary, length, columns, rows)
    forward = gpt(8, layers)
    data = ids_of((batch, length), vocabulary, 1), ids_of((batch, length), vocabulary, 2)
    rows_over = P(next(iter(mesh)))
    return trained(name, mesh, lambda p, ids, labels: cross_entropy(forward(p, ids), labels), parameters, data,
                   (rows_over, rows_over), torch_gpt(parameters.values, mesh, layers, 8) if of_torch else None)


def llama_case(layers=2, width=256, heads=8, keys=4, hidden=704, vocabulary=2048, batch=8, length=128):
    """Rotary positions, grouped queries, gated units; weights and batch over the same axis (ZeRO-3)."""
    p, split = Parameters(), P("fsdp")
    p.add("tokens", (vocabulary, width), split)
    for i in range(layers):
        b = f"layers.{i}."
        p.norm(b + "norm1", width, split, bias=False), p.norm(b + "norm2", width, split, bias=False)
        for name, outputs in (("q", width), ("k", width * keys // heads), ("v", width * keys // heads), ("o", width)):
            p.linear(b + name, width, outputs, split, bias=False)
        p.linear(b + "gate", width, hidden, split, bias=False), p.linear(b + "up", width, hidden, split, bias=False)
        p.linear(b + "down", hidden, width, split, bias=False)
    p.norm("norm", width, split, bias=False)
    p.linear("head", width, vocabulary, split, bias=False)

    def loss(p, ids, labels):
        x = p["tokens"][ids]
        for i in range(layers):
            b = f"layers.{i}."
            n = rms_norm(p, b + "norm1", x)
            q, k, v = (heads_of(linear(p, b + name, n), count) for name, count in (("q", heads), ("k", keys), ("v", keys)))
            x = x + linear(p, b + "o", attention(rotated(q), rotated(k), v, True))
            n = rms_norm(p, b + "norm2", x)
            x = x + linear(p, b + "down", jax.nn.silu(linear(p, b + "gate", n)) * linear(p, b + "up", n))
        return cross_entropy(linear(p, "head", rms_norm(p, "norm", x)), labels)

    return trained("llama_fsdp", {"fsdp": 4}, loss, p, (ids_of((batch, length), vocabulary, 1), ids_of((batch, length), vocabulary, 2)),
                   (P("fsdp"), P("fsdp")))


def moe_case(layers=2, width=256, experts=8, hidden=512, batch=8, length=128):
    """Mixtures of experts with a capacity, as one-hot products; experts and batch over the same axis."""
    p = Parameters()
    for i in range(layers):
        p.norm(f"{i}.norm", width)
        p.linear(f"{i}.router", width, experts, bias=False)
        p.add(f"{i}.up", (experts, width, hidden), P("ep")), p.add(f"{i}.down", (experts, hidden, width), P("ep"))

    def loss(p, x, target):
        for i in range(layers):
            n = layer_norm(p, f"{i}.norm", x)
            gates = jax.nn.softmax(linear(p, f"{i}.router", n))
            best = jax.nn.one_hot(gates.argmax(-1), experts)
            place = (jnp.cumsum(best, axis=1) - 1) * best
            capacity = 2 * length // experts
            # Rows of the batch x positions x experts x places of an expert.
            dispatch = best[..., None] * jax.nn.one_hot(place.sum(-1), capacity)[:, :, None, :]
            taken = jnp.einsum("bsec,bsd->ebcd", dispatch, n)
            hidden_units = jax.nn.gelu(jnp.einsum("ebcd,edh->ebch", taken, p[f"{i}.up"]))
            done = jnp.einsum("ebch,ehd->ebcd", hidden_units, p[f"{i}.down"])
            x = x + jnp.einsum("bsec,ebcd->bsd", dispatch * (gates * best)[..., None], done)
        return ((x - target) ** 2).mean()

    random = np.random.default_rng(3)
    data = [random.standard_normal((batch, length, width)).astype(np.float32) for _ in range(2)]
    return trained("moe_ep", {"ep": 4}, loss, p, data, (P("ep"), P("ep")))


def vit_case(layers=2, width=192, heads=6, patch=8, size=64, classes=100, batch=16):
    tokens = (size // patch) ** 2
    p = Parameters()
    p.add("patches.weight", (patch, patch, 3, width)), p.add("positions", (tokens, width))
    for i in range(layers):
        p.norm(f"{i}.norm1", width), p.norm(f"{i}.norm2", width)
        p.linear(f"{i}.qkv", width, 3 * width, bias=False), p.linear(f"{i}.o", width, width)
        p.linear(f"{i}.up", width, 4 * width), p.linear(f"{i}.down", 4 * width, width)
    p.norm("norm", width), p.linear("head", width, classes)

    def loss(p, images, labels):
        x = convolution(p, "patches", images, patch).reshape(images.shape[0], tokens, width) + p["positions"]
        for i in range(layers):
            q, k, v = (heads_of(y, heads) for y in jnp.split(linear(p, f"{i}.qkv", layer_norm(p, f"{i}.norm1", x)), 3, -1))
            x = x + linear(p, f"{i}.o", attention(q, k, v, False))
            x = x + linear(p, f"{i}.down", jax.nn.gelu(linear(p, f"{i}.up", layer_norm(p, f"{i}.norm2", x))))
        return cross_entropy(linear(p, "head", layer_norm(p, "norm", x.mean(1))), labels)

    images = np.random.default_rng(3).standard_normal((batch, size, size, 3)).astype(np.float32)
    return trained("vit_dp", {"dp": 4}, loss, p, (images, ids_of((batch,), classes, 1)), (P("dp"), P("dp")))


def bert_case(layers=2, width=256, vocabulary=2048, length=128, batch=8):
    """Forward alone."""
    parameters = gpt_parameters(layers, width, vocabulary, length, P("tp"), P(None, "tp"))
    return Case("bert_tp", {"tp": 4}, gpt(8, layers, causal=False), (parameters.values, ids_of((batch, length), vocabulary, 1)),
                (parameters.specs, P()), P(None, None, "tp"))


# -- Convolutions, and a scan ------------------------------------------------------------------------------------------


def resnet_case(widths=(32, 64, 128), size=32, classes=100, batch=32):
    p = Parameters()
    p.add("stem.weight", (3, 3, 3, widths[0])), p.norm("stem.norm", widths[0])
    before = widths[0]
    for i, width in enumerate(widths):
        p.add(f"{i}.a.weight", (3, 3, before, width)), p.norm(f"{i}.a.norm", width)
        p.add(f"{i}.b.weight", (3, 3, width, width)), p.norm(f"{i}.b.norm", width)
        p.add(f"{i}.skip.weight", (1, 1, before, width))
        before = width
    p.linear("head", widths[-1], classes)

    def loss(p, images, labels):
        x = jax.nn.relu(batch_norm(p, "stem.norm", convolution(p, "stem", images)))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for i in range(len(widths)):
            stride = 1 if i == 0 else 2
            y = jax.nn.relu(batch_norm(p, f"{i}.a.norm", convolution(p, f"{i}.a", x, stride)))
            x = jax.nn.relu(batch_norm(p, f"{i}.b.norm", convolution(p, f"{i}.b", y)) + convolution(p, f"{i}.skip", x, stride))
        return cross_entropy(linear(p, "head", x.mean((1, 2))), labels)

    images = np.random.default_rng(3).standard_normal((batch, size, size, 3)).astype(np.float32)
    case = trained("resnet_dp", {"dp": 4}, loss, p, (images, ids_of((batch,), classes, 1)), (P("dp"), P("dp")))
    # Where rounding moves the input of a ReLU across zero, a gradient passes in one program and not in the other.
    return dataclasses.replace(case, tolerance=3e-2)


def unet_case(width=32, size=64, batch=4):
    """Rows of the images over an axis of the mesh: windows read across it."""
    p = Parameters()
    for name, inputs, outputs in (("in", 3, width), ("down", width, 2 * width), ("middle", 2 * width, 2 * width),
                                  ("up", 3 * width, width), ("out", width, 3)):
        p.add(name + ".weight", (3, 3, inputs, outputs)), p.add(name + ".bias", (outputs,), fill=0)

    def loss(p, images, noise):
        high = jax.nn.silu(convolution(p, "in", images + noise))
        low = jax.nn.silu(convolution(p, "down", high, 2))
        low = low + jax.nn.silu(convolution(p, "middle", low))
        wide = jnp.repeat(jnp.repeat(low, 2, axis=1), 2, axis=2)
        x = jax.nn.silu(convolution(p, "up", jnp.concatenate([high, wide], -1)))
        return ((convolution(p, "out", x) - noise) ** 2).mean()

    random = np.random.default_rng(3)
    data = [random.standard_normal((batch, size, size, 3)).astype(np.float32) for _ in range(2)]
    return trained("unet_dp_rows", {"dp": 2, "rows": 2}, loss, p, data, (P("dp", "rows"), P("dp", "rows")))


def mamba_case(width=256, states=8, length=128, batch=4):
    """A selective scan; channels over an axis."""
    p = Parameters()
    p.linear("in", width, 2 * width, P("tp"), bias=False)
    p.linear("step", 2 * width, 2 * width, P("tp"))
    p.linear("b", 2 * width, states, P(None, "tp"), bias=False), p.linear("c", 2 * width, states, P(None, "tp"), bias=False)
    p.add("a", (2 * width, states), P("tp"))
    p.linear("out", 2 * width, width, P(None, "tp"), bias=False)

    def loss(p, x, target):
        u = jax.nn.silu(linear(p, "in", x))
        delta = jax.nn.softplus(linear(p, "step", u))
        decay = jnp.exp(-delta[..., None] * jnp.exp(p["a"]))
        drive = (delta * u)[..., None] * linear(p, "b", u)[:, :, None, :]
        _, state = jax.lax.associative_scan(lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (decay, drive), axis=1)
        y = (state * linear(p, "c", u)[:, :, None, :]).sum(-1)
        return ((linear(p, "out", y) - target) ** 2).mean()

    random = np.random.default_rng(3)
    data = [random.standard_normal((batch, length, width)).astype(np.float32) for _ in range(2)]
    return trained("mamba_tp", {"tp": 4}, loss, p, data, (P(), P()))


def cases():
    yield lambda: gpt_case("gpt_dp_tp", {"dp": 2, "tp": 2}, P("tp"), P(None, "tp"))
    yield lambda: gpt_case("gpt_dp_tp_torch", {"dp": 2, "tp": 2}, P("tp"), P(None, "tp"), of_torch=True)
    yield lambda: gpt_case("gpt_dp", {"dp": 4}, P(), P())
    yield llama_case
    yield moe_case
    yield vit_case
    yield bert_case
    yield resnet_case
    yield unet_case
    yield mamba_case
