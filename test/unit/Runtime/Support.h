//===- Support.h - Jobs on metadata made by hand ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs collectives without a compiled program: metadata from text, a body per
// rank. Requires nothing of the host but threads; guarantees that a test fails,
// and does not hang, where ranks wait for each other (deadline of 20 s). Suites
// that derive from OnCores run on one thread for all ranks, on two, and on one
// for each rank.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_RUNTIME_SUPPORT_H
#define SHARDIR_TEST_UNIT_RUNTIME_SUPPORT_H

#include "Core/Job.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace shardir {
namespace runtime {
namespace test {

struct AxisText {
  std::string name;
  int64_t size;
};

/// Metadata with one mesh @m.
class MetadataText {
public:
  explicit MetadataText(std::vector<AxisText> axes,
                        std::vector<int64_t> devices = {});
  /// Adds a collective between placements; returns its id.
  int32_t redistribute(const std::string &kind, const std::string &from,
                       const std::string &to, const std::vector<int64_t> &shape,
                       const std::string &type = "f32");
  /// Adds a rooted or point-to-point collective; returns its id.
  int32_t rooted(const std::string &kind, const std::vector<std::string> &axes,
                 const std::string &type = "f32");
  std::shared_ptr<Program> program() const;
  std::string json() const;
  int64_t ranks() const { return numRanks; }

private:
  std::string mesh, collectives;
  int64_t numRanks = 1;
  int32_t count = 0;
};

/// Whether ranks are processes: with SHARDIR_TEST_DEVICE=mpi or nccl, under
/// mpirun.
bool overMpi();

/// Whether ranks compute on a GPU: with SHARDIR_TEST_DEVICE=cuda-local or nccl.
/// The emulated one must be set `unified`: bodies use memory of the host.
bool overCuda();

/// Deadlines of 20 s, one thread for each rank.
inline JobOptions defaultOptions() {
  JobOptions options;
  options.timeout = 20;
  options.threadsPerRank = 1;
  return options;
}

/// Runs the body as a program on every rank. Returns the error, "" for none.
/// Options without cores take those of the running suite.
std::string runRanks(const std::shared_ptr<Program> &program,
                     std::function<void(RankContext &)> body,
                     JobOptions options = defaultOptions());

/// A suite that runs with the number of cores as its parameter. Bodies that
/// wait for other ranks outside of collectives must ask for kThreadPerRank.
class OnCores : public testing::TestWithParam<int> {
public:
  void SetUp() override { cores = GetParam(); }
  void TearDown() override { cores = 0; }
  static int cores; ///< 0: those of the host
};
constexpr int kThreadPerRank = 1000;
inline JobOptions threadPerRank() {
  JobOptions options;
  options.timeout = 20;
  options.threadsPerRank = 1;
  options.cores = kThreadPerRank;
  return options;
}
#define SHARDIR_RUN_ON_CORES(SUITE)                                            \
  class SUITE : public OnCores {};                                             \
  INSTANTIATE_TEST_SUITE_P(Cores, SUITE, testing::Values(1, 2, kThreadPerRank))

} // namespace test
} // namespace runtime
} // namespace shardir

#endif // SHARDIR_TEST_UNIT_RUNTIME_SUPPORT_H
