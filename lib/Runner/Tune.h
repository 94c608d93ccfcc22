//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the runner's library. Times plans of a program's products on this
// machine, for the option `kernel-times` (docs/Performance.md).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_TUNE_H
#define SHARDIR_LIB_RUNNER_TUNE_H

#include "ShardIR/Runner/Session.h"

#include <nlohmann/json.hpp>

namespace shardir::runner {

class Processes;

/// Times each product in `report` that `file` does not have, on `ranks` ranks
/// at the same time as in the program, and adds the fastest plans to `file`,
/// which appears whole. Prints a line for each product. Fails with Exit::Usage
/// where `file` is damaged or cannot be written.
void tune(const nlohmann::ordered_json &report, int64_t ranks,
          const std::string &file, const Options &options,
          const Processes &processes, const std::function<void(Phase)> &enter);

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_TUNE_H
