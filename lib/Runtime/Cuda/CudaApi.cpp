//===- CudaApi.cpp - The CUDA driver, found on first use ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the driver. Requires a library that exports the driver API of CUDA 12
// or later; guarantees that nothing is loaded before the first call of
// Api::get, that the library stays loaded, and that a library which lacks a
// function is refused by its name.
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"

#include "Core/SharedLibrary.h"

#include <dlfcn.h>

namespace shardir {
namespace runtime {
namespace cuda {

namespace {
constexpr const char *kVariable = "SHARDIR_CUDA_LIBRARY";
constexpr const char *kLibrary = "libcuda.so.1";
/// LaunchKernelEx is CUDA 11.8's.
constexpr int kLeastVersion = 12000;
} // namespace

const Api *Api::get(std::string &error) {
  return loadOnce<Api>(&Api::load, error);
}

bool Api::load(std::string &error) {
  SharedLibrary library =
      openLibrary(kVariable, kLibrary, "the CUDA driver", error);
  if (!library.handle)
    return false;
  auto refuse = [&](const std::string &why) {
    error = "cannot use the CUDA driver '" + library.name + "': " + why;
    dlclose(library.handle);
    return false;
  };
#define SHARDIR_CUDA_FIND(NAME, SYMBOL, PARAMETERS)                            \
  NAME = reinterpret_cast<decltype(NAME)>(dlsym(library.handle, #SYMBOL));     \
  if (!NAME)                                                                   \
    return refuse("it lacks " #SYMBOL "; CUDA 12.0 or later is needed");
  SHARDIR_CUDA_FUNCTIONS(SHARDIR_CUDA_FIND)
#undef SHARDIR_CUDA_FIND
  emulatedKernels = dlsym(library.handle, "shardir_emulated_runtime_kernels");
  // Where there is no driver in the kernel cuInit says so.
  if (Result result = Init(0); result != Success)
    return refuse("cuInit says " + text(result));
  int version = 0;
  if (Result result = DriverGetVersion(&version); result != Success)
    return refuse("cuDriverGetVersion says " + text(result));
  if (version < kLeastVersion)
    return refuse("it is of CUDA " + std::to_string(version / 1000) + "." +
                  std::to_string(version % 1000 / 10) +
                  "; 12.0 or later is needed");
  return true;
}

std::string Api::text(Result result) const {
  const char *name = nullptr, *what = nullptr;
  if (GetErrorName(result, &name) != Success || !name)
    return "error " + std::to_string(result);
  if (GetErrorString(result, &what) != Success || !what)
    return name;
  return std::string(name) + " (" + what + ")";
}

void Api::fail(Result result, const char *call, const std::string &what) const {
  throw Failure("cannot " + what + ": " + call + " says " + text(result));
}

} // namespace cuda
} // namespace runtime
} // namespace shardir
