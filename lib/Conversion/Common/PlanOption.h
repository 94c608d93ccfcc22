//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The option `plan` of passes that choose schedules: numbers that replace those
// of the choice.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COMMON_PLANOPTION_H
#define SHARDIR_LIB_CONVERSION_COMMON_PLANOPTION_H

#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace shardir {

/// Parses `NAME=NUMBER,NAME=NUMBER`, whose names are some of `known`, and calls
/// `set` for each. Numbers are not negative. On a fault emits one error, begun
/// by `emitError`.
mlir::LogicalResult
parsePlan(llvm::StringRef plan, const std::vector<std::string> &known,
          llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
          llvm::function_ref<void(llvm::StringRef, int64_t)> set);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COMMON_PLANOPTION_H
