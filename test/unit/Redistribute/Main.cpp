//===- Main.cpp - The tests with their own flags ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GoogleTest's main with `--seed` and `--count`. Requires what GoogleTest left
// of the command line; guarantees that a misspelled flag does not pass for a
// test run with the defaults.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <iostream>

using namespace shardir::test;

static TestOptions options;

const TestOptions &shardir::test::testOptions() { return options; }

int main(int argc, char **argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    bool known = false;
    for (auto [flag, value] : {std::pair{"--seed=", &options.seed},
                               std::pair{"--count=", &options.count}}) {
      size_t length = std::strlen(flag);
      if (std::strncmp(argv[i], flag, length) != 0)
        continue;
      char *end = nullptr;
      *value = std::strtoull(argv[i] + length, &end, 10);
      known = end != argv[i] + length && *end == '\0';
    }
    if (!known) {
      std::cerr << "error: '" << argv[i]
                << "' is neither --seed=N nor --count=N\n";
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
