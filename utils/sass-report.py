#!/usr/bin/env python3
# Prints what the main loop of each kernel is made of, as a table in Markdown.
#
# Requires: nvdisasm for a program, cubin or library, and cuobjdump for a library: in --tools, $CUDA_HOME, the path,
# or PyPI's nvidia-cuda-nvdisasm and nvidia-cuda-cuobjdump; nothing for a listing (.sass).
# Guarantees: one row a kernel; exit status 2 and one message where a tool, file or kernel is missing.
"""Show the instructions of kernels' main loops.

    utils/sass-report.py PROGRAM.mlir [--function=NAME] [--options="arch=sm_90a schedule=ws_gemm"]
    utils/sass-report.py PROGRAM.mlir --order          what is started, and waited for, when
    utils/sass-report.py KERNELS.cubin | PROGRAM.so | LISTING.sass
    utils/sass-report.py LIBRARY.so --kernel=REGEX     a library of NVIDIA's: kernels by name
    utils/sass-report.py --update                      writes the tables of docs/GPUMeasurements.md
"""
import argparse
import glob
import importlib.util
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sass_listing  # noqa: E402
import text_table  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EM_CUDA = 190
# The table's problems: title, file, function, options, and which kernels if not all.
PROBLEMS = [
    ("bf16 4096 x 4096 x 4096", "kernels.mlir", "gemm", "arch=sm_90a"),
    ("the same", "kernels.mlir", "gemm", "arch=sm_90a schedule=wgmma_matmul"),
    ("the same on sm_80", "kernels.mlir", "gemm", "arch=sm_80"),
    ("the same on sm_100a", "kernels.mlir", "gemm", "arch=sm_100a"),
    ("the same with bias and maximum", "kernels.mlir", "gemm_bias_relu", "arch=sm_90a"),
    ("bf16 4097 x 4097 x 4097", "kernels.mlir", "gemm_ragged", "arch=sm_90a"),
    ("bf16 1024 x 1024 x 1024", "kernels.mlir", "gemm_1024", "arch=sm_90a"),
    ("bf16 256 x 4096 x 4096", "kernels.mlir", "gemm_256_rows", "arch=sm_90a"),
    ("FP8 4096 x 4096 x 4096", "kernels.mlir", "gemm_f8", "arch=sm_90a"),
    ("the same, B by rows of k", "kernels.mlir", "gemm_f8_rows", "arch=sm_90a"),
    ("f32 4096 x 4096 x 4096", "kernels.mlir", "gemm_f32", "arch=sm_90a"),
    ("bf16 16 x 4096 x 4096", "kernels.mlir", "gemm_decode", "arch=sm_90a"),
    ("FP8 16 x 4096 x 4096", "kernels.mlir", "gemm_decode_f8", "arch=sm_90a"),
    ("attention, d = 64", "attention.mlir", "full64", "arch=sm_90a"),
    ("attention, d = 128", "attention.mlir", "full128", "arch=sm_90a"),
    ("attention on sm_100a, d = 64", "attention.mlir", "full64", "arch=sm_100a"),
    ("attention on sm_100a, d = 128", "attention.mlir", "full128", "arch=sm_100a"),
    ("attention's gradients, d = 64", "attention-backward.mlir", "backward64", "arch=sm_90a", "backward_w"),
    ("attention's gradients, d = 128", "attention-backward.mlir", "backward128", "arch=sm_90a", "backward_w"),
    ("softmax, f32 rows of 4096", "kernels.mlir", "softmax", "arch=sm_90a"),
    ("layer norm, bf16 rows of 4096", "kernels.mlir", "layer_norm", "arch=sm_90a"),
    ("bias and tanh, bf16", "kernels.mlir", "bias_tanh", "arch=sm_90a"),
    ("transpose, bf16", "kernels.mlir", "transpose", "arch=sm_90a"),
    ("sums of columns, f32", "kernels.mlir", "column_sums", "arch=sm_90a"),
]
# For some of them the best of a library's kernels that have names: the library, the architectures of its fat binaries,
# the name, and what to call it where that is too long.
PEERS = {("gemm", "arch=sm_90a"): ("cuBLAS", "sm_90,sm_90a", r"^sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x256x64_"
                                   r"warpgroupsize2x1x1_\w*segment_k_off_kernel", None),
         ("gemm", "arch=sm_80"): ("cuBLAS", "sm_80", r"^ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_nn$", None),
         ("full64", "arch=sm_90a"): ("FlashAttention-3", "sm_90a", r"MainloopFwdSm90ILi2E\w*ILi1EEES8_S8_EEE\w*ILi192EEESA_NS7_"
                                     r"ILi64E\w*10bfloat16_t\w*29StaticPersistentTileScheduler",
                                     "FlashAttnFwdSm90, tile 192 x 192 x 64, 2 stages"),
         ("full128", "arch=sm_90a"): ("FlashAttention-3", "sm_90a", r"MainloopFwdSm90ILi2E\w*ILi1EEES8_S8_EEE\w*ILi128EEENS7_"
                                      r"ILi176EEESA_\w*10bfloat16_t\w*29StaticPersistentTileScheduler",
                                      "FlashAttnFwdSm90, tile 128 x 176 x 128, 2 stages"),
         ("backward64", "arch=sm_90a"): ("FlashAttention-3", "sm_90a", r"MainloopBwdSm90ILi2E\w*ILi1EEES8_S8_EEE\w*ILi128EEESA_NS7_"
                                         r"ILi64E\w*10bfloat16_tEfNS_4arch4Sm90E(?:Lb0E){5}\w*CollectiveEpilogueBwdI",
                                         "FlashAttnBwdSm90, tile 128 x 128 x 64, 2 stages"),
         ("backward128", "arch=sm_90a"): ("FlashAttention-3", "sm_90a", r"MainloopBwdSm90ILi2E\w*ILi1EEES8_S8_EEE\w*ILi80EEENS7_"
                                          r"ILi128EEESB_EEENS_10bfloat16_tEfNS_4arch4Sm90E(?:Lb0E){5}\w*CollectiveEpilogueBwdI",
                                          "FlashAttnBwdSm90, tile 80 x 128 x 128, 2 stages")}
