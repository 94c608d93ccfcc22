"""Pipeline parallel: one layer per device, and micro-batches that go from device to device.

`shard_map` says what one stage does: it takes a micro-batch (the first stage a new one), applies its layer, and
passes the result to the next stage by `ppermute`. After 6 + 4 - 1 turns all 6 micro-batches have left the last stage.
"""
import functools
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, PartitionSpec as P
import shardir.jax

STAGES, MICRO, ROWS, WIDTH = 4, 6, 3, 16
mesh = AbstractMesh((STAGES,), ("pp",))


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("pp"), P("pp")), out_specs=P("pp"), check_vma=False)
def pipeline(x, weights, stages):  # on one device: x is [micro, row, width], weights [1, width, width], stages [1]
    def turn(carry, t):
        new = jnp.where(stages[0] == 0, x[jnp.minimum(t, MICRO - 1)], carry)
        made = jnp.tanh(new @ weights[0])
        return jax.lax.ppermute(made, "pp", [(i, i + 1) for i in range(STAGES - 1)]), made

    _, made = jax.lax.scan(turn, jnp.zeros((ROWS, WIDTH)), jnp.arange(MICRO + STAGES - 1))
    return made[None, STAGES - 1:]


generator = np.random.default_rng(0)
x = generator.standard_normal((MICRO, ROWS, WIDTH), np.float32)
weights = generator.standard_normal((STAGES, WIDTH, WIDTH), np.float32) / 4

f = shardir.jax.jit(lambda x, w: pipeline(x, w, jnp.arange(STAGES))[-1], mesh=mesh, in_shardings=(P(), P("pp")))

expected = x
for w in weights:
    expected = np.tanh(expected @ w)
np.testing.assert_allclose(f(x, weights), expected, atol=1e-5)
program = f.lower(x, weights).program
print(program.report)
program.show("arg1")  # the layers
