//===- ChooseLayouts.cpp - Orders dims for collectives --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local to scheduled. Requires local tensors; guarantees the same values
// in other orders of dims where ShardIR/Layout/LocalLayouts.h chose some: a
// tensor whose dims are reordered is row-major again, so that no later stage
// knows of orders. Function signatures and what loops carry stay as they are.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Layout/LocalLayouts.h"
#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Report/Report.h"
#include "ShardIR/Transforms/Layout/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {
#define GEN_PASS_DEF_CHOOSELAYOUTS
#include "ShardIR/Transforms/Layout/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

class Reorderer {
public:
  Reorderer(LocalLayouts layouts, const MeshTable &meshes, MLIRContext *context)
      : layouts(std::move(layouts)), meshes(meshes), rewriter(context) {}

  LogicalResult run(func::FuncOp function);
  /// Bytes per device of the transpositions that were inserted.
  int64_t getCopiedBytes() const { return copiedBytes; }

private:
  LogicalResult visit(Operation *op);
  LogicalResult visitLoops(Operation *op);
  void visitGeneric(linalg::GenericOp op, const LoopView &view,
                    const DimOrder &order);
  Value makeGeneric(Operation *op, const LoopView &view);
  void visitCollective(collective::CollectiveOpInterface step);
  void visitSlice(tensor::ExtractSliceOp op);
  void visitReshape(Operation *op);
  void visitExtract(tensor::ExtractOp op);
  void visitDim(tensor::DimOp op);

  Value in(Value value, const DimOrder &order);
  Value makeFree(Value value, const DimOrder &order);
  void rename(Value from, Value to);

  LocalLayouts layouts;
  const MeshTable &meshes;
  IRRewriter rewriter;
  std::map<std::pair<void *, DimOrder>, Value> copies;
  int64_t copiedBytes = 0;
};

} // namespace

static RankedTensorType reordered(Type type, const DimOrder &order) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape;
  for (int64_t dim : order)
    shape.push_back(tensor.getDimSize(dim));
  return tensor.clone(shape);
}

/// The values of a type's unknown extents in the sequence of the new dims.
static SmallVector<Value>
reorderedSizes(RankedTensorType type, ValueRange sizes, const DimOrder &order) {
  SmallVector<Value> byDim(type.getRank()), result;
  size_t next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      byDim[dim] = sizes[next++];
  for (int64_t dim : order)
    if (byDim[dim])
      result.push_back(byDim[dim]);
  return result;
}

template <typename T>
static SmallVector<T> reordered(ArrayRef<T> dims, const DimOrder &order) {
  SmallVector<T> result;
  for (int64_t dim : order)
    result.push_back(dims[dim]);
  return result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Reorderer::rename(Value from, Value to) {
  auto it = layouts.orders.find(from);
  if (it == layouts.orders.end())
    return;
  DimOrder order = it->second;
  layouts.orders.erase(it);
  layouts.orders[to] = order;
}

/// A free tensor once more, with dims `order`, where it is used.
Value Reorderer::makeFree(Value value, const DimOrder &order) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(
        rewriter, loc, ::reordered(type, order),
        reorderedSizes(type, empty.getDynamicSizes(), order));
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return linalg::FillOp::create(rewriter, loc, fill.getInputs()[0],
                                  makeFree(fill.getOutputs()[0], order))
        .getResult(0);
  auto splat = cast<SplatElementsAttr>(
      value.getDefiningOp<arith::ConstantOp>().getValue());
  return arith::ConstantOp::create(
      rewriter, loc,
      cast<DenseElementsAttr>(splat).resizeSplat(::reordered(type, order)));
}

