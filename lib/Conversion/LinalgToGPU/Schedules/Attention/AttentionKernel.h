//===- AttentionKernel.h - Attention tile by tile ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward pass of FlashAttention-2 (Dao, arXiv:2307.08691): a block owns
// rows of queries and walks along the keys in tiles that a ring of shared
// memory brings ahead of time. Scores and sums stay in registers, in the layout
// that mma.sync and wgmma give accumulators: a warp has 16 rows of every
// product, lane l the columns 2 (l % 4) and 2 (l % 4) + 1 of every eight, of
// rows l / 4 and l / 4 + 8. So a row lies in four lanes. How tiles are
// multiplied is the subclass's.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONKERNEL_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONKERNEL_H

#include "AttentionMask.h"

namespace shardir {

struct AttentionPlan {
  int64_t warps = 4;
  /// Times 16 rows: of a warp.
  int64_t rowTiles = 1;
  /// Keys per step, a multiple of 16.
  int64_t bn = 64;
  /// Columns of acc per block, a multiple of 16.
  int64_t bv = 64;
  /// The extent of k, rounded up to a multiple of 16.
  int64_t k = 64;
  int64_t stages = 2;
  /// Besides `warps`: those that only copy, a warpgroup or none.
  int64_t copyWarps = 0;
  /// Blocks that share the keys of the same rows.
  int64_t parts = 1;
  /// Queries are read from shared memory once.
  bool queryInRegisters = true;

  int64_t threads() const { return 32 * warps; }
  int64_t blockThreads() const { return 32 * (warps + copyWarps); }
  int64_t bm() const { return 16 * rowTiles * warps; }
};

/// Values of a thread: of `tiles` times eight columns, in the order of row
/// tile, eight columns, row of the two, column of the two.
using Fragment = llvm::SmallVector<mlir::Value>;

/// Parts of operands in shared memory, and copies of them.
class AttentionTiles {
public:
  AttentionTiles(KernelEmitter &emit, int64_t threads)
      : emit(emit), threads(threads) {}
  virtual ~AttentionTiles() = default;

  /// An operand's part in shared memory, in the direction in which memory is
  /// contiguous.
  struct Tile {
    NestOperand operand;
    /// The parts of `first` and `second`: how many of each.
    const Axis *first = nullptr, *second = nullptr;
    int64_t firstSize = 0, secondSize = 0;
    /// Rows of the tile run along `first`.
    bool turned = false;
    int64_t rows = 0, columns = 0;
    int64_t stages = 1;
    /// 16-byte accesses along rows are aligned.
    Condition aligned{false, {}};
    /// In a kernel.
    mlir::Value shared;
    Index base;
    int64_t offset = 0;

    /// Elements of 16 bytes.
    int64_t chunk() const { return 16 / elementBytes(operand.element); }
  };

protected:
  /// Elements of a stage of `tile`, and where chunk `column` of row `row` lies
  /// in it. By default rows are padded to an odd number of chunks: the eight
  /// that matrix units read at a time lie in different banks.
  virtual int64_t elements(const Tile &tile) const;
  virtual Index place(const Tile &tile, Index row, Index column);

  Tile makeTile(const NestOperand &operand, const Axis &first,
                int64_t firstSize, const Axis &second, int64_t secondSize,
                int64_t stages);
  /// Takes memory for it, on the host.
  void takeShared(Tile &tile, SharedLayout &layout) {
    tile.offset = layout.take(tile.stages * elements(tile) *
                              elementBytes(tile.operand.element));
  }
  /// Finds it in the kernel; `ivs` are those that the block has.
  void open(Tile &tile, llvm::ArrayRef<Index> ivs);
  void copy(const Tile &tile, Index stage, Index firstStart, Index secondStart);
  /// Ends a group of asynchronous copies.
  mlir::Value commit();
  /// Waits until all but the newest `groups` are there.
  void wait(mlir::Value newest, int64_t groups);

  void setIvs(llvm::MutableArrayRef<Index> ivs, const Axis &axis,
              Index position);
  mlir::Value loadOf(const NestOperand &operand, llvm::ArrayRef<Index> ivs);
  /// `body` where `position`, in tiles of `tile`, exists along `axis`.
  void ifInside(const Axis &axis, int64_t tile, Index position,
                llvm::function_ref<void()> body);
  /// Where in a fragment of `tiles` eights of columns a value lies.
  static int64_t at(int64_t tiles, int64_t rowTile, int64_t tile, int64_t half,
                    int64_t one) {
    return ((rowTile * tiles + tile) * 2 + half) * 2 + one;
  }

