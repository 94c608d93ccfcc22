//===- Program.h - A loaded program -----------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled program in memory: its shared object, metadata and entries, and
// what is kept between runs. Requires a path from anywhere; guarantees that a
// file that is not a program is refused with a message, and that the object
// stays loaded as long as anything, a stuck rank included, holds a reference.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_PROGRAM_H
#define SHARDIR_LIB_RUNTIME_CORE_PROGRAM_H

#include "Metadata.h"
#include "Route.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace shardir {
namespace runtime {

class CudaDevice;
class CudaProgram;
struct RankResources;

/// Memory and worker threads that the ranks of a run keep for the next run.
using ResourceSet = std::vector<std::unique_ptr<RankResources>>;

/// An entry of a compiled program: pointers to memref descriptors.
using EntryFn = void (*)(void **descriptors);

class Program {
public:
  /// A program that is not loaded from a file: for tests of the runtime.
  explicit Program(Metadata metadata);
  ~Program();

  /// Loads a shared object. Null with `error` and `status` set on failure.
  static std::shared_ptr<Program>
  load(const std::string &path, shardir_status &status, std::string &error);

  const Metadata metadata;
  std::string name; ///< of the file, without folders
  RouteCache routes;

  struct Entry {
    EntryFn sharded = nullptr, unsharded = nullptr;
  };
  std::vector<Entry> entries; ///< one per function of the metadata

  /// The program on a GPU, loaded on first use. Null with `error` set
  /// where it cannot run there. Requires a program for GPUs.
  std::shared_ptr<CudaProgram> onDevice(CudaDevice &device,
                                        std::string &error) const;

  /// Resources that no run uses at the moment, or none.
  std::shared_ptr<ResourceSet> takeResources(size_t ranks) const;
  void keepResources(std::shared_ptr<ResourceSet> set) const;

private:
  void *handle = nullptr;
  mutable std::mutex mutex;
  mutable std::vector<std::shared_ptr<ResourceSet>> idle;
  mutable std::mutex gpuMutex;
  mutable std::vector<std::shared_ptr<CudaProgram>> onGpus;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_PROGRAM_H