PAGE = os.path.join(ROOT, "docs", "GPUMeasurements.md")
MARKS = re.compile(r"(?<=<!-- sass: begin -->\n).*?(?=<!-- sass: end -->)", re.DOTALL)
HEADER = ["kernel", "loop", "matrix", "global", "shared", "float", "integer", "move", "other", "accesses of the loop",
          "registers", "spills", "shared memory"]


class Failure(Exception):
    pass


def wheels():
    """The folder of NVIDIA's packages of PyPI, if there is one."""
    package = importlib.util.find_spec("nvidia")
    return list(package.submodule_search_locations) if package else []


def tool(name, folder):
    """The path of nvdisasm or cuobjdump."""
    home = os.environ.get("CUDA_HOME")
    for pattern in [folder, home and os.path.join(home, "bin"), *(os.path.join(root, "*", "bin") for root in wheels())]:
        for path in glob.glob(os.path.join(pattern, name)) if pattern else []:
            return path
    found = shutil.which(name)
    if not found:
        raise Failure(f"no {name}: name its folder with --tools, or install PyPI's nvidia-cuda-{name}")
    return found


def cublas():
    """PyPI's libcublasLt, or that of a toolkit; None where there is none."""
    roots = [*wheels(), os.environ.get("CUDA_HOME") or "/usr/local/cuda"]
    found = [path for root in roots for pattern in ("*/lib/libcublasLt.so*", "lib*/libcublasLt.so.*")
             for path in sorted(glob.glob(os.path.join(root, pattern)))]
    return found[0] if found else None


def flash_attention():
    """FlashAttention-3 in PyPI's xformers (0.0.32 has it); None where there is none."""
    package = importlib.util.find_spec("xformers")
    roots = list(package.submodule_search_locations) if package else []
    return next((path for root in roots for path in glob.glob(os.path.join(root, "flash_attn_3", "_C.so"))), None)


def cubins_in(data):
    """The ELF files for GPUs in a file: itself, or those that a program embeds."""
    at = data.find(b"\x7fELF")
    while at >= 0:
        if struct.unpack_from("<H", data, at + 18)[0] == EM_CUDA:
            programs, sections = struct.unpack_from("<QQ", data, at + 32)
            program_bytes, program_count, section_bytes, section_count = struct.unpack_from("<4H", data, at + 54)
            end = max(programs + program_bytes * program_count, sections + section_bytes * section_count)
            yield data[at:at + end]
        at = data.find(b"\x7fELF", at + 1)


