//===- NcclElements.h - Elements that NCCL reduces --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types (ncclDataType_t) and operations (ncclRedOp_t) of the
// emulated NCCL. Short floats are rounded after each term, as NCCL's rings
// round them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_NCCLELEMENTS_H
#define SHARDIR_TESTING_EMULATEDGPU_NCCLELEMENTS_H

#include <cstddef>

namespace shardir {
namespace emulated {

/// Bytes of an element; 0 where there is no such type here.
size_t ncclElementSize(int type);
/// Combines `count` elements at `into` with those at `term`. False where there
/// is no such operation here.
bool ncclCombine(int type, int operation, void *into, const void *term,
                 size_t count);

} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_NCCLELEMENTS_H
