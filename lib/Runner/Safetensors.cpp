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

struct TypeName {
  const char *name;
  ElementType type;
};

// The first name of a type is the one that is written.
const TypeName kNames[] = {
    {"BOOL", SHARDIR_I1},        {"I8", SHARDIR_I8},
    {"U8", SHARDIR_I8},          {"I16", SHARDIR_I16},
    {"U16", SHARDIR_I16},        {"I32", SHARDIR_I32},
    {"U32", SHARDIR_I32},        {"I64", SHARDIR_I64},
    {"U64", SHARDIR_I64},        {"I64", SHARDIR_INDEX},
    {"U64", SHARDIR_INDEX},      {"F16", SHARDIR_F16},
    {"BF16", SHARDIR_BF16},      {"F32", SHARDIR_F32},
    {"F64", SHARDIR_F64},        {"F8_E4M3", SHARDIR_F8E4M3FN},
    {"F8_E5M2", SHARDIR_F8E5M2},
};

bool readsAs(const std::string &name, ElementType type) {
  for (const TypeName &entry : kNames)
    if (entry.type == type && name == entry.name)
      return true;
  return false;
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

} // namespace

Array runner::readSafetensors(const FileSource &source, const std::string &name,
                              ElementType type, const Shape &wanted) {
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
  source.require(8 + headerSize + begin, *bytes, "it is cut off");
  Array array(type, *shape);
  source.readAt(8 + headerSize + begin, array.bytes.data(), *bytes);
  return array;
}

void runner::writeSafetensors(
    FileSink &sink,
    const std::vector<std::pair<std::string, const Array *>> &arrays) {
  json header = json::object();
  uint64_t offset = 0;
  for (const auto &[name, array] : arrays) {
    const char *dtype = "";
    for (const TypeName &entry : kNames)
      if (entry.type == array->type) {
        dtype = entry.name;
        break;
      }
    uint64_t end = offset + array->bytes.size();
    header[name] = {{"dtype", dtype},
                    {"shape", array->shape},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text =
      header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string prefix;
  appendLittle(prefix, text.size(), 8);
  sink.write(prefix + text);
  for (const auto &[name, array] : arrays)
    sink.write(array->bytes.data(), array->bytes.size());
}
