"""From graphs of torch.fx to linalg on tensors, by torch-mlir."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch_mlir import ir
from torch_mlir.compiler_utils import OutputType, TorchMlirCompilerError
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_importer import FxImporter
from torch_mlir.fx import _module_lowering
from torch_mlir.passmanager import PassManager

from ._errors import CompileError, Diagnostic
from ._mesh import Mesh, in_module
from ._torch_functions import write_item
from ._torch_views import count_from_start, meta_of_part, read_in_place, split_views

#: Frames that are not the model's.
_NOT_THE_MODELS = (os.path.dirname(torch.__file__) + os.sep, os.path.dirname(os.path.abspath(__file__)) + os.sep)
_ILLEGAL = re.compile(r'name = "torch\.([\w.]+)"')
_FRAME = re.compile(r'File "([^"]+)", line (\d+),')
_WITH_SCALAR = {getattr(getattr(torch.ops.aten, name), overload)
                for name in ("add", "sub", "mul", "remainder", "eq", "ne", "gt", "ge", "lt", "le")
                for overload in ("Scalar", "Tensor")}


def place_of(node: torch.fx.Node) -> tuple[str, str, int]:
    """The module's path, and file and line of the model's innermost code, or of PyTorch's where it has none of its own."""
    trace = node.meta.get("stack_trace") or ""
    frames = _FRAME.findall(trace)
    own = [f for f in frames if not f[0].startswith(_NOT_THE_MODELS)] or frames
    stack = node.meta.get("nn_module_stack") or {}
    path = ""
    for entry in stack.values():
        path = entry[0] if isinstance(entry, tuple) else str(entry)
    path = (node.meta.get("custom") or {}).get("module", path)
    path = re.sub(r"^L\['self'\]\.?", "", path)
    path = re.sub(r"\._modules\['([^']+)'\]", r".\1", path).lstrip(".")
    file, line = own[-1] if own else ("", "0")
    return path, file, int(line)


def phase_of(node: torch.fx.Node) -> str:
    """Of a training step "loss", "backward" or "update"; "" in the model's forward pass."""
    return (node.meta.get("custom") or {}).get("phase", "")


def _location(node: torch.fx.Node, context: ir.Context) -> ir.Location:
    path, file, line = place_of(node)
    location = ir.Location.file(file, line, 0, context=context) if file else ir.Location.unknown(context=context)
    name = ", ".join(filter(None, (path, phase_of(node))))
    return ir.Location.name(name, location, context=context) if path else location


def describe_place(node: torch.fx.Node) -> str:
    path, file, line = place_of(node)
    place = f"{os.path.basename(file)}:{line}" if file else ""
    return f"'{path}' ({place})" if path and place else path or place or node.name


@torch.library.custom_op("shardir::constrain", mutates_args=())
def _constrained(x: torch.Tensor, placement: str) -> torch.Tensor:
    """`x`, placed so: `shardir.constrain` in the program."""
    return x.clone()


def _place_values(graph: torch.fx.Graph, placements: Mapping[torch.fx.Node, str]) -> None:
    for node, placement in placements.items():
        with graph.inserting_after(node):
            placed = graph.call_function(torch.ops.shardir.constrain.default, (node, placement))
        placed.meta = dict(node.meta)
        node.replace_all_uses_with(placed, lambda user, placed=placed: user is not placed)


def _drop_what_is_no_tensor(graph: torch.fx.Graph) -> None:
    """Runtime checks and the like, which have no result and no meaning in linalg."""
    for node in reversed(list(graph.nodes)):
        if node.op == "call_function" and not node.users and (
                any(name in str(node.target) for name in ("assert", "sym_constrain", "_linalg_check_errors"))):
            graph.erase_node(node)


def _import_constants_once(graph: torch.fx.Graph) -> None:
    """One node for each use of a constant: torch-mlir's importer refuses the second use of a node."""
    for node in [n for n in graph.nodes if n.op == "get_attr"]:
        for user in list(node.users)[1:]:
            with graph.inserting_before(user):
                again = graph.get_attr(node.target)
            again.meta = dict(node.meta)
            user.replace_input_with(node, again)


_INSTEAD_OF_SLICES = ("a slice whose start is a tensor n is read by x.index_select(dim, n + torch.arange(count)), and "
                      "written by x.index_copy_ at the same places")


