"""JAX functions against JAX."""

import functools
import pathlib
import subprocess

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import shardir  # noqa: E402
import shardir.jax  # noqa: E402
from jax import lax  # noqa: E402
from jax.ad_checkpoint import checkpoint_name  # noqa: E402
from jax.sharding import AbstractMesh, AxisType, NamedSharding, reshard  # noqa: E402
from shardir import _compiler  # noqa: E402
from jax.sharding import PartitionSpec as P

MESH = {"dp": 2, "tp": 2}
X = jnp.asarray(np.random.default_rng(0).standard_normal((5, 6)), jnp.float32)
I = jnp.array([3, 0, 3, 5, 0], jnp.int32)
EDGES = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 1e-8, 2e9, -3e38, 1, -1, 0.5, 2.0**30, 100, -7.5, np.pi], np.float32)
LONG = jnp.asarray(np.random.default_rng(4).standard_normal((3, 101)), jnp.float32)
MATRICES = jnp.asarray(np.random.default_rng(3).standard_normal((3, 5, 5)), jnp.float32)
POSITIVE = MATRICES @ MATRICES.swapaxes(1, 2) + jnp.eye(5)
SIGNALS = jnp.asarray(np.random.default_rng(4).standard_normal((3, 4096)), jnp.float32)
IMAGE = jnp.asarray(np.random.default_rng(1).standard_normal((2, 8, 8, 3)), jnp.float32)
KERNEL = jnp.asarray(np.random.default_rng(2).standard_normal((3, 3, 3, 4)), jnp.float32)


