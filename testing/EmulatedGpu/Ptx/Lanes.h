//===- Lanes.h - Scalar functions for all lanes -----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes an instruction of a function of scalars: it is applied in the lanes of
// the mask, and its result is known where its operands are. Requires slots of
// the widths of the types; a 16- or 8-bit value is the low bits of its cell,
// zero-extended.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_LANES_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_LANES_H

#include "Warp.h"

#include <type_traits>

namespace shardir {
namespace emulated {
namespace ptx {

template <class T>
using Cell = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
using Bits = std::conditional_t<
    sizeof(T) == 8, uint64_t,
    std::conditional_t<sizeof(T) == 4, uint32_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;

template <class T> inline T unpack(Cell<T> cell) {
  auto bits = Bits<T>(cell);
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T> inline Cell<T> pack(T value) {
  Bits<T> bits;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

/// d = F(a)
template <class R, class A, R (*F)(A)>
void run1(Warp &w, const Inst &i, uint32_t mask) {
  auto *d = w.cells<Cell<R>>(i.s[0]);
  auto *a = w.cells<Cell<A>>(i.s[1]);
  forLanes(mask, [=](int l) { d[l] = pack<R>(F(unpack<A>(a[l]))); });
  w.setKnown(i.s[0], mask, w.known(i.s[1]));
}

/// d = F(a, b)
template <class R, class A, class B, R (*F)(A, B)>
void run2(Warp &w, const Inst &i, uint32_t mask) {
  auto *d = w.cells<Cell<R>>(i.s[0]);
  auto *a = w.cells<Cell<A>>(i.s[1]);
  auto *b = w.cells<Cell<B>>(i.s[2]);
  forLanes(mask,
           [=](int l) { d[l] = pack<R>(F(unpack<A>(a[l]), unpack<B>(b[l]))); });
  w.setKnown(i.s[0], mask, w.known(i.s[1]) & w.known(i.s[2]));
}

/// d = F(a, b, c)
template <class R, class A, class B, class C, R (*F)(A, B, C)>
void run3(Warp &w, const Inst &i, uint32_t mask) {
  auto *d = w.cells<Cell<R>>(i.s[0]);
  auto *a = w.cells<Cell<A>>(i.s[1]);
  auto *b = w.cells<Cell<B>>(i.s[2]);
  auto *c = w.cells<Cell<C>>(i.s[3]);
  forLanes(mask, [=](int l) {
    d[l] = pack<R>(F(unpack<A>(a[l]), unpack<B>(b[l]), unpack<C>(c[l])));
  });
  w.setKnown(i.s[0], mask, w.known(i.s[1]) & w.known(i.s[2]) & w.known(i.s[3]));
}

/// d = a `F` b, a predicate
template <class T, bool (*F)(T, T)>
void compare(Warp &w, const Inst &i, uint32_t mask) {
  auto *a = w.cells<Cell<T>>(i.s[1]);
  auto *b = w.cells<Cell<T>>(i.s[2]);
  uint32_t result = 0;
  forLanes(mask, [&](int l) {
    result |= uint32_t(F(unpack<T>(a[l]), unpack<T>(b[l]))) << l;
  });
  uint32_t &d = w.predicate(i.s[0]);
  d = (d & ~mask) | (result & mask);
  w.setKnown(i.s[0], mask, w.known(i.s[1]) & w.known(i.s[2]));
}

/// Slots of operand 0 as the result, and of the others.
inline void operandsOf(Decoder &d, Inst &i, const std::vector<Type> &types) {
  d.wantOperands(types.size(), types.size());
  i.s[0] = d.out(0, types[0]);
  for (size_t n = 1; n < types.size(); ++n)
    i.s[n] = d.in(n, types[n]);
}
/// The same where all are of one type.
inline void operandsOf(Decoder &d, Inst &i, Type type, size_t count) {
  operandsOf(d, i, std::vector<Type>(count, type));
}

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_LANES_H
