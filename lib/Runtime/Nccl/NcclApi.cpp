//===- NcclApi.cpp - NCCL, found on first use -----------------------------===//
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

#include <cstdlib>
#include <dlfcn.h>
#include <string_view>

namespace shardir {
namespace runtime {
namespace nccl {

namespace {
constexpr const char *kVariable = "SHARDIR_NCCL_LIBRARY";
constexpr const char *kLibrary = "libnccl.so.2";
constexpr const char *kRegister = "SHARDIR_NCCL_REGISTER";
constexpr int kLeastVersion = 21800;
} // namespace

const Api *Api::get(std::string &error) {
  return loadOnce<Api>(&Api::load, error);
}

bool Api::load(std::string &error) {
  const char *text = std::getenv(kRegister);
  std::string_view asked = text ? text : "0";
  if (asked != "0" && asked != "1") {
    error = std::string(kRegister) + "='" + text + "' is neither 0 nor 1";
    return false;
  }
  SharedLibrary library = openLibrary(kVariable, kLibrary, "NCCL", error);
  if (!library.handle)
    return false;
  library.find(GetVersion, "ncclGetVersion");
  library.find(GetUniqueId, "ncclGetUniqueId");
  library.find(CommInitRankConfig, "ncclCommInitRankConfig");
  library.find(CommSplit, "ncclCommSplit");
  library.find(CommCount, "ncclCommCount");
  library.find(CommUserRank, "ncclCommUserRank");
  library.find(CommCuDevice, "ncclCommCuDevice");
  library.find(CommGetAsyncError, "ncclCommGetAsyncError");
  library.find(CommAbort, "ncclCommAbort");
  library.find(GetErrorString, "ncclGetErrorString");
  library.find(GetLastError, "ncclGetLastError");
  library.find(GroupStart, "ncclGroupStart");
  library.find(GroupEnd, "ncclGroupEnd");
  library.find(Send, "ncclSend");
  library.find(Recv, "ncclRecv");
  library.find(Broadcast, "ncclBroadcast");
  library.find(AllGather, "ncclAllGather");
  library.find(AllReduce, "ncclAllReduce");
  library.find(ReduceScatter, "ncclReduceScatter");
  const char *needed = "; 2.18 or later is needed";
  if (asked == "1" && !library.missing) {
    needed = "; 2.19 or later is needed with SHARDIR_NCCL_REGISTER=1";
    library.find(MemAlloc, "ncclMemAlloc");
    library.find(MemFree, "ncclMemFree");
    library.find(CommRegister, "ncclCommRegister");
    library.find(CommDeregister, "ncclCommDeregister");
  }
  auto refuse = [&](const std::string &why) {
    error = "cannot use NCCL '" + library.name + "': " + why + needed;
    dlclose(library.handle);
    return false;
  };
  if (library.missing)
    return refuse(std::string("it lacks ") + library.missing);
  int version = 0;
  if (Result result = GetVersion(&version); result != Success)
    return refuse("ncclGetVersion says " + this->text(result, nullptr));
  if (version < kLeastVersion)
    return refuse("it is of version " + std::to_string(version / 10000) + "." +
                  std::to_string(version / 100 % 100));
  return true;
}

std::optional<Reduction> reductionOf(ElementType type, PartialKind kind) {
  enum : int { Sum, Prod, Max, Min };
  enum : int { SInt8, UInt8, SInt32, UInt32, SInt64, UInt64 };
  enum : int { Float16 = 6, Float32, Float64, BFloat16 };
  int operation;
  bool isUnsigned = kind == PartialKind::UMax || kind == PartialKind::UMin;
  switch (kind) {
  case PartialKind::Sum:
    operation = Sum;
    break;
  case PartialKind::Prod:
    operation = Prod;
    break;
  case PartialKind::Max:
  case PartialKind::UMax:
    operation = Max;
    break;
  case PartialKind::Min:
  case PartialKind::UMin:
    operation = Min;
    break;
  default:
    return std::nullopt;
  }
  auto floating = [&](int name) -> std::optional<Reduction> {
    if (operation > Prod)
      return std::nullopt;
    return Reduction{name, operation};
  };
  switch (type) {
  case SHARDIR_I8:
    return Reduction{isUnsigned ? UInt8 : SInt8, operation};
  case SHARDIR_I32:
    return Reduction{isUnsigned ? UInt32 : SInt32, operation};
  case SHARDIR_I64:
  case SHARDIR_INDEX:
    return Reduction{isUnsigned ? UInt64 : SInt64, operation};
  case SHARDIR_F16:
    return floating(Float16);
  case SHARDIR_BF16:
    return floating(BFloat16);
  case SHARDIR_F32:
    return floating(Float32);
  case SHARDIR_F64:
    return floating(Float64);
  default:
    return std::nullopt; // i1 counts modulo 2
  }
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
