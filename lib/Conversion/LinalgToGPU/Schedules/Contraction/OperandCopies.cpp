//===- OperandCopies.cpp - Operands in rows that suit vectors -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a contraction on memrefs. A copy has the loops of the operand in an
// order that the product's kernel sees as few dims: those around the tiles, the
// loops of the rows, those of the columns. Rows begin at multiples of 16 bytes;
// what lies between them is never read.
//
//===----------------------------------------------------------------------===//

#include "OperandCopies.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {
/// How tiles see the operands of a product.
class Probe : public ProductTiles {
public:
  using ProductTiles::ProductTiles;

  bool isStraight() const {
    linalg::LinalgOp op = contraction.op;
    return contraction.a.memref == op.getDpsInputs()[0] &&
           contraction.a.map == op.getIndexingMapsArray()[0];
  }
  const TileSource &source(unsigned input) const {
    return (input == 0) == isStraight() ? a : b;
  }
};

/// Calls `ask` with a probe. What that emits is erased, unless `rewriter` is
/// given.
LogicalResult withProbe(
    linalg::LinalgOp op, const TilePlan &plan, RewriterBase *rewriter,
    function_ref<void(KernelEmitter &, const Contraction &, const Probe &)>
        ask) {
  Block scratch;
  IRRewriter trial(op.getContext());
  trial.setInsertionPointToEnd(&scratch);
  KernelEmitter emit(rewriter ? *rewriter : static_cast<RewriterBase &>(trial),
                     op);
  FailureOr<Contraction> contraction =
      matchContraction(op, emit, /*windows=*/true);
  FailureOr<LoopNest> nest = makeLoopNest(op, emit, /*merge=*/false);
  if (failed(contraction) || failed(nest))
    return failure();
  Epilogue none;
  ask(emit, *contraction, Probe(emit, *contraction, none, *nest, plan));
  return success();
}

/// A window reads elements several times; its copy would hold them as often.
bool isCopyable(linalg::LinalgOp op, unsigned input) {
  return op.getIndexingMapsArray()[input].isProjectedPermutation();
}
} // namespace

SmallVector<TilePlan> shardir::withOperandCopies(linalg::LinalgOp op,
                                                 ArrayRef<TilePlan> plans) {
  SmallVector<TilePlan> result(plans);
  if (plans.empty())
    return result;
  bool byElements[2] = {false, false};
  if (failed(withProbe(
          op, plans.front(), nullptr,
          [&](KernelEmitter &, const Contraction &, const Probe &probe) {
            for (unsigned input : {0u, 1u})
              byElements[input] = probe.source(input).aligned.never();
          })))
    return result;
  for (TilePlan &plan : result)
    llvm::copy(byElements, plan.byElements);
  bool copied[2];
  for (unsigned input : {0u, 1u})
    copied[input] = byElements[input] && isCopyable(op, input);
  if (!copied[0] && !copied[1])
    return result;
  for (TilePlan plan : plans) {
    for (unsigned input : {0u, 1u}) {
      plan.copied[input] = copied[input];
      plan.byElements[input] = byElements[input] && !copied[input];
    }
    result.push_back(plan);
  }
  return result;
}

