//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds placements that a rule could list. Requires an op that runs whole and
// whose extents are known; guarantees that what it reports is right on axes of
// 2 and of 3 devices, for every set of test data, and follows from nothing that
// the rule lists by moves that need no communication.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Validate/Completeness.h"

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Validate/Soundness.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

#include <map>
#include <set>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

namespace {
using State = std::optional<Placement>;

/// Tuples of placements by their text, one entry per operand and result.
struct Tuple {
  std::vector<State> operands, results;
};

/// Sets of data that a placement of terms must be right for.
constexpr int kTrials = 40;

/// The kinds to look for on an element type: on one bit all but three say the
/// same as one of those.
bool isOwnKind(PartialKind kind, Type element) {
  return !element.isInteger(1) || kind == PartialKind::And ||
         kind == PartialKind::Or || kind == PartialKind::Xor;
}

class Search {
public:
  Search(const Subject &subject, Interpreter &interpreter, const Mesh &mesh,
         uint64_t seed)
      : subject(subject), interpreter(interpreter), mesh(mesh), data(seed) {}

  /// Everything that is right and not a consequence of holding all operands
  /// whole, by its text.
  std::map<std::string, Tuple> run();
  /// Whether some placement that the rule allows gives this one.
  bool isCovered(const Tuple &tuple);
  bool covers(const Tuple &from, const Tuple &to) const;

private:
  std::vector<State> shardsOf(Type type) const;
  void addByDependences();
  void addByTerms();
  void addReductions();
  bool runsOnTerms(const Tuple &tuple, PartialKind kind, func::FuncOp function);
  void add(Tuple tuple);
  template <typename Visit>
  void product(const std::vector<std::vector<State>> &choices, Visit visit);

  bool isWhole(const State &state) const {
    return !state || state->isReplicated();
  }

  const Subject &subject;
  Interpreter &interpreter;
  const Mesh &mesh;
  TestData data;
  std::map<std::string, Tuple> found;
  std::optional<std::vector<OpPlacements>> allowed;
};
} // namespace

static State whole(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? State(Placement::replicatedOfRank(tensor.getRank()))
                : State();
}

static OpPlacements placementsOf(const Tuple &tuple) {
  return {tuple.operands, tuple.results};
}

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

template <typename Visit>
void Search::product(const std::vector<std::vector<State>> &choices,
                     Visit visit) {
  SmallVector<int64_t> sizes;
  for (const std::vector<State> &states : choices)
    sizes.push_back(states.size());
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
    std::vector<State> picked;
    for (auto [i, states] : llvm::zip(index, choices))
      picked.push_back(states[i]);
    visit(picked);
    return true;
  });
}

void Search::add(Tuple tuple) {
  std::string text = toString(placementsOf(tuple));
  found.emplace(text, std::move(tuple));
}

//===----------------------------------------------------------------------===//
// By dependences
//===----------------------------------------------------------------------===//

void Search::addByDependences() {
  auto values = subject.arguments(interpreter, data, Flavour::Small);
  if (failed(values)) {
    interpreter.takeError();
    return;
  }
  // Number the elements of all operands.
  unsigned next = 0;
  SmallVector<Tensor> operands(subject.op->getNumOperands());
  SmallVector<unsigned> firsts(subject.op->getNumOperands());
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
    return;
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
    for (State &state : shardsOf(subject.op->getOperand(i).getType())) {
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
  product(resultStates, [&](const std::vector<State> &states) {
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
        own.push_back(whole(subject.op->getOperand(i).getType()));
    }
    product(choices, [&](const std::vector<State> &picked) {
      if (!llvm::all_of(picked, [&](const State &s) { return isWhole(s); }))
        add({picked, states});
    });
  });
}

//===----------------------------------------------------------------------===//
// By running on terms
//===----------------------------------------------------------------------===//

