//===- MpiMessages.cpp - Messages over MPI --------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts MPI, or joins the host's, and ends it. Requires MPI's thread level
// SERIALIZED; guarantees that every communicator reports errors by status, so
// that MPI ends no process by itself but where it must, and that a host which
// has started MPI itself keeps its communicators untouched, those too that it
// hands over, and finalizes MPI itself.
//
// A process that no launcher has started is a world of one, without MPI_Init:
// that would start daemons of Open MPI.
//
//===----------------------------------------------------------------------===//

#include "Core/Messages.h"
#include "MpiApi.h"
#include "Processes/Launch.h"

#include <algorithm>

namespace shardir {
namespace runtime {
namespace {

constexpr int kMakeGroup = 7; ///< a tag
/// Where nothing is sent from: Open MPI takes equal buffers for MPI_IN_PLACE.
const char kNothing = 0;

class MpiMessages final : public Messages, public MessageCollectives {
public:
  /// Over the host's communicator, else over all processes.
  bool start(MpiComm given, std::string &error);

  MessageRequest send(MessageChannel channel, const void *data, size_t bytes,
                      int to, int tag) override {
    MpiRequest request = nullptr;
    api.check(api.Isend(data, int(bytes), api.byte, to, tag, channel, &request),
              "MPI_Isend");
    return request;
  }
  MessageRequest receive(MessageChannel channel, void *data, size_t bytes,
                         int from, int tag) override {
    MpiRequest request = nullptr;
    api.check(
        api.Irecv(data, int(bytes), api.byte, from, tag, channel, &request),
        "MPI_Irecv");
    return request;
  }
  bool test(MessageRequest request) override {
    int flag = 0;
    api.check(api.Test(&request, &flag, nullptr), "MPI_Test");
    return flag != 0;
  }
  bool cancel(MessageRequest request) override {
    MpiStatus status;
    api.check(api.Cancel(&request), "MPI_Cancel");
    api.check(api.Wait(&request, &status), "MPI_Wait");
    return !status.cancelled;
  }
  bool take(MessageChannel channel, int tag, int &from,
            std::string &data) override;
  MessageChannel group(const std::vector<int> &ranks) override;
  void forgetGroups(const std::vector<MessageChannel> &those) override {
    groups.erase(std::remove_if(groups.begin(), groups.end(),
                                [&](MpiComm comm) {
                                  return std::find(those.begin(), those.end(),
                                                   comm) != those.end();
                                }),
                 groups.end());
  }
  MessageCollectives *collectives() override {
    return control ? this : nullptr;
  }
  MessageRequest allGather(MessageChannel channel, const void *in, void *out,
                           const MessageLayout &pieces, size_t place) override;
  MessageRequest allToAll(MessageChannel channel, const void *in,
                          const MessageLayout &sends, void *out,
                          const MessageLayout &receives) override;
  MessageRequest allReduce(MessageChannel channel, const void *in, void *out,
                           size_t count, shardir_element_type type,
                           PartialKind kind) override;
  MessageRequest reduceScatter(MessageChannel channel, const void *in,
                               void *out, const std::vector<int> &counts,
                               shardir_element_type type,
                               PartialKind kind) override;
  bool isOwn() const override { return initialized; }
  void finish() override;

private:
  MpiApi api;
  bool initialized = false;
  std::vector<MpiComm> groups;
};

bool MpiMessages::start(MpiComm given, std::string &error) {
  if (!api.load(error))
    return false;
  int flag = 0;
  api.Finalized(&flag);
  if (flag) {
    error = "MPI has been finalized in this process: run over it before that";
    return false;
  }
  api.Initialized(&flag);
  if (given && !flag) {
    error = "MPI has not been started: a communicator is made after "
            "MPI_Init_thread";
    return false;
  }
  if (given && given == api.commNull) {
    error = "MPI_COMM_NULL has no processes: those outside of a communicator "
            "take no part in its runs";
    return false;
  }
  if (!flag && rankOfMpi() < 0)
    return true;
  int level = 0;
  if (flag) {
    api.Query_thread(&level);
  } else {
    // Ends the process with a message of its own where it cannot start.
    api.check(
        api.Init_thread(nullptr, nullptr, MpiApi::kThreadSerialized, &level),
        "MPI_Init_thread");
    initialized = true;
  }
  if (level < MpiApi::kThreadSerialized) {
    error = "MPI was started without support for threads (level " +
            std::to_string(level) +
            "): call MPI_Init_thread with MPI_THREAD_SERIALIZED or more";
    return false;
  }
  for (MessageChannel *comm : {&control, &posts, &tools}) {
    api.check(api.Comm_dup(given ? given : api.world, comm), "MPI_Comm_dup");
    api.Comm_set_errhandler(*comm, api.errorsReturn);
  }
  api.check(api.Comm_rank(posts, &rank), "MPI_Comm_rank");
  api.check(api.Comm_size(posts, &size), "MPI_Comm_size");
  MpiComm local = nullptr;
  api.check(
      api.Comm_split_type(posts, MpiApi::kTypeShared, 0, api.infoNull, &local),
      "MPI_Comm_split_type");
  api.check(api.Comm_size(local, &localSize), "MPI_Comm_size");
  api.Comm_free(&local);
  return true;
}

bool MpiMessages::take(MessageChannel channel, int tag, int &from,
                       std::string &data) {
  if (!control) // alone
    return false;
  int flag = 0;
  MpiStatus status;
  api.check(api.Iprobe(MpiApi::kAnySource, tag, channel, &flag, &status),
            "MPI_Iprobe");
  if (!flag)
    return false;
  data.assign(status.bytes, '\0');
  from = status.source;
  api.check(api.Recv(data.data(), int(data.size()), api.byte, from, tag,
                     channel, nullptr),
            "MPI_Recv");
  return true;
}

MessageChannel MpiMessages::group(const std::vector<int> &ranks) {
  MpiComm comm = nullptr;
  MpiGroup all = nullptr, group = nullptr;
  api.check(api.Comm_group(posts, &all), "MPI_Comm_group");
  api.check(api.Group_incl(all, int(ranks.size()), ranks.data(), &group),
            "MPI_Group_incl");
  api.check(api.Comm_create_group(posts, group, kMakeGroup, &comm),
            "MPI_Comm_create_group");
  api.Comm_set_errhandler(comm, api.errorsReturn);
  api.Group_free(&group);
  api.Group_free(&all);
  groups.push_back(comm);
  return comm;
}

MessageRequest MpiMessages::allGather(MessageChannel channel, const void *in,
                                      void *out, const MessageLayout &pieces,
                                      size_t place) {
  MpiRequest request = nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what MPI_IN_PLACE is
  auto *own = in ? in : reinterpret_cast<const void *>(MpiApi::kInPlace);
  int count = pieces.counts[place];
  if (in == out && count == 0)
    own = &kNothing;
  if (pieces.isEven)
    api.check(api.Iallgather(own, count, api.byte, out, count, api.byte,
                             channel, &request),
              "MPI_Iallgather");
  else
    api.check(api.Iallgatherv(own, count, api.byte, out, pieces.counts.data(),
                              pieces.offsets.data(), api.byte, channel,
                              &request),
              "MPI_Iallgatherv");
  return request;
}

MessageRequest MpiMessages::allToAll(MessageChannel channel, const void *in,
                                     const MessageLayout &sends, void *out,
                                     const MessageLayout &receives) {
  MpiRequest request = nullptr;
  static char nowhere;
  if (in == out) { // one of them is empty
    bool gets = std::any_of(receives.counts.begin(), receives.counts.end(),
                            [](int n) { return n > 0; });
    if (gets)
      in = &kNothing;
    else
      out = &nowhere;
  }
  if (sends.isEven && receives.isEven)
    api.check(api.Ialltoall(in, sends.counts[0], api.byte, out,
                            receives.counts[0], api.byte, channel, &request),
              "MPI_Ialltoall");
  else
    api.check(api.Ialltoallv(in, sends.counts.data(), sends.offsets.data(),
                             api.byte, out, receives.counts.data(),
                             receives.offsets.data(), api.byte, channel,
                             &request),
              "MPI_Ialltoallv");
  return request;
}

MessageRequest MpiMessages::allReduce(MessageChannel channel, const void *in,
                                      void *out, size_t count,
                                      shardir_element_type type,
                                      PartialKind kind) {
  MpiRequest request = nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what MPI_IN_PLACE is
  auto *terms =
      in == out ? reinterpret_cast<const void *>(MpiApi::kInPlace) : in;
  api.check(api.Iallreduce(terms, out, int(count), api.typeOf(type, kind),
                           api.operationOf(kind), channel, &request),
            "MPI_Iallreduce");
  return request;
}

MessageRequest MpiMessages::reduceScatter(MessageChannel channel,
                                          const void *in, void *out,
                                          const std::vector<int> &counts,
                                          shardir_element_type type,
                                          PartialKind kind) {
  MpiRequest request = nullptr;
  api.check(api.Ireduce_scatter(in, out, counts.data(), api.typeOf(type, kind),
                                api.operationOf(kind), channel, &request),
            "MPI_Ireduce_scatter");
  return request;
}

void MpiMessages::finish() {
  initialized = false;
  int flag = 0;
  api.Finalized(&flag);
  if (flag)
    return;
  for (MpiComm &comm : groups)
    api.Comm_free(&comm);
  groups.clear();
  for (MessageChannel *comm : {&control, &posts, &tools})
    api.Comm_free(comm);
  api.Finalize();
}

} // namespace

Messages::~Messages() = default;
MessageCollectives::~MessageCollectives() = default;

std::unique_ptr<Messages> startMpiMessages(std::string &error,
                                           MessageChannel comm) {
  auto messages = std::make_unique<MpiMessages>();
  if (!messages->start(comm, error))
    return nullptr;
  return messages;
}

} // namespace runtime
} // namespace shardir
