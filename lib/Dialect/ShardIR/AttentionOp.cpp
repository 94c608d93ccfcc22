//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attention op's roles of loops and its verifier. Requires nothing;
// guarantees of an op that verifies: every loop has one role, every operand's
// map has one result per dim, extents agree where they are known, and bodies
// are given and yield scalars of the types that the op's formulas need.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<unsigned> AttentionOp::Loops::outer() const {
  SmallVector<unsigned> loops(batch);
  llvm::append_range(loops, m);
  llvm::sort(loops);
  return loops;
}

AffineMap AttentionOp::getMap(unsigned operand) {
  return cast<AffineMapAttr>(getIndexingMaps()[operand]).getValue();
}

unsigned AttentionOp::getNumLoops() { return getMap(0).getNumDims(); }

FloatType AttentionOp::getComputeType() {
  return cast<FloatType>(cast<ShapedType>(getMax().getType()).getElementType());
}

static bool hasLoop(AffineMap map, unsigned loop) {
  return map.isFunctionOfDim(loop);
}

AttentionOp::Loops AttentionOp::getLoops() {
  unsigned inits = getNumOperands() - 3;
  AffineMap query = getMap(0), key = getMap(1), value = getMap(2),
            acc = getMap(inits), max = getMap(inits + 1);
  Loops loops;
  for (unsigned loop = 0; loop < getNumLoops(); ++loop) {
    if (hasLoop(max, loop))
      (hasLoop(key, loop) || hasLoop(value, loop) || !hasLoop(query, loop)
           ? loops.batch
           : loops.m)
          .push_back(loop);
    else if (hasLoop(acc, loop))
      loops.v.push_back(loop);
    else
      (hasLoop(query, loop) ? loops.k : loops.n).push_back(loop);
  }
  return loops;
}

