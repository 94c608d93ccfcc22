//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pairs of a collective_permute as a permutation of a mesh's positions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_STABLEHLO_PERMUTETARGETS_H
#define SHARDIR_LIB_IMPORT_STABLEHLO_PERMUTETARGETS_H

#include "ShardIR/Placement/Placement.h"

#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace shardir {

struct PermuteTargets {
  /// By position on the mesh: the position that its block is sent to.
  std::vector<int64_t> positions;
  /// By position along the manual axes: true if a pair names it as a target.
  llvm::SmallVector<bool> isTarget;
};

/// Completes `pairs` of devices, a source and a target each, to a permutation
/// along the manual axes, with as few blocks sent as possible. The message of
/// an error is the end of a sentence whose subject is the op.
std::variant<PermuteTargets, std::string>
permuteTargets(const std::vector<std::pair<int64_t, int64_t>> &pairs,
               const Mesh &mesh,
               const std::function<bool(const MeshAxis &)> &isManual);

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_STABLEHLO_PERMUTETARGETS_H
