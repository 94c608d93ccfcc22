#!/usr/bin/env python3
# Programs of Shardy's documentation and tests, re-expressed.
#
# Requires: a Python with jaxlib (--python), as Shardy itself says where it puts values.
# Guarantees: one .mlir file a mesh, each case as @name and, with Shardy's placements
# on every value, as @name_theirs. Names are those of Shardy's tests.
"""Write test/Run/Comparisons/shardy-*.mlir."""

import argparse
import os
import re
import sys

from compare_shardy import Shardy, with_placements
from twin_programs import Placement, Program

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = {}
# Where ours moves as many bytes and is better otherwise: here Shardy leaves arguments whole that are read in part, which takes more
# memory, and in the first case time. All others must agree, or move less.
TIES = {"arg_higher_priority_than_return_value", "sideways_propagation_if_result_is_closed_empty"}


def case(source, **mesh):
    def add(build):
        CASES[build.__name__] = (source, mesh, build)
        return build
    return add


BASIC, AGGRESSIVE = "basic_propagation.mlir", "aggressive_propagation.mlir"
OPS, USER, DOCS = "op_priority_propagation.mlir", "user_priority_propagation.mlir", "docs"
AB = {"a": 2, "b": 2}
ABC = {"a": 2, "b": 2, "c": 2}
A, B, C = ["a"], ["b"], ["c"]
O = ["?"]
MATMUL = ((1,), (0,))


@case(BASIC, **AB)
def simple(p):
    x, y, w = p.argument((8, 8), [A, B]), p.argument((8, 8)), p.argument((8, 16))
    p.returns(p.dot(p.binary("add", x, y), w, MATMUL))


@case(BASIC, **AB)
def pointwise_size_zero_dim(p):
    x = p.argument((8, 0), [A, []])
    p.returns(p.binary("add", x, x))


@case(BASIC, **AB)
def closed_dim(p):
    x, w = p.argument((8, 8), [A, []]), p.argument((8, 16), [[], B])
    p.returns(p.annotate(p.dot(x, w, MATMUL), [[], O]))


@case(BASIC, **AB)
def propagate_from_sharding_constraint(p):
    x = p.constrain(p.argument((8, 8)), [A, O])
    p.returns(p.binary("add", x, x))


@case(BASIC, **AB)
def propagate_to_sharding_constraint(p):
    p.returns(p.constrain(p.argument((8, 8), [A, []]), [O, O]))


@case(BASIC, **AB)
def multi_axes(p):
    x, y, w = p.argument((8, 8), [["b", "a"], []]), p.argument((8, 8), [["b", "?"], []]), p.argument((8, 16))
    p.returns(p.dot(p.binary("add", x, y), w, MATMUL))


@case(BASIC, **ABC)
def multi_axes_conflict(p):
    x, y, z = (p.argument((8, 8), [axes, []]) for axes in (["b", "a"], ["b", "c"], ["a", "b"]))
    p.returns(p.binary("add", x, y))
    p.returns(p.binary("add", x, z))


@case(BASIC, **AB)
def multi_axes_some_axes_incompatible(p):
    x, y = p.argument((8, 8), [["a", "b"], []]), p.argument((8, 8))
    p.returns(p.annotate(p.binary("add", x, y), [O, ["b", "?"]]))


@case(BASIC, **AB)
def multi_axes_all_axes_incompatible(p):
    x, y = p.argument((8, 8), [["a", "b"], []]), p.argument((8, 8), Placement([O, O], ["a"]))
    p.returns(p.annotate(p.binary("add", x, y), [O, ["b", "?"]]))


@case(BASIC, a=4, b=2)
def propagate_full_to_sub_axis(p):
    x = p.argument((32, 8), [["a", "?"], []])
    p.returns(p.annotate(p.binary("add", x, x), [['"a":(1)2', "?"], []]))


@case(BASIC, **AB)
def reshape_merge_dim_only_major_most_factor_sharded(p):
    p.returns(p.reshape(p.argument((2, 4), [A, []]), (8,)))


