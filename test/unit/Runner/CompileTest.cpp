//===- CompileTest.cpp - The compiler's process and the cache -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Compilers here are shell scripts that do what a compiler may do: succeed,
// complain, crash, write nothing, or be absent. Counted runs show when the
// cache is used. Requires /bin/sh; guarantees to leave the environment as it
// was.
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"

#include "ShardIR/Runner/Compile.h"

#include <cstdlib>
#include <sys/stat.h>
#include <thread>

using namespace shardir;
using namespace shardir::runner;

namespace {

class Compile : public TestFiles {
protected:
  void SetUp() override {
    TestFiles::SetUp();
    setenv("SHARDIR_CACHE_DIR", path("cache").c_str(), 1);
    setenv("TMPDIR", folder.c_str(), 1);
    request.input = put("p.mlir", "the program");
  }
  void TearDown() override {
    for (const char *name : {"SHARDIR_CACHE_DIR", "SHARDIR_COMPILE", "TMPDIR"})
      unsetenv(name);
    TestFiles::TearDown();
  }
  /// A compiler that runs `script`; $4 and on are the flags, $3 the output.
  void useCompiler(const std::string &script) {
    std::string file = put("compiler", "#!/bin/sh\necho run >> " +
                                           path("runs") + "\n" + script + "\n");
    chmod(file.c_str(), 0755);
    setenv("SHARDIR_COMPILE", file.c_str(), 1);
  }
  size_t numRuns() const {
    std::ifstream file(path("runs"));
    std::string line;
    size_t count = 0;
    while (std::getline(file, line))
      ++count;
    return count;
  }
  size_t numFiles(const std::string &name) const {
    size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(path(name))) {
      (void)entry;
      ++count;
    }
    return count;
  }
  std::pair<Exit, std::string> failure() {
    try {
      compileProgram(request);
    } catch (const Failure &failure) {
      return {failure.getStatus(), failure.what()};
    }
    return {Exit::Done, ""};
  }

  // The output starts like a shared object and holds the command.
  const std::string good = "printf '\\177ELF ' > \"$3\"; echo \"$@\" >> \"$3\"";
  CompileRequest request;
};

TEST_F(Compile, PassesFlagsOn) {
  useCompiler(good);
  request.function = "main";
  request.mesh = "dp=2,tp=4";
  request.options = "cost=bytes strict";
  request.verify = true;
  std::string text = readFile(compileProgram(request).getPath());
  EXPECT_CONTAINS(text, request.input + " -o ");
  EXPECT_CONTAINS(text, "--function=main --mesh=dp=2,tp=4 "
                        "--options=cost=bytes strict --verify\n");
}

TEST_F(Compile, CachesByEverythingThatMatters) {
  useCompiler(good);
  std::string first = compileProgram(request).getPath();
  EXPECT_EQ(compileProgram(request).getPath(), first);
  EXPECT_EQ(numRuns(), 1u);
  EXPECT_EQ(numFiles("cache"), 1u);
  size_t expected = 1;
  auto changed = [&](auto change) {
    change();
    EXPECT_NE(compileProgram(request).getPath(), first);
    EXPECT_EQ(numRuns(), ++expected);
  };
  changed([&] { request.function = "f"; });
  changed([&] { request.mesh = "x=2"; });
  changed([&] { request.options = "strict"; });
  changed([&] { request.verify = true; });
  changed([&] { put("p.mlir", "another program"); });
  changed([&] { useCompiler(good + " "); });
  // Files that options name.
  put("m.json", "{}");
  changed([&] { request.options = "machine=" + path("m.json"); });
  changed([&] { put("m.json", "{ }"); });
  compileProgram(request, /*again=*/true);
  EXPECT_EQ(numRuns(), expected + 1);
  EXPECT_EQ(numFiles("cache"), 9u);
}

