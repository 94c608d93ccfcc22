//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of arith on single elements. Requires integers of at most 64 bits;
// division by zero, overflow of a signed division and shifts by the width or
// more give an undefined element, as LangRef and arith say.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

using In = ArrayRef<Scalar>;
using Out = MutableArrayRef<Scalar>;

static Type operandType(Operation *op) {
  return getElementTypeOrSelf(op->getOperand(0).getType());
}

template <PartialKind kind>
static void combining(Operation *op, In in, Out out) {
  out[0] = combine(kind, resultType(op), in[0], in[1]);
}

/// A function of two signed numbers, wrapped to the type.
template <int64_t (*f)(int64_t, int64_t)>
static void signedBinary(Operation *op, In in, Out out) {
  out[0].i = wrapTo(resultType(op), f(in[0].i, in[1].i));
}

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static int64_t ceilDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}

static int64_t truncDiv(int64_t a, int64_t b) { return a / b; }
static int64_t signedRest(int64_t a, int64_t b) { return a % b; }

template <int64_t (*f)(int64_t, int64_t)>
static void signedDivision(Operation *op, In in, Out out) {
  Type type = resultType(op);
  int64_t lowest = wrapTo(type, int64_t(1) << (widthOf(type) - 1));
  if (in[1].i == 0 || (in[0].i == lowest && in[1].i == -1))
    out[0].undefined = true;
  else
    out[0].i = wrapTo(type, f(in[0].i, in[1].i));
}

static uint64_t unsignedDiv(uint64_t a, uint64_t b) { return a / b; }
static uint64_t unsignedRest(uint64_t a, uint64_t b) { return a % b; }
static uint64_t unsignedCeilDiv(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}

template <uint64_t (*f)(uint64_t, uint64_t)>
static void unsignedDivision(Operation *op, In in, Out out) {
  Type type = resultType(op);
  if (in[1].i == 0)
    out[0].undefined = true;
  else
    out[0].i = wrapTo(type, f(bitsOf(type, in[0].i), bitsOf(type, in[1].i)));
}

enum class Shift { Left, RightSigned, RightUnsigned };

template <Shift shift> static void shifting(Operation *op, In in, Out out) {
  Type type = resultType(op);
  uint64_t by = bitsOf(type, in[1].i);
  if (by >= widthOf(type)) {
    out[0].undefined = true;
    return;
  }
  if (shift == Shift::Left)
    out[0].i = uint64_t(in[0].i) << by;
  else if (shift == Shift::RightSigned)
    out[0].i = in[0].i >> by;
  else
    out[0].i = bitsOf(type, in[0].i) >> by;
  out[0].i = wrapTo(type, out[0].i);
}

static double subtract(double a, double b) { return a - b; }
static double divide(double a, double b) { return a / b; }

static void compareIntegers(Operation *op, In in, Out out) {
  Type type = operandType(op);
  uint64_t x = bitsOf(type, in[0].i), y = bitsOf(type, in[1].i);
  int64_t a = in[0].i, b = in[1].i;
  bool holds = false;
  switch (cast<arith::CmpIOp>(op).getPredicate()) {
  case arith::CmpIPredicate::eq:
    holds = a == b;
    break;
  case arith::CmpIPredicate::ne:
    holds = a != b;
    break;
  case arith::CmpIPredicate::slt:
    holds = a < b;
    break;
  case arith::CmpIPredicate::sle:
    holds = a <= b;
    break;
  case arith::CmpIPredicate::sgt:
    holds = a > b;
    break;
  case arith::CmpIPredicate::sge:
    holds = a >= b;
    break;
  case arith::CmpIPredicate::ult:
    holds = x < y;
    break;
  case arith::CmpIPredicate::ule:
    holds = x <= y;
    break;
  case arith::CmpIPredicate::ugt:
    holds = x > y;
    break;
  case arith::CmpIPredicate::uge:
    holds = x >= y;
    break;
  }
  out[0].i = holds ? -1 : 0;
}

static void compareFloats(Operation *op, In in, Out out) {
  double a = in[0].re, b = in[1].re;
  bool unordered = std::isnan(a) || std::isnan(b);
  bool holds = false;
  using P = arith::CmpFPredicate;
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case P::AlwaysFalse:
    break;
  case P::AlwaysTrue:
    holds = true;
    break;
  case P::OEQ:
    holds = a == b;
    break;
  case P::UEQ:
    holds = unordered || a == b;
    break;
  case P::OGT:
    holds = a > b;
    break;
  case P::UGT:
    holds = unordered || a > b;
    break;
  case P::OGE:
    holds = a >= b;
    break;
  case P::UGE:
    holds = unordered || a >= b;
    break;
  case P::OLT:
    holds = a < b;
    break;
  case P::ULT:
    holds = unordered || a < b;
    break;
  case P::OLE:
    holds = a <= b;
    break;
  case P::ULE:
    holds = unordered || a <= b;
    break;
  case P::ONE:
    holds = !unordered && a != b;
    break;
  case P::UNE:
    holds = unordered || a != b;
    break;
  case P::ORD:
    holds = !unordered;
    break;
  case P::UNO:
    holds = unordered;
    break;
  }
  out[0].i = holds ? -1 : 0;
}

