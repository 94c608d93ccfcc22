"""Views of tensors that have several open extents, as torch-mlir lowers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
import torch

_VIEWS = {torch.ops.aten.view.default, torch.ops.aten._unsafe_view.default, torch.ops.aten.reshape.default}


def meta_of_part(node: torch.fx.Node, value: torch.Tensor) -> dict[str, Any]:
    """What is known of a part of `node` whose value is this."""
    return {**{k: v for k, v in node.meta.items() if k != "tensor_meta"}, "val": value}


def _extents(shape: Sequence[Any]) -> list[Any]:
    return [n.node.expr if isinstance(n, torch.SymInt) else n for n in shape]


def _products(shape: Sequence[Any]) -> list[sympy.Expr]:
    """How many elements the first 0, 1, 2 and so on dims have."""
    found = [sympy.Integer(1)]
    for extent in _extents(shape):
        found.append(sympy.expand(found[-1] * extent))
    return found


def _groups(before: Sequence[Any], after: Sequence[Any]) -> list[tuple[range, range]] | None:
    """Dims of two shapes in the smallest groups with as many elements; None where there are none."""
    left, right = _products(before), _products(after)
    groups, i, j = [], 0, 0
    while i < len(before) and j < len(after):
        found = next(((a, b) for a in range(i + 1, len(left)) for b in range(j + 1, len(right)) if left[a] == right[b]),
                     None)
        if found is None:
            return None
        groups.append((range(i, found[0]), range(j, found[1])))
        i, j = found
    if not groups or left[i] != left[-1] or right[j] != right[-1]:
        return None
    # Dims of one element may be left.
    groups[-1] = range(groups[-1][0].start, len(before)), range(groups[-1][1].start, len(after))
    return groups


def _common_parts(before: Sequence[Any], after: Sequence[Any]) -> tuple[list[list[int]], list[int]] | None:
    """Parts of known extents that dims of one shape are split into, and how many of these, or of dims that stay
    whole, are joined to each dim of another shape of as many elements, of which the first alone has open ones."""
    split: list[list[int]] = [[] for _ in before]
    joined = [0] * len(after)
    i, j = len(before) - 1, len(after) - 1
    a, b = before[i], after[j]
    while j > 0:
        if not (isinstance(a, int) and isinstance(b, int)) or min(a, b) < 1 or max(a, b) % min(a, b):
            return None
        part = min(a, b)
        split[i].insert(0, part)
        joined[j] += 1
        a, b = a // part, b // part
        if b == 1:
            j -= 1
            b = after[j]
        if a == 1:
            i -= 1
            if i < 0:
                return None
            a = before[i]
    if isinstance(a, int):
        split[i].insert(0, a)
    elif split[i]:
        return None
    joined[0] = i + 1
    return split, joined


def has_open_extents(shape: Sequence[Any]) -> bool:
    """Whether a shape has several open extents."""
    return sum(isinstance(n, torch.SymInt) for n in shape) > 1


def index_put(x: torch.Tensor, indices: Sequence[Any], values: torch.Tensor, accumulate: bool = False) -> Any:
    """By one list of rows: torch-mlir takes all open extents of indices but one to be 1."""
    rows = indices[0]
    if len(indices) != 1 or rows is None or rows.dtype in (torch.bool, torch.uint8) or not has_open_extents(rows.shape):
        return NotImplemented
    values = values.expand(*rows.shape, *x.shape[1:])
    return torch.ops.aten.index_put(x, [rows.reshape(-1)], values.reshape(-1, *x.shape[1:]), accumulate)


def _counted_dim(index: torch.fx.Node) -> int | None:
    """The dim, counted from the last one, -1, along which an index is 0, 1, 2 and so on; it has no other."""
    aten, added = torch.ops.aten, []
    while index.target == aten.unsqueeze.default or (index.target == aten.add.Tensor and index.args[1] == 0):
        if index.target == aten.unsqueeze.default:
            added.append(index.args[1] % index.meta["val"].dim())
        index = index.args[0]
    if index.target != aten.arange.start_step or index.args[0] != 0 or len(index.args) != 2:
        return None
    place = 0
    for dim in reversed(added):
        place += dim <= place
    return place - len(added) - 1


def read_in_place(graph: torch.fx.Graph) -> None:
    """Views in the place of lookups of every element where it is, as of a padding mask by the numbers of sequences and
    positions: the dims of a lookup cannot be split."""
    for node in list(graph.nodes):
        if node.target != torch.ops.aten.index.Tensor or None in node.args[1]:
            continue
        source, indices = node.args
        dims = [_counted_dim(index) for index in indices]
        if None in dims or dims != sorted(set(dims)):
            continue
        counts = [index.meta["val"].shape[d] for index, d in zip(indices, dims)]
        if _extents(counts) != _extents(source.meta["val"].shape[:len(dims)]):
            continue
        rank, value = max(index.meta["val"].dim() for index in indices), source
        with graph.inserting_before(node):
            for d in range(rank):
                if d - rank not in dims:
                    before = value.meta["val"]
                    value = graph.call_function(torch.ops.aten.unsqueeze.default, (value, d))
                    value.meta = meta_of_part(node, before.unsqueeze(d))
        node.replace_all_uses_with(value)
        graph.erase_node(node)


def count_from_start(graph: torch.fx.Graph) -> None:
    """Has `index_put` count from the start where an index may be negative: torch-mlir skips such elements."""
    aten = torch.ops.aten
    for node in list(graph.nodes):
        if node.target != aten.index_put.default:
            continue
        x, indices = node.args[0], list(node.args[1])
        kinds = [index.meta["val"].dtype for index in indices if index is not None]
        if torch.bool in kinds or torch.uint8 in kinds:
            continue  # a mask, which stands for several dims

        def add(target: Any, *args: Any, value: Any) -> Any:
            made = graph.call_function(target, args)
            made.meta = meta_of_part(node, value)
            return made

        with graph.inserting_before(node):
            for d, index in enumerate(indices):
                if index is None or _counted_dim(index) is not None:
                    continue
                like, extent = index.meta["val"], x.meta["val"].shape[d]
                if isinstance(extent, torch.SymInt):
                    extent = add(aten.sym_size.int, x, d, value=extent)
                below = add(aten.lt.Scalar, index, 0, value=like < 0)
                from_start = add(aten.add.Tensor, index, extent, value=like)
                indices[d] = add(aten.where.self, below, from_start, index, value=like)
        node.update_arg(1, indices)


def split_views(graph: torch.fx.Graph) -> None:
    """Collapses and expands dims in the place of views with several open extents. torch-mlir takes open extents that
    it cannot match between the two shapes of a view to be 1, or leaves a reshape whose dims cannot be split."""
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target not in _VIEWS:
            continue
        source = node.args[0]
        before, after = source.meta["val"].shape, node.meta["val"].shape
        if not has_open_extents(before) and not has_open_extents(after):
            continue
        groups = _groups(before, after)
        if groups is None:
            continue
        value = source

        def add(target: Any, *args: Any, shape: Sequence[Any]) -> Any:
            made = graph.call_function(target, args)
            made.meta = meta_of_part(node, node.meta["val"].new_empty(shape))
            return made

        with graph.inserting_before(node):
            for ours, theirs in reversed(groups):
                shape = list(value.meta["val"].shape)
                parts = _common_parts([before[d] for d in ours], [after[d] for d in theirs]) if len(ours) > 1 else None
                if parts and len(theirs) > 1:
                    for d, split in reversed(list(zip(ours, parts[0]))):
                        if len(split) > 1:
                            shape[d:d + 1] = split
                            value = add(torch.ops.aten.unflatten.int, value, d, split, shape=shape)
                    start = ours.start + sum(parts[1])
                    for d, count in reversed(list(zip(theirs, parts[1]))):
                        start -= count
                        if count > 1:
                            shape[start:start + count] = [after[d]]
                            value = add(torch.ops.prims.collapse.default, value, start, start + count - 1, shape=shape)
                    continue
                extents = [node.args[1][d] if isinstance(after[d], torch.SymInt) else after[d] for d in theirs]
                if len(ours) > 1:
                    count = 1
                    for d in theirs:
                        count = count * after[d]
                    shape[ours.start:ours.stop] = [count]
                    value = add(torch.ops.prims.collapse.default, value, ours.start, ours.stop - 1, shape=shape)
                if len(theirs) > 1:
                    shape[ours.start:ours.start + 1] = [after[d] for d in theirs]
                    value = add(torch.ops.aten.unflatten.int, value, ours.start, extents, shape=shape)
        node.replace_all_uses_with(value)
        graph.erase_node(node)
