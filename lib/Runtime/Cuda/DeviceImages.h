//===- DeviceImages.h - The runtime's own kernels, compiled -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DeviceKernels.cpp as PTX and as cubins. The build defines both where a
// compiler makes PTX; there are no cubins where it has found no ptxas.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_DEVICEIMAGES_H
#define SHARDIR_LIB_RUNTIME_CUDA_DEVICEIMAGES_H

namespace shardir {
namespace runtime {

struct DeviceCubin {
  int architecture; ///< 90 for compute capability 9.0
  const char *image;
};

/// NUL-terminated.
extern "C" const char shardir_device_kernels_ptx[];
/// In ascending order, up to one without an image.
extern const DeviceCubin deviceCubins[];

/// The newest cubin that runs on a GPU of compute capability
/// `architecture` / 10: one of the same major version and no later minor one.
/// Null if there is none.
inline const char *deviceCubinFor(int architecture) {
  const char *best = nullptr;
  for (const DeviceCubin *cubin = deviceCubins; cubin->image; ++cubin)
    if (cubin->architecture / 10 == architecture / 10 &&
        cubin->architecture <= architecture)
      best = cubin->image;
  return best;
}

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_DEVICEIMAGES_H