SmallVector<int64_t> AttentionOp::getStaticLoopExtents() {
  SmallVector<int64_t> extents(getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    auto type = cast<ShapedType>(operand.get().getType());
    for (auto [dim, expr] : llvm::enumerate(getMap(operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        if (!type.isDynamicDim(dim))
          extents[loop.getPosition()] = type.getDimSize(dim);
  }
  return extents;
}

SmallVector<OpFoldResult> AttentionOp::getLoopExtents(OpBuilder &builder) {
  SmallVector<int64_t> known = getStaticLoopExtents();
  SmallVector<OpFoldResult> extents(known.size());
  for (auto [loop, extent] : llvm::enumerate(known))
    if (!ShapedType::isDynamic(extent))
      extents[loop] = builder.getIndexAttr(extent);
  for (OpOperand &operand : getOperation()->getOpOperands())
    for (auto [dim, expr] : llvm::enumerate(getMap(operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || extents[loop.getPosition()])
        continue;
      extents[loop.getPosition()] =
          isa<MemRefType>(operand.get().getType())
              ? OpFoldResult(
                    memref::DimOp::create(builder, getLoc(), operand.get(), dim)
                        .getResult())
              : OpFoldResult(
                    tensor::DimOp::create(builder, getLoc(), operand.get(), dim)
                        .getResult());
    }
  return extents;
}

//===----------------------------------------------------------------------===//
// Inits, bodies, effects
//===----------------------------------------------------------------------===//

/// Whether all elements of tensor `value` are a constant that `test` accepts.
static bool isFilledWith(Value value,
                         llvm::function_ref<bool(const APFloat &)> test) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    FloatAttr scalar;
    return matchPattern(fill.getInputs()[0], m_Constant(&scalar)) &&
           test(scalar.getValue());
  }
  DenseFPElementsAttr splat;
  return matchPattern(value, m_Constant(&splat)) && splat.isSplat() &&
         test(splat.getSplatValue<APFloat>());
}

bool AttentionOp::hasNeutralInits() {
  auto isZero = [](const APFloat &x) { return x.isZero(); };
  auto isLowest = [](const APFloat &x) {
    return x.isInfinity() && x.isNegative();
  };
  return isFilledWith(getAcc(), isZero) && isFilledWith(getMax(), isLowest) &&
         isFilledWith(getSum(), isZero);
}

bool AttentionOp::hasPlainProb() {
  Block &body = getProb().front();
  Value value = body.getTerminator()->getOperand(0);
  Operation *cast = value.getDefiningOp();
  if (isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(cast))
    value = cast->getOperand(0);
  return value == body.getArgument(0);
}

void AttentionOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// "query", "extra 0", …: how errors name an operand.
static std::string nameOf(AttentionOp op, unsigned operand) {
  static constexpr llvm::StringLiteral inputs[] = {"query", "key", "value"};
  static constexpr llvm::StringLiteral inits[] = {"acc", "max", "sum"};
  if (operand < 3)
    return inputs[operand].str();
  if (operand >= op->getNumOperands() - 3)
    return inits[operand + 3 - op->getNumOperands()].str();
  return ("extra " + Twine(operand - 3)).str();
}

static LogicalResult verifyMaps(AttentionOp op) {
  ArrayAttr maps = op.getIndexingMaps();
  if (maps.size() != op->getNumOperands())
    return op.emitOpError("has ")
           << maps.size() << " indexing maps for " << op->getNumOperands()
           << " operands; write one per operand";
  unsigned loops = op.getMap(0u).getNumDims();
  SmallVector<int64_t> extents(loops, ShapedType::kDynamic);
  SmallVector<std::string> named(loops);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    std::string name = nameOf(op, number);
    AffineMap map = op.getMap(operand);
    auto type = cast<ShapedType>(operand.get().getType());
    if (!isa<RankedTensorType, MemRefType>(type))
      return op.emitOpError() << name << " must be a ranked tensor or a "
                              << "memref, found " << type;
    if (map.getNumDims() != loops || map.getNumSymbols() != 0)
      return op.emitOpError()
             << "indexing map of " << name << " must have " << loops
             << " loops and no symbols, as that of query, found "
             << AffineMapAttr::get(map);
    if (int64_t(map.getNumResults()) != type.getRank())
      return op.emitOpError()
             << "indexing map of " << name << " has " << map.getNumResults()
             << " results for rank " << type.getRank();
    bool init = op.isDpsInit(&operand);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/!init))
      return op.emitOpError()
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
          return op.emitOpError()
                 << "indexing map of " << name << " is 0 in dim " << dim
                 << " of size " << extent << "; only a dim of size 1 may be";
        continue;
      }
      int64_t &known = extents[loop.getPosition()];
      std::string &by = named[loop.getPosition()];
      if (!ShapedType::isDynamic(known) && known != extent)
        return op.emitOpError() << "loop " << loop.getPosition() << " has size "
                                << extent << " in dim " << dim << " of " << name
                                << " and " << known << " in " << by;
      known = extent;
      by = ("dim " + Twine(dim) + " of " + name).str();
    }
  }
  return success();
}

/// Every loop has one of the roles that the op's description defines.
static LogicalResult verifyRoles(AttentionOp op) {
  unsigned inits = op->getNumOperands() - 3;
  AffineMap query = op.getMap(0u), key = op.getMap(1u), value = op.getMap(2u),
            acc = op.getMap(inits), max = op.getMap(inits + 1),
            sum = op.getMap(inits + 2);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool inQuery = hasLoop(query, loop), inKey = hasLoop(key, loop),
         inValue = hasLoop(value, loop), inAcc = hasLoop(acc, loop),
         inMax = hasLoop(max, loop);
    auto fail = [&](const Twine &what) {
      return op.emitOpError() << "loop " << loop << " " << what;
    };
    if (inMax != hasLoop(sum, loop))
      return fail("must be in both of max and sum, or in none");
    if (inMax && !inAcc)
      return fail("is in max and not in acc");
    bool inExtra = false;
    for (unsigned extra = 3; extra < inits; ++extra)
      inExtra |= hasLoop(op.getMap(extra), loop);
    if (inMax) {
      if (!inQuery && !inKey && !inValue && !inExtra)
        return fail("is in no input");
      continue;
    }
    if (inAcc) {
      if (!inValue || inQuery || inKey || inExtra)
        return fail("is in acc and not in max: it must be in value, and in no "
                    "other input");
      continue;
    }
    if (inQuery) {
      if (!inKey || inValue || inExtra)
        return fail("is in query and not in acc: it must be in key, and in no "
                    "other input");
      continue;
    }
    if (!inKey || !inValue)
      return fail("is neither in query nor in acc: it must be in key and in "
                  "value");
  }
  return success();
}