def convolution(c, k):
    return lax.conv_general_dilated(c, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def transforms(n):
    return lambda x: (jnp.fft.rfft(x, n, norm="ortho"), jnp.fft.irfft(x + 1j * x[:, ::-1], n, norm="ortho"),
                      jnp.fft.fft(x + 1j * x[:, ::-1], n, norm="ortho"))


def joined(factors):
    """The product of a decomposition's factors, which are unique up to signs."""
    *first, last = factors
    return (first[0] if len(first) == 1 else first[0] * first[1][..., None, :]) @ last


def close(actual, expected):
    for a, e in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        assert a.shape == e.shape and a.dtype == e.dtype
        if jnp.issubdtype(e.dtype, jnp.complexfloating):
            np.testing.assert_allclose(a, e, rtol=2e-4, atol=2e-5)
        elif jnp.issubdtype(e.dtype, jnp.floating):
            np.testing.assert_allclose(np.asarray(a, np.float32), np.asarray(e, np.float32), rtol=2e-4, atol=2e-5)
        else:
            np.testing.assert_array_equal(a, e)


CASES = {
    "softmax": (jax.nn.softmax, X), "take": (lambda x, i: jnp.take(x, i, axis=0), X, I),
    "take_along": (lambda x: jnp.take_along_axis(x, jnp.argmax(x, 1, keepdims=True), 1), X),
    "scatter": (lambda x, i: jnp.zeros((6, 6)).at[i].add(x), X, I), "sort": (lambda x: jnp.sort(x, 1), X),
    "argsort": (lambda x: jnp.argsort(x, 0), X), "top_k": (lambda x: lax.top_k(x, 3), X),
    "unique": (lambda i: jnp.unique(i, size=4, return_inverse=True, return_counts=True), I),
    "nonzero": (lambda x: jnp.nonzero(x > 0, size=9), X), "reduce_nothing": (lambda x: lax.reduce(x, 1., lax.max, ()), X),
    "cumsum": (lambda x: jnp.cumsum(x, 1), X), "cumsum_gradient": (jax.grad(lambda x: (jnp.cumsum(x) ** 2).sum()), LONG),
    "cummax": (lambda x: lax.cummax(x, axis=1, reverse=True), LONG), "cumsum_of_nothing": (lambda x: jnp.cumsum(x[:, :0], 1), X),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, axis=1), LONG), "sum_of_nothing": (lambda x: x[:, :0].sum(1), X),
    "associative_scan": (lambda x: lax.associative_scan(jnp.add, x), X),
    "scan": (lambda x: lax.scan(lambda c, y: (c + y, c * y), jnp.zeros(6), x), X),
    "while": (lambda x: lax.while_loop(lambda v: jnp.abs(v).max() < 100, lambda v: v * 2, x), X),
    "cond": (lambda x: lax.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, x), X),
    "switch": (lambda x, i: lax.switch(i[1], [lambda v: v, lambda v: v + 1, lambda v: v * 2], x), X, I),
    "convolution": (convolution, IMAGE, KERNEL),
    "convolution_gradient": (jax.grad(lambda c, k: convolution(c, k).sum(), (0, 1)), IMAGE, KERNEL),
    **{f"strided_convolution_gradient_{stride}_{padding}": (jax.grad(lambda c, k, stride=stride, padding=padding: (
        lax.conv_general_dilated(c, k, (stride, 2), padding, dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2).sum()), IMAGE, KERNEL)
       for stride, padding in ((2, "SAME"), (2, "VALID"), (3, ((0, 2), (2, 1))), (4, ((2, 0), (0, 0))), (5, "SAME"))},
    "max_pool": (lambda c: lax.reduce_window(c, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), IMAGE),
    "max_pool_gradient": (jax.grad(lambda c: (lax.reduce_window(c, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
                                              ** 2).sum()), IMAGE),
    "random": (lambda x: x + jax.random.normal(jax.random.key(0), x.shape), X),
    "key": (lambda x, k: jnp.where(jax.random.bernoulli(k, 0.5, x.shape), x, 0), X, jax.random.key(1)),
    "checkpoint": (jax.grad(lambda x: jax.checkpoint(lambda v: jnp.sin(jnp.sin(v)))(x).sum()), X),
    "segment_sum": (lambda x, i: jax.ops.segment_sum(x, i, 6), X, I),
    "unsigned": (lambda i: (i.astype(jnp.uint8) - 1) // 3, I), "bfloat16": (lambda x: x.astype(jnp.bfloat16) * 2, X),
    "ragged_dot": (jax.value_and_grad(lambda x, w: (lax.ragged_dot(x, w, jnp.array([2, 0, 1, 2])) ** 2).sum(), (0, 1)), X,
                   jnp.arange(4 * 6 * 7, dtype=jnp.float32).reshape(4, 6, 7) / 40),
    "cholesky": (jnp.linalg.cholesky, POSITIVE), "inv": (jnp.linalg.inv, MATRICES), "slogdet": (jnp.linalg.slogdet, MATRICES),
    "solve": (lambda a, b: jnp.linalg.solve(a, b[..., :2]), MATRICES, POSITIVE),
    "unitary": (lambda a, b: [f(a + 1j * b) for f in (lambda z: jnp.linalg.cholesky(z @ z.swapaxes(1, 2).conj() + jnp.eye(5)),
                                                    jnp.linalg.qr, jnp.linalg.eigvalsh)], MATRICES, POSITIVE),
    "tridiagonal": (lambda a: lax.linalg.tridiagonal_solve(a[:, 0], a[:, 1] + 5, a[:, 2], a), MATRICES),
    "cholesky_gradient": (jax.grad(lambda a: jnp.linalg.cholesky(a).sum()), POSITIVE),
    "lu": (jax.vmap(lambda a: jax.scipy.linalg.lu(a[:3])), MATRICES), "qr": (lambda a: jnp.linalg.qr(a[..., :3]), MATRICES),
    "eigenvalues": (jnp.linalg.eigvalsh, POSITIVE), "pinv": (lambda a: jnp.linalg.pinv(a[:, :4]), MATRICES),
    "singular_values": (lambda a: jnp.linalg.svd(a[:, :4], compute_uv=False), MATRICES),
    "svd": (lambda a: joined(jnp.linalg.svd(a[:, :4], full_matrices=False)), MATRICES),
    "svd_of_rank_1": (lambda a: joined(jnp.linalg.svd(a[:, :1] * a[..., :1])), MATRICES),
    "eigenvectors": (lambda a: (lambda w, v: joined((v, w, v.swapaxes(1, 2))))(*jnp.linalg.eigh(a)), POSITIVE),
    "saturates": (lambda x: [(x * s).astype(t) for s in (100, 1e10) for t in (jnp.uint8, jnp.int8, jnp.int32, jnp.uint32)],
                  X.at[0, 0].set(jnp.nan)),
    "approx_max_k": (lambda x: lax.approx_max_k(x, 2, reduction_dimension=0), X),
    "complex": (lambda z, x: (z * x, z @ z.T, abs(z).sum(), jnp.exp(1j * x) / (2 + z)), X[:, :5] + 1j * X[:, 1:], X[:, 1:]),
    "complex_gradient": (jax.grad(lambda x, y: (abs(jnp.exp(1j * x) * lax.complex(x, y)) ** 2).sum()), X, X),
    "complex_products": (lambda z, w: (jnp.einsum("bixy,ioxy->boxy", z, w), jnp.einsum("bixy,ioxy->bo", z.conj(), w),
                                       jnp.einsum("aixy,bixy->ab", z, z.conj())),
                         (SIGNALS[0] + 1j * SIGNALS[1]).reshape(16, 16, 4, 4), (SIGNALS[2, :1280] * (1 - 2j)).reshape(16, 5, 4, 4)),
    "complex_scan": (lambda z: lax.associative_scan(jnp.multiply, z), X + 1j * X),
    "depthwise_of_16_bits": (lambda c, k: lax.conv_general_dilated(c, k, (1, 1), "SAME", feature_group_count=4, dimension_numbers=(
        "NHWC", "HWIO", "NHWC")), jnp.ones((2, 40, 40, 4), jnp.bfloat16), jnp.ones((30, 30, 1, 4), jnp.bfloat16)),
    "sums_of_16_bits": (lambda x, c, k: (jnp.cumsum(x, 1), convolution(c, k)), jnp.ones((2, 600), jnp.bfloat16),
                        jnp.ones((2, 8, 8, 64), jnp.bfloat16), jnp.ones((3, 3, 64, 4), jnp.bfloat16)),
    "fft": (lambda z: (jnp.fft.fft(z), jnp.fft.ifft2(z), jnp.fft.irfft(z, 7), jnp.fft.fft(z, axis=0, norm="ortho")), X + 1j * X),
    "rfft": (lambda x: (jnp.fft.rfft(x), jnp.fft.rfftn(x), jnp.fft.irfftn(jnp.fft.rfftn(x), x.shape)), X),
    **{f"fft_of_{n}": (transforms(n), SIGNALS) for n in (45, 66, 131, 262, 4096)},  # composite, prime, both, long
    "fft2": (lambda x: jnp.fft.rfft2(x[:, :66 * 35].reshape(3, 66, 35), norm="ortho"), SIGNALS),
    "rfft_gradient": (jax.grad(lambda x: (abs(jnp.fft.rfft(x)) ** 2).sum()), X),
    "irfft_gradient": (jax.grad(lambda x: (jnp.fft.irfft(jnp.fft.rfft(x[:, :66]) ** 2) ** 2).mean()), SIGNALS[:, :70]),
    "normal": (lambda a, k: jax.random.multivariate_normal(k, jnp.zeros(5), a[0], (4,)), POSITIVE, jax.random.key(2)),
}


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "arctan", "arctan2", "fmod"])
def test_angles_and_remainders(name):
    """Against f64: XLA's are further off, or flush denormals."""
    args = np.array(np.meshgrid(EDGES, EDGES)).reshape(2, -1)[:2 if name in ("arctan2", "fmod") else 1]
    with np.errstate(invalid="ignore"):
        expected = getattr(np, name)(*args.astype(np.float64)).astype(np.float32)
    found = np.asarray(shardir.jax.jit(getattr(jnp, name), mesh={"x": 1})(*args))
    np.testing.assert_allclose(found, expected, rtol=2e-7)
    np.testing.assert_array_equal(np.signbit(found)[expected == 0], np.signbit(expected)[expected == 0])


