"""Train on one mesh, save, and resume on another one."""
import torch
import torch.nn as nn
import shardir.torch
from shardir.torch import ColwiseParallel, RowwiseParallel


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(16, 64), nn.Linear(64, 16)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


def make_step(mesh, plan=None):
    model = MLP()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    return shardir.torch.train_step(model, nn.functional.mse_loss, optimizer, args=(x, y), mesh=mesh, plan=plan)


torch.manual_seed(0)
x, y = torch.randn(8, 16), torch.randn(8, 16)

first = make_step({"dp": 2, "tp": 2}, {"up": ColwiseParallel(), "down": RowwiseParallel()})
for _ in range(20):
    first(x, y)
first.save("checkpoint")  # checkpoint/state.safetensors, checkpoint/optimizer.json
expected = [float(first(x, y)) for _ in range(3)]

second = make_step({"dp": 3})  # another number of devices, no tensor parallelism
second.load("checkpoint")
found = [float(second(x, y)) for _ in range(3)]

torch.testing.assert_close(torch.tensor(found), torch.tensor(expected), rtol=1e-4, atol=1e-4)
print("resumed on dp=3, with the same losses")
