//===- KernelEmitter.h - Short names for emitting kernels -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for schedules: launches of one-dimensional blocks, the decoding of a
// linear index, warp shuffles, shared memory, and the proof or the run-time
// check that memory can be accessed 16 bytes at a time.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_KERNELEMITTER_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_KERNELEMITTER_H

#include "Common/LoopNest.h"
#include "Schedule.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

namespace shardir {

/// True if something holds: known, or a value of type i1 that says so.
struct Condition {
  /// Set where it is known.
  std::optional<bool> known;
  mlir::Value value;

  bool never() const { return known == false; }
  bool always() const { return known == true; }
};

/// Shared memory of a kernel, handed out from its start.
struct SharedLayout {
  int64_t bytes = 0;
  /// The offset of `size` more bytes, 128-byte aligned.
  int64_t take(int64_t size) {
    int64_t at = bytes;
    bytes += (size + 127) / 128 * 128;
    return at;
  }
};

class KernelEmitter : public LoopEmitter {
public:
  /// Kernels are named after `op`, which need not live on.
  KernelEmitter(mlir::RewriterBase &rewriter, mlir::Operation *op)
      : LoopEmitter(rewriter, op->getLoc()), rewriter(rewriter),
        opName(op->getName().stripDialect().str()) {}

  /// A kernel of grid[0] x grid[1] x grid[2] blocks of `threads` threads whose
  /// body is emitted by `body`; afterwards the emitter is behind the launch.
  /// Neighbours along x are clusters of so many.
  void launch(llvm::StringRef name, llvm::ArrayRef<Index> grid, int64_t threads,
              int64_t sharedBytes, llvm::function_ref<void()> body,
              int64_t cluster = 1);
  /// A kernel of one thread per number below the product of `extents`, in
  /// blocks of at most `threads`. `body` gets the number and the ivs there, the
  /// last one running fastest.
  void launchOver(llvm::StringRef name, llvm::ArrayRef<Index> extents,
                  int64_t threads,
                  llvm::function_ref<void(Index, llvm::ArrayRef<Index>)> body);
  /// In a body: the thread's and the block's position.
  Index thread() { return threadId; }
  Index block(int dim) { return blockIds[dim]; }

  /// The ivs at position `linear` of the product of `extents`, the last one
  /// running fastest. Computed on 32 bits where the product is known to fit.
  llvm::SmallVector<Index> decode(Index linear, llvm::ArrayRef<Index> extents);

