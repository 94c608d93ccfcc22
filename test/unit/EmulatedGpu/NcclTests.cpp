//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulated NCCL between threads of one process, each a rank: what its
// collectives give, which errors end them, and that a graph holds them.
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

enum : int { kSuccess = 0, kInProgress = 7 };
enum : int { kInt8 = 0, kInt32 = 2, kFloat32 = 7, kBFloat16 = 9 };
enum : int { kSum = 0, kMax = 2 };

struct UniqueId {
  char bytes[128];
};
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21800;
  int blocking = 0;
};
using Comm = void *;
using Stream = void *;

template <class F> F *find(const char *name) {
  static void *library = [] {
    setenv("SHARDIR_EMULATED_CUDA", "unified", 1);
    return dlopen(SHARDIR_TEST_CUDA, RTLD_NOW);
  }();
  return reinterpret_cast<F *>(dlsym(library, name));
}
#define CALL(NAME, ...) find<int(__VA_ARGS__)>(#NAME)

/// Waits for what is under way, on the stream too.
int settle(int result, Comm comm, Stream stream = nullptr) {
  bool isIdle;
  do {
    isIdle = !stream || CALL(cuStreamQuery, Stream)(stream) == 0;
    while (result == kInProgress)
      if (CALL(ncclCommGetAsyncError, Comm, int *)(comm, &result) != kSuccess)
        return -1;
    if (result == kSuccess && !isIdle)
      result = kInProgress;
  } while (result == kInProgress);
  return result;
}

/// Runs the body as each of `size` ranks, on a communicator of all and a stream
/// of its own.
void asRanks(int size, const std::function<void(int, Comm, Stream)> &body) {
  UniqueId id;
  ASSERT_EQ(CALL(ncclGetUniqueId, UniqueId *)(&id), kSuccess);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      Config config;
      Comm comm = nullptr;
      int result = CALL(ncclCommInitRankConfig, Comm *, int, UniqueId, int,
                        Config *)(&comm, size, id, rank, &config);
      EXPECT_EQ(settle(result, comm), kSuccess);
      void *context = nullptr, *stream = nullptr;
      ASSERT_EQ(CALL(cuInit, unsigned)(0), 0);
      ASSERT_EQ(CALL(cuDevicePrimaryCtxRetain, void **, int)(&context, 0), 0);
      ASSERT_EQ(CALL(cuCtxSetCurrent, void *)(context), 0);
      ASSERT_EQ(CALL(cuStreamCreate, void **, unsigned)(&stream, 1), 0);
      body(rank, comm, stream);
    });
  for (std::thread &thread : threads)
    thread.join();
}

using Reducing = int(const void *, void *, size_t, int, int, Comm, Stream);
using Rooted = int(const void *, void *, size_t, int, int, Comm, Stream);
using Gathering = int(const void *, void *, size_t, int, Comm, Stream);

TEST(EmulatedNccl, CollectivesGiveWhatTheirNamesSay) {
  asRanks(3, [](int rank, Comm comm, Stream stream) {
    std::vector<int> own = {rank, 10 * rank, -rank, 7, 1, rank * rank}, all(18);
    auto *gather = find<Gathering>("ncclAllGather");
    EXPECT_EQ(settle(gather(own.data(), all.data(), 6, kInt32, comm, stream),
                     comm, stream),
              kSuccess);
    for (int r = 0; r < 3; ++r)
      EXPECT_EQ(all[size_t(6 * r + 1)], 10 * r);
    // In place.
    auto *reduce = find<Reducing>("ncclAllReduce");
    std::vector<int> sum = own;
    EXPECT_EQ(
        settle(reduce(sum.data(), sum.data(), 6, kInt32, kSum, comm, stream),
               comm, stream),
        kSuccess);
    EXPECT_EQ(sum, (std::vector<int>{3, 30, -3, 21, 3, 5}));
    auto *scatter = find<Reducing>("ncclReduceScatter");
    std::vector<int> part(2);
    EXPECT_EQ(
        settle(scatter(own.data(), part.data(), 2, kInt32, kMax, comm, stream),
               comm, stream),
        kSuccess);
    std::vector<std::vector<int>> most = {{2, 20}, {0, 7}, {1, 4}};
    EXPECT_EQ(part, most[size_t(rank)]);
    auto *broadcast = find<Rooted>("ncclBroadcast");
    EXPECT_EQ(
        settle(broadcast(own.data(), part.data(), 2, kInt32, 2, comm, stream),
               comm, stream),
        kSuccess);
    EXPECT_EQ(part, (std::vector<int>{2, 20}));
  });
}

TEST(EmulatedNccl, ShortFloatsAreRoundedAfterEachTerm) {
  // 256 + 1 is 256 in bf16; in one sum of all three it would be 258.
  asRanks(3, [](int rank, Comm comm, Stream stream) {
    uint16_t term = rank == 2 ? 0x4380 : 0x3f80, sum = 0;
    EXPECT_EQ(settle(find<Reducing>("ncclAllReduce")(&term, &sum, 1, kBFloat16,
                                                     kSum, comm, stream),
                     comm, stream),
              kSuccess);
    EXPECT_EQ(sum, 0x4380);
  });
}

