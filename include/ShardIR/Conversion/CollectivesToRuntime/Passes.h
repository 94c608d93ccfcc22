//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes from the bufferized stage to what the runtime loads. Requires buffers
// and entries as shardir-bufferize leaves them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_COLLECTIVESTORUNTIME_PASSES_H
#define SHARDIR_CONVERSION_COLLECTIVESTORUNTIME_PASSES_H

#include "mlir/Pass/Pass.h"

namespace shardir {

#define GEN_PASS_DECL
#include "ShardIR/Conversion/CollectivesToRuntime/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ShardIR/Conversion/CollectivesToRuntime/Passes.h.inc"

} // namespace shardir

#endif // SHARDIR_CONVERSION_COLLECTIVESTORUNTIME_PASSES_H
