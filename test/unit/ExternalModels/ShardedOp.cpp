//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mesh is 2 x 3 for splits, and an axis of 2 for partial terms. Arguments
// hold small numbers of both signs that differ everywhere, so that a wrong
// device, order or sign shows.
//
//===----------------------------------------------------------------------===//

#include "ShardedOp.h"
#include "ShardIR/ExternalModels/ExternalModels.h"
#include "ShardIR/Interfaces/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace mlir;
using namespace shardir;
using namespace shardir::test;

ShardedOp::ShardedOp(StringRef function,
                     std::vector<std::vector<int64_t>> extents)
    : extents(std::move(extents)) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, tensor::TensorDialect, ShardIRDialect>();
  registerTensorModels(registry);
  registerElementwiseModels(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  std::string text =
      "shardir.mesh @m <[\"x\"=2, \"y\"=3, \"p\"=2]>\n" + function.str();
  module = parseSourceString<ModuleOp>(text, context.get());
  EXPECT_TRUE(module) << text;
}

static Operation *testedOp(ModuleOp module) {
  func::FuncOp function = *module.getOps<func::FuncOp>().begin();
  return function.getBody().front().getTerminator()->getPrevNode();
}

ShardingRule ShardedOp::rule() { return getShardingRule(testedOp(*module)); }

std::string shardir::test::toText(const ShardingRule &rule) {
  auto tensor = [](const TensorFactors &factors) {
    std::string text;
    for (const DimFactors &dim : factors.dims) {
      text += "[";
      for (int factor : dim)
        text += char('a' + factor);
      text += "]";
    }
    return text;
  };
  std::string text;
  for (auto [i, operand] : llvm::enumerate(rule.operands))
    if (!operand.dims.empty())
      text += (text.empty() ? "" : ", ") + tensor(operand);
  text += text.empty() ? "->" : " ->";
  for (const TensorFactors &result : rule.results)
    text += " " + tensor(result);
  return text;
}

/// The splits that a factor may have in these tests.
static std::vector<Splits> choices(int64_t size) {
  auto axis = [](const char *name) { return Split::byAxis(name); };
  std::vector<Splits> result = {{},
                                {axis("x")},
                                {axis("y")},
                                {axis("x"), axis("y")},
                                {axis("y"), axis("x")}};
  if (size != kUnknown && size % 2 == 0 && size > 0) {
    result.push_back({Split::byFactor(2), axis("x")});
    result.push_back({axis("y"), Split::byFactor(2)});
  }
  return result;
}

int ShardedOp::checkSplits() {
  ShardingRule rule = this->rule();
  std::vector<std::vector<Splits>> options;
  // Another check covers the partials of a reduction.
  for (const Factor &factor : rule.factors)
    options.push_back(factor.kind == FactorKind::PassThrough
                          ? choices(factor.size)
                          : std::vector<Splits>{{}});
  std::vector<int64_t> counts;
  for (const auto &option : options)
    counts.push_back(option.size());
  int tried = 0;
  forEachIndex(counts, [&](const std::vector<int64_t> &chosen) {
    FactorSplits splits;
    for (auto [option, i] : llvm::zip(options, chosen))
      splits.push_back(option[i]);
    if (!testing::Test::HasFailure())
      tried += check(splits, nullptr);
    if (!rule.takesResultHalo || testing::Test::HasFailure())
      return;
    Halo beyond(rule.results[0].dims.size(), DimHalo{1, 2});
    check(splits, nullptr, beyond);
  });
  return tried;
}

int ShardedOp::checkPartials() {
  ShardingRule rule = this->rule();
  int tried = 0;
  for (const PartialRule &way : rule.partials) {
    SmallVector<PartialKind> kinds = {PartialKind::Sum, PartialKind::Max,
                                      PartialKind::Xor};
    if (way.kind)
      kinds = {*way.kind};
    for (PartialKind kind : kinds) {
      Partial partial{kind, way.operands};
      FactorSplits splits(rule.factors.size());
      tried += check(splits, &partial);
      if (!splits.empty()) {
        splits.back() = {Split::byAxis("x")};
        tried += check(splits, &partial);
      }
    }
  }
  return tried;
}

void ShardedOp::checkRematerializable(ArrayRef<PartialKind> kinds) {
  EXPECT_TRUE(rule().isRematerializable);
  for (PartialKind kind : kinds) {
    Partial partial{kind, {}};
    FactorSplits splits(rule().factors.size());
    EXPECT_TRUE(check(splits, &partial));
    splits.back() = {Split::byAxis("y")};
    EXPECT_TRUE(check(splits, &partial));
  }
}

