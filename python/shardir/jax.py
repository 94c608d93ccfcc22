"""JAX functions on meshes of devices.

    import shardir, shardir.jax
    from jax.sharding import PartitionSpec as P
    g = shardir.jax.jit(f, mesh={"dp": 2, "tp": 2}, in_shardings=(P("dp"), P(None, "tp")))
    y = g(x, w)
    print(g.lower(x, w).program.report)

Takes what `jax.jit` takes: NamedSharding, PartitionSpec, with_sharding_constraint, shard_map, pytrees. No
devices of JAX are needed: `mesh=` names the axes, and the program runs on ranks of ShardIR.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
import itertools
import os
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

try:
    import jax
    import numpy as np
    from jax._src import source_info_util
    from jax._src.interpreters import mlir
    from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec
except ImportError as _error:
    raise ImportError(f"shardir.jax needs JAX ({_error}): pip install 'shardir[jax]'") from None

try:  # what jax.device_put comes down to, at a tenth of its time
    from jax._src.lib import xla_client
    _put: Any = xla_client.batched_device_put
except (ImportError, AttributeError):
    _put = None

from ._errors import CompileError, Error, UsageError
from ._mesh import Mesh, dims_attribute, is_placement, near
from ._program import Local, Program
from ._program import compile as _compile_text
from ._report import Report

__all__ = ["Jitted", "Lowered", "jit"]

# Places in reports and errors are the caller's.
source_info_util.register_exclusion(os.path.dirname(os.path.abspath(__file__)))

#: Whether a `Jitted` is traced: those that it calls are parts of its program.
_tracing = contextvars.ContextVar("tracing", default=False)


class Lowered:
    """A function for one set of shapes; `program` is the compiled `shardir.Program`, `mlir` its text."""

    def __init__(self, program: Program, source: str, out_tree: Any, out_avals: Sequence[Any],
                 keys: Sequence[int] = (), donated: Sequence[int] = ()):
        self.program, self.mlir = program, source
        self._out_tree, self._out_avals = out_tree, list(out_avals)
        self._keys, self._donated = frozenset(keys), list(donated)
        self._makers = [_maker(a) for a in self._out_avals]
        program._unsigned = [np.issubdtype(a.dtype, np.unsignedinteger) for a in self._physical()]

    def _physical(self) -> list[Any]:
        return [_physical_aval(a) for a in self._out_avals]

    @property
    def report(self) -> Report:
        return self.program.report

    def as_text(self) -> str:
        return self.mlir

    def compile(self) -> Lowered:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs on these arguments, without the static ones."""
        return self._call(jax.tree.leaves((args, kwargs)))

    def verify(self, *args: Any, tolerance: float | None = None, **kwargs: Any) -> None:
        """Compares the sharded program with the unsharded one on these arguments, without the static ones; raises
        VerifyError where they differ."""
        leaves = jax.tree.leaves((args, kwargs))
        self.program.verify(*(_leaf(x, i in self._keys) for i, x in enumerate(leaves)), tolerance=tolerance)

    def _call(self, leaves: Sequence[Any]) -> Any:
        results = self.program._run([_leaf(x, i in self._keys) for i, x in enumerate(leaves)], "numpy")
        for i in self._donated:
            if isinstance(leaves[i], jax.Array):
                leaves[i].delete()
        out = [make(r) for make, r in zip(self._makers, results)]
        return jax.tree.unflatten(self._out_tree, out)


def _physical_aval(aval: Any) -> Any:
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
        return jax.eval_shape(jax.random.key_data, jax.ShapeDtypeStruct(aval.shape, aval.dtype))
    if jax.numpy.issubdtype(aval.dtype, np.complexfloating):
        return jax.ShapeDtypeStruct((*aval.shape, 2), np.finfo(aval.dtype).dtype)
    return aval


