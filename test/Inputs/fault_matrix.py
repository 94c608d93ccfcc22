"""fault_matrix.py TRANSPORT COUNT CLANG INCLUDE EMULATED: every fault of Faults.h at the time when it can happen, in
COUNT processes, the rank at fault being 2: when the run ends, and that it names the rank, where it is, and why. TRANSPORT is
mpi (device mpi), nccl (the emulated NCCL under mpirun) or tcp (the same between processes that find each other by
sockets). Prints a line for each fault: what, when, seconds, the error."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

transport, count, clang, include, emulated = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
device = "mpi" if transport == "mpi" else "nccl"
sources = os.path.join(here, "..", "Mpi" if device == "mpi" else "Cuda", "Inputs", "faults.c")
TIMEOUT = 2
# Most of a run's time is its deadline. Those that meet theirs run alone.
AT_ONCE = 4

big = r"all_reduce of f32 262144 \(a\.mlir:6:6\)"
after = r"in compute after all_reduce of f32 8 \(a\.mlir:1:1\)"
in_second = r"in all_reduce of f32 8 \(a\.mlir:2:2\)"
in_big = f"in (compute after )?{big}"
by_launcher = r"process 2: the program crashed: signal 9 \(Killed\)"


def dead(where):
    # Rank 0 knows where it was; another one may see it first.
    return f"rank 2's process has ended($|; it was last seen {where})" if transport == "tcp" else by_launcher


def late(where):
    return rf"deadline passed: no progress for {TIMEOUT} s; rank 2 is {where}(, while rank \d+ waits in |; raise )"


def silent(where):
    return late(f"{where}, and its process does not answer")


no_memory = f"rank 2 .*1125899906842624 bytes.*it was in (compute after )?all_reduce"
first, second = r"all_reduce of f32 8 \(a\.mlir:1:1\)", r"all_reduce of f32 8 \(a\.mlir:2:2\)"


def mismatch(own, others):
    return (rf"collective mismatch: (rank 2 posted {own}, but rank \d+ posted {others}"
            rf"|rank \d+ posted {others}, but rank 2 posted {own})")


# What, when, the entry, whether collectives have no posts, seconds beside those of a run without a fault, and the
# error; none where there is no fault.
opened = r"all_reduce of f32 \? \(a\.mlir:5:5\) with shape "
faults = [
    ("none", "", "good", True, 0, None),
    ("kill", "compute", "killed", True, 5, dead(after)),
    ("kill", "wait", "killed_waiting", True, 5, dead(in_second)),
    ("kill", "transfer", "killed_moving", True, 5, dead(in_big)),
    ("stop", "compute", "stopped", True, TIMEOUT + 10, silent(after)),
    ("stop", "wait", "stopped_waiting", True, TIMEOUT + 10, silent(in_second)),
    # It stops in its first collective, before it may have told the others.
    ("stop", "transfer", "stopped_moving", True, TIMEOUT + 10, silent(f"({in_big}|not started yet)")),
    ("spin", "compute", "hangs", True, TIMEOUT + 10, late(after)),
    ("spin", "transfer", "hangs_moving", True, TIMEOUT + 10, late(in_big)),
    ("parallel spin", "compute", "spins", True, TIMEOUT + 10, late(after)),
    ("late", "compute", "late", True, 5, None),
    ("late", "wait", "late_waiting", True, 5, None),
    ("late", "transfer", "late_moving", True, 10, None),
    ("out of memory", "compute", "memory", True, 5, no_memory),
    ("out of memory", "transfer", "memory_moving", True, 5, no_memory),
    ("mismatch", "wait", "differs", False, 5, mismatch(first, second)),
    ("mismatch", "transfer", "differs_moving", False, 5, mismatch(first, second)),
    ("size mismatch", "wait", "size", False, 5, mismatch(f"{opened}5", f"{opened}8")),
]
if transport == "tcp":
    faults += [("partition", when, entry, True, TIMEOUT + 15, silent(where))
               for when, entry, where in (("compute", "parted_computing", after), ("wait", "parted", f"in (compute after )?{second}"),
                                          ("transfer", "parted_moving", in_big))]

if transport == "mpi":
    # The emulated GPU moves data as its host waits, which a loop without an end keeps it from.
    faults.append(("parallel spin", "transfer", "spins_moving", True, TIMEOUT + 10, late(in_big)))

environment = dict(os.environ)
if device == "nccl":
    environment["SHARDIR_NCCL_LIBRARY"] = environment["SHARDIR_CUDA_LIBRARY"] = emulated


def run(entry, is_static, expected, folder):
    """Seconds, whether the processes ended as they should, and what they said."""
    status = "4" if expected else "0"
    if transport == "tcp":
        flags = ["--stays=2"] if entry.startswith("stopped") else []
        start = [os.path.join(here, "..", "Cuda", "Inputs", "processes.py"), count, status, *flags]
    else:
        start = [os.path.join(here, "..", "Mpi", "Inputs", "over-mpi.py"), count, status]
    # Without a fault a run ends on its own, on a busy machine later.
    deadline = TIMEOUT if expected else 5 * TIMEOUT
    begin = time.monotonic()
    done = subprocess.run([sys.executable, *start, "shard-run", f"--device={device}",
                           os.path.join(folder, f"{is_static}.so"), f"--function={entry}", f"--timeout={deadline}"],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return time.monotonic() - begin, done.returncode == 0, done.stdout.decode(errors="replace")


bad, usual = 0, 0.0
with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
    for is_static in (True, False):
        subprocess.check_call([clang, "-shared", "-fPIC", "-fno-exceptions", f'-DRANKS="{count}"', f"-I{include}",
                               *(["-DSTATIC_COLLECTIVES"] if is_static else []), sources, "-o",
                               os.path.join(folder, f"{is_static}.so")])
    faults.sort(key=lambda fault: fault[-1] is not None)
    running = []
    for _, _, entry, is_static, _, expected in faults:
        running.append(pool.submit(run, entry, is_static, expected, folder))
        if not expected:
            running[-1].result()
    for (what, when, _, _, most, expected), each in zip(faults, running):
        seconds, ends, text = each.result()
        errors = [line for line in text.splitlines() if "error:" in line] or ["no error"]
        error = next((line for line in errors if expected and re.search(expected, line)), errors[0])
        said = re.search(expected, error) if expected else error == "no error"
        # Either side of a partition says what it sees.
        ends = ends or (what == "partition" and "2 errors where one is enough" in text)
        # On a busy machine all takes longer, as the run without a fault does.
        usual = usual or seconds
        limit = most + 5 * usual
        good = said and ends and seconds <= limit
        bad += not good
        print(f"{what}, {when}: {'as expected' if good else 'WRONG'} in {seconds:.1f} s: {error}", flush=True)
        if not good:
            print(f"expected within {limit:.1f} s: {expected}\n{text}", flush=True)
sys.exit(bad > 0)
