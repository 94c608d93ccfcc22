//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor dialect's rules, and their local forms run on all devices of a
// mesh. Extents are chosen so that axes divide some and not others, and that
// some shards are empty.
//
//===----------------------------------------------------------------------===//

#include "ShardedOp.h"

#include "gtest/gtest.h"

using namespace shardir;
using namespace shardir::test;

TEST(TensorReshape, CollapseListsFactorsMajorFirst) {
  ShardedOp op(R"(func.func @f(%a: tensor<6x4x5xi64>) -> tensor<24x5xi64> {
    %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<6x4x5xi64> into tensor<24x5xi64>
    return %0 : tensor<24x5xi64> })");
  EXPECT_EQ(toText(op.rule()), "[a][b][c] -> [ab][c]");
  EXPECT_GT(op.checkSplits(), 30);
  EXPECT_GT(op.checkPartials(), 2);
}

TEST(TensorReshape, CollapseUnevenAndEmpty) {
  ShardedOp op(R"(func.func @f(%a: tensor<2x5x1x3xi64>) -> tensor<30xi64> {
    %0 = tensor.collapse_shape %a [[0, 1, 2, 3]] : tensor<2x5x1x3xi64> into tensor<30xi64>
    return %0 : tensor<30xi64> })");
  EXPECT_EQ(toText(op.rule()), "[a][b][][c] -> [abc]");
  EXPECT_GT(op.checkSplits(), 15);
}

TEST(TensorReshape, OneAxisOverSeveralFactors) {
  // 6 = 3 x 2 with all of x and y: each device has one element.
  ShardedOp op(R"(func.func @f(%a: tensor<2x3xi64>) -> tensor<6xi64> {
    %0 = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xi64> into tensor<6xi64>
    return %0 : tensor<6xi64> })");
  EXPECT_GT(op.checkSplits(), 10);
}

TEST(TensorReshape, ExpandSeveralGroups) {
  ShardedOp op(R"(func.func @f(%a: tensor<15x8xi64>) -> tensor<3x5x1x4x2xi64> {
    %0 = tensor.expand_shape %a [[0, 1], [2, 3, 4]] output_shape [3, 5, 1, 4, 2] : tensor<15x8xi64> into tensor<3x5x1x4x2xi64>
    return %0 : tensor<3x5x1x4x2xi64> })");
  EXPECT_EQ(toText(op.rule()), "[ab][cd] -> [a][b][][c][d]");
  EXPECT_GT(op.checkSplits(), 40);
  EXPECT_GT(op.checkPartials(), 2);
}

TEST(TensorReshape, UnknownExtents) {
  ShardedOp one(R"(func.func @f(%a: tensor<?x4xi64>) -> tensor<1x?x2x2xi64> {
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?x4xi64>
    %0 = tensor.expand_shape %a [[0, 1], [2, 3]] output_shape [1, %d, 2, 2] : tensor<?x4xi64> into tensor<1x?x2x2xi64>
    return %0 : tensor<1x?x2x2xi64> })",
                {{5, 4}});
  EXPECT_EQ(toText(one.rule()), "[a][bc] -> [][a][b][c]");
  EXPECT_GT(one.checkSplits(), 10);
  ShardedOp several(R"(func.func @f(%a: tensor<?x3x4xi64>) -> tensor<?x4xi64> {
    %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x3x4xi64> into tensor<?x4xi64>
    return %0 : tensor<?x4xi64> })",
                    {{2, 3, 4}});
  EXPECT_EQ(toText(several.rule()), "[a][b][c] -> [ab][c]");
  EXPECT_GT(several.checkSplits(), 4);
}

TEST(TensorReshape, ToRankZeroAndOfNothing) {
  ShardedOp unit(R"(func.func @f(%a: tensor<1x1xi64>) -> tensor<i64> {
    %0 = tensor.collapse_shape %a [] : tensor<1x1xi64> into tensor<i64>
    return %0 : tensor<i64> })");
  EXPECT_EQ(toText(unit.rule()), "[][] -> ");
  EXPECT_EQ(unit.checkSplits(), 1);
  ShardedOp nothing(R"(func.func @f(%a: tensor<0x6xi64>) -> tensor<0xi64> {
    %0 = tensor.collapse_shape %a [[0, 1]] : tensor<0x6xi64> into tensor<0xi64>
    return %0 : tensor<0xi64> })");
  EXPECT_EQ(toText(nothing.rule()), "[][] -> []");
}