@pytest.mark.parametrize("name", CASES)
def test_equals_jax(name):
    f, *arguments = CASES[name]
    specs = tuple(P("dp") if a.ndim else P() for a in arguments)
    close(shardir.jax.jit(f, mesh=MESH, in_shardings=specs)(*arguments), f(*arguments))


def test_called_as_jax_jit_is():
    class Model:
        scale = 3

        @functools.partial(shardir.jax.jit, mesh=MESH, static_argnums=0)
        def method(self, x):
            return x * self.scale

    def f(x, n=2, *, mode="a"):
        return x * n + (mode == "b")

    close(Model().method(X), X * 3)
    close(shardir.jax.jit(lambda x, rate, on: jnp.where(on, x * rate, x), mesh=MESH)(X, 0.5, True), X * 0.5)
    close(shardir.jax.jit(f, mesh=MESH, static_argnums=1, static_argnames="mode")(X, 3, mode="b"), X * 3 + 1)
    close(shardir.jax.jit(f, mesh=MESH, static_argnums=1)(X, n=3), X * 3)
    close(shardir.jax.jit(f, mesh=MESH, static_argnames="n")(X, 3), X * 3)
    close(shardir.jax.jit(f, mesh=MESH, static_argnums=1)(X), X * 2)
    inner = shardir.jax.jit(f, mesh=MESH)
    close(shardir.jax.jit(lambda x: inner(x) + 1, mesh=MESH)(X), X * 2 + 1)
    close(inner.lower(X).compile()(X), X * 2)


def test_traces_and_shapes_without_compiling():
    def f(x, unused, n):
        return jax.lax.with_sharding_constraint(x[:n] * 2, P("dp")), x.sum()

    g = shardir.jax.jit(f, mesh=MESH, static_argnums=2, keep_unused=True, inline=True)
    assert [(s.shape, s.dtype) for s in g.eval_shape(X, X, 3)] == [((3, *X.shape[1:]), X.dtype), ((), X.dtype)]
    assert [a.shape for a in g.trace(X, X, 3).jaxpr.out_avals] == [(3, *X.shape[1:]), ()]
    assert not g._known
    close(g(X, X, 3), (X[:3] * 2, X.sum()))


def test_calls_back_to_python():
    def f(x):
        jax.debug.print("{}", x.sum())
        return x + 1

    with pytest.warns(UserWarning, match="jax.debug.print"):
        close(shardir.jax.jit(f, mesh=MESH)(X), X + 1)
    with pytest.raises(shardir.CompileError, match="calls back to Python .* are not supported"):
        shardir.jax.jit(lambda x: jax.pure_callback(np.sin, x, x), mesh=MESH)(X)


