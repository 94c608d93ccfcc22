//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over bytes and elements, as the PTX ISA describes them.
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"

#include "Elements.h"
#include "TensorCore.h"

#include <cstring>
#include <utility>

using namespace shardir::emulated;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void MBarrier::init(int32_t arrivals) {
  count = missing = uint16_t(arrivals);
  bytes = 0;
  phase = 0;
}

bool MBarrier::arrive(int64_t more) {
  if (missing == 0)
    return false;
  bytes = int32_t(bytes + more);
  --missing;
  endPhase();
  return true;
}

void MBarrier::complete(int64_t done) {
  bytes = int32_t(bytes - done);
  endPhase();
}

void MBarrier::endPhase() {
  if (missing != 0 || bytes != 0)
    return;
  missing = count;
  phase = phase ^ 1u;
}

//===----------------------------------------------------------------------===//
// Boxes of tensors
//===----------------------------------------------------------------------===//

int64_t shardir::emulated::swizzled(int64_t offset, int bytes) {
  // Of the address in units of 16 bytes, the lowest bits (one, two or three)
  // are xored with those that number rows of 128 bytes.
  int64_t mask = bytes == 0 ? 0 : bytes / 16 - 1;
  return offset ^ (((offset >> 7) & mask) << 4);
}

int64_t shardir::emulated::boxBytes(const shardir_emulated_tensor_map &map) {
  int64_t bytes = map.element_bytes;
  for (int dim = 0; dim < map.rank; ++dim)
    bytes *= map.box[dim];
  return bytes;
}

/// Calls `copy(global, offset)` for every element of the box; `global` is null
/// for those outside of the tensor.
template <class Copy>
static std::string forBox(const shardir_emulated_tensor_map &map,
                          const int32_t *coordinates, const char *shared,
                          Copy copy) {
  if (map.magic != SHARDIR_TENSOR_MAP)
    return "moves a tensor by what is no tensor map";
  // A swizzled box is in shared memory as a whole; the low bits of the address
  // are its offset there (Grid.cpp).
  int64_t start = int64_t(reinterpret_cast<uintptr_t>(shared) & 0x3ffff);
  int64_t alignment = map.swizzle_bytes == 0 ? 128 : 8 * map.swizzle_bytes;
  if (start % alignment != 0)
    return "moves a box to or from shared memory at byte " +
           std::to_string(start) + ", which is no multiple of " +
           std::to_string(alignment);
  int64_t total = boxBytes(map) / map.element_bytes;
  for (int64_t i = 0; i < total; ++i) {
    int64_t rest = i, global = 0;
    bool inside = true;
    for (int dim = 0; dim < map.rank; ++dim) {
      int64_t place = coordinates[dim] + rest % map.box[dim];
      rest /= map.box[dim];
      inside &= place >= 0 && place < int64_t(map.extents[dim]);
      global += place * (dim == 0 ? int64_t(map.element_bytes)
                                  : int64_t(map.strides[dim - 1]));
    }
    copy(inside ? map.address + global : nullptr,
         swizzled(start + i * map.element_bytes, map.swizzle_bytes) - start);
  }
  return "";
}

std::string shardir::emulated::loadBox(const shardir_emulated_tensor_map &map,
                                       const int32_t *coordinates,
                                       char *shared) {
  return forBox(map, coordinates, shared, [&](const char *from, int64_t to) {
    if (from)
      std::memcpy(shared + to, from, map.element_bytes);
    else
      std::memset(shared + to, 0, map.element_bytes);
  });
}

std::string shardir::emulated::storeBox(const shardir_emulated_tensor_map &map,
                                        const int32_t *coordinates,
                                        const char *shared) {
  return forBox(map, coordinates, shared, [&](char *to, int64_t from) {
    if (to)
      std::memcpy(to, shared + from, map.element_bytes);
  });
}

std::string shardir::emulated::addBox(const shardir_emulated_tensor_map &map,
                                      const int32_t *coordinates,
                                      const char *shared) {
  if (!map.is_f32)
    return "adds to a tensor whose map does not say f32";
  return forBox(map, coordinates, shared, [&](char *to, int64_t from) {
    if (!to)
      return;
    float sum, term;
    std::memcpy(&sum, to, sizeof(float));
    std::memcpy(&term, shared + from, sizeof(float));
    sum += term;
    std::memcpy(to, &sum, sizeof(float));
  });
}

