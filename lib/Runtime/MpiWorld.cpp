//===- MpiWorld.cpp - This process among those of an MPI job --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts MPI, or joins the host's, and ends it. Requires calls under `mutex`
// where MPI is called; guarantees that every communicator reports errors by
// status, so that MPI ends no process by itself but where it must.
//
//===----------------------------------------------------------------------===//

#include "MpiWorld.h"

#include "Wait.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace shardir {
namespace runtime {

namespace {

enum Tag : int { kNotice = 1, kTool = 1, kMakeGroup = 7 };

constexpr size_t kNoticeHeader = 12; ///< kind and run
constexpr uint64_t kNoRun = 0;       ///< of a sign of life
constexpr double kPulse = 0.2;       ///< seconds

std::mutex creation;
MpiWorld *theWorld = nullptr; ///< never destroyed: stuck ranks may use it

const char *const kRankVariables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                      "PMI_RANK"};

void finishAtExit() {
  if (theWorld)
    theWorld->finish();
}

using Lock = std::lock_guard<std::timed_mutex>;

} // namespace

int rankFromLauncher() {
  for (const char *name : kRankVariables)
    if (const char *value = std::getenv(name))
      return std::atoi(value);
  return -1;
}

MpiWorld *MpiWorld::existing() {
  std::lock_guard<std::mutex> lock(creation);
  return theWorld;
}

MpiWorld *MpiWorld::get(std::string &error) {
  std::lock_guard<std::mutex> lock(creation);
  if (theWorld)
    return theWorld;
  auto world = std::make_unique<MpiWorld>();
  if (!world->start(error))
    return nullptr;
  theWorld = world.release();
  std::atexit(finishAtExit);
  return theWorld;
}

void MpiWorld::readLimits() {
  auto lower = [](const char *name, size_t &limit) {
    if (const char *text = std::getenv(name)) {
      unsigned long long value = std::strtoull(text, nullptr, 10);
      if (value >= 8 && value < limit) // at least one element of any type
        limit = size_t(value);
    }
  };
  lower("SHARDIR_MPI_MESSAGE_BYTES", limits.message);
  lower("SHARDIR_MPI_STAGING_BYTES", limits.staging);
}

bool MpiWorld::start(std::string &error) {
  if (!api.load(error))
    return false;
  readLimits();
  int flag = 0;
  api.Finalized(&flag);
  if (flag) {
    error = "MPI has been finalized in this process: run over it before that";
    return false;
  }
  api.Initialized(&flag);
  alone = !flag && rankFromLauncher() < 0;
  if (alone)
    return true;
  int level = 0;
  if (flag) {
    api.Query_thread(&level);
  } else {
    // Ends the process with a message of its own where it cannot start.
    api.check(
        api.Init_thread(nullptr, nullptr, MpiApi::kThreadSerialized, &level),
        "MPI_Init_thread");
    initialized = true;
  }
  if (level < MpiApi::kThreadSerialized) {
    error = "MPI was started without support for threads (level " +
            std::to_string(level) +
            "): call MPI_Init_thread with MPI_THREAD_SERIALIZED or more";
    return false;
  }
  for (MpiComm *comm : {&control, &posts, &tools}) {
    api.check(api.Comm_dup(api.world, comm), "MPI_Comm_dup");
    api.Comm_set_errhandler(*comm, api.errorsReturn);
  }
  api.check(api.Comm_rank(posts, &rank), "MPI_Comm_rank");
  api.check(api.Comm_size(posts, &size), "MPI_Comm_size");
  MpiComm local = nullptr;
  api.check(
      api.Comm_split_type(posts, MpiApi::kTypeShared, 0, api.infoNull, &local),
      "MPI_Comm_split_type");
  api.check(api.Comm_size(local, &localSize), "MPI_Comm_size");
  api.Comm_free(&local);
  return true;
}

void MpiWorld::finish() {
  if (!initialized || broken || busy)
    return;
  initialized = false;
  stopPulse();
  Lock lock(mutex);
  int flag = 0;
  api.Finalized(&flag);
  if (flag)
    return;
  for (auto &[ranks, comm] : groups)
    api.Comm_free(&comm);
  groups.clear();
  for (MpiComm *comm : {&control, &posts, &tools})
    api.Comm_free(comm);
  api.Finalize();
}