def test_fourier_transforms_keep_batches_split():
    for n, spec in ((262, P("dp", "tp")), (66, P("dp", None, "tp"))):
        x = jnp.ones((4, n, 8)) if spec[1] is None else jnp.ones((4, 4, n))
        f = shardir.jax.jit(lambda x: abs(jnp.fft.rfft(x, axis=x.shape.index(n))), mesh=MESH, in_shardings=(spec,))
        assert not f.lower(x).program.report.collectives


def test_keys_are_results():
    for key in (jax.random.key(1), jax.random.key(7, impl="rbg")):
        split = shardir.jax.jit(lambda k: jax.random.split(k, 3), mesh=MESH)(key)
        assert split.dtype == key.dtype
        close(jax.random.key_data(split), jax.random.key_data(jax.random.split(key, 3)))


def test_keys_folded_with_the_index_of_a_device():
    def noise(x, k):
        return x + jax.random.normal(jax.random.fold_in(k, lax.axis_index("dp")), x.shape)

    f = jax.shard_map(noise, mesh=AbstractMesh((2,), ("dp",)), in_specs=(P("dp"), P()), out_specs=P("dp"))
    key = jax.random.key(1)
    halves = [x + jax.random.normal(jax.random.fold_in(key, i), x.shape) for i, x in enumerate((X[:2], X[2:4]))]
    close(shardir.jax.jit(f, mesh={"dp": 2})(X[:4], key), jnp.concatenate(halves))


def test_checkpoints_recompute():
    def layers(again):
        def layer(x, w):
            return jnp.tanh(jnp.tanh(x @ w) @ w.T)

        def loss(ws, x):
            for w in ws:
                x = (jax.checkpoint(layer) if again else layer)(x, w)
            return (x * x).sum()

        return jax.grad(loss)

    ws = [jnp.asarray(np.random.default_rng(i).standard_normal((8, 16)) * 0.2, jnp.float32) for i in range(6)]
    x = jnp.asarray(np.random.default_rng(9).standard_normal((255, 8)), jnp.float32)
    peaks = []
    for again in (False, True):
        g = shardir.jax.jit(layers(again), mesh=MESH, in_shardings=(None, P("dp")))
        close(g(ws, x), layers(again)(ws, x))
        peaks.append(g.lower(ws, x).report.peak_bytes_per_device)
    assert peaks[1] < 0.9 * peaks[0]


def test_sequence_parallelism():
    """As Megatron writes it, with weights split over `fsdp` as well: the search has to leave where the baseline begins."""
    d, heads = 128, 8
    shapes = {"q": (d, heads, 16), "k": (d, heads, 16), "v": (d, heads, 16), "o": (heads, 16, d), "up": (d, 512), "down": (512, d)}
    placed = {**dict.fromkeys(("q", "k", "v", "up"), P("fsdp", "tp")), "o": P("tp", None, "fsdp"), "down": P("tp", "fsdp")}

    def loss(ps, x, place=lambda x: x):
        for p in ps:
            x = place(x)
            n = x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)
            q, k, v = (jnp.einsum("bsd,dhw->bshw", n, p[w]) for w in "qkv")
            weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k))
            x = x + jnp.einsum("bshw,hwd->bsd", jnp.einsum("bhqk,bkhd->bqhd", weights, v), p["o"])
            n = x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)
            x = x + jax.nn.gelu(n @ p["up"]) @ p["down"]
        return (x * x).mean()

    random = np.random.default_rng(4)
    ps = [{n: jnp.asarray(random.standard_normal(shape) * d ** -0.5, jnp.float32) for n, shape in shapes.items()} for _ in range(2)]
    x = jnp.asarray(random.standard_normal((8, 64, d)), jnp.float32)
    split = jax.grad(lambda ps, x: loss(ps, x, lambda x: lax.with_sharding_constraint(x, P(("dp", "fsdp"), "tp"))))
    g = shardir.jax.jit(split, mesh={"dp": 2, "fsdp": 2, "tp": 4}, in_shardings=([placed] * 2, P(("dp", "fsdp"))), options="cost=time")
    close(g(ps, x), jax.grad(loss)(ps, x))
    assert g.lower(ps, x).report.bytes_per_device < 3e6


@pytest.mark.parametrize("mesh", [(1, 1), (2, 1), (2, 2), (3, 2), (2, 4)])
def test_training_step_with_pytrees(mesh):
    optax = pytest.importorskip("optax")
    optimizer = optax.adamw(1e-2)
    parameters = {"up": X.T, "down": {"w": X, "b": jnp.zeros(6)}}

    def step(parameters, state, batch):
        def loss(p):
            return jnp.mean((jnp.tanh(batch["x"] @ p["up"]) @ p["down"]["w"] + p["down"]["b"] - batch["y"]) ** 2)
        value, gradients = jax.value_and_grad(loss)(parameters)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state, value

    placed = {"up": P(None, "tp"), "down": {"w": P("tp"), "b": P()}}
    g = shardir.jax.jit(step, mesh=dict(zip(("dp", "tp"), mesh)), in_shardings=(placed, None, P("dp")),
                        donate_argnums=(0, 1))
    theirs = (parameters, optimizer.init(parameters))
    ours = jax.tree.map(jnp.copy, theirs)  # given up by the first step
    batch = {"x": X[:4], "y": X[1:]}
    for _ in range(3):
        *ours, loss = g(*ours, batch)
        *theirs, expected = step(*theirs, batch)
        close(loss, expected)
    close(ours[0], theirs[0])


