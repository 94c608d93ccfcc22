//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries that are found on first use, once in a process: the CUDA
// driver, NCCL, cuBLASLt, cuDNN. Nothing of them is needed to build or to run
// without them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_SHAREDLIBRARY_H
#define SHARDIR_LIB_RUNTIME_CORE_SHAREDLIBRARY_H

#include <mutex>
#include <string>

namespace shardir {
namespace runtime {

struct SharedLibrary {
  std::string name;              ///< what was looked for
  void *handle = nullptr;        ///< null: it was not found
  const char *missing = nullptr; ///< the first symbol that `find` did not find

  /// Sets `function` to `symbol`, null where the library lacks it.
  template <class Function> void find(Function *&function, const char *symbol) {
    function = reinterpret_cast<Function *>(lookUp(symbol));
  }
  /// True if `find` found all symbols; else `error` says that this is not
  /// `what`.
  bool isComplete(const std::string &what, std::string &error) const;

private:
  void *lookUp(const char *symbol);
};

/// Opens the library that the environment's `variable` names, else `fallback`.
/// Where there is none `error` says so, of `what`, with the way out.
SharedLibrary openLibrary(const char *variable, const char *fallback,
                          const std::string &what, std::string &error);

/// The one Api of the process, which stays once `load` has succeeded; null with
/// `error` set, and tried again by the next call.
template <class Api>
const Api *loadOnce(bool (Api::*load)(std::string &error), std::string &error) {
  static std::mutex mutex;
  static Api *loaded = nullptr; // outlives every static destructor
  std::lock_guard<std::mutex> lock(mutex);
  if (loaded)
    return loaded;
  auto *api = new Api;
  if ((api->*load)(error))
    return loaded = api;
  delete api;
  return nullptr;
}

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_SHAREDLIBRARY_H
