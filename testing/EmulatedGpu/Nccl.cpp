//===- Nccl.cpp - NCCL between emulated GPUs ------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of libnccl.so.2 that the runtime uses, between processes of one
// machine, for tests: $SHARDIR_NCCL_LIBRARY names the same library as
// $SHARDIR_CUDA_LIBRARY. Members are connected by sockets; a group's messages
// move when it ends.
//
// Requires that all members end groups with matching messages; guarantees that
// sends and receives of other sizes, addresses that are not the GPU's, a member
// that is gone, calls of two threads on one communicator at a time and an abort
// are errors, and that calls are recorded. As a
// non-blocking communicator may, it is under way once before it has succeeded.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Queue.h"
#include "Settings.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

using namespace shardir::emulated;

namespace {

enum : int {
  kSuccess = 0,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
};
constexpr int kVersion = 22800;
constexpr double kPatience = 60; ///< seconds

struct UniqueId {
  char bytes[128];
};
/// The head of ncclConfig_t.
struct Config {
  size_t size;
  unsigned magic, version;
  int blocking;
};

struct Comm {
  int rank = 0, size = 0;
  std::vector<int> sockets; ///< by rank; -1 for the own
  std::atomic<bool> aborted{false};
  std::atomic<int> state{kSuccess};
  std::atomic<bool> asked{true}; ///< since the last call
  std::atomic<int> callers{0};   ///< threads in a call, but for an abort
  std::string detail;            ///< of `state`
};

struct Message {
  Comm *comm;
  Stream *stream;
  int peer;
  char *data;
  size_t bytes;
  bool sends;
};
thread_local std::vector<Message> group;
thread_local int groupDepth = 0;

void log(const std::string &line) {
  if (Settings::get().logs())
    Settings::get().log(line);
}

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int fail(Comm &comm, int code, const std::string &detail) {
  comm.detail = detail;
  comm.state = code;
  return code;
}

/// A call on a communicator. NCCL 2.23 frees the jobs of a group in
/// ncclCommGetAsyncError too, so a second thread's call is an error.
class CommCall {
public:
  explicit CommCall(Comm &comm) : comm(comm) {
    if (comm.callers++ > 0)
      fail(comm, kInvalidUsage,
           "two threads are in calls on one communicator at a time");
  }
  ~CommCall() { --comm.callers; }
  CommCall(const CommCall &) = delete;

private:
  Comm &comm;
};

/// An address of the abstract namespace: it goes with the processes.
socklen_t addressOf(const UniqueId &id, int rank, sockaddr_un &address) {
  address = {};
  address.sun_family = AF_UNIX;
  std::string name = std::string(id.bytes) + "." + std::to_string(rank);
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

/// Every member listens; the higher rank of two connects.
int connectAll(Comm &comm, const UniqueId &id) {
  sockaddr_un address;
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t length = addressOf(id, comm.rank, address);
  auto refuse = [&](const std::string &what) {
    if (listener >= 0)
      close(listener);
    return fail(comm, kSystemError, what + ": " + std::strerror(errno));
  };
  if (listener < 0 ||
      bind(listener, reinterpret_cast<sockaddr *>(&address), length) != 0 ||
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
  close(listener);
  for (int s : comm.sockets)
    if (s >= 0)
      fcntl(s, F_SETFL, fcntl(s, F_GETFL) | O_NONBLOCK);
  return kSuccess;
}

/// A message on its way: its size first, then its bytes.
struct Flow {
  Message *message;
  uint64_t size;
  size_t at = 0; ///< of size and data together
  bool done() const { return at == sizeof(size) + message->bytes; }
};

/// Moves what it can. 1: something moved; 0: nothing; -1: the peer is gone; -2:
/// the sizes differ.
int advance(Flow &flow, int s) {
  Message &m = *flow.message;
  bool head = flow.at < sizeof(flow.size);
  char *p = head ? reinterpret_cast<char *>(&flow.size) + flow.at
                 : m.data + (flow.at - sizeof(flow.size));
  size_t n = head ? sizeof(flow.size) - flow.at
                  : m.bytes - (flow.at - sizeof(flow.size));
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
  if (!m.sends && flow.at == sizeof(flow.size) && flow.size != m.bytes)
    return -2;
  return 1;
}

/// Moves the messages of one communicator: per peer and direction in order.
int exchange(Comm &comm, std::vector<Message *> &messages) {
  std::vector<std::vector<Flow>> lanes(size_t(comm.size) * 2);
  for (Message *m : messages)
    lanes[size_t(m->peer) * 2 + m->sends].push_back({m, m->bytes});
  double end = now() + kPatience;
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
        if (result == -1)
          return fail(comm, kRemoteError, peer + " is gone");
        if (result == -2)
          return fail(comm, kInvalidUsage,
                      peer + " sends " + std::to_string(flow.size) +
                          " bytes, but " + std::to_string(flow.message->bytes) +
                          " are to be received");
        if (!flow.done())
          break; // the next one of this lane waits
      }
    }
    if (!open)
      return kSuccess;
    if (comm.aborted)
      return fail(comm, kInternalError, "aborted");
    if (moved)
      continue;
    if (now() > end)
      return fail(comm, kInternalError, "messages did not come");
    usleep(50);
  }
}