@pytest.mark.parametrize("mesh", [{"dp": 1}, MESH, {"dp": 3}])
def test_donated_arguments(mesh):
    def update(state, gradient):
        return {n: w - 0.5 * gradient for n, w in state.items()}, sum((w * w).sum() for w in state.values())

    state, gradient = {"a": X, "b": X + 1}, X * 2
    expected, peaks = update(state, gradient), []
    for donate in ((), (0,)):
        given = jax.tree.map(jnp.copy, state)
        g = shardir.jax.jit(update, mesh=mesh, donate_argnums=donate)
        close(g(given, gradient), expected)
        assert given["a"].is_deleted() == given["b"].is_deleted() == bool(donate) and not gradient.is_deleted()
        peaks.append(g.lower(state, gradient).report.measured["peak_bytes_per_device"])
        if donate:
            with pytest.raises(shardir.UsageError, match="has been deleted: it was donated"):
                g(given, gradient)
    assert peaks[1] < 0.8 * peaks[0]


def test_named_shardings_constraints_and_static_arguments():
    mesh = AbstractMesh((2, 2), ("dp", "tp"))

    def f(x, n, *, w):
        y = lax.with_sharding_constraint(x @ w, NamedSharding(mesh, P("dp", "tp")))
        return y * n

    g = shardir.jax.jit(f, mesh=mesh, in_shardings=(NamedSharding(mesh, P("dp")),), static_argnums=(1,))
    for n in (2, 3):
        close(g(X, n, w=X.T), X @ X.T * n)
    program = g.lower(X, 2, w=X.T).program
    assert '{"dp"}, {}' in program.arguments[0].placement
    assert program.report.bytes_per_device == program.report.as_dict()["bytes_per_device"]


def test_shard_map():
    mesh = AbstractMesh((2, 2), ("dp", "tp"))

    def f(x, w):
        return jax.shard_map(lambda a, b: lax.psum(a @ b, "tp"), mesh=mesh, in_specs=(P("dp", "tp"), P("tp")),
                             out_specs=P("dp"))(x, w)

    x, w = X[:4], X.T
    close(shardir.jax.jit(f, mesh=mesh)(x, w), x @ w)
    g = jax.shard_map(lambda x: x + lax.axis_index("tp") + 10 * lax.axis_index("dp"), mesh=mesh,
                      in_specs=P(("dp", "tp")), out_specs=P(("dp", "tp")))
    np.testing.assert_array_equal(shardir.jax.jit(g, mesh=mesh)(np.zeros(4, np.float32)), [0, 1, 10, 11])


def test_explicit_axes():
    mesh = AbstractMesh((2, 2), ("dp", "tp"), axis_types=(AxisType.Explicit,) * 2)
    x, w, rows = X[:4], X.T[:, :4], NamedSharding(mesh, P("dp"))

    def f(x, w):
        assert jax.typeof(x).sharding.spec == P("dp", None)
        y = jnp.dot(x + jnp.zeros(x.shape, out_sharding=P("dp")), w, out_sharding=rows)
        y = jax.shard_map(lambda y: y + lax.psum(y, "dp"), in_specs=P("dp"), out_specs=P("dp"))(y)
        return reshard(y, P(None, "tp")) * 2

    y = x @ w
    expected = 2 * (y + jnp.tile(y[:2] + y[2:], (2, 1)))
    shapes = jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=rows), w
    lowered = [shardir.jax.jit(f, mesh=mesh, in_shardings=(P("dp"), None)).lower(x, w),
               shardir.jax.jit(f, in_shardings=(rows, None)).lower(x, w), shardir.jax.jit(f).lower(*shapes)]
    g = shardir.jax.jit(f, in_shardings=(P("dp"), None))
    with jax.sharding.use_abstract_mesh(mesh):
        lowered.append(g.lower(x, w))
    for each in lowered:
        close(each(x, w), expected)
        assert '[{"dp"}, {}]' in each.program.arguments[0].placement
        assert '[{}, {"tp"}]' in each.program.results[0].placement
    # Where JAX has no types, of 5 rows and of a product over a dim that is split, placements are propagated.
    product = shardir.jax.jit(lambda x, w: x @ w, mesh=mesh, in_shardings=(P("dp", "tp"), P("tp")))
    close(product(X, X.T), X @ X.T)
    with pytest.raises(Exception, match="Contracting dimensions are sharded"):
        shardir.jax.jit(lambda x: reshard(x @ x.T, rows), mesh=mesh, in_shardings=P(None, "tp"))(x)


