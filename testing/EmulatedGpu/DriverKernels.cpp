//===- DriverKernels.cpp - The emulated driver: modules and launches ------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires images that are tables of host functions, or PTX; guarantees that
// launches are checked as the driver checks them (CUDA Driver API, 6.22; CUDA
// C++ Programming Guide, "Thread Block Clusters"). A launch of host functions
// in clusters is run block by block: what a cluster's blocks share is emulated
// for PTX alone, and no program of arch=host can ask for it.
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaApi.h"
#include "Driver.h"
#include "Grid.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace shardir::emulated;

namespace {

constexpr int kClusterDimension = 4; ///< CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
constexpr unsigned kPortableCluster = 8;

std::string extents(const unsigned d[3]) {
  return std::to_string(d[0]) + "x" + std::to_string(d[1]) + "x" +
         std::to_string(d[2]);
}

int launchPtx(Call &call, Function &function, const unsigned grid[3],
              const unsigned block[3], const unsigned *cluster, unsigned shared,
              Stream *stream, void **arguments) {
  // Parameters are copied, as a driver does; memory is what it is when the
  // kernel runs.
  auto launch = std::make_shared<ptx::Launch>();
  std::copy_n(grid, 3, launch->grid);
  std::copy_n(block, 3, launch->block);
  if (cluster)
    std::copy_n(cluster, 3, launch->cluster);
  else
    function.ptx->ownCluster(launch->cluster);
  launch->dynamicBytes = shared;
  launch->parameters = function.ptx->parameters(arguments);
  launch->anyMemory = Settings::get().unified;
  launch->cacheBytes = Settings::get().cache;
  std::string refused = function.ptx->check(*launch);
  if (!refused.empty())
    return call.fail(kInvalidValue, refused);
  const ptx::LoadedKernel *kernel = function.ptx.get();
  std::string fault = Queue::get().runNow(stream, [launch, kernel] {
    Memory::Access access;
    launch->memory = Memory::get().ranges();
    std::string said = kernel->run(*launch);
    return said.empty() ? said : kernel->name() + ": " + said;
  });
  if (!fault.empty())
    call.fail(kLaunchFailed, fault);
  return call.result();
}

int launchKernel(Call &call, Function *function, const unsigned grid[3],
                 const unsigned block[3], unsigned shared, Stream *stream,
                 void **arguments, const unsigned *cluster = nullptr) {
  {
    std::lock_guard<std::mutex> lock(state().mutex);
    if (call.ok() && !state().functions.count(function))
      call.fail(kInvalidHandle, "no such kernel");
  }
  if (!call.isStream(stream))
    return call.result();
  call.with("kernel", function->name()).with("grid", extents(grid));
  call.with("block", extents(block)).with("shared", shared);
  call.with("stream", text(stream));
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  if (!grid[0] || !grid[1] || !grid[2] || grid[1] > 65535 || grid[2] > 65535 ||
      threads == 0 || threads > uint64_t(kMaxThreads) || block[2] > 64)
    return call.fail(kInvalidValue, "a grid of " + extents(grid) +
                                        " blocks of " + extents(block) +
                                        " threads");
  int64_t fixed = function->staticShared();
  if (fixed > int64_t(kSharedDefault) ||
      uint64_t(fixed) + shared > std::max(function->maxShared, kSharedDefault))
    return call.fail(kInvalidValue, std::to_string(fixed) + " static and " +
                                        std::to_string(shared) +
                                        " dynamic bytes of shared memory");
  if (function->ptx)
    return launchPtx(call, *function, grid, block, cluster, shared, stream,
                     arguments);
  const shardir_emulated_kernel &kernel = *function->kernel;
  Launch launch = {&kernel,
                   {grid[0], grid[1], grid[2]},
                   {block[0], block[1], block[2]},
                   shared,
                   arguments};
  std::string fault = Queue::get().runNow(stream, [launch, &kernel] {
    Memory::Access access;
    std::string said = run(launch);
    return said.empty() ? said : std::string(kernel.name) + ": " + said;
  });
  if (!fault.empty())
    call.fail(kLaunchFailed, fault);
  return call.result();
}

int loadPtx(Call &call, const char *text, std::unique_ptr<Module> loaded,
            Module **module) {
  constexpr char kElf[] = "\x7f"
                          "ELF";
  if (std::memcmp(text, kElf, 4) == 0) {
    // The architecture is a byte of ELF's flags, since CUDA 13's ABI the
    // second.
    uint32_t flags;
    std::memcpy(&flags, text + 48, sizeof(flags));
    call.with("cubin", (text[8] >= 8 ? flags >> 8 : flags) & 0xff);
    return call.fail(kNoBinaryForGpu,
                     "the emulated GPU runs PTX and host functions, no cubins");
  }
  std::string error;
  std::shared_ptr<ptx::Module> read = ptx::load(text, error);
  if (!read)
    return call.fail(kInvalidPtx, error);
  call.with("target", ptx::targetOf(*read));
  // `sm_90a` is for 9.0 alone, `sm_80` for it and what came later.
  const std::string &target = ptx::targetOf(*read);
  bool exact = target.back() == 'a';
  int wanted =
          target.compare(0, 3, "sm_") == 0 ? std::atoi(target.c_str() + 3) : 0,
      here = Settings::get().capability;
  if (wanted == 0 || (exact ? wanted != here : wanted > here))
    return call.fail(kNoBinaryForGpu,
                     "PTX for " + target + " on sm_" + std::to_string(here));
  std::lock_guard<std::mutex> lock(state().mutex);
  for (std::unique_ptr<ptx::LoadedKernel> &kernel : ptx::kernelsOf(read)) {
    loaded->functions.push_back(std::make_unique<Function>());
    loaded->functions.back()->ptx = std::move(kernel);
    state().functions.insert(loaded->functions.back().get());
  }
  call.with("kernels", loaded->functions.size());
  *module = loaded.release();
  state().modules.insert(*module);
  return call.result();
}

} // namespace

