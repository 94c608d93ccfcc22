//===- NcclStart.h - Processes of a communicator of NCCL --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hosts that have a communicator of NCCL need no launcher: its members tell
// each other through it where rank 0 listens. Requires that all members call
// this, with nothing else under way on the communicator; guarantees that it is
// left as it was, and that the runtime has one of its own, split from it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_NCCL_NCCLSTART_H
#define SHARDIR_LIB_RUNTIME_NCCL_NCCLSTART_H

#include "Core/Messages.h"
#include "NcclApi.h"

namespace shardir {
namespace runtime {

/// Connects the members' hosts within `seconds`, and has each use the
/// communicator's GPU. Null with a reason.
std::unique_ptr<Messages> startNcclMessages(nccl::Comm comm, double seconds,
                                            std::string &error);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_NCCL_NCCLSTART_H
