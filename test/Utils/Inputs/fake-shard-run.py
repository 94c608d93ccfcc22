#!/usr/bin/env python3
# Stands for shard-run: says what it was asked, ends with STATUS, and writes a report.
import json
import os
import sys
import time

arguments = sys.argv[1:]
if os.environ.get("ECHO"):
    with open(os.environ["ECHO"], "a") as file:
        file.write("\n".join([os.path.basename(argument) for argument in arguments]) + "\n")
if os.environ["STATUS"] == "hang":
    time.sleep(600)
for argument in arguments:
    if argument.startswith("--report="):
        with open(argument[len("--report="):], "w") as file:
            json.dump({"collectives": [{"kind": "all_reduce"}] * 2, "bytes_per_device": 96,
                       "measured": {"bytes_per_device": int(os.environ.get("MEASURED", "96"))}}, file)
status = int(os.environ["STATUS"])
if os.environ.get("SAY"):
    print(os.environ["SAY"].replace("; ", "\n"))
elif status:
    print("a line before\nlayer.mlir:3:7: error: cannot do it\na line after", file=sys.stderr)
sys.exit(status)
