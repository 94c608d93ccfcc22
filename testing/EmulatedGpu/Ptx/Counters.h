//===- Counters.h - What kernels of PTX execute and access ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts by instruction of PTX while a kernel runs: how often warps executed
// it, the sectors of global memory and the wavefronts of shared memory that its
// accesses took, what of it the second cache had, and how far copies were
// issued before waits for them. Counts of a launch are added to those of its
// kernel's name. A launch begins with an empty cache and ends with writing it
// back.
//
// Requires shardir_emulated_counters_start before the first launch; guarantees
// exact counts of what the interpreter executed: instructions of PTX, not what
// ptxas makes of them. TMA reads and writes boxes of shared memory in whole
// passes; a box for several blocks is counted once.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_COUNTERS_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_COUNTERS_H

#include "Cache.h"
#include "Code.h"
#include "Order.h"

#include "ShardIR/Runtime/EmulatedGpu.h"

#include <unordered_set>

namespace shardir {
namespace emulated {
namespace ptx {

/// Of one instruction of PTX, summed over all warps.
struct InstCounters {
  uint64_t executed = 0; ///< by warps
  /// Of global memory: sectors of 32 bytes that requests of warps touched, and
  /// the fewest that could hold the bytes.
  uint64_t requests = 0, sectors = 0, leastSectors = 0;
  /// Of shared memory: passes over the 32 banks, and those beyond what the
  /// number of distinct words needs.
  uint64_t wavefronts = 0, conflicts = 0;
  /// Of the second cache: sectors of requests that were there, and those that
  /// were read from DRAM and written to it.
  uint64_t hits = 0, dramReads = 0, dramWrites = 0;
  /// Waits of warps for asynchronous copies; the work of the warp from when the
  /// last of these could be issued to the wait, summed, and its least
  /// instructions.
  uint64_t copyWaits = 0, copyDistance = 0, copyFlops = 0;
  uint64_t leastDistance = UINT64_MAX;
  /// Of products whose size is no part of the instruction.
  uint64_t flops = 0;
};

/// The progress of a warp.
struct Work {
  uint64_t instructions = 0, flops = 0;
};

/// The counts of one launch; one thread's.
class LaunchCounters {
public:
  LaunchCounters(const Code &code, const Order &order, uint64_t cacheBytes);
  LaunchCounters(const LaunchCounters &) = delete;

  /// Before blocks begin, behind the order's `begin`.
  void begin();
  void execute(const Inst &inst, size_t agent);
  /// `bytes` by each lane of the mask, at these generic addresses.
  void access(const Inst &inst, uint32_t mask, const uint64_t *addresses,
              int64_t bytes);
  void multiply(const Inst &inst, size_t agent, uint64_t flops) {
    of(inst).flops += flops;
    agents[agent].work.flops += flops;
  }
  /// The part of a box that lies inside of the tensor.
  void box(const Inst &inst, const shardir_emulated_tensor_map &map,
           const int32_t *coordinates);
  /// The progress of the agent behind the copy that it issues.
  Work issue(size_t agent) const;
  /// A warp waits for a copy that could be issued at `since`.
  void await(const Inst &inst, size_t agent, Work since);
  /// `agent` issues a copy of which `barrier` learns.
  void issue(size_t agent, const void *barrier);
  /// A warp has waited for `barrier`: for the copy that was issued last.
  void await(const Inst &inst, size_t agent, const void *barrier);
  /// Adds them to the kernel's. `blocks` is the launch's grid.
  void finish(uint64_t blocks);

private:
  InstCounters &of(const Inst &inst) {
    return insts[size_t(&inst - code.insts.data())];
  }

  /// A warp: what it has done, and had done when its clock went on.
  struct Agent {
    Work work;
    uint32_t clock = 0;
    std::vector<std::pair<uint32_t, Work>> until;
  };
  /// The last copy of an mbarrier: by agent, the work that came before it, and
  /// whether the agent has waited.
  struct Issued {
    std::vector<Work> before;
    std::vector<bool> awaited;
  };

  std::string sourceOf(const Statement &statement) const;
  /// A sector of a request.
  void touch(size_t inst, uint64_t sector);
  Work workAt(const Agent &agent, uint32_t clock) const;

  const Code &code;
  const Order &order;
  std::vector<InstCounters> insts;
  /// By instruction: of matrix units, and whether it reads and writes memory.
  std::vector<uint64_t> flops;
  std::vector<bool> reads, writes;
  Cache cache;
  std::vector<Agent> agents;
  std::unordered_map<const void *, Issued> issued;
  std::unordered_set<uint64_t> distinct; ///< sectors
};

/// Whether launches are counted.
bool isCounting();

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_COUNTERS_H
