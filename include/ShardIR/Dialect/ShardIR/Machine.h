//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine that decisions are made for: rates and memory of one device, and
// the links between devices. It comes from the option `machine`, a name or a
// file (docs/howto/describe-a-machine.md), and stands on the module.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_MACHINE_H
#define SHARDIR_DIALECT_SHARDIR_MACHINE_H

#include "ShardIR/Placement/MachineModel.h"
#include "ShardIR/Placement/PlacementFwd.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace shardir {

struct Machine {
  DeviceRates rates;
  int64_t memory = 0; ///< bytes of one device; 0: nothing is known
  /// Devices that the links of a node connect; others use the network.
  int64_t devicesPerNode = 1;
  Link node, network; ///< zeros: MachineModel's defaults
  Link host = {};     ///< of a device to its host's memory; zeros: none

  /// The link of `axis` of a mesh whose ranks fill nodes in order: that of a
  /// node if all devices along it are in one, else the network's. Those of one
  /// node share what they gather: of each byte one takes it from the network.
  Link linkOf(const Mesh &mesh, size_t axis) const;
  /// Of a copy to the host's memory, or back. Without a link that memory is the
  /// device's own.
  double hostCopySeconds(double bytes) const {
    return host.bandwidth > 0 ? host.latency + bytes / host.bandwidth
                              : 2 * bytes / rates.memoryBandwidth;
  }
};

/// Reads a name of getMachineNames, or a file in JSON. On failure `error` says
/// what is wrong.
std::optional<Machine> readMachine(llvm::StringRef nameOrFile,
                                   std::string &error);
/// The machines that are known by name.
llvm::ArrayRef<llvm::StringRef> getMachineNames();
/// The machine with GPUs of this architecture; nothing for others.
llvm::StringRef getMachineOfArch(llvm::StringRef arch);

/// The machine in the module's `shardir.machine`; the default machine without
/// one.
Machine getMachine(mlir::ModuleOp module);
mlir::DictionaryAttr toAttribute(const Machine &machine,
                                 mlir::MLIRContext *context);
/// Whether `attribute` is what toAttribute can give; else `error` says why not.
bool verifyMachine(mlir::DictionaryAttr attribute, std::string &error);

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_MACHINE_H
