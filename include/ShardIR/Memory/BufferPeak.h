//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The peak memory of a program on buffers: its allocations in the order in
// which a rank makes and frees them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_MEMORY_BUFFERPEAK_H
#define SHARDIR_MEMORY_BUFFERPEAK_H

#include "ShardIR/Memory/PeakMemory.h"

#include <optional>

namespace shardir {

/// The shape of a bufferized entry's argument on `rank`, or on the first device
/// where the argument's mesh lacks that rank. Nothing where an extent is not
/// known before the program runs.
std::optional<std::vector<int64_t>> argumentShape(mlir::func::FuncOp entry,
                                                  unsigned number,
                                                  const MeshTable &meshes,
                                                  int64_t rank);

/// The result on `rank` of a `shardir.axis_index`, or of arithmetic on integers
/// with the values `operands`. Nothing for other ops.
std::optional<int64_t> numberOnRank(mlir::Operation &op,
                                    llvm::ArrayRef<int64_t> operands,
                                    const MeshTable &meshes, int64_t rank);

/// The memory of single ops, on the rank for which it is largest.
struct OpMemory {
  /// The most that is alive while the op runs, before it frees anything.
  llvm::DenseMap<mlir::Operation *, int64_t> alive;
  llvm::DenseMap<mlir::Operation *, int64_t> allocated; ///< of allocations
};

/// Bytes that the rank which needs most has at one time in one call of a
/// bufferized entry: arguments and results as they are, allocations rounded up
/// to 64 as the runtime counts them; and the allocation with which it has them.
/// Of a branch whose condition is not known the larger side counts, of a loop
/// three iterations, of parallel iterations one at a time. Nothing where an
/// extent is not known before the program runs. `use`, if given, gets the
/// memory of each op that runs. Lists what is held at the peak only on request,
/// for that takes another run of the fullest rank.
std::optional<MemoryPeak> bufferPeak(mlir::func::FuncOp entry,
                                     OpMemory *use = nullptr,
                                     bool listHeld = false);

} // namespace shardir

#endif // SHARDIR_MEMORY_BUFFERPEAK_H
