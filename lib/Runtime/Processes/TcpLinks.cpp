//===- TcpLinks.cpp - Connections that are being made ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what TcpLinks.h says.
//
//===----------------------------------------------------------------------===//

#include "TcpLinks.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>

namespace shardir {
namespace runtime {

namespace {

constexpr double kRetry = 0.05;       ///< seconds between two attempts
constexpr double kDeathIsTold = 1;    ///< after the end of a connection
constexpr double kGuestPatience = 10; ///< for a Hello
constexpr size_t kMostGuests = 64;

/// Takes a message from the front. False where it is not all there.
template <class T> bool take(std::string &text, T &message) {
  if (text.size() < sizeof(message))
    return false;
  std::memcpy(&message, text.data(), sizeof(message));
  text.erase(0, sizeof(message));
  return true;
}

std::string textOf(const sockaddr_storage &address) {
  char text[INET6_ADDRSTRLEN] = "";
  bool isSix = address.ss_family == AF_INET6;
  auto &six = reinterpret_cast<const sockaddr_in6 &>(address);
  auto &four = reinterpret_cast<const sockaddr_in &>(address);
  ::inet_ntop(address.ss_family,
              isSix ? static_cast<const void *>(&six.sin6_addr)
                    : static_cast<const void *>(&four.sin_addr),
              text, sizeof(text));
  return (isSix ? "[" + std::string(text) + "]" : std::string(text)) + ":" +
         std::to_string(ntohs(isSix ? six.sin6_port : four.sin_port));
}

} // namespace

TcpLinks::TcpLinks(TcpHandshake handshake, Socket listener,
                   const sockaddr_storage &root, double patience)
    : handshake(std::move(handshake)), listener(std::move(listener)),
      root(root), patience(patience) {}

sockaddr_storage TcpLinks::addressOf(const TcpPlace &place,
                                     socklen_t &length) const {
  sockaddr_storage address = root;
  auto &six = reinterpret_cast<sockaddr_in6 &>(address);
  auto &four = reinterpret_cast<sockaddr_in &>(address);
  // Rank 0 may have seen it as a process of its own machine.
  if (!place.isRootsMachine) {
    address = {};
    address.ss_family = place.isIpv6 ? AF_INET6 : AF_INET;
    if (place.isIpv6)
      std::memcpy(&six.sin6_addr, place.address, 16);
    else
      std::memcpy(&four.sin_addr, place.address, 4);
  }
  bool isSix = address.ss_family == AF_INET6;
  (isSix ? six.sin6_port : four.sin_port) = htons(place.port);
  length = isSix ? sizeof(six) : sizeof(four);
  return address;
}

void TcpLinks::connect(int rank, const TcpPlace &place) {
  if (isConnecting(rank))
    return;
  openings.emplace_back();
  Opening &opening = openings.back();
  opening.rank = rank;
  opening.place = place;
  opening.until = deadlineIn(patience);
  begin(opening);
}

void TcpLinks::forget(int rank) {
  for (Opening &opening : openings)
    if (opening.rank == rank)
      opening.rank = -1; // advance() removes it
}

bool TcpLinks::isConnecting(int rank) const {
  return std::any_of(openings.begin(), openings.end(),
                     [&](const Opening &o) { return o.rank == rank; });
}

void TcpLinks::begin(Opening &opening) {
  socklen_t length = 0;
  sockaddr_storage address = addressOf(opening.place, length);
  opening.own = makeTcpNonce();
  opening.socket =
      Socket::begin(reinterpret_cast<sockaddr *>(&address), length);
  if (!opening.socket)
    fail(opening, std::strerror(errno));
}

bool TcpLinks::fail(Opening &opening, const std::string &why) {
  // If the process has ended, rank 0 reports it soon.
  if (opening.isConnected && !opening.wasConnected) {
    opening.until = std::max(opening.until, deadlineIn(kDeathIsTold));
    opening.wasConnected = true;
  }
  opening.socket.reset();
  opening.isConnected = opening.hasSaidHello = false;
  opening.heard.clear();
  opening.next = deadlineIn(kRetry);
  if (millisecondsUntil(opening.until) > 0 || !unreachable.empty())
    return false;
  socklen_t length;
  unreachable = "rank " + std::to_string(handshake.rank) +
                " cannot reach rank " + std::to_string(opening.rank) + " at " +
                textOf(addressOf(opening.place, length)) + ": " + why;
  return false;
}

bool TcpLinks::advance(Opening &opening) {
  if (!opening.socket) {
    if (millisecondsUntil(opening.next) == 0)
      begin(opening);
    return false;
  }
  if (!opening.isConnected) {
    if (int error = opening.socket.connectError())
      return fail(opening, std::strerror(error));
    opening.isConnected = true;
  }
  if (!opening.hasSaidHello) {
    if (!opening.socket.readUpTo(opening.heard, sizeof(TcpChallenge)))
      return fail(opening, "it has closed the connection");
    TcpChallenge c;
    if (!take(opening.heard, c))
      return false;
    TcpHello hello = handshake.hello(c.nonce, opening.own, 0);
    // Few bytes go at once into a connection that is new.
    if (!TcpHandshake::isOurs(c) ||
        !opening.socket.write(&hello, sizeof(hello), deadlineIn(0)))
      return fail(opening, "what listens there is no process of this job");
    opening.hasSaidHello = true;
  }
  if (!opening.socket.readUpTo(opening.heard, sizeof(TcpVerdict)))
    return fail(opening, "it has closed the connection");
  TcpVerdict verdict;
  if (!take(opening.heard, verdict))
    return false;
  if (handshake.isOfJob(verdict, opening.own) && !verdict.failed)
    return true;
  return fail(opening, "what listens there is no process of this job");
}

bool TcpLinks::advance(Guest &guest, TcpHello &hello) {
  bool isThere = guest.socket.readUpTo(guest.said, sizeof(hello));
  if (take(guest.said, hello)) {
    if (handshake.isOfJob(hello, guest.asked) &&
        hello.size == uint32_t(handshake.size) && hello.rank < hello.size &&
        hello.rank != uint32_t(handshake.rank))
      return true;
    isThere = false;
  }
  if (!isThere || millisecondsUntil(guest.until) == 0)
    guest.socket.reset();
  return false;
}

void TcpLinks::accept() {
  while (guests.size() < kMostGuests) {
    Socket socket = listener.accept();
    if (!socket)
      return;
    TcpNonce asked = makeTcpNonce();
    TcpChallenge c = handshake.challenge(asked);
    if (socket.write(&c, sizeof(c), deadlineIn(0)))
      guests.push_back(
          {std::move(socket), asked, "", deadlineIn(kGuestPatience)});
  }
}

void TcpLinks::addTo(std::vector<pollfd> &polled) {
  polled.push_back({listener.get(), POLLIN, 0});
  for (const Opening &o : openings) // -1 is ignored
    polled.push_back(
        {o.socket.get(), short(o.isConnected ? POLLIN : POLLOUT), 0});
  for (const Guest &guest : guests)
    polled.push_back({guest.socket.get(), POLLIN, 0});
  polledOpenings = openings.size();
  polledGuests = guests.size();
}

std::vector<TcpLinks::Link>
TcpLinks::advance(const std::vector<pollfd> &polled, size_t first,
                  const std::function<bool(int)> &isLinked) {
  std::vector<Link> made;
  for (size_t i = 0; i < polledOpenings; ++i) {
    Opening &opening = openings[i];
    if (opening.rank < 0 ||
        (opening.socket && !polled[first + 1 + i].revents) || !advance(opening))
      continue;
    made.push_back({opening.rank, std::move(opening.socket)});
    opening.rank = -1;
  }
  for (size_t i = 0; i < polledGuests; ++i) {
    Guest &guest = guests[i];
    TcpHello hello;
    if (!polled[first + 1 + polledOpenings + i].revents &&
        millisecondsUntil(guest.until) > 0)
      continue;
    if (!advance(guest, hello))
      continue;
    auto rank = int(hello.rank);
    bool isMade = isLinked(rank) ||
                  std::any_of(made.begin(), made.end(), [&](const Link &link) {
                    return link.rank == rank;
                  });
    TcpVerdict verdict = handshake.verdict(false, 0, hello.nonce);
    if (!isMade && !(isConnecting(rank) && handshake.rank < rank) &&
        guest.socket.write(&verdict, sizeof(verdict), deadlineIn(0))) {
      forget(rank);
      made.push_back({rank, std::move(guest.socket)});
    }
    guest.socket.reset();
  }
  bool isAsked = polled[first].revents != 0;
  polledOpenings = polledGuests = 0;
  openings.erase(
      std::remove_if(openings.begin(), openings.end(),
                     [](const Opening &opening) { return opening.rank < 0; }),
      openings.end());
  guests.erase(std::remove_if(guests.begin(), guests.end(),
                              [](const Guest &guest) { return !guest.socket; }),
               guests.end());
  if (isAsked)
    accept();
  return made;
}

} // namespace runtime
} // namespace shardir
