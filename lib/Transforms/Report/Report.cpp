//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: any from propagated on. Writes the report of Report/Report.h to a
// file, or embeds it in the module for the compiled program to carry.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Report/Report.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Memory/BufferPeak.h"
#include "ShardIR/Report/JsonAttributes.h"
#include "ShardIR/Transforms/Report/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"

namespace shardir {
#define GEN_PASS_DEF_REPORT
#include "ShardIR/Transforms/Report/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct ReportPass : shardir::impl::ReportBase<ReportPass> {
  using ReportBase::ReportBase;

  /// Only a propagated program has a report.
  LogicalResult check() {
    ModuleOp module = getOperation();
    if (stageOf(module) < Stage::Local && module.getOps<MeshOp>().empty())
      return module.emitError()
             << "has no mesh and so nothing to report; declare one with "
                "shardir.mesh, and run --shardir-to-propagated first";
    return verifyStage(module, Stage::Propagated);
  }

  /// Numbers the collectives by their entries, so that the entries of those
  /// that they are lowered to can be found again.
  static void numberCollectives(const ProgramReport &report) {
    for (const auto &[i, entry] : llvm::enumerate(report.collectives)) {
      if (!isa<collective::CollectiveOpInterface>(entry.op))
        continue;
      auto reason = entry.op->getAttrOfType<ReasonAttr>("reason");
      if (!reason)
        reason = ReasonAttr::ofProgram(entry.op->getContext());
      entry.op->setAttr("reason", reason.withStep(i));
    }
  }

  void embedReport(const ProgramReport &report) {
    getOperation()->setAttr(ShardIRDialect::kReport,
                            toAttribute(toJson(report), &getContext()));
  }

  /// Replaces entries of the report that an earlier stage has embedded.
  void update(DictionaryAttr present, ArrayRef<NamedAttribute> entries) {
    NamedAttrList list(present);
    for (NamedAttribute entry : entries)
      list.set(entry.getName(), entry.getValue());
    getOperation()->setAttr(ShardIRDialect::kReport,
                            list.getDictionary(&getContext()));
  }

  /// Lists the present collectives in the embedded report, with the users and
  /// alternatives of those that they were lowered from.
  void updateCollectives(DictionaryAttr present) {
    ProgramReport report = buildReport(getOperation());
    Builder builder(&getContext());
    auto before = present.getAs<ArrayAttr>("collectives");
    SmallVector<Attribute> collectives;
    for (const ReportedCollective &entry : report.collectives) {
      NamedAttrList now(
          cast<DictionaryAttr>(toAttribute(toJson(entry), &getContext())));
      auto reason = entry.op->getAttrOfType<ReasonAttr>("reason");
      int64_t step = reason ? reason.getStep() : -1;
      if (before && step >= 0 && step < int64_t(before.size()))
        for (StringRef name :
             {"users", "alternatives", "alternatives_of", "choice"})
          if (Attribute known = cast<DictionaryAttr>(before[step]).get(name))
            now.set(name, known);
      collectives.push_back(now.getDictionary(&getContext()));
    }
    update(present, {builder.getNamedAttr("collectives",
                                          builder.getArrayAttr(collectives)),
                     builder.getNamedAttr(
                         "layout_saved_bytes",
                         builder.getI64IntegerAttr(report.layoutSavedBytes))});
  }

