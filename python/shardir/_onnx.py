"""From ONNX to linalg on tensors, by torch-mlir."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper, version_converter
from torch_mlir import ir, passmanager
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras import onnx_importer

from ._errors import CompileError, Diagnostic
from ._mesh import Mesh, in_module

_STEPS = ("builtin.module(torch-onnx-to-torch-backend-pipeline{backend-legal-ops=aten.flatten.using_ints,"
          "aten.unflatten.int})",
          "builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline)")


def to_linalg(path: str | os.PathLike, mesh: Mesh | None, smallest: int) -> tuple[str, dict[str, np.ndarray]]:
    """The text of a program whose function @main has the graph's inputs as arguments, then its constants of more
    than `smallest` bytes, and those constants by name. Raises CompileError for what is not supported."""
    try:
        model = onnx.load(os.fspath(path))
        if not model.graph.node and not model.graph.output:
            raise ValueError("it has no graph")
        weights = _take_weights(model.graph, smallest)
        model = _with_shapes(model)
        _refuse_misread(model.graph)
    except CompileError:
        raise
    except Exception as error:  # protobuf's and onnx's own exceptions have no common base
        raise CompileError(f"'{path}' is not read as ONNX: {_first_line(error)}") from None
    context = ir.Context()
    torch_dialect.register_dialect(context)
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context).operation
    try:
        onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    except (onnx_importer.OnnxImportError, NotImplementedError, ValueError, KeyError, TypeError) as error:
        raise CompileError(f"torch-mlir does not read the ONNX graph: {_first_line(error)}") from None
    for step in _STEPS:
        _run(module, step)
    with context, ir.Location.unknown(context):
        functions = [op.operation for op in module.regions[0].blocks[0].operations if op.operation.name == "func.func"]
        main = next(f for f in functions if ir.StringAttr(f.attributes["sym_name"]).value == model.graph.name)
        main.attributes["sym_name"] = ir.StringAttr.get("main")
        for name in [n for n in _attribute_names(main) if n.startswith("torch.")]:
            del main.attributes[name]
        main.attributes["arg_attrs"] = _names(info.main_graph.input_map)
        main.attributes["res_attrs"] = _names(o.name for o in model.graph.output)
        generic = "tm_tensor." in module.get_asm(large_elements_limit=4)
        text = module.get_asm(enable_debug_info=True, print_generic_op_form=generic)
    return in_module(text, mesh.declaration()) if mesh else text, weights


def _with_shapes(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the shapes of its values. What has none is read as a scalar: newer versions of ops tell more."""
    found = onnx.shape_inference.infer_shapes(model, data_prop=True)
    known = {value.name for value in (*found.graph.value_info, *found.graph.output) if value.type.tensor_type.HasField("shape")}
    version = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 17)
    if version >= 17 or all(name in known for node in model.graph.node for name in node.output if name):
        return found
    try:
        return onnx.shape_inference.infer_shapes(version_converter.convert_version(model, 17), data_prop=True)
    except Exception:  # the converter's own exceptions: an op that has no newer version stays as it is
        return found


#: Functions of the gates of recurrent nodes that torch-mlir has; it takes others for the usual ones.
_GATES = {"sigmoid", "tanh", "relu"}


