# Times a case with oneDNN on the CPU, through its C interface: plain layouts of all
# operands, as a program's arguments have them.
#
# usage: onednn_peer.py KIND EXTENTS DTYPE THREADS RUNS, for example
# `onednn_peer.py matmul 512,512,512 f32 2 20`. Prints milliseconds, one a line, after two
# runs that are not counted. Needs `pip install onednn-cpu-gomp`, oneDNN 3.2, the newest one
# there without a runtime for SYCL; OMP_NUM_THREADS has the threads. Prints nothing for
# kinds that oneDNN has no primitives for.
import ctypes
import os
import sys
import time

import numpy

library = ctypes.CDLL(os.path.join(sys.prefix, "lib", "libdnnl.so.3"))
CPU, IN_ORDER = 1, 1
BF16, F32, S32, S8 = 2, 3, 4, 5
SRC, DST, WEIGHTS, SCALE, SHIFT = 1, 17, 33, 51, 52
INFERENCE, ACCURATE, GELU_TANH, SCALED_AND_SHIFTED = 96, 0x30000, 0x2b, 2 | 4


def made(function, *arguments):
    """What dnnl_<function>_create makes."""
    handle = ctypes.c_void_p()
    if status := getattr(library, f"dnnl_{function}_create")(ctypes.byref(handle), *arguments):
        sys.exit(f"error: dnnl_{function}_create: status {status}")
    return handle


class Argument(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("memory", ctypes.c_void_p)]


class Tensor:
    """`axes`: the dims from the outermost in memory on."""

    def __init__(self, shape, dtype, axes=(0, 1), scale=1.0):
        strides = [1] * len(shape)
        for outer, inner in reversed(list(zip(axes, axes[1:]))):
            strides[outer] = strides[inner] * shape[inner]
        numbers = ctypes.c_int64 * len(shape)
        self.layout = ctypes.c_void_p()
        library.dnnl_memory_desc_create_with_strides(ctypes.byref(self.layout), len(shape), numbers(*shape), dtype,
                                                     numbers(*strides))
        values = numpy.random.default_rng(0).standard_normal(shape, numpy.float32) * scale
        self.values = {BF16: lambda: (values.view(numpy.uint32) >> 16).astype(numpy.uint16), F32: lambda: values,
                       S32: lambda: values.astype(numpy.int32), S8: lambda: (values * 40).astype(numpy.int8)}[dtype]()
        self.memory = made("memory", self.layout, engine, ctypes.c_void_p(self.values.ctypes.data))


def primitive(function, operands, *arguments):
    """Runs one primitive; `operands` by number."""
    description = made(f"{function}_primitive_desc", engine, *arguments)
    handle = made("primitive", description)
    listed = (Argument * len(operands))(*((number, x.memory) for number, x in operands.items()))
    return lambda: library.dnnl_primitive_execute(handle, stream, len(operands), listed)


def product(x, w, y, attributes=None):
    return primitive("matmul", {SRC: x, WEIGHTS: w, DST: y}, x.layout, w.layout, None, y.layout, attributes)


kind, extents, dtype, _, runs = sys.argv[1:6]
extents = [int(extent) for extent in extents.split(",")]
element = {"f32": F32, "bf16": BF16, "i8": S8}[dtype]
engine = made("engine", CPU, ctypes.c_size_t(0))
stream = made("stream", engine, IN_ORDER)

if kind in ("matmul", "linear"):
    m, k, n = extents
    w = Tensor((k, n), element, (1, 0) if kind == "linear" else (0, 1))
    steps = [product(Tensor((m, k), element), w, Tensor((m, n), S32 if dtype == "i8" else element))]
elif kind == "mlp":
    m, d, h = extents
    gelu, attributes = made("post_ops"), made("primitive_attr")
    library.dnnl_post_ops_append_eltwise(gelu, GELU_TANH, ctypes.c_float(0), ctypes.c_float(0))
    library.dnnl_primitive_attr_set_post_ops(attributes, gelu)
    x, hidden, y = Tensor((m, d), element), Tensor((m, h), element), Tensor((m, d), element)
    steps = [product(x, Tensor((d, h), element, scale=d ** -0.5), hidden, attributes),
             product(hidden, Tensor((h, d), element, scale=h ** -0.5), y)]
elif kind == "softmax":
    x, y = Tensor(extents, element), Tensor(extents, element)
    steps = [primitive("softmax_forward", {SRC: x, DST: y}, INFERENCE, ACCURATE, x.layout, y.layout, 1, None)]
elif kind == "layernorm":
    x, y, g, b = Tensor(extents, element), Tensor(extents, element), *(Tensor(extents[1:], F32, (0,)) for _ in range(2))
    steps = [primitive("layer_normalization_forward", {SRC: x, DST: y, SCALE: g, SHIFT: b}, INFERENCE, x.layout, y.layout,
                       None, ctypes.c_float(1e-5), SCALED_AND_SHIFTED, None)]
else:
    sys.exit()

for i in range(int(runs) + 2):
    start = time.perf_counter()
    for step in steps:
        step()
    library.dnnl_stream_wait(stream)
    if i >= 2:
        print(1e3 * (time.perf_counter() - start))
