//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of ops in reports and diagnostics.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/Provenance.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace shardir;

/// `multiply` for `arith.mulf`, `tanh` for `math.tanh`.
static StringRef wordOf(Operation *op) {
  StringRef name = op->getName().stripDialect();
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"addf", "addi", "add"}, "add")
      .Cases({"subf", "subi", "sub"}, "subtract")
      .Cases({"mulf", "muli", "mul"}, "multiply")
      .Cases({"divf", "divsi", "divui", "div"}, "divide")
      .Cases({"remf", "remsi", "remui"}, "remainder")
      .Cases({"maximumf", "maxnumf", "maxsi", "maxui"}, "max")
      .Cases({"minimumf", "minnumf", "minsi", "minui"}, "min")
      .Case("negf", "negate")
      .Cases({"cmpf", "cmpi"}, "compare")
      .Cases({"andi", "ori", "xori"}, name.drop_back())
      .Cases({"extf", "truncf", "extsi", "extui", "trunci"}, "cast")
      .Cases({"sitofp", "uitofp", "fptosi", "fptoui"}, "cast")
      .Cases({"index_cast", "index_castui", "bitcast"}, "cast")
      .Default(name);
}

/// `multiply, add and tanh`, `dims 1 and 2`.
static std::string joined(ArrayRef<std::string> words) {
  std::string text;
  for (auto [i, word] : llvm::enumerate(words))
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + word;
  return text;
}

/// The combiner, and the dims of the first operand that it combines over.
static std::string describeReduction(linalg::LinalgOp op, Operation *terminator,
                                     bool multiplies) {
  if (multiplies && op.getNumDpsInputs() > 1)
    return "contraction";
  Operation *combiner = terminator->getOperand(0).getDefiningOp();
  StringRef word = combiner ? wordOf(combiner) : "";
  std::string text = word == "add"                    ? "sum"
                     : word == "multiply"             ? "product"
                     : word == "max" || word == "min" ? word.str()
                                                      : "reduction";
  if (op.getNumDpsInputs() == 0)
    return text;
  SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  std::vector<std::string> dims;
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr);
        loop && loops[loop.getPosition()] == utils::IteratorType::reduction)
      dims.push_back(std::to_string(d));
  if (!dims.empty())
    text += (dims.size() == 1 ? " over dim " : " over dims ") + joined(dims);
  return text;
}

/// The copy that a body without computations makes.
static std::string describeCopy(linalg::LinalgOp op, Value yielded) {
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument || argument.getArgNumber() >= op.getNumDpsInputs())
    return "fill";
  AffineMap from =
      op.getMatchingIndexingMap(op.getDpsInputOperand(argument.getArgNumber()));
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return from == to                                   ? "copy"
         : from.getNumResults() < to.getNumResults()  ? "broadcast"
         : from.isPermutation() && to.isPermutation() ? "transpose"
                                                      : "rearrangement";
}

/// The computation of an op's body, for one element.
static std::string describeBody(linalg::LinalgOp op) {
  constexpr size_t kMostWords = 3;
  Block &body = *op.getBlock();
  bool looksUp = false;
  llvm::SetVector<StringRef> words;
  for (Operation &inner : body.without_terminator()) {
    looksUp |= isa<tensor::ExtractOp>(inner);
    if (!inner.hasTrait<OpTrait::ConstantLike>() && wordOf(&inner) != "cast")
      words.insert(wordOf(&inner));
  }
  Operation *terminator = body.getTerminator();
  if (looksUp)
    return "lookup by index";
  if (op.getNumReductionLoops())
    return describeReduction(op, terminator, words.contains("multiply"));
  if (words.empty())
    return body.without_terminator().empty()
               ? describeCopy(op, terminator->getOperand(0))
               : "elementwise cast";
  std::vector<std::string> listed;
  for (StringRef word : words.getArrayRef().take_front(kMostWords))
    listed.push_back(word.str());
  if (words.size() > kMostWords)
    listed.push_back(std::to_string(words.size() - kMostWords) + " more");
  return "elementwise " + joined(listed);
}

std::string shardir::describeOp(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(op) &&
      !op->getRegion(0).empty())
    text = describeBody(cast<linalg::LinalgOp>(op));
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    return name.getName().str() + " (" + text + ")";
  return text;
}
