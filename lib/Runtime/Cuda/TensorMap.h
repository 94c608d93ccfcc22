//===- TensorMap.h - Tensors as the copy engine of sm_90 sees them --------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps (CUDA Driver API Reference, "Tensor Map Object Management"),
// which kernels of sm_90 and later get by value and copy boxes of a tensor by.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_TENSORMAP_H
#define SHARDIR_LIB_RUNTIME_CUDA_TENSORMAP_H

#include "CudaApi.h"

namespace shardir {
namespace runtime {

/// Implements shardir_gpu_tensor_map (Abi.h). Throws cuda::Failure where the
/// driver refuses the tensor, which is named with its extents, strides and box.
void encodeTensorMap(const cuda::Api &api, void *map, const void *data,
                     int elementBytes, int swizzleBytes, int rank,
                     const int64_t *dims);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_TENSORMAP_H
