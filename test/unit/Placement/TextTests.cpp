//===- TextTests.cpp - Placements as text -----------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Printed text parses back to the same value, for generated placements with
// everything that the grammar knows; text outside of the grammar is refused
// with a message; and damaged text never does more than that.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <random>

using namespace shardir;
using namespace shardir::test;

namespace {

void expectRoundTrip(const Placement &placement) {
  std::string text = toString(placement), error;
  std::optional<Placement> parsed = parsePlacement(text, error);
  ASSERT_TRUE(parsed) << error;
  ASSERT_EQ(*parsed, placement) << text;
  ASSERT_EQ(hashValue(*parsed), hashValue(placement)) << text;
  ASSERT_EQ(toString(*parsed), text);
}

std::string errorOf(const std::string &text) {
  std::string error;
  return parsePlacement(text, error) ? "none" : error;
}

TEST(Text, RoundTripOfGenerated) {
  Mesh mesh = makeMesh({4, 2});
  std::vector<AxisRef> axes = {AxisRef{"a", 1, 2}, AxisRef{"a", 2, 2},
                               AxisRef{"b", 1, 0}};
  std::mt19937 random(11);
  auto coin = [&] { return random() % 2 == 0; };
  for (size_t rank : {0, 1, 2})
    for (Placement placement :
         allPlacements(mesh, rank, axes, PartialKind::UMin)) {
      expectRoundTrip(placement);
      for (DimPlacement &dim : placement.dims) {
        dim.open = coin();
        if (coin())
          dim.priority = static_cast<int64_t>(random() % 3);
        if (coin())
          dim.splits.insert(dim.splits.begin(), Split::byFactor(4));
      }
      if (coin())
        placement.replicated = {AxisRef{"a", 1, 2}, AxisRef{"c-d", 1, 0}};
      expectRoundTrip(placement);
    }
}

TEST(Text, AsSpelled) {
  for (const char *text :
       {"[]", "[{}]", "[{?}p1, {\"dp\", ?}p0]",
        "[{\"dp\"}, {4, \"tp\", ?}p1], replicated = [\"x\"], partial = sum "
        "[\"pp\"]",
        "[{\"tp\":(1)2}]", "[], partial = xor [\"a\", \"b\":(2)4]",
        "placements = [shard(0), replicate, partial(sum), shard(-1)]",
        "placements = []"})
    EXPECT_EQ(toString(parse(text)), text);
  EXPECT_EQ(toString("m", parse("[{\"dp\"}, {}]")),
            "#shardir.placement<@m, [{\"dp\"}, {}]>");
  EXPECT_EQ(toString(AxisRef{"tp", 1, 2}), "\"tp\":(1)2");
  EXPECT_EQ(toReportString(AxisRef{"tp", 1, 2}), "tp:(1)2");
  EXPECT_EQ(toString(parse(" [ {\"a\" , 4,? } p2 ] , partial=max[ \"b\" ] ")),
            "[{\"a\", 4, ?}p2], partial = max [\"b\"]");
  for (const char *kind : {"sum", "prod", "max", "min", "maxnum", "minnum",
                           "umax", "umin", "and", "or", "xor"}) {
    ASSERT_TRUE(parsePartialKind(kind));
    EXPECT_STREQ(stringifyPartialKind(*parsePartialKind(kind)), kind);
  }
  EXPECT_FALSE(parsePartialKind("mean"));
}

TEST(Text, Errors) {
  EXPECT_EQ(errorOf("[{\"dp\"}"), "expected ']' at column 8 of '[{\"dp\"}'");
  EXPECT_EQ(errorOf("[{\"dp\", }]"),
            "expected an integer at column 9 of '[{\"dp\", }]'");
  EXPECT_EQ(errorOf("[{?, \"dp\"}]"),
            "expected '}' at column 4 of '[{?, \"dp\"}]'");
  EXPECT_EQ(errorOf("[{}], partial = mean [\"x\"]"),
            "unknown partial kind 'mean' at column 17 of '[{}], partial = mean "
            "[\"x\"]'");
  EXPECT_EQ(errorOf("[{}], partial = sum []"),
            "expected an axis at column 23 of '[{}], partial = sum []'");
  EXPECT_EQ(errorOf("[{99999999999999999999}]"),
            "integer does not fit in 64 bits at column 3 of "
            "'[{99999999999999999999}]'");
  EXPECT_EQ(errorOf("[{\"2x\"}]"),
            "axis name '2x' does not match [A-Za-z_][A-Za-z0-9_-]* at column 7 "
            "of '[{\"2x\"}]'");
  EXPECT_EQ(errorOf("[{\"x\":(0)2}]"),
            "sub-axis of \"x\" needs sizes above 0 at column 11 of "
            "'[{\"x\":(0)2}]'");
  EXPECT_EQ(errorOf("[{}] x"),
            "expected the end of the placement at column 6 of '[{}] x'");
  EXPECT_EQ(errorOf("[{}], foo = 1"),
            "expected 'replicated' or 'partial' at column 7 of '[{}], foo = "
            "1'");
  EXPECT_EQ(errorOf("placements = [split(0)]"),
            "expected 'shard(dim)', 'replicate' or 'partial(kind)' at column "
            "15 of 'placements = [split(0)]'");
  EXPECT_EQ(errorOf(""), "expected '[' at column 1 of ''");
}

TEST(Text, DamagedTextIsRefusedOrStable) {
  const std::string seed =
      "[{\"dp\":(1)2, 4, ?}p1, {}], replicated = [\"x\"], partial = sum "
      "[\"pp\"]";
  const std::string letters = "[]{}()\",:?=p0129-adx \t";
  std::mt19937 random(5);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = seed.substr(0, 1 + random() % seed.size());
    if (random() % 2)
      text = seed;
    for (unsigned edits = 1 + random() % 3; edits-- > 0;) {
      size_t at = random() % text.size();
      char letter = letters[random() % letters.size()];
      switch (random() % 3) {
      case 0:
        text[at] = letter;
        break;
      case 1:
        text.insert(at, 1, letter);
        break;
      default:
        text.erase(at, 1);
      }
      if (text.empty())
        text = "[";
    }
    std::string error;
    if (std::optional<Placement> placement = parsePlacement(text, error)) {
      ++accepted;
      expectRoundTrip(*placement);
    } else {
      ASSERT_FALSE(error.empty()) << text;
    }
  }
  EXPECT_GT(accepted, 100);
}

} // namespace
