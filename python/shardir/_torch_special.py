"""Special functions, and those of integers, of PyTorch in terms of other ops."""

from __future__ import annotations

import math
from typing import Any

import torch

aten = torch.ops.aten


def _gelu(x: torch.Tensor, *, approximate: str = "none") -> Any:
    # torch-mlir's factor is 0.797724 in the place of sqrt(2 / pi).
    if approximate != "tanh":
        return NotImplemented
    y = x.to(torch.float32) if x.dtype in (torch.bfloat16, torch.float16) else x
    return (0.5 * y * (1 + torch.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y * y * y)))).to(x.dtype)


_LANCZOS = (0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
            12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7)


def _lgamma(x: torch.Tensor) -> torch.Tensor:
    """Lanczos' approximation with g = 7; by reflection below 1/2."""
    z = torch.where(x < 0.5, 1 - x, x) - 1
    # log(sum) - log(1) in small terms: the function is zero at 1 and 2.
    rest = sum(c / (z + i) for i, c in enumerate(_LANCZOS) if i)
    t = z + 7.5
    above = 0.5 * math.log(2 * math.pi) + (z + 0.5) * t.log() - t + (_LANCZOS[0] + rest).log()
    turns = x - x.floor()
    below = math.log(math.pi) - (turns * math.pi).sin().abs().log() - above
    found = torch.where(x < 0.5, below, above)
    infinite = torch.full((), math.inf, dtype=x.dtype, device=x.device)
    return torch.where(x.isinf() | ((x <= 0) & (x == x.floor())), infinite, found)


def _digamma(x: torch.Tensor) -> torch.Tensor:
    """The asymptotic series from 6 on, after steps of 1; by reflection below zero."""
    z = torch.where(x < 0, 1 - x, x)
    found = torch.zeros_like(x)
    for _ in range(6):
        small = z < 6
        found = torch.where(small, found - 1 / z, found)
        z = torch.where(small, z + 1, z)
    square = 1 / (z * z)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    found = found + z.log() - 0.5 / z - series
    reflected = found - math.pi / ((x - x.floor()) * math.pi).tan()
    nan = torch.full((), math.nan, dtype=x.dtype, device=x.device)
    reflected = torch.where(x == x.floor(), nan, reflected)
    return torch.where(x < 0, reflected, found)


def _erfinv(x: torch.Tensor) -> torch.Tensor:
    # M. Giles, Approximating the erfinv function (2010), then Newton's method on erf.
    w = -torch.log((1 - x) * (1 + x))
    low, high = w - 2.5, torch.sqrt(w) - 3
    near, far = torch.full_like(x, 2.81022636e-08), torch.full_like(x, -0.000200214257)
    for a, b in ((3.43273939e-07, 0.000100950558), (-3.5233877e-06, 0.00134934322), (-4.39150654e-06, -0.00367342844),
                 (0.00021858087, 0.00573950773), (-0.00125372503, -0.0076224613), (-0.00417768164, 0.00943887047),
                 (0.246640727, 1.00167406), (1.50140941, 2.83297682)):
        near, far = near * low + a, far * high + b
    y = torch.where(w < 5, near, far) * x
    for _ in range(2):
        y = y - (torch.erf(y) - x) * (math.sqrt(math.pi) / 2) * torch.exp(y * y)
    return torch.where(x.abs() == 1, torch.sign(x) * math.inf, y)


def _erfc(x: torch.Tensor) -> torch.Tensor:
    """From 1/2 on by a fit with a relative error of 1.2e-7 (Numerical Recipes, 6.2)."""
    if x.dtype == torch.float64:
        return 1 - torch.erf(x)
    y = x.to(torch.float32)
    t, series = 1 / (1 + 0.5 * y.abs()), torch.full_like(y, 0.17087277)
    for c in (-0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
              -1.26551223):
        series = series * t + c
    return torch.where(y < 0.5, 1 - torch.erf(y), t * torch.exp(series - y * y)).to(x.dtype)


def _reciprocal(x: torch.Tensor) -> torch.Tensor:
    # The op that torch-mlir makes of it fails at zeros.
    x = x if x.is_floating_point() or x.is_complex() else x.to(torch.float32)
    return torch.ones((), dtype=x.dtype, device=x.device) / x


