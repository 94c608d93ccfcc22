//===- Array.h - Whole arrays in memory -------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array is an element type, a shape, and row-major contiguous bytes aligned
// as the runtime promises (X4). Element types are the runtime's; i1 takes one
// byte, 0 or 1. Sizes are computed with overflow checks: a shape that a file
// claims is never trusted before it is compared with what is there.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_ARRAY_H
#define SHARDIR_RUNNER_ARRAY_H

#include "ShardIR/Runtime/ElementTypes.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardir::runner {

using ElementType = shardir_element_type;
using Shape = std::vector<int64_t>;

/// Bytes of one element.
size_t elementSize(ElementType type);
/// `f32`, `bf16`, `f8E4M3FN`, … as in the IR.
const char *elementName(ElementType type);
/// Reads such a name; `si32`, `ui32` and the like are signless here.
std::optional<ElementType> parseElementType(std::string_view name);

/// The value of a float element.
double loadFloat(ElementType type, const void *element);
/// Stores `value` rounded to nearest even. Out of range becomes infinity, or
/// NaN in f8E4M3FN, which has none.
void storeFloat(ElementType type, double value, void *element);
/// The value of an integer element, sign-extended; i1 is 0 or 1.
int64_t loadInteger(ElementType type, const void *element);
/// Stores the low bits of `value`; i1 becomes 1 for anything but 0.
void storeInteger(ElementType type, int64_t value, void *element);

/// How one element is printed: the fewest digits that read back as the same
/// value; `nan`, `inf`, `-inf`.
std::string formatElement(ElementType type, const void *element);

/// The number of elements, or nothing if an extent is negative or the product
/// does not fit. An array with an extent of 0 is empty whatever the others are.
std::optional<uint64_t> countElements(const Shape &shape);
/// The number of bytes, or nothing as above.
std::optional<uint64_t> countBytes(const Shape &shape, size_t elementSize);

/// `2x?x4`; the empty string for rank 0.
std::string formatShape(const Shape &shape);
/// `2x?x4xf32`, `f32`.
std::string formatType(const Shape &shape, ElementType type);
/// Whether `shape` is one of `pattern`'s, where -1 stands for any extent.
bool shapeMatches(const Shape &shape, const Shape &pattern);

/// 64-byte aligned memory, not initialised. Never null, also for no bytes.
class Bytes {
public:
  Bytes() : Bytes(0) {}
  /// Throws a Failure if this machine does not have that much memory.
  explicit Bytes(uint64_t size);
  uint8_t *data() { return memory.get(); }
  const uint8_t *data() const { return memory.get(); }
  size_t size() const { return count; }

private:
  struct Free {
    void operator()(uint8_t *p) const { std::free(p); }
  };
  std::unique_ptr<uint8_t, Free> memory;
  size_t count = 0;
};

struct Array {
  ElementType type = SHARDIR_F32;
  Shape shape;
  Bytes bytes;

  Array() = default;
  /// Requires a shape that countBytes accepts, else throws a Failure.
  Array(ElementType type, Shape shape);
  size_t numElements() const { return bytes.size() / elementSize(type); }
  uint8_t *element(size_t i) { return bytes.data() + i * elementSize(type); }
  const uint8_t *element(size_t i) const {
    return bytes.data() + i * elementSize(type);
  }
  std::string typeString() const { return formatType(shape, type); }
  /// The array as a buffer of the runtime; valid as long as this array.
  shardir_buffer view() {
    return {bytes.data(), shape.data(), shape.size(), type};
  }
  Array clone() const;
};

/// Turns every byte of an i1 array into 0 or 1: files may hold other values.
void normalizeBooleans(Array &array);

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_ARRAY_H
