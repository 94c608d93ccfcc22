//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block is a loop over its threads: each runs until it waits or ends, and
// goes on once what it waits for has come. A turn in which nobody could go on
// is a deadlock. Threads that never wait share one stack, one after another.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include "Core/Fiber.h"
#include "Hopper.h"
#include "TensorCore.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

using namespace shardir::emulated;
using shardir::runtime::Fiber;
using shardir::runtime::FiberStack;

namespace {
constexpr int64_t kLanes = 32;
constexpr size_t kStackBytes = 128 * 1024;
/// Matrix descriptors and barriers hold the low bits of an address in shared
/// memory: with this alignment they are the offset in it.
constexpr size_t kSharedAlignment = 256 * 1024;
/// Checked for writes after the block has ended.
constexpr int64_t kGuardBytes = 1024;
constexpr unsigned char kUnset = 0xff; ///< NaN in every float type

class Block;

struct Thread : shardir_emulated_thread {
  enum State {
    Fresh,
    Running,
    AtBarrier,
    AtNamedBarrier,
    AtMBarrier,
    Exchanging,
    Done
  };

  Block *owner = nullptr;
  State state = Fresh;
  Fiber fiber;
  std::unique_ptr<FiberStack> stack;
  bool ready = true; ///< whether what it waited for has come
  int64_t lane = 0;

  // At an mbarrier.
  const MBarrier *mbarrier = nullptr;
  int32_t parity = 0;

  // Exchanging.
  const void *posted = nullptr;
  void *received = nullptr;
  int64_t bytes = 0;

  // Copies that are on their way.
  struct Copy {
    void *to;
    const void *from;
    int64_t bytes, copied;
  };
  std::vector<Copy> open;                ///< of no group yet
  std::vector<std::vector<Copy>> groups; ///< the oldest first

  // Boxes that are on their way to global memory, likewise.
  struct Store {
    const shardir_emulated_tensor_map *map;
    std::array<int32_t, 5> coordinates;
    const char *shared;
  };
  std::vector<Store> openStores;
  std::vector<std::vector<Store>> storeGroups;
};

/// The memory that a host thread keeps between blocks.
struct Pool {
  ~Pool() { std::free(shared); }
  std::vector<std::unique_ptr<FiberStack>> stacks;
  char *shared = nullptr;
};
thread_local Pool pool;

class Block {
public:
  Block(const Launch &launch, const int64_t place[3], int64_t number);
  std::string run();

  void barrier(Thread &thread);
  void gather(Thread &thread, const void *in, void *all, int64_t bytes);
  void copyAsync(Thread &thread, Thread::Copy copy);
  void namedBarrier(Thread &thread, int32_t id, int64_t count, bool waits);
  void waitFor(Thread &thread, const MBarrier *barrier, int32_t parity);
  void load(Thread &thread, char *to, const shardir_emulated_tensor_map *map,
            const int32_t *coordinates, MBarrier *barrier);
  void store(Thread &thread, const Thread::Store &box);
  void waitStores(Thread &thread, size_t pending);
  /// Ends the block for the reason `what`; does not return.
  [[noreturn]] void fail(Thread &thread, std::string what);

private:
  static void enter(void *thread);
  bool resume(Thread &thread);
  void wait(Thread &thread, Thread::State why);
  void end(Thread &thread);
  void releaseBarrier();
  void releaseWarp(Thread &member);
  std::string whoWaits() const;
  Thread *warpOf(const Thread &thread) {
    return &threads[size_t(&thread - threads.data()) / kLanes * kLanes];
  }
  int64_t warpSize(const Thread *first) const {
    return std::min<int64_t>(kLanes, threads.data() + threads.size() - first);
  }

  const Launch &launch;
  std::vector<Thread> threads;
  Fiber scheduler;
  char *shared = nullptr;
  int64_t sharedBytes = 0;
  bool early; ///< whether asynchronous copies happen at once
  std::string error;

  struct NamedBarrier {
    int64_t count = 0;
    std::vector<Thread *> waiting;
  };
  std::map<int32_t, NamedBarrier> named; ///< barriers, by id
  /// Boxes that are on their way to shared memory.
  struct Load {
    char *to;
    const shardir_emulated_tensor_map *map;
    std::array<int32_t, 5> coordinates;
    MBarrier *barrier;
  };
  std::deque<Load> loads;
  std::string perform(const Load &load);
};

Block &blockOf(shardir_emulated_thread *self) {
  return *static_cast<Thread *>(self)->owner;
}
} // namespace

