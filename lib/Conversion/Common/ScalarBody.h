//===- ScalarBody.h - Bodies on scalars, in place ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bodies of shardir.scatter and shardir.sort, emitted for given scalars.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COMMON_SCALARBODY_H
#define SHARDIR_LIB_CONVERSION_COMMON_SCALARBODY_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {

/// Inlines the one block of `body` for `arguments`; returns the yielded value.
inline mlir::Value inlineScalarBody(mlir::OpBuilder &builder,
                                    mlir::Region &body,
                                    mlir::ValueRange arguments) {
  mlir::IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (mlir::Operation &op : body.front().without_terminator())
    builder.clone(op, mapping);
  return mapping.lookupOrDefault(body.front().getTerminator()->getOperand(0));
}

/// True if `comparator` puts the elements `first` before `second`, and not in
/// the other direction too: `>=` does so with equal elements.
inline mlir::Value isStrictlyBefore(mlir::OpBuilder &builder,
                                    mlir::Location loc,
                                    mlir::Region &comparator,
                                    mlir::ValueRange first,
                                    mlir::ValueRange second) {
  llvm::SmallVector<mlir::Value> forwards, backwards;
  for (auto [a, b] : llvm::zip(first, second)) {
    forwards.append({a, b});
    backwards.append({b, a});
  }
  mlir::Value before = inlineScalarBody(builder, comparator, forwards);
  mlir::Value after = inlineScalarBody(builder, comparator, backwards);
  mlir::Value yes = mlir::arith::ConstantIntOp::create(builder, loc, 1, 1);
  return mlir::arith::AndIOp::create(
      builder, loc, before,
      mlir::arith::XOrIOp::create(builder, loc, after, yes));
}

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COMMON_SCALARBODY_H
