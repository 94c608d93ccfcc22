//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: any from propagated on. Writes the report of Analysis/Report.h to a
// file, or keeps it on the module for the compiled program to carry. Changes
// nothing else.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Report.h"
#include "ShardIR/Analysis/BufferPeak.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"

namespace shardir {
#define GEN_PASS_DEF_REPORT
#include "ShardIR/Transforms/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct ReportPass : shardir::impl::ReportBase<ReportPass> {
  using ReportBase::ReportBase;

  /// The report is about placements: they must be there.
  LogicalResult check() {
    if (getOperation().getOps<MeshOp>().empty())
      return success();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isDeclaration() &&
          (!function.getBody().hasOneBlock() ||
           isa<UnrankedTensorType>(function.getFunctionType())))
        return function.emitOpError("has several blocks; the report needs one");
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        auto placement = function.getArgAttrOfType<PlacementAttr>(
            i, ShardIRDialect::kPlacement);
        if (isa<RankedTensorType>(function.getArgumentTypes()[i]) &&
            (!placement || placement.getValue().sugar))
          return function.emitOpError("argument ")
                 << i
                 << " has no decided placement; the report needs the "
                    "propagated stage or a later one";
      }
    }
    return success();
  }

  /// Who asked and what was compared is not there any more on local shards.
  static void keepReasons(const llvm::json::Object &before,
                          llvm::json::Object &now) {
    auto keyOf = [](const llvm::json::Object &entry) {
      std::string key;
      for (StringRef name : {"function", "loc"})
        key += (entry.getString(name).value_or("") + "\n").str();
      // What comes around a ring is what was gathered.
      auto [reason, block] =
          entry.getString("reason").value_or("").split(collective::kBlock);
      StringRef kind = entry.getString("kind").value_or("");
      return (key + reason + "\n" + (block.empty() ? kind : "all_gather"))
          .str();
    };
    llvm::StringMap<const llvm::json::Object *> known;
    if (const llvm::json::Array *entries = before.getArray("collectives"))
      for (const llvm::json::Value &entry : *entries)
        if (const llvm::json::Object *object = entry.getAsObject())
          known.try_emplace(keyOf(*object), object);
    for (llvm::json::Value &entry : *now.getArray("collectives")) {
      llvm::json::Object &object = *entry.getAsObject();
      auto it = known.find(keyOf(object));
      if (it != known.end())
        for (StringRef name : {"asked_by", "alternatives", "alternatives_of"})
          if (const llvm::json::Value *value = it->second->get(name))
            object[name] = *value;
    }
  }

  /// Keeps what an earlier stage knew of values; the collectives have become
  /// others since.
  void updateCollectives(StringAttr present) {
    llvm::Expected<llvm::json::Value> kept =
        llvm::json::parse(present.getValue());
    if (!kept || !kept->getAsObject()) {
      llvm::consumeError(kept.takeError());
      getOperation().emitError()
          << "'" << ShardIRDialect::kReport << "' is not a report";
      return signalPassFailure();
    }
    llvm::json::Object report = buildReport(getOperation());
    keepReasons(*kept->getAsObject(), report);
    for (StringRef key : {"collectives", "layout_saved_bytes"})
      (*kept->getAsObject())[key] = std::move(*report.get(key));
    getOperation()->setAttr(
        ShardIRDialect::kReport,
        StringAttr::get(&getContext(), llvm::formatv("{0}", *kept).str()));
  }

  /// Keeps all but the peak, which is known better once buffers are there.
  void updatePeak(StringAttr present) {
    MeshTable meshes(getOperation());
    int64_t peak = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || !function.isPublic())
        continue;
      std::optional<MemoryPeak> own = bufferPeak(function, meshes);
      if (!own)
        return;
      peak = std::max(peak, own->bytes);
    }
    llvm::Expected<llvm::json::Value> kept =
        llvm::json::parse(present.getValue());
    if (!kept || !kept->getAsObject())
      return llvm::consumeError(kept.takeError());
    (*kept->getAsObject())["peak_bytes_per_device"] = peak;
    getOperation()->setAttr(
        ShardIRDialect::kReport,
        StringAttr::get(&getContext(), llvm::formatv("{0}", *kept).str()));
  }

  void runOnOperation() override {
    // A program compiled from a later stage keeps what an earlier one knew.
    auto stage =
        getOperation()->getAttrOfType<StringAttr>(ShardIRDialect::kStage);
    bool isLowered = stage && (stage == "cpu" || stage == "gpu");
    auto present =
        getOperation()->getAttrOfType<StringAttr>(ShardIRDialect::kReport);
    if (embed && stage && stage == "bufferized") {
      if (present)
        updatePeak(present);
      return;
    }
    if (renew) {
      if (present && getOperation()->hasAttr(collective::kRings))
        updateCollectives(present);
      return;
    }
    if (embed && !isLowered && present &&
        getOperation()->hasAttr(ShardIRDialect::kLayoutSavedBytes))
      return updateCollectives(present);
    if (embed && (isLowered || present))
      return;
    if (embed && file.empty()) {
      // Nobody asked: a program that cannot be reported on, a local one written
      // by hand for one, compiles without its report.
      ScopedDiagnosticHandler ignore(&getContext(),
                                     [](Diagnostic &) { return success(); });
      if (failed(check()))
        return;
    } else if (failed(check())) {
      return signalPassFailure();
    }
    llvm::json::Value report = buildReport(getOperation());
    if (embed)
      getOperation()->setAttr(
          ShardIRDialect::kReport,
          StringAttr::get(&getContext(), llvm::formatv("{0}", report).str()));
    else
      markAllAnalysesPreserved();
    if (file.empty())
      return;
    std::string error;
    std::unique_ptr<llvm::ToolOutputFile> out = openOutputFile(file, &error);
    if (!out) {
      getOperation().emitError() << "cannot write the report: " << error;
      return signalPassFailure();
    }
    out->os() << llvm::formatv("{0:2}\n", report);
    out->keep();
  }
};

} // namespace