@case(BASIC, **AB)
def reshape_merge_dim_major_factor_fully_sharded(p):
    p.returns(p.reshape(p.argument((2, 4), [A, B]), (8,)))


@case(BASIC, **AB)
def reshape_merge_dim_major_factor_partially_sharded(p):
    p.returns(p.reshape(p.argument((4, 4), [A, B]), (16,)))


@case(BASIC, **AB)
def reshape_split_dim_single_axis_fully_shards_major_factor(p):
    p.returns(p.reshape(p.argument((8,), [["b", "a"]]), (2, 4)))


@case(BASIC, **AB)
def reshape_split_dim_only_major_most_factor_sharded(p):
    p.returns(p.reshape(p.argument((16,), [["b", "a"]]), (4, 4)))


@case(BASIC, a=4, b=2)
def reshape_split_dim_single_axis_shards_both_factors(p):
    p.returns(p.reshape(p.argument((8,), [A]), (2, 4)))


@case(BASIC, a=4, b=2, c=2)
def reshape_split_and_merge_dims(p):
    p.returns(p.reshape(p.argument((8, 4), [["c", "a"], B]), (2, 16)))


@case(BASIC, a=4, b=2, c=2)
def merge_dim_non_minor_most_factor_propagate_sub_axis(p):
    p.returns(p.reshape(p.argument((4, 4), [["b", "a"], []]), (16,)))


@case(BASIC, a=4, b=2, c=2)
def merge_dim_non_minor_most_factor_propagate_sub_axis_and_concat(p):
    p.returns(p.reshape(p.argument((4, 4), [["b", "a"], C]), (16,)))


@case(BASIC, a=3)
def single_factor_non_divisible(p):
    x = p.argument((2, 4), [[], A])
    p.returns(p.binary("add", x, x))


@case(BASIC, a=4, b=2)
def single_factor_overflows(p):
    x = p.argument((2, 4), [A, []])
    p.returns(p.binary("add", x, x))


@case(BASIC, a=6)
def sub_axes_cannot_coexist(p):
    p.returns(p.unary("tanh", p.argument((2, 2), [['"a":(1)2'], []])), [[], ['"a":(3)2']])


@case(BASIC, a=6)
def minor_most_factor_non_divisible(p):
    p.returns(p.reshape(p.argument((8,), [A]), (2, 4)))


@case(BASIC, a=3)
def non_minor_most_factor_non_divisible(p):
    p.returns(p.reshape(p.argument((8,), [A]), (2, 4)))


@case(BASIC, a=3)
def merge_dim_non_minor_most_factor_non_divisible(p):
    p.returns(p.reshape(p.argument((2, 4), [A, []]), (8,)))


@case(BASIC, a=3, b=3)
def merge_dim_non_minor_most_factor_non_divisible_multiple_axes(p):
    p.returns(p.reshape(p.argument((6, 4), [["a", "b"], []]), (24,)))


@case(BASIC, **AB)
def slice_then_concat(p):
    x = p.argument((8, 8), [["a", "b"], []])
    p.returns(p.concat([p.slice(x, (1, 0), (8, 8)), p.slice(x, (0, 0), (1, 8))], 0))


@case(BASIC, **AB)
def direct_arg_return_both_updated(p):
    p.returns(p.argument((8, 8), [["a", "?"], O]), [O, ["b", "?"]])


@case(BASIC, **AB)
def func_out_sharding(p):
    p.returns(p.dot(p.argument((8, 8)), p.argument((8, 16)), MATMUL), [A, B])


@case(BASIC, **AB)
def func_result_intermediate_op_both_updated(p):
    x = p.argument((8, 8), [["a", "?"], O])
    p.returns(p.binary("add", x, x), [O, ["b", "?"]])


@case(AGGRESSIVE, **AB)
def fake_conflict_between_two_non_contracting_dims(p):
    y = p.dot(p.argument((256, 512), [["a", "?"], O]), p.argument((128, 512)), ((1,), (1,)))
    p.returns(p.annotate(y, [O, ["a", "?"]]), [O, ["a", "?"]])


