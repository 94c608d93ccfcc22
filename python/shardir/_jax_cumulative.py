"""Cumulative sums, products and the like of JAX in two loops of about sqrt(n) steps: XLA has a window of all elements
for each, which it rewrites."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax import windowed_reductions as windows
from jax._src.lax.control_flow import loops

from ._jax_ops import rule

#: Of fewer elements, windows of all of them are one op, and as fast.
_LONG = 64


def _edge(dtype: Any, low: bool) -> Any:
    if jnp.issubdtype(dtype, np.floating):
        return -np.inf if low else np.inf
    return jnp.iinfo(dtype).min if low else jnp.iinfo(dtype).max


def _cumulative(x: jax.Array, *, axis: int, reverse: bool, combine: Callable, neutral: Any, window: Callable) -> jax.Array:
    n = x.shape[axis]
    if x.dtype in (jnp.bfloat16, jnp.float16):  # rounded once
        wide = _cumulative(x.astype(jnp.float32), axis=axis, reverse=reverse, combine=combine, neutral=neutral,
                           window=window)
        return wide.astype(x.dtype)
    if n <= _LONG:
        return loops.cumred_reduce_window_impl(window, x, axis=axis, reverse=reverse)
    if reverse:
        x = jnp.flip(x, axis)
    value = jnp.asarray(neutral(x.dtype) if callable(neutral) else neutral, x.dtype)
    x = jnp.moveaxis(x, axis, -1)
    steps = math.isqrt(n)
    blocks = -(-n // steps)
    x = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, blocks * steps - n)], constant_values=value)
    x = jnp.moveaxis(x.reshape(*x.shape[:-1], blocks, steps), -1, 0)

    def step(so_far: jax.Array, mine: jax.Array) -> tuple[jax.Array, jax.Array]:
        so_far = combine(so_far, mine)
        return so_far, so_far

    # All blocks at once, then what is in front of each.
    totals, inside = lax.scan(step, jnp.full(x.shape[1:], value), x)
    totals = jnp.moveaxis(totals, -1, 0)
    _, before = lax.scan(lambda so_far, mine: (combine(so_far, mine), so_far), jnp.full(totals.shape[1:], value), totals)
    found = jnp.moveaxis(combine(jnp.moveaxis(before, 0, -1), inside), 0, -1)
    found = jnp.moveaxis(found.reshape(*found.shape[:-2], blocks * steps)[..., :n], -1, axis)
    return jnp.flip(found, axis) if reverse else found


def lowering_rules() -> tuple[tuple[Any, Any], ...]:
    """As `jax.stages.Traced.lower` takes them."""
    kinds = ((loops.cumsum_p, jnp.add, 0, windows._reduce_window_sum),
             (loops.cumprod_p, jnp.multiply, 1, windows._reduce_window_prod),
             (loops.cummax_p, jnp.maximum, functools.partial(_edge, low=True), windows._reduce_window_max),
             (loops.cummin_p, jnp.minimum, functools.partial(_edge, low=False), windows._reduce_window_min),
             (loops.cumlogsumexp_p, jnp.logaddexp, -np.inf, windows._reduce_window_logaddexp))
    return tuple((primitive, rule(functools.partial(_cumulative, combine=combine, neutral=neutral, window=window)))
                 for primitive, combine, neutral, window in kinds)
