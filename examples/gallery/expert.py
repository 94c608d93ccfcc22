"""Expert parallel: a mixture of experts with one expert per device.

Tokens and experts are split over the same axis. Each group of tokens fills a buffer per expert, all-to-all takes the
buffers to the experts' devices, and another one takes the results back.
"""
import functools
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P
import shardir.jax

GROUPS, TOKENS, WIDTH, EXPERTS, CAPACITY = 4, 32, 16, 4, 16


def by_expert(buffers):
    return jax.lax.with_sharding_constraint(buffers, P("ep"))


def layer(x, router, up, down, constrain=by_expert):
    gates = jax.nn.softmax(x @ router)  # [group, token, expert]
    chosen = jax.nn.one_hot(gates.argmax(-1), EXPERTS)
    place = (jnp.cumsum(chosen, 1) - 1).astype(jnp.int32)  # in the expert's buffer; tokens that do not fit are dropped
    send = chosen[..., None] * jax.nn.one_hot(place, CAPACITY)  # [group, token, expert, place]
    buffers = constrain(jnp.einsum("gtec,gtd->egcd", send, x))
    hidden = jax.nn.relu(jnp.einsum("egcd,edf->egcf", buffers, up))
    made = jnp.einsum("egcf,efd->egcd", hidden, down)
    return jnp.einsum("gtec,egcd->gtd", send * gates[..., None], made)


generator = np.random.default_rng(0)
x, router, up, down = (generator.standard_normal(shape, np.float32) / 4 for shape in
                       [(GROUPS, TOKENS, WIDTH), (WIDTH, EXPERTS), (EXPERTS, WIDTH, 32), (EXPERTS, 32, WIDTH)])

f = shardir.jax.jit(layer, mesh={"ep": 4}, in_shardings=(P("ep"), P(), P("ep"), P("ep")), out_shardings=P("ep"))

program = f.lower(x, router, up, down).program
plain = jax.jit(functools.partial(layer, constrain=lambda buffers: buffers))  # JAX alone, on one device
np.testing.assert_allclose(f(x, router, up, down), plain(x, router, up, down), atol=1e-5)
print(program.report)
program.show("arg2")  # the experts' first weights
