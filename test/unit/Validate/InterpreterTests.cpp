//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter's meaning of ops whose corner cases rules depend on, against
// numbers worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "Validate/Interpreter.h"
#include "Validate/TestData.h"

#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

namespace {

class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest() {
    DialectRegistry registry;
    mlir::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// The first result of function @f of `text`; the error where there is none.
  std::string run(const std::string &text, ArrayRef<RuntimeValue> arguments) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return "does not parse";
    Interpreter interpreter(*module);
    auto function = interpreter.lookupFunction("f");
    auto results = interpreter.call(function, arguments);
    if (failed(results))
      return interpreter.takeError();
    const RuntimeValue &value = results->front();
    if (!value.tensor)
      return toString(function.getResultTypes()[0], value.scalar);
    std::string numbers;
    for (const Scalar &element : value.tensor->elements)
      numbers += (numbers.empty() ? "" : " ") +
                 toString(value.tensor->element, element);
    return numbers;
  }

  std::string binary(const std::string &op, const std::string &type, Scalar a,
                     Scalar b) {
    return run("func.func @f(%a: " + type + ", %b: " + type + ") -> " + type +
                   " {\n  %0 = " + op + " %a, %b : " + type +
                   "\n  return %0 : " + type + "\n}",
               {a, b});
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

TEST_F(InterpreterTest, MaximaOfNaNAndZeros) {
  EXPECT_EQ(binary("arith.maximumf", "f32", real(NAN), real(1)), "nan");
  EXPECT_EQ(binary("arith.maxnumf", "f32", real(NAN), real(1)), "1");
  EXPECT_EQ(binary("arith.maximumf", "f32", real(-0.0), real(0.0)), "0");
  EXPECT_EQ(binary("arith.minimumf", "f32", real(0.0), real(-0.0)), "-0");
  EXPECT_EQ(binary("arith.maxui", "i8", integer(-1), integer(1)), "-1");
  EXPECT_EQ(binary("arith.maxsi", "i8", integer(-1), integer(1)), "1");
}

TEST_F(InterpreterTest, IntegersWrapAndDivide) {
  EXPECT_EQ(binary("arith.addi", "i8", integer(127), integer(1)), "-128");
  EXPECT_EQ(binary("arith.muli", "i8", integer(16), integer(16)), "0");
  EXPECT_EQ(binary("arith.divsi", "i8", integer(-7), integer(2)), "-3");
  EXPECT_EQ(binary("arith.floordivsi", "i8", integer(-7), integer(2)), "-4");
  EXPECT_EQ(binary("arith.ceildivsi", "i8", integer(7), integer(2)), "4");
  EXPECT_EQ(binary("arith.remsi", "i8", integer(-7), integer(2)), "-1");
  EXPECT_EQ(binary("arith.divui", "i8", integer(-1), integer(16)), "15");
  EXPECT_EQ(binary("arith.divsi", "i8", integer(1), integer(0)), "undefined");
  EXPECT_EQ(binary("arith.shli", "i8", integer(1), integer(8)), "undefined");
}

TEST_F(InterpreterTest, FloatsRound) {
  EXPECT_EQ(binary("arith.addf", "bf16", real(256), real(1)), "256");
  EXPECT_EQ(binary("arith.addf", "f32", real(16777216), real(1)), "16777216");
  EXPECT_EQ(binary("arith.addf", "f64", real(16777216), real(1)), "16777217");
}

TEST_F(InterpreterTest, ReductionAndSlice) {
  const char *text = R"(
    func.func @f(%n: index) -> tensor<?xi32> {
      %a = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
      %zero = arith.constant dense<0> : tensor<2xi32>
      %r = linalg.reduce { arith.addi } ins(%a : tensor<2x3xi32>) outs(%zero : tensor<2xi32>) dimensions = [1]
      %0 = tensor.extract_slice %r[%n] [%n] [1] : tensor<2xi32> to tensor<?xi32>
      return %0 : tensor<?xi32>
    })";
  EXPECT_EQ(run(text, {integer(1)}), "15");
  EXPECT_EQ(run(text, {integer(0)}), "");
  EXPECT_NE(run(text, {integer(2)}).find("takes offsets [2], sizes [2]"),
            std::string::npos);
}

TEST_F(InterpreterTest, LoopsAndTheirEnd) {
  const char *text = R"(
    func.func @f(%n: index) -> index {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = scf.while (%i = %c0) : (index) -> index {
        %more = arith.cmpi ne, %i, %n : index
        scf.condition(%more) %i : index
      } do {
      ^bb0(%i: index):
        %1 = arith.addi %i, %c1 : index
        scf.yield %1 : index
      }
      return %0 : index
    })";
  EXPECT_EQ(run(text, {integer(5)}), "5");
  EXPECT_NE(run(text, {integer(-1)}).find("the program may not end"),
            std::string::npos);
}

TEST_F(InterpreterTest, WhatElementsDependOn) {
  const char *text = R"(
    func.func @f(%a: tensor<4xi32>, %i: tensor<2xindex>) -> tensor<2xi32> {
      %0 = tensor.generate {
      ^bb0(%k: index):
        %j = tensor.extract %i[%k] : tensor<2xindex>
        %x = tensor.extract %a[%j] : tensor<4xi32>
        tensor.yield %x : i32
      } : tensor<2xi32>
      return %0 : tensor<2xi32>
    })";
  auto module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  Interpreter interpreter(*module);
  TestData data(1);
  Builder builder(&context);
  auto number = [&](Tensor tensor, unsigned first) -> RuntimeValue {
    auto numbered = std::make_shared<TensorData>(*tensor);
    for (Scalar &element : numbered->elements)
      element.dependences = interpreter.getDependences().single(first++);
    return Tensor(numbered);
  };
  auto results = interpreter.call(
      interpreter.lookupFunction("f"),
      {number(data.tensor(builder.getI32Type(), {4}, Flavour::Small), 0),
       number(data.tensor(builder.getIndexType(), {2}, Flavour::Small), 4)});
  ASSERT_TRUE(succeeded(results));
  // Any element of the table may be asked for, by its own index alone.
  llvm::BitVector first(6), second(6);
  first.set(0, 4).set(4);
  second.set(0, 4).set(5);
  auto dependences = [&](unsigned i) {
    llvm::BitVector set = interpreter.getDependences().get(
        results->front().tensor->elements[i].dependences);
    set.resize(6);
    return set;
  };
  EXPECT_TRUE(dependences(0) == first);
  EXPECT_TRUE(dependences(1) == second);
}

} // namespace
