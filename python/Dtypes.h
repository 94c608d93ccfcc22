//===- Dtypes.h - DLPack's types of elements --------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the runtime's element types and DLPack's. Requires nothing;
// guarantees that integers of either sign, and the bits of floats that NumPy
// has no type for, are taken for what they are.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PYTHON_DTYPES_H
#define SHARDIR_PYTHON_DTYPES_H

#include "ShardIR/Runtime/ShardIR.h"

#include <nanobind/ndarray.h>

#include <string>

namespace shardir {
namespace python {

enum class Sign { Signed, Unsigned };

/// The DLPack type of an element type.
nanobind::dlpack::dtype toDtype(shardir_element_type type, Sign sign,
                                bool asBits);

/// Whether an array of `dtype` holds elements of `type`: integers of either
/// sign, and the bits of floats that NumPy has no type for.
bool matches(nanobind::dlpack::dtype dtype, shardir_element_type type);

std::string describe(nanobind::dlpack::dtype dtype);

} // namespace python
} // namespace shardir

#endif // SHARDIR_PYTHON_DTYPES_H
