//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel dialect: attention and its gradients as ops of a rank's local
// program. KernelOps.td has the definitions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_KERNEL_KERNEL_H
#define SHARDIR_DIALECT_KERNEL_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "ShardIR/Dialect/Kernel/KernelDialect.h.inc"

#define GET_OP_CLASSES
#include "ShardIR/Dialect/Kernel/KernelOps.h.inc"

#endif // SHARDIR_DIALECT_KERNEL_KERNEL_H
