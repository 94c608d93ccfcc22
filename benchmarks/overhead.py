#!/usr/bin/env python3
# Measures what a call of a compiled program costs beside its compute.
#
# Requires: a Python with the package (PYTHONPATH=build/python); PyTorch and JAX are
# optional, and what is not there is said and left out.
# Guarantees: rounds of all cases are interleaved, so that a busy machine hits all of
# them; the least of a case's rounds counts. With --check the exit status is 1 where
# a call on one rank costs more than LIMIT_US.
"""Time calls of tiny compiled programs; prints microseconds and writes JSON."""

import argparse
import ctypes
import json
import os
import sys
import time

import numpy as np

import shardir
from run import CORES, machine

LIMIT_US = 20.0
ROUNDS, CALLS = 30, 200

ADD = """
shardir.mesh @mesh <["dp"={ranks}]>
func.func @main(%x: tensor<8x8xf32> {{shardir.placement = #shardir.placement<@mesh, [{{"dp"}}, {{}}]>}},
                %y: tensor<8x8xf32>) -> tensor<8x8xf32> {{
  %0 = arith.addf %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}}
"""


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_size_t),
                ("type", ctypes.c_int)]


def of_c(program):
    """Calls of `shardir_run`, with arrays that are made once."""
    for line in open("/proc/self/maps"):
        if "libShardIRRuntime" in line:
            library = ctypes.CDLL(line.split()[-1])
    handle = ctypes.c_void_p()
    assert library.shardir_program_load(program._path.encode(), ctypes.byref(handle)) == 0
    library.shardir_run.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(Buffer), ctypes.c_size_t,
                                    ctypes.POINTER(Buffer), ctypes.c_size_t, ctypes.c_void_p]
    arrays = [np.ones((8, 8), np.float32) for _ in range(3)]
    shape = (ctypes.c_int64 * 2)(8, 8)
    buffers = [Buffer(a.ctypes.data, shape, 2, 8) for a in arrays]  # 8: SHARDIR_F32
    given, results = (Buffer * 2)(*buffers[:2]), (Buffer * 1)(buffers[2])

    def call():
        assert library.shardir_run(handle, b"main", given, 2, results, 1, None) == 0
    call.keep = arrays
    return call


def of_numpy(ranks):
    program = shardir.compile(ADD.format(ranks=ranks))
    x, y = np.ones((8, 8), np.float32), np.ones((8, 8), np.float32)
    yield "C API", program, of_c(program)
    yield "NumPy", program, lambda: program(x, y)


def of_torch(ranks):
    import torch
    import shardir.torch
    mesh, x, y = {"dp": ranks}, torch.ones(8, 8), torch.ones(8, 8)
    layer = torch.nn.Linear(8, 8)
    model = shardir.torch.compile(layer, args=(x,), mesh=mesh, inputs=[shardir.Shard(0)])
    yield "PyTorch, a model", model.program, lambda: model(x)
    deep = torch.nn.Sequential(*(torch.nn.Linear(8, 8) for _ in range(6)))
    step = shardir.torch.train_step(deep, torch.nn.functional.mse_loss, torch.optim.Adam(deep.parameters()),
                                    args=(x, y), mesh=mesh)
    yield "PyTorch, a training step of 6 layers", step.program, lambda: step(x, y)


def of_jax(ranks):
    import jax
    import shardir.jax
    from jax.sharding import PartitionSpec as P
    x = jax.numpy.ones((8, 8))
    add = shardir.jax.jit(lambda x, y: x + y, mesh={"dp": ranks}, in_shardings=(P("dp"), None))
    yield "JAX, a function", add.lower(x, x).program, lambda: add(x, x)
    tree = {f"w{i}": x for i in range(12)}
    update = shardir.jax.jit(lambda t, x: {k: v - x for k, v in t.items()}, mesh={"dp": ranks})
    yield "JAX, a pytree of 12 arrays", update.lower(tree, x).program, lambda: update(tree, x)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--ranks", default="1,4")
    parser.add_argument("--check", action="store_true", help=f"fail where one rank costs more than {LIMIT_US} us")
    options = parser.parse_args()
    cases = []
    for ranks in map(int, options.ranks.split(",")):
        for make in (of_numpy, of_torch, of_jax):
            try:
                cases += [(name, ranks, program, call, [], []) for name, program, call in make(ranks)]
            except ImportError as error:
                print(f"left out: {error}")
    for _ in range(ROUNDS):
        for _, _, program, call, walls, computes in cases:
            for _ in range(10):
                call()
            begin = time.perf_counter()
            for _ in range(CALLS):
                call()
            walls.append((time.perf_counter() - begin) / CALLS * 1e6)
    for name, _, program, call, _, computes in cases:
        for _ in range(CALLS if name != "C API" else 0):
            call()
            computes.append(program._entry.measurement()["ms"] * 1e3)
    rows, failed = [], False
    print(f"{machine()}, {CORES} cores; us a call")
    print(f"{'case':38} {'ranks':>5} {'call':>8} {'compute':>8} {'overhead':>8}")
    by_ranks = {}
    for name, ranks, _, _, walls, computes in cases:
        # The compute of the C API's calls is that of the same program.
        compute = float(np.median(computes)) if computes else None
        by_ranks.setdefault(ranks, []).append((name, min(walls), compute))
    for ranks, found in by_ranks.items():
        for name, wall, compute in found:
            compute = next(c for _, _, c in found if c is not None) if compute is None else compute
            rows.append({"case": name, "ranks": ranks, "call_us": wall, "compute_us": compute,
                         "overhead_us": wall - compute})
            failed |= ranks == 1 and wall - compute > LIMIT_US
            print(f"{name:38} {ranks:5} {wall:8.1f} {compute:8.1f} {wall - compute:8.1f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine(), "cores": CORES, "limit_us": LIMIT_US, "rows": rows}, file, indent=1)
            file.write(os.linesep)
    return int(options.check and failed)


if __name__ == "__main__":
    sys.exit(main())