def _signbit(x: torch.Tensor) -> torch.Tensor:
    """Of zeros, too; false for NaN."""
    if not x.is_floating_point():
        return x < 0
    return torch.where(x == 0, _reciprocal(x), x) < 0


def _copysign(x: torch.Tensor, sign: Any) -> torch.Tensor:
    if not isinstance(sign, torch.Tensor):
        sign = torch.full((), float(sign), dtype=torch.float32, device=x.device)
    x = x if x.is_floating_point() else x.to(torch.float32)
    return torch.where(_signbit(sign), -x.abs(), x.abs())


def _int_power(base: torch.Tensor, exponent: torch.Tensor) -> torch.Tensor:
    """Over the bits of exponents that are not negative."""
    found = torch.ones_like(exponent) * torch.ones_like(base)
    for bit in range(6):
        found = torch.where((exponent // (1 << bit)) % 2 == 1, found * base, found)
        base = base * base
    return found


def _power_of_scalar(x: torch.Tensor, exponent: Any) -> Any:
    if x.is_floating_point() or x.is_complex() or not isinstance(exponent, int) or exponent < 0:
        return NotImplemented
    found = torch.ones_like(x, dtype=torch.int64 if x.dtype == torch.bool else x.dtype)
    for digit in bin(exponent)[2:]:
        found = found * found
        found = found * x if digit == "1" else found
    return found


def _scalar_to_power(base: Any, x: torch.Tensor) -> Any:
    if x.is_floating_point() or x.is_complex() or not isinstance(base, int):
        return NotImplemented
    return _int_power(torch.full_like(x, base), x)


def _power(x: torch.Tensor, exponent: torch.Tensor) -> Any:
    if any(t.is_floating_point() or t.is_complex() for t in (x, exponent)):
        return NotImplemented
    kind = torch.promote_types(x.dtype, exponent.dtype)
    return _int_power(x.to(kind), exponent.to(kind))


def _with_tensor(op: Any) -> Any:
    def bitwise(x: torch.Tensor, value: Any) -> torch.Tensor:
        return op(x, torch.full((), value, dtype=x.dtype, device=x.device))
    return bitwise


def _fake_quantize(x: torch.Tensor, scale: Any, zero_point: Any, quant_min: int, quant_max: int) -> Any:
    """The nearest quantized value, and where it is not clamped, which gradients pass."""
    number = torch.round(x * (1 / scale)) + zero_point
    inside = (number >= quant_min) & (number <= quant_max)
    return ((number.clamp(quant_min, quant_max) - zero_point) * scale).to(x.dtype), inside


def _fake_quantize_channels(x: torch.Tensor, scale: torch.Tensor, zero_point: torch.Tensor, axis: int, quant_min: int,
                            quant_max: int) -> Any:
    shape = [-1 if d == axis % x.dim() else 1 for d in range(x.dim())]
    return _fake_quantize(x, scale.view(shape), zero_point.view(shape), quant_min, quant_max)


def _fake_quantize_where(x: torch.Tensor, scale: torch.Tensor, zero_point: torch.Tensor, enabled: torch.Tensor,
                         quant_min: int, quant_max: int) -> Any:
    found, inside = _fake_quantize(x, scale, zero_point, quant_min, quant_max)
    return torch.where(enabled != 0, found, x), inside | (enabled == 0)


def special_decompositions() -> dict:
    return {
        aten.fake_quantize_per_tensor_affine_cachemask.default: _fake_quantize,
        aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default: _fake_quantize_where,
        aten.fake_quantize_per_channel_affine_cachemask.default: _fake_quantize_channels,
        aten.gelu.default: _gelu, aten.erfinv.default: _erfinv, aten.erfc.default: _erfc,
        aten.lgamma.default: _lgamma, aten.digamma.default: _digamma, aten.reciprocal.default: _reciprocal,
        aten.signbit.default: _signbit, aten.copysign.Tensor: _copysign, aten.copysign.Scalar: _copysign,
        aten.pow.Tensor_Scalar: _power_of_scalar, aten.pow.Scalar: _scalar_to_power, aten.pow.Tensor_Tensor: _power,
        aten.bitwise_xor.Scalar: _with_tensor(aten.bitwise_xor.Tensor),
    }
