//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Combiners.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardir;

std::optional<PartialKind> shardir::combinerKind(Operation *op) {
  using Kind = std::optional<PartialKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case<arith::AddFOp, complex::AddOp>(
          [](auto) { return PartialKind::Sum; })
      .Case<arith::AddIOp>([](arith::AddIOp add) -> Kind {
        // On one bit a sum is what xor is; the runtime adds bytes.
        if (getElementTypeOrSelf(add.getType()).isInteger(1))
          return PartialKind::Xor;
        return PartialKind::Sum;
      })
      .Case<arith::MulFOp>([](auto) { return PartialKind::Prod; })
      .Case<arith::MulIOp>([](arith::MulIOp mul) -> Kind {
        if (getElementTypeOrSelf(mul.getType()).isInteger(1))
          return PartialKind::And;
        return PartialKind::Prod;
      })
      .Case<arith::MaximumFOp, arith::MaxSIOp>(
          [](auto) { return PartialKind::Max; })
      .Case<arith::MinimumFOp, arith::MinSIOp>(
          [](auto) { return PartialKind::Min; })
      .Case<arith::MaxNumFOp>([](auto) { return PartialKind::MaxNum; })
      .Case<arith::MinNumFOp>([](auto) { return PartialKind::MinNum; })
      .Case<arith::MaxUIOp>([](auto) { return PartialKind::UMax; })
      .Case<arith::MinUIOp>([](auto) { return PartialKind::UMin; })
      .Case<arith::AndIOp>([](auto) { return PartialKind::And; })
      .Case<arith::OrIOp>([](auto) { return PartialKind::Or; })
      .Case<arith::XOrIOp>([](auto) { return PartialKind::Xor; })
      .Default([](auto) { return std::nullopt; });
}

bool shardir::isMonotone(Operation *op) {
  return isa<math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp,
             math::TruncOp, math::ExpOp, math::Exp2Op, math::ExpM1Op,
             math::TanhOp, math::ErfOp, math::AtanOp, math::SinhOp,
             math::AsinhOp, math::CbrtOp, arith::TruncFOp>(op);
}

std::optional<PartialKind>
shardir::matchAccumulation(Value yielded, BlockArgument accumulator) {
  Operation *op = yielded.getDefiningOp();
  if (!op || op->getNumOperands() != 2 || !accumulator.hasOneUse())
    return std::nullopt;
  std::optional<PartialKind> kind = combinerKind(op);
  if (!kind ||
      (op->getOperand(0) != accumulator && op->getOperand(1) != accumulator))
    return std::nullopt;
  return kind;
}
