"""Pooling, padding, windows and samples of PyTorch, and their gradients, in terms of other ops: no scatter where
windows tell which elements they have, so that batches and channels can be split."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import torch

aten = torch.ops.aten


def _for_each(dims: int, *values: Sequence[int]) -> list[list[int]]:
    return [list(v) * dims if len(v) == 1 else list(v) for v in values]


def _along(values: torch.Tensor, d: int, dims: int) -> torch.Tensor:
    """Numbers along dim d of `dims`."""
    return values.view([-1] + [1] * (dims - 1 - d))


def _add_windows(x: torch.Tensor, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int],
                 dilation: Sequence[int], part: Callable[[tuple[int, ...]], torch.Tensor]) -> torch.Tensor:
    """For each element of x the sum of `part(place)` over the windows that have it at that place of theirs. Places
    that are a stride apart add up; those between them are interleaved at the end.

    part: for a place of the kernel, a value of each window."""
    dims = len(kernel)
    lead = x.dim() - dims
    extents = list(x.shape[lead:])
    steps = [(k - 1) * d // s + 1 for k, d, s in zip(kernel, dilation, stride)]
    sums: dict[tuple[int, ...], torch.Tensor] = {}
    for place in itertools.product(*map(range, kernel)):
        places = [p * d for p, d in zip(place, dilation)]
        pads: list[int] = []
        for p, s, k in reversed(list(zip(places, stride, steps))):
            pads += [p // s, k - 1 - p // s]
        padded = aten.constant_pad_nd(part(place), pads)
        between = tuple(p % s for p, s in zip(places, stride))
        sums[between] = padded if between not in sums else sums[between] + padded
    shape = list(next(iter(sums.values())).shape)

    def interleave(d: int, between: tuple[int, ...]) -> torch.Tensor:
        if d == dims:
            return sums[between] if between in sums else x.new_zeros(shape)
        parts = [interleave(d + 1, between + (r,)) for r in range(stride[d])]
        if len(parts) == 1:
            return parts[0]
        joined = torch.stack(parts, lead + d + 1)
        return joined.reshape(list(parts[0].shape[:lead + d]) + [-1] + list(parts[0].shape[lead + d + 1:]))

    found = interleave(0, ())
    for d in range(dims):
        missing = padding[d] + extents[d] - found.shape[lead + d]
        if missing > 0:
            found = aten.constant_pad_nd(found, [0, 0] * (dims - 1 - d) + [0, missing])
        found = found.narrow(lead + d, padding[d], extents[d])
    return found


def _max_pool_backward(gradient: torch.Tensor, x: torch.Tensor, kernel: Sequence[int], stride: Sequence[int],
                       padding: Sequence[int], dilation: Sequence[int], ceil_mode: bool,
                       indices: torch.Tensor) -> torch.Tensor:
    dims = 3 if len(kernel) == 3 else 2
    kernel, stride, padding, dilation = _for_each(dims, kernel, stride or kernel, padding, dilation)
    lead = x.dim() - dims
    extents, coarse = list(x.shape[lead:]), list(gradient.shape[lead:])

    def part(place: tuple[int, ...]) -> torch.Tensor:
        selected: Any = 0
        for d in range(dims):  # the number of the element at this place of each window, in its plane
            along = torch.arange(coarse[d], device=x.device, dtype=indices.dtype)
            along = along * stride[d] + (place[d] * dilation[d] - padding[d])
            selected = selected * extents[d] + _along(along, d, dims)
        return torch.where(indices == selected, gradient, torch.zeros((), dtype=gradient.dtype, device=x.device))

    return _add_windows(x, kernel, stride, padding, dilation, part)


def _avg_pool_backward(dims: int) -> Callable:
    def backward(gradient: torch.Tensor, x: torch.Tensor, kernel: Sequence[int], stride: Sequence[int],
                 padding: Sequence[int], ceil_mode: bool, count_include_pad: bool,
                 divisor_override: int | None) -> torch.Tensor:
        kernel, stride, padding = _for_each(dims, kernel, stride or kernel, padding)
        lead = x.dim() - dims
        coarse = list(gradient.shape[lead:])
        if divisor_override:
            part = gradient / divisor_override
        else:
            part = gradient
            for d in range(dims):  # how many elements each window has along d
                extent = x.shape[lead + d]
                first = torch.arange(coarse[d], device=x.device) * stride[d] - padding[d]
                last = (first + kernel[d]).clamp(max=extent + padding[d])
                if not count_include_pad:
                    first, last = first.clamp(min=0), last.clamp(max=extent)
                part = part / _along(last - first, d, dims).to(gradient.dtype)
        return _add_windows(x, kernel, stride, padding, [1] * dims, lambda place: part)
    return backward


def _adaptive_bounds(extent: int, count: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Where each of `count` windows begins and ends."""
    number = torch.arange(count, device=device)
    return number * extent // count, ((number + 1) * extent + count - 1) // count


