"""Gradients of grouped convolutions of PyTorch: a batched product for each place of the filter."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
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


def grouped_backward(gradient: torch.Tensor, x: torch.Tensor, w: torch.Tensor, stride: Sequence[int],
                     padding: Sequence[int], dilation: Sequence[int], groups: int,
                     output_mask: Sequence[bool]) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Of the input and of the filter, each where the mask asks for it."""
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
        padded = functional.pad(x, [p for both in zip(reversed(padding), reversed(padding)) for p in both])
        parts = [torch.bmm(of_results, by_group(_every(padded, start, counts, stride)).mT) for start in starts]
        of_w = torch.stack(parts, -1).flatten(0, 1).unflatten(-1, tuple(kernel))
    return of_x, of_w
