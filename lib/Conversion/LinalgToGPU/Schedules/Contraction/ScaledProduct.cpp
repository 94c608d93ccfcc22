//===- ScaledProduct.cpp - Products with a scale for each block -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires linalg ops on memrefs. See ScaledProduct.h for what is guaranteed.
// The joined op adds a block's terms in the order of the two ops, and rounds a
// scaled block's sum once less.
//
//===----------------------------------------------------------------------===//

#include "ScaledProduct.h"
#include "../BufferUse.h"
#include "Prologue.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

namespace {
/// The two ops and what stands between them.
struct ScaledSum {
  linalg::LinalgOp product;
  linalg::GenericOp sum;
  linalg::FillOp fill;
  memref::AllocOp blocks;
  /// How the sum sees the blocks; null where it reads the buffer itself.
  memref::ExpandShapeOp view;
  unsigned input = 0; ///< of the sum: the blocks
  SmallVector<Operation *> frees;
};

/// What of `body` adds to its last argument; null where it is no sum.
Value addendOf(Block *body) {
  Value init = body->getArguments().back();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || body->getTerminator()->getNumOperands() != 1)
    return nullptr;
  return add.getLhs() == init   ? add.getRhs()
         : add.getRhs() == init ? add.getLhs()
                                : Value();
}

/// True if `value` is computed from arguments of its block other than
/// `blocks` and the last one.
bool isScale(Value value, BlockArgument blocks) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument != blocks &&
           argument != argument.getOwner()->getArguments().back();
  Operation *op = value.getDefiningOp();
  return isa<arith::MulFOp, arith::ExtFOp, arith::ConstantOp>(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isScale(operand, blocks); });
}

/// True if `value` is `blocks` times scales.
bool isScaled(Value value, BlockArgument blocks) {
  if (value == blocks)
    return true;
  auto mul = value.getDefiningOp<arith::MulFOp>();
  return mul && mul->hasOneUse() &&
         ((isScaled(mul.getLhs(), blocks) && isScale(mul.getRhs(), blocks)) ||
          (isScaled(mul.getRhs(), blocks) && isScale(mul.getLhs(), blocks)));
}

/// True if no op between the two writes what the product reads.
bool mayBeLate(linalg::LinalgOp product, Operation *sum) {
  SmallVector<Value> reads = bufferUseOf(product).reads;
  for (Operation *op = product->getNextNode(); op != sum;
       op = op->getNextNode()) {
    if (isQuiet(op) || isa<memref::DeallocOp>(op))
      continue;
    auto other = dyn_cast<linalg::LinalgOp>(op);
    bool disturbs = other && other.hasPureBufferSemantics()
                        ? bufferUseOf(other).writesAny(reads)
                        : llvm::any_of(reads, [&](Value base) {
                            return touches(op, base);
                          });
    if (disturbs)
      return false;
  }
  return true;
}
} // namespace

