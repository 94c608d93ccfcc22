//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of instructions, one thread at a time: where PTX differs from what
// a processor does by itself (shifts beyond the width, NaN, rounding modes,
// clamped conversions, byte selections), as the PTX ISA says.
//
//===----------------------------------------------------------------------===//

#include "PtxTest.h"

#include <cmath>
#include <limits>

using namespace ptxtest;

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNaN = std::nanf("");

TEST(PtxIntegers, SumsWrap) {
  EXPECT_EQ(evaluate<uint32_t>("add.s32 %r0, %r1, %r2;", 0x7fffffff, 1),
            0x80000000u);
  EXPECT_EQ(evaluate<uint16_t>("sub.s16 %h0, %h1, %h2;", 0, 1), 0xffff);
  EXPECT_EQ(evaluate<uint64_t>("add.s64 %d0, %d1, %d2;", ~uint64_t(0), 2), 1u);
  EXPECT_EQ(evaluate<uint32_t>("neg.s32 %r0, %r1;", 0x80000000), 0x80000000u);
}

TEST(PtxIntegers, Products) {
  EXPECT_EQ(evaluate<uint32_t>("mul.lo.s32 %r0, %r1, %r2;", 0x10001, 0x10001),
            0x20001u);
  EXPECT_EQ(evaluate<int32_t>("mul.hi.s32 %r0, %r1, %r2;", 0xffffffff, 2), -1);
  EXPECT_EQ(evaluate<uint32_t>("mul.hi.u32 %r0, %r1, %r2;", 0xffffffff, 2), 1u);
  EXPECT_EQ(evaluate<uint64_t>("mul.hi.u64 %d0, %d1, %d2;", ~uint64_t(0), 3),
            2u);
  EXPECT_EQ(evaluate<uint16_t>("mul.hi.u16 %h0, %h1, %h2;", 0xffff, 0xffff),
            0xfffe);
  EXPECT_EQ(evaluate<int64_t>("mul.wide.s32 %d0, %r1, %r2;", 0xffffffff, 5),
            -5);
  EXPECT_EQ(evaluate<uint64_t>("mad.wide.u32 %d0, %r1, %r2, %d3;", 0xffffffff,
                               0xffffffff, 7),
            0xfffffffe00000001u + 7);
  EXPECT_EQ(evaluate<uint64_t>("mad.lo.s64 %d0, %d1, %d2, %d3;", 3, 5, 7), 22u);
}

TEST(PtxIntegers, CarriesGoOn) {
  // (2^32 - 1)^2 + 1, its two halves.
  EXPECT_EQ(evaluate<uint64_t>("mad.lo.cc.u32 %r4, %r1, %r2, %r3;\n"
                               "madc.hi.u32 %r5, %r1, %r2, 0;\n"
                               "mov.b64 %d0, {%r4, %r5};",
                               0xffffffff, 0xffffffff, 0xffffffff),
            0xffffffffu * uint64_t(0xffffffff) + 0xffffffffu);
  EXPECT_EQ(evaluate<uint32_t>("add.cc.u32 %r4, %r1, %r2;\n"
                               "addc.u32 %r0, 5, 0;",
                               0xffffffff, 1),
            6u);
  EXPECT_EQ(evaluate<uint32_t>("sub.cc.u32 %r4, %r1, %r2;\n"
                               "subc.u32 %r0, 5, 0;",
                               0, 1),
            4u);
}

TEST(PtxIntegers, Quotients) {
  EXPECT_EQ(evaluate<int32_t>("div.s32 %r0, %r1, %r2;", uint32_t(-7), 2), -3);
  EXPECT_EQ(evaluate<int32_t>("rem.s32 %r0, %r1, %r2;", uint32_t(-7), 2), -1);
  EXPECT_EQ(evaluate<uint32_t>("div.u32 %r0, %r1, %r2;", 7, 0), 0xffffffffu);
  EXPECT_EQ(
      evaluate<uint32_t>("div.s32 %r0, %r1, %r2;", 0x80000000, 0xffffffff),
      0x80000000u);
}

