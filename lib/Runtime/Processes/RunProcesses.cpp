//===- RunProcesses.cpp - What a run brings together of processes ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what RunProcesses.h says. Every rank walks through
// the same list of what rank 0 needs, from the placement alone, and takes part
// where it is concerned.
//
//===----------------------------------------------------------------------===//

#include "RunProcesses.h"

#include "Core/Distribute.h"
#include "Core/Job.h"

#include <algorithm>
#include <cstring>

namespace shardir {
namespace runtime {

void collectOverProcesses(PointToPoint &link, RankContext &rank,
                          const TensorSpec &spec, const Mesh *mesh,
                          const std::vector<int64_t> &shape, const void *shard,
                          void *whole) {
  auto ranks = int64_t(rank.job.numRanks());
  for (int64_t r = 0; r < ranks; ++r) {
    ShardView view = viewShard(spec, mesh, shape, r);
    if (!view.owner || view.elements == 0)
      continue;
    size_t bytes = size_t(view.elements) * elementSize(spec.type);
    std::vector<std::unique_ptr<char[]>> received;
    std::vector<const void *> terms;
    for (int t : view.terms) {
      if (rank.rank != 0) {
        if (rank.rank == t)
          link.carry(t, 0, shard, nullptr, bytes);
        continue;
      }
      if (t == 0) {
        terms.push_back(shard);
        continue;
      }
      received.emplace_back(new char[bytes]);
      link.carry(t, 0, nullptr, received.back().get(), bytes);
      terms.push_back(received.back().get());
    }
    if (rank.rank == 0)
      collect(spec, view, shape, terms, whole);
  }
}

ProcessReport reportOverProcesses(PointToPoint &link, RankContext &rank,
                                  bool hasMore) {
  std::sort(rank.events.begin(), rank.events.end(),
            [](const shardir_trace_event &a, const shardir_trace_event &b) {
              return a.start < b.start;
            });
  bool isTraced = rank.job.options.trace;
  enum { Bytes, Peak, Time, Traced };
  std::vector<int64_t> largest = {
      rank.bytesReceived,
      rank.gpu ? rank.gpu->arena.peakBytes() : rank.arena.peakBytes(), 0,
      isTraced};
  // Of what is not negative, the larger number has the larger bits.
  std::memcpy(&largest[Time], &rank.milliseconds, sizeof(int64_t));
  link.meetAtEnd(largest, hasMore || isTraced);
  ProcessReport report;
  report.measurement.bytes_per_device = largest[Bytes];
  report.measurement.peak_bytes_per_device = largest[Peak];
  std::memcpy(&report.measurement.milliseconds, &largest[Time],
              sizeof(int64_t));
  if (!largest[Traced])
    return report;
  struct Head {
    uint64_t events;
    double entered; ///< when the rank entered the program, by its own clock
  } own = {rank.events.size(), 0};
  for (const shardir_trace_event &event : rank.events)
    if (event.collective < 0 && event.kernel < 0)
      own.entered = event.start;
  if (rank.rank != 0) {
    link.carry(rank.rank, 0, &own, nullptr, sizeof(own));
    link.carry(rank.rank, 0, rank.events.data(), nullptr,
               rank.events.size() * sizeof(shardir_trace_event));
    return report;
  }
  report.events = rank.events;
  for (int r = 1; r < int(rank.job.numRanks()); ++r) {
    Head other;
    link.carry(r, 0, nullptr, &other, sizeof(other));
    size_t first = report.events.size();
    report.events.resize(first + size_t(other.events));
    link.carry(r, 0, nullptr, report.events.data() + first,
               size_t(other.events) * sizeof(shardir_trace_event));
    // Clocks differ, but all entered the program together, after a barrier.
    double shift = own.entered - other.entered;
    for (size_t i = first; i < report.events.size(); ++i) {
      report.events[i].start += shift;
      report.events[i].ready += shift;
      report.events[i].end += shift;
    }
  }
  return report;
}

} // namespace runtime
} // namespace shardir
