"""host.py LIBRARY PROGRAM...: a host of the C API. Runs @good of the program that is its rank's in the list, the last
one for the rest, twice, and prints how it ended."""
import ctypes
import os
import sys

runtime = ctypes.CDLL(sys.argv[1])
runtime.shardir_last_error.restype = ctypes.c_char_p
rank = int(os.environ["RANK"])


class Options(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("timeout", ctypes.c_double), ("unsharded", ctypes.c_int),
                ("threads_per_rank", ctypes.c_int), ("reductions", ctypes.c_char_p), ("check", ctypes.c_char_p)]


program = ctypes.c_void_p()
assert runtime.shardir_program_load(sys.argv[2:][min(rank, len(sys.argv) - 3)].encode(), ctypes.byref(program)) == 0
for turn in range(2):
    status = runtime.shardir_run(program, b"good", None, 0, None, 0, ctypes.byref(Options(b"nccl", 10, 0, 1)))
    print(f"rank {rank} turn {turn}: {status} {runtime.shardir_last_error().decode().splitlines()[0] if status else ''}")
sys.stdout.flush()
