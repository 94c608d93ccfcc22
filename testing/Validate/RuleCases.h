//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Placements of one op's operands and results: those that its rule allows, on
// one mesh.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_VALIDATE_RULECASES_H
#define SHARDIR_TESTING_VALIDATE_RULECASES_H

#include "ShardIR/Placement/Halo.h"
#include "Validate/Subject.h"

namespace shardir::validate {

/// How the operands and results of one op lie.
struct OpPlacements {
  std::vector<std::optional<Placement>> operands; ///< nothing for scalars
  std::vector<std::optional<Placement>> results;
  /// Per operand, how far its shards overlap (D6); none where this is empty.
  std::vector<Halo> halos = {};

  Halo haloOf(size_t operand) const {
    return operand < halos.size() ? halos[operand] : Halo();
  }
};

/// `operand 0 [{"x"}, {}], result 0 [{"x"}, {}]`: what is not replicated, or
/// `all operands and results whole`.
std::string toString(const OpPlacements &placements);

/// Meshes that rules are tried on. Small: axes of 2 and 3, and 2 x 2. All: also
/// an axis longer than most dims of the corpus, 3 x 2, and 2 x 2 x 2.
enum class Meshes { Small, All };
const std::vector<Mesh> &testMeshes(Meshes which = Meshes::Small);
/// `<["x"=2, "y"=2]>`.
std::string toString(const Mesh &mesh);

/// Everything that `rule` allows on `mesh`: each axis splits one factor (by
/// itself, after an integer, or before one), or is partial on one of the rule's
/// sets of operands, or neither; axes that split one factor come in both
/// orders. Operands are as inferSharding asks for them.
std::vector<OpPlacements> allowedPlacements(const Subject &subject,
                                            const Mesh &mesh);

/// The kinds that a partial of this element type may have (P5).
std::vector<PartialKind> partialKindsOf(mlir::Type element);

} // namespace shardir::validate

#endif // SHARDIR_TESTING_VALIDATE_RULECASES_H
