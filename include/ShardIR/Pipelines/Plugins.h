//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plugins of other compilers, for tools that are not MLIR's driver: dialects
// and passes in shared libraries, as mlir-opt takes them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PIPELINES_PLUGINS_H
#define SHARDIR_PIPELINES_PLUGINS_H

#include "mlir/IR/DialectRegistry.h"

#include <string>
#include <vector>

namespace shardir {

/// The values of `--load-dialect-plugin` and `--load-pass-plugin`.
struct Plugins {
  std::vector<std::string> dialects, passes;

  /// Takes `flag` if it is one of the two, with its value after `=`.
  bool take(llvm::StringRef flag);
  /// Registers what the plugins bring. Fails at the first one that cannot be
  /// loaded, and says in `error` why.
  llvm::LogicalResult load(mlir::DialectRegistry &registry,
                           std::string &error) const;
};

} // namespace shardir

#endif // SHARDIR_PIPELINES_PLUGINS_H
