"""Scatters of PyTorch along a dim, in which the other dims stay dims.

torch-mlir lowers them to lists of coordinates of all elements, in which rows that are split over devices are data and
are gathered. Here they are `shardir.scatter`, whose batch dims can be split.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ._torch_views import index_put

aten = torch.ops.aten


@torch.library.custom_op("shardir::scatter", mutates_args=())
def _scatter(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, combiner: str) -> torch.Tensor:
    """Combines elements of `source` with those of `x` at places along `dim`: `shardir.scatter` in the program.

    index: of x's dims without `dim`, the number of places and 1; or of these two alone where all rows have the same places.
    source: of x's dims without `dim`, and the number of places last; or first where all rows have the same.
    combiner: the op of dialect arith of an old and a new element; "" has the new one replace the old one.
    """
    if index.dim() == 2:
        source = source.movedim(0, dim)
        index = index.view([-1 if d == dim else 1 for d in range(x.dim())]).expand(source.shape)
    else:
        index, source = index.squeeze(-1).movedim(-1, dim), source.movedim(-1, dim)
    if not combiner:
        return x.scatter(dim, index, source)
    reduce = next(r for r, names in _COMBINERS.items() if combiner in names)
    return x.scatter_reduce(dim, index, source, reduce)


_scatter.register_fake(lambda x, dim, index, source, combiner: torch.empty_like(x))

#: Of PyTorch's reductions, for floats, signed and unsigned integers.
_COMBINERS = {"sum": ("arith.addf", "arith.addi", "arith.addi"), "prod": ("arith.mulf", "arith.muli", "arith.muli"),
              "amax": ("arith.maximumf", "arith.maxsi", "arith.maxui"),
              "amin": ("arith.minimumf", "arith.minsi", "arith.minui")}


def _combiner(reduce: str, kind: torch.dtype) -> str:
    return _COMBINERS[reduce][0 if kind.is_floating_point else 2 if kind == torch.uint8 else 1]


def _identity(reduce: str, kind: torch.dtype) -> float | int:
    if reduce in ("sum", "prod"):
        return 0 if reduce == "sum" else 1
    if kind.is_floating_point:
        return -math.inf if reduce == "amax" else math.inf
    return torch.iinfo(kind).min if reduce == "amax" else torch.iinfo(kind).max


def _has_rows(x: torch.Tensor, dim: int, index: torch.Tensor) -> bool:
    """Whether each place is in the row of `x` that it has in `index`, and there are rows and places."""
    if x.dim() == 0 or index.dim() != x.dim() or x.is_complex():
        return False
    return not isinstance(index.shape[dim], torch.SymInt) and index.shape[dim] > 0 and all(
        index.shape[d] == x.shape[d] for d in range(x.dim()) if d != dim)


def _read(source: Any, index: torch.Tensor) -> Any:
    """What is read of a scatter's source, which may have more elements than the index."""
    if isinstance(source, torch.Tensor):
        for d, n in enumerate(index.shape):
            source = source if source.shape[d] == n else source.narrow(d, 0, n)
    return source


def _once(index: torch.Tensor, dim: int) -> torch.Tensor:
    """The places of one row, where an index is a view that repeats it."""
    if any(index.stride(d) for d in range(index.dim()) if d != dim):
        return index
    return index[tuple(slice(None) if d == dim else 0 for d in range(index.dim()))]


def _at_places(x: torch.Tensor, dim: int, index: torch.Tensor, source: Any, reduce: str = "") -> torch.Tensor:
    """index: as of PyTorch's scatters, or of one dim where all rows have the same places."""
    shape = index.shape if index.dim() == x.dim() else [*x.shape[:dim], index.shape[0], *x.shape[dim + 1:]]
    if not isinstance(source, torch.Tensor):
        source = torch.full(shape, source, dtype=x.dtype, device=x.device)
    combiner = _combiner(reduce, x.dtype) if reduce else ""
    if index.dim() == 1:
        return torch.ops.shardir.scatter(x, dim, index.unsqueeze(-1), source.movedim(dim, 0), combiner)
    return torch.ops.shardir.scatter(x, dim, index.movedim(dim, -1).unsqueeze(-1), source.movedim(dim, -1), combiner)


def _few(x: torch.Tensor, dim: int, index: torch.Tensor, value: Any, adds: bool) -> torch.Tensor:
    # As in the gradients of a cross entropy, of a gather and of a choice of experts: no scatter is needed, and all dims
    # can be split.
    shape = [1] * x.dim()
    shape[dim] = x.shape[dim]
    numbers = torch.arange(x.shape[dim], dtype=index.dtype, device=x.device).view(shape)
    for i in range(index.shape[dim]):
        new = value.narrow(dim, i, 1) if isinstance(value, torch.Tensor) else torch.full(
            (), value, dtype=x.dtype, device=x.device)
        x = torch.where(numbers == index.narrow(dim, i, 1), x + new if adds else new, x)
    return x


