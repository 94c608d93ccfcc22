//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an op out of its function. Requires a verified module; guarantees that
// the new function computes what the op computes, with tensors as arguments and
// what defines scalars cloned, so that rules that look at constants and
// `tensor.dim` see them.
//
//===----------------------------------------------------------------------===//

#include "Validate/Subject.h"

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/VerifyRule.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

/// The extent that an unknown one has in tests.
static constexpr int64_t kUnknownExtent = 4;

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

bool Subject::isSubject(func::FuncOp function) {
  return !function.isPrivate() && !function.isDeclaration() &&
         !function->hasAttr("validate.meaning");
}

namespace {
/// Builds the function around the op.
struct Extraction {
  Operation *op;
  func::FuncOp function;
  OpBuilder builder;
  IRMapping mapping;
  SmallVector<Value> sources; ///< per argument, the value in the source
  bool clonesTensors = false;

  Extraction(Operation *op, func::FuncOp function)
      : op(op), function(function), builder(op->getContext()) {
    builder.setInsertionPointToEnd(function.addEntryBlock());
  }

  Value addArgument(Value source) {
    sources.push_back(source);
    return function.getBody().front().addArgument(source.getType(),
                                                  source.getLoc());
  }

  /// Clones what a scalar is computed from.
  void cloneScalar(Value value) {
    if (mapping.contains(value))
      return;
    Operation *definition = value.getDefiningOp();
    if (!definition) {
      mapping.map(value, addArgument(value));
      return;
    }
    for (Value operand : needed(definition)) {
      if (isTensor(operand) && !mapping.contains(operand))
        mapping.map(operand, addArgument(operand));
      cloneScalar(operand);
    }
    builder.clone(*definition, mapping);
  }

  static SetVector<Value> needed(Operation *op) {
    SetVector<Value> values;
    values.insert(op->operand_begin(), op->operand_end());
    for (Region &region : op->getRegions())
      getUsedValuesDefinedAbove(region, region, values);
    return values;
  }
};
} // namespace

