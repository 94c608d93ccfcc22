//===- ElementType.h - Element types by name and size -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Size and name of an element type. Accept any value of the enum, and others.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_ELEMENTS_ELEMENTTYPE_H
#define SHARDIR_LIB_RUNTIME_ELEMENTS_ELEMENTTYPE_H

#include "ShardIR/Runtime/ElementTypes.h"

#include <string>

namespace shardir {
namespace runtime {

using ElementType = shardir_element_type;

/// Bytes of one element; 0 for a value that is not in the enum.
inline size_t elementSize(ElementType type) {
  const ElementTypeInfo *info = infoOf(type);
  return info ? info->bytes : 0;
}
/// `f32`, …; "unknown" for a value that is not in the enum.
inline const char *elementTypeName(ElementType type) {
  const ElementTypeInfo *info = infoOf(type);
  return info ? info->name : "unknown";
}

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_ELEMENTS_ELEMENTTYPE_H
