//===- ArrayTest.cpp - Element types, sizes and text ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Conversions are checked over all bit patterns of the small float formats,
// sizes at the edges of 64 bits, and text both ways: what is printed reads back
// as the same bits. Requires nothing but the library.
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"

#include "ShardIR/Runner/ArrayText.h"
#include "ShardIR/Runner/Random.h"

#include <cmath>
#include <set>

using namespace shardir;
using namespace shardir::runner;

namespace {

Array parse(const std::string &text) {
  return parseArrayText(splitArrayText(text));
}

std::string print(const Array &array, size_t limit = 0) {
  std::string text;
  printArray(array, limit, [&](const std::string &piece) { text += piece; });
  return text;
}

TEST(ElementTypes, SmallFloatsRoundTripThroughDouble) {
  for (ElementType type :
       {SHARDIR_F16, SHARDIR_BF16, SHARDIR_F8E4M3FN, SHARDIR_F8E5M2})
    for (uint32_t bits = 0; bits != (elementSize(type) == 1 ? 256u : 65536u);
         ++bits) {
      auto in = uint16_t(bits);
      uint16_t out = 0;
      double value = loadFloat(type, &in);
      storeFloat(type, value, &out);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(loadFloat(type, &out)));
      else
        ASSERT_EQ(in, out) << elementName(type) << " " << bits;
    }
}

TEST(ElementTypes, SmallFloatsRoundToNearestEven) {
  auto bits = [](ElementType type, double value) {
    uint16_t out = 0;
    storeFloat(type, value, &out);
    return out;
  };
  EXPECT_EQ(bits(SHARDIR_F16, 1.0), 0x3c00);
  EXPECT_EQ(bits(SHARDIR_F16, 65504), 0x7bff);
  EXPECT_EQ(bits(SHARDIR_F16, 65519), 0x7bff);
  EXPECT_EQ(bits(SHARDIR_F16, 65520), 0x7c00);
  EXPECT_EQ(bits(SHARDIR_F16, 1e300), 0x7c00);
  EXPECT_EQ(bits(SHARDIR_F16, std::ldexp(1, -24)), 0x0001);
  EXPECT_EQ(bits(SHARDIR_F16, std::ldexp(1, -25)), 0x0000);
  EXPECT_EQ(bits(SHARDIR_F16, std::ldexp(3, -25)), 0x0002);
  EXPECT_EQ(bits(SHARDIR_F16, -0.0), 0x8000);
  EXPECT_EQ(bits(SHARDIR_BF16, 1.0), 0x3f80);
  EXPECT_EQ(bits(SHARDIR_BF16, 1.00390625), 0x3f80); // a tie, to even
  EXPECT_EQ(bits(SHARDIR_BF16, 1.01171875), 0x3f82); // a tie, to even
  EXPECT_EQ(bits(SHARDIR_F8E4M3FN, 448), 0x7e);
  EXPECT_EQ(bits(SHARDIR_F8E4M3FN, 500), 0x7f);
  EXPECT_EQ(bits(SHARDIR_F8E5M2, 57344), 0x7b);
  EXPECT_EQ(bits(SHARDIR_F8E5M2, 70000), 0x7c);
}

TEST(Sizes, OverflowIsSeen) {
  EXPECT_EQ(countElements({2, 3}), 6u);
  EXPECT_EQ(countElements({}), 1u);
  EXPECT_EQ(countElements({INT64_MAX, INT64_MAX, 0}), 0u);
  EXPECT_EQ(countElements({1LL << 32, 1LL << 31}), std::nullopt);
  EXPECT_EQ(countElements({-1, 4}), std::nullopt);
  EXPECT_EQ(countElements({-1, 0}), std::nullopt);
  EXPECT_EQ(countBytes({1LL << 61}, 8), std::nullopt);
  EXPECT_CONTAINS(usageError([] { Array a(SHARDIR_F32, {1LL << 60}); }),
                  "cannot hold an array of 4611686018427387904 bytes");
  EXPECT_CONTAINS(usageError([] { Array a(SHARDIR_F32, {1LL << 62}); }),
                  "is too large");
}

