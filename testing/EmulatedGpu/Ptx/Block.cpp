//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks and clusters: turns of warps, barriers, what is on its way. Odd blocks
// do early what is asynchronous, and their warps go in descending order; even
// ones as late as can be. So what relies on an order that PTX does not give
// shows in one of them.
//
//===----------------------------------------------------------------------===//

#include "Warp.h"

#include "../Grid.h"

#include <algorithm>
#include <cstdlib>

using namespace shardir::emulated::ptx;
using shardir::emulated::MBarrier;

namespace {
constexpr size_t kSharedSpace = 256 * 1024; ///< the alignment, and the most
constexpr int kRegisters = 65536;

/// Where the shared memory of a block ends, as an address of that space.
uint64_t endOfShared(const Code &code, const Launch &launch) {
  return kSharedBase + uint64_t(launch.dynamicBytes > 0
                                    ? code.dynamicOffset + launch.dynamicBytes
                                    : code.staticShared);
}
} // namespace

Block::Block(Grid &grid, const Code &code, const Launch &launch)
    : grid(grid), code(code), launch(launch),
      sharedEnd(endOfShared(code, launch)), flags(sharedEnd / 4 + 1),
      history(grid.order, (sharedEnd + 3) / 4 * 4) {
  void *memory = nullptr;
  if (posix_memalign(&memory, kSharedSpace, kSharedSpace) != 0)
    throw Error("there is no memory for a block");
  shared = static_cast<char *>(memory);
  if (code.usesAsyncProxy)
    unfenced.resize(sharedEnd);
  int64_t count = threads();
  warps.reserve(size_t((count + kLanes - 1) / kLanes));
  for (int64_t first = 0; first < count; first += kLanes) {
    int64_t here = std::min<int64_t>(kLanes, count - first);
    warps.emplace_back(*this, code, int(first / kLanes),
                       here == kLanes ? kAllLanes : (1u << here) - 1);
  }
}

Block::~Block() { std::free(shared); }

void Block::reset(const int64_t at[3], int newRank, int64_t number) {
  std::copy_n(at, 3, place);
  rank = newRank;
  early = number % 2 == 1;
  std::memset(shared, 0xff, size_t(sharedEnd));
  if (flagged)
    std::fill(flags.begin(), flags.end(), 0);
  flagged = 0;
  std::fill(unfenced.begin(), unfenced.end(), 0);
  barriers.fill(Barrier());
  mbarrierOrder.clear();
  tensors.reset();
  // Of what the compiler may give a thread (a multiple of 8, at most 255).
  auto size = int64_t(warps.size()) * kLanes;
  registers = int(std::min<int64_t>(kRegisters / size / 8 * 8, 255));
  if (code.kernel->maxRegisters)
    registers = std::min(registers, code.kernel->maxRegisters);
  freeRegisters = 0;
  for (Warp &warp : warps) {
    warp.agent = size_t(rank) * warps.size() + size_t(warp.number);
    warp.registersPerThread = registers;
    warp.reset();
  }
}

bool Block::step() {
  bool progress = false;
  for (size_t i = 0; i < warps.size(); ++i) {
    Warp &warp = warps[early ? warps.size() - 1 - i : i];
    if (warp.done())
      continue;
    progress |= warp.run();
    if (warp.done())
      releaseBarriers();
  }
  return progress;
}

bool Block::done() const {
  return std::all_of(warps.begin(), warps.end(),
                     [](const Warp &warp) { return warp.done(); });
}

std::string Block::name() const {
  return "block (" + std::to_string(place[0]) + ", " +
         std::to_string(place[1]) + ", " + std::to_string(place[2]) + ") ";
}

std::string Block::whoWaits() const {
  // Warps, by the line that they are at.
  std::map<int, std::pair<std::string, int>> places;
  for (const Warp &warp : warps)
    if (!warp.done())
      for (int line : warp.lines()) {
        auto &[example, count] = places[line];
        example = count++ ? example : "warp " + std::to_string(warp.number);
      }
  std::string text;
  for (const auto &[line, who] : places) {
    text += (text.empty() ? "" : "; ") + who.first;
    if (who.second > 1)
      text += " and " + std::to_string(who.second - 1) + " more";
    text += " at " + code.module->at(line, "");
    text.resize(text.size() - 2);
  }
  return text;
}