def _maker(aval: Any) -> Callable[[np.ndarray], jax.Array]:
    """What makes a result of an array of NumPy that is given up."""
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
        return functools.partial(jax.random.wrap_key_data, impl=aval.dtype._impl)
    if jax.numpy.issubdtype(aval.dtype, np.complexfloating):
        return lambda array: jax.numpy.asarray(array.view(aval.dtype)[..., 0])
    if _put is None:
        return jax.numpy.asarray
    device = jax.local_devices(backend="cpu")[0]
    abstract = jax.core.ShapedArray(aval.shape, aval.dtype)
    sharding, devices = jax.sharding.SingleDeviceSharding(device), [device]
    return lambda array: _put(abstract, sharding, [array], devices, True)


def _refuse_tracer(x: Any) -> None:
    if isinstance(x, jax.core.Tracer):
        raise UsageError("JAX cannot transform a function of shardir.jax.jit: put jax.grad, jax.vmap or jax.jit inside it")


def _leaf(x: Any, is_key: bool) -> np.ndarray | Local:
    """An argument as the program takes it, in place where it is on the host: keys of random numbers are integers
    there, and complex numbers two floats."""
    if isinstance(x, Local):
        array = _leaf(x.array, is_key)
        return Local(array, (*x.shape, *array.shape[len(x.shape):]))
    if isinstance(x, jax.Array):
        _refuse_tracer(x)
        if x.is_deleted():
            raise UsageError(f"an array of shape {x.shape} has been deleted: it was donated to an earlier call")
        array = np.asarray(jax.random.key_data(x) if is_key else x)
    else:
        array = np.asarray(x)
        array = array.astype(jax.dtypes.canonicalize_dtype(array.dtype), copy=False)
    if np.iscomplexobj(array):
        return np.ascontiguousarray(array).reshape(*array.shape, 1).view(np.finfo(array.dtype).dtype)
    return array


