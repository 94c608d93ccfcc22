//===- Safetensors.cpp - The .safetensors format --------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eight bytes of header length, a JSON object of {dtype, shape, data_offsets}
// by name, then the elements, little-endian and row-major. Reads one tensor by
// name and leaves the rest of the file alone; writes all types but `index`
// under their own names.
// Offsets are checked against the file and against the shape.
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include "ShardIR/Runner/Failure.h"

#include <nlohmann/json.hpp>

using namespace shardir;
using namespace shardir::runner;
using nlohmann::json;

namespace {

bool readsAs(const std::string &name, ElementType type) {
  std::string own = infoOf(type)->safetensors;
  return name == own || (own[0] == 'I' && name == "U" + own.substr(1));
}

/// A list of non-negative integers, or nothing.
std::optional<Shape> readIntegers(const json &value) {
  if (!value.is_array())
    return std::nullopt;
  Shape out;
  for (const json &item : value) {
    if (!item.is_number_unsigned() ||
        item.get<uint64_t>() > uint64_t(INT64_MAX))
      return std::nullopt;
    out.push_back(int64_t(item.get<uint64_t>()));
  }
  return out;
}

/// The entries by name; `dataAt` is where the elements begin.
json readHeader(const FileSource &source, uint64_t &dataAt) {
  uint8_t prefix[8];
  source.require(0, 8, "it is too short for a .safetensors file");
  source.readAt(0, prefix, 8);
  uint64_t headerSize = loadLittle(prefix, 8);
  source.require(8, headerSize,
                 "its header is cut off, or it is not a "
                 ".safetensors file");
  if (headerSize > 100'000'000)
    source.fail("its header is longer than the format's limit of 100 MB");
  json header = json::parse(source.readString(8, headerSize), nullptr,
                            /*allow_exceptions=*/false);
  if (!header.is_object())
    source.fail("its header is not JSON, or it is not a .safetensors file");
  header.erase("__metadata__");
  dataAt = 8 + headerSize;
  return header;
}

} // namespace

std::vector<std::string> runner::namesInSafetensors(const FileSource &source) {
  uint64_t dataAt;
  json header = readHeader(source, dataAt);
  std::vector<std::string> names;
  for (const auto &item : header.items())
    names.push_back(item.key());
  return names;
}

StoredArray runner::findSafetensors(const FileSource &source,
                                    const std::string &name, ElementType type,
                                    const Shape &wanted) {
  uint64_t dataAt;
  json header = readHeader(source, dataAt);
  json::const_iterator found = header.find(name);
  if (name.empty() && header.size() == 1)
    found = header.begin();
  if (found == header.end()) {
    std::string names;
    size_t shown = 0;
    for (const auto &item : header.items()) {
      if (++shown > 8) {
        names += ", and " + std::to_string(header.size() - 8) + " more";
        break;
      }
      names += (names.empty() ? "" : ", ") + item.key();
    }
    source.fail((name.empty()
                     ? "which tensor is meant? say FILE.safetensors:NAME"
                     : "it has no tensor '" + name + "'") +
                "; it has: " + (names.empty() ? "nothing" : names));
  }

  const json &entry = *found;
  if (!entry.is_object())
    source.fail("its header is damaged");
  std::string dtype = entry.contains("dtype") && entry["dtype"].is_string()
                          ? entry["dtype"].get<std::string>()
                          : "";
  std::optional<Shape> shape, offsets;
  if (entry.contains("shape"))
    shape = readIntegers(entry["shape"]);
  if (entry.contains("data_offsets"))
    offsets = readIntegers(entry["data_offsets"]);
  if (dtype.empty() || !shape || !offsets || offsets->size() != 2)
    source.fail("its header is damaged at '" + found.key() + "'");
  if (!readsAs(dtype, type) || !shapeMatches(*shape, wanted))
    source.fail("'" + found.key() + "' is " +
                (shape->empty() ? "a scalar" : formatShape(*shape)) + " of " +
                dtype + ", expected " + formatType(wanted, type));
  auto begin = uint64_t((*offsets)[0]), end = uint64_t((*offsets)[1]);
  std::optional<uint64_t> bytes = countBytes(*shape, elementSize(type));
  if (begin > end || !bytes || end - begin != *bytes)
    source.fail("the offsets of '" + found.key() + "' do not fit its shape");
  source.require(dataAt + begin, *bytes, "it is cut off");
  return {dataAt + begin, *shape, true};
}

std::string runner::safetensorsHeader(const std::vector<NamedArray> &arrays,
                                      std::vector<uint64_t> &offsets) {
  json header = json::object();
  uint64_t offset = 0;
  for (const NamedArray &array : arrays) {
    uint64_t end =
        offset + countBytes(array.shape, elementSize(array.type)).value();
    header[array.name] = {{"dtype", infoOf(array.type)->safetensors},
                          {"shape", array.shape},
                          {"data_offsets", {offset, end}}};
    offsets.push_back(offset);
    offset = end;
  }
  std::string text =
      header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string prefix;
  appendLittle(prefix, text.size(), 8);
  for (uint64_t &at : offsets)
    at += prefix.size() + text.size();
  return prefix + text;
}

void runner::writeSafetensors(
    FileSink &sink,
    const std::vector<std::pair<std::string, const Array *>> &arrays) {
  std::vector<NamedArray> named;
  for (const auto &[name, array] : arrays)
    named.push_back({name, array->type, array->shape});
  std::vector<uint64_t> offsets;
  sink.write(safetensorsHeader(named, offsets));
  for (const auto &[name, array] : arrays)
    sink.write(array->bytes.data(), array->bytes.size());
}

std::string runner::folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::vector<std::pair<std::string, std::string>>
runner::readIndex(const std::string &path) {
  FileSource source(path);
  auto index = nlohmann::ordered_json::parse(
      source.readString(0, source.size()), nullptr,
      /*allow_exceptions=*/false);
  if (!index.is_object() || !index.contains("weight_map") ||
      !index["weight_map"].is_object())
    source.fail("it is no index: it has no \"weight_map\"");
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto &item : index["weight_map"].items()) {
    if (!item.value().is_string() ||
        item.value().get<std::string>().find('/') != std::string::npos)
      source.fail("\"weight_map\" gives no file beside the index for '" +
                  item.key() + "'");
    files.emplace_back(item.key(),
                       folderOf(path) + item.value().get<std::string>());
  }
  return files;
}

ArrayRef runner::resolveIndex(const ArrayRef &ref) {
  if (ref.format != FileFormat::SafetensorsIndex)
    return ref;
  for (const auto &[name, file] : readIndex(ref.path))
    if (name == ref.member)
      return {file, FileFormat::Safetensors, name};
  failUsage("cannot read '" + ref.path + "': it has no tensor '" + ref.member +
            "'");
}
