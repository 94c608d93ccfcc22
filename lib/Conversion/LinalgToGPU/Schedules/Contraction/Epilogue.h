//===- Epilogue.h - What a contraction takes along --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction's neighbours: the fill of zero that it starts from, and the map
// that reads its result at the place where it is computed. And how a kernel
// that has an element of the product finishes it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_EPILOGUE_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_EPILOGUE_H

#include "../KernelEmitter.h"
#include "Common/Contraction.h"
#include "Prologue.h"

#include <array>

namespace shardir {

/// A question about the IR.
struct ContractionNeighbours {
  /// C holds zeros before: it need not be read.
  mlir::linalg::FillOp zeros;
  bool fillIsDead = false;
  /// An elementwise op on C's full domain; null for none.
  mlir::linalg::LinalgOp map;
  /// By input: the map that makes it, where the kernel is to run it; null else.
  mlir::linalg::LinalgOp prologues[2];
  /// Something else reads C.
  bool resultEscapes = true;
  llvm::SmallVector<mlir::Operation *> earlyFrees;

  /// Where the kernel stands: the last op that it replaces.
  mlir::Operation *last(mlir::linalg::LinalgOp op) const {
    mlir::linalg::LinalgOp end = map;
    return end ? end.getOperation() : op.getOperation();
  }
};

ContractionNeighbours findNeighbours(mlir::linalg::LinalgOp contraction);
/// Has the kernel run `map`, which makes input `input`; its inputs are freed
/// behind the kernel.
void takePrologue(ContractionNeighbours &neighbours,
                  mlir::linalg::LinalgOp contraction, unsigned input,
                  mlir::linalg::LinalgOp map);

/// Removes what the kernel does.
void eraseContraction(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                      const ContractionNeighbours &neighbours);

/// a + b, of floats or integers.
mlir::Value addSums(KernelEmitter &emit, mlir::Value a, mlir::Value b);

/// Finishes elements of C.
class Epilogue {
public:
  /// Emits on the host what the map's addresses need.
  static mlir::FailureOr<Epilogue>
  create(KernelEmitter &emit, const Contraction &contraction,
         const ContractionNeighbours &neighbours, const NestOperand &c);

  /// Neighbours in a row of C, `sums` being their products, are combined with
  /// what C holds, mapped and stored. `ivs` are those of the contraction's
  /// loops for the first of them. With more than one value, C's rows are so
  /// aligned that `isPaired` holds, and all values exist.
  void finish(KernelEmitter &emit, llvm::ArrayRef<Index> ivs,
              llvm::ArrayRef<mlir::Value> sums) const;

  /// The producer of input `input` if it is not in memory; else null.
  const Prologue *prologueOf(unsigned input) const {
    return prologues[input] ? &*prologues[input] : nullptr;
  }

  /// True if two neighbours can be stored at once everywhere.
  bool isPaired(KernelEmitter &emit) const;

  /// The buffers that are written, with their strides along the contraction's
  /// loops: C, where something else reads it, then the map's; nullopt where one
  /// does not move along them linearly.
  std::optional<llvm::SmallVector<NestOperand>> results() const;

  /// By lane and input of the map: what was loaded, or null.
  using Loaded = std::array<llvm::SmallVector<mlir::Value>, 2>;
  /// The values that the map reads at the element at `ivs` and at the neighbour
  /// behind it, which exist; where its body is to read an input by itself,
  /// null.
  Loaded load(KernelEmitter &emit, llvm::ArrayRef<Index> ivs) const;
  /// By result, the two values that `finish` would store; `loaded`, if given,
  /// is what `load` gave at `ivs`.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  valuesOf(KernelEmitter &emit, llvm::ArrayRef<Index> ivs,
           llvm::ArrayRef<mlir::Value> sums, const Loaded *loaded) const;

private:
  /// C's elements: sums with what C held, rounded.
  llvm::SmallVector<mlir::Value>
  elementsOf(KernelEmitter &emit, llvm::ArrayRef<Index> ivs,
             llvm::ArrayRef<mlir::Value> sums) const;
  Index addressOf(KernelEmitter &emit, llvm::ArrayRef<Index> ivs) const;
  /// The ivs of the map at C's element at `ivs`.
  llvm::SmallVector<Index> mapIvsOf(KernelEmitter &emit,
                                    llvm::ArrayRef<Index> ivs) const;
  /// The map's results at C's elements, by element.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  mapAll(KernelEmitter &emit, llvm::ArrayRef<Index> mapIvs,
         llvm::ArrayRef<mlir::Value> elements, const Loaded &loaded) const;
  /// `result` of the map with strides along the contraction's loops.
  std::optional<NestOperand> alongLoops(NestOperand result) const;

  const Contraction *contraction = nullptr;
  std::optional<Prologue> prologues[2];
  bool startsAtZero = false, storesResult = true;
  NestOperand c;
  /// The map's nest, and by loop of the map the loop of the contraction's op.
  std::optional<LoopNest> map;
  llvm::SmallVector<int> loops;
  unsigned mapInput = 0;
  /// By input of the map: two neighbours along C's rows can be loaded at once,
  /// or are one element.
  enum class Pair { None, Vector, Same };
  llvm::SmallVector<Pair> pairs;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_EPILOGUE_H
