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

#include "Core/Messages.h"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <utility>

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
  commNull = dlsym(handle, "ompi_mpi_comm_null");
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
  const std::pair<void **, const char *> handles[] = {
      {&int8, "int8_t"},     {&int16, "int16_t"},   {&int32, "int32_t"},
      {&int64, "int64_t"},   {&uint8, "uint8_t"},   {&uint16, "uint16_t"},
      {&uint32, "uint32_t"}, {&uint64, "uint64_t"}, {&float32, "float"},
      {&float64, "double"},  {&sum, "op_sum"},      {&prod, "op_prod"},
      {&max, "op_max"},      {&min, "op_min"},      {&bitAnd, "op_band"},
      {&bitOr, "op_bor"},    {&bitXor, "op_bxor"}};
  for (auto [place, name] : handles)
    if (!(*place = dlsym(handle, (std::string("ompi_mpi_") + name).c_str()))) {
      error = "the MPI library ('" + version + "') lacks ompi_mpi_" + name;
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

MpiDatatype MpiApi::typeOf(shardir_element_type type, PartialKind kind) const {
  bool isUnsigned = kind == PartialKind::UMax || kind == PartialKind::UMin;
  switch (type) {
  case SHARDIR_I8:
    return isUnsigned ? uint8 : int8;
  case SHARDIR_I16:
    return isUnsigned ? uint16 : int16;
  case SHARDIR_I32:
    return isUnsigned ? uint32 : int32;
  case SHARDIR_I64:
  case SHARDIR_INDEX:
    return isUnsigned ? uint64 : int64;
  case SHARDIR_F32:
    return float32;
  case SHARDIR_F64:
    return float64;
  default:
    return nullptr;
  }
}

MpiHandle MpiApi::operationOf(PartialKind kind) const {
  switch (kind) {
  case PartialKind::Sum:
    return sum;
  case PartialKind::Prod:
    return prod;
  case PartialKind::Max:
  case PartialKind::UMax:
    return max;
  case PartialKind::Min:
  case PartialKind::UMin:
    return min;
  case PartialKind::And:
    return bitAnd;
  case PartialKind::Or:
    return bitOr;
  case PartialKind::Xor:
    return bitXor;
  default:
    return nullptr;
  }
}

bool enginesReduce(shardir_element_type type, PartialKind kind) {
  switch (type) {
  case SHARDIR_F32:
  case SHARDIR_F64:
    return kind == PartialKind::Sum || kind == PartialKind::Prod;
  case SHARDIR_I8:
  case SHARDIR_I16:
  case SHARDIR_I32:
  case SHARDIR_I64:
  case SHARDIR_INDEX:
    return kind != PartialKind::MaxNum && kind != PartialKind::MinNum;
  default:
    return false; // i1 counts modulo 2
  }
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
