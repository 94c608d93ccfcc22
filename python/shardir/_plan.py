"""Plans: placements by patterns over the names of a model's modules and parameters."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import UsageError
from ._mesh import Mesh, dims_attribute, is_placement, near, placement_attribute

#: Names of mesh axes that parallel styles split over, the first that the mesh has; else its last axis.
_TENSOR_AXES = ("tp", "model", "mp", "tensor")


def pattern_to_regex(pattern: str) -> re.Pattern:
    """`*` is one part of a dotted name, or some of its characters; `**` is any number of parts."""
    text = ""
    parts = pattern.split(".")
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if part == "**":
            text += ".*" if last else r"(?:[^.]+\.)*"
            continue
        text += re.escape(part).replace(r"\*", "[^.]*").replace(r"\?", "[^.]") + ("" if last else r"\.")
    return re.compile(text)


@dataclasses.dataclass
class Resolved:
    """What a plan says: attributes of parameters by name, and of modules' outputs and inputs by path."""

    parameters: dict[str, str]
    outputs: dict[str, str]
    inputs: dict[str, str]


def _tensor_axis(mesh: Mesh) -> str:
    return next((axis for axis in _TENSOR_AXES if axis in mesh.axes), list(mesh.axes)[-1])


def _on_axis(mesh: Mesh, axis: str, dim: int | None, rank: int) -> str:
    """Dim `dim` split over `axis`; replicated if it is None."""
    dims: list[list[str]] = [[] for _ in range(rank)]
    if dim is not None:
        dims[dim].append(axis)
    return dims_attribute(mesh, dims)


def _is_style(value: Any) -> bool:
    return type(value).__name__ in ("ColwiseParallel", "RowwiseParallel", "SequenceParallel", "PrepareModuleInput",
                                    "PrepareModuleOutput", "PrepareModuleInputOutput")


def _weight_dims(module: Any, style: str, path: str) -> dict[str, int | None]:
    """The dim of each parameter of `module` that the style splits."""
    kind = type(module).__name__
    columns = style == "ColwiseParallel"
    if hasattr(module, "num_embeddings"):
        return {"weight": 1 if columns else 0}
    if kind == "Conv1D":  # transformers': the weight is [in, out]
        return {"weight": 1, "bias": 0} if columns else {"weight": 0, "bias": None}
    if hasattr(module, "in_features") and hasattr(module, "out_features"):
        return {"weight": 0, "bias": 0} if columns else {"weight": 1, "bias": None}
    what = f"'{path}'" if path else "the model itself"
    raise UsageError(f"plan: {what} is of type {kind}; {style} is for linear layers and embeddings. Place its "
                     "parameters by name instead")


def _layouts(value: Any) -> Sequence[Any]:
    if value is None:
        return ()
    return value if isinstance(value, (tuple, list)) else (value,)


def _apply_style(style: Any, path: str, module: Any, mesh: Mesh, found: Resolved) -> None:
    axis, kind = _tensor_axis(mesh), type(style).__name__
    if kind in ("ColwiseParallel", "RowwiseParallel"):
        for name, dim in _weight_dims(module, kind, path).items():
            parameter = getattr(module, name, None)
            if parameter is not None:
                found.parameters.setdefault(f"{path}.{name}" if path else name,
                                            _on_axis(mesh, axis, dim, parameter.dim()))
    if kind == "SequenceParallel":
        for name, parameter in module.named_parameters():
            found.parameters.setdefault(f"{path}.{name}" if path else name,
                                        _on_axis(mesh, axis, None, parameter.dim()))
        sharding = getattr(style, "sequence_sharding", None)
        sharding = _layouts(sharding)[0] if sharding is not None else None
        dim = sharding.dim if sharding is not None else getattr(style, "sequence_dim", 1)
        found.outputs.setdefault(path, f"{axis}:{dim}")
        return
    if kind in ("PrepareModuleOutput", "PrepareModuleInputOutput"):  # what it has before is no matter
        outputs = _layouts(getattr(style, "prepare_module_output", style).desired_output_layouts)
    else:
        outputs = _layouts(getattr(style, "output_layouts", None))
    # The defaults of the styles follow from the weights' placements.
    usual = {"ColwiseParallel": "Shard(dim=-1)", "RowwiseParallel": "Replicate()"}.get(kind)
    for layout in outputs[:1]:
        if layout is not None and repr(layout) != usual and type(layout).__name__ in ("Shard", "Replicate"):
            found.outputs.setdefault(path, f"{axis}:{layout.dim if type(layout).__name__ == 'Shard' else ''}")


def resolve(plan: Any, modules: Mapping[str, Any], parameters: Mapping[str, Any], mesh: Mesh) -> Resolved:
    """What the plan says of each parameter and module; the first pattern that matches a name counts.

    modules, parameters: by dotted name; parameters have `dim()`.
    Raises UsageError for a pattern that matches nothing, with near names, and for placements that do
    not fit.
    """
    found = Resolved({}, {}, {})
    if plan is None:
        return found
    if not isinstance(plan, Mapping):
        raise UsageError(f"plan is a {type(plan).__name__}; give a dict from patterns to placements or parallel "
                         "styles, or \"auto\"")
    styled: set[str] = set()
    for pattern, value in plan.items():
        regex = pattern_to_regex(str(pattern))
        is_style = _is_style(value)
        if not is_style and not is_placement(value) and not (
                isinstance(value, Sequence) and not isinstance(value, str) and all(map(is_placement, value))):
            raise UsageError(f"plan: '{pattern}' is given {value!r}; give a placement per mesh axis, as in [Shard(0), "
                             "Replicate()], or a parallel style")
        names = [n for n in (modules if is_style else parameters) if regex.fullmatch(n)]
        if not names:
            kind, known = ("module", modules) if is_style else ("parameter or buffer", parameters)
            other = parameters if is_style else modules
            known = [n for n in known if n]
            hint = near(str(pattern), known) or f"; it has: {', '.join(known[:8])}" + (", ..." if known[8:] else "")
            if any(regex.fullmatch(n) for n in other):
                hint = ("; it names parameters: give a placement" if is_style
                        else "; it names modules: give a parallel style, or name a parameter, as in "
                             f"'{pattern}.weight'")
            raise UsageError(f"plan: '{pattern}' matches no {kind} of the model{hint}")
        for name in names:
            if is_style:
                if name not in styled:
                    styled.add(name)
                    _apply_style(value, name, modules[name], mesh, found)
            elif name not in found.parameters:
                tensor = parameters[name]
                if tensor.dim() == 0 and "*" in str(pattern):
                    continue  # scalars, as a counter of batches is, have no dim to split
                if len(mesh.axes) > 1 and is_placement(value):
                    raise UsageError(f"plan: '{pattern}' is given one placement, {value!r}, for a mesh of "
                                     f"{len(mesh.axes)} axes ({', '.join(mesh.axes)}); give one per axis")
                found.parameters[name] = placement_attribute(mesh, value, tensor.dim(), f"parameter '{name}'")
    return found
