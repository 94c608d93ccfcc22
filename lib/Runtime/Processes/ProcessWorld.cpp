//===- ProcessWorld.cpp - This process among those of one job -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what ProcessWorld.h says. Everything that is sent or
// received goes through `messages`, under `mutex`.
//
//===----------------------------------------------------------------------===//

#include "ProcessWorld.h"

#include "Core/Wait.h"
#include "Nccl/NcclGroups.h"
#include "Processes/Launch.h"
#include "SlowMessages.h"
#include "WatchTree.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace shardir {
namespace runtime {

namespace {

enum Tag : int { kNotice = 1, kTool = 1 };

constexpr size_t kNoticeHeader = 12; ///< kind and run
constexpr uint64_t kNoRun = 0;       ///< of a sign of life
constexpr double kPulse = 0.2;       ///< seconds

std::mutex creation;
ProcessWorld *theWorld = nullptr; ///< never destroyed: stuck ranks may use it

bool unheardStart = false; ///< guarded by creation

void finishWhenProcessEnds() {
  static const int registered = std::atexit([] {
    if (theWorld)
      theWorld->finish();
  });
  (void)registered;
}

using Lock = std::lock_guard<std::timed_mutex>;

} // namespace

ProcessWorld *ProcessWorld::existing() {
  std::lock_guard<std::mutex> lock(creation);
  return theWorld;
}

bool ProcessWorld::startUnheard() {
  std::lock_guard<std::mutex> lock(creation);
  return unheardStart;
}

ProcessWorld *ProcessWorld::get(bool launched, double seconds,
                                std::string &error) {
  std::lock_guard<std::mutex> lock(creation);
  if (theWorld) {
    if (theWorld->overMpi || launched)
      return theWorld;
    error = "the processes were not started by MPI: start them with mpirun";
    return nullptr;
  }
  auto world = std::make_unique<ProcessWorld>();
  if (!world->start(launched, seconds, error))
    return nullptr;
  theWorld = world.release();
  finishWhenProcessEnds();
  return theWorld;
}

void ProcessWorld::readLimits() {
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

bool ProcessWorld::start(bool launched, double seconds, std::string &error) {
  readLimits();
  JobLaunch launch;
  if (launched && !findLaunch(launch, error)) {
    unheardStart = true;
    return false;
  }
  overMpi = launch.kind == JobLaunch::Alone || launch.kind == JobLaunch::Mpi;
  std::unique_ptr<Messages> started =
      overMpi ? startMpiMessages(error)
              : startTcpMessages(launch, seconds, error, unheardStart);
  return started && use(std::move(started), error);
}

bool ProcessWorld::use(std::unique_ptr<Messages> started, std::string &error) {
  messages = std::move(started);
  if (const char *text = std::getenv("SHARDIR_SLOW_LINK")) {
    SlowLink link;
    if (!readSlowLink(text, link)) {
      error = std::string("SHARDIR_SLOW_LINK must be SECONDS,BYTES_PER_SECOND, "
                          "as in 0.001,1e9, found '") +
              text + "'";
      return false;
    }
    messages = slowDown(std::move(messages), link);
  }
  rank = messages->rank;
  size = messages->size;
  localSize = messages->localSize;
  return true;
}

uint64_t ProcessWorld::nextGeneration() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

bool ProcessWorld::handOver(const Connect &connect, bool overMpi,
                            std::string &error) {
  std::lock_guard<std::mutex> lock(creation);
  if (theWorld && theWorld->messages->isOwn()) {
    error = "the processes are connected already: hand a communicator over "
            "before the first run over processes";
    return false;
  }
  if (theWorld && (theWorld->busy || theWorld->pulseThread.joinable())) {
    error = "a run over processes is going on: wait for it before you hand a "
            "communicator over";
    return false;
  }
  if (theWorld)
    NcclGroups::get().forget();
  std::unique_ptr<Messages> started = connect(error);
  if (!started)
    return false;
  auto world = std::make_unique<ProcessWorld>();
  world->readLimits();
  world->isHosts = true;
  world->overMpi = overMpi;
  if (!world->use(std::move(started), error))
    return false;
  theWorld = world.release(); // ranks that hang may use the last one
  finishWhenProcessEnds();
  return true;
}

void ProcessWorld::finish() {
  if (!messages->isOwn() || broken || busy || finished)
    return;
  finished = true;
  stopPulse();
  Lock lock(mutex);
  messages->finish();
}

MpiRequest ProcessWorld::send(MpiComm comm, const void *data, size_t bytes,
                              int to, int tag) {
  Lock lock(mutex);
  return messages->send(comm, data, bytes, to, tag);
}

MpiRequest ProcessWorld::receive(MpiComm comm, void *data, size_t bytes,
                                 int from, int tag) {
  Lock lock(mutex);
  return messages->receive(comm, data, bytes, from, tag);
}

bool ProcessWorld::test(MpiRequest &request) {
  if (!request)
    return true;
  Lock lock(mutex);
  if (!messages->test(request))
    return false;
  request = nullptr;
  return true;
}

bool ProcessWorld::cancel(MpiRequest &request) {
  if (!request)
    return true;
  Lock lock(mutex);
  bool came = messages->cancel(request);
  request = nullptr;
  return came;
}

bool ProcessWorld::isGone(int other) {
  Lock lock(mutex);
  return messages->gone(other);
}

bool ProcessWorld::someHaveLeft() {
  for (int r = 0; r < size; ++r)
    if (r != rank && isGone(r))
      return true;
  return false;
}

void ProcessWorld::leave() {
  Lock lock(mutex);
  messages->leave();
}

int ProcessWorld::lost() {
  Lock lock(mutex);
  return messages->lost();
}

std::string ProcessWorld::fault() {
  Lock lock(mutex);
  return messages->fault();
}

void ProcessWorld::post(MpiComm comm, std::shared_ptr<const std::string> data,
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

MpiComm ProcessWorld::groupComm(const std::vector<int> &ranks, bool beside) {
  MpiComm &comm = groups[{beside, ranks}];
  if (!comm) {
    Lock lock(mutex);
    comm = messages->group(ranks);
  }
  return comm;
}

void ProcessWorld::dropGroups(size_t size) {
  Lock lock(mutex);
  std::vector<MpiComm> dropped;
  for (auto it = groups.begin(); it != groups.end();) {
    const std::vector<int> &ranks = it->first.second;
    if (size_t(*std::max_element(ranks.begin(), ranks.end())) >= size) {
      ++it;
      continue;
    }
    dropped.push_back(it->second);
    it = groups.erase(it);
  }
  messages->forgetGroups(dropped);
  prepared.clear();
  generation = nextGeneration();
}

void ProcessWorld::notify(int to, uint32_t kind, uint64_t run,
                          const std::string &text) {
  auto data = std::make_shared<std::string>(kNoticeHeader, '\0');
  std::memcpy(data->data(), &kind, 4);
  std::memcpy(data->data() + 4, &run, 8);
  *data += text;
  post(messages->control, std::move(data), to, kNotice);
}

bool ProcessWorld::poll(double seconds) {
  std::unique_lock<std::timed_mutex> lock(mutex, std::defer_lock);
  if (!lock.try_lock_for(std::chrono::duration<double>(seconds)))
    return false;
  for (auto it = sent.begin(); it != sent.end();)
    it = messages->test(it->request) ? sent.erase(it) : std::next(it);
  Notice notice;
  std::string data;
  while (messages->take(messages->control, kNotice, notice.from, data)) {
    if (size_t(notice.from) < heard.size())
      heard[size_t(notice.from)] = Clock::now().time_since_epoch().count();
    if (data.size() < kNoticeHeader)
      continue;
    std::memcpy(&notice.kind, data.data(), 4);
    std::memcpy(&notice.run, data.data() + 4, 8);
    notice.text = data.substr(kNoticeHeader);
    inbox.push_back(notice);
  }
  return true;
}

bool ProcessWorld::next(uint64_t run, Notice &notice) {
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

bool ProcessWorld::beginRun(uint64_t &run) {
  bool expected = false;
  if (!busy.compare_exchange_strong(expected, true))
    return false;
  unheard = false;
  run = ++runs;
  return true;
}

void ProcessWorld::watchOthers(double seconds) {
  if (size == 1 || pulseThread.joinable())
    return;
  patience = seconds + politeness();
  heard = std::vector<std::atomic<Clock::rep>>(size_t(size));
  for (std::atomic<Clock::rep> &time : heard)
    time = Clock::now().time_since_epoch().count();
  pulseThread = std::thread([this] { pulse(); });
}

void ProcessWorld::pulse() {
  std::unique_lock<std::mutex> lock(pulseMutex);
  auto interval = std::chrono::duration<double>(kPulse);
  // Those who may wait for this process: its neighbours in the tree, and rank
  // 0.
  WatchTree tree(rank, size);
  std::vector<int> waiting = tree.childrenOf(rank);
  if (rank != 0)
    waiting.insert(waiting.end(), {tree.parentOf(rank), 0});
  while (!pulseWake.wait_for(lock, interval, [&] { return pulseStops; })) {
    if (busy)
      continue; // the run's watchdogs talk to each other
    try {
      for (int r : waiting)
        notify(r, 0, kNoRun, "");
      poll(kPulse);
    } catch (const std::exception &) {
      return; // who waits for the others notices by their silence
    }
  }
}

void ProcessWorld::stopPulse() {
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

bool ProcessWorld::wait(MpiRequest &request, int other, double limit) {
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
    {
      Lock lock(mutex);
      if (over || messages->gone(other) || messages->lost() >= 0) {
        messages->release(request);
        broken = true; // the buffer of a receive may still be used
        return false;
      }
    }
    backoff.pause(); // the watchdog's turn
  }
  return true;
}

bool ProcessWorld::sendBytes(int to, const void *data, size_t bytes,
                             double limit) {
  auto *at = static_cast<const char *>(data);
  for (size_t n; bytes > 0; at += n, bytes -= n) {
    n = std::min(bytes, limits.message);
    MpiRequest request = send(messages->tools, at, n, to, kTool);
    if (!wait(request, to, limit))
      return false;
  }
  return true;
}

bool ProcessWorld::receiveBytes(int from, void *data, size_t bytes,
                                double limit) {
  auto *at = static_cast<char *>(data);
  for (size_t n; bytes > 0; at += n, bytes -= n) {
    n = std::min(bytes, limits.message);
    MpiRequest request = receive(messages->tools, at, n, from, kTool);
    if (!wait(request, from, limit)) {
      cancel(request);
      return false;
    }
  }
  return true;
}

} // namespace runtime
} // namespace shardir