void Block::finish() {
  for (const Barrier &barrier : barriers)
    if (barrier.arrived)
      throw Error(name() + "ends with " + std::to_string(barrier.arrived) +
                  " threads that have arrived at a barrier which waits for " +
                  std::to_string(barrier.wanted));
  if (tensors && std::count(tensors->taken.begin(), tensors->taken.end(), true))
    throw Error(name() + "ends without giving its tensor memory back");
}

//===----------------------------------------------------------------------===//
// Barriers of threads
//===----------------------------------------------------------------------===//

void Block::arrive(Warp &warp, int id, int64_t count, bool ofAll) {
  Barrier &barrier = barriers[size_t(id)];
  if (barrier.arrived &&
      (barrier.ofAll != ofAll || (!ofAll && barrier.wanted != count)))
    warp.fail("arrives at barrier " + std::to_string(id) + " for " +
              std::to_string(count) + " threads, where others wait for " +
              std::to_string(barrier.wanted));
  barrier.wanted = count;
  barrier.ofAll = ofAll;
  barrier.arrived += kLanes;
  grid.order.release(warp.agent, barrier.order);
  if (!ofAll && barrier.arrived > count)
    warp.fail("is one too many for barrier " + std::to_string(id));
  releaseBarriers();
}

void Block::releaseBarriers() {
  int64_t alive = 0;
  for (const Warp &warp : warps)
    alive += warp.done() ? 0 : kLanes;
  for (Barrier &barrier : barriers) {
    if (!barrier.arrived ||
        barrier.arrived < (barrier.ofAll ? alive : barrier.wanted))
      continue;
    barrier.arrived = 0;
    ++barrier.generation;
  }
}

//===----------------------------------------------------------------------===//
// Known bits of shared memory
//===----------------------------------------------------------------------===//

void Block::setFlag(uint64_t address, int64_t bytes, Flag flag) {
  for (uint64_t word = address / 4; word <= (address + uint64_t(bytes) - 1) / 4;
       ++word) {
    flagged += flags[word] == 0;
    flags[word] |= flag;
  }
}

void Block::clearFlag(uint64_t address, int64_t bytes, Flag flag) {
  for (uint64_t word = address / 4; word <= (address + uint64_t(bytes) - 1) / 4;
       ++word) {
    bool was = flags[word] != 0;
    flags[word] = uint8_t(flags[word] & ~flag);
    flagged -= was && flags[word] == 0;
  }
}

bool Block::hasFlag(uint64_t address, int64_t bytes, Flag flag) const {
  for (uint64_t word = address / 4; word <= (address + uint64_t(bytes) - 1) / 4;
       ++word)
    if (flags[word] & flag)
      return true;
  return false;
}

void Block::tag(Warp &warp, int lane, uint64_t address, int64_t bytes) {
  if (unfenced.empty())
    return;
  std::fill_n(unfenced.begin() + int64_t(address), bytes,
              uint16_t(warp.number * kLanes + lane + 1));
  warp.states[size_t(lane)].written.push_back(
      {uint32_t(address), uint32_t(bytes)});
}

void Block::needFenced(Warp &warp, uint64_t address, int64_t bytes,
                       const char *what) {
  for (uint64_t i = address; i < address + uint64_t(bytes); ++i)
    if (unfenced[i])
      warp.fail(std::string(what) + " reads byte " + std::to_string(i) +
                " of shared memory, which thread " +
                std::to_string(unfenced[i] - 1) +
                " wrote with no fence.proxy.async behind it");
}

std::string Grid::nameOf(int agent) const {
  size_t perBlock = blocks[0]->warps.size();
  if (size_t(agent) == order.copies())
    return "a copy of a tensor";
  std::string name = "warp " + std::to_string(size_t(agent) % perBlock);
  return blocks.size() == 1
             ? name
             : name + " of block " + std::to_string(size_t(agent) / perBlock) +
                   " of the cluster";
}

void Block::noteRead(Warp &warp, int lane, uint64_t address, int64_t bytes) {
  int other =
      history.read({warp.agent, lane, warp.barriers}, address, uint64_t(bytes));
  if (other >= 0)
    warp.fail(lane, "reads byte " + std::to_string(address) +
                        " of shared memory, which " + grid.nameOf(other) +
                        " writes: nothing orders the two");
}

