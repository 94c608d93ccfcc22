//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the program in its order, in which each index and each unknown
// extent gets an expression. Attributes are unique, so that equal expressions
// compare by pointer. See Extents.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Extents.h"
#include "ShardIR/Analysis/ExtentRules.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

namespace {

/// Larger expressions are not worth their text; they could double with each op.
constexpr unsigned kMaxSize = 32;
/// In deeper loops extents that are carried are not followed: each level is
/// walked twice at most.
constexpr unsigned kMaxDepth = 4;

} // namespace

class Extents::Walker {
public:
  using Extent = Attribute;

  explicit Walker(MLIRContext *context) : builder(context) {}

  void visit(Block &block, unsigned depth);
  Attribute of(Value tensor, int64_t dim) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return constant(type.getDimSize(dim));
    return extents.lookup({tensor, dim});
  }
  void set(Value tensor, int64_t dim, Attribute extent) {
    extents[{tensor, dim}] = extent;
  }

  Attribute scalar(OpFoldResult size) {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return constant(*known);
    auto value = dyn_cast<Value>(size);
    return value ? scalars.lookup(value) : Attribute();
  }
  Attribute constant(int64_t value) { return builder.getI64IntegerAttr(value); }
  Attribute add(Attribute a, Attribute b) { return combine("add", a, b); }
  Attribute mul(Attribute a, Attribute b) { return combine("mul", a, b); }
  Attribute div(Attribute a, Attribute b) { return combine("div", a, b); }

private:
  Attribute combine(StringRef name, Attribute a, Attribute b);
  Attribute cancel(Attribute a, Attribute b);
  Attribute combineWithNumber(StringRef name, Attribute a, int64_t b);
  std::optional<bool> decide(Value condition);
  Attribute atLeast(arith::SelectOp select);
  Attribute evaluate(AffineExpr e, ArrayRef<Attribute> dims,
                     ArrayRef<Attribute> symbols);
  void visitScalar(Operation *op);
  void visitTensors(Operation *op);
  void visitLoop(scf::ForOp loop, unsigned depth);
  void visitBranches(Operation *op, unsigned depth);

  Builder builder;
  llvm::DenseMap<std::pair<Value, int64_t>, Attribute> extents;
  llvm::DenseMap<Value, Attribute> scalars;
  llvm::DenseMap<Attribute, unsigned> sizes; ///< of expressions above 1
};

/// A number that is not greater than an expression, if one is known.
static std::optional<int64_t> leastOf(Attribute e) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(e))
    return number.getInt();
  auto list = dyn_cast_or_null<ArrayAttr>(e);
  if (!list)
    return std::nullopt;
  if (list.size() == 2) // an argument's
    return 0;
  StringRef name = cast<StringAttr>(list[0]).getValue();
  std::optional<int64_t> a = leastOf(list[1]), b = leastOf(list[2]);
  if (name == "max" && (a || b))
    return a && b ? std::max(*a, *b) : a ? a : b;
  if (!a || !b)
    return std::nullopt;
  if (name == "min")
    return std::min(*a, *b);
  int64_t sum;
  if (name == "add")
    return llvm::AddOverflow(*a, *b, sum) ? std::nullopt : std::optional(sum);
  if ((name == "mul" || name == "div" || name == "rem") && *a >= 0 && *b >= 0)
    return 0;
  return std::nullopt;
}

/// The operands of an expression `name` of something and a number.
static std::pair<Attribute, std::optional<int64_t>> withNumber(StringRef name,
                                                               Attribute e) {
  auto list = dyn_cast<ArrayAttr>(e);
  if (!list || list.size() != 3 || cast<StringAttr>(list[0]).getValue() != name)
    return {};
  auto number = dyn_cast<IntegerAttr>(list[2]);
  return {list[1], number ? std::optional(number.getInt()) : std::nullopt};
}

/// An expression as another one times a number.
static std::pair<Attribute, int64_t> scaled(Attribute e) {
  auto [of, factor] = withNumber("mul", e);
  return factor ? std::pair(of, *factor) : std::pair(e, int64_t(1));
}

