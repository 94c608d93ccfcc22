//===- RowReduction.cpp - Reductions, softmax and norms over rows ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes reductions along the contiguous dim, with the maps and reductions on
// the same rows around them (RowChain.h). A row belongs to 1 to 512 threads; a
// row that fits into their registers is read once, kept there through the chain
// and written once. Longer rows, and those of unknown length, are read once per
// reduction, a part at a time. Threads combine by warp shuffles, warps through
// shared memory; which values meet in which order depends on the shape alone,
// so that results are the same bits run after run (X3). Buffers between the ops
// of the chain are written only if something else reads them.
//
//===----------------------------------------------------------------------===//

#include "RowKernel.h"

using namespace mlir;
using namespace shardir;

namespace {
/// A row's registers per thread, in words of 32 bits.
constexpr int64_t maxRowRegisters = 48;

/// The loop of `member` that runs along `dim`; -1 for none.
int loopAlong(const ChainMember &member, int dim) {
  auto found = llvm::find(member.dims, dim);
  return found == member.dims.end() ? -1 : found - member.dims.begin();
}

/// True if `operand` is known to be contiguous along `loop`.
bool isUnitAlong(linalg::LinalgOp op, OpOperand &operand, int loop) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return false;
  AffineExpr dim = getAffineDimExpr(loop, op->getContext());
  for (auto [expr, stride] :
       llvm::zip(op.getMatchingIndexingMap(&operand).getResults(), strides))
    if (expr == dim)
      return stride == 1;
  return false;
}

bool runsAlong(linalg::LinalgOp op, OpOperand &operand, int loop) {
  return isa<MemRefType>(operand.get().getType()) &&
         op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
}

/// The column along which more operands are contiguous than are not; -1 for
/// none.
int innerColumn(const RowChain &chain) {
  int best = -1, bestScore = 0;
  for (int dim : chain.columns) {
    int score = 0;
    for (const ChainMember &member : chain.members) {
      int loop = loopAlong(member, dim);
      linalg::LinalgOp op = member.op;
      if (loop < 0)
        continue;
      for (OpOperand &operand : op->getOpOperands())
        if (runsAlong(op, operand, loop))
          score += isUnitAlong(op, operand, loop) ? 1 : -1;
    }
    if (score > bestScore) {
      best = dim;
      bestScore = score;
    }
  }
  return best;
}

int64_t staticProduct(linalg::LinalgOp op, ArrayRef<int> loops) {
  int64_t product = 1;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (int loop : loops) {
    if (ShapedType::isDynamic(extents[loop]))
      return ShapedType::kDynamic;
    product *= extents[loop];
  }
  return product;
}

RowPlan planFor(const RowChain &chain, int64_t columns, bool isAligned) {
  RowPlan plan;
  plan.inner = innerColumn(chain);
  // Lanes by the narrowest element that is read a row at a time.
  int64_t narrowest = 16, values = 0, widest = 4;
  bool lanewise = true;
  for (const ChainMember &member : chain.members) {
    linalg::LinalgOp op = member.op;
    if (member.kind == ChainMember::Kind::Rows)
      continue;
    lanewise &= VectorBody::isSupported(op, /*allLanesExist=*/true);
    int loop = loopAlong(member, plan.inner);
    values += member.kind == ChainMember::Kind::Elements;
    for (OpOperand &operand : op->getOpOperands())
      if (runsAlong(op, operand, loop)) {
        int64_t size =
            elementBytes(getElementTypeOrSelf(operand.get().getType()));
        narrowest = std::min(narrowest, size);
        widest = std::max(widest, size);
      }
  }
  plan.lanes = lanewise ? std::clamp<int64_t>(16 / narrowest, 1, 8) : 1;
  if (columns == ShapedType::kDynamic || columns == 0) {
    plan.threads = 256;
    return plan;
  }
  while (plan.lanes > 1 && columns < plan.lanes)
    plan.lanes /= 2;
  int64_t lanes = columns % plan.lanes == 0 && isAligned ? plan.lanes : 1;
  int64_t vectors = ceilDivide(columns, lanes);
  // One vector each up to a warp, then four, then more warps.
  int64_t wanted = vectors <= 32 ? vectors : std::max<int64_t>(vectors / 4, 32);
  wanted = forcedNumber(chain.members.front().op, "threads_per_row")
               .value_or(wanted);
  plan.threads =
      std::clamp<int64_t>(int64_t(llvm::PowerOf2Ceil(wanted)), 1, 512);
  int64_t chunks = ceilDivide(vectors, plan.threads);
  int64_t live = 1 + std::min<int64_t>(values, 2);
  if (chunks * lanes * widest / 4 * live <= maxRowRegisters * 2 &&
      chunks <= 16) {
    plan.lanes = lanes;
    plan.chunks = chunks;
  }
  return plan;
}

