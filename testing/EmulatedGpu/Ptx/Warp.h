//===- Warp.h - Warps and blocks that run decoded PTX -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp executes an instruction for all lanes that are at it; where lanes have
// gone different ways, those that are furthest behind go first. What lanes or
// warps do together waits until those that it needs are there: a warp that can
// do nothing else gives way to the next one, and blocks in which no warp gets
// on have a deadlock. No stacks are needed for that, as a lane is a place in
// the code and its registers.
//
// The machine is strict: whatever PTX leaves undefined, and this notices, is an
// Error. Values that were never written are followed through registers and are
// an error where they become an address, a guard or a predicate.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_WARP_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_WARP_H

#include "../Hopper.h"
#include "Code.h"
#include "Counters.h"
#include "Machine.h"
#include "Order.h"
#include "TensorMemory.h"

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace shardir {
namespace emulated {
namespace ptx {

class Block;

inline int lowest(uint32_t mask) { return __builtin_ctz(mask); }
inline int countOf(uint32_t mask) { return __builtin_popcount(mask); }

/// Calls f(lane) for each lane of the mask.
template <class F> inline void forLanes(uint32_t mask, F f) {
  if (mask == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane)
      f(lane);
    return;
  }
  for (; mask; mask &= mask - 1)
    f(lowest(mask));
}

/// A copy that a lane has asked for: cp.async.
struct Copy {
  uint64_t to; ///< in shared memory
  const char *from;
  int32_t bytes, copied;
  Work issued; ///< the warp's, with counters
};
/// A box on its way to global memory.
struct BoxStore {
  shardir_emulated_tensor_map map;
  std::array<int32_t, 5> coordinates;
  uint64_t from;
  bool adds;
  Work issued; ///< the warp's, with counters
};
/// The asynchronous copies of a lane in flight; the oldest group first.
struct LaneState {
  std::vector<Copy> open;
  std::vector<std::vector<Copy>> groups;
  std::vector<BoxStore> openStores;
  std::vector<std::vector<BoxStore>> storeGroups;
  size_t readStores = 0; ///< of the groups, those whose source was read
  /// Shared bytes written since the last fence for the asynchronous proxy.
  std::vector<std::pair<uint32_t, uint32_t>> written;
};
/// A product of this warp's rows that has been issued.
struct Product {
  const Inst *inst;
  uint64_t a, b;
  std::vector<uint32_t> aRegisters; ///< 4 x 32, where A is in registers
  bool scaleD;
};

class Warp {
public:
  Warp(Block &block, const Code &code, int number, uint32_t lanes);
  /// Before a block begins.
  void reset();
  /// Runs until every lane waits or has ended. False where nothing was done.
  bool run();
  bool done() const { return alive == 0; }
  /// Of the text, where its lanes are while it does not run.
  std::set<int> lines() const;

  template <class Cell> Cell *cells(Slot slot) {
    return reinterpret_cast<Cell *>(file.data() + slot.offset);
  }
  uint32_t &predicate(Slot slot) { return *cells<uint32_t>(slot); }
  uint64_t wide(Slot slot, int lane) {
    return slot.wide ? cells<uint64_t>(slot)[lane]
                     : cells<uint32_t>(slot)[lane];
  }
  void set(Slot slot, int lane, uint64_t value) {
    if (slot.wide)
      cells<uint64_t>(slot)[lane] = value;
    else
      cells<uint32_t>(slot)[lane] = uint32_t(value);
  }
  /// The lanes in which a slot holds a value.
  uint32_t &known(Slot slot) { return knowns[slot.index]; }
  void setKnown(Slot slot, uint32_t mask, uint32_t lanes) {
    uint32_t &k = knowns[slot.index];
    k = (k & ~mask) | (lanes & mask);
    writtenIn[slot.index] = fences;
  }
  /// An error where a lane of the mask lacks the value.
  void need(Slot slot, uint32_t mask, const char *what) {
    if (uint32_t missing = mask & ~knowns[slot.index])
      failUnknown(missing, what);
  }
  [[noreturn]] void fail(int lane, const std::string &what) const;
  [[noreturn]] void fail(const std::string &what) const;

  /// Host memory of an access; errors for what is misaligned, out of bounds or
  /// not there yet.
  char *at(Space space, bool generic, int lane, uint64_t address, int64_t bytes,
           bool write);
  /// Counts an access of `bytes` by each lane of the mask, at the addresses in
  /// `slot` plus `offset`.
  void count(const Inst &inst, uint32_t mask, Space space, bool generic,
             Slot slot, int64_t offset, int64_t bytes);
  /// Waits until at most `pending` groups of boxes are on their way.
  void finishStores(int lane, size_t pending, bool read);

  Block &block;
  const Code &code;
  const int number;
  size_t agent = 0;      ///< of the cluster's order
  uint32_t barriers = 1; ///< at which its lanes met since the launch began
  const uint32_t lanes;  ///< that exist
  uint32_t alive = 0, current = 0, waiting = 0;
  std::vector<LaneState> states;
  std::vector<char> local; ///< localBytes per lane

  // At a barrier of the block.
  int barrier = -1;
  uint64_t barrierGeneration = 0;
  // At a barrier of the cluster.
  bool arrivedAtCluster = false;
  uint64_t clusterGeneration = 0;

  // Products on their way.
  std::vector<Product> openProducts;
  std::deque<std::vector<Product>> productGroups;
  /// Registers that they write, and read, until they are waited for: how often.
  std::map<uint32_t, int> pendingWrites, pendingReads;
  uint32_t carry = 0; ///< CC.CF, by lane
  /// How many wgmma.fence there were, and by slot, at its last write.
  uint32_t fences = 0;
  std::vector<uint32_t> writtenIn;
  int registersPerThread = 0;

  // Tensor memory.
  std::vector<TensorProduct> tensorProducts; ///< not committed
  std::vector<uint32_t> tensorLoads;         ///< registers, not waited for
  uint32_t tensorFence = 0; ///< `barriers` at the last fence for it
  bool usedTensors = false; ///< since the last fence before others may
  void needTensorFence() const;

private:
  bool select();
  void branch(const Inst &inst, uint32_t taken);
  void leave(uint32_t mask);
  void park();
  void checkWgmma(const Inst &inst) const;
  [[noreturn]] void failUnknown(uint32_t lanes, const char *what) const;
  char *global(int lane, uint64_t address, int64_t bytes);

  std::vector<char> file;
  std::vector<uint32_t> knowns;
  uint32_t pc = 0, otherPc = UINT32_MAX;
  uint32_t lanePc[kLanes];
  Range lastRange;
};

/// A CTA.
class Block {
public:
  Block(Grid &grid, const Code &code, const Launch &launch);
  Block(const Block &) = delete;
  ~Block();
  void reset(const int64_t place[3], int rank, int64_t number);
  /// One turn of every warp. False where nothing was done.
  bool step();
  bool done() const;
  /// After the last turn: what may not be left behind.
  void finish();
  std::string whoWaits() const;
  std::string name() const;

  Grid &grid;
  const Code &code;
  const Launch &launch;
  std::vector<Warp> warps;
  int64_t place[3] = {0, 0, 0};
  int rank = 0;
  bool early = false; ///< whether what is asynchronous happens at once

  char *shared = nullptr; ///< 256 KiB, by address
  uint64_t sharedEnd = 0;
  /// By words of 4 bytes of shared memory.
  enum Flag : uint8_t { Coming = 1, BeingRead = 2, IsBarrier = 4 };
  std::vector<uint8_t> flags;
  int64_t flagged = 0;
  void setFlag(uint64_t address, int64_t bytes, Flag flag);
  void clearFlag(uint64_t address, int64_t bytes, Flag flag);
  bool hasFlag(uint64_t address, int64_t bytes, Flag flag) const;
  /// By byte: the thread, plus 1, that wrote it last without a fence for the
  /// asynchronous proxy behind it. Empty where no kernel's code needs it.
  std::vector<uint16_t> unfenced;
  void tag(Warp &warp, int lane, uint64_t address, int64_t bytes);
  /// Errors where nothing orders the access with another one.
  void noteRead(Warp &warp, int lane, uint64_t address, int64_t bytes);
  void noteWrite(Warp &warp, int lane, uint64_t address, int64_t bytes);
  History history;
  std::map<uint64_t, Clocks> mbarrierOrder; ///< by address
  /// An error where the asynchronous proxy would read such a byte.
  void needFenced(Warp &warp, uint64_t address, int64_t bytes,
                  const char *what);

  struct Barrier {
    int64_t arrived = 0, wanted = 0; ///< threads
    uint64_t generation = 0;
    bool ofAll = false;
    Clocks order;
  };
  std::array<Barrier, 16> barriers;
  std::unique_ptr<TensorMemory> tensors; ///< once it was used
  void arrive(Warp &warp, int id, int64_t threads, bool ofAll);
  void releaseBarriers();

  MBarrier *mbarrier(uint64_t address, Warp &warp, int lane);

  /// Of one thread, as setmaxnreg sees it, and those that nobody has.
  int registers = 0, freeRegisters = 0;

  int64_t threads() const {
    return launch.block[0] * launch.block[1] * launch.block[2];
  }
};

/// The blocks of a cluster, which run side by side.
class Grid {
public:
  Grid(const Launch &launch, const Code &code);
  std::string run();

  const Launch &launch;
  const Code &code;
  std::unique_ptr<LaunchCounters> counters; ///< null where nothing is counted
  Order order;
  std::vector<std::unique_ptr<Block>> blocks;
  Block &blockOf(uint64_t sharedAddress, Block &own, Warp &warp, int lane);

  /// Boxes on their way to shared memory: the first is next.
  struct Load {
    shardir_emulated_tensor_map map;
    std::array<int32_t, 5> coordinates;
    struct Target {
      Block *block, *owner; ///< of the memory, of the mbarrier
      uint64_t to, barrier;
      uint32_t copy; ///< its clock
    };
    std::vector<Target> targets;
    Warp *warp;
    std::string issued; ///< by which statement
  };
  std::deque<Load> loads;
  void perform(Load &load);
  /// Products on their way, and the mbarrier that learns when they are done.
  struct Commit {
    Block *block;
    /// Those whose mbarrier at `barrier` it is.
    std::vector<Block *> owners;
    uint64_t barrier;
    std::vector<TensorProduct> products;
    std::string issued;
  };
  std::deque<Commit> commits;
  void perform(Commit &commit);
  /// Of an agent of the order, for messages.
  std::string nameOf(int agent) const;

  // The cluster's own barrier.
  int64_t clusterArrived = 0;
  uint64_t clusterGeneration = 0;
  Clocks clusterOrder;
  void arriveAtCluster(Warp &warp);

private:
  void runCluster(const int64_t place[3], int64_t number);
};

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_WARP_H
