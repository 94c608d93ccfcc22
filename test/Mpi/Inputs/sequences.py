"""sequences.py LIBRARY RUNS OTHERS: a host of the C API, started as one of several processes. RUNS is a list as
`p.so:open=8,q.so:fixed`: functions of programs, with the length of the array that they take, if any; rank 2 does the
runs of OTHERS instead. `~` in place of `:` hands over this rank's own array. Rank 0 prints how each run ended."""
import ctypes
import os
import sys

rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
runtime = ctypes.CDLL(sys.argv[1])
runtime.shardir_last_error.restype = ctypes.c_char_p
F32 = 8


class Options(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("timeout", ctypes.c_double), ("unsharded", ctypes.c_int),
                ("threads_per_rank", ctypes.c_int), ("reductions", ctypes.c_char_p), ("check", ctypes.c_char_p)]


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_size_t),
                ("type", ctypes.c_int)]


programs = {}
for run in sys.argv[3 if rank == 2 else 2].split(","):
    is_local = "~" in run
    path, _, function = run.replace("~", ":").partition(":")
    if path not in programs:
        programs[path] = ctypes.c_void_p()
        assert runtime.shardir_program_load(path.encode(), ctypes.byref(programs[path])) == 0
    function, _, length = function.partition("=")
    arguments = []
    if length:
        data = ctypes.create_string_buffer(4 * int(length) + 64)
        address = (ctypes.addressof(data) + 63) // 64 * 64
        shape = (ctypes.c_int64 * 1)(int(length))
        arguments.append(Buffer(address, shape, 1, F32))
    call = runtime.shardir_run_local if is_local else runtime.shardir_run
    status = call(programs[path], function.encode(), (Buffer * 1)(*arguments), len(arguments), None, 0,
                  ctypes.byref(Options(b"mpi", 10, 0, 1)))
    said = runtime.shardir_last_error().decode().splitlines()[0] if status else "no error"
    if rank == 0:
        print(f"{os.path.basename(run)}: {status} {said}", flush=True)
runtime.shardir_processes_finish()
