//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of linalg that no indexing maps describe: softmax, pack and unpack,
// and the Winograd transforms.
//
// A packed dim is two, outer and tile, and the plain one lists both as factors,
// like a reshape: either may be split, and nothing moves. Where tiles do not
// divide a dim it is padded, and unsharded. The dim of a softmax is unsharded;
// sharded programs have it decomposed before (shardir-normalize), so that its
// two reductions are all that is communicated.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"
#include "ShardIR/ExternalModels/Relayout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// softmax
//===----------------------------------------------------------------------===//

static ShardingRule softmaxRule(linalg::SoftmaxOp op) {
  if (!op.hasPureTensorSemantics())
    return ShardingRule::replicated(op, "linalg on buffers is local already");
  ShardingRule rule = replicatedRule(op);
  RankedTensorType input = cast<RankedTensorType>(op.getInput().getType());
  RankedTensorType output = cast<RankedTensorType>(op.getOutput().getType());
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    if (dim == int64_t(op.getDimension()))
      continue;
    int factor = rule.addFactor(
        commonExtent(input.getDimSize(dim), output.getDimSize(dim)));
    for (TensorFactors *tensor :
         {&rule.operands[0], &rule.operands[1], &rule.results[0]})
      tensor->dims[dim] = {factor};
  }
  return rule;
}

static LocalValues localizeSoftmax(linalg::SoftmaxOp op, OpBuilder &builder,
                                   Localizer &localizer, ValueRange operands) {
  return SmallVector<Value>(
      cloneLocal(builder, localizer, op, operands)->getResults());
}

//===----------------------------------------------------------------------===//
// pack and unpack
//===----------------------------------------------------------------------===//

/// The factors of the plain tensor's dims, shared by the packed one's. Returns
/// whether some dim is padded, or may be.
static bool relayoutFactors(ShardingRule &rule, RankedTensorType plain,
                            RankedTensorType packed,
                            ArrayRef<int64_t> innerDimsPos,
                            ArrayRef<int64_t> outerDimsPerm,
                            TensorFactors &plainFactors,
                            TensorFactors &packedFactors) {
  int64_t rank = plain.getRank();
  bool padded = false;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t dim = outerDimsPerm.empty() ? i : outerDimsPerm[i];
    int64_t extent = plain.getDimSize(dim), outer = packed.getDimSize(i);
    const int64_t *tile = llvm::find(innerDimsPos, dim);
    if (tile == innerDimsPos.end()) {
      int factor = rule.addFactor(commonExtent(extent, outer));
      plainFactors.dims[dim] = {factor};
      packedFactors.dims[i] = {factor};
      continue;
    }
    int64_t innerDim = rank + (tile - innerDimsPos.begin());
    int64_t inner = packed.getDimSize(innerDim);
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(outer) ||
        ShapedType::isDynamic(inner) || outer * inner != extent) {
      padded = true;
      continue;
    }
    for (auto [size, packedDim] : {std::pair(outer, i), {inner, innerDim}}) {
      if (size <= 1)
        continue;
      int factor = rule.addFactor(size);
      plainFactors.dims[dim].push_back(factor);
      packedFactors.dims[packedDim] = {factor};
    }
  }
  return padded;
}

static ShardingRule packRule(linalg::PackOp op) {
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto dest = dyn_cast<RankedTensorType>(op.getDest().getType());
  if (!source || !dest)
    return ShardingRule::replicated(op, "linalg on buffers is local already");
  ShardingRule rule = replicatedRule(op);
  bool padded =
      relayoutFactors(rule, source, dest, op.getInnerDimsPos(),
                      op.getOuterDimsPerm(), rule.operands[0], rule.results[0]);
  rule.operands[1] = rule.results[0];
  if (!padded)
    passAnyPartial(rule, {0});
  return rule;
}

static ShardingRule unpackRule(linalg::UnPackOp op) {
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto dest = dyn_cast<RankedTensorType>(op.getDest().getType());
  if (!source || !dest)
    return ShardingRule::replicated(op, "linalg on buffers is local already");
  ShardingRule rule = replicatedRule(op);
  relayoutFactors(rule, dest, source, op.getInnerDimsPos(),
                  op.getOuterDimsPerm(), rule.results[0], rule.operands[0]);
  rule.operands[1] = rule.results[0];
  passAnyPartial(rule, {0});
  return rule;
}

static LocalValues localizePack(linalg::PackOp op, OpBuilder &builder,
                                Localizer &, ValueRange operands) {
  Value padding = op.getPaddingValue() ? operands[2] : Value();
  return SmallVector<Value>{
      buildPack(builder, op, operands[0], operands[1], padding)};
}

static LocalValues localizeUnPack(linalg::UnPackOp op, OpBuilder &builder,
                                  Localizer &, ValueRange operands) {
  return SmallVector<Value>{buildUnPack(builder, op, operands[0], operands[1])};
}

//===----------------------------------------------------------------------===//
// Winograd
//===----------------------------------------------------------------------===//

template <typename Op> static ShardingRule winogradRule(Op op) {
  return ShardingRule::replicated(
      op, "a Winograd transform has fixed tiles, which shards would change");
}

void shardir::attachLinalgOpsModels(MLIRContext *context) {
  attachModels<linalg::SoftmaxOp, softmaxRule, localizeSoftmax>(context);
  attachModels<linalg::PackOp, packRule, localizePack>(context);
  attachModels<linalg::UnPackOp, unpackRule, localizeUnPack>(context);
  attachRule<linalg::WinogradFilterTransformOp,
             winogradRule<linalg::WinogradFilterTransformOp>>(context);
  attachRule<linalg::WinogradInputTransformOp,
             winogradRule<linalg::WinogradInputTransformOp>>(context);
  attachRule<linalg::WinogradOutputTransformOp,
             winogradRule<linalg::WinogradOutputTransformOp>>(context);
}
