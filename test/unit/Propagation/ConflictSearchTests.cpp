//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least assignment against trying all of them, on random problems; the
// search with held variables against the same; equal components; long chains;
// stacks whose layers share values.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Propagation/ConflictSearch.h"

#include "gtest/gtest.h"

#include <random>

using namespace shardir;

namespace {

SearchCost costOfParts(int64_t first, int64_t second = 0) {
  SearchCost cost;
  cost.parts[0] = first;
  cost.parts[1] = second;
  return cost;
}

/// Random terms over one to three variables, some of them infinite.
SearchProblem randomProblem(std::mt19937 &random, int variables, int terms) {
  SearchProblem problem;
  for (int v = 0; v < variables; ++v)
    problem.domains.push_back(1 + random() % 4);
  for (int t = 0; t < terms; ++t) {
    SearchTerm term;
    for (int i = 0, arity = 1 + random() % 3; i < arity; ++i) {
      int v = random() % variables;
      if (std::find(term.variables.begin(), term.variables.end(), v) ==
          term.variables.end())
        term.variables.push_back(v);
    }
    size_t size = 1;
    for (int v : term.variables)
      size *= problem.domains[v];
    auto costs = std::make_shared<std::vector<SearchCost>>();
    for (size_t i = 0; i < size; ++i)
      costs->push_back(i && random() % 20 == 0
                           ? SearchCost::infinite()
                           : costOfParts(random() % 10, random() % 1000));
    term.costs = std::move(costs);
    problem.terms.push_back(std::move(term));
  }
  return problem;
}

SearchCost bruteForce(const SearchProblem &problem) {
  std::vector<int> assignment(problem.domains.size(), 0);
  SearchCost least = costOf(problem, assignment);
  while (true) {
    size_t v = 0;
    while (v < assignment.size() && ++assignment[v] == problem.domains[v])
      assignment[v++] = 0;
    if (v == assignment.size())
      return least;
    least = std::min(least, costOf(problem, assignment));
  }
}

TEST(ConflictSearch, EqualsTryingAll) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    SearchProblem problem = randomProblem(random, 2 + i % 7, 1 + i % 14);
    std::vector<int> found = searchLeast(problem, {});
    ASSERT_EQ(costOf(problem, found), bruteForce(problem)) << "problem " << i;
  }
}

TEST(ConflictSearch, HeldVariablesAreNeverDearerThanAStart) {
  std::mt19937 random(2);
  int equal = 0;
  for (int i = 0; i < 200; ++i) {
    SearchProblem problem = randomProblem(random, 8, 16);
    SearchOptions options;
    options.tableLimit = 4; // most components are then beyond the limit
    options.wideLimit = 0;
    std::vector<std::vector<int>> starts(2);
    for (std::vector<int> &start : starts)
      for (int domain : problem.domains)
        start.push_back(random() % domain);
    SearchStatistics statistics;
    SearchCost found =
        costOf(problem, searchLeast(problem, starts, options, &statistics));
    for (const std::vector<int> &start : starts)
      EXPECT_FALSE(costOf(problem, start) < found);
    equal += found == bruteForce(problem);
  }
  // A search, not a proof; it is right most of the time.
  EXPECT_GE(equal, 150);
}

TEST(ConflictSearch, WideTablesAreExactWhileTheyTakeLittleWork) {
  std::mt19937 random(6);
  int exact = 0, held = 0;
  for (int i = 0; i < 100; ++i) {
    SearchProblem problem = randomProblem(random, 8, 16);
    std::vector<std::vector<int>> starts(1);
    for (int domain : problem.domains)
      starts.front().push_back(random() % domain);
    SearchOptions options;
    options.tableLimit = 4;
    options.rounds = 1;
    SearchStatistics statistics;
    searchLeast(problem, starts, options, &statistics);
    EXPECT_EQ(statistics.inexact, 0);
    exact += statistics.solved;
    EXPECT_EQ(costOf(problem, searchLeast(problem, starts, options)),
              bruteForce(problem))
        << "problem " << i;
    // The work allowed to all of them together is not enough for any.
    options.wideWork = 1;
    statistics = {};
    searchLeast(problem, starts, options, &statistics);
    held += statistics.inexact;
    options.wideWork = int64_t(1) << 25;
    options.wideVariables = 1;
    SearchStatistics small;
    searchLeast(problem, starts, options, &small);
    EXPECT_EQ(small.inexact, statistics.inexact);
  }
  EXPECT_GE(exact, 100);
  EXPECT_GE(held, 75);
}

