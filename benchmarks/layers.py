# A transformer's layer and its gradients in JAX, for peers/jax_peer.py and, imported, for ShardIR.
#
# Requires: JAX; for Gradients.text() the package, too.
# Guarantees: nothing is computed when a program is made; arguments are shapes.
"""A transformer's layer, forward and backward."""

import jax
import jax.numpy as jnp

TYPES = {"f32": jnp.float32, "bf16": jnp.bfloat16}


def norm(x, g, b):
    wide = x.astype(jnp.float32)
    scale = jax.lax.rsqrt(wide.var(axis=-1, keepdims=True) + 1e-5)
    return ((wide - wide.mean(axis=-1, keepdims=True)) * scale * g + b).astype(x.dtype)


def layer(h):
    """Of h heads: attention and an MLP, each behind a layer norm and added to what it read."""
    def run(x, g1, b1, g2, b2, wqkv, wo, w1, w2):
        b, s, d = x.shape
        q, k, v = (part.reshape(b, s, h, d // h) for part in jnp.split(norm(x, g1, b1) @ wqkv, 3, axis=-1))
        mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True)
        middle = x + mixed.reshape(b, s, d) @ wo
        return middle + jax.nn.gelu(norm(middle, g2, b2) @ w1, approximate=True) @ w2
    return run


def gradients(h):
    """The layer's result, and gradients of all arguments, from the result's gradient."""
    def run(dy, *arguments):
        y, backward = jax.vjp(layer(h), *arguments)
        return y, *backward(dy)
    return run


class Gradients:
    """A case as of cases.py: b sequences of s elements of width d, h heads, hidden width f."""

    mesh, ranks = {}, 1

    def __init__(self, b, s, d, h, f, dtype):
        self.name = f"grads_{b}x{s}x{d}x{h}x{f}_{dtype}"
        self.dtype, self.heads = dtype, h
        self.shapes = [(b, s, d)] * 2 + [(d,)] * 4 + [(d, 3 * d), (d, d), (d, f), (f, d)]
        self.flops = 3 * (2 * b * s * (4 * d * d + 2 * d * f) + 4 * b * s * s * d)

    def text(self, sharded=True):
        from shardir._stablehlo import to_linalg
        arguments = [jax.ShapeDtypeStruct(shape, TYPES[self.dtype]) for shape in self.shapes]
        lowered = jax.jit(gradients(self.heads)).trace(*arguments).lower(lowering_platforms=("cpu",))
        return to_linalg(lowered.compiler_ir("stablehlo"))


def gradient_cases():
    return [Gradients(b, 512, 1024, 16, 4096, dtype) for dtype in ("f32", "bf16") for b in (1, 2)]
