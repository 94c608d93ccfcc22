"""PyTorch's scaled_dot_product_attention at the sizes of benchmarks/gpu/attention.mlir.

    attention_torch.py

prints a line for each: the least and the median of 50 runs, in milliseconds,
each between two events on the stream behind one that overwrites the GPU's
cache, as shard-run --benchmark times ours; and what that is in TFLOP/s (4 b h s^2 d
operations, half of them with a causal mask). Needs a GPU and PyTorch.
"""
import statistics

import torch
import torch.nn.functional as F

B, H, S, RUNS = 4, 16, 4096, 50


def milliseconds(run):
    for _ in range(5):
        run()
    times = []
    scratch = torch.empty(4 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.uint8, device="cuda")
    for _ in range(RUNS):
        scratch.zero_()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return min(times), statistics.median(times)


def main():
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    for d in (64, 128):
        q, k, v = (torch.randn(B, H, S, d, device="cuda", dtype=torch.bfloat16) for _ in range(3))
        for causal in (False, True):
            least, median = milliseconds(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal))
            operations = 4 * B * H * S * S * d / (2 if causal else 1)
            print(f"torch {'causal' if causal else 'full'}{d}: min {least:.3f} ms, median {median:.3f} ms, "
                  f"{operations / median / 1e9:.0f} TFLOP/s")


if __name__ == "__main__":
    main()
