//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The collective dialect and what TableGen makes of its ops.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"

#include "mlir/IR/Builders.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

#include "ShardIR/Dialect/Collective/CollectiveDialect.cpp.inc"
#include "ShardIR/Dialect/Collective/CollectiveOpInterface.cpp.inc"

#define GET_OP_CLASSES
#include "ShardIR/Dialect/Collective/CollectiveOps.cpp.inc"

namespace {
/// Collectives may stand in any function's body.
struct CollectiveInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
};
} // namespace

void CollectiveDialect::initialize() {
  addInterfaces<CollectiveInliner>();
  addOperations<
#define GET_OP_LIST
#include "ShardIR/Dialect/Collective/CollectiveOps.cpp.inc"
      >();
}
