//===- GatherBuckets.h - Buckets of collectives on buffers ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_BUFFERIZE_GATHERBUCKETS_H
#define SHARDIR_LIB_TRANSFORMS_BUFFERIZE_GATHERBUCKETS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardir {

/// Moves the collectives of each bucket (collective::kBucket) together again:
/// bufferization puts allocations, copies and deallocations between them. A
/// collective leaves its bucket where its buffers are touched in between, or
/// where the bucket's members would not be independent of each other.
void gatherBuckets(mlir::ModuleOp module);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_BUFFERIZE_GATHERBUCKETS_H
