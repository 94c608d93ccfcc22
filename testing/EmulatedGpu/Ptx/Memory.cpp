//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, stores, addresses (PTX ISA, sections 9.7.9.8 to 9.7.9.21) and cp.async
// (9.7.9.25.3). A vector is one access, aligned to its size. What cp.async
// writes comes at once, or when the group is waited for; nobody may touch it
// before that.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "Families.h"
#include "Lanes.h"

using namespace shardir::emulated::ptx;

namespace {
/// The space in the instruction, generic where there is none.
void takeSpace(Decoder &d, Inst &i) {
  i.generic = false;
  if (d.take("global"))
    i.space = Space::Global;
  else if (d.take("shared") || d.take("shared::cta") ||
           d.take("shared::cluster"))
    i.space = Space::Shared;
  else if (d.take("local"))
    i.space = Space::Local;
  else if (d.take("const"))
    i.space = Space::Const;
  else if (d.take("param"))
    i.space = Space::Param;
  else
    i.generic = true;
}

/// Hints to caches, and orders that hold here anyway.
void skipHints(Decoder &d) {
  for (const char *word : {"volatile",
                           "weak",
                           "relaxed",
                           "acquire",
                           "release",
                           "cta",
                           "cluster",
                           "gpu",
                           "sys",
                           "nc",
                           "ca",
                           "cg",
                           "cs",
                           "lu",
                           "cv",
                           "wb",
                           "wt",
                           "L1::no_allocate",
                           "L1::evict_last",
                           "L1::evict_first",
                           "L1::evict_normal",
                           "L2::64B",
                           "L2::128B",
                           "L2::256B"})
    d.take(word);
}

uint64_t readBits(const char *from, int bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, size_t(bytes));
  return bits;
}

