//===- LoopMaps.cpp - Ops whose operands have maps from loops -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires an op in destination style with an attribute of maps; only `verify`
// may be asked of one that has not been verified. Guarantees of tiles that they
// read and write what the op does in the tile's iterations.
//
//===----------------------------------------------------------------------===//

#include "LoopMaps.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir::kernel;

SmallVector<int64_t> LoopMaps::staticExtents() const {
  SmallVector<int64_t> extents(numLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<ShapedType>(operand.get().getType());
    for (auto [dim, expr] :
         llvm::enumerate(of(operand.getOperandNumber()).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        if (!type.isDynamicDim(dim))
          extents[loop.getPosition()] = type.getDimSize(dim);
  }
  return extents;
}

SmallVector<OpFoldResult> LoopMaps::extents(OpBuilder &builder) const {
  SmallVector<int64_t> known = staticExtents();
  SmallVector<OpFoldResult> extents(known.size());
  for (auto [loop, extent] : llvm::enumerate(known))
    if (!ShapedType::isDynamic(extent))
      extents[loop] = builder.getIndexAttr(extent);
  Location loc = op->getLoc();
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] :
         llvm::enumerate(of(operand.getOperandNumber()).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || extents[loop.getPosition()])
        continue;
      extents[loop.getPosition()] =
          isa<MemRefType>(operand.get().getType())
              ? OpFoldResult(
                    memref::DimOp::create(builder, loc, operand.get(), dim)
                        .getResult())
              : OpFoldResult(
                    tensor::DimOp::create(builder, loc, operand.get(), dim)
                        .getResult());
    }
  return extents;
}

SmallVector<Range> LoopMaps::domain(OpBuilder &builder) const {
  SmallVector<Range> domain;
  for (OpFoldResult extent : extents(builder))
    domain.push_back(
        {builder.getIndexAttr(0), extent, builder.getIndexAttr(1)});
  return domain;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult
LoopMaps::verify(unsigned inits,
                 llvm::function_ref<std::string(unsigned)> nameOf) const {
  unsigned operands = op->getNumOperands();
  if (maps.size() != operands)
    return op->emitOpError("has ")
           << maps.size() << " indexing maps for " << operands
           << " operands; write one per operand";
  unsigned loops = numLoops();
  SmallVector<int64_t> extents(loops, ShapedType::kDynamic);
  SmallVector<std::string> named(loops);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    std::string name = nameOf(number);
    AffineMap map = of(number);
    auto type = cast<ShapedType>(operand.get().getType());
    if (!isa<RankedTensorType, MemRefType>(type))
      return op->emitOpError() << name << " must be a ranked tensor or a "
                               << "memref, found " << type;
    if (map.getNumDims() != loops || map.getNumSymbols() != 0)
      return op->emitOpError()
             << "indexing map of " << name << " must have " << loops
             << " loops and no symbols, as that of query, found "
             << AffineMapAttr::get(map);
    if (int64_t(map.getNumResults()) != type.getRank())
      return op->emitOpError()
             << "indexing map of " << name << " has " << map.getNumResults()
             << " results for rank " << type.getRank();
    bool init = number >= operands - inits;
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/!init))
      return op->emitOpError()
             << "indexing map of " << name << " must name loops, each once"
             << (init ? "" : ", or 0 for a dim of one element") << ", found "
             << AffineMapAttr::get(map);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      int64_t extent = type.getDimSize(dim);
      if (ShapedType::isDynamic(extent))
        continue;
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop) {
        if (extent != 1)
          return op->emitOpError()
                 << "indexing map of " << name << " is 0 in dim " << dim
                 << " of size " << extent << "; only a dim of size 1 may be";
        continue;
      }
      int64_t &known = extents[loop.getPosition()];
      std::string &by = named[loop.getPosition()];
      if (!ShapedType::isDynamic(known) && known != extent)
        return op->emitOpError()
               << "loop " << loop.getPosition() << " has size " << extent
               << " in dim " << dim << " of " << name << " and " << known
               << " in " << by;
      known = extent;
      by = ("dim " + Twine(dim) + " of " + name).str();
    }
  }

  bool tensors = isa<RankedTensorType>(op->getOperand(0).getType());
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) != tensors)
      return op->emitOpError("mixes tensors and memrefs");
  TypeRange results = op->getResultTypes();
  if (results.size() != (tensors ? inits : 0u))
    return op->emitOpError()
           << "has " << results.size() << " results; on "
           << (tensors ? "tensors it has " + std::to_string(inits) +
                             ": those of outs"
                       : "memrefs it has none");
  for (auto [i, type] : llvm::enumerate(results))
    if (type != op->getOperand(operands - inits + i).getType())
      return op->emitOpError()
             << "result " << i << " of type " << type << " must have the type "
             << op->getOperand(operands - inits + i).getType() << " of "
             << nameOf(operands - inits + i);
  return success();
}

