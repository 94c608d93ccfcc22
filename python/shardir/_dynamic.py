"""Inputs of open extents, in the shapes that `torch.export` takes for its `dynamic_shapes`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import Dim
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

from ._errors import UsageError


def is_extents(entry: Any) -> bool:
    """Whether an entry of dynamic_shapes is that of one input."""
    return entry is None or (isinstance(entry, dict) and all(isinstance(d, int) for d in entry))


def greatest_extent(extent: Any, what: str) -> int:
    """The largest extent that a dim may have. Raises UsageError where an open one has no bound, for `what` needs it."""
    if not isinstance(extent, torch.SymInt):
        return extent
    most = extent.node.shape_env.bound_sympy(extent.node.expr).upper
    if not most.is_Integer:
        raise UsageError(f"{what} along an open dim need its largest extent: give its torch.export.Dim a max")
    return int(most)


class Guards:
    """Conditions on open extents under which a graph that was traced is right for other inputs, too.

    extents, names: the open extents, and what messages call them.
    """

    def __init__(self, extents: Sequence[torch.SymInt], names: Sequence[str]):
        self._symbols = [extent.node._expr for extent in extents]
        self._names = {str(symbol): name for symbol, name in reversed([*zip(self._symbols, names)])}
        env = extents[0].node.shape_env if extents else None
        self._conditions = [guard.expr for guard in env.guards] if env else []
        ranges = [(symbol, env.bound_sympy(symbol)) for symbol in self._symbols] if env else []
        self._conditions += [symbol <= allowed.upper for symbol, allowed in ranges if allowed.upper.is_Integer]
        # PyTorch takes an open extent for 2 or more, which graphs seldom rest on: a larger one was asked for.
        self._conditions += [symbol >= allowed.lower for symbol, allowed in ranges if allowed.lower > 2]

    def check(self, extents: Sequence[int]) -> None:
        """Raises UsageError for extents, in their order, that the graph does not take."""
        values = dict(zip(self._symbols, extents))
        for condition in self._conditions:
            if condition.subs(values) == False:  # noqa: E712, sympy has false values of its own
                needed = re.sub(r"\w+", lambda word: self._names.get(word[0], word[0]), str(condition))
                given = ", ".join(f"{self._names[str(symbol)]} = {n}" for symbol, n in values.items())
                raise UsageError(f"the model was compiled for inputs with {needed}, not for {given}")


class DynamicInputs:
    """Inputs that stand for inputs of other extents while a function is traced.

    shapes: one entry per input, None or a dict from dims to a `torch.export.Dim`, `Dim.AUTO` or `Dim.DYNAMIC`;
        dims with the same `Dim` are equal at every call. Each has at least 2 elements, for one broadcasts.
    Raises UsageError for entries of another form, dims that inputs lack, and examples of unequal or too small extents.
    """

    def __init__(self, inputs: Sequence[torch.Tensor], shapes: Sequence[Any]):
        if len(shapes) != len(inputs):
            raise UsageError(f"dynamic_shapes has {len(shapes)} entries, but there are {len(inputs)} inputs")
        self._env = ShapeEnv()
        self._mode = FakeTensorMode(shape_env=self._env, allow_fallback_kernels=True, allow_non_fake_inputs=True)
        #: The inputs as they are traced.
        self.fakes: list[torch.Tensor] = []
        self._dims: list[tuple[int, int, torch.SymInt]] = []  # (input, dim, extent)
        self._ranges: list[tuple[Any, Any]] = []
        first: dict[str, tuple[int, int, torch.SymInt]] = {}
        for i, (tensor, dims) in enumerate(zip(inputs, shapes)):
            if dims is not None and not isinstance(dims, dict):
                raise UsageError(f"dynamic_shapes of input {i} is {dims!r}; give a dict as {{0: torch.export.Dim('batch')}}")
            dims = {d: dim for d, dim in (dims or {}).items()
                    if dim is not None and dim != Dim.STATIC and not isinstance(dim, int)}
            for d, dim in dims.items():
                if type(dim) is not Dim and dim not in (Dim.AUTO, Dim.DYNAMIC):
                    raise UsageError(f"dynamic_shapes of dim {d} of input {i} is {dim!r}; give a torch.export.Dim, Dim.AUTO or "
                                     "Dim.DYNAMIC")
                if not isinstance(d, int) or not 0 <= d < tensor.dim():
                    raise UsageError(f"dynamic_shapes names dim {d!r} of input {i}, which has {tensor.dim()} dims")
                if tensor.shape[d] < 2:
                    raise UsageError(f"dim {d} of input {i} is dynamic: its example needs at least 2 elements, not "
                                     f"{tensor.shape[d]}, for one element broadcasts")
            self.fakes.append(self.fake(tensor, dims))
            for d, dim in dims.items():
                extent = self.fakes[-1].shape[d]
                self._dims.append((i, d, extent))
                self._ranges.append((max(getattr(dim, "min", None) or 2, 2), getattr(dim, "max", None) or math.inf))
                name = getattr(dim, "__name__", "")
                other = first.setdefault(name, self._dims[-1]) if name else self._dims[-1]
                if extent != other[2]:  # makes them one symbol where the examples are equal
                    raise UsageError(f"dim {d} of input {i} and dim {other[1]} of input {other[0]} are both "
                                     f"'{name}', but the examples have {tensor.shape[d]} and "
                                     f"{inputs[other[0]].shape[other[1]]} elements")

    def fake(self, tensor: torch.Tensor, dynamic: Any = ()) -> torch.Tensor:
        """A tensor as it is traced beside the inputs; dims outside of `dynamic` keep their extents."""
        return self._mode.from_tensor(tensor, symbolic_context=StatelessSymbolicContext(
            [DimDynamic.DYNAMIC if d in dynamic else DimDynamic.STATIC for d in range(tensor.dim())]))

    def finish(self) -> None:
        """Takes what tracing has found about the extents. Raises UsageError where one can only be the example's."""
        for i, d, extent in self._dims:
            if self._env.replace(extent.node.expr).is_number:
                raise UsageError(f"dim {d} of input {i} is dynamic, but the model or its loss fixes it to {int(extent)}")
        self._guards = Guards([extent for _, _, extent in self._dims],
                              [f"inputs[{i}].shape[{d}]" for i, d, _ in self._dims])

    def check(self, inputs: Sequence[torch.Tensor]) -> None:
        """Raises UsageError for extents that the traced function does not take."""
        for i, d, _ in self._dims:
            if d >= len(inputs[i].shape):
                raise UsageError(f"input {i} has {len(inputs[i].shape)} dims, and no dim {d}")
        extents = [inputs[i].shape[d] for i, d, _ in self._dims]
        for (i, d, _), n, (least, most) in zip(self._dims, extents, self._ranges):
            if not least <= n <= most:
                raise UsageError(f"dim {d} of input {i} has {n} elements, but the step takes {least} to {most}")
        self._guards.check(extents)
