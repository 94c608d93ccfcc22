//===- Npz.cpp - numpy's .npz format --------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An .npz is a zip archive of .npy files. Reads stored and deflated members,
// zip64 included, through the central directory; checks sizes and checksums.
// Writes stored members, so that what is written can be read by anything.
// Sizes that the archive claims are bounded by its own size before use.
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include "ShardIR/Runner/Failure.h"

#include <cstring>
#include <zlib.h>

using namespace shardir;
using namespace shardir::runner;

namespace {

struct Member {
  std::string name;
  unsigned flags = 0, method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0, unpacked = 0, headerAt = 0;
};

constexpr uint32_t kAll = 0xffffffff;

/// Takes sizes that do not fit in 32 bits from the zip64 extra field.
void readExtra(Member &member, const uint8_t *extra, size_t size) {
  while (size >= 4) {
    size_t id = loadLittle(extra, 2), length = loadLittle(extra + 2, 2);
    extra += 4;
    size -= 4;
    if (length > size)
      return;
    if (id == 1) {
      const uint8_t *at = extra, *end = extra + length;
      for (uint64_t *field :
           {&member.unpacked, &member.packed, &member.headerAt})
        if (*field == kAll && end - at >= 8) {
          *field = loadLittle(at, 8);
          at += 8;
        }
    }
    extra += length;
    size -= length;
  }
}

std::vector<Member> readDirectory(const FileSource &source) {
  // The end record is the last thing in the file, but for a comment.
  uint64_t tailSize = std::min<uint64_t>(source.size(), 65557);
  std::string tail = source.readString(source.size() - tailSize, tailSize);
  size_t end = tail.rfind(std::string("PK\x05\x06", 4));
  if (end == std::string::npos || tail.size() - end < 22)
    source.fail("it is not a .npz file");
  auto *record = reinterpret_cast<const uint8_t *>(tail.data()) + end;
  uint64_t entries = loadLittle(record + 10, 2);
  uint64_t size = loadLittle(record + 12, 4);
  uint64_t offset = loadLittle(record + 16, 4);
  if (end >= 20 && std::memcmp(record - 20, "PK\x06\x07", 4) == 0) {
    uint8_t big[56];
    uint64_t at = loadLittle(record - 20 + 8, 8);
    source.require(at, sizeof big, "the archive's directory is damaged");
    source.readAt(at, big, sizeof big);
    if (std::memcmp(big, "PK\x06\x06", 4) != 0)
      source.fail("the archive's directory is damaged");
    entries = loadLittle(big + 32, 8);
    size = loadLittle(big + 40, 8);
    offset = loadLittle(big + 48, 8);
  }
  source.require(offset, size, "the archive's directory is cut off");
  std::string directory = source.readString(offset, size);
  auto *bytes = reinterpret_cast<const uint8_t *>(directory.data());

  std::vector<Member> members;
  for (size_t at = 0; at != directory.size() && members.size() != entries;) {
    const uint8_t *p = bytes + at;
    if (directory.size() - at < 46 || std::memcmp(p, "PK\x01\x02", 4) != 0)
      source.fail("the archive's directory is damaged");
    size_t name = loadLittle(p + 28, 2), extra = loadLittle(p + 30, 2),
           comment = loadLittle(p + 32, 2);
    if (directory.size() - at - 46 < name + extra + comment)
      source.fail("the archive's directory is damaged");
    Member member;
    member.flags = unsigned(loadLittle(p + 8, 2));
    member.method = unsigned(loadLittle(p + 10, 2));
    member.crc = uint32_t(loadLittle(p + 16, 4));
    member.packed = loadLittle(p + 20, 4);
    member.unpacked = loadLittle(p + 24, 4);
    member.headerAt = loadLittle(p + 42, 4);
    member.name.assign(directory, at + 46, name);
    readExtra(member, p + 46 + name, extra);
    members.push_back(std::move(member));
    at += 46 + name + extra + comment;
  }
  return members;
}

void inflateMember(const FileSource &source, const Member &member, uint64_t at,
                   Bytes &out) {
  // Deflate packs at most about 1 : 1032: a larger claim is damage, and must
  // not decide how much memory is taken.
  Bytes packed(member.packed);
  source.readAt(at, packed.data(), member.packed);
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    source.fail("zlib does not start");
  uint64_t in = 0, done = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    auto inNow = uInt(std::min<uint64_t>(member.packed - in, 1u << 30));
    auto outNow = uInt(std::min<uint64_t>(member.unpacked - done, 1u << 30));
    stream.next_in = packed.data() + in;
    stream.avail_in = inNow;
    stream.next_out = out.data() + done;
    stream.avail_out = outNow;
    status = inflate(&stream, Z_NO_FLUSH);
    in += inNow - stream.avail_in;
    done += outNow - stream.avail_out;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || done != member.unpacked)
    source.fail("member '" + member.name + "' is damaged");
}

