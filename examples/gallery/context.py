"""Context parallel: causal attention over a sequence that is split over "cp".

Each device has a quarter of the queries, keys and values of every head. Keys and values go around a ring of devices, block by
block, while the devices compute. The compiler chooses between a ring and a gather; `rings=always` takes the ring, because
a gather would do for a sequence as short as this one.
"""
import torch
import torch.nn.functional as F
import shardir.torch
from shardir.torch import Shard


class Attention(torch.nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


torch.manual_seed(0)
q, k, v = (torch.randn(1, 2, 62, 8) for _ in range(3))  # 62 tokens over 4 devices: 16, 16, 16 and 14

f = shardir.torch.compile(Attention(), args=(q, k, v), mesh={"cp": 4}, inputs=[Shard(2)] * 3, outputs=[Shard(2)],
                          options="rings=always")

torch.testing.assert_close(f(q, k, v), Attention()(q, k, v))
print(f.report)
f.program.show("arg0")  # the queries