class Jitted:
    """A function that is compiled at the first call for each set of shapes; made by `jit`."""

    def __init__(self, function: Callable, jitted: Any, mesh: Mesh | None, abstract: Any, shardings: tuple[Any, Any],
                 static: tuple[tuple[int, ...], tuple[str, ...]], settings: dict):
        self._function, self._jitted, self._mesh, self._abstract = function, jitted, mesh, abstract
        self._in, self._out = shardings
        self._static, self._static_names = static
        self._settings = settings
        self._known: dict[Any, Lowered] = {}
        self.__wrapped__ = function
        self.__name__ = getattr(function, "__name__", "function")
        self.__doc__ = getattr(function, "__doc__", None)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As a method, with the instance as its first argument."""
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _tracing.get():
            return self._jitted(*args, **kwargs)
        leaves, key = self._split(args, kwargs)
        lowered = self._known.get(key)
        if lowered is None:
            lowered = self._known[key] = self._lower(args, kwargs)
        return lowered._call(leaves)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Compiles for these arguments, arrays or `jax.ShapeDtypeStruct`s."""
        _, key = self._split(args, kwargs)
        if key not in self._known:
            self._known[key] = self._lower(args, kwargs)
        return self._known[key]

    @property
    def report(self) -> Report:
        """Of the shapes that were compiled last."""
        if not self._known:
            raise UsageError(f"{self.__name__} is not compiled yet: call it, or use {self.__name__}.lower(*args).report")
        return list(self._known.values())[-1].report

    def trace(self, *args: Any, **kwargs: Any) -> Any:
        """What `jax.jit(...).trace` returns: the function's jaxpr, and the shapes of its results."""
        with _context(self._abstract):
            return self._jitted.trace(*args, **kwargs)

    def eval_shape(self, *args: Any, **kwargs: Any) -> Any:
        """The shapes and types of the results, as of `jax.eval_shape`; compiles nothing."""
        with _context(self._abstract):
            return self._jitted.eval_shape(*args, **kwargs)

    def verify(self, *args: Any, tolerance: float | None = None, **kwargs: Any) -> None:
        """Compiles for these arguments, and compares the sharded program with the unsharded one on them; raises
        VerifyError where they differ."""
        lowered, (positional, named) = self.lower(*args, **kwargs), self._dynamic(args, kwargs)
        lowered.verify(*positional, tolerance=tolerance, **named)

    def _is_static(self, count: int) -> set[int]:
        return {i if i >= 0 else i + count for i in self._static if -count <= i < count}

    def _split(self, args: tuple, kwargs: dict) -> tuple[list[Any], Any]:
        """The arrays in order, and what tells one compilation from another."""
        static = self._is_static(len(args)) if self._static else ()
        fixed = tuple((i, args[i]) for i in sorted(static))
        fixed += tuple((n, kwargs[n]) for n in self._static_names if n in kwargs)
        leaves, tree = jax.tree.flatten(self._dynamic(args, kwargs))
        try:
            shapes = tuple((x.shape, x.dtype, _own_sharding(x)) if hasattr(x, "dtype") else (np.shape(x), type(x))
                           for x in leaves)
            key = (fixed, tree, shapes, None if self._mesh else jax.sharding.get_abstract_mesh())
            hash(key)
        except (TypeError, ValueError) as error:
            raise UsageError(f"'{self.__name__}': static arguments must be hashable, and others arrays: "
                             f"{error}") from None
        return leaves, key

    def _dynamic(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        if not self._static and not self._static_names:
            return args, kwargs
        static = self._is_static(len(args))
        return (tuple(a for i, a in enumerate(args) if i not in static),
                {n: v for n, v in kwargs.items() if n not in self._static_names})

    def _lower(self, args: Sequence[Any], kwargs: dict) -> Lowered:
        from ._stablehlo import names_of_main, to_linalg
        for x in jax.tree.leaves(self._dynamic(args, kwargs)):
            _refuse_tracer(x)
        static = self._is_static(len(args))
        shapes = tuple(a if i in static else jax.tree.map(_shape_of, a) for i, a in enumerate(args))
        named = {n: v if n in self._static_names else jax.tree.map(_shape_of, v) for n, v in kwargs.items()}
        positional, keywords = self._dynamic(args, kwargs)
        given = _broadcast(self._in, positional, "in_shardings", self.__name__)
        given += [None] * len(jax.tree.leaves(keywords))
        jax_mesh = self._jax_mesh([*given, *jax.tree.leaves(self._out, is_leaf=_is_sharding),
                                   *map(_own_sharding, jax.tree.leaves((positional, keywords)))])
        mesh = None if jax_mesh is None else Mesh.of(jax_mesh)
        given = [_given_to(x, mesh) if s is None else s for s, x in zip(given, jax.tree.leaves((positional, keywords)))]
        lowered = self._trace(shapes, named, given, jax_mesh)
        results = jax.tree.leaves(lowered.out_info)
        wanted = _broadcast(self._out, lowered.out_info, "out_shardings", self.__name__)
        arguments = jax.tree.leaves(self._dynamic(shapes, named))
        module = lowered.compiler_ir("stablehlo").operation.clone()  # JAX keeps its own for later lowerings
        try:
            placements = [
                [_placement(s, mesh, x, name or f"{kind} {i}")
                 for i, (s, x, name) in enumerate(itertools.zip_longest(shardings, values, names))]
                for kind, shardings, values, names in zip(("argument", "result"), (given, wanted), (arguments, results),
                                                          names_of_main(module))]
            text = to_linalg(module, mesh, *placements)
            program = _compile_text(text, **self._settings)
        except CompileError as error:
            raise CompileError(f"'{self.__name__}': {error}", error.diagnostics) from None
        except UsageError as error:
            raise UsageError(f"'{self.__name__}': {error}") from None
        if len(program.results) != len(results) or len(program.arguments) != len(arguments):
            raise Error(f"'{self.__name__}' has {len(arguments)} arguments and {len(results)} results, but its program "
                        f"{len(program.arguments)} and {len(program.results)}")
        donated = [i for i, a in enumerate(jax.tree.leaves(lowered.args_info)) if a.donated]
        keys = [i for i, x in enumerate(arguments) if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key)]
        return Lowered(program, text, lowered.out_tree, results, keys, donated)

    def _jax_mesh(self, shardings: Sequence[Any]) -> Any:
        """The AbstractMesh that is meant: that of `jit`, of a NamedSharding, or of `jax.set_mesh`; None without one."""
        if self._abstract is not None:
            return self._abstract
        named = next((s.mesh.abstract_mesh for s in shardings if isinstance(s, NamedSharding)), None)
        context = jax.sharding.get_abstract_mesh()
        if named is None and context.empty and any(isinstance(s, PartitionSpec) for s in shardings):
            raise UsageError(f"'{self.__name__}': a PartitionSpec names axes of a mesh: give it with mesh= or jax.set_mesh, "
                             "or use NamedShardings")
        return (None if context.empty else context) if named is None else named

    def _trace(self, shapes: tuple, named: dict, given: Sequence[Any], mesh: Any) -> Any:
        """What JAX lowers the function to. Explicit axes of the mesh are in the types of the arguments; where JAX finds
        no types for the function, as where sizes do not divide, all axes are Auto."""
        from . import _jax_cumulative, _jax_linalg, _jax_ops
        rules = (rule for module in (_jax_cumulative, _jax_linalg, _jax_ops) for rule in module.lowering_rules())
        parameters = mlir.LoweringParameters(override_lowering_rules=tuple(rules))

        def lower(shapes: tuple, named: dict, mesh: Any) -> Any:
            with _context(mesh):
                return self._jitted.trace(*shapes, **named).lower(lowering_platforms=("cpu",),
                                                                  _private_parameters=parameters)

        if mesh is None or AxisType.Explicit not in mesh.axis_types:
            return lower(shapes, named, self._abstract)
        try:
            positional, keywords = self._dynamic(shapes, named)
            leaves, tree = jax.tree.flatten((positional, keywords))
            typed, keywords = jax.tree.unflatten(tree, [_with_type(x, s, mesh) for x, s in zip(leaves, given)])
            static, dynamic = self._is_static(len(shapes)), iter(typed)
            return lower(tuple(x if i in static else next(dynamic) for i, x in enumerate(shapes)), {**named, **keywords}, mesh)
        except Exception as error:
            try:
                return lower(shapes, named, AbstractMesh(mesh.axis_sizes, mesh.axis_names))
            except Exception:
                raise error from None

    def __repr__(self) -> str:
        return f"<shardir.jax.jit of {self.__name__}>"


