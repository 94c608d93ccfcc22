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

/// Both halves of a transfer's way: operand to block, block to result.
struct Halves {
  int64_t elements;
  CopyPlan pack, unpack;
};

/// Cuts a plan into blocks of at most `limit` elements, in order.
class Cutter {
public:
  Cutter(const CopyPlan &plan, int64_t limit)
      : plan(plan), limit(std::max<int64_t>(limit, 1)) {}

  std::vector<Halves> cut() {
    if (const Piece::Run *span = plan.singleSpan()) {
      for (int64_t at = 0, n; at < span->length; at += n) {
        n = std::min(span->length - at, limit);
        blocks.push_back({n, CopyPlan({span->source + at, 0, n}),
                          CopyPlan({0, span->destination + at, n})});
      }
    } else if (dims = plan.dimensions(); !dims.empty()) {
      cutFrom(0);
    }
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

  const CopyPlan &plan;
  std::vector<CopyDim> dims;
  const int64_t limit;
  std::vector<Halves> blocks;
};

std::vector<Halves> blocksOf(const CopyPlan &plan, bool reduced,
                             const BlockLimits &limits) {
  bool direct = !reduced && plan.singleSpan();
  return Cutter(plan, direct ? limits.message : limits.staged).cut();
}

std::vector<MessageBlock> packing(std::vector<Halves> &halves) {
  std::vector<MessageBlock> blocks;
  for (Halves &half : halves) {
    const Piece::Run *span = half.pack.singleSpan();
    blocks.push_back(
        {half.elements, span ? span->source : -1, std::move(half.pack)});
  }
  return blocks;
}

std::vector<MessageBlock> unpacking(std::vector<Halves> &halves) {
  std::vector<MessageBlock> blocks;
  for (Halves &half : halves) {
    const Piece::Run *span = half.unpack.singleSpan();
    blocks.push_back(
        {half.elements, span ? span->destination : -1, std::move(half.unpack)});
  }
  return blocks;
}

bool allInPlace(const std::vector<MessageBlock> &blocks) {
  return std::all_of(blocks.begin(), blocks.end(),
                     [](const MessageBlock &b) { return b.offset >= 0; });
}

/// Adds what this rank sends to place `to` by a transfer.
void addSend(SchedulePhase &phase, const CopyPlan &plan, uint32_t index,
             uint32_t to, bool reduced, const BlockLimits &limits) {
  std::vector<Halves> halves = blocksOf(plan, reduced, limits);
  if (halves.empty())
    return;
  BlockSend send;
  send.to = to;
  send.transfer = index;
  send.blocks = packing(halves);
  send.inPlace = allInPlace(send.blocks);
  phase.sends.push_back(std::move(send));
}

/// Adds what place `me`, this rank, receives by a transfer.
void addReceive(SchedulePhase &phase, const Transfer &transfer, uint32_t index,
                uint32_t me, bool reduced, const BlockLimits &limits) {
  const std::vector<uint32_t> &sources = transfer.sources;
  auto own = std::find(sources.begin(), sources.end(), me);
  bool isSource = own != sources.end();
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
  plans.reserve(members);
  for (int64_t q = 0; q < n; ++q) {
    int64_t begin = std::min(count, q * chunk);
    plans.emplace_back(
        Piece::Run{begin, begin, std::min(count, begin + chunk) - begin});
  }
  return plans;
}

/// Each member's terms of all chunks go to the members that reduce them.
SchedulePhase reduceChunks(const RoutePart &part,
                           const std::vector<CopyPlan> &chunks,
                           const BlockLimits &limits) {
  SchedulePhase phase;
  auto me = uint32_t(part.place);
  for (uint32_t q = 0; q < uint32_t(chunks.size()); ++q)
    if (q != me)
      addSend(phase, chunks[q], 0, q, /*reduced=*/true, limits);
    else
      addReceive(phase, {part.transfers[0].sources, chunks[q]}, 0, me,
                 /*reduced=*/true, limits);
  return phase;
}

/// Each member reduces one chunk, then sends it to all others: 2(n-1)/n of the
/// operand per member, the least there is (Patarasuk and Yuan, 2009).
MessageSchedule chunked(const RoutePart &part, size_t members,
                        const BlockLimits &limits) {
  std::vector<CopyPlan> chunks = chunkPlans(part.resultCount, members);
  auto me = uint32_t(part.place);
  MessageSchedule schedule;
  schedule.phases.push_back(reduceChunks(part, chunks, limits));
  SchedulePhase phase;
  phase.sendsResult = true;
  for (uint32_t q = 0; q < uint32_t(members); ++q) {
    if (q == me)
      continue;
    addReceive(phase, {{q}, chunks[q]}, 0, me, /*reduced=*/false, limits);
    addSend(phase, chunks[me], 0, q, /*reduced=*/false, limits);
  }
  schedule.phases.push_back(std::move(phase));
  return schedule;
}

/// All that the part of one rank sends and receives, in one phase.
SchedulePhase onePhase(const Route &route, const RoutePart &part,
                       const BlockLimits &limits) {
  SchedulePhase phase;
  auto me = uint32_t(part.place);
  bool reduced = route.terms > 1;
  auto receiveAll = [&] {
    for (size_t t = 0; t < part.transfers.size(); ++t)
      addReceive(phase, part.transfers[t], route.isLocal ? 0 : uint32_t(t), me,
                 reduced, limits);
  };
  if (route.isLocal) {
    // It does not tell what others receive from others; it has one transfer
    // between two members, which needs no tag.
    receiveAll();
    std::vector<CopyPlan> sends = route.sends();
    for (uint32_t to = 0; to < uint32_t(sends.size()); ++to)
      addSend(phase, sends[to], 0, to, reduced, limits);
    return phase;
  }
  auto members = uint32_t(route.groups[part.group].size());
  for (uint32_t to = 0; to < members; ++to) {
    if (to == me) {
      receiveAll();
      continue;
    }
    const std::vector<Transfer> &transfers =
        route.partAt(part.group, to).transfers;
    for (size_t t = 0; t < transfers.size(); ++t) {
      const std::vector<uint32_t> &sources = transfers[t].sources;
      if (std::find(sources.begin(), sources.end(), me) != sources.end())
        addSend(phase, transfers[t].plan, uint32_t(t), to, reduced, limits);
    }
  }
  return phase;
}

/// Every member reduces an operand whole where all terms are no more elements
/// than so many of the largest such operand: with more, chunks take less time.
constexpr int64_t kGathered = 4;
constexpr BlockLimits kUncut{INT64_MAX, INT64_MAX, 0};

/// The elements that one call reduces. Open MPI's non-blocking all-reduce goes
/// along a ring from 64 KiB on, whose 2(n - 1) steps take longer than pieces of
/// less do along a tree, unless each member's part of the ring is large.
int64_t pieceOf(int64_t elements, size_t size, size_t members) {
  constexpr int64_t kRing = 64 << 10, kPart = 8 << 10, kPiece = 32 << 10;
  constexpr int64_t kMost = int64_t(1) << 30; // MPI counts with `int`
  if (elements * int64_t(size) < kRing ||
      elements > kPart * int64_t(members) / int64_t(size))
    return std::min(elements, kMost);
  return kPiece / int64_t(size);
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
    reserve(phase.out);
    for (size_t i = 0; i < members; ++i)
      add(phase.out, size_t(elements) * size, i * size_t(elements) * size);
    phase.staged = members * size_t(elements) * size;
  }

