//===- CudaDevice.cpp - One GPU, and programs on it -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what CudaDevice.h says. GPUs stay open until the
// process ends: closing a primary context that a host shares would take its
// memory away.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"
#include "DeviceImages.h"

#include "Processes/Launch.h"

#include "ShardIR/Runtime/EmulatedGpu.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace shardir {
namespace runtime {

int CudaDevice::count(std::string &error) {
  const cuda::Api *api = cuda::Api::get(error);
  if (!api)
    return -1;
  int n = 0;
  cuda::Result result = api->DeviceGetCount(&n);
  if (result == cuda::Success)
    return n;
  error = "cannot count the GPUs: cuDeviceGetCount says " + api->text(result);
  return -1;
}

static std::atomic<int> givenGpu{-1};

void setGpuOfProcess(int ordinal) { givenGpu = ordinal; }

int gpuOfProcess(std::string &error) {
  if (int given = givenGpu; given >= 0)
    return given;
  int n = CudaDevice::count(error), local = -1;
  if (n < 0 || !localRankFromLauncher(local, error))
    return -1;
  // A launcher that gives each process one GPU shows it no other.
  if (n == 1 || local < 0)
    return 0;
  if (local < n)
    return local;
  error = "process " + std::to_string(local) +
          " of this machine has no GPU: there are " + std::to_string(n);
  return -1;
}

int collectiveMultiprocessors() {
  const char *text = std::getenv("NCCL_MAX_CTAS");
  int most = text ? std::atoi(text) : 0;
  return most > 0 ? most : 16;
}

CudaDevice *CudaDevice::get(int ordinal, std::string &error) {
  static std::mutex mutex;
  static auto &devices = *new std::map<int, std::unique_ptr<CudaDevice>>;
  const cuda::Api *api = cuda::Api::get(error);
  if (!api)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CudaDevice> &device = devices[ordinal];
  if (device)
    return device.get();
  try {
    device.reset(new CudaDevice(*api, ordinal));
    device->open();
  } catch (const cuda::Failure &failure) {
    error = failure.what();
    device.reset();
  }
  return device.get();
}

void CudaDevice::open() {
  std::string what = "open GPU " + std::to_string(ordinal);
  int n = 0;
  api.check(api.DeviceGetCount(&n), "cuDeviceGetCount", what);
  if (ordinal >= n)
    throw cuda::Failure("cannot " + what + ": there are " + std::to_string(n));
  api.check(api.DeviceGet(&device, ordinal), "cuDeviceGet", what);
  char text[256] = "";
  api.check(api.DeviceGetName(text, sizeof(text) - 1, device),
            "cuDeviceGetName", what);
  name = text;
  auto attribute = [&](int which) {
    int value = 0;
    api.check(api.DeviceGetAttribute(&value, which, device),
              "cuDeviceGetAttribute", what);
    return value;
  };
  architecture = 10 * attribute(cuda::ComputeCapabilityMajor) +
                 attribute(cuda::ComputeCapabilityMinor);
  multiprocessors = attribute(cuda::MultiprocessorCount);
  cacheBytes = size_t(attribute(cuda::L2CacheSize));
  api.check(api.DevicePrimaryCtxRetain(&context, device),
            "cuDevicePrimaryCtxRetain", what);
}

void CudaDevice::makeCurrent() const {
  api.check(api.CtxSetCurrent(context), "cuCtxSetCurrent",
            "use GPU " + std::to_string(ordinal));
}

cuda::Module CudaDevice::load(const void *image, const std::string &what,
                              bool orNone) const {
  char log[2048] = "";
  int options[] = {cuda::JitErrorLogBuffer, cuda::JitErrorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  cuda::Module module = nullptr;
  cuda::Result result =
      api.ModuleLoadDataEx(&module, image, 2, options, values);
  if (result == cuda::Success)
    return module;
  if (orNone &&
      (result == cuda::InvalidImage || result == cuda::NoBinaryForGpu))
    return nullptr;
  std::string said = log;
  for (char &c : said)
    c = c == '\n' ? ' ' : c;
  while (!said.empty() && said.back() == ' ')
    said.pop_back();
  throw cuda::Failure("cannot load " + what + " on GPU " +
                      std::to_string(ordinal) + " (" + name +
                      "): cuModuleLoadDataEx says " + api.text(result) +
                      (said.empty() ? "" : ": " + said));
}

cuda::Module CudaDevice::loadOwnKernels() const {
  std::string what = "the runtime's kernels";
  // The emulated GPU runs what a card does; it has host functions of its own
  // for runtimes that were built without.
  const void *image = api.emulatedKernels;
#ifdef SHARDIR_HAVE_DEVICE_KERNELS
  // A driver older than the assembler refuses its cubins, and compiles PTX.
  if (const char *cubin = deviceCubinFor(architecture))
    if (cuda::Module module = load(cubin, what, /*orNone=*/true))
      return module;
  image = shardir_device_kernels_ptx;
#endif
  if (!image)
    throw cuda::Failure("cannot copy and reduce on GPUs: the runtime was "
                        "built by a compiler that knows no NVPTX; build it "
                        "with clang");
  return load(image, what);
}

cuda::Function CudaDevice::kernel(const char *kernelName) {
  std::lock_guard<std::mutex> lock(mutex);
  cuda::Function &function = functions[kernelName];
  if (function)
    return function;
  if (!ownKernels)
    ownKernels = loadOwnKernels();
  cuda::Function found = nullptr;
  api.check(api.ModuleGetFunction(&found, ownKernels, kernelName),
            "cuModuleGetFunction",
            std::string("find the runtime's kernel ") + kernelName);
  return function = found;
}

/// `sm_90a` is for 9.0 alone, `sm_80` for 8.x, as PTX for anything later, as
/// `compute_80` always is.
void CudaProgram::checkArchitecture(const GpuSpec &spec) const {
  bool emulated = device.api.isEmulated(), host = spec.arch == "host";
  bool binary = false;
  for (const GpuModuleSpec &module : spec.modules)
    binary |= module.format == "cubin";
  std::string why;
  if (host && !emulated) {
    why = "runs on the emulated GPU alone; name its library in "
          "$SHARDIR_CUDA_LIBRARY, or compile for sm_" +
          std::to_string(device.architecture);
  } else if (binary && emulated) {
    why = "does not run on the emulated GPU, which takes no cubins; compile "
          "with the option ptxas=none, or for arch=host";
  } else if (!host) {
    bool exact = !spec.arch.empty() && spec.arch.back() == 'a';
    int wanted = std::atoi(spec.arch.c_str() + spec.arch.find('_') + 1);
    bool fits = exact    ? device.architecture == wanted
                : binary ? device.architecture / 10 == wanted / 10 &&
                               device.architecture >= wanted
                         : device.architecture >= wanted;
    if (!fits)
      why = "does not run on GPU " + std::to_string(device.ordinal) + " (" +
            device.name + ", sm_" + std::to_string(device.architecture) +
            "); compile it for that one: arch=" + device.compilerArchitecture();
  }
  if (!why.empty())
    throw cuda::Failure("cannot run the program: it was compiled for arch=" +
                        spec.arch + ", which " + why);
}

CudaProgram::CudaProgram(CudaDevice &device, const GpuSpec &spec, void *library)
    : device(device) {
  checkArchitecture(spec);
  CudaScope scope(device);
  auto symbol = [&](const std::string &name) {
    void *p = library ? dlsym(library, name.c_str()) : nullptr;
    if (!p)
      throw cuda::Failure(
          "cannot load the program's kernels: it lacks symbol '" + name + "'");
    return p;
  };
  const cuda::Api &api = device.api;
  try {
    for (const GpuModuleSpec &module : spec.modules)
      modules.push_back(device.load(symbol(module.symbol),
                                    "the program's kernels (" + module.symbol +
                                        ", " + module.format + ")"));
    for (const KernelSpec &k : spec.kernels) {
      Kernel &kernel = kernels.emplace_back();
      kernel.spec = &k;
      std::string what = "prepare kernel " + k.describe();
      api.check(api.ModuleGetFunction(&kernel.function,
                                      modules[size_t(k.module)],
                                      k.name.c_str()),
                "cuModuleGetFunction", what);
      if (k.maxSharedBytes > 48 * 1024)
        api.check(api.FuncSetAttribute(kernel.function,
                                       cuda::FunctionMaxDynamicSharedSize,
                                       int(k.maxSharedBytes)),
                  "cuFuncSetAttribute",
                  what + " with " + std::to_string(k.maxSharedBytes) +
                      " bytes of shared memory");
    }
    for (const GpuConstantSpec &c : spec.constants) {
      constants.push_back({&c, symbol(c.symbol), {}});
      if (!c.perRank)
        constants.back().copies[0] = upload(c, constants.back().initial);
    }
  } catch (...) {
    release();
    throw;
  }
}

void *CudaProgram::upload(const GpuConstantSpec &spec, const void *data) const {
  const cuda::Api &api = device.api;
  std::string what = "copy constant " + spec.symbol + " of " +
                     std::to_string(spec.bytes) + " bytes to the GPU";
  cuda::DevicePtr memory = 0;
  api.check(api.MemAlloc(&memory, size_t(spec.bytes ? spec.bytes : 1)),
            "cuMemAlloc", what);
  if (spec.bytes) {
    cuda::Result result =
        api.MemcpyHtoDAsync(memory, data, size_t(spec.bytes), nullptr);
    const char *call = "cuMemcpyHtoDAsync";
    if (result == cuda::Success) {
      result = api.StreamSynchronize(nullptr);
      call = "cuStreamSynchronize";
    }
    if (result != cuda::Success) {
      (void)api.MemFree(memory);
      api.fail(result, call, what);
    }
  }
  return reinterpret_cast<void *>(uintptr_t(memory));
}

void *CudaProgram::constant(int32_t id, int rank) {
  if (id < 0 || size_t(id) >= constants.size())
    return nullptr;
  Constant &c = constants[size_t(id)];
  if (!c.spec->perRank)
    return c.copies[0];
  std::lock_guard<std::mutex> lock(mutex);
  void *&copy = c.copies[rank];
  if (!copy)
    copy = upload(*c.spec, c.initial);
  return copy;
}

CudaProgram::~CudaProgram() {
  CudaScope scope(device);
  release();
}

void CudaProgram::release() {
  for (Constant &constant : constants)
    for (auto &[rank, p] : constant.copies)
      (void)device.api.MemFree(cuda::DevicePtr(reinterpret_cast<uintptr_t>(p)));
  for (cuda::Module module : modules)
    (void)device.api.ModuleUnload(module);
  constants.clear();
  modules.clear();
}

} // namespace runtime
} // namespace shardir
