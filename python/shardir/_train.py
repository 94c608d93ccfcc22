"""Training steps: forward, backward and optimizer as one program."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
import torch.fx.traceback as fx_traceback
import torch.utils._pytree as pytree
from torch._functorch._aot_autograd.logging_utils import setup_stacktrace_preservation_hooks
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.utils import stateless

from . import _checkpoint
from . import torch as _front
from ._dynamic import DynamicInputs, is_extents
from ._errors import CompileError, Error, UsageError
from ._mesh import Mesh, Replicate, Shard, placement_attribute
from ._plan import resolve
from ._program import Local, Program, in_all_processes
from ._torch_checkpoint import recomputing_apart
from ._torch_experts import leave_experts_unsorted
from ._torch_lower import decides_by_values, to_linalg
from ._torch_optimizers import (Key, after_hooks, check, follow, hyperparameters, initial_state, rebound, state_of,
                                to_compute_with, trained_by, update, write_state)
from ._torch_ops import decompositions, first_decompositions, portable_kernels
from ._torch_tensors import Watched, apart, as_tensor, copy_into, on_host, tensors_of, unwrapped, watch

#: Mesh axes over which batches are split unless `inputs` says otherwise.
_DATA_AXES = ("dp", "data", "fsdp", "batch", "replica")


@contextlib.contextmanager
def _as_if_compiling() -> Iterator[None]:
    """Optimizers keep to tensors where they think that they are compiled."""
    before = torch.compiler._is_compiling_flag
    torch.compiler._is_compiling_flag = True
    try:
        yield
    finally:
        torch.compiler._is_compiling_flag = before


@contextlib.contextmanager
def _module_paths(model: torch.nn.Module) -> Iterator[None]:
    """Has the nodes that are traced meanwhile say which module computes them."""
    handles, entered = [], []

    def enter(path: str) -> Callable:
        def hook(*_: Any) -> None:
            context = fx_traceback.annotate({"module": path, "phase": ""})
            context.__enter__()
            entered.append(context)
        return hook

    def leave(*_: Any) -> None:
        entered.pop().__exit__(None, None, None)

    for path, module in model.named_modules():
        handles.append(module.register_forward_pre_hook(enter(path)))
        handles.append(module.register_forward_hook(leave, always_call=True))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _name_gradients(graph: torch.fx.Graph) -> None:
    """Gives the nodes of the backward pass the places of the forward nodes that they belong to, and the
    optimizer's those of the gradients that they use; and notes which they are of."""
    def take(node: torch.fx.Node, other: torch.fx.Node) -> None:
        phase = (node.meta.get("custom") or {}).get("phase", "backward")
        node.meta["custom"] = {**other.meta["custom"], "phase": phase}
        node.meta["stack_trace"] = other.meta.get("stack_trace")

    def has_place(node: torch.fx.Node) -> bool:
        return "module" in (node.meta.get("custom") or {})

    forward: dict[int, torch.fx.Node] = {}
    for node in graph.nodes:
        number = node.meta.get("seq_nr", -1)
        if has_place(node):
            forward.setdefault(number, node)
        elif node.op == "call_function":
            other = forward.get(number) if number >= 0 else None
            other = other or next((n for n in node.all_input_nodes if has_place(n)), None)
            if other is not None:
                take(node, other)