def _counted_from_start(op: Any, x: torch.Tensor, dim: int, *operands: Any, **options: Any) -> Any:
    # torch-mlir ends the process for a negative dim of a scatter.
    return NotImplemented if dim >= 0 else op(x, dim + x.dim(), *operands, **options)


def _scatter_of(op: Any, adds: bool) -> Callable:
    def scatter(x: torch.Tensor, dim: int, index: torch.Tensor, value: Any) -> Any:
        along = dim % max(x.dim(), 1)
        if not _has_rows(x, along, index):
            return _counted_from_start(op, x, dim, index, value)
        if index.shape[along] <= 8:
            return _few(x, along, index, _read(value, index), adds)
        # torch-mlir refuses constants of uint8.
        if x.dim() == 1 or x.dtype == torch.bool and adds or x.dtype == torch.uint8 and not isinstance(value, torch.Tensor):
            return _counted_from_start(op, x, dim, index, value)
        return _at_places(x, along, _once(index, along), _read(value, index), "sum" if adds else "")
    return scatter


def _reduce(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, reduce: str,
            include_self: bool) -> torch.Tensor:
    kind = "sum" if reduce == "mean" else reduce
    if include_self and reduce != "mean":
        return _at_places(x, dim, index, source, kind)
    # Sums, which a split list of places gives terms of.
    extents = x.shape if index.dim() == x.dim() else [x.shape[dim]]
    counts = torch.zeros(extents, dtype=torch.int32, device=x.device)
    counts = _at_places(counts, dim if index.dim() == x.dim() else 0, index, 1, "sum")
    if index.dim() != x.dim():
        counts = counts.view([-1 if d == dim else 1 for d in range(x.dim())])
    first = x if include_self else torch.where(counts > 0, torch.full((), _identity(kind, x.dtype), dtype=x.dtype,
                                                                      device=x.device), x)
    found = _at_places(first, dim, index, source, kind)
    if reduce != "mean":
        return found
    counts = counts + 1 if include_self else counts.clamp(min=1)
    return found / counts.to(x.dtype) if x.is_floating_point() else found.div(counts, rounding_mode="floor").to(x.dtype)


def _scatter_reduce(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, reduce: str, *,
                    include_self: bool = True) -> Any:
    along = dim % max(x.dim(), 1)
    if x.dim() < 2 or x.dtype == torch.bool or not _has_rows(x, along, index):
        return _counted_from_start(aten.scatter_reduce.two, x, dim, index, source, reduce, include_self=include_self)
    return _reduce(x, along, _once(index, along), _read(source, index), reduce, include_self)


def _index_reduce(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, reduce: str, *,
                  include_self: bool = True) -> Any:
    if x.dim() == 0 or x.dtype == torch.bool:
        return NotImplemented
    return _reduce(x, dim % x.dim(), index.reshape(-1), source, reduce, include_self)


def _index_copy(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor) -> Any:
    return _at_rows(x, dim, index, source, "")


def _index_add(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, *, alpha: Any = 1) -> Any:
    if x.dtype == torch.bool or x.is_complex():
        return NotImplemented
    return _at_rows(x, dim, index, source if alpha == 1 else source * alpha, "sum")


def _at_rows(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, reduce: str) -> Any:
    """Along dim 0 by torch-mlir, which keeps other dims where that one is indexed."""
    if x.dim() == 0 or source.dim() == 0:
        return _at_rows(x.reshape(-1), 0, index, source.reshape(-1), reduce).view(x.shape)
    dim, index = dim % x.dim(), index.reshape(-1)
    if dim == 0:
        return x.index_put([index], source, accumulate=bool(reduce))
    return _at_places(x, dim, torch.where(index < 0, index + x.shape[dim], index), source, reduce)


def _index_put(x: torch.Tensor, indices: Sequence[Any], values: torch.Tensor, accumulate: bool = False) -> Any:
    dims = [d for d, index in enumerate(indices) if index is not None]
    if len(dims) != 1 or dims[0] == 0 or indices[dims[0]].dtype in (torch.bool, torch.uint8) or (
            accumulate and x.dtype == torch.bool):
        return index_put(x, indices, values, accumulate)
    dim, index = dims[0], indices[dims[0]]
    values = values.expand(*x.shape[:dim], *index.shape, *x.shape[dim + 1:])
    values = values.flatten(dim, dim + index.dim() - 1) if index.dim() else values.unsqueeze(dim)
    return _at_rows(x, dim, index, values, "sum" if accumulate else "")


def scatter_decompositions() -> dict:
    return {
        **{op: _scatter_of(op, adds=False) for op in (aten.scatter.value, aten.scatter.src)},
        aten.scatter_add.default: _scatter_of(aten.scatter_add.default, adds=True),
        aten.scatter_reduce.two: _scatter_reduce,
        aten.index_reduce.default: _index_reduce,
        aten.index_copy.default: _index_copy,
        aten.index_add.default: _index_add,
        aten.index_put.default: _index_put,
    }