LogicalResult shardir::kernel::verifyScalarBody(Operation *op, Region &region,
                                                StringRef name,
                                                ArrayRef<Type> arguments,
                                                StringRef what,
                                                unsigned yields) {
  Block &body = region.front();
  if (!llvm::equal(body.getArgumentTypes(), arguments)) {
    InFlightDiagnostic diag = op->emitOpError()
                              << name << " must take " << arguments << ": "
                              << what << "; found "
                              << SmallVector<Type>(body.getArgumentTypes());
    return diag;
  }
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != yields)
    return op->emitOpError()
           << name << " must end in a kernel.yield of "
           << (yields == 1 ? std::string("one value")
                           : std::to_string(yields) + " values");
  for (Operation &nested : body)
    if (!isMemoryEffectFree(&nested))
      return op->emitOpError() << name << " must have no effects, found '"
                               << nested.getName() << "'";
  return success();
}

void shardir::kernel::addDestinationEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void LoopMaps::positionOf(OpBuilder &builder, unsigned operand,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes,
                          SmallVectorImpl<OpFoldResult> &at,
                          SmallVectorImpl<OpFoldResult> &tile) const {
  for (AffineExpr expr : of(operand).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    at.push_back(loop ? offsets[loop.getPosition()]
                      : OpFoldResult(builder.getIndexAttr(0)));
    tile.push_back(loop ? sizes[loop.getPosition()]
                        : OpFoldResult(builder.getIndexAttr(1)));
  }
}

FailureOr<TilingResult>
LoopMaps::tiled(OpBuilder &builder, ArrayRef<OpFoldResult> offsets,
                ArrayRef<OpFoldResult> sizes,
                std::initializer_list<ArrayRef<unsigned>> untiled,
                StringRef what) const {
  SmallVector<int64_t> known = staticExtents();
  for (ArrayRef<unsigned> loops : untiled)
    for (unsigned loop : loops)
      if (!ShapedType::isDynamic(known[loop]) &&
          (!isConstantIntValue(offsets[loop], 0) ||
           !isConstantIntValue(sizes[loop], known[loop])))
        return op->emitOpError("cannot be tiled along loop ")
               << loop << ", which " << what;
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  SmallVector<Operation *> slices;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<OpFoldResult> at, size;
    positionOf(builder, operand.getOperandNumber(), offsets, sizes, at, size);
    SmallVector<OpFoldResult> strides(at.size(), builder.getIndexAttr(1));
    if (isa<MemRefType>(operand.get().getType())) {
      operands.push_back(memref::SubViewOp::create(builder, loc, operand.get(),
                                                   at, size, strides));
      continue;
    }
    auto slice = tensor::ExtractSliceOp::create(builder, loc, operand.get(), at,
                                                size, strides);
    slices.push_back(slice);
    operands.push_back(slice);
  }
  SmallVector<Type> types;
  for (Value init : ArrayRef<Value>(operands).take_back(op->getNumResults()))
    types.push_back(init.getType());
  Operation *tile = mlir::clone(builder, op, types, operands);
  // Bodies count from the beginning of the untiled op.
  tile->walk([&](LoopIndexOp index) {
    OpFoldResult offset = offsets[index.getLoop()];
    if (isConstantIntValue(offset, 0))
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(index);
    Value start = getValueOrCreateConstantIndexOp(builder, loc, offset);
    auto sum = arith::AddIOp::create(builder, loc, index.getResult(), start);
    index.getResult().replaceAllUsesExcept(sum, sum);
  });
  return TilingResult{{tile}, SmallVector<Value>(tile->getResults()), slices};
}
