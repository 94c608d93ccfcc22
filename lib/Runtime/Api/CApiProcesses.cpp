//===- CApiProcesses.cpp - The processes of one job -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of Processes.h over this process' world, and the ways of
// ShardIR.h to give it one. Requires nothing of its callers; guarantees that a
// process which is alone agrees with itself.
// Words to and from process 0 go along the tree of watchdogs.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runtime/Processes.h"

#include "CApiDetail.h"
#include "Nccl/NcclStart.h"
#include "Processes/Launch.h"
#include "Processes/ProcessWorld.h"
#include "Processes/WatchTree.h"

#include <algorithm>

using namespace shardir::runtime;

namespace shardir {
namespace runtime {
namespace capi {

ProcessWorld &processWorld(const std::string &device, double seconds) {
  std::string error;
  ProcessWorld *world = ProcessWorld::get(device == "nccl", seconds, error);
  if (!world)
    refuse("device '" + device + "': " + error);
  return *world;
}

void checkProcesses(const ProcessWorld &world, const Metadata &metadata) {
  if (world.size == metadata.ranks)
    return;
  std::string ranks = std::to_string(metadata.ranks);
  refuse(std::string("device '") + (metadata.gpu ? "nccl" : "mpi") +
         "': the program has " + ranks +
         (metadata.ranks == 1 ? " rank" : " ranks") + ", and there " +
         (world.size == 1
              ? "is 1 process"
              : "are " + std::to_string(world.size) + " processes") +
         (world.isHosts ? " of the communicator" : "") + ": " +
         (world.isHosts   ? "hand over a communicator of as many processes"
          : world.overMpi ? "start them with 'mpirun -n " + ranks + "'"
                          : "start as many processes as ranks") +
         (metadata.gpu && world.overMpi && !world.isHosts ? ", srun or torchrun"
                                                          : ""));
}

} // namespace capi
} // namespace runtime
} // namespace shardir

namespace {

/// A status and the length of its message.
struct Word {
  int64_t status = 0, who = 0;
  uint64_t length = 0;
};

/// The world that shardir_processes_start has made.
ProcessWorld &started() {
  ProcessWorld *world = ProcessWorld::existing();
  if (!world)
    capi::refuse("no processes: call shardir_processes_start first");
  return *world;
}

void require(ProcessWorld &world, bool ok, int other) {
  if (ok)
    return;
  int lost = world.lost();
  bool left = lost < 0 && world.someHaveLeft();
  world.leave();
  if (lost >= 0 || left) {
    // All see it; the first one that is there says so. Who has left has spoken.
    world.unheard = !left && world.rank == (lost == 0 ? 1 : 0);
    throw capi::Failure{SHARDIR_RANK_FAILED,
                        "process " + std::to_string(left ? other : lost) +
                            " has ended"};
  }
  world.unheard = true; // nobody else may be able to tell
  throw capi::Failure{SHARDIR_RANK_FAILED, "deadline passed: process " +
                                               std::to_string(other) +
                                               " does not answer"};
}

} // namespace

