//===- Distribute.h - Whole arrays and shards -------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts whole arrays into shards and puts them together again. Requires a tensor
// of checked metadata and a concrete shape that its placement can cut;
// guarantees that each element of a collected result is written by exactly one
// rank, and that a partial result is reduced in one order, whoever asks (X3).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_DISTRIBUTE_H
#define SHARDIR_LIB_RUNTIME_CORE_DISTRIBUTE_H

#include "Elements/Copy.h"
#include "Metadata.h"

#include <cstdint>
#include <vector>

namespace shardir {
namespace runtime {

/// How one rank's shard lies in the whole array.
struct ShardView {
  /// On a rank that the mesh lacks, the first device's.
  std::vector<int64_t> shape;
  int64_t elements = 0;
  /// Per dimension: source is the index in the whole array, destination the one
  /// in the shard.
  std::vector<std::vector<Piece::Run>> runs;
  /// Whether the mesh lacks this rank: its shard is filled with zeros and never
  /// read.
  bool outside = false;
  /// Whether this rank's term of a partial tensor is the neutral element where
  /// the whole array is given.
  bool identity = false;
  /// Whether this rank writes its shard where the whole array is asked for.
  bool owner = false;
  /// The ranks whose terms make this shard, in order of reduction: the rank
  /// itself where the tensor is not partial. Set for owners.
  std::vector<int> terms;
};

/// The shard of `rank` of a tensor of whole shape `shape`; `mesh` is null for a
/// tensor without one.
ShardView viewShard(const TensorSpec &spec, const Mesh *mesh,
                    const std::vector<int64_t> &shape, int64_t rank);

/// Fills `shard` from the whole array.
void distribute(const TensorSpec &spec, const ShardView &view,
                const std::vector<int64_t> &shape, const void *whole,
                void *shard);

/// Writes an owner's shard into the whole array; `terms` are the local buffers
/// of view.terms.
void collect(const TensorSpec &spec, const ShardView &view,
             const std::vector<int64_t> &shape,
             const std::vector<const void *> &terms, void *whole);

/// The shape of the whole tensor of which rank r has a shard of shape
/// shapes[r]: dims of known extent as `spec` has them, the others as the shards
/// of all devices add up. Returns why no whole tensor has these shards, naming
/// the rank, or "".
std::string globalShapeOf(const TensorSpec &spec, const Mesh *mesh,
                          const std::vector<std::vector<int64_t>> &shapes,
                          std::vector<int64_t> &whole);

/// Which extents of whole arguments the function needs to be equal and are not,
/// as an error's text; empty if there are none.
std::string differingExtents(const FunctionSpec &function,
                             const std::vector<std::vector<int64_t>> &shapes);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_DISTRIBUTE_H
