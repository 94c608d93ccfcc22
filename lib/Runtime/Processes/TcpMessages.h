//===- TcpMessages.h - Messages over sockets --------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processes that are connected to each other, every two by one TCP connection:
// TcpStart.cpp makes them, TcpMessages.cpp runs them. Requires a network whose
// hosts trust each other, as MPI and NCCL do; guarantees that a process which
// ends without a word is known to all that are connected to it, at once if its
// machine lives.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_TCPMESSAGES_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_TCPMESSAGES_H

#include "Core/Messages.h"
#include "Socket.h"

#include <cstdint>
#include <deque>
#include <map>
#include <poll.h>

namespace shardir {
namespace runtime {

class TcpMessages final : public Messages {
public:
  /// `sockets[r]` leads to rank r; the own one is none.
  TcpMessages(int rank, int localSize, std::vector<Socket> sockets);
  ~TcpMessages() override;

  MessageRequest send(MessageChannel channel, const void *data, size_t bytes,
                      int to, int tag) override;
  MessageRequest receive(MessageChannel channel, void *data, size_t bytes,
                         int from, int tag) override;
  bool test(MessageRequest request) override;
  bool cancel(MessageRequest request) override;
  void release(MessageRequest request) override;
  bool take(MessageChannel channel, int tag, int &from,
            std::string &data) override;
  MessageChannel group(const std::vector<int> &ranks) override;
  bool isOwn() const override { return true; }
  void finish() override;
  int lost() override { return firstLost; }
  void leave() override;
  bool gone(int other) override {
    const Peer &peer = peers[size_t(other)];
    return !peer.socket || peer.saidGoodbye;
  }

private:
  /// The header of a message.
  struct Head {
    uint32_t channel = 0;
    int32_t tag = 0;
    uint64_t bytes = 0;
  };
  using Key = std::pair<uint32_t, int32_t>;
  struct Request {
    bool isSend = false, done = false;
    int peer = 0;
    Key key;
    char *data = nullptr;
    size_t bytes = 0;
    std::string kept; ///< a send's own copy, once the caller's is let go
    Head head;        ///< of a send
    size_t at = 0;    ///< sent so far, head included
  };
  /// A message that comes, or has come.
  struct Incoming {
    Key key;
    size_t bytes = 0, at = 0;
    std::string own;         ///< where nobody waits for it yet
    Request *into = nullptr; ///< where somebody does
    bool complete() const { return at == bytes; }
  };
  struct Peer {
    Socket socket;
    bool saidGoodbye = false;
    std::deque<Request *> out;
    std::vector<char> buffer; ///< read, but not taken apart yet
    size_t begin = 0, end = 0;
    std::shared_ptr<Incoming> current;
    std::map<Key, std::deque<std::shared_ptr<Incoming>>> arrived;
    std::map<Key, std::deque<Request *>> wanted;
  };

  void progress();
  void write(Peer &peer);
  void read(int rank);
  /// Takes what is buffered apart. False if it is no message.
  bool parse(Peer &peer);
  void begin(Peer &peer, const Head &head);
  void complete(Peer &peer);
  void match(Peer &peer, const Key &key);
  void lose(int rank);
  static char *destination(Incoming &message) {
    return message.into ? message.into->data : message.own.data();
  }

  std::vector<Peer> peers;
  std::vector<pollfd> polled;
  int firstLost = -1;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_TCPMESSAGES_H
