//===- ProcessTransport.h - Ranks as processes of one job -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The communicator over processes: Messages.h carries bytes, by MPI or TCP, and
// everything else is ours. Requires one rank of the job in this process, whose
// number is the process'; guarantees what Communicator.h says. With ordered
// reductions results have the bits of ThreadsTransport, since terms combine in
// the same order by the same kernels.
//
// Before data moves, each member of the group sends its post to each other one
// and compares theirs with its own (X1). Between two ranks there is one stream
// of posts, whatever groups they meet in: ranks that meet twice meet in one
// order, so a post of another group is a mismatch, seen at once. Data then
// travels on a communicator of the group's own, made when the group first meets
// and all of its members are known to be there. Once posts agree, a member ends
// the collective even if the job fails meanwhile: all others will, too, and no
// message is left half done.
//
// Where the sequence of collectives depends on nothing but the program and
// extents (JobOptions::checksEach is false), ranks compare these once, along
// the watchdogs' tree when the run starts, and send no other posts. If such a
// job fails, collectives may stay half done: the groups' communicators are left
// behind and made again.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_PROCESSTRANSPORT_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_PROCESSTRANSPORT_H

#include "Core/Communicator.h"
#include "Flight.h"
#include "Nccl/NcclMove.h"
#include "WatchTree.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace shardir {
namespace runtime {

/// Tags of messages between ranks.
enum ProcessTag : int { kPost = 1, kMessage = 2, kCarried = 3 };

/// FNV-1a, the same on all processes.
class Hash {
public:
  template <class T> Hash &add(const T *data, size_t n) {
    auto *bytes = reinterpret_cast<const unsigned char *>(data);
    for (size_t i = 0; i < n * sizeof(T); ++i)
      value = (value ^ bytes[i]) * 0x100000001b3u;
    return *this;
  }
  uint64_t value = 0xcbf29ce484222325u;
};

template <class T> std::shared_ptr<const std::string> bytesOf(const T &value) {
  return std::make_shared<std::string>(reinterpret_cast<const char *>(&value),
                                       sizeof(T));
}

/// The message that a member sends to the others before the data.
struct ProcessPost {
  static constexpr size_t kShown = 8;
  uint64_t run = 0;
  uint64_t program = 0; ///< a hash of the program
  uint64_t group = 0;   ///< a hash of the members
  uint64_t shape = 0;   ///< a hash of `dims`, all of them
  int64_t count = 0, peer = 0;
  uint64_t messages = 0; ///< sent by `send` from this rank to that one
  int32_t id = -1;       ///< -1: a barrier
  int32_t rank = 0;      ///< how many dims
  int64_t dims[kShown] = {};

  // Of a barrier, dims[0] is a number to agree on, and text follows: the
  // function, the program and extents, cut to what fits. Of the last one of a
  // run, all are numbers.
  void setText(const std::string &text);
  std::string text() const;
};

/// The head of a message of `send`; its data follows.
struct MessageHead {
  uint64_t run = 0;
  int64_t count = 0;
  uint64_t bytes = 0;
  int32_t id = -1;
  int32_t unused = 0;
};

/// A rank that waits for a message of another one.
struct ProcessWait final : Rendezvous {
  /// Once posts agree, data is on its way and nobody's fault: a wait for it is
  /// not shown. Group: for all to begin a collective that has no posts.
  enum Kind : int { None, Posts, Messages, Group };
  class ProcessTransport *transport = nullptr;
  int rank = 0;
  std::atomic<int> kind{None}, peer{-1};
  std::atomic<uint64_t> received{0}; ///< of that kind from that peer
  /// Of Group: which one, and how many collectives of it this rank has begun.
  std::atomic<uint64_t> group{0}, begun{0};

  bool arrived(uint64_t target) const override { return missing(target) < 0; }
  int missing(uint64_t target) const override;
};

class ProcessTransport final : public Transport {
public:
  ProcessTransport(Job &job, ProcessWorld &world, uint64_t run);
  std::unique_ptr<Communicator> connect(RankContext &rank) override;
  std::string leftover() override { return ""; } // seen by the last barrier
  bool sharesMemory() const override { return false; }
  Sight observe() override;
  bool isSilent(int rank) const override;
  double toldAgo(int rank) const override;
  void settle() override;
  /// Whether the job fails, or has failed, because a process has ended: looks
  /// for `seconds`.
  bool findsLoss(double seconds);

