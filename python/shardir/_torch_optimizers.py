"""What a training step takes from optimizers of PyTorch, and gives back to them."""

from __future__ import annotations

import collections
import contextlib
import copy
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ._errors import UsageError

#: Of a parameter, by its number among those of all groups, and the name of a value.
Key = tuple[int, str]


def trained_by(optimizer: torch.optim.Optimizer) -> list[torch.nn.Parameter]:
    return [p for group in optimizer.param_groups for p in group["params"]]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _tensors(state: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """A parameter's state, with numbers as tensors of one element, which a step can change."""
    found = {}
    for key, value in state.items():
        if isinstance(value, torch.Tensor):
            found[key] = value.detach().clone()
        elif _is_number(value):
            found[key] = torch.tensor(float(value))
    return found


def to_compute_with(key: str, value: torch.Tensor, parameter: torch.Tensor) -> torch.Tensor:
    """A copy of a parameter's state for the optimizer's step: single floats, such as the number of steps, are f64, as
    PyTorch computes with them in Python's floats."""
    single = value.is_floating_point() and value.dim() == 0 and (key == "step" or parameter.dim() > 0)
    return value.detach().to(torch.float64 if single else value.dtype, copy=True)


def _check_numbers(optimizer: torch.optim.Optimizer, states: Sequence[Mapping[str, Any]]) -> None:
    """Of a number that is there after one step it is not known what it was before, but of one."""
    for state in states:
        for key, value in state.items():
            if key != "step" and _is_number(value):
                raise UsageError(f"{type(optimizer).__name__} keeps '{key}' of a parameter as a number; keep it as a tensor, "
                                 "such as torch.tensor(0.0)")


class _HasBegun(Exception):
    """Ends an optimizer's step whose state is complete."""


def initial_state(optimizer: torch.optim.Optimizer) -> dict[int, dict[str, torch.Tensor]]:
    """The state that the optimizer has, or has before its first step, per parameter; by number."""
    parameters = trained_by(optimizer)
    if optimizer.state:
        return {i: _tensors(optimizer.state[p]) for i, p in enumerate(parameters)}
    trial, copies = rebound(optimizer, [p.detach().clone() for p in parameters])
    for p, original in zip(copies, parameters):
        p.grad = torch.zeros_like(p) if original.requires_grad else None
    for group in trial.param_groups:
        if "weight_decay" in group:
            group["weight_decay"] = 0  # the first momentum of SGD has it
    first: dict[Any, dict[str, torch.Tensor]] = {}
    begin = getattr(trial, "_init_group", None)
    if begin is not None:
        is_pytorchs = type(trial).step.__module__.startswith("torch.optim.")

        def init_group(group: Any, *args: Any, **kwargs: Any) -> Any:
            result = begin(group, *args, **kwargs)
            # PyTorch's own optimizers make all of their state here, but for the momentum of SGD.
            if is_pytorchs and all(trial.state[p] for p in group["params"] if p.grad is not None):
                raise _HasBegun
            for p in group["params"]:
                first[p] = _tensors(trial.state[p])
            return result
        trial._init_group = init_group
    for group in trial.param_groups:
        alone, trial.param_groups = trial.param_groups, [group]
        with contextlib.suppress(_HasBegun):
            trial.step()
        trial.param_groups = alone
    _check_numbers(optimizer, [trial.state[p] for p in copies])
    # State that the first step creates is moments, which zero gradients leave at their initial value.
    return {i: {k: first.get(p, {}).get(k, torch.zeros_like(v) if k == "step" else v)
                for k, v in _tensors(trial.state[p]).items()}
            for i, p in enumerate(copies)}


def rebound(optimizer: torch.optim.Optimizer, tensors: Sequence[torch.Tensor]) -> tuple[Any, list[torch.Tensor]]:
    """The optimizer for other parameters, without state and hooks. Schedulers put a `step` of the original into it,
    which is left out."""
    twin = object.__new__(type(optimizer))
    twin.__dict__.update({k: copy.copy(v) for k, v in optimizer.__dict__.items()
                          if k not in ("state", "param_groups", "step") and not k.endswith("_hooks")})
    twin.__setstate__({"state": collections.defaultdict(dict), "param_groups": []})
    left = iter(tensors)
    twin.param_groups = [{**group, "params": [next(left) for _ in group["params"]]}
                         for group in optimizer.param_groups]
    return twin, list(tensors)


def check(optimizer: Any) -> None:
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise UsageError(f"optimizer is a {type(optimizer).__name__}; give one of torch.optim")
    if isinstance(optimizer, torch.optim.LBFGS):
        raise UsageError("LBFGS evaluates the model several times in a step; use SGD, Adam, AdamW or another optimizer "
                         "of one gradient a step")
    for group in optimizer.param_groups:
        if group.get("momentum") and group.get("dampening"):
            raise UsageError("SGD's first step ignores dampening, so it cannot be the same program as the others: "
                             "set dampening=0")


def hyperparameters(optimizer: torch.optim.Optimizer) -> list[dict[str, Any]]:
    """Per group what the program has as constants."""
    return [{k: group[k] for k in optimizer.defaults if k != "lr" and k in group} for group in optimizer.param_groups]


def after_hooks(parameter: torch.nn.Parameter, gradient: torch.Tensor | None) -> torch.Tensor | None:
    """The gradient as the hooks of its parameter make it."""
    for hook in (parameter._backward_hooks or {}).values():
        if gradient is not None:
            changed = hook(gradient)
            gradient = gradient if changed is None else changed
    return gradient


def update(optimizer: torch.optim.Optimizer, twin: torch.optim.Optimizer, clip_grad_norm: float | None) -> None:
    """One step of `twin`, which stands for `optimizer`, with the hooks of that."""
    parameters = trained_by(twin)
    if clip_grad_norm is not None:
        torch.nn.utils.clip_grad_norm_(parameters, clip_grad_norm, foreach=False)
    for hook in optimizer._optimizer_step_pre_hooks.values():
        hook(twin, (), {})
    type(twin).step.__wrapped__(twin) if hasattr(type(twin).step, "__wrapped__") else twin.step()
    for hook in optimizer._optimizer_step_post_hooks.values():
        hook(twin, (), {})


def write_state(optimizer: torch.optim.Optimizer, values: Mapping[Key, torch.Tensor]) -> None:
    """Has the optimizer go on from this state."""
    for (i, key), value in values.items():
        state = optimizer.state[trained_by(optimizer)[i]]
        state[key] = type(state[key])(value.item()) if isinstance(state.get(key), (int, float)) else value


def state_of(optimizer: torch.optim.Optimizer, keys: Sequence[Key]) -> dict[Key, torch.Tensor]:
    """What the optimizer has of `keys`."""
    states = [_tensors(optimizer.state.get(p, {})) for p in trained_by(optimizer)]
    return {(i, key): states[i][key] for i, key in keys if key in states[i]}


def follow(optimizer: torch.optim.Optimizer, owner: Any, changed: Callable[[Any], None]) -> None:
    """While `owner`, which has the optimizer's state on its devices, is there: calls `changed(owner)` after the optimizer
    loads a state, and warns where it gives one away that `owner.stale` says it does not have."""
    known = weakref.ref(owner)

    def saves(_: Any) -> None:
        step = known()
        if step is not None and step.stale:
            warnings.warn("the optimizer's state is on the devices, and this one is as before the training: "
                          "step.copy_to(model, optimizer) brings it, step.save(folder) writes it", stacklevel=5)

    def loaded(_: Any) -> None:
        step = known()
        if step is not None:
            changed(step)

    optimizer.register_state_dict_pre_hook(saves)
    optimizer.register_load_state_dict_post_hook(loaded)
