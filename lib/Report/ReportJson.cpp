//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report as JSON (docs/Report.md).
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Report/Report.h"

#include "ShardIR/Report/JsonAttributes.h"

using namespace mlir;
using namespace shardir;
namespace json = llvm::json;

static std::string utf8(StringRef text) { return json::fixUTF8(text); }

template <typename T> static std::string textOf(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// Sets `key` to the figure: a formula, with the number under `assumed`, where
/// it depends on unknown sizes.
static void setBytes(json::Object &entry, StringRef key,
                     const ReportedBytes &figure) {
  entry[key] = figure.bytes;
  if (!figure.isAssumed)
    return;
  if (!entry.getObject("assumed"))
    entry["assumed"] = json::Object();
  (*entry.getObject("assumed"))[key] = figure.bytes;
  if (!figure.formula.empty())
    entry[key] = figure.formula;
}

static json::Object jsonOf(const Mesh &mesh) {
  json::Object axes;
  json::Array order;
  for (const MeshAxis &axis : mesh.axes) {
    order.push_back(axis.name);
    if (axis.size == kUnknown)
      axes[axis.name] = "?" + std::to_string(axis.assumed);
    else
      axes[axis.name] = axis.size;
  }
  json::Object entry{{"axes", std::move(axes)}, {"order", std::move(order)}};
  if (!mesh.devices.empty())
    entry["devices"] = json::Array(mesh.devices);
  return entry;
}

/// The provenance, with the names that arguments have in files.
static std::string decidedBy(const ReportedValue &value) {
  std::string text;
  if (!value.provenance)
    return text;
  for (auto each : value.provenance.getAsRange<ProvenanceAttr>()) {
    std::string one = each.describe();
    if (each.getKind() == ProvenanceKind::Argument) {
      auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          value.function, each.getName());
      auto name = function ? function.getArgAttrOfType<StringAttr>(
                                 each.getIndex(), ShardIRDialect::kName)
                           : StringAttr();
      if (name)
        one.insert(one.find('@') + 1 + each.getName().getValue().size(),
                   " (\"" + name.str() + "\")");
    }
    text += (text.empty() ? "" : "; ") + one;
  }
  return text;
}

static json::Object jsonOf(const ReportedValue &value) {
  json::Object entry{
      {"name", utf8(value.name)},
      {"function", utf8(func::FuncOp(value.function).getSymName())},
      {"loc", utf8(describeLocation(value.value.getLoc()))},
      {"op", value.op},
      {"type", textOf(value.type)},
      {"placement", textOf(value.placement)},
      {"decided_by", utf8(decidedBy(value))}};
  setBytes(entry, "local_bytes", value.localBytes);
  if (!value.notSharded.empty())
    entry["not_sharded"] = utf8(value.notSharded);
  entry["operands"] = json::Array(value.operands);
  if (value.aliveBytes)
    entry["alive_bytes"] = *value.aliveBytes;
  return entry;
}

/// The users, and the alternatives where placements competed.
static void addProvenance(const ReportedCollective &collective,
                          json::Object &entry) {
  json::Array users;
  for (const RedistributionUser &user : collective.users)
    users.push_back(json::Object{{"op", utf8(user.name)},
                                 {"loc", utf8(describeLocation(user.loc))}});
  entry["users"] = std::move(users);
  const Alternatives &compared = collective.alternatives;
  if (compared.all.empty())
    return;
  json::Array list;
  for (const Alternative &each : compared.all) {
    json::Object one{{"placement", utf8(each.placement)},
                     {"bytes", each.bytes},
                     {"chosen", each.isChosen}};
    if (each.seconds)
      one["seconds"] = *each.seconds;
    list.push_back(std::move(one));
  }
  entry["alternatives"] = std::move(list);
  entry["choice"] = utf8(describeChoice(compared));
  entry["alternatives_of"] =
      json::Object{{"op", utf8(compared.name)}, {"loc", utf8(compared.loc)}};
}

json::Object shardir::toJson(const ReportedCollective &collective) {
  json::Array axes;
  for (const AxisRef &axis : collective.axes)
    axes.push_back(toReportString(axis));
  Operation *op = collective.op;
  json::Object entry{
      {"kind", stringifyCollectiveKind(collective.step.kind)},
      {"axes", std::move(axes)},
      {"mesh", collective.mesh},
      {"group_size", collective.groupSize},
      {"element_type", elementTypeName(collective.type)},
      {"contiguous", collective.packed.bytes == 0},
      {"executions", collective.executions ? json::Value(*collective.executions)
                                           : json::Value(nullptr)},
      {"function", utf8(op->getParentOfType<func::FuncOp>().getSymName())},
      {"loc", utf8(describeLocation(op->getLoc()))},
      {"reason", utf8(collective.reason)}};
  // A front end's name of what is computed there: a module of the model.
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    entry["name"] = utf8(name.getName());
  setBytes(entry, "bytes_per_device", collective.received);
  setBytes(entry, "operand_bytes", collective.operand);
  setBytes(entry, "result_bytes", collective.result);
  setBytes(entry, "packed_bytes", collective.packed);
  if (collective.bucket)
    entry["bucket"] = *collective.bucket;
  if (!collective.toMesh.empty())
    entry["to_mesh"] = collective.toMesh;
  if (!collective.step.halo.empty()) {
    json::Array halo;
    for (const DimHalo &own : collective.step.halo)
      halo.push_back(json::Array(numbersOf(own)));
    entry["halo"] = std::move(halo);
  }
  addProvenance(collective, entry);
  return entry;
}

json::Object shardir::toJson(const StepTime &time) {
  json::Object object{{"seconds", time.seconds},
                      {"compute_seconds", time.compute},
                      {"communication_seconds", time.communication},
                      {"exposed_seconds", time.seconds - time.compute}};
  if (time.hostCopies > 0)
    object["host_copy_seconds"] = time.hostCopies;
  return object;
}

json::Object shardir::toJson(const ProgramReport &report) {
  json::Object meshes;
  for (const Mesh &mesh : report.meshes)
    meshes[mesh.name] = jsonOf(mesh);
  json::Array values, collectives;
  for (const ReportedValue &value : report.values)
    values.push_back(jsonOf(value));
  for (const ReportedCollective &collective : report.collectives)
    collectives.push_back(toJson(collective));
  json::Object all{{"version", 1},
                   {"layout_saved_bytes", report.layoutSavedBytes},
                   {"meshes", std::move(meshes)},
                   {"values", std::move(values)},
                   {"collectives", std::move(collectives)}};
  setBytes(all, "bytes_per_device", report.received);
  if (report.peak)
    setBytes(all, "peak_bytes_per_device", *report.peak);
  else
    all["peak_bytes_per_device"] = nullptr;
  if (report.hostBytes > 0)
    all["host_bytes_per_device"] = report.hostBytes;
  if (report.isLowerBound)
    all["lower_bound"] = true;
  if (!report.fittedAxes.empty()) {
    json::Object fitted{{"axes", json::Array(report.fittedAxes)}};
    if (report.peakUnfitted)
      fitted["peak_bytes_per_device_without"] = *report.peakUnfitted;
    all["fitted_states"] = std::move(fitted);
  }
  if (report.recomputed)
    all["recomputed"] = toJson(Attribute(report.recomputed));
  if (report.offloaded)
    all["offloaded"] = toJson(Attribute(report.offloaded));
  if (report.beside > 0)
    all["transfers_beside_work"] = report.beside;
  if (report.predicted)
    all["predicted"] = toJson(*report.predicted);
  return all;
}
