//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which shards of an op's results depend on nothing but shards of its operands.
// Requires an op that runs whole; guarantees that what it finds holds for any
// local form, since each element of a result is looked at with the elements
// that it was computed from.
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include <set>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

/// All ways for one axis to split one dim of a tensor of this type: in blocks,
/// and with an integer before or after the axis. Dims of extent 1 say nothing.
std::vector<State> Search::shardsOf(Type type) const {
  std::vector<State> states;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return states;
  std::set<std::string> seen;
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
    int64_t extent = tensor.getDimSize(dim);
    for (int64_t k = 1; k < extent; ++k)
      for (bool before : {false, true}) {
        if (extent % k != 0 || (k == 1 && before))
          continue;
        Placement placement = Placement::replicatedOfRank(tensor.getRank());
        std::vector<Split> &splits = placement.dims[dim].splits;
        splits.push_back(Split::byAxis(mesh.axes[0].name));
        if (k > 1)
          splits.insert(before ? splits.begin() : splits.end(),
                        Split::byFactor(k));
        if (verifyPlacement(placement, mesh, shapeOf(tensor)))
          continue;
        placement = normalForm(placement, mesh, shapeOf(tensor));
        if (!placement.isReplicated() &&
            seen.insert(shardir::toString(placement)).second)
          states.push_back(placement);
      }
  }
  return states;
}

bool Search::addByDependences(Found &to) {
  auto values = subject.arguments(interpreter, data, Flavour::Small);
  if (failed(values)) {
    interpreter.takeError();
    return false;
  }
  // Number the elements of all operands.
  unsigned next = 0;
  SmallVector<Tensor> operands(subject.operandTypes.size());
  SmallVector<unsigned> firsts(subject.operandTypes.size());
  for (auto [a, value] : llvm::enumerate(*values)) {
    int operand = subject.operandOf[a];
    if (operand < 0 || !value.tensor)
      continue;
    auto numbered = std::make_shared<TensorData>(*value.tensor);
    firsts[operand] = next;
    for (Scalar &element : numbered->elements)
      element.dependences = interpreter.getDependences().single(next++);
    value.tensor = operands[operand] = numbered;
  }
  interpreter.forgetControl();
  auto results = interpreter.call(subject.function, *values);
  if (failed(results) || interpreter.hasDataDependentControl()) {
    interpreter.takeError();
    return false;
  }
  llvm::BitVector read(next);
  for (const RuntimeValue &value : *results) {
    read |= interpreter.getDependences().get(value.scalar.dependences);
    if (value.tensor)
      for (const Scalar &element : value.tensor->elements)
        read |= interpreter.getDependences().get(element.dependences);
  }
  read.resize(next);
  isUnread.assign(operands.size(), false);
  for (auto [i, tensor] : llvm::enumerate(operands))
    if (tensor) {
      llvm::BitVector own(next);
      own.set(firsts[i], firsts[i] + tensor->elements.size());
      isUnread[i] = !read.anyCommon(own);
    }
  // Of an operand, what each device holds.
  auto holds = [&](int operand, const Placement &placement, int64_t position) {
    llvm::BitVector held(next);
    const TensorData &tensor = *operands[operand];
    std::vector<int64_t> shape(tensor.shape.begin(), tensor.shape.end());
    std::vector<DimShard> shard = shardOf(placement, mesh, shape, position);
    for (const Scalar &element : cut(tensor, shard)->elements)
      held |= interpreter.getDependences().get(element.dependences);
    held.resize(next);
    return held;
  };
  int64_t devices = mesh.numDevices();
  struct Choice {
    State state;
    std::vector<llvm::BitVector> sets; ///< per device
  };
  std::vector<std::vector<Choice>> shards(operands.size());
  for (auto [i, tensor] : llvm::enumerate(operands)) {
    if (!tensor)
      continue;
    for (State &state : shardsOf(subject.operandTypes[i])) {
      Choice choice{state, {}};
      for (int64_t position = 0; position < devices; ++position)
        choice.sets.push_back(holds(i, *state, position));
      shards[i].push_back(std::move(choice));
    }
  }
  // Every result whole or in shards, and what each device needs for that.
  std::vector<std::vector<State>> resultStates;
  for (Type type : subject.op->getResultTypes()) {
    resultStates.push_back({whole(type)});
    llvm::append_range(resultStates.back(), shardsOf(type));
  }
  forEachProduct(resultStates, [&](const std::vector<State> &states) {
    std::vector<llvm::BitVector> needs(devices, llvm::BitVector(next));
    for (auto [r, state] : llvm::enumerate(states))
      for (int64_t position = 0; position < devices; ++position) {
        const RuntimeValue &value = (*results)[r];
        auto need = [&](const Scalar &element) {
          needs[position] |=
              interpreter.getDependences().get(element.dependences);
        };
        if (!value.tensor) {
          need(value.scalar);
          continue;
        }
        std::vector<int64_t> shape(value.tensor->shape.begin(),
                                   value.tensor->shape.end());
        for (const Scalar &element :
             cut(*value.tensor, shardOf(*state, mesh, shape, position))
                 ->elements)
          need(element);
      }
    // Operands don't matter to each other: each may be cut in every way that
    // leaves a device what it needs of it.
    std::vector<std::vector<State>> choices;
    for (auto [i, tensor] : llvm::enumerate(operands)) {
      std::vector<State> &own = choices.emplace_back();
      if (!tensor) {
        own.push_back({});
        continue;
      }
      llvm::BitVector all(next);
      all.set(firsts[i], firsts[i] + tensor->elements.size());
      bool isRead = false;
      for (llvm::BitVector &need : needs) {
        need.resize(next);
        isRead |= need.anyCommon(all);
      }
      if (isRead)
        for (const Choice &choice : shards[i]) {
          bool enough = true;
          for (int64_t position = 0; position < devices; ++position) {
            llvm::BitVector own = needs[position];
            own &= all;
            enough &= !own.test(choice.sets[position]);
          }
          if (enough)
            own.push_back(choice.state);
        }
      if (own.empty())
        own.push_back(whole(subject.operandTypes[i]));
    }
    forEachProduct(choices, [&](const std::vector<State> &picked) {
      if (!llvm::all_of(picked, [&](const State &s) { return isWhole(s); }))
        add(to, {picked, states});
    });
  });
  return true;
}
