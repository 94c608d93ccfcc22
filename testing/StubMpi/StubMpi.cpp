//===- StubMpi.cpp - An MPI whose peers answer at once --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that lib/Runtime/Mpi/MpiApi.h looks for, with Open MPI's binary
// interface. Requires a rank that is not 0, since rank 0 asks all others what
// they do; guarantees that every request is done when it is made.
//
//===----------------------------------------------------------------------===//

#include "StubMpi/StubMpi.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Comm {
  int size = 0;
};
struct Group {
  int size = 0;
};
struct Status {
  int source, tag, error, cancelled;
  size_t bytes;
};

/// Notices between watchdogs, as lib/Runtime/Processes/ProcessTransport.h has
/// them behind a header of kind and run.
constexpr uint32_t kPing = 0, kStatus = 1, kFinal = 4;
constexpr size_t kNoticeHeader = 12;
struct StatusHead {
  uint64_t round, progress;
  uint32_t oldest, complete, stopped, ended;
};
struct Entry {
  uint32_t rank;
  uint16_t isSubtree, ended;
  uint64_t bytes;
};
struct Notice {
  int from;
  std::string text;
};

std::recursive_mutex mutex;
std::map<std::string, long> calls;
std::deque<Notice> notices; ///< to this rank, not received yet
Comm *noticeComm = nullptr; ///< the one that is probed
uint64_t lastRun = 0;       ///< that has ended
uint64_t round = 0;         ///< of questions in this run
char done;                  ///< a request

int numberIn(const char *name) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : 0;
}

int count(const char *name) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  ++calls[name];
  return 0;
}

template <class T>
std::string noticeOf(uint32_t kind, uint64_t run, const T &body) {
  std::string text(reinterpret_cast<const char *>(&kind), sizeof(kind));
  text.append(reinterpret_cast<const char *>(&run), sizeof(run));
  return text.append(reinterpret_cast<const char *>(&body), sizeof(body));
}

/// Answers what the watchdog sends: rank 0 ends the run once this rank has, and
/// those below answer each question at once, all together.
void readNotice(int to, const std::string &text) {
  uint32_t kind;
  uint64_t run;
  std::memcpy(&kind, text.data(), sizeof(kind));
  std::memcpy(&run, text.data() + sizeof(kind), sizeof(run));
  StatusHead head;
  if (kind == kPing) {
    std::memcpy(&head.round, text.data() + kNoticeHeader, sizeof(head.round));
    notices.push_back(
        {to, noticeOf(kStatus, run, StatusHead{head.round, 1, 0, 1, 0, 0})});
  }
  if (kind != kStatus || text.size() < kNoticeHeader + sizeof(head))
    return;
  calls["bytes of answers"] += long(text.size());
  std::memcpy(&head, text.data() + kNoticeHeader, sizeof(head));
  if (head.complete && head.round == round)
    ++calls["rounds"];
  Entry entry;
  for (size_t at = kNoticeHeader + sizeof(head);
       at + sizeof(entry) <= text.size(); at += sizeof(entry) + entry.bytes) {
    std::memcpy(&entry, text.data() + at, sizeof(entry));
    if (!entry.ended || run <= lastRun ||
        entry.rank != uint32_t(numberIn("OMPI_COMM_WORLD_RANK")))
      continue;
    lastRun = run;
    round = 0;
    notices = {{0, noticeOf(kFinal, run, char())}};
    notices[0].text.pop_back();
  }
}

/// Rank 0 asks again when it has been answered.
void ask() {
  if (notices.empty() && calls["asked"] == calls["rounds"] &&
      calls["rounds"] < numberIn("SHARDIR_STUB_MPI_ROUNDS")) {
    ++calls["asked"];
    uint64_t ping[] = {++round, 0};
    notices.push_back({0, noticeOf(kPing, lastRun + 1, ping)});
  }
}

} // namespace

// Of elements, as many bytes as the type has.
#define TYPE(NAME, BYTES)                                                      \
  __attribute__((visibility("default"))) size_t ompi_mpi_##NAME = BYTES

extern "C" {

__attribute__((visibility("default"))) Comm ompi_mpi_comm_world;
__attribute__((visibility("default"))) char ompi_mpi_info_null,
    ompi_mpi_errors_return, ompi_mpi_op_sum, ompi_mpi_op_prod, ompi_mpi_op_max,
    ompi_mpi_op_min, ompi_mpi_op_band, ompi_mpi_op_bor, ompi_mpi_op_bxor;
TYPE(byte, 1);
TYPE(int8_t, 1);
TYPE(int16_t, 2);
TYPE(int32_t, 4);
TYPE(int64_t, 8);
TYPE(uint8_t, 1);
TYPE(uint16_t, 2);
TYPE(uint32_t, 4);
TYPE(uint64_t, 8);
TYPE(float, 4);
TYPE(double, 8);

#define MPI __attribute__((visibility("default"))) int

__attribute__((visibility("default"))) long
shardir_stub_mpi_calls(const char *name) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  auto it = calls.find(name);
  return it == calls.end() ? 0 : it->second;
}

