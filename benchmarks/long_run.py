#!/usr/bin/env python3
# Runs many steps of a training loop over the processes of MPI, while ranks stand still
# now and then, and looks for memory that grows and results that drift.
#
# Requires: a build (make build), mpirun.
# Guarantees: the exit status is 1 where a run fails, where results of two runs differ
# in a bit, or where a rank's memory grows by over LIMIT_KIB after the first third, which holds the start.
"""Train for many steps over processes, with random pauses of random ranks."""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from run import machine

STEPS_PER_RUN = 10
LIMIT_KIB = 1024
RATE = 20.0     # pauses a second, over all ranks
LONGEST = 0.02  # seconds of one pause

# Stochastic gradient descent of a perceptron with one hidden layer: the batch is split
# along dp and the hidden dim along tp, so that every step reduces over both. Without the
# constraints a program of this size is not worth a collective in every step.
PROGRAM = """
shardir.mesh @mesh <["dp"={dp}, "tp"={tp}]>

#rc = affine_map<(i, j, k) -> (i, k)>
#ck = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#ki = affine_map<(i, j, k) -> (k, i)>
#jk = affine_map<(i, j, k) -> (j, k)>
#id = affine_map<(i, j) -> (i, j)>

func.func @main(
    %x: tensor<30x16xf32> {{shardir.placement = #shardir.placement<@mesh, [{{"dp"}}, {{}}]>}},
    %y: tensor<30x4xf32> {{shardir.placement = #shardir.placement<@mesh, [{{"dp"}}, {{}}]>}},
    %w1: tensor<16x27xf32> {{shardir.placement = #shardir.placement<@mesh, [{{}}, {{"tp"}}]>}},
    %w2: tensor<27x4xf32> {{shardir.placement = #shardir.placement<@mesh, [{{"tp"}}, {{}}]>}})
    -> (tensor<16x27xf32> {{shardir.placement = #shardir.placement<@mesh, [{{}}, {{"tp"}}]>}},
        tensor<27x4xf32> {{shardir.placement = #shardir.placement<@mesh, [{{"tp"}}, {{}}]>}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant {steps} : index
  %zero = arith.constant 0.0 : f32
  %rate = arith.constant 0.001 : f32
  %r1, %r2 = scf.for %i = %c0 to %steps step %c1 iter_args(%a = %w1, %b = %w2)
      -> (tensor<16x27xf32>, tensor<27x4xf32>) {{
    %eh = tensor.empty() : tensor<30x27xf32>
    %eo = tensor.empty() : tensor<30x4xf32>
    %e1 = tensor.empty() : tensor<16x27xf32>
    %e2 = tensor.empty() : tensor<27x4xf32>
    %zh = linalg.fill ins(%zero : f32) outs(%eh : tensor<30x27xf32>) -> tensor<30x27xf32>
    %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<30x4xf32>) -> tensor<30x4xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16x27xf32>) -> tensor<16x27xf32>
    %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<27x4xf32>) -> tensor<27x4xf32>
    %h = linalg.matmul ins(%x, %a : tensor<30x16xf32>, tensor<16x27xf32>) outs(%zh : tensor<30x27xf32>) -> tensor<30x27xf32>
    %split = shardir.constrain %h to #shardir.placement<@mesh, [{{"dp"}}, {{"tp"}}]> : tensor<30x27xf32>
    %t = math.tanh %split : tensor<30x27xf32>
    %o = linalg.matmul ins(%t, %b : tensor<30x27xf32>, tensor<27x4xf32>) outs(%zo : tensor<30x4xf32>) -> tensor<30x4xf32>
    %whole = shardir.constrain %o to #shardir.placement<@mesh, [{{"dp"}}, {{}}]> : tensor<30x4xf32>
    %d = arith.subf %whole, %y : tensor<30x4xf32>
    %g2 = linalg.matmul indexing_maps = [#ki, #ck, #ij] ins(%t, %d : tensor<30x27xf32>, tensor<30x4xf32>)
        outs(%z2 : tensor<27x4xf32>) -> tensor<27x4xf32>
    %dt = linalg.matmul indexing_maps = [#rc, #jk, #ij] ins(%d, %b : tensor<30x4xf32>, tensor<27x4xf32>)
        outs(%zh : tensor<30x27xf32>) -> tensor<30x27xf32>
    %dh = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}}
        ins(%dt, %t : tensor<30x27xf32>, tensor<30x27xf32>) outs(%eh : tensor<30x27xf32>) {{
    ^bb0(%g: f32, %v: f32, %unused: f32):
      %one = arith.constant 1.0 : f32
      %vv = arith.mulf %v, %v : f32
      %s = arith.subf %one, %vv : f32
      %r = arith.mulf %g, %s : f32
      linalg.yield %r : f32
    }} -> tensor<30x27xf32>
    %g1 = linalg.matmul indexing_maps = [#ki, #ck, #ij] ins(%x, %dh : tensor<30x16xf32>, tensor<30x27xf32>)
        outs(%z1 : tensor<16x27xf32>) -> tensor<16x27xf32>
    %lr1 = tensor.splat %rate : tensor<16x27xf32>
    %lr2 = tensor.splat %rate : tensor<27x4xf32>
    %s1 = arith.mulf %g1, %lr1 : tensor<16x27xf32>
    %s2 = arith.mulf %g2, %lr2 : tensor<27x4xf32>
    %n1 = arith.subf %a, %s1 : tensor<16x27xf32>
    %n2 = arith.subf %b, %s2 : tensor<27x4xf32>
    scf.yield %n1, %n2 : tensor<16x27xf32>, tensor<27x4xf32>
  }}
  return %r1, %r2 : tensor<16x27xf32>, tensor<27x4xf32>
}}
"""


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def ranks_of(job):
    """The processes that run the program: shard-run's guard stands between each and mpirun."""
    return [rank for guard in children(job) for rank in children(guard)]


