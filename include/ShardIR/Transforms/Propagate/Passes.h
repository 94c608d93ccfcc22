//===- Passes.h - Passes from annotated to propagated -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_PROPAGATE_PASSES_H
#define SHARDIR_TRANSFORMS_PROPAGATE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace shardir {

#define GEN_PASS_DECL
#include "ShardIR/Transforms/Propagate/Passes.h.inc"

} // namespace shardir

#endif // SHARDIR_TRANSFORMS_PROPAGATE_PASSES_H