class TrainStep:
    """A training step on the mesh; made by `train_step`. `loss = step(x, y)`.

    Parameters, buffers and optimizer state stay on the devices between steps. The learning rates
    of the optimizer's groups are read at every step, so schedulers work as they are.
    """

    def __init__(self, program: Program, source: str, optimizer: Any, names: Sequence[str], tensors: Sequence[torch.Tensor],
                 own: Sequence[Watched], keys: Sequence[Key], spec: pytree.TreeSpec, fixed: Mapping[int, Any],
                 named: Sequence[str], dynamic: DynamicInputs | None):
        """Tensors on the meta device have no values until a checkpoint is loaded. The last ones are the optimizer's, of
        `keys`, the others the model's own, which `own` watches. fixed: the inputs that are no tensors, by their places
        among all."""
        self.program = program
        #: The program's MLIR text as it was compiled.
        self.mlir = source
        #: Whether the optimizer lacks the state that is on the devices.
        self.stale = False
        self._optimizer, self._keys, self._spec, self._fixed, self._dynamic = optimizer, keys, spec, fixed, dynamic
        #: The model's tensors, read when they were as on the devices, or before these went on.
        self._own = list(own)
        self._ahead = False
        self._compiled_with = copy.deepcopy(hyperparameters(optimizer))
        self._trained = [(p, p.requires_grad) for p in trained_by(optimizer)]
        self._names, self._named = list(names), list(named)
        self._absent = next((name for name, t in zip(names, tensors) if t.is_meta), None)
        self._state = [None if t.is_meta else program._entry.distribute(i, on_host(t))
                       for i, t in enumerate(tensors)]
        self._saving: _checkpoint.Saving | None = None
        self._given: dict[int, Any] = {}
        self._rate_shards: dict[int, tuple[float, Any]] = {}
        follow(optimizer, self, TrainStep._take_state)

    def __call__(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        """One step; the loss, as PyTorch's would be before it."""
        self._check_values()
        self._check_optimizer()
        self._take_writes()
        if sorted(kwargs) != sorted(self._named):
            raise UsageError(f"the step takes keyword arguments {self._named}, not {list(kwargs)}")
        args = (*args, *(kwargs[name] for name in self._named))
        try:
            flat = self._spec.flatten_up_to(tuple(args))
        except ValueError as error:
            raise UsageError(f"called with other inputs than the step was compiled for: {error}") from None
        for position, value in self._fixed.items():
            if flat[position] != value:
                raise UsageError(f"input {position} was {value!r} when the step was compiled and is {flat[position]!r} now: "
                                 "make it a tensor, or compile the step again")
        flat = [value if isinstance(value, (torch.Tensor, Local)) else as_tensor(value, f"input {position}")
                for position, value in enumerate(flat) if position not in self._fixed]
        if self._dynamic:
            self._dynamic.check(flat)
        entry, n, groups = self.program._entry, len(self._state), self._optimizer.param_groups
        shards = list(self._state)
        for g, group in enumerate(groups):
            shards.append(self._rate(n + g, float(group["lr"])))
        for i, value in enumerate(flat, n + len(groups)):
            # Into the memory of the step before, where the shape is the same.
            self._given[i] = _front._distribute(self.program, i, value, f"input {i - n - len(groups)} of the step",
                                                self._given.get(i))
            shards.append(self._given[i])
        loss = entry.run_shards(shards, None)[0]  # the others are written in place
        self._optimizer._opt_called = True  # schedulers ask
        self.stale, self._ahead = bool(self._keys), True
        return entry.collect(True, 0, loss, "torch")

    def _check_values(self) -> None:
        if self._absent is not None:
            raise UsageError(f"'{self._absent}' has no values, as the model was made on the meta device: load a "
                             "checkpoint first, with load() or load_state_dict()")

    def _take_writes(self) -> None:
        """Has what was written into the model's tensors since."""
        for i, own in enumerate(self._own):
            if not own.changed():
                continue
            if self._ahead:
                raise UsageError(f"'{self._names[i]}' of the model was written, but the step has changed it on the devices "
                                 "since: call copy_to(model) before you write")
            self._state[i] = self.program._entry.distribute(i, on_host(own.now()))
            own.take()

    def _went_on(self) -> None:
        """The devices have what the model's tensors do not."""
        for own in self._own:
            own.take()
        self._absent, self.stale, self._ahead = None, bool(self._keys), True

    def _check_optimizer(self) -> None:
        trained, groups = trained_by(self._optimizer), hyperparameters(self._optimizer)
        if len(groups) != len(self._compiled_with) or len(trained) != len(self._trained):
            raise UsageError(f"the optimizer has {len(trained)} parameters in {len(groups)} groups, but the step was "
                             f"compiled with {len(self._trained)} in {len(self._compiled_with)}: make the step again")
        for (parameter, before), now in zip(self._trained, trained):
            if parameter.requires_grad != before or parameter is not now:
                raise UsageError(f"a parameter of shape {tuple(now.shape)} was " +
                                 ("trained" if before else "frozen") + " when the step was compiled, and is not now: make "
                                 "the step again")
        for i, (now, before) in enumerate(zip(groups, self._compiled_with)):
            for key, value in now.items():
                if value != before[key]:
                    raise UsageError(f"'{key}' of the optimizer's group {i} is {value}, but the step was compiled with "
                                     f"{before[key]}: only 'lr' may change (schedulers that change others have an option "
                                     "for it, such as cycle_momentum=False)")

    def _rate(self, index: int, rate: float) -> Any:
        known = self._rate_shards.get(index)
        if known is None or known[0] != rate:
            known = (rate, self.program._entry.distribute(index, torch.tensor(rate, dtype=torch.float64)))
            self._rate_shards[index] = known
        return known[1]

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Whole tensors by name: the model's own names for parameters and buffers, "optimizer.NAME.KEY" for
        the optimizer's state. Where ranks are processes, all of them call it."""
        self._check_values()
        return {name: self.program._entry.collect(False, i, shards, "torch", self._is_unsigned(i))
                for i, (name, shards) in enumerate(zip(self._names, self._state))}

    def _is_unsigned(self, i: int) -> bool:
        return bool(self.program._unsigned) and self.program._unsigned[self._result_of(i)]

    def _result_of(self, i: int) -> int:
        """The result that is written into argument i."""
        return self.program._in_place.index(i)

    def _check_names(self, shapes: Mapping[str, Sequence[int]]) -> None:
        missing = [n for n in self._names if n not in shapes]
        unknown = [n for n in shapes if n not in self._names]
        if missing or unknown:
            parts = [f"it lacks '{missing[0]}' and {len(missing) - 1} more" for _ in missing[:1]]
            parts += [f"it has '{unknown[0]}' and {len(unknown) - 1} more that are not here" for _ in unknown[:1]]
            raise UsageError("the checkpoint is of another model or optimizer: " + "; ".join(parts))
        for i, name in enumerate(self._names):
            found, expected = tuple(shapes[name]), self.program.arguments[i].shape
            if found != expected:
                raise UsageError(f"'{name}' has shape {found} in the checkpoint, expected {expected}")

    def load_state_dict(self, state: Mapping[str, torch.Tensor]) -> None:
        """Takes full tensors by name. Raises UsageError for names or shapes that differ."""
        self._check_names({name: tensor.shape for name, tensor in state.items()})
        for i, name in enumerate(self._names):
            self._state[i] = self.program._entry.distribute(i, state[name].contiguous())
        self._went_on()

    def _take_state(self) -> None:
        """Has the state that the optimizer has loaded."""
        first = len(self._names) - len(self._keys)
        for key, value in state_of(self._optimizer, self._keys).items():
            i = first + self._keys.index(key)
            self._state[i] = self.program._entry.distribute(i, on_host(value))
        self.stale = False

    def _dtype_of(self, i: int) -> tuple[str, int]:
        """The type of state tensor i in `.safetensors`, and the bytes of an element."""
        name, size = _checkpoint.DTYPES[self.program.arguments[i].element_type]
        return (name.replace("I", "U") if self._is_unsigned(i) else name), size

    def save(self, folder: str | os.PathLike, *, background: bool = False,
             part_bytes: int = 5_000_000_000) -> _checkpoint.Saving:
        """Writes a checkpoint of full tensors, so that it can be loaded on any mesh. Where ranks are processes, all of
        them call it, each writes the elements that its shards hold, and all must see the folder.

        background: writes copies of the shards while steps go on; the checkpoint has its name after `wait()` of what
            is returned, which all processes call. The next save or load waits, too.
        part_bytes: a larger state goes to several files with an index, each of at most as many bytes, or of one
            tensor.

        Raises UsageError in all processes where one cannot write; the checkpoint that was there before then stays.
        """
        self._check_values()
        self._end_save()
        entry = self.program._entry
        entry.begin_save()
        state = [shards.copy() for shards in self._state] if background else self._state
        tensors = [_checkpoint.Named(name, *self._dtype_of(i), self.program.arguments[i].shape)
                   for i, name in enumerate(self._names)]
        groups = [{k: v for k, v in g.items() if isinstance(v, (bool, int, float, str))}
                  for g in self._optimizer.param_groups]
        extra = {"optimizer.json": json.dumps({"optimizer": type(self._optimizer).__name__, "groups": groups})}

        def write(i: int, fd: int, offset: int, path: str) -> None:
            entry.write_shards(self._result_of(i), state[i], fd, offset, path)

        self._saving = _checkpoint.Saving(os.fspath(folder), tensors, write, extra, part_bytes,
                                          *self.program._settings[:2])
        saving = self._saving
        if not background:
            self._end_save()
        return saving

    def _end_save(self) -> None:
        saving, self._saving = self._saving, None
        if saving is not None:
            saving.wait()

    def load(self, folder: str | os.PathLike) -> None:
        """Reads a checkpoint that `save` wrote, on this mesh or another. Learning rates come back too. Where ranks are
        processes, all of them call it, and each reads the elements that its shards hold. Raises UsageError for names,
        types or shapes that differ, and for damaged files, and changes nothing then."""
        self._end_save()
        entry = self.program._entry
        entry.begin_load()
        with in_all_processes(*self.program._settings[:2]):
            found = _checkpoint.stored(os.fspath(folder))
            self._check_names({name: tensor.shape for name, tensor in found.items()})
            for i, name in enumerate(self._names):
                if found[name].dtype != self._dtype_of(i)[0]:
                    raise UsageError(f"'{name}' has type {found[name].dtype} in the checkpoint, "
                                     f"expected {self._dtype_of(i)[0]}")
            state = _checkpoint.read_all(entry, os.fspath(folder), [
                (found[name], self._dtype_of(i)[1]) for i, name in enumerate(self._names)], self.program._settings[0])
            path = os.path.join(folder, "optimizer.json")
            try:
                with open(path, encoding="utf-8") as file:
                    saved = json.load(file)["groups"]
            except (OSError, ValueError, KeyError) as error:
                raise UsageError(f"cannot read '{path}': {error}") from error
        self._state = state
        self._went_on()
        for group, values in zip(self._optimizer.param_groups, saved):
            group["lr"] = values.get("lr", group["lr"])

    def copy_to(self, model: torch.nn.Module, optimizer: torch.optim.Optimizer | None = None) -> None:
        """Writes the parameters and buffers into a model of the same kind, and what is kept of each parameter into an
        optimizer of it. Where ranks are processes, all of them call it."""
        tensors, values = tensors_of(model), self.state_dict()
        copy_into(model, values)
        if all(tensors.get(own.name) is own.now() for own in self._own):
            for own in self._own:
                own.take()
            self._ahead = False
        if optimizer is not None:
            write_state(optimizer, dict(zip(self._keys, list(values.values())[len(values) - len(self._keys):])))
            self.stale &= optimizer is not self._optimizer

    @property
    def report(self) -> Any:
        return self.program.report

    def __repr__(self) -> str:
        return f"<shardir.torch.TrainStep on {self.program.num_ranks} ranks>"


def train_step(model: torch.nn.Module, loss: Callable | None, optimizer: torch.optim.Optimizer, args: Sequence[Any],
               *, mesh: Any, kwargs: Mapping[str, Any] | None = None, plan: Any = None, inputs: Any = None,
               clip_grad_norm: float | None = None, options: str = "", device: str = "threads",
               dynamic_shapes: Sequence[Any] | None = None, seed: int = 0, timeout: float = 60,
               reductions: str = "engine") -> TrainStep:
    """Compiles one training step: `loss(model(*args[:-1], **kwargs), args[-1])`, its gradients, and the optimizer's
    update; with `loss=None` the model's own result, or its result's `loss`, is the loss.

    optimizer: one of torch.optim over the model's parameters, with the state that it has. Hooks of parameters and of
        the optimizer are part of the step.
    args, kwargs: example inputs, the last one of args for the loss; of tensors shapes and types count, numbers and
        others are constants of the step.
    clip_grad_norm: the norm of all gradients that is not exceeded, as of torch.nn.utils.clip_grad_norm_.
    mesh, plan, options, device, seed, timeout, reductions: as for `compile`. What the optimizer keeps of a parameter
        is placed as the parameter.
    inputs: placements of the inputs, those of kwargs last; unless given, dim 0 is split over the mesh axes that are
        called dp, data, fsdp, batch or replica.
    dynamic_shapes: extents that differ from call to call, as for torch.export, one entry per input:
        [{0: batch}, {0: batch}] with batch = torch.export.Dim("batch").

    Raises as `compile` does.
    """
    mesh = Mesh.of(mesh)
    check(optimizer)
    model = unwrapped(model)
    kwargs = dict(kwargs or {})
    if loss is None:
        _front.check_inputs(model, tuple(args), kwargs, "args do not fit")
    else:
        _front.check_inputs(model, tuple(args)[:-1], kwargs,
                            "args, without the last one, which is the loss's target, do not fit")
    plan, options = _front._split_auto(plan, options)
    everything = tensors_of(model)
    resolved = resolve(plan, dict(model.named_modules(remove_duplicate=False)), everything, mesh)
    parameters = dict(model.named_parameters())
    buffers = dict(model.named_buffers())
    names = {id(p): n for n, p in parameters.items()}
    trained = trained_by(optimizer)
    for i, p in enumerate(trained):
        if id(p) not in names:
            raise UsageError(f"the optimizer's parameter {i}, of shape {tuple(p.shape)}, is none of the model's")
    state = initial_state(optimizer)
    state_keys = [(i, k) for i, s in state.items() for k in s]
    leaves, spec = pytree.tree_flatten((*args, *kwargs.values()))
    fixed = {i: leaf for i, leaf in enumerate(leaves) if leaf is None or isinstance(leaf, (bool, int, float, str))}
    flat = apart([as_tensor(leaf, f"input {i}") for i, leaf in enumerate(leaves) if i not in fixed])

    order = list(parameters) + list(buffers)
    tensors = [parameters[n].detach() for n in parameters] + [b.detach() for b in buffers.values()]
    tensors += [state[i][k] for i, k in state_keys]
    all_names = order + [f"optimizer.{names[id(trained[i])]}.{k}" for i, k in state_keys]
    groups = optimizer.param_groups
    rates = [torch.tensor(float(g["lr"]), dtype=torch.float64) for g in groups]

    # Tied tensors have several places; a module that has several names has each of its own once.
    places = {f"{path}.{name}" if path else name: tensor for path, module in model.named_modules()
              for name, tensor in (*module._parameters.items(), *module._buffers.items()) if tensor is not None}
    of_tensor = {id(t): name for name, t in (*parameters.items(), *buffers.items())}

    def in_all_modules(values: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {place: values[of_tensor[id(t)]] for place, t in places.items() if of_tensor[id(t)] in values}

    def step(*values: torch.Tensor) -> list[torch.Tensor]:
        own = dict(zip(order, values))
        given_state = dict(zip(state_keys, values[len(order):]))
        given_rates = values[len(tensors):len(tensors) + len(rates)]
        given = iter(values[len(tensors) + len(rates):])
        inputs_ = pytree.tree_unflatten([fixed[i] if i in fixed else next(given) for i in range(len(leaves))], spec)
        trainable = {n: own[n].detach().requires_grad_(parameters[n].requires_grad) for n in parameters}
        written = {n: own[n].detach().clone() for n in buffers}
        with stateless._reparametrize_module(model, in_all_modules({**trainable, **written})):
            # What no module computes in the forward pass is the loss.
            with fx_traceback.annotate({"phase": "loss"}):
                inputs_, named = inputs_[:len(args)], dict(zip(kwargs, inputs_[len(args):]))
                if loss is None:
                    value = model(*inputs_, **named)
                    value = getattr(value, "loss", value)
                else:
                    value = loss(model(*inputs_[:-1], **named), inputs_[-1])
            trained_names = [names[id(p)] for p in trained]
            setup_stacktrace_preservation_hooks([value.grad_fn])
            needed = [n for n in trained_names if parameters[n].requires_grad]
            # Checkpoints run modules again, with the same parameters.
            gradients = dict(zip(needed, torch.autograd.grad(value, [trainable[n] for n in needed], allow_unused=True)))
        twin, copies = rebound(optimizer, [own[n].detach().clone() for n in trained_names])
        for group, rate in zip(twin.param_groups, given_rates):
            group["lr"] = rate
            group["foreach"] = group["fused"] = False
            if "capturable" in group:
                group["capturable"] = True
        kept = {}
        for i, (leaf, name) in enumerate(zip(copies, trained_names)):
            leaf.grad = after_hooks(parameters[name], gradients.get(name))
            for hook in (parameters[name]._post_accumulate_grad_hooks or {}).values():
                hook(leaf)
            kept[i] = {k: to_compute_with(k, v, leaf) for (j, k), v in given_state.items() if j == i}
            if kept[i]:
                twin.state[leaf] = kept[i]
        new = dict(zip(trained_names, copies))
        with torch.no_grad(), fx_traceback.annotate({"phase": "update"}), stateless._reparametrize_module(
                model, in_all_modules({**new, **written})):
            update(optimizer, twin, clip_grad_norm)
        return ([value.detach()] + [new.get(n, own[n].detach()) for n in parameters]
                + [written[n] for n in buffers] + [kept[i][k].to(given_state[i, k].dtype) for i, k in state_keys])

    # Stand for those without values; memory that nobody touches is not there.
    traced = [torch.empty_like(t, device="cpu") if t.is_meta else t for t in tensors]
    example, mode, dynamic = [*traced, *rates, *flat], "fake", None
    if dynamic_shapes is not None:
        dynamic = DynamicInputs(flat, pytree.tree_leaves(dynamic_shapes, is_leaf=is_extents))
        example, mode = [dynamic.fake(t) for t in [*traced, *rates]] + dynamic.fakes, "symbolic"
    try:
        with _as_if_compiling(), portable_kernels(), fx_traceback.preserve_node_meta(), _module_paths(model), \
                recomputing_apart():
            joint = make_fx(step, decomposition_table=first_decompositions(), tracing_mode=mode,
                            record_stack_traces=True, _allow_non_fake_inputs=True)(*example)
            joint.graph.eliminate_dead_code()
            _name_gradients(joint.graph)
            leave_experts_unsorted(joint.graph)
            # Once more: in-place updates become values, and ops their parts.
            graph = make_fx(torch.func.functionalize(torch.fx.Interpreter(joint).run, remove="mutations_and_views"),
                            decomposition_table=decompositions(), tracing_mode=mode,
                            _allow_non_fake_inputs=True)(*example)
    except Error:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        if "data-dependent" in str(error) and any("torch/optim/" in f.filename for f in frames):
            raise UsageError(f"{type(optimizer).__name__} decides by values of tensors, which one program cannot: use SGD, "
                             "Adam, AdamW or another optimizer") from error
        if named := decides_by_values(error):
            raise named from error
        raise CompileError(f"cannot trace a training step of {type(model).__name__}: {error}") from error
    if dynamic:
        dynamic.finish()
    _views_of_copies(graph.graph)
    graph.graph.eliminate_dead_code()
    graph.recompile()

    attributes: list[str | None] = []
    tied = {id(t): n for n, t in everything.items() if n in resolved.parameters}
    placed = {n: resolved.parameters.get(n) or resolved.parameters.get(tied.get(id(t), ""))
              for n, t in everything.items()}
    attributes += [placed.get(n) for n in order]
    for i, k in state_keys:
        parameter = trained[i]
        same = state[i][k].shape == parameter.shape
        attributes.append(placed.get(names[id(parameter)]) if same else None)
    attributes += [None] * len(rates)
    attributes += _input_placements(mesh, inputs, flat)
    aliases = {1 + i: i for i in range(len(tensors))}
    _keep_arguments(graph)
    text = to_linalg(graph, mesh=mesh, arguments=attributes, results=[None] * (1 + len(tensors)), aliases=aliases,
                     constraints=_front._output_constraints(graph.graph, resolved, mesh), seed=seed,
                     names=dict(enumerate([*all_names, *(f"lr{g}" for g in range(len(rates))),
                                           *(f"input{i}" for i in range(len(flat)))])),
                     result_names=dict(enumerate(["loss", *all_names])))
    program = _front._compile_program(text, options, device, timeout, reductions, graph.graph)
    program._unsigned = [False] + [t.dtype == torch.uint8 for t in tensors]
    own = watch(model, [*parameters.items(), *buffers.items()], trained)
    return TrainStep(program, text, optimizer, all_names, tensors, own, state_keys, spec, fixed, list(kwargs), dynamic)


def _views_of_copies(graph: torch.fx.Graph) -> None:
    """Views in the place of the copies that functionalization makes of them, which torch-mlir lowers."""
    for node in graph.nodes:
        name = getattr(node.target, "_opname", "")
        if name in ("copy_strided", "lift_fresh", "lift_fresh_copy"):  # other strides or owners, the same values
            node.replace_all_uses_with(node.args[0])
            continue
        packet = getattr(torch.ops.aten, name[:-len("_copy")], None) if name.endswith("_copy") else None
        if packet is not None and hasattr(packet, node.target._overloadname):
            node.target = getattr(packet, node.target._overloadname)


def _keep_arguments(graph: torch.fx.GraphModule) -> None:
    """All results are tensors."""
    output = next(n for n in graph.graph.nodes if n.op == "output")
    output.args = (tuple(output.args[0]),)


def _input_placements(mesh: Mesh, inputs: Any, flat: Sequence[torch.Tensor]) -> list[str | None]:
    if inputs is not None:
        given = _front._one_per(inputs, len(flat), "inputs")
        return [None if p is None else placement_attribute(mesh, p, t.dim(), f"input {i}")
                for i, (p, t) in enumerate(zip(given, flat))]
    if not any(axis in _DATA_AXES for axis in mesh.axes):
        return [None] * len(flat)
    return [placement_attribute(mesh, [Shard(0) if axis in _DATA_AXES and t.dim() else Replicate()
                                       for axis in mesh.axes], t.dim(), f"input {i}")
            for i, t in enumerate(flat)]
