//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a dynamic loader; guarantees that symbols of what is opened stay out
// of everybody else's way.
//
//===----------------------------------------------------------------------===//

#include "SharedLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

namespace shardir {
namespace runtime {

void *SharedLibrary::lookUp(const char *symbol) {
  void *found = dlsym(handle, symbol);
  if (!found && !missing)
    missing = symbol;
  return found;
}

bool SharedLibrary::isComplete(const std::string &what,
                               std::string &error) const {
  if (missing)
    error = "'" + name + "' is not " + what + ": it lacks " + missing;
  return !missing;
}

SharedLibrary openLibrary(const char *variable, const char *fallback,
                          const std::string &what, std::string &error) {
  const char *chosen = std::getenv(variable);
  SharedLibrary library;
  library.name = chosen && *chosen ? chosen : fallback;
  library.handle = dlopen(library.name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle) {
    const char *why = dlerror();
    error = "cannot load " + what + ": " +
            std::string(why ? why : library.name.c_str()) +
            "; install it, or name it in $" + variable;
  }
  return library;
}

} // namespace runtime
} // namespace shardir