TEST(TensorSlice, ExtractTakesSomeDimsWhole) {
  ShardedOp op(R"(func.func @f(%a: tensor<5x8x1x6xi64>) -> tensor<5x3x6xi64> {
    %0 = tensor.extract_slice %a[0, 1, 0, 0] [5, 3, 1, 6] [1, 2, 1, 1] : tensor<5x8x1x6xi64> to tensor<5x3x6xi64>
    return %0 : tensor<5x3x6xi64> })");
  EXPECT_EQ(toText(op.rule()), "[a][b][c][d] -> [a][b][d]");
  EXPECT_GT(op.checkSplits(), 10);
  EXPECT_GT(op.checkPartials(), 2);
}

TEST(TensorSlice, ExtractWithUnknownOffsetsAndSizes) {
  ShardedOp op(R"(func.func @f(%a: tensor<8x?xi64>) -> tensor<?x?xi64> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %d = tensor.dim %a, %c1 : tensor<8x?xi64>
    %0 = tensor.extract_slice %a[%c2, 0] [%c2, %d] [1, 1] : tensor<8x?xi64> to tensor<?x?xi64>
    return %0 : tensor<?x?xi64> })",
               {{8, 7}});
  EXPECT_EQ(toText(op.rule()), "[a][b] -> [a][b]");
  EXPECT_TRUE(op.rule().operands[0].window(0)->open);
  EXPECT_FALSE(op.rule().operands[0].window(1));
  EXPECT_GT(op.checkSplits(), 4);
}

TEST(TensorSlice, ASizeThatIsNotProvedToBeAllIsReadThroughAWindow) {
  ShardedOp op(
      R"(func.func @f(%a: tensor<8x?xi64>, %n: index) -> tensor<8x?xi64> {
    %0 = tensor.extract_slice %a[0, 0] [8, %n] [1, 1] : tensor<8x?xi64> to tensor<8x?xi64>
    return %0 : tensor<8x?xi64> })",
      {{8, 7}});
  EXPECT_EQ(toText(op.rule()), "[a][b] -> [a][b]");
  EXPECT_TRUE(op.rule().operands[0].window(1)->open);
  EXPECT_GT(op.checkSplits(), 4);
}

TEST(TensorSlice, Insert) {
  ShardedOp op(
      R"(func.func @f(%s: tensor<5x6xi64>, %d: tensor<5x4x6xi64>, %i: index) -> tensor<5x4x6xi64> {
    %0 = tensor.insert_slice %s into %d[0, %i, 0] [5, 1, 6] [1, 1, 1] : tensor<5x6xi64> into tensor<5x4x6xi64>
    return %0 : tensor<5x4x6xi64> })");
  EXPECT_EQ(toText(op.rule()), "[a][c], [a][b][c] -> [a][b][c]");
  EXPECT_GT(op.checkSplits(), 10);
  EXPECT_GT(op.checkPartials(), 2);
}

TEST(TensorSlice, Pad) {
  ShardedOp op(R"(func.func @f(%a: tensor<5x3x4xi64>) -> tensor<5x6x4xi64> {
    %c = arith.constant 0 : i64
    %0 = tensor.pad %a low[0, 1, 0] high[0, 2, 0] {
    ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %c : i64
    } : tensor<5x3x4xi64> to tensor<5x6x4xi64>
    return %0 : tensor<5x6x4xi64> })");
  EXPECT_EQ(toText(op.rule()), "[a][b][c] -> [a][b][c]");
  EXPECT_GT(op.checkSplits(), 10);
  // Zeros count many times in sums; max and the like take any value.
  EXPECT_GT(op.checkPartials(), 15);
}

