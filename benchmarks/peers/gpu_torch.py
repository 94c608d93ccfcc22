"""PyTorch's times for the functions of benchmarks/gpu.

    gpu_torch.py [--filter=TEXT] [--results=FILE] [--list] PROGRAM.mlir...

runs each function whose title has TEXT (`benchmarks/gpu/kernels.mlir:gemm`, as
gpu-check has it), on random inputs of the shapes and types that the program
declares, and prints a line: the least and the median of 50 runs, in
milliseconds, each between two events on the stream behind one that overwrites
the GPU's cache, as shard-run --benchmark times ours. Where PyTorch has several
kernels for a function, torch.compile's are timed, too. A line that FILE has
already is not measured again; a function that this PyTorch or GPU lacks prints
why. --list prints the inputs alone, and needs neither GPU nor PyTorch.
"""
import argparse
import os
import re
import statistics
import sys

RUNS = 50
FUNCTION = re.compile(r"^func\.func @(\w+)\((.*?)\) ->", re.MULTILINE)
DTYPES = {"bf16": "bfloat16", "f16": "float16", "f32": "float32", "f8E4M3FN": "float8_e4m3fn"}


def attention(causal=False):
    def run(torch, q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return run


def attention_backward(torch, q, k, v, gradient, *_):
    """The gradients alone: autograd computes `delta` and keeps the rows' maxima and sums together."""
    inputs = [x.requires_grad_() for x in (q, k, v)]
    out = torch.nn.functional.scaled_dot_product_attention(*inputs)
    return lambda: torch.autograd.grad(out, inputs, gradient, retain_graph=True)


def scaled_product(torch, a, weights):
    one = torch.ones((), device=a.device)
    return torch._scaled_mm(a, weights.t(), one, one, out_dtype=torch.bfloat16)


def scaled_product_by_rows(torch, a, b):
    """cuBLASLt takes the second operand by columns alone."""
    return scaled_product(torch, a, b.t().contiguous())


def product(torch, a, b):
    return a @ b


def product_with_weights(torch, a, weights):
    return torch.nn.functional.linear(a, weights)


def momentum(torch, w, m, g):
    m = 0.9 * m + g
    return w - 1e-3 * m, m


# By function: what runs, all inputs given, behind the module torch.
RUN = {
    "full64": attention(), "full128": attention(), "causal64": attention(causal=True), "causal128": attention(causal=True),
    "gemm": product, "gemm_decode": product, "gemm_f32": product, "batched": product, "experts": product,
    "gemm_ragged": product, "gemm_1024": product, "gemm_256_rows": product,
    "gemm_weights": product_with_weights, "gemm_decode_one": product_with_weights,
    "gemm_f8": scaled_product, "gemm_decode_f8": scaled_product, "gemm_f8_rows": scaled_product_by_rows,
    "gemm_bias_relu": lambda torch, a, b, bias: torch.relu(torch.addmm(bias, a, b)),
    "softmax": lambda torch, x: torch.softmax(x, 1), "softmax_bf16": lambda torch, x: torch.softmax(x, 1),
    "layer_norm": lambda torch, x, g, b: torch.nn.functional.layer_norm(x, x.shape[1:], g.to(x.dtype), b.to(x.dtype)),
    "rms_norm": lambda torch, x, g: torch.nn.functional.rms_norm(x, x.shape[1:], g, 1e-5),
    "row_sums": lambda torch, x: x.sum(1), "column_sums": lambda torch, x: x.sum(0),
    "add": lambda torch, a, b: a + b,
    "bias_tanh": lambda torch, a, b: torch.tanh(a + b),
    "swiglu": lambda torch, a, b: torch.nn.functional.silu(a) * b,
    "momentum": momentum,
    "transpose": lambda torch, a: a.t().contiguous(), "transpose_f32": lambda torch, a: a.t().contiguous(),
    "transpose_heads": lambda torch, a: a.transpose(1, 2).contiguous(),
}
# By function: what prepares the run that is timed.
PREPARE = {"backward64": attention_backward, "backward128": attention_backward}
# PyTorch has several kernels for these, and torch.compile makes one.
COMPILED = ("gemm_bias_relu", "layer_norm", "rms_norm", "bias_tanh", "swiglu", "momentum")


def functions_of(path):
    """(title, name, the inputs' types) of each function of a program."""
    for name, arguments in FUNCTION.findall(open(path).read()):
        yield f"benchmarks/gpu/{os.path.basename(path)}:{name}", name, re.findall(r"tensor<([\w.]+)>", arguments)


def random_input(torch, text):
    *shape, dtype = text.split("x")
    made = torch.randn([int(extent) for extent in shape], device="cuda")
    return made.to(getattr(torch, DTYPES[dtype]))


def milliseconds(torch, run):
    for _ in range(5):
        run()
    times = []
    scratch = torch.empty(4 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.uint8, device="cuda")
    for _ in range(RUNS):
        scratch.zero_()
        # About 1 ms: the host is ahead then, so that what it does for a launch adds nothing.
        torch.cuda._sleep(1 << 21)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return min(times), statistics.median(times)


def runs_of(torch, name, inputs):
    """(what it is, the run) of each way to compute a function."""
    if name in PREPARE:
        yield "torch", PREPARE[name](torch, *inputs)
        return
    run = RUN[name]
    yield "torch", lambda: run(torch, *inputs)
    if name in COMPILED:
        compiled = torch.compile(lambda *given: run(torch, *given))
        yield "torch.compile", lambda: compiled(*inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--filter", default="")
    parser.add_argument("--results", help="what was measured already")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    chosen = [found for path in options.programs for found in functions_of(path) if options.filter in found[0]]
    if options.list:
        for title, name, types in chosen:
            print(f"{title}: {', '.join(types)}" + ("" if name in RUN or name in PREPARE else ": no peer"))
        return
    import torch
    done = set(re.findall(r"^(\S+ \S+): min ", open(options.results).read(), re.MULTILINE)) if options.results else set()
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}", flush=True)
    for title, name, types in chosen:
        inputs = None
        try:
            ways = ["torch"] + ["torch.compile"] * (name in COMPILED)
            if all(f"{way} {title}" in done for way in ways):
                continue
            inputs = [random_input(torch, text) for text in types]
            for way, run in runs_of(torch, name, inputs):
                if f"{way} {title}" not in done:
                    least, median = milliseconds(torch, run)
                    print(f"{way} {title}: min {least:.4f} ms, median {median:.4f} ms", flush=True)
        except (RuntimeError, AttributeError, KeyError) as why:
            print(f"torch {title}: {type(why).__name__}: {str(why).splitlines()[0]}", flush=True)
        del inputs


if __name__ == "__main__":
    sys.exit(main())
