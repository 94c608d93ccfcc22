"""Factorizations of matrices, which JAX computes in LAPACK, in terms of other ops: a loop over the columns, all
matrices of a batch at once."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.lax import linalg

from ._jax_ops import rule


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


def _adjoint(a: jax.Array) -> jax.Array:
    return jnp.conj(_transposed(a))


def _square(x: jax.Array) -> jax.Array:
    return x.real ** 2 + x.imag ** 2 if jnp.iscomplexobj(x) else x ** 2


def _diagonal(a: jax.Array) -> jax.Array:
    return jnp.diagonal(a, axis1=-2, axis2=-1)


def _outer(x: jax.Array, y: jax.Array) -> jax.Array:
    return x[..., :, None] * y[..., None, :]


def _times(a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.matmul(a, b, precision=lax.Precision.HIGHEST)


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


def _geqrf(a: jax.Array, **_: Any) -> Any:
    """R on and above the diagonal, Householder's vectors without their first 1 below it, and their factors."""
    *batch, m, n = a.shape
    rows, columns = _rows(a), _columns(a)

    def step(k: Any, state: Any) -> Any:
        a, taus = state
        column = _column(a, k)
        first = _entry(column, k)
        below = jnp.where(rows > k, column, 0)
        rest = _square(below).sum(-1, keepdims=True)
        norm = jnp.sqrt(_square(first) + rest)
        nothing = (rest == 0) & (first.imag == 0)  # the column is as it should be already
        new = jnp.where(first.real > 0, -norm, norm).astype(a.dtype)
        safe = jnp.where(nothing, 1, new)
        tau = jnp.where(nothing, 0, (safe - first) / safe)
        vector = jnp.where(rows == k, 1, below / jnp.where(nothing, 1, first - safe))
        product = _times(jnp.conj(vector)[..., None, :], a)
        reflected = a - jnp.conj(tau)[..., None] * vector[..., None] * product
        mine = jnp.where(rows > k, vector, jnp.where(rows == k, jnp.where(nothing, first, new), column))
        a = jnp.where(columns == k, mine[..., None], jnp.where(columns > k, reflected, a))
        return a, jnp.where(jnp.arange(min(m, n)) == k, tau, taus)

    return lax.fori_loop(0, min(m, n), step, (a, jnp.zeros((*batch, min(m, n)), a.dtype)))


def _householder_product(a: jax.Array, taus: jax.Array, **_: Any) -> jax.Array:
    rows, count = _rows(a), taus.shape[-1]
    q = jnp.broadcast_to((rows[:, None] == _columns(a)).astype(a.dtype), a.shape)

    def step(i: Any, q: jax.Array) -> jax.Array:
        k = count - 1 - i
        vector = jnp.where(rows == k, 1, jnp.where(rows > k, _column(a, k), 0))
        product = _times(jnp.conj(vector)[..., None, :], q)
        return q - _entry(taus, k)[..., None] * vector[..., None] * product

    return lax.fori_loop(0, count, step, q)


def _ormqr(a: jax.Array, taus: jax.Array, c: jax.Array, *, left: bool, transpose: bool) -> jax.Array:
    """The whole unitary matrix of Householder's vectors, or its adjoint, times `c`; or `c` times it."""
    more = a.shape[-2] - a.shape[-1]
    q = _householder_product(jnp.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, more)]), taus)
    q = _adjoint(q) if transpose else q
    return _times(q, c) if left else _times(c, q)


def _rotations(n: int) -> int:
    """How many steps of Jacobi's method turn matrices of this size diagonal: each pair of columns in each sweep."""
    return (8 + n.bit_length()) * (n - 1)


