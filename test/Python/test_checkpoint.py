"""The files of checkpoints: what the safetensors library makes of them, how they replace each other, and damage."""

import io
import json
import os
import struct
import sys
import threading

import numpy as np
import pytest
import shardir
from shardir import _checkpoint

safetensors = pytest.importorskip("safetensors.numpy")
DTYPES = {"float32": "F32", "int64": "I64", "bool": "BOOL", "float16": "F16"}


def values(seed):
    """Types of all sizes, a scalar and an empty tensor."""
    random = np.random.default_rng(seed)
    return {"b": random.standard_normal((3, 5)).astype(np.float32), "a": random.integers(0, 2, 7).astype(bool),
            "scalar": np.array(seed, dtype=np.int64), "none": np.zeros((0, 4), np.float32),
            "half": random.standard_normal(3).astype(np.float16)}


def save(folder, arrays, part_bytes=10**9, broken=False):
    named = [_checkpoint.Named(n, DTYPES[str(a.dtype)], a.itemsize, a.shape) for n, a in arrays.items()]

    def write(i, fd, offset, path):
        if broken:
            raise OSError(28, "No space left on device", path)
        os.pwrite(fd, list(arrays.values())[i].tobytes(), offset)

    _checkpoint.Saving(str(folder), named, write, {"optimizer.json": "{}"}, part_bytes, "threads", 60).wait()


def check(folder, arrays):
    found = _checkpoint.stored(str(folder))
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        there = found[name]
        np.testing.assert_array_equal(safetensors.load_file(there.path)[name], array)
        with open(there.path, "rb") as file:
            file.seek(there.offset)
            assert file.read(array.nbytes) == array.tobytes()
        assert (there.shape, there.dtype, there.nbytes) == (array.shape, DTYPES[str(array.dtype)], array.nbytes)


def test_one_file_then_several_then_others(tmp_path):
    save(tmp_path, values(1))
    check(tmp_path, values(1))
    assert sorted(os.listdir(tmp_path)) == ["optimizer.json", "state.safetensors"]
    save(tmp_path, values(2))
    check(tmp_path, values(2))
    save(tmp_path, values(3), part_bytes=64)
    check(tmp_path, values(3))
    assert "state.safetensors" not in os.listdir(tmp_path)
    assert "state-00001-of-00002.safetensors" in os.listdir(tmp_path)
    save(tmp_path, values(4), part_bytes=64)
    check(tmp_path, values(4))
    save(tmp_path, values(5))
    check(tmp_path, values(5))
    assert sorted(os.listdir(tmp_path)) == ["optimizer.json", "state-00001-of-00001.safetensors",
                                            "state.safetensors.index.json"]


def test_progress(tmp_path, monkeypatch):
    """A save in the background tells how much is written, and waiting for it shows that on a terminal."""
    named = [_checkpoint.Named(n, "U8", 1, (size,)) for n, size in (("first", 30), ("second", 10))]
    begun, goes_on = threading.Event(), threading.Event()

    def write(i, fd, offset, path):
        if i == 1:
            begun.set()
            goes_on.wait(60)

    saving = _checkpoint.Saving(str(tmp_path), named, write, {}, 10**9, "threads", 60)
    assert begun.wait(60)
    assert saving.progress == 0.75 and not saving.is_written()
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    clock = iter(range(0, 1000, 3))
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("shardir._compiler.time.monotonic", lambda: next(clock))
    threading.Timer(0.6, goes_on.set).start()
    saving.wait()
    assert saving.progress == 1
    assert f"saving '{tmp_path}': 75%, 3 s" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")


def test_a_full_disk_leaves_what_was_there(tmp_path):
    save(tmp_path, values(1))
    with pytest.raises(shardir.UsageError, match="cannot write '.*state-00001-of-00001.safetensors.tmp': No space"):
        save(tmp_path, values(2), broken=True)
    check(tmp_path, values(1))
    assert sorted(os.listdir(tmp_path)) == ["optimizer.json", "state.safetensors"]


def test_a_folder_that_is_none(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(shardir.UsageError, match="cannot write '.*file"):
        save(tmp_path / "file" / "inside", values(1))
    with pytest.raises(shardir.UsageError, match="there is no checkpoint in '.*none'"):
        _checkpoint.stored(str(tmp_path / "none"))


def header(described):
    text = json.dumps(described).encode()
    return struct.pack("<Q", len(text)) + text


@pytest.mark.parametrize("contents", [
    b"", b"\0" * 8, struct.pack("<Q", 1 << 60) + b"{}", struct.pack("<Q", 2) + b"[]", header({"x": 1}),
    header({"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}),
    header({"x": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}})])
def test_damaged_files(tmp_path, contents):
    (tmp_path / "state.safetensors").write_bytes(contents)
    with pytest.raises(shardir.UsageError, match="no '.safetensors' file, or is cut off"):
        _checkpoint.stored(str(tmp_path))


@pytest.mark.parametrize("index, message", [
    ("{", "no index"), ("[]", "no index"), ('{"weight_map": {"x": "../y"}}', "no index"),
    ('{"weight_map": {"x": "none.safetensors"}}', "cannot read '.*none.safetensors': No such file"),
    ('{"weight_map": {"y": "part.safetensors"}}', "no tensor 'y', which the index gives to it")])
def test_damaged_indices(tmp_path, index, message):
    safetensors.save_file({"x": np.zeros(2, np.float32)}, tmp_path / "part.safetensors")
    (tmp_path / "state.safetensors.index.json").write_text(index)
    with pytest.raises(shardir.UsageError, match=message):
        _checkpoint.stored(str(tmp_path))
