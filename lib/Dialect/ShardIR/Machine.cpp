//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine has three forms with the same keys: a table here, a file in JSON,
// an attribute. The table's figures are NVIDIA's data sheets for the SXM boards
// (dense rates; of NVLink's sum over both directions the half) with one network
// port of 200 (A100) or 400 Gbit/s per GPU, and 16 lanes of PCIe 4.0 (A100) or
// 5.0 to the host, one direction.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Placement/NearestName.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace shardir;

namespace {

/// One number of a machine, and where it is.
struct Field {
  StringRef group, key; ///< `group` empty: a key of the machine itself
  double (*get)(const Machine &);
  void (*set)(Machine &, double);
  bool isInteger = false;
};

#define FIELD(group, key, member, isInteger)                                   \
  Field {                                                                      \
    group, key, [](const Machine &m) { return double(m.member); },             \
        [](Machine &m, double value) {                                         \
          m.member = decltype(m.member)(value);                                \
        },                                                                     \
        isInteger                                                              \
  }
const Field kFields[] = {
    FIELD("flops", "f64", rates.flops64, false),
    FIELD("flops", "f32", rates.flops32, false),
    FIELD("flops", "bf16", rates.flops16, false),
    FIELD("flops", "f8", rates.flops8, false),
    FIELD("", "memory", memory, true),
    FIELD("", "memory_bandwidth", rates.memoryBandwidth, false),
    FIELD("", "devices_per_node", devicesPerNode, true),
    FIELD("node", "bandwidth", node.bandwidth, false),
    FIELD("node", "latency", node.latency, false),
    FIELD("network", "bandwidth", network.bandwidth, false),
    FIELD("network", "latency", network.latency, false),
    FIELD("host", "bandwidth", host.bandwidth, false),
    FIELD("host", "latency", host.latency, false),
};
#undef FIELD

struct Named {
  StringRef name, arch;
  Machine machine;
};

// f8, bf16, f32, f64, bytes/s; memory, devices; node, network, host
const Named kMachines[] = {
    {"a100x8",
     "sm_80",
     {{0, 312e12, 19.5e12, 9.7e12, 2.039e12},
      int64_t(80e9),
      8,
      {300e9, 3e-6},
      {25e9, 1e-5},
      {32e9, 1e-5}}},
    {"h100x8",
     "sm_90a",
     {{1979e12, 989e12, 67e12, 34e12, 3.35e12},
      int64_t(80e9),
      8,
      {450e9, 3e-6},
      {50e9, 1e-5},
      {64e9, 1e-5}}},
    {"h200x8",
     "",
     {{1979e12, 989e12, 67e12, 34e12, 4.8e12},
      int64_t(141e9),
      8,
      {450e9, 3e-6},
      {50e9, 1e-5},
      {64e9, 1e-5}}},
    {"b200x8",
     "sm_100a",
     {{4500e12, 2250e12, 75e12, 37e12, 8e12},
      int64_t(180e9),
      8,
      {900e9, 3e-6},
      {50e9, 1e-5},
      {64e9, 1e-5}}},
};

const Field *findField(StringRef group, StringRef key) {
  return llvm::find_if(kFields, [&](const Field &field) {
    return field.group == group && field.key == key;
  });
}

/// Sets one number; `path` names it in messages.
bool setField(Machine &machine, StringRef group, StringRef key, double value,
              std::string &error) {
  std::string path = (group.empty() ? key : group + "." + key).str();
  const Field *field = findField(group, key);
  if (field == std::end(kFields)) {
    std::vector<std::string> names;
    for (const Field &known : kFields)
      names.push_back(
          (known.group.empty() ? known.key : known.group + "." + known.key)
              .str());
    std::string nearest = didYouMean(path, names);
    error = "a machine has no '" + path + "'" +
            (nearest.empty() ? "; it has " + llvm::join(names, ", ") : nearest);
    return false;
  }
  if (!(value > 0) || value > 1e18 ||
      (field->isInteger && value != double(int64_t(value)))) {
    error = "'" + path + "' of a machine must be " +
            (field->isInteger ? "a whole number" : "a number") + " above 0";
    return false;
  }
  field->set(machine, value);
  return true;
}

bool readJson(const llvm::json::Object &object, StringRef group,
              Machine &machine, std::string &error) {
  for (const auto &[key, value] : object) {
    StringRef name(key);
    if (const llvm::json::Object *inner = value.getAsObject();
        inner && group.empty()) {
      if (!readJson(*inner, name, machine, error))
        return false;
      continue;
    }
    if (group.empty() && name == "name")
      continue;
    if (!setField(machine, group, name, value.getAsNumber().value_or(0), error))
      return false;
  }
  return true;
}

bool readAttribute(DictionaryAttr attribute, StringRef group, Machine &machine,
                   std::string &error) {
  for (NamedAttribute entry : attribute) {
    if (auto inner = dyn_cast<DictionaryAttr>(entry.getValue());
        inner && group.empty()) {
      if (!readAttribute(inner, entry.getName(), machine, error))
        return false;
      continue;
    }
    double value = 0;
    if (auto real = dyn_cast<FloatAttr>(entry.getValue()))
      value = real.getValueAsDouble();
    else if (auto integer = dyn_cast<IntegerAttr>(entry.getValue()))
      value = double(integer.getInt());
    if (!setField(machine, group, entry.getName(), value, error))
      return false;
  }
  return true;
}

} // namespace

