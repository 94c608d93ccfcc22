#!/usr/bin/env python3
# Runs the programs of the corpus, annotated from their manifest, on several meshes
# and compares them with their stored outputs and with the unsharded program.
#
# Requires: a build with shard-run, and the corpus.
# Guarantees: one row per program and mesh; nothing that was not run is counted as
# passed; exit status 1 where a row failed.
"""Run the corpus on several meshes; prints a table and writes JSON."""

import argparse
import collections
import fnmatch
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import annotate
import hlo_bytes

MESHES = ["tp=2", "tp=4", "dp=2,tp=2", "tp=3"]
# By shard-run's exit status.
STATUS = {0: "pass", 1: "differs", 2: "usage", 3: "compile", 4: "rank"}


def tolerance_of(program):
    """As the corpus says: four times upstream's own error, but not below what
    the element type can carry."""
    small = any(output.get("dtype") in ("bfloat16", "float16") for output in program["outputs"])
    upstream = (program.get("upstream_run") or {}).get("max_err_rel_to_max") or 0.0
    return max(4 * upstream, 2e-2 if small else 1e-5)


# shard-run's line for one output.
COMPARED = re.compile(r"^result (\d+): (\S+) (equal to|differs from) .*\(largest error ([0-9.e+-]+|inf) "
                      r"relative to ([0-9.e+-]+)", re.MULTILINE)
F32_EPSILON = 2.0 ** -23


def only_noise(text):
    """Whether every output that differs is rounding noise: what is expected and what
    was found both lie below one unit of rounding of the program's largest array, as
    the gradient of a key's bias does, which is zero but for rounding. Such values
    differ from upstream's on one device too."""
    lines = COMPARED.findall(text)
    largest = max((float(scale) for _, kind, _, _, scale in lines if "x" in kind), default=0.0)
    differing = [(float(error) + 1) * float(scale)
                 for _, _, verdict, error, scale in lines if verdict == "differs from"]
    # A line that is not understood is no noise.
    return (bool(differing) and len(differing) == text.count(" differs from ")
            and max(differing) < F32_EPSILON * largest)


def own_mesh(program):
    """The mesh that the program brings, as --mesh spells it; empty where it brings none."""
    return ",".join(f"{axis}={size}" for axis, size in (program.get("mesh") or {}).items())


def meshes_of(program):
    """The meshes to run on: the usual ones whose axes the program knows, and its own."""
    own = program.get("mesh")
    if not own:
        return MESHES
    fitting = [mesh for mesh in MESHES if all(axis in own for axis, _ in annotate.parse_mesh(mesh))]
    return fitting + [own_mesh(program)]