int finishGroup() {
  std::vector<Message> messages = std::move(group);
  group.clear();
  std::map<Comm *, std::vector<Message *>> byComm;
  for (Message &m : messages)
    byComm[m.comm].push_back(&m);
  for (auto &[comm, list] : byComm) {
    CommCall call(*comm);
    Settings::get().delay("ncclGroupEnd");
    if (comm->state != kSuccess)
      return comm->state;
    int result = kSuccess;
    // A message to itself is a copy.
    std::vector<Message *> others;
    for (Message *m : list) {
      if (m->peer == comm->rank)
        return fail(*comm, kInvalidUsage, "a message to itself");
      others.push_back(m);
    }
    Queue::get().runNow(list.front()->stream, [&, c = comm] {
      result = exchange(*c, others);
      return std::string();
    });
    if (result != kSuccess)
      return result;
    comm->asked = false;
  }
  return byComm.empty() ? kSuccess : kInProgress;
}

int addMessage(const char *name, bool sends, const void *data, size_t bytes,
               int type, int peer, Comm *comm, Stream *stream) {
  log(std::string(name) + " peer=" + std::to_string(peer) +
      " bytes=" + std::to_string(bytes) +
      " at=" + Memory::get().name(uint64_t(reinterpret_cast<uintptr_t>(data))) +
      " stream=" + std::to_string(stream ? stream->number : 0));
  int code = 0;
  if (Settings::get().fails(name, code))
    return fail(*comm, code, "a fault that a test asked for");
  if (comm->state != kSuccess)
    return comm->state;
  if (type != 0 || peer < 0 || peer >= comm->size ||
      !Queue::get().knows(stream))
    return fail(*comm, kInvalidArgument, "a wrong type, peer or stream");
  if (!Memory::get().check(uint64_t(reinterpret_cast<uintptr_t>(data)), bytes,
                           "a buffer"))
    return fail(*comm, kInvalidArgument, lastDetail());
  group.push_back({comm, stream, peer,
                   static_cast<char *>(const_cast<void *>(data)), bytes,
                   sends});
  return groupDepth > 0 ? kSuccess : finishGroup();
}

} // namespace

#define SHARDIR_EXPORT extern "C" __attribute__((visibility("default")))

SHARDIR_EXPORT int ncclGetVersion(int *version) {
  *version = kVersion;
  return kSuccess;
}

SHARDIR_EXPORT int ncclGetUniqueId(UniqueId *id) {
  static std::atomic<int> count{0};
  *id = {};
  std::random_device random;
  std::snprintf(id->bytes, sizeof(id->bytes), "shardir-nccl-%d-%d-%x", getpid(),
                count++, random());
  return kSuccess;
}

SHARDIR_EXPORT int ncclCommInitRankConfig(Comm **result, int size, UniqueId id,
                                          int rank, Config *config) {
  log("ncclCommInitRankConfig size=" + std::to_string(size) +
      " rank=" + std::to_string(rank));
  if (!config || config->magic != 0xcafebeef || config->version < 21800 ||
      config->blocking != 0 || rank < 0 || rank >= size)
    return kInvalidArgument;
  auto *comm = new Comm;
  comm->rank = rank;
  comm->size = size;
  comm->sockets.assign(size_t(size), -1);
  *result = comm;
  int code = connectAll(*comm, id);
  comm->asked = false;
  return code == kSuccess ? kInProgress : code;
}

SHARDIR_EXPORT int ncclCommGetAsyncError(Comm *comm, int *state) {
  CommCall call(*comm);
  int code = 0;
  if (Settings::get().fails("ncclCommGetAsyncError", code))
    fail(*comm, code, "a fault that a test asked for");
  bool asked = comm->asked.exchange(true);
  *state = comm->state != kSuccess ? int(comm->state)
           : asked                 ? kSuccess
                                   : kInProgress;
  return kSuccess;
}

SHARDIR_EXPORT int ncclCommAbort(Comm *comm) {
  log("ncclCommAbort");
  // Whoever is in an exchange sees it there; the rest is left to the process.
  comm->aborted = true;
  for (int s : comm->sockets)
    if (s >= 0)
      shutdown(s, SHUT_RDWR);
  return kSuccess;
}

SHARDIR_EXPORT const char *ncclGetErrorString(int code) {
  switch (code) {
  case kSuccess:
    return "no error";
  case kSystemError:
    return "unhandled system error";
  case kInternalError:
    return "internal error";
  case kInvalidArgument:
    return "invalid argument";
  case kInvalidUsage:
    return "invalid usage";
  case kRemoteError:
    return "remote process exited or there was a network error";
  case kInProgress:
    return "NCCL operation in progress";
  }
  return "unknown result code";
}

SHARDIR_EXPORT const char *ncclGetLastError(Comm *comm) {
  return comm ? comm->detail.c_str() : "";
}

SHARDIR_EXPORT int ncclGroupStart() {
  ++groupDepth;
  return kSuccess;
}

SHARDIR_EXPORT int ncclGroupEnd() {
  if (groupDepth == 0)
    return kInvalidUsage;
  return --groupDepth > 0 ? kSuccess : finishGroup();
}

SHARDIR_EXPORT int ncclSend(const void *data, size_t count, int type, int peer,
                            Comm *comm, Stream *stream) {
  return addMessage("ncclSend", true, data, count, type, peer, comm, stream);
}

SHARDIR_EXPORT int ncclRecv(void *data, size_t count, int type, int peer,
                            Comm *comm, Stream *stream) {
  return addMessage("ncclRecv", false, data, count, type, peer, comm, stream);
}
