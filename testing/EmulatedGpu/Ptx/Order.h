//===- Order.h - What happens before what -----------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds accesses to shared memory that no barrier orders, by the clocks of
// FastTrack (Flanagan and Freund, PLDI 2009): a warp's clock goes on when it
// arrives somewhere, and who waits there learns of it. A warp is one agent; its
// lanes see each other's writes once they have met at a barrier. Copies of
// boxes are an agent of their own, whose writes those know who wait for the
// copy's mbarrier.
//
// Requires agents numbered through the blocks of a cluster; guarantees no false
// alarm for accesses of two bytes and more.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_ORDER_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_ORDER_H

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace shardir {
namespace emulated {
namespace ptx {

/// Of every agent, up to when its doings are known.
using Clocks = std::vector<uint32_t>;

/// The agents of a cluster.
class Order {
public:
  explicit Order(size_t agents);
  /// Before blocks begin: all that was is known. Whether what was recorded must
  /// be forgotten, as clocks start again.
  bool begin();
  /// `agent` arrives at what `point` stands for.
  void release(size_t agent, Clocks &point);
  /// `agent` has waited there.
  void acquire(size_t agent, const Clocks &point);
  /// A copy that `agent` asks for has written: known at `point` alone.
  uint32_t startCopy();
  void finishCopy(uint32_t copy, Clocks &point);

  size_t copies() const { return known.size() - 1; } ///< the agent
  uint32_t clock(size_t agent) const { return now[agent]; }
  bool knows(size_t agent, size_t other, uint32_t clock) const {
    return agent == other || clock <= known[agent][other];
  }
  /// Up to when `agent` knows `other`.
  uint32_t knowsUntil(size_t agent, size_t other) const {
    return known[agent][other];
  }
  /// Up to when `agent` knows all others.
  uint32_t knowsAll(size_t agent) const { return least[agent]; }
  size_t size() const { return known.size(); }

private:
  std::vector<Clocks> known; ///< by agent
  Clocks now, least;
  uint32_t last = 0;
};

/// The origin of an access: a warp's agent, its lane (-1: all lanes of the
/// warp), and the number of barriers since the launch began.
struct Accessor {
  size_t agent;
  int lane;
  uint32_t barriers;
};

/// The last accesses to a block's shared memory.
class History {
public:
  History(const Order &order, size_t bytes);
  void forget();
  /// The agent whose write an access is not ordered with, or -1.
  int read(Accessor who, uint64_t address, uint64_t bytes);
  /// Likewise, or whose read. `as` is who is taken to have written, and when.
  int write(Accessor who, uint64_t address, uint64_t bytes, size_t as,
            uint32_t when);
  int write(Accessor who, uint64_t address, uint64_t bytes) {
    return write(who, address, bytes, who.agent, order.clock(who.agent));
  }

private:
  static constexpr unsigned kClockBits = 23;
  struct Free {
    void operator()(uint32_t *p) const { std::free(p); }
  };
  using Array = std::unique_ptr<uint32_t[], Free>;
  static Array make(size_t count) {
    return Array(static_cast<uint32_t *>(std::calloc(count, 4)));
  }
  static uint32_t tagOf(Accessor who) {
    return who.lane < 0 ? 0 : who.barriers << 5 | uint32_t(who.lane);
  }
  int unordered(Accessor who, uint64_t address, uint64_t bytes) const;

  const Order &order;
  size_t bytes;
  Array writes;             ///< by byte: agent and clock
  Array lanes;              ///< by byte: barriers and lane of the write
  Array latest;             ///< by two bytes: the latest clock of a read
  std::vector<Array> reads; ///< by agent and two bytes
};

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_ORDER_H
