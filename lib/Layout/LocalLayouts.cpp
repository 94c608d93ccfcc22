//===- LocalLayouts.cpp - Orders of a local program's tensors -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Makes the graph of LayoutChoice.h from a function
// and reads the choice back. Candidates come from the collectives that pack in
// row-major order: a dim whose split changes goes outermost. They propagate
// along ops, so that neighbours can agree. Changes nothing.
//
//===----------------------------------------------------------------------===//

#include "LayoutRuns.h"
#include "ShardIR/Analysis/EqualValues.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Layout/LayoutChoice.h"
#include "ShardIR/Memory/PeakMemory.h"
#include "ShardIR/Report/Report.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"

#include <deque>

using namespace mlir;
using namespace shardir;

namespace {

/// Candidates that one tensor may have; more are not looked at.
constexpr size_t kMaxCandidates = 6;
/// A contraction's rows are computed with the same cost from this number on,
/// however many more there are (chooseTiles: beyond 24 rows, or 4 register
/// tiles of at most 8).
constexpr int64_t kManyRows = 64;
/// Measured at 1024x1024 operands and 8 to 1024 rows: reading one of a
/// contraction's operands transposed costs 0 to 0.2 of a copy.
constexpr int64_t kContractionReads = 4;
/// With fewer rows or columns, writing a contraction's result transposed is
/// much slower (8 rows: 3 times), as columns fill the vectors and rows do not.
constexpr int64_t kLongResult = 256;

class LayoutGraphBuilder {
public:
  LayoutGraphBuilder(func::FuncOp function, const MeshTable &meshes,
                     LayoutMode mode)
      : function(function), meshes(meshes), mode(mode) {}

  LocalLayouts run();

private:
  // Nodes and candidates.
  void addNodes();
  void addCandidate(Value value, const DimOrder &order);
  void addSeeds(collective::CollectiveOpInterface step);
  void propagate(Operation *op, Value from, const DimOrder &order);
  // Costs.
  void addCosts(Operation *op);
  void addLoops(Operation *op, const LoopView &view);
  void addParallelLoops(const LoopView &view, Value result);
  void addReductionOrders(const LoopView &view, Value result);
  void addContractionRuns(const LoopView &view, Value result);
  void addSlower(Value value, llvm::function_ref<bool(const DimOrder &)> isSlow,
                 int64_t bytes);
  void addAgreement(Value from, Value to);
  void addSameOrder(Operation *op);
  void addRowMajorUse(Value value);
  void addElementRead(Value value);
  void addEdge(
      Value a, Value b,
      llvm::function_ref<int64_t(const DimOrder &, const DimOrder &)> bytes);

  int64_t packed(collective::CollectiveOpInterface step, const DimOrder &order);
  int64_t copyBytes(Value value) const;
  int64_t slowBytes(Value value) const;
  static int64_t times(Operation *op) { return executionsOf(op).value_or(1); }
  int64_t times(Value value) const {
    Operation *op = value.getDefiningOp();
    return op ? times(op) : 1;
  }

  func::FuncOp function;
  const MeshTable &meshes;
  LayoutMode mode;
  PackingCache packing;
  llvm::DenseMap<Value, size_t> nodeOf;
  std::vector<SmallVector<Value, 1>> values;     ///< by node, equal ones
  std::vector<std::vector<DimOrder>> candidates; ///< by node
  std::vector<bool> fixed, read;                 ///< by node
  std::deque<std::pair<Value, DimOrder>> work;
  LayoutGraph graph;
};

} // namespace

