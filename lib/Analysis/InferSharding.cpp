//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads an op's sharding back from its results. Requires placements that verify
// and name one mesh; guarantees that the operands' placements it gives make the
// op, run shard by shard, produce the results' placements.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Placement/CostModel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"

using namespace shardir;

namespace {

/// One partial axis of the results, and how the op produces it.
struct Inference {
  const ShardingRule &rule;
  llvm::ArrayRef<Placement> results;
  llvm::ArrayRef<std::optional<Placement>> operands;
  const Mesh &mesh;
  FactorSplits splits;
  /// Per operand, the axes that it is partial over, all of one kind.
  std::vector<std::vector<AxisRef>> partials;
  std::vector<std::optional<PartialKind>> partialKind;
  /// True if partial axes of the results were divided into sub-axes.
  bool isCut = false;

  bool isPartialOver(int operand, const AxisRef &axis, PartialKind kind) const {
    return operands[operand] && operands[operand]->partial == kind &&
           llvm::is_contained(operands[operand]->partialAxes, axis);
  }

  bool isInit(int operand) const {
    return llvm::is_contained(rule.inits, operand);
  }

  /// True if every result is partial over this axis by the factor's own
  /// combiner.
  bool combines(const Factor &factor, const AxisRef &axis) const {
    if (factor.kind != FactorKind::Reduction)
      return false;
    for (auto [kind, result] : llvm::zip(factor.combiners, results))
      if (result.partial != kind ||
          !llvm::is_contained(result.partialAxes, axis))
        return false;
    return true;
  }

  /// The result is partial over `axis` because it splits factor `chosen`.
  void takeReduction(const AxisRef &axis, int chosen,
                     const Splits &chosenSplits) {
    // Several axes keep the order that the operand has them in, integers
    // included; an axis that no operand has goes last.
    // Decisions for earlier axes stay.
    bool keepsAll = llvm::all_of(axesOf(splits[chosen]), [&](const AxisRef &a) {
      return llvm::is_contained(axesOf(chosenSplits), a);
    });
    if (!chosenSplits.empty() && keepsAll)
      splits[chosen] = chosenSplits;
    if (!llvm::is_contained(axesOf(splits[chosen]), axis))
      splits[chosen].push_back(Split::byAxis(axis));
    for (auto [init, kind] :
         llvm::zip(rule.inits, rule.factors[chosen].combiners)) {
      if (init < 0)
        continue;
      partials[init].push_back(axis);
      partialKind[init] = kind;
    }
  }

  /// The leading splits of a factor that are all partial axes.
  Splits partialPart(const Splits &own) const {
    auto end = llvm::find_if(own, [&](const Split &split) {
      return split.isAxis() &&
             !llvm::is_contained(results[0].partialAxes, *split.axis);
    });
    if (end == own.end())
      return own;
    while (end != own.begin() && !std::prev(end)->isAxis())
      --end;
    return Splits(own.begin(), end);
  }

