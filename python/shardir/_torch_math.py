"""Order statistics, bags of embeddings, interpolation, strides, distances and variances of PyTorch in terms of other
ops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch._prims_common import make_contiguous_strides_for

from ._dynamic import greatest_extent

aten = torch.ops.aten


# -- Order statistics ---------------------------------------------------------------------------

def _kthvalue(x: torch.Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64, device=x.device)
    values, indices = aten.sort.default(x, dim, False)
    parts = [t.narrow(dim, k - 1, 1) for t in (values, indices)]
    return tuple(parts) if keepdim else tuple(t.squeeze(dim) for t in parts)


def _median_dim(x: torch.Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    values, indices = _kthvalue(x, (x.shape[dim] + 1) // 2 if x.dim() else 1, dim, True)
    if x.is_floating_point() and x.dim():  # the first NaN, where there is one
        nan = x.isnan()
        found = nan.any(dim, keepdim=True)
        values = torch.where(found, torch.full((), math.nan, dtype=x.dtype, device=x.device), values)
        indices = torch.where(found, nan.to(torch.int32).argmax(dim, keepdim=True), indices)
    return (values, indices) if keepdim or not x.dim() else (values.squeeze(dim), indices.squeeze(dim))


def _median(x: torch.Tensor) -> torch.Tensor:
    return _median_dim(x.reshape(-1), 0)[0]


def _nanmedian_dim(x: torch.Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    if not x.is_floating_point() or x.dim() == 0:
        return _median_dim(x, dim, keepdim)
    values, indices = aten.sort.default(x, dim, False)  # NaNs are the last
    count = (~x.isnan()).sum(dim, keepdim=True)
    place = ((count - 1) // 2).clamp(min=0)
    parts = [t.gather(dim, place) for t in (values, indices)]
    return tuple(parts) if keepdim else tuple(t.squeeze(dim) for t in parts)


def _nanmedian(x: torch.Tensor) -> torch.Tensor:
    return _nanmedian_dim(x.reshape(-1), 0)[0]


def _cumulative(x: torch.Tensor, dim: int, greatest: bool) -> Any:
    """Running extremes and the last places that have them: elements at distances of 1, 2, 4, ... are combined."""
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64, device=x.device)
    extent, dim = x.shape[dim], dim % x.dim()
    shape = [1] * x.dim()
    shape[dim] = extent
    numbers = torch.arange(extent, device=x.device).view(shape)
    values, indices, step = x, numbers.expand(x.shape), 1
    most = greatest_extent(extent, "cumulative extremes")
    while step < most:
        def before(t: torch.Tensor) -> torch.Tensor:
            if isinstance(extent, torch.SymInt):
                return t.index_select(dim, (numbers.flatten() - step).clamp(min=0))
            first, rest = t.narrow(dim, 0, step), t.narrow(dim, 0, extent - step)
            return torch.cat([first, rest], dim)

        earlier, place = before(values), before(indices)
        keeps = earlier > values if greatest else earlier < values
        if x.is_floating_point():
            keeps = (keeps | earlier.isnan()) & ~values.isnan()
        keeps = keeps & (numbers >= step)
        values, indices = torch.where(keeps, earlier, values), torch.where(keeps, place, indices)
        step *= 2
    return values, indices


def _cummax(x: torch.Tensor, dim: int) -> Any:
    return _cumulative(x, dim, True)


def _cummin(x: torch.Tensor, dim: int) -> Any:
    return _cumulative(x, dim, False)


#: With as many bounds or fewer, comparing with each of them takes less time than a search: measured on two cores.
_FEW_BOUNDS = 64


def _searchsorted(sequence: torch.Tensor, values: torch.Tensor, *, out_int32: bool = False, right: bool = False,
                  side: str | None = None, sorter: torch.Tensor | None = None) -> torch.Tensor:
    """As many elements as are less than each value, or not greater; all for NaN. Sequences are sorted, so that
    a binary search finds the number, one bit after the other."""
    if sorter is not None:
        sequence = sequence.gather(-1, sorter)
    kind = torch.int32 if out_int32 else torch.int64
    count = sequence.shape[-1]

    def is_below(elements: torch.Tensor) -> torch.Tensor:
        return ~(elements > values) if right or side == "right" else ~(elements >= values)

    if isinstance(count, torch.SymInt) or count <= _FEW_BOUNDS:
        sequence, values = sequence if sequence.dim() == 1 else sequence.unsqueeze(-2), values.unsqueeze(-1)
        return is_below(sequence).sum(-1).to(kind)
    found = torch.zeros(values.shape, dtype=torch.int64, device=values.device)
    for bit in reversed(range(count.bit_length())):
        last = found + ((1 << bit) - 1)
        place = last.clamp(max=count - 1)
        elements = sequence[place] if sequence.dim() == 1 else sequence.gather(-1, place)
        found = torch.where((last < count) & is_below(elements), last + 1, found)
    return found.to(kind)


def _searchsorted_scalar(sequence: torch.Tensor, value: Any, **kwargs: Any) -> torch.Tensor:
    return _searchsorted(sequence, torch.full((), value, dtype=sequence.dtype, device=sequence.device), **kwargs)


def _bucketize(values: torch.Tensor, bounds: torch.Tensor, **kwargs: Any) -> torch.Tensor:
    return _searchsorted(bounds, values, **kwargs)


def _bucketize_scalar(value: Any, bounds: torch.Tensor, **kwargs: Any) -> torch.Tensor:
    return _searchsorted_scalar(bounds, value, **kwargs)


# -- Bags of embeddings ---------------------------------------------------------------------------

def _bags(indices: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
    """The bag of each index."""
    numbers = torch.arange(indices.shape[0], dtype=starts.dtype, device=starts.device)
    return _searchsorted(starts, numbers, right=True) - 1


def _counted(indices: torch.Tensor, offsets: torch.Tensor, bags: int, padding_idx: int) -> torch.Tensor | None:
    """Which indices count: not padding, nor those behind the last bag's end, where offsets have that. None: all."""
    counted = indices != padding_idx if padding_idx >= 0 else None
    if offsets.shape[0] == bags:
        return counted
    within = torch.arange(indices.shape[0], dtype=offsets.dtype, device=offsets.device) < offsets[-1]
    return within if counted is None else counted & within


