//===- ReduceTests.cpp - Reductions, element by element -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kind on every element type against plain arithmetic written here.
// Requires _Float16 of the compiler as the judge of f16; guarantees that the
// kernels of all instruction sets give the same bits, and that a neutral term
// changes none.
//
//===----------------------------------------------------------------------===//

#include "Elements/Reduce.h"
#include "Elements/SmallFloat.h"
#include "Support.h"

#include <atomic>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace shardir;
using namespace shardir::runtime;
using namespace shardir::runtime::test;

namespace shardir {
namespace runtime {
ReduceFn reduceFunctionBaseline(PartialKind kind, ElementType type);
} // namespace runtime
} // namespace shardir

namespace {

const PartialKind kKinds[] = {
    PartialKind::Sum,  PartialKind::Prod,   PartialKind::Max,
    PartialKind::Min,  PartialKind::MaxNum, PartialKind::MinNum,
    PartialKind::UMax, PartialKind::UMin,   PartialKind::And,
    PartialKind::Or,   PartialKind::Xor};
const ElementType kTypes[] = {SHARDIR_I1,  SHARDIR_I8,       SHARDIR_I16,
                              SHARDIR_I32, SHARDIR_I64,      SHARDIR_INDEX,
                              SHARDIR_F16, SHARDIR_BF16,     SHARDIR_F32,
                              SHARDIR_F64, SHARDIR_F8E4M3FN, SHARDIR_F8E5M2};

bool isFloatKind(PartialKind k) {
  return k == PartialKind::MaxNum || k == PartialKind::MinNum;
}
bool isIntegerKind(PartialKind k) {
  return k == PartialKind::UMax || k == PartialKind::UMin ||
         k == PartialKind::And || k == PartialKind::Or || k == PartialKind::Xor;
}

template <class T>
std::vector<T> reduce(PartialKind kind, ElementType type,
                      const std::vector<std::vector<T>> &terms) {
  std::vector<T> out(terms[0].size());
  std::vector<const void *> ins;
  for (const std::vector<T> &t : terms)
    ins.push_back(t.data());
  void *o = out.data();
  reduceFunction(kind, type)(&o, 1, ins.data(), ins.size(), 0, out.size());
  return out;
}

TEST(Reduce, WhichKindsHaveAMeaning) {
  for (ElementType type : kTypes)
    for (PartialKind kind : kKinds) {
      bool expected =
          isFloatType(type) ? !isIntegerKind(kind) : !isFloatKind(kind);
      EXPECT_EQ(reduceFunction(kind, type) != nullptr, expected)
          << elementTypeName(type) << " " << stringifyPartialKind(kind);
    }
}

/// The reduction of an integer kind in 128 bits, cut to the width afterwards.
template <class T> T integerReference(PartialKind kind, T a, T b) {
  using U = std::make_unsigned_t<T>;
  U ua = U(a), ub = U(b);
  switch (kind) {
  case PartialKind::Sum:
    return T(U((unsigned __int128)ua + ub));
  case PartialKind::Prod:
    return T(U((unsigned __int128)ua * ub));
  case PartialKind::Max:
    return a > b ? a : b;
  case PartialKind::Min:
    return a < b ? a : b;
  case PartialKind::UMax:
    return T(ua > ub ? ua : ub);
  case PartialKind::UMin:
    return T(ua < ub ? ua : ub);
  case PartialKind::And:
    return T(ua & ub);
  case PartialKind::Or:
    return T(ua | ub);
  default:
    return T(ua ^ ub);
  }
}

template <class T> void checkIntegers(ElementType type) {
  std::mt19937_64 random(1);
  const size_t n = 3000;
  std::vector<std::vector<T>> terms(5, std::vector<T>(n));
  for (std::vector<T> &t : terms)
    for (size_t i = 0; i < n; ++i)
      t[i] = T(random());
  terms[1][0] = std::numeric_limits<T>::min();
  terms[2][0] = std::numeric_limits<T>::max();
  for (PartialKind kind : kKinds) {
    if (isFloatKind(kind))
      continue;
    std::vector<T> out = reduce(kind, type, terms);
    for (size_t i = 0; i < n; ++i) {
      T expected = terms[0][i];
      for (size_t t = 1; t < terms.size(); ++t)
        expected = integerReference<T>(kind, expected, terms[t][i]);
      ASSERT_EQ(out[i], expected)
          << elementTypeName(type) << " " << stringifyPartialKind(kind);
    }
  }
}

TEST(Reduce, Integers) {
  checkIntegers<int8_t>(SHARDIR_I8);
  checkIntegers<int16_t>(SHARDIR_I16);
  checkIntegers<int32_t>(SHARDIR_I32);
  checkIntegers<int64_t>(SHARDIR_I64);
  checkIntegers<int64_t>(SHARDIR_INDEX);
}

TEST(Reduce, Booleans) {
  std::vector<std::vector<uint8_t>> terms = {{0, 0, 1, 1}, {0, 1, 0, 1}};
  using V = std::vector<uint8_t>;
  auto r = [&](PartialKind k) { return reduce(k, SHARDIR_I1, terms); };
  EXPECT_EQ(r(PartialKind::Sum), (V{0, 1, 1, 0})); // modulo 2
  EXPECT_EQ(r(PartialKind::Prod), (V{0, 0, 0, 1}));
  EXPECT_EQ(r(PartialKind::Max), (V{0, 0, 0, 1})); // 1 is -1
  EXPECT_EQ(r(PartialKind::Min), (V{0, 1, 1, 1}));
  EXPECT_EQ(r(PartialKind::UMax), (V{0, 1, 1, 1}));
  EXPECT_EQ(r(PartialKind::UMin), (V{0, 0, 0, 1}));
  EXPECT_EQ(r(PartialKind::And), (V{0, 0, 0, 1}));
  EXPECT_EQ(r(PartialKind::Or), (V{0, 1, 1, 1}));
  EXPECT_EQ(r(PartialKind::Xor), (V{0, 1, 1, 0}));
}

TEST(Reduce, SpecialFloats) {
  const float nan = std::nanf(""), inf = INFINITY;
  std::vector<std::vector<float>> terms = {
      {nan, 1, -0.0f, 0.0f, -inf, nan, -0.0f, 3},
      {1, nan, 0.0f, -0.0f, inf, nan, -0.0f, -4}};
  auto expect = [&](PartialKind kind, std::vector<float> expected) {
    std::vector<float> out = reduce(kind, SHARDIR_F32, terms);
    for (size_t i = 0; i < out.size(); ++i) {
      EXPECT_EQ(std::isnan(out[i]), std::isnan(expected[i]))
          << stringifyPartialKind(kind) << " " << i;
      if (std::isnan(expected[i]))
        continue;
      EXPECT_EQ(out[i], expected[i]) << stringifyPartialKind(kind) << " " << i;
      EXPECT_EQ(std::signbit(out[i]), std::signbit(expected[i]))
          << stringifyPartialKind(kind) << " " << i;
    }
  };
  expect(PartialKind::Max, {nan, nan, 0, 0, inf, nan, -0.0f, 3});
  expect(PartialKind::Min, {nan, nan, -0.0f, -0.0f, -inf, nan, -0.0f, -4});
  expect(PartialKind::MaxNum, {1, 1, 0, 0, inf, nan, -0.0f, 3});
  expect(PartialKind::MinNum, {1, 1, -0.0f, -0.0f, -inf, nan, -0.0f, -4});
  expect(PartialKind::Sum, {nan, nan, 0, 0, nan, nan, -0.0f, -1});
}

TEST(Reduce, NarrowFloatsRoundOnce) {
  // Rounded after each addition, 256 + 1 would stay 256 four times in bf16.
  std::vector<std::vector<uint16_t>> terms = {{floatToBf16(256)}};
  for (int i = 0; i < 4; ++i)
    terms.push_back({floatToBf16(1)});
  EXPECT_EQ(reduce(PartialKind::Sum, SHARDIR_BF16, terms)[0], floatToBf16(260));
  terms = {{floatToF16(2048)}};
  for (int i = 0; i < 4; ++i)
    terms.push_back({floatToF16(1)});
  EXPECT_EQ(reduce(PartialKind::Sum, SHARDIR_F16, terms)[0], floatToF16(2052));
}

TEST(Reduce, InstructionSetsAgreeAndNeutralTermsAreNeutral) {
  std::mt19937_64 random(7);
  const size_t n = 1000;
  for (ElementType type : kTypes)
    for (PartialKind kind : kKinds) {
      ReduceFn best = reduceFunction(kind, type);
      if (!best)
        continue;
      size_t size = elementSize(type);
      std::vector<std::vector<uint8_t>> terms(4,
                                              std::vector<uint8_t>(n * size));
      for (std::vector<uint8_t> &t : terms)
        for (uint8_t &byte : t)
          byte = uint8_t(type == SHARDIR_I1 ? random() & 1 : random());
      std::vector<const void *> ins;
      for (std::vector<uint8_t> &t : terms)
        ins.push_back(t.data());
      auto run = [&](ReduceFn f) {
        std::vector<uint8_t> out(n * size);
        void *o = out.data();
        f(&o, 1, ins.data(), ins.size(), 0, n);
        return out;
      };
      // NaN payloads are nobody's business: make all NaNs one.
      auto canonical = [&](std::vector<uint8_t> bytes) {
        for (size_t i = 0; i < n && isFloatType(type); ++i) {
          uint8_t *p = &bytes[i * size];
          double value = 0;
          uint16_t h;
          std::memcpy(&h, p, std::min<size_t>(size, 2));
          float f32;
          std::memcpy(&f32, p, std::min<size_t>(size, 4));
          switch (type) {
          case SHARDIR_F16:
            value = f16ToFloat(h);
            break;
          case SHARDIR_BF16:
            value = bf16ToFloat(h);
            break;
          case SHARDIR_F32:
            value = f32;
            break;
          case SHARDIR_F64:
            std::memcpy(&value, p, 8);
            break;
          case SHARDIR_F8E4M3FN:
            value = f8E4M3FNToFloat(*p);
            break;
          default:
            value = f8E5M2ToFloat(*p);
          }
          if (std::isnan(value))
            std::fill(p, p + size, uint8_t(0xff));
        }
        return bytes;
      };
      std::string name =
          std::string(elementTypeName(type)) + " " + stringifyPartialKind(kind);
      std::vector<uint8_t> out = run(best);
      EXPECT_EQ(canonical(out),
                canonical(run(reduceFunctionBaseline(kind, type))))
          << name;
      // f8E4M3FN has no infinity: nothing else limits what is neutral.
      std::vector<uint8_t> neutral(n * size);
      fillIdentity(kind, type, neutral.data(), n);
      for (size_t at : {size_t(0), size_t(2), size_t(4)}) {
        std::vector<const void *> saved = ins;
        ins.insert(ins.begin() + std::ptrdiff_t(at), neutral.data());
        EXPECT_EQ(canonical(run(best)), canonical(out)) << name << " " << at;
        ins = saved;
      }
    }
}

TEST(SmallFloat, HalfAgreesWithTheCompiler) {
  for (uint32_t code = 0; code < 65536; ++code) {
    auto h = uint16_t(code);
    _Float16 expected;
    std::memcpy(&expected, &h, 2);
    float f = f16ToFloat(h);
    if (std::isnan(float(expected))) {
      ASSERT_TRUE(std::isnan(f));
      ASSERT_TRUE(std::isnan(f16ToFloat(floatToF16(f))));
      continue;
    }
    ASSERT_EQ(bitsOf(f), bitsOf(float(expected))) << code;
    // The value, its neighbours, and the middle to the next one.
    float next = f16ToFloat(uint16_t(code + 1));
    float middle = std::isfinite(next) ? (f + next) / 2 : f;
    for (float x : {f, middle, std::nextafter(middle, 1e9f),
                    std::nextafter(middle, -1e9f)}) {
      auto e = static_cast<_Float16>(x);
      uint16_t bits;
      std::memcpy(&bits, &e, 2);
      ASSERT_EQ(floatToF16(x), bits) << x;
    }
  }
  EXPECT_EQ(floatToF16(65519.0f), 0x7bff);
  EXPECT_EQ(floatToF16(65520.0f), 0x7c00);
  EXPECT_EQ(floatToF16(-1e30f), 0xfc00);
}

TEST(SmallFloat, BFloatRoundsToEven) {
  EXPECT_EQ(floatToBf16(1.0f), 0x3f80);
  EXPECT_EQ(floatToBf16(floatOf(0x3f808000)), 0x3f80); // a tie, to even
  EXPECT_EQ(floatToBf16(floatOf(0x3f818000)), 0x3f82);
  EXPECT_EQ(floatToBf16(floatOf(0x3f808001)), 0x3f81);
  EXPECT_EQ(floatToBf16(floatOf(0x7f7fffff)), 0x7f80);
  EXPECT_EQ(floatToBf16(floatOf(0x7f800001)) & 0x7fc0, 0x7fc0);
}

template <class Decode, class Encode>
void checkF8(Decode decode, Encode encode, uint8_t largest) {
  for (int code = 0; code < largest; ++code) {
    float a = decode(uint8_t(code)), b = decode(uint8_t(code + 1));
    ASSERT_LT(a, b) << code;
    float middle = (a + b) / 2;
    for (int sign : {0, 0x80}) {
      float s = sign ? -1.0f : 1.0f;
      EXPECT_EQ(encode(s * a), sign | code);
      EXPECT_EQ(encode(s * middle), sign | (code % 2 ? code + 1 : code));
      EXPECT_EQ(encode(s * std::nextafter(middle, a)), sign | code);
      EXPECT_EQ(encode(s * std::nextafter(middle, b)), sign | (code + 1));
    }
  }
}

TEST(SmallFloat, Float8) {
  checkF8(f8E4M3FNToFloat, floatToF8E4M3FN, 0x7e);
  checkF8(f8E5M2ToFloat, floatToF8E5M2, 0x7b);
  EXPECT_EQ(f8E4M3FNToFloat(0x7e), 448);
  EXPECT_EQ(f8E5M2ToFloat(0x7b), 57344);
  EXPECT_EQ(floatToF8E4M3FN(464), 0x7e);
  EXPECT_EQ(floatToF8E4M3FN(465), 0x7f); // no infinity: NaN
  EXPECT_EQ(floatToF8E4M3FN(-INFINITY), 0xff);
  EXPECT_EQ(floatToF8E5M2(61440), 0x7c);
  EXPECT_EQ(floatToF8E5M2(-INFINITY), 0xfc);
  EXPECT_TRUE(std::isnan(f8E5M2ToFloat(floatToF8E5M2(NAN))));
  EXPECT_TRUE(std::isnan(f8E4M3FNToFloat(0xff)));
}

TEST(Reduce, SameBitsOnAllRanksAndInAllRuns) {
  const int64_t n = 4099;
  MetadataText text({{"x", 3}});
  text.redistribute("all_reduce", "[{}], partial = sum [\"x\"]", "[{}]", {n});
  text.redistribute("reduce_scatter", "[{}], partial = sum [\"x\"]",
                    "[{\"x\"}]", {n});
  auto program = text.program();
  std::vector<std::vector<float>> terms(3, std::vector<float>(n));
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 1000);
  for (std::vector<float> &t : terms)
    for (float &x : t)
      x = normal(random);
  std::vector<float> expected(n);
  for (size_t i = 0; i < size_t(n); ++i)
    expected[i] = (terms[0][i] + terms[1][i]) + terms[2][i];
  std::atomic<int> wrong{0};
  for (int run = 0; run < 20; ++run) {
    std::string error = runRanks(program, [&](RankContext &rank) {
      std::vector<float> out(n);
      const float *in = terms[size_t(rank.rank)].data();
      rank.collective(0, in, out.data(), nullptr);
      wrong += out != expected;
      std::vector<float> shard(rank.rank < 2 ? 1367 : 1365);
      rank.collective(1, in, shard.data(), nullptr);
      wrong += !std::equal(shard.begin(), shard.end(),
                           expected.begin() + rank.rank * 1367);
    });
    EXPECT_EQ(error, "");
  }
  EXPECT_EQ(wrong, 0);
}

} // namespace
