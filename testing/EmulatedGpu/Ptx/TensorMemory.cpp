//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05 (PTX ISA, section 9.7.16): products of 128 rows, or of 256 by pairs
// of blocks, the cluster, whose operands lie in shared memory with 128-byte
// swizzling. A product is computed when it is issued in odd blocks, and in even
// ones when everybody waits for the mbarrier that it was committed to. After a
// wait of any kind the thread needs tcgen05.fence::after_thread_sync before it
// uses tensor memory, and tcgen05.fence::before_thread_sync after it before it
// arrives anywhere.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../Hopper.h"
#include "Families.h"
#include "Lanes.h"

using namespace shardir::emulated;
using namespace shardir::emulated::ptx;
namespace runtime = shardir::runtime;

namespace {
TensorMemory &memoryOf(Warp &w) {
  if (!w.block.tensors)
    w.block.tensors = std::make_unique<TensorMemory>(w.block.grid.order);
  return *w.block.tensors;
}

void needFence(Warp &w) {
  if (w.tensorFence != w.barriers)
    w.fail("uses tensor memory with no tcgen05.fence::after_thread_sync behind "
           "its last wait");
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

int columnsOf(Warp &w, Slot slot, uint32_t mask) {
  w.need(slot, mask, "a number of columns");
  uint32_t count = w.cells<uint32_t>(slot)[lowest(mask)];
  if (count < kTensorUnit || count > kTensorColumns || (count & (count - 1)))
    w.fail("asks for " + std::to_string(count) +
           " columns of tensor memory: powers of two from 32 to 512 are "
           "allowed");
  return int(count);
}

/// s[1]: where the address goes; s[2]: columns.
Outcome runAllocate(Warp &w, const Inst &i, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  w.need(i.s[1], mask, "an address");
  TensorMemory &memory = memoryOf(w);
  int count = columnsOf(w, i.s[2], mask);
  if (memory.gaveUp)
    w.fail("asks for tensor memory after tcgen05.relinquish_alloc_permit");
  int first = 0;
  auto isFree = [&](int column) {
    for (int c = column; c < column + count; c += kTensorUnit)
      if (memory.taken[size_t(c / kTensorUnit)])
        return false;
    return true;
  };
  while (first + count <= kTensorColumns && !isFree(first))
    first += kTensorUnit;
  if (first + count > kTensorColumns)
    return Outcome::Wait; // until others give theirs back
  for (int c = first; c < first + count; c += kTensorUnit)
    memory.taken[size_t(c / kTensorUnit)] = true;
  int lane = lowest(mask);
  uint64_t address = w.wide(i.s[1], lane) + uint64_t(i.imm);
  auto column = uint32_t(first);
  std::memcpy(w.at(Space::Shared, i.generic, lane, address, 4, /*write=*/true),
              &column, sizeof(column));
  return Outcome::Next;
}

/// s[1]: the address; s[2]: columns.
Outcome runRelease(Warp &w, const Inst &i, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  w.need(i.s[1], mask, "an address");
  needFence(w);
  TensorMemory &memory = memoryOf(w);
  int count = columnsOf(w, i.s[2], mask);
  auto column = int(w.cells<uint32_t>(i.s[1])[lowest(mask)]);
  if (column % kTensorUnit || !memory.has(column, count))
    w.fail("gives back tensor memory that the block does not have");
  for (int lane = 0; lane < kTensorLanes; lane += 32)
    if (memory.history.write({w.agent, -1, 0},
                             TensorMemory::addressOf(lane, column),
                             uint64_t(count) * 2) >= 0)
      w.fail("gives back tensor memory that others use: nothing orders the "
             "two");
  for (int c = column; c < column + count; c += kTensorUnit)
    memory.taken[size_t(c / kTensorUnit)] = false;
  return Outcome::Next;
}

Outcome runGiveUp(Warp &w, const Inst &, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  memoryOf(w).gaveUp = true;
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// As placeInShared has it: the fields of wgmma's descriptor.
uint64_t asGroupDescriptor(Warp &w, uint64_t descriptor) {
  constexpr uint64_t fields =
      uint64_t(0x3fff) | uint64_t(0x3fff) << 16 | uint64_t(0x3fff) << 32;
  constexpr uint64_t fixed = uint64_t(1) << 46 | uint64_t(2) << 61;
  if ((descriptor & ~fields) != fixed)
    w.fail("has a matrix descriptor that is not of 128-byte swizzling, or has "
           "bits that mean nothing");
  return (descriptor & fields) | uint64_t(1) << 62;
}

/// The blocks that take part, B's and D's parts in their order.
std::vector<Block *> blocksOf(Block &block, bool pair) {
  if (!pair)
    return {&block};
  return {block.grid.blocks[0].get(), block.grid.blocks[1].get()};
}

template <class T> void perform(Block &own, const TensorProduct &p) {
  using Stored = typename T::Stored;
  constexpr int bits = 8 * int(sizeof(Stored));
  auto load = [&](Block &block, uint64_t descriptor, bool transposed, int along,
                  int k) {
    Stored stored;
    std::memcpy(&stored,
                block.shared +
                    placeInShared(descriptor, transposed, bits, along, k),
                sizeof(stored));
    return double(T::value(stored));
  };
  std::vector<Block *> blocks = blocksOf(own, p.pair);
  int part = p.n / int(blocks.size());
  static thread_local double b[32][256], sums[256];
  for (int k = 0; k < p.k; ++k)
    for (int column = 0; column < p.n; ++column)
      b[k][column] = load(*blocks[size_t(column / part)], p.b, p.bTransposed,
                          column % part, k);
  for (Block *block : blocks)
    for (int row = 0; row < kTensorLanes; ++row) {
      uint32_t *d = &block->tensors->cell(row, p.column);
      for (int column = 0; column < p.n; ++column)
        sums[column] = p.adds ? double(fromBits(d[column])) : 0.0;
      for (int k = 0; k < p.k; ++k) {
        double left = load(*block, p.a, p.aTransposed, row, k);
        for (int column = 0; column < p.n; ++column)
          sums[column] += left * b[k][column];
      }
      for (int column = 0; column < p.n; ++column)
        d[column] = runtime::bitsOf(float(sums[column]));
    }
}

void performAny(Block &block, const TensorProduct &product) {
  switch (Type(product.type)) {
  case Type::F16:
    return perform<F16>(block, product);
  case Type::BF16:
    return perform<BF16>(block, product);
  case Type::TF32:
    return perform<TF32>(block, product);
  case Type::E4M3:
    return perform<E4M3>(block, product);
  default:
    return perform<E5M2>(block, product);
  }
}

/// Notes and counts what the unit reads of shared memory: pieces of 16 bytes.
void readOperand(Warp &w, Block &block, const Inst &i, uint64_t descriptor,
                 bool transposed, int rows, int depth) {
  int bits = 256 / depth, chunk = 128 / bits;
  int alongStep = transposed ? chunk : 8, kStep = transposed ? 8 : chunk;
  for (int along = 0; along < rows; along += alongStep)
    for (int k = 0; k < depth; k += kStep) {
      uint64_t places[kLanes] = {};
      for (int row = 0; row < 8; ++row) {
        auto at = uint64_t(placeInShared(descriptor, transposed, bits,
                                         transposed ? along : along + row,
                                         transposed ? k + row : k));
        if (at < kSharedBase || at + 16 > block.sharedEnd)
          w.fail("multiplies what lies outside of shared memory, at byte " +
                 std::to_string(at));
        block.needFenced(w, at, 16, "tcgen05.mma");
        if (block.flagged && block.hasFlag(at, 16, Block::Coming))
          w.fail("multiplies shared memory that an asynchronous copy writes, "
                 "which nobody has waited for");
        block.noteRead(w, -1, at, 16);
        places[row] = at | kSharedWindow;
      }
      if (block.grid.counters)
        block.grid.counters->access(i, 0xff, places, 16);
    }
}

/// Notes that D is written.
void writeSums(Warp &w, TensorMemory &memory, const TensorProduct &p) {
  for (int row = 0; row < kTensorLanes; row += 32) {
    int other = memory.history.write({w.agent, -1, 0},
                                     TensorMemory::addressOf(row, p.column),
                                     uint64_t(p.n) * 2);
    if (other >= 0)
      w.fail("multiplies into tensor memory that " +
             w.block.grid.nameOf(other) + " uses: nothing orders the two");
  }
  for (int row = 0; row < kTensorLanes; ++row)
    for (int column = p.column; column < p.column + p.n; ++column) {
      auto at = size_t(row * kTensorColumns + column);
      if (p.adds && !memory.written[at])
        w.fail("adds to tensor memory that nothing was written to");
      memory.written[at] = true;
    }
}

/// count: whether a pair of blocks multiplies. variant: the kind, 0 f16, 1
/// tf32, 2 f8f6f4. s[1]: D; s[2]: A; s[3]: B; s[4]: what the instruction's
/// descriptor is; more[0]: whether D is added to.
void runProduct(Warp &w, const Inst &i, uint32_t mask) {
  if (!mask)
    return;
  if (countOf(mask) != 1)
    w.fail("multiplies in several threads");
  for (int n = 1; n <= 4; ++n)
    w.need(i.s[n], mask, "an operand of a product");
  w.need(i.more[0], mask, "a predicate");
  needFence(w);
  int lane = lowest(mask);
  uint32_t what = w.cells<uint32_t>(i.s[4])[lane];
  auto field = [&](int low, int bits) {
    return int(what >> low & ((1u << bits) - 1));
  };
  static constexpr Type kTypes[3][3] = {{Type::F16, Type::BF16, Type::Pred},
                                        {Type::Pred, Type::Pred, Type::TF32},
                                        {Type::E4M3, Type::E5M2, Type::Pred}};
  int type = field(7, 3);
  constexpr uint32_t known =
      3u << 4 | 7u << 7 | 7u << 10 | 3u << 15 | 0x3fu << 17 | 0x1fu << 24;
  TensorProduct p;
  p.n = field(17, 6) * 8;
  bool fits = !(what & ~known) && field(4, 2) == 1 && type < 3 &&
              field(10, 3) == type &&
              field(24, 5) * 16 == kTensorLanes * (i.count ? 2 : 1) &&
              p.n >= 16 && p.n <= 256 && p.n % 16 == 0 &&
              kTypes[i.variant][type] != Type::Pred;
  if (!fits)
    w.fail("multiplies by an instruction descriptor that is not emulated");
  p.type = uint8_t(kTypes[i.variant][type]);
  p.k = i.variant == 0 ? 16 : i.variant == 1 ? 8 : 32;
  p.aTransposed = field(15, 1);
  p.bTransposed = field(16, 1);
  p.adds = w.predicate(i.more[0]) >> lane & 1;
  p.lane = lane;
  p.pair = i.count;
  if (p.pair && (w.block.grid.blocks.size() != 2 || w.block.rank != 0))
    w.fail(
        "multiplies for a pair of blocks, but is not the first of a cluster of "
        "two");
  uint32_t d = w.cells<uint32_t>(i.s[1])[lane];
  p.column = int(d & 0xffff);
  p.a = asGroupDescriptor(w, w.cells<uint64_t>(i.s[2])[lane]);
  p.b = asGroupDescriptor(w, w.cells<uint64_t>(i.s[3])[lane]);
  if (i.variant != 0 && (p.aTransposed || p.bTransposed))
    w.fail("transposes operands of other than 16 bits, which is not emulated");
  std::vector<Block *> blocks = blocksOf(w.block, p.pair);
  for (Block *block : blocks) {
    if (d >> 16 || !block->tensors || !block->tensors->has(p.column, p.n))
      w.fail("multiplies into tensor memory that the block does not have");
    readOperand(w, *block, i, p.a, p.aTransposed, kTensorLanes, p.k);
    readOperand(w, *block, i, p.b, p.bTransposed, p.n / int(blocks.size()),
                p.k);
    writeSums(w, *block->tensors, p);
  }
  if (w.block.grid.counters)
    w.block.grid.counters->multiply(i, w.agent,
                                    uint64_t(2) * kTensorLanes * blocks.size() *
                                        uint64_t(p.n) * uint64_t(p.k));
  if (w.block.early)
    performAny(w.block, p);
  w.tensorProducts.push_back(p);
}

/// s[1]: the mbarrier that learns when the thread's products are done.
void runCommit(Warp &w, const Inst &i, uint32_t mask) {
  w.need(i.s[1], mask, "an address");
  forLanes(mask, [&](int lane) {
    uint64_t address = w.wide(i.s[1], lane) + uint64_t(i.imm);
    if (i.generic)
      address &= ~kWindowMask;
    Block &own = w.block.grid.blockOf(address, w.block, w, lane);
    address &= (uint64_t(1) << kRankShift) - 1;
    Grid::Commit commit = {&w.block, {&own}, address, {}, ""};
    if (i.variant) {
      w.need(i.s[2], mask, "a mask of blocks");
      commit.owners.clear();
      for (uint32_t blocks = w.cells<uint32_t>(i.s[2])[lane] & 0xffff; blocks;
           blocks &= blocks - 1)
        commit.owners.push_back(&w.block.grid.blockOf(
            uint64_t(lowest(blocks) + 1) << kRankShift, w.block, w, lane));
    }
    for (Block *owner : commit.owners) {
      owner->mbarrier(address, w, lane);
      owner->noteRead(w, -1, address, 8);
      Clocks &order = owner->mbarrierOrder[address];
      w.block.grid.order.release(w.agent, order);
    }
    std::vector<TensorProduct> others;
    for (const TensorProduct &product : w.tensorProducts)
      (product.lane == lane ? commit.products : others).push_back(product);
    w.tensorProducts = std::move(others);
    commit.issued = w.code.module->at(i.line, "");
    if (w.block.early)
      return w.block.grid.perform(commit);
    w.block.grid.commits.push_back(std::move(commit));
  });
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// more: the registers; s[1]: the address. variant: 0 has 32 lanes, a register
/// for a column each; 1 has 16 lanes, and four registers for eight columns, as
/// mma.sync holds its sums.
Outcome runLoad(Warp &w, const Inst &i, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  if (mask != kAllLanes)
    w.fail("loads tensor memory without all lanes of its warp");
  w.need(i.s[1], mask, "an address");
  needFence(w);
  uint32_t address = w.cells<uint32_t>(i.s[1])[0];
  forLanes(mask, [&](int lane) {
    if (w.cells<uint32_t>(i.s[1])[lane] != address)
      w.fail(lane, "has another address of tensor memory than its warp");
  });
  TensorMemory &memory = memoryOf(w);
  int registers = int(i.more.size());
  int first = int(address >> 16), column = int(address & 0xffff),
      count = i.variant ? 2 * registers : registers;
  int behind = first - 32 * (w.number % 4);
  if (behind != 0 && !(i.variant && behind == 16))
    w.fail("loads lanes from " + std::to_string(first) +
           " on of tensor memory: a warp sees 32 by its number");
  if (!memory.has(column, count))
    w.fail("loads tensor memory that the block does not have");
  int other = memory.history.read({w.agent, -1, 0},
                                  TensorMemory::addressOf(first, column),
                                  uint64_t(count) * 2);
  if (other >= 0)
    w.fail("loads tensor memory that " + w.block.grid.nameOf(other) +
           " writes: nothing orders the two");
  for (int n = 0; n < registers; ++n) {
    Slot slot = i.more[size_t(n)];
    uint32_t known = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      int row = first + lane, at = column + n;
      if (i.variant) {
        row = first + lane / 4 + 8 * (n % 4 / 2);
        at = column + n / 4 * 8 + lane % 4 * 2 + n % 2;
      }
      w.cells<uint32_t>(slot)[lane] = memory.cell(row, at);
      bool written = memory.written[size_t(row * kTensorColumns + at)];
      known |= uint32_t(written) << lane;
    }
    w.setKnown(slot, mask, known);
    ++w.pendingWrites[slot.index];
    w.tensorLoads.push_back(slot.index);
  }
  w.usedTensors = true;
  return Outcome::Next;
}

Outcome runWaitLoad(Warp &w, const Inst &, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  for (uint32_t index : w.tensorLoads) {
    auto it = w.pendingWrites.find(index);
    if (--it->second == 0)
      w.pendingWrites.erase(it);
  }
  w.tensorLoads.clear();
  return Outcome::Next;
}

void runFenceAfter(Warp &w, const Inst &, uint32_t) {
  w.tensorFence = w.barriers;
}
void runFenceBefore(Warp &w, const Inst &, uint32_t) {
  if (!w.tensorLoads.empty())
    w.fail("fences loads of tensor memory that it has not waited for");
  w.usedTensors = false;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

void wantAligned(Decoder &d, Inst &i) {
  if (!d.take("sync") || !d.take("aligned"))
    d.fail("an instruction without .sync.aligned");
  i.kind = Inst::Meet;
}

void decodeTensor(Decoder &d, Inst &i) {
  int what = d.takeOneOf(
      {"alloc", "dealloc", "relinquish_alloc_permit", "mma", "commit", "ld",
       "wait::ld", "fence::after_thread_sync", "fence::before_thread_sync"},
      "operation");
  d.result().usesAsyncProxy = true;
  if (what < 5)
    i.count = uint8_t(
        d.takeOneOf({"cta_group::1", "cta_group::2"}, "group of blocks"));
  switch (what) {
  case 0:
  case 1:
    wantAligned(d, i);
    d.take("b32");
    d.wantOperands(2, 2);
    i.space = Space::Shared;
    if (what == 0) {
      i.generic = !d.take("shared::cta");
      i.s[1] = d.address(d.operand(0), i.imm);
    } else {
      i.s[1] = d.in(0, Type::B32);
    }
    i.s[2] = d.in(1, Type::U32);
    i.meet = what == 0 ? runAllocate : runRelease;
    return;
  case 2:
    wantAligned(d, i);
    i.meet = runGiveUp;
    return;
  case 3: {
    i.variant = uint8_t(
        d.takeOneOf({"kind::f16", "kind::tf32", "kind::f8f6f4"}, "kind"));
    d.take("collector::a::discard");
    d.wantOperands(5, 5);
    int64_t offset = 0;
    i.s[1] = d.address(d.operand(0), offset);
    if (offset)
      d.fail("an address with an offset");
    i.s[2] = d.in(1, Type::B64);
    i.s[3] = d.in(2, Type::B64);
    i.s[4] = d.in(3, Type::B32);
    i.more.push_back(d.in(4, Type::Pred));
    i.run = runProduct;
    return;
  }
  case 4:
    if (!d.take("mbarrier::arrive::one"))
      d.fail("a commit that is not emulated");
    i.generic = !d.take("shared::cluster");
    i.variant = d.take("multicast::cluster");
    d.take("b64");
    d.wantOperands(1u + i.variant, 1u + i.variant);
    i.s[1] = d.address(d.operand(0), i.imm);
    if (i.variant)
      i.s[2] = d.in(1, Type::B16);
    i.run = runCommit;
    return;
  case 5: {
    wantAligned(d, i);
    i.variant = uint8_t(d.takeOneOf({"32x32b", "16x256b"}, "shape"));
    size_t registers = d.operand(0).parts.size();
    std::string count =
        "x" + std::to_string(i.variant ? registers / 4 : registers);
    if (!d.take(count.c_str()) || !d.take("b32"))
      d.fail("a load of tensor memory that is not emulated");
    d.wantOperands(2, 2);
    for (const Operand &part : d.operand(0).parts)
      i.more.push_back(d.out(part, Type::B32));
    int64_t offset = 0;
    i.s[1] = d.address(d.operand(1), offset);
    if (offset)
      d.fail("an address with an offset");
    i.touchesWgmma = true;
    i.meet = runLoad;
    return;
  }
  case 6:
    wantAligned(d, i);
    i.meet = runWaitLoad;
    return;
  default:
    i.run = what == 7 ? runFenceAfter : runFenceBefore;
  }
}
} // namespace

void Grid::perform(Commit &commit) {
  if (!commit.block->early)
    for (const TensorProduct &product : commit.products)
      performAny(*commit.block, product);
  for (Block *owner : commit.owners)
    if (!reinterpret_cast<MBarrier *>(owner->shared + commit.barrier)
             ->arrive(0))
      throw Error(commit.block->name() + commit.issued +
                  "arrives at an mbarrier more often than it counts");
}

void Warp::needTensorFence() const {
  if (usedTensors)
    fail("arrives with no tcgen05.fence::before_thread_sync behind its loads "
         "of tensor memory");
}

void shardir::emulated::ptx::addTensorMemory(Table &table) {
  table["tcgen05"] = decodeTensor;
}
