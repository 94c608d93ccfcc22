"""Tensor parallel: the hidden layer of a perceptron over "tp".

The first layer's columns and the second layer's rows are split; PyTorch stores a weight as [out, in], so the
pictures show them the other way around. Each device computes its part of the hidden layer, and one
all-reduce adds the terms of the result.
"""
import torch
import torch.nn as nn
import shardir.torch
from shardir.torch import ColwiseParallel, RowwiseParallel


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(16, 64), nn.Linear(64, 16)

    def forward(self, x):
        return self.down(nn.functional.gelu(self.up(x)))


torch.manual_seed(0)
model, x = MLP(), torch.randn(8, 16)

f = shardir.torch.compile(model, args=(x,), mesh={"tp": 4},
                          plan={"up": ColwiseParallel(), "down": RowwiseParallel()})

torch.testing.assert_close(f(x), model(x))
print(f.report)
f.program.show("arg0")  # the first weight
f.program.show("arg2")  # the second weight
