//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: any from propagated to collective. Emits the facts of the report
// (Report/Report.h) as remarks at the ops that they are about.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Report/RedistributionUsers.h"
#include "ShardIR/Report/Report.h"
#include "ShardIR/Transforms/Report/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

namespace shardir {
#define GEN_PASS_DEF_EXPLAIN
#include "ShardIR/Transforms/Report/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// The reason for the choice, and the alternatives that it does not name.
static std::string comparison(const Alternatives &alternatives) {
  std::string text = describeChoice(alternatives);
  for (auto [i, each] :
       llvm::enumerate(ArrayRef(alternatives.all).drop_front(2)))
    text += (i ? ", " : "; also compared: ") + each.placement + " " +
            bytesText(each.bytes);
  return text;
}

static std::string placementText(PlacementAttr placement) {
  std::string text;
  llvm::raw_string_ostream(text) << placement;
  return text;
}

/// `argument 1`, `result 0`, `result of 'math.exp'`.
static std::string nameOf(const ReportedValue &entry) {
  if (auto argument = dyn_cast<BlockArgument>(entry.value);
      argument && entry.op.empty() && !entry.result)
    return "argument " + std::to_string(argument.getArgNumber());
  if (entry.result)
    return "result " + std::to_string(*entry.result);
  return "result of '" + describeOp(entry.value.getDefiningOp()) + "'";
}

/// True if the provenance of an argument or result is its own annotation.
static bool isAnnotated(const ReportedValue &entry) {
  if (!entry.provenance || !entry.op.empty())
    return false;
  ProvenanceAttr own =
      entry.result ? ProvenanceAttr::ofResult(entry.function, *entry.result)
                   : ProvenanceAttr::ofArgument(
                         entry.function,
                         cast<BlockArgument>(entry.value).getArgNumber());
  return entry.provenance.size() == 1 && entry.provenance[0] == own;
}

/// The placement of one value, its provenance, and the alternatives.
static std::string explainValue(const ReportedValue &entry,
                                const Alternatives &alternatives) {
  std::string text = nameOf(entry);
  bool isStep =
      isa_and_nonnull<RedistributeOp, collective::CollectiveOpInterface>(
          entry.value.getDefiningOp()) &&
      !entry.result;
  if (entry.placement.getValue().isReplicated()) {
    text += " is replicated, " + placementText(entry.placement);
    if (!entry.notSharded.empty())
      text += "; axis " + entry.notSharded;
  } else {
    text += " is placed " + placementText(entry.placement);
  }
  if (isAnnotated(entry))
    text += ", as annotated";
  else if (entry.provenance)
    text += ", decided by " + describeProvenance(entry.provenance);
  else if (alternatives.all.empty() && !isStep && entry.notSharded.empty())
    text += ": no annotation brings an axis to it";
  if (!alternatives.all.empty())
    text += "; " + comparison(alternatives);
  return text;
}

/// Names, once each, the annotations that placed a value or its user and not
/// both; empty if there are none.
static std::string annotationsToChange(ArrayAttr mine, ArrayAttr theirs) {
  auto isOriginOf = [](ArrayAttr all, ProvenanceAttr one) {
    return llvm::any_of(
        all.getAsRange<ProvenanceAttr>(),
        [&](ProvenanceAttr own) { return own.hasOriginOf(one); });
  };
  SmallVector<ProvenanceAttr> origins;
  for (auto each : llvm::concat<const Attribute>(mine, theirs)) {
    auto own = cast<ProvenanceAttr>(each);
    if (isOriginOf(mine, own) != isOriginOf(theirs, own) &&
        llvm::none_of(origins, [&](ProvenanceAttr known) {
          return known.hasOriginOf(own);
        }))
      origins.push_back(own);
  }
  if (origins.empty())
    return "";
  size_t count = origins.size();
  std::string text = "to avoid the redistribution, change ";
  text += count == 1   ? "this annotation: "
          : count == 2 ? "one of two annotations: "
                       : "one of these annotations: ";
  for (auto [i, origin] : llvm::enumerate(origins))
    text += (i == 0 ? "" : i + 1 == count ? "; or " : "; ") + origin.describe();
  return text;
}

/// Whether the op has a partial result where `use` alone is partial as `value`
/// is, or with other operands.
static bool takesPartial(OpOperand &use, const Placement &value) {
  SharedRule rule = getShardingRule(use.getOwner());
  return llvm::any_of(rule->partials, [&](const PartialRule &each) {
    return (!each.kind || each.kind == value.partial) &&
           llvm::is_contained(each.operands, int(use.getOperandNumber()));
  });
}

/// The change to the program that avoids a redistribution.
static std::string wayOut(Operation *op, ArrayRef<RedistributionUser> users,
                          PlacementAttr from, PlacementAttr to) {
  bool isReduced = !from.getValue().partialAxes.empty() &&
                   from.getValue().partialAxes != to.getValue().partialAxes;
  if (users.empty())
    return "";
  const RedistributionUser &first = users.front();
  if (!first.use)
    return "to avoid the redistribution, drop that constraint, or leave its "
           "dims open, {?}";
  if (isa<func::ReturnOp>(first.use->getOwner()))
    return "to avoid the redistribution, annotate " + first.name +
           (isReduced
                ? " with " + placementText(from) + ", and its callers reduce it"
                : " with {?} in place of closed dims, or with " +
                      placementText(from));
  if (isReduced)
    return llvm::all_of(users,
                        [&](const RedistributionUser &user) {
                          return user.use &&
                                 takesPartial(*user.use, from.getValue());
                        })
               ? "to reduce it later, constrain the users to be partial"
               : "";
  ArrayAttr mine = provenanceOf(op->getOperand(0)),
            theirs = provenanceOfUse(*first.use);
  if (mine && theirs && mine != theirs)
    if (std::string text = annotationsToChange(mine, theirs); !text.empty())
      return text;
  return "to avoid the redistribution, constrain operand " +
         std::to_string(first.use->getOperandNumber()) + " or the result of '" +
         first.name + "' to another placement";
}

static std::string explainCollective(const ReportedCollective &entry) {
  std::string text = stringifyCollectiveKind(entry.step.kind);
  std::string axes;
  for (const AxisRef &axis : entry.axes)
    axes += (axes.empty() ? "" : ", ") + toString(axis);
  if (!axes.empty())
    text += " over " + axes;
  else if (!entry.toMesh.empty())
    text += " to mesh @" + entry.toMesh;
  text += ": a device receives " + (entry.received.formula.empty()
                                        ? bytesText(entry.received.bytes)
                                        : entry.received.formula + " bytes");
  if (!entry.executions)
    text += " each time it runs";
  else if (*entry.executions != 1)
    text += ", " + std::to_string(*entry.executions) + " times";
  if (!entry.reason.empty())
    text += "; " + entry.reason;
  for (const auto &[i, user] : llvm::enumerate(entry.users)) {
    text += i ? ", '" : "; used by '";
    std::string where = describeLocation(user.loc);
    text += user.name + "'" + (where.empty() ? "" : " at " + where);
    std::string origin =
        user.use ? describeProvenance(provenanceOfUse(*user.use)) : "";
    if (!origin.empty() && origin != user.name)
      text += " (decided by " + origin + ")";
  }
  Operation *op = entry.op;
  if (std::string origin = describeProvenance(provenanceOf(op->getOperand(0)));
      !origin.empty())
    text += "; the placement before it was decided by " + origin;
  if (!entry.alternatives.all.empty())
    text += "; " + comparison(entry.alternatives);
  PlacementAttr from, to;
  if (auto redistribute = dyn_cast<RedistributeOp>(op)) {
    from = redistribute.getFrom();
    to = redistribute.getTo();
  } else if (auto step = dyn_cast<collective::CollectiveOpInterface>(op)) {
    from = step.getFrom();
    to = step.getTo();
  }
  if (std::string out = wayOut(op, entry.users, from, to); !out.empty())
    text += "; " + out;
  return text;
}

namespace {

struct ExplainPass : shardir::impl::ExplainBase<ExplainPass> {
  using ExplainBase::ExplainBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAllAnalysesPreserved();
    if (stageOf(module) >= Stage::Local) {
      module.emitError("is local, and local programs have no provenance; "
                       "explain the collective stage or an earlier one");
      return signalPassFailure();
    }
    for (MeshOp mesh : module.getOps<MeshOp>())
      if (!mesh.getMesh().isConcrete()) {
        mesh.emitError() << "has an axis of unknown size, on which bytes "
                            "depend; set it with the option mesh=";
        return signalPassFailure();
      }
    if (module.getOps<MeshOp>().empty()) {
      module.emitError("has no mesh and so nothing to explain; declare one "
                       "with shardir.mesh, and run --shardir-to-propagated "
                       "first");
      return signalPassFailure();
    }
    if (failed(verifyStage(module, Stage::Propagated)))
      return signalPassFailure();
    ProgramReport report = buildReport(module);
    if (values)
      for (const ReportedValue &entry : report.values)
        explain(entry);
    if (collectives)
      for (const ReportedCollective &entry : report.collectives)
        emitRemark(entry.op->getLoc()) << explainCollective(entry);
  }

  void explain(const ReportedValue &entry) {
    if (entry.result)
      emitRemark(func::FuncOp(entry.function).getLoc()) << explainValue(
          entry, alternativesOfResult(entry.function, *entry.result));
    else
      emitRemark(entry.value.getLoc())
          << explainValue(entry, alternativesOf(entry.value));
  }
};

} // namespace
