"""Ranks that are processes of MPI, from Python: the same bits as on threads, in every process."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch_mlir")
pytest.importorskip("jax")
pytestmark = pytest.mark.skipif(not shutil.which("mpirun"), reason="needs Open MPI's mpirun")

SCRIPT = pathlib.Path(__file__).parent / "train_over_processes.py"


def results(ranks, device, folder, *cases):
    """What each process has found."""
    folder.mkdir()
    command = [sys.executable, SCRIPT, device, folder, str(ranks), *cases]
    if device == "mpi":
        command = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(ranks), *command]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]
    return [dict(np.load(path)) for path in sorted(folder.glob("*.npz"))]


@pytest.mark.parametrize("ranks", [4])
def test_processes_find_what_threads_find(ranks, tmp_path):
    [expected] = results(ranks, "threads", tmp_path / "threads", "training", "descent")
    found = results(ranks, "mpi", tmp_path / "mpi", "training", "descent")
    assert len(found) == ranks
    assert expected["torch losses"][3] == expected["resumed loss"]
    for each in found:
        assert each.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_array_equal(each[name], value, err_msg=name)
    assert sorted(os.listdir(tmp_path / "mpi" / "checkpoint")) == ["optimizer.json", "state.safetensors"]


@pytest.mark.parametrize("ranks", [4])
def test_checkpoints_by_slices(ranks, tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    found = results(ranks, "mpi", tmp_path / "saving", "saving")
    assert len(found) == ranks
    one, several = tmp_path / "shared" / "one", tmp_path / "shared" / "several"
    assert sorted(os.listdir(one)) == ["optimizer.json", "state.safetensors"]
    index = json.loads((several / "state.safetensors.index.json").read_text())
    names = sorted(set(index["weight_map"].values()))
    assert len(names) > 2
    assert sorted(os.listdir(several)) == ["optimizer.json", *names, "state.safetensors.index.json"]
    expected = safetensors.load_file(one / "state.safetensors")
    parts = {}
    for name in names:
        parts.update(safetensors.load_file(several / name))
    size = sum(value.nbytes for value in expected.values())
    assert index["metadata"]["total_size"] == size > 3 << 20
    # In the background the state is that of the call, whatever the steps since have made of it.
    assert parts.keys() == expected.keys() == index["weight_map"].keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(parts[name], value, err_msg=name)
    # No process holds, reads or writes more than its shards, of rows that are split unevenly.
    for each in found:
        for what in ("written", "read", "held"):
            assert each[what] < size / ranks * 1.1, what
        assert each["resumed loss"] == each["first loss"]
    # On another mesh, under another plan: over more processes, or in one.
    resumed = (results(4, "mpi", tmp_path / "mpi", "resuming") if ranks == 2
               else results(3, "threads", tmp_path / "threads", "resuming"))
    assert len(resumed) == (4 if ranks == 2 else 1)
    for each in resumed:
        for checkpoint in ("one", "several"):
            for name, value in expected.items():
                np.testing.assert_array_equal(each[f"{checkpoint} {name}"], value, err_msg=name)
            np.testing.assert_allclose(each[f"{checkpoint} loss"], found[0]["first loss"], rtol=1e-4)


@pytest.mark.parametrize("ranks", [2])
def test_processes_pass_their_own_shards(ranks, tmp_path):
    [expected] = results(ranks, "threads", tmp_path / "threads", "local_inputs")
    found = results(ranks, "mpi", tmp_path / "mpi", "local_inputs")
    assert len(found) == ranks
    for each in found:
        assert each.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_array_equal(each[name], value, err_msg=name)


def test_wrong_shards_of_processes(tmp_path):
    expected = {
        "copies": "UsageError: 'input' of process 1 differs from that of process 0, which holds the same part",
        "shape": "holds a shard of shape (8, 5) of the full shape (8, 5), but its shardir.Local has shape (3, 5)",
        "full shape": "UsageError: input 'input' has shape (9, 5)",
        "verify": "was given a shardir.Local where a full array is needed",
        "mixed": "UsageError: 'input' of process 1 differs from that of process 0"}
    for each in results(2, "mpi", tmp_path / "mpi", "local_mistakes"):
        for case, message in expected.items():
            assert message in str(each[case])
    [alone] = results(2, "threads", tmp_path / "threads", "local_mistakes")
    assert "but device 'threads' has all ranks in this one: pass the full array" in str(alone["copies"])


def test_a_save_that_fails_leaves_the_old_checkpoint(tmp_path):
    found = results(2, "mpi", tmp_path / "mpi", "one_cannot_write")
    assert [str(each["one_cannot_write"]) for each in found] == ["Error: process 1: the disk is full",
                                                                 "UsageError: the disk is full"]
    assert sorted(os.listdir(tmp_path / "mpi" / "checkpoint")) == ["optimizer.json", "state.safetensors"]


def test_processes_that_differ_say_so(tmp_path):
    expected = {
        "other_arrays": "UsageError: 'input' of process 1 differs from that of process 0: every process passes the same",
        "other_weights": "UsageError: '3.weight' of process 1 differs",
        "one_saves": "UsageError: process 1 makes another call than process 0"}
    found = results(2, "mpi", tmp_path / "mpi", *expected)
    assert len(found) == 2
    for each in found:
        for case, message in expected.items():
            assert message in str(each[case])
