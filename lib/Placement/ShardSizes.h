//===- ShardSizes.h - What devices hold and share, in tables ----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Placement. Requires a concrete mesh and shape, and dimensions
// that verify.
// Guarantees, per dimension, tables over the devices of a sample
// (DeviceSample.h), which are all that differ along a used axis where these are
// few: how much of the dimension a placement of it leaves on each, and how
// much two placements share. A shard is a product over dimensions, so that the
// elements of any step follow from the tables by multiplication; no pieces are
// made. A table is made once per distinct placement (or pair of them) of one
// dimension, from as many cuts as there are coordinates along its own axes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PLACEMENT_SHARDSIZES_H
#define SHARDIR_LIB_PLACEMENT_SHARDSIZES_H

#include "ShardIR/Placement/DeviceSample.h"
#include "Steps.h"

#include <deque>
#include <memory>
#include <unordered_map>

namespace shardir::detail {

class ShardSizes {
public:
  using Table = std::vector<int64_t>; ///< per device of the sample

  /// For placements that use at most the axes that were added to `sample`.
  ShardSizes(const Mesh &mesh, const std::vector<int64_t> &shape,
             const DeviceSample &sample);

  /// How many devices differ along a used axis.
  size_t numDevices() const { return devices; }
  /// How many of these are in the sample.
  size_t sampleSize() const { return sampled; }
  /// Coordinates along all mesh axes of one in the sample; 0 along unused ones.
  std::vector<int64_t> coordinates(size_t device) const;

  /// The one that a device of the mesh has all used coordinates of. Requires a
  /// sample of all devices.
  size_t deviceAt(const std::vector<int64_t> &meshCoordinates) const;

  /// The number of a placement of dimension `d`.
  int option(size_t d, const DimPlacement &dim);
  const DimPlacement &dimOf(size_t d, int option) const {
    return dims[d].options[static_cast<size_t>(option)].dim;
  }
  /// The indices of dimension `d` on each device.
  const Table &extents(size_t d, int option) const {
    return dims[d].options[static_cast<size_t>(option)].extents;
  }
  /// The indices that two placements both give a device.
  const Table &shared(size_t d, int a, int b);
  /// True if every device's shard by `inner` is a subset of that by `outer`.
  bool contains(size_t d, int outer, int inner);
  /// True if every device's shard by `inner` is some device's shard by `outer`.
  bool permutes(size_t d, int outer, int inner);
  /// For each device, how many shards by `from` share something with its shard
  /// by `to`; at most so many where there are too many to look at.
  const Table &meeting(size_t d, int from, int to);
  /// For each device, the indices that its shard by `from` shares with the
  /// shards by `to` of all coordinates along `varied` and its own along others;
  /// at most so many where there are too many to look at.
  Table sharedByAny(size_t d, int from, int to,
                    const std::vector<AxisRef> &varied);

private:
  /// The shard at one coordinate along the axes of an option.
  struct Cut {
    int64_t begin = 0, extent = 0;
    std::vector<Digit> digits; ///< empty: the indices [begin, begin + extent)
  };
  /// An axis's coordinate: that along mesh axis `axis` / weight % size.
  struct AxisDigit {
    size_t axis;
    int64_t weight, size;
  };
  struct Option {
    DimPlacement dim;
    std::vector<SymbolicDigit> digits;
    std::vector<AxisRef> axes;         ///< of `digits`
    std::vector<AxisDigit> axisDigits; ///< of `axes`
    std::vector<Cut> cuts;       ///< one per sampled coordinate along its axes
    std::vector<uint32_t> cutOf; ///< per device
    Table extents;
    std::unordered_map<int64_t, Cut> others; ///< of any devices, by placeOf
  };
  struct Dim {
    std::deque<Option> options;
    std::unordered_map<uint64_t, Table> shared, meeting;
    std::unordered_map<uint64_t, bool> contains;
  };

  int64_t sharedBy(size_t d, const Cut &a, const Cut &b) const;
  static int64_t placeOf(const Option &option, const std::vector<int64_t> &at);
  Cut cutOf(const Option &option, const std::vector<int64_t> &at) const;
  void numberCuts(Option &option) const;
  std::vector<Cut> allCuts(const Option &option) const;

  const Mesh &mesh;
  const std::vector<int64_t> &shape;
  size_t devices, sampled = 1;
  std::vector<std::vector<int64_t>> values; ///< sampled along each mesh axis
  std::vector<int64_t> strides; ///< of a coordinate, in devices; 0 if unused
  std::vector<Dim> dims;
};

} // namespace shardir::detail

#endif // SHARDIR_LIB_PLACEMENT_SHARDSIZES_H
