//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An embedder's costs decide in each pass that compares costs, and later passes
// do not undo it.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/FittedStates.h"
#include "ShardIR/InitAll.h"
#include "ShardIR/Pipelines/Pipelines.h"
#include "ShardIR/Propagation/CostModel.h"
#include "ShardIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <atomic>

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

/// Owns a context with all dialects that the programs here have.
struct Context : MLIRContext {
  Context() : MLIRContext(makeRegistry()) {}
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registry
        .insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                math::MathDialect, tensor::TensorDialect>();
    shardir::registerAllDialects(registry);
    return registry;
  }
};

/// The module after the pipeline to `stage`.
OwningOpRef<ModuleOp> compiled(MLIRContext &context, StringRef text,
                               Stage stage, const PipelineOptions &options) {
  auto module = parseSourceString<ModuleOp>(text, &context);
  PassManager pm(&context);
  buildPipeline(pm, stage, options);
  EXPECT_TRUE(module && succeeded(pm.run(*module)));
  return module;
}

/// The element type of what the pipeline gathers. `asPass` gives the costs to
/// the pass alone, in front of the pipeline.
std::string gathered(CostMode mode, bool hasOwnCosts, bool asPass = false) {
  Context context;
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

// Propagation by the default costs leaves the redistribution on the side of
// f32.
TEST(CostModel, AnEmbeddersCostsDecideAcrossWhichOpsRedistributionsMove) {
  for (std::string cost : {"bytes", "time"})
    for (bool hasOwnCosts : {false, true}) {
      Context context;
      auto module = parseSourceString<ModuleOp>(kWidened, &context);
      PassManager pm(&context);
      pm.addPass(createPropagate({cost, "search", 0}));
      SimplifyRedistributeOptions simplify;
      simplify.cost = cost;
      std::shared_ptr<const PropagationCostModel> costs;
      if (hasOwnCosts)
        costs = std::make_shared<DearFloats>(cost == "bytes" ? CostMode::Bytes
                                                             : CostMode::Time);
      buildRedistribution(pm, {}, simplify, costs);
      EXPECT_TRUE(module && succeeded(pm.run(*module)));
      std::vector<unsigned> widths;
      module->walk([&](RedistributeOp op) {
        widths.push_back(op.getType().getElementTypeBitWidth());
      });
      EXPECT_EQ(widths, std::vector<unsigned>{hasOwnCosts ? 64u : 32u});
    }
}

/// Work takes longer the more devices share it.
class DearSharing : public MachineCostModel {
public:
  using MachineCostModel::MachineCostModel;
  PropagationCost compute(const LocalOp &op) const override {
    PropagationCost cost = MachineCostModel::compute(op);
    cost.seconds = 1;
    for (int64_t blocks : op.blocks)
      cost.seconds *= double(blocks);
    return cost;
  }
};

TEST(CostModel, AnEmbeddersCostsDecideWhatIsProposed) {
  constexpr char kMap[] = R"(
shardir.mesh @m <["a"=4]>
func.func @main(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = math.exp %x : tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
})";
  for (bool hasOwnCosts : {false, true}) {
    Context context;
    PipelineOptions options;
    options.cost = "time";
    options.propose = true;
    if (hasOwnCosts)
      options.costModel = std::make_shared<DearSharing>(CostMode::Time);
    auto module = compiled(context, kMap, Stage::Propagated, options);
    auto main = module->lookupSymbol<func::FuncOp>("main");
    EXPECT_EQ(getPlacement(main.getArgument(0)).getValue().isReplicated(),
              hasOwnCosts);
  }
}

/// A redistribution that changes the shards of more than one axis at a time
/// costs a thousand times as much.
class DearGroups : public MachineCostModel {
public:
  using MachineCostModel::MachineCostModel;
  PropagationCost redistribute(const PropagationGraph::Value &value,
                               const Placement &from, const Placement &to,
                               const Mesh &mesh) const override {
    PropagationCost cost =
        MachineCostModel::redistribute(value, from, to, mesh);
    size_t before = axesOf(from).size(), after = axesOf(to).size();
    if (before > after + 1) {
      cost.bytes *= 1000;
      cost.seconds *= 1000;
    }
    return cost;
  }
};

TEST(CostModel, AnEmbeddersCostsDecideThePlanOfARedistribution) {
  constexpr char kGathered[] = R"(
shardir.mesh @m <["a"=2, "b"=2]>
func.func @main(%x: tensor<64x64xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<64x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  return %x : tensor<64x64xf32>
})";
  for (CostMode mode : {CostMode::Bytes, CostMode::Time})
    for (bool hasOwnCosts : {false, true}) {
      Context context;
      PipelineOptions options;
      options.cost = mode == CostMode::Bytes ? "bytes" : "time";
      if (hasOwnCosts)
        options.costModel = std::make_shared<DearGroups>(mode);
      auto module = compiled(context, kGathered, Stage::Collective, options);
      int64_t steps = 0;
      module->walk([&](collective::CollectiveOpInterface) { ++steps; });
      EXPECT_EQ(steps, hasOwnCosts ? 2 : 1);
    }
}

/// Records that a redistribution's cost was computed.
class RecordingCosts : public MachineCostModel {
public:
  using MachineCostModel::MachineCostModel;
  PropagationCost redistribute(const PropagationGraph::Value &value,
                               const Placement &from, const Placement &to,
                               const Mesh &mesh) const override {
    wasUsed = true;
    return MachineCostModel::redistribute(value, from, to, mesh);
  }
  mutable std::atomic<bool> wasUsed = false;
};

// With a memory limit, propagation lowers the peak whatever the costs, so that
// the decisions do not show which costs were used.
TEST(CostModel, AnEmbeddersCostsAreUsedWhereStatesAreFitted) {
  constexpr char kStep[] = R"(
shardir.mesh @m <["a"=4]>
func.func @main(%x: tensor<64x64xf64> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                %w: tensor<16x16xf32>, %m: tensor<16x16xf32>)
    -> (tensor<64x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %s = linalg.reduce { arith.addf } ins(%w : tensor<16x16xf32>) outs(%zero : tensor<16xf32>) dimensions = [0]
  %g = linalg.broadcast ins(%s : tensor<16xf32>) outs(%e : tensor<16x16xf32>) dimensions = [0]
  %m1 = arith.addf %m, %g : tensor<16x16xf32>
  %w1 = arith.subf %w, %m1 : tensor<16x16xf32>
  %y = arith.truncf %x : tensor<64x64xf64> to tensor<64x64xf32>
  return %y, %w1, %m1 : tensor<64x64xf32>, tensor<16x16xf32>, tensor<16x16xf32>
})";
  Context context;
  auto module = parseSourceString<ModuleOp>(kStep, &context);
  auto costs = std::make_shared<RecordingCosts>(CostMode::Bytes);
  PassManager pm(&context);
  pm.addPass(createFitOptimizerState({"bytes", "search", 20000}, costs));
  EXPECT_TRUE(module && succeeded(pm.run(*module)));
  EXPECT_TRUE(costs->wasUsed);
  EXPECT_TRUE(module->getOperation()->hasAttr(kFittedStates));
}

} // namespace
