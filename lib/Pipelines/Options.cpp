//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of the pipelines' options that need no program. What an option says
// about a program (names of axes and functions) is checked against it by the
// pass that uses the option.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/LocalLayouts.h"
#include "ShardIR/Analysis/Propagation.h"
#include "ShardIR/Conversion/LinalgToCPU/CpuTarget.h"
#include "ShardIR/Conversion/LinalgToGPU/GpuTarget.h"
#include "ShardIR/Pipelines/Pipelines.h"

using namespace mlir;

LogicalResult shardir::checkOptions(const PipelineOptions &options,
                                    std::string &error) {
  if (options.cost != "time" && options.cost != "bytes") {
    error = "option cost must be time or bytes, found '" + options.cost + "'";
    return failure();
  }
  if (!parseConflictMode(options.conflicts)) {
    error = "option conflicts must be search, greedy or shardy, found '" +
            options.conflicts + "'";
    return failure();
  }
  if (options.memoryLimit < 0) {
    error = "option memory-limit must not be negative, found " +
            std::to_string(options.memoryLimit);
    return failure();
  }
  if (!parseLayoutMode(options.layout)) {
    error = "option layout must be row-major, auto or contiguous, found '" +
            options.layout + "'";
    return failure();
  }
  if (options.rings != "auto" && options.rings != "always" &&
      options.rings != "never") {
    error = "option rings must be auto, always or never, found '" +
            options.rings + "'";
    return failure();
  }
  if (!CpuTarget::get(options.target)) {
    error = "option target must be " + CpuTarget::known().str() + ", found '" +
            options.target + "'";
    return failure();
  }
  if (!options.arch.empty() && !GpuTarget::get(options.arch)) {
    error = "option arch must be " + GpuTarget::known().str() + ", found '" +
            options.arch + "'";
    return failure();
  }
  return success();
}
