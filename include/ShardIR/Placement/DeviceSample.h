//===- DeviceSample.h - Devices that stand for all of a mesh ----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The largest of a figure over devices, without a visit to each. Along an axis
// that cuts a dim of L elements into n blocks, the coordinates form at most
// three classes: those of full blocks, of the short one, and of empty ones.
// Cuts nest, so that a minor axis has classes within the full and the short
// blocks of the axes that are major to it. Within one class of every axis the
// extents are equal, and offsets are affine in the coordinates.
//
// The part that two shards share is then a product of log-concave functions of
// affine terms, and so is least at a corner of the box that the classes span (a
// quasi-concave function has its minimum over a polytope at a vertex). So the
// first and the last coordinate of each class, combined over all axes, include
// a device that lacks most of its new shard. Where a strided shard or a halo
// has no such form, all coordinates of its axes are taken.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_DEVICESAMPLE_H
#define SHARDIR_PLACEMENT_DEVICESAMPLE_H

#include "ShardIR/Placement/Collectives.h"

#include <set>

namespace shardir {

/// Devices of one mesh among which one holds, and one receives, as much as any
/// device of the mesh does, for the placements and steps that were added.
class DeviceSample {
public:
  /// Where at most so many devices differ along the added axes, all are taken.
  static constexpr int64_t kFewDevices = 64;

  /// Sizes that are not known count as assumed.
  explicit DeviceSample(const Mesh &mesh, int64_t few = kFewDevices);
  /// All devices of a mesh.
  static DeviceSample allOf(const Mesh &mesh);

  void add(const Placement &placement, const std::vector<int64_t> &shape);
  /// Both placements, and the devices at both ends of a halo.
  void add(const CollectiveStep &step, const std::vector<int64_t> &shape);
  void add(const DimPlacement &dim, int64_t extent);
  void add(const AxisRef &axis);
  /// All coordinates along the mesh axes that these are of.
  void addAll(const std::vector<AxisRef> &refs);

  /// How many devices differ along the added axes.
  int64_t numDevices() const;
  /// For each axis of the mesh, the coordinates that are taken, in ascending
  /// order; 0 alone along an axis that was not added. All combinations are
  /// devices of the sample.
  std::vector<std::vector<int64_t>> coordinates() const;
  /// Positions on the mesh, in ascending order.
  std::vector<int64_t> positions() const;

private:
  /// The coordinates to take along one axis of the mesh.
  struct Axis {
    bool isUsed = false, takesAll = false;
    std::set<int64_t> ends;    ///< where its sub-axes begin and end
    std::set<int64_t> corners; ///< coordinates at the ends of classes
  };

  void addBlock(const std::vector<AxisRef> &run, int64_t block);
  void addCorner(const AxisRef &axis, int64_t coordinate);
  void addHalo(const DimPlacement &dim, const DimHalo &halo, int64_t extent);

  Mesh mesh;
  int64_t few;
  std::vector<Axis> axes;
};

/// For each device of `sample`, in the order of its positions: the bytes that
/// it receives in a chain of steps on one mesh.
std::vector<int64_t> bytesReceived(const std::vector<CollectiveStep> &steps,
                                   const Mesh &mesh,
                                   const std::vector<int64_t> &shape,
                                   int64_t elementBytes,
                                   const DeviceSample &sample);

} // namespace shardir

#endif // SHARDIR_PLACEMENT_DEVICESAMPLE_H