static LogicalResult verifyTypes(AttentionOp op) {
  auto element = [&](unsigned operand) {
    return cast<ShapedType>(op->getOperand(operand).getType()).getElementType();
  };
  unsigned inits = op->getNumOperands() - 3;
  for (unsigned input = 0; input < 3; ++input)
    if (!isa<FloatType>(element(input)))
      return op.emitOpError()
             << nameOf(op, input)
             << " must have elements of a float type, found " << element(input);
  Type compute = element(inits + 1);
  for (unsigned init = inits; init < inits + 3; ++init)
    if (element(init) != compute || !(compute.isF32() || compute.isF64()))
      return op.emitOpError()
             << "acc, max and sum must all have elements of f32, or all of "
                "f64, found "
             << element(init) << " in " << nameOf(op, init);
  for (unsigned input = 0; input < 3; ++input)
    if (element(input).getIntOrFloatBitWidth() >
        compute.getIntOrFloatBitWidth())
      return op.emitOpError() << nameOf(op, input) << " of " << element(input)
                              << " needs acc, max and sum of f64";

  bool tensors = isa<RankedTensorType>(op->getOperand(0).getType());
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) != tensors)
      return op.emitOpError("mixes tensors and memrefs");
  TypeRange results = op->getResultTypes();
  if (results.size() != (tensors ? 3u : 0u))
    return op.emitOpError() << "has " << results.size() << " results; on "
                            << (tensors ? "tensors it has 3: those of outs"
                                        : "memrefs it has none");
  for (auto [i, type] : llvm::enumerate(results))
    if (type != op->getOperand(inits + i).getType())
      return op.emitOpError()
             << "result " << i << " of type " << type << " must have the type "
             << op->getOperand(inits + i).getType() << " of "
             << nameOf(op, inits + i);
  return success();
}

static LogicalResult verifyBody(AttentionOp op, Region &region,
                                StringRef name) {
  Block &body = region.front();
  Type compute = op.getComputeType();
  SmallVector<Type> expected = {compute};
  for (Value extra : op.getExtras())
    expected.push_back(cast<ShapedType>(extra.getType()).getElementType());
  if (!llvm::equal(body.getArgumentTypes(), expected)) {
    InFlightDiagnostic diag = op.emitOpError()
                              << name << " must take " << expected
                              << ": the type of max, and of each extra "
                                 "operand's elements; found "
                              << SmallVector<Type>(body.getArgumentTypes());
    return diag;
  }
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != 1)
    return op.emitOpError() << name << " must end in a shardir.yield of one "
                            << "value";
  Type type = yield.getValues()[0].getType();
  if (name == "score" && type != compute)
    return op.emitOpError()
           << "score must yield " << compute << ", found " << type;
  if (!isa<FloatType>(type) ||
      type.getIntOrFloatBitWidth() > compute.getIntOrFloatBitWidth())
    return op.emitOpError() << name << " must yield a float type no wider than "
                            << compute << ", found " << type;
  for (Operation &nested : body)
    if (!isMemoryEffectFree(&nested))
      return op.emitOpError() << name << " must have no effects, found '"
                              << nested.getName() << "'";
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyMaps(*this)) || failed(verifyRoles(*this)) ||
      failed(verifyTypes(*this)) ||
      failed(verifyBody(*this, getScore(), "score")))
    return failure();
  return verifyBody(*this, getProb(), "prob");
}

LogicalResult LoopIndexOp::verify() {
  auto parent = (*this)->getParentOfType<AttentionOp>();
  if (!parent)
    return emitOpError("must be in a body of shardir.attention");
  // The maps are verified behind what is inside: don't count on them.
  int64_t loop = getLoop();
  if (parent.getIndexingMaps().size() != parent->getNumOperands())
    return success();
  int64_t loops = parent.getNumLoops();
  if (loop < 0 || loop >= loops)
    return emitOpError("names loop ")
           << loop << " of an attention that has " << loops;
  AttentionOp::Loops roles = parent.getLoops();
  if (llvm::is_contained(roles.k, unsigned(loop)) ||
      llvm::is_contained(roles.v, unsigned(loop)))
    return emitOpError("names loop ")
           << loop
           << ", over which scores do not run; batch, m and n have "
              "indices";
  return success();
}
