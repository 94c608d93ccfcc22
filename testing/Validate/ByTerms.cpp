//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which terms of operands, and which shards of reduced dims, give terms of the
// results: by running the op on them. Requires an op that runs whole; a
// placement counts as right if it is for every set of data that was tried.
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "Validate/Soundness.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

/// How many elements a placement of terms must be right for, over all sets of
/// data, and how many sets at least.
static constexpr int64_t kTriedElements = 800, kTrials = 40;

/// The kinds to look for on an element type: on one bit all but three say the
/// same as one of those.
static bool isOwnKind(PartialKind kind, Type element) {
  return !element.isInteger(1) || kind == PartialKind::And ||
         kind == PartialKind::Or || kind == PartialKind::Xor;
}

const Search::Trial &Search::trial(int number) {
  if (trials.size() <= size_t(number))
    trials.resize(number + 1);
  std::optional<Trial> &cached = trials[number];
  if (cached)
    return *cached;
  cached.emplace();
  // Every fourth set of data is of ordinary numbers alone.
  Flavour flavour = number % 4 ? Flavour::Special : Flavour::Small;
  auto arguments = subject.arguments(interpreter, data, flavour);
  auto results = succeeded(arguments)
                     ? interpreter.call(subject.function, *arguments)
                     : FailureOr<SmallVector<RuntimeValue>>();
  interpreter.takeError();
  if (succeeded(results)) {
    cached->runs = true;
    cached->arguments = std::move(*arguments);
    cached->results = std::move(*results);
  }
  return *cached;
}

