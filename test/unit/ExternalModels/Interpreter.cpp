//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter's ops. A failure names the op and leaves a value of the
// result's shape, so that a test goes on and reports once per device.
// Guarantees that nothing reads outside of an array.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace shardir;
using namespace shardir::test;

Array Array::ofShape(std::vector<int64_t> shape, double value) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return {std::move(shape), std::vector<double>(count, value)};
}

double *Array::at(const std::vector<int64_t> &index) {
  int64_t linear = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (index[dim] < 0 || index[dim] >= shape[dim])
      return nullptr;
    linear = linear * shape[dim] + index[dim];
  }
  return &data[linear];
}

void shardir::test::forEachIndex(
    const std::vector<int64_t> &shape,
    llvm::function_ref<void(const std::vector<int64_t> &)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  std::vector<int64_t> index(shape.size());
  while (true) {
    visit(index);
    size_t dim = shape.size();
    while (dim-- > 0) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
    if (dim == size_t(-1))
      return;
  }
}

Array shardir::test::shardAt(const Array &whole, const Placement &placement,
                             const Halo &halo, const Mesh &mesh,
                             int64_t position) {
  auto dims = shardOf(placement, halo, mesh, whole.shape, position);
  std::vector<int64_t> shape;
  for (const DimShard &dim : dims)
    shape.push_back(dim.localExtent());
  Array shard = Array::ofShape(shape);
  Array source = whole;
  forEachIndex(shape, [&](const std::vector<int64_t> &local) {
    std::vector<int64_t> global;
    for (auto [dim, i] : llvm::zip(dims, local))
      global.push_back(dim.toGlobal(i));
    *shard.at(local) = *source.at(global);
  });
  return shard;
}

double shardir::test::combine(PartialKind kind, double a, double b) {
  switch (kind) {
  case PartialKind::Sum:
    return a + b;
  case PartialKind::Prod:
    return a * b;
  case PartialKind::Max:
  case PartialKind::MaxNum:
    return std::fmax(a, b);
  case PartialKind::Min:
  case PartialKind::MinNum:
    return std::fmin(a, b);
  case PartialKind::UMax:
    return std::max(uint64_t(int64_t(a)), uint64_t(int64_t(b)));
  case PartialKind::UMin:
    return int64_t(std::min(uint64_t(int64_t(a)), uint64_t(int64_t(b))));
  case PartialKind::And:
    return int64_t(a) & int64_t(b);
  case PartialKind::Or:
    return int64_t(a) | int64_t(b);
  case PartialKind::Xor:
    return int64_t(a) ^ int64_t(b);
  }
  return 0;
}

void Interpreter::run(Block &block) {
  for (Operation &op : block.without_terminator())
    runOp(op);
}

void Interpreter::runOp(Operation &op) {
  Array result = evaluate(op);
  if (auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType()))
    for (auto [actual, expected] : llvm::zip(result.shape, type.getShape()))
      if (!ShapedType::isDynamic(expected))
        EXPECT_EQ(actual, expected)
            << "the shape of " << op.getName().getStringRef().str();
  values[op.getResult(0)] = std::move(result);
}

int64_t Interpreter::index(OpFoldResult value) {
  if (auto known = getConstantIntValue(value))
    return *known;
  return values[cast<Value>(value)].data[0];
}

std::vector<int64_t> Interpreter::indices(ArrayRef<OpFoldResult> list) {
  std::vector<int64_t> result;
  for (OpFoldResult value : list)
    result.push_back(index(value));
  return result;
}

double Interpreter::yielded(Block &body, const std::vector<int64_t> &index) {
  for (auto [argument, i] : llvm::zip(body.getArguments(), index))
    set(argument, Array::scalar(i));
  run(body);
  return values[body.getTerminator()->getOperand(0)].data[0];
}

