"""Ranks that are processes of MPI, from Python: the same bits as on threads, in every process."""

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


@pytest.mark.parametrize("ranks", [2, 4])
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
