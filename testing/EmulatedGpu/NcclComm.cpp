//===- NcclComm.cpp - A communicator of the emulated NCCL -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what NcclComm.h says.
//
//===----------------------------------------------------------------------===//

#include "NcclComm.h"

#include "Memory.h"
#include "NcclElements.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace shardir {
namespace emulated {

int fail(Comm &comm, int code, const std::string &detail) {
  comm.detail = detail;
  comm.state = code;
  return code;
}

namespace {

constexpr double kPatience = 60; ///< seconds

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A file, which processes in other network namespaces see, too. The id of a
/// communicator that was split may be longer than an address.
socklen_t addressOf(const UniqueId &id, int rank, sockaddr_un &address) {
  address = {};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof(address.sun_path),
                P_tmpdir "/shardir-nccl-%zx.%d",
                std::hash<std::string>()(id.bytes), rank);
  return sizeof(address);
}

/// Moves what it can. 1: something moved; 0: nothing; -1: the peer is gone; -2:
/// the heads differ.
int advance(Flow &flow, int s) {
  const Message &m = *flow.message;
  bool head = flow.at < sizeof(flow.head);
  char *p = head ? reinterpret_cast<char *>(&flow.head) + flow.at
                 : m.data + (flow.at - sizeof(flow.head));
  size_t n = head ? sizeof(flow.head) - flow.at
                  : m.bytes - (flow.at - sizeof(flow.head));
  // The kernel cannot look into protected memory on a thread's behalf.
  char piece[65536];
  n = std::min(n, sizeof(piece));
  ssize_t moved;
  if (m.sends) {
    Memory::Access access;
    std::memcpy(piece, p, n);
    moved = send(s, piece, n, MSG_NOSIGNAL);
  } else {
    moved = recv(s, piece, n, 0);
    if (moved > 0) {
      Memory::Access access;
      std::memcpy(p, piece, size_t(moved));
    }
  }
  if (moved == 0 && n > 0)
    return -1;
  if (moved < 0)
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
  flow.at += size_t(moved);
  if (!m.sends && flow.at == sizeof(flow.head) &&
      (flow.head.size != m.bytes || flow.head.signature != m.signature))
    return -2;
  return 1;
}

} // namespace

/// Moves what it can.
Progress GroupRun::exchange() {
  while (true) {
    bool open = false, moved = false;
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
      for (Flow &flow : lanes[lane]) {
        if (flow.done())
          continue;
        open = true;
        int result = 1;
        while (result == 1 && !flow.done()) {
          result = advance(flow, comm.sockets[lane / 2]);
          moved |= result == 1;
        }
        std::string peer = "rank " + std::to_string(lane / 2);
        if (result == -1) {
          fail(comm, kRemoteError, peer + " is gone");
          return Progress::Stuck;
        }
        if (result == -2) {
          // The others need not wait for what will not come.
          for (int socket : comm.sockets)
            if (socket >= 0)
              shutdown(socket, SHUT_RDWR);
          fail(comm, kInvalidUsage,
               flow.head.signature != flow.message->signature
                   ? peer + " is in another call"
                   : peer + " sends " + std::to_string(flow.head.size) +
                         " bytes, but " + std::to_string(flow.message->bytes) +
                         " are to be received");
          return Progress::Stuck;
        }
        if (!flow.done())
          break; // the next one of this lane waits
      }
    }
    if (!open)
      return Progress::Done;
    if (moved)
      continue;
    if (now() > end) {
      fail(comm, kInternalError, "messages did not come");
      return Progress::Stuck;
    }
    return Progress::Pending;
  }
}

