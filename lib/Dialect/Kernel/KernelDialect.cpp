//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect itself; its ops have files of their own.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Kernel/Kernel.h"

#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace shardir::kernel;

#include "ShardIR/Dialect/Kernel/KernelDialect.cpp.inc"

namespace {
struct KernelInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
};
} // namespace

void KernelDialect::initialize() {
  addInterfaces<KernelInliner>();
  addOperations<
#define GET_OP_LIST
#include "ShardIR/Dialect/Kernel/KernelOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "ShardIR/Dialect/Kernel/KernelOps.cpp.inc"