  /// One way to be partial over an axis: a factor that it splits, or operands
  /// that are partial over it and a rule by which they pass.
  struct Way {
    int factor = -1;
    Splits splits;
    const PartialRule *rule = nullptr;
  };
  /// The ways for which the operands are there already, at least in part.
  std::vector<Way> presentWays(const AxisRef &axis, PartialKind kind,
                               bool oneKind) const {
    std::vector<Way> ways;
    for (int f = 0, e = rule.factors.size(); f < e; ++f) {
      if (!combines(rule.factors[f], axis))
        continue;
      // Operands that have the axis may have it in different orders.
      for (auto [i, operand] : llvm::enumerate(operands)) {
        if (!operand)
          continue;
        Splits all = projectTensor(rule, rule.operands[i], *operand, mesh)[f];
        if (!llvm::is_contained(axesOf(all), axis))
          continue;
        Splits own = partialPart(all);
        if (!llvm::is_contained(axesOf(own), axis))
          own.clear();
        // One block on each device: factors in several blocks are redistributed
        // first.
        if (rule.factors[f].isOneBlock)
          llvm::erase_if(own, [](const Split &each) { return !each.isAxis(); });
        if (llvm::none_of(ways, [&](const Way &way) {
              return way.factor == f && way.splits == own;
            }))
          ways.push_back({f, own, nullptr});
      }
    }
    for (const PartialRule &candidate : rule.partials)
      if (oneKind && (!candidate.kind || *candidate.kind == kind) &&
          llvm::any_of(candidate.operands, [&](int i) {
            return !isInit(i) && isPartialOver(i, axis, kind);
          }))
        ways.push_back({-1, {}, &candidate});
    return ways;
  }
  /// The way to take where no operand is as any would have it: a reduction, or
  /// the rule that requires the least.
  std::optional<Way> absentWay(const AxisRef &axis, PartialKind kind,
                               bool oneKind) const {
    for (int f = 0, e = rule.factors.size(); f < e; ++f)
      if (combines(rule.factors[f], axis) && rule.factors[f].size != 1)
        return Way{f, {}, nullptr};
    const PartialRule *best = nullptr;
    for (const PartialRule &candidate : rule.partials)
      if (oneKind && (!candidate.kind || *candidate.kind == kind) &&
          (!best || candidate.operands.size() < best->operands.size()))
        best = &candidate;
    return best ? std::optional(Way{-1, {}, best}) : std::nullopt;
  }
  void take(const AxisRef &axis, PartialKind kind, const Way &way) {
    if (way.factor >= 0)
      return takeReduction(axis, way.factor, way.splits);
    for (int i : way.rule->operands) {
      partials[i].push_back(axis);
      partialKind[i] = kind;
    }
  }
  /// The kind of a partial axis, and whether all results have it.
  std::pair<PartialKind, bool> kindOf(const AxisRef &axis) const {
    PartialKind kind = PartialKind::Sum;
    for (const Placement &result : results)
      if (llvm::is_contained(result.partialAxes, axis))
        kind = *result.partial;
    return {kind, llvm::all_of(results, [&](const Placement &result) {
              return result.partial == kind &&
                     llvm::is_contained(result.partialAxes, axis);
            })};
  }
  std::vector<Placement> cutPartialAxes() const;
  double bytesToMove(const OpSharding &sharding) const;
  std::variant<OpSharding, PlacementError> finish() const;

  std::variant<OpSharding, PlacementError> run();
};

} // namespace

/// The results, where an axis is partial in parts: an axis of which
/// several factors, or a factor and an operand's terms, have sub-axes stands as
/// one in the normal form.
std::vector<Placement> Inference::cutPartialAxes() const {
  std::vector<Placement> all(results.begin(), results.end());
  if (llvm::all_of(results, [](const Placement &result) {
        return result.partialAxes.empty();
      }))
    return all;
  Placement used;
  for (auto [factors, operand] : llvm::zip(rule.operands, operands)) {
    if (!operand)
      continue;
    FactorSplits own = projectTensor(rule, factors, *operand, mesh);
    for (auto [factor, all] : llvm::zip(rule.factors, own))
      if (factor.kind == FactorKind::Reduction)
        llvm::append_range(used.partialAxes, axesOf(all));
    llvm::append_range(used.partialAxes, operand->partialAxes);
  }
  Inference cut = *this;
  for (const Placement &result : results)
    for (const AxisRef &axis : result.partialAxes) {
      auto [kind, oneKind] = cut.kindOf(axis);
      if (!cut.presentWays(axis, kind, oneKind).empty())
        continue;
      std::vector<AxisRef> parts =
          refine(axis, mesh, commonRefinement(used, Placement(), mesh));
      std::vector<Placement> attempt = all;
      for (Placement &each : attempt)
        if (auto it = llvm::find(each.partialAxes, axis);
            it != each.partialAxes.end()) {
          it = each.partialAxes.erase(it);
          each.partialAxes.insert(it, parts.begin(), parts.end());
        }
      cut.results = attempt;
      if (llvm::all_of(parts, [&](const AxisRef &part) {
            auto [kind, oneKind] = cut.kindOf(part);
            return !cut.presentWays(part, kind, oneKind).empty();
          }))
        all = std::move(attempt);
      cut.results = all;
    }
  return all;
}

