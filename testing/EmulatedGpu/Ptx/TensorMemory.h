//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory in which tcgen05.mma adds (PTX ISA, section 9.7.16): a block's
// part of a multiprocessor's, 128 lanes of 512 columns of 32 bits. Requires
// accesses inside of columns that the block has; guarantees that an access
// which nothing orders with another one is noticed, for 32 lanes and a column
// at a time.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_TENSORMEMORY_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_TENSORMEMORY_H

#include "Order.h"

#include <array>
#include <cstdint>
#include <vector>

namespace shardir {
namespace emulated {
namespace ptx {

constexpr int kTensorLanes = 128, kTensorColumns = 512;
/// Columns are given out by so many.
constexpr int kTensorUnit = 32;

/// tcgen05.mma that was issued: D and its size, the operands' descriptors.
struct TensorProduct {
  int lane;   ///< of the thread that issued it
  int column; ///< of D
  int n, k;
  uint8_t type; ///< a Type
  uint64_t a, b;
  bool aTransposed, bTransposed, adds;
  bool pair; ///< of two blocks: 128 rows and half of the columns of B each
};

struct TensorMemory {
  explicit TensorMemory(const Order &order)
      : cells(kTensorLanes * kTensorColumns),
        written(kTensorLanes * kTensorColumns),
        history(order, kTensorLanes / 32 * kTensorColumns * 2) {}

  uint32_t &cell(int lane, int column) {
    return cells[size_t(lane * kTensorColumns + column)];
  }
  /// Two bytes of the history.
  static uint64_t addressOf(int lane, int column) {
    return uint64_t(lane / 32 * kTensorColumns + column) * 2;
  }
  bool has(int column, int count) const {
    bool all = column >= 0 && count > 0 && column + count <= kTensorColumns;
    for (int c = column; all && c < column + count; ++c)
      all = taken[size_t(c / kTensorUnit)];
    return all;
  }

  std::vector<uint32_t> cells;
  std::vector<bool> written;
  History history;
  std::array<bool, kTensorColumns / kTensorUnit> taken = {};
  bool gaveUp = false; ///< after relinquish_alloc_permit
};

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_TENSORMEMORY_H
