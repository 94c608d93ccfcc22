//===- Page.cpp - The report as a page ------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the report and the timeline into the template as JSON. "<" is escaped
// there, so that no name in it ends the script element.
//
//===----------------------------------------------------------------------===//

#include "Page.h"

#include <cstdio>

using namespace shardir;
using json = nlohmann::ordered_json;

namespace shardir::runner {
/// python/shardir/report.html (PageTemplate.cpp.in).
extern const char kPageTemplate[];
} // namespace shardir::runner

static constexpr char kPlaceholder[] = "__SHARDIR_REPORTS__";

/// Browsers are slow to open larger pages.
static constexpr size_t kMaxTimelineBytes = size_t(32) << 20;

std::string runner::pageOf(json report, const std::string &title,
                           const std::string &timeline) {
  report["title"] = title;
  if (timeline.size() > kMaxTimelineBytes)
    std::fprintf(stderr,
                 "shard-run: note: the timeline of %zu MiB is left out of the "
                 "page; --trace writes it\n",
                 timeline.size() >> 20);
  else if (!timeline.empty())
    report["trace"] = json::parse(timeline)["traceEvents"];
  std::string data;
  for (char c : json::array({std::move(report)})
                    .dump(-1, ' ', false, json::error_handler_t::replace))
    if (c == '<')
      data += "\\u003c";
    else
      data += c;
  std::string page = kPageTemplate;
  return page.replace(page.find(kPlaceholder), sizeof kPlaceholder - 1, data);
}
