//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that a device saves at the peak if one value is split further.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_MEMORY_MEMORYSAVINGS_H
#define SHARDIR_MEMORY_MEMORYSAVINGS_H

#include "ShardIR/Memory/PeakMemory.h"

namespace shardir {

struct SplitSaving {
  int64_t dim = 0;
  std::string axis;
  int64_t bytes = 0; ///< of the value's, at the peak
};

/// The global type of a value and its placement; from stage local on, those of
/// a function's arguments, results among them, as its attributes say. Null
/// where it has none.
std::pair<mlir::RankedTensorType, PlacementAttr> placedAs(mlir::Value value);

/// The split over one axis that `value`'s placement leaves free which saves
/// most; of equal ones that of the major dim. Nothing where the value has no
/// placement (placedAs), no axis is free, or no rule permits one.
std::optional<SplitSaving> bestSplit(const HeldValue &value,
                                     const MeshTable &meshes);

/// The op that a tensor or buffer without contents is made for: the first that
/// does more with it than fill it. `op` itself if it is no such op.
mlir::Operation *purposeOf(mlir::Operation *op);

} // namespace shardir

#endif // SHARDIR_MEMORY_MEMORYSAVINGS_H
