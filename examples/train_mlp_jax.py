"""A training step in JAX with an optimizer of optax, over a mesh of devices.

    python examples/train_mlp_jax.py

Parameters and optimizer state are pytrees, split over "tp"; batches are split over "dp". What differs from
`jax.jit` is `mesh=`: the program runs on ranks of ShardIR, so JAX needs no devices of its own. Needs:
pip install '.[jax]' optax.
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import PartitionSpec as P

import shardir.jax

MESH = {"dp": 2, "tp": 2}
optimizer = optax.adamw(1e-2)


def initial(key, inputs=2, hidden=64, classes=2):
    a, b = jax.random.split(key)
    return {"up": {"w": jax.random.normal(a, (inputs, hidden)), "b": jnp.zeros(hidden)},
            "down": {"w": jax.random.normal(b, (hidden, classes)) / 8, "b": jnp.zeros(classes)}}


def loss_of(params, x, labels):
    hidden = jax.nn.relu(x @ params["up"]["w"] + params["up"]["b"])
    logits = hidden @ params["down"]["w"] + params["down"]["b"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def train_step(params, state, x, labels):
    loss, gradients = jax.value_and_grad(loss_of)(params, x, labels)
    updates, state = optimizer.update(gradients, state, params)
    return optax.apply_updates(params, updates), state, loss


def spirals(generator, count):
    """Points of two spirals, and which of them each belongs to."""
    labels = generator.integers(0, 2, count)
    turn = generator.uniform(0.5, 6, count)
    angle = turn + labels * np.pi
    return (np.stack([turn * np.cos(angle), turn * np.sin(angle)], 1) / 3).astype(np.float32), labels.astype(np.int32)


def main():
    params = initial(jax.random.key(0))
    state = optimizer.init(params)
    # One PartitionSpec for each array of the pytree; of the optimizer, whose moments have the parameters' shapes,
    # nothing is said: its placements follow.
    specs = {"up": {"w": P(None, "tp"), "b": P("tp")}, "down": {"w": P("tp", None), "b": P()}}
    shardings = (specs, None, P("dp"), P("dp"))
    step = shardir.jax.jit(train_step, mesh=MESH, in_shardings=shardings, out_shardings=(specs, None, P()),
                           donate_argnums=(0, 1))
    reference = jax.jit(train_step)

    generator = np.random.default_rng(0)
    x, labels = spirals(generator, 501)  # 501 rows over 2 devices: nothing has to divide
    print(step.lower(params, state, x, labels).report)
    # The step is given its arrays for good.
    expected_params, expected_state, largest = *jax.tree.map(jnp.copy, (params, state)), 0.0
    for number in range(1, 201):
        x, labels = spirals(generator, 501)
        params, state, loss = step(params, state, x, labels)
        expected_params, expected_state, expected = reference(expected_params, expected_state, x, labels)
        largest = max(largest, abs(float(loss) - float(expected)))
        if number == 1 or number % 50 == 0:
            print(f"step {number:3}: loss {float(loss):.4f}, JAX alone {float(expected):.4f}")
    print(f"largest difference from JAX's loss: {largest:.2g}")


if __name__ == "__main__":
    main()
