//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of kernels that were measured on a card, in a file that gpu-check's
// run.sh --tune writes and the option kernel-times names. Requires a file for
// the same architecture. Guarantees estimates by the model alone where it says
// nothing of a schedule's plan; no IR is read but for the op's problem.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_KERNELTIMES_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_KERNELTIMES_H

#include "Schedule.h"

#include <map>

namespace shardir {

class KernelTimes {
public:
  /// Null with a message where the file is unreadable, has no such times, or is
  /// for another architecture than `arch`.
  static std::shared_ptr<const KernelTimes>
  read(llvm::StringRef file, llvm::StringRef arch, std::string &error);

  /// Seconds of `problem` by this plan as measured; else `predicted` seconds
  /// times the geometric mean of what other problems took by this plan,
  /// relative to their predictions, or problems by other plans of the schedule
  /// where none was measured by this one.
  double correct(llvm::StringRef problem, llvm::StringRef schedule,
                 const PlanNumbers &plan, double predicted) const;

  bool has(llvm::StringRef problem, llvm::StringRef schedule,
           const PlanNumbers &plan) const;

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
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_KERNELTIMES_H
