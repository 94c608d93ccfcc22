"""runs.py LIBRARY DEVICE PROGRAM FUNCTION[/every]...: a host of the C API, started as one of several processes. Runs
the functions one after the other in these processes, whatever comes of each, and says on rank 0 how each ended; on
another rank where that ends otherwise. `/every` compares what the ranks are in at each collective; of A+B all are
started before the first one is waited for."""
import ctypes
import os
import sys

library, device, path, functions = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
rank = int(os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["RANK"])
runtime = ctypes.CDLL(library)
runtime.shardir_last_error.restype = ctypes.c_char_p


class Options(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("timeout", ctypes.c_double), ("unsharded", ctypes.c_int),
                ("threads_per_rank", ctypes.c_int), ("reductions", ctypes.c_char_p), ("check", ctypes.c_char_p)]


program = ctypes.c_void_p()
assert runtime.shardir_program_load(path.encode(), ctypes.byref(program)) == 0, runtime.shardir_last_error()
for function in functions:
    if "+" in function:
        pending = []
        options = Options(device.encode(), 20, 0, 1, None, None)
        for name in function.split("+"):
            pending.append(ctypes.c_void_p())
            assert runtime.shardir_run_start(program, name.encode(), None, 0, None, 0, ctypes.byref(options),
                                             ctypes.byref(pending[-1])) == 0
        print(f"rank {rank} @{function}:", *(runtime.shardir_run_wait(p) for p in pending), flush=True)
        continue
    name, _, check = function.partition("/")
    options = Options(device.encode(), 20, 0, 1, None, check.encode() if check else None)
    status = runtime.shardir_run(program, name.encode(), None, 0, None, 0, ctypes.byref(options))
    said = runtime.shardir_last_error().decode().splitlines()[0] if status else "no error"
    if rank == 0 or (status != 0) != (name not in ("good", "late")):
        print(f"rank {rank} @{function}: {status} {said}", flush=True)
runtime.shardir_processes_finish()
