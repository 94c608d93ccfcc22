//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, or local. Requires nothing. Replaces ops by others that can
// be sharded in more ways:
//
//   linalg.softmax                    its two reductions and what is between
//   tensor.reshape to a known shape   collapse_shape, expand_shape
//   tensor.reshape whose first dims alone are open   the same
//   loads of immutable globals        constants, which any placement may have
//   shape.shape_of of known extents   constants, which read no tensor
//   a body that reads by its own index one of several tensors   tensor.concat
//   slices and updates of all of a tensor   the tensor
//   the computed start of a slice of all of a dim   0
//   unsigned comparisons of loops' iterations   signed ones
//   re and im of what is made of two parts  the part
//   operands that a body does not read      none
//   results that nothing uses               none
//   lookups by an index that counts a loop  by the loop's number
//   products of f32 that two tensors of 16 bits were widened to   of these
//   shape.assuming and its witnesses  assertions, and the region in place
//   sums of products with zeros between   sums without these
//   a scatter of one row to a constant    comparisons with its place
//   the index of a largest or least element   its value's reduction, then the
//                                     least index where that value is
//
// Nothing else is touched, folded or erased. The placements of a replaced op go
// to the op that makes its result.
//
//===----------------------------------------------------------------------===//

#include "ConcatRecognition.h"
#include "CountedLookups.h"
#include "Reshapes.h"
#include "RowSelection.h"
#include "SplitArgReduction.h"
#include "SpreadOperands.h"
#include "Stacks.h"
#include "WidenedFactors.h"

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Transforms/Normalize/Passes.h"

#include "mlir/Conversion/ShapeToStandard/ShapeToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace shardir {
#define GEN_PASS_DEF_NORMALIZE
#include "ShardIR/Transforms/Normalize/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// Puts `value` in place of the one result of `op`, placement included.
static void replace(RewriterBase &rewriter, Operation *op, Value value) {
  Operation *made = value.getDefiningOp();
  if (Attribute placements = op->getAttr(ShardIRDialect::kPlacements))
    if (made && made->getNumResults() == 1)
      made->setAttr(ShardIRDialect::kPlacements, placements);
  rewriter.replaceOp(op, value);
}

//===----------------------------------------------------------------------===//
// softmax
//===----------------------------------------------------------------------===//

static LogicalResult decomposeSoftmax(RewriterBase &rewriter,
                                      linalg::SoftmaxOp op) {
  if (!op.hasPureTensorSemantics())
    return success();
  FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
  if (failed(values))
    return op.emitOpError("cannot be decomposed");
  replace(rewriter, op, values->front());
  return success();
}

//===----------------------------------------------------------------------===//
// Comparisons of iterations
//===----------------------------------------------------------------------===//

/// A number above `value` where that is the iteration of a loop, a constant, or
/// a sum of these, and never negative.
static std::optional<int64_t> boundOfIteration(Value value) {
  constexpr int64_t unknown = int64_t(1) << 60;
  Operation *op = value.getDefiningOp();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant >= 0 && *constant < unknown ? std::optional(*constant + 1)
                                                 : std::nullopt;
  if (auto index = dyn_cast_or_null<linalg::IndexOp>(op)) {
    int64_t extent = cast<linalg::LinalgOp>(op->getParentOp())
                         .getStaticLoopRanges()[index.getDim()];
    return ShapedType::isDynamic(extent) ? unknown : extent;
  }
  std::optional<int64_t> bound;
  if (isa_and_present<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    bound = boundOfIteration(op->getOperand(0));
  } else if (isa_and_present<arith::AddIOp>(op)) {
    auto left = boundOfIteration(op->getOperand(0)),
         right = boundOfIteration(op->getOperand(1));
    if (left && right)
      bound = *left + *right;
  }
  auto type = dyn_cast<IntegerType>(value.getType());
  int64_t limit = type && type.getWidth() <= 61
                      ? int64_t(1) << (type.getWidth() - 1)
                      : unknown * 2;
  return bound && *bound <= limit ? bound : std::nullopt;
}

/// Makes an unsigned comparison signed: causal masks are found in one form.
static bool compareWithSigns(Operation *op) {
  using Predicate = arith::CmpIPredicate;
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !op->getParentOfType<linalg::LinalgOp>())
    return false;
  Predicate predicate = compare.getPredicate();
  switch (predicate) {
  case Predicate::ult:
    predicate = Predicate::slt;
    break;
  case Predicate::ule:
    predicate = Predicate::sle;
    break;
  case Predicate::ugt:
    predicate = Predicate::sgt;
    break;
  case Predicate::uge:
    predicate = Predicate::sge;
    break;
  default:
    return false;
  }
  if (!boundOfIteration(compare.getLhs()) ||
      !boundOfIteration(compare.getRhs()))
    return false;
  compare.setPredicate(predicate);
  return true;
}

