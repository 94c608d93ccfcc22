"""shard-import: models in files run on a 2x2 mesh as the framework that wrote them does."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

import shardir
from shardir._compiler import tool
from shardir._import import kind_of, main

MESH = "--mesh=dp=2,tp=2"


def read_weights(path):
    """The arrays of a .safetensors file, without the package."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    types = {"F32": "f4", "I64": "i8", "F64": "f8", "BOOL": "?"}
    return {name: np.frombuffer(data[8 + size:][slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(
        entry["shape"]) for name, entry in json.loads(data[8:8 + size]).items()}


def imported(model, *flags):
    """The program and the weights that the command writes, which must end with status 0."""
    output = model.with_name("program.mlir")
    assert main([str(model), "-o", str(output), *flags]) == 0
    beside = output.with_suffix(".safetensors")
    return output, read_weights(beside) if beside.exists() else {}


def fails(capfd, status, *arguments):
    """The one line of error of a command that ends with this status."""
    assert main([str(a) for a in arguments]) == status
    said = capfd.readouterr()
    assert "Traceback" not in said.err and said.out == ""
    assert said.err.count("error: ") == 1
    return said.err


def close(actual, expected, tolerance=1e-5):
    assert np.max(np.abs(np.asarray(actual) - expected)) <= tolerance * np.max(np.abs(expected))


# -- PyTorch -----------------------------------------------------------------------------------


@pytest.fixture
def torch_model(tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_mlir")

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(24, 48), torch.nn.Linear(48, 10)
            self.register_buffer("seen", torch.zeros(10))
            self.register_buffer("scale", torch.arange(10.), persistent=False)

        def forward(self, x, y):
            out = self.second(torch.relu(self.first(x))) * self.scale
            self.seen.add_(out.detach().sum(0))
            return out + y

    torch.manual_seed(0)
    model = Model().eval()
    x, y = torch.randn(6, 24), torch.randn(6, 10)
    path = tmp_path / "model.pt2"
    torch.export.save(torch.export.export(model, (x, y)), path)
    expected = model(x, y).detach().numpy()
    return path, {"x": x.numpy(), "y": y.numpy()}, expected, model.seen.numpy()


def test_torch(torch_model, capfd):
    path, inputs, expected, seen = torch_model
    program, weights = imported(path, MESH)
    assert set(weights) == {"first.weight", "first.bias", "second.weight", "second.bias", "seen", "scale"}
    said = capfd.readouterr().out
    assert "2 inputs, 6 weights" in said and f"--inputs={program.with_suffix('.safetensors')}" in said
    compiled = shardir.compile(program, options="propose")
    assert compiled.num_ranks == 4 and compiled.names[:2] == ("x", "y")
    out, counted = compiled(inputs["x"], inputs["y"], **weights)
    close(out, expected)
    close(counted, seen)
    compiled.verify(**inputs, **weights)
    with pytest.raises(shardir.UsageError, match="argument 1, 'y', is not given"):
        compiled(inputs["x"], **weights)
    with pytest.raises(shardir.UsageError, match="no argument 'second.wight'; did you mean 'second.weight'"):
        compiled(**inputs, **weights, **{"second.wight": expected})


def test_torch_by_shard_run(torch_model, tmp_path):
    path, inputs, expected, seen = torch_model
    program, _ = imported(path, MESH, f"--weights={tmp_path / 'w.safetensors'}")
    np.savez(tmp_path / "in.npz", **inputs)
    subprocess.run([tool("shard-run"), program, f"--inputs={tmp_path / 'w.safetensors'}",
                    f"--inputs={tmp_path / 'in.npz'}", f"--outputs={tmp_path / 'out.npz'}"], check=True)
    with np.load(tmp_path / "out.npz") as out:
        assert list(out) == ["result0", "seen"]
        close(out["result0"], expected)
        close(out["seen"], seen)


def test_torch_dynamic(tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_mlir")
    model, x = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh()).to(torch.float64), torch.randn(5, 16).double()
    path = tmp_path / "model.zip"  # found by its contents
    with open(path, "wb") as file:
        torch.export.save(torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("n")},)), file)
    program, weights = imported(path, MESH)
    assert "tensor<?x16xf64>" in program.read_text()
    close(shardir.compile(program)(x.numpy(), **weights), model(x).detach().numpy())


# -- StableHLO ---------------------------------------------------------------------------------


