//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what ProposalText.h says. Axes come in mesh order,
// arguments in that of the signature.
//
//===----------------------------------------------------------------------===//

#include "ProposalText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace shardir;

/// `rows of argument 0`, `dim 2 of arguments 3, 4`.
static std::string describeDim(int rank, int dim, llvm::ArrayRef<int> numbers) {
  std::string text = rank == 2 ? (dim == 0 ? "rows" : "columns")
                               : "dim " + std::to_string(dim);
  text += numbers.size() == 1 ? " of argument " : " of arguments ";
  return text +
         llvm::join(
             llvm::map_range(numbers, [](int n) { return std::to_string(n); }),
             ", ");
}

std::string
shardir::describeSplits(const ProposalCandidate &candidate,
                        llvm::ArrayRef<ProposedArgument> arguments) {
  // Per axis, then per dim: which arguments.
  std::vector<std::string> axes;
  std::map<std::string, std::map<std::pair<int, int>, std::vector<int>>> found;
  for (const ProposedArgument &argument : arguments)
    for (const MeshAxis &axis : argument.mesh->axes)
      if (!llvm::is_contained(axes, axis.name))
        axes.push_back(axis.name);
  for (auto [argument, placement] : llvm::zip(arguments, candidate.arguments))
    for (size_t d = 0; d < placement.dims.size(); ++d)
      for (const AxisRef &axis : placement.axesOf(d))
        found[axis.name][{int(placement.dims.size()), int(d)}].push_back(
            argument.number);
  std::string text;
  for (const std::string &axis : axes) {
    const auto &dims = found[axis];
    if (dims.empty())
      continue;
    std::vector<std::pair<int, std::string>> parts;
    for (auto &[where, numbers] : dims)
      parts.push_back(
          {numbers[0], describeDim(where.first, where.second, numbers)});
    llvm::sort(parts);
    text += text.empty() ? "" : "; ";
    for (auto [i, part] : llvm::enumerate(parts))
      text += (i == 0                  ? ""
               : i + 1 == parts.size() ? " and "
                                       : ", ") +
              part.second;
    text += " over \"" + axis + "\"";
  }
  return text.empty() ? "nothing split" : text;
}

std::string shardir::describeCost(const ProposalCandidate &candidate) {
  return llvm::formatv("{0} s, {1} bytes received, {2} bytes held at the peak",
                       llvm::format("%.3e", candidate.seconds),
                       int64_t(candidate.bytes), int64_t(candidate.peakBytes))
             .str() +
         (candidate.fits ? "" : ", too many");
}

llvm::json::Object shardir::toJson(llvm::StringRef function,
                                   const Proposal &proposal,
                                   llvm::ArrayRef<ProposedArgument> arguments,
                                   const ProposalOptions &options) {
  llvm::json::Array candidates;
  for (auto [i, candidate] : llvm::enumerate(proposal.candidates)) {
    llvm::json::Array placements;
    for (auto [argument, placement] : llvm::zip(arguments, candidate.arguments))
      placements.push_back(llvm::json::Object{
          {"argument", argument.number},
          {"placement", toString(argument.mesh->name, placement)}});
    candidates.push_back(llvm::json::Object{
        {"splits", describeSplits(candidate, arguments)},
        {"arguments", std::move(placements)},
        {"seconds", candidate.seconds},
        {"bytes_per_device", int64_t(candidate.bytes)},
        {"peak_bytes_per_device", int64_t(candidate.peakBytes)},
        {"fits", candidate.fits},
        {"chosen", i == 0}});
  }
  llvm::json::Array groups;
  for (const std::vector<int> &group : proposal.groups) {
    llvm::json::Array numbers;
    for (int i : group)
      numbers.push_back(arguments[i].number);
    groups.push_back(std::move(numbers));
  }
  bool isTime = options.cost.mode == CostMode::Time;
  return llvm::json::Object{{"function", function},
                            {"cost", isTime ? "time" : "bytes"},
                            {"memory_limit", int64_t(options.cost.memoryLimit)},
                            {"attempts", proposal.attempts},
                            {"placed_together", std::move(groups)},
                            {"candidates", std::move(candidates)}};
}
