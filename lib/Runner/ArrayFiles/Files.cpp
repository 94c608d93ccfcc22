//===- Files.cpp - Checked access to files --------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POSIX underneath, Failures on top. Reading goes through pread, so that large
// archives are not mapped or read whole; writing goes through stdio, and a full
// disk is seen at the latest when the file is closed.
// checkWritable only asks: it neither creates nor truncates.
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include "ShardIR/Runner/Failure.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace shardir;
using namespace shardir::runner;

static std::string reason() { return std::strerror(errno); }

void Source::fail(const std::string &message) const {
  failUsage("cannot read '" + name + "': " + message);
}

void Source::require(uint64_t offset, uint64_t count,
                     const char *message) const {
  if (offset > size() || count > size() - offset)
    fail(message);
}

std::string Source::readString(uint64_t offset, uint64_t count) const {
  require(offset, count, "the file ends too early");
  std::string text(count, '\0');
  readAt(offset, text.data(), count);
  return text;
}

FileSource::FileSource(const std::string &path) : Source(path) {
  // Non-blocking, or a FIFO would wait here for its writer.
  fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    fail(reason());
  struct stat info;
  bool known = ::fstat(fd, &info) == 0;
  if (!known || !S_ISREG(info.st_mode)) {
    ::close(fd);
    fail(!known                  ? reason()
         : S_ISDIR(info.st_mode) ? "it is a directory"
                                 : "it is not a regular file");
  }
  bytes = uint64_t(info.st_size);
}

FileSource::~FileSource() { ::close(fd); }

void FileSource::readAt(uint64_t offset, void *out, uint64_t count) const {
  require(offset, count, "the file ends too early");
  auto *to = static_cast<uint8_t *>(out);
  while (count) {
    ssize_t got =
        ::pread(fd, to, std::min<uint64_t>(count, 1u << 30), off_t(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      fail(reason());
    if (got == 0)
      fail("the file became shorter while it was read");
    to += got;
    offset += uint64_t(got);
    count -= uint64_t(got);
  }
}

void MemorySource::readAt(uint64_t offset, void *out, uint64_t count) const {
  require(offset, count, "the file ends too early");
  std::memcpy(out, contents.data() + offset, count);
}

FileSink::FileSink(const std::string &path)
    : path(path), file(std::fopen(path.c_str(), "wbe")) {
  if (!file)
    fail();
}

FileSink::~FileSink() {
  if (file)
    std::fclose(file);
}

void FileSink::fail() { failUsage("cannot write '" + path + "': " + reason()); }

void FileSink::write(const void *data, size_t size) {
  if (size && std::fwrite(data, 1, size, file) != size)
    fail();
}

void FileSink::close() {
  std::FILE *closing = file;
  file = nullptr;
  if (std::fclose(closing) != 0)
    fail();
}

SharedFile::~SharedFile() {
  if (fd >= 0)
    ::close(fd);
  if (made)
    ::unlink(temporary().c_str());
}

void SharedFile::fail() {
  failUsage("cannot write '" + path + "': " + reason());
}

void SharedFile::create(const std::string &head, uint64_t size) {
  fd = ::open(temporary().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
              0666);
  if (fd < 0)
    fail();
  made = true;
  if (::ftruncate(fd, off_t(size)) != 0)
    fail();
  writeAt(0, head.data(), head.size());
  close();
}

void SharedFile::open() {
  fd = ::open(temporary().c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    fail();
}

void SharedFile::writeAt(uint64_t offset, const void *data, uint64_t count) {
  auto *from = static_cast<const uint8_t *>(data);
  while (count) {
    ssize_t put =
        ::pwrite(fd, from, std::min<uint64_t>(count, 1u << 30), off_t(offset));
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      fail();
    from += put;
    offset += uint64_t(put);
    count -= uint64_t(put);
  }
}

void SharedFile::close() {
  int closing = fd;
  fd = -1;
  // The data of this process is on the disk before the file has its name.
  bool synced = ::fsync(closing) == 0;
  if (::close(closing) != 0 || !synced)
    fail();
}

void SharedFile::publish() {
  if (::rename(temporary().c_str(), path.c_str()) != 0)
    fail();
  made = false;
}

void runner::checkReadable(const std::string &path) { FileSource source(path); }

void runner::checkWritable(const std::string &path) {
  auto fail = [&](const std::string &why) {
    failUsage("cannot write '" + path + "': " + why);
  };
  if (path.empty())
    fail("the name is empty");
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      fail("it is a directory");
    if (::access(path.c_str(), W_OK) != 0)
      fail(reason());
    return;
  }
  if (errno != ENOENT)
    fail(reason());
  size_t slash = path.rfind('/');
  if (slash + 1 == path.size())
    fail("it ends in '/'");
  std::string folder = slash == std::string::npos ? "."
                       : slash == 0               ? "/"
                                                  : path.substr(0, slash);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    fail("folder '" + folder + "': " + reason());
}

std::string runner::readFile(const std::string &path) {
  FileSource source(path);
  return source.readString(0, source.size());
}

void runner::writeFile(const std::string &path, const std::string &contents) {
  FileSink sink(path);
  sink.write(contents);
  sink.close();
}