/// The factors of a product, and the number among them.
static std::pair<SmallVector<Attribute>, int64_t> factorsOf(Attribute e) {
  if (auto number = dyn_cast<IntegerAttr>(e))
    return {{}, number.getInt()};
  auto list = cast<ArrayAttr>(e);
  if (list.size() != 3 || cast<StringAttr>(list[0]).getValue() != "mul")
    return {{e}, 1};
  auto [factors, number] = factorsOf(list[1]);
  auto [others, other] = factorsOf(list[2]);
  llvm::append_range(factors, others);
  return {factors, number * other};
}

/// The quotient of products of which one has all factors of the other; null for
/// others. Nothing is divided by zero in a program that does not go wrong.
Attribute Extents::Walker::cancel(Attribute a, Attribute b) {
  auto [factors, number] = factorsOf(a);
  auto [others, divisor] = factorsOf(b);
  if (divisor <= 0 || number % divisor != 0)
    return {};
  for (Attribute other : others) {
    auto *found = llvm::find(factors, other);
    if (found == factors.end())
      return {};
    factors.erase(found);
  }
  Attribute product = constant(number / divisor);
  for (Attribute factor : factors)
    product = mul(product, factor);
  return product;
}

/// An expression that is simpler than `a` and the number `b` combined; null
/// where there is none.
Attribute Extents::Walker::combineWithNumber(StringRef name, Attribute a,
                                             int64_t b) {
  std::optional<int64_t> least = leastOf(a);
  int64_t result;
  if (name == "sub" && b != std::numeric_limits<int64_t>::min())
    return combine("add", a, constant(-b));
  if (name == "add") {
    if (b == 0)
      return a;
    auto [of, added] = withNumber("add", a);
    if (added && !llvm::AddOverflow(*added, b, result))
      return combine("add", of, constant(result));
  }
  auto [of, factor] = withNumber("mul", a);
  if (name == "mul" && b == 1)
    return a;
  if (name == "mul" && factor && !llvm::MulOverflow(*factor, b, result))
    return combine("mul", of, constant(result));
  if (name == "min" && least && *least >= b)
    return constant(b);
  if (name == "max" && least && *least >= b)
    return a;
  return {};
}

Attribute Extents::Walker::combine(StringRef name, Attribute a, Attribute b) {
  if (!a || !b)
    return {};
  auto x = dyn_cast<IntegerAttr>(a), y = dyn_cast<IntegerAttr>(b);
  bool commutes =
      name == "add" || name == "mul" || name == "min" || name == "max";
  if (x && !y && commutes)
    return combine(name, b, a);
  if (x && y && (name == "add" || name == "mul")) {
    int64_t result;
    bool overflows = name == "add"
                         ? llvm::AddOverflow(x.getInt(), y.getInt(), result)
                         : llvm::MulOverflow(x.getInt(), y.getInt(), result);
    return overflows ? Attribute() : constant(result);
  }
  if (a == b && (name == "min" || name == "max"))
    return a;
  if (y)
    if (Attribute simple = combineWithNumber(name, a, y.getInt()))
      return simple;
  if (name == "div")
    if (Attribute simple = cancel(a, b))
      return simple;
  // The parts of a concatenation have one extent.
  auto [part, times] = scaled(a);
  auto [other, otherTimes] = scaled(b);
  int64_t count;
  if (name == "add" && part == other &&
      !llvm::AddOverflow(times, otherTimes, count))
    return mul(part, constant(count));
  auto sizeOf = [&](Attribute e) { return std::max(1u, sizes.lookup(e)); };
  unsigned size = sizeOf(a) + sizeOf(b) + 1;
  if (size > kMaxSize)
    return {};
  Attribute result = builder.getArrayAttr({builder.getStringAttr(name), a, b});
  sizes[result] = size;
  return result;
}

