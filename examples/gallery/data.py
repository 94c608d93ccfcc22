"""Data parallel: a training step with the batch over "dp".

Weights are replicated. Each device computes gradients of its rows of the batch, and an all-reduce per
parameter adds them. The batch of 10 is not divisible by 4: the devices have 3, 3, 3 and 1 rows.
"""
import copy
from collections import OrderedDict
import torch
import torch.nn as nn
import shardir.torch

torch.manual_seed(0)
model = nn.Sequential(OrderedDict(up=nn.Linear(16, 32), tanh=nn.Tanh(), down=nn.Linear(32, 1)))
alone = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 16), torch.randn(10, 1)

# Inputs are split over axes that are called dp, data, fsdp, batch or replica unless told otherwise.
step = shardir.torch.train_step(model, nn.functional.mse_loss, optimizer, args=(x, y), mesh={"dp": 4})

alone_optimizer = torch.optim.SGD(alone.parameters(), lr=0.1)
for _ in range(3):
    expected = nn.functional.mse_loss(alone(x), y)
    alone_optimizer.zero_grad()
    expected.backward()
    alone_optimizer.step()
    torch.testing.assert_close(step(x, y), expected.detach())
print(step.report)
# Arguments 0 to 3 are the parameters, 4 is the learning rate.
step.program.show("arg5")  # the input
