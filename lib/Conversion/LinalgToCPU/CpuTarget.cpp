//===- CpuTarget.cpp - The CPU that code is generated for -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the host's features once, and holds the fixed machines that tests name.
// Requires nothing of LLVM's target registry; guarantees that every value it
// returns is usable by a TargetMachine of its triple.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToCPU/CpuTarget.h"
#include "ShardIR/Placement/NearestName.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include <unistd.h>

using namespace shardir;

namespace {
/// The cache sizes as the C library reports them; 0 where it doesn't know.
int64_t cacheBytes(int name, int64_t fallback) {
  long size = ::sysconf(name);
  return size > 0 ? size : fallback;
}

/// Neon: SVE's vectors have a length that is known only when the code runs.
void setAArch64(CpuTarget &target) {
  target.vectorBits = 128;
  target.numVectorRegisters = 32;
  target.hasFma = true;
  target.hasF16Conversion = true;
}

CpuTarget makeHost() {
  CpuTarget target;
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  llvm::SubtargetFeatures string;
  for (const auto &feature : features)
    string.AddFeature(feature.first(), feature.second);
  target.features = string.getString();

  llvm::Triple triple(target.triple);
  if (triple.isX86()) {
    bool avx512 = features.lookup("avx512f") && features.lookup("avx512vl") &&
                  features.lookup("avx512bw") && features.lookup("avx512dq");
    bool avx2 = features.lookup("avx2");
    target.vectorBits = avx512 ? 512 : avx2 ? 256 : 128;
    target.numVectorRegisters = avx512 ? 32 : 16;
    target.hasFma = features.lookup("fma");
    // Intel's run at half the speed of f32 multiply-adds (102 against 187
    // GFLOP/s, Sapphire Rapids): there, widening while packing is better.
    target.hasBf16Dot = avx512 && features.lookup("avx512bf16") &&
                        llvm::StringRef(target.cpu).starts_with("znver");
    target.hasBf16Conversion = avx512 && features.lookup("avx512bf16");
    target.hasByteDot =
        avx512 ? features.lookup("avx512vnni") : features.lookup("avxvnni");
    // LLVM lists them only where the system saves the tiles' registers.
    bool tiles = avx512 && features.lookup("amx-tile");
    target.hasBf16Tiles = tiles && features.lookup("amx-bf16");
    target.hasF16Tiles = tiles && features.lookup("amx-fp16");
    target.hasByteTiles = tiles && features.lookup("amx-int8");
    target.hasF16Conversion = features.lookup("f16c");
  } else if (triple.isAArch64()) {
    setAArch64(target);
    target.hasByteDot = features.lookup("dotprod");
  }
#ifdef _SC_LEVEL1_DCACHE_SIZE
  target.l1Bytes = cacheBytes(_SC_LEVEL1_DCACHE_SIZE, target.l1Bytes);
  target.l2Bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE, target.l2Bytes);
#endif
  return target;
}
} // namespace

std::string CpuTarget::signature() const {
  std::string rest =
      llvm::formatv("{0} {1} {2} {3}", triple, features, l1Bytes, l2Bytes);
  return llvm::formatv("{0} #{1:x-16}", cpu.empty() ? "generic" : cpu,
                       llvm::xxh3_64bits(rest));
}

bool CpuTarget::isAArch64() const { return llvm::Triple(triple).isAArch64(); }

CpuTarget CpuTarget::host() {
  static const CpuTarget target = makeHost();
  return target;
}

std::vector<std::string> CpuTarget::known() {
  return {"host",        "x86-64",     "avx2",
          "avx2-vnni",   "avx512",     "avx512-vnni",
          "avx512-bf16", "avx512-amx", "avx512-amx-fp16",
          "neon",        "neon-dot",   "sve-256"};
}

mlir::LogicalResult CpuTarget::become(mlir::MLIRContext *context,
                                      llvm::StringRef name) {
  if (std::optional<CpuTarget> target = get(name)) {
    *this = *target;
    return mlir::success();
  }
  return mlir::emitError(mlir::UnknownLoc::get(context), "target ")
         << mustBeOneOf(known(), name.str());
}

std::optional<CpuTarget> CpuTarget::get(llvm::StringRef name) {
  if (name.empty() || name == "host")
    return host();
  CpuTarget target;
  if (name == "neon" || name == "neon-dot" || name == "sve-256") {
    target.triple = "aarch64-unknown-linux-gnu";
    target.cpu = "generic";
    setAArch64(target);
    if (name == "neon-dot") {
      target.features = "+dotprod";
      target.hasByteDot = true;
    } else if (name == "sve-256") {
      target.features = "+sve";
      target.vectorBits = target.sveBits = 256;
    }
    return target;
  }
  target.triple = "x86_64-unknown-linux-gnu";
  if (name == "x86-64")
    return target;
  target.hasFma = true;
  target.hasF16Conversion = true;
  if (name == "avx2" || name == "avx2-vnni") {
    target.cpu = "x86-64-v3";
    target.vectorBits = 256;
    if (name == "avx2-vnni") {
      target.features = "+avxvnni";
      target.hasByteDot = true;
    }
    return target;
  }
  target.cpu = "x86-64-v4";
  target.vectorBits = 512;
  target.numVectorRegisters = 32;
  target.l1Bytes = 48 * 1024;
  target.l2Bytes = 2 * 1024 * 1024;
  if (name == "avx512")
    return target;
  target.hasByteDot = true;
  if (name == "avx512-vnni") {
    target.features = "+avx512vnni";
    return target;
  }
  target.hasBf16Conversion = true;
  if (name == "avx512-bf16") {
    target.features = "+avx512vnni,+avx512bf16";
    target.hasBf16Dot = true;
    return target;
  }
  target.features = "+avx512vnni,+avx512bf16,+amx-tile,+amx-bf16,+amx-int8";
  target.hasBf16Tiles = target.hasByteTiles = true;
  if (name == "avx512-amx")
    return target;
  target.features += ",+amx-fp16";
  target.hasF16Tiles = true;
  if (name == "avx512-amx-fp16")
    return target;
  return std::nullopt;
}
