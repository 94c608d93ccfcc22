"""Fast Fourier transforms along one replicated dim, of real and imaginary parts, in ops that JAX and PyTorch share."""

from __future__ import annotations

import itertools
import math
from typing import Any


def _first_factor(size: int) -> int:
    """The factor of a length to transform along first: the length itself where a product with a matrix is fastest, 1
    where Bluestein's algorithm is."""
    if size <= 32:
        return size
    return next((d for d in (*range(16, 1, -1), *range(17, 128)) if size % d == 0), 1)


def _smooth(size: int) -> int:
    """The least length from this one on without prime factors above 5."""
    return next(n for n in itertools.count(size) if pow(30, 64, n) == 0)


def _part(x: Any, dim: int, begin: int, end: int) -> Any:
    return x[(slice(None),) * dim + (slice(begin, end),)]


def _split(x: Any, dim: int, *sizes: int) -> Any:
    return x.reshape(*x.shape[:dim], *sizes, *x.shape[dim + 1:])


def _joined(x: Any, dim: int) -> Any:
    return x.reshape(*x.shape[:dim], x.shape[dim] * x.shape[dim + 1], *x.shape[dim + 2:])


def _turned(real: Any, imaginary: Any, cosines: Any, sines: Any, dim: int) -> tuple[Any, Any]:
    """Times cosines - i sines, whose dims are those from `dim` on."""
    shape = (*cosines.shape, *[1] * (real.ndim - dim - cosines.ndim))
    cosines, sines = cosines.reshape(*shape), sines.reshape(*shape)
    return real * cosines + imaginary * sines, imaginary * cosines - real * sines