TEST(PtxIntegers, ShiftsBeyondTheWidth) {
  EXPECT_EQ(evaluate<uint32_t>("shl.b32 %r0, %r1, %r2;", 1, 32), 0u);
  EXPECT_EQ(evaluate<uint32_t>("shl.b32 %r0, %r1, %r2;", 3, 31), 0x80000000u);
  EXPECT_EQ(evaluate<uint64_t>("shl.b64 %d0, %d1, %r2;", 1, 64), 0u);
  EXPECT_EQ(evaluate<uint32_t>("shr.u32 %r0, %r1, %r2;", 0x80000000, 40), 0u);
  EXPECT_EQ(evaluate<uint32_t>("shr.s32 %r0, %r1, %r2;", 0x80000000, 40),
            0xffffffffu);
  EXPECT_EQ(evaluate<uint16_t>("shr.s16 %h0, %h1, %r2;", 0x8000, 3), 0xf000);
  EXPECT_EQ(evaluate<uint32_t>("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 0x80000000,
                               1, 33),
            3u);
  EXPECT_EQ(evaluate<uint32_t>("shf.l.clamp.b32 %r0, %r1, %r2, %r3;",
                               0x80000000, 1, 33),
            0x80000000u);
  EXPECT_EQ(evaluate<uint32_t>("shf.r.wrap.b32 %r0, %r1, %r2, %r3;", 2, 1, 1),
            0x80000001u);
}

TEST(PtxIntegers, BitFields) {
  EXPECT_EQ(evaluate<uint32_t>("bfe.u32 %r0, %r1, %r2, %r3;", 0xabcd1234, 8, 8),
            0x12u);
  EXPECT_EQ(
      evaluate<uint32_t>("bfe.s32 %r0, %r1, %r2, %r3;", 0x80000000, 28, 8),
      0xfffffff8u);
  EXPECT_EQ(evaluate<uint32_t>("bfe.s32 %r0, %r1, %r2, %r3;", 0x80000000, 4, 0),
            0u);
  EXPECT_EQ(
      evaluate<uint64_t>("bfe.u64 %d0, %d1, %r2, %r3;", ~uint64_t(0), 60, 8),
      15u);
  EXPECT_EQ(evaluate<uint32_t>("bfi.b32 %r0, %r1, %r2, 28, %r3;", 0x3f, 0, 8),
            0xf0000000u);
  EXPECT_EQ(evaluate<uint32_t>("prmt.b32 %r0, %r1, %r2, %r3;", 0x33221180,
                               0x77665544, 0x7086),
            0x7780ff66u);
  EXPECT_EQ(evaluate<uint32_t>("popc.b32 %r0, %r1;", 0xf0f0), 8u);
  EXPECT_EQ(evaluate<uint32_t>("clz.b64 %r0, %d1;", 1), 63u);
  EXPECT_EQ(evaluate<uint32_t>("clz.b32 %r0, %r1;", 0), 32u);
  EXPECT_EQ(evaluate<uint32_t>("brev.b32 %r0, %r1;", 1), 0x80000000u);
}

TEST(PtxIntegers, LeastAndGreatest) {
  EXPECT_EQ(evaluate<int32_t>("min.s32 %r0, %r1, %r2;", uint32_t(-1), 1), -1);
  EXPECT_EQ(evaluate<uint32_t>("min.u32 %r0, %r1, %r2;", uint32_t(-1), 1), 1u);
  EXPECT_EQ(evaluate<int32_t>("max.relu.s32 %r0, %r1, %r2;", uint32_t(-9),
                              uint32_t(-4)),
            0);
  EXPECT_EQ(evaluate<uint64_t>("max.u64 %d0, %d1, %d2;", ~uint64_t(0), 1),
            ~uint64_t(0));
}

TEST(PtxFloats, RoundingModes) {
  float tiny = std::ldexp(1.0f, -30);
  EXPECT_EQ((evaluateAs<float>("add.rn.f32 %r0, %r1, %r2;", 1.0f, tiny)), 1.0f);
  EXPECT_EQ((evaluateAs<float>("add.rp.f32 %r0, %r1, %r2;", 1.0f, tiny)),
            std::nextafter(1.0f, 2.0f));
  EXPECT_EQ((evaluateAs<float>("add.rm.f32 %r0, %r1, %r2;", 1.0f, -tiny)),
            std::nextafter(1.0f, 0.0f));
  EXPECT_EQ((evaluateAs<float>("add.rz.f32 %r0, %r1, %r2;", -1.0f, -tiny)),
            -1.0f);
  EXPECT_EQ((evaluateAs<float>("fma.rm.f32 %r0, %r1, %r2, %r3;", 3.0f, 0.25f,
                               12582913.0f)),
            12582913.0f);
  EXPECT_EQ((evaluateAs<double>("add.rz.f64 %d0, %d1, %d2;", 1.0,
                                std::ldexp(-1.0, -80))),
            std::nextafter(1.0, 0.0));
}

