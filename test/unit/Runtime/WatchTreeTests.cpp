//===- WatchTreeTests.cpp - Which watchdogs talk to each other ------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That each rank is asked by one other, that none asks many, and that ranks
// below one which is silent or gone are asked all the same.
//
//===----------------------------------------------------------------------===//

#include "Processes/WatchTree.h"

#include <gtest/gtest.h>
#include <set>

using shardir::runtime::WatchTree;

namespace {

std::set<int> askedBy(WatchTree &tree, const std::set<int> &gone = {}) {
  std::set<int> ranks;
  tree.forEach([&](int r) { return gone.count(r) != 0; },
               [&](int r, WatchTree::Child &) {
                 EXPECT_TRUE(ranks.insert(r).second) << r;
               });
  return ranks;
}

TEST(WatchTree, EachRankHasOneParentAndFewChildren) {
  for (int size : {1, 2, 16, 17, 18, 1000, 16384}) {
    std::vector<int> parents(size_t(size), -1);
    int deepest = 0;
    for (int rank = 0; rank < size; ++rank) {
      WatchTree tree(rank, size, 16);
      std::set<int> below = askedBy(tree);
      EXPECT_LE(below.size(), 16u);
      for (int r : below) {
        EXPECT_EQ(parents[size_t(r)], -1);
        parents[size_t(r)] = rank;
        EXPECT_EQ(tree.parentOf(r), rank);
      }
      deepest = std::max(deepest, tree.depthOf(rank));
    }
    for (int rank = 1; rank < size; ++rank)
      EXPECT_GE(parents[size_t(rank)], 0) << rank;
    EXPECT_LE(deepest, size <= 17 ? 1 : size <= 273 ? 2 : size <= 4369 ? 3 : 4);
  }
}

TEST(WatchTree, WhoIsBelowASilentOrLostRankIsAskedInItsPlace) {
  WatchTree tree(0, 16, 2);
  EXPECT_EQ(askedBy(tree), (std::set<int>{1, 2}));
  tree.child(2).replaced = true;
  EXPECT_EQ(askedBy(tree), (std::set<int>{1, 2, 5, 6}));
  EXPECT_EQ(askedBy(tree, {2, 5}), (std::set<int>{1, 6, 11, 12}));
  tree.child(2).replaced = false;
  EXPECT_EQ(askedBy(tree), (std::set<int>{1, 2}));
}

} // namespace
