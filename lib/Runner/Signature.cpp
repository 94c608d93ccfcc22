//===- Signature.cpp - What a program says about a function ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Most of it is asked from the C interface; what that does not tell (meshes,
// the report, where unknown extents of results come from) is read from the
// metadata, which the runtime has checked when it loaded the program. Still
// nothing here trusts its structure: a wrong type reads as absent.
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "ShardIR/Runner/Failure.h"

#include <filesystem>
#include <set>

using namespace shardir;
using namespace shardir::runner;
using json = nlohmann::ordered_json;

void runner::check(shardir_status status) {
  if (status == SHARDIR_OK)
    return;
  const char *message = shardir_last_error();
  throw Failure(status == SHARDIR_INVALID_ARGUMENT ? Exit::Usage
                : status == SHARDIR_BAD_PROGRAM    ? Exit::BadProgram
                                                   : Exit::RankFailed,
                message && *message ? message : "the runtime failed");
}

static const json &at(const json &value, const char *key) {
  static const json none;
  if (!value.is_object())
    return none;
  auto found = value.find(key);
  return found == value.end() ? none : *found;
}

static std::string text(const json &value) {
  return value.is_string() ? value.get<std::string>() : "";
}

Program::Program(const std::string &path) {
  // Without a slash the loader would search the system's folders.
  std::error_code ignored;
  std::string absolute = std::filesystem::absolute(path, ignored).string();
  check(shardir_program_load(absolute.c_str(), &handle));
  shardir_set_host_shards(handle, 1);
  const char *text = shardir_program_metadata_json(handle);
  metadata = json::parse(text ? text : "", nullptr, false);
}

json Program::metadataOfFunction() const {
  for (const json &candidate : at(metadata, "functions"))
    if (text(at(candidate, "name")) == function)
      return candidate;
  return json();
}

void Program::select(const std::optional<std::string> &name) {
  const char *chosen = name ? name->c_str() : nullptr;
  size_t counts[2];
  check(shardir_function_num_arguments(handle, chosen, &counts[0]));
  check(shardir_function_num_results(handle, chosen, &counts[1]));
  function = name ? *name : shardir_program_function_name(handle, 0);
  json known = metadataOfFunction();
  for (bool isResult : {false, true}) {
    for (size_t i = 0; i != counts[isResult]; ++i) {
      shardir_tensor_info info;
      check((isResult ? shardir_function_result : shardir_function_argument)(
          handle, functionName(), i, &info));
      Tensor tensor;
      tensor.type = info.element_type;
      tensor.shape.assign(info.shape, info.shape + info.rank);
      (isResult ? results : arguments).push_back(tensor);
    }
  }
  for (bool isResult : {false, true}) {
    const json &described = at(known, isResult ? "results" : "arguments");
    std::set<std::string> taken;
    std::vector<Tensor> &tensors = isResult ? results : arguments;
    for (size_t i = 0; i != tensors.size(); ++i) {
      if (described.is_array() && i < described.size())
        tensors[i].name = text(at(described[i], "name"));
      if (tensors[i].name.empty() || !taken.insert(tensors[i].name).second)
        tensors[i].name = (isResult ? "result" : "arg") + std::to_string(i);
    }
  }
  const json &described = at(known, "results");
  for (size_t i = 0;
       described.is_array() && i < described.size() && i < results.size();
       ++i) {
    const json &inPlace = at(described[i], "in_place");
    if (inPlace.is_number_integer())
      results[i].inPlace = inPlace.get<int64_t>();
    const json &extents = at(described[i], "extents");
    if (!extents.is_array() || extents.size() != results[i].shape.size())
      continue;
    results[i].extents.assign(extents.begin(), extents.end());
  }
}

