//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on single elements. Requires integers of at most 64 bits;
// guarantees that what it rounds and wraps is what the type can hold.
//
//===----------------------------------------------------------------------===//

#include "Validate/RuntimeValue.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

Scalar validate::integer(int64_t value) {
  Scalar scalar;
  scalar.i = value;
  return scalar;
}

Scalar validate::real(double value) {
  Scalar scalar;
  scalar.re = value;
  return scalar;
}

uint32_t Dependences::intern(llvm::BitVector set) {
  llvm::hash_code hash =
      llvm::hash_combine_range(set.set_bits_begin(), set.set_bits_end());
  for (uint32_t candidate : known[hash]) {
    llvm::BitVector both = sets[candidate];
    both ^= set;
    if (both.none())
      return candidate;
  }
  sets.push_back(std::move(set));
  known[hash].push_back(sets.size() - 1);
  return sets.size() - 1;
}

uint32_t Dependences::single(unsigned element) {
  llvm::BitVector set(element + 1);
  set.set(element);
  return intern(std::move(set));
}

uint32_t Dependences::unite(uint32_t a, uint32_t b) {
  if (a == b || b == 0)
    return a;
  if (a == 0)
    return b;
  auto [it, isNew] = unions.try_emplace(std::minmax(a, b), 0);
  if (isNew) {
    llvm::BitVector both = sets[a];
    both |= sets[b];
    uint32_t set = intern(std::move(both));
    it->second = set;
  }
  return it->second;
}

int64_t TensorData::position(ArrayRef<int64_t> index) const {
  int64_t position = 0;
  for (auto [i, extent] : llvm::zip(index, shape)) {
    if (i < 0 || i >= extent)
      return -1;
    position = position * extent + i;
  }
  return position;
}

int64_t validate::numElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::shared_ptr<TensorData> validate::makeTensor(Type element,
                                                 ArrayRef<int64_t> shape) {
  auto tensor = std::make_shared<TensorData>();
  tensor->element = element;
  tensor->shape.assign(shape.begin(), shape.end());
  Scalar undefined;
  undefined.undefined = true;
  tensor->elements.assign(numElements(shape), undefined);
  return tensor;
}

bool validate::forEachIndex(ArrayRef<int64_t> shape,
                            llvm::function_ref<bool(ArrayRef<int64_t>)> visit) {
  if (llvm::any_of(shape, [](int64_t extent) { return extent <= 0; }))
    return true;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    if (!visit(index))
      return false;
    size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return true;
  }
}

