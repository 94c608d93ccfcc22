//===- Cache.h - A model of the L2 cache ------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sectors of 32 bytes, fully associative: the least recently used one is
// evicted first. A write reads nothing from DRAM; written sectors are stored
// there when they are evicted. So counts do not depend on where buffers are.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_CACHE_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_CACHE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace shardir {
namespace emulated {
namespace ptx {

constexpr uint64_t kSector = 32; ///< bytes

class Cache {
public:
  /// The writer of a sector that nothing wrote to.
  static constexpr size_t kClean = SIZE_MAX;

  explicit Cache(uint64_t bytes)
      : most(std::max<uint64_t>(bytes / kSector, 1)) {}

  /// True if the sector is there. `writer` is the instruction that writes to
  /// it, or kClean; `store(writer)` is called where a written sector is
  /// evicted.
  template <class F> bool access(uint64_t sector, size_t writer, F store) {
    auto found = places.find(sector);
    bool hit = found != places.end();
    if (hit) {
      sectors.splice(sectors.begin(), sectors, found->second);
    } else {
      if (sectors.size() == most) {
        evict(sectors.back(), store);
        places.erase(sectors.back().number);
        sectors.pop_back();
      }
      sectors.push_front({sector, kClean});
      places[sector] = sectors.begin();
    }
    if (writer != kClean)
      sectors.front().writer = writer;
    return hit;
  }
  /// Evicts all sectors.
  template <class F> void flush(F store) {
    for (const Sector &sector : sectors)
      evict(sector, store);
    sectors.clear();
    places.clear();
  }

private:
  struct Sector {
    uint64_t number;
    size_t writer;
  };
  template <class F> static void evict(const Sector &sector, F store) {
    if (sector.writer != kClean)
      store(sector.writer);
  }

  uint64_t most;
  std::list<Sector> sectors; ///< the most recently used one first
  std::unordered_map<uint64_t, std::list<Sector>::iterator> places;
};

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_CACHE_H
