#!/usr/bin/env python3
# Compiles the programs of the corpus for GPUs, whole on one device and annotated
# from their manifest on a mesh, and says what ptxas made of their kernels.
#
# Requires: a build with shard-opt, the corpus, ptxas and libdevice. No GPU.
# Guarantees: a program counts as compiled only if ptxas has accepted every kernel
# of it; exit status 1 where one did not, 2 where something required is missing.
"""Compile the corpus for GPUs; prints a table, and writes it into docs/Status.md with --update."""

import argparse
import collections
import concurrent.futures
import fnmatch
import os
import re
import subprocess
import sys
import tempfile
import time

import annotate

ARCHES = ["sm_80", "sm_90a", "sm_100a"]
MESHES = ["", "dp=2,tp=2"]
SCHEDULED = re.compile(r"remark: (\S+) is scheduled by (\S+)")
KERNEL = re.compile(r"remark: kernel '([^']+)' needs (\d+) registers, (\d+) bytes of stack, spills (\d+) bytes")
BEGIN, END = "<!-- gpu-programs begin -->", "<!-- gpu-programs end -->"


def source_of(folder, program, mesh):
    """The program's text, annotated for the mesh if there is one; programs that come annotated are as they stand."""
    if mesh:
        return annotate.annotate_program(folder, program, annotate.parse_mesh(mesh), False)
    return annotate.read_program(os.path.join(folder, program["name"] + ".mlir"))


def compile_program(options, program, mesh, arch, scratch):
    row = {"program": program["name"], "mesh": mesh or "none", "arch": arch}
    try:
        text = source_of(options.corpus, program, mesh)
    except (annotate.AnnotateError, OSError) as error:
        return dict(row, status="skipped", message=str(error))
    stem = os.path.join(scratch, f"{program['name']}.{mesh.replace('=', '').replace(',', '_')}.{arch}")
    with open(stem + ".mlir", "w") as file:
        file.write(text)
    start = time.monotonic()
    try:
        said = subprocess.run(
            [options.shard_opt, stem + ".mlir", f"--shardir-to-gpu=arch={arch} explain {options.options}",
             "-o", stem + ".gpu.mlir"],
            capture_output=True, text=True, errors="replace", timeout=options.timeout)
        code, output = said.returncode, said.stderr
    except subprocess.TimeoutExpired:
        code, output = None, "error: out of time"
    row["seconds"] = time.monotonic() - start
    kernels = KERNEL.findall(output)
    row["schedules"] = collections.Counter(name for _, name in SCHEDULED.findall(output))
    row["kernels"] = len(kernels)
    row["registers"] = max((int(kernel[1]) for kernel in kernels), default=0)
    row["spilling"] = [kernel[0] for kernel in kernels if int(kernel[3])]
    row["stack"] = [kernel[0] for kernel in kernels if int(kernel[2])]
    if code == 0 and kernels:
        return dict(row, status="ok")
    errors = [line for line in output.splitlines() if "error:" in line]
    message = errors[0] if errors else f"exit status {code}, no kernel was assembled"
    return dict(row, status="failed", message=message[:200])


def table_of(rows):
    """One line per program and mesh, the architectures side by side."""
    arches = list(dict.fromkeys(row["arch"] for row in rows))
    lines = ["| program | mesh | " + " | ".join(f"{arch}: kernels, registers, spilling" for arch in arches) + " |",
             "|---|---|" + "---|" * len(arches)]
    keys = dict.fromkeys((row["program"], row["mesh"]) for row in rows)
    for program, mesh in keys:
        cells = []
        for arch in arches:
            row = next(row for row in rows if (row["program"], row["mesh"], row["arch"]) == (program, mesh, arch))
            cells.append(f"{row['kernels']}, {row['registers']}, {len(row['spilling'])}" if row["status"] == "ok"
                         else f"{row['status']}: {row['message']}")
        if not all(cell.startswith("skipped") for cell in cells):
            lines.append(f"| {program} | {mesh} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("programs", nargs="*", help="names of the manifest or patterns; all where none is given")
    parser.add_argument("--arch", action="append", help=f"may be repeated; {' and '.join(ARCHES)} unless given")
    parser.add_argument("--mesh", action="append", help="may be repeated; '' is one device")
    parser.add_argument("--corpus", default=annotate.DEFAULT_PROGRAMS)
    parser.add_argument("--shard-opt", default=os.path.join(root, "build", "bin", "shard-opt"))
    parser.add_argument("--options", default="", help="more options of the pipeline")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one program")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--update", action="store_true", help="write the table into docs/Status.md")
    options = parser.parse_args()
    try:
        manifest = annotate.load_manifest(options.corpus)
    except annotate.AnnotateError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not os.path.exists(options.shard_opt):
        print(f"error: '{options.shard_opt}' is not built", file=sys.stderr)
        return 2
    chosen = [name for name in manifest
              if any(fnmatch.fnmatch(name, pattern) for pattern in options.programs or ["*"])]
    if not chosen:
        print(f"error: the manifest has no program {' or '.join(options.programs)}", file=sys.stderr)
        return 2

    rows = []
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = [pool.submit(compile_program, options, manifest[name], mesh, arch, scratch)
                 for name in chosen for mesh in (MESHES if options.mesh is None else options.mesh)
                 for arch in options.arch or ARCHES]
        for task in tasks:
            row = task.result()
            rows.append(row)
            what = (f"{row['kernels']:4} kernels, up to {row['registers']} registers, {len(row['spilling'])} spill; "
                    + ", ".join(f"{name} {count}" for name, count in row["schedules"].most_common())
                    if row["status"] == "ok" else row["message"])
            print(f"{row['program']:32}  {row['mesh']:10}  {row['arch']:7}  {row['status']:8}  "
                  f"{row.get('seconds', 0):6.2f} s  {what}", flush=True)
    counts = collections.Counter(row["status"] for row in rows)
    total = sum(row.get("kernels", 0) for row in rows)
    print(f"{counts['ok']} compiled, {counts['failed']} failed, {counts['skipped']} skipped; {total} kernels, "
          f"{sum(len(row.get('spilling', [])) for row in rows)} of them spill")
    if options.update:
        path = os.path.join(root, "docs", "Status.md")
        with open(path) as file:
            text = file.read()
        head, rest = text.split(BEGIN)
        _, tail = rest.split(END)
        with open(path, "w") as file:
            file.write(head + BEGIN + "\n" + table_of(rows) + "\n" + END + tail)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
