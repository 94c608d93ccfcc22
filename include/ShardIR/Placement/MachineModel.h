//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How fast devices compute and links transfer, as plain values.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_MACHINEMODEL_H
#define SHARDIR_PLACEMENT_MACHINEMODEL_H

#include <cstdint>

namespace shardir {

struct MeshAxis;

/// The link that connects the devices along one axis.
struct Link {
  double bandwidth = 0; ///< bytes per second; 0 means the machine's default
  double latency = 0;   ///< seconds per message
  /// Bytes per second of all_gather, reduce_scatter and all_reduce: what
  /// several devices of a node receive, or add up, crosses to it once and by
  /// the links of all of them. Never less than `bandwidth`.
  double gatherBandwidth = 0;
  bool operator==(const Link &o) const {
    return bandwidth == o.bandwidth && latency == o.latency &&
           gatherBandwidth == o.gatherBandwidth;
  }
};

/// The link of an axis that the mesh gives none. The defaults are of the order
/// of one 50 Gbit/s network port and its software: a stated assumption, not a
/// measurement of any machine.
struct MachineModel {
  double bandwidth = 5.0e9; ///< bytes per second, each way
  double latency = 1.0e-5;  ///< seconds per message

  /// The link of an axis, its zeros replaced by the defaults.
  Link linkOf(const MeshAxis &axis) const;
  bool operator==(const MachineModel &o) const {
    return bandwidth == o.bandwidth && latency == o.latency;
  }
};

/// How fast one device computes. The defaults are of the order of a CPU core.
struct DeviceRates {
  /// Operations per second in products of elements of so many bits; 0 is the
  /// rate of the next wider type.
  double flops8 = 0, flops16 = 0, flops32 = 5.0e10, flops64 = 0;
  double memoryBandwidth = 1.0e10; ///< bytes per second

  double flopsOf(int64_t elementBytes) const;
};

} // namespace shardir

#endif // SHARDIR_PLACEMENT_MACHINEMODEL_H
