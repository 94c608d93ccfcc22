"""Ops of JAX in terms of others."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import debugging
from jax._src.interpreters import mlir
from jax._src.lax import ann, fft
from jax.sharding import AxisType, get_abstract_mesh, use_abstract_mesh

try:
    from jax._src.random import threefry2x32 as threefry
except ImportError:
    from jax._src import prng as threefry

from ._fft import Fourier


def rule(function: Callable, multiple_results: bool = False) -> Callable:
    """What lowers an op of JAX to a function of arrays. Their types say nothing of meshes within it, so that loops may
    start from constants."""
    lower = mlir.lower_fun(function, multiple_results=multiple_results)

    def lowered(context: Any, *arguments: Any, **parameters: Any) -> Any:
        types = [jax.core.ShapedArray(a.shape, a.dtype, weak_type=a.weak_type) for a in context.avals_in]
        mesh = get_abstract_mesh()
        explicit = [a for a, kind in zip(mesh.axis_names, mesh.axis_types) if kind == AxisType.Explicit]
        with use_abstract_mesh(mesh.update_axis_types(dict.fromkeys(explicit, AxisType.Auto))):
            return lower(context.replace(avals_in=types), *arguments, **parameters)

    return lowered


class _Fourier(Fourier):
    ops = jnp

    def numbers(self, count: int, like: jax.Array) -> jax.Array:
        return jnp.arange(count)

    def squares(self, count: int, modulus: int, like: jax.Array) -> jax.Array:
        return jnp.asarray(np.arange(count, dtype=np.int64) ** 2 % modulus)  # JAX's integers have 32 bits

    def waves(self, integers: jax.Array, step: float, like: jax.Array) -> tuple[jax.Array, jax.Array]:
        angles = integers.astype(like.dtype) * step
        return jnp.cos(angles), jnp.sin(angles)

    def padded(self, x: jax.Array, size: int, dim: int) -> jax.Array:
        return jnp.pad(x, [(0, size - x.shape[dim] if d == dim else 0) for d in range(x.ndim)])


_FOURIER = _Fourier()


@jax.default_matmul_precision("highest")
def _fft(x: jax.Array, *, fft_type: Any, fft_lengths: Sequence[int], **_: Any) -> jax.Array:
    *others, last = range(x.ndim - len(fft_lengths), x.ndim)
    size, kind = fft_lengths[-1], fft.FftType(fft_type)
    forward = kind in (fft.FftType.FFT, fft.FftType.RFFT)
    if kind == fft.FftType.RFFT:
        real, imaginary = _FOURIER.real_to_complex(x, last, size // 2 + 1)
    else:
        real, imaginary = x.real, x.imag
    for dim in others:
        real, imaginary = _FOURIER.complex_to_complex(real, imaginary, dim, forward)
    scale = 1 if forward else 1 / math.prod(fft_lengths)
    if kind == fft.FftType.IRFFT:
        return _FOURIER.complex_to_real(real, imaginary, last, size) * scale
    if kind != fft.FftType.RFFT:
        real, imaginary = _FOURIER.complex_to_complex(real, imaginary, last, forward)
    return lax.complex(real * scale, imaginary * scale)


def _approx_top_k(x: jax.Array, *, k: int, reduction_dimension: int, is_max_k: bool, **_: Any) -> Any:
    """Exactly: no approximation is faster on what runs this."""
    x = jnp.moveaxis(x, reduction_dimension, -1)
    values, places = lax.top_k(x if is_max_k else -x, k)
    return [jnp.moveaxis(a, -1, reduction_dimension) for a in (values if is_max_k else -values, places)]


def _threefry(*operands: jax.Array) -> Any:
    """Random bits: of many, all rounds in one pass over memory; of few, in a loop, which compiles sooner."""
    return threefry._threefry2x32_lowering(*operands, use_rolled_loops=operands[2].size < 4096)


def _drop_callback(context: Any, *_: Any, **__: Any) -> list[Any]:
    """jax.debug's calls, which are for people."""
    warnings.warn("jax.debug.print and jax.debug.callback do nothing in a function of shardir.jax.jit", stacklevel=2)
    context.set_tokens_out(context.tokens_in)
    return []


def lowering_rules() -> tuple[tuple[Any, Any], ...]:
    """As `jax.stages.Traced.lower` takes them."""
    return ((fft.fft_p, rule(_fft)), (ann.approx_top_k_p, rule(_approx_top_k, True)),
            (threefry.threefry2x32_p, rule(_threefry, True)),
            *((primitive, _drop_callback) for name in ("debug_callback_p", "debug_print_p")
              if (primitive := getattr(debugging, name, None))))