/// Emits the copy of `input` and returns its view as the product reads it; the
/// map of the view from the product's loops, and the buffer.
static Value copyOperand(KernelEmitter &emit, const Contraction &contraction,
                         const Probe &probe, unsigned input, AffineMap &map,
                         Value &buffer) {
  linalg::LinalgOp op = contraction.op;
  const TileSource &source = probe.source(input);
  int columnLoop = source.alongK ? contraction.k : source.outerLoop;
  AffineMap from = op.getIndexingMapsArray()[input];
  ArrayRef<int> columns = contraction.parts[columnLoop];
  SmallVector<int> order;
  auto append = [&](ArrayRef<int> loops) {
    for (int loop : loops)
      if (from.isFunctionOfDim(loop) && !llvm::is_contained(order, loop))
        order.push_back(loop);
  };
  SmallVector<int> outer;
  for (auto [loop, parts] : llvm::enumerate(contraction.parts))
    if (int(loop) != columnLoop &&
        int(loop) != (source.alongK ? source.outerLoop : contraction.k))
      append(parts);
  for (auto [loop, parts] : llvm::enumerate(contraction.parts))
    if (int(loop) != columnLoop)
      append(parts);
  append(columns);

  // Strides from the innermost loop outwards; the first one around the columns
  // begins at a multiple of 16 bytes.
  Type element = source.operand.element;
  int64_t chunk = 16 / elementBytes(element);
  SmallVector<Index> sizes(order.size()), strides(order.size());
  Index count = emit.constant(1);
  for (size_t at = order.size(); at-- > 0;) {
    bool column = llvm::is_contained(columns, order[at]);
    if (!column && at + 1 < order.size() &&
        llvm::is_contained(columns, order[at + 1]))
      count = emit.roundUp(count, chunk);
    sizes[at] = contraction.opExtents[order[at]];
    strides[at] = count;
    count = emit.mul(count, sizes[at]);
  }
  buffer = emit.workspace(element, count);
  auto known = [](Index index) {
    return LoopEmitter::known(index).value_or(ShapedType::kDynamic);
  };
  auto type = MemRefType::get(
      llvm::map_to_vector(sizes, known), element,
      StridedLayoutAttr::get(emit.builder.getContext(), 0,
                             llvm::map_to_vector(strides, known)));
  Value view = memref::ReinterpretCastOp::create(
      emit.builder, emit.loc, type, buffer, emit.constant(0), sizes, strides);

  MLIRContext *context = emit.builder.getContext();
  SmallVector<AffineExpr> read, used;
  for (AffineExpr expr : from.getResults()) {
    int loop = int(cast<AffineDimExpr>(expr).getPosition());
    read.push_back(
        getAffineDimExpr(llvm::find(order, loop) - order.begin(), context));
  }
  for (int loop : order)
    used.push_back(getAffineDimExpr(loop, context));
  map = AffineMap::get(from.getNumDims(), 0, used, context);
  unsigned dims = order.size();
  auto copy = linalg::GenericOp::create(
      emit.builder, emit.loc, ValueRange(op.getDpsInputs()[input]),
      ValueRange(view),
      ArrayRef({AffineMap::get(dims, 0, read, context),
                AffineMap::getMultiDimIdentityMap(dims, context)}),
      SmallVector<utils::IteratorType>(dims, utils::IteratorType::parallel),
      [](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, arguments[0]);
      });
  // It has linear addresses, as the product has.
  (void)emitElementwise(emit.rewriter,
                        cast<linalg::LinalgOp>(copy.getOperation()), op);
  return view;
}

FailureOr<OperandCopies> shardir::copyOperands(RewriterBase &rewriter,
                                               linalg::LinalgOp op,
                                               const TilePlan &plan) {
  OperandCopies result{op, {}};
  if (!plan.copied[0] && !plan.copied[1])
    return result;
  rewriter.setInsertionPoint(op);
  Value views[2];
  AffineMap maps[2];
  LogicalResult found =
      withProbe(op, plan, &rewriter,
                [&](KernelEmitter &emit, const Contraction &contraction,
                    const Probe &probe) {
                  for (unsigned input : {0u, 1u})
                    if (plan.copied[input]) {
                      rewriter.setInsertionPoint(op);
                      views[input] = copyOperand(emit, contraction, probe,
                                                 input, maps[input],
                                                 result.buffers.emplace_back());
                    }
                });
  if (failed(found))
    return op->emitOpError("is not a product of matrices");
  rewriter.setInsertionPoint(op);
  DictionaryAttr notes = op->getDiscardableAttrDictionary();
  linalg::GenericOp generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    if (failed(made))
      return op->emitOpError("has no general form");
    generic = *made;
    generic->setDiscardableAttrs(notes);
  }
  SmallVector<AffineMap> all = generic.getIndexingMapsArray();
  rewriter.modifyOpInPlace(generic, [&] {
    for (unsigned input : {0u, 1u})
      if (plan.copied[input]) {
        generic->setOperand(input, views[input]);
        all[input] = maps[input];
      }
    generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(all));
  });
  result.product = generic;
  return result;
}
