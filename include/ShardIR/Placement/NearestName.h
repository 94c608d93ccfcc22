//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The name that a misspelled one was probably meant to be, for diagnostics of
// the compiler and of the runtime. Requires nothing of LLVM, and nothing to
// link.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_NEARESTNAME_H
#define SHARDIR_PLACEMENT_NEARESTNAME_H

#include <algorithm>
#include <string>
#include <vector>

namespace shardir {

/// The number of characters to insert, remove or replace, or of neighbours to
/// swap, between two names.
inline size_t editDistance(const std::string &from, const std::string &to) {
  std::vector<size_t> beforeLast, last, row(to.size() + 1);
  for (size_t j = 0; j != row.size(); ++j)
    row[j] = j;
  for (size_t i = 0; i != from.size(); ++i) {
    beforeLast = std::move(last);
    last = row;
    row[0] = i + 1;
    for (size_t j = 0; j != to.size(); ++j) {
      row[j + 1] =
          std::min({last[j + 1] + 1, row[j] + 1, last[j] + (from[i] != to[j])});
      if (i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j])
        row[j + 1] = std::min(row[j + 1], beforeLast[j - 1] + 1);
    }
  }
  return row.back();
}

/// `; did you mean QUOTE+NAME+QUOTE?` with the known name nearest to `name`;
/// nothing if none is near: a third of the characters may differ, one in names
/// of two, and none in names of one. Else the shortest that contains `name`.
inline std::string didYouMean(const std::string &name,
                              const std::vector<std::string> &known,
                              const std::string &before = "'",
                              const std::string &after = "'") {
  const std::string *nearest = nullptr;
  size_t least = name.size() < 2 ? 0 : (name.size() + 1) / 3;
  for (const std::string &candidate : known) {
    size_t distance = editDistance(name, candidate);
    // Of two that are as near, the one that is only to be completed.
    bool completes = candidate.compare(0, name.size(), name) == 0;
    if (distance < candidate.size() &&
        (nearest && !completes ? distance < least : distance <= least)) {
      nearest = &candidate;
      least = distance;
    }
  }
  if (!nearest && name.size() > 1)
    for (const std::string &candidate : known)
      if (candidate.find(name) != std::string::npos &&
          (!nearest || candidate.size() < nearest->size()))
        nearest = &candidate;
  return nearest ? "; did you mean " + before + *nearest + after + "?" : "";
}

/// The same for a flag of a command line, whose dashes do not count.
inline std::string didYouMeanFlag(const std::string &flag,
                                  const std::vector<std::string> &known) {
  auto bare = [](const std::string &name) {
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
  };
  std::vector<std::string> names;
  for (const std::string &each : known)
    if (each.compare(0, 2, "--") == 0)
      names.push_back(bare(each));
  std::string nearest = didYouMean(bare(flag), names, "'--");
  return nearest.empty() ? "; --help lists the flags" : nearest;
}

/// `must be A, B or C, found 'VALUE'; did you mean 'B'?`
inline std::string mustBeOneOf(const std::vector<std::string> &known,
                               const std::string &value) {
  std::string text = "must be ";
  for (size_t i = 0; i != known.size(); ++i)
    text += (i == 0 ? "" : i + 1 == known.size() ? " or " : ", ") + known[i];
  return text + ", found '" + value + "'" + didYouMean(value, known);
}

} // namespace shardir

#endif // SHARDIR_PLACEMENT_NEARESTNAME_H
