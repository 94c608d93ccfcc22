//===- Socket.cpp - A TCP connection, or a place to listen ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Socket.h says. Small messages go at once
// (TCP_NODELAY), and connections to machines that are gone end some time
// (SO_KEEPALIVE).
//
//===----------------------------------------------------------------------===//

#include "Socket.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace shardir {
namespace runtime {

Socket::Deadline deadlineIn(double seconds) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(seconds));
}

int millisecondsUntil(Socket::Deadline deadline) {
  int64_t left = std::chrono::duration_cast<std::chrono::milliseconds>(
                     deadline - std::chrono::steady_clock::now())
                     .count();
  return int(std::clamp<int64_t>(left, 0, INT_MAX));
}

void Socket::reset(int other) {
  if (fd >= 0)
    ::close(fd);
  fd = other;
}

void Socket::prepare() const {
  int on = 1;
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  (void)::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

bool Socket::wait(short events, Deadline deadline) const {
  pollfd waiting = {fd, events, 0};
  int n;
  do
    n = ::poll(&waiting, 1, millisecondsUntil(deadline));
  while (n < 0 && errno == EINTR);
  return n == 1;
}

Socket Socket::listen(int port, int backlog, uint16_t &actual, int &error) {
  // One socket for both, or for IPv4 where there is nothing else.
  for (int family : {AF_INET6, AF_INET}) {
    Socket socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) {
      error = errno;
      continue;
    }
    int on = 1, off = 0;
    (void)::setsockopt(socket.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in6 six = {};
    sockaddr_in four = {};
    bool isSix = family == AF_INET6;
    auto *address = isSix ? reinterpret_cast<sockaddr *>(&six)
                          : reinterpret_cast<sockaddr *>(&four);
    auto length = socklen_t(isSix ? sizeof(six) : sizeof(four));
    address->sa_family = sa_family_t(family);
    (isSix ? six.sin6_port : four.sin_port) = htons(uint16_t(port));
    if (isSix)
      (void)::setsockopt(socket.fd, IPPROTO_IPV6, IPV6_V6ONLY, &off,
                         sizeof(off));
    if (::bind(socket.fd, address, length) == 0 &&
        ::listen(socket.fd, std::max(backlog, 16)) == 0) {
      ::getsockname(socket.fd, address, &length);
      actual = ntohs(isSix ? six.sin6_port : four.sin_port);
      socket.prepare();
      return socket;
    }
    error = errno;
    if (error == EADDRINUSE)
      break;
  }
  return Socket();
}

Socket Socket::begin(const sockaddr *address, size_t length) {
  Socket socket(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket)
    return socket;
  socket.prepare();
  if (::connect(socket.fd, address, socklen_t(length)) != 0 &&
      errno != EINPROGRESS) {
    int error = errno;
    socket.reset();
    errno = error;
  }
  return socket;
}

int Socket::connectError() const {
  int error = 0;
  socklen_t size = sizeof(error);
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

Socket Socket::connect(const sockaddr *address, size_t length,
                       Deadline deadline) {
  Socket socket = begin(address, length);
  if (!socket)
    return socket;
  int error =
      socket.wait(POLLOUT, deadline) ? socket.connectError() : ETIMEDOUT;
  if (error) {
    socket.reset();
    errno = error;
  }
  return socket;
}

Socket Socket::connect(const std::string &host, int port, Deadline deadline,
                       std::string &why) {
  addrinfo hints = {}, *list = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  int result =
      ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (result != 0) {
    why = ::gai_strerror(result);
    return Socket();
  }
  Socket socket;
  for (addrinfo *a = list; a && !socket; a = a->ai_next) {
    socket = connect(a->ai_addr, a->ai_addrlen, deadline);
    if (!socket)
      why = std::strerror(errno);
  }
  ::freeaddrinfo(list);
  return socket;
}

Socket Socket::accept() const {
  Socket socket(::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC));
  if (socket)
    socket.prepare();
  return socket;
}

bool Socket::read(void *data, size_t bytes, Deadline deadline) const {
  auto *at = static_cast<char *>(data);
  while (bytes > 0) {
    ssize_t n = ::recv(fd, at, bytes, 0);
    if (n > 0) {
      at += n;
      bytes -= size_t(n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR) ||
               !wait(POLLIN, deadline)) {
      return false;
    }
  }
  return true;
}

bool Socket::write(const void *data, size_t bytes, Deadline deadline) const {
  auto *at = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t n = ::send(fd, at, bytes, MSG_NOSIGNAL);
    if (n > 0) {
      at += n;
      bytes -= size_t(n);
    } else if ((errno != EAGAIN && errno != EINTR) ||
               !wait(POLLOUT, deadline)) {
      return false;
    }
  }
  return true;
}

bool Socket::readUpTo(std::string &text, size_t bytes) const {
  while (text.size() < bytes) {
    char some[256];
    ssize_t n = ::recv(fd, some, std::min(sizeof(some), bytes - text.size()),
                       MSG_DONTWAIT);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno == EAGAIN || errno == EWOULDBLOCK;
    if (n == 0)
      return false;
    text.append(some, size_t(n));
  }
  return true;
}

} // namespace runtime
} // namespace shardir
