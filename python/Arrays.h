//===- Arrays.h - Arrays of the package and of others -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of shards and results, and arrays that callers pass, which DLPack
// gives without a copy. Requires the interpreter's lock.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PYTHON_ARRAYS_H
#define SHARDIR_PYTHON_ARRAYS_H

#include "Dtypes.h"

#include <nanobind/ndarray.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardir {
namespace python {

/// An array that the package owns: row-major, at a multiple of 64 bytes, which
/// JAX asks for where it takes an array without a copy.
struct Block {
  Block(shardir_element_type type, std::vector<int64_t> shape)
      : type(type), shape(std::move(shape)) {
    data.reset(std::aligned_alloc(64, (bytes() + 63) / 64 * 64 + 64),
               [](void *p) { std::free(p); });
    if (!data)
      throw std::bad_alloc();
  }
  size_t bytes() const {
    size_t product = shardir_element_size(type);
    for (int64_t extent : shape)
      product *= size_t(extent);
    return product;
  }
  shardir_buffer view() const {
    return {data.get(), shape.data(), shape.size(), type};
  }
  nanobind::object toArray(const std::string &framework, Sign sign) &&;

  shardir_element_type type;
  std::vector<int64_t> shape;
  std::shared_ptr<void> data;
};

/// The shards of one tensor, one for each rank of this process, that stay in
/// memory between calls.
struct Shards {
  Shards() = default;
  Shards(const Shards &) = delete;
  Shards &operator=(const Shards &) = delete;
  std::vector<Block> blocks;
  std::vector<int64_t> shape;
  /// Of the array that was distributed, or of the full shape where a process
  /// gave its own shard; processes compare it.
  uint64_t digest = 0;
  /// Of a shard that its process gave: the first process that holds the same
  /// part has the same digest.
  struct Copy {
    uint64_t digest;
    size_t first;
  };
  std::optional<Copy> copy;
  size_t bytes() const {
    size_t sum = 0;
    for (const Block &block : blocks)
      sum += block.bytes();
    return sum;
  }
  Shards *clone() const;
};

/// Keeps memory until the process ends: the transport may write to it after a
/// failed run.
void keep(const std::vector<const Shards *> &all);

/// Someone else's array, for the time of a call.
struct Input {
  nanobind::ndarray<nanobind::ro, nanobind::device::cpu, nanobind::c_contig>
      array;
  std::vector<int64_t> shape;

  /// Raises UsageError for what is no such array, with `name`.
  Input(nanobind::handle object, shardir_element_type type,
        const std::string &name);
  shardir_buffer view(shardir_element_type type) const {
    return {const_cast<void *>(array.data()), shape.data(), shape.size(), type};
  }
};

} // namespace python
} // namespace shardir

#endif // SHARDIR_PYTHON_ARRAYS_H
