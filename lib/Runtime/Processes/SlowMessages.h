//===- SlowMessages.h - Messages over a slow link ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests and measurements on one machine: what ranks send each other in
// collectives takes as long as over a network.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_SLOWMESSAGES_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_SLOWMESSAGES_H

#include "Core/Messages.h"

#include <memory>

namespace shardir {
namespace runtime {

struct SlowLink {
  double latency = 0;   ///< seconds of each message, or call of the library's
  double bandwidth = 0; ///< bytes per second into this process
};

/// `SECONDS,BYTES_PER_SECOND`, as $SHARDIR_SLOW_LINK has it. False if it is
/// neither.
bool readSlowLink(const char *text, SlowLink &link);

/// `fast`, but no data in a group's channel is there before the link could have
/// brought it since it was asked for. Data that is asked for at one time comes
/// one after the other.
std::unique_ptr<Messages> slowDown(std::unique_ptr<Messages> fast,
                                   const SlowLink &link);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_SLOWMESSAGES_H
