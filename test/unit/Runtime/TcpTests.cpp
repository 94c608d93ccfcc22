//===- TcpTests.cpp - Connections that are made when they are needed ------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts the ranks of a job in one process, and drives them by turns. Requires
// ports of this machine; counts connections, and checks who is let in and who
// hears of an end.
//
//===----------------------------------------------------------------------===//

#include "Processes/TcpMessages.h"

#include <arpa/inet.h>
#include <functional>
#include <gtest/gtest.h>
#include <linux/tcp.h>
#include <memory>
#include <thread>
#include <unistd.h>

using namespace shardir::runtime;

namespace {

using Ranks = std::vector<std::unique_ptr<TcpMessages>>;

JobLaunch launchOf(int rank, int size, const std::string &token = "a secret") {
  JobLaunch launch;
  launch.kind = JobLaunch::Torchrun;
  launch.rank = rank;
  launch.size = size;
  launch.host = "127.0.0.1";
  launch.job = "test";
  launch.token = token;
  return launch;
}

Ranks start(int size, uint16_t &port) {
  int failed = 0;
  Socket listener = Socket::listen(0, size, port, failed);
  Ranks ranks{size_t(size)};
  std::vector<std::thread> threads;
  for (int r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      JobLaunch launch = launchOf(r, size);
      launch.port = port;
      std::string error;
      bool unheard;
      ranks[size_t(r)].reset(static_cast<TcpMessages *>(
          startTcpMessages(launch, 20, error, unheard,
                           r == 0 ? listener.release() : -1)
              .release()));
      EXPECT_EQ(error, "");
    });
  for (std::thread &thread : threads)
    thread.join();
  return ranks;
}

Ranks start(int size) {
  uint16_t port = 0;
  return start(size, port);
}

/// Lets ranks send and receive by turns until `done()`, for at most ten
/// seconds.
void drive(const Ranks &ranks, const std::function<bool()> &done) {
  Socket::Deadline end = deadlineIn(10);
  int from;
  std::string data;
  while (!done() && millisecondsUntil(end) > 0)
    for (const auto &rank : ranks)
      if (rank)
        (void)rank->take(rank->control, 99, from, data);
  EXPECT_TRUE(done());
}

/// Each rank sends its number to the ranks that `peers` gives for it, and they
/// receive it.
void sendAndReceive(const Ranks &ranks,
                    const std::function<std::vector<int>(int)> &peers) {
  auto size = int(ranks.size());
  std::vector<int> numbers(ranks.size());
  std::vector<std::unique_ptr<int>> received;
  std::vector<std::pair<int, MessageRequest>> requests;
  std::vector<int> expected;
  for (int r = 0; r < size; ++r)
    numbers[size_t(r)] = 10 + r;
  for (int r = 0; r < size; ++r)
    for (int to : peers(r)) {
      TcpMessages &a = *ranks[size_t(r)], &b = *ranks[size_t(to)];
      requests.emplace_back(
          r, a.send(a.posts, &numbers[size_t(r)], sizeof(int), to, 1));
      received.push_back(std::make_unique<int>(0));
      expected.push_back(numbers[size_t(r)]);
      requests.emplace_back(
          to, b.receive(b.posts, received.back().get(), sizeof(int), r, 1));
    }
  drive(ranks, [&] {
    bool all = true;
    for (auto &[r, request] : requests) {
      if (request && ranks[size_t(r)]->test(request))
        request = nullptr;
      all &= !request;
    }
    return all;
  });
  for (size_t i = 0; i < received.size(); ++i)
    EXPECT_EQ(*received[i], expected[i]);
}

