//===- HostLink.h - What a device keeps on its host -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which value that is alive at the peak to have on the host meanwhile, and what
// of its copies work hides. Used by shardir-recompute-to-fit.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_SCHEDULE_HOSTLINK_H
#define SHARDIR_LIB_TRANSFORMS_SCHEDULE_HOSTLINK_H

#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Memory/Recomputation.h"

namespace shardir {

/// The ways to have less at `peak` by copies to the host and back, which save
/// `bytes` or more if there are so many; nothing where the machine describes no
/// link to the host. A value qualifies that ops in front of the peak make, that
/// the op at the peak does not use, and that ops behind it do.
///
/// The copies of a device run one after the other beside its work: to the host
/// behind the last use in front of the peak, to be done at the peak, and back
/// from the peak on, to be done at the first use. A way costs what they are
/// late by, beside those of `done` and of the ways in front of it in the list,
/// and the time that the device's memory takes to read and write them. Without
/// `overlap` no work hides them. Requires what recomputationsAt requires.
std::vector<Recomputation>
offloadsAt(const MemoryPeak &peak, mlir::func::FuncOp function, int64_t bytes,
           const MeshTable &meshes, const Machine &machine,
           const RecomputationState &done, bool overlap);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_SCHEDULE_HOSTLINK_H
