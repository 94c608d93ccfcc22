"""Householder's reflections in blocks, so that most of the work is products of matrices: the QR decomposition, and the
reduction of Hermitian matrices to tridiagonal and of square ones to bidiagonal ones.

A reflection is I - tau v v^H. Vectors are kept as rows, so that a loop writes contiguous memory. A product of
reflections is I - V T V^H with an upper triangular T (Schreiber and Van Loan, 1989); reductions update the matrix once
for each block (Dongarra, Sorensen and Hammarling, 1989)."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

#: Columns of a block: enough for fast products, and few beside the matrix.
WIDTH = 32


def times(a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.matmul(a, b, precision=lax.Precision.HIGHEST)


def adjoint(a: jax.Array) -> jax.Array:
    return jnp.conj(jnp.swapaxes(a, -2, -1))


def square(x: jax.Array) -> jax.Array:
    return x.real ** 2 + x.imag ** 2 if jnp.iscomplexobj(x) else x ** 2


def row_of(a: jax.Array, k: Any) -> jax.Array:
    return lax.dynamic_index_in_dim(a, k, -2, keepdims=False)


def _with_row(a: jax.Array, row: jax.Array, k: Any) -> jax.Array:
    return lax.dynamic_update_index_in_dim(a, row.astype(a.dtype), k, a.ndim - 2)


def column_of(a: jax.Array, k: Any) -> jax.Array:
    return lax.dynamic_index_in_dim(a, k, -1, keepdims=False)


def _with_entry(x: jax.Array, entry: jax.Array, k: Any) -> jax.Array:
    return jnp.where(jnp.arange(x.shape[-1]) == k, entry.astype(x.dtype), x)


def _apply(a: jax.Array, x: jax.Array) -> jax.Array:
    return times(a, x[..., None])[..., 0]


def _combine(x: jax.Array, a: jax.Array) -> jax.Array:
    """The sum of the rows of `a` times the entries of `x`."""
    return times(x[..., None, :], a)[..., 0, :]


def _reflection(x: jax.Array, k: Any) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The vector, tau and what is left in place `k`, of the reflection whose adjoint clears the entries of `x` after
    `k`. The last two are vectors of one."""
    numbers = jnp.arange(x.shape[-1])
    first = jnp.where(numbers == k, x, 0).sum(-1, keepdims=True)
    below = jnp.where(numbers > k, x, 0)
    rest = square(below).sum(-1, keepdims=True)
    norm = jnp.sqrt(square(first) + rest)
    nothing = (rest == 0) & (first.imag == 0)  # the entries are as they should be already
    new = jnp.where(first.real > 0, -norm, norm)
    safe = jnp.where(nothing, 1, new).astype(x.dtype)
    tau = jnp.where(nothing, 0, (safe - first) / safe)
    vector = jnp.where(numbers == k, 1, below / jnp.where(nothing, 1, first - safe))
    return vector, tau, jnp.where(nothing, first.real, new)


def _factors(vectors: jax.Array, taus: jax.Array) -> jax.Array:
    """T of the product of the reflections of `vectors` (..., k, n)."""
    k = taus.shape[-1]
    products = times(jnp.conj(vectors), jnp.swapaxes(vectors, -2, -1))
    numbers = jnp.arange(k)

    def step(j: Any, t: jax.Array) -> jax.Array:
        tau = lax.dynamic_index_in_dim(taus, j, -1)
        column = -tau * _apply(t, jnp.where(numbers < j, column_of(products, j), 0))
        return jnp.where(numbers == j, jnp.where(numbers == j, tau, column)[..., None], t)

    return lax.fori_loop(0, k, step, jnp.zeros_like(products))


def reflect(vectors: jax.Array, taus: jax.Array, c: jax.Array) -> jax.Array:
    """The product of all reflections, times `c`."""
    *batch, k, n = vectors.shape
    width = max(1, min(WIDTH, k))
    more = -k % width
    vectors = jnp.pad(vectors, [(0, 0)] * len(batch) + [(0, more), (0, 0)])
    taus = jnp.pad(taus, [(0, 0)] * len(batch) + [(0, more)])
    count = (k + more) // width
    blocks = vectors.reshape(*batch, count, width, n)
    factors = _factors(blocks, taus.reshape(*batch, count, width))

    def step(i: Any, c: jax.Array) -> jax.Array:
        block = lax.dynamic_index_in_dim(blocks, count - 1 - i, -3, keepdims=False)
        factor = lax.dynamic_index_in_dim(factors, count - 1 - i, -3, keepdims=False)
        return c - times(jnp.swapaxes(block, -2, -1), times(factor, times(jnp.conj(block), c)))

    return lax.fori_loop(0, count, step, c)


