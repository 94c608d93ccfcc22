#!/usr/bin/env python3
# Programs of nvFuser's tests, of the GSPMD and GShard papers and of XLA's tests of
# its sharding propagation, re-expressed.
#
# Requires: nothing but Python; those systems are not run, what they do is written down
# here from their tests' expectations and the papers' text.
# Guarantees: test/Run/Comparisons/nvfuser-*.mlir and gspmd-*.mlir, each case as @name and, with
# the other system's placements on every value, as @name_theirs.
"""Write test/Run/Comparisons/nvfuser-*.mlir and gspmd-*.mlir."""

import argparse
import os
import re

from compare_shardy import with_placements
from scaling_programs import gelu, layer_norm
from twin_programs import Program

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = {}
X, Y, N = ["x"], ["y"], []
LINEAR = ((1,), (1,))  # x[M, K] by w[N, K]


def case(system, source, ties=False, **mesh):
    """The function returns {value: dims} for theirs; arguments are where they are annotated if not in it."""
    def add(build):
        CASES[build.__name__] = (system, source, ties, mesh, build)
        return build
    return add


SHARDING, MULTI = "tests/cpp/test_sharding.cpp", "tests/cpp/test_multidevice_sharding.cpp"
PYTHON = "tests/python/multidevice/test_matmul.py"


@case("nvfuser", SHARDING + ", PropagateSharding", ties=True, x=3)
def propagate_sharding(p):
    a, b = p.argument((6, 4, 6), [X, N, N]), p.argument((6, 4, 6), [N, N, X])
    c = p.binary("add", a, b)
    p.returns(c)
    return {c: [X, N, N]}


@case("nvfuser", SHARDING + ", PropagateParallelTypeOnce", ties=True, x=2)
def parallel_type_once(p):
    c = p.binary("add", p.argument((4, 6), [X, N]), p.argument((4, 6), [N, X]))
    p.returns(c)
    return {c: [X, N]}


@case("nvfuser", SHARDING + ", ReductionDIDxIsIgnored", x=2)
def reduction_is_ignored(p):
    x, w, z = p.argument((4, 8), [N, X]), p.argument((6, 8), [N, X]), p.argument((4, 6), [N, X])
    y = p.dot(x, w, LINEAR)
    t = p.binary("add", z, y)
    p.returns(t)
    return {y: [N, X], t: [N, X]}


@case("nvfuser", SHARDING + ", ShardedNonDivisibleReshape: an error there", ties=True, x=2)
def non_divisible_reshape(p):
    y = p.reshape(p.argument((6,), [X]), (3, 2))
    p.returns(y)
    return {y: [N, N]}


@case("nvfuser", SHARDING + ", ShardedInnerReshape: an error there", x=2)
def inner_reshape(p):
    y = p.reshape(p.argument((3, 10), [N, X]), (30,))
    p.returns(y)
    return {y: [N]}


@case("nvfuser", SHARDING + ", ShardedReshapeWithIndependentSplit", x=2, y=3)
def reshape_with_independent_split(p):
    y = p.reshape(p.argument((6, 5, 21, 9), [X, N, N, Y]), (30, 189))
    p.returns(y)
    return {y: [X, [21, "y"]]}


@case("nvfuser", SHARDING + ", PropagationDoesNotOverwrite", ties=True, x=2, y=3)
def propagation_does_not_overwrite(p):
    a, b = p.argument((6, 4), [X, N]), p.argument((6, 4), [Y, N])
    c = p.unary("neg", b)
    d = p.binary("add", a, c)
    p.returns(d)
    return {c: [Y, N], d: [X, N]}


@case("nvfuser", SHARDING + ", BackpropagateToShardedTvs", x=2, y=3)
def backpropagate_to_sharded(p):
    a, b = p.argument((6, 6), [X, N]), p.argument((6, 6), [N, Y])
    c = p.unary("neg", b)
    d = p.binary("add", a, c)
    p.returns(d)
    return {c: [X, Y], d: [X, Y]}


@case("nvfuser", MULTI + ", DivideBySum", x=2)
def divide_by_sum(p):
    x = p.argument((2, 6, 5, 5), [N, X, N, N])
    s = p.reduce("add", x, (3,))
    b = p.broadcast(s, x.shape, (0, 1, 2))
    y = p.binary("div", x, b)
    p.returns(y)
    return {s: [N, X, N], b: [N, X, N, N], y: [N, X, N, N]}


