//===- Signals.h - Crashes of compiled code as failures ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optional handlers for the signals that compiled code may raise: a division by
// zero, a wild pointer, a stack overflow. Requires shardir_catch_signals() to
// have been called; guarantees that only signals raised by an instruction of a
// rank's thread inside a program are taken, all others have their old effect.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_SIGNALS_H
#define SHARDIR_LIB_RUNTIME_CORE_SIGNALS_H

#include <memory>
#include <string>

namespace shardir {
namespace runtime {

/// `signal 8 (integer division by zero or overflow)`
std::string signalText(int signal);

/// Gives the calling thread a stack for handlers, if signals are caught: the
/// handler of a stack overflow cannot run on the stack that overflowed.
class SignalStack {
public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack &) = delete;

private:
  std::unique_ptr<char[]> memory;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_SIGNALS_H
