//===- LibraryAttention.cpp - Attention by the vendor's library -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule `cudnn`: with the option `library=cudnn`, attention of 16-bit
// floats with nothing but a scale on its scores, divided by its sums, is one
// call of cuDNN. Requires what its operation has: inits that are neutral and
// results that nothing reads besides the division, at most one loop of batch,
// key heads, query heads per key head and positions, and rows that are
// contiguous multiples of 16 bytes. Other attention, and all without the
// option, is left to kernels.
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"
#include "ShardIR/Conversion/LinalgToGPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace shardir;

namespace {
/// The factor of the scores, if `score` does nothing but multiply them by one
/// above 0.
std::optional<double> scaleOf(kernel::AttentionOp op) {
  Block &body = op.getScore().front();
  Value value = body.getTerminator()->getOperand(0);
  double scale = 1;
  while (value != body.getArgument(0)) {
    Operation *made = value.getDefiningOp();
    if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(made))
      return std::nullopt;
    bool divides = isa<arith::DivFOp>(made);
    FloatAttr by;
    bool isLeft =
        !divides && matchPattern(made->getOperand(0), m_Constant(&by));
    if (!isLeft && !matchPattern(made->getOperand(1), m_Constant(&by)))
      return std::nullopt;
    double factor = by.getValueAsDouble();
    scale = divides ? scale / factor : scale * factor;
    value = made->getOperand(isLeft ? 1 : 0);
  }
  // The op has it in f32.
  bool known = scale > 0 && std::isnormal(float(scale));
  return known ? std::optional(scale) : std::nullopt;
}

/// True if `map` stores acc / sum, rounded to `element`, and nothing else.
bool dividesBySum(linalg::LinalgOp map, kernel::AttentionOp op, Type element) {
  Block *body = map.getBlock();
  Value value = body->getTerminator()->getOperand(0);
  auto truncated = value.getDefiningOp<arith::TruncFOp>();
  if (map.getNumDpsInits() != 1 || !truncated || truncated.getType() != element)
    return false;
  auto quotient = truncated.getIn().getDefiningOp<arith::DivFOp>();
  auto isInput = [&](Value argument, Value buffer) {
    auto blockArgument = dyn_cast<BlockArgument>(argument);
    return blockArgument && blockArgument.getOwner() == body &&
           map->getOperand(blockArgument.getArgNumber()) == buffer;
  };
  return quotient && isInput(quotient.getLhs(), op.getAcc()) &&
         isInput(quotient.getRhs(), op.getSum());
}

/// Everything has one type of 16 bits, as cuDNN has it, and f32 sums.
bool hasKnownTypes(kernel::AttentionOp op) {
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  Type element = elementOf(op.getQuery());
  return (element.isBF16() || element.isF16()) &&
         elementOf(op.getKey()) == element &&
         elementOf(op.getValue()) == element &&
         op.getProb().front().getTerminator()->getOperand(0).getType() ==
             element &&
         op.hasPlainProb() && op.getComputeType().isF32() &&
         elementOf(op.getAcc()).isF32();
}

/// The loops that are cuDNN's dims; -1 for one of extent 1.
struct Roles {
  int batch = -1, keyHead = -1, queryHead = -1, row = -1;
};

/// Attention as the library sees it.
struct LibraryAttention {
  AttentionNeighbours neighbours;
  NestOperand query, key, value, result;
  double scale = 1;
  SmallVector<Index> numbers;

  /// Emits what the numbers need; nullopt, with dead code at most, where the
  /// library has no such attention.
  static std::optional<LibraryAttention> match(KernelEmitter &emit,
                                               kernel::AttentionOp op);
};

/// Of the roles of the loops that `fits` accepts, those with the most positions
/// in sequence: kernels have tiles of these.
std::optional<Roles> findRoles(const kernel::AttentionOp::Loops &loops,
                               function_ref<int64_t(int)> extentOf,
                               function_ref<bool(const Roles &)> fits) {
  auto at = [](ArrayRef<unsigned> of, size_t i) {
    return i < of.size() ? int(of[i]) : -1;
  };
  size_t m = loops.m.size(), batch = loops.batch.size();
  std::optional<Roles> best;
  if (batch > 2 || m > 2)
    return best;
  // A single loop has the key heads, or else is the batch.
  for (bool turnedHeads : {false, true})
    for (bool turnedRows : {false, true}) {
      Roles roles;
      roles.row = at(loops.m, m < 2 ? 0 : !turnedRows);
      roles.queryHead = at(loops.m, m < 2 ? m : turnedRows);
      roles.keyHead = at(loops.batch, batch < 2 ? turnedHeads : !turnedHeads);
      roles.batch = at(loops.batch, batch < 2 ? !turnedHeads : turnedHeads);
      if (fits(roles) && (!best || extentOf(roles.row) > extentOf(best->row)))
        best = roles;
    }
  return best;
}

