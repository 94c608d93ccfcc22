//===- Shards.h - The data of a change of placement -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shards that each rank holds before and after a change of placement.
// Requires of the library under test only shardOf, in which the tensor's
// elements are found; knows nothing of plans, pieces or steps. All figures are
// in bytes, the largest over devices.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_REDISTRIBUTE_SHARDS_H
#define SHARDIR_TEST_UNIT_REDISTRIBUTE_SHARDS_H

#include "Elements/ElementType.h"
#include "ShardIR/Placement/Placement.h"

#include <string>

namespace shardir::test {

/// One change of placement.
struct Pair {
  Placement src, dst;
  std::vector<int64_t> shape;
  runtime::ElementType type = SHARDIR_F32;
};

/// One rank's shard of one value: where its elements lie in the tensor.
class Shard {
public:
  Shard(const Placement &placement, const Mesh &mesh,
        const std::vector<int64_t> &shape, int64_t position)
      : shape(shape) {
    for (const DimShard &dim : shardOf(placement, mesh, shape, position)) {
      std::vector<int64_t> &list = global.emplace_back();
      std::vector<int64_t> &table = local.emplace_back(
          static_cast<size_t>(dim.globalExtent()), int64_t{-1});
      for (int64_t i = 0; i < dim.localExtent(); ++i) {
        list.push_back(dim.toGlobal(i));
        table[static_cast<size_t>(list.back())] = i;
      }
      count *= dim.localExtent();
    }
  }
  int64_t size() const { return count; }

  /// Calls f(local, global, index): row-major positions in the shard and in the
  /// tensor, and the index in each dim of the tensor. In order.
  template <class F> void forEach(F &&f) const {
    std::vector<int64_t> index(global.size());
    if (count != 0)
      walk(0, 0, 0, index, f);
  }
  /// Row-major in the shard; -1 where this shard lacks the element.
  int64_t localOf(const std::vector<int64_t> &index) const {
    int64_t flat = 0;
    for (size_t d = 0; d < local.size(); ++d) {
      int64_t i = local[d][static_cast<size_t>(index[d])];
      if (i < 0)
        return -1;
      flat = flat * static_cast<int64_t>(global[d].size()) + i;
    }
    return flat;
  }

private:
  template <class F>
  void walk(size_t d, int64_t flat, int64_t tensorFlat,
            std::vector<int64_t> &index, F &f) const {
    if (d == global.size()) {
      f(flat, tensorFlat, index);
      return;
    }
    flat *= static_cast<int64_t>(global[d].size());
    for (int64_t i : global[d]) {
      index[d] = i;
      walk(d + 1, flat++, tensorFlat * shape[d] + i, index, f);
    }
  }

  const std::vector<int64_t> &shape;
  std::vector<std::vector<int64_t>> global; ///< per dim, by local index
  std::vector<std::vector<int64_t>> local;  ///< per dim, by global index
  int64_t count = 1;
};

/// Bytes of the largest shard of the pair's tensor.
int64_t largestShard(const Placement &placement, const Mesh &mesh,
                     const Pair &pair);

/// Writes what the device at `position` holds of the source; with partials,
/// every device along the partial axes another term.
void fillSource(const Mesh &mesh, const Pair &pair, int64_t position,
                void *data);
/// Whether that is still there.
bool isSource(const Mesh &mesh, const Pair &pair, int64_t position,
              const void *data);

/// Compares the destination's shards, by position, with the tensor: terms that
/// are still partial are reduced first. Returns what is wrong, or "".
std::string checkResult(const Mesh &mesh, const Pair &pair,
                        const std::vector<const void *> &shards);

/// The bytes that a device's destination holds and its source lacks, the
/// largest over devices. Requires a pair without partials.
int64_t leastBytes(const Mesh &mesh, const Pair &pair);

/// `[{"a"}, {}] -> [{}, {"a"}] of 5x7 f32 on a=2, b=4`
std::string describe(const Mesh &mesh, const Pair &pair);

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_REDISTRIBUTE_SHARDS_H
