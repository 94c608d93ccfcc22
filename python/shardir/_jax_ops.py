"""Ops of JAX in terms of others: Fourier transforms are products with matrices, along any replicated dim."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import debugging
from jax._src.interpreters import mlir
from jax._src.lax import ann, fft


def _waves(rows: int, columns: int, size: int, dtype: Any) -> tuple[jax.Array, jax.Array]:
    """Cosines and sines of 2 pi i k / size; of i k modulo size, as large angles would lose digits."""
    angles = (jnp.arange(rows)[:, None] * jnp.arange(columns) % size).astype(dtype) * (2 * math.pi / size)
    return jnp.cos(angles), jnp.sin(angles)


def _along(x: jax.Array, matrix: jax.Array, dim: int) -> jax.Array:
    return jnp.moveaxis(jnp.matmul(jnp.moveaxis(x, dim, -1), matrix, precision=lax.Precision.HIGHEST), -1, dim)


def _transform(real: jax.Array, imaginary: jax.Array, dim: int, forward: bool) -> tuple[jax.Array, jax.Array]:
    cosines, sines = _waves(*[real.shape[dim]] * 3, real.dtype)
    sines = sines if forward else -sines
    return (_along(real, cosines, dim) + _along(imaginary, sines, dim),
            _along(imaginary, cosines, dim) - _along(real, sines, dim))


def _complex_to_real(real: jax.Array, imaginary: jax.Array, size: int) -> jax.Array:
    """Along the last dim; all elements but the first, and the middle one, stand for two."""
    count = size // 2 + 1
    cosines, sines = _waves(count, size, size, real.dtype)
    k = jnp.arange(count)[:, None]
    times = jnp.where((k == 0) | (2 * k == size), 1, 2).astype(real.dtype)
    return _along(real, cosines * times, -1) - _along(imaginary, sines * times, -1)


def _fft(x: jax.Array, *, fft_type: Any, fft_lengths: Sequence[int], **_: Any) -> jax.Array:
    others = range(x.ndim - len(fft_lengths), x.ndim - 1)
    size, kind = fft_lengths[-1], fft.FftType(fft_type)
    forward = kind in (fft.FftType.FFT, fft.FftType.RFFT)
    if kind == fft.FftType.RFFT:
        cosines, sines = _waves(size, size // 2 + 1, size, x.dtype)
        real, imaginary = _along(x, cosines, -1), _along(x, -sines, -1)
    else:
        real, imaginary = x.real, x.imag
    for dim in others:
        real, imaginary = _transform(real, imaginary, dim, forward)
    scale = 1 if forward else 1 / math.prod(fft_lengths)
    if kind == fft.FftType.IRFFT:
        return _complex_to_real(real, imaginary, size) * scale
    if kind != fft.FftType.RFFT:
        real, imaginary = _transform(real, imaginary, x.ndim - 1, forward)
    return lax.complex(real * scale, imaginary * scale)


def _approx_top_k(x: jax.Array, *, k: int, reduction_dimension: int, is_max_k: bool, **_: Any) -> Any:
    """Exactly: no approximation is faster on what runs this."""
    x = jnp.moveaxis(x, reduction_dimension, -1)
    values, places = lax.top_k(x if is_max_k else -x, k)
    return [jnp.moveaxis(a, -1, reduction_dimension) for a in (values if is_max_k else -values, places)]


def _drop_callback(context: Any, *_: Any, **__: Any) -> list[Any]:
    """jax.debug's calls, which are for people."""
    warnings.warn("jax.debug.print and jax.debug.callback do nothing in a function of shardir.jax.jit", stacklevel=2)
    context.set_tokens_out(context.tokens_in)
    return []


def lowering_rules() -> tuple[tuple[Any, Any], ...]:
    """As `jax.stages.Traced.lower` takes them."""
    return ((fft.fft_p, mlir.lower_fun(_fft, multiple_results=False)),
            (ann.approx_top_k_p, mlir.lower_fun(_approx_top_k, multiple_results=True)),
            *((primitive, _drop_callback) for name in ("debug_callback_p", "debug_print_p")
              if (primitive := getattr(debugging, name, None))))
