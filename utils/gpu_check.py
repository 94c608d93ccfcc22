"""Builds a folder with which a machine with a GPU checks this repository.

    utils/gpu-check.sh FOLDER [--arch=sm_90a] [--filter=TEXT] [--build=build]

compiles every program that test/Run runs with --verify, and every function of
examples, for the architecture, with the schedules that tests force, and with its unsharded
version for the processor, and puts into FOLDER:

    programs/*.so    the compiled programs
    bin, lib         run-checks, the runtime, the libraries that they need
    checks.txt       one line a check: title, ranks, program, flags, with tabs between
    first.txt        about 40 of them, which hold every schedule
    libraries.txt    those of products and attention by cuBLASLt and cuDNN
    run.sh           runs them all; one command, no LLVM, no Python

Inputs are random from a seed, the same everywhere; the expected outputs are the
unsharded program's, computed by the processor of the machine at hand, which has
at least what --target says. What does not compile is listed in
FOLDER/refused.txt and makes the exit status 1. It says how many checks hold a
kernel of each schedule; without --filter one that none holds is an error.

On the GPU machine: `FOLDER/run.sh [TEXT]` runs the checks whose title contains
TEXT in one process: those of first.txt first, five times each, whose results
must be the same bits, then the others. It prints a line for each that fails and
a summary. FOLDER/checks.results.txt has the date, the GPU's name, driver, memory,
clock and power limit, and a line for each check as it ends. A second run goes on
where that file ends, and so does the process after a check that the device did
not survive; `--again` starts again from nothing. `--first` stops behind first.txt.
`FOLDER/run.sh --libraries` runs libraries.txt alone, with the libraries that
$SHARDIR_CUBLASLT_LIBRARY and $SHARDIR_CUDNN_LIBRARY name, or the loader finds.
`FOLDER/run.sh --benchmark` times the checks of bench.txt, and each of their
kernels, by events on the GPU (docs/GPU.md): models, and the
functions of benchmarks/gpu, which are not compared, as the processor would take
too long; then the same by PyTorch, where that is there (peers/). Its times, too,
are measured once. With --tune
plans of the functions of benchmarks/gpu, or of the programs that it names, are
compiled too, three of each schedule: `FOLDER/run.sh --tune` times them, by the
median of 20 runs on the GPU's clock, and writes FOLDER/times.json for the
compiler's option kernel-times. `FOLDER/run.sh
--sanitize` runs those of few.txt, about 20, which hold every schedule, under
compute-sanitizer's memcheck, racecheck and synccheck. With --arch=host, or with
--emulated for another architecture's PTX, the same folder runs on the emulated
GPU.
"""
import argparse
import concurrent.futures
import importlib.util
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys

import gpu_plans

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 64 << 20
RUN = re.compile(r"^// RUN: shard-run %s (--.*)$")
RUN_ALL = re.compile(r"^// RUN: %python %S/(?:\.\./)*Inputs/verify-all\.py %s(.*)$")
# sm_90's matrix units keep about 14 bits of sums of 8-bit floats (docs/GPU.md).
TOLERANCE_OF_F8 = "--tolerance=1e-2"
# Flags of a check that decide what is compiled, and those it is run with.
COMPILED = ("--function=", "--mesh=", "--options=")
KEPT = ("--tolerance=", "--input=", "--seed=")