@pytest.mark.parametrize("f,arguments,message", [
    (jnp.sin, dict(in_shardings=(P("pd"),)), "names axis 'pd'.*did you mean"),
    (jnp.sin, dict(in_shardings=(P(None, None, "dp"),)), "2 dims"), (jnp.sin, dict(options="strcit"), "strict"),
    (jnp.sin, dict(in_shardings=(P(), P())), "in_shardings has 2 entries, but the function has 1 argument$"),
    (jnp.sin, dict(in_shardings=P("dp", "dp")), "x: P.'dp', 'dp'.*names axis 'dp' twice"),
    (jnp.sin, dict(in_shardings=([shardir.Shard(0), shardir.Replicate()],)), r"in_shardings\[0\].*PyTorch's spelling"),
    (jnp.sin, dict(device="cuda"), "device must be threads.*did you mean 'cuda-local'"),
    (jnp.sin, dict(options="memory-limit="), "memory-limit must be a number of bytes"),
])
def test_mistakes(f, arguments, message):
    with pytest.raises(shardir.Error, match=message):
        shardir.jax.jit(f, mesh=MESH, **arguments)(X[:5, :5])


def test_jax_cannot_transform_a_compiled_function():
    f = shardir.jax.jit(lambda x: jnp.sum(x * x), mesh=MESH)
    for _ in range(2):
        with pytest.raises(shardir.UsageError, match="put jax.grad, jax.vmap or jax.jit inside it"):
            jax.grad(f)(X)
        f(X)


def test_verify_takes_what_the_function_takes():
    f = shardir.jax.jit(lambda n, w, x: (x * n, {"y": x @ w["a"] + w["b"]}), mesh=MESH, static_argnums=0,
                        in_shardings=({"a": P(None, "tp"), "b": None}, P("dp")))
    w = {"a": X.T, "b": jnp.ones(5)}
    f.verify(2, w, X)
    f.lower(2, w, X).verify(w, X)
    with pytest.raises(shardir.VerifyError):
        f.verify(2, w, X, tolerance=-1)


def test_a_partition_spec_needs_a_mesh():
    with pytest.raises(shardir.UsageError, match="give it with mesh="):
        shardir.jax.jit(jnp.sin, in_shardings=P("dp"))(X)


def test_placements_of_another_jit_of_the_function_do_not_stay():
    def product(x, w):
        return x @ w

    def placements(spec):
        lowered = shardir.jax.jit(product, mesh={"tp": 2}, in_shardings=(None, spec)).lower(X, X.T)
        return [t.placement for t in lowered.program.arguments]

    before = placements(None)
    assert placements(P("tp", None)) != before
    assert placements(None) == before


def test_results_are_named_as_what_they_update(tmp_path):
    def step(w, moments, x):
        loss, d = jax.value_and_grad(lambda w: ((x @ w["a"] + w["b"]) ** 2).mean())(w)
        moments = jax.tree.map(lambda m, g: 0.5 * m + g, moments, d)
        return jax.tree.map(lambda p, m: p - 0.01 * m, w, moments), [loss, moments]

    def names(function, **settings):
        lowered = shardir.jax.jit(function, mesh={"dp": 2}, **settings).lower(w, moments, X)
        return [r["name"] for r in lowered.program._function["results"]]

    w = {"a": jnp.ones((6, 3)), "b": jnp.ones(3)}
    moments = jax.tree.map(jnp.zeros_like, w)
    assert names(step) == ["result[0]['a']", "result[0]['b']", "result[1][0]", "result[1][1]['a']", "result[1][1]['b']"]
    # The moments are within a list, so that either of two donated arguments may be meant.
    assert names(step, donate_argnums=0)[:2] == ["w['a']", "w['b']"]
    assert names(lambda w, m, x: (m, w), donate_argnums=0) == ["result[0]['a']", "result[0]['b']", "result[1]['a']",
                                                               "result[1]['b']"]

    # shard-run resumes by these names, on another mesh.
    def update(w, x):
        return step(w, jax.tree.map(jnp.zeros_like, w), x)[0]

    np.savez(tmp_path / "0.npz", **{"w['a']": w["a"], "w['b']": w["b"]})
    np.savez(tmp_path / "x.npz", x=X)
    for i, ranks in enumerate((2, 3)):
        lowered = shardir.jax.jit(update, mesh={"dp": ranks}, in_shardings=(None, P("dp")), donate_argnums=0).lower(w, X)
        (tmp_path / "step.mlir").write_text(lowered.mlir)
        subprocess.run([_compiler.tool("shard-run"), "step.mlir", f"--inputs={i}.npz", "--inputs=x.npz",
                        f"--outputs={i + 1}.npz"], cwd=tmp_path, check=True)
    found = np.load(tmp_path / "2.npz")
    w = update(update(w, X), X)
    close({k: found[f"w['{k}']"] for k in w}, w)


