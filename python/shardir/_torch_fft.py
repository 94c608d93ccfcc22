"""Complex numbers and discrete Fourier transforms of PyTorch in terms of other ops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ._fft import Fourier

aten = torch.ops.aten


def _parts(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    both = torch.view_as_real(x)
    return both.select(-1, 0), both.select(-1, 1)


def _complex(real: torch.Tensor, imaginary: torch.Tensor) -> torch.Tensor:
    return torch.view_as_complex(torch.stack([real, imaginary], -1))


class _Fourier(Fourier):
    ops = torch

    def numbers(self, count: int, like: torch.Tensor) -> torch.Tensor:
        return torch.arange(count, device=like.device)

    def squares(self, count: int, modulus: int, like: torch.Tensor) -> torch.Tensor:
        return self.numbers(count, like) ** 2 % modulus

    def waves(self, integers: torch.Tensor, step: float, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        angles = integers.to(like.dtype) * step
        return torch.cos(angles), torch.sin(angles)

    def padded(self, x: torch.Tensor, size: int, dim: int) -> torch.Tensor:
        return _resized(x, size, dim)


_FOURIER = _Fourier()


def _scale(sizes: Sequence[int], normalization: int) -> float:
    return 1 / math.prod(sizes) ** (0.5 * normalization)


def _fft_c2c(x: torch.Tensor, dim: Sequence[int], normalization: int, forward: bool) -> torch.Tensor:
    real, imaginary = _parts(x)
    for d in dim:
        real, imaginary = _FOURIER.complex_to_complex(real, imaginary, d % x.dim(), forward)
    scale = _scale([x.shape[d] for d in dim], normalization)
    return _complex(real * scale, imaginary * scale)


def _fft_r2c(x: torch.Tensor, dim: Sequence[int], normalization: int, onesided: bool) -> torch.Tensor:
    *others, last = (d % x.dim() for d in dim)
    size = x.shape[last]
    real, imaginary = _FOURIER.real_to_complex(x, last, size // 2 + 1 if onesided else size)
    for d in others:
        real, imaginary = _FOURIER.complex_to_complex(real, imaginary, d, True)
    scale = _scale([x.shape[d] for d in dim], normalization)
    return _complex(real * scale, imaginary * scale)


def _fft_c2r(x: torch.Tensor, dim: Sequence[int], normalization: int, last_dim_size: int) -> torch.Tensor:
    *others, last = (d % x.dim() for d in dim)
    real, imaginary = (t.narrow(last, 0, last_dim_size // 2 + 1) for t in _parts(x))
    for d in others:
        real, imaginary = _FOURIER.complex_to_complex(real, imaginary, d, False)
    found = _FOURIER.complex_to_real(real, imaginary, last, last_dim_size)
    return found * _scale([last_dim_size, *(x.shape[d] for d in others)], normalization)


def _magnitude(real: torch.Tensor, imaginary: torch.Tensor) -> torch.Tensor:
    return torch.sqrt(real * real + imaginary * imaginary)


def _abs(x: torch.Tensor) -> Any:
    return _magnitude(*_parts(x)) if x.is_complex() else NotImplemented


def _angle(x: torch.Tensor) -> Any:
    if not x.is_complex():
        return NotImplemented
    real, imaginary = _parts(x)
    return torch.atan2(imaginary, real)


def _sgn(x: torch.Tensor) -> torch.Tensor:
    if not x.is_complex():
        return torch.sign(x)
    real, imaginary = _parts(x)
    length = _magnitude(real, imaginary)
    length = torch.where(length == 0, torch.ones_like(length), length)
    return _complex(real / length, imaginary / length)


def _conj_physical(x: torch.Tensor) -> torch.Tensor:
    if not x.is_complex():
        return x.clone()
    real, imaginary = _parts(x)
    return _complex(real, -imaginary)


def _full_like(x: torch.Tensor, value: Any, *, dtype: Any = None, **options: Any) -> Any:
    if not x.is_complex() or dtype not in (None, x.dtype):
        return NotImplemented
    return _complex(*(torch.full(x.shape, part, dtype=x.dtype.to_real(), device=x.device)
                      for part in (complex(value).real, complex(value).imag)))


def _zeros(size: Sequence[int], *, dtype: torch.dtype | None = None, **options: Any) -> Any:
    if dtype is None or not dtype.is_complex:
        return NotImplemented
    zeros = torch.zeros(list(size), dtype=dtype.to_real(), device=options.get("device"))
    return _complex(zeros, zeros)


def _by_parts(op: Any) -> Any:
    """Of a complex tensor and a real one, or a number."""
    def on_parts(x: torch.Tensor, y: Any) -> Any:
        complex_y = isinstance(y, torch.Tensor) and y.is_complex()
        if isinstance(y, complex) or x.is_complex() == complex_y or (op is aten.div.Tensor and complex_y):
            return NotImplemented
        x, y = (y, x) if complex_y else (x, y)
        return _complex(*(op(t, y) for t in _parts(x)))
    return on_parts


def _product(op: Any) -> Any:
    def product(x: torch.Tensor, y: torch.Tensor) -> Any:
        if not x.is_complex():
            return NotImplemented
        (a, b), (c, d) = _parts(x), _parts(y)
        return _complex(op(a, c) - op(b, d), op(a, d) + op(b, c))
    return product


# -- Composite transforms: torch.export keeps them -------------------------------------------------------

def _normalization(norm: str | None, forward: bool) -> int:
    return 1 if norm == "ortho" else 2 if forward == (norm == "forward") else 0


def _resized(x: torch.Tensor, size: int | None, dim: int) -> torch.Tensor:
    if size is None or size == x.shape[dim]:
        return x
    if size < x.shape[dim]:
        return x.narrow(dim, 0, size)
    extra = list(x.shape)
    extra[dim] = size - x.shape[dim]
    return torch.cat([x, x.new_zeros(extra)], dim)


def _dims(x: torch.Tensor, s: Sequence[int] | None, dim: Sequence[int] | None) -> tuple[list[int], list[int | None]]:
    """The dims to transform, and their sizes where others than the tensor's."""
    if dim is None:
        dim = range(x.dim()) if s is None else range(x.dim() - len(s), x.dim())
    return list(dim), [None] * len(dim) if s is None else [None if n == -1 else n for n in s]


