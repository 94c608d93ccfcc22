//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05 in PTX, against a product that is written down here from the PTX
// ISA's descriptors (9.7.16.4) and layout of D (9.7.16.2.3.1). And the protocol
// around it: each step that is left out is found.
//
//===----------------------------------------------------------------------===//

#include "PtxTest.h"

#include "gmock/gmock.h"

#include <functional>

using namespace ptxtest;
using testing::HasSubstr;

namespace {
constexpr int kColumns = 16, kDepth = 16, kRows = 128;
constexpr int kB = kRows * 128, kBarrier = kB + kColumns * 128,
              kAddress = kBarrier + 8;

/// The steps around a product, which tests leave out or change.
struct Steps {
  std::string proxy = "fence.proxy.async.shared::cta;\n";
  std::string before = "tcgen05.fence::before_thread_sync;\n";
  std::string after = "tcgen05.fence::after_thread_sync;\n";
  std::string done = after;
  std::string load = "tcgen05.ld.sync.aligned.32x32b.x4.b32 ";
  /// Lanes behind the warp's first one.
  int behind = 0;
  std::string wait = "tcgen05.wait::ld.sync.aligned;\n";
  std::string giveBack = "@%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 "
                         "%r8, 32;\n";
  /// Of the instruction: f32 sums, bf16 operands along k, the extents.
  uint32_t what =
      1u << 4 | 1u << 7 | 1u << 10 | kColumns / 8 << 17 | kRows / 16 << 24;
};

/// D = A B with A 128 x 16 and B 16 x 16, bf16, both K-major with 128-byte
/// swizzling: A at dynamic, B behind it. Thread t writes row t of both, and
/// stores the first four columns of row t of D.
std::string product(const Steps &steps) {
  std::string text = "mov.b64 %d1, dynamic;\nmov.b32 %r1, dynamic;\n"
                     "and.b32 %r2, %r30, 7;\nsetp.lt.u32 %p0, %r30, 16;\n"
                     "setp.eq.u32 %p1, %r30, 0;\nsetp.lt.u32 %p2, %r30, 32;\n"
                     "setp.ne.u32 %p3, 1, 1;\n";
  for (int k = 0; k < kDepth; ++k)
    text += "xor.b32 %r4, %r2, " + std::to_string(k / 8) +
            ";\nshl.b32 %r4, %r4, 4;\nmad.lo.s32 %r4, %r30, 128, %r4;\n"
            "add.s32 %r4, %r4, %r1;\nmul.lo.s32 %r5, %r30, 3;\n"
            "add.s32 %r5, %r5, " +
            std::to_string(5 * k) +
            ";\nrem.u32 %r5, %r5, 7;\nsub.s32 %r5, %r5, 3;\n"
            "cvt.rn.f32.s32 %r6, %r5;\ncvt.rn.bf16.f32 %h1, %r6;\n"
            "st.shared.b16 [%r4+" +
            std::to_string(2 * (k % 8)) + "], %h1;\n@%p0 st.shared.b16 [%r4+" +
            std::to_string(kB + 2 * (k % 8)) + "], %h1;\n";
  std::string barrier = std::to_string(kBarrier);
  text += "@%p1 mbarrier.init.shared.b64 [%r1+" + barrier +
          "], 1;\nadd.s32 %r6, %r1, " + std::to_string(kAddress) +
          ";\n@!%p2 bra HERE;\n"
          "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r6], 32;\n"
          "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
          "HERE:\n" +
          steps.proxy + "bar.sync 0;\n" + steps.after +
          "ld.shared.b32 %r8, [%r6];\n"
          // Start, stride offset 1024, version, swizzling.
          "shr.u64 %d2, %d1, 4;\nor.b64 %d3, %d2, " +
          std::to_string(uint64_t(1) << 16 | uint64_t(64) << 32 |
                         uint64_t(1) << 46 | uint64_t(2) << 61) +
          ";\nadd.s64 %d4, %d3, " + std::to_string(kB / 16) +
          ";\nmov.b32 %r9, " + std::to_string(steps.what) +
          ";\nadd.s32 %r10, %r1, " + barrier +
          ";\n@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r8], %d3, %d4, %r9, "
          "%p3;\n@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one."
          "shared::cluster.b64 [%r10];\nLOOP:\n"
          "mbarrier.try_wait.parity.shared.b64 %p4, [%r1+" +
          barrier + "], 0;\n@!%p4 bra LOOP;\n" + steps.done +
          "shr.u32 %r11, %r30, 5;\nshl.b32 %r11, %r11, 21;\n"
          "add.s32 %r11, %r8, %r11;\nadd.s32 %r11, %r11, " +
          std::to_string(steps.behind << 16) + ";\n" + steps.load +
          "{%r12, %r13, %r14, %r15}, [%r11];\n" + steps.wait +
          "mad.wide.u32 %d30, %r30, 8, %d30;\n"
          "st.global.v4.b32 [%d30], {%r12, %r13, %r14, %r15};\n" +
          steps.before + "bar.sync 0;\n" + steps.after + steps.giveBack;
  return text;
}

Trial makeTrial(int64_t blocks) {
  Trial run(kRows);
  run.blocks = blocks;
  run.sharedBytes = kAddress + 8;
  run.out.resize(2 * kRows);
  return run;
}

/// Checks the four floats that each thread stored; `place` gives the row and
/// the column of each.
void expectProducts(const Trial &run,
                    const std::function<std::pair<int, int>(int, int)> &place) {
  for (int t = 0; t < kRows; ++t)
    for (int i = 0; i < 4; ++i) {
      auto [row, column] = place(t, i);
      int sum = 0;
      for (int k = 0; k < kDepth; ++k)
        sum += value(row, k) * value(column, k);
      float found;
      std::memcpy(
          &found,
          reinterpret_cast<const char *>(run.out.data()) + 16 * t + 4 * i, 4);
      EXPECT_EQ(found, float(sum)) << t << " " << i;
    }
}

TEST(PtxTensorMemory, Product) {
  for (int64_t blocks : {1, 2}) {
    Trial run = makeTrial(blocks);
    ASSERT_EQ(run(product({})), "");
    expectProducts(run, [](int t, int i) { return std::pair(t, i); });
  }
}

// Sixteen lanes, eight columns of which four registers hold, as mma.sync does.
TEST(PtxTensorMemory, LoadsAsFragments) {
  Steps steps;
  steps.load = "tcgen05.ld.sync.aligned.16x256b.x1.b32 ";
  for (int behind : {0, 16}) {
    steps.behind = behind;
    Trial run = makeTrial(1);
    ASSERT_EQ(run(product(steps)), "");
    expectProducts(run, [&](int t, int i) {
      int lane = t % 32;
      return std::pair(t / 32 * 32 + behind + lane / 4 + 8 * (i / 2),
                       2 * (lane % 4) + i % 2);
    });
  }
  steps.behind = 8;
  Trial run = makeTrial(1);
  EXPECT_THAT(run(product(steps)), HasSubstr("a warp sees 32 by its number"));
}

TEST(PtxTensorMemory, StepsLeftOut) {
  for (int64_t blocks : {1, 2}) {
    auto without = [&](std::string Steps::*step) {
      Steps steps;
      steps.*step = "";
      Trial run = makeTrial(blocks);
      return run(product(steps));
    };
    EXPECT_THAT(without(&Steps::proxy),
                HasSubstr("wrote with no fence.proxy.async behind it"));
    EXPECT_THAT(without(&Steps::before),
                HasSubstr("no tcgen05.fence::before_thread_sync"));
    EXPECT_THAT(without(&Steps::after),
                HasSubstr("no tcgen05.fence::after_thread_sync"));
    EXPECT_THAT(without(&Steps::done),
                HasSubstr("no tcgen05.fence::after_thread_sync"));
    EXPECT_THAT(without(&Steps::wait),
                HasSubstr("uses a register of a load of tensor memory that was "
                          "not waited for"));
    EXPECT_THAT(without(&Steps::giveBack),
                HasSubstr("ends without giving its tensor memory back"));
  }
}

TEST(PtxTensorMemory, WrongDescriptors) {
  // 64 columns where the block has 32; 64 rows; a bit that means nothing.
  for (uint32_t change : {uint32_t((kColumns ^ 64) / 8) << 17,
                          uint32_t((kRows ^ 64) / 16) << 24, 1u << 23}) {
    Steps steps;
    steps.what ^= change;
    Trial run = makeTrial(1);
    EXPECT_THAT(run(product(steps)), HasSubstr("multiplies "));
  }
}
} // namespace
