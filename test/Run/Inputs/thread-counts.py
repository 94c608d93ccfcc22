"""thread-counts.py LIBRARY PROGRAM: runs each function of a program of one device with 1, 2, 3 and 8 threads on the
same random arguments, several times each and once into results that are not aligned, and says whether the bits of the
results are equal, and whether a run after the first ones took memory from the system, as page faults show."""
import array
import ctypes
import math
import random
import resource
import sys

BYTES = [1, 1, 2, 4, 8, 8, 2, 2, 4, 8]
BF16, F32, F64 = 7, 8, 9


class Info(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("rank", ctypes.c_size_t), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("placement", ctypes.c_char_p)]


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_size_t),
                ("type", ctypes.c_int)]


class Options(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("timeout", ctypes.c_double), ("unsharded", ctypes.c_int),
                ("threads_per_rank", ctypes.c_int), ("reductions", ctypes.c_char_p), ("check", ctypes.c_char_p)]


runtime = ctypes.CDLL(sys.argv[1])
runtime.shardir_last_error.restype = ctypes.c_char_p
runtime.shardir_program_function_name.restype = ctypes.c_char_p
runtime.shardir_program_metadata_json.restype = ctypes.c_char_p
runtime.shardir_program_num_functions.restype = ctypes.c_size_t
chance = random.Random(0)
normal = array.array("f", (chance.gauss(0, 1) for _ in range(65536)))


def ok(status):
    assert status == 0, runtime.shardir_last_error()


def data_of(kind, count):
    """`count` elements of normal random numbers, from a table that starts elsewhere for each array."""
    start = chance.randrange(65536)
    table = normal[start:] + normal[:start]
    if kind == BF16:
        table = array.array("H", (bits >> 16 for bits in memoryview(table.tobytes()).cast("I")))
    elif kind == F64:
        table = array.array("d", table)
    data = table.tobytes()
    needed = count * BYTES[kind]
    return ctypes.create_string_buffer((data * (needed // len(data) + 1))[:needed] + bytes(64), needed + 64)


def buffers_of(program, name, which, fill, shift=0):
    """`shift`: elements behind a multiple of 64 bytes."""
    count = ctypes.c_size_t()
    ok(getattr(runtime, f"shardir_function_num_{which}s")(program, name, ctypes.byref(count)))
    buffers, memory = (Buffer * count.value)(), []
    for i in range(count.value):
        info = Info()
        ok(getattr(runtime, f"shardir_function_{which}")(program, name, ctypes.c_size_t(i), ctypes.byref(info)))
        elements = math.prod(info.shape[:info.rank])
        memory.append(data_of(info.type, elements) if fill else
                      ctypes.create_string_buffer(elements * BYTES[info.type] + 64))
        address = (ctypes.addressof(memory[-1]) + 63) // 64 * 64 + shift * BYTES[info.type]
        ctypes.memmove(address, bytes(memory[-1])[:elements * BYTES[info.type]], elements * BYTES[info.type])
        buffers[i] = Buffer(address, info.shape, info.rank, info.type)
    return buffers, memory


def bits(buffers):
    return [ctypes.string_at(b.data, math.prod(b.shape[:b.rank]) * BYTES[b.type]) for b in buffers]


program = ctypes.c_void_p()
ok(runtime.shardir_program_load(sys.argv[2].encode(), ctypes.byref(program)))
failed = False
for f in range(runtime.shardir_program_num_functions(program)):
    name = runtime.shardir_program_function_name(program, ctypes.c_size_t(f))
    arguments, kept = buffers_of(program, name, "argument", True)
    results, kept_results = buffers_of(program, name, "result", False)
    shifted, kept_shifted = buffers_of(program, name, "result", False, shift=1)
    expected, said, new = None, [], 0
    for threads in (1, 2, 3, 8):
        options = Options(None, 60, 0, threads, None, None)
        least = None
        for turn in range(6):
            faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            ok(runtime.shardir_run_local(program, name, arguments, ctypes.c_size_t(len(arguments)), results,
                                         ctypes.c_size_t(len(results)), ctypes.byref(options)))
            faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
            # The first runs of so many threads take memory for each of them, and on a busy machine not all of them
            # take part in the first one.
            if turn >= 2:
                least = faults if least is None else min(least, faults)
        new = max(new, least)
        found = bits(results)
        expected = expected or found
        if found != expected:
            said.append(f"other bits with {threads} threads")
    ok(runtime.shardir_run_local(program, name, arguments, ctypes.c_size_t(len(arguments)), shifted,
                                 ctypes.c_size_t(len(shifted)), None))
    if bits(shifted) != expected:
        said.append("other bits in results that are not aligned")
    said = said or ["equal bits"]
    # A thread that first takes part touches its stack.
    said.append("no new memory" if new <= 32 else f"{new} page faults")
    failed |= said != ["equal bits", "no new memory"]
    print(f"{name.decode()}: {', '.join(said)}", flush=True)
sys.exit(failed)
