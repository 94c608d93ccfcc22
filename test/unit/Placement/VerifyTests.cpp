//===- VerifyTests.cpp - Placements that are refused, and sugar -*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every check of a placement has a case here, with the message that the user
// reads and the way out. Sizes that do not fit in an integer are refused or
// accepted like all others.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace shardir;
using namespace shardir::test;

namespace {

class Verify : public ::testing::Test {
protected:
  void SetUp() override {
    mesh = makeMesh({4, 2, 6});
    mesh.axes[0].name = "tp";
  }

  std::string check(const std::string &text, const Shape &shape,
                    const std::string &type = "f32") {
    return message(verifyPlacement(parse(text), mesh, shape, type));
  }
  static std::string message(const std::optional<PlacementError> &error) {
    if (!error)
      return "ok";
    return error->message + (error->hint.empty() ? "" : " | ") + error->hint;
  }

  Mesh mesh;
};

TEST_F(Verify, Accepts) {
  EXPECT_EQ(check(R"([{"tp"}, {"b", ?}p0], replicated = ["c"])", {5, 0}), "ok");
  EXPECT_EQ(check(R"([{4, "tp"}])", {32}), "ok");
  EXPECT_EQ(check(R"([{"tp", 16}])", {80}), "ok");
  EXPECT_EQ(check(R"([{"tp":(1)2}, {"tp":(2)2}])", {3, 3}), "ok");
  EXPECT_EQ(check(R"([{"tp"}], partial = sum ["b"])", {kUnknown}), "ok");
  EXPECT_EQ(check("[]", {}), "ok");
  EXPECT_EQ(check(R"([{"c":(1)2, "c":(2)3}])", {7}), "ok");
  EXPECT_EQ(check("placements = [shard(0), replicate, partial(max)]", {7}),
            "ok");
}

TEST_F(Verify, Rank) {
  EXPECT_EQ(check("[{}]", {2, 2}),
            "placement has 1 dims but the tensor has rank 2 | write one {} per "
            "dim of the tensor");
}

TEST_F(Verify, Axes) {
  EXPECT_EQ(check(R"([{"dp"}])", {8}),
            "unknown axis \"dp\" in dim 0 | mesh @m has axes \"tp\", \"b\", "
            "\"c\"; did you mean \"tp\"?");
  EXPECT_EQ(check(R"([{}], partial = sum ["dp"])", {8}),
            "unknown axis \"dp\" in partial | mesh @m has axes \"tp\", \"b\", "
            "\"c\"; did you mean \"tp\"?");
  EXPECT_EQ(check(R"([{"z"}])", {8}),
            "unknown axis \"z\" in dim 0 | mesh @m has axes \"tp\", \"b\", "
            "\"c\"");
  EXPECT_EQ(check(R"([{}, {"tp":(1)3}])", {8, 8}),
            "sub-axis \"tp\":(1)3 in dim 1 does not divide axis \"tp\" of size "
            "4 | pre-size x size must divide the size of the axis");
  EXPECT_EQ(check(R"([{"tp":(4611686018427387904)4}])", {8}),
            "sub-axis \"tp\":(4611686018427387904)4 in dim 0 does not divide "
            "axis \"tp\" of size 4 | pre-size x size must divide the size of "
            "the axis");
  EXPECT_EQ(check(R"([{"tp"}, {"tp"}])", {8, 8}),
            "axis \"tp\" is used twice: in dim 0 and in dim 1 | an axis may "
            "appear once in a placement; remove one of the two");
  EXPECT_EQ(check(R"([{"tp"}], partial = sum ["tp"])", {8}),
            "axis \"tp\" is used twice: in dim 0 and in partial | an axis may "
            "appear once in a placement; remove one of the two");
  const char *follow = " | sub-axes of one axis must follow one another: the "
                       "second begins where the first ends, or at a multiple "
                       "of it";
  EXPECT_EQ(check(R"([{"tp"}, {"tp":(1)2}])", {8, 8}),
            std::string("\"tp\" in dim 0 and \"tp\":(1)2 in dim 1 overlap on "
                        "axis \"tp\" of size 4") +
                follow);
  EXPECT_EQ(check(R"([{"c":(1)2, "c":(3)2}])", {12}),
            std::string("\"c\":(1)2 in dim 0 and \"c\":(3)2 in dim 0 overlap "
                        "on axis \"c\" of size 6") +
                follow);
  EXPECT_EQ(check(R"([{"tp"}], replicated = ["tp"])", {8}),
            "axis \"tp\" is used twice: in dim 0 and in replicated | an axis "
            "may appear once in a placement; remove one of the two");
}

TEST_F(Verify, Factors) {
  EXPECT_EQ(check(R"([{4, "tp"}])", {6}),
            "cannot split dim 0 of size 6 by factor 4 (must divide exactly) | "
            "a dim split by axes alone may be uneven: write [{\"tp\"}]");
  EXPECT_EQ(check("[{4}]", {6}),
            "cannot split dim 0 of size 6 by factor 4 (must divide exactly) | "
            "a factor without an axis changes nothing: write [{}]");
  EXPECT_EQ(check(R"([{}, {2, "b", 3}])", {6, 10}),
            "cannot split dim 1 of size 10, of which 5 are left, by factor 3 "
            "(must divide exactly) | a dim split by axes alone may be uneven: "
            "write [{}, {\"b\"}]");
  EXPECT_EQ(check(R"([{"tp", 2, "b"}])", {10}),
            "cannot split dim 0 of size 10 by axis \"tp\" of size 4 (must "
            "divide exactly) | a dim split by axes alone may be uneven: write "
            "[{\"tp\", \"b\"}]");
  // Whoever knows the size at run time checks it.
  EXPECT_EQ(check(R"([{2, "b"}])", {kUnknown}), "ok");
  EXPECT_EQ(check("[{0}]", {6}),
            "cannot split dim 0 by factor 0 (must be 1 or more) | a factor "
            "without an axis changes nothing: write [{}]");
  EXPECT_EQ(check(R"([{-2, "b"}])", {6}),
            "cannot split dim 0 by factor -2 (must be 1 or more) | a dim split "
            "by axes alone may be uneven: write [{\"b\"}]");
  EXPECT_EQ(check(R"([{9223372036854775807, 9223372036854775807, "b"}])",
                  {INT64_MAX}),
            "cannot split dim 0 of size 9223372036854775807, of which 1 are "
            "left, by factor 9223372036854775807 (must divide exactly) | a dim "
            "split by axes alone may be uneven: write [{\"b\"}]");
  EXPECT_EQ(check("[{}p-1]", {6}), "priority p-1 of dim 0 must be 0 or more");
}

TEST_F(Verify, PartialKinds) {
  auto partial = [&](const std::string &kind, const std::string &type) {
    return check("[], partial = " + kind + " [\"b\"]", {}, type);
  };
  for (const char *type : {"f32", "bf16", "f8E4M3FN", "i32", "i1", "index"})
    for (const char *kind : {"sum", "prod", "max", "min"})
      EXPECT_EQ(partial(kind, type), "ok");
  for (const char *kind : {"umax", "umin", "and", "or", "xor"}) {
    EXPECT_EQ(partial(kind, "i8"), "ok");
    EXPECT_EQ(partial(kind, "i1"), "ok");
    EXPECT_EQ(partial(kind, ""), "ok");
    EXPECT_NE(partial(kind, "bf16"), "ok");
  }
  EXPECT_EQ(partial("maxnum", "f64"), "ok");
  EXPECT_EQ(partial("maxnum", "i32"),
            "partial kind 'maxnum' is for floats, not for element type i32 | "
            "write 'max'");
  EXPECT_EQ(partial("umin", "f32"),
            "partial kind 'umin' is for integers and i1, not for element type "
            "f32 | write 'min'");
  EXPECT_EQ(partial("sum", "complex<f32>"), "ok");
  EXPECT_NE(partial("prod", "complex<f32>"), "ok");
  EXPECT_EQ(partial("max", "complex<f32>"),
            "partial kind 'max' is for floats and integers, not for element "
            "type complex<f32>");

  Placement kindAlone = Placement::replicatedOfRank(1);
  kindAlone.partial = PartialKind::Sum;
  EXPECT_EQ(
      message(verifyPlacement(kindAlone, mesh, {4})),
      "partial sum names no axis | name the axes over which it is partial, "
      "or leave it out");
  Placement axesAlone = Placement::replicatedOfRank(1);
  axesAlone.partialAxes = {AxisRef{"b", 1, 0}};
  EXPECT_EQ(message(verifyPlacement(axesAlone, mesh, {4})),
            "partial axes without a kind | write one of sum, prod, max, min, "
            "maxnum, minnum, umax, umin, and, or, xor");
}

TEST_F(Verify, Sugar) {
  auto resolve = [&](const std::string &text, size_t rank) {
    Placement placement = parse(text);
    if (auto error = lowerDTensorSyntax(placement, mesh, rank))
      return message(error);
    return toString(placement);
  };
  EXPECT_EQ(resolve("placements = [shard(0), shard(1), replicate]", 2),
            R"([{"tp"}, {"b"}])");
  EXPECT_EQ(resolve("placements = [shard(-1), replicate, shard(1)]", 2),
            R"([{}, {"tp", "c"}])");
  EXPECT_EQ(resolve("placements = [partial(sum), replicate, partial(sum)]", 0),
            R"([], partial = sum ["tp", "c"])");
  EXPECT_EQ(resolve("placements = [shard(0)]", 1),
            "placements has 1 entries but the mesh has 3 axes | write one "
            "entry per mesh axis; mesh @m has axes \"tp\", \"b\", \"c\"");
  EXPECT_EQ(resolve("placements = [shard(2), replicate, replicate]", 2),
            "shard(2) of axis \"tp\" is out of range for a tensor of rank 2 | "
            "dims are -2 to 1");
  EXPECT_EQ(resolve("placements = [shard(-3), replicate, replicate]", 2),
            "shard(-3) of axis \"tp\" is out of range for a tensor of rank 2 | "
            "dims are -2 to 1");
  EXPECT_EQ(resolve("placements = [replicate, shard(0), replicate]", 0),
            "shard(0) of axis \"b\" is out of range for a tensor of rank 0 | a "
            "tensor of rank 0 has no dim to split: write replicate");
  EXPECT_EQ(resolve("placements = [partial(sum), partial(max), replicate]", 1),
            "partial(max) of axis \"b\" differs from partial(sum) of axis "
            "\"tp\" | a placement has one partial kind: reduce one of the two "
            "first");
  EXPECT_EQ(resolve(R"([{"b"}])", 1), R"([{"b"}])");
}

TEST(Placement, Queries) {
  EXPECT_TRUE(parse("[{4}, {?}]").isReplicated());
  EXPECT_FALSE(parse(R"([{"a"}])").isReplicated());
  EXPECT_FALSE(parse(R"([{}], partial = sum ["a"])").isReplicated());
  EXPECT_TRUE(parse("placements = [replicate]").isReplicated());
  EXPECT_FALSE(parse("placements = [shard(0)]").isReplicated());
  EXPECT_EQ(toString(parse(R"([{"a", ?}p1], replicated = ["b"])").closed()),
            R"([{"a"}])");
  std::vector<AxisRef> axes = parse(R"([{4, "a", 2, "b"}])").axesOf(0);
  ASSERT_EQ(axes.size(), 2u);
  EXPECT_EQ(axes[1].name, "b");
}

} // namespace
