//===- ProgressTest.cpp - How much is done, on a terminal -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The line, that it goes away, and that short work shows none. Requires nothing
// of a terminal: a file stands for one.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <gtest/gtest.h>

using namespace shardir::runner;

namespace {

std::string shownAfter(double patience) {
  std::FILE *file = std::tmpfile();
  {
    Progress progress("reading", 3, file, patience);
    progress.show(1);
    progress.show(2);
  }
  std::rewind(file);
  char text[256];
  std::string shown(text, std::fread(text, 1, sizeof(text), file));
  std::fclose(file);
  return shown;
}

TEST(Progress, OneLineThatGoesAway) {
  EXPECT_EQ(shownAfter(0), "\r\x1b[2Kreading: 1 of 3 arrays, 0 s "
                           "\r\x1b[2Kreading: 2 of 3 arrays, 0 s \r\x1b[2K");
}

TEST(Progress, ShortWorkShowsNone) { EXPECT_EQ(shownAfter(1000), ""); }

TEST(Progress, NoTerminal) {
  Progress progress("reading", 3, nullptr, 0);
  progress.show(1);
  EXPECT_EQ(Progress::terminal(/*isFirst=*/false), nullptr);
}

} // namespace
