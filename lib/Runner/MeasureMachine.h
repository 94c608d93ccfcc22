//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of --measure-machine, and the description of a machine that
// follows from their times (docs/howto/describe-a-machine.md).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_MEASUREMACHINE_H
#define SHARDIR_LIB_RUNNER_MEASUREMACHINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace shardir::runner {

struct MachineProbe {
  enum Kind { Product, Copy, SmallGather, LargeGather } kind;
  const char *type;    ///< of elements; a product's key in the description
  std::string program; ///< MLIR on a mesh of all devices
  double amount;       ///< operations, or bytes of memory, of one device

  const char *what() const {
    return kind == Product ? "products" : kind == Copy ? "copies" : "gathers";
  }
  /// True if the time is that of the collective, not of the run.
  bool isCollective() const { return kind >= SmallGather; }
};

/// The programs to time on `devices` devices; collectives if there are several.
std::vector<MachineProbe> machineProbes(int64_t devices);

/// The text of a file for the option `machine`; `seconds` has the shortest time
/// of each probe. Devices are of one node, and share the host's memory.
std::string describeMachine(const std::vector<MachineProbe> &probes,
                            const std::vector<double> &seconds,
                            int64_t devices);

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_MEASUREMACHINE_H
