//===- LibraryMatmul.cpp - Contractions by the vendor's library ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule `cublaslt`: with the option `library=cublaslt`, products of two
// matrices, and batches of them along one dim, are calls of cublasLtMatmul,
// with the bias and the maximum with 0 behind them where these are all that is
// there. Requires dims that cuBLASLt's layouts know: each operand contiguous
// along one of its two. Other products, and all without the option, are left to
// kernels.
//
//===----------------------------------------------------------------------===//

#include "../BufferUse.h"
#include "ContractionKernel.h"
#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

namespace {
/// The ops behind a product that the library computes with it.
struct LibraryEpilogue {
  OpOperand *bias = nullptr;
  bool relu = false;
};

/// The epilogue that `map`, which reads `c`, is; nullopt for any other map.
std::optional<LibraryEpilogue> matchEpilogue(linalg::LinalgOp map, Value c) {
  Type element = getElementTypeOrSelf(c.getType());
  if (map.getNumDpsInits() != 1 ||
      getElementTypeOrSelf(map.getDpsInits()[0].getType()) != element)
    return std::nullopt;
  LibraryEpilogue result;
  Block *body = map.getBlock();
  auto isZero = [](Value value) {
    return matchPattern(value, m_AnyZeroFloat());
  };
  Value value = body->getTerminator()->getOperand(0);
  if (auto relu = value.getDefiningOp<arith::MaximumFOp>()) {
    if (!isZero(relu.getLhs()) && !isZero(relu.getRhs()))
      return std::nullopt;
    result.relu = true;
    value = isZero(relu.getRhs()) ? relu.getLhs() : relu.getRhs();
  }
  auto inputOf = [&](Value argument) -> OpOperand * {
    auto blockArgument = dyn_cast<BlockArgument>(argument);
    if (!blockArgument || blockArgument.getOwner() != body ||
        blockArgument.getArgNumber() >= map.getNumDpsInputs())
      return nullptr;
    return map.getDpsInputOperand(blockArgument.getArgNumber());
  };
  auto isProduct = [&](Value argument) {
    OpOperand *input = inputOf(argument);
    return input && input->get() == c;
  };
  if (auto add = value.getDefiningOp<arith::AddFOp>()) {
    bool left = isProduct(add.getLhs());
    result.bias = inputOf(left ? add.getRhs() : add.getLhs());
    if (!result.bias || !isProduct(left ? add.getLhs() : add.getRhs()) ||
        getElementTypeOrSelf(result.bias->get().getType()) != element ||
        !isa<MemRefType>(result.bias->get().getType()))
      return std::nullopt;
  } else if (!isProduct(value)) {
    return std::nullopt;
  }
  return result.bias || result.relu ? std::optional(result) : std::nullopt;
}

/// A product as the library sees it.
struct LibraryProduct {
  ContractionNeighbours neighbours;
  NestOperand a, b, c;
  std::optional<NestOperand> bias;
  bool aAlongM = false, bAlongK = false, relu = false;
  SmallVector<Index> numbers;

