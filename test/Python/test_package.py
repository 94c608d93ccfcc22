"""The package with NumPy: compiling, calling, reports, placements, errors."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import shardir
from shardir import Mesh, Partial, Replicate, Shard
from shardir._mesh import blocks, first_holder, placement_attribute
from shardir._plan import pattern_to_regex

MLP = """
shardir.mesh @m <["dp"=?, "tp"=?]>
func.func @main(%x: tensor<{rows}x6xf32> {{shardir.placement = #shardir.placement<@m, [{{"dp"}}, {{}}]>}},
                %w: tensor<6x7xf32> {{shardir.placement = #shardir.placement<@m, [{{"tp"}}, {{}}]>}}) -> tensor<{rows}x7xf32> {{
  %zero = arith.constant 0.0 : f32
  {size}%e = tensor.empty({dim}) : tensor<{rows}x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{rows}x7xf32>) -> tensor<{rows}x7xf32>
  %y = linalg.matmul ins(%x, %w : tensor<{rows}x6xf32>, tensor<6x7xf32>) outs(%f : tensor<{rows}x7xf32>)
    -> tensor<{rows}x7xf32>
  return %y : tensor<{rows}x7xf32>
}}
"""
STATIC = MLP.format(rows=5, size="", dim="")
DYNAMIC = MLP.format(rows="?", dim="%d",
                     size="%c0 = arith.constant 0 : index\n  %d = tensor.dim %x, %c0 : tensor<?x6xf32>\n  ")


def identity(element, shape="3x4"):
    return f"""
shardir.mesh @m <["dp"=2]>
func.func @main(%x: tensor<{shape}x{element}> {{shardir.placement = #shardir.placement<@m, [{{"dp"}}, {{}}]>}})
    -> tensor<{shape}x{element}> {{
  return %x : tensor<{shape}x{element}>
}}
"""


@pytest.fixture
def arrays():
    generator = np.random.default_rng(0)
    return [generator.standard_normal(s).astype(np.float32) for s in ((5, 6), (6, 7))]


@pytest.mark.parametrize("axes", [(1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (8, 1), (2, 4)])
def test_equals_numpy_on_even_and_uneven_meshes(axes, arrays):
    program = shardir.compile(STATIC, mesh={"dp": axes[0], "tp": axes[1]})
    assert program.num_ranks == axes[0] * axes[1]
    np.testing.assert_allclose(program(*arrays), arrays[0] @ arrays[1], rtol=1e-5, atol=1e-5)
    program.verify(*arrays)


def test_open_extents(arrays):
    program = shardir.compile(DYNAMIC, mesh="dp=2,tp=2")
    for rows in (1, 4, 5, 9):
        x = np.ones((rows, 6), np.float32)
        np.testing.assert_allclose(program(x, arrays[1]), x @ arrays[1], rtol=1e-5)
    assert [b.shape for b in program.blocks("arg0", (3, 6))] == [(2, 6), (2, 6), (1, 6), (1, 6)]


@pytest.mark.parametrize("element,dtype", [("i1", np.bool_), ("i8", np.int8), ("i8", np.uint8), ("i32", np.int32),
                                           ("i64", np.int64), ("f16", np.float16), ("f64", np.float64)])
def test_element_types(element, dtype):
    x = (np.arange(12).reshape(3, 4) % 2).astype(dtype)
    y = shardir.compile(identity(element))(x)
    np.testing.assert_array_equal(y, x.astype(y.dtype))


def test_bfloat16_is_bits_or_ml_dtypes():
    bits = np.arange(12, dtype=np.uint16).reshape(3, 4) + 0x3F80
    y = shardir.compile(identity("bf16"))(bits)
    np.testing.assert_array_equal(y.view(np.uint16), bits)


def test_arrays_that_are_not_contiguous(arrays):
    program = shardir.compile(STATIC, mesh={"dp": 2, "tp": 2})
    expected = arrays[0] @ arrays[1]
    np.testing.assert_allclose(program(np.asfortranarray(arrays[0]), arrays[1][:, :]), expected, rtol=1e-5)
    wide = np.zeros((5, 12), np.float32)
    wide[:, ::2] = arrays[0]
    np.testing.assert_allclose(program(wide[:, ::2], arrays[1].tolist()), expected, rtol=1e-5)


def test_report_and_compare(arrays, tmp_path):
    program = shardir.compile(STATIC, mesh={"dp": 2, "tp": 2})
    assert program.report.measured is None
    program(*arrays)
    report = program.report
    assert [(c.kind, c.axes, c.bytes_per_device) for c in report.collectives] == [("all_gather", ("tp",), 84)]
    assert report.bytes_per_device == report.measured["bytes_per_device"] == 84
    assert {v.name for v in report.values} >= {"arg0", "arg1", "result0"}
    assert "all_gather" in str(report)
    other = shardir.compile(STATIC, mesh={"dp": 4, "tp": 1})
    assert "84" in str(shardir.compare(program, other))
    report.html(tmp_path / "r.html")
    assert "all_gather" in (tmp_path / "r.html").read_text()


def test_show(capsys):
    program = shardir.compile(STATIC, mesh={"dp": 3, "tp": 2})
    program.show("arg0")
    said = capsys.readouterr().out
    assert "rank 0: rows 0..1" in said and "rank 4: rows 4" in said
    assert [b.shape for b in program.blocks("arg1")][:2] == [(3, 7), (3, 7)]


def test_save_and_load(arrays, tmp_path):
    program = shardir.compile(STATIC, mesh={"dp": 2, "tp": 2})
    program.save(tmp_path / "p.so")
    loaded = shardir.load(tmp_path / "p.so")
    np.testing.assert_array_equal(loaded(*arrays), program(*arrays))
    with pytest.raises(shardir.UsageError, match="verify=True"):
        loaded.verify()


def test_calls_from_several_threads(arrays):
    program = shardir.compile(STATIC, mesh={"dp": 2, "tp": 2})
    expected, wrong = program(*arrays), []

    def work():
        for _ in range(20):
            if not np.array_equal(program(*arrays), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("call,kind,message", [
    (lambda: shardir.compile("nowhere.mlir"), shardir.UsageError, "there is no file 'nowhere.mlir'"),
    (lambda: shardir.compile(STATIC, mesh={"dq": 2, "tp": 2}), shardir.UsageError, "dq"),
    (lambda: shardir.compile(STATIC, mesh={"dp": 2, "tp": 2}, options="cots=time"), shardir.UsageError, "cots"),
    (lambda: shardir.compile("func.func @main( {"), shardir.CompileError, "expected"),
    (lambda: shardir.compile(STATIC, mesh={"dp": 2, "tp": 2}, function="mian"), shardir.UsageError, "mian"),
    (lambda: Mesh({}), shardir.UsageError, "one axis"),
    (lambda: Mesh({"a b": 2}), shardir.UsageError, "no name"),
    (lambda: Mesh({"dp": 0}), shardir.UsageError, "1 or more"),
    (lambda: Mesh.of("dp:2"), shardir.UsageError, "axis=size"),
    (lambda: shardir.load(__file__), shardir.CompileError, "not a compiled program|not a shared object"),
])
def test_mistakes(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_mistakes_in_calls(arrays):
    program = shardir.compile(STATIC, mesh={"dp": 2, "tp": 2})
    for given, message in [((arrays[0],), "takes 2 arguments"), ((arrays[0].T, arrays[1]), "extent 6 in dim 0"),
                           ((arrays[0].astype(np.float64), arrays[1]), "float64, expected f32"),
                           ((arrays[0].astype(">f4"), arrays[1]), "dtype >f4"), (("text", arrays[1]), "argument 0|arg0")]:
        with pytest.raises(shardir.UsageError, match=message):
            program(*given)
    with pytest.raises(shardir.UsageError, match="did you mean"):
        program.show("arg")


def test_diagnostics_have_places(tmp_path):
    path = tmp_path / "bad.mlir"
    path.write_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %y : tensor<2xf32>\n}\n")
    with pytest.raises(shardir.CompileError) as raised:
        shardir.compile(path)
    first = raised.value.diagnostics[0]
    assert (first.severity, first.file, first.line) == ("error", str(path), 2)


def test_an_interrupt_ends_a_compilation():
    script = """
import shardir, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started this may ignore it
ops = [f"  %y{i + 1} = linalg.exp ins(%y{i} : tensor<64x64xf32>) outs(%y{i} : tensor<64x64xf32>) -> tensor<64x64xf32>"
       for i in range(30000)]
text = "\\n".join(["func.func @main(%y0: tensor<64x64xf32>) -> tensor<64x64xf32> {", *ops,
                  "  return %y30000 : tensor<64x64xf32>", "}"])
print("ready", flush=True)
try:
  shardir.compile(text)
  print("compiled")
except KeyboardInterrupt:
  print("interrupted")
"""
    environment = dict(os.environ, XDG_CACHE_HOME=os.devnull)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment)
    assert child.stdout.readline() == "ready\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    try:
        assert child.communicate(timeout=120)[0] == "interrupted\n"
    finally:
        child.kill()


# -- Placements and plans as plain values ------------------------------------------------------

def test_placements_are_written_as_in_the_ir():
    mesh = Mesh({"dp": 2, "tp": 4})
    assert placement_attribute(mesh, [Shard(0), Shard(-1)], 2, "x") == \
        '#shardir.placement<@mesh, [{"dp"}, {"tp"}]>'
    assert placement_attribute(mesh, [Shard(1), Shard(1)], 2, "x") == \
        '#shardir.placement<@mesh, [{}, {"dp", "tp"}]>'
    assert placement_attribute(mesh, [Replicate(), Partial("max")], 1, "x") == \
        '#shardir.placement<@mesh, [{}], partial = max ["tp"]>'
    for wrong, message in [([Shard(0)], "1 placement for a mesh of 2"), ([Shard(2), Replicate()], "2 dims"),
                           ([Partial("avg"), Replicate()], "avg"), ([Partial(), Partial("max")], "max and sum"),
                           ([3, Replicate()], "no placement")]:
        with pytest.raises(shardir.UsageError, match=message):
            placement_attribute(mesh, wrong, 2, "x")


def test_blocks_cover_every_tensor_once():
    axes = {"a": 2, "b": 3}
    for n in range(8):
        for placement, copies in [('<@m, [{"a"}]>', 3), ('<@m, [{"b"}]>', 2), ('<@m, [{"b", "a"}]>', 1),
                                  ('<@m, [{}]>', 6)]:
            seen = [i for block in blocks(placement, axes, (n,)) for i in range(*block.ranges[0])]
            assert sorted(seen) == sorted(list(range(n)) * copies)


def test_the_first_holder_of_a_part():
    axes = {"a": 2, "b": 12}
    for placement in ('<@m, [{}]>', '<@m, [{"a"}]>', '<@m, [{"b"}]>', '<@m, [{"b", "a"}]>', '<@m, [{"b":(1)2}]>',
                      '<@m, [{"b":(2)3}]>', '<@m, [{"b":(6)2, "a", "b":(1)2}]>'):
        held = [block.ranges for block in blocks(placement, axes, (48,))]
        assert len(set(held)) > 1 or "{}" in placement
        assert [first_holder(placement, axes, i) for i in range(24)] == [held.index(part) for part in held]


@pytest.mark.parametrize("pattern,name,matches", [
    ("layers.*.q_proj", "layers.0.q_proj", True), ("layers.*.q_proj", "layers.0.attn.q_proj", False),
    ("**.q_proj", "layers.0.attn.q_proj", True), ("**.q_proj", "q_proj", True), ("layers.**", "layers.0.w", True),
    ("*", "a.b", False), ("**", "a.b", True), ("a*.w", "ab.w", True), ("layers.**.w", "layers.w", True),
])
def test_patterns(pattern, name, matches):
    assert bool(pattern_to_regex(pattern).fullmatch(name)) == matches
