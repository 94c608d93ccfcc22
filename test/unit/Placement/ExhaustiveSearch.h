//===- ExhaustiveSearch.h - The least bytes of a plan -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uniform-cost search over all placements of a small tensor on a small mesh,
// strided ones and sub-axes included, which knows nothing of the planner: it
// sees a placement as one set of indices per device and dimension. Its states
// are such placements and the sums pending there; its edges are the standard
// steps:
//
//   move            to any placement with the same sums pending. A device
//   receives
//                   what it will hold and does not: so count slice, all_gather,
//                   all_to_all, permute and exchange alike.
//   reduce_scatter  over any part of the pending sums, to any placement of
//   which
//                   every shard lies within the old one: (n-1) x own result.
//   all_reduce      over any part of the pending sums: 2(n-1) x ceil(count/n).
//   make_partial    over axes of which the destination alone is partial, to any
//                   placement of which the devices along these axes together
//                   hold every shard: nothing.
//
// No state holds more on a device than the larger of source and destination
// (rule D2). A plan costs the largest over devices of what the device receives
// in all, so that a state keeps every sum per device that no other is below.
// Two moves in a row are never looked at: what the last placement holds and the
// first does not is part of what the two moves received, on each device.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_PLACEMENT_EXHAUSTIVESEARCH_H
#define SHARDIR_TEST_UNIT_PLACEMENT_EXHAUSTIVESEARCH_H

#include "Support.h"

#include <map>
#include <set>

namespace shardir::test {

class ExhaustiveSearch {
public:
  /// Over all placements of `shape` (dims up to 64) by the axes and sub-axes in
  /// `axes`, which have a common refinement, with every integer factor if
  /// `strided`.
  ExhaustiveSearch(const Mesh &mesh, const Shape &shape,
                   const std::vector<AxisRef> &axes, bool strided);

  /// The least elements that a plan from `src` to each of `dsts` receives.
  std::vector<int64_t> leastElements(const Placement &src,
                                     const std::vector<Placement> &dsts);

  size_t numPlacements() const { return nodes.size(); }

private:
  using Counts = std::vector<int32_t>; ///< per device
  struct DimOption {
    std::vector<uint64_t> held; ///< per device, the indices it holds
    uint32_t atoms = 0;         ///< the parts of axes that split it
  };
  struct Node {
    std::vector<int> options; ///< per dim
    uint32_t atoms = 0;
    Counts count;
    int32_t most = 0;
  };
  using Labels = std::vector<std::vector<Counts>>; ///< per node

  uint32_t atomsOf(const AxisRef &axis) const;
  int64_t sizeOf(uint32_t atoms) const;
  int optionOf(size_t d, const DimPlacement &dim);
  int nodeOf(const Placement &placement);
  int addNode(const std::vector<int> &options);
  bool within(int inner, int outer) const;
  bool makesPartial(int from, int to, uint32_t made);
  size_t groupOf(size_t device, uint32_t varied) const;
  void received(int from, int to, Counts &counts) const;
  std::map<uint32_t, Labels> search(int src, uint32_t pending, uint32_t all,
                                    int32_t bound);

  const Mesh mesh;
  const Shape shape;
  std::vector<AxisRef> atoms;
  std::vector<std::vector<DimOption>> options; ///< per dim
  /// Per dim: indices that two options share, [(i * n + j) * devices + p].
  std::vector<std::vector<int32_t>> shared;
  /// By what is made partial, per dim: [i * n + j] tells whether devices hold
  /// together by i what each shall hold by j.
  std::map<uint32_t, std::vector<std::vector<char>>> covering;
  std::vector<Node> nodes;
  std::map<std::vector<int>, int> nodeIndex;
  size_t devices;
};

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_PLACEMENT_EXHAUSTIVESEARCH_H
