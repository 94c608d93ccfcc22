//===- Options.h - Seeds and counts from the command line -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ShardIRRedistributeTests --seed=7 --count=10000 --gtest_filter=Property.*`.
// Without flags the seed is 1, so that every run of the suite is the same one;
// the count is each test's own. Guarantees status 2 for a flag it cannot read.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_REDISTRIBUTE_OPTIONS_H
#define SHARDIR_TEST_UNIT_REDISTRIBUTE_OPTIONS_H

#include <cstdint>

namespace shardir::test {

struct TestOptions {
  uint64_t seed = 1;
  uint64_t count = 0; ///< 0: as many as the test likes
};
const TestOptions &testOptions();

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_REDISTRIBUTE_OPTIONS_H
