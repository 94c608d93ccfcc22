//===- TcpStart.cpp - How processes without MPI find each other -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank 0 listens where the launcher says. The others greet it, with the port
// that they listen at themselves; when all have come, rank 0 lets all begin. It
// keeps the table of addresses, of which each other rank asks for those that it
// needs (TcpMessages.h): what rank 0 sends to a rank does not depend on how
// many there are.
//
// Requires that every process knows the same place for rank 0; guarantees that
// what goes wrong until all have come, rank 0 reports to all that it can reach,
// and that no process waits for longer than its timeout. A connection of a
// stranger is closed, where the job has a token of anyone who does not know it
// (TcpHandshake.h).
//
//===----------------------------------------------------------------------===//

#include "Processes/Launch.h"
#include "TcpMessages.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace shardir {
namespace runtime {
namespace {

constexpr size_t kMostText = 4096;
/// The last rank to give up: who speaks first ends, and may end the rest.
constexpr int kMostPolite = 5;
/// How long rank 0 stays to tell those who come that there will be no job.
constexpr double kLate = 2;

/// Behind rank 0's verdict that all begin.
struct Welcome {
  uint32_t localSize = 0;
  TcpPlace relay = {}; ///< of half the rank, which it tells of ends
};

/// A refusal, reported to all processes or to this one alone.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Start {
public:
  Start(const JobLaunch &launch, double seconds, Socket listener)
      : launch(launch), seconds(seconds), handshake(launch),
        given(std::move(listener)), sockets(size_t(launch.size)),
        nonces(size_t(launch.size)) {
    double polite = launch.rank == 0 ? 0 : std::min(launch.rank, kMostPolite);
    deadline = deadlineIn(seconds + polite);
  }

  std::unique_ptr<Messages> run(bool &heard) {
    return launch.rank == 0 ? lead() : follow(heard);
  }

private:
  std::string root() const {
    return launch.host + ":" + std::to_string(launch.port);
  }
  std::string patience() const {
    std::string text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
      text.pop_back();
    return text + " s";
  }
  /// Asks whoever has connected to prove that it knows the token. Few bytes go
  /// at once into a connection that is new.
  bool challenge(const Socket &socket, TcpNonce &nonce) const {
    TcpChallenge c = handshake.challenge(nonce = makeTcpNonce());
    return socket.write(&c, sizeof(c), deadline);
  }
  /// The first words on a connection that this process has made. False with
  /// errno where the other end does not take them.
  bool greet(const Socket &socket) const {
    TcpChallenge c;
    if (!socket.read(&c, sizeof(c), deadline) || !TcpHandshake::isOurs(c)) {
      errno = ECONNRESET;
      return false;
    }
    TcpHello h = handshake.hello(c.nonce, ownNonce, ownPort);
    return socket.write(&h, sizeof(h), deadline);
  }

  bool say(const Socket &socket, const std::string &text, bool failed,
           const TcpNonce &nonce) const {
    auto length = uint32_t(std::min(text.size(), kMostText));
    TcpVerdict verdict = handshake.verdict(failed, length, nonce);
    return socket.write(&verdict, sizeof(verdict), deadline) &&
           socket.write(text.data(), length, deadline);
  }
  /// False where rank 0 is gone, silent, or no process of ours.
  bool hear(const Socket &socket, bool &failed, std::string &text) const {
    TcpVerdict verdict;
    if (!socket.read(&verdict, sizeof(verdict), deadline) ||
        !handshake.isOfJob(verdict, ownNonce) || verdict.length > kMostText)
      return false;
    failed = verdict.failed;
    text.assign(verdict.length, '\0');
    return socket.read(text.data(), text.size(), deadline);
  }

  Socket listenAt(int port);

  // Rank 0.
  std::unique_ptr<Messages> lead();
  void gather(const Socket &listener);
  void check(const TcpHello &h) const;
  void tellAll(const std::string &text, const Socket &listener);
  TcpPlace placeOf(int rank) const;

  // The others.
  std::unique_ptr<Messages> follow(bool &heard);

