"""Complex numbers of PyTorch in terms of their real and imaginary parts.

torch-mlir lowers products of complex tensors, and views and choices of their elements, but few others: for some, such as
sums, it ends the process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.utils._pytree as pytree

from ._errors import CompileError

aten = torch.ops.aten


def parts(x: Any) -> tuple[Any, Any]:
    """The real and the imaginary part of a tensor or a number."""
    if not isinstance(x, torch.Tensor):
        return complex(x).real, complex(x).imag
    if not x.is_complex():
        return x, 0.0
    both = torch.view_as_real(x)
    return both.select(-1, 0), both.select(-1, 1)


def join(real: torch.Tensor, imaginary: torch.Tensor) -> torch.Tensor:
    return torch.view_as_complex(torch.stack(torch.broadcast_tensors(real, imaginary), -1))


def _magnitude(x: torch.Tensor) -> torch.Tensor:
    real, imaginary = parts(x)
    return torch.sqrt(real * real + imaginary * imaginary)


def _angle(x: torch.Tensor) -> torch.Tensor:
    real, imaginary = parts(x)
    return torch.atan2(imaginary, real)


def _polar(length: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    return join(length * torch.cos(angle), length * torch.sin(angle))


def _sgn(x: torch.Tensor) -> torch.Tensor:
    length = _magnitude(x)
    return _divide(x, torch.where(length == 0, torch.ones_like(length), length))


def _conjugate(x: Any) -> Any:
    real, imaginary = parts(x)
    return join(real, -imaginary) if isinstance(x, torch.Tensor) else x.conjugate()


def _full_like(x: torch.Tensor, value: Any, *, dtype: Any = None, **options: Any) -> Any:
    if dtype not in (None, x.dtype):
        return NotImplemented
    return join(*(torch.full(x.shape, part, dtype=x.dtype.to_real(), device=x.device) for part in parts(value)))


def _zeros(size: Sequence[int], *, dtype: torch.dtype | None = None, **options: Any) -> Any:
    if dtype is None or not dtype.is_complex:
        return NotImplemented
    zeros = torch.zeros(list(size), dtype=dtype.to_real(), device=options.get("device"))
    return join(zeros, zeros)


def _scalar_tensor(value: complex, *, dtype: torch.dtype | None = None, **options: Any) -> torch.Tensor:
    kind = (dtype or torch.complex64).to_real()
    return join(*(torch.full((), part, dtype=kind, device=options.get("device")) for part in parts(value)))


def _add(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    if isinstance(y, torch.Tensor):
        y = y if alpha == 1 else y * alpha
    else:
        y = y * alpha
    (a, b), (c, d) = parts(x), parts(y)
    return join(*(t if isinstance(t, torch.Tensor) else torch.full_like(a if isinstance(a, torch.Tensor) else c, t)
                  for t in (a + c, b + d)))


def _multiply(x: Any, y: Any) -> Any:
    if all(isinstance(t, torch.Tensor) and t.is_complex() for t in (x, y)):
        return NotImplemented
    (a, b), (c, d) = parts(x), parts(y)
    if not isinstance(d, torch.Tensor) and d == 0:
        return join(a * c, b * c)
    if not isinstance(b, torch.Tensor) and b == 0:
        return join(a * c, a * d)
    return join(a * c - b * d, a * d + b * c)


def _divide(x: Any, y: Any) -> torch.Tensor:
    (a, b), (c, d) = parts(x), parts(y)
    if not isinstance(d, torch.Tensor) and d == 0:
        return join(a / c, b / c)
    square = c * c + d * d
    return join((a * c + b * d) / square, (b * c - a * d) / square)


def _power(x: torch.Tensor, exponent: Any) -> torch.Tensor:
    if isinstance(exponent, (complex, torch.Tensor)):
        raise CompileError("a power of complex numbers by a complex number or a tensor is not supported: write "
                           "torch.exp(y * torch.log(x))")
    if exponent != int(exponent) or not 1 <= exponent <= 4:
        return _polar(_magnitude(x) ** exponent, _angle(x) * exponent)
    found = x
    for _ in range(int(exponent) - 1):
        found = found * x
    return found


def _exp(x: torch.Tensor) -> torch.Tensor:
    real, imaginary = parts(x)
    return _polar(torch.exp(real), imaginary)


def _equal(x: Any, y: Any) -> torch.Tensor:
    (a, b), (c, d) = parts(x), parts(y)
    return (a == c) & (b == d)


def _linear(op: Any) -> Callable:
    """Of an op that treats both parts as it treats a real tensor."""
    def on_parts(*args: Any, **kwargs: Any) -> torch.Tensor:
        leaves, spec = pytree.tree_flatten((args, kwargs))
        numbers = [isinstance(v, torch.Tensor) and v.is_complex() for v in leaves]
        if isinstance(kwargs.get("dtype"), torch.dtype):
            raise CompileError(f"{op} of complex numbers with a dtype is not supported: convert them before")
        found = []
        for part in range(2):
            real = [parts(v)[part] if number else v for v, number in zip(leaves, numbers)]
            args_, kwargs_ = pytree.tree_unflatten(real, spec)
            found.append(op(*args_, **kwargs_))
        return join(*found)
    return on_parts


def _product(op: Any) -> Callable:
    def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        (a, b), (c, d) = parts(x), parts(y)
        return join(op(a, c) - op(b, d), op(a, d) + op(b, c))
    return product


def _refused(op: Any) -> Callable:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise CompileError(f"{op} of complex numbers is not supported: compute with their parts, x.real and x.imag")
    return refuse


def _is_complex(value: Any) -> bool:
    return value.is_complex() if isinstance(value, torch.Tensor) else isinstance(value, complex)


def complex_decompositions(others: Mapping[Any, Callable]) -> dict:
    """others: what the ops are taken apart to for real numbers."""
    ours: dict[Any, Callable] = {
        aten.abs.default: _magnitude, aten.angle.default: _angle, aten.sgn.default: _sgn,
        aten._conj_physical.default: _conjugate, aten._conj.default: _conjugate, aten._conj_copy.default: _conjugate,
        aten.add.Tensor: _add, aten.add.Scalar: _add,
        aten.sub.Tensor: lambda x, y, alpha=1: _add(x, y, alpha=-alpha), aten.sub.Scalar: lambda x, y: _add(x, y, alpha=-1),
        **{op: lambda x, y, alpha=1: _add(-x * alpha, y) for op in (aten.rsub.Scalar, aten.rsub.Tensor)},
        aten.mul.Tensor: _multiply, aten.mul.Scalar: _multiply, aten.div.Tensor: _divide, aten.div.Scalar: _divide,
        aten.reciprocal.default: lambda x: _divide(1, x),
        aten.pow.Tensor_Scalar: _power, aten.pow.Tensor_Tensor: _power, aten.exp.default: _exp,
        aten.log.default: lambda x: join(torch.log(_magnitude(x)), _angle(x)),
        aten.sqrt.default: lambda x: _power(x, 0.5), aten.rsqrt.default: lambda x: _power(x, -0.5),
        aten.eq.Tensor: _equal, aten.eq.Scalar: _equal,
        aten.ne.Tensor: lambda x, y: ~_equal(x, y), aten.ne.Scalar: lambda x, y: ~_equal(x, y),
        aten.full_like.default: _full_like, aten.scalar_tensor.default: _scalar_tensor,
        aten.mm.default: _product(aten.mm), aten.bmm.default: _product(aten.bmm), aten.mv.default: _product(aten.mv),
        aten.dot.default: _product(aten.dot), aten.vdot.default: lambda x, y: aten.dot(x.conj(), y),
        **{op: _linear(op) for op in (
            aten.neg.default, aten.sum.default, aten.sum.dim_IntList, aten.mean.default, aten.mean.dim, aten.cumsum.default,
            aten.index_put.default, aten.scatter_add.default, aten.index_add.default)},
        **{op: _refused(op) for op in (aten.prod.default, aten.prod.dim_int, aten.cumprod.default, aten.var.correction)},
    }

    def chosen(op: Any) -> Callable:
        other = others.get(op, lambda *args, **kwargs: NotImplemented)

        def decomposed(*args: Any, **kwargs: Any) -> Any:
            return (ours[op] if any(map(_is_complex, pytree.tree_leaves((args, kwargs)))) else other)(*args, **kwargs)
        return decomposed

    return {
        **{op: chosen(op) for op in ours},
        aten.real.default: lambda x: parts(x)[0] if x.is_complex() else x.clone(),
        aten.imag.default: lambda x: parts(x)[1], aten.complex.default: join, aten.polar.default: _polar,
        aten.zeros.default: _zeros, aten.resolve_conj.default: lambda x: x.clone(),
        aten._neg_view.default: aten.neg.default, aten._neg_view_copy.default: aten.neg.default,
    }
