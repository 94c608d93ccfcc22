"""PyTorch models against PyTorch: plans, state, training, errors."""

import copy
import os
import re

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_mlir")

import shardir  # noqa: E402
import shardir.torch as st  # noqa: E402
from shardir._compiler import run_tool, tool  # noqa: E402
from shardir.torch import (ColwiseParallel, PrepareModuleOutput, Replicate, RowwiseParallel, SequenceParallel,  # noqa: E402
                           Shard)
import torch.utils.checkpoint  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

MESH = {"dp": 2, "tp": 2}
BATCH = [Shard(0), Replicate()]


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def close(actual, expected, tolerance=2e-5):
    scale = float(expected.detach().abs().max()) or 1.0
    difference = float((actual.detach().double() - expected.detach().double()).abs().max())
    assert difference <= tolerance * scale, f"{difference} of {scale}"


def trains_as_pytorch(model, x, y, plan=None):
    """The step of SGD, whose loss and weights are PyTorch's."""
    twin = copy.deepcopy(model)
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(x, y), mesh=MESH, plan=plan)
    loss = F.mse_loss(twin(x), y)
    loss.backward()
    close(step(x, y), loss)
    step.copy_to(model)
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        close(ours, theirs - 0.1 * theirs.grad)
    return step


def steps_as_pytorch(step, twin, x, y, loss=F.mse_loss):
    """Two steps of SGD, of which each has PyTorch's loss; the twin's weights are then PyTorch's."""
    other = torch.optim.SGD(twin.parameters(), lr=0.1)
    for _ in range(2):
        expected = loss(twin(x), y)
        close(step(x, y), expected)
        other.zero_grad()
        expected.backward()
        other.step()


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (p(x).view(b, t, self.heads, -1).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(y.transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = Attention(width, heads)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class GPT(nn.Module):
    def __init__(self, vocabulary=65, width=32, heads=4, layers=2, length=16):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.randn(length, width) * 0.1)
        self.layers = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        x = self.embed(ids) + self.position[:ids.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.head(self.ln(x))


PLAN = {"layers.*.attn.[qkv]_proj": None, **{f"layers.*.attn.{n}_proj": ColwiseParallel() for n in "qkv"},
        "layers.*.attn.o_proj": RowwiseParallel(), "layers.*.up": ColwiseParallel(), "layers.*.down": RowwiseParallel()}
del PLAN["layers.*.attn.[qkv]_proj"]


@pytest.mark.parametrize("mesh", [{"tp": 1}, {"dp": 2, "tp": 2}, {"dp": 3, "tp": 1}, {"dp": 1, "tp": 4},
                                  {"dp": 2, "tp": 4}])
def test_gpt(mesh):
    model, ids = GPT().eval(), torch.randint(0, 65, (4, 16))
    inputs = [BATCH] if len(mesh) == 2 else None
    f = st.compile(model, (ids,), mesh=mesh, plan=PLAN, inputs=inputs)
    close(f(ids), model(ids))
    f.verify(ids)
    if mesh == MESH:
        modules = [c.module for c in f.report.collectives]
        assert "layers.0.attn.o_proj" in modules and "layers.1.down" in modules
        assert any("test_torch.py" in c.place for c in f.report.collectives)


def test_writes_to_the_model_are_seen():
    model, x = nn.Linear(4, 4), torch.randn(4, 4)
    f = st.compile(model, (x,), mesh=MESH, inputs=[BATCH])
    close(f(x), model(x))
    with torch.no_grad():
        model.weight.mul_(2)
    close(f(x), model(x))


def _assign_data(model):
    model.weight.data = model.weight.data * 2


def _assign_parameter(model):
    model.weight = nn.Parameter(model.weight.detach() * 2)


def _load_and_assign(model):
    model.load_state_dict({k: v * 2 for k, v in model.state_dict().items()}, assign=True)


def _write_uncounted(model):
    model.weight.data.mul_(2)
    torch.autograd.graph.increment_version(model.weight)


@pytest.mark.parametrize("write", [_assign_data, _assign_parameter, _load_and_assign, _write_uncounted,
                                   lambda model: model.half().float()])
def test_tensors_in_the_place_of_the_models_are_seen(write):
    model, x, y = nn.Linear(4, 4), torch.randn(4, 4), torch.randn(4, 4)
    f = st.compile(model, (x,), mesh={"tp": 2})
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), 0.1), args=(x, y), mesh={"dp": 2})
    weight = model.weight
    write(model)
    close(f(x), model(x))
    if model.weight is not weight:
        with pytest.raises(shardir.UsageError, match="'weight' of the model is another tensor than the optimizer has"):
            step(x, y)
    else:
        close(step(x, y), F.mse_loss(model(x), y))


def test_tensors_that_cannot_take_the_place_of_the_models_are_refused():
    model, x = nn.Linear(4, 4), torch.randn(4, 4)
    f = st.compile(model, (x,), mesh={"tp": 2})
    model.weight = nn.Parameter(torch.ones(5, 4))
    with pytest.raises(shardir.UsageError, match=r"'weight' of the model has shape \(5, 4\) .* but had \(4, 4\)"):
        f(x)
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    model[1].weight = model[0].weight
    f = st.compile(model, (x,), mesh={"tp": 2})
    model.load_state_dict(model.state_dict(), assign=True)
    close(f(x), model(x))
    model[1].weight = nn.Parameter(torch.ones(4, 4))
    with pytest.raises(shardir.UsageError, match="was tied to a 'weight' when the model was compiled"):
        f(x)


def test_a_buffer_and_an_input_of_one_name():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("k", torch.zeros(4, 3))

        def forward(self, k):
            self.k.add_(k)
            k.mul_(2)
            return self.k * 2

    model, k, theirs = Model(), torch.ones(4, 3), torch.ones(4, 3)
    reference = copy.deepcopy(model)
    f = st.compile(model, (k,), mesh={"dp": 2})
    for _ in range(3):
        close(f(k), reference(theirs))
        close(k, theirs)
    f.copy_to(model)
    close(model.k, reference.k)


def test_calls_are_those_of_the_model():
    class Model(nn.Module):
        def forward(self, x, y, scale=2.0, *, z=None):
            return x / y * scale if z is None else x / y * scale - z

    model, x, y = Model(), torch.randn(4, 3), torch.rand(4, 3) + 1
    f, g = st.compile(model, (x, y), mesh={"dp": 2}), st.compile(model, (x,), kwargs={"y": y, "z": x}, mesh={"dp": 2})
    close(f(x, y=y), model(x, y))
    close(f(y=y, x=x), model(x, y))
    close(g(x, y, z=x), model(x, y, z=x))
    close(g(z=x, y=y, x=x), model(x, y, z=x))
    g.verify(z=x, y=y, x=x)
    f.verify(y=y, x=torch.zeros(4, 3))
    for call in (lambda: f(x, y, z=x), lambda: f(x), lambda: f(x, y, w=3), lambda: f(x, y, 2.0)):
        with pytest.raises(shardir.UsageError, match="called with other inputs than the model was compiled for"):
            call()


def test_what_is_no_input_or_no_model():
    x, batch = torch.randn(4, 4), torch.export.Dim("batch", max=16)
    f = st.compile(nn.Linear(4, 4), (x,), mesh={"dp": 2}, dynamic_shapes={"input": {0: batch}})
    for call, message in ((lambda: f(None), "input 'input' is a NoneType"), (lambda: f(x.to("meta")), "on the meta device"),
                          (lambda: f(x.to_sparse()), "is a sparse tensor"), (lambda: f(torch.ones(17, 4)), "<= 16"),
                          (lambda: f.copy_to(nn.Linear(4, 3)), "'weight' has shape"),
                          (lambda: f.copy_to(nn.ReLU()), "the model has no 'weight'"),
                          (lambda: st.compile(nn.Linear, (x,), mesh={"dp": 2}), "is the class Linear"),
                          (lambda: st.compile(F.relu, (x,), mesh={"dp": 2}), "is a function")):
        with pytest.raises(shardir.UsageError, match=message):
            call()


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(8, 8)
        self.register_buffer("cache", torch.zeros(4, 16, 8))
        self.register_buffer("position", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.cache.index_copy_(1, self.position.view(1), self.w(x).unsqueeze(1))
        self.position.add_(1)
        return self.cache.sum(1)


def test_buffers_are_updated_in_place():
    model, x = Cache(), torch.randn(4, 8)
    reference = copy.deepcopy(model)
    f = st.compile(model, (x,), mesh=MESH, inputs=[BATCH])
    for i in range(3):
        close(f(x * i), reference(x * i), 1e-4)
    f.copy_to(model)
    assert int(model.position) == 3
    close(model.cache, reference.cache)


def test_inputs_are_updated_in_place():
    class Write(nn.Module):
        def forward(self, x, cache, position):
            cache[:, position] = x.unsqueeze(1)
            return cache.sum(1)

    x, cache, position = torch.randn(4, 8), torch.zeros(4, 16, 8), torch.tensor([3])
    f = st.compile(Write(), (x, cache, position), mesh=MESH, inputs=[BATCH, BATCH])
    close(f(x, cache, position), x)
    close(cache[:, 3], x)


def test_dynamic_batch():
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    f = st.compile(model, (torch.randn(6, 8),), mesh=MESH, dynamic_shapes={"input": {0: torch.export.Dim("batch")}},
                   inputs=[BATCH], plan={"0": ColwiseParallel(), "2": RowwiseParallel()})
    with pytest.raises(shardir.UsageError, match=r"input 'input' has shape \(6, 7\).*\('any', 8\)"):
        f(torch.randn(6, 7))
    for rows in (6, 5, 2, 11):
        x = torch.randn(rows, 8)
        close(f(x), model(x))


def test_dynamic_batch_of_a_gpt():
    model = GPT(layers=1).eval()
    f = st.compile(model, (torch.randint(0, 65, (4, 16)),), mesh=MESH, plan=PLAN, inputs=[BATCH],
                   dynamic_shapes={"ids": {0: torch.export.Dim("batch", min=2, max=64)}})
    for rows in (4, 3, 7):
        ids = torch.randint(0, 65, (rows, 16))
        close(f(ids), model(ids))


def test_bfloat16_and_autocast():
    model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4))
    x = torch.randn(6, 8)

    class Cast(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return self.model(x)

    for case, given in ((Cast(), x), (copy.deepcopy(model).bfloat16(), x.bfloat16())):
        y = st.compile(case, (given,), mesh=MESH, inputs=[BATCH])(given)
        assert y.dtype == torch.bfloat16
        close(y, case(given), 2e-2)


def test_dropout_has_a_seed():
    model, x = nn.Dropout(0.5).train(), torch.ones(64, 8)
    draws = [st.compile(model, (x,), mesh=MESH, seed=seed, inputs=inputs)(x)
             for seed, inputs in ((3, [BATCH]), (3, None), (4, None))]
    assert torch.equal(draws[0], draws[1]) and not torch.equal(draws[0], draws[2])
    assert 0.4 < float((draws[0] == 0).float().mean()) < 0.6


def test_structured_inputs_and_outputs():
    class Structured(nn.Module):
        def forward(self, x, *, scale, flag=True):
            return {"a": x * scale if flag else x, "b": [x + 1, None, 3]}

    x, scale = torch.randn(4, 4), torch.tensor(2.0)
    f = st.compile(Structured(), (x,), mesh=MESH, kwargs={"scale": scale, "flag": True},
                   inputs={"x": [Shard(0), Replicate()]})
    assert '"dp"' in next(v.placement for v in f.report.values if v.name == "arg0")
    y = f(x, scale=scale, flag=True)
    close(y["a"], 2 * x)
    assert y["b"][1:] == [None, 3]
    with pytest.raises(shardir.UsageError, match="compile it again"):
        f(x, scale=scale, flag=False)


def test_sequence_parallel_and_auto():
    model = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 8), nn.LayerNorm(8), nn.Linear(8, 8))
    x = torch.randn(4, 6, 8)
    f = st.compile(model, (x,), mesh=MESH, plan={"0": ColwiseParallel(), "1": RowwiseParallel(),
                                                 "2": SequenceParallel()})
    close(f(x), model(x))
    assert "reduce_scatter" in [c.kind for c in f.report.collectives]
    close(st.compile(model, (x,), mesh=MESH, plan="auto")(x), model(x))


