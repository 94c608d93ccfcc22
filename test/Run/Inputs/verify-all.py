"""verify-all.py FILE [flags of shard-run...]: runs every public function of FILE
with --verify, and ends with 1 unless each result was compared and found equal.

All functions are compiled at once, for each mesh. `// INPUTS name: flag flag`
lines of the file give the flags of one function, in which `--input=5x3xf32=ramp`
stands for numbers that differ from one to the next; `// MESHES: x=2 x=3` the
values of --mesh with which each function runs. `// UNSPECIFIED name: why` says that
another kind of device may give another result that is right, too: on GPUs, whose
results are compared with the processor's, the function is left out
(utils/gpu_check.py). Every failure is printed with its
exit status; a signal shows as a negative one.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile


def spelled(flag):
    """The flag with the numbers of a ramp."""
    match = re.fullmatch(r"(--input=((?:\d+x)*)\w+)=ramp", flag)
    if not match:
        return flag
    total = 1
    for extent in match[2].split("x")[:-1]:
        total *= int(extent)
    return match[1] + ("=" + ",".join(str(i * 5 % 11 - 4) for i in range(total)) if total else "")


def unspecified_in(text):
    """The functions whose results devices of different kinds need not agree on."""
    return set(re.findall(r"^// UNSPECIFIED (\w+): .", text, re.MULTILINE))


def runs_of(path):
    """(function, its flags, mesh or None) of each run."""
    text = open(path).read()
    functions = re.findall(r"^ *func\.func @(\w+)\(", text, re.MULTILINE)
    inputs = {}
    for name, line in re.findall(r"^// INPUTS (\w+): (.*)$", text, re.MULTILINE):
        inputs.setdefault(name, []).append([spelled(flag) for flag in shlex.split(line)])
    meshes = [mesh for line in re.findall(r"^// MESHES: (.*)$", text, re.MULTILINE) for mesh in line.split()]
    if not functions or (set(inputs) | unspecified_in(text)) - set(functions):
        sys.exit(f"{path}: no public function, or inputs or results of an unknown one")
    return [(name, given, mesh) for name in functions for given in inputs.get(name, [[]]) for mesh in meshes or [None]]


def shown(command, run):
    return f"FAILED with status {run.returncode}: {shlex.join(command)}\n{run.stdout}{run.stderr}"


def main():
    path, flags = sys.argv[1], sys.argv[2:]
    tool = os.environ.get("SHARD_RUN", "shard-run")
    compiler = os.environ.get("SHARDIR_REAL_RUN", tool)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        programs = {}
        for name, given, mesh in runs_of(path):
            if mesh not in programs:
                programs[mesh] = os.path.join(folder, f"{len(programs)}.so")
                command = [compiler, path, "--compile-only", "--verify", "-o", programs[mesh], *flags]
                command += [f"--mesh={mesh}"] if mesh else []
                run = subprocess.run(command, capture_output=True, text=True)
                if run.returncode:
                    sys.exit(shown(command, run))
            command = [tool, programs[mesh], f"--function={name}", "--verify", *given,
                       *(flag for flag in flags if flag.startswith(("--device=", "--tolerance=")))]
            run = subprocess.run(command, capture_output=True, text=True)
            compared = run.stdout.splitlines()
            good = run.returncode == 0 and compared and all(" equal to " in line for line in compared)
            if not good:
                failed += 1
                print(mesh or "", shown(command, run))
            elif os.environ.get("VERBOSE"):
                print(name, mesh or "", *compared)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