SCRIPT = r"""#!/bin/sh
# Made by utils/gpu-check.sh for arch @ARCH@, from commit @COMMIT@.
cd "$(dirname "$0")" || exit 2
export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
@HOST@
mode=checks; tool=; again=
while :; do
  case "$1" in
    --again) again=1 ;;
    --first) mode=first ;;
    --libraries) mode=libraries ;;
    --benchmark) mode=bench ;;
    --tune) mode=tune ;;
    --sanitize) mode=sanitize ;;
    *) break ;;
  esac
  shift
done
results=$mode.results.txt
[ -z "$again" ] || rm -f "$results"
{
  date -u +%Y-%m-%dT%H:%MZ
  echo "commit @COMMIT@, arch @ARCH@"
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,power.limit --format=csv,noheader 2>/dev/null || echo "no nvidia-smi"
} | tee -a "$results"
# Ends where a check left the device in a state that only a new process mends, and goes on there.
check() {
  while :; do
    $tool ./bin/run-checks "$@"; status=$?
    [ $status -eq 5 ] || [ $status -gt 128 ] || return $status
  done
}
case $mode in
  bench) check bench.txt "$results" --filter="$1" --show --device=cuda-local --benchmark=50 ;;
  tune) check tune.txt "$results" --filter="$1" --show --device=cuda-local --benchmark=20 ;;
  first) check first.txt "$results" --filter="$1" --device=cuda-local --verify --repeat=5 ;;
  libraries) check libraries.txt "$results" --filter="$1" --device=cuda-local --verify ;;
  sanitize)
    failed=0
    for name in memcheck racecheck synccheck; do
      echo "compute-sanitizer --tool $name" | tee -a "$results"
      [ -z "$again" ] || rm -f "$name".*.txt
      tool="compute-sanitizer --tool $name --log-file $name.%p.txt"
      check few.txt "$name.results.txt" --filter="$1" --device=cuda-local --verify || failed=1
      cat "$name.results.txt" >> "$results"
      if cat "$name".*.txt | grep -E "(ERROR|RACECHECK) SUMMARY" | grep -v " 0 errors\| 0 hazards"; then failed=1; fi
    done
    [ $failed = 0 ] ;;
  *) check first.txt "$results" --filter="$1" --device=cuda-local --verify --repeat=5
     check checks.txt "$results" --filter="$1" --device=cuda-local --verify ;;
esac
status=$?
if [ $mode = tune ]; then
  gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
  # The name of a result, and its median in ms, behind what the compiler said of the plan.
  awk -F '\t' -v source="${gpu:-@SOURCE@}, $(date -u +%Y-%m-%d)" '
    NR == FNR { plans[$1] = $2; next }
    FNR == 1 { printf "{\"arch\": \"@ARCH@\", \"source\": \"%s\", \"kernels\": [", source }
    /^pass / && match($0, /median [0-9.e+-]+ ms/) {
      ms = substr($0, RSTART + 7, RLENGTH - 10)
      match($0, / \([0-9]+ ranks\)/)
      name = substr($0, 6, RSTART - 6)
      if (name in plans) { printf "%s\n%s, \"measured_ns\": %.0f}", comma, plans[name], ms * 1e6; comma = "," }
    }
    END { print "\n]}" }' tune.plans "$results" > times.json
  echo "times.json: for the compiler's option kernel-times, with arch=@ARCH@"
fi
if [ $mode = bench ] && python3 -c "import torch; torch.cuda.init()" 2>/dev/null; then
  python3 peers/gpu_torch.py --filter="$1" --results="$results" peers/*.mlir 2>&1 | tee -a "$results"
fi
exit $status
"""
# Checks that run first, five times each: as many for each schedule; and those under compute-sanitizer.
FIRST, FEW = 40, 20