/// A few long rows do not fill the chip: blocks share them.
int64_t splitsFor(const RowChain &chain, linalg::LinalgOp reduction,
                  const RowPlan &plan, const GpuTarget &target) {
  if (chain.members.size() > 1 || plan.chunks > 0)
    return 1;
  SmallVector<int64_t> extents = assumedLoopExtents(reduction);
  double rows = 1, columns = 1;
  for (int dim : chain.rows)
    rows *= extents[dim];
  for (int dim : chain.columns)
    columns *= extents[dim];
  // A part is worth some vectors per thread.
  double most = columns / (plan.threads * plan.lanes * 4);
  double wanted = 2.0 * target.multiprocessors / std::max(rows, 1.0);
  if (std::optional<int64_t> forced = forcedNumber(reduction, "splits"))
    wanted = double(*forced);
  return std::clamp<int64_t>(std::min(most, wanted), 1, 1024);
}

/// Of one run of a chain.
struct ChainCost {
  double bytes = 0;   ///< read and written
  double seconds = 0; ///< of all threads, for elements
};

/// The results of members are in registers until the row has been read once
/// more, which a reduction asks for whose outcome is needed.
ChainCost costOf(const RowChain &chain, const RowPlan &plan,
                 const GpuTarget &target) {
  ChainCost cost;
  llvm::DenseSet<Value> inRegisters, waiting;
  for (const ChainMember &member : chain.members) {
    linalg::LinalgOp op = member.op;
    if (plan.chunks == 0 && llvm::any_of(op->getOperands(), [&](Value each) {
          return waiting.contains(each);
        })) {
      inRegisters.clear();
      waiting.clear();
    }
    for (OpOperand &operand : op->getOpOperands()) {
      Value buffer = operand.get();
      bool isRead =
          op.payloadUsesValueFromOperand(&operand) && !op.isDpsInit(&operand);
      if (isRead && inRegisters.insert(buffer).second)
        cost.bytes += bytesOf(buffer);
    }
    for (Value made : op.getDpsInits()) {
      inRegisters.insert(made);
      if (member.kind == ChainMember::Kind::Reduction)
        waiting.insert(made);
    }
    // A multiply-add is one instruction.
    bool isSum = member.kind == ChainMember::Kind::Reduction;
    cost.seconds += secondsOfBody(op, target) / (isSum ? 2 : 1);
  }
  for (Value buffer : chain.escaping)
    cost.bytes += bytesOf(buffer);
  return cost;
}

