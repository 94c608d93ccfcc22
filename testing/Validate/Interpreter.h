//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interpreter of linalg on tensors: what an op means, without compiling it.
//
// It reads arith, math, complex, affine, tensor, linalg, scf, func and
// bufferization's tensor ops one by one, on the extents that tensors have at
// run time, and shares no code with the pipeline that it checks. Operands may
// carry the numbers of the input elements that they depend on.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_VALIDATE_INTERPRETER_H
#define SHARDIR_TESTING_VALIDATE_INTERPRETER_H

#include "Validate/RuntimeValue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace shardir::validate {

class Interpreter {
public:
  using Operands = llvm::ArrayRef<RuntimeValue>;
  using Results = llvm::SmallVectorImpl<RuntimeValue>;
  /// Evaluates one op; pushes one value per result.
  using Handler = llvm::LogicalResult (*)(Interpreter &, mlir::Operation *,
                                          Operands, Results &);
  /// Evaluates an elementwise op on scalars; `results` has one per result.
  /// Dependences and undefined operands are the caller's matter.
  using ScalarHandler = void (*)(mlir::Operation *, llvm::ArrayRef<Scalar>,
                                 llvm::MutableArrayRef<Scalar> results);

  /// Functions of `module` that carry `validate.meaning = "dialect.op"` say
  /// what unregistered ops compute: all of the name, or those that have the
  /// attributes of the dictionary `validate.attributes`.
  explicit Interpreter(mlir::ModuleOp module);

  /// Runs `function`. On failure `getError()` says why.
  llvm::FailureOr<llvm::SmallVector<RuntimeValue>>
  call(mlir::func::FuncOp function, llvm::ArrayRef<RuntimeValue> arguments);

  /// The first function that says what an op computes, or null.
  mlir::func::FuncOp meaningOf(mlir::Operation *op) const;
  /// The attributes of the ops that `meaning` is for; null: of all.
  static mlir::DictionaryAttr attributesOf(mlir::func::FuncOp meaning);
  mlir::func::FuncOp lookupFunction(llvm::StringRef name) const;

  const std::string &getError() const { return error; }
  /// The error, which is then forgotten.
  std::string takeError() { return std::exchange(error, {}); }
  Dependences &getDependences() { return dependences; }
  /// Whether control flow depended on data: dependences then say too little.
  bool hasDataDependentControl() const { return dataDependentControl; }
  void forgetControl() { dataDependentControl = false; }

  /// The device, for ops that depend on it: null outside of the local stage.
  struct Device {
    const Mesh *mesh = nullptr;
    int64_t position = 0;
    /// Evaluates ops that communicate, of which the interpreter knows nothing.
    std::function<llvm::FailureOr<RuntimeValue>(mlir::Operation *)> communicate;
  };
  Device device;

  // For handlers.
  llvm::LogicalResult fail(mlir::Operation *op, const llvm::Twine &message);
  /// Runs a block of a region; `yielded` are its terminator's operands.
  llvm::LogicalResult runBlock(mlir::Block &block,
                               llvm::ArrayRef<RuntimeValue> arguments,
                               Results &yielded);
  llvm::LogicalResult runOp(mlir::Operation *op);
  const RuntimeValue &get(mlir::Value value);
  void set(mlir::Value value, RuntimeValue result);
  uint32_t unite(uint32_t a, uint32_t b) {
    return a == b || !b ? a : dependences.unite(a, b);
  }
  /// Notes that a scalar decides which ops run or which element is meant.
  void noteControl(const Scalar &scalar) {
    dataDependentControl |= scalar.dependences != 0;
  }
  /// The numbers of a list such as a slice's offsets, which decide what is
  /// read.
  llvm::SmallVector<int64_t> numbers(llvm::ArrayRef<mlir::OpFoldResult> mixed);
  /// The scalar result of an elementwise op.
  void evaluate(mlir::Operation *op, ScalarHandler handler,
                llvm::ArrayRef<Scalar> operands,
                llvm::MutableArrayRef<Scalar> results);

private:
  struct Evaluator {
    Handler handler = nullptr;
    ScalarHandler scalar = nullptr;
  };
  const Evaluator *lookup(mlir::Operation *op);
  llvm::LogicalResult runElementwise(mlir::Operation *op, ScalarHandler handler,
                                     Operands operands, Results &results);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::OperationName, Evaluator> evaluators;
  llvm::StringMap<llvm::SmallVector<mlir::func::FuncOp, 1>> meanings;
  llvm::DenseMap<mlir::Value, RuntimeValue> *frame = nullptr;
  Dependences dependences;
  std::string error;
  int64_t steps = 0;
  unsigned depth = 0;
  bool dataDependentControl = false;
};

} // namespace shardir::validate

#endif // SHARDIR_TESTING_VALIDATE_INTERPRETER_H
