//===- Dtypes.cpp - DLPack's types of elements ----------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Dtypes.h says.
//
//===----------------------------------------------------------------------===//

#include "Dtypes.h"

namespace nb = nanobind;
using namespace shardir;
using shardir::python::Sign;

static uint8_t code(nb::dlpack::dtype_code c) {
  return static_cast<uint8_t>(c);
}

/// DLPack's codes of the 8-bit floats, which nanobind does not name in all
/// versions.
constexpr uint8_t kFloat8E4M3FN = 10, kFloat8E5M2 = 12;

nb::dlpack::dtype python::toDtype(shardir_element_type type, Sign sign,
                                  bool asBits) {
  using Code = nb::dlpack::dtype_code;
  auto bits = uint8_t(8 * shardir_element_size(type));
  uint8_t c = code(sign == Sign::Unsigned ? Code::UInt : Code::Int);
  switch (type) {
  case SHARDIR_I1:
    c = code(Code::Bool);
    break;
  case SHARDIR_F16:
  case SHARDIR_F32:
  case SHARDIR_F64:
    c = code(Code::Float);
    break;
  case SHARDIR_BF16:
    c = code(asBits ? Code::UInt : Code::Bfloat);
    break;
  case SHARDIR_F8E4M3FN:
    c = asBits ? code(Code::UInt) : kFloat8E4M3FN;
    break;
  case SHARDIR_F8E5M2:
    c = asBits ? code(Code::UInt) : kFloat8E5M2;
    break;
  default:
    break;
  }
  return {c, bits, 1};
}

bool python::matches(nb::dlpack::dtype dtype, shardir_element_type type) {
  using Code = nb::dlpack::dtype_code;
  if (dtype.lanes != 1 || dtype.bits != 8 * shardir_element_size(type))
    return false;
  bool isInteger =
      dtype.code == code(Code::Int) || dtype.code == code(Code::UInt);
  switch (type) {
  case SHARDIR_I1:
    return dtype.code == code(Code::Bool);
  case SHARDIR_I8:
  case SHARDIR_I16:
  case SHARDIR_I32:
  case SHARDIR_I64:
  case SHARDIR_INDEX:
    return isInteger;
  case SHARDIR_F16:
  case SHARDIR_F32:
  case SHARDIR_F64:
    return dtype.code == code(Code::Float);
  case SHARDIR_BF16:
    return dtype.code == code(Code::Bfloat) || dtype.code == code(Code::UInt);
  case SHARDIR_F8E4M3FN:
    return dtype.code == kFloat8E4M3FN || dtype.code == code(Code::UInt);
  case SHARDIR_F8E5M2:
    return dtype.code == kFloat8E5M2 || dtype.code == code(Code::UInt);
  }
  return false;
}

std::string python::describe(nb::dlpack::dtype dtype) {
  using Code = nb::dlpack::dtype_code;
  const char *kind = dtype.code == code(Code::Int)       ? "int"
                     : dtype.code == code(Code::UInt)    ? "uint"
                     : dtype.code == code(Code::Float)   ? "float"
                     : dtype.code == code(Code::Bfloat)  ? "bfloat"
                     : dtype.code == code(Code::Bool)    ? "bool"
                     : dtype.code == code(Code::Complex) ? "complex"
                                                         : "float8 or other";
  return kind + std::to_string(dtype.bits);
}
