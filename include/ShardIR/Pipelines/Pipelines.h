//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pipeline per stage. Each `--shardir-to-<stage>` runs the stages that are
// missing, as the module shows, and verifies each of them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PIPELINES_PIPELINES_H
#define SHARDIR_PIPELINES_PIPELINES_H

#include "ShardIR/Dialect/ShardIR/Stage.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <memory>

namespace shardir {

class PropagationCostModel;

/// The options that all pipelines share (docs/Pipeline.md).
struct PipelineOptions : public mlir::PassPipelineOptions<PipelineOptions> {
  Option<bool> strict{*this, "strict",
                      llvm::cl::desc("an implicit redistribution is an error"),
                      llvm::cl::init(false)};
  Option<std::string> mesh{*this, "mesh",
                           llvm::cl::desc("sizes of symbolic axes: dp=2,tp=4"),
                           llvm::cl::init("")};
  Option<std::string> cost{*this, "cost",
                           llvm::cl::desc("what decides: time or bytes"),
                           llvm::cl::init("time")};
  Option<std::string> conflicts{
      *this, "conflicts",
      llvm::cl::desc("who decides between placements that compete: search "
                     "(least cost over the program), greedy (nearest to "
                     "annotations first) or shardy (Shardy's rules)"),
      llvm::cl::init("search")};
  Option<std::string> machine{
      *this, "machine",
      llvm::cl::desc("the machine that decisions are made for: a100x8, h100x8, "
                     "h200x8, b200x8 or a file; that of arch unless given"),
      llvm::cl::init("")};
  Option<std::string> memoryLimit{
      *this, "memory-limit",
      llvm::cl::desc("bytes per device that the predicted peak may not exceed, "
                     "as in 16000000000, 16G or 16Gi; 0 is no limit; the "
                     "memory of machine unless given"),
      llvm::cl::init("")};
  Option<bool> propose{
      *this, "propose",
      llvm::cl::desc("find placements for arguments that have none, within "
                     "memory-limit (docs/Proposing.md)"),
      llvm::cl::init(false)};
  Option<std::string> shardOptimizerState{
      *this, "shard-optimizer-state",
      llvm::cl::desc("axes over which optimizer states and their updates are "
                     "split (ZeRO-1), as in dp or {dp,fsdp}"),
      llvm::cl::init("")};
  Option<std::string> layout{
      *this, "layout",
      llvm::cl::desc("order of dims in memory: row-major, auto (for "
                     "collectives, where it costs nothing) or contiguous "
                     "(fewest bytes copied)"),
      llvm::cl::init("auto")};
  Option<bool> shareGathers{
      *this, "share-gathers",
      llvm::cl::desc("gather an argument once for all of its uses, and keep it "
                     "in between"),
      llvm::cl::init(false)};
  Option<std::string> function{
      *this, "function",
      llvm::cl::desc("the entry; the one public function unless given"),
      llvm::cl::init("")};
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("the CPU to compile for: host, x86-64, avx2, avx2-vnni, "
                     "avx512, avx512-vnni, avx512-bf16, avx512-amx, "
                     "avx512-amx-fp16, neon, neon-dot or sve-256"),
      llvm::cl::init("host")};
  Option<std::string> arch{
      *this, "arch",
      llvm::cl::desc("the GPU to compile for: sm_80, sm_86, sm_89, sm_90a, "
                     "sm_100a, compute_80 for all of them by way of PTX, or "
                     "host for the emulated one; sm_90a unless given"),
      llvm::cl::init("")};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc("on the GPU, take this schedule wherever it can take an "
                     "op, whatever it costs: plain, elementwise, ..."),
      llvm::cl::init("")};
  Option<std::string> plan{
      *this, "plan",
      llvm::cl::desc("take plans with these numbers wherever a schedule has "
                     "one: tile_m=64,stages=4; the report has the plan of each "
                     "of a GPU's kernels, explain the tiles of the CPU's "
                     "products"),
      llvm::cl::init("")};
  Option<std::string> kernelTimes{
      *this, "kernel-times",
      llvm::cl::desc("a file with times of kernels that shard-run --tune "
                     "measured, or on the GPU utils/gpu-check.sh: they decide "
                     "between plans in place of the model's"),
      llvm::cl::init("")};
  ListOption<std::string> library{
      *this, "library",
      llvm::cl::desc("on the GPU, leave to these libraries what they have: "
                     "products to cublaslt, attention to cudnn")};
  Option<bool> attention{
      *this, "attention",
      llvm::cl::desc("make softmax(Q K^T) V one op that never stores its "
                     "scores"),
      llvm::cl::init(true)};
  Option<std::string> rings{
      *this, "rings",
      llvm::cl::desc("when blocks of operands that are gathered for a product "
                     "or attention come around a ring instead: auto (where "
                     "that takes less time), always or never"),
      llvm::cl::init("auto")};
  Option<std::string> pipeline{
      *this, "pipeline",
      llvm::cl::desc("how the micro-batches of a loop go through meshes of "
                     "different ranks: sequential or 1f1b"),
      llvm::cl::init("sequential")};
  Option<std::string> reduce{
      *this, "reduce",
      llvm::cl::desc(
          "where sums that are cast to a narrower float are reduced: "
          "exact (before the cast) or result-type (behind it, in "
          "fewer bytes)"),
      llvm::cl::init("exact")};
  Option<std::string> combineThreshold{
      *this, "combine-threshold",
      llvm::cl::desc("bytes up to which collectives of the same kind and group "
                     "travel together, as in 4000000, 4M or 4Mi; 0 combines "
                     "none; from the links unless given"),
      llvm::cl::init("")};
  Option<bool> tf32{
      *this, "tf32",
      llvm::cl::desc("on the GPU, matrix units may read f32 operands of "
                     "products as tf32: 10 bits of fraction instead of 23"),
      llvm::cl::init(false)};
  Option<std::string> ptxas{
      *this, "ptxas",
      llvm::cl::desc("on the GPU, the assembler; none keeps PTX, which a "
                     "driver assembles and the emulated GPU runs"),
      llvm::cl::init("")};
  Option<bool> explain{
      *this, "explain",
      llvm::cl::desc("remarks that say which schedule each op got, on the CPU "
                     "each product, and what each kernel needs of the GPU"),
      llvm::cl::init(false)};
  Option<bool> overlap{
      *this, "overlap",
      llvm::cl::desc("let collectives go on beside work that does not need "
                     "them; by default on the GPU alone"),
      llvm::cl::init(true)};

  Option<std::string> afterLocal{
      *this, "after-local",
      llvm::cl::desc("passes of yours that run after the local stage, as in "
                     "{my-pass,func.func(my-other-pass{option=1})}"),
      llvm::cl::init("")};
  Option<std::string> afterBufferized{
      *this, "after-bufferized",
      llvm::cl::desc("passes of yours that run after the bufferized stage"),
      llvm::cl::init("")};

  /// Costs of an embedder, by which propagation, `propose`, the fit of
  /// optimizer states, the simplification and the plans of redistributions
  /// decide; null for those of the mesh and the machine. The text form has no
  /// such option.
  std::shared_ptr<const PropagationCostModel> costModel;

  /// `memory-limit` in bytes, or that of `machine`; requires options that
  /// parseOptions accepted.
  int64_t getMemoryLimit() const;
  /// `combine-threshold` in bytes, or -1 where none is given; requires options
  /// that parseOptions accepted.
  int64_t getCombineThreshold() const;
  /// `machine`, or that of `arch`; empty where neither is given.
  std::string getMachine() const;
  /// The names of all options.
  std::vector<std::string> getNames() const;
};

