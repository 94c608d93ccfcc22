# XLA's compile time of transformer layers, forward and backward, sharded over 2 x 4
# virtual CPU devices: one JSON line. Nothing is run.
#
# Requires: JAX. Usage: jax_compile.py LAYERS
# Guarantees: the layers of scaling_programs.py, with their shapes and placements.
import json
import os
import resource
import sys
import time

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

LAYERS = int(sys.argv[1])
B, S, D, H, F = 4, 512, 1024, 16, 4096
SHAPES = [(D,), (D,), (D, H, D // H), (D, H, D // H), (D, H, D // H), (H, D // H, D), (D,), (D,), (D, F), (F, D)]
SPECS = [P(), P(), *[P(None, "tp", None)] * 3, P("tp"), P(), P(), P(None, "tp"), P("tp", None)]


def norm(x, gain, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * gain + bias


def layer(x, g1, b1, wq, wk, wv, wo, g2, b2, w1, w2):
    h = norm(x, g1, b1)
    q, k, v = [jnp.einsum("bsd,dhk->bhsk", h, w) for w in (wq, wk, wv)]
    weights = jax.nn.softmax(jnp.einsum("bhsk,bhtk->bhst", q, k) * (D // H) ** -0.5)
    x = x + jnp.einsum("bhsk,hkd->bsd", jnp.einsum("bhst,bhtk->bhsk", weights, v), wo)
    return x + jax.nn.gelu(norm(x, g2, b2) @ w1, approximate=True) @ w2


def forward(x, layers):
    for weights in layers:
        x = layer(x, *weights)
    return x


def step(x, layers, dy):
    y, pull = jax.vjp(lambda w: forward(x, w), layers)
    return y, pull(dy)[0]


mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("dp", "tp"))
on = lambda spec: NamedSharding(mesh, spec)
abstract = lambda shape: jax.ShapeDtypeStruct(shape, jnp.float32)
layers, places = [[abstract(s) for s in SHAPES]] * LAYERS, [[on(s) for s in SPECS]] * LAYERS
x, place = abstract((B, S, D)), on(P("dp"))
lowered = jax.jit(step, in_shardings=(place, places, place), out_shardings=(place, places)).lower(x, layers, x)
start = time.perf_counter()
lowered.compile()
print(json.dumps({"ms": 1e3 * (time.perf_counter() - start), "jax": jax.__version__,
                  "peak_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