TEST(ConflictSearch, EqualComponentsAreSolvedOnce) {
  auto table = std::make_shared<std::vector<SearchCost>>();
  for (int i = 0; i < 9; ++i)
    table->push_back(costOfParts((i * 7 + 3) % 9));
  SearchProblem problem;
  for (int layer = 0; layer < 48; ++layer) {
    int first = problem.domains.size();
    problem.domains.insert(problem.domains.end(), 3, 3);
    problem.terms.push_back({{first, first + 1}, table});
    problem.terms.push_back({{first + 1, first + 2}, table});
  }
  SearchStatistics statistics;
  std::vector<int> found = searchLeast(problem, {}, {}, &statistics);
  EXPECT_EQ(statistics.components, 48);
  EXPECT_EQ(statistics.solved, 1);
  EXPECT_EQ(statistics.inexact, 0);
  for (size_t v = 3; v < found.size(); ++v)
    EXPECT_EQ(found[v], found[v % 3]);
}

TEST(ConflictSearch, TiesAreBrokenByWhatTheProblemSays) {
  // Two variables that want to differ, and do not care which is which.
  SearchProblem problem;
  problem.domains = {2, 2};
  problem.terms.push_back(
      {{0, 1},
       std::make_shared<std::vector<SearchCost>>(std::vector<SearchCost>{
           costOfParts(1), SearchCost(), SearchCost(), costOfParts(1)})});
  for (int first : {0, 1}) {
    problem.tieBreak = [&](int variable, int value) {
      return variable == 0 && value != first;
    };
    SearchStatistics statistics;
    std::vector<int> found = searchLeast(problem, {}, {}, &statistics);
    EXPECT_EQ(found, (std::vector<int>{first, 1 - first}));
    EXPECT_EQ(statistics.ambiguous, 1);
  }
}

TEST(ConflictSearch, LongChainsAreExact) {
  std::mt19937 random(3);
  SearchProblem problem;
  problem.domains.assign(20000, 3);
  for (size_t v = 0; v + 1 < problem.domains.size(); ++v) {
    auto costs = std::make_shared<std::vector<SearchCost>>();
    for (int i = 0; i < 9; ++i)
      costs->push_back(costOfParts(random() % 100));
    problem.terms.push_back({{int(v), int(v + 1)}, costs});
  }
  // Dynamic programming along the chain, written out.
  std::vector<int64_t> best(3, 0);
  for (const SearchTerm &term : problem.terms) {
    std::vector<int64_t> next(3, INT64_MAX);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        next[b] =
            std::min(next[b], best[a] + (*term.costs)[a * 3 + b].parts[0]);
    best = next;
  }
  EXPECT_EQ(costOf(problem, searchLeast(problem, {})).parts[0],
            *std::min_element(best.begin(), best.end()));
}

/// A stack of layers of two variables, the first of which depends on the layer
/// before and the second on values that all layers share. Each table is 0 where
/// it agrees with `planted`.
SearchProblem stackWithHubs(std::mt19937 &random, int layers, int hubs,
                            std::vector<int> &planted) {
  SearchProblem problem;
  constexpr int kDomain = 3, kHubDomain = 8;
  problem.domains.assign(hubs, kHubDomain);
  problem.domains.resize(hubs + 2 * layers, kDomain);
  planted.resize(problem.domains.size());
  for (size_t v = 0; v < planted.size(); ++v)
    planted[v] = v < size_t(hubs) ? random() % kHubDomain : v % 2;
  auto join = [&](int a, int b) {
    auto costs = std::make_shared<std::vector<SearchCost>>();
    for (int i = 0; i < problem.domains[a]; ++i)
      for (int j = 0; j < problem.domains[b]; ++j)
        costs->push_back(costOfParts((i != planted[a]) + (j != planted[b]) +
                                     (i != planted[a]) * 5));
    problem.terms.push_back({{a, b}, std::move(costs)});
  };
  for (int layer = 0; layer < layers; ++layer) {
    int first = hubs + 2 * layer;
    join(first, first + 1);
    if (layer)
      join(first - 2, first);
    for (int hub = 0; hub < hubs; ++hub)
      join(first + 1, hub);
  }
  return problem;
}

