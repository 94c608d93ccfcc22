//===- DriverKernels.cpp - The emulated driver: modules and launches ------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires images that are tables of host functions; guarantees that launches
// are checked as the driver checks them (CUDA Driver API, 6.22; CUDA C++
// Programming Guide, "Thread Block Clusters"). A launch in clusters is run
// block by block: what a cluster's blocks share is not emulated, and no program
// of arch=host can ask for it.
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"
#include "Driver.h"
#include "Grid.h"

#include <algorithm>
#include <cstring>

using namespace shardir::emulated;

namespace {

constexpr int kClusterDimension = 4; ///< CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
constexpr unsigned kPortableCluster = 8;

std::string extents(const unsigned d[3]) {
  return std::to_string(d[0]) + "x" + std::to_string(d[1]) + "x" +
         std::to_string(d[2]);
}

int launchKernel(Call &call, Function *function, const unsigned grid[3],
                 const unsigned block[3], unsigned shared, Stream *stream,
                 void **arguments) {
  {
    std::lock_guard<std::mutex> lock(state().mutex);
    if (call.ok() && !state().functions.count(function))
      call.fail(kInvalidHandle, "no such kernel");
  }
  if (!call.isStream(stream))
    return call.result();
  const shardir_emulated_kernel &kernel = *function->kernel;
  call.with("kernel", kernel.name).with("grid", extents(grid));
  call.with("block", extents(block)).with("shared", shared);
  call.with("stream", text(stream));
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  if (!grid[0] || !grid[1] || !grid[2] || grid[1] > 65535 || grid[2] > 65535 ||
      threads == 0 || threads > uint64_t(kMaxThreads) || block[2] > 64)
    return call.fail(kInvalidValue, "a grid of " + extents(grid) +
                                        " blocks of " + extents(block) +
                                        " threads");
  if (kernel.shared_bytes > int64_t(kSharedDefault) ||
      uint64_t(kernel.shared_bytes) + shared >
          std::max(function->maxShared, kSharedDefault))
    return call.fail(kInvalidValue, std::to_string(kernel.shared_bytes) +
                                        " static and " +
                                        std::to_string(shared) +
                                        " dynamic bytes of shared memory");
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

} // namespace

SHARDIR_EXPORT int cuModuleLoadDataEx(Module **module, const void *image,
                                      unsigned, int *, void **) {
  Call call("cuModuleLoadData");
  if (!call.ok())
    return call.result();
  // A table starts with the address of a name; PTX and cubins with text.
  uint64_t first;
  std::memcpy(&first, image, sizeof(first));
  if (first >> 48)
    return call.fail(kNoBinaryForGpu,
                     "the emulated GPU runs programs of arch=host alone");
  auto loaded = std::make_unique<Module>();
  std::lock_guard<std::mutex> lock(state().mutex);
  for (auto *k = static_cast<const shardir_emulated_kernel *>(image); k->name;
       ++k) {
    loaded->functions.push_back(std::make_unique<Function>(Function{k}));
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
    if (std::strcmp(f->kernel->name, name) == 0) {
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
  if (value < 0 || value > kMaxSharedBytes)
    return call.fail(kInvalidValue, "a block has at most " +
                                        std::to_string(kMaxSharedBytes) +
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
    if (blocks > kPortableCluster)
      return call.fail(kInvalidClusterSize,
                       "clusters of " + std::to_string(blocks) +
                           " blocks: at most 8 are portable");
  }
  return launchKernel(call, function, config->grid, config->block,
                      config->sharedBytes,
                      reinterpret_cast<Stream *>(config->stream), arguments);
}