int64_t Search::numTrials() const {
  int64_t elements = 1;
  for (Type type : subject.op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      elements = std::max(elements, tensor.getNumElements());
  return std::max(kTrials, kTriedElements / elements);
}

/// Whether `function`, run on what the devices hold by `tuple`, gives results
/// that lie so, for several sets of data.
bool Search::runsOnTerms(const OpPlacements &tuple, PartialKind kind,
                         func::FuncOp function) {
  bool ordered = kind != PartialKind::Sum && kind != PartialKind::Prod;
  int done = 0;
  // Sums and products of infinities depend on which come first.
  for (int number = 0; number < numTrials(); number += ordered ? 1 : 4) {
    const Trial &single = trial(number);
    if (!single.runs)
      continue;
    SmallVector<std::vector<Tensor>> shards(single.arguments.size());
    for (auto [a, value] : llvm::enumerate(single.arguments))
      if (value.tensor && subject.operandOf[a] >= 0)
        shards[a] = distribute(
            *value.tensor, *tuple.operands[subject.operandOf[a]], mesh, data);
    std::vector<SmallVector<RuntimeValue>> found;
    for (int64_t position = 0; position < mesh.numDevices(); ++position) {
      SmallVector<RuntimeValue> own(single.arguments);
      for (auto [value, shard] : llvm::zip(own, shards))
        if (!shard.empty())
          value.tensor = shard[position];
      auto given = interpreter.call(function, own);
      if (failed(given)) {
        interpreter.takeError();
        return false;
      }
      found.push_back(std::move(*given));
    }
    Assembly assembly{mesh, ordered ? Exactness::Bits : Exactness::Rounded};
    for (auto [r, value] : llvm::enumerate(single.results)) {
      if (!value.tensor)
        return false;
      std::vector<Tensor> parts;
      for (const SmallVector<RuntimeValue> &own : found)
        parts.push_back(own[r].tensor);
      if (assembly.compare(*value.tensor, *tuple.results[r], parts))
        return false;
    }
    ++done;
  }
  return done > 0;
}

/// Terms of operands give terms of all results, by the same kind.
void Search::addByTerms() {
  SmallVector<int> tensors;
  for (auto [i, type] : llvm::enumerate(subject.operandTypes))
    if (isa<RankedTensorType>(type) && (isUnread.empty() || !isUnread[i]))
      tensors.push_back(i);
  if (tensors.size() > 6)
    return;
  auto partial = [&](Type type, PartialKind kind) {
    State state = whole(type);
    if (state) {
      state->partial = kind;
      state->partialAxes = {AxisRef{mesh.axes[0].name, 1, 0}};
    }
    return state;
  };
  auto verifies = [&](const State &state, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor ||
           ((!state->partial ||
             isOwnKind(*state->partial, tensor.getElementType())) &&
            !verifyPlacement(*state, mesh, shapeOf(tensor),
                             elementTypeName(tensor.getElementType())));
  };
  for (const PartialKindInfo &info : kPartialKinds)
    for (unsigned mask = 1; mask < (1u << tensors.size()); ++mask) {
      PartialKind kind = info.kind;
      OpPlacements tuple;
      bool fits = true;
      for (auto [i, type] : llvm::enumerate(subject.operandTypes)) {
        const int *position = llvm::find(tensors, int(i));
        bool isPartial = position != tensors.end() &&
                         (mask >> (position - tensors.begin()) & 1);
        tuple.operands.push_back(isPartial ? partial(type, kind) : whole(type));
        fits &= verifies(tuple.operands.back(), type);
      }
      for (Type type : subject.op->getResultTypes()) {
        fits &= isa<RankedTensorType>(type);
        tuple.results.push_back(partial(type, kind));
        fits &= verifies(tuple.results.back(), type);
      }
      if (fits && runsOnTerms(tuple, kind, subject.function))
        add(found, std::move(tuple));
    }
}

/// A copy of the op's function on tensors of unknown extents, which runs on any
/// shards; null where the op's attributes tell extents.
static func::FuncOp anyExtents(const Subject &subject, ModuleOp module) {
  OpBuilder builder(module.getBodyRegion());
  auto function = cast<func::FuncOp>(builder.clone(*subject.op->getParentOp()));
  auto forget = [](Value value) {
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      value.setType(RankedTensorType::get(
          SmallVector<int64_t>(tensor.getRank(), ShapedType::kDynamic),
          tensor.getElementType()));
  };
  for (Value argument : function.getArguments())
    forget(argument);
  Operation *terminator = function.getBody().front().getTerminator();
  for (Value value : terminator->getOperands())
    forget(value);
  function.setType(
      builder.getFunctionType(function.getBody().front().getArgumentTypes(),
                              terminator->getOperandTypes()));
  return function;
}

/// Shards of a reduced dim give terms of all results; the initial value, if
/// there is one, is in terms too.
void Search::addReductions() {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(subject.op);
  bool byMeaning = interpreter.meaningOf(subject.op) != nullptr;
  if (!linalgOp && !byMeaning)
    return;
  OwningOpRef<ModuleOp> module = ModuleOp::create(subject.op->getLoc());
  func::FuncOp function = anyExtents(subject, *module);
  // Shards of inputs; the kinds that each result's type may have.
  std::vector<std::vector<State>> choices;
  for (auto [i, type] : llvm::enumerate(subject.operandTypes)) {
    std::vector<State> &own = choices.emplace_back();
    own.push_back(whole(type));
    bool isInit = linalgOp && i < subject.op->getNumOperands() &&
                  linalgOp.isDpsInit(&subject.op->getOpOperand(i));
    if (!isInit)
      for (State &state : shardsOf(type))
        // Blocks alone: what holds for them holds for other cuts of the dim.
        if (llvm::all_of(state->dims, [](const DimPlacement &dim) {
              return dim.splits.size() <= 1;
            }))
          own.push_back(state);
  }
  forEachProduct(choices, [&](const std::vector<State> &picked) {
    if (llvm::all_of(picked, [&](const State &s) { return isWhole(s); }))
      return;
    for (const PartialKindInfo &info : kPartialKinds) {
      PartialKind kind = info.kind;
      auto makePartial = [&](State &state) {
        state->partial = kind;
        state->partialAxes = {AxisRef{mesh.axes[0].name, 1, 0}};
      };
      auto verifies = [&](const State &state, Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && isOwnKind(kind, tensor.getElementType()) &&
               !verifyPlacement(*state, mesh, shapeOf(tensor),
                                elementTypeName(tensor.getElementType()));
      };
      OpPlacements tuple{picked, {}};
      bool fits = true;
      for (Type type : subject.op->getResultTypes()) {
        tuple.results.push_back(whole(type));
        if (!tuple.results.back())
          return;
        makePartial(tuple.results.back());
        fits &= verifies(tuple.results.back(), type);
      }
      if (linalgOp)
        for (OpOperand &init : linalgOp.getDpsInitsMutable())
          makePartial(tuple.operands[init.getOperandNumber()]);
      if (fits && runsOnTerms(tuple, kind, function))
        add(found, std::move(tuple));
    }
  });
}
