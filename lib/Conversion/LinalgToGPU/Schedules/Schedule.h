//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule turns one op on device buffers into kernels. Each is one file of
// this folder and one line in Registry.cpp. Of those that match an op, the one
// with the least estimate is taken; Plain matches every op, so none is refused.
// Sizes of elements are ShardIR.h's elementBytes.
//
// An op that is scheduled is a LinalgOp on memrefs, a loop nest that only
// touches memory (`scf.for`, `scf.parallel`, `scf.forall`, `scf.while`,
// `scf.if` marked with `shardir.kernel` by shardir-place-on-gpu), or
// kernel.attention. It stands in host code; all its memrefs are device memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_SCHEDULE_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_SCHEDULE_H

#include "Common/KernelTimes.h"
#include "ShardIR/Conversion/LinalgToGPU/GpuTarget.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <array>
#include <memory>
#include <vector>

namespace shardir {

/// The prediction of a schedule for one op.
struct Estimate {
  /// Predicted time on the target, launches included, in seconds. Extents that
  /// are unknown count as `assumedExtent`.
  double seconds = 0;
  /// Ops beside this one that the schedule's kernels compute too; under another
  /// schedule each is launched by itself.
  size_t fused = 0;
  /// The seconds that those would take by themselves beside their launches,
  /// where schedules of this op differ in that.
  double saved = 0;
  /// The text of the remark after the schedule's name: the choice and its
  /// reason, such as `tile 128x128x32, 3 stages`. Lower case, no full stop.
  std::string reason;
  /// The choice, for the report.
  PlanNumbers plan = {};
  /// Where the time depends on the ops beside this one: what tells them apart
  /// in tables of measured times.
  std::string beside = {};
};

/// An unknown extent in estimates, as in the propagation's decisions.
constexpr int64_t assumedExtent = 1024;

class Schedule {
public:
  virtual ~Schedule() = default;
  /// As in remarks and in kernels' names: lower case, `[a-z0-9_]`.
  virtual llvm::StringRef name() const = 0;
  /// nullopt: this schedule cannot take the op. What it takes it must emit.
  virtual std::optional<Estimate> match(mlir::Operation *op,
                                        const GpuTarget &target) const = 0;
  /// Replaces the op by gpu.launch ops (createLaunch) and host index
  /// arithmetic, which stand where it stood, or where the last of the ops of
  /// its block stood that it takes along: a fill before it, maps behind it.
  /// Those are erased too. Fails with a diagnostic at the op.
  virtual mlir::LogicalResult emit(mlir::RewriterBase &rewriter,
                                   mlir::Operation *op,
                                   const GpuTarget &target) const = 0;
};

/// All schedules, in the order of ties: the first of equal estimates wins.
const std::vector<std::unique_ptr<Schedule>> &allSchedules();

/// On an op: the numbers that its plan must have, a dictionary. A schedule that
/// has no such plan for the op takes its own choice.
constexpr llvm::StringLiteral kForcedPlan = "forced_plan";
/// The number that `name` must have; nullopt where it is free.
std::optional<int64_t> forcedNumber(mlir::Operation *op, llvm::StringRef name);
/// True if no number of `plan` must be another one.
bool agreesWithForced(mlir::Operation *op, const PlanNumbers &plan);

/// An op as tables of measured times know it: its name, the shapes and types of
/// its operands on memory, and the loops that each runs along; and the ops
/// `beside` it.
std::string problemOf(mlir::Operation *op, llvm::StringRef beside = "");
/// Tells ops apart whose kernels differ: the ops' problems and what their
/// bodies compute, as a short text.
std::string besideOf(llvm::ArrayRef<mlir::Operation *> ops);
/// The model's `seconds` for `op` by a schedule's plan, corrected by what was
/// measured on the target (KernelTimes.h).
double correctedSeconds(mlir::Operation *op, llvm::StringRef schedule,
                        const PlanNumbers &plan, double seconds,
                        const GpuTarget &target, llvm::StringRef beside = "");
/// True if this plan was measured for `op` itself.
bool isMeasured(mlir::Operation *op, llvm::StringRef schedule,
                const PlanNumbers &plan, const GpuTarget &target);

/// On an op: the libraries that may take it, an array of names.
constexpr llvm::StringLiteral kByLibrary = "by_library";
/// True if the schedule of that name of a library may take `op`.
bool isLeftTo(llvm::StringRef library, mlir::Operation *op);

/// The name of a kernel for `name` in the function around `at`, with what PTX
/// does not allow replaced.
std::string kernelName(mlir::Operation *at, llvm::StringRef name);

/// The shape of a launch. Values are of type index; null ones are 1.
struct LaunchShape {
  mlir::Value grid[3] = {}, block[3] = {};
  /// Blocks per cluster; {1, 1, 1} is none.
  std::array<int64_t, 3> cluster = {1, 1, 1};
  /// Bytes of dynamic shared memory, gpu.dynamic_shared_memory in the body.
  int64_t sharedBytes = 0;
};

/// Creates an empty gpu.launch for a kernel called `<function>_<name>`, with
/// its terminator, and puts the rewriter before that. `name` tells what it
/// does: `matmul_plain`; characters that PTX does not allow become `_`. A grid
/// of which an extent is 0 is legal and runs nothing.
mlir::gpu::LaunchOp createLaunch(mlir::RewriterBase &rewriter,
                                 mlir::Location loc, llvm::StringRef name,
                                 const LaunchShape &shape);

/// The iteration extents of a linalg op on memrefs, one per loop, computed at
/// the rewriter's place; constants where they are static.
llvm::SmallVector<mlir::Value> loopExtents(mlir::RewriterBase &rewriter,
                                           mlir::linalg::LinalgOp op);

/// The op's body for one iteration, at the rewriter's place. `iteration` are
/// the values of all loops (type index), `arguments` those of the body's block
/// arguments; null where the body has no use of one. Returns what the body
/// yields, one per init.
llvm::SmallVector<mlir::Value> inlineBody(mlir::RewriterBase &rewriter,
                                          mlir::linalg::LinalgOp op,
                                          mlir::ValueRange iteration,
                                          mlir::ValueRange arguments);

/// The indices into `operand` at `iteration`: its indexing map applied.
llvm::SmallVector<mlir::Value> operandIndices(mlir::RewriterBase &rewriter,
                                              mlir::linalg::LinalgOp op,
                                              mlir::OpOperand &operand,
                                              mlir::ValueRange iteration);

/// Static extents of the op's loops, `assumedExtent` where unknown.
llvm::SmallVector<int64_t> assumedLoopExtents(mlir::linalg::LinalgOp op);

/// Emits the kernel of the schedule `elementwise` for `op`, all of whose loops
/// are parallel, and erases it. The kernel is named after `named`.
mlir::LogicalResult emitElementwise(mlir::RewriterBase &rewriter,
                                    mlir::linalg::LinalgOp op,
                                    mlir::Operation *named);

// One constructor per file of this folder.
std::unique_ptr<Schedule> createPlainSchedule();
std::unique_ptr<Schedule> createElementwiseSchedule();
std::unique_ptr<Schedule> createMmaMatmulSchedule();
std::unique_ptr<Schedule> createWgmmaMatmulSchedule();
std::unique_ptr<Schedule> createWsGemmSchedule();
std::unique_ptr<Schedule> createTensorMemoryGemmSchedule();
std::unique_ptr<Schedule> createLibraryMatmulSchedule();
std::unique_ptr<Schedule> createLibraryAttentionSchedule();
std::unique_ptr<Schedule> createRowReductionSchedule();
std::unique_ptr<Schedule> createWindowSchedule();
std::unique_ptr<Schedule> createColumnReductionSchedule();
std::unique_ptr<Schedule> createParallelLoopsSchedule();
std::unique_ptr<Schedule> createScatterSchedule();
std::unique_ptr<Schedule> createScanSchedule();
std::unique_ptr<Schedule> createOrderedLoopsSchedule();
std::unique_ptr<Schedule> createHostLoopSchedule();
/// One for each way to multiply.
void addAttentionSchedules(std::vector<std::unique_ptr<Schedule>> &list);
void addAttentionBackwardSchedules(
    std::vector<std::unique_ptr<Schedule>> &list);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_SCHEDULE_H