TEST(EmulatedNccl, SplitsByColorInTheOrderOfKeys) {
  asRanks(4, [](int rank, Comm comm, Stream stream) {
    Config config;
    Comm part = nullptr;
    // Rank 3 is in none; the others in the order 2, 1, 0.
    int color = rank == 3 ? -1 : 5;
    int result = CALL(ncclCommSplit, Comm, int, int, Comm *,
                      Config *)(comm, color, -rank, &part, &config);
    EXPECT_EQ(settle(result, comm), kSuccess);
    EXPECT_EQ(part == nullptr, rank == 3);
    if (!part)
      return;
    EXPECT_EQ(settle(kInProgress, part), kSuccess);
    std::vector<int> all(3);
    EXPECT_EQ(settle(find<Gathering>("ncclAllGather")(&rank, all.data(), 1,
                                                      kInt32, part, stream),
                     part, stream),
              kSuccess);
    EXPECT_EQ(all, (std::vector<int>{2, 1, 0}));
  });
}

TEST(EmulatedNccl, AnotherCallOrSizeIsAnError) {
  asRanks(2, [](int rank, Comm comm, Stream stream) {
    std::vector<int> in(4), out(8);
    int result =
        rank == 0 ? find<Reducing>("ncclAllReduce")(in.data(), out.data(), 4,
                                                    kInt32, kSum, comm, stream)
                  : find<Gathering>("ncclAllGather")(in.data(), out.data(), 4,
                                                     kInt32, comm, stream);
    EXPECT_NE(settle(result, comm, stream), kSuccess);
  });
  asRanks(2, [](int rank, Comm comm, Stream stream) {
    std::vector<int> in(4), out(4);
    EXPECT_NE(settle(find<Reducing>("ncclAllReduce")(in.data(), out.data(),
                                                     size_t(3 + rank), kInt32,
                                                     kSum, comm, stream),
                     comm, stream),
              kSuccess);
  });
}

TEST(EmulatedNccl, AnAbortEndsAHang) {
  asRanks(2, [](int rank, Comm comm, Stream stream) {
    if (rank == 1)
      return; // it never comes
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(CALL(ncclCommAbort, Comm)(comm), kSuccess);
    });
    int one = 1, sum = 0;
    EXPECT_EQ(settle(find<Reducing>("ncclAllReduce")(&one, &sum, 1, kInt32,
                                                     kSum, comm, stream),
                     comm),
              kSuccess);
    EXPECT_NE(CALL(cuStreamQuery, Stream)(stream), 0);
    other.join();
    EXPECT_EQ(CALL(cuStreamQuery, Stream)(stream), 0);
  });
}

TEST(EmulatedNccl, RegistrationsAreChecked) {
  asRanks(2, [](int, Comm comm, Stream) {
    auto *allocate = CALL(ncclMemAlloc, void **, size_t);
    auto *release = CALL(ncclMemFree, void *);
    auto *add = CALL(ncclCommRegister, Comm, void *, size_t, void **);
    auto *remove = CALL(ncclCommDeregister, Comm, void *);
    void *block = nullptr, *other = nullptr, *handle = nullptr;
    ASSERT_EQ(allocate(&block, 4096), kSuccess);
    ASSERT_EQ(allocate(&other, 4096), kSuccess);
    EXPECT_EQ(add(comm, block, 4096, &handle), kSuccess);
    EXPECT_NE(release(block), kSuccess);
    EXPECT_EQ(remove(comm, handle), kSuccess);
    EXPECT_EQ(release(block), kSuccess);
    EXPECT_NE(release(block), kSuccess);
    EXPECT_NE(remove(comm, handle), kSuccess); // twice
    EXPECT_EQ(CALL(ncclCommAbort, Comm)(comm), kSuccess);
    EXPECT_NE(add(comm, other, 4096, &handle), kSuccess);
    EXPECT_EQ(release(other), kSuccess);
  });
  asRanks(2, [](int, Comm comm, Stream) {
    void *block = nullptr, *handle = nullptr;
    ASSERT_EQ((CALL(ncclMemAlloc, void **, size_t)(&block, 4096)), kSuccess);
    EXPECT_NE((CALL(ncclCommRegister, Comm, void *, size_t,
                    void **)(comm, block, 4097, &handle)),
              kSuccess);
  });
}

