//===- LinkSharedObject.cpp - Object files to a shared object -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: lowered. Requires object files; guarantees a shared object that names
// libm and libc as needed and leaves the runtime's symbols undefined. Runs
// LLVM's ld.lld, whose folder the build knows; SHARDIR_LLD names another one.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/ToObject/ToObject.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <dlfcn.h>
#include <math.h>
#include <optional>

using namespace mlir;

namespace {
std::string findLinker() {
  if (const char *given = std::getenv("SHARDIR_LLD"))
    return given;
  // Beside this program, as in a wheel, or where LLVM was when this was built.
  std::string self = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  for (llvm::StringRef folder : {llvm::sys::path::parent_path(self),
                                 llvm::StringRef(SHARDIR_LLVM_BINDIR)}) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, "ld.lld");
    if (llvm::sys::fs::can_execute(path))
      return path.str().str();
  }
  for (const char *name : {"ld.lld-22", "ld.lld"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return "";
}

/// The file of the loaded library that defines `symbol`: the shared object to
/// link against, where no development files need to be installed.
std::string loadedLibraryOf(void *symbol) {
  Dl_info info;
  if (::dladdr(symbol, &info) && info.dli_fname &&
      llvm::sys::fs::exists(info.dli_fname))
    return info.dli_fname;
  return "";
}

/// Runs the linker; its output becomes the diagnostic where it fails.
LogicalResult runLinker(Location loc, ArrayRef<std::string> options,
                        StringRef output) {
  std::string linker = findLinker();
  if (linker.empty())
    return emitError(loc, "found no ld.lld in " SHARDIR_LLVM_BINDIR
                          " or on the path: install lld-22 or name it in "
                          "SHARDIR_LLD");
  SmallVector<StringRef> arguments = {linker, "-o", output};
  arguments.append(options.begin(), options.end());
  llvm::SmallString<128> log;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("shardir-link", "log", log))
    return emitError(loc, "cannot create a temporary file: ") << code.message();
  std::string message;
  std::optional<StringRef> redirects[] = {StringRef(""), log.str(), log.str()};
  int status = llvm::sys::ExecuteAndWait(linker, arguments, std::nullopt,
                                         redirects, 0, 0, &message);
  std::string text;
  if (auto buffer = llvm::MemoryBuffer::getFile(log))
    text = (*buffer)->getBuffer().rtrim().str();
  llvm::sys::fs::remove(log);
  if (status != 0)
    return emitError(loc, "cannot link ")
           << output << " with " << linker << ": "
           << (message.empty() ? text : message);
  return success();
}
} // namespace

LogicalResult shardir::joinObjects(Location loc, ArrayRef<std::string> objects,
                                   StringRef path) {
  std::vector<std::string> options = {"-r"};
  options.insert(options.end(), objects.begin(), objects.end());
  return runLinker(loc, options, path);
}

LogicalResult shardir::linkSharedObject(Location loc,
                                        ArrayRef<std::string> objects,
                                        StringRef path) {
  std::vector<std::string> options = {"-shared",
                                      "--as-needed",
                                      "-z",
                                      "notext",
                                      "--no-undefined-version",
                                      "--allow-shlib-undefined",
                                      "--unresolved-symbols=ignore-all",
                                      "--hash-style=gnu"};
  options.insert(options.end(), objects.begin(), objects.end());
  double (*cosine)(double) = ::cos;
  for (const std::string &library :
       {loadedLibraryOf(reinterpret_cast<void *>(cosine)),
        loadedLibraryOf(reinterpret_cast<void *>(&::abort))})
    if (!library.empty())
      options.push_back(library);
  return runLinker(loc, options, path);
}
