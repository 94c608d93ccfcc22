//===- Array.cpp - Whole arrays in memory ---------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element types, conversions and sizes. The small float formats are converted
// in software, through double: the same bits on every machine and compiler.
// Nothing here reads files; every size is checked before it is allocated.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/Array.h"
#include "ShardIR/Runner/Failure.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace shardir;
using namespace shardir::runner;

namespace {

const ElementTypeInfo &known(ElementType type) {
  if (const ElementTypeInfo *info = infoOf(type))
    return *info;
  throw Failure(Exit::BadProgram,
                "unknown element type " + std::to_string(int(type)));
}

/// A float format of at most 16 bits.
struct SmallFloat : ElementTypeInfo {
  int maxExponent() const { return (1 << exponentBits) - 1; }
  uint32_t maxMantissa() const { return (1u << mantissaBits) - 1; }
};

std::optional<SmallFloat> smallFloat(ElementType type) {
  const ElementTypeInfo &info = known(type);
  if (!info.isFloat() || info.bytes > 2)
    return std::nullopt;
  return SmallFloat{info};
}

double decode(const SmallFloat &format, uint32_t bits) {
  uint32_t mantissa = bits & format.maxMantissa();
  int exponent = int(bits >> format.mantissaBits) & format.maxExponent();
  bool negative = bits >> (format.mantissaBits + format.exponentBits) & 1;
  double value;
  if (exponent == format.maxExponent() &&
      (!format.finiteOnly || mantissa == format.maxMantissa()))
    value = mantissa ? NAN : INFINITY;
  else if (exponent == 0)
    value =
        std::ldexp(double(mantissa), 1 - format.bias() - format.mantissaBits);
  else
    value = std::ldexp(double(mantissa + format.maxMantissa() + 1),
                       exponent - format.bias() - format.mantissaBits);
  return negative ? -value : value;
}

uint32_t encode(const SmallFloat &format, double value) {
  uint32_t sign = uint32_t(std::signbit(value))
                  << (format.exponentBits + format.mantissaBits);
  uint32_t top = uint32_t(format.maxExponent()) << format.mantissaBits;
  uint32_t nan = format.finiteOnly ? top | format.maxMantissa()
                                   : top | (1u << (format.mantissaBits - 1));
  uint32_t overflow = format.finiteOnly ? nan : top;
  if (std::isnan(value))
    return sign | nan;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | overflow;
  if (magnitude == 0)
    return sign;
  int exponent;
  std::frexp(magnitude, &exponent);
  // Below the smallest normal exponent the step no longer shrinks.
  int quantum = std::max(exponent - 1, 1 - format.bias());
  if (quantum > format.bias() + 1)
    return sign | overflow;
  // The default rounding mode is to nearest even. A mantissa that rounds up to
  // the next power of two carries into the exponent by the addition below.
  auto rounded = uint32_t(
      std::nearbyint(std::ldexp(magnitude, format.mantissaBits - quantum)));
  uint32_t hidden = format.maxMantissa() + 1;
  if (rounded < hidden)
    return sign | rounded;
  uint32_t bits = (uint32_t(quantum + format.bias()) << format.mantissaBits) +
                  (rounded - hidden);
  return sign | std::min(bits, overflow);
}

template <typename T> T load(const void *p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <typename T> void store(T value, void *p) {
  std::memcpy(p, &value, sizeof value);
}

} // namespace

size_t runner::elementSize(ElementType type) { return known(type).bytes; }
const char *runner::elementName(ElementType type) { return known(type).name; }

std::optional<ElementType> runner::parseElementType(std::string_view name) {
  if (name.size() > 2 && (name[0] == 's' || name[0] == 'u') && name[1] == 'i')
    name.remove_prefix(1);
  return shardir::parseElementType(name);
}

double runner::loadFloat(ElementType type, const void *element) {
  if (type == SHARDIR_F32)
    return load<float>(element);
  if (type == SHARDIR_F64)
    return load<double>(element);
  std::optional<SmallFloat> format = smallFloat(type);
  if (!format)
    return double(loadInteger(type, element));
  return decode(*format, elementSize(type) == 1 ? load<uint8_t>(element)
                                                : load<uint16_t>(element));
}

void runner::storeFloat(ElementType type, double value, void *element) {
  if (type == SHARDIR_F32)
    return store(float(value), element);
  if (type == SHARDIR_F64)
    return store(value, element);
  std::optional<SmallFloat> format = smallFloat(type);
  if (!format)
    return storeInteger(type, int64_t(value), element);
  uint32_t bits = encode(*format, value);
  if (elementSize(type) == 1)
    return store(uint8_t(bits), element);
  store(uint16_t(bits), element);
}

int64_t runner::loadInteger(ElementType type, const void *element) {
  switch (elementSize(type)) {
  case 1:
    return type == SHARDIR_I1 ? load<uint8_t>(element) != 0
                              : load<int8_t>(element);
  case 2:
    return load<int16_t>(element);
  case 4:
    return load<int32_t>(element);
  default:
    return load<int64_t>(element);
  }
}

void runner::storeInteger(ElementType type, int64_t value, void *element) {
  switch (elementSize(type)) {
  case 1:
    return store(uint8_t(type == SHARDIR_I1 ? value != 0 : value), element);
  case 2:
    return store(uint16_t(value), element);
  case 4:
    return store(uint32_t(value), element);
  default:
    return store(value, element);
  }
}

std::string runner::formatElement(ElementType type, const void *element) {
  if (!isFloatType(type))
    return std::to_string(loadInteger(type, element));
  double value = loadFloat(type, element);
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[64];
  if (std::optional<SmallFloat> format = smallFloat(type)) {
    // Shortest for a double would show digits that the format does not have.
    for (int digits = 1; digits <= 9; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, value);
      if (encode(*format, std::strtod(text, nullptr)) == encode(*format, value))
        break;
    }
    return text;
  }
  std::to_chars_result end =
      type == SHARDIR_F32
          ? std::to_chars(text, text + sizeof text, float(value))
          : std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

std::optional<uint64_t> runner::countElements(const Shape &shape) {
  for (int64_t extent : shape)
    if (extent < 0)
      return std::nullopt;
  for (int64_t extent : shape)
    if (extent == 0)
      return 0;
  uint64_t count = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, uint64_t(extent), &count) ||
        count > uint64_t(INT64_MAX))
      return std::nullopt;
  return count;
}

