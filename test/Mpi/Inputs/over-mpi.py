"""over-mpi.py N STATUS COMMAND...: runs the command under mpirun in N processes.

Expects that very exit status of mpirun; a status like 4|137 allows both, where
it depends on who notices a dead process first. Prints what the processes said,
without what mpirun adds. Ends with 1 where the status is another one, where the
job outlasts a minute, or where there is more than one error.
"""
import subprocess
import sys
import time

count, wanted, command = sys.argv[1], sys.argv[2], sys.argv[3:]
allowed = [int(status) for status in wanted.split("|")]
start = time.monotonic()
try:
    done = subprocess.run(["mpirun", "--quiet", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none",
                           "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader", "--mca", "pml", "ob1", "--mca", "odls_base_sigkill_timeout", "0",
                           "-n", count, *command],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
except subprocess.TimeoutExpired as error:
    sys.exit(f"no end after a minute: {(error.output or b'').decode(errors='replace')}")
text = done.stdout.decode(errors="replace")
sys.stdout.write(text)
sys.stdout.flush()
if done.returncode not in allowed:
    sys.exit(f"exit status {done.returncode}, expected {wanted}: {' '.join(command)}")
errors = [line for line in text.splitlines() if "error:" in line]
if len(errors) > 1:
    sys.exit(f"{len(errors)} errors where one is enough")
