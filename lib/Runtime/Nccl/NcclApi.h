//===- NcclApi.h - NCCL, found on first use ---------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of NCCL (2.18 and later) that the runtime uses, declared here:
// no header of NCCL is needed to build. Requires libnccl.so.2, or what
// $SHARDIR_NCCL_LIBRARY names, when ranks are processes with a GPU each;
// guarantees that its absence, and every call that fails, is a message that
// names the call and NCCL's reason. Communicators are made non-blocking: calls
// return before they are done, and an abort ends what hangs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_NCCL_NCCLAPI_H
#define SHARDIR_LIB_RUNTIME_NCCL_NCCLAPI_H

#include "Cuda/CudaApi.h"
#include "Elements/Reduce.h"

#include <climits>
#include <optional>

namespace shardir {
namespace runtime {
namespace nccl {

using Result = int; ///< ncclResult_t
using Comm = struct CommHandle *;

enum : Result { Success = 0, InProgress = 7 };
enum : int { Int8 = 0 };     ///< ncclDataType_t: what travels is bytes
enum : int { NoColor = -1 }; ///< ncclCommSplit makes no communicator

/// A reduction in NCCL's terms.
struct Reduction {
  int type, operation; ///< ncclDataType_t, ncclRedOp_t
};
/// How NCCL reduces such terms; nothing where it cannot, or gives other
/// results: its maxima of floats say nothing of NaNs and zeros. It may round
/// sums of f16 and bf16 more than once.
std::optional<Reduction> reductionOf(ElementType type, PartialKind kind);

struct UniqueId {
  char bytes[128];
};

/// ncclConfig_t as of 2.18; later libraries know its size and version.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21800;
  int blocking = 0;
  int cgaClusterSize = INT_MIN, minCTAs = INT_MIN, maxCTAs = INT_MIN;
  const char *netName = nullptr;
  int splitShare = INT_MIN;
};

class Api {
public:
  /// The library, loaded once in a process; null with `error` set.
  static const Api *get(std::string &error);

  Result (*GetVersion)(int *) = nullptr;
  Result (*GetUniqueId)(UniqueId *) = nullptr;
  Result (*CommInitRankConfig)(Comm *, int, UniqueId, int, Config *) = nullptr;
  Result (*CommSplit)(Comm, int, int, Comm *, Config *) = nullptr;
  Result (*CommCount)(Comm, int *) = nullptr;
  Result (*CommUserRank)(Comm, int *) = nullptr;
  Result (*CommCuDevice)(Comm, int *) = nullptr;
  Result (*CommGetAsyncError)(Comm, Result *) = nullptr;
  Result (*CommAbort)(Comm) = nullptr;
  const char *(*GetErrorString)(Result) = nullptr;
  const char *(*GetLastError)(Comm) = nullptr;
  // Of 2.19; null unless registersBuffers().
  Result (*MemAlloc)(void **, size_t) = nullptr;
  Result (*MemFree)(void *) = nullptr;
  Result (*CommRegister)(Comm, void *, size_t, void **) = nullptr;
  Result (*CommDeregister)(Comm, void *) = nullptr;
  Result (*GroupStart)() = nullptr;
  Result (*GroupEnd)() = nullptr;
  Result (*Send)(const void *, size_t, int, int, Comm, cuda::Stream) = nullptr;
  Result (*Recv)(void *, size_t, int, int, Comm, cuda::Stream) = nullptr;
  Result (*Broadcast)(const void *, void *, size_t, int, int, Comm,
                      cuda::Stream) = nullptr;
  Result (*AllGather)(const void *, void *, size_t, int, Comm,
                      cuda::Stream) = nullptr;
  Result (*AllReduce)(const void *, void *, size_t, int, int, Comm,
                      cuda::Stream) = nullptr;
  Result (*ReduceScatter)(const void *, void *, size_t, int, int, Comm,
                          cuda::Stream) = nullptr;

  /// Whether the buffers of collectives are registered with communicators, as
  /// $SHARDIR_NCCL_REGISTER=1 asks for.
  bool registersBuffers() const { return CommRegister != nullptr; }
  /// Throws cuda::Failure unless the call has succeeded, or is under way.
  void check(Result result, const char *call, const std::string &what,
             Comm comm = nullptr) const;
  std::string text(Result result, Comm comm) const;

private:
  bool load(std::string &error);
};

} // namespace nccl
} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_NCCL_NCCLAPI_H
