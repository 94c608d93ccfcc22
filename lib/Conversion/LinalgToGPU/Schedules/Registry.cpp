//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list of schedules. Requires that Plain is last, so that a schedule with
// an equal estimate is preferred to it; guarantees that the list never changes.
// A new schedule adds one line here and one in Schedule.h.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"

using namespace shardir;

const std::vector<std::unique_ptr<Schedule>> &shardir::allSchedules() {
  static const std::vector<std::unique_ptr<Schedule>> all = [] {
    std::vector<std::unique_ptr<Schedule>> list;
    addAttentionSchedules(list);
    list.push_back(createLibraryAttentionSchedule());
    addAttentionBackwardSchedules(list);
    // Where copies bound all of them, the one with the fewest instructions
    // wins.
    list.push_back(createWsGemmSchedule());
    list.push_back(createTensorMemoryGemmSchedule());
    list.push_back(createWgmmaMatmulSchedule());
    list.push_back(createMmaMatmulSchedule());
    list.push_back(createLibraryMatmulSchedule());
    list.push_back(createRowReductionSchedule());
    list.push_back(createWindowSchedule());
    list.push_back(createColumnReductionSchedule());
    list.push_back(createElementwiseSchedule());
    list.push_back(createParallelLoopsSchedule());
    list.push_back(createScatterSchedule());
    list.push_back(createScanSchedule());
    list.push_back(createOrderedLoopsSchedule());
    list.push_back(createHostLoopSchedule());
    list.push_back(createPlainSchedule());
    return list;
  }();
  return all;
}

std::vector<std::string> shardir::gpuScheduleNames() {
  std::vector<std::string> names;
  // Libraries have an option of their own.
  for (const std::unique_ptr<Schedule> &schedule : allSchedules())
    if (!llvm::is_contained(gpuLibraryNames(), schedule->name()))
      names.push_back(schedule->name().str());
  return names;
}