//===----------------------------------------------------------------------===//
// Globals
//===----------------------------------------------------------------------===//

/// The value of a global that nothing can change, in place of a load of it.
template <typename LoadOp>
static LogicalResult replaceLoad(RewriterBase &rewriter, LoadOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<ml_program::GlobalOp>(
      op, op.getGlobalAttr());
  if (!global || global.getIsMutable())
    return success();
  auto value = dyn_cast_or_null<ElementsAttr>(global.getValueAttr());
  if (!value)
    return success();
  Value constant = arith::ConstantOp::create(
      rewriter, op.getLoc(), value.getType(), cast<TypedAttr>(value));
  if (constant.getType() != op.getType())
    constant =
        tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), constant);
  replace(rewriter, op, constant);
  return success();
}

//===----------------------------------------------------------------------===//
// shape
//===----------------------------------------------------------------------===//

static void foldShape(RewriterBase &rewriter, shape::ShapeOfOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getArg().getType());
  auto result = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !type.hasStaticShape() || !result)
    return;
  auto known = RankedTensorType::get({type.getRank()}, rewriter.getIndexType());
  Value shape = arith::ConstantOp::create(
      rewriter, op.getLoc(), DenseIntElementsAttr::get(known, type.getShape()));
  if (known != result)
    shape = tensor::CastOp::create(rewriter, op.getLoc(), result, shape);
  replace(rewriter, op, shape);
}

/// True if a slice takes all of `whole`, and so starts at 0.
static bool takesAll(OffsetSizeAndStrideOpInterface slice,
                     RankedTensorType whole) {
  if (!whole.hasStaticShape() || slice.getStaticSizes() != whole.getShape())
    return false;
  return llvm::all_of(slice.getStaticStrides(),
                      [](int64_t stride) { return stride == 1; });
}

/// The value that equals a slice or an update of a full tensor; null for other
/// ops.
static Value wholeSlice(Operation *op) {
  if (op->hasAttr(ShardIRDialect::kPlacements))
    return {};
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
      slice && takesAll(slice, slice.getSourceType()) &&
      slice.getType() == slice.getSourceType())
    return slice.getSource();
  if (auto update = dyn_cast<tensor::InsertSliceOp>(op);
      update && takesAll(update, update.getDestType()) &&
      update.getSourceType() == update.getDestType())
    return update.getSource();
  return {};
}

/// A slice or an update that takes all of a dim starts at 0: replaces a start
/// that is computed, which might need communication. True if there was one.
static bool startWholeDims(Operation *op) {
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  RankedTensorType whole;
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    whole = extract.getSourceType();
  else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    whole = insert.getDestType();
  else
    return false;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  bool known = false;
  for (int64_t dim = 0; dim < whole.getRank(); ++dim)
    if (slice.isDynamicOffset(dim) && !whole.isDynamicDim(dim) &&
        slice.getStaticSizes()[dim] == whole.getDimSize(dim) &&
        slice.getStaticStrides()[dim] == 1) {
      offsets[dim] = IntegerAttr::get(IndexType::get(op->getContext()), 0);
      known = true;
    }
  if (!known)
    return false;
  auto [fixed, computed] = decomposeMixedValues(offsets);
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    extract.getOffsetsMutable().assign(computed);
    extract.setStaticOffsets(fixed);
  } else {
    auto insert = cast<tensor::InsertSliceOp>(op);
    insert.getOffsetsMutable().assign(computed);
    insert.setStaticOffsets(fixed);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Operands that are not read
//===----------------------------------------------------------------------===//

/// The op whose result the body of a parallel generic yields, if the body has
/// no other; null otherwise.
static Operation *onlyOp(linalg::GenericOp op) {
  if (!op || op->getNumResults() != 1 || op.getNumReductionLoops() ||
      op->hasAttr(ShardIRDialect::kPlacements) ||
      op->hasAttr(ShardIRDialect::kRule) ||
      !llvm::hasNItems(op.getBody()->getOperations(), 2))
    return nullptr;
  Operation *only = &op.getBody()->front();
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  return yielded.getDefiningOp() == only ? only : nullptr;
}

/// The tensor that equals the result of `op`, if that takes the real or the
/// imaginary parts of complex numbers that its producer makes from two tensors:
/// the other tensor then needs no communication.
static Value createdPart(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  Operation *part = onlyOp(generic);
  if (!part || !isa<complex::ReOp, complex::ImOp>(part))
    return {};
  // An operand of `of` at the very places of its result.
  auto operandAt = [](linalg::GenericOp of, Value argument) -> OpOperand * {
    auto own = dyn_cast<BlockArgument>(argument);
    if (!own || own.getOwner() != of.getBody())
      return nullptr;
    OpOperand *operand = of.getMatchingOpOperand(own);
    AffineMap map = of.getMatchingIndexingMap(operand);
    return of.isDpsInput(operand) && map.isPermutation() &&
                   map == of.getMatchingIndexingMap(of.getDpsInitOperand(0))
               ? operand
               : nullptr;
  };
  OpOperand *whole = operandAt(generic, part->getOperand(0));
  auto producer =
      whole ? whole->get().getDefiningOp<linalg::GenericOp>() : nullptr;
  auto create = dyn_cast_or_null<complex::CreateOp>(onlyOp(producer));
  if (!create)
    return {};
  OpOperand *given =
      operandAt(producer, isa<complex::ReOp>(part) ? create.getReal()
                                                   : create.getImaginary());
  return given && given->get().getType() == op->getResult(0).getType()
             ? given->get()
             : Value();
}

/// True if the body does not read one of the operands, whose placement then
/// need not agree.
static bool hasUnreadOperand(linalg::GenericOp op) {
  bool isPlaced = op->hasAttr(ShardIRDialect::kPlacements);
  return op.hasPureTensorSemantics() && !op->hasAttr(ShardIRDialect::kRule) &&
         !(isPlaced && op->getNumResults() > 1) &&
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           return op.getMatchingBlockArgument(operand).use_empty();
         });
}