def jax_function():
    jax = pytest.importorskip("jax")
    pytest.importorskip("jaxlib.mlir.dialects.stablehlo")
    random = np.random.default_rng(0)
    w, v = random.standard_normal((32, 48)).astype("f"), random.standard_normal((48, 48)).astype("f")
    x, b = random.standard_normal((8, 32)).astype("f"), random.standard_normal(48).astype("f")

    def f(x, b):
        h = jax.lax.fori_loop(0, 3, lambda i, h: jax.numpy.tanh(h @ v) + b, jax.numpy.tanh(x @ w))
        return jax.numpy.sort(h, axis=1)

    return jax, f, x, b


def same_as_jax(program, weights, f, *inputs):
    constants = [w for w in weights.values()]
    assert sorted(w.size for w in constants) == [32 * 48, 48 * 48]
    text = program.read_text()
    assert '"0x' not in text and text.count("shardir.name = \"constant_") == 2
    compiled = shardir.compile(program)
    assert compiled.num_ranks == 4
    close(compiled(*inputs, **weights), np.asarray(f(*inputs)))


def test_stablehlo_text(tmp_path):
    jax, f, x, b = jax_function()
    path = tmp_path / "model.mlir"
    path.write_text(jax.jit(f).lower(x, b).as_text())
    program, weights = imported(path, MESH)
    same_as_jax(program, weights, f, x, b)
    assert re.search(r'"[^"]*model\.mlir":\d+:\d+', program.read_text())


@pytest.mark.parametrize("shardy", [True, False])
def test_stablehlo_shardings(tmp_path, capfd, shardy):
    jax, f, x, b = jax_function()
    from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
    mesh = AbstractMesh((2, 2), ("dp", "tp"))
    before = jax.config.jax_use_shardy_partitioner
    try:
        jax.config.update("jax_use_shardy_partitioner", shardy)
        traced = jax.jit(f, in_shardings=(NamedSharding(mesh, P("dp")), NamedSharding(mesh, P("tp")))).trace(x, b)
        path = tmp_path / "model.mlir"
        path.write_text(traced.lower(lowering_platforms=("cpu",)).as_text())
    finally:
        jax.config.update("jax_use_shardy_partitioner", before)
    program, weights = imported(path)
    same_as_jax(program, weights, f, x, b)
    compiled = shardir.compile(program)
    assert [block.shape for block in compiled.blocks("arg0")] == [(4, 32)] * 4
    assert [block.shape for block in compiled.blocks("arg1")] == [(24,)] * 4
    capfd.readouterr()
    if shardy:
        assert "--mesh: the program has a mesh already" in fails(capfd, 2, path, "-o", tmp_path / "p.mlir", MESH)


def test_stablehlo_bytecode(tmp_path):
    jax, f, x, b = jax_function()
    from jax import export
    path = tmp_path / "model.mlirbc"
    path.write_bytes(export.export(jax.jit(f))(x, b).mlir_module_serialized)
    program, weights = imported(path, MESH)
    same_as_jax(program, weights, f, x, b)
    assert shardir.compile(program).names[:2] == ("x", "b")


def test_jax_export(tmp_path, capfd):
    pytest.importorskip("flatbuffers")
    jax, f, x, b = jax_function()
    from jax import export
    path = tmp_path / "model.bin"
    path.write_bytes(export.export(jax.jit(f))(x, b).serialize())
    assert kind_of(path) == "jax"
    program, weights = imported(path, MESH)
    same_as_jax(program, weights, f, x, b)
    path.write_bytes(export.export(jax.jit(f), platforms=("cpu", "cuda"))(x, b).serialize())
    capfd.readouterr()
    assert "several platforms (cpu, cuda)" in fails(capfd, 3, path, "-o", tmp_path / "p.mlir")


# -- ONNX --------------------------------------------------------------------------------------


def onnx_model(path, nodes, inputs, outputs, constants=(), opset=17):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("torch_mlir")
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(op, i.split(), o.split(), name=f"the_{op}", **rest) for op, i, o, rest in nodes],
        "mlp-net", [info(n, onnx.TensorProto.FLOAT, s) for n, s in inputs.items()],
        [info(n, onnx.TensorProto.FLOAT, s) for n, s in outputs.items()],
        [onnx.numpy_helper.from_array(array, name) for name, array in dict(constants).items()])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
    onnx.save(model, path)
    return model


