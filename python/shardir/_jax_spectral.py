"""Eigenvalues of Hermitian matrices and singular values, with their vectors.

Small matrices are rotated (Jacobi). Others are reduced to bidiagonal ones, which are solved by divide and conquer (Gu
and Eisenstat, *A divide-and-conquer algorithm for the bidiagonal SVD*, 1995), in one loop of fixed shapes: its step joins
all pairs of neighbouring blocks, so that most of the work is products of matrices. Nothing is deflated, which would need
shapes that depend on values: equal poles are a tiny distance apart, and weights are not below the rounding error."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ._jax_householder import adjoint, bidiagonal, geqrf, householder_product, reflect, square, times, tridiagonal

#: The most columns for which Jacobi's method is the faster one.
_JACOBI = 32

#: About how many columns the parts of a bidiagonal matrix have that are solved before the whole one is.
_PART = 128


def _diagonal(a: jax.Array) -> jax.Array:
    return jnp.diagonal(a, axis1=-2, axis2=-1)


def _down(x: jax.Array) -> jax.Array:
    return x[..., :, None]


def _across(x: jax.Array) -> jax.Array:
    return x[..., None, :]


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


def _rotated(a: jax.Array) -> Any:
    """Vectors and values of small Hermitian matrices."""
    n = a.shape[-1]
    a = _even(a, 2)
    half = a.shape[-1] // 2

    def step(_: Any, state: Any) -> Any:
        a, vectors = state
        values = _diagonal(a).real
        c, s = _angles(values[..., :half], values[..., half:], jnp.diagonal(a, half, axis1=-2, axis2=-1))
        return adjoint(_turned(adjoint(_turned(a, c, s)), c, s)), _turned(vectors, c, s)

    unit = jnp.broadcast_to(jnp.eye(a.shape[-1], dtype=a.dtype), a.shape)
    a, vectors = lax.fori_loop(0, _rotations(a.shape[-1]), step, (a, unit))
    values = _diagonal(a).real[..., :n]
    order = jnp.argsort(values, -1)
    return jnp.take_along_axis(vectors[..., :n, :n], order[..., None, :], -1), jnp.take_along_axis(values, order, -1)


def _rotated_columns(a: jax.Array) -> Any:
    """Descending singular values of matrices of few columns, the columns times the right vectors, and these vectors."""
    *batch, _, n = a.shape
    a = _even(a, 1)
    half = a.shape[-1] // 2

    def step(_: Any, state: Any) -> Any:
        a, vectors = state
        squares = square(a).sum(-2)
        between = (jnp.conj(a[..., :half]) * a[..., half:]).sum(-2)
        c, s = _angles(squares[..., :half], squares[..., half:], between)
        return _turned(a, c, s), _turned(vectors, c, s)

    unit = jnp.broadcast_to(jnp.eye(a.shape[-1], dtype=a.dtype), (*batch, a.shape[-1], a.shape[-1]))
    a, vectors = lax.fori_loop(0, _rotations(a.shape[-1]), step, (a, unit))
    values = jnp.sqrt(square(a).sum(-2))[..., :n]
    order = jnp.argsort(-values, -1)
    values = jnp.take_along_axis(values, order, -1)
    a = jnp.take_along_axis(a[..., :n], order[..., None, :], -1)
    return values, a, jnp.take_along_axis(vectors[..., :n, :n], order[..., None, :], -1)


def _positive(x: jax.Array) -> jax.Array:
    return jnp.where(x == 0, 1, x)


def _secular(poles: jax.Array, weights: jax.Array, first: jax.Array, valid: jax.Array, same: jax.Array) -> Any:
    """The secular equation 1 + sum(w^2 / (p^2 - s^2)) = 0 of each block, which begins at column `first`: the ascending
    roots s; p^2 - s^2 for each pole (down) and root (across); the poles p; and the weights w that have these roots to
    the last bit, which make the vectors orthogonal.

    A root is kept as its distance from the nearest pole, so that small differences are exact. Poles of different rank
    have a difference of at least eps^2."""
    kind, count = poles.dtype, poles.shape[-1]
    numbers = jnp.arange(count)
    tie = jnp.asarray(float(jnp.finfo(kind).eps) ** 2, kind)
    less = (_across(poles) < _down(poles)) | ((_across(poles) == _down(poles)) & (numbers < _down(numbers)))
    rank = jnp.where(valid, first + (same & less).sum(-1), numbers)
    ascending = jnp.where(_down(rank) == numbers, _down(poles), 0).sum(-2)
    last = valid & ~jnp.pad(valid[1:] & (first[1:] == first[:-1]), (0, 1))
    norm = jnp.sqrt(jnp.where(same, _across(weights * weights), 0).sum(-1))
    above = jnp.where(last, ascending + norm, jnp.roll(ascending, -1, -1))
    most = jnp.where(last, norm, jnp.where(valid, (above - ascending + tie) / 2, 1))
    exact = poles + rank.astype(kind) * tie

    def from_poles(base: jax.Array, number: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Differences and sums of all poles and some."""
        less = (_down(poles) - base) + (_down(rank) - number).astype(kind) * tie
        return jnp.where(same, less, jnp.inf), _down(exact) + (base + number.astype(kind) * tie)

    def value(less: jax.Array, more: jax.Array, distance: jax.Array) -> jax.Array:
        return 1 + (_down(weights * weights) / ((less - _across(distance)) * (more + _across(distance)))).sum(-2)

    right = (value(*from_poles(_across(ascending), numbers), most) < 0) & ~last
    base, sign = jnp.where(right, above, ascending), jnp.where(right, -1, 1).astype(kind)
    less, more = from_poles(_across(base), _across(numbers + right))
    bits = {4: jnp.int32, 8: jnp.int64}[kind.itemsize]

    def halve(_: Any, bounds: Any) -> Any:
        """The bits of a positive float ascend as it does: each step finds one."""
        low, high = bounds
        middle = low + lax.shift_right_arithmetic(high - low, jnp.asarray(1, bits))
        inner = (value(less, more, sign * lax.bitcast_convert_type(middle, kind)) < 0) == right
        return jnp.where(inner, low, middle), jnp.where(inner, middle, high)

    high = lax.bitcast_convert_type(most, bits)
    high = lax.fori_loop(0, 8 * kind.itemsize - 1, halve, (jnp.zeros_like(high), high))[1]
    distance = sign * lax.bitcast_convert_type(high, kind)
    gaps = (less - _across(distance)) * (more + _across(distance))
    upper = numbers >= _down(rank)
    less, more = from_poles(jnp.where(upper, _across(above), _across(ascending)), numbers + upper)
    ratios = jnp.where(same, gaps / jnp.where(last, -1, less * more), 1)
    found = jnp.sqrt(abs(jnp.prod(ratios, -1)))
    return base + distance, gaps, exact, jnp.where(weights < 0, -found, found)


