//===- ContractionKernel.h - Tiles of a matrix product ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The base of contraction kernels: blocks own tiles of C, walk along k
// in steps, and bring each step's parts of A and B into a ring of shared-memory
// stages ahead of time. How a step is multiplied is the subclass's.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_CONTRACTIONKERNEL_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_CONTRACTIONKERNEL_H

#include "Common/RowGroups.h"
#include "Epilogue.h"

namespace shardir {

/// How a block's tile of C is computed.
struct TilePlan {
  /// Rows and columns of C per block, elements of k per step.
  int64_t bm = 128, bn = 128, bk = 32;
  /// Warps of a block, along m and n.
  int64_t warpsM = 2, warpsN = 2;
  int64_t stages = 3;
  /// Blocks that share the steps of a tile; a second kernel adds their sums.
  int64_t splits = 1;
  /// Blocks that compute a tile together: 2 are a cluster, and bring half of
  /// the rows and half of the columns each.
  int64_t pair = 1;
  /// Warpgroups that share the steps of a tile of 64 rows; the first one adds
  /// their sums.
  int64_t kGroups = 1;
  /// Two blocks, a cluster, have the same columns of neighbouring tiles: each
  /// brings half of B's tile for both.
  bool sharesB = false;
  /// Tiles lie along k in shared memory, whatever memory does.
  bool alongK = false;
  /// By input: the map that makes it runs in the kernel.
  bool prologue[2] = {false, false};
  /// The factor that this map makes, if the kernel leaves out the steps of
  /// groups without a row in a tile.
  std::optional<RowGroups> rowGroups = std::nullopt;
  /// By input: it is copied first, into rows that vectors can read
  /// (OperandCopies.h); and it is read element by element.
  bool copied[2] = {false, false};
  bool byElements[2] = {false, false};
  int64_t threads() const { return 32 * warpsM * warpsN; }
};

/// A or B: its tile is rows of elements that are contiguous in shared memory.
struct TileSource {
  NestOperand operand;
  /// The loop of m or n, and whether tile rows run along k: then the row's
  /// position is that loop's, else the row's position is k's.
  int outerLoop = -1;
  bool alongK = true;
  /// 16-byte accesses along the contiguous loop are aligned.
  Condition aligned{false, {}};
  /// It is a copy that was made for this kernel.
  bool copied = false;
  /// The producer of its elements; null where they are in memory.
  const Prologue *prologue = nullptr;
  /// Rows and elements per row of a stage's tile.
  int64_t rows = 0, columns = 0;
};

/// The positions of tiles of A, B and C.
class ProductTiles {
public:
  static constexpr int64_t warpThreads = 32;

  /// `contraction` and `epilogue` outlive the kernel.
  ProductTiles(KernelEmitter &emit, const Contraction &contraction,
               const Epilogue &epilogue, const LoopNest &nest,
               const TilePlan &plan);

  /// True if rows of A's tiles can be left out by group.
  bool hasGroups() const { return groups && a.alongK; }

protected:
  Index extent(int loop) const {
    return loop < 0 ? Index(emit.builder.getIndexAttr(1))
                    : contraction.extents[loop];
  }
  /// The element of `source` at the given positions, and the sizes of what is
  /// left of the tile there.
  Index address(const TileSource &source, Index outer, Index k);
  /// Visits every loop of `source`'s at which it stands there.
  void forEachIv(const TileSource &source, Index outer, Index k,
                 llvm::function_ref<void(int, Index)> visit);
  /// That element, read or made.
  mlir::Value element(const TileSource &source, Index outer, Index k);
  /// The ivs of all loops at row `m` and column `n` of C.
  llvm::SmallVector<Index> ivsAt(Index m, Index n) const;
  /// Stores the sums of C's elements (m, n), (m, n + 1), … that exist.
  void store(Index m, Index n, llvm::ArrayRef<mlir::Value> sums, bool paired);
  /// True if no tile of that many iterations ends outside of `loop`.
  bool divides(int loop, int64_t tile) const;
  /// The position of step `step` along the loops of k.
  void setStep(Index step);

  /// The loop over groups of A's rows, and the bounds of each.
  struct Groups {
    int loop = -1;
    NestOperand from, to;
    mlir::Value firstRow; ///< as RowGroups has it
  };

