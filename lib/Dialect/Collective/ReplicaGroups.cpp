//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replica groups from axes. Requires ops that verify.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/ReplicaGroups.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Placement/CrossMesh.h"

#include <map>

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

/// The groups of devices whose coordinates differ along `axes` alone; the first
/// axis is major.
static ReplicaGroups groupsAlong(ArrayRef<AxisRef> axes, const Mesh &mesh) {
  // Devices of one group are equal once their coordinates along the axes are
  // taken out.
  std::map<std::vector<int64_t>, std::map<int64_t, int64_t>> groups;
  for (int64_t p = 0, e = mesh.numDevices(); p < e; ++p) {
    std::vector<int64_t> rest = mesh.coordinates(p);
    int64_t place = 0;
    for (const AxisRef &axis : axes) {
      int64_t &coordinate = rest[mesh.axisIndex(axis.name)];
      int64_t size = axisSize(mesh, axis), minor = 1;
      // A sub-axis is the middle digit of [pre, size, minor].
      if (!axis.isWhole())
        minor = mesh.axes[mesh.axisIndex(axis.name)].size /
                (axis.preSize * axis.size);
      int64_t digit = coordinate / minor % size;
      coordinate -= digit * minor;
      place = place * size + digit;
    }
    groups[rest][place] = mesh.rankAt(p);
  }
  ReplicaGroups result;
  for (const auto &[rest, ranks] : groups) {
    result.emplace_back();
    for (const auto &[place, rank] : ranks)
      result.back().push_back(rank);
  }
  return result;
}

static FailureOr<ReplicaGroups> groupsOfStep(CollectiveOpInterface step) {
  MeshOp from = lookupMesh(step, step.getFrom().getMesh());
  MeshOp to = lookupMesh(step, step.getTo().getMesh());
  RankedTensorType global = step.getGlobalTensorType();
  if (!from || !to || !global || !from.getMesh().isConcrete() ||
      !to.getMesh().isConcrete())
    return failure();
  if (step.getKind() == CollectiveKind::Slice ||
      step.getKind() == CollectiveKind::MakePartial)
    return ReplicaGroups();
  Mesh mesh = from.getMesh();
  if (!(mesh == to.getMesh()))
    return ReplicaGroups{ranksOfEither(mesh, to.getMesh())};
  return groupsAlong(groupAxes(step.getStep(), mesh, shapeOf(global)), mesh);
}

FailureOr<ReplicaGroups> collective::getReplicaGroups(Operation *op) {
  if (auto step = dyn_cast<CollectiveOpInterface>(op))
    return groupsOfStep(step);
  auto name = op->getAttrOfType<FlatSymbolRefAttr>("mesh");
  auto list = op->getAttrOfType<ArrayAttr>("axes");
  if (!isa_and_present<CollectiveDialect>(op->getDialect()) || !name || !list)
    return failure();
  MeshOp mesh = lookupMesh(op, name);
  if (!mesh || !mesh.getMesh().isConcrete())
    return failure();
  SmallVector<AxisRef> axes;
  for (StringRef axis : list.getAsValueRange<StringAttr>())
    axes.push_back(*detail::readAxis(axis));
  return groupsAlong(axes, mesh.getMesh());
}
