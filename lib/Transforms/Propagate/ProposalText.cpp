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
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace shardir;

/// `layers.3.weight` as `layers.*.weight`; empty where no part is a number.
static std::string patternOf(llvm::StringRef name) {
  std::string pattern;
  bool hasNumber = false;
  while (!name.empty()) {
    llvm::StringRef digits = name.take_while(llvm::isDigit);
    bool isPart =
        !digits.empty() &&
        (pattern.empty() || !llvm::isAlnum(pattern.back())) &&
        (digits.size() == name.size() || !llvm::isAlnum(name[digits.size()]));
    hasNumber |= isPart;
    size_t size = std::max<size_t>(1, digits.size());
    pattern += isPart ? "*" : name.take_front(size).str();
    name = name.drop_front(size);
  }
  return hasNumber ? pattern : "";
}

/// `0, 4 to 180 by 16`: the longest progressions of four or more, from the
/// front.
static std::string describeNumbers(std::vector<int> numbers) {
  std::vector<std::string> texts;
  while (!numbers.empty()) {
    int first = numbers.front();
    std::vector<int> best = {first};
    for (int second : llvm::ArrayRef(numbers).drop_front()) {
      std::vector<int> own = {first};
      int step = second - first;
      while (llvm::is_contained(numbers, own.back() + step))
        own.push_back(own.back() + step);
      if (own.size() > std::max<size_t>(best.size(), 3))
        best = std::move(own);
    }
    texts.push_back(best.size() == 1
                        ? std::to_string(first)
                        : llvm::formatv("{0} to {1} by {2}", first, best.back(),
                                        best[1] - first)
                              .str());
    llvm::erase_if(numbers, [&](int n) { return llvm::is_contained(best, n); });
  }
  return llvm::join(texts, ", ");
}

/// Names of arguments: equal ones of all layers by their pattern, `4 to 180 by
/// 16` for arguments without a name.
static std::string
describeArguments(llvm::ArrayRef<int> numbers,
                  llvm::ArrayRef<ProposedArgument> arguments) {
  std::map<std::string, int> counts, found;
  for (const ProposedArgument &argument : arguments)
    ++counts[patternOf(argument.name)];
  std::vector<const ProposedArgument *> listed;
  for (const ProposedArgument &argument : arguments)
    if (llvm::is_contained(numbers, argument.number)) {
      listed.push_back(&argument);
      ++found[patternOf(argument.name)];
    }
  std::vector<std::string> names;
  std::vector<int> unnamed;
  for (const ProposedArgument *argument : listed) {
    std::string pattern = patternOf(argument->name);
    if (argument->name.empty())
      unnamed.push_back(argument->number);
    else if (pattern.empty() || found[pattern] == 1)
      names.push_back(argument->name);
    else if (std::string text =
                 found[pattern] == counts[pattern]
                     ? pattern
                     : llvm::formatv("{0} ({1} of {2})", pattern,
                                     found[pattern], counts[pattern])
                           .str();
             !llvm::is_contained(names, text))
      names.push_back(text);
  }
  if (!unnamed.empty())
    names.push_back((unnamed.size() == 1 ? "argument " : "arguments ") +
                    describeNumbers(unnamed));
  return llvm::join(names, ", ");
}

/// `rows of argument 0`, `dim 2 of arguments 3, 4`.
static std::string describeDim(int rank, int dim, llvm::ArrayRef<int> numbers,
                               llvm::ArrayRef<ProposedArgument> arguments) {
  return (rank == 2 ? (dim == 0 ? "rows" : "columns")
                    : "dim " + std::to_string(dim)) +
         " of " + describeArguments(numbers, arguments);
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
      parts.push_back({numbers[0], describeDim(where.first, where.second,
                                               numbers, arguments)});
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
    for (auto [argument, placement] :
         llvm::zip(arguments, candidate.arguments)) {
      llvm::json::Object entry{
          {"argument", argument.number},
          {"placement", toString(argument.mesh->name, placement)}};
      if (!argument.name.empty())
        entry["name"] = argument.name;
      placements.push_back(std::move(entry));
    }
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