def resources_of(cubin):
    """Registers and static shared memory by kernel, of an ELF file's sections."""
    start, = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<3H", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, start + i * size) for i in range(count)]

    def text(table, offset):
        begin = headers[table][4] + offset
        return cubin[begin:cubin.index(b"\0", begin)].decode()

    sections = {text(names, header[0]): header for header in headers}
    found = {title[6:]: {} for title in sections if title.startswith(".text.")}
    for title, header in sections.items():
        if title.startswith(".nv.shared.") and title[11:] in found:
            found[title[11:]]["shared"] = header[5]
    # Records of a format, an attribute and a size or value; those of registers name a symbol and a number.
    at, length = sections.get(".nv.info", (0,) * 10)[4:6]
    symbols = sections[".symtab"]
    while length > 0:
        form, attribute, value = struct.unpack_from("<BBH", cubin, at)
        if (form, attribute) == (4, 0x2f):
            symbol, registers = struct.unpack_from("<II", cubin, at + 4)
            kernel = text(symbols[6], struct.unpack_from("<I", cubin, symbols[4] + symbol * symbols[9])[0])
            found.setdefault(kernel, {})["registers"] = registers
        step = 4 + (value if form == 4 else 0)
        at, length = at + step, length - step
    return found


def disassemble(cubin, tools):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([tool("nvdisasm", tools), "-c", file.name], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"nvdisasm: {done.stderr.strip()}")
    return sass_listing.read_listing(done.stdout)


def rows_of_cubin(cubin, tools, wanted, report=None):
    given = {each["name"]: each for each in (report or {}).get("kernels", [])}
    resources = resources_of(cubin)
    for kernel in disassemble(cubin, tools):
        if not re.search(wanted, kernel.name):
            continue
        has, said = resources.get(kernel.name, {}), given.get(kernel.name, {})
        yield row(kernel, said.get("registers", has.get("registers", "")), said.get("spill_bytes", ""),
                  said.get("dynamic_shared_bytes", 0) + said.get("static_shared_bytes", has.get("shared", 0)))


ORDERED = re.compile(r"HGMMA|HMMA|UTC\w*MMA|MUFU\.EX2|WARPGROUP\.DEPBAR|BAR\.(SYNC|ARV)|UTMALDG|RED")
order_alone = False


def order_of(kernel):
    """The main loop's products, waits for these, exponentials, barriers and copies: a text."""
    def name(each):
        number = re.search(r"(0x[0-9a-f]+)$", each.operands)
        return "wait " + str(int(number[1], 16)) if each.opcode.startswith("WARPGROUP") else ORDERED.match(each.opcode)[0]
    names = [name(each) for each in kernel.main_loop() if ORDERED.match(each.opcode)]
    runs = [(key, len(list(run))) for key, run in itertools.groupby(names)]
    return ", ".join(key if count == 1 else f"{count} {key}" for key, count in runs)


def row(kernel, registers="", spilled="", shared=""):
    """`spilled` is what ptxas said; without that, the instructions that access local memory."""
    if order_alone:
        return [kernel.name, order_of(kernel)]
    loop = kernel.main_loop()
    counted = loop or kernel.instructions
    kinds, widths = sass_listing.mix_of(counted)
    matrix = next((each.opcode.split(".F")[0] for each in counted if each.kind() == "tensor"), "")
    local = sum(each.kind() == "local" for each in kernel.instructions)
    shown = ("tensor", "global", "shared", "float", "integer", "move")
    share = f"{kinds['tensor']} {matrix} ({kinds['tensor'] / max(len(counted), 1):.1%})" if matrix else "0"
    return [kernel.name, len(loop) if loop else f"none, {len(kernel.instructions)} in all", share,
            *[kinds[each] for each in shown[1:]], sum(kinds[each] for each in kinds if each not in shown),
            ", ".join(f"{count} {name}" for name, count in sorted(widths.items())), registers,
            f"{spilled} bytes" if spilled != "" else f"{local} accesses", shared]


