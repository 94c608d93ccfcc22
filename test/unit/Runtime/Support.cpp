//===- Support.cpp - Jobs on metadata made by hand ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes metadata as JSON and starts jobs. Requires placements as the IR spells
// them; guarantees that what a test runs went through the same parser as a
// compiled program's metadata: wrong text fails the test at once.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "Processes/ProcessWorld.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace shardir {
namespace runtime {
namespace test {

using Json = nlohmann::json;

MetadataText::MetadataText(std::vector<AxisText> axes,
                           std::vector<int64_t> devices) {
  Json list = Json::array();
  for (const AxisText &axis : axes) {
    list.push_back({{"name", axis.name}, {"size", axis.size}});
    numRanks *= axis.size;
  }
  mesh = Json({{"name", "m"}, {"axes", list}, {"devices", devices}}).dump();
}

int32_t MetadataText::redistribute(const std::string &kind,
                                   const std::string &from,
                                   const std::string &to,
                                   const std::vector<int64_t> &shape,
                                   const std::string &type) {
  Json json = {{"kind", kind},
               {"mesh", "m"},
               {"from", from},
               {"to", to},
               {"shape", shape},
               {"element_type", type},
               {"loc", "test.mlir:" + std::to_string(count + 1)}};
  collectives += (count ? "," : "") + json.dump();
  return count++;
}

int32_t MetadataText::rooted(const std::string &kind,
                             const std::vector<std::string> &axes,
                             const std::string &type) {
  Json json = {{"kind", kind},
               {"mesh", "m"},
               {"axes", axes},
               {"element_type", type},
               {"loc", "test.mlir:" + std::to_string(count + 1)}};
  collectives += (count ? "," : "") + json.dump();
  return count++;
}

std::string MetadataText::json() const {
  return "{\"abi\": 1, \"hash\": \"\", \"ranks\": " + std::to_string(numRanks) +
         ", \"meshes\": [" + mesh + "], \"functions\": [], \"collectives\": [" +
         collectives + "], \"report\": {}}";
}

std::shared_ptr<Program> MetadataText::program() const {
  Metadata metadata;
  std::string error;
  EXPECT_TRUE(parseMetadata(json(), metadata, error)) << error << "\n"
                                                      << json();
  return std::make_shared<Program>(std::move(metadata));
}

int OnCores::cores = 0;
namespace {

std::string testDevice() {
  const char *device = std::getenv("SHARDIR_TEST_DEVICE");
  return device ? device : "threads";
}

/// Has the ranks compute on the emulated GPU if they are to; "" or why not.
std::string chooseGpu(JobOptions &options) {
  if (!overCuda())
    return "";
  // Bodies look at results where a program would first wait for the GPU: what
  // is kept back for a graph would not be there.
  setenv("SHARDIR_CUDA_GRAPHS", "off", /*overwrite=*/0);
  std::string error;
  CudaDevice *gpu = CudaDevice::get(0, error);
  if (gpu && overMpi())
    options.nccl = nccl::Api::get(error);
  if (!gpu || (overMpi() && !options.nccl))
    return error;
  GpuSpec nothing;
  nothing.arch = "host";
  options.cuda = std::make_shared<CudaProgram>(*gpu, nothing, nullptr);
  return "";
}

/// Runs the body on this process' rank. Processes that the program has no rank
/// for look on; all return what rank 0 saw.
std::string runProcesses(const std::shared_ptr<Program> &program,
                         const std::function<void(RankContext &)> &body,
                         JobOptions options) {
  std::string error;
  ProcessWorld *world = ProcessWorld::get(overCuda(), 30, error);
  if (!world)
    return error;
  if (world->size < program->metadata.ranks)
    return "too few processes";
  EXPECT_TRUE(world->beginRun(options.mpiRun));
  if (world->rank < program->metadata.ranks) {
    options.mpi = world;
    const char *reductions = std::getenv("SHARDIR_TEST_REDUCTIONS");
    options.orderedReductions |= reductions && reductions[0] == 'o';
    const char *check = std::getenv("SHARDIR_TEST_CHECK");
    options.checksEach &= !check || check[0] != 'l';
    error = chooseGpu(options);
    EXPECT_EQ(error, "");
    auto job = std::make_shared<Job>(program, size_t(program->metadata.ranks),
                                     options);
    bool ok = job->run([body](RankContext &rank) {
      rank.barrier();
      rank.enter([&] { body(rank); });
      std::vector<int64_t> none;
      rank.pointToPoint()->meetAtEnd(none, /*hasMore=*/false);
    });
    error = job->error();
    EXPECT_EQ(ok, error.empty());
  } else {
    world->endRun();
  }
  auto length = uint64_t(error.size());
  for (int r = 1; r < world->size; ++r) {
    if (world->rank == 0) {
      world->sendBytes(r, &length, sizeof(length), 0);
      world->sendBytes(r, error.data(), error.size(), 0);
    } else if (world->rank == r) {
      world->receiveBytes(0, &length, sizeof(length), 0);
      std::string text(size_t(length), '\0');
      world->receiveBytes(0, text.data(), text.size(), 0);
      // All processes of a run end it with the same words.
      if (r < program->metadata.ranks)
        EXPECT_EQ(error, text);
      error = text;
    }
  }
  return error;
}

} // namespace

bool overMpi() { return testDevice() == "mpi" || testDevice() == "nccl"; }

bool overCuda() {
  return testDevice() == "cuda-local" || testDevice() == "nccl";
}

std::string runRanks(const std::shared_ptr<Program> &program,
                     std::function<void(RankContext &)> body,
                     JobOptions options) {
  if (overMpi())
    return runProcesses(program, body, options);
  if (options.cores == 0)
    options.cores = OnCores::cores;
  if (std::string error = chooseGpu(options); !error.empty())
    return error;
  auto job =
      std::make_shared<Job>(program, size_t(program->metadata.ranks), options);
  bool ok = job->run([body](RankContext &rank) {
    rank.barrier();
    rank.enter([&] { body(rank); });
    rank.barrier();
  });
  EXPECT_EQ(ok, job->error().empty());
  return job->error();
}

} // namespace test
} // namespace runtime
} // namespace shardir
