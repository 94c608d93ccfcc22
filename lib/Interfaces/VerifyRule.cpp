//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one check of sharding rules, whether they come from an attribute or from
// an interface. Requires nothing of a rule; guarantees that one that passes can
// be read by every stage: no index is out of range, no list too short.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Interfaces/VerifyRule.h"
#include "ShardIR/Placement/Halo.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace shardir;

namespace {

/// One rule of one op. Each check emits the first fault that it finds.
class RuleVerifier {
public:
  RuleVerifier(Operation *op, const ShardingRule &rule,
               ArrayRef<StringRef> names)
      : op(op), rule(rule), names(names) {
    llvm::append_range(operandTypes, op->getOperandTypes());
    for (Value value : capturedTensors(op))
      capturedTypes.push_back(value.getType());
  }

  LogicalResult verify();

private:
  /// How often a factor occurs.
  struct Occurrence {
    bool inOperand = false, inResult = false;
    /// Where it is alone in a dim without a window: the extent of the first dim
    /// that tells one, and whether another one does not.
    int64_t extent = kUnknown;
    bool isOpen = false;
  };

  InFlightDiagnostic error() { return op->emitOpError("has a sharding rule "); }
  std::string nameOf(int factor) const {
    return size_t(factor) < names.size() ? names[factor].str()
                                         : std::to_string(factor);
  }
  LogicalResult verifyLists();
  LogicalResult verifyTensor(const TensorFactors &tensor, Type type,
                             const std::string &what, bool isResult);
  LogicalResult verifyWindow(const Window &window, const DimFactors &dim,
                             int64_t extent, const std::string &where);
  LogicalResult verifyNumber(const RunTimeNumber &number,
                             const std::string &where);
  LogicalResult verifyFactor(int factor);
  LogicalResult verifyInits();
  LogicalResult verifyPartials();

  Operation *op;
  const ShardingRule &rule;
  ArrayRef<StringRef> names;
  SmallVector<Type> operandTypes, capturedTypes;
  SmallVector<Occurrence> occurrences; ///< one per factor
};

} // namespace

LogicalResult RuleVerifier::verifyLists() {
  // An interface may leave out what regions capture.
  size_t own = operandTypes.size();
  size_t found = rule.operands.size();
  if (found != own && found != own + capturedTypes.size()) {
    InFlightDiagnostic diagnostic = error()
                                    << "with " << found << " operand lists for "
                                    << own << " operands";
    if (!capturedTypes.empty())
      diagnostic << " and " << capturedTypes.size()
                 << " tensors that its regions capture";
    return diagnostic << "; give one list each";
  }
  if (found != own)
    llvm::append_range(operandTypes, capturedTypes);
  if (rule.results.size() != op->getNumResults())
    return error() << "with " << rule.results.size() << " result lists for "
                   << op->getNumResults() << " results; give one list each";
  return success();
}

LogicalResult RuleVerifier::verifyNumber(const RunTimeNumber &number,
                                         const std::string &where) {
  for (const RunTimeNumber::Term &term : number.terms) {
    bool inRange =
        term.operand >= 0 && size_t(term.operand) < op->getNumOperands();
    Type type = inRange ? op->getOperand(term.operand).getType() : Type();
    auto tensor = dyn_cast_or_null<RankedTensorType>(type);
    if (inRange && (term.dim == -1 ? type.isIndex()
                                   : tensor && term.dim >= 0 &&
                                         term.dim < tensor.getRank()))
      continue;
    InFlightDiagnostic diagnostic = error() << "whose window of " << where;
    if (term.dim == -1)
      return diagnostic << " reads operand " << term.operand
                        << " as an index, which is none";
    return diagnostic << " depends on dim " << term.dim << " of operand "
                      << term.operand << ", which does not exist";
  }
  return success();
}

LogicalResult RuleVerifier::verifyWindow(const Window &window,
                                         const DimFactors &dim, int64_t extent,
                                         const std::string &where) {
  if (dim.size() != 1)
    return error() << "with " << dim.size() << " factors in " << where
                   << ", which is read through a window; give one factor";
  if (window.stride < 1 || window.dilation < 1)
    return error() << "whose window of " << where << " has stride "
                   << window.stride << " and dilation " << window.dilation
                   << "; both must be at least 1";
  if (window.size != kUnknown && extent != kUnknown && window.size != extent)
    return error() << "whose window of " << where << " is for size "
                   << window.size << ", but it has size " << extent;
  for (int64_t number :
       {window.low, window.high, window.stride, window.dilation})
    if (number > kMaxWindow || number < -kMaxWindow)
      return error() << "whose window of " << where << " has the number "
                     << number << "; the largest is " << kMaxWindow;
  if (window.open && (failed(verifyNumber(window.open->extent, where)) ||
                      failed(verifyNumber(window.open->shift, where))))
    return failure();
  return success();
}

