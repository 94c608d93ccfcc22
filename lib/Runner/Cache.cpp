//===- Cache.cpp - Compiled programs by content hash ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Requires nothing of the environment: where no cache folder can be made or
// written, there is none, and each run compiles. Guarantees that what `find`
// reports was complete when it was renamed into place. Only files that the
// cache itself named are ever removed.
//
//===----------------------------------------------------------------------===//

#include "Cache.h"

#include "ShardIR/Runner/Failure.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace shardir;
using namespace shardir::runner;
namespace fs = std::filesystem;

static constexpr size_t kMaxEntries = 512;
static const char kTemporary[] = ".compiling-";

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

ProgramCache::ProgramCache() {
  std::string chosen = environment("SHARDIR_CACHE_DIR");
  if (chosen.empty()) {
    // The base directory specification: relative paths there are ignored.
    std::string base = environment("XDG_CACHE_HOME");
    if (base.empty() || base[0] != '/') {
      std::string home = environment("HOME");
      base = home.empty() || home[0] != '/' ? "" : home + "/.cache";
    }
    if (base.empty())
      return;
    chosen = base + "/shardir";
  }
  std::error_code error;
  fs::create_directories(chosen, error);
  if (::access(chosen.c_str(), R_OK | W_OK | X_OK) != 0)
    return;
  fs::path absolute = fs::absolute(chosen, error);
  folder = error ? chosen : absolute.string();
}

bool ProgramCache::find(const std::string &key) const {
  if (folder.empty())
    return false;
  struct stat info;
  std::string path = pathOf(key);
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size == 0 || ::access(path.c_str(), R_OK) != 0)
    return false;
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return true;
}

std::string ProgramCache::temporaryFile() const {
  if (folder.empty())
    return "";
  std::string name = folder + "/" + kTemporary + "XXXXXX";
  int fd = ::mkstemp(name.data());
  if (fd < 0)
    return "";
  ::close(fd);
  return name;
}

bool ProgramCache::insert(const std::string &file,
                          const std::string &key) const {
  if (::rename(file.c_str(), pathOf(key).c_str()) != 0)
    return false;
  removeOld();
  return true;
}

void ProgramCache::removeOld() const {
  struct Entry {
    fs::file_time_type used;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::error_code error;
  auto dayAgo = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    std::string name = it->path().filename().string();
    fs::file_time_type used = it->last_write_time(ignored);
    if (name.compare(0, std::strlen(kTemporary), kTemporary) == 0) {
      // Left behind by a run that was killed.
      if (!ignored && used < dayAgo)
        fs::remove(it->path(), ignored);
    } else if (!ignored && name.size() == 67 &&
               it->path().extension() == ".so") {
      entries.push_back({used, it->path()});
    }
  }
  if (entries.size() <= kMaxEntries)
    return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  // A few more than needed, or every run from now on would come here.
  for (size_t i = 0; i != entries.size() - kMaxEntries * 3 / 4; ++i)
    fs::remove(entries[i].path, error);
}

std::string runner::makeTemporaryFolder() {
  std::string base = environment("TMPDIR");
  std::string name = (base.empty() ? "/tmp" : base) + "/shardir-XXXXXX";
  if (!::mkdtemp(name.data()))
    failUsage("cannot make a temporary folder '" + name +
              "': " + std::strerror(errno) + "; set TMPDIR");
  return name;
}
