"""Meshes of devices, and placements of tensors on them."""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import UsageError

__all__ = ["Mesh", "Shard", "Replicate", "Partial"]


@dataclasses.dataclass(frozen=True)
class Shard:
    """Along its axis of the mesh, each device has a block of dim `dim`. Negative dims count
    from the end. Blocks are of ceil(size / devices) elements: the last ones may be short or
    empty."""

    dim: int


@dataclasses.dataclass(frozen=True)
class Replicate:
    """Along its axis of the mesh, every device has the same."""


@dataclasses.dataclass(frozen=True)
class Partial:
    """Along its axis of the mesh, the devices hold terms that `reduce_op` (sum, prod, max or
    min) combines."""

    reduce_op: str = "sum"


class Mesh:
    """Devices in a grid with named axes.

    `Mesh({"dp": 2, "tp": 4})` has 8 devices; rank 5 is at dp=1, tp=1, as the last axis counts
    fastest. `Mesh.of` also takes PyTorch's `DeviceMesh` and JAX's `Mesh`.
    """

    def __init__(self, axes: Mapping[str, int] | str, name: str = "mesh"):
        if not isinstance(axes, Mapping):
            axes = Mesh.of(axes).axes
        if not axes:
            raise UsageError("a mesh needs one axis at least, as in Mesh({'dp': 2})")
        for axis, size in axes.items():
            if not isinstance(axis, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", axis):
                raise UsageError(f"{axis!r} is no name of a mesh axis: use letters, digits, '_' and '-'")
            if isinstance(size, bool) or not hasattr(size, "__index__") or size < 1:
                raise UsageError(f"mesh axis '{axis}' has size {size!r}; it must be an integer of 1 or more")
        if math.prod(axes.values()) > 65536:
            raise UsageError(f"a mesh has 65536 devices at most, not {math.prod(axes.values())}")
        if len(axes) > 8:
            raise UsageError(f"a mesh has 8 axes at most, not {len(axes)}")
        self.axes = {axis: int(size) for axis, size in axes.items()}
        self.name = name

    @classmethod
    def of(cls, mesh: Any) -> Mesh:
        """A mesh from a `Mesh`, a dict, text such as "dp=2,tp=4", PyTorch's `DeviceMesh` or
        JAX's `Mesh`."""
        if isinstance(mesh, Mesh):
            return mesh
        if isinstance(mesh, str):
            axes = {}
            for part in mesh.split(","):
                axis, _, size = part.partition("=")
                if not size.strip().isdigit():
                    raise UsageError(f"'{part}' in mesh '{mesh}' is not of the form axis=size")
                axes[axis.strip()] = int(size)
            return cls(axes)
        if isinstance(mesh, Mapping):
            return cls(mesh)
        if hasattr(mesh, "mesh_dim_names"):  # torch.distributed.DeviceMesh
            shape = tuple(mesh.mesh.shape) if hasattr(mesh, "mesh") else tuple(mesh.shape)
            names = mesh.mesh_dim_names or [f"dim_{i}" for i in range(len(shape))]
            return cls(dict(zip(names, shape)))
        if hasattr(mesh, "axis_names"):  # jax.sharding.Mesh, AbstractMesh
            return cls({str(axis): int(size) for axis, size in dict(mesh.shape).items()})
        raise UsageError(f"cannot make a mesh of {type(mesh).__name__}: give a Mesh, a dict of axis sizes, a "
                         "DeviceMesh or a jax.sharding.Mesh")

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.axes.values())

    @property
    def size(self) -> int:
        """The number of devices."""
        return math.prod(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and list(self.axes.items()) == list(other.axes.items())

    def __hash__(self) -> int:
        return hash(tuple(self.axes.items()))

    def __repr__(self) -> str:
        return f"Mesh({self.axes})"

    def declaration(self) -> str:
        """The op that declares the mesh."""
        return f"shardir.mesh @{self.name} {self.attribute()}"

    def attribute(self) -> str:
        """The mesh as in the IR: `<["dp"=2, "tp"=4]>`."""
        return "<[" + ", ".join(f'"{axis}"={size}' for axis, size in self.axes.items()) + "]>"


def in_module(text: str, line: str) -> str:
    """The text of a module, custom or generic, with one more op at its start."""
    lines = text.split("\n")
    at = next(i for i, text in enumerate(lines) if re.match(r'(module|"builtin.module")', text))
    lines.insert(at + 1, f"  {line}")
    return "\n".join(lines)


#: PyTorch's names of reductions, and ours.
_REDUCTIONS = {"sum": "sum", "prod": "prod", "product": "prod", "max": "max", "min": "min",
               "band": "and", "bor": "or", "bxor": "xor"}


def _axis_placement(entry: Any, axis: str, rank: int, what: str) -> tuple[str, Any]:
    """What one entry of a placement says: ("shard", dim), ("replicate", None), ("partial", kind)."""
    kind = type(entry).__name__
    if kind == "Shard":
        dim = int(entry.dim)
        if not -rank <= dim < rank:
            raise UsageError(f"{what}: Shard({dim}) for mesh axis '{axis}', but the tensor has {rank} "
                             f"dim{'' if rank == 1 else 's'}")
        return "shard", dim % rank
    if kind == "Replicate":
        return "replicate", None
    if kind == "Partial" or kind == "_Partial":
        reduction = str(getattr(entry, "reduce_op", "sum"))
        if reduction not in _REDUCTIONS:
            raise UsageError(f"{what}: Partial({reduction!r}) for mesh axis '{axis}'; known: "
                             + ", ".join(sorted(set(_REDUCTIONS))))
        return "partial", _REDUCTIONS[reduction]
    raise UsageError(f"{what}: {entry!r} for mesh axis '{axis}' is no placement: use Shard(dim), Replicate() or "
                     "Partial()")


def is_placement(entry: Any) -> bool:
    return type(entry).__name__ in ("Shard", "Replicate", "Partial", "_Partial")


def placement_attribute(mesh: Mesh, placement: Any, rank: int, what: str) -> str:
    """`#shardir.placement<...>` for one entry per mesh axis. Raises UsageError that starts with
    `what`, the tensor's name, where it does not fit a tensor of `rank` dims."""
    if type(placement).__name__ == "PartitionSpec":
        raise UsageError(f"{what}: {placement} is JAX's spelling, one entry for each dim; give one placement for each "
                         "mesh axis, as in [Shard(0), Replicate()]")
    entries = [placement] if is_placement(placement) else list(placement)
    if len(entries) != len(mesh.axes):
        raise UsageError(f"{what}: {len(entries)} placement{'' if len(entries) == 1 else 's'} for a mesh of "
                         f"{len(mesh.axes)} axes ({', '.join(mesh.axes)}); give one per axis")
    dims: list[list[str]] = [[] for _ in range(rank)]
    partial: list[str] = []
    kinds: set[str] = set()
    for axis, entry in zip(mesh.axes, entries):
        kind, value = _axis_placement(entry, axis, rank, what)
        if kind == "shard":
            dims[value].append(axis)
        elif kind == "partial":
            partial.append(axis)
            kinds.add(value)
    if len(kinds) > 1:
        raise UsageError(f"{what}: partial {' and '.join(sorted(kinds))} at once; one tensor has one reduction")
    return dims_attribute(mesh, dims, partial, kinds.pop() if kinds else "")


def dims_attribute(mesh: Mesh, dims: Sequence[Sequence[str]], partial: Sequence[str] = (), kind: str = "",
                   open_dims: Sequence[bool] = ()) -> str:
    """`#shardir.placement<...>` with the axes that split each dim."""
    def one(i: int, axes: Sequence[str]) -> str:
        parts = [f'"{axis}"' for axis in axes] + (["?"] if i < len(open_dims) and open_dims[i] else [])
        return "{" + ", ".join(parts) + "}"

    text = f"#shardir.placement<@{mesh.name}, [" + ", ".join(one(i, axes) for i, axes in enumerate(dims)) + "]"
    if partial:
        text += f", partial = {kind} [" + ", ".join(f'"{axis}"' for axis in partial) + "]"
    return text + ">"


def near(name: str, known: Sequence[str]) -> str:
    """`; did you mean 'x'?`, or nothing."""
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return "; did you mean " + " or ".join(f"'{c}'" for c in close) + "?" if close else ""


# -- Blocks: which part of a tensor each rank holds --------------------------------------------

_DIM = re.compile(r"\{([^}]*)\}")
_AXIS = re.compile(r'"([^"]+)"(?::\((\d+)\)(\d+))?|(\d+)')


@dataclasses.dataclass(frozen=True)
class Block:
    """The part of a tensor that one rank holds: a half-open range per dim. Where a factor stays on
    the device, a dim's part is several ranges, in `parts`, and `ranges` has the one that encloses them."""

    rank: int
    ranges: tuple[tuple[int, int], ...]
    parts: tuple[tuple[tuple[int, int], ...], ...] = ()

    def parts_of(self, dim: int) -> tuple[tuple[int, int], ...]:
        """The ranges of one dim, in increasing order, none of them beside another."""
        return self.parts[dim] if self.parts else (self.ranges[dim],)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(sum(stop - start for start, stop in self.parts_of(d)) for d in range(len(self.ranges)))


def split_axes(placement: str) -> list[list[tuple[str, int, int]]]:
    """The axes that split each dim of `#shardir.placement<...>`, as (axis, pre-size, size), size
    0 for a full axis, and axis "" for a factor that stays on the device."""
    dims = placement.partition("[")[2]
    depth, end = 1, 0
    for end, c in enumerate(dims):
        depth += (c == "[") - (c == "]")
        if depth == 0:
            break
    return [[(m[1] or "", int(m[2] or 1), int(m[3] or m[4] or 0)) for m in _AXIS.finditer(dim[1])]
            for dim in _DIM.finditer(dims[:end])]


def blocks(placement: str, axes: Mapping[str, int], shape: Sequence[int]) -> list[Block]:
    """What each position of the mesh holds of a tensor of `shape`."""
    sizes = list(axes.values())
    split = split_axes(placement) if placement else [[] for _ in shape]
    found = []
    for rank in range(math.prod(sizes)):
        place, rest = {}, rank
        for axis, size in reversed(list(axes.items())):
            rest, place[axis] = divmod(rest, size)
        dims = [_parts(extent, parts, axes, place) for extent, parts in zip(shape, split)]
        ranges = tuple((parts[0][0], parts[-1][1]) for parts in dims)
        found.append(Block(rank, ranges, tuple(dims) if any(len(parts) > 1 for parts in dims) else ()))
    return found


def first_holder(placement: str, axes: Mapping[str, int], position: int) -> int:
    """The first position of the mesh with the part of a tensor without partials that `position` holds: 0 along what
    splits no dim."""
    used = [part for dim in split_axes(placement) for part in dim if part[0]] if placement else []
    first, stride = 0, 1
    for axis, full in reversed(list(axes.items())):
        position, place = divmod(position, full)
        for name, before, size in used:
            size = size or full
            after = full // (before * size)
            if name == axis:
                first += place // after % size * after * stride
        stride *= full
    return first


def _parts(extent: int, split: Sequence[tuple[str, int, int]], axes: Mapping[str, int],
           place: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    """The ranges of one dim that the device at `place` holds."""
    starts, index, count = [0], 0, 1
    for axis, before, size in split:
        if axis:
            full = axes[axis]
            size = size or full
            after = full // (before * size)
            index, count = index * size + place[axis] // after % size, count * size
            continue
        # Each device has one position along the axes so far, and all of the factor's.
        rest = extent // count
        starts = [start + index * rest for start in starts]
        extent, index, count = rest // size, 0, 1
        starts = [start + k * extent for start in starts for k in range(size)]
    block = -(-extent // count)
    low = min(index * block, extent)
    high = min(low + block, extent)
    parts: list[tuple[int, int]] = []
    for start in starts:
        if parts and parts[-1][1] == start + low:
            parts[-1] = (parts[-1][0], start + high)
        else:
            parts.append((start + low, start + high))
    return tuple(parts)
