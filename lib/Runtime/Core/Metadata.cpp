//===- Metadata.cpp - Reads and checks the metadata -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the metadata. Requires any text; guarantees one clear message for the
// first thing that is wrong, named by its path (`collectives[2].mesh`). Nothing
// is thrown out of here: the JSON library and the checks throw Invalid, or a
// standard exception, and parseMetadata turns either into the message.
//
//===----------------------------------------------------------------------===//

#include "Metadata.h"

#include "Elements/Reduce.h"
#include "ShardIR/Runtime/Abi.h"

#include <nlohmann/json.hpp>

#include <cctype>
#include <set>
#include <stdexcept>

namespace shardir {
namespace runtime {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMaxRanks = 1 << 16;

struct Invalid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void invalid(const std::string &path, const std::string &what) {
  throw Invalid(path + " " + what);
}

const Json &member(const Json &object, const std::string &path,
                   const char *key) {
  if (!object.is_object())
    invalid(path.empty() ? "the metadata" : path, "is not an object");
  auto it = object.find(key);
  if (it == object.end())
    invalid(path.empty() ? "the metadata" : path,
            std::string("lacks \"") + key + "\"");
  return *it;
}

std::string join(const std::string &path, const char *key) {
  return path.empty() ? key : path + "." + key;
}

std::string text(const Json &object, const std::string &path, const char *key) {
  const Json &value = member(object, path, key);
  if (!value.is_string())
    invalid(join(path, key), "is not a string");
  return value.get<std::string>();
}

std::string optionalText(const Json &object, const std::string &path,
                         const char *key) {
  auto it = object.find(key);
  return it == object.end() || it->is_null() ? "" : text(object, path, key);
}

int64_t integer(const Json &value, const std::string &path, int64_t low,
                int64_t high) {
  bool fits = value.is_number_integer();
  if (fits && value.is_number_unsigned())
    fits = value.get<uint64_t>() <= uint64_t(INT64_MAX);
  int64_t i = fits ? value.get<int64_t>() : 0;
  if (!fits || i < low || i > high)
    invalid(path, "is not an integer between " + std::to_string(low) + " and " +
                      std::to_string(high));
  return i;
}

/// Calls f(element, path) for each element of an array member.
template <class F>
void forEach(const Json &object, const std::string &path, const char *key,
             F &&f) {
  const Json &array = member(object, path, key);
  if (!array.is_array())
    invalid(join(path, key), "is not an array");
  size_t i = 0;
  for (const Json &value : array)
    f(value, join(path, key) + "[" + std::to_string(i++) + "]");
}

Mesh readMesh(const Json &object, const std::string &path, int64_t ranks) {
  Mesh mesh;
  mesh.name = text(object, path, "name");
  int64_t positions = 1;
  forEach(object, path, "axes", [&](const Json &axis, const std::string &at) {
    MeshAxis a;
    a.name = text(axis, at, "name");
    a.size = integer(member(axis, at, "size"), at + ".size", 1, kMaxRanks);
    if (a.name.empty() || mesh.axisIndex(a.name) >= 0)
      invalid(at, "has no name of its own");
    positions *= a.size;
    if (positions > kMaxRanks)
      invalid(path, "has more than " + std::to_string(kMaxRanks) + " devices");
    mesh.axes.push_back(std::move(a));
  });
  if (mesh.axes.empty() || mesh.axes.size() > 8)
    invalid(path, "does not have 1 to 8 axes");
  if (object.contains("devices"))
    forEach(object, path, "devices", [&](const Json &d, const std::string &at) {
      mesh.devices.push_back(integer(d, at, 0, ranks - 1));
    });
  std::set<int64_t> distinct(mesh.devices.begin(), mesh.devices.end());
  if (!mesh.devices.empty() && (int64_t(mesh.devices.size()) != positions ||
                                distinct.size() != mesh.devices.size()))
    invalid(path + ".devices",
            "does not list " + std::to_string(positions) + " distinct ranks");
  if (mesh.numRanks() > ranks)
    invalid(path, "has more devices than the program has ranks");
  return mesh;
}

int meshIndex(const Metadata &m, const std::string &name,
              const std::string &path) {
  for (size_t i = 0; i < m.meshes.size(); ++i)
    if (m.meshes[i].name == name)
      return int(i);
  invalid(path, "names mesh \"" + name + "\", which the program lacks");
}

std::vector<int64_t> readShape(const Json &object, const std::string &path,
                               ElementType type) {
  std::vector<int64_t> shape;
  forEach(object, path, "shape", [&](const Json &e, const std::string &at) {
    shape.push_back(integer(e, at, -1, INT64_MAX));
  });
  int64_t elements;
  if (shape.size() > 64 || !countElements(shape, elementSize(type), elements))
    invalid(path + ".shape", "is too large");
  return shape;
}

ElementType readType(const Json &object, const std::string &path) {
  std::string name = text(object, path, "element_type");
  std::optional<ElementType> type = parseElementType(name);
  if (!type)
    invalid(path + ".element_type", "is \"" + name + "\", which is not known");
  return *type;
}

Placement readPlacement(const Json &object, const std::string &path,
                        const char *key, const Mesh &mesh,
                        const std::vector<int64_t> &shape, ElementType type) {
  std::string at = join(path, key), error;
  std::optional<Placement> p = parsePlacement(text(object, path, key), error);
  if (!p)
    invalid(at, "does not parse: " + error);
  if (std::optional<PlacementError> e =
          lowerDTensorSyntax(*p, mesh, shape.size()))
    invalid(at, "is wrong: " + e->message);
  std::vector<int64_t> sizes = shape;
  for (int64_t &s : sizes)
    s = s < 0 ? kUnknown : s;
  if (p->dims.size() != shape.size())
    invalid(at, "has " + std::to_string(p->dims.size()) +
                    " dims for a tensor of rank " +
                    std::to_string(shape.size()));
  if (std::optional<PlacementError> e =
          verifyPlacement(*p, mesh, sizes, elementTypeName(type)))
    invalid(at, "is wrong: " + e->message);
  if (p->partial && !reduceFunction(*p->partial, type))
    invalid(at, std::string("is partial by ") +
                    stringifyPartialKind(*p->partial) +
                    ", which has no meaning for " + elementTypeName(type));
  return p->closed();
}

TensorSpec readTensor(const Json &object, const std::string &path,
                      const Metadata &m) {
  TensorSpec t;
  t.type = readType(object, path);
  t.shape = readShape(object, path, t.type);
  std::string mesh = optionalText(object, path, "mesh");
  if (mesh.empty()) {
    t.placement = Placement::replicatedOfRank(t.shape.size());
    return t;
  }
  t.mesh = meshIndex(m, mesh, path + ".mesh");
  t.placement = readPlacement(object, path, "placement", m.meshes[t.mesh],
                              t.shape, t.type);
  t.placementText = toString(mesh, t.placement);
  return t;
}

/// An argument's entry of `extents`: null, a number, or a dim of an argument.
std::optional<NeededExtent>
readExtent(const Json &value, const std::string &path, const FunctionSpec &f) {
  if (value.is_null())
    return std::nullopt;
  if (!value.is_array())
    return NeededExtent{-1, integer(value, path, 0, INT64_MAX)};
  if (value.size() != 2)
    invalid(path, "is no dim of an argument");
  auto argument =
      size_t(integer(value[0], path, 0, int64_t(f.arguments.size()) - 1));
  return NeededExtent{int(argument),
                      integer(value[1], path, 0,
                              int64_t(f.arguments[argument].shape.size()) - 1)};
}

FunctionSpec readFunction(const Json &object, const std::string &path,
                          const Metadata &m) {
  FunctionSpec f;
  f.name = text(object, path, "name");
  f.symbol = text(object, path, "symbol");
  f.unshardedSymbol = optionalText(object, path, "unsharded_symbol");
  if (f.name.empty() || f.symbol.empty())
    invalid(path, "has an empty name or symbol");
  auto isStatic = object.find("static_collectives");
  if (isStatic != object.end()) {
    if (!isStatic->is_boolean())
      invalid(path, "has static_collectives that is neither true nor false");
    f.staticCollectives = isStatic->get<bool>();
  }
  forEach(object, path, "arguments", [&](const Json &o, const std::string &at) {
    f.arguments.push_back(readTensor(o, at, m));
    if (!o.contains("extents"))
      return;
    forEach(
        o, at, "extents", [&](const Json &extent, const std::string &place) {
          f.arguments.back().extents.push_back(readExtent(extent, place, f));
        });
    const TensorSpec &argument = f.arguments.back();
    if (argument.extents.size() != argument.shape.size())
      invalid(at + ".extents", "has another rank than the shape");
  });
  forEach(object, path, "results", [&](const Json &o, const std::string &at) {
    TensorSpec &result = f.results.emplace_back(readTensor(o, at, m));
    if (!o.contains("in_place"))
      return;
    result.inPlace = int(integer(o["in_place"], at + ".in_place", 0,
                                 int64_t(f.arguments.size()) - 1));
    const TensorSpec &argument = f.arguments[size_t(result.inPlace)];
    if (argument.shape != result.shape || argument.type != result.type ||
        argument.placementText != result.placementText)
      invalid(at + ".in_place", "is another tensor than the result");
  });
  return f;
}

/// Reads `tp` or `tp:(1)2`.
AxisRef readAxis(const Json &value, const std::string &path, const Mesh &mesh) {
  if (!value.is_string())
    invalid(path, "is not a string");
  std::string s = value.get<std::string>();
  AxisRef ref;
  size_t colon = s.find(":(");
  ref.name = s.substr(0, colon);
  int index = mesh.axisIndex(ref.name);
  if (index < 0)
    invalid(path, "names axis \"" + ref.name + "\", which mesh @" + mesh.name +
                      " lacks");
  if (colon == std::string::npos)
    return ref;
  // At most 65536 devices: nine digits cannot overflow.
  auto number = [&](size_t from, size_t to) {
    int64_t n = 0;
    if (from >= to || to - from > 9)
      invalid(path, "is not an axis or a sub-axis");
    for (size_t i = from; i < to; ++i) {
      if (!std::isdigit(static_cast<unsigned char>(s[i])))
        invalid(path, "is not an axis or a sub-axis");
      n = n * 10 + (s[i] - '0');
    }
    return n;
  };
  size_t close = s.find(')', colon);
  if (close == std::string::npos)
    invalid(path, "is not an axis or a sub-axis");
  ref.preSize = number(colon + 2, close);
  ref.size = number(close + 1, s.size());
  int64_t factor = ref.preSize * ref.size;
  if (factor < 1 || mesh.axes[index].size % factor != 0)
    invalid(path, "does not divide axis \"" + ref.name + "\" of size " +
                      std::to_string(mesh.axes[index].size));
  return ref;
}

/// Reads `[[low, high], …]`, which halo_exchange has and no other; a window has
/// its extent, stride and dilation as well.
void readHalo(const Json &object, const std::string &path, const Mesh &mesh,
              CollectiveSpec &c) {
  bool wanted = c.step.kind == CollectiveKind::HaloExchange;
  if (object.contains("halo") != wanted)
    invalid(path, wanted ? "lacks \"halo\"" : "has a halo, but is " + c.name);
  if (!wanted)
    return;
  forEach(object, path, "halo", [&](const Json &pair, const std::string &at) {
    if (!pair.is_array() ||
        (pair.size() != 2 && pair.size() != 5 && pair.size() != 6))
      invalid(at, "is not [low, high] or [low, high, extent, stride, "
                  "dilation], with a shift at its end where it is open");
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < pair.size(); ++i)
      numbers.push_back(integer(pair[i], at + "[" + std::to_string(i) + "]",
                                pair.size() == 2 ? 0 : -kMaxWindow, INT64_MAX));
    c.step.halo.push_back(dimHaloOf(numbers));
  });
  c.unknownExtents += 2 * numOpenWindows(c.step.halo);
  std::vector<int64_t> sizes = c.shape;
  for (int64_t &s : sizes)
    s = s < 0 ? kUnknown : s;
  if (c.step.halo.size() != c.shape.size())
    invalid(path + ".halo", "does not have one entry per dim");
  if (auto e = verifyHalo(c.step.halo, c.step.to, mesh, sizes))
    invalid(path + ".halo", "is wrong: " + e->message);
}

CollectiveSpec readCollective(const Json &object, const std::string &path,
                              const Metadata &m) {
  CollectiveSpec c;
  c.name = text(object, path, "kind");
  c.loc = optionalText(object, path, "loc");
  c.type = readType(object, path);
  c.mesh = meshIndex(m, text(object, path, "mesh"), path + ".mesh");
  const Mesh &mesh = m.meshes[c.mesh];
  const std::pair<const char *, OpKind> rooted[] = {
      {"broadcast", OpKind::Broadcast},
      {"gather", OpKind::Gather},
      {"scatter", OpKind::Scatter},
      {"send", OpKind::Send},
      {"recv", OpKind::Recv}};
  for (auto &[name, kind] : rooted) {
    if (c.name != name)
      continue;
    c.kind = kind;
    forEach(object, path, "axes", [&](const Json &v, const std::string &at) {
      c.axes.push_back(readAxis(v, at, mesh));
      for (size_t i = 0; i + 1 < c.axes.size(); ++i)
        if (overlap(c.axes[i], c.axes.back(), mesh))
          invalid(at, "overlaps an axis named before");
    });
    return c;
  }
  std::optional<CollectiveKind> kind = parseCollectiveKind(c.name);
  if (!kind)
    invalid(path + ".kind", "is \"" + c.name + "\", which is not known");
  c.step.kind = *kind;
  c.shape = readShape(object, path, c.type);
  for (int64_t e : c.shape)
    c.unknownExtents += e < 0;
  c.step.from = readPlacement(object, path, "from", mesh, c.shape, c.type);
  c.toMesh = c.mesh;
  if (std::string to = optionalText(object, path, "to_mesh"); !to.empty())
    c.toMesh = meshIndex(m, to, path + ".to_mesh");
  const Mesh &toMesh = m.meshes[size_t(c.toMesh)];
  c.step.to = readPlacement(object, path, "to", toMesh, c.shape, c.type);
  readHalo(object, path, toMesh, c);
  if (c.toMesh != c.mesh) {
    if (*kind != CollectiveKind::Exchange &&
        *kind != CollectiveKind::HaloExchange)
      invalid(path + ".to_mesh",
              "is for exchange and halo_exchange, not for " + c.name);
    if (c.step.from.partial || c.step.to.partial)
      invalid(path, "is partial between two meshes");
  }
  if (c.step.from.partial && c.step.to.partial &&
      *c.step.from.partial != *c.step.to.partial)
    invalid(path, std::string("leads from a partial ") +
                      stringifyPartialKind(*c.step.from.partial) + " to a " +
                      stringifyPartialKind(*c.step.to.partial));
  return c;
}

/// `sm_90`, `sm_90a`, `compute_80` or `host`.
bool isArchitecture(const std::string &arch) {
  if (arch == "host" || arch == "compute_80")
    return true;
  size_t digits = arch.compare(0, 3, "sm_") == 0 ? 3 : arch.size(),
         end = digits;
  while (end < arch.size() &&
         std::isdigit(static_cast<unsigned char>(arch[end])))
    ++end;
  bool suffix =
      end + 1 == arch.size() && (arch[end] == 'a' || arch[end] == 'f');
  return end > digits && end - digits <= 4 && (end == arch.size() || suffix);
}

GpuSpec readGpu(const Json &object) {
  GpuSpec gpu;
  gpu.arch = text(object, "gpu", "arch");
  if (!isArchitecture(gpu.arch))
    invalid("gpu.arch", "is \"" + gpu.arch + "\", which is no architecture");
  forEach(object, "gpu", "modules", [&](const Json &o, const std::string &at) {
    GpuModuleSpec m{text(o, at, "symbol"), text(o, at, "format")};
    bool host = m.format == "host";
    if (!host && m.format != "cubin" && m.format != "ptx")
      invalid(at + ".format",
              "is \"" + m.format + "\", not \"cubin\", \"ptx\" or \"host\"");
    if (host != (gpu.arch == "host"))
      invalid(at + ".format", "does not go with arch " + gpu.arch);
    gpu.modules.push_back(std::move(m));
  });
  forEach(object, "gpu", "kernels", [&](const Json &o, const std::string &at) {
    KernelSpec k;
    k.module = int(integer(member(o, at, "module"), at + ".module", 0,
                           int64_t(gpu.modules.size()) - 1));
    k.name = text(o, at, "name");
    k.loc = optionalText(o, at, "loc");
    k.maxSharedBytes = integer(member(o, at, "max_shared_bytes"),
                               at + ".max_shared_bytes", 0, INT32_MAX);
    size_t d = 0;
    if (o.contains("cluster"))
      forEach(o, at, "cluster", [&](const Json &v, const std::string &where) {
        if (d == 3)
          invalid(at + ".cluster", "has more than 3 extents");
        k.cluster[d++] = unsigned(integer(v, where, 1, 16));
      });
    if ((k.hasParameters = o.contains("parameters")))
      forEach(o, at, "parameters",
              [&](const Json &v, const std::string &where) {
                k.parameters.push_back(uint32_t(integer(v, where, 1, 4096)));
              });
    if (k.parameters.size() > 512)
      invalid(at + ".parameters", "has more than 512 entries");
    gpu.kernels.push_back(std::move(k));
  });
  forEach(
      object, "gpu", "constants", [&](const Json &o, const std::string &at) {
        bool perRank = o.contains("per_rank");
        if (perRank && !o["per_rank"].is_boolean())
          invalid(at + ".per_rank", "must be true or false");
        gpu.constants.push_back({text(o, at, "symbol"),
                                 integer(member(o, at, "bytes"), at + ".bytes",
                                         0, int64_t(1) << 48),
                                 perRank && o["per_rank"].get<bool>()});
      });
  return gpu;
}

void readMetadata(const std::string &json, Metadata &m) {
  Json root = Json::parse(json);
  int64_t abi = integer(member(root, "", "abi"), "abi", 0, INT32_MAX);
  if (abi != SHARDIR_ABI_VERSION)
    throw Invalid("the program is of ABI version " + std::to_string(abi) +
                  ", this runtime of version " +
                  std::to_string(SHARDIR_ABI_VERSION) +
                  "; compile the program again");
  m.json = json;
  m.hash = optionalText(root, "", "hash");
  m.ranks = integer(member(root, "", "ranks"), "ranks", 1, kMaxRanks);
  std::set<std::string> names;
  forEach(root, "", "meshes", [&](const Json &o, const std::string &at) {
    m.meshes.push_back(readMesh(o, at, m.ranks));
    if (!names.insert(m.meshes.back().name).second)
      invalid(at, "has the name of another mesh");
  });
  names.clear();
  forEach(root, "", "functions", [&](const Json &o, const std::string &at) {
    m.functions.push_back(readFunction(o, at, m));
    if (!names.insert(m.functions.back().name).second)
      invalid(at, "has the name of another function");
  });
  forEach(root, "", "collectives", [&](const Json &o, const std::string &at) {
    m.collectives.push_back(readCollective(o, at, m));
  });
  if (root.contains("gpu"))
    m.gpu = readGpu(root["gpu"]);
}

} // namespace

