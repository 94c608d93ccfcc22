# The models of steps.py: training steps of full size, as programs on linalg.
#
# Requires: JAX and the package.
# Guarantees: nothing is computed; weights are shapes. Products and activations are
# bf16; weights, their moments and AdamW f32. All layers are written out.
"""Decoders of transformers, and a small network, for benchmarks/steps.py."""

import dataclasses
import math

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

from shardir._stablehlo import to_linalg


@dataclasses.dataclass
class Model:
    """A decoder of a transformer; `keys` heads of keys and values; gated units and rotary positions, or as GPT-3."""

    name: str
    layers: int
    width: int
    heads: int
    keys: int
    hidden: int
    vocabulary: int
    length: int
    gated: bool
    #: Devices that split each product, and that share one copy of the weights; the rest of the mesh repeats both.
    tensor: int
    sharded: int
    #: Sequences of one step for each group that shares products.
    batch: int

    def shapes(self):
        """Of each weight its shape, and its dims' axes."""
        d, w = self.width, self.width // self.heads
        found = {"tokens": ((self.vocabulary, d), P(("tp", "fsdp"))), "head": ((d, self.vocabulary), P("fsdp", "tp")),
                 "norm": ((d,), P())}
        if not self.gated:
            found["positions"] = ((self.length, d), P(None, "fsdp"))
        for i in range(self.layers):
            found.update({f"{i}.norm1": ((d,), P()), f"{i}.norm2": ((d,), P()),
                          f"{i}.q": ((d, self.heads, w), P("fsdp", "tp")), f"{i}.k": ((d, self.keys, w), P("fsdp", "tp")),
                          f"{i}.v": ((d, self.keys, w), P("fsdp", "tp")), f"{i}.o": ((self.heads, w, d), P("tp", None, "fsdp")),
                          f"{i}.up": ((d, self.hidden), P("fsdp", "tp")), f"{i}.down": ((self.hidden, d), P("tp", "fsdp"))})
            if self.gated:
                found[f"{i}.gate"] = ((d, self.hidden), P("fsdp", "tp"))
        return found

    def parameters(self):
        return sum(math.prod(shape) for shape, _ in self.shapes().values())

    def flops(self, tokens):
        """Of a step: 6 for each weight of a product and token, and attention's two products, causal, three times."""
        matrices = self.parameters() - self.vocabulary * self.width
        return tokens * (6 * matrices + 6 * self.layers * self.length * self.width)

    def loss(self, p, ids, labels):
        bf16, f32 = jnp.bfloat16, jnp.float32

        def norm(x, gain):
            y = x.astype(f32)
            return (y * jax.lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-5)).astype(bf16) * gain

        def rotated(x):
            half = x.shape[-1] // 2
            angles = jnp.arange(x.shape[1], dtype=f32)[:, None, None] * 500000.0 ** (-jnp.arange(half, dtype=f32) / half)
            a, b = x[..., :half].astype(f32), x[..., half:].astype(f32)
            return jnp.concatenate([a * jnp.cos(angles) - b * jnp.sin(angles),
                                    b * jnp.cos(angles) + a * jnp.sin(angles)], -1).astype(bf16)

        def attention(q, k, v):
            k, v = (jnp.repeat(x, self.heads // self.keys, axis=2) for x in (k, v))
            scores = jnp.einsum("bqhd,bkhd->bhqk", q, k).astype(f32) * q.shape[-1] ** -0.5
            causal = jnp.tril(jnp.ones((self.length, self.length), bool))
            weights = jax.nn.softmax(jnp.where(causal, scores, -1e30))
            return jnp.einsum("bhqk,bkhd->bqhd", weights.astype(bf16), v)

        def layer(x, p):
            n = norm(x, p["norm1"])
            q, k, v = (jnp.einsum("bsd,dhw->bshw", n, p[name]) for name in "qkv")
            if self.gated:
                q, k = rotated(q), rotated(k)
            x = x + jnp.einsum("bshw,hwd->bsd", attention(q, k, v), p["o"])
            n = norm(x, p["norm2"])
            units = jax.nn.silu(n @ p["gate"]) * (n @ p["up"]) if self.gated else jax.nn.gelu(n @ p["up"])
            return x + units @ p["down"]

        def between_layers(x):
            # Megatron's sequence parallelism: devices that split products split the positions of what is added to.
            return jax.lax.with_sharding_constraint(x, P(("dp", "fsdp"), "tp")) if self.tensor > 1 else x

        x = p["tokens"][ids]
        if not self.gated:
            x = x + p["positions"]
        for i in range(self.layers):
            x = layer(between_layers(x), {name.partition(".")[2]: value for name, value in p.items() if name.startswith(f"{i}.")})
        logits = (norm(x, p["norm"]) @ p["head"]).astype(f32)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], axis=-1).mean()

    def step(self, weights, first, second, ids, labels):
        """AdamW on f32 weights, of which the model reads bf16 copies."""
        value, grads = jax.value_and_grad(self.loss)({n: w.astype(jnp.bfloat16) for n, w in weights.items()}, ids, labels)
        grads = {n: g.astype(jnp.float32) for n, g in grads.items()}
        first = {n: 0.9 * first[n] + 0.1 * g for n, g in grads.items()}
        second = {n: 0.95 * second[n] + 0.05 * g * g for n, g in grads.items()}
        weights = {n: w - 3e-4 * (first[n] / (jnp.sqrt(second[n]) + 1e-8) + 0.1 * w) for n, w in weights.items()}
        return weights, first, second, value

    def mesh(self, devices):
        """Axes by size, of one device too: the last ones are in one node."""
        groups = devices // self.tensor
        sharded = min(self.sharded, groups)
        return {"dp": groups // sharded, "fsdp": sharded, "tp": self.tensor}

    def program(self, devices):
        """The step on linalg, with the placements of weights and batch, and its tokens."""
        axes = self.mesh(devices)
        mesh = AbstractMesh(tuple(axes.values()), tuple(axes))
        placed = lambda spec: NamedSharding(mesh, spec)
        shapes = self.shapes()
        shardings = {n: placed(spec) for n, (_, spec) in shapes.items()}
        weights = {n: jax.ShapeDtypeStruct(shape, jnp.float32, sharding=shardings[n]) for n, (shape, _) in shapes.items()}
        sequences = self.batch * devices // self.tensor
        ids = jax.ShapeDtypeStruct((sequences, self.length), jnp.int32, sharding=placed(P(("dp", "fsdp"))))
        arguments = (weights, weights, weights, ids, ids)
        jitted = jax.jit(self.step, in_shardings=jax.tree.map(lambda x: x.sharding, arguments),
                         out_shardings=(shardings, shardings, shardings, placed(P())), donate_argnums=(0, 1, 2))
        with jax.sharding.use_abstract_mesh(mesh):
            lowered = jitted.trace(*arguments).lower(lowering_platforms=("cpu",))
        return to_linalg(lowered.compiler_ir("stablehlo")), sequences * self.length


@dataclasses.dataclass
class Network:
    """Two products of f32 with the first one's columns, which are the second one's rows, split; plain gradient descent."""

    name: str
    width: int
    hidden: int
    batch: int

    def mesh(self, devices):
        return {"tp": devices}

    def program(self, devices):
        """The step on linalg, and its rows."""
        mesh = AbstractMesh((devices,), ("tp",))
        argument = lambda shape, *axes: jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, P(*axes)))

        def step(first, second, x, y):
            loss = lambda first, second: ((jax.nn.relu(x @ first) @ second - y) ** 2).mean()
            value, grads = jax.value_and_grad(loss, argnums=(0, 1))(first, second)
            return first - 1e-3 * grads[0], second - 1e-3 * grads[1], value

        rows = argument((self.batch, self.width))
        weights = argument((self.width, self.hidden), None, "tp"), argument((self.hidden, self.width), "tp", None)
        lowered = jax.jit(step, donate_argnums=(0, 1)).trace(*weights, rows, rows).lower(lowering_platforms=("cpu",))
        return to_linalg(lowered.compiler_ir("stablehlo")), self.batch


MODELS = [
    Model("llama3_8b", 32, 4096, 32, 8, 14336, 128256, 8192, True, tensor=1, sharded=128, batch=2),
    Model("gpt3_175b", 96, 12288, 96, 96, 49152, 51200, 2048, False, tensor=8, sharded=64, batch=8),
]

#: Steps that a few cores run in seconds.
SMALL_MODELS = [
    Network("mlp", 1024, 4096, 512),
    Model("gpt2", 2, 768, 12, 12, 3072, 50304, 256, False, tensor=1, sharded=2, batch=2),
    Model("llama", 2, 768, 12, 4, 2048, 8192, 256, True, tensor=1, sharded=2, batch=2),
]
