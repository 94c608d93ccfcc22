//===- RunProcesses.h - What a run brings together of processes -*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole results, measurements and events where ranks share no memory. Requires
// that all ranks of the run call each function in one order; guarantees that
// rank 0 has the whole results and all events then, and that all ranks have one
// measurement.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_RUNPROCESSES_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_RUNPROCESSES_H

#include "Core/RankContext.h"

#include <vector>

namespace shardir {
namespace runtime {

struct ProcessReport {
  shardir_measurement measurement = {};    ///< the largest over ranks
  std::vector<shardir_trace_event> events; ///< on rank 0, by rank and time
};

/// Puts a result together on rank 0, as collect() does: `shard` is this rank's,
/// `whole` rank 0's alone. No more than one shard with its terms is there at a
/// time besides.
void collectOverProcesses(PointToPoint &link, RankContext &rank,
                          const TensorSpec &spec, const Mesh *mesh,
                          const std::vector<int64_t> &shape, const void *shard,
                          void *whole);

/// The last barrier of a run. Requires that the program has ended on this rank,
/// and `hasMore` as PointToPoint::meetAtEnd() does.
ProcessReport reportOverProcesses(PointToPoint &link, RankContext &rank,
                                  bool hasMore);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_RUNPROCESSES_H
