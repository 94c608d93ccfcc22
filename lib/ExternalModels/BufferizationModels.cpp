//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the collective dialect bufferizes. Requires the local form on tensors;
// guarantees the buffer form on contiguous row-major buffers, which is all that
// the runtime takes. Results are new buffers, except for all_reduce, which may
// work in place where one-shot analysis allows it. Models fail without a
// message: upstream adds its own, and shardir-bufferize has checked before.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;
using bufferization::AliasingValueList;
using bufferization::AnalysisState;
using bufferization::BufferizableOpInterface;
using bufferization::BufferizationOptions;
using bufferization::BufferizationState;
using bufferization::BufferLikeType;
using bufferization::BufferRelation;

namespace {

MemRefType contiguousType(ShapedType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// `buffer` itself if it is contiguous, a view of full rows included, else a
/// contiguous copy of it.
FailureOr<Value> makeContiguous(RewriterBase &rewriter, Location loc,
                                Value buffer,
                                const BufferizationOptions &options) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return failure();
  if (type.areTrailingDimsContiguous(type.getRank()))
    return buffer;
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(rewriter, loc, buffer, dim));
  FailureOr<Value> copy =
      options.createAlloc(rewriter, loc, contiguousType(type), sizes);
  if (failed(copy) ||
      failed(options.createMemCpy(rewriter, loc, buffer, *copy)))
    return failure();
  return copy;
}

/// The operand of a collective: its own buffer, and where the runtime reads it.
struct Input {
  Value buffer, contiguous;
};

template <typename OpTy>
FailureOr<Input> inputOf(OpTy op, RewriterBase &rewriter,
                         const BufferizationOptions &options,
                         const BufferizationState &state) {
  FailureOr<Value> buffer =
      bufferization::getBuffer(rewriter, op.getInput(), options, state);
  if (failed(buffer))
    return failure();
  FailureOr<Value> contiguous =
      makeContiguous(rewriter, op.getLoc(), *buffer, options);
  if (failed(contiguous))
    return failure();
  return Input{*buffer, *contiguous};
}

/// Base of the models of ops that read their operand and make a new buffer.
template <typename Model, typename OpTy>
struct RematerializableModel
    : BufferizableOpInterface::ExternalModel<Model, OpTy> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
  FailureOr<BufferLikeType> getBufferType(Operation *, Value value,
                                          const BufferizationOptions &,
                                          const BufferizationState &,
                                          SmallVector<Value> &) const {
    return cast<BufferLikeType>(
        contiguousType(cast<ShapedType>(value.getType())));
  }
};

/// Replaces a step by its buffer form from `in` into `out`.
template <typename OpTy>
void createBufferStep(RewriterBase &rewriter, OpTy op, Value in, Value out) {
  auto step =
      OpTy::create(rewriter, op.getLoc(), TypeRange(), in, out, ValueRange(),
                   op.getDims(), op.getFromAttr(), op.getToAttr(),
                   op.getHaloAttr(), op.getGlobalAttr(), op.getReasonAttr());
  if (Attribute bucket = op->getAttr(kBucket))
    step->setAttr(kBucket, bucket);
}

template <typename OpTy>
struct StepModel : RematerializableModel<StepModel<OpTy>, OpTy> {
  LogicalResult bufferize(Operation *operation, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto op = cast<OpTy>(operation);
    if (!op.isLocal())
      return failure();
    FailureOr<Input> input = inputOf(op, rewriter, options, state);
    if (failed(input))
      return failure();
    FailureOr<Value> out = options.createAlloc(
        rewriter, op.getLoc(),
        contiguousType(cast<ShapedType>(op.getResult().getType())),
        op.getSizes());
    if (failed(out))
      return failure();
    createBufferStep(rewriter, op, input->contiguous, *out);
    bufferization::replaceOpWithBufferizedValues(rewriter, op, *out);
    return success();
  }
};

/// In place: operand and result have one shape, and the runtime takes one
/// buffer as both.
struct AllReduceModel
    : BufferizableOpInterface::ExternalModel<AllReduceModel, AllReduceOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return true;
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &,
                                      const AnalysisState &) const {
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }
  LogicalResult bufferize(Operation *operation, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto op = cast<AllReduceOp>(operation);
    if (!op.isLocal())
      return failure();
    FailureOr<Input> input = inputOf(op, rewriter, options, state);
    if (failed(input))
      return failure();
    auto [buffer, work] = *input;
    createBufferStep(rewriter, op, work, work);
    // The analysis counts on the result being the operand's own buffer.
    if (work != buffer &&
        failed(options.createMemCpy(rewriter, op.getLoc(), work, buffer)))
      return failure();
    bufferization::replaceOpWithBufferizedValues(rewriter, op, buffer);
    return success();
  }
};

