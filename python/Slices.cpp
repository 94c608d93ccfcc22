//===- Slices.cpp - Shards in files of full tensors -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Slices.h says.
//
//===----------------------------------------------------------------------===//

#include "Slices.h"

#include "Errors.h"
#include "ShardIR/Runner/ShardMoves.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

namespace nb = nanobind;

namespace shardir {
namespace python {

namespace {

/// Reads or writes `left` bytes at `at` of a file by `move`, pread or pwrite.
/// Throws std::runtime_error with the reason.
template <typename Move, typename Data>
void moveAll(Move move, int fd, Data *data, uint64_t left, uint64_t at) {
  while (left > 0) {
    ssize_t n = move(fd, data, left, off_t(at));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      throw std::runtime_error(n < 0 ? std::strerror(errno)
                                     : "the file ends too early");
    data += n;
    at += uint64_t(n);
    left -= uint64_t(n);
  }
}

/// Calls `move` without the interpreter's lock. Failures of the file raise
/// UsageError with `prefix`, others what the runtime says.
template <typename Move>
void withoutLock(const std::string &prefix, Move move) {
  shardir_status status = SHARDIR_OK;
  std::string failure;
  try {
    nb::gil_scoped_release release;
    status = move();
  } catch (const std::runtime_error &error) {
    failure = error.what();
  }
  if (!failure.empty())
    raise("UsageError", prefix + ": " + failure);
  check(status);
}

/// How many elements a tensor has.
uint64_t elementsOf(const std::vector<int64_t> &shape) {
  uint64_t elements = 1;
  for (int64_t extent : shape)
    elements *= uint64_t(extent);
  return elements;
}

} // namespace

void Slices::read(const shardir_program *program, const std::string &function,
                  size_t i, const std::vector<int64_t> &whole, int64_t rank,
                  shardir_buffer shard) const {
  const uint64_t size = shardir_element_size(shard.element_type);
  runner::WindowReader reader(
      [&](uint64_t at, void *to, uint64_t bytes) {
        moveAll(::pread, fd, static_cast<char *>(to), bytes, at);
      },
      offset + elementsOf(whole) * size);
  withoutLock("cannot read '" + path + "'", [&] {
    shardir_status status = runner::moveRuns(
        [&](void *to, int64_t first, int64_t count) {
          reader.read(offset + uint64_t(first) * size, to,
                      uint64_t(count) * size);
        },
        [&](shardir_move_fn move, void *context) {
          return shardir_read_argument(program, function.c_str(), i,
                                       whole.data(), rank, &shard, move,
                                       context);
        });
    if (shard.element_type == SHARDIR_I1) {
      auto *bytes = static_cast<uint8_t *>(shard.data);
      std::vector<int64_t> extents(shard.shape, shard.shape + shard.rank);
      for (uint64_t at = 0; at < elementsOf(extents); ++at)
        bytes[at] = bytes[at] != 0;
    }
    return status;
  });
}

void Slices::write(const shardir_program *program, const std::string &function,
                   size_t i, const std::vector<int64_t> &whole, int64_t rank,
                   shardir_buffer shard) const {
  const uint64_t size = shardir_element_size(shard.element_type);
  withoutLock("cannot write '" + path + "'", [&] {
    return runner::moveRuns(
        [&](void *from, int64_t first, int64_t count) {
          moveAll(::pwrite, fd, static_cast<const char *>(from),
                  uint64_t(count) * size, offset + uint64_t(first) * size);
        },
        [&](shardir_move_fn move, void *context) {
          return shardir_write_result(program, function.c_str(), i,
                                      whole.data(), rank, &shard, move,
                                      context);
        });
  });
}

} // namespace python
} // namespace shardir
