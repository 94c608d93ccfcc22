//===- Terms.h - Shards that are terms of a partial tensor ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A make_partial gives each device, as its term, what it holds of its new
// shard, and the identity of the reduction elsewhere. Which placements it may
// lead between, and how two placements cut one dim.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_TERMS_H
#define SHARDIR_PLACEMENT_TERMS_H

#include "ShardIR/Placement/Placement.h"

#include <vector>

namespace shardir {

/// True if a make_partial may lead from `from` to `to`: what is partial stays
/// so, and along the axes that are partial in `to` alone devices hold each
/// element of their new shard once. That is so of axes that split `from`; of
/// the others the devices with coordinate 0 are taken, and the rest hold the
/// identity. Where sizes are not known, true if this holds for all of them.
bool canMakePartial(const Placement &from, const Placement &to,
                    const Mesh &mesh, const std::vector<int64_t> &shape);

/// A digit of one dimension that two placements of it tell apart, and the axis
/// by which each fixes it to one position.
struct CommonDigit {
  int64_t extent = 1;
  std::optional<AxisRef> a, b;
};
/// The digits of dimension `dim`, of `size` elements, major first; nothing
/// where a size is not known, one of the two does not divide, or the two cut
/// across each other.
std::optional<std::vector<CommonDigit>> commonDigits(const Placement &a,
                                                     const Placement &b,
                                                     const Mesh &mesh,
                                                     int64_t size, size_t dim);

} // namespace shardir

#endif // SHARDIR_PLACEMENT_TERMS_H
