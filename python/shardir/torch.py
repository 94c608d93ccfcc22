"""PyTorch models on meshes of devices.

    import shardir.torch
    from shardir.torch import ColwiseParallel, RowwiseParallel, Replicate, Shard
    f = shardir.torch.compile(model, args=(ids,), mesh={"dp": 2, "tp": 2},
                              plan={"layers.*.q_proj": ColwiseParallel(), "layers.*.o_proj": RowwiseParallel()},
                              inputs=[[Shard(0), Replicate()]])
    y = f(ids)

Plans are spelled as in `torch.distributed.tensor`, whose classes are taken as they are; its
`DeviceMesh` and `DTensor` are too. `train_step` compiles a full training step.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Mapping, Sequence
from typing import Any

try:
    import torch
    import torch.utils._pytree as pytree
    import torch_mlir  # noqa: F401
    from torch.distributed.tensor import Partial, Replicate, Shard
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        PrepareModuleInput,
        PrepareModuleOutput,
        RowwiseParallel,
        SequenceParallel,
    )
    from torch.export.graph_signature import InputKind, OutputKind
except ImportError as _error:
    raise ImportError(f"shardir.torch needs PyTorch and torch-mlir ({_error}): pip install 'shardir[torch]'") from None

from ._dynamic import Guards
from ._errors import CompileError, Error, UsageError
from ._mesh import Mesh, is_placement, near, placement_attribute
from ._plan import Resolved, resolve
from ._program import Local, Program
from ._program import compile as _compile_text
from ._torch_experts import leave_experts_unsorted
from ._torch_lower import decides_by_values, describe_place, phase_of, place_of, to_linalg
from ._torch_ops import decompositions, portable_kernels
from ._torch_tensors import Watched, apart, as_tensor, copy_into, on_host, tensors_of, unwrapped, watch

__all__ = ["CompiledModel", "ColwiseParallel", "Partial", "PrepareModuleInput", "PrepareModuleOutput", "Replicate",
           "RowwiseParallel", "SequenceParallel", "Shard", "TrainStep", "compile", "train_step"]


def _distribute(program: Program, i: int, value: torch.Tensor | Local, name: str, into: Any = None) -> Any:
    """The shards of argument `i`, in the memory of `into` where shapes are the same. Errors call the input `name`."""
    try:
        value = Local(on_host(value.array), value.shape) if isinstance(value, Local) else on_host(value)
        return program._distribute(i, value, into)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None


def _is_dtensor(tensor: Any) -> bool:
    return type(tensor).__name__ == "DTensor" and hasattr(tensor, "placements")


def _without_dtensors(model: torch.nn.Module, mesh: Mesh) -> tuple[torch.nn.Module, dict[str, str]]:
    """The model with full tensors in the place of its DTensors, and their placements."""
    found: dict[str, str] = {}
    for name, tensor in tensors_of(model).items():
        data = tensor.data if _is_dtensor(getattr(tensor, "data", None)) else tensor
        if _is_dtensor(data):
            found[name] = placement_attribute(mesh, data.placements, data.dim(), f"parameter '{name}'")
    if not found:
        return model, found
    import copy
    memo: dict[int, Any] = {}
    for tensor in tensors_of(model).values():
        if _is_dtensor(tensor) or _is_dtensor(tensor.data):
            whole = tensor.full_tensor().detach()
            memo[id(tensor)] = torch.nn.Parameter(whole, tensor.requires_grad) if isinstance(
                tensor, torch.nn.Parameter) else whole
    return copy.deepcopy(model, memo), found


def _one_per(values: Any, count: int, what: str, names: Sequence[str] = ()) -> list[Any]:
    """Placements of inputs or outputs in order, filled up with None; given in order, or by name where there are names."""
    if values is None:
        return [None] * count
    if names and isinstance(values, Mapping):
        for name in values:
            if name not in names:
                raise UsageError(f"{what} names '{name}', but the model's are {', '.join(names)}{near(name, names)}")
        return [values.get(name) for name in names]
    if not isinstance(values, (list, tuple)):
        raise UsageError(f"{what} must be a list with the placements of each tensor, as in [[Shard(0), Replicate()]], "
                         f"not {values!r}")
    values = list(values)
    if len(values) > count:
        nested = f"; for one tensor on {len(values)} axes write [{values}]" if all(map(is_placement, values)) else ""
        tensors = "is 1 tensor" if count == 1 else f"are {count} tensors"
        raise UsageError(f"{what} has {len(values)} placements, but there {tensors}{nested}")
    return values + [None] * (count - len(values))


class _Resident:
    """A tensor of the model that stays on the devices."""

    def __init__(self, program: Program, index: int, watched: Watched):
        self.program, self.index, self.watched = program, index, watched
        self.shape = watched.tensor.shape
        self.shards = program._entry.distribute(index, on_host(watched.tensor))

    def refresh(self) -> None:
        """Takes what the model's tensor has since."""
        if self.watched.changed():
            self.shards = self.program._entry.distribute(self.index, on_host(self.watched.now()))
            self.watched.take()

    def read(self) -> torch.Tensor:
        return self.program._entry.collect(False, self.index, self.shards, "torch")


