# Runs every schedule that an architecture has, forced, on the emulated GPU of a capability, and assembles its kernels:
# `every-schedule.py FOLDER COMPILER RUNNER LIBRARY ARCH CAPABILITY`.
#
# Requires ptxas on the path. Guarantees exit status 1 where a result is wrong, ptxas refuses a kernel for that capability,
# or a schedule is held by no program of CASES.
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..", "..")
sys.path.insert(0, os.path.join(ROOT, "utils"))
from gpu_check import registered_schedules  # noqa: E402

# Schedule, file of test/Run/Gpu, function, and flags: all edges end within tiles, or begin where vectors cannot.
CASES = [
    ("mma_matmul", "matmul", "bf16", []),
    ("mma_matmul", "matmul", "unaligned", []),
    ("mma_matmul", "matmul", "f32", []),
    ("mma_matmul", "narrow-matmul", "bytes", []),
    ("mma_matmul", "split-k", "fused", ["--tolerance=0.02"]),
    ("mma_matmul", "narrow-matmul", "e4m3", []),
    ("mma_attention", "attention", "bf16", ["--tolerance=0.02"]),
    ("mma_attention", "attention", "grouped_causal", ["--tolerance=0.005"]),
    ("mma_attention", "attention", "few_rows", ["--tolerance=0.02"]),
    ("fma_attention", "attention", "f32", []),
    ("mma_attention_backward", "attention-backward", "brain_causal", ["--tolerance=0.02"]),
    ("mma_attention_backward", "attention-backward", "large_heads16", ["--tolerance=0.02"]),
    ("fma_attention_backward", "attention-backward", "causal", []),
    ("elementwise", "elementwise", "transposed", []),
    ("row_reduction", "rows", "layer_norm", ["--tolerance=0.02"]),
    ("column_reduction", "rows", "columns", []),
    ("window", "windows", "dilated_bf16", []),
    ("parallel_loops", "loops", "reversed_rows", []),
    ("scatter", "loops", "segments", []),
    ("scan", "loops", "by_rows", []),
    ("ordered_loops", "loops", "stencils", []),
    ("host_loop", "sorts", "stable", []),
    ("plain", "matmul", "mixed", []),
    ("wgmma_matmul", "matmul", "unaligned", []),
    ("wgmma_matmul", "matmul", "f16_both_transposed", []),
    ("ws_gemm", "matmul", "unaligned", []),
    ("ws_gemm", "matmul", "f16_both_transposed", []),
    ("ws_gemm", "split-k", "fused", ["--tolerance=0.02"]),
    ("ws_gemm", "narrow-matmul", "e4m3", []),
    ("wgmma_attention", "attention", "bf16", ["--tolerance=0.02"]),
    ("wgmma_attention", "attention", "grouped_causal", ["--tolerance=0.005"]),
    ("wgmma_attention_backward", "attention-backward", "brain_causal", ["--tolerance=0.02"]),
    ("tcgen05_gemm", "matmul", "bf16", []),
    ("tcgen05_gemm", "matmul", "f16_both_transposed", []),
    ("tcgen05_gemm", "split-k", "fused", ["--tolerance=0.02"]),
    ("tcgen05_gemm", "narrow-matmul", "e4m3", []),
    ("tcgen05_attention", "attention", "bf16", ["--tolerance=0.02"]),
    ("tcgen05_attention", "attention", "grouped_causal", ["--tolerance=0.005"]),
]


def check(case, folder, compiler, runner, environment, arch, capability):
    """What is wrong with a case; empty if nothing is."""
    schedule, file, function, flags = case
    program = os.path.join(folder, "program.so")
    source = os.path.join(HERE, "..", file + ".mlir")
    options = f"--options=arch={arch} schedule={schedule} ptxas=none"
    done = subprocess.run([compiler, source, f"--function={function}", "--gpu", "--verify", options, "--report=-", "-o", program],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr
    if schedule not in [kernel["schedule"] for kernel in json.loads(done.stdout)["kernels"]]:
        return "no kernel is of this schedule"
    done = subprocess.run([runner, program, "--device=cuda-local", "--verify", *flags], env=environment, capture_output=True, text=True,
                          errors="replace")
    if done.returncode != 0:
        return done.stdout + done.stderr
    texts = re.findall(rb"\.version [^\0]*", open(program, "rb").read())
    if not texts:
        return "the program has no PTX"
    for text in texts:
        ptx = os.path.join(folder, "kernels.ptx")
        with open(ptx, "wb") as stream:
            stream.write(text)
        # PTX of features of one architecture names it; the other one is assembled for the GPU at hand.
        assembled = arch if arch.endswith("a") else f"sm_{capability}"
        done = subprocess.run(["ptxas", f"-arch={assembled}", ptx, "-o", os.devnull], capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr
    return ""


def main():
    folder, compiler, runner, library, arch, capability = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    environment = dict(os.environ, SHARDIR_CUDA_LIBRARY=library, SHARDIR_EMULATED_CUDA=f"capability={capability}")
    failed = 0
    registered = set(registered_schedules(compiler, arch))
    cases = [case for case in CASES if case[0] in registered]
    for case in cases:
        if wrong := check(case, folder, compiler, runner, environment, arch, capability):
            failed += 1
            print(f"{arch} on sm_{capability}: {case[0]} of {case[1]}.mlir:{case[2]}: {wrong}")
    missing = registered - {case[0] for case in cases}
    if missing:
        print(f"no case holds {', '.join(sorted(missing))}")
    print(f"{len(cases) - failed} of {len(cases)} cases passed for {arch} on sm_{capability}")
    sys.exit(1 if failed or missing else 0)


if __name__ == "__main__":
    main()