std::optional<LibraryAttention>
LibraryAttention::match(KernelEmitter &emit, kernel::AttentionOp op) {
  LibraryAttention made;
  AttentionNeighbours &neighbours = made.neighbours;
  neighbours = findNeighbours(op);
  kernel::AttentionOp::Loops loops = op.getLoops();
  std::optional<double> scale = scaleOf(op);
  if (!neighbours.zeroAcc || !neighbours.lowestMax || !neighbours.zeroSum ||
      neighbours.accEscapes || neighbours.maxEscapes || neighbours.sumEscapes ||
      !neighbours.map || neighbours.overwritesQuery || !scale ||
      !dividesBySum(neighbours.map, op, getElementTypeOrSelf(op.getQuery())) ||
      loops.n.size() != 1 || loops.k.size() != 1 || loops.v.size() != 1)
    return std::nullopt;
  FailureOr<AttentionProblem> problem =
      AttentionProblem::create(emit, op, neighbours, /*leastRows=*/1);
  if (failed(problem))
    return std::nullopt;
  made.scale = *scale;
  made.query = problem->query;
  made.key = problem->key;
  made.value = problem->value;
  // By loop of the attention, as the others.
  made.result = problem->map->results().front();
  made.result.strides.assign(problem->extents.size(), emit.constant(0));
  for (auto [loop, stride] :
       llvm::zip(neighbours.loops, problem->map->results().front().strides))
    made.result.strides[loop] = stride;

  int n = int(loops.n[0]), k = int(loops.k[0]), v = int(loops.v[0]);
  auto extent = [&](int loop) {
    return loop < 0 ? emit.constant(1) : problem->extents[loop];
  };
  auto stride = [&](const NestOperand &operand, int loop) {
    return loop < 0 ? emit.constant(0) : operand.strides[loop];
  };
  auto isRow = [&](const NestOperand &operand, int loop) {
    auto elements = LoopEmitter::known(extent(loop));
    return operand.isUnit(loop) && elements && *elements % 8 == 0 &&
           emit.isAligned(operand, loop, 8).always();
  };
  if (LoopEmitter::known(extent(n)).value_or(0) == 0 || !isRow(made.query, k) ||
      !isRow(made.key, k) || !isRow(made.value, v) || !isRow(made.result, v))
    return std::nullopt;

  // Query heads are one dim in memory, those of a key head together.
  auto areJoined = [&](const NestOperand &operand, const Roles &roles) {
    if (roles.queryHead < 0 || roles.keyHead < 0)
      return true;
    auto all = LoopEmitter::known(
        emit.mul(stride(operand, roles.queryHead), extent(roles.queryHead)));
    return all && LoopEmitter::isKnown(stride(operand, roles.keyHead), *all);
  };
  // No dim is read more than once.
  auto isSpread = [&](const NestOperand &operand, ArrayRef<int> roles) {
    return llvm::all_of(roles, [&](int loop) {
      return loop < 0 || LoopEmitter::isKnown(extent(loop), 1) ||
             !operand.isUniform(loop);
    });
  };
  auto fits = [&](const Roles &roles) {
    SmallVector<int> keys = {roles.batch, roles.keyHead, n},
                     queries = {roles.batch, roles.keyHead, roles.queryHead,
                                roles.row};
    return areJoined(made.query, roles) && areJoined(made.result, roles) &&
           isSpread(made.query, queries) && isSpread(made.result, queries) &&
           isSpread(made.key, keys) && isSpread(made.value, keys);
  };
  auto assumed = [&](int loop) {
    return LoopEmitter::known(extent(loop)).value_or(assumedExtent);
  };
  std::optional<Roles> roles = findRoles(loops, assumed, fits);
  if (!roles)
    return std::nullopt;
  int head = roles->queryHead < 0 ? roles->keyHead : roles->queryHead;
  made.numbers = {extent(roles->batch),
                  emit.mul(extent(roles->keyHead), extent(roles->queryHead)),
                  extent(roles->keyHead),
                  extent(roles->row),
                  extent(n),
                  extent(k),
                  extent(v)};
  auto addStrides = [&](const NestOperand &operand, int heads, int positions) {
    for (int loop : {roles->batch, heads, positions})
      made.numbers.push_back(stride(operand, loop));
  };
  addStrides(made.query, head, roles->row);
  addStrides(made.key, roles->keyHead, n);
  addStrides(made.value, roles->keyHead, n);
  addStrides(made.result, head, roles->row);
  return made;
}

class LibraryAttentionSchedule : public Schedule {
public:
  StringRef name() const override { return kCudnn; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto attention = dyn_cast<kernel::AttentionOp>(op);
    if (!attention || !isLeftTo(kCudnn, op) || !isTileable(attention) ||
        !hasKnownTypes(attention))
      return std::nullopt;
    if (TrialEmitter trial(op); !LibraryAttention::match(trial.emit, attention))
      return std::nullopt;
    AttentionShape shape = attentionShapeOf(attention);
    double products = shape.outer * shape.rows * shape.columns,
           elements = shape.outer * (shape.rows + shape.columns);
    Estimate estimate;
    estimate.seconds =
        target.launchSeconds +
        std::max(
            2 * products * (*shape.k + *shape.v) / (0.6 * target.matrixFlops),
            2 * elements * (*shape.k + *shape.v) / target.copyBytesPerSecond);
    estimate.reason = "a call of cuDNN, division behind it fused";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &) const override {
    auto attention = cast<kernel::AttentionOp>(op);
    rewriter.setInsertionPoint(findNeighbours(attention).last(op));
    KernelEmitter emit(rewriter, op);
    std::optional<LibraryAttention> made =
        LibraryAttention::match(emit, attention);
    if (!made)
      return op->emitOpError("is no attention of the library");
    SmallVector<Value> numbers;
    for (Index number : made->numbers)
      numbers.push_back(emit.value(number));
    Value query = emit.firstElement(made->query),
          key = emit.firstElement(made->key),
          value = emit.firstElement(made->value),
          result = emit.firstElement(made->result);
    auto call = kernel::LibraryAttentionOp::create(
        rewriter, emit.loc, query, key, value, result,
        rewriter.getF32FloatAttr(float(made->scale)), numbers);
    call->setAttr(
        ShardIRDialect::kKernel,
        rewriter.getStringAttr(kernelName(call, "attention_" + kCudnn.str())));
    eraseAttention(rewriter, attention, made->neighbours);
    return success();
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createLibraryAttentionSchedule() {
  return std::make_unique<LibraryAttentionSchedule>();
}
