//===- Group.cpp - Ranks that meet in a collective ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out the lanes of a group. Requires ranks of the job; guarantees that two
// threads' boards share no cache line.
//
//===----------------------------------------------------------------------===//

#include "Group.h"

#include "Job.h"

#include <cstddef>
#include <map>
#include <new>

namespace shardir {
namespace runtime {

Group::Group(const Job &job, std::vector<int> r)
    : ranks(std::move(r)), members(new Member[ranks.size()]) {
  std::map<size_t, uint32_t> laneOfWorker;
  std::vector<uint32_t> indexInLane, sizes;
  for (size_t i = 0; i < ranks.size(); ++i) {
    auto [it, isNew] = laneOfWorker.emplace(job.workerOf(size_t(ranks[i])),
                                            uint32_t(leaders.size()));
    if (isNew) {
      leaders.push_back(uint32_t(i));
      sizes.push_back(0);
    }
    members[i].lane = it->second;
    indexInLane.push_back(sizes[it->second]++);
  }
  constexpr size_t kFirst = offsetof(Board, buffers);
  auto linesOf = [&](uint32_t lane) {
    return (kFirst + sizes[lane] * sizeof(Buffers) + kApart - 1) / kApart;
  };
  size_t lines = 0;
  for (uint32_t lane = 0; lane < sizes.size(); ++lane)
    lines += linesOf(lane);
  memory.reset(new Line[lines]);
  lanes.reset(new Lane[sizes.size()]);
  finishes.reset(new Finish[sizes.size()]);
  std::vector<char *> first;
  Line *next = memory.get();
  for (uint32_t lane = 0; lane < sizes.size(); ++lane) {
    Board *board = new (next) Board;
    boards.push_back(board);
    first.push_back(next->bytes + kFirst);
    lanes[lane].members = sizes[lane];
    lanes[lane].leader = leaders[lane];
    lanes[lane].board = board;
    next += linesOf(lane);
  }
  for (size_t i = 0; i < ranks.size(); ++i)
    buffersOf.push_back(new (first[members[i].lane] +
                             indexInLane[i] * sizeof(Buffers)) Buffers);
}

void Group::publish(const Lane &lane, uint64_t target) {
  lane.board->post = members[lane.leader].post;
  if (lane.members == 1) {
    lane.board->buffers = members[lane.leader].buffers;
  } else {
    const Member &leader = members[lane.leader];
    for (size_t i = lane.leader; i < ranks.size(); ++i)
      if (members[i].lane == leader.lane)
        *buffersOf[i] = members[i].buffers;
  }
  lane.board->posted.store(target, std::memory_order_release);
}

int Group::missing(uint64_t target) const {
  for (size_t i = 0; i < ranks.size(); ++i)
    if (members[i].phase.load(std::memory_order_acquire) < target)
      return ranks[i];
  return -1;
}

} // namespace runtime
} // namespace shardir