//===----------------------------------------------------------------------===//
// Products of a warp group
//===----------------------------------------------------------------------===//

int64_t shardir::emulated::placeInShared(uint64_t descriptor, bool transposed,
                                         int bits, int along, int k) {
  auto field = [&](int low) {
    return int64_t((descriptor >> low) & 0x3fff) * 16;
  };
  static constexpr int kSwizzles[] = {0, 128, 64, 32};
  int swizzle = kSwizzles[descriptor >> 62];
  int64_t start = field(0), leading = field(16), stride = field(32);
  int64_t bytes = bits / 8;
  // Without swizzling a row of a core matrix is 16 bytes, and eight of them lie
  // one after another.
  int64_t row = swizzle == 0 ? 16 : swizzle;
  int64_t perRow = row / bytes;
  int64_t contiguous = transposed ? along : k, other = transposed ? k : along;
  // An operand that is contiguous along k never has more than one swizzled row
  // of it; else rows that follow each other are `leading` apart. Without
  // swizzling an operand that is not contiguous along k has its strides the
  // other way round.
  if (swizzle == 0 && transposed)
    std::swap(leading, stride);
  int64_t offset = contiguous / perRow * leading + contiguous % perRow * bytes +
                   other % 8 * row + other / 8 * stride;
  return swizzled(start + offset, swizzle);
}

template <class T>
static void multiplyGroupAs(shardir_emulated_thread *self, int n, int k,
                            uint64_t a, const void *aRegisters, uint64_t b,
                            bool aTransposed, bool bTransposed, bool scaleD,
                            float *d) {
  using Stored = typename T::Stored;
  constexpr int bits = 8 * int(sizeof(Stored));
  int thread = int(self->thread[0] % 128), warp = thread / 32,
      lane = thread % 32;
  auto load = [&](int64_t offset) {
    Stored stored;
    // Both are offsets in 256 KiB (Grid.cpp).
    const char *base = reinterpret_cast<const char *>(
        reinterpret_cast<uintptr_t>(self->shared) & ~uintptr_t(0x3ffff));
    std::memcpy(&stored, base + offset, sizeof(stored));
    return T::value(stored);
  };
  // The fragments of one warp, where A comes in registers.
  int perLane = 16 * k / 32;
  double fromRegisters[16][32] = {};
  if (aRegisters) {
    Stored all[32 * 16];
    self->gather(self, aRegisters, all, perLane * int64_t(sizeof(Stored)));
    for (int l = 0; l < 32; ++l)
      for (int i = 0; i < perLane; ++i) {
        Place p = placeInA(16, bits, l, i);
        fromRegisters[p.row][p.column] = double(T::value(all[l * perLane + i]));
      }
  }
  for (int i = 0; i < n / 2; ++i) {
    Place p = placeInC(lane, i % 4);
    int column = p.column + i / 4 * 8;
    double sum = scaleD ? d[i] : 0.0;
    for (int j = 0; j < k; ++j) {
      double left = aRegisters
                        ? fromRegisters[p.row][j]
                        : double(load(placeInShared(a, aTransposed, bits,
                                                    16 * warp + p.row, j)));
      sum +=
          left * double(load(placeInShared(b, bTransposed, bits, column, j)));
    }
    d[i] = float(sum);
  }
}

bool shardir::emulated::multiplyGroup(shardir_emulated_thread *self, int32_t n,
                                      int32_t type, uint64_t a,
                                      const void *aRegisters, uint64_t b,
                                      bool aTransposed, bool bTransposed,
                                      bool scaleD, float *d) {
  if (n < 8 || n > 256 || n % 8 != 0)
    return false;
  auto as = [&](auto element, int k) {
    multiplyGroupAs<decltype(element)>(self, n, k, a, aRegisters, b,
                                       aTransposed, bTransposed, scaleD, d);
    return true;
  };
  switch (type) {
  case SHARDIR_MMA_F16:
    return as(F16(), 16);
  case SHARDIR_MMA_BF16:
    return as(BF16(), 16);
  case SHARDIR_MMA_TF32:
    // PTX transposes 16-bit operands alone.
    return !aTransposed && !bTransposed && as(TF32(), 8);
  case SHARDIR_MMA_E4M3:
    return !aTransposed && !bTransposed && as(E4M3(), 32);
  case SHARDIR_MMA_E5M2:
    return !aTransposed && !bTransposed && as(E5M2(), 32);
  default:
    return false;
  }
}