  KernelEmitter &emit;
  const Contraction &contraction;
  const Epilogue &epilogue;
  TilePlan plan;
  TileSource a, b;
  /// With plan.rowGroups, where a kernel can have these; A is all rows then.
  std::optional<Groups> groups;
  llvm::SmallVector<Index> batchExtents, outerKExtents;
  /// All steps, and those of one iteration of the loops around k.
  Index steps, stepsPerK;

  // In the kernel.
  Index tileM, tileN;
  llvm::SmallVector<Index> batch;
  /// Of the step that is loaded: its first k and the ivs of the loops around.
  Index stepK;
  llvm::SmallVector<Index> stepOuterK;
  /// With `groups`: the rows of its group, the second one excluded.
  Index groupFirst, groupEnd;
  /// The bounds of a group, an i32 each, among all rows.
  std::pair<mlir::Value, mlir::Value> boundsOf(Index group);
  /// The same; bounds of no rows where there is no such group.
  llvm::SmallVector<mlir::Value> boundsOrNone(Index group);
  /// True if the tile has rows between such bounds.
  mlir::Value isInTile(mlir::Value from, mlir::Value to);
  /// The steps from the first group that has rows in the tile to the last one.
  void takeGroups(Index &first, Index &count);
  /// Sums go there instead of to C: [split][batch…][m][n], rows of an even
  /// number of elements; null where C gets them.
  mlir::Value partials;
  Index split;
  /// Before the kernel, the place for partial sums if blocks share tiles.
  void makePartials();
  /// Behind the kernel, the one that adds them in the order of the steps, and
  /// finishes C.
  void combinePartials();
  /// Sets the block's part of the steps: `count` of them from `first` on.
  void takePart(Index &first, Index &count);
  Index partialsPitch() const;
  Index partialsAt(Index split, Index m, Index n);

private:
  /// Sets `groups`, and A to all rows.
  void takeRowGroups();
  void storePartials(Index m, Index n, llvm::ArrayRef<mlir::Value> sums);
};

class ContractionKernel : public ProductTiles {
public:
  using ProductTiles::ProductTiles;
  virtual ~ContractionKernel() = default;

