//===- Families.h - What families of instructions share ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opcodes that integers and floats share, by the type that the instruction
// names, and conversions that several families compute. Requires a decoder at
// the statement, its type taken; guarantees a result as Code.h has it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_FAMILIES_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_FAMILIES_H

#include "Code.h"

namespace shardir {
namespace emulated {
namespace ptx {

/// add, sub, mul, mad, div, min, max, abs, neg.
void decodeInteger(Decoder &decoder, Inst &inst, Type type);
void decodeFloat(Decoder &decoder, Inst &inst, Type type);

/// cp.async.bulk.
void decodeBulk(Decoder &decoder, Inst &inst);

inline bool isFloat(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 ||
         type == Type::BF16x2 || type == Type::F32 || type == Type::F32x2 ||
         type == Type::F64;
}

/// Rounded to nearest even, once.
uint16_t toHalf(double value);
uint16_t toBfloat(double value);

/// The NaN that arithmetic gives.
constexpr uint32_t kNaN = 0x7fffffffu;

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_FAMILIES_H
