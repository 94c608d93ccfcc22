//===- Queue.cpp - Streams and events of the emulated GPU -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Queue.h says. A lazy queue copies under one
// lock: what it shows is an order that holds, not speed.
//
//===----------------------------------------------------------------------===//

#include "Queue.h"

#include "Settings.h"

#include <algorithm>
#include <unistd.h>

namespace shardir {
namespace emulated {

using Lock = std::lock_guard<std::recursive_mutex>;

Queue &Queue::get() {
  static Queue &queue = *new Queue; // outlives static destructors
  return queue;
}

Stream *Queue::makeStream() {
  Lock lock(mutex);
  auto stream = std::make_unique<Stream>();
  stream->number = ++streamCount;
  Stream *result = stream.get();
  streams[result] = std::move(stream);
  return result;
}

Event *Queue::makeEvent() {
  Lock lock(mutex);
  auto event = std::make_unique<Event>();
  event->number = ++eventCount;
  Event *result = event.get();
  events[result] = std::move(event);
  return result;
}

bool Queue::destroy(Stream *stream) {
  Lock lock(mutex);
  if (!streams.count(stream))
    return false;
  finish(stream);
  for (auto &[event, owner] : events)
    if (event->stream == stream || event->captured == stream)
      event->stream = event->captured = nullptr;
  streams.erase(stream);
  return true;
}

bool Queue::destroy(Event *event) {
  Lock lock(mutex);
  return events.erase(event) != 0;
}

bool Queue::knows(Stream *stream) {
  Lock lock(mutex);
  return !stream || streams.count(stream);
}

bool Queue::knows(Event *event) {
  Lock lock(mutex);
  return events.count(event) != 0;
}

Progress Queue::advance(Stream *stream, uint64_t place) {
  while (stream->done < place) {
    Stream::Work &first = stream->queue.front();
    Progress progress = first.poll    ? first.poll()
                        : first.other ? advance(first.other, first.place)
                                      : Progress::Done;
    if (progress != Progress::Done)
      return progress;
    Stream::Work work = std::move(first);
    stream->queue.pop_front();
    ++stream->done;
    if (work.run)
      work.run();
  }
  return Progress::Done;
}

bool Queue::isEmpty(Stream *stream) {
  Lock lock(mutex);
  stream = stream ? stream : &null;
  return advance(stream, stream->queued) == Progress::Done;
}

bool Queue::isIdle() {
  Lock lock(mutex);
  bool all = advance(&null, null.queued) != Progress::Pending;
  for (auto &[stream, owner] : streams)
    all &= advance(stream, stream->queued) != Progress::Pending;
  return all;
}

bool Queue::spoilCapture(Stream *stream) {
  Lock lock(mutex);
  if (!stream || !stream->captured())
    return false;
  return stream->captured()->spoiled = true;
}

bool Queue::beginCapture(Stream *stream) {
  Lock lock(mutex);
  if (stream->captured())
    return false;
  stream->capture = std::make_unique<Graph>();
  return true;
}

std::unique_ptr<Graph> Queue::endCapture(Stream *stream) {
  Lock lock(mutex);
  for (auto &[joined, owner] : streams)
    if (joined->origin == stream) {
      stream->capture->unjoined |= joined->isOpen;
      joined->origin = nullptr;
      joined->isOpen = false;
    }
  return std::move(stream->capture);
}

void Queue::add(Stream *stream, std::function<void()> work) {
  if (stream && stream->captured()) {
    stream->isOpen = stream->origin;
    stream->captured()->nodes.push_back({[work = std::move(work)] {
                                           work();
                                           return std::string();
                                         },
                                         nullptr, nullptr});
    return;
  }
  if (!Settings::get().lazy && isEmpty(stream))
    return work();
  Lock lock(mutex);
  stream = stream ? stream : &null;
  stream->queue.push_back({std::move(work), nullptr, nullptr, 0});
  ++stream->queued;
}

size_t Queue::graphsOf(const void *owner) {
  Lock lock(mutex);
  return size_t(std::count_if(
      executables.begin(), executables.end(), [&](GraphExec *executable) {
        const std::vector<Graph::Node> &nodes = executable->graph->nodes;
        return std::any_of(nodes.begin(), nodes.end(),
                           [&](auto &node) { return node.owner == owner; });
      }));
}

void Queue::addPolled(Stream *stream, std::function<Progress()> poll,
                      const void *owner) {
  Lock lock(mutex);
  stream = stream ? stream : &null;
  if (stream->captured()) {
    stream->isOpen = stream->origin;
    stream->captured()->nodes.push_back({nullptr, std::move(poll), owner});
    return;
  }
  stream->queue.push_back({nullptr, std::move(poll), nullptr, 0});
  ++stream->queued;
  (void)advance(stream, stream->queued);
}

std::string Queue::runNow(Stream *stream,
                          const std::function<std::string()> &work) {
  if (stream && stream->captured()) {
    stream->isOpen = stream->origin;
    stream->captured()->nodes.push_back({work, nullptr, nullptr});
    return "";
  }
  if (Settings::get().lazy || !isEmpty(stream))
    finish(stream);
  // Not under the lock: a kernel may leave by a jump out of a signal handler.
  return work();
}

std::string Queue::launch(const std::shared_ptr<const Graph> &graph,
                          Stream *stream) {
  bool waits = false;
  for (const Graph::Node &node : graph->nodes)
    waits |= bool(node.poll);
  if (!waits)
    return runNow(stream, [&graph] {
      for (const Graph::Node &node : graph->nodes)
        if (std::string said = node.run(); !said.empty())
          return said;
      return std::string();
    });
  Lock lock(mutex);
  stream = stream ? stream : &null;
  for (const Graph::Node &node : graph->nodes) {
    auto poll = [this, graph, &node] {
      if (node.poll)
        return node.poll();
      std::string said = node.run();
      if (said.empty())
        return Progress::Done;
      lost = said;
      return Progress::Stuck;
    };
    stream->queue.push_back({nullptr, poll, nullptr, 0});
    ++stream->queued;
  }
  (void)advance(stream, stream->queued);
  return "";
}

std::string Queue::fault() {
  Lock lock(mutex);
  return lost;
}

void Queue::record(Event *event, Stream *stream) {
  Lock lock(mutex);
  stream = stream ? stream : &null;
  event->asked = false;
  event->captured = nullptr;
  if (stream->captured()) {
    event->captured = stream->origin ? stream->origin : stream;
    event->stream = stream;
    return;
  }
  event->stream = stream;
  add(stream == &null ? nullptr : stream,
      [event] { event->time = std::chrono::steady_clock::now(); });
  event->place = stream->queued;
}

void Queue::await(Stream *stream, const Event *event) {
  Lock lock(mutex);
  stream = stream ? stream : &null;
  if (event->captured && event->captured->capture) {
    if (!stream->captured()) { // joins the capture
      stream->origin = event->captured;
      stream->isOpen = true;
    } else if (event->stream != stream) {
      event->stream->isOpen = false;
    }
    return;
  }
  if (stream->captured()) { // what is outside of a capture is no part of it
    stream->captured()->spoiled = true;
    return;
  }
  if (!event->stream || event->stream->done >= event->place ||
      (!Settings::get().lazy &&
       advance(event->stream, event->place) == Progress::Done))
    return;
  stream->queue.push_back({nullptr, nullptr, event->stream, event->place});
  ++stream->queued;
}

bool Queue::query(Event *event) {
  Lock lock(mutex);
  if (!event->stream || event->stream->done >= event->place)
    return true;
  if (Settings::get().lazy && !event->asked) {
    event->asked = true;
    return false;
  }
  return advance(event->stream, event->place) == Progress::Done;
}

void Queue::finish(Stream *stream) {
  stream = stream ? stream : &null;
  while (true) {
    {
      Lock lock(mutex);
      if (advance(stream, stream->queued) != Progress::Pending)
        return;
    }
    usleep(50);
  }
}

void Queue::finishAll() {
  finish(nullptr);
  Lock lock(mutex);
  for (auto &[stream, owner] : streams)
    finish(stream);
}

bool Queue::elapsed(const Event *from, const Event *to, float *milliseconds) {
  Lock lock(mutex);
  using Clock = std::chrono::steady_clock;
  if (from->time == Clock::time_point() || to->time == Clock::time_point())
    return false;
  *milliseconds =
      std::chrono::duration<float, std::milli>(to->time - from->time).count();
  return true;
}

} // namespace emulated
} // namespace shardir
