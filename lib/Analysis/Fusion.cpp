//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion computes no op more often than its cost allows, and leaves
// contractions in the form that their schedules match.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Fusion.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

/// Beyond these a fused body spills registers or costs compile time.
static constexpr int64_t maxFusedOperands = 14;
static constexpr int64_t maxFusedBodyOps = 256;

namespace {

/// The cost of one evaluation of a body, in additions.
struct BodyCost {
  int64_t operations = 0;
  /// Has ops that do not become vector instructions one for one.
  bool irregular = false;
};

} // namespace

static BodyCost costOf(linalg::LinalgOp op) {
  BodyCost cost;
  op.getBlock()->walk([&](Operation *nested) {
    if (isa<linalg::YieldOp, linalg::IndexOp, arith::ConstantOp>(nested))
      return;
    if (isa_and_present<scf::SCFDialect, tensor::TensorDialect>(
            nested->getDialect())) {
      cost.irregular = true;
      cost.operations += 8;
    } else if (isa_and_present<math::MathDialect>(nested->getDialect()) &&
               !isa<math::AbsFOp, math::AbsIOp, math::FmaOp>(nested)) {
      cost.operations += 20;
    } else if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
                   arith::RemSIOp, arith::RemUIOp>(nested)) {
      cost.operations += 10;
    } else {
      cost.operations += 1;
    }
  });
  return cost;
}

int64_t shardir::operationsOf(linalg::LinalgOp op) {
  return costOf(op).operations;
}

/// The body moves its only input, possibly widening it.
static bool isMovement(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1)
    return false;
  Operation *yield = op.getBody()->getTerminator();
  if (yield->getNumOperands() != 1)
    return false;
  Value value = yield->getOperand(0);
  Operation *cast = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(cast))
    value = cast->getOperand(0);
  return value == op.getBody()->getArgument(0);
}

static bool isContraction(linalg::GenericOp op) {
  return op.getNumReductionLoops() > 0 && op.getNumParallelLoops() > 0 &&
         op.getNumDpsInputs() == 2 && linalg::isaContractionOpInterface(op);
}

/// Of a loop, at least 1; assumed where it is not known.
static double assumedExtent(int64_t extent) {
  return ShapedType::isDynamic(extent) ? double(kAssumedDimSize)
                                       : double(std::max<int64_t>(extent, 1));
}

/// The iterations of `op`, as far as they are known.
static double pointsOf(linalg::GenericOp op) {
  double product = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    product *= assumedExtent(extent);
  return product;
}

static bool isFused(OpOperand *use, unsigned depth);

/// The bytes that all iterations read, those of broadcast operands once. Of an
/// input that is computed here, those that it is made of, `depth` ops further.
static double bytesRead(linalg::GenericOp op, unsigned depth) {
  double bytes = 0, points = pointsOf(op);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    if (depth > 0 && producer && isFused(input, depth - 1)) {
      bytes += bytesRead(producer, depth - 1);
      continue;
    }
    double each = points * double(elementBytes(input->get().getType()));
    AffineMap map = op.getMatchingIndexingMap(input);
    for (auto [loop, extent] : llvm::enumerate(extents))
      if (!map.isFunctionOfDim(loop))
        each /= assumedExtent(extent);
    bytes += each;
  }
  return bytes;
}

/// Whether all between `op` and the last of its users is computed row by row,
/// so that its result stays in caches or registers.
static bool hasUsersInOneChain(linalg::GenericOp op) {
  Operation *last = op;
  for (Operation *user : op->getUsers())
    if (last->isBeforeInBlock(user))
      last = user;
  for (Operation *each = op->getNextNode(); each != last;
       each = each->getNextNode()) {
    if (isa<tensor::EmptyOp, linalg::FillOp>(each) ||
        each->hasTrait<OpTrait::ConstantLike>())
      continue;
    auto structured = dyn_cast<linalg::LinalgOp>(each);
    if (!structured || structured.getNumParallelLoops() == 0 ||
        linalg::isaContractionOpInterface(structured) ||
        linalg::isaConvolutionOpInterface(structured))
      return false;
  }
  return true;
}

/// Whether each user of `op`, which has several, should compute it.
static bool isRepeatedForUsers(linalg::GenericOp op, const BodyCost &cost,
                               unsigned depth) {
  constexpr int64_t cheap = 4;
  // Broadcast operands add a little.
  constexpr double broadcastShare = 1.1;
  if (cost.irregular || op->getNumResults() != 1)
    return false;
  double read = bytesRead(op, depth) / pointsOf(op),
         made = double(elementBytes(op->getResult(0).getType()));
  if (cost.operations <= cheap)
    return op.getNumDpsInputs() <= 1 || read <= broadcastShare * made;
  // Operations that take as long as a byte of memory, on CPUs and GPUs alike.
  constexpr double perByte = 4;
  auto users = double(std::distance(op->use_begin(), op->use_end()));
  double saved = made * (1 + users) + read - users * read;
  return double(cost.operations) * (users - 1) <= perByte * saved &&
         llvm::all_of(op->getUses(),
                      [&](OpOperand &use) {
                        return use.getOwner()->getBlock() == op->getBlock() &&
                               linalg::areElementwiseOpsFusable(&use);
                      }) &&
         !hasUsersInOneChain(op);
}

