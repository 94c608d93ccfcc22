//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where threads wait for each other: barriers of a block, a warp and a cluster
// (PTX ISA, section 9.7.13), mbarriers (9.7.13.15), fences, and setmaxnreg
// (9.7.19.5). A wait is tried again each time that its warp has a turn.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Warp.h"

using namespace shardir::emulated;
using namespace shardir::emulated::ptx;

namespace {
//===----------------------------------------------------------------------===//
// Barriers of a block
//===----------------------------------------------------------------------===//

/// variant: 1 waits. s[1]: the barrier; s[2]: the threads, where count is 1.
Outcome runBarrier(Warp &w, const Inst &i, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  if (w.barrier >= 0) {
    if (w.block.barriers[size_t(w.barrier)].generation == w.barrierGeneration)
      return Outcome::Wait;
    w.block.grid.order.acquire(w.agent,
                               w.block.barriers[size_t(w.barrier)].order);
    w.barrier = -1;
    ++w.barriers;
    return Outcome::Next;
  }
  w.need(i.s[1], mask, "a barrier's number");
  uint32_t id = w.cells<uint32_t>(i.s[1])[lowest(mask)];
  if (id >= w.block.barriers.size())
    w.fail("names barrier " + std::to_string(id) + "; there are 16");
  int64_t count = int64_t(w.block.warps.size()) * kLanes;
  if (i.count) {
    w.need(i.s[2], mask, "a number of threads");
    count = w.cells<uint32_t>(i.s[2])[lowest(mask)];
    if (count == 0 || count % kLanes != 0)
      w.fail("waits at a barrier for " + std::to_string(count) +
             " threads, which is no multiple of 32");
  }
  forLanes(mask, [&](int l) {
    if (w.cells<uint32_t>(i.s[1])[l] != id)
      w.fail(l, "is at another barrier than other threads of its warp");
  });
  w.needTensorFence();
  w.barrierGeneration = w.block.barriers[id].generation;
  w.block.arrive(w, int(id), count, /*ofAll=*/!i.count);
  if (!i.variant)
    return Outcome::Next;
  ++w.barriers;
  if (w.block.barriers[id].generation != w.barrierGeneration) {
    w.block.grid.order.acquire(w.agent, w.block.barriers[id].order);
    return Outcome::Next;
  }
  w.barrier = int(id);
  return Outcome::Wait;
}

Outcome runWarpBarrier(Warp &w, const Inst &i, uint32_t mask) {
  w.need(i.s[1], mask, "a mask of lanes");
  uint32_t wanted = w.cells<uint32_t>(i.s[1])[lowest(mask)] & w.lanes;
  if (uint32_t ended = wanted & ~w.alive)
    w.fail("waits for lane " + std::to_string(lowest(ended)) +
           ", which has ended");
  if ((wanted & mask) != wanted)
    return Outcome::Wait;
  ++w.barriers;
  return Outcome::Next;
}

Outcome runClusterArrive(Warp &w, const Inst &, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  if (w.arrivedAtCluster)
    w.fail("arrives at the cluster's barrier twice");
  w.block.grid.arriveAtCluster(w);
  return Outcome::Next;
}
Outcome runClusterWait(Warp &w, const Inst &, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  if (!w.arrivedAtCluster)
    w.fail("waits at the cluster's barrier without having arrived");
  if (w.block.grid.clusterGeneration == w.clusterGeneration)
    return Outcome::Wait;
  w.arrivedAtCluster = false;
  ++w.barriers;
  w.block.grid.order.acquire(w.agent, w.block.grid.clusterOrder);
  return Outcome::Next;
}

void decodeBarrier(Decoder &d, Inst &i) {
  i.kind = Inst::Meet;
  bool barrier = d.statement().opcode == "barrier";
  if (d.take("cluster")) {
    bool arrives = d.takeOneOf({"arrive", "wait"}, "operation") == 0;
    for (const char *word : {"release", "acquire", "relaxed", "aligned"})
      d.take(word);
    i.meet = arrives ? runClusterArrive : runClusterWait;
    return;
  }
  d.take("cta");
  if (d.take("warp")) {
    if (!d.take("sync"))
      d.fail("an instruction without .sync");
    d.wantOperands(1, 1);
    i.s[1] = d.in(0, Type::U32);
    i.meet = runWarpBarrier;
    return;
  }
  i.variant = d.takeOneOf({"arrive", "sync"}, "operation") == 1;
  if (barrier && !d.take("aligned"))
    d.fail("a barrier at which a warp's threads need not meet");
  d.take("aligned");
  d.wantOperands(i.variant ? 1 : 2, 2);
  i.s[1] = d.in(0, Type::U32);
  i.count = d.operands() == 2;
  if (i.count)
    i.s[2] = d.in(1, Type::U32);
  i.meet = runBarrier;
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

void doNothing(Warp &, const Inst &, uint32_t) {}

/// Makes writes of the lanes visible to the asynchronous proxy; variant: writes
/// to barriers alone.
void runProxyFence(Warp &w, const Inst &i, uint32_t mask) {
  if (w.block.unfenced.empty())
    return;
  forLanes(mask, [&](int lane) {
    auto &written = w.states[size_t(lane)].written;
    auto own = uint16_t(w.number * kLanes + lane + 1);
    std::vector<std::pair<uint32_t, uint32_t>> left;
    for (auto [address, bytes] : written) {
      if (i.variant && !w.block.hasFlag(address, bytes, Block::IsBarrier)) {
        left.push_back({address, bytes});
        continue;
      }
      for (uint32_t n = address; n < address + bytes; ++n)
        if (w.block.unfenced[n] == own)
          w.block.unfenced[n] = 0;
    }
    written = std::move(left);
  });
}

void decodeFence(Decoder &d, Inst &i) {
  d.wantOperands(0, 0);
  i.run = doNothing;
  if (d.take("proxy")) {
    if (!d.take("async"))
      d.fail("a fence between proxies that are not emulated");
    d.take("shared::cta");
    d.take("global");
    i.run = runProxyFence;
    return;
  }
  if (d.take("mbarrier_init")) {
    d.take("release");
    d.take("cluster");
    i.variant = 1;
    i.run = runProxyFence;
    return;
  }
  for (const char *word : {"acq_rel", "sc", "acquire", "release", "cta", "gpu",
                           "sys", "cluster", "gl"})
    d.take(word);
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

enum : uint8_t { Init, Invalidate, Arrive, ArriveExpect, Expect };

uint64_t barrierAddress(Warp &w, const Inst &i, int lane, Block *&owner) {
  uint64_t address = w.wide(i.s[1], lane) + uint64_t(i.imm);
  if (i.generic) {
    if ((address & kWindowMask) != kSharedWindow)
      w.fail(lane, "has an mbarrier outside of shared memory");
    address &= ~kWindowMask;
  }
  owner = &w.block.grid.blockOf(address, w.block, w, lane);
  return address & ((uint64_t(1) << kRankShift) - 1);
}

void initialise(Warp &w, int lane, uint64_t address, uint32_t count) {
  Block &block = w.block;
  if (address % 8 || address < kSharedBase || address + 8 > block.sharedEnd)
    w.fail(lane, "has an mbarrier outside of shared memory, or at no multiple "
                 "of 8 bytes");
  if (block.hasFlag(address, 8, Block::IsBarrier))
    w.fail(lane, "initialises an mbarrier that is one");
  if (count == 0 || count > (1u << 20) - 1)
    w.fail(lane, "initialises an mbarrier for " + std::to_string(count) +
                     " reachable");
  if (count > UINT16_MAX)
    w.fail(lane,
           "initialises an mbarrier for more reachable than are emulated");
  block.setFlag(address, 8, Block::IsBarrier);
  reinterpret_cast<MBarrier *>(block.shared + address)->init(int32_t(count));
  block.tag(w, lane, address, 8);
  block.noteWrite(w, lane, address, 8);
  block.mbarrierOrder[address].clear();
}

void runMBarrier(Warp &w, const Inst &i, uint32_t mask) {
  w.need(i.s[1], mask, "an address");
  if (i.count)
    w.need(i.s[2], mask, "a count");
  forLanes(mask, [&](int lane) {
    Block *owner = nullptr;
    uint64_t address = barrierAddress(w, i, lane, owner);
    uint32_t count = i.count ? w.cells<uint32_t>(i.s[2])[lane] : 1;
    if (i.variant == Init)
      return initialise(w, lane, address, count);
    MBarrier *barrier = owner->mbarrier(address, w, lane);
    if (i.variant == Invalidate)
      return owner->clearFlag(address, 8, Block::IsBarrier);
    owner->noteRead(w, -1, address, 8);
    if (i.variant != Expect)
      w.needTensorFence();
    if (i.variant != Expect)
      w.block.grid.order.release(w.agent, owner->mbarrierOrder[address]);
    uint64_t state = barrier->phase;
    bool fits = true;
    switch (i.variant) {
    case Arrive:
      for (uint32_t n = 0; n < count; ++n)
        fits = fits && barrier->phase == state && barrier->arrive(0);
      break;
    case ArriveExpect:
      fits = barrier->arrive(count);
      break;
    default:
      barrier->bytes = int32_t(barrier->bytes + int64_t(count));
    }
    if (!fits)
      w.fail(lane, "arrives at an mbarrier more often than it counts");
    if (i.s[0].wide)
      w.cells<uint64_t>(i.s[0])[lane] = state;
  });
  if (i.s[0].wide)
    w.setKnown(i.s[0], mask, kAllLanes);
}

/// The lanes whose phase has ended go on; variant: s[2] is a state, else a
/// parity.
Outcome runWait(Warp &w, const Inst &i, uint32_t mask) {
  w.need(i.s[1], mask, "an address");
  w.need(i.s[2], mask, "a phase");
  bool all = true;
  forLanes(mask, [&](int lane) {
    Block *owner = nullptr;
    uint64_t address = barrierAddress(w, i, lane, owner);
    MBarrier *barrier = owner->mbarrier(address, w, lane);
    owner->noteRead(w, -1, address, 8);
    uint64_t phase = w.wide(i.s[2], lane);
    if (phase > 1)
      w.fail(lane, "waits for a phase of parity " + std::to_string(phase));
    all = all && barrier->ended(int32_t(phase));
  });
  // Whoever asks again and again may as well wait.
  if (!all)
    return Outcome::Wait;
  forLanes(mask, [&](int lane) {
    Block *owner = nullptr;
    uint64_t address = barrierAddress(w, i, lane, owner);
    w.block.grid.order.acquire(w.agent, owner->mbarrierOrder[address]);
    if (LaunchCounters *counters = w.block.grid.counters.get())
      counters->await(i, w.agent, owner->shared + address);
  });
  ++w.barriers;
  uint32_t &p = w.predicate(i.s[0]);
  p |= mask;
  w.setKnown(i.s[0], mask, kAllLanes);
  return Outcome::Next;
}

void skipScopes(Decoder &d, Inst &i) {
  for (const char *word :
       {"release", "acquire", "relaxed", "cta", "cluster", "b64"})
    d.take(word);
  i.space = Space::Shared;
  i.generic =
      !d.take("shared") && !d.take("shared::cta") && !d.take("shared::cluster");
}

void decodeMBarrier(Decoder &d, Inst &i) {
  int what = d.takeOneOf(
      {"init", "inval", "arrive", "expect_tx", "try_wait", "test_wait"},
      "operation");
  bool parity = d.take("parity");
  bool expects = d.take("expect_tx");
  skipScopes(d, i);
  if (what >= 4) {
    d.wantOperands(3, what == 4 ? 4 : 3);
    i.s[0] = d.out(0, Type::Pred);
    i.s[1] = d.address(d.operand(1), i.imm);
    i.s[2] = d.in(2, parity ? Type::U32 : Type::B64);
    i.kind = Inst::Meet;
    i.meet = runWait;
    return;
  }
  i.variant = what == 0   ? Init
              : what == 1 ? Invalidate
              : what == 3 ? Expect
              : expects   ? ArriveExpect
                          : Arrive;
  i.run = runMBarrier;
  size_t first = 0;
  if (what == 2) {
    if (d.operand(0).kind == Operand::Register)
      i.s[0] = d.out(0, Type::B64);
    first = d.operand(0).kind == Operand::Address ? 0 : 1;
  }
  i.s[1] = d.address(d.operand(first), i.imm);
  bool needsCount = i.variant != Invalidate && i.variant != Arrive;
  d.wantOperands(first + 1 + needsCount, first + 1 + (i.variant != Invalidate));
  i.count = d.operands() > first + 1;
  if (i.count)
    i.s[2] = d.in(first + 1, Type::U32);
}

//===----------------------------------------------------------------------===//
// Registers of a warp group
//===----------------------------------------------------------------------===//

/// variant: more registers.
Outcome runSetRegisters(Warp &w, const Inst &i, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  auto wanted = int(i.imm), have = w.registersPerThread;
  if (i.variant ? wanted < have : wanted > have)
    w.fail(std::string(i.variant ? "raises" : "lowers") + " its registers to " +
           std::to_string(wanted) + " where it has " + std::to_string(have));
  int more = (wanted - have) * kLanes;
  if (more > w.block.freeRegisters)
    return Outcome::Wait; // until others give theirs back
  w.block.freeRegisters -= more;
  w.registersPerThread = wanted;
  return Outcome::Next;
}

void decodeSetRegisters(Decoder &d, Inst &i) {
  i.variant = d.takeOneOf({"dec", "inc"}, "operation") == 1;
  if (!d.take("sync") || !d.take("aligned"))
    d.fail("setmaxnreg without .sync.aligned");
  d.takeType();
  d.wantOperands(1, 1);
  i.imm = d.number(d.operand(0));
  if (i.imm < 24 || i.imm > 256 || i.imm % 8 != 0)
    d.fail("a number of registers that is no multiple of 8 from 24 to 256");
  i.kind = Inst::Meet;
  i.meet = runSetRegisters;
}
} // namespace

void shardir::emulated::ptx::addBarriers(Table &table) {
  table["bar"] = decodeBarrier;
  table["barrier"] = decodeBarrier;
  table["fence"] = decodeFence;
  table["membar"] = decodeFence;
  table["mbarrier"] = decodeMBarrier;
  table["setmaxnreg"] = decodeSetRegisters;
}
