//===- NcclApi.cpp - NCCL, found when it is asked for ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads NCCL. Requires a library of 2.18 or later; guarantees that nothing is
// loaded before the first call of Api::get and that the library stays loaded.
//
//===----------------------------------------------------------------------===//

#include "NcclApi.h"

#include "Core/SharedLibrary.h"

#include <dlfcn.h>

namespace shardir {
namespace runtime {
namespace nccl {

namespace {
constexpr const char *kVariable = "SHARDIR_NCCL_LIBRARY";
constexpr const char *kLibrary = "libnccl.so.2";
constexpr int kLeastVersion = 21800;
} // namespace

const Api *Api::get(std::string &error) {
  return loadOnce<Api>(&Api::load, error);
}

bool Api::load(std::string &error) {
  SharedLibrary library = openLibrary(kVariable, kLibrary, "NCCL", error);
  if (!library.handle)
    return false;
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(library.handle, symbol));
    if (!function && !missing)
      missing = symbol;
  };
  find(GetVersion, "ncclGetVersion");
  find(GetUniqueId, "ncclGetUniqueId");
  find(CommInitRankConfig, "ncclCommInitRankConfig");
  find(CommGetAsyncError, "ncclCommGetAsyncError");
  find(CommAbort, "ncclCommAbort");
  find(GetErrorString, "ncclGetErrorString");
  find(GetLastError, "ncclGetLastError");
  find(GroupStart, "ncclGroupStart");
  find(GroupEnd, "ncclGroupEnd");
  find(Send, "ncclSend");
  find(Recv, "ncclRecv");
  auto refuse = [&](const std::string &why) {
    error = "cannot use NCCL '" + library.name + "': " + why +
            "; 2.18 or later is needed";
    dlclose(library.handle);
    return false;
  };
  if (missing)
    return refuse(std::string("it lacks ") + missing);
  int version = 0;
  if (Result result = GetVersion(&version); result != Success)
    return refuse("ncclGetVersion says " + text(result, nullptr));
  if (version < kLeastVersion)
    return refuse("it is of version " + std::to_string(version / 10000) + "." +
                  std::to_string(version / 100 % 100));
  return true;
}

std::string Api::text(Result result, Comm comm) const {
  const char *what = GetErrorString(result);
  const char *detail = comm ? GetLastError(comm) : nullptr;
  std::string s = what ? what : "error " + std::to_string(result);
  if (detail && *detail)
    s += std::string(" (") + detail + ")";
  return s;
}

void Api::check(Result result, const char *call, const std::string &what,
                Comm comm) const {
  if (result != Success && result != InProgress)
    throw cuda::Failure("cannot " + what + ": " + call + " says " +
                        text(result, comm));
}

} // namespace nccl
} // namespace runtime
} // namespace shardir
