//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules as the driver sees them. A kernel that cannot be decoded fails when
// it is launched, with the line of the instruction: others of its module run.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "Warp.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace shardir {
namespace emulated {
namespace ptx {

std::shared_ptr<Module> load(const std::string &text, std::string &error) {
  try {
    std::shared_ptr<Module> module = parse(text);
    for (Variable &v : module->variables) {
      if (v.space != Space::Global && v.space != Space::Const)
        continue;
      // A module's memory ends with the module.
      v.initial.resize(size_t(v.bytes + v.alignment), 0);
      auto start = reinterpret_cast<uintptr_t>(v.initial.data());
      auto alignment = uintptr_t(v.alignment);
      uintptr_t aligned = (start + alignment - 1) / alignment * alignment;
      std::memmove(reinterpret_cast<void *>(aligned), v.initial.data(),
                   size_t(v.bytes));
      v.address = aligned;
    }
    return module;
  } catch (const Error &wrong) {
    error = wrong.what();
    return nullptr;
  }
}

std::vector<std::unique_ptr<LoadedKernel>>
kernelsOf(const std::shared_ptr<Module> &module) {
  std::vector<std::unique_ptr<LoadedKernel>> kernels;
  for (const auto &kernel : module->kernels)
    kernels.push_back(std::make_unique<LoadedKernel>(module, *kernel));
  return kernels;
}

const std::string &targetOf(const Module &module) { return module.target; }

LoadedKernel::LoadedKernel(std::shared_ptr<Module> module, const Kernel &kernel)
    : module(std::move(module)), kernel(kernel) {}

LoadedKernel::~LoadedKernel() = default;

const Code *LoadedKernel::decoded() const {
  std::call_once(once, [this] {
    try {
      code = decode(*module, kernel);
    } catch (const Error &wrong) {
      error = wrong.what();
    }
  });
  return code.get();
}

const std::string &LoadedKernel::name() const { return kernel.name; }

int64_t LoadedKernel::staticShared() const {
  const Code *code = decoded();
  return code ? code->staticShared : 0;
}

int64_t LoadedKernel::dynamicOffset() const {
  const Code *code = decoded();
  return code ? code->dynamicOffset : 0;
}

std::vector<char> LoadedKernel::parameters(void **arguments) const {
  std::vector<char> bytes(size_t(kernel.parameterBytes));
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    std::memcpy(bytes.data() + kernel.parameters[i].address, arguments[i],
                size_t(kernel.parameters[i].bytes));
  return bytes;
}

void LoadedKernel::ownCluster(int64_t *cluster) const {
  if (kernel.cluster[0])
    std::copy_n(kernel.cluster, 3, cluster);
}

std::string LoadedKernel::check(const Launch &launch) const {
  auto extents = [](const auto *d) {
    return std::to_string(d[0]) + "x" + std::to_string(d[1]) + "x" +
           std::to_string(d[2]);
  };
  if (kernel.exactThreads[0] &&
      !std::equal(launch.block, launch.block + 3, kernel.exactThreads))
    return "blocks of " + extents(launch.block) + " threads; .reqntid says " +
           extents(kernel.exactThreads);
  int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  int64_t most = int64_t(kernel.maxThreads[0]) * kernel.maxThreads[1] *
                 kernel.maxThreads[2];
  if (most && threads > most)
    return "blocks of " + extents(launch.block) + " threads; .maxntid says " +
           extents(kernel.maxThreads);
  if (kernel.cluster[0] &&
      !std::equal(launch.cluster, launch.cluster + 3, kernel.cluster))
    return "clusters of " + extents(launch.cluster) +
           " blocks; .reqnctapercluster says " + extents(kernel.cluster);
  for (int dim = 0; dim < 3; ++dim)
    if (launch.cluster[dim] < 1 || launch.grid[dim] % launch.cluster[dim] != 0)
      return "a grid of " + extents(launch.grid) + " blocks that clusters of " +
             extents(launch.cluster) + " do not divide";
  return "";
}

std::string LoadedKernel::run(const Launch &launch) const {
  const Code *code = decoded();
  if (!code)
    return error;
  try {
    return Grid(launch, *code).run();
  } catch (const Error &wrong) {
    return wrong.what();
  }
}

} // namespace ptx
} // namespace emulated
} // namespace shardir
