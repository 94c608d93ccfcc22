//===- Page.h - The report as a page ----------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the runner's library. One HTML file that needs nothing else, the
// same as the Python package writes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_PAGE_H
#define SHARDIR_LIB_RUNNER_PAGE_H

#include <nlohmann/json.hpp>

namespace shardir::runner {

/// The page of a report. `timeline` holds Chrome trace events as JSON text, or
/// nothing. A timeline too large for a page is left out, with a note on
/// standard error.
std::string pageOf(nlohmann::ordered_json report, const std::string &title,
                   const std::string &timeline);

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_PAGE_H
