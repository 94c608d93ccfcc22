//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs functions op by op. Requires verified IR; guarantees an error, never an
// abort, for ops it does not know, for programs that do not end within a bound,
// and for tensors whose extents at run time are not what a type says.
//
//===----------------------------------------------------------------------===//

#include "Validate/Interpreter.h"

#include "Handlers.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

/// Ops of one program: enough for every test on small tensors, and an end to
/// loops that have none.
static constexpr int64_t kMaxSteps = 5'000'000;
static constexpr unsigned kMaxDepth = 200;

static const HandlerTable &handlers() {
  static const HandlerTable table = [] {
    HandlerTable made;
    addArithHandlers(made);
    addMathHandlers(made);
    addComplexHandlers(made);
    addTensorHandlers(made);
    addTensorMoveHandlers(made);
    addLinalgHandlers(made);
    addRelayoutHandlers(made);
    addControlHandlers(made);
    addIndexedOpsHandlers(made);
    return made;
  }();
  return table;
}

Interpreter::Interpreter(ModuleOp module) : module(module), symbols(module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (auto name = function->getAttrOfType<StringAttr>("validate.meaning"))
      meanings[name.getValue()].push_back(function);
}

DictionaryAttr Interpreter::attributesOf(func::FuncOp meaning) {
  return meaning->getAttrOfType<DictionaryAttr>("validate.attributes");
}

func::FuncOp Interpreter::meaningOf(Operation *op) const {
  auto known = meanings.find(op->getName().getStringRef());
  if (known == meanings.end())
    return {};
  for (func::FuncOp meaning : known->second) {
    DictionaryAttr attributes = attributesOf(meaning);
    if (!attributes || llvm::all_of(attributes, [&](NamedAttribute own) {
          return op->getAttr(own.getName()) == own.getValue();
        }))
      return meaning;
  }
  return {};
}

func::FuncOp Interpreter::lookupFunction(StringRef name) const {
  return symbols.lookup<func::FuncOp>(name);
}

LogicalResult Interpreter::fail(Operation *op, const Twine &message) {
  if (error.empty())
    error = ("'" + op->getName().getStringRef() + "' " + message).str();
  return failure();
}

const RuntimeValue &Interpreter::get(Value value) { return (*frame)[value]; }

void Interpreter::set(Value value, RuntimeValue result) {
  (*frame)[value] = std::move(result);
}

const Interpreter::Evaluator *Interpreter::lookup(Operation *op) {
  auto [it, isNew] = evaluators.try_emplace(op->getName());
  if (isNew) {
    HandlerTable::Entry entry = handlers().lookup(op->getName().getStringRef());
    if (!entry.handler && !entry.scalar && isa<linalg::LinalgOp>(op))
      entry.handler = runStructuredOp;
    it->second = {entry.handler, entry.scalar};
  }
  if (!it->second.handler && !it->second.scalar)
    return nullptr;
  return &it->second;
}

SmallVector<int64_t> Interpreter::numbers(ArrayRef<OpFoldResult> mixed) {
  SmallVector<int64_t> result;
  for (OpFoldResult value : mixed) {
    if (auto attribute = dyn_cast<Attribute>(value)) {
      result.push_back(cast<IntegerAttr>(attribute).getInt());
      continue;
    }
    const Scalar &scalar = get(cast<Value>(value)).scalar;
    noteControl(scalar);
    result.push_back(scalar.i);
  }
  return result;
}

void Interpreter::evaluate(Operation *op, ScalarHandler handler,
                           ArrayRef<Scalar> operands,
                           MutableArrayRef<Scalar> results) {
  handler(op, operands, results);
  uint32_t all = 0;
  bool undefined = false;
  for (const Scalar &operand : operands) {
    all = unite(all, operand.dependences);
    undefined |= operand.undefined;
  }
  for (Scalar &result : results) {
    result.dependences = all;
    result.undefined |= undefined;
  }
}

