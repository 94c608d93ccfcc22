//===- Random.cpp - Random inputs -----------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counter-based generator: splitmix64's finaliser over a key and a counter.
// No state, so the order and the number of calls do not matter. Requires a
// shape without unknown extents; guarantees the same bits on every machine.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/Random.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

using namespace shardir;
using namespace shardir::runner;

static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

Array runner::randomArray(ElementType type, const Shape &shape, uint64_t seed,
                          uint64_t argument, Spread spread) {
  Array array(type, shape);
  uint64_t key = mix(mix(seed) ^ argument);
  bool isFloat = isFloatType(type);
  int64_t longest = 1;
  if (spread != Spread::Even)
    for (int64_t extent : shape)
      longest = std::max(longest, extent);
  double scale = 1 / std::sqrt(double(longest));
  auto fill = [&](size_t begin, size_t end) {
    for (size_t i = begin; i != end; ++i) {
      uint64_t bits = mix(key ^ mix(i));
      if (isFloat) {
        // 24 bits: exact in f32, so f32 and f64 see the same values
        double value = double(int64_t(bits >> 40)) / (1 << 23) - 1;
        if (spread == Spread::Positive)
          value = 0.625 + 0.375 * value;
        storeFloat(type, scale * value, array.element(i));
        continue;
      }
      int64_t value = int64_t(bits >> (type == SHARDIR_I1 ? 63 : 61));
      if (spread == Spread::Positive && type != SHARDIR_I1)
        value = std::max<int64_t>(value, 1);
      storeInteger(type, value, array.element(i));
    }
  };
  // A thread for each million elements, as far as there are cores.
  size_t n = array.numElements();
  size_t parts = std::clamp<size_t>(
      n >> 20, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (size_t part = 1; part < parts; ++part)
    threads.emplace_back(fill, n * part / parts, n * (part + 1) / parts);
  fill(0, n / parts);
  for (std::thread &thread : threads)
    thread.join();
  return array;
}
