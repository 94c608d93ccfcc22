//===- AmxTiles.h - Permission to use AMX's registers -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux gives a process the tile registers on request: it must enlarge what it
// saves of each thread. The permission holds for all threads of the process.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_AMXTILES_H
#define SHARDIR_LIB_RUNTIME_CORE_AMXTILES_H

#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

namespace shardir {
namespace runtime {

/// Asks for the tile registers; returns why they are refused, or "".
inline std::string requestAmxTiles() {
#if defined(__linux__) && defined(__x86_64__)
  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA: <asm/prctl.h>, Linux 5.16.
  constexpr long request = 0x1023, tileData = 18;
  if (syscall(SYS_arch_prctl, request, tileData, 0L, 0L, 0L, 0L) == 0)
    return "";
  return std::strerror(errno);
#else
  return "this system has none";
#endif
}

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_AMXTILES_H
