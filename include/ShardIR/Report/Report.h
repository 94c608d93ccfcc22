//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that a program moves and holds, and the reasons: the report of
// docs/Report.md as a value.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_REPORT_REPORT_H
#define SHARDIR_REPORT_REPORT_H

#include "ShardIR/Placement/Collectives.h"
#include "ShardIR/Report/RedistributionUsers.h"
#include "ShardIR/Report/StepTime.h"

#include "llvm/Support/JSON.h"

namespace shardir {

/// A number of bytes. Where sizes are unknown, `bytes` is that of the assumed
/// sizes (P6 of docs/Semantics.md), and `formula` the figure in their terms, if
/// there is one.
struct ReportedBytes {
  int64_t bytes = 0;
  bool isAssumed = false;
  std::string formula = {};
};

/// The placement of one value.
struct ReportedValue {
  mlir::Value value; ///< what is returned, for a result of a function
  /// `arg<i>`, `result<i>`, or the name in the value's location.
  std::string name;
  std::optional<unsigned> result; ///< of the function
  mlir::func::FuncOp function;
  std::string op; ///< empty for arguments and results
  mlir::Type type;
  PlacementAttr placement;
  ReportedBytes localBytes;   ///< of the largest shard
  mlir::ArrayAttr provenance; ///< null where no annotation decided
  /// The axis that a replicated value could have had, and why it has not;
  /// empty where none came near.
  std::string notSharded;
  /// Indices in the report's values: operands of the op, what the regions of
  /// the op yield, or the value that a function returns.
  llvm::SmallVector<int64_t> operands;
  /// Bytes alive on one device while the op runs; nullopt in regions, for
  /// arguments and results, and where extents depend on the device.
  std::optional<int64_t> aliveBytes;
};

/// A collective, or one step in the plan of a redistribution.
struct ReportedCollective {
  mlir::Operation *op = nullptr;
  CollectiveStep step;      ///< with sizes as assumed
  std::string mesh, toMesh; ///< the latter empty on one mesh
  std::vector<AxisRef> axes;
  int64_t groupSize = 1;
  mlir::RankedTensorType type; ///< of the global tensor
  /// Of the device that has most, per execution.
  ReportedBytes received, operand, result, packed;
  /// Per call of the function; nullopt where that is not known.
  std::optional<int64_t> executions;
  /// The collectives that it travels with have the same (collective::kBucket).
  std::optional<int64_t> bucket;
  std::string reason;
  llvm::SmallVector<RedistributionUser> users;
  Alternatives alternatives;
};

/// The report of a module in any stage from propagated on. A redistribution
/// that is not lowered yet counts as the collectives of its plan.
struct ProgramReport {
  std::vector<Mesh> meshes;
  std::vector<ReportedValue> values;
  std::vector<ReportedCollective> collectives;
  /// Of the device that receives most, over all executions.
  ReportedBytes received;
  /// True if trip counts are unknown or branches receive differently.
  bool isLowerBound = false;
  /// Of the tensors that are alive at one time on one device; nullopt where
  /// extents depend on the device.
  std::optional<ReportedBytes> peak;
  /// The most in the host's memory at one time for a device: of buffers alone.
  int64_t hostBytes = 0;
  int64_t layoutSavedBytes = 0;
  /// Over which axes optimizer states were split for the program to fit the
  /// memory limit, and the peak without that, if it is known.
  std::vector<std::string> fittedAxes;
  std::optional<int64_t> peakUnfitted;
  /// The values computed a second time to fit it (kRecomputed), or null.
  mlir::DictionaryAttr recomputed;
  /// Those that are on the host meanwhile (kOffloaded), or null.
  mlir::DictionaryAttr offloaded;
  /// Of a bufferized program, on the machine that it describes.
  std::optional<StepTime> predicted;
  /// Transfers, a bucket being one, that go on beside work: of buffers alone.
  int64_t beside = 0;
};

ProgramReport buildReport(mlir::ModuleOp module);

/// In the format of docs/Report.md.
llvm::json::Object toJson(const ProgramReport &report);
llvm::json::Object toJson(const ReportedCollective &collective);
llvm::json::Object toJson(const StepTime &time);

/// How often an op runs in one call of its function: the product of the trip
/// counts around it, or nothing where one is not known.
std::optional<int64_t> executionsOf(mlir::Operation *op);

} // namespace shardir

#endif // SHARDIR_REPORT_REPORT_H
