//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for schedules: launches, and the pieces of a linalg op (extents,
// body, indices) that they put into kernels. Requires ops on memrefs;
// guarantees ops of arith, affine, memref and gpu alone.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace shardir;

std::string shardir::kernelName(Operation *at, StringRef name) {
  std::string text;
  if (auto function = at->getParentOfType<func::FuncOp>())
    text = function.getSymName().str() + "_";
  text += name.str();
  for (char &c : text)
    if (!llvm::isAlnum(c))
      c = '_';
  if (llvm::isDigit(text.front()))
    text.insert(text.begin(), '_');
  return text;
}

std::optional<int64_t> shardir::forcedNumber(Operation *op, StringRef name) {
  auto forced = op->getAttrOfType<DictionaryAttr>(kForcedPlan);
  auto number = forced ? forced.getAs<IntegerAttr>(name) : IntegerAttr();
  return number ? std::optional<int64_t>(number.getInt()) : std::nullopt;
}

bool shardir::agreesWithForced(Operation *op, const PlanNumbers &plan) {
  return llvm::all_of(plan, [&](const std::pair<StringRef, int64_t> &number) {
    return forcedNumber(op, number.first).value_or(number.second) ==
           number.second;
  });
}

bool shardir::isLeftTo(StringRef library, Operation *op) {
  auto libraries = op->getAttrOfType<ArrayAttr>(kByLibrary);
  return libraries &&
         llvm::is_contained(libraries.getAsValueRange<StringAttr>(), library);
}

gpu::LaunchOp shardir::createLaunch(RewriterBase &rewriter, Location loc,
                                    StringRef name, const LaunchShape &shape) {
  Value one;
  auto orOne = [&](Value value) {
    if (value)
      return value;
    if (!one)
      one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    return one;
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  Value cluster[3];
  if (shape.cluster != std::array<int64_t, 3>{1, 1, 1})
    for (int i = 0; i < 3; ++i)
      cluster[i] = constant(shape.cluster[i]);
  Value shared;
  if (shape.sharedBytes > 0)
    shared = arith::ConstantIntOp::create(rewriter, loc, shape.sharedBytes, 32);
  Value grid[3], block[3];
  for (int i = 0; i < 3; ++i) {
    grid[i] = orOne(shape.grid[i]);
    block[i] = orOne(shape.block[i]);
  }
  auto launch = gpu::LaunchOp::create(
      rewriter, loc, grid[0], grid[1], grid[2], block[0], block[1], block[2],
      shared, Type(), ValueRange(), TypeRange(), TypeRange(), cluster[0],
      cluster[1], cluster[2]);
  // Upstream's builder leaves out the numbers and extents of clusters.
  while (launch.getBody().getNumArguments() <
         launch.getNumConfigRegionAttributes())
    launch.getBody().addArgument(rewriter.getIndexType(), loc);
  launch->setAttr(ShardIRDialect::kKernel,
                  rewriter.getStringAttr(kernelName(launch, name)));
  rewriter.setInsertionPointToEnd(&launch.getBody().front());
  auto end = gpu::TerminatorOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  return launch;
}

SmallVector<Value> shardir::loopExtents(RewriterBase &rewriter,
                                        linalg::LinalgOp op) {
  Location loc = op.getLoc();
  SmallVector<int64_t> known = op.getStaticLoopRanges();
  SmallVector<Value> extents;
  AffineMap shapesToLoops = op.getShapesToLoopsMap();
  // One extent for each dim of each operand, in the order of that map.
  SmallVector<OpFoldResult> shapes;
  if (llvm::is_contained(known, ShapedType::kDynamic))
    shapes = op.createFlatListOfOperandDims(rewriter, loc);
  for (auto [loop, extent] : llvm::enumerate(known)) {
    if (!ShapedType::isDynamic(extent)) {
      extents.push_back(arith::ConstantIndexOp::create(rewriter, loc, extent));
      continue;
    }
    OpFoldResult size = affine::makeComposedFoldedAffineApply(
        rewriter, loc, shapesToLoops.getSubMap({unsigned(loop)}), shapes);
    extents.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, size));
  }
  return extents;
}

SmallVector<Value> shardir::inlineBody(RewriterBase &rewriter,
                                       linalg::LinalgOp op,
                                       ValueRange iteration,
                                       ValueRange arguments) {
  Block *body = op.getBlock();
  IRMapping mapping;
  mapping.map(body->getArguments(), arguments);
  for (Operation &nested : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      mapping.map(index.getResult(), iteration[index.getDim()]);
      continue;
    }
    rewriter.clone(nested, mapping);
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

SmallVector<Value> shardir::operandIndices(RewriterBase &rewriter,
                                           linalg::LinalgOp op,
                                           OpOperand &operand,
                                           ValueRange iteration) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> loops = getAsOpFoldResult(iteration);
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      indices.push_back(iteration[dim.getPosition()]);
      continue;
    }
    OpFoldResult index = affine::makeComposedFoldedAffineApply(
        rewriter, op.getLoc(),
        AffineMap::get(map.getNumDims(), map.getNumSymbols(), expr), loops);
    indices.push_back(
        getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), index));
  }
  return indices;
}

SmallVector<int64_t> shardir::assumedLoopExtents(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (int64_t &extent : extents)
    if (ShapedType::isDynamic(extent))
      extent = assumedExtent;
  return extents;
}