double validate::roundTo(Type type, double value) {
  if (isa<Float64Type>(type))
    return value;
  if (isa<Float32Type>(type))
    return static_cast<float>(value);
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return value;
  llvm::APFloat number(value);
  bool loses;
  number.convert(floatType.getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &loses);
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

unsigned validate::widthOf(Type type) {
  auto integerType = dyn_cast<IntegerType>(type);
  return integerType ? integerType.getWidth() : 64;
}

int64_t validate::wrapTo(Type type, int64_t value) {
  unsigned width = widthOf(type);
  return width >= 64 ? value : llvm::SignExtend64(value, width);
}

uint64_t validate::bitsOf(Type type, int64_t value) {
  unsigned width = widthOf(type);
  return width >= 64 ? value : value & llvm::maskTrailingOnes<uint64_t>(width);
}

/// maximumf: NaN wins, and +0 over -0.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// maxnumf: the number wins over NaN; of zeros of both signs, either is right,
/// the positive one is taken.
static double maximumNumber(double a, double b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  return maximum(a, b);
}

Scalar validate::combine(PartialKind kind, Type type, const Scalar &a,
                         const Scalar &b) {
  Scalar result;
  result.undefined = a.undefined || b.undefined;
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Type part = complexType.getElementType();
    if (kind == PartialKind::Prod) {
      result.re = roundTo(part, a.re * b.re - a.im * b.im);
      result.im = roundTo(part, a.re * b.im + a.im * b.re);
    } else {
      result.re = roundTo(part, a.re + b.re);
      result.im = roundTo(part, a.im + b.im);
    }
    return result;
  }
  if (isa<FloatType>(type)) {
    switch (kind) {
    case PartialKind::Prod:
      result.re = a.re * b.re;
      break;
    case PartialKind::Max:
      result.re = maximum(a.re, b.re);
      break;
    case PartialKind::Min:
      result.re = -maximum(-a.re, -b.re);
      break;
    case PartialKind::MaxNum:
      result.re = maximumNumber(a.re, b.re);
      break;
    case PartialKind::MinNum:
      result.re = -maximumNumber(-a.re, -b.re);
      break;
    default:
      result.re = a.re + b.re;
    }
    result.re = roundTo(type, result.re);
    return result;
  }
  uint64_t x = bitsOf(type, a.i), y = bitsOf(type, b.i);
  switch (kind) {
  case PartialKind::Sum:
    result.i = x + y;
    break;
  case PartialKind::Prod:
    result.i = x * y;
    break;
  case PartialKind::Max:
  case PartialKind::MaxNum:
    result.i = std::max(a.i, b.i);
    break;
  case PartialKind::Min:
  case PartialKind::MinNum:
    result.i = std::min(a.i, b.i);
    break;
  case PartialKind::UMax:
    result.i = std::max(x, y);
    break;
  case PartialKind::UMin:
    result.i = std::min(x, y);
    break;
  case PartialKind::And:
    result.i = x & y;
    break;
  case PartialKind::Or:
    result.i = x | y;
    break;
  case PartialKind::Xor:
    result.i = x ^ y;
    break;
  }
  result.i = wrapTo(type, result.i);
  return result;
}

/// Relative to the larger one: far above what reordering a few terms costs, far
/// below a term that is missing.
static double toleranceOf(Type type) {
  if (isa<Float64Type>(type))
    return 1e-12;
  if (isa<Float32Type>(type))
    return 2e-5;
  return 5e-2;
}

static bool agreeReal(Type type, double a, double b, Exactness exactness) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (a == b)
    return a != 0 || exactness == Exactness::Rounded ||
           std::signbit(a) == std::signbit(b);
  if (exactness == Exactness::Bits || std::isinf(a) || std::isinf(b))
    return false;
  // Terms of size 1 that cancel leave their own rounding behind.
  double scale = std::max({std::fabs(a), std::fabs(b), 1.0});
  return std::fabs(a - b) <= toleranceOf(type) * scale;
}

bool validate::agrees(Type type, const Scalar &expected, const Scalar &found,
                      Exactness exactness) {
  if (expected.undefined)
    return true;
  if (found.undefined)
    return false;
  if (auto complexType = dyn_cast<ComplexType>(type))
    return agreeReal(complexType.getElementType(), expected.re, found.re,
                     exactness) &&
           agreeReal(complexType.getElementType(), expected.im, found.im,
                     exactness);
  if (isa<FloatType>(type))
    return agreeReal(type, expected.re, found.re, exactness);
  return expected.i == found.i;
}

std::string validate::indexText(ArrayRef<int64_t> index) {
  std::string text = "[";
  for (auto [i, value] : llvm::enumerate(index))
    text += (i ? ", " : "") + std::to_string(value);
  return text + "]";
}

std::string validate::toString(Type type, const Scalar &value) {
  if (value.undefined)
    return "undefined";
  std::string text;
  llvm::raw_string_ostream out(text);
  auto number = [&](double v) {
    char digits[40];
    snprintf(digits, sizeof(digits), "%.9g", v);
    out << digits;
  };
  if (isa<ComplexType>(type)) {
    out << '(';
    number(value.re);
    out << ", ";
    number(value.im);
    out << ')';
  } else if (isa<FloatType>(type)) {
    number(value.re);
  } else if (type.isInteger(1)) {
    out << (value.i ? "true" : "false");
  } else {
    out << value.i;
  }
  return text;
}