std::variant<OpSharding, PlacementError> Inference::run() {
  splits.resize(rule.factors.size());
  partials.resize(rule.operands.size());
  partialKind.resize(rule.operands.size());
  for (auto [own, factor] : llvm::zip(splits, rule.factors))
    own = factor.pinned;
  for (auto [result, factors] : llvm::zip(results, rule.results)) {
    FactorSplits own = projectTensor(rule, factors, result, mesh);
    for (auto [all, one] : llvm::zip(splits, own))
      if (all.empty())
        all = one;
    std::optional<Placement> composed =
        composeTensor(rule, factors, splits, mesh);
    std::vector<int64_t> shape = shapeOf(rule, factors);
    Placement dims = result.closed();
    dims.partial.reset();
    dims.partialAxes.clear();
    for (auto [f, factor] : llvm::enumerate(rule.factors))
      if (factor.kind == FactorKind::Replicate && !axesOf(splits[f]).empty())
        return PlacementError{
            "splits a dim that this op needs unsharded on each "
            "device; leave it unsharded and constrain the split "
            "with shardir.constrain",
            ""};
    if (!composed || !equivalent(*composed, dims, mesh, shape))
      return PlacementError{
          "has a placement that no sharding of this op gives: " +
              toString(result),
          ""};
  }
  for (const Factor &factor : rule.factors)
    for (const AxisRef &axis : axesOf(factor.pinned))
      for (const Placement &result : results)
        if (factor.kind == FactorKind::Reduction &&
            !llvm::is_contained(result.partialAxes, axis))
          return PlacementError{
              "is partial over " + toString(axis) +
                  ", which its placement does not say: " + toString(result),
              ""};
  std::vector<Placement> cut = cutPartialAxes();
  isCut = !llvm::equal(cut, results);
  results = cut;
  std::vector<AxisRef> axes;
  for (const Placement &result : results)
    for (const AxisRef &axis : result.partialAxes)
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
  // A constant makes its own terms: the first device holds it, the others the
  // identity.
  if (rule.isRematerializable && rule.partials.empty())
    axes.clear();
  // Where what is there can be used in several ways, the one for which least
  // moves.
  struct Choice {
    AxisRef axis;
    PartialKind kind;
    std::vector<Way> ways;
  };
  std::vector<Choice> choices;
  for (const AxisRef &axis : axes) {
    auto [kind, oneKind] = kindOf(axis);
    std::vector<Way> ways = presentWays(axis, kind, oneKind);
    if (ways.empty())
      if (std::optional<Way> way = absentWay(axis, kind, oneKind))
        ways.push_back(*way);
    if (ways.size() == 1)
      take(axis, kind, ways.front());
    if (ways.size() > 1)
      choices.push_back({axis, kind, ways});
    if (!ways.empty())
      continue;
    return PlacementError{std::string("is partial (") +
                              stringifyPartialKind(kind) + ") over " +
                              toString(axis) +
                              ", which neither a reduction of this op nor an "
                              "operand gives",
                          ""};
  }
  if (choices.empty())
    return finish();
  std::optional<std::variant<OpSharding, PlacementError>> best;
  double least = 0;
  llvm::SmallVector<size_t> at(choices.size(), 0);
  for (int tries = 0; tries < 64; ++tries) {
    Inference attempt = *this;
    for (auto [choice, i] : llvm::zip(choices, at))
      attempt.take(choice.axis, choice.kind, choice.ways[i]);
    auto found = attempt.finish();
    if (auto *sharding = std::get_if<OpSharding>(&found)) {
      double bytes = bytesToMove(*sharding);
      if (!best || std::holds_alternative<PlacementError>(*best) ||
          bytes < least) {
        best = std::move(found);
        least = bytes;
      }
    } else if (!best) {
      best = std::move(found);
    }
    size_t i = 0;
    while (i < at.size() && ++at[i] == choices[i].ways.size())
      at[i++] = 0;
    if (i == at.size())
      break;
  }
  return std::move(*best);
}

/// The bytes that the operands' redistributions receive, for elements of one
/// byte.
double Inference::bytesToMove(const OpSharding &sharding) const {
  double bytes = 0;
  for (auto [i, wanted] : llvm::enumerate(sharding.operands)) {
    if (!operands[i] || operands[i]->dims.size() != wanted.dims.size())
      continue;
    bytes += double(estimateRedistribute(*operands[i], wanted, mesh,
                                         shapeOf(rule, rule.operands[i]), 1)
                        .bytes);
  }
  return bytes;
}

/// The operands that the splits and partial axes require.
std::variant<OpSharding, PlacementError> Inference::finish() const {
  OpSharding sharding;
  for (auto [i, factors] : llvm::enumerate(rule.operands)) {
    std::optional<Placement> operand =
        composeTensor(rule, factors, splits, mesh);
    if (!operand)
      return PlacementError{"needs operand " + std::to_string(i) +
                                " in a placement that cannot be written",
                            ""};
    if (!partials[i].empty()) {
      for (const AxisRef &axis : partials[i])
        for (const DimPlacement &dim : operand->dims)
          for (const AxisRef &used : axesOf(dim.splits))
            if (overlap(axis, used, mesh))
              return PlacementError{"is partial over " + toString(axis) +
                                        " over an axis that splits operand " +
                                        std::to_string(i),
                                    ""};
      operand->partial = partialKind[i];
      operand->partialAxes = partials[i];
      if (isCut) {
        Placement terms;
        terms.partial = partialKind[i];
        terms.partialAxes = partials[i];
        operand->partialAxes = normalForm(terms, mesh, {}).partialAxes;
      }
    }
    sharding.operands.push_back(*operand);
  }
  sharding.splits = splits;
  return sharding;
}

