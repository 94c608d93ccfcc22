//===- Counters.cpp - What kernels execute, by the emulated GPU -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the library that the runtime loads as CUDA's driver: the loader gives
// both the same one. The library stays loaded, as the runtime's does.
//
//===----------------------------------------------------------------------===//

#include "Counters.h"

#include "ShardIR/Runner/Failure.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace shardir::runner;

Counters::Counters(const std::string &device) {
  if (device != "cuda-local")
    failUsage("--counters are those of the emulated GPU: add "
              "--device=cuda-local in place of --device=" +
              device);
  const char *name = std::getenv("SHARDIR_CUDA_LIBRARY");
  void *library = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
  void *start =
      library ? dlsym(library, "shardir_emulated_counters_start") : nullptr;
  void *counted =
      library ? dlsym(library, "shardir_emulated_counters") : nullptr;
  if (!start || !counted)
    failUsage("--counters are those of the emulated GPU: name "
              "libShardIREmulatedGpu.so in $SHARDIR_CUDA_LIBRARY");
  reinterpret_cast<void (*)()>(start)();
  read = reinterpret_cast<decltype(read)>(counted);
}

std::string Counters::text(bool asTable) const {
  std::string counted = read(asTable);
  if (counted.empty())
    failUsage("--counters: no kernel ran as PTX; compile for a GPU, such as "
              "--options=arch=sm_90a");
  return counted;
}
