"""Prints a table for kernel-times: table-of.py ARCH REPORT FACTOR [REPORT FACTOR ...]

Each kernel of a report that has a plan takes FACTOR times its prediction.
"""
import json
import sys

kernels = []
for report, factor in zip(sys.argv[2::2], sys.argv[3::2]):
    for kernel in json.load(open(report))["kernels"]:
        if kernel.get("plan"):
            kernels.append({key: kernel[key] for key in ("problem", "schedule", "plan", "predicted_ns")})
            kernels[-1]["measured_ns"] = kernel["predicted_ns"] * float(factor)
print(json.dumps({"arch": sys.argv[1], "source": "made up", "kernels": kernels}))