def test_onnx(tmp_path):
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator
    random = np.random.default_rng(0)
    normal = lambda *shape: random.standard_normal(shape).astype("f")
    constants = {"w": normal(24, 48), "b": normal(48), "v": normal(48, 10), "shape": np.array([3, 2, 10]),
                 "s": normal(10)}
    bias = onnx.numpy_helper.from_array(normal(6, 48), "bias")
    path = tmp_path / "model.onnx"
    model = onnx_model(path, [
        ("Constant", "", "rows", {"value": bias}), ("Gemm", "x w b", "h0", {}), ("Add", "h0 rows", "h1", {}),
        ("Relu", "h1", "hidden", {}), ("MatMul", "hidden v", "o", {}), ("LayerNormalization", "o s", "n", {}),
        ("Reshape", "n shape", "q", {}), ("Softmax", "q", "probs", {})],
        {"x": [6, 24]}, {"probs": [3, 2, 10], "hidden": [6, 48]}, constants)
    program, weights = imported(path, MESH)
    assert set(weights) == {"w", "v", "rows"}
    x = normal(6, 24)
    compiled = shardir.compile(program, options="propose")
    assert compiled.num_ranks == 4
    for actual, expected in zip(compiled(x=x, **weights), ReferenceEvaluator(model).run(None, {"x": x})):
        close(actual, expected)


def test_onnx_shapes_of_old_versions(tmp_path):
    """The version 13 of Reshape does not say what shape a computed one is."""
    path, x = tmp_path / "model.onnx", np.random.default_rng(0).standard_normal((4, 6), np.float32)
    onnx_model(path, [("Shape", "x", "shape", {}), ("Relu", "x", "y0", {}), ("Reshape", "y0 shape", "y1", {}),
                      ("Softmax", "y1", "y", {})], {"x": [4, 6]}, {"y": [4, 6]}, opset=13)
    program, weights = imported(path, MESH)
    e = np.exp(np.maximum(x, 0))
    close(shardir.compile(program)(x=x, **weights), e / e.sum(1, keepdims=True))


def test_onnx_errors(tmp_path, capfd):
    path, output = tmp_path / "model.onnx", tmp_path / "p.mlir"
    onnx_model(path, [("DFT", "x", "y", {})], {"x": [1, 4, 1]}, {"y": [1, 4, 2]})
    assert "op DFT is not supported" in fails(capfd, 3, path, "-o", output)
    path.write_text("no model")
    assert "is not read as ONNX" in fails(capfd, 3, path, "-o", output)
    assert not output.exists()


@pytest.mark.parametrize("node, shapes, said", [
    (("GRU", "x w r b n", "y", {"hidden_size": 2}), {"x": [3, 2, 4], "w": [1, 6, 4], "r": [1, 6, 2], "b": [1, 12], "n": [2]},
     "op GRU with sequence lengths"),
    (("RNN", "x w r", "y", {"hidden_size": 2, "activations": ["HardSigmoid"]}), {"x": [3, 2, 4], "w": [1, 2, 4], "r": [1, 2, 2]},
     "op RNN with activation HardSigmoid"),
    (("MaxPool", "x", "y i", {"kernel_shape": [2, 2]}), {"x": [1, 1, 4, 4]}, "op MaxPool with indices as a result"),
    (("AveragePool", "x", "y", {"kernel_shape": [2, 2], "ceil_mode": 1, "count_include_pad": 1, "pads": [1, 1, 1, 1]}),
     {"x": [1, 1, 4, 4]}, "op AveragePool with ceil_mode and padding that counts"),
])
def test_onnx_nodes_that_would_be_misread(tmp_path, capfd, node, shapes, said):
    path = tmp_path / "model.onnx"
    onnx_model(path, [node], shapes, {"y": None})
    assert said in fails(capfd, 3, path, "-o", tmp_path / "p.mlir")


