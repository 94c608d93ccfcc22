"""compare-layouts.py FILE DIR [MESH]: runs every public function of FILE with each
`layout`, and ends with 1 unless results have equal bits. With MESH, on that one,
and all but row-major by processes of MPI.

`// MESHES: x=2 x=3` lines of FILE give the values of --mesh, `// INPUTS name:
flags` those of one function. `// SAVES name: auto contiguous` says with which
layouts a function packs less than row-major, `contiguous:x=4` on one mesh alone:
there `layout_saved_bytes` of the report must be what its collectives say; with
the others it must be 0.
"""
import json
import os
import re
import shlex
import subprocess
import sys

path, scratch, mpi_mesh = sys.argv[1], sys.argv[2], (sys.argv[3:] or [None])[0]
tool = os.environ.get("SHARD_RUN", "shard-run")
text = open(path).read()
functions = re.findall(r"^ *func\.func @(\w+)\(", text, re.MULTILINE)
meshes = [mesh for line in re.findall(r"^// MESHES: (.*)$", text, re.MULTILINE) for mesh in line.split()] or [None]
if mpi_mesh:
    meshes = [mpi_mesh]
saves = {name: line.split() for name, line in re.findall(r"^// SAVES (\w+): (.*)$", text, re.MULTILINE)}
inputs = {name: shlex.split(line) for name, line in re.findall(r"^// INPUTS (\w+): (.*)$", text, re.MULTILINE)}
if not functions or (set(saves) | set(inputs)) - set(functions):
    sys.exit(f"{path}: no public function, or facts about an unknown one")
os.makedirs(scratch, exist_ok=True)


def fail(what, output=""):
    print(f"{path}: {what}\n{output}")
    sys.exit(1)


def run(name, mesh, layout):
    """The bytes of all results, and the report."""
    results = len(re.findall(r"tensor<", re.search(
        rf"@{name}\(.*?-> \((.*?)\) {{$", text, re.MULTILINE | re.DOTALL)[1]))
    files = [os.path.join(scratch, f"{name}.{layout}.{i}.npy") for i in range(results)]
    report = os.path.join(scratch, f"{name}.{layout}.json")
    # Values stay where an annotation first brings them, so that collectives lie
    # between ops and not at arguments alone.
    command = [tool, path, f"--function={name}", f"--options=conflicts=shardy layout={layout}", f"--report={report}",
               *(f"--output=@{file}" for file in files), *inputs.get(name, [])]
    if mesh:
        command.append(f"--mesh={mesh}")
    if mpi_mesh and layout != "row-major":
        ranks = mpi_mesh.split("=")[1]
        command = ["mpirun", "-n", ranks, "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", *command,
                   "--device=mpi"]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    process = subprocess.run(command, capture_output=True, text=True, env=environment)
    if process.returncode != 0:
        fail(f"status {process.returncode}: {shlex.join(command)}", process.stdout + process.stderr)
    return [open(file, "rb").read() for file in files], json.load(open(report))


def packed(report):
    for each in report["collectives"]:
        if each["contiguous"] != (each["packed_bytes"] == 0):
            fail(f"contiguous contradicts packed_bytes: {each}")
    return sum(each["packed_bytes"] * each["executions"] for each in report["collectives"])


for name in functions:
    for mesh in meshes:
        expected, report = run(name, mesh, "row-major")
        before = packed(report)
        if report["layout_saved_bytes"] != 0:
            fail(f"@{name} on {mesh}: row-major saves something")
        for layout in ("auto", "contiguous"):
            results, report = run(name, mesh, layout)
            if results != expected:
                fail(f"@{name} on {mesh}: layout={layout} gives other bits than row-major")
            saved, gone = report["layout_saved_bytes"], before - packed(report)
            if layout == "auto" and saved != gone:
                fail(f"@{name} on {mesh}: {saved} bytes saved, {gone} fewer packed")
            if saved > gone or (saved > 0) != bool({layout, f"{layout}:{mesh}"} & set(saves.get(name, []))):
                fail(f"@{name} on {mesh}: layout={layout} saves {saved} of {before} bytes")
            if report["measured"]["bytes_per_device"] != report["bytes_per_device"]:
                fail(f"@{name} on {mesh}: measured bytes are not the predicted ones")
