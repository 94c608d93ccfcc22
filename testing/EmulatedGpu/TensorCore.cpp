//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every lane posts its fragments, puts the two matrices together, and computes
// the elements of the product that are its own.
//
//===----------------------------------------------------------------------===//

#include "TensorCore.h"

#include "Elements.h"

#include <cstring>
#include <vector>

using namespace shardir::emulated;

namespace {
constexpr int kWarpLanes = 32;

int laneOf(const shardir_emulated_thread *self) {
  const int64_t *t = self->thread, *n = self->block_dim;
  return int((t[0] + n[0] * (t[1] + n[1] * t[2])) % kWarpLanes);
}

template <class T>
void multiplyAs(shardir_emulated_thread *self, int m, int n, int k,
                const void *a, const void *b, const void *c, void *d) {
  using Stored = typename T::Stored;
  constexpr int bits = 8 * int(sizeof(Stored));
  int perLaneA = m * k / kWarpLanes, perLaneB = k * n / kWarpLanes;
  std::vector<Stored> allA(size_t(m * k)), allB(size_t(k * n));
  self->gather(self, a, allA.data(), perLaneA * int64_t(sizeof(Stored)));
  self->gather(self, b, allB.data(), perLaneB * int64_t(sizeof(Stored)));
  std::vector<Stored> wholeA(allA.size()), wholeB(allB.size());
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    for (int i = 0; i < perLaneA; ++i) {
      Place p = placeInA(m, bits, lane, i);
      wholeA[size_t(p.row * k + p.column)] = allA[size_t(lane * perLaneA + i)];
    }
    for (int i = 0; i < perLaneB; ++i) {
      Place p = placeInB(bits, lane, i);
      wholeB[size_t(p.row * n + p.column)] = allB[size_t(lane * perLaneB + i)];
    }
  }
  const auto *terms = static_cast<const typename T::Result *>(c);
  auto *results = static_cast<typename T::Result *>(d);
  for (int i = 0; i < m * n / kWarpLanes; ++i) {
    Place p = placeInC(laneOf(self), i);
    typename T::Sum sum = typename T::Sum(terms[i]);
    for (int j = 0; j < k; ++j)
      sum += T::value(wholeA[size_t(p.row * k + j)]) *
             T::value(wholeB[size_t(j * n + p.column)]);
    results[i] = typename T::Result(sum);
  }
}
} // namespace

// Lanes come in groups of four. A group holds one row of A, or two eight apart,
// and one column of B; its lanes take turns along k, so many elements at a time
// as fit into a register.
Place shardir::emulated::placeInA(int m, int bits, int lane, int i) {
  int group = lane / 4, inGroup = lane % 4;
  int run = bits >= 32 ? 1 : 32 / bits;
  int part = i / run; // registers: row, row + 8, then further along k
  int rows = m / 8;
  return {group + 8 * (part % rows),
          inGroup * run + i % run + 4 * run * (part / rows)};
}

Place shardir::emulated::placeInB(int bits, int lane, int i) {
  int group = lane / 4, inGroup = lane % 4;
  int run = bits >= 32 ? 1 : 32 / bits;
  return {inGroup * run + i % run + 4 * run * (i / run), group};
}

Place shardir::emulated::placeInC(int lane, int i) {
  return {lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2};
}

bool shardir::emulated::multiply(shardir_emulated_thread *self, int32_t m,
                                 int32_t n, int32_t k, int32_t type,
                                 const void *a, const void *b, const void *c,
                                 void *d) {
  auto is = [&](int mWanted, int kFew, int kMany) {
    return m == mWanted && n == 8 && (k == kFew || k == kMany);
  };
  switch (type) {
  case SHARDIR_MMA_F16:
  case SHARDIR_MMA_BF16:
    if (!is(16, 8, 16))
      return false;
    (type == SHARDIR_MMA_F16 ? multiplyAs<F16>
                             : multiplyAs<BF16>)(self, m, n, k, a, b, c, d);
    return true;
  case SHARDIR_MMA_TF32:
    if (!is(16, 4, 8))
      return false;
    multiplyAs<TF32>(self, m, n, k, a, b, c, d);
    return true;
  case SHARDIR_MMA_S8:
  case SHARDIR_MMA_U8:
    if (!is(16, 16, 32))
      return false;
    (type == SHARDIR_MMA_S8
         ? multiplyAs<Integer<int8_t>>
         : multiplyAs<Integer<uint8_t>>)(self, m, n, k, a, b, c, d);
    return true;
  case SHARDIR_MMA_F64:
    if (!is(8, 4, 4))
      return false;
    multiplyAs<F64>(self, m, n, k, a, b, c, d);
    return true;
  default:
    return false;
  }
}
