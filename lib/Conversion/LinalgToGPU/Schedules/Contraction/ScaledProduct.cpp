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
/// The ops and what stands between them.
struct ScaledSum {
  linalg::LinalgOp product;
  /// Scales the blocks; the sum itself, or a map whose result that adds.
  linalg::LinalgOp scaling;
  linalg::LinalgOp sum;
  /// By loop of `scaling`: that of the sum.
  SmallVector<unsigned> toSum;
  linalg::FillOp fill;
  memref::AllocOp blocks;
  /// The map's result; null where that is the blocks' buffer, or without one.
  memref::AllocOp scaled;
  /// How `scaling` sees the blocks; null where it reads the buffer itself.
  memref::ExpandShapeOp view;
  unsigned input = 0; ///< of `scaling`: the blocks
  SmallVector<Operation *> frees;

  bool hasMap() const { return scaling != sum; }
  /// Of an operand of `scaling`, in `loops` loops, the first of which are the
  /// sum's.
  AffineMap mapOf(AffineMap map, unsigned loops) const {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults())
      results.push_back(getAffineDimExpr(
          toSum[cast<AffineDimExpr>(expr).getPosition()], map.getContext()));
    return AffineMap::get(loops, 0, results, map.getContext());
  }
};

/// The term that `body` adds to its last argument; null where it is no sum.
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