def _adaptive_avg_pool_backward(dims: int) -> Callable:
    def backward(gradient: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        # A product along each dim with the share that each window takes of each element.
        for d in range(x.dim() - dims, x.dim()):
            first, end = _adaptive_bounds(x.shape[d], gradient.shape[d], x.device)
            number = torch.arange(x.shape[d], device=x.device).unsqueeze(1)
            share = ((number >= first) & (number < end)).to(gradient.dtype) / (end - first).to(gradient.dtype)
            gradient = torch.matmul(gradient.transpose(d, -1), share.t()).transpose(d, -1)
        return gradient
    return backward


def _adaptive_max_pool2d(x: torch.Tensor, size: Sequence[int]) -> Any:
    if all(n % m == 0 for n, m in zip(x.shape[-2:], size)):
        return NotImplemented
    windows, firsts, widths = x, [], []
    inside = torch.ones((), dtype=torch.bool, device=x.device)
    for d, count in zip((-2, -1), size):
        extent = x.shape[d]
        first, end = _adaptive_bounds(extent, count, x.device)
        width = max((i + 1) * extent // count + bool((i + 1) * extent % count) - i * extent // count
                    for i in range(count))
        place = first.unsqueeze(1) + torch.arange(width, device=x.device)
        windows = windows.index_select(d, place.clamp(max=extent - 1).reshape(-1))
        within = place < end.unsqueeze(1)
        inside = inside & (within.view(count, 1, width, 1) if d == -2 else within.view(1, count, 1, width))
        firsts.append(first)
        widths.append(width)
    (rows, columns), (height, width) = size, widths
    windows = windows.reshape(*x.shape[:-2], rows, height, columns, width).transpose(-3, -2)
    low = torch.full((), float("-inf"), dtype=x.dtype, device=x.device)
    windows = torch.where(inside, windows, low).reshape(*x.shape[:-2], rows, columns, height * width)
    values, place = windows.max(-1)
    row = firsts[0].unsqueeze(1) + place // width
    return values, row * x.shape[-1] + firsts[1] + place % width


def _adaptive_max_pool2d_backward(gradient: torch.Tensor, x: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    zeros = x.new_zeros(x.shape).flatten(-2)
    return zeros.scatter_add(zeros.dim() - 1, indices.flatten(-2), gradient.flatten(-2)).view(x.shape)


def _replication_pad_backward(gradient: torch.Tensor, x: torch.Tensor, padding: Sequence[int]) -> Any:
    if any(p < 0 for p in padding):
        return NotImplemented
    for i in range(0, len(padding), 2):
        d, (before, behind) = x.dim() - 1 - i // 2, padding[i:i + 2]
        extent, pads = x.shape[d], [0, 0] * (i // 2)
        found = gradient.narrow(d, before, extent)
        if before:
            first = gradient.narrow(d, 0, before).sum(d, keepdim=True)
            found = found + aten.constant_pad_nd(first, pads + [0, extent - 1])
        if behind:
            last = gradient.narrow(d, before + extent, behind).sum(d, keepdim=True)
            found = found + aten.constant_pad_nd(last, pads + [extent - 1, 0])
        gradient = found
    return gradient


# -- Windows and samples ------------------------------------------------------------------------------

def _unfold_backward(gradient: torch.Tensor, shape: Sequence[int], dim: int, size: int, step: int) -> torch.Tensor:
    dim = dim % len(shape) if shape else 0
    starts = torch.arange(gradient.shape[dim], device=gradient.device).unsqueeze(1) * step
    places = (starts + torch.arange(size, device=gradient.device)).reshape(-1)
    terms = gradient.movedim(-1, dim + 1).flatten(dim, dim + 1).movedim(dim, 0)
    rest = [n for d, n in enumerate(shape) if d != dim]
    zeros = gradient.new_zeros([shape[dim], *rest])
    return zeros.index_put([places], terms, accumulate=True).movedim(0, dim)


def _col2im(x: torch.Tensor, output_size: Sequence[int], kernel_size: Sequence[int], dilation: Sequence[int],
            padding: Sequence[int], stride: Sequence[int]) -> torch.Tensor:
    """Adds up windows along one dim after the other, so that batches and channels stay dims."""
    extents = [n + 2 * p for n, p in zip(output_size, padding)]
    counts = [(extents[d] - dilation[d] * (kernel_size[d] - 1) - 1) // stride[d] + 1 for d in range(2)]
    found = x.unflatten(-2, (-1, *kernel_size)).unflatten(-1, counts).movedim(-2, -3)
    for d in range(2):
        offsets, starts = (torch.arange(n, device=x.device) for n in (kernel_size[d], counts[d]))
        places = (offsets.unsqueeze(1) * dilation[d] + starts * stride[d]).reshape(-1)
        dim = x.dim() - 1 + d
        found = found.flatten(dim, dim + 1)
        zeros = found.new_zeros([extents[d] if i == dim else n for i, n in enumerate(found.shape)])
        found = zeros.index_add(dim, places, found).narrow(dim, padding[d], output_size[d])
    return found


def _sampled_places(at: torch.Tensor, extent: int, padding: int, align: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Coordinates from -1 to 1 as numbers of elements, and how fast these change."""
    slope = torch.full((), (extent - 1) / 2 if align else extent / 2, dtype=at.dtype, device=at.device).expand(at.shape)
    place = (at + 1) * slope if align else ((at + 1) * extent - 1) / 2
    if padding == 2:  # reflected at both ends
        low, span = (0.0, extent - 1.0) if align else (-0.5, float(extent))
        if span == 0:
            return torch.zeros_like(place), torch.zeros_like(slope)
        slope = torch.where(place < low, -slope, slope)
        turns = ((place - low).abs() / span).floor()
        rest = (place - low).abs() - turns * span
        odd = turns - 2 * (turns / 2).floor() == 1
        place = torch.where(odd, span - rest, rest) + low
        slope = torch.where(odd, -slope, slope)
    if padding != 0:
        inside = (place > 0) & (place < extent - 1)
        place, slope = place.clamp(0, extent - 1), torch.where(inside, slope, torch.zeros_like(slope))
    return place, slope


def _grid_sampler_2d_backward(gradient: torch.Tensor, x: torch.Tensor, grid: torch.Tensor, interpolation: int,
                              padding: int, align: bool, output_mask: Sequence[bool]) -> Any:
    if interpolation == 2:
        return NotImplemented
    batch, channels, height, width = x.shape
    places, slopes = zip(*(_sampled_places(grid[..., i], extent, padding, align)
                           for i, extent in enumerate((width, height))))
    image = torch.arange(batch, device=x.device).view(-1, 1, 1).expand(grid.shape[:-1])
    terms = gradient.permute(0, 2, 3, 1)
    of_x = x.new_zeros(batch, height, width, channels)
    of_places = [torch.zeros_like(places[0]), torch.zeros_like(places[1])]
    firsts = [p.round() if interpolation == 1 else p.floor() for p in places]
    for corner in itertools.product(range(1 if interpolation == 1 else 2), repeat=2):
        column, row = (first + c for first, c in zip(firsts, corner))
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        weights = [torch.ones_like(p) if interpolation == 1 else 1 - (p - at).abs()
                   for p, at in zip(places, (column, row))]
        index = [image, row.clamp(0, height - 1).long(), column.clamp(0, width - 1).long()]
        kept = torch.where(inside, terms.new_ones(()), terms.new_zeros(())).unsqueeze(-1) * terms
        if output_mask[0]:
            of_x = of_x.index_put(index, kept * (weights[0] * weights[1]).unsqueeze(-1), accumulate=True)
        if interpolation == 0:
            share = (kept * x.permute(0, 2, 3, 1)[tuple(index)]).sum(-1)
            for i in range(2):
                of_places[i] = of_places[i] + (share if corner[i] else -share) * weights[1 - i]
    of_grid = torch.stack([p * slope for p, slope in zip(of_places, slopes)], -1)
    return of_x.permute(0, 3, 1, 2), of_grid if output_mask[1] else None


def pooling_decompositions() -> dict:
    return {
        aten.unfold_backward.default: _unfold_backward, aten.col2im.default: _col2im,
        aten.grid_sampler_2d_backward.default: _grid_sampler_2d_backward,
        aten.max_pool2d_with_indices_backward.default: _max_pool_backward,
        aten.max_pool3d_with_indices_backward.default: _max_pool_backward,
        aten.avg_pool2d_backward.default: _avg_pool_backward(2),
        aten.avg_pool3d_backward.default: _avg_pool_backward(3),
        aten._adaptive_avg_pool2d_backward.default: _adaptive_avg_pool_backward(2),
        aten._adaptive_avg_pool3d_backward.default: _adaptive_avg_pool_backward(3),
        aten.adaptive_max_pool2d.default: _adaptive_max_pool2d,
        aten.adaptive_max_pool2d_backward.default: _adaptive_max_pool2d_backward,
        aten.replication_pad1d_backward.default: _replication_pad_backward,
        aten.replication_pad2d_backward.default: _replication_pad_backward,
        aten.replication_pad3d_backward.default: _replication_pad_backward,
    }
