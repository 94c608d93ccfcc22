//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates what a rule allows. Requires a verified rule; guarantees that each
// case is one that the pipeline itself would ask for: the operands' placements
// are those that inferSharding finds for the results'.
//
//===----------------------------------------------------------------------===//

#include "Validate/RuleCases.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

const std::vector<Mesh> &validate::testMeshes(Meshes which) {
  auto axis = [](const char *name, int64_t size) {
    MeshAxis made;
    made.name = name;
    made.size = size;
    return made;
  };
  static const std::vector<Mesh> small = {
      {"by2", {axis("x", 2)}, {}},
      {"by3", {axis("x", 3)}, {}},
      {"by2by2", {axis("x", 2), axis("y", 2)}, {}},
  };
  static const std::vector<Mesh> all = [&] {
    std::vector<Mesh> meshes = small;
    meshes.push_back({"by7", {axis("x", 7)}, {}});
    meshes.push_back({"by3by2", {axis("x", 3), axis("y", 2)}, {}});
    meshes.push_back(
        {"by2by2by2", {axis("x", 2), axis("y", 2), axis("z", 2)}, {}});
    return meshes;
  }();
  return which == Meshes::Small ? small : all;
}

std::string validate::toString(const Mesh &mesh) {
  std::string text = "<[";
  for (auto [i, axis] : llvm::enumerate(mesh.axes))
    text += (i ? ", \"" : "\"") + axis.name + "\"=" + std::to_string(axis.size);
  return text + "]>";
}

std::string validate::toString(const OpPlacements &placements) {
  std::string text;
  auto add = [&](const char *what, size_t i, const Placement &placement,
                 const Halo &halo) {
    if (!placement.isReplicated())
      text += (text.empty() ? "" : ", ") + std::string(what) +
              std::to_string(i) + " " + shardir::toString(placement) +
              (halo.empty() ? "" : " halo " + shardir::toString(halo));
  };
  for (auto [i, placement] : llvm::enumerate(placements.operands))
    if (placement)
      add("operand ", i, *placement, placements.haloOf(i));
  for (auto [i, placement] : llvm::enumerate(placements.results))
    if (placement)
      add("result ", i, *placement, {});
  return text.empty() ? "all operands and results replicated" : text;
}

std::vector<PartialKind> validate::partialKindsOf(Type element) {
  std::vector<PartialKind> kinds;
  for (const PartialKindInfo &info : kPartialKinds)
    if (info.isFor(numberClass(element)))
      kinds.push_back(info.kind);
  return kinds;
}

namespace {
/// The factor that one mesh axis splits.
struct AxisUse {
  int factor = -1;
  int64_t before = 1, after = 1; ///< integers around the axis in the factor
  int partialRule = -1;
  bool isOwnTerms = false; ///< of a rematerializable value
  PartialKind kind = PartialKind::Sum;
};

class Enumeration {
public:
  Enumeration(const Subject &subject, const Mesh &mesh)
      : subject(subject), rule(subject.rule), mesh(mesh) {}

  std::vector<OpPlacements> run();

private:
  std::vector<AxisUse> uses(bool withIntegers) const;
  void add(ArrayRef<std::pair<int, AxisUse>> axes);
  bool makePartial(std::optional<Placement> &placement, PartialKind kind,
                   const AxisRef &axis) const;
  bool verifies(const std::optional<Placement> &placement, Type type) const;
  void addInferred(const std::vector<std::optional<Placement>> &operands,
                   const std::vector<std::optional<Placement>> &results);

  const Subject &subject;
  const ShardingRule &rule;
  const Mesh &mesh;
  std::vector<OpPlacements> found;
  std::set<std::string> seen;
};
} // namespace

std::vector<AxisUse> Enumeration::uses(bool withIntegers) const {
  std::vector<AxisUse> all(1);
  for (auto [f, factor] : llvm::enumerate(rule.factors)) {
    // A dim of unknown extent cannot be cut into shards of known types.
    if (factor.kind == FactorKind::Replicate || factor.size == kUnknown)
      continue;
    AxisUse use;
    use.factor = f;
    all.push_back(use);
    for (int64_t k = 2; withIntegers && k < factor.size; ++k) {
      if (factor.size % k != 0)
        continue;
      use.before = k;
      use.after = 1;
      all.push_back(use);
      use.before = 1;
      use.after = k;
      all.push_back(use);
    }
  }
  for (auto [i, partial] : llvm::enumerate(rule.partials))
    for (const PartialKindInfo &info : kPartialKinds)
      if (!partial.kind || *partial.kind == info.kind) {
        AxisUse use;
        use.partialRule = i;
        use.kind = info.kind;
        all.push_back(use);
      }
  if (rule.isRematerializable && rule.partials.empty())
    for (const PartialKindInfo &info : kPartialKinds) {
      AxisUse use;
      use.isOwnTerms = true;
      use.kind = info.kind;
      all.push_back(use);
    }
  return all;
}

/// Makes a placement partial over one more axis, by one kind only (P5).
bool Enumeration::makePartial(std::optional<Placement> &placement,
                              PartialKind kind, const AxisRef &axis) const {
  if (!placement)
    return true;
  if (placement->partial && *placement->partial != kind)
    return false;
  for (const DimPlacement &dim : placement->dims)
    for (const AxisRef &used : axesOf(dim.splits))
      if (overlap(axis, used, mesh))
        return false;
  placement->partial = kind;
  placement->partialAxes.push_back(axis);
  return true;
}

