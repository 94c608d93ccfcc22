//===- Passes.h - Create and register all passes on tensors -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For pipelines and tools, which use passes of every folder. A pass includes
// the generated file of its own folder alone, so that a changed pass recompiles
// no other folder. docs/Pipeline.md has the passes in order.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_PASSES_H
#define SHARDIR_TRANSFORMS_PASSES_H

#include "ShardIR/Transforms/Bufferize/Passes.h"
#include "ShardIR/Transforms/Import/Passes.h"
#include "ShardIR/Transforms/Layout/Passes.h"
#include "ShardIR/Transforms/Localize/Passes.h"
#include "ShardIR/Transforms/Normalize/Passes.h"
#include "ShardIR/Transforms/Propagate/Passes.h"
#include "ShardIR/Transforms/Redistribute/Passes.h"
#include "ShardIR/Transforms/Report/Passes.h"
#include "ShardIR/Transforms/Schedule/Passes.h"
#include "ShardIR/Transforms/Stages/Passes.h"

namespace shardir {

#define GEN_PASS_REGISTRATION
#include "ShardIR/Transforms/Import/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ShardIR/Transforms/Normalize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ShardIR/Transforms/Redistribute/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ShardIR/Transforms/Localize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ShardIR/Transforms/Layout/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ShardIR/Transforms/Schedule/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ShardIR/Transforms/Bufferize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ShardIR/Transforms/Report/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ShardIR/Transforms/Stages/Passes.h.inc"

inline void registerTransformsPasses() {
  registerImportPasses();
  registerNormalizePasses();
  registerPropagatePasses();
  registerRedistributePasses();
  registerLocalizePasses();
  registerLayoutPasses();
  registerSchedulePasses();
  registerBufferizePasses();
  registerReportPasses();
  registerStagesPasses();
}

} // namespace shardir

#endif // SHARDIR_TRANSFORMS_PASSES_H