def resident(pid):
    """KiB of memory that only this process has, or nothing once it is gone."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            private = [int(line.split()[1]) for line in file if line.startswith("Private")]
        return sum(private)
    except (OSError, ValueError):
        return None


def pause(pid, seconds):
    try:
        os.kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass


def watch(job, chance):
    """Stops ranks now and then until the job ends. Returns samples of (seconds, KiB by rank) and the pauses."""
    begin, samples, pauses, sampled = time.monotonic(), [], 0, 0.0
    while job.poll() is None:
        time.sleep(chance.expovariate(RATE))
        ranks = ranks_of(job.pid)
        if not ranks:
            continue
        pause(chance.choice(ranks), chance.uniform(0, LONGEST))
        pauses += 1
        now = time.monotonic() - begin
        if now - sampled >= 0.5:
            memory = [resident(rank) for rank in ranks]
            if None not in memory:
                samples.append((now, memory))
                sampled = now
    return samples, pauses


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--mesh", default="2x4", help="dp x tp: as many processes")
    parser.add_argument("--steps", type=int, default=10000, help=f"a multiple of {STEPS_PER_RUN}")
    parser.add_argument("--seed", type=int, default=0, help="of the pauses")
    parser.add_argument("--json", help="write what was measured")
    options = parser.parse_args()
    dp, tp = map(int, options.mesh.split("x"))
    runner = os.path.join(options.build, "bin", "shard-run")

    with tempfile.TemporaryDirectory() as folder:
        source, compiled = os.path.join(folder, "loop.mlir"), os.path.join(folder, "loop.so")
        with open(source, "w") as file:
            file.write(PROGRAM.format(dp=dp, tp=tp, steps=STEPS_PER_RUN))
        subprocess.run([runner, source, "--verify", "--tolerance=1e-5"], check=True)
        subprocess.run([runner, source, "--compile-only", "-o", compiled], check=True)
        begin = time.monotonic()
        job = subprocess.Popen(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(dp * tp), runner, compiled,
                                "--device=mpi", f"--repeat={options.steps // STEPS_PER_RUN}"])
        samples, pauses = watch(job, random.Random(options.seed))
        seconds = time.monotonic() - begin

    settled = [memory for at, memory in samples if at >= samples[-1][0] / 3] if samples else []
    growth = [last - first for first, last in zip(settled[0], settled[-1])] if settled else []
    print(f"{options.steps} steps over {dp * tp} processes in {seconds:.0f} s with {pauses} pauses: "
          f"exit status {job.returncode}, memory grew by at most {max(growth, default=0)} KiB a rank "
          f"({len(settled)} samples)")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"machine": machine(), "steps": options.steps, "processes": dp * tp, "seconds": seconds,
                       "pauses": pauses, "growth_kib": growth, "samples": samples}, file)
    return 0 if job.returncode == 0 and len(settled) > 1 and max(growth) <= LIMIT_KIB else 1


sys.exit(main())