def _angles(p: jax.Array, q: jax.Array, between: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The cosines and sines that make [[p, between], [conj(between), q]] diagonal."""
    size = abs(between)
    none = size <= jnp.finfo(size.dtype).eps * jnp.sqrt(abs(p)) * jnp.sqrt(abs(q))
    size = jnp.where(none, 1, size)
    ratio = (q - p) / (2 * size)
    tangent = jnp.where(none, 0, jnp.where(ratio < 0, -1, 1) / (abs(ratio) + jnp.sqrt(1 + ratio ** 2)))
    cosine = 1 / jnp.sqrt(1 + tangent ** 2)
    return cosine, tangent * cosine * (between / size)


def _turned(a: jax.Array, cosines: jax.Array, sines: jax.Array) -> jax.Array:
    """Rotates each column of the first half with the one of the second half in its place, and moves all but the first
    one on, so that each column meets each other one."""
    p, q = jnp.split(a, 2, -1)
    c, s = cosines[..., None, :], sines[..., None, :]
    p, q = p * c - q * jnp.conj(s), p * s + q * c
    return jnp.concatenate([p[..., :1], q[..., :1], p[..., 1:-1], q[..., 1:], p[..., -1:]], -1) if p.shape[-1] > 1 \
        else jnp.concatenate([p, q], -1)


def _even(a: jax.Array, dims: int) -> jax.Array:
    """`a` with a column of zeros more where they are an odd number; with a row, too, for two dims."""
    odd = a.shape[-1] % 2
    return jnp.pad(a, [(0, 0)] * (a.ndim - 2) + [(0, odd if dims == 2 else 0), (0, odd)])


def _eigh(a: jax.Array, *, lower: bool, **_: Any) -> Any:
    """Vectors and ascending values of Hermitian matrices, by Jacobi's method."""
    n = a.shape[-1]
    kept = jnp.tril(a) if lower else jnp.triu(a)
    a = _even(jnp.where(jnp.eye(n, dtype=bool), kept.real.astype(a.dtype), kept + _adjoint(kept)), 2)
    half = a.shape[-1] // 2

    def step(_: Any, state: Any) -> Any:
        a, vectors = state
        values = _diagonal(a).real
        c, s = _angles(values[..., :half], values[..., half:], jnp.diagonal(a, half, axis1=-2, axis2=-1))
        return _adjoint(_turned(_adjoint(_turned(a, c, s)), c, s)), _turned(vectors, c, s)

    unit = jnp.broadcast_to(jnp.eye(a.shape[-1], dtype=a.dtype), a.shape)
    a, vectors = lax.fori_loop(0, _rotations(a.shape[-1]), step, (a, unit))
    values = _diagonal(a).real[..., :n]
    order = jnp.argsort(values, -1)
    return jnp.take_along_axis(vectors[..., :n, :n], order[..., None, :], -1), jnp.take_along_axis(values, order, -1)


def _svd(a: jax.Array, *, full_matrices: bool, compute_uv: bool, **_: Any) -> Any:
    """Descending singular values, and the vectors, by Jacobi's method on the columns."""
    *batch, m, n = a.shape
    if m < n:
        found = _svd(_adjoint(a), full_matrices=full_matrices, compute_uv=compute_uv)
        return (found[0], _adjoint(found[2]), _adjoint(found[1])) if compute_uv else found
    a = _even(a, 1)
    half = a.shape[-1] // 2

    def step(_: Any, state: Any) -> Any:
        a, vectors = state
        squares = _square(a).sum(-2)
        between = (jnp.conj(a[..., :half]) * a[..., half:]).sum(-2)
        c, s = _angles(squares[..., :half], squares[..., half:], between)
        return _turned(a, c, s), _turned(vectors, c, s)

    unit = jnp.broadcast_to(jnp.eye(a.shape[-1], dtype=a.dtype), (*batch, a.shape[-1], a.shape[-1]))
    a, vectors = lax.fori_loop(0, _rotations(a.shape[-1]), step, (a, unit))
    values = jnp.sqrt(_square(a).sum(-2))[..., :n]
    order = jnp.argsort(-values, -1)
    values = jnp.take_along_axis(values, order, -1)
    if not compute_uv:
        return (values,)
    a = jnp.take_along_axis(a[..., :n], order[..., None, :], -1)
    vectors = jnp.take_along_axis(vectors[..., :n, :n], order[..., None, :], -1)
    # The columns are orthogonal; where they are 0, Householder's reflections find others that are.
    reflections, taus = _geqrf(a)
    signs = _diagonal(reflections)
    signs = jnp.where(signs == 0, 1, signs / jnp.where(signs == 0, 1, abs(signs))).astype(a.dtype)
    more = m - n if full_matrices else 0
    left = _householder_product(jnp.pad(reflections, [(0, 0)] * (a.ndim - 1) + [(0, more)]), taus)
    left = left * jnp.pad(signs, [(0, 0)] * (a.ndim - 2) + [(0, more)], constant_values=1)[..., None, :]
    return values, left, _adjoint(vectors)


def lowering_rules() -> tuple[tuple[Any, Any], ...]:
    """Of what JAX computes in LAPACK, as `jax.stages.Traced.lower` takes them."""
    rules = ((linalg.cholesky_p, _cholesky, False), (linalg.triangular_solve_p, _triangular_solve, False),
             (linalg.lu_p, _lu, True), (linalg.lu_pivots_to_permutation_p, _pivots_to_permutation, False),
             (linalg.geqrf_p, _geqrf, True), (linalg.householder_product_p, _householder_product, False),
             (linalg.ormqr_p, _ormqr, False), (linalg.eigh_p, _eigh, True), (linalg.svd_p, _svd, True),
             (linalg.tridiagonal_solve_p, linalg._tridiagonal_solve_jax, False))
    return tuple((primitive, rule(function, several)) for primitive, function, several in rules)
