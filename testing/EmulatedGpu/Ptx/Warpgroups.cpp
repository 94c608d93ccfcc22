//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma (PTX ISA, section 9.7.15). A warp computes its own rows of the product:
// those of D that its lanes hold. In odd blocks it does so when the product is
// issued, in even ones when it is waited for; until then nobody may touch the
// registers. Registers that were written are ordered before a product by
// wgmma.fence alone, memory that threads wrote by fence.proxy.async.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../Hopper.h"
#include "../TensorCore.h"
#include "Families.h"
#include "Lanes.h"

using namespace shardir::emulated;
using namespace shardir::emulated::ptx;
namespace runtime = shardir::runtime;

namespace {
constexpr int kRows = 16; ///< of a warp
constexpr int kMostColumns = 256;
/// Of a matrix descriptor: all but address, two strides and swizzling.
constexpr uint64_t kReserved = ~(uint64_t(0x3fff) | uint64_t(0x3fff) << 16 |
                                 uint64_t(0x3fff) << 32 | uint64_t(3) << 62);

/// How a product's instruction lies in an Inst: `more` holds D, then A where it
/// is in registers; s[1] A's descriptor, s[2] B's, s[3] scale-d, a predicate
/// where `count` is 0.
struct Shape {
  uint16_t n = 0;
  uint8_t k = 0, aRegisters = 0; ///< how many hold A
  bool aTransposed = false, bTransposed = false, aNegated = false,
       bNegated = false;
};
static_assert(sizeof(Shape) == 8, "lies in Inst::imm");

Shape shapeOf(const Inst &i) {
  Shape shape;
  std::memcpy(&shape, &i.imm, sizeof(shape));
  return shape;
}

/// The bytes at an operand's element, which someone must have made visible.
template <class T>
float elementAt(Warp &w, uint64_t descriptor, bool transposed, int along,
                int k) {
  using Stored = typename T::Stored;
  constexpr int bits = 8 * int(sizeof(Stored));
  auto at = uint64_t(placeInShared(descriptor, transposed, bits, along, k));
  Block &block = w.block;
  if (at < kSharedBase || at + sizeof(Stored) > block.sharedEnd)
    w.fail("multiplies what lies outside of shared memory, at byte " +
           std::to_string(at));
  block.needFenced(w, at, sizeof(Stored), "wgmma");
  if (block.flagged && block.hasFlag(at, sizeof(Stored), Block::Coming))
    w.fail("multiplies shared memory that an asynchronous copy writes, which "
           "nobody has waited for");
  // Sixteen bytes lie together in every layout.
  if (at % 16 == 0)
    block.noteRead(w, -1, at, 16);
  Stored stored;
  std::memcpy(&stored, block.shared + at, sizeof(stored));
  return float(T::value(stored));
}

template <class T> void perform(Warp &w, const Product &product) {
  using Stored = typename T::Stored;
  const Inst &i = *product.inst;
  Shape shape = shapeOf(i);
  int n = shape.n, k = shape.k;
  static thread_local float a[kRows][32], b[32][kMostColumns];
  static thread_local double sums[kRows][kMostColumns];
  int first = kRows * (w.number % 4);
  if (shape.aRegisters) {
    constexpr int bits = 8 * int(sizeof(Stored));
    constexpr int perCell = 4 / int(sizeof(Stored));
    for (int lane = 0; lane < kLanes; ++lane)
      for (int e = 0; e < shape.aRegisters * perCell; ++e) {
        uint32_t cell = product.aRegisters[size_t(e / perCell * kLanes + lane)];
        auto stored = Stored(cell >> (bits * (e % perCell)));
        Place p = placeInA(kRows, bits, lane, e);
        a[p.row][p.column] = float(T::value(stored));
      }
  } else {
    for (int row = 0; row < kRows; ++row)
      for (int j = 0; j < k; ++j)
        a[row][j] =
            elementAt<T>(w, product.a, shape.aTransposed, first + row, j);
  }
  for (int j = 0; j < k; ++j)
    for (int column = 0; column < n; ++column)
      b[j][column] = elementAt<T>(w, product.b, shape.bTransposed, column, j);
  double sign = shape.aNegated != shape.bNegated ? -1.0 : 1.0;
  auto cellsOf = [&](int e) { return w.cells<uint32_t>(i.more[size_t(e)]); };
  auto placeOf = [](int lane, int e) {
    Place p = placeInC(lane, e % 4);
    return Place{p.row, p.column + e / 4 * 8};
  };
  for (int e = 0; e < n / 2; ++e)
    for (int lane = 0; lane < kLanes; ++lane) {
      Place p = placeOf(lane, e);
      sums[p.row][p.column] =
          product.scaleD ? double(fromBits(cellsOf(e)[lane])) : 0.0;
    }
  for (int row = 0; row < kRows; ++row)
    for (int j = 0; j < k; ++j) {
      double left = sign * double(a[row][j]);
      for (int column = 0; column < n; ++column)
        sums[row][column] += left * double(b[j][column]);
    }
  for (int e = 0; e < n / 2; ++e)
    for (int lane = 0; lane < kLanes; ++lane) {
      Place p = placeOf(lane, e);
      cellsOf(e)[lane] = runtime::bitsOf(float(sums[p.row][p.column]));
    }
}

void performAny(Warp &w, const Product &product) {
  switch (Type(product.inst->variant)) {
  case Type::F16:
    return perform<F16>(w, product);
  case Type::BF16:
    return perform<BF16>(w, product);
  case Type::TF32:
    return perform<TF32>(w, product);
  case Type::E4M3:
    return perform<E4M3>(w, product);
  default:
    return perform<E5M2>(w, product);
  }
}

/// Counts what the units read of shared memory: matrices of eight rows of 16
/// bytes, of which A's are each warp's own and B's all four warps'.
void countReads(Warp &w, const Inst &i, const Product &product) {
  LaunchCounters *counters = w.block.grid.counters.get();
  if (!counters)
    return;
  Shape shape = shapeOf(i);
  int bits = 256 / shape.k, chunk = 128 / bits;
  auto count = [&](uint64_t descriptor, bool transposed, int first, int end) {
    int alongStep = transposed ? chunk : 8, kStep = transposed ? 8 : chunk;
    for (int along = first; along < end; along += alongStep)
      for (int k = 0; k < shape.k; k += kStep) {
        uint64_t rows[kLanes] = {};
        for (int row = 0; row < 8; ++row)
          rows[row] = uint64_t(placeInShared(descriptor, transposed, bits,
                                             transposed ? along : along + row,
                                             transposed ? k + row : k)) |
                      kSharedWindow;
        counters->access(i, 0xff, rows, 16);
      }
  };
  int first = kRows * (w.number % 4);
  if (!shape.aRegisters)
    count(product.a, shape.aTransposed, first, first + kRows);
  if (w.number % 4 == 0)
    count(product.b, shape.bTransposed, 0, shape.n);
}

Outcome issue(Warp &w, const Inst &i, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  if (mask != kAllLanes || w.block.warps.size() % 4 != 0)
    w.fail("multiplies by what is no group of four warps");
  Shape shape = shapeOf(i);
  size_t results = size_t(shape.n / 2);
  Product product = {&i, 0, 0, {}, i.target != 0};
  auto uniform = [&](Slot slot, const char *what) {
    w.need(slot, mask, what);
    uint64_t value = w.cells<uint64_t>(slot)[0];
    for (int lane = 1; lane < kLanes; ++lane)
      if (w.cells<uint64_t>(slot)[lane] != value)
        w.fail(lane, "has another matrix descriptor than its warp");
    if (value & kReserved)
      w.fail("has a matrix descriptor with bits that mean nothing, or with a "
             "base offset, which is not emulated");
    return value;
  };
  product.b = uniform(i.s[2], "a matrix descriptor");
  if (i.count == 0) {
    w.need(i.s[3], mask, "a predicate");
    uint32_t p = w.predicate(i.s[3]);
    if (p != 0 && p != kAllLanes)
      w.fail("scales a product's sum in some lanes alone");
    product.scaleD = p != 0;
  }
  for (size_t n = 0; n < i.more.size(); ++n) {
    Slot slot = i.more[n];
    bool pending = w.pendingWrites.count(slot.index);
    if (n >= results && pending)
      w.fail("multiplies registers that another wgmma writes");
    if (!pending && w.writtenIn[slot.index] == w.fences)
      w.fail("multiplies with registers that were written with no "
             "wgmma.fence behind it");
    if (n >= results)
      for (int lane = 0; lane < kLanes; ++lane)
        product.aRegisters.push_back(w.cells<uint32_t>(slot)[lane]);
  }
  if (!shape.aRegisters)
    product.a = uniform(i.s[1], "a matrix descriptor");
  countReads(w, i, product);
  // Sums of what was never written are none.
  uint32_t known = kAllLanes;
  for (size_t n = product.scaleD ? 0 : results; n < i.more.size(); ++n)
    known &= w.known(i.more[n]);
  for (size_t n = 0; n < i.more.size(); ++n) {
    if (n < results) {
      w.known(i.more[n]) = known == kAllLanes ? kAllLanes : 0;
      ++w.pendingWrites[i.more[n].index];
    } else {
      ++w.pendingReads[i.more[n].index];
    }
  }
  if (w.block.early)
    performAny(w, product);
  w.openProducts.push_back(std::move(product));
  return Outcome::Next;
}

Outcome runFence(Warp &w, const Inst &, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  ++w.fences;
  return Outcome::Next;
}

Outcome runCommit(Warp &w, const Inst &, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  w.productGroups.push_back(std::move(w.openProducts));
  w.openProducts.clear();
  return Outcome::Next;
}

void release(std::map<uint32_t, int> &pending, uint32_t index) {
  auto it = pending.find(index);
  if (--it->second == 0)
    pending.erase(it);
}

Outcome runWait(Warp &w, const Inst &i, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  while (int64_t(w.productGroups.size()) > i.imm) {
    for (const Product &product : w.productGroups.front()) {
      if (!w.block.early)
        performAny(w, product);
      size_t results = size_t(shapeOf(*product.inst).n / 2);
      for (size_t n = 0; n < product.inst->more.size(); ++n)
        release(n < results ? w.pendingWrites : w.pendingReads,
                product.inst->more[n].index);
    }
    w.productGroups.pop_front();
  }
  return Outcome::Next;
}

bool takeSign(Decoder &d, const Operand &operand) {
  int64_t sign = d.number(operand);
  if (sign != 1 && sign != -1)
    d.fail("a scale that is neither 1 nor -1");
  return sign < 0;
}
bool takeBit(Decoder &d, const Operand &operand) {
  int64_t bit = d.number(operand);
  if (bit != 0 && bit != 1)
    d.fail("a transposition that is neither 0 nor 1");
  return bit != 0;
}

void decodeProduct(Decoder &d, Inst &i) {
  std::string name = d.takeAny(); // m64n128k16
  Type result = d.takeType(), a = d.takeType(), b = d.takeType();
  Shape shape;
  bool wide = a == Type::F16 || a == Type::BF16;
  bool narrow = a == Type::E4M3 || a == Type::E5M2;
  shape.k = wide ? 16 : narrow ? 32 : 8;
  std::string ending = "k" + std::to_string(shape.k);
  for (int n = 8; n <= kMostColumns; n += 8)
    if (name == "m64n" + std::to_string(n) + ending)
      shape.n = uint16_t(n);
  if (!shape.n || result != Type::F32 || a != b ||
      (!wide && !narrow && a != Type::TF32))
    d.fail("a product of a shape or of types that is not emulated");
  bool fromRegisters = d.operand(1).kind == Operand::Vector;
  shape.aRegisters = fromRegisters ? 4 : 0;
  size_t transposed = !wide ? 0 : fromRegisters ? 1 : 2;
  d.wantOperands(6 + transposed, 6 + transposed);
  const Operand &results = d.operand(0);
  if (results.kind != Operand::Vector ||
      results.parts.size() != size_t(shape.n / 2))
    d.fail("a result of another size");
  for (const Operand &part : results.parts)
    i.more.push_back(d.out(part, Type::F32));
  if (fromRegisters) {
    if (d.operand(1).parts.size() != 4)
      d.fail("a fragment of another size");
    for (const Operand &part : d.operand(1).parts)
      i.more.push_back(d.in(part, Type::B32));
  } else {
    i.s[1] = d.in(1, Type::B64);
  }
  i.s[2] = d.in(2, Type::B64);
  if (d.operand(3).kind == Operand::Immediate) {
    i.count = 1;
    i.target = takeBit(d, d.operand(3));
  } else {
    i.target = 0;
    i.s[3] = d.in(3, Type::Pred);
  }
  shape.aNegated = takeSign(d, d.operand(4));
  shape.bNegated = takeSign(d, d.operand(5));
  if (transposed == 2)
    shape.aTransposed = takeBit(d, d.operand(6));
  if (transposed)
    shape.bTransposed = takeBit(d, d.operand(5 + transposed));
  i.variant = uint8_t(a);
  i.touchesWgmma = true;
  std::memcpy(&i.imm, &shape, sizeof(shape));
  i.meet = issue;
}

void decodeWarpgroup(Decoder &d, Inst &i) {
  i.kind = Inst::Meet;
  d.result().usesAsyncProxy = true;
  int what = d.takeOneOf({"fence", "commit_group", "wait_group", "mma_async"},
                         "operation");
  if (!d.take("sync") || !d.take("aligned"))
    d.fail("an instruction without .sync.aligned");
  if (what == 3)
    return decodeProduct(d, i);
  if (what == 2) {
    d.wantOperands(1, 1);
    i.imm = d.number(d.operand(0));
  }
  i.meet = what == 0 ? runFence : what == 1 ? runCommit : runWait;
}
} // namespace

void shardir::emulated::ptx::addWarpgroups(Table &table) {
  table["wgmma"] = decodeWarpgroup;
}