def _embedding_bag(weight: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor,
                   scale_grad_by_freq: bool = False, mode: int = 0, sparse: bool = False,
                   per_sample_weights: torch.Tensor | None = None, include_last_offset: bool = False,
                   padding_idx: int = -1) -> Any:
    starts = offsets[:-1] if include_last_offset else offsets
    bag, count = _bags(indices, starts), starts.shape[0]
    rows = weight.index_select(0, indices)
    counted = _counted(indices, offsets, count, padding_idx)
    ones = torch.ones_like(indices) if counted is None else counted.to(indices.dtype)
    sizes = indices.new_zeros(count).index_put([bag], ones, accumulate=True)
    if mode == 2:
        lowest = torch.full((), -math.inf, dtype=rows.dtype, device=rows.device)
        if counted is not None:
            rows = torch.where(counted.unsqueeze(1), rows, lowest)
        found = lowest.expand(count, weight.shape[1]).index_reduce(0, bag, rows, "amax")
        last = indices.shape[0] - 1
        numbers = torch.arange(last + 1, device=bag.device).unsqueeze(1)
        place = torch.where(rows == found.index_select(0, bag), numbers, last)
        place = torch.full_like(found, last, dtype=torch.int64).index_reduce(0, bag, place, "amin")
        filled = (sizes > 0).unsqueeze(1)
        most = torch.where(filled, indices[place], torch.full_like(place, -1))
        return torch.where(filled, found, torch.zeros_like(found)), bag, sizes, most
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    if counted is not None:
        rows = rows * counted.to(rows.dtype).unsqueeze(1)
    out = rows.new_zeros(count, weight.shape[1]).index_put([bag], rows, accumulate=True)
    if mode == 1:
        out = out / sizes.clamp(min=1).to(out.dtype).unsqueeze(1)
    return out, bag, sizes, sizes.clone()


def _embedding_bag_padding(weight: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor,
                           scale_grad_by_freq: bool, mode: int, sparse: bool, per_sample_weights: Any,
                           include_last_offset: bool, padding_idx: int | None) -> Any:
    return _embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
                          include_last_offset, -1 if padding_idx is None else padding_idx % weight.shape[0])