extern "C" {

int64_t shardir_processes_launched_as(void) { return rankFromLauncher(); }

shardir_status shardir_processes_start(const char *device, double seconds,
                                       int64_t *number, int64_t *count) {
  return capi::guarded([&] {
    capi::notNull(device, "device");
    capi::notNull(number, "number");
    capi::notNull(count, "count");
    if (std::string(device) != "mpi" && std::string(device) != "nccl")
      capi::refuse(std::string("device '") + device +
                   "' has no processes: mpi and nccl do");
    if (!(seconds > 0))
      capi::refuse("the deadline must be a positive number of seconds");
    ProcessWorld &world = capi::processWorld(device, seconds);
    *number = world.rank;
    *count = world.size;
    return SHARDIR_OK;
  });
}

shardir_status shardir_processes_from_mpi(void *comm) {
  return capi::guarded([&] {
    capi::notNull(comm, "comm");
    std::string error;
    auto connect = [&](std::string &why) {
      return startMpiMessages(why, comm);
    };
    if (!ProcessWorld::handOver(connect, /*overMpi=*/true, error))
      capi::refuse(error);
    return SHARDIR_OK;
  });
}

shardir_status shardir_processes_from_nccl(void *comm, double seconds) {
  return capi::guarded([&] {
    capi::notNull(comm, "comm");
    if (!(seconds > 0))
      capi::refuse("the deadline must be a positive number of seconds");
    std::string error;
    auto connect = [&](std::string &why) {
      return startNcclMessages(static_cast<nccl::Comm>(comm), seconds, why);
    };
    if (!ProcessWorld::handOver(connect, /*overMpi=*/false, error))
      capi::refuse(error);
    return SHARDIR_OK;
  });
}

shardir_status shardir_processes_watch(double seconds) {
  return capi::guarded([&] {
    if (!(seconds > 0))
      capi::refuse("the deadline must be a positive number of seconds");
    started().watchOthers(seconds);
    return SHARDIR_OK;
  });
}

shardir_status shardir_processes_match(const shardir_program *program) {
  return capi::guarded([&] {
    capi::notNull(program, "program");
    capi::checkProcesses(started(), program->program->metadata);
    return SHARDIR_OK;
  });
}

shardir_status shardir_processes_agree(int status, const char *message,
                                       int *worst, int64_t *who,
                                       const char **text) {
  return capi::guarded([&] {
    capi::notNull(worst, "worst");
    capi::notNull(who, "who");
    capi::notNull(text, "text");
    ProcessWorld &world = started();
    static thread_local std::string words;
    words = message ? message : "";
    Word word{status, world.rank, words.size()};
    auto send = [&](int to) {
      require(world,
              world.sendBytes(to, &word, sizeof(word), 0) &&
                  world.sendBytes(to, words.data(), words.size(), 0),
              to);
    };
    auto receive = [&](int from, Word &other, std::string &otherWords) {
      require(world, world.receiveBytes(from, &other, sizeof(other), 0), from);
      otherWords.resize(size_t(other.length));
      require(world,
              world.receiveBytes(from, otherWords.data(), otherWords.size(), 0),
              from);
    };
    WatchTree tree(world.rank, world.size);
    std::vector<int> children = tree.childrenOf(world.rank);
    for (int r : children) {
      Word other;
      std::string otherWords;
      receive(r, other, otherWords);
      if (std::pair(-other.status, other.who) >
          std::pair(-word.status, word.who))
        continue;
      word = other;
      words = std::move(otherWords);
    }
    if (world.rank != 0) {
      send(tree.parentOf(world.rank));
      receive(tree.parentOf(world.rank), word, words);
    }
    for (int r : children)
      send(r);
    *worst = int(word.status);
    *who = word.who;
    *text = words.c_str();
    return SHARDIR_OK;
  });
}

shardir_status shardir_processes_broadcast(void *data, size_t bytes,
                                           double seconds) {
  return capi::guarded([&] {
    ProcessWorld &world = started();
    if (bytes > 0)
      capi::notNull(data, "data");
    WatchTree tree(world.rank, world.size);
    if (int from = tree.parentOf(world.rank); from >= 0)
      require(world, world.receiveBytes(from, data, bytes, seconds), from);
    for (int r : tree.childrenOf(world.rank))
      require(world, world.sendBytes(r, data, bytes, seconds), r);
    return SHARDIR_OK;
  });
}

shardir_status shardir_processes_gather(const void *data, size_t bytes,
                                        void *const *buffers,
                                        const size_t *sizes) {
  return capi::guarded([&] {
    ProcessWorld &world = started();
    if (world.rank != 0) {
      require(world, world.sendBytes(0, data, bytes, 0), 0);
      return SHARDIR_OK;
    }
    capi::notNull(buffers, "buffers");
    capi::notNull(sizes, "sizes");
    for (int r = 1; r < world.size; ++r)
      require(world, world.receiveBytes(r, buffers[r], sizes[r], 0), r);
    return SHARDIR_OK;
  });
}

int shardir_processes_unheard(void) {
  ProcessWorld *world = ProcessWorld::existing();
  return world ? bool(world->unheard) : ProcessWorld::startUnheard();
}

int shardir_processes_see_deaths(void) {
  ProcessWorld *world = ProcessWorld::existing();
  return world && world->size > 1 && world->seesDeaths();
}

void shardir_processes_finish(void) {
  if (ProcessWorld *world = ProcessWorld::existing())
    world->finish();
}

} // extern "C"
