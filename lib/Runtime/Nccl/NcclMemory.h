//===- NcclMemory.h - Buffers that NCCL knows -------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of ncclMemAlloc for the arenas of ranks, and its registration with
// communicators ("User Buffer Registration" in NCCL's guide, 2.19). NCCL then
// may have peers, the network and NVLink's switches (NVLS) read and write a
// collective's buffers themselves.
//
// Requires $SHARDIR_NCCL_REGISTER=1 and the group's lock where it says so;
// guarantees that a block is registered once with each communicator that moves
// its data, and with none when it is freed.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_NCCL_NCCLMEMORY_H
#define SHARDIR_LIB_RUNTIME_NCCL_NCCLMEMORY_H

#include "Cuda/DeviceArena.h"
#include "NcclGroups.h"

namespace shardir {
namespace runtime {

class NcclMemory final : public DeviceMemory {
public:
  /// That of the process; null where buffers are not to be registered.
  static NcclMemory *get(const nccl::Api &api);

  std::string allocate(cuda::DevicePtr *block, size_t bytes) override;
  void free(cuda::DevicePtr block) override;
  /// Registers the blocks that hold a call's buffers with the group's
  /// communicator, whose lock the caller has; null is ignored. Memory of the
  /// host's own is not registered, as nobody says when it is freed, and then
  /// the call's other buffer is not, either: NCCL uses both or none. Throws
  /// cuda::Failure.
  void enroll(NcclGroup &group, const void *in, const void *out);

private:
  struct Block {
    cuda::DevicePtr begin = 0;
    size_t bytes = 0; ///< 0: none
  };
  Block find(const void *p);

  explicit NcclMemory(const nccl::Api &api) : api(api) {}

  const nccl::Api &api;
  std::mutex mutex;
  std::map<cuda::DevicePtr, size_t> blocks; ///< and their bytes
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_NCCL_NCCLMEMORY_H
