//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Requires entries as shardir-bufferize leaves them and
// verified collectives; guarantees JSON that the runtime's reader accepts. The
// values here are those of the IR: nothing is decided.
//
//===----------------------------------------------------------------------===//

#include "Metadata.h"

#include "ShardIR/Report/Report.h"
#include "ShardIR/Runtime/Abi.h"

using namespace mlir;
using namespace shardir;
namespace json = llvm::json;

/// JSON strings are UTF-8; names in the IR are any bytes.
static std::string utf8(StringRef text) { return json::fixUTF8(text); }

static json::Array describeShape(ShapedType type) {
  json::Array shape;
  for (int64_t extent : type.getShape())
    shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return shape;
}

MetadataBuilder::MetadataBuilder(ModuleOp module)
    : module(module), meshes(module) {}

LogicalResult MetadataBuilder::verify() {
  for (MeshOp mesh : module.getOps<MeshOp>())
    for (const MeshAxis &axis : mesh.getMesh().axes)
      if (axis.size == kUnknown)
        return mesh.emitOpError("has axis \"")
               << axis.name << "\" of unknown size; give it with mesh=\""
               << axis.name << "=N\" to compile the program";
  return success();
}

int32_t MetadataBuilder::addStep(collective::CollectiveOpInterface op) {
  RankedTensorType type = op.getGlobalTensorType();
  std::vector<int64_t> shape = shapeOf(type);
  Placement from = op.getFrom().getValue(), to = op.getTo().getValue();
  Halo overlap = readHalo(op.getHaloAttr());
  Type element = splitComplex(type.getElementType(), shape, from, to, overlap);
  json::Array extents;
  for (int64_t extent : shape)
    extents.push_back(extent == kUnknown ? -1 : extent);
  json::Object entry{{"kind", stringifyCollectiveKind(op.getKind())},
                     {"mesh", utf8(op.getFrom().getMesh().getValue())},
                     {"from", toString(from)},
                     {"to", toString(to)},
                     {"shape", std::move(extents)},
                     {"element_type", elementTypeName(element)},
                     {"loc", utf8(describeLocation(op->getLoc()))}};
  if (op.getFrom().getMesh() != op.getTo().getMesh())
    entry["to_mesh"] = utf8(op.getTo().getMesh().getValue());
  if (op.getHaloAttr()) {
    json::Array halo;
    for (const DimHalo &own : overlap)
      halo.push_back(json::Array(numbersOf(own)));
    entry["halo"] = std::move(halo);
  }
  collectives.push_back(std::move(entry));
  return int32_t(collectives.size() - 1);
}

int32_t MetadataBuilder::addRooted(Operation *op, StringRef kind,
                                   FlatSymbolRefAttr mesh, ArrayAttr axes,
                                   Type elementType) {
  json::Array names;
  for (Attribute axis : axes)
    names.push_back(utf8(cast<StringAttr>(axis).getValue()));
  collectives.push_back(
      json::Object{{"kind", kind},
                   {"mesh", utf8(mesh.getValue())},
                   {"axes", std::move(names)},
                   {"element_type", elementTypeName(elementType)},
                   {"loc", utf8(describeLocation(op->getLoc()))}});
  return int32_t(collectives.size() - 1);
}

int64_t MetadataBuilder::numRanks() const {
  int64_t ranks = 1;
  for (const Mesh &mesh : meshes.all())
    ranks = std::max(ranks, mesh.numRanks());
  return ranks;
}

/// An expression of `shardir.extents`: a number, or a list.
static json::Value describeExtent(Attribute extent) {
  if (auto number = dyn_cast<IntegerAttr>(extent))
    return number.getInt();
  if (auto name = dyn_cast<StringAttr>(extent))
    return utf8(name.getValue());
  auto list = dyn_cast<ArrayAttr>(extent);
  if (!list)
    return nullptr;
  json::Array parts;
  for (Attribute part : list)
    parts.push_back(describeExtent(part));
  return parts;
}

json::Object MetadataBuilder::describeValue(func::FuncOp entry,
                                            unsigned argument) {
  auto global = cast<RankedTensorType>(
      entry.getArgAttrOfType<TypeAttr>(argument, ShardIRDialect::kGlobalType)
          .getValue());
  std::string mesh, placement;
  if (auto attr = entry.getArgAttrOfType<PlacementAttr>(
          argument, ShardIRDialect::kPlacement)) {
    mesh = attr.getMesh().getValue().str();
    placement = toString(attr.getValue().closed());
  } else {
    // A tensor without a placement is replicated: say so on a mesh of all
    // devices, if there is one.
    for (const Mesh &candidate : meshes.all())
      if (mesh.empty() && candidate.numDevices() == numRanks()) {
        mesh = candidate.name;
        placement = toString(Placement::replicatedOfRank(global.getRank()));
      }
  }
  json::Object value{{"shape", describeShape(global)},
                     {"element_type", elementTypeName(global.getElementType())},
                     {"mesh", utf8(mesh)},
                     {"placement", placement}};
  if (auto name =
          entry.getArgAttrOfType<StringAttr>(argument, ShardIRDialect::kName))
    value["name"] = utf8(name.getValue());
  if (auto inPlace = entry.getArgAttrOfType<IntegerAttr>(
          argument, ShardIRDialect::kInPlace))
    value["in_place"] = inPlace.getInt();
  if (auto extents =
          entry.getArgAttrOfType<ArrayAttr>(argument, ShardIRDialect::kExtents))
    value["extents"] = describeExtent(extents);
  return value;
}

void MetadataBuilder::addFunction(func::FuncOp entry, StringRef name,
                                  StringRef symbol,
                                  std::optional<std::string> unshardedSymbol,
                                  bool isStatic) {
  json::Array arguments, results;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    (entry.getArgAttr(i, ShardIRDialect::kResult) ? results : arguments)
        .push_back(describeValue(entry, i));
  json::Object function{{"name", utf8(name)},
                        {"symbol", utf8(symbol)},
                        {"arguments", std::move(arguments)},
                        {"results", std::move(results)}};
  if (unshardedSymbol)
    function["unsharded_symbol"] = utf8(*unshardedSymbol);
  if (isStatic)
    function["static_collectives"] = true;
  functions.push_back(std::move(function));
}

std::string MetadataBuilder::finish(StringRef hash, json::Value report,
                                    json::Value gpu) {
  json::Array table;
  for (const Mesh &mesh : meshes.all()) {
    json::Array axes, devices;
    for (const MeshAxis &axis : mesh.axes)
      axes.push_back(json::Object{{"name", axis.name}, {"size", axis.size}});
    for (int64_t device : mesh.devices)
      devices.push_back(device);
    table.push_back(json::Object{{"name", utf8(mesh.name)},
                                 {"axes", std::move(axes)},
                                 {"devices", std::move(devices)}});
  }
  json::Object root{{"abi", SHARDIR_ABI_VERSION},
                    {"hash", utf8(hash)},
                    {"ranks", numRanks()},
                    {"meshes", std::move(table)},
                    {"functions", std::move(functions)},
                    {"collectives", std::move(collectives)},
                    {"report", std::move(report)}};
  if (json::Object *table = gpu.getAsObject(); table && !table->empty())
    root["gpu"] = std::move(gpu);
  return llvm::formatv("{0}", json::Value(std::move(root)));
}
