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
// `schedule`, `plan` and, where the schedule predicts one, `predicted_ns` as
// the report has them, and `measured_ns`.
//
//===----------------------------------------------------------------------===//

#include "KernelTimes.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

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

std::shared_ptr<const KernelTimes> KernelTimes::read(StringRef file,
                                                     StringRef arch,
                                                     bool hasPredictions,
                                                     std::string &error) {
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
    return failed("must be an object with a list 'kernels', as --tune writes "
                  "it; remove it and tune again");
  auto measuredFor = object->getString("arch");
  if (!measuredFor || *measuredFor != arch)
    return failed("has times of " + measuredFor.value_or("no arch") +
                  ", but the program is compiled for " + arch +
                  "; tune on the machine that it is compiled for");
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
    double measured = positive("measured_ns"),
           predicted = hasPredictions ? positive("predicted_ns") : measured;
    if (!text("problem") || !text("schedule") || !numbers || predicted == 0 ||
        measured == 0)
      return failed("kernel " + Twine(i) +
                    " must have a problem, a schedule, a plan, and positive " +
                    (hasPredictions ? "predicted_ns and " : "") +
                    "measured_ns");
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
    auto &[least, numbersOfLeast] = times->fastest[text("problem")->str()];
    if (least == 0 || measured < least) {
      least = measured;
      numbersOfLeast.assign(plan.begin(), plan.end());
    }
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

PlanNumbers KernelTimes::fastestPlan(StringRef problem) const {
  auto found = fastest.find(problem.str());
  if (found == fastest.end())
    return {};
  return PlanNumbers(found->second.second.begin(), found->second.second.end());
}