TEST(EmulatedNccl, AGraphHoldsACollective) {
  asRanks(2, [](int rank, Comm comm, Stream stream) {
    void *graph = nullptr, *runnable = nullptr;
    float term = 1, sum = 0;
    ASSERT_EQ(CALL(cuStreamBeginCapture_v2, void *, int)(stream, 2), 0);
    EXPECT_EQ(settle(find<Reducing>("ncclAllReduce")(&term, &sum, 1, kFloat32,
                                                     kSum, comm, stream),
                     comm),
              kSuccess);
    ASSERT_EQ(CALL(cuStreamEndCapture, void *, void **)(stream, &graph), 0);
    EXPECT_EQ(sum, 0.0f);
    ASSERT_EQ(CALL(cuGraphInstantiateWithFlags, void **, void *,
                   unsigned long long)(&runnable, graph, 0),
              0);
    for (float value : {1.5f, 4.0f}) {
      term = value + float(rank);
      ASSERT_EQ(CALL(cuGraphLaunch, void *, void *)(runnable, stream), 0);
      ASSERT_EQ(CALL(cuStreamSynchronize, void *)(stream), 0);
      EXPECT_EQ(sum, 2 * value + 1);
    }
  });
}

TEST(EmulatedNccl, AGraphsLaunchWaitsForNoPeer) {
  asRanks(2, [](int rank, Comm comm, Stream stream) {
    void *graph = nullptr, *runnable = nullptr;
    float term = float(1 + rank), sum = 0;
    ASSERT_EQ(CALL(cuStreamBeginCapture_v2, void *, int)(stream, 2), 0);
    EXPECT_EQ(settle(find<Reducing>("ncclAllReduce")(&term, &sum, 1, kFloat32,
                                                     kSum, comm, stream),
                     comm),
              kSuccess);
    ASSERT_EQ(CALL(cuStreamEndCapture, void *, void **)(stream, &graph), 0);
    ASSERT_EQ(CALL(cuGraphInstantiateWithFlags, void **, void *,
                   unsigned long long)(&runnable, graph, 0),
              0);
    auto begin = std::chrono::steady_clock::now();
    if (rank == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
    ASSERT_EQ(CALL(cuGraphLaunch, void *, void *)(runnable, stream), 0);
    if (rank == 0) {
      EXPECT_LT(std::chrono::steady_clock::now() - begin,
                std::chrono::milliseconds(200));
      EXPECT_NE(CALL(cuStreamQuery, Stream)(stream), 0);
    }
    // Its nodes stay until it has ended.
    ASSERT_EQ(CALL(cuGraphExecDestroy, void *)(runnable), 0);
    ASSERT_EQ(CALL(cuGraphDestroy, void *)(graph), 0);
    ASSERT_EQ(CALL(cuStreamSynchronize, void *)(stream), 0);
    EXPECT_EQ(sum, 3.0f);
  });
}

TEST(EmulatedDriver, StreamsJoinACapture) {
  asRanks(1, [](int, Comm, Stream stream) {
    auto *record = CALL(cuEventRecord, void *, void *);
    auto *await = CALL(cuStreamWaitEvent, void *, void *, unsigned);
    auto *fill = CALL(cuMemsetD8Async, unsigned long long, unsigned char,
                      size_t, void *);
    void *other = nullptr, *there = nullptr, *back = nullptr;
    ASSERT_EQ((CALL(cuStreamCreate, void **, unsigned)(&other, 1)), 0);
    ASSERT_EQ((CALL(cuEventCreate, void **, unsigned)(&there, 0)), 0);
    ASSERT_EQ((CALL(cuEventCreate, void **, unsigned)(&back, 0)), 0);
    unsigned char bytes[2] = {};
    auto at = [&](int i) {
      return (unsigned long long)reinterpret_cast<uintptr_t>(&bytes[i]);
    };
    for (bool isJoined : {true, false}) {
      void *graph = nullptr;
      ASSERT_EQ(CALL(cuStreamBeginCapture_v2, void *, int)(stream, 2), 0);
      EXPECT_EQ(record(there, stream), 0);
      EXPECT_EQ(await(other, there, 0), 0);
      EXPECT_EQ(fill(at(0), 7, 1, other), 0);
      EXPECT_NE(CALL(cuEventQuery, void *)(there), 0);
      EXPECT_EQ(record(back, other), 0);
      if (isJoined)
        EXPECT_EQ(await(stream, back, 0), 0);
      EXPECT_EQ(fill(at(1), 9, 1, stream), 0);
      EXPECT_EQ(CALL(cuStreamEndCapture, void *, void **)(stream, &graph),
                isJoined ? 0 : 904);
      EXPECT_EQ(bytes[0], 0);
      if (!isJoined)
        break;
      void *runnable = nullptr;
      ASSERT_EQ(CALL(cuGraphInstantiateWithFlags, void **, void *,
                     unsigned long long)(&runnable, graph, 0),
                0);
      ASSERT_EQ(CALL(cuGraphLaunch, void *, void *)(runnable, stream), 0);
      ASSERT_EQ(CALL(cuStreamSynchronize, void *)(stream), 0);
      EXPECT_EQ(bytes[0], 7);
      EXPECT_EQ(bytes[1], 9);
      bytes[0] = 0;
    }
  });
}

} // namespace