bool ShardedOp::check(const FactorSplits &splits, const Partial *partial,
                      const Halo &resultHalo) {
  ShardingRule rule = this->rule();
  OwningOpRef<ModuleOp> copy = module->clone();
  Operation *op = testedOp(*copy);
  MeshTable meshes(*copy);
  const Mesh &mesh = meshes.all().front();
  auto compose = [&](Value value, const TensorFactors &factors, bool isPartial,
                     SmallVector<Placed> &placements) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type) {
      placements.emplace_back();
      return true;
    }
    auto placement = composeTensor(rule, factors, splits, mesh);
    if (!placement || verifyPlacement(*placement, mesh, shapeOf(type)))
      return false;
    if (isPartial) {
      placement->partial = partial->kind;
      placement->partialAxes = {AxisRef{"p", 1, 0}};
    }
    placements.push_back({*placement, {}});
    return true;
  };
  SmallVector<Placed> operands, results;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (!compose(operand, rule.operands[i],
                 partial && llvm::is_contained(partial->operands, int(i)),
                 operands))
      return false;
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    if (!compose(result, rule.results[i], partial != nullptr, results))
      return false;

  if (!resultHalo.empty()) {
    auto shape = shapeOf(cast<RankedTensorType>(op->getResult(0).getType()));
    if (verifyHalo(resultHalo, results[0].placement, mesh, shape))
      return false;
    results[0].halo = normalHalo(resultHalo, results[0].placement, mesh, shape);
  }
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    auto halo = haloOf(rule, i, splits, mesh, results[0].halo);
    if (!halo)
      return false;
    operands[i].halo = *halo;
  }

  Localizer localizer(meshes);
  // The whole op stays, so extents that are open are those of its tensors.
  OpBuilder builder(context.get());
  builder.setInsertionPointAfter(op);
  IndexMath math(builder, op->getLoc());
  auto valueOf = [&](const RunTimeNumber &number) {
    OpFoldResult sum = math.constant(number.constant);
    for (const RunTimeNumber::Term &term : number.terms) {
      Value operand = op->getOperand(term.operand);
      OpFoldResult own = operand;
      if (term.dim >= 0)
        own = tensor::DimOp::create(builder, op->getLoc(), operand, term.dim)
                  .getResult();
      sum = math.add(sum, math.mul(own, term.factor));
    }
    return math.value(sum);
  };
  auto setGlobal = [&](Value value, const Placed &placed,
                       const TensorFactors &factors) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return;
    SmallVector<Value> open(type.getRank());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        open[dim] = tensor::DimOp::create(builder, op->getLoc(), value, dim);
    SmallVector<Value> windows;
    for (size_t dim = 0; dim < placed.halo.size(); ++dim)
      if (placed.halo[dim].isOpen) {
        windows.push_back(valueOf(factors.window(dim)->open->extent));
        windows.push_back(valueOf(factors.window(dim)->open->shift));
      }
    localizer.setGlobal(
        value, {type, PlacementAttr::get(context.get(), "m", placed.placement),
                placed.halo, open, windows});
  };
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    setGlobal(operand, operands[i], rule.operands[i]);
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    setGlobal(result, results[i], rule.results[i]);

  SmallVector<Value> localOperands;
  for (Value operand : op->getOperands()) {
    if (isa<RankedTensorType>(operand.getType()))
      operand = op->getBlock()->addArgument(localizer.localType(operand),
                                            op->getLoc());
    localOperands.push_back(operand);
  }
  // The function's type is of no interest here; its arguments are.
  auto function = op->getParentOfType<func::FuncOp>();
  function.setType(FunctionType::get(context.get(),
                                     op->getBlock()->getArgumentTypes(),
                                     function.getResultTypes()));
  SmallVector<Value> localResults;
  if (auto interface = dyn_cast<LocalizableOpInterface>(op)) {
    auto made = interface.localize(builder, localizer, localOperands);
    EXPECT_TRUE(succeeded(made));
    if (failed(made))
      return false;
    localResults = *made;
  } else {
    Operation *clone = builder.clone(*op);
    clone->setOperands(localOperands);
    for (auto [result, whole] :
         llvm::zip(clone->getResults(), op->getResults()))
      if (isa<RankedTensorType>(whole.getType()))
        result.setType(localizer.localType(whole));
    localResults.append(clone->result_begin(), clone->result_end());
  }
  std::string title;
  for (const Placed &placed : results)
    title += toString(placed.placement) + " " + toString(placed.halo);
  SCOPED_TRACE(title);
  EXPECT_TRUE(succeeded(verify(*copy)));
  for (auto [local, whole] : llvm::zip(localResults, op->getResults()))
    if (isa<RankedTensorType>(whole.getType()))
      EXPECT_EQ(local.getType(), localizer.localType(whole));
  compare(*copy, op, localOperands, localResults, operands, results, partial);
  if (testing::Test::HasFailure())
    copy->dump();
  return true;
}

