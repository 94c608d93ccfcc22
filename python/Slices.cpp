//===- Slices.cpp - Shards in files of full tensors -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Slices.h says. The runtime says which runs of
// elements a shard is made of. Short runs that are read go through a window of
// the file.
//
//===----------------------------------------------------------------------===//

#include "Slices.h"

#include "Errors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace nb = nanobind;

namespace shardir {
namespace python {

namespace {

constexpr size_t kWindow = size_t(256) << 10;
/// Runs from here on are read by themselves.
constexpr size_t kLongRun = size_t(16) << 10;

class Mover {
public:
  Mover(const Slices &slices, shardir_element_type type, uint64_t elements)
      : fd(slices.fd), offset(slices.offset), size(shardir_element_size(type)),
        end(offset + elements * size) {}

  /// 0, or another number with `failure` set.
  int read(char *to, int64_t first, int64_t count) {
    uint64_t at = offset + uint64_t(first) * size;
    size_t bytes = size_t(count) * size;
    if (bytes >= kLongRun)
      return readAt(at, to, bytes);
    if (at < begin || at + bytes > begin + window.size()) {
      begin = at;
      window.resize(size_t(std::min<uint64_t>(kWindow, end - at)));
      if (int failed = readAt(begin, window.data(), window.size()))
        return failed;
    }
    std::memcpy(to, window.data() + (at - begin), bytes);
    return 0;
  }

  int write(const char *from, int64_t first, int64_t count) {
    uint64_t at = offset + uint64_t(first) * size;
    for (size_t left = size_t(count) * size; left > 0;) {
      ssize_t n = ::pwrite(fd, from, left, off_t(at));
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail(std::strerror(errno));
      from += n;
      at += uint64_t(n);
      left -= size_t(n);
    }
    return 0;
  }

  std::string failure;

private:
  int fail(const char *why) {
    failure = why;
    return 1;
  }
  int readAt(uint64_t at, char *to, size_t left) {
    while (left > 0) {
      ssize_t n = ::pread(fd, to, left, off_t(at));
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return fail(n < 0 ? std::strerror(errno) : "the file ends too early");
      to += n;
      at += uint64_t(n);
      left -= size_t(n);
    }
    return 0;
  }

  const int fd;
  const uint64_t offset, size, end;
  std::string window;
  uint64_t begin = 0;
};

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
  Mover mover(*this, shard.element_type, elementsOf(whole));
  shardir_status status;
  {
    nb::gil_scoped_release release;
    status = shardir_read_argument(
        program, function.c_str(), i, whole.data(), rank, &shard,
        [](void *context, void *data, int64_t first, int64_t count) {
          return static_cast<Mover *>(context)->read(static_cast<char *>(data),
                                                     first, count);
        },
        &mover);
    if (shard.element_type == SHARDIR_I1) {
      auto *bytes = static_cast<uint8_t *>(shard.data);
      std::vector<int64_t> extents(shard.shape, shard.shape + shard.rank);
      for (uint64_t at = 0; at < elementsOf(extents); ++at)
        bytes[at] = bytes[at] != 0;
    }
  }
  if (!mover.failure.empty())
    raise("UsageError", "cannot read '" + path + "': " + mover.failure);
  check(status);
}

void Slices::write(const shardir_program *program, const std::string &function,
                   size_t i, const std::vector<int64_t> &whole, int64_t rank,
                   shardir_buffer shard) const {
  Mover mover(*this, shard.element_type, elementsOf(whole));
  shardir_status status;
  {
    nb::gil_scoped_release release;
    status = shardir_write_result(
        program, function.c_str(), i, whole.data(), rank, &shard,
        [](void *context, void *data, int64_t first, int64_t count) {
          return static_cast<Mover *>(context)->write(
              static_cast<const char *>(data), first, count);
        },
        &mover);
  }
  if (!mover.failure.empty())
    raise("UsageError", "cannot write '" + path + "': " + mover.failure);
  check(status);
}

} // namespace python
} // namespace shardir
