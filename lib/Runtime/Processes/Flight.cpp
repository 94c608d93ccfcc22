//===- Flight.cpp - Collectives whose data is moving ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Flight.h says. Libraries move data only while
// one of their functions is called, so a thread calls one now and then.
//
//===----------------------------------------------------------------------===//

#include "Flight.h"

#include "Core/Metadata.h"
#include "Elements/Reduce.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace shardir {
namespace runtime {

/// Between two looks at what is under way, while the rank computes.
constexpr std::chrono::microseconds kRest(20);

Flight::Flight(ProcessWorld &world, MpiComm comm,
               const std::vector<Item> &items, const GroupWait &wait)
    : wait(wait), world(&world), comm(comm) {
  for (const Item &item : items) {
    const StepCall &call = item.call;
    const RoutePart &part = *item.part;
    const std::vector<SchedulePhase> &steps = item.schedule->phases;
    size_t size = elementSize(call.spec->type);
    if (part.identity)
      fillIdentity(call.route->kind, call.spec->type, call.out,
                   size_t(part.resultCount));
    MoveBuffers buffers = {
        call.in,         call.out,         size,         call.route->reduce,
        call.spec->type, call.route->kind, parts.size(), items.size()};
    // In place and in one phase, the result would overwrite what is being sent.
    if (call.in == call.out && steps.size() == 1 &&
        steps[0].way == PhaseWay::Messages && !steps[0].sends.empty()) {
      copies.emplace_back(new char[size_t(part.operandCount) * size]);
      std::memcpy(copies.back().get(), call.in,
                  size_t(part.operandCount) * size);
      buffers.in = copies.back().get();
    }
    parts.push_back({call.route->shared_from_this(), item.schedule,
                     size_t(part.place), buffers});
    phases = std::max(phases, steps.size());
  }
}

bool Flight::writes(const void *out) const {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const Part &part) { return part.buffers.out == out; });
}

void Flight::beginPhase(MoveScratch &scratch) {
  begun = true;
  for (const Part &part : parts) {
    if (phase >= part.schedule->phases.size())
      continue;
    const SchedulePhase &step = part.schedule->phases[phase];
    MoveBuffers now = part.buffers;
    for (const CopyPlan &plan : step.local)
      if (now.in != now.out)
        plan.copy(now.in, now.out, now.size);
    if (step.sendsResult)
      now.in = now.out;
    if (step.way == PhaseWay::Messages)
      moves.emplace_back(*world, comm, step, now, scratch);
    else
      calls.emplace_back(*world, comm, step, part.place, now, scratch);
  }
}

bool Flight::poll(MoveScratch &scratch) {
  if (done())
    return false;
  if (!begun)
    beginPhase(scratch);
  bool advanced = false, isOver = true;
  for (MessageMove &move : moves) {
    advanced |= !move.done() && move.poll();
    isOver &= move.done();
  }
  for (EngineCall &call : calls) {
    advanced |= call.poll();
    isOver &= call.done();
  }
  if (!isOver)
    return advanced;
  moves.clear();
  calls.clear();
  scratch.reset();
  begun = false;
  ++phase;
  return true;
}

FlightQueue::~FlightQueue() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    stops = true;
  }
  wake.notify_all();
  thread.join();
}

void FlightQueue::push(Flight flight) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    flights.push_back(std::move(flight));
    ++pushed;
    // Its first messages leave before the rank goes on.
    if (flights.size() == 1)
      advance();
  }
  if (!thread.joinable())
    thread = std::thread([this] { attend(); });
  wake.notify_all();
}

bool FlightQueue::advance() {
  bool advanced = false;
  while (!flights.empty()) {
    bool moved = flights.front().poll(scratch);
    advanced |= moved;
    if (flights.front().done())
      flights.pop_front();
    else if (!moved)
      break;
  }
  return advanced;
}

void FlightQueue::attend() {
  std::unique_lock<std::mutex> lock(mutex);
  auto hasWork = [&] { return stops || (!flights.empty() && !failure); };
  while (true) {
    wake.wait(lock, hasWork);
    if (stops)
      return;
    try {
      advance();
    } catch (...) {
      failure = std::current_exception(); // the rank's thread throws it
    }
    lock.unlock();
    std::this_thread::sleep_for(kRest);
    lock.lock();
  }
}

bool FlightQueue::poll() {
  std::lock_guard<std::mutex> lock(mutex);
  if (failure)
    std::rethrow_exception(failure);
  return advance();
}

uint64_t FlightQueue::upTo(const void *out) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t number = pushed;
  for (auto it = flights.rbegin(); it != flights.rend(); ++it, --number)
    if (it->writes(out))
      return number;
  return 0;
}

uint64_t FlightQueue::numDone() {
  std::lock_guard<std::mutex> lock(mutex);
  return pushed - flights.size();
}

uint64_t FlightQueue::numPushed() {
  std::lock_guard<std::mutex> lock(mutex);
  return pushed;
}

GroupWait FlightQueue::firstWait() {
  std::lock_guard<std::mutex> lock(mutex);
  return flights.empty() ? GroupWait() : flights.front().wait;
}

void FlightQueue::leave() {
  std::lock_guard<std::mutex> lock(mutex);
  new MoveScratch(std::move(scratch));
  new std::list<Flight>(std::move(flights));
  flights.clear();
}

} // namespace runtime
} // namespace shardir
