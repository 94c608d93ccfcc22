"""Ops of PyTorch in terms of others, where torch-mlir lowers none or where the parts shard better."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch._decomp import get_decompositions
from torch.distributions import Distribution
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch_mlir.extras.fx_decomp_util import get_decomposition_table

from ._torch_complex import complex_decompositions
from ._torch_convolutions import convolution_decompositions
from ._torch_experts import multiply_by_expert, sum_by_expert
from ._torch_fft import fft_decompositions
from ._torch_functions import WithoutValues, indices_without_values
from ._torch_linalg import linalg_decompositions
from ._torch_math import math_decompositions
from ._torch_pooling import pooling_decompositions
from ._torch_scatter import scatter_decompositions
from ._torch_special import special_decompositions

aten = torch.ops.aten


@contextlib.contextmanager
def portable_kernels() -> Iterator[None]:
    """While tracing: no ops that stand for one kernel of a CPU, and no functions that look at values, as
    distributions do to check their arguments."""
    before, checks = torch._C._get_mkldnn_enabled(), Distribution._validate_args
    torch._C._set_mkldnn_enabled(False)
    Distribution.set_default_validate_args(False)
    try:
        with sdpa_kernel(SDPBackend.MATH), WithoutValues(), indices_without_values():
            yield
    finally:
        torch._C._set_mkldnn_enabled(before)
        Distribution.set_default_validate_args(checks)


def _sort_stable(x: torch.Tensor, stable: bool | None = None, dim: int = -1, descending: bool = False) -> Any:
    # Our sorts are stable.
    return aten.sort.default(x, dim, descending)


def _topk(x: torch.Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    # torch-mlir refuses those in any order; sorted ones are in one.
    return NotImplemented if sorted else aten.topk.default(x, k, dim, largest, True)


def _histc(x: torch.Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    # Without bounds they come from the data.
    low = x.min() if min == max else min
    high = x.max() if min == max else max
    place = ((x - low) / (high - low) * bins).floor().clamp(0, bins - 1).reshape(-1, 1)
    inside = ((x >= low) & (x <= high)).reshape(-1, 1)
    return ((place == torch.arange(bins, device=x.device, dtype=place.dtype)) & inside).sum(0).to(x.dtype)


def _groups_of_rows(x: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    """For each group all rows, where those of others are 0: what a product of the group's own rows is compiled from."""
    rows = torch.arange(x.shape[0], device=x.device, dtype=offs.dtype)
    ends, starts = offs.unsqueeze(1), torch.cat([offs.new_zeros(1), offs[:-1]]).unsqueeze(1)
    return torch.where(((starts <= rows) & (rows < ends)).unsqueeze(2), x, 0)


def _grouped_mm(x: torch.Tensor, w: torch.Tensor, offs: torch.Tensor | None = None, bias: Any = None,
                out_dtype: Any = None) -> Any:
    """Rows of group e, those below offs[e] and of no earlier group, times w[e]; of two matrices for each group the sum over
    its own columns of the first one and rows of the second one."""
    if bias is not None or x.dim() == 3 and w.dim() == 2:
        return NotImplemented
    kind = out_dtype or x.dtype
    if x.dim() == 3:
        return torch.bmm(x, w).to(kind)
    first = _groups_of_rows(x if w.dim() == 3 else x.T, offs).to(torch.float32)
    if w.dim() == 3:
        return torch.bmm(first, w.to(torch.float32)).sum(0).to(kind)
    return torch.bmm(first.transpose(1, 2), _groups_of_rows(w, offs).to(torch.float32)).to(kind)


def _grouped_mm_backward(x: torch.Tensor, w: torch.Tensor, offs: torch.Tensor, gradient: torch.Tensor) -> Any:
    return _grouped_mm(gradient, w.transpose(1, 2), offs), _grouped_mm(x.T, gradient, offs)


def _constant_pad(x: torch.Tensor, pad: Sequence[int], value: Any = 0) -> Any:
    # Negative padding cuts off, which tensor.pad cannot do.
    if all(p >= 0 for p in pad):
        return NotImplemented
    for i, p in enumerate(pad):
        if p < 0:
            d = x.dim() - 1 - i // 2
            x = x.narrow(d, -p if i % 2 == 0 else 0, x.shape[d] + p)
    return aten.constant_pad_nd.default(x, [max(p, 0) for p in pad], value)