Attribute Extents::Walker::evaluate(AffineExpr e, ArrayRef<Attribute> dims,
                                    ArrayRef<Attribute> symbols) {
  if (auto number = dyn_cast<AffineConstantExpr>(e))
    return constant(number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(e))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
    return symbols[symbol.getPosition()];
  auto both = cast<AffineBinaryOpExpr>(e);
  Attribute a = evaluate(both.getLHS(), dims, symbols),
            b = evaluate(both.getRHS(), dims, symbols);
  switch (e.getKind()) {
  case AffineExprKind::Add:
    return add(a, b);
  case AffineExprKind::Mul:
    return mul(a, b);
  case AffineExprKind::Mod:
    return combine("rem", a, b);
  case AffineExprKind::FloorDiv:
    return div(a, b);
  case AffineExprKind::CeilDiv:
    return div(combine("sub", add(a, b), constant(1)), b);
  default:
    return {};
  }
}

/// Exporters ask whether a size is negative before they use it.
std::optional<bool> Extents::Walker::decide(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  std::optional<int64_t> least = leastOf(scalar(compare.getLhs())),
                         bound = getConstantIntValue(compare.getRhs());
  if (!least || !bound)
    return std::nullopt;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return *least >= *bound ? std::optional(false) : std::nullopt;
  case arith::CmpIPredicate::eq:
    return *least > *bound ? std::optional(false) : std::nullopt;
  case arith::CmpIPredicate::sge:
    return *least >= *bound ? std::optional(true) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// `x < b ? b - 1 : x` is the larger of x and b - 1: a start or an end that
/// counts from the end, and is before the first element.
Attribute Extents::Walker::atLeast(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  std::optional<int64_t> least = getConstantIntValue(select.getTrueValue());
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      compare.getLhs() != select.getFalseValue() || !least)
    return {};
  std::optional<int64_t> bound = getConstantIntValue(compare.getRhs());
  if (!bound || (*least != *bound && *least != *bound - 1))
    return {};
  return combine("max", scalar(OpFoldResult(select.getFalseValue())),
                 constant(*least));
}

void Extents::Walker::visitScalar(Operation *op) {
  Value result = op->getResult(0);
  if (std::optional<int64_t> known = getConstantIntValue(result)) {
    scalars[result] = constant(*known);
    return;
  }
  if (auto query = dyn_cast<tensor::DimOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(query.getSource().getType());
    std::optional<int64_t> dim = query.getConstantIndex();
    if (type && dim && *dim >= 0 && *dim < type.getRank())
      scalars[result] = of(query.getSource(), *dim);
    return;
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<Attribute> operands;
    for (Value operand : apply.getOperands())
      operands.push_back(scalar(OpFoldResult(operand)));
    ArrayRef<Attribute> all = operands;
    unsigned dims = apply.getAffineMap().getNumDims();
    scalars[result] = evaluate(apply.getAffineMap().getResult(0),
                               all.take_front(dims), all.drop_front(dims));
    return;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (std::optional<bool> taken = decide(select.getCondition()))
      scalars[result] = scalar(OpFoldResult(*taken ? select.getTrueValue()
                                                   : select.getFalseValue()));
    else
      scalars[result] = atLeast(select);
    return;
  }
  // Numbers of fewer bits may wrap.
  auto isWide = [](Type type) { return type.isIndex() || type.isInteger(64); };
  if (!llvm::all_of(op->getOperandTypes(), isWide) || !isWide(result.getType()))
    return;
  if (isa<arith::IndexCastOp>(op)) {
    scalars[result] = scalar(OpFoldResult(op->getOperand(0)));
    return;
  }
  StringRef name =
      llvm::TypeSwitch<Operation *, StringRef>(op)
          .Case<arith::AddIOp>([](Operation *) { return "add"; })
          .Case<arith::SubIOp>([](Operation *) { return "sub"; })
          .Case<arith::MulIOp>([](Operation *) { return "mul"; })
          .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
              [](Operation *) { return "div"; })
          .Case<arith::RemUIOp, arith::RemSIOp>(
              [](Operation *) { return "rem"; })
          .Case<arith::MinSIOp>([](Operation *) { return "min"; })
          .Case<arith::MaxSIOp>([](Operation *) { return "max"; })
          .Default([](Operation *) { return StringRef(); });
  if (!name.empty())
    scalars[result] = combine(name, scalar(OpFoldResult(op->getOperand(0))),
                              scalar(OpFoldResult(op->getOperand(1))));
}

