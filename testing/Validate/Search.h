//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search for placements that need no communication, on one mesh of one
// axis; see Completeness.h. ByDependences.cpp looks at shards, ByTerms.cpp at
// terms.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_VALIDATE_SEARCH_H
#define SHARDIR_TESTING_VALIDATE_SEARCH_H

#include "Validate/RuleCases.h"

#include <map>

namespace shardir::validate {

/// How one tensor lies; nothing for a scalar.
using State = std::optional<Placement>;

class Search {
public:
  Search(const Subject &subject, Interpreter &interpreter, const Mesh &mesh,
         uint64_t seed)
      : subject(subject), interpreter(interpreter), mesh(mesh), data(seed) {}

  /// Everything that is right and not a consequence of holding all operands
  /// whole, by its text.
  std::map<std::string, OpPlacements> run();
  /// Whether some placement that the rule allows gives this one.
  bool isCovered(const OpPlacements &tuple);
  bool covers(const OpPlacements &from, const OpPlacements &to) const;

private:
  std::vector<State> shardsOf(mlir::Type type) const;
  /// The op's arguments and results on whole tensors, for one set of data.
  struct Trial {
    bool runs = false;
    llvm::SmallVector<RuntimeValue> arguments, results;
  };
  const Trial &trial(int number);
  int64_t numTrials() const;

  using Found = std::map<std::string, OpPlacements>;
  /// False where dependences say too little.
  bool addByDependences(Found &to);
  void addByTerms();
  void addReductions();
  bool runsOnTerms(const OpPlacements &tuple, PartialKind kind,
                   mlir::func::FuncOp function);

  bool isWhole(const State &state) const {
    return !state || state->isReplicated();
  }

  const Subject &subject;
  Interpreter &interpreter;
  const Mesh &mesh;
  TestData data;
  std::vector<std::optional<Trial>> trials;
  Found found;
  /// Operands of whose elements no result knows, such as outputs that are only
  /// written: how they lie says nothing.
  llvm::SmallVector<bool> isUnread;
  std::optional<std::vector<OpPlacements>> allowed;
};

/// The tensor whole on each device.
State whole(mlir::Type type);

/// Notes a placement under its text.
void add(std::map<std::string, OpPlacements> &to, OpPlacements placements);

/// Calls `visit` with one state of each list, in every combination.
void forEachProduct(const std::vector<std::vector<State>> &choices,
                    llvm::function_ref<void(const std::vector<State> &)> visit);

} // namespace shardir::validate

#endif // SHARDIR_TESTING_VALIDATE_SEARCH_H