std::optional<int64_t> Program::evaluate(const ExtentSource &source,
                                         const std::vector<Shape> &shapes) {
  // The parser bounds how deep JSON is nested no more than this does.
  struct Evaluator {
    const std::vector<Shape> &shapes;

    std::optional<int64_t> run(const json &e, int depth) const {
      if (e.is_number_integer())
        return e.get<int64_t>();
      if (!e.is_array() || depth > 64)
        return std::nullopt;
      if (e.size() == 2 && e[0].is_number_unsigned() &&
          e[1].is_number_unsigned()) {
        size_t argument = e[0].get<size_t>(), dim = e[1].get<size_t>();
        if (argument < shapes.size() && dim < shapes[argument].size())
          return shapes[argument][dim];
        return std::nullopt;
      }
      if (e.size() != 3 || !e[0].is_string())
        return std::nullopt;
      std::optional<int64_t> a = run(e[1], depth + 1), b = run(e[2], depth + 1);
      if (!a || !b)
        return std::nullopt;
      return combine(e[0].get<std::string>(), *a, *b);
    }

    static std::optional<int64_t> combine(const std::string &op, int64_t a,
                                          int64_t b) {
      int64_t result;
      bool overflows = false;
      if (op == "add")
        overflows = __builtin_add_overflow(a, b, &result);
      else if (op == "sub")
        overflows = __builtin_sub_overflow(a, b, &result);
      else if (op == "mul")
        overflows = __builtin_mul_overflow(a, b, &result);
      else if ((op == "div" || op == "rem") && a >= 0 && b > 0)
        result = op == "div" ? a / b : a % b;
      else if (op == "min")
        result = std::min(a, b);
      else if (op == "max")
        result = std::max(a, b);
      else
        return std::nullopt;
      return overflows ? std::nullopt : std::optional<int64_t>(result);
    }
  };
  return Evaluator{shapes}.run(source, 0);
}

void Program::checkMesh(const std::vector<AxisSize> &axes) const {
  for (const AxisSize &wanted : axes) {
    std::string name =
        (wanted.mesh.empty() ? "" : wanted.mesh + ".") + wanted.axis;
    bool found = false;
    for (const json &mesh : at(metadata, "meshes")) {
      if (!wanted.mesh.empty() && text(at(mesh, "name")) != wanted.mesh)
        continue;
      for (const json &axis : at(mesh, "axes")) {
        if (text(at(axis, "name")) != wanted.axis)
          continue;
        found = true;
        const json &size = at(axis, "size");
        if (!size.is_number_integer() || size.get<int64_t>() != wanted.size)
          failUsage("--mesh: the program is compiled for axis '" + name +
                    "' of size " + size.dump() + ", not " +
                    std::to_string(wanted.size) + "; compile it again");
      }
    }
    if (!found)
      failUsage("--mesh: the program has no mesh axis '" + name + "'");
  }
}

json Program::report() const {
  const json &report = at(metadata, "report");
  return report.is_object() ? report : json::object();
}

std::pair<Placement, std::optional<Mesh>> Program::placement(bool isResult,
                                                             size_t i) const {
  size_t rank = (isResult ? results : arguments)[i].shape.size();
  const std::pair<Placement, std::optional<Mesh>> none{
      Placement::replicatedOfRank(rank), std::nullopt};
  const json function = metadataOfFunction();
  const json &tensors = at(function, isResult ? "results" : "arguments");
  if (!tensors.is_array() || i >= tensors.size())
    return none;
  std::string error, name = text(at(tensors[i], "mesh"));
  std::optional<Placement> placement =
      parsePlacement(text(at(tensors[i], "placement")), error);
  if (!placement || placement->dims.size() != rank)
    return none;
  for (const json &candidate : at(metadata, "meshes")) {
    if (text(at(candidate, "name")) != name)
      continue;
    Mesh mesh;
    mesh.name = name;
    for (const json &axis : at(candidate, "axes")) {
      const json &size = at(axis, "size");
      if (!size.is_number_integer())
        return none;
      mesh.axes.push_back({text(at(axis, "name")), size.get<int64_t>(), {}});
    }
    for (const json &device : at(candidate, "devices"))
      if (device.is_number_integer())
        mesh.devices.push_back(device.get<int64_t>());
    return {*placement, mesh};
  }
  return none;
}

bool Program::hasUnsharded() const {
  return !text(at(metadataOfFunction(), "unsharded_symbol")).empty();
}

Shape Program::localShape(bool isResult, size_t i, int64_t rank) const {
  Shape shape((isResult ? results : arguments)[i].shape.size());
  check((isResult ? shardir_result_local_shape : shardir_argument_local_shape)(
      handle, functionName(), i, rank, shape.data()));
  return shape;
}

Shape Program::shardShape(bool isResult, size_t i, const Shape &whole,
                          int64_t rank) const {
  Shape shape(whole.size());
  check((isResult ? shardir_result_shard_shape : shardir_argument_shard_shape)(
      handle, functionName(), i, whole.data(), rank, shape.data()));
  return shape;
}
