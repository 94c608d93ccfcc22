# Compares what shard-opt decides with what another system decides, and runs it.
#
# Requires: a .mlir file with pairs of functions: @name, annotated as the other system's
# program is, and @name_theirs, the same program with every value put where that system
# puts it by constraints and signatures. Values have names (`loc("v1")`), in the second on the
# constraints.
# Guarantees: status 0 only if, under cost=bytes, each @name moves no more bytes than
# @name_theirs, whose ops may choose their factors freely, and equals the unsharded
# program when it runs. Prints whether placements are equal, too, of values that are partial
# nothing.
"""compare.py FILE --shard-opt=... --shard-run=... [--options=...]"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--shard-opt", required=True)
parser.add_argument("--shard-run", required=True)
parser.add_argument("--options", default="cost=bytes")
args = parser.parse_args()

with open(args.file) as file:
    text = re.sub(r"^//.*\n", "", file.read(), flags=re.M)
meshes = re.findall(r"^shardir.mesh .*$", text, re.M)
functions = dict(re.findall(r"^(?=func.func @(\w+))(.*?^\})", text, re.M | re.S))
mesh_name = lambda line: re.search(r"@(\w+)", line)[1]


def program(name):
    """The function and the meshes that it names."""
    return "\n".join([line for line in meshes if f"@{mesh_name(line)}," in functions[name]] + [functions[name], ""])


def report(folder, name, stage):
    path, out = os.path.join(folder, name + ".mlir"), os.path.join(folder, name + ".json")
    with open(path, "w") as file:
        file.write(program(name))
    run = subprocess.run([args.shard_opt, path, f"--shardir-to-{stage}={args.options}", f"--shardir-report=file={out}", "-o",
                          os.devnull], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{name}: {run.stderr}")
    with open(out) as file:
        return json.load(file)


def placements(report):
    """{value: dims}; arguments and results are named by their place. Terms of a sum, which others reduce at once, have no peer."""
    return {value["name"]: re.search(r"\[.*?\](?=[,>])", value["placement"])[0] for value in report["values"]
            if value["name"] and "partial" not in value["placement"]}


failed = False
with tempfile.TemporaryDirectory() as folder:
    for name in functions:
        if name.endswith("_theirs"):
            continue
        ours, theirs = (report(folder, n, "collective")["bytes_per_device"] for n in (name, name + "_theirs"))
        own, other = (placements(report(folder, n, "propagated")) for n in (name, name + "_theirs"))
        different = [f"{v} {own[v]} for {other[v]}" for v in own if v in other and own[v] != other[v]]
        verdict = ("more bytes" if ours > theirs else "placements equal" if not different else
                   "fewer bytes" if ours < theirs else "as many bytes")
        failed |= ours > theirs
        print(f"{name}: {verdict}, {ours} bytes, theirs {theirs}" + (f" ({'; '.join(different)})" if different else ""))
        run = subprocess.run([args.shard_run, os.path.join(folder, name + ".mlir"), "--verify", f"--options={args.options}"],
                             capture_output=True, text=True, env={**os.environ, "SHARDIR_CACHE_DIR": os.path.join(folder, "cache")})
        if run.returncode:
            failed = True
            print(f"{name}: shard-run ended with status {run.returncode}: {run.stdout}{run.stderr}")
sys.exit(failed)
