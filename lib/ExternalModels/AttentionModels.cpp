//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the attention ops bufferize. Requires the form on tensors; guarantees the
// form on memrefs, which reads its inputs and updates its inits in place,
// as ops in destination style do.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace shardir;
using bufferization::BufferizationOptions;
using bufferization::BufferizationState;

namespace {

template <typename Op>
struct AttentionModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<AttentionModel<Op>,
                                                             Op> {
  LogicalResult bufferize(Operation *operation, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto op = cast<Op>(operation);
    if (!op.hasPureTensorSemantics())
      return success(op.hasPureBufferSemantics());
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    OperationState created(op.getLoc(), Op::getOperationName());
    created.addOperands(buffers);
    created.addAttributes(op->getAttrs());
    for (Region &region : op->getRegions())
      created.addRegion()->takeBody(region);
    rewriter.create(created);
    bufferization::replaceOpWithBufferizedValues(
        rewriter, op, ArrayRef<Value>(buffers).take_back(3));
    return success();
  }
};

/// Bodies are scalar and run within the op, as those of linalg ops do: control
/// passes the op. The deallocation of buffers takes no op of two regions that
/// does not say so. The defaults of external models do not compile in LLVM 22.
template <typename Op>
struct AttentionControlFlow
    : RegionBranchOpInterface::ExternalModel<AttentionControlFlow<Op>, Op> {
  using Regions = SmallVectorImpl<RegionSuccessor>;

  OperandRange getEntrySuccessorOperands(Operation *op, RegionSuccessor) const {
    return OperandRange(op->operand_end(), op->operand_end());
  }
  void getEntrySuccessorRegions(Operation *op, ArrayRef<Attribute>,
                                Regions &regions) const {
    getSuccessorRegions(op, RegionBranchPoint::parent(), regions);
  }
  void getSuccessorRegions(Operation *op, RegionBranchPoint point,
                           Regions &regions) const {
    if (point.isParent())
      regions.push_back(RegionSuccessor(op, op->getResults().take_front(0)));
  }
  void getSuccessorRegions_3(Operation *, Region &, Regions &) const {}
  void getPredecessors(Operation *, RegionSuccessor successor,
                       SmallVectorImpl<RegionBranchPoint> &points) const {
    if (successor.isParent())
      points.push_back(RegionBranchPoint::parent());
  }
  void getPredecessorValues(Operation *, RegionSuccessor, int,
                            SmallVectorImpl<Value> &) const {}
};

} // namespace

void shardir::registerAttentionModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, kernel::KernelDialect *) {
    kernel::AttentionOp::attachInterface<
        AttentionModel<kernel::AttentionOp>,
        AttentionControlFlow<kernel::AttentionOp>>(*context);
    kernel::AttentionBackwardOp::attachInterface<
        AttentionModel<kernel::AttentionBackwardOp>,
        AttentionControlFlow<kernel::AttentionBackwardOp>>(*context);
  });
}
