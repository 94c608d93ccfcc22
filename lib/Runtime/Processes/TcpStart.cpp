//===- TcpStart.cpp - How processes without MPI find each other -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank 0 listens where the launcher says. The others greet it, with the port
// that they listen at themselves; when all have come, rank 0 gives everybody
// the table of addresses, every rank connects to those below it, and tells rank
// 0, which then lets all begin.
//
// Requires that every process knows the same place for rank 0; guarantees that
// a job begins on all processes or on none: what goes wrong on one of them
// before that, rank 0 reports to all that it can reach, and no process waits
// for longer than its timeout. A connection of a stranger is closed, where the
// job has a token of anyone who does not know it: who accepts sends a number,
// the answer has an HMAC of it and of all that it says, and rank 0 proves in
// turn that it knows the token.
//
//===----------------------------------------------------------------------===//

#include "Processes/Launch.h"
#include "ShardIR/Hash/Sha256.h"
#include "TcpMessages.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

namespace shardir {
namespace runtime {
namespace {

constexpr char kMagic[8] = {'S', 'h', 'a', 'r', 'd', 'I', 'R', '2'};
constexpr size_t kMostText = 4096;
/// The last rank to give up: who speaks first ends, and may end the rest.
constexpr int kMostPolite = 5;
/// How long rank 0 stays to tell those who come that there will be no job.
constexpr double kLate = 2;

/// A number that is never used again, and hexadecimal digits of an HMAC.
struct Nonce {
  unsigned char bytes[16];
};
struct Proof {
  char digits[64];
};
/// The first message on a connection, by who has accepted it.
struct Challenge {
  char magic[8];
  Nonce nonce;
};
/// The first message of a process, to rank 0 and to the ranks below it.
struct Hello {
  char magic[8];
  uint32_t rank, size;
  uint64_t job, machine;
  uint16_t port, unused = 0;
  uint32_t unused2 = 0;
  Nonce nonce;
  Proof proof; ///< of the challenge and all before
};
/// The answer of rank 0, and of a process that has connected to all: success,
/// or an error message of `length` bytes.
struct Verdict {
  char magic[8];
  uint32_t failed, length;
  Proof proof; ///< of the nonce of the process' Hello to rank 0
};
/// The address at which a rank listens, as rank 0 sees it.
struct Place {
  unsigned char address[16];
  uint16_t port;
  uint8_t isIpv6, isRootsMachine;
  uint32_t localSize;
};

/// A refusal, reported to all processes or to this one alone.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T> bool isOurs(const T &message) {
  return std::memcmp(message.magic, kMagic, sizeof(kMagic)) == 0;
}

Nonce makeNonce() {
  Nonce nonce;
  if (::getrandom(&nonce, sizeof(nonce), 0) != ssize_t(sizeof(nonce)))
    throw Refusal("cannot get a random number from the system");
  return nonce;
}

/// In a time that does not depend on where they differ.
bool areEqual(const Proof &a, const Proof &b) {
  int difference = 0;
  for (size_t i = 0; i < sizeof(a.digits); ++i)
    difference |= a.digits[i] ^ b.digits[i];
  return difference == 0;
}

uint64_t hashOf(const std::string &text) {
  uint64_t value = 0xcbf29ce484222325u; // FNV-1a
  for (unsigned char c : text)
    value = (value ^ c) * 0x100000001b3u;
  return value;
}

/// The same for processes of one machine.
uint64_t thisMachine() {
  char text[256] = "";
  ::gethostname(text, sizeof(text) - 1);
  std::string name = text;
  if (FILE *file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
    if (std::fgets(text, sizeof(text), file))
      name += text;
    std::fclose(file);
  }
  return hashOf(name);
}

class Start {
public:
  Start(const Launch &launch, double seconds, Socket listener)
      : launch(launch), seconds(seconds), job(hashOf(launch.job)),
        machine(thisMachine()), given(std::move(listener)),
        sockets(size_t(launch.size)), nonces(size_t(launch.size)) {
    double polite = launch.rank == 0 ? 0 : std::min(launch.rank, kMostPolite);
    deadline = deadlineIn(seconds + polite);
  }