class Sorts(nn.Module):
    def forward(self, x, i):
        values, places = torch.topk(x, 3, -1)
        added = torch.zeros(6, x.shape[1]).index_add(0, i, x)
        return (values, places, torch.sort(x, dim=0, stable=True)[1], torch.cumsum(x, -1), added, torch.sort(i)[0])


def test_sorts_scatters_and_scans():
    x, i = torch.randn(5, 10), torch.tensor([3, 0, 3, 5, 0])
    f = st.compile(Sorts(), (x, i), mesh={"dp": 2}, inputs=[[Shard(0)], [Shard(0)]])
    for actual, expected in zip(f(x, i), Sorts()(x, i)):
        close(actual, expected)


# -- Training ----------------------------------------------------------------------------------

def loss_of(logits, targets):
    return F.cross_entropy(logits.flatten(0, -2), targets.flatten())


@pytest.mark.parametrize("plan", [
    {"0": SequenceParallel()}, {"3": RowwiseParallel(output_layouts=Shard(1))},
    {"1": ColwiseParallel(output_layouts=Replicate())},
    {"2": PrepareModuleOutput(output_layouts=Replicate(), desired_output_layouts=Shard(1))}], ids=lambda p: next(iter(p)))
def test_styles_place_outputs_in_training(plan):
    # The output of the forward pass, not what the backward pass or the update computes for the same module.
    model = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 16, bias=False), nn.ReLU(), nn.Linear(16, 8))
    x, y = torch.randn(4, 6, 8), torch.randn(4, 6, 8)

    def constraints(text):
        return [re.search(r"placement<@mesh.*\) ->.*?>", line)[0] for line in text.splitlines() if "shardir.constrain" in line]

    forward = st.compile(copy.deepcopy(model), args=(x,), mesh=MESH, plan=plan)
    step = trains_as_pytorch(model, x, y, plan)
    assert constraints(step.mlir) == constraints(forward.mlir) != []


@pytest.mark.parametrize("shape", [(6, 4), (2, 3, 4)])
def test_outputs_between_two_products_are_placed(shape):
    model, x = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 4)), torch.randn(shape)
    f = st.compile(model, args=(x,), mesh={"tp": 2}, plan={"0": ColwiseParallel(output_layouts=Replicate()),
                                                           "1": RowwiseParallel()})
    assert ("all_gather", "0") in {(c.kind, c.module) for c in f.report.collectives}, f.report
    close(f(x), model(x))


def test_reports_tell_the_passes_of_a_step_apart():
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
    step = trains_as_pytorch(model, torch.randn(4, 8), torch.randn(4, 8), {"0": ColwiseParallel(), "2": RowwiseParallel()})
    text = step.report.explain()
    assert "'2 (elementwise add)'" in text and "'0, update (elementwise multiply and add)'" in text
    assert "2, loss (elementwise divide)" in text


@pytest.mark.parametrize("make", [lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
                                  lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1),
                                  lambda p: torch.optim.Adam(p, lr=1e-2),
                                  lambda p: torch.optim.AdamW([{"params": p, "weight_decay": 0.1}], lr=1e-2)],
                         ids=["sgd", "sgd-decay", "adam", "adamw"])
def test_training_equals_pytorch(make, tmp_path):
    model = GPT()
    reference = copy.deepcopy(model)
    optimizer, other = make(list(model.parameters())), make(list(reference.parameters()))
    schedule = [torch.optim.lr_scheduler.StepLR(o, 2, 0.5) for o in (optimizer, other)]
    ids, targets = torch.randint(0, 65, (4, 16)), torch.randint(0, 65, (4, 16))
    step = st.train_step(model, loss_of, optimizer, args=(ids, targets), mesh=MESH, plan=PLAN)

    def reference_step():
        loss = loss_of(reference(ids), targets)
        other.zero_grad()
        loss.backward()
        other.step()
        return loss

    for _ in range(3):
        close(step(ids, targets), reference_step(), 1e-4)
        for s in schedule:
            s.step()
    step.save(tmp_path / "ckpt")
    # On another mesh, from the checkpoint.
    resumed = st.train_step(model, loss_of, make(list(model.parameters())), args=(ids, targets), mesh={"dp": 3})
    resumed.load(tmp_path / "ckpt")
    close(resumed(ids, targets), reference_step(), 1e-4)
    resumed.copy_to(model)
    close(model.head.weight, reference.head.weight, 2e-2)
    with pytest.raises(shardir.UsageError, match="lacks|not here"):
        step.load_state_dict({"embed.weight": model.embed.weight.detach()})
    assert all(n.startswith("optimizer.") or n in dict(model.named_parameters()) for n in step.state_dict())


@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-14), (torch.float32, 5e-7)])
@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RAdam", "Adamax"])
def test_updates_are_as_accurate_as_their_type(kind, dtype, tolerance):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.factors, self.scale = nn.Parameter(torch.zeros(4)), nn.Parameter(torch.tensor(0.0))

        def forward(self, x):
            return (x * self.factors + x.sum() * self.scale).sum()

    model, x = Model().to(dtype), torch.randn(5, 4, dtype=dtype)
    twin = copy.deepcopy(model)
    ours, theirs = (getattr(torch.optim, kind)(m.parameters(), lr=0.001) for m in (model, twin))
    step = st.train_step(model, None, ours, args=(x,), mesh={"dp": 2})
    for _ in range(7):
        step(x)
        theirs.zero_grad()
        twin(x).backward()
        theirs.step()
    step.copy_to(model, ours)
    for a, b in zip(model.parameters(), twin.parameters(), strict=True):
        close(a, b, tolerance)
        assert {k: v.dtype for k, v in ours.state[a].items()} == {k: v.dtype for k, v in theirs.state[b].items()}


def test_a_model_without_values(tmp_path):
    """On the meta device: a step is compiled, takes a checkpoint, and refuses what needs values before."""
    def make(device):
        with torch.device(device):
            model = nn.Sequential(nn.Linear(5, 6), nn.BatchNorm1d(6), nn.Tanh(), nn.Linear(6, 3))
        return st.train_step(model, F.mse_loss, torch.optim.AdamW(model.parameters()), args=(x, y), mesh={"dp": 2},
                             plan={"**.weight": Shard(0)})

    x, y = torch.randn(7, 5), torch.randn(7, 3)
    step = make("cpu")
    step(x, y)
    step.save(tmp_path / "ckpt")
    other, third = make("meta"), make("meta")
    for call in (lambda: other(x, y), lambda: other.save(tmp_path / "none"), other.state_dict):
        with pytest.raises(shardir.UsageError, match=r"'0.weight' has no values, .* meta device: load a checkpoint first"):
            call()
    assert not (tmp_path / "none").exists()
    third.load_state_dict(step.state_dict())
    other.load(tmp_path / "ckpt")
    assert step(x, y) == other(x, y) == third(x, y)
    assert step(x, y) == other(x, y)


def test_checkpoints_recompute():
    class Layers(nn.Module):
        def __init__(self, again):
            super().__init__()
            self.layers = nn.ModuleList(nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 16)) for _ in range(6))
            self.again = again

        def forward(self, x):
            for layer in self.layers:
                x = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False) if self.again else layer(x)
            return x

    x, y, peaks = torch.randn(256, 16), torch.randn(256, 16), []
    for again in (False, True):
        torch.manual_seed(1)
        step = trains_as_pytorch(Layers(again), x, y)
        peaks.append(step.report.peak_bytes_per_device)
    assert peaks[1] < 0.9 * peaks[0]


