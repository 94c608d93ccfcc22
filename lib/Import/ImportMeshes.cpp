//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds and makes meshes for imported annotations. Shardy's mesh without axes
// and devices is a placeholder: it becomes the program's other mesh, or one
// device. Guarantees that an op is made only for a mesh that something uses.
//
//===----------------------------------------------------------------------===//

#include "ImportMeshes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace shardir;

ImportMeshes::ImportMeshes(ModuleOp module) : module(module) {}

std::string shardir::textOf(Attribute attr) {
  if (auto string = dyn_cast<StringAttr>(attr))
    return string.getValue().str();
  if (auto opaque = dyn_cast<OpaqueAttr>(attr))
    return opaque.getAttrData().str();
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

LogicalResult ImportMeshes::collect() {
  std::string error;
  SmallVector<Operation *> ops;
  WalkResult result = module.walk([&](Operation *op) {
    if (op->getName().getStringRef() != "sdy.mesh")
      return WalkResult::advance();
    ops.push_back(op);
    auto name = dyn_cast_or_null<StringAttr>(op->getAttr("sym_name"));
    Attribute value = op->getAttr("mesh");
    if (!name || !value) {
      op->emitOpError("needs 'sym_name' and 'mesh'");
      return WalkResult::interrupt();
    }
    auto mesh = parseShardyMesh(textOf(value), error);
    if (!mesh) {
      op->emitOpError("cannot be read: ") << error;
      return WalkResult::interrupt();
    }
    declared.try_emplace(name.getValue().str(), Declared{op->getLoc(), *mesh});
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  // Their names are free for the meshes that are made.
  for (Operation *op : ops)
    op->erase();
  auto attributes =
      module->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes");
  auto text = attributes ? attributes.getAs<StringAttr>("xla.sdy.meshes")
                         : StringAttr();
  if (!text)
    return success();
  auto meshes = parseShardyMeshes(text.getValue(), error);
  if (!meshes)
    return module.emitError("cannot read 'xla.sdy.meshes': ") << error;
  for (const Mesh &mesh : *meshes)
    declared.try_emplace(mesh.name, Declared{module.getLoc(), mesh});
  return success();
}

StringAttr ImportMeshes::createNamed(Location loc, StringRef name, Mesh mesh) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  // Behind the meshes that are there, so that their order is that of use.
  for (MeshOp op : module.getOps<MeshOp>())
    builder.setInsertionPointAfter(op);
  mesh.name = name.str();
  auto op = MeshOp::create(builder, loc, mesh);
  if (failed(op.verify()))
    return {};
  return op.getSymNameAttr();
}

StringAttr ImportMeshes::create(Location loc, Mesh mesh) {
  std::string name = mesh.name.empty() ? "mesh" : mesh.name;
  for (int i = 1; SymbolTable::lookupSymbolIn(module, name); ++i)
    name = (mesh.name.empty() ? "mesh_" : mesh.name + "_") + std::to_string(i);
  return createNamed(loc, name, mesh);
}

std::vector<Mesh> ImportMeshes::all() {
  std::vector<Mesh> meshes;
  for (MeshOp op : module.getOps<MeshOp>())
    meshes.push_back(op.getMesh());
  return meshes;
}

StringAttr ImportMeshes::get(Location loc, const ShardySharding &sharding,
                             ArrayRef<std::string> axes) {
  if (sharding.inlinedMesh) {
    Mesh wanted = *sharding.inlinedMesh;
    for (Mesh mesh : all()) {
      StringAttr name = StringAttr::get(module.getContext(), mesh.name);
      mesh.name.clear();
      if (mesh == wanted)
        return name;
    }
    if (wanted.axes.empty())
      wanted.axes.push_back({"device", 1, 1, {}});
    return create(loc, wanted);
  }
  StringRef name = sharding.meshName;
  if (auto op = module.lookupSymbol<MeshOp>(name))
    return op.getSymNameAttr();
  auto found = declared.find(name);
  Mesh mesh;
  if (found != declared.end()) {
    mesh = found->second.mesh;
    loc = found->second.loc;
  } else {
    for (const std::string &axis : axes)
      mesh.axes.push_back({axis, kUnknown, 8, {}});
  }
  if (mesh.axes.empty() && mesh.devices.empty()) {
    for (MeshOp op : module.getOps<MeshOp>())
      return op.getSymNameAttr();
    for (const auto &[other, found] : declared)
      if (!found.mesh.axes.empty())
        return createNamed(found.loc, other, found.mesh);
  }
  // The one device of a maximal mesh, or what nothing says more about.
  if (mesh.axes.empty())
    mesh.axes.push_back({"device", 1, 1, {}});
  if (SymbolTable::lookupSymbolIn(module, name)) {
    emitError(loc) << "mesh @" << name << " has the name of another symbol";
    return {};
  }
  return createNamed(loc, name, mesh);
}
