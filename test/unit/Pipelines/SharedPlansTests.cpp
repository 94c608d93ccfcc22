//===- SharedPlansTests.cpp - Plans that passes share -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes from placements to collectives ask for the same plans: they keep
// them in one analysis, which no change of the module drops.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/InitAll.h"
#include "ShardIR/Pipelines/Pipelines.h"
#include "ShardIR/Transforms/StageUtils.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shardir;

namespace {

constexpr const char *kProgram = R"mlir(
shardir.mesh @m <["x"=4]>
func.func @main(%a: tensor<9x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                %b: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<9x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<9x5xf32>) -> tensor<9x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<9x6xf32>, tensor<6x5xf32>) outs(%f : tensor<9x5xf32>) -> tensor<9x5xf32>
  return %r : tensor<9x5xf32>
}
)mlir";

/// Counts how often the passes' plans are started from nothing.
struct CountPlans : PassInstrumentation {
  explicit CountPlans(int &count) : count(count) {}
  void runBeforeAnalysis(StringRef, TypeID id, Operation *) override {
    count += id == TypeID::get<RedistributionPlans>();
  }
  int &count;
};

TEST(SharedPlans, LastFromPropagationToCollectives) {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  shardir::registerAllDialects(registry);
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(kProgram, &context);
  ASSERT_TRUE(module);
  PassManager pm(&context);
  int count = 0;
  pm.addInstrumentation(std::make_unique<CountPlans>(count));
  buildPipeline(pm, Stage::Collective, {});
  ASSERT_TRUE(succeeded(pm.run(*module)));
  EXPECT_EQ(count, 1);
}

} // namespace
