"""Gradients of convolutions of PyTorch, and transposed ones of each channel alone, in terms of other ops."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

aten = torch.ops.aten


def _every(x: torch.Tensor, begin: Sequence[int], counts: Sequence[int], steps: Sequence[int]) -> torch.Tensor:
    """So many elements of each spatial dim, from a place on, a step apart."""
    for d, (start, count, step) in enumerate(zip(begin, counts, steps), 2):
        x = aten.slice.Tensor(x, d, start, start + (count - 1) * step + 1, step)
    return x


def _spread(x: torch.Tensor, steps: Sequence[int]) -> torch.Tensor:
    """Zeros between the elements of spatial dims, so that they are steps apart."""
    for d, step in enumerate(steps, 2):
        if step > 1:
            length = x.shape[d]
            padded = functional.pad(x.unsqueeze(d + 1), [0, 0] * (x.dim() - 1 - d) + [0, step - 1])
            x = padded.flatten(d, d + 1).narrow(d, 0, (length - 1) * step + 1)
    return x


def _grouped_backward(gradient: torch.Tensor, x: torch.Tensor, w: torch.Tensor, stride: Sequence[int],
                      padding: Sequence[int], dilation: Sequence[int], groups: int,
                      output_mask: Sequence[bool]) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Of the input and of the filter, each where the mask asks for it: a batched product for each place of the filter."""
    spatial, kernel, counts = x.dim() - 2, w.shape[2:], gradient.shape[2:]
    places = list(itertools.product(*map(range, kernel)))
    starts = [[k * d for k, d in zip(place, dilation)] for place in places]

    def by_group(t: torch.Tensor) -> torch.Tensor:
        """[group, channels, batch times positions]"""
        return t.unflatten(1, (groups, -1)).flatten(3).permute(1, 2, 0, 3).flatten(2)

    of_results, of_x, of_w = by_group(gradient), None, None
    if output_mask[0]:
        weights = w.unflatten(0, (groups, -1))  # [group, results, channels, *kernel]
        sizes = [n + 2 * p for n, p in zip(x.shape[2:], padding)]
        for place, start in zip(places, starts):
            part = torch.bmm(weights[(..., *place)].mT, of_results)
            part = part.unflatten(2, (x.shape[0], *counts)).movedim(2, 0).flatten(1, 2)
            part = _spread(part, stride)
            pads = [(s, size - s - n) for s, size, n in zip(start, sizes, part.shape[2:])]
            part = functional.pad(part, [p for both in reversed(pads) for p in both])
            of_x = part if of_x is None else of_x + part
        of_x = _every(of_x, padding, x.shape[2:], [1] * spatial)
    if output_mask[1]:
        padded = functional.pad(x, [p for side in reversed(padding) for p in (side, side)])
        parts = [torch.bmm(of_results, by_group(_every(padded, start, counts, stride)).mT) for start in starts]
        of_w = torch.stack(parts, -1).flatten(0, 1).unflatten(-1, tuple(kernel))
    return of_x, of_w


def _depthwise_weight_gradient(x: torch.Tensor, gradient: torch.Tensor, kernel: Sequence[int], stride: Sequence[int],
                               padding: Sequence[int], dilation: Sequence[int]) -> torch.Tensor:
    """One product with a window of the input for each place of the kernel."""
    x = aten.constant_pad_nd(x, [p for side in reversed(padding) for p in (side, side)])
    n, channels, *extents = gradient.shape
    groups = x.shape[1]
    gradient = gradient.reshape(n, groups, channels // groups, *extents)
    places = []
    for place in itertools.product(*(range(k) for k in kernel)):
        window = _every(x, [i * d for i, d in zip(place, dilation)], extents, stride)
        places.append((window.unsqueeze(2) * gradient).sum([0, *range(3, 3 + len(kernel))]).reshape(-1))
    return torch.stack(places, 1).reshape(-1, 1, *kernel)


def _weight_gradient(x: torch.Tensor, gradient: torch.Tensor, kernel: Sequence[int], stride: Sequence[int],
                     padding: Sequence[int], dilation: Sequence[int], groups: int) -> torch.Tensor:
    """[out, in / groups, *kernel]: a convolution of the input with the gradient, batch and channels swapped."""
    n, spatial = x.shape[0], list(x.shape[2:])
    per_group, outputs = x.shape[1] // groups, gradient.shape[1]
    x = x.reshape(n, groups, per_group, *spatial).transpose(0, 2).reshape(per_group, groups * n, *spatial)
    gradient = gradient.transpose(0, 1)
    found = aten.convolution(x, gradient, None, dilation, padding, stride, False, [0] * len(spatial), groups)
    for d, extent in enumerate(kernel):
        found = found.narrow(2 + d, 0, extent)
    return found.transpose(0, 1).reshape(outputs, per_group, *kernel)


def _depthwise_transposed(x: torch.Tensor, weight: torch.Tensor, bias: Any, stride: Sequence[int],
                          padding: Sequence[int], dilation: Sequence[int], transposed: bool,
                          output_padding: Sequence[int], groups: int) -> Any:
    # A convolution of the input, spread by the stride, with the kernel turned around.
    if not transposed or groups == 1 or groups != x.shape[1]:
        return NotImplemented
    dims = x.dim() - 2
    stride, padding, dilation, extra = (list(v) * dims if len(v) == 1 else list(v)
                                        for v in (stride, padding, dilation, output_padding))
    x = _spread(x, stride)
    pads = []
    for d in reversed(range(dims)):
        side = dilation[d] * (weight.shape[2 + d] - 1) - padding[d]
        pads += [side, side + extra[d]]
    weight = weight.flip(list(range(2, 2 + dims)))
    weight = weight.reshape(weight.shape[0] * weight.shape[1], 1, *weight.shape[2:])
    return aten.convolution(aten.constant_pad_nd(x, pads), weight, bias, [1] * dims, [0] * dims, dilation, False,
                            [0] * dims, groups)


def _convolution_backward(gradient: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias_sizes: Any,
                          stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], transposed: bool,
                          output_padding: Sequence[int], groups: int, output_mask: Sequence[bool]) -> Any:
    if not transposed and groups == 1:  # torch-mlir has it
        return NotImplemented
    dims = x.dim() - 2
    stride, padding, dilation = (list(v) * dims if len(v) == 1 else list(v) for v in (stride, padding, dilation))
    kernel = list(weight.shape[2:])
    of_input = of_weight = of_bias = None
    if output_mask[2]:
        of_bias = gradient.sum([0, *range(2, 2 + dims)])
    if not transposed and groups != x.shape[1]:
        return *_grouped_backward(gradient, x, weight, stride, padding, dilation, groups, output_mask), of_bias
    if not transposed:
        rest = [x.shape[2 + d] - ((gradient.shape[2 + d] - 1) * stride[d] - 2 * padding[d]
                                  + dilation[d] * (kernel[d] - 1) + 1) for d in range(dims)]
        if output_mask[0]:
            of_input = aten.convolution(gradient, weight, None, stride, padding, dilation, True, rest, groups)
        if output_mask[1]:
            of_weight = _depthwise_weight_gradient(x, gradient, kernel, stride, padding, dilation)
        return of_input, of_weight, of_bias
    if output_mask[0]:
        of_input = aten.convolution(gradient, weight, None, stride, padding, dilation, False, [0] * dims, groups)
    if output_mask[1]:
        of_weight = _weight_gradient(gradient, x, kernel, stride, padding, dilation, groups)
    return of_input, of_weight, of_bias


def convolution_decompositions() -> dict:
    return {aten.convolution_backward.default: _convolution_backward, aten.convolution.default: _depthwise_transposed}
