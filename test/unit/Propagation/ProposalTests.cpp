//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search for placements on graphs made by hand. On programs of three
// arguments and one axis it finds the best of all placements by axes on dims
// (27, each propagated); elsewhere it is a beam and claims no such thing. What
// is annotated stays, the limit holds, and the order of nodes does not matter.
//
//===----------------------------------------------------------------------===//

#include "../Placement/Support.h"
#include "Graphs.h"

#include "ShardIR/Propagation/Proposal.h"

#include <cmath>
#include <limits>

using namespace shardir;
using namespace shardir::test;

namespace {

/// x (b, d) times w1 (d, f), exp, times w2 (f, d). The first three nodes are
/// the arguments.
/// With `constraint`, what exp takes is constrained so.
GraphMaker mlp(const Mesh &mesh, int64_t b, int64_t d, int64_t f,
               const std::string &placementOfX = "",
               const std::string &constraint = "") {
  GraphMaker maker(mesh);
  int x = maker.argument({b, d}, placementOfX);
  int w1 = maker.argument({d, f});
  int w2 = maker.argument({f, d});
  ShardingRule fresh;
  fresh.isRematerializable = true;
  fresh.results.resize(1);
  auto zero = [&](int64_t m, int64_t n) {
    ShardingRule rule = fresh;
    for (int64_t extent : {m, n})
      rule.results[0].dims.push_back({rule.addFactor(extent)});
    return maker.op("fill", rule, {}, {{m, n}});
  };
  int h =
      maker.op("matmul", matmulRule(b, f, d), {x, w1, zero(b, f)}, {{b, f}});
  if (!constraint.empty())
    h = maker.constraint(h, constraint);
  int a = maker.op("exp", elementwiseRule({b, f}, 1), {h}, {{b, f}});
  int y =
      maker.op("matmul", matmulRule(b, d, f), {a, w2, zero(b, d)}, {{b, d}});
  maker.result(y);
  return maker;
}

/// True if `best` is no worse than any placement of the three arguments that
/// fits: it is as fast as the fastest within the tolerance, with the fewest
/// bytes of those that are, and the least time and memory of those with as
/// many.
void expectBestOfAll(PropagationGraph graph, const std::string &axis,
                     const ProposalOptions &options,
                     const ProposalCandidate &best) {
  struct Cost {
    double seconds, bytes, peak;
  };
  auto weighted = [&](double seconds, double peak) {
    return seconds * std::pow(peak, options.memoryWorth);
  };
  std::vector<Cost> all;
  double least = std::numeric_limits<double>::infinity();
  for (int code = 0; code < 27; ++code) {
    int rest = code;
    for (int n = 0; n < 3; ++n, rest /= 3) {
      PropagationGraph::Node &node = graph.nodes[n];
      node.annotated.assign(2, {});
      node.closed.assign(2, true);
      node.priority.assign(2, PropagationGraph::kLastPriority);
      if (rest % 3)
        node.annotated[rest % 3 - 1] = {Split::byAxis(axis)};
    }
    PropagationResult result = propagate(graph, options.cost);
    double peak = predictPeak(graph, result);
    if (options.cost.memoryLimit > 0 && peak > options.cost.memoryLimit)
      continue;
    all.push_back({result.seconds, double(result.bytes), peak});
    least = std::min(least, result.seconds);
  }
  double bound = least * (1 + options.timeTolerance);
  EXPECT_LE(best.seconds, bound * (1 + 1e-9));
  for (const Cost &other : all)
    if (other.seconds <= bound * (1 - 1e-9)) {
      EXPECT_LE(best.bytes, other.bytes);
      if (best.bytes == other.bytes)
        EXPECT_LE(weighted(best.seconds, best.peakBytes),
                  weighted(other.seconds, other.peak) * (1 + 1e-9));
    }
}

std::vector<std::string> textOf(const ProposalCandidate &candidate) {
  std::vector<std::string> text;
  for (const Placement &placement : candidate.arguments)
    text.push_back(toString(placement));
  return text;
}

TEST(Proposal, BestOfAllOnSmallPrograms) {
  int64_t sizes[][3] = {{8, 512, 2048},  {4096, 512, 2048}, {512, 512, 512},
                        {64, 1024, 256}, {8, 16, 32},       {1, 700, 2001}};
  for (auto &[b, d, f] : sizes)
    for (int64_t devices : {2, 4}) {
      ProposalOptions options;
      GraphMaker maker = mlp(makeMesh({devices}), b, d, f);
      Proposal proposal = propose(maker.graph, {0, 1, 2}, options);
      const ProposalCandidate &best = proposal.candidates.front();
      SCOPED_TRACE(::testing::Message()
                   << b << " " << d << " " << f << " on " << devices);
      expectBestOfAll(maker.graph, "a", options, best);
    }
}

TEST(Proposal, BestOfAllWithinALimit) {
  // Of 8.6 MB that the whole program needs, 4.4 MB are allowed.
  ProposalOptions options;
  options.cost.memoryLimit = 4.4e6;
  GraphMaker maker = mlp(makeMesh({2}), 8, 512, 2048);
  Proposal proposal = propose(maker.graph, {0, 1, 2}, options);
  const ProposalCandidate &best = proposal.candidates.front();
  EXPECT_TRUE(best.fits);
  EXPECT_LE(best.peakBytes, 4.4e6);
  expectBestOfAll(maker.graph, "a", options, best);
}

TEST(Proposal, BestOfAllWithAConstraint) {
  int64_t sizes[][3] = {{8, 512, 2048}, {4096, 512, 2048}, {512, 512, 512}};
  for (auto &[b, d, f] : sizes)
    for (const char *constraint :
         {"[{\"a\"}, {}]", "[{}, {\"a\"}]", "[{}, {}]", "[{?}, {\"a\", ?}]"})
      for (bool isLimited : {false, true}) {
        ProposalOptions options;
        if (isLimited)
          options.cost.memoryLimit = 4.0 * (b * d + 2 * d * f + b * f);
        GraphMaker maker = mlp(makeMesh({2}), b, d, f, "", constraint);
        Proposal proposal = propose(maker.graph, {0, 1, 2}, options);
        const ProposalCandidate &best = proposal.candidates.front();
        SCOPED_TRACE(::testing::Message()
                     << b << " " << d << " " << f << " " << constraint);
        expectBestOfAll(maker.graph, "a", options, best);
        // It holds in what is chosen.
        std::optional<Placement> held;
        for (auto [n, node] : llvm::enumerate(maker.graph.nodes))
          if (node.isConstraint)
            held = proposal.result.nodes[n].sharding->results[0];
        ASSERT_TRUE(held);
        Placement asked = parse(constraint);
        for (size_t dim = 0; dim < 2; ++dim)
          if (!asked.dims[dim].open || !asked.dims[dim].splits.empty())
            EXPECT_EQ(held->dims[dim].splits, asked.dims[dim].splits)
                << constraint;
      }
}

TEST(Proposal, BytesDoNotRepeatCompute) {
  // Weights of 8 MB and 8 rows: without splits nothing is received, and every
  // device computes everything.
  ProposalOptions options;
  options.cost.mode = CostMode::Bytes;
  GraphMaker maker = mlp(makeMesh({4}), 8, 1024, 4096, "[{}, {}]");
  Proposal proposal = propose(maker.graph, {0, 1, 2}, options);
  const ProposalCandidate &best = proposal.candidates.front();
  EXPECT_FALSE(best.arguments[1].isReplicated());
  options.cost.mode = CostMode::Time;
  Proposal byTime = propose(maker.graph, {0, 1, 2}, options);
  EXPECT_LE(best.bytes, byTime.candidates.front().bytes);
}

TEST(Proposal, NothingFits) {
  ProposalOptions options;
  options.cost.memoryLimit = 1e6;
  GraphMaker maker = mlp(makeMesh({2}), 8, 512, 2048);
  Proposal proposal = propose(maker.graph, {0, 1, 2}, options);
  const ProposalCandidate &best = proposal.candidates.front();
  EXPECT_FALSE(best.fits);
  // The one that needs least, and where.
  for (const ProposalCandidate &other : proposal.candidates)
    EXPECT_LE(best.peakBytes, other.peakBytes * (1 + 1e-9));
  EXPECT_GE(best.peakNode, 0);
}

TEST(Proposal, ColumnsThenRows) {
  // The result as the argument of its shape: as it is, whole.
  GraphMaker maker = mlp(makeMesh({4}), 8, 1024, 4096, "[{}, {}]");
  for (PropagationGraph::Node &node : maker.graph.nodes)
    if (node.results.empty())
      node.alias = 0;
  Proposal proposal = propose(maker.graph, {0, 1, 2}, {});
  EXPECT_EQ(
      textOf(proposal.candidates.front()),
      (std::vector<std::string>{"[{}, {}]", "[{}, {\"a\"}]", "[{\"a\"}, {}]"}));
}

TEST(Proposal, BatchOverOneAxisWeightsOverTheOther) {
  ProposalOptions options;
  GraphMaker maker = mlp(makeMesh({2, 2}), 1024, 1024, 4096);
  double whole = 2.0 * 1024 * 4096 * 4;
  // Half of the weights on each device, and some room for the rest.
  options.cost.memoryLimit = whole / 2 + 24e6;
  Proposal proposal = propose(maker.graph, {0, 1, 2}, options);
  const ProposalCandidate &best = proposal.candidates.front();
  EXPECT_TRUE(best.fits);
  EXPECT_FALSE(best.arguments[0].axesOf(0).empty());
  EXPECT_FALSE(best.arguments[1].isReplicated() &&
               best.arguments[2].isReplicated());
}

TEST(Proposal, AnnotationsAreKept) {
  GraphMaker maker = mlp(makeMesh({2}), 4096, 512, 2048, "[{}, {\"a\"}]");
  Proposal proposal = propose(maker.graph, {0, 1, 2}, {});
  for (const ProposalCandidate &candidate : proposal.candidates)
    EXPECT_EQ(toString(candidate.arguments[0]), "[{}, {\"a\"}]");
}

TEST(Proposal, OrderOfNodesDoesNotMatter) {
  GraphMaker maker = mlp(makeMesh({2, 2}), 256, 512, 2048);
  Proposal first = propose(maker.graph, {0, 1, 2}, {});
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::vector<int> where;
    PropagationGraph other = permuted(maker.graph, seed, where);
    Proposal next = propose(other, {where[0], where[1], where[2]}, {});
    EXPECT_EQ(textOf(first.candidates.front()),
              textOf(next.candidates.front()));
    EXPECT_EQ(first.candidates.front().bytes, next.candidates.front().bytes);
    EXPECT_EQ(first.attempts, next.attempts);
  }
}

TEST(Proposal, LayersArePlacedTogether) {
  GraphMaker maker(makeMesh({2}));
  std::vector<int> arguments;
  int x = maker.argument({64, 512});
  arguments.push_back(maker.producer(x));
  int zero = maker.argument({64, 512});
  for (int layer = 0; layer < 8; ++layer) {
    int w = maker.argument({512, 512});
    arguments.push_back(maker.producer(w));
    x = maker.op("matmul", matmulRule(64, 512, 512), {x, w, zero}, {{64, 512}});
    x = maker.op("exp", elementwiseRule({64, 512}, 1), {x}, {{64, 512}});
  }
  maker.result(x);
  std::vector<std::vector<int>> groups = similarNodes(maker.graph, arguments);
  // The input, the first weight, the last one, and those in between.
  size_t largest = 0, sum = 0;
  for (const std::vector<int> &group : groups) {
    largest = std::max(largest, group.size());
    sum += group.size();
  }
  EXPECT_EQ(sum, arguments.size());
  EXPECT_GE(largest, 6u);
  EXPECT_LE(groups.size(), 4u);
}

} // namespace
