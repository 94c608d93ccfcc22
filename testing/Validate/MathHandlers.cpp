//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of math and complex on single elements, with the C library's
// functions in double precision, rounded to the op's type. Requires nothing;
// guarantees equal results for equal operands.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <complex>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

using In = ArrayRef<Scalar>;
using Out = MutableArrayRef<Scalar>;
using Complex = std::complex<double>;

//===----------------------------------------------------------------------===//
// math
//===----------------------------------------------------------------------===//

template <double (*f)(double)>
static void floatUnary(Operation *op, In in, Out out) {
  out[0].re = roundTo(resultType(op), f(in[0].re));
}

template <bool (*f)(double)> static void classify(Operation *, In in, Out out) {
  out[0].i = f(in[0].re) ? -1 : 0;
}

static double rsqrt(double x) { return 1 / std::sqrt(x); }
static double erfcOf(double x) { return std::erfc(x); }
static bool isNaN(double x) { return std::isnan(x); }
static bool isInf(double x) { return std::isinf(x); }
static bool isFinite(double x) { return std::isfinite(x); }
static bool isNormal(double x) { return std::isnormal(x); }

static int64_t power(int64_t base, int64_t exponent) {
  uint64_t result = 1, square = base;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1)
      result *= square;
    square *= square;
  }
  return result;
}

static void integerPower(Operation *op, In in, Out out) {
  int64_t base = in[0].i, exponent = in[1].i;
  if (exponent >= 0)
    out[0].i = power(base, exponent);
  else if (base == 0)
    out[0].undefined = true;
  else
    // 1 / base^n is 0 but for the units.
    out[0].i = base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  out[0].i = wrapTo(resultType(op), out[0].i);
}

static void addMath(HandlerTable &table) {
  const std::pair<StringRef, Interpreter::ScalarHandler> ops[] = {
      {"math.absf", floatUnary<std::fabs>},
      {"math.acos", floatUnary<std::acos>},
      {"math.acosh", floatUnary<std::acosh>},
      {"math.asin", floatUnary<std::asin>},
      {"math.asinh", floatUnary<std::asinh>},
      {"math.atan", floatUnary<std::atan>},
      {"math.atanh", floatUnary<std::atanh>},
      {"math.atan2", floatBinary<std::atan2>},
      {"math.cbrt", floatUnary<std::cbrt>},
      {"math.ceil", floatUnary<std::ceil>},
      {"math.copysign", floatBinary<std::copysign>},
      {"math.cos", floatUnary<std::cos>},
      {"math.cosh", floatUnary<std::cosh>},
      {"math.erf", floatUnary<std::erf>},
      {"math.erfc", floatUnary<erfcOf>},
      {"math.exp", floatUnary<std::exp>},
      {"math.exp2", floatUnary<std::exp2>},
      {"math.expm1", floatUnary<std::expm1>},
      {"math.floor", floatUnary<std::floor>},
      {"math.log", floatUnary<std::log>},
      {"math.log10", floatUnary<std::log10>},
      {"math.log1p", floatUnary<std::log1p>},
      {"math.log2", floatUnary<std::log2>},
      {"math.powf", floatBinary<std::pow>},
      {"math.round", floatUnary<std::round>},
      {"math.roundeven", floatUnary<std::nearbyint>},
      {"math.rsqrt", floatUnary<rsqrt>},
      {"math.sin", floatUnary<std::sin>},
      {"math.sinh", floatUnary<std::sinh>},
      {"math.sqrt", floatUnary<std::sqrt>},
      {"math.tan", floatUnary<std::tan>},
      {"math.tanh", floatUnary<std::tanh>},
      {"math.trunc", floatUnary<std::trunc>},
      {"math.isnan", classify<isNaN>},
      {"math.isinf", classify<isInf>},
      {"math.isfinite", classify<isFinite>},
      {"math.isnormal", classify<isNormal>},
      {"math.ipowi", integerPower},
      {"math.fma",
       [](Operation *op, In in, Out out) {
         out[0].re =
             roundTo(resultType(op), std::fma(in[0].re, in[1].re, in[2].re));
       }},
      {"math.clampf",
       [](Operation *, In in, Out out) {
         out[0].re = in[0].re < in[1].re   ? in[1].re
                     : in[0].re > in[2].re ? in[2].re
                                           : in[0].re;
       }},
      {"math.fpowi",
       [](Operation *op, In in, Out out) {
         out[0].re =
             roundTo(resultType(op), std::pow(in[0].re, double(in[1].i)));
       }},
      {"math.sincos",
       [](Operation *op, In in, Out out) {
         out[0].re = roundTo(resultType(op), std::sin(in[0].re));
         out[1].re = roundTo(resultType(op), std::cos(in[0].re));
       }},
      {"math.absi",
       [](Operation *op, In in, Out out) {
         out[0].i =
             wrapTo(resultType(op), in[0].i < 0 ? -uint64_t(in[0].i) : in[0].i);
       }},
      {"math.ctpop",
       [](Operation *op, In in, Out out) {
         Type type = resultType(op);
         out[0].i = wrapTo(type, llvm::popcount(bitsOf(type, in[0].i)));
       }},
      {"math.ctlz",
       [](Operation *op, In in, Out out) {
         Type type = resultType(op);
         out[0].i = wrapTo(type, llvm::countl_zero(bitsOf(type, in[0].i)) -
                                     (64 - int64_t(widthOf(type))));
       }},
      {"math.cttz",
       [](Operation *op, In in, Out out) {
         Type type = resultType(op);
         uint64_t bits = bitsOf(type, in[0].i);
         out[0].i = wrapTo(type, bits ? int64_t(llvm::countr_zero(bits))
                                      : widthOf(type));
       }},
  };
  for (auto [name, handler] : ops)
    table.addScalar(name, handler);
}