def test_places_tell_two_calls_of_one_function_apart():
    def layer(x, w, v):
        h = jnp.tanh(x @ w)
        return h @ v

    def model(x, ws, vs):
        x = layer(x, ws[0], vs[0])
        x = layer(x, ws[1], vs[1])
        return layer(x, ws[2], vs[2])

    shapes = (jnp.ones((4, 8)), [jnp.ones((8, 16))] * 3, [jnp.ones((16, 8))] * 3)
    g = shardir.jax.jit(model, mesh=MESH, in_shardings=(P(), P(None, "tp"), P("tp")), out_shardings=P())
    report = g.lower(*shapes).program.report
    # The sums of the first two layers are reduced where the next one reads them.
    places = [c.loc.split(", called from ") for c in report.collectives if "result 0" not in c.reason]
    lines = [[int(frame.split(":")[1]) for frame in place] for place in places]
    inner, outer = layer.__code__.co_firstlineno + 1, model.__code__.co_firstlineno + 2
    assert lines == [[inner, outer], [inner, outer + 1]]
    assert all(", called from " in c.place for c in report.collectives if "result 0" not in c.reason)


def hermitian(n, kind):
    """Matrices that methods for eigenvalues fail on where they rest on gaps or on the matrix being regular."""
    rng = np.random.default_rng(n)
    a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if kind in ("c8", "c16") else 0)
    q, numbers = np.linalg.qr(a)[0], np.arange(n)
    spectra = [0 * numbers, numbers < 3, 1 + 1e-7 * numbers, 1 - 2 * (numbers % 2), np.logspace(-6, 6, n), numbers - n / 2]
    second = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    all = [(q * w) @ q.conj().T for w in spectra] + [np.eye(n), np.ones((n, n)), np.diag(spectra[4]), second]
    return np.array([scale * (x + x.conj().T) for x, scale in zip(all, [1] * 5 + [1e25] + [1] * 3 + [1e-25])]).astype(kind)


@pytest.mark.parametrize("n, kind", [(1, "f4"), (9, "f4"), (47, "c8"), (50, "f8"), (200, "f4")])
def test_eigenvalues_and_singular_values(n, kind):
    with jax.enable_x64(kind == "f8"):
        a = hermitian(n, kind)
        skew = np.triu(a) + a[:, ::-1] / 3  # neither Hermitian nor regular
        both = shardir.jax.jit(lambda a, b: (jnp.linalg.eigh(a), jnp.linalg.svd(b)), mesh={"x": 1})
        (w, v), (u, s, vh) = jax.tree.map(lambda x: np.asarray(x, "c16" if kind == "c8" else "f8"), both(a, skew))
    bound = 16 * max(n, 16) * np.finfo(kind).eps
    for x, w, v in zip(a, w.real, v):
        x = x.astype(v.dtype)
        size = np.linalg.norm(x, 2) or 1
        np.testing.assert_allclose(w, np.linalg.eigvalsh(x), rtol=0, atol=bound * size)
        assert (np.diff(w) >= 0).all() and abs(x @ v - v * w).max() <= bound * size
        np.testing.assert_allclose(v.conj().T @ v, np.eye(n), rtol=0, atol=bound)
    for x, u, s, vh in zip(skew, u, s.real, vh):
        x = x.astype(u.dtype)
        size = np.linalg.norm(x, 2) or 1
        np.testing.assert_allclose(s, np.linalg.svd(x)[1], rtol=0, atol=bound * size)
        assert (np.diff(s) <= 0).all() and abs(u * s @ vh - x).max() <= bound * size
        for q in (u, vh):
            np.testing.assert_allclose(q.conj().T @ q, np.eye(n), rtol=0, atol=bound)


@pytest.mark.parametrize("shape", [(2, 70, 40), (2, 40, 70)])
def test_rectangular_factorizations(shape):
    a = (np.random.default_rng(0).standard_normal(shape) + 20 * np.eye(*shape[1:])).astype(np.float32)
    f = shardir.jax.jit(lambda a: (jnp.linalg.svd(a), jnp.linalg.qr(a), jnp.linalg.qr(a, "complete"), jnp.linalg.pinv(a),
                                   jnp.linalg.svd(a, full_matrices=False)), mesh={"x": 2}, in_shardings=P("x"))
    (u, s, vh), (q, r), (whole, tall), inverse, (thin, _, flat) = (jax.tree.map(np.asarray, x) for x in f(a))
    k = min(shape[1:])
    np.testing.assert_allclose(s, np.linalg.svd(a)[1], rtol=1e-4)
    for x in ((u[..., :k] * s[:, None]) @ vh[:, :k], thin * s[:, None] @ flat, q @ r, whole @ tall):
        np.testing.assert_allclose(x, a, rtol=0, atol=1e-4)
    np.testing.assert_allclose(inverse, np.linalg.pinv(a), rtol=0, atol=1e-5)
    for x in (u, whole, vh.swapaxes(1, 2)):
        np.testing.assert_allclose(x.swapaxes(1, 2) @ x, [np.eye(x.shape[-1])] * 2, rtol=0, atol=1e-5)


