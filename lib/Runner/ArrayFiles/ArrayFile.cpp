//===- ArrayFile.cpp - Arrays in files of any format ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells formats apart by the file's name, as the command line promises, and
// hands over to the one that reads it. Raw files are read here: nothing but
// elements, little-endian, row-major; the wanted type says what they are.
// The array that is returned always has the wanted type and shape.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/ArrayFile.h"
#include "Files.h"

#include "ShardIR/Runner/Failure.h"

using namespace shardir;
using namespace shardir::runner;

static bool endsWith(const std::string &text, const std::string &suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

ArrayRef runner::parseArrayRef(const std::string &text) {
  struct Suffix {
    const char *text;
    FileFormat format;
    bool archive;
  };
  static const Suffix suffixes[] = {
      {".npy", FileFormat::Npy, false},
      {".npz", FileFormat::Npz, true},
      {".safetensors", FileFormat::Safetensors, true},
      {".safetensors.index.json", FileFormat::SafetensorsIndex, true},
      {".bin", FileFormat::Raw, false},
      {".raw", FileFormat::Raw, false}};
  // A member's name may contain anything, so the archive's suffix is looked for
  // from the left, and before the ends of plain files.
  for (const Suffix &suffix : suffixes) {
    if (!suffix.archive)
      continue;
    std::string mark = std::string(suffix.text) + ":";
    size_t at = text.find(mark);
    if (at != std::string::npos && at != 0)
      return {text.substr(0, at + mark.size() - 1), suffix.format,
              text.substr(at + mark.size())};
  }
  for (const Suffix &suffix : suffixes)
    if (endsWith(text, suffix.text))
      return {text, suffix.format, ""};
  failUsage("'" + text +
            "' is of no known format: expected a name that ends in "
            ".npy, .npz:NAME, .safetensors:NAME, "
            ".safetensors.index.json:NAME, .bin or .raw");
}

ArrayRef runner::parseArchive(const std::string &path) {
  if (endsWith(path, ".npz"))
    return {path, FileFormat::Npz, ""};
  if (endsWith(path, ".safetensors"))
    return {path, FileFormat::Safetensors, ""};
  if (endsWith(path, ".safetensors.index.json"))
    return {path, FileFormat::SafetensorsIndex, ""};
  failUsage("'" + path +
            "' is no archive: expected a name that ends in .npz, "
            ".safetensors or .safetensors.index.json");
}

std::vector<std::string> runner::readArrayNames(const ArrayRef &archive) {
  if (archive.format == FileFormat::SafetensorsIndex) {
    std::vector<std::string> names;
    for (const auto &array : readIndex(archive.path))
      names.push_back(array.first);
    return names;
  }
  FileSource source(archive.path);
  return archive.format == FileFormat::Npz ? namesInNpz(source)
                                           : namesInSafetensors(source);
}

StoredArray runner::findRaw(const FileSource &source, ElementType type,
                            const Shape &wanted) {
  Shape shape = wanted;
  int64_t *open = nullptr;
  for (int64_t &extent : shape)
    if (extent < 0) {
      if (open)
        source.fail("a raw file cannot decide two unknown extents of " +
                    formatType(wanted, type) + "; say them: SHAPExTYPE=@" +
                    "FILE");
      open = &extent;
      extent = 1;
    }
  std::optional<uint64_t> bytes = countBytes(shape, elementSize(type));
  if (bytes && open && *bytes != 0) {
    *open = int64_t(source.size() / *bytes);
    bytes = countBytes(shape, elementSize(type));
  }
  if (!bytes || *bytes != source.size())
    source.fail("it has " + std::to_string(source.size()) + " bytes, " +
                formatType(wanted, type) + " has " +
                (open ? "a multiple of " + std::to_string(elementSize(type)) +
                            " bytes per row"
                 : bytes ? std::to_string(*bytes)
                         : "more than a file can hold"));
  return {0, shape, true};
}

std::optional<StoredArray> runner::findArray(const FileSource &source,
                                             const ArrayRef &ref,
                                             ElementType type,
                                             const Shape &shape) {
  switch (ref.format) {
  case FileFormat::Npy:
    return findNpy(source, type, shape);
  case FileFormat::Npz:
  case FileFormat::SafetensorsIndex: // resolved by its readers
    return std::nullopt;
  case FileFormat::Safetensors:
    return findSafetensors(source, ref.member, type, shape);
  case FileFormat::Raw:
    return findRaw(source, type, shape);
  }
  return std::nullopt;
}

Array runner::readArray(const ArrayRef &where, ElementType type,
                        const Shape &shape) {
  ArrayRef ref = resolveIndex(where);
  FileSource source(ref.path);
  Array array;
  std::optional<StoredArray> stored = findArray(source, ref, type, shape);
  if (!stored) {
    array = readNpz(source, ref.member, type, shape);
  } else if (!stored->plain) {
    array = readNpy(source, type, shape);
  } else {
    array = Array(type, stored->shape);
    source.readAt(stored->at, array.bytes.data(), array.bytes.size());
  }
  normalizeBooleans(array);
  return array;
}

void runner::writeArrays(
    const std::string &path, FileFormat format,
    const std::vector<std::pair<std::string, const Array *>> &arrays) {
  if ((format == FileFormat::Npy || format == FileFormat::Raw) &&
      arrays.size() != 1)
    failUsage("cannot write " + std::to_string(arrays.size()) + " arrays to '" +
              path + "': it holds exactly one");
  FileSink sink(path);
  switch (format) {
  case FileFormat::Npy:
    sink.write(npyHeader(arrays[0].second->type, arrays[0].second->shape));
    [[fallthrough]];
  case FileFormat::Raw:
    sink.write(arrays[0].second->bytes.data(), arrays[0].second->bytes.size());
    break;
  case FileFormat::Npz:
    writeNpz(sink, path, arrays);
    break;
  case FileFormat::Safetensors:
    writeSafetensors(sink, arrays);
    break;
  case FileFormat::SafetensorsIndex: // SlicedFiles writes it
    break;
  }
  sink.close();
}
