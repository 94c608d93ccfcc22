//===- CpuTarget.h - The CPU that code is generated for ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The properties of a CPU that code generation needs, as a plain value:
// register tiles, vector widths and the bf16 route all follow from it. The
// host's is the default; tests name one ("avx2", "avx512", ...), so that what
// they check does not depend on where they run.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_LINALGTOCPU_CPUTARGET_H
#define SHARDIR_CONVERSION_LINALGTOCPU_CPUTARGET_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace shardir {

struct CpuTarget {
  /// The CPU and features for LLVM's TargetMachine.
  std::string triple;
  std::string cpu = "x86-64";
  std::string features;

  unsigned vectorBits = 128;
  /// Vector registers that the architecture names.
  unsigned numVectorRegisters = 16;
  bool hasFma = false;
  /// AVX512-BF16's dot products of bf16 pairs into f32, where they are faster
  /// than f32's multiply-adds.
  bool hasBf16Dot = false;
  /// Dot products of four signed bytes into i32: AVX512-VNNI and AVX-VNNI,
  /// whose left bytes are unsigned, or AArch64's, which have both signs.
  bool hasByteDot = false;
  /// AMX's products of tiles of bf16 and of f16 pairs, summed in f32, and of
  /// bytes, summed in i32.
  bool hasBf16Tiles = false, hasF16Tiles = false, hasByteTiles = false;
  /// Rounding of f32 to bf16 in hardware.
  bool hasBf16Conversion = false;
  /// Conversions between f16 and f32 in hardware.
  bool hasF16Conversion = false;
  /// Bytes of one core's caches.
  int64_t l1Bytes = 32 * 1024;
  int64_t l2Bytes = 512 * 1024;

  /// The length of SVE's vectors, which code of 256 bits and more relies on; 0
  /// without SVE.
  unsigned sveBits = 0;

  bool isAArch64() const;

  /// Elements of `bits` bits in one vector register, at least one.
  int64_t lanes(unsigned bits) const {
    return bits >= vectorBits ? 1 : vectorBits / (bits < 8 ? 8 : bits);
  }

  /// As measured times name the machine that they are from: the model, and a
  /// hash of what else decides how long code takes on one core.
  std::string signature() const;

  /// The machine that this process runs on.
  static CpuTarget host();

  /// `host`, or the fixed machine of one of the instruction sets in
  /// docs/Performance.md. Nothing for any other name.
  static std::optional<CpuTarget> get(llvm::StringRef name);
  /// The names that `get` accepts.
  static std::vector<std::string> known();
  /// Becomes what `get` gives; an error where there is no such machine.
  mlir::LogicalResult become(mlir::MLIRContext *context, llvm::StringRef name);
};

} // namespace shardir

#endif // SHARDIR_CONVERSION_LINALGTOCPU_CPUTARGET_H
