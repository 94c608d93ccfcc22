//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sharding rules: what it means to shard an op, as plain values.
//
// A factor is an iteration dimension of an op seen across its operands and
// results. Each dim of each tensor is a list of factors, major first: one for
// most ops, several where a reshape merges or splits dims, none where the dim
// must be unsharded (or has extent 1). The notion is Shardy's `OpShardingRule`
// and GSPMD's dimension groups; the kinds are those of docs/Semantics.md.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_INTERFACES_SHARDINGRULE_H
#define SHARDIR_INTERFACES_SHARDINGRULE_H

#include "ShardIR/Placement/Placement.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <vector>

namespace shardir {

enum class FactorKind {
  PassThrough, ///< parallel: shard it anywhere
  Reduction,   ///< sharding it makes results partial
  Replicate,   ///< must be unsharded
};

struct Factor {
  int64_t size = 1; ///< kUnknown for a dynamic extent
  FactorKind kind = FactorKind::PassThrough;
  /// Reduction: how the terms of each result combine, one entry per result.
  llvm::SmallVector<PartialKind, 1> combiners;
  /// Axes that always split it: the manual axes at the border of a region.
  std::vector<Split> pinned;
  /// The op does work for each of `size` positions. False for a dim that data
  /// indexes: a gather costs what it reads, not what it could read.
  bool isIterated = true;
  /// Each device has one contiguous block of it, whose offset the local op
  /// needs: no integer may split it (P4). True of every factor that reads
  /// through a window.
  bool isOneBlock = false;
};

/// The factors of one dim, major first.
using DimFactors = llvm::SmallVector<int, 1>;

/// A number that is known at run time: a constant, and extents of operands'
/// dims or operands that are indices, each times a factor.
struct RunTimeNumber {
  struct Term {
    int operand;
    int64_t dim; ///< -1: the operand is an index
    int64_t factor;
  };
  int64_t constant = 0;
  std::vector<Term> terms;
  int64_t assumed = 0; ///< the value that decisions assume

  /// Adds an index operand, or a size that is known.
  void add(mlir::OpFoldResult size, mlir::Operation *op, int64_t factor = 1,
           int64_t otherwise = kAssumedDimSize);
  /// Adds the extent of dim `dim` of a tensor operand.
  void addDim(mlir::Operation *op, int operand, int64_t dim,
              int64_t factor = 1);
};

/// How a factor reads an operand's dim of another extent: element o of the
/// factor needs the existing elements i of the dim with
///   o * stride - low <= i * dilation <= o * stride + high
/// A convolution of three taps has low 0
/// and high 2 on what it reads, `d0 + d1`; a slice from 5 has low -5 and high
/// 5; every second element of a larger tensor has dilation 2.
struct Window {
  int64_t size = 0; ///< the dim's own extent; kUnknown where the window is open
  int64_t low = 0, high = 0;
  int64_t stride = 1, dilation = 1; ///< at least 1
  /// Of an open window, whose numbers are known at run time: the factor's
  /// extent, and a shift that is added to the positions read.
  struct Open {
    RunTimeNumber extent, shift;
  };
  std::optional<Open> open = std::nullopt;

  /// True if element o of the factor reads element o of the dim alone, and both
  /// have `extent` elements: then no window is needed.
  bool isIdentity(int64_t extent) const {
    return !open && size == extent && low == 0 && high == 0 && stride == 1 &&
           dilation == 1;
  }
};

/// The factors of one operand or result; empty if it is not a tensor.
struct TensorFactors {
  llvm::SmallVector<DimFactors> dims;
  /// Of an operand: the dims that one factor reads through a window; empty, or
  /// one entry per dim. Sharding the factor requires a halo (D6).
  std::vector<std::optional<Window>> windows;

  const Window *window(size_t dim) const {
    return dim < windows.size() && windows[dim] ? &*windows[dim] : nullptr;
  }
  void readThrough(size_t dim, int factor, const Window &window) {
    dims[dim] = {factor};
    windows.resize(dims.size());
    windows[dim] = window;
  }
};

/// One way for partial operands to pass an op: if exactly `operands` are
/// partial of `kind` (of any kind, if not set) over one axis, then every result
/// is partial of that kind over it.
struct PartialRule {
  std::optional<PartialKind> kind;
  llvm::SmallVector<int, 2> operands;
};

struct ShardingRule {
  llvm::SmallVector<Factor> factors;
  /// One per operand, then one per tensor that the op's regions capture; an
  /// interface may leave the captured ones out, which then must be replicated.
  llvm::SmallVector<TensorFactors> operands;
  llvm::SmallVector<TensorFactors> results; ///< one per result
  llvm::SmallVector<PartialRule> partials;
  /// Per result, the operand that holds the initial value of its reduction
  /// (linalg's outs), or -1: with a sharded reduction it is partial like the
  /// result, so that it counts once. Unused if no reduction is sharded.
  llvm::SmallVector<int> inits;
  /// The value holds no data of its own (empty, fill, constant): it takes its
  /// users' placement and may be cloned per placement (R5).
  bool isRematerializable = false;
  /// The op only moves elements (a slice, a pad, a concatenation), and its
  /// local form can give its result with any halo: what a user needs of the
  /// result beyond its own block is then read from the operands, and the result
  /// is made once per user.
  bool takesResultHalo = false;
  /// The bytes that the op reads and writes: all of its operands and results;
  /// as many as its result, such as a slice; as many as its first operand, such
  /// as an insertion in place; or nothing, such as a view.
  enum class Moves { All, Result, FirstOperand, Nothing };
  Moves moves = Moves::All;
  /// Why nothing can be sharded, for the remark; empty if something can.
  std::string replicatedBecause;

  /// The rule of an op that must be replicated: no factors.
  static ShardingRule replicated(mlir::Operation *op, llvm::StringRef why);
  /// One pass-through factor per dim of the first ranked result, shared by all
  /// operands and results of the same shape; other tensors must be replicated.
  static ShardingRule elementwise(mlir::Operation *op);

  int addFactor(int64_t size, FactorKind kind = FactorKind::PassThrough);
};

/// A rule that is not changed any more: ops of one kind share theirs, so that a
/// large program holds few.
class SharedRule {
public:
  /// The rule without factors and tensors.
  SharedRule();
  SharedRule(ShardingRule rule)
      : rule(std::make_shared<const ShardingRule>(std::move(rule))) {}

  operator const ShardingRule &() const { return *rule; }
  const ShardingRule &operator*() const { return *rule; }
  const ShardingRule *operator->() const { return rule.get(); }
  /// True if it has other owners.
  bool isShared() const { return rule.use_count() > 1; }

private:
  std::shared_ptr<const ShardingRule> rule; ///< never null
};

/// Numbers that are equal for equal rules: everything in a rule that says how
/// its op can be sharded.
std::vector<int64_t> keyOf(const ShardingRule &rule);

/// The rule of any op: the attribute `shardir.rule`'s, or its interface's, or
/// `replicated`.
SharedRule getShardingRule(mlir::Operation *op);

/// Tensors that regions of `op` use and that are defined outside of it, in the
/// order of their first use. They are replicated unless the op's rule
/// says more of them.
llvm::SmallVector<mlir::Value> capturedTensors(mlir::Operation *op);

} // namespace shardir

#include "ShardIR/Interfaces/ShardingRuleOpInterface.h.inc"

#endif // SHARDIR_INTERFACES_SHARDINGRULE_H
