//===- TcpLinks.h - Connections that are being made -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a process connects to others of its job, and answers those that connect
// to it, once the job has started: in steps that never wait. Where two
// processes connect to each other at one time, the connection of the lower rank
// stays. Requires advance() now and then; guarantees one connection between two
// processes, both of which have proved to be of this job, and that strangers
// cost a few sockets at most.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_TCPLINKS_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_TCPLINKS_H

#include "Socket.h"
#include "TcpHandshake.h"

#include <functional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace shardir {
namespace runtime {

class TcpLinks {
public:
  struct Link {
    int rank;
    Socket socket;
  };

  /// `root` is the address of rank 0 as this process has reached it. A process
  /// that cannot be reached for `patience` seconds is a fault.
  TcpLinks(TcpHandshake handshake, Socket listener,
           const sockaddr_storage &root, double patience);

  /// Begins to connect to a rank.
  void connect(int rank, const TcpPlace &place);
  /// Ends an attempt to connect: the process has ended.
  void forget(int rank);
  bool isConnecting(int rank) const;
  /// Adds what advance() waits for.
  void addTo(std::vector<pollfd> &polled);
  /// Goes on, where `polled` has what addTo() has added, from `first` on. The
  /// connections that are made now; `isLinked(rank)` has one already.
  std::vector<Link> advance(const std::vector<pollfd> &polled, size_t first,
                            const std::function<bool(int)> &isLinked);
  /// Which process cannot be reached, and why; empty for none.
  const std::string &fault() const { return unreachable; }

private:
  /// An attempt of this process to connect.
  struct Opening {
    int rank = -1; ///< -1: given up
    TcpPlace place;
    Socket socket;
    bool isConnected = false, hasSaidHello = false;
    TcpNonce own;
    std::string heard;
    Socket::Deadline next, until; ///< when to try again, and when no more
    bool wasConnected = false;
  };
  /// Somebody who has connected and not proved anything yet.
  struct Guest {
    Socket socket;
    TcpNonce asked;
    std::string said;
    Socket::Deadline until;
  };

  void begin(Opening &opening);
  /// Begins again later, or gives up; false.
  bool fail(Opening &opening, const std::string &why);
  /// True once it is made.
  bool advance(Opening &opening);
  /// The same; false with the socket closed where it comes to nothing.
  bool advance(Guest &guest, TcpHello &hello);
  void accept();
  sockaddr_storage addressOf(const TcpPlace &place, socklen_t &length) const;

  const TcpHandshake handshake;
  const Socket listener;
  const sockaddr_storage root;
  const double patience;
  std::vector<Opening> openings;
  std::vector<Guest> guests;
  size_t polledOpenings = 0, polledGuests = 0; ///< by the last addTo()
  std::string unreachable;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_TCPLINKS_H