  void run(llvm::StringRef name);

protected:
  /// Shared memory for all stages.
  virtual int64_t sharedBytes() = 0;
  /// Gets the addresses that do not change; after that, at a step, the copies
  /// of step `step` into stage `stage`.
  virtual void prepare() = 0;
  virtual void load(Index stage, Index step) = 0;
  /// The sums before the first step, and after the one that lies in `stage`.
  virtual llvm::SmallVector<mlir::Value> zeros() = 0;
  virtual llvm::SmallVector<mlir::Value> multiply(Index stage,
                                                  mlir::ValueRange sums) = 0;
  virtual void finish(mlir::ValueRange sums) = 0;
  /// How many steps after it was multiplied a stage may be overwritten.
  virtual int64_t lag() const { return 1; }
  /// Between a stage's arrival and the barrier that tells the others.
  virtual void beforeBarrier() {}
};

/// A tile of 16-bit operands by mma.sync, f32 sums.
void emitMmaKernel(KernelEmitter &emit, const Contraction &contraction,
                   const Epilogue &epilogue, const LoopNest &nest,
                   const TilePlan &plan);
/// The same by wgmma: sm_90a, 64 rows of a tile per four warps, 64 elements of
/// k per step.
void emitWgmmaKernel(KernelEmitter &emit, const Contraction &contraction,
                     const Epilogue &epilogue, const LoopNest &nest,
                     const TilePlan &plan);
/// The same, sm_90a again: blocks stay, a warpgroup of theirs has the copy
/// engine bring boxes of A and B, two multiply. Where the operands suit tensor
/// maps only if their addresses turn out so, the kernel of emitWgmmaKernel is
/// there too.
void emitWarpSpecializedKernel(KernelEmitter &emit,
                               const Contraction &contraction,
                               const Epilogue &epilogue, const LoopNest &nest,
                               const TilePlan &plan);
/// The same on sm_100a, by tcgen05 with sums in tensor memory. Requires
/// operands that suit tensor maps always.
void emitTensorMemoryKernel(KernelEmitter &emit, const Contraction &contraction,
                            const Epilogue &epilogue, const LoopNest &nest,
                            const TilePlan &plan);
/// True if emitWarpSpecializedKernel can take `op` with plans like `plan`,
/// where not never. Changes nothing.
Condition suitsTensorMaps(mlir::linalg::LinalgOp op, const TilePlan &plan);
/// A tile by fused multiply-adds, sums of the contraction's accumulator type.
void emitFmaKernel(KernelEmitter &emit, const Contraction &contraction,
                   const Epilogue &epilogue, const LoopNest &nest,
                   const TilePlan &plan);

using KernelOfTiles = void (*)(KernelEmitter &, const Contraction &,
                               const Epilogue &, const LoopNest &,
                               const TilePlan &);

/// Extents of a contraction by role, unknown ones as `assumedExtent`. Which of
/// A and B is swapped for the other does not show.
struct ProductShape {
  double m = 1, n = 1, k = 1, batch = 1;
};
ProductShape productShapeOf(mlir::linalg::LinalgOp op);

/// True if tiles can take `op`: a sum of products of floats with linear
/// addresses and a dim of C that is contiguous and not in both A and B.
bool isTileable(mlir::linalg::LinalgOp op);
/// On an op: matrix units may read its f32 operands as tf32, 10 bits of
/// fraction.
constexpr llvm::StringLiteral kReadsTf32 = "reads_tf32";

/// How matrix units see both operands of a product.
enum class Multiplicand { None, Half, Tf32, Byte, Float8 };
/// Half: one 16-bit float type; Tf32: f32, where the op says so; Byte: i8;
/// Float8: one of the 8-bit float types. None: not at all.
Multiplicand multiplicandOf(mlir::linalg::LinalgOp op);
/// The throughput of the matrix units for such products, as a multiple of that
/// for 16 bits; and a plan for 16-bit operands turned into one for them, whose
/// tiles have as many bytes along k.
double rateOf(Multiplicand multiplicand);
TilePlan planFor(TilePlan plan, Multiplicand multiplicand);

/// The map that makes `input` and that the kernel of `op` could run; or null.
mlir::linalg::LinalgOp prologueFor(mlir::linalg::LinalgOp op, unsigned input);

/// Seconds that `plan` needs for `op` where the chip does `flops` per
/// second: waves of blocks, each as long as its arithmetic or its copies take.
double predictTiles(mlir::linalg::LinalgOp op, const TilePlan &plan,
                    double flops, const GpuTarget &target);

/// Makes a product of 8-bit floats one of 16 bits, whose operands maps before
/// it widen. No result changes.
void widenFloat8(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// The plan by which `schedule` takes the least time, the first of equal ones;
/// a chip does `flopsOf(plan)` per second by it. Numbers that are forced hold
/// where a block has the shared memory. `seconds` is the model's.
struct TileChoice {
  TilePlan plan;
  double seconds = 0;
  /// Corrected by what was measured.
  double corrected = 0;
  /// It has the numbers that are forced.
  bool agrees = false;
  /// The time, beside its launch, that the op fused in front of the product
  /// would take by itself; in seconds.
  double saved = 0;
};
TileChoice chooseTiles(mlir::linalg::LinalgOp op, llvm::StringRef schedule,
                       llvm::ArrayRef<TilePlan> plans, const GpuTarget &target,
                       llvm::function_ref<double(const TilePlan &)> flopsOf);
/// The choice among those of `plans` that make the steps of each tile's own
/// groups of rows alone, where input `input` is made of groups and `suits`
/// allows the plan.
std::optional<TileChoice>
chooseGroupedTiles(mlir::linalg::LinalgOp op, unsigned input,
                   llvm::StringRef schedule, llvm::ArrayRef<TilePlan> plans,
                   const GpuTarget &target,
                   llvm::function_ref<double(const TilePlan &)> flopsOf,
                   llvm::function_ref<bool(const TilePlan &)> suits);
/// True if kernels by MatrixTiles can have the plan's groups of rows.
bool suitsGroups(mlir::linalg::LinalgOp op, const TilePlan &plan);
/// The estimate of a choice. Its reason names `unit`, the tile and fused ops.
Estimate estimateOfTiles(mlir::linalg::LinalgOp op, llvm::StringRef unit,
                         const TileChoice &choice, const GpuTarget &target);

/// Emits `op` and the neighbours that it takes along, and erases them.
mlir::LogicalResult emitTiles(mlir::RewriterBase &rewriter,
                              mlir::linalg::LinalgOp op, const TilePlan &plan,
                              KernelOfTiles emitKernel);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_CONTRACTIONKERNEL_H