@case("nvfuser", MULTI + ", LayerNorm", x=2)
def layer_norm_rows(p):
    x, gain, bias = p.argument((4, 8), [X, N]), p.argument((8,)), p.argument((8,))
    first = len(p.values)
    y = layer_norm(p, x, gain, bias)
    p.returns(y)
    rows = {v: [X, N] if len(v.shape) == 2 else [X] for v in p.values[first:] if v.op != "constant"}
    rows.update({v: [X, N] for v in p.values[first:] if v.shape == (4, 8)})
    return rows


@case("nvfuser", MULTI + ", Issue2758", x=2)
def reduce_scatter_then_add(p):
    s = p.annotate(p.reduce("add", p.argument((2, 2, 4), [X, N, N]), (0,)), [X, N])
    y = p.binary("add", s, p.constant((2, 4), 2.0))
    p.returns(y)
    return {s: [X, N], y: [X, N]}


@case("nvfuser", MULTI + ", Transpose", x=2)
def transpose_rows(p):
    y = p.transpose(p.argument((2, 6, 8), [X, N, N]), (0, 2, 1))
    p.returns(y)
    return {y: [X, N, N]}


@case("nvfuser", MULTI + ", BiasAddRelu", x=2)
def bias_add_relu(p):
    x, bias = p.argument((2, 16, 8), [N, N, X]), p.argument((8,), [X])
    b = p.broadcast(bias, x.shape, (2,))
    t = p.binary("add", x, b)
    y = p.binary("max", t, p.constant(x.shape, 0.0))
    p.returns(y)
    return {v: [N, N, X] for v in (b, t, y)}


@case("nvfuser", MULTI + ", ViewWithSplit", x=2)
def view_with_split(p):
    y = p.reshape(p.argument((4, 15), [X, N]), (4, 3, 5))
    p.returns(y)
    return {y: [X, N, N]}


@case("nvfuser", MULTI + ", ViewWithMerge", x=2)
def view_with_merge(p):
    y = p.reshape(p.argument((4, 3, 5), [X, N, N]), (4, 15))
    p.returns(y)
    return {y: [X, N]}


@case("nvfuser", MULTI + ", LoopShardedSplitReshapeIds", x=2)
def split_heads(p):
    y = p.reshape(p.argument((2, 3, 64), [N, N, X]), (2, 3, 16, 4))
    p.returns(y)
    return {y: [N, N, X, N]}


@case("nvfuser", MULTI + ", LoopShardedMergeReshapeIds", x=2)
def merge_heads(p):
    y = p.reshape(p.argument((2, 3, 16, 4), [N, N, X, N]), (2, 3, 64))
    p.returns(y)
    return {y: [N, N, X]}


@case("nvfuser", MULTI + ", MultipleTransformReshape", x=2)
def multiple_transform_reshape(p):
    y = p.reshape(p.argument((4, 3, 32), [X, N, N]), (96, 4))
    p.returns(y)
    return {y: [X, N]}


@case("nvfuser", MULTI + ", MultipleIncompatibleReshapes", x=2)
def incompatible_reshapes(p):
    x = p.argument((1, 8, 24), [N, N, X])
    a, b = p.reshape(x, (1, 8, 2, 12)), p.reshape(x, (1, 8, 4, 6))
    c, d = p.binary("add", a, a), p.binary("add", b, b)
    p.returns(c)
    p.returns(d)
    return {v: [N, N, X, N] for v in (a, b, c, d)}


@case("nvfuser", MULTI + ", OuterReductionShardedInnerDimension", x=2)
def outer_reduction(p):
    parts = [p.argument((1, 16, 6, 8), [N, N, X, N]) for _ in range(3)]
    c = p.concat(parts, 3)
    r = p.reshape(c, (1, 16, 144))
    s = p.reduce("add", r, (0, 1))
    p.returns(s)
    return {c: [N, N, X, N], r: [N, N, X], s: [X]}


@case("nvfuser", "tests/cpp/test_multidevice_matmul.cpp, AnnotateWeightOnly", x=2)
def annotate_weight_only(p):
    y = p.dot(p.argument((2, 3)), p.argument((2, 3, 5), [X, N, N]), ((1,), (1,)))
    t = p.transpose(y, (1, 0, 2))
    p.returns(t)
    return {y: [N, X, N], t: [X, N, N]}


