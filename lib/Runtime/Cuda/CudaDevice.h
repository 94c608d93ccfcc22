//===- CudaDevice.h - One GPU, and programs on it ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU's primary context with the runtime's own kernels, and what a compiled
// program has loaded there: modules, kernels, constants. Requires the driver of
// CudaApi.h; guarantees that each is made once, that a program for another
// architecture is refused by a message, and that a host which uses the same GPU
// (its primary context) shares addresses with us.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_CUDADEVICE_H
#define SHARDIR_LIB_RUNTIME_CUDA_CUDADEVICE_H

#include "Core/Metadata.h"
#include "CudaApi.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace shardir {
namespace runtime {

class CudaDevice {
public:
  /// GPU number `ordinal`, opened once in a process; null with `error` set.
  static CudaDevice *get(int ordinal, std::string &error);
  static int count(std::string &error);

  /// Makes the GPU the calling thread's. Throws cuda::Failure.
  void makeCurrent() const;
  /// One of the runtime's own kernels. Throws cuda::Failure.
  cuda::Function kernel(const char *kernelName);
  /// Loads an image: a cubin, PTX, or a table of the emulated GPU's kernels.
  /// Throws cuda::Failure; with `orNone` null where the driver or the GPU does
  /// not take such an image.
  cuda::Module load(const void *image, const std::string &what,
                    bool orNone = false) const;

  /// The device's name for the compiler's option `arch`, or else the PTX that
  /// it runs.
  std::string compilerArchitecture() const {
    return api.isEmulated() ? "host" : compilerArchitecture(architecture);
  }
  /// The same for a compute capability of 10 * major + minor.
  static std::string compilerArchitecture(int capability) {
    switch (capability) {
    case 90:
      return "sm_90a";
    case 100:
      return "sm_100a";
    case 80:
    case 86:
    case 89:
      return "sm_" + std::to_string(capability);
    }
    return "compute_80";
  }

  const cuda::Api &api;
  const int ordinal;
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  std::string name;
  int architecture = 0; ///< 90 for compute capability 9.0
  int multiprocessors = 1;
  size_t cacheBytes = 0; ///< of level 2

private:
  CudaDevice(const cuda::Api &api, int ordinal) : api(api), ordinal(ordinal) {}
  void open();
  cuda::Module loadOwnKernels() const;

  std::mutex mutex;
  cuda::Module ownKernels = nullptr;
  std::map<std::string, cuda::Function> functions;
};

/// The multiprocessors that collectives beside kernels have for themselves:
/// NCCL starts no more blocks (CTAs) for one. $NCCL_MAX_CTAS, else 16.
int collectiveMultiprocessors();

/// The GPU of this process among those that its launcher has started on this
/// machine; -1 with `error` set where there are too few.
int gpuOfProcess(std::string &error);
/// From now on it is this one, whatever a launcher says.
void setGpuOfProcess(int ordinal);

/// Makes a GPU the calling thread's and gives back what it had before.
class CudaScope {
public:
  explicit CudaScope(const CudaDevice &device) : api(device.api) {
    (void)api.CtxGetCurrent(&previous);
    // Where this fails, whatever follows does, and says so.
    (void)api.CtxSetCurrent(device.context);
  }
  ~CudaScope() { (void)api.CtxSetCurrent(previous); }
  CudaScope(const CudaScope &) = delete;

private:
  const cuda::Api &api;
  cuda::Context previous = nullptr;
};

/// A compiled program on a GPU.
class CudaProgram {
public:
  /// `library` is the program's shared object. Throws cuda::Failure.
  CudaProgram(CudaDevice &device, const GpuSpec &spec, void *library);
  ~CudaProgram();
  CudaProgram(const CudaProgram &) = delete;

  struct Kernel {
    cuda::Function function = nullptr;
    const KernelSpec *spec = nullptr;
  };
  const Kernel *kernel(int32_t id) const {
    return id >= 0 && size_t(id) < kernels.size() ? &kernels[size_t(id)]
                                                  : nullptr;
  }
  /// The address of constant `id` on the GPU, null where there is none. What
  /// programs write to is `rank`'s own, made when it first asks; it keeps its
  /// value from run to run. Throws cuda::Failure.
  void *constant(int32_t id, int rank);

  CudaDevice &device;

private:
  void checkArchitecture(const GpuSpec &spec) const;
  /// On the stream of no rank: it is there on return.
  void *upload(const GpuConstantSpec &spec, const void *data) const;
  void release();

  std::vector<cuda::Module> modules;
  std::vector<Kernel> kernels;
  struct Constant {
    const GpuConstantSpec *spec;
    const void *initial;
    std::map<int, void *> copies; ///< by rank, or the one of all as 0
  };
  std::mutex mutex; ///< of the copies
  std::vector<Constant> constants;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_CUDADEVICE_H
