//===- MessageSchedule.cpp - A rank's messages in one collective ----------===//
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

#include "MessageSchedule.h"

#include <algorithm>
#include <climits>
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
                             const BlockLimits &limits) {
  bool direct = !reduced && spanOf(plan);
  return Cutter(plan, direct ? limits.message : limits.staged).cut();
}

std::vector<MessageBlock> packing(std::vector<Halves> &halves) {
  std::vector<MessageBlock> blocks;
  for (Halves &half : halves) {
    std::optional<Piece::Run> span = spanOf(half.pack);
    blocks.push_back(
        {half.elements, span ? span->source : -1, std::move(half.pack)});
  }
  return blocks;
}

std::vector<MessageBlock> unpacking(std::vector<Halves> &halves) {
  std::vector<MessageBlock> blocks;
  for (Halves &half : halves) {
    std::optional<Piece::Run> span = spanOf(half.unpack);
    blocks.push_back(
        {half.elements, span ? span->destination : -1, std::move(half.unpack)});
  }
  return blocks;
}

bool allInPlace(const std::vector<MessageBlock> &blocks) {
  return std::all_of(blocks.begin(), blocks.end(),
                     [](const MessageBlock &b) { return b.offset >= 0; });
}

/// Adds the part of place `me` in a transfer to place `to`.
void addTransfer(SchedulePhase &phase, const Transfer &transfer, uint32_t index,
                 uint32_t to, uint32_t me, bool reduced,
                 const BlockLimits &limits) {
  const std::vector<uint32_t> &sources = transfer.sources;
  auto own = std::find(sources.begin(), sources.end(), me);
  bool isSource = own != sources.end();
  if (to != me) {
    if (!isSource)
      return;
    std::vector<Halves> halves = blocksOf(transfer.plan, reduced, limits);
    if (halves.empty())
      return;
    BlockSend send;
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
  BlockReceive receive;
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

/// Elements [begin, end) of a result, in its chunk for each member.
std::vector<CopyPlan> chunkPlans(int64_t count, size_t members) {
  auto n = int64_t(members);
  int64_t chunk = (count + n - 1) / n;
  std::vector<CopyPlan> plans;
  for (int64_t q = 0; q < n; ++q) {
    int64_t begin = std::min(count, q * chunk);
    int64_t length = std::min(count, begin + chunk) - begin;
    plans.emplace_back();
    if (length > 0)
      plans.back() = CopyPlan({{{begin, begin, length}}}, {count}, {count});
  }
  return plans;
}

/// Each member reduces one chunk, then sends it to all others: 2(n-1)/n of the
/// operand per member, the least there is (Patarasuk and Yuan, 2009).
MessageSchedule chunked(const RoutePart &part, size_t members,
                        const BlockLimits &limits) {
  std::vector<CopyPlan> plans = chunkPlans(part.resultCount, members);
  auto me = uint32_t(part.place);
  MessageSchedule schedule;
  schedule.phases.resize(2);
  schedule.phases[1].sendsResult = true;
  for (uint32_t q = 0; q < uint32_t(members); ++q) {
    const CopyPlan &plan = plans[q];
    addTransfer(schedule.phases[0], {part.transfers[0].sources, plan}, 0, q, me,
                /*reduced=*/true, limits);
    if (q != me)
      addTransfer(schedule.phases[1], {{q}, plan}, 0, me, me,
                  /*reduced=*/false, limits);
  }
  for (uint32_t to = 0; to < uint32_t(members); ++to)
    if (to != me)
      addTransfer(schedule.phases[1], {{me}, plans[me]}, 0, to, me,
                  /*reduced=*/false, limits);
  return schedule;
}

/// All that the part of one rank sends and receives, in one phase.
SchedulePhase onePhase(const Route &route, const RoutePart &part,
                       const BlockLimits &limits) {
  SchedulePhase phase;
  auto members = uint32_t(route.groups[part.group].size());
  for (uint32_t to = 0; to < members; ++to) {
    const std::vector<Transfer> &transfers =
        route.partAt(part.group, to).transfers;
    // One rank's route does not tell what others receive from others; it has
    // one transfer between two members, which needs no tag.
    for (size_t t = 0; t < transfers.size(); ++t)
      addTransfer(phase, transfers[t], route.isLocal ? 0 : uint32_t(t), to,
                  uint32_t(part.place), route.terms > 1, limits);
  }
  return phase;
}

/// Gives the phases of one rank's schedule the layouts of an engine's calls.
class CallLayout {
public:
  CallLayout(SchedulePhase &phase, size_t members, size_t place, size_t size)
      : phase(phase), members(members), place(place), size(size) {}

  /// Each to each, whatever the counts are.
  void allToAll() {
    phase.way = PhaseWay::AllToAll;
    std::vector<const MessageBlock *> blocks(members);
    for (const BlockSend &send : phase.sends)
      blocks[send.to] = &send.blocks[0];
    phase.packed = arrange(blocks, phase.in);
    layOutReceives();
    dropInPlace();
  }

  /// The same where every piece has as many elements, the own one too, if all
  /// are where an engine wants them.
  void makeEven(int64_t elements) {
    if (phase.packed > 0)
      return;
    MessageLayout in = phase.in, out = phase.out;
    for (MessageLayout *layout : {&in, &out}) {
      layout->counts[place] = int(size_t(elements) * size);
      layout->offsets[place] = int(place * size_t(elements) * size);
    }
    in.isEven = out.isEven = isEven(in) && isEven(out);
    if (in.isEven) {
      phase.in = std::move(in);
      phase.out = std::move(out);
    }
  }

  /// Every member's `elements` terms to all.
  void gatherTerms(int64_t elements) {
    phase.way = PhaseWay::AllGather;
    phase.out.isEven = true;
    for (size_t i = 0; i < members; ++i)
      add(phase.out, size_t(elements) * size, i * size_t(elements) * size);
    phase.staged = members * size_t(elements) * size;
    phase.sends.clear();
  }

  /// Every member's piece to all, each of which goes where `plans` say.
  /// Afterwards nothing is left to copy from the operand.
  void allGather(const std::vector<CopyPlan> &plans) {
    phase.way = PhaseWay::AllGather;
    std::vector<BlockReceive> receives;
    for (size_t i = 0; i < members; ++i) {
      std::vector<Halves> halves = Cutter(plans[i], INT64_MAX).cut();
      if (halves.empty())
        continue;
      BlockReceive receive;
      receive.sources = {uint32_t(i)};
      receive.blocks = unpacking(halves);
      receive.inPlace = allInPlace(receive.blocks);
      receives.push_back(std::move(receive));
    }
    phase.receives = std::move(receives);
    phase.sends.clear();
    phase.local.clear();
    layOutReceives();
    phase.out.isEven = isEven(phase.out);
    dropInPlace();
  }

  /// One reduced part of all operands to each member, in order of places;
  /// `even` if all parts must have one size.
  void reduceScatter(bool even) {
    phase.way = PhaseWay::ReduceScatter;
    std::vector<const MessageBlock *> blocks(members);
    for (const BlockSend &send : phase.sends)
      blocks[send.to] = &send.blocks[0];
    if (!phase.receives.empty())
      blocks[place] = &phase.receives[0].ownBlocks[0];
    phase.packed = arrange(blocks, phase.in);
    // The engine wants them one behind the other.
    int64_t at = 0;
    bool inOrder = true;
    for (const MessageBlock *block : blocks) {
      phase.counts.push_back(block ? int(block->elements) : 0);
      inOrder &= !block || block->offset == at;
      at += block ? block->elements : 0;
    }
    int64_t largest =
        *std::max_element(phase.counts.begin(), phase.counts.end());
    phase.elements = largest;
    bool pads = even && largest * int64_t(members) != at;
    if ((pads || !inOrder) && phase.packed == 0)
      phase.packed = arrange(blocks, phase.in, /*pack=*/true);
    if (pads) {
      for (size_t i = 0; i < members; ++i)
        phase.in.offsets[i] = int(i * size_t(largest) * size);
      phase.packed = members * size_t(largest) * size;
    }
    bool isWhole = !pads || phase.counts[place] == largest;
    if (!isWhole ||
        (!phase.receives.empty() && phase.receives[0].blocks[0].offset != 0))
      phase.staged = size_t(pads ? largest : phase.counts[place]) * size;
    dropInPlace();
  }

private:
  static void add(MessageLayout &layout, size_t count, size_t offset) {
    layout.counts.push_back(int(count));
    layout.offsets.push_back(int(offset));
  }

  static bool isEven(const MessageLayout &layout) {
    for (size_t i = 0; i < layout.counts.size(); ++i)
      if (layout.counts[i] != layout.counts[0] ||
          size_t(layout.offsets[i]) != i * size_t(layout.counts[0]))
        return false;
    return true;
  }

  /// Where they are if all are contiguous, else one behind the other; then the
  /// bytes in all.
  size_t arrange(const std::vector<const MessageBlock *> &blocks,
                 MessageLayout &layout, bool pack = false) const {
    for (const MessageBlock *block : blocks)
      pack |= block && block->offset < 0;
    layout = {};
    size_t at = 0;
    for (const MessageBlock *block : blocks) {
      size_t bytes = block ? size_t(block->elements) * size : 0;
      add(layout, bytes, pack ? at : block ? size_t(block->offset) * size : 0);
      at += bytes;
    }
    return pack ? at : 0;
  }

  /// Calls need no blocks where nothing is packed or staged.
  void dropInPlace() {
    bool packsOwn = phase.way == PhaseWay::ReduceScatter && phase.packed > 0;
    if (phase.packed == 0)
      phase.sends.clear();
    if (phase.staged == 0 && !packsOwn)
      phase.receives.clear();
  }

  void layOutReceives() {
    std::vector<const MessageBlock *> blocks(members);
    bool stage = false;
    for (const BlockReceive &receive : phase.receives) {
      stage |= !receive.inPlace;
      for (uint32_t source : receive.sources)
        blocks[source] = &receive.blocks[0];
    }
    phase.staged = arrange(blocks, phase.out, stage);
    // A term of one's own needs a place, but no message.
    for (const BlockReceive &receive : phase.receives)
      if (receive.own >= 0)
        phase.out.counts[place] = 0;
  }

  SchedulePhase &phase;
  const size_t members, place, size;
};

/// A schedule of an engine's calls, where it has one for the route. Decides by
/// what all members know alike.
std::optional<MessageSchedule> scheduleCalls(const Route &route,
                                             const RoutePart &part,
                                             const BlockLimits &limits) {
  size_t members = route.groups[part.group].size();
  if (!route.isLocal || limits.call == 0 || members == 1)
    return std::nullopt;
  int64_t largest = 0;
  bool evenResults = true;
  for (const RoutePart &other : route.parts) {
    evenResults &= other.resultCount == part.resultCount;
    largest = std::max({largest, other.operandCount, other.resultCount});
  }
  if (largest == 0)
    return std::nullopt;
  const int64_t counted = INT_MAX / int64_t(limits.size);
  constexpr BlockLimits kUncut{INT64_MAX, INT64_MAX, 0};
  auto layoutOf = [&](SchedulePhase &phase) {
    return CallLayout(phase, members, part.place, limits.size);
  };
  MessageSchedule schedule;
  schedule.phases.resize(1);
  SchedulePhase &phase = schedule.phases[0];
  switch (route.pattern) {
  case Pattern::AllReduce:
    if (limits.reduces) {
      phase.way = PhaseWay::AllReduce;
      phase.elements = largest;
      return schedule;
    }
    if (largest <= limits.whole && largest * int64_t(members) <= limits.call) {
      phase = onePhase(route, part, kUncut);
      layoutOf(phase).gatherTerms(largest);
      return schedule;
    }
    if (largest > limits.call)
      return std::nullopt;
    schedule = chunked(part, members, kUncut);
    if (!limits.even) {
      layoutOf(schedule.phases[0]).allToAll();
      if (largest % int64_t(members) == 0)
        layoutOf(schedule.phases[0]).makeEven(largest / int64_t(members));
    }
    layoutOf(schedule.phases[1]).allGather(chunkPlans(largest, members));
    return schedule;
  case Pattern::AllGather: {
    std::vector<CopyPlan> plans(members);
    for (const Transfer &transfer : part.transfers)
      plans[transfer.sources[0]] = transfer.plan;
    layoutOf(phase).allGather(plans);
    // The results of all members are made alike.
    if (largest > (phase.staged > 0 ? limits.call : counted))
      return std::nullopt;
    return schedule;
  }
  case Pattern::ReduceScatter:
    if (!limits.reduces)
      break;
    if (largest > (limits.even ? counted / 2 : counted))
      return std::nullopt; // padded, it may take twice as much
    phase = onePhase(route, part, kUncut);
    layoutOf(phase).reduceScatter(limits.even);
    // So are their operands.
    if ((phase.packed > 0 && largest > limits.call) ||
        phase.packed > 2 * size_t(largest) * limits.size)
      return std::nullopt;
    return schedule;
  case Pattern::AllToAll:
    break;
  case Pattern::General:
    return std::nullopt;
  }
  if (limits.even ||
      largest > limits.call /
                    (route.pattern == Pattern::ReduceScatter ? 1 : route.terms))
    return std::nullopt;
  phase = onePhase(route, part, kUncut);
  layoutOf(phase).allToAll();
  if (route.pattern == Pattern::ReduceScatter && evenResults)
    layoutOf(phase).makeEven(part.resultCount);
  return schedule;
}

} // namespace

MessageSchedule makeMpiSchedule(const Route &route, int64_t index,
                                const BlockLimits &limits) {
  const RoutePart &part = route.parts[size_t(index)];
  const std::vector<int> &group = route.groups[part.group];
  if (std::optional<MessageSchedule> calls = scheduleCalls(route, part, limits))
    return std::move(*calls);
  if (route.flatReduce && part.resultCount > limits.whole && group.size() > 1)
    return chunked(part, group.size(), limits);
  MessageSchedule schedule;
  schedule.phases.push_back(onePhase(route, part, limits));
  return schedule;
}

} // namespace runtime
} // namespace shardir
