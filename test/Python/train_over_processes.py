"""usage: train_over_processes.py DEVICE FOLDER RANKS CASE...: steps of PyTorch and JAX whose numbers go to FOLDER/N.npz
for process N, or one of the mistakes in `CASES`."""

import os
import sys

import numpy as np
import shardir

DEVICE, FOLDER, RANKS = sys.argv[1], sys.argv[2], int(sys.argv[3])
NUMBER = shardir.process_index()
SETTINGS = dict(device=DEVICE, reductions="ordered", timeout=30)


def rows(count, width, seed=0):
    """Rows that differ in size and sign; 7 rows over 2 or 4 devices are uneven."""
    values = np.random.default_rng(seed).standard_normal((count, width)).astype(np.float32)
    return values * (1 + np.arange(count, dtype=np.float32))[:, None]


def model():
    import torch
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(5, 6), torch.nn.BatchNorm1d(6), torch.nn.ReLU(), torch.nn.Linear(6, 3))


def training(found):
    import shardir.torch as st
    import torch
    x, y = torch.tensor(rows(7, 5)), torch.tensor(rows(7, 3, 1))
    net = model()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    plan = {"**.weight": st.Shard(0)} if RANKS == 2 else {"0": st.ColwiseParallel(), "3": st.RowwiseParallel()}
    mesh = {"dp": 2} if RANKS == 2 else {"dp": 2, "tp": 2}
    arguments = dict(args=(x, y), mesh=mesh, plan=plan, **SETTINGS)
    step = st.train_step(net, torch.nn.functional.mse_loss, optimizer, **arguments)
    found["torch losses"] = np.array([float(step(x, y)) for _ in range(3)])
    step.save(os.path.join(FOLDER, "checkpoint"))
    found["torch losses"] = np.append(found["torch losses"], float(step(x, y)))
    other = st.train_step(net, torch.nn.functional.mse_loss, optimizer, **arguments)
    other.load(os.path.join(FOLDER, "checkpoint"))
    found["resumed loss"] = np.array(float(other(x, y)))
    for name, tensor in step.state_dict().items():
        found[f"torch {name}"] = tensor.numpy()
    step.copy_to(net)
    f = st.compile(net, args=(x,), mesh=mesh, inputs=[[st.Shard(0)] + [st.Replicate()] * (len(mesh) - 1)], **SETTINGS)
    found["torch forward"] = f(x).numpy()
    f.verify(x)


def transferred():
    """Bytes that this process has read and written so far, by whatever call."""
    with open("/proc/self/io", encoding="ascii") as file:
        values = dict(line.split(": ") for line in file)
    return np.array([int(values["rchar"]), int(values["wchar"])])


def wide_step(plan=None, device="cpu"):
    """A step whose weights are split over all processes, and its inputs."""
    import torch
    import shardir.torch as st
    torch.manual_seed(0)
    with torch.device(device):
        net = torch.nn.Sequential(torch.nn.Linear(301, 513), torch.nn.ReLU(), torch.nn.Linear(513, 301))
    x, y = torch.tensor(rows(7, 301)), torch.tensor(rows(7, 301, 1))
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    step = st.train_step(net, torch.nn.functional.mse_loss, optimizer, args=(x, y), mesh={"dp": RANKS},
                         plan=plan or {"**.weight": st.Shard(0), "**.bias": st.Shard(0)}, **SETTINGS)
    return step, x, y


def saving(found):
    """A checkpoint in one file, and one in several in the background, and what each process read and wrote."""
    shared = os.path.join(os.path.dirname(FOLDER), "shared")
    step, x, y = wide_step()
    step(x, y)
    before = transferred()
    step.save(os.path.join(shared, "one"))
    found["written"] = (transferred() - before)[1]
    saving = step.save(os.path.join(shared, "several"), background=True, part_bytes=1 << 20)
    found["first loss"] = np.array(float(step(x, y)))
    step(x, y)
    saving.wait()
    assert saving.is_written()
    found["held"] = np.array(sum(shards.nbytes for shards in step._state))
    before = transferred()
    step.load(os.path.join(shared, "several"))
    found["read"] = (transferred() - before)[0]
    found["resumed loss"] = np.array(float(step(x, y)))


def resuming(found):
    """On this mesh, under another plan, what `saving` has saved; into a model that has no values, too."""
    import shardir.torch as st
    for name, device in (("one", "cpu"), ("several", "meta")):
        step, x, y = wide_step({"**.weight": st.Shard(1)}, device)
        step.load(os.path.join(os.path.dirname(FOLDER), "shared", name))
        for tensor, value in step.state_dict().items():
            found[f"{name} {tensor}"] = value.numpy()
        found[f"{name} loss"] = np.array(float(step(x, y)))


def descent(found):
    import jax
    import jax.numpy as jnp
    import shardir.jax
    from jax.sharding import PartitionSpec as P

    def step(w, x):
        value, gradient = jax.value_and_grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)
        return w - 0.1 * gradient, value

    f = shardir.jax.jit(step, mesh={"dp": RANKS}, in_shardings=(None, P("dp")), **SETTINGS)
    w, x, losses = jnp.asarray(rows(5, 3)), jnp.asarray(rows(7, 5, 2)), []
    for _ in range(4):
        w, loss = f(w, x)
        losses.append(float(loss))
    found["jax losses"], found["jax weights"] = np.array(losses), np.asarray(w)


