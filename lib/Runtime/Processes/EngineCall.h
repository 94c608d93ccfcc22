//===- EngineCall.h - Collectives by an engine's own calls ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One phase of a schedule as one call of the library, in flight. Requires that
// every member of the group starts the same calls in the same order; guarantees
// that the operand may be overwritten and the result is in place once done()
// says so.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_ENGINECALL_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_ENGINECALL_H

#include "MessageMove.h"

namespace shardir {
namespace runtime {

class EngineCall {
public:
  /// Starts the call. `comm` is the group's.
  EngineCall(ProcessWorld &world, MpiComm comm, const SchedulePhase &phase,
             size_t place, const MoveBuffers &buffers, MoveScratch &scratch);
  /// Whether the call has come to its end now.
  bool poll();
  bool done() const { return requests.empty(); }

private:
  const void *pack();
  void finish();

  ProcessWorld &world;
  const SchedulePhase &phase;
  const MoveBuffers buffers;
  MoveScratch &scratch;
  char *staging = nullptr;
  std::vector<MpiRequest> requests;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_ENGINECALL_H
