//===- Queue.h - Streams and events of the emulated GPU ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that is queued on streams. By default the thread that queues it does it
// at once, and threads do so concurrently. A lazy queue puts copies off until
// somebody waits for them; kernels, whose parameters cannot be kept, are done
// when they are queued, after whatever their stream must do before. Either way
// an order is kept that a GPU could choose.
//
// Requires streams and events of its own; guarantees that a wait for an event
// waits for what was recorded when the wait was queued.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_QUEUE_H
#define SHARDIR_TESTING_EMULATEDGPU_QUEUE_H

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace shardir {
namespace emulated {

struct Stream;

/// Of work that waits for other processes; Stuck: it has failed, and what is
/// behind it never comes.
enum class Progress { Pending, Done, Stuck };

struct Event {
  int number = 0;
  Stream *stream = nullptr; ///< where it was recorded last
  uint64_t place = 0;       ///< in that stream
  std::chrono::steady_clock::time_point time;
  bool asked = false;         ///< since it was recorded
  Stream *captured = nullptr; ///< the stream whose capture it is of
};

/// The work queued on captured streams, in the order in which the host queued
/// it. Nodes say what went wrong, or nothing; or are asked until they are done.
struct Graph {
  struct Node {
    std::function<std::string()> run;
    std::function<Progress()> poll;
    const void *owner = nullptr; ///< of addPolled
  };
  std::vector<Node> nodes;
  bool spoiled = false, unjoined = false;
};
/// Of a graph, whose nodes stay until the last launch has ended.
struct GraphExec {
  std::shared_ptr<const Graph> graph;
};

struct Stream {
  int number = 0;
  std::unique_ptr<Graph> capture; ///< while a capture is of this one
  Stream *origin = nullptr;       ///< of the capture that this one has joined
  bool isOpen = false; ///< and has work there that nobody waits for yet
  Graph *captured() const {
    return origin ? origin->capture.get() : capture.get();
  }
  struct Work {
    std::function<void()> run;
    std::function<Progress()> poll; ///< asked until it is done
    /// Without both: a wait for
    Stream *other = nullptr;
    uint64_t place = 0;
  };
  std::deque<Work> queue;
  uint64_t done = 0, queued = 0;
};

class Queue {
public:
  static Queue &get();

  Stream *makeStream();
  Event *makeEvent();
  bool destroy(Stream *stream);
  bool destroy(Event *event);
  bool knows(Stream *stream);
  bool knows(Event *event);

  /// Work that can be put off.
  void add(Stream *stream, std::function<void()> work);
  /// Work that goes on whenever somebody asks for the stream's progress.
  void addPolled(Stream *stream, std::function<Progress()> poll,
                 const void *owner);
  /// How many executable graphs hold work of this owner.
  size_t graphsOf(const void *owner);
  /// Work that cannot: what went wrong, or nothing. What it refers to must live
  /// as long as a graph that it is captured in: a GPU's driver copies
  /// parameters, of which only the caller knows the sizes here.
  std::string runNow(Stream *stream, const std::function<std::string()> &work);
  /// The nodes in order, at once where none is to be asked; what went wrong, or
  /// nothing.
  std::string launch(const std::shared_ptr<const Graph> &graph, Stream *stream);
  /// The fault behind work that is asked: the GPU is lost. Empty for none.
  std::string fault();
  /// Whether the stream is captured; what cannot be then spoils the capture.
  bool spoilCapture(Stream *stream);
  /// False where it is captured already.
  bool beginCapture(Stream *stream);
  /// The graph, null where the stream was not captured.
  std::unique_ptr<Graph> endCapture(Stream *stream);
  std::set<Graph *> graphs;
  std::set<GraphExec *> executables;
  /// On a captured stream, and in what waits for the event, parts and joins of
  /// the capture.
  void record(Event *event, Stream *stream);
  void await(Stream *stream, const Event *event);
  /// Whether the event has been passed; where work is put off, never at the
  /// first question.
  bool query(Event *event);
  /// Whether all that the stream has been given is done, without a wait.
  bool isEmpty(Stream *stream);
  /// Whether no stream has work that may still be done.
  bool isIdle();
  /// Does it all, or what is in front of work that is stuck.
  void finish(Stream *stream);
  void finishAll();
  /// False unless both have been recorded and passed.
  bool elapsed(const Event *from, const Event *to, float *milliseconds);

private:
  Queue() = default;
  Progress advance(Stream *stream, uint64_t place);

  std::recursive_mutex mutex;
  Stream null; ///< the null stream
  std::map<Stream *, std::unique_ptr<Stream>> streams;
  std::map<Event *, std::unique_ptr<Event>> events;
  int streamCount = 0, eventCount = 0;
  std::string lost;
};

} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_QUEUE_H