TEST(Text, ReadsValues) {
  EXPECT_EQ(valuesOf<float>(parse("2x2xf32=1,2,3,4")),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(valuesOf<float>(parse("2x2xf32=[1 2][3 -4e0]")),
            (std::vector<float>{1, 2, 3, -4}));
  EXPECT_EQ(valuesOf<float>(parse("2x2xf32=0.5")),
            (std::vector<float>{.5, .5, .5, .5}));
  EXPECT_EQ(valuesOf<float>(parse("2xf32")), (std::vector<float>{0, 0}));
  EXPECT_EQ(valuesOf<int32_t>(parse("i32=-7")), (std::vector<int32_t>{-7}));
  EXPECT_EQ(valuesOf<uint8_t>(parse("4xi1=1,0,true,false")),
            (std::vector<uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(valuesOf<uint8_t>(parse("2xui8=255,0x10")),
            (std::vector<uint8_t>{255, 16}));
  EXPECT_EQ(valuesOf<int64_t>(parse("2xi64=-9223372036854775808,"
                                    "18446744073709551615")),
            (std::vector<int64_t>{INT64_MIN, -1}));
  EXPECT_EQ(valuesOf<uint16_t>(parse("3xbf16=1,inf,-inf")),
            (std::vector<uint16_t>{0x3f80, 0x7f80, 0xff80}));
  EXPECT_TRUE(std::isnan(valuesOf<float>(parse("f32=nan"))[0]));
  EXPECT_EQ(parse("0x4xf32=").numElements(), 0u);
  EXPECT_EQ(parse("0x4xf32").shape, (Shape{0, 4}));
}

TEST(Text, RejectsSlips) {
  auto error = [](const std::string &text) {
    return usageError([&] { parse(text); });
  };
  EXPECT_EQ(error("2x2xf32=1,2,3"),
            "2x2xf32 has 4 elements, 3 values are given");
  EXPECT_EQ(error("2xf32="), "2xf32 has 2 elements, 0 values are given");
  EXPECT_EQ(error("0xf32=1"), "0xf32 has 0 elements, 1 values are given");
  EXPECT_EQ(error("f32=1x"), "'1x' is no value of type f32");
  EXPECT_EQ(error("i8=256"), "'256' is no value of type i8");
  EXPECT_EQ(error("i8=-129"), "'-129' is no value of type i8");
  EXPECT_EQ(error("i1=2"), "'2' is no value of type i1");
  EXPECT_EQ(error("i1=-1"), "'-1' is no value of type i1");
  EXPECT_EQ(error("i32=1.5"), "'1.5' is no value of type i32");
  EXPECT_EQ(error("i64=18446744073709551616"),
            "'18446744073709551616' is no value of type i64");
  EXPECT_EQ(error("f16=70000"), "'70000' is no value of type f16");
  EXPECT_EQ(error("f32=1e39"), "'1e39' is no value of type f32");
  EXPECT_CONTAINS(error("2x2=1"), "cannot read the type '2x2'");
  EXPECT_CONTAINS(error("2x-3xf32=1"), "cannot read the type '2x-3xf32'");
  EXPECT_CONTAINS(error("99999999999999999999xf32=1"), "cannot read the type");
  EXPECT_CONTAINS(error("2x2xf33=1"), "unknown element type 'f33'");
  EXPECT_CONTAINS(error(""), "cannot read the type ''");
  EXPECT_CONTAINS(error("x.npy"), "cannot read the type 'x.npy'");
  EXPECT_CONTAINS(error("4294967296x4294967296xf32=0"), "too large");
  EXPECT_CONTAINS(error("1000000000000000xf32=0"), "cannot hold an array");
  EXPECT_CONTAINS(error("1000000000000000xf32=0,1"), "2 values are given");
}

TEST(Text, PrintsAsIree) {
  EXPECT_EQ(print(parse("2x2xf32=1,2.5,-3,1e10")), "2x2xf32=[1 2.5][-3 1e+10]");
  EXPECT_EQ(print(parse("2x1x2xi32=1,2,3,4")), "2x1x2xi32=[[1 2]][[3 4]]");
  EXPECT_EQ(print(parse("f32=3")), "f32=3");
  EXPECT_EQ(print(parse("0x2xf32=")), "0x2xf32=");
  EXPECT_EQ(print(parse("3xbf16=0.1,nan,-inf")), "3xbf16=0.1 nan -inf");
  EXPECT_EQ(print(parse("4xi8=1,2,3,4"), 2), "4xi8=1 2 ...");
}

TEST(Text, PrintedValuesReadBack) {
  for (ElementType type : {SHARDIR_F16, SHARDIR_BF16, SHARDIR_F8E4M3FN,
                           SHARDIR_F8E5M2, SHARDIR_F32, SHARDIR_F64, SHARDIR_I8,
                           SHARDIR_I64, SHARDIR_I1, SHARDIR_INDEX}) {
    Array array = randomArray(type, {5, 7, 11}, 3, 1);
    Array again = parse(print(array));
    EXPECT_EQ(valuesOf<uint8_t>(array), valuesOf<uint8_t>(again))
        << elementName(type);
  }
  for (uint32_t bits = 0; bits != 65536; ++bits) {
    auto element = uint16_t(bits);
    std::string text = formatElement(SHARDIR_F16, &element);
    if (text != "nan")
      ASSERT_EQ(valuesOf<uint16_t>(parse("f16=" + text))[0], element) << text;
  }
}

TEST(Random, DependsOnSeedArgumentAndPlaceAlone) {
  Array a = randomArray(SHARDIR_F32, {6, 4}, 0, 0);
  // The same element numbers in a longer array hold the same values.
  std::vector<float> longer =
      valuesOf<float>(randomArray(SHARDIR_F32, {99}, 0, 0));
  longer.resize(24);
  EXPECT_EQ(valuesOf<float>(a), longer);
  EXPECT_NE(valuesOf<float>(a),
            valuesOf<float>(randomArray(SHARDIR_F32, {6, 4}, 1, 0)));
  EXPECT_NE(valuesOf<float>(a),
            valuesOf<float>(randomArray(SHARDIR_F32, {6, 4}, 0, 1)));
}

TEST(Random, RangesAndSpread) {
  double sum = 0, least = 9, most = -9;
  for (float v : valuesOf<float>(randomArray(SHARDIR_F32, {10000}, 7, 2))) {
    sum += v;
    least = std::min(least, double(v));
    most = std::max(most, double(v));
  }
  EXPECT_NEAR(sum / 10000, 0, 0.03);
  EXPECT_GE(least, -1);
  EXPECT_LT(least, -.99);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, .99);
  std::vector<int64_t> ints =
      valuesOf<int64_t>(randomArray(SHARDIR_I64, {999}, 0, 0));
  EXPECT_EQ(std::set<int64_t>(ints.begin(), ints.end()),
            (std::set<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  std::vector<uint8_t> bools =
      valuesOf<uint8_t>(randomArray(SHARDIR_I1, {99}, 0, 0));
  EXPECT_EQ(std::set<uint8_t>(bools.begin(), bools.end()),
            (std::set<uint8_t>{0, 1}));
}

} // namespace
