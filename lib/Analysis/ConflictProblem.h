//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conflicts of a program as a search problem: a variable for each node with
// several candidates, terms for the work of nodes and for the redistributions
// of values, by the closed form of the cost model.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_ANALYSIS_CONFLICTPROBLEM_H
#define SHARDIR_LIB_ANALYSIS_CONFLICTPROBLEM_H

#include "Candidates.h"

#include "ShardIR/Placement/RedistributePlan.h"

#include "llvm/ADT/DenseSet.h"

namespace shardir {

/// What changes of placement and work cost; computed once per shape.
class PriceTable {
public:
  PriceTable(PropagationSpace &space, const PropagationCost &cost)
      : space(space), cost(cost) {}

  /// One execution of the change of a value from `from` to `to`.
  SearchCost change(int value, PlacementId from, PlacementId to);
  /// Takes the planner's bytes for those of the closed form, where these may
  /// differ: under CostMode::Bytes, where not everything divides. Returns
  /// whether the price was another one.
  bool settle(int value, PlacementId from, PlacementId to);
  /// The most bytes that a device holds of a value as node n has it.
  int64_t localBytes(int n, int value, PlacementId placement);
  /// One execution of bringing a value that lies as `from` to a node that reads
  /// it through a window: blocks with their halos (D6).
  SearchCost read(int n, const Port &port, const Candidate &candidate,
                  PlacementId from);
  /// Whether a reduction where everything lies makes `to` of `from`, on the
  /// mesh of node n.
  bool owesOnly(int n, PlacementId from, PlacementId to);
  /// One execution of a node's own work.
  SearchCost work(int n, const Candidate &candidate);

  /// Where the bytes stand among the parts of a cost.
  int bytesPart() const { return cost.mode == CostMode::Bytes ? 0 : 1; }

private:
  int64_t bytesOf(const RedistributePlan &plan, const Mesh &mesh,
                  const PropagationGraph::Value &value) const;
  std::optional<int64_t>
  bytesOfMove(const Placement &from, const Placement &to, const Mesh &mesh,
              const PropagationGraph::Value &value) const;

  PropagationSpace &space;
  const PropagationCost &cost;
  NumbersMap<SearchCost> reads;
  llvm::DenseSet<std::pair<int64_t, int64_t>> settled;
  llvm::DenseMap<std::pair<int64_t, int64_t>, SearchCost> changes;
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> local;
};

class ConflictProblem {
public:
  /// `lists[n]` is null for nodes that do not decide for themselves. Of equal
  /// costs those win that are as in `preferred`, which may be empty.
  ConflictProblem(PropagationSpace &space, PriceTable &prices,
                  std::vector<const CandidateList *> lists,
                  const std::vector<NodeSplits> &preferred);

  /// Chooses a candidate for each node that has a list: what the search found,
  /// where it is asked for, then the answers that it started from.
  std::vector<std::vector<int>> solve(const Arrivals &arrivals,
                                      const std::vector<NodeSplits> &shardy,
                                      const PropagationCost &cost,
                                      SearchStatistics &statistics);

  /// Settles the prices of all changes that `chosen` may make; returns whether
  /// one was wrong. Then total() is what the planner says, and what has been
  /// put into tables may not be.
  bool settle(const std::vector<int> &chosen);

  /// What all nodes and values cost: the sum whose least the search finds, and
  /// what no choice changes.
  SearchCost total(const std::vector<int> &chosen, PriceTable &work);

  /// What node n and the values around it cost if it takes `candidate` and all
  /// others what `chosen` says.
  SearchCost around(int n, int candidate, const std::vector<int> &chosen);

  /// Takes what costs less by total() where the search was not exact, or not
  /// all that it went by was.
  void improve(std::vector<int> &chosen, bool isExact);

private:
  /// More users than this are not looked at for each of them.
  static constexpr size_t kManyUsers = 64;
  /// More values than this are not improved one by one, and not more often.
  static constexpr size_t kMostImproved = 256;
  static constexpr int kImproveRounds = 4;

  struct User {
    End end;
    double weight; ///< how often a redistribution for it runs
  };
  /// What the work of nodes and the values around them cost, but for one value.
  SearchCost costAround(llvm::ArrayRef<int> nodes,
                        llvm::function_ref<int(int)> choice, int without);
  int bestCandidate(int n, llvm::function_ref<int(int)> trial, const End *end,
                    PlacementId wanted);
  void sortByName(llvm::SmallVectorImpl<End> &ends);
  bool moveValue(int value, llvm::ArrayRef<End> readers, PlacementId wanted,
                 bool moveProducer, std::vector<int> &chosen);
  /// Who reads what a constraint makes of a value. What is made for them is
  /// the value as well, and others may start from it.
  struct Beyond {
    End end;
    int constraint; ///< the first one on the way, a user of the value
  };
  /// What is made of a value in one placement.
  struct Made {
    PlacementId to;
    double weight;
  };
  /// What is there once `after` is made, or from the beginning if that is -1.
  struct Given {
    PlacementId to;
    int after;
  };
  std::vector<User> usersOf(int value) const;
  std::vector<Beyond> beyondOf(const std::vector<User> &users) const;
  llvm::SmallVector<End, 8> readersOf(int value) const;
  /// What the changes of one value cost.
  SearchCost valueCost(int value, const std::vector<User> &users,
                       const std::vector<Beyond> &beyond,
                       llvm::function_ref<int(int)> choice);
  SearchCost valueCost(int value, llvm::function_ref<int(int)> choice) {
    std::vector<User> users = usersOf(value);
    return valueCost(value, users, beyondOf(users), choice);
  }
  /// The changes of a value that lies as `has` to all that is made of it.
  SearchCost madeCost(int value, PlacementId has, llvm::ArrayRef<Made> made,
                      llvm::ArrayRef<Given> given);
  PlacementId shown(const End &end, int candidate) const;
  void addNode(int n, const std::vector<NodeSplits> &preferred);
  void addValue(int value);
  void addWideValue(int value, const std::vector<User> &users,
                    const std::vector<int> &nodes);
  void addCopiedValue(int value, const std::vector<User> &users,
                      const std::vector<PlacementId> &wanted, double weight);
  void addTable(std::vector<int> variables, std::vector<SearchCost> costs,
                const std::vector<int64_t> &key);
  std::vector<int> greedy(const Arrivals &arrivals);
  std::vector<int> complete(std::vector<int> assignment);

  PropagationSpace &space;
  PriceTable &prices;
  std::vector<const CandidateList *> lists;
  std::vector<int> variableOf; ///< per node, or -1
  std::vector<int> nodeOf;     ///< per variable, or -1 for those of values
  std::vector<uint64_t> names; ///< per variable, of what is near
  /// Of the variables of values.
  llvm::DenseMap<int, int> producerOf;
  std::vector<int> roughValues; ///< whose users were priced one by one
  SearchProblem problem;
  std::vector<std::vector<int>> termsOf; ///< per variable
  NumbersMap<std::shared_ptr<const std::vector<SearchCost>>> tables;
};

/// `cost` as often as `weight` says.
SearchCost scaled(const SearchCost &cost, double weight);

} // namespace shardir

#endif // SHARDIR_LIB_ANALYSIS_CONFLICTPROBLEM_H
