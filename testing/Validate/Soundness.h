//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one op shard by shard and compares it with the op on whole tensors.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_VALIDATE_SOUNDNESS_H
#define SHARDIR_TESTING_VALIDATE_SOUNDNESS_H

#include "Validate/RuleCases.h"

namespace shardir::validate {

/// A placement that a rule allows and that is wrong.
struct WrongCase {
  const Mesh *mesh;
  OpPlacements placements;
  std::string reason; ///< the first wrong element, or why nothing ran
};

struct SoundnessOptions {
  uint64_t seed = 0;
  /// At most so many placements of an op on each mesh, drawn by the seed; 0:
  /// all of them.
  int64_t samples = 0;
  Meshes meshes = Meshes::Small;
};

struct SoundnessResult {
  int64_t allowed = 0; ///< placements that the rule allows
  int64_t ran = 0;     ///< placements that ran
  std::vector<WrongCase> wrong;
  std::string error; ///< why the op could not run whole; empty if it did
};

/// Runs what the rule of `subject` allows. `interpreter` knows the functions of
/// the subject's module.
SoundnessResult checkSoundness(const Subject &subject, Interpreter &interpreter,
                               const SoundnessOptions &options);

/// The result of each device, and the placement that it should have.
struct Assembly {
  const Mesh &mesh;
  Exactness exactness;

  /// Compares `whole` with what the devices hold of it, one value per position:
  /// every copy, every shard, terms reduced. Says which element is wrong.
  std::optional<std::string> compare(const TensorData &whole,
                                     const Placement &placement,
                                     llvm::ArrayRef<Tensor> shards) const;
};

/// One value per position of the mesh: shards, and terms where `placement` is
/// partial.
std::vector<Tensor> distribute(const TensorData &whole,
                               const Placement &placement, const Mesh &mesh,
                               TestData &data);

} // namespace shardir::validate

#endif // SHARDIR_TESTING_VALIDATE_SOUNDNESS_H
