"""sockets.py LIBRARY PROGRAM FUNCTION...: a host of the C API, started as one of several processes. Runs the functions,
each twice, and prints how many sockets of TCP to others this process has then: for rank 0, and the most that another
rank may have."""
import ctypes
import os
import socket
import sys

rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
runtime = ctypes.CDLL(sys.argv[1])
runtime.shardir_last_error.restype = ctypes.c_char_p


class Options(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("timeout", ctypes.c_double), ("unsharded", ctypes.c_int),
                ("threads_per_rank", ctypes.c_int), ("reductions", ctypes.c_char_p), ("check", ctypes.c_char_p)]


def connected():
    found = 0
    for fd in os.listdir("/proc/self/fd"):
        try:
            with socket.socket(fileno=os.dup(int(fd))) as other:
                found += other.family in (socket.AF_INET, socket.AF_INET6) and bool(other.getpeername())
        except OSError:  # no socket, or one that listens
            pass
    return found


program = ctypes.c_void_p()
assert runtime.shardir_program_load(sys.argv[2].encode(), ctypes.byref(program)) == 0, runtime.shardir_last_error()
for function in sys.argv[3:]:
    for _ in range(2):
        status = runtime.shardir_run(program, function.encode(), None, 0, None, 0,
                                     ctypes.byref(Options(b"nccl", 20, 0, 1)))
        assert status == 0, runtime.shardir_last_error()
relays = [r for r in (rank // 2, 2 * rank, 2 * rank + 1) if 0 < r < size]
neighbours = {(rank + 1) % size, (rank - 1) % size, 0, *relays} - {rank}
count = connected()
if rank == 0:
    print(f"rank 0: {count} sockets of {size - 1}")
else:
    print(f"another rank: {'few' if count <= len(neighbours) else f'{count} sockets, but {sorted(neighbours)}'}")
sys.stdout.flush()
runtime.shardir_processes_finish()