  std::unique_ptr<Messages> run(bool &heard) {
    int localSize = launch.rank == 0 ? lead() : follow(heard);
    return std::make_unique<TcpMessages>(launch.rank, localSize,
                                         std::move(sockets));
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
  Proof prove(const std::string &text) const {
    Proof proof;
    std::memcpy(proof.digits, hmacSha256(launch.token, text).data(),
                sizeof(proof.digits));
    return proof;
  }
  Proof proofOf(const Hello &h, const Nonce &challenge) const {
    return prove("hello" +
                 std::string(reinterpret_cast<const char *>(&challenge),
                             sizeof(challenge)) +
                 std::string(reinterpret_cast<const char *>(&h),
                             offsetof(Hello, proof)));
  }
  Proof verdictProof(const Nonce &nonce) const {
    return prove("verdict" + std::string(reinterpret_cast<const char *>(&nonce),
                                         sizeof(nonce)));
  }
  /// Asks whoever has connected to prove that it knows the token. Few bytes go
  /// at once into a connection that is new.
  bool challenge(const Socket &socket, Nonce &nonce) const {
    Challenge c;
    std::memcpy(c.magic, kMagic, sizeof(kMagic));
    c.nonce = nonce = makeNonce();
    return socket.write(&c, sizeof(c), deadline);
  }
  /// Whether a message is from a process of this job.
  bool isOfJob(const Hello &h, const Nonce &challenge) const {
    return isOurs(h) && h.job == job &&
           areEqual(h.proof, proofOf(h, challenge));
  }
  /// The first words on a connection that this process has made. False with
  /// errno where the other end does not take them.
  bool greet(const Socket &socket) const {
    Challenge c;
    if (!socket.read(&c, sizeof(c), deadline) || !isOurs(c)) {
      errno = ECONNRESET;
      return false;
    }
    Hello h = hello();
    h.proof = proofOf(h, c.nonce);
    return socket.write(&h, sizeof(h), deadline);
  }
  Hello hello() const {
    Hello h = {};
    h.nonce = ownNonce;
    std::memcpy(h.magic, kMagic, sizeof(kMagic));
    h.rank = uint32_t(launch.rank);
    h.size = uint32_t(launch.size);
    h.job = job;
    h.machine = machine;
    h.port = ownPort;
    return h;
  }

  bool say(const Socket &socket, const std::string &text, bool failed,
           const Nonce &nonce = {}) const {
    Verdict verdict = {};
    std::memcpy(verdict.magic, kMagic, sizeof(kMagic));
    verdict.proof = verdictProof(nonce);
    verdict.failed = failed;
    verdict.length = uint32_t(std::min(text.size(), kMostText));
    return socket.write(&verdict, sizeof(verdict), deadline) &&
           socket.write(text.data(), verdict.length, deadline);
  }
  /// False where the other end is gone, silent, or no process of ours.
  bool hear(const Socket &socket, bool &failed, std::string &text) const {
    Verdict verdict;
    if (!socket.read(&verdict, sizeof(verdict), deadline) || !isOurs(verdict) ||
        verdict.length > kMostText)
      return false;
    // Rank 0 has been proved to before it answers.
    if (launch.rank != 0 && !areEqual(verdict.proof, verdictProof(ownNonce)))
      return false;
    failed = verdict.failed;
    text.assign(verdict.length, '\0');
    return socket.read(text.data(), text.size(), deadline);
  }

  Socket listenAt(int port);

  // Rank 0.
  int lead();
  void gather(const Socket &listener, std::vector<Hello> &hellos);
  void check(const Hello &h) const;
  void checkAlive() const;
  void tellAll(const std::string &text, const Socket &listener);
  Place placeOf(int rank, const std::vector<Hello> &hellos) const;

  // The others.
  int follow(bool &heard);
  void connectBelow(const std::vector<Place> &places);
  void acceptAbove(const Socket &listener);

  const Launch &launch;
  const double seconds;
  const uint64_t job, machine;
  Socket given; ///< rank 0: listens already
  Socket::Deadline deadline;
  uint16_t ownPort = 0;
  const Nonce ownNonce = makeNonce();
  std::vector<Socket> sockets; ///< by rank
  std::vector<Nonce> nonces;   ///< rank 0's, by rank: those that it answers
  bool sawStranger = false;    ///< rank 0: who did not know the token
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

void Start::check(const Hello &h) const {
  std::string who = "rank " + std::to_string(h.rank);
  if (h.size != uint32_t(launch.size))
    throw Refusal("rank 0 was started as one of " +
                  std::to_string(launch.size) + " processes, and " + who +
                  " as one of " + std::to_string(h.size));
  if (h.rank == 0 || sockets[h.rank])
    throw Refusal("two processes were started as " + who);
}

void Start::checkAlive() const {
  for (size_t r = 1; r < sockets.size(); ++r) {
    char byte;
    if (!sockets[r])
      continue;
    ssize_t n = ::recv(sockets[r].get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
      throw Refusal("rank " + std::to_string(r) +
                    "'s process has ended before the job began");
  }
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
    Hello h;
    Nonce asked;
    if (socket && challenge(socket, asked) &&
        socket.read(&h, sizeof(h), late) && isOfJob(h, asked) &&
        say(socket, text, true, h.nonce)) {
      told.push_back(std::move(socket));
      --left;
    }
  }
}

void Start::gather(const Socket &listener, std::vector<Hello> &hellos) {
  // Those who have not said all of their first words yet.
  struct Guest {
    Socket socket;
    Nonce asked;
    std::string said;
  };
  std::vector<Guest> guests;
  size_t missing = sockets.size() - 1;
  while (missing > 0) {
    std::vector<pollfd> waiting = {{listener.get(), POLLIN, 0}};
    for (const Guest &guest : guests)
      waiting.push_back({guest.socket.get(), POLLIN, 0});
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
    (void)::poll(waiting.data(), nfds_t(waiting.size()), std::min(left, 100));
    checkAlive();
    for (size_t g = waiting.size() - 1; g-- > 0;) {
      if (!waiting[g + 1].revents)
        continue;
      Guest &guest = guests[g];
      char bytes[sizeof(Hello)];
      ssize_t n = ::recv(guest.socket.get(), bytes,
                         sizeof(Hello) - guest.said.size(), 0);
      if (n > 0)
        guest.said.append(bytes, size_t(n));
      bool complete = guest.said.size() == sizeof(Hello);
      if (n > 0 && !complete)
        continue;
      Hello h = {};
      if (complete)
        std::memcpy(&h, guest.said.data(), sizeof(h));
      if (complete && isOfJob(h, guest.asked)) {
        try {
          check(h);
        } catch (const Refusal &refusal) {
          (void)say(guest.socket, refusal.what(), true, h.nonce);
          throw;
        }
        nonces[h.rank] = h.nonce;
        sockets[h.rank] = std::move(guest.socket);
        hellos[h.rank] = h;
        --missing;
      } else {
        sawStranger |= complete && isOurs(h) && h.job == job;
      }
      guests.erase(guests.begin() + long(g));
    }
    if (waiting[0].revents)
      if (Socket socket = listener.accept()) {
        Nonce asked;
        if (challenge(socket, asked))
          guests.push_back({std::move(socket), asked, ""});
      }
  }
}

Place Start::placeOf(int r, const std::vector<Hello> &hellos) const {
  Place place = {};
  const Hello &h = hellos[size_t(r)];
  place.port = h.port;
  place.isRootsMachine = h.machine == machine;
  for (const Hello &other : hellos)
    place.localSize += other.machine == h.machine;
  if (r == 0)
    return place;
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

int Start::lead() {
  Socket listener = given ? std::move(given) : listenAt(launch.port);
  try {
    std::vector<Hello> hellos(sockets.size());
    hellos[0] = hello();
    gather(listener, hellos);
    std::vector<Place> places;
    for (int r = 0; r < launch.size; ++r)
      places.push_back(placeOf(r, hellos));
    for (size_t r = 1; r < sockets.size(); ++r) {
      (void)say(sockets[r], "", false, nonces[r]);
      (void)sockets[r].write(places.data(), places.size() * sizeof(Place),
                             deadline);
    }
    for (size_t r = 1; r < sockets.size(); ++r) {
      bool failed = false;
      std::string text;
      if (!hear(sockets[r], failed, text))
        throw Refusal(
            "rank " + std::to_string(r) +
            (millisecondsUntil(deadline) == 0
                 ? " has not reached the other ranks within " + patience()
                 : "'s process has ended before the job began"));
      if (failed)
        throw Refusal(text);
    }
    for (size_t r = 1; r < sockets.size(); ++r)
      (void)say(sockets[r], "", false, nonces[r]);
    return int(places[0].localSize);
  } catch (const Refusal &refusal) {
    tellAll(refusal.what(), listener);
    throw;
  }
}

void Start::connectBelow(const std::vector<Place> &places) {
  for (int r = 1; r < launch.rank; ++r) {
    const Place &place = places[size_t(r)];
    sockaddr_storage address = {};
    socklen_t length = sizeof(address);
    if (place.isRootsMachine) {
      // Rank 0 may have seen it as a process of its own machine.
      ::getpeername(sockets[0].get(), reinterpret_cast<sockaddr *>(&address),
                    &length);
    } else {
      address.ss_family = place.isIpv6 ? AF_INET6 : AF_INET;
      if (place.isIpv6)
        std::memcpy(&reinterpret_cast<sockaddr_in6 &>(address).sin6_addr,
                    place.address, 16);
      else
        std::memcpy(&reinterpret_cast<sockaddr_in &>(address).sin_addr,
                    place.address, 4);
    }
    if (address.ss_family == AF_INET6) {
      reinterpret_cast<sockaddr_in6 &>(address).sin6_port = htons(place.port);
      length = sizeof(sockaddr_in6);
    } else {
      reinterpret_cast<sockaddr_in &>(address).sin_port = htons(place.port);
      length = sizeof(sockaddr_in);
    }
    Socket socket = Socket::connect(reinterpret_cast<sockaddr *>(&address),
                                    length, deadline);
    if (!socket || !greet(socket))
      throw Refusal("rank " + std::to_string(launch.rank) +
                    " cannot reach rank " + std::to_string(r) + ": " +
                    std::strerror(errno));
    sockets[size_t(r)] = std::move(socket);
  }
}

void Start::acceptAbove(const Socket &listener) {
  auto missing = launch.size - 1 - launch.rank;
  while (missing > 0) {
    // Rank 0 says so where the others will not come.
    pollfd waiting[] = {{listener.get(), POLLIN, 0},
                        {sockets[0].get(), POLLIN, 0}};
    int left = millisecondsUntil(deadline);
    if (left == 0)
      throw Refusal("rank " + std::to_string(launch.rank) +
                    " was not reached by the ranks above it within " +
                    patience());
    (void)::poll(waiting, 2, left);
    if (waiting[1].revents)
      return;
    Socket socket = waiting[0].revents ? listener.accept() : Socket();
    Hello h;
    Nonce asked;
    if (!socket || !challenge(socket, asked) ||
        !socket.read(&h, sizeof(h), std::min(deadline, deadlineIn(kLate))) ||
        !isOfJob(h, asked) || int64_t(h.rank) <= launch.rank ||
        h.rank >= sockets.size() || sockets[h.rank])
      continue;
    sockets[h.rank] = std::move(socket);
    --missing;
  }
}

int Start::follow(bool &heard) {
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
  auto refuse = [&](const std::string &reason) {
    heard = true;
    throw Refusal(reason);
  };
  if (failed)
    refuse(text);
  std::vector<Place> places(sockets.size());
  bool ok =
      sockets[0].read(places.data(), places.size() * sizeof(Place), deadline);
  if (ok) {
    try {
      connectBelow(places);
      acceptAbove(listener);
      ok = say(sockets[0], "", false);
    } catch (const Refusal &refusal) {
      ok = say(sockets[0], refusal.what(), true);
    }
  }
  if (!ok || !hear(sockets[0], failed, text))
    throw Refusal("rank 0's process has ended before the job began");
  if (failed)
    refuse(text);
  return int(places[size_t(launch.rank)].localSize);
}

} // namespace

std::unique_ptr<Messages> startTcpMessages(const Launch &launch, double seconds,
                                           std::string &error, bool &unheard,
                                           int listener) {
  Socket given(listener);
  bool heard = launch.rank == 0;
  try {
    if (launch.size == 1)
      return std::make_unique<TcpMessages>(0, 1, std::vector<Socket>(1));
    return Start(launch, seconds, std::move(given)).run(heard);
  } catch (const Refusal &refusal) {
    error = refusal.what();
    unheard = !heard;
    return nullptr;
  }
}

} // namespace runtime
} // namespace shardir