LogicalResult RuleVerifier::verifyTensor(const TensorFactors &tensor, Type type,
                                         const std::string &what,
                                         bool isResult) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  size_t rank = ranked ? ranked.getRank() : 0;
  if (tensor.dims.size() != rank)
    return error() << "with " << tensor.dims.size() << " dims for " << what
                   << " of type " << type << "; give " << rank;
  if (!tensor.windows.empty() && (isResult || tensor.windows.size() != rank))
    return error() << "with " << tensor.windows.size() << " windows for "
                   << what
                   << (isResult ? "; windows are for operands"
                                : "; give one entry per dim or none");
  SmallVector<bool> seen(rule.factors.size());
  for (auto [dim, factors] : llvm::enumerate(tensor.dims)) {
    std::string where = "dim " + std::to_string(dim) + " of " + what;
    int64_t extent =
        ranked.isDynamicDim(dim) ? kUnknown : ranked.getDimSize(dim);
    int64_t size = 1;
    bool isKnown = true, isPinned = false;
    for (int factor : factors) {
      if (factor < 0 || size_t(factor) >= rule.factors.size())
        return error() << "that names factor " << factor << " in " << where
                       << ", but it has " << rule.factors.size() << " factors";
      // One that stays unsharded may be on a diagonal.
      if (seen[factor] && rule.factors[factor].kind != FactorKind::Replicate)
        return error() << "with factor " << nameOf(factor) << " in two dims of "
                       << what << "; an axis splits one dim of a tensor: leave "
                       << where << " without it (_)";
      seen[factor] = true;
      (isResult ? occurrences[factor].inResult
                : occurrences[factor].inOperand) = true;
      const Factor &found = rule.factors[factor];
      isPinned |= !found.pinned.empty();
      isKnown &= found.size != kUnknown;
      if (isKnown && llvm::MulOverflow(size, found.size, size))
        size = std::numeric_limits<int64_t>::max();
    }
    if (const Window *window = tensor.window(dim)) {
      if (failed(verifyWindow(*window, factors, extent, where)))
        return failure();
      continue;
    }
    if (factors.size() == 1) {
      Occurrence &occurrence = occurrences[factors[0]];
      occurrence.isOpen |= extent == kUnknown;
      if (occurrence.extent == kUnknown)
        occurrence.extent = extent;
    }
    // A pinned factor counts blocks, of which the last may be short.
    if (factors.empty() || isPinned || !isKnown || extent == kUnknown ||
        size == extent)
      continue;
    if (factors.size() == 1)
      return error() << "whose factor " << nameOf(factors[0]) << " has size "
                     << size << ", but " << where << " has size " << extent;
    SmallVector<std::string> all;
    for (int factor : factors)
      all.push_back(nameOf(factor));
    return error() << "whose factors " << llvm::join(all, ", ") << " have size "
                   << size << " together, but " << where << " has size "
                   << extent;
  }
  return success();
}

