"""processes.py N STATUS [FLAGS] COMMAND...: starts N processes with the environment that a launcher gives them, and
nothing else of a launcher: nobody ends the others when one ends.

--like=torchrun|srun|pods  whose environment: pods are those of an indexed job of Kubernetes
--rank=R:NAME=VALUE   sets or, without =VALUE, removes a variable of one process (`*`: of all); PORT is a free port
--only=0,1,3          starts these alone
--stays=R             the one that will not end
--hosts=MS,LOSS[,S]   puts the upper half of the ranks on another host; between the two hosts a packet takes MS
                      milliseconds, the part LOSS of them is lost, and after S seconds none passes

Prints what they said. Ends with 1 where some process ends with another status (4|3 allows two), outlasts a minute, or
where there is more than one error.
"""
import contextlib
import os
import random
import socket
import subprocess
import sys
import tempfile
import time

count, arguments = int(sys.argv[1]), sys.argv[3:]
wanted = [int(status) for status in sys.argv[2].split("|")]
like, changes, only, stay, hosts = "torchrun", [], range(count), [], contextlib.nullcontext()
while arguments[0].startswith("--"):
    flag, _, value = arguments.pop(0)[2:].partition("=")
    if flag == "like":
        like = value
    elif flag == "rank":
        changes.append(value.split(":", 1))
    elif flag == "stays":
        stay = [int(value)]
    elif flag == "hosts":
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))
        import two_hosts
        milliseconds, *others = map(float, value.split(","))
        hosts = two_hosts.TwoHosts(milliseconds / 1000, *others)
        changes.append(("*", f"SHARDIR_ROOT={two_hosts.ADDRESSES[0]}:PORT"))
    else:
        only = [int(rank) for rank in value.split(",")]


def free_port():
    """One below those that the system gives out, with a free one after it for torchrun's case."""
    while True:
        first = random.randrange(10000, 20000)
        try:
            for candidate in (first, first + 1):
                with socket.socket() as probe:
                    probe.bind(("", candidate))
            return first
        except OSError:
            continue


port = free_port()


def environment(rank):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMI", "SLURM_"))}
    if like == "torchrun":
        env.update(RANK=rank, WORLD_SIZE=count, LOCAL_RANK=rank, MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    elif like == "pods":
        env.update(JOB_COMPLETION_INDEX=rank, WORLD_SIZE=count, MASTER_ADDR="localhost", MASTER_PORT=port)
    else:
        env.update(SLURM_PROCID=rank, SLURM_NTASKS=count, SLURM_LOCALID=rank, SLURM_JOB_ID=port, SLURM_STEP_ID=0,
                   SLURM_STEP_NODELIST="localhost,other[3-5]")
    for who, what in changes:
        name, equals, value = what.partition("=")
        if who in ("*", str(rank)) and equals:
            env[name] = value.replace("PORT", str(port))
        elif who in ("*", str(rank)):
            env.pop(name, None)
    return {k: str(v) for k, v in env.items()}


outputs = [tempfile.TemporaryFile() for _ in only]
with hosts as started:
    prefixes = [started.command(2 * rank // count) if started else [] for rank in only]
    running = [subprocess.Popen([*prefix, *arguments], env=environment(rank), stdout=out, stderr=subprocess.STDOUT)
               for rank, prefix, out in zip(only, prefixes, outputs)]
    end, statuses = time.monotonic() + 60, {}
    while len(statuses) < len(running) - len(stay) and time.monotonic() < end:
        for rank, process in zip(only, running):
            if rank not in statuses and process.poll() is not None:
                statuses[rank] = process.returncode
        time.sleep(0.01)
    for process in running:
        process.kill()
text = ""
for out in outputs:
    out.seek(0)
    text += out.read().decode(errors="replace")
sys.stdout.write(text)
sys.stdout.flush()
if len(statuses) < len(running) - len(stay):
    sys.exit(f"no end after a minute of ranks {[r for r in only if r not in statuses]}")
if any(status not in wanted for status in statuses.values()):
    sys.exit(f"exit statuses {statuses}, expected {wanted}: {' '.join(arguments)}")
errors = [line for line in text.splitlines() if "error:" in line]
if len(errors) > 1:
    sys.exit(f"{len(errors)} errors where one is enough")
