//===- Slices.cpp - Shards in files of whole arrays -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs of elements go straight between file and shard, but for short ones that
// are read (ShardMoves.h).
//
//===----------------------------------------------------------------------===//

#include "Slices.h"

#include "ShardIR/Runner/Failure.h"
#include "ShardIR/Runner/ShardMoves.h"

#include <cstring>
#include <unistd.h>

using namespace shardir;
using namespace shardir::runner;
using nlohmann::ordered_json;

Array runner::readShard(const Program &program, size_t i, int64_t rank,
                        const FileSource &source, const StoredArray &stored) {
  ElementType type = program.arguments[i].type;
  Array shard(type, program.shardShape(false, i, stored.shape, rank));
  const uint64_t size = elementSize(type);
  WindowReader reader([&](uint64_t at, void *to,
                          uint64_t bytes) { source.readAt(at, to, bytes); },
                      stored.at + countBytes(stored.shape, size).value());
  shardir_buffer view = shard.view();
  check(moveRuns(
      [&](void *to, int64_t first, int64_t count) {
        reader.read(stored.at + uint64_t(first) * size, to,
                    uint64_t(count) * size);
      },
      [&](shardir_move_fn move, void *context) {
        return shardir_read_argument(program.get(), program.functionName(), i,
                                     stored.shape.data(), rank, &view, move,
                                     context);
      }));
  normalizeBooleans(shard);
  return shard;
}

std::string runner::indexParts(std::vector<SlicedArray> &arrays,
                               uint64_t partBytes) {
  std::vector<size_t> parts;
  uint64_t total = 0, inPart = 0;
  size_t count = 0;
  for (const SlicedArray &array : arrays) {
    uint64_t bytes = countBytes(array.shape, elementSize(array.type)).value();
    if (count == 0 || (inPart > 0 && inPart + bytes > partBytes)) {
      ++count;
      inPart = 0;
    }
    inPart += bytes;
    total += bytes;
    parts.push_back(count);
  }
  const std::string path = arrays.empty() ? "" : arrays[0].file.path;
  std::string folder = folderOf(path);
  constexpr const char *suffix = ".safetensors.index.json";
  std::string stem = path.substr(folder.size(), path.size() - folder.size() -
                                                    std::strlen(suffix));
  auto nameOf = [&](size_t part, size_t save) {
    char text[64];
    std::snprintf(text, sizeof(text), "-%05zu-of-%05zu.safetensors", part,
                  count);
    return stem + (save > 1 ? "." + std::to_string(save) : "") + text;
  };
  // Until the index is replaced, the old one and its parts stay.
  size_t save = 1;
  auto isTaken = [&] {
    for (size_t part = 1; part <= count; ++part)
      if (::access((folder + nameOf(part, save)).c_str(), F_OK) == 0)
        return true;
    return false;
  };
  while (isTaken())
    ++save;
  ordered_json files = ordered_json::object();
  for (size_t i = 0; i < arrays.size(); ++i) {
    std::string name = nameOf(parts[i], save);
    files[arrays[i].file.member] = name;
    arrays[i].file = {folder + name, FileFormat::Safetensors,
                      arrays[i].file.member};
  }
  ordered_json index = {{"metadata", {{"total_size", total}}},
                        {"weight_map", files}};
  return index.dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

SlicedFiles::SlicedFiles(const std::vector<SlicedArray> &arrays,
                         std::pair<std::string, std::string> index)
    : index(std::move(index)) {
  std::map<std::string, std::vector<const SlicedArray *>> byPath;
  for (const SlicedArray &array : arrays)
    byPath[array.file.path].push_back(&array);
  for (const auto &[path, list] : byPath) {
    files.emplace_back(path);
    std::vector<NamedArray> named;
    for (const SlicedArray *array : list)
      named.push_back({array->file.member, array->type, array->shape});
    std::vector<uint64_t> offsets{0};
    std::string head;
    if (list[0]->file.format == FileFormat::Safetensors) {
      offsets.clear();
      head = safetensorsHeader(named, offsets);
    } else if (list[0]->file.format == FileFormat::Npy) {
      head = npyHeader(named[0].type, named[0].shape);
      offsets[0] = head.size();
    }
    uint64_t size = head.size();
    for (size_t i = 0; i < list.size(); ++i) {
      targets.push_back({&files.back(), offsets[i], *list[i]});
      size += countBytes(list[i]->shape, elementSize(list[i]->type)).value();
    }
    heads[&files.back()] = {std::move(head), size};
  }
}

void SlicedFiles::create() {
  for (SharedFile &file : files)
    file.create(heads[&file].first, heads[&file].second);
}

void SlicedFiles::open() {
  for (SharedFile &file : files)
    file.open();
}

void SlicedFiles::write(const Program &program, size_t result, int64_t rank,
                        Array &shard) {
  for (const Target &target : targets) {
    if (target.array.result != result)
      continue;
    size_t size = elementSize(target.array.type);
    shardir_buffer view = shard.view();
    check(moveRuns(
        [&](void *from, int64_t first, int64_t count) {
          target.file->writeAt(target.offset + uint64_t(first) * size, from,
                               uint64_t(count) * size);
        },
        [&](shardir_move_fn move, void *context) {
          return shardir_write_result(program.get(), program.functionName(),
                                      result, target.array.shape.data(), rank,
                                      &view, move, context);
        }));
  }
}

void SlicedFiles::writeWhole(size_t result, const Array &array) {
  for (const Target &target : targets)
    if (target.array.result == result)
      target.file->writeAt(target.offset, array.bytes.data(),
                           array.bytes.size());
}

void SlicedFiles::close() {
  for (SharedFile &file : files)
    file.close();
}

void SlicedFiles::publish() {
  for (SharedFile &file : files)
    file.publish();
  if (index.first.empty())
    return;
  std::vector<std::string> before;
  if (::access(index.first.c_str(), F_OK) == 0)
    for (const auto &array : readIndex(index.first))
      before.push_back(array.second);
  SharedFile file(index.first);
  file.create(index.second, index.second.size());
  file.publish();
  for (const std::string &path : before)
    ::unlink(path.c_str());
}