void Extents::Walker::visitTensors(Operation *op) {
  std::optional<SharedRule> rule;
  for (OpResult result : op->getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          set(result, dim, extentOf(result, dim, rule, *this));
}

void Extents::Walker::visitLoop(scf::ForOp loop, unsigned depth) {
  // An extent is carried unchanged where, if all are, its own is.
  for (bool follows : {true, false}) {
    if (depth >= kMaxDepth && follows)
      continue;
    bool holds = true;
    auto forEach = [&](auto &&body) {
      for (auto [init, argument, yielded, result] :
           llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(),
                     loop.getYieldedValues(), loop.getResults()))
        if (auto type = dyn_cast<RankedTensorType>(result.getType()))
          for (int64_t dim = 0; dim < type.getRank(); ++dim)
            if (type.isDynamicDim(dim))
              body(init, argument, yielded, result, dim);
    };
    forEach([&](Value init, Value argument, Value, Value, int64_t dim) {
      set(argument, dim, follows ? of(init, dim) : Attribute());
    });
    visit(*loop.getBody(), depth + 1);
    forEach([&](Value init, Value, Value yielded, Value result, int64_t dim) {
      Attribute before = of(init, dim);
      holds &= follows && before && before == of(yielded, dim);
      set(result, dim, follows ? before : Attribute());
    });
    if (holds)
      return;
  }
}

void Extents::Walker::visitBranches(Operation *op, unsigned depth) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      visit(block, depth);
  // An extent that is equal in all branches.
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      std::optional<Attribute> common;
      for (Region &region : op->getRegions())
        for (Block &block : region) {
          Value yielded =
              block.getTerminator()->getOperand(result.getResultNumber());
          Attribute extent = of(yielded, dim);
          common = common && *common != extent ? Attribute() : extent;
        }
      set(result, dim, common.value_or(Attribute()));
    }
  }
}

void Extents::Walker::visit(Block &block, unsigned depth) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop, depth);
      continue;
    }
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
      visitBranches(&op, depth);
      continue;
    }
    // Values that leave other regions are not followed.
    if (op.getNumRegions() > 0 && !isa<DestinationStyleOpInterface>(op) &&
        !isa<tensor::GenerateOp, tensor::PadOp>(op))
      continue;
    if (op.getNumResults() == 1 && op.getResult(0).getType().isIntOrIndex())
      visitScalar(&op);
    else
      visitTensors(&op);
  }
}

Attribute shardir::argumentExtent(FunctionOpInterface function, unsigned number,
                                  int64_t dim) {
  Builder builder(function.getContext());
  Attribute extent = builder.getArrayAttr(
      {builder.getI64IntegerAttr(number), builder.getI64IntegerAttr(dim)});
  // One step per argument at most: declarations in a circle end somewhere.
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto declared =
        function.getArgAttrOfType<ArrayAttr>(number, ShardIRDialect::kExtents);
    if (!declared || isa<UnitAttr>(declared[dim]))
      break;
    extent = declared[dim];
    auto other = dyn_cast<ArrayAttr>(extent);
    if (!other)
      break;
    number = cast<IntegerAttr>(other[0]).getInt();
    dim = cast<IntegerAttr>(other[1]).getInt();
  }
  return extent;
}

Extents::Extents(func::FuncOp function)
    : walker(std::make_unique<Walker>(function.getContext())) {
  Block &body = function.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          walker->set(argument, dim,
                      argumentExtent(function, argument.getArgNumber(), dim));
  walker->visit(body, 0);
}

Extents::~Extents() = default;

Attribute Extents::of(Value tensor, int64_t dim) {
  return walker->of(tensor, dim);
}

Attribute Extents::of(OpFoldResult scalar) { return walker->scalar(scalar); }