MpiRequest MpiWorld::send(MpiComm comm, const void *data, size_t bytes, int to,
                          int tag) {
  MpiRequest request = nullptr;
  Lock lock(mutex);
  api.check(api.Isend(data, int(bytes), api.byte, to, tag, comm, &request),
            "MPI_Isend");
  return request;
}

MpiRequest MpiWorld::receive(MpiComm comm, void *data, size_t bytes, int from,
                             int tag) {
  MpiRequest request = nullptr;
  Lock lock(mutex);
  api.check(api.Irecv(data, int(bytes), api.byte, from, tag, comm, &request),
            "MPI_Irecv");
  return request;
}

bool MpiWorld::test(MpiRequest &request) {
  if (!request)
    return true;
  int flag = 0;
  Lock lock(mutex);
  api.check(api.Test(&request, &flag, nullptr), "MPI_Test");
  if (flag)
    request = nullptr;
  return flag != 0;
}

bool MpiWorld::cancel(MpiRequest &request) {
  if (!request)
    return true;
  MpiStatus status;
  Lock lock(mutex);
  api.check(api.Cancel(&request), "MPI_Cancel");
  api.check(api.Wait(&request, &status), "MPI_Wait");
  request = nullptr;
  return !status.cancelled;
}

void MpiWorld::post(MpiComm comm, std::shared_ptr<const std::string> data,
                    int to, int tag, bool cut) {
  const char *at = data->data();
  size_t left = data->size();
  do {
    size_t bytes = cut ? std::min(left, limits.message) : left;
    MpiRequest request = send(comm, at, bytes, to, tag);
    if (!test(request)) { // small ones are gone by now
      Lock lock(mutex);
      sent.push_back({request, data});
    }
    at += bytes;
    left -= bytes;
  } while (left > 0);
}

MpiComm MpiWorld::groupComm(const std::vector<int> &ranks) {
  MpiComm &comm = groups[ranks];
  if (comm)
    return comm;
  Lock lock(mutex);
  MpiGroup all = nullptr, group = nullptr;
  api.check(api.Comm_group(posts, &all), "MPI_Comm_group");
  api.check(api.Group_incl(all, int(ranks.size()), ranks.data(), &group),
            "MPI_Group_incl");
  api.check(api.Comm_create_group(posts, group, kMakeGroup, &comm),
            "MPI_Comm_create_group");
  api.Comm_set_errhandler(comm, api.errorsReturn);
  api.Group_free(&group);
  api.Group_free(&all);
  return comm;
}

void MpiWorld::notify(int to, uint32_t kind, uint64_t run,
                      const std::string &text) {
  auto data = std::make_shared<std::string>(kNoticeHeader, '\0');
  std::memcpy(data->data(), &kind, 4);
  std::memcpy(data->data() + 4, &run, 8);
  *data += text;
  post(control, std::move(data), to, kNotice);
}

bool MpiWorld::poll(double seconds) {
  if (alone)
    return true;
  std::unique_lock<std::timed_mutex> lock(mutex, std::defer_lock);
  if (!lock.try_lock_for(std::chrono::duration<double>(seconds)))
    return false;
  for (auto it = sent.begin(); it != sent.end();) {
    int flag = 0;
    api.check(api.Test(&it->request, &flag, nullptr), "MPI_Test");
    it = flag ? sent.erase(it) : std::next(it);
  }
  while (true) {
    int flag = 0;
    MpiStatus status;
    api.check(api.Iprobe(MpiApi::kAnySource, kNotice, control, &flag, &status),
              "MPI_Iprobe");
    if (!flag)
      return true;
    std::string data(status.bytes, '\0');
    api.check(api.Recv(data.data(), int(data.size()), api.byte, status.source,
                       kNotice, control, nullptr),
              "MPI_Recv");
    if (size_t(status.source) < heard.size())
      heard[size_t(status.source)] = Clock::now().time_since_epoch().count();
    if (data.size() < kNoticeHeader)
      continue;
    Notice notice;
    std::memcpy(&notice.kind, data.data(), 4);
    std::memcpy(&notice.run, data.data() + 4, 8);
    notice.from = status.source;
    notice.text = data.substr(kNoticeHeader);
    inbox.push_back(std::move(notice));
  }
}

