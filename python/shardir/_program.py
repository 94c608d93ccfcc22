"""Compiled programs."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import pathlib
import re
import shutil
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import _runtime
from ._compiler import compile_to, temporary_folder
from ._errors import Error, UsageError, VerifyError
from ._mesh import Block, Mesh, blocks, first_holder, near
from ._report import Report
from ._show import show_tensor

__all__ = ["Local", "Program", "Tensor", "compile", "load", "process_index"]

_DTYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64,
           "f16": np.float16, "f32": np.float32, "f64": np.float64}
#: Element types that NumPy alone does not have, and their names in ml_dtypes.
_ML_DTYPES = {"bf16": "bfloat16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}
_TOLERANCES = {"f32": 1e-5, "f64": 1e-12, "f16": 5e-3, "bf16": 2e-2, "f8E4M3FN": 0.13, "f8E5M2": 0.26}


@dataclasses.dataclass(frozen=True)
class Tensor:
    """An argument or a result of a program, as a global array.

    `shape` has -1 for extents that are known only when the program runs; `placement` is written as
    in the IR and empty where the program has no mesh.
    """

    name: str
    element_type: str
    shape: tuple[int, ...]
    placement: str

    @property
    def dtype(self) -> np.dtype | None:
        """NumPy's type; None for bf16 and the 8-bit floats where ml_dtypes is not installed."""
        if self.element_type in _DTYPES:
            return np.dtype(_DTYPES[self.element_type])
        try:
            import ml_dtypes
        except ImportError:
            return None
        return np.dtype(getattr(ml_dtypes, _ML_DTYPES[self.element_type]))

    def __str__(self) -> str:
        extents = "".join(f"{'?' if n < 0 else n}x" for n in self.shape)
        return f"{self.name}: tensor<{extents}{self.element_type}>"


@dataclasses.dataclass(frozen=True)
class Local:
    """This process' shard of an input, in the place of the full array, where ranks are processes (`device="mpi"` or
    "nccl"): for inputs of which a process reads its own part alone.

    array: NumPy's, PyTorch's or JAX's; the elements of `program.blocks(name)[shardir.process_index()]`. Processes
        that hold the same part give the same elements.
    shape: of the full array; all processes give the same.

    Calls raise UsageError where a shard has another shape, or is not that of another process with the same part.
    """

    array: Any
    shape: tuple[int, ...]

    @property
    def dtype(self) -> Any:
        return self.array.dtype


def framework_of(array: Any) -> str:
    """"torch", "jax" or "numpy", whose arrays go out where this one came in."""
    if isinstance(array, Local):
        array = array.array
    module = type(array).__module__
    if module.startswith("torch"):
        return "torch"
    if module.startswith("jax"):
        return "jax"
    return "numpy"


def _evaluate(e: Any, shapes: Sequence[Sequence[int]]) -> int | None:
    """An extent of a result from the arguments' shapes, as docs/RuntimeInternals.md writes it."""
    if isinstance(e, int):
        return e
    if not isinstance(e, list):
        return None
    if len(e) == 2:
        return shapes[e[0]][e[1]]
    a, b = _evaluate(e[1], shapes), _evaluate(e[2], shapes)
    if a is None or b is None:
        return None
    return {"add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "div": lambda: a // b,
            "rem": lambda: a % b, "min": lambda: min(a, b), "max": lambda: max(a, b)}[e[0]]()


