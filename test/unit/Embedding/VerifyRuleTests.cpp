//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that another compiler gives in C++: a wrong one is an error at its op,
// from every pass that reads rules first, and never a crash.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/InitAll.h"
#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Pipelines/Pipelines.h"
#include "ShardIR/Transforms/Localize/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gmock/gmock.h"

#include <functional>

using namespace mlir;
using namespace shardir;
using testing::HasSubstr;

namespace {

/// `"test.op"`, of a dialect that knows nothing of ShardIR.
class TestOp
    : public Op<TestOp, OpTrait::VariadicResults, OpTrait::VariadicOperands> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestOp)
  using Op::Op;
  static StringRef getOperationName() { return "test.op"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

class TestDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestDialect)
  explicit TestDialect(MLIRContext *context)
      : Dialect("test", context, TypeID::get<TestDialect>()) {
    addOperations<TestOp>();
  }
  static StringRef getDialectNamespace() { return "test"; }
};

std::function<void(ShardingRule &)> spoil;

/// The rule of a product of an [M, K] and a [K, N] tensor with an initial
/// value, after `spoil`.
struct TestRule : ShardingRuleOpInterface::ExternalModel<TestRule, TestOp> {
  SharedRule getShardingRule(Operation *) const {
    ShardingRule rule;
    int m = rule.addFactor(4), n = rule.addFactor(6);
    int k = rule.addFactor(8, FactorKind::Reduction);
    rule.factors[k].combiners = {PartialKind::Sum};
    rule.operands.resize(3);
    rule.operands[0].dims = {{m}, {k}};
    rule.operands[1].dims = {{k}, {n}};
    rule.operands[2].dims = {{m}, {n}};
    rule.results.resize(1);
    rule.results[0].dims = {{m}, {n}};
    rule.inits = {2};
    rule.partials.push_back({std::nullopt, {0, 2}});
    spoil(rule);
    return rule;
  }
};

constexpr char kProgram[] = R"(
shardir.mesh @m <["x"=2]>
func.func @main(%a: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = "test.op"(%a, %b, %c) : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
)";

/// The one error of a pipeline to the collective stage; empty if there is none.
std::string errorOf(std::function<void(ShardingRule &)> change) {
  spoil = std::move(change);
  DialectRegistry registry;
  registry.insert<func::FuncDialect, tensor::TensorDialect, TestDialect>();
  shardir::registerAllDialects(registry);
  registry.addExtension(+[](MLIRContext *context, TestDialect *) {
    TestOp::attachInterface<TestRule>(*context);
  });
  MLIRContext context(registry);
  context.disableMultithreading();
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors.push_back(diagnostic.str());
    return success();
  });
  auto module = parseSourceString<ModuleOp>(kProgram, &context);
  EXPECT_TRUE(module);
  PassManager pm(&context);
  buildPipeline(pm, Stage::Collective, PipelineOptions());
  bool done = succeeded(pm.run(*module));
  EXPECT_EQ(done, errors.empty());
  EXPECT_LE(errors.size(), 1u);
  return errors.empty() ? "" : errors[0];
}

/// A window whose extent is that of a dim of an operand that does not exist.
Window openWindow() {
  Window window;
  window.size = kUnknown;
  window.open.emplace().extent.terms.push_back({8, 0, 1});
  return window;
}

#define EXPECT_ERROR(change, text)                                             \
  EXPECT_THAT(errorOf([](ShardingRule &rule) { change; }),                     \
              HasSubstr("'test.op' op has a sharding rule " text))

TEST(VerifyRule, RightRule) {
  EXPECT_EQ(errorOf([](ShardingRule &) {}), "");
}

TEST(VerifyRule, Lists) {
  EXPECT_ERROR(rule.operands.pop_back(), "with 2 operand lists for 3 operands");
  EXPECT_ERROR(rule.operands.emplace_back(),
               "with 4 operand lists for 3 operands");
  EXPECT_ERROR(rule.results.clear(), "with 0 result lists for 1 results");
  EXPECT_ERROR(rule.operands[1].dims.pop_back(),
               "with 1 dims for operand 1 of type 'tensor<8x6xf32>'; give 2");
  EXPECT_ERROR(rule.results[0].dims.emplace_back(), "with 3 dims for result 0");
  EXPECT_ERROR(rule.inits.push_back(-1), "with 2 inits for 1 results");
}

TEST(VerifyRule, AxesOfTheMesh) {
  EXPECT_THAT(errorOf([](ShardingRule &rule) {
                rule.factors[0].pinned = {Split::byAxis("z")};
              }),
              HasSubstr("cannot be propagated: node 3 (test.op): unknown axis "
                        "\"z\""));
}

