//===- Socket.h - A TCP connection, or a place to listen --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sockets that do not block, and what waits for them until a deadline. Requires
// nothing; guarantees that a socket is closed with its owner and in children
// that run other programs, and that no signal comes of a connection that ends.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_SOCKET_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_SOCKET_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

struct sockaddr;

namespace shardir {
namespace runtime {

class Socket {
public:
  using Deadline = std::chrono::steady_clock::time_point;

  explicit Socket(int fd = -1) : fd(fd) {}
  Socket(Socket &&other) noexcept : fd(other.release()) {}
  Socket &operator=(Socket &&other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Socket() { reset(); }

  /// Listens at `port`, or at any for 0, for IPv6 and IPv4; `actual` is the
  /// port. None with `error` set to an errno.
  static Socket listen(int port, int backlog, uint16_t &actual, int &error);
  /// Begins to connect, and is ready for writing when it has come to something.
  /// None with errno set.
  static Socket begin(const sockaddr *address, size_t length);
  /// The outcome of begin(): 0 or an errno.
  int connectError() const;
  /// None with errno set.
  static Socket connect(const sockaddr *address, size_t length,
                        Deadline deadline);
  /// The same by name; none with `why` set.
  static Socket connect(const std::string &host, int port, Deadline deadline,
                        std::string &why);
  /// Whoever waits to be accepted; none if nobody does.
  Socket accept() const;

  // All of the bytes, or false: the other end is gone, or the time is.
  bool read(void *data, size_t bytes, Deadline deadline) const;
  bool write(const void *data, size_t bytes, Deadline deadline) const;
  /// Adds what has come to `text`, up to `bytes` in all, and never waits. False
  /// where the other end is gone.
  bool readUpTo(std::string &text, size_t bytes) const;

  int get() const { return fd; }
  explicit operator bool() const { return fd >= 0; }
  int release() {
    int f = fd;
    fd = -1;
    return f;
  }
  void reset(int other = -1);

private:
  bool wait(short events, Deadline deadline) const;
  void prepare() const;

  int fd;
};

Socket::Deadline deadlineIn(double seconds);
/// 0 if it has passed.
int millisecondsUntil(Socket::Deadline deadline);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_SOCKET_H
