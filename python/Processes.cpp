//===- Processes.cpp - Ranks that are processes ---------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Processes.h says. The interpreter's lock is
// released while a process waits for others.
//
//===----------------------------------------------------------------------===//

#include "Processes.h"
#include "Errors.h"
#include "ShardIR/Runtime/Processes.h"

#include <cstring>

namespace nb = nanobind;

namespace shardir {
namespace python {

uint64_t digestOf(const shardir_buffer &array) {
  // Four chains, so that a multiplication need not wait for the one before.
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
  uint64_t chains[4] = {1, 2, 3, 4};
  auto add = [&](uint64_t &chain, uint64_t word) {
    chain = (chain ^ word) * kFactor;
    chain ^= chain >> 29;
  };
  size_t bytes = shardir_element_size(array.element_type);
  for (size_t d = 0; d < array.rank; ++d) {
    add(chains[d % 4], uint64_t(array.shape[d]));
    bytes *= size_t(array.shape[d]);
  }
  const auto *at = static_cast<const char *>(array.data);
  uint64_t words[4];
  for (; bytes >= sizeof(words); bytes -= sizeof(words), at += sizeof(words)) {
    std::memcpy(words, at, sizeof(words));
    for (int i = 0; i < 4; ++i)
      add(chains[i], words[i]);
  }
  std::memset(words, 0, sizeof(words));
  if (bytes > 0)
    std::memcpy(words, at, bytes);
  for (int i = 0; i < 4; ++i)
    add(chains[i], words[i]);
  for (int i = 1; i < 4; ++i)
    add(chains[0], chains[i]);
  return chains[0];
}

/// This process' number and how many there are, once they are connected.
static std::pair<int64_t, int64_t> connect(const std::string &device,
                                           double timeout) {
  int64_t number, count;
  shardir_status status;
  {
    nb::gil_scoped_release release;
    status = shardir_processes_start(device.c_str(), timeout > 0 ? timeout : 60,
                                     &number, &count);
  }
  check(status);
  return {number, count};
}

/// Among processes that are connected.
static std::tuple<int, int64_t, std::string> agree(int status,
                                                   const std::string &message) {
  int worst;
  int64_t who;
  const char *text;
  shardir_status s;
  {
    nb::gil_scoped_release release;
    s = shardir_processes_agree(status, message.c_str(), &worst, &who, &text);
  }
  check(s);
  return {worst, who, text};
}

std::tuple<int, int64_t, std::string> agree(const std::string &device,
                                            double timeout, int status,
                                            const std::string &message) {
  connect(device, timeout);
  return agree(status, message);
}

void Processes::start(const shardir_program *program) {
  if (isStarted || !areRanks())
    return;
  std::tie(own, count) = connect(device, timeout);
  check(shardir_processes_match(program));
  isStarted = true;
}

void Processes::compare(Call call, size_t index,
                        const std::vector<uint64_t> &digests,
                        const std::vector<std::string> &names) const {
  enum { Same, OtherArrays, OtherCall };
  struct Header {
    uint64_t call, index, count, digest;
  };
  Header mine{uint64_t(call), index, digests.size(), 0};
  for (uint64_t digest : digests)
    mine.digest = (mine.digest ^ digest) * 0x9E3779B97F4A7C15 + 1;
  Header first = mine;
  broadcast(&first, sizeof(first));
  bool sameCall = first.call == mine.call && first.index == mine.index &&
                  first.count == mine.count;
  auto [worst, who, text] = agree(!sameCall                     ? OtherCall
                                  : first.digest != mine.digest ? OtherArrays
                                                                : Same,
                                  "");
  if (worst == Same)
    return;
  if (worst == OtherCall)
    raise("UsageError",
          "process " + std::to_string(who) +
              " makes another call than process 0: all processes call a "
              "program, and save, load and copy its state, in the same order");
  std::vector<uint64_t> others = digests;
  broadcast(others.data(), others.size() * sizeof(uint64_t));
  std::string name;
  for (size_t i = 0; i < digests.size() && name.empty(); ++i)
    if (others[i] != digests[i])
      name = names[i];
  std::tie(worst, who, text) = agree(name.empty() ? Same : OtherArrays, name);
  raise("UsageError", text + " of process " + std::to_string(who) +
                          " differs from that of process 0: every process "
                          "passes the same full arrays, of which it takes its "
                          "part, or all pass a shardir.Local; seed random "
                          "numbers alike");
}

void Processes::compareCopies(uint64_t digest, size_t first,
                              const std::string &name) const {
  std::vector<uint64_t> all(size_t(count), digest);
  std::vector<void *> places;
  for (uint64_t &each : all)
    places.push_back(&each);
  gather(&digest, sizeof(digest), places,
         std::vector<size_t>(all.size(), sizeof(digest)));
  broadcast(all.data(), all.size() * sizeof(digest));
  auto [worst, who, text] =
      agree(all[first] != digest, "process " + std::to_string(first));
  if (worst)
    raise("UsageError", name + " of process " + std::to_string(who) +
                            " differs from that of " + text +
                            ", which holds the same part: both pass the same "
                            "elements in their shardir.Local");
}

void Processes::gather(const void *data, size_t bytes,
                       const std::vector<void *> &blocks,
                       const std::vector<size_t> &sizes) const {
  shardir_status status;
  {
    nb::gil_scoped_release release;
    status = shardir_processes_gather(data, bytes, blocks.data(), sizes.data());
  }
  check(status);
}

void Processes::broadcast(void *data, size_t bytes) const {
  shardir_status status;
  {
    nb::gil_scoped_release release;
    status =
        shardir_processes_broadcast(data, bytes, timeout > 0 ? timeout : 60);
  }
  check(status);
}

} // namespace python
} // namespace shardir
