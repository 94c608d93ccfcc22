//===- Slices.h - Shards in files of whole arrays ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the runner's library. A process reads its own shard out of a file
// that holds the whole array, and writes its own into one, so no process holds
// more. Requires a file system that all processes see, and that all of them
// give equal names, types and shapes; guarantees that files have their names
// only once all processes have written, an index after the files it names.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_SLICES_H
#define SHARDIR_LIB_RUNNER_SLICES_H

#include "ArrayFiles/Files.h"
#include "Signature.h"

#include <list>
#include <map>

namespace shardir::runner {

/// Rank `rank`'s shard of argument `i`, which `source` has as `stored`.
Array readShard(const Program &program, size_t i, int64_t rank,
                const FileSource &source, const StoredArray &stored);

/// A result and where it goes: an .npy, raw or .safetensors file.
struct SlicedArray {
  ArrayRef file;
  size_t result;
  ElementType type;
  Shape shape; ///< whole
};

/// Names the parts of an indexed .safetensors checkpoint, of at most
/// `partBytes` each where an array is not larger, in the members of `arrays`,
/// whose `file` is the index. The parts of a checkpoint that is there keep
/// their names.
std::string indexParts(std::vector<SlicedArray> &arrays, uint64_t partBytes);

class SlicedFiles {
public:
  /// `index`: a path and the contents of a file that is published last.
  SlicedFiles(const std::vector<SlicedArray> &arrays,
              std::pair<std::string, std::string> index);

  // Steps; no process goes on to the next before all are done with one.
  void create();  ///< one process
  void open();    ///< all
  void publish(); ///< the process that created

  /// Between open() and close(): this process' elements of a result.
  void write(const Program &program, size_t result, int64_t rank, Array &shard);
  void writeWhole(size_t result, const Array &array);
  void close();

private:
  struct Target {
    SharedFile *file;
    uint64_t offset;
    const SlicedArray array;
  };
  std::list<SharedFile> files;
  std::map<SharedFile *, std::pair<std::string, uint64_t>> heads;
  std::vector<Target> targets;
  const std::pair<std::string, std::string> index;
};

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_SLICES_H