  /// Emits what the numbers need; nullopt, with dead code at most, where the
  /// library has no such product.
  static std::optional<LibraryProduct> match(KernelEmitter &emit,
                                             linalg::LinalgOp op);
};

bool hasKnownTypes(linalg::LinalgOp op) {
  Type a = getElementTypeOrSelf(op.getDpsInputs()[0].getType()),
       b = getElementTypeOrSelf(op.getDpsInputs()[1].getType()),
       c = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  return a == b && (a.isBF16() || a.isF16() || a.isF32()) &&
         (c == a || c.isF32());
}

/// `bias` of `map`, if it runs along the columns of what that writes.
std::optional<NestOperand> biasAlongColumns(KernelEmitter &emit,
                                            const Contraction &contraction,
                                            linalg::LinalgOp map,
                                            OpOperand &bias) {
  AffineMap used = map.getMatchingIndexingMap(&bias),
            written = map.getIndexingMapsArray().back();
  if (contraction.parts[contraction.n].size() != 1 ||
      used.getNumResults() != 1 ||
      used.getResult(0) != written.getResults().back())
    return std::nullopt;
  FailureOr<NestOperand> operand = makeNestOperand(emit, bias.get(), used);
  auto loop = dyn_cast<AffineDimExpr>(used.getResult(0));
  if (failed(operand) || !loop || !operand->isUnit(int(loop.getPosition())))
    return std::nullopt;
  return *operand;
}

std::optional<LibraryProduct> LibraryProduct::match(KernelEmitter &emit,
                                                    linalg::LinalgOp op) {
  FailureOr<Contraction> contraction = matchContraction(op, emit);
  FailureOr<LoopNest> nest = makeLoopNest(op, emit, /*merge=*/false);
  if (failed(contraction) || failed(nest) || contraction->m < 0 ||
      !contraction->outerK.empty() || contraction->outer.size() > 1)
    return std::nullopt;
  int m = contraction->m, n = contraction->n, k = contraction->k;
  int batch = contraction->outer.empty() ? -1 : contraction->outer[0];
  LibraryProduct product;
  bool straight = contraction->a.memref == op.getDpsInputs()[0] &&
                  contraction->a.map == op.getIndexingMapsArray()[0];
  product.a = nest->operands[straight ? 0 : 1];
  product.b = nest->operands[straight ? 1 : 0];
  product.c = nest->results().front();
  product.aAlongM = !product.a.isUnit(k);
  product.bAlongK = !product.b.isUnit(n);
  if ((product.aAlongM && !product.a.isUnit(m)) ||
      (product.bAlongK && !product.b.isUnit(k)))
    return std::nullopt;

  // A map that the library does not know runs by itself.
  ContractionNeighbours &neighbours = product.neighbours;
  neighbours = findNeighbours(op);
  Value buffer = op.getDpsInits()[0];
  std::optional<LibraryEpilogue> epilogue;
  // The product itself is then stored nowhere.
  if (neighbours.map && neighbours.zeros && contraction->outer.empty() &&
      (!neighbours.resultEscapes ||
       llvm::is_contained(neighbours.map.getDpsInits(), buffer)))
    epilogue = matchEpilogue(neighbours.map, buffer);
  if (epilogue && epilogue->bias) {
    product.bias =
        biasAlongColumns(emit, *contraction, neighbours.map, *epilogue->bias);
    if (!product.bias)
      epilogue.reset();
  }
  if (epilogue) {
    FailureOr<Epilogue> finished =
        Epilogue::create(emit, *contraction, neighbours, product.c);
    std::optional<NestOperand> result;
    if (succeeded(finished)) {
      auto results = finished->results();
      if (results && results->size() == 1)
        result = results->front();
    }
    if (result && result->isUnit(n))
      product.c = *result;
    else
      epilogue.reset();
  }
  if (epilogue) {
    product.relu = epilogue->relu;
  } else {
    product.bias.reset();
    neighbours.map = nullptr;
    neighbours.earlyFrees.clear();
  }

  auto extent = [&](int loop) {
    return loop < 0 ? emit.constant(1) : contraction->extents[loop];
  };
  auto stride = [&](const NestOperand &operand, int loop) {
    return loop < 0 ? emit.constant(0) : operand.strides[loop];
  };
  product.numbers = {extent(m),
                     extent(n),
                     extent(k),
                     extent(batch),
                     stride(product.a, product.aAlongM ? k : m),
                     stride(product.b, product.bAlongK ? n : k),
                     stride(product.c, m),
                     stride(product.a, batch),
                     stride(product.b, batch),
                     stride(product.c, batch)};
  // Rows that lie on each other are no layout.
  for (int row : {4, 5, 6})
    if (LoopEmitter::isKnown(product.numbers[row], 0))
      return std::nullopt;
  return product;
}

class LibraryMatmul : public Schedule {
public:
  StringRef name() const override { return kCublasLt; }

  std::optional<Estimate> match(Operation *op,
                                const GpuTarget &target) const override {
    auto contraction = dyn_cast<linalg::LinalgOp>(op);
    if (!contraction || !isLeftTo(kCublasLt, op) || !isTileable(contraction) ||
        !isFloatContraction(contraction) || !hasKnownTypes(contraction))
      return std::nullopt;
    TrialEmitter trial(op);
    std::optional<LibraryProduct> product =
        LibraryProduct::match(trial.emit, contraction);
    if (!product)
      return std::nullopt;
    Multiplicand multiplicand = multiplicandOf(contraction);
    double flops = multiplicand == Multiplicand::None
                       ? 0.8 * target.scalarFlops
                       : 0.8 * target.matrixFlops * rateOf(multiplicand);
    Estimate estimate;
    estimate.seconds = predictTiles(contraction, TilePlan(), flops, target);
    estimate.reason = "a call of cublasLtMatmul";
    if (product->bias)
      estimate.reason += ", bias behind it fused";
    if (product->relu)
      estimate.reason += ", maximum with 0 behind it fused";
    return estimate;
  }

  LogicalResult emit(RewriterBase &rewriter, Operation *op,
                     const GpuTarget &) const override {
    auto contraction = cast<linalg::LinalgOp>(op);
    ContractionNeighbours neighbours = findNeighbours(contraction);
    rewriter.setInsertionPoint(neighbours.last(contraction));
    KernelEmitter emit(rewriter, op);
    std::optional<LibraryProduct> product =
        LibraryProduct::match(emit, contraction);
    if (!product)
      return op->emitOpError("is no product of the library");
    SmallVector<Value> numbers;
    for (Index number : product->numbers)
      numbers.push_back(emit.value(number));
    Value a = emit.firstElement(product->a), b = emit.firstElement(product->b),
          c = emit.firstElement(product->c);
    Value bias = product->bias ? emit.firstElement(*product->bias) : Value();
    auto call = kernel::LibraryMatmulOp::create(
        rewriter, emit.loc, a, b, c, bias, numbers, product->aAlongM,
        product->bAlongK, !product->neighbours.zeros, product->relu,
        multiplicandOf(contraction) == Multiplicand::Tf32);
    call->setAttr(
        ShardIRDialect::kKernel,
        rewriter.getStringAttr(kernelName(
            call, op->getName().stripDialect().str() + "_" + kCublasLt.str())));
    eraseContraction(rewriter, contraction, product->neighbours);
    return success();
  }
};
} // namespace

std::unique_ptr<Schedule> shardir::createLibraryMatmulSchedule() {
  return std::make_unique<LibraryMatmul>();
}