bool countElements(const std::vector<int64_t> &shape, size_t elementBytes,
                   int64_t &elements) {
  elements = 1;
  auto limit = (int64_t(1) << 62) / int64_t(elementBytes ? elementBytes : 1);
  bool fits = true, empty = false;
  for (int64_t extent : shape) {
    // The limit holds without the zeros too: strides are products of the rest.
    int64_t e = extent < 0 ? 1 : extent;
    empty |= e == 0;
    if (e == 0)
      continue;
    if (e > limit / elements) {
      fits = false;
      break;
    }
    elements *= e;
  }
  if (empty)
    elements = 0;
  return fits;
}

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string s;
  for (size_t i = 0; i < shape.size(); ++i)
    s += (i ? "x" : "") + (shape[i] < 0 ? "?" : std::to_string(shape[i]));
  return shape.empty() ? "scalar" : s;
}

std::string CollectiveSpec::describe() const {
  std::string s = name + " of " + elementTypeName(type);
  if (kind == OpKind::Redistribute)
    s += " " + shapeText(shape);
  return loc.empty() ? s : s + " (" + loc + ")";
}

bool parseMetadata(const std::string &json, Metadata &metadata,
                   std::string &error) {
  try {
    Metadata m;
    readMetadata(json, m);
    metadata = std::move(m);
    return true;
  } catch (const Invalid &e) {
    error = e.what();
  } catch (const std::exception &e) {
    error = std::string("the metadata is not valid JSON: ") + e.what();
  } catch (...) {
    error = "the metadata cannot be read";
  }
  return false;
}

} // namespace runtime
} // namespace shardir
