//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ranks a collective connects, as other compilers write it: lists of
// ranks.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_COLLECTIVE_REPLICAGROUPS_H
#define SHARDIR_DIALECT_COLLECTIVE_REPLICAGROUPS_H

#include "mlir/IR/Operation.h"

#include <vector>

namespace shardir::collective {

/// One list of ranks per group.
using ReplicaGroups = std::vector<std::vector<int64_t>>;

/// The groups of ranks in which `op` communicates, a step or a rooted or
/// point-to-point collective; in each group the ranks in the order of their
/// coordinates along its axes. On a mesh of x=2, y=2 `[[0, 1], [2, 3]]` along y
/// and `[[0, 2], [1, 3]]` along x. From one mesh to another it is one group of
/// all ranks; empty where nothing is communicated. Fails, without an error, if
/// `op` is no collective or a size of its mesh is not known.
mlir::FailureOr<ReplicaGroups> getReplicaGroups(mlir::Operation *op);

} // namespace shardir::collective

#endif // SHARDIR_DIALECT_COLLECTIVE_REPLICAGROUPS_H
