//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Nvtx.h says. The library stays loaded.
//
//===----------------------------------------------------------------------===//

#include "Nvtx.h"

#include "Core/SharedLibrary.h"
#include "CudaApi.h"

#include <cstdlib>

namespace shardir {
namespace runtime {

namespace {
constexpr const char *kVariable = "SHARDIR_NVTX_LIBRARY";

struct Nvtx {
  int (*push)(const char *) = nullptr;
  int (*pop)() = nullptr;
  uint64_t (*start)(const char *) = nullptr;
  void (*end)(uint64_t) = nullptr;

  static const Nvtx &get() {
    std::string error;
    if (const Nvtx *nvtx = loadOnce<Nvtx>(&Nvtx::load, error))
      return *nvtx;
    throw cuda::Failure(error);
  }
  bool load(std::string &error) {
    SharedLibrary library =
        openLibrary(kVariable, "libnvtx3interop.so.1", "NVTX", error);
    if (!library.handle)
      return false;
    library.find(push, "nvtxRangePushA");
    library.find(pop, "nvtxRangePop");
    library.find(start, "nvtxRangeStartA");
    library.find(end, "nvtxRangeEnd");
    return library.isComplete("NVTX", error);
  }
};
} // namespace

bool NvtxRange::isWanted() {
  static const bool wanted = [] {
    const char *name = std::getenv(kVariable);
    return name && *name;
  }();
  return wanted;
}

void NvtxRange::begin(const std::string &name) {
  Nvtx::get().push(name.c_str());
  isOpen = true;
}

NvtxRange::~NvtxRange() {
  if (isOpen)
    Nvtx::get().pop();
}

void NvtxSpan::begin(const std::string &name) {
  id = Nvtx::get().start(name.c_str());
  isOpen = true;
}

NvtxSpan::~NvtxSpan() {
  if (isOpen)
    Nvtx::get().end(id);
}

} // namespace runtime
} // namespace shardir
