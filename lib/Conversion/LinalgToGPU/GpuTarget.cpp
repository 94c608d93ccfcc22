//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The architectures by name. Requires nothing; guarantees that a target that is
// found has every figure set. The emulated GPU has an A100's figures without
// its matrix units, so that programs for it get the schedules that any card can
// run.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToGPU/GpuTarget.h"

using namespace shardir;

std::optional<GpuTarget> GpuTarget::get(llvm::StringRef arch) {
  GpuTarget target;
  target.arch = target.chip = arch.str();
  target.launchSeconds = 3e-6;
  // Kernel parameters beyond 4 KiB need 8.1, TMA and wgmma 8.0, mma.sync of
  // 8-bit floats 8.4.
  target.ptxFeature = "+ptx81";
  if (arch == "sm_80" || arch == "host" || arch == "compute_80") {
    target.smArch = 80;
    target.sharedBytes = 163 * 1024;
    target.multiprocessors = 108;
    target.memoryBandwidth = 2.039e12;
    target.copyBytesPerSecond = 1.7e12;
    target.matrixFlops = 312e12;
    target.scalarFlops = 19.5e12;
    if (arch == "host") {
      target.smArch = 0;
      target.ptxFeature = "";
      target.matrixFlops = target.scalarFlops;
    }
    if (arch == "compute_80") {
      // The limits of the smallest of the GPUs that run it.
      target.chip = "sm_80";
      target.isVirtual = true;
      target.sharedBytes = 99 * 1024;
      target.threads = 1536;
    }
    return target;
  }
  if (arch == "sm_86" || arch == "sm_89") {
    bool ada = arch == "sm_89";
    if (ada)
      target.ptxFeature = "+ptx84";
    target.smArch = ada ? 89 : 86;
    target.sharedBytes = 99 * 1024;
    target.threads = 1536;
    // An A10 and an L40S.
    target.multiprocessors = ada ? 142 : 72;
    target.memoryBandwidth = ada ? 0.864e12 : 0.6e12;
    target.copyBytesPerSecond = ada ? 0.77e12 : 0.53e12;
    target.matrixFlops = ada ? 362e12 : 125e12;
    target.scalarFlops = ada ? 91e12 : 31e12;
    return target;
  }
  if (arch == "sm_90a") {
    target.smArch = 90;
    target.sharedBytes = 227 * 1024;
    target.ptxFeature = "+ptx84";
    target.multiprocessors = 132;
    target.memoryBandwidth = 3.35e12;
    target.copyBytesPerSecond = 3e12;
    target.matrixFlops = 989e12;
    target.scalarFlops = 67e12;
    return target;
  }
  if (arch == "sm_100a") {
    target.smArch = 100;
    target.ptxFeature = "+ptx86";
    target.sharedBytes = 227 * 1024;
    target.multiprocessors = 148;
    target.memoryBandwidth = 8e12;
    target.copyBytesPerSecond = 6.5e12;
    target.matrixFlops = 2250e12;
    target.scalarFlops = 75e12;
    return target;
  }
  return std::nullopt;
}

void GpuTarget::use(const DeviceRates &rates) {
  copyBytesPerSecond *= rates.memoryBandwidth / memoryBandwidth;
  memoryBandwidth = rates.memoryBandwidth;
  matrixFlops = rates.flopsOf(2);
  scalarFlops = rates.flopsOf(4);
}

std::vector<std::string> GpuTarget::known() {
  std::vector<std::string> names = knownCards();
  names.push_back("host");
  return names;
}

std::vector<std::string> GpuTarget::knownCards() {
  return {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "compute_80"};
}
