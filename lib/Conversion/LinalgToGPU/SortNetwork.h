//===- SortNetwork.h - Bitonic networks -------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a bitonic network, of sorts (SortsToNetworks.cpp) and of
// scatters that order their updates. Stage: any.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SORTNETWORK_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SORTNETWORK_H

#include "mlir/IR/Builders.h"

namespace shardir {

/// The places that pair `number` of a step of a bitonic network compares, the
/// one where the smaller element goes first: they differ by half >> q, or
/// mirror each other in blocks of 2 half where q is 0. All of type index.
std::pair<mlir::Value, mlir::Value>
pairOfNetwork(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number,
              mlir::Value half, mlir::Value q);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SORTNETWORK_H