/// True if a result of the body's end other than `own` depends on `value`.
static bool feedsOthers(Value value, unsigned own) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    if (isa<linalg::YieldOp>(use.getOwner()))
      return use.getOperandNumber() != own;
    return use.getOwner()->getNumRegions() > 0 ||
           llvm::any_of(use.getOwner()->getResults(),
                        [&](Value result) { return feedsOthers(result, own); });
  });
}

/// Yields what was there before for results that nothing uses, such as the
/// places of maxima, on which the placements of the others would depend. True
/// if there was one; the ops that computed it stay.
static bool forgetUnusedResults(linalg::GenericOp op) {
  bool changed = false;
  Operation *end = op.getBody()->getTerminator();
  for (OpResult result : op->getResults()) {
    unsigned own = result.getResultNumber();
    BlockArgument before =
        op.getMatchingBlockArgument(op.getDpsInitOperand(own));
    if (op->getNumResults() == 1 || !result.use_empty() ||
        end->getOperand(own) == before || feedsOthers(before, own))
      continue;
    end->setOperand(own, before);
    changed = true;
  }
  return changed;
}

static void eraseDeadOps(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

static void createConcat(RewriterBase &rewriter, linalg::GenericOp op) {
  ConcatRecognition concat = *matchConcat(op);
  replace(rewriter, op,
          tensor::ConcatOp::create(rewriter, op.getLoc(),
                                   op.getResult(0).getType(), concat.dim,
                                   concat.parts));
}

/// Refuses ops that cannot be compiled, or that upstream's folders fail on.
static LogicalResult checkOp(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<shape::ShapeType, shape::SizeType, shape::ValueShapeType>(type))
      return op->emitOpError("has a result of type ")
             << type
             << ", for which there is no code; write shapes as "
                "tensor<?xindex> and sizes as index";
  auto pad = dyn_cast<tensor::PadOp>(op);
  for (ArrayRef<int64_t> amounts :
       pad ? SmallVector{pad.getStaticLow(), pad.getStaticHigh()}
           : SmallVector<ArrayRef<int64_t>>())
    for (auto [dim, amount] : llvm::enumerate(amounts))
      if (!ShapedType::isDynamic(amount) && amount < 0)
        return op->emitOpError("pads dim ")
               << dim << " by " << amount
               << "; cut elements off with tensor.extract_slice";
  return success();
}

/// Replaces an `assuming` by its region: its witnesses are assertions.
static void inlineAssuming(RewriterBase &rewriter, shape::AssumingOp op) {
  Block *body = op.getBody();
  Operation *yield = body->getTerminator();
  SmallVector<Value> results(yield->getOperands());
  rewriter.inlineBlockBefore(body, op);
  rewriter.replaceOp(op, results);
  rewriter.eraseOp(yield);
}

/// An argmax or argmin that has no placement yet; on a device it may stay one.
static std::optional<ArgReduction> argReductionOf(linalg::LinalgOp op) {
  if (op->hasAttr(ShardIRDialect::kPlacements) ||
      op->getParentOfType<ModuleOp>()->hasAttr(ShardIRDialect::kStage))
    return std::nullopt;
  return matchArgReduction(op);
}