def _unit(a: jax.Array) -> jax.Array:
    a = a / abs(a).max(-2, keepdims=True)
    return a / jnp.sqrt((a * a).sum(-2, keepdims=True))


def _levels(width: int, diagonal: jax.Array, beside: jax.Array, state: Any) -> Any:
    """Joins blocks of `width` columns, two by two, until there is one. A block has one row fewer than columns, so that
    its last right vector has no singular value. The state: singular values by column, ascending in each block; the
    first and the last row of each block's right vectors; right and left vectors, or None."""
    kind, count = diagonal.dtype, diagonal.shape[-1]
    numbers = jnp.arange(count)
    eye = _down(numbers) == numbers
    tiny = float(jnp.finfo(kind).eps) / 4

    def join(level: Any, state: Any) -> Any:
        values, first_rows, last_rows, right, left = state
        size = width << level
        begin = lax.div(numbers, 2 * size) * 2 * size
        middle = begin + size  # the row before it is in neither half
        end = jnp.minimum(middle + size, count) - 1
        halves = middle < count
        row = jnp.minimum(middle, count) - 1
        spare = numbers == end
        valid = halves & ~spare
        same = (_down(begin) == begin) & _down(valid) & valid
        upper = numbers < middle
        weights = jnp.where(upper, diagonal[..., row] * last_rows, beside[..., row] * first_rows)
        # One combination of the two last vectors has no weight, and the other has the pole 0.
        one, other = weights[..., row], weights[..., end]
        norm = jnp.sqrt(one * one + other * other)
        cosine, sine = jnp.where(norm == 0, 1, one / _positive(norm)), other / _positive(norm)
        new = (numbers == row) & halves
        weights = jnp.where(new, norm, weights)
        weights = jnp.where(abs(weights) < tiny, jnp.where(weights < 0, -tiny, tiny), weights).astype(kind)
        roots, gaps, poles, weights = _secular(jnp.where(new, 0, values), weights, begin, valid, same)
        turn = _unit(jnp.where(same, _down(weights) / gaps, eye.astype(kind)))
        mine = (_down(begin) == begin) & halves
        at_row = jnp.where(mine, turn[..., row, :], 0)
        turn = jnp.where(_down(new), jnp.where(mine & spare, -_down(sine), _down(cosine) * at_row),
                         jnp.where(_down(spare & halves), jnp.where(mine & spare, _down(cosine), _down(sine) * at_row), turn))
        first_rows = times(jnp.where(upper, first_rows, 0)[..., None, :], turn)[..., 0, :]
        last_rows = times(jnp.where(upper & halves, 0, last_rows)[..., None, :], turn)[..., 0, :]
        if right is not None:
            right = times(right, turn)
        if left is not None:
            turn = jnp.where(_down(new), -1, _down(poles * weights) / gaps)
            left = times(left, _unit(jnp.where(same, turn, eye.astype(kind))))
        return jnp.where(valid, roots, values), first_rows, last_rows, right, left

    return lax.fori_loop(0, (-(-count // width) - 1).bit_length(), join, state)


def _bidiagonal_svd(diagonal: jax.Array, beside: jax.Array, *, right: bool, left: bool) -> Any:
    """Ascending singular values, right and left vectors (or None) of bidiagonal matrices whose values are at most 1.
    The last entry of `beside` is 0."""
    *batch, n = diagonal.shape
    kind = diagonal.dtype
    parts = max(1, round((n + 1) / _PART))
    width = -(-(n + 1) // parts)
    count = parts * width
    # More rows have greater values, so that these come last.
    diagonal = jnp.pad(diagonal, [(0, 0)] * len(batch) + [(0, count - n)], constant_values=2)
    beside = jnp.pad(beside, [(0, 0)] * len(batch) + [(0, count - n)])
    shape = (*batch, parts, width)
    eye = jnp.broadcast_to(jnp.eye(width, dtype=kind), (*shape, width))
    state = (jnp.zeros(shape, kind), jnp.ones(shape, kind), jnp.ones(shape, kind), eye if right else None,
             eye if left else None)
    state = _levels(1, diagonal.reshape(shape), beside.reshape(shape), state)

    def joined(x: jax.Array | None, dims: int) -> jax.Array | None:
        if x is None or dims == 1:
            return None if x is None else x.reshape(*batch, count)
        apart = _down(jnp.arange(parts)) == jnp.arange(parts)
        return jnp.where(apart[:, None, :, None], x[..., None, :], 0).reshape(*batch, count, count)

    state = tuple(joined(x, dims) for x, dims in zip(state, (1, 1, 1, 2, 2)))
    if parts > 1:
        state = _levels(width, diagonal, beside, state)
    return state[0][..., :n], *[None if x is None else x[..., :n, :n] for x in state[3:]]


def eigh(a: jax.Array, *, lower: bool, **_: Any) -> Any:
    """Vectors and ascending values of Hermitian matrices."""
    n = a.shape[-1]
    kept = jnp.tril(a) if lower else jnp.triu(a)
    a = jnp.where(jnp.eye(n, dtype=bool), kept.real.astype(a.dtype), kept + adjoint(kept))
    if n <= _JACOBI:
        return _rotated(a)
    largest = abs(a).max((-2, -1))[..., None]
    diagonal, beside, vectors, taus = tridiagonal(a / _positive(largest)[..., None].astype(a.dtype))
    around = abs(beside) + abs(jnp.roll(beside, 1, -1))
    size = _positive((abs(diagonal) + around).max(-1, keepdims=True))
    # The matrix plus a multiple of the identity, of nonnegative values, is R^T R with a bidiagonal R.
    diagonal, beside, around = diagonal / size, beside / size, around / size
    shift = jnp.maximum(0, (around - diagonal).max(-1, keepdims=True)) + jnp.finfo(diagonal.dtype).eps

    def step(before: jax.Array, entries: Any) -> Any:
        entry, after = entries
        root = jnp.sqrt(entry - before ** 2)
        return after / root, (root, after / root)

    entries = (jnp.moveaxis(diagonal + shift, -1, 0), jnp.moveaxis(beside, -1, 0))
    diagonal, beside = (jnp.moveaxis(x, 0, -1) for x in lax.scan(step, jnp.zeros_like(entries[0][0]), entries)[1])
    # The values of R are at most sqrt(3): the sum of what is left of the size and of the shift.
    values, turn, _ = _bidiagonal_svd(diagonal / 2, beside / 2, right=True, left=False)
    return reflect(vectors, taus, turn.astype(a.dtype)), (4 * values ** 2 - shift) * (size * largest)


def svd(a: jax.Array, *, full_matrices: bool, compute_uv: bool, **_: Any) -> Any:
    """Descending singular values, and the vectors."""
    *batch, m, n = a.shape
    if m < n:
        found = svd(adjoint(a), full_matrices=full_matrices, compute_uv=compute_uv)
        return (found[0], adjoint(found[2]), adjoint(found[1])) if compute_uv else found
    more = m - n if full_matrices else 0
    if n <= _JACOBI:
        largest = abs(a).max((-2, -1))[..., None]
        values, a, vectors = _rotated_columns(a / _positive(largest)[..., None].astype(a.dtype))
        values = values * largest
        if not compute_uv:
            return (values,)
        # The columns are orthogonal; where they are 0, Householder's reflections find others that are.
        reflections, taus = geqrf(a)
        signs = _diagonal(reflections)
        signs = jnp.where(signs == 0, 1, signs / jnp.where(signs == 0, 1, abs(signs))).astype(a.dtype)
        left = householder_product(jnp.pad(reflections, [(0, 0)] * (a.ndim - 1) + [(0, more)]), taus)
        left = left * jnp.pad(signs, [(0, 0)] * (a.ndim - 2) + [(0, more)], constant_values=1)[..., None, :]
        return values, left, adjoint(vectors)
    if m > n:
        reflections, taus = geqrf(a)
        found = svd(jnp.triu(reflections[..., :n, :]), full_matrices=False, compute_uv=compute_uv)
        if not compute_uv:
            return found
        left = householder_product(jnp.pad(reflections, [(0, 0)] * (a.ndim - 1) + [(0, more)]), taus)
        return found[0], jnp.concatenate([times(left[..., :n], found[1]), left[..., n:]], -1), found[2]
    largest = abs(a).max((-2, -1))[..., None]
    diagonal, beside, lefts, left_taus, rights, right_taus = bidiagonal(a / _positive(largest)[..., None].astype(a.dtype))
    size = _positive((abs(diagonal) + abs(beside)).max(-1, keepdims=True))
    values, right, left = _bidiagonal_svd(diagonal / size / 2, beside / size / 2, right=compute_uv, left=compute_uv)
    values = values[..., ::-1] * (2 * size * largest)
    if not compute_uv:
        return (values,)
    left, right = (x[..., ::-1].astype(a.dtype) for x in (left, right))
    return values, reflect(lefts, left_taus, left), adjoint(reflect(rights, right_taus, right))
