//===- NcclComm.h - A communicator of the emulated NCCL ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members of a communicator are connected by sockets; the operations of a group
// are messages on them, and what each member does with these. Reductions
// combine from the last member to the first.
//
// Requires one caller at a time, but for an abort; guarantees that another
// call or size at the other end, a member that is gone and an abort are errors.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_NCCLCOMM_H
#define SHARDIR_TESTING_EMULATEDGPU_NCCLCOMM_H

#include "Queue.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shardir {
namespace emulated {

/// Of ncclResult_t.
enum : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
};

struct UniqueId {
  char bytes[128];
};
struct Comm {
  int rank = 0, size = 0;
  std::vector<int> sockets; ///< by rank; -1 for the own
  std::atomic<bool> aborted{false};
  std::atomic<int> state{kSuccess};
  std::atomic<bool> asked{true};       ///< since the last call
  std::atomic<int> callers{0};         ///< threads in a call, but for an abort
  std::string detail;                  ///< of `state`
  UniqueId id = {};                    ///< names its members' addresses
  int splits = 0;                      ///< that were made of it
  std::map<void *, size_t> registered; ///< blocks; each is its own handle
};
/// The communicator has failed from now on.
int fail(Comm &comm, int code, const std::string &detail);
/// Connects to all other members, who do the same with the same id.
int connectAll(Comm &comm, const UniqueId &id);

/// One call of a group.
struct Operation {
  enum Kind : uint32_t {
    Send,
    Recv,
    Broadcast,
    AllGather,
    AllReduce,
    ReduceScatter,
    Split
  } kind;
  Comm *comm;
  Stream *stream;
  const char *in;
  char *out;
  size_t bytes;      ///< of a message, or of one member's piece
  int peer = 0;      ///< the other end, or the root
  int type = 0;      ///< of its elements
  int reduction = 0; ///< of reductions
  /// The same for all who take part.
  uint64_t signature() const {
    bool isMessage = kind == Send || kind == Recv;
    return (isMessage ? 0 : kind) | uint64_t(type) << 8 |
           uint64_t(reduction) << 16 |
           (kind == Broadcast ? uint64_t(peer) << 32 : 0);
  }
};
/// The data that one operation sends to a peer or gets from it.
struct Message {
  int peer;
  char *data;
  size_t bytes;
  bool sends;
  uint64_t signature;
};

/// A message on its way: its head first, then its bytes.
struct Flow {
  const Message *message;
  struct Head {
    uint64_t size, signature;
  } head;
  size_t at = 0; ///< of head and data together
  bool done() const { return at == sizeof(head) + message->bytes; }
};

/// The operations of one group on one communicator, in their order.
class GroupRun {
public:
  GroupRun(Comm &comm, std::vector<Operation> operations)
      : comm(comm), operations(std::move(operations)) {}
  /// Does what can be done without a wait for the others.
  Progress step();
  /// Carries them out, again and again where a graph holds them.
  int run();

private:
  Progress exchange();
  void add(const Operation &op, int peer, const char *data, size_t bytes,
           bool sends);
  void post(const Operation &op);
  void reduce(const Operation &op, size_t stride, size_t own);
  template <class F> void forOthers(F &&f) const {
    for (int r = 0; r < comm.size; ++r)
      if (r != comm.rank)
        f(r);
  }

  Comm &comm;
  const std::vector<Operation> operations;
  std::deque<Message> messages;
  std::deque<std::vector<char>> kept; ///< terms of others
  std::vector<std::function<void()>> after;
  std::vector<std::vector<Flow>> lanes; ///< per peer and direction, in order
  bool isBegun = false;
  double end = 0; ///< when to give up
};

} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_NCCLCOMM_H