//===----------------------------------------------------------------------===//
// Functions that kernels call
//===----------------------------------------------------------------------===//

static void callBarrier(shardir_emulated_thread *self) {
  blockOf(self).barrier(*static_cast<Thread *>(self));
}
static void callGather(shardir_emulated_thread *self, const void *in, void *all,
                       int64_t bytes) {
  blockOf(self).gather(*static_cast<Thread *>(self), in, all, bytes);
}
static void callMma(shardir_emulated_thread *self, int32_t m, int32_t n,
                    int32_t k, int32_t type, const void *a, const void *b,
                    const void *c, void *d) {
  if (!multiply(self, m, n, k, type, a, b, c, d))
    blockOf(self).fail(*static_cast<Thread *>(self),
                       "multiplies matrices of a shape that mma.sync lacks, m" +
                           std::to_string(m) + "n" + std::to_string(n) + "k" +
                           std::to_string(k));
}
static void callCopyAsync(shardir_emulated_thread *self, void *to,
                          const void *from, int64_t bytes, int64_t copied) {
  Thread::Copy copy = {to, from, bytes, copied};
  blockOf(self).copyAsync(*static_cast<Thread *>(self), copy);
}
static void callCommitCopies(shardir_emulated_thread *self) {
  auto *thread = static_cast<Thread *>(self);
  thread->groups.push_back(std::move(thread->open));
  thread->open.clear();
}

static void perform(const Thread::Copy &copy) {
  std::memcpy(copy.to, copy.from, size_t(copy.copied));
  std::memset(static_cast<char *>(copy.to) + copy.copied, 0,
              size_t(copy.bytes - copy.copied));
}

static void callWaitCopies(shardir_emulated_thread *self, int64_t pending) {
  auto &groups = static_cast<Thread *>(self)->groups;
  while (int64_t(groups.size()) > pending) {
    for (const Thread::Copy &copy : groups.front())
      perform(copy);
    groups.erase(groups.begin());
  }
}

static void callNamedBarrier(shardir_emulated_thread *self, int32_t id,
                             int64_t threads, int32_t wait) {
  blockOf(self).namedBarrier(*static_cast<Thread *>(self), id, threads,
                             wait != 0);
}
static void callMBarrierInit(shardir_emulated_thread *, void *barrier,
                             int32_t count) {
  static_cast<MBarrier *>(barrier)->init(count);
}
static void callMBarrierArrive(shardir_emulated_thread *self, void *barrier,
                               int64_t bytes) {
  if (!static_cast<MBarrier *>(barrier)->arrive(bytes))
    blockOf(self).fail(*static_cast<Thread *>(self),
                       "arrives at an mbarrier more often than it counts");
}
static void callMBarrierWait(shardir_emulated_thread *self, void *barrier,
                             int32_t parity) {
  blockOf(self).waitFor(*static_cast<Thread *>(self),
                        static_cast<const MBarrier *>(barrier), parity);
}
static void callTensorLoad(shardir_emulated_thread *self, void *shared,
                           const void *map, const int32_t *coordinates,
                           void *barrier) {
  blockOf(self).load(*static_cast<Thread *>(self), static_cast<char *>(shared),
                     static_cast<const shardir_emulated_tensor_map *>(map),
                     coordinates, static_cast<MBarrier *>(barrier));
}
static std::array<int32_t, 5> copyOf(const shardir_emulated_tensor_map *map,
                                     const int32_t *coordinates) {
  std::array<int32_t, 5> copy = {};
  std::copy_n(coordinates, std::min<int>(map->rank, 5), copy.begin());
  return copy;
}
static void callTensorStore(shardir_emulated_thread *self, const void *map,
                            const int32_t *coordinates, const void *shared) {
  auto *tensor = static_cast<const shardir_emulated_tensor_map *>(map);
  blockOf(self).store(
      *static_cast<Thread *>(self),
      {tensor, copyOf(tensor, coordinates), static_cast<const char *>(shared)});
}
static void callCommitStores(shardir_emulated_thread *self) {
  auto *thread = static_cast<Thread *>(self);
  thread->storeGroups.push_back(std::move(thread->openStores));
  thread->openStores.clear();
}
static void callWaitStores(shardir_emulated_thread *self, int64_t pending) {
  blockOf(self).waitStores(*static_cast<Thread *>(self), size_t(pending));
}
static void callWgmma(shardir_emulated_thread *self, int32_t n, int32_t type,
                      uint64_t a, const void *aRegisters, uint64_t b,
                      int32_t aTransposed, int32_t bTransposed, int32_t scaleD,
                      float *d) {
  if (!multiplyGroup(self, n, type, a, aRegisters, b, aTransposed != 0,
                     bTransposed != 0, scaleD != 0, d))
    blockOf(self).fail(*static_cast<Thread *>(self),
                       "multiplies matrices of a shape that wgmma lacks, n " +
                           std::to_string(n));
}

