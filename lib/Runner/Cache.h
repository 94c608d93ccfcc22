//===- Cache.h - Compiled programs by content hash --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Private to the runner's library. A folder of files that are named by the hash
// of what they were made from. Entries appear whole, by renaming, and are never
// changed; a reader that has opened one keeps it even if it is replaced.
// Old entries are removed when there are too many.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_CACHE_H
#define SHARDIR_LIB_RUNNER_CACHE_H

#include <string>

namespace shardir::runner {

class ProgramCache {
public:
  /// The user's cache, or nothing usable: then getFolder() is empty.
  ProgramCache();
  const std::string &getFolder() const { return folder; }
  std::string pathOf(const std::string &key) const {
    return folder + "/" + key + ".so";
  }
  /// Whether there is an entry; marks it as used now.
  bool find(const std::string &key) const;
  /// A fresh file in the folder, to be filled and then given to `insert`.
  std::string temporaryFile() const;
  /// Makes `file` the entry of `key`; false if the folder does not allow it.
  bool insert(const std::string &file, const std::string &key) const;

private:
  void removeOld() const;
  std::string folder;
};

/// A new folder for temporary files.
std::string makeTemporaryFolder();

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_CACHE_H
