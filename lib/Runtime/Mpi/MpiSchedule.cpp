//===- MpiSchedule.cpp - A rank's messages in one collective --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts transfers into blocks. Requires that both ends call it with equal routes
// and limits; guarantees equal blocks, since they depend on the transfer's plan
// alone. A block is a range of the outermost dimension that is small enough, or
// of an inner one at one place of those outside it, so it is a product of runs
// again, and copies by a plan like any other.
//
//===----------------------------------------------------------------------===//

#include "MpiSchedule.h"

#include <algorithm>
#include <optional>

namespace shardir {
namespace runtime {
namespace {

using Runs = std::vector<Piece::Run>;

int64_t lengthOf(const Runs &runs) {
  int64_t length = 0;
  for (const Piece::Run &run : runs)
    length += run.length;
  return length;
}

/// The plan as one span, if it is one; dimensions of one place do not count.
std::optional<Piece::Run> spanOf(const CopyPlan &plan) {
  const std::vector<CopyDim> &dims = plan.dimensions();
  Piece::Run span{0, 0, 0};
  for (size_t d = 0; d < dims.size(); ++d) {
    bool innermost = d + 1 == dims.size();
    const Runs &runs = dims[d].runs;
    if (runs.size() != 1 || (!innermost && runs[0].length != 1))
      return std::nullopt;
    span.source += runs[0].source * (innermost ? 1 : dims[d].sourceStride);
    span.destination +=
        runs[0].destination * (innermost ? 1 : dims[d].destinationStride);
    span.length = runs[0].length;
  }
  if (span.length == 0)
    return std::nullopt;
  return span;
}

/// Both halves of a transfer's way: operand to block, block to result.
struct Halves {
  int64_t elements;
  CopyPlan pack, unpack;
};

/// Cuts a plan into blocks of at most `limit` elements, in order.
class Cutter {
public:
  Cutter(const CopyPlan &plan, int64_t limit)
      : dims(plan.dimensions()), limit(std::max<int64_t>(limit, 1)) {}

  std::vector<Halves> cut() {
    if (!dims.empty())
      cutFrom(0);
    return std::move(blocks);
  }

private:
  void cutFrom(size_t d) {
    int64_t inner = 1;
    for (size_t i = d + 1; i < dims.size(); ++i)
      inner *= lengthOf(dims[i].runs);
    const Runs runs = dims[d].runs;
    if (inner > limit) { // one place of this dimension after another
      for (const Piece::Run &run : runs)
        for (int64_t i = 0; i < run.length; ++i) {
          dims[d].runs = {{run.source + i, run.destination + i, 1}};
          cutFrom(d + 1);
        }
    } else {
      int64_t rows = limit / inner, taken = 0;
      dims[d].runs.clear();
      for (const Piece::Run &run : runs)
        for (int64_t at = 0; at < run.length;) {
          int64_t n = std::min(run.length - at, rows - taken);
          dims[d].runs.push_back({run.source + at, run.destination + at, n});
          at += n;
          taken += n;
          if (taken == rows) {
            add();
            dims[d].runs.clear();
            taken = 0;
          }
        }
      if (taken > 0)
        add();
    }
    dims[d].runs = runs;
  }

  /// Adds the block that `dims` describe now.
  void add() {
    size_t rank = dims.size();
    std::vector<Runs> pack, unpack;
    std::vector<int64_t> source(rank, 1), destination(rank, 1), packed;
    int64_t elements = 1;
    for (size_t d = 0; d < rank; ++d) {
      Runs in, out;
      int64_t at = 0;
      for (const Piece::Run &run : dims[d].runs) {
        in.push_back({run.source, at, run.length});
        out.push_back({at, run.destination, run.length});
        at += run.length;
      }
      pack.push_back(std::move(in));
      unpack.push_back(std::move(out));
      packed.push_back(at);
      elements *= at;
      // An extent is what a step of the dimension outside it spans.
      if (d > 0) {
        source[d] = dims[d - 1].sourceStride / dims[d].sourceStride;
        destination[d] =
            dims[d - 1].destinationStride / dims[d].destinationStride;
      }
    }
    blocks.push_back({elements, CopyPlan(pack, source, packed),
                      CopyPlan(unpack, packed, destination)});
  }