/// Reads `text`, the options of a pipeline to stage `to`, and checks the values
/// by themselves; says in `error` what is wrong, and then returns failure. An
/// option that changes nothing on the way to `to` is wrong, such as one of the
/// GPU for the CPU.
llvm::LogicalResult parseOptions(llvm::StringRef text, Stage to,
                                 PipelineOptions &options, std::string &error);

/// The settings that differ between the two programs in one compiled file.
struct LoweringOptions {
  /// The program's hash, for the metadata.
  std::string hash;
  /// The prefix of the entries' symbols.
  std::string entryPrefix = "shardir_entry_";
  /// Whether to define the metadata.
  bool metadata = true;
  /// Whether the metadata names unsharded entries, of another object file.
  bool unsharded = false;
};

/// Appends the passes that lead to stage `to` from any earlier one.
void buildPipeline(mlir::OpPassManager &pm, Stage to,
                   const PipelineOptions &options,
                   const LoweringOptions &lowering = {});

/// Appends the passes that lead from a program without placements, as it was
/// written, to the cpu stage: one device runs all of it.
void buildUnsharded(mlir::OpPassManager &pm, const PipelineOptions &options,
                    const LoweringOptions &lowering);

void registerPipelines();

} // namespace shardir

#endif // SHARDIR_PIPELINES_PIPELINES_H
