"""Sequence parallel: between the products, activations are split by tokens over the tensor axis.

As in tensor parallel, but the norm and the addition run on a quarter of the tokens. The all-reduce becomes a
reduce-scatter behind the block and an all-gather ahead of it, which receive as many bytes together.
"""
import torch
import torch.nn as nn
import shardir.torch
from shardir.torch import ColwiseParallel, RowwiseParallel, SequenceParallel, Shard


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(16), nn.Linear(16, 64), nn.Linear(64, 16)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


torch.manual_seed(0)
model, x = Block(), torch.randn(1, 32, 16)

f = shardir.torch.compile(model, args=(x,), mesh={"tp": 4}, inputs=[Shard(1)], outputs=[Shard(1)],
                          plan={"norm": SequenceParallel(), "up": ColwiseParallel(),
                                "down": RowwiseParallel(output_layouts=Shard(1))})

torch.testing.assert_close(f(x), model(x))
print(f.report)
f.program.show("arg6")  # the input
f.program.show("arg2")  # the first weight
