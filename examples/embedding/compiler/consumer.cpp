//===- consumer.cpp - A compiler that embeds ShardIR ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers ShardIR next to all of MLIR's dialects and a dialect of its own,
// whose op `consumer.row_scale` joins by implementing the sharding rule
// interface, reads the program named on the command line, runs ShardIR's
// pipeline to the propagated stage through the C++ API, a pass of its own with
// ShardIR's patterns to the collective stage, and the pipeline again to the
// local stage.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/InitAll.h"
#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Pipelines/Pipelines.h"
#include "ShardIR/Transforms/Passes.h"
#include "ShardIR/Transforms/Patterns.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace consumer {

/// `%y = "consumer.row_scale"(%x, %s)`: row i of the [M, N] tensor x times
/// s[i].
class RowScaleOp : public mlir::Op<RowScaleOp, mlir::OpTrait::OneResult,
                                   mlir::OpTrait::NOperands<2>::Impl,
                                   shardir::ShardingRuleOpInterface::Trait> {
public:
  using Op::Op;
  static mlir::StringRef getOperationName() { return "consumer.row_scale"; }
  static mlir::ArrayRef<mlir::StringRef> getAttributeNames() { return {}; }

  shardir::ShardingRule getShardingRule() {
    // x and y share both dims; s has the rows alone.
    shardir::ShardingRule rule = shardir::ShardingRule::elementwise(*this);
    rule.operands[1].dims = {rule.results[0].dims[0]};
    return rule;
  }
};

class ConsumerDialect : public mlir::Dialect {
public:
  explicit ConsumerDialect(mlir::MLIRContext *context)
      : Dialect("consumer", context, mlir::TypeID::get<ConsumerDialect>()) {
    addOperations<RowScaleOp>();
  }
  static mlir::StringRef getDialectNamespace() { return "consumer"; }
};

/// Redistributions by ShardIR's patterns, next to whatever else this compiler
/// rewrites.
class RedistributePass
    : public mlir::PassWrapper<RedistributePass,
                               mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RedistributePass)

  void runOnOperation() override {
    shardir::MeshTable meshes(getOperation());
    mlir::RewritePatternSet simplify(&getContext());
    shardir::populateSimplifyRedistributePatterns(simplify, meshes);
    if (mlir::failed(
            mlir::applyPatternsGreedily(getOperation(), std::move(simplify))))
      return signalPassFailure();
    unsigned left = 0;
    getOperation()->walk([&](shardir::RedistributeOp op) {
      ++left;
      if (std::string why = shardir::explainNoPlan(op, meshes); !why.empty())
        op.emitOpError() << why;
    });
    llvm::outs() << "redistributions left: " << left << "\n";
    mlir::RewritePatternSet lower(&getContext());
    shardir::populateRedistributeToCollectivesPatterns(lower, meshes);
    if (mlir::failed(
            mlir::applyPatternsGreedily(getOperation(), std::move(lower))))
      signalPassFailure();
  }
};

} // namespace consumer

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: consumer PROGRAM.mlir\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  shardir::registerAllDialects(registry);
  registry.insert<consumer::ConsumerDialect>();

  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  module->walk([](consumer::RowScaleOp op) {
    shardir::ShardingRule rule = shardir::getShardingRule(op);
    llvm::errs() << "row_scale has " << rule.factors.size() << " factors\n";
  });

  shardir::PipelineOptions options;
  options.cost = "bytes";
  options.mesh = "tp=2";
  for (shardir::Stage stage :
       {shardir::Stage::Propagated, shardir::Stage::Collective,
        shardir::Stage::Local}) {
    mlir::PassManager pm(&context);
    if (stage == shardir::Stage::Collective) {
      pm.addPass(shardir::createInsertRedistribute());
      pm.addPass(std::make_unique<consumer::RedistributePass>());
    }
    shardir::buildPipeline(pm, stage, options);
    if (mlir::failed(pm.run(*module)))
      return 1;
    if (stage == shardir::Stage::Propagated)
      continue;
    llvm::outs() << "// " << shardir::stageName(stage) << "\n";
    module->print(llvm::outs());
  }
  return 0;
}