static double scalarOp(Operation &op, ArrayRef<double> v) {
  auto bits = [&](unsigned i) { return int64_t(v[i]); };
  return llvm::TypeSwitch<Operation *, double>(&op)
      .Case<arith::AddIOp, arith::AddFOp>([&](auto) { return v[0] + v[1]; })
      .Case<arith::SubIOp, arith::SubFOp>([&](auto) { return v[0] - v[1]; })
      .Case<arith::MulIOp, arith::MulFOp>([&](auto) { return v[0] * v[1]; })
      .Case<arith::DivFOp>([&](auto) { return v[0] / v[1]; })
      .Case<arith::DivUIOp, arith::DivSIOp>(
          [&](auto) { return bits(1) ? bits(0) / bits(1) : 0; })
      .Case<arith::RemUIOp>(
          [&](auto) { return bits(1) ? bits(0) % bits(1) : 0; })
      .Case<arith::ShLIOp>([&](auto) { return v[0] * (1 << bits(1)); })
      .Case<arith::NegFOp>([&](auto) { return -v[0]; })
      .Case<math::FmaOp>([&](auto) { return v[0] * v[1] + v[2]; })
      .Case<arith::MaximumFOp, arith::MaxSIOp, arith::MaxNumFOp>(
          [&](auto) { return combine(PartialKind::Max, v[0], v[1]); })
      .Case<arith::MinimumFOp, arith::MinSIOp, arith::MinNumFOp>(
          [&](auto) { return combine(PartialKind::Min, v[0], v[1]); })
      .Case<arith::MaxUIOp>(
          [&](auto) { return combine(PartialKind::UMax, v[0], v[1]); })
      .Case<arith::MinUIOp>(
          [&](auto) { return combine(PartialKind::UMin, v[0], v[1]); })
      .Case<arith::AndIOp>([&](auto) { return bits(0) & bits(1); })
      .Case<arith::OrIOp>([&](auto) { return bits(0) | bits(1); })
      .Case<arith::XOrIOp>([&](auto) { return bits(0) ^ bits(1); })
      .Case<arith::SelectOp>([&](auto) { return v[0] ? v[1] : v[2]; })
      .Case<arith::CmpIOp>([&](arith::CmpIOp cmp) {
        EXPECT_EQ(cmp.getPredicate(), arith::CmpIPredicate::eq);
        return v[0] == v[1];
      })
      .Case<math::FloorOp>([&](auto) { return std::floor(v[0]); })
      .Case<math::CeilOp>([&](auto) { return std::ceil(v[0]); })
      .Case<math::ExpOp>([&](auto) { return std::exp(v[0]); })
      .Case<math::TanhOp>([&](auto) { return std::tanh(v[0]); })
      .Case<arith::IndexCastOp, arith::ExtFOp, arith::ExtSIOp, arith::SIToFPOp>(
          [&](auto) { return v[0]; })
      .Default([&](auto) {
        ADD_FAILURE() << "cannot run " << op.getName().getStringRef().str();
        return 0;
      });
}

Array Interpreter::elementwise(Operation &op) {
  Array result = Array::scalar(0);
  // Any operand with dims gives the shape; scalars are the same everywhere.
  for (Value operand : op.getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      result = Array::ofShape(values[operand].shape);
  for (size_t i = 0; i < result.data.size(); ++i) {
    SmallVector<double> elements;
    for (Value operand : op.getOperands()) {
      Array &array = values[operand];
      bool tensor = isa<RankedTensorType>(operand.getType());
      if (tensor && array.shape != result.shape) {
        ADD_FAILURE() << "operands of different shapes";
        return result;
      }
      elements.push_back(array.data[tensor ? i : 0]);
    }
    result.data[i] = scalarOp(op, elements);
  }
  return result;
}

Array Interpreter::slice(Operation &op) {
  auto run = [&](auto sliceOp, Array &tensor, auto visit) {
    auto offsets = indices(sliceOp.getMixedOffsets());
    auto sizes = indices(sliceOp.getMixedSizes());
    auto strides = indices(sliceOp.getMixedStrides());
    size_t linear = 0;
    forEachIndex(sizes, [&](const std::vector<int64_t> &i) {
      std::vector<int64_t> at;
      for (size_t dim = 0; dim < i.size(); ++dim)
        at.push_back(offsets[dim] + i[dim] * strides[dim]);
      double *element = tensor.at(at);
      EXPECT_TRUE(element) << "a slice out of bounds";
      if (element)
        visit(linear++, *element);
    });
    std::vector<int64_t> shape;
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      if (!sliceOp.getDroppedDims().test(dim))
        shape.push_back(sizes[dim]);
    return shape;
  };
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    Array result = values[insert.getDest()];
    Array &source = values[insert.getSource()];
    auto shape = run(insert, result, [&](size_t i, double &element) {
      element = i < source.data.size() ? source.data[i] : NAN;
    });
    EXPECT_EQ(shape, source.shape);
    return result;
  }
  auto extract = cast<tensor::ExtractSliceOp>(op);
  std::vector<double> data;
  auto shape = run(extract, values[extract.getSource()],
                   [&](size_t, double &element) { data.push_back(element); });
  return {shape, data};
}

