//===- NcclMove.h - Data of collectives over NCCL ----------------*- C++ -*-==//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out the phases of an MessageSchedule between GPUs: by one collective
// of NCCL where the phase says so, else by one group of ncclSend and ncclRecv.
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
#include "NcclGroups.h"
#include "Processes/MessageSchedule.h"

#include <functional>
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
  /// One collective's phase; its local copies are the caller's.
  struct Item {
    const SchedulePhase *phase;
    size_t place; ///< of this rank in the group
    Buffers buffers;
  };
  /// Carries them out together, by one group of calls on the communicator.
  const CudaEvent *run(const std::shared_ptr<NcclGroup> &group,
                       const std::vector<Item> &items);

private:
  /// A call of NCCL.
  struct Call {
    enum Kind : uint64_t {
      Send,
      Recv,
      Broadcast,
      AllGather,
      AllReduce,
      ReduceScatter
    } kind;
    const void *in; ///< null: this member gives nothing
    void *out;      ///< null: it gets nothing
    size_t count;   ///< elements of `type`
    int type = nccl::Int8;
    int operation = 0;
    int64_t peer = 0; ///< the other end, or the root
  };
  /// One item between packing and unpacking.
  struct Step {
    std::vector<Call> calls;
    std::function<void()> finish;
  };
  Step prepareMessages(const Item &item);
  Step prepareCall(const Item &item);
  /// The data that the phase sends, packed where it is not contiguous.
  const void *pack(const SchedulePhase &phase, const Buffers &buffers);
  void queue(NcclGroup &group, const std::vector<Call> &moving,
             cuda::Stream stream);
  nccl::Result issue(const Call &call, nccl::Comm comm, cuda::Stream stream);
  void combine(const BlockReceive &receive, size_t block,
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
