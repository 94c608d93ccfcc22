"""Experts whose tokens are sorted, as products of each token with the weights of its own expert.

Mixtures of experts sort all tokens by their expert, multiply the rows of each one, and put the rows back. Tokens that are
split over a mesh would be gathered for that. But a row's result does not depend on where it is sorted to: the same steps
without sorting are rows times the weights that each one chose, which devices compute of their own rows.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.fx import Graph, Node

aten = torch.ops.aten


@torch.library.custom_op("shardir::multiply_by_expert", mutates_args=())
def _multiply(x: torch.Tensor, w: torch.Tensor, experts: torch.Tensor) -> torch.Tensor:
    """Row m of `x` times w[experts[m]]; 0 where there is no such expert."""
    return multiply_by_expert(x, w, experts)


@torch.library.custom_op("shardir::sum_by_expert", mutates_args=())
def _sum(x: torch.Tensor, y: torch.Tensor, experts: torch.Tensor, count: int) -> torch.Tensor:
    """For each expert the sum of the outer products of its rows of `x` and `y`."""
    return sum_by_expert(x, y, experts, count)


def _own_rows(x: torch.Tensor, experts: torch.Tensor, count: int) -> torch.Tensor:
    numbers = torch.arange(count, device=x.device, dtype=experts.dtype).unsqueeze(1)
    return torch.where((experts == numbers).unsqueeze(2), x, 0).to(torch.float32)


def multiply_by_expert(x: torch.Tensor, w: torch.Tensor, experts: torch.Tensor) -> torch.Tensor:
    return torch.bmm(_own_rows(x, experts, w.shape[0]), w.to(torch.float32)).sum(0).to(x.dtype)


def sum_by_expert(x: torch.Tensor, y: torch.Tensor, experts: torch.Tensor, count: int) -> torch.Tensor:
    return torch.bmm(_own_rows(x, experts, count).transpose(1, 2), _own_rows(y, experts, count)).to(x.dtype)


_multiply.register_fake(lambda x, w, experts: x.new_empty([x.shape[0], w.shape[2]]))
_sum.register_fake(lambda x, y, experts, count: x.new_empty([count, x.shape[1], y.shape[1]]))

_PRODUCTS = {"aten::_grouped_mm", "transformers::grouped_mm_fallback"}
_GRADIENTS = {"transformers::grouped_mm_fallback_backward"}
#: Of their operands these read the shape alone, or nothing that counts.
_READ_NO_VALUES = {"aten::empty_like", "aten::zeros_like", "aten::ones_like", "aten::full_like", "aten::new_empty",
                   "aten::new_zeros", "aten::new_ones", "aten::new_full", "aten::_assert_tensor_metadata"}
_ZEROS = {"aten::new_zeros", "aten::zeros", "aten::zeros_like"}
_CONVERSIONS = {"aten::_to_copy", "aten::to", "aten::clone", "aten::detach", "aten::alias"}
_VIEWS = {"aten::view", "aten::reshape", "aten::_unsafe_view"}
_OF_A_DIM = {"aten::unsqueeze", "aten::squeeze", "aten::split", "aten::chunk", "aten::slice", "aten::select", "aten::softmax",
             "aten::_softmax", "aten::split_with_sizes"}


def _name(node: Node) -> str:
    schema = getattr(node.target, "_schema", None)
    return schema.name if schema else ""


def _functional(node: Node) -> Any:
    """The op that computes what `node` does and writes to no operand; None where there is none."""
    schema = getattr(node.target, "_schema", None)
    if schema is None or not schema.is_mutable:
        return node.target
    packet = getattr(aten, schema.name.removeprefix("aten::")[:-1], None) if schema.name.endswith("_") else None
    return getattr(packet, schema.overload_name or "default", None)


def _shape(node: Any) -> Sequence[Any]:
    value = node.meta.get("val") if isinstance(node, Node) else None
    return value.shape if isinstance(value, torch.Tensor) else ()


class _Sorted:
    """What is computed in the order of one sort by expert, and the same in the order of the tokens."""

    def __init__(self, graph: Graph, sort: Node) -> None:
        self.graph, self.sort = graph, sort
        self.experts = sort.args[0]
        self.count = _shape(self.experts)[0]
        #: In the tokens' order, what these nodes have in the sorted one; of a number n the token's number divided by n.
        self.own: dict[Node, Any] = {}
        #: The experts in any order; their histogram; the ends of their rows; the tokens' places in the sorted order.
        self.numbers: set[Node] = set()
        self.histogram: dict[Node, int] = {}
        self.ends: dict[Node, int] = {}
        self.places: set[Node] = set()
        #: Sorts of the order, of which the places are a part; sorted rows, lying in columns.
        self.sorts: set[Node] = set()
        self.columns: dict[Node, Node] = {}
        self.products: set[Node] = set()
        self.replaced: dict[Node, Node] = {}
        self.added: list[Node] = []
        self.last: dict[Node, Node] = {}

    def rewrite(self) -> bool:
        """Adds the nodes without sorting, and has what reads rows in any order read those. False, and the graph is as before,
        where something reads products in the sorted order."""
        nodes = list(self.graph.nodes)
        for node in nodes[nodes.index(self.sort) + 1:]:
            of_product = not self.products.isdisjoint(node.all_input_nodes)
            if self._overwrites(node) or not self._visit(node) and of_product:
                return self._undo()
            if of_product and (node in self.own or node in self.columns):
                self.products.add(node)
        if not self.replaced or not self.products:
            return self._undo()
        for node, value in self.replaced.items():
            node.replace_all_uses_with(value)
        return True

    def _is_known(self, x: Any) -> bool:
        return isinstance(x, Node) and (x in self.own or x in self.numbers or x in self.columns)

    def _overwrites(self, node: Node) -> bool:
        """Whether it writes into sorted rows, and not as the last one that reads an op's own result."""
        if not getattr(getattr(node.target, "_schema", None), "is_mutable", False) or not self._is_known(node.args[0]):
            return False
        x = node.args[0]
        is_own_result = x in self.products and bool(_name(x)) and _name(x) not in _VIEWS | _OF_A_DIM
        is_last = not any(node < user for user in x.users)
        return _functional(node) is None or not is_own_result or not is_last

    def _undo(self) -> bool:
        for node in reversed(self.added):
            self.graph.erase_node(node)
        return False

    def _add(self, node: Node, target: Callable, *args: Any, like: Any = None, **kwargs: Any) -> Node:
        """A node behind `node`, with the value `like`, unless that is node's."""
        with self.graph.inserting_after(self.last.get(node, node)):
            added = self.graph.call_function(target, args, kwargs)
        self.last[node] = added
        added.meta = dict(node.meta)
        if like is not None:
            added.meta["val"] = like
        self.added.append(added)
        return added

    def _value(self, node: Node, at: Node) -> Any:
        """The tensor in the tokens' order."""
        own = self.own[node]
        if isinstance(own, int):
            rows = self._add(at, aten.arange.default, self.count, like=node.meta["val"])
            own = rows if own == 1 else self._add(at, aten.floor_divide.default, rows, own, like=node.meta["val"])
        return own

    def _visit(self, node: Node) -> bool:
        """Says of `node` what it is; false where it reads something sorted and is nothing that is known."""
        reads = [n for n in node.all_input_nodes
                 if n in self.own or n in self.columns or n in self.places or n in self.sorts or n is self.sort]
        if node.op == "output":
            return not reads
        if node.op != "call_function":
            return True
        name = _name(node)
        if name in _READ_NO_VALUES:
            return True
        if node.target is operator.getitem and node.args[0] is self.sort:
            self.own[node] = self.experts if node.args[1] == 0 else 1
            if node.args[1] == 0:
                self.numbers.add(node)
            return True
        if self._is_of_experts(node, name):
            return True
        if not reads:
            return True
        if self._is_place(node, name) or self._is_moved(node, name) or self._is_product(node, name):
            return True
        return self._is_of_rows(node, name)

    def _is_of_experts(self, node: Node, name: str) -> bool:
        """Whether `node` counts rows of experts. Their numbers in the tokens' order are counted alike."""
        first = node.args[0] if node.args else None
        if name in _CONVERSIONS and first is self.experts:
            self.numbers.add(node)
            return True
        if name in _CONVERSIONS and first in self.numbers:
            self.numbers.add(node)
            return False  # rows, too
        if name == "aten::histc" and (first in self.numbers or first is self.experts):
            bins, low, high = (*node.args[1:], 100, 0, 0)[:3]
            if low == 0 and high == bins - 1:
                self.histogram[node] = bins
            return True
        if first in self.histogram and name in _CONVERSIONS:
            self.histogram[node] = self.histogram[first]
        elif first in self.histogram and name == "aten::cumsum" and node.args[1] in (0, -1):
            self.ends[node] = self.histogram[first]
        elif first in self.ends and name in _CONVERSIONS:
            self.ends[node] = self.ends[first]
        else:
            return False
        return True

    def _is_place(self, node: Node, name: str) -> bool:
        """places[order] = 0, 1, ..., or the order in which the order is sorted."""
        if name in ("aten::index_put", "aten::index_put_") and len(node.args[1]) == 1 and self.own.get(node.args[1][0]) == 1:
            given = node.args[2]
            if isinstance(given, Node) and _name(given) == "aten::arange" and given.args == (self.count,) and not (
                    len(node.args) > 3 and node.args[3]) and tuple(_shape(node)) == (self.count,):
                self.places.add(node)
                return True
        if name in ("aten::argsort", "aten::sort") and self.own.get(node.args[0]) == 1:
            (self.places if name == "aten::argsort" else self.sorts).add(node)
            return True
        if node.target is operator.getitem and node.args[0] in self.sorts and node.args[1] == 1:
            self.places.add(node)
            return True
        return False

    def _is_moved(self, node: Node, name: str) -> bool:
        """Rows that are brought into the sorted order or back."""
        if name == "aten::index":
            x, indices = node.args[0], node.args[1]
            index = indices[0]
            if any(i is not None for i in indices[1:]) or index is None:
                return False
            if index in self.places and x in self.own:
                self.replaced[node] = self._add(node, aten.clone.default, self._value(x, node))
                return True
            if index not in self.own or self._is_known(x) or len(_shape(index)) != 1:
                return False
            by = self.own[index]
            if isinstance(by, int) and _shape(x)[0] * by == self.count:
                self.own[node] = self._repeated(node, x, by)
            else:
                self.own[node] = self._add(node, aten.index.Tensor, x, [self._value(index, node)])
            return True
        if name == "aten::index_put" and len(node.args[1]) == 1:
            base, (index,), rows = node.args[:3]
            adds = len(node.args) > 3 and node.args[3]
            if not isinstance(base, Node) or _name(base) not in _ZEROS or not isinstance(rows, Node):
                return False
            if index in self.places and not self._is_known(rows) and _shape(base)[0] == self.count:
                self.own[node] = self._add(node, aten.clone.default, rows)
                return True
            by = self.own.get(index)
            if rows in self.own and isinstance(by, int) and _shape(base)[0] * by == self.count and (adds or by == 1):
                self.replaced[node] = self._summed(node, self._value(rows, node), by)
                return True
            if rows in self.own and index in self.own and adds:
                self.replaced[node] = self._add(node, node.target, base, [self._value(index, node)],
                                                self._value(rows, node), True)
                return True
        return False

    def _repeated(self, node: Node, x: Node, by: int) -> Node:
        """Each row of `x` `by` times, one after the other."""
        if by == 1:
            return self._add(node, aten.clone.default, x)
        value, rest = x.meta["val"], list(_shape(x)[1:])
        wide = value.new_empty([_shape(x)[0], by, *rest])
        apart = self._add(node, aten.unsqueeze.default, x, 1, like=value.unsqueeze(1))
        repeated = self._add(node, aten.expand.default, apart, list(wide.shape), like=wide)
        return self._add(node, aten.reshape.default, repeated, [self.count, *rest])

    def _summed(self, node: Node, rows: Node, by: int) -> Node:
        """The sums of `by` rows each."""
        if by == 1:
            return self._add(node, aten.clone.default, rows)
        shape = [self.count // by, by, *_shape(node)[1:]]
        groups = self._add(node, aten.reshape.default, rows, shape, like=node.meta["val"].new_empty(shape))
        return self._add(node, aten.sum.dim_IntList, groups, [1])

    def _is_product(self, node: Node, name: str) -> bool:
        if name in _PRODUCTS:
            x, w, ends = node.args[:3] if len(node.args) > 2 else (*node.args, None)
            if ends not in self.ends or len(node.args) > 3 or node.kwargs.get("bias") is not None:
                return False
            if node.kwargs.get("out_dtype") not in (None, node.meta["val"].dtype) or (
                    w.meta["val"].dtype != x.meta["val"].dtype):
                return False
            if x in self.own and not self._is_known(w) and _shape(w)[0] == self.ends[ends]:
                self.own[node] = self._add(node, torch.ops.shardir.multiply_by_expert.default, self._value(x, node), w,
                                           self.experts)
                self.products.add(node)
                return True
            if x in self.columns and w in self.own:
                self.replaced[node] = self._sums(node, self.columns[x], w, ends)
                return True
        if name in _GRADIENTS:
            x, w, ends, gradient = node.args
            if ends in self.ends and x in self.own and gradient in self.own and not self._is_known(w):
                of_x, of_w = node.meta["val"]
                transposed = self._add(node, aten.transpose.int, w, 1, 2, like=w.meta["val"].transpose(1, 2))
                self.own[node] = (self._add(node, torch.ops.shardir.multiply_by_expert.default, self._value(gradient, node),
                                            transposed, self.experts, like=of_x),
                                  self._sums(node, x, gradient, ends, like=of_w))
                self.products.add(node)
                return True
        if node.target is operator.getitem and isinstance(self.own.get(node.args[0]), tuple):
            of_x, of_w = self.own[node.args[0]]
            if node.args[1] == 0:
                self.own[node] = of_x
            else:
                self.replaced[node] = of_w
            return True
        return False

    def _sums(self, node: Node, x: Node, y: Node, ends: Node, **options: Any) -> Node:
        return self._add(node, torch.ops.shardir.sum_by_expert.default, self._value(x, node), self._value(y, node),
                         self.experts, self.ends[ends], **options)

    def _is_of_rows(self, node: Node, name: str) -> bool:
        """Whether each row of the result comes of the same row of the operands, or the result of all rows in any order."""
        x = node.args[0] if node.args else None
        if name in ("aten::floor_divide", "aten::div") and isinstance(self.own.get(x), int) and isinstance(
                node.args[1], int) and not (name == "aten::div" and node.kwargs.get("rounding_mode") != "floor"):
            self.own[node] = self.own[x] * node.args[1]
            return True
        if name in ("aten::t", "aten::transpose") and x in self.own and len(_shape(x)) == 2:
            self.columns[node] = x
            return True
        rank = len(_shape(x[0] if isinstance(x, (list, tuple)) else x))

        def counted(dim: int) -> int:
            return dim % max(rank, 1)

        if name in ("aten::sum", "aten::mean") and x in self.own:
            dims = node.args[1] if len(node.args) > 1 else None
            if not dims or 0 in map(counted, dims):
                self.replaced[node] = self._again(node)
                return True
        elif name == "aten::cat":
            if not all(p in self.own for p in node.args[0]) or counted(node.args[1] if len(node.args) > 1 else 0) == 0:
                return False
        elif name in _OF_A_DIM:
            at = 2 if name in ("aten::split", "aten::chunk", "aten::split_with_sizes") else 1
            dim = node.args[at] if len(node.args) > at else 0
            if x not in self.own or not isinstance(dim, int) or (dim == 0 or dim + rank + (name == "aten::unsqueeze") == 0):
                return False
        elif name in ("aten::slice_backward", "aten::select_backward"):
            if x not in self.own or node.args[2] in (0, -rank):
                return False
        elif name in _VIEWS or name == "aten::expand":
            if x not in self.own or not _shape(node) or _shape(node)[0] != self.count or _shape(x)[0] != self.count:
                return False
        elif node.target is operator.getitem:
            if x not in self.own:
                return False
        elif torch.Tag.pointwise not in getattr(_functional(node), "tags", ()) and name not in _CONVERSIONS:
            return False
        elif any(not (n in self.own and len(_shape(n)) == len(_shape(node)) or not self._is_known(n) and (
                len(_shape(n)) < len(_shape(node)) or _shape(n)[0] == 1)) for n in node.all_input_nodes):
            return False
        self.own[node] = self._again(node)
        return True

    def _again(self, node: Node) -> Node:
        """The same op on the tensors in the tokens' order."""
        values = {n: self._value(n, node) for n in node.all_input_nodes if n in self.own}
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: values.get(n, n))
        return self._add(node, _functional(node), *args, **kwargs)


def _sorts_by_expert(graph: Graph) -> Iterator[Node]:
    for node in list(graph.nodes):
        if _name(node) != "aten::sort":
            continue
        value = node.args[0].meta["val"]
        descending = node.kwargs.get("descending", len(node.args) > 2 and node.args[2])
        if value.dim() == 1 and isinstance(value.shape[0], int) and not value.is_floating_point() and not descending:
            yield node


def leave_experts_unsorted(graph: Graph) -> None:
    """Rewrites products of the rows of each expert in `graph`, the trace of a program."""
    if not any(_name(n) in _PRODUCTS for n in graph.nodes):
        return
    if any([_Sorted(graph, sort).rewrite() for sort in _sorts_by_expert(graph)]):
        graph.eliminate_dead_code()