/// Whether `function`, run on what the devices hold by `tuple`, gives results
/// that lie so, for several sets of data.
bool Search::runsOnTerms(const Tuple &tuple, PartialKind kind,
                         func::FuncOp function) {
  bool ordered = kind != PartialKind::Sum && kind != PartialKind::Prod;
  int done = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Flavour flavour = ordered && trial % 4 ? Flavour::Special : Flavour::Small;
    auto values = subject.arguments(interpreter, data, flavour);
    auto expected = succeeded(values)
                        ? interpreter.call(subject.function, *values)
                        : FailureOr<SmallVector<RuntimeValue>>();
    interpreter.takeError();
    if (failed(expected))
      continue;
    SmallVector<std::vector<Tensor>> shards(values->size());
    for (auto [a, value] : llvm::enumerate(*values))
      if (value.tensor && subject.operandOf[a] >= 0)
        shards[a] = distribute(
            *value.tensor, *tuple.operands[subject.operandOf[a]], mesh, data);
    std::vector<SmallVector<RuntimeValue>> found;
    for (int64_t position = 0; position < mesh.numDevices(); ++position) {
      SmallVector<RuntimeValue> own(*values);
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
    for (auto [r, value] : llvm::enumerate(*expected)) {
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
  for (auto [i, type] : llvm::enumerate(subject.op->getOperandTypes()))
    if (isa<RankedTensorType>(type))
      tensors.push_back(i);
  if (tensors.size() > 6)
    return;
  auto owes = [&](Type type, PartialKind kind) {
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
  for (int kindNumber = 0; kindNumber <= int(PartialKind::Xor); ++kindNumber)
    for (unsigned mask = 1; mask < (1u << tensors.size()); ++mask) {
      auto kind = static_cast<PartialKind>(kindNumber);
      Tuple tuple;
      bool fits = true;
      for (auto [i, type] : llvm::enumerate(subject.op->getOperandTypes())) {
        const int *position = llvm::find(tensors, int(i));
        bool owed = position != tensors.end() &&
                    (mask >> (position - tensors.begin()) & 1);
        tuple.operands.push_back(owed ? owes(type, kind) : whole(type));
        fits &= verifies(tuple.operands.back(), type);
      }
      for (Type type : subject.op->getResultTypes()) {
        fits &= isa<RankedTensorType>(type);
        tuple.results.push_back(owes(type, kind));
        fits &= verifies(tuple.results.back(), type);
      }
      if (fits && runsOnTerms(tuple, kind, subject.function))
        add(std::move(tuple));
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
  bool byMeaning =
      interpreter.meaningOf(subject.op->getName().getStringRef()) != nullptr;
  if (!linalgOp && !byMeaning)
    return;
  OwningOpRef<ModuleOp> module = ModuleOp::create(subject.op->getLoc());
  func::FuncOp function = anyExtents(subject, *module);
  // Shards of inputs; the kinds that each result's type may have.
  std::vector<std::vector<State>> choices;
  for (auto [i, type] : llvm::enumerate(subject.op->getOperandTypes())) {
    std::vector<State> &own = choices.emplace_back();
    own.push_back(whole(type));
    bool isInit = linalgOp && linalgOp.isDpsInit(&subject.op->getOpOperand(i));
    if (!isInit)
      for (State &state : shardsOf(type))
        // Blocks alone: what holds for them holds for other cuts of the dim.
        if (llvm::all_of(state->dims, [](const DimPlacement &dim) {
              return dim.splits.size() <= 1;
            }))
          own.push_back(state);
  }
  product(choices, [&](const std::vector<State> &picked) {
    if (llvm::all_of(picked, [&](const State &s) { return isWhole(s); }))
      return;
    for (int kindNumber = 0; kindNumber <= int(PartialKind::Xor);
         ++kindNumber) {
      auto kind = static_cast<PartialKind>(kindNumber);
      auto owe = [&](State &state) {
        state->partial = kind;
        state->partialAxes = {AxisRef{mesh.axes[0].name, 1, 0}};
      };
      auto verifies = [&](const State &state, Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && isOwnKind(kind, tensor.getElementType()) &&
               !verifyPlacement(*state, mesh, shapeOf(tensor),
                                elementTypeName(tensor.getElementType()));
      };
      Tuple tuple{picked, {}};
      bool fits = true;
      for (Type type : subject.op->getResultTypes()) {
        tuple.results.push_back(whole(type));
        if (!tuple.results.back())
          return;
        owe(tuple.results.back());
        fits &= verifies(tuple.results.back(), type);
      }
      if (linalgOp)
        for (OpOperand &init : linalgOp.getDpsInitsMutable())
          owe(tuple.operands[init.getOperandNumber()]);
      if (fits && runsOnTerms(tuple, kind, function))
        add(std::move(tuple));
    }
  });
}

std::map<std::string, Tuple> Search::run() {
  addByDependences();
  addByTerms();
  addReductions();
  return found;
}

//===----------------------------------------------------------------------===//
// What follows from what
//===----------------------------------------------------------------------===//

/// Whether a device that holds a tensor as `from` says can make what `to` says
/// without communication: of the whole tensor anything, of a shard a term.
static bool canBecome(const State &from, const State &to, const Mesh &mesh,
                      Type type) {
  if (!from || !to || from->isReplicated())
    return true;
  if (!from->partial && to->partial)
    return true;
  return equivalent(*from, *to, mesh, shapeOf(cast<RankedTensorType>(type)));
}

bool Search::covers(const Tuple &from, const Tuple &to) const {
  for (auto [i, type] : llvm::enumerate(subject.op->getOperandTypes()))
    if (!canBecome(to.operands[i], from.operands[i], mesh, type))
      return false;
  for (auto [i, type] : llvm::enumerate(subject.op->getResultTypes()))
    if (!canBecome(from.results[i], to.results[i], mesh, type))
      return false;
  return true;
}

bool Search::isCovered(const Tuple &tuple) {
  if (!allowed)
    allowed = allowedPlacements(subject, mesh);
  return llvm::any_of(*allowed, [&](const OpPlacements &placements) {
    return covers({placements.operands, placements.results}, tuple);
  });
}

/// `dim 0 of operand 0, dim 1 of result 0`.
static std::string describe(const OpPlacements &placements,
                            bool withCuts = true) {
  std::string text;
  auto add = [&](const std::string &more) {
    text += (text.empty() ? "" : ", ") + more;
  };
  auto addAll = [&](const std::vector<State> &states, const char *what) {
    for (auto [i, state] : llvm::enumerate(states)) {
      if (!state)
        continue;
      std::string name = what + std::to_string(i);
      if (state->partial)
        add(name + " in terms of a " + stringifyPartialKind(*state->partial));
      for (auto [dim, own] : llvm::enumerate(state->dims)) {
        if (own.splits.empty())
          continue;
        std::string how;
        if (withCuts && own.splits.size() > 1) {
          how = " as {";
          for (auto [j, split] : llvm::enumerate(own.splits))
            how += (j ? ", " : "") + (split.isAxis()
                                          ? split.axis->name
                                          : std::to_string(split.factor));
          how += "}";
        }
        add("dim " + std::to_string(dim) + " of " + name + how);
      }
    }
  };
  addAll(placements.operands, "operand ");
  addAll(placements.results, "result ");
  return text;
}

std::vector<Missing> validate::findMissing(const Subject &subject,
                                           Interpreter &interpreter,
                                           uint64_t seed) {
  if (subject.hasUnknownExtents())
    return {};
  // The meshes of one axis.
  std::vector<Search> searches;
  for (const Mesh &mesh : testMeshes())
    if (mesh.axes.size() == 1)
      searches.emplace_back(subject, interpreter, mesh, seed);
  std::vector<std::map<std::string, Tuple>> found;
  for (Search &search : searches)
    found.push_back(search.run());
  std::vector<std::pair<Tuple, size_t>> missing;
  for (auto &[text, tuple] : found.front()) {
    bool everywhere = llvm::all_of(
        found, [name = text](const auto &own) { return own.count(name) > 0; });
    if (!everywhere)
      continue;
    for (auto [i, search] : llvm::enumerate(searches))
      if (!search.isCovered(tuple)) {
        missing.push_back({tuple, i});
        break;
      }
  }
  // The strongest ones alone; of two that say the same, the first. What could
  // be cut in blocks is not also listed for every other cut.
  std::vector<Missing> result;
  std::set<std::string> inBlocks;
  for (auto &[tuple, search] : missing)
    inBlocks.insert(describe(placementsOf(tuple), /*withCuts=*/true));
  for (auto [i, candidate] : llvm::enumerate(missing)) {
    bool follows = false;
    for (auto [j, other] : llvm::enumerate(missing)) {
      const Search &search = searches[candidate.second];
      if (i != j && search.covers(other.first, candidate.first) &&
          (j < i || !search.covers(candidate.first, other.first)))
        follows = true;
    }
    if (follows)
      continue;
    OpPlacements placements = placementsOf(candidate.first);
    std::string plain = describe(placements, /*withCuts=*/false);
    if (plain != describe(placements) && inBlocks.count(plain))
      continue;
    result.push_back({placements, describe(placements), ""});
  }
  return result;
}