def _refuse_shapes_of_data(graph: torch.fx.Graph) -> None:
    """torch-mlir does not come to an end with some of them."""
    for node in graph.nodes:
        if node.op == "call_function" and isinstance(node.meta.get("val"), torch.Tensor) and free_unbacked_symbols(
                node.meta["val"]):
            _, file, line = place_of(node)
            instead = _INSTEAD_OF_SLICES if node.target is torch.ops.aten.slice.Tensor else \
                "use a mask, as in torch.where(mask, x, 0)"
            message = f"{describe_place(node)} calls {node.target}, whose result's shape depends on data: {instead}"
            raise CompileError(message, (Diagnostic("error", message, file, line),))


def decides_by_values(error: BaseException) -> CompileError | None:
    """For an error of tracing that comes from a branch on a tensor's value, one that names the branch."""
    everything = traceback.extract_tb(error.__traceback__)
    frames = [f for f in everything if not f.filename.startswith((*_NOT_THE_MODELS, "<string>"))]
    if "data-dependent" not in str(error) or not frames:
        return None
    at = frames[-1]
    instead = _INSTEAD_OF_SLICES if any(f.name == write_item.__code__.co_name for f in everything) else "use torch.where"
    message = (f"{os.path.basename(at.filename)}:{at.lineno} decides by the value of a tensor, '{at.line}', which one "
               f"program cannot: {instead}")
    return CompileError(message, (Diagnostic("error", message, at.filename, at.lineno or 0),))


def _use_scalars_of_type(graph: torch.fx.Graph) -> None:
    """Has ops on floats take their scalars as floats: torch-mlir folds `torch.ones(6) == 1` to false, and adds
    2**64 - 1 for -1 where the tensor is a constant. For 8 bits and a number it ends the process: these ops take a tensor,
    and comparisons 32 bits."""
    for node in list(graph.nodes):
        if node.op == "call_function" and node.target in _WITH_SCALAR and type(node.args[1]) is int:
            value = getattr(node.args[0], "meta", {}).get("val")
            if not isinstance(value, torch.Tensor):
                continue
            if value.is_floating_point():
                node.update_arg(1, float(node.args[1]))
            elif value.dtype in (torch.int8, torch.uint8):
                compares = node.meta["val"].dtype == torch.bool
                with graph.inserting_before(node):
                    if compares:
                        other = graph.call_function(torch.ops.aten._to_copy.default, (node.args[0],), {"dtype": torch.int32})
                    else:
                        other = graph.call_function(torch.ops.aten.full.default, ([], node.args[1]), {"dtype": value.dtype})
                other.meta = meta_of_part(node, value.to(torch.int32) if compares else value.new_empty(()))
                node.update_arg(0 if compares else 1, other)


def to_linalg(module: torch.fx.GraphModule, *, mesh: Mesh | None, arguments: Sequence[str | None],
              results: Sequence[str | None], aliases: Mapping[int, int], constraints: Mapping[torch.fx.Node, str],
              seed: int, names: Mapping[int, str] = {}, result_names: Mapping[int, str] = {}) -> str:
    """The text of a program whose function @main has the graph's placeholders as arguments.

    arguments, results: placement attributes, None where open. aliases: results by number, that are
    written into an argument's memory and placed as it is. constraints: placement attributes of nodes' values. seed: of random numbers.
    names, result_names: of arguments and results in files, by number.
    Raises CompileError that names the module whose op is not supported.
    """
    _place_values(module.graph, constraints)
    _drop_what_is_no_tensor(module.graph)
    _refuse_shapes_of_data(module.graph)
    _use_scalars_of_type(module.graph)
    read_in_place(module.graph)
    count_from_start(module.graph)
    split_views(module.graph)
    _import_constants_once(module.graph)
    context = ir.Context()
    context.allow_unregistered_dialects = True
    torch_dialect.register_dialect(context)
    importer = FxImporter(context=context)
    class Places(type(importer._cc)):
        __slots__ = ()

        def get_node_location(self, node: torch.fx.Node) -> ir.Location:
            return _location(node, context)

    importer._cc.__class__ = Places
    said: list[str] = []
    try:
        importer.import_graph_module(module, func_name="main")
        main = importer.module.body.operations[0]
        with context:
            # torch.export takes an open extent for another one than 1: where it is equal to itself, nothing is broadcast.
            main.attributes["torch.assume_strict_symbolic_shapes"] = ir.UnitAttr.get()
            handler = context.attach_diagnostic_handler(lambda d: said.append(_diagnostic(d)) or True)
            try:
                hidden = _hide_own_ops(importer.module)
                _module_lowering(False, False, OutputType.TORCH if hidden else OutputType.LINALG_ON_TENSORS,
                                 importer.module)
                if hidden:
                    _lower_around(importer.module)
                    _show_own_ops(importer.module, hidden)
            finally:
                handler.detach()
    except TorchMlirCompilerError as error:
        raise _unsupported(module.graph, said or [str(error)], _left(importer.module.operation)) from None
    except (NotImplementedError, TypeError, ValueError, RuntimeError, KeyError, AssertionError) as error:
        raise _unsupported(module.graph, [str(error)]) from error
    with context:
        function = next(op for op in importer.module.body.operations if op.operation.name == "func.func"
                        and ir.StringAttr(op.attributes["sym_name"]).value == "main")
        function.attributes["arg_attrs"] = _attributes(arguments, names, extents=_equal_extents(module.graph))
        function.attributes["res_attrs"] = _attributes(results, result_names, aliases)
        generic = "tm_tensor." in importer.module.operation.get_asm(large_elements_limit=4)
        text = importer.module.operation.get_asm(enable_debug_info=True, print_generic_op_form=generic)
    if mesh is not None:
        text = in_module(text, mesh.declaration())
    # torch-mlir keeps the state of its random numbers in a global of this name.
    return re.sub(r"(@global_seed\(dense<)0(>)", rf"\g<1>{seed}\g<2>", text) if seed else text