static void selectOne(Operation *, In in, Out out) {
  out[0] = in[0].i ? in[1] : in[2];
}

static void negate(Operation *, In in, Out out) { out[0].re = -in[0].re; }

static void castFloat(Operation *op, In in, Out out) {
  out[0].re = roundTo(resultType(op), in[0].re);
}

static void castSigned(Operation *op, In in, Out out) {
  out[0].i = wrapTo(resultType(op), in[0].i);
}

static void castUnsigned(Operation *op, In in, Out out) {
  out[0].i = wrapTo(resultType(op), bitsOf(operandType(op), in[0].i));
}

static void signedToFloat(Operation *op, In in, Out out) {
  out[0].re = roundTo(resultType(op), in[0].i);
}

static void unsignedToFloat(Operation *op, In in, Out out) {
  out[0].re = roundTo(resultType(op), bitsOf(operandType(op), in[0].i));
}

template <bool isSigned>
static void floatToInteger(Operation *op, In in, Out out) {
  unsigned width = widthOf(resultType(op));
  double value = std::trunc(in[0].re);
  double low = isSigned ? -std::ldexp(1.0, width - 1) : 0;
  double high = std::ldexp(1.0, isSigned ? width - 1 : width);
  if (!(value >= low && value < high)) {
    out[0].undefined = true;
    return;
  }
  out[0].i = wrapTo(resultType(op),
                    isSigned ? int64_t(value) : int64_t(uint64_t(value)));
}

static llvm::APFloat floatOf(FloatType type, double value) {
  llvm::APFloat number(value);
  bool loses;
  number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                 &loses);
  return number;
}

static void bitcast(Operation *op, In in, Out out) {
  Type from = operandType(op), to = resultType(op);
  uint64_t bits = 0;
  if (auto type = dyn_cast<FloatType>(from))
    bits = floatOf(type, in[0].re).bitcastToAPInt().getZExtValue();
  else
    bits = bitsOf(from, in[0].i);
  if (auto type = dyn_cast<FloatType>(to)) {
    llvm::APFloat number(type.getFloatSemantics(),
                         llvm::APInt(type.getWidth(), bits));
    bool loses;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &loses);
    out[0].re = number.convertToDouble();
  } else {
    out[0].i = wrapTo(to, bits);
  }
}

static void addWithCarry(Operation *op, In in, Out out) {
  Type type = resultType(op);
  uint64_t x = bitsOf(type, in[0].i);
  out[0].i = wrapTo(type, x + bitsOf(type, in[1].i));
  out[1].i = bitsOf(type, out[0].i) < x ? -1 : 0;
}

template <bool isSigned>
static void multiplyWide(Operation *op, In in, Out out) {
  Type type = resultType(op);
  unsigned width = widthOf(type);
  auto wide = [&](const Scalar &scalar) {
    llvm::APInt narrow(width, bitsOf(type, scalar.i));
    return isSigned ? narrow.sext(2 * width) : narrow.zext(2 * width);
  };
  llvm::APInt product = wide(in[0]) * wide(in[1]);
  out[0].i = wrapTo(type, product.trunc(width).getZExtValue());
  out[1].i = wrapTo(type, product.lshr(width).trunc(width).getZExtValue());
}