def compile_program(file, function, options, build, tools, wanted=""):
    compiler = os.environ.get("SHARDIR_COMPILE") or os.path.join(build, "bin", "shard-compile")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.so")
        done = subprocess.run([compiler, file, "--gpu", f"--options={options}", "-o", program, "--report=-",
                               *([f"--function={function}"] if function else [])], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(done.stderr.strip())
        with open(program, "rb") as stream:
            cubins = list(cubins_in(stream.read()))
    if not cubins:
        raise Failure(f"{file} has no cubin for {options}: is ptxas there?")
    return [each for cubin in cubins for each in rows_of_cubin(cubin, tools, wanted, json.loads(done.stdout))]


def rows_of_library(library, wanted, arch, tools):
    """The kernels of fat binaries whose name matches."""
    with tempfile.TemporaryDirectory() as folder:
        for each in arch.split(","):
            subprocess.run([tool("cuobjdump", tools), "-arch", each, "-xelf", "all", os.path.abspath(library)], cwd=folder,
                           capture_output=True)
        for path in sorted(glob.glob(os.path.join(folder, "*.cubin"))):
            with open(path, "rb") as stream:
                cubin = stream.read()
            if any(re.search(wanted, name) for name in resources_of(cubin)):
                yield from rows_of_cubin(cubin, tools, wanted)


def rows_of(file, options):
    if file.endswith(".sass"):
        with open(file) as stream:
            return [row(kernel) for kernel in sass_listing.read_listing(stream.read()) if re.search(options.kernel, kernel.name)]
    if file.endswith(".mlir"):
        return compile_program(file, options.function, options.options, options.build, options.tools, options.kernel)
    with open(file, "rb") as stream:
        cubins = list(cubins_in(stream.read()))
    if not cubins:
        if not options.kernel:
            raise Failure(f"{file} has no cubin; for a library of fat binaries say which --kernel")
        return list(rows_of_library(file, options.kernel, options.arch, options.tools))
    return [each for cubin in cubins for each in rows_of_cubin(cubin, options.tools, options.kernel)]


def kept_rows(page, title, library):
    """The rows of a library that is not here, as the page has them: a kernel's name and its cells."""
    for number, rest in re.findall(rf"^\| {re.escape(title)} \| {library} \[(\d+)\] \| (.*) \|$", page, re.MULTILINE):
        name, = re.findall(rf"^\[{number}\] `(.*)`$", page, re.MULTILINE)
        yield name, *rest.split(" | ")


def tables(options, page):
    """The section of docs/GPUMeasurements.md, which is `page`; rows of libraries that are not here stay."""
    libraries, rows, names = {"cuBLAS": cublas(), "FlashAttention-3": flash_attention()}, [], []
    for title, file, function, flags, *kernel in PROBLEMS:
        path = os.path.join(ROOT, "benchmarks", "gpu", file)
        rows += [[title, *each] for each in compile_program(path, function, flags, options.build, options.tools, *kernel)]
        name, arch, wanted, called = PEERS.get((function, flags), (None, None, None, None))
        path = libraries.get(name)
        found = rows_of_library(path, wanted, arch, options.tools) if path else kept_rows(page, title, name)
        for each in itertools.islice(found, 1):
            names.append(called or each[0])
            rows.append([title, f"{name} [{len(names)}]", *each[1:]])
    notes = "".join(f"\n[{i}] `{name}`\n" for i, name in enumerate(names, 1))
    return text_table.markdown([["problem", *HEADER], *rows]) + notes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--function", default="", help="of a program")
    parser.add_argument("--options", default="arch=sm_90a", help="of the pipeline, for a program")
    parser.add_argument("--kernel", default="", help="kernels whose name this expression matches")
    parser.add_argument("--arch", default="sm_90,sm_90a", help="of a library's kernels (default sm_90,sm_90a)")
    parser.add_argument("--tools", help="the folder of nvdisasm and cuobjdump")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--update", action="store_true", help="write the tables of docs/GPUMeasurements.md")
    parser.add_argument("--order", action="store_true",
                        help="the order of products, waits for them (for all but so many groups) and exponentials, in place of the table")
    options = parser.parse_args()
    global order_alone
    order_alone = options.order
    try:
        if options.update:
            with open(PAGE) as stream:
                page = stream.read()
            text = MARKS.sub(lambda section: tables(options, section[0]), page)
            with open(PAGE, "w") as stream:
                stream.write(text)
            return 0
        if not options.file:
            parser.error("name a program, a cubin, a library or a listing")
        rows = rows_of(options.file, options)
        if not rows:
            raise Failure(f"{options.file} has no kernel" + (f" that matches '{options.kernel}'" if options.kernel else ""))
        print(text_table.markdown([["kernel", "order in the loop"] if options.order else HEADER, *rows]), end="")
    except (Failure, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