def test_max_pooling_needs_no_scatter():
    model = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.MaxPool2d(3, 2, padding=1))
    step = trains_as_pytorch(model, torch.randn(5, 3, 9, 8), torch.randn(5, 4, 5, 4))
    assert "shardir.scatter" not in step.mlir


class Computes(nn.Module):
    """A linear layer, and `compute` of its result and of `others`."""

    def __init__(self, compute, *others):
        super().__init__()
        self.compute, self.linear = compute, nn.Linear(7, 6)
        for i, other in enumerate(others):
            self.register_buffer(f"other{i}", other)

    def forward(self, x):
        return self.compute(self.linear(x), *(b for _, b in sorted(self.named_buffers())))


@pytest.mark.parametrize("compute, others", [
    (lambda x: x.median(), ()), (lambda x: x.median(0)[0], ()), (lambda x: x.nanmedian(1)[0], ()),
    (lambda x: x.kthvalue(3, 1)[0], ()), (lambda x: x.cummax(0)[0], ()), (lambda x: x.cummin(1)[1].float(), ()),
    (lambda x, s: torch.searchsorted(s, x).float(), (torch.arange(-3.0, 4.0),)),
    (lambda x, s: torch.searchsorted(s, x, right=True).float(), (torch.arange(-3.0, 4.0),)),
    (lambda x: torch.lgamma(x), ()), (lambda x: torch.digamma(x), ()),
    (lambda x: torch.signbit(x * 0) + 2 * torch.signbit(x), ()), (lambda x: torch.where(x > 0, 1 / x.relu(), x), ()), (lambda x: torch.copysign(x, -x.roll(1)), ()),
    (lambda x: F.interpolate(x.view(1, 1, 5, 6), size=(7, 4), mode="bicubic"), ()), (lambda x: torch.erfc(x * 3), ()),
    (lambda x: (x.long() ** 3 + 2 ** x.abs().long() + (x > 0) ** x.abs().long() + (x.long() ^ 5)).float(), ()),
    (lambda x: torch.bincount(x.abs().long()[:, 0], minlength=7).float(), ()),
])
def test_functions_of_values(compute, others):
    model, x = Computes(compute, *others), torch.randn(5, 7)
    for mesh in (MESH, {"dp": 1}):
        close(st.compile(model, args=(x,), mesh=mesh, inputs=[[Shard(0)] + [Replicate()] * (len(mesh) - 1)])(x), model(x))


@pytest.mark.parametrize("compute", [
    lambda x: x.cumsum(1), lambda x: x.cummax(1)[0], lambda x: x.flatten(0, 1).sum(0), lambda x: x.repeat(1, 2, 1),
    lambda x: x.view(x.shape[0], x.shape[1], 2, 4).transpose(1, 2).reshape(x.shape[0] * 2, x.shape[1], 4),
    lambda x: F.scaled_dot_product_attention(*[x.unflatten(2, (2, 4)).transpose(1, 2)] * 3, is_causal=True),
    lambda x: x.view(x.shape[0], x.shape[1] * 2, 4).transpose(0, 1).contiguous().view(x.shape[1], 2, x.shape[0], 4),
    lambda x: torch.zeros(4, 8).index_put((x.argmax(-1) % 4,), x, accumulate=True),
    lambda x: F.embedding(x.argmax(-1), torch.arange(32.0).view(8, 4)),
    lambda x: F.cross_entropy(x.flatten(0, 1), x.argmax(-1).flatten()), lambda x: x[:, :-1], lambda x: x[:, ::2],
    lambda x: x[:, 1:-1].contiguous(), lambda x: F.conv1d(x.transpose(1, 2), torch.ones(3, 8, 2), stride=2),
])
def test_functions_of_open_extents(compute):
    class Model(nn.Module):
        def forward(self, x):
            return compute(x)

    dims = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length", min=4, max=64)}
    f = st.compile(Model(), (torch.randn(4, 6, 8),), mesh={"dp": 2}, inputs=[[Shard(0)]], dynamic_shapes={"x": dims})
    for shape in ((4, 6, 8), (3, 5, 8), (7, 9, 8)):
        x = torch.randn(shape)
        close(f(x), compute(x))


@pytest.mark.parametrize("dims", [("batch",), ("batch", "length")])
def test_layers_of_open_extents_keep_their_placements(dims):
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.kv, self.o = nn.Linear(16, 16), nn.Linear(16, 8), nn.Linear(16, 16)

        def forward(self, x):
            q = self.q(x).unflatten(-1, (4, 4)).transpose(1, 2)
            k = self.kv(x).unflatten(-1, (2, 4)).transpose(1, 2).repeat_interleave(2, 1)
            return x + self.o(F.scaled_dot_product_attention(q, k, k, is_causal=True).transpose(1, 2).flatten(2))

    model = Layer().eval()
    f = st.compile(model, (torch.randn(4, 6, 16),), mesh={"dp": 2, "tp": 2}, inputs=[[Shard(0), Replicate()]],
                   plan={"q": ColwiseParallel(), "kv": ColwiseParallel(), "o": RowwiseParallel()},
                   dynamic_shapes={"x": {i: torch.export.Dim(name, min=2, max=64) for i, name in enumerate(dims)}})
    assert [c.kind for c in f.report.collectives] == ["all_reduce"], f.report
    for shape in ((4, 6, 16), (3, 6, 16), (7, 6, 16), *([(5, 9, 16)] if len(dims) > 1 else [])):
        x = torch.randn(shape)
        close(f(x), model(x))


def test_extents_that_tracing_has_excluded_are_refused():
    class Model(nn.Module):
        def forward(self, x):
            return x.cummax(1)[0]

    with pytest.raises(shardir.UsageError, match="cumulative extremes along an open dim need its largest extent"):
        st.compile(Model(), (torch.randn(4, 6),), mesh={"dp": 2}, dynamic_shapes={"x": {1: torch.export.Dim("length")}})


@pytest.mark.parametrize("compute", [
    lambda x: F.interpolate(x.view(5, 1, 2, 3), scale_factor=2, mode="bilinear"),
    lambda x: F.interpolate(x.view(5, 1, 2, 3), size=(5, 4), mode="bilinear", align_corners=True),
    lambda x: F.interpolate(x.view(5, 1, 2, 3), size=(5, 4), mode="bicubic"),
    lambda x: F.interpolate(x.view(5, 1, 6), size=4, mode="linear"),
    lambda x: x.quantile(0.3, dim=1), lambda x: x.gather(-1, x.argsort(1)[:, :3]),
    lambda x: (x * 1).scatter(-1, x.argsort(1)[:, :2], x[:, :2] * 3),
    lambda x: x.as_strided((3, 4), (8, 2)), lambda x: x.as_strided_scatter(x[:3, :4] * 2, (3, 4), (8, 2)),
    lambda x: torch.cdist(x, x[:3] + 1), lambda x: torch.cdist(x, x[:3] + 1, p=1), lambda x: torch.erfinv(torch.tanh(x)),
    lambda x: torch.hypot(x, x + 1), lambda x: torch.fmod(x, 0.7), lambda x: F.softshrink(x) + F.hardshrink(x),
    lambda x: torch.diag_embed(x) + torch.diagonal(x[:5, :5]).sum(), lambda x: torch.take(x, torch.tensor([1, 5, 9])),
    lambda x: F.avg_pool2d(x.view(5, 1, 1, 6), (1, 3), stride=(1, 2), padding=(0, 1), ceil_mode=True),
    lambda x: F.avg_pool2d(x.view(1, 1, 5, 6), 2, padding=1, count_include_pad=False),
    lambda x: F.adaptive_avg_pool2d(x.view(1, 1, 5, 6), (2, 3)), lambda x: F.adaptive_max_pool2d(x.view(1, 1, 5, 6), (2, 3)),
    lambda x: F.pad(x.view(1, 1, 5, 6), (1, 2, 2, 0), mode="replicate"), lambda x: F.local_response_norm(x.view(1, 5, 6), 3),
    lambda x: F.pad(x, (-1, 2, 1, -2)), lambda x: F.adaptive_avg_pool1d(x.view(1, 5, 6).transpose(1, 2), 1),
    lambda x: x.unfold(1, 3, 2), lambda x: torch.zeros(5, 6).masked_scatter(x > 0.1, x * 2),
    lambda x: F.grid_sample(x.view(1, 1, 5, 6), torch.tanh(x).view(1, 5, 3, 2) * 1.2, align_corners=False),
    lambda x: F.grid_sample(x.view(1, 1, 5, 6), x.view(1, 5, 3, 2), padding_mode="reflection", align_corners=True),
    lambda x: torch.linalg.solve(x[:, :5] + 3 * torch.eye(5), x), lambda x: torch.linalg.inv(x[:, :5] + 3 * torch.eye(5)),
    lambda x: torch.linalg.cholesky(x[:, :5] @ x[:, :5].mT + torch.eye(5)), lambda x: torch.linalg.det(x[:, :5]),
    lambda x: torch.linalg.slogdet(x.view(5, 2, 3)[:, :, :2] + 3 * torch.eye(2))[1],
    lambda x: torch.block_diag(x[:, :2], x[:2]), lambda x: x.gather(1, x.topk(2, sorted=False)[1].sort(1)[0]),
    lambda x: F.gelu(x * 2, approximate="tanh"), lambda x: torch.cov(x), lambda x: torch.corrcoef(x),
    lambda x: torch.ones(4, 6).index_reduce(0, torch.tensor([0, 2, 2, 1, 0]), x, "mean"),
    lambda x: F.gaussian_nll_loss(x, x.roll(1), x.square() + 0.1, reduction="none"),
    lambda x: torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real, lambda x: torch.fft.rfft(x, dim=0, norm="ortho").abs(),
    lambda x: torch.fft.irfft2(torch.fft.rfft2(x)[:3] * 2, s=(5, 7)), lambda x: torch.fft.ifft(x, n=8).imag,
    lambda x: torch.fft.irfft(torch.fft.rfft(x, n=45) * 2, n=66), lambda x: torch.fft.fft(x, n=262).abs(),
    lambda x: torch.fft.rfft(x, n=4096, norm="ortho").abs(),
    lambda x: torch.einsum("bi,io->bo", torch.fft.rfft(x)[:, :3], torch.complex(torch.ones(3, 2), torch.ones(3, 2))).real,
])
def test_gradients_of_functions(compute):
    model, x = Computes(compute), torch.randn(5, 7)
    trains_as_pytorch(model, x, torch.randn(model(x).shape))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_of_embeddings(mode):
    class Bags(nn.Module):
        def __init__(self):
            super().__init__()
            self.bags, self.linear = nn.EmbeddingBag(11, 6, mode=mode), nn.Linear(6, 3)

        def forward(self, ids):
            return self.linear(self.bags(ids))

    trains_as_pytorch(Bags(), torch.randint(0, 11, (5, 4)), torch.randn(5, 3))


