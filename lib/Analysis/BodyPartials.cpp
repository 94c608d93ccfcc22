//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partial terms through scalar bodies. Requires a single-block body ended by a
// yield; guarantees that a listed set is right for every input.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/BodyPartials.h"

#include "ShardIR/Dialect/ShardIR/PartialCast.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardir;

/// True if `kind` is the maximum or the minimum of floats.
static bool isFloatExtremum(PartialKind kind) {
  return infoOf(kind).idempotent && infoOf(kind).isFor(NumberClass::Floats);
}

/// min distributes over max and max over min, of one reading of NaN and of one
/// of signs: a clamp passes both.
static bool isClamp(Operation *op, PartialKind kind) {
  switch (kind) {
  case PartialKind::Max:
    return isa<arith::MinimumFOp, arith::MinSIOp>(op);
  case PartialKind::Min:
    return isa<arith::MaximumFOp, arith::MaxSIOp>(op);
  case PartialKind::UMax:
    return isa<arith::MinUIOp>(op);
  case PartialKind::UMin:
    return isa<arith::MaxUIOp>(op);
  default:
    return false;
  }
}

namespace {
/// The state of a scalar while some arguments are partial terms. Zero is both:
/// a constant 0 is a complete value and also a valid term of a sum.
enum class State { Complete, Partial, Zero, Neither };
} // namespace

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// A sum of equally partial terms, or of complete values.
static State combineTerms(State a, State b) {
  if (a == State::Neither || b == State::Neither)
    return State::Neither;
  if (a == State::Zero)
    return b;
  if (b == State::Zero)
    return a;
  return a == b ? a : State::Neither;
}

/// The state of one result for sums.
static State transferSum(Operation *op, llvm::function_ref<State(Value)> get) {
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  bool anyPartial = false, anySpoiled = false;
  for (Value value : op->getOperands()) {
    anyPartial |= get(value) == State::Partial;
    anySpoiled |= get(value) == State::Neither;
  }
  if (anySpoiled)
    return State::Neither;
  if (!anyPartial)
    return State::Complete;
  if (op->getNumRegions())
    return State::Neither;
  bool oneBit = getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
  if (isa<arith::AddFOp, arith::SubFOp, complex::AddOp, complex::SubOp>(op) ||
      (isa<arith::AddIOp, arith::SubIOp>(op) && !oneBit))
    return combineTerms(operand(0), operand(1));
  // The real and the imaginary part of a sum are the sums of the parts.
  if (isa<arith::NegFOp, arith::ExtFOp, complex::NegOp, complex::ConjOp,
          complex::ReOp, complex::ImOp>(op) ||
      (isa<arith::TruncFOp>(op) && op->hasAttr(kPartialCast)))
    return operand(0);
  if (isa<complex::CreateOp>(op))
    return combineTerms(operand(0), operand(1));
  if (isa<arith::MulFOp, complex::MulOp>(op) ||
      (isa<arith::MulIOp>(op) && !oneBit))
    return operand(0) == State::Partial && operand(1) == State::Partial
               ? State::Neither
               : State::Partial;
  if (isa<arith::DivFOp, complex::DivOp>(op))
    return operand(1) == State::Partial ? State::Neither : State::Partial;
  if (isa<arith::SelectOp>(op))
    return operand(0) == State::Partial ? State::Neither
                                        : combineTerms(operand(1), operand(2));
  return State::Neither;
}

/// The state of one result for the other kinds: what combines by the same kind
/// stays partial, and a monotone function passes max and min.
static State transferKind(Operation *op, PartialKind kind,
                          llvm::function_ref<State(Value)> get) {
  bool anyPartial = false;
  for (Value value : op->getOperands()) {
    if (get(value) == State::Neither)
      return State::Neither;
    anyPartial |= get(value) == State::Partial;
  }
  if (!anyPartial)
    return State::Complete;
  if (combinerKind(op) == kind) {
    State a = get(op->getOperand(0)), b = get(op->getOperand(1));
    if (a == b)
      return a;
    // max(term, complete) is a term of the same maximum: combining a complete
    // value more than once changes nothing.
    return infoOf(kind).idempotent ? State::Partial : State::Neither;
  }
  if (isa<arith::ExtFOp>(op) && kind != PartialKind::Prod)
    return State::Partial;
  if (isMonotone(op) && isFloatExtremum(kind))
    return State::Partial;
  // Between a partial value and a complete one; of two partial ones each is the
  // extremum of other terms.
  if (isClamp(op, kind) && get(op->getOperand(0)) != get(op->getOperand(1)))
    return State::Partial;
  return State::Neither;
}

