//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shardy's ops with regions. A manual computation becomes a manual region,
// whose placements are the shardings of its borders. A named one is inlined;
// where its borders have shardings they are constraints. Requires ops in
// generic form, as unregistered ones or Shardy's own.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_SHARDY_IMPORTCOMPUTATIONS_H
#define SHARDIR_LIB_IMPORT_SHARDY_IMPORTCOMPUTATIONS_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

namespace shardir {

/// The operands and results of a computation, with their shardings.
struct Computation {
  bool isManual = false;
  std::vector<std::string> axes; ///< manual ones
  /// One per operand and result; null where there is no sharding.
  llvm::SmallVector<PlacementAttr> in, out;
};

/// Checks the form of `sdy.manual_computation` or `sdy.named_computation` and
/// reads its manual axes.
mlir::LogicalResult readComputation(mlir::Operation *op, Computation &borders);

/// Replaces the op, once its shardings are placements.
mlir::LogicalResult replaceComputation(mlir::Operation *op,
                                       Computation &borders);

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_SHARDY_IMPORTCOMPUTATIONS_H
