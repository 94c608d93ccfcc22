//===- CudaApi.h - The CUDA driver, found on first use ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the CUDA driver API (CUDA Driver API Reference, 12.0) that
// the runtime uses, declared here: no header of CUDA is needed to build and no
// library to start. Requires libcuda.so.1, or what $SHARDIR_CUDA_LIBRARY names,
// when a program for GPUs is to run; guarantees that its absence, and every
// call that fails, is a message that names the call and CUDA's reason.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_CUDAAPI_H
#define SHARDIR_LIB_RUNTIME_CUDA_CUDAAPI_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace shardir {
namespace runtime {
namespace cuda {

using Result = int; ///< CUresult
using Device = int;
using DevicePtr = unsigned long long;
using Context = struct ContextHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Graph = struct GraphHandle *;
using GraphExec = struct GraphExecHandle *;

enum : Result {
  Success = 0,
  OutOfMemory = 2,
  NoDevice = 100,
  InvalidImage = 200,
  NoBinaryForGpu = 209,
  NotReady = 600,
};
enum : int { // CUdevice_attribute
  MultiprocessorCount = 16,
  L2CacheSize = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptin = 97,
};
enum : int { // CUfunction_attribute
  FunctionMaxDynamicSharedSize = 8,
  FunctionNonPortableClusterSizeAllowed = 14,
};
enum : int { // CUjit_option
  JitErrorLogBuffer = 5,
  JitErrorLogBufferSizeBytes = 6,
};
enum : unsigned {
  StreamNonBlocking = 1,
  EventDefault = 0,
  EventDisableTiming = 2,
};
enum : int { // CUstreamCaptureMode
  StreamCaptureRelaxed = 2,
};
enum : int { // CUtensorMapL2promotion
  TensorMapPromotion256B = 3,
};
/// CUlaunchAttribute of id CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION.
struct LaunchAttribute {
  int id = 4;
  char pad[4] = {};
  union {
    char bytes[64];
    unsigned cluster[3];
  } value = {};
};
/// CUlaunchConfig
struct LaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56,
              "as cuda.h lays them out");

/// X(name without `cu`, symbol, parameters)
#define SHARDIR_CUDA_FUNCTIONS(X)                                              \
  X(Init, cuInit, (unsigned))                                                  \
  X(DriverGetVersion, cuDriverGetVersion, (int *))                             \
  X(GetErrorName, cuGetErrorName, (Result, const char **))                     \
  X(GetErrorString, cuGetErrorString, (Result, const char **))                 \
  X(DeviceGetCount, cuDeviceGetCount, (int *))                                 \
  X(DeviceGet, cuDeviceGet, (Device *, int))                                   \
  X(DeviceGetName, cuDeviceGetName, (char *, int, Device))                     \
  X(DeviceGetAttribute, cuDeviceGetAttribute, (int *, int, Device))            \
  X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context *, Device))     \
  X(CtxSetCurrent, cuCtxSetCurrent, (Context))                                 \
  X(CtxGetCurrent, cuCtxGetCurrent, (Context *))                               \
  X(CtxSynchronize, cuCtxSynchronize, ())                                      \
  X(MemGetInfo, cuMemGetInfo_v2, (size_t *, size_t *))                         \
  X(MemAlloc, cuMemAlloc_v2, (DevicePtr *, size_t))                            \
  X(MemFree, cuMemFree_v2, (DevicePtr))                                        \
  X(MemHostAlloc, cuMemHostAlloc, (void **, size_t, unsigned))                 \
  X(MemFreeHost, cuMemFreeHost, (void *))                                      \
  X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                     \
    (DevicePtr, const void *, size_t, Stream))                                 \
  X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                     \
    (void *, DevicePtr, size_t, Stream))                                       \
  X(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                     \
    (DevicePtr, DevicePtr, size_t, Stream))                                    \
  X(MemsetD8Async, cuMemsetD8Async,                                            \
    (DevicePtr, unsigned char, size_t, Stream))                                \
  X(MemsetD16Async, cuMemsetD16Async,                                          \
    (DevicePtr, unsigned short, size_t, Stream))                               \
  X(MemsetD32Async, cuMemsetD32Async, (DevicePtr, unsigned, size_t, Stream))   \
  X(StreamCreate, cuStreamCreate, (Stream *, unsigned))                        \
  X(StreamCreateWithPriority, cuStreamCreateWithPriority,                      \
    (Stream *, unsigned, int))                                                 \
  X(CtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, (int *, int *))    \
  X(StreamDestroy, cuStreamDestroy_v2, (Stream))                               \
  X(StreamQuery, cuStreamQuery, (Stream))                                      \
  X(StreamSynchronize, cuStreamSynchronize, (Stream))                          \
  X(StreamWaitEvent, cuStreamWaitEvent, (Stream, Event, unsigned))             \
  X(EventCreate, cuEventCreate, (Event *, unsigned))                           \
  X(EventDestroy, cuEventDestroy_v2, (Event))                                  \
  X(EventRecord, cuEventRecord, (Event, Stream))                               \
  X(EventQuery, cuEventQuery, (Event))                                         \
  X(EventElapsedTime, cuEventElapsedTime, (float *, Event, Event))             \
  X(ModuleLoadDataEx, cuModuleLoadDataEx,                                      \
    (Module *, const void *, unsigned, int *, void **))                        \
  X(ModuleUnload, cuModuleUnload, (Module))                                    \
  X(ModuleGetFunction, cuModuleGetFunction,                                    \
    (Function *, Module, const char *))                                        \
  X(FuncSetAttribute, cuFuncSetAttribute, (Function, int, int))                \
  X(LaunchKernel, cuLaunchKernel,                                              \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
     unsigned, Stream, void **, void **))                                      \
  X(LaunchKernelEx, cuLaunchKernelEx,                                          \
    (const LaunchConfig *, Function, void **, void **))                        \
  X(StreamBeginCapture, cuStreamBeginCapture_v2, (Stream, int))                \
  X(StreamEndCapture, cuStreamEndCapture, (Stream, Graph *))                   \
  X(GraphInstantiate, cuGraphInstantiateWithFlags,                             \
    (GraphExec *, Graph, unsigned long long))                                  \
  X(GraphLaunch, cuGraphLaunch, (GraphExec, Stream))                           \
  X(GraphExecDestroy, cuGraphExecDestroy, (GraphExec))                         \
  X(GraphDestroy, cuGraphDestroy, (Graph))                                     \
  X(TensorMapEncodeTiled, cuTensorMapEncodeTiled,                              \
    (void *, int, unsigned, void *, const uint64_t *, const uint64_t *,        \
     const uint32_t *, const uint32_t *, int, int, int, int))