static std::optional<ScaledSum> findScaledSum(linalg::LinalgOp product) {
  ScaledSum found;
  found.product = product;
  Value buffer = product.getDpsInits()[0];
  found.blocks = buffer.getDefiningOp<memref::AllocOp>();
  if (!found.blocks || !getElementTypeOrSelf(buffer).isF32() ||
      !found.blocks.getType().hasStaticShape())
    return std::nullopt;
  SmallVector<Operation *> users(found.blocks->getUsers());
  for (size_t i = 0; i < users.size(); ++i) {
    Operation *user = users[i];
    if (user == product.getOperation())
      continue;
    if (user->getBlock() != product->getBlock())
      return std::nullopt;
    if (isa<memref::DeallocOp>(user)) {
      found.frees.push_back(user);
    } else if (auto fill = dyn_cast<linalg::FillOp>(user);
               fill && !found.fill && fill->isBeforeInBlock(product) &&
               matchPattern(fill.getInputs()[0], m_AnyZeroFloat())) {
      found.fill = fill;
    } else if (auto view = dyn_cast<memref::ExpandShapeOp>(user);
               view && !found.view) {
      found.view = view;
      llvm::append_range(users, view->getUsers());
    } else if (auto sum = dyn_cast<linalg::GenericOp>(user);
               sum && !found.sum && product->isBeforeInBlock(sum)) {
      found.sum = sum;
    } else {
      return std::nullopt;
    }
  }
  linalg::GenericOp sum = found.sum;
  if (!sum || !found.fill || sum.getNumDpsInits() != 1 ||
      sum.getNumReductionLoops() == 0 || sum.getNumDpsInputs() < 2 ||
      !mayBeLate(product, sum))
    return std::nullopt;
  Value seen = found.view ? Value(found.view) : buffer;
  if (llvm::count(sum->getOperands(), seen) != 1 ||
      sum.getDpsInits()[0] == seen)
    return std::nullopt;
  found.input = llvm::find(sum->getOperands(), seen).getIndex();
  SmallVector<AffineMap> maps = sum.getIndexingMapsArray();
  Block *body = sum.getBlock();
  Value addend = addendOf(body);
  bool fits =
      maps[found.input].isPermutation() && addend && addend.getType().isF32() &&
      isScaled(addend, body->getArgument(found.input)) &&
      llvm::all_of(maps,
                   [](AffineMap map) { return map.isProjectedPermutation(); });
  for (AffineMap map : product.getIndexingMapsArray())
    fits &= map.isProjectedPermutation();
  // What is written must be nothing that a factor or a scale is read from.
  fits &= !bufferUseOf(product).readsAny(baseOf(sum.getDpsInits()[0]));
  for (OpOperand *input : sum.getDpsInputOperands())
    fits &= isa<MemRefType>(input->get().getType()) &&
            baseOf(input->get()) != baseOf(sum.getDpsInits()[0]);
  return fits ? std::optional(found) : std::nullopt;
}

/// The loops of the joined op, those of the sum and then the product's
/// reductions, by loop of the product.
static SmallVector<SmallVector<unsigned>> loopsOf(const ScaledSum &found) {
  linalg::LinalgOp product = found.product;
  linalg::GenericOp sum = found.sum;
  SmallVector<SmallVector<unsigned>> loops(product.getNumLoops());
  AffineMap made = product.getIndexingMapsArray().back(),
            read = sum.getIndexingMapsArray()[found.input];
  memref::ExpandShapeOp view = found.view;
  for (auto [dim, expr] : llvm::enumerate(made.getResults())) {
    ReassociationIndices seen = {int64_t(dim)};
    if (view)
      seen = view.getReassociationIndices()[dim];
    for (int64_t place : seen)
      loops[cast<AffineDimExpr>(expr).getPosition()].push_back(
          read.getDimPosition(place));
  }
  unsigned next = sum.getNumLoops();
  for (SmallVector<unsigned> &of : loops)
    if (of.empty())
      of.push_back(next++);
  return loops;
}

/// Factor `input` of the product by loops of the joined op, and its map.
static Value factorOf(RewriterBase &rewriter, const ScaledSum &found,
                      ArrayRef<SmallVector<unsigned>> loops, unsigned input,
                      unsigned numLoops, AffineMap &map) {
  linalg::LinalgOp product = found.product;
  linalg::GenericOp sum = found.sum;
  Value factor = product.getDpsInputs()[input];
  auto type = cast<MemRefType>(factor.getType());
  SmallVector<int64_t> extents = sum.getStaticLoopRanges();
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> results;
  for (auto [dim, expr] :
       llvm::enumerate(product.getIndexingMapsArray()[input].getResults())) {
    ArrayRef<unsigned> parts = loops[cast<AffineDimExpr>(expr).getPosition()];
    groups.emplace_back();
    for (unsigned loop : parts) {
      groups.back().push_back(int64_t(shape.size()));
      shape.push_back(parts.size() > 1 ? extents[loop]
                                       : type.getDimSize(unsigned(dim)));
      results.push_back(rewriter.getAffineDimExpr(loop));
    }
  }
  map = AffineMap::get(numLoops, 0, results, rewriter.getContext());
  if (int64_t(shape.size()) == type.getRank())
    return factor;
  FailureOr<MemRefType> expanded =
      memref::ExpandShapeOp::computeExpandedType(type, shape, groups);
  if (failed(expanded))
    return nullptr;
  return memref::ExpandShapeOp::create(rewriter, product.getLoc(), *expanded,
                                       factor, groups);
}

