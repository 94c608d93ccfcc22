//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of measured times. The file is an object: `arch`, `source` (the
// card, for people), and `kernels`, a list of objects with `problem`,
// `schedule`, `plan` and `predicted_ns` as the report has them, and
// `measured_ns`.
//
//===----------------------------------------------------------------------===//

#include "KernelTimes.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace mlir;
using namespace shardir;

/// A key of both maps. Numbers come in any order.
static std::string keyOf(StringRef schedule, PlanNumbers plan, bool isExact) {
  if (!isExact)
    llvm::erase_if(plan, [](const auto &number) {
      return number.first == "splits" || number.first == "copies";
    });
  llvm::sort(plan);
  std::string key = schedule.str();
  for (auto [name, number] : plan)
    key += " " + name.str() + "=" + std::to_string(number);
  return key;
}

static std::string exactKeyOf(StringRef problem, StringRef schedule,
                              const PlanNumbers &plan) {
  return keyOf(schedule, plan, /*isExact=*/true) + " " + problem.str();
}

std::shared_ptr<const KernelTimes>
KernelTimes::read(StringRef file, StringRef arch, std::string &error) {
  auto failed = [&](const Twine &why) {
    error = (file + ": " + why).str();
    return nullptr;
  };
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return failed(buffer.getError().message());
  auto json = llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return failed(llvm::toString(json.takeError()));
  const llvm::json::Object *object = json->getAsObject();
  const llvm::json::Array *kernels =
      object ? object->getArray("kernels") : nullptr;
  if (!kernels)
    return failed("must be an object with a list 'kernels', as run.sh --tune "
                  "of utils/gpu-check.sh writes it");
  auto measuredFor = object->getString("arch");
  if (!measuredFor || *measuredFor != arch)
    return failed("has times of " + measuredFor.value_or("no arch") +
                  ", but the program is compiled for " + arch);
  auto times = std::make_shared<KernelTimes>();
  auto add = [](Mean &mean, double number) {
    mean.logarithms += std::log(number);
    mean.count += 1;
  };
  for (auto [i, entry] : llvm::enumerate(*kernels)) {
    const llvm::json::Object *kernel = entry.getAsObject();
    auto text = [&](StringRef name) {
      return kernel ? kernel->getString(name) : std::nullopt;
    };
    auto positive = [&](StringRef name) {
      auto number = kernel ? kernel->getNumber(name) : std::nullopt;
      return number && *number > 0 ? *number : 0;
    };
    const llvm::json::Object *numbers =
        kernel ? kernel->getObject("plan") : nullptr;
    double predicted = positive("predicted_ns"),
           measured = positive("measured_ns");
    if (!text("problem") || !text("schedule") || !numbers || predicted == 0 ||
        measured == 0)
      return failed("kernel " + Twine(i) +
                    " must have a problem, a schedule, a plan, and positive "
                    "predicted_ns and measured_ns");
    if (!std::isfinite(std::log(measured / predicted)))
      return failed("kernel " + Twine(i) +
                    " has a measured_ns that is out of proportion to its "
                    "predicted_ns");
    PlanNumbers plan;
    for (const auto &[name, value] : *numbers) {
      auto number = value.getAsInteger();
      if (!number)
        return failed("kernel " + Twine(i) + " has a plan whose '" +
                      name.str() + "' is no integer");
      plan.emplace_back(name, *number);
    }
    add(times->seconds[exactKeyOf(*text("problem"), *text("schedule"), plan)],
        measured * 1e-9);
    add(times->factors[keyOf(*text("schedule"), plan, /*isExact=*/false)],
        measured / predicted);
    add(times->factors[text("schedule")->str()], measured / predicted);
  }
  return times;
}

double KernelTimes::correct(StringRef problem, StringRef schedule,
                            const PlanNumbers &plan, double predicted) const {
  auto meanOf = [](const Mean &mean) {
    return std::exp(mean.logarithms / double(mean.count));
  };
  if (auto found = seconds.find(exactKeyOf(problem, schedule, plan));
      found != seconds.end())
    return meanOf(found->second);
  for (const std::string &key :
       {keyOf(schedule, plan, /*isExact=*/false), schedule.str()})
    if (auto found = factors.find(key); found != factors.end())
      return predicted * meanOf(found->second);
  return predicted;
}

bool KernelTimes::has(StringRef problem, StringRef schedule,
                      const PlanNumbers &plan) const {
  return seconds.count(exactKeyOf(problem, schedule, plan)) != 0;
}

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
