//===- MpiApi.cpp - The part of MPI that the runtime calls ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds libmpi and looks at whose it is. Requires the dynamic loader alone;
// guarantees that nothing is kept of a library that does not fit. The library
// is opened for everybody to see, since Open MPI's own plugins expect to find
// it.
//
//===----------------------------------------------------------------------===//

#include "MpiApi.h"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

namespace shardir {
namespace runtime {

namespace {

constexpr int kMaxVersionText = 8192; ///< MPI_MAX_LIBRARY_VERSION_STRING
constexpr int kMaxErrorText = 1024;   ///< more than MPI_MAX_ERROR_STRING

constexpr const char *kWayOut =
    "; install Open MPI (Debian: openmpi-bin), or name its libmpi.so.40 in "
    "SHARDIR_MPI_LIBRARY";

void *openLibrary(std::string &error) {
  // The host's own, where it is linked with MPI: there must not be two.
  if (dlsym(RTLD_DEFAULT, "MPI_Init_thread"))
    return dlopen(nullptr, RTLD_NOW);
  const char *named = std::getenv("SHARDIR_MPI_LIBRARY");
  if (named && *named) {
    if (void *handle = dlopen(named, RTLD_NOW | RTLD_GLOBAL))
      return handle;
    error = std::string("cannot load SHARDIR_MPI_LIBRARY: ") + dlerror();
    return nullptr;
  }
  // Open MPI's name first; under the others MPICH may lie, to be refused by its
  // own name.
  for (const char *name : {"libmpi.so.40", "libmpi.so", "libmpi.so.12"}) {
    if (void *handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL))
      return handle;
    if (error.empty())
      error = std::string("MPI was not found: ") + dlerror() + kWayOut;
  }
  return nullptr;
}

} // namespace

bool MpiApi::load(std::string &error) {
  void *handle = openLibrary(error);
  if (!handle)
    return false;
  if (auto getVersion = reinterpret_cast<decltype(Get_library_version)>(
          dlsym(handle, "MPI_Get_library_version"))) {
    // Anybody's constant is smaller than this.
    std::string text(kMaxVersionText, '\0');
    int length = 0;
    if (getVersion(text.data(), &length) == 0)
      version = text.substr(0, text.find_first_of(std::string("\n\0", 2)));
  }
  world = dlsym(handle, "ompi_mpi_comm_world");
  byte = dlsym(handle, "ompi_mpi_byte");
  infoNull = dlsym(handle, "ompi_mpi_info_null");
  errorsReturn = dlsym(handle, "ompi_mpi_errors_return");
  if (!world || !byte || !infoNull || !errorsReturn) {
    error = "the MPI library is " +
            (version.empty() ? std::string("of an unknown kind")
                             : "'" + version + "'") +
            ", and only Open MPI is supported" + kWayOut;
    return false;
  }
#define SHARDIR_MPI_FIND(NAME, PARAMETERS)                                     \
  NAME = reinterpret_cast<decltype(NAME)>(dlsym(handle, "MPI_" #NAME));        \
  if (!NAME) {                                                                 \
    error = "the MPI library ('" + version + "') lacks MPI_" #NAME;            \
    return false;                                                              \
  }
  SHARDIR_MPI_FUNCTIONS(SHARDIR_MPI_FIND)
#undef SHARDIR_MPI_FIND
  return true;
}

void MpiApi::check(int code, const char *function) const {
  if (code == 0)
    return;
  std::string text(kMaxErrorText, '\0');
  int length = 0;
  if (Error_string(code, text.data(), &length) != 0)
    length = 0;
  throw std::runtime_error(std::string(function) +
                           " failed: " + text.substr(0, size_t(length)));
}

} // namespace runtime
} // namespace shardir