bool MpiWorld::next(uint64_t run, Notice &notice) {
  Lock lock(mutex);
  for (auto it = inbox.begin(); it != inbox.end();) {
    if (it->run > run) { // another process is ahead
      ++it;
      continue;
    }
    bool matches = it->run == run;
    if (matches)
      notice = std::move(*it);
    it = inbox.erase(it);
    if (matches)
      return true;
  }
  return false;
}

bool MpiWorld::beginRun(uint64_t &run) {
  bool expected = false;
  if (!busy.compare_exchange_strong(expected, true))
    return false;
  unheard = false;
  run = ++runs;
  return true;
}

void MpiWorld::watchOthers(double seconds) {
  if (size == 1 || pulseThread.joinable())
    return;
  patience = seconds + politeness();
  heard = std::vector<std::atomic<Clock::rep>>(size_t(size));
  for (std::atomic<Clock::rep> &time : heard)
    time = Clock::now().time_since_epoch().count();
  pulseThread = std::thread([this] { pulse(); });
}

void MpiWorld::pulse() {
  std::unique_lock<std::mutex> lock(pulseMutex);
  auto interval = std::chrono::duration<double>(kPulse);
  while (!pulseWake.wait_for(lock, interval, [&] { return pulseStops; })) {
    if (busy)
      continue; // the run's watchdogs talk to each other
    try {
      for (int r = rank == 0 ? 1 : 0; r < (rank == 0 ? size : 1); ++r)
        notify(r, 0, kNoRun, "");
      poll(kPulse);
    } catch (const std::exception &) {
      return; // who waits for the others notices by their silence
    }
  }
}

void MpiWorld::stopPulse() {
  if (!pulseThread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(pulseMutex);
    pulseStops = true;
  }
  pulseWake.notify_all();
  pulseThread.join();
  // When all have stopped, take in what they have sent.
  char byte = 0;
  for (int r = 1; r < size; ++r) {
    if (rank == 0)
      receiveBytes(r, &byte, 1, 0);
    else if (rank == r)
      sendBytes(0, &byte, 1, 0);
  }
  for (int r = 1; r < size; ++r) {
    if (rank == 0)
      sendBytes(r, &byte, 1, 0);
    else if (rank == r)
      receiveBytes(0, &byte, 1, 0);
  }
  poll(1);
}

bool MpiWorld::wait(MpiRequest &request, int other, double limit) {
  using Seconds = std::chrono::duration<double>;
  Clock::time_point start = Clock::now(), last = start;
  Backoff backoff(0);
  while (!test(request)) {
    Clock::time_point now = Clock::now();
    // A process that was stopped cannot tell how long others were silent.
    if (Seconds(now - last).count() > kPulse)
      start = now;
    last = now;
    bool over = limit > 0 && Seconds(now - start).count() > limit;
    if (limit == 0 && patience > 0) {
      Clock::time_point sign{Clock::duration(heard[size_t(other)])};
      over = Seconds(now - std::max(start, sign)).count() > patience;
    }
    if (over) {
      broken = true; // MPI may still use the buffer
      return false;
    }
    backoff.pause();
  }
  return true;
}

bool MpiWorld::sendBytes(int to, const void *data, size_t bytes, double limit) {
  auto *at = static_cast<const char *>(data);
  for (size_t n; bytes > 0; at += n, bytes -= n) {
    n = std::min(bytes, limits.message);
    MpiRequest request = send(tools, at, n, to, kTool);
    if (!wait(request, to, limit))
      return false;
  }
  return true;
}

bool MpiWorld::receiveBytes(int from, void *data, size_t bytes, double limit) {
  auto *at = static_cast<char *>(data);
  for (size_t n; bytes > 0; at += n, bytes -= n) {
    n = std::min(bytes, limits.message);
    MpiRequest request = receive(tools, at, n, from, kTool);
    if (!wait(request, from, limit)) {
      cancel(request);
      return false;
    }
  }
  return true;
}

} // namespace runtime
} // namespace shardir