  Job &job;
  ProcessWorld &world;
  const uint64_t run;
  const int self;
  const size_t size;
  const uint64_t programHash;
  ProcessWait wait; ///< this rank's
  /// Collectives without posts that a rank has begun, by a hash of the group.
  using Begun = std::vector<std::pair<uint64_t, uint64_t>>;
  /// Adds a group of this rank, which others can miss it in from now on.
  void enroll(uint64_t group);
  /// Counts a collective of the group; its number.
  uint64_t begin(uint64_t group);
  /// The numbers of messages from this rank to each other rank.
  std::vector<std::atomic<uint64_t>> sentPosts, sentMessages;

  WatchTree tree;
  /// How the run ends is known here.
  std::atomic<bool> concluded{false};

private:
  friend struct ProcessWait;
  /// Kinds of notices, which go along the tree. Rank 0 asks (Ping), all tell
  /// (Status); a rank that fails tells rank 0 (Failed), which tells all to stop
  /// (Stop), hears what they did last, and says how it ends (Final).
  enum Kind : uint32_t { Ping, Status, Failed, Stop, Final };
  struct PingText {
    uint64_t round = 0;
    uint64_t isFull = 0; ///< each rank is to send a snapshot
  };
  /// The head of a Status. Marks and snapshots of the sender and of ranks below
  /// it follow, each behind an Entry.
  struct StatusHead {
    uint64_t round = 0;
    // Of those that the Status is the first to tell of.
    uint64_t progress = 0; ///< the sum of RankStatus::progress
    uint32_t oldest = 0;   ///< milliseconds since the last step of one
    uint32_t complete = 0; ///< all below the sender have answered
    uint32_t stopped = 0;  ///< the sender has stopped
    uint32_t ended = 0;    ///< the sender and all below wait for the run's end
  };
  /// Without `bytes` a mark: the rank has answered.
  struct Entry {
    uint32_t rank = 0;
    uint16_t isSubtree = 0; ///< and all below it
    uint16_t ended = 0;     ///< it waits for the run's end
    uint64_t bytes = 0;     ///< of its snapshot
  };
  static std::string textOf(const Entry &entry) { return *bytesOf(entry); }
  /// Counts by rank, in order, of those that are not 0.
  using Counts = std::vector<std::pair<uint64_t, uint64_t>>;
  static constexpr uint64_t kStopped = UINT64_MAX; ///< in place of a round
  using Clock = std::chrono::steady_clock;
  /// Rank 0's knowledge of a rank.
  struct Remote {
    ProcessWait wait;
    Counts sentPosts, sentMessages;
    Begun begun;
    uint64_t round = 0; ///< the last one that it answered
    bool ended = false; ///< it waits for the end of the run
    bool stopped = false;
    Clock::time_point told; ///< when its last snapshot came
  };

  std::string snapshot(uint64_t round);
  void readSnapshot(int from, const char *text, size_t bytes);
  void readStatus(const ProcessWorld::Notice &notice);
  /// Adds this rank's snapshot to what goes up.
  void addSnapshot(uint64_t round);
  /// Answers a question: with a snapshot, or with a mark and numbers to sum up.
  void answer(bool isFull);
  void noteSteps();
  double roundInterval() const; ///< seconds
  uint32_t sinceStep() const;
  template <class F> void forSubtree(int rank, F &&f) const;
  void readMark(const Entry &entry, uint64_t answered);
  void endRound();
  template <class F> void forEachChild(F &&f) {
    tree.forEach([&](int r) { return world.isGone(r); }, f);
  }
  /// Sends it to those below.
  void relay(Kind kind, const std::string &text);
  /// Asks in place of children that do not answer.
  void replaceSilent();
  /// Sends up what has come, once it is all there or some time has passed.
  void passOn();
  int above() const;
  void handle(const ProcessWorld::Notice &notice);
  void lead();
  void follow();
  void conclude();
  /// Ends this process' part without a word from rank 0.
  void concludeAlone();
  /// Fails the job where a process has ended.
  void noticeLoss();
  // Where ranks have GPUs: failures of NCCL, and an end of what hangs.
  void watchGpus();
  void settleGpus();
  uint64_t sent(int from, int to, ProcessWait::Kind kind) const;
  /// A member of the group that has begun fewer collectives of it; -1: none.
  int behind(uint64_t group, uint64_t begun);
  double since(Clock::time_point t) const {
    return std::chrono::duration<double>(Clock::now() - t).count();
  }

