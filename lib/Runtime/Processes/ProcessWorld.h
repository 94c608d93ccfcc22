//===- ProcessWorld.h - This process among those of one job -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The connections of a process to all others during its life, over any
// transport (Messages.h): channels of the runtime's own, and small messages
// besides the data. A rank and its watchdog both send and receive, one at a
// time (`mutex`). Requires one way to start per process; guarantees that a
// world is made once, unless the host hands over its own connections, and that
// whoever waits for a process that has ended, or is silent for too long, goes
// on.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_PROCESSWORLD_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_PROCESSWORLD_H

#include "Core/Messages.h"
#include "Mpi/MpiApi.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace shardir {
namespace runtime {

/// Sizes in bytes. $SHARDIR_MPI_MESSAGE_BYTES and $SHARDIR_MPI_STAGING_BYTES
/// make them smaller, for tests.
struct MessageLimits {
  /// The largest message: MPI counts with an `int`, data is cut below that.
  size_t message = size_t(1) << 30;
  /// The largest block that is packed, unpacked or reduced.
  size_t staging = size_t(4) << 20;
};

class ProcessWorld {
public:
  /// The world of this process, made on first use. Null with a reason.
  /// Where `launched`, without MPI if the launcher is none of MPI's; all
  /// processes must come within `seconds` then.
  static ProcessWorld *get(bool launched, double seconds, std::string &error);
  /// From now on the processes are those of a communicator of the host's, over
  /// which `connect` brings messages; all of them call this. False with a
  /// reason where a run is going on, or ShardIR itself has connected the
  /// processes.
  using Connect = std::function<std::unique_ptr<Messages>(std::string &error)>;
  static bool handOver(const Connect &connect, bool overMpi,
                       std::string &error);
  /// The world that there is, or null where none was made.
  static ProcessWorld *existing();
  /// Whether nobody but this process may say why there is no world.
  static bool startUnheard();

  int rank = 0, size = 1;
  int localSize = 1; ///< processes on this machine
  MessageLimits limits;
  bool overMpi = true;
  bool isHosts = false; ///< handed over
  /// Held by whoever sends and receives.
  std::timed_mutex mutex;

  // One call each; they throw std::runtime_error where it fails.
  MpiRequest send(MpiComm comm, const void *data, size_t bytes, int to,
                  int tag);
  MpiRequest receive(MpiComm comm, void *data, size_t bytes, int from, int tag);
  bool test(MpiRequest &request);
  /// Starts a collective of the library's own; `call` gets its functions.
  template <class F> MpiRequest startCollective(F &&call) {
    std::lock_guard<std::timed_mutex> lock(mutex);
    return call(*messages->collectives());
  }
  bool hasCollectives() const { return messages->collectives() != nullptr; }
  /// Ends a receive that nothing may have come for. Whether something had.
  bool cancel(MpiRequest &request);
  /// Sends and forgets: the data is kept here until MPI has taken it. In one
  /// message, or in as many as the limit asks for.
  void post(MpiComm comm, std::shared_ptr<const std::string> data, int to,
            int tag, bool cut = false);

  /// The communicator of these ranks, kept for ever, or that for collectives
  /// beside other work. Requires that all of them call this now.
  MpiComm groupComm(const std::vector<int> &ranks, bool beside = false);
  bool hasGroup(const std::vector<int> &ranks, bool beside = false) const {
    return groups.count({beside, ranks}) != 0;
  }
  /// Communicators of groups are made again when they are next needed, but for
  /// those with ranks that were not in the run of `size` ranks. All processes
  /// of that run call this after it.
  void dropGroups(size_t size);
  /// Another one after dropGroups(), and in every world.
  uint64_t generation = nextGeneration();
  /// Hashes of the groups that have communicators, by hash of the program.
  std::map<uint64_t, std::vector<uint64_t>> prepared;
  /// Posts and messages of ranks to each other, before their data.
  MpiComm postsComm() const { return messages->posts; }

  /// A small message between the watchdogs of one run.
  struct Notice {
    uint32_t kind = 0;
    uint64_t run = 0;
    int from = 0;
    std::string text;
  };
  void notify(int to, uint32_t kind, uint64_t run, const std::string &text);
  /// Takes in what has come. False if a rank held the mutex for `seconds`.
  bool poll(double seconds);
  /// The first rank whose process has ended without a word; -1 for none.
  int lost();
  /// Which process cannot be reached, and why; empty for none.
  std::string fault();
  /// Whether a process has ended, in whatever way.
  bool isGone(int rank);
  bool someHaveLeft();
  /// Has the others know that this process ends on purpose.
  void leave();
  /// Whether a process that ends without a word is seen by the others.
  bool seesDeaths() const { return !overMpi; }
  /// The next notice of this run; those of earlier runs are dropped.
  bool next(uint64_t run, Notice &notice);

  /// Begins a run, with the same number in all processes. False during a run.
  bool beginRun(uint64_t &run);
  void endRun() { busy = false; }
  /// A run has ended with requests that were never completed.
  std::atomic<bool> broken{false};
  /// The last run's failure was not told by rank 0: it could not be reached.
  std::atomic<bool> unheard{false};

  /// Messages that came early for a later run, by sender.
  std::map<std::pair<int, int>, std::deque<std::string>> early;

  /// Between runs, tells the others now and then that this process is there:
  /// rank 0 all, all rank 0. Who has not said so for `seconds` is given up on.
  void watchOthers(double seconds);

  /// Seconds after a deadline that this process lets others speak first, rank 0
  /// before all: who speaks ends, and a launcher then takes its time to end the
  /// rest.
  double politeness() const { return rank == 0 ? 0 : std::min(rank + 1, 5); }

  // Among tools, between runs. `limit` in seconds, 0 for that of watchOthers;
  // false if it has passed.
  bool sendBytes(int to, const void *data, size_t bytes, double limit);
  bool receiveBytes(int from, void *data, size_t bytes, double limit);
  /// Leaves the others, or finalizes MPI if it was started here, unless
  /// something is left of it.
  void finish();

private:
  bool start(bool launched, double seconds, std::string &error);
  bool use(std::unique_ptr<Messages> started, std::string &error);
  static uint64_t nextGeneration();
  void readLimits();
  bool wait(MpiRequest &request, int other, double limit);
  void pulse();
  void stopPulse();

  std::unique_ptr<Messages> messages;
  bool finished = false;
  struct Sent {
    MpiRequest request;
    std::shared_ptr<const std::string> data;
  };
  std::list<Sent> sent; ///< guarded by mutex
  std::map<std::pair<bool, std::vector<int>>, MpiComm> groups;
  std::deque<Notice> inbox; ///< guarded by mutex
  std::thread pulseThread;
  std::mutex pulseMutex;
  std::condition_variable pulseWake;
  bool pulseStops = false; ///< guarded by pulseMutex
  double patience = 0;     ///< seconds; 0: no end
  using Clock = std::chrono::steady_clock;
  std::vector<std::atomic<Clock::rep>> heard; ///< when, by rank
  std::atomic<bool> busy{false};
  uint64_t runs = 0;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_PROCESSWORLD_H
