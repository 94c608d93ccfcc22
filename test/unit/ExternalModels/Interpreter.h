//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interpreter of the few ops that the models of tensor and arith take and
// make, for one device at a time: so rules and local forms are tested by
// arithmetic, without a pass or a runtime.
//
// Requires verified IR. Every element is a double, exact for the small integers
// that tests use; a tensor read out of bounds or a result whose shape
// contradicts its type is reported as a test failure.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_EXTERNALMODELS_INTERPRETER_H
#define SHARDIR_TEST_UNIT_EXTERNALMODELS_INTERPRETER_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

namespace shardir::test {

/// A tensor in row-major order; a scalar has no dims and one element.
struct Array {
  std::vector<int64_t> shape;
  std::vector<double> data{0};

  static Array scalar(double value) { return {{}, {value}}; }
  static Array ofShape(std::vector<int64_t> shape, double value = 0);
  bool operator==(const Array &o) const {
    return shape == o.shape && data == o.data;
  }
  /// The element at `index`, or null out of bounds.
  double *at(const std::vector<int64_t> &index);
};

/// Calls `visit` with every index of `shape`, row-major.
void forEachIndex(const std::vector<int64_t> &shape,
                  llvm::function_ref<void(const std::vector<int64_t> &)> visit);

/// The shard of `whole` that the device at `position` holds, with a halo.
Array shardAt(const Array &whole, const Placement &placement, const Halo &halo,
              const Mesh &mesh, int64_t position);

/// The terms' element-wise combination by `kind`.
double combine(PartialKind kind, double a, double b);

class Interpreter {
public:
  Interpreter(const Mesh &mesh, int64_t position)
      : coordinates(mesh.coordinates(position)), mesh(mesh) {}

  void set(mlir::Value value, Array array) { values[value] = std::move(array); }
  const Array &get(mlir::Value value) { return values[value]; }
  /// Runs the ops of `block` up to its terminator.
  void run(mlir::Block &block);

private:
  void runOp(mlir::Operation &op);
  Array evaluate(mlir::Operation &op);
  Array elementwise(mlir::Operation &op);
  Array slice(mlir::Operation &op);
  Array padded(mlir::Operation &op);
  double yielded(mlir::Block &body, const std::vector<int64_t> &index);
  int64_t index(mlir::OpFoldResult value);
  std::vector<int64_t> indices(llvm::ArrayRef<mlir::OpFoldResult> values);

  std::vector<int64_t> coordinates;
  const Mesh &mesh;
  llvm::DenseMap<mlir::Value, Array> values;
};

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_EXTERNALMODELS_INTERPRETER_H