@case(AGGRESSIVE, **ABC)
def fake_conflict_between_contracting_and_non_contracting_dims(p):
    p.returns(p.dot(p.argument((256, 512), [A, ["b", "c"]]), p.argument((128, 512), [["c", "b"], A]), ((1,), (1,))))


@case(AGGRESSIVE, **ABC)
def fake_conflict_closed_dims(p):
    p.returns(p.binary("add", p.argument((8, 8), [["a", "?"], B]), p.argument((8, 8), [[], ["b", "c", "?"]])))


@case(AGGRESSIVE, **ABC)
def real_conflict_within_a_factor(p):
    p.returns(p.binary("add", p.argument((8, 8), [["a", "?"], []]), p.argument((8, 8), [["b", "?"], []])))


@case(AGGRESSIVE, **ABC)
def real_conflict_within_a_factor2(p):
    p.returns(p.binary("add", p.argument((8, 8), [A, B]), p.argument((8, 8), [[], ["a", "b", "c"]])))


@case(AGGRESSIVE, **ABC)
def real_and_fake_conflicts(p):
    p.returns(p.binary("add", p.argument((8, 8), [["a", "?"], O]), p.argument((8, 8), [["b", "?"], ["a", "?"]])))


@case(AGGRESSIVE, **ABC)
def real_conflict_across_factors_same_tensors_size(p):
    p.returns(p.binary("add", p.argument((8, 8), [A, O]), p.argument((8, 8), [O, A])))


@case(AGGRESSIVE, **ABC)
def real_conflict_across_factors_diff_tensors_size(p):
    p.returns(p.dot(p.argument((8, 4), [["a", "b"], O]), p.argument((4, 16), [O, ["a", "c"]]), MATMUL))


@case(AGGRESSIVE, **ABC)
def partial_conflict_across_factors(p):
    y = p.dot(p.argument((2, 8, 4), [A, B, []]), p.argument((2, 4, 16)), ((2,), (1,)), ((0,), (0,)))
    p.returns(p.annotate(y, [["a", "b"], [], []]))


@case(AGGRESSIVE, a=2, b=2, c=2, d=2)
def multiple_conflicts_across_factors(p):
    x, w = p.argument((2, 8, 4), [O, ["a", "b"], O]), p.argument((2, 4, 16), [O, ["d", "c"], ["b", "a"]])
    p.returns(p.annotate(p.dot(x, w, ((2,), (1,)), ((0,), (0,))), [["d"], O, O]))


@case(AGGRESSIVE, **AB)
def sideways_propagation_if_result_is_closed_empty(p):
    p.returns(p.annotate(p.binary("add", p.argument((8,), [A]), p.argument((8,))), [[]]))


@case(AGGRESSIVE, **AB)
def allow_sideways_propagation_if_result_is_open_empty(p):
    p.returns(p.annotate(p.binary("add", p.argument((8,), [["a", "b"]]), p.argument((8,), [O])), [O]))


@case(OPS, **AB)
def element_wise_over_dot_general(p):
    y = p.dot(p.argument((8, 8), [["a", "?"], O]), p.argument((8, 8)), MATMUL)
    z = p.binary("add", y, y)
    p.returns(p.binary("add", z, z), [O, ["a", "?"]])


@case(OPS, **AB)
def defer_backwards_propagation_for_op_with_multi_use_operand(p):
    x = p.argument((8, 8))
    y, z = p.binary("add", x, x), p.binary("mul", x, x)
    p.returns(z, [[], A])
    p.returns(p.unary("tanh", y), [A, []])


@case(OPS, **AB)
def chained_dot_generals(p):
    y = p.dot(p.argument((8, 8), [["a", "?"], O]), p.argument((8, 8)), MATMUL)
    z = p.dot(y, y, MATMUL)
    t = p.binary("add", z, z)
    p.returns(p.binary("add", t, t), [O, ["a", "?"]])


