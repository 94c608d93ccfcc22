"""Fully sharded data parallel: batch, parameters and optimizer state over one axis.

Each device keeps a quarter of every parameter and of AdamW's two moments. A weight is gathered before it is used, and
its gradient is reduced and scattered, so that each device updates its own quarter.
"""
import copy
from collections import OrderedDict
import torch
import torch.nn as nn
import shardir.torch
from shardir.torch import Shard

torch.manual_seed(0)
model = nn.Sequential(OrderedDict(up=nn.Linear(32, 64), relu=nn.ReLU(), down=nn.Linear(64, 32)))
alone = copy.deepcopy(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x, y = torch.randn(2048, 32), torch.randn(2048, 32)

step = shardir.torch.train_step(model, nn.functional.mse_loss, optimizer, args=(x, y), mesh={"fsdp": 4},
                                plan={"**": Shard(0)})  # dim 0 of every parameter

alone_optimizer = torch.optim.AdamW(alone.parameters(), lr=1e-3)
for _ in range(3):
    expected = nn.functional.mse_loss(alone(x), y)
    alone_optimizer.zero_grad()
    expected.backward()
    alone_optimizer.step()
    torch.testing.assert_close(step(x, y), expected.detach())
print(step.report)
step.program.show("arg0")  # the first weight
