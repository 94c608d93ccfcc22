//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies of reductions, by the names of their ops or by what linalg knows of
// them. See Combiners.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"

#include "ShardIR/Analysis/Combiners.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace shardir;

StringRef shardir::foreignName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name.consume_front("stablehlo.") || name.consume_front("mhlo."))
    return name;
  return "";
}

std::optional<PartialKind> shardir::combinerOf(Region &body) {
  if (!body.hasOneBlock() || body.front().getNumArguments() != 2 ||
      body.front().empty())
    return std::nullopt;
  Block &block = body.front();
  Operation *yield = block.getTerminator();
  if (yield->getNumOperands() != 1)
    return std::nullopt;
  Value value = yield->getOperand(0);
  // Constraints on a scalar have no effect here.
  while (auto constrain = value.getDefiningOp<ConstrainOp>())
    value = constrain.getInput();
  Operation *op = value.getDefiningOp();
  auto takesBoth = [](Operation *op, Value a, Value b) {
    return op->getNumOperands() >= 2 &&
           ((op->getOperand(0) == a && op->getOperand(1) == b) ||
            (op->getOperand(0) == b && op->getOperand(1) == a));
  };
  if (!op || !takesBoth(op, block.getArgument(0), block.getArgument(1)))
    return std::nullopt;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    Block *scalars = linalgOp.getBlock();
    Operation *inner = scalars->getTerminator()->getOperand(0).getDefiningOp();
    if (linalgOp.getNumDpsInputs() != 2 || !inner ||
        inner->getNumOperands() != 2 ||
        !takesBoth(inner, scalars->getArgument(0), scalars->getArgument(1)))
      return std::nullopt;
    return combinerKind(inner);
  }
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  bool isBit = type.isInteger(1), isUnsigned = type.isUnsignedInteger();
  using Kind = std::optional<PartialKind>;
  Kind known =
      llvm::StringSwitch<Kind>(foreignName(op))
          .Case("add", isBit ? PartialKind::Or : PartialKind::Sum)
          .Case("multiply", isBit ? PartialKind::And : PartialKind::Prod)
          .Case("maximum", isBit        ? PartialKind::Or
                           : isUnsigned ? PartialKind::UMax
                                        : PartialKind::Max)
          .Case("minimum", isBit        ? PartialKind::And
                           : isUnsigned ? PartialKind::UMin
                                        : PartialKind::Min)
          .Case("and", PartialKind::And)
          .Case("or", PartialKind::Or)
          .Case("xor", PartialKind::Xor)
          .Default(std::nullopt);
  return known ? known : combinerKind(op);
}
