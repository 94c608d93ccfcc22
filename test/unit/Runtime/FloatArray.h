//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of f32 that a test owns, as the C API takes it: whole, in C order.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_RUNTIME_FLOATARRAY_H
#define SHARDIR_TEST_UNIT_RUNTIME_FLOATARRAY_H

#include "ShardIR/Runtime/ShardIR.h"

#include <numeric>
#include <vector>

struct FloatArray {
  std::vector<int64_t> shape;
  std::vector<float> data;
  explicit FloatArray(std::vector<int64_t> s) : shape(std::move(s)) {
    data.resize(size_t(std::accumulate(shape.begin(), shape.end(), int64_t(1),
                                       std::multiplies<int64_t>())));
  }
  FloatArray &iota() {
    std::iota(data.begin(), data.end(), 1.0f);
    return *this;
  }
  shardir_buffer buffer() {
    return {data.data(), shape.data(), shape.size(), SHARDIR_F32};
  }
};

#endif // SHARDIR_TEST_UNIT_RUNTIME_FLOATARRAY_H