FailureOr<Subject> Subject::create(func::FuncOp source) {
  if (!source.getBody().hasOneBlock())
    return source.emitOpError("must have one block to check the op in it");
  Operation *terminator = source.getBody().front().getTerminator();
  Operation *op = nullptr;
  for (Value value : terminator->getOperands()) {
    Operation *definition = value.getDefiningOp();
    if (!definition || (op && op != definition))
      return source.emitOpError(
          "must return results of one op, the one to check");
    op = definition;
  }
  if (!op)
    return source.emitOpError("must return results of the op to check");
  for (Type type : op->getResultTypes())
    if (isa<ShapedType>(type) && !isa<RankedTensorType>(type))
      return op->emitOpError("has a result of type ")
             << type << "; only ranked tensors and scalars can be checked";

  Subject subject;
  subject.name = source.getName().str();
  subject.opName = op->getName().getStringRef().str();
  subject.source = source;
  Location loc = op->getLoc();
  subject.module = ModuleOp::create(loc);
  OpBuilder builder(subject.module->getBodyRegion());
  subject.function =
      func::FuncOp::create(builder, loc, "op", builder.getFunctionType({}, {}));
  Extraction extraction(op, subject.function);
  // Two operands that are one value may still lie in two ways.
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isTensor(value)) {
      operands.push_back({});
      continue;
    }
    operands.push_back(extraction.addArgument(value));
    if (!extraction.mapping.contains(value))
      extraction.mapping.map(value, operands.back());
  }
  for (Value value : Extraction::needed(op)) {
    if (isTensor(value) && !extraction.mapping.contains(value))
      extraction.mapping.map(value, extraction.addArgument(value));
    else if (!isTensor(value))
      extraction.cloneScalar(value);
  }
  // A tensor that a region captures may lie in another way than the operand
  // that it is, too.
  for (Value value : capturedTensors(op))
    if (llvm::is_contained(op->getOperands(), value))
      extraction.mapping.map(value, extraction.addArgument(value));
  subject.op = extraction.builder.clone(*op, extraction.mapping);
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand)
      subject.op->setOperand(i, operand);
  func::ReturnOp::create(extraction.builder, loc, subject.op->getResults());
  Block &body = subject.function.getBody().front();
  subject.function.setType(builder.getFunctionType(
      body.getArgumentTypes(), subject.op->getResultTypes()));
  subject.operandOf.assign(body.getNumArguments(), -1);
  auto note = [&](Value value) {
    if (isTensor(value))
      subject.operandOf[cast<BlockArgument>(value).getArgNumber()] =
          subject.operandTypes.size();
    subject.operandTypes.push_back(value.getType());
  };
  llvm::for_each(subject.op->getOperands(), note);
  llvm::for_each(capturedTensors(subject.op), note);

  // Computes the arguments from those of the source.
  subject.prefix = cast<func::FuncOp>(builder.clone(*source));
  subject.prefix.setName("prefix");
  IRMapping copied;
  for (auto [from, to] :
       llvm::zip(source.getArguments(), subject.prefix.getArguments()))
    copied.map(from, to);
  for (auto [from, to] :
       llvm::zip(source.getBody().front(), subject.prefix.getBody().front()))
    copied.map(from.getResults(), to.getResults());
  SmallVector<Value> values;
  for (Value value : extraction.sources)
    values.push_back(copied.lookup(value));
  Operation *copiedReturn = subject.prefix.getBody().front().getTerminator();
  SmallVector<Operation *> copiedOp;
  for (Value value : copiedReturn->getOperands())
    copiedOp.push_back(value.getDefiningOp());
  copiedReturn->setOperands(values);
  if (copiedOp.front()->use_empty())
    copiedOp.front()->erase();
  subject.prefix.setType(builder.getFunctionType(
      source.getArgumentTypes(), TypeRange(ValueRange(values))));
  subject.prefix->removeAttr(subject.prefix.getResAttrsAttrName());
  subject.rule = getShardingRule(subject.op);
  if (failed(verifyRule(subject.op, subject.rule)))
    return failure();
  // Operands that the interface leaves out are replicated.
  while (subject.rule.operands.size() < subject.operandTypes.size()) {
    Type type = subject.operandTypes[subject.rule.operands.size()];
    subject.rule.operands.emplace_back().dims.resize(
        isa<RankedTensorType>(type) ? cast<RankedTensorType>(type).getRank()
                                    : 0);
  }
  return subject;
}

bool Subject::hasUnknownExtents() const {
  auto isUnknown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  return llvm::any_of(operandTypes, isUnknown) ||
         llvm::any_of(op->getResultTypes(), isUnknown);
}

FailureOr<SmallVector<RuntimeValue>>
Subject::arguments(Interpreter &interpreter, TestData &data,
                   Flavour flavour) const {
  SmallVector<RuntimeValue> given;
  func::FuncOp from = source;
  for (auto [i, type] : llvm::enumerate(from.getArgumentTypes())) {
    Range range;
    if (auto bounds =
            from.getArgAttrOfType<DenseI64ArrayAttr>(i, "validate.range"))
      range = {bounds[0], bounds[1]};
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      given.push_back(data.scalar(type, flavour, range));
      continue;
    }
    SmallVector<int64_t> shape(tensor.getShape());
    for (int64_t &extent : shape)
      if (ShapedType::isDynamic(extent))
        extent = kUnknownExtent;
    given.push_back(
        data.tensor(tensor.getElementType(), shape, flavour, range));
  }
  FailureOr<SmallVector<RuntimeValue>> values = interpreter.call(prefix, given);
  if (failed(values))
    return failure();
  for (RuntimeValue &value : *values)
    if (value.tensor)
      value.tensor = data.define(value.tensor);
  return values;
}