/// `value` with dims `order`: itself, rematerialized, or a copy shared by all
/// users that want it so.
Value Reorderer::in(Value value, const DimOrder &order) {
  DimOrder now = layouts.orderOf(value);
  if (now == order)
    return value;
  if (isFreeTensor(value))
    return makeFree(value, order);
  Value &copy = copies[{value.getAsOpaquePointer(), order}];
  if (copy)
    return copy;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(value);
  DimOrder positions = inverse(now);
  SmallVector<int64_t> permutation;
  for (int64_t dim : order)
    permutation.push_back(positions[dim]);
  Location loc = value.getLoc();
  SmallVector<OpFoldResult> sizes = ::reordered<OpFoldResult>(
      tensor::getMixedSizes(rewriter, loc, value),
      DimOrder(permutation.begin(), permutation.end()));
  auto type = cast<RankedTensorType>(value.getType());
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  Operation *op = value.getDefiningOp();
  copiedBytes +=
      largestBytes(value, meshes) * (op ? executionsOf(op).value_or(1) : 1);
  copy = linalg::TransposeOp::create(rewriter, loc, value, empty, permutation)
             ->getResult(0);
  return copy;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// An elementwise op on tensors of several orders as a generic: its maps say
/// how each is read.
Value Reorderer::makeGeneric(Operation *op, const LoopView &view) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Location loc = op->getLoc();
  // Extents as the op saw them: whatever its operand's order is now.
  Value first = view.inputs[0].operand->get();
  DimOrder positions = inverse(layouts.orderOf(first));
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(
          tensor::DimOp::create(rewriter, loc, first, positions[dim]));
  Value empty = tensor::EmptyOp::create(rewriter, loc, type, sizes);
  SmallVector<Value> inputs;
  for (const LoopView::Operand &input : view.inputs)
    inputs.push_back(input.operand->get());
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  auto generic = linalg::GenericOp::create(
      rewriter, loc, type, inputs, empty, maps, view.iterators,
      [&](OpBuilder &builder, Location nested, ValueRange elements) {
        SmallVector<Value> operands(op->getOperands());
        for (auto [input, element] : llvm::zip(view.inputs, elements))
          operands[input.operand->getOperandNumber()] = element;
        Operation *scalar =
            builder.create(nested, op->getName().getIdentifier(), operands,
                           TypeRange{type.getElementType()}, op->getAttrs());
        linalg::YieldOp::create(builder, nested, scalar->getResults());
      });
  rename(op->getResult(0), generic.getResult(0));
  rewriter.replaceOp(op, generic);
  return generic.getResult(0);
}

void Reorderer::visitGeneric(linalg::GenericOp op, const LoopView &view,
                             const DimOrder &order) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto reorderMap = [&](OpOperand &operand, const DimOrder &dims) {
    AffineMap &map = maps[operand.getOperandNumber()];
    map = AffineMap::get(map.getNumDims(), 0,
                         ::reordered<AffineExpr>(map.getResults(), dims),
                         op.getContext());
  };
  SmallVector<int64_t> sequence = inMemoryOrder(view.resultLoops, order);
  for (const LoopView::Operand &input : view.inputs) {
    Value value = input.operand->get();
    DimOrder own = isFreeTensor(value) ? alignedOrder(input.loops, sequence)
                                       : layouts.orderOf(value);
    reorderMap(*input.operand, own);
    input.operand->set(in(value, own));
  }
  reorderMap(*view.init, order);
  view.init->set(in(view.init->get(), order));
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  op.getResult(0).setType(::reordered(op.getResult(0).getType(), order));
  // Loops in the sequence of the result's memory, as a program would have them
  // that was written so. Reductions keep theirs: it is the order of sums.
  AffineMap result = maps.back();
  if (!view.isParallel() || !result.isPermutation() || result.isIdentity())
    return;
  SmallVector<unsigned> interchange;
  for (AffineExpr expr : result.getResults())
    interchange.push_back(cast<AffineDimExpr>(expr).getPosition());
  (void)linalg::interchangeGenericOp(rewriter, op, interchange);
}

LogicalResult Reorderer::visitLoops(Operation *op) {
  LoopView view = loopView(op);
  DimOrder order = layouts.orderOf(op->getResult(0));
  auto isSame = [&](const LoopView::Operand &input) {
    return isFreeTensor(input.operand->get()) ||
           isRowMajor(layouts.orderOf(input.operand->get()));
  };
  bool initIsSame = !view.init || isRowMajor(layouts.orderOf(view.init->get()));
  if (isRowMajor(order) && initIsSame && llvm::all_of(view.inputs, isSame))
    return success();
  rewriter.setInsertionPoint(op);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp) {
    bool agree = llvm::all_of(view.inputs, [&](const LoopView::Operand &input) {
      return isFreeTensor(input.operand->get()) ||
             layouts.orderOf(input.operand->get()) == order;
    });
    if (agree) {
      for (const LoopView::Operand &input : view.inputs)
        input.operand->set(in(input.operand->get(), order));
      op->getResult(0).setType(::reordered(op->getResult(0).getType(), order));
      return success();
    }
    op = makeGeneric(op, view).getDefiningOp();
  } else if (!isa<linalg::GenericOp>(op)) {
    Value named = op->getResult(0);
    DenseMap<Value, DimOrder> &orders = layouts.orders;
    bool isReordered = orders.erase(named);
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, linalgOp);
    if (failed(generic))
      return op->emitOpError("cannot be written as linalg.generic; compile "
                             "with layout=row-major");
    op = *generic;
    if (isReordered)
      orders[op->getResult(0)] = order;
  }
  rewriter.setInsertionPoint(op);
  visitGeneric(cast<linalg::GenericOp>(op), loopView(op), order);
  return success();
}

