//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Front ends compute the same open extent in several ways,
// with checks for what cannot be, as a negative one.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Extents.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Transforms/Normalize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace shardir {
#define GEN_PASS_DEF_SHAREEXTENTS
#include "ShardIR/Transforms/Normalize/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

/// The first value of each extent, by expression and type.
class SharedExtents {
public:
  explicit SharedExtents(func::FuncOp function)
      : function(function), extents(function),
        builder(OpBuilder::atBlockBegin(&function.getBody().front())) {}

  void run() {
    SmallVector<Operation *> scalars;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumResults() == 1 && !op->hasTrait<OpTrait::ConstantLike>() &&
          isMemoryEffectFree(op) &&
          (op->getResult(0).getType().isIndex() ||
           op->getResult(0).getType().isInteger(64)))
        scalars.push_back(op);
    });
    function.walk([&](tensor::ReshapeOp op) { fillRest(op); });
    // Before there are values that `extents` has not seen.
    function.walk([&](Operation *op) {
      if (Value same = sameTensor(op))
        op->getResult(0).replaceAllUsesWith(same);
    });
    for (Operation *op : scalars) {
      Value scalar = op->getResult(0);
      Attribute extent = extents.of(OpFoldResult(scalar));
      if (!extent)
        continue;
      if (Value shared = of(extent, scalar.getType())) {
        scalar.replaceAllUsesWith(shared);
        continue;
      }
      // A value within a region is not seen behind it.
      if (op->getParentOp() == function)
        first.try_emplace({extent, scalar.getType()}, scalar);
    }
  }

private:
  /// Writes the extent of a reshape that is said to be the rest, -1.
  void fillRest(tensor::ReshapeOp op) {
    auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
    auto elements =
        shape ? llvm::to_vector(shape.getElements()) : SmallVector<Value>();
    for (auto [dim, element] : llvm::enumerate(elements))
      if (getConstantIntValue(OpFoldResult(element)) == -1)
        if (Attribute extent = extents.of(op.getResult(), dim)) {
          element = build(extent, element.getType());
          OpBuilder at(op);
          op.getShapeMutable().assign(tensor::FromElementsOp::create(
              at, op.getLoc(), shape.getType(), elements));
        }
  }

  /// The value of an expression, computed of the arguments' extents.
  Value build(Attribute extent, Type type) {
    if (Value found = of(extent, type))
      return found;
    auto list = cast<ArrayAttr>(extent);
    Value a = build(list[1], type), b = build(list[2], type);
    Location loc = function.getLoc();
    StringRef name = cast<StringAttr>(list[0]).getValue();
    Value made;
    if (name == "add")
      made = arith::AddIOp::create(builder, loc, a, b);
    else if (name == "sub")
      made = arith::SubIOp::create(builder, loc, a, b);
    else if (name == "mul")
      made = arith::MulIOp::create(builder, loc, a, b);
    else if (name == "div")
      made = arith::DivSIOp::create(builder, loc, a, b);
    else if (name == "rem")
      made = arith::RemSIOp::create(builder, loc, a, b);
    else if (name == "min")
      made = arith::MinSIOp::create(builder, loc, a, b);
    else
      made = arith::MaxSIOp::create(builder, loc, a, b);
    return first[{extent, type}] = made;
  }

  bool haveSameExtents(Value tensor, ArrayRef<OpFoldResult> sizes) {
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      Attribute extent = extents.of(tensor, dim);
      if (!extent || extent != extents.of(size))
        return false;
    }
    return true;
  }

  /// The tensor that an op gives as it is, as a slice of all elements; null for
  /// other ops.
  Value sameTensor(Operation *op) {
    auto isWhole = [&](auto slice, Value tensor) {
      return tensor.getType() == op->getResult(0).getType() &&
             llvm::all_of(slice.getMixedOffsets(),
                          [&](OpFoldResult offset) {
                            Attribute start = extents.of(offset);
                            return start && isZeroInteger(start);
                          }) &&
             llvm::all_of(slice.getMixedStrides(), isOneInteger) &&
             haveSameExtents(tensor, slice.getMixedSizes());
    };
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return isWhole(slice, slice.getSource()) ? slice.getSource() : Value();
    if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
      return slice.getSourceType() == slice.getDestType() &&
                     isWhole(slice, slice.getDest())
                 ? slice.getSource()
                 : Value();
    auto reshape = dyn_cast<tensor::ReshapeOp>(op);
    auto shape =
        reshape ? reshape.getShape().getDefiningOp<tensor::FromElementsOp>()
                : nullptr;
    return shape && reshape.getSource().getType() == reshape.getType() &&
                   haveSameExtents(reshape.getSource(),
                                   getAsOpFoldResult(shape.getElements()))
               ? reshape.getSource()
               : Value();
  }

  /// The value of an extent that was found before, or that is a number or an
  /// argument's.
  Value of(Attribute extent, Type type) {
    if (Value found = first.lookup({extent, type}))
      return found;
    Location loc = function.getLoc();
    Value made;
    if (auto number = dyn_cast<IntegerAttr>(extent)) {
      made = arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(type, number.getInt()));
    } else if (auto list = cast<ArrayAttr>(extent); list.size() != 2) {
      return {};
    } else if (!type.isIndex()) {
      made = arith::IndexCastOp::create(builder, loc, type,
                                        of(extent, builder.getIndexType()));
    } else {
      made = tensor::DimOp::create(
          builder, loc,
          function.getArgument(cast<IntegerAttr>(list[0]).getInt()),
          cast<IntegerAttr>(list[1]).getInt());
    }
    return first[{extent, type}] = made;
  }

  func::FuncOp function;
  Extents extents;
  OpBuilder builder;
  llvm::DenseMap<std::pair<Attribute, Type>, Value> first;
};

struct ShareExtentsPass : shardir::impl::ShareExtentsBase<ShareExtentsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    bool isOpen = llvm::any_of(function.getArgumentTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && !tensor.hasStaticShape();
    });
    // A collective gives a local tensor other extents than its operand has.
    auto module = function->getParentOfType<ModuleOp>();
    if (!isOpen || function.isExternal() || stageOf(module) >= Stage::Local)
      return markAllAnalysesPreserved();
    SharedExtents(function).run();
  }
};

} // namespace
