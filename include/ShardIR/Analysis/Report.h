//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program moves and holds: the report of docs/Report.md as a value.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_REPORT_H
#define SHARDIR_ANALYSIS_REPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace shardir {

/// What the entries of a report are about, in their order.
struct ReportSources {
  llvm::SmallVector<mlir::Value> values; ///< a function's result: what returns
  llvm::SmallVector<mlir::Operation *> collectives;
  /// By rank: the bytes that it receives, whose largest is `bytes_per_device`.
  std::vector<int64_t> received;
};

/// The report of a module in any stage from propagated on: placements of
/// values, bytes and reason of every collective, and what is alive at one time.
/// Bytes are those of the device that has most. A redistribution that is not
/// lowered yet counts as the collectives of its plan.
/// `sources`, if given, gets what the entries are about.
llvm::json::Object buildReport(mlir::ModuleOp module,
                               ReportSources *sources = nullptr);

/// How often an op runs in one call of its function: the product of the trip
/// counts around it, or nothing where one is not known.
std::optional<int64_t> executionsOf(mlir::Operation *op);

/// The location as `file:line:col`, through names and call sites; empty where
/// there is none.
std::string describeLocation(mlir::Location loc);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_REPORT_H
