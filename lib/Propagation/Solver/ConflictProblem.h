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
// of values.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_SOLVER_CONFLICTPROBLEM_H
#define SHARDIR_LIB_PROPAGATION_SOLVER_CONFLICTPROBLEM_H

#include "Cost/CostTables.h"

namespace shardir {

class ConflictProblem {
public:
  /// `lists[n]` is null for nodes that do not decide for themselves.
  ConflictProblem(PropagationSpace &space, CostTables &costs,
                  std::vector<const CandidateList *> lists)
      : space(space), costs(costs), lists(std::move(lists)) {}

  /// Makes variables and terms, which the solvers need. Among equal costs,
  /// candidates as in `preferred` win, which may be empty.
  void build(const std::vector<NodeSplits> &preferred);

  // The solvers. Each chooses a candidate for each node that has a list.

  /// Nodes nearest to annotations first, each by what is chosen so far.
  std::vector<int> solveGreedy(const ReachableShardings &reachable);
  /// The candidates that agree with one state of splits per node.
  std::vector<int> takeSplits(const std::vector<NodeSplits> &splits);
  /// The least cost, searched from `start` where it cannot be found exactly;
  /// never more than `start` costs.
  std::vector<int> solveLeast(const std::vector<int> &start,
                              const SearchOptions &options,
                              SearchStatistics &statistics);

  /// The cost of all nodes and values, also of those that no choice changes.
  SearchCost total(const std::vector<int> &chosen);

  /// The cost of the values around node n if it takes `candidate` and all other
  /// nodes take what `chosen` says.
  SearchCost localCost(int n, int candidate, const std::vector<int> &chosen);

  /// By rank, the bytes that it receives by the plans of `model`; on one mesh
  /// of more than kMaxPlannedDevices, those of each device of a sample.
  std::vector<int64_t> received(const std::vector<int> &chosen,
                                const MachineCostModel &model);

private:
  /// Values with more users than this are not summed over all of them for each.
  static constexpr size_t kManyUsers = 64;

  struct User {
    End end;
    double weight; ///< executions of a redistribution for it
  };
  /// A placement that some users of a value want.
  struct Target {
    PlacementId to;
    double weight;
  };
  struct Redistribution {
    PlacementId from, to;
    double weight;
  };
  std::vector<User> usersOf(int value) const;
  PlacementId placementAt(const End &end, int candidate) const;
  /// The cost of all redistributions of one value; appends them to `steps`
  /// unless that is null.
  SearchCost valueCost(int value, llvm::ArrayRef<User> users,
                       llvm::function_ref<int(int)> choice,
                       llvm::SmallVectorImpl<Redistribution> *steps = nullptr);
  SearchCost treeCost(int value, PlacementId has,
                      llvm::ArrayRef<Target> targets,
                      llvm::SmallVectorImpl<Redistribution> *steps = nullptr);
  void addNode(int n, const std::vector<NodeSplits> &preferred);
  void addValue(int value);
  void addUsers(int value, std::vector<User> users);
  std::vector<SearchCost> costsOfUsers(int value, llvm::ArrayRef<User> users,
                                       llvm::ArrayRef<int> nodes);
  void addWideValue(int value, const std::vector<User> &users);
  void addCopiedValue(int value, const std::vector<User> &users,
                      const std::vector<PlacementId> &wanted, double weight);
  /// `fill` makes the table, unless one of this key is there.
  void addTable(std::vector<int> variables, const std::vector<int64_t> &key,
                llvm::function_ref<void(std::vector<SearchCost> &)> fill);
  std::vector<int> complete(std::vector<int> assignment);
  std::vector<int> toAssignment(const std::vector<int> &chosen);
  std::vector<int> toChoices(const std::vector<int> &assignment) const;

  PropagationSpace &space;
  CostTables &costs;
  std::vector<const CandidateList *> lists;
  std::vector<int> variableOf; ///< per node, or -1
  std::vector<int> nodeOf;     ///< per variable, or -1 for those of values
  std::vector<uint64_t> names; ///< per variable, of its surroundings
  /// Of the variables of values.
  llvm::DenseMap<int, int> producerOf;
  SearchProblem problem;
  std::vector<std::vector<int>> termsOf; ///< per variable
  NumbersMap<std::shared_ptr<const std::vector<SearchCost>>> tables;
};

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_SOLVER_CONFLICTPROBLEM_H