void Block::noteWrite(Warp &warp, int lane, uint64_t address, int64_t bytes) {
  int other = history.write({warp.agent, lane, warp.barriers}, address,
                            uint64_t(bytes));
  if (other >= 0)
    warp.fail(lane, "writes byte " + std::to_string(address) +
                        " of shared memory, which " + grid.nameOf(other) +
                        " reads or writes: nothing orders the two");
}

MBarrier *Block::mbarrier(uint64_t address, Warp &warp, int lane) {
  if (address % 8 || address < kSharedBase || address + 8 > sharedEnd)
    warp.fail(lane, "has an mbarrier outside of shared memory, or at no "
                    "multiple of 8 bytes");
  if (!hasFlag(address, 8, IsBarrier))
    warp.fail(lane, "uses an mbarrier that was not initialised");
  return reinterpret_cast<MBarrier *>(shared + address);
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

Grid::Grid(const Launch &launch, const Code &code)
    : launch(launch), code(code),
      order(size_t(
          launch.cluster[0] * launch.cluster[1] * launch.cluster[2] *
          ((launch.block[0] * launch.block[1] * launch.block[2] + kLanes - 1) /
           kLanes))) {
  int64_t count = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  for (int64_t i = 0; i < count; ++i)
    blocks.push_back(std::make_unique<Block>(*this, code, launch));
}

Block &Grid::blockOf(uint64_t address, Block &own, Warp &warp, int lane) {
  uint64_t rank = address >> kRankShift;
  if (rank == 0)
    return own;
  if (rank > blocks.size())
    warp.fail(lane, "names shared memory of block " + std::to_string(rank - 1) +
                        " in a cluster of " + std::to_string(blocks.size()));
  return *blocks[rank - 1];
}

void Grid::arriveAtCluster(Warp &warp) {
  order.release(warp.agent, clusterOrder);
  warp.arrivedAtCluster = true;
  warp.clusterGeneration = clusterGeneration;
  clusterArrived += 1;
  int64_t alive = 0;
  for (auto &block : blocks)
    for (const Warp &other : block->warps)
      alive += !other.done();
  if (clusterArrived >= alive) {
    clusterArrived = 0;
    ++clusterGeneration;
  }
}

void Grid::runCluster(const int64_t place[3], int64_t number) {
  if (order.begin())
    for (auto &block : blocks)
      block->history.forget();
  if (counters)
    counters->begin();
  for (size_t i = 0; i < blocks.size(); ++i) {
    int64_t rest = int64_t(i), at[3];
    for (int dim = 0; dim < 3; ++dim) {
      at[dim] = place[dim] * launch.cluster[dim] + rest % launch.cluster[dim];
      rest /= launch.cluster[dim];
    }
    blocks[i]->reset(at, int(i), number);
  }
  loads.clear();
  commits.clear();
  clusterArrived = 0;
  for (bool progress = true; progress;) {
    progress = false;
    for (auto &block : blocks)
      progress |= block->step();
    // As late as can be: when everybody waits.
    if (!progress && !loads.empty()) {
      perform(loads.front());
      loads.pop_front();
      progress = true;
    } else if (!progress && !commits.empty()) {
      perform(commits.front());
      commits.pop_front();
      progress = true;
    }
  }
  std::string waiting;
  for (auto &block : blocks)
    if (!block->done())
      waiting += (waiting.empty() ? "" : "; ") + block->name() +
                 "waits for ever: " + block->whoWaits();
  if (!waiting.empty())
    throw Error(waiting);
  if (!loads.empty())
    throw Error(blocks[0]->name() +
                "ends while boxes of tensors are on their way");
  if (!commits.empty())
    throw Error(blocks[0]->name() + "ends while products are on their way");
  for (auto &block : blocks)
    block->finish();
}

std::string Grid::run() {
  if (isCounting())
    counters = std::make_unique<LaunchCounters>(code, order, launch.cacheBytes);
  int64_t number = 0, place[3], count[3];
  for (int dim = 0; dim < 3; ++dim)
    count[dim] = launch.grid[dim] / launch.cluster[dim];
  for (place[2] = 0; place[2] < count[2]; ++place[2])
    for (place[1] = 0; place[1] < count[1]; ++place[1])
      for (place[0] = 0; place[0] < count[0]; ++place[0], ++number) {
        try {
          runCluster(place, number);
        } catch (const Error &error) {
          return error.what();
        }
      }
  if (counters)
    counters->finish(
        uint64_t(launch.grid[0] * launch.grid[1] * launch.grid[2]));
  return "";
}
