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

#include "LoopMaps.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir::kernel;

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
  return LoopMaps(*this, getIndexingMaps()).staticExtents();
}

SmallVector<OpFoldResult> AttentionOp::getLoopExtents(OpBuilder &builder) {
  return LoopMaps(*this, getIndexingMaps()).extents(builder);
}

//===----------------------------------------------------------------------===//
// Inits, bodies, effects
//===----------------------------------------------------------------------===//

/// True if all elements of tensor `value` are a constant that `test` accepts.
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
  addDestinationEffects(*this, effects);
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
  return success();
}

static LogicalResult verifyBody(AttentionOp op, Region &region,
                                StringRef name) {
  Type compute = op.getComputeType();
  SmallVector<Type> expected = {compute};
  for (Value extra : op.getExtras())
    expected.push_back(cast<ShapedType>(extra.getType()).getElementType());
  if (failed(verifyScalarBody(
          op, region, name, expected,
          "the type of max, and of each extra operand's elements", 1)))
    return failure();
  Type type = region.front().getTerminator()->getOperand(0).getType();
  if (name == "score" && type != compute)
    return op.emitOpError()
           << "score must yield " << compute << ", found " << type;
  if (!isa<FloatType>(type) ||
      type.getIntOrFloatBitWidth() > compute.getIntOrFloatBitWidth())
    return op.emitOpError() << name << " must yield a float type no wider than "
                            << compute << ", found " << type;
  return success();
}

LogicalResult AttentionOp::verify() {
  LoopMaps maps(*this, getIndexingMaps());
  auto name = [&](unsigned operand) { return nameOf(*this, operand); };
  if (failed(maps.verify(/*inits=*/3, name)) || failed(verifyRoles(*this)) ||
      failed(verifyTypes(*this)) ||
      failed(verifyBody(*this, getScore(), "score")))
    return failure();
  return verifyBody(*this, getProb(), "prob");
}

LogicalResult LoopIndexOp::verify() {
  Operation *parent = (*this)->getParentOp();
  while (parent && !isa<AttentionOp, AttentionBackwardOp>(parent))
    parent = parent->getParentOp();
  if (!parent)
    return emitOpError("must be in a body of kernel.attention or "
                       "kernel.attention_backward");
  // The maps are verified behind what is inside: don't count on them.
  auto maps = parent->getAttrOfType<ArrayAttr>("indexing_maps");
  int64_t loop = getLoop();
  if (!maps || maps.size() != parent->getNumOperands())
    return success();
  int64_t loops = LoopMaps(parent, maps).numLoops();
  if (loop < 0 || loop >= loops)
    return emitOpError("names loop ")
           << loop << " of an attention that has " << loops;
  auto isSummed = [&](auto roles) {
    return llvm::is_contained(roles.k, unsigned(loop)) ||
           llvm::is_contained(roles.v, unsigned(loop));
  };
  auto forward = dyn_cast<AttentionOp>(parent);
  if (forward ? isSummed(forward.getLoops())
              : isSummed(cast<AttentionBackwardOp>(parent).getLoops()))
    return emitOpError("names loop ")
           << loop
           << ", over which scores do not run; batch, m and n have "
              "indices";
  return success();
}
