//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops: which partial terms pass them. Every way that a rule lists
// is run on terms of different sizes and signs; what must not pass is named.
//
//===----------------------------------------------------------------------===//

#include "ShardedOp.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace shardir;
using namespace shardir::test;

/// `name` on `count` tensors of shape 5x4.
static ShardedOp elementwise(llvm::StringRef name, int count,
                             llvm::StringRef type,
                             llvm::StringRef toType = "") {
  std::string tensor = "tensor<5x4x" + type.str() + ">";
  std::string result =
      toType.empty() ? tensor : "tensor<5x4x" + toType.str() + ">";
  const char *arguments[] = {"%a", "%a, %b", "%a, %b, %c"};
  return ShardedOp(
      llvm::formatv("func.func @f(%a: {0}, %b: {0}, %c: {0}) -> {1} {{\n"
                    "%0 = {2} {3} : {4}\nreturn %0 : {1} }",
                    tensor, result, name, arguments[count - 1],
                    toType.empty() ? tensor : tensor + " to " + result)
          .str());
}

static bool passes(ShardedOp &op, PartialKind kind,
                   llvm::ArrayRef<int> operands) {
  for (const PartialRule &way : op.rule().partials)
    if ((!way.kind || way.kind == kind) &&
        llvm::ArrayRef<int>(way.operands) == operands)
      return true;
  return false;
}

TEST(Elementwise, EveryDimPasses) {
  ShardedOp op = elementwise("arith.addf", 2, "f32");
  EXPECT_EQ(toText(op.rule()), "[a][b], [a][b] -> [a][b]");
  EXPECT_GT(op.checkSplits(), 12);
  ShardedOp exp = elementwise("math.exp", 1, "f32");
  EXPECT_GT(exp.checkSplits(), 12);
}

TEST(Elementwise, ListedWaysHold) {
  struct Case {
    const char *name;
    int operands;
    const char *type;
    int ways;
    const char *toType = "";
  };
  for (const Case &c :
       std::initializer_list<Case>{{"arith.addf", 2, "f32", 1},
                                   {"arith.subf", 2, "f32", 1},
                                   {"arith.addi", 2, "i64", 1},
                                   {"arith.subi", 2, "i64", 1},
                                   {"arith.negf", 1, "f32", 1},
                                   {"arith.mulf", 2, "f32", 3},
                                   {"arith.muli", 2, "i64", 3},
                                   {"arith.divf", 2, "f32", 1},
                                   {"arith.shli", 2, "i64", 1},
                                   {"math.fma", 3, "f32", 2},
                                   {"arith.maximumf", 2, "f32", 5},
                                   {"arith.minimumf", 2, "f32", 5},
                                   {"arith.maxsi", 2, "i64", 5},
                                   {"arith.minsi", 2, "i64", 5},
                                   {"arith.maxnumf", 2, "f32", 3},
                                   {"arith.minnumf", 2, "f32", 3},
                                   {"arith.andi", 2, "i64", 7},
                                   {"arith.ori", 2, "i64", 5},
                                   {"arith.xori", 2, "i64", 1},
                                   {"math.floor", 1, "f32", 4},
                                   {"math.exp", 1, "f32", 4},
                                   {"math.tanh", 1, "f32", 4},
                                   {"arith.extf", 1, "f32", 5, "f64"},
                                   {"arith.sitofp", 1, "i32", 2, "f32"}}) {
    SCOPED_TRACE(c.name);
    ShardedOp op = elementwise(c.name, c.operands, c.type, c.toType);
    EXPECT_EQ(op.rule().partials.size(), size_t(c.ways));
    EXPECT_EQ(op.checkPartials(), 2 * c.ways);
  }
}

TEST(Elementwise, OneBitAddsAsXor) {
  ShardedOp add = elementwise("arith.addi", 2, "i1");
  EXPECT_TRUE(passes(add, PartialKind::Xor, {0, 1}));
  EXPECT_FALSE(passes(add, PartialKind::Sum, {0, 1}));
  ShardedOp mul = elementwise("arith.muli", 2, "i1");
  EXPECT_TRUE(passes(mul, PartialKind::And, {0}));
  EXPECT_TRUE(passes(mul, PartialKind::Xor, {1}));
  EXPECT_FALSE(passes(mul, PartialKind::Sum, {0}));
}