/// An operation of a rank's GPU failed: `cannot …`, with CUDA's reason.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Api {
public:
  /// The driver, loaded and started once in a process; null with `error` set
  /// where there is none.
  static const Api *get(std::string &error);

#define SHARDIR_CUDA_MEMBER(NAME, SYMBOL, PARAMETERS)                          \
  Result(*NAME) PARAMETERS = nullptr;
  SHARDIR_CUDA_FUNCTIONS(SHARDIR_CUDA_MEMBER)
#undef SHARDIR_CUDA_MEMBER

  /// The table of the runtime's own kernels where the driver is the emulating
  /// one, which runs programs of arch `host`; else null.
  const void *emulatedKernels = nullptr;
  bool isEmulated() const { return emulatedKernels != nullptr; }

  /// `CUDA_ERROR_OUT_OF_MEMORY (out of memory)`
  std::string text(Result result) const;
  /// Throws Failure unless the call has succeeded: "`cannot` `what`: `call`
  /// says …".
  void check(Result result, const char *call, const std::string &what) const {
    if (result != Success)
      fail(result, call, what);
  }
  [[noreturn]] void fail(Result result, const char *call,
                         const std::string &what) const;

private:
  bool load(std::string &error);
};

} // namespace cuda
} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_CUDAAPI_H