void ShardedOp::compare(ModuleOp module, Operation *op,
                        ArrayRef<Value> localOperands,
                        ArrayRef<Value> localResults, ArrayRef<Placed> operands,
                        ArrayRef<Placed> results, const Partial *partial) {
  MeshTable meshes(module);
  const Mesh &mesh = meshes.all().front();
  Block &block = *op->getBlock();
  int64_t positions = mesh.numDevices(), p = mesh.axisIndex("p");
  std::mt19937 random(7);
  unsigned local = llvm::count_if(localOperands, [](Value v) {
    return isa<RankedTensorType>(v.getType());
  });

  // The terms of each argument that is partial, one per position along `p`, and
  // the whole arguments.
  llvm::DenseMap<Value, std::vector<Array>> terms;
  llvm::DenseMap<Value, Array> wholes;
  for (BlockArgument argument : block.getArguments().drop_back(local)) {
    Array whole = Array::scalar(3);
    if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
      std::vector<int64_t> shape = shapeOf(type);
      if (argument.getArgNumber() < extents.size())
        shape = extents[argument.getArgNumber()];
      bool isPartial = false;
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        isPartial |= partial && op->getOperand(i) == argument &&
                     llvm::is_contained(partial->operands, int(i));
      bool bit = type.getElementType().isInteger(1);
      for (int term = 0; term < (isPartial ? 2 : 1); ++term) {
        Array array = Array::ofShape(shape);
        for (double &element : array.data)
          element = bit ? double(random() % 2) : double(random() % 17) - 8;
        // Whole divisors and shifts stay clear of zero.
        if (!isPartial && !bit && isa<arith::DivFOp, arith::ShLIOp>(op))
          for (double &element : array.data)
            element = 1 << (random() % 3);
        terms[argument].push_back(array);
      }
      whole = terms[argument][0];
      for (size_t i = 0; isPartial && i < whole.data.size(); ++i)
        whole.data[i] =
            combine(partial->kind, whole.data[i], terms[argument][1].data[i]);
      if (!isPartial)
        terms.erase(argument);
    }
    wholes[argument] = whole;
  }

  Operation *twin = testedOp(*this->module);
  Interpreter reference(mesh, 0);
  for (BlockArgument argument : twin->getBlock()->getArguments())
    reference.set(argument, wholes[block.getArgument(argument.getArgNumber())]);
  reference.run(*twin->getBlock());

  // Open windows, as their numbers are.
  ShardingRule rule = getShardingRule(twin);
  auto numberOf = [&](const RunTimeNumber &number) {
    int64_t sum = number.constant;
    for (const RunTimeNumber::Term &term : number.terms) {
      Array own = reference.get(twin->getOperand(term.operand));
      sum += term.factor *
             (term.dim >= 0 ? own.shape[term.dim] : int64_t(own.data[0]));
    }
    return sum;
  };
  auto closed = [&](size_t i) {
    Halo halo = operands[i].halo;
    for (size_t dim = 0; dim < halo.size(); ++dim)
      if (halo[dim].isOpen) {
        const Window::Open &open = *rule.operands[i].window(dim)->open;
        halo[dim] =
            halo[dim].closed(numberOf(open.extent), numberOf(open.shift));
      }
    return halo;
  };

  std::map<std::vector<int64_t>, std::vector<Array>> combined;
  for (int64_t position = 0; position < positions; ++position) {
    SCOPED_TRACE("device " + std::to_string(position));
    std::vector<int64_t> coordinates = mesh.coordinates(position);
    Interpreter device(mesh, position);
    for (auto &[argument, array] : wholes)
      device.set(argument, array);
    for (auto [i, value] : llvm::enumerate(localOperands)) {
      if (!isa<RankedTensorType>(value.getType()))
        continue;
      Array array = reference.get(twin->getOperand(i));
      auto found = terms.find(op->getOperand(i));
      bool isPartial = operands[i].placement.partial.has_value();
      if (isPartial && found != terms.end())
        array = found->second[coordinates[p]];
      device.set(value, shardAt(array, operands[i].placement, closed(i), mesh,
                                position));
    }
    device.run(block);
    for (auto [i, value] : llvm::enumerate(localResults)) {
      Array expected = reference.get(twin->getResult(i));
      if (!isa<RankedTensorType>(value.getType())) {
        EXPECT_EQ(device.get(value), expected);
        continue;
      }
      expected = shardAt(expected, results[i].placement, results[i].halo, mesh,
                         position);
      Array actual = device.get(value);
      if (!results[i].placement.partial) {
        EXPECT_EQ(actual.shape, expected.shape);
        // Elements that nothing writes are not compared.
        if (!isa<tensor::EmptyOp>(op))
          EXPECT_EQ(actual.data, expected.data);
        continue;
      }
      std::vector<int64_t> key = coordinates;
      key[p] = 0;
      key.push_back(i);
      auto &seen = combined[key];
      seen.push_back(actual);
      if (seen.size() < 2)
        continue;
      ASSERT_EQ(seen[0].shape, expected.shape);
      ASSERT_EQ(seen[1].shape, expected.shape);
      for (size_t j = 0; j < expected.data.size(); ++j)
        EXPECT_NEAR(combine(partial->kind, seen[0].data[j], seen[1].data[j]),
                    expected.data[j], 1e-9)
            << "element " << j << " of " << seen[0].data.size();
    }
  }
}