void finish(Ranks &ranks) {
  std::vector<std::thread> threads;
  for (auto &rank : ranks)
    threads.emplace_back([&rank] { rank->finish(); });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Tcp, ConnectsToWhomItSendsTo) {
  constexpr int kSize = 16;
  Ranks ranks = start(kSize);
  auto most = [&](int peers) {
    for (int r = 1; r < kSize; ++r)
      EXPECT_LE(ranks[size_t(r)]->numConnections(),
                1 + TcpMessages::relaysOf(r, kSize).size() + size_t(peers))
          << r;
    EXPECT_EQ(ranks[0]->numConnections(), size_t(kSize - 1));
  };
  most(0);
  // A ring; then pairs, which connect to each other at one time.
  sendAndReceive(ranks,
                 [](int r) { return std::vector<int>{(r + 1) % kSize}; });
  most(2);
  sendAndReceive(ranks, [](int r) { return std::vector<int>{r ^ 4}; });
  most(3);
  sendAndReceive(ranks,
                 [](int r) { return std::vector<int>{(r + 1) % kSize}; });
  most(3);
  // All with all, at one time.
  sendAndReceive(ranks, [](int r) {
    std::vector<int> others;
    for (int other = 0; other < kSize; ++other)
      if (other != r)
        others.push_back(other);
    return others;
  });
  most(kSize);
  for (int r = 0; r < kSize; ++r)
    EXPECT_EQ(ranks[size_t(r)]->numConnections(), size_t(kSize - 1));
  finish(ranks);
  for (auto &rank : ranks)
    EXPECT_EQ(rank->lost(), -1);
}

/// The bytes that rank 0 and another rank exchange at the start do not
/// depend on the number of ranks.
TEST(Tcp, TheStartIsOfAFewBytesForEachRank) {
  for (int size : {4, 16}) {
    uint16_t port = 0;
    Ranks ranks = start(size, port);
    int atRoot = 0, atOthers = 0;
    for (int fd = 0; fd < 1024; ++fd) {
      sockaddr_in6 own = {}, peer = {};
      socklen_t length = sizeof(own);
      tcp_info info = {};
      if (getsockname(fd, reinterpret_cast<sockaddr *>(&own), &length) != 0 ||
          getpeername(fd, reinterpret_cast<sockaddr *>(&peer),
                      &(length = sizeof(peer))) != 0 ||
          getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info,
                     &(length = sizeof(info))) != 0)
        continue;
      // The port is at the same place for IPv4.
      if (own.sin6_port == htons(port)) {
        ++atRoot;
        EXPECT_EQ(info.tcpi_bytes_received, sizeof(TcpHello));
      } else if (peer.sin6_port == htons(port)) {
        ++atOthers;
        EXPECT_EQ(info.tcpi_bytes_received,
                  sizeof(TcpChallenge) + sizeof(TcpVerdict) + sizeof(uint32_t) +
                      sizeof(TcpPlace));
      }
    }
    EXPECT_EQ(atRoot, size - 1);
    EXPECT_EQ(atOthers, size - 1);
  }
}

TEST(Tcp, AnEndIsKnownToThoseWhoAreNotConnected) {
  constexpr int kSize = 12;
  Ranks ranks = start(kSize);
  drive(ranks, [&] { return ranks[1]->numConnections() == 3; });
  ranks[7]->leave();
  drive(ranks, [&] {
    bool all = true;
    for (int r = 0; r < kSize; ++r)
      all &= r == 7 || ranks[size_t(r)]->gone(7);
    return all;
  });
  ranks[10].reset(); // without a word
  drive(ranks, [&] {
    bool all = true;
    for (int r = 0; r < kSize; ++r)
      all &= r == 7 || r == 10 || ranks[size_t(r)]->lost() == 10;
    return all;
  });
  for (int r = 0; r < kSize; ++r)
    EXPECT_FALSE(r != 3 && r != 10 && ranks[size_t(r)]->gone(3)) << r;
}

TEST(Tcp, AnEndIsKnownWhereRank0DoesNotAnswer) {
  constexpr int kSize = 12;
  Ranks ranks = start(kSize);
  auto connections = [&] {
    size_t all = 0;
    for (const auto &rank : ranks)
      all += rank->numConnections();
    return all;
  };
  // To and from rank 0, and the edges of a tree of the others.
  drive(ranks, [&] { return connections() == 2 * (kSize - 1 + kSize - 2); });
  std::unique_ptr<TcpMessages> stopped = std::move(ranks[0]);
  ranks[1]->leave();
  drive(ranks, [&] {
    bool all = true;
    for (int r = 2; r < kSize; ++r)
      all &= ranks[size_t(r)]->gone(1);
    return all;
  });
}