/// Puts the bodies of both ops into one.
static void joinBodies(OpBuilder &builder, const ScaledSum &found,
                       ValueRange arguments) {
  linalg::LinalgOp product = found.product;
  linalg::GenericOp sum = found.sum;
  IRMapping mapping;
  Block *first = product.getBlock();
  Value term = addendOf(first);
  mapping.map(first->getArguments().take_front(2), arguments.take_front(2));
  for (Operation &op : first->without_terminator())
    if (op.getResult(0) != first->getTerminator()->getOperand(0))
      builder.clone(op, mapping);
  Block *second = sum.getBlock();
  unsigned scale = 2;
  for (auto [i, argument] : llvm::enumerate(second->getArguments()))
    mapping.map(argument,
                i == found.input ? mapping.lookup(term) : arguments[scale++]);
  for (Operation &op : *second)
    builder.clone(op, mapping);
}

void shardir::joinScaledProduct(
    RewriterBase &rewriter, linalg::LinalgOp product,
    llvm::function_ref<bool(linalg::LinalgOp)> takes) {
  std::optional<ScaledSum> found = findScaledSum(product);
  if (!found)
    return;
  linalg::GenericOp sum = found->sum;
  SmallVector<SmallVector<unsigned>> loops = loopsOf(*found);
  unsigned numLoops = sum.getNumLoops() + product.getNumReductionLoops();
  rewriter.setInsertionPoint(sum);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto undo = [&](Operation *joined) {
    if (joined)
      rewriter.eraseOp(joined);
    for (auto [i, input] : llvm::enumerate(inputs))
      if (i < 2 && input && input != product.getDpsInputs()[i])
        rewriter.eraseOp(input.getDefiningOp());
  };
  for (unsigned input : {0u, 1u}) {
    maps.emplace_back();
    inputs.push_back(
        factorOf(rewriter, *found, loops, input, numLoops, maps.back()));
    if (!inputs.back())
      return undo(nullptr);
  }
  auto widened = [&](AffineMap map) {
    return AffineMap::get(numLoops, 0, map.getResults(), map.getContext());
  };
  for (auto [i, input] : llvm::enumerate(sum.getDpsInputs()))
    if (i != found->input) {
      inputs.push_back(input);
      maps.push_back(widened(sum.getIndexingMapsArray()[i]));
    }
  maps.push_back(widened(sum.getIndexingMapsArray().back()));
  SmallVector<utils::IteratorType> iterators = sum.getIteratorTypesArray();
  iterators.resize(numLoops, utils::IteratorType::reduction);
  auto joined = linalg::GenericOp::create(
      rewriter, product.getLoc(), inputs, sum.getDpsInits()[0], maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        joinBodies(builder, *found, arguments);
      });
  joined->setAttr(kScaledProduct, rewriter.getUnitAttr());
  if (!takes(joined))
    return undo(joined);
  llvm::SmallPtrSet<Operation *, 2> members = {product, joined};
  for (Value base : bufferUseOf(product).reads)
    for (Operation *free : otherUsesOf(base, members, sum).earlyFrees)
      rewriter.moveOpAfter(free, sum);
  rewriter.eraseOp(sum);
  if (found->view)
    rewriter.eraseOp(found->view);
  rewriter.eraseOp(product);
  rewriter.eraseOp(found->fill);
  for (Operation *free : found->frees)
    rewriter.eraseOp(free);
  rewriter.eraseOp(found->blocks);
}