class RowReduction : public Schedule {
public:
  StringRef name() const override { return "row_reduction"; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto reduction = dyn_cast<linalg::LinalgOp>(op);
    if (!reduction || !reduction.hasPureBufferSemantics() ||
        !isCombiningReduction(reduction) || !hasLoopNest(reduction) ||
        !hasPlainResults(reduction))
      return std::nullopt;
    RowChain chain = findRowChain(reduction, /*alone=*/false);
    if (innerColumn(chain) < 0)
      return std::nullopt;
    SmallVector<int64_t> extents = assumedLoopExtents(reduction);
    double rows = 1;
    for (int dim : chain.rows)
      rows *= extents[dim];
    RowPlan plan =
        planFor(chain, staticProduct(reduction, chain.columns), true);
    // A thread has some 64 bytes in flight; too few threads do not fill the
    // bus.
    plan.splits = splitsFor(chain, reduction, plan, target);
    double filled = std::min(1.0, rows * plan.splits * plan.threads /
                                      (target.multiprocessors * 512.0));
    // Every row reads all of it again. What is shared comes from the second
    // cache, or from the first one, as fast as registers take it, if it is
    // small.
    constexpr double smallBytes = 32 * 1024;
    // Widening an 8-bit float takes as long as so many multiply-adds.
    constexpr double widening = 10;
    double iterations = 1, bytes = bytesMoved(reduction), each = 1;
    for (int64_t extent : extents)
      iterations *= extent;
    for (OpOperand *input : reduction.getDpsInputOperands()) {
      double elements = 1;
      AffineMap map = reduction.getMatchingIndexingMap(input);
      for (auto [loop, extent] : llvm::enumerate(extents))
        if (map.isFunctionOfDim(loop))
          elements *= extent;
      Type element = getElementTypeOrSelf(input->get().getType());
      int64_t size = elementBytes(element);
      if (size == 1 && isa<FloatType>(element))
        each += widening;
      if (elements * size > smallBytes)
        bytes += (iterations - elements) / 4 * size;
    }
    auto secondsFor = [&](double bytes, double arithmetic) {
      return target.launchSeconds +
             std::max(bytes / (0.85 * target.copyBytesPerSecond), arithmetic) /
                 filled;
    };
    double alone =
        secondsFor(bytes, 2 * each * iterations / target.scalarFlops);
    Estimate estimate;
    estimate.seconds = alone;
    if (chain.members.size() > 1) {
      ChainCost all = costOf(chain, plan, target);
      estimate.seconds =
          secondsFor(all.bytes + bytes - bytesMoved(reduction), all.seconds);
      // Another schedule of the reduction leaves the rest to other kernels.
      estimate.saved = estimate.seconds - alone;
    }
    estimate.fused = chain.members.size() - 1 + chain.deadFills.size();
    if (chain.members.size() > 1)
      estimate.beside = besideOf(llvm::map_to_vector(
          chain.members,
          [](const ChainMember &member) -> Operation * { return member.op; }));
    estimate.plan = {{"threads_per_row", plan.threads},
                     {"splits", plan.splits}};
    llvm::raw_string_ostream out(estimate.reason);
    out << plan.threads << " threads per row, ";
    if (plan.chunks > 0)
      out << "row in registers";
    else
      out << "row read once per reduction";
    if (plan.splits > 1)
      out << ", " << plan.splits << " blocks per row";
    if (chain.members.size() > 1)
      out << ", one kernel for " << chain.members.size() << " ops";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &target) const override {
    auto reduction = cast<linalg::LinalgOp>(op);
    RowChain chain = findRowChain(reduction, /*alone=*/false);
    Operation *last = chain.members.back().op;
    rewriter.setInsertionPoint(last);
    KernelEmitter emitter(rewriter, op);
    int64_t columns = staticProduct(reduction, chain.columns);
    FailureOr<RowKernel> kernel = RowKernel::create(emitter, chain, reduction);
    if (failed(kernel))
      return op->emitOpError("has no linear addresses");
    int inner = innerColumn(chain);
    // The registers per lane decide whether a row fits: take the largest need.
    RowPlan plan = planFor(chain, columns, true);
    Condition aligned = kernel->alignment(inner, plan.lanes);
    if (aligned.never())
      plan = planFor(chain, columns, false);
    else if (!aligned.always())
      plan.chunks = 0;
    if (plan.chunks == 0 && plan.threads < 32)
      plan.threads = 32;
    plan.splits = splitsFor(chain, reduction, plan, target);
    kernel->emit(plan, plan.lanes == 1 ? Condition{true, {}} : aligned);
    for (Operation *free : chain.earlyFrees)
      rewriter.moveOpAfter(free, last);
    for (linalg::FillOp fill : chain.deadFills)
      rewriter.eraseOp(fill);
    for (const ChainMember &member : llvm::reverse(chain.members))
      rewriter.eraseOp(member.op);
    return success();
  }

private:
  /// Each result is written once per row.
  static bool hasPlainResults(linalg::LinalgOp op) {
    for (OpOperand &init : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      if (!map.isProjectedPermutation() ||
          map.getNumResults() != op.getNumParallelLoops())
        return false;
    }
    return llvm::all_of(op.getStaticLoopRanges(),
                        [](int64_t extent) { return extent != 0; });
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createRowReductionSchedule() {
  return std::make_unique<RowReduction>();
}