std::optional<uint64_t> runner::countBytes(const Shape &shape,
                                           size_t elementSize) {
  std::optional<uint64_t> count = countElements(shape);
  uint64_t bytes;
  if (!count || __builtin_mul_overflow(*count, uint64_t(elementSize), &bytes) ||
      bytes > uint64_t(INT64_MAX))
    return std::nullopt;
  return bytes;
}

std::string runner::formatShape(const Shape &shape) {
  std::string text;
  for (int64_t extent : shape) {
    if (!text.empty())
      text += 'x';
    text += extent < 0 ? "?" : std::to_string(extent);
  }
  return text;
}

std::string runner::formatType(const Shape &shape, ElementType type) {
  std::string text = formatShape(shape);
  return (text.empty() ? text : text + 'x') + elementName(type);
}

bool runner::shapeMatches(const Shape &shape, const Shape &pattern) {
  if (shape.size() != pattern.size())
    return false;
  for (size_t i = 0; i != shape.size(); ++i)
    if (pattern[i] >= 0 && shape[i] != pattern[i])
      return false;
  return true;
}

Bytes::Bytes(uint64_t size) : count(size) {
  // Overcommit would grant more than there is, and kill the process later.
  auto machine =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  uint64_t padded = (size + 127) / 64 * 64;
  void *p = size > machine ? nullptr : std::aligned_alloc(64, padded);
  if (!p)
    failUsage("cannot hold an array of " + std::to_string(size) +
              " bytes: this machine has " + std::to_string(machine) +
              " bytes of memory");
  memory.reset(static_cast<uint8_t *>(p));
#ifdef MADV_HUGEPAGE
  // As NumPy does. A wish: nothing else changes.
  constexpr uint64_t kHugeFrom = uint64_t(4) << 20;
  if (padded >= kHugeFrom) {
    auto page = uint64_t(sysconf(_SC_PAGESIZE));
    uint64_t skipped = -reinterpret_cast<uintptr_t>(p) % page;
    madvise(memory.get() + skipped, padded - skipped, MADV_HUGEPAGE);
  }
#endif
}

static uint64_t checkedBytes(ElementType type, const Shape &shape) {
  std::optional<uint64_t> bytes = countBytes(shape, elementSize(type));
  if (!bytes)
    failUsage("an array of type " + formatType(shape, type) + " is too large");
  return *bytes;
}

Array::Array(ElementType type, Shape shapeIn)
    : type(type), shape(std::move(shapeIn)), bytes(checkedBytes(type, shape)) {}

Array Array::clone() const {
  Array copy(type, shape);
  std::memcpy(copy.bytes.data(), bytes.data(), bytes.size());
  return copy;
}

void runner::normalizeBooleans(Array &array) {
  if (array.type != SHARDIR_I1)
    return;
  for (size_t i = 0, n = array.bytes.size(); i != n; ++i)
    array.bytes.data()[i] = array.bytes.data()[i] != 0;
}
