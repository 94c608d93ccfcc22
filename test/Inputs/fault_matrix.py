"""fault_matrix.py TRANSPORT COUNT CLANG INCLUDE EMULATED: every fault of Faults.h at the time when it can happen, in
COUNT processes, the rank at fault being 2: that the run ends soon after the deadline, and what it says. TRANSPORT is
mpi (device mpi), nccl (the emulated NCCL under mpirun) or tcp (the same between processes that find each other by
sockets). Prints a line for each fault: what, when, seconds, the error."""
import os
import subprocess
import sys
import tempfile
import time

transport, count, clang, include, emulated = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
device = "mpi" if transport == "mpi" else "nccl"
sources = os.path.join(here, "..", "Mpi" if device == "mpi" else "Cuda", "Inputs", "faults.c")
TIMEOUT = 2
# From the start of the processes to the end of all: the deadline, and what a busy machine takes for the rest.
LIMIT = TIMEOUT + 30

by_launcher = "process 2: the program crashed: signal 9"
dead = "rank 2's process has ended" if transport == "tcp" else by_launcher
computes = f"deadline passed: no progress for {TIMEOUT} s; rank 2 is in compute after all_reduce of f32 8 (a.mlir:1:1)"
silent = f"deadline passed: no progress for {TIMEOUT} s; rank 2 is "
# What, when, the entry, whether collectives have no posts, and the parts of the error; none where there is no fault.
faults = [
    ("kill", "compute", "killed", True, [dead]),
    ("kill", "wait", "killed_waiting", True, [dead]),
    ("kill", "transfer", "killed_moving", True, [dead]),
    ("stop", "compute", "stopped", True, [silent, "its process does not answer"]),
    ("stop", "wait", "stopped_waiting", True, [silent, "its process does not answer"]),
    ("stop", "transfer", "stopped_moving", True, [silent, "its process does not answer"]),
    ("spin", "compute", "hangs", True, [computes]),
    ("parallel spin", "compute", "spins", True, [computes]),
    ("late", "compute", "late", True, []),
    ("out of memory", "compute", "memory", True, ["rank 2 ", "1125899906842624 bytes"]),
    ("mismatch", "wait", "differs", False, ["collective mismatch: rank ", "rank 2 posted"]),
    ("size mismatch", "wait", "size", False, ["collective mismatch: rank ", "rank 2 posted", "with shape"]),
]
if transport == "tcp":
    faults.append(("partition", "wait", "parted", True, [silent, "its process does not answer"]))

environment = dict(os.environ)
if device == "nccl":
    environment["SHARDIR_NCCL_LIBRARY"] = environment["SHARDIR_CUDA_LIBRARY"] = emulated
bad = 0
with tempfile.TemporaryDirectory() as folder:
    for what, when, entry, is_static, parts in faults:
        program = os.path.join(folder, f"{is_static}.so")
        if not os.path.exists(program):
            subprocess.check_call([clang, "-shared", "-fPIC", "-fno-exceptions", f'-DRANKS="{count}"', f"-I{include}",
                                   *(["-DSTATIC_COLLECTIVES"] if is_static else []), sources, "-o", program])
        if transport == "tcp":
            flags = ["--stays=2"] if entry.startswith("stopped") else []
            start = [os.path.join(here, "..", "Cuda", "Inputs", "processes.py"), count, "4" if parts else "0", *flags]
        else:
            start = [os.path.join(here, "..", "Mpi", "Inputs", "over-mpi.py"), count, "4" if parts else "0"]
        begin = time.monotonic()
        done = subprocess.run([sys.executable, *start, "shard-run", f"--device={device}", program,
                               f"--function={entry}", f"--timeout={TIMEOUT}"], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        seconds = time.monotonic() - begin
        text = done.stdout.decode(errors="replace")
        errors = [line for line in text.splitlines() if "error:" in line] or ["no error"]
        error = next((line for line in errors if all(part in line for part in parts)), errors[0])
        said = all(part in error for part in parts) and (parts or error == "no error")
        # Either side of a partition says what it sees.
        ends = done.returncode == 0 or (entry == "parted" and "2 errors where one is enough" in text)
        good = said and ends and seconds < LIMIT
        bad += not good
        print(f"{what}, {when}: {'as expected' if good else 'WRONG'} in {seconds:.1f} s: {error}", flush=True)
        if not good:
            print(text, flush=True)
sys.exit(bad > 0)