//===----------------------------------------------------------------------===//
// complex
//===----------------------------------------------------------------------===//

static Complex get(const Scalar &scalar) { return {scalar.re, scalar.im}; }

static void put(Operation *op, Complex value, Scalar &out) {
  Type type = resultType(op);
  if (auto complexType = dyn_cast<ComplexType>(type))
    type = complexType.getElementType();
  out.re = roundTo(type, value.real());
  out.im = roundTo(type, value.imag());
}

template <Complex (*f)(Complex)>
static void complexUnary(Operation *op, In in, Out out) {
  put(op, f(get(in[0])), out[0]);
}

template <Complex (*f)(Complex, Complex)>
static void complexBinary(Operation *op, In in, Out out) {
  put(op, f(get(in[0]), get(in[1])), out[0]);
}

static Complex rsqrtOf(Complex x) { return 1.0 / std::sqrt(x); }
static Complex log1pOf(Complex x) { return std::log(1.0 + x); }
static Complex expm1Of(Complex x) { return std::exp(x) - 1.0; }
static Complex signOf(Complex x) {
  return x == Complex(0) ? x : x / std::abs(x);
}
static Complex negOf(Complex x) { return -x; }
static Complex expOf(Complex x) { return std::exp(x); }
static Complex logOf(Complex x) { return std::log(x); }
static Complex sqrtOf(Complex x) { return std::sqrt(x); }
static Complex sinOf(Complex x) { return std::sin(x); }
static Complex cosOf(Complex x) { return std::cos(x); }
static Complex tanOf(Complex x) { return std::tan(x); }
static Complex tanhOf(Complex x) { return std::tanh(x); }
static Complex conjOf(Complex x) { return std::conj(x); }
static Complex sum(Complex a, Complex b) { return a + b; }
static Complex difference(Complex a, Complex b) { return a - b; }
static Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}
static Complex quotient(Complex a, Complex b) { return a / b; }
static Complex powOf(Complex a, Complex b) { return std::pow(a, b); }
static Complex atan2Of(Complex y, Complex x) {
  // -i log((x + iy) / sqrt(x^2 + y^2))
  Complex i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

static void addComplex(HandlerTable &table) {
  const std::pair<StringRef, Interpreter::ScalarHandler> ops[] = {
      {"complex.add", complexBinary<sum>},
      {"complex.sub", complexBinary<difference>},
      {"complex.mul", complexBinary<product>},
      {"complex.div", complexBinary<quotient>},
      {"complex.pow", complexBinary<powOf>},
      {"complex.atan2", complexBinary<atan2Of>},
      {"complex.neg", complexUnary<negOf>},
      {"complex.exp", complexUnary<expOf>},
      {"complex.expm1", complexUnary<expm1Of>},
      {"complex.log", complexUnary<logOf>},
      {"complex.log1p", complexUnary<log1pOf>},
      {"complex.sqrt", complexUnary<sqrtOf>},
      {"complex.rsqrt", complexUnary<rsqrtOf>},
      {"complex.sign", complexUnary<signOf>},
      {"complex.sin", complexUnary<sinOf>},
      {"complex.cos", complexUnary<cosOf>},
      {"complex.tan", complexUnary<tanOf>},
      {"complex.tanh", complexUnary<tanhOf>},
      {"complex.conj", complexUnary<conjOf>},
      {"complex.abs", [](Operation *op, In in,
                         Out out) { put(op, std::abs(get(in[0])), out[0]); }},
      {"complex.angle", [](Operation *op, In in,
                           Out out) { put(op, std::arg(get(in[0])), out[0]); }},
      {"complex.re", [](Operation *, In in, Out out) { out[0].re = in[0].re; }},
      {"complex.im", [](Operation *, In in, Out out) { out[0].re = in[0].im; }},
      {"complex.create",
       [](Operation *, In in, Out out) {
         out[0].re = in[0].re;
         out[0].im = in[1].re;
       }},
      {"complex.bitcast", [](Operation *, In in, Out out) { out[0] = in[0]; }},
      {"complex.eq",
       [](Operation *, In in, Out out) {
         out[0].i = get(in[0]) == get(in[1]) ? -1 : 0;
       }},
      {"complex.neq",
       [](Operation *, In in, Out out) {
         out[0].i = get(in[0]) != get(in[1]) ? -1 : 0;
       }},
  };
  for (auto [name, handler] : ops)
    table.addScalar(name, handler);
}

void validate::addMathHandlers(HandlerTable &table) { addMath(table); }
void validate::addComplexHandlers(HandlerTable &table) { addComplex(table); }