@contextlib.contextmanager
def _context(mesh: Any) -> Iterator[None]:
    """PartitionSpecs within the function mean `mesh`, or that of JAX's context for None."""
    token = _tracing.set(True)
    try:
        with jax.sharding.use_abstract_mesh(mesh) if mesh else contextlib.nullcontext():
            yield
    finally:
        _tracing.reset(token)


def _own_sharding(x: Any) -> NamedSharding | None:
    """The sharding that a ShapeDtypeStruct has, or an array with Explicit axes in its type."""
    sharding = getattr(x, "sharding", None)
    if isinstance(sharding, NamedSharding) and (isinstance(x, jax.ShapeDtypeStruct)
                                                or AxisType.Explicit in sharding.mesh.axis_types):
        return sharding
    return None


def _given_to(x: Any, mesh: Mesh | None) -> NamedSharding | None:
    """The sharding of an argument's own; that of an array on another mesh is left."""
    sharding = _own_sharding(x)
    return sharding if sharding is None or isinstance(x, jax.ShapeDtypeStruct) or Mesh.of(sharding.mesh) == mesh else None


def _with_type(x: jax.ShapeDtypeStruct, sharding: Any, mesh: AbstractMesh) -> jax.ShapeDtypeStruct:
    """`x` with what a sharding says of Explicit axes."""
    spec = sharding.spec if isinstance(sharding, NamedSharding) else sharding or PartitionSpec()
    explicit = {a for a, kind in zip(mesh.axis_names, mesh.axis_types) if kind == AxisType.Explicit}

    def kept(entry: Any) -> Any:
        if entry is None or entry is PartitionSpec.UNCONSTRAINED:
            return None
        return tuple(a for a in (entry if isinstance(entry, tuple) else (entry,)) if a in explicit) or None

    return jax.ShapeDtypeStruct(x.shape, x.dtype, weak_type=x.weak_type,
                                sharding=NamedSharding(mesh, PartitionSpec(*map(kept, spec))))


