//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop over instructions, how lanes part and meet again, and where accesses
// lie. Lanes that are furthest behind go first, so they meet where the ways of
// a branch do; PTX leaves the order open.
//
//===----------------------------------------------------------------------===//

#include "Warp.h"

#include <algorithm>

using namespace shardir::emulated::ptx;

Warp::Warp(Block &block, const Code &code, int number, uint32_t lanes)
    : block(block), code(code), number(number), lanes(lanes), states(kLanes),
      writtenIn(code.cells), file(code.fileBytes), knowns(code.cells) {
  for (const Code::Constant &constant : code.constants) {
    for (int lane = 0; lane < kLanes; ++lane)
      if (constant.wide)
        cells<uint64_t>(constant.slot)[lane] = constant.value;
      else
        cells<uint32_t>(constant.slot)[lane] = uint32_t(constant.value);
  }
}

void Warp::reset() {
  std::fill(knowns.begin(), knowns.end(), 0);
  for (const Code::Constant &constant : code.constants)
    known(constant.slot) = kAllLanes;
  const Launch &launch = block.launch;
  const int64_t *size = launch.block;
  for (const Code::Special &special : code.specials) {
    known(special.slot) = kAllLanes;
    const std::string &name = special.name;
    int dim =
        name.size() > 2 && name[name.size() - 2] == '.' ? name.back() - 'x' : 0;
    uint32_t *values = cells<uint32_t>(special.slot);
    auto setEach = [&](auto valueOf) {
      for (int64_t lane = 0; lane < kLanes; ++lane)
        values[lane] = uint32_t(valueOf(lane));
    };
    auto setAll = [&](int64_t value) {
      std::fill_n(values, kLanes, uint32_t(value));
    };
    if (name.compare(0, 5, "%tid.") == 0)
      setEach([&](int64_t lane) {
        int64_t linear = number * int64_t(kLanes) + lane;
        int64_t thread[] = {linear % size[0], linear / size[0] % size[1],
                            linear / size[0] / size[1]};
        return thread[dim];
      });
    else if (name.compare(0, 6, "%ntid.") == 0)
      setAll(size[dim]);
    else if (name.compare(0, 7, "%ctaid.") == 0)
      setAll(block.place[dim]);
    else if (name.compare(0, 8, "%nctaid.") == 0)
      setAll(launch.grid[dim]);
    else if (name == "%laneid")
      setEach([](int64_t lane) { return lane; });
    else if (name == "%warpid")
      setAll(number);
    else if (name == "%nwarpid")
      setAll(int64_t(block.warps.size()));
    else if (name == "%lanemask_eq")
      setEach([](int64_t lane) { return int64_t(1) << lane; });
    else if (name == "%lanemask_lt")
      setEach([](int64_t lane) { return (int64_t(1) << lane) - 1; });
    else if (name == "%cluster_ctarank")
      setAll(block.rank);
    else if (name == "%cluster_ctaid.x")
      setAll(block.place[0] % launch.cluster[0]);
    else if (name == "%clusterid.x")
      setAll(block.place[0] / launch.cluster[0]);
    else if (name == "%nclusterid.x")
      setAll(launch.grid[0] / launch.cluster[0]);
    else if (name == "%cluster_nctarank")
      setAll(launch.cluster[0] * launch.cluster[1] * launch.cluster[2]);
    else
      setAll(0);
  }
  alive = lanes;
  ++barriers;
  current = waiting = 0;
  std::fill(std::begin(lanePc), std::end(lanePc), 0);
  for (LaneState &state : states)
    state = LaneState();
  local.assign(size_t(code.localBytes) * kLanes, char(0xff));
  barrier = -1;
  arrivedAtCluster = false;
  openProducts.clear();
  tensorProducts.clear();
  tensorLoads.clear();
  tensorFence = barriers;
  usedTensors = false;
  productGroups.clear();
  pendingWrites.clear();
  pendingReads.clear();
  carry = 0;
  fences = 0;
  std::fill(writtenIn.begin(), writtenIn.end(), 0);
  lastRange = Range();
}

void Warp::fail(const std::string &what) const {
  fail(lowest(current ? current : 1), what);
}

void Warp::fail(int lane, const std::string &what) const {
  if (lane < 0) // the warp as a whole
    lane = lowest(current ? current : 1);
  int64_t linear = number * int64_t(kLanes) + lane;
  throw Error(block.name() +
              code.module->at(code.insts[pc].line,
                              "thread " + std::to_string(linear) + " " + what));
}

void Warp::failUnknown(uint32_t missing, const char *what) const {
  fail(lowest(missing),
       std::string("uses a value that was never written as ") + what);
}

