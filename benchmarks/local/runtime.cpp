//===- runtime.cpp - The runtime's symbols for one rank alone -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's entry points without communicators: benchmarks of generated
// code load them in place of libShardIRRuntime. Buffers are kept in free lists
// by size, as the runtime's arena does, so that fresh pages are not what is
// measured. SHARDIR_LOCAL_THREADS is the number of threads, 1 unless given.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runtime/Abi.h"
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace {
std::mutex poolMutex;
std::map<uint64_t, std::vector<void *>> pool;

struct Header {
  uint64_t size;
  char padding[56];
};

/// Workers that spin for a while, then sleep, between parallel loops.
class Workers {
public:
  Workers() {
    const char *text = std::getenv("SHARDIR_LOCAL_THREADS");
    int count = text ? std::atoi(text) : 1;
    for (int i = 1; i < count; ++i)
      std::thread([this] { work(); }).detach();
    helpers = count - 1;
  }

  void run(int64_t n, void (*body)(int64_t, void *), void *context) {
    if (helpers == 0 || n <= 1) {
      for (int64_t i = 0; i < n; ++i)
        body(i, context);
      return;
    }
    this->n = n;
    this->body = body;
    this->context = context;
    next = 0;
    busy = helpers;
    {
      std::lock_guard<std::mutex> lock(mutex);
      ++epoch;
    }
    wake.notify_all();
    drain();
    while (busy.load(std::memory_order_acquire) != 0)
      std::this_thread::yield();
  }

private:
  void drain() {
    for (int64_t i; (i = next.fetch_add(1)) < n;)
      body(i, context);
  }

  void work() {
    for (int64_t seen = 0;;) {
      for (int spin = 0; spin < 20000 && epoch.load() == seen; ++spin)
        __builtin_ia32_pause();
      if (epoch.load() == seen) {
        std::unique_lock<std::mutex> lock(mutex);
        wake.wait(lock, [&] { return epoch.load() != seen; });
      }
      ++seen;
      drain();
      busy.fetch_sub(1, std::memory_order_release);
    }
  }

  int helpers = 0;
  int64_t n = 0;
  void (*body)(int64_t, void *) = nullptr;
  void *context = nullptr;
  std::atomic<int64_t> next{0}, epoch{0};
  std::atomic<int> busy{0};
  std::mutex mutex;
  std::condition_variable wake;
};
} // namespace

extern "C" {
void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size) {
  size = (size + 63) / 64 * 64;
  void *block = nullptr;
  {
    std::lock_guard<std::mutex> lock(poolMutex);
    std::vector<void *> &list = pool[size];
    if (!list.empty()) {
      block = list.back();
      list.pop_back();
    }
  }
  if (!block && !(block = std::aligned_alloc(64, size + sizeof(Header))))
    std::abort();
  static_cast<Header *>(block)->size = size;
  return static_cast<char *>(block) + sizeof(Header);
}

void *_mlir_memref_to_llvm_alloc(uint64_t size) {
  return _mlir_memref_to_llvm_aligned_alloc(64, size);
}

void _mlir_memref_to_llvm_free(void *p) {
  if (!p)
    return;
  Header *header = reinterpret_cast<Header *>(p) - 1;
  std::lock_guard<std::mutex> lock(poolMutex);
  pool[header->size].push_back(header);
}

void shardir_parallel_for(int64_t n, void (*body)(int64_t, void *),
                          void *context) {
  // Never destroyed: its threads wait on it until the process ends.
  static Workers &workers = *new Workers;
  workers.run(n, body, context);
}

void shardir_fail(const char *message) {
  std::fprintf(stderr, "error: %s\n", message);
  std::exit(4);
}

void memrefCopy(int64_t elementSize, void *source, void *destination) {
  struct Unranked {
    int64_t rank;
    int64_t *descriptor;
  };
  auto *from = static_cast<Unranked *>(source);
  auto *to = static_cast<Unranked *>(destination);
  int64_t rank = from->rank;
  int64_t *sizes = from->descriptor + 3;
  int64_t *fromStrides = sizes + rank, *toStrides = to->descriptor + 3 + rank;
  char *fromData = reinterpret_cast<char *>(from->descriptor[1]) +
                   from->descriptor[2] * elementSize;
  char *toData = reinterpret_cast<char *>(to->descriptor[1]) +
                 to->descriptor[2] * elementSize;
  std::vector<int64_t> at(rank, 0);
  for (int64_t i = 0; i < rank; ++i)
    if (sizes[i] == 0)
      return;
  for (;;) {
    int64_t fromAt = 0, toAt = 0;
    for (int64_t i = 0; i < rank; ++i) {
      fromAt += at[i] * fromStrides[i];
      toAt += at[i] * toStrides[i];
    }
    std::memcpy(toData + toAt * elementSize, fromData + fromAt * elementSize,
                elementSize);
    int64_t dim = rank - 1;
    while (dim >= 0 && ++at[dim] == sizes[dim])
      at[dim--] = 0;
    if (dim < 0)
      return;
  }
}
}
