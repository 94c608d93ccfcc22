//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that need no knowledge of the op, and the one place that finds an op's
// rule.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace shardir;

#include "ShardIR/Interfaces/ShardingRuleOpInterface.cpp.inc"

int ShardingRule::addFactor(int64_t size, FactorKind kind) {
  Factor factor;
  factor.size = size;
  factor.kind = kind;
  factors.push_back(std::move(factor));
  return factors.size() - 1;
}

std::vector<int64_t> shardir::keyOf(const ShardingRule &rule) {
  std::vector<int64_t> key;
  key.reserve(64);
  auto addTensors = [&](ArrayRef<TensorFactors> tensors) {
    key.push_back(tensors.size());
    for (const TensorFactors &tensor : tensors) {
      key.push_back(tensor.dims.size());
      for (const DimFactors &dim : tensor.dims) {
        key.push_back(dim.size());
        key.insert(key.end(), dim.begin(), dim.end());
      }
      for (size_t dim = 0; dim < tensor.windows.size(); ++dim)
        if (const Window *window = tensor.window(dim))
          key.insert(key.end(),
                     {int64_t(dim), window->size, window->low, window->high,
                      window->stride, window->dilation});
    }
  };
  key.push_back(rule.factors.size());
  for (const Factor &factor : rule.factors) {
    key.push_back(factor.size);
    key.push_back(int64_t(factor.kind));
    key.push_back(factor.isOneBlock);
    for (PartialKind kind : factor.combiners)
      key.push_back(int64_t(kind));
  }
  addTensors(rule.operands);
  addTensors(rule.results);
  for (const PartialRule &partial : rule.partials) {
    key.push_back(partial.kind ? int64_t(*partial.kind) : -1);
    key.push_back(partial.operands.size());
    key.insert(key.end(), partial.operands.begin(), partial.operands.end());
  }
  key.insert(key.end(), rule.inits.begin(), rule.inits.end());
  key.push_back(rule.isFresh);
  key.push_back(rule.takesResultHalo);
  return key;
}

static TensorFactors wholeTensor(Type type) {
  TensorFactors factors;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    factors.dims.resize(tensor.getRank());
  return factors;
}

ShardingRule ShardingRule::replicated(Operation *op, StringRef why) {
  ShardingRule rule;
  for (Type type : op->getOperandTypes())
    rule.operands.push_back(wholeTensor(type));
  for (Type type : op->getResultTypes())
    rule.results.push_back(wholeTensor(type));
  rule.inits.assign(op->getNumResults(), -1);
  rule.replicatedBecause = why.str();
  return rule;
}

ShardingRule ShardingRule::elementwise(Operation *op) {
  ShardingRule rule = replicated(op, "");
  RankedTensorType shape;
  for (Type type : op->getResultTypes())
    if ((shape = dyn_cast<RankedTensorType>(type)))
      break;
  if (!shape)
    return rule;
  TensorFactors factors;
  for (int64_t extent : shapeOf(shape))
    factors.dims.push_back({rule.addFactor(extent)});
  auto matches = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getShape() == shape.getShape();
  };
  for (auto [type, entry] : llvm::zip(op->getOperandTypes(), rule.operands))
    if (matches(type))
      entry = factors;
  for (auto [type, entry] : llvm::zip(op->getResultTypes(), rule.results))
    if (matches(type))
      entry = factors;
  return rule;
}

/// The rule that stands on an op as an attribute.
static ShardingRule readRule(Operation *op, RuleAttr attr) {
  ShardingRule rule = ShardingRule::replicated(op, "");
  llvm::StringMap<int> factors;
  auto read = [&](ArrayAttr lists, TypeRange types,
                  MutableArrayRef<TensorFactors> tensors) {
    for (auto [list, type, tensor] : llvm::zip(lists, types, tensors))
      for (auto [dim, entry] : llvm::enumerate(cast<ArrayAttr>(list))) {
        StringRef name = cast<StringAttr>(entry).getValue();
        if (name == "_")
          continue;
        auto [it, isNew] = factors.try_emplace(name, 0);
        if (isNew)
          it->second =
              rule.addFactor(shapeOf(cast<RankedTensorType>(type))[dim]);
        tensor.dims[dim] = {it->second};
      }
  };
  read(attr.getOperands(), op->getOperandTypes(), rule.operands);
  read(attr.getResults(), op->getResultTypes(), rule.results);
  for (NamedAttribute entry : attr.getReduction()) {
    auto it = factors.find(entry.getName().getValue());
    if (it == factors.end())
      continue;
    Factor &factor = rule.factors[it->second];
    factor.kind = FactorKind::Reduction;
    std::string kind = cast<StringAttr>(entry.getValue()).getValue().str();
    factor.combiners.assign(op->getNumResults(), *parsePartialKind(kind));
  }
  return rule;
}

static ShardingRule ownRule(Operation *op) {
  if (auto attr = op->getAttrOfType<RuleAttr>(ShardIRDialect::kRule))
    return readRule(op, attr);
  if (auto interface = dyn_cast<ShardingRuleOpInterface>(op))
    return interface.getShardingRule();
  std::string why = ("no sharding rule for '" + op->getName().getStringRef() +
                     "'; it runs whole on each device")
                        .str();
  return ShardingRule::replicated(op, why);
}

ShardingRule shardir::getShardingRule(Operation *op) {
  ShardingRule rule = ownRule(op);
  // What the rule does not speak of is whole.
  if (op->getNumRegions() && rule.operands.size() == op->getNumOperands())
    for (Value captured : capturedTensors(op))
      rule.operands.push_back(wholeTensor(captured.getType()));
  return rule;
}

SmallVector<Value> shardir::capturedTensors(Operation *op) {
  // Most bodies are scalar: what an operand is is asked before where it is
  // from.
  llvm::SetVector<Value> captured;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        if (isa<RankedTensorType>(value.getType()) &&
            !op->isAncestor(value.getParentRegion()->getParentOp()))
          captured.insert(value);
    });
  return captured.takeVector();
}
