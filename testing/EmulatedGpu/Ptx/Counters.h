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
// accesses took. Counts of a launch are added to those of its kernel's name.
//
// Requires shardir_emulated_counters_start before the first launch; guarantees
// exact counts of what the interpreter executed: instructions of PTX, not what
// ptxas makes of them. TMA reads and writes boxes of shared memory in whole
// passes; a box for several blocks is counted once.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_COUNTERS_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_COUNTERS_H

#include "Code.h"

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
  /// Of products whose size is no part of the instruction.
  uint64_t flops = 0;
};

/// The counts of one launch; one thread's.
class LaunchCounters {
public:
  explicit LaunchCounters(const Code &code)
      : code(code), insts(code.insts.size()) {}
  LaunchCounters(const LaunchCounters &) = delete;

  void execute(const Inst &inst) { ++of(inst).executed; }
  /// `bytes` by each lane of the mask, at these generic addresses.
  void access(const Inst &inst, uint32_t mask, const uint64_t *addresses,
              int64_t bytes);
  void multiply(const Inst &inst, uint64_t flops) { of(inst).flops += flops; }
  /// The part of a box that lies inside of the tensor.
  void box(const Inst &inst, const shardir_emulated_tensor_map &map,
           const int32_t *coordinates);
  /// Adds them to the kernel's. `blocks` is the launch's grid.
  void finish(uint64_t blocks);

private:
  InstCounters &of(const Inst &inst) {
    return insts[size_t(&inst - code.insts.data())];
  }

  std::string sourceOf(const Statement &statement) const;

  const Code &code;
  std::vector<InstCounters> insts;
  std::unordered_set<uint64_t> distinct; ///< sectors
};

/// Whether launches are counted.
bool isCounting();

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_COUNTERS_H