/// Two processes of whatever jobs, and what becomes of their connections.
struct Pair {
  Pair(const JobLaunch &a, const JobLaunch &b, double patience) {
    sockaddr_storage loopback = {};
    auto &address = reinterpret_cast<sockaddr_in &>(loopback);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (const JobLaunch *launch : {&a, &b}) {
      int failed = 0;
      TcpPlace place = {};
      place.isRootsMachine = 1;
      Socket listener = Socket::listen(0, 4, place.port, failed);
      places.push_back(place);
      links.push_back(std::make_unique<TcpLinks>(
          TcpHandshake(*launch), std::move(listener), loopback, patience));
    }
  }
  void driveFor(double seconds, const std::function<bool()> &done) {
    for (Socket::Deadline end = deadlineIn(seconds);
         !done() && millisecondsUntil(end) > 0;)
      for (size_t i = 0; i < 2; ++i) {
        if (!links[i])
          continue;
        std::vector<pollfd> polled;
        links[i]->addTo(polled);
        (void)::poll(polled.data(), nfds_t(polled.size()), 0);
        for (TcpLinks::Link &link : links[i]->advance(
                 polled, 0, [&](int r) { return made[i].count(r) != 0; }))
          made[i][link.rank] = std::move(link.socket);
      }
  }
  std::vector<TcpPlace> places;
  std::vector<std::unique_ptr<TcpLinks>> links;
  std::map<int, Socket> made[2];
};

TEST(Tcp, OneConnectionOfTwoThatConnectAtOneTime) {
  Pair pair(launchOf(1, 4), launchOf(2, 4), 10);
  pair.links[1]->connect(1, pair.places[0]);
  pair.links[0]->connect(2, pair.places[1]);
  pair.driveFor(10, [&] {
    return !pair.made[0].empty() && !pair.made[1].empty() &&
           !pair.links[1]->isConnecting(1);
  });
  ASSERT_EQ(pair.made[0].count(2), 1u);
  ASSERT_EQ(pair.made[1].count(1), 1u);
  char sent = 'x', got = 0;
  EXPECT_TRUE(pair.made[0][2].write(&sent, 1, deadlineIn(1)));
  EXPECT_TRUE(pair.made[1][1].read(&got, 1, deadlineIn(1)));
  EXPECT_EQ(got, 'x');
}

TEST(Tcp, StrangersAreNotLetIn) {
  JobLaunch otherJob = launchOf(2, 4);
  otherJob.job = "another";
  std::vector<JobLaunch> strangers = {launchOf(2, 4, "a guess"),
                                      launchOf(2, 4, ""),
                                      launchOf(2, 5),
                                      launchOf(9, 4),
                                      launchOf(1, 4),
                                      otherJob};
  std::vector<std::thread> threads;
  for (const JobLaunch &stranger : strangers)
    threads.emplace_back([&] {
      Pair pair(launchOf(1, 4), stranger, 0.1);
      pair.links[1]->connect(1, pair.places[0]);
      pair.driveFor(10, [&] { return !pair.links[1]->fault().empty(); });
      EXPECT_TRUE(pair.made[0].empty());
      EXPECT_TRUE(pair.made[1].empty());
      EXPECT_EQ(pair.links[1]->fault(),
                "rank " + std::to_string(stranger.rank) +
                    " cannot reach rank 1 at 127.0.0.1:" +
                    std::to_string(pair.places[0].port) +
                    ": it has closed the connection");
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Tcp, NobodyListens) {
  Pair pair(launchOf(1, 4), launchOf(2, 4), 0.1);
  pair.links[0].reset();
  pair.links[1]->connect(1, pair.places[0]);
  pair.driveFor(10, [&] { return !pair.links[1]->fault().empty(); });
  EXPECT_EQ(pair.links[1]->fault(), "rank 2 cannot reach rank 1 at 127.0.0.1:" +
                                        std::to_string(pair.places[0].port) +
                                        ": Connection refused");
}

} // namespace
