//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops and branches of manual regions: one for all positions, with the values
// of each. Requires what Unsharder.h says; a collective inside is refused
// where devices of its group need not reach it together.
//
//===----------------------------------------------------------------------===//

#include "Unsharder.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace shardir;

LogicalResult Unsharder::checkControl(Operation *op, ValueRange control) {
  for (Value value : control)
    if (!varying.of(value).empty())
      return op->emitOpError("holds a collective, and what decides whether or "
                             "how often it runs varies along \"")
             << *varying.of(value).begin()
             << "\"; devices of a group must run it together";
  return success();
}

LogicalResult Unsharder::emitFor(scf::ForOp op) {
  if (failed(checkControl(
          op, {op.getLowerBound(), op.getUpperBound(), op.getStep()})))
    return failure();
  auto loop = scf::ForOp::create(
      builder, op.getLoc(), lookup(op.getLowerBound(), {}),
      lookup(op.getUpperBound(), {}), lookup(op.getStep(), {}),
      expand(op.getInitArgs(), op.getResults()));
  map(op.getInductionVar(), {}, loop.getInductionVar());
  mapExpanded(op.getRegionIterArgs(), loop.getRegionIterArgs());
  OpBuilder::InsertionGuard guard(builder);
  if (!loop.getBody()->empty())
    loop.getBody()->getTerminator()->erase();
  builder.setInsertionPointToEnd(loop.getBody());
  if (failed(emitBlock(*op.getBody())))
    return failure();
  Operation *yield = op.getBody()->getTerminator();
  scf::YieldOp::create(builder, yield->getLoc(),
                       expand(yield->getOperands(), op.getResults()));
  mapExpanded(op.getResults(), loop.getResults());
  return success();
}

LogicalResult Unsharder::emitIf(scf::IfOp op) {
  if (failed(checkControl(op, op.getCondition())))
    return failure();
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(
      builder, op.getLoc(), expandTypes(op.getResults()),
      lookup(op.getCondition(), {}), /*addThenBlock=*/true, hasElse);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [old, own] : llvm::zip(op->getRegions(), branch->getRegions())) {
    if (old.empty())
      continue;
    own.front().clear();
    builder.setInsertionPointToEnd(&own.front());
    if (failed(emitBlock(old.front())))
      return failure();
    Operation *yield = old.front().getTerminator();
    scf::YieldOp::create(builder, yield->getLoc(),
                         expand(yield->getOperands(), op.getResults()));
  }
  mapExpanded(op.getResults(), branch.getResults());
  return success();
}

LogicalResult Unsharder::emitWhile(scf::WhileOp op) {
  scf::ConditionOp condition = op.getConditionOp();
  if (failed(checkControl(op, condition.getCondition())))
    return failure();
  auto loop =
      scf::WhileOp::create(builder, op.getLoc(), expandTypes(op.getResults()),
                           expand(op.getInits(), op.getBeforeArguments()));
  OpBuilder::InsertionGuard guard(builder);
  auto fill = [&](Region &region, Block &old) {
    SmallVector<Type> types = expandTypes(old.getArguments());
    Block *block =
        builder.createBlock(&region, region.end(), types,
                            SmallVector<Location>(types.size(), op.getLoc()));
    mapExpanded(old.getArguments(), block->getArguments());
    builder.setInsertionPointToEnd(block);
    return emitBlock(old);
  };
  if (failed(fill(loop.getBefore(), *op.getBeforeBody())))
    return failure();
  scf::ConditionOp::create(builder, condition.getLoc(),
                           lookup(condition.getCondition(), {}),
                           expand(condition.getArgs(), op.getResults()));
  if (failed(fill(loop.getAfter(), *op.getAfterBody())))
    return failure();
  scf::YieldOp yield = op.getYieldOp();
  scf::YieldOp::create(builder, yield.getLoc(),
                       expand(yield.getOperands(), op.getBeforeArguments()));
  mapExpanded(op.getResults(), loop.getResults());
  return success();
}