/// True if no op between `reader` and `place` writes what it reads but for the
/// blocks.
bool mayMove(linalg::LinalgOp reader, Operation *place, Value blocks) {
  SmallVector<Value> reads = bufferUseOf(reader).reads;
  llvm::erase(reads, blocks);
  for (Operation *op = reader->getNextNode(); op && op != place;
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

/// Finds the sum behind a map that scales, in place or not. `reader` is what
/// reads the blocks' buffer behind the map; null for none.
static bool findSumOfScaled(ScaledSum &found, Value seen,
                            linalg::LinalgOp reader) {
  linalg::LinalgOp map = found.scaling;
  OpOperand &init = map.getDpsInitsMutable()[0];
  Value result = init.get();
  AffineMap made = map.getMatchingIndexingMap(&init);
  if (!made.isPermutation() || map.payloadUsesValueFromOperand(&init))
    return false;
  found.sum = reader;
  if (result == seen) {
    if (made != map.getIndexingMapsArray()[found.input])
      return false;
  } else {
    found.scaled = result.getDefiningOp<memref::AllocOp>();
    if (!found.scaled || reader)
      return false;
    for (Operation *user : found.scaled->getUsers()) {
      auto sum = dyn_cast<linalg::LinalgOp>(user);
      if (user == map.getOperation())
        continue;
      if (isa<memref::DeallocOp>(user))
        found.frees.push_back(user);
      else if (sum && !found.sum && sum->getBlock() == map->getBlock() &&
               map->isBeforeInBlock(sum))
        found.sum = sum;
      else
        return false;
    }
  }
  linalg::LinalgOp sum = found.sum;
  if (!sum || sum.getNumDpsInputs() != 1 || sum.getNumDpsInits() != 1 ||
      sum.getDpsInputs()[0] != result ||
      !sum.getIndexingMapsArray()[0].isPermutation() ||
      addendOf(sum.getBlock()) != sum.getBlock()->getArgument(0))
    return false;
  found.toSum.resize(map.getNumLoops());
  for (unsigned dim = 0; dim < made.getNumResults(); ++dim)
    found.toSum[made.getDimPosition(dim)] =
        sum.getIndexingMapsArray()[0].getDimPosition(dim);
  return true;
}

static std::optional<ScaledSum> findScaledSum(linalg::LinalgOp product) {
  ScaledSum found;
  found.product = product;
  Value buffer = product.getDpsInits()[0];
  found.blocks = buffer.getDefiningOp<memref::AllocOp>();
  if (!found.blocks || !getElementTypeOrSelf(buffer).isF32() ||
      !found.blocks.getType().hasStaticShape())
    return std::nullopt;
  SmallVector<linalg::LinalgOp> readers;
  SmallVector<Operation *> users(found.blocks->getUsers());
  for (size_t i = 0; i < users.size(); ++i) {
    Operation *user = users[i];
    auto reader = dyn_cast<linalg::LinalgOp>(user);
    if (user == product.getOperation() || llvm::is_contained(readers, reader))
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
    } else if (reader && product->isBeforeInBlock(reader)) {
      readers.push_back(reader);
    } else {
      return std::nullopt;
    }
  }
  llvm::sort(readers, [](linalg::LinalgOp a, linalg::LinalgOp b) {
    return a->isBeforeInBlock(b);
  });
  if (!found.fill || readers.empty() || readers.size() > 2)
    return std::nullopt;
  linalg::LinalgOp scaling = found.scaling = readers.front();
  if (!isa<linalg::GenericOp>(scaling.getOperation()) ||
      scaling.getNumDpsInits() != 1 || scaling.getNumDpsInputs() < 2)
    return std::nullopt;
  Value seen = found.view ? Value(found.view) : buffer;
  SmallVector<AffineMap> maps = scaling.getIndexingMapsArray();
  if (llvm::count(scaling.getDpsInputs(), seen) != 1 ||
      !llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  found.input = unsigned(llvm::find(scaling->getOperands(), seen) -
                         scaling->operand_begin());
  Block *body = scaling.getBlock();
  Value factor;
  if (scaling.getNumReductionLoops() > 0) {
    if (readers.size() > 1)
      return std::nullopt;
    found.sum = scaling;
    factor = addendOf(body);
    for (unsigned loop = 0; loop < scaling.getNumLoops(); ++loop)
      found.toSum.push_back(loop);
  } else if (findSumOfScaled(found, seen,
                             readers.size() > 1 ? readers[1] : nullptr)) {
    factor = body->getTerminator()->getOperand(0);
  }
  linalg::LinalgOp sum = found.sum;
  if (!sum || sum.getNumReductionLoops() == 0 || !factor ||
      !factor.getType().isF32() || !maps[found.input].isPermutation() ||
      !isScaled(factor, body->getArgument(found.input)) ||
      !getElementTypeOrSelf(sum.getDpsInits()[0]).isF32() ||
      !mayMove(product, sum, found.blocks) ||
      !mayMove(scaling, sum, found.blocks))
    return std::nullopt;
  // The result may not be in memory that a factor or a scale is read from.
  Value written = baseOf(sum.getDpsInits()[0]);
  bool fits = !bufferUseOf(product).readsAny(written);
  for (OpOperand *input : scaling.getDpsInputOperands())
    fits &= isa<MemRefType>(input->get().getType()) &&
            baseOf(input->get()) != written;
  for (AffineMap map : product.getIndexingMapsArray())
    fits &= map.isProjectedPermutation();
  return fits ? std::optional(found) : std::nullopt;
}

/// The loops of the joined op, those of the sum and then the product's
/// reductions, by loop of the product.
static SmallVector<SmallVector<unsigned>> loopsOf(const ScaledSum &found) {
  linalg::LinalgOp product = found.product, scaling = found.scaling,
                   sum = found.sum;
  SmallVector<SmallVector<unsigned>> loops(product.getNumLoops());
  AffineMap made = product.getIndexingMapsArray().back(),
            read = scaling.getIndexingMapsArray()[found.input];
  memref::ExpandShapeOp view = found.view;
  for (auto [dim, expr] : llvm::enumerate(made.getResults())) {
    ReassociationIndices seen = {int64_t(dim)};
    if (view)
      seen = view.getReassociationIndices()[dim];
    for (int64_t place : seen)
      loops[cast<AffineDimExpr>(expr).getPosition()].push_back(
          found.toSum[read.getDimPosition(place)]);
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
  linalg::LinalgOp product = found.product, sum = found.sum;
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

/// Puts the ops' bodies into one.
static void joinBodies(OpBuilder &builder, const ScaledSum &found,
                       ValueRange arguments) {
  linalg::LinalgOp product = found.product, scaling = found.scaling,
                   sum = found.sum;
  IRMapping mapping;
  Block *first = product.getBlock();
  Value term = addendOf(first);
  mapping.map(first->getArguments().take_front(2), arguments.take_front(2));
  for (Operation &op : first->without_terminator())
    if (op.getResult(0) != first->getTerminator()->getOperand(0))
      builder.clone(op, mapping);
  Block *second = scaling.getBlock();
  unsigned scale = 2;
  for (unsigned i = 0; i < scaling.getNumDpsInputs(); ++i)
    mapping.map(second->getArgument(i),
                i == found.input ? mapping.lookup(term) : arguments[scale++]);
  mapping.map(second->getArguments().back(), arguments.back());
  for (Operation &op : second->without_terminator())
    builder.clone(op, mapping);
  Block *last = sum.getBlock();
  if (found.hasMap()) {
    mapping.map(last->getArgument(0),
                mapping.lookup(second->getTerminator()->getOperand(0)));
    mapping.map(last->getArguments().back(), arguments.back());
    for (Operation &op : last->without_terminator())
      builder.clone(op, mapping);
  }
  builder.clone(*last->getTerminator(), mapping);
}

void shardir::joinScaledProduct(
    RewriterBase &rewriter, linalg::LinalgOp product,
    llvm::function_ref<bool(linalg::LinalgOp)> takes) {
  std::optional<ScaledSum> found = findScaledSum(product);
  if (!found)
    return;
  linalg::LinalgOp sum = found->sum, scaling = found->scaling;
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
  for (auto [i, input] : llvm::enumerate(scaling.getDpsInputs()))
    if (i != found->input) {
      inputs.push_back(input);
      maps.push_back(found->mapOf(scaling.getIndexingMapsArray()[i], numLoops));
    }
  AffineMap written = sum.getIndexingMapsArray().back();
  maps.push_back(
      AffineMap::get(numLoops, 0, written.getResults(), written.getContext()));
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
  llvm::SmallPtrSet<Operation *, 4> members = {product, scaling, sum, joined};
  SmallVector<Value> reads = bufferUseOf(product).reads;
  llvm::append_range(reads, bufferUseOf(scaling).reads);
  for (Value base : reads)
    if (base != found->blocks)
      for (Operation *free : otherUsesOf(base, members, sum).earlyFrees)
        rewriter.moveOpAfter(free, sum);
  rewriter.eraseOp(sum);
  if (found->hasMap())
    rewriter.eraseOp(scaling);
  if (found->view)
    rewriter.eraseOp(found->view);
  rewriter.eraseOp(product);
  rewriter.eraseOp(found->fill);
  for (Operation *free : found->frees)
    rewriter.eraseOp(free);
  rewriter.eraseOp(found->blocks);
  if (found->scaled)
    rewriter.eraseOp(found->scaled);
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