  /// The peak of the buffers of the function that needs most, on the device and
  /// on the host; nothing where it is not known.
  std::optional<MemoryPeak> findPeak() {
    MemoryPeak peak;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || !function.isPublic())
        continue;
      std::optional<MemoryPeak> own = bufferPeak(function);
      if (!own)
        return std::nullopt;
      peak.bytes = std::max(peak.bytes, own->bytes);
      peak.hostBytes = std::max(peak.hostBytes, own->hostBytes);
    }
    return peak;
  }

  /// The time of the function that takes longest; nothing where it is not
  /// known, or no machine is described.
  std::optional<StepTime> findStepTime() {
    std::optional<StepTime> longest;
    if (!getOperation()->hasAttr(ShardIRDialect::kMachine))
      return longest;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || !function.isPublic())
        continue;
      std::optional<StepTime> own = predictStep(function);
      if (!own)
        return std::nullopt;
      if (!longest || own->seconds > longest->seconds)
        longest = own;
    }
    return longest;
  }

  /// The transfers that have been started ahead.
  int64_t countBeside() {
    int64_t count = 0;
    getOperation().walk([&](collective::CollectiveOpInterface op) {
      count += op->hasAttr(collective::kStart) &&
               !collective::stepsOfBucket(op).empty();
    });
    return count;
  }

  /// The products that have become loops, one for each kernel's function.
  ArrayAttr listProducts() {
    Builder builder(&getContext());
    SmallVector<Attribute> entries;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto schedule =
          function->getAttrOfType<DictionaryAttr>(ShardIRDialect::kSchedule);
      if (!schedule)
        continue;
      NamedAttrList entry(schedule);
      entry.set("name", function.getSymNameAttr());
      entry.set("loc", builder.getStringAttr(llvm::json::fixUTF8(
                           describeLocation(function.getLoc()))));
      entries.push_back(entry.getDictionary(&getContext()));
      function->removeAttr(ShardIRDialect::kSchedule);
    }
    return builder.getArrayAttr(entries);
  }

  /// Replaces the peak by that of the buffers, adds the time before products
  /// are lowered, and products after it.
  void updateOfBuffers(DictionaryAttr present) {
    Builder builder(&getContext());
    SmallVector<NamedAttribute> entries;
    auto number = [&](StringRef name, int64_t value) {
      entries.push_back(
          builder.getNamedAttr(name, builder.getI64IntegerAttr(value)));
    };
    if (std::optional<MemoryPeak> peak = findPeak()) {
      number("peak_bytes_per_device", peak->bytes);
      if (peak->hostBytes > 0)
        number("host_bytes_per_device", peak->hostBytes);
    }
    if (int64_t count = countBeside())
      number("transfers_beside_work", count);
    if (!present.get("predicted"))
      if (std::optional<StepTime> time = findStepTime())
        entries.push_back(builder.getNamedAttr(
            "predicted", toAttribute(toJson(*time), &getContext())));
    if (ArrayAttr products = listProducts(); !products.empty())
      entries.push_back(builder.getNamedAttr("kernels", products));
    update(present, entries);
  }

  bool hasBuckets() {
    auto isInBucket = [](collective::CollectiveOpInterface op) {
      return op->hasAttr(collective::kBucket) ? WalkResult::interrupt()
                                              : WalkResult::advance();
    };
    return getOperation().walk(isInBucket).wasInterrupted();
  }

  void runOnOperation() override {
    // A program compiled from a later stage keeps the report of an earlier one.
    Stage stage = stageOf(getOperation());
    bool isLowered = stage > Stage::Bufferized;
    auto present =
        getOperation()->getAttrOfType<DictionaryAttr>(ShardIRDialect::kReport);
    if (embed && stage == Stage::Bufferized) {
      if (present)
        updateOfBuffers(present);
      return;
    }
    // Layouts and rings make other collectives than those it has named, and
    // others travel together.
    if (embed && present && stage == Stage::Scheduled &&
        (getOperation()->hasAttr(ShardIRDialect::kLayoutSavedBytes) ||
         getOperation()->hasAttr(collective::kRings) || hasBuckets()))
      return updateCollectives(present);
    if (embed && (isLowered || present))
      return;
    if (embed && file.empty()) {
      // A program that has no report, such as a local one written by hand,
      // compiles without it.
      ScopedDiagnosticHandler ignore(&getContext(),
                                     [](Diagnostic &) { return success(); });
      if (failed(check()))
        return;
    } else if (failed(check())) {
      return signalPassFailure();
    }
    ProgramReport report = buildReport(getOperation());
    if (stage == Stage::Bufferized) {
      if (std::optional<MemoryPeak> peak = findPeak()) {
        report.peak = ReportedBytes{peak->bytes};
        report.hostBytes = peak->hostBytes;
      }
      report.predicted = findStepTime();
      report.beside = countBeside();
    }
    if (embed) {
      numberCollectives(report);
      embedReport(report);
    } else {
      markAllAnalysesPreserved();
    }
    if (file.empty())
      return;
    std::string error;
    std::unique_ptr<llvm::ToolOutputFile> out = openOutputFile(file, &error);
    if (!out) {
      getOperation().emitError() << "cannot write the report: " << error;
      return signalPassFailure();
    }
    out->os() << llvm::formatv("{0:2}\n", llvm::json::Value(toJson(report)));
    out->keep();
  }
};

} // namespace