def _complex_transform(forward: bool) -> Any:
    def transform(x: torch.Tensor, s: Sequence[int] | None = None, dim: Sequence[int] | None = None,
                  norm: str | None = None) -> torch.Tensor:
        dims, sizes = _dims(x, s, dim)
        real, imaginary = _parts(x) if x.is_complex() else (x, torch.zeros_like(x))
        for d, size in zip(dims, sizes):
            real, imaginary = (_resized(t, size, d) for t in (real, imaginary))
        return _fft_c2c(_complex(real, imaginary), dims, _normalization(norm, forward), forward)
    return transform


def _rfftn(x: torch.Tensor, s: Sequence[int] | None = None, dim: Sequence[int] | None = None,
           norm: str | None = None) -> torch.Tensor:
    dims, sizes = _dims(x, s, dim)
    for d, size in zip(dims, sizes):
        x = _resized(x, size, d)
    return _fft_r2c(x, dims, _normalization(norm, True), True)


def _irfftn(x: torch.Tensor, s: Sequence[int] | None = None, dim: Sequence[int] | None = None,
            norm: str | None = None) -> torch.Tensor:
    dims, sizes = _dims(x, s, dim)
    last = sizes[-1] if sizes[-1] is not None else 2 * (x.shape[dims[-1]] - 1)
    sizes = [*sizes[:-1], last // 2 + 1]
    real, imaginary = _parts(x) if x.is_complex() else (x, torch.zeros_like(x))
    for d, size in zip(dims, sizes):
        real, imaginary = (_resized(t, size, d) for t in (real, imaginary))
    return _fft_c2r(_complex(real, imaginary), dims, _normalization(norm, False), last)


def _over_one(transform: Any) -> Any:
    def over_one(x: torch.Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> torch.Tensor:
        return transform(x, None if n is None else [n], [dim], norm)
    return over_one


def _over_two(transform: Any) -> Any:
    def over_two(x: torch.Tensor, s: Sequence[int] | None = None, dim: Sequence[int] = (-2, -1),
                 norm: str | None = None) -> torch.Tensor:
        return transform(x, s, dim, norm)
    return over_two


def fft_decompositions() -> dict:
    table: dict[Any, Any] = {
        aten._fft_c2c.default: _fft_c2c, aten._fft_r2c.default: _fft_r2c, aten._fft_c2r.default: _fft_c2r,
        aten.real.default: lambda x: _parts(x)[0] if x.is_complex() else x.clone(),
        aten.imag.default: lambda x: _parts(x)[1], aten.complex.default: _complex,
        aten.abs.default: _abs, aten.angle.default: _angle, aten._conj_physical.default: _conj_physical,
        aten.mul.Tensor: _by_parts(aten.mul.Tensor), aten.div.Tensor: _by_parts(aten.div.Tensor),
        aten.mul.Scalar: _by_parts(aten.mul.Scalar), aten.div.Scalar: _by_parts(aten.div.Scalar),
        aten.full_like.default: _full_like, aten.zeros.default: _zeros,
        aten._neg_view.default: aten.neg.default, aten._neg_view_copy.default: aten.neg.default,
        aten.mm.default: _product(aten.mm), aten.bmm.default: _product(aten.bmm),
        aten._conj.default: _conj_physical, aten._conj_copy.default: _conj_physical, aten.sgn.default: _sgn,
        aten.resolve_conj.default: lambda x: x.clone(),
    }
    for name, transform in (("fft", _complex_transform(True)), ("ifft", _complex_transform(False)), ("rfft", _rfftn),
                            ("irfft", _irfftn)):
        table[getattr(aten, f"fft_{name}").default] = _over_one(transform)
        table[getattr(aten, f"fft_{name}2").default] = _over_two(transform)
        table[getattr(aten, f"fft_{name}n").default] = transform
    return table
