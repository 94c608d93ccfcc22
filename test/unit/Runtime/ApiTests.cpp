//===- ApiTests.cpp - The C API, end to end -------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads Program.c as an embedder would and runs each of its entries. Requires
// the paths SHARDIR_TEST_PROGRAM and SHARDIR_TEST_NOT_A_PROGRAM; inputs differ
// from rank to rank and the sharded dim is uneven, so that a shard in the wrong
// place shows.
//
//===----------------------------------------------------------------------===//

#include "FloatArray.h"

#include "ShardIR/Runtime/ShardIR.h"
#include "ShardIR/Runtime/Trace.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

using testing::HasSubstr;

namespace {

using Array = FloatArray;

class ApiTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(shardir_program_load(SHARDIR_TEST_PROGRAM, &program), SHARDIR_OK)
        << shardir_last_error();
  }
  void TearDown() override { shardir_program_free(program); }

  shardir_status run(const char *function, std::vector<Array *> arguments,
                     std::vector<Array *> results, double timeout = 0,
                     int unsharded = 0) {
    std::vector<shardir_buffer> in, out;
    for (Array *a : arguments)
      in.push_back(a->buffer());
    for (Array *a : results)
      out.push_back(a->buffer());
    shardir_run_options options = {nullptr, timeout, unsharded,
                                   threads, nullptr, nullptr};
    return shardir_run(program, function, in.data(), in.size(), out.data(),
                       out.size(), &options);
  }

  shardir_program *program = nullptr;
  int threads = 1;
};

TEST_F(ApiTest, Signature) {
  EXPECT_EQ(shardir_program_num_ranks(program), 2);
  EXPECT_EQ(shardir_program_num_functions(program), 15u);
  EXPECT_STREQ(shardir_program_function_name(program, 1), "total");
  EXPECT_EQ(shardir_program_function_name(program, 15), nullptr);
  EXPECT_THAT(shardir_program_metadata_json(program), HasSubstr("c0ffee"));
  EXPECT_STREQ(shardir_program_collective_text(program, 1),
               "all_reduce of f32 4 (reduce.mlir:3:4)");
  EXPECT_EQ(shardir_program_collective_text(program, 2), nullptr);

  size_t n = 0;
  EXPECT_EQ(shardir_function_num_arguments(program, "gather", &n), SHARDIR_OK);
  EXPECT_EQ(n, 1u);
  EXPECT_EQ(shardir_function_num_results(program, "rank", &n), SHARDIR_OK);
  EXPECT_EQ(n, 1u);
  shardir_tensor_info info;
  ASSERT_EQ(shardir_function_argument(program, "gather", 0, &info), SHARDIR_OK);
  EXPECT_EQ(info.element_type, SHARDIR_F32);
  ASSERT_EQ(info.rank, 2u);
  EXPECT_EQ(info.shape[0], 5);
  EXPECT_EQ(info.shape[1], -1);
  EXPECT_STREQ(info.placement, "#shardir.placement<@m, [{\"x\"}, {}]>");

  int64_t shape[2];
  ASSERT_EQ(shardir_argument_local_shape(program, "gather", 0, 1, shape),
            SHARDIR_OK);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[1], -1);
  ASSERT_EQ(shardir_result_local_shape(program, "gather", 0, 1, shape),
            SHARDIR_OK);
  EXPECT_EQ(shape[0], 5);
}