/// The extents of a rooted collective's result where the type leaves them open:
/// those of the operand, dim 0 times the size of the group or cut into blocks.
template <typename OpTy>
FailureOr<SmallVector<Value>> resultSizes(RewriterBase &rewriter, OpTy op,
                                          Value input) {
  SmallVector<Value> sizes;
  auto type = cast<ShapedType>(op.getResult().getType());
  Location loc = op.getLoc();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value size = memref::DimOp::create(rewriter, loc, input, dim);
    if (dim == 0 && !isa<BroadcastOp>(op.getOperation())) {
      int64_t devices =
          collective::detail::groupSize(op, op.getMeshAttr(), op.getAxes());
      if (devices == 0)
        return failure();
      if (isa<GatherOp>(op.getOperation()))
        size = arith::MulIOp::create(
            rewriter, loc, size,
            arith::ConstantIndexOp::create(rewriter, loc, devices));
      else
        size = collective::detail::createBlockExtent(
            rewriter, loc, op, op.getMeshAttr(), op.getAxes(), size);
    }
    sizes.push_back(size);
  }
  return sizes;
}

template <typename OpTy>
struct RootedModel : RematerializableModel<RootedModel<OpTy>, OpTy> {
  LogicalResult bufferize(Operation *operation, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto op = cast<OpTy>(operation);
    Location loc = op.getLoc();
    FailureOr<Input> input = inputOf(op, rewriter, options, state);
    if (failed(input))
      return failure();
    FailureOr<SmallVector<Value>> sizes =
        resultSizes(rewriter, op, input->buffer);
    if (failed(sizes))
      return failure();
    FailureOr<Value> out = options.createAlloc(
        rewriter, loc,
        contiguousType(cast<ShapedType>(op.getResult().getType())), *sizes);
    if (failed(out))
      return failure();
    OpTy::create(rewriter, loc, Type(), input->contiguous, *out, op.getRoot(),
                 op.getMeshAttr(), op.getAxesAttr());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, *out);
    return success();
  }
};

struct SendModel : RematerializableModel<SendModel, SendOp> {
  LogicalResult bufferize(Operation *operation, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto op = cast<SendOp>(operation);
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, op.getInput(), options, state);
    if (failed(buffer))
      return failure();
    FailureOr<Value> in =
        makeContiguous(rewriter, op.getLoc(), *buffer, options);
    if (failed(in))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(*in); });
    return success();
  }
};

struct RecvModel : RematerializableModel<RecvModel, RecvOp> {
  LogicalResult bufferize(Operation *operation, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto op = cast<RecvOp>(operation);
    auto type = cast<ShapedType>(op.getResult().getType());
    if (!type.hasStaticShape())
      return failure();
    FailureOr<Value> out =
        options.createAlloc(rewriter, op.getLoc(), contiguousType(type), {});
    if (failed(out))
      return failure();
    RecvOp::create(rewriter, op.getLoc(), Type(), *out, op.getPeer(),
                   op.getMeshAttr(), op.getAxesAttr());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, *out);
    return success();
  }
};

/// The result of a copy to the host has a buffer there.
struct HostCopyModel : RematerializableModel<HostCopyModel, HostCopyOp> {
  static MemRefType bufferType(HostCopyOp op) {
    MemRefType type =
        contiguousType(cast<ShapedType>(op.getResult().getType()));
    if (!op.getToHost())
      return type;
    return MemRefType::Builder(type).setMemorySpace(
        HostAttr::get(op.getContext()));
  }
  FailureOr<BufferLikeType> getBufferType(Operation *op, Value,
                                          const BufferizationOptions &,
                                          const BufferizationState &,
                                          SmallVector<Value> &) const {
    return cast<BufferLikeType>(bufferType(cast<HostCopyOp>(op)));
  }
  LogicalResult bufferize(Operation *operation, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto op = cast<HostCopyOp>(operation);
    Location loc = op.getLoc();
    FailureOr<Input> input = inputOf(op, rewriter, options, state);
    if (failed(input))
      return failure();
    MemRefType type = bufferType(op);
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(
            memref::DimOp::create(rewriter, loc, input->buffer, dim));
    FailureOr<Value> out = options.createAlloc(rewriter, loc, type, sizes);
    if (failed(out))
      return failure();
    HostCopyOp::create(rewriter, loc, Type(), input->contiguous, *out,
                       op.getToHost());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, *out);
    return success();
  }
};

} // namespace

void shardir::registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CollectiveDialect *) {
    AllGatherOp::attachInterface<StepModel<AllGatherOp>>(*context);
    ReduceScatterOp::attachInterface<StepModel<ReduceScatterOp>>(*context);
    AllToAllOp::attachInterface<StepModel<AllToAllOp>>(*context);
    PermuteOp::attachInterface<StepModel<PermuteOp>>(*context);
    ExchangeOp::attachInterface<StepModel<ExchangeOp>>(*context);
    HaloExchangeOp::attachInterface<StepModel<HaloExchangeOp>>(*context);
    AllReduceOp::attachInterface<AllReduceModel>(*context);
    BroadcastOp::attachInterface<RootedModel<BroadcastOp>>(*context);
    GatherOp::attachInterface<RootedModel<GatherOp>>(*context);
    ScatterOp::attachInterface<RootedModel<ScatterOp>>(*context);
    SendOp::attachInterface<SendModel>(*context);
    RecvOp::attachInterface<RecvModel>(*context);
    HostCopyOp::attachInterface<HostCopyModel>(*context);
    // The models create ops of these.
    context->loadDialect<arith::ArithDialect, memref::MemRefDialect,
                         bufferization::BufferizationDialect>();
  });
}
