"""Reads and writes of PyTorch models at places that are data: bags, searches, counts, scatters."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_mlir")

import shardir  # noqa: E402
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


def rows_of(shape, extent, dim=-1):
    """Places below `extent`, as many as `shape` says, some of them several times."""
    return torch.randint(0, extent, shape).sort(dim)[0]


SCATTERS = {
    "tensor": lambda x, i, v: x.scatter(-1, i, v), "number": lambda x, i, v: x.scatter(2, i, 2.5),
    "sum": lambda x, i, v: x.scatter_add(2, i, v), "wider": lambda x, i, v: x.scatter_add(2, i[..., :9], v),
    **{f"{reduce}, {own}": lambda x, i, v, reduce=reduce, own=own: x.scatter_reduce(2, i, v, reduce, include_self=own)
       for reduce in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)},
}


@pytest.mark.parametrize("scatter, kind", [(name, kind) for name in SCATTERS for kind in (
    torch.float32, torch.int32, torch.uint8) if name != "number" or kind != torch.uint8])
def test_scatters_along_a_dim_leave_rows_where_they_are(scatter, kind):
    compute, index = SCATTERS[scatter], rows_of((5, 3, 12), 20)
    if scatter in ("tensor", "number"):
        index = torch.rand(5, 3, 20).argsort(-1)[..., :12]  # of several values for a place PyTorch may take any
    x, values = (torch.randint(1, 9, shape).to(kind) for shape in ((5, 3, 20), (5, 3, 12)))
    f = st.compile(Computes(compute), args=(x, index, values), mesh={"dp": 2, "tp": 2},
                   inputs=[[Shard(0), Shard(1)]] * 3)
    assert not f.report.collectives, f.report
    close(f(x, index, values), compute(x, index, values), 1e-6)


@pytest.mark.parametrize("compute", [
    lambda x, i: torch.zeros(30, 6).scatter_add(0, i.unsqueeze(1).expand(-1, 6), x),
    lambda x, i: torch.zeros(30, 6).scatter_reduce(0, i.unsqueeze(1).expand(-1, 6), x, "amax", include_self=False),
    lambda x, i: torch.ones(30, 6).index_reduce(0, i, x, "prod"),
    lambda x, i: torch.zeros(30).index_reduce(0, i, x[:, 0], "amin"),
    lambda x, i: torch.ones(6, 30).index_reduce(1, i, x.T, "mean", include_self=False).T,
])
def test_rows_of_a_split_list_give_terms(compute):
    x, index = torch.randn(50, 6), torch.randint(0, 30, (50,))
    f = st.compile(Computes(compute), args=(x, index), mesh={"dp": 2}, inputs=[Shard(0), Shard(0)])
    assert {c.kind for c in f.report.collectives} == {"all_reduce"}, f.report
    close(f(x, index), compute(x, index), 1e-6)


def _written(x, index, values):
    x = x.clone()
    x[:, index] = values
    return x


@pytest.mark.parametrize("compute", [
    lambda x, i, v: x.index_copy(1, i[:2], v[:, :2]), lambda x, i, v: x.index_add(-2, i, v, alpha=2),
    lambda x, i, v: x.index_fill(1, i, 3.0), lambda x, i, v: _written(x, i[:2] - 8, v[:, :2]),
    lambda x, i, v: _written(x, i[0], v[:, 0]), lambda x, i, v: _written(x, i[3:].view(3, 1), v[:, :3].unsqueeze(2)),
    lambda x, i, v: x.index_add(2, i[:3], v[..., :3].repeat(1, 2, 1)[:, :8]),
])
def test_writes_of_rows_of_a_later_dim_move_nothing(compute):
    x, index, values = torch.randn(5, 8, 6), torch.tensor([1, 5, 5, 0, 4, 2]), torch.randn(5, 6, 6)
    f = st.compile(Computes(compute), args=(x, index, values), mesh={"dp": 2}, inputs=[Shard(0), Replicate(), Shard(0)])
    assert not f.report.collectives, f.report
    close(f(x, index, values), compute(x, index, values))


def test_scatters_of_rows_of_any_number():
    def compute(x, i):
        return torch.zeros_like(x).scatter(1, i, x)

    batch = torch.export.Dim("batch")
    x, index = torch.randn(6, 20), torch.rand(6, 20).argsort(1)
    f = st.compile(Computes(compute), args=(x, index), mesh={"dp": 2}, inputs=[Shard(0), Shard(0)],
                   dynamic_shapes=(({0: batch}, {0: batch}),))
    assert not f.report.collectives, f.report
    for rows in (6, 5, 2):
        close(f(x[:rows], index[:rows]), compute(x[:rows], index[:rows]))


@pytest.mark.parametrize("compute", [
    lambda x: x.gather(1, x.argsort(1)), lambda x: x.sort(1)[0], lambda x: torch.zeros_like(x).scatter(1, x.argsort(1), x),
    lambda x: torch.zeros_like(x).scatter_add(1, x.argsort(1) // 2, x),
    lambda x: torch.zeros_like(x).scatter_reduce(1, x.argsort(1) // 2, x, "mean", include_self=False),
    lambda x: x.masked_fill(torch.zeros_like(x, dtype=torch.bool).scatter(1, x.argsort(1), x > 0), 0.0),
])
def test_gradients_of_many_places_move_nothing_but_sums(compute):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(6, 20)

        def forward(self, x):
            return (compute(self.linear(x)) ** 2 * torch.arange(20)).mean()

    model, x = Model(), torch.randn(5, 6)
    twin = copy.deepcopy(model)
    step = st.train_step(model, None, torch.optim.SGD(model.parameters(), 0.1), args=(x,), mesh={"dp": 2})
    assert {c.kind for c in step.report.collectives} == {"all_reduce"}, step.report
    loss = twin(x)
    close(step(x), loss)
    loss.backward()
    for name, p in twin.named_parameters():
        close(step.state_dict()[name], p.detach() - 0.1 * p.grad)


INDICES = {
    "[n]": lambda n: n, "[:, n]": lambda n: (slice(None), n), "[..., n]": lambda n: (..., n), "[n, n]": lambda n: (n, n),
    "[None, 1:3, n, :2]": lambda n: (None, slice(1, 3), n, slice(0, 2)), "[n, :3, 1]": lambda n: (n, slice(0, 3), 1),
    "[rows, n]": lambda n: (torch.tensor([0, 3]), n), "[:, n, columns]": lambda n: (slice(None), n, torch.tensor([1, 0])),
    "[..., n, None]": lambda n: (..., n, None),
}


@pytest.mark.parametrize("at", [2, -1])
@pytest.mark.parametrize("index", INDICES)
def test_indices_that_are_tensors_of_one_number(index, at):
    def compute(x, n):
        y = x.clone()
        y[INDICES[index](n)] = x.flip(2)[INDICES[index](n)] * 3
        z = x.clone()
        z[INDICES[index](n)] = 7
        return x[INDICES[index](n)] * 2, y, z

    x, n = torch.randn(4, 5, 3), torch.tensor(at)
    f = st.compile(Computes(compute), args=(x, n), mesh={"dp": 2}, inputs=[Shard(0)])
    for actual, expected in zip(f(x, n), compute(x, n), strict=True):
        close(actual, expected)


def test_a_cache_that_is_written_at_a_tensor_of_one_number():
    class Cache(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("keys", torch.zeros(4, 8, 3))
            self.linear = nn.Linear(3, 3)

        def forward(self, k, n):
            self.keys[:, n] = self.linear(k)
            return self.keys.cumsum(1)[:, n]

    model, n = Cache(), torch.tensor(0)
    twin = copy.deepcopy(model)
    f = st.compile(model, args=(torch.randn(4, 3), n), mesh={"dp": 2}, inputs=[[Shard(0)]], plan={"keys": Shard(0)})
    assert not f.report.collectives, f.report
    for i in range(4):
        k = torch.randn(4, 3)
        close(f(k, torch.tensor(i)), twin(k, torch.tensor(i)))


def _write_slice(x, n):
    x = x.clone()
    x[:, n:n + 1] = 2
    return x


@pytest.mark.parametrize("compute, message", [
    (lambda x, n: x[:, n:n + 1], r"test_torch_indexing.py:\d+ calls aten.slice.Tensor, whose result's shape depends on data"),
    (_write_slice, r"test_torch_indexing.py:\d+ decides by the value of a tensor, 'x\[:, n:n \+ 1\] = 2'"),
])
def test_slices_whose_bounds_are_tensors(compute, message):
    with pytest.raises(shardir.CompileError, match=message + r".*x.index_select\(dim, n \+ torch.arange\(count\)\)"):
        st.compile(Computes(compute), args=(torch.randn(4, 5), torch.tensor(1)), mesh={"dp": 2})
    assert "__getitem__" not in vars(torch.Tensor)


@pytest.mark.parametrize("module, x", [
    (lambda: nn.Sequential(nn.EmbeddingBag(11, 6, mode="sum", padding_idx=-1), nn.Linear(6, 3)), torch.randint(0, 11, (7, 4))),
    (lambda: nn.Sequential(nn.EmbeddingBag(11, 6, padding_idx=2), nn.Linear(6, 3)), torch.randint(0, 11, (7, 4))),
    (lambda: nn.Sequential(nn.Conv2d(3, 2, 1), nn.Unfold((3, 2), dilation=(1, 2), padding=(1, 0), stride=(2, 1)),
                           nn.Fold((9, 8), (3, 2), dilation=(1, 2), padding=(1, 0), stride=(2, 1)), nn.Conv2d(2, 4, 2)),
     torch.rand(5, 3, 9, 8)),
])
def test_training_with_bags_of_rows_and_windows_moves_gradients_alone(module, x):
    model = module()
    twin, y = copy.deepcopy(model), torch.randn(model(x).shape)
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(x, y), mesh={"dp": 2})
    loss = F.mse_loss(twin(x), y)
    loss.backward()
    close(step(x, y), loss)
    assert [c.kind for c in step.report.collectives] == ["all_reduce"] * (1 + len(list(model.parameters()))), step.report
    step.copy_to(model)
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        close(ours, theirs - 0.1 * theirs.grad)