@pytest.mark.parametrize("compute", [lambda: torch.ones(6) == 1, lambda: torch.zeros(6) >= 0, lambda: torch.ones(6) != 1,
                                     lambda: torch.ones(6) + -1, lambda: torch.full((6,), 2.0) * -1])
def test_constants_and_integers(compute):
    class Model(nn.Module):
        def forward(self, x):
            return x * compute()

    x = torch.randn(4, 6)
    close(st.compile(Model(), args=(x,), mesh=MESH, inputs=[BATCH])(x), x * compute())


def test_gradients_are_reduced_once():
    model, x, y = nn.Linear(8, 4), torch.randn(8, 8), torch.randn(8, 4)
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(x, y), mesh={"dp": 4})
    assert sorted(c.kind for c in step.report.collectives) == ["all_reduce"] * 3  # weight, bias, loss


@pytest.mark.parametrize("loss", [F.mse_loss, F.smooth_l1_loss, F.huber_loss])
@pytest.mark.parametrize("dynamic", [False, True])
def test_losses_of_any_number_of_terms(loss, dynamic):
    model, batch = nn.Linear(8, 8), torch.export.Dim("batch")
    twin, rows = copy.deepcopy(model), 11 if dynamic else 6
    step = st.train_step(model, loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(torch.randn(6, 8), torch.randn(6, 8)),
                         mesh=MESH, dynamic_shapes=[{0: batch}, {0: batch}] if dynamic else None)
    x, y = 3 * torch.randn(rows, 8), torch.randn(rows, 8)
    expected = loss(twin(x), y)
    expected.backward()
    close(step(x, y), expected)
    close(step.state_dict()["weight"], twin.weight - 0.1 * twin.weight.grad)


def test_checkpoints_around_causal_attention():
    class Checkpointed(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = Attention(8, 2)

        def forward(self, x):
            return torch.utils.checkpoint.checkpoint(self.attention, x, use_reentrant=False)

    trains_as_pytorch(Checkpointed(), torch.randn(2, 6, 8), torch.randn(2, 6, 8))


def test_weight_norm_trains():
    trains_as_pytorch(nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(8, 6)), nn.Tanh()),
                      torch.randn(4, 8), torch.randn(4, 6))


@pytest.mark.parametrize("loss", [
    lambda z, a: -torch.distributions.Categorical(logits=z).log_prob(a).mean(),
    lambda z, a: torch.distributions.Categorical(logits=z).entropy().mean(),
    lambda z, a: -torch.distributions.Normal(z, z.exp()).log_prob(a.unsqueeze(1)).mean(),
    lambda z, a: torch.distributions.kl_divergence(torch.distributions.Normal(z, z.exp()),
                                                   torch.distributions.Normal(0, 1)).mean(),
])
def test_distributions_check_no_arguments_while_traced(loss):
    model, x, a = nn.Linear(6, 4), torch.randn(8, 6), torch.randint(0, 4, (8,))
    step = st.train_step(model, loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(x, a), mesh={"dp": 2})
    steps_as_pytorch(step, copy.deepcopy(model), x, a, loss)
    with pytest.raises(ValueError, match="to satisfy the constraint"):
        torch.distributions.Normal(0.0, -1.0)


def test_training_with_batches_of_any_size():
    class Mlp(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.norm, self.down = nn.Linear(6, 8), nn.LayerNorm(8), nn.Linear(8, 5)

        def forward(self, x):
            return self.down(self.norm(nn.functional.gelu(self.up(x))))

    torch.manual_seed(0)
    model, loss, batch = Mlp(), nn.functional.cross_entropy, torch.export.Dim("batch", min=2, max=64)
    reference = copy.deepcopy(model)
    optimizer, expected = (torch.optim.AdamW(m.parameters(), lr=1e-2) for m in (model, reference))
    args = torch.randn(8, 6), torch.randint(0, 5, (8,))
    step = st.train_step(model, loss, optimizer, args, mesh={"dp": 2, "tp": 2}, dynamic_shapes=[{0: batch}, {0: batch}],
                         plan={"up": st.ColwiseParallel(), "down": st.RowwiseParallel()})
    for n in (8, 7, 12, 3, 2):
        x, y = torch.randn(n, 6), torch.randint(0, 5, (n,))
        expected.zero_grad()
        value = loss(reference(x), y)
        value.backward()
        expected.step()
        torch.testing.assert_close(step(x, y), value.detach(), rtol=1e-5, atol=1e-6)
    step.copy_to(model)
    for ours, theirs in zip(model.parameters(), reference.parameters()):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    with pytest.raises(shardir.UsageError, match="dim 0 of input 0 has 1 elements, but the step takes 2 to 64"):
        step(*(a[:1] for a in args))
    with pytest.raises(shardir.UsageError, match=r"with Eq\(inputs\[1\].shape\[0\], inputs\[0\].shape\[0\]\), not"):
        step(args[0], args[1][:5])
    with pytest.raises(shardir.UsageError, match="dim 0 of input 0 is dynamic, but the model or its loss fixes it to 8"):
        st.train_step(model, lambda out, y: out.reshape(8, 5).sum() + y.sum(), optimizer, args, mesh={"dp": 2},
                      dynamic_shapes=[{0: batch}, {0: batch}])


def test_open_batches_and_lengths_send_what_fixed_ones_do():
    args = torch.randint(0, 65, (4, 12)), torch.randint(0, 65, (4, 12))
    dims = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length", max=16)}
    sent = []
    for shapes in (None, [dims, dims]):
        model = GPT()
        step = st.train_step(model, loss_of, torch.optim.SGD(model.parameters(), lr=1e-2), args, mesh={"dp": 2},
                             dynamic_shapes=shapes)
        sent.append([collective.kind for collective in step.report.collectives])
    assert sent[0] == sent[1] and set(sent[0]) == {"all_reduce"}


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_recurrent_networks_send_gradients_alone(kind):
    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.steps, self.out = kind(32, 64, 2, batch_first=True), nn.Linear(64, 10)

        def forward(self, x):
            return self.out(self.steps(x)[0][:, -1])

    model = Last()
    twin, x, y = copy.deepcopy(model), torch.randn(129, 3, 32), torch.randn(129, 10)
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), (x, y), mesh={"dp": 2})
    assert {collective.kind for collective in step.report.collectives} == {"all_reduce"}
    steps_as_pytorch(step, twin, x, y)


@pytest.mark.parametrize("compute", [
    lambda x, i: x.flatten(0, 1).gather(1, i),
    lambda x, i: x.gather(1, (i.sum(1) % x.shape[1])[:, None, None].expand(-1, 1, 8)),
    lambda x, i: x.transpose(1, 2).flatten().view(x.shape[0], 2, 4 * x.shape[1]),
    lambda x, i: torch.tanh(x.flatten()).view(x.shape[0], -1),
    lambda x, i: x.transpose(0, 1).reshape(x.shape[1], -1).cumsum(1),
    lambda x, i: torch.stack([x, x + 1], 0).sum(0)])
def test_views_of_open_batches_and_lengths(compute):
    class Model(nn.Module):
        def forward(self, x, i):
            return compute(x, i)

    batch, length = torch.export.Dim("batch", max=64), torch.export.Dim("length", max=32)
    model = Model()
    f = st.compile(model, (torch.randn(4, 6, 8), torch.randint(0, 6, (4, 3))), mesh={"dp": 2}, inputs=[[Shard(0)], [Shard(0)]],
                   dynamic_shapes=({0: batch, 1: length}, {0: batch}))
    for shape in ((4, 6, 8), (3, 7, 8), (2, 2, 8)):
        x, i = torch.randn(shape), torch.randint(0, min(6, shape[1]), (shape[0], 3))
        close(f(x, i), model(x, i))


def test_calls_below_the_least_extent():
    f = st.compile(nn.ReLU(), (torch.randn(4, 8),), mesh={"dp": 2}, dynamic_shapes=({1: torch.export.Dim("length", min=6)},))
    with pytest.raises(shardir.UsageError, match=r"inputs with .*shape\[1\] >= 6, not for .*shape\[1\] = 3"):
        f(torch.randn(4, 3))


def test_one_tensor_for_two_inputs():
    class Sum(nn.Module):
        def forward(self, x, y):
            return 2 * x + 3 * y

    x, y = torch.randn(4, 6), torch.randn(4, 6)
    close(st.compile(Sum(), (x, x), mesh={"dp": 2})(x, y), 2 * x + 3 * y)
    model = nn.Linear(6, 6)
    step = st.train_step(model, nn.functional.mse_loss, torch.optim.SGD(model.parameters(), lr=1e-2), (x, x), mesh={"dp": 2})
    close(step(x, y), nn.functional.mse_loss(model(x), y))


