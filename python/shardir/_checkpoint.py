"""Checkpoints by slices: `.safetensors` files of full tensors, of which each process reads and writes what its shards
hold, and no more. Requires a folder that all processes see; guarantees that a checkpoint is replaced as a whole, or
not at all."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import struct
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ._compiler import Progress
from ._errors import UsageError
from ._program import in_all_processes, is_first_process

#: Element types as `.safetensors` writes them, and their bytes.
DTYPES = {"i1": ("BOOL", 1), "i8": ("I8", 1), "i16": ("I16", 2), "i32": ("I32", 4), "i64": ("I64", 8),
          "index": ("I64", 8), "f16": ("F16", 2), "bf16": ("BF16", 2), "f32": ("F32", 4), "f64": ("F64", 8),
          "f8E4M3FN": ("F8_E4M3", 1), "f8E5M2": ("F8_E5M2", 1)}
_FILE, _INDEX = "state.safetensors", "state.safetensors.index.json"


@dataclasses.dataclass(frozen=True)
class Stored:
    """A tensor in a file, whose `nbytes` bytes begin at `offset`. `digest` is of the file's header."""

    path: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    nbytes: int
    digest: int


@dataclasses.dataclass(frozen=True)
class Named:
    """A tensor that is to be written, with the name of its type in `.safetensors` and the bytes of an element."""

    name: str
    dtype: str
    element_bytes: int
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        return self.element_bytes * math.prod(self.shape)