/// The elements are `more`, i.bytes each; variant: sign-extended.
void runLoad(Warp &w, const Inst &i, uint32_t mask) {
  w.need(i.s[1], mask, "an address");
  size_t count = i.more.size();
  int bytes = i.bytes;
  w.count(i, mask, i.space, i.generic, i.s[1], i.imm, int64_t(count) * bytes);
  forLanes(mask, [&](int l) {
    const char *from =
        w.at(i.space, i.generic, l, w.wide(i.s[1], l) + uint64_t(i.imm),
             int64_t(count) * bytes, /*write=*/false);
    for (size_t n = 0; n < count; ++n, from += bytes) {
      uint64_t bits = readBits(from, bytes);
      if (i.variant)
        bits = uint64_t(int64_t(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
      Slot to = i.more[n];
      if (to.wide)
        w.cells<uint64_t>(to)[l] = bits;
      else
        w.cells<uint32_t>(to)[l] =
            uint32_t(i.count == 2 ? bits & 0xffff : bits);
    }
  });
  for (Slot to : i.more)
    w.setKnown(to, mask, kAllLanes);
}

void runStore(Warp &w, const Inst &i, uint32_t mask) {
  w.need(i.s[1], mask, "an address");
  size_t count = i.more.size();
  int bytes = i.bytes;
  w.count(i, mask, i.space, i.generic, i.s[1], i.imm, int64_t(count) * bytes);
  forLanes(mask, [&](int l) {
    char *to = w.at(i.space, i.generic, l, w.wide(i.s[1], l) + uint64_t(i.imm),
                    int64_t(count) * bytes, /*write=*/true);
    for (size_t n = 0; n < count; ++n, to += bytes) {
      uint64_t bits = w.wide(i.more[n], l);
      std::memcpy(to, &bits, size_t(bytes));
    }
  });
}

template <bool store> void decodeAccess(Decoder &d, Inst &i) {
  skipHints(d);
  takeSpace(d, i);
  size_t count = d.take("v8") ? 8 : d.take("v4") ? 4 : d.take("v2") ? 2 : 1;
  Type type = d.takeType();
  i.bytes = uint8_t(sizeOf(type));
  if (!i.bytes || i.bytes > 8 || count * i.bytes > 32 ||
      (count * i.bytes == 32 && i.space != Space::Global))
    d.fail("an access of a type or size that is not emulated");
  d.wantOperands(2, 2);
  const Operand &value = d.operand(store ? 1 : 0);
  i.s[1] = d.address(d.operand(store ? 0 : 1), i.imm);
  bool vector = value.kind == Operand::Vector;
  if (vector != (count > 1) || (vector && value.parts.size() != count))
    d.fail("a vector of another size");
  for (size_t n = 0; n < count; ++n) {
    const Operand &part = vector ? value.parts[n] : value;
    if (part.kind == Operand::Sink && !store)
      d.fail("a load into no register");
    i.more.push_back(store ? d.in(part, type, /*anyWidth=*/true)
                           : d.out(part, type, /*anyWidth=*/true));
    if (!store && d.registerBytes(part) == 2)
      i.count = 2; // of a register's bytes
  }
  i.variant = type == Type::S8 || type == Type::S16 || type == Type::S32;
  if (store && (i.space == Space::Param || i.space == Space::Const) &&
      !i.generic)
    d.fail("a store to what is only read");
  i.run = store ? runStore : runLoad;
}

/// Sums in memory, of lanes in their order: of f32 where variant is set, else
/// of u32.
void runReduction(Warp &w, const Inst &i, uint32_t mask) {
  w.need(i.s[1], mask, "an address");
  int bytes = i.bytes;
  int64_t all = int64_t(i.more.size()) * bytes;
  w.count(i, mask, i.space, i.generic, i.s[1], i.imm, all);
  forLanes(mask, [&](int l) {
    char *to = w.at(i.space, i.generic, l, w.wide(i.s[1], l) + uint64_t(i.imm),
                    all, /*write=*/true);
    for (Slot part : i.more) {
      auto old = uint32_t(readBits(to, bytes)),
           term = w.cells<uint32_t>(part)[l];
      uint32_t sum = old + term;
      if (i.variant) {
        float result = shardir::emulated::fromBits(old) +
                       shardir::emulated::fromBits(term);
        std::memcpy(&sum, &result, sizeof(sum));
      }
      std::memcpy(to, &sum, size_t(bytes));
      to += bytes;
    }
  });
}

void decodeReduction(Decoder &d, Inst &i) {
  skipHints(d);
  takeSpace(d, i);
  if (i.space != Space::Global || i.generic || !d.take("add"))
    d.fail("a reduction that is not emulated");
  size_t count = d.take("v4") ? 4 : d.take("v2") ? 2 : 1;
  Type type = d.takeType();
  i.variant = type == Type::F32;
  if (!i.variant && (type != Type::U32 || count > 1))
    d.fail("a reduction of a type that is not emulated");
  i.bytes = 4;
  d.wantOperands(2, 2);
  i.s[1] = d.address(d.operand(0), i.imm);
  const Operand &value = d.operand(1);
  bool vector = value.kind == Operand::Vector;
  if (vector != (count > 1) || (vector && value.parts.size() != count))
    d.fail("a vector of another size");
  for (size_t n = 0; n < count; ++n)
    i.more.push_back(
        d.in(vector ? value.parts[n] : value, type, /*anyWidth=*/true));
  i.run = runReduction;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

uint64_t windowOf(Space space) {
  return space == Space::Shared  ? kSharedWindow
         : space == Space::Local ? kLocalWindow
         : space == Space::Param ? kParamWindow
                                 : 0;
}
/// variant: to the space, else from it.
void runConvertAddress(Warp &w, const Inst &i, uint32_t mask) {
  uint64_t window = windowOf(i.space);
  uint32_t known = w.known(i.s[1]);
  forLanes(mask, [&](int l) {
    uint64_t address = w.cells<uint64_t>(i.s[1])[l];
    if (i.variant && known >> l & 1) {
      if ((address & kWindowMask) != window)
        w.fail(l, "makes an address of a space of one that lies in another");
      address &= ~kWindowMask;
    } else if (!i.variant) {
      address |= window;
    }
    w.cells<uint64_t>(i.s[0])[l] = address;
  });
  w.setKnown(i.s[0], mask, known);
}
void decodeConvertAddress(Decoder &d, Inst &i) {
  i.variant = d.take("to");
  takeSpace(d, i);
  Type type = d.takeType();
  if (i.generic || sizeOf(type) != 8)
    d.fail("a conversion of an address that is not emulated");
  operandsOf(d, i, {type, type});
  i.run = runConvertAddress;
}

void runMapAddress(Warp &w, const Inst &i, uint32_t mask) {
  w.need(i.s[1], mask, "an address");
  w.need(i.s[2], mask, "a rank");
  forLanes(mask, [&](int l) {
    uint64_t address = w.wide(i.s[1], l);
    uint64_t low = (uint64_t(1) << kRankShift) - 1;
    uint64_t rank = w.cells<uint32_t>(i.s[2])[l];
    if (rank >= w.block.grid.blocks.size())
      w.fail(l, "names block " + std::to_string(rank) + " of a cluster of " +
                    std::to_string(w.block.grid.blocks.size()));
    address =
        (address & kWindowMask) | (address & low) | (rank + 1) << kRankShift;
    if (i.s[0].wide)
      w.cells<uint64_t>(i.s[0])[l] = address;
    else
      w.cells<uint32_t>(i.s[0])[l] = uint32_t(address);
  });
  w.setKnown(i.s[0], mask, kAllLanes);
}
void decodeMapAddress(Decoder &d, Inst &i) {
  d.take("shared::cluster");
  Type type = d.takeType();
  operandsOf(d, i, {type, type, Type::U32});
  i.run = runMapAddress;
}

void doNothing(Warp &, const Inst &, uint32_t) {}
void decodePrefetch(Decoder &d, Inst &i) {
  d.take("param");
  d.take("const");
  if (!d.take("tensormap")) {
    d.take("global");
    d.takeOneOf({"L1", "L2"}, "cache");
  }
  d.wantOperands(1, 1);
  i.s[1] = d.address(d.operand(0), i.imm);
  i.run = doNothing;
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

void perform(Warp &w, int lane, const Copy &copy) {
  char *to = w.block.shared + copy.to;
  if (copy.copied > 0)
    std::memcpy(to, copy.from, size_t(copy.copied));
  std::memset(to + copy.copied, 0, size_t(copy.bytes - copy.copied));
  w.block.tag(w, lane, copy.to, copy.bytes);
  w.block.noteWrite(w, lane, copy.to, copy.bytes);
}

/// i.bytes to shared memory; s[3] of them, where count is 1, from global.
void runCopyAsync(Warp &w, const Inst &i, uint32_t mask) {
  w.need(i.s[1], mask, "an address");
  w.need(i.s[2], mask, "an address");
  if (i.count)
    w.need(i.s[3], mask, "a size");
  w.count(i, mask, Space::Shared, false, i.s[1], i.imm, i.bytes);
  uint32_t copying = mask;
  if (i.count)
    forLanes(mask, [&](int l) {
      if (w.cells<uint32_t>(i.s[3])[l] == 0)
        copying &= ~(1u << l);
    });
  if (copying)
    w.count(i, copying, Space::Global, false, i.s[2], i.second, i.bytes);
  forLanes(mask, [&](int l) {
    Copy copy = {};
    copy.bytes = i.bytes;
    if (w.block.grid.counters)
      copy.issued = w.block.grid.counters->issue(w.agent);
    copy.copied = i.count ? int32_t(w.cells<uint32_t>(i.s[3])[l]) : i.bytes;
    if (copy.copied < 0 || copy.copied > copy.bytes)
      w.fail(l, "copies " + std::to_string(copy.copied) + " bytes into " +
                    std::to_string(copy.bytes));
    uint64_t to = w.wide(i.s[1], l) + uint64_t(i.imm);
    uint64_t from = w.wide(i.s[2], l) + uint64_t(i.second);
    copy.to =
        uint64_t(w.at(Space::Shared, false, l, to, i.bytes, /*write=*/true) -
                 w.block.shared);
    if (copy.copied > 0) {
      if (from % uint64_t(i.bytes))
        w.fail(l, "copies from an address that is no multiple of " +
                      std::to_string(i.bytes));
      // Bytes that are not copied need not be there.
      copy.from = w.at(Space::Global, false, l, from, 1, false);
      w.at(Space::Global, false, l, from + uint64_t(copy.copied) - 1, 1, false);
    }
    if (w.block.early)
      perform(w, l, copy);
    w.block.setFlag(copy.to, copy.bytes, Block::Coming);
    w.states[size_t(l)].open.push_back(copy);
  });
}

void runCommit(Warp &w, const Inst &, uint32_t mask) {
  forLanes(mask, [&](int l) {
    LaneState &state = w.states[size_t(l)];
    state.groups.push_back(std::move(state.open));
    state.open.clear();
  });
}

void finishGroup(Warp &w, int lane, const std::vector<Copy> &group) {
  for (const Copy &copy : group) {
    w.block.clearFlag(copy.to, copy.bytes, Block::Coming);
    if (w.block.early) {
      w.block.tag(w, lane, copy.to, copy.bytes);
      w.block.noteWrite(w, lane, copy.to, copy.bytes);
    } else {
      perform(w, lane, copy);
    }
  }
}

/// For all but i.imm groups; variant: for everything.
void runWait(Warp &w, const Inst &i, uint32_t mask) {
  Work last; // up to the last copy; no instructions where there is none
  forLanes(mask, [&](int l) {
    LaneState &state = w.states[size_t(l)];
    auto finish = [&](const std::vector<Copy> &group) {
      finishGroup(w, l, group);
      if (!group.empty() &&
          group.back().issued.instructions > last.instructions)
        last = group.back().issued;
    };
    while (int64_t(state.groups.size()) > i.imm) {
      finish(state.groups.front());
      state.groups.erase(state.groups.begin());
    }
    if (i.variant) {
      finish(state.open);
      state.open.clear();
    }
  });
  if (w.block.grid.counters && last.instructions > 0)
    w.block.grid.counters->await(i, w.agent, last);
}

void decodeCopy(Decoder &d, Inst &i) {
  if (!d.take("async"))
    d.fail("a copy that is not emulated");
  if (d.take("bulk"))
    return decodeBulk(d, i);
  if (d.take("commit_group")) {
    d.wantOperands(0, 0);
    i.run = runCommit;
    return;
  }
  if (d.take("wait_group") || d.take("wait_all")) {
    i.variant = d.operands() == 0;
    i.imm = i.variant ? 0 : d.number(d.operand(0));
    i.run = runWait;
    return;
  }
  bool all = d.takeOneOf({"ca", "cg"}, "cache") == 1;
  if (!d.take("shared") && !d.take("shared::cta"))
    d.fail("a copy that does not lead to shared memory");
  if (!d.take("global"))
    d.fail("a copy that is not emulated");
  skipHints(d);
  d.wantOperands(3, 4);
  i.s[1] = d.address(d.operand(0), i.imm);
  i.s[2] = d.address(d.operand(1), i.second);
  i.bytes = uint8_t(d.number(d.operand(2)));
  if (i.bytes != 16 && (all || (i.bytes != 4 && i.bytes != 8)))
    d.fail("a copy of " + std::to_string(i.bytes) + " bytes");
  if (d.operands() == 4) {
    i.count = 1;
    i.s[3] = d.in(3, Type::U32);
  }
  i.run = runCopyAsync;
}
} // namespace

void shardir::emulated::ptx::addMemory(Table &table) {
  table["ld"] = decodeAccess<false>;
  table["st"] = decodeAccess<true>;
  table["red"] = decodeReduction;
  table["cvta"] = decodeConvertAddress;
  table["mapa"] = decodeMapAddress;
  table["prefetch"] = decodePrefetch;
  table["cp"] = decodeCopy;
}
