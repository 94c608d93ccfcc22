//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Sets mesh axes of unknown size from `mesh="dp=2,m.tp=4"`.
// Guarantees that every name in the option exists and agrees with what is
// concrete already.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

namespace shardir {
#define GEN_PASS_DEF_SPECIALIZEMESH
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct SpecializeMeshPass
    : shardir::impl::SpecializeMeshBase<SpecializeMeshPass> {
  using SpecializeMeshBase::SpecializeMeshBase;

  void runOnOperation() override {
    if (StringRef(mesh).trim().empty())
      return markAllAnalysesPreserved();
    for (StringRef entry : llvm::split(StringRef(mesh), ',')) {
      entry = entry.trim();
      if (!entry.empty() && failed(apply(entry)))
        return signalPassFailure();
    }
  }

  /// Applies one `axis=size` or `mesh.axis=size`.
  LogicalResult apply(StringRef entry) {
    auto [target, number] = entry.split('=');
    StringRef meshName, axisName;
    std::tie(meshName, axisName) = target.trim().rsplit('.');
    if (axisName.empty())
      std::swap(meshName, axisName);
    int64_t size = 0;
    if (axisName.empty() || number.trim().getAsInteger(10, size) || size < 1)
      return getOperation().emitError()
             << "mesh option '" << entry
             << "' must be axis=size or mesh.axis=size with a size of at least "
                "1";
    bool found = false;
    std::vector<std::string> meshNames, axisNames;
    WalkResult result = getOperation().walk([&](MeshOp op) {
      meshNames.push_back(op.getSymName().str());
      if (!meshName.empty() && op.getSymName() != meshName)
        return WalkResult::advance();
      for (auto [i, attr] : llvm::enumerate(op.getAxisNames())) {
        axisNames.push_back(cast<StringAttr>(attr).str());
        if (axisNames.back() != axisName)
          continue;
        found = true;
        if (failed(setSize(op, i, size)))
          return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    if (found)
      return success();
    if (meshNames.empty())
      return getOperation().emitError()
             << "mesh option '" << entry
             << "' sets the size of an axis, and the program has no mesh; "
                "declare one, as in shardir.mesh @m <[\""
             << axisName << "\"=?]>";
    std::string nearest =
        meshName.empty() || llvm::is_contained(meshNames, meshName.str())
            ? didYouMean(axisName.str(), axisNames, "\"", "\"")
            : didYouMean(meshName.str(), meshNames, "mesh @", "");
    return getOperation().emitError()
           << "mesh option '" << entry << "' names axis \"" << axisName
           << "\", which no mesh" << (meshName.empty() ? "" : " of that name")
           << " has" << nearest;
  }

  LogicalResult setSize(MeshOp op, size_t axis, int64_t size) {
    SmallVector<int64_t> sizes(op.getAxisSizes()),
        assumed(op.getAssumedSizes());
    if (!ShapedType::isDynamic(sizes[axis]) && sizes[axis] != size)
      return op.emitError()
             << "axis \""
             << cast<StringAttr>(op.getAxisNames()[axis]).getValue()
             << "\" has size " << sizes[axis] << ", which the mesh option's "
             << size << " contradicts; only a size of ? can be set";
    sizes[axis] = assumed[axis] = size;
    op.setAxisSizes(sizes);
    op.setAssumedSizes(assumed);
    return op.verify();
  }
};

} // namespace
