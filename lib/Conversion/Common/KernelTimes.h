//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of kernels that were measured on a card or a processor, in a file that
// gpu-check's run.sh --tune or shard-run --tune writes and the option
// kernel-times names. Requires a file for the same architecture. Guarantees
// estimates by the model alone where it says nothing of a schedule's plan; no
// IR is read.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COMMON_KERNELTIMES_H
#define SHARDIR_LIB_CONVERSION_COMMON_KERNELTIMES_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shardir {

/// A plan in numbers by name: `tile_m`, `stages`, ….
using PlanNumbers = std::vector<std::pair<llvm::StringRef, int64_t>>;

class KernelTimes {
public:
  /// Null with a message where the file is unreadable, has no such times, or is
  /// for another architecture than `arch`. Without predictions `correct` knows
  /// nothing of other problems than those that were measured.
  static std::shared_ptr<const KernelTimes> read(llvm::StringRef file,
                                                 llvm::StringRef arch,
                                                 bool hasPredictions,
                                                 std::string &error);

  /// Seconds of `problem` by this plan as measured; else `predicted` seconds
  /// times the geometric mean of what other problems took by this plan,
  /// relative to their predictions, or problems by other plans of the schedule
  /// where none was measured by this one.
  double correct(llvm::StringRef problem, llvm::StringRef schedule,
                 const PlanNumbers &plan, double predicted) const;

  bool has(llvm::StringRef problem, llvm::StringRef schedule,
           const PlanNumbers &plan) const;

  /// The plan that took least for `problem`; empty where none was measured.
  PlanNumbers fastestPlan(llvm::StringRef problem) const;

private:
  /// Logarithms of positive numbers are added up.
  struct Mean {
    double logarithms = 0;
    int64_t count = 0;
  };
  /// Measured seconds by problem and plan.
  std::map<std::string, Mean> seconds;
  /// Measured over predicted time by plan, whatever its splits and copies,
  /// which depend on the problem; and by schedule.
  std::map<std::string, Mean> factors;
  /// The least measured time, in ns, and its plan, by problem.
  std::map<std::string,
           std::pair<double, std::vector<std::pair<std::string, int64_t>>>>
      fastest;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COMMON_KERNELTIMES_H