TEST(PtxFloats, FusedOnce) {
  float a = 1.0f + std::ldexp(1.0f, -23), b = 1.0f - std::ldexp(1.0f, -23);
  EXPECT_EQ((evaluateAs<float>("fma.rn.f32 %r0, %r1, %r2, %r3;", a, b, -1.0f)),
            -std::ldexp(1.0f, -46));
  EXPECT_EQ((evaluateAs<float>("mul.f32 %r0, %r1, %r2;", a, b)), 1.0f);
}

TEST(PtxFloats, NotANumber) {
  // Arithmetic has one NaN; the sign of its operand is lost.
  EXPECT_EQ(evaluate<uint32_t>("add.f32 %r0, %r1, %r2;", 0xffc12345, 0),
            0x7fffffffu);
  EXPECT_EQ(evaluate<uint32_t>("neg.f32 %r0, %r1;", 0x7fc12345), 0xffc12345u);
  EXPECT_EQ((evaluateAs<float>("min.f32 %r0, %r1, %r2;", kNaN, 2.0f)), 2.0f);
  EXPECT_EQ((evaluateAs<uint32_t>("max.NaN.f32 %r0, %r1, %r2;", 2.0f, kNaN)),
            0x7fffffffu);
  EXPECT_EQ((evaluateAs<uint32_t>("max.f32 %r0, %r1, %r2;", -0.0f, 0.0f)), 0u);
  EXPECT_EQ((evaluateAs<uint32_t>("min.f32 %r0, %r1, %r2;", 0.0f, -0.0f)),
            0x80000000u);
}

TEST(PtxFloats, Subnormals) {
  float small = std::ldexp(1.0f, -140);
  EXPECT_EQ((evaluateAs<float>("add.f32 %r0, %r1, %r2;", small, small)),
            2 * small);
  EXPECT_EQ((evaluateAs<float>("add.ftz.f32 %r0, %r1, %r2;", small, small)),
            0.0f);
  EXPECT_EQ((evaluateAs<float>("ex2.approx.f32 %r0, %r1;", -130.0f)),
            std::ldexp(1.0f, -130));
  EXPECT_EQ((evaluateAs<float>("ex2.approx.ftz.f32 %r0, %r1;", -130.0f)), 0.0f);
}

TEST(PtxFloats, Functions) {
  EXPECT_EQ((evaluateAs<float>("copysign.f32 %r0, %r1, %r2;", -1.0f, 3.0f)),
            -3.0f);
  EXPECT_EQ((evaluateAs<float>("div.rn.f32 %r0, %r1, %r2;", 1.0f, 3.0f)),
            1.0f / 3.0f);
  EXPECT_EQ((evaluateAs<float>("rcp.approx.ftz.f32 %r0, %r1;", 4.0f)), 0.25f);
  EXPECT_EQ((evaluateAs<float>("rsqrt.approx.f32 %r0, %r1;", 0.25f)), 2.0f);
  EXPECT_EQ((evaluateAs<float>("lg2.approx.f32 %r0, %r1;", 8.0f)), 3.0f);
  EXPECT_EQ((evaluateAs<float>("sqrt.rn.f32 %r0, %r1;", 2.0f)),
            std::sqrt(2.0f));
  EXPECT_EQ((evaluateAs<float>("ex2.approx.f32 %r0, %r1;", -kInfinity)), 0.0f);
}

TEST(PtxFloats, Sixteen) {
  // 1 + 2^-8 in bf16 is half way to the next: to even.
  EXPECT_EQ(evaluate<uint16_t>("add.bf16 %h0, %h1, %h2;", 0x3f80, 0x3b80),
            0x3f80);
  EXPECT_EQ(
      evaluate<uint32_t>("add.f16x2 %r0, %r1, %r2;", 0x3c003c00, 0x40003c00),
      0x42004000u);
  EXPECT_EQ(evaluate<uint32_t>("neg.bf16x2 %r0, %r1;", 0x3f80bf80),
            0xbf803f80u);
  EXPECT_EQ(evaluate<uint16_t>("fma.rn.bf16 %h0, %h1, %h2, %h3;", 0x4000,
                               0x4040, 0x3f80),
            0x40e0);
}

