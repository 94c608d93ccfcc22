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

#include <set>

using namespace shardir;
using namespace shardir::runner;
using json = nlohmann::ordered_json;

static json slice(const std::string &name, const char *category, int64_t row,
                  double begin, double end) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"pid", 0},
          {"tid", row},
          {"ts", begin},
          {"dur", std::max(0.0, end - begin)}};
}

/// A rank's thread, its stream on the GPU, and that of its collectives.
static int64_t rowOf(const Program &program, int64_t rank, int stream) {
  return rank + stream * program.numRanks();
}

/// They lie beside each other.
static void describeRow(const Program &program, int64_t rank, int stream,
                        json &all) {
  static const char *const what[] = {"", ", stream", ", collectives"};
  auto add = [&](const char *name, json arguments) {
    all.push_back({{"name", name},
                   {"ph", "M"},
                   {"pid", 0},
                   {"tid", rowOf(program, rank, stream)},
                   {"args", std::move(arguments)}});
  };
  add("thread_name", {{"name", "rank " + std::to_string(rank) + what[stream]}});
  if (program.numRanks() > 1)
    add("thread_sort_index", {{"sort_index", 3 * rank + stream}});
}

static std::string orElse(const char *text, const char *otherwise) {
  return text ? text : otherwise;
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
  std::set<std::pair<int32_t, int32_t>> rows;
  for (int32_t rank = 0; rank != program.numRanks(); ++rank)
    rows.insert({rank, SHARDIR_TRACE_HOST});
  for (size_t i = 0; i != count; ++i)
    rows.insert({events[i].rank, events[i].stream});
  for (const auto &[rank, stream] : rows)
    describeRow(program, rank, stream, all);
  for (size_t i = 0; i != count; ++i) {
    const shardir_trace_event &event = events[i];
    int64_t row = rowOf(program, event.rank, event.stream);
    if (event.kernel >= 0) {
      all.push_back(slice(orElse(shardir_program_kernel_text(
                                     program.get(), size_t(event.kernel)),
                                 "kernel"),
                          "kernel", row, event.start, event.end));
      continue;
    }
    if (event.collective < 0) {
      all.push_back(slice(program.functionName(), "function", row, event.start,
                          event.end));
      continue;
    }
    json whole = slice(orElse(shardir_program_collective_text(
                                  program.get(), size_t(event.collective)),
                              "collective"),
                       "collective", row, event.start, event.end);
    whole["args"] = {{"bytes", event.bytes},
                     {"waited_us", event.ready - event.start}};
    all.push_back(std::move(whole));
    if (event.ready > event.start)
      all.push_back(
          slice("wait for the group", "wait", row, event.start, event.ready));
  }
  json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(all)}};
  return trace.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}
