//===- GpuTests.cpp - Programs on an emulated GPU, end to end -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs GpuProgram.c through the C API with the device cuda-local. Requires the
// emulating driver at SHARDIR_TEST_CUDA; checks results, what was called on
// which stream with which sizes (by the driver's log), and every way to fail.
// A test runs with work done at once, and with copies put off until somebody
// waits for them.
//
//===----------------------------------------------------------------------===//

#include "GpuFixture.h"

#include "ShardIR/Runtime/Trace.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <sys/mman.h>

using testing::AllOf;
using testing::Contains;
using testing::ElementsAreArray;
using testing::HasSubstr;

namespace {

INSTANTIATE_TEST_SUITE_P(Orders, GpuTest, testing::Values("", "lazy"));

TEST_P(GpuTest, GathersUnevenShards) {
  for (int64_t n : {1, 3, 1000, 0}) {
    Array a({5, n}), r({5, n}), unsharded({5, n});
    a.iota();
    for (int again = 0; again < 3; ++again) {
      std::fill(r.data.begin(), r.data.end(), -1.0f);
      ASSERT_EQ(run("gather", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
      ASSERT_EQ(run("gather", {&a}, {&unsharded}, 0, "cuda-local", 1),
                SHARDIR_OK)
          << shardir_last_error();
      EXPECT_EQ(r.data, unsharded.data);
      for (size_t i = 0; i < r.data.size(); ++i)
        ASSERT_EQ(r.data[i], 2 * a.data[i]) << i;
    }
    shardir_measurement m;
    ASSERT_EQ(run("gather", {&a}, {&r}), SHARDIR_OK);
    ASSERT_EQ(shardir_last_measurement(program, &m), SHARDIR_OK);
    // Rank 1 has two rows and receives three; rank 0 holds three rows twice and
    // the result.
    EXPECT_EQ(m.bytes_per_device, 3 * n * 4);
    EXPECT_EQ(m.peak_bytes_per_device, (3 + 3 + 5) * n * 4);
  }
}

TEST_P(GpuTest, ReducesInPlace) {
  Array a({4, 3}), r({4, 3});
  a.iota();
  ASSERT_EQ(run("total", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  for (size_t i = 0; i < 12; ++i)
    EXPECT_EQ(r.data[i], 4 * a.data[i]);
}

TEST_P(GpuTest, CopiesStridedArrays) {
  Array a({4, 6}), r({6, 4});
  a.iota();
  for (const char *function : {"transpose", "columns"}) {
    std::fill(r.data.begin(), r.data.end(), -1.0f);
    ASSERT_EQ(run(function, {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
    for (size_t i = 0; i < 6; ++i)
      for (size_t j = 0; j < 4; ++j)
        EXPECT_EQ(r.data[i * 4 + j], a.data[j * 6 + i]) << function;
  }
}

TEST_P(GpuTest, HostDecidesByWhatTheGpuHolds) {
  Array a({1, 1}), r({1, 1});
  a.data[0] = 3;
  ASSERT_EQ(run("branch", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  EXPECT_EQ(r.data[0], 6);
  a.data[0] = -3;
  ASSERT_EQ(run("branch", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  EXPECT_EQ(r.data[0], 7);
}

TEST_P(GpuTest, ConstantsAreUploadedOnce) {
  startLog();
  Array r({2, 4});
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(run("constant", {}, {&r}), SHARDIR_OK) << shardir_last_error();
    EXPECT_THAT(r.data, ElementsAreArray({6, 2, 8, 2, 6, 2, 8, 2}));
  }
  EXPECT_EQ(countOf(readLog(), "cuMemcpyHtoDAsync"), 1u);
}

TEST_P(GpuTest, WhatIsWrittenIsEachRanksOwn) {
  Array r({2, 4});
  for (float factor = 4; factor < 32; factor *= 2) {
    ASSERT_EQ(run("counter", {}, {&r}), SHARDIR_OK) << shardir_last_error();
    for (size_t i = 0; i < 8; ++i)
      EXPECT_EQ(r.data[i], factor * float(i % 4 + 1)) << i;
  }
}

TEST_P(GpuTest, LaunchesInClusters) {
  Array a({4, 3}), r({4, 3});
  a.iota();
  startLog();
  ASSERT_EQ(run("clusters", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  for (size_t i = 0; i < 12; ++i)
    EXPECT_EQ(r.data[i], 2 * a.data[i]);
  EXPECT_THAT(readLog(), Contains(AllOf(HasSubstr("cuLaunchKernelEx"),
                                        HasSubstr("kernel=twice"),
                                        HasSubstr("cluster=2x1x1"))));
  expectFailure("odd_clusters",
                "cannot launch kernel twice (twice.mlir:9:9): cuLaunchKernelEx "
                "says CUDA_ERROR_INVALID_CLUSTER_SIZE (a grid of 3x1x1 blocks "
                "that clusters of 2x1x1 do not divide)");
}

TEST_P(GpuTest, FreesWhatIsStillRead) {
  Array a({1, 64}), r({1, 64});
  a.iota();
  ASSERT_EQ(run("reuse", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(r.data[i], 2048 * a.data[i]);
}

TEST_P(GpuTest, EachRankHasItsStream) {
  Array a({5, 2}), r({5, 2});
  a.iota();
  startLog();
  ASSERT_EQ(run("gather", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  std::vector<std::string> lines = readLog();
  // The first rank's rows are 24 bytes, the second's 16; each pulls both.
  std::set<std::string> streams;
  auto streamOf = [](const std::string &line) {
    return line.substr(line.find("stream="));
  };
  size_t pulls = 0;
  for (const std::string &line : lines) {
    EXPECT_THAT(line, testing::Not(HasSubstr("->"))); // no error
    if (line.find("kernel=twice") != std::string::npos) {
      EXPECT_THAT(line,
                  AllOf(HasSubstr("block=8x1x1"), HasSubstr("grid=1x1x1")));
      streams.insert(streamOf(line));
    }
    pulls += line.find("cuMemcpyDtoDAsync") == 0 &&
             (line.find("bytes=24") != std::string::npos ||
              line.find("bytes=16") != std::string::npos);
  }
  EXPECT_EQ(streams.size(), 2u);
  EXPECT_EQ(pulls, 4u);
  // On a rank's stream: its kernel, its event, the other's event, its copies,
  // its event, the other's.
  for (const std::string &stream : streams) {
    std::vector<std::string> calls;
    for (const std::string &line : lines)
      if (line.find("stream=") != std::string::npos && streamOf(line) == stream)
        calls.push_back(line.substr(0, line.find(' ')));
    auto at = std::find(calls.begin(), calls.end(), "cuLaunchKernel");
    ASSERT_NE(at, calls.end());
    std::vector<std::string> after(at, calls.end());
    std::vector<std::string> expected = {
        "cuLaunchKernel",    "cuEventRecord",     "cuStreamWaitEvent",
        "cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync", "cuEventRecord",
        "cuStreamWaitEvent"};
    ASSERT_GE(after.size(), expected.size());
    after.resize(expected.size());
    EXPECT_EQ(after, expected) << stream;
  }
}

TEST_P(GpuTest, CollectivesBesideOtherWork) {
  Array a({4, 3}), r({4, 3}), other({4, 3});
  a.iota();
  for (int turn = 0; turn < 3; ++turn) {
    if (turn == 2)
      startLog();
    ASSERT_EQ(run("beside", {&a}, {&r, &other}), SHARDIR_OK)
        << shardir_last_error();
    for (size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(r.data[i], 8 * a.data[i]);
      EXPECT_EQ(other.data[i], 2 * a.data[i]);
    }
  }
  // By stream, from the first launch on: what was queued in which order.
  std::map<std::string, std::vector<std::string>> calls;
  for (const std::string &line : readLog()) {
    size_t at = line.find("stream=");
    size_t kernel = line.find("kernel=");
    if (at == std::string::npos)
      continue;
    std::string call = line.substr(0, line.find(' '));
    if (kernel != std::string::npos)
      call = line.substr(kernel + 7, line.find(' ', kernel) - kernel - 7);
    std::vector<std::string> &list = calls[line.substr(at)];
    if (call == "twice" || call.find("shardir_reduce") == 0 ||
        call == "cuStreamWaitEvent")
      list.push_back(call);
  }
  using testing::ElementsAre;
  size_t own = 0, beside = 0, reductions = 0;
  for (auto &[stream, list] : calls) {
    if (list.empty())
      continue;
    if (std::find(list.begin(), list.end(), "twice") != list.end()) {
      // The second launch waits for nothing, the third for the collective.
      EXPECT_THAT(list,
                  ElementsAre("twice", "twice", "cuStreamWaitEvent", "twice"));
      ++own;
      continue;
    }
    // The rank's own stream, the other rank's operand, its part (of so few
    // elements the first rank's alone), the other's part.
    if (list.size() == 4) {
      EXPECT_EQ(list[2], "shardir_reduce_f32");
      list.erase(list.begin() + 2);
      ++reductions;
    }
    EXPECT_THAT(list, ElementsAre("cuStreamWaitEvent", "cuStreamWaitEvent",
                                  "cuStreamWaitEvent"));
    ++beside;
  }
  EXPECT_EQ(own, 2u);
  EXPECT_EQ(beside, 2u);
  EXPECT_EQ(reductions, 1u);
}

TEST_P(GpuTest, TracesOnTheGpusClock) {
  shardir_program_set_trace(program, 1);
  Array a({4, 3}), r({4, 3}), other({4, 3});
  a.iota();
  ASSERT_EQ(run("beside", {&a}, {&r, &other}), SHARDIR_OK)
      << shardir_last_error();
  const shardir_trace_event *events;
  size_t n;
  ASSERT_EQ(shardir_last_trace(program, &events, &n), SHARDIR_OK);
  ASSERT_EQ(n, 10u); // three kernels, a collective and the entry, on two ranks
  double ends[2] = {};
  for (size_t i = 0; i < n; ++i) {
    const shardir_trace_event &event = events[i];
    EXPECT_LE(event.start, event.end);
    if (event.kernel >= 0) {
      EXPECT_STREQ(shardir_program_kernel_text(program, size_t(event.kernel)),
                   "twice (twice.mlir:7:8)");
      EXPECT_EQ(event.stream, SHARDIR_TRACE_STREAM);
      EXPECT_GT(event.start, 0);
      EXPECT_GE(event.start, ends[event.rank]) << "in the stream's order";
      ends[event.rank] = event.end;
    } else if (event.collective >= 0) {
      EXPECT_EQ(event.stream, SHARDIR_TRACE_COLLECTIVES);
      EXPECT_GT(event.start, 0);
    } else {
      EXPECT_EQ(event.stream, SHARDIR_TRACE_HOST);
    }
  }
  EXPECT_EQ(shardir_program_kernel_text(program, 1000), nullptr);
  // One that nobody overlaps with is on the rank's stream.
  ASSERT_EQ(run("total", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  ASSERT_EQ(shardir_last_trace(program, &events, &n), SHARDIR_OK);
  ASSERT_EQ(n, 6u);
  for (size_t i = 0; i < n; ++i)
    EXPECT_NE(events[i].stream, SHARDIR_TRACE_COLLECTIVES);
}

TEST_P(GpuTest, TimesABenchmarkOnTheGpusClock) {
  shardir_program_set_benchmark(program, 1);
  Array a({4, 3}), r({4, 3}), other({4, 3});
  a.iota();
  for (int traced : {0, 1}) {
    shardir_program_set_trace(program, traced);
    startLog();
    ASSERT_EQ(run("beside", {&a}, {&r, &other}), SHARDIR_OK)
        << shardir_last_error();
    shardir_measurement m = {};
    ASSERT_EQ(shardir_last_measurement(program, &m), SHARDIR_OK);
    EXPECT_GT(m.milliseconds, 0);
    // On each of two ranks the cache is overwritten before the program, and
    // before each of its three kernels where these are timed, too.
    std::vector<std::string> lines = readLog();
    EXPECT_EQ(countOf(lines, "cuMemsetD8Async"), traced ? 8u : 2u);
    EXPECT_GE(countOf(lines, "cuEventElapsedTime"), traced ? 14u : 2u);
    // The next event behind that is where time begins to count.
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find("cuMemsetD8Async") != 0)
        continue;
      std::string stream = lines[i].substr(lines[i].find("stream="));
      auto next = std::find_if(lines.begin() + long(i) + 1, lines.end(),
                               [&](const std::string &line) {
                                 return line.find(stream) != std::string::npos;
                               });
      ASSERT_NE(next, lines.end());
      EXPECT_EQ(next->find("cuEventRecord"), 0u) << *next;
    }
  }
}

TEST_P(GpuTest, RunsOnShardsOfTheGpu) {
  // The caller's own device memory, as another library would allocate it.
  auto call = [](const char *name) { return dlsym(driver(), name); };
  auto alloc = reinterpret_cast<int (*)(unsigned long long *, size_t)>(
      call("cuMemAlloc_v2"));
  auto upload =
      reinterpret_cast<int (*)(unsigned long long, const void *, size_t,
                               void *)>(call("cuMemcpyHtoDAsync_v2"));
  auto download =
      reinterpret_cast<int (*)(void *, unsigned long long, size_t, void *)>(
          call("cuMemcpyDtoHAsync_v2"));
  auto wait = reinterpret_cast<int (*)(void *)>(call("cuStreamSynchronize"));
  auto retain =
      reinterpret_cast<int (*)(void **, int)>(call("cuDevicePrimaryCtxRetain"));
  auto use = reinterpret_cast<int (*)(void *)>(call("cuCtxSetCurrent"));
  auto release =
      reinterpret_cast<int (*)(unsigned long long)>(call("cuMemFree_v2"));
  Array a({5, 3}), r({5, 3});
  a.iota();
  ASSERT_EQ(run("gather", {&a}, {&r}), SHARDIR_OK); // starts the driver
  void *context = nullptr;
  ASSERT_EQ(retain(&context, 0), 0);
  ASSERT_EQ(use(context), 0);
  unsigned long long in[2], out[2];
  int64_t rows[2] = {3, 2}, inShapes[2][2] = {{3, 3}, {2, 3}};
  int64_t outShape[2] = {5, 3};
  std::vector<shardir_buffer> arguments, results;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(alloc(&in[i], size_t(rows[i] * 12)), 0);
    ASSERT_EQ(alloc(&out[i], 60), 0);
    ASSERT_EQ(
        upload(in[i], a.data.data() + 9 * i, size_t(rows[i] * 12), nullptr), 0);
    arguments.push_back(
        {reinterpret_cast<void *>(in[i]), inShapes[i], 2, SHARDIR_F32});
    results.push_back(
        {reinterpret_cast<void *>(out[i]), outShape, 2, SHARDIR_F32});
  }
  ASSERT_EQ(wait(nullptr), 0);
  shardir_run_options options = {"cuda-local", 0, 0, 1, nullptr, nullptr};
  ASSERT_EQ(shardir_run_local(program, "gather", arguments.data(), 1,
                              results.data(), 1, &options),
            SHARDIR_OK)
      << shardir_last_error();
  auto refused = [&](std::vector<shardir_buffer> &buffers, size_t bytes) {
    void *data = buffers[1].data;
    buffers[1].data = static_cast<char *>(data) + bytes;
    EXPECT_EQ(shardir_run_local(program, "gather", arguments.data(), 1,
                                results.data(), 1, &options),
              SHARDIR_INVALID_ARGUMENT);
    buffers[1].data = data;
    return std::string(shardir_last_error());
  };
  EXPECT_THAT(refused(arguments, 16),
              HasSubstr("argument 0 of @gather on rank 1 begins 16 bytes "
                        "behind a multiple of 64 bytes"));
  EXPECT_THAT(refused(results, 4),
              HasSubstr("result 0 of @gather on rank 1 begins 4 bytes behind a "
                        "multiple of 64 bytes"));
  auto expectResults = [&] {
    for (unsigned long long result : out) {
      std::vector<float> got(15);
      ASSERT_EQ(download(got.data(), result, 60, nullptr), 0);
      ASSERT_EQ(wait(nullptr), 0);
      EXPECT_EQ(got, r.data);
    }
  };
  expectResults();

  // Behind a stream of the caller's, on which the arguments are still changed.
  auto makeStream =
      reinterpret_cast<int (*)(void **, unsigned)>(call("cuStreamCreate"));
  void *stream = nullptr;
  ASSERT_EQ(makeStream(&stream, /*CU_STREAM_NON_BLOCKING=*/1), 0);
  ASSERT_EQ(shardir_set_stream(program, stream), SHARDIR_OK);
  for (bool started : {false, true}) {
    std::vector<float> next = a.data;
    for (float &x : next)
      x = started ? -x : x + 100;
    ASSERT_EQ(upload(in[0], next.data(), 36, stream), 0);
    ASSERT_EQ(upload(in[1], next.data() + 9, 24, stream), 0);
    if (started) {
      shardir_pending *pending = nullptr;
      ASSERT_EQ(shardir_run_local_start(program, "gather", arguments.data(), 1,
                                        results.data(), 1, &options, &pending),
                SHARDIR_OK);
      EXPECT_EQ(shardir_run_wait(pending), SHARDIR_OK);
    } else {
      EXPECT_EQ(shardir_run_local(program, "gather", arguments.data(), 1,
                                  results.data(), 1, &options),
                SHARDIR_OK)
          << shardir_last_error();
    }
    for (size_t i = 0; i < next.size(); ++i)
      r.data[i] = 2 * next[i];
    expectResults();
  }
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(release(in[i]) + release(out[i]), 0);
  use(nullptr);
}

TEST_P(GpuTest, DevicesAndPrograms) {
  EXPECT_EQ(run("stuck", {}, {}, 0, "threads"), SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(
      shardir_last_error(),
      HasSubstr("compiled for GPUs (arch=host), and device 'threads' has "
                "none: run it on cuda-local"));
  load(SHARDIR_TEST_CPU_PROGRAM);
  EXPECT_EQ(run("fail", {}, {}), SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(
      shardir_last_error(),
      HasSubstr("device 'cuda-local' runs programs for GPUs, and this one "
                "was compiled for processors"));
  load(SHARDIR_TEST_SM90_PROGRAM);
  EXPECT_EQ(run("stuck", {}, {}), SHARDIR_INVALID_ARGUMENT);
  EXPECT_THAT(shardir_last_error(),
              HasSubstr("cannot load the program's kernels (program_gpu, ptx) "
                        "on GPU 0 (emulated GPU): cuModuleLoadDataEx says "
                        "CUDA_ERROR_INVALID_PTX (a module without .target)"));
}

TEST_P(GpuTest, KernelsThatFail) {
  expectFailure("stuck", "cannot launch kernel half_barrier (half.mlir:2:2): "
                         "cuLaunchKernel says CUDA_ERROR_LAUNCH_FAILED");
  expectFailure("unknown_kernel", "launched kernel 9, which the program lacks");
  expectFailure("large_grid",
                "cannot launch kernel twice (twice.mlir:7:8): its "
                "grid is 1x1099511627776x1 blocks");
  expectFailure("shared", "cannot launch kernel use_shared (shared.mlir:3:3) "
                          "with 65537 bytes of shared memory: its table entry "
                          "allows 65536");
}

TEST_P(GpuTest, TensorMaps) {
  EXPECT_EQ(run("map", {}, {}), SHARDIR_OK) << shardir_last_error();
  EXPECT_EQ(run("map_of_nothing", {}, {}), SHARDIR_OK) << shardir_last_error();
  expectFailure(
      "map_stride",
      "cannot describe a tensor of 4-byte elements to the GPU, extents "
      "by strides by box 40:1:32, 64:42:8: cuTensorMapEncodeTiled "
      "says CUDA_ERROR_INVALID_VALUE (stride 168 of dim 1, which must "
      "be a multiple of 16 bytes below 2^40");
  expectFailure("map_box", "(a box of rows of 132 bytes");
  expectFailure("map_outside", "the tensor needs");
  expectFailure("map_swizzle", "swizzled over 12 bytes: no map has these");
}

TEST_P(GpuTest, MemoryThatFails) {
  expectFailure("large", "cannot allocate 1099511627776 bytes on the GPU (this "
                         "rank has 0 in use, ");
  expectFailure("large", "cuMemAlloc says CUDA_ERROR_OUT_OF_MEMORY");
  expectFailure("wrong_free",
                "freed memory of the GPU that the runtime did not give out");
  expectFailure("freed", "needs 4 bytes, but block #");
  size_t before = usedBytes();
  for (int i = 0; i < 5; ++i)
    expectFailure("leak", "leaving a block behind");
  EXPECT_LE(usedBytes(), before + 2 * 1024); // kept for the next run, once
}

TEST_P(GpuTest, GivesEverythingBack) {
  size_t before = usedBytes();
  load(SHARDIR_TEST_PROGRAM);
  Array a({5, 300}), r({5, 300}), b({4, 3});
  ASSERT_EQ(run("gather", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
  ASSERT_EQ(run("shift", {&b}, {&b}), SHARDIR_OK) << shardir_last_error();
  ASSERT_EQ(run("constant", {}, {}), SHARDIR_INVALID_ARGUMENT);
  EXPECT_GT(usedBytes(), before);
  shardir_program_free(program);
  program = nullptr;
  EXPECT_EQ(usedBytes(), before);
}

TEST_P(GpuTest, SendsAndReceives) {
  Array a({4, 3}), r({4, 3});
  a.iota();
  for (int again = 0; again < 3; ++again) {
    std::fill(r.data.begin(), r.data.end(), -1.0f);
    ASSERT_EQ(run("shift", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
    for (size_t i = 0; i < 12; ++i)
      EXPECT_EQ(r.data[i], 2 * a.data[(i + 6) % 12]);
  }
}

TEST_P(GpuTest, OutOfMemoryGivesKeptBlocksBackFirst) {
  // Room for what one run needs, 5.3 and 7.1 MB with rounding, not for both.
  Array small({1, 64}), large({5, 60000}), r({5, 60000}), r1({1, 64});
  configure(std::string(GetParam()) + " memory=7500000");
  ASSERT_EQ(run("gather", {&large}, {&r}), SHARDIR_OK) << shardir_last_error();
  Array larger({5, 80000}), result({5, 80000});
  ASSERT_EQ(run("gather", {&larger}, {&result}), SHARDIR_OK)
      << shardir_last_error();
  Array tooLarge({5, 200000}), rest({5, 200000});
  EXPECT_EQ(run("gather", {&tooLarge}, {&rest}), SHARDIR_RANK_FAILED);
  EXPECT_THAT(shardir_last_error(), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
  ASSERT_EQ(run("reuse", {&small}, {&r1}), SHARDIR_OK) << shardir_last_error();
}

TEST_P(GpuTest, EveryCallThatFailsIsNamed) {
  Array a({5, 3}), r({5, 3});
  a.iota();
  ASSERT_EQ(run("gather", {&a}, {&r}), SHARDIR_OK);
  struct {
    const char *call, *what;
  } cases[] = {
      {"cuLaunchKernel:1:701", "cannot launch kernel twice (twice.mlir:7:8)"},
      {"cuMemcpyDtoDAsync:1:700",
       "kernels launched last: twice (twice.mlir:7:8)"},
      {"cuMemcpyHtoDAsync:1:1", "cannot copy 36 bytes to the GPU"},
      {"cuMemcpyDtoHAsync:1:1", "cannot copy 60 bytes from the GPU"},
      {"cuEventRecord:1:400", "cannot mark a place in the stream"},
      {"cuStreamWaitEvent:1:400", "cannot wait for another stream"},
      {"cuEventQuery:1:719", "cannot finish what was queued on the GPU"},
  };
  for (auto &c : cases) {
    configure(std::string(GetParam()) + " fail=" + c.call);
    std::string name(c.call, std::string(c.call).find(':'));
    EXPECT_EQ(run("gather", {&a}, {&r}), SHARDIR_RANK_FAILED) << c.call;
    if (name != "cuMemcpyHtoDAsync")
      EXPECT_THAT(shardir_last_error(), HasSubstr(c.what)) << c.call;
    EXPECT_THAT(shardir_last_error(), HasSubstr(name + " says ")) << c.call;
    EXPECT_THAT(shardir_last_error(),
                HasSubstr("last collectives of each rank"));
    configure(GetParam());
    // Nothing is left of it: the next run is right.
    ASSERT_EQ(run("gather", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
    EXPECT_EQ(r.data[14], 30);
  }
}

// Sanitizers have handlers of their own, and look for jumps off a fiber.
#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST_P(GpuTest, PlacesThatKernelsAndHostMayNotTouch) {
  shardir_catch_signals();
  expectFailure("outside", "was stopped by signal 11 (invalid memory access)");
#if defined(__x86_64__)
  int key = pkey_alloc(0, 0);
  bool protects = key >= 0;
  if (protects)
    pkey_free(key);
  Array a({1, 1});
  EXPECT_EQ(run("host_touch", {&a}, {}),
            protects ? SHARDIR_RANK_FAILED : SHARDIR_OK);
  if (protects)
    EXPECT_THAT(shardir_last_error(), HasSubstr("was stopped by signal 11"));
#endif
}
#endif

} // namespace
