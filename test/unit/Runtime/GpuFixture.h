//===- GpuFixture.h - GpuProgram.c on an emulated GPU -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and runs GpuProgram.c through the C API with the device cuda-local,
// once with work done at once and once with copies put off until somebody waits
// for them. Requires the emulating driver at SHARDIR_TEST_CUDA; guarantees that
// each test begins with settings of its own.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_RUNTIME_GPUFIXTURE_H
#define SHARDIR_TEST_UNIT_RUNTIME_GPUFIXTURE_H

#include "FloatArray.h"

#include "ShardIR/Runtime/ShardIR.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

using Array = FloatArray;

inline void *driver() {
  static void *library = [] {
    setenv("SHARDIR_CUDA_LIBRARY", SHARDIR_TEST_CUDA, 1);
    return dlopen(SHARDIR_TEST_CUDA, RTLD_NOW);
  }();
  return library;
}

inline void configure(const std::string &settings) {
  auto *set = reinterpret_cast<void (*)(const char *)>(
      dlsym(driver(), "shardir_emulated_cuda_configure"));
  set(settings.c_str());
}

inline size_t usedBytes() {
  return reinterpret_cast<size_t (*)()>(
      dlsym(driver(), "shardir_emulated_cuda_used"))();
}

/// How often `call` is in a log.
inline size_t countOf(const std::vector<std::string> &log,
                      const std::string &call) {
  return size_t(std::count_if(log.begin(), log.end(), [&](auto &line) {
    return line.compare(0, call.size() + 1, call + " ") == 0;
  }));
}

class GpuTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    ASSERT_NE(driver(), nullptr) << dlerror();
    configure(GetParam());
    load(SHARDIR_TEST_PROGRAM);
  }
  void TearDown() override {
    shardir_program_free(program);
    configure("");
    dropLog();
  }

  void load(const char *path) {
    shardir_program_free(program);
    program = nullptr;
    ASSERT_EQ(shardir_program_load(path, &program), SHARDIR_OK)
        << shardir_last_error();
  }

  shardir_status run(const char *function, std::vector<Array *> arguments,
                     std::vector<Array *> results, double timeout = 0,
                     const char *device = "cuda-local", int unsharded = 0) {
    std::vector<shardir_buffer> in, out;
    for (Array *a : arguments)
      in.push_back(a->buffer());
    for (Array *a : results)
      out.push_back(a->buffer());
    shardir_run_options options = {device, timeout, unsharded,
                                   1,      nullptr, nullptr};
    return shardir_run(program, function, in.data(), in.size(), out.data(),
                       out.size(), &options);
  }

  /// The lines of what was called from here on.
  void startLog(const std::string &settings = "") {
    dropLog();
    char name[] = "/tmp/shardir-gpu-testXXXXXX";
    close(mkstemp(name));
    logFile = name;
    configure(std::string(GetParam()) + " " + settings + " log=" + logFile);
  }
  std::vector<std::string> readLog() {
    configure(GetParam());
    std::ifstream file(logFile);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
      lines.push_back(line);
    return lines;
  }

  void expectFailure(const char *function, const std::string &message) {
    EXPECT_EQ(run(function, {}, {}), SHARDIR_RANK_FAILED) << function;
    EXPECT_THAT(shardir_last_error(), testing::HasSubstr(message)) << function;
  }

  shardir_program *program = nullptr;
  std::string logFile;

private:
  void dropLog() {
    if (!logFile.empty())
      unlink(logFile.c_str());
  }
};

#endif // SHARDIR_TEST_UNIT_RUNTIME_GPUFIXTURE_H
