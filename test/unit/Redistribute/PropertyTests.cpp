//===- PropertyTests.cpp - Redistributions drawn at random ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random changes of placement on random meshes, run on real ranks; and plans
// made before sizes were known, run at several sizes. One seed is one case or
// one plan; a failure is printed with its seed, and shrunk to a test to copy.
//
//   ShardIRRedistributeTests --gtest_filter=Property.* --seed=7 --count=10000
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Options.h"
#include "Support.h"

#include <gmock/gmock.h>

using namespace shardir;
using namespace shardir::test;

namespace {

constexpr size_t kMostFailures = 3;

uint64_t countOr(uint64_t usual) {
  if (testOptions().count)
    return testOptions().count;
  return isExhaustive() ? 40 * usual : usual;
}

/// Fails the test with the smallest case that fails.
void report(const Case &c, uint64_t seed) {
  Case small =
      shrink(c, [](const Case &other) { return !runCase(other).empty(); });
  ADD_FAILURE() << "seed " << seed << ": " << describe(c.mesh, c.pair) << ": "
                << runCase(c) << "\nshrunk to: " << runCase(small) << "\n"
                << asTest(small, "Seed" + std::to_string(seed));
}

TEST(Property, AnyPlacementToAnyOther) {
  uint64_t count = countOr(1500);
  std::cout << "seeds " << testOptions().seed << " to "
            << testOptions().seed + count - 1 << "\n";
  size_t failures = 0, partial = 0, strided = 0, cut = 0, uneven = 0;
  for (uint64_t i = 0; i < count && failures < kMostFailures; ++i) {
    uint64_t seed = testOptions().seed + i;
    std::mt19937_64 random(seed);
    Case c = randomCase(random);
    ASSERT_TRUE(isValid(c)) << "seed " << seed << " draws no case";
    if (!runCase(c).empty()) {
      report(c, seed);
      ++failures;
    }
    // Counts kinds of cases, so that a change of the draw is seen.
    const Placement &src = c.pair.src;
    partial += src.partial.has_value();
    for (size_t d = 0; d < src.dims.size(); ++d) {
      for (const Split &split : src.dims[d].splits) {
        strided += !split.isAxis();
        cut += split.isAxis() && !split.axis->isWhole();
      }
      uneven += !uniformLocalExtent(src, c.mesh, c.pair.shape[d], d);
    }
  }
  for (size_t seen : {partial, strided, cut, uneven})
    EXPECT_TRUE(seen > count / 20 || count < 100 || failures);
}

TEST(Property, PlannedBeforeSizesAreKnown) {
  uint64_t count = countOr(700);
  std::cout << "seeds " << testOptions().seed << " to "
            << testOptions().seed + count - 1 << "\n";
  size_t failures = 0, run = 0;
  for (uint64_t i = 0; i < count && failures < kMostFailures; ++i) {
    uint64_t seed = testOptions().seed + i;
    std::mt19937_64 random(seed);
    Case c = randomCase(random);
    for (MeshAxis &axis : c.mesh.axes) {
      c.unknownAxes.push_back(random() % 2 == 0);
      axis.assumed = 2 + static_cast<int64_t>(random() % 7);
    }
    for (size_t d = 0; d < c.pair.shape.size(); ++d)
      c.unknownDims.push_back(random() % 2 == 0);
    // One plan, at the drawn sizes and at others.
    for (int other = 0; other < 4; ++other) {
      Case next = c;
      for (size_t a = 0; other && a < c.mesh.axes.size(); ++a)
        if (c.unknownAxes[a]) {
          next.mesh.axes[a].size = 1 + static_cast<int64_t>(random() % 6);
          next.mesh.devices.clear();
        }
      for (size_t d = 0; other && d < c.pair.shape.size(); ++d)
        if (c.unknownDims[d])
          next.pair.shape[d] = static_cast<int64_t>(random() % 14);
      if (next.mesh.numDevices() > 24 || !isValid(next))
        continue;
      ++run;
      if (!runCase(next).empty()) {
        report(next, seed);
        ++failures;
        break;
      }
    }
  }
  EXPECT_TRUE(run > count / 2 || failures) << run << " cases";
}

//===----------------------------------------------------------------------===//
// Shrinking
//===----------------------------------------------------------------------===//

// As if a strided split of an axis of size 3 or more were wrong.
bool failsOnStride(const Case &c) {
  for (const DimPlacement &dim : c.pair.src.dims)
    for (size_t i = 0; i + 1 < dim.splits.size(); ++i)
      if (!dim.splits[i].isAxis() && dim.splits[i + 1].isAxis() &&
          axisSize(c.mesh, *dim.splits[i + 1].axis) >= 3)
        return true;
  return false;
}

TEST(Property, FailuresAreShrunk) {
  Case c;
  c.mesh = makeMesh({2, 4, 2});
  c.mesh.devices = {3, 1, 2, 0, 4, 5, 6, 7, 15, 14, 13, 12, 8, 9, 10, 11};
  c.pair = {parse(R"([{"a"}, {2, "b", "c"}, {}])"),
            parse(R"([{"c"}, {}, {"a"}], partial = max ["b"])"),
            {5, 24, 7},
            SHARDIR_F32};
  c.unknownAxes = {true, false, false};
  c.unknownDims = {true, false, false};
  ASSERT_TRUE(isValid(c) && failsOnStride(c));
  Case small = shrink(c, failsOnStride);
  EXPECT_EQ(asTest(small, "Stride"), R"X(TEST(Pairs, Stride) {
  Case c;
  c.mesh = makeMesh({3});
  c.pair = makePair(R"([{2, "a"}])", R"([{}])", {2}, SHARDIR_I32);
  EXPECT_EQ(runCase(c), "");
}
)X");
}

TEST(Property, WhatIsPrintedParsesBack) {
  for (uint64_t seed = 1; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    Case c = randomCase(random);
    for (const Placement *p : {&c.pair.src, &c.pair.dst})
      EXPECT_EQ(parse(toString(*p)), *p);
  }
}

} // namespace