std::optional<LayoutMode> shardir::parseLayoutMode(StringRef text) {
  return llvm::StringSwitch<std::optional<LayoutMode>>(text)
      .Case("row-major", LayoutMode::RowMajor)
      .Case("auto", LayoutMode::Auto)
      .Case("contiguous", LayoutMode::Contiguous)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

int64_t LayoutGraphBuilder::packed(collective::CollectiveOpInterface step,
                                   const DimOrder &order) {
  RankedTensorType type = step.getGlobalTensorType();
  return times(step) *
         packing.get(reordered(step.getStep(), order),
                     meshes.get(step.getFrom()), meshes.get(step.getTo()),
                     reordered(shapeOf(type), order), elementBytes(type));
}

/// The bytes of a copy into another order.
int64_t LayoutGraphBuilder::copyBytes(Value value) const {
  if (mode != LayoutMode::Contiguous)
    return kForbiddenBytes;
  return times(value) * largestBytes(value, meshes);
}

/// The cost, in bytes, of reading or writing a tensor against the order of
/// memory, or of a buffer that could have been shared.
int64_t LayoutGraphBuilder::slowBytes(Value value) const {
  return copyBytes(value);
}

//===----------------------------------------------------------------------===//
// Nodes and candidates
//===----------------------------------------------------------------------===//

/// Equal values are one node: attention is recognised where its backward pass
/// computes values of the forward pass again.
void LayoutGraphBuilder::addNodes() {
  llvm::MapVector<Operation *, Value> equals = findEqualValues(function);
  auto add = [&](Value value, bool isFixed) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() < 2 || isFreeTensor(value))
      return;
    Operation *made = value.getDefiningOp();
    auto equal = made ? equals.find(made) : equals.end();
    if (equal != equals.end() && nodeOf.contains(equal->second) &&
        !isa<OptimizationBarrierOp, collective::HostCopyOp>(made)) {
      size_t node = nodeOf.lookup(equal->second);
      nodeOf[value] = node;
      values[node].push_back(value);
      fixed[node] = fixed[node] || isFixed;
      return;
    }
    nodeOf[value] = values.size();
    values.push_back({value});
    candidates.push_back({rowMajor(type.getRank())});
    fixed.push_back(isFixed);
  };
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          add(argument, true);
    LayoutOpKind kind = layoutKind(op);
    bool isFixed = kind == LayoutOpKind::Fixed;
    for (Value result : op->getResults())
      add(result, isFixed);
  });
}

void LayoutGraphBuilder::addCandidate(Value value, const DimOrder &order) {
  auto it = nodeOf.find(value);
  if (it == nodeOf.end() || fixed[it->second])
    return;
  std::vector<DimOrder> &own = candidates[it->second];
  if (own.size() == kMaxCandidates || llvm::is_contained(own, order))
    return;
  own.push_back(order);
  for (Value equal : values[it->second])
    work.push_back({equal, order});
}

void LayoutGraphBuilder::addSeeds(collective::CollectiveOpInterface step) {
  Value result = step->getResult(0);
  int64_t rank = step.getGlobalTensorType().getRank();
  int64_t now = rank < 2 ? 0 : packed(step, rowMajor(rank));
  if (now == 0)
    return;
  for (int64_t dim = 1; dim < rank; ++dim) {
    if (step.getFrom().getValue().dims[dim].splits ==
        step.getTo().getValue().dims[dim].splits)
      continue;
    DimOrder order = rowMajor(rank);
    std::rotate(order.begin(), order.begin() + dim, order.begin() + dim + 1);
    if (packed(step, order) < now) {
      addCandidate(result, order);
      addCandidate(step.getInput(), order);
    }
  }
}

