"""What the pages and the examples show, run as they are."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

for _module in ("torch", "torch_mlir", "jax", "optax"):
    pytest.importorskip(_module)

ROOT = pathlib.Path(__file__).resolve().parents[2]
GALLERY = sorted(p.stem for p in (ROOT / "examples" / "gallery").glob("*.py"))


def run(folder, *arguments, command=(), env=None):
    found = subprocess.run([*command, sys.executable, "-W", "ignore", *map(str, arguments)], cwd=folder, env=env,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    assert found.returncode == 0, found.stdout
    return found.stdout


@pytest.mark.parametrize("page", ["README.md", "docs/Python.md", "docs/howto/checkpoints.md",
                                  "docs/howto/describe-a-machine.md", "docs/howto/hugging-face.md"])
def test_blocks(page, tmp_path):
    """The blocks of each page run as one script."""
    run(tmp_path, script_of(page, tmp_path))


@pytest.mark.skipif(not shutil.which("mpirun"), reason="needs Open MPI's mpirun")
def test_blocks_over_mpi(tmp_path):
    """Process 0 alone prints the loss, and all write the checkpoint."""
    script = script_of("docs/howto/run-over-mpi.md", tmp_path)
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", "--quiet", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "4"]
    over_mpi = float(run(tmp_path, script, command=command, env=environment))
    assert sorted(os.listdir(tmp_path / "checkpoint")) == ["optimizer.json", "state.safetensors"]
    text = script.read_text(encoding="utf-8").partition("block = ")[0]  # parts of the batch are for processes
    script.write_text(text.replace(', device="mpi"', ""), encoding="utf-8")
    assert over_mpi == pytest.approx(float(run(tmp_path, script)), rel=1e-4)


def script_of(page, tmp_path):
    """The Python blocks of a page, as one script; their places are lines of the page."""
    lines = (ROOT / page).read_text(encoding="utf-8").split("\n")
    inside, script = False, []
    for line in lines:
        opens = line == "```python"
        inside = (inside or opens) and line != "```"
        script.append(line if inside and not opens else "")
    os.symlink(ROOT / "examples", tmp_path / "examples")
    path = tmp_path / "page.py"
    path.write_text("\n".join(script), encoding="utf-8")
    return path


def test_readme_shows_the_report(tmp_path):
    """But for the time, and for the folder of the script."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(.*?)```.*?```\n(.*?)```", text, re.DOTALL)
    (tmp_path / "mlp.py").write_text(block[1], encoding="utf-8")
    printed = run(tmp_path, "mlp.py").split("mesh @", 1)[1]

    def rows(report):
        return [" ".join(line.split()) for line in report.replace(f"{tmp_path}/", "").splitlines()
                if not line.startswith("measured")]

    assert rows(printed) == rows(block[2].split("mesh @", 1)[1])


@pytest.mark.parametrize("name", GALLERY)
def test_gallery(name, tmp_path):
    """Each script compares its result with the framework's own."""
    assert "bytes received per device" in run(tmp_path, ROOT / "examples" / "gallery" / f"{name}.py")


def test_gallery_is_complete():
    page = (ROOT / "docs" / "Gallery.md").read_text(encoding="utf-8")
    for name in GALLERY:
        code = (ROOT / "examples" / "gallery" / f"{name}.py").read_text(encoding="utf-8").split('"""\n', 1)[1]
        assert code in page, f"{name}: utils/make-gallery.py makes the page"


def test_checkpoints(tmp_path):
    """The page shows the script, and what it prints."""
    script = ROOT / "examples" / "howto" / "checkpoint.py"
    page = (ROOT / "docs" / "howto" / "checkpoints.md").read_text(encoding="utf-8")
    assert script.read_text(encoding="utf-8").split('"""\n', 1)[1] in page
    assert run(tmp_path, script) in page


def test_gpt_goes_on_where_it_stopped(tmp_path):
    """... on another mesh, and as if it had not stopped."""
    script = ROOT / "examples" / "train_gpt.py"
    loss = re.compile(r"loss [\d.]+ -> ([\d.]+)")
    straight = loss.search(run(tmp_path, script, "--steps=20", "--compare", "--curve=a.svg"))
    run(tmp_path, script, "--steps=10", "--save=half")
    resumed = loss.search(run(tmp_path, script, "--steps=20", "--resume=half", "--mesh=dp=3"))
    assert abs(float(straight[1]) - float(resumed[1])) < 2e-3
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").count("<polyline") == 2


def test_jax_example(tmp_path):
    printed = run(tmp_path, ROOT / "examples" / "train_mlp_jax.py")
    assert float(re.search(r"largest difference from JAX's loss: (\S+)", printed)[1]) < 1e-5
