//===- EmulatedAmx.cpp - AMX on processors without it ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests: preloaded into a process ($LD_PRELOAD), it handles the signal of
// an instruction that the processor does not know, and executes those of
// AMX-TILE, AMX-BF16, AMX-FP16 and AMX-INT8 as Intel's manual (volume 2, and
// its chapter on AMX) describes them. Any other unknown instruction ends the
// process. Requires a processor that has no AMX; guarantees the manual's
// results, which says nothing of the speed. $SHARDIR_EMULATED_AMX=refused
// refuses the permission.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace {
/// The tile registers of one thread; all is 0 until they are configured.
struct Tiles {
  uint8_t config[64];
  uint8_t data[8][16][64];
  int rows(int tile) const { return config[48 + tile]; }
  int bytes(int tile) const {
    return config[16 + 2 * tile] | config[17 + 2 * tile] << 8;
  }
};
thread_local Tiles tiles;
bool permitted = false;

[[noreturn]] void die(const char *why) {
  fprintf(stderr, "emulated AMX: %s\n", why);
  _exit(132);
}

/// Denormal numbers count as zeros, whatever the rounding mode of the thread.
float flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

float fromBf16(const uint8_t *bf16) {
  uint32_t bits = uint32_t(bf16[0] | bf16[1] << 8) << 16;
  float value;
  memcpy(&value, &bits, 4);
  return flush(value);
}

/// Denormal numbers of f16 are normal ones of f32.
float fromF16(const uint8_t *f16) {
  int exponent = f16[1] >> 2 & 31, fraction = (f16[1] & 3) << 8 | f16[0];
  float value = exponent == 31  ? (fraction ? NAN : INFINITY)
                : exponent == 0 ? std::ldexp(float(fraction), -24)
                                : std::ldexp(1024.0f + fraction, exponent - 25);
  return f16[1] & 0x80 ? -value : value;
}

/// Adds to each word of c what `dot` gives for a row of words of a, and words
/// of b that are 64 bytes apart; it gets the number of words and the old sum.
template <class Sum, class Dot> void products(int c, int a, int b, Dot dot) {
  int rows = tiles.rows(c), columns = tiles.bytes(c) / 4,
      words = tiles.bytes(a) / 4;
  if (rows == 0 || rows != tiles.rows(a) || words != tiles.rows(b) ||
      tiles.bytes(c) != tiles.bytes(b))
    die("the tiles of a product do not fit each other");
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < columns; ++n) {
      Sum sum;
      memcpy(&sum, &tiles.data[c][m][4 * n], 4);
      sum = dot(tiles.data[a][m], &tiles.data[b][0][4 * n], words, sum);
      memcpy(&tiles.data[c][m][4 * n], &sum, 4);
    }
}

template <float widen(const uint8_t *)>
float dotPairs(const uint8_t *a, const uint8_t *b, int words, float sum) {
  // The first and the second elements of pairs are summed apart.
  float sums[2] = {0, 0};
  for (int k = 0; k < words; ++k)
    for (int half = 0; half < 2; ++half)
      sums[half] = flush(std::fmaf(widen(a + 4 * k + 2 * half),
                                   widen(b + 64 * k + 2 * half), sums[half]));
  return flush(flush(sum) + flush(sums[0] + sums[1]));
}

template <class Left, class Right>
uint32_t dotBytes(const uint8_t *a, const uint8_t *b, int words, uint32_t sum) {
  for (int k = 0; k < words; ++k)
    for (int i = 0; i < 4; ++i)
      sum += uint32_t(Left(a[4 * k + i]) * Right(b[64 * k + i]));
  return sum;
}

/// An instruction with a VEX prefix of three bytes in map 0F38.
struct Instruction {
  const uint8_t *at;
  ucontext_t *context;
  int mod, reg, rm, vvvv, prefix, opcode;
  const uint8_t *next;

