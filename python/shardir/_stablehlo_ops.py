"""Ops of StableHLO in terms of others, so that jaxlib's passes lower them to what XLA computes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

from jaxlib.mlir import ir

from ._errors import CompileError, Diagnostic


def place_of(location: Any) -> tuple[str, int, int]:
    """File, line and column of the innermost frame."""
    match = re.search(r'"([^"]+\.(?:py|mlir))":(\d+):(\d+)', str(location))
    return (match[1], int(match[2]), int(match[3])) if match else ("", 0, 0)


def refuse(op: Any, message: str) -> None:
    file, line, column = place_of(op.location)
    name = re.match(r'loc\("([^"]+)"', str(op.location))
    text = f"{name[1]}: {message}" if name and not name[1].endswith((".py", ".mlir")) else message
    diagnostic = Diagnostic("error", text, file, line, column)
    raise CompileError(str(diagnostic), (diagnostic,))


def ints(op: Any, name: str, default: int, count: int) -> list[int]:
    """An array attribute of `count` integers."""
    if name not in op.attributes:
        return [default] * count
    attribute = op.attributes[name]
    return list(ir.DenseI64ArrayAttr(attribute) if isinstance(attribute, ir.DenseI64ArrayAttr)
                else ir.DenseIntElementsAttr(attribute))


class Builder:
    """Ops of StableHLO on tensors of known shape, in front of an op."""

    def __init__(self, op: Any):
        self.loc, self.ip = op.location, ir.InsertionPoint(op)

    def make(self, name: str, shape: Sequence[int], element: Any, operands: Sequence[Any], **attributes: Any) -> Any:
        kind = ir.RankedTensorType.get(list(shape), element)
        attributes = {n: ir.DenseI64ArrayAttr.get(a) if isinstance(a, list) else a for n, a in attributes.items()}
        return ir.Operation.create(f"stablehlo.{name}", [kind], list(operands), attributes, loc=self.loc,
                                   ip=self.ip).results[0]

    def splat(self, value: Any, shape: Sequence[int]) -> Any:
        return self.make("broadcast_in_dim", shape, ir.RankedTensorType(value.type).element_type, [value],
                         broadcast_dimensions=[])

    def pad(self, x: Any, value: Any, low: list[int], high: list[int]) -> Any:
        kind = ir.RankedTensorType(x.type)
        shape = [n + a + b for n, a, b in zip(kind.shape, low, high)]
        return self.make("pad", shape, kind.element_type, [x, value], edge_padding_low=low, edge_padding_high=high,
                         interior_padding=[0] * len(low))

    def slice(self, x: Any, start: list[int], limit: list[int], stride: list[int]) -> Any:
        shape = [-(-(b - a) // s) for a, b, s in zip(start, limit, stride)]
        return self.make("slice", shape, ir.RankedTensorType(x.type).element_type, [x], start_indices=start,
                         limit_indices=limit, strides=stride)


def _only_op(region: Any) -> Any:
    """The op of a region that computes one value from its two arguments in order; None of others."""
    block = region.blocks[0]
    ops = list(block.operations)
    if len(ops) == 2 and list(ops[0].operation.operands) == list(block.arguments) and list(
            ops[1].operation.operands) == list(ops[0].operation.results):
        return ops[0].operation
    return None


def _expand_select_and_scatter(op: Any) -> None:
    """The gradient of a pooling window as slices: for each place of the window, whether it was selected, and the
    sources where it was. Places that are a stride apart add up; those between them are interleaved at the end.
    All dims that have no window can be split."""
    operand, source, init = op.operands
    kind, element = ir.RankedTensorType(operand.type), ir.RankedTensorType(operand.type).element_type
    rank, coarse = kind.rank, list(ir.RankedTensorType(source.type).shape)
    select, add = _only_op(op.regions[0]), _only_op(op.regions[1])
    if select is None or select.name != "stablehlo.compare" or add is None or add.name != "stablehlo.add":
        refuse(op, "'stablehlo.select_and_scatter' is supported where it selects by one comparison and adds")
    window, stride = ints(op, "window_dimensions", 1, rank), ints(op, "window_strides", 1, rank)
    padding = ints(op, "padding", 0, 2 * rank)
    low = padding[::2]
    b = Builder(op)
    # A padded element is never selected in front of another: it loses every comparison.
    direction = str(select.attributes["comparison_direction"])
    worst = _worst(element, below="G" in direction)
    if worst is None:
        refuse(op, f"'stablehlo.select_and_scatter' is not supported on {element}")
    # As many elements as the windows cover, and so many that all places of a window have as many slices.
    reach = [(n - 1) * s + w for n, s, w in zip(coarse, stride, window)]
    scalar = b.make("constant", [], element, [], value=ir.DenseElementsAttr.get_splat(
        ir.RankedTensorType.get([], element), worst))
    padded = b.pad(operand, scalar, low, [r - n - a for r, n, a in zip(reach, kind.shape, low)])
    integer = ir.IntegerType.get_signless(32)
    bit = ir.IntegerType.get_signless(1)
    places = list(itertools.product(*map(range, window)))

    def number(i: int) -> Any:
        return b.make("constant", coarse, integer, [], value=ir.DenseElementsAttr.get_splat(
            ir.RankedTensorType.get(coarse, integer), ir.IntegerAttr.get(integer, i)))

    best = chosen = None
    for i, place in enumerate(places):
        limit = [p + (n - 1) * s + 1 for p, n, s in zip(place, coarse, stride)]
        value = b.slice(padded, list(place), limit, stride)
        if best is None:
            best, chosen = value, number(0)
            continue
        keeps = b.make("compare", coarse, bit, [best, value], **{n: select.attributes[n] for n in (
            "comparison_direction", "compare_type") if n in select.attributes})
        best = b.make("select", coarse, element, [keeps, best, value])
        chosen = b.make("select", coarse, integer, [keeps, chosen, number(i)])
    zero = b.make("constant", [], element, [], value=ir.DenseElementsAttr.get_splat(
        ir.RankedTensorType.get([], element), _zero(element)))
    nothing = b.splat(zero, coarse)
    equal = ir.Attribute.parse("#stablehlo<comparison_direction EQ>")
    steps = [-(-w // s) for w, s in zip(window, stride)]  # how many places are strides apart
    extents = [n + k - 1 for n, k in zip(coarse, steps)]
    sums: dict[tuple[int, ...], Any] = {}
    for i, place in enumerate(places):
        mine = b.make("compare", coarse, bit, [chosen, number(i)], comparison_direction=equal)
        part = b.make("select", coarse, element, [mine, source, nothing])
        before = [p // s for p, s in zip(place, stride)]
        part = b.pad(part, zero, before, [k - 1 - q for k, q in zip(steps, before)])
        between = tuple(p % s for p, s in zip(place, stride))
        sums[between] = part if between not in sums else b.make("add", extents, element, [sums[between], part])

    def interleave(d: int, between: tuple[int, ...]) -> Any:
        """The sums of all places from dim `d` on."""
        if d == rank:
            return sums[between] if between in sums else b.splat(zero, extents)
        parts = [interleave(d + 1, between + (r,)) for r in range(stride[d])]
        if len(parts) == 1:
            return parts[0]
        shape = list(ir.RankedTensorType(parts[0].type).shape)
        one = shape[:d + 1] + [1] + shape[d + 1:]
        joined = b.make("concatenate", one[:d + 1] + [stride[d]] + one[d + 2:], element,
                        [b.make("reshape", one, element, [p]) for p in parts],
                        dimension=ir.IntegerAttr.get(ir.IntegerType.get_signless(64), d + 1))
        return b.make("reshape", shape[:d] + [shape[d] * stride[d]] + shape[d + 1:], element, [joined])

    result = interleave(0, ())
    shape = ir.RankedTensorType(result.type).shape
    # Negative padding cuts off what is outside of the operand.
    result = b.pad(result, zero, [-a for a in low], [n + a - m for n, a, m in zip(kind.shape, low, shape)])
    result = b.make("add", kind.shape, element, [result, b.splat(init, kind.shape)])
    op.results[0].replace_all_uses_with(result)
    op.erase()


def _worst(element: Any, below: bool) -> Any:
    """The least number of a type, or the largest; None of types that have none."""
    if isinstance(element, ir.FloatType):
        return ir.FloatAttr.get(element, float("-inf") if below else float("inf"))
    if isinstance(element, ir.IntegerType) and element.is_signless and element.width > 1:
        edge = 1 << (element.width - 1)
        return ir.IntegerAttr.get(element, -edge if below else edge - 1)
    return None


def _zero(element: Any) -> Any:
    return ir.FloatAttr.get(element, 0.0) if isinstance(element, ir.FloatType) else ir.IntegerAttr.get(element, 0)


def _sum_in_f32(op: Any) -> None:
    """A convolution of 16 bits adds in f32, as XLA's do, and is rounded once."""
    kind = ir.RankedTensorType(op.results[0].type)
    if not isinstance(kind.element_type, (ir.BF16Type, ir.F16Type)):
        return
    b, operands = Builder(op), list(op.operands)
    if ir.IntegerAttr(op.attributes["feature_group_count"]).value > 1:  # whose types the passes take for one
        operands = [b.make("convert", ir.RankedTensorType(x.type).shape, ir.F32Type.get(), [x]) for x in operands]
    wide = op.clone(ip=ir.InsertionPoint(op))
    for i, x in enumerate(operands):
        wide.operands[i] = x
    wide.results[0].set_type(ir.RankedTensorType.get(kind.shape, ir.F32Type.get()))
    op.results[0].replace_all_uses_with(b.make("convert", kind.shape, kind.element_type, [wide.results[0]]))
    op.erase()