TEST_F(Compile, WorksWithoutACache) {
  useCompiler(good);
  setenv("SHARDIR_CACHE_DIR", "/dev/null/cache", 1);
  std::string file;
  {
    CompiledFile program = compileProgram(request);
    file = program.getPath();
    EXPECT_TRUE(isCompiledProgram(file));
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  compileProgram(request);
  EXPECT_EQ(numRuns(), 2u);
}

TEST_F(Compile, RunsAtTheSameTime) {
  useCompiler("sleep 0.1; " + good);
  std::vector<std::thread> threads;
  std::vector<std::string> paths(4);
  for (std::string &path : paths)
    threads.emplace_back([&] { path = compileProgram(request).getPath(); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &path : paths) {
    EXPECT_EQ(path, paths[0]);
    EXPECT_TRUE(isCompiledProgram(path));
  }
  EXPECT_EQ(numFiles("cache"), 1u);
}

TEST_F(Compile, KeepsTheCacheSmall) {
  useCompiler(good);
  std::filesystem::create_directory(path("cache"));
  for (int i = 0; i != 600; ++i) {
    std::string name = std::to_string(i);
    put("cache/" + std::string(64 - name.size(), '0') + name + ".so", "x");
  }
  put("cache/README", "not an entry");
  std::string fresh = compileProgram(request).getPath();
  EXPECT_TRUE(std::filesystem::exists(fresh));
  EXPECT_TRUE(std::filesystem::exists(path("cache/README")));
  EXPECT_LE(numFiles("cache"), 513u);
  EXPECT_GE(numFiles("cache"), 300u);
}

TEST_F(Compile, TranslatesFailures) {
  testing::internal::CaptureStderr();
  useCompiler("echo 'p.mlir:1:1: error: expected dialect' >&2; exit 3");
  EXPECT_EQ(failure(), std::make_pair(Exit::BadProgram, std::string()));
  useCompiler("echo 'no function @f' >&2; exit 2");
  EXPECT_EQ(failure(), std::make_pair(Exit::Usage, std::string()));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "p.mlir:1:1: error: expected dialect\nno function @f\n");
  useCompiler("exit 1");
  EXPECT_EQ(failure().first, Exit::BadProgram);
  EXPECT_CONTAINS(failure().second,
                  "failed on '" + request.input + "' with exit status 1");
  useCompiler("exit 0");
  EXPECT_EQ(failure().first, Exit::BadProgram);
  EXPECT_CONTAINS(failure().second, "wrote no program");
  EXPECT_EQ(numFiles("cache"), 0u);
}

TEST_F(Compile, SurvivesCrashes) {
  testing::internal::CaptureStderr();
  useCompiler("echo 'p.mlir:1:1: remark: before' >&2\n"
              "echo 'PLEASE submit a bug report to' >&2\n"
              "echo 'Stack dump:' >&2\n"
              "kill -SEGV $$");
  auto [status, message] = failure();
  EXPECT_EQ(status, Exit::BadProgram);
  EXPECT_EQ(message, "the compiler crashed on '" + request.input +
                         "': signal 11 (Segmentation fault)");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "p.mlir:1:1: remark: before\n");
}

TEST_F(Compile, SaysWhenThereIsNoCompiler) {
  setenv("SHARDIR_COMPILE", path("none").c_str(), 1);
  EXPECT_EQ(failure().first, Exit::BadProgram);
  EXPECT_CONTAINS(failure().second, "cannot find the compiler");
  put("none", "not executable");
  EXPECT_EQ(failure().first, Exit::BadProgram);
  EXPECT_CONTAINS(failure().second, "cannot start the compiler");
  unsetenv("SHARDIR_COMPILE");
  EXPECT_CONTAINS(failure().second, "/shard-compile'");
}

TEST_F(Compile, CopiesPrograms) {
  useCompiler(good);
  CompiledFile program = compileProgram(request);
  copyProgram(program, path("p.so"));
  put("p.so", "old");
  copyProgram(program, path("p.so"));
  EXPECT_EQ(readFile(path("p.so")), readFile(program.getPath()));
  EXPECT_TRUE(isCompiledProgram(path("p.so")));
  EXPECT_FALSE(isCompiledProgram(request.input));
}

} // namespace