def _shape_of(x: Any) -> Any:
    if isinstance(x, jax.ShapeDtypeStruct):
        return jax.ShapeDtypeStruct(x.shape, x.dtype, weak_type=x.weak_type)
    if isinstance(x, (jax.Array, np.ndarray, Local)):
        return jax.ShapeDtypeStruct(x.shape, jax.dtypes.canonicalize_dtype(x.dtype)
                                    if not jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended) else x.dtype,
                                    weak_type=getattr(x, "weak_type", False))
    if isinstance(x, (bool, int, float, complex)):
        aval = jax.api_util.shaped_abstractify(x)
        return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)
    return x


def _is_sharding(x: Any) -> bool:
    return x is None or isinstance(x, (PartitionSpec, jax.sharding.Sharding))


def _broadcast(prefix: Any, tree: Any, what: str, name: str) -> list[Any]:
    """One sharding for each leaf of `tree`, from one for each part of it."""
    if prefix is None or isinstance(prefix, (PartitionSpec, jax.sharding.Sharding)):
        return [prefix] * len(jax.tree.leaves(tree))
    if isinstance(prefix, list) and isinstance(tree, tuple):
        prefix = tuple(prefix)
    if isinstance(prefix, tuple) and isinstance(tree, tuple) and len(prefix) != len(tree):
        kind = "argument" if what == "in_shardings" else "result"
        raise UsageError(f"'{name}': {what} has {len(prefix)} entries, but the function has {len(tree)} {kind}"
                         + ("" if len(tree) == 1 else "s"))
    for i, entry in enumerate(prefix if isinstance(prefix, tuple) else (prefix,)):
        if isinstance(entry, list) and entry and all(map(is_placement, entry)):
            raise UsageError(f"'{name}': {what}[{i}]: a list of Shard and Replicate is PyTorch's spelling; write a "
                             "PartitionSpec with one entry for each dim, as in P('dp')")
    found: list[Any] = []
    try:
        jax.tree.map(lambda s, part: found.extend([s] * len(jax.tree.leaves(part))), prefix, tree, is_leaf=_is_sharding)
    except ValueError as error:
        raise UsageError(f"'{name}': {what} does not fit the function: {error}") from None
    return found