std::variant<OpSharding, PlacementError> shardir::inferSharding(
    const ShardingRule &rule, llvm::ArrayRef<Placement> results,
    llvm::ArrayRef<std::optional<Placement>> operands, const Mesh &mesh) {
  return Inference{rule, results, operands, mesh, {}, {}, {}, false}.run();
}

Halo shardir::presentHalo(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto redistribute = mlir::dyn_cast<RedistributeOp>(op))
    return readHalo(redistribute.getHaloAttr());
  if (auto step = mlir::dyn_cast<collective::CollectiveOpInterface>(op))
    return readHalo(step.getHaloAttr());
  return readHalo(mlir::dyn_cast_or_null<mlir::ArrayAttr>(
      op->getDiscardableAttr(ShardIRDialect::kHalo)));
}

mlir::FailureOr<OperandRequirements>
shardir::requiredOperands(mlir::Operation *op, const MeshTable &meshes) {
  using namespace mlir;
  OperandRequirements needed;
  auto isTensor = [](Value v) { return isa<RankedTensorType>(v.getType()); };
  // The op's mesh is its results', else its first operand's (R10).
  PlacementAttr any;
  SmallVector<Placement> results;
  for (OpResult result : op->getResults()) {
    PlacementAttr placement = getResultPlacement(result);
    if (!placement && isTensor(result))
      return op->emitOpError("has no '")
             << ShardIRDialect::kPlacements << "' entry for result "
             << result.getResultNumber() << "; run shardir-propagate first";
    results.push_back(placement ? placement.getValue() : Placement());
    any = any ? any : placement;
  }
  SmallVector<Value> operands(op->getOperands());
  SmallVector<Value> captured = capturedTensors(op);
  SmallVector<PlacementAttr> present;
  for (Value operand : llvm::concat<Value>(operands, captured)) {
    PlacementAttr placement =
        isTensor(operand) ? getPlacement(operand) : PlacementAttr();
    any = any ? any : placement;
    present.push_back(placement);
  }
  if (!any)
    return needed;
  // A size is the global tensor's, whatever its placement.
  if (isa<tensor::DimOp, tensor::RankOp>(op))
    return needed;
  needed.mesh = any.getMesh().getValue().str();
  // The recorded decision counts where it says more than the results do.
  if (auto decided = op->getAttrOfType<ArrayAttr>(kOperands);
      decided && decided.size() == present.size())
    for (auto [own, entry] : llvm::zip(present, decided))
      if (auto placement = dyn_cast<PlacementAttr>(entry);
          own && placement && placement.getMesh() == any.getMesh() &&
          placement.getValue().dims.size() == own.getValue().dims.size())
        own = placement;
  SmallVector<std::optional<Placement>> known;
  for (PlacementAttr placement : present)
    known.push_back(placement && placement.getMesh() == any.getMesh()
                        ? std::optional(placement.getValue())
                        : std::nullopt);
  const Mesh &mesh = meshes.get(any);
  SharedRule shared = getShardingRule(op);
  const ShardingRule &rule = *shared;
  auto inferred = inferSharding(rule, results, known, mesh);
  if (auto *error = std::get_if<PlacementError>(&inferred)) {
    InFlightDiagnostic diagnostic = op->emitOpError() << error->message;
    // Several annotations, each fine alone.
    if (results.size() > 1)
      for (auto [i, placement] : llvm::enumerate(results))
        diagnostic.attachNote(op->getLoc())
            << "result " << i << " is placed " << toString(placement);
    return diagnostic;
  }
  OpSharding &sharding = std::get<OpSharding>(inferred);
  llvm::append_range(operands, captured);
  Halo resultHalo;
  if (op->getNumResults() == 1)
    resultHalo = presentHalo(op->getResult(0));
  if (!resultHalo.empty() && !rule.takesResultHalo)
    return op->emitOpError("cannot give its result with a halo, ")
           << toString(resultHalo);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    needed.operands.emplace_back();
    needed.halos.emplace_back();
    if (!isTensor(operand))
      continue;
    needed.operands.back() = sharding.operands[i];
    auto halo = haloOf(rule, i, sharding.splits, mesh, resultHalo);
    if (!halo)
      return op->emitOpError("cannot give its result with the halo ")
             << toString(resultHalo) << ": operand " << i
             << " would not be read through a window";
    needed.halos.back() = std::move(*halo);
  }
  return needed;
}