def _walk(op: Any) -> list[Any]:
    """All ops below `op`, inner ones first."""
    found = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                found += _walk(inner.operation)
                found.append(inner.operation)
    return found


def _hide_own_ops(module: Any) -> dict[str, list[Any]]:
    """ShardIR's ops as calls, which torch-mlir leaves alone: by callee the op's name, and its numbers and strings."""
    callees: dict[Any, str] = {}
    hidden: dict[str, list[Any]] = {}
    for op in _walk(module.operation):
        name = op.name == "torch.operator" and ir.StringAttr(op.attributes["name"]).value
        if name not in _OWN_OPS:
            continue
        owners = [None if isinstance(o.owner, ir.Block) else o.owner.operation for o in op.operands]
        constants = [by.attributes["value"] for by in owners if by is not None and by.name in _CONSTANTS]
        tensors = [o for o, by in zip(op.operands, owners) if by is None or by.name not in _CONSTANTS]
        kind, loc = ir.FunctionType.get([t.type for t in tensors], [op.results[0].type]), op.location
        key = (name, kind, *constants)
        if key not in callees:
            callees[key] = callee = f"shardir_op_{len(callees)}"
            hidden[callee] = [name, *constants]
            ir.Operation.create("func.func", [], [], {
                "sym_name": ir.StringAttr.get(callee), "sym_visibility": ir.StringAttr.get("private"),
                "function_type": ir.TypeAttr.get(kind)}, regions=1, loc=loc,
                ip=ir.InsertionPoint.at_block_begin(module.body))
        call = ir.Operation.create("func.call", kind.results, tensors,
                                   {"callee": ir.FlatSymbolRefAttr.get(callees[key])}, loc=loc,
                                   ip=ir.InsertionPoint(op))
        op.results[0].replace_all_uses_with(call.result)
        op.erase()
    return hidden


def _lower_around(module: ir.Module) -> None:
    """torch-mlir's pipeline without its last check, which refuses calls."""
    pipeline = str(PassManager.parse("builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline)"))
    pipeline = re.sub(r",\s*torch-verify-linalg-on-tensors-backend-contract", "", pipeline.removeprefix("pass-pipeline="))
    try:
        PassManager.parse(pipeline).run(module.operation)
    except ir.MLIRError as error:
        raise TorchMlirCompilerError(str(error)) from None
    left = _left(module.operation)
    if left:
        raise TorchMlirCompilerError(f"failed to legalize operation '{left[0]}'")


def _barrier(call: Any) -> Any:
    return ir.Operation.create("shardir.optimization_barrier", [call.results[0].type], [call.operands[0]],
                               loc=call.location, ip=ir.InsertionPoint(call))


def _scatter(call: Any, dim: ir.Attribute, combiner: ir.Attribute) -> Any:
    x, indices, updates = call.operands
    along, name = ir.IntegerAttr(dim).value, ir.StringAttr(combiner).value
    rank = ir.RankedTensorType(x.type).rank
    others = [d for d in range(rank) if d != along] if ir.RankedTensorType(indices.type).rank > 2 else []
    scatter = ir.Operation.create("shardir.scatter", [x.type], [updates, indices, x], {
        "index_dims": ir.DenseI64ArrayAttr.get([along]), "batch_dims": ir.DenseI64ArrayAttr.get(others)}, regions=1,
        loc=call.location, ip=ir.InsertionPoint(call))
    element = x.type.element_type
    body = ir.Block.create_at_start(scatter.regions[0], [element, element], [call.location] * 2)
    new, old = body.arguments
    with ir.InsertionPoint(body), call.location:
        value = ir.Operation.create(name, [element], [old, new]).result if name else new
        ir.Operation.create("shardir.yield", [], [value])
    return scatter