  std::mutex begunMutex;
  Begun begun;                 ///< guarded by begunMutex
  std::vector<Remote> remotes; ///< rank 0's
  int parent;                  ///< who has asked last
  std::string goingUp;         ///< snapshots behind their heads
  bool isUrgent = false;       ///< and some of them are waited for
  /// Whether ranks send snapshots only where rank 0 asks for them, and now and
  /// then: in the others' rounds numbers are summed up.
  const bool sumsUp;
  std::string marks, ends; ///< marks that go up, of answers and of ends
  Clock::time_point endsBegan;
  PingText ping;         ///< the last one
  uint64_t progress = 0; ///< the sum that goes up, or has come to rank 0
  uint32_t oldest = 0;
  /// Of this rank, as its watchdog sees it.
  uint64_t steps = 0, loops = 0;
  Clock::time_point stepped, progressed;
  /// Rank 0's: the sum of the round before, and that which snapshots are of.
  uint64_t lastProgress = UINT64_MAX, detailed = UINT64_MAX;
  uint64_t round = 0; ///< the last one that this rank has heard of
  bool roundComplete = false, told = false, settling = false;
  bool toldEnd = false, stopping = false;
  const Clock::time_point made = Clock::now();
  Clock::time_point roundBegan, heard, stopBegan, polled;
};

/// A failed job's rank waits as long for posts that may be on their way: who
/// has them all goes on to move data, and needs this rank for that. In seconds.
constexpr double kPostsOnTheWay = 0.1;

class ProcessCommunicator final : public Communicator, public PointToPoint {
public:
  ProcessCommunicator(ProcessTransport &transport, RankContext &rank);
  ~ProcessCommunicator() override;
  void redistribute(const std::vector<StepCall> &calls) override;
  void start(const std::vector<StepCall> &calls) override;
  void finish(const void *out) override;
  void abandon() override;
  int64_t peer(int32_t id, const CollectiveSpec &spec, const PeerRoute &route,
               const void *in, void *out, int64_t count, int64_t peer) override;
  void barrier() override;
  void awaitGpu(const Rendezvous &event) override;
  PointToPoint *pointToPoint() override { return this; }
  void carry(int from, int to, const void *in, void *out,
             size_t bytes) override;
  void meetAtEnd(std::vector<int64_t> &numbers, bool hasMore) override;

private:
  /// Posts of one collective, awaited from the others.
  struct Awaited {
    int rank;
    ProcessPost post;
    MpiRequest request = nullptr;
    bool isAhead = false; ///< it is in a later run already
  };
  void sendPost(int to, ProcessPost post);
  /// All members compare their posts with each other.
  void meet(const std::vector<int> &group, const ProcessPost &post);
  /// Awaits the posts of others and compares them with this rank's.
  void collectPosts(const std::vector<int> &others, const ProcessPost &post,
                    double seconds);
  void check(const ProcessPost &own, int other, const ProcessPost &post);
  std::string describeRun() const;
  bool hasAgreed = false; ///< that all are in the same run
  void receivePost(Awaited &awaited);
  /// Polls `missing()`, which gives a rank that this one waits for, until it
  /// gives -1. Once the job has failed, at most so many seconds more.
  void await(ProcessWait::Kind kind, double seconds,
             const std::function<int()> &missing);
  /// All ranks run one program, entry, and extents; what tells so.
  void agree();
  uint64_t proof() const;
  /// A barrier along the watchdogs' tree: each rank compares its post with
  /// those of its parent and its children. The first `numbers` of `dims` become
  /// the largest of all ranks. Where `ends` and the last of them is 0, the run
  /// has ended well if rank 0 says so, and not otherwise.
  void meetOnTree(ProcessPost &post, size_t numbers, bool ends);
  /// Makes the communicators of all groups of the program, once.
  void prepareGroups();
  /// Meets the members where they compare posts, or have no communicator yet.
  GroupWait enter(const std::vector<int> &group, uint64_t key, bool isKnown,
                  const std::function<ProcessPost()> &post);
  /// The schedule that is kept with a route.
  struct Plan final : RoutePlan {
    MessageSchedule schedule;
    int rank = 0; ///< of which it is: that of a process may change
    bool reduces = false;
    uint64_t group = 0; ///< a hash of the members
    /// Made in a generation of communicators; 0 is none.
    struct Channel {
      MpiComm comm = nullptr;
      uint64_t generation = 0;
    };
    /// Of collectives in line, and of those beside other work: members begin
    /// these two kinds in orders of their own.
    Channel inLine, beside;
  };
  Plan &planOf(const StepCall &call);
  /// Checks the calls and meets the members, who then have a channel.
  GroupWait admit(const std::vector<StepCall> &calls, bool beside);
  Flight flightOf(const std::vector<StepCall> &calls, const GroupWait &wait,
                  bool beside);
  /// Waits until so many of those that were started are done.
  void finishStarted(uint64_t count);
  /// Leaves what messages may still use where it is.
  void leave();
  const RoutePart &partOf(const Route &route) const;
  const std::vector<int> &groupOf(const std::vector<StepCall> &calls) const;
  void move(MpiComm comm, const GroupWait &wait, const SchedulePhase &phase,
            const MoveBuffers &buffers);
  void finishMoving(const GroupWait &wait,
                    const std::function<bool(bool &)> &done);
  void pollUntil(const std::function<bool()> &done);
  /// Makes NCCL's communicators for the groups along axes of the program's
  /// meshes, once.
  void prepareGpuGroups(const std::vector<int> &all);
  std::shared_ptr<NcclGroup> gpuGroup(const std::vector<int> &group,
                                      size_t place);
  void moveOnGpu(const std::vector<int> &group, size_t place,
                 const GroupWait &wait,
                 const std::vector<NcclMove::Item> &items);
  void redistributeOnGpu(const std::vector<StepCall> &calls,
                         const GroupWait &wait);
  bool hasGroup(const std::vector<int> &group, bool beside = false) const;
  std::shared_ptr<const std::string> dataToSend(const void *in, size_t bytes);
  void receiveIntoRank(int from, const MessageHead &head, void *out);
  void sendMessage(int32_t id, const CollectiveSpec &spec, int to,
                   const void *in, int64_t count);
  void receiveMessage(const CollectiveSpec &spec, int from, void *out,
                      int64_t count);
  MessageHead takeHead(int from);
  void receiveData(int from, const MessageHead &head, void *to);
  void dropData(int from, const MessageHead &head);
  std::optional<std::string> takeEarly(int from, int tag);
  std::string describe(const ProcessPost &post) const;
  ProcessPost postOf(int32_t id, const std::vector<int> &group) const;
  ProcessPost postOf(const std::vector<StepCall> &calls) const;
  BlockLimits limitsFor(size_t elementSize, size_t members) const;

  ProcessTransport &transport;
  ProcessWorld &world;
  RankContext &rank;
  Job &job;
  const int spins;
  std::vector<uint64_t> receivedPosts, receivedMessages;
  std::vector<Awaited> awaited; ///< of the collective at hand
  MoveScratch scratch;          ///< of the one in line
  std::optional<Flight> flight; ///< of the one in line
  FlightQueue started;
  // Where the rank has a GPU.
  std::unique_ptr<NcclCalls> ncclCalls;
  std::unique_ptr<NcclMove> nccl;
  /// Collectives without posts that the GPU has been given, in order: what the
  /// host waits for is the first that the GPU has not done.
  struct Queued {
    GroupWait wait;
    uint64_t number; ///< of all that the rank has begun
    const CudaEvent *end;
  };
  std::deque<Queued> queued;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_PROCESSTRANSPORT_H