bool Enumeration::verifies(const std::optional<Placement> &placement,
                           Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || !placement ||
         !verifyPlacement(*placement, mesh, shapeOf(tensor),
                          elementTypeName(tensor.getElementType()));
}

/// Adds what the pipeline makes of these results: it asks for operands by
/// inferSharding, with those that are there as a hint.
void Enumeration::addInferred(
    const std::vector<std::optional<Placement>> &operands,
    const std::vector<std::optional<Placement>> &results) {
  std::vector<Placement> given;
  for (const std::optional<Placement> &result : results)
    given.push_back(result.value_or(Placement()));
  auto inferred = inferSharding(rule, given, operands, mesh);
  auto *sharding = std::get_if<OpSharding>(&inferred);
  if (!sharding)
    return;
  OpPlacements placements;
  placements.results = results;
  for (auto [operand, type] :
       llvm::zip(sharding->operands, subject.operandTypes)) {
    placements.operands.push_back(
        isa<RankedTensorType>(type) ? std::optional(operand) : std::nullopt);
    if (!verifies(placements.operands.back(), type))
      return;
  }
  // The pipeline checks an op with the operands that it has by then.
  auto again = inferSharding(rule, given, placements.operands, mesh);
  auto *same = std::get_if<OpSharding>(&again);
  if (!same)
    return;
  for (auto [operand, asked] : llvm::zip(placements.operands, same->operands))
    if (operand && !(*operand == asked))
      return;
  // A replicated operand is complete on each device: it needs no halo.
  for (auto [i, operand] : llvm::enumerate(placements.operands))
    placements.halos.push_back(operand && !operand->isReplicated()
                                   ? haloOf(rule, i, sharding->splits, mesh)
                                   : Halo());
  if (seen.insert(toString(placements)).second)
    found.push_back(std::move(placements));
}

void Enumeration::add(ArrayRef<std::pair<int, AxisUse>> axes) {
  FactorSplits splits(rule.factors.size());
  for (auto [axis, use] : axes) {
    if (use.factor < 0)
      continue;
    Splits &own = splits[use.factor];
    if (use.before > 1)
      own.push_back(Split::byFactor(use.before));
    own.push_back(Split::byAxis(mesh.axes[axis].name));
    if (use.after > 1)
      own.push_back(Split::byFactor(use.after));
  }
  std::vector<std::optional<Placement>> operands, results;
  auto compose = [&](ArrayRef<Type> types, ArrayRef<TensorFactors> factors,
                     std::vector<std::optional<Placement>> &placements) {
    for (auto [type, own] : llvm::zip(types, factors)) {
      placements.emplace_back();
      if (!isa<RankedTensorType>(type))
        continue;
      placements.back() = composeTensor(rule, own, splits, mesh);
      if (!placements.back())
        return false;
    }
    return true;
  };
  if (!compose(subject.operandTypes, rule.operands, operands) ||
      !compose(SmallVector<Type>(subject.op->getResultTypes()), rule.results,
               results))
    return;
  for (auto [axis, use] : axes) {
    AxisRef partialAxis{mesh.axes[axis].name, 1, 0};
    bool composes = true;
    if (use.factor >= 0 &&
        rule.factors[use.factor].kind == FactorKind::Reduction) {
      ArrayRef<PartialKind> combiners = rule.factors[use.factor].combiners;
      for (size_t r = 0; r < results.size(); ++r) {
        composes &= makePartial(results[r], combiners[r], partialAxis);
        if (rule.inits[r] >= 0)
          composes &=
              makePartial(operands[rule.inits[r]], combiners[r], partialAxis);
      }
    } else if (use.partialRule >= 0 || use.isOwnTerms) {
      for (std::optional<Placement> &result : results)
        composes &= makePartial(result, use.kind, partialAxis);
      if (use.partialRule >= 0)
        for (int operand : rule.partials[use.partialRule].operands)
          composes &= makePartial(operands[operand], use.kind, partialAxis);
    }
    if (!composes)
      return;
  }
  for (auto [result, type] : llvm::zip(results, subject.op->getResultTypes()))
    if (!verifies(result, type))
      return;
  addInferred(operands, results);
  // Where nothing is there yet the pipeline chooses by itself.
  addInferred(std::vector<std::optional<Placement>>(operands.size()), results);
}

std::vector<OpPlacements> Enumeration::run() {
  size_t count = mesh.axes.size();
  std::vector<AxisUse> all = uses(/*withIntegers=*/count == 1);
  SmallVector<int64_t> choices(count, all.size());
  forEachIndex(choices, [&](ArrayRef<int64_t> index) {
    SmallVector<std::pair<int, AxisUse>> axes;
    bool shared = false;
    for (auto [axis, choice] : llvm::enumerate(index)) {
      const AxisUse &use = all[choice];
      shared |= llvm::any_of(axes, [&](const auto &other) {
        return use.factor >= 0 && use.factor == other.second.factor;
      });
      axes.push_back({static_cast<int>(axis), use});
    }
    add(axes);
    // On one factor, either axis may be the major one.
    auto byAxis = [](const auto &a, const auto &b) {
      return a.first < b.first;
    };
    while (shared && std::next_permutation(axes.begin(), axes.end(), byAxis))
      add(axes);
    return true;
  });
  return std::move(found);
}

std::vector<OpPlacements> validate::allowedPlacements(const Subject &subject,
                                                      const Mesh &mesh) {
  return Enumeration(subject, mesh).run();
}
