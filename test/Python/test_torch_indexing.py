"""Reads and writes of PyTorch models at places that are data: bags, searches, counts, scatters."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_mlir")

import shardir.torch as st  # noqa: E402
from shardir.torch import Replicate, Shard  # noqa: E402
from test_torch import BATCH, MESH, close  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


class Computes(nn.Module):
    def __init__(self, compute):
        super().__init__()
        self.compute = compute

    def forward(self, *args):
        return self.compute(*args)


class Bags(nn.Module):
    def __init__(self, mode, last, indices=200):
        super().__init__()
        self.table, self.linear = nn.Parameter(torch.randn(11, 6)), nn.Linear(6, 3)
        self.weights = nn.Parameter(torch.randn(indices))
        self.mode, self.last = mode, last

    def forward(self, ids, offsets):
        weights = self.weights[:ids.shape[0]] if self.mode == "sum" else None
        return self.linear(F.embedding_bag(ids, self.table, offsets, mode=self.mode, include_last_offset=self.last,
                                           padding_idx=3, per_sample_weights=weights))


@pytest.mark.parametrize("last", [None, 200, 150])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_that_offsets_begin(mode, last):
    model, ids = Bags(mode, last is not None), torch.randint(0, 11, (200,))
    offsets = torch.cat([torch.zeros(2, dtype=torch.int64), torch.randint(0, 140, (97,)).sort()[0]])
    ids[offsets[50]:offsets[60]] = 3  # bags of padding alone
    offsets = offsets if last is None else torch.cat([offsets, torch.tensor([last])])
    twin, y = copy.deepcopy(model), torch.randn(99, 3)
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(ids, offsets, y), mesh=MESH,
                         plan={"table": [Replicate(), Shard(0)]})
    within = 200 if last is None else last  # PyTorch's own gradients of indices behind the last bag are undefined
    loss = F.mse_loss(twin(ids[:within], offsets), y)
    loss.backward()
    close(step(ids, offsets, y), loss)
    step.copy_to(model)
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        close(ours, theirs if theirs.grad is None else theirs - 0.1 * theirs.grad)


def test_bags_of_split_indices_gather_offsets_alone():
    f = st.compile(Bags("sum", False, 400), args=(torch.arange(400) % 11, torch.arange(0, 400, 4)), mesh={"dp": 2},
                   inputs=[Shard(0), Shard(0)], plan={"table": Replicate()})
    kinds = sorted((c.kind, c.bytes_per_device) for c in f.report.collectives)
    assert kinds == [("all_gather", 50 * 8), ("all_reduce", 100 * 3 * 4)], f.report


@pytest.mark.parametrize("count", [7, 65, 200])
def test_searches_in_sorted_bounds(count):
    def search(x, bounds, rows):
        return (torch.bucketize(x, bounds), torch.searchsorted(bounds, x, right=True, out_int32=True),
                torch.searchsorted(rows, x), torch.searchsorted(rows, x, side="right"))

    bounds, rows = torch.randn(count).sort()[0], torch.randn(5, count).sort(1)[0]
    others = torch.tensor([torch.nan, torch.inf, -torch.inf]).expand(5, -1)
    x = torch.cat([rows[:, :4], bounds[::2].expand(5, -1), torch.randn(5, 6), others], 1)
    f = st.compile(Computes(search), args=(x, bounds, rows), mesh={"dp": 2}, inputs=[Shard(0), Replicate(), Shard(0)])
    assert not f.report.collectives, f.report
    for actual, expected in zip(f(x, bounds, rows), search(x, bounds, rows), strict=True):
        assert actual.dtype == expected.dtype and torch.equal(actual, expected)


def test_searches_compare_with_few_bounds_alone():
    for count, compares in ((64, True), (1000, False)):
        f = st.compile(Computes(torch.bucketize), args=(torch.randn(1000), torch.arange(float(count))), mesh={"dp": 1})
        assert (f"1000x{count}xi1" in f.mlir) == compares


@pytest.mark.parametrize("kind", [torch.int64, torch.uint8])
def test_counts_are_sums_over_a_split_batch(kind):
    def count(x, weights):
        return (torch.bincount(x, minlength=300), torch.bincount(x, weights, minlength=300),
                torch.bincount(input=x, weights=weights.long(), minlength=300))

    x, weights = torch.randint(0, 40, (101,), dtype=kind), torch.randint(0, 9, (101,)).float()
    f = st.compile(Computes(count), args=(x, weights), mesh={"dp": 3}, inputs=[Shard(0), Shard(0)])
    assert [c.kind for c in f.report.collectives] == ["all_reduce"] * 3, f.report
    assert "101x300" not in f.mlir
    for actual, expected in zip(f(x, weights), count(x, weights), strict=True):
        assert actual.dtype == expected.dtype and torch.equal(actual, expected)


def test_values_beyond_those_that_are_counted():
    x = torch.tensor([0, 5, 7, 6, 5, 90])
    f = st.compile(Computes(lambda x: torch.bincount(x, minlength=6)), args=(x,), mesh={"dp": 2}, inputs=[Shard(0)])
    assert f(x).tolist() == [1, 0, 0, 0, 0, 2]
