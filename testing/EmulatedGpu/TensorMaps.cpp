//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuTensorMapEncodeTiled of the emulated GPU. Requires what the driver's manual
// asks of a tensor (CUDA Driver API Reference, "Tensor Map Object Management")
// and that it lies in device memory; guarantees a map as EmulatedGpu.h has it,
// or a CUresult whose text says which rule was broken.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Settings.h"

#include "ShardIR/Runtime/EmulatedGpu.h"

#include <cstring>

using namespace shardir::emulated;

namespace {
enum : int { kSuccess = 0, kInvalidValue = 1 };
constexpr uint64_t kMostStride = uint64_t(1) << 40;

/// By CUtensorMapDataType, those that elements of whole bytes have.
constexpr int kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
constexpr int kFloat32 = 7;
/// By CUtensorMapSwizzle.
constexpr int kSwizzleBytes[] = {0, 32, 64, 128};

int refuse(const std::string &why) {
  lastDetail() = why;
  return kInvalidValue;
}

std::string of(uint64_t number, int dim) {
  return std::to_string(number) + " of dim " + std::to_string(dim);
}
} // namespace

extern "C" __attribute__((visibility("default"))) int
cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *address,
                       const uint64_t *extents, const uint64_t *strides,
                       const uint32_t *box, const uint32_t *steps,
                       int interleave, int swizzle, int, int) {
  lastDetail().clear();
  int code = kSuccess;
  if (Settings::get().fails("cuTensorMapEncodeTiled", code))
    return lastDetail() = "a fault that a test asked for", code;
  if (type < 0 || type >= int(sizeof(kElementBytes) / sizeof(int)) ||
      rank < 1 || rank > 5 || swizzle < 0 || swizzle > 3 || interleave != 0)
    return refuse("a type, rank, swizzling or interleaving that is not "
                  "emulated");
  shardir_emulated_tensor_map map = {};
  map.magic = SHARDIR_TENSOR_MAP;
  map.rank = uint8_t(rank);
  map.element_bytes = uint8_t(kElementBytes[type]);
  map.is_f32 = type == kFloat32;
  map.swizzle_bytes = uint8_t(kSwizzleBytes[swizzle]);
  map.address = static_cast<char *>(address);
  if (reinterpret_cast<uintptr_t>(out) % 64 != 0)
    return refuse("a map that does not lie at a multiple of 64 bytes");
  if (reinterpret_cast<uintptr_t>(address) % 16 != 0)
    return refuse("a tensor that does not lie at a multiple of 16 bytes");
  uint64_t last = map.element_bytes;
  for (int d = 0; d < int(rank); ++d) {
    if (extents[d] == 0 || extents[d] > uint64_t(1) << 32)
      return refuse("extent " + of(extents[d], d));
    if (box[d] == 0 || box[d] > 256)
      return refuse("box " + of(box[d], d));
    if (steps[d] != 1)
      return refuse("steps that are not emulated");
    uint64_t stride = d == 0 ? map.element_bytes : strides[d - 1];
    if (d > 0 && (stride % 16 != 0 || stride >= kMostStride))
      return refuse("stride " + of(stride, d) +
                    ", which must be a multiple of 16 bytes below 2^40");
    map.extents[d] = extents[d];
    map.box[d] = uint16_t(box[d]);
    if (d > 0)
      map.strides[d - 1] = stride;
    last += (extents[d] - 1) * stride;
  }
  uint64_t row = uint64_t(box[0]) * map.element_bytes;
  if (row % 16 != 0 || (map.swizzle_bytes && row > map.swizzle_bytes))
    return refuse("a box of rows of " + std::to_string(row) + " bytes");
  if (!Memory::get().check(reinterpret_cast<uintptr_t>(address), last,
                           "the tensor"))
    return kInvalidValue;
  static_assert(sizeof(map) <= 128, "a CUtensorMap");
  std::memcpy(out, &map, sizeof(map));
  if (Settings::get().logs())
    Settings::get().log(
        "cuTensorMapEncodeTiled at=" +
        Memory::get().name(reinterpret_cast<uintptr_t>(address)) +
        " rank=" + std::to_string(rank));
  return kSuccess;
}
