//===- Launch.cpp - What has started this process, and as which one -------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Launch.h says. Of several launchers that a
// process can see, the innermost one counts: mpirun in a step of srun, torchrun
// in either. A batch script of Slurm sees the variables of its job, but no
// step: what it runs is alone.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <cstdint>
#include <cstdlib>

namespace shardir {
namespace runtime {
namespace {

const char *const kMpiRanks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                 "PMI_RANK"};
/// Below the ports that Linux gives to clients, which begin at 32768.
constexpr int kFirstPort = 20000, kPorts = 10000;

const char *value(const char *name) {
  const char *text = std::getenv(name);
  return text && *text ? text : nullptr;
}

const char *firstOf(std::initializer_list<const char *> names,
                    const char *&name) {
  for (const char *n : names)
    if (const char *text = value(n)) {
      name = n;
      return text;
    }
  return nullptr;
}

/// A number in [least, most] and nothing else.
bool parse(const char *name, const char *text, int least, int most, int &result,
           std::string &error) {
  char *end = nullptr;
  long n = std::strtol(text, &end, 10);
  if (*end == '\0' && end != text && n >= least && n <= most) {
    result = int(n);
    return true;
  }
  error = std::string(name) + "='" + text + "' is not a number from " +
          std::to_string(least) + " to " + std::to_string(most);
  return false;
}

constexpr int kMostRanks = 1 << 20;

bool parseRankAndSize(const char *rankName, const char *rank,
                      const char *sizeName, const char *size, JobLaunch &launch,
                      std::string &error) {
  return parse(sizeName, size, 1, kMostRanks, launch.size, error) &&
         parse(rankName, rank, 0, launch.size - 1, launch.rank, error);
}

/// `host:port` in $SHARDIR_ROOT goes before what the launcher says.
bool readRoot(JobLaunch &launch, bool &found, std::string &error) {
  const char *text = value("SHARDIR_ROOT");
  found = text != nullptr;
  if (!found)
    return true;
  std::string root = text;
  size_t colon = root.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    error = "SHARDIR_ROOT='" + root + "' is not HOST:PORT";
    return false;
  }
  launch.host = root.substr(0, colon);
  if (launch.host.size() > 2 && launch.host.front() == '[' &&
      launch.host.back() == ']') // an address of IPv6
    launch.host = launch.host.substr(1, launch.host.size() - 2);
  return parse("the port of SHARDIR_ROOT", root.c_str() + colon + 1, 1, 65535,
               launch.port, error);
}

/// torchrun's, or that of a pod of an indexed job of Kubernetes.
const char *rankOfTorchrun(const char *&name) {
  return firstOf({"RANK", "JOB_COMPLETION_INDEX"}, name);
}

bool readTorchrun(JobLaunch &launch, std::string &error) {
  const char *rankName = nullptr;
  const char *rank = rankOfTorchrun(rankName), *size = value("WORLD_SIZE");
  if (!rank || !size) {
    error = std::string(rank ? "RANK" : "WORLD_SIZE") + " is set, but not " +
            (rank ? "WORLD_SIZE" : "RANK");
    return false;
  }
  launch.kind = JobLaunch::Torchrun;
  if (!parseRankAndSize(rankName, rank, "WORLD_SIZE", size, launch, error))
    return false;
  bool found = false;
  if (launch.size == 1 || !readRoot(launch, found, error))
    return error.empty();
  const char *run = value("TORCHELASTIC_RUN_ID");
  launch.job = run ? run : "";
  if (found)
    return true;
  const char *host = value("MASTER_ADDR"), *port = value("MASTER_PORT");
  if (!host || !port) {
    error = std::string("RANK and WORLD_SIZE are set, but not ") +
            (host ? "MASTER_PORT" : "MASTER_ADDR");
    return false;
  }
  launch.host = host;
  if (!parse("MASTER_PORT", port, 1, 65534, launch.port, error))
    return false;
  // torchrun's agent listens there itself.
  const char *store = value("TORCHELASTIC_USE_AGENT_STORE");
  if (store && std::string(store) == "True")
    ++launch.port;
  return true;
}

bool readSrun(JobLaunch &launch, std::string &error) {
  launch.kind = JobLaunch::Srun;
  const char *rank = value("SLURM_PROCID"), *sizeName = nullptr;
  const char *size =
      firstOf({"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, sizeName);
  if (!size) {
    error = "SLURM_PROCID is set, but not SLURM_NTASKS";
    return false;
  }
  if (!parseRankAndSize("SLURM_PROCID", rank, sizeName, size, launch, error))
    return false;
  bool found = false;
  if (launch.size == 1 || !readRoot(launch, found, error))
    return error.empty();
  const char *job = value("SLURM_JOB_ID"), *stepName = nullptr;
  const char *step = firstOf({"SLURM_STEP_ID", "SLURM_STEPID"}, stepName);
  launch.job = std::string(job ? job : "") + "." + (step ? step : "");
  if (found)
    return true;
  const char *nodesName = nullptr;
  const char *host = value("MASTER_ADDR");
  const char *nodes =
      firstOf({"SLURM_STEP_NODELIST", "SLURM_NODELIST", "SLURM_JOB_NODELIST"},
              nodesName);
  launch.host = host ? host : nodes ? firstOfNodeList(nodes) : "";
  if (launch.host.empty()) {
    error = nodes ? std::string(nodesName) + "='" + nodes +
                        "' is not a list of nodes"
                  : "SLURM_PROCID is set, but not SLURM_STEP_NODELIST";
    return false;
  }
  if (const char *port = value("MASTER_PORT"))
    return parse("MASTER_PORT", port, 1, 65535, launch.port, error);
  // Ports that srun has set aside (--resv-ports): `12000-12003`.
  if (const char *ports = value("SLURM_STEP_RESV_PORTS")) {
    std::string first(ports);
    first = first.substr(0, first.find_first_of("-,"));
    return parse("SLURM_STEP_RESV_PORTS", first.c_str(), 1, 65535, launch.port,
                 error);
  }
  uint32_t hash = 2166136261u; // FNV-1a: the same on all nodes
  for (unsigned char c : launch.job)
    hash = (hash ^ c) * 16777619u;
  launch.port = kFirstPort + int(hash % uint32_t(kPorts));
  return true;
}

/// Of what a process can see. Variables like torchrun's are there for all that
/// some containers run, so without a sign of torchrun itself mpirun counts.
JobLaunch::Kind innermost() {
  const char *name = nullptr;
  bool asTorchrun = value("RANK") || value("WORLD_SIZE");
  if (asTorchrun && (value("TORCHELASTIC_RUN_ID") || !value(kMpiRanks[0])))
    return JobLaunch::Torchrun;
  if (value(kMpiRanks[0]))
    return JobLaunch::Mpi;
  if (value("SLURM_PROCID") && firstOf({"SLURM_STEP_ID", "SLURM_STEPID"}, name))
    return JobLaunch::Srun;
  return rankOfMpi() >= 0 ? JobLaunch::Mpi : JobLaunch::Alone;
}

} // namespace

bool findLaunch(JobLaunch &launch, std::string &error) {
  launch = JobLaunch();
  if (const char *token = value("SHARDIR_JOB_TOKEN"))
    launch.token = token;
  switch (launch.kind = innermost()) {
  case JobLaunch::Torchrun:
    return readTorchrun(launch, error);
  case JobLaunch::Srun:
    return readSrun(launch, error);
  default:
    return true;
  }
}

int rankOfMpi() {
  for (const char *name : kMpiRanks)
    if (const char *text = value(name))
      return std::atoi(text);
  return -1;
}

int rankFromLauncher() {
  const char *text = nullptr, *name = nullptr;
  switch (innermost()) {
  case JobLaunch::Torchrun:
    text = rankOfTorchrun(name);
    break;
  case JobLaunch::Srun:
    text = value("SLURM_PROCID");
    break;
  default:
    return rankOfMpi();
  }
  return text ? std::atoi(text) : -1;
}

bool localRankFromLauncher(int &rank, std::string &error) {
  const char *name = nullptr;
  const char *text = firstOf({"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
                              "SLURM_LOCALID", "MPI_LOCALRANKID"},
                             name);
  rank = -1;
  return !text || parse(name, text, 0, kMostRanks, rank, error);
}

std::string firstOfNodeList(const std::string &list) {
  std::string first;
  for (size_t i = 0; i < list.size() && list[i] != ','; ++i) {
    if (list[i] != '[') {
      first += list[i];
      continue;
    }
    size_t end = list.find_first_of("-,]", i + 1);
    size_t close = list.find(']', i + 1);
    if (end == std::string::npos || close == std::string::npos || end == i + 1)
      return "";
    first += list.substr(i + 1, end - i - 1);
    i = close;
  }
  return first;
}

} // namespace runtime
} // namespace shardir
