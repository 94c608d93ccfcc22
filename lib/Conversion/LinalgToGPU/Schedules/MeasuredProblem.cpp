//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text by which a table of measured times knows an op of a GPU, and the
// times of its plans.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace shardir;

static std::string hashOf(StringRef text) {
  std::string hash = " #";
  llvm::raw_string_ostream(hash)
      << llvm::format_hex_no_prefix(llvm::xxh3_64bits(text), 16);
  return hash;
}

std::string shardir::besideOf(ArrayRef<Operation *> ops) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (Operation *op : ops) {
    out << problemOf(op) << "{";
    op->walk([&](Operation *inner) { out << inner->getName() << " "; });
    out << "}";
  }
  return " with " + std::to_string(ops.size()) + " ops" + hashOf(text);
}

std::string shardir::problemOf(Operation *op, StringRef beside) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << op->getName().getStringRef() << "(";
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  bool isFirst = true;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    out << (isFirst ? "" : ", ");
    isFirst = false;
    for (int64_t extent : type.getShape())
      if (ShapedType::isDynamic(extent))
        out << "?x";
      else
        out << extent << "x";
    out << type.getElementType();
    if (!linalgOp)
      continue;
    out << "[";
    llvm::interleaveComma(
        linalgOp.getMatchingIndexingMap(&operand).getResults(), out);
    out << "]";
  }
  out << ")";
  // Attentions of the same operands differ by mask and layout.
  if (isa<kernel::AttentionOp, kernel::AttentionBackwardOp>(op)) {
    std::string whole;
    llvm::raw_string_ostream print(whole);
    // Without marks, such as that of a plan that is forced.
    OwningOpRef<Operation *> plain = op->clone();
    plain->setDiscardableAttrs(ArrayRef<NamedAttribute>());
    plain->print(print, OpPrintingFlags().useLocalScope());
    out << hashOf(whole);
  }
  out << beside;
  return text;
}

double shardir::correctedSeconds(Operation *op, StringRef schedule,
                                 const PlanNumbers &plan, double seconds,
                                 const GpuTarget &target, StringRef beside) {
  // Without numbers there is one plan, of ops that the problem does not tell
  // apart.
  return target.times && !plan.empty()
             ? target.times->correct(problemOf(op, beside), schedule, plan,
                                     seconds)
             : seconds;
}

bool shardir::isMeasured(Operation *op, StringRef schedule,
                         const PlanNumbers &plan, const GpuTarget &target) {
  return target.times && target.times->has(problemOf(op), schedule, plan);
}