/// True if all yielded values are partial if exactly the arguments in `partial`
/// are.
static bool staysPartial(Block &body, std::optional<PartialKind> kind,
                         llvm::function_ref<bool(BlockArgument)> isPartial) {
  llvm::SmallDenseMap<Value, State, 16> states;
  for (BlockArgument argument : body.getArguments())
    states[argument] = isPartial(argument) ? State::Partial : State::Complete;
  auto get = [&](Value value) {
    auto it = states.find(value);
    if (it != states.end())
      return it->second;
    bool zero = kind == PartialKind::Sum && isZero(value);
    return zero ? State::Zero : State::Complete;
  };
  for (Operation &op : body.without_terminator()) {
    State state;
    if (matchPattern(&op, m_Constant()))
      continue;
    // A region may read any partial value in ways that this analysis does not
    // follow.
    if (op.getNumRegions()) {
      bool reads = false;
      op.walk([&](Operation *inner) {
        for (Value value : inner->getOperands())
          reads |= get(value) == State::Partial || get(value) == State::Neither;
      });
      state = reads ? State::Neither : State::Complete;
    } else if (!kind) {
      state = State::Complete;
      for (Value value : op.getOperands())
        if (get(value) != State::Complete)
          state = State::Neither;
    } else if (op.getNumResults() == 0) {
      continue;
    } else if (*kind == PartialKind::Sum) {
      state = transferSum(&op, get);
    } else {
      state = transferKind(&op, *kind, get);
    }
    for (Value result : op.getResults())
      states[result] = state;
  }
  return llvm::all_of(body.getTerminator()->getOperands(), [&](Value value) {
    State state = get(value);
    return state == State::Partial || state == State::Zero;
  });
}

SmallVector<PartialRule>
shardir::bodyPartials(Block &body, ArrayRef<int> operandOf,
                      ArrayRef<BlockArgument> accumulators) {
  SmallVector<PartialRule> rules;
  // Only operands that the body reads can be partial.
  SmallVector<int> used;
  for (auto [argument, operand] : llvm::zip(body.getArguments(), operandOf))
    if (operand >= 0 && !argument.use_empty())
      used.push_back(operand);
  auto tryKind = [&](std::optional<PartialKind> kind, ArrayRef<int> set) {
    auto isPartial = [&](BlockArgument argument) {
      return operandOf[argument.getArgNumber()] >= 0 &&
             llvm::is_contained(set, operandOf[argument.getArgNumber()]);
    };
    bool holds = staysPartial(body, kind, isPartial);
    // The next step of a reduction reads the value that the first yields: a
    // product of one term with a complete value is partial, a product of two is
    // not.
    if (holds && !accumulators.empty())
      holds = staysPartial(body, kind, [&](BlockArgument argument) {
        return isPartial(argument) ||
               llvm::is_contained(accumulators, argument);
      });
    if (holds)
      rules.push_back({kind, SmallVector<int, 2>(set)});
    return holds;
  };
  // Data movement passes every kind.
  for (int operand : used)
    tryKind(std::nullopt, {operand});
  if (!rules.empty())
    return rules;
  // All sets of few operands; of many, single ones and all of them.
  SmallVector<SmallVector<int>> sets;
  if (used.size() <= 4) {
    for (unsigned mask = 1; mask < (1u << used.size()); ++mask) {
      SmallVector<int> set;
      for (auto [i, operand] : llvm::enumerate(used))
        if (mask & (1u << i))
          set.push_back(operand);
      sets.push_back(set);
    }
    llvm::stable_sort(
        sets, [](const auto &a, const auto &b) { return a.size() < b.size(); });
  } else {
    for (int operand : used)
      sets.push_back({operand});
    sets.push_back(used);
  }
  for (const PartialKindInfo &info : kPartialKinds) {
    PartialKind kind = info.kind;
    // A kind whose combiner the body lacks passes nothing but movement; sums
    // pass multiplications and more.
    bool present = kind == PartialKind::Sum ||
                   llvm::any_of(body.without_terminator(), [&](Operation &op) {
                     return combinerKind(&op) == kind ||
                            isa<arith::ExtFOp>(op) ||
                            (isMonotone(&op) && isFloatExtremum(kind)) ||
                            isClamp(&op, kind);
                   });
    if (!present)
      continue;
    for (ArrayRef<int> set : sets)
      tryKind(kind, set);
  }
  return rules;
}
