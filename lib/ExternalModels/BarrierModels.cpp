//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shardir.optimization_barrier and collective.host_copy: every dim and every
// partial passes, and the local form is the op on local types. A barrier's
// buffer is the operand's.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"

using namespace mlir;
using namespace shardir;
using namespace mlir::bufferization;

template <typename Op> static ShardingRule barrierRule(Op op) {
  ShardingRule rule = ShardingRule::elementwise(op);
  passAnyPartial(rule, {0});
  rule.moves = ShardingRule::Moves::Nothing;
  return rule;
}

namespace {
struct BarrierBuffers
    : BufferizableOpInterface::ExternalModel<BarrierBuffers,
                                             OptimizationBarrierOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return false;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &,
                                      const AnalysisState &) const {
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    FailureOr<Value> buffer =
        getBuffer(rewriter, op->getOperand(0), options, state);
    if (failed(buffer))
      return failure();
    replaceOpWithBufferizedValues(rewriter, op, *buffer);
    return success();
  }
};
} // namespace

void shardir::registerBarrierModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ShardIRDialect *) {
    attachRule<OptimizationBarrierOp, barrierRule<OptimizationBarrierOp>>(
        context);
    OptimizationBarrierOp::attachInterface<BarrierBuffers>(*context);
  });
  registry.addExtension(
      +[](MLIRContext *context, collective::CollectiveDialect *) {
        using collective::HostCopyOp;
        attachRule<HostCopyOp, barrierRule<HostCopyOp>>(context);
      });
}