def _placement(sharding: Any, mesh: Mesh | None, value: Any, what: str) -> str | None:
    """The placement attribute of a sharding; None, open, where it says nothing."""
    if sharding is None or mesh is None:
        return None
    spec = sharding
    if isinstance(sharding, NamedSharding):
        if Mesh.of(sharding.mesh) != mesh:
            raise UsageError(f"{what} is placed on {Mesh.of(sharding.mesh)}, others on {mesh}")
        spec = sharding.spec
    if not isinstance(spec, PartitionSpec):
        raise UsageError(f"{what}: {type(sharding).__name__} is not supported; use a NamedSharding or a PartitionSpec")
    rank = len(value.shape)
    if len(spec) > rank:
        raise UsageError(f"{what}: {spec} has {len(spec)} entries, but the array has {rank} dims")
    dims: list[list[str]] = [[] for _ in range(rank)]
    is_open = [False] * rank
    for d, entry in enumerate(spec):
        is_open[d] = entry is PartitionSpec.UNCONSTRAINED
        axes = () if entry is None or is_open[d] else entry if isinstance(entry, tuple) else (entry,)
        for axis in axes:
            if any(axis in others for others in dims):
                raise UsageError(f"{what}: {spec} names axis '{axis}' twice")
            if axis not in mesh.axes:
                raise UsageError(f"{what}: {spec} names axis '{axis}', which the mesh lacks; it has: "
                                 + ", ".join(mesh.axes) + near(str(axis), list(mesh.axes)))
            dims[d].append(axis)
    if len(_physical_aval(value).shape) > rank:
        dims, is_open = dims + [[]], is_open + [False]
    return dims_attribute(mesh, dims, open_dims=is_open)


def _static_arguments(function: Callable, numbers: Any, names: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Static arguments by number and by name, of which one may follow from the other, as in `jax.jit`."""
    numbers = () if numbers is None else (numbers,) if isinstance(numbers, int) else tuple(numbers)
    names = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return numbers, names
    both = [p.name if p.kind == p.POSITIONAL_OR_KEYWORD else None for p in parameters]
    if names and not numbers:
        numbers = tuple(i for i, name in enumerate(both) if name in names)
    elif numbers and not names:
        names = tuple(name for i, name in enumerate(both) if name and (i in numbers or i - len(both) in numbers))
    return numbers, names


def jit(function: Callable | None = None, *, mesh: Any = None, in_shardings: Any = None, out_shardings: Any = None,
        static_argnums: Any = None, static_argnames: Any = None, donate_argnums: Any = (), donate_argnames: Any = (),
        keep_unused: bool = False, inline: bool = False, options: str = "", device: str = "threads", timeout: float = 60,
        reductions: str = "engine") -> Any:
    """Compiles a function for a mesh; `jax.jit` with the same arguments, and these:

    mesh: a `shardir.Mesh`, a dict of axis sizes or a JAX mesh, which PartitionSpecs in `in_shardings`,
        `out_shardings` and with_sharding_constraint refer to. Not needed where NamedShardings or jax.set_mesh say it.
        Explicit axes of a JAX mesh are in the types of arrays, where the function has such types.
    keep_unused, inline: change nothing; a program keeps all arguments, and has its functions inline.
    options, device, timeout, reductions: as for `shardir.compile`. options="propose" lets the compiler find placements.

    Sizes need not divide by those of the mesh. A sharding that is None is open. As in JAX, arrays that are
    donated are deleted by the call, and results of their shapes take their memory on the devices. Returns
    a `Jitted`, whose calls raise CompileError with the place in the source, UsageError for shardings that do not fit.
    """
    settings = dict(mesh=mesh, in_shardings=in_shardings, out_shardings=out_shardings, static_argnums=static_argnums,
                    static_argnames=static_argnames, donate_argnums=donate_argnums, donate_argnames=donate_argnames,
                    keep_unused=keep_unused, inline=inline, options=options, device=device, timeout=timeout,
                    reductions=reductions)
    if function is None:
        return functools.partial(jit, **settings)
    own = None if mesh is None else Mesh.of(mesh)
    abstract = None if own is None else mesh.abstract_mesh if isinstance(mesh, (AbstractMesh, jax.sharding.Mesh)) \
        else AbstractMesh(own.shape, tuple(own.axes))
    numbers, names = _static_arguments(function, static_argnums, static_argnames)
    jitted = jax.jit(function, static_argnums=numbers, static_argnames=names, keep_unused=True,
                     donate_argnums=donate_argnums, donate_argnames=donate_argnames or None)
    return Jitted(function, jitted, own, abstract, (in_shardings, out_shardings), (numbers, names),
                  dict(options=options, device=device, timeout=timeout, reductions=reductions))
