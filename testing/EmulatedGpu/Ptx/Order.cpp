//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All clocks come from one counter, so that a single comparison says that an
// agent knows every read of a place: barriers of whole blocks need no more.
//
//===----------------------------------------------------------------------===//

#include "Order.h"

#include <algorithm>
#include <cstring>

using namespace shardir::emulated::ptx;

namespace {
/// Half of what an epoch can hold; no block has as many arrivals.
constexpr uint32_t kMost = 1u << 22;
} // namespace

Order::Order(size_t agents)
    : known(agents + 1, Clocks(agents + 1)), now(agents + 1),
      least(agents + 1) {}

bool Order::begin() {
  bool again = last > kMost;
  if (again)
    last = 0;
  for (size_t agent = 0; agent < known.size(); ++agent) {
    std::fill(known[agent].begin(), known[agent].end(), last);
    least[agent] = last;
  }
  for (uint32_t &clock : now)
    clock = last + 1;
  ++last;
  return again;
}

void Order::release(size_t agent, Clocks &point) {
  point.resize(known.size());
  for (size_t i = 0; i < point.size(); ++i)
    point[i] = std::max(point[i], known[agent][i]);
  point[agent] = std::max(point[agent], now[agent]);
  now[agent] = ++last;
}

void Order::acquire(size_t agent, const Clocks &point) {
  for (size_t i = 0; i < point.size(); ++i)
    known[agent][i] = std::max(known[agent][i], point[i]);
  uint32_t all = UINT32_MAX;
  for (size_t i = 0; i + 1 < known.size(); ++i)
    if (i != agent)
      all = std::min(all, known[agent][i]);
  least[agent] = all;
}

uint32_t Order::startCopy() { return now[copies()] = ++last; }

void Order::finishCopy(uint32_t copy, Clocks &point) {
  point.resize(known.size());
  point[copies()] = std::max(point[copies()], copy);
}

History::History(const Order &order, size_t bytes)
    : order(order), bytes(bytes), writes(make(bytes)), lanes(make(bytes)),
      latest(make(bytes / 2)), reads(order.size()) {}

void History::forget() {
  std::memset(writes.get(), 0, 4 * bytes);
  std::memset(lanes.get(), 0, 4 * bytes);
  std::memset(latest.get(), 0, 2 * bytes);
  for (Array &array : reads)
    if (array)
      std::memset(array.get(), 0, 2 * bytes);
}

int History::unordered(Accessor who, uint64_t address, uint64_t size) const {
  size_t agent = who.agent;
  uint32_t before = 0, tag = tagOf(who);
  for (uint64_t i = address; i < address + size; ++i) {
    uint32_t epoch = writes[i];
    // Another lane's, since the lanes met last.
    if (tag && lanes[i] != tag && lanes[i] >> 5 == who.barriers &&
        epoch >> kClockBits == agent)
      return int(agent);
    if (epoch == before)
      continue;
    before = epoch;
    size_t writer = epoch >> kClockBits;
    if (!order.knows(agent, writer, epoch & ((1u << kClockBits) - 1)))
      return int(writer);
  }
  return -1;
}

int History::read(Accessor who, uint64_t address, uint64_t size) {
  size_t agent = who.agent;
  int other = unordered(who, address, size);
  Array &own = reads[agent];
  if (!own)
    own = make(bytes / 2);
  uint32_t clock = order.clock(agent);
  for (uint64_t i = address / 2; i <= (address + size - 1) / 2; ++i) {
    own[i] = clock;
    latest[i] = std::max(latest[i], clock);
  }
  return other;
}

int History::write(Accessor who, uint64_t address, uint64_t size, size_t as,
                   uint32_t when) {
  size_t agent = who.agent;
  int other = unordered(who, address, size);
  for (uint64_t i = address / 2; i <= (address + size - 1) / 2; ++i) {
    if (latest[i] <= order.knowsAll(agent))
      continue;
    for (size_t reader = 0; reader < reads.size(); ++reader)
      if (reads[reader] && !order.knows(agent, reader, reads[reader][i]))
        other = int(reader);
  }
  uint32_t epoch = uint32_t(as) << kClockBits | when;
  std::fill_n(writes.get() + address, size, epoch);
  std::fill_n(lanes.get() + address, size, as == agent ? tagOf(who) : 0);
  return other;
}