  void barrier();
  /// The value of the lane whose number differs by `mask`, of any scalar type.
  mlir::Value shuffleXor(mlir::Value value, int64_t mask);
  /// `value` of `width` neighbouring lanes, a power of two, combined in the
  /// order of a butterfly: every lane gets the same bits.
  mlir::Value
  butterfly(mlir::Value value, int64_t width,
            llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  /// On the host: the first element of `operand`, as a buffer of one.
  mlir::Value firstElement(const NestOperand &operand);
  /// On the host: a buffer of `count` elements, to be freed by the caller.
  mlir::Value workspace(mlir::Type element, Index count);
  /// A constant of 32 bits.
  mlir::Value i32(int64_t value);
  /// An index as an integer of so many bits.
  mlir::Value cast(Index index, unsigned bits);
  /// A signed integer, or an index, as an index.
  Index index(mlir::Value integer);
  /// True in all threads of that warp of the block. ptxas sees that they agree.
  mlir::Value isWarp(int64_t number);
  /// One thread of the warp, all of which come here. Instructions that take
  /// uniform registers, as those of TMA do, are issued directly then; where
  /// ptxas cannot see that one thread is left, it makes a loop over those that
  /// may be.
  void byOneThread(llvm::function_ref<void()> body);
  /// Until the phase of that parity of an mbarrier has ended.
  void awaitPhase(mlir::Value barrier, mlir::Value parity);
  /// `count` elements of shared memory from byte `offset`. i1 takes a byte.
  mlir::Value shared(mlir::Type element, int64_t count, int64_t offset);
  /// The address of the block's shared memory.
  Index sharedAddress();

  /// Inline assembly with side effects; the result has no value if `result` is
  /// null.
  mlir::Value assembly(mlir::Type result, mlir::ValueRange operands,
                       llvm::StringRef text, llvm::StringRef constraints);
  /// The same values in one struct, computed before and used behind this place:
  /// LLVM would move what it takes for arithmetic over fences and waits. Each
  /// is an f32 or an integer of 32 or 64 bits.
  mlir::Value pinned(mlir::ValueRange values);

  /// The values of `then` if `condition` holds, else those of `otherwise`.
  llvm::SmallVector<mlir::Value>
  either(mlir::Value condition,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> then,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> otherwise);

  using LoopEmitter::branch;
  /// Emits `then`, `otherwise`, or an if of both.
  void branch(const Condition &condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise);
  Index exclusiveOr(Index a, Index b);
  mlir::Value lessEqual(Index a, Index b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  Condition both(Condition a, Condition b);

  /// On the host: whether every access to `lanes` elements of `operand` that
  /// starts at a multiple of `lanes` along `loop`, and anywhere along the other
  /// loops, is aligned to its size. Alignment of 64 bytes is what an allocation
  /// has (X4).
  Condition isAligned(const NestOperand &operand, int loop, int64_t lanes);
  /// The same for the pointer alone, to `bytes`, with its constant offset.
  Condition isPointerAligned(const NestOperand &operand, int64_t bytes);
  /// True if `index` elements are a multiple of `count`.
  Condition isMultiple(Index index, int64_t count);

  mlir::RewriterBase &rewriter;

private:
  std::string opName;
  Index threadId, blockIds[3];
};

/// An emitter whose code is erased with it: to see whether something can be
/// emitted.
struct TrialEmitter {
  explicit TrialEmitter(mlir::Operation *op)
      : rewriter(op->getContext()), emit(rewriter, op) {
    rewriter.setInsertionPointToEnd(&block);
  }

  mlir::Block block;
  mlir::IRRewriter rewriter;
  KernelEmitter emit;
};

/// `number` with `extent` of it at a time; how many bits that needs is known.
inline int64_t ceilDivide(int64_t number, int64_t extent) {
  return (number + extent - 1) / extent;
}

/// The buffer that `view` is a view of: an allocation, an argument, or what an
/// op gives that is not known here.
mlir::Value baseOf(mlir::Value view);
/// True if the buffer that `view` lies in starts at a multiple of 64 bytes
/// (X4): what the program allocates, constants, and arguments of the entry.
bool hasAlignedStart(mlir::Value view);

/// Runs `op`'s body at `ivs` on one element of each operand: inputs come from
/// `inputs` where that has a value, else from memory; what was there before
/// comes from `olds`, if it has a value, else from memory. Returns what the
/// body yields.
llvm::SmallVector<mlir::Value> runScalarBody(KernelEmitter &emit,
                                             const LoopNest &nest,
                                             llvm::ArrayRef<Index> ivs,
                                             mlir::ValueRange inputs = {},
                                             mlir::ValueRange olds = {});

/// Stores `values`, neighbours in memory, from `address` of `operand`: more
/// than one at once, which must be aligned.
void storeRow(KernelEmitter &emit, const NestOperand &operand,
              mlir::Value address, llvm::ArrayRef<mlir::Value> values);

/// Lanes of one access of at most 16 bytes that suits every operand of `nest`:
/// 16 bytes of the narrowest one, at most 8 elements (16 where all are bytes).
int64_t lanesFor(const LoopNest &nest);

/// At most as many, along `loop`: so many that every access is surely aligned
/// and that they divide the extent into at least `vectors`.
int64_t surelyAlignedLanes(KernelEmitter &emit, const LoopNest &nest, int loop,
                           int64_t vectors);

/// Bytes of a buffer, 0 for what is none; unknown extents count as
/// `assumedExtent`.
double bytesOf(mlir::Value buffer);
/// Bytes that `op` moves between memory and the chip, each element once.
double bytesMoved(mlir::linalg::LinalgOp op);
/// The seconds that all threads of the chip need for the body of `op`.
double secondsOfBody(mlir::linalg::LinalgOp op, const GpuTarget &target);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_KERNELEMITTER_H
