//===- Machine.h - Launches of PTX ------------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter's interface for the driver: a loaded module, a kernel by
// name, and its run. Requires global memory as ranges of host addresses;
// guarantees that whatever a kernel does, the process goes on, and that an
// error names the block, the thread and the line of PTX.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_MACHINE_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_MACHINE_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace shardir {
namespace emulated {
namespace ptx {

struct Module;
struct Kernel;
struct Code;
class Grid;

/// Addresses [begin, end).
struct Range {
  uint64_t begin = 0, end = 0;
};

/// Extents in the order x, y, z.
struct Launch {
  int64_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  int64_t dynamicBytes = 0;
  std::vector<char> parameters;
  std::vector<Range> memory;      ///< sorted
  bool anyMemory = false;         ///< whether the host's may be used, too
  uint64_t cacheBytes = 50 << 20; ///< of the L2 cache
};

/// A kernel of a module, decoded when it is first launched. Threads may share
/// it.
class LoadedKernel {
public:
  LoadedKernel(std::shared_ptr<Module> module, const Kernel &kernel);
  ~LoadedKernel();

  const std::string &name() const;
  /// Static bytes of shared memory; 0 for a kernel that cannot be decoded.
  int64_t staticShared() const;
  int64_t dynamicOffset() const;
  /// The bytes of the parameters, from cuLaunchKernel's array.
  std::vector<char> parameters(void **arguments) const;
  /// Sets the extents that the kernel itself names, if it does.
  void ownCluster(int64_t *cluster) const;
  /// Whether a launch may have such blocks: "" or why not.
  std::string check(const Launch &launch) const;
  /// "", or what went wrong first.
  std::string run(const Launch &launch) const;

private:
  /// Null with `error` set where it cannot be decoded.
  const Code *decoded() const;

  std::shared_ptr<Module> module;
  const Kernel &kernel;
  mutable std::once_flag once;
  mutable std::unique_ptr<Code> code;
  mutable std::string error;
};

/// Reads a module and gives its variables memory. Null with `error` set.
std::shared_ptr<Module> load(const std::string &text, std::string &error);
std::vector<std::unique_ptr<LoadedKernel>>
kernelsOf(const std::shared_ptr<Module> &module);
const std::string &targetOf(const Module &module);

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_MACHINE_H