TEST_F(ApiTest, WrongQueries) {
  size_t n;
  shardir_tensor_info info;
  int64_t shape[2];
  EXPECT_EQ(shardir_function_num_arguments(program, "nothing", &n),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(), HasSubstr("@nothing"));
  EXPECT_THAT(shardir_last_error(), HasSubstr("@gather, @total"));
  EXPECT_EQ(shardir_function_num_arguments(program, nullptr, &n),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_EQ(shardir_function_num_arguments(nullptr, "gather", &n),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_EQ(shardir_function_num_arguments(program, "gather", nullptr),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_EQ(shardir_function_result(program, "gather", 1, &info),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_EQ(shardir_argument_local_shape(program, "gather", 0, 2, shape),
            SHARDIR_INVALID_ARGUMENT);
  shardir_measurement m;
  EXPECT_EQ(shardir_last_measurement(program, &m), SHARDIR_INVALID_ARGUMENT);
}

TEST_F(ApiTest, GatherOfUnevenAndUnknownExtents) {
  for (int64_t columns : {4, 7, 0, 1}) {
    Array a({5, columns}), r({5, columns});
    a.iota();
    ASSERT_EQ(run("gather", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
    for (size_t i = 0; i < r.data.size(); ++i)
      EXPECT_EQ(r.data[i], 2.0f * float(i + 1)) << i << " of " << columns;
    shardir_measurement m;
    ASSERT_EQ(shardir_last_measurement(program, &m), SHARDIR_OK);
    // Rank 1 has 2 of 5 rows and receives 3.
    EXPECT_EQ(m.bytes_per_device, 3 * columns * 4);
    // Rank 0: 3 rows, as many doubled, and the result.
    EXPECT_EQ(m.peak_bytes_per_device, (3 + 3 + 5) * columns * 4);
    EXPECT_GE(m.milliseconds, 0);
  }
}

TEST_F(ApiTest, Unsharded) {
  Array a({5, 3}), r({5, 3});
  a.iota();
  Array before = a;
  ASSERT_EQ(run("gather", {&a}, {&r}, 0, /*unsharded=*/1), SHARDIR_OK)
      << shardir_last_error();
  EXPECT_EQ(r.data[14], 30);
  EXPECT_EQ(a.data, before.data);
  EXPECT_EQ(run("rank", {}, {&r}, 0, /*unsharded=*/1),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(), HasSubstr("--verify"));
}

TEST_F(ApiTest, PartialArgumentAndResult) {
  Array a({4}), r({4});
  a.iota();
  ASSERT_EQ(run("total", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  // The array lies on the first device alone; the terms 1 and 2 are added.
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(r.data[i], a.data[i] + 3);
}

TEST_F(ApiTest, CopiesToTheHost) {
  Array a({4}), r({4});
  a.iota();
  ASSERT_EQ(run("offload", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  EXPECT_EQ(r.data, a.data);
  shardir_measurement m;
  ASSERT_EQ(shardir_last_measurement(program, &m), SHARDIR_OK);
  EXPECT_EQ(m.peak_bytes_per_device, 2 * 4 * 4); // what is on the host is not
}

TEST_F(ApiTest, RanksAndMissingMeshes) {
  Array r({2});
  ASSERT_EQ(run("rank", {}, {&r}), SHARDIR_OK) << shardir_last_error();
  EXPECT_EQ(r.data[0], -100);
  EXPECT_EQ(r.data[1], 10 - 100);
}

TEST_F(ApiTest, ParallelLoop) {
  Array r({2});
  for (int n : {1, 2, 3}) {
    threads = n;
    for (int repeat = 0; repeat < 50; ++repeat) {
      ASSERT_EQ(run("parallel", {}, {&r}), SHARDIR_OK) << shardir_last_error();
      EXPECT_EQ(r.data[0], 328350);
      EXPECT_EQ(r.data[1], 328350);
    }
  }
}

TEST_F(ApiTest, StridedCopy) {
  Array a({4, 6}), r({6, 4});
  a.iota();
  ASSERT_EQ(run("transpose", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(r.data[size_t(i * 4 + j)], float(j * 6 + i + 1));
}

TEST_F(ApiTest, RunOnShards) {
  Array a0({3, 2}), a1({2, 2}), r0({5, 2}), r1({5, 2});
  a0.iota(), a1.iota();
  shardir_buffer in[] = {a0.buffer(), a1.buffer()};
  shardir_buffer out[] = {r0.buffer(), r1.buffer()};
  ASSERT_EQ(shardir_run_local(program, "gather", in, 1, out, 1, nullptr),
            SHARDIR_OK)
      << shardir_last_error();
  EXPECT_EQ(r0.data, r1.data);
  EXPECT_EQ(r1.data, (std::vector<float>{2, 4, 6, 8, 10, 12, 2, 4, 6, 8}));
  shardir_measurement m;
  ASSERT_EQ(shardir_last_measurement(program, &m), SHARDIR_OK);
  EXPECT_EQ(m.peak_bytes_per_device, (6 + 6 + 10) * 4);
  void *data = in[1].data;
  in[1].data = static_cast<char *>(data) + 1;
  EXPECT_EQ(shardir_run_local(program, "gather", in, 1, out, 1, nullptr),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(),
              HasSubstr("argument 0 of @gather on rank 1 begins 1 bytes behind "
                        "a multiple of 4 bytes"));
  in[1].data = data;
  std::swap(in[0], in[1]);
  EXPECT_EQ(shardir_run_local(program, "gather", in, 1, out, 1, nullptr),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(),
              HasSubstr("argument 0 of @gather on rank 0 has extent 2 in dim "
                        "0, expected 3"));
}

TEST_F(ApiTest, DonatedArguments) {
  Array a0({3}), a1({2}), b0({3}), b1({2}), n0({}), n1({});
  a0.iota(), a1.iota(), b0.iota(), b1.iota();
  // By rank: the donated shard is the memory of the result, whatever the order
  // of arguments and results.
  shardir_buffer in[] = {a0.buffer(), b0.buffer(), a1.buffer(), b1.buffer()};
  shardir_buffer out[] = {n0.buffer(), a0.buffer(), n1.buffer(), a1.buffer()};
  auto status = [&] {
    return shardir_run_local(program, "update", in, 2, out, 2, nullptr);
  };
  // Run after run, as an optimizer's state.
  for (int step = 0; step < 2; ++step)
    ASSERT_EQ(status(), SHARDIR_OK) << shardir_last_error();
  EXPECT_EQ(a0.data, (std::vector<float>{3, 6, 9}));
  EXPECT_EQ(a1.data, (std::vector<float>{3, 6}));
  EXPECT_EQ(b0.data, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(n0.data[0], 3);
  EXPECT_EQ(n1.data[0], 2);
  shardir_measurement m;
  ASSERT_EQ(shardir_last_measurement(program, &m), SHARDIR_OK);
  EXPECT_EQ(m.peak_bytes_per_device, (3 + 3 + 1) * 4); // once

  // Memory of its own, or another rank's, is refused before anything is
  // written.
  Array other({2});
  for (void *data : {static_cast<void *>(other.data.data()), in[0].data}) {
    out[3].data = data;
    EXPECT_EQ(status(), SHARDIR_INVALID_ARGUMENT);
    EXPECT_THAT(shardir_last_error(),
                HasSubstr("result 1 of @update is written into argument 0: "
                          "give it the same data"));
  }
  EXPECT_EQ(a0.data, (std::vector<float>{3, 6, 9}));

  // Whole arrays are the caller's: the shards that are donated are copies.
  Array a({5}), b({5}), n({}), r({5});
  a.iota(), b.iota();
  ASSERT_EQ(run("update", {&a, &b}, {&n, &r}), SHARDIR_OK)
      << shardir_last_error();
  EXPECT_EQ(r.data, (std::vector<float>{2, 4, 6, 8, 10}));
  EXPECT_EQ(a.data, (std::vector<float>{1, 2, 3, 4, 5}));
}

TEST_F(ApiTest, WrongBuffers) {
  Array good({5, 3}), rows({6, 3}), rank({15});
  EXPECT_EQ(run("gather", {}, {&good}), SHARDIR_INVALID_ARGUMENT);
  EXPECT_EQ(run("gather", {&good}, {&rows}), SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(), HasSubstr("result 0 of @gather"));
  EXPECT_EQ(run("gather", {&rank}, {&good}), SHARDIR_INVALID_ARGUMENT);
  shardir_buffer in = good.buffer(), out = good.buffer();
  auto status = [&] {
    return shardir_run(program, "gather", &in, 1, &out, 1, nullptr);
  };
  in.element_type = SHARDIR_I32;
  EXPECT_EQ(status(), SHARDIR_INVALID_ARGUMENT);
  in.element_type = shardir_element_type(15);
  EXPECT_EQ(status(), SHARDIR_INVALID_ARGUMENT);
  in = good.buffer();
  in.data = nullptr;
  EXPECT_EQ(status(), SHARDIR_INVALID_ARGUMENT);
  int64_t huge[2] = {5, INT64_MAX / 4}, negative[2] = {5, -1};
  in = good.buffer();
  in.shape = huge;
  EXPECT_EQ(status(), SHARDIR_INVALID_ARGUMENT);
  in.shape = negative;
  EXPECT_EQ(status(), SHARDIR_INVALID_ARGUMENT);
  EXPECT_EQ(shardir_run(program, "gather", nullptr, 1, &out, 1, nullptr),
            SHARDIR_INVALID_ARGUMENT);
  shardir_run_options options = {"abacus", 0, 0, 0, nullptr, nullptr};
  in = good.buffer();
  EXPECT_EQ(shardir_run(program, "gather", &in, 1, &out, 1, &options),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(), HasSubstr("'abacus'"));
  options = {nullptr, -1, 0, 0, nullptr, nullptr};
  EXPECT_EQ(shardir_run(program, "gather", &in, 1, &out, 1, &options),
            SHARDIR_INVALID_ARGUMENT);
  options = {nullptr, 0, 0, 0, "fast", nullptr};
  EXPECT_EQ(shardir_run(program, "gather", &in, 1, &out, 1, &options),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(
      shardir_last_error(),
      HasSubstr("reductions must be 'engine' or 'ordered', not 'fast'"));
  EXPECT_EQ(shardir_set_stream(program, &in), SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(),
              HasSubstr("a stream is for programs for GPUs"));
  EXPECT_EQ(shardir_set_stream(program, nullptr), SHARDIR_OK);
}

TEST_F(ApiTest, FailingRank) {
  EXPECT_EQ(run("fail", {}, {}), SHARDIR_RANK_FAILED);
  std::string error = shardir_last_error();
  EXPECT_THAT(error, HasSubstr("rank 1 failed: index 9 is out of bounds"));
  EXPECT_THAT(error, HasSubstr("after all_reduce of f32 4 (reduce.mlir:3:4)"));
  EXPECT_THAT(error, HasSubstr("  rank 0: "));
  // The program is as good as before.
  Array r({2});
  EXPECT_EQ(run("rank", {}, {&r}), SHARDIR_OK) << shardir_last_error();
}

TEST_F(ApiTest, MismatchedCollectives) {
  EXPECT_EQ(run("mismatch", {}, {}), SHARDIR_RANK_FAILED);
  std::string error = shardir_last_error();
  EXPECT_THAT(error, HasSubstr("mismatch"));
  EXPECT_THAT(error, HasSubstr("rank 0"));
  EXPECT_THAT(error, HasSubstr("rank 1"));
  EXPECT_THAT(error, HasSubstr("gather.mlir:1:2"));
  EXPECT_THAT(error, HasSubstr("reduce.mlir:3:4"));
}

TEST_F(ApiTest, RankThatFinishesEarly) {
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run("early", {}, {}), SHARDIR_RANK_FAILED);
  EXPECT_THAT(shardir_last_error(),
              HasSubstr("rank 1 is in all_reduce of f32 4 (reduce.mlir:3:4), "
                        "but rank 0 has finished without it"));
  // Seen at once, not after the deadline.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST_F(ApiTest, HangingRank) {
  EXPECT_EQ(run("hang", {}, {}, /*timeout=*/1), SHARDIR_RANK_FAILED);
  EXPECT_THAT(shardir_last_error(), HasSubstr("no progress for 1 s"));
  EXPECT_THAT(shardir_last_error(),
              HasSubstr("rank 1 is in compute before its first collective"));
  // The stuck rank keeps the program loaded; let it go, for leak checkers.
  void *handle = dlopen(SHARDIR_TEST_PROGRAM, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(handle, nullptr);
  auto *stop = static_cast<int *>(dlsym(handle, "stop_hanging"));
  auto *hanging = static_cast<int *>(dlsym(handle, "still_hanging"));
  ASSERT_TRUE(stop && hanging);
  EXPECT_EQ(__atomic_load_n(hanging, __ATOMIC_ACQUIRE), 1);
  __atomic_store_n(stop, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(hanging, __ATOMIC_ACQUIRE))
    std::this_thread::yield();
  __atomic_store_n(stop, 0, __ATOMIC_RELEASE);
  dlclose(handle);
  Array r({2});
  EXPECT_EQ(run("rank", {}, {&r}), SHARDIR_OK) << shardir_last_error();
}

TEST_F(ApiTest, FailureInsideParallelLoop) {
  for (int n : {1, 2, 3}) {
    threads = n;
    EXPECT_EQ(run("parallel_fail", {}, {}), SHARDIR_RANK_FAILED);
    EXPECT_THAT(shardir_last_error(), HasSubstr("iteration 37 cannot go on"));
  }
}

TEST_F(ApiTest, FailureReturnsMemory) {
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(run("leak", {}, {}), SHARDIR_RANK_FAILED);
  Array r({2});
  EXPECT_EQ(run("rank", {}, {&r}), SHARDIR_OK) << shardir_last_error();
  shardir_measurement m;
  ASSERT_EQ(shardir_last_measurement(program, &m), SHARDIR_OK);
  EXPECT_EQ(m.peak_bytes_per_device, 4);
}

TEST_F(ApiTest, Trace) {
  shardir_program_set_trace(program, 1);
  Array a({5, 3}), r({5, 3});
  ASSERT_EQ(run("gather", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  const shardir_trace_event *events;
  size_t n;
  ASSERT_EQ(shardir_last_trace(program, &events, &n), SHARDIR_OK);
  ASSERT_EQ(n, 4u); // the entry and its collective, on two ranks
  for (size_t i = 0; i < n; ++i) {
    EXPECT_EQ(events[i].rank, int32_t(i / 2));
    EXPECT_EQ(events[i].collective, i % 2 ? 0 : -1);
    EXPECT_LE(events[i].start, events[i].ready);
    EXPECT_LE(events[i].ready, events[i].end);
  }
  EXPECT_EQ(events[3].bytes, 3 * 3 * 4);
}

TEST_F(ApiTest, RunsSideBySide) {
  std::vector<std::thread> threads;
  std::vector<Array> results(4, Array({5, 8}));
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        Array a({5, 8});
        a.iota();
        ASSERT_EQ(run("gather", {&a}, {&results[t]}), SHARDIR_OK);
      }
    });
  for (std::thread &t : threads)
    t.join();
  for (Array &r : results)
    EXPECT_EQ(r.data[39], 80);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&         \
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST_F(ApiTest, Signals) {
  shardir_catch_signals();
  EXPECT_EQ(run("divide", {}, {}), SHARDIR_RANK_FAILED);
  EXPECT_THAT(shardir_last_error(),
              HasSubstr("rank 1 was stopped by signal 8"));
  EXPECT_EQ(run("overflow", {}, {}), SHARDIR_RANK_FAILED);
  EXPECT_THAT(shardir_last_error(),
              HasSubstr("rank 0 was stopped by signal 11"));
  Array r({2});
  EXPECT_EQ(run("rank", {}, {&r}), SHARDIR_OK) << shardir_last_error();
}
#endif

TEST(ApiLoad, WrongFiles) {
  shardir_program *program = reinterpret_cast<shardir_program *>(1);
  EXPECT_EQ(shardir_program_load("/does/not/exist.so", &program),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_EQ(program, nullptr);
  EXPECT_EQ(shardir_program_load(nullptr, &program), SHARDIR_INVALID_ARGUMENT);
  EXPECT_EQ(shardir_program_load("/", &program), SHARDIR_BAD_PROGRAM);
  EXPECT_EQ(shardir_program_load("/proc/self/exe", &program),
            SHARDIR_BAD_PROGRAM);
  EXPECT_EQ(shardir_program_load(SHARDIR_TEST_NOT_A_PROGRAM, &program),
            SHARDIR_BAD_PROGRAM);
  EXPECT_THAT(shardir_last_error(), HasSubstr("shardir_program_metadata"));
  shardir_program_free(nullptr);
}

TEST(ApiLoad, DamagedFiles) {
  std::ifstream in(SHARDIR_TEST_PROGRAM, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::string path = testing::TempDir() + "shardir_damaged_program.so";
  auto load = [&](const std::string &contents) {
    std::ofstream(path, std::ios::binary) << contents;
    shardir_program *program = nullptr;
    shardir_status status = shardir_program_load(path.c_str(), &program);
    shardir_program_free(program);
    std::remove(path.c_str());
    return status;
  };
  for (size_t size : {size_t(0), size_t(3), size_t(40), size_t(64), size_t(300),
                      bytes.size() / 3})
    EXPECT_EQ(load(bytes.substr(0, size)), SHARDIR_BAD_PROGRAM) << size;
  std::string wrong = bytes;
  size_t abi = wrong.find("\"abi\": 1");
  ASSERT_NE(abi, std::string::npos);
  wrong[abi + 7] = '2';
  EXPECT_EQ(load(wrong), SHARDIR_BAD_PROGRAM);
  EXPECT_THAT(shardir_last_error(), HasSubstr("ABI version 2"));
  wrong = bytes;
  wrong.replace(wrong.find("entry_total"), 11, "entry_tutal");
  EXPECT_EQ(load(wrong), SHARDIR_BAD_PROGRAM);
  EXPECT_EQ(load("#!/bin/sh\nexit 0\n"), SHARDIR_BAD_PROGRAM);
  EXPECT_EQ(load(bytes), SHARDIR_OK) << shardir_last_error();
}

TEST(ApiElementTypes, Sizes) {
  EXPECT_EQ(shardir_element_size(SHARDIR_I1), 1u);
  EXPECT_EQ(shardir_element_size(SHARDIR_BF16), 2u);
  EXPECT_EQ(shardir_element_size(SHARDIR_INDEX), 8u);
  EXPECT_EQ(shardir_element_size(SHARDIR_F8E5M2), 1u);
  EXPECT_EQ(shardir_element_size(shardir_element_type(15)), 0u);
}

/// Runs of a shard, as the runtime hands them out.
struct Runs {
  const float *shard;
  std::vector<std::vector<int64_t>> seen; ///< first, place in the shard, count
  bool refuses = false;
  static int see(void *context, void *data, int64_t first, int64_t count) {
    auto &runs = *static_cast<Runs *>(context);
    auto *at = static_cast<float *>(data);
    runs.seen.push_back({first, at - runs.shard, count});
    for (int64_t k = 0; k < count; ++k)
      at[k] = float(first + k);
    return runs.refuses;
  }
};

TEST_F(ApiTest, ShardsOfArraysThatAreElsewhere) {
  using List = std::vector<std::vector<int64_t>>;
  const int64_t whole[] = {5, 3};
  // Rows 3 and 4 are one run.
  Array shard({2, 3});
  Runs runs{shard.data.data(), {}};
  shardir_buffer buffer = shard.buffer();
  ASSERT_EQ(shardir_read_argument(program, "gather", 0, whole, 1, &buffer,
                                  Runs::see, &runs),
            SHARDIR_OK)
      << shardir_last_error();
  EXPECT_EQ(runs.seen, (List{{9, 0, 6}}));
  EXPECT_EQ(shard.data, (std::vector<float>{9, 10, 11, 12, 13, 14}));
  runs.refuses = true;
  EXPECT_EQ(shardir_read_argument(program, "gather", 0, whole, 1, &buffer,
                                  Runs::see, &runs),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(),
              HasSubstr("the caller has ended the move of argument 0"));
  EXPECT_EQ(shardir_read_argument(program, "gather", 0, whole, 0, &buffer,
                                  Runs::see, &runs),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(), HasSubstr("is 2x3, expected 3x3"));

  // Of a replicated result the first rank writes all.
  Array result({5, 3});
  buffer = result.buffer();
  for (int64_t rank : {0, 1}) {
    Runs written{result.data.data(), {}};
    EXPECT_EQ(shardir_write_result(program, "gather", 0, whole, rank, &buffer,
                                   Runs::see, &written),
              SHARDIR_OK);
    EXPECT_EQ(written.seen, rank == 0 ? (List{{0, 0, 15}}) : List{});
  }

  // The second term of a partial argument is nobody's; a partial result cannot
  // be written by one rank.
  const int64_t four[] = {4};
  Array term({4});
  term.data.assign(4, 1.0f);
  buffer = term.buffer();
  Runs none{term.data.data(), {}};
  EXPECT_EQ(shardir_read_argument(program, "total", 0, four, 1, &buffer,
                                  Runs::see, &none),
            SHARDIR_OK);
  EXPECT_EQ(none.seen, List{});
  EXPECT_EQ(term.data, std::vector<float>(4, 0.0f));
  EXPECT_EQ(shardir_write_result(program, "total", 0, four, 0, &buffer,
                                 Runs::see, &none),
            SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(), HasSubstr("result 0 of @total is partial"));
}

TEST_F(ApiTest, RunsBesideTheirHost) {
  // Four under way at once, with descriptions that are gone by then.
  constexpr size_t n = 4;
  std::vector<Array> in, out;
  std::vector<shardir_pending *> pending(n);
  for (size_t i = 0; i < n; ++i) {
    in.push_back(Array({5, int64_t(i) + 1}).iota());
    out.push_back(Array({5, int64_t(i) + 1}));
  }
  for (size_t i = 0; i < n; ++i) {
    std::vector<int64_t> shape = in[i].shape;
    std::string function = "gather";
    shardir_buffer a = {in[i].data.data(), shape.data(), 2, SHARDIR_F32};
    shardir_buffer b = {out[i].data.data(), shape.data(), 2, SHARDIR_F32};
    ASSERT_EQ(shardir_run_start(program, function.c_str(), &a, 1, &b, 1,
                                nullptr, &pending[i]),
              SHARDIR_OK);
    shape.assign(2, -7);
    function = "total!";
  }
  for (size_t i = n; i-- > 0;) {
    EXPECT_EQ(shardir_run_wait(pending[i]), SHARDIR_OK) << shardir_last_error();
    for (size_t k = 0; k < in[i].data.size(); ++k)
      EXPECT_EQ(out[i].data[k], 2 * in[i].data[k]);
  }
  // The error of a call is returned to the caller that waits for it.
  ASSERT_EQ(shardir_run_start(program, "gather", nullptr, 0, nullptr, 0,
                              nullptr, &pending[0]),
            SHARDIR_OK);
  while (!shardir_run_ended(pending[0]))
    std::this_thread::yield();
  EXPECT_EQ(shardir_run_wait(pending[0]), SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(), HasSubstr("takes 1 arguments, not 0"));
  EXPECT_EQ(shardir_run_wait(nullptr), SHARDIR_INVALID_ARGUMENT);
  // A run that hangs, and one after it.
  ASSERT_EQ(shardir_run_start(program, "hang", nullptr, 0, nullptr, 0, nullptr,
                              &pending[0]),
            SHARDIR_OK);
  EXPECT_FALSE(shardir_run_ended(pending[0]));
  shardir_run_abort(pending[0]);
  EXPECT_EQ(shardir_run_wait(pending[0]), SHARDIR_RANK_FAILED);
  EXPECT_THAT(shardir_last_error(), HasSubstr("the host has aborted the run"));
  EXPECT_EQ(run("gather", {&in[0]}, {&out[0]}), SHARDIR_OK);
}

} // namespace
