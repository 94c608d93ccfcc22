//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the option `plan`.
//
//===----------------------------------------------------------------------===//

#include "PlanOption.h"

#include "ShardIR/Placement/NearestName.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace shardir;

LogicalResult
shardir::parsePlan(StringRef plan, const std::vector<std::string> &known,
                   llvm::function_ref<InFlightDiagnostic()> emitError,
                   llvm::function_ref<void(StringRef, int64_t)> set) {
  if (plan.empty())
    return success();
  for (StringRef entry : llvm::split(plan, ',')) {
    auto [name, text] = entry.split('=');
    if (!llvm::is_contained(known, name))
      return emitError() << "a name in option plan "
                         << mustBeOneOf(known, name.str());
    int64_t number = 0;
    if (text.getAsInteger(10, number) || number < 0)
      return emitError() << "option plan needs a number for " << name
                         << ", as in " << name << "=64, found '" << text << "'";
    set(name, number);
  }
  return success();
}
