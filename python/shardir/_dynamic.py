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
            self.fakes.append(self.static(tensor, dims))
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

    def static(self, tensor: torch.Tensor, dynamic: Any = ()) -> torch.Tensor:
        """A tensor as it is traced beside the inputs; dims outside of `dynamic` keep their extents."""
        return self._mode.from_tensor(tensor, symbolic_context=StatelessSymbolicContext(
            [DimDynamic.DYNAMIC if d in dynamic else DimDynamic.STATIC for d in range(tensor.dim())]))

    def finish(self) -> None:
        """Takes what tracing has found about the extents. Raises UsageError where one can only be the example's."""
        for i, d, extent in self._dims:
            if self._env.replace(extent.node.expr).is_number:
                raise UsageError(f"dim {d} of input {i} is dynamic, but the model or its loss fixes it to {int(extent)}")
        symbols = [extent for _, _, extent in self._dims]
        self._guards = self._env.produce_guards_expression(symbols)
        names = {str(extent.node._expr): f"inputs[{i}].shape[{d}]" for i, d, extent in reversed(self._dims)}
        self._needs = [re.sub(r"\w+", lambda word: names.get(word[0], word[0]), str(guard.expr))
                       for guard in self._env.guards[:3]]

    def check(self, inputs: Sequence[torch.Tensor]) -> None:
        """Raises UsageError for extents that the traced function does not take."""
        extents = [inputs[i].shape[d] if d < inputs[i].dim() else -1 for i, d, _ in self._dims]
        for (i, d, _), n, (least, most) in zip(self._dims, extents, self._ranges):
            if not least <= n <= most:
                raise UsageError(f"dim {d} of input {i} has {n} elements, but the step takes {least} to {most}")
        if self._guards and not self._env.evaluate_guards_expression(self._guards, extents):
            given = ", ".join(f"{n} in dim {d} of input {i}" for (i, d, _), n in zip(self._dims, extents))
            raise UsageError(f"the step does not take {given}; it needs "
                             + " and ".join(self._needs))
