//===- Fiber.cpp - Several flows of control on one thread -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stacks, the switch, and what the sanitizers are told of it. Requires Linux;
// guarantees nothing on processors without kHaveFibers, where nobody may make a
// fiber. The switch is written for the System V ABI of x86-64: it pushes the
// registers that a call preserves, changes stacks, and pops the other fiber's.
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <cstdint>
#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define SHARDIR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHARDIR_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SHARDIR_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHARDIR_TSAN 1
#endif
#endif

#ifdef SHARDIR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SHARDIR_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace shardir {
namespace runtime {

namespace {
/// Wide enough that a frame of some pages does not step over it.
constexpr size_t kGuard = 64 * 1024;
} // namespace

FiberStack::~FiberStack() {
  if (memory)
    munmap(static_cast<char *>(memory) - kGuard, bytes + kGuard);
}

bool FiberStack::allocate(size_t size) {
  if (memory)
    return true;
  void *p =
      mmap(nullptr, size + kGuard, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (p == MAP_FAILED)
    return false;
  if (mprotect(p, kGuard, PROT_NONE) != 0) {
    munmap(p, size + kGuard);
    return false;
  }
  memory = static_cast<char *>(p) + kGuard;
  bytes = size;
  return true;
}

#if defined(__x86_64__) && defined(__LP64__)

// shardir_fiber_switch(void **saved, void *next): leaves the stack pointer in
// *saved and goes on where `next` was saved. shardir_fiber_start is where the
// first switch to a fiber returns to: it calls r12(r13). A return address that
// is undefined ends every walk over the stack.
extern "C" void shardir_fiber_switch(void **saved, void *next);
extern "C" void shardir_fiber_start();
__asm__(R"(
  .text
  .p2align 4
  .globl shardir_fiber_switch
  .hidden shardir_fiber_switch
  .type shardir_fiber_switch, @function
shardir_fiber_switch:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
  .cfi_endproc
  .size shardir_fiber_switch, . - shardir_fiber_switch

  .p2align 4
  .globl shardir_fiber_start
  .hidden shardir_fiber_start
  .type shardir_fiber_start, @function
shardir_fiber_start:
  .cfi_startproc
  .cfi_undefined rip
  movq %r13, %rdi
  callq *%r12
  ud2
  .cfi_endproc
  .size shardir_fiber_start, . - shardir_fiber_start
)");

namespace {
/// The frame that shardir_fiber_switch leaves on a stack, from the lowest
/// address.
struct SavedFrame {
  uint32_t mxcsr;
  uint16_t controlWord, unused;
  uint64_t r15, r14, r13, r12, rbx, rbp;
  void (*resume)();
  uint64_t end; ///< keeps the stack at a multiple of 16 where `resume` begins
};
} // namespace

void Fiber::prepare(FiberStack &stack, void (*e)(void *), void *a) {
  entry = e;
  argument = a;
  auto top = (reinterpret_cast<uintptr_t>(stack.base()) + stack.size()) &
             ~uintptr_t(15);
  // `end` lies at a multiple of 16.
  auto *frame = reinterpret_cast<SavedFrame *>(top - 16 - 64);
  static_assert(sizeof(SavedFrame) == 72, "the offset of `end` is 64");
  *frame = SavedFrame();
  __asm__("stmxcsr %0" : "=m"(frame->mxcsr));
  __asm__("fnstcw %0" : "=m"(frame->controlWord));
  frame->r12 = reinterpret_cast<uint64_t>(&Fiber::enter);
  frame->r13 = reinterpret_cast<uint64_t>(this);
  frame->resume = &shardir_fiber_start;
  stackPointer = frame;
  bottom = stack.base();
  size = stack.size();
#ifdef SHARDIR_ASAN
  // Frames that a fiber of an earlier run left by a jump.
  __asan_unpoison_memory_region(stack.base(), stack.size());
#endif
#ifdef SHARDIR_TSAN
  threadFiber = __tsan_create_fiber(0);
  ownsThreadFiber = true;
#endif
}

#else

void Fiber::prepare(FiberStack &, void (*)(void *), void *) { std::abort(); }
static void shardir_fiber_switch(void **, void *) { std::abort(); }

#endif

Fiber::~Fiber() {
#ifdef SHARDIR_TSAN
  if (ownsThreadFiber)
    __tsan_destroy_fiber(threadFiber);
#endif
}

void Fiber::adoptThread() {
#ifdef SHARDIR_ASAN
  pthread_attr_t attributes;
  void *base = nullptr;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &base, &size);
    pthread_attr_destroy(&attributes);
  }
  bottom = base;
#endif
#ifdef SHARDIR_TSAN
  threadFiber = __tsan_get_current_fiber();
#endif
}

void Fiber::switchTo(Fiber &from, Fiber &to, bool ending) {
  (void)ending;
#ifdef SHARDIR_ASAN
  __sanitizer_start_switch_fiber(ending ? nullptr : &from.fakeStack, to.bottom,
                                 to.size);
#endif
#ifdef SHARDIR_TSAN
  __tsan_switch_to_fiber(to.threadFiber, 0);
#endif
  shardir_fiber_switch(&from.stackPointer, to.stackPointer);
#ifdef SHARDIR_ASAN
  __sanitizer_finish_switch_fiber(from.fakeStack, nullptr, nullptr);
#endif
}

void Fiber::enter(void *p) {
  auto *fiber = static_cast<Fiber *>(p);
#ifdef SHARDIR_ASAN
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  fiber->entry(fiber->argument);
  std::abort(); // entries end by a switch
}

} // namespace runtime
} // namespace shardir