def test_report_of_the_last_shapes():
    f = shardir.jax.jit(lambda x: x.sum(0), mesh={"x": 2}, in_shardings=P("x"))
    with pytest.raises(shardir.Error, match="not compiled yet: call it"):
        f.report
    for n in (4, 8):
        f(np.ones((6, n), np.float32))
        assert str(f.report) == str(f.lower(jax.ShapeDtypeStruct((6, n), np.float32)).report)


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_systems_of_several_blocks(dtype):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((2, 2, 75, 75)).astype(np.float32)
    a = (a[0] + 1j * a[1] if dtype == "c8" else a[0]).astype(dtype)
    b, wide = a[..., :3] + 1, np.concatenate([a, a[:, ::-1, :9]], -1)
    positive = a @ a.conj().swapaxes(1, 2) / 75 + np.eye(75, dtype=dtype)

    def f(a, b, wide, positive):
        solve = jax.scipy.linalg.solve_triangular
        return (jnp.linalg.cholesky(positive), jnp.linalg.solve(a, b), lax.linalg.lu(wide), lax.linalg.lu(wide.swapaxes(1, 2)),
                [jax.vmap(lambda p, b, t=t, unit=unit: solve(p, b, trans=t, lower=t == 1, unit_diagonal=unit))(p, b)
                 for t in range(3) for p, unit in ((positive, False), (positive / 75, True))])

    found = shardir.jax.jit(f, mesh={"x": 2}, in_shardings=P("x"))(a, b, wide, positive)
    for x, y in zip(jax.tree.leaves(found), jax.tree.leaves(f(a, b, wide, positive))):
        np.testing.assert_allclose(x, y, rtol=0, atol=2e-4 * max(1, abs(y).max()))


def test_gradient_of_eigenvectors():
    a = np.random.default_rng(0).standard_normal((40, 40)).astype(np.float32)
    weights = np.linspace(0, 1, 40, dtype=np.float32)

    def function(a):
        w, v = jnp.linalg.eigh(a @ a.T / 40 + jnp.diag(4 * jnp.arange(40.)))
        return (w * weights).sum() + (v[0] ** 2 * weights).sum() + jnp.linalg.svd(a, compute_uv=False)[:3].sum()

    np.testing.assert_allclose(shardir.jax.jit(jax.grad(function), mesh={"x": 1})(a), jax.grad(function)(a), atol=1e-4)


@pytest.mark.parametrize("function", [jnp.linalg.inv, lambda a: jnp.linalg.qr(a)[1], jnp.linalg.eigvalsh, jnp.linalg.det,
                                      jax.grad(lambda a: jnp.sum(jnp.linalg.inv(a)))])
def test_linear_algebra_in_shard_map(function):
    mesh = AbstractMesh((2,), ("x",))
    batches = jnp.concatenate([POSITIVE, POSITIVE + 1])[:4]
    split = jax.shard_map(jax.vmap(function), mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    found = shardir.jax.jit(split, mesh=mesh, in_shardings=P("x"))(batches)
    np.testing.assert_allclose(found, jax.vmap(function)(batches), rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("function, shape", [
    (lambda x: jnp.sum(x[::2][1:-1] ** 2), (8,)),
    (lambda x: jnp.sum(jax.lax.pad(jax.lax.pad(x, 0.0, [(1, 1, 0)]), 0.0, [(0, 0, 1)])[::3] ** 2), (5,)),
    (lambda x: jnp.sum(x[:, :, 3] ** 2), (1, 2, 6)),
])
def test_gradients_that_pad_and_scatter_slices(function, shape):
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    gradient = jax.grad(function)
    for axis in range(len(shape)):
        found = shardir.jax.jit(gradient, mesh={"x": 2}, in_shardings=P(*[None] * axis, "x"))(x)
        np.testing.assert_allclose(found, gradient(x), rtol=1e-6)


@pytest.mark.filterwarnings("error::UserWarning")
def test_memory_kinds_leave_values_on_the_device():
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["kept"], offload_src="device", offload_dst="pinned_host")

    def loss(weights, x):
        def layer(x, w):
            return checkpoint_name(jnp.tanh(x @ w), "kept"), None
        return (lax.scan(jax.checkpoint(layer, policy=policy), x, weights)[0] ** 2).sum()

    def step(weights, x):
        return jax.device_put(weights - jax.grad(loss)(weights, x), jax.memory.Space.Host)

    ours = shardir.jax.jit(step, mesh={"dp": 2}, in_shardings=(P(), P("dp")))(MATRICES, LONG[:, :5])
    np.testing.assert_allclose(ours, MATRICES - jax.grad(loss)(MATRICES, LONG[:, :5]), rtol=1e-5, atol=1e-6)


def test_benchmarks_gradients_of_a_layer(monkeypatch):
    monkeypatch.syspath_prepend(pathlib.Path(__file__).parents[2] / "benchmarks")
    import layers
    case = layers.Gradients(2, 8, 16, 4, 32, "f32")
    random = np.random.default_rng(0)
    arguments = [0.3 * random.standard_normal(shape, np.float32) for shape in case.shapes]
    close(shardir.compile(case.text())(*arguments), layers.gradients(4)(*arguments))