MPI MPI_Get_library_version(char *text, int *length) {
  std::strcpy(text, "Open MPI, a stub");
  *length = int(std::strlen(text));
  return 0;
}
MPI MPI_Initialized(int *flag) { return *flag = 0; }
MPI MPI_Finalized(int *flag) { return *flag = 0; }
MPI MPI_Init_thread(int *, char ***, int, int *provided) {
  *provided = 3;
  ompi_mpi_comm_world.size = numberIn("SHARDIR_STUB_MPI_SIZE");
  return 0;
}
MPI MPI_Query_thread(int *provided) {
  *provided = 3;
  return 0;
}
MPI MPI_Finalize() { return 0; }
MPI MPI_Error_string(int, char *text, int *length) {
  std::strcpy(text, "an error");
  *length = int(std::strlen(text));
  return 0;
}
MPI MPI_Comm_set_errhandler(Comm *, void *) { return 0; }
MPI MPI_Comm_rank(Comm *, int *rank) {
  *rank = numberIn("OMPI_COMM_WORLD_RANK");
  return 0;
}
MPI MPI_Comm_size(Comm *comm, int *size) {
  *size = comm->size;
  return 0;
}
MPI MPI_Comm_dup(Comm *comm, Comm **result) {
  *result = new Comm(*comm);
  return 0;
}
MPI MPI_Comm_split_type(Comm *, int, int, void *, Comm **result) {
  *result = new Comm{1};
  return 0;
}
MPI MPI_Comm_group(Comm *comm, Group **group) {
  *group = new Group{comm->size};
  return 0;
}
MPI MPI_Comm_create_group(Comm *, Group *group, int, Comm **result) {
  *result = new Comm{group->size};
  return count("Comm_create_group");
}
MPI MPI_Comm_free(Comm **comm) {
  delete *comm;
  return 0;
}
MPI MPI_Group_incl(Group *, int n, const int *, Group **result) {
  *result = new Group{n};
  return 0;
}
MPI MPI_Group_free(Group **group) {
  delete *group;
  return 0;
}

MPI MPI_Isend(const void *data, int bytes, void *, int to, int, Comm *comm,
              void **request) {
  *request = &done;
  std::lock_guard<std::recursive_mutex> lock(mutex);
  auto *text = static_cast<const char *>(data);
  if (comm == noticeComm)
    readNotice(to, {text, size_t(bytes)});
  calls["bytes of Isend"] += bytes;
  return count("Isend");
}
// Leaves the buffer as it is: there the runtime has the rank's own post, which
// is equal to those of all others.
MPI MPI_Irecv(void *, int, void *, int, int, Comm *, void **request) {
  *request = &done;
  return count("Irecv");
}
MPI MPI_Recv(void *data, int bytes, void *, int, int, Comm *, Status *) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  std::memcpy(data, notices.front().text.data(), size_t(bytes));
  notices.pop_front();
  return 0;
}
MPI MPI_Iprobe(int, int tag, Comm *comm, int *flag, Status *status) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  noticeComm = comm;
  ask();
  *flag = !notices.empty();
  if (*flag)
    *status = {notices.front().from, tag, 0, 0, notices.front().text.size()};
  return 0;
}
MPI MPI_Test(void **request, int *flag, Status *) {
  *request = nullptr;
  *flag = 1;
  return 0;
}
MPI MPI_Wait(void **request, Status *) {
  *request = nullptr;
  return 0;
}
MPI MPI_Cancel(void **) { return 0; }

MPI MPI_Iallgather(const void *in, int sent, void *, void *out, int, void *,
                   Comm *comm, void **request) {
  *request = &done;
  if (reinterpret_cast<uintptr_t>(in) > 1)
    for (int i = 0; i < comm->size; ++i)
      std::memcpy(static_cast<char *>(out) + size_t(i) * size_t(sent), in,
                  size_t(sent));
  return count("Iallgather");
}
MPI MPI_Iallgatherv(const void *in, int sent, void *, void *out,
                    const int *counts, const int *offsets, void *, Comm *comm,
                    void **request) {
  *request = &done;
  for (int i = 0; i < comm->size && reinterpret_cast<uintptr_t>(in) > 1; ++i)
    std::memcpy(static_cast<char *>(out) + offsets[i], in,
                size_t(counts[i] < sent ? counts[i] : sent));
  return count("Iallgatherv");
}
MPI MPI_Ialltoall(const void *in, int sent, void *, void *out, int, void *,
                  Comm *comm, void **request) {
  *request = &done;
  std::memcpy(out, in, size_t(sent) * size_t(comm->size));
  return count("Ialltoall");
}
MPI MPI_Ialltoallv(const void *in, const int *sends, const int *sendOffsets,
                   void *, void *out, const int *receives,
                   const int *receiveOffsets, void *, Comm *comm,
                   void **request) {
  *request = &done;
  for (int i = 0; i < comm->size; ++i)
    std::memcpy(static_cast<char *>(out) + receiveOffsets[i],
                static_cast<const char *>(in) + sendOffsets[i],
                size_t(sends[i] < receives[i] ? sends[i] : receives[i]));
  return count("Ialltoallv");
}
MPI MPI_Iallreduce(const void *in, void *out, int n, const size_t *type, void *,
                   Comm *, void **request) {
  *request = &done;
  if (reinterpret_cast<uintptr_t>(in) > 1)
    std::memcpy(out, in, size_t(n) * *type);
  return count("Iallreduce");
}
MPI MPI_Ireduce_scatter(const void *in, void *out, const int *counts,
                        const size_t *type, void *, Comm *, void **request) {
  *request = &done;
  std::memcpy(out, in, size_t(counts[0]) * *type);
  return count("Ireduce_scatter");
}

} // extern "C"
