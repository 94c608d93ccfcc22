# Times a case with PyTorch on the CPU: the given number of threads, eager or by
# torch.compile.
#
# usage: torch_peer.py KIND EXTENTS DTYPE THREADS RUNS [compile], for example
# `torch_peer.py matmul 512,512,512 f32 1 20`. Prints milliseconds, one a line,
# after two runs that are not counted.
import sys
import time

import torch

kind, extents, dtype, threads, runs = sys.argv[1:6]
extents = [int(extent) for extent in extents.split(",")]
torch.set_num_threads(int(threads))
torch.manual_seed(0)
types = {"f32": torch.float32, "bf16": torch.bfloat16}


def random(*shape):
    if dtype == "i8":
        return torch.randint(-128, 128, shape, dtype=torch.int8)
    return torch.randn(*shape, dtype=types[dtype])


def weights(*shape):
    # Scaled as layers start with them: GELU takes five times as long far from zero.
    return random(*shape) * shape[0] ** -0.5


if kind == "matmul":
    m, k, n = extents
    a, b = random(m, k), random(k, n)
    run = lambda: torch._int_mm(a, b) if dtype == "i8" else a @ b
elif kind == "linear":
    m, k, n = extents
    x, w = random(m, k), random(n, k)
    run = lambda: torch.nn.functional.linear(x, w)
elif kind == "mlp":
    m, d, h = extents
    x, w1, w2 = random(m, d), weights(d, h), weights(h, d)
    run = lambda: torch.nn.functional.gelu(x @ w1, approximate="tanh") @ w2
elif kind == "softmax":
    x = random(*extents)
    run = lambda: torch.softmax(x, dim=1)
elif kind == "layernorm":
    x, g, b = random(*extents), random(extents[1]), random(extents[1])
    run = lambda: torch.nn.functional.layer_norm(x, (extents[1],), g, b)
elif kind == "attention":
    q, k, v = (random(1, *extents) for _ in range(3))
    run = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
elif kind in ("layer", "grads"):
    b, s, d, h, f = extents
    x, g1, b1, g2, b2 = random(b, s, d), random(d), random(d), random(d), random(d)
    wqkv, wo, w1, w2 = weights(d, 3 * d), weights(d, d), weights(d, f), weights(f, d)

    def run():
        norm = torch.nn.functional.layer_norm(x, (d,), g1, b1)
        q, k, v = (part.view(b, s, h, d // h).transpose(1, 2) for part in (norm @ wqkv).split(d, -1))
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        middle = x + mixed.transpose(1, 2).reshape(b, s, d) @ wo
        norm = torch.nn.functional.layer_norm(middle, (d,), g2, b2)
        return middle + torch.nn.functional.gelu(norm @ w1, approximate="tanh") @ w2
else:
    sys.exit(f"no case '{kind}'")

if sys.argv[6:] == ["compile"]:
    run = torch.compile(run)
if kind == "grads":
    arguments = [each.requires_grad_() for each in (x, g1, b1, g2, b2, wqkv, wo, w1, w2)]
    forward, dy = run, random(b, s, d)
    run = lambda: torch.autograd.grad(forward(), arguments, dy)
with torch.set_grad_enabled(kind == "grads"):
    for i in range(int(runs) + 2):
        start = time.perf_counter()
        run()
        if i >= 2:
            print(1e3 * (time.perf_counter() - start))