static void callMisaligned(shardir_emulated_thread *self, const void *address,
                           int64_t bytes) {
  blockOf(self).fail(*static_cast<Thread *>(self),
                     "accesses " + std::to_string(bytes) +
                         " bytes as one, at an address " +
                         std::to_string(uintptr_t(address) % uintptr_t(bytes)) +
                         " bytes behind a multiple of them");
}

//===----------------------------------------------------------------------===//
// Block
//===----------------------------------------------------------------------===//

Block::Block(const Launch &launch, const int64_t place[3], int64_t number)
    : launch(launch),
      threads(size_t(launch.block[0] * launch.block[1] * launch.block[2])),
      early(number % 2 == 1) {
  int64_t fixed = launch.kernel->shared_bytes;
  sharedBytes = fixed + launch.dynamicBytes;
  if (!pool.shared) {
    void *memory = nullptr;
    if (posix_memalign(&memory, kSharedAlignment, kSharedAlignment) != 0)
      std::abort();
    pool.shared = static_cast<char *>(memory);
  }
  shared = pool.shared;
  std::memset(shared, kUnset, size_t(sharedBytes + kGuardBytes));
  for (size_t i = 0; i < threads.size(); ++i) {
    Thread &t = threads[i];
    int64_t rest = int64_t(i);
    for (int dim = 0; dim < 3; ++dim) {
      t.thread[dim] = rest % launch.block[dim];
      rest /= launch.block[dim];
      t.block[dim] = place[dim];
      t.block_dim[dim] = launch.block[dim];
      t.grid_dim[dim] = launch.grid[dim];
    }
    t.lane = int64_t(i) % kLanes;
    t.shared = shared;
    t.barrier = callBarrier;
    t.gather = callGather;
    t.mma = callMma;
    t.copy_async = callCopyAsync;
    t.commit_copies = callCommitCopies;
    t.wait_copies = callWaitCopies;
    t.named_barrier = callNamedBarrier;
    t.mbarrier_init = callMBarrierInit;
    t.mbarrier_arrive = callMBarrierArrive;
    t.mbarrier_wait = callMBarrierWait;
    t.tensor_load = callTensorLoad;
    t.tensor_store = callTensorStore;
    t.commit_stores = callCommitStores;
    t.wait_stores = callWaitStores;
    t.wgmma = callWgmma;
    t.misaligned = callMisaligned;
    t.owner = this;
  }
}

void Block::enter(void *argument) {
  auto &thread = *static_cast<Thread *>(argument);
  Block &block = *thread.owner;
  block.launch.kernel->function(&thread, block.launch.arguments);
  block.end(thread);
  Fiber::switchTo(thread.fiber, block.scheduler, /*ending=*/true);
}

/// Lets `thread` run until it waits or ends. False where it cannot.
bool Block::resume(Thread &thread) {
  if (thread.state == Thread::AtMBarrier)
    thread.ready = thread.mbarrier->ended(thread.parity);
  if (thread.state == Thread::Done || !thread.ready)
    return false;
  if (thread.state == Thread::Fresh) {
    if (pool.stacks.empty())
      pool.stacks.push_back(std::make_unique<FiberStack>());
    thread.stack = std::move(pool.stacks.back());
    pool.stacks.pop_back();
    if (!thread.stack->allocate(kStackBytes)) {
      error = "has no memory for the stacks of its threads";
      return false;
    }
    thread.fiber.prepare(*thread.stack, enter, &thread);
  }
  thread.state = Thread::Running;
  Fiber::switchTo(scheduler, thread.fiber);
  if (thread.state == Thread::Done)
    pool.stacks.push_back(std::move(thread.stack));
  return true;
}