void Reorderer::visitCollective(collective::CollectiveOpInterface step) {
  Value result = step->getResult(0);
  DimOrder order = layouts.orderOf(result);
  rewriter.setInsertionPoint(step);
  step->setOperand(0, in(step.getInput(), order));
  if (isRowMajor(order))
    return;
  auto setRange = [&](OperandRange range, RankedTensorType type) {
    unsigned begin = range.empty() ? 0 : range.getBeginOperandIndex();
    SmallVector<Value> values =
        reorderedSizes(type, SmallVector<Value>(range), order);
    for (auto [i, value] : llvm::enumerate(values))
      step->setOperand(begin + i, value);
  };
  setRange(step.getSizes(), cast<RankedTensorType>(result.getType()));
  // Extents first, then two numbers of each open window.
  RankedTensorType global = step.getGlobalTensorType();
  Halo halo = readHalo(step.getHaloAttr());
  setRange(step.getDims().take_front(global.getNumDynamicDims()), global);
  SmallVector<Value> windows(
      step.getDims().drop_front(global.getNumDynamicDims()));
  if (!windows.empty()) {
    SmallVector<Value> ordered;
    for (int64_t dim : order) {
      size_t before = numOpenWindows(Halo(halo.begin(), halo.begin() + dim));
      if (halo[dim].isOpen)
        ordered.append({windows[2 * before], windows[2 * before + 1]});
    }
    unsigned begin =
        step.getDims().getBeginOperandIndex() + global.getNumDynamicDims();
    for (auto [i, value] : llvm::enumerate(ordered))
      step->setOperand(begin + i, value);
  }
  auto place = [&](PlacementAttr placement) {
    return PlacementAttr::get(step->getContext(), placement.getMesh(),
                              reordered(placement.getValue(), order));
  };
  step->setAttr("from", place(step.getFrom()));
  step->setAttr("to", place(step.getTo()));
  if (step.getHaloAttr())
    step->setAttr("halo",
                  haloAttr(step->getContext(),
                           reordered(readHalo(step.getHaloAttr()), order)));
  step->setAttr("global", TypeAttr::get(::reordered(global, order)));
  result.setType(::reordered(result.getType(), order));
}

void Reorderer::visitSlice(tensor::ExtractSliceOp op) {
  DimOrder order = layouts.orderOf(op.getResult());
  if (isRowMajor(order) && isRowMajor(layouts.orderOf(op.getSource())))
    return;
  rewriter.setInsertionPoint(op);
  auto slice = tensor::ExtractSliceOp::create(
      rewriter, op.getLoc(), ::reordered(op.getType(), order),
      in(op.getSource(), order),
      ::reordered<OpFoldResult>(op.getMixedOffsets(), order),
      ::reordered<OpFoldResult>(op.getMixedSizes(), order),
      ::reordered<OpFoldResult>(op.getMixedStrides(), order));
  rename(op.getResult(), slice.getResult());
  rewriter.replaceAllUsesWith(op.getResult(), slice.getResult());
  rewriter.eraseOp(op);
}

/// A reshape that joins or splits dims where they are now.
void Reorderer::visitReshape(Operation *op) {
  Value result = op->getResult(0);
  DimOrder order = layouts.orderOf(result);
  DimOrder wanted = *operandOrderFor(op, order);
  rewriter.setInsertionPoint(op);
  Value operand = in(op->getOperand(0), wanted);
  op->setOperand(0, operand);
  if (isRowMajor(order) && isRowMajor(wanted))
    return;
  RankedTensorType type = ::reordered(result.getType(), order);
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  SmallVector<ReassociationIndices, 4> old =
      expand ? expand.getReassociationIndices()
             : collapse.getReassociationIndices();
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (int64_t group : expand ? wanted : order) {
    ReassociationIndices &dims = groups.emplace_back();
    for (size_t i = 0; i < old[group].size(); ++i)
      dims.push_back(next++);
  }
  Value reshaped;
  if (expand)
    reshaped = tensor::ExpandShapeOp::create(
        rewriter, op->getLoc(), type, operand, groups,
        ::reordered<OpFoldResult>(getMixedValues(expand.getStaticOutputShape(),
                                                 expand.getOutputShape(),
                                                 rewriter),
                                  order));
  else
    reshaped = tensor::CollapseShapeOp::create(rewriter, op->getLoc(), type,
                                               operand, groups);
  rename(result, reshaped);
  rewriter.replaceOp(op, reshaped);
}