class Program:
    """A compiled program, ready to be called. Made by `compile` and `load`.

    `program(*arrays)` takes full arrays (NumPy's, PyTorch's or JAX's), gives each device its part,
    runs, and returns full arrays of the kind of the first argument: one array, or a tuple where the
    program has several results. Arrays that are contiguous and on the host are read in place.
    Arguments may be given by name, as in `program(x, **weights)`: those of `names`, or arg0, arg1, ...
    """

    def __init__(self, path: str, *, device: str = "threads", function: str | None = None, timeout: float = 60,
                 threads_per_rank: int = 0, reductions: str = "engine", _source: Any = None):
        self._library = _runtime.Library(os.path.abspath(path))
        self._path = path
        self._source = _source
        self._settings = (device, float(timeout), int(threads_per_rank), reductions)
        self._metadata = json.loads(self._library.metadata)
        functions = {f["name"]: f for f in self._metadata["functions"]}
        if function is None:
            if len(functions) != 1:
                raise UsageError("the program has several functions, name one with function=: "
                                 + ", ".join(functions))
            function = next(iter(functions))
        if function not in functions:
            raise UsageError(f"the program has no function '{function}'; it has: " + ", ".join(functions)
                             + near(function, list(functions)))
        self._function = functions[function]
        #: The argument that each result is written into, -1 for those with memory of their own.
        self._in_place = [r.get("in_place", -1) for r in self._function["results"]]
        #: What the arguments are called in files: as the program names them, else arg0, arg1, ...
        self.names = tuple(a.get("name") or f"arg{i}" for i, a in enumerate(self._function["arguments"]))
        self._entry = _runtime.Entry(self._library, function, *self._settings, self._in_place, self.names)
        self.arguments = tuple(Tensor(f"arg{i}", *t) for i, t in enumerate(self._entry.arguments))
        self.results = tuple(Tensor(f"result{i}", *t) for i, t in enumerate(self._entry.results))
        self._small_floats = [i for i, t in enumerate(self.arguments) if t.element_type in _ML_DTYPES]
        self._small_results = [i for i, t in enumerate(self.results) if t.element_type in _ML_DTYPES]
        self._dynamic = any(-1 in t.shape for t in self.results)
        #: By argument: the first process that holds the same part as this one.
        self._first_holders: dict[int, int] = {}
        #: Results whose integers are unsigned; a front end sets it.
        self._unsigned: list[bool] = []
        #: Of the compiled file, removed with the program; None for a file of the user's.
        self._folder: Any = None

    # -- What it is ---------------------------------------------------------------------------

    @property
    def function(self) -> str:
        """The name of the function that a call runs."""
        return self._entry.name

    @property
    def mesh(self) -> Mesh | None:
        """The first mesh of the program, None where it has none."""
        for mesh in self._metadata.get("meshes", []):
            return Mesh({axis["name"]: axis["size"] for axis in mesh["axes"]}, mesh["name"])
        return None

    @property
    def num_ranks(self) -> int:
        return self._library.num_ranks

    @property
    def report(self) -> Report:
        """The collectives and their reasons, and the placement of each value."""
        measured = None
        try:
            measured = self._entry.measurement()
        except UsageError:
            pass
        names = {f"{kind} {i} of @{self.function}": tensor["name"]
                 for kind, tensors in (("argument", self._function["arguments"]), ("result", self._function["results"]))
                 for i, tensor in enumerate(tensors)
                 if not re.fullmatch(r"(result(\[\d+\])?)?", tensor.get("name", ""))}
        return Report(self._metadata.get("report") or {}, measured, names=names)

    def blocks(self, name: str, shape: Sequence[int] | None = None) -> list[Block]:
        """What each rank of the tensor's mesh holds of an argument or a result, "arg0", "result1" or one of
        `names`, in the order of the mesh. `shape` is needed where the program leaves extents open."""
        tensor = self._tensor(name)
        if shape is None:
            if -1 in tensor.shape:
                raise UsageError(f"{tensor} has open extents: give its shape")
            shape = tensor.shape
        mesh = self._mesh_of(tensor)
        if mesh is None:
            return [Block(rank, tuple((0, n) for n in shape)) for rank in range(self.num_ranks)]
        axes = {axis["name"]: axis["size"] for axis in mesh["axes"]}
        found = blocks(tensor.placement, axes, shape)
        ranks = mesh.get("devices") or range(len(found))
        return [dataclasses.replace(block, rank=rank) for block, rank in zip(found, ranks)]

    def _mesh_of(self, tensor: Tensor) -> dict | None:
        """The mesh that the tensor's placement names, as in the metadata."""
        name = tensor.placement.partition("@")[2].partition(",")[0]
        return next((mesh for mesh in self._metadata.get("meshes", []) if mesh["name"] == name), None)

    def show(self, name: str = "arg0", shape: Sequence[int] | None = None) -> Any:
        """Shows which part of an argument or result each device holds: as a drawing in a notebook,
        as text elsewhere. `name` is "arg0", "result1" or one of `names`."""
        tensor = self._tensor(name)
        found = self._mesh_of(tensor)
        mesh = found and Mesh({axis["name"]: axis["size"] for axis in found["axes"]}, found["name"])
        return show_tensor(tensor, mesh, self.blocks(name, shape), tuple(shape or tensor.shape))

    def _tensor(self, name: str) -> Tensor:
        known = {t.name: t for t in self.arguments + self.results}
        results = [r.get("name") or f"result{i}" for i, r in enumerate(self._function["results"])]
        known.update(zip(results, self.results))
        known.update(zip(self.names, self.arguments))
        if name not in known:
            found = list(dict.fromkeys([*self.names, *results]))
            more = f" and {len(found) - 8} more" if len(found) > 8 else ""
            raise UsageError(f"the program has no argument or result '{name}'; it has: " + ", ".join(found[:8]) + more
                             + near(name, list(known)))
        return known[name]

    def __repr__(self) -> str:
        inputs = ", ".join(map(str, self.arguments[:6])) + (", ..." if len(self.arguments) > 6 else "")
        return f"<shardir.Program {self.function}({inputs}) on {self.num_ranks} ranks>"

    def save(self, path: str | os.PathLike) -> None:
        """Writes the compiled program, which `load` and `shard-run` read. It needs no compiler."""
        if not os.path.exists(path) or not os.path.samefile(self._path, path):
            shutil.copyfile(self._path, path)

    # -- Calls --------------------------------------------------------------------------------

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        if named:
            arrays = self._in_order(arrays, named)
        framework = framework_of(arrays[0]) if arrays else "numpy"
        results = self._run(arrays, framework)
        return results[0] if len(results) == 1 else tuple(results)

    def _in_order(self, arrays: Sequence[Any], named: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments in order: named ones in their places, the others in the rest."""
        rest, found = list(arrays), []
        numbered = [f"arg{i}" for i in range(len(self.names))]
        for name in named:
            if name not in self.names and name not in numbered:
                raise UsageError(f"'{self.function}' has no argument '{name}'" + near(name, list(self.names)))
        for i, names in enumerate(zip(self.names, numbered)):
            given = [name for name in dict.fromkeys(names) if name in named]
            if len(given) > 1:
                raise UsageError(f"'{self.function}': argument '{given[1]}' is given by two names")
            if given:
                found.append(named[given[0]])
            elif rest:
                found.append(rest.pop(0))
            else:
                raise UsageError(f"'{self.function}': argument {i}, '{self.names[i]}', is not given")
        if rest:
            raise UsageError(f"'{self.function}' takes {len(self.names)} arguments, and {len(named)} of them are given "
                             f"by name; {len(arrays)} more are too many")
        return tuple(found)

    def _run(self, arrays: Sequence[Any], framework: str, unsharded: bool = False) -> list[Any]:
        is_local = any(isinstance(a, Local) for a in arrays) and not unsharded
        prepared = list(arrays) if is_local else self._prepare(arrays)
        shapes = self._result_shapes(prepared) if self._dynamic else None
        results = self._run_shards(prepared, shapes, framework) if is_local else self._entry.run(
            prepared, shapes, framework, self._unsigned, unsharded)
        if framework == "numpy":
            for i in self._small_results:
                dtype = self.results[i].dtype
                if dtype is not None:
                    results[i] = results[i].view(dtype)
        return results

    def _run_shards(self, arrays: list[Any], shapes: Any, framework: str) -> list[Any]:
        """The same where some arrays are `Local`."""
        self._check_count(arrays)
        shards = [self._distribute(i, a if isinstance(a, Local) else to_host(a, self.arguments[i]))
                  for i, a in enumerate(arrays)]
        made = self._entry.run_shards(shards, shapes)
        return [self._entry.collect(True, i, shards[at] if at >= 0 else made[i], framework,
                                    bool(self._unsigned) and self._unsigned[i])
                for i, at in enumerate(self._in_place)]

    def _distribute(self, i: int, array: Any, into: Any = None) -> Any:
        """The shards of argument i, in the memory of `into` where shapes are the same. `array` is full, as the runtime
        takes it, or a `Local`."""
        if not isinstance(array, Local):
            return self._entry.distribute(i, array, into) or into
        if i not in self._first_holders:
            self._first_holders[i] = self._first_holder(i)
        return self._entry.take_shard(i, to_host(array.array, self.arguments[i]), tuple(array.shape),
                                      self._first_holders[i], into) or into

    def _first_holder(self, i: int) -> int:
        """The first rank that holds the part of argument i that this process does."""
        tensor = self.arguments[i]
        if "partial" in tensor.placement:
            raise UsageError(f"{self.names[i]} is a partial: pass the full array, not a shardir.Local")
        mesh = self._mesh_of(tensor)
        if mesh is None:
            return 0
        axes = {axis["name"]: axis["size"] for axis in mesh["axes"]}
        ranks = mesh.get("devices") or range(math.prod(axes.values()))
        if process_index() not in ranks:
            return process_index()
        return ranks[first_holder(tensor.placement, axes, ranks.index(process_index()))]

    def _check_count(self, arrays: Sequence[Any]) -> None:
        if len(arrays) != len(self.arguments):
            raise UsageError(f"'{self.function}' takes {len(self.arguments)} arguments ("
                             + ", ".join(map(str, self.arguments)) + f"), not {len(arrays)}")

    def _prepare(self, arrays: Sequence[Any]) -> list[Any]:
        """Arrays as the runtime takes them: numbers and lists become arrays, PyTorch's leave
        autograd, small floats of NumPy become bits."""
        self._check_count(arrays)
        prepared = list(arrays)
        for i, array in enumerate(prepared):
            prepared[i] = to_host(array, self.arguments[i])
        return prepared

    def _result_shapes(self, arrays: Sequence[Any]) -> list[list[int]]:
        shapes = [tuple(a.shape) for a in arrays]
        found = []
        for tensor, described in zip(self.results, self._function["results"]):
            extents = described.get("extents") or [None] * len(tensor.shape)
            shape = [n if n >= 0 else _evaluate(e, shapes) for n, e in zip(tensor.shape, extents)]
            if None in shape:
                raise UsageError(f"dim {shape.index(None)} of {tensor} depends on data, not on the arguments' "
                                 "shapes; such results cannot be returned")
            found.append(shape)
        return found

    def verify(self, *arrays: Any, tolerance: float | None = None, **named: Any) -> None:
        """Runs the program and its unsharded version on the same arrays and compares every result.

        Raises VerifyError where they differ by more than `tolerance`, relative to the largest
        expected value of the result (f32 1e-5, bf16 2e-2, f16 5e-3, f64 1e-12, integers equal,
        unless given). Without arrays, random ones are used.
        """
        program = self._with_unsharded()
        if named:
            arrays = self._in_order(arrays, named)
        if not arrays:
            arrays = tuple(_random(t, i) for i, t in enumerate(self.arguments))
        arrays = tuple(program._prepare(arrays))
        actual = program._run(arrays, "numpy")
        expected = program._run(arrays, "numpy", unsharded=True)
        for i, tensor in enumerate(self.results):
            bound = _TOLERANCES.get(tensor.element_type, 0.0) if tolerance is None else tolerance
            compare_arrays(actual[i], expected[i], bound, i, tensor)

    def _with_unsharded(self) -> Program:
        if self._function.get("unsharded_symbol"):
            return self
        if self._source is None:
            raise UsageError("the compiled program holds no unsharded version: compile it with verify=True")
        return _build(**self._source, verify=True)


def to_host(array: Any, tensor: Tensor) -> Any:
    """An array as the runtime takes it."""
    if isinstance(array, Local):
        raise UsageError(f"{tensor} was given a shardir.Local where a full array is needed")
    if type(array) is np.ndarray and tensor.element_type in _DTYPES:
        return array
    module = type(array).__module__
    if module.startswith("torch"):
        if array.requires_grad:
            array = array.detach()
        return array if array.device.type == "cpu" else array.cpu()
    if module.startswith("jax"):
        if tensor.element_type in _ML_DTYPES:
            return np.asarray(array).view(f"u{array.dtype.itemsize}")
        return array if len(array.devices()) == 1 else np.asarray(array)
    if not isinstance(array, np.ndarray):
        if hasattr(array, "__dlpack__"):
            return array
        dtype = tensor.dtype
        try:
            given = np.asarray(array)
            # Numbers of Python have no type of their own.
            array = given.astype(dtype) if isinstance(array, (bool, int, float, list, tuple)) else given
        except (TypeError, ValueError) as error:
            raise UsageError(f"{tensor} cannot be made of a {type(array).__name__}: {error}") from None
    if tensor.element_type in _ML_DTYPES and array.dtype.kind not in "u":
        if array.dtype != tensor.dtype:
            raise UsageError(f"{tensor} was given {array.dtype}")
        array = array.view(f"u{array.dtype.itemsize}")
    return array


def _random(tensor: Tensor, seed: int) -> np.ndarray:
    if -1 in tensor.shape:
        raise UsageError(f"{tensor} has open extents: give arrays to verify()")
    generator = np.random.default_rng(seed)
    if tensor.element_type == "i1":
        return generator.integers(0, 2, tensor.shape).astype(np.bool_)
    if tensor.element_type in ("i8", "i16", "i32", "i64", "index"):
        return generator.integers(0, 2, tensor.shape).astype(tensor.dtype)
    return generator.standard_normal(tensor.shape).astype(tensor.dtype)


def compare_arrays(actual: np.ndarray, expected: np.ndarray, tolerance: float, result: int, tensor: Tensor) -> None:
    """Raises VerifyError where they differ by more than `tolerance` of the largest expected value."""
    if tensor.element_type in _ML_DTYPES:
        actual, expected = actual.astype(np.float32), expected.astype(np.float32)
    if actual.dtype.kind not in "f":
        wrong = np.argwhere(actual != expected)
        if len(wrong):
            at = tuple(int(i) for i in wrong[0])
            raise VerifyError(f"{tensor} differs at {len(wrong)} of {actual.size} elements, first at {at}: "
                              f"{actual[at]}, expected {expected[at]}", result, float("inf"))
        return
    if not actual.size:
        return
    finite = np.isfinite(expected)
    scale = float(np.max(np.abs(expected), where=finite, initial=0)) or 1.0
    with np.errstate(invalid="ignore"):
        difference = np.abs(actual - expected) / scale
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    difference = np.where(same, 0, np.where(np.isnan(difference), np.inf, difference))
    worst = float(difference.max())
    if worst > tolerance:
        at = tuple(int(i) for i in np.unravel_index(int(difference.argmax()), difference.shape))
        raise VerifyError(f"{tensor} differs by {worst:.3g} of its largest value, more than {tolerance:.3g}, at "
                          f"{at}: {actual[at]}, expected {expected[at]}", result, worst)


def process_index() -> int:
    """This process' number among those of the launcher, as mpirun's; 0 where there is none."""
    return max(_runtime.launched_as(), 0)


def is_first_process(device: str) -> bool:
    """Whether this process speaks and writes for all of a program's."""
    return device not in ("mpi", "nccl") or process_index() == 0


@contextlib.contextmanager
def in_all_processes(device: str, timeout: float) -> Iterator[None]:
    """Where ranks are processes: waits for all of them at the end. An error of one is raised in all."""
    if device not in ("mpi", "nccl") or _runtime.launched_as() < 0:
        yield
        return
    error = None
    try:
        yield
    except Exception as e:
        error = e
    worst, who, message = _runtime.agree(device, timeout, int(error is not None), str(error or ""))
    if error is not None:
        raise error
    if worst:
        raise Error(f"process {who}: {message}")


def _check_device(device: str) -> None:
    known = ("threads", "mpi", "cuda-local", "nccl")
    if device not in known:
        raise UsageError(f"device must be {', '.join(known[:-1])} or {known[-1]}, found '{device}'" + near(device, known))


def _build(program: Any, mesh: str, options: str, device: str, function: str | None, timeout: float,
           threads_per_rank: int, reductions: str, name: str, verify: bool = False) -> Program:
    _check_device(device)
    folder = temporary_folder()
    path = os.path.join(folder.name, "program.so")
    with in_all_processes(device, timeout):
        compile_to(path, program, mesh=mesh, options=options, device=device, function=function, verify=verify, name=name)
    source = dict(program=program, mesh=mesh, options=options, device=device, function=function, timeout=timeout,
                  threads_per_rank=threads_per_rank, reductions=reductions, name=name)
    built = Program(path, device=device, function=function, timeout=timeout, threads_per_rank=threads_per_rank,
                    reductions=reductions, _source=source)
    built._folder = folder
    return built


def compile(program: str | bytes | os.PathLike, *, mesh: Any = None, options: str = "", device: str = "threads",
            function: str | None = None, verify: bool = False, timeout: float = 60,
            threads_per_rank: int = 0, reductions: str = "engine") -> Program:
    """Compiles a program of any stage.

    program: a path of an MLIR file, or its text or bytecode.
    mesh: sizes of the program's symbolic mesh axes: a `Mesh`, a dict, "dp=2,tp=4", a DeviceMesh, ...
    options: the pipeline's, as for `shard-opt`: "cost=bytes strict memory-limit=2Gi".
    device: "threads" (ranks are threads of this process), "mpi", "cuda-local" or "nccl".
    function: the entry, where the program has several.
    verify: also compile the unsharded version, for `Program.verify`, which does so itself when needed.
    timeout: seconds without progress after which a call raises RankError.
    threads_per_rank: 0 shares the cores evenly.
    reductions: "engine", or "ordered" for the same bits on every device, those of "threads".

    Compilations are kept in the cache of `shard-run`, and an interrupt ends one. Raises CompileError,
    UsageError.
    """
    name = "program"
    if isinstance(program, os.PathLike) or (isinstance(program, str) and "\n" not in program
                                            and "{" not in program):
        program = pathlib.Path(program)
        name = program.name
        if not program.is_file():
            raise UsageError(f"there is no file '{program}'")
    sizes = "" if mesh is None else ",".join(f"{a}={n}" for a, n in Mesh.of(mesh).axes.items())
    return _build(program, sizes, options, device, function, timeout, threads_per_rank, reductions, name, verify)


def load(path: str | os.PathLike, *, device: str = "threads", function: str | None = None, timeout: float = 60,
         threads_per_rank: int = 0, reductions: str = "engine") -> Program:
    """Loads a program that `Program.save` or `shard-run --compile-only` wrote. No compiler is needed.
    Arguments are those of `compile`. Raises UsageError where there is no such file, CompileError where
    it is no compiled program of this version."""
    _check_device(device)
    path = os.fspath(path)
    if not os.path.isfile(path):
        raise UsageError(f"there is no file '{path}'")
    return Program(path, device=device, function=function, timeout=timeout, threads_per_rank=threads_per_rank,
                   reductions=reductions)
