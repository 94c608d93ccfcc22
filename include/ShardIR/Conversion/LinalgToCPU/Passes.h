//===- Passes.h - Passes and pipelines that make CPU code -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a rank's program (ordinary linalg on tensors, any shapes) to LLVM
// dialect. The caller runs bufferization between the two pipelines.
// Ops of dialects that these passes don't know are never crossed, moved or
// looked into.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_LINALGTOCPU_PASSES_H
#define SHARDIR_CONVERSION_LINALGTOCPU_PASSES_H

#include "ShardIR/Conversion/LinalgToCPU/CpuTarget.h"
#include "ShardIR/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace shardir {

#define GEN_PASS_DECL
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"

/// Options of all passes to the CPU.
struct CpuOptions {
  CpuTarget target = CpuTarget::host();
  /// The name that gave `target`, for passes that are printed and parsed.
  std::string targetName = "host";
  /// Emit calls of `shardir_parallel_for` for loops that are worth it.
  bool parallel = true;
  /// Compute large attention in tiles that stay in caches.
  bool attention = true;
  /// Remarks that say how each contraction is computed.
  bool explain = false;
  /// Tile sizes that products by register tiles take: `tile_m=8,tile_n=32`.
  std::string plan;
  /// A file of measured times, whose plans products take.
  std::string kernelTimes;
};

/// Scores of fewer bytes are left to the CPU's caches: ops that run over all of
/// them at once are then faster than tiles.
constexpr int64_t smallScoreBytes = 1 << 20;

/// A device as the passes see it that lead to the scheduled stage.
struct SchedulingOptions {
  /// Make ops of chains that are attention (shardir-recognize-attention) …
  bool recognizeAttention = true;
  /// … of scores of at least so many bytes.
  int64_t leastScoreBytes = 0;
  ScheduleCollectivesOptions collectives;
  CombineCollectivesOptions combining;
  /// Remarks that say which chains are attention and which not.
  bool explain = false;

  static SchedulingOptions forCpu();
};

/// From local to scheduled, of the CPU and of GPUs: what has no lowering to
/// loops is rewritten, attention is recognized, and rings are made.
void buildScheduling(mlir::OpPassManager &pm, const SchedulingOptions &options);

/// The first part of lowering, of the CPU and of GPUs: fuses ops.
void buildFusion(mlir::OpPassManager &pm);

/// f16 and bf16 are storage types: what is computed in them is computed in f32,
/// in the same way everywhere, so that results agree.
void addSmallFloatEmulation(mlir::OpPassManager &pm);

/// Tensor level, before bufferization: fuse and tile. Requires the scheduled
/// stage; guarantees ops that bufferize.
void buildCpuTensorPipeline(mlir::OpPassManager &pm, const CpuOptions &options);

/// One-shot bufferization as these passes' own tests use it: identity layouts
/// at function boundaries, results as out-params, buffers freed.
void buildBufferizeForTesting(mlir::OpPassManager &pm);

/// Memrefs, before the LLVM dialect. Requires functions whose memref arguments
/// have identity layouts and that return nothing; guarantees LLVM dialect that
/// calls only the runtime (Runtime/Abi.h), libm and libc.
void buildCpuLowering(mlir::OpPassManager &pm, const CpuOptions &options);

/// The passes before it: nests of loops become functions, and large
/// contractions in them packed loops, with the memory that they need for that.
void buildCpuContractions(mlir::OpPassManager &pm, const CpuOptions &options);

/// The last part of buildCpuLowering, for code that has no linalg ops and no
/// parallel loops: loops, memrefs and arithmetic to LLVM dialect, by
/// instructions of the target where it has them.
void buildHostLowering(mlir::OpPassManager &pm, const CpuTarget &target = {});

#define GEN_PASS_REGISTRATION
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"

/// `shardir-cpu-tensor`, `shardir-cpu-bufferize-for-testing` and
/// `shardir-linalg-to-cpu`: the three pipelines above.
void registerLinalgToCPUPipelines();

} // namespace shardir

#endif // SHARDIR_CONVERSION_LINALGTOCPU_PASSES_H