def test_training_with_sequences_of_any_length():
    model = GPT()
    reference = copy.deepcopy(model)
    optimizer, expected = (torch.optim.AdamW(m.parameters(), lr=1e-2) for m in (model, reference))
    dims = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length", max=16)}
    args = torch.randint(0, 65, (4, 12)), torch.randint(0, 65, (4, 12))
    step = st.train_step(model, loss_of, optimizer, args, mesh=MESH, plan=PLAN, dynamic_shapes=[dims, dims])
    for shape in ((4, 12), (3, 16), (7, 5)):
        ids, targets = torch.randint(0, 65, shape), torch.randint(0, 65, shape)
        expected.zero_grad()
        loss = loss_of(reference(ids), targets)
        loss.backward()
        expected.step()
        close(step(ids, targets), loss)


def test_training_updates_in_place():
    model, x, y = nn.Linear(64, 64), torch.randn(4, 64), torch.randn(4, 64)
    step = st.train_step(model, F.mse_loss, torch.optim.Adam(model.parameters()), args=(x, y), mesh={"dp": 2})
    step(x, y)
    state = 3 * 4 * (64 * 64 + 64)  # parameters and two moments
    peak = step.report.measured["peak_bytes_per_device"]
    assert peak == step.report.peak_bytes_per_device and peak < 1.7 * state


@pytest.mark.parametrize("plan", [None, {"**": Shard(0)}], ids=["open", "fsdp"])
def test_training_with_running_statistics(plan):
    model = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                          nn.Linear(4 * 16, 3))
    reference = copy.deepcopy(model)
    x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 3, (4,))
    step = st.train_step(model, F.cross_entropy, torch.optim.SGD(model.parameters(), lr=0.1), args=(x, y),
                         mesh={"dp": 2}, plan=plan)
    steps_as_pytorch(step, reference, x, y, F.cross_entropy)
    step.copy_to(model)
    close(model[1].running_var, reference[1].running_var, 1e-4)
    assert int(model[1].num_batches_tracked) == 2


class Momentum(torch.optim.Optimizer):
    """With the number of steps as a Python number."""

    def __init__(self, parameters, lr):
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if len(state) == 0:
                    state["step"], state["momentum"] = 0, torch.zeros_like(p)
                state["step"] += 1
                state["momentum"].mul_(0.9).add_(p.grad)
                p.sub_(state["momentum"] / (1 - 0.9 ** state["step"]) * group["lr"])


@pytest.mark.parametrize("kind", [Momentum, torch.optim.AdamW])
def test_what_goes_back_to_the_optimizer(kind):
    x, y, options = torch.randn(8, 6), torch.randint(0, 3, (8,)), {"scaled": True, "scale": 2}

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.order = nn.Linear(6, 3), torch.tensor([2, 0, 1])  # no buffer

        def forward(self, x, scaled=None, scale=1):
            return self.linear(x)[:, self.order] * scale if scaled else self.linear(x)

    loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0]))
    model, reference, second = Model(), Model(), Model()
    reference.load_state_dict(model.state_dict())
    optimizer, other = (kind(m.parameters(), lr=0.1) for m in (model, reference))

    def make(model, optimizer):
        return st.train_step(torch.compile(nn.DataParallel(model)), loss, optimizer, args=(x, y), kwargs=options,
                             mesh={"dp": 2})

    def compare(step):
        expected = loss(reference(x, **options), y)
        close(step(x, y, **options), expected)
        other.zero_grad()
        expected.backward()
        other.step()

    step = make(model, optimizer)
    compare(step)
    compare(step)
    with pytest.warns(UserWarning, match="the optimizer's state is on the devices"):
        optimizer.state_dict()
    step.copy_to(model, optimizer)
    close(model.linear.weight, reference.linear.weight)
    second.load_state_dict(model.state_dict())
    optimizer2 = kind(second.parameters(), lr=0.1)
    resumed = make(second, optimizer2)
    optimizer2.load_state_dict(optimizer.state_dict())
    compare(resumed)
    with pytest.raises(shardir.UsageError, match="input 2 was True when the step was compiled and is False now"):
        step(x, y, scaled=False, scale=2)
    model.linear.weight.requires_grad_(False)
    with pytest.raises(shardir.UsageError, match=r"a parameter of shape \(3, 6\) was trained when the step was compiled"):
        step(x, y, **options)
    optimizer.add_param_group({"params": [nn.Parameter(torch.ones(2))]})
    with pytest.raises(shardir.UsageError, match="the optimizer has 3 parameters in 2 groups, but the step was compiled with 2"):
        step(x, y, **options)


@pytest.mark.parametrize("options", [{}, {"plan": {"up": [Shard(0), Replicate()], "down": [Shard(0), Replicate()]}},
                                     {"plan": {"up": [Replicate(), Shard(2)], "down": [Replicate(), Shard(1)]}}],
                         ids=["rows", "experts", "hidden"])
def test_training_of_experts_with_as_many_rows_as_chose_them(options):
    class Experts(nn.Module):
        def __init__(self):
            super().__init__()
            self.up = nn.Parameter(torch.randn(4, 8, 16) / 4)
            self.down = nn.Parameter(torch.randn(4, 16, 8) / 4)

        def forward(self, both):
            x, ends = both
            return torch._grouped_mm(torch.relu(torch._grouped_mm(x, self.up, offs=ends)), self.down, offs=ends)

    model, x = Experts(), torch.randn(26, 8)
    reference, ends = copy.deepcopy(model), torch.tensor([9, 9, 11, 26], dtype=torch.int32)
    close(st.compile(model, ((x, ends),), mesh=MESH, inputs=[[Shard(0), Replicate()], None], **options)((x, ends)),
          model((x, ends)))
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=((x, ends), x), mesh=MESH,
                         **options)
    steps_as_pytorch(step, reference, (x, ends), x)
    step.copy_to(model)
    close(model.up, reference.up)
    close(model.down, reference.down)


