#!/usr/bin/env python3
"""Compiles programs with known outputs through local-cc and compares.

usage: check_programs.py LOCAL_CC RUNTIME_SO FOLDER [name ...]     (environment: LOCAL_CC_FLAGS)

FOLDER holds NAME.mlir (entry @main), NAME.in.K.npy, NAME.out.K.npy and a
manifest.json that lists them. Each program runs in a process of its own.
"""
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np


def descriptor(array):
    rank = array.ndim
    words = (ctypes.c_int64 * (3 + 2 * rank))()
    words[0] = words[1] = array.ctypes.data
    for i in range(rank):
        words[3 + i] = array.shape[i]
        words[3 + rank + i] = array.strides[i] // array.itemsize
    return words


def as_float(array, dtype):
    if dtype == "bfloat16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def run(so, runtime, folder, info):
    ctypes.CDLL(runtime, mode=ctypes.RTLD_GLOBAL)
    main = ctypes.CDLL(so)._mlir_ciface_main
    arrays = []
    for arg in info["args"]:
        x = np.load(os.path.join(folder, arg["file"]))
        arrays.append(np.ascontiguousarray(x).reshape(arg["shape"]).copy())
    outs = []
    for out in info["outputs"]:
        ref = np.load(os.path.join(folder, out["file"]))
        outs.append((ref, np.full_like(np.ascontiguousarray(ref).reshape(ref.shape), 77), out["dtype"]))
    descriptors = [descriptor(a) for a in arrays] + [descriptor(o[1]) for o in outs]
    best = 1e9
    for _ in range(int(os.environ.get("REPEAT", "2"))):
        t = time.time()
        main(*[ctypes.byref(d) for d in descriptors])
        best = min(best, time.time() - t)
    worst, ok = 0.0, True
    upstream = info.get("upstream_run", {}).get("max_err_rel_to_max", 0.0)
    for ref, got, dtype in outs:
        g, r = as_float(got, dtype), as_float(ref, dtype)
        if g.dtype.kind != "f":
            ok &= bool(np.array_equal(g, r))
            continue
        if not r.size:
            continue
        ok &= bool(np.all(np.isfinite(g) == np.isfinite(r)))
        error = float(np.max(np.abs(g - r)) / (1e-30 + np.max(np.abs(r))))
        limit = max(4 * upstream, 2e-2 if dtype in ("bfloat16", "float16") else 1e-5)
        ok &= error <= limit
        worst = max(worst, error)
    return {"ok": ok, "error": worst, "ms": round(best * 1e3, 2)}


def main():
    compiler, runtime, folder = sys.argv[1:4]
    only = sys.argv[4:]
    failed = 0
    for info in json.load(open(os.path.join(folder, "manifest.json"))):
        name = info["name"]
        if only and not any(o in name for o in only):
            continue
        source = os.path.join(folder, name + ".mlir")
        if not os.path.exists(source):
            continue
        with tempfile.TemporaryDirectory() as tmp:
            so = os.path.join(tmp, "p.so")
            t = time.time()
            flags = os.environ.get("LOCAL_CC_FLAGS", "").split()
            done = subprocess.run([compiler, source, "-o", so] + flags, capture_output=True, text=True, timeout=300)
            seconds = time.time() - t
            if done.returncode:
                print(f"{name:34s} FAIL compile {seconds:.2f}s: {done.stderr[:1500]}", flush=True)
                failed += 1
                continue
            pid = os.fork()
            if pid == 0:
                signal.alarm(60)
                result = run(so, runtime, folder, info)
                print(f"{name:34s} {'ok' if result['ok'] else 'WRONG':5s} error {result['error']:.1e} "
                      f"run {result['ms']} ms, compile {seconds:.2f} s", flush=True)
                os._exit(0 if result["ok"] else 1)
            status = os.waitpid(pid, 0)[1]
            if status:
                failed += 1
            if os.WIFSIGNALED(status):
                print(f"{name:34s} CRASH signal {os.WTERMSIG(status)}", flush=True)
    print(f"{failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