TEST(ConflictSearch, LayersThatShareValuesAreSolvedBeyondTheLimit) {
  std::mt19937 random(4);
  std::vector<int> planted;
  SearchProblem problem = stackWithHubs(random, 500, 12, planted);
  std::vector<int> start;
  for (int domain : problem.domains)
    start.push_back(random() % domain);
  SearchStatistics statistics;
  std::vector<int> found = searchLeast(problem, {start}, {}, &statistics);
  EXPECT_EQ(statistics.components, 1);
  EXPECT_EQ(statistics.inexact, 1);
  EXPECT_EQ(costOf(problem, found), SearchCost());
  EXPECT_EQ(found, planted);
}

TEST(ConflictSearch, LayersThatAreAlikeAgree) {
  // Within a layer all variables want one value, and so do neighbours of two
  // layers: no few of them can leave what one layer starts with.
  constexpr int kLayers = 4, kWidth = 6;
  auto differ =
      std::make_shared<const std::vector<SearchCost>>(std::vector<SearchCost>{
          costOfParts(0), costOfParts(1), costOfParts(1), costOfParts(0)});
  SearchProblem problem;
  problem.domains.assign(kLayers * kWidth, 2);
  for (int v = 0; v < kLayers * kWidth; ++v) {
    for (int w = v + 1; w < (v / kWidth + 1) * kWidth; ++w)
      problem.terms.push_back({{v, w}, differ});
    if (v + kWidth < kLayers * kWidth)
      problem.terms.push_back({{v, v + kWidth}, differ});
  }
  std::vector<int> start(problem.domains.size(), 0);
  std::fill_n(start.begin() + kWidth, kWidth, 1);
  SearchOptions options;
  options.tableLimit = 4;
  options.wideLimit = 0;
  EXPECT_EQ(costOf(problem, searchLeast(problem, {start}, options)),
            costOfParts(2 * kWidth));
  problem.kind = [](int v) { return uint64_t(v % kWidth); };
  EXPECT_EQ(costOf(problem, searchLeast(problem, {start}, options)),
            costOfParts(0));
}

TEST(ConflictSearch, HeldVariablesDoNotDependOnTheOrderOfVariables) {
  std::mt19937 random(5);
  for (int i = 0; i < 50; ++i) {
    SearchProblem problem = randomProblem(random, 12, 24);
    SearchOptions options;
    options.tableLimit = 4;
    options.wideLimit = 0;
    int count = problem.domains.size();
    std::vector<int> start;
    for (int domain : problem.domains)
      start.push_back(random() % domain);
    problem.name = [](int v) { return uint64_t(v) * 7919 % 101; };
    // Variable v has become variable place[v], and terms come in another
    // order.
    std::vector<int> place(count);
    for (int v = 0; v < count; ++v)
      place[v] = v;
    std::shuffle(place.begin(), place.end(), random);
    SearchProblem other;
    other.domains.resize(count);
    std::vector<int> otherStart(count), of(count);
    for (int v = 0; v < count; ++v) {
      other.domains[place[v]] = problem.domains[v];
      otherStart[place[v]] = start[v];
      of[place[v]] = v;
    }
    other.terms = problem.terms;
    for (SearchTerm &term : other.terms)
      for (int &v : term.variables)
        v = place[v];
    std::shuffle(other.terms.begin(), other.terms.end(), random);
    other.name = [&](int v) { return problem.name(of[v]); };
    EXPECT_EQ(costOf(problem, searchLeast(problem, {start}, options)),
              costOf(other, searchLeast(other, {otherStart}, options)));
  }
}

} // namespace
