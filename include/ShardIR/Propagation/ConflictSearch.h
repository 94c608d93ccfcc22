//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least sum of costs over choices that depend on each other: discrete
// optimisation that knows nothing of tensors.
//
// Each variable takes one of a few values; each term is a table over one to a
// few variables. The least sum is found exactly by eliminating one variable
// after another (bucket elimination, Dechter 1999: dynamic programming over a
// frontier that follows the graph rather than the file), as long as the tables
// on the way stay small. Beyond that some variables are held while all others
// are solved for exactly, in turn, from each of the given starts.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PROPAGATION_CONFLICTSEARCH_H
#define SHARDIR_PROPAGATION_CONFLICTSEARCH_H

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace shardir {

/// Costs are added and compared component by component, the first first.
/// Integers, so that sums do not depend on the order in which they are made.
struct SearchCost {
  std::array<int64_t, 5> parts{};

  static SearchCost infinite() {
    SearchCost cost;
    cost.parts[0] = kInfinite;
    return cost;
  }
  bool isInfinite() const { return parts[0] >= kInfinite; }
  SearchCost &operator+=(const SearchCost &other) {
    for (size_t i = 0; i < parts.size(); ++i)
      parts[i] += other.parts[i];
    if (parts[0] > kInfinite)
      parts[0] = kInfinite;
    return *this;
  }
  // Most comparisons are settled by the first part.
  bool operator<(const SearchCost &other) const {
    return parts[0] != other.parts[0] ? parts[0] < other.parts[0]
                                      : parts < other.parts;
  }
  bool operator==(const SearchCost &other) const {
    return parts[0] == other.parts[0] && parts == other.parts;
  }

  static constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max() / 4;
};

/// A table over variables, row-major, the last variable fastest. Terms of equal
/// cost share one table.
struct SearchTerm {
  std::vector<int> variables; ///< distinct
  std::shared_ptr<const std::vector<SearchCost>> costs;
};

struct SearchProblem {
  std::vector<int> domains; ///< how many values each variable has, at least one
  std::vector<SearchTerm> terms;
  /// A hash that breaks ties between variables where the search is not exact,
  /// so that the answer does not depend on their order. May be null.
  std::function<uint64_t(int)> name;
  /// Equal for variables that are alike, such as those at the same place of
  /// each layer of a stack. May be null.
  std::function<uint64_t(int)> kind;
  /// Decides, by the last part of a cost, where several assignments cost least:
  /// asked for a variable and a value of it. May be null.
  std::function<int64_t(int, int)> tieBreak;
};

struct SearchOptions {
  /// The most entries of a table on the way.
  int64_t tableLimit = 1 << 16;
  /// How often the held variables change, at most, per start.
  int rounds = 8;
  /// Where variables are held, tables are smaller than `tableLimit` if adding
  /// them up took more sums than this in one round.
  int64_t work = 1 << 25, workPerVariable = 1 << 13;
  /// Nothing is held in components of at most `wideVariables` that tables of up
  /// to `wideLimit` entries solve exactly, the ones with the least work first,
  /// while all of these together make at most `wideWork` sums.
  int64_t wideLimit = 1 << 20, wideWork = 1 << 25;
  int wideVariables = 1024;
};

struct SearchStatistics {
  int components = 0; ///< sets of variables that depend on each other
  int solved = 0;     ///< of these, those that equal no earlier one
  int inexact = 0;    ///< of these, those beyond the limit
  int ambiguous = 0;  ///< of these, those with several least assignments
};

/// The least assignment: exact per connected component where the limit allows,
/// else the best of what was found from `starts` (each one value per variable).
/// Never dearer than any start.
std::vector<int> searchLeast(const SearchProblem &problem,
                             const std::vector<std::vector<int>> &starts,
                             const SearchOptions &options = {},
                             SearchStatistics *statistics = nullptr);

/// The cost of one term at an assignment.
const SearchCost &costOf(const SearchTerm &term,
                         const std::vector<int> &domains,
                         const std::vector<int> &assignment);

/// The cost of one assignment.
SearchCost costOf(const SearchProblem &problem,
                  const std::vector<int> &assignment);

} // namespace shardir

#endif // SHARDIR_PROPAGATION_CONFLICTSEARCH_H
