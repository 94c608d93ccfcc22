//===- ContractionsToLoops.cpp - Large contractions to fast loops ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Requires linalg on memrefs; guarantees that contractions
// of floats and of bytes that are worth it have become loops over register
// tiles. Ops that don't match are left for the passes that follow.
//
//===----------------------------------------------------------------------===//

#include "Common/KernelTimes.h"
#include "Common/PlanOption.h"
#include "ContractionEmitter.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace shardir {
#define GEN_PASS_DEF_CONTRACTIONSTOCPULOOPS
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// Up to so many rows of an unknown number a product has other tiles.
static constexpr int64_t fewRows = 16;

namespace {
/// The fill with zero right before `op` that prepares its result, if any.
linalg::FillOp zeroFillBefore(linalg::LinalgOp op) {
  auto fill = dyn_cast_or_null<linalg::FillOp>(op->getPrevNode());
  if (!fill || fill.getOutputs()[0] != op.getDpsInits()[0] ||
      !(matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
        matchPattern(fill.getInputs()[0], m_Zero())))
    return {};
  return fill;
}

/// `12 of 128x128x64 of bf16`: the batch, rows, columns, terms and types.
std::string describe(const ContractionShape &shape) {
  auto text = [](int64_t extent) {
    return extent == ContractionShape::unknown ? "?" : std::to_string(extent);
  };
  static const char *const types[] = {
      "",       " of bf16",      " of f16",      " of i8",
      " of u8", " of u8 and i8", " of i8 and u8"};
  return (shape.batch == 1 ? "" : text(shape.batch) + " of ") + text(shape.m) +
         "x" + text(shape.n) + "x" + text(shape.k) + types[int(shape.operands)];
}

/// ` tile_m=8`, or nothing where the choice is free.
std::string given(const char *name, int64_t number) {
  return number > 0 ? name + std::to_string(number) : "";
}

struct ContractionsToCpuLoopsPass
    : shardir::impl::ContractionsToCpuLoopsBase<ContractionsToCpuLoopsPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(cpu.become(context, target)))
      return failure();
    std::string error;
    if (!kernelTimes.empty() &&
        !(times = KernelTimes::read(kernelTimes, cpu.signature(),
                                    /*hasPredictions=*/false, error)))
      return emitError(UnknownLoc::get(context), "option kernel-times: ")
             << error;
    return parsePlan(
        plan, ForcedTiles::names(),
        [&] { return emitError(UnknownLoc::get(context)); },
        [&](StringRef name, int64_t number) { *forced.find(name) = number; });
  }

  void runOnOperation() override {
    // Products alone: an op behind one may be erased with it.
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isProduct(op))
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      if (failed(lower(op)))
        return signalPassFailure();
  }

  /// Those of 8-bit floats are left to the vectorizer.
  static bool isProduct(linalg::LinalgOp op) {
    return isFloatContraction(op) ||
           (isByteContraction(op, /*mixed=*/true) &&
            getElementTypeOrSelf(op.getDpsInits()[0]).isInteger(32));
  }

  LogicalResult lower(linalg::LinalgOp op) {
    // Before anything is emitted between the two.
    linalg::FillOp fill = zeroFillBefore(op);
    linalg::LinalgOp epilogue = findEpilogue(op);
    OpBuilder builder(op);
    if (epilogue) {
      joinEpilogue(op, epilogue);
      builder.setInsertionPoint(epilogue);
    }
    LoopEmitter emit(builder, op.getLoc());
    FailureOr<Contraction> contraction = matchContraction(op, emit);
    if (failed(contraction))
      return success();
    ContractionShape shape = contraction->shape();
    // Inside of a shared loop every thread has its part already: that is
    // another problem than the whole product.
    bool isPart = static_cast<bool>(op->getParentOfType<scf::ForallOp>());
    std::string problem = isPart ? "" : contraction->problem();
    ForcedTiles numbers = forced;
    if (plan.empty() && times)
      for (auto [name, number] : times->fastestPlan(problem))
        if (int64_t *place = numbers.find(name))
          *place = number;
    ContractionTiles tiles = chooseTiles(shape, cpu, numbers);
    if (isPart)
      tiles.parallel = tiles.parallelBatch = false;
    // Sums over several blocks of k are kept in the result: that must hold the
    // accumulator's type.
    if (contraction->c.element != contraction->accumulator &&
        (!contraction->outerK.empty() || shape.k < 0))
      tiles.kind = ContractionTiles::Kind::None;
    if (explain)
      op->emitRemark() << describe(shape) << ": " << describe(tiles);
    if (tiles.kind == ContractionTiles::Kind::None)
      return success();
    // An unknown number of rows may be one token's, or a few of an expert's.
    std::optional<ContractionTiles> ofFewRows;
    if (shape.m < 0 && contraction->m >= 0 && shape.n >= 0 && shape.k >= 0 &&
        !isPart && plan.empty()) {
      ContractionShape few = shape;
      few.m = fewRows;
      ofFewRows = chooseTiles(few, cpu, {});
      if (explain)
        op->emitRemark() << "of at most " << fewRows
                         << " rows: " << describe(*ofFewRows);
      if (ofFewRows->kind == ContractionTiles::Kind::None)
        ofFewRows.reset();
    }
    if (!tiles.allowed.empty())
      return op->emitError(plan.empty() ? "option kernel-times: "
                                        : "option plan: ")
             << "no register tile for the product " << describe(shape) << " has"
             << given(" tile_m=", numbers.tileM)
             << given(" tile_n=", numbers.tileN) << ", allowed are "
             << tiles.allowed;
    if (!problem.empty())
      op->getParentOfType<func::FuncOp>()->setAttr(
          ShardIRDialect::kSchedule, describeForReport(op, problem, tiles));

    FailureOr<LoopNest> rest = failure();
    bool isZero = static_cast<bool>(fill);
    if (epilogue && takesEpilogue(*contraction, tiles, isZero) &&
        (!ofFewRows || takesEpilogue(*contraction, *ofFewRows, isZero)))
      rest = makeLoopNest(epilogue, emit, /*merge=*/false);
    auto emitWith = [&](const ContractionTiles &chosen) {
      emitContraction(emit, *contraction, chosen, isZero,
                      succeeded(rest) ? &*rest : nullptr);
    };
    if (ofFewRows)
      emit.branch(
          emit.lessThan(emit.constant(fewRows),
                        contraction->extents[contraction->m]),
          [&] { emitWith(tiles); }, [&] { emitWith(*ofFewRows); });
    else
      emitWith(tiles);
    if (succeeded(rest))
      epilogue->erase();
    if (fill) {
      // Without a block of k nothing is stored: only then is it filled.
      Index products = emit.constant(1);
      for (int dim : contraction->outerK)
        products = emit.mul(products, contraction->extents[dim]);
      if (contraction->k >= 0)
        products = emit.mul(products, contraction->extents[contraction->k]);
      if (!LoopEmitter::known(products) || LoopEmitter::isKnown(products, 0))
        emit.branch(emit.equal(products, emit.constant(0)),
                    [&] { builder.clone(*fill); });
      fill->erase();
    }
    Value sums = contraction->c.memref;
    op->erase();
    if (succeeded(rest))
      dropUnused(sums);
    return success();
  }

  /// Drops the buffer `sums` where no block of k left sums there, so that the
  /// report does not count it.
  void dropUnused(Value sums) {
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
    if (!llvm::all_of(sums.getUsers(), llvm::IsaPred<memref::DeallocOp>))
      return;
    for (Operation *free : llvm::make_early_inc_range(sums.getUsers()))
      free->erase();
    sums.getDefiningOp()->erase();
  }

  /// The fields of the product in the report.
  DictionaryAttr describeForReport(linalg::LinalgOp op, StringRef problem,
                                   const ContractionTiles &tiles) {
    Builder builder(&getContext());
    auto text = [&](StringRef name, StringRef value) {
      return builder.getNamedAttr(name, builder.getStringAttr(value));
    };
    NamedAttrList numbers;
    auto number = [&](StringRef name, int64_t value) {
      numbers.set(name, builder.getI64IntegerAttr(value));
    };
    bool isInner = tiles.kind == ContractionTiles::Kind::Inner;
    number("tile_m", tiles.mr);
    number("tile_n", tiles.nr());
    if (!isInner) {
      number("tile_k", tiles.kc);
      number("rows", tiles.mc);
    }
    return builder.getDictionaryAttr(
        {text("op", op->getName().getStringRef()), text("problem", problem),
         text("schedule", isInner ? "dot_products" : "register_tiles"),
         text("reason", describe(tiles)),
         builder.getNamedAttr("plan", numbers.getDictionary(&getContext())),
         text("arch", cpu.signature())});
  }

  CpuTarget cpu;
  ForcedTiles forced;
  std::shared_ptr<const KernelTimes> times;
};
} // namespace