  /// Every member's piece to all, each of which goes where `plans` say.
  /// Nothing is left to copy from the operand.
  void allGather(const std::vector<CopyPlan> &plans) {
    phase.way = PhaseWay::AllGather;
    if (std::all_of(plans.begin(), plans.end(), [](const CopyPlan &plan) {
          return plan.isEmpty() || plan.singleSpan();
        })) {
      reserve(phase.out);
      for (const CopyPlan &plan : plans) {
        const Piece::Run *span = plan.singleSpan();
        add(phase.out, span ? size_t(span->length) * size : 0,
            span ? size_t(span->destination) * size : 0);
      }
    } else {
      for (size_t i = 0; i < members; ++i)
        addReceive(phase, {{uint32_t(i)}, plans[i]}, 0, uint32_t(members),
                   /*reduced=*/false, kUncut);
      layOutReceives();
    }
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
  void reserve(MessageLayout &layout) const {
    layout.counts.reserve(members);
    layout.offsets.reserve(members);
  }

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
    reserve(layout);
    size_t at = 0;
    for (const MessageBlock *block : blocks) {
      size_t bytes = block ? size_t(block->elements) * size : 0;
      add(layout, bytes, pack ? at : block ? size_t(block->offset) * size : 0);
      at += bytes;
    }
    return pack ? at : 0;
  }

  /// Calls need no blocks, nor their memory, where nothing is packed or staged.
  void dropInPlace() {
    bool packsOwn = phase.way == PhaseWay::ReduceScatter && phase.packed > 0;
    if (phase.packed == 0)
      phase.sends = std::vector<BlockSend>();
    if (phase.staged == 0 && !packsOwn)
      phase.receives = std::vector<BlockReceive>();
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
  const int64_t largest = route.largest;
  if (largest == 0)
    return std::nullopt;
  const int64_t counted = INT_MAX / int64_t(limits.size);
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
      phase.piece = pieceOf(largest, limits.size, members);
      return schedule;
    }
    if (largest <= limits.whole && largest * int64_t(members) <= limits.call &&
        (limits.even || largest < int64_t(members) ||
         largest * int64_t(members) <= kGathered * limits.whole)) {
      addReceive(phase, part.transfers[0], 0, uint32_t(part.place),
                 /*reduced=*/true, kUncut);
      layoutOf(phase).gatherTerms(largest);
      return schedule;
    }
    if (largest > limits.call)
      return std::nullopt;
    {
      std::vector<CopyPlan> chunks = chunkPlans(largest, members);
      phase = reduceChunks(part, chunks, kUncut);
      SchedulePhase gather;
      gather.sendsResult = true;
      layoutOf(gather).allGather(chunks);
      if (!limits.even) {
        layoutOf(phase).allToAll();
        if (largest % int64_t(members) == 0)
          layoutOf(phase).makeEven(largest / int64_t(members));
      }
      schedule.phases.push_back(std::move(gather));
    }
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
  if (route.pattern == Pattern::ReduceScatter && route.evenResults)
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