  uint64_t value(int number) const {
    static const int names[16] = {
        REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return context->uc_mcontext.gregs[names[number]];
  }

  Instruction(const uint8_t *at, ucontext_t *context)
      : at(at), context(context) {
    if (at[0] != 0xC4 || (at[1] & 0x1F) != 2 || (at[2] & 0x84) != 0)
      die("illegal instruction");
    vvvv = ~(at[2] >> 3) & 15;
    prefix = at[2] & 3;
    opcode = at[3];
    mod = at[4] >> 6;
    reg = at[4] >> 3 & 7;
    rm = at[4] & 7;
    next = at + 5;
  }

  /// The address of the memory operand; `stride` gets the index register's
  /// scaled value, which is the distance of rows. Moves `next` behind it.
  uint8_t *address(int64_t *stride) {
    int base = rm;
    int64_t index = 0;
    bool absolute = mod == 0 && rm == 5, relative = absolute;
    if (rm == 4) {
      uint8_t sib = *next++;
      base = sib & 7;
      int number = (sib >> 3 & 7) | (at[1] & 0x40 ? 0 : 8);
      if (number != 4)
        index = int64_t(value(number)) << (sib >> 6);
      absolute = mod == 0 && base == 5;
      relative = false;
    }
    int64_t displacement = 0;
    if (mod == 1) {
      displacement = int8_t(*next++);
    } else if (mod == 2 || absolute) {
      int32_t word;
      memcpy(&word, next, 4);
      next += 4;
      displacement = word;
    }
    uint64_t start = absolute ? 0 : value(base | (at[1] & 0x20 ? 0 : 8));
    if (relative)
      start = reinterpret_cast<uint64_t>(next);
    start += displacement;
    if (stride)
      *stride = index;
    else
      start += index;
    return reinterpret_cast<uint8_t *>(start);
  }

  void run() {
    int64_t stride;
    if (!permitted)
      die("a program used tiles before it asked for permission");
    if (opcode == 0x49 && prefix == 0 && mod == 3) { // tilerelease
      memset(&tiles, 0, sizeof(tiles));
    } else if (opcode == 0x49 && prefix == 0) { // ldtilecfg
      const uint8_t *from = address(nullptr);
      memset(&tiles, 0, sizeof(tiles));
      memcpy(tiles.config, from, 64);
      if (tiles.config[0] != 1)
        die("unknown palette");
    } else if (opcode == 0x49 && prefix == 3 && mod == 3) { // tilezero
      memset(tiles.data[reg], 0, sizeof(tiles.data[reg]));
    } else if (opcode == 0x4B && prefix == 3) { // tileloadd
      const uint8_t *from = address(&stride);
      memset(tiles.data[reg], 0, sizeof(tiles.data[reg]));
      for (int row = 0; row < tiles.rows(reg); ++row)
        memcpy(tiles.data[reg][row], from + row * stride, tiles.bytes(reg));
    } else if (opcode == 0x4B && prefix == 2) { // tilestored
      uint8_t *to = address(&stride);
      for (int row = 0; row < tiles.rows(reg); ++row)
        memcpy(to + row * stride, tiles.data[reg][row], tiles.bytes(reg));
    } else if (opcode == 0x5C && prefix == 2 && mod == 3) { // tdpbf16ps
      products<float>(reg, rm, vvvv, dotPairs<fromBf16>);
    } else if (opcode == 0x5C && prefix == 3 && mod == 3) { // tdpfp16ps
      products<float>(reg, rm, vvvv, dotPairs<fromF16>);
    } else if (opcode == 0x5E && prefix == 3 && mod == 3) { // tdpbssd
      products<uint32_t>(reg, rm, vvvv, dotBytes<int8_t, int8_t>);
    } else if (opcode == 0x5E && prefix == 2 && mod == 3) { // tdpbsud
      products<uint32_t>(reg, rm, vvvv, dotBytes<int8_t, uint8_t>);
    } else if (opcode == 0x5E && prefix == 1 && mod == 3) { // tdpbusd
      products<uint32_t>(reg, rm, vvvv, dotBytes<uint8_t, int8_t>);
    } else if (opcode == 0x5E && prefix == 0 && mod == 3) { // tdpbuud
      products<uint32_t>(reg, rm, vvvv, dotBytes<uint8_t, uint8_t>);
    } else {
      die("illegal instruction");
    }
  }
};

void handle(int, siginfo_t *, void *p) {
  auto *context = static_cast<ucontext_t *>(p);
  greg_t &ip = context->uc_mcontext.gregs[REG_RIP];
  Instruction instruction(reinterpret_cast<const uint8_t *>(ip), context);
  instruction.run();
  ip = reinterpret_cast<greg_t>(instruction.next);
}

using Sigaction = int (*)(int, const struct sigaction *, struct sigaction *);
Sigaction next() {
  static auto found =
      reinterpret_cast<Sigaction>(dlsym(RTLD_NEXT, "sigaction"));
  return found;
}

[[gnu::constructor]] void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  next()(SIGILL, &action, nullptr);
}
} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

/// Handlers of the program's own for this signal are not installed.
EXPORT int sigaction(int number, const struct sigaction *action,
                     struct sigaction *old) noexcept {
  return next()(number, number == SIGILL ? nullptr : action, old);
}

/// Grants what Linux must be asked for before tiles are used.
EXPORT long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long &argument : a)
    argument = va_arg(list, long);
  va_end(list);
  constexpr long requestPermission = 0x1023, tileData = 18;
  if (number == SYS_arch_prctl && a[0] == requestPermission &&
      a[1] == tileData) {
    const char *mode = getenv("SHARDIR_EMULATED_AMX");
    permitted = !mode || strcmp(mode, "refused") != 0;
    errno = EPERM;
    return permitted ? 0 : -1;
  }
  long result = number;
  register long r10 asm("r10") = a[3];
  register long r8 asm("r8") = a[4];
  register long r9 asm("r9") = a[5];
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  if (result < 0 && result > -4096) {
    errno = int(-result);
    return -1;
  }
  return result;
}
