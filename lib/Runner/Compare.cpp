//===- Compare.cpp - Comparing results with what was expected -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes: the largest expected value first, then the elements. An element
// is different if its error exceeds tolerance x scale; every element counts,
// the worst one is reported with its index and both values.
// Requires equal types and shapes.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace shardir;
using namespace shardir::runner;

double runner::defaultTolerance(ElementType type) {
  switch (type) {
  case SHARDIR_F32:
    return 1e-5;
  case SHARDIR_BF16:
    return 2e-2;
  case SHARDIR_F16:
    return 5e-3;
  case SHARDIR_F64:
    return 1e-12;
  // About one step of the format.
  case SHARDIR_F8E4M3FN:
    return 1.5e-1;
  case SHARDIR_F8E5M2:
    return 3e-1;
  default:
    return 0;
  }
}

bool runner::isFinite(const Array &array) {
  if (isFloatType(array.type))
    for (size_t i = 0, n = array.numElements(); i != n; ++i)
      if (!std::isfinite(loadFloat(array.type, array.element(i))))
        return false;
  return true;
}

int64_t runner::firstDifference(const Array &one, const Array &two) {
  const uint8_t *begin = one.bytes.data(), *end = begin + one.bytes.size();
  const uint8_t *differs = std::mismatch(begin, end, two.bytes.data()).first;
  if (differs == end)
    return -1;
  return (differs - begin) / int64_t(elementSize(one.type));
}

static std::vector<int64_t> unflatten(size_t i, const Shape &shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = int64_t(i % size_t(shape[d]));
    i /= size_t(shape[d]);
  }
  return index;
}

Comparison runner::compare(const Array &actual, const Array &expected,
                           std::optional<double> tolerance) {
  ElementType type = expected.type;
  bool isFloat = isFloatType(type);
  size_t n = expected.numElements();
  Comparison result;
  result.numElements = n;
  result.tolerance = isFloat ? tolerance.value_or(defaultTolerance(type)) : 0;
  for (size_t i = 0; i != n; ++i) {
    double value = std::fabs(loadFloat(type, expected.element(i)));
    if (std::isfinite(value))
      result.scale = std::max(result.scale, value);
  }
  double worst = 0;
  size_t worstIndex = 0;
  for (size_t i = 0; i != n; ++i) {
    double error;
    if (isFloat) {
      double a = loadFloat(type, actual.element(i));
      double e = loadFloat(type, expected.element(i));
      if (a == e || (std::isnan(a) && std::isnan(e)))
        continue;
      error =
          std::isfinite(a) && std::isfinite(e) ? std::fabs(a - e) : INFINITY;
    } else {
      int64_t a = loadInteger(type, actual.element(i));
      int64_t e = loadInteger(type, expected.element(i));
      if (a == e)
        continue;
      error = std::fabs(double(a) - double(e));
      error = std::max(error, 1.0); // distinct, though equal as doubles
    }
    if (error > result.tolerance * result.scale)
      ++result.numDifferent;
    if (error > worst) {
      worst = error;
      worstIndex = i;
    }
  }
  result.equal = result.numDifferent == 0;
  if (worst > 0) {
    result.absoluteError = worst;
    result.maxError = result.scale > 0 ? worst / result.scale : INFINITY;
    result.worst = unflatten(worstIndex, expected.shape);
    result.expected = formatElement(type, expected.element(worstIndex));
    result.actual = formatElement(type, actual.element(worstIndex));
  }
  return result;
}

static std::string formatNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string runner::describe(const Comparison &c, const Array &actual,
                             const std::string &expectedName) {
  std::string where = "[";
  for (size_t d = 0; d != c.worst.size(); ++d)
    where += (d ? ", " : "") + std::to_string(c.worst[d]);
  where += "]";
  bool isFloat = isFloatType(actual.type);
  std::string limit =
      isFloat ? "tolerance " + formatNumber(c.tolerance) : "compared exactly";
  std::string line = actual.typeString() +
                     (c.equal ? " equal to " : " differs from ") + expectedName;
  if (c.maxError == 0)
    return line + " (largest error 0, " + limit + ")";
  line += " (largest error ";
  line += isFloat ? formatNumber(c.maxError) + " relative to " +
                        formatNumber(c.scale) + ", "
                  : "";
  if (!isFloat)
    line += formatNumber(c.absoluteError) + ", ";
  line += limit + ") at " + where + ": expected " + c.expected + ", found " +
          c.actual;
  if (!c.equal)
    line += "; " + std::to_string(c.numDifferent) + " of " +
            std::to_string(c.numElements) + " elements differ";
  return line;
}
