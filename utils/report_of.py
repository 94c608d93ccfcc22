# Compiles a program and reads the report of what was decided.
#
# Requires: shard-opt; nothing but Python.
# Guarantees: reads and writes files of the given folder alone.
"""The report of docs/Report.md on a program, for scripts that compare decisions."""

import json
import os
import subprocess


def report_of(tool, text, pipeline, folder):
    """(report, None) after `pipeline`, an option of shard-opt; else (None, its errors)."""
    path, report = os.path.join(folder, "program.mlir"), os.path.join(folder, "report.json")
    with open(path, "w") as file:
        file.write(text)
    run = subprocess.run([tool, path, pipeline, f"--shardir-report=file={report}", "-o", os.devnull],
                         capture_output=True, text=True, timeout=900)
    if run.returncode:
        return None, "\n".join(line for line in run.stderr.splitlines() if "error" in line)[:500]
    with open(report) as file:
        return json.load(file), None