def _embedding_bag_backward(gradient: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor, bag: torch.Tensor,
                            sizes: torch.Tensor, most: torch.Tensor, num_weights: int, scale_grad_by_freq: bool,
                            mode: int, sparse: bool, per_sample_weights: torch.Tensor | None,
                            padding_idx: int = -1) -> Any:
    if sparse or scale_grad_by_freq:
        return NotImplemented
    if mode == 2:
        there = most >= 0
        columns = torch.arange(gradient.shape[1], device=most.device).expand(most.shape)
        terms = torch.where(there, gradient, torch.zeros_like(gradient))
        zeros = gradient.new_zeros(num_weights, gradient.shape[1])
        return zeros.index_put([most.clamp(min=0).reshape(-1), columns.reshape(-1)], terms.reshape(-1), accumulate=True)
    if mode == 1:
        gradient = gradient / sizes.clamp(min=1).to(gradient.dtype).unsqueeze(1)
    rows = gradient.index_select(0, bag)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    counted = _counted(indices, offsets, gradient.shape[0], -1)
    if counted is not None:
        rows = rows * counted.to(rows.dtype).unsqueeze(1)
    return aten.embedding_dense_backward(rows, indices, num_weights, padding_idx, False)


def _embedding_bag_weights_backward(gradient: torch.Tensor, weight: torch.Tensor, indices: torch.Tensor,
                                    offsets: torch.Tensor, bag: torch.Tensor, mode: int,
                                    padding_idx: int = -1) -> torch.Tensor:
    found = (gradient.index_select(0, bag) * weight.index_select(0, indices)).sum(1)
    counted = _counted(indices, offsets, gradient.shape[0], padding_idx)
    return found if counted is None else torch.where(counted, found, torch.zeros_like(found))


# -- Interpolation --------------------------------------------------------------------------------

def _weights_of(size: int, source: int, align: bool, scale: float | None, cubic: bool,
                like: torch.Tensor) -> torch.Tensor:
    """How much each of `source` elements counts in each of `size` interpolated ones."""
    at = torch.arange(size, device=like.device, dtype=torch.float32)
    if align:
        at = at * ((source - 1) / (size - 1) if size > 1 else 0.0)
    else:
        at = (at + 0.5) * (1 / scale if scale else source / size) - 0.5
    places = torch.arange(source, device=like.device, dtype=torch.float32).unsqueeze(0)
    if not cubic:
        at = at.clamp(0, source - 1).unsqueeze(1)
        return (1 - (at - places).abs()).clamp(min=0).to(like.dtype)
    first, a, found = at.floor(), -0.75, torch.zeros(size, source, device=like.device)
    for tap in range(-1, 3):
        d = (at - (first + tap)).abs()
        near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        weight = torch.where(d <= 1, near, far)
        found = found + (places == (first + tap).clamp(0, source - 1).unsqueeze(1)) * weight.unsqueeze(1)
    return found.to(like.dtype)


def _interpolation(x: torch.Tensor, sizes: Sequence[int], sources: Sequence[int], align: bool,
                   scales: Sequence[float | None], cubic: bool, backward: bool) -> torch.Tensor:
    """One product for each dim that is interpolated, or of its transposed matrix for the gradient."""
    dims = len(sizes)
    for d in range(dims):
        weights = _weights_of(sizes[d], sources[d], align, scales[d], cubic, x)
        x = x.transpose(2 + d, -1)
        x = torch.matmul(x, weights if backward else weights.t()).transpose(2 + d, -1)
    return x


def _all_scales(scales: Sequence[float | None], dims: int) -> tuple[float | None, ...]:
    """One scale for each dim; those left out are None."""
    return (*scales, *[None] * (dims - len(scales)))


def _interpolate_backward(dims: int, cubic: bool) -> Any:
    def backward(gradient: torch.Tensor, sizes: Sequence[int], shape: Sequence[int], align: bool,
                 *scales: float | None) -> torch.Tensor:
        return _interpolation(gradient, sizes, shape[2:], align, _all_scales(scales, dims), cubic, True)
    return backward


def _interpolate(dims: int, cubic: bool) -> Any:
    def forward(x: torch.Tensor, sizes: Sequence[int], align: bool, *scales: float | None) -> torch.Tensor:
        return _interpolation(x, sizes, x.shape[2:], align, _all_scales(scales, dims), cubic, False)
    return forward


def _places(size: int, source: int, scale: float | None, exact: bool, like: torch.Tensor) -> torch.Tensor:
    """The element, as a float, of which each of `size` interpolated ones is a copy."""
    at = torch.arange(size, device=like.device, dtype=torch.float32) + (0.5 if exact else 0.0)
    return (at * (1 / scale if scale else source / size)).floor().clamp(max=source - 1)


