//===- PtxTest.h - Small kernels in PTX -------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs statements in a kernel that has everything declared: %r0.. (32 bits),
// %d0.. (64), %h0.. (16), %p0.. (predicates), %tid.x in %r30, the thread's
// addresses in three arrays of 64-bit words in %d30 (out), %d29 (a), %d28 (b).
// `out`, `a` and `b` alone are global memory; 4 KiB of shared memory begin at
// `dynamic`.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_EMULATEDGPU_PTXTEST_H
#define SHARDIR_TEST_UNIT_EMULATEDGPU_PTXTEST_H

#include "Ptx/Machine.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace ptxtest {
namespace ptx = shardir::emulated::ptx;

inline std::string moduleOf(const std::string &body,
                            const std::string &directives = "",
                            const std::string &parameters = "") {
  return ".version 8.1\n.target sm_90a\n.address_size 64\n"
         ".extern .shared .align 1024 .b8 dynamic[];\n"
         ".visible .entry kernel(.param .u64 out, .param .u64 a, "
         ".param .u64 b" +
         parameters + ")\n" + directives +
         "{\n"
         ".reg .pred %p<10>;\n.reg .b16 %h<10>;\n.reg .b32 %r<140>;\n"
         ".reg .b64 %d<40>;\n"
         "ld.param.b64 %d30, [out];\nld.param.b64 %d29, [a];\n"
         "ld.param.b64 %d28, [b];\nmov.u32 %r30, %tid.x;\n"
         "mad.wide.u32 %d30, %r30, 8, %d30;\n"
         "mad.wide.u32 %d29, %r30, 8, %d29;\n"
         "mad.wide.u32 %d28, %r30, 8, %d28;\n" +
         body + "\nret;\n}\n";
}

/// Small integers, which every type and every order of sums holds exactly.
inline int value(int i, int j) { return (3 * i + 5 * j) % 7 - 3; }

struct Trial {
  std::vector<uint64_t> out, a, b;
  int64_t threads = 32, blocks = 1;
  int64_t cluster = 1;
  int64_t sharedBytes = 4096;
  std::string directives;
  /// A further parameter, at multiples of 64 bytes.
  std::vector<char> extra;
  std::vector<ptx::Range> extraMemory;

  explicit Trial(int64_t threads = 32) : threads(threads) {
    for (std::vector<uint64_t> *array : {&out, &a, &b}) {
      // An allocator may put arrays side by side: with room behind each, none
      // begins where another ends.
      array->reserve(size_t(threads) + 8);
      array->resize(size_t(threads));
    }
  }

  /// "", or what went wrong.
  std::string operator()(const std::string &body) {
    std::string parameters = extra.empty()
                                 ? ""
                                 : ", .param .align 64 .b8 extra[" +
                                       std::to_string(extra.size()) + "]";
    std::string error;
    auto module = ptx::load(moduleOf(body, directives, parameters), error);
    if (!module)
      return error;
    auto kernels = ptx::kernelsOf(module);
    ptx::Launch launch;
    launch.grid[0] = blocks;
    launch.block[0] = threads;
    launch.cluster[0] = cluster;
    launch.dynamicBytes = sharedBytes;
    uint64_t pointers[3];
    std::vector<uint64_t> *arrays[] = {&out, &a, &b};
    for (int i = 0; i < 3; ++i) {
      pointers[i] = uint64_t(uintptr_t(arrays[i]->data()));
      launch.memory.push_back(
          {pointers[i], pointers[i] + 8 * arrays[i]->size()});
    }
    for (const ptx::Range &range : extraMemory)
      launch.memory.push_back(range);
    std::sort(launch.memory.begin(), launch.memory.end(),
              [](const ptx::Range &x, const ptx::Range &y) {
                return x.begin < y.begin;
              });
    void *arguments[] = {&pointers[0], &pointers[1], &pointers[2],
                         extra.data()};
    launch.parameters = kernels[0]->parameters(arguments);
    std::string refused = kernels[0]->check(launch);
    return refused.empty() ? kernels[0]->run(launch) : refused;
  }
};

template <class T> uint64_t bitsOf(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

/// The result of statements on one thread: a in %d1, b in %d2, c in %d3, their
/// low bits in %r1 to %r3 and %h1 to %h3; the result in %d0, %r0 or %h0 by R's
/// size.
template <class R>
R evaluate(const std::string &statements, uint64_t a = 0, uint64_t b = 0,
           uint64_t c = 0) {
  Trial run(1);
  run.a[0] = a;
  run.b[0] = b;
  std::string body = "ld.global.b64 %d1, [%d29];\nld.global.b64 %d2, [%d28];\n"
                     "mov.b64 %d3, " +
                     std::to_string(int64_t(c)) + ";\n";
  for (const char *n : {"1", "2", "3"})
    body += std::string("cvt.u32.u64 %r") + n + ", %d" + n +
            ";\ncvt.u16.u64 %h" + n + ", %d" + n + ";\n";
  std::string name = sizeof(R) == 8 ? "%d0" : sizeof(R) == 4 ? "%r0" : "%h0";
  std::string bits = std::to_string(8 * sizeof(R));
  std::string error = run(body + statements + "\nst.global.b" + bits +
                          " [%d30], " + name + ";");
  EXPECT_EQ(error, "") << statements;
  R result;
  std::memcpy(&result, run.out.data(), sizeof(result));
  return result;
}
template <class R, class A, class B = int, class C = int>
R evaluateAs(const std::string &statements, A a, B b = 0, C c = 0) {
  return evaluate<R>(statements, bitsOf(a), bitsOf(b), bitsOf(c));
}

} // namespace ptxtest

#endif // SHARDIR_TEST_UNIT_EMULATEDGPU_PTXTEST_H