std::set<int> Warp::lines() const {
  std::set<int> all;
  for (uint32_t m = alive; m; m &= m - 1)
    all.insert(code.insts[lanePc[lowest(m)]].line);
  return all;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// Chooses the lanes that go on. False where all wait or have ended.
bool Warp::select() {
  uint32_t ready = alive & ~waiting;
  if (!ready)
    return false;
  pc = UINT32_MAX;
  for (uint32_t m = ready; m; m &= m - 1)
    pc = std::min(pc, lanePc[lowest(m)]);
  current = 0;
  otherPc = UINT32_MAX;
  for (uint32_t m = alive; m; m &= m - 1) {
    int lane = lowest(m);
    if (lanePc[lane] == pc)
      current |= 1u << lane;
    else if (ready >> lane & 1)
      otherPc = std::min(otherPc, lanePc[lane]);
  }
  waiting &= ~current;
  return true;
}

void Warp::park() {
  for (uint32_t m = current; m; m &= m - 1)
    lanePc[lowest(m)] = pc;
  current = 0;
}

void Warp::leave(uint32_t mask) {
  if (!pendingWrites.empty())
    fail("ends while products are on their way");
  forLanes(mask, [&](int lane) {
    LaneState &state = states[size_t(lane)];
    if (!state.open.empty() || !state.groups.empty())
      for (auto &group : state.groups)
        for (Copy &copy : group)
          block.clearFlag(copy.to, copy.bytes, Block::Coming);
    for (Copy &copy : state.open)
      block.clearFlag(copy.to, copy.bytes, Block::Coming);
    state.open.clear();
    state.groups.clear();
    // Shared memory is another block's once this one has ended.
    if (!state.openStores.empty() || !state.storeGroups.empty())
      fail(lane, "ends while a copy of a tensor reads its shared memory");
  });
  alive &= ~mask;
  current &= ~mask;
  // Barriers that wait for full warps now wait for fewer.
  waiting = 0;
}

void Warp::branch(const Inst &inst, uint32_t taken) {
  if (!inst.targets.empty()) {
    need(inst.s[1], taken, "an index of a branch");
    forLanes(taken, [&](int l) {
      uint32_t index = cells<uint32_t>(inst.s[1])[l];
      if (index >= inst.targets.size())
        fail(l, "branches to label " + std::to_string(index) + " of " +
                    std::to_string(inst.targets.size()));
      lanePc[l] = uint32_t(inst.targets[index]);
    });
    forLanes(current & ~taken, [&](int l) { lanePc[l] = pc + 1; });
    current = 0;
    return;
  }
  if (taken == current) {
    pc = uint32_t(inst.target);
    return;
  }
  if (taken == 0) {
    ++pc;
    return;
  }
  forLanes(taken, [&](int l) { lanePc[l] = uint32_t(inst.target); });
  forLanes(current & ~taken, [&](int l) { lanePc[l] = pc + 1; });
  current = 0;
}

bool Warp::run() {
  // Conditions may have come about since.
  waiting = 0;
  bool progress = false;
  const Inst *insts = code.insts.data();
  LaunchCounters *counters = block.grid.counters.get();
  while (select()) {
    while (current) {
      const Inst &inst = insts[pc];
      uint32_t mask = current;
      if (inst.guarded) {
        need(inst.guard, mask, "a guard");
        uint32_t guard = predicate(inst.guard);
        mask &= inst.guardNegated ? ~guard : guard;
      }
      if (!pendingWrites.empty() && inst.kind != Inst::Branch)
        checkWgmma(inst);
      switch (inst.kind) {
      case Inst::Plain:
        if (mask) {
          inst.run(*this, inst, mask);
          if (counters)
            counters->execute(inst, agent);
        }
        ++pc;
        progress = true;
        break;
      case Inst::Branch:
        if (counters)
          counters->execute(inst, agent);
        branch(inst, mask);
        progress = true;
        break;
      case Inst::Exit: {
        uint32_t others = current & ~mask;
        leave(mask);
        current = others;
        ++pc;
        progress = true;
        break;
      }
      case Inst::Meet: {
        // Those that came here before wait here.
        if (current != alive && !inst.guarded)
          for (uint32_t m = alive & waiting; m; m &= m - 1)
            if (lanePc[lowest(m)] == pc) {
              current |= 1u << lowest(m);
              waiting &= ~(1u << lowest(m));
              mask = current;
            }
        if (mask != current) {
          forLanes(current & ~mask, [&](int l) { lanePc[l] = pc + 1; });
          if (!mask) {
            ++pc;
            break;
          }
          otherPc = std::min(otherPc, pc + 1);
          current = mask;
        }
        if (inst.meet(*this, inst, mask) == Outcome::Next) {
          if (counters)
            counters->execute(inst, agent);
          ++pc;
          progress = true;
          break;
        }
        uint32_t waiters = current;
        park();
        waiting |= waiters;
        break;
      }
      }
      if (pc >= otherPc) {
        park();
        break;
      }
    }
  }
  return progress;
}

/// Registers of products that nobody has waited for may not be touched.
void Warp::checkWgmma(const Inst &inst) const {
  if (inst.touchesWgmma)
    return;
  auto check = [&](Slot slot) {
    auto it = pendingWrites.find(slot.index);
    if (it != pendingWrites.end() && it->second > 0)
      fail(std::string("uses a register of a ") +
           (tensorLoads.empty() ? "wgmma" : "load of tensor memory") +
           " that was not waited for");
  };
  for (Slot slot : inst.s)
    if (slot.offset || slot.index)
      check(slot);
  for (Slot slot : inst.more)
    check(slot);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static std::string hex(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(address));
  return text;
}

char *Warp::global(int lane, uint64_t address, int64_t bytes) {
  auto size = uint64_t(bytes);
  if (address >= lastRange.begin && address + size <= lastRange.end)
    return reinterpret_cast<char *>(uintptr_t(address));
  const std::vector<Range> &memory = block.launch.memory;
  auto it = std::upper_bound(
      memory.begin(), memory.end(), address,
      [](uint64_t a, const Range &range) { return a < range.begin; });
  if (it != memory.begin() && address + size <= (it - 1)->end) {
    lastRange = *(it - 1);
    return reinterpret_cast<char *>(uintptr_t(address));
  }
  for (const Variable &v : code.module->variables)
    if (v.address && address >= v.address &&
        address + size <= v.address + uint64_t(v.bytes))
      return reinterpret_cast<char *>(uintptr_t(address));
  if (block.launch.anyMemory && address >= 4096 && address < kSharedWindow)
    return reinterpret_cast<char *>(uintptr_t(address));
  std::string where = "; no block of memory is near";
  if (it != memory.begin() && address - (it - 1)->end < (1u << 20))
    where = ", " + std::to_string(int64_t(address - (it - 1)->begin)) +
            " bytes behind the begin of a block of " +
            std::to_string((it - 1)->end - (it - 1)->begin);
  else if (it != memory.end() && it->begin - address < (1u << 20))
    where = ", " + std::to_string(it->begin - address) +
            " bytes before a block's begin";
  fail(lane, "accesses " + std::to_string(bytes) +
                 " bytes outside of global memory, at " + hex(address) + where);
}

void Warp::count(const Inst &inst, uint32_t mask, Space space, bool generic,
                 Slot slot, int64_t offset, int64_t bytes) {
  if (!block.grid.counters)
    return;
  uint64_t window = generic || space == Space::Global ? 0
                    : space == Space::Shared          ? kSharedWindow
                                                      : kParamWindow;
  uint64_t addresses[kLanes];
  forLanes(mask, [&](int l) {
    addresses[l] = (wide(slot, l) + uint64_t(offset)) | window;
  });
  block.grid.counters->access(inst, mask, addresses, bytes);
}

char *Warp::at(Space space, bool generic, int lane, uint64_t address,
               int64_t bytes, bool write) {
  if (address & uint64_t(bytes - 1))
    fail(lane, "accesses " + std::to_string(bytes) +
                   " bytes as one, at an address " +
                   std::to_string(address % uint64_t(bytes)) +
                   " bytes behind a multiple of them");
  if (generic) {
    switch (address & kWindowMask) {
    case 0:
      space = Space::Global;
      break;
    case kSharedWindow:
      space = Space::Shared;
      break;
    case kLocalWindow:
      space = Space::Local;
      break;
    case kParamWindow:
      space = Space::Param;
      break;
    default:
      fail(lane, "accesses " + hex(address) + ", which is in no space");
    }
    address &= ~kWindowMask;
  }
  auto size = uint64_t(bytes);
  switch (space) {
  case Space::Global:
  case Space::Const:
    return global(lane, address, bytes);
  case Space::Shared: {
    Block *owner = &block;
    if (address >> kRankShift)
      owner = &block.grid.blockOf(address, block, *this, lane);
    address &= (uint64_t(1) << kRankShift) - 1;
    if (address < kSharedBase || address + size > owner->sharedEnd)
      fail(lane, "accesses " + std::to_string(bytes) + " bytes at " +
                     hex(address) + " of shared memory, which has " +
                     std::to_string(owner->sharedEnd - kSharedBase) +
                     " bytes from " + hex(kSharedBase) + " on");
    if (owner->flagged) {
      if (owner->hasFlag(address, bytes, Block::Coming))
        fail(lane, "accesses shared memory that an asynchronous copy writes, "
                   "which nobody has waited for");
      if (write && owner->hasFlag(address, bytes, Block::BeingRead))
        fail(lane, "writes shared memory that an asynchronous copy reads, "
                   "which nobody has waited for");
      if (owner->hasFlag(address, bytes, Block::IsBarrier))
        fail(lane, "accesses an mbarrier as memory");
    }
    if (write) {
      owner->tag(*this, lane, address, bytes);
      owner->noteWrite(*this, lane, address, bytes);
    } else {
      owner->noteRead(*this, lane, address, bytes);
    }
    return owner->shared + address;
  }
  case Space::Local:
    if (address + size > uint64_t(code.localBytes))
      fail(lane, "accesses byte " + std::to_string(address) +
                     " of its own memory, which has " +
                     std::to_string(code.localBytes));
    return local.data() + size_t(lane) * size_t(code.localBytes) + address;
  case Space::Param:
    if (write)
      fail(lane, "writes a parameter");
    if (address + size > block.launch.parameters.size())
      fail(lane, "reads behind the parameters");
    return const_cast<char *>(block.launch.parameters.data()) + address;
  }
  fail(lane, "accesses no space");
}
