//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that lanes of a warp run together: shuffles and votes (PTX ISA,
// sections 9.7.9.6 and 9.7.13), matrices from and to shared memory, and
// mma.sync (9.7.14). A mask names the lanes that take part, else all do;
// fragments are those of TensorCore.h.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../TensorCore.h"
#include "Families.h"
#include "Lanes.h"

using namespace shardir::emulated;
using namespace shardir::emulated::ptx;

namespace {
/// True when all lanes that the member mask names have reached the instruction.
bool allHere(Warp &w, Slot members, uint32_t mask) {
  w.need(members, mask, "a mask of lanes");
  for (uint32_t left = mask; left;) {
    int lane = lowest(left);
    uint32_t wanted = w.cells<uint32_t>(members)[lane] & w.lanes;
    if (!(wanted >> lane & 1))
      w.fail(lane, "is not in the mask of lanes that it names");
    if (uint32_t ended = wanted & ~w.alive)
      w.fail(lane, "waits for lane " + std::to_string(lowest(ended)) +
                       ", which has ended");
    if ((wanted & mask) != wanted)
      return false;
    left &= ~wanted;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Shuffles and votes
//===----------------------------------------------------------------------===//

enum : uint8_t { Up, Down, Butterfly, Index };

Outcome runShuffle(Warp &w, const Inst &i, uint32_t mask) {
  if (!allHere(w, i.s[4], mask))
    return Outcome::Wait;
  w.need(i.s[2], mask, "a lane");
  w.need(i.s[3], mask, "a segment");
  uint32_t values[kLanes], inRange = 0, known = 0;
  std::memcpy(values, w.cells<uint32_t>(i.s[1]), sizeof(values));
  uint32_t sources = w.known(i.s[1]);
  forLanes(mask, [&](int lane) {
    uint32_t b = w.cells<uint32_t>(i.s[2])[lane] & 31;
    uint32_t c = w.cells<uint32_t>(i.s[3])[lane];
    int clamp = int(c & 31), segment = int(c >> 8 & 31);
    int most = (lane & segment) | (clamp & ~segment), j = lane;
    bool in = true;
    switch (i.variant) {
    case Up:
      j = lane - int(b);
      in = j >= most;
      break;
    case Down:
      j = lane + int(b);
      in = j <= most;
      break;
    case Butterfly:
      j = lane ^ int(b);
      in = j <= most;
      break;
    default:
      j = (lane & segment) | (int(b) & ~segment);
      in = j <= most;
    }
    j = in ? j : lane;
    inRange |= uint32_t(in) << lane;
    // A lane that takes no part has no value to give.
    known |= (mask & sources) >> j & 1 ? 1u << lane : 0;
    w.cells<uint32_t>(i.s[0])[lane] = values[j];
  });
  w.setKnown(i.s[0], mask, known);
  if (!i.more.empty()) {
    uint32_t &p = w.predicate(i.more[0]);
    p = (p & ~mask) | (inRange & mask);
    w.setKnown(i.more[0], mask, kAllLanes);
  }
  return Outcome::Next;
}

void takeSync(Decoder &d) {
  if (!d.take("sync"))
    d.fail("an instruction without .sync");
}

void decodeShuffle(Decoder &d, Inst &i) {
  takeSync(d);
  i.variant = uint8_t(d.takeOneOf({"up", "down", "bfly", "idx"}, "direction"));
  Type type = d.takeType();
  if (type != Type::B32)
    d.fail("a shuffle of other than 32 bits");
  d.wantOperands(5, 5);
  i.kind = Inst::Meet;
  i.s[0] = d.out(0, type);
  i.s[1] = d.in(1, type);
  i.s[2] = d.in(2, Type::U32);
  i.s[3] = d.in(3, Type::U32);
  i.s[4] = d.in(4, Type::U32);
  Operand second = d.operand(0);
  if (second.second >= 0) {
    second.reg = second.second;
    i.more.push_back(d.out(second, Type::Pred));
  }
  i.meet = runShuffle;
}

enum : uint8_t { All, Any, Uniform, Ballot };

Outcome runVote(Warp &w, const Inst &i, uint32_t mask) {
  if (!allHere(w, i.s[2], mask))
    return Outcome::Wait;
  w.need(i.s[1], mask, "a predicate");
  uint32_t votes = w.predicate(i.s[1]);
  votes = (i.count ? ~votes : votes) & mask;
  if (i.variant == Ballot) {
    forLanes(mask, [&](int l) { w.cells<uint32_t>(i.s[0])[l] = votes; });
  } else {
    bool result = i.variant == All   ? votes == mask
                  : i.variant == Any ? votes != 0
                                     : votes == 0 || votes == mask;
    uint32_t &p = w.predicate(i.s[0]);
    p = (p & ~mask) | (result ? mask : 0);
  }
  w.setKnown(i.s[0], mask, kAllLanes);
  return Outcome::Next;
}

void decodeVote(Decoder &d, Inst &i) {
  takeSync(d);
  i.variant = uint8_t(d.takeOneOf({"all", "any", "uni", "ballot"}, "vote"));
  Type type = d.takeType();
  d.wantOperands(3, 3);
  i.kind = Inst::Meet;
  i.s[0] = d.out(0, i.variant == Ballot ? Type::B32 : type);
  Operand vote = d.operand(1);
  i.count = vote.negated;
  vote.negated = false;
  i.s[1] = d.in(vote, Type::Pred);
  i.s[2] = d.in(2, Type::U32);
  i.meet = runVote;
}

Outcome runElect(Warp &w, const Inst &i, uint32_t mask) {
  if (!allHere(w, i.s[2], mask))
    return Outcome::Wait;
  int leader = lowest(mask);
  if (i.s[0].offset || i.s[0].index) {
    forLanes(mask,
             [&](int l) { w.cells<uint32_t>(i.s[0])[l] = uint32_t(leader); });
    w.setKnown(i.s[0], mask, kAllLanes);
  }
  uint32_t &p = w.predicate(i.more[0]);
  p = (p & ~mask) | 1u << leader;
  w.setKnown(i.more[0], mask, kAllLanes);
  return Outcome::Next;
}

void decodeElect(Decoder &d, Inst &i) {
  takeSync(d);
  d.wantOperands(2, 2);
  i.kind = Inst::Meet;
  Operand to = d.operand(0);
  if (to.second < 0)
    d.fail("an election without a predicate");
  i.s[0] = d.out(to, Type::U32);
  to.reg = to.second;
  i.more.push_back(d.out(to, Type::Pred));
  i.s[2] = d.in(1, Type::U32);
  i.meet = runElect;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// Rows of 16 bytes, by the lanes' addresses; i.count tiles of 8 rows; variant:
/// transposed. s[1] is the address, `more` a register for each tile.
template <bool store>
Outcome moveMatrix(Warp &w, const Inst &i, uint32_t mask) {
  if (mask != w.alive)
    return Outcome::Wait;
  if (mask != kAllLanes)
    w.fail("moves a matrix by part of a warp");
  int rows = 8 * i.count;
  w.need(i.s[1], rows == 32 ? kAllLanes : (1u << rows) - 1, "an address");
  w.count(i, rows == 32 ? kAllLanes : (1u << rows) - 1, i.space, i.generic,
          i.s[1], i.imm, 16);
  char *at[kLanes];
  for (int l = 0; l < rows; ++l)
    at[l] = w.at(i.space, i.generic, l, w.wide(i.s[1], l) + uint64_t(i.imm), 16,
                 store);
  for (int tile = 0; tile < i.count; ++tile) {
    uint32_t *cells = w.cells<uint32_t>(i.more[size_t(tile)]);
    for (int lane = 0; lane < kLanes; ++lane) {
      uint16_t parts[2] = {uint16_t(cells[lane]), uint16_t(cells[lane] >> 16)};
      for (int e = 0; e < 2; ++e) {
        int row = lane / 4, column = 2 * (lane % 4) + e;
        if (i.variant)
          std::swap(row, column);
        char *element = at[8 * tile + row] + 2 * column;
        if (store)
          std::memcpy(element, &parts[e], 2);
        else
          std::memcpy(&parts[e], element, 2);
      }
      if (!store)
        cells[lane] = uint32_t(parts[1]) << 16 | parts[0];
    }
    if (!store)
      w.setKnown(i.more[size_t(tile)], kAllLanes, kAllLanes);
  }
  return Outcome::Next;
}

template <bool store> void decodeMatrix(Decoder &d, Inst &i) {
  takeSync(d);
  if (!d.take("aligned") || !d.take("m8n8"))
    d.fail("a matrix of a shape that is not emulated");
  i.count = d.take("x4") ? 4 : d.take("x2") ? 2 : d.take("x1") ? 1 : 0;
  i.variant = d.take("trans");
  i.generic = !d.take("shared") && !d.take("shared::cta");
  i.space = Space::Shared;
  if (!i.count || d.takeType() != Type::B16)
    d.fail("matrices of a number or type that is not emulated");
  d.wantOperands(2, 2);
  const Operand &tiles = d.operand(store ? 1 : 0);
  if (tiles.kind != Operand::Vector || tiles.parts.size() != i.count)
    d.fail("a vector of another size");
  for (const Operand &tile : tiles.parts)
    i.more.push_back(store ? d.in(tile, Type::B32) : d.out(tile, Type::B32));
  i.s[1] = d.address(d.operand(store ? 0 : 1), i.imm);
  i.kind = Inst::Meet;
  i.meet = moveMatrix<store>;
}

struct MmaShape {
  int m, n, k;
};

/// Element `e` of a fragment of registers `cells`.
template <class T>
typename T::Stored element(Warp &w, const Slot *slots, int lane, int e) {
  using Stored = typename T::Stored;
  if constexpr (sizeof(Stored) == 8) {
    Stored value;
    std::memcpy(&value, &w.cells<uint64_t>(slots[e])[lane], 8);
    return value;
  } else {
    constexpr int perCell = 4 / int(sizeof(Stored));
    uint32_t cell = w.cells<uint32_t>(slots[e / perCell])[lane];
    auto bits = Bits<Stored>(cell >> (8 * int(sizeof(Stored)) * (e % perCell)));
    Stored value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
}

/// more: the registers of D, A, B, C.
template <class T, int m, int n, int k>
Outcome runMma(Warp &w, const Inst &i, uint32_t mask) {
  using Stored = typename T::Stored;
  using Result = typename T::Result;
  constexpr int bits = 8 * int(sizeof(Stored));
  constexpr int perCell = sizeof(Stored) == 8 ? 1 : 4 / int(sizeof(Stored));
  constexpr int perLaneA = m * k / kLanes, perLaneB = k * n / kLanes,
                perLaneC = m * n / kLanes;
  if (mask != w.alive)
    return Outcome::Wait;
  if (mask != kAllLanes)
    w.fail("multiplies matrices by part of a warp");
  const Slot *d = i.more.data(), *a = d + perLaneC, *b = a + perLaneA / perCell,
             *c = b + perLaneB / perCell;
  typename T::Sum wholeA[m][k], wholeB[k][n];
  uint32_t known = kAllLanes;
  for (const Slot *slot = a; slot != i.more.data() + i.more.size(); ++slot)
    known &= w.known(*slot);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < perLaneA; ++e) {
      Place p = placeInA(m, bits, lane, e);
      wholeA[p.row][p.column] = T::value(element<T>(w, a, lane, e));
    }
    for (int e = 0; e < perLaneB; ++e) {
      Place p = placeInB(bits, lane, e);
      wholeB[p.row][p.column] = T::value(element<T>(w, b, lane, e));
    }
  }
  typename T::Sum sums[m][n];
  auto cellsOf = [&](Slot slot) { return w.cells<Cell<Result>>(slot); };
  for (int e = 0; e < perLaneC; ++e)
    for (int lane = 0; lane < kLanes; ++lane) {
      Place p = placeInC(lane, e);
      sums[p.row][p.column] = unpack<Result>(cellsOf(c[e])[lane]);
    }
  for (int row = 0; row < m; ++row)
    for (int j = 0; j < k; ++j)
      for (int column = 0; column < n; ++column)
        sums[row][column] += wholeA[row][j] * wholeB[j][column];
  for (int e = 0; e < perLaneC; ++e) {
    for (int lane = 0; lane < kLanes; ++lane) {
      Place p = placeInC(lane, e);
      cellsOf(d[e])[lane] = pack<Result>(Result(sums[p.row][p.column]));
    }
    // Every element of a row and a column is in each result.
    w.setKnown(d[e], kAllLanes, known == kAllLanes ? kAllLanes : 0);
  }
  return Outcome::Next;
}

void decodeMma(Decoder &d, Inst &i) {
  takeSync(d);
  if (!d.take("aligned"))
    d.fail("a product without .aligned");
  std::string shape = d.takeAny();
  if (d.takeAny() != "row" || d.takeAny() != "col")
    d.fail("operands in an order that is not emulated");
  Type result = d.takeType(), a = d.takeType(), b = d.takeType(),
       c = d.takeType();
  Type accumulator = a == Type::F64                   ? Type::F64
                     : a == Type::S8 || a == Type::U8 ? Type::S32
                                                      : Type::F32;
  if (a != b || result != accumulator || c != accumulator)
    d.fail("a product of types that is not emulated");
  size_t counts[4] = {4, 4, 2, 4}; // registers of D, A, B, C
  auto is = [&](Type type, const char *name) {
    return a == type && shape == name;
  };
  auto take = [&](Inst::Together meet, size_t nA, size_t nB, size_t nC) {
    i.meet = meet;
    counts[0] = counts[3] = nC;
    counts[1] = nA;
    counts[2] = nB;
  };
  if (is(Type::F16, "m16n8k16"))
    take(runMma<F16, 16, 8, 16>, 4, 2, 4);
  else if (is(Type::BF16, "m16n8k16"))
    take(runMma<BF16, 16, 8, 16>, 4, 2, 4);
  else if (is(Type::F16, "m16n8k8"))
    take(runMma<F16, 16, 8, 8>, 2, 1, 4);
  else if (is(Type::BF16, "m16n8k8"))
    take(runMma<BF16, 16, 8, 8>, 2, 1, 4);
  else if (is(Type::TF32, "m16n8k8"))
    take(runMma<TF32, 16, 8, 8>, 4, 2, 4);
  else if (is(Type::TF32, "m16n8k4"))
    take(runMma<TF32, 16, 8, 4>, 2, 1, 4);
  else if (is(Type::S8, "m16n8k32"))
    take(runMma<Integer<int8_t>, 16, 8, 32>, 4, 2, 4);
  else if (is(Type::U8, "m16n8k32"))
    take(runMma<Integer<uint8_t>, 16, 8, 32>, 4, 2, 4);
  else if (is(Type::E4M3, "m16n8k32"))
    take(runMma<E4M3, 16, 8, 32>, 4, 2, 4);
  else if (is(Type::E5M2, "m16n8k32"))
    take(runMma<E5M2, 16, 8, 32>, 4, 2, 4);
  else if (is(Type::S8, "m16n8k16"))
    take(runMma<Integer<int8_t>, 16, 8, 16>, 2, 1, 4);
  else if (is(Type::U8, "m16n8k16"))
    take(runMma<Integer<uint8_t>, 16, 8, 16>, 2, 1, 4);
  else if (is(Type::F64, "m8n8k4"))
    take(runMma<F64, 8, 8, 4>, 1, 1, 2);
  else
    d.fail("a shape that is not emulated for this type");
  i.kind = Inst::Meet;
  d.wantOperands(4, 4);
  Type inputs = a == Type::F64 ? Type::B64 : Type::B32;
  for (size_t n = 0; n < 4; ++n) {
    const Operand &fragment = d.operand(n);
    if (fragment.kind != Operand::Vector || fragment.parts.size() != counts[n])
      d.fail("a fragment of another size");
    Type type = n == 0 || n == 3 ? accumulator : inputs;
    for (const Operand &part : fragment.parts)
      i.more.push_back(n == 0 ? d.out(part, type) : d.in(part, type));
  }
}
} // namespace

void shardir::emulated::ptx::addExchanges(Table &table) {
  table["shfl"] = decodeShuffle;
  table["vote"] = decodeVote;
  table["elect"] = decodeElect;
  table["ldmatrix"] = decodeMatrix<false>;
  table["stmatrix"] = decodeMatrix<true>;
  table["mma"] = decodeMma;
}
