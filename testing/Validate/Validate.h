//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the sharding rules of the ops in a module: what shard-validate does,
// for tools that know of more dialects.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_VALIDATE_VALIDATE_H
#define SHARDIR_TESTING_VALIDATE_VALIDATE_H

#include "Validate/Completeness.h"
#include "Validate/Soundness.h"

#include "llvm/Support/JSON.h"

namespace shardir::validate {

/// The findings about one op of a file.
struct OpReport {
  std::string function, op, file;
  ShardingRule rule;
  int64_t allowed = 0, ran = 0;
  std::vector<WrongCase> wrong;
  std::vector<Missing> missing;
  std::string error;
  std::string signature; ///< `(tensor<4x6xf32>) -> tensor<4xf32>`
};

struct ValidateOptions {
  uint64_t seed = 0;
  int64_t samples = 0; ///< placements per op and mesh; 0: all
  Meshes meshes = Meshes::Small;
  bool completeness = true; ///< also look for what a rule lacks
  std::string function;     ///< check this function alone; empty: all
};

/// Checks every function of `module` that is about an op. What is wrong is an
/// error at the op's location and what is missing a warning, unless `accepted`
/// lists it; both are in the reports.
std::vector<OpReport> validateModule(mlir::ModuleOp module,
                                     const ValidateOptions &options,
                                     Accepted &accepted);

/// The tables of docs/Rules.md: what each rule allows, assumes and refuses.
std::string rulePage(llvm::ArrayRef<OpReport> reports);

/// The reports as JSON.
llvm::json::Value toJson(llvm::ArrayRef<OpReport> reports);

} // namespace shardir::validate

#endif // SHARDIR_TESTING_VALIDATE_VALIDATE_H
