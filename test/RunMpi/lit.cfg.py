# The tests of test/Run once more, with ranks as processes of MPI: the same files,
# with a stand-in for shard-run that runs the same command under mpirun.
#
# A part of them runs with `make check` and `make check-long`, the rest with SHARDIR_EXHAUSTIVE:
# each start of mpirun takes half a second.
import os

import shardir_lit

lit_config.load_config(config, os.path.join(config.shardir_source, "test", "lit.cfg.py"))

config.name = "ShardIR-MPI"
config.test_source_root = os.path.join(config.shardir_source, "test", "Run")
config.test_exec_root = os.path.join(config.shardir_build, "test", "RunMpi")

here = os.path.join(config.shardir_source, "test", "RunMpi")
stand_in = os.path.join(here, "shard-run")
real = os.path.join(config.shardir_build, "bin", "shard-run")
config.environment["SHARDIR_REAL_RUN"] = real
config.environment["PATH"] = here + os.pathsep + config.environment["PATH"]
config.environment["SHARD_RUN"] = stand_in
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.substitutions = [("%shardir_build/bin/shard-run", stand_in)] + [
    (pattern, replacement.replace(real, stand_in)) for pattern, replacement in config.substitutions
]

# Tests that cannot pass over MPI, or show nothing there, and why.
left_out = {
    "CommandLine/full-disk.test",  # the launcher writes to standard output, not shard-run
    "CommandLine/usage.test",  # test/Mpi/launch.test has what several processes say
    "Errors/flags.test",  # the compiler's errors: one process compiles
    "Errors/programs.test",
    # Thousands of runs; test/Mpi/collectives.test moves every pair of
    # placements over MPI in one.
    "Redistribute/pairs.test",
    "Layout/fuzz-exhaustive.test",
    "Layout/fuzz.test",
    "fuzz.test",
    "Layout/orders-mpi.test",  # is over MPI already
    "late-sizes.mlir",  # mostly compiles
}
# Without SHARDIR_EXHAUSTIVE: each kind of collective, rooted ones and messages,
# partials, meshes of other orders, several files, and figures.
quick = {
    "CommandLine/compare.test",
    "CommandLine/measure.test",
    "Dynamic/local-files.test",
    "Placement/meshes.mlir",
    "Placement/pipeline.mlir",
    "combine-collectives.mlir",
    "local-four-ranks.mlir",
    "local-gather.mlir",
    "local-rooted.mlir",
    "partial-sub-axes.mlir",
    "partial-terms.mlir",
}


def files(root):
    for folder, _, names in os.walk(root):
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


# Through the C API, on threads.
left_out |= {name for name in files(config.test_source_root) if name.startswith("Redistribute/Exhaustive/")}
if not os.environ.get("SHARDIR_EXHAUSTIVE"):
    left_out |= set(files(config.test_source_root)) - quick

config.test_format = shardir_lit.IsolatedShTest(left_out=left_out, execute_external=False)
if "mpi" not in config.available_features:
    lit_config.note("ShardIR-MPI is skipped: it needs Open MPI's mpirun, and no sanitizer")
    config.unsupported = True
