//===- ShardMoves.h - Between a file and a shard ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For shard-run and the Python package: the runtime says which runs of elements
// a shard is made of, and calls a function for each. Short runs are read
// through a window of the file. Requires exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_SHARDMOVES_H
#define SHARDIR_RUNNER_SHARDMOVES_H

#include "ShardIR/Runtime/ShardIR.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>

namespace shardir::runner {

/// `readAt(at, to, bytes)` reads from a file, of which bytes before `end` are
/// there.
template <typename ReadAt> class WindowReader {
public:
  WindowReader(ReadAt readAt, uint64_t end) : readAt(readAt), end(end) {}

  void read(uint64_t at, void *to, uint64_t bytes) {
    if (bytes >= kLongRun)
      return readAt(at, to, bytes);
    if (at < begin || at + bytes > begin + window.size()) {
      begin = at;
      window.resize(std::min(kWindow, end - at));
      readAt(begin, window.data(), window.size());
    }
    std::memcpy(to, window.data() + (at - begin), bytes);
  }

private:
  static constexpr uint64_t kWindow = uint64_t(256) << 10;
  /// Runs from here on are read by themselves.
  static constexpr uint64_t kLongRun = uint64_t(16) << 10;

  ReadAt readAt;
  const uint64_t end;
  uint64_t begin = 0;
  std::string window;
};

/// Calls `walk` with a function for the runtime that calls
/// `move(data, first, count)`, whose failures come out of here.
template <typename Move, typename Walk>
shardir_status moveRuns(Move move, Walk walk) {
  struct Context {
    Move &move;
    std::exception_ptr failure;
  } context{move, nullptr};
  shardir_status status = walk(
      [](void *opaque, void *data, int64_t first, int64_t count) {
        auto &context = *static_cast<Context *>(opaque);
        try {
          context.move(data, first, count);
        } catch (...) {
          context.failure = std::current_exception();
          return 1;
        }
        return 0;
      },
      &context);
  if (context.failure)
    std::rethrow_exception(context.failure);
  return status;
}

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_SHARDMOVES_H