def _constrain(call: Any, placement: ir.Attribute) -> Any:
    return ir.Operation.create("shardir.constrain", [call.results[0].type], [call.operands[0]],
                               {"placement": ir.Attribute.parse(ir.StringAttr(placement).value)}, loc=call.location,
                               ip=ir.InsertionPoint(call))


_CONSTANTS = {"torch.constant.int", "torch.constant.str"}
#: Ops that the program has as ShardIR's own.
_OWN_OPS = {"torch.shardir.optimization_barrier": _barrier, "torch.shardir.scatter": _scatter,
            "torch.shardir.constrain": _constrain}


def _show_own_ops(module: Any, hidden: Mapping[str, Sequence[Any]]) -> None:
    for op in _walk(module.operation):
        callee = op.name == "func.call" and ir.FlatSymbolRefAttr(op.attributes["callee"]).value
        if callee in hidden:
            name, *constants = hidden[callee]
            op.results[0].replace_all_uses_with(_OWN_OPS[name](op, *constants).result)
            op.erase()
    for op in list(module.body.operations):
        if ir.StringAttr(op.attributes["sym_name"]).value in hidden:
            op.operation.erase()


def _diagnostic(diagnostic: Any) -> str:
    return f"{diagnostic.location}: {diagnostic.message}"


def _equal_extents(graph: torch.fx.Graph) -> dict[int, str]:
    """Attributes of inputs, by number, that have an open extent of an input before them."""
    first: dict[Any, str] = {}
    attributes = {}
    for i, node in enumerate(graph.find_nodes(op="placeholder")):
        dims = []
        for d, extent in enumerate(node.meta["val"].shape if isinstance(node.meta.get("val"), torch.Tensor) else ()):
            is_symbol = isinstance(extent, torch.SymInt) and extent.node.expr.is_Symbol
            own = f"[{i}, {d}]"
            other = first.setdefault(extent.node.expr, own) if is_symbol else own
            dims.append("unit" if other == own else other)
        if any(other != "unit" for other in dims):
            attributes[i] = f"[{', '.join(dims)}]"
    return attributes


def _attributes(placements: Sequence[str | None], names: Mapping[int, str], aliases: Mapping[int, int] = {},
                extents: Mapping[int, str] = {}) -> ir.ArrayAttr:
    dictionaries = []
    for i, placement in enumerate(placements):
        entries: dict[str, ir.Attribute] = {}
        if i in aliases:
            entries["shardir.alias"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), aliases[i])
            entries["shardir.in_place"] = ir.UnitAttr.get()
        elif placement:
            entries["shardir.placement"] = ir.Attribute.parse(placement)
        if i in extents:
            entries["shardir.extents"] = ir.Attribute.parse(extents[i])
        if i in names:
            entries["shardir.name"] = ir.StringAttr.get(names[i])
        dictionaries.append(ir.DictAttr.get(entries))
    return ir.ArrayAttr.get(dictionaries)


def _left(op: Any) -> list[str]:
    """The ops of PyTorch that a failed lowering left."""
    found = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                if re.match(r"torch\.(aten|prims)\.", inner.operation.name):
                    found.append(inner.operation.name)
                found += _left(inner.operation)
    return found


def _unsupported(graph: torch.fx.Graph, messages: Sequence[str], left: Sequence[str] = ()) -> CompileError:
    """One error that names the op and the module that calls it."""
    text = "\n".join(messages)
    said = _ILLEGAL.findall(text) + re.findall(r"operation 'torch\.((?:aten|prims)\.[\w.]+)'", text)
    for names in (said, [] if said else [name[len("torch."):] for name in left]):
        for node in graph.nodes:
            target = str(node.target)
            if node.op != "call_function" or not any(target == n or target.startswith(n + ".") for n in names):
                continue
            _, file, line = place_of(node)
            message = f"{describe_place(node)} calls {target}, which torch-mlir does not lower"
            return CompileError(message, (Diagnostic("error", message, file, line),))
    first = next((m for m in text.splitlines() if "error" in m or m.strip()), "unknown")
    way_out = "; compute with the real and the imaginary parts of complex numbers" if "complex" in text else ""
    message = f"torch-mlir does not lower the model: {first.strip()}{way_out}"
    return CompileError(message, (Diagnostic("error", message),))