/// The extents of the op's loops inside of `part` in loop `loop` of the
/// contraction, as one; nullopt where they are not known.
static std::optional<int64_t> extentInside(const Contraction &contraction,
                                           int loop, int part) {
  ArrayRef<int> parts = contraction.parts[loop];
  int64_t extent = 1;
  for (int inner :
       parts.drop_front(llvm::find(parts, part) - parts.begin() + 1)) {
    std::optional<int64_t> known =
        LoopEmitter::known(contraction.opExtents[inner]);
    if (!known)
      return std::nullopt;
    extent *= *known;
  }
  return extent;
}

/// True if `map` stays where it is within each `tile` iterations of `loop`.
static bool isSameInTile(const Contraction &contraction, AffineMap map,
                         int loop, int64_t tile) {
  return llvm::all_of(contraction.parts[loop], [&](int part) {
    std::optional<int64_t> inside = extentInside(contraction, loop, part);
    return !map.isFunctionOfDim(part) || (inside && *inside % tile == 0);
  });
}

bool shardir::haveStepsOneScale(linalg::LinalgOp op, int64_t bk) {
  TrialEmitter trial(op);
  FailureOr<Contraction> contraction = matchContraction(op, trial.emit);
  if (failed(contraction) || !hasLoopNest(op))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return contraction->m >= 0 && contraction->n >= 0 && contraction->k >= 0 &&
         llvm::all_of(ArrayRef(maps).slice(2, op.getNumDpsInputs() - 2),
                      [&](AffineMap map) {
                        return isSameInTile(*contraction, map, contraction->k,
                                            bk);
                      });
}

StepScales::StepScales(KernelEmitter &emit, const Contraction &contraction,
                       const LoopNest &nest, int64_t bn)
    : emit(emit), contraction(contraction) {
  SmallVector<AffineMap> maps = nest.getOp().getIndexingMapsArray();
  for (unsigned input = 2; input < nest.numInputs(); ++input) {
    Scale scale;
    scale.operand = nest.operands[input];
    scale.movesAlongRows =
        llvm::any_of(contraction.parts[contraction.m], [&](int part) {
          return maps[input].isFunctionOfDim(part);
        });
    scale.movesInTile =
        !isSameInTile(contraction, maps[input], contraction.n, bn);
    scales.push_back(scale);
  }
}

void StepScales::setStep(ArrayRef<Index> ivs) {
  stepIvs.assign(ivs.begin(), ivs.end());
  for (Scale &scale : scales)
    scale.loaded.clear();
}

void StepScales::load(Index m, int row, Index n, int column) {
  for (Scale &scale : scales) {
    Value &loaded = scale.valueOf(row, column);
    if (loaded)
      continue;
    SmallVector<Index> ivs = stepIvs;
    ivs[contraction.m] = m;
    if (scale.movesInTile)
      ivs[contraction.n] = n;
    SmallVector<Index> opIvs = opIvsOf(emit, contraction, ivs);
    loaded =
        memref::LoadOp::create(emit.builder, emit.loc, scale.operand.flat,
                               emit.value(scale.operand.address(emit, opIvs)));
  }
}

Value StepScales::at(int row, int column) {
  OpBuilder &builder = emit.builder;
  linalg::LinalgOp op = contraction.op;
  Block *body = op.getBlock();
  IRMapping mapping;
  for (auto [i, scale] : llvm::enumerate(scales))
    mapping.map(body->getArgument(unsigned(i) + 2), scale.valueOf(row, column));
  // The body with 1 for the product of the factors.
  for (Operation &op : body->without_terminator()) {
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          return operand == body->getArgument(0) ||
                 operand == body->getArgument(1);
        })) {
      mapping.map(op.getResult(0), Value());
      continue;
    }
    bool isProduct =
        op.getNumOperands() > 0 &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          return mapping.contains(operand) && !mapping.lookup(operand);
        });
    if (isProduct) {
      mapping.map(op.getResult(0),
                  Value(arith::ConstantOp::create(builder, emit.loc,
                                                  builder.getF32FloatAttr(1))));
      continue;
    }
    if (op.getResult(0) == body->getTerminator()->getOperand(0))
      break;
    builder.clone(op, mapping);
  }
  return mapping.lookup(addendOf(body));
}