TEST(PtxFloats, PairsAndTwoTypes) {
  auto pair = [](float high, float low) {
    return bitsOf(high) << 32 | bitsOf(low);
  };
  EXPECT_EQ(evaluate<uint64_t>("fma.rn.f32x2 %d0, %d1, %d2, %d3;", pair(2, 3),
                               pair(5, 7), pair(1, -1)),
            pair(11, 20));
  EXPECT_EQ(
      evaluate<uint64_t>("sub.f32x2 %d0, %d1, %d2;", pair(2, 3), pair(5, -7)),
      pair(-3, 10));
  EXPECT_EQ(
      evaluate<float>("add.rn.f32.bf16 %r0, %h1, %r2;", 0x4040, bitsOf(0.5f)),
      3.5f);
  EXPECT_EQ(
      evaluate<float>("sub.f32.f16 %r0, %h1, %r2;", 0x3c00, bitsOf(0.25f)),
      0.75f);
  EXPECT_EQ(evaluate<float>("fma.rn.f32.f16 %r0, %h1, %h2, %r3;", 0x4000,
                            0x4200, bitsOf(1.0f)),
            7.0f);
}

TEST(PtxConversions, FloatsToIntegers) {
  EXPECT_EQ((evaluateAs<int32_t>("cvt.rni.s32.f32 %r0, %r1;", 2.5f)), 2);
  EXPECT_EQ((evaluateAs<int32_t>("cvt.rzi.s32.f32 %r0, %r1;", -2.7f)), -2);
  EXPECT_EQ((evaluateAs<int32_t>("cvt.rzi.s32.f32 %r0, %r1;", 3e9f)),
            std::numeric_limits<int32_t>::max());
  EXPECT_EQ((evaluateAs<int32_t>("cvt.rzi.s32.f32 %r0, %r1;", -3e9f)),
            std::numeric_limits<int32_t>::min());
  EXPECT_EQ((evaluateAs<int32_t>("cvt.rzi.s32.f32 %r0, %r1;", kNaN)), 0);
  EXPECT_EQ((evaluateAs<uint32_t>("cvt.rzi.u32.f32 %r0, %r1;", -1.0f)), 0u);
  EXPECT_EQ((evaluateAs<float>("cvt.rni.f32.f32 %r0, %r1;", 3.5f)), 4.0f);
}

TEST(PtxConversions, IntegersToFloats) {
  EXPECT_EQ(evaluate<float>("cvt.rn.f32.s32 %r0, %r1;", uint32_t(-3)), -3.0f);
  EXPECT_EQ(evaluate<float>("cvt.rn.f32.u64 %r0, %d1;", ~uint64_t(0)),
            std::ldexp(1.0f, 64));
  EXPECT_EQ(evaluate<float>("cvt.rz.f32.u32 %r0, %r1;", 0xffffffff),
            4294967040.0f);
  EXPECT_EQ(evaluate<double>("cvt.rn.f64.s64 %d0, %d1;", uint64_t(-5)), -5.0);
}

TEST(PtxConversions, Integers) {
  EXPECT_EQ(evaluate<int32_t>("cvt.s32.s8 %r0, %r1;", 0x1ff), -1);
  EXPECT_EQ(evaluate<uint32_t>("cvt.u32.u16 %r0, %h1;", 0xffff), 0xffffu);
  EXPECT_EQ(evaluate<int64_t>("cvt.s64.s32 %d0, %r1;", 0x80000000),
            std::numeric_limits<int32_t>::min());
  EXPECT_EQ(evaluate<uint32_t>("cvt.sat.u8.s32 %r0, %r1;", 300), 255u);
  EXPECT_EQ(evaluate<uint32_t>("cvt.sat.u8.s32 %r0, %r1;", uint32_t(-4)), 0u);
  EXPECT_EQ(evaluate<int32_t>("cvt.sat.s8.s32 %r0, %r1;", uint32_t(-400)),
            -128);
}