def _refuse_misread(graph: onnx.GraphProto) -> None:
    """Raises CompileError for what torch-mlir would read as something else."""
    kinds = {value.name: value.type.tensor_type.elem_type for value in (*graph.input, *graph.value_info)}
    constants = {tensor.name: tensor for tensor in graph.initializer}

    def numbers(name: str) -> np.ndarray | None:
        return numpy_helper.to_array(constants[name]) if name in constants else None

    for node in graph.node:
        options = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        inputs = [*node.input, *[""] * 8]
        said = None
        is_unsigned = kinds.get(inputs[0]) == onnx.TensorProto.UINT8
        if node.op_type in ("LSTM", "GRU", "RNN"):
            others = [gate.decode() for gate in options.get("activations", ()) if gate.decode().lower() not in _GATES]
            if inputs[4]:
                said = "sequence lengths"
            elif node.op_type == "LSTM" and inputs[7]:
                said = "peepholes"
            elif others:
                said = f"activation {others[0]}"
        elif node.op_type == "MaxPool" and len(node.output) > 1:
            said = "indices as a result"
        elif node.op_type in ("MaxPool", "Div", "TopK") and is_unsigned:
            said = "unsigned integers"
        elif node.op_type == "QLinearConv" and (scale := numbers(inputs[4])) is not None and scale.size > 1:
            said = "a scale for each channel"
        elif node.op_type == "AveragePool" and options.get("ceil_mode") and options.get("count_include_pad") and any(
                options.get("pads", ())):
            said = "ceil_mode and padding that counts"
        elif node.op_type == "Pad" and options.get("mode") == b"wrap":
            said = "mode wrap"
        elif node.op_type == "Pad" and (pads := numbers(inputs[1])) is not None and (pads < 0).any():
            said = "negative amounts"
        elif node.op_type == "Reshape" and options.get("allowzero") and (shape := numbers(inputs[1])) is not None and (
                shape == 0).any():
            said = "a dim of no elements"
        elif node.op_type == "FusedMatMul" and options.get("alpha", 1.0) != 1.0:
            said = "alpha"
        if said:
            raise CompileError(f"node '{node.name or node.output[0]}': op {node.op_type} with {said} is not supported")


def _names(names: Any) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.DictAttr.get({"shardir.name": ir.StringAttr.get(name)} if name else {})
                             for name in names])


def _take_weights(graph: onnx.GraphProto, smallest: int) -> dict[str, np.ndarray]:
    """Makes inputs of large initializers and `Constant`s. Small ones stay: the lowering needs the values of shapes,
    axes and the like."""
    found = {}
    for holder, name, tensor in list(_tensors(graph)):
        if int(np.prod(tensor.dims, dtype=np.int64)) * _item_size(tensor) <= smallest:
            continue
        found[name] = numpy_helper.to_array(tensor)
        holder.remove(next(item for item in holder if _name_of(item) == name))
        for declared in [i for i in graph.input if i.name == name]:  # as old exporters write
            graph.input.remove(declared)
        graph.input.append(onnx.helper.make_tensor_value_info(name, tensor.data_type, list(tensor.dims)))
    return found


def _tensors(graph: onnx.GraphProto) -> Iterator[tuple[Any, str, onnx.TensorProto]]:
    for tensor in graph.initializer:
        yield graph.initializer, tensor.name, tensor
    for node in graph.node:
        if node.op_type == "Constant":
            for attribute in node.attribute:
                if attribute.name == "value":
                    yield graph.node, node.output[0], attribute.t


def _name_of(item: Any) -> str:
    return item.name if isinstance(item, onnx.TensorProto) else item.output[0] if item.output else ""


def _item_size(tensor: onnx.TensorProto) -> int:
    if tensor.data_type == onnx.TensorProto.STRING:
        return 0
    return np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)).itemsize


def _run(module: Any, pipeline: str) -> None:
    try:
        with module.context:
            passmanager.PassManager.parse(pipeline).run(module)
    except ir.MLIRError as error:
        said = tuple(Diagnostic("error", f"{_node_of(d.location)}{_reason(module, d)}")
                     for d in error.error_diagnostics)
        message = said[0].message if said else _first_line(error)
        raise CompileError(f"torch-mlir does not lower the ONNX graph: {message}", said) from None


def _node_of(location: Any) -> str:
    name = getattr(location, "name_str", "")
    return f"node '{name}': " if name else ""


def _reason(module: Any, diagnostic: Any) -> str:
    """Names the op of the graph at the diagnostic's place; elsewhere it is the first line of the message."""
    found = []

    def visit(op: Any) -> ir.WalkResult:
        if op.name == "torch.operator" and op.location == diagnostic.location:
            found.append(ir.StringAttr(op.attributes["name"]).value)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if found:
        return f"op {found[0].removeprefix('onnx.')} is not supported"
    return diagnostic.message.partition("\n")[0]


def _attribute_names(op: Any) -> list[str]:
    return [a if isinstance(a, str) else a.name for a in op.attributes]  # the type depends on the version


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
