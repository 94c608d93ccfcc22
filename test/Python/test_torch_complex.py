"""Complex numbers of PyTorch models, and their gradients."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_mlir")

import shardir  # noqa: E402
import shardir.torch as st  # noqa: E402
from shardir.torch import Shard  # noqa: E402
from test_torch import close  # noqa: E402
from torch import nn  # noqa: E402


class Computes(nn.Module):
    """Of z = x a + i (y + b)."""
    def __init__(self, compute):
        super().__init__()
        self.compute, self.a, self.b = compute, nn.Parameter(torch.rand(6) + 1), nn.Parameter(torch.randn(6))

    def forward(self, x, y):
        found = self.compute(torch.complex(x * self.a, y + self.b))
        found = torch.view_as_real(found) if found.is_complex() else found
        return (found * torch.cos(found * 0.3)).sum()


@pytest.mark.parametrize("compute", [
    lambda z: z.sum(-1), lambda z: z.mean(-1, keepdim=True) - z, lambda z: -z + z.conj(), lambda z: z + z.real,
    lambda z: 2 - z, lambda z: (z + 1j) * (1 + 2j), lambda z: torch.exp(1j * z.real), lambda z: torch.exp(z) / z,
    lambda z: torch.log(z), lambda z: torch.sqrt(z) + z ** 2, lambda z: z.real / z + 1 / z, lambda z: z ** 1.5,
    lambda z: torch.polar(z.abs(), z.imag), lambda z: z.cumsum(-1), lambda z: z[:, [0, 2]],
    lambda z: z.gather(1, torch.tensor([[0, 2]]).expand(5, 2)), lambda z: torch.einsum("bi,bj->bij", z, z.conj()),
    lambda z: torch.einsum("bi,bi->b", z, z.conj()), lambda z: torch.linalg.vector_norm(z, dim=-1),
    lambda z: torch.sgn(z) * z.angle(), lambda z: z @ torch.full((6,), 1 + 1j), lambda z: torch.where(z == z.conj(), z, 2 * z),
])
def test_complex_numbers(compute):
    model, arrays = Computes(compute), (torch.randn(5, 6), torch.randn(5, 6))
    twin = copy.deepcopy(model)
    f = st.compile(model, args=arrays, mesh={"dp": 2}, inputs=[Shard(0), Shard(0)])
    close(f(*arrays), twin(*arrays))
    step = st.train_step(model, None, torch.optim.SGD(model.parameters(), lr=0.1), args=arrays, mesh={"dp": 2})
    loss = twin(*arrays)
    loss.backward()
    close(step(*arrays), loss)
    assert {c.kind for c in step.report.collectives} == {"all_reduce"}, step.report
    step.copy_to(model)
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        close(ours, theirs - 0.1 * (0 if theirs.grad is None else theirs.grad))


@pytest.mark.parametrize("compute", [lambda z: z.prod(-1), lambda z: torch.tanh(z)])
def test_what_is_refused_of_complex_numbers(compute):
    with pytest.raises(shardir.CompileError, match="complex numbers"):
        st.compile(Computes(compute), args=(torch.randn(5, 6), torch.randn(5, 6)), mesh={"dp": 2})