LogicalResult RuleVerifier::verifyFactor(int number) {
  const Factor &factor = rule.factors[number];
  Occurrence found = occurrences[number];
  std::string name = nameOf(number);
  if (factor.size < 0 && factor.size != kUnknown)
    return error() << "whose factor " << name << " has size " << factor.size
                   << "; an unknown size is kUnknown";
  if (factor.size == kUnknown && found.extent != kUnknown && !found.isOpen)
    return error() << "whose factor " << name
                   << " has an unknown size, but its dims have size "
                   << found.extent << "; give that size";
  if (factor.kind == FactorKind::Replicate)
    return success();
  if (factor.kind == FactorKind::PassThrough) {
    if (!factor.combiners.empty())
      return error() << "with a combiner for factor " << name
                     << ", which is not a reduction";
    bool hasResult =
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    // Inside of a manual region each device is at its place along a pinned one.
    // An op that reads no element may take its operand in any placement.
    if (factor.pinned.empty() && found.inOperand && !found.inResult &&
        hasResult && rule.moves != ShardingRule::Moves::Nothing) {
      // Most likely one name was written for the other.
      for (auto [other, own] : llvm::enumerate(rule.factors))
        if (own.kind == FactorKind::Reduction && own.pinned.empty() &&
            !occurrences[other].inOperand && !occurrences[other].inResult)
          return error() << "whose factor " << name
                         << " is in no result and is not reduced, while factor "
                         << nameOf(other)
                         << ", which is reduced, is no dim of an operand: name "
                            "the dim and the factor alike";
      return error() << "whose factor " << name
                     << " is in no result and is not reduced: say by which "
                        "kind it is (reduction = {"
                     << name << " = sum}), or leave its dims without it (_)";
    }
    return success();
  }
  if (found.inResult)
    return error() << "that reduces factor " << name
                   << ", which is a dim of a result";
  // The result of a manual region may be partial along a pinned axis.
  if (!found.inOperand && factor.pinned.empty())
    return error() << "that reduces factor " << name
                   << ", which is no dim of an operand; name the dim " << name
                   << " or leave it out of the reduction";
  if (factor.combiners.size() != op->getNumResults())
    return error() << "that reduces factor " << name << " by "
                   << factor.combiners.size() << " kinds, for "
                   << op->getNumResults() << " results; give one kind each";
  for (auto [result, kind] : llvm::zip(op->getResults(), factor.combiners))
    if (isa<RankedTensorType>(result.getType()) &&
        !infoOf(kind).isFor(numberClass(result.getType())))
      return error() << "that reduces factor " << name << " by "
                     << stringifyPartialKind(kind)
                     << ", which does not combine elements of result "
                     << result.getResultNumber() << " of type "
                     << result.getType()
                     << "; take a kind that is for its element type";
  return success();
}

LogicalResult RuleVerifier::verifyInits() {
  if (!rule.inits.empty() && rule.inits.size() != op->getNumResults())
    return error() << "with " << rule.inits.size() << " inits for "
                   << op->getNumResults()
                   << " results; give one entry each, or none";
  for (auto [result, init] : llvm::enumerate(rule.inits)) {
    if (init == -1)
      continue;
    if (init < 0 || size_t(init) >= rule.operands.size())
      return error() << "that names operand " << init
                     << " as the initial value of result " << result
                     << ", but the op has " << rule.operands.size()
                     << " operands";
    if (rule.operands[init].dims != rule.results[result].dims)
      return error() << "that names operand " << init
                     << " as the initial value of result " << result
                     << ", but their dims have other factors";
  }
  return success();
}

LogicalResult RuleVerifier::verifyPartials() {
  for (const PartialRule &partial : rule.partials) {
    if (partial.operands.empty())
      return error() << "that lets terms of no operand pass; name the operands "
                        "of each entry of 'partials'";
    for (auto [i, operand] : llvm::enumerate(partial.operands)) {
      if (operand < 0 || size_t(operand) >= rule.operands.size())
        return error() << "that lets terms of operand " << operand
                       << " pass, but the op has " << rule.operands.size()
                       << " operands";
      if (llvm::is_contained(ArrayRef(partial.operands).take_front(i), operand))
        return error() << "that lets terms of operand " << operand
                       << " pass, and lists it twice";
    }
  }
  return success();
}

LogicalResult RuleVerifier::verify() {
  if (failed(verifyLists()))
    return failure();
  occurrences.resize(rule.factors.size());
  for (auto [i, tensor] : llvm::enumerate(rule.operands))
    if (failed(verifyTensor(tensor, operandTypes[i],
                            "operand " + std::to_string(i),
                            /*isResult=*/false)))
      return failure();
  for (auto [i, tensor] : llvm::enumerate(rule.results))
    if (failed(verifyTensor(tensor, op->getResult(i).getType(),
                            "result " + std::to_string(i), /*isResult=*/true)))
      return failure();
  for (int factor = 0, count = rule.factors.size(); factor < count; ++factor)
    if (failed(verifyFactor(factor)))
      return failure();
  if (failed(verifyInits()))
    return failure();
  return verifyPartials();
}

LogicalResult shardir::verifyRule(Operation *op, const ShardingRule &rule,
                                  ArrayRef<StringRef> names) {
  return RuleVerifier(op, rule, names).verify();
}