Array Interpreter::padded(Operation &op) {
  auto pad = cast<tensor::PadOp>(op);
  auto low = indices(pad.getMixedLowPad()),
       high = indices(pad.getMixedHighPad());
  Array source = values[pad.getSource()];
  std::vector<int64_t> shape;
  for (size_t dim = 0; dim < low.size(); ++dim)
    shape.push_back(low[dim] + source.shape[dim] + high[dim]);
  Array result = Array::ofShape(shape);
  forEachIndex(shape, [&](const std::vector<int64_t> &at) {
    std::vector<int64_t> inner = at;
    for (size_t dim = 0; dim < low.size(); ++dim)
      inner[dim] -= low[dim];
    double *element = source.at(inner);
    *result.at(at) = element ? *element : yielded(pad.getRegion().front(), at);
  });
  return result;
}

Array Interpreter::evaluate(Operation &op) {
  auto operand = [&](unsigned i) -> Array & {
    return values[op.getOperand(i)];
  };
  auto shapeOfResult = [&](ValueRange sizes) {
    std::vector<int64_t> shape =
        shapeOf(cast<RankedTensorType>(op.getResult(0).getType()));
    size_t next = 0;
    for (int64_t &extent : shape)
      if (extent == kUnknown)
        extent = values[sizes[next++]].data[0];
    return shape;
  };
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto number = [](Attribute value) {
      if (auto f = dyn_cast<FloatAttr>(value))
        return f.getValueAsDouble();
      return double(cast<IntegerAttr>(value).getInt());
    };
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense)
      return Array::scalar(number(constant.getValue()));
    Array result{shapeOf(dense.getType()), {}};
    for (Attribute value : dense.getValues<Attribute>())
      result.data.push_back(number(value));
    return result;
  }
  if (auto axis = dyn_cast<AxisIndexOp>(op))
    return Array::scalar(coordinates[mesh.axisIndex(axis.getAxis().str())]);
  if (isa<tensor::EmptyOp>(op))
    return Array::ofShape(shapeOfResult(op.getOperands()), NAN);
  if (isa<tensor::SplatOp>(op))
    return Array::ofShape(shapeOfResult(op.getOperands().drop_front()),
                          operand(0).data[0]);
  if (isa<linalg::FillOp>(op))
    return Array::ofShape(operand(1).shape, operand(0).data[0]);
  if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    Array result = Array::ofShape(shapeOfResult(op.getOperands()));
    forEachIndex(result.shape, [&](const std::vector<int64_t> &at) {
      *result.at(at) = yielded(generate.getBody().front(), at);
    });
    return result;
  }
  if (isa<tensor::FromElementsOp>(op)) {
    Array result{shapeOfResult({}), {}};
    for (unsigned i = 0; i < op.getNumOperands(); ++i)
      result.data.push_back(operand(i).data[0]);
    return result;
  }
  if (isa<tensor::CastOp>(op))
    return operand(0);
  if (isa<tensor::DimOp>(op)) {
    size_t dim = operand(1).data[0];
    return Array::scalar(operand(0).shape[dim]);
  }
  if (isa<tensor::RankOp>(op))
    return Array::scalar(operand(0).shape.size());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    Array result{{}, operand(0).data};
    for (ArrayRef<int64_t> group : collapse.getReassociationIndices()) {
      int64_t extent = 1;
      for (int64_t dim : group)
        extent *= operand(0).shape[dim];
      result.shape.push_back(extent);
    }
    return result;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    Array result{indices(expand.getMixedOutputShape()), operand(0).data};
    EXPECT_EQ(Array::ofShape(result.shape).data.size(), result.data.size());
    return result;
  }
  if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(op))
    return slice(op);
  if (isa<tensor::PadOp>(op))
    return padded(op);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    std::vector<int64_t> shape = operand(0).shape;
    for (unsigned i = 1; i < op.getNumOperands(); ++i)
      shape[concat.getDim()] += operand(i).shape[concat.getDim()];
    Array result = Array::ofShape(shape);
    forEachIndex(shape, [&](const std::vector<int64_t> &at) {
      std::vector<int64_t> inner = at;
      for (unsigned i = 0; i < op.getNumOperands(); ++i) {
        if (inner[concat.getDim()] < operand(i).shape[concat.getDim()]) {
          *result.at(at) = *operand(i).at(inner);
          return;
        }
        inner[concat.getDim()] -= operand(i).shape[concat.getDim()];
      }
    });
    return result;
  }
  return elementwise(op);
}
