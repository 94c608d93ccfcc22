#!/usr/bin/env python3
# Stands for lit: writes the results named in RESULTS, and ends as lit would.
import json
import os
import sys

codes = os.environ["RESULTS"].split()
output = sys.argv[sys.argv.index("--output") + 1]
if codes:
    with open(output, "w") as file:
        json.dump({"tests": [{"name": f"test {i}", "code": code, "elapsed": i} for i, code in enumerate(codes)]}, file)
print("lit", *sys.argv[3:])
bad = {"FAIL", "TIMEOUT", "UNRESOLVED", "XPASS"}
sys.exit(1 if bad.intersection(codes) or not codes else 0)