@case("nvfuser", PYTHON + ", test_row_parallel_linear_with_bias", x=2)
def row_parallel_linear_with_bias(p):
    x, w, bias = p.argument((2, 3, 10), [N, N, X]), p.argument((5, 10), [N, X]), p.argument((5,), [N])
    y = p.dot(x, w, ((2,), (1,)))
    b = p.broadcast(bias, y.shape, (2,))
    t = p.binary("add", y, b)
    p.returns(t)
    return {v: [N, N, N] for v in (y, b, t)}


@case("nvfuser", PYTHON + ", test_linear_reduce_scatter", x=2)
def linear_reduce_scatter(p):
    x, w, bias = p.argument((3, 10, 14), [N, N, X]), p.argument((7, 14), [N, X]), p.argument((7,), [N])
    y = p.dot(x, w, ((2,), (1,)))
    b = p.broadcast(bias, y.shape, (2,))
    t = p.binary("add", y, b)
    p.returns(t, [N, X, N])
    return {v: [N, X, N] for v in (y, b, t)}


@case("nvfuser", PYTHON + ", test_sequence_parallel_linear", ties=True, x=2)
def sequence_parallel_linear(p):
    x, w, bias = p.argument((2, 32, 12), [N, X, N]), p.argument((12, 12), [X, N]), p.argument((12,), [X])
    y = p.dot(x, w, ((2,), (1,)))
    b = p.broadcast(bias, y.shape, (2,))
    t = p.binary("add", y, b)
    p.returns(t, [N, X, N])
    return {v: [N, X, N] for v in (y, b, t)}


@case("nvfuser", PYTHON + ", test_data_and_tensor_parallel_mlp", y=2, x=2)
def data_and_tensor_parallel_mlp(p):
    x, up, down = p.argument((14, 5, 3), [Y, N, N]), p.argument((12, 3), [X, N]), p.argument((3, 12), [N, X])
    h = p.dot(x, up, ((2,), (1,)))
    y = p.dot(h, down, ((2,), (1,)))
    p.returns(y)
    return {h: [Y, N, X], y: [Y, N, N]}


@case("nvfuser", "tests/cpp/multidevice_transformer.cpp, MLP with sequence parallelism", ties=True, x=2)
def sequence_parallel_mlp(p):
    x, up, down = p.argument((8, 6), [X, N]), p.argument((6, 16), [N, X]), p.argument((16, 6), [X, N])
    first = len(p.values)
    h = gelu(p, p.dot(x, up, ((1,), (0,))))
    y = p.dot(h, down, ((1,), (0,)))
    p.returns(y, [X, N])
    theirs = {v: [N, X] for v in p.values[first:] if v.op != "constant"}
    theirs[y] = [X, N]
    return theirs


@case("nvfuser", "tests/python/multidevice/test_alphafold3.py, test_triangle_updates (outgoing), its product", ties=True, z=2, y=2, x=2)
def triangle_update_outgoing(p):
    a, b = (p.argument((2, 4, 4, 6), [["z"], Y, X, N]) for _ in range(2))
    ta, tb = p.transpose(a, (0, 3, 1, 2)), p.transpose(b, (0, 3, 2, 1))
    y = p.annotate(p.dot(ta, tb, ((3,), (2,)), ((0, 1), (0, 1))), [["z"], N, Y, X])
    t = p.transpose(y, (0, 2, 3, 1))
    p.returns(t)
    return {ta: [["z"], N, Y, X], tb: [["z"], N, X, Y], y: [["z"], N, Y, X], t: [["z"], Y, X, N]}


@case("gspmd", "GSPMD, section 5.1: the feed-forward layer with weights and activations in 2D, finalized", ties=True, x=2, y=2)
def feed_forward_2d_finalized(p):
    x, w1, w2 = p.argument((4, 8, 8), [X, N, Y]), p.argument((8, 16), [X, Y]), p.argument((16, 8), [Y, X])
    h = p.dot(x, w1, ((2,), (0,)))
    r = p.binary("max", h, p.constant(h.shape, 0.0))
    y = p.dot(r, w2, ((2,), (0,)))
    p.returns(y, [X, N, Y])
    return {h: [X, N, Y], r: [X, N, Y], y: [X, N, Y]}


