//===- CudaHeaderTests.cpp - Our declarations against CUDA's headers ------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CudaApi.h and NcclApi.h declare what they need of libraries whose headers the
// runtime does without. Built where the headers are; compares every function's
// parameters, structs and numbers with them.
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaApi.h"
#include "Nccl/NcclApi.h"

#include <cuda.h>
#ifdef SHARDIR_HAVE_NCCL_HEADER
#include <nccl.h>
#endif

#include <gtest/gtest.h>

using namespace shardir::runtime;
using shardir::PartialKind;

namespace {

/// Whether two functions take as many parameters, of the same sizes and kinds.
template <class R, class... A, class S, class... B>
constexpr bool isAlike(R (*)(A...), S (*)(B...)) {
  if constexpr (sizeof...(A) != sizeof...(B))
    return false;
  else
    return sizeof(R) == sizeof(S) &&
           ((sizeof(A) == sizeof(B) &&
             std::is_pointer_v<A> == std::is_pointer_v<B>) &&
            ...);
}

TEST(CudaHeader, Functions) {
#define SHARDIR_COMPARE(NAME, SYMBOL, PARAMETERS)                              \
  EXPECT_TRUE(isAlike(static_cast<decltype(cuda::Api::NAME)>(nullptr),         \
                      static_cast<decltype(&SYMBOL)>(nullptr)))                \
      << #SYMBOL;
  SHARDIR_CUDA_FUNCTIONS(SHARDIR_COMPARE)
#undef SHARDIR_COMPARE
}

TEST(CudaHeader, NumbersAndStructs) {
  EXPECT_EQ(int(cuda::OutOfMemory), int(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_EQ(int(cuda::NotReady), int(CUDA_ERROR_NOT_READY));
  EXPECT_EQ(int(cuda::MultiprocessorCount),
            int(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  EXPECT_EQ(int(cuda::L2CacheSize), int(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  EXPECT_EQ(int(cuda::ComputeCapabilityMajor),
            int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  EXPECT_EQ(int(cuda::ComputeCapabilityMinor),
            int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  EXPECT_EQ(int(cuda::FunctionMaxDynamicSharedSize),
            int(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  EXPECT_EQ(int(cuda::JitErrorLogBuffer), int(CU_JIT_ERROR_LOG_BUFFER));
  EXPECT_EQ(int(cuda::JitErrorLogBufferSizeBytes),
            int(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES));
  EXPECT_EQ(unsigned(cuda::StreamNonBlocking),
            unsigned(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(unsigned(cuda::EventDisableTiming),
            unsigned(CU_EVENT_DISABLE_TIMING));
  EXPECT_EQ(cuda::LaunchAttribute().id,
            int(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION));
  EXPECT_EQ(sizeof(cuda::LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(sizeof(cuda::LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(cuda::LaunchAttribute, value),
            offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(offsetof(cuda::LaunchConfig, stream),
            offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(cuda::LaunchConfig, attributes),
            offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(cuda::LaunchConfig, numAttributes),
            offsetof(CUlaunchConfig, numAttrs));
}

#ifdef SHARDIR_HAVE_NCCL_HEADER
TEST(NcclHeader, FunctionsAndStructs) {
#define SHARDIR_COMPARE(NAME)                                                  \
  EXPECT_TRUE(isAlike(static_cast<decltype(nccl::Api::NAME)>(nullptr),         \
                      static_cast<decltype(&nccl##NAME)>(nullptr)))            \
      << #NAME;
  SHARDIR_COMPARE(GetVersion)
  SHARDIR_COMPARE(GetUniqueId)
  SHARDIR_COMPARE(CommInitRankConfig)
  SHARDIR_COMPARE(CommGetAsyncError)
  SHARDIR_COMPARE(CommAbort)
  SHARDIR_COMPARE(GetErrorString)
  SHARDIR_COMPARE(GetLastError)
  SHARDIR_COMPARE(GroupStart)
  SHARDIR_COMPARE(GroupEnd)
  SHARDIR_COMPARE(Send)
  SHARDIR_COMPARE(Recv)
  SHARDIR_COMPARE(CommSplit)
  SHARDIR_COMPARE(Broadcast)
  SHARDIR_COMPARE(AllGather)
  SHARDIR_COMPARE(AllReduce)
  SHARDIR_COMPARE(ReduceScatter)
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 19, 0)
  SHARDIR_COMPARE(MemAlloc)
  SHARDIR_COMPARE(MemFree)
  SHARDIR_COMPARE(CommRegister)
  SHARDIR_COMPARE(CommDeregister)
#endif
#undef SHARDIR_COMPARE
  ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;
  nccl::Config ours;
  EXPECT_EQ(ours.magic, theirs.magic);
  EXPECT_EQ(ours.splitShare, theirs.splitShare); // undefined
  EXPECT_LE(ours.size, theirs.size);
  EXPECT_EQ(ours.version, unsigned(NCCL_VERSION(2, 18, 0)));
  EXPECT_EQ(offsetof(nccl::Config, blocking), offsetof(ncclConfig_t, blocking));
  EXPECT_EQ(offsetof(nccl::Config, netName), offsetof(ncclConfig_t, netName));
  EXPECT_EQ(offsetof(nccl::Config, splitShare),
            offsetof(ncclConfig_t, splitShare));
  EXPECT_EQ(sizeof(nccl::UniqueId), sizeof(ncclUniqueId));
  EXPECT_EQ(int(nccl::InProgress), int(ncclInProgress));
  EXPECT_EQ(int(nccl::Int8), int(ncclInt8));
  EXPECT_EQ(int(nccl::NoColor), int(NCCL_SPLIT_NOCOLOR));
  auto isReduction = [](ElementType type, PartialKind kind,
                        ncclDataType_t theirType, ncclRedOp_t operation) {
    std::optional<nccl::Reduction> found = nccl::reductionOf(type, kind);
    return found && found->type == int(theirType) &&
           found->operation == int(operation);
  };
  EXPECT_TRUE(
      isReduction(SHARDIR_BF16, PartialKind::Sum, ncclBfloat16, ncclSum));
  EXPECT_TRUE(
      isReduction(SHARDIR_F16, PartialKind::Prod, ncclFloat16, ncclProd));
  EXPECT_TRUE(isReduction(SHARDIR_F32, PartialKind::Sum, ncclFloat32, ncclSum));
  EXPECT_TRUE(isReduction(SHARDIR_F64, PartialKind::Sum, ncclFloat64, ncclSum));
  EXPECT_TRUE(isReduction(SHARDIR_I8, PartialKind::UMin, ncclUint8, ncclMin));
  EXPECT_TRUE(isReduction(SHARDIR_I32, PartialKind::Max, ncclInt32, ncclMax));
  EXPECT_TRUE(isReduction(SHARDIR_I64, PartialKind::UMax, ncclUint64, ncclMax));
}
#endif

} // namespace