def first_message(text):
    """The first error or difference of a run, else its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for pattern in (r"error: .*", r".* differs from .*"):
        for line in lines:
            match = re.search(pattern, line)
            if match:
                return match[0]
    return lines[-1] if lines else ""


def summary(row):
    """What the last column shows."""
    if row["message"]:
        return row["message"]
    if row.get("collectives"):
        return str(row["collectives"])
    measured = row.get("measured") or {}
    return f"{measured['bytes_per_device']} bytes received" if "bytes_per_device" in measured else ""


def run(shard_run, folder, program, mesh, scratch, options):
    """One row of the table."""
    row = {"program": program["name"], "mesh": mesh, "seconds": 0.0, "message": ""}
    try:
        text = annotate.annotate_program(folder, program, annotate.parse_mesh(mesh), options.close)
    except annotate.AnnotateError as error:
        return dict(row, status="skipped", message=str(error))
    stem = os.path.join(scratch, f"{program['name']}.{mesh.replace('=', '').replace(',', '_')}")
    with open(stem + ".mlir", "w") as file:
        file.write(text)

    command = [shard_run, stem + ".mlir"]
    for flag, kind, arrays in (("input", "in", program["args"]), ("expected_output", "out", program["outputs"])):
        for i, array in enumerate(arrays):
            file = array.get("file", f"{program['name']}.{kind}.{i}.npy")
            command.append(f"--{flag}=@{os.path.join(folder, file)}")
    command += [f"--tolerance={tolerance_of(program):g}", f"--report={stem}.json"]
    if not options.no_verify:
        command.append("--verify")
    if options.options:
        command.append(f"--options={options.options}")
    if options.device:
        command.append(f"--device={options.device}")

    environment = dict(os.environ, SHARDIR_CACHE_DIR=os.path.join(scratch, "cache"))
    start = time.monotonic()
    # A session of its own: a run out of time ends with all of its children.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", env=environment, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=options.timeout)
        code = process.returncode
        row["status"] = STATUS.get(code, f"signal {-code}" if code < 0 else f"exit {code}")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        row["status"] = "timeout"
    row["seconds"] = round(time.monotonic() - start, 2)
    if row["status"] == "differs" and only_noise(output):
        row["status"] = "noise"
    if row["status"] != "pass":
        row["message"] = first_message(output)
        with open(stem + ".log", "w") as file:
            file.write(" ".join(command) + "\n" + output)
    if row["status"] in ("pass", "noise") and os.path.exists(stem + ".json"):
        with open(stem + ".json") as file:
            report = json.load(file)
        row["collectives"] = dict(collections.Counter(each["kind"] for each in report.get("collectives", [])))
        row["bytes_per_device"] = report.get("bytes_per_device")
        row["peak_bytes_per_device"] = report.get("peak_bytes_per_device")
        row["measured"] = report.get("measured")
        # A run in which nothing is sharded shows little.
        placements = [value["placement"] for value in report.get("values", [])]
        row["values"] = len(placements)
        row["sharded_values"] = sum('"' in placement for placement in placements)
        measured = (row["measured"] or {}).get("bytes_per_device")
        if measured not in (None, row["bytes_per_device"]) and not report.get("lower_bound"):
            row["status"] = "bytes"
            row["message"] = f"{measured} bytes received per device, {row['bytes_per_device']} predicted"
        xla = os.path.join(folder, f"{program['name']}.xla.hlo.txt")
        if mesh == own_mesh(program) and os.path.exists(xla):
            with open(xla) as file:
                row["xla_bytes"] = hlo_bytes.count(file.read())[0]
            if "cost=bytes" in (options.options or "") and row["bytes_per_device"] > row["xla_bytes"]:
                row["status"] = "bytes"
                row["message"] = f"{row['bytes_per_device']} bytes received per device, XLA {row['xla_bytes']}"
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("programs", nargs="*", help="names of the manifest or patterns such as 'hf_*'; all where none is given")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="not these; may be repeated")
    parser.add_argument("--mesh", action="append", help=f"may be repeated; {' and '.join(MESHES)} unless given")
    parser.add_argument("--corpus", default=annotate.DEFAULT_PROGRAMS)
    parser.add_argument("--shard-run", default=os.path.join(os.path.dirname(here), "build", "bin", "shard-run"))
    parser.add_argument("--close", action="store_true", help="close arguments that no axis shards")
    parser.add_argument("--no-verify", action="store_true", help="compare with the stored outputs alone")
    parser.add_argument("--options", help="options of the pipeline, handed to shard-run")
    parser.add_argument("--device", help="handed to shard-run: cuda-local, with --options=arch=host on the emulated GPU")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run")
    parser.add_argument("--keep", metavar="DIR", help="keep the annotated programs, logs and reports there")
    parser.add_argument("--json", metavar="FILE", help="also write the rows there")
    options = parser.parse_args()

    try:
        manifest = annotate.load_manifest(options.corpus)
        for mesh in options.mesh or []:
            annotate.parse_mesh(mesh)
        for pattern in options.programs + options.without:
            if not fnmatch.filter(manifest, pattern):
                raise annotate.AnnotateError(f"the manifest has no program '{pattern}'")
        chosen = [name for name in manifest
                  if any(fnmatch.fnmatch(name, pattern) for pattern in options.programs or ["*"])
                  and not any(fnmatch.fnmatch(name, pattern) for pattern in options.without)]
    except annotate.AnnotateError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not os.path.exists(options.shard_run):
        print(f"error: '{options.shard_run}' is not built", file=sys.stderr)
        return 2

    rows = []
    width = max(len(name) for name in manifest)
    with tempfile.TemporaryDirectory() as temporary:
        scratch = options.keep or temporary
        os.makedirs(scratch, exist_ok=True)
        for name in chosen:
            for mesh in options.mesh or meshes_of(manifest[name]):
                row = run(options.shard_run, options.corpus, manifest[name], mesh, scratch, options)
                rows.append(row)
                print(f"{row['program']:{width}}  {row['mesh']:10}  {row['status']:10}  {row['seconds']:7.2f} s  "
                      f"{summary(row)[:160]}".rstrip(), flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)
    counts = collections.Counter(row["status"] for row in rows)
    passed, skipped = counts["pass"] + counts["noise"], counts["skipped"]
    noise = f" ({counts['noise']} with noise)" if counts["noise"] else ""
    print(f"{passed} passed{noise}, {len(rows) - passed - skipped} failed, {skipped} skipped")
    return 1 if passed + skipped < len(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