class SortedExperts(nn.Module):
    """As transformers' experts: tokens sorted by expert, multiplied, and put back; with biases."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(8, 4)
        self.up = nn.Parameter(torch.randn(4, 8, 16) / 4)
        self.down = nn.Parameter(torch.randn(4, 16, 8) / 4)
        self.bias = nn.Parameter(torch.randn(4, 16))

    def forward(self, x):
        weights, chosen = self.router(x).softmax(-1).topk(2)
        experts, order = torch.sort(chosen.reshape(-1))
        ends = torch.histc(experts.float(), bins=4, min=0, max=3).cumsum(0, dtype=torch.int32)
        h = torch._grouped_mm(x[order // 2], self.up, offs=ends) + self.bias[experts]
        gate, up = h.chunk(2, -1)
        y = torch._grouped_mm(torch.cat([up * gate.sigmoid(), up], -1), self.down, offs=ends)
        y = y * weights.reshape(-1)[order].unsqueeze(-1)
        places = torch.empty_like(order)
        places[order] = torch.arange(order.shape[0])
        return y[places].view(x.shape[0], 2, -1).sum(1)


@pytest.mark.parametrize("mesh", [{"dp": 1}, {"dp": 3}, {"dp": 2, "tp": 2}])
def test_each_device_sorts_its_own_tokens_by_expert(mesh):
    model, x = SortedExperts(), torch.randn(25, 8)
    reference = copy.deepcopy(model)
    split = [Shard(0) if axis == "dp" else Replicate() for axis in mesh]
    compiled = st.compile(model, (x,), mesh=mesh, inputs=[split])
    close(compiled(x), model(x))
    assert not compiled.report.collectives
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(x, x), mesh=mesh)
    assert {c.kind for c in step.report.collectives} <= {"all_reduce"}
    steps_as_pytorch(step, reference, x, x)
    step.copy_to(model)
    for name, parameter in reference.named_parameters():
        close(model.get_parameter(name), parameter)


def test_tokens_that_are_read_in_the_order_of_experts_are_sorted():
    class Layer(SortedExperts):
        def forward(self, x):
            experts, order = torch.sort(self.router(x).argmax(-1), stable=True)
            ends = torch.histc(experts.float(), bins=4, min=0, max=3).cumsum(0, dtype=torch.int32)
            return torch._grouped_mm(x[order], self.up, offs=ends).cumsum(0)

    model, x = Layer(), torch.randn(25, 8)
    close(st.compile(model, (x,), mesh={"dp": 2}, inputs=[[Shard(0)]])(x), model(x))


# -- Models of Hugging Face -----------------------------------------------------------------------

def test_hugging_face_models():
    transformers = pytest.importorskip("transformers")
    sizes = dict(hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64, vocab_size=100,
                 max_position_embeddings=64)
    ids, image = torch.randint(0, 100, (4, 16)), torch.randn(4, 3, 32, 32)
    cases = [
        (transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=32, n_layer=1, n_head=4, vocab_size=100,
                                                              n_positions=64, bos_token_id=0, eos_token_id=0)), ids,
         {"m.**.c_fc": ColwiseParallel()}),
        (transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, num_key_value_heads=2)), ids,
         {"m.**.gate_proj": ColwiseParallel(), "m.**.up_proj": ColwiseParallel(), "m.**.down_proj": RowwiseParallel()}),
        (transformers.MixtralForCausalLM(transformers.MixtralConfig(
            **sizes, num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2)), ids, None),
        (transformers.ViTModel(transformers.ViTConfig(hidden_size=32, num_hidden_layers=1, num_attention_heads=4,
                                                      intermediate_size=64, image_size=32, patch_size=8)), image, None),
    ]

    class First(nn.Module):
        def __init__(self, model):
            super().__init__()
            self.m = model

        def forward(self, x):
            return self.m(x)[0]

    model = transformers.MambaForCausalLM(transformers.MambaConfig(vocab_size=100, hidden_size=16, state_size=4,
                                                                   num_hidden_layers=1, time_step_rank=2))
    model.config.use_cache = False
    step = st.train_step(First(model), lambda p, y: F.cross_entropy(p.flatten(0, 1), y.flatten()),
                         torch.optim.SGD(model.parameters(), lr=0.1), args=(ids, ids), mesh=MESH)
    close(step(ids, ids), F.cross_entropy(model(ids)[0].flatten(0, 1), ids.flatten()))
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes)).eval()
    cache = st.compile(model, (ids,), kwargs={"use_cache": True}, mesh=MESH)(ids, use_cache=True).past_key_values
    close(cache.layers[0].keys, model(ids, use_cache=True).past_key_values.layers[0].keys)

    model = transformers.T5ForConditionalGeneration(transformers.T5Config(
        vocab_size=100, d_model=16, d_kv=4, d_ff=32, num_layers=1, num_heads=2, decoder_start_token_id=0)).eval()
    inputs = {"input_ids": ids, "decoder_input_ids": ids[:, :3]}
    found, expected = st.compile(model, kwargs=inputs, mesh=MESH, inputs=[BATCH, BATCH])(**inputs), model(**inputs)
    close(found.logits, expected.logits)
    for kind in ("self_attention_cache", "cross_attention_cache"):
        close(*(getattr(r.past_key_values, kind).layers[0].keys for r in (found, expected)))

    for model, x, plan in cases:
        wrapped = First(model).eval()
        if hasattr(model.config, "use_cache"):
            model.config.use_cache = False
        close(st.compile(wrapped, (x,), mesh=MESH, plan=plan, inputs=[BATCH])(x), wrapped(x))


# -- Mistakes ------------------------------------------------------------------------------------

def test_an_optimizer_that_decides_by_values():
    model, x = nn.Linear(8, 8), torch.randn(4, 8)
    with pytest.raises(shardir.UsageError, match="Adafactor decides by values of tensors.*AdamW"):
        st.train_step(model, F.mse_loss, torch.optim.Adafactor(model.parameters()), args=(x, x), mesh=MESH)


@pytest.mark.parametrize("compute,message", [
    (lambda x: x if x.sum() > 0 else -x, "test_torch.py:[0-9]+ decides by the value of a tensor.*use torch.where"),
    (lambda x: x[x > 0], "test_torch.py:[0-9]+.* calls aten.*, whose result's shape depends on data"),
])
def test_shapes_and_branches_of_data(compute, message):
    model, x = Computes(compute), torch.randn(5, 7)
    with pytest.raises(shardir.CompileError, match=message):
        st.compile(model, (x,), mesh=MESH)


@pytest.mark.parametrize("rows, columns, scale, dtype", [(8, 5, None, torch.float32), (5, 8, 0.3, torch.float32),
                                                         (6, 6, None, torch.bfloat16)])
def test_causal_attention(rows, columns, scale, dtype):
    """A choice of scores, without a look for rows that are hidden as a whole; heads that do not divide."""
    class Causal(nn.Module):
        def forward(self, q, k, v):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)

    q, k, v = (torch.randn(2, 3, n, 4).to(dtype) for n in (rows, columns, columns))
    compiled = st.compile(Causal(), (q, k, v), mesh={"tp": 2}, inputs=[[Shard(1)]] * 3)
    assert "arith.andi" not in compiled.mlir and "arith.select" in compiled.mlir
    close(compiled(q, k, v), Causal()(q, k, v), 2e-5 if dtype == torch.float32 else 0.02)


def test_inputs_of_other_types():
    model, x = nn.Linear(8, 8), torch.randn(4, 8)
    with pytest.raises(shardir.UsageError, match="input 'input': argument . of .main. has element type float64, expected f32"):
        st.compile(model, (x,), mesh=MESH)(x.double())
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(x, x), mesh=MESH)
    with pytest.raises(shardir.UsageError, match="input 1 of the step: argument . of .main. has element type int32"):
        step(x, x.int())
    with pytest.raises(shardir.UsageError, match="input 0 of the step: argument . of @main has extent 9 in dim 1, expected 8"):
        step(torch.randn(4, 9), x)


@pytest.mark.parametrize("arguments,message", [
    (dict(plan={"layers.*": ColwiseParallel()}), "matches no module of the model; it has: 0, 1"),
    (dict(plan={"0.wieght": [Shard(0), Replicate()]}), "did you mean '0.weight'"),
    (dict(plan={"0.weight": [Shard(5), Replicate()]}), "parameter '0.weight'.*2 dims"),
    (dict(plan={"0.weight": [Shard(0)]}), "one per axis"),
    (dict(plan={"0": [Shard(0), Replicate()]}), "names modules"),
    (dict(plan={"0": 3}), "parallel style"),
    (dict(plan="atuo"), "auto"),
    (dict(inputs=[[Shard(0)]]), "input 'input'.*one per axis"),
    (dict(inputs=[None, None]), "2 placements"),
    (dict(inputs={"imput": [Shard(0), Replicate()]}), "names 'imput'.*did you mean 'input'"),
    (dict(options="strcit"), "did you mean 'strict'"),
    (dict(mesh={"dp": 0}), "1 or more"),
])
def test_mistakes(arguments, message):
    model, x = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 8)), torch.randn(4, 8)
    with pytest.raises(shardir.UsageError, match=message):
        st.compile(model, (x,), **{"mesh": MESH, **arguments})


def test_what_does_not_fit_is_named():
    model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))
    with pytest.raises(shardir.CompileError, match="above the memory limit of 1000") as error:
        st.compile(model, args=(torch.randn(8, 64),), mesh=MESH, options="memory-limit=1000")
    assert "linear.py:" in str(error.value) and "split more of" in str(error.value) and '"0.weight"' in str(error.value)


def test_unsupported_ops_are_named_with_their_module():
    class Odd(nn.Module):
        def forward(self, x):
            return torch.linalg.eigvalsh(x)

    model = nn.Sequential(nn.Linear(8, 8), Odd())
    with pytest.raises(shardir.CompileError, match=r"1.*linalg"):
        st.compile(model, (torch.randn(8, 8),), mesh=MESH)
    with pytest.raises(shardir.UsageError, match="none of the model's"):
        st.train_step(nn.Linear(2, 2), F.mse_loss, torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=1),
                      args=(torch.ones(2, 2), torch.ones(2, 2)), mesh=MESH)


@pytest.mark.parametrize("arguments,message", [
    (dict(inputs=[Shard(0), Replicate()]), r"is 1 tensor; for one tensor on 2 axes write \[\[Shard\(dim=0\), Replicate"),
    (dict(inputs=[type("PartitionSpec", (), {})()]), "is JAX's spelling, one entry for each dim"),
    (dict(args=()), "args and kwargs do not fit Linear.forward: missing a required argument: 'input'"),
    (dict(device="cuda"), "did you mean 'cuda-local'")])
def test_mistakes_in_arguments(arguments, message):
    with pytest.raises(shardir.UsageError, match=message):
        st.compile(nn.Linear(4, 3), **{"args": (torch.ones(5, 4),), "mesh": MESH, **arguments})


def test_a_step_needs_a_target():
    model = nn.Linear(4, 3)
    with pytest.raises(shardir.UsageError, match="last one, which is the loss's target, do not fit Linear.forward"):
        st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(torch.ones(5, 4),), mesh=MESH)


def test_a_report_says_what_is_computed_twice():
    """Of a deep chain, whose values are kept for the backward pass."""
    model = nn.Sequential(*(m for _ in range(6) for m in (nn.Linear(16, 16), nn.GELU())))
    x = torch.randn(512, 16)

    def step(options):
        return st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(x, x), mesh={"dp": 2},
                             options=options)

    free = step("").report
    option = f"memory-limit={free.peak_bytes_per_device * 9 // 10}"
    limited = step(option)
    assert "second time" not in str(free)
    assert re.search(r"\d+ values are computed a second time to fit memory-limit, in \d+ operations: \d+ bytes at the peak "
                     "without that", str(limited.report))
    # The remark names the largest alone.
    _, _, said = run_tool([tool("shard-opt"), "-", "-o", os.devnull, f"--shardir-to-collective={option}"], limited.mlir)
    assert re.search(r"computes [6-9] values a second time.*; these save most:\n", said)


def test_a_step_has_the_names_of_its_state():
    model = nn.Linear(4, 3)
    x, y = torch.randn(5, 4), torch.randn(5, 3)
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(x, y), mesh={"dp": 2},
                         plan={"weight": Shard(0)})
    assert step.program.names == ("weight", "bias", "lr0", "input0", "input1")
    assert [r["name"] for r in step.program._function["results"]] == ["loss", "weight", "bias"]
    assert [b.ranges for b in step.program.blocks("weight")] == [((0, 2), (0, 4)), ((2, 3), (0, 4))]
    assert step.program.blocks("loss")
    with pytest.raises(shardir.UsageError, match="did you mean 'weight'"):
        step.program.show("weigth")


def test_a_report_explains_its_collectives():
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
    x = torch.randn(6, 8)
    report = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1), args=(x, x), mesh=MESH,
                           plan={"0": ColwiseParallel(), "2": RowwiseParallel()}).report
    rows = [i for i, c in enumerate(report.collectives) if 'result 0 of @main ("loss") is placed so' in c.reason]
    assert len(rows) == 1
    assert 'used by result 0 of @main ("loss")' in report.explain(rows[0])
    assert all(c.reason in report.explain() for c in report.collectives)
    assert "(chosen)" in report.explain()
    assert "; the best alternative, " in report.explain() and "; to have it, " in report.explain()
    with pytest.raises(shardir.UsageError, match="there is no row 99"):
        report.explain(99)


def test_strict_speaks_of_what_python_has():
    model, x = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 8)), torch.ones(6, 8)
    with pytest.raises(shardir.CompileError, match="request it with shardir.constrain .*in PyTorch output_layouts"):
        st.compile(model, args=(x,), mesh=MESH, plan={"0": ColwiseParallel(), "1": RowwiseParallel()}, options="strict")


def test_group_norm_of_a_split_batch_moves_nothing():
    model, x = nn.GroupNorm(3, 6).eval(), torch.randn(5, 6, 3, 2)
    f = st.compile(model, args=(x,), mesh={"dp": 2}, inputs=[[Shard(0)]])
    torch.testing.assert_close(f(x), model(x))
    assert not f.report.collectives


@pytest.mark.parametrize("how", ["clip", "hooks", "pre_hook"])
def test_gradients_are_changed_as_asked(how):
    torch.manual_seed(0)
    x, y = torch.randn(5, 4), 5 * torch.randn(5, 4)
    ours = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 4))
    theirs = copy.deepcopy(ours)

    def forget(p):
        p.grad.zero_()

    optimizers = [torch.optim.AdamW(m.parameters(), 1e-2) for m in (ours, theirs)]
    for model, optimizer in zip((ours, theirs), optimizers):
        if how == "hooks":
            model[0].weight.register_hook(lambda g: g * 0.5)
            model[2].bias.register_post_accumulate_grad_hook(forget)
        elif how == "pre_hook":
            optimizer.register_step_pre_hook(lambda *_, model=model: nn.utils.clip_grad_value_(model.parameters(), 0.1))
    step = st.train_step(ours, F.mse_loss, optimizers[0], args=(x, y), mesh={"dp": 2, "tp": 2},
                         clip_grad_norm=0.5 if how == "clip" else None)
    for _ in range(3):
        optimizers[1].zero_grad()
        loss = F.mse_loss(theirs(x), y)
        loss.backward()
        if how == "clip":
            nn.utils.clip_grad_norm_(theirs.parameters(), 0.5)
        optimizers[1].step()
        close(step(x, y), loss)
    for name, value in theirs.state_dict().items():
        close(step.state_dict()[name], value)


def test_a_hook_of_the_optimizer_that_writes_a_buffer():
    class Averaged(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 4)
            self.register_buffer("average", torch.zeros(4, 4))

        def forward(self, x):
            return self.linear(x)

    def optimizer_of(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        optimizer.register_step_post_hook(lambda *_: model.average.lerp_(model.linear.weight.detach(), 0.25))
        return optimizer

    ours, x, y = Averaged(), torch.randn(5, 4), torch.randn(5, 4)
    theirs = copy.deepcopy(ours)
    step, other = st.train_step(ours, F.mse_loss, optimizer_of(ours), args=(x, y), mesh={"dp": 2}), optimizer_of(theirs)
    for _ in range(3):
        step(x, y)
        other.zero_grad()
        F.mse_loss(theirs(x), y).backward()
        other.step()
    assert theirs.average.any()
    close(step.state_dict()["average"], theirs.average)


def test_hyperparameters_that_change_are_refused():
    model, x = nn.Linear(4, 4), torch.randn(4, 4)
    optimizer = torch.optim.AdamW(model.parameters())
    step = st.train_step(model, F.mse_loss, optimizer, args=(x, x), mesh={"dp": 2})
    optimizer.param_groups[0]["lr"] = 0.5
    step(x, x)
    optimizer.param_groups[0]["betas"] = (0.8, 0.9)
    with pytest.raises(shardir.UsageError, match=r"'betas' of the optimizer's group 0 is \(0.8, 0.9\), but .* only 'lr' may"):
        step(x, x)


def test_training_with_keyword_arguments_and_a_result_that_has_the_loss():
    class Result:
        def __init__(self, loss):
            self.loss = loss

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 4)

        def forward(self, x, *, labels):
            return Result(F.mse_loss(self.linear(x), labels))

    model = Model()
    x, y = torch.randn(5, 4), torch.randn(5, 4)
    expected = model(x, labels=y).loss
    step = st.train_step(model, None, torch.optim.SGD(model.parameters(), 0.1), args=(x,), kwargs={"labels": y}, mesh={"dp": 2})
    close(step(x, labels=y), expected)
    with pytest.raises(shardir.UsageError, match=r"takes keyword arguments \['labels'\], not \['label'\]"):
        step(x, label=y)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_integers_of_8_bits_and_numbers(dtype):
    def compute(x):
        return x * 3, x + 1, x - 2, x > 3, x == 3, torch.where(x > 3, x, 0), x ** 2, x // 3, x.float() / 255

    class Model(nn.Module):
        def forward(self, x):
            return compute(x)

    x = torch.arange(12).to(dtype)
    for found, expected in zip(st.compile(Model(), (x,), mesh={"dp": 2})(x), compute(x)):
        assert torch.equal(found, expected) and found.dtype == expected.dtype


def test_dicts_whose_keys_come_in_another_order():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(3))

        def forward(self, d):
            return (self.w * (d["a"] - 2 * d["b"])).sum()

    model, a, b = Model(), torch.randn(4, 3), torch.randn(4, 3)
    close(st.compile(model, ({"a": a, "b": b},), mesh={"dp": 2})({"b": b, "a": a}), model({"a": a, "b": b}))
    step = st.train_step(model, None, torch.optim.SGD(model.parameters(), 0.1), args=({"a": a, "b": b},), mesh={"dp": 2})
    close(step({"b": b, "a": a}), model({"a": a, "b": b}))
    with pytest.raises(shardir.UsageError, match="called with other inputs than the step was compiled for"):
        step({"b": b, "c": a})


def test_writes_into_the_model_between_steps():
    model, x, y = nn.Linear(4, 3), torch.randn(6, 4), torch.randn(6, 3)
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), 0.1), args=(x, y), mesh={"dp": 2})
    with torch.no_grad():
        model.weight.mul_(2)
    close(step(x, y), F.mse_loss(model(x), y))
    step.copy_to(model)
    with torch.no_grad():
        model.weight.clamp_(-0.1, 0.1)
    close(step(x, y), F.mse_loss(model(x), y))
    with torch.no_grad():
        model.bias.zero_()
    with pytest.raises(shardir.UsageError, match="'bias' of the model was written, but the step has changed it"):
        step(x, y)


def test_a_module_with_several_names():
    layer = nn.Linear(4, 4)
    model, x = nn.Sequential(layer, nn.ReLU(), layer), torch.randn(6, 4)
    reference = copy.deepcopy(model)
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), 0.1), args=(x, x), mesh={"dp": 2})
    loss = F.mse_loss(reference(x), x)
    close(step(x, x), loss)
    loss.backward()
    step.copy_to(model)
    close(model[0].weight, reference[0].weight - 0.1 * reference[0].weight.grad)


@pytest.mark.parametrize("compute", [
    lambda x: F.interpolate(x, scale_factor=1.5), lambda x: F.interpolate(x, scale_factor=0.5),
    lambda x: F.interpolate(x, size=(13, 10)), lambda x: F.interpolate(x, scale_factor=2, mode="nearest-exact"),
    lambda x: F.interpolate(x, size=(5, 10), mode="nearest-exact"), lambda x: F.rrelu(x)])
def test_gradients_of_copies(compute):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.randn(2, 3, 9, 7))

        def forward(self, k):
            y = compute(self.w)
            return (y * torch.linspace(0, 1, y.numel()).view(y.shape)).sum() * k

    model, k = Model(), torch.ones(())
    reference = copy.deepcopy(model)
    step = st.train_step(model, None, torch.optim.SGD(model.parameters(), 1.0), args=(k,), mesh={"dp": 2})
    loss = reference(k)
    close(step(k), loss)
    loss.backward()
    step.copy_to(model)
    close(model.w, reference.w - reference.w.grad)


@pytest.mark.parametrize("dynamic", [False, True])
def test_writes_at_places_counted_from_the_end(dynamic):
    class Model(nn.Module):
        def forward(self, x, i):
            x = x.clone()
            x[:, [-1]] = 7.0
            x[i] += 1
            return x.index_put((i, i), torch.ones(3), accumulate=True)

    x, i = torch.randn(5, 4), torch.tensor([-1, 0, -2])
    dims = {"x": {0: torch.export.Dim("rows", min=2)}, "i": None} if dynamic else None
    close(st.compile(Model(), (x, i), mesh=MESH, dynamic_shapes=dims)(x, i), Model()(x, i))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("compute", [
    lambda x: F.interpolate(x, scale_factor=2), lambda x: F.interpolate(x, size=(9, 8), mode="nearest-exact"),
    lambda x: F.interpolate(x, scale_factor=1.5), lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"),
    lambda x: x.index_select(2, torch.tensor([5, 0, 0, 2])), lambda x: x[:, torch.tensor([2, 0])]])
def test_batches_that_lookups_leave_alone(compute, dynamic):
    class Model(nn.Module):
        def forward(self, x):
            return compute(x)

    x = torch.randn(5, 3, 6, 4)
    dims = {"x": {0: torch.export.Dim("batch", min=2)}} if dynamic else None
    compiled = st.compile(Model(), (x,), mesh={"dp": 2}, inputs=[Shard(0)], dynamic_shapes=dims)
    close(compiled(x), compute(x))
    assert not compiled.report.collectives


@pytest.mark.parametrize("dynamic", [False, True])
def test_masks_that_are_read_by_position_move_nothing(dynamic):
    class Model(nn.Module):
        def forward(self, mask):
            rows, columns = torch.arange(mask.shape[0]), torch.arange(mask.shape[1]) + 0
            return mask[rows[:, None, None], columns[None, None, :]] + mask[rows][:, None] + mask[columns[None, :2], rows[:2, None]][0, 0]

    dims = {"mask": {0: torch.export.Dim("batch", min=2)}} if dynamic else None
    f = st.compile(Model(), args=(torch.randn(5, 5),), mesh={"dp": 2}, inputs=[[Shard(0)]], dynamic_shapes=dims)
    assert len(f.report.collectives) == 1, f.report  # of rows and columns in the other order, which are looked up
    for rows in (5, 3) if dynamic else (5,):
        mask = torch.randn(rows, 5)
        close(f(mask), Model()(mask))


def test_an_encoder_of_open_extents_moves_nothing():
    model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    dims = {0: torch.export.Dim("batch", min=2), 1: torch.export.Dim("length", min=2)}
    f = st.compile(model, args=(torch.randn(4, 6, 8),), mesh={"dp": 2}, inputs=[[Shard(0)]], dynamic_shapes={"src": dims})
    assert not f.report.collectives, f.report
    for shape in ((4, 6, 8), (5, 3, 8)):
        x = torch.randn(shape)
        close(f(x), model(x))


def test_cumulative_sums_of_16_bits_are_rounded_once():
    class Model(nn.Module):
        def forward(self, x):
            return x.cumsum(1), (x + 0.01).cumprod(1)

    x = torch.ones(2, 600, dtype=torch.bfloat16)
    f = st.compile(Model(), args=(x,), mesh={"dp": 2}, inputs=[[Shard(0)]])
    torch.testing.assert_close(f(x), Model()(x))


@pytest.mark.parametrize("compute,kinds", [
    (lambda x: x.amax(1), ["all_reduce"]), (lambda x: x.argmax(1), ["all_reduce"] * 2),
    (lambda x: x.min(1, keepdim=True)[1], ["all_reduce"] * 2),
    (lambda x: x.logsumexp(1), ["all_reduce"] * 2), (lambda x: F.softmax(x, 1).square().sum(1), ["all_reduce"] * 3),
    (lambda x: F.cross_entropy(x, torch.tensor([3, 0, 7])), ["all_reduce"] * 3),
])
def test_extrema_of_a_split_dim_gather_nothing(compute, kinds):
    class Model(nn.Module):
        def forward(self, x):
            return compute(x)

    x = torch.randn(3, 11)
    x[0] = 1  # the first of equal ones
    f = st.compile(Model(), args=(x,), mesh={"tp": 2}, inputs=[[Shard(1)]])
    assert [c.kind for c in f.report.collectives] == kinds, f.report
    close(f(x), compute(x))


@pytest.mark.parametrize("compute", [
    lambda x: F.pad(x, (1, 2, 1, 1), mode="reflect"), lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    lambda x: F.adaptive_avg_pool2d(x, 4), lambda x: F.unfold(x, 3), lambda x: x[torch.arange(5), torch.tensor([1, 0, 2, 2, 1])],
    lambda x: F.grid_sample(x, x[:, :2].permute(0, 2, 3, 1), align_corners=False),
])
def test_lookups_in_images_of_a_split_batch_move_nothing(compute):
    class Model(nn.Module):
        def forward(self, x):
            return compute(x)

    x = torch.randn(5, 3, 6, 6)
    f = st.compile(Model(), args=(x,), mesh={"dp": 2}, inputs=[[Shard(0)]])
    assert not f.report.collectives, f.report
    close(f(x), compute(x))


@pytest.mark.parametrize("compute", [
    lambda x: x.topk(2, -1)[0], lambda x: x.sort(-1)[0], lambda x: torch.take_along_dim(x, x.argmax(1, keepdim=True), 1),
    lambda x: x.scatter_add(1, x[:, :2].argsort(1), x[:, 1:3]),
])
def test_gradients_of_a_few_places_move_nothing_but_sums(compute):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(6, 6)

        def forward(self, x):
            return (compute(self.linear(x)) ** 2).mean()

    torch.manual_seed(0)
    model, x = Model(), torch.randn(5, 6)
    twin = copy.deepcopy(model)
    step = st.train_step(model, None, torch.optim.SGD(model.parameters(), 0.1), args=(x,), mesh={"dp": 2})
    assert {c.kind for c in step.report.collectives} == {"all_reduce"}, step.report
    close(step(x), twin(x))
    twin(x).backward()
    for name, p in twin.named_parameters():
        close(step.state_dict()[name], p.detach() - 0.1 * p.grad)


@pytest.mark.parametrize("mask", ["none", "bool", "float", "grouped"])
def test_attention_never_stores_its_scores(mask):
    torch.manual_seed(0)
    q, k = torch.randn(2, 4, 256, 8), torch.randn(2, 2, 256, 8)
    shown = torch.rand(2, 1, 256, 256) > 0.3
    shown[1, 0, 5] = False  # gives 0
    given = {"bool": shown, "float": torch.where(shown, 0.5, -torch.inf)}.get(mask, shown)

    class Model(nn.Module):
        def forward(self, q, k, given):
            if mask == "grouped":
                return F.scaled_dot_product_attention(q, k, k, enable_gqa=True)
            return F.scaled_dot_product_attention(q, q, q, attn_mask=given if mask in ("bool", "float") else None)

    f = st.compile(Model(), args=(q, k, given), mesh={"dp": 2}, inputs=[[Shard(0)]] * 3)
    close(f(q, k, given), Model()(q, k, given))
    assert f.report.peak_bytes_per_device < 4 * 256 * 256 * 4, f.report


@pytest.mark.parametrize("kind", [torch.bool, torch.float32])
def test_gradients_of_attention_with_hidden_rows(kind):
    shown = torch.rand(2, 1, 6, 6) > 0.3
    shown[1, 0, 5] = False
    given = shown if kind == torch.bool else torch.where(shown, 0.0, -torch.inf)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(16, 16)

        def forward(self, x, given):
            h = self.linear(x).unflatten(-1, (2, 8)).transpose(1, 2)
            return (F.scaled_dot_product_attention(h, h, h, attn_mask=given) ** 2).mean()

    model, x = Model(), torch.randn(2, 6, 16)
    model(x, given).backward()
    step = st.train_step(model, None, torch.optim.SGD(model.parameters(), 1), args=(x, given), mesh={"dp": 2})
    step(x, given)
    for name, p in model.named_parameters():
        close(step.state_dict()[name], p.detach() - p.grad)


@pytest.mark.parametrize("kind", [torch.int8, torch.uint8])
def test_divisions_of_8_bits(kind):
    class Model(nn.Module):
        def forward(self, x, y):
            return x % 7, x // 3, x % y, torch.div(x, y, rounding_mode="trunc")

    x = torch.arange(20).to(kind) - (10 if kind == torch.int8 else 0)
    y = torch.full((20,), 4, dtype=kind)
    f = st.compile(Model(), args=(x, y), mesh={"dp": 3}, inputs=[[Shard(0)]] * 2)
    for ours, theirs in zip(f(x, y), Model()(x, y)):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("groups,results,options", [(6, 6, {}), (6, 12, {}), (3, 6, {}), (2, 4, {"stride": 2, "dilation": 2})])
def test_training_of_grouped_convolutions(groups, results, options):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(6, results, 3, padding=1, groups=groups, **options), nn.Conv2d(results, results, 3, groups=2))
    x = torch.randn(5, 6, 11, 9)
    twin = copy.deepcopy(model)
    y = torch.randn_like(model(x))
    step = st.train_step(model, F.mse_loss, torch.optim.SGD(model.parameters(), 1), args=(x, y), mesh={"dp": 2})
    close(step(x, y), F.mse_loss(twin(x), y))
    F.mse_loss(twin(x), y).backward()
    for name, p in twin.named_parameters():
        close(step.state_dict()[name], p.detach() - p.grad)


def _forces(model, x):
    x.requires_grad_(True)
    energy = model(x).square().sum(-1)
    return energy, -torch.autograd.grad(energy.sum(), x)[0]


@pytest.mark.parametrize("compute", [
    lambda f, x: torch.vmap(torch.func.jacrev(f))(x), lambda f, x: torch.vmap(torch.func.hessian(lambda v: f(v).sum()))(x),
    lambda f, x: torch.func.vjp(f, x)[1](torch.ones(6, 4))[0], _forces,
])
def test_gradients_in_a_model(compute):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 4))

        def forward(self, x):
            return compute(self.layers, x)

    model, x = Model(), torch.randn(6, 3)
    f = st.compile(model, args=(x,), mesh={"dp": 2}, inputs=[Shard(0)])
    assert not f.report.collectives, f.report
    found, expected = f(x), model(x.clone())
    for ours, theirs in zip(found, expected, strict=True):
        close(ours, theirs)


def test_an_exported_program_is_no_module():
    exported = torch.export.export(nn.Linear(8, 4), (torch.randn(6, 8),))
    with pytest.raises(shardir.UsageError, match=r"give its module\(\)"):
        st.compile(exported, args=(torch.randn(6, 8),), mesh={"dp": 2})


@pytest.mark.parametrize("quantize", [
    lambda x, w: (torch.fake_quantize_per_tensor_affine(x, 0.05, 3, -28, 27), w),
    lambda x, w: (torch.fake_quantize_per_tensor_affine(x, torch.tensor(0.05), torch.tensor(3, dtype=torch.int32), -28, 27), w),
    lambda x, w: (x, torch.fake_quantize_per_channel_affine(w, torch.full((4,), 0.02), torch.arange(-2, 2, dtype=torch.int32), 0,
                                                            -12, 11)),
])
def test_training_with_quantized_values(quantize):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.before, self.weight = nn.Linear(8, 8), nn.Parameter(torch.randn(4, 8) * 0.3)

        def forward(self, x):
            return F.linear(*quantize(self.before(x), self.weight))

    trains_as_pytorch(Model(), torch.randn(6, 8), torch.randn(6, 4))
