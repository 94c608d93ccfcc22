//===- VectorBody.h - A linalg body on several lanes ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the body of a nest for consecutive iterations of one loop at a time.
// Values that do not depend on that loop stay scalar and are broadcast where
// they meet something that does.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COMMON_VECTORBODY_H
#define SHARDIR_LIB_CONVERSION_COMMON_VECTORBODY_H

#include "LoopNest.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {

class VectorBody {
public:
  /// `loop` is the one whose iterations become lanes.
  VectorBody(LoopEmitter &emit, const LoopNest &nest, int loop, int64_t lanes)
      : emit(emit), nest(nest), loop(loop), lanes(lanes) {}
  virtual ~VectorBody() = default;

  /// True if every op of the body has a form on lanes. With `allLanesExist` no
  /// count is ever given, and what could trap in a lane that doesn't is fine.
  static bool isSupported(mlir::linalg::LinalgOp op,
                          bool allLanesExist = false);

  /// Takes `value`, of lanes or uniform, for input `i` instead of loading it.
  void bindInput(unsigned i, mlir::Value value);
  /// Input `i` at `ivs`: lanes, or one value where it is uniform.
  mlir::Value loadInput(unsigned i, llvm::ArrayRef<Index> ivs) {
    return load(nest.operands[i], ivs, std::nullopt);
  }
  /// The inputs at `ivs` that are not bound, of which the first `count` lanes
  /// exist (all of them if there is no count).
  void loadInputs(llvm::ArrayRef<Index> ivs, std::optional<Index> count);
  /// Result `i` at `ivs`, as it is stored.
  mlir::Value loadResult(unsigned i, llvm::ArrayRef<Index> ivs,
                         std::optional<Index> count);
  /// Runs the body on the loaded inputs and `results`, the values so far;
  /// returns what it yields, broadcast to lanes unless a result is uniform.
  llvm::SmallVector<mlir::Value> run(llvm::ArrayRef<Index> ivs,
                                     mlir::ValueRange results,
                                     std::optional<Index> count);
  void store(unsigned i, mlir::Value value, llvm::ArrayRef<Index> ivs,
             std::optional<Index> count);
  mlir::Value broadcast(mlir::Value value);
  /// A vector of `flat`'s elements at `at`, `at` + 2, ..., of which the first
  /// `count` exist.
  static mlir::Value loadEveryOther(LoopEmitter &emit, mlir::Value flat,
                                    mlir::Value at, mlir::VectorType type,
                                    std::optional<Index> count);
  /// The address of result `i` at `ivs`, in bytes.
  mlir::Value addressOfResult(unsigned i, llvm::ArrayRef<Index> ivs);

protected:
  /// The lanes of `memref` from `at` on along its last dim, which is
  /// contiguous: what the body loads from a captured buffer.
  virtual mlir::Value loadRow(mlir::Value memref, mlir::ValueRange at,
                              std::optional<Index> count);
  mlir::VectorType vectorOf(mlir::Type element) {
    return mlir::VectorType::get(lanes, element);
  }

private:
  mlir::Value load(const NestOperand &operand, llvm::ArrayRef<Index> ivs,
                   std::optional<Index> count);
  void emitOp(mlir::Operation *op, llvm::ArrayRef<Index> ivs,
              std::optional<Index> count);
  mlir::Value emitLoad(mlir::Operation *load, std::optional<Index> count);
  void noteConsecutive(mlir::Operation *op);
  /// The address of an element.
  mlir::Value byteAddress(mlir::Value flat, mlir::Value at);
  /// The address as a pointer, for elements that vectors hold in bits and
  /// memory in bytes.
  mlir::Value pointer(mlir::Value flat, mlir::Value at);

  LoopEmitter &emit;
  const LoopNest &nest;
  int loop;
  int64_t lanes;
  mlir::IRMapping mapping;
  /// Values of the body whose lanes are base, base + 1, ...: their base.
  llvm::DenseMap<mlir::Value, mlir::Value> consecutive;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COMMON_VECTORBODY_H