  /// Two 16-bit floats in a register, which mma.sync wants as an integer for
  /// bf16.
  mlir::Value wordOf(mlir::Value pair, bool asInteger = false);

  /// Four 8x8 matrices of `tile`, at `outer` along the product's rows or
  /// columns and at `k`; `kFirst` says that k is the tile's first axis. In
  /// order, `outerFirst` steps along the outer dim before it steps along k.
  llvm::SmallVector<mlir::Value> fragments(const Tile &tile, Index stage,
                                           Index outer, int64_t k, bool kFirst,
                                           bool outerFirst);
  /// Adds to four values at `sum` what m16n8k16 makes of fragments.
  void product(mlir::Type element, llvm::ArrayRef<mlir::Value> a,
               llvm::ArrayRef<mlir::Value> b, mlir::Value *sum);

  /// Elements along k that fused multiply-adds read at a time.
  static constexpr int64_t quad = 4;
  virtual mlir::FloatType wideType() const = 0;
  /// A float or a vector of floats in the type of the scores, wideType.
  mlir::Value widened(mlir::Value value);
  /// `count` neighbours of `tile` from (first, second), along its second axis
  /// or, with `alongFirst`, its first; a multiple of two, at a multiple of it.
  llvm::SmallVector<mlir::Value> read(const Tile &tile, Index stage,
                                      Index first, Index second, int64_t count,
                                      bool alongFirst);
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c);
  /// By fused multiply-adds: `rows` rows of `left`, the thread's first one at
  /// `warpRow`, times `columnTiles` eights of columns in `stage` of `right`,
  /// summed over `extent` of their second axes.
  Fragment multiply(const Tile &left, Index warpRow, int64_t rows,
                    const Tile &right, Index stage, int64_t columnTiles,
                    int64_t extent);
  /// The row of shared memory that is the thread's `row`th behind `warpRow`.
  Index rowBehind(Index warpRow, int64_t row) {
    return emit.add(warpRow,
                    emit.add(emit.div(lane, 4), emit.constant(8 * row)));
  }

  KernelEmitter &emit;
  int64_t threads;
  // In the kernel.
  Index lane, warp;

private:
  void copyVectors(const Tile &tile, Index stage, Index firstStart,
                   Index secondStart);
  void copyElements(const Tile &tile, Index stage, Index firstStart,
                    Index secondStart);
  /// Chunk `i` of the thread: its row and column in the tile. Null where every
  /// thread has one, else whether this one has.
  mlir::Value chunkAt(const Tile &tile, Index i, bool isLast, Index &row,
                      Index &column);
  Index address(const Tile &tile, Index first, Index second);
};

class AttentionKernel : public AttentionTiles {
public:
  /// `problem` outlives the kernel.
  AttentionKernel(KernelEmitter &emit, const AttentionProblem &problem,
                  const AttentionPlan &plan);

  void run(llvm::StringRef name);

protected:
  /// A thread's part of acc, and of its rows the maxima and its part of the
  /// sums.
  struct Sums {
    Fragment acc;
    llvm::SmallVector<mlir::Value> max, sum;
    llvm::SmallVector<mlir::Value> values() const {
      return llvm::to_vector(llvm::concat<const mlir::Value>(acc, max, sum));
    }
  };

  /// Takes shared memory besides the tiles', on the host.
  virtual void takeMore(SharedLayout &layout) {}
  /// The steps from `first` to `end`, excluded, and what is stored after them.
  virtual void attend(Index first, Index end);
  /// At the kernel's start; when the queries are there.
  virtual void prepare() {}
  virtual void holdQuery() {}
  /// At its end.
  virtual void giveBack() {}
  /// Between a stage's arrival and the barrier that tells the others.
  virtual void beforeBarrier() {}
  /// The products of the queries and the keys in `stage`.
  virtual Fragment scores(Index stage) = 0;
  /// Adds the products of `probabilities`, as `prob` yields them, and the
  /// values in `stage`.
  virtual void accumulate(Index stage,
                          llvm::ArrayRef<mlir::Value> probabilities,
                          Fragment &sums) = 0;
  /// True if exponentials may be what the hardware has.
  virtual bool isApproximate() const { return false; }
  mlir::FloatType wideType() const override { return problem.wide; }