/// An elementwise op on tensors of one shape; scalars among its operands stand
/// for every element.
LogicalResult Interpreter::runElementwise(Operation *op, ScalarHandler handler,
                                          Operands operands, Results &results) {
  Tensor shape;
  for (const RuntimeValue &operand : operands) {
    if (!operand.tensor)
      continue;
    if (shape && shape->shape != operand.tensor->shape)
      return fail(op, "has operands of different extents");
    shape = operand.tensor;
  }
  SmallVector<Scalar> in(operands.size()), out(op->getNumResults());
  if (!shape) {
    for (auto [scalar, operand] : llvm::zip(in, operands))
      scalar = operand.scalar;
    evaluate(op, handler, in, out);
    results.append(out.begin(), out.end());
    return success();
  }
  SmallVector<std::shared_ptr<TensorData>> made;
  for (Type type : op->getResultTypes())
    made.push_back(makeTensor(getElementTypeOrSelf(type), shape->shape));
  for (size_t i = 0, e = shape->elements.size(); i < e; ++i) {
    for (auto [scalar, operand] : llvm::zip(in, operands))
      scalar = operand.tensor ? operand.tensor->elements[i] : operand.scalar;
    llvm::fill(out, Scalar());
    evaluate(op, handler, in, out);
    for (auto [tensor, scalar] : llvm::zip(made, out))
      tensor->elements[i] = scalar;
  }
  for (auto &tensor : made)
    results.push_back(Tensor(tensor));
  return success();
}

/// Whether a tensor has the extents that its type promises.
static bool fits(Type type, const RuntimeValue &value) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return true;
  if (!value.tensor || value.tensor->rank() != tensorType.getRank())
    return false;
  for (auto [extent, found] :
       llvm::zip(tensorType.getShape(), value.tensor->shape))
    if (!ShapedType::isDynamic(extent) && extent != found)
      return false;
  return true;
}

static std::string shapeText(const RuntimeValue &value) {
  if (!value.tensor)
    return "a scalar";
  std::string text = "extents [";
  for (auto [i, extent] : llvm::enumerate(value.tensor->shape))
    text += (i ? ", " : "") + std::to_string(extent);
  return text + "]";
}

LogicalResult Interpreter::runOp(Operation *op) {
  if (++steps > kMaxSteps)
    return fail(op, "runs after " + Twine(kMaxSteps) +
                        " others; the program may not end");
  SmallVector<RuntimeValue, 4> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  const Evaluator *evaluator = lookup(op);
  if (!evaluator) {
    func::FuncOp meaning = meaningOf(op);
    if (!meaning)
      return fail(op, "has no meaning that is known here; give one by a "
                      "function with the attribute 'validate.meaning'");
    FailureOr<SmallVector<RuntimeValue>> called = call(meaning, operands);
    if (failed(called))
      return failure();
    results = std::move(*called);
  } else if (failed(
                 evaluator->scalar
                     ? runElementwise(op, evaluator->scalar, operands, results)
                     : evaluator->handler(*this, op, operands, results))) {
    return fail(op, "could not be evaluated");
  }
  if (results.size() != op->getNumResults())
    return fail(op, "gave " + Twine(results.size()) + " results, expected " +
                        Twine(op->getNumResults()));
  for (auto [value, result] : llvm::zip(op->getResults(), results)) {
    if (!fits(value.getType(), result)) {
      std::string type;
      llvm::raw_string_ostream(type) << value.getType();
      return fail(op, "gave a result with " + shapeText(result) +
                          " where its type is " + type);
    }
    (*frame)[value] = std::move(result);
  }
  return success();
}

LogicalResult Interpreter::runBlock(Block &block,
                                    ArrayRef<RuntimeValue> arguments,
                                    Results &yielded) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    (*frame)[argument] = value;
  for (Operation &op : block.without_terminator())
    if (failed(runOp(&op)))
      return failure();
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(get(value));
  return success();
}

FailureOr<SmallVector<RuntimeValue>>
Interpreter::call(func::FuncOp function, ArrayRef<RuntimeValue> arguments) {
  if (function.isDeclaration() || !function.getBody().hasOneBlock())
    return fail(function, "must have a body of one block");
  if (arguments.size() != function.getNumArguments())
    return fail(function, "takes " + Twine(function.getNumArguments()) +
                              " arguments, got " + Twine(arguments.size()));
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (!fits(function.getArgumentTypes()[i], argument))
      return fail(function,
                  "got argument " + Twine(i) + " with " + shapeText(argument));
  if (depth >= kMaxDepth)
    return fail(function, "calls itself too deeply");
  if (depth == 0)
    steps = 0;
  ++depth;
  llvm::DenseMap<Value, RuntimeValue> own, *outer = frame;
  frame = &own;
  llvm::scope_exit leave([&] {
    frame = outer;
    --depth;
  });
  SmallVector<RuntimeValue> results;
  if (failed(runBlock(function.getBody().front(), arguments, results)))
    return failure();
  return results;
}