def geqrf(a: jax.Array, **_: Any) -> Any:
    """R on and above the diagonal, the vectors without their first 1 below it, and their taus."""
    *batch, m, n = a.shape
    k = min(m, n)
    width = max(1, min(WIDTH, k))
    columns = jnp.arange(n)
    padded = jnp.pad(a, [(0, 0)] * (len(batch) + 1) + [(0, -n % width)])

    def block(i: Any, state: Any) -> Any:
        a, taus = state
        panel = jnp.swapaxes(lax.dynamic_slice_in_dim(a, i * width, width, -1), -2, -1)

        def step(j: Any, state: Any) -> Any:
            panel, vectors, some = state
            place = i * width + j
            x = row_of(panel, j)
            vector, tau, new = _reflection(x, place)
            tau = jnp.where(place < k, tau, 0)
            vector = jnp.where(place < k, vector, 0)
            amounts = jnp.where(jnp.arange(width) > j, jnp.conj(tau) * _apply(panel, jnp.conj(vector)), 0)
            panel = panel - amounts[..., None] * vector[..., None, :]
            numbers = jnp.arange(m)
            x = jnp.where(numbers > place, vector, jnp.where(numbers == place, new.astype(x.dtype), x))
            return _with_row(panel, x, j), _with_row(vectors, vector, j), _with_entry(some, tau, j)

        zeros = jnp.zeros((*batch, width), a.dtype)
        panel, vectors, some = lax.fori_loop(0, width, step, (panel, jnp.zeros_like(panel), zeros))
        factor = adjoint(_factors(vectors, some))
        rest = a - times(jnp.swapaxes(vectors, -2, -1), times(factor, times(jnp.conj(vectors), a)))
        a = jnp.where(jnp.arange(a.shape[-1]) >= (i + 1) * width, rest, a)
        a = lax.dynamic_update_slice_in_dim(a, jnp.swapaxes(panel, -2, -1), i * width, a.ndim - 1)
        return a, lax.dynamic_update_slice_in_dim(taus, some, i * width, len(batch))

    count = -(-k // width)
    taus = jnp.zeros((*batch, count * width), a.dtype)
    a, taus = lax.fori_loop(0, count, block, (padded, taus))
    return a[..., :n], taus[..., :k]


def reflections(a: jax.Array) -> jax.Array:
    """The vectors in the columns of what `geqrf` returns, as rows."""
    rows = jnp.swapaxes(a, -2, -1)
    places, numbers = jnp.arange(a.shape[-1])[:, None], jnp.arange(a.shape[-2])
    return jnp.where(numbers > places, rows, jnp.where(numbers == places, 1, 0).astype(a.dtype))


def householder_product(a: jax.Array, taus: jax.Array, **_: Any) -> jax.Array:
    unit = jnp.broadcast_to(jnp.eye(a.shape[-2], a.shape[-1], dtype=a.dtype), a.shape)
    return reflect(reflections(a[..., :taus.shape[-1]]), taus, unit)


def ormqr(a: jax.Array, taus: jax.Array, c: jax.Array, *, left: bool, transpose: bool) -> jax.Array:
    """The whole unitary matrix of the reflections, or its adjoint, times `c`; or `c` times it."""
    more = a.shape[-2] - a.shape[-1]
    q = householder_product(jnp.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, more)]), taus)
    q = adjoint(q) if transpose else q
    return times(q, c) if left else times(c, q)


