//===- Launch.h - What has started this process, and as which one *- C++ -*-=//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the environment that launchers give to their processes: Open MPI's
// mpirun, torchrun (PyTorch, "torchrun (Elastic Launch)": RANK, WORLD_SIZE,
// LOCAL_RANK, MASTER_ADDR, MASTER_PORT), srun (Slurm, "srun", output
// environment variables). Requires nothing; guarantees that values which do not
// fit together are one message with the variable's name.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_LAUNCH_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_LAUNCH_H

#include <string>

namespace shardir {
namespace runtime {

struct JobLaunch {
  enum Kind {
    Alone,    ///< nobody has
    Mpi,      ///< mpirun, or a launcher that MPI understands
    Torchrun, ///< or whoever sets the same variables, as Kubernetes' jobs can
    Srun
  };
  Kind kind = Alone;
  int rank = 0, size = 1;
  std::string host;  ///< of rank 0
  int port = 0;      ///< that rank 0 listens at
  std::string job;   ///< what tells this job from others
  std::string token; ///< a secret of its processes; empty for none

  const char *launcher() const {
    return kind == Torchrun ? "torchrun" : kind == Srun ? "srun" : "mpirun";
  }
};

/// How this process takes part in a job of processes with GPUs. False with
/// `error` set where the variables make no sense.
bool findLaunch(JobLaunch &launch, std::string &error);

/// This process' rank as any launcher has said it; -1 if none has.
int rankFromLauncher();
/// The same of launchers that MPI understands.
int rankOfMpi();

/// The number among the processes of this machine, as any launcher has said it;
/// -1 if none has. False with `error` set where it is no number.
bool localRankFromLauncher(int &rank, std::string &error);

/// The first name in a list as Slurm writes it: `gpu[03-05,9],login` ->
/// `gpu03`.
std::string firstOfNodeList(const std::string &list);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_LAUNCH_H
