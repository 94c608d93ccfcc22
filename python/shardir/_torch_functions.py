"""Functions of PyTorch that look at values of tensors while they are traced, in terms of others that do not, and
attention in the form that compiles best."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode


def _cov(x: torch.Tensor, *, correction: int = 1, fweights: torch.Tensor | None = None,
         aweights: torch.Tensor | None = None) -> torch.Tensor:
    x = x.unsqueeze(0) if x.dim() < 2 else x
    factor: Any
    weights = [w for w in (fweights, aweights) if w is not None]
    if not weights:
        centred = x - x.mean(1, keepdim=True)
        scaled, factor = centred, max(x.shape[1] - correction, 0)
    else:
        weight = math.prod(weights[1:], start=weights[0]).to(x.dtype)
        total = weight.sum()
        centred = x - (x * weight).sum(1, keepdim=True) / total
        of_squares = (weight * aweights).sum() / total if aweights is not None else 1
        scaled, factor = centred * weight, (total - correction * of_squares).clamp(min=0)
    return (scaled @ centred.mT.conj() / factor).squeeze()


def _corrcoef(x: torch.Tensor) -> torch.Tensor:
    found = _cov(x)
    if found.dim() == 0:
        return found / found
    deviations = found.diagonal().sqrt()
    return (found / deviations.unsqueeze(1) / deviations.unsqueeze(0)).clamp(-1, 1)


def _bincount(input: torch.Tensor, weights: torch.Tensor | None = None, minlength: int = 0) -> Any:
    # As many as are asked for: values from there on are not counted.
    if minlength == 0:
        return NotImplemented
    if weights is None:
        weights = torch.ones_like(input, dtype=torch.int64)
    elif not weights.is_floating_point():
        weights = weights.to(torch.float64)
    place = input.to(torch.int64)
    weights = torch.where((place >= 0) & (place < minlength), weights, torch.zeros_like(weights))
    return weights.new_zeros(minlength).index_put([place.clamp(0, minlength - 1)], weights, accumulate=True)


def _gaussian_nll_loss(x: torch.Tensor, target: torch.Tensor, var: torch.Tensor | float, full: bool = False,
                       eps: float = 1e-6, reduction: str = "mean") -> Any:
    # Without the check that no variance is negative.
    var = torch.full_like(x, var) if isinstance(var, float) else var
    if var.shape != x.shape and var.dim() == x.dim() - 1:
        var = var.unsqueeze(-1)
    bounded = var + (var.detach().clamp(min=eps) - var.detach())
    loss = 0.5 * (bounded.log() + (x - target).square() / bounded)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def _embedding_bag(input: torch.Tensor, weight: torch.Tensor, offsets: torch.Tensor | None = None,
                   max_norm: float | None = None, norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean",
                   sparse: bool = False, per_sample_weights: torch.Tensor | None = None, include_last_offset: bool = False,
                   padding_idx: int | None = None) -> Any:
    # Each row is a bag: of a list of all indices that would be known from the values of offsets alone.
    if input.dim() != 2 or max_norm is not None or scale_grad_by_freq or mode == "max" or sparse:
        return NotImplemented
    rows = functional.embedding(input, weight)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    if padding_idx is None:
        return rows.sum(1) if mode == "sum" else rows.mean(1)
    counted = (input != padding_idx % weight.shape[0]).unsqueeze(-1)
    found = torch.where(counted, rows, torch.zeros_like(rows)).sum(1)
    return found if mode == "sum" else found / counted.sum(1).clamp(min=1)


def _attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor | None = None,
               dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None,
               enable_gqa: bool = False) -> Any:
    # PyTorch adds -inf to what is hidden, and looks in all scores for rows that are hidden as a whole. These are known
    # from the mask: as a choice of scores it is an attention that never stores them. Sums and softmax are in f32, as
    # PyTorch's.
    if dropout_p or (is_causal and attn_mask is not None):
        return NotImplemented
    q, k, v = query, key, value
    if enable_gqa:
        k, v = (t.repeat_interleave(q.shape[-3] // t.shape[-3], -3) for t in (k, v))
    wide = torch.float32 if q.dtype in (torch.float16, torch.bfloat16) else q.dtype
    scores = q.to(wide) @ k.to(wide).mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    hidden = torch.full((), -math.inf, dtype=wide, device=q.device)
    shown = None
    if is_causal:
        rows, columns = (torch.arange(n, device=q.device) for n in scores.shape[-2:])
        scores = torch.where(columns <= rows.unsqueeze(1), scores, hidden)
    elif attn_mask is not None and attn_mask.dtype == torch.bool:
        shown = attn_mask.any(-1, keepdim=True)
        scores = torch.where(attn_mask | ~shown, scores, hidden)
    elif attn_mask is not None:
        shown = (attn_mask > -math.inf).any(-1, keepdim=True)
        scores = scores + torch.where(shown, attn_mask, torch.zeros_like(attn_mask)).to(wide)
    found = (scores.softmax(-1) @ v.to(wide)).to(q.dtype)
    return found if shown is None else torch.where(shown, found, torch.zeros_like(found))


_IN_TERMS_OF_OTHERS: dict[Callable, Callable] = {
    torch.cov: _cov, torch.Tensor.cov: _cov, torch.corrcoef: _corrcoef, torch.Tensor.corrcoef: _corrcoef,
    torch.bincount: _bincount, torch.Tensor.bincount: _bincount, functional.gaussian_nll_loss: _gaussian_nll_loss,
    functional.scaled_dot_product_attention: _attention, functional.embedding_bag: _embedding_bag,
}


# -- Indices that are tensors of one number, whose value PyTorch would read ------------------------

def _dims_of(item: Any) -> int:
    """How many dims of the indexed tensor an item of an index stands for."""
    if item is None or isinstance(item, bool):
        return 0
    is_mask = isinstance(item, torch.Tensor) and item.dtype in (torch.bool, torch.uint8)
    return item.dim() if is_mask else 1


def _first_number(x: torch.Tensor, items: tuple) -> tuple[int, int] | None:
    """The first item that is a tensor of one integer, and the dim that it indexes."""
    for k, item in enumerate(items):
        if isinstance(item, torch.Tensor) and item.dim() == 0 and _dims_of(item) and not item.is_floating_point():
            if any(i is Ellipsis for i in items[:k]):
                return k, x.dim() - sum(map(_dims_of, items[k:]))
            return k, sum(map(_dims_of, items[:k]))
    return None


def _place(x: torch.Tensor, dim: int, number: torch.Tensor) -> torch.Tensor:
    number = number.to(torch.int64)
    return torch.where(number < 0, number + x.shape[dim], number).reshape(1)


def _read_item(x: torch.Tensor, index: Any) -> torch.Tensor:
    items = index if isinstance(index, tuple) else (index,)
    found = _first_number(x, items)
    if found is None:
        return torch._C.TensorBase.__getitem__(x, index)
    k, dim = found
    return _read_item(x.index_select(dim, _place(x, dim, items[k])), (*items[:k], 0, *items[k + 1:]))


def write_item(x: torch.Tensor, index: Any, value: Any) -> None:
    items = index if isinstance(index, tuple) else (index,)
    found = _first_number(x, items)
    if found is None:
        torch._C.TensorBase.__setitem__(x, index, value)
        return
    k, dim = found
    place = _place(x, dim, items[k])
    part = x.index_select(dim, place)
    write_item(part, (*items[:k], 0, *items[k + 1:]), value)
    x.index_copy_(dim, place, part)


@contextlib.contextmanager
def indices_without_values() -> Iterator[None]:
    """While tracing: `x[:, n]` and `x[:, n] = y` for a tensor n of one number. A TorchFunctionMode comes too late, as
    torch.export has one of its own that reads the number."""
    torch.Tensor.__getitem__, torch.Tensor.__setitem__ = _read_item, write_item
    # By its name torch.export knows what rewrites indices of open extents.
    _read_item.__name__, write_item.__name__ = "__getitem__", "__setitem__"
    try:
        yield
    finally:
        del torch.Tensor.__getitem__, torch.Tensor.__setitem__


class WithoutValues(TorchFunctionMode):
    """While tracing: calls of such functions are calls of those above."""

    def __torch_function__(self, function: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        replacement = _IN_TERMS_OF_OTHERS.get(function)
        found = replacement(*args, **(kwargs or {})) if replacement else NotImplemented
        return function(*args, **(kwargs or {})) if found is NotImplemented else found