/// Every member listens; the higher rank of two connects.
int connectAll(Comm &comm, const UniqueId &id) {
  sockaddr_un own, address;
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t length = addressOf(id, comm.rank, own);
  auto stopListening = [&] {
    if (listener >= 0)
      close(listener);
    unlink(own.sun_path);
  };
  auto refuse = [&](const std::string &what) {
    int code = fail(comm, kSystemError, what + ": " + std::strerror(errno));
    stopListening();
    return code;
  };
  if (listener < 0 ||
      bind(listener, reinterpret_cast<sockaddr *>(&own), length) != 0 ||
      listen(listener, comm.size) != 0)
    return refuse("cannot listen");
  double end = now() + kPatience;
  for (int peer = 0; peer < comm.rank; ++peer) {
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    length = addressOf(id, peer, address);
    while (connect(s, reinterpret_cast<sockaddr *>(&address), length) != 0) {
      if (now() > end)
        return refuse("cannot reach rank " + std::to_string(peer));
      usleep(1000);
    }
    if (write(s, &comm.rank, sizeof(int)) != sizeof(int))
      return refuse("cannot greet rank " + std::to_string(peer));
    comm.sockets[size_t(peer)] = s;
  }
  for (int i = comm.rank + 1; i < comm.size; ++i) {
    pollfd waiting = {listener, POLLIN, 0};
    int peer = -1;
    if (poll(&waiting, 1, int((end - now()) * 1000)) != 1)
      return refuse("a member did not come");
    int s = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (s < 0 || read(s, &peer, sizeof(int)) != sizeof(int) ||
        peer <= comm.rank || peer >= comm.size)
      return refuse("a stranger came");
    comm.sockets[size_t(peer)] = s;
  }
  stopListening();
  for (int s : comm.sockets)
    if (s >= 0)
      fcntl(s, F_SETFL, fcntl(s, F_GETFL) | O_NONBLOCK);
  return kSuccess;
}

void GroupRun::add(const Operation &op, int peer, const char *data,
                   size_t bytes, bool sends) {
  messages.push_back(
      {peer, const_cast<char *>(data), bytes, sends, op.signature()});
}
void GroupRun::post(const Operation &op) {
  size_t n = op.bytes, own = size_t(comm.rank) * n;
  auto copyOwn = [&](const char *from, char *to) {
    if (from != to)
      after.push_back([=] { std::memmove(to, from, n); });
  };
  switch (op.kind) {
  case Operation::Send:
  case Operation::Recv:
    return add(op, op.peer, op.kind == Operation::Send ? op.in : op.out, n,
               op.kind == Operation::Send);
  case Operation::Broadcast:
    if (comm.rank != op.peer)
      return add(op, op.peer, op.out, n, false);
    forOthers([&](int r) { add(op, r, op.in, n, true); });
    return copyOwn(op.in, op.out);
  case Operation::AllGather:
  case Operation::Split:
    forOthers([&](int r) {
      add(op, r, op.in, n, true);
      add(op, r, op.out + size_t(r) * n, n, false);
    });
    return copyOwn(op.in, op.out + own);
  case Operation::AllReduce:
    return reduce(op, 0, 0);
  case Operation::ReduceScatter:
    return reduce(op, n, own);
  }
}

/// Member r gets `bytes` from r * stride on, reduced: from the last member's
/// term to the first one's, so that nobody takes it for the order of ranks.
void GroupRun::reduce(const Operation &op, size_t stride, size_t own) {
  std::vector<const char *> terms(size_t(comm.size));
  forOthers([&](int r) {
    kept.emplace_back(op.bytes);
    terms[size_t(r)] = kept.back().data();
    add(op, r, op.in + size_t(r) * stride, op.bytes, true);
    add(op, r, kept.back().data(), op.bytes, false);
  });
  terms[size_t(comm.rank)] = op.in + own;
  after.push_back([op, terms = std::move(terms)] {
    std::vector<char> sum(terms.back(), terms.back() + op.bytes);
    for (size_t r = terms.size() - 1; r-- > 0;)
      ncclCombine(op.type, op.reduction, sum.data(), terms[r],
                  op.bytes / ncclElementSize(op.type));
    std::memcpy(op.out, sum.data(), sum.size());
  });
}

Progress GroupRun::step() {
  // An operation that hung ends, with whatever is in the buffers.
  if (comm.aborted)
    return Progress::Done;
  if (comm.state != kSuccess)
    return Progress::Stuck;
  if (!isBegun) {
    isBegun = true;
    end = now() + kPatience;
    for (const Operation &op : operations)
      post(op);
    lanes.assign(size_t(comm.size) * 2, {});
    for (const Message &m : messages)
      lanes[size_t(m.peer) * 2 + m.sends].push_back(
          {&m, {m.bytes, m.signature}});
  }
  Progress progress = exchange();
  if (progress == Progress::Pending)
    return progress;
  if (progress == Progress::Done) {
    Memory::Access access;
    for (const std::function<void()> &each : after)
      each();
  }
  isBegun = false;
  messages.clear();
  after.clear();
  kept.clear();
  return progress;
}

int GroupRun::run() {
  Progress progress;
  while ((progress = step()) == Progress::Pending)
    usleep(50);
  if (comm.aborted)
    return fail(comm, kInternalError, "aborted");
  return comm.state;
}

} // namespace emulated
} // namespace shardir