std::string Block::run() {
  scheduler.adoptThread();
  bool progress = true;
  while (progress && error.empty()) {
    progress = false;
    for (Thread &thread : threads) {
      progress |= resume(thread);
      if (!error.empty())
        break;
    }
    // As late as can be: when everybody waits.
    if (!progress && error.empty() && !loads.empty()) {
      error = perform(loads.front());
      loads.pop_front();
      progress = true;
    }
  }
  bool done = std::all_of(threads.begin(), threads.end(), [](const Thread &t) {
    return t.state == Thread::Done;
  });
  if (error.empty() && !done)
    error = whoWaits();
  if (error.empty())
    for (int64_t i = 0; i < kGuardBytes; ++i)
      if (static_cast<unsigned char>(shared[sharedBytes + i]) != kUnset) {
        error = "writes behind its " + std::to_string(sharedBytes) +
                " bytes of shared memory, at byte " +
                std::to_string(sharedBytes + i);
        break;
      }
  // Stacks of threads that will never end.
  for (Thread &thread : threads)
    if (thread.stack)
      pool.stacks.push_back(std::move(thread.stack));
  return error;
}

std::string Block::whoWaits() const {
  int64_t atBarrier = 0, atMBarrier = 0, exchanging = 0, done = 0;
  for (const Thread &thread : threads) {
    atBarrier += thread.state == Thread::AtBarrier ||
                 thread.state == Thread::AtNamedBarrier;
    atMBarrier += thread.state == Thread::AtMBarrier;
    exchanging += thread.state == Thread::Exchanging;
    done += thread.state == Thread::Done;
  }
  return "waits for ever: " + std::to_string(atBarrier) +
         " threads at a barrier, " + std::to_string(atMBarrier) +
         " at an mbarrier, " + std::to_string(exchanging) +
         " in an exchange between lanes, " + std::to_string(done) + " ended";
}

void Block::wait(Thread &thread, Thread::State why) {
  thread.state = why;
  if (thread.ready)
    return;
  Fiber::switchTo(thread.fiber, scheduler);
}

void Block::end(Thread &thread) {
  // Stores need no wait before the kernel ends.
  callCommitStores(&thread);
  waitStores(thread, 0);
  thread.state = Thread::Done;
  // Whoever waits for all threads now waits for one less.
  releaseBarrier();
  releaseWarp(thread);
}

/// Nothing on the thread's stack is destroyed: what owns memory is moved away.
void Block::fail(Thread &thread, std::string what) {
  error = std::move(what);
  thread.ready = false;
  Fiber::switchTo(thread.fiber, scheduler);
  std::abort(); // nobody resumes it
}

void Block::barrier(Thread &thread) {
  thread.ready = false;
  thread.state = Thread::AtBarrier;
  releaseBarrier();
  wait(thread, Thread::AtBarrier);
}

void Block::releaseBarrier() {
  for (const Thread &thread : threads)
    if (thread.state != Thread::Done &&
        (thread.state != Thread::AtBarrier || thread.ready))
      return;
  for (Thread &thread : threads)
    thread.ready = true;
}

void Block::gather(Thread &thread, const void *in, void *all, int64_t bytes) {
  thread.posted = in;
  thread.received = all;
  thread.bytes = bytes;
  thread.ready = false;
  thread.state = Thread::Exchanging;
  releaseWarp(thread);
  wait(thread, Thread::Exchanging);
}

void Block::releaseWarp(Thread &member) {
  Thread *first = warpOf(member);
  int64_t size = warpSize(first), bytes = -1;
  for (Thread *t = first; t != first + size; ++t) {
    if (t->state == Thread::Done)
      continue;
    if (t->state != Thread::Exchanging || t->ready)
      return;
    if (bytes >= 0 && t->bytes != bytes) {
      error = "has lanes of one warp that post " + std::to_string(bytes) +
              " and " + std::to_string(t->bytes) + " bytes";
      return;
    }
    bytes = t->bytes;
  }
  if (bytes < 0)
    return;
  std::vector<char> posts(size_t(kLanes * bytes), 0);
  for (Thread *t = first; t != first + size; ++t)
    if (t->state == Thread::Exchanging)
      std::memcpy(posts.data() + t->lane * bytes, t->posted, size_t(bytes));
  for (Thread *t = first; t != first + size; ++t)
    if (t->state == Thread::Exchanging) {
      std::memcpy(t->received, posts.data(), posts.size());
      t->ready = true;
    }
}

