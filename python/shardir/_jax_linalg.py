"""Cholesky and LU decompositions and triangular solves, which JAX computes in LAPACK, in terms of other ops: loops over
the columns of a block, all matrices of a batch at once, and products of matrices for what is outside of it; and the
lowering rules of these and the other factorizations."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.lax import linalg

from ._jax_householder import WIDTH, adjoint, column_of, geqrf, householder_product, ormqr, row_of, times
from ._jax_ops import rule
from ._jax_spectral import eigh, svd


def _rows(a: jax.Array) -> jax.Array:
    return jnp.arange(a.shape[-2])


def _columns(a: jax.Array) -> jax.Array:
    return jnp.arange(a.shape[-1])


def _entry(x: jax.Array, k: Any) -> jax.Array:
    """Element `k` of each vector, as a vector of one."""
    return lax.dynamic_index_in_dim(x, k, -1)


def _some_rows(a: jax.Array, first: Any) -> jax.Array:
    return lax.dynamic_slice_in_dim(a, first, WIDTH, a.ndim - 2)


def _some_columns(a: jax.Array, first: Any) -> jax.Array:
    return lax.dynamic_slice_in_dim(a, first, WIDTH, a.ndim - 1)


def _with_rows(a: jax.Array, rows: jax.Array, first: Any) -> jax.Array:
    return lax.dynamic_update_slice_in_dim(a, rows, first, a.ndim - 2)


def _with_columns(a: jax.Array, columns: jax.Array, first: Any) -> jax.Array:
    return lax.dynamic_update_slice_in_dim(a, columns, first, a.ndim - 1)


def _padded(a: jax.Array, rows: int, columns: int) -> jax.Array:
    """With zeros below and to the right of it."""
    return jnp.pad(a, [(0, 0)] * (a.ndim - 2) + [(0, rows - a.shape[-2]), (0, columns - a.shape[-1])])


def _bordered(a: jax.Array) -> jax.Array:
    """A square matrix with an identity below and to the right of it, so that its size is a multiple of a block's."""
    n = a.shape[-1]
    size = n + -n % WIDTH
    return _padded(a, size, size) + jnp.diag(jnp.arange(size) >= n).astype(a.dtype)


def _transposed(a: jax.Array) -> jax.Array:
    return jnp.swapaxes(a, -2, -1)


def _outer(x: jax.Array, y: jax.Array) -> jax.Array:
    return x[..., :, None] * y[..., None, :]


def _cholesky_by_columns(a: jax.Array) -> jax.Array:
    def step(k: Any, state: Any) -> Any:
        rest, found = state
        column = column_of(rest, k)
        column = jnp.where(_rows(a) >= k, column, 0) / jnp.sqrt(_entry(column, k))
        return rest - _outer(column, jnp.conj(column)), jnp.where(_columns(a) == k, column[..., None], found)

    return lax.fori_loop(0, a.shape[-1], step, (a, jnp.zeros_like(a)))[1]


