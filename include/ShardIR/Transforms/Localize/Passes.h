//===- Passes.h - Passes from collective to local ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_LOCALIZE_PASSES_H
#define SHARDIR_TRANSFORMS_LOCALIZE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace shardir {

#define GEN_PASS_DECL
#include "ShardIR/Transforms/Localize/Passes.h.inc"

} // namespace shardir

#endif // SHARDIR_TRANSFORMS_LOCALIZE_PASSES_H