def test_onnx_is_missing(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_text("")
    code = "import sys; sys.modules['onnx'] = None; from shardir._import import work; sys.exit(work(sys.argv[1:]))"
    result = subprocess.run([sys.executable, "-c", code, path, "-o", tmp_path / "p.mlir"], capture_output=True, text=True)
    assert result.returncode == 2 and "needs the packages onnx and torch-mlir" in result.stderr
    assert "pip install 'shardir[onnx]'" in result.stderr and "Traceback" not in result.stderr


# -- TOSA --------------------------------------------------------------------------------------

TOSA = """
func.func @main(%x: tensor<1x6x24xf32>, %y: tensor<6x48xf32>) -> tensor<6x48xf32> {
  %w = "tosa.const"() <{values = dense_resource<weight> : tensor<1x24x48xf32>}> : () -> tensor<1x24x48xf32>
  %v = "tosa.const"() <{values = dense<"0x$V"> : tensor<6x48xf32>}> : () -> tensor<6x48xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %x, %w, %z, %z : (tensor<1x6x24xf32>, tensor<1x24x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x48xf32>
  %s = tosa.const_shape {values = dense<[6, 48]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %1 = tosa.reshape %0, %s : (tensor<1x6x48xf32>, !tosa.shape<2>) -> tensor<6x48xf32>
  %2 = tosa.add %1, %y : (tensor<6x48xf32>, tensor<6x48xf32>) -> tensor<6x48xf32>
  %3 = tosa.tanh %2 : (tensor<6x48xf32>) -> tensor<6x48xf32>
  %4 = tosa.add %3, %v : (tensor<6x48xf32>, tensor<6x48xf32>) -> tensor<6x48xf32>
  return %4 : tensor<6x48xf32>
}
{-#
  dialect_resources: {
    builtin: {
      weight: "0x04000000$W"
    }
  }
#-}
"""


def test_tosa(tmp_path, capfd):
    random = np.random.default_rng(0)
    x, w, y, v = (random.standard_normal(s).astype("f") for s in ((1, 6, 24), (1, 24, 48), (6, 48), (6, 48)))
    text = TOSA.replace("$W", w.tobytes().hex()).replace("$V", v.tobytes().hex())
    path = tmp_path / "model.mlir"
    path.write_text(text)
    program, weights = imported(path, MESH)
    assert {name: array.shape for name, array in weights.items()} == {"weight": w.shape, "constant_0": v.shape}
    assert '"0x' not in program.read_text()
    compiled = shardir.compile(program, options="propose")
    assert compiled.num_ranks == 4
    close(compiled(x, y, **weights), np.tanh(x[0] @ w[0] + y) + v)
    path.write_text(text.replace("tosa.tanh", "tosa.tanx"))
    capfd.readouterr()
    assert re.search(r"model\.mlir:\d+: error: .*tosa\.tanx", fails(capfd, 3, path, "-o", program))


def test_tosa_of_8_bits(tmp_path):
    path, x = tmp_path / "model.mlir", np.arange(-60, 60, dtype=np.int8).reshape(8, 15)
    path.write_text("""
func.func @main(%x: tensor<8x15xi8>) -> tensor<8x15xi8> {
  %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<31> : tensor<1xi8>} : () -> tensor<1xi8>
  %i = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %o = "tosa.const"() {values = dense<-5> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.rescale %x, %m, %s, %i, %o {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false,
    input_unsigned = false, output_unsigned = false}
    : (tensor<8x15xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<8x15xi8>
  return %0 : tensor<8x15xi8>
}
""")
    program, _ = imported(path, MESH)
    expected = np.floor((x.astype(int) - 3) / 2 + 0.5) - 5  # 2**30 / 2**31, rounded up from the middle
    np.testing.assert_array_equal(shardir.compile(program)(x), expected.astype(np.int8))


# -- The command -------------------------------------------------------------------------------


def test_usage(tmp_path, capfd):
    model, output = tmp_path / "model.mlir", tmp_path / "p.mlir"
    model.write_text("func.func @main() { return }")
    assert "arguments are required: MODEL, -o" in fails(capfd, 2)
    assert "unrecognized arguments: --wat" in fails(capfd, 2, model, "-o", output, "--wat")
    assert "no file" in fails(capfd, 2, tmp_path / "none.pt2", "-o", output)
    assert "there is no folder" in fails(capfd, 2, model, "-o", tmp_path / "none" / "p.mlir")
    assert "no such kind; known: torch, stablehlo, jax, onnx, tosa; did you mean 'torch'?" in fails(
        capfd, 2, model, "-o", output, "--from=troch")
    assert "'dp' in mesh 'dp'" in fails(capfd, 2, model, "-o", output, "--mesh=dp")
    assert "is the model itself" in fails(capfd, 2, model, "-o", model)
    assert "ends in .safetensors" in fails(capfd, 2, model, "-o", output, "--weights=w.npz")
    assert "has no ops of StableHLO or TOSA" in fails(capfd, 2, model, "-o", output)
    assert "is a folder" in fails(capfd, 2, model, "-o", tmp_path)
    other = tmp_path / "model.txt"
    other.write_text("something else")
    assert "is of no known kind" in fails(capfd, 2, other, "-o", output)
    assert "custom op 'something' is unknown" in fails(capfd, 3, other, "-o", output, "--from=tosa")
    assert main(["--help"]) == 0
    help_text = capfd.readouterr().out
    assert all(word in help_text for word in ("--weights", "--from", "--mesh", "Exit status", "onnx"))


def test_a_crash_is_a_message(tmp_path, capfd, monkeypatch):
    (tmp_path / "onnx.py").write_text("import os; os.kill(os.getpid(), 11)")
    (tmp_path / "m.onnx").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert "the importer crashed (Segmentation fault)" in fails(capfd, 3, tmp_path / "m.onnx", "-o", tmp_path / "p.mlir")