def first_of(checks, schedules, number):
    """About `number` of the checks, which hold every schedule: forced ones first, then those with few others.
    `schedules` gives the schedules of a check's kernels."""
    names = sorted({name for check in checks for name in schedules(check)})
    number = max(number, len(names))
    chosen = []
    for count in range(1, 1 + -(-number // max(len(names), 1))):
        for name in names:
            rest = sorted((check for check in checks if name in schedules(check) and check not in chosen),
                          key=lambda check: (f":schedule={name}" not in check, len(schedules(check))))
            if rest and sum(name in schedules(check) for check in chosen) < count and len(chosen) < number:
                chosen.append(rest[0])
    return chosen


def expand(text, definitions):
    for name, value in definitions.items():
        text = text.replace("%{" + name + "}", value)
    return text


def import_of(*parts):
    path = os.path.join(ROOT, *parts)
    spec = importlib.util.spec_from_file_location("tool_of_tests", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions_of(file):
    """The names of a program's public functions."""
    return re.findall(r"^ *func\.func @(\w+)\(", open(file).read(), re.MULTILINE)


def every_function(file, flags):
    """The runs of test/Run/Inputs/verify-all.py whose results are the same on every kind of device."""
    verify_all = import_of("test", "Run", "Inputs", "verify-all.py")
    unspecified = verify_all.unspecified_in(open(file).read())
    for name, given, mesh in verify_all.runs_of(file):
        if name in unspecified:
            continue
        yield [f"--function={name}", *given, *flags, *([f"--mesh={mesh}"] if mesh else [])]


def find_checks(pattern):
    """Yields (file, flags): the programs that tests run with --verify alone."""
    for folder in ("test/Run", "examples"):
        for path, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                if not name.endswith(".mlir") or "Inputs" in path:
                    continue
                file = os.path.join(path, name)
                relative = os.path.relpath(file, ROOT)
                if pattern and pattern not in relative:
                    continue
                if folder == "examples":
                    functions = functions_of(file)
                    yield from ((relative, [f"--function={name}"] if len(functions) > 1 else []) for name in functions)
                    continue
                definitions = {}
                for line in open(file):
                    run = RUN_ALL.match(line)
                    if run and "%" not in run[1]:
                        yield from ((relative, flags) for flags in every_function(file, shlex.split(run[1])))
                    define = re.match(r"^// (?:RE)?DEFINE: %\{(\w+)\} =(.*)$", line)
                    if define:
                        definitions[define[1]] = expand(define[2].strip(), definitions)
                    run = RUN.match(line)
                    if not run:
                        continue
                    text = re.split(r" (?:\||&&|2>)", expand(run[1], definitions))[0]
                    if "%" in text or "--verify" not in text:
                        continue
                    yield relative, shlex.split(text)


def find_gpu_checks(pattern, arch):
    """Yields (file, flags): what test/Run/Gpu runs with arch=host, with the schedules that it forces."""
    as_ptx = import_of("test", "Run", "Gpu", "Inputs", "as-ptx.py")
    folder = os.path.join("test", "Run", "Gpu")
    for name in sorted(os.listdir(os.path.join(ROOT, folder))):
        relative = os.path.join(folder, name)
        if not name.endswith(".mlir") or (pattern and pattern not in relative):
            continue
        for text in as_ptx.commands_of(os.path.join(ROOT, relative)):
            flags = shlex.split(text.split(" shard-run ", 1)[1])
            if "--verify" in flags:
                yield relative, [re.sub(f"arch={arch} ptxas=none ?", "", as_ptx.options_for(f, arch)) for f in flags if f != "%s"]


# Schedules of matrix units that one architecture has; host emulates those of sm_90a.
UNITS = {"tcgen05_gemm": ["sm_100a"], "tcgen05_attention": ["sm_100a"],
         **dict.fromkeys(["wgmma_attention", "wgmma_attention_backward", "wgmma_matmul", "ws_gemm"], ["sm_90a", "host"])}


def registered_schedules(compiler, arch):
    names = subprocess.run([compiler, "--print-schedules"], capture_output=True, text=True, check=True).stdout.split()
    return [name for name in names if arch in UNITS.get(name, [arch])]


def uses_f8(file, flags):
    """Whether the function that is checked has 8-bit floats."""
    name = next((f.split("=", 1)[1] for f in flags if f.startswith("--function=")), "")
    return re.search(r"func\.func @" + name + r"\b(?:(?!\nfunc).)*f8E", open(os.path.join(ROOT, file)).read(), re.DOTALL)


def find_benchmarks(pattern):
    """Yields (file, function) of benchmarks/gpu."""
    folder = os.path.join(ROOT, "benchmarks", "gpu")
    for name in sorted(os.listdir(folder)):
        relative = os.path.join("benchmarks", "gpu", name)
        if name.endswith(".mlir") and (not pattern or pattern in relative):
            yield from ((relative, function) for function in functions_of(os.path.join(ROOT, relative)))


def find_problems(named):
    """(file, function) to time plans of: those of benchmarks/gpu, or those of FILE or FILE:FUNCTION."""
    if not named:
        yield from find_benchmarks("")
    for text in named:
        file, _, function = text.partition(":")
        file = os.path.abspath(file)
        yield from ((file, name) for name in ([function] if function else functions_of(file)))


def architecture_of_card():
    said = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True,
                          check=True).stdout.split()[0]
    return {"8.0": "sm_80", "8.6": "sm_86", "8.9": "sm_89", "9.0": "sm_90a", "10.0": "sm_100a"}.get(said, "compute_80")


def ranks_of(report):
    """As many as the meshes of the compiler's report have devices."""
    return max((max(mesh["devices"]) + 1 if "devices" in mesh else math.prod(mesh["axes"].values())
                for mesh in report.get("meshes", {}).values()), default=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--arch", default="sm_90a", help="as the compiler's option; native: that of the first card here")
    parser.add_argument("--filter", default="", help="only files whose path contains this")
    parser.add_argument("--emulated", action="store_true", help="for the emulated GPU: PTX instead of what ptxas makes of it")
    parser.add_argument("--target", help="instructions of the other machine's processor: avx2 (default), avx512, x86-64; "
                        "of this one with --arch=host")
    parser.add_argument("--meshes", type=int, default=2, help="of each function, as many of its meshes (default 2)")
    parser.add_argument("--tune", nargs="*", metavar="FILE[:FUNCTION]", help="plans to time: of benchmarks/gpu, or of these programs")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    options = parser.parse_args()
    if options.arch == "native":
        options.arch = architecture_of_card()
    emulated = options.emulated or options.arch == "host"
    # The emulated GPU's kernels convert bf16, for which older processors call a compiler's library.
    options.target = options.target or ("host" if emulated else "avx2")
    code = f"arch={options.arch} target={options.target}" + (" ptxas=none" if options.emulated else "")
    out = os.path.abspath(options.folder)
    for sub in ("programs", "bin", "lib"):
        os.makedirs(os.path.join(out, sub), exist_ok=True)
    runner = os.path.join(options.build, "bin", "run-checks")
    compiler = os.environ.get("SHARDIR_COMPILE") or os.path.join(options.build, "bin", "shard-compile")
    for name in ("run-checks", "shard-run"):
        shutil.copy(os.path.join(options.build, "bin", name), os.path.join(out, "bin"))
    libraries = subprocess.run(["ldd", runner], capture_output=True, text=True, check=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", libraries):
        # The C library is the other machine's.
        if not re.match(r"(libc|libm|libdl|libpthread|ld-)", name):
            shutil.copy(path, os.path.join(out, "lib"))
    if emulated:
        shutil.copy(os.path.join(options.build, "lib", "libShardIREmulatedGpu.so"), os.path.join(out, "lib"))

    def compile_program(name, *arguments):
        """The compiler's report, or None and what it says."""
        done = subprocess.run([compiler, "--gpu", "--report=-", *arguments, "-o", os.path.join(out, "programs", name)],
                              capture_output=True, text=True, timeout=600)
        return (json.loads(done.stdout) if done.returncode == 0 else None), done.stderr

    found, checks, libraries, bench, refused, compiled, meshes, reports, titles = [], [], [], [], [], {}, {}, {}, {}
    for file, flags in [*find_checks(options.filter), *find_gpu_checks(options.filter, options.arch)]:
        function = (file, *[f for f in flags if f.startswith(("--function=", "--options="))])
        seen = meshes.setdefault(function, [])
        mesh = [f for f in flags if f.startswith("--mesh=")]
        if mesh not in seen:
            seen.append(mesh)
        if seen.index(mesh) >= options.meshes:
            continue
        chosen = [f for f in flags if f.startswith(COMPILED) and not f.startswith("--options=")]
        pipeline = " ".join([f.split("=", 1)[1] for f in flags if f.startswith("--options=")] + [code])
        key = (os.path.join(ROOT, file), "--verify", f"--options={pipeline}", *chosen)
        found.append((file, flags, chosen, pipeline, compiled.setdefault(key, f"p{len(compiled)}.so")))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (key, name), (report, said) in zip(compiled.items(), pool.map(
                lambda item: compile_program(item[1], *item[0]), compiled.items())):
            reports[name] = report
            if not report:
                refused.append(f"{os.path.relpath(key[0], ROOT)} {' '.join(key[3:])}\n{said[:2000]}")

    for file, flags, chosen, pipeline, program in found:
        if not reports[program]:
            continue
        kept = [f for f in flags if f.startswith(KEPT)]
        if uses_f8(file, flags) and not any(f.startswith("--tolerance=") for f in kept):
            kept.append(TOLERANCE_OF_F8)
        title = file + "".join(":" + f.split("=", 1)[1] for f in chosen)
        title += "".join(":" + f for f in pipeline.split() if f.startswith(("schedule=", "library=")))
        same = titles.setdefault(title, [])
        if (program, kept) in same:
            continue
        same.append((program, kept))
        # Results are told apart by title.
        title += f"#{len(same)}" if len(same) > 1 else ""
        line = "\t".join([title, str(ranks_of(reports[program])), program, *kept]) + "\n"
        (libraries if "library=" in pipeline else checks).append(line)
        if file.startswith(("examples", "test/Run/Models")):
            bench.append(line)

    for file, function in find_benchmarks(options.filter):
        name = f"b{len(bench)}.so"
        report, said = compile_program(name, os.path.join(ROOT, file), f"--options={code}", f"--function={function}")
        if not report:
            refused.append(f"{file} {function}\n{said[:2000]}")
            continue
        bench.append(f"{file}:{function}\t{ranks_of(report)}\t{name}\n")
        # The same by libraries beside ours.
        if not any(kernel["schedule"].endswith(("_matmul", "_gemm", "_attention")) for kernel in report["kernels"]):
            continue
        name = f"b{len(bench)}.so"
        report, said = compile_program(name, os.path.join(ROOT, file), f"--options={code} library=cublaslt,cudnn",
                                       f"--function={function}")
        used = sorted({kernel["library"] for kernel in report["kernels"] if "library" in kernel}) if report else []
        if used:
            bench.append(f"{file}:{function}:library={','.join(used)}\t{ranks_of(report)}\t{name}\n")
    plans = []
    problems = list(find_problems(options.tune)) if options.tune is not None else []
    # Files of one name are told apart by the folders that they do not share.
    common = os.path.commonpath([os.path.dirname(os.path.join(ROOT, file)) for file, _ in problems]) if problems else ""
    for file, function in problems:
        target = (os.path.join(ROOT, file), f"--function={function}")

        def compile_report(extra, name="probe.so", target=target):
            return compile_program(name, *target, f"--options={code} {extra}")[0]

        for forced, *found in gpu_plans.plans_of(compile_report, registered_schedules(compiler, options.arch)):
            name = f"t{len(plans)}.so"
            ranks = ranks_of(compile_report(forced, name))
            fields = json.dumps(dict(zip(("problem", "schedule", "plan", "predicted_ns"), found)))
            title = f"{os.path.relpath(os.path.join(ROOT, file), common)}:{function}:{forced.replace(' ', ':')}"
            plans.append((title, ranks, name, fields.rstrip("}")))
    os.makedirs(os.path.join(out, "peers"), exist_ok=True)
    for file in ["benchmarks/peers/gpu_torch.py", *sorted({file for file, _ in find_benchmarks(options.filter)})]:
        shutil.copy(os.path.join(ROOT, file), os.path.join(out, "peers"))

    def write(name, text, mode=0o644):
        path = os.path.join(out, name)
        with open(path, "w") as stream:
            stream.write(text)
        os.chmod(path, mode)

    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True,
                            text=True).stdout.strip() or "unknown"
    host = "\n".join(f'export SHARDIR_{name}_LIBRARY="$PWD/lib/libShardIREmulatedGpu.so"'
                     for name in ("CUDA", "CUBLASLT", "CUDNN")) if emulated else ""
    def schedules(check):
        return {kernel["schedule"] for kernel in reports[check.split()[2]].get("kernels", [])}

    for name in os.listdir(out):
        if name.endswith(".results.txt") or name.startswith(("memcheck.", "racecheck.", "synccheck.")):
            os.remove(os.path.join(out, name))
    write("checks.txt", "".join(checks))
    write("libraries.txt", "".join(libraries))
    groups = {"first.txt": first_of(checks, schedules, FIRST), "few.txt": first_of(checks, schedules, FEW)}
    for name, chosen in groups.items():
        write(name, "".join(chosen))
    write("bench.txt", "".join(bench))
    write("tune.txt", "".join(f"{title}\t{ranks}\t{program}\n" for title, ranks, program, _ in plans))
    write("tune.plans", "".join(f"{title}\t{fields}\n" for title, _, _, fields in plans))
    write("refused.txt", "".join(refused))
    write("run.sh", SCRIPT.replace("@ARCH@", options.arch).replace("@COMMIT@", commit).replace("@HOST@", host)
          .replace("@SOURCE@", "emulated GPU: no time of a card" if emulated else "unknown GPU"), 0o755)
    size = sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(out) for name in names)
    held = {name: 0 for name in registered_schedules(compiler, options.arch)}
    for line in checks:
        for name in schedules(line):
            held[name] += 1
    for name, count in sorted(held.items()):
        print(f"{name}: {count} checks")
    for name, chosen in groups.items():
        number = len(set().union(*map(schedules, chosen)).intersection(held))
        print(f"{name}: {len(chosen)} checks hold {number} of {len(held)} schedules")
    print(f"{len(checks)} checks, {len(refused)} refused, {size / (1 << 20):.1f} MiB in {options.folder}")
    if size > LIMIT:
        sys.exit(f"error: {options.folder} is larger than {LIMIT >> 20} MiB: choose fewer programs with --filter")
    missing = sorted(name for name, count in held.items() if count == 0)
    if missing and not options.filter:
        sys.exit(f"error: no check holds a kernel of {', '.join(missing)}: force it in a file of test/Run/Gpu")
    if options.tune is not None:
        print(f"{len(plans)} plans to time")
    if refused or not (checks or bench or plans):
        sys.exit(1)


if __name__ == "__main__":
    main()
