//===- LaunchTests.cpp - What launchers say, and messages over sockets ----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads launchers' variables, and connects the ranks of one process to each
// other as if they were several. Requires ports of this machine; checks order,
// sizes, receives that are taken back, and ends with and without a word.
//
//===----------------------------------------------------------------------===//

#include "Processes/Launch.h"
#include "Processes/TcpMessages.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <sys/socket.h>

using namespace shardir::runtime;

namespace {

/// The environment without any launcher, but with these variables.
class Environment {
public:
  explicit Environment(const std::map<std::string, std::string> &values) {
    for (const char *name : {"RANK",
                             "WORLD_SIZE",
                             "LOCAL_RANK",
                             "MASTER_ADDR",
                             "MASTER_PORT",
                             "TORCHELASTIC_RUN_ID",
                             "TORCHELASTIC_USE_AGENT_STORE",
                             "PMIX_RANK",
                             "PMI_RANK",
                             "OMPI_COMM_WORLD_RANK",
                             "SLURM_PROCID",
                             "SLURM_NTASKS",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_STEP_ID",
                             "SLURM_STEPID",
                             "SLURM_JOB_ID",
                             "SLURM_STEP_NODELIST",
                             "SLURM_NODELIST",
                             "SLURM_JOB_NODELIST",
                             "SLURM_STEP_RESV_PORTS",
                             "SHARDIR_ROOT"})
      unsetenv(name);
    for (const auto &[name, value] : values)
      setenv(name.c_str(), value.c_str(), 1);
  }
};

TEST(Launch, FirstOfNodeList) {
  EXPECT_EQ(firstOfNodeList("login"), "login");
  EXPECT_EQ(firstOfNodeList("a1,a2"), "a1");
  EXPECT_EQ(firstOfNodeList("gpu[03-05,9],login"), "gpu03");
  EXPECT_EQ(firstOfNodeList("gpu[7]"), "gpu7");
  EXPECT_EQ(firstOfNodeList("rack[2,4]node[01-16]x"), "rack2node01x");
  EXPECT_EQ(firstOfNodeList("gpu["), "");
  EXPECT_EQ(firstOfNodeList("gpu[]"), "");
  EXPECT_EQ(firstOfNodeList(""), "");
}

TEST(Launch, OfTwoLaunchersTheInnerOne) {
  JobLaunch launch;
  std::string error;
  std::map<std::string, std::string> pod = {{"RANK", "1"},
                                            {"WORLD_SIZE", "2"},
                                            {"MASTER_ADDR", "a"},
                                            {"MASTER_PORT", "7"}};
  Environment torchrun(pod);
  ASSERT_TRUE(findLaunch(launch, error)) << error;
  EXPECT_EQ(launch.kind, JobLaunch::Torchrun);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.port, 7);
  EXPECT_EQ(rankFromLauncher(), 1);
  pod["OMPI_COMM_WORLD_RANK"] = "0";
  Environment mpirun(pod);
  ASSERT_TRUE(findLaunch(launch, error)) << error;
  EXPECT_EQ(launch.kind, JobLaunch::Mpi);
  EXPECT_EQ(rankFromLauncher(), 0);
  pod["TORCHELASTIC_RUN_ID"] = "none";
  pod["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  Environment agents(pod);
  ASSERT_TRUE(findLaunch(launch, error)) << error;
  EXPECT_EQ(launch.kind, JobLaunch::Torchrun);
  EXPECT_EQ(launch.port, 8);
}

TEST(Launch, StepsOfSlurm) {
  JobLaunch launch;
  std::string error;
  std::map<std::string, std::string> batch = {{"SLURM_PROCID", "0"},
                                              {"SLURM_NTASKS", "4"},
                                              {"SLURM_JOB_ID", "123"},
                                              {"SLURM_NODELIST", "n[1-2]"}};
  // The processes of a batch script are not tasks of a step.
  Environment script(batch);
  ASSERT_TRUE(findLaunch(launch, error)) << error;
  EXPECT_EQ(launch.kind, JobLaunch::Alone);
  EXPECT_EQ(rankFromLauncher(), -1);
  batch["SLURM_STEP_ID"] = "5";
  batch["SLURM_STEP_NUM_TASKS"] = "3";
  batch["SLURM_STEP_NODELIST"] = "n2";
  Environment step(batch);
  ASSERT_TRUE(findLaunch(launch, error)) << error;
  EXPECT_EQ(launch.kind, JobLaunch::Srun);
  EXPECT_EQ(launch.size, 3);
  EXPECT_EQ(launch.host, "n2");
  EXPECT_GE(launch.port, 20000);
  EXPECT_LT(launch.port, 30000);
  batch["SLURM_STEP_RESV_PORTS"] = "12010-12013";
  Environment reserved(batch);
  ASSERT_TRUE(findLaunch(launch, error)) << error;
  EXPECT_EQ(launch.port, 12010);
}

/// Two ranks in one process.
struct Two {
  Two() {
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    for (int r = 0; r < 2; ++r) {
      std::vector<Socket> sockets(2);
      sockets[size_t(1 - r)] = Socket(fds[r]);
      ranks[r] = std::make_unique<TcpMessages>(r, 2, std::move(sockets));
    }
  }
  std::unique_ptr<TcpMessages> ranks[2];
};

TEST(TcpMessages, OrderWithinAChannelAndTag) {
  Two two;
  TcpMessages &a = *two.ranks[0], &b = *two.ranks[1];
  std::string large(1 << 20, 'x'), got(large.size(), '\0');
  int numbers[] = {1, 2, 3}, first = 0, second = 0, other = 0;
  std::vector<MessageRequest> sent = {
      a.send(a.posts, &numbers[0], sizeof(int), 1, 7),
      a.send(a.posts, large.data(), large.size(), 1, 8),
      a.send(a.posts, &numbers[1], sizeof(int), 1, 7),
      a.send(a.tools, &numbers[2], sizeof(int), 1, 7)};
  // The large one is received before those that came earlier and later.
  MessageRequest whole = b.receive(b.posts, got.data(), got.size(), 0, 8);
  while (!b.test(whole))
    for (MessageRequest &request : sent)
      if (request && a.test(request))
        request = nullptr;
  EXPECT_EQ(got, large);
  for (MessageRequest &request : sent)
    while (request && !a.test(request))
      b.gone(0);
  EXPECT_TRUE(b.test(b.receive(b.tools, &other, sizeof(int), 0, 7)));
  EXPECT_TRUE(b.test(b.receive(b.posts, &first, sizeof(int), 0, 7)));
  EXPECT_TRUE(b.test(b.receive(b.posts, &second, sizeof(int), 0, 7)));
  EXPECT_EQ(other, 3);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
}

TEST(TcpMessages, AReceiveTakenBackLosesNothing) {
  Two two;
  TcpMessages &a = *two.ranks[0], &b = *two.ranks[1];
  std::string large(4 << 20, 'y'), got(large.size(), '\0');
  int later = 5, number = 0;
  MessageRequest none = b.receive(b.posts, &number, sizeof(int), 0, 1);
  EXPECT_FALSE(b.cancel(none));
  // Half of it has come when the receive is taken back; both ends' buffers go.
  MessageRequest half = b.receive(b.posts, got.data(), got.size(), 0, 1);
  MessageRequest sent = a.send(a.posts, large.data(), large.size(), 1, 1);
  MessageRequest small = a.send(a.posts, &later, sizeof(int), 1, 1);
  EXPECT_FALSE(b.test(half));
  EXPECT_FALSE(b.cancel(half));
  a.release(sent);
  std::string copy = std::move(large);
  got.assign(copy.size(), '\0');
  MessageRequest again = b.receive(b.posts, got.data(), got.size(), 0, 1);
  MessageRequest next = b.receive(b.posts, &number, sizeof(int), 0, 1);
  bool haveLarge = false, haveSmall = false, sentLarge = false;
  while (!haveSmall) {
    sentLarge = sentLarge || a.test(sent);
    haveLarge = haveLarge || b.test(again);
    haveSmall = b.test(next);
  }
  EXPECT_TRUE(haveLarge);
  EXPECT_EQ(got, copy);
  EXPECT_EQ(number, 5);
  while (!sentLarge)
    sentLarge = a.test(sent);
  EXPECT_TRUE(a.test(small));
}

TEST(TcpMessages, EndsWithAndWithoutAWord) {
  {
    Two two;
    two.ranks[0].reset();
    int from;
    std::string data;
    EXPECT_FALSE(two.ranks[1]->take(two.ranks[1]->control, 1, from, data));
    EXPECT_TRUE(two.ranks[1]->gone(0));
    EXPECT_EQ(two.ranks[1]->lost(), 0);
  }
  Two two;
  int number = 9, got = 0;
  MessageRequest sent =
      two.ranks[0]->send(two.ranks[0]->control, &number, sizeof(number), 1, 1);
  EXPECT_TRUE(two.ranks[0]->test(sent));
  two.ranks[0]->leave();
  two.ranks[0].reset();
  MessageRequest receive =
      two.ranks[1]->receive(two.ranks[1]->control, &got, sizeof(got), 0, 1);
  EXPECT_TRUE(two.ranks[1]->test(receive));
  EXPECT_EQ(got, 9);
  EXPECT_TRUE(two.ranks[1]->gone(0));
  EXPECT_EQ(two.ranks[1]->lost(), -1);
}

TEST(TcpMessages, LongerThanTheReceiverTakes) {
  Two two;
  char long_[16] = {}, short_[8];
  MessageRequest sent =
      two.ranks[0]->send(two.ranks[0]->posts, long_, sizeof(long_), 1, 1);
  EXPECT_TRUE(two.ranks[0]->test(sent));
  MessageRequest receive =
      two.ranks[1]->receive(two.ranks[1]->posts, short_, sizeof(short_), 0, 1);
  EXPECT_THROW(two.ranks[1]->test(receive), std::runtime_error);
  two.ranks[1]->cancel(receive);
}

} // namespace