def own_part(program, name, array):
    """A full array where one process has all ranks, else what this process holds of it, with nothing else read."""
    if DEVICE == "threads":
        return array
    block = next(b for b in program.blocks(name, array.shape) if b.rank == NUMBER)
    return shardir.Local(array[tuple(slice(*r) for r in block.ranges)], tuple(array.shape))


def local_inputs(found):
    """Each process passes its own rows of the inputs; those along "tp" hold the same ones."""
    import jax
    import shardir.jax
    import shardir.torch as st
    import torch
    from jax.sharding import PartitionSpec as P
    mesh = {"dp": 2} if RANKS == 2 else {"dp": 2, "tp": 2}
    x, y, net = torch.tensor(rows(7, 5)), torch.tensor(rows(7, 3, 1)), model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    step = st.train_step(net, torch.nn.functional.mse_loss, optimizer, args=(x, y), mesh=mesh, **SETTINGS)
    given = [own_part(step.program, name, a) for name, a in (("input0", x), ("input1", y))]
    losses = [step(*given), step(x, y), step(*given)]  # memory is used again, whoever has given it
    found["losses"] = np.array([float(loss) for loss in losses])
    split = [[st.Shard(0)] + [st.Replicate()] * (len(mesh) - 1)]
    f = st.compile(model().eval(), args=(x,), mesh=mesh, inputs=split,
                   dynamic_shapes=({0: torch.export.Dim("batch")},), **SETTINGS)
    for size in (7, 2):
        found[f"forward {size}"] = f(own_part(f.program, f.program.names[-1], x[:size])).numpy()
    w = rows(5, 3)
    g = shardir.jax.jit(lambda w, x: (x @ w, x * 2), mesh=mesh, in_shardings=(P(), P("dp")), **SETTINGS)
    part = own_part(g.lower(w, x.numpy()).program, "arg1", x.numpy())
    found["product"], found["double"] = map(np.asarray, g(w, part))
    found["dtype"] = np.array(str(g(w, part)[0].dtype))


def local_mistakes(found):
    import shardir.torch as st
    import torch
    x = torch.tensor(rows(8, 5))
    f = st.compile(model().eval(), args=(x,), mesh={"tp": 2}, inputs=[[st.Replicate()]], **SETTINGS)
    mine = shardir.Local(x + NUMBER, (8, 5))
    for name, call in (("copies", lambda: f(mine)), ("shape", lambda: f(shardir.Local(x[:3], (8, 5)))),
                       ("full shape", lambda: f(shardir.Local(x, (9, 5)))), ("verify", lambda: f.verify(mine)),
                       ("mixed", lambda: f(mine if NUMBER else x))):
        try:
            call()
        except shardir.Error as error:
            found[name] = np.array(f"{type(error).__name__}: {error}")


def other_arrays(_):
    import torch
    import shardir.torch as st
    x = torch.tensor(rows(7, 5, NUMBER))
    st.compile(model().eval(), args=(x,), mesh={"dp": 2}, inputs=[st.Shard(0)], **SETTINGS)(x)


def other_weights(_):
    import torch
    import shardir.torch as st
    x, net = torch.tensor(rows(7, 5)), model().eval()
    with torch.no_grad():
        net[3].weight += NUMBER
    st.compile(net, args=(x,), mesh={"dp": 2}, **SETTINGS)(x)


def one_saves(_):
    import torch
    import shardir.torch as st
    x, y, net = torch.tensor(rows(7, 5)), torch.tensor(rows(7, 3)), model()
    step = st.train_step(net, torch.nn.functional.mse_loss, torch.optim.SGD(net.parameters(), lr=0.1), args=(x, y),
                         mesh={"dp": 2}, **SETTINGS)
    step(x, y)
    if NUMBER == 0:
        step.save(os.path.join(FOLDER, "checkpoint"))
    step(x, y)


def one_cannot_write(_):
    """Process 1 loses the folder between the start of a save and its end."""
    step, x, y = wide_step()
    folder = os.path.join(FOLDER, "checkpoint")
    step.save(folder)
    step(x, y)
    if NUMBER == 1:
        step.program._entry = type("Broken", (), {
            "begin_save": step.program._entry.begin_save,
            "write_shards": lambda *_: (_ for _ in ()).throw(shardir.UsageError("the disk is full"))})()
    step.save(folder)


CASES = {f.__name__: f for f in (training, descent, saving, resuming, local_inputs, local_mistakes, other_arrays,
                                 other_weights, one_saves, one_cannot_write)}
results = {}
for case in sys.argv[4:]:
    try:
        CASES[case](results)
    except shardir.Error as error:
        results[case] = np.array(f"{type(error).__name__}: {error}")
np.savez(os.path.join(FOLDER, f"{NUMBER}.npz"), **results)