SHARDIR_EXPORT int cuModuleLoadDataEx(Module **module, const void *image,
                                      unsigned, int *, void **) {
  Call call("cuModuleLoadData");
  if (!call.ok())
    return call.result();
  // A table starts with the address of a name; PTX and cubins with text.
  uint64_t first;
  std::memcpy(&first, image, sizeof(first));
  auto loaded = std::make_unique<Module>();
  if (first >> 48)
    return loadPtx(call, static_cast<const char *>(image), std::move(loaded),
                   module);
  std::lock_guard<std::mutex> lock(state().mutex);
  for (auto *k = static_cast<const shardir_emulated_kernel *>(image); k->name;
       ++k) {
    loaded->functions.push_back(std::make_unique<Function>());
    loaded->functions.back()->kernel = k;
    state().functions.insert(loaded->functions.back().get());
  }
  call.with("kernels", loaded->functions.size());
  *module = loaded.release();
  state().modules.insert(*module);
  return call.result();
}

SHARDIR_EXPORT int cuModuleUnload(Module *module) {
  Call call("cuModuleUnload");
  if (!call.ok())
    return call.result();
  Queue::get().finishAll();
  std::lock_guard<std::mutex> lock(state().mutex);
  if (!state().modules.erase(module))
    return call.fail(kInvalidHandle, "no such module");
  for (std::unique_ptr<Function> &f : module->functions)
    state().functions.erase(f.get());
  delete module;
  return call.result();
}

SHARDIR_EXPORT int cuModuleGetFunction(Function **function, Module *module,
                                       const char *name) {
  Call call("cuModuleGetFunction");
  call.with("name", name);
  std::lock_guard<std::mutex> lock(state().mutex);
  if (call.ok() && !state().modules.count(module))
    call.fail(kInvalidHandle, "no such module");
  if (!call.ok())
    return call.result();
  for (std::unique_ptr<Function> &f : module->functions)
    if (f->name() == name) {
      *function = f.get();
      return call.result();
    }
  return call.fail(kNotFound, std::string("the module has no kernel ") + name);
}

SHARDIR_EXPORT int cuFuncSetAttribute(Function *function, int attribute,
                                      int value) {
  Call call("cuFuncSetAttribute");
  call.with("attribute", uint64_t(attribute)).with("value", uint64_t(value));
  std::lock_guard<std::mutex> lock(state().mutex);
  if (call.ok() && !state().functions.count(function))
    call.fail(kInvalidHandle, "no such kernel");
  if (!call.ok() || attribute != 8)
    return call.result();
  if (value < 0 || value > Settings::get().sharedBytes())
    return call.fail(kInvalidValue,
                     "a block has at most " +
                         std::to_string(Settings::get().sharedBytes()) +
                         " bytes of shared memory");
  function->maxShared = unsigned(value);
  return call.result();
}

SHARDIR_EXPORT int cuLaunchKernel(Function *function, unsigned gx, unsigned gy,
                                  unsigned gz, unsigned bx, unsigned by,
                                  unsigned bz, unsigned shared, Stream *stream,
                                  void **arguments, void **) {
  Call call("cuLaunchKernel");
  unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  return launchKernel(call, function, grid, block, shared, stream, arguments);
}

SHARDIR_EXPORT int
cuLaunchKernelEx(const shardir::runtime::cuda::LaunchConfig *config,
                 Function *function, void **arguments, void **) {
  Call call("cuLaunchKernelEx");
  const unsigned *clusters = nullptr;
  for (unsigned i = 0; i < config->numAttributes; ++i) {
    const shardir::runtime::cuda::LaunchAttribute &attribute =
        config->attributes[i];
    if (attribute.id == 0) // CU_LAUNCH_ATTRIBUTE_IGNORE
      continue;
    if (attribute.id != kClusterDimension)
      return call.fail(kNotSupported, "launch attribute " +
                                          std::to_string(attribute.id) +
                                          " is not emulated");
    const unsigned *cluster = attribute.value.cluster;
    std::string dims = extents(cluster);
    unsigned blocks = cluster[0] * cluster[1] * cluster[2];
    bool divides = true;
    for (int d = 0; d < 3; ++d)
      divides = divides && cluster[d] && config->grid[d] % cluster[d] == 0;
    if (!divides)
      return call.fail(kInvalidClusterSize, "a grid of " +
                                                extents(config->grid) +
                                                " blocks that clusters of " +
                                                dims + " do not divide");
    call.with("cluster", dims);
    clusters = cluster;
    if (blocks > kPortableCluster)
      return call.fail(kInvalidClusterSize,
                       "clusters of " + std::to_string(blocks) +
                           " blocks: at most 8 are portable");
  }
  return launchKernel(
      call, function, config->grid, config->block, config->sharedBytes,
      reinterpret_cast<Stream *>(config->stream), arguments, clusters);
}
