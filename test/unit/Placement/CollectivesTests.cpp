//===- CollectivesTests.cpp - Pieces, bytes and groups of one step *- C++ *- C++
//*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The byte formulas of docs/Report.md on chosen steps, and the exact pieces of
// a few: maximal runs, the order of terms, who holds what of a step that
// reduces and makes a partial at once. That pieces are right for every pair of
// placements is RedistributePlanTests.cpp's business.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace shardir;
using namespace shardir::test;

namespace {

std::string piecesText(const CollectiveStep &step, const Mesh &mesh,
                       const Shape &shape, int64_t receiver) {
  std::string text;
  for (const Piece &piece : receivePieces(step, mesh, shape, receiver)) {
    text += (text.empty() ? "" : "; ") + std::to_string(piece.source) + ":";
    for (const std::vector<Piece::Run> &dim : piece.runs) {
      text += " [";
      for (size_t i = 0; i < dim.size(); ++i)
        text += (i ? " " : "") + std::to_string(dim[i].source) + ">" +
                std::to_string(dim[i].destination) + "x" +
                std::to_string(dim[i].length);
      text += "]";
    }
  }
  return text;
}

std::vector<int64_t> bytes(const CollectiveStep &step, const Mesh &mesh,
                           const Shape &shape) {
  std::vector<int64_t> result;
  for (int64_t p = 0; p < mesh.numDevices(); ++p)
    result.push_back(bytesReceived(step, mesh, shape, 4, p));
  return result;
}

using Bytes = std::vector<int64_t>;

TEST(Collectives, Names) {
  for (const char *name :
       {"slice", "make_partial", "all_gather", "all_reduce", "reduce_scatter",
        "all_to_all", "permute", "exchange", "halo_exchange"}) {
    ASSERT_TRUE(parseCollectiveKind(name));
    EXPECT_STREQ(stringifyCollectiveKind(*parseCollectiveKind(name)), name);
  }
  EXPECT_FALSE(parseCollectiveKind("broadcast"));
}

TEST(Collectives, Bytes) {
  Mesh mesh = makeMesh({4});
  // Uneven: shards of 3, 3, 3 and 1 rows.
  EXPECT_EQ(
      bytes(step(CollectiveKind::AllGather, R"([{"a"}])", "[{}]"), mesh, {10}),
      (Bytes{28, 28, 28, 36}));
  // 2 (n-1) ceil(10 / 4) elements.
  EXPECT_EQ(bytes(step(CollectiveKind::AllReduce,
                       R"([{}], partial = sum ["a"])", "[{}]"),
                  mesh, {10}),
            (Bytes{72, 72, 72, 72}));
  EXPECT_EQ(bytes(step(CollectiveKind::ReduceScatter,
                       R"([{}], partial = sum ["a"])", R"([{"a"}])"),
                  mesh, {10}),
            (Bytes{36, 36, 36, 12}));
  EXPECT_EQ(
      bytes(step(CollectiveKind::AllToAll, R"([{"a"}, {}])", R"([{}, {"a"}])"),
            mesh, {4, 4}),
      (Bytes{12, 12, 12, 12}));
  Mesh square = makeMesh({2, 2});
  // The diagonal keeps its block.
  EXPECT_EQ(bytes(step(CollectiveKind::Permute, R"([{"a"}, {"b"}])",
                       R"([{"b"}, {"a"}])"),
                  square, {4, 4}),
            (Bytes{0, 16, 16, 0}));
  EXPECT_EQ(
      bytes(step(CollectiveKind::Slice, "[{}]", R"([{"a"}])"), square, {4}),
      (Bytes{0, 0, 0, 0}));
  EXPECT_EQ(bytes(step(CollectiveKind::MakePartial, "[{}]",
                       R"([{}], partial = sum ["a"])"),
                  square, {4}),
            (Bytes{0, 0, 0, 0}));
}

TEST(Collectives, Groups) {
  Mesh mesh = makeMesh({2, 4, 2});
  auto group = [&](CollectiveKind kind, const std::string &from,
                   const std::string &to, const Shape &shape) {
    std::string text;
    for (const AxisRef &axis : groupAxes(step(kind, from, to), mesh, shape))
      text += (text.empty() ? "" : " ") + toReportString(axis);
    return text;
  };
  EXPECT_EQ(
      group(CollectiveKind::AllGather, R"([{"a", "b"}])", R"([{"a"}])", {16}),
      "b");
  EXPECT_EQ(
      group(CollectiveKind::AllGather, R"([{"b"}])", R"([{"b":(1)2}])", {16}),
      "b:(2)2");
  EXPECT_EQ(group(CollectiveKind::ReduceScatter,
                  R"([{4, "a"}], partial = sum ["b"])", R"([{"b", "a"}])",
                  {16}),
            "b");
  EXPECT_EQ(group(CollectiveKind::AllToAll, R"([{"a", "b"}, {"c"}])",
                  R"([{"a"}, {"c", "b"}])", {16, 16}),
            "b");
  EXPECT_EQ(group(CollectiveKind::Permute, R"([{"a", "c"}])", R"([{"c", "a"}])",
                  {16}),
            "a c");
  // Where blocks above an axis move too, they are in the group.
  EXPECT_EQ(
      group(CollectiveKind::Exchange, R"([{"a"}])", R"([{"a", 4}])", {20}),
      "a");
}

TEST(Collectives, RunsAreMaximal) {
  Mesh mesh = makeMesh({2});
  // Rows 0..2 and 3..4 become rows 0..4: one run each, one after the other.
  EXPECT_EQ(piecesText(step(CollectiveKind::AllGather, R"([{"a"}])", "[{}]"),
                       mesh, {5}, 1),
            "0: [0>0x3]; 1: [0>3x2]");
  // A strided shard is gathered in its blocks.
  EXPECT_EQ(piecesText(step(CollectiveKind::AllGather, R"([{2, "a"}])", "[{}]"),
                       mesh, {8}, 0),
            "0: [0>0x2 2>4x2]; 1: [0>2x2 2>6x2]");
  // Digits that are undivided on both sides make no runs of their own.
  EXPECT_EQ(piecesText(step(CollectiveKind::Slice, "[{}]", R"([{"a"}])"), mesh,
                       {8}, 1),
            "1: [4>0x4]");
  EXPECT_EQ(
      piecesText(step(CollectiveKind::Exchange, R"([{2, "a"}])", R"([{"a"}])"),
                 mesh, {8}, 1),
      "0: [2>0x2]; 1: [2>2x2]");
  // An empty shard needs nothing.
  EXPECT_EQ(piecesText(step(CollectiveKind::Slice, "[{}]", R"([{"a"}])"), mesh,
                       {1}, 1),
            "");
  // Rank 0: one element, no runs.
  Piece piece =
      receivePieces(step(CollectiveKind::Exchange, "[]", "[]"), mesh, {}, 1)[0];
  EXPECT_EQ(piece.source, 1);
  EXPECT_EQ(piece.elements(), 1);
}

TEST(Collectives, TermsInOrder) {
  Mesh mesh = makeMesh({2, 3});
  EXPECT_EQ(piecesText(step(CollectiveKind::ReduceScatter,
                            R"([{}], partial = sum ["b"])", R"([{"b"}])"),
                       mesh, {6}, 4),
            "3: [2>0x2]; 4: [2>0x2]; 5: [2>0x2]");
  EXPECT_EQ(piecesText(step(CollectiveKind::AllReduce,
                            R"([{}], partial = sum ["a", "b"])",
                            R"([{}], partial = sum ["a"])"),
                       mesh, {6}, 1),
            "0: [0>0x6]; 1: [0>0x6]; 2: [0>0x6]");
}

TEST(Collectives, MadePartials) {
  Mesh mesh = makeMesh({2, 2});
  CollectiveStep make = step(CollectiveKind::MakePartial, R"([{"b"}])",
                             R"([{"b"}], partial = sum ["a"])");
  EXPECT_EQ(piecesText(make, mesh, {4}, 1), "1: [0>0x2]");
  EXPECT_EQ(piecesText(make, mesh, {4}, 3), "");
  // Reduced over b and made over a in one step.
  CollectiveStep both =
      step(CollectiveKind::Exchange, R"([{}], partial = sum ["b"])",
           R"([{}], partial = sum ["a"])");
  EXPECT_EQ(piecesText(both, mesh, {4}, 1), "0: [0>0x4]; 1: [0>0x4]");
  EXPECT_EQ(piecesText(both, mesh, {4}, 2), "");
  // Another kind over the same axis is reduced before it is made.
  CollectiveStep kinds =
      step(CollectiveKind::Exchange, R"([{}], partial = sum ["b"])",
           R"([{}], partial = max ["b"])");
  EXPECT_EQ(piecesText(kinds, mesh, {4}, 0), "0: [0>0x4]; 1: [0>0x4]");
  EXPECT_EQ(piecesText(kinds, mesh, {4}, 1), "");
  // Made over an axis that splits: the first device gathers.
  CollectiveStep gathered = step(CollectiveKind::Exchange, R"([{"a"}])",
                                 R"([{}], partial = sum ["a"])");
  EXPECT_EQ(piecesText(gathered, mesh, {4}, 1), "1: [0>0x2]; 3: [0>2x2]");
  EXPECT_EQ(piecesText(gathered, mesh, {4}, 3), "");
}

// Of several holders the receiver itself, else the one that differs least.
TEST(Collectives, Holders) {
  Mesh mesh = makeMesh({2, 2});
  CollectiveStep rename =
      step(CollectiveKind::Permute, R"([{"a"}])", R"([{"b"}])");
  EXPECT_EQ(piecesText(rename, mesh, {4}, 0), "0: [0>0x2]");
  EXPECT_EQ(piecesText(rename, mesh, {4}, 1), "3: [0>0x2]");
  EXPECT_EQ(piecesText(rename, mesh, {4}, 2), "0: [0>0x2]");
  EXPECT_EQ(piecesText(rename, mesh, {4}, 3), "3: [0>0x2]");
}

TEST(Collectives, CostIsInBlocksNotInElements) {
  Mesh mesh = makeMesh({64, 8});
  Shape shape = {int64_t{1} << 40, int64_t{1} << 21};
  CollectiveStep move =
      step(CollectiveKind::Exchange, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])");
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    int64_t elements = 0;
    for (const Piece &piece : receivePieces(move, mesh, shape, p)) {
      elements += piece.elements();
      for (const std::vector<Piece::Run> &dim : piece.runs)
        EXPECT_EQ(dim.size(), 1u);
    }
    EXPECT_EQ(elements, (int64_t{1} << 61) / 512);
  }
}

} // namespace
