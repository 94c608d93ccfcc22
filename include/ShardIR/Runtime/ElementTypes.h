//===- ElementTypes.h - The table of element types --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per element type of ShardIR.h, in the order of the enum: names in the
// IR and in files of arrays, sizes, formats of floats. Compiler, runtime, tools
// and the Python package read it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNTIME_ELEMENTTYPES_H
#define SHARDIR_RUNTIME_ELEMENTTYPES_H

#include "ShardIR/Runtime/ShardIR.h"

#include <iterator>
#include <optional>
#include <string_view>

namespace shardir {

struct ElementTypeInfo {
  shardir_element_type type;
  const char *name;
  size_t bytes; ///< of one element; i1 takes one
  /// Of a float; no exponent bits: an integer.
  int exponentBits, mantissaBits;
  /// No infinity: NaN alone has all bits set.
  bool finiteOnly;
  /// The dtype in .npy files, and the kinds of those that are read: bits of
  /// its size for types that NumPy lacks, where B, 3 and 2 stand for
  /// bfloat16, float8_e4m3fn and float8_e5m2. ml_dtypes writes f8 as `f1` or
  /// `V1`, depending on its version.
  const char *npy, *npyKinds;
  /// The dtype in .safetensors files. I8 and the like may be U8 when read.
  const char *safetensors;

  constexpr bool isFloat() const { return exponentBits > 0; }
  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
};

inline constexpr ElementTypeInfo kElementTypes[] = {
    {SHARDIR_I1, "i1", 1, 0, 0, false, "|b1", "b", "BOOL"},
    {SHARDIR_I8, "i8", 1, 0, 0, false, "|i1", "iu", "I8"},
    {SHARDIR_I16, "i16", 2, 0, 0, false, "<i2", "iu", "I16"},
    {SHARDIR_I32, "i32", 4, 0, 0, false, "<i4", "iu", "I32"},
    {SHARDIR_I64, "i64", 8, 0, 0, false, "<i8", "iu", "I64"},
    {SHARDIR_INDEX, "index", 8, 0, 0, false, "<i8", "iu", "I64"},
    {SHARDIR_F16, "f16", 2, 5, 10, false, "<f2", "f", "F16"},
    {SHARDIR_BF16, "bf16", 2, 8, 7, false, "<u2", "uVB", "BF16"},
    {SHARDIR_F32, "f32", 4, 8, 23, false, "<f4", "f", "F32"},
    {SHARDIR_F64, "f64", 8, 11, 52, false, "<f8", "f", "F64"},
    {SHARDIR_F8E4M3FN, "f8E4M3FN", 1, 4, 3, true, "|u1", "uVf3", "F8_E4M3"},
    {SHARDIR_F8E5M2, "f8E5M2", 1, 5, 2, false, "|u1", "uVf2", "F8_E5M2"},
};

/// Null for a value that is not in the enum.
constexpr const ElementTypeInfo *infoOf(shardir_element_type type) {
  return size_t(type) < std::size(kElementTypes) ? &kElementTypes[type]
                                                 : nullptr;
}

constexpr bool elementTypesAreInOrder() {
  for (size_t i = 0; i < std::size(kElementTypes); ++i)
    if (size_t(kElementTypes[i].type) != i)
      return false;
  return true;
}
static_assert(elementTypesAreInOrder(), "the table follows the enum");

inline bool isFloatType(shardir_element_type type) {
  const ElementTypeInfo *info = infoOf(type);
  return info && info->isFloat();
}

/// The type of that name in the IR.
inline std::optional<shardir_element_type>
parseElementType(std::string_view name) {
  for (const ElementTypeInfo &info : kElementTypes)
    if (name == info.name)
      return info.type;
  return std::nullopt;
}

} // namespace shardir

#endif // SHARDIR_RUNTIME_ELEMENTTYPES_H
