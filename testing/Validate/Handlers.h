//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which function of the interpreter evaluates which op, by the op's name.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_VALIDATE_HANDLERS_H
#define SHARDIR_TESTING_VALIDATE_HANDLERS_H

#include "Validate/Interpreter.h"

#include "mlir/IR/TypeUtilities.h"

namespace shardir::validate {

class HandlerTable {
public:
  struct Entry {
    Interpreter::Handler handler = nullptr;
    Interpreter::ScalarHandler scalar = nullptr;
  };

  void add(llvm::StringRef op, Interpreter::Handler handler) {
    entries[op].handler = handler;
  }
  void addScalar(llvm::StringRef op, Interpreter::ScalarHandler handler) {
    entries[op].scalar = handler;
  }
  Entry lookup(llvm::StringRef op) const { return entries.lookup(op); }

private:
  llvm::StringMap<Entry> entries;
};

void addArithHandlers(HandlerTable &table);
void addMathHandlers(HandlerTable &table);
void addComplexHandlers(HandlerTable &table);
void addTensorHandlers(HandlerTable &table);
void addTensorMoveHandlers(HandlerTable &table);
void addLinalgHandlers(HandlerTable &table);
void addRelayoutHandlers(HandlerTable &table);
void addControlHandlers(HandlerTable &table);
void addIndexedOpsHandlers(HandlerTable &table);

/// The type of the elements of an op's first result.
inline mlir::Type resultType(mlir::Operation *op) {
  return mlir::getElementTypeOrSelf(op->getResult(0).getType());
}

/// A function of two floats, rounded to the type.
template <double (*f)(double, double)>
void floatBinary(mlir::Operation *op, llvm::ArrayRef<Scalar> in,
                 llvm::MutableArrayRef<Scalar> out) {
  out[0].re = roundTo(resultType(op), f(in[0].re, in[1].re));
}

/// Runs the loop nest of any structured op of linalg.
llvm::LogicalResult runStructuredOp(Interpreter &interpreter,
                                    mlir::Operation *op,
                                    Interpreter::Operands operands,
                                    Interpreter::Results &results);

/// Runs a block that makes one element from its place in a tensor.
llvm::LogicalResult runAt(Interpreter &interpreter, mlir::Block &body,
                          llvm::ArrayRef<int64_t> index, Scalar &element);

/// The value of an attribute such as `arith.constant` has; null where its type
/// has no scalar here.
std::optional<RuntimeValue> constantValue(mlir::Attribute value,
                                          mlir::Type type);

/// The extents of a tensor type, with `sizes` for the unknown ones in order.
llvm::SmallVector<int64_t> extentsOf(mlir::RankedTensorType type,
                                     Interpreter::Operands sizes = {});

} // namespace shardir::validate

#endif // SHARDIR_TESTING_VALIDATE_HANDLERS_H
