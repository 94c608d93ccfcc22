//===- ArrayFile.h - Arrays in .npy, .npz, .safetensors and raw files -----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes arrays in the formats that other tools exchange. A reader
// says which element type and shape it wants, because files cannot always say:
// bf16 is stored as uint16, raw files have no header. Headers are checked
// against the file's size before anything is allocated; any damage is a
// Failure with Exit::Usage that names the file, whatever the bytes are.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_ARRAYFILE_H
#define SHARDIR_RUNNER_ARRAYFILE_H

#include "ShardIR/Runner/Array.h"

#include <utility>

namespace shardir::runner {

enum class FileFormat {
  Npy,
  Npz,
  Safetensors,
  SafetensorsIndex, ///< the index of arrays in several .safetensors files
  Raw
};

/// Where an array lies: a file and, in archives, a name.
struct ArrayRef {
  std::string path;
  FileFormat format = FileFormat::Npy;
  std::string member; ///< may be empty for an archive that holds one array

  /// As the user spells it, for messages.
  std::string spelling() const {
    return member.empty() ? path : path + ":" + member;
  }
};

/// Reads `x.npy`, `w.npz:name`, `w.safetensors:layer.0.weight`, `x.bin` or
/// `x.raw`: what follows the `@` on the command line.
ArrayRef parseArrayRef(const std::string &text);

/// Reads the path of an archive as a whole: .npz, .safetensors or
/// .safetensors.index.json.
ArrayRef parseArchive(const std::string &path);

/// The names of the arrays in an archive.
std::vector<std::string> readArrayNames(const ArrayRef &archive);

/// Reads the array at `ref`. `shape` may have -1 for an extent that the file
/// decides; a raw file can decide one such extent.
Array readArray(const ArrayRef &ref, ElementType type, const Shape &shape);

/// Checks that `path` can be read as a file at all, without reading it.
void checkReadable(const std::string &path);
/// Checks that `path` can be written, without creating or changing it.
void checkWritable(const std::string &path);

/// Writes arrays to one file, which must all be of one format; an .npy or raw
/// file takes exactly one. bf16 is written as uint16 bits and f8 as uint8 bits
/// in .npy and .npz, which numpy reads without help.
void writeArrays(
    const std::string &path, FileFormat format,
    const std::vector<std::pair<std::string, const Array *>> &arrays);

/// The whole contents of a file.
std::string readFile(const std::string &path);
/// Replaces or creates a file.
void writeFile(const std::string &path, const std::string &contents);

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_ARRAYFILE_H