class _Part:
    """A file of a checkpoint: its header, and where each tensor begins, by number."""

    def __init__(self, tensors: Sequence[Named], numbers: list[int]):
        # Larger elements first, so that all are aligned.
        self.numbers = sorted(numbers, key=lambda i: (-tensors[i].element_bytes, tensors[i].name))
        described, at = {}, 0
        for i in self.numbers:
            t = tensors[i]
            described[t.name] = {"dtype": t.dtype, "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
            at += t.nbytes
        text = json.dumps(described, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        self.head = struct.pack("<Q", len(text)) + text
        self.size = len(self.head) + at
        self.offsets = {i: len(self.head) + described[tensors[i].name]["data_offsets"][0] for i in self.numbers}


def _parts(tensors: Sequence[Named], part_bytes: int) -> list[_Part]:
    parts: list[list[int]] = [[]]
    filled = 0
    for i, tensor in enumerate(tensors):
        if parts[-1] and filled + tensor.nbytes > part_bytes:
            parts.append([])
            filled = 0
        parts[-1].append(i)
        filled += tensor.nbytes
    return [_Part(tensors, numbers) for numbers in parts]


def _sync_and_replace(path: str, text: str) -> None:
    """Gives a file these contents as a whole."""
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tmp", path)


@contextlib.contextmanager
def _opened(path: str, flags: int) -> Iterator[int]:
    fd = os.open(path, flags | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


@contextlib.contextmanager
def _usage_errors(verb: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot {verb} '{error.filename}': {error.strerror}") from error


@contextlib.contextmanager
def shown(what: str, is_first: bool) -> Iterator[Callable[[float], None]]:
    """A function that shows how much of `what` is done, 0 to 1, on the terminal of the first process."""
    progress = Progress(what)
    try:
        yield progress.show if is_first else lambda done: None
    finally:
        progress.end()


class Saving:
    """A checkpoint that is being written while steps go on. It has its name after `wait`, which all processes call
    where ranks are processes; until then the one that was there before stays."""

    def __init__(self, folder: str, tensors: Sequence[Named], write: Callable[[int, int, int, str], None],
                 extra: Mapping[str, str], part_bytes: int, device: str, timeout: float):
        """write(number, fd, offset, path): writes this process' elements of a tensor. extra: small files beside it,
        by name, which process 0 writes."""
        self._folder, self._tensors, self._write, self._extra = folder, tensors, write, extra
        self._processes = (device, timeout)
        self._is_first = is_first_process(device)
        self._parts = _parts(tensors, part_bytes)
        self._size, self._written = sum(tensor.nbytes for tensor in tensors), 0
        self._error: Exception | None = None
        self._ended = False
        with in_all_processes(*self._processes), _usage_errors("write"):
            if self._is_first:
                os.makedirs(folder, exist_ok=True)
                for i, part in enumerate(self._parts):
                    with _opened(self._temporary(i), os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as fd:
                        os.truncate(fd, part.size)
                        os.pwrite(fd, part.head, 0)
        self._thread = threading.Thread(target=self._run, name="shardir save")
        self._thread.start()

    def is_written(self) -> bool:
        """Whether this process has written its part, so that `wait` does not wait for it."""
        return not self._thread.is_alive()

    @property
    def progress(self) -> float:
        """How much of its part this process has written, 0 to 1, in steps of a tensor."""
        return self._written / self._size if self._size else float(self.is_written())

    def wait(self) -> None:
        """Ends the save; a terminal shows its progress. Raises what went wrong in any process."""
        if self._ended:
            return
        self._ended = True
        try:
            with in_all_processes(*self._processes):
                with shown(f"saving '{self._folder}':", self._is_first) as show:
                    while self._thread.is_alive():
                        self._thread.join(0.25)
                        show(self.progress)
                if self._error is not None:
                    raise self._error
            with in_all_processes(*self._processes), _usage_errors("write"):
                if self._is_first:
                    for name, text in self._extra.items():
                        _sync_and_replace(os.path.join(self._folder, name), text)
                    self._publish()
        finally:
            for i in range(len(self._parts) if self._is_first else 0):
                with contextlib.suppress(OSError):  # gone, unless something went wrong
                    os.unlink(self._temporary(i))

    def _name(self, part: int, save: int = 1) -> str:
        return f"state{f'.{save}' if save > 1 else ''}-{part + 1:05}-of-{len(self._parts):05}.safetensors"

    def _temporary(self, part: int) -> str:
        return os.path.join(self._folder, self._name(part) + ".tmp")

    def _run(self) -> None:
        try:
            with _usage_errors("write"):
                for i, part in enumerate(self._parts):
                    path = self._temporary(i)
                    with _opened(path, os.O_WRONLY) as fd:
                        for number in part.numbers:
                            self._write(number, fd, part.offsets[number], path)
                            self._written += self._tensors[number].nbytes
                        os.fsync(fd)
        except Exception as error:
            self._error = error
        finally:
            self._write = None  # and the shards that it has

    def _publish(self) -> None:
        """The new files have names of their own; then the index names them, and the old ones go."""
        index, single = os.path.join(self._folder, _INDEX), os.path.join(self._folder, _FILE)
        if len(self._parts) == 1 and not os.path.exists(index):
            os.replace(self._temporary(0), single)
            return
        save, count = 1, len(self._parts)
        while any(os.path.exists(os.path.join(self._folder, self._name(i, save))) for i in range(count)):
            save += 1
        old = {single}
        if os.path.exists(index):
            old |= {os.path.join(self._folder, name) for name in _weight_map(index).values()}
        for i in range(count):
            os.replace(self._temporary(i), os.path.join(self._folder, self._name(i, save)))
        files = {self._tensors[number].name: self._name(i, save)
                 for i, part in enumerate(self._parts) for number in part.numbers}
        described = {"metadata": {"total_size": self._size}, "weight_map": files}
        _sync_and_replace(index, json.dumps(described, indent=2) + "\n")
        for path in old:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)


def _weight_map(path: str) -> dict[str, str]:
    with open(path, encoding="utf-8") as file:
        try:
            found = json.load(file)["weight_map"]
        except (ValueError, KeyError, TypeError):
            found = None
    if not isinstance(found, dict) or not all(isinstance(n, str) and "/" not in n for n in found.values()):
        raise UsageError(f"cannot read '{path}': it is no index of '.safetensors' files")
    return found


def _tensors_in(path: str) -> dict[str, Stored]:
    with open(path, "rb") as file:
        try:
            length, = struct.unpack("<Q", file.read(8))
            size = os.fstat(file.fileno()).st_size
            text = file.read(length) if length <= size - 8 else b""
            found = {}
            for name, tensor in json.loads(text).items():
                if name == "__metadata__":
                    continue
                begin, end = tensor["data_offsets"]
                found[name] = Stored(path, tensor["dtype"], tuple(tensor["shape"]), 8 + length + begin, end - begin,
                                     zlib.crc32(text))
                if not 0 <= begin <= end <= size - 8 - length:
                    raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError, struct.error):
            raise UsageError(f"cannot read '{path}': it is no '.safetensors' file, or is cut off") from None
    return found


def stored(folder: str) -> dict[str, Stored]:
    """The tensors of a checkpoint, by name. Raises UsageError where there is none, or where it is damaged."""
    index, single = os.path.join(folder, _INDEX), os.path.join(folder, _FILE)
    with _usage_errors("read"):
        if not os.path.exists(index):
            if not os.path.isfile(single):
                raise UsageError(f"there is no checkpoint in '{folder}'")
            return _tensors_in(single)
        found = {}
        for name in dict.fromkeys((files := _weight_map(index)).values()):
            path = os.path.join(folder, name)
            there = _tensors_in(path)
            for tensor, where in files.items():
                if where != name:
                    continue
                if tensor not in there:
                    raise UsageError(f"cannot read '{path}': it has no tensor '{tensor}', which the index gives to it")
                found[tensor] = there[tensor]
        return found


def read_all(entry: Any, folder: str, tensors: Sequence[tuple[Stored, int]], device: str) -> list[Any]:
    """This process' shards of the first arguments, each a stored tensor with the bytes of an element."""
    size, done, state = sum(tensor.nbytes for tensor, _ in tensors), 0, []
    with shown(f"loading '{folder}':", is_first_process(device)) as show:
        for number, (tensor, element_bytes) in enumerate(tensors):
            state.append(_read(entry, number, tensor, element_bytes))
            done += tensor.nbytes
            show(done / max(size, 1))
    return state


def _read(entry: Any, number: int, tensor: Stored, element_bytes: int) -> Any:
    """This process' shards of argument `number`."""
    if tensor.nbytes != element_bytes * math.prod(tensor.shape):
        raise UsageError(f"cannot read '{tensor.path}': a tensor of shape {tensor.shape} has {tensor.nbytes} bytes")
    with _usage_errors("read"), _opened(tensor.path, os.O_RDONLY) as fd:
        return entry.read_shards(number, fd, tensor.offset, tensor.path, tensor.digest ^ tensor.offset)
