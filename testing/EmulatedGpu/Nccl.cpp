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
// $SHARDIR_CUDA_LIBRARY. Members are connected by sockets; what a group asks
// for moves when it ends, or when a graph runs that its stream was captured in.
// Reductions combine from the last member to the first.
//
// Requires that all members end groups with matching calls; guarantees that
// other calls or sizes at the other end, addresses that are not the GPU's, a
// member that is gone, calls of two threads on one communicator at a time and
// an abort are errors, and that calls are recorded. As a
// non-blocking communicator may, it is under way once before it has succeeded.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "NcclComm.h"
#include "NcclElements.h"
#include "Settings.h"

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

using namespace shardir::emulated;

namespace {

constexpr int kVersion = 22800;

/// The head of ncclConfig_t.
struct Config {
  size_t size;
  unsigned magic, version;
  int blocking, cgaClusterSize, minCtas, maxCtas;
};

const char *const kNames[] = {
    "ncclSend",      "ncclRecv",          "ncclBroadcast", "ncclAllGather",
    "ncclAllReduce", "ncclReduceScatter", "ncclCommSplit"};

/// Blocks of ncclMemAlloc, and with how many communicators each is registered.
struct Blocks {
  std::mutex mutex;
  std::map<void *, int> all;
} blocks;

thread_local std::vector<Operation> group;
thread_local int groupDepth = 0;

void log(const std::string &line) {
  if (Settings::get().logs())
    Settings::get().log(line);
}

std::string said(int code) {
  return code == kSuccess ? "" : " -> " + std::to_string(code);
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

int finishGroup() {
  std::vector<Operation> operations = std::move(group);
  group.clear();
  log("ncclGroupEnd calls=" + std::to_string(operations.size()));
  std::map<Comm *, std::vector<Operation>> byComm;
  for (Operation &op : operations)
    byComm[op.comm].push_back(op);
  for (auto &[comm, list] : byComm) {
    CommCall call(*comm);
    Settings::get().delay("ncclGroupEnd");
    if (comm->state != kSuccess)
      return comm->state;
    Stream *stream = list.front().stream;
    // Kept in a graph where the stream is captured.
    bool isCaptured = stream && stream->captured();
    auto run = std::make_shared<GroupRun>(*comm, std::move(list));
    // Late members keep the stream waiting, not the host.
    Queue::get().addPolled(stream, [run] { return run->step(); }, comm);
    if (Settings::get().waits && !isCaptured)
      Queue::get().finish(stream);
    if (comm->state != kSuccess)
      return comm->state;
    comm->asked = false;
  }
  return byComm.empty() ? kSuccess : kInProgress;
}

int add(Operation op) {
  const char *name = kNames[op.kind];
  Comm &comm = *op.comm;
  size_t size = ncclElementSize(op.type);
  bool sends = op.kind != Operation::Recv &&
               (op.kind != Operation::Broadcast || op.peer == comm.rank);
  bool receives = op.kind != Operation::Send;
  bool isMessage = op.kind == Operation::Send || op.kind == Operation::Recv;
  auto address = [](const char *p) {
    return uint64_t(reinterpret_cast<uintptr_t>(p));
  };
  log(std::string(name) +
      (isMessage || op.kind == Operation::Broadcast
           ? " peer=" + std::to_string(op.peer)
           : "") +
      " bytes=" + std::to_string(op.bytes * size) +
      " at=" + Memory::get().name(address(sends ? op.in : op.out)) +
      " stream=" + std::to_string(op.stream ? op.stream->number : 0));
  int code = 0;
  if (Settings::get().fails(name, code))
    return fail(comm, code, "a fault that a test asked for");
  if (comm.state != kSuccess)
    return comm.state;
  if (size == 0 || op.reduction < 0 || op.reduction > 3 || op.peer < 0 ||
      op.peer >= comm.size || !Queue::get().knows(op.stream))
    return fail(comm, kInvalidArgument,
                "a wrong type, operation, peer or stream");
  if (isMessage && op.peer == comm.rank)
    return fail(comm, kInvalidUsage, "a message to itself");
  op.bytes *= size;
  auto members = size_t(comm.size);
  size_t in =
      op.kind == Operation::ReduceScatter ? op.bytes * members : op.bytes;
  size_t out = op.kind == Operation::AllGather ? op.bytes * members : op.bytes;
  if ((sends && !Memory::get().check(address(op.in), in, "a buffer")) ||
      (receives && !Memory::get().check(address(op.out), out, "a buffer")))
    return fail(comm, kInvalidArgument, lastDetail());
  group.push_back(op);
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

/// Connects a member of a new communicator to the others.
static int make(Comm **result, int size, const UniqueId &id, int rank) {
  auto *comm = new Comm;
  comm->rank = rank;
  comm->size = size;
  comm->id = id;
  comm->sockets.assign(size_t(size), -1);
  *result = comm;
  int code = connectAll(*comm, id);
  comm->asked = false;
  return code == kSuccess ? kInProgress : code;
}

static bool isFitting(const Config *config) {
  return config && config->magic == 0xcafebeef && config->version >= 21800 &&
         config->blocking == 0;
}

SHARDIR_EXPORT int ncclCommInitRankConfig(Comm **result, int size, UniqueId id,
                                          int rank, Config *config) {
  log("ncclCommInitRankConfig size=" + std::to_string(size) +
      " rank=" + std::to_string(rank) +
      (config && config->size >= sizeof(Config)
           ? " maxCTAs=" + std::to_string(config->maxCtas)
           : ""));
  if (!isFitting(config) || rank < 0 || rank >= size)
    return kInvalidArgument;
  return make(result, size, id, rank);
}

SHARDIR_EXPORT int ncclCommSplit(Comm *parent, int color, int key,
                                 Comm **result, Config *config) {
  log("ncclCommSplit color=" + std::to_string(color) +
      " key=" + std::to_string(key));
  *result = nullptr;
  if (!isFitting(config) || color < -1)
    return kInvalidArgument;
  CommCall call(*parent);
  int code = 0;
  if (Settings::get().fails("ncclCommSplit", code))
    return fail(*parent, code, "a fault that a test asked for");
  if (parent->state != kSuccess)
    return parent->state;
  // The members of the same color, by key and then by rank.
  std::vector<std::array<int, 2>> all(size_t(parent->size));
  std::array<int, 2> own = {color, key};
  all[size_t(parent->rank)] = own;
  code =
      GroupRun(*parent, {{Operation::Split, parent, nullptr,
                          reinterpret_cast<const char *>(own.data()),
                          reinterpret_cast<char *>(all.data()), sizeof(own)}})
          .run();
  if (code != kSuccess)
    return code;
  int number = parent->splits++;
  parent->asked = false;
  if (color < 0)
    return kInProgress;
  int size = 0, rank = 0;
  for (int r = 0; r < parent->size; ++r) {
    if (all[size_t(r)][0] != color)
      continue;
    ++size;
    rank += std::pair(all[size_t(r)][1], r) < std::pair(key, parent->rank);
  }
  UniqueId id = parent->id;
  size_t length = std::strlen(id.bytes);
  std::snprintf(id.bytes + length, sizeof(id.bytes) - length, "/%d.%d", number,
                color);
  return make(result, size, id, rank);
}

SHARDIR_EXPORT int ncclCommCount(const Comm *comm, int *size) {
  *size = comm->size;
  return kSuccess;
}

SHARDIR_EXPORT int ncclCommUserRank(const Comm *comm, int *rank) {
  *rank = comm->rank;
  return kSuccess;
}

SHARDIR_EXPORT int ncclCommCuDevice(const Comm *, int *device) {
  *device = 0;
  return kSuccess;
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

SHARDIR_EXPORT int ncclMemAlloc(void **p, size_t bytes) {
  *p = reinterpret_cast<void *>(uintptr_t(Memory::get().allocate(bytes)));
  int code = *p ? kSuccess : kUnhandledCudaError;
  log("ncclMemAlloc bytes=" + std::to_string(bytes) + said(code));
  std::lock_guard<std::mutex> lock(blocks.mutex);
  if (*p)
    blocks.all[*p] = 0;
  return code;
}

/// Work that is on its way and registrations must be gone.
SHARDIR_EXPORT int ncclMemFree(void *p) {
  auto address = uint64_t(reinterpret_cast<uintptr_t>(p));
  std::string at = Memory::get().name(address);
  std::lock_guard<std::mutex> lock(blocks.mutex);
  auto it = blocks.all.find(p);
  int code = it == blocks.all.end()                     ? kInvalidArgument
             : it->second > 0 || !Queue::get().isIdle() ? kInvalidUsage
                                                        : kSuccess;
  log("ncclMemFree at=" + at + said(code));
  if (code != kSuccess)
    return code;
  blocks.all.erase(it);
  return Memory::get().release(address) ? kSuccess : kInternalError;
}

SHARDIR_EXPORT int ncclCommRegister(Comm *comm, void *p, size_t bytes,
                                    void **handle) {
  CommCall call(*comm);
  auto address = uint64_t(reinterpret_cast<uintptr_t>(p));
  std::lock_guard<std::mutex> lock(blocks.mutex);
  int code = kSuccess;
  *handle = nullptr;
  if (Settings::get().fails("ncclCommRegister", code))
    fail(*comm, code, "a fault that a test asked for");
  else if (comm->aborted || comm->registered.count(p))
    code = fail(*comm, kInvalidUsage,
                comm->aborted ? "the communicator was aborted"
                              : "the block is registered");
  else if (!Memory::get().check(address, bytes, "a buffer"))
    code = fail(*comm, kInvalidArgument, lastDetail());
  log("ncclCommRegister at=" + Memory::get().name(address) +
      " bytes=" + std::to_string(bytes) + said(code));
  if (code != kSuccess)
    return code;
  *handle = p;
  comm->registered[p] = bytes;
  if (auto it = blocks.all.find(p); it != blocks.all.end())
    ++it->second;
  return kSuccess;
}

SHARDIR_EXPORT int ncclCommDeregister(Comm *comm, void *handle) {
  CommCall call(*comm);
  std::lock_guard<std::mutex> lock(blocks.mutex);
  int code = comm->aborted || !comm->registered.erase(handle) ? kInvalidUsage
                                                              : kSuccess;
  log("ncclCommDeregister at=" +
      Memory::get().name(uint64_t(reinterpret_cast<uintptr_t>(handle))) +
      said(code));
  if (code != kSuccess)
    return fail(*comm, code, "the block is not registered");
  if (auto it = blocks.all.find(handle); it != blocks.all.end())
    --it->second;
  return kSuccess;
}

SHARDIR_EXPORT int ncclCommAbort(Comm *comm) {
  // NCCL would wait for graphs that hold its collectives.
  log("ncclCommAbort registered=" + std::to_string(comm->registered.size()) +
      " graphs=" + std::to_string(Queue::get().graphsOf(comm)));
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
  case kUnhandledCudaError:
    return "unhandled cuda error";
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

SHARDIR_EXPORT int ncclSend(const char *in, size_t count, int type, int peer,
                            Comm *comm, Stream *stream) {
  return add({Operation::Send, comm, stream, in, nullptr, count, peer, type});
}

SHARDIR_EXPORT int ncclRecv(char *out, size_t count, int type, int peer,
                            Comm *comm, Stream *stream) {
  return add({Operation::Recv, comm, stream, nullptr, out, count, peer, type});
}

SHARDIR_EXPORT int ncclBroadcast(const char *in, char *out, size_t count,
                                 int type, int root, Comm *comm,
                                 Stream *stream) {
  return add({Operation::Broadcast, comm, stream, in, out, count, root, type});
}

SHARDIR_EXPORT int ncclAllGather(const char *in, char *out, size_t count,
                                 int type, Comm *comm, Stream *stream) {
  return add({Operation::AllGather, comm, stream, in, out, count, 0, type});
}

SHARDIR_EXPORT int ncclAllReduce(const char *in, char *out, size_t count,
                                 int type, int reduction, Comm *comm,
                                 Stream *stream) {
  return add(
      {Operation::AllReduce, comm, stream, in, out, count, 0, type, reduction});
}

SHARDIR_EXPORT int ncclReduceScatter(const char *in, char *out, size_t count,
                                     int type, int reduction, Comm *comm,
                                     Stream *stream) {
  return add({Operation::ReduceScatter, comm, stream, in, out, count, 0, type,
              reduction});
}