class Fourier:
    """Transforms, unscaled: a dim of n = a b elements is transformed along a, multiplied by powers of the nth root of unity
    and transformed along b (Cooley and Tukey, 1965)."""
    ops: Any  # jax.numpy or torch

    def numbers(self, count: int, like: Any) -> Any:
        """Integers from 0 on."""
        raise NotImplementedError

    def squares(self, count: int, modulus: int, like: Any) -> Any:
        """Squares of the integers from 0 on, modulo a number."""
        raise NotImplementedError

    def waves(self, integers: Any, step: float, like: Any) -> tuple[Any, Any]:
        """Cosines and sines of multiples of an angle."""
        raise NotImplementedError

    def padded(self, x: Any, size: int, dim: int) -> Any:
        """With zeros at the end of a dim."""
        raise NotImplementedError

    def _roots(self, powers: Any, size: int, forward: bool, like: Any) -> tuple[Any, Any]:
        """Powers of the root of unity; they are reduced as integers, since large angles would lose digits."""
        cosines, sines = self.waves((powers + size // 2) % size - size // 2, 2 * math.pi / size, like)
        return cosines, sines if forward else -sines

    def _table(self, rows: int, columns: int, size: int, forward: bool, like: Any) -> tuple[Any, Any]:
        return self._roots(self.numbers(rows, like)[:, None] * self.numbers(columns, like), size, forward, like)

    def _along(self, x: Any, matrix: Any, dim: int, result: int) -> Any:
        """A product along a dim, in whose place the result has its dim `result`."""
        return self.ops.moveaxis(self.ops.tensordot(x, matrix, ([dim], [0])), -1, result)

    def complex_to_complex(self, real: Any, imaginary: Any, dim: int, forward: bool) -> tuple[Any, Any]:
        size = real.shape[dim]
        first = _first_factor(size)
        if size == 1:
            return real, imaginary
        if first == 1:
            return self._bluestein(real, imaginary, dim, forward)
        rest = size // first
        real, imaginary = (_split(t, dim, first, rest) for t in (real, imaginary))
        cosines, sines = self._table(first, first, first, forward, real)
        real, imaginary = (self._along(real, cosines, dim, dim + 1) + self._along(imaginary, sines, dim, dim + 1),
                           self._along(imaginary, cosines, dim, dim + 1) - self._along(real, sines, dim, dim + 1))
        if rest > 1:
            real, imaginary = _turned(real, imaginary, *self._table(rest, first, size, forward, real), dim)
            real, imaginary = self.complex_to_complex(real, imaginary, dim, forward)
        return _joined(real, dim), _joined(imaginary, dim)

    def real_to_complex(self, x: Any, dim: int, count: int) -> tuple[Any, Any]:
        """The first `count` results. One half of those along the first factor is computed, the others are conjugates."""
        size = x.shape[dim]
        first = _first_factor(size)
        rest, half = size // first, first // 2 + 1
        x = _split(x, dim, first, rest)
        cosines, sines = self._table(first, half, first, True, x)
        real, imaginary = self._along(x, cosines, dim, dim + 1), -self._along(x, sines, dim, dim + 1)
        if rest > 1:
            real, imaginary = _turned(real, imaginary, *self._table(rest, half, size, True, x), dim)
            real, imaginary = self.complex_to_complex(real, imaginary, dim, True)
        rows = -(-count // first)

        def completed(t: Any, sign: int) -> Any:
            computed = _part(t, dim, 0, rows)
            if half < min(first, count):
                others = _part(_part(t, dim, rest - rows, rest), dim + 1, 1, first - half + 1)
                computed = self.ops.concatenate([computed, sign * self.ops.flip(others, (dim, dim + 1))], dim + 1)
            return _part(_joined(computed, dim), dim, 0, count)
        return completed(real, 1), completed(imaginary, -1)

    def complex_to_real(self, real: Any, imaginary: Any, dim: int, size: int) -> Any:
        """Backward, of the first size // 2 + 1 terms: the others are their conjugates."""
        first = _first_factor(size)
        rest, half = size // first, first // 2 + 1

        def completed(t: Any, sign: int) -> Any:
            if rest > 1:
                others = _part(t, dim, 1, size - t.shape[dim] + 1)
                t = self.ops.concatenate([t, sign * self.ops.flip(others, (dim,))], dim)
            return _part(_split(t, dim, rest, t.shape[dim] // rest), dim + 1, 0, half)
        real, imaginary = completed(real, 1), completed(imaginary, -1)
        if rest > 1:
            real, imaginary = self.complex_to_complex(real, imaginary, dim, False)
            real, imaginary = _turned(real, imaginary, *self._table(rest, half, size, False, real), dim)
        cosines, sines = self._table(half, first, first, True, real)
        k = self.numbers(half, real)[:, None]  # all but the first, and the middle one, stand for two
        times = 2 - ((k == 0) | (2 * k == first)) * 1
        x = self._along(real, cosines * times, dim + 1, dim) - self._along(imaginary, sines * times, dim + 1, dim)
        return _joined(x, dim)

    def _bluestein(self, real: Any, imaginary: Any, dim: int, forward: bool) -> tuple[Any, Any]:
        """A convolution, since 2 i k = i^2 + k^2 - (k - i)^2 (Bluestein, 1970)."""
        size = real.shape[dim]
        length = _smooth(2 * size - 1)
        cosines, sines = self._roots(self.squares(size, 2 * size, real), 2 * size, forward, real)
        real, imaginary = (self.padded(t, length, dim) for t in _turned(real, imaginary, cosines, sines, dim))
        real, imaginary = self.complex_to_complex(real, imaginary, dim, True)
        kernel = [self.ops.concatenate([self.padded(t, length - size + 1, 0), self.ops.flip(t[1:], (0,))], 0)
                  for t in (cosines / length, sines / length)]
        cosines_of_kernel, sines_of_kernel = self.complex_to_complex(*kernel, 0, True)
        real, imaginary = _turned(real, imaginary, cosines_of_kernel, -sines_of_kernel, dim)
        real, imaginary = self.complex_to_complex(real, imaginary, dim, False)
        return _turned(_part(real, dim, 0, size), _part(imaginary, dim, 0, size), cosines, sines, dim)
