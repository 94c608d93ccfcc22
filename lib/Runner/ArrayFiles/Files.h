//===- Files.h - Checked access to files ------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the runner's library. Readers see bytes at offsets, whether they
// lie in a file or were unpacked from an archive; nothing reads past the end.
// Only regular files are opened for reading: a pipe or a device could block or
// never end. All failures are Exit::Usage and name the file.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_ARRAYFILES_FILES_H
#define SHARDIR_LIB_RUNNER_ARRAYFILES_FILES_H

#include "ShardIR/Runner/Array.h"
#include "ShardIR/Runner/ArrayFile.h"

#include <cstdio>
#include <optional>
#include <utility>

namespace shardir::runner {

/// Bytes at offsets, of a known size.
class Source {
public:
  virtual ~Source() = default;
  virtual uint64_t size() const = 0;
  /// Copies [offset, offset + count); fails if that is not all there.
  virtual void readAt(uint64_t offset, void *out, uint64_t count) const = 0;
  /// `name: message`, as a Failure.
  [[noreturn]] void fail(const std::string &message) const;
  /// Fails with `message` unless [offset, offset + count) is there.
  void require(uint64_t offset, uint64_t count, const char *message) const;
  std::string readString(uint64_t offset, uint64_t count) const;

protected:
  explicit Source(std::string name) : name(std::move(name)) {}
  std::string name;
};

class FileSource : public Source {
public:
  explicit FileSource(const std::string &path);
  ~FileSource() override;
  FileSource(const FileSource &) = delete;
  FileSource &operator=(const FileSource &) = delete;
  uint64_t size() const override { return bytes; }
  void readAt(uint64_t offset, void *out, uint64_t count) const override;

private:
  int fd = -1;
  uint64_t bytes = 0;
};

class MemorySource : public Source {
public:
  MemorySource(std::string name, Bytes contents)
      : Source(std::move(name)), contents(std::move(contents)) {}
  uint64_t size() const override { return contents.size(); }
  void readAt(uint64_t offset, void *out, uint64_t count) const override;

private:
  Bytes contents;
};

/// A file into which several processes write at places of their own. Only once
/// it is published it has its name.
class SharedFile {
public:
  explicit SharedFile(std::string path) : path(std::move(path)) {}
  ~SharedFile();
  SharedFile(const SharedFile &) = delete;
  /// Makes it, of `size` bytes, which begin with `head`. One process does.
  void create(const std::string &head, uint64_t size);
  void open();
  void writeAt(uint64_t offset, const void *data, uint64_t count);
  void close();
  /// Gives it its name, in place of an older file. The process that made it
  /// does.
  void publish();

private:
  [[noreturn]] void fail();
  std::string temporary() const { return path + ".tmp"; }
  const std::string path;
  int fd = -1;
  bool made = false; ///< by this process, and not published
};

/// A file that is written from front to back. `close` reports what failed.
class FileSink {
public:
  explicit FileSink(const std::string &path);
  ~FileSink();
  FileSink(const FileSink &) = delete;
  FileSink &operator=(const FileSink &) = delete;
  void write(const void *data, size_t size);
  void write(const std::string &data) { write(data.data(), data.size()); }
  void close();

private:
  [[noreturn]] void fail();
  std::string path;
  std::FILE *file = nullptr;
};

inline uint64_t loadLittle(const uint8_t *p, int bytes) {
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;)
    value = value << 8 | p[i];
  return value;
}

inline void appendLittle(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i != bytes; ++i, value >>= 8)
    out += char(value & 0xff);
}

/// Where a file has the elements of an array, of a checked shape and size.
struct StoredArray {
  uint64_t at = 0;
  Shape shape;
  /// Stored as arrays are in memory: row-major, little-endian. If not, only the
  /// reader of its format can read it.
  bool plain = true;
};

/// Name, type and shape of an array that is to be written.
struct NamedArray {
  std::string name;
  ElementType type;
  Shape shape;
};

// One format each. `shape` is the wanted one, with -1 for any.
Array readNpy(const Source &source, ElementType type, const Shape &shape);
StoredArray findNpy(const Source &source, ElementType type, const Shape &shape);
std::string npyHeader(ElementType type, const Shape &shape);
Array readNpz(const FileSource &source, const std::string &member,
              ElementType type, const Shape &shape);
std::vector<std::string> namesInNpz(const FileSource &source);
void writeNpz(FileSink &sink, const std::string &path,
              const std::vector<std::pair<std::string, const Array *>> &arrays);
StoredArray findSafetensors(const FileSource &source, const std::string &member,
                            ElementType type, const Shape &shape);
/// All that is before the elements, and where each array begins in the file.
std::string safetensorsHeader(const std::vector<NamedArray> &arrays,
                              std::vector<uint64_t> &offsets);
std::vector<std::string> namesInSafetensors(const FileSource &source);
void writeSafetensors(
    FileSink &sink,
    const std::vector<std::pair<std::string, const Array *>> &arrays);
/// The folder of a path, with its slash; "" for none.
std::string folderOf(const std::string &path);
/// The arrays that an index of .safetensors files names, each with the path of
/// its file.
std::vector<std::pair<std::string, std::string>>
readIndex(const std::string &path);
/// The file and member that an index names for the array of `ref`; others as
/// they are.
ArrayRef resolveIndex(const ArrayRef &ref);
StoredArray findRaw(const FileSource &source, ElementType type,
                    const Shape &shape);
/// The same for any format; nothing for an .npz.
std::optional<StoredArray> findArray(const FileSource &source,
                                     const ArrayRef &ref, ElementType type,
                                     const Shape &shape);

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_ARRAYFILES_FILES_H
