//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: collective to local. What ranks outside of a mesh get for its values
// are tensors of the first device's extents without content; collectives on a
// mesh return at once there. Ops whose extents are known only at run time stay
// outside of guards: what they would be elsewhere cannot be said.
//
//===----------------------------------------------------------------------===//

#include "MeshGuard.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Interfaces/ShardableRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shardir;

MeshGuard::MeshGuard(func::FuncOp function, Block &whole, Block &local,
                     const MeshTable &meshes, Localizer &localizer,
                     IRMapping &mapping)
    : function(function), whole(whole), local(local), meshes(meshes),
      localizer(localizer), mapping(mapping) {
  for (const Mesh &mesh : meshes.all())
    numRanks = std::max(numRanks, mesh.numRanks());
}

int MeshGuard::guardedMesh(Operation *op) const {
  if (isa_and_present<collective::CollectiveDialect>(op->getDialect()) ||
      isa<tensor::DimOp>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
      asShardableRegion(op)) // its blocks have guards of their own
    return -1;
  PlacementAttr placement;
  for (Value result : op->getResults()) {
    auto tensor = dyn_cast<RankedTensorType>(result.getType());
    if (tensor ? !tensor.hasStaticShape()
               : !result.getType().isIntOrIndexOrFloat())
      return -1;
    if (tensor && !placement)
      placement = localizer.global(result).placement;
  }
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) && !placement)
      placement = localizer.global(operand).placement;
  if (!placement || meshes.get(placement).numDevices() == numRanks)
    return -1;
  return meshes.indexOf(placement.getMesh().getValue());
}

bool MeshGuard::usesGuarded(Operation *op) const {
  bool uses = false;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      uses |= llvm::is_contained(guarded, operand.getDefiningOp());
  });
  return uses;
}

void MeshGuard::enter(Operation *op, OpBuilder &builder) {
  int mesh = guardedMesh(op);
  if (guard && mesh != guardMesh) {
    // Constants and arithmetic on indices need not end the guard.
    bool passes =
        mesh < 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
        isMemoryEffectFree(op) && !usesGuarded(op) && !asShardableRegion(op) &&
        !isa_and_present<collective::CollectiveDialect>(op->getDialect());
    if (passes) {
      builder.setInsertionPoint(guard);
      return;
    }
    close(builder);
  }
  builder.setInsertionPointToEnd(&local);
  if (mesh < 0)
    return;
  if (!guard)
    open(mesh, op, builder);
  builder.setInsertionPoint(guard.thenYield());
  guarded.push_back(op);
}

/// A rank is a coordinate along the one axis of a mesh that names all of them
/// in order.
static StringAttr findOrCreateRankMesh(func::FuncOp function, int64_t ranks,
                                       const MeshTable &meshes) {
  OpBuilder builder(function);
  for (const Mesh &mesh : meshes.all())
    if (mesh.axes.size() == 1 && mesh.devices.empty() &&
        mesh.numDevices() == ranks)
      return builder.getStringAttr(mesh.name);
  auto module = function->getParentOfType<ModuleOp>();
  for (auto mesh : module.getOps<MeshOp>()) // an earlier function's
    if (mesh.getMesh().axes.size() == 1 && !mesh.getDevices() &&
        mesh.getMesh().numDevices() == ranks)
      return mesh.getSymNameAttr();
  builder.setInsertionPointToStart(module.getBody());
  auto mesh = MeshOp::create(builder, function.getLoc(),
                             Mesh{"ranks", {{"rank", ranks}}, {}});
  SymbolTable symbols(module);
  mesh->remove();
  return symbols.insert(mesh, module.getBody()->begin());
}

Value MeshGuard::isMember(OpBuilder &builder, Location loc, const Mesh &mesh) {
  if (!rankMesh)
    rankMesh = findOrCreateRankMesh(function, numRanks, meshes);
  auto module = function->getParentOfType<ModuleOp>();
  auto meshOp = SymbolTable(module).lookup<MeshOp>(rankMesh);
  Value rank = AxisIndexOp::create(builder, loc, builder.getIndexType(),
                                   FlatSymbolRefAttr::get(rankMesh),
                                   cast<StringAttr>(meshOp.getAxisNames()[0]));
  std::vector<int64_t> members;
  for (int64_t p = 0, e = mesh.numDevices(); p < e; ++p)
    members.push_back(mesh.rankAt(p));
  llvm::sort(members);
  Value any;
  for (size_t i = 0; i < members.size();) {
    size_t end = i + 1;
    while (end < members.size() && members[end] == members[end - 1] + 1)
      ++end;
    auto compare = [&](arith::CmpIPredicate predicate, int64_t with) -> Value {
      return arith::CmpIOp::create(
          builder, loc, predicate, rank,
          arith::ConstantIndexOp::create(builder, loc, with));
    };
    Value within = compare(arith::CmpIPredicate::ult, members[end - 1] + 1);
    if (members[i] > 0)
      within = arith::AndIOp::create(
          builder, loc, within, compare(arith::CmpIPredicate::uge, members[i]));
    any = any ? arith::OrIOp::create(builder, loc, any, within).getResult()
              : within;
    i = end;
  }
  return any;
}

void MeshGuard::open(int mesh, Operation *op, OpBuilder &builder) {
  guardMesh = mesh;
  Value member = isMember(builder, op->getLoc(), meshes.all()[mesh]);
  guard = scf::IfOp::create(builder, op->getLoc(), member,
                            /*withElse=*/false);
}

void MeshGuard::close(OpBuilder &builder) {
  SmallVector<Value> used;
  llvm::SmallPtrSet<Operation *, 16> inside(guarded.begin(), guarded.end());
  for (Operation *op : guarded)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !inside.contains(whole.findAncestorOpInBlock(*user));
          }))
        used.push_back(result);
  SmallVector<Type> types;
  SmallVector<Value> locals;
  for (Value value : used) {
    locals.push_back(mapping.lookup(value));
    types.push_back(locals.back().getType());
  }
  Location loc = guard.getLoc();
  builder.setInsertionPoint(guard);
  auto full = scf::IfOp::create(builder, loc, types, guard.getCondition(),
                                /*withElseRegion=*/!used.empty());
  Block *from = guard.thenBlock(), *to = &full.getThenRegion().front();
  guard.thenYield().erase();
  if (!to->empty())
    to->back().erase();
  to->getOperations().splice(to->end(), from->getOperations());
  builder.setInsertionPointToEnd(to);
  scf::YieldOp::create(builder, loc, locals);
  if (!used.empty()) {
    builder.setInsertionPointToEnd(&full.getElseRegion().front());
    SmallVector<Value> none;
    for (auto [value, type] : llvm::zip(used, types)) {
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        none.push_back(tensor::EmptyOp::create(
            builder, loc, tensor,
            localizer.dynamicSizes(builder, loc, localizer.global(value))));
      else
        none.push_back(
            arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
    }
    scf::YieldOp::create(builder, loc, none);
  }
  for (auto [value, result] : llvm::zip(used, full.getResults()))
    mapping.map(value, result);
  guard.erase();
  guard = nullptr;
  guardMesh = -1;
  guarded.clear();
}