Link Machine::linkOf(const Mesh &mesh, size_t axis) const {
  int64_t span = 1;
  for (size_t i = axis; i < mesh.axes.size(); ++i)
    span *= mesh.axes[i].assumedSize();
  if (span <= devicesPerNode)
    return node;
  Link link = network;
  int64_t along = devicesPerNode * mesh.axes[axis].assumedSize() / span;
  if (along > 1 && link.bandwidth > 0)
    link.gatherBandwidth = std::min(double(along) * link.bandwidth,
                                    std::max(link.bandwidth, node.bandwidth));
  return link;
}

ArrayRef<StringRef> shardir::getMachineNames() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> names;
    for (const Named &known : kMachines)
      names.push_back(known.name);
    return names;
  }();
  return names;
}

StringRef shardir::getMachineOfArch(StringRef arch) {
  for (const Named &known : kMachines)
    if (!arch.empty() && known.arch == arch)
      return known.name;
  return "";
}

std::optional<Machine> shardir::readMachine(StringRef nameOrFile,
                                            std::string &error) {
  for (const Named &known : kMachines)
    if (known.name == nameOrFile)
      return known.machine;
  auto buffer = llvm::MemoryBuffer::getFile(nameOrFile, /*IsText=*/true);
  if (!buffer) {
    std::vector<std::string> names(getMachineNames().begin(),
                                   getMachineNames().end());
    error = "machine '" + nameOrFile.str() + "' is none of " +
            llvm::join(names, ", ") +
            ", and no file: " + buffer.getError().message() +
            didYouMean(nameOrFile.str(), names);
    return std::nullopt;
  }
  auto json = llvm::json::parse((*buffer)->getBuffer());
  if (!json) {
    error = nameOrFile.str() + ": " + llvm::toString(json.takeError());
    return std::nullopt;
  }
  Machine machine;
  const llvm::json::Object *object = json->getAsObject();
  if (!object) {
    error = nameOrFile.str() + ": a machine is an object";
    return std::nullopt;
  }
  if (!readJson(*object, "", machine, error)) {
    error = nameOrFile.str() + ": " + error;
    return std::nullopt;
  }
  return machine;
}

Machine shardir::getMachine(ModuleOp module) {
  Machine machine;
  std::string error;
  if (auto attribute =
          module->getAttrOfType<DictionaryAttr>(ShardIRDialect::kMachine))
    (void)readAttribute(attribute, "", machine, error);
  return machine;
}

bool shardir::verifyMachine(DictionaryAttr attribute, std::string &error) {
  Machine machine;
  return readAttribute(attribute, "", machine, error);
}

DictionaryAttr shardir::toAttribute(const Machine &machine,
                                    MLIRContext *context) {
  Builder builder(context);
  NamedAttrList top;
  llvm::StringMap<NamedAttrList> groups;
  for (const Field &field : kFields) {
    double value = field.get(machine);
    if (value == 0)
      continue;
    Attribute number =
        field.isInteger ? Attribute(builder.getI64IntegerAttr(int64_t(value)))
                        : Attribute(builder.getF64FloatAttr(value));
    (field.group.empty() ? top : groups[field.group]).set(field.key, number);
  }
  for (auto &group : groups)
    top.set(group.getKey(), group.second.getDictionary(context));
  return top.getDictionary(context);
}
