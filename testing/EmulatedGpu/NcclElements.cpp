//===- NcclElements.cpp - Elements that NCCL reduces ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what NcclElements.h says.
//
//===----------------------------------------------------------------------===//

#include "NcclElements.h"

#include "Elements/SmallFloat.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace shardir {
namespace emulated {
namespace {

/// An element as it is stored, and as it is computed with.
template <class T> struct Plain {
  using Stored = T;
  static T load(T stored) { return stored; }
  static T store(T value) { return value; }
};
struct Half {
  using Stored = uint16_t;
  static float load(uint16_t stored) { return runtime::f16ToFloat(stored); }
  static uint16_t store(float value) { return runtime::floatToF16(value); }
};
struct Brain {
  using Stored = uint16_t;
  static float load(uint16_t stored) { return runtime::bf16ToFloat(stored); }
  static uint16_t store(float value) { return runtime::floatToBf16(value); }
};

template <class T> T combined(int operation, T a, T b) {
  // Integers wrap, as they do on a GPU.
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    auto wide = [](T x) { return uint64_t(Unsigned(x)); };
    if (operation == 0)
      return T(Unsigned(wide(a) + wide(b)));
    if (operation == 1)
      return T(Unsigned(wide(a) * wide(b)));
  }
  switch (operation) {
  case 0:
    return a + b;
  case 1:
    return a * b;
  case 2:
    return std::max(a, b);
  default:
    return std::min(a, b);
  }
}

/// Calls `f` with the traits of a type. False where there are none.
template <class F> bool withType(int type, F &&f) {
  switch (type) {
  case 0:
    return f(Plain<int8_t>()), true;
  case 1:
    return f(Plain<uint8_t>()), true;
  case 2:
    return f(Plain<int32_t>()), true;
  case 3:
    return f(Plain<uint32_t>()), true;
  case 4:
    return f(Plain<int64_t>()), true;
  case 5:
    return f(Plain<uint64_t>()), true;
  case 6:
    return f(Half()), true;
  case 7:
    return f(Plain<float>()), true;
  case 8:
    return f(Plain<double>()), true;
  case 9:
    return f(Brain()), true;
  }
  return false;
}

} // namespace

size_t ncclElementSize(int type) {
  size_t size = 0;
  withType(type, [&](auto traits) {
    size = sizeof(typename decltype(traits)::Stored);
  });
  return size;
}

bool ncclCombine(int type, int operation, void *into, const void *term,
                 size_t count) {
  if (operation < 0 || operation > 3)
    return false;
  return withType(type, [&](auto traits) {
    using Traits = decltype(traits);
    using Stored = typename Traits::Stored;
    for (size_t i = 0; i < count; ++i) {
      Stored a, b;
      char *at = static_cast<char *>(into) + i * sizeof(Stored);
      std::memcpy(&a, at, sizeof(a));
      std::memcpy(&b, static_cast<const char *>(term) + i * sizeof(Stored),
                  sizeof(b));
      a = Traits::store(combined(operation, Traits::load(a), Traits::load(b)));
      std::memcpy(at, &a, sizeof(a));
    }
  });
}

} // namespace emulated
} // namespace shardir
