//===- SlowMessages.cpp - Messages over a slow link -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what SlowMessages.h and Messages.h say. Channels that
// watch over a run, and posts, are as fast as they were.
//
//===----------------------------------------------------------------------===//

#include "SlowMessages.h"

#include "Elements/ElementType.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <set>

namespace shardir {
namespace runtime {
namespace {

using Clock = std::chrono::steady_clock;

class SlowMessages final : public Messages, public MessageCollectives {
public:
  SlowMessages(std::unique_ptr<Messages> messages, const SlowLink &link)
      : fast(std::move(messages)), link(link) {
    rank = fast->rank;
    size = fast->size;
    localSize = fast->localSize;
    control = fast->control;
    posts = fast->posts;
    tools = fast->tools;
  }

  MessageRequest send(MessageChannel channel, const void *data, size_t bytes,
                      int to, int tag) override {
    return begun(fast->send(channel, data, bytes, to, tag));
  }
  MessageRequest receive(MessageChannel channel, void *data, size_t bytes,
                         int from, int tag) override {
    MessageRequest request = fast->receive(channel, data, bytes, from, tag);
    return slow.count(channel) ? delayed(request, bytes) : begun(request);
  }
  bool test(MessageRequest request) override {
    auto *own = static_cast<Request *>(request);
    own->isDone = own->isDone || fast->test(own->request);
    if (!own->isDone || Clock::now() < own->due)
      return false;
    delete own;
    return true;
  }
  bool cancel(MessageRequest request) override {
    std::unique_ptr<Request> own(static_cast<Request *>(request));
    return own->isDone || fast->cancel(own->request);
  }
  void release(MessageRequest request) override {
    fast->release(static_cast<Request *>(request)->request);
  }
  bool take(MessageChannel channel, int tag, int &from,
            std::string &data) override {
    return fast->take(channel, tag, from, data);
  }
  MessageChannel group(const std::vector<int> &ranks) override {
    return *slow.insert(fast->group(ranks)).first;
  }
  void forgetGroups(const std::vector<MessageChannel> &those) override {
    for (MessageChannel channel : those)
      slow.erase(channel);
    fast->forgetGroups(those);
  }
  MessageCollectives *collectives() override {
    return fast->collectives() ? this : nullptr;
  }
  bool isOwn() const override { return fast->isOwn(); }
  void finish() override { fast->finish(); }
  int lost() override { return fast->lost(); }
  void leave() override { fast->leave(); }
  std::string fault() override { return fast->fault(); }
  bool gone(int other) override { return fast->gone(other); }

  MessageRequest allGather(MessageChannel channel, const void *in, void *out,
                           const MessageLayout &pieces, size_t place) override {
    return delayed(
        fast->collectives()->allGather(channel, in, out, pieces, place),
        sumOf(pieces.counts) - double(pieces.counts[place]));
  }
  MessageRequest allToAll(MessageChannel channel, const void *in,
                          const MessageLayout &sends, void *out,
                          const MessageLayout &receives) override {
    return delayed(
        fast->collectives()->allToAll(channel, in, sends, out, receives),
        sumOf(receives.counts));
  }
  MessageRequest allReduce(MessageChannel channel, const void *in, void *out,
                           size_t count, shardir_element_type type,
                           PartialKind kind) override {
    // To each member its part of the terms, and the sums of the others' parts.
    return delayed(
        fast->collectives()->allReduce(channel, in, out, count, type, kind),
        2 * double(count * elementSize(type)));
  }
  MessageRequest reduceScatter(MessageChannel channel, const void *in,
                               void *out, const std::vector<int> &counts,
                               shardir_element_type type,
                               PartialKind kind) override {
    return delayed(fast->collectives()->reduceScatter(channel, in, out, counts,
                                                      type, kind),
                   sumOf(counts) * double(elementSize(type)));
  }

private:
  struct Request {
    MessageRequest request;
    Clock::time_point due;
    bool isDone = false;
  };
  static double sumOf(const std::vector<int> &numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0);
  }
  static MessageRequest begun(MessageRequest request) {
    return new Request{request, Clock::time_point()};
  }
  MessageRequest delayed(MessageRequest request, double bytes) {
    auto seconds = [](double s) {
      return std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(s));
    };
    free = std::max(free, Clock::now()) + seconds(bytes / link.bandwidth);
    return new Request{request, free + seconds(link.latency)};
  }

  const std::unique_ptr<Messages> fast;
  const SlowLink link;
  std::set<MessageChannel> slow;
  Clock::time_point free; ///< when the link has brought what was asked for
};

} // namespace

bool readSlowLink(const char *text, SlowLink &link) {
  char *end = nullptr;
  link.latency = std::strtod(text, &end);
  if (end == text || *end != ',' || !(link.latency >= 0))
    return false;
  text = end + 1;
  link.bandwidth = std::strtod(text, &end);
  return end != text && *end == '\0' && link.bandwidth > 0;
}

std::unique_ptr<Messages> slowDown(std::unique_ptr<Messages> fast,
                                   const SlowLink &link) {
  return std::make_unique<SlowMessages>(std::move(fast), link);
}

} // namespace runtime
} // namespace shardir
