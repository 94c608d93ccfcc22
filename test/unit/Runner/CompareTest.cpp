//===- CompareTest.cpp - Comparing results --------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// The tolerance is relative to the largest expected value of the array, NaN and
// infinities match themselves alone, integers match exactly, and the report
// names the worst element. Each property has a case on either side of it.
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"

#include "ShardIR/Runner/ArrayText.h"
#include "ShardIR/Runner/Compare.h"

#include <cmath>

using namespace shardir;
using namespace shardir::runner;

namespace {

Array parsed(const std::string &text) {
  return parseArrayText(splitArrayText(text));
}

Comparison compareText(const std::string &actual, const std::string &expected,
                       std::optional<double> tolerance = std::nullopt) {
  return compare(parsed(actual), parsed(expected), tolerance);
}

TEST(Compare, RelativeToTheLargestExpected) {
  // An error of 0.0009 is 9e-6 of 100, and would be 900 % of 0.0001.
  EXPECT_TRUE(compareText("2xf32=100,0.001", "2xf32=100,0.0001").equal);
  Comparison c =
      compareText("2x2xf32=100,0,0.0021,7", "2x2xf32=100,0,0.0001,7");
  EXPECT_FALSE(c.equal);
  EXPECT_EQ(c.numDifferent, 1u);
  EXPECT_NEAR(c.maxError, 2e-5, 1e-9);
  EXPECT_EQ(c.scale, 100);
  EXPECT_EQ(c.worst, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(c.expected, "1e-04");
  EXPECT_EQ(c.actual, "0.0021");
  EXPECT_TRUE(compareText("f32=1.05", "f32=1", 0.1).equal);
  EXPECT_FALSE(compareText("f32=1.05", "f32=1", 0.0).equal);
}

TEST(Compare, TolerancesByType) {
  EXPECT_TRUE(compareText("bf16=1.015625", "bf16=1").equal);
  EXPECT_FALSE(compareText("bf16=1.03125", "bf16=1").equal);
  EXPECT_TRUE(compareText("f16=1.00390625", "f16=1").equal);
  EXPECT_FALSE(compareText("f16=1.0078125", "f16=1").equal);
  EXPECT_TRUE(compareText("f64=1.0000000000005", "f64=1").equal);
  EXPECT_FALSE(compareText("f64=1.000000000005", "f64=1").equal);
}

TEST(Compare, SpecialValues) {
  EXPECT_TRUE(
      compareText("4xf32=nan,inf,-inf,1", "4xf32=nan,inf,-inf,1").equal);
  EXPECT_FALSE(compareText("2xf32=nan,1", "2xf32=1,1").equal);
  EXPECT_FALSE(compareText("2xf32=1,1", "2xf32=nan,1").equal);
  EXPECT_FALSE(compareText("2xf32=inf,1", "2xf32=-inf,1").equal);
  EXPECT_FALSE(compareText("2xf32=3e38,1", "2xf32=inf,1").equal);
  EXPECT_TRUE(std::isinf(compareText("f32=nan", "f32=1").maxError));
  EXPECT_TRUE(compareText("2xf32=-0.0,0", "2xf32=0,0").equal);
  EXPECT_FALSE(compareText("2xf32=1e-30,0", "2xf32=0,0").equal);
  EXPECT_TRUE(compareText("0xf32=", "0xf32=").equal);
}

TEST(Compare, IntegersExactly) {
  EXPECT_TRUE(compareText("2xi32=1000000,2", "2xi32=1000000,2").equal);
  EXPECT_FALSE(compareText("2xi32=1000000,2", "2xi32=1000000,3", 0.5).equal);
  // Neighbours that are one number as doubles.
  EXPECT_FALSE(
      compareText("i64=9007199254740993", "i64=9007199254740992").equal);
  EXPECT_FALSE(compareText("2xi1=0,1", "2xi1=0,0").equal);
}

TEST(Compare, Describes) {
  Array actual = parsed("2x2xf32=1,2,3,4.5");
  EXPECT_EQ(
      describe(compare(actual, parsed("2x2xf32=1,2,3,4"), std::nullopt), actual,
               "y.npy"),
      "2x2xf32 differs from y.npy (largest error 0.125 relative to 4, "
      "tolerance 1e-05) at [1, 1]: expected 4, found 4.5; 1 of 4 elements "
      "differ");
  EXPECT_EQ(describe(compare(actual, actual, std::nullopt), actual, "y.npy"),
            "2x2xf32 equal to y.npy (largest error 0, tolerance 1e-05)");
  Array ints = parsed("2xi32=0,7");
  EXPECT_EQ(
      describe(compare(ints, parsed("2xi32=0,0"), std::nullopt), ints, "e"),
      "2xi32 differs from e (largest error 7, compared exactly) at [1]: "
      "expected 0, found 7; 1 of 2 elements differ");
}

} // namespace