TEST(Elementwise, WhatMustBeReducedFirst) {
  struct Case {
    const char *name;
    int operands;
    const char *type, *toType;
  };
  // Integer division, casts that can wrap or round, and what bends.
  for (const Case &c :
       std::initializer_list<Case>{{"arith.divsi", 2, "i64", ""},
                                   {"arith.divui", 2, "i64", ""},
                                   {"arith.remsi", 2, "i64", ""},
                                   {"arith.shrsi", 2, "i64", ""},
                                   {"arith.truncf", 1, "f32", "bf16"},
                                   {"arith.trunci", 1, "i64", "i8"},
                                   {"arith.extsi", 1, "i8", "i64"},
                                   {"arith.extui", 1, "i8", "i64"},
                                   {"arith.sitofp", 1, "i32", "f32"},
                                   {"arith.fptosi", 1, "f32", "i32"},
                                   {"arith.bitcast", 1, "f32", "i32"},
                                   {"arith.maximumf", 2, "f32", ""},
                                   {"math.absf", 1, "f32", ""},
                                   {"math.exp", 1, "f32", ""},
                                   {"math.sqrt", 1, "f32", ""}}) {
    SCOPED_TRACE(c.name);
    ShardedOp op = elementwise(c.name, c.operands, c.type, c.toType);
    for (const PartialRule &way : op.rule().partials)
      EXPECT_TRUE(way.kind && *way.kind != PartialKind::Sum);
  }
  ShardedOp sqrt = elementwise("math.sqrt", 1, "f32");
  EXPECT_FALSE(passes(sqrt, PartialKind::Max, {0}));
  ShardedOp mul = elementwise("arith.mulf", 2, "f32");
  EXPECT_FALSE(passes(mul, PartialKind::Sum, {0, 1}));
  EXPECT_FALSE(passes(mul, PartialKind::Max, {0}));
  ShardedOp add = elementwise("arith.addf", 2, "f32");
  EXPECT_FALSE(passes(add, PartialKind::Sum, {0}));
  ShardedOp div = elementwise("arith.divf", 2, "f32");
  EXPECT_FALSE(passes(div, PartialKind::Sum, {1}));
}

TEST(Elementwise, SelectOfTensorsByATensorOrAScalar) {
  ShardedOp byTensor(
      R"(func.func @f(%c: tensor<5x4xi1>, %a: tensor<5x4xf32>, %b: tensor<5x4xf32>) -> tensor<5x4xf32> {
    %0 = arith.select %c, %a, %b : tensor<5x4xi1>, tensor<5x4xf32>
    return %0 : tensor<5x4xf32> })");
  EXPECT_EQ(toText(byTensor.rule()), "[a][b], [a][b], [a][b] -> [a][b]");
  EXPECT_GT(byTensor.checkSplits(), 12);
  EXPECT_GT(byTensor.checkPartials(), 3);
  ShardedOp byScalar(
      R"(func.func @f(%c: i1, %a: tensor<5x4xf32>, %b: tensor<5x4xf32>) -> tensor<5x4xf32> {
    %0 = arith.select %c, %a, %b : tensor<5x4xf32>
    return %0 : tensor<5x4xf32> })");
  EXPECT_EQ(toText(byScalar.rule()), "[a][b], [a][b] -> [a][b]");
  EXPECT_GT(byScalar.checkSplits(), 12);
  EXPECT_GT(byScalar.checkPartials(), 3);
}

TEST(Elementwise, ScalarsHaveNothingToShard) {
  ShardedOp op(R"(func.func @f(%a: f32) -> f32 {
    %0 = arith.addf %a, %a : f32
    return %0 : f32 })");
  EXPECT_TRUE(op.rule().factors.empty());
  EXPECT_TRUE(op.rule().replicatedBecause.empty());
}