TEST(PtxConversions, Floats) {
  EXPECT_EQ((evaluateAs<float>("cvt.sat.f32.f32 %r0, %r1;", kNaN)), 0.0f);
  EXPECT_EQ((evaluateAs<float>("cvt.sat.f32.f32 %r0, %r1;", 1.5f)), 1.0f);
  EXPECT_EQ((evaluateAs<uint16_t>("cvt.rn.f16.f32 %h0, %r1;", 65520.0f)),
            0x7c00);
  EXPECT_EQ((evaluateAs<uint16_t>("cvt.rn.bf16.f32 %h0, %r1;", 1.00390625f)),
            0x3f80);
  // The first operand is the upper half.
  EXPECT_EQ(
      (evaluateAs<uint32_t>("cvt.rn.bf16x2.f32 %r0, %r1, %r2;", 1.0f, 2.0f)),
      0x3f804000u);
  EXPECT_EQ(evaluate<float>("cvt.f32.bf16 %r0, %h1;", 0x4040), 3.0f);
  EXPECT_EQ((evaluateAs<uint16_t>("cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;",
                                  1000.0f, 1.0f)),
            0x7e38);
  EXPECT_EQ(evaluate<uint32_t>("cvt.rn.f16x2.e5m2x2 %r0, %h1;", 0x3c40),
            0x3c004000u);
  // Rounded once: through f32 it would be a tie.
  double odd = 1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40);
  EXPECT_EQ((evaluateAs<uint16_t>("cvt.rn.bf16.f64 %h0, %d1;", odd)), 0x3f81);
}

TEST(PtxSelections, Comparisons) {
  auto holds = [](const std::string &compare, float a, float b) {
    return evaluateAs<uint32_t>("setp." + compare +
                                    ".f32 %p0, %r1, %r2;\n"
                                    "selp.b32 %r0, 1, 0, %p0;",
                                a, b) == 1;
  };
  EXPECT_FALSE(holds("ne", kNaN, 1));
  EXPECT_TRUE(holds("neu", kNaN, 1));
  EXPECT_FALSE(holds("ge", kNaN, 1));
  EXPECT_TRUE(holds("geu", kNaN, 1));
  EXPECT_TRUE(holds("nan", kNaN, 1));
  EXPECT_TRUE(holds("num", 2, 1));
  EXPECT_TRUE(holds("eq", 0.0f, -0.0f));
  EXPECT_EQ(evaluate<uint32_t>("setp.lt.s32 %p0, %r1, %r2;\n"
                               "selp.b32 %r0, 1, 0, %p0;",
                               uint32_t(-1), 0),
            1u);
  EXPECT_EQ(evaluate<uint32_t>("setp.lt.u32 %p0, %r1, %r2;\n"
                               "selp.b32 %r0, 1, 0, %p0;",
                               uint32_t(-1), 0),
            0u);
  EXPECT_EQ(evaluate<uint32_t>("setp.nan.f16 %p0, %h1, %h2;\n"
                               "selp.b32 %r0, 1, 0, %p0;",
                               0x7e00, 0),
            1u);
  EXPECT_EQ(evaluate<uint32_t>("setp.lt.bf16 %p0, %h1, %h2;\n"
                               "selp.b32 %r0, 1, 0, %p0;",
                               0xbf80, 0x8000),
            1u);
  // Both results, with another predicate.
  EXPECT_EQ(evaluate<uint32_t>("setp.eq.s32 %p1, %r1, 7;\n"
                               "setp.lt.and.s32 %p0|%p2, %r1, %r2, !%p1;\n"
                               "selp.b32 %r4, 2, 0, %p0;\n"
                               "selp.b32 %r5, 1, 0, %p2;\n"
                               "or.b32 %r0, %r4, %r5;",
                               3, 9),
            2u);
  EXPECT_EQ(evaluate<uint32_t>("setp.eq.s32 %p1, %r1, 3;\n"
                               "not.pred %p2, %p1;\nxor.pred %p3, %p1, %p2;\n"
                               "@!%p3 mov.b32 %r0, 1;\n@%p3 mov.b32 %r0, 2;",
                               3),
            2u);
}

TEST(PtxSelections, PartsOfRegisters) {
  EXPECT_EQ(evaluate<uint64_t>("mov.b64 {%r4, %r5}, %d1;\n"
                               "mov.b64 %d0, {%r5, %r4};",
                               0x1111111122222222),
            0x2222222211111111u);
  EXPECT_EQ(evaluate<uint32_t>("mov.b32 {%h4, _}, %r1;\n"
                               "mov.b32 %r0, {%h4, %h4};",
                               0x12345678),
            0x56785678u);
}

} // namespace
