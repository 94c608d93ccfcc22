# The lit suite over .mlir and .test files.
#
# Features: compiler, asan, tsan, avx512, avx512-bf16, amx, amx-fp16, cuda, ptxas (with libdevice), nvdisasm,
# mpi, programs (the corpus of exported models lies beside the repository), exhaustive,
# python-package (NumPy, nanobind and pytest are there).
import os
import re
import subprocess
import sys

import shardir_lit

config.name = "ShardIR"
config.test_format = shardir_lit.IsolatedShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "consumer", "runtime-consumer"]
config.test_source_root = os.path.join(config.shardir_source, "test")
config.test_exec_root = os.path.join(config.shardir_build, "test")

shardir_lit.set_time_limit(lit_config, config)
shardir_lit.set_environment(config)

build_bin = os.path.join(config.shardir_build, "bin")
programs = os.path.join(os.path.dirname(config.shardir_source), "shared", "programs")


def answers(*command):
    """Whether a command is there and says yes."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def has_open_mpi():
    """Whether mpirun is there and is Open MPI's, as the runtime needs it."""
    try:
        said = subprocess.run(["mpirun", "--version"], capture_output=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return b"Open MPI" in said.stdout


def has_cuda_tools():
    """Whether the compiler will find ptxas and libdevice, looked for as it does."""
    def chosen(variable):
        value = os.environ.get(variable)
        return None if not value or value == "none" else value

    if "none" in (os.environ.get("SHARDIR_PTXAS"), os.environ.get("SHARDIR_LIBDEVICE")):
        return False
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    roots = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")]
    roots += ["/usr/local/cuda", os.path.join(cache, "shardir", "cuda")]
    roots = [root for root in roots if root]
    libdevice = chosen("SHARDIR_LIBDEVICE") or next(
        (path for path in (os.path.join(root, "nvvm", "libdevice", "libdevice.10.bc") for root in roots)
         if os.path.exists(path)), None)
    ptxas = [chosen("SHARDIR_PTXAS")] + [os.path.join(root, "bin", "ptxas") for root in roots] + ["ptxas"]
    return libdevice is not None and any(answers(path, "--version") for path in ptxas if path)


def cpu_has(flag):
    try:
        with open("/proc/cpuinfo") as file:
            return re.search(rf"^flags\s*:.*\b{flag}\b", file.read(), re.MULTILINE) is not None
    except OSError:
        return False


def has_network_namespaces():
    """Whether this user may make network namespaces and tunnels."""
    return answers("unshare", "--net", "ip", "tuntap", "add", "dev", "probe", "mode", "tun")


features = {
    "compiler": config.shardir_compiler,
    "asan": "address" in config.shardir_sanitizer,
    "tsan": "thread" in config.shardir_sanitizer,
    "avx512": cpu_has("avx512f"),
    "avx512-bf16": cpu_has("avx512_bf16"),
    "amx": cpu_has("amx_bf16"),
    "amx-fp16": cpu_has("amx_fp16"),
    "cuda": answers("nvidia-smi", "-L"),
    "ptxas": has_cuda_tools(),
    "nvdisasm": answers("nvdisasm", "--version"),
    # Open MPI itself leaks and races, as sanitizers see it.
    "mpi": has_open_mpi() and not config.shardir_sanitizer,
    "netns": has_network_namespaces(),
    "programs": os.path.exists(os.path.join(programs, "manifest.json")),
    "python-package": bool(getattr(config, "shardir_python", "")),
    "exhaustive": bool(os.environ.get("SHARDIR_EXHAUSTIVE")),
}
config.available_features.update(name for name, there in features.items() if there)

# Without the compiler there is nothing that reads a .mlir file.
if not config.shardir_compiler:
    config.suffixes = [".test"]

# Other folders' configurations do not say it.
shardir_python = getattr(config, "shardir_python", "")
config.substitutions += [
    ("%shardir_python", f"{shardir_python} -B"),
    ("%shardir_src", config.shardir_source),
    ("%shardir_build", config.shardir_build),
    ("%shardir_plugin", os.path.join(config.shardir_build, "lib", "ShardIRPlugin.so")),
    ("%demo_plugin", os.path.join(config.shardir_build, "lib", "ShardIRDemoPlugin.so")),
    ("%shared", programs),
    ("%emulated_cuda", os.path.join(config.shardir_build, "lib", "libShardIREmulatedGpu.so")),
    # Nothing where the processor has AMX itself.
    ("%emulated_amx", "env" if cpu_has("amx_bf16") else
     "env LD_PRELOAD=" + os.path.join(config.shardir_build, "lib", "libShardIREmulatedAmx.so")),
    ("%clangxx", config.cxx_compiler),
    ("%clang", config.c_compiler),
    ("%cmake", config.cmake),
    ("%llvm_bindir", config.llvm_bindir),
    # Tests must not leave compiled Python beside the sources.
    ("%python", f"{sys.executable} -B"),
]

# Without psutil lit has no time limit of its own: the tools that wait for
# others then get one each.
guard = "" if shardir_lit.has_time_limit() else f"timeout -k 5 {shardir_lit.time_limit(config)} "
tools = {
    "shard-opt": build_bin,
    "shard-run": build_bin,
    "shard-compile": build_bin,
    "shard-validate": build_bin,
    "shard-reduce": build_bin,
    "shard-lsp-server": build_bin,
    "mlir-opt": config.llvm_bindir,
    "FileCheck": config.llvm_bindir,
    "not": config.llvm_bindir,
    "split-file": config.llvm_bindir,
}
for tool, folder in tools.items():
    # Whole words that start a command: not part of a path, a flag or a name.
    config.substitutions.append((rf"(?<![\w./-]){re.escape(tool)}(?![\w./-])",
                                 (guard if tool.startswith("shard-") else "") + os.path.join(folder, tool)))
