//===- Signals.cpp - Crashes of compiled code as failures -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handler jumps to the landing of the thread and does nothing else, as it
// may interrupt anything. Requires a landing, which a thread has only inside a
// program; guarantees that the signal is raised again with its old action where
// there is none. The interrupted rank's memory is not reused (Job::poison).
//
//===----------------------------------------------------------------------===//

#include "Signals.h"

#include "RankContext.h"

#include <atomic>
#include <csignal>
#include <mutex>

namespace shardir {
namespace runtime {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr size_t kStackSize = 64 * 1024;
struct sigaction oldActions[sizeof(kSignals) / sizeof(kSignals[0])];
std::atomic<bool> caught{false};

void handle(int signal, siginfo_t *info, void *) {
  Landing *landing = threadState.landing;
  // Positive codes are raised by an instruction, not sent by somebody.
  if (landing && info->si_code > 0) {
    landing->signal = signal;
    longjmp(landing->environment, 1);
  }
  for (size_t i = 0; i < sizeof(kSignals) / sizeof(kSignals[0]); ++i)
    if (kSignals[i] == signal)
      sigaction(signal, &oldActions[i], nullptr);
  if (info->si_code <= 0)
    raise(signal);
  // Else the instruction runs again and meets the old action.
}

} // namespace

std::string signalText(int signal) {
  const char *what = signal == SIGFPE   ? "integer division by zero or overflow"
                     : signal == SIGILL ? "illegal instruction"
                     : signal == SIGBUS ? "bus error"
                                        : "invalid memory access";
  return "signal " + std::to_string(signal) + " (" + what + ")";
}

SignalStack::SignalStack() {
  if (!caught.load())
    return;
  memory = std::make_unique<char[]>(kStackSize);
  stack_t stack = {};
  stack.ss_sp = memory.get();
  stack.ss_size = kStackSize;
  if (sigaltstack(&stack, nullptr) != 0)
    memory.reset();
}

SignalStack::~SignalStack() {
  if (!memory)
    return;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

} // namespace runtime
} // namespace shardir

extern "C" void shardir_catch_signals(void) {
  using namespace shardir::runtime;
  static std::once_flag once;
  std::call_once(once, [] {
    for (size_t i = 0; i < sizeof(kSignals) / sizeof(kSignals[0]); ++i) {
      struct sigaction action = {};
      action.sa_sigaction = handle;
      // SA_NODEFER: the jump leaves the handler without restoring the mask.
      action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigemptyset(&action.sa_mask);
      sigaction(kSignals[i], &action, &oldActions[i]);
    }
    caught.store(true);
  });
}
