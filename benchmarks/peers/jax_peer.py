# Times a case with JAX on the CPU: compiled by XLA, which takes the cores that it
# may run on (the number of threads is not XLA's to be told).
#
# usage: jax_peer.py KIND EXTENTS DTYPE THREADS RUNS, for example
# `jax_peer.py matmul 512,512,512 f32 2 20`. Prints milliseconds, one a line,
# after two runs that are not counted.
import os
import sys
import time

import jax
import jax.numpy as jnp

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import layers

kind, extents, dtype, threads, runs = sys.argv[1:6]
extents = [int(extent) for extent in extents.split(",")]
keys = iter(jax.random.split(jax.random.PRNGKey(0), 16))


def random(*shape):
    if dtype == "i8":
        return jax.random.randint(next(keys), shape, -128, 128, jnp.int8)
    return jax.random.normal(next(keys), shape, layers.TYPES[dtype])


def weights(*shape):
    return random(*shape) * shape[0] ** -0.5


if kind == "matmul":
    m, k, n = extents
    operands = random(m, k), random(k, n)
    sums = jnp.int32 if dtype == "i8" else None
    run = jax.jit(lambda a, b: jnp.matmul(a, b, preferred_element_type=sums))
elif kind == "linear":
    m, k, n = extents
    operands = random(m, k), random(n, k)
    run = jax.jit(lambda x, w: x @ w.T)
elif kind == "mlp":
    m, d, h = extents
    operands = random(m, d), weights(d, h), weights(h, d)
    run = jax.jit(lambda x, w1, w2: jax.nn.gelu(x @ w1, approximate=True) @ w2)
elif kind == "softmax":
    operands = (random(*extents),)
    run = jax.jit(lambda x: jax.nn.softmax(x, axis=1))
elif kind == "layernorm":
    operands = random(*extents), random(extents[1]), random(extents[1])
    run = jax.jit(layers.norm)
elif kind == "attention":
    # JAX has heads behind positions.
    h, s, d = extents
    operands = tuple(random(1, s, h, d) for _ in range(3))
    run = jax.jit(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True))
elif kind in ("layer", "grads"):
    b, s, d, h, f = extents
    operands = (random(b, s, d), *(random(d) for _ in range(4)), weights(d, 3 * d), weights(d, d), weights(d, f),
                weights(f, d))
    run = jax.jit(layers.layer(h))
    if kind == "grads":
        operands = (random(b, s, d), *operands)
        run = jax.jit(layers.gradients(h))
else:
    sys.exit(f"no case '{kind}'")

jax.block_until_ready(operands)
for i in range(int(runs) + 2):
    start = time.perf_counter()
    jax.block_until_ready(run(*operands))
    if i >= 2:
        print(1e3 * (time.perf_counter() - start))