/// Takes a candidate of one of an op's tensors to its others.
void LayoutGraphBuilder::propagate(Operation *op, Value from,
                                   const DimOrder &order) {
  switch (layoutKind(op)) {
  case LayoutOpKind::Collective:
  case LayoutOpKind::Agree:
    if (from != op->getResult(0)) {
      if (std::optional<DimOrder> result = resultOrderFor(op, order))
        addCandidate(op->getResult(0), *result);
    } else if (std::optional<DimOrder> operand = operandOrderFor(op, order)) {
      addCandidate(op->getOperand(0), *operand);
    }
    return;
  case LayoutOpKind::Loops:
    break;
  default:
    return;
  }
  LoopView view = loopView(op);
  auto spreadFrom = [&](Loops loops) {
    SmallVector<int64_t> sequence = inMemoryOrder(loops, order);
    for (const LoopView::Operand &input : view.inputs)
      addCandidate(input.operand->get(), alignedOrder(input.loops, sequence));
    addCandidate(op->getResult(0), alignedOrder(view.resultLoops, sequence));
    if (view.init)
      addCandidate(view.init->get(), alignedOrder(view.resultLoops, sequence));
  };
  if (from == op->getResult(0) || (view.init && from == view.init->get()))
    spreadFrom(view.resultLoops);
  for (const LoopView::Operand &input : view.inputs)
    if (input.operand->get() == from)
      spreadFrom(input.loops);
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

void LayoutGraphBuilder::addEdge(
    Value a, Value b,
    llvm::function_ref<int64_t(const DimOrder &, const DimOrder &)> bytes) {
  auto atA = nodeOf.find(a), atB = nodeOf.find(b);
  if (atA == nodeOf.end() || atB == nodeOf.end() || a == b)
    return;
  size_t nodeA = atA->second, nodeB = atB->second;
  if (candidates[nodeA].size() == 1 && candidates[nodeB].size() == 1)
    return;
  if (nodeA == nodeB) {
    for (auto [i, order] : llvm::enumerate(candidates[nodeA]))
      graph.nodes[nodeA][i] = std::min(
          graph.nodes[nodeA][i] + bytes(order, order), kForbiddenBytes);
    return;
  }
  LayoutGraph::Edge edge{nodeA, nodeB, {}};
  for (const DimOrder &orderA : candidates[nodeA])
    for (const DimOrder &orderB : candidates[nodeB])
      edge.bytes.push_back(bytes(orderA, orderB));
  if (llvm::any_of(edge.bytes, [](int64_t each) { return each != 0; }))
    graph.edges.push_back(std::move(edge));
}

void LayoutGraphBuilder::addAgreement(Value from, Value to) {
  int64_t bytes = nodeOf.contains(from) ? copyBytes(from) : 0;
  addEdge(from, to, [&](const DimOrder &a, const DimOrder &b) {
    return a == b ? 0 : bytes;
  });
}

/// One operand and one result of which each order has one of the other.
void LayoutGraphBuilder::addSameOrder(Operation *op) {
  Value from = op->getOperand(0), to = op->getResult(0);
  if (!nodeOf.contains(to))
    return addRowMajorUse(from);
  addSlower(
      to, [&](const DimOrder &b) { return !operandOrderFor(op, b); },
      kForbiddenBytes);
  if (!nodeOf.contains(from))
    return;
  int64_t bytes = copyBytes(from);
  addEdge(from, to, [&](const DimOrder &a, const DimOrder &b) {
    std::optional<DimOrder> wanted = operandOrderFor(op, b);
    return wanted && *wanted == a ? 0 : bytes;
  });
}

/// One copy serves all who want a tensor row-major.
void LayoutGraphBuilder::addRowMajorUse(Value value) {
  auto at = nodeOf.find(value);
  if (at == nodeOf.end() || read[at->second])
    return;
  read[at->second] = true;
  addSlower(value, [](const DimOrder &) { return true; }, copyBytes(value));
}

/// Charges `bytes` for the orders of a tensor with which one of its ops is
/// slower.
void LayoutGraphBuilder::addSlower(
    Value value, llvm::function_ref<bool(const DimOrder &)> isSlow,
    int64_t bytes) {
  auto at = nodeOf.find(value);
  if (at == nodeOf.end())
    return;
  for (auto [i, order] : llvm::enumerate(candidates[at->second])) {
    int64_t &sum = graph.nodes[at->second][i];
    if (i != 0 && isSlow(order))
      sum = std::min(sum + bytes, kForbiddenBytes);
  }
}

/// True if every loop of the result is long.
static bool areLong(Value value) {
  return llvm::all_of(cast<RankedTensorType>(value.getType()).getShape(),
                      [](int64_t extent) { return extent >= kLongResult; });
}

void LayoutGraphBuilder::addParallelLoops(const LoopView &view, Value result) {
  const Loops &resultLoops = view.resultLoops;
  if (const LoopView::Operand *input = inPlaceInput(view, result)) {
    int64_t bytes = slowBytes(result);
    addEdge(input->operand->get(), result,
            [&](const DimOrder &a, const DimOrder &b) {
              return a == b ? 0 : bytes;
            });
  }
  // The result's innermost loop is the vectors': what is read should have it
  // innermost too, or are no worse than row-major.
  for (const LoopView::Operand &input : view.inputs) {
    Value value = input.operand->get();
    auto runOf = [&](const DimOrder &a, const DimOrder &b) {
      return commonRun(value, input.loops, a, result, resultLoops, b);
    };
    DimOrder rowA = rowMajor(input.loops.size()),
             rowB = rowMajor(resultLoops.size());
    int64_t before = std::min(runOf(rowA, rowB), kLongRun);
    auto bytesOf = [&](const DimOrder &a, const DimOrder &b) -> int64_t {
      int64_t inner = innermost(result, resultLoops, b);
      if (!llvm::is_contained(input.loops, inner))
        return 0; // one element for all lanes
      return runOf(a, b) < before ? slowBytes(value) : 0;
    };
    if (nodeOf.contains(value))
      addEdge(value, result, bytesOf);
    else // a row, or a tensor that is free
      addSlower(
          result,
          [&](const DimOrder &b) {
            return !isFreeTensor(value) && bytesOf(rowA, b) > 0;
          },
          slowBytes(result));
  }
}

/// The costs of orders in which vectors, or the terms of a sum, follow each
/// other otherwise than row-major.
void LayoutGraphBuilder::addReductionOrders(const LoopView &view,
                                            Value result) {
  auto isReduced = [&](int64_t loop) {
    return view.iterators[loop] == utils::IteratorType::reduction;
  };
  SmallVector<std::pair<Value, Loops>> tensors;
  for (const LoopView::Operand &input : view.inputs)
    tensors.push_back({input.operand->get(), input.loops});
  tensors.push_back({result, view.resultLoops});
  bool rounds = elementBytes(result.getType()) < 4;
  for (auto [value, loops] : tensors) {
    DimOrder row = rowMajor(loops.size());
    int64_t inner = innermost(value, loops, row);
    // Vectors run along memory; sums would change with them. A contraction is
    // packed anyway: it reads A and B the other way in a quarter of the time of
    // a copy. A C that is written the other way swaps rows and columns.
    bool isResult = value == result;
    bool never = !view.isContraction || (isResult && !areLong(result));
    addSlower(
        value,
        [&, value = value, loops = loops](const DimOrder &order) {
          if (innermost(value, loops, order) != inner)
            return true;
          // Short rows run as one with their neighbours where they can.
          return !view.isContraction && inner >= 0 && !isReduced(inner) &&
                 isShort(value, loops, inner);
        },
        never ? kForbiddenBytes
              : slowBytes(value) / (isResult ? 1 : kContractionReads));
    // The order of a sum: loops of it that are one in memory run as one.
    auto before = neighbours(value, loops, row, isReduced);
    addSlower(
        value,
        [&, value = value, loops = loops](const DimOrder &order) {
          auto now = neighbours(value, loops, order, isReduced);
          SmallVector<int64_t> reducedBefore, reducedNow;
          for (int64_t loop : loops)
            if (isReduced(loop))
              reducedBefore.push_back(loop);
          for (int64_t loop : inMemoryOrder(loops, order))
            if (isReduced(loop))
              reducedNow.push_back(loop);
          return now != before || reducedBefore != reducedNow;
        },
        !view.isContraction || rounds || mode != LayoutMode::Contiguous
            ? kForbiddenBytes
            : 0);
  }
}

void LayoutGraphBuilder::addContractionRuns(const LoopView &view,
                                            Value result) {
  const Loops &resultLoops = view.resultLoops;
  // Rows or columns that ran as one go on doing so, or enough of them are left:
  // the kernel stays what it is, and with it the order of sums.
  for (const LoopView::Operand &input : view.inputs) {
    Value value = input.operand->get();
    const Loops &loops = input.loops;
    auto extent = [&](int64_t loop) {
      auto type = cast<RankedTensorType>(result.getType());
      return type.getDimSize(llvm::find(resultLoops, loop) -
                             resultLoops.begin());
    };
    auto isShared = [&](int64_t loop) {
      return llvm::is_contained(loops, loop) &&
             llvm::is_contained(resultLoops, loop);
    };
    auto pairsOf = [&](const DimOrder &a, const DimOrder &b) {
      auto own = neighbours(value, loops, a, isShared),
           others = neighbours(result, resultLoops, b, isShared);
      LoopPairs both;
      for (auto pair : own)
        if (llvm::is_contained(others, pair))
          both.push_back(pair);
      return both;
    };
    auto before = pairsOf(rowMajor(loops.size()), rowMajor(resultLoops.size()));
    auto agrees = [&](const DimOrder &a, const DimOrder &b) {
      auto now = pairsOf(a, b);
      auto has = [](LoopPairs &pairs, std::pair<int64_t, int64_t> pair) {
        return llvm::is_contained(pairs, pair) ||
               llvm::is_contained(pairs, std::pair(pair.second, pair.first));
      };
      return llvm::all_of(now, [&](auto pair) { return has(before, pair); }) &&
             llvm::all_of(before, [&](auto pair) {
               return has(now, pair) ||
                      std::max(extent(pair.first), extent(pair.second)) >=
                          kManyRows;
             });
    };
    if (nodeOf.contains(value))
      addEdge(value, result, [&](const DimOrder &a, const DimOrder &b) {
        return agrees(a, b) ? 0 : kForbiddenBytes;
      });
  }
}

void LayoutGraphBuilder::addLoops(Operation *op, const LoopView &view) {
  Value result = op->getResult(0);
  if (view.init)
    addAgreement(view.init->get(), result);
  if (view.isParallel())
    return addParallelLoops(view, result);
  addReductionOrders(view, result);
  if (view.isContraction && mode != LayoutMode::Contiguous)
    addContractionRuns(view, result);
}

void LayoutGraphBuilder::addCosts(Operation *op) {
  LayoutOpKind kind = layoutKind(op);
  switch (kind) {
  case LayoutOpKind::Collective: {
    auto step = cast<collective::CollectiveOpInterface>(op);
    if (auto at = nodeOf.find(op->getResult(0)); at != nodeOf.end())
      for (auto [i, order] : llvm::enumerate(candidates[at->second]))
        graph.nodes[at->second][i] += packed(step, order);
    addSameOrder(op);
    return;
  }
  case LayoutOpKind::Agree:
    addSameOrder(op);
    return;
  case LayoutOpKind::Loops:
    addLoops(op, loopView(op));
    return;
  case LayoutOpKind::Query:
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      addElementRead(extract.getTensor());
    return;
  case LayoutOpKind::Free:
    return;
  case LayoutOpKind::Fixed:
    for (Value operand : op->getOperands())
      addRowMajorUse(operand);
    return;
  }
}

/// Reads of single elements often go along rows.
void LayoutGraphBuilder::addElementRead(Value value) {
  if (!nodeOf.contains(value))
    return;
  SmallVector<int64_t> dims = llvm::to_vector(
      llvm::seq<int64_t>(0, cast<RankedTensorType>(value.getType()).getRank()));
  int64_t inner = innermost(value, dims, rowMajor(dims.size()));
  addSlower(
      value,
      [&](const DimOrder &order) {
        return innermost(value, dims, order) != inner;
      },
      slowBytes(value));
}

LocalLayouts LayoutGraphBuilder::run() {
  LocalLayouts result;
  SmallVector<collective::CollectiveOpInterface> steps;
  function.walk([&](collective::CollectiveOpInterface step) {
    if (layoutKind(step) == LayoutOpKind::Collective)
      steps.push_back(step);
  });
  for (collective::CollectiveOpInterface step : steps)
    result.rowMajorBytes +=
        packed(step, rowMajor(step.getGlobalTensorType().getRank()));
  result.packedBytes = result.rowMajorBytes;
  if (mode == LayoutMode::RowMajor || result.rowMajorBytes == 0)
    return result;

  addNodes();
  for (collective::CollectiveOpInterface step : steps)
    addSeeds(step);
  while (!work.empty()) {
    auto [value, order] = work.front();
    work.pop_front();
    if (Operation *op = value.getDefiningOp())
      propagate(op, value, order);
    for (Operation *user : value.getUsers())
      propagate(user, value, order);
  }
  read.resize(values.size());
  for (const std::vector<DimOrder> &own : candidates)
    graph.nodes.emplace_back(own.size());
  function.walk([&](Operation *op) { addCosts(op); });
  LayoutChoice choice = chooseLayouts(graph);
  for (auto [node, candidate] : llvm::enumerate(choice.candidates))
    if (candidate != 0)
      for (Value value : values[node])
        result.orders[value] = candidates[node][candidate];
  result.packedBytes = 0;
  for (collective::CollectiveOpInterface step : steps)
    result.packedBytes += packed(step, result.orderOf(step->getResult(0)));
  return result;
}

DimOrder LocalLayouts::orderOf(Value value) const {
  auto it = orders.find(value);
  if (it != orders.end())
    return it->second;
  return rowMajor(cast<RankedTensorType>(value.getType()).getRank());
}

LocalLayouts shardir::chooseLocalLayouts(func::FuncOp function,
                                         const MeshTable &meshes,
                                         LayoutMode mode) {
  return LayoutGraphBuilder(function, meshes, mode).run();
}
