//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which terms pass a scalar body. Integer bodies are run: for every listed set,
// the body of each device's terms, combined, is the body of the combined terms.
// Terms differ in size and in sign, or abs would pass as linear.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/BodyPartials.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/TypeSwitch.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace shardir;

namespace {

class Body {
public:
  /// `text` is a function whose arguments are the body's.
  explicit Body(const std::string &text) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        math::MathDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
  }

  Block &block() {
    return (*module->getOps<func::FuncOp>().begin()).getBody().front();
  }

  SmallVector<PartialRule> rules() {
    SmallVector<int> operandOf;
    for (BlockArgument argument : block().getArguments())
      operandOf.push_back(argument.getArgNumber());
    return bodyPartials(block(), operandOf);
  }

  /// `sum{0} sum{1,2} any{0}`
  std::string text() {
    std::string text;
    for (const PartialRule &rule : rules()) {
      text += text.empty() ? "" : " ";
      text += rule.kind ? stringifyPartialKind(*rule.kind) : "any";
      text += "{";
      for (auto [i, operand] : llvm::enumerate(rule.operands))
        text += (i ? "," : "") + std::to_string(operand);
      text += "}";
    }
    return text;
  }

  /// Runs an integer body.
  SmallVector<int64_t> run(ArrayRef<int64_t> arguments) {
    DenseMap<Value, int64_t> values;
    for (auto [argument, value] : llvm::zip(block().getArguments(), arguments))
      values[argument] = value;
    for (Operation &op : block().without_terminator())
      values[op.getResult(0)] = evaluate(&op, values);
    SmallVector<int64_t> results;
    for (Value value : block().getTerminator()->getOperands())
      results.push_back(values[value]);
    return results;
  }

private:
  static int64_t evaluate(Operation *op, DenseMap<Value, int64_t> &values) {
    SmallVector<int64_t> v;
    for (Value operand : op->getOperands())
      v.push_back(values[operand]);
    using U = uint64_t;
    return llvm::TypeSwitch<Operation *, int64_t>(op)
        .Case([&](arith::ConstantIntOp c) { return c.value(); })
        .Case([&](arith::AddIOp) { return v[0] + v[1]; })
        .Case([&](arith::SubIOp) { return v[0] - v[1]; })
        .Case([&](arith::MulIOp) { return v[0] * v[1]; })
        .Case([&](arith::MaxSIOp) { return std::max(v[0], v[1]); })
        .Case([&](arith::MinSIOp) { return std::min(v[0], v[1]); })
        .Case([&](arith::MaxUIOp) { return std::max(U(v[0]), U(v[1])); })
        .Case([&](arith::MinUIOp) { return std::min(U(v[0]), U(v[1])); })
        .Case([&](arith::AndIOp) { return v[0] & v[1]; })
        .Case([&](arith::OrIOp) { return v[0] | v[1]; })
        .Case([&](arith::XOrIOp) { return v[0] ^ v[1]; })
        .Case([&](arith::ShLIOp) { return int64_t(U(v[0]) << (v[1] & 63)); })
        .Case([&](math::AbsIOp) { return std::abs(v[0]); })
        .Case([&](arith::SelectOp) { return v[0] ? v[1] : v[2]; })
        .Case([&](arith::CmpIOp) { return int64_t(v[0] < v[1]); })
        .Default([&](Operation *other) {
          ADD_FAILURE() << "no way to run "
                        << other->getName().getStringRef().str();
          return 0;
        });
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

int64_t combine(PartialKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case PartialKind::Sum:
    return a + b;
  case PartialKind::Prod:
    return a * b;
  case PartialKind::Max:
    return std::max(a, b);
  case PartialKind::Min:
    return std::min(a, b);
  case PartialKind::UMax:
    return std::max(uint64_t(a), uint64_t(b));
  case PartialKind::UMin:
    return std::min(uint64_t(a), uint64_t(b));
  case PartialKind::And:
    return a & b;
  case PartialKind::Or:
    return a | b;
  case PartialKind::Xor:
    return a ^ b;
  case PartialKind::MaxNum:
  case PartialKind::MinNum:
    break;
  }
  ADD_FAILURE() << "not a kind of integers";
  return 0;
}

/// Runs every listed set on random terms of three devices. Returns how many
/// sets there were.
int checkRules(Body &body) {
  std::mt19937 random(1);
  auto number = [&] { return int64_t(random() % 41) - 20; };
  size_t count = body.block().getNumArguments();
  SmallVector<PartialRule> rules = body.rules();
  for (const PartialRule &rule : rules) {
    for (PartialKind kind :
         {PartialKind::Sum, PartialKind::Prod, PartialKind::Max,
          PartialKind::Min, PartialKind::UMax, PartialKind::UMin,
          PartialKind::And, PartialKind::Or, PartialKind::Xor}) {
      if (rule.kind && *rule.kind != kind)
        continue;
      for (int sample = 0; sample < 50; ++sample) {
        SmallVector<int64_t> whole;
        for (size_t i = 0; i < count; ++i)
          whole.push_back(number());
        std::vector<SmallVector<int64_t>> terms(3, whole);
        for (int operand : rule.operands) {
          for (auto &device : terms)
            device[operand] = number();
          whole[operand] =
              combine(kind, combine(kind, terms[0][operand], terms[1][operand]),
                      terms[2][operand]);
        }
        SmallVector<int64_t> expected = body.run(whole);
        SmallVector<int64_t> found = body.run(terms[0]);
        for (int device = 1; device < 3; ++device)
          for (auto [all, own] : llvm::zip(found, body.run(terms[device])))
            all = combine(kind, all, own);
        EXPECT_EQ(found, expected)
            << stringifyPartialKind(kind) << " in " << body.text();
      }
    }
  }
  return rules.size();
}

std::string function(const std::string &arguments, const std::string &body,
                     const std::string &type = "i64") {
  return "func.func @f(" + arguments + ") -> " + type + " {\n" + body + "\n}";
}

TEST(BodyPartials, DataMovementPassesEveryKind) {
  Body body(function("%a: i64, %o: i64", "return %a : i64"));
  EXPECT_EQ(body.text(), "any{0}");
  EXPECT_EQ(checkRules(body), 1);
}

TEST(BodyPartials, AddPassesEqualTermsTogether) {
  Body body(function("%a: i64, %b: i64",
                     "%0 = arith.addi %a, %b : i64\nreturn %0 : i64"));
  EXPECT_EQ(body.text(), "sum{0,1}");
  checkRules(body);
}

TEST(BodyPartials, ContractionPassesOneFactorWithTheAccumulator) {
  Body body(function("%a: i64, %b: i64, %acc: i64",
                     "%0 = arith.muli %a, %b : i64\n"
                     "%1 = arith.addi %acc, %0 : i64\nreturn %1 : i64"));
  EXPECT_EQ(body.text(), "sum{0,2} sum{1,2}");
  checkRules(body);
}

TEST(BodyPartials, MultiplicationPassesOneSumOrBothProducts) {
  Body body(function("%a: i64, %b: i64",
                     "%0 = arith.muli %a, %b : i64\nreturn %0 : i64"));
  EXPECT_EQ(body.text(), "sum{0} sum{1} prod{0,1}");
  checkRules(body);
}

TEST(BodyPartials, SquareIsNotLinear) {
  Body body(
      function("%a: i64", "%0 = arith.muli %a, %a : i64\nreturn %0 : i64"));
  EXPECT_EQ(body.text(), "prod{0}");
  checkRules(body);
}

TEST(BodyPartials, AbsoluteValuePassesNothing) {
  Body body(function("%a: i64", "%0 = math.absi %a : i64\nreturn %0 : i64"));
  EXPECT_EQ(body.text(), "");
}

TEST(BodyPartials, ReluAfterASumPassesNoSum) {
  Body body(function("%a: i64, %acc: i64",
                     "%c0 = arith.constant 0 : i64\n"
                     "%0 = arith.addi %acc, %a : i64\n"
                     "%1 = arith.maxsi %0, %c0 : i64\nreturn %1 : i64"));
  EXPECT_EQ(body.text(), "");
}

TEST(BodyPartials, ClampPassesTheMaximum) {
  Body body(function("%a: i64, %b: i64",
                     "%0 = arith.maxsi %a, %b : i64\nreturn %0 : i64"));
  EXPECT_EQ(body.text(), "max{0} max{1} max{0,1} min{0} min{1}");
  checkRules(body);
}

TEST(BodyPartials, SignedAndUnsignedDiffer) {
  Body body(function("%a: i64, %b: i64",
                     "%0 = arith.maxui %a, %b : i64\nreturn %0 : i64"));
  EXPECT_EQ(body.text(), "umax{0} umax{1} umax{0,1} umin{0} umin{1}");
  checkRules(body);
}

TEST(BodyPartials, BitOps) {
  for (std::string name : {"andi", "ori"}) {
    Body body(
        function("%a: i64, %b: i64",
                 "%0 = arith." + name + " %a, %b : i64\nreturn %0 : i64"));
    EXPECT_EQ(checkRules(body), 3) << name;
  }
  Body body(function("%a: i64, %b: i64",
                     "%0 = arith.xori %a, %b : i64\nreturn %0 : i64"));
  EXPECT_EQ(body.text(), "xor{0,1}");
  checkRules(body);
}

TEST(BodyPartials, SelectNeedsItsConditionWhole) {
  Body body(function("%c: i1, %a: i64, %b: i64",
                     "%0 = arith.select %c, %a, %b : i64\nreturn %0 : i64"));
  EXPECT_EQ(body.text(), "sum{1,2}");
  checkRules(body);
}

TEST(BodyPartials, SelectWithZeroIsAMask) {
  Body body(function("%c: i1, %a: i64",
                     "%c0 = arith.constant 0 : i64\n"
                     "%0 = arith.select %c, %a, %c0 : i64\nreturn %0 : i64"));
  EXPECT_EQ(body.text(), "sum{1}");
  checkRules(body);
}

TEST(BodyPartials, AddingAConstantCountsOncePerDevice) {
  Body body(function("%a: i64",
                     "%c5 = arith.constant 5 : i64\n"
                     "%0 = arith.addi %a, %c5 : i64\nreturn %0 : i64"));
  EXPECT_EQ(body.text(), "");
}

TEST(BodyPartials, LongBodiesAreRunAsAWhole) {
  // A fused bias, scale and residual: x*s + r, minus twice the term itself.
  Body body(function("%x: i64, %s: i64, %r: i64",
                     "%c2 = arith.constant 2 : i64\n"
                     "%0 = arith.muli %x, %s : i64\n"
                     "%1 = arith.addi %0, %r : i64\n"
                     "%2 = arith.muli %x, %c2 : i64\n"
                     "%3 = arith.subi %1, %2 : i64\nreturn %3 : i64"));
  EXPECT_EQ(body.text(), "sum{0,2}");
  checkRules(body);
}

TEST(BodyPartials, TwoResultsMustBothBePartial) {
  Body both(function("%a: i64, %b: i64",
                     "%0 = arith.addi %a, %b : i64\n"
                     "%1 = arith.subi %a, %b : i64\nreturn %0, %1 : i64, i64",
                     "(i64, i64)"));
  EXPECT_EQ(both.text(), "sum{0,1}");
  checkRules(both);
  Body one(function("%a: i64, %b: i64",
                    "%0 = arith.addi %a, %b : i64\n"
                    "%1 = arith.maxsi %a, %b : i64\nreturn %0, %1 : i64, i64",
                    "(i64, i64)"));
  EXPECT_EQ(one.text(), "");
}

TEST(BodyPartials, Floats) {
  auto text = [](const std::string &body) {
    return Body(function("%a: f32, %b: f32", body + "\nreturn %r : f32", "f32"))
        .text();
  };
  EXPECT_EQ(text("%r = arith.divf %a, %b : f32"), "sum{0}");
  EXPECT_EQ(text("%r = arith.negf %a : f32"), "sum{0}");
  EXPECT_EQ(text("%r = math.exp %a : f32"),
            "max{0} min{0} maxnum{0} minnum{0}");
  EXPECT_EQ(text("%r = math.log %a : f32"), "");
  EXPECT_EQ(text("%r = arith.maximumf %a, %b : f32"),
            "max{0} max{1} max{0,1} min{0} min{1}");
  EXPECT_EQ(text("%r = arith.maxnumf %a, %b : f32"),
            "maxnum{0} maxnum{1} maxnum{0,1}");
  EXPECT_EQ(text("%0 = arith.truncf %a : f32 to bf16\n"
                 "%r = arith.extf %0 : bf16 to f32"),
            "max{0} min{0} maxnum{0} minnum{0}");
}

TEST(BodyPartials, OneBitAddsAsXor) {
  EXPECT_EQ(Body(function("%a: i1, %b: i1",
                          "%0 = arith.addi %a, %b : i1\nreturn %0 : i1", "i1"))
                .text(),
            "xor{0,1}");
}

TEST(BodyPartials, FindsAccumulations) {
  auto kind = [](const std::string &body) -> std::string {
    Body parsed(function("%a: i64, %acc: i64", body + "\nreturn %r : i64"));
    Block &block = parsed.block();
    auto found = matchAccumulation(block.getTerminator()->getOperand(0),
                                   block.getArgument(1));
    return found ? stringifyPartialKind(*found) : "none";
  };
  EXPECT_EQ(kind("%r = arith.addi %acc, %a : i64"), "sum");
  EXPECT_EQ(kind("%r = arith.addi %a, %acc : i64"), "sum");
  EXPECT_EQ(kind("%r = arith.maxui %acc, %a : i64"), "umax");
  EXPECT_EQ(
      kind("%0 = arith.muli %a, %a : i64\n%r = arith.addi %0, %acc : i64"),
      "sum");
  // The accumulator is read twice, or not at the end.
  EXPECT_EQ(kind("%r = arith.addi %acc, %acc : i64"), "none");
  EXPECT_EQ(
      kind("%0 = arith.muli %acc, %a : i64\n%r = arith.addi %0, %acc : i64"),
      "none");
  EXPECT_EQ(
      kind("%0 = arith.addi %acc, %a : i64\n%r = arith.muli %0, %a : i64"),
      "none");
  EXPECT_EQ(kind("%r = arith.subi %acc, %a : i64"), "none");
}

} // namespace