  std::vector<CopyDim> dims;
  const int64_t limit;
  std::vector<Halves> blocks;
};

std::vector<Halves> blocksOf(const CopyPlan &plan, bool reduced,
                             const MpiBlockLimits &limits) {
  bool direct = !reduced && spanOf(plan);
  return Cutter(plan, direct ? limits.message : limits.staged).cut();
}

std::vector<MpiBlock> packing(std::vector<Halves> &halves) {
  std::vector<MpiBlock> blocks;
  for (Halves &half : halves) {
    std::optional<Piece::Run> span = spanOf(half.pack);
    blocks.push_back(
        {half.elements, span ? span->source : -1, std::move(half.pack)});
  }
  return blocks;
}

std::vector<MpiBlock> unpacking(std::vector<Halves> &halves) {
  std::vector<MpiBlock> blocks;
  for (Halves &half : halves) {
    std::optional<Piece::Run> span = spanOf(half.unpack);
    blocks.push_back(
        {half.elements, span ? span->destination : -1, std::move(half.unpack)});
  }
  return blocks;
}

bool allInPlace(const std::vector<MpiBlock> &blocks) {
  return std::all_of(blocks.begin(), blocks.end(),
                     [](const MpiBlock &b) { return b.offset >= 0; });
}

/// Adds the part of place `me` in a transfer to place `to`.
void addTransfer(MpiPhase &phase, const Transfer &transfer, uint32_t index,
                 uint32_t to, uint32_t me, bool reduced,
                 const MpiBlockLimits &limits) {
  const std::vector<uint32_t> &sources = transfer.sources;
  auto own = std::find(sources.begin(), sources.end(), me);
  bool isSource = own != sources.end();
  if (to != me) {
    if (!isSource)
      return;
    std::vector<Halves> halves = blocksOf(transfer.plan, reduced, limits);
    if (halves.empty())
      return;
    MpiSend send;
    send.to = to;
    send.transfer = index;
    send.blocks = packing(halves);
    send.inPlace = allInPlace(send.blocks);
    phase.sends.push_back(std::move(send));
    return;
  }
  if (isSource && !reduced) {
    phase.local.push_back(transfer.plan);
    return;
  }
  std::vector<Halves> halves = blocksOf(transfer.plan, reduced, limits);
  if (halves.empty())
    return;
  MpiReceive receive;
  receive.transfer = index;
  receive.sources = sources;
  receive.blocks = unpacking(halves);
  receive.inPlace = !reduced && allInPlace(receive.blocks);
  if (isSource) {
    receive.own = int(own - sources.begin());
    receive.ownBlocks = packing(halves);
  }
  phase.receives.push_back(std::move(receive));
}

/// Each member reduces one chunk, then sends it to all others: 2(n-1)/n of the
/// operand per member, the least there is (Patarasuk and Yuan, 2009).
MpiSchedule chunked(const RoutePart &part, size_t members,
                    const MpiBlockLimits &limits) {
  int64_t count = part.resultCount;
  auto n = int64_t(members);
  int64_t chunk = (count + n - 1) / n;
  auto me = uint32_t(part.place);
  MpiSchedule schedule;
  schedule.phases.resize(2);
  schedule.phases[1].sendsResult = true;
  for (uint32_t q = 0; q < uint32_t(members); ++q) {
    int64_t begin = std::min(count, q * chunk);
    int64_t length = std::min(count, begin + chunk) - begin;
    if (length == 0)
      continue;
    CopyPlan plan({{{begin, begin, length}}}, {count}, {count});
    addTransfer(schedule.phases[0], {part.transfers[0].sources, plan}, 0, q, me,
                /*reduced=*/true, limits);
    for (uint32_t to = 0; to < uint32_t(members); ++to)
      if (to != q && (to == me || q == me))
        addTransfer(schedule.phases[1], {{q}, plan}, 0, to, me,
                    /*reduced=*/false, limits);
  }
  return schedule;
}

} // namespace

MpiSchedule makeMpiSchedule(const Route &route, int64_t index,
                            const MpiBlockLimits &limits) {
  const RoutePart &part = route.parts[size_t(index)];
  const std::vector<int> &group = route.groups[part.group];
  if (route.flatReduce && part.resultCount > limits.whole && group.size() > 1)
    return chunked(part, group.size(), limits);
  MpiSchedule schedule;
  schedule.phases.resize(1);
  auto me = uint32_t(part.place);
  for (uint32_t to = 0; to < uint32_t(group.size()); ++to) {
    const std::vector<Transfer> &transfers =
        route.partAt(part.group, to).transfers;
    // One rank's route does not tell what others receive from others; it has
    // one transfer between two members, which needs no tag.
    for (size_t t = 0; t < transfers.size(); ++t)
      addTransfer(schedule.phases[0], transfers[t],
                  route.isLocal ? 0 : uint32_t(t), to, me, route.terms > 1,
                  limits);
  }
  return schedule;
}

} // namespace runtime
} // namespace shardir
