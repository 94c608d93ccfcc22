# Times JAX's collectives between virtual devices of the CPU.
#
# usage: collectives_jax.py RANKS KINDS BYTES BATCHES, lists separated by commas.
# Moves what benchmarks/collectives.cpp moves and prints the same objects, one a
# line; kinds that JAX has no primitive for are left out. Each call is waited for:
# several in flight wait for each other's threads for ever. Results are fresh
# buffers, as JAX has no others.
import json
import os
import statistics
import sys
import time

ranks, kinds, sizes, batches = int(sys.argv[1]), sys.argv[2].split(","), sys.argv[3].split(","), int(sys.argv[4])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={ranks}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

mesh = Mesh(jax.devices(), ("x",))
spec = PartitionSpec("x")
# The function, and the part of the bytes that each rank's operand is.
OPS = {
    "all_reduce": (lambda v: jax.lax.psum(v, "x"), 1),
    "all_gather": (lambda v: jax.lax.all_gather(v, "x", tiled=True), ranks),
    "reduce_scatter": (lambda v: jax.lax.psum_scatter(v, "x", tiled=True), 1),
    "all_to_all": (lambda v: jax.lax.all_to_all(v, "x", 0, 0, tiled=True), 1),
    "permute": (lambda v: jax.lax.ppermute(v, "x", [(r, ranks - 1 - r) for r in range(ranks)]), 1),
    "send_recv": (lambda v: jax.lax.ppermute(v, "x", [(r, r + 1) for r in range(0, ranks, 2)]), 1),
}

for kind in kinds:
    if kind not in OPS:
        continue
    function, part = OPS[kind]
    run = jax.jit(jax.shard_map(function, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))
    for size in sizes:
        count = int(size) // 4 // part * ranks
        x = jax.device_put(jnp.zeros(count, jnp.float32), NamedSharding(mesh, spec))
        calls = max(2, min(50, (4 << 20) // int(size)))
        jax.block_until_ready(run(x))
        times = []
        for _ in range(batches):
            start = time.perf_counter()
            for _ in range(calls):
                jax.block_until_ready(run(x))
            times.append(1e6 * (time.perf_counter() - start) / calls)
        print(json.dumps({"collective": kind, "ranks": ranks, "bytes": int(size), "min_us": min(times),
                          "median_us": statistics.median(times)}), flush=True)
