//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The local forms of the steps of a redistribution.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_LOCALIZESTEPS_H
#define SHARDIR_TRANSFORMS_LOCALIZESTEPS_H

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/Localizer.h"

namespace shardir {

/// Builds the local form of `step` on the shard `input`: a collective on
/// shards; a plain `tensor.extract_slice` for `slice`; for `make_partial` a
/// select of the identity, or a `tensor.insert_slice` into it.
mlir::FailureOr<mlir::Value>
localizeStep(collective::CollectiveOpInterface step, mlir::OpBuilder &builder,
             Localizer &localizer, mlir::Value input);

} // namespace shardir

#endif // SHARDIR_TRANSFORMS_LOCALIZESTEPS_H