void Reorderer::visitExtract(tensor::ExtractOp op) {
  DimOrder order = layouts.orderOf(op.getTensor());
  op.getIndicesMutable().assign(
      ::reordered<Value>(SmallVector<Value>(op.getIndices()), order));
}

void Reorderer::visitDim(tensor::DimOp op) {
  DimOrder positions = inverse(layouts.orderOf(op.getSource()));
  int64_t dim = *op.getConstantIndex();
  // Past the rank is undefined, and stays so.
  if (isRowMajor(positions) || dim < 0 || dim >= int64_t(positions.size()))
    return;
  rewriter.setInsertionPoint(op);
  op.getIndexMutable().assign(
      arith::ConstantIndexOp::create(rewriter, op.getLoc(), positions[dim]));
}

LogicalResult Reorderer::visit(Operation *op) {
  switch (layoutKind(op)) {
  case LayoutOpKind::Loops:
    return visitLoops(op);
  case LayoutOpKind::Collective:
    visitCollective(cast<collective::CollectiveOpInterface>(op));
    return success();
  case LayoutOpKind::Agree: {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      visitSlice(slice);
      return success();
    }
    if (!isa<tensor::CastOp>(op)) {
      visitReshape(op);
      return success();
    }
    DimOrder order = layouts.orderOf(op->getResult(0));
    rewriter.setInsertionPoint(op);
    op->setOperand(0, in(op->getOperand(0), order));
    op->getResult(0).setType(::reordered(op->getResult(0).getType(), order));
    return success();
  }
  case LayoutOpKind::Query:
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      visitExtract(extract);
    else
      visitDim(cast<tensor::DimOp>(op));
    return success();
  case LayoutOpKind::Free:
    return success();
  case LayoutOpKind::Fixed:
    break;
  }
  rewriter.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands())
    if (layouts.orders.contains(operand.get()))
      operand.set(
          in(operand.get(), rowMajor(layouts.orderOf(operand.get()).size())));
  return success();
}

LogicalResult Reorderer::run(func::FuncOp function) {
  if (layouts.orders.empty())
    return success();
  // Definitions come before their uses, bodies after what they capture. Ops of
  // bodies that have no tensors may be gone when their turn would come.
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (hasTensors(op))
      ops.push_back(op);
  });
  SmallVector<Operation *> free;
  for (Operation *op : ops) {
    if (layoutKind(op) == LayoutOpKind::Free)
      free.push_back(op);
    if (failed(visit(op)))
      return failure();
  }
  // Values rematerialized in the order of their users.
  for (Operation *op : llvm::reverse(free))
    if (op->use_empty())
      rewriter.eraseOp(op);
  return success();
}

namespace {

struct ChooseLayoutsPass : shardir::impl::ChooseLayoutsBase<ChooseLayoutsPass> {
  using ChooseLayoutsBase::ChooseLayoutsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<LayoutMode> chosen = parseLayoutMode(mode);
    if (!chosen) {
      module.emitError() << "option mode "
                         << mustBeOneOf({"row-major", "auto", "contiguous"},
                                        mode);
      return signalPassFailure();
    }
    if (stageOf(module) != Stage::Local || *chosen == LayoutMode::RowMajor ||
        module->hasAttr(ShardIRDialect::kLayoutSavedBytes)) {
      markAllAnalysesPreserved();
      return;
    }
    MeshTable meshes(module);
    int64_t saved = 0;
    bool changed = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      LocalLayouts layouts = chooseLocalLayouts(function, meshes, *chosen);
      saved += layouts.rowMajorBytes - layouts.packedBytes;
      changed |= !layouts.orders.empty();
      Reorderer reorderer(std::move(layouts), meshes, &getContext());
      if (failed(reorderer.run(function)))
        return signalPassFailure();
      saved -= reorderer.getCopiedBytes();
    }
    if (!changed) {
      markAllAnalysesPreserved();
      return;
    }
    module->setAttr(
        ShardIRDialect::kLayoutSavedBytes,
        IntegerAttr::get(IntegerType::get(&getContext(), 64), saved));
  }
};

} // namespace
