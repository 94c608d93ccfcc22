//===- NcclMove.h - Data of collectives over NCCL ----------------*- C++ -*-==//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out the phases of an MpiSchedule between GPUs: by one collective of
// NCCL where the phase says so, else by one group of ncclSend and ncclRecv.
// Data that is not contiguous is packed by a kernel. Terms that NCCL does not
// reduce are received beside each other and combined by the runtime's kernels
// in the order of `threads`.
//
// Requires that all members of a group are known to be at the same collective;
// guarantees that everything is queued in the order of the rank's stream, with
// NCCL's part on a stream of its own.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_NCCL_NCCLMOVE_H
#define SHARDIR_LIB_RUNTIME_NCCL_NCCLMOVE_H

#include "Cuda/CudaRank.h"
#include "Mpi/MpiSchedule.h"
#include "NcclGroups.h"

#include <string>
#include <utility>
#include <vector>

namespace shardir {
namespace runtime {

class NcclMove {
public:
  NcclMove(NcclCalls &calls, CudaRank &gpu)
      : api(calls.api), calls(calls), gpu(gpu) {}

  struct Buffers {
    const void *in;
    void *out;
    ElementType type;
    PartialKind kind;
  };
  /// Moves what the phase says, on the communicator of a group in which this
  /// rank has the place `place`; its local copies are the caller's.
  void run(NcclGroup &group, size_t place, const MpiPhase &phase,
           const Buffers &buffers);

private:
  void runMessages(NcclGroup &group, const MpiPhase &phase,
                   const Buffers &buffers);
  void runCall(NcclGroup &group, size_t place, const MpiPhase &phase,
               const Buffers &buffers);
  /// The data that the phase sends, packed where it is not contiguous.
  const void *pack(const MpiPhase &phase, const Buffers &buffers);
  /// Calls `queue` with the function that each call of NCCL goes through and
  /// the stream, as one group: its name, and what it has returned.
  template <class F>
  void inGroup(NcclGroup &group, const std::string &what, F &&queue);
  void combine(const MpiReceive &receive, size_t block,
               const std::vector<const void *> &terms, const Buffers &buffers);
  void *stage(size_t bytes);
  void dropStages();

  const nccl::Api &api;
  NcclCalls &calls;
  CudaRank &gpu;
  std::vector<std::pair<void *, size_t>> stages;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_NCCL_NCCLMOVE_H
