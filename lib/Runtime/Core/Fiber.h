//===- Fiber.h - Several flows of control on one thread ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flow of control with a stack of its own, to which its thread switches when
// told to. Requires that a fiber stays on the thread that first ran it, that
// nobody switches inside a catch block (exceptions being handled are listed per
// thread), and that an exception or a long jump stays on its fiber's stack.
// Guarantees that a stack which overflows meets a page that cannot be touched,
// and that AddressSanitizer and ThreadSanitizer know which fiber runs.
//
// A switch saves what the System V ABI says a call preserves, control words of
// the floating-point units included, and makes no system call: a few
// nanoseconds, where swapcontext(3) takes two calls for the signal mask.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_FIBER_H
#define SHARDIR_LIB_RUNTIME_CORE_FIBER_H

#include <cstddef>

namespace shardir {
namespace runtime {

/// True where this processor has a shardir_fiber_switch.
#if defined(__x86_64__) && defined(__LP64__)
constexpr bool kHaveFibers = true;
#else
constexpr bool kHaveFibers = false;
#endif

/// The memory of one fiber's stack; pages are taken from the system when first
/// touched.
class FiberStack {
public:
  FiberStack() = default;
  ~FiberStack();
  FiberStack(const FiberStack &) = delete;

  /// Maps `size` bytes unless there are some. False with errno set.
  bool allocate(size_t size);
  void *base() const { return memory; }
  size_t size() const { return bytes; }

private:
  void *memory = nullptr; ///< above the guard
  size_t bytes = 0;
};

class Fiber {
public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber &) = delete;

  /// Stands for what the calling thread runs now.
  void adoptThread();
  /// Makes the first switch to this fiber call entry(argument), which must not
  /// return but end by a switch with `ending`.
  void prepare(FiberStack &stack, void (*entry)(void *), void *argument);
  /// Goes on with `to`; returns when somebody switches back to `from`, which
  /// is the running fiber, or never if it is `ending`.
  static void switchTo(Fiber &from, Fiber &to, bool ending = false);

private:
  static void enter(void *fiber);

  void *stackPointer = nullptr;
  void (*entry)(void *) = nullptr;
  void *argument = nullptr;
  // For the sanitizers alone.
  const void *bottom = nullptr;
  size_t size = 0;
  [[maybe_unused]] void *fakeStack = nullptr, *threadFiber = nullptr;
  [[maybe_unused]] bool ownsThreadFiber = false;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_FIBER_H
