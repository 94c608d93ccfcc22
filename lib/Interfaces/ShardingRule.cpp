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
#include "ShardIR/Interfaces/VerifyRule.h"
#include "ShardIR/Placement/Halo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

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

//===----------------------------------------------------------------------===//
// Numbers that are known at run time
//===----------------------------------------------------------------------===//

/// The value that decisions assume for an index that follows from extents;
/// nothing where it comes from elsewhere.
static std::optional<int64_t> assumedValue(Value value, int depth = 0) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || depth > 16)
    return std::nullopt;
  if (op->getName().getStringRef() == "tensor.dim") {
    auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto dim = getConstantIntValue(op->getOperand(1));
    if (!type || !dim || *dim < 0 || *dim >= type.getRank())
      return std::nullopt;
    return type.isDynamicDim(*dim) ? kAssumedDimSize : type.getDimSize(*dim);
  }
  if (isa<arith::IndexCastOp>(op))
    return assumedValue(op->getOperand(0), depth + 1);
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  auto a = assumedValue(op->getOperand(0), depth + 1);
  auto b = assumedValue(op->getOperand(1), depth + 1);
  auto isSmall = [](std::optional<int64_t> v) {
    return v && *v >= -kMaxWindow && *v <= kMaxWindow;
  };
  if (!isSmall(a) || !isSmall(b))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::AddIOp) { return *a + *b; })
      .Case([&](arith::SubIOp) { return *a - *b; })
      .Case([&](arith::MulIOp) { return *a * *b; })
      .Case([&](arith::MinSIOp) { return std::min(*a, *b); })
      .Case([&](arith::MaxSIOp) { return std::max(*a, *b); })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) -> std::optional<int64_t> {
            if (*a < 0 || *b <= 0)
              return std::nullopt;
            return *a / *b;
          })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) -> std::optional<int64_t> {
            if (*a < 0 || *b <= 0)
              return std::nullopt;
            return llvm::divideCeil(*a, *b);
          })
      .Default([](Operation *) { return std::optional<int64_t>(); });
}

/// Stays in the range of a window's numbers.
static int64_t clamped(int64_t number) {
  return std::clamp<int64_t>(number, -kMaxWindow, kMaxWindow);
}

void RunTimeNumber::add(OpFoldResult size, Operation *op, int64_t factor,
                        int64_t otherwise) {
  if (std::optional<int64_t> known = getConstantIntValue(size)) {
    constant += factor * *known;
    assumed = clamped(assumed + factor * clamped(*known));
    return;
  }
  auto value = cast<Value>(size);
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == value && !isa<ShapedType>(value.getType())) {
      terms.push_back({int(operand.getOperandNumber()), -1, factor});
      break;
    }
  assumed = clamped(assumed +
                    factor * clamped(assumedValue(value).value_or(otherwise)));
}

void RunTimeNumber::addDim(Operation *op, int operand, int64_t dim,
                           int64_t factor) {
  auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
  if (!type.isDynamicDim(dim))
    return add(Builder(op).getIndexAttr(type.getDimSize(dim)), op, factor);
  terms.push_back({operand, dim, factor});
  assumed = clamped(assumed + factor * kAssumedDimSize);
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
                      window->stride, window->dilation,
                      window->open ? window->open->extent.assumed : -1,
                      window->open ? window->open->shift.assumed : 0});
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
  key.push_back(rule.isRematerializable);
  key.push_back(rule.takesResultHalo);
  key.push_back(int64_t(rule.moves));
  return key;
}

static TensorFactors globalTensor(Type type) {
  TensorFactors factors;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    factors.dims.resize(tensor.getRank());
  return factors;
}

ShardingRule ShardingRule::replicated(Operation *op, StringRef why) {
  ShardingRule rule;
  for (Type type : op->getOperandTypes())
    rule.operands.push_back(globalTensor(type));
  for (Type type : op->getResultTypes())
    rule.results.push_back(globalTensor(type));
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

/// The rule that stands on an op as an attribute, which may fit the op or not,
/// and the names of its factors.
static ShardingRule readRule(Operation *op, RuleAttr attr,
                             SmallVectorImpl<StringRef> &names) {
  ShardingRule rule;
  rule.inits.assign(op->getNumResults(), -1);
  llvm::StringMap<int> factors;
  auto factorOf = [&](StringRef name) {
    auto [it, isNew] = factors.try_emplace(name, int(names.size()));
    if (isNew) {
      rule.addFactor(kUnknown);
      names.push_back(name);
    }
    return it->second;
  };
  auto read = [&](ArrayAttr lists, TypeRange types,
                  SmallVectorImpl<TensorFactors> &tensors) {
    for (auto [i, list] : llvm::enumerate(lists)) {
      TensorFactors &tensor = tensors.emplace_back();
      auto type = i < types.size() ? dyn_cast<RankedTensorType>(types[i])
                                   : RankedTensorType();
      for (auto [dim, entry] : llvm::enumerate(cast<ArrayAttr>(list))) {
        DimFactors &own = tensor.dims.emplace_back();
        StringRef name = cast<StringAttr>(entry).getValue();
        if (name == "_")
          continue;
        own = {factorOf(name)};
        // The size is that of the first dim which tells one.
        Factor &factor = rule.factors[own[0]];
        if (factor.size == kUnknown && type && int64_t(dim) < type.getRank())
          factor.size = shapeOf(type)[dim];
      }
    }
  };
  read(attr.getOperands(), op->getOperandTypes(), rule.operands);
  read(attr.getResults(), op->getResultTypes(), rule.results);
  for (NamedAttribute entry : attr.getReduction()) {
    Factor &factor = rule.factors[factorOf(entry.getName().getValue())];
    factor.kind = FactorKind::Reduction;
    std::string kind = cast<StringAttr>(entry.getValue()).getValue().str();
    factor.combiners.assign(op->getNumResults(), *parsePartialKind(kind));
  }
  return rule;
}

LogicalResult shardir::verifyRule(Operation *op, RuleAttr attr) {
  SmallVector<StringRef> names;
  ShardingRule rule = readRule(op, attr, names);
  return verifyRule(op, rule, names);
}

bool shardir::hasShardingRule(Operation *op) {
  return op->hasAttr(ShardIRDialect::kRule) || isa<ShardingRuleOpInterface>(op);
}

static SharedRule ownRule(Operation *op) {
  if (auto attr = op->getAttrOfType<RuleAttr>(ShardIRDialect::kRule)) {
    SmallVector<StringRef> names;
    return readRule(op, attr, names);
  }
  if (auto interface = dyn_cast<ShardingRuleOpInterface>(op))
    return interface.getShardingRule();
  std::string why = ("no sharding rule for '" + op->getName().getStringRef() +
                     "'; it runs replicated on each device")
                        .str();
  return ShardingRule::replicated(op, why);
}

SharedRule::SharedRule() {
  static const auto empty = std::make_shared<const ShardingRule>();
  rule = empty;
}

SharedRule shardir::getShardingRule(Operation *op) {
  SharedRule own = ownRule(op);
  if (!op->getNumRegions() || own->operands.size() != op->getNumOperands())
    return own;
  SmallVector<Value> captured = capturedTensors(op);
  if (captured.empty())
    return own;
  // Dims that the rule does not mention are unsharded.
  ShardingRule rule = own;
  for (Value value : captured)
    rule.operands.push_back(globalTensor(value.getType()));
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
