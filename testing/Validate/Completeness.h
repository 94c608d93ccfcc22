//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gaps of a rule: placements of one op that need no communication and that
// the rule does not list, and the list of those that are known.
//
// Two questions are asked of each op over axes of 2 and 3 devices:
// - which shards of the results depend on nothing but shards of the operands
//   (from the dependences of every element, so for any local form);
// - which terms of operands, or shards of a reduced dim, give terms of the
//   results (by running the op itself on them).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_VALIDATE_COMPLETENESS_H
#define SHARDIR_TESTING_VALIDATE_COMPLETENESS_H

#include "Validate/RuleCases.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

namespace shardir::validate {

/// A placement over one axis that is right and that the rule lacks.
struct Missing {
  OpPlacements placements;
  std::string text;   ///< `dim 0 of operand 0, dim 1 of result 0`
  std::string reason; ///< why it is accepted; empty if it is not
};

/// The placements that `subject` could also take. `wrong` is the reason where
/// that cannot be found out, and empty otherwise.
std::vector<Missing> findMissing(const Subject &subject,
                                 Interpreter &interpreter, uint64_t seed);

/// Known gaps, each with a reason: a JSON array of
/// `{"op": glob, "missing": glob, "reason": text}`.
class Accepted {
public:
  Accepted() = default;
  static llvm::Expected<Accepted> parse(llvm::StringRef json);

  /// The reason why this is accepted, or null. Notes that the entry was needed.
  const std::string *find(llvm::StringRef op, llvm::StringRef missing);
  /// Entries that nothing needed: `op: missing`.
  std::vector<std::string> unused() const;

private:
  struct Entry {
    std::string op, missing, reason;
    llvm::GlobPattern opGlob, missingGlob;
    bool used = false;
  };
  /// The patterns refer to the texts beside them, which must not move.
  std::vector<std::unique_ptr<Entry>> entries;
};

} // namespace shardir::validate

#endif // SHARDIR_TESTING_VALIDATE_COMPLETENESS_H