@case("gspmd", "GSPMD, section 5.1: a transformer layer, finalized, where sizes do not divide", ties=True, x=2, y=3)
def transformer_layer_2d_uneven(p):
    batch, length, model, heads, size, hidden = 4, 8, 16, 4, 4, 32
    x = p.argument((batch, length, model), [X, N, Y])
    wq, wk, wv = (p.argument((model, heads, size), [X, Y, N]) for _ in range(3))
    wo = p.argument((heads, size, model), [Y, N, X])
    w1, w2 = p.argument((model, hidden), [X, Y]), p.argument((hidden, model), [Y, X])
    q, k, v = (p.dot(x, w, ((2,), (0,))) for w in (wq, wk, wv))
    scores = p.dot(q, k, ((3,), (3,)), ((0, 2), (0, 2)))
    terms = p.unary("exp", scores)
    sums = p.reduce("add", terms, (3,))
    spread = p.broadcast(sums, terms.shape, (0, 1, 2))
    weights = p.binary("div", terms, spread)
    mixed = p.dot(weights, v, ((3,), (1,)), ((0, 1), (0, 2)))
    y = p.dot(mixed, wo, ((1, 3), (0, 1)))
    h = p.binary("add", x, y)
    wide = p.dot(h, w1, ((2,), (0,)))
    r = p.binary("max", wide, p.constant(wide.shape, 0.0))
    back = p.dot(r, w2, ((2,), (0,)))
    z = p.binary("add", h, back)
    p.returns(z, [X, N, Y])
    return {q: [X, N, Y, N], k: [X, N, Y, N], v: [X, N, Y, N], scores: [X, Y, N, N], terms: [X, Y, N, N], sums: [X, Y, N],
            spread: [X, Y, N, N], weights: [X, Y, N, N], mixed: [X, Y, N, N], y: [X, N, Y], h: [X, N, Y], wide: [X, N, Y],
            r: [X, N, Y], back: [X, N, Y], z: [X, N, Y]}


@case("gspmd", "GSPMD, section 5.1: the same, first attempt: weights in 2D, activations by batch alone", ties=True, x=2, y=2)
def feed_forward_2d_first_attempt(p):
    x, w1, w2 = p.argument((4, 8, 8), [X, N, N]), p.argument((8, 16), [X, Y]), p.argument((16, 8), [Y, X])
    h = p.dot(x, w1, ((2,), (0,)))
    y = p.dot(h, w2, ((2,), (0,)))
    p.returns(y, [X, N, N])
    return {h: [X, N, Y], y: [X, N, N]}


@case("gspmd", "GShard, algorithm 2: dispatch, experts, combine, with all-to-alls between groups and experts", ties=True, x=2)
def mixture_of_experts(p):
    mask, x = p.argument((2, 8, 4, 2), [X, N, N, N]), p.argument((2, 8, 6), [X, N, N])  # GSEC, GSM
    w1, w2 = p.argument((4, 6, 8), [X, N, N]), p.argument((4, 8, 6), [X, N, N])  # EMH, EHM
    d = p.dot(mask, x, ((1,), (1,)), ((0,), (0,)))  # GECM
    e = p.transpose(d, (1, 0, 2, 3))  # EGCM
    h = p.dot(e, w1, ((3,), (1,)), ((0,), (0,)))
    r = p.binary("max", h, p.constant(h.shape, 0.0))
    o = p.dot(r, w2, ((3,), (1,)), ((0,), (0,)))  # EGCM
    t = p.transpose(o, (1, 0, 2, 3))  # GECM
    y = p.dot(mask, t, ((2, 3), (1, 2)), ((0,), (0,)))  # GSM
    p.returns(y, [X, N, N])
    return {d: [X, N, N, N], e: [X, N, N, N], h: [X, N, N, N], r: [X, N, N, N], o: [X, N, N, N], t: [X, N, N, N], y: [X, N, N]}


@case("gspmd", "GSPMD, section 3.5: an annotation on one operand of an elementwise op reaches the others and a broadcast", x=2, y=2)
def one_annotation_of_many(p):
    x, bias, z = p.argument((8, 6)), p.argument((6,)), p.argument((8, 6), [X, Y])
    b = p.broadcast(bias, (8, 6), (1,))
    s = p.binary("add", x, b)
    y = p.binary("mul", s, z)
    p.returns(y)
    return {x: [X, Y], bias: [Y], b: [X, Y], s: [X, Y], y: [X, Y]}


