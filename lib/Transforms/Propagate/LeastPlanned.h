//===- LeastPlanned.h - The answer that moves least -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search prices one move at a time: it cannot see what redistributions
// become together, nor that the device that receives most is another one in
// each of them. So several answers are planned, and the least is kept.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_PROPAGATE_LEASTPLANNED_H
#define SHARDIR_LIB_TRANSFORMS_PROPAGATE_LEASTPLANNED_H

#include "GraphBuilder.h"

namespace shardir {

/// Of `answer`, which `cost` has given, and of those that the search gives with
/// other rules and prices: the one of which the device that receives most,
/// bytes by the report, receives least once all is planned; the first of equal
/// ones. `graph` is that of `builder`, which stands for `function`. The module
/// stays as it is.
PropagationResult
takeLeastPlanned(mlir::func::FuncOp function, const GraphBuilder &builder,
                 const PropagationGraph &graph, const MeshTable &meshes,
                 const PropagationCost &cost, PropagationResult answer);

/// Of the passes that planning runs.
void getPlanningDialects(mlir::DialectRegistry &registry);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_PROPAGATE_LEASTPLANNED_H
