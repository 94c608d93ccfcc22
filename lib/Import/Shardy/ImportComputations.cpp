//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites Shardy's ops with regions. Requires that the placements of their
// borders have been found; guarantees that the region's ops stand in a manual
// region or in the place of the op, and that a border whose types do not fit is
// an error at the op.
//
//===----------------------------------------------------------------------===//

#include "ImportComputations.h"
#include "../ImportMeshes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace shardir;

LogicalResult shardir::readComputation(Operation *op, Computation &borders) {
  borders.isManual = op->getName().getStringRef() == "sdy.manual_computation";
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock() ||
      op->getRegion(0).getNumArguments() != op->getNumOperands() ||
      op->getRegion(0).front().empty())
    return op->emitOpError("needs one block with one argument per operand");
  Operation *yield = &op->getRegion(0).front().back();
  if (yield->getName().getStringRef() != "sdy.return" ||
      yield->getNumOperands() != op->getNumResults())
    return op->emitOpError("must end with an sdy.return of its results");
  if (!borders.isManual)
    return success();
  Attribute axes = op->getAttr("manual_axes");
  if (!axes)
    return op->emitOpError("needs 'manual_axes'");
  std::string error;
  auto names = parseShardyManualAxes(textOf(axes), error);
  if (!names)
    return op->emitOpError("has manual axes that cannot be read: ") << error;
  borders.axes = *names;
  return success();
}

/// Replaces a computation, once its shardings are placements.
LogicalResult shardir::replaceComputation(Operation *op, Computation &borders) {
  OpBuilder builder(op);
  Block &body = op->getRegion(0).front();
  Operation *yield = &body.back();
  if (!borders.isManual) {
    auto constrained = [&](Value value, PlacementAttr placement) -> Value {
      if (!placement)
        return value;
      return ConstrainOp::create(builder, op->getLoc(), value.getType(), value,
                                 placement);
    };
    for (auto [argument, value, placement] :
         llvm::zip(body.getArguments(), op->getOperands(), borders.in)) {
      if (argument.getType() != value.getType())
        return op->emitOpError("has an argument of another type than its "
                               "operand");
      argument.replaceAllUsesWith(constrained(value, placement));
    }
    op->getBlock()->getOperations().splice(Block::iterator(op),
                                           body.getOperations(), body.begin(),
                                           Block::iterator(yield));
    for (auto [result, value, placement] :
         llvm::zip(op->getResults(), yield->getOperands(), borders.out)) {
      if (result.getType() != value.getType())
        return op->emitOpError("has a result of another type than what it "
                               "returns");
      result.replaceAllUsesWith(constrained(value, placement));
    }
    op->erase();
    return success();
  }
  SmallVector<Attribute> in(borders.in.begin(), borders.in.end());
  SmallVector<Attribute> out(borders.out.begin(), borders.out.end());
  if (llvm::is_contained(in, Attribute()) ||
      llvm::is_contained(out, Attribute()))
    return op->emitOpError("takes or gives what is no ranked tensor");
  SmallVector<StringRef> axes(borders.axes.begin(), borders.axes.end());
  // The program's author guarantees results that are equal along an axis.
  auto manual = ManualOp::create(
      builder, op->getLoc(), op->getResultTypes(), op->getOperands(),
      builder.getArrayAttr(in), builder.getArrayAttr(out),
      builder.getStrArrayAttr(axes), /*unchecked=*/true);
  manual.getBody().takeBody(op->getRegion(0));
  builder.setInsertionPoint(yield);
  YieldOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
  op->replaceAllUsesWith(manual);
  op->erase();
  return success();
}