@case("gspmd", "GSPMD, section 3.5: a dot merges the batch sharding of one operand and the feature sharding of the other", x=2, y=2)
def dot_merges_both(p):
    y = p.dot(p.argument((8, 6), [X, N]), p.argument((6, 4), [N, Y]), ((1,), (0,)))
    p.returns(y)
    return {y: [X, Y]}


XLA = "xla/service/sharding_propagation_test.cc"
Z = ["z"]
BATCHED = ((2,), (2,)), ((0,), (0,))


@case("gspmd", XLA + ", ElementwiseOperationForwardPass", x=2, y=2)
def elementwise_forward(p):
    x, y = p.argument((5, 7, 6, 3), [N, X, Y, N]), p.argument((5, 7, 6, 3))
    t = p.binary("add", x, y)
    p.returns(t)
    return {y: [N, X, Y, N], t: [N, X, Y, N]}


@case("gspmd", XLA + ", ElementwiseOperationBackwardPass", x=2, y=2)
def elementwise_backward(p):
    x, y = p.argument((5, 7, 6, 3)), p.argument((5, 7, 6, 3))
    t = p.binary("add", x, y)
    p.returns(t, [N, X, Y, N])
    return {x: [N, X, Y, N], y: [N, X, Y, N], t: [N, X, Y, N]}


@case("gspmd", XLA + ", BroadcastForwardPass", x=2, y=2)
def broadcast_forward(p):
    b = p.broadcast(p.argument((3, 8, 6), [N, X, Y]), (3, 8, 6, 3), (0, 1, 2))
    p.returns(b)
    return {b: [N, X, Y, N]}


@case("gspmd", XLA + ", BroadcastBackwardPass", x=2, y=2)
def broadcast_backward(p):
    x = p.argument((3,))
    b = p.broadcast(x, (5, 7, 6, 3), (3,))
    t = p.unary("tanh", b)
    p.returns(t, [N, X, Y, N])
    return {x: [N], b: [N, X, Y, N], t: [N, X, Y, N]}


@case("gspmd", XLA + ", BroadcastMerge", x=2, y=2)
def broadcast_merge(p):
    b = p.broadcast(p.argument((3, 8), [N, X]), (3, 8, 4), (0, 1))
    p.returns(b, [N, X, Y])
    return {b: [N, X, Y]}


@case("gspmd", XLA + ", BroadcastUser", x=2, y=4)
def broadcast_user(p):
    x = p.argument((12, 8))
    c = p.unary("tanh", x)
    b = p.broadcast(c, (4, 12, 6, 8), (1, 3))
    p.returns(b, [N, X, N, Y])
    return {x: [X, Y], c: [X, Y], b: [N, X, N, Y]}


@case("gspmd", XLA + ", BroadcastUserPartial", x=2, y=4)
def broadcast_user_partial(p):
    x = p.argument((12, 8))
    c = p.unary("tanh", x)
    b = p.broadcast(c, (4, 12, 6, 8), (1, 3))
    p.returns(b, [Y, X, N, N])
    return {x: [X, N], c: [X, N], b: [Y, X, N, N]}


@case("gspmd", XLA + ", ShardedReduceForwardPass", x=2, y=2)
def reduce_other_dims(p):
    r = p.reduce("add", p.argument((5, 7, 6, 3), [N, X, Y, N]), (0, 3))
    p.returns(r)
    return {r: [X, Y]}


@case("gspmd", XLA + ", ReducePartiallyOnTiledDims", x=2, y=2)
def reduce_tiled_dim(p):
    r = p.reduce("add", p.argument((8, 8), [X, Y]), (0,))
    p.returns(r)
    return {r: [Y]}


@case("gspmd", XLA + ", ReducePartiallyBackward", x=2, y=2)
def reduce_backward(p):
    x = p.argument((8, 8))
    c = p.unary("tanh", x)
    r = p.reduce("add", c, (0,))
    p.returns(r, [X])
    return {x: [N, X], c: [N, X], r: [X]}


@case("gspmd", XLA + ", TransposeForwardPass", x=2, y=2)
def transpose_forward(p):
    t = p.transpose(p.argument((7, 5, 3), [X, N, Y]), (1, 2, 0))
    p.returns(t)
    return {t: [N, Y, X]}


