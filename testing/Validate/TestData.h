//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test data: random tensors, and terms that combine to a tensor by a partial
// kind without being alike.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_VALIDATE_TESTDATA_H
#define SHARDIR_TESTING_VALIDATE_TESTDATA_H

#include "Validate/RuntimeValue.h"

#include <random>

namespace shardir::validate {

/// Which numbers: small ones whose sums and products are exact, none of them
/// zero; or also NaN, infinities, zeros of both signs and the extremes of
/// integers, where only order and bits matter.
enum class Flavour { Small, Special };

/// Bounds of integers, both included, where a program needs them (indices).
using Range = std::optional<std::pair<int64_t, int64_t>>;

class TestData {
public:
  explicit TestData(uint64_t seed) : random(seed) {}

  Scalar scalar(mlir::Type type, Flavour flavour, Range range = {});
  Tensor tensor(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                Flavour flavour, Range range = {});
  /// Gives what was never written a value: no rule may count on it.
  Tensor define(Tensor tensor);

  /// `count` terms that combine to `whole` by `kind`, exactly. They differ in
  /// size and sign, and the one that decides a maximum is any of them.
  std::vector<Tensor> terms(PartialKind kind, const TensorData &whole,
                            int64_t count);

  uint64_t below(uint64_t bound) { return random() % bound; }

private:
  void terms(PartialKind kind, mlir::Type type, const Scalar &whole,
             llvm::MutableArrayRef<Scalar> terms);
  Scalar notAbove(mlir::Type type, bool ignoresNaN, const Scalar &whole);

  std::mt19937_64 random;
};

/// The shard of one device.
Tensor cut(const TensorData &whole, llvm::ArrayRef<DimShard> shard);

} // namespace shardir::validate

#endif // SHARDIR_TESTING_VALIDATE_TESTDATA_H