void Block::copyAsync(Thread &thread, Thread::Copy copy) {
  if (copy.copied < 0 || copy.copied > copy.bytes)
    fail(thread, "copies " + std::to_string(copy.copied) + " bytes into " +
                     std::to_string(copy.bytes));
  if (reinterpret_cast<uintptr_t>(copy.to) % uintptr_t(copy.bytes) != 0 ||
      (copy.copied > 0 &&
       reinterpret_cast<uintptr_t>(copy.from) % uintptr_t(copy.bytes) != 0))
    fail(thread, "copies " + std::to_string(copy.bytes) +
                     " bytes asynchronously between addresses that are no "
                     "multiples of that");
  if (early)
    ::perform(copy);
  else
    thread.open.push_back(copy);
}

//===----------------------------------------------------------------------===//
// Block: what sm_90 adds
//===----------------------------------------------------------------------===//

void Block::namedBarrier(Thread &thread, int32_t id, int64_t count,
                         bool waits) {
  NamedBarrier &arrivals = named[id];
  if (waits) {
    thread.ready = false;
    thread.state = Thread::AtNamedBarrier;
    arrivals.waiting.push_back(&thread);
  }
  if (++arrivals.count == count) {
    for (Thread *other : arrivals.waiting)
      other->ready = true;
    arrivals = {};
  }
  if (waits)
    wait(thread, Thread::AtNamedBarrier);
}

void Block::waitFor(Thread &thread, const MBarrier *barrier, int32_t parity) {
  thread.mbarrier = barrier;
  thread.parity = parity;
  thread.ready = barrier->ended(parity);
  wait(thread, Thread::AtMBarrier);
}

std::string Block::perform(const Load &load) {
  std::string wrong = loadBox(*load.map, load.coordinates.data(), load.to);
  if (wrong.empty())
    load.barrier->complete(boxBytes(*load.map));
  return wrong;
}

void Block::load(Thread &thread, char *to,
                 const shardir_emulated_tensor_map *map,
                 const int32_t *coordinates, MBarrier *barrier) {
  Load load = {to, map, copyOf(map, coordinates), barrier};
  if (!early) {
    loads.push_back(load);
    return;
  }
  std::string wrong = perform(load);
  if (!wrong.empty())
    fail(thread, std::move(wrong));
}

void Block::store(Thread &thread, const Thread::Store &box) {
  if (!early) {
    thread.openStores.push_back(box);
    return;
  }
  std::string wrong = storeBox(*box.map, box.coordinates.data(), box.shared);
  if (!wrong.empty())
    fail(thread, std::move(wrong));
}

void Block::waitStores(Thread &thread, size_t pending) {
  auto &groups = thread.storeGroups;
  while (groups.size() > pending) {
    for (const Thread::Store &box : groups.front()) {
      std::string wrong =
          storeBox(*box.map, box.coordinates.data(), box.shared);
      if (!wrong.empty())
        fail(thread, std::move(wrong));
    }
    groups.erase(groups.begin());
  }
}

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

std::string shardir::emulated::run(const Launch &launch) {
  int64_t size = launch.block[0] * launch.block[1] * launch.block[2];
  if (size < 1 || size > kMaxThreads)
    return "has " + std::to_string(size) + " threads a block; at most " +
           std::to_string(kMaxThreads) + " are possible";
  if (launch.kernel->shared_bytes + launch.dynamicBytes > kMaxSharedBytes)
    return "asks for " +
           std::to_string(launch.kernel->shared_bytes + launch.dynamicBytes) +
           " bytes of shared memory; there are " +
           std::to_string(kMaxSharedBytes);
  int64_t number = 0, place[3];
  for (place[2] = 0; place[2] < launch.grid[2]; ++place[2])
    for (place[1] = 0; place[1] < launch.grid[1]; ++place[1])
      for (place[0] = 0; place[0] < launch.grid[0]; ++place[0], ++number) {
        std::string error = Block(launch, place, number).run();
        if (!error.empty())
          return "block (" + std::to_string(place[0]) + ", " +
                 std::to_string(place[1]) + ", " + std::to_string(place[2]) +
                 ") " + error;
      }
  return "";
}
