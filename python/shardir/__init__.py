"""Run tensor programs on meshes of devices.

    import shardir
    mesh = shardir.Mesh({"dp": 2, "tp": 4})
    program = shardir.compile("mlp.mlir", mesh=mesh)
    y = program(x, w1, w2)             # NumPy, PyTorch or JAX arrays
    print(program.report)              # the collectives, and why each is there

Models come in through `shardir.torch` and `shardir.jax`. Every exception is a `shardir.Error`.
"""

from ._errors import CompileError, Diagnostic, Error, RankError, UsageError, VerifyError
from ._mesh import Block, Mesh, Partial, Replicate, Shard
from ._program import Local, Program, Tensor, compile, load, process_index
from ._report import Collective, Report, Value, compare

__version__ = "0.1.0"

__all__ = [
    "Block", "Collective", "CompileError", "Diagnostic", "Error", "Local", "Mesh", "Partial", "Program", "RankError",
    "Replicate", "Report", "Shard", "Tensor", "UsageError", "Value", "VerifyError", "compare", "compile", "load",
    "process_index",
]
