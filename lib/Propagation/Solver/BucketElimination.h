//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic programming along an elimination order (bucket elimination, Dechter
// 1999): a variable's tables are added up, and for each choice of the other
// variables in them its best value is kept. Variables whose tables equal those
// of an earlier one, as in the layers of a stack, take what was found for it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_SOLVER_BUCKETELIMINATION_H
#define SHARDIR_LIB_PROPAGATION_SOLVER_BUCKETELIMINATION_H

#include "EliminationOrder.h"

#include "llvm/ADT/DenseMap.h"

namespace shardir {

class BucketElimination {
public:
  /// Both must outlive this.
  BucketElimination(llvm::ArrayRef<int> domains,
                    llvm::ArrayRef<SearchTerm> terms)
      : domains(domains), terms(terms) {}

  /// Gives each variable of the plan's sequence its value in a least assignment
  /// among those that leave the held ones as they are. Returns whether others
  /// cost as little.
  bool solve(const EliminationPlan &plan, std::vector<int> &assignment);

private:
  using Table = std::vector<SearchCost>;
  using Firsts = std::vector<int64_t>;
  using Flags = std::vector<uint8_t>;
  struct Tables;

  /// The first parts of costs, one behind the other.
  static std::shared_ptr<const Firsts> firstsOf(const Table &costs);

  llvm::ArrayRef<int> domains;
  llvm::ArrayRef<SearchTerm> terms;
  llvm::DenseMap<const Table *, std::shared_ptr<const Firsts>> termFirsts;
};

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_SOLVER_BUCKETELIMINATION_H