@case(OPS, **AB)
def pass_through_factor_higher_priority_than_reduction_factor(p):
    y = p.dot(p.argument((32, 1024)), p.argument((1024, 16), [["a", "?"], ["b", "?"]]), MATMUL)
    p.returns(y, [["a", "?"], ["b", "?"]])


@case(OPS, **AB)
def broadcast_forward_higher_priority_than_backwards(p):
    y = p.broadcast(p.broadcast(p.argument((32,), [A]), (32, 16), (0,)), (32, 16, 8), (0, 1))
    p.returns(y, [[], A, []])


@case(USER, **ABC)
def arg_lower_priority_than_return_value(p):
    x, y, z, w = p.argument((8, 8), [["a", "p1"], ["b", "p1"]]), *(p.argument((8, 8)) for _ in range(3))
    t = p.binary("add", p.binary("add", x, y), z)
    p.returns(p.annotate(p.binary("div", t, w), [["c", "p0"], O]))


@case(USER, **ABC)
def arg_higher_priority_than_return_value(p):
    x, y, z, w = p.argument((8, 8)), p.argument((8, 8), [["a", "p0"], ["b", "p0"]]), p.argument((8, 8)), p.argument((8, 8))
    t = p.binary("add", p.binary("add", x, y), z)
    p.returns(p.annotate(p.binary("div", t, w), [["c", "?", "p1"], O]))


@case(USER, **ABC)
def different_priorities_from_args(p):
    """Batch parallelism, then ZeRO."""
    x, y, w = p.argument((8, 8), [["a", "p0"], O]), p.argument((8, 8)), p.argument((8, 16), [O, ["a", "p1"]])
    p.returns(p.dot(p.binary("add", x, y), w, MATMUL))


@case(USER, **ABC)
def different_priorities_from_ops(p):
    x, y, w = p.argument((8, 8)), p.argument((8, 8)), p.argument((8, 16))
    t = p.binary("add", p.annotate(p.binary("add", x, x), [O, ["a", "p1"]]), y)
    p.returns(p.annotate(p.dot(t, w, MATMUL), [["a", "p0"], O]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="a Python that has jaxlib")
    parser.add_argument("--out", default=os.path.join(HERE, os.pardir, "test", "Run", "Comparisons"))
    parser.add_argument("--match", default=".")
    parser.add_argument("--skip", default="^$", help="cases to leave out")
    args = parser.parse_args()
    shardy = Shardy(args.python)
    if shardy.error:
        sys.exit(f"error: Shardy is not to be had from {args.python}: {shardy.error}")
    files = {}
    for name, (source, mesh, build) in CASES.items():
        if not re.search(args.match, name) or re.search(args.skip, name):
            continue
        program = Program(mesh)
        build(program)
        reply = shardy.ask(text=program.stablehlo(), placements=True)
        if "error" in reply:
            print(f"{name}: Shardy: {reply['error']}", file=sys.stderr)
            continue
        key = "-".join(f"{axis}{size}" for axis, size in mesh.items())
        texts = files.setdefault(key, [])
        verdict = "as many bytes" if name in TIES else "{{placements equal|fewer bytes}}"
        texts.append(f"// {source}: {name}\n// CHECK: {name}: {verdict}\n" +
                     program.linalg(locations=True, function=name, mesh=False) +
                     with_placements(program, reply).linalg(locations=True, function=name + "_theirs", mesh=False))
    shardy.close()
    for key, texts in files.items():
        mesh = ", ".join(f'"{part[0]}"={part[1:]}' for part in key.split("-"))
        with open(os.path.join(args.out, f"shardy-{key}.mlir"), "w") as file:
            file.write("// Programs of Shardy's tests (shardy/dialect/sdy/transforms/propagation/test of openxla/shardy), written by\n"
                       "// benchmarks/shardy_cases.py. Each @name is beside @name_theirs, which puts every value where\n"
                       "// live Shardy (import, constraints, propagation by priorities) puts it.\n//\n"
                       "// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s\n\n"
                       f"shardir.mesh @m <[{mesh}]>\n\n" + "\n".join(texts))


if __name__ == "__main__":
    main()