def _nearest(exact: bool) -> Any:
    """Copies along one dim after the other; torch-mlir looks each element up, also by its place in the batch."""
    def forward(x: torch.Tensor, sizes: Sequence[int], *scales: float | None) -> Any:
        for d, (size, scale) in enumerate(zip(sizes, _all_scales(scales, len(sizes))), 2):
            source = x.shape[d]
            if isinstance(size, torch.SymInt) or isinstance(source, torch.SymInt):
                return NotImplemented
            if size % source == 0 and scale in (None, size // source):
                wide = [*x.shape[:d + 1], size // source, *x.shape[d + 1:]]
                x = x.unsqueeze(d + 1).expand(wide).flatten(d, d + 1)
            else:
                x = x.index_select(d, _places(size, source, scale, exact, x).to(torch.int64))
        return x
    return forward


def _nearest_backward(exact: bool) -> Any:
    """Each element of the source gets the sum of those that were copies of it."""
    def backward(gradient: torch.Tensor, sizes: Sequence[int], shape: Sequence[int], *scales: float | None) -> torch.Tensor:
        x = gradient
        for d, (size, source, scale) in enumerate(zip(sizes, shape[2:], _all_scales(scales, len(sizes))), 2):
            if size % source == 0 and scale in (None, size // source):
                x = x.unflatten(d, (source, size // source)).sum(d + 1)
                continue
            place = _places(size, source, scale, exact, x).unsqueeze(1)
            copies = (place == torch.arange(source, device=x.device, dtype=torch.float32)).to(x.dtype)
            x = torch.matmul(x.transpose(d, -1), copies).transpose(d, -1)
        return x
    return backward


def _by_factors(interpolate: Any) -> Any:
    """The same of sizes or, where they are None, of factors, as programs with open extents have it."""
    def of_factors(x: torch.Tensor, sizes: Sequence[int] | None, *rest: Any) -> Any:
        *align, factors = rest
        if sizes is not None:
            return interpolate(x, sizes, *align)
        return interpolate(x, [int(n * f) for n, f in zip(x.shape[2:], factors)], *align, *factors)
    return of_factors


# -- Strides ----------------------------------------------------------------------------------------

def _elements(x: torch.Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None) -> torch.Tensor:
    """The numbers of the elements that a view of strides has."""
    number = torch.full((), offset or 0, dtype=torch.int64, device=x.device)
    for d, (n, step) in enumerate(zip(size, stride)):
        along = torch.arange(n, device=x.device) * step
        number = number + along.view([n] + [1] * (len(size) - 1 - d))
    return number.expand(list(size))


def _is_whole(x: torch.Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None) -> bool:
    """Whether these are all elements in their order, maybe of another shape."""
    if offset or math.prod(size) != x.numel() or not (x.is_contiguous() or list(size) == list(x.shape)):
        return False
    own = make_contiguous_strides_for(size) if x.is_contiguous() else x.stride()
    return all(a == b for a, b, n in zip(stride, own, size) if n != 1)


def _as_strided(x: torch.Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None = None) -> Any:
    if _is_whole(x, size, stride, offset):
        return x.clone().reshape(list(size))
    if not x.is_contiguous():
        return NotImplemented
    return x.reshape(-1)[_elements(x, size, stride, offset)]


def _as_strided_scatter(x: torch.Tensor, source: torch.Tensor, size: Sequence[int], stride: Sequence[int],
                        offset: int | None = None) -> Any:
    if _is_whole(x, size, stride, offset):
        return source.clone().reshape(x.shape)
    if not x.is_contiguous():
        return NotImplemented
    return x.reshape(-1).index_put([_elements(x, size, stride, offset)], source).view(x.shape)


# -- Places of extrema: reductions of their own, which can be split --------------------------------

def _place_of(extremum: Any) -> Any:
    """The first place of the greatest or least element, or of the first NaN."""
    def place(x: torch.Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
        if not x.is_floating_point() or x.dim() == 0:
            return NotImplemented
        if dim is None:
            found = place(x.reshape(-1), 0)
            return found.reshape([1] * x.dim()) if keepdim else found
        numbers = torch.arange(x.shape[dim], device=x.device).view([-1] + [1] * (x.dim() - 1 - dim % x.dim()))
        found = (x == extremum(x, [dim], True)) | (x != x)
        return torch.where(found, numbers, torch.full((), x.shape[dim], dtype=torch.int64, device=x.device)).amin(
            dim, keepdim)
    return place


def _with_place(extremum: Any) -> Any:
    place = _place_of(extremum)

    def both(x: torch.Tensor, dim: int, keepdim: bool = False) -> Any:
        if not x.is_floating_point() or x.dim() == 0:
            return NotImplemented
        return extremum(x, [dim], keepdim), place(x, dim, keepdim)
    return both


def _in_blocks(op: Any, combine: Any, neutral: float) -> Any:
    """A cumulative op in two scans of about sqrt(n) steps, each of which combines elements that lie next to each other.
    16 bits are computed in f32, as PyTorch does."""
    def cumulative(x: torch.Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Any:
        kind = dtype or (x.dtype if x.is_floating_point() or x.is_complex() else torch.int64)
        if kind in (torch.bfloat16, torch.float16):
            return op(x.to(torch.float32), dim).to(kind)
        if x.dim() == 0:
            return NotImplemented
        x, dim = x.to(kind), dim % x.dim()
        n = x.shape[dim]
        if not isinstance(n, int) or n <= 64 or (dim == 0 and x[0].numel() >= math.isqrt(n)):
            return NotImplemented if dim == 0 else op(x.movedim(dim, 0), 0).movedim(0, dim)
        steps = math.isqrt(n)
        blocks = -(-n // steps)
        x = x.movedim(dim, 0)
        x = torch.cat([x, x.new_full((blocks * steps - n, *x.shape[1:]), neutral)]).unflatten(0, (blocks, steps))
        inside = op(x.movedim(1, 0), 0)
        before = torch.cat([torch.full_like(inside[-1, :1], neutral), op(inside[-1, :-1], 0)])
        return combine(before, inside).movedim(0, 1).flatten(0, 1)[:n].movedim(0, dim)
    return cumulative


def _in_32_bits(op: Any) -> Any:
    """A division of integers of 8 bits, which torch-mlir ends the process for or refuses."""
    def wide(x: torch.Tensor, y: Any, **options: Any) -> Any:
        kind = torch.result_type(x, y)
        if kind not in (torch.int8, torch.uint8) or options.get("rounding_mode", "floor") is None:
            return NotImplemented
        y = y.to(torch.int32) if isinstance(y, torch.Tensor) else y
        return op(x.to(torch.int32), y, **options).to(kind)
    return wide


# -- Distances -------------------------------------------------------------------------------------

def _distances(x: torch.Tensor, y: torch.Tensor, p: float, mode: int | None) -> torch.Tensor:
    between = (x.unsqueeze(-2) - y.unsqueeze(-3)).abs()
    if p == 0:
        return (between != 0).to(x.dtype).sum(-1)
    if p == math.inf:
        return between.amax(-1)
    return between.sum(-1) if p == 1 else between.pow(2).sum(-1).sqrt() if p == 2 else between.pow(p).sum(-1).pow(1 / p)


def _distances_backward(gradient: torch.Tensor, x: torch.Tensor, y: torch.Tensor, p: float,
                        distances: torch.Tensor) -> torch.Tensor:
    between, distance = x.unsqueeze(-2) - y.unsqueeze(-3), distances.unsqueeze(-1)
    if p == 0:
        return torch.zeros_like(x)
    if p == 1:
        slope = torch.sign(between)
    elif p == math.inf:
        slope = torch.sign(between) * (between.abs() == distance).to(x.dtype)
    else:
        ratio = between.abs() / torch.where(distance == 0, torch.ones_like(distance), distance)
        slope = torch.sign(between) * ratio.pow(p - 1)
    return (slope * gradient.unsqueeze(-1)).sum(-2)


def _fmod(x: torch.Tensor, y: Any) -> torch.Tensor:
    return x - torch.trunc(x / y) * y if x.is_floating_point() else NotImplemented


def _shrink_backward(gradient: torch.Tensor, x: torch.Tensor, bound: float) -> torch.Tensor:
    return torch.where(x.abs() <= bound, torch.zeros_like(gradient), gradient)


# -- Variances ----------------------------------------------------------------------------------------

def _var_mean(x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    """In the type of PyTorch's own sums: torch-mlir's are f64, twice the bytes."""
    if not x.is_floating_point():
        return NotImplemented
    given, dims = x.dtype, [d % x.dim() for d in (dim if dim else range(x.dim()))]
    if given in (torch.bfloat16, torch.float16):
        x = x.to(torch.float32)
    count = math.prod(x.shape[d] for d in dims)
    mean = x.mean(dims, keepdim=True)
    squares = (x - mean).square().sum(dims, keepdim=keepdim)
    var = squares / (count - (1 if correction is None else correction))
    mean = mean if keepdim else mean.reshape(squares.shape)
    return var.to(given), mean.to(given)


def _var(x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    found = _var_mean(x, dim, correction=correction, keepdim=keepdim)
    return found if found is NotImplemented else found[0]


def _std(x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    found = _var_mean(x, dim, correction=correction, keepdim=keepdim)
    return found if found is NotImplemented else found[0].sqrt()


def math_decompositions() -> dict:
    table: dict[Any, Any] = {
        aten.kthvalue.default: _kthvalue,
        aten.median.default: _median, aten.median.dim: _median_dim,
        aten.nanmedian.default: _nanmedian, aten.nanmedian.dim: _nanmedian_dim,
        aten.cumsum.default: _in_blocks(aten.cumsum.default, torch.add, 0),
        aten.cumprod.default: _in_blocks(aten.cumprod.default, torch.mul, 1),
        aten.argmax.default: _place_of(aten.amax.default), aten.argmin.default: _place_of(aten.amin.default),
        aten.max.dim: _with_place(aten.amax.default), aten.min.dim: _with_place(aten.amin.default),
        aten.cummax.default: _cummax, aten.cummin.default: _cummin,
        aten.searchsorted.Tensor: _searchsorted, aten.searchsorted.Scalar: _searchsorted_scalar,
        aten.bucketize.Tensor: _bucketize, aten.bucketize.Scalar: _bucketize_scalar,
        aten._embedding_bag.default: _embedding_bag, aten._embedding_bag_forward_only.default: _embedding_bag,
        aten.embedding_bag.padding_idx: _embedding_bag_padding,
        aten._embedding_bag_backward.default: _embedding_bag_backward,
        aten._embedding_bag_dense_backward.default: _embedding_bag_backward,
        aten._embedding_bag_per_sample_weights_backward.default: _embedding_bag_weights_backward,
        aten.upsample_linear1d_backward.default: _interpolate_backward(1, False),
        aten.upsample_bilinear2d_backward.default: _interpolate_backward(2, False),
        aten.upsample_trilinear3d_backward.default: _interpolate_backward(3, False),
        aten.upsample_bicubic2d_backward.default: _interpolate_backward(2, True),
        aten.upsample_linear1d.default: _interpolate(1, False), aten.upsample_bilinear2d.default: _interpolate(2, False),
        aten.upsample_trilinear3d.default: _interpolate(3, False), aten.upsample_bicubic2d.default: _interpolate(2, True),
        **{getattr(aten, f"{name}{dims}d").default: _nearest(exact) for dims in (1, 2, 3)
           for name, exact in (("upsample_nearest", False), ("_upsample_nearest_exact", True))},
        **{getattr(aten, f"{name}{dims}d").vec: _by_factors(_nearest(exact)) for dims in (1, 2, 3)
           for name, exact in (("upsample_nearest", False), ("_upsample_nearest_exact", True))},
        **{getattr(aten, name).vec: _by_factors(_interpolate(dims, name == "upsample_bicubic2d")) for name, dims in (
            ("upsample_linear1d", 1), ("upsample_bilinear2d", 2), ("upsample_trilinear3d", 3), ("upsample_bicubic2d", 2))},
        **{getattr(aten, f"{name}{dims}d_backward").default: _nearest_backward(exact) for dims in (1, 2, 3)
           for name, exact in (("upsample_nearest", False), ("_upsample_nearest_exact", True))},
        aten.as_strided.default: _as_strided, aten.as_strided_copy.default: _as_strided,
        aten.as_strided_scatter.default: _as_strided_scatter,
        **{op: _in_32_bits(op) for op in (aten.remainder.Scalar, aten.remainder.Tensor, aten.floor_divide.default,
                                          aten.div.Tensor_mode, aten.div.Scalar_mode)},
        aten.fmod.Tensor: _fmod, aten.fmod.Scalar: _fmod,
        aten.hypot.default: lambda x, y: torch.sqrt(x * x + y * y),
        aten._cdist_forward.default: _distances, aten._cdist_backward.default: _distances_backward,
        aten.hardshrink_backward.default: _shrink_backward, aten.softshrink_backward.default: _shrink_backward,
        aten.var_mean.correction: _var_mean, aten.var.correction: _var, aten.std.correction: _std,
    }
    return table
