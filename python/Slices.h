//===- Slices.h - Shards in files of full tensors ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves elements between one rank's shard and an open file that has the full
// tensor, row-major, from `offset` on, so that nothing but the shard is in
// memory. Requires a file that is long enough; guarantees that the
// interpreter's lock is released, and that failures name `path`.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PYTHON_SLICES_H
#define SHARDIR_PYTHON_SLICES_H

#include "ShardIR/Runtime/ShardIR.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardir {
namespace python {

struct Slices {
  int fd;
  uint64_t offset; ///< in bytes
  std::string path;

  /// Fills rank `rank`'s shard of argument i, a tensor of shape `whole`.
  void read(const shardir_program *program, const std::string &function,
            size_t i, const std::vector<int64_t> &whole, int64_t rank,
            shardir_buffer shard) const;
  /// Writes the elements of rank `rank`'s shard of result i that no rank before
  /// it writes.
  void write(const shardir_program *program, const std::string &function,
             size_t i, const std::vector<int64_t> &whole, int64_t rank,
             shardir_buffer shard) const;
};

} // namespace python
} // namespace shardir

#endif // SHARDIR_PYTHON_SLICES_H
