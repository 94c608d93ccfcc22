"""Discrete Fourier transforms of PyTorch in terms of other ops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ._fft import Fourier
from ._torch_complex import join as _complex
from ._torch_complex import parts as _parts

aten = torch.ops.aten


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
    }
    for name, transform in (("fft", _complex_transform(True)), ("ifft", _complex_transform(False)), ("rfft", _rfftn),
                            ("irfft", _irfftn)):
        table[getattr(aten, f"fft_{name}").default] = _over_one(transform)
        table[getattr(aten, f"fft_{name}2").default] = _over_two(transform)
        table[getattr(aten, f"fft_{name}n").default] = transform
    return table