TEST(TensorSlice, PadWithAnIndexUsesTheWholeTensors) {
  ShardedOp op(R"(func.func @f(%a: tensor<5x3xi64>) -> tensor<5x6xi64> {
    %0 = tensor.pad %a low[0, 1] high[0, 2] {
    ^bb0(%i: index, %j: index):
      %c10 = arith.constant 10 : index
      %r = arith.muli %i, %c10 : index
      %s = arith.addi %r, %j : index
      %v = arith.index_cast %s : index to i64
      tensor.yield %v : i64
    } : tensor<5x3xi64> to tensor<5x6xi64>
    return %0 : tensor<5x6xi64> })");
  EXPECT_EQ(toText(op.rule()), "[a][b] -> [a][b]");
  EXPECT_GT(op.checkSplits(), 4);
  for (const PartialRule &way : op.rule().partials)
    EXPECT_NE(way.kind, PartialKind::Sum);
}

TEST(TensorSlice, Concat) {
  ShardedOp op(
      R"(func.func @f(%a: tensor<5x3x4xi64>, %b: tensor<5x2x4xi64>) -> tensor<5x5x4xi64> {
    %0 = tensor.concat dim(1) %a, %b : (tensor<5x3x4xi64>, tensor<5x2x4xi64>) -> tensor<5x5x4xi64>
    return %0 : tensor<5x5x4xi64> })");
  EXPECT_EQ(toText(op.rule()), "[a][b][c], [a][b][c] -> [a][b][c]");
  EXPECT_GT(op.checkSplits(), 10);
  EXPECT_GT(op.checkPartials(), 2);
}

TEST(TensorRematerializable, Empty) {
  ShardedOp op(R"(func.func @f(%n: index) -> tensor<6x?x1xi64> {
    %0 = tensor.empty(%n) : tensor<6x?x1xi64>
    return %0 : tensor<6x?x1xi64> })");
  EXPECT_EQ(toText(op.rule()), "-> [a][b][c]");
  EXPECT_TRUE(op.rule().isRematerializable);
  EXPECT_GT(op.checkSplits(), 20);
}

static const PartialKind allKinds[] = {
    PartialKind::Sum, PartialKind::Prod, PartialKind::Max,
    PartialKind::Min, PartialKind::UMax, PartialKind::UMin,
    PartialKind::And, PartialKind::Or,   PartialKind::Xor};

TEST(TensorRematerializable, SplatConstant) {
  ShardedOp op(R"(func.func @f() -> tensor<6x5xi64> {
    %0 = arith.constant dense<3> : tensor<6x5xi64>
    return %0 : tensor<6x5xi64> })");
  EXPECT_GT(op.checkSplits(), 10);
  op.checkRematerializable(allKinds);
  ShardedOp zero(R"(func.func @f() -> tensor<6x5xf32> {
    %0 = arith.constant dense<0.0> : tensor<6x5xf32>
    return %0 : tensor<6x5xf32> })");
  zero.checkRematerializable(
      {PartialKind::Sum, PartialKind::Prod, PartialKind::Max});
}

TEST(TensorRematerializable, DenseConstant) {
  ShardedOp op(R"(func.func @f() -> tensor<8x3xi64> {
    %0 = arith.constant dense<[[1,2,3],[4,5,6],[7,8,9],[10,11,12],[13,14,15],[16,17,18],[19,20,21],[22,23,24]]> : tensor<8x3xi64>
    return %0 : tensor<8x3xi64> })");
  EXPECT_EQ(toText(op.rule()), "-> [a][b]");
  EXPECT_GT(op.checkSplits(), 12);
  op.checkRematerializable(allKinds);
}

TEST(TensorRematerializable, Splat) {
  ShardedOp op(R"(func.func @f(%v: i64, %n: index) -> tensor<6x?xi64> {
    %0 = tensor.splat %v[%n] : tensor<6x?xi64>
    return %0 : tensor<6x?xi64> })");
  EXPECT_GT(op.checkSplits(), 12);
  op.checkRematerializable(allKinds);
}