def _saturate(op: Any) -> None:
    """A float that no integer of a convert's type is near to becomes the least or largest one, and NaN 0, as XLA has
    it: what comes of such a float is undefined in arith."""
    source, kind = ir.RankedTensorType(op.operands[0].type), ir.RankedTensorType(op.results[0].type)
    element, integer = source.element_type, kind.element_type
    if not isinstance(element, ir.FloatType) or element.width < 16 or not isinstance(
            integer, ir.IntegerType) or integer.width == 1:
        return
    low, high = (0, 1 << integer.width) if integer.is_unsigned else (-(1 << (integer.width - 1)), 1 << (integer.width - 1))
    b, x, shape = Builder(op), op.operands[0], list(kind.shape)

    def constant(type_: Any, value: Any) -> Any:
        return b.make("constant", shape, type_, [], value=ir.Attribute.parse(
            f"dense<{value}> : {ir.RankedTensorType.get(shape, type_)}"))

    found = b.make("convert", shape, integer, [x])
    for direction, bound, value in (("GE", float(high), high - 1), ("LE", float(low), low), ("NE", None, 0)):
        bit = b.make("compare", shape, ir.IntegerType.get_signless(1), [x, x if bound is None else constant(element, bound)],
                     comparison_direction=ir.Attribute.parse(f"#stablehlo<comparison_direction {direction}>"))
        found = b.make("select", shape, integer, [bit, constant(integer, value), found])
    op.results[0].replace_all_uses_with(found)
    op.erase()


#: By the name of an op, what puts others in its place.
EXPANSIONS = {"stablehlo.select_and_scatter": _expand_select_and_scatter, "stablehlo.convert": _saturate,
              "stablehlo.convolution": _sum_in_f32}
