//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: propagated. Follows numbers from where they are read to all ops that
// they reach, through regions and what regions carry. A rank that runs such an
// op, or takes such a branch, must have the number; on the others it would be
// zero. Requires placements on every value; changes nothing.
//
//===----------------------------------------------------------------------===//

#include "ScalarMeshes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace shardir;

static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

namespace {

/// The meshes on which numbers are used, by index.
class ScalarUses {
public:
  explicit ScalarUses(const MeshTable &meshes) : meshes(meshes) {}

  std::set<int> find(Operation *op) {
    add(op->getResults());
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      for (Operation *user : value.getUsers())
        visit(user);
    }
    return std::move(used);
  }

private:
  void add(ValueRange values) {
    for (Value value : values)
      if (!isTensor(value.getType()) && seen.insert(value))
        worklist.push_back(value);
  }
  void addMeshesOf(ValueRange values) {
    for (Value value : values)
      if (PlacementAttr placement =
              isTensor(value.getType()) ? getPlacement(value) : nullptr)
        used.insert(meshes.indexOf(placement.getMesh().getValue()));
  }
  void addMeshesWithin(Operation *op) {
    op->walk([&](Operation *inner) {
      addMeshesOf(inner->getResults());
      addMeshesOf(inner->getOperands());
    });
  }
  void visit(Operation *user) {
    if (isa<func::ReturnOp>(user)) {
      for (int mesh = 0, e = meshes.all().size(); mesh < e; ++mesh)
        used.insert(mesh);
      return;
    }
    // All ranks that take part run the same ops, equally often.
    addMeshesWithin(user);
    add(user->getResults());
    for (Region &region : user->getRegions())
      for (Block &block : region)
        add(block.getArguments());
    if (!user->hasTrait<OpTrait::IsTerminator>())
      return;
    Operation *parent = user->getParentOp();
    addMeshesWithin(parent);
    add(parent->getResults());
    for (Region &region : parent->getRegions())
      for (Block &block : region)
        add(block.getArguments());
  }

  const MeshTable &meshes;
  llvm::SetVector<Value> seen;
  SmallVector<Value> worklist;
  std::set<int> used;
};

} // namespace

FailureOr<const Mesh *> shardir::findMeshForScalars(Operation *op,
                                                    const MeshTable &meshes) {
  // Sizes are the whole tensor's, and known everywhere.
  if (meshes.all().size() < 2 || op->getNumRegions() ||
      op->getNumResults() == 0 || isa<tensor::DimOp, tensor::RankOp>(op) ||
      llvm::any_of(op->getResultTypes(), isTensor))
    return nullptr;
  PlacementAttr present;
  for (Value operand : op->getOperands())
    if (isTensor(operand.getType()) && !present)
      present = getPlacement(operand);
  if (!present)
    return nullptr;
  const Mesh &own = meshes.get(present);
  std::set<int> used = ScalarUses(meshes).find(op);
  used.erase(meshes.indexOf(own.name));
  if (used.empty())
    return &own;
  // Of a mesh whose size is not known all that is known is that it has its own.
  bool known = llvm::all_of(meshes.all(),
                            [](const Mesh &mesh) { return mesh.isConcrete(); });
  std::set<int64_t> needed = known ? own.ranks() : std::set<int64_t>();
  if (known)
    for (int mesh : used)
      needed.merge(meshes.all()[mesh].ranks());
  auto hasAll = [&](const Mesh &mesh) {
    std::set<int64_t> ranks = mesh.ranks();
    return std::includes(ranks.begin(), ranks.end(), needed.begin(),
                         needed.end());
  };
  const Mesh *best = nullptr;
  for (const Mesh &mesh : meshes.all())
    if (known && hasAll(mesh) &&
        (!best || mesh.numDevices() < best->numDevices() || &mesh == &own))
      best = &mesh;
  if (best)
    return best;
  InFlightDiagnostic diag = op->emitOpError("reads a number on mesh @")
                            << own.name << " that is used on mesh @"
                            << meshes.all()[*used.begin()].name << " as well, ";
  if (known)
    diag << "and no mesh names the ranks of both; declare one that names all";
  else
    diag << "and it is not known whether one has the ranks of both; set all "
            "sizes with mesh=\"...\"";
  return diag;
}
