# Prints the meshes of a report, and its values with their operands.
"""usage: print-graph.py REPORT.json"""

import json
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)
for mesh in report["meshes"].values():
    print(" ".join(f"{axis}={mesh['axes'][axis]}" for axis in mesh["order"]), mesh.get("devices", ""))
for i, value in enumerate(report["values"]):
    operands = "".join(f" {operand}" for operand in value["operands"])
    alive = f", {value['alive_bytes']} bytes" if "alive_bytes" in value else ""
    print(i, value["function"], value["op"] or value["name"], *(["of" + operands + alive] if operands else []))
