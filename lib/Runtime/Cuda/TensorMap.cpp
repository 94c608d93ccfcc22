//===- TensorMap.cpp - Tensors as the copy engine of sm_90 sees them ------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires what Abi.h says of shardir_gpu_tensor_map; what it does not allow is
// an error of its own, in words, or the driver's. Elements but f32 are
// described as unsigned integers of their size: boxes are copied and zeros are
// filled in, whatever the elements mean. Extents of 0, which the driver
// refuses, leave the map zero: kernels have nothing to move then.
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"

#include <cstdlib>
#include <cstring>

namespace shardir {
namespace runtime {

namespace {
constexpr int kMostDims = 5;
constexpr size_t kMapBytes = 128;

/// CU_TENSOR_MAP_DATA_TYPE_UINT8, 16, 32 and 64, by size, and FLOAT32; -1 for
/// others.
int dataTypeOf(int bytes) {
  return bytes == 1    ? 0
         : bytes == 2  ? 1
         : bytes == 4  ? 2
         : bytes == 8  ? 4
         : bytes == -4 ? 7
                       : -1;
}
/// CU_TENSOR_MAP_SWIZZLE_NONE, 32B, 64B and 128B; -1 for others.
int swizzleOf(int bytes) {
  return bytes == 0     ? 0
         : bytes == 32  ? 1
         : bytes == 64  ? 2
         : bytes == 128 ? 3
                        : -1;
}
} // namespace

void encodeTensorMap(const cuda::Api &api, void *map, const void *data,
                     int elementBytes, int swizzleBytes, int rank,
                     const int64_t *dims) {
  int type = dataTypeOf(elementBytes), swizzle = swizzleOf(swizzleBytes);
  elementBytes = std::abs(elementBytes);
  auto what = [&] {
    std::string text = "describe a tensor of " + std::to_string(elementBytes) +
                       "-byte elements to the GPU, extents by strides by box ";
    for (int d = 0; d < rank; ++d) {
      const int64_t *dim = dims + 3 * d;
      text += (d ? ", " : "") + std::to_string(dim[0]) + ":" +
              std::to_string(dim[1]) + ":" + std::to_string(dim[2]);
    }
    return text;
  };
  if (rank < 1 || rank > kMostDims || type < 0 || swizzle < 0)
    throw cuda::Failure(
        "cannot describe a tensor of " + std::to_string(rank) + " dims of " +
        std::to_string(elementBytes) + "-byte elements to the GPU, swizzled " +
        "over " + std::to_string(swizzleBytes) + " bytes: no map has these");
  uint64_t extents[kMostDims], strides[kMostDims];
  uint32_t box[kMostDims], steps[kMostDims];
  std::memset(map, 0, kMapBytes);
  for (int d = 0; d < rank; ++d) {
    const int64_t *dim = dims + 3 * d;
    if (dim[0] == 0)
      return;
    if (dim[0] < 0 || dim[2] < 1 || dim[2] > 256 || (d == 0 && dim[1] != 1))
      throw cuda::Failure("cannot " + what() + ": such a dim is impossible");
    extents[d] = uint64_t(dim[0]);
    box[d] = uint32_t(dim[2]);
    steps[d] = 1;
    // Where there is but one, the stride says nothing, but must be a legal one.
    if (d > 0)
      strides[d - 1] =
          dim[0] == 1 ? 16 : uint64_t(dim[1]) * uint64_t(elementBytes);
  }
  cuda::Result result = api.TensorMapEncodeTiled(
      map, type, unsigned(rank), const_cast<void *>(data), extents, strides,
      box, steps, /*interleave=*/0, swizzle, cuda::TensorMapPromotion256B,
      /*oobFill=*/0);
  if (result != cuda::Success)
    api.fail(result, "cuTensorMapEncodeTiled", what());
}

} // namespace runtime
} // namespace shardir