@case("gspmd", XLA + ", TransposeBackwardPass", x=2, y=2)
def transpose_backward(p):
    x = p.argument((7, 5, 3))
    c = p.unary("tanh", x)
    t = p.transpose(c, (1, 2, 0))
    p.returns(t, [N, X, Y])
    return {x: [Y, N, X], c: [Y, N, X], t: [N, X, Y]}


@case("gspmd", XLA + ", ReshapeForwardPass", x=2)
def reshape_forward(p):
    r = p.reshape(p.argument((60, 1), [X, N]), (4, 5, 3))
    p.returns(r)
    return {r: [X, N, N]}


@case("gspmd", XLA + ", ReshapeBackwardPass", x=2)
def reshape_backward(p):
    x = p.argument((60, 1))
    c = p.unary("tanh", x)
    r = p.reshape(c, (4, 5, 3))
    p.returns(r, [X, N, N])
    return {x: [X, N], c: [X, N], r: [X, N, N]}


@case("gspmd", XLA + ", DotMergeOperands", z=2, y=2, x=2)
def dot_merge_batch_and_free(p):
    d = p.dot(p.argument((4, 6, 8), [Z, Y, N]), p.argument((4, 10, 8), [Z, X, N]), *BATCHED)
    p.returns(d)
    return {d: [Z, Y, X]}


@case("gspmd", XLA + ", DotMergeOperands2", ties=True, z=2, y=2, x=2)
def dot_merge_contracted(p):
    d = p.dot(p.argument((4, 6, 8), [Z, Y, X]), p.argument((4, 10, 8), [Z, Y, X]), *BATCHED)
    p.returns(d)
    return {d: [Z, Y, N]}


@case("gspmd", XLA + ", BackwardDotFromContracting", ties=True, z=2, y=2, x=2)
def dot_backward_from_contracted(p):
    x, w = p.argument((4, 6, 8), [Z, Y, X]), p.argument((4, 10, 8))
    c = p.unary("tanh", w)
    d = p.dot(x, c, *BATCHED)
    p.returns(d, [Z, N, Y])
    return {w: [Z, Y, X], c: [Z, Y, X], d: [Z, N, Y]}


@case("gspmd", XLA + ", ConcatFromUserUnshardedDim", x=2)
def concat_backward(p):
    x, y = p.argument((8, 6)), p.argument((8, 6))
    a, b = p.unary("tanh", x), p.unary("tanh", y)
    c = p.concat([a, b], 0)
    p.returns(c, [N, X])
    return {x: [N, X], y: [N, X], a: [N, X], b: [N, X], c: [N, X]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=os.path.join(HERE, os.pardir, "test", "Run", "Comparisons"))
    parser.add_argument("--skip", default="^$")
    args = parser.parse_args()
    files = {}
    for name, (system, source, ties, mesh, build) in CASES.items():
        if re.search(args.skip, name):
            continue
        program = Program(mesh)
        theirs = {value.name: dims for value, dims in build(program).items()}
        reply = {"placements": theirs, "arguments": [theirs.get(v.name) or v.parameters["placement"] for v in program.arguments],
                 "results": [placement or theirs.get(v.name) for v, placement in program.results]}
        verdict = "{{placements equal|fewer bytes|as many bytes}}" if ties else "{{placements equal|fewer bytes}}"
        key = system + "-" + "-".join(f"{axis}{size}" for axis, size in mesh.items())
        files.setdefault((key, system), (mesh, []))[1].append(
            f"// {source}\n// CHECK: {name}: {verdict}\n" + program.linalg(locations=True, function=name, mesh=False) +
            with_placements(program, reply).linalg(locations=True, function=name + "_theirs", mesh=False))
    for (key, system), (mesh, texts) in files.items():
        what = {"nvfuser": "Programs of nvFuser's tests (NVIDIA/Fuser)", "gspmd": "Programs of the GSPMD and GShard papers and of XLA's tests of its propagation (openxla/xla)"}[system]
        axes = ", ".join(f'"{axis}"={size}' for axis, size in mesh.items())
        with open(os.path.join(args.out, key + ".mlir"), "w") as file:
            file.write(f"// {what}, written by benchmarks/paper_cases.py. Each @name is beside\n// @name_theirs, which puts every "
                       "value where that system puts it.\n//\n"
                       "// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s\n\n"
                       f"shardir.mesh @m <[{axes}]>\n\n" + "\n".join(texts))


if __name__ == "__main__":
    main()