def _in_blocks(a: jax.Array, step: Any, update: Any, kinds: int) -> Any:
    """Reduces `a` (..., n, n): `step(j, k, a, rows, found)` for each column `k`, which fills in row `j` of each of the
    `kinds` of rows (..., width, n) of a block; then `update(a, rows)`. Returns all rows, and vectors of length n."""
    *batch, n, _ = a.shape
    width = max(1, min(WIDTH, n))
    count = -(-n // width)

    def block(i: Any, state: Any) -> Any:
        a, kept, found = state
        empty = [jnp.zeros((*batch, width, n), a.dtype)] * kinds
        rows, found = lax.fori_loop(0, width, lambda j, s: step(j, i * width + j, a, *s), (empty, found))
        kept = [lax.dynamic_update_slice_in_dim(x, y, i * width, len(batch)) for x, y in zip(kept, rows)]
        return update(a, rows), kept, found

    kept = [jnp.zeros((*batch, count * width, n), a.dtype)] * kinds
    reals = [jnp.zeros((*batch, n), a.real.dtype)] * 2
    return lax.fori_loop(0, count, block, (a, kept, [*reals, *[jnp.zeros((*batch, n), a.dtype)] * (kinds // 2)]))[1:]


def _subtract(a: jax.Array, left: Any, right: Any) -> jax.Array:
    """`a` without the products of rows of `left`, as columns, and the conjugates of those of `right`."""
    return a - times(jnp.swapaxes(jnp.concatenate(left, -2), -2, -1), jnp.conj(jnp.concatenate(right, -2)))


def tridiagonal(a: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """The diagonal and the entries beside it (the last is 0), both real, of Q^H a Q for Hermitian `a`; `reflect` of the
    vectors and taus that follow gives Q."""
    n = a.shape[-1]
    numbers = jnp.arange(n)

    def step(j: Any, k: Any, a: jax.Array, rows: Any, found: Any) -> Any:
        (vs, ws), (diagonal, beside, taus) = rows, found
        # The matrix now is a - V W^H - W V^H.
        x = jnp.conj(row_of(a, k)) - _combine(jnp.conj(column_of(ws, k)), vs) - _combine(jnp.conj(column_of(vs, k)), ws)
        vector, tau, new = _reflection(x, k + 1)
        vector, tau = jnp.where(k + 1 < n, vector, 0), jnp.where(k + 1 < n, tau, 0)
        y = _apply(a, vector) - _combine(_apply(jnp.conj(ws), vector), vs) - _combine(_apply(jnp.conj(vs), vector), ws)
        y = jnp.where(numbers > k, tau * y, 0)
        w = y - 0.5 * jnp.conj(tau) * (jnp.conj(vector) * y).sum(-1, keepdims=True) * vector
        mine = jnp.where(numbers == k, x, 0).sum(-1, keepdims=True).real
        found = [_with_entry(diagonal, mine, k), _with_entry(beside, jnp.where(k + 1 < n, new, 0), k),
                 _with_entry(taus, tau, k)]
        return [_with_row(vs, vector, j), _with_row(ws, w, j)], found

    def update(a: jax.Array, rows: Any) -> jax.Array:
        return _subtract(a, rows, rows[::-1])

    (vectors, _), (diagonal, beside, taus) = _in_blocks(a, step, update, 2)
    return diagonal, beside, vectors[..., :n, :], taus


def bidiagonal(a: jax.Array) -> tuple[jax.Array, ...]:
    """The diagonal and the entries right of it (the last is 0), both real, of Q^H a P for square `a`; `reflect` of the
    vectors and taus that follow gives Q, and of the last two P."""
    n = a.shape[-1]
    numbers = jnp.arange(n)

    def step(j: Any, k: Any, a: jax.Array, rows: Any, found: Any) -> Any:
        (vs, xs, us, ys), (diagonal, beside, left, right) = rows, found
        # The matrix now is a - V Y^H - X U^H.
        x = column_of(a, k) - _combine(jnp.conj(column_of(ys, k)), vs) - _combine(jnp.conj(column_of(us, k)), xs)
        vector, tau, new = _reflection(x, k)
        vector, tau = jnp.where(k < n, vector, 0), jnp.where(k < n, tau, 0)
        y = jnp.conj(_combine(jnp.conj(vector), a))
        y = y - _combine(_apply(jnp.conj(vs), vector), ys) - _combine(_apply(jnp.conj(xs), vector), us)
        vs, ys = _with_row(vs, vector, j), _with_row(ys, jnp.where(numbers > k, tau * y, 0), j)
        diagonal, left = _with_entry(diagonal, new, k), _with_entry(left, tau, k)
        row = jnp.conj(row_of(a, k)) - _combine(jnp.conj(column_of(vs, k)), ys) - _combine(jnp.conj(column_of(xs, k)), us)
        vector, tau, new = _reflection(row, k + 1)
        vector, tau = jnp.where(k + 1 < n, vector, 0), jnp.where(k + 1 < n, tau, 0)
        x = _apply(a, vector) - _combine(_apply(jnp.conj(ys), vector), vs) - _combine(_apply(jnp.conj(us), vector), xs)
        rows = [vs, _with_row(xs, jnp.where(numbers > k, tau * x, 0), j), _with_row(us, vector, j), ys]
        return rows, [diagonal, _with_entry(beside, jnp.where(k + 1 < n, new, 0), k), left, _with_entry(right, tau, k)]

    def update(a: jax.Array, rows: Any) -> jax.Array:
        return _subtract(a, rows[:2], (rows[3], rows[2]))

    (vs, _, us, _), (diagonal, beside, left, right) = _in_blocks(a, step, update, 4)
    return diagonal, beside, vs[..., :n, :], left, us[..., :n, :], right
