//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks and devices of meshes.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/DevicePosition.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace shardir;

int64_t shardir::numRanks(MeshOp mesh) { return mesh.getMesh().numRanks(); }

int64_t shardir::numDevices(MeshOp mesh) { return mesh.getMesh().numDevices(); }

MeshOp shardir::largestMesh(ModuleOp module) {
  MeshOp largest;
  int64_t most = 1;
  for (auto mesh : module.getOps<MeshOp>())
    if (int64_t devices = numDevices(mesh); devices > most) {
      largest = mesh;
      most = devices;
    }
  return largest;
}

Value shardir::createDevicePosition(OpBuilder &builder, Location loc,
                                    MeshOp mesh) {
  Value position;
  for (const MeshAxis &axis : mesh.getMesh().axes) {
    Value coordinate =
        AxisIndexOp::create(builder, loc, builder.getIndexType(),
                            FlatSymbolRefAttr::get(mesh.getSymNameAttr()),
                            builder.getStringAttr(axis.name));
    if (position) {
      Value size =
          arith::ConstantIndexOp::create(builder, loc, axis.assumedSize());
      position = arith::MulIOp::create(builder, loc, position, size);
      coordinate = arith::AddIOp::create(builder, loc, position, coordinate);
    }
    position = coordinate;
  }
  return position;
}
