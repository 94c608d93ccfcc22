//===- CApiProcesses.cpp - The processes of one job -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of Processes.h over the world of MPI. Requires nothing of its
// callers; guarantees that a process which is alone needs no MPI: it agrees
// with itself. Process 0 is in the middle of everything.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runtime/Processes.h"

#include "CApiDetail.h"
#include "MpiWorld.h"

#include <algorithm>

using namespace shardir::runtime;

namespace shardir {
namespace runtime {
namespace capi {

MpiWorld &mpiWorld() {
  std::string error;
  MpiWorld *world = MpiWorld::get(error);
  if (!world)
    refuse("device 'mpi': " + error);
  return *world;
}

void checkProcesses(const MpiWorld &world, const Metadata &metadata) {
  if (world.size == metadata.ranks)
    return;
  std::string ranks = std::to_string(metadata.ranks);
  refuse("device 'mpi': the program has " + ranks +
         (metadata.ranks == 1 ? " rank" : " ranks") + ", and there " +
         (world.size == 1
              ? "is 1 process"
              : "are " + std::to_string(world.size) + " processes") +
         ": start them with 'mpirun -n " + ranks + "'");
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

void require(MpiWorld &world, bool ok, int other) {
  if (ok)
    return;
  world.unheard = true; // nobody else may be able to tell
  throw capi::Failure{SHARDIR_RANK_FAILED, "deadline passed: process " +
                                               std::to_string(other) +
                                               " does not answer"};
}

} // namespace

extern "C" {

int64_t shardir_processes_launched_as(void) { return rankFromLauncher(); }

shardir_status shardir_processes_start(int64_t *number, int64_t *count) {
  return capi::guarded([&] {
    capi::notNull(number, "number");
    capi::notNull(count, "count");
    MpiWorld &world = capi::mpiWorld();
    *number = world.rank;
    *count = world.size;
    return SHARDIR_OK;
  });
}

shardir_status shardir_processes_watch(double seconds) {
  return capi::guarded([&] {
    if (!(seconds > 0))
      capi::refuse("the deadline must be a positive number of seconds");
    capi::mpiWorld().watchOthers(seconds);
    return SHARDIR_OK;
  });
}

shardir_status shardir_processes_match(const shardir_program *program) {
  return capi::guarded([&] {
    capi::notNull(program, "program");
    capi::checkProcesses(capi::mpiWorld(), program->program->metadata);
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
    MpiWorld &world = capi::mpiWorld();
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
    if (world.rank != 0) {
      send(0);
      receive(0, word, words);
    }
    for (int r = 1; r < world.size && world.rank == 0; ++r) {
      Word other;
      std::string otherWords;
      receive(r, other, otherWords);
      if (other.status <= word.status)
        continue;
      word = other;
      words = std::move(otherWords);
    }
    for (int r = 1; r < world.size && world.rank == 0; ++r)
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
    MpiWorld &world = capi::mpiWorld();
    if (bytes > 0)
      capi::notNull(data, "data");
    if (world.rank != 0)
      require(world, world.receiveBytes(0, data, bytes, seconds), 0);
    for (int r = 1; r < world.size && world.rank == 0; ++r)
      require(world, world.sendBytes(r, data, bytes, seconds), r);
    return SHARDIR_OK;
  });
}

shardir_status shardir_processes_gather(const void *data, size_t bytes,
                                        void *const *buffers,
                                        const size_t *sizes) {
  return capi::guarded([&] {
    MpiWorld &world = capi::mpiWorld();
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
  MpiWorld *world = MpiWorld::existing();
  return world && world->unheard;
}

void shardir_processes_finish(void) {
  if (MpiWorld *world = MpiWorld::existing())
    world->finish();
}

} // extern "C"