std::optional<RuntimeValue> validate::constantValue(Attribute value,
                                                    Type type) {
  auto scalarOf = [](Attribute attribute) -> std::optional<Scalar> {
    if (auto number = dyn_cast<IntegerAttr>(attribute)) {
      if (number.getValue().getBitWidth() > 64)
        return std::nullopt;
      return integer(number.getValue().getSExtValue());
    }
    if (auto number = dyn_cast<FloatAttr>(attribute))
      return real(number.getValueAsDouble());
    if (auto parts = dyn_cast<ArrayAttr>(attribute);
        parts && parts.size() == 2 && isa<FloatAttr>(parts[0])) {
      Scalar scalar = real(cast<FloatAttr>(parts[0]).getValueAsDouble());
      scalar.im = cast<FloatAttr>(parts[1]).getValueAsDouble();
      return scalar;
    }
    return std::nullopt;
  };
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType) {
    std::optional<Scalar> scalar = scalarOf(value);
    return scalar ? std::optional<RuntimeValue>(*scalar) : std::nullopt;
  }
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return std::nullopt;
  auto tensor = makeTensor(tensorType.getElementType(), tensorType.getShape());
  Type element = tensorType.getElementType();
  if (isa<ComplexType>(element)) {
    if (!isa<FloatType>(cast<ComplexType>(element).getElementType()))
      return std::nullopt;
    for (auto [to, from] :
         llvm::zip(tensor->elements,
                   elements.getValues<std::complex<llvm::APFloat>>())) {
      to = real(FloatAttr::get(cast<ComplexType>(element).getElementType(),
                               from.real())
                    .getValueAsDouble());
      to.im = FloatAttr::get(cast<ComplexType>(element).getElementType(),
                             from.imag())
                  .getValueAsDouble();
    }
    return RuntimeValue(Tensor(tensor));
  }
  for (auto [to, from] :
       llvm::zip(tensor->elements, elements.getValues<Attribute>())) {
    std::optional<Scalar> scalar = scalarOf(from);
    if (!scalar)
      return std::nullopt;
    to = *scalar;
  }
  return RuntimeValue(Tensor(tensor));
}

static LogicalResult runConstant(Interpreter &interpreter, Operation *op,
                                 Interpreter::Operands,
                                 Interpreter::Results &results) {
  std::optional<RuntimeValue> value =
      constantValue(op->getAttr("value"), op->getResult(0).getType());
  if (!value)
    return interpreter.fail(op, "has a constant that cannot be read here");
  results.push_back(*value);
  return success();
}

void validate::addArithHandlers(HandlerTable &table) {
  table.add("arith.constant", runConstant);
  table.add("complex.constant", runConstant);
  const std::pair<StringRef, Interpreter::ScalarHandler> ops[] = {
      {"arith.addi", combining<PartialKind::Sum>},
      {"arith.addf", combining<PartialKind::Sum>},
      {"arith.muli", combining<PartialKind::Prod>},
      {"arith.mulf", combining<PartialKind::Prod>},
      {"arith.maximumf", combining<PartialKind::Max>},
      {"arith.minimumf", combining<PartialKind::Min>},
      {"arith.maxnumf", combining<PartialKind::MaxNum>},
      {"arith.minnumf", combining<PartialKind::MinNum>},
      {"arith.maxsi", combining<PartialKind::Max>},
      {"arith.minsi", combining<PartialKind::Min>},
      {"arith.maxui", combining<PartialKind::UMax>},
      {"arith.minui", combining<PartialKind::UMin>},
      {"arith.andi", combining<PartialKind::And>},
      {"arith.ori", combining<PartialKind::Or>},
      {"arith.xori", combining<PartialKind::Xor>},
      {"arith.subi",
       [](Operation *op, In in, Out out) {
         out[0].i =
             wrapTo(resultType(op), uint64_t(in[0].i) - uint64_t(in[1].i));
       }},
      {"arith.subf", floatBinary<subtract>},
      {"arith.divf", floatBinary<divide>},
      {"arith.remf", floatBinary<std::fmod>},
      {"arith.negf", negate},
      {"arith.divsi", signedDivision<truncDiv>},
      {"arith.floordivsi", signedDivision<floorDiv>},
      {"arith.ceildivsi", signedDivision<ceilDiv>},
      {"arith.remsi", signedDivision<signedRest>},
      {"arith.divui", unsignedDivision<unsignedDiv>},
      {"arith.ceildivui", unsignedDivision<unsignedCeilDiv>},
      {"arith.remui", unsignedDivision<unsignedRest>},
      {"arith.shli", shifting<Shift::Left>},
      {"arith.shrsi", shifting<Shift::RightSigned>},
      {"arith.shrui", shifting<Shift::RightUnsigned>},
      {"arith.cmpi", compareIntegers},
      {"arith.cmpf", compareFloats},
      {"arith.select", selectOne},
      {"arith.extf", castFloat},
      {"arith.truncf", castFloat},
      {"arith.extsi", castSigned},
      {"arith.extui", castUnsigned},
      {"arith.trunci", castSigned},
      {"arith.index_cast", castSigned},
      {"arith.index_castui", castUnsigned},
      {"arith.sitofp", signedToFloat},
      {"arith.uitofp", unsignedToFloat},
      {"arith.fptosi", floatToInteger<true>},
      {"arith.fptoui", floatToInteger<false>},
      {"arith.bitcast", bitcast},
      {"tensor.bitcast", bitcast},
      {"arith.addui_extended", addWithCarry},
      {"arith.mulsi_extended", multiplyWide<true>},
      {"arith.mului_extended", multiplyWide<false>},
  };
  for (auto [name, handler] : ops)
    table.addScalar(name, handler);
}
