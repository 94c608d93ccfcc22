//===- ElementType.h - Element types by name and size -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of ShardIR.h: their spelling in the metadata, their size,
// and what kind of number they are. Requires nothing; every function accepts
// any value of the enum and guarantees not to fail on it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_ELEMENTTYPE_H
#define SHARDIR_LIB_RUNTIME_ELEMENTTYPE_H

#include "ShardIR/Runtime/ShardIR.h"

#include <cstddef>
#include <optional>
#include <string>

namespace shardir {
namespace runtime {

using ElementType = shardir_element_type;

/// Bytes of one element; 0 for a value that is not in the enum.
size_t elementSize(ElementType type);
/// `f32`, …; "unknown" for a value that is not in the enum.
const char *elementTypeName(ElementType type);
std::optional<ElementType> parseElementType(const std::string &text);
bool isFloatType(ElementType type);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_ELEMENTTYPE_H
