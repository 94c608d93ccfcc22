//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The additions of sm_90, on plain memory: barriers in shared memory, boxes of
// tensors with swizzled rows, matrix descriptors, products of a warp group. PTX
// ISA, sections 5.5 (tensor maps), 9.7.13.15 (mbarrier), 9.7.15 (wgmma).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_HOPPER_H
#define SHARDIR_TESTING_EMULATEDGPU_HOPPER_H

#include "ShardIR/Runtime/EmulatedGpu.h"

#include <string>

namespace shardir {
namespace emulated {

/// An mbarrier as it lies in shared memory. A phase ends when nobody is missing
/// and no bytes are; the next begins at once.
struct MBarrier {
  uint16_t count;   ///< arrivals per phase
  uint16_t missing; ///< arrivals that this phase still needs
  int32_t bytes : 31;
  uint32_t phase : 1; ///< parity of the phase that has not ended

  void init(int32_t arrivals);
  /// Expects `more` bytes and counts one arrival. False for one too many.
  bool arrive(int64_t more);
  /// `done` bytes have come.
  void complete(int64_t done);
  bool ended(int32_t parity) const { return int32_t(phase) != parity; }

private:
  void endPhase();
};
static_assert(sizeof(MBarrier) == 8, "PTX: an mbarrier is a .b64");

/// The bytes of a box.
int64_t boxBytes(const shardir_emulated_tensor_map &map);
/// Copies the box at `coordinates` to shared memory, zeros outside of the
/// tensor; or from there, the elements inside alone. Returns "" or what is
/// wrong with the map or the address.
std::string loadBox(const shardir_emulated_tensor_map &map,
                    const int32_t *coordinates, char *shared);
std::string storeBox(const shardir_emulated_tensor_map &map,
                     const int32_t *coordinates, const char *shared);
/// Adds the box's f32 elements to the tensor's.
std::string addBox(const shardir_emulated_tensor_map &map,
                   const int32_t *coordinates, const char *shared);

/// Where byte `offset` of shared memory lies if rows are swizzled by `bytes`
/// (0, 32, 64 or 128): 16-byte columns are permuted by the row's number.
int64_t swizzled(int64_t offset, int bytes);

/// The offset in shared memory of element (`along`, `k`) of an operand: m or n,
/// and k. `bits` is the element's size.
int64_t placeInShared(uint64_t descriptor, bool transposed, int bits, int along,
                      int k);

/// Carries out shardir_emulated_thread.wgmma. False for a shape or type that it
/// does not know.
bool multiplyGroup(shardir_emulated_thread *self, int32_t n, int32_t type,
                   uint64_t a, const void *aRegisters, uint64_t b,
                   bool aTransposed, bool bTransposed, bool scaleD, float *d);

} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_HOPPER_H
