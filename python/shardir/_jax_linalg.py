"""Cholesky and LU decompositions and solves, which JAX computes in LAPACK, in terms of other ops: a loop over the
columns, all matrices of a batch at once; and the lowering rules of these and the other factorizations."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.lax import linalg

from ._jax_householder import geqrf, householder_product, ormqr
from ._jax_ops import rule
from ._jax_spectral import eigh, svd


def _rows(a: jax.Array) -> jax.Array:
    return jnp.arange(a.shape[-2])


def _columns(a: jax.Array) -> jax.Array:
    return jnp.arange(a.shape[-1])


def _row(a: jax.Array, k: Any) -> jax.Array:
    return lax.dynamic_index_in_dim(a, k, -2, keepdims=False)


def _column(a: jax.Array, k: Any) -> jax.Array:
    return lax.dynamic_index_in_dim(a, k, -1, keepdims=False)


def _entry(x: jax.Array, k: Any) -> jax.Array:
    """Element `k` of each vector, as a vector of one."""
    return lax.dynamic_index_in_dim(x, k, -1)


def _transposed(a: jax.Array) -> jax.Array:
    return jnp.swapaxes(a, -2, -1)


def _outer(x: jax.Array, y: jax.Array) -> jax.Array:
    return x[..., :, None] * y[..., None, :]


def _cholesky(a: jax.Array, **_: Any) -> jax.Array:
    """A matrix that is not positive definite gives NaNs."""
    def step(k: Any, state: Any) -> Any:
        rest, found = state
        column = _column(rest, k)
        column = jnp.where(_rows(a) >= k, column, 0) / jnp.sqrt(_entry(column, k))
        return rest - _outer(column, jnp.conj(column)), jnp.where(_columns(a) == k, column[..., None], found)

    found = lax.fori_loop(0, a.shape[-1], step, (a, jnp.zeros_like(a)))[1]
    # LAPACK gives no part of a factor that it cannot finish.
    fails = jnp.isnan(found).any((-2, -1), keepdims=True) & (_rows(a)[:, None] >= _columns(a))
    return jnp.where(fails, jnp.asarray(jnp.nan, a.dtype), found)


def _triangular_solve(a: jax.Array, b: jax.Array, *, left_side: bool, lower: bool, transpose_a: bool,
                      conjugate_a: bool, unit_diagonal: bool, **_: Any) -> jax.Array:
    if conjugate_a:
        a = jnp.conj(a)
    if transpose_a == left_side:  # the transposed equation where the unknown matrix is on the left
        a, lower = _transposed(a), not lower
    if not left_side:
        b = _transposed(b)
    n = a.shape[-1]

    def step(i: Any, x: jax.Array) -> jax.Array:
        k = i if lower else n - 1 - i
        row, column = _row(x, k), _column(a, k)
        if not unit_diagonal:
            row = row / _entry(column, k)
        others = _rows(a) > k if lower else _rows(a) < k
        x = jnp.where((_rows(a) == k)[:, None], row[..., None, :], x)
        return x - _outer(jnp.where(others, column, 0), row)

    x = lax.fori_loop(0, n, step, b)
    return x if left_side else _transposed(x)


def _exchanged(order: jax.Array, k: Any, pivot: jax.Array) -> jax.Array:
    """`order` with entry `k` and entry `pivot`, a vector of one, in each other's place."""
    numbers = jnp.arange(order.shape[-1])
    there = jnp.take_along_axis(order, pivot, -1)
    return jnp.where(numbers == k, there, jnp.where(numbers == pivot, _entry(order, k), order))


def _lu(a: jax.Array, **_: Any) -> Any:
    """Both factors in one matrix, the row that each was exchanged with, and where each comes from."""
    *batch, m, n = a.shape
    rows, columns = _rows(a), _columns(a)

    def step(k: Any, state: Any) -> Any:
        a, pivots, order = state
        column = _column(a, k)
        size = abs(column.real) + abs(column.imag) if jnp.iscomplexobj(a) else abs(column)
        pivot = jnp.where(rows >= k, size, -1).argmax(-1, keepdims=True).astype(jnp.int32)
        pivots = jnp.where(jnp.arange(min(m, n)) == k, pivot, pivots)
        exchanges = _exchanged(jnp.broadcast_to(rows, (*batch, m)), k, pivot)
        a = jnp.take_along_axis(a, exchanges[..., None], -2)
        column = _column(a, k)
        first = _entry(column, k)
        factors = jnp.where(rows > k, jnp.where(first == 0, column, column / first), 0)[..., None]
        rest = a - factors * _row(a, k)[..., None, :]
        below = (rows > k)[:, None]
        a = jnp.where(below & (columns == k), factors, jnp.where(below & (columns > k), rest, a))
        return a, pivots, _exchanged(order, k, pivot)

    pivots = jnp.zeros((*batch, min(m, n)), jnp.int32)
    order = jnp.broadcast_to(jnp.arange(m, dtype=jnp.int32), (*batch, m))
    return lax.fori_loop(0, min(m, n), step, (a, pivots, order))


def _pivots_to_permutation(pivots: jax.Array, *, permutation_size: int, **_: Any) -> jax.Array:
    order = jnp.broadcast_to(jnp.arange(permutation_size, dtype=jnp.int32), (*pivots.shape[:-1], permutation_size))
    return lax.fori_loop(0, pivots.shape[-1], lambda k, order: _exchanged(order, k, _entry(pivots, k)), order)


def lowering_rules() -> tuple[tuple[Any, Any], ...]:
    """Of what JAX computes in LAPACK, as `jax.stages.Traced.lower` takes them."""
    rules = ((linalg.cholesky_p, _cholesky, False), (linalg.triangular_solve_p, _triangular_solve, False),
             (linalg.lu_p, _lu, True), (linalg.lu_pivots_to_permutation_p, _pivots_to_permutation, False),
             (linalg.geqrf_p, geqrf, True), (linalg.householder_product_p, householder_product, False),
             (linalg.ormqr_p, ormqr, False), (linalg.eigh_p, eigh, True), (linalg.svd_p, svd, True),
             (linalg.tridiagonal_solve_p, linalg._tridiagonal_solve_jax, False))
    return tuple((primitive, rule(function, several)) for primitive, function, several in rules)
