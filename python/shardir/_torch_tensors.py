"""The tensors of a PyTorch model: their names, what is written into them, and their values for the runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ._errors import UsageError


def unwrapped(model: torch.nn.Module) -> torch.nn.Module:
    """What DataParallel, DistributedDataParallel or torch.compile was made of: the mesh takes their place."""
    while True:
        inner = model.module if isinstance(model, (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)) \
            else getattr(model, "_orig_mod", None)
        if not isinstance(inner, torch.nn.Module):
            break
        model = inner
    if not isinstance(model, torch.nn.Module):
        kind = f"the class {model.__name__}: make one" if isinstance(model, type) else \
            "an ExportedProgram: give its module()" if isinstance(model, torch.export.ExportedProgram) else \
            f"a {type(model).__name__}: call it in the forward of a torch.nn.Module"
        raise UsageError(f"model must be a torch.nn.Module, and is {kind}")
    return model


def tensors_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """All parameters and buffers by each of their names, tied ones too."""
    model = unwrapped(model)
    found = dict(model.named_parameters(remove_duplicate=False))
    found.update(model.named_buffers(remove_duplicate=False))
    return found


def copy_into(model: torch.nn.Module, values: Mapping[str, torch.Tensor]) -> None:
    """Writes what has a name in the model. Raises UsageError, and writes nothing, for a model of another kind."""
    tensors = tensors_of(model)
    if values and not any(name in tensors for name in values):
        raise UsageError(f"copy_to: the model has no '{next(iter(values))}': give one of the kind that was compiled")
    for name, value in values.items():
        if name in tensors and tensors[name].shape != value.shape:
            raise UsageError(f"copy_to: '{name}' has shape {tuple(tensors[name].shape)} in the model, but "
                             f"{tuple(value.shape)} on the devices: give a model of the kind that was compiled")
    with torch.no_grad():
        for name, value in values.items():
            if name in tensors:
                tensors[name].copy_(value)


def on_host(tensor: torch.Tensor) -> torch.Tensor:
    """As the runtime takes it; the tensor itself where it is so. Raises UsageError for one without values or with holes."""
    if tensor.is_meta or tensor.layout != torch.strided:
        raise UsageError("it is on the meta device, without values" if tensor.is_meta else
                         f"it is a sparse tensor, of {tensor.layout}: give its to_dense()")
    if tensor.requires_grad:
        tensor = tensor.detach()
    return (tensor if tensor.is_cpu else tensor.cpu()).contiguous()


def apart(inputs: Any) -> Any:
    """The inputs, each tensor an object of its own: what is traced takes one that is there twice for one input."""
    seen: set[int] = set()

    def own(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor) or id(leaf) not in seen:
            seen.add(id(leaf))
            return leaf
        return leaf.detach().clone().requires_grad_(leaf.requires_grad)

    return pytree.tree_map(own, inputs)


def as_tensor(value: Any, name: str) -> torch.Tensor:
    """A tensor of a number, an array or a sequence of them. Errors call it `name`."""
    try:
        return torch.as_tensor(value)
    except (TypeError, RuntimeError, ValueError):
        raise UsageError(f"{name} is a {type(value).__name__}; give tensors, also in tuples, lists and dicts") from None


class Watched:
    """A tensor of a model, and whether it was written since it was read, or another one has its name or its memory.

    Seen are writes that PyTorch counts (`Tensor._version`), and other tensors: `.data = t`, a new Parameter.
    """

    def __init__(self, name: str, tensor: torch.Tensor, places: Sequence[tuple[Any, str]], optimized: bool = False):
        """places: the dicts that have the tensor, and its keys in them; several where names are tied. optimized: whether an
        optimizer has the tensor too."""
        self.name, self.tensor, self._places, self._first = name, tensor, list(places), tensor if optimized else None
        self.take()

    def now(self) -> torch.Tensor:
        """What the model has by this name; the tensor itself where it has nothing with values."""
        for d, leaf in self._places:
            found = d.get(leaf)
            if isinstance(found, torch.Tensor) and not found.is_meta:
                return found
        return self.tensor

    def take(self) -> None:
        """The tensor was read as it is now."""
        self.tensor = self.now()
        # Shares the memory, which no other tensor can have while this is there.
        self._seen, self._version = self.tensor.detach(), self.tensor._version

    def changed(self) -> bool:
        """Raises UsageError for a tensor that cannot take the place of the one that was read."""
        now, seen = self.now(), self._seen
        same = now is self.tensor and now._version == self._version and (
            now.is_meta or now.device == seen.device and now.is_set_to(seen))
        if not same and (now.shape != seen.shape or now.dtype != seen.dtype):
            raise UsageError(f"'{self.name}' of the model has shape {tuple(now.shape)} and type {now.dtype}, but had "
                             f"{tuple(seen.shape)} and {seen.dtype} when the model was compiled: compile it again")
        if self._first is not None and now is not self._first:
            raise UsageError(f"'{self.name}' of the model is another tensor than the optimizer has: make the optimizer and "
                             "the step again")
        for d, leaf in self._places[1:]:
            other = d.get(leaf)
            if isinstance(other, torch.Tensor) and other is not now and not other.is_set_to(now):
                raise UsageError(f"'{self.name}' of the model was tied to a '{leaf}' when the model was compiled, and is "
                                 "another tensor now: tie them, or compile it again")
        return not same


def watch(model: torch.nn.Module, wanted: Sequence[tuple[str, torch.Tensor]], optimized: Sequence[Any] = ()) -> list[Watched]:
    """The tensors of a model, by their names; constants that torch.export named have none in the model."""
    places: dict[int, list[tuple[Any, str]]] = {}
    for module in model.modules():
        for d in (module._parameters, module._buffers, module.__dict__):
            for leaf, tensor in d.items():
                if isinstance(tensor, torch.Tensor):
                    places.setdefault(id(tensor), []).append((d, leaf))
    known = {id(p) for p in optimized}
    return [Watched(name, t, () if t.is_meta else places.get(id(t), ()), id(t) in known) for name, t in wanted]
