//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk.tensor (PTX ISA, section 9.7.9.27): boxes of tensors to shared
// memory, of one block or several of a cluster, and back. Loads tell mbarriers
// their bytes; stores belong to groups of their thread. Both go through the
// asynchronous proxy: what threads wrote is not seen there without a fence.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Warp.h"

using namespace shardir::emulated;
using namespace shardir::emulated::ptx;

namespace {
std::string takeMap(Warp &w, const Inst &i, int lane,
                    shardir_emulated_tensor_map &map) {
  uint64_t address = w.wide(i.s[2], lane) + uint64_t(i.second);
  if (address % 64)
    return "has a tensor map at no multiple of 64 bytes";
  for (uint64_t part = 0; part < sizeof(map); part += 8) {
    uint64_t bytes = std::min<uint64_t>(8, sizeof(map) - part);
    std::memcpy(
        reinterpret_cast<char *>(&map) + part,
        w.at(Space::Global, /*generic=*/true, lane, address + part, 8, false),
        bytes);
  }
  if (map.magic != SHARDIR_TENSOR_MAP)
    return "moves a tensor by what is no tensor map";
  if (map.rank != i.count)
    return "moves a tensor of " + std::to_string(i.count) +
           " dims by a map of " + std::to_string(map.rank);
  // The whole tensor lay in global memory when the map was made.
  w.at(Space::Global, false, lane, uint64_t(uintptr_t(map.address)), 1, false);
  return "";
}

std::array<int32_t, 5> coordinatesOf(Warp &w, const Inst &i, int lane) {
  std::array<int32_t, 5> c = {};
  for (int dim = 0; dim < i.count; ++dim)
    c[size_t(dim)] = int32_t(w.cells<uint32_t>(i.more[size_t(dim)])[lane]);
  return c;
}

void needOperands(Warp &w, const Inst &i, uint32_t mask) {
  for (int n = 1; n <= 4; ++n)
    if (i.s[n].offset || i.s[n].index)
      w.need(i.s[n], mask, "an operand of a copy");
  for (Slot slot : i.more)
    w.need(slot, mask, "a coordinate");
}

uint64_t sharedAddress(Warp &w, const Inst &i, int lane, int64_t bytes,
                       uint64_t &rank) {
  uint64_t address = w.wide(i.s[1], lane) + uint64_t(i.imm);
  rank = address >> kRankShift;
  address &= (uint64_t(1) << kRankShift) - 1;
  if (rank >> 8 || address < kSharedBase ||
      address + uint64_t(bytes) > w.block.sharedEnd)
    w.fail(lane, "copies " + std::to_string(bytes) +
                     " bytes at an address outside of shared memory");
  return address;
}

/// s[1]: where to; s[2]: the map; s[3]: the mbarrier; s[4]: the blocks that get
/// it, where variant is 1; more: the coordinates.
void runLoadBox(Warp &w, const Inst &i, uint32_t mask) {
  needOperands(w, i, mask);
  forLanes(mask, [&](int lane) {
    Grid::Load load;
    std::string wrong = takeMap(w, i, lane, load.map);
    if (!wrong.empty())
      w.fail(lane, wrong);
    load.coordinates = coordinatesOf(w, i, lane);
    if (w.block.grid.counters)
      w.block.grid.counters->box(i, load.map, load.coordinates.data());
    load.warp = &w;
    int64_t bytes = boxBytes(load.map);
    uint64_t rank;
    uint64_t to = sharedAddress(w, i, lane, bytes, rank);
    uint64_t barrier = w.wide(i.s[3], lane) + uint64_t(i.third);
    uint64_t barrierRank = barrier >> kRankShift;
    barrier &= (uint64_t(1) << kRankShift) - 1;
    // With cta_group::2 the mbarrier may be the other block's of a pair.
    if (!i.bytes && rank != barrierRank && rank != uint64_t(w.block.rank) + 1 &&
        barrierRank != uint64_t(w.block.rank) + 1)
      w.fail(lane, "copies to another block than its mbarrier's");
    uint32_t blocks = 1u << (rank ? rank - 1 : uint64_t(w.block.rank));
    if (i.variant)
      blocks = w.cells<uint32_t>(i.s[4])[lane] & 0xffff;
    for (; blocks; blocks &= blocks - 1) {
      auto number = uint64_t(lowest(blocks));
      Block &block =
          w.block.grid.blockOf((number + 1) << kRankShift, w.block, w, lane);
      Block &owner = i.bytes ? w.block.grid.blockOf(barrierRank << kRankShift,
                                                    block, w, lane)
                             : block;
      owner.mbarrier(barrier, w, lane);
      owner.needFenced(w, barrier, 8, "an asynchronous copy's mbarrier");
      if (block.flagged &&
          block.hasFlag(
              to, bytes,
              Block::Flag(Block::Coming | Block::BeingRead | Block::IsBarrier)))
        w.fail(lane, "copies to shared memory that another copy reads or "
                     "writes, or that holds an mbarrier");
      uint32_t copy = w.block.grid.order.startCopy();
      int other = block.history.write({w.agent, -1, 0}, to, uint64_t(bytes),
                                      w.block.grid.order.copies(), copy);
      if (other >= 0)
        w.fail(lane, "copies to byte " + std::to_string(to) +
                         " of shared memory, which " +
                         w.block.grid.nameOf(other) +
                         " accesses: nothing orders the two");
      owner.noteRead(w, -1, barrier, 8);
      if (LaunchCounters *counters = w.block.grid.counters.get())
        counters->issue(w.agent, owner.shared + barrier);
      load.targets.push_back({&block, &owner, to, barrier, copy});
    }
    load.issued = w.code.module->at(i.line, "");
    if (w.block.early)
      return w.block.grid.perform(load);
    for (Grid::Load::Target &target : load.targets)
      target.block->setFlag(target.to, bytes, Block::Coming);
    w.block.grid.loads.push_back(std::move(load));
  });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void performStore(Warp &w, int lane, const BoxStore &store) {
  auto perform = store.adds ? addBox : storeBox;
  std::string wrong =
      perform(store.map, store.coordinates.data(), w.block.shared + store.from);
  if (!wrong.empty())
    w.fail(lane, wrong);
}

/// variant: adds to what is there.
void runStoreBox(Warp &w, const Inst &i, uint32_t mask) {
  needOperands(w, i, mask);
  forLanes(mask, [&](int lane) {
    BoxStore store;
    std::string wrong = takeMap(w, i, lane, store.map);
    if (!wrong.empty())
      w.fail(lane, wrong);
    store.coordinates = coordinatesOf(w, i, lane);
    store.adds = i.variant;
    if (LaunchCounters *counters = w.block.grid.counters.get()) {
      counters->box(i, store.map, store.coordinates.data());
      store.issued = counters->issue(w.agent);
    }
    int64_t bytes = boxBytes(store.map);
    uint64_t rank;
    store.from = sharedAddress(w, i, lane, bytes, rank);
    w.block.needFenced(w, store.from, bytes, "a copy of a tensor");
    w.block.noteRead(w, -1, store.from, bytes);
    if (w.block.hasFlag(store.from, bytes, Block::Coming))
      w.fail(lane, "copies what another copy has yet to write");
    if (w.block.early)
      performStore(w, lane, store);
    w.block.setFlag(store.from, bytes, Block::BeingRead);
    w.states[size_t(lane)].openStores.push_back(store);
  });
}

void runCommit(Warp &w, const Inst &, uint32_t mask) {
  forLanes(mask, [&](int lane) {
    LaneState &state = w.states[size_t(lane)];
    state.storeGroups.push_back(std::move(state.openStores));
    state.openStores.clear();
  });
}

/// Until at most i.imm groups are on their way; variant: the sources are read.
void runWaitGroup(Warp &w, const Inst &i, uint32_t mask) {
  LaunchCounters *counters = w.block.grid.counters.get();
  forLanes(mask, [&](int lane) {
    const auto &groups = w.states[size_t(lane)].storeGroups;
    size_t ending = groups.size() - std::min(groups.size(), size_t(i.imm));
    if (counters && ending && !groups[ending - 1].empty())
      counters->await(i, w.agent, groups[ending - 1].back().issued);
    w.finishStores(lane, size_t(i.imm), /*read=*/i.variant);
  });
}
} // namespace

void Warp::finishStores(int lane, size_t pending, bool read) {
  LaneState &state = states[size_t(lane)];
  // A store whose source was read may be on its way still: nobody can tell.
  (void)read;
  while (state.storeGroups.size() > pending) {
    for (const BoxStore &store : state.storeGroups.front()) {
      if (!block.early)
        performStore(*this, lane, store);
      block.clearFlag(store.from, boxBytes(store.map), Block::BeingRead);
    }
    state.storeGroups.erase(state.storeGroups.begin());
  }
}

void Grid::perform(Load &load) {
  int64_t bytes = boxBytes(load.map);
  for (Load::Target &target : load.targets) {
    Block &block = *target.block;
    std::string wrong =
        loadBox(load.map, load.coordinates.data(), block.shared + target.to);
    if (!wrong.empty())
      throw Error(block.name() + load.issued + wrong);
    if (block.flagged)
      block.clearFlag(target.to, bytes, Block::Coming);
    std::fill_n(block.unfenced.begin() + int64_t(target.to), bytes, 0);
    reinterpret_cast<MBarrier *>(target.owner->shared + target.barrier)
        ->complete(bytes);
    order.finishCopy(target.copy, target.owner->mbarrierOrder[target.barrier]);
  }
}

void shardir::emulated::ptx::decodeBulk(Decoder &d, Inst &i) {
  bool adds = d.take("reduce");
  if (d.take("commit_group")) {
    i.run = runCommit;
    return;
  }
  if (d.take("wait_group")) {
    i.variant = d.take("read");
    d.wantOperands(1, 1);
    i.imm = d.number(d.operand(0));
    i.run = runWaitGroup;
    return;
  }
  if (!d.take("tensor"))
    d.fail("a bulk copy that is not emulated");
  i.count = uint8_t(d.takeOneOf({"1d", "2d", "3d", "4d", "5d"}, "rank") + 1);
  d.take("tile");
  d.result().usesAsyncProxy = true;
  auto takeMapOperand = [&](const Operand &operand) {
    i.s[2] = d.address(operand, i.second);
    if (operand.parts.size() != 1 || operand.parts[0].kind != Operand::Vector ||
        operand.parts[0].parts.size() != i.count)
      d.fail("coordinates of another rank");
    for (const Operand &c : operand.parts[0].parts)
      i.more.push_back(d.in(c, Type::B32));
  };
  if (d.take("bulk_group")) {
    if (!d.take("global") || !d.take("shared::cta") || (adds && !d.take("add")))
      d.fail("a copy that is not emulated");
    i.variant = adds;
    d.wantOperands(2, 2);
    takeMapOperand(d.operand(0));
    i.s[1] = d.address(d.operand(1), i.imm);
    i.run = runStoreBox;
    return;
  }
  if (adds || (!d.take("shared::cluster") && !d.take("shared::cta")) ||
      !d.take("global") || !d.take("mbarrier::complete_tx::bytes"))
    d.fail("a copy that is not emulated");
  i.variant = d.take("multicast::cluster");
  i.bytes = d.take("cta_group::2"); // or that of its pair's first block
  bool hint = d.take("L2::cache_hint");
  size_t count = size_t(3 + i.variant + hint);
  d.wantOperands(count, count);
  i.s[1] = d.address(d.operand(0), i.imm);
  takeMapOperand(d.operand(1));
  i.s[3] = d.address(d.operand(2), i.third);
  if (i.variant)
    i.s[4] = d.in(3, Type::B16);
  i.run = runLoadBox;
}
