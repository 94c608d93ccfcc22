//===- TcpMessages.h - Messages over sockets --------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processes that send each other messages over TCP. TcpStart.cpp connects each
// one to rank 0; two others are connected when one first sends to the other
// (TcpLinks.h), by an address that it asks rank 0 for. So a process has a
// socket for rank 0, at most three for the relays below, and one for each
// process that it exchanges messages with. Requires a network whose hosts trust
// each other, as MPI and NCCL do; guarantees that a process which ends is known
// to all at once if its machine lives: rank 0, which is connected to all, tells
// them. Where rank 0 does not answer, the others tell each other: rank r is
// connected to the ranks r/2, 2r and 2r+1, but for rank 0.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_TCPMESSAGES_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_TCPMESSAGES_H

#include "Core/Messages.h"
#include "Socket.h"
#include "TcpLinks.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <poll.h>

namespace shardir {
namespace runtime {

class TcpMessages final : public Messages {
public:
  /// `sockets[r]` leads to rank r, or is none. `places` are those of all ranks
  /// on rank 0, and `links` connects to them on the others; both may be missing
  /// where all are connected.
  TcpMessages(int rank, int localSize, std::vector<Socket> sockets,
              std::vector<TcpPlace> places = {},
              std::unique_ptr<TcpLinks> links = nullptr);
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
    auto it = peers.find(other);
    return it != peers.end() && it->second.hasLeft;
  }
  std::string fault() override { return links ? links->fault() : ""; }
  /// How many processes this one is connected to.
  size_t numConnections() const;
  /// Whom a process tells of those that have ended, besides rank 0, which tells
  /// all.
  static std::vector<int> relaysOf(int rank, int size);

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
    std::string kept;       ///< a send's own copy, once the caller's is let go
    bool isControl = false; ///< of this class' own, which nobody waits for
    Head head;              ///< of a send
    size_t at = 0;          ///< sent so far, head included
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
    int rank = -1;
    Socket socket;
    bool isSought = false;  ///< its address has been asked for
    bool hasSpoken = false; ///< over this socket
    /// It has ended, with or without a word, or said that it does.
    bool hasLeft = false;
    std::deque<Request *> out;
    std::vector<char> buffer; ///< read, but not taken apart yet
    size_t begin = 0, end = 0;
    std::shared_ptr<Incoming> current;
    std::map<Key, std::deque<std::shared_ptr<Incoming>>> arrived;
    std::map<Key, std::deque<Request *>> wanted;
  };

  Peer &peerOf(int other);
  void adopt(int other, Socket socket);
  void seek(Peer &peer);
  void progress();
  void write(Peer &peer);
  void read(Peer &peer);
  /// Takes what is buffered apart. False if it is no message.
  bool parse(Peer &peer);
  void begin(Peer &peer, const Head &head);
  void complete(Peer &peer);
  void match(Peer &peer, const Key &key);
  void lose(Peer &peer);
  // Messages of this class' own.
  void say(Peer &peer, uint32_t channel, int32_t tag, std::string text = "");
  void hear(Peer &peer, const Key &key, const std::string &text);
  /// Remembers that a process has ended, and tells others with the next
  /// tellOthers().
  void depart(Peer &peer, bool isLost);
  void tellOthers();
  static char *destination(Incoming &message) {
    return message.into ? message.into->data : message.own.data();
  }

  std::map<int, Peer> peers;          ///< those that are known of
  const std::vector<TcpPlace> places; ///< rank 0's, by rank
  const std::unique_ptr<TcpLinks> links;
  std::vector<pollfd> polled;
  std::vector<Peer *> polledPeers;
  std::vector<int32_t> haveLeft, areLost; ///< others are not told yet
  int firstLost = -1;
  bool isLeaving = false;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_TCPMESSAGES_H
