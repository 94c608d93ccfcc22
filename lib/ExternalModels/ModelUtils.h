//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the models of several dialects: attaching a rule and a local form
// to an op, cloning an op on local types, and cutting this device's shard or
// term out of a replicated value.
//
// Requires operands and results that agree under the op's rule; emits nothing
// that communicates.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_EXTERNALMODELS_MODELUTILS_H
#define SHARDIR_LIB_EXTERNALMODELS_MODELUTILS_H

#include "ShardIR/Interfaces/Localizer.h"
#include "ShardIR/Interfaces/ShardingRule.h"

namespace shardir {

using LocalValues = llvm::FailureOr<llvm::SmallVector<mlir::Value>>;

/// The external model of a rule that is a function of the op.
template <typename Op, ShardingRule (*rule)(Op)>
struct RuleModel
    : ShardingRuleOpInterface::ExternalModel<RuleModel<Op, rule>, Op> {
  ShardingRule getShardingRule(mlir::Operation *op) const {
    return rule(llvm::cast<Op>(op));
  }
};

/// The external model of a local form that is a function of the op.
template <typename Op, LocalValues (*local)(Op, mlir::OpBuilder &, Localizer &,
                                            mlir::ValueRange)>
struct LocalModel
    : LocalizableOpInterface::ExternalModel<LocalModel<Op, local>, Op> {
  LocalValues localize(mlir::Operation *op, mlir::OpBuilder &builder,
                       Localizer &localizer, mlir::ValueRange operands) const {
    return local(llvm::cast<Op>(op), builder, localizer, operands);
  }
};

/// Attaches a rule to `Op`; its local form is a clone on local types.
template <typename Op, ShardingRule (*rule)(Op)>
void attachRule(mlir::MLIRContext *context) {
  Op::template attachInterface<RuleModel<Op, rule>>(*context);
}

/// Attaches a rule and a local form to `Op`.
template <typename Op, ShardingRule (*rule)(Op),
          LocalValues (*local)(Op, mlir::OpBuilder &, Localizer &,
                               mlir::ValueRange)>
void attachModels(mlir::MLIRContext *context) {
  Op::template attachInterface<RuleModel<Op, rule>, LocalModel<Op, local>>(
      *context);
}

/// Attaches models that serve any op to those of a dialect that `chosen` takes.
/// MLIR 22's `getRegisteredOperationsByDialect` finds none of linalg.
template <typename... Models>
void attachToOps(
    mlir::Dialect *dialect,
    llvm::function_ref<bool(mlir::RegisteredOperationName)> chosen) {
  for (mlir::RegisteredOperationName name :
       dialect->getContext()->getRegisteredOperations())
    if (&name.getDialect() == dialect && chosen(name))
      name.attachInterface<Models...>();
}

/// A rule without factors: nothing can be sharded yet, and nothing is wrong.
ShardingRule replicatedRule(mlir::Operation *op);

/// Lets `operands` be partial together, by any kind.
void passAnyPartial(ShardingRule &rule, llvm::ArrayRef<int> operands);

/// The kind by which an element that one device reads, and the others do not,
/// is put together; nothing for element types without reductions.
std::optional<PartialKind> lookupKind(mlir::Type elementType);

/// True if a device's shard may have no elements, seen from its local type.
bool mayBeEmpty(mlir::Value local);

/// The static extent of a dim that two types both describe, or kUnknown.
int64_t commonExtent(int64_t a, int64_t b);

/// `op` on local operands and with local result types; without its placements.
mlir::Operation *cloneLocal(mlir::OpBuilder &builder,
                            const Localizer &localizer, mlir::Operation *op,
                            mlir::ValueRange operands);

/// `value` as `type`, which holds the same extents.
mlir::Value castTo(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, mlir::RankedTensorType type);

/// The extents of dims that `global`'s local type leaves unknown, of a tensor
/// that has no local value yet: `globalSizes` are the global tensor's unknown
/// extents, in order.
llvm::SmallVector<mlir::Value> localSizes(mlir::OpBuilder &builder,
                                          mlir::Location loc,
                                          const Localizer &localizer,
                                          const Localizer::Global &global,
                                          mlir::ValueRange globalSizes);

/// The digits of each dim, with the unknown global extents given in order.
llvm::SmallVector<llvm::SmallVector<Localizer::DigitValue>>
allDigits(mlir::OpBuilder &builder, mlir::Location loc,
          const Localizer &localizer, const Localizer::Global &global,
          mlir::ValueRange globalSizes);

/// A tensor of `global`'s local type that holds `scalar` everywhere.
mlir::Value fillLocal(mlir::OpBuilder &builder, mlir::Location loc,
                      const Localizer &localizer,
                      const Localizer::Global &global, mlir::Value scalar,
                      mlir::ValueRange globalSizes);

/// This device's shard of `replicated`, a tensor of static shape that every
/// device holds.
mlir::Value shardOfReplicated(mlir::OpBuilder &builder, mlir::Location loc,
                              const Localizer &localizer,
                              const Localizer::Global &global,
                              mlir::Value replicated);

/// The term that this device holds of a partial `global` whose value (or an
/// element of it) every device knows: the first one keeps `value`, the others
/// hold the identity (P5). `value` itself where nothing is partial.
mlir::FailureOr<mlir::Value> termOfReplicated(mlir::OpBuilder &builder,
                                              mlir::Location loc,
                                              const Localizer &localizer,
                                              const Localizer::Global &global,
                                              mlir::Value value);

/// Clones the one block of `from` to the empty region `to`, with its index
/// arguments replaced by the global indices (R9). `yielded` may rewrite
/// what the terminator takes.
void cloneIndexedBody(
    mlir::OpBuilder &builder, const Localizer &localizer, mlir::Region &from,
    mlir::Region &to,
    llvm::ArrayRef<llvm::SmallVector<Localizer::DigitValue>> digits,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> yielded);

/// The parts of the models of the tensor dialect, one per file.
void attachTensorReshapeModels(mlir::MLIRContext *context);
void attachTensorSliceModels(mlir::MLIRContext *context);
void attachTensorJoinModels(mlir::MLIRContext *context);
void attachTensorRematerializableModels(mlir::MLIRContext *context);
void attachTensorIndexedModels(mlir::MLIRContext *context);

/// The ops of linalg that are not structured by maps.
void attachLinalgOpsModels(mlir::MLIRContext *context);

/// arith.constant, a rematerializable value like those of the tensor dialect.
void attachConstantModel(mlir::MLIRContext *context);

} // namespace shardir

#endif // SHARDIR_LIB_EXTERNALMODELS_MODELUTILS_H
