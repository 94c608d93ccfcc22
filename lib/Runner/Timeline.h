//===- Timeline.h - The timeline of a run as Chrome trace events ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Private to the runner's library. What ran when on which rank, in the JSON
// format that Perfetto and chrome://tracing open: one row per rank, one slice
// per collective, in it the time that was spent waiting for others.
// Requires a program that was run with tracing on.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_TIMELINE_H
#define SHARDIR_LIB_RUNNER_TIMELINE_H

#include "Signature.h"

namespace shardir::runner {

/// The events of the last run, as JSON text.
std::string timelineOf(const Program &program);

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_TIMELINE_H
