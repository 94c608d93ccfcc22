//===- Timeline.cpp - The timeline of a run as Chrome trace events --------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Complete events ("X") nest by time on one row, so the wait lies inside its
// collective and the collective inside the function. Times are microseconds
// since the run started, as the format wants them. Requires a traced run;
// guarantees valid JSON whatever the names hold.
//
//===----------------------------------------------------------------------===//

#include "Timeline.h"

#include "ShardIR/Runtime/Trace.h"

using namespace shardir;
using namespace shardir::runner;
using json = nlohmann::ordered_json;

static json slice(const std::string &name, const char *category, int rank,
                  double begin, double end) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"pid", 0},
          {"tid", rank},
          {"ts", begin},
          {"dur", std::max(0.0, end - begin)}};
}

std::string runner::timelineOf(const Program &program) {
  const shardir_trace_event *events = nullptr;
  size_t count = 0;
  check(shardir_last_trace(program.get(), &events, &count));
  json all = json::array();
  all.push_back({{"name", "process_name"},
                 {"ph", "M"},
                 {"pid", 0},
                 {"args", {{"name", program.functionName()}}}});
  for (int64_t rank = 0; rank != program.numRanks(); ++rank)
    all.push_back({{"name", "thread_name"},
                   {"ph", "M"},
                   {"pid", 0},
                   {"tid", rank},
                   {"args", {{"name", "rank " + std::to_string(rank)}}}});
  for (size_t i = 0; i != count; ++i) {
    const shardir_trace_event &event = events[i];
    if (event.collective < 0) {
      all.push_back(slice(program.functionName(), "function", event.rank,
                          event.start, event.end));
      continue;
    }
    const char *text = shardir_program_collective_text(
        program.get(), size_t(event.collective));
    json whole = slice(text ? text : "collective", "collective", event.rank,
                       event.start, event.end);
    whole["args"] = {{"bytes", event.bytes},
                     {"waited_us", event.ready - event.start}};
    all.push_back(std::move(whole));
    if (event.ready > event.start)
      all.push_back(slice("wait for the group", "wait", event.rank, event.start,
                          event.ready));
  }
  json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(all)}};
  return trace.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}
