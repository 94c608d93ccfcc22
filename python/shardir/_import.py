"""`shard-import`: program files of other frameworks to programs on linalg, with their weights apart."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ._compiler import run_tool, tool
from ._errors import CompileError, Error, UsageError, read_diagnostics
from ._mesh import Mesh, in_module, near

#: Constants of more bytes than this are written to the file of weights.
SMALLEST = 1024

_BYTECODE = b"ML\xefR"
_KINDS = {"torch": "a .pt2 file of torch.export.save", "stablehlo": "StableHLO, text or bytecode",
          "jax": "what jax.export's serialize() returns", "onnx": "ONNX", "tosa": "TOSA, text or bytecode"}

#: NumPy's and PyTorch's names of element types, and those of .safetensors.
_DTYPES = {"bool": "BOOL", "int8": "I8", "uint8": "U8", "int16": "I16", "uint16": "U16", "int32": "I32",
           "uint32": "U32", "int64": "I64", "uint64": "U64", "float16": "F16", "bfloat16": "BF16", "float32": "F32",
           "float64": "F64", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2"}
_MLIR_DTYPES = {"i1": "BOOL", "i8": "I8", "i16": "I16", "i32": "I32", "i64": "I64", "f16": "F16", "bf16": "BF16",
                "f32": "F32", "f64": "F64", "f8E4M3FN": "F8_E4M3", "f8E5M2": "F8_E5M2"}
_SIZES = {"BOOL": 1, "I8": 1, "U8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2, "I32": 4,
          "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8}


@dataclasses.dataclass
class Weight:
    """A tensor as .safetensors stores it."""

    dtype: str
    shape: tuple[int, ...]
    data: Any  # a buffer of bytes

    @classmethod
    def of(cls, name: str, tensor: Any) -> Weight:
        """Of an array of NumPy or a tensor of PyTorch."""
        dtype = str(tensor.dtype).removeprefix("torch.")
        if dtype not in _DTYPES:
            raise CompileError(f"weight '{name}' has elements of type {dtype}, which are not supported")
        shape = tuple(tensor.shape)
        if type(tensor).__module__.startswith("numpy"):
            data = tensor.tobytes()
        else:
            import torch
            data = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
        return cls(_DTYPES[dtype], shape, data)


def write_safetensors(path: str | os.PathLike, weights: Mapping[str, Weight]) -> None:
    header: dict[str, Any] = {}
    offset = 0
    for name, weight in weights.items():
        size = len(weight.data)
        header[name] = {"dtype": weight.dtype, "shape": list(weight.shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for weight in weights.values():
            file.write(weight.data)


# -- Which kind of file ------------------------------------------------------------------------


def kind_of(path: pathlib.Path) -> str:
    """The kind of a file by its ending, or else by what it holds. Raises UsageError where neither tells."""
    ending = path.suffix.lower()
    if ending in (".pt2", ".onnx"):
        return {".pt2": "torch", ".onnx": "onnx"}[ending]
    data = path.read_bytes()
    if data.startswith(_BYTECODE):
        return "tosa" if b"tosa" in data and b"stablehlo" not in data and b"vhlo" not in data else "stablehlo"
    if _BYTECODE in data:
        return "jax"
    if data.startswith(b"PK"):
        return "torch"
    # Ops by name, and what is left of StableHLO in a program without any.
    if re.search(rb"\b(stablehlo|chlo|vhlo|mhlo)\.\w", data):
        return "stablehlo"
    if re.search(rb"\btosa\.\w", data):
        return "tosa"
    if re.search(rb"\bfunc\.func\b", data):
        raise UsageError(f"'{path}' has no ops of StableHLO or TOSA; shard-run takes programs on linalg as they are. "
                         f"--from says the kind if this is wrong")
    raise UsageError(f"'{path}' is of no known kind; say it with --from=" + "|".join(_KINDS))


# -- One kind each: the text of a program on linalg, and the weights that are known by name ----


def _import_torch(path: pathlib.Path, mesh: Mesh | None) -> tuple[str, dict[str, Weight]]:
    import logging

    from .torch import lower_saved, torch
    logging.disable(logging.WARNING)  # PyTorch logs the traceback of what it raises
    try:
        with open(path, "rb") as file:
            exported = torch.export.load(file)
    except Exception as error:  # of zip, pickle, JSON and PyTorch
        raise CompileError(f"'{path}' is not read by torch.export.load: {_first_line(error)}") from None
    finally:
        logging.disable(logging.NOTSET)
    text, tensors = lower_saved(exported, mesh)
    return text, {name: Weight.of(name, tensor) for name, tensor in tensors.items()}


def _import_onnx(path: pathlib.Path, mesh: Mesh | None) -> tuple[str, dict[str, Weight]]:
    from ._onnx import to_linalg
    text, arrays = to_linalg(path, mesh, SMALLEST)
    return text, {name: Weight.of(name, array) for name, array in arrays.items()}


def _import_stablehlo(path: pathlib.Path, mesh: Mesh | None, serialized: bool = False) -> tuple[str, dict[str, Weight]]:
    from ._stablehlo import ir, make_context, stablehlo, to_linalg
    data = path.read_bytes()
    if serialized:
        from jax import export
        try:
            exported = export.deserialize(bytearray(data))
        except ImportError:
            raise
        except Exception as error:  # flatbuffers' own
            raise CompileError(f"'{path}' is not read by jax.export.deserialize: {_first_line(error)}") from None
        if len(exported.platforms) > 1:
            raise CompileError(f"'{path}' is for several platforms ({', '.join(exported.platforms)}); export it for "
                               "one: platforms=('cpu',)")
        data = exported.mlir_module_serialized
    context = make_context()
    context.allow_unregistered_dialects = True
    with context:
        try:
            if data.startswith(_BYTECODE) and b"vhlo" in data:
                module = stablehlo.deserialize_portable_artifact(context, data)
            else:
                module = ir.Module.parse(data) if serialized else ir.Module.parseFile(str(path))
        except ir.MLIRError as error:
            raise CompileError("\n".join(f"{path}:{_line_of(d)}error: {d.message}" for d in error.error_diagnostics)
                               or f"'{path}' is not read as StableHLO: {_first_line(error)}") from None
        own = [op.operation for op in module.body.operations if op.operation.name == "sdy.mesh"]
        if mesh and own:
            raise UsageError("--mesh: the program has a mesh already: " + str(own[0]).strip())
    text = to_linalg(module)
    return in_module(text, mesh.declaration()) if mesh else text, {}


def _import_jax(path: pathlib.Path, mesh: Mesh | None) -> tuple[str, dict[str, Weight]]:
    return _import_stablehlo(path, mesh, serialized=True)


def _line_of(diagnostic: Any) -> str:
    match = re.search(r":(\d+:\d+)\)?$", str(diagnostic.location))
    return f"{match[1]}: " if match else " "


#: Upstream's pipeline from TOSA, but for its validation of a profile and a level, and what lowers the rest.
_TOSA = ("--pass-pipeline=builtin.module(func.func(tosa-optional-decompositions),canonicalize,func.func(tosa-infer-shapes,"
         "tosa-make-broadcastable,tosa-to-linalg-named),canonicalize,func.func(tosa-layerwise-constant-fold,"
         "tosa-make-broadcastable,tosa-to-linalg,tosa-to-tensor,tosa-to-arith{include-apply-rescale=true},tosa-to-scf),"
         "canonicalize,cse)",)


def _import_tosa(path: pathlib.Path, mesh: Mesh | None) -> tuple[str, dict[str, Weight]]:
    text = _shard_opt(path, _TOSA)
    left = re.search(r"\btosa\.\w+", re.sub(r'"[^"\n]*"', "", text))
    if left:
        raise CompileError(f"'{left[0]}' is not lowered to linalg")
    return in_module(text, mesh.declaration()) if mesh else text, {}


def _shard_opt(program: str | pathlib.Path, flags: Sequence[str] = ()) -> str:
    """The program, a file's or text, after shard-opt's passes."""
    is_file = isinstance(program, pathlib.Path)
    status, out, messages = run_tool([tool("shard-opt"), str(program) if is_file else "-", "--mlir-print-debuginfo",
                                      *flags], None if is_file else program, "importing:")
    if status:
        diagnostics = read_diagnostics(messages)
        raise CompileError("\n".join(str(d) for d in diagnostics if d.severity == "error") or messages.strip()
                           or f"shard-opt failed with exit status {status}", diagnostics)
    return out


_IMPORTERS = {"torch": _import_torch, "stablehlo": _import_stablehlo, "jax": _import_jax, "onnx": _import_onnx,
              "tosa": _import_tosa}

# -- Constants apart ---------------------------------------------------------------------------

_CONSTANT = re.compile(r'^    (?P<value>%[\w$.-]+) = arith\.constant (?:\{[^\n]*\} )?'
                       r'(?:dense<"0x(?P<hex>[0-9A-Fa-f]*)">|dense_resource<(?P<resource>[^>]*)>)'
                       r' : tensor<(?P<shape>(?:\d+x)*)(?P<type>\w+)>(?P<loc> loc\([^\n]*\))?\n', re.M)
_RESOURCE = re.compile(r'^ *(?P<name>[^\s:]+): "0x[0-9A-Fa-f]{8}(?P<hex>[0-9A-Fa-f]*)",?\n', re.M)


def _signature_end(text: str, at: int) -> int:
    """Where the list closes whose first element is at `at`."""
    depth = 1
    for match in re.compile(r'"(?:\\.|[^"\\])*"|->|[([{<]|[)\]}>]').finditer(text, at):
        if match[0] in "([{<":
            depth += 1
        elif match[0] in ")]}>":
            depth -= 1
            if not depth:
                return match.start()
    raise CompileError("the program's signature is not closed")


def take_constants(text: str, taken: Mapping[str, Weight]) -> tuple[str, dict[str, Weight]]:
    """The program with the large constants of its entry as last arguments, and these constants. `text` is as
    shard-opt prints it: constants stand at the start of a function, and large ones are in hexadecimal."""
    entries = [m for m in re.finditer(r"^  func\.func (?:public )?@[\w$.-]+\(|^  func\.func (?:public )?@\"[^\"]+\"\(",
                                      text, re.M)]
    if len(entries) != 1:
        return text, {}
    begin = entries[0].end()
    resources = {m["name"]: m["hex"] for m in _RESOURCE.finditer(text)} if "{-#" in text else {}
    end = text.find("\n  }", begin)
    weights: dict[str, Weight] = {}
    arguments: list[str] = []
    used: set[str | None] = set()

    def take(match: re.Match) -> str:
        dtype = _MLIR_DTYPES.get(match["type"])
        digits = match["hex"] if match["hex"] is not None else resources.get(match["resource"], "")
        shape = tuple(int(n) for n in match["shape"].split("x")[:-1])
        count = 1
        for n in shape:
            count *= n
        if dtype is None or count * _SIZES[dtype] <= SMALLEST:
            return match[0]
        data = bytes.fromhex(digits)
        if dtype == "BOOL" and len(data) == -(-count // 8) != count:  # packed
            data = bytes(data[i // 8] >> i % 8 & 1 for i in range(count))
        if len(data) != count * _SIZES[dtype]:  # one value for all
            return match[0]
        name = (match["resource"] or "constant").strip('"')
        if match["hex"] is not None or name in taken or name in weights:
            name = next(n for n in (f"{name}_{i}" for i in range(len(taken) + len(weights) + 1))
                        if n not in taken and n not in weights)
        used.add(match["resource"])
        weights[name] = Weight(dtype, shape, data)
        kind = f'tensor<{match["shape"]}{match["type"]}>'
        arguments.append(f'{match["value"]}: {kind} {{shardir.name = "{name}"}}{match["loc"] or ""}')
        return ""

    body = _CONSTANT.sub(take, text[begin:end])
    if not weights:
        return text, {}
    close = _signature_end(body, 0)
    first = ", " if body[:close].strip() else ""
    tail = _RESOURCE.sub(lambda m: "" if m["name"] in used else m[0], text[end:])
    tail = re.sub(r"\{-#\s*dialect_resources: \{\s*builtin: \{\s*\}\s*\}\s*#-\}\s*", "", tail)
    return text[:begin] + body[:close] + first + ", ".join(arguments) + body[close:] + tail, weights


# -- The command -------------------------------------------------------------------------------


def import_model(model: str | os.PathLike, output: str | os.PathLike, *, weights: str | os.PathLike | None = None,
                 kind: str | None = None, mesh: Any = None) -> tuple[int, list[str]]:
    """Writes a model as a program, and its weights beside it, `output` with the ending .safetensors unless
    `weights` names a file. Returns the number of the model's inputs, and the names of the weights: arguments come in
    this order. Raises UsageError, CompileError."""
    path, output = pathlib.Path(model), pathlib.Path(output)
    beside = output.with_suffix(".safetensors") if weights is None else pathlib.Path(weights)
    if beside.suffix != ".safetensors":
        raise UsageError(f"weights are written to a file that ends in .safetensors, not to '{beside}'")
    if kind is not None and kind not in _KINDS:
        raise UsageError(f"--from={kind}: no such kind; known: " + ", ".join(_KINDS) + near(kind, list(_KINDS)))
    if not path.is_file():
        raise UsageError(f"there is no file '{path}'")
    for target in (output, beside):
        if target.is_dir():
            raise UsageError(f"cannot write '{target}': it is a folder")
        if not target.absolute().parent.is_dir():
            raise UsageError(f"cannot write '{target}': there is no folder '{target.parent}'")
        if target.exists() and target.samefile(path):
            raise UsageError(f"'{target}' is the model itself: name another file with -o or --weights")
    mesh = None if mesh is None else Mesh.of(mesh)
    kind = kind or kind_of(path)
    try:
        text, named = _IMPORTERS[kind](path, mesh)
    except ImportError as error:
        needed = {"torch": "PyTorch and torch-mlir", "onnx": "the packages onnx and torch-mlir",
                  "stablehlo": "JAX", "jax": "JAX"}.get(kind, "more packages")
        hint = {"torch": "'shardir[torch]'", "onnx": "'shardir[onnx]'", "jax": "flatbuffers 'shardir[jax]'"}.get(
            kind, "'shardir[jax]'")
        raise UsageError(f"'{path}' needs {needed} ({error}): pip install {hint}") from None
    text, unnamed = take_constants(_shard_opt(text), named)
    every = {**named, **unnamed}
    output.write_text(text)
    if every:
        write_safetensors(beside, every)
    entry = re.search(r"^  func\.func (?:public )?@", text, re.M)
    count = len(re.findall(r"%[\w$.-]+: ", text[entry.end():_signature_end(text, text.index("(", entry.end()) + 1)])) \
        if entry else 0
    return count - len(every), list(every)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _size(path: pathlib.Path) -> str:
    size, unit = float(path.stat().st_size), "bytes"
    for larger in ("KiB", "MiB", "GiB"):
        if size >= 1024:
            size, unit = size / 1024, larger
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"


def _parser() -> argparse.ArgumentParser:
    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> Any:
            raise UsageError(message)

    parser = Parser(
        prog="shard-import", formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        description="Writes a model of another framework as a program on linalg, which shard-run and\n"
                    "shardir.compile take. Weights go to a .safetensors file beside it: the program's\n"
                    "arguments are the model's inputs in order, then the weights, which have the names\n"
                    "that they have in that file.",
        epilog="kinds:\n" + "\n".join(f"  {kind:10} {what}" for kind, what in _KINDS.items()) +
               "\n\nexample:\n  shard-import model.pt2 -o p.mlir --mesh=dp=2,tp=2\n"
               "  shard-run p.mlir --inputs=p.safetensors --input=@x.npy --options=propose\n\n"
               "Exit status: 0 done, 2 wrong usage or files, 3 the model does not parse or lower.")
    parser.add_argument("model", metavar="MODEL", help="the file to read")
    parser.add_argument("-o", dest="output", metavar="P.mlir", required=True, help="the program to write")
    parser.add_argument("--weights", metavar="W.safetensors",
                        help="the file of weights to write (the program's name with .safetensors)")
    parser.add_argument("--from", dest="kind", metavar="KIND",
                        help="the kind of MODEL: " + ", ".join(_KINDS) + " (by its ending or by what it holds)")
    parser.add_argument("--mesh", metavar="dp=2,tp=2",
                        help="declare this mesh in the program; placements of arguments stay open")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `shard-import`; returns its exit status. The work is done in a child process, so that a crash of a
    framework's library is a message too."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from shardir._import import work; sys.exit(work(sys.argv[1:]))"
    child = subprocess.Popen([sys.executable, "-c", code, *(sys.argv[1:] if arguments is None else arguments)])
    while True:
        try:
            status = child.wait()
            break
        except KeyboardInterrupt:  # the child has it too
            pass
    if status < 0:
        print(f"shard-import: error: the importer crashed ({signal.strsignal(-status)})", file=sys.stderr)
        return 3
    return status


def work(arguments: Sequence[str]) -> int:
    """The command without a child process."""
    try:
        options = _parser().parse_args(arguments)
        inputs, weights = import_model(options.model, options.output, weights=options.weights, kind=options.kind,
                                       mesh=options.mesh)
        beside = pathlib.Path(options.weights or pathlib.Path(options.output).with_suffix(".safetensors"))
        command = ["shard-run", options.output]
        print(f"{options.output}: {inputs} input{'' if inputs == 1 else 's'}, {len(weights)} "
              f"weight{'' if len(weights) == 1 else 's'}" + (f" in {beside} ({_size(beside)})" if weights else ""))
        if weights:
            command.append(f"--inputs={beside}")
        print("run it: " + shlex.join(command) + " --input=..." * inputs)
        return 0
    except (Error, OSError) as error:
        status = 2 if isinstance(error, (UsageError, OSError)) else 3
        text = f"cannot use '{error.filename}': {error.strerror}" if isinstance(error, OSError) else str(error)
        if not re.match(r"[^\n]*\berror: ", text):
            text = f"error: {text}"
        print(f"shard-import: {text}" if text.startswith("error: ") else text, file=sys.stderr)
        return status
    except KeyboardInterrupt:
        return 130
    except RecursionError:
        print("shard-import: error: the program is nested too deeply", file=sys.stderr)
        return 3