  int64_t scoreTiles() const { return plan.bn / 8; }
  int64_t valueTiles() const { return plan.bv / 8; }

  const AttentionProblem &problem;
  AttentionPlan plan;
  Tile query, key, value;
  // In the kernel.
  Index rowStart, valueStart;
  /// The block's position along `outer`; other loops are at 0.
  llvm::SmallVector<Index> blockIvs;

  int64_t rowCount() const { return 2 * plan.rowTiles; }

  Sums sumsOf(mlir::ValueRange carried) const;
  Sums initial();
  /// True if all columns of a step exist and no score is masked; null where
  /// that is known.
  mlir::Value isVisible(Index step);
  /// `score` of a step's products, columns that do not exist -inf. `visible`
  /// says that isVisible holds.
  Fragment scored(const Fragment &products, Index step, bool visible);
  /// The same where that is not known.
  Fragment scored(const Fragment &products, Index step);
  /// Makes exponentials of a step's scores, relative to the maxima that take
  /// them in. Returns, by row, the factor that `acc` still needs.
  llvm::SmallVector<mlir::Value> softmax(Fragment &values, Sums &sums);
  void scale(Fragment &acc, llvm::ArrayRef<mlir::Value> factors);
  /// `prob` of them.
  void finishProbabilities(Fragment &values, Index step);
  void finish(const Sums &sums);

private:
  /// The row of the thread's `row`th, of two per row tile.
  Index rowAt(int64_t row);
  void load(Index step);

  /// With `visible`, the mask's conditions are known to hold.
  mlir::Value runRegion(mlir::Region &region, mlir::Value first,
                        llvm::ArrayRef<Index> ivs, bool visible = false);
  /// The dims of the block's rows and of all columns, those of the step
  /// excepted.
  LoopRanges blockRanges();
  /// The steps in which a score can count, the second one excluded.
  std::pair<Index, Index> stepRange();
  mlir::Value float_(double number);
  /// exp(x - shift), or 2^(x - shift).
  mlir::Value exponential(mlir::Value x, mlir::Value shift);
  /// True if scores and maxima are kept times log2(e): where `score` ends in
  /// factors that take that in, and the hardware's powers of two do.
  bool inPowersOfTwo() const;
  /// A score, times log2(e) if inPowersOfTwo.
  mlir::Value scaled(mlir::Value score);

  AttentionMask mask;
};

/// The base of kernels on matrix units: 16-bit probabilities, f32 sums.
class MatrixAttention : public AttentionKernel {
public:
  using AttentionKernel::AttentionKernel;

protected:
  /// Probabilities are rounded to 16 bits anyway.
  bool isApproximate() const override { return true; }
  /// Two neighbours of `probabilities` in a register.
  mlir::Value packed(llvm::ArrayRef<mlir::Value> probabilities, int64_t rowTile,
                     int64_t tile, int64_t half, bool asInteger = false);
};

/// 16-bit operands by mma.sync, f32 sums.
void emitMmaAttention(KernelEmitter &emit, const AttentionProblem &problem,
                      const AttentionPlan &plan);
/// The same by wgmma: sm_90a, four warps for each 64 rows. With `copyWarps` TMA
/// copies keys and values, and two warpgroups multiply.
void emitWgmmaAttention(KernelEmitter &emit, const AttentionProblem &problem,
                        const AttentionPlan &plan);
/// On the host: whether TMA can copy keys and values. With `copyWarps` the
/// kernel by wgmma tests this, and threads copy where it does not hold.
Condition suitsTensorMaps(KernelEmitter &emit, const AttentionProblem &problem,
                          const AttentionPlan &plan);
/// The same by tcgen05, with sums in tensor memory: sm_100a.
void emitTensorMemoryAttention(KernelEmitter &emit,
                               const AttentionProblem &problem,
                               const AttentionPlan &plan);
/// Operands of any float types by fused multiply-adds.
void emitFmaAttention(KernelEmitter &emit, const AttentionProblem &problem,
                      const AttentionPlan &plan);

/// The attentions of `count` parts of the keys, with workspaces as results.
AttentionProblem makeParts(KernelEmitter &emit, const AttentionProblem &problem,
                           int64_t count);
/// Merges them into the problem's results, and frees the workspaces.
void mergeParts(KernelEmitter &emit, const AttentionProblem &problem,
                const AttentionProblem &parts);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_ATTENTIONKERNEL_H