def _cholesky_by_blocks(a: jax.Array) -> jax.Array:
    n = a.shape[-1]
    a = _bordered(a)

    def step(i: Any, a: jax.Array) -> jax.Array:
        first = i * WIDTH
        panel = _some_columns(a, first)
        factor = _cholesky_by_columns(_some_rows(panel, first))
        below = jnp.where((_rows(a) >= first + WIDTH)[:, None], times(panel, adjoint(_inverse(factor))), 0)
        return _with_columns(a - times(below, adjoint(below)), _with_rows(below, factor, first), first)

    return lax.fori_loop(0, a.shape[-1] // WIDTH, step, a)[..., :n, :n]


def _cholesky(a: jax.Array, **_: Any) -> jax.Array:
    """A matrix that is not positive definite gives NaNs."""
    found = (_cholesky_by_columns if a.shape[-1] <= 2 * WIDTH else _cholesky_by_blocks)(a)
    # LAPACK gives no part of a factor that it cannot finish.
    fails = jnp.isnan(found).any((-2, -1), keepdims=True) & (_rows(a)[:, None] >= _columns(a))
    return jnp.where(fails, jnp.asarray(jnp.nan, a.dtype), found)


def _solve_by_rows(a: jax.Array, b: jax.Array) -> jax.Array:
    """x with `a` x = `b`; of `a` the lower triangle counts."""
    def step(k: Any, x: jax.Array) -> jax.Array:
        column = column_of(a, k)
        row = row_of(x, k) / _entry(column, k)
        x = jnp.where((_rows(a) == k)[:, None], row[..., None, :], x)
        return x - _outer(jnp.where(_rows(a) > k, column, 0), row)

    return lax.fori_loop(0, a.shape[-1], step, b)


def _inverse(a: jax.Array) -> jax.Array:
    """Of a lower triangle."""
    return _solve_by_rows(a, jnp.broadcast_to(jnp.eye(a.shape[-1], dtype=a.dtype), a.shape))


def _solve_by_blocks(a: jax.Array, b: jax.Array) -> jax.Array:
    n = b.shape[-2]
    a = _bordered(a)

    def step(i: Any, x: jax.Array) -> jax.Array:
        first = i * WIDTH
        panel = _some_columns(a, first)
        rows = times(_inverse(_some_rows(panel, first)), _some_rows(x, first))
        below = jnp.where((_rows(a) >= first + WIDTH)[:, None], panel, 0)
        return _with_rows(x - times(below, rows), rows, first)

    return lax.fori_loop(0, a.shape[-1] // WIDTH, step, _padded(b, a.shape[-1], b.shape[-1]))[..., :n, :]


def _triangular_solve(a: jax.Array, b: jax.Array, *, left_side: bool, lower: bool, transpose_a: bool,
                      conjugate_a: bool, unit_diagonal: bool, **_: Any) -> jax.Array:
    if conjugate_a:
        a = jnp.conj(a)
    if transpose_a == left_side:  # the transposed equation where the unknown matrix is on the left
        a, lower = _transposed(a), not lower
    if not left_side:
        b = _transposed(b)
    if unit_diagonal:
        a = jnp.where(_rows(a)[:, None] == _columns(a), jnp.asarray(1, a.dtype), a)
    if not lower:  # the last unknown is the first one to be found
        a, b = jnp.flip(a, (-2, -1)), jnp.flip(b, -2)
    x = (_solve_by_rows if a.shape[-1] <= 2 * WIDTH else _solve_by_blocks)(a, b)
    x = x if lower else jnp.flip(x, -2)
    return x if left_side else _transposed(x)


def _exchanged(order: jax.Array, k: Any, pivot: jax.Array) -> jax.Array:
    """`order` with entry `k` and entry `pivot`, a vector of one, in each other's place."""
    numbers = jnp.arange(order.shape[-1])
    there = jnp.take_along_axis(order, pivot, -1)
    return jnp.where(numbers == k, there, jnp.where(numbers == pivot, _entry(order, k), order))


def _lu_by_columns(a: jax.Array, first: Any, count: int) -> Any:
    """Factors columns of a matrix, of which the first one's pivot is in row `first` or below it."""
    rows, columns = _rows(a), _columns(a)

    def step(j: Any, state: Any) -> Any:
        a, pivots, order = state
        k = first + j
        column = column_of(a, j)
        size = abs(column.real) + abs(column.imag) if jnp.iscomplexobj(a) else abs(column)
        pivot = jnp.where(rows >= k, size, -1).argmax(-1, keepdims=True).astype(jnp.int32)
        pivots = jnp.where(jnp.arange(count) == j, pivot, pivots)
        here, there = row_of(a, k), jnp.take_along_axis(a, pivot[..., None], -2)
        a = jnp.where((rows == k)[:, None], there, jnp.where((rows == pivot)[..., None], here[..., None, :], a))
        column = column_of(a, j)
        diagonal = _entry(column, k)
        factors = jnp.where(rows > k, jnp.where(diagonal == 0, column, column / diagonal), 0)[..., None]
        rest = a - factors * there
        below = (rows > k)[:, None]
        a = jnp.where(below & (columns == j), factors, jnp.where(below & (columns > j), rest, a))
        return a, pivots, _exchanged(order, k, pivot)

    pivots = jnp.zeros((*a.shape[:-2], count), jnp.int32)
    order = jnp.broadcast_to(jnp.arange(a.shape[-2], dtype=jnp.int32), a.shape[:-1])
    return lax.fori_loop(0, count, step, (a, pivots, order))


def _lu(a: jax.Array, **_: Any) -> Any:
    """Both factors in one matrix, the row that each was exchanged with, and where each comes from."""
    *batch, m, n = a.shape
    least = min(m, n)
    if least <= 2 * WIDTH:
        return _lu_by_columns(a, 0, least)
    count = -(-least // WIDTH)
    a = _padded(a, max(m, count * WIDTH), max(n, count * WIDTH))
    rows, columns = _rows(a), _columns(a)

    def step(i: Any, state: Any) -> Any:
        a, pivots, order = state
        first = i * WIDTH
        panel, some, exchanges = _lu_by_columns(_some_columns(a, first), first, WIDTH)
        a = jnp.take_along_axis(a, exchanges[..., None], -2)
        block = _some_rows(panel, first)
        block = jnp.where(jnp.eye(WIDTH, dtype=bool), jnp.asarray(1, a.dtype), block)
        right = columns >= first + WIDTH
        beside = _some_rows(a, first)
        beside = jnp.where(right, times(_inverse(block), beside), beside)
        below = jnp.where((rows >= first + WIDTH)[:, None], panel, 0)
        a = a - times(below, jnp.where(right, beside, 0))
        a = _with_columns(_with_rows(a, beside, first), panel, first)
        return a, _with_columns(pivots, some, first), jnp.take_along_axis(order, exchanges, -1)

    pivots = jnp.zeros((*batch, count * WIDTH), jnp.int32)
    order = jnp.broadcast_to(jnp.arange(a.shape[-2], dtype=jnp.int32), a.shape[:-1])
    a, pivots, order = lax.fori_loop(0, count, step, (a, pivots, order))
    return a[..., :m, :n], pivots[..., :least], order[..., :m]


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