  const JobLaunch &launch;
  const double seconds;
  const TcpHandshake handshake;
  Socket given; ///< rank 0: listens already
  Socket::Deadline deadline;
  uint16_t ownPort = 0;
  const TcpNonce ownNonce = makeTcpNonce();
  std::vector<Socket> sockets; ///< by rank
  // Rank 0's, by rank: the nonces that it answers, and who has come.
  std::vector<TcpNonce> nonces;
  std::map<size_t, TcpHello> hellos;
  bool sawStranger = false; ///< who did not know the token
};

Socket Start::listenAt(int port) {
  int error = 0;
  Socket socket = Socket::listen(port, launch.size, ownPort, error);
  if (socket)
    return socket;
  throw Refusal("rank " + std::to_string(launch.rank) + " cannot listen at " +
                (port ? "port " + std::to_string(port) : "any port") + ": " +
                std::strerror(error) +
                (error == EADDRINUSE
                     ? "; give the processes another one in MASTER_PORT or "
                       "SHARDIR_ROOT"
                     : ""));
}

void Start::check(const TcpHello &h) const {
  std::string who = "rank " + std::to_string(h.rank);
  if (h.size != uint32_t(launch.size))
    throw Refusal("rank 0 was started as one of " +
                  std::to_string(launch.size) + " processes, and " + who +
                  " as one of " + std::to_string(h.size));
  if (h.rank == 0 || sockets[h.rank])
    throw Refusal("two processes were started as " + who);
}

void Start::tellAll(const std::string &text, const Socket &listener) {
  int left = launch.size - 1;
  for (size_t r = 0; r < sockets.size(); ++r)
    if (sockets[r] && say(sockets[r], text, true, nonces[r]))
      --left;
  // Those who come now need not find out by themselves.
  Socket::Deadline late = std::min(deadlineIn(kLate), deadline);
  std::vector<Socket> told;
  while (left > 0 && millisecondsUntil(late) > 0) {
    pollfd waiting = {listener.get(), POLLIN, 0};
    if (::poll(&waiting, 1, millisecondsUntil(late)) != 1)
      continue;
    Socket socket = listener.accept();
    TcpHello h;
    TcpNonce asked;
    if (socket && challenge(socket, asked) &&
        socket.read(&h, sizeof(h), late) && handshake.isOfJob(h, asked) &&
        say(socket, text, true, h.nonce)) {
      told.push_back(std::move(socket));
      --left;
    }
  }
}

void Start::gather(const Socket &listener) {
  // Those who have not said all of their first words yet.
  struct Guest {
    Socket socket;
    TcpNonce asked;
    std::string said;
  };
  std::vector<Guest> guests;
  while (hellos.size() + 1 < sockets.size()) {
    std::vector<pollfd> waiting = {{listener.get(), POLLIN, 0}};
    for (const Guest &guest : guests)
      waiting.push_back({guest.socket.get(), POLLIN, 0});
    for (auto &[r, hello] : hellos)
      waiting.push_back({sockets[r].get(), POLLIN, 0});
    int left = millisecondsUntil(deadline);
    if (left == 0) {
      std::string ranks;
      size_t named = 0;
      for (size_t r = 1; r < sockets.size(); ++r)
        if (!sockets[r] && ++named <= 8)
          ranks += (ranks.empty() ? "" : ", ") + std::to_string(r);
      throw Refusal((named == 1 ? "rank " : "ranks ") + ranks +
                    (named > 8 ? ", …" : "") + " of " +
                    std::to_string(sockets.size()) +
                    (named == 1 ? " has" : " have") + " not come to " + root() +
                    " within " + patience() +
                    (sawStranger ? ", and a process was refused that does not "
                                   "know the token in SHARDIR_JOB_TOKEN"
                                 : ""));
    }
    (void)::poll(waiting.data(), nfds_t(waiting.size()), left);
    auto state = waiting.begin() + 1 + long(guests.size());
    for (auto &[r, hello] : hellos)
      if ((state++)->revents) // they say nothing before they are answered
        throw Refusal("rank " + std::to_string(r) +
                      "'s process has ended before the job began");
    for (size_t g = guests.size(); g-- > 0;) {
      if (!waiting[g + 1].revents)
        continue;
      Guest &guest = guests[g];
      TcpHello h = {};
      bool isThere = guest.socket.readUpTo(guest.said, sizeof(h));
      bool complete = guest.said.size() == sizeof(h);
      if (isThere && !complete)
        continue;
      if (complete)
        std::memcpy(&h, guest.said.data(), sizeof(h));
      if (complete && handshake.isOfJob(h, guest.asked) && h.rank < h.size) {
        try {
          check(h);
        } catch (const Refusal &refusal) {
          (void)say(guest.socket, refusal.what(), true, h.nonce);
          throw;
        }
        nonces[h.rank] = h.nonce;
        sockets[h.rank] = std::move(guest.socket);
        hellos[h.rank] = h;
      } else {
        sawStranger |=
            complete && TcpHandshake::isOurs(h) && h.job == handshake.job;
      }
      guests.erase(guests.begin() + long(g));
    }
    if (waiting[0].revents)
      if (Socket socket = listener.accept()) {
        TcpNonce asked;
        if (challenge(socket, asked))
          guests.push_back({std::move(socket), asked, ""});
      }
  }
}

TcpPlace Start::placeOf(int r) const {
  TcpPlace place = {};
  auto it = hellos.find(size_t(r));
  if (it == hellos.end())
    return place;
  place.port = it->second.port;
  place.isRootsMachine = it->second.machine == handshake.machine;
  sockaddr_storage address = {};
  socklen_t length = sizeof(address);
  ::getpeername(sockets[size_t(r)].get(),
                reinterpret_cast<sockaddr *>(&address), &length);
  if (address.ss_family == AF_INET6) {
    place.isIpv6 = 1;
    std::memcpy(place.address,
                &reinterpret_cast<sockaddr_in6 &>(address).sin6_addr, 16);
  } else {
    std::memcpy(place.address,
                &reinterpret_cast<sockaddr_in &>(address).sin_addr, 4);
  }
  return place;
}

std::unique_ptr<Messages> Start::lead() {
  Socket listener = given ? std::move(given) : listenAt(launch.port);
  try {
    gather(listener);
  } catch (const Refusal &refusal) {
    tellAll(refusal.what(), listener);
    throw;
  }
  std::map<uint64_t, uint32_t> onMachine = {{handshake.machine, 1}};
  for (auto &[r, hello] : hellos)
    ++onMachine[hello.machine];
  std::vector<TcpPlace> places;
  for (int r = 0; r < launch.size; ++r)
    places.push_back(placeOf(r));
  // One that has ended by now is lost when the job has begun.
  for (auto &[r, hello] : hellos) {
    Welcome welcome{onMachine[hello.machine], places[r / 2]};
    (void)(say(sockets[r], "", false, nonces[r]) &&
           sockets[r].write(&welcome, sizeof(welcome), deadline));
  }
  return std::make_unique<TcpMessages>(0, int(onMachine[handshake.machine]),
                                       std::move(sockets), std::move(places));
}

std::unique_ptr<Messages> Start::follow(bool &heard) {
  Socket listener = listenAt(0);
  std::string self = "rank " + std::to_string(launch.rank), why, text;
  bool failed = false, wasRefused = false;
  // A wrong answer may come from an earlier program at that port.
  while (true) {
    Socket socket = Socket::connect(launch.host, launch.port, deadline, why);
    if (socket && greet(socket)) {
      if (hear(socket, failed, text)) {
        sockets[0] = std::move(socket);
        break;
      }
      wasRefused = millisecondsUntil(deadline) > 0;
      why = "it does not answer";
    } else if (socket) {
      why = "what listens there is not rank 0";
    }
    // Rank 0 may have given up since.
    if (wasRefused)
      why = "what listens there is not rank 0 of this job, or has another "
            "token in SHARDIR_JOB_TOKEN";
    if (millisecondsUntil(deadline) == 0)
      throw Refusal(self + " cannot reach rank 0 at " + root() + " within " +
                    patience() + ": " + why);
    ::usleep(20000);
  }
  if (failed) {
    heard = true;
    throw Refusal(text);
  }
  Welcome welcome;
  if (!sockets[0].read(&welcome, sizeof(welcome), deadline))
    throw Refusal("rank 0's process has ended before the job began");
  sockaddr_storage address = {};
  socklen_t length = sizeof(address);
  ::getpeername(sockets[0].get(), reinterpret_cast<sockaddr *>(&address),
                &length);
  auto links = std::make_unique<TcpLinks>(handshake, std::move(listener),
                                          address, seconds);
  if (welcome.relay.port)
    links->connect(launch.rank / 2, welcome.relay);
  return std::make_unique<TcpMessages>(
      launch.rank, int(welcome.localSize), std::move(sockets),
      std::vector<TcpPlace>(), std::move(links));
}

} // namespace

std::unique_ptr<Messages> startTcpMessages(const JobLaunch &launch,
                                           double seconds, std::string &error,
                                           bool &unheard, int listener) {
  Socket given(listener);
  bool heard = launch.rank == 0;
  try {
    if (launch.size == 1)
      return std::make_unique<TcpMessages>(0, 1, std::vector<Socket>(1));
    return Start(launch, seconds, std::move(given)).run(heard);
  } catch (const std::runtime_error &refusal) {
    error = refusal.what();
    unheard = !heard;
    return nullptr;
  }
}

} // namespace runtime
} // namespace shardir