class CompiledModel:
    """A model that runs on the mesh; made by `compile`. Called like the model.

    Parameters and buffers stay on the devices between calls. Writes into the model's own tensors that PyTorch
    counts, and other tensors in their place, are seen by the next call; what calls write into buffers (a cache,
    running statistics) stays on the devices until `copy_to` brings it back. `program` is the compiled `shardir.Program`.
    """

    def __init__(self, program: Program, exported: Any, model: torch.nn.Module, source: str):
        self.program = program
        #: The program's MLIR text as it was compiled.
        self.mlir = source
        # Each read of these properties of the exported program builds another one.
        self._in_spec, self._out_spec = exported.call_spec.in_spec, exported.call_spec.out_spec
        self._signature = inspect.signature(model.forward)
        self._only_tensors = self._in_spec == pytree.tree_flatten(
            ((torch.empty(0),) * self._in_spec.num_leaves, {}))[1]
        signature = exported.graph_signature
        tensors = tensors_of(model)
        constants = {**exported.constants, **exported.state_dict}
        own: list[tuple[int, str, torch.Tensor]] = []
        self._by_target: dict[str, int] = {}
        self._inputs: list[tuple[int, int]] = []  # (flat input, argument)
        self._names: dict[int, str] = {}  # of inputs, by argument
        self._fixed: list[tuple[int, Any]] = []
        argument = flat = 0
        for spec in signature.input_specs:
            if spec.kind == InputKind.USER_INPUT:
                if hasattr(spec.arg, "value") and not _is_tensor_argument(spec.arg):
                    self._fixed.append((flat, spec.arg.value))
                else:
                    self._inputs.append((flat, argument))
                    self._names[argument] = spec.arg.name
                    argument += 1
                flat += 1
                continue
            tensor = tensors.get(spec.target)
            if tensor is None:
                tensor = constants[spec.target]
            own.append((argument, spec.target, tensor))
            self._by_target[spec.target] = argument
            argument += 1
        watched = watch(model, [(name, tensor) for _, name, tensor in own])
        self._residents = {i: _Resident(program, i, w) for (i, _, _), w in zip(own, watched)}
        self._flat = flat
        self._outputs = list(signature.output_specs)
        values = {n.name: n.meta.get("val") for n in exported.graph.nodes if n.op == "placeholder"}
        found = [(i, d, extent) for i, name in self._names.items()
                 for d, extent in enumerate(getattr(values[name], "shape", ())) if isinstance(extent, torch.SymInt)]
        self._open = [(i, d) for i, d, _ in found]
        self._guards = Guards([extent for _, _, extent in found], [f"{self._names[i]}.shape[{d}]" for i, d in self._open])
        self._given: dict[int, Any] = {}
        self._user_inputs = [s.arg.name for s in signature.input_specs if s.kind == InputKind.USER_INPUT
                             and _is_tensor_argument(s.arg)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._only_tensors and not kwargs and len(args) == self._flat and all(
                isinstance(a, torch.Tensor) for a in args):
            flat = list(args)
        else:
            flat = self._in_order(args, kwargs)
        for position, value in self._fixed:
            if flat[position] != value:
                raise UsageError(f"input {position} was {value!r} when the model was compiled and is "
                                 f"{flat[position]!r} now: compile it again for other values")
        program, entry = self.program, self.program._entry
        shards: list[Any] = [None] * len(program.arguments)
        shapes: list[Any] = [None] * len(program.arguments)
        given: dict[int, Any] = {}
        for i, resident in self._residents.items():
            resident.refresh()
            shards[i], shapes[i] = resident.shards, resident.shape
        for position, i in self._inputs:
            value = flat[position]
            if not isinstance(value, (torch.Tensor, Local)):
                value = as_tensor(value, f"input '{self._names[i]}'")
            expected = program.arguments[i].shape
            if len(expected) != len(value.shape) or any(e not in (-1, n) for e, n in zip(expected, value.shape)):
                raise UsageError(f"input '{self._names[i]}' has shape {tuple(value.shape)}, but the model was compiled "
                                 f"for {tuple('any' if e < 0 else e for e in expected)}")
            shapes[i] = value.shape
            # Into the memory of an earlier call that has ended, where the shape is the same.
            shards[i] = given[i] = _distribute(program, i, value, f"input '{self._names[i]}'", self._given.pop(i, None))
        self._guards.check([shapes[i][d] for i, d in self._open])
        whole = None
        if program._dynamic:
            whole = program._result_shapes([_Shaped(s) for s in shapes])
        made = entry.run_shards(shards, whole)
        outputs, result = [], 0
        for out in self._outputs:
            if not _is_tensor_argument(out.arg):
                outputs.append(getattr(out.arg, "value", None))
                continue
            value = made[result]
            if out.kind in (OutputKind.BUFFER_MUTATION, getattr(OutputKind, "PARAMETER_MUTATION", None)):
                pass  # written in place
            elif out.kind == OutputKind.USER_INPUT_MUTATION:
                position, i = self._inputs[self._user_inputs.index(out.target)]
                with torch.no_grad():
                    flat[position].copy_(entry.collect(True, result, shards[i], "torch"))
            else:
                outputs.append(entry.collect(True, result, value, "torch", program._unsigned[result]))
            result += 1
        self._given.update(given)
        return outputs[0] if self._out_spec.is_leaf() else pytree.tree_unflatten(outputs, self._out_spec)

    def _in_order(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The inputs as they were given when the model was compiled: dicts by their keys."""
        try:
            from torch.export._tree_utils import reorder_kwargs
            args, kwargs = self._by_position(args, kwargs)
            return self._in_spec.flatten_up_to((tuple(args), reorder_kwargs(dict(kwargs), self._in_spec)))
        except (ImportError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"called with other inputs than the model was compiled for: {error}") from None

    def _by_position(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """Has by position and by keyword what the model was compiled with so. Raises TypeError as the model would."""
        positional, named = self._in_spec.children()
        if len(args) == positional.num_children and set(kwargs) == set(named.context):
            return args, kwargs
        bound = self._signature.bind(*args, **kwargs)
        given = set(bound.arguments)
        bound.apply_defaults()
        first: list[Any] = []
        others: dict[str, Any] = {}
        for name, parameter in self._signature.parameters.items():
            value = bound.arguments[name]
            if parameter.kind == parameter.VAR_POSITIONAL:
                first += value
            elif parameter.kind == parameter.VAR_KEYWORD:
                others.update(value)
            elif parameter.kind != parameter.KEYWORD_ONLY and len(first) < positional.num_children:
                first.append(value)
            elif name in given or name in named.context:
                others[name] = value
        if extra := sorted(set(others) - set(named.context)):
            raise TypeError(f"it had no '{extra[0]}'")
        return first, others

    def verify(self, *args: Any, tolerance: float | None = None, **kwargs: Any) -> None:
        """Compares the sharded program with the unsharded one on these inputs and the model's present
        parameters; raises VerifyError where they differ."""
        flat = self._in_order(args, kwargs)
        arrays: list[Any] = [None] * len(self.program.arguments)
        for i, resident in self._residents.items():
            arrays[i] = resident.read()
        for position, i in self._inputs:
            value = flat[position]
            arrays[i] = value if isinstance(value, Local) else as_tensor(value, f"input '{self._names[i]}'")
        self.program.verify(*arrays, tolerance=tolerance)

    def copy_to(self, model: torch.nn.Module) -> None:
        """Writes the parameters and buffers as they are on the devices into a model of the same kind."""
        copy_into(model, {name: self._residents[i].read() for name, i in self._by_target.items()})
        tensors = tensors_of(model)
        for name, i in self._by_target.items():
            if tensors.get(name) is self._residents[i].watched.now():
                self._residents[i].watched.take()

    @property
    def report(self) -> Any:
        return self.program.report

    def __repr__(self) -> str:
        return f"<shardir.torch.CompiledModel of {self.program!r}>"


class _Shaped:
    def __init__(self, shape: Sequence[int]):
        self.shape = tuple(shape)


def _is_tensor_argument(argument: Any) -> bool:
    return type(argument).__name__ == "TensorArgument"


def compile(model: torch.nn.Module, args: Sequence[Any] = (), *, mesh: Any, plan: Any = None,
            kwargs: Mapping[str, Any] | None = None, inputs: Any = None, outputs: Any = None, options: str = "",
            device: str = "threads", dynamic_shapes: Any = None, strict: bool = False, seed: int = 0,
            timeout: float = 60, reductions: str = "engine") -> CompiledModel:
    """Compiles a model for a mesh.

    args, kwargs: example inputs; shapes and types count, and what is no tensor is fixed.
    mesh: a `shardir.Mesh`, a dict of axis sizes, or a DeviceMesh.
    plan: from patterns (`*` is one part of a name, `**` any number) over modules to parallel styles, or
        over parameters and buffers to placements, one per mesh axis; the first that matches counts, what
        none names is open. "auto" lets the compiler propose placements.
    inputs, outputs: placements of the inputs and outputs in order, one per mesh axis each, None where open;
        of inputs also by name: {"input_ids": [Shard(0), Replicate()]}.
    options, device, timeout, reductions: as for `shardir.compile`.
    dynamic_shapes: as for torch.export: {"ids": {0: torch.export.Dim("batch")}}.
    seed: of random numbers, as dropout draws. Every call draws new numbers; the sequence is the same on every mesh.

    Raises UsageError for a plan or placements that do not fit, CompileError where the model cannot be
    exported, lowered or compiled; both name the module.
    """
    mesh = Mesh.of(mesh)
    if isinstance(args, torch.Tensor):
        args = (args,)
    model = unwrapped(model)
    check_inputs(model, tuple(args), dict(kwargs or {}), "args and kwargs do not fit")
    model, given = _without_dtensors(model, mesh)
    plan, options = _split_auto(plan, options)
    tensors = tensors_of(model)
    resolved = resolve(plan, dict(model.named_modules(remove_duplicate=False)), tensors, mesh)
    resolved.parameters.update(given)
    exported = _export(model, *apart((tuple(args), dict(kwargs or {}))), dynamic_shapes, strict)
    text, unsigned = _lower_exported(exported, mesh, resolved, tensors, inputs, outputs, seed)
    program = _compile_program(text, options, device, timeout, reductions, exported.graph)
    program._unsigned = unsigned
    return CompiledModel(program, exported, model, text)


def check_inputs(model: torch.nn.Module, args: tuple, kwargs: dict, what: str) -> None:
    """Raises UsageError, which begins with `what`, unless the model's forward takes such arguments."""
    if model._forward_pre_hooks:
        return  # these may give others
    try:
        inspect.signature(model.forward).bind(*args, **kwargs)
    except TypeError as error:
        raise UsageError(f"{what} {type(model).__name__}.forward: {error}; give example inputs") from None


def _split_auto(plan: Any, options: str) -> tuple[Any, str]:
    if plan == "auto":
        return None, f"{options} propose".strip()
    if isinstance(plan, str):
        raise UsageError(f"plan is {plan!r}; give a dict, or \"auto\"")
    return plan, options


def _register_caches() -> None:
    """Hugging Face's caches may be inputs and outputs: transformers registers them as pytrees for its own exports."""
    if "transformers.cache_utils" not in sys.modules:
        return
    try:
        from transformers.integrations.executorch import register_dynamic_cache_export_support
    except ImportError:
        return
    register_dynamic_cache_export_support()
    from transformers.cache_utils import EncoderDecoderCache
    if EncoderDecoderCache not in pytree.SUPPORTED_NODES:
        names = ("self_attention_cache", "cross_attention_cache")
        pytree.register_pytree_node(
            EncoderDecoderCache, lambda cache: ([getattr(cache, name) for name in names], None),
            lambda caches, _: EncoderDecoderCache(*caches),
            flatten_with_keys_fn=lambda cache: ([(pytree.GetAttrKey(name), getattr(cache, name)) for name in names], None),
            serialized_type_name="transformers.cache_utils.EncoderDecoderCache")


def _export(model: torch.nn.Module, args: tuple, kwargs: dict, dynamic_shapes: Any, strict: bool) -> Any:
    try:
        _register_caches()
        with portable_kernels():
            return _decompose(_exported(model, args, kwargs, dynamic_shapes, strict))
    except Error:
        raise
    except Exception as error:
        if named := decides_by_values(error):
            raise named from error
        hint = "" if strict else " (strict=True traces some models that this does not)"
        raise CompileError(f"torch.export cannot trace {type(model).__name__}: {error}{hint}") from error


def _exported(model: torch.nn.Module, args: tuple, kwargs: dict, dynamic_shapes: Any, strict: bool) -> Any:
    try:
        return torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes, strict=strict)
    except Exception as error:
        if strict or decides_by_values(error):
            raise
        # Gradients that the model itself takes are ops only below autograd: of torch.func, or of torch.autograd.grad.
        own, forward = model.__dict__.get("forward"), model.forward

        @functools.wraps(forward)
        def with_gradients(*args: Any, **kwargs: Any) -> Any:
            with torch.enable_grad():
                return pytree.tree_map_only(torch.Tensor, torch.Tensor.detach, forward(*args, **kwargs))

        for model.forward in (forward, with_gradients):
            try:
                return torch.export._trace._export(model, args, kwargs, dynamic_shapes, strict=False, pre_dispatch=False)
            except Exception:
                continue
            finally:
                del model.forward
                if own is not None:
                    model.forward = own
        raise


def _decompose(exported: Any) -> Any:
    # A call checks its own inputs, and PyTorch cannot trace all of its checks again.
    exported._guards_code = []
    for node in exported.graph.nodes:
        # Decompositions may leave other strides than the traced ones, which views depend on.
        if node.target is torch.ops.aten.view.default:
            node.target = torch.ops.aten.reshape.default
    leave_experts_unsorted(exported.graph)
    return exported.run_decompositions(decompositions())


def lower_saved(exported: Any, mesh: Mesh | None) -> tuple[str, dict[str, torch.Tensor]]:
    """The text of a program that torch.export has saved, and the tensors of its weights by name.

    Arguments are the model's inputs in order, then parameters, buffers and constants; all have names. Results are the
    model's outputs, then buffers that it writes. Raises CompileError where it cannot be lowered.
    """
    exported = _decompose(exported)
    signature, graph = exported.graph_signature, exported.graph
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    both = sorted(zip(signature.input_specs, placeholders), key=lambda b: b[0].kind != InputKind.USER_INPUT)
    anchor = next((n for n in graph.nodes if n.op != "placeholder"))
    for _, node in both:
        anchor.prepend(node)
    signature.input_specs[:] = [spec for spec, _ in both]
    output = next(n for n in graph.nodes if n.op == "output")
    both = sorted(zip(signature.output_specs, output.args[0]), key=lambda b: b[0].kind != OutputKind.USER_OUTPUT)
    output.args = (tuple(value for _, value in both),)
    signature.output_specs[:] = [spec for spec, _ in both]
    text, _ = _lower_exported(exported, mesh, Resolved({}, {}, {}), {}, None, None, 0)
    constants = {**exported.constants, **exported.state_dict}
    return text, {s.target: constants[s.target] for s in signature.input_specs
                  if s.kind != InputKind.USER_INPUT and _is_tensor_argument(s.arg)}


def _lower_exported(exported: Any, mesh: Mesh | None, resolved: Resolved, tensors: Mapping[str, torch.Tensor], inputs: Any,
                    outputs: Any, seed: int) -> tuple[str, list[bool]]:
    """The program's text, and which results are unsigned."""
    signature, graph = exported.graph_signature, exported.graph
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    user = [(s, n) for s, n in zip(signature.input_specs, placeholders)
            if s.kind == InputKind.USER_INPUT and _is_tensor_argument(s.arg)]
    given = _one_per(inputs, len(user), "inputs", [n.name for _, n in user])
    attributes: list[str | None] = []
    number: dict[tuple[bool, str], int] = {}  # of what may be written, by whether it is an input, and its name
    names: dict[int, str] = {}
    aliased = {id(t): n for n, t in tensors.items() if n in resolved.parameters}
    for spec, node in zip(signature.input_specs, placeholders):
        if not _is_tensor_argument(spec.arg):
            if node.users:
                user = next(iter(node.users))
                called = user.args[1] if spec.kind == InputKind.TOKEN and len(user.args) > 1 else user.target
                raise CompileError(f"{describe_place(user)} calls {called}, which has effects other than its result")
            graph.erase_node(node)
            continue
        names[len(attributes)] = spec.target or node.name
        number[spec.target is None, names[len(attributes)]] = len(attributes)
        attribute = resolved.parameters.get(spec.target or "")
        if attribute is None and spec.target in tensors:  # tied to one that the plan names
            attribute = resolved.parameters.get(aliased.get(id(tensors[spec.target]), ""))
        if spec.kind == InputKind.USER_INPUT:
            i = next(k for k, (_, n) in enumerate(user) if n is node)
            if given[i] is not None:
                attribute = placement_attribute(mesh, given[i], node.meta["val"].dim(), f"input '{node.name}'")
        attributes.append(attribute)
    return _finish(exported.graph_module, mesh, resolved, attributes, number, signature.output_specs, outputs, seed,
                   names)


def _finish(module: torch.fx.GraphModule, mesh: Mesh | None, resolved: Resolved, attributes: list[str | None],
            number: Mapping[tuple[bool, str], int], output_specs: Sequence[Any], outputs: Any, seed: int,
            names: Mapping[int, str]) -> tuple[str, list[bool]]:
    graph = module.graph
    output = next(n for n in graph.nodes if n.op == "output")
    values = list(output.args[0]) if isinstance(output.args[0], (list, tuple)) else [output.args[0]]
    kept, results, aliases, unsigned, result_names = [], [], {}, [], {}
    wanted = _one_per(outputs, sum(1 for s in output_specs if s.kind == OutputKind.USER_OUTPUT), "outputs")
    users = 0
    for spec, value in zip(output_specs, values):
        attribute = None
        if spec.kind == OutputKind.USER_OUTPUT:
            placement = wanted[users]
            users += 1
            if _is_tensor_argument(spec.arg) and placement is not None:
                attribute = placement_attribute(mesh, placement, value.meta["val"].dim(), f"output {users - 1}")
        elif (key := (spec.kind == OutputKind.USER_INPUT_MUTATION, spec.target)) in number:
            aliases[len(kept)] = number[key]
            result_names[len(kept)] = spec.target
        if _is_tensor_argument(spec.arg):
            kept.append(value)
            results.append(attribute)
            unsigned.append(value.meta["val"].dtype == torch.uint8)
    output.args = (tuple(kept),)
    module.recompile()
    text = to_linalg(module, mesh=mesh, arguments=attributes, results=results, aliases=aliases,
                     constraints=_output_constraints(graph, resolved, mesh), seed=seed, names=names,
                     result_names=result_names)
    return text, unsigned


def _of_one_axis(attribute: str, axis: str, splits: bool) -> str:
    """A style speaks of one axis: others may split the dims that it does not."""
    attribute = attribute.replace("{}", "{?}")
    return attribute if splits else attribute.removesuffix(">") + f', replicated = ["{axis}"]>'


def _output_constraints(graph: torch.fx.Graph, resolved: Any, mesh: Mesh) -> dict[torch.fx.Node, str]:
    """The placements that styles ask of modules' outputs, by node."""
    constraints = {}
    for path, what in resolved.outputs.items():
        node = _output_of(graph, path)
        if node is None:
            raise UsageError(f"plan: '{path}' computes nothing in this model that could be placed")
        axis, _, dim = what.partition(":")
        entries = [Shard(int(dim)) if dim and a == axis else Replicate() for a in mesh.axes]
        attribute = placement_attribute(mesh, entries, node.meta["val"].dim(), f"output of '{path}'")
        constraints[node] = _of_one_axis(attribute, axis, splits=bool(dim))
    return constraints


def _output_of(graph: torch.fx.Graph, path: str) -> torch.fx.Node | None:
    """The last node of the forward pass that a module computes."""
    found = None
    for node in graph.nodes:
        if phase_of(node):
            break  # checkpoints run modules again
        if node.target is torch.ops.aten.detach.default:  # kept for the backward pass
            continue
        if node.op == "call_function" and place_of(node)[0] == path and isinstance(node.meta.get("val"), torch.Tensor):
            found = node
    return found


def _compile_program(text: str, options: str, device: str, timeout: float, reductions: str,
                     graph: torch.fx.Graph) -> Program:
    try:
        return _compile_text(text, options=options, device=device, timeout=timeout, reductions=reductions)
    except CompileError as error:
        raise _with_modules(error, graph) from None


def _with_modules(error: CompileError, graph: torch.fx.Graph) -> CompileError:
    """The same error, with the modules that the places belong to."""
    paths: dict[tuple[str, int], set[str]] = {}
    for node in graph.nodes:
        path, file, line = place_of(node)
        if path:
            paths.setdefault((file, line), set()).add(path)
    message = str(error)
    for d in error.diagnostics:
        modules = sorted(paths.get((d.file, d.line), ()))
        if modules:
            more = f" and {len(modules) - 1} more" if len(modules) > 1 else ""
            message = f"in '{modules[0]}'{more}: {message}"
            break
    return CompileError(message, error.diagnostics)


from ._train import TrainStep, train_step  # noqa: E402
