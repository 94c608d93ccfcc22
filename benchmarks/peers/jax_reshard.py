# Measures XLA's changes of a matrix's placement: every pair of block placements on a
# mesh, compiled as an identity with the two shardings, on as many host devices.
#
# usage: jax_reshard.py MESH SHAPE PARTITIONER [--pairs N], for example
# `jax_reshard.py 2,2,2 256,256 shardy`. Prints JSON: one entry a pair, with the bytes
# that a device receives (as the fewest that each collective needs: a ring's), XLA's
# temporary memory, and whether XLA warned that it replicates the whole tensor.
import argparse
import itertools
import json
import math
import os
import random
import re
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("mesh")
parser.add_argument("shape")
parser.add_argument("partitioner", choices=["shardy", "gspmd"])
parser.add_argument("--pairs", type=int, help="a sample of as many pairs, seed 0")
options = parser.parse_args()
sizes = [int(size) for size in options.mesh.split(",")]
shape = tuple(int(extent) for extent in options.shape.split(","))
devices = math.prod(sizes)
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={devices}"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "1"  # the warning is read below

import jax  # noqa: E402
import numpy  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

jax.config.update("jax_use_shardy_partitioner", options.partitioner == "shardy")
axes = "abcdefgh"[: len(sizes)]
mesh = Mesh(numpy.array(jax.devices()).reshape(sizes), tuple(axes))
BYTES = {"f32": 4}


def placements():
    """Each axis on a dim or on none, the axes of a dim in every order."""
    for count in range(len(axes) + 1):
        for order in itertools.permutations(axes, count):
            for cut in range(count + 1):
                yield order[:cut], order[cut:]


def text(placement):
    return "[" + ", ".join("{" + ", ".join(f'"{axis}"' for axis in dim) + "}" for dim in placement) + "]"


def sharding(placement):
    return NamedSharding(mesh, PartitionSpec(*[tuple(dim) or None for dim in placement]))


def local_bytes(placement):
    extents = [-(-extent // math.prod(sizes[axes.index(axis)] for axis in dim))
               for extent, dim in zip(shape, placement)]
    return 4 * math.prod(extents)


def group_size(line):
    """The members of a group, in either spelling of XLA's."""
    found = re.search(r"replica_groups=\[(\d+),(\d+)\]", line)
    if found:
        return int(found[2])
    found = re.search(r"replica_groups=\{\{([\d,]+)\}", line)
    if found:
        return found[1].count(",") + 1
    found = re.search(r"replica_groups=mesh\[([^\]]*)\][^{]*\{([^}]*)\}", line)
    if found:
        extents = dict((name, int(size)) for name, size in re.findall(r"'([^']+)'=(\d+)", found[1]))
        named = re.findall(r"'([^']+)'(?::\((\d+)\)(\d+))?", found[2])
        return math.prod(int(size) if size else extents[name] for name, _, size in named)
    return devices


def collectives(hlo):
    """Kind and bytes received of each collective of a compiled module."""
    kinds = "all-gather|all-reduce|all-to-all|collective-permute|reduce-scatter"
    for line in hlo.splitlines():
        found = re.match(rf"\s*(?:ROOT )?%?[\w.\-]+ = (.*?) ({kinds})(-start|-done)?\(", line)
        if not found or found[3] == "-done":
            continue
        kind = found[2]
        arrays = [4 * math.prod(int(e) for e in dims.split(",") if e) for dims in re.findall(r"\bf32\[([\d,]*)\]", found[1])]
        if found[3] == "-start" and kind in ("all-gather", "collective-permute"):
            arrays = arrays[len(arrays) // 2:]
        result = sum(arrays)
        if kind == "collective-permute":
            pairs = re.findall(r"\{(\d+),(\d+)\}", line[line.index("source_target_pairs="):])
            received = result if any(a != b for a, b in pairs) else 0
        else:
            n = group_size(line)
            share = {"all-gather": n - 1, "all-to-all": n - 1, "all-reduce": 2 * (n - 1),
                     "reduce-scatter": n * (n - 1)}[kind]
            received = result * share // n
        yield {"kind": kind, "bytes": received}


def compile_pair(source, target):
    """The collectives, XLA's temporary bytes, and whether it warned."""
    with tempfile.TemporaryFile() as log:
        saved = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            argument = jax.ShapeDtypeStruct(shape, jax.numpy.float32)
            compiled = jax.jit(lambda x: x, in_shardings=sharding(source),
                               out_shardings=sharding(target)).lower(argument).compile()
        finally:
            os.dup2(saved, 2)
            os.close(saved)
        log.seek(0)
        warned = b"nvoluntary full remat" in log.read()
    return list(collectives(compiled.as_text())), compiled.memory_analysis().temp_size_in_bytes, warned


everything = list(itertools.product(placements(), repeat=2))
if options.pairs:
    everything = random.Random(0).sample(everything, options.pairs)
rows = []
for source, target in everything:
    steps, temporary, warned = compile_pair(source, target)
    rows.append({"from": text(source), "to": text(target), "bytes": sum(step["bytes"] for step in steps),
                 "temporary_bytes": temporary, "larger_bytes": max(local_bytes(source), local_bytes(target)),
                 "replicates": warned, "kinds": [step["kind"] for step in steps]})
print(json.dumps({"jax": jax.__version__, "partitioner": options.partitioner, "mesh": sizes, "shape": shape,
                  "pairs": rows}))
