//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: any from propagated to collective. The facts of the report
// (Analysis/Report.h) as sentences at the places that they are about. Changes
// nothing.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Askers.h"
#include "ShardIR/Analysis/Report.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Transforms/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

namespace shardir {
#define GEN_PASS_DEF_EXPLAIN
#include "ShardIR/Transforms/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;
namespace json = llvm::json;

static std::string bytesText(int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// `compared for 'linalg.matmul', by what ...: A 0 bytes (chosen), B 384
/// bytes`.
static std::string comparison(const Alternatives &alternatives) {
  std::string text = "compared for '" + alternatives.name +
                     "', by what a device receives around it: ";
  llvm::ListSeparator separator;
  for (const Alternative &each : alternatives.all) {
    text += StringRef(separator);
    text += each.placement + " " + bytesText(each.bytes) +
            (each.isChosen ? " (chosen)" : "");
  }
  return text;
}

static std::string placementText(PlacementAttr placement) {
  std::string text;
  llvm::raw_string_ostream(text) << placement;
  return text;
}

/// Which axis a whole value might have had.
static std::string refusalText(const json::Object &entry) {
  StringRef refused = entry.getString("refused").value_or("");
  return refused.empty() ? "" : ("; axis " + refused).str();
}

/// What is said of one value: where it lies, who decided it, what competed.
static std::string explainValue(const json::Object &entry,
                                PlacementAttr placement,
                                const Alternatives &alternatives) {
  StringRef decided = entry.getString("decided_by").value_or("");
  StringRef name = entry.getString("name").value_or("");
  std::string text;
  if (name.starts_with("arg"))
    text = ("argument " + name.drop_front(3)).str();
  else if (name.starts_with("result"))
    text = ("result " + name.drop_front(6)).str();
  else
    text = "result of '" + entry.getString("op").value_or("").str() + "'";
  bool isStep =
      name.empty() && (entry.getString("op") == "shardir.redistribute" ||
                       entry.getString("op")->starts_with("collective."));
  if (placement.getValue().isReplicated())
    text += " is whole on every device, " + placementText(placement) +
            refusalText(entry);
  else
    text += " is placed " + placementText(placement);
  std::string itself = text.substr(0, text.find(" is ")) + " of @" +
                       entry.getString("function").value_or("").str();
  if (decided == itself)
    text += ", as annotated";
  else if (!decided.empty())
    text += ", decided by " + decided.str();
  else if (alternatives.all.empty() && !isStep && !entry.get("refused"))
    text += ": no annotation brings an axis to it";
  if (!alternatives.all.empty()) {
    text += "; " + comparison(alternatives);
    text += StringRef(alternatives.name).starts_with("argument") ||
                    StringRef(alternatives.name).starts_with("result")
                ? "; to have another, annotate it"
                : "; to have another, ask for it with shardir.constrain";
  }
  return text;
}

/// The way out of a redistribution: whose word it is to change.
static std::string wayOut(Operation *op, ArrayRef<Asker> askers,
                          PlacementAttr from, PlacementAttr to) {
  bool owes = !from.getValue().partialAxes.empty() &&
              from.getValue().partialAxes != to.getValue().partialAxes;
  if (askers.empty())
    return "";
  const Asker &first = askers.front();
  if (!first.use)
    return "to do without, drop that constraint, or leave its dims open, {?}";
  if (isa<func::ReturnOp>(first.use->getOwner()))
    return "to do without, annotate " + first.name +
           (owes
                ? " with " + placementText(from) + ", and its callers reduce it"
                : " with {?} in place of closed dims, or with " +
                      placementText(from));
  if (owes)
    return "to reduce elsewhere, constrain the value to the placement that it "
           "should have there";
  std::string mine = decidedBy(op->getOperand(0)),
              theirs = decidedByOfUse(*first.use);
  if (!mine.empty() && !theirs.empty() && mine != theirs)
    return "to do without, change one of two annotations: " + mine + "; or " +
           theirs;
  return "to have it elsewhere, constrain operand " +
         std::to_string(first.use->getOperandNumber()) + " or the result of '" +
         first.name + "'";
}

static std::string explainCollective(Operation *op, const json::Object &entry) {
  std::string text = entry.getString("kind").value_or("").str();
  std::string axes;
  for (const json::Value &axis : *entry.getArray("axes"))
    axes +=
        (axes.empty() ? "" : ", ") + ("\"" + *axis.getAsString() + "\"").str();
  if (!axes.empty())
    text += " over " + axes;
  else if (std::optional<StringRef> mesh = entry.getString("to_mesh"))
    text += " to mesh @" + mesh->str();
  // A formula where sizes are not known.
  std::optional<StringRef> formula = entry.getString("bytes_per_device");
  text +=
      ": a device receives " +
      (formula ? formula->str() + " bytes"
               : bytesText(entry.getInteger("bytes_per_device").value_or(0)));
  std::optional<int64_t> times = entry.getInteger("executions");
  if (!times)
    text += " each time it runs";
  else if (*times != 1)
    text += ", " + std::to_string(*times) + " times";
  if (StringRef reason = entry.getString("reason").value_or("");
      !reason.empty())
    text += "; " + reason.str();
  SmallVector<Asker> askers = findAskers(op);
  for (const auto &[i, asker] : llvm::enumerate(askers)) {
    text += i ? ", '" : "; asked for by '";
    std::string where = describeLocation(asker.loc);
    text += asker.name + "'" + (where.empty() ? "" : " at " + where);
    std::string who = asker.use ? decidedByOfUse(*asker.use) : "";
    if (!who.empty() && who != asker.name)
      text += " (decided by " + who + ")";
  }
  Alternatives compared = alternativesBehind(op);
  if (!compared.all.empty())
    text += "; " + comparison(compared);
  PlacementAttr from, to;
  if (auto redistribute = dyn_cast<RedistributeOp>(op)) {
    from = redistribute.getFrom();
    to = redistribute.getTo();
  } else if (auto step = dyn_cast<collective::CollectiveOpInterface>(op)) {
    from = step.getFrom();
    to = step.getTo();
  }
  if (std::string out = wayOut(op, askers, from, to); !out.empty())
    text += "; " + out;
  return text;
}

namespace {

struct ExplainPass : shardir::impl::ExplainBase<ExplainPass> {
  using ExplainBase::ExplainBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAllAnalysesPreserved();
    if (isLocalOrLater(module)) {
      module.emitError("is local already, where nobody knows who decided; "
                       "explain the collective stage or an earlier one");
      return signalPassFailure();
    }
    for (MeshOp mesh : module.getOps<MeshOp>())
      if (!mesh.getMesh().isConcrete()) {
        mesh.emitError() << "has an axis of unknown size; set it with the "
                            "option mesh= before asking for bytes";
        return signalPassFailure();
      }
    if (module.getOps<MeshOp>().empty())
      return;
    if (failed(verifyStage(module, "propagated")))
      return signalPassFailure();
    ReportSources sources;
    json::Object report = buildReport(module, &sources);
    if (values)
      for (auto [entry, value] :
           llvm::zip(*report.getArray("values"), sources.values))
        explain(*entry.getAsObject(), value);
    if (collectives)
      for (auto [entry, op] :
           llvm::zip(*report.getArray("collectives"), sources.collectives))
        emitRemark(op->getLoc()) << explainCollective(op, *entry.getAsObject());
  }

  void explain(const json::Object &entry, Value value) {
    StringRef name = entry.getString("name").value_or("");
    StringRef op = entry.getString("op").value_or("");
    auto function = getOperation().lookupSymbol<func::FuncOp>(
        entry.getString("function").value_or(""));
    unsigned index = 0;
    if (op.empty() && name.consume_front("result") &&
        !name.getAsInteger(10, index)) {
      auto placement = function.getResultAttrOfType<PlacementAttr>(
          index, ShardIRDialect::kPlacement);
      emitRemark(function.getLoc()) << explainValue(
          entry, placement, alternativesOfResult(function, index));
      return;
    }
    emitRemark(value.getLoc())
        << explainValue(entry, getPlacement(value), alternativesOf(value));
  }
};

} // namespace
