//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The properties of a GPU that schedules and the cost model need: a value per
// architecture, no IR and no driver. Figures are the vendor's for the card that
// the architecture is mostly met on (A100 SXM, H100/H200 SXM, B200); they rank
// schedules and promise nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_LINALGTOGPU_GPUTARGET_H
#define SHARDIR_CONVERSION_LINALGTOGPU_GPUTARGET_H

#include "ShardIR/Placement/MachineModel.h"

#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardir {

class KernelTimes;

struct GpuTarget {
  /// The name: `sm_80`, `sm_90a`, …; `compute_80` for every GPU from sm_80 on;
  /// `host` for the emulated GPU.
  std::string arch;
  /// As ptxas and LLVM spell it.
  std::string chip;
  /// Kernels stay PTX, which the driver compiles for the GPU that is there.
  bool isVirtual = false;
  /// 80, 86, 89, 90, 100; 0 for the emulated GPU.
  unsigned smArch = 0;
  /// The PTX ISA version as an LLVM feature: `+ptx81`. Empty for `host`.
  std::string ptxFeature;
  /// The most dynamic shared memory of a block, in bytes.
  int64_t sharedBytes = 0;
  /// Registers of 32 bits per multiprocessor, and threads that fit on one.
  int64_t registers = 65536, threads = 2048;
  int64_t multiprocessors = 1;
  /// Device memory by its data sheet, and what a copy reaches, read and written
  /// together, in bytes/s.
  double memoryBandwidth = 1, copyBytesPerSecond = 1;
  /// Dense matrix units with 16-bit operands, and f32 fused multiply-adds
  /// outside of them, in floating-point operations/s.
  double matrixFlops = 1, scalarFlops = 1;
  /// From the launch of an empty kernel to the next one's, in seconds.
  double launchSeconds = 0;
  /// Times of kernels that were measured on such a GPU; null for none.
  std::shared_ptr<const KernelTimes> times;

  /// Takes the rates of a described machine, whose copies reach as large a
  /// share of its bandwidth.
  void use(const DeviceRates &rates);

  bool isHost() const { return smArch == 0; }
  /// cp.async and mma.sync of bf16.
  bool hasAsyncCopy() const { return smArch >= 80; }
  /// mma.sync of 8-bit floats, at twice the rate of 16 bits or at the same.
  bool hasFloat8Mma() const { return smArch >= 89; }
  bool hasFullRateFloat8Mma() const { return smArch == 89; }
  /// TMA, wgmma, clusters: the architecture-specific set of sm_90a alone.
  bool hasWarpgroupMma() const { return smArch == 90; }
  /// TMA, tcgen05 and its memory: that of sm_100a alone.
  bool hasTensorMemory() const { return smArch == 100; }

  /// The target of that name; nullopt for any other than those above.
  static std::optional<GpuTarget> get(llvm::StringRef arch);
  /// The names that `get` accepts; those without `host`.
  static std::vector<std::string> known();
  static std::vector<std::string> knownCards();
};

} // namespace shardir

#endif // SHARDIR_CONVERSION_LINALGTOGPU_GPUTARGET_H