TEST(TensorRematerializable, GenerateUsesTheWholeTensorsIndex) {
  ShardedOp op(R"(func.func @f(%n: index) -> tensor<6x?xi64> {
    %0 = tensor.generate %n {
    ^bb0(%i: index, %j: index):
      %c10 = arith.constant 10 : index
      %r = arith.muli %i, %c10 : index
      %s = arith.addi %r, %j : index
      %v = arith.index_cast %s : index to i64
      tensor.yield %v : i64
    } : tensor<6x?xi64>
    return %0 : tensor<6x?xi64> })");
  EXPECT_GT(op.checkSplits(), 12);
  op.checkRematerializable(
      {PartialKind::Sum, PartialKind::Max, PartialKind::Xor});
}

TEST(TensorRematerializable, FromElements) {
  ShardedOp op(R"(func.func @f(%v: i64, %n: i64) -> tensor<2x2xi64> {
    %c = arith.constant 7 : i64
    %s = arith.addi %v, %c : i64
    %0 = tensor.from_elements %v, %s, %c, %c : tensor<2x2xi64>
    return %0 : tensor<2x2xi64> })");
  EXPECT_GT(op.checkSplits(), 10);
  op.checkRematerializable(allKinds);
}

TEST(TensorOther, CastKeepsWhatBothSidesKnow) {
  ShardedOp forget(
      R"(func.func @f(%a: tensor<5x4xi64>) -> tensor<?x4xi64> {
    %0 = tensor.cast %a : tensor<5x4xi64> to tensor<?x4xi64>
    return %0 : tensor<?x4xi64> })");
  EXPECT_EQ(toText(forget.rule()), "[][a] -> [][a]");
  EXPECT_GT(forget.checkSplits(), 4);
  EXPECT_GT(forget.checkPartials(), 2);
  ShardedOp recall(R"(func.func @f(%a: tensor<?x4xi64>) -> tensor<6x4xi64> {
    %0 = tensor.cast %a : tensor<?x4xi64> to tensor<6x4xi64>
    return %0 : tensor<6x4xi64> })",
                   {{6, 4}});
  EXPECT_EQ(toText(recall.rule()), "[][a] -> [][a]");
  EXPECT_GT(recall.checkSplits(), 4);
}

TEST(TensorOther, DimAnswersWithTheWholeExtent) {
  ShardedOp known(R"(func.func @f(%a: tensor<5x?xi64>) -> index {
    %c0 = arith.constant 0 : index
    %0 = tensor.dim %a, %c0 : tensor<5x?xi64>
    return %0 : index })",
                  {{5, 6}});
  EXPECT_EQ(toText(known.rule()), "[a][b] -> ");
  EXPECT_GT(known.checkSplits(), 8);
  ShardedOp unknown(R"(func.func @f(%a: tensor<5x?xi64>) -> index {
    %c1 = arith.constant 1 : index
    %0 = tensor.dim %a, %c1 : tensor<5x?xi64>
    return %0 : index })",
                    {{5, 6}});
  EXPECT_EQ(toText(unknown.rule()), "[a][b] -> ");
  EXPECT_GT(unknown.checkSplits(), 4);
  ShardedOp any(R"(func.func @f(%a: tensor<5x7x?xi64>, %i: index) -> index {
    %c1 = arith.constant 1 : index
    %j = arith.subi %i, %c1 : index
    %0 = tensor.dim %a, %j : tensor<5x7x?xi64>
    return %0 : index })",
                {{5, 7, 6}});
  EXPECT_EQ(toText(any.rule()), "[a][b][c] -> ");
  EXPECT_GT(any.checkSplits(), 8);
}

TEST(TensorOther, WholeOnEachDevice) {
  ShardedOp op(R"(func.func @f(%a: tensor<5xi64>, %i: index) -> i64 {
    %0 = tensor.extract %a[%i] : tensor<5xi64>
    return %0 : i64 })");
  EXPECT_TRUE(op.rule().factors.empty());
  EXPECT_FALSE(op.rule().replicatedBecause.empty());
}
