//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of the interpreter: scalars and small tensors that remember which
// inputs they depend on and whether they were ever written.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_VALIDATE_RUNTIMEVALUE_H
#define SHARDIR_TESTING_VALIDATE_RUNTIMEVALUE_H

#include "ShardIR/Placement/Placement.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <string>

namespace shardir::validate {

/// One element of any type. Integers are sign-extended from their width (i1:
/// 0 and -1), index has 64 bits, floats are the double nearest to the value of
/// their own type, complex numbers use both parts.
struct Scalar {
  int64_t i = 0;
  double re = 0, im = 0;
  uint32_t dependences = 0; ///< a set of Dependences; 0: none
  bool undefined =
      false; ///< never written, or the result of undefined behaviour
};

Scalar integer(int64_t value);
Scalar real(double value);

/// Sets of input elements, numbered; equal sets have equal numbers, so that the
/// union of two is looked up and not computed again.
class Dependences {
public:
  Dependences() : sets(1) {}
  uint32_t single(unsigned element);
  uint32_t unite(uint32_t a, uint32_t b);
  const llvm::BitVector &get(uint32_t set) const { return sets[set]; }

private:
  uint32_t intern(llvm::BitVector set);

  std::vector<llvm::BitVector> sets;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> unions;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<uint32_t, 1>> known;
};

struct TensorData {
  mlir::Type element;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<Scalar> elements; ///< row-major

  int64_t rank() const { return shape.size(); }
  /// The position of an element; -1 where an index is out of bounds.
  int64_t position(llvm::ArrayRef<int64_t> index) const;
};

using Tensor = std::shared_ptr<const TensorData>;

/// A tensor, or a scalar where `tensor` is null.
struct RuntimeValue {
  Scalar scalar;
  Tensor tensor;

  RuntimeValue() = default;
  RuntimeValue(Scalar scalar) : scalar(scalar) {}
  RuntimeValue(Tensor tensor) : tensor(std::move(tensor)) {}
};

int64_t numElements(llvm::ArrayRef<int64_t> shape);

/// A tensor whose elements are undefined.
std::shared_ptr<TensorData> makeTensor(mlir::Type element,
                                       llvm::ArrayRef<int64_t> shape);

/// Calls `visit` with every index of `shape`, in row-major order, until it
/// returns false.
bool forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> visit);

/// The nearest value of float type `type`; ties to even. Exact for sums,
/// products and quotients of two values of f32 and narrower types (Figueroa,
/// "When is double rounding innocuous?", 1995).
double roundTo(mlir::Type type, double value);
/// `value` as an integer of `type`'s width, sign-extended.
int64_t wrapTo(mlir::Type type, int64_t value);
/// The bits of an integer of `type`, zero-extended.
uint64_t bitsOf(mlir::Type type, int64_t value);
/// 64 for index; integers wider than that are refused by the interpreter.
unsigned widthOf(mlir::Type type);

/// Combines two terms by a partial kind (P5), as the op that names it does:
/// NaN and the sign of zero included.
Scalar combine(PartialKind kind, mlir::Type type, const Scalar &a,
               const Scalar &b);

/// How two values may differ: sums of terms in another order round otherwise,
/// and their zeros differ in sign.
enum class Exactness { Bits, Rounded };

/// Whether `found` is right where `expected` is asked for. What is undefined in
/// the whole program may be anything.
bool agrees(mlir::Type type, const Scalar &expected, const Scalar &found,
            Exactness exactness);

/// `-3`, `0.5`, `nan`, `(1, 2)`, `undefined`.
std::string toString(mlir::Type type, const Scalar &value);
/// `[2, 0, 1]`.
std::string indexText(llvm::ArrayRef<int64_t> index);

} // namespace shardir::validate

#endif // SHARDIR_TESTING_VALIDATE_RUNTIMEVALUE_H
