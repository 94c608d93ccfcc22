//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random numbers from a seed. Requires types that the interpreter knows;
// guarantees that combining the terms of a tensor in any order gives the tensor
// (checked by test/unit/Validate).
//
//===----------------------------------------------------------------------===//

#include "Validate/TestData.h"

#include <cmath>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

Scalar TestData::scalar(Type type, Flavour flavour, Range range) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Scalar result = scalar(complexType.getElementType(), flavour);
    result.im = scalar(complexType.getElementType(), flavour).re;
    return result;
  }
  if (isa<FloatType>(type)) {
    if (flavour == Flavour::Special && below(2) == 0) {
      const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};
      return real(special[below(5)]);
    }
    // Quarters, so that rounding to integers is seen to be no linear function.
    const double small[] = {1, 2, 3.25, -1, -2.5, -3, 0.75, -4};
    return real(small[below(8)]);
  }
  if (range)
    return integer(range->first + below(range->second - range->first + 1));
  if (isa<IndexType>(type))
    return integer(below(4));
  if (type.isInteger(1))
    return integer(below(2) ? -1 : 0);
  if (flavour == Flavour::Special && below(2) == 0)
    return integer(wrapTo(type, random()));
  const int64_t small[] = {1, 2, 3, 4, -1, -2, -3, -4};
  return integer(wrapTo(type, small[below(8)]));
}

Tensor TestData::tensor(Type element, ArrayRef<int64_t> shape, Flavour flavour,
                        Range range) {
  auto tensor = makeTensor(element, shape);
  for (Scalar &value : tensor->elements)
    value = scalar(element, flavour, range);
  return tensor;
}

Tensor TestData::define(Tensor tensor) {
  auto defined = std::make_shared<TensorData>(*tensor);
  for (Scalar &value : defined->elements)
    if (value.undefined)
      value = scalar(defined->element, Flavour::Small);
  return defined;
}

/// A number that the maximum with `whole` leaves as it is.
Scalar TestData::notAbove(Type type, bool ignoresNaN, const Scalar &whole) {
  double g = whole.re;
  if (ignoresNaN && (std::isnan(g) || below(4) == 0))
    return real(NAN);
  if (std::isnan(g))
    return scalar(type, Flavour::Special);
  switch (below(4)) {
  case 0:
    return real(g);
  case 1:
    return real(-INFINITY);
  case 2:
    // Of the zeros, the negative one is below the positive one.
    return real(g == 0 ? -0.0 : std::min(g, -3.0));
  default:
    return real(std::min(g, roundTo(type, g - 1.0 - below(3))));
  }
}

/// An odd number's inverse modulo 2^64 (Newton's iteration).
static uint64_t inverseOf(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 6; ++i)
    inverse *= 2 - odd * inverse;
  return inverse;
}

void TestData::terms(PartialKind kind, Type type, const Scalar &whole,
                     MutableArrayRef<Scalar> terms) {
  size_t n = terms.size(), chosen = below(n);
  llvm::fill(terms, whole);
  if (isa<FloatType, ComplexType>(type)) {
    Type part = type;
    if (auto complexType = dyn_cast<ComplexType>(type))
      part = complexType.getElementType();
    switch (kind) {
    case PartialKind::Prod:
      // Units and powers of two: dividing by them is exact.
      for (size_t i = 0; i < n; ++i) {
        if (i == chosen)
          continue;
        const double factors[] = {1, 2, 0.5, -1, -2, -0.5};
        double factor = factors[below(6)];
        terms[i] = real(factor);
        terms[chosen].re = roundTo(part, terms[chosen].re / factor);
        terms[chosen].im = roundTo(part, terms[chosen].im / factor);
      }
      return;
    case PartialKind::Max:
    case PartialKind::MaxNum:
    case PartialKind::Min:
    case PartialKind::MinNum: {
      bool isMax = kind == PartialKind::Max || kind == PartialKind::MaxNum;
      bool ignoresNaN =
          kind == PartialKind::MaxNum || kind == PartialKind::MinNum;
      for (size_t i = 0; i < n; ++i) {
        if (i == chosen)
          continue;
        Scalar bound = real(isMax ? whole.re : -whole.re);
        terms[i] = notAbove(type, ignoresNaN, bound);
        if (!isMax)
          terms[i].re = -terms[i].re;
      }
      return;
    }
    default:
      for (size_t i = 0; i < n; ++i) {
        if (i == chosen)
          continue;
        double re = (static_cast<double>(below(49)) - 24) / 4;
        double im = isa<ComplexType>(type) ? double(below(13)) - 6 : 0;
        terms[i].re = re;
        terms[i].im = im;
        terms[chosen].re = roundTo(part, terms[chosen].re - re);
        terms[chosen].im = roundTo(part, terms[chosen].im - im);
      }
    }
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    if (i == chosen)
      continue;
    uint64_t any = random();
    uint64_t bits = bitsOf(type, whole.i);
    switch (kind) {
    case PartialKind::Sum:
      // Small terms and terms whose sum wraps.
      terms[i].i = wrapTo(type, any % 2 ? any : (any >> 1) % 13 - 6);
      terms[chosen].i =
          wrapTo(type, uint64_t(terms[chosen].i) - uint64_t(terms[i].i));
      break;
    case PartialKind::Prod:
      terms[i].i = wrapTo(type, any | 1);
      terms[chosen].i =
          wrapTo(type, uint64_t(terms[chosen].i) * inverseOf(terms[i].i | 1));
      break;
    case PartialKind::Max:
    case PartialKind::MaxNum:
      terms[i].i = std::min(whole.i, wrapTo(type, any));
      break;
    case PartialKind::Min:
    case PartialKind::MinNum:
      terms[i].i = std::max(whole.i, wrapTo(type, any));
      break;
    case PartialKind::UMax:
      terms[i].i = wrapTo(type, std::min(bits, bitsOf(type, any)));
      break;
    case PartialKind::UMin:
      terms[i].i = wrapTo(type, std::max(bits, bitsOf(type, any)));
      break;
    case PartialKind::And:
      terms[i].i = wrapTo(type, bits | any);
      break;
    case PartialKind::Or:
      terms[i].i = wrapTo(type, bits & any);
      break;
    case PartialKind::Xor:
      terms[i].i = wrapTo(type, any);
      terms[chosen].i = wrapTo(type, terms[chosen].i ^ terms[i].i);
      break;
    }
  }
}

std::vector<Tensor> TestData::terms(PartialKind kind, const TensorData &whole,
                                    int64_t count) {
  std::vector<std::shared_ptr<TensorData>> made;
  for (int64_t i = 0; i < count; ++i)
    made.push_back(makeTensor(whole.element, whole.shape));
  SmallVector<Scalar> own(count);
  for (size_t i = 0; i < whole.elements.size(); ++i) {
    terms(kind, whole.element, whole.elements[i], own);
    for (auto [tensor, term] : llvm::zip(made, own))
      tensor->elements[i] = term;
  }
  return {made.begin(), made.end()};
}

Tensor validate::cut(const TensorData &whole, ArrayRef<DimShard> shard) {
  SmallVector<int64_t> shape;
  for (const DimShard &dim : shard)
    shape.push_back(dim.localExtent());
  auto made = makeTensor(whole.element, shape);
  size_t next = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> at;
    for (auto [i, dim] : llvm::zip(index, shard))
      at.push_back(dim.toGlobal(i));
    made->elements[next++] = whole.elements[whole.position(at)];
    return true;
  });
  return made;
}
