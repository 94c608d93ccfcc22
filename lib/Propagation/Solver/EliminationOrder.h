//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In which order the variables of a search problem are eliminated, and which
// are held where no order keeps all tables small. Looks at who shares a term
// with whom, never at costs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_SOLVER_ELIMINATIONORDER_H
#define SHARDIR_LIB_PROPAGATION_SOLVER_ELIMINATIONORDER_H

#include "ShardIR/Propagation/ConflictSearch.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace shardir {

/// Each variable is in one of the two.
struct EliminationPlan {
  std::vector<int> sequence;
  std::vector<int> held; ///< empty: eliminating in sequence is exact
  /// How many sums eliminating makes: entries of all tables, times the values
  /// of the variable that goes.
  int64_t work = 0;
};

/// Which variables share a term. Built once, planned with as often as wanted.
class EliminationGraph {
public:
  EliminationGraph(llvm::ArrayRef<int> domains,
                   llvm::ArrayRef<SearchTerm> terms);

  /// Decides between variables that are equal otherwise, one each; until
  /// it is said, their numbers.
  void setNames(llvm::ArrayRef<uint64_t> names);

  /// Always the variable with the least table next. Where the least is larger
  /// than `limit`, the variable that most of those left depend on is held, of
  /// those that `heldBefore` counts least. Takes time linear in the terms and
  /// in the tables' arities squared, but for a logarithm.
  EliminationPlan plan(int64_t limit, llvm::ArrayRef<int> heldBefore) const;

private:
  std::vector<int> domains;
  std::vector<int> ranks; ///< by name
  std::vector<llvm::SmallVector<int, 6>> neighbours;

  friend class EliminationPlanner;
};

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_SOLVER_ELIMINATIONORDER_H
