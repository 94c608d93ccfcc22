//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_TEXT_H
#define SHARDIR_LIB_RUNNER_TEXT_H

#include <string>

namespace shardir::runner {

inline void replaceAll(std::string &text, const std::string &from,
                       const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
}

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_TEXT_H
