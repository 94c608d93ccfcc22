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
#include "Validate/Completeness.h"

#include "Search.h"

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include <set>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

State validate::whole(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? State(Placement::replicatedOfRank(tensor.getRank()))
                : State();
}

void validate::add(std::map<std::string, OpPlacements> &to,
                   OpPlacements placements) {
  std::string text = toString(placements);
  to.emplace(text, std::move(placements));
}

void validate::forEachProduct(
    const std::vector<std::vector<State>> &choices,
    llvm::function_ref<void(const std::vector<State> &)> visit) {
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

std::map<std::string, OpPlacements> Search::run() {
  // Several times, for scalars such as the offset of a slice take part: what is
  // right by accident of one is not right for the next.
  bool all = addByDependences(found);
  for (int i = 0; i < 3 && all && !found.empty(); ++i) {
    Found again;
    all = addByDependences(again);
    for (auto it = found.begin(); it != found.end();)
      it = again.count(it->first) ? std::next(it) : found.erase(it);
  }
  if (!all)
    found.clear();
  addByTerms();
  addReductions();
  return found;
}

//===----------------------------------------------------------------------===//
// Placements that follow from others
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

bool Search::covers(const OpPlacements &from, const OpPlacements &to) const {
  for (auto [i, type] : llvm::enumerate(subject.operandTypes))
    if (!canBecome(to.operands[i], from.operands[i], mesh, type))
      return false;
  for (auto [i, type] : llvm::enumerate(subject.op->getResultTypes()))
    if (!canBecome(from.results[i], to.results[i], mesh, type))
      return false;
  return true;
}

bool Search::isCovered(const OpPlacements &tuple) {
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
  std::vector<std::map<std::string, OpPlacements>> found;
  for (Search &search : searches)
    found.push_back(search.run());
  std::vector<std::pair<OpPlacements, size_t>> missing;
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
    inBlocks.insert(describe(tuple, /*withCuts=*/true));
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
    OpPlacements placements = candidate.first;
    std::string plain = describe(placements, /*withCuts=*/false);
    if (plain != describe(placements) && inBlocks.count(plain))
      continue;
    result.push_back({placements, describe(placements), ""});
  }
  return result;
}
