//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an embedder's costs decide stands in the pipelines: later passes, which
// know the default costs alone, do not undo it.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/InitAll.h"
#include "ShardIR/Pipelines/Pipelines.h"
#include "ShardIR/Propagation/CostModel.h"
#include "ShardIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shardir;

namespace {

/// Redistributions of f32 tensors cost a hundred times as much.
class DearFloats : public MachineCostModel {
public:
  using MachineCostModel::MachineCostModel;
  PropagationCost redistribute(const PropagationGraph::Value &value,
                               const Placement &from, const Placement &to,
                               const Mesh &mesh) const override {
    PropagationCost cost =
        MachineCostModel::redistribute(value, from, to, mesh);
    if (value.elementBytes == 4) {
      cost.bytes *= 100;
      cost.seconds *= 100;
    }
    return cost;
  }
};

// By the default costs the narrower tensor is gathered.
constexpr char kWidened[] = R"(
shardir.mesh @m <["a"=4]>
func.func @main(%x: tensor<64x64xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<64x64xf64> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %y = arith.extf %x : tensor<64x64xf32> to tensor<64x64xf64>
  return %y : tensor<64x64xf64>
})";

/// The element type of what the pipeline gathers. `asPass` gives the costs to
/// the pass alone, in front of the pipeline.
std::string gathered(CostMode mode, bool hasOwnCosts, bool asPass = false) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect>();
  shardir::registerAllDialects(registry);
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(kWidened, &context);
  std::shared_ptr<const PropagationCostModel> costs;
  if (hasOwnCosts)
    costs = std::make_shared<DearFloats>(mode);
  PassManager pm(&context);
  PipelineOptions options;
  options.cost = mode == CostMode::Bytes ? "bytes" : "time";
  if (asPass)
    pm.addPass(createPropagate({options.cost, "search", 0}, costs));
  else
    options.costModel = costs;
  buildPipeline(pm, asPass ? Stage::Propagated : Stage::Collective, options);
  EXPECT_TRUE(module && succeeded(pm.run(*module)));
  std::string types;
  llvm::raw_string_ostream out(types);
  if (asPass)
    module->walk([&](arith::ExtFOp op) {
      bool isSplit = !getPlacement(op.getResult()).getValue().isReplicated();
      out << (isSplit ? "f64" : "f32");
    });
  module->walk([&](collective::CollectiveOpInterface op) {
    out << cast<RankedTensorType>(op.getInput().getType()).getElementType();
  });
  return types;
}

TEST(CostModel, AnEmbeddersCostsDecideInThePipelines) {
  for (CostMode mode : {CostMode::Bytes, CostMode::Time}) {
    EXPECT_EQ(gathered(mode, /*hasOwnCosts=*/false), "f32");
    EXPECT_EQ(gathered(mode, /*hasOwnCosts=*/true), "f64");
  }
}

TEST(CostModel, AnEmbeddersCostsDecideInThePass) {
  EXPECT_EQ(gathered(CostMode::Bytes, /*hasOwnCosts=*/false, /*asPass=*/true),
            "f32");
  EXPECT_EQ(gathered(CostMode::Bytes, /*hasOwnCosts=*/true, /*asPass=*/true),
            "f64");
}

} // namespace
