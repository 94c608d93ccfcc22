//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shardir dialect and what TableGen makes of its ops.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace shardir;

#include "ShardIR/Dialect/ShardIR/ShardIRDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ShardIR/Dialect/ShardIR/ShardIROps.cpp.inc"

namespace {
/// Everything of ours may stand in any function's body.
struct ShardIRInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
};
} // namespace

void ShardIRDialect::initialize() {
  registerAttributes();
  addInterfaces<ShardIRInliner>();
  addOperations<
#define GET_OP_LIST
#include "ShardIR/Dialect/ShardIR/ShardIROps.cpp.inc"
      >();
}