def _diagonal_scatter(x: torch.Tensor, source: torch.Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    x = x.movedim((dim1, dim2), (-2, -1))
    rows = torch.arange(x.shape[-2], device=x.device).unsqueeze(1)
    columns = torch.arange(x.shape[-1], device=x.device)
    first = max(-offset, 0)
    source = aten.constant_pad_nd(source, [first, x.shape[-2] - first - source.shape[-1]]).unsqueeze(-1)
    return torch.where(columns - rows == offset, source, x).movedim((-2, -1), (dim1, dim2))


def _masked_scatter(x: torch.Tensor, mask: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    x, mask = torch.broadcast_tensors(x, mask)
    return torch.where(mask, source.reshape(-1)[_number_of_true(mask)].view(x.shape), x)


def _masked_scatter_backward(gradient: torch.Tensor, mask: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    gradient, mask = torch.broadcast_tensors(gradient, mask)
    terms = torch.where(mask, gradient, torch.zeros_like(gradient)).reshape(-1)
    zeros = gradient.new_zeros([math.prod(shape)])
    return zeros.index_put([_number_of_true(mask)], terms, accumulate=True).view(shape)


def _number_of_true(mask: torch.Tensor) -> torch.Tensor:
    """How many elements before each one are true, all in one row."""
    return (mask.reshape(-1).to(torch.int64).cumsum(0) - 1).clamp(min=0)


def _put(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor, accumulate: bool = False) -> torch.Tensor:
    return x.reshape(-1).index_put([index.reshape(-1)], source.reshape(-1), accumulate).view(x.shape)


def _roll(x: torch.Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Any:
    return NotImplemented if dims else torch.roll(x.reshape(-1), shifts, 0).view(x.shape)


def decompositions() -> dict:
    """What a graph's ops are taken apart to before torch-mlir lowers it."""
    table = dict(get_decomposition_table())
    table.update(get_decompositions([aten.native_layer_norm,
                                     aten._native_batch_norm_legit_no_training,
                                     aten._native_batch_norm_legit_functional, aten.native_batch_norm_backward]))
    table.update(convolution_decompositions())
    table.update(pooling_decompositions())
    table.update(math_decompositions())
    table.update(linalg_decompositions())
    table.update(special_decompositions())
    table.update(fft_decompositions())
    table.update(scatter_decompositions())
    table[aten.constant_pad_nd.default] = _constant_pad
    table[aten.diagonal_scatter.default] = _diagonal_scatter
    table[aten.put.default] = _put
    table[aten.roll.default] = _roll
    table[aten.masked_scatter.default] = _masked_scatter
    table[aten.masked_scatter_backward.default] = _masked_scatter_backward
    table[aten.empty_strided.default] = lambda size, stride, **options: aten.empty.memory_format(size, **options)
    table[aten.unbind_copy.int] = _unbind
    table[aten.sort.stable] = _sort_stable
    table[aten.topk.default] = _topk
    table[aten.histc.default] = _histc
    table[aten.mse_loss_backward.default] = _mse_loss_backward
    table[aten.smooth_l1_loss_backward.default] = _smooth_l1_loss_backward
    table[aten.huber_loss_backward.default] = _huber_loss_backward
    table[aten.rrelu_with_noise_backward.default] = _rrelu_backward
    table[aten._weight_norm_interface_backward.default] = _weight_norm_backward
    table.update(complex_decompositions(table))
    table[aten._grouped_mm.default] = _grouped_mm
    fallback = getattr(torch.ops.transformers, "grouped_mm_fallback", None)
    if fallback is not None:  # what Hugging Face's experts call on CPUs
        table[fallback.default] = _grouped_mm
        table[torch.ops.transformers.grouped_mm_fallback_backward.default] = _grouped_mm_backward
    table[torch.ops.shardir.multiply_by_expert.default] = multiply_by_expert
    table[torch.ops.shardir.sum_by_expert.default] = sum_by_expert
    return table


def _reduced(gradient: torch.Tensor, terms: torch.Tensor, reduction: int) -> torch.Tensor:
    """The gradient of a loss's terms; of their mean (reduction 1) also where their number is not known, which PyTorch's
    own decompositions make a float."""
    return terms * gradient / terms.numel() if reduction == 1 else terms * gradient


def _mse_loss_backward(gradient: torch.Tensor, x: torch.Tensor, target: torch.Tensor, reduction: int) -> torch.Tensor:
    return _reduced(gradient, 2 * (x - target), reduction)


def _smooth_l1_loss_backward(gradient: torch.Tensor, x: torch.Tensor, target: torch.Tensor, reduction: int,
                             beta: float) -> torch.Tensor:
    far = torch.sign(x - target)
    return _reduced(gradient, torch.where((x - target).abs() < beta, (x - target) / beta, far) if beta else far, reduction)


def _huber_loss_backward(gradient: torch.Tensor, x: torch.Tensor, target: torch.Tensor, reduction: int,
                         delta: float) -> torch.Tensor:
    return _reduced(gradient, torch.clamp(x - target, -delta, delta), reduction)


def _rrelu_backward(gradient: torch.Tensor, x: torch.Tensor, noise: torch.Tensor, lower: float, upper: float,
                    training: bool, self_is_result: bool) -> Any:
    """Outside of training the slope is the mean of all."""
    return NotImplemented if training else torch.where(x > 0, gradient, gradient * ((lower + upper) / 2))


def _weight_norm_backward(gradient: torch.Tensor, v: torch.Tensor, g: torch.Tensor, norms: torch.Tensor,
                          dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Of w = g v / |v|, with a norm for each index of `dim`: the gradients of v and g."""
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    sums = (gradient * v).sum(others, keepdim=True)
    return g / norms * (gradient - v * (sums / (norms * norms))), sums / norms


def _unbind(x: torch.Tensor, dim: int = 0) -> Any:
    return tuple(aten.select_copy.int(x, dim, i) for i in range(x.shape[dim]))


def first_decompositions() -> dict:
    """What a graph is taken apart to before it is made functional: ops that write to their operands, and
    factorizations, whose gradients depend on strides that a functional graph does not keep."""
    return {**get_decompositions([aten.native_batch_norm, aten._native_batch_norm_legit]), **linalg_decompositions()}