Bytes readMember(const FileSource &source, const Member &member) {
  std::string quoted = "member '" + member.name + "'";
  if (member.flags & 1)
    source.fail(quoted + " is encrypted");
  if (member.method != 0 && member.method != 8)
    source.fail(quoted + " is packed by method " +
                std::to_string(member.method) + "; write it with numpy.savez");
  uint8_t local[30];
  source.require(member.headerAt, sizeof local, "the archive is cut off");
  source.readAt(member.headerAt, local, sizeof local);
  if (std::memcmp(local, "PK\x03\x04", 4) != 0)
    source.fail(quoted + " is damaged");
  uint64_t at = member.headerAt + sizeof local + loadLittle(local + 26, 2) +
                loadLittle(local + 28, 2);
  source.require(at, member.packed, "the archive is cut off");
  bool plausible = member.method == 0 ? member.packed == member.unpacked
                                      : member.unpacked / 1040 <= member.packed;
  if (!plausible)
    source.fail(quoted + " is damaged");
  Bytes contents(member.unpacked);
  if (member.method == 0)
    source.readAt(at, contents.data(), member.unpacked);
  else
    inflateMember(source, member, at, contents);
  if (crc32_z(0, contents.data(), contents.size()) != member.crc)
    source.fail(quoted + " is damaged: its checksum differs");
  return contents;
}

} // namespace

static std::string plainName(const Member &member) {
  std::string_view plain = member.name;
  if (plain.size() > 4 && plain.substr(plain.size() - 4) == ".npy")
    plain.remove_suffix(4);
  return std::string(plain);
}

std::vector<std::string> runner::namesInNpz(const FileSource &source) {
  std::vector<std::string> names;
  for (const Member &member : readDirectory(source))
    names.push_back(plainName(member));
  return names;
}

Array runner::readNpz(const FileSource &source, const std::string &name,
                      ElementType type, const Shape &shape) {
  std::vector<Member> members = readDirectory(source);
  std::string names;
  const Member *found = nullptr;
  for (const Member &member : members) {
    if (member.name == name + ".npy" || (!name.empty() && member.name == name))
      found = &member;
    names += (names.empty() ? "" : ", ") + plainName(member);
  }
  if (name.empty() && members.size() == 1)
    found = &members.front();
  if (!found)
    source.fail((name.empty() ? "which array is meant? say FILE.npz:NAME"
                              : "it has no array '" + name + "'") +
                "; it has: " + (names.empty() ? "nothing" : names));
  return readNpy(MemorySource(found->name, readMember(source, *found)), type,
                 shape);
}

void runner::writeNpz(
    FileSink &sink, const std::string &path,
    const std::vector<std::pair<std::string, const Array *>> &arrays) {
  std::string directory;
  uint64_t offset = 0;
  for (const auto &[name, array] : arrays) {
    std::string header = npyHeader(array->type, array->shape);
    uint64_t size = header.size() + array->bytes.size();
    if (offset + size >= kAll || arrays.size() >= 0xffff)
      failUsage("cannot write '" + path +
                "': more than 4 GiB; write .npy or "
                ".safetensors files");
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef *>(header.data()),
                        header.size());
    crc = crc32_z(crc, array->bytes.data(), array->bytes.size());
    std::string file = name + ".npy";
    // The fields that the local header and the directory share.
    std::string common;
    appendLittle(common, 20, 2);         // version needed
    appendLittle(common, 1 << 11, 2);    // names are UTF-8
    appendLittle(common, 0, 2);          // stored
    appendLittle(common, 0x00210000, 4); // 1980-01-01: the same bytes each run
    appendLittle(common, crc, 4);
    appendLittle(common, size, 4);
    appendLittle(common, size, 4);
    appendLittle(common, file.size(), 2);
    appendLittle(common, 0, 2); // no extra field
    sink.write("PK\x03\x04" + common + file + header);
    sink.write(array->bytes.data(), array->bytes.size());
    directory += std::string("PK\x01\x02\x14\x00", 6) + common;
    appendLittle(directory, 0, 2 + 2 + 2 + 4); // comment, disk, attributes
    appendLittle(directory, offset, 4);
    directory += file;
    offset += 30 + file.size() + size;
  }
  std::string end("PK\x05\x06\0\0\0\0", 8);
  appendLittle(end, arrays.size(), 2);
  appendLittle(end, arrays.size(), 2);
  appendLittle(end, directory.size(), 4);
  appendLittle(end, offset, 4);
  appendLittle(end, 0, 2);
  sink.write(directory + end);
}
