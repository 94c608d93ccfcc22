//===- NcclStart.cpp - Processes of a communicator of NCCL
//-----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what NcclStart.h says.
//
//===----------------------------------------------------------------------===//

#include "NcclStart.h"

#include "Core/Wait.h"
#include "Cuda/CudaDevice.h"
#include "NcclGroups.h"
#include "Processes/Launch.h"
#include "Processes/Socket.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <numeric>
#include <stdexcept>
#include <unistd.h>

namespace shardir {
namespace runtime {
namespace {

/// Sent by rank 0 to the others.
struct Root {
  char host[256];
  char job[64];
  int32_t port, failed; ///< an errno
};

/// An address of this machine at which others reach it: the first that is not
/// its own loopback.
std::string ownAddress() {
  std::string found = "127.0.0.1";
  ifaddrs *all = nullptr;
  if (::getifaddrs(&all) != 0)
    return found;
  for (ifaddrs *each = all; each; each = each->ifa_next) {
    if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET ||
        !(each->ifa_flags & IFF_UP) || (each->ifa_flags & IFF_LOOPBACK))
      continue;
    char text[INET_ADDRSTRLEN] = "";
    auto *address = reinterpret_cast<sockaddr_in *>(each->ifa_addr);
    ::inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text));
    found = text;
    break;
  }
  ::freeifaddrs(all);
  return found;
}

class Start {
public:
  Start(const nccl::Api &api, nccl::Comm comm, double seconds)
      : api(api), comm(comm), seconds(seconds), deadline(deadlineIn(seconds)) {}
  std::unique_ptr<Messages> run(std::string &error);

private:
  int ask(nccl::Result (*function)(nccl::Comm, int *), const char *call) const {
    int value = 0;
    api.check(function(comm, &value), call, kWhat, comm);
    return value;
  }
  void pollUntil(const std::function<bool()> &done) const {
    Backoff backoff(0);
    while (!done()) {
      if (millisecondsUntil(deadline) == 0)
        throw std::runtime_error(
            "the members of the NCCL communicator have not all come within " +
            std::to_string(int(seconds)) + " s");
      backoff.pause();
    }
  }
  void broadcast(const CudaDevice &device, NcclCalls &calls, NcclGroup &group,
                 Root &root) const;

  static constexpr const char *kWhat = "take over a communicator";
  const nccl::Api &api;
  const nccl::Comm comm;
  const double seconds;
  const Socket::Deadline deadline;
};

void Start::broadcast(const CudaDevice &device, NcclCalls &calls,
                      NcclGroup &group, Root &root) const {
  const cuda::Api &gpu = device.api;
  cuda::DevicePtr memory = 0;
  cuda::Stream stream = nullptr;
  gpu.check(gpu.MemAlloc(&memory, sizeof(root)), "cuMemAlloc", kWhat);
  gpu.check(gpu.StreamCreate(&stream, cuda::StreamNonBlocking),
            "cuStreamCreate", kWhat);
  gpu.check(gpu.MemcpyHtoDAsync(memory, &root, sizeof(root), stream),
            "cuMemcpyHtoDAsync", kWhat);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the GPU
  auto *data = reinterpret_cast<void *>(uintptr_t(memory));
  calls.settle(
      group,
      api.Broadcast(data, data, sizeof(root), nccl::Int8, 0, comm, stream),
      "ncclBroadcast", kWhat);
  cuda::Result state = cuda::NotReady;
  // Where the others never come, NCCL keeps the memory.
  pollUntil(
      [&] { return (state = gpu.StreamQuery(stream)) != cuda::NotReady; });
  gpu.check(state, "cuStreamQuery", kWhat);
  gpu.check(gpu.MemcpyDtoHAsync(&root, memory, sizeof(root), stream),
            "cuMemcpyDtoHAsync", kWhat);
  gpu.check(gpu.StreamSynchronize(stream), "cuStreamSynchronize", kWhat);
  (void)gpu.StreamDestroy(stream);
  (void)gpu.MemFree(memory);
}

std::unique_ptr<Messages> Start::run(std::string &error) {
  JobLaunch launch;
  launch.kind = JobLaunch::Torchrun;
  launch.size = ask(api.CommCount, "ncclCommCount");
  launch.rank = ask(api.CommUserRank, "ncclCommUserRank");
  if (const char *token = std::getenv("SHARDIR_JOB_TOKEN"))
    launch.token = token;
  int ordinal = ask(api.CommCuDevice, "ncclCommCuDevice");
  CudaDevice *device = CudaDevice::get(ordinal, error);
  if (!device)
    return nullptr;
  CudaScope scope(*device);
  NcclCalls calls(api, [this](const auto &done) { pollUntil(done); });
  NcclGroup group(comm);
  Root root = {};
  Socket listener;
  if (launch.rank == 0) {
    nccl::UniqueId id = {}; // nothing else is equal to it
    api.check(api.GetUniqueId(&id), "ncclGetUniqueId", kWhat);
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i + 1 < sizeof(root.job); ++i)
      root.job[i] = digits[(id.bytes[i] ^ id.bytes[i + sizeof(root.job)]) & 15];
    uint16_t port = 0;
    listener = Socket::listen(0, launch.size, port, root.failed);
    root.port = port;
    std::string host = ownAddress();
    if (const char *named = std::getenv("SHARDIR_ROOT_HOST"))
      host = named;
    std::strncpy(root.host, host.c_str(), sizeof(root.host) - 1);
  }
  broadcast(*device, calls, group, root);
  if (root.failed) {
    error = std::string("rank 0 cannot listen at any port: ") +
            std::strerror(root.failed);
    return nullptr;
  }
  launch.host = root.host;
  launch.port = root.port;
  launch.job = root.job;
  bool unheard = false;
  std::unique_ptr<Messages> messages =
      startTcpMessages(launch, seconds, error, unheard, listener.release());
  if (!messages)
    return nullptr;
  std::vector<int> all(size_t(launch.size));
  std::iota(all.begin(), all.end(), 0);
  calls.split(group, all, size_t(launch.rank));
  setGpuOfProcess(ordinal);
  return messages;
}

} // namespace

std::unique_ptr<Messages> startNcclMessages(nccl::Comm comm, double seconds,
                                            std::string &error) {
  const nccl::Api *api = nccl::Api::get(error);
  if (!api)
    return nullptr;
  try {
    return Start(*api, comm, seconds).run(error);
  } catch (const std::exception &e) {
    error = e.what();
    return nullptr;
  }
}

} // namespace runtime
} // namespace shardir
