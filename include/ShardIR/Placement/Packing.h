//===- Packing.h - Which data of a collective is contiguous -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies that a transport with contiguous messages (MPI, NCCL) makes around
// one collective: a piece that is not one run of memory is packed before it is
// sent, or unpacked after it has come. Which pieces those are depends on the
// order of a shard's dims in memory, and on nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_PACKING_H
#define SHARDIR_PLACEMENT_PACKING_H

#include "ShardIR/Placement/Collectives.h"

#include <map>
#include <string>
#include <vector>

namespace shardir {

/// The order of a tensor's dims in memory, major first: dim `order[0]` is the
/// outermost one. Row-major is 0, 1, …
using DimOrder = std::vector<int64_t>;

/// The order of a row-major tensor.
DimOrder rowMajor(size_t rank);
bool isRowMajor(const DimOrder &order);
/// The order in which dim `order[i]` was the `i`-th: undoes `order`.
DimOrder inverse(const DimOrder &order);

/// The tensor whose row-major form lies in memory as one of dims `order` does:
/// its dim i is dim `order[i]`. A collective between two tensors in one order
/// is the same collective between those.
template <typename T>
std::vector<T> reordered(const std::vector<T> &dims, const DimOrder &order) {
  std::vector<T> result;
  for (int64_t dim : order)
    result.push_back(dims[dim]);
  return result;
}
Placement reordered(const Placement &placement, const DimOrder &order);
CollectiveStep reordered(const CollectiveStep &step, const DimOrder &order);

/// The bytes that a device copies in one execution because a piece that it
/// sends or receives is not one run of memory, the largest over devices; shards
/// are row-major. 0: all data is contiguous and moves in place.
///
/// A device packs what it sends from several places and unpacks what it
/// receives into several; what it keeps for itself is no message. all_reduce,
/// slice and make_partial have none: 0. Sizes that are not known count as
/// assumed. Of an exchange, also of halos, between more than 1024 devices it is
/// the most among those at the ends of full, short and empty blocks, so at most
/// the largest.
int64_t packedBytes(const CollectiveStep &step, const Mesh &mesh,
                    const std::vector<int64_t> &shape, int64_t elementBytes);

/// The same of a step that leads from one mesh to another, or stays.
int64_t packedBytes(const CollectiveStep &step, const Mesh &fromMesh,
                    const Mesh &toMesh, const std::vector<int64_t> &shape,
                    int64_t elementBytes);

/// Remembers packedBytes: programs repeat their layers.
class PackingCache {
public:
  int64_t get(const CollectiveStep &step, const Mesh &fromMesh,
              const Mesh &toMesh, const std::vector<int64_t> &shape,
              int64_t elementBytes);

private:
  std::map<std::string, int64_t> elements; ///< packed, by step and shape
};

} // namespace shardir

#endif // SHARDIR_PLACEMENT_PACKING_H
