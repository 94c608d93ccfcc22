//===- Search.h - Where partial sums are scattered to -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Placement. Requires concrete sizes above 0 and placements in
// normal form, of which the source is partial over axes that the destination is
// not partial over. Guarantees placements of which every shard lies within the
// source's, for a local slice and a reduce-scatter to lead to and one move to
// leave from. The one that receives fewest bytes is among them where everything
// divides.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PLACEMENT_SEARCH_H
#define SHARDIR_LIB_PLACEMENT_SEARCH_H

#include "ShardSizes.h"

namespace shardir::detail {

class ReduceSearch {
public:
  /// A part of an axis that the source does not split by and whose sum does not
  /// stay pending: free to slice by, or to be reduced.
  struct Atom {
    AxisRef axis;
    int64_t size = 1;
    bool isReduced = false;
  };
  struct Target {
    std::vector<DimPlacement> dims;
    std::vector<bool> used; ///< per atom: whether it splits `dims`
    int64_t elements = 0;   ///< received in all, the largest over devices
    int steps = 0;          ///< with communication, as far as is known
  };

  /// The atoms cut into primes where few come of it: a large axis may not fit
  /// into one dim.
  static std::vector<Atom> primeAtoms(const std::vector<Atom> &atoms,
                                      const Mesh &mesh);

  /// `atoms` have sizes above 1 and do not overlap.
  ReduceSearch(const Placement &src, const Placement &dst, const Mesh &mesh,
               const std::vector<int64_t> &shape, ShardSizes &shardSizes,
               std::vector<Atom> atoms);

  /// The best targets, best first; at most `limit`. What is known to be least
  /// without a search is not searched for, unless `searchAll`.
  std::vector<Target> run(size_t limit, bool searchAll = false);
  /// Makes a step with communication count as much as receiving so many
  /// elements, where targets are compared.
  void countStepsAs(int64_t elements) { stepElements = elements; }
  /// Makes targets what `dst` is moved to, of which a device receives what it
  /// lacks; `reduces`: and what it holds, once or more. No atom is reduced.
  void moveToTargets(bool reduces) {
    toTargets = true;
    countsHeld = reduces;
  }
  const std::vector<Atom> &allAtoms() const { return atoms; }
  /// True if the first target is proved to receive the fewest bytes.
  bool isProved() const { return proved; }

private:
  struct State {
    std::vector<int> options; ///< per dim
    uint64_t used = 0;
    /// The elements that each device has received, one reduce-scatter per
    /// reduced atom; empty where that is one at most.
    ShardSizes::Table spent;
    int64_t elements = 0;
    int steps = 0;
    int64_t weight = 0; ///< elements and what steps count as
    bool operator<(const State &o) const {
      return std::tie(weight, elements, steps, used, options) <
             std::tie(o.weight, o.elements, o.steps, o.used, o.options);
    }
  };
  /// A digit of one dimension, and the axes that hold it fixed.
  struct Digit {
    int64_t radix = 1;
    std::optional<AxisRef> src, dst, chosen;
  };

  void spend(State &state, size_t atom);
  void evaluate(State &state);
  void countHeld(const State &state);
  const std::vector<int> &extend(size_t d, int option, size_t atom);
  std::optional<int> accept(size_t d, const std::vector<Split> &splits);
  bool placeByDigits(State &state);
  bool isFree(const AxisRef &axis) const;

  const Placement &src, &dst;
  const Mesh &mesh;
  const std::vector<int64_t> &shape;
  ShardSizes &shardSizes;
  std::vector<Atom> atoms;
  bool proved = false;
  bool toTargets = false, countsHeld = false;
  int64_t stepElements = 0;
  std::vector<int> srcOptions, dstOptions;
  ShardSizes::Table wanted;     ///< the elements of each device's new shard
  ShardSizes::Table held, kept; ///< of the last state
  std::vector<std::unordered_map<uint64_t, std::vector<int>>> children;
};

} // namespace shardir::detail

#endif // SHARDIR_LIB_PLACEMENT_SEARCH_H