/// As isFusedAt; `depth` as of bytesRead.
static bool isFused(OpOperand *use, unsigned depth) {
  if (!linalg::areElementwiseOpsFusable(use))
    return false;
  auto producer = use->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = cast<linalg::GenericOp>(use->getOwner());
  if (producer->getBlock() != consumer->getBlock())
    return false;
  // Fusing a producer with other users leaves a result that nothing uses, with
  // which a contraction is not told from other ops until it is erased.
  if (consumer.getNumReductionLoops() > 0 &&
      llvm::any_of(consumer->getResults(),
                   [](OpResult result) { return result.use_empty(); }))
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(use);
  if (isContraction(consumer))
    return isMovement(producer) && map.isProjectedPermutation() &&
           producer.getMatchingIndexingMap(producer.getDpsInputOperand(0))
               .isPermutation();
  if (isContraction(producer))
    return false;
  // A convolution reads each element, and each of its filter, many times: what
  // moves them is a copy that has them in the order it reads.
  bool readsWindows =
      llvm::any_of(consumer.getIndexingMapsArray(), [](AffineMap read) {
        return !read.isProjectedPermutation(/*allowZeroInResults=*/true);
      });
  if (consumer.getNumReductionLoops() > 0 && readsWindows &&
      producer.getNumDpsInputs() > 0 &&
      !producer.getMatchingIndexingMap(producer.getDpsInputOperand(0))
           .isIdentity())
    return false;
  // A producer that reads what its buffer holds must run once for each element.
  for (OpOperand &init : producer.getDpsInitsMutable())
    if (!producer.getMatchingBlockArgument(&init).use_empty())
      return false;

  BodyCost producerCost = costOf(producer), consumerCost = costOf(consumer);
  if (producerCost.operations + consumerCost.operations > maxFusedBodyOps ||
      producer.getNumDpsInputs() + consumer.getNumDpsInputs() >
          maxFusedOperands)
    return false;
  // A gather or a branch keeps its loop scalar; don't let it take others along.
  if (producerCost.irregular != consumerCost.irregular &&
      std::max(producerCost.operations, consumerCost.operations) > 12)
    return false;

  // Loops of the consumer that the operand does not run along compute the
  // producer again and again.
  bool repeated = map.getNumResults() == 0 ||
                  consumer.getNumLoops() >
                      static_cast<unsigned>(
                          llvm::count_if(map.getResults(), [](AffineExpr expr) {
                            return !isa<AffineConstantExpr>(expr);
                          }));
  if (repeated && producerCost.operations > 4)
    return false;
  if (producer->getNumResults() == 1 && producer->hasOneUse())
    return true;
  return isRepeatedForUsers(producer, producerCost, depth);
}

bool shardir::isFusedAt(OpOperand *use) { return isFused(use, /*depth=*/1); }

bool shardir::isJoinedAt(OpOperand *use) {
  auto producer = use->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(use->getOwner());
  if (!producer || !consumer || producer->getNumResults() != 1 ||
      consumer.getNumReductionLoops() > 0 ||
      !linalg::areElementwiseOpsFusable(use) ||
      !producer.getIndexingMapsArray().back().isIdentity() ||
      !consumer.getMatchingIndexingMap(use).isIdentity() ||
      !llvm::all_of(consumer.getDpsInitsMutable(), [&](OpOperand &init) {
        return consumer.getMatchingIndexingMap(&init).isIdentity();
      }))
    return false;
  BodyCost producerCost = costOf(producer), consumerCost = costOf(consumer);
  return !producerCost.irregular && !consumerCost.irregular &&
         producerCost.operations + consumerCost.operations <= maxFusedBodyOps &&
         producer.getNumDpsInputs() + consumer.getNumDpsInputs() <=
             maxFusedOperands &&
         llvm::all_of(producer->getUses(),
                      [&](OpOperand &each) {
                        return &each == use ||
                               isa<func::ReturnOp>(each.getOwner());
                      }) &&
         !producer->hasOneUse();
}

bool shardir::isComputedAt(tensor::ExtractOp extract) {
  auto producer = extract.getTensor().getDefiningOp<linalg::GenericOp>();
  auto reader = extract->getParentOfType<linalg::GenericOp>();
  if (!producer || !reader || producer->getBlock() != reader->getBlock() ||
      producer.getNumLoops() != producer.getNumParallelLoops() ||
      producer->getNumResults() != 1 ||
      !producer.getIndexingMapsArray().back().isIdentity() ||
      producer.payloadUsesValueFromOperand(producer.getDpsInitOperand(0)))
    return false;
  auto isSelection = [](AffineMap map) {
    return llvm::all_of(map.getResults(),
                        llvm::IsaPred<AffineDimExpr, AffineConstantExpr>);
  };
  if (!llvm::all_of(producer.getIndexingMapsArray(), isSelection) ||
      llvm::any_of(producer.getBody()->getOperations(),
                   [](Operation &op) { return op.getNumRegions() > 0; }))
    return false;
  // Elements that are read must be few, and nothing else may need the others.
  return 2 * pointsOf(reader) <= pointsOf(producer) &&
         llvm::all_of(producer->getUses(), [](OpOperand &use) {
           return isa<tensor::ExtractOp>(use.getOwner()) || isFusedAt(&use);
         });
}

/// Whether `op` computes each element of its result by itself.
static bool isElementwise(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured
             ? structured.getNumLoops() == structured.getNumParallelLoops()
             : OpTrait::hasElementwiseMappableTraits(op);
}

bool shardir::isUnstored(OpResult value) {
  Operation *op = value.getOwner();
  if (op->hasAttr(ShardIRDialect::kUnstored))
    return true;
  if (value.use_empty() || !isElementwise(op))
    return false;
  if (isa<linalg::GenericOp>(op) &&
      llvm::all_of(value.getUses(), [](OpOperand &use) {
        auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner());
        return extract ? isComputedAt(extract) : isFusedAt(&use);
      }))
    return true;
  // Ops by name, which become generic ones.
  Operation *user = *value.user_begin();
  return value.hasOneUse() && user->getBlock() == op->getBlock() &&
         isElementwise(user) &&
         !(isa<linalg::GenericOp>(op) && isa<linalg::GenericOp>(user));
}
