//===- Flight.h - Collectives whose data is moving --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective, or a bucket, from its first message to its last, and those
// that have been started, one after the other. Requires operands and results
// that nobody else uses meanwhile, and a channel on which all members make
// their calls in one order; guarantees that what has been started goes on while
// the rank computes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_FLIGHT_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_FLIGHT_H

#include "Core/Communicator.h"
#include "EngineCall.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace shardir {
namespace runtime {

/// A collective of a group without posts, for whoever looks on.
struct GroupWait {
  bool isChecked = true;
  uint64_t group = 0, begun = 0;
};

class Flight {
public:
  /// One of the collectives, as the rank whose part is `part` calls it.
  struct Item {
    StepCall call;
    const RoutePart *part;
    const MessageSchedule *schedule; ///< lives as long as the route
  };
  Flight(ProcessWorld &world, MpiComm comm, const std::vector<Item> &items,
         const GroupWait &wait);
  Flight(Flight &&) = default;

  /// Goes on, from its beginning first. Whether anything has arrived or left.
  /// Until it is done it uses memory of `scratch`.
  bool poll(MoveScratch &scratch);
  bool done() const { return phase >= phases; }
  bool writes(const void *out) const;

  GroupWait wait;

private:
  struct Part {
    std::shared_ptr<const Route> route; ///< keeps the schedule
    const MessageSchedule *schedule;
    size_t place;
    MoveBuffers buffers;
  };
  void beginPhase(MoveScratch &scratch);

  ProcessWorld *world;
  MpiComm comm;
  std::vector<Part> parts;
  std::vector<std::unique_ptr<char[]>> copies;
  size_t phase = 0, phases = 0;
  bool begun = false; ///< the phase
  std::deque<MessageMove> moves;
  std::deque<EngineCall> calls;
};

/// The started collectives of a rank. The rank's thread calls it; a thread of
/// its own goes on with them meanwhile.
class FlightQueue {
public:
  FlightQueue() = default;
  ~FlightQueue();
  FlightQueue(const FlightQueue &) = delete;

  void push(Flight flight);
  /// Goes on with the first one. Whether anything has arrived or left.
  bool poll();
  /// How many have been pushed up to the last one that writes to `out` and is
  /// not done, or 0; how many are done; how many there were.
  uint64_t upTo(const void *out);
  uint64_t numDone();
  uint64_t numPushed();
  /// That of the first one.
  GroupWait firstWait();
  /// Leaves what messages may still use where it is.
  void leave();

private:
  void attend();
  bool advance();

  std::mutex mutex; ///< guards all below but the thread
  std::condition_variable wake;
  std::list<Flight> flights;
  MoveScratch scratch;
  uint64_t pushed = 0;
  std::exception_ptr failure; ///< in the thread
  bool stops = false;
  std::thread thread; ///< once something has been started
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_FLIGHT_H
