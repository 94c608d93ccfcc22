//===- ElementType.cpp - Element types by name and size -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table gives name, size and class of every element type. Requires that the
// table lists the types in the order of the enum, which is checked when it is
// compiled; guarantees the same answers to the C API and to the metadata.
//
//===----------------------------------------------------------------------===//

#include "ElementType.h"

namespace shardir {
namespace runtime {
namespace {

struct TypeRow {
  ElementType type;
  const char *name;
  size_t size;
  bool isFloat;
};

constexpr TypeRow kTypes[] = {
    {SHARDIR_I1, "i1", 1, false},
    {SHARDIR_I8, "i8", 1, false},
    {SHARDIR_I16, "i16", 2, false},
    {SHARDIR_I32, "i32", 4, false},
    {SHARDIR_I64, "i64", 8, false},
    {SHARDIR_INDEX, "index", 8, false},
    {SHARDIR_F16, "f16", 2, true},
    {SHARDIR_BF16, "bf16", 2, true},
    {SHARDIR_F32, "f32", 4, true},
    {SHARDIR_F64, "f64", 8, true},
    {SHARDIR_F8E4M3FN, "f8E4M3FN", 1, true},
    {SHARDIR_F8E5M2, "f8E5M2", 1, true},
};

constexpr bool inOrder() {
  size_t i = 0;
  for (const TypeRow &row : kTypes)
    if (static_cast<size_t>(row.type) != i++)
      return false;
  return true;
}
static_assert(inOrder(), "the table follows the enum");

const TypeRow *find(ElementType type) {
  auto i = static_cast<size_t>(type);
  return i < sizeof(kTypes) / sizeof(kTypes[0]) ? &kTypes[i] : nullptr;
}

} // namespace

size_t elementSize(ElementType type) {
  const TypeRow *row = find(type);
  return row ? row->size : 0;
}

const char *elementTypeName(ElementType type) {
  const TypeRow *row = find(type);
  return row ? row->name : "unknown";
}

std::optional<ElementType> parseElementType(const std::string &text) {
  for (const TypeRow &row : kTypes)
    if (text == row.name)
      return row.type;
  return std::nullopt;
}

bool isFloatType(ElementType type) {
  const TypeRow *row = find(type);
  return row && row->isFloat;
}

} // namespace runtime
} // namespace shardir