TEST(VerifyRule, Factors) {
  EXPECT_ERROR(rule.operands[0].dims[1] = {7},
               "that names factor 7 in dim 1 of operand 0, but it has 3");
  EXPECT_ERROR(rule.results[0].dims[0] = {-2},
               "that names factor -2 in dim 0 of result 0");
  EXPECT_ERROR((rule.operands[2].dims[1] = {0}),
               "with factor 0 in two dims of operand 2");
  EXPECT_ERROR(rule.operands[0].dims[0] = {1},
               "whose factor 1 has size 6, but dim 0 of operand 0 has size 4");
  EXPECT_ERROR((rule.operands[0].dims[1] = {2, 1}),
               "whose factors 2, 1 have size 48 together, but dim 1 of operand "
               "0 has size 8");
  EXPECT_ERROR(rule.addFactor(-5), "whose factor 3 has size -5");
  EXPECT_ERROR(rule.factors[1].size = kUnknown,
               "whose factor 1 has an unknown size, but its dims have size 6; "
               "give that size");
  EXPECT_ERROR(rule.results[0].dims[1] = {},
               "whose factor 1 is in no result and is not reduced");
}

TEST(VerifyRule, Reductions) {
  EXPECT_ERROR(rule.factors[2].combiners.clear(),
               "that reduces factor 2 by 0 kinds, for 1 results");
  EXPECT_ERROR(rule.factors[2].combiners = {PartialKind::Xor},
               "that reduces factor 2 by xor, which does not combine elements");
  EXPECT_ERROR(rule.factors[0].combiners = {PartialKind::Sum},
               "with a combiner for factor 0, which is not a reduction");
  EXPECT_ERROR(rule.factors[0].kind = FactorKind::Reduction,
               "that reduces factor 0, which is a dim of a result");
  EXPECT_ERROR(rule.addFactor(3, FactorKind::Reduction),
               "that reduces factor 3, which is no dim of an operand");
}

TEST(VerifyRule, InitsAndTerms) {
  EXPECT_ERROR(rule.inits = {3}, "that names operand 3 as the initial value");
  EXPECT_ERROR(rule.inits = {-7}, "that names operand -7 as the initial value");
  EXPECT_ERROR(rule.inits = {0},
               "that names operand 0 as the initial value of result 0, but "
               "their dims have other factors");
  EXPECT_ERROR((rule.partials[0].operands = {0, 9}),
               "that lets terms of operand 9 pass, but the op has 3 operands");
  EXPECT_ERROR((rule.partials[0].operands = {1, 1}),
               "that lets terms of operand 1 pass, and lists it twice");
  EXPECT_ERROR(rule.partials[0].operands.clear(),
               "that lets terms of no operand pass");
}

TEST(VerifyRule, Windows) {
  EXPECT_ERROR(rule.operands[0].windows.resize(1),
               "with 1 windows for operand 0; give one entry per dim or none");
  EXPECT_ERROR(rule.results[0].windows.resize(2),
               "with 2 windows for result 0; windows are for operands");
  EXPECT_ERROR((rule.operands[0].readThrough(0, 0, {5, 0, 1})),
               "whose window of dim 0 of operand 0 is for size 5, but it has "
               "size 4");
  EXPECT_ERROR((rule.operands[0].readThrough(0, 0, {4, 0, 1, 0})),
               "whose window of dim 0 of operand 0 has stride 0");
  EXPECT_ERROR((rule.operands[0].readThrough(0, 0, openWindow())),
               "whose window of dim 0 of operand 0 depends on dim 0 of "
               "operand 8");
}

// Later stages verify the rule as well, as the program may come from elsewhere.
TEST(VerifyRule, LaterStages) {
  spoil = [](ShardingRule &rule) { rule.operands.clear(); };
  DialectRegistry registry;
  registry.insert<func::FuncDialect, TestDialect>();
  shardir::registerAllDialects(registry);
  registry.addExtension(+[](MLIRContext *context, TestDialect *) {
    TestOp::attachInterface<TestRule>(*context);
  });
  MLIRContext context(registry);
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error += diagnostic.str();
    return success();
  });
  auto module = parseSourceString<ModuleOp>(R"(
    shardir.mesh @m <["x"=2]>
    func.func @main(%a: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
        -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
      %0 = "test.op"(%a) {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })",
                                            &context);
  PassManager pm(&context);
  pm.addPass(createLocalize());
  EXPECT_TRUE(failed(pm.run(*module)));
  EXPECT_THAT(error, HasSubstr("with 0 operand lists for 1 operands"));
}

} // namespace