namespace {

struct NormalizePass : shardir::impl::NormalizeBase<NormalizePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> found;
    llvm::SetVector<Operation *> unread;
    bool hasConstraints = false, hasChanged = false;
    WalkResult types = module.walk([&](Operation *op) {
      if (failed(checkOp(op)))
        return WalkResult::interrupt();
      hasConstraints |= isa<shape::CstrBroadcastableOp, shape::CstrEqOp,
                            shape::CstrRequireOp>(op);
      hasChanged |= startWholeDims(op) || compareWithSigns(op);
      auto generic = dyn_cast<linalg::GenericOp>(op);
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      if (generic) {
        bool leavesOps = forgetUnusedResults(generic);
        leavesOps |= lookUpByLoops(generic);
        if (leavesOps)
          eraseDeadOps(*generic.getBody());
        if (!matchConcat(generic) && (leavesOps || hasUnreadOperand(generic)))
          unread.insert(op);
      }
      auto concat = dyn_cast<tensor::ConcatOp>(op);
      if ((concat && isExpandedStack(concat)) ||
          (generic && (matchConcat(generic) || findSpreadOperand(generic))) ||
          wholeSlice(op) || createdPart(op) ||
          (structured && argReductionOf(structured)) ||
          hasWidenedFactors(structured) ||
          scattersOneRow(dyn_cast<ScatterRowsOp>(op)) ||
          isa<linalg::SoftmaxOp, tensor::ReshapeOp, ml_program::GlobalLoadOp,
              ml_program::GlobalLoadConstOp, shape::ShapeOfOp,
              shape::AssumingOp>(op))
        found.push_back(op);
      return WalkResult::advance();
    });
    if (types.wasInterrupted())
      return signalPassFailure();
    if (found.empty() && unread.empty() && !hasConstraints && !hasChanged)
      return markAllAnalysesPreserved();
    for (Operation *op : found) {
      rewriter.setInsertionPoint(op);
      LogicalResult done = success();
      if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
        done = decomposeSoftmax(rewriter, softmax);
      else if (auto scatter = dyn_cast<ScatterRowsOp>(op))
        replace(rewriter, op, selectRow(rewriter, scatter));
      else if (auto concat = dyn_cast<tensor::ConcatOp>(op))
        stack(rewriter, concat);
      else if (Value whole = wholeSlice(op))
        rewriter.replaceOp(op, whole);
      else if (Value part = createdPart(op)) {
        for (Value operand : op->getOperands())
          if (auto whole = operand.getDefiningOp<linalg::GenericOp>())
            unread.insert(whole);
        rewriter.replaceOp(op, part);
      } else if (auto structured = dyn_cast<linalg::LinalgOp>(op);
                 structured && argReductionOf(structured))
        splitArgReduction(rewriter, structured, *argReductionOf(structured));
      else if (hasWidenedFactors(dyn_cast<linalg::LinalgOp>(op)))
        readNarrowFactors(rewriter, cast<linalg::LinalgOp>(op));
      else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        if (OpOperand *spread = findSpreadOperand(generic))
          readWithoutZeros(rewriter, generic, *spread);
        else
          createConcat(rewriter, generic);
      } else if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
        if (Value value = expandOrCollapse(rewriter, reshape))
          replace(rewriter, op, value);
      } else if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op))
        done = replaceLoad(rewriter, load);
      else if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
        done = replaceLoad(rewriter, load);
      else if (auto shape = dyn_cast<shape::ShapeOfOp>(op))
        foldShape(rewriter, shape);
      else
        inlineAssuming(rewriter, cast<shape::AssumingOp>(op));
      if (failed(done))
        return signalPassFailure();
    }
    if (!unread.empty()) {
      RewritePatternSet patterns(&getContext());
      linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
      GreedyRewriteConfig config;
      config.setStrictness(GreedyRewriteStrictness::ExistingOps);
      config.enableFolding(false);
      (void)applyOpPatternsGreedily(unread.getArrayRef(), std::move(patterns),
                                    config);
    }
    if (!hasConstraints)
      return;
    RewritePatternSet patterns(&getContext());
    populateConvertShapeConstraintsConversionPatterns(patterns);
    // A constraint becomes a condition that is required, which becomes an
    // assertion.
    FrozenRewritePatternSet frozen(std::move(patterns));
    walkAndApplyPatterns(module, frozen);
    walkAndApplyPatterns(module, frozen);
    // Witnesses of assertions have no users.
    SmallVector<Operation *> witnesses;
    module.walk([&](Operation *op) {
      if (isa<shape::ConstWitnessOp, shape::AssumingAllOp>(op))
        witnesses.push_back(op);
    });
    for (Operation *op : llvm::reverse(witnesses))
      if (op->use_empty())
        op->erase();
  }
};

} // namespace
