//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op that a function of a test file is about, taken out of it: a function
// that has the op's tensors as arguments, so that each can lie as one likes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_VALIDATE_SUBJECT_H
#define SHARDIR_TESTING_VALIDATE_SUBJECT_H

#include "ShardIR/Interfaces/ShardingRule.h"
#include "Validate/Interpreter.h"
#include "Validate/TestData.h"

#include "mlir/IR/OwningOpRef.h"

namespace shardir::validate {

class Subject {
public:
  /// Takes the op that gives what `function` returns. Emits an error and fails
  /// where that is not one op.
  static llvm::FailureOr<Subject> create(mlir::func::FuncOp function);

  /// Whether a function of a test file is about an op, rather than the meaning
  /// of one or a function that others call.
  static bool isSubject(mlir::func::FuncOp function);

  std::string name;   ///< the function's
  std::string opName; ///< `linalg.matmul`
  mlir::func::FuncOp source;
  /// Gives the values of `function`'s arguments from those of `source`'s.
  mlir::func::FuncOp prefix;
  /// The op on whole tensors; its other operands are computed inside.
  mlir::func::FuncOp function;
  mlir::Operation *op = nullptr; ///< in `function`
  ShardingRule rule;

  /// The types of the op's operands, then of the tensors that its regions
  /// capture, as its rule lists them.
  llvm::SmallVector<mlir::Type> operandTypes;
  /// Per argument of `function`: the entry of `operandTypes` that it is, or -1
  /// for what scalars are computed from, which every device holds whole.
  llvm::SmallVector<int> operandOf;

  /// Values for `function`'s arguments. Fails where they cannot be computed;
  /// the interpreter says why.
  llvm::FailureOr<llvm::SmallVector<RuntimeValue>>
  arguments(Interpreter &interpreter, TestData &data, Flavour flavour) const;

  /// Whether the types of an operand and result have unknown extents.
  bool hasUnknownExtents() const;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< holds prefix and function
};

} // namespace shardir::validate

#endif // SHARDIR_TESTING_VALIDATE_SUBJECT_H
