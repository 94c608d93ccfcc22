//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Counters.h says. A request of more than 4 bytes
// a lane goes through shared memory in parts of 128 bytes: half or quarter
// warps.
//
//===----------------------------------------------------------------------===//

#include "Counters.h"

#include "../Hopper.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>

using namespace shardir::emulated;
using namespace shardir::emulated::ptx;

namespace {
constexpr uint64_t kBanks = 32; ///< of 4 bytes

bool says(const std::vector<std::string> &words, const char *word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const char *classOf(const std::string &opcode,
                    const std::vector<std::string> &words) {
  auto is = [&](std::initializer_list<const char *> names) {
    return std::find(names.begin(), names.end(), opcode) != names.end();
  };
  auto says = [&](const char *word) { return ::says(words, word); };
  if (opcode == "tcgen05")
    return says("mma") ? "tensor" : says("ld") ? "move" : "barrier";
  if (opcode == "mma" || says("mma_async"))
    return "tensor";
  if (is({"bar", "barrier", "mbarrier", "fence", "membar", "wgmma"}) ||
      says("wait_group") || says("commit_group"))
    return "barrier";
  if (is({"ld", "st", "red", "cp", "ldmatrix", "stmatrix", "prefetch"}))
    return says("param")                            ? "parameter"
           : says("local")                          ? "local"
           : says("global") || opcode == "prefetch" ? "global"
                                                    : "shared";
  if (is({"bra", "brx", "ret", "exit"}))
    return "control";
  if (is({"cvt", "cvta", "mov", "selp", "setp", "shfl", "vote", "elect",
          "prmt"}))
    return opcode == "shfl" ? "shuffle" : "move";
  for (const std::string &word : words)
    if (word == "f32" || word == "f64" || word == "f16" || word == "f16x2" ||
        word == "bf16" || word == "bf16x2" || word == "f32x2")
      return "float";
  return "integer";
}

/// Multiplications and additions of one warp's instruction of `words`, a shape
/// such as m16n8k16 among them; a warp of a wgmma has 16 of its 64 rows.
uint64_t tensorFlops(const std::vector<std::string> &words) {
  for (const std::string &word : words) {
    unsigned m = 0, n = 0, k = 0;
    if (std::sscanf(word.c_str(), "m%un%uk%u", &m, &n, &k) == 3)
      return uint64_t(2) * std::min(m, 16u) * n * k;
  }
  return 0;
}

struct LineCounters : InstCounters {
  std::string text, source;
};
/// Of a line of the program that the PTX was compiled from.
struct SourceCounters : InstCounters {
  uint64_t tensorFlops = 0;
};
struct KernelCounters {
  uint64_t launches = 0, blocks = 0, instructions = 0;
  std::map<std::string, uint64_t> classes;
  InstCounters sum;
  uint64_t distinctBytes = 0, tensorFlops = 0;
  /// Of the PTX that access memory or wait for copies.
  std::map<int, LineCounters> lines;
  std::map<std::string, SourceCounters> sources; ///< `mlp.mlir:12`
};

std::mutex &mutex() {
  static std::mutex &m = *new std::mutex; // outlives static destructors
  return m;
}
std::atomic<bool> counting{false};
std::map<std::string, KernelCounters> &kernels() {
  static auto &all = *new std::map<std::string, KernelCounters>;
  return all;
}

void add(InstCounters &to, const InstCounters &c) {
  to.executed += c.executed;
  to.requests += c.requests;
  to.sectors += c.sectors;
  to.leastSectors += c.leastSectors;
  to.wavefronts += c.wavefronts;
  to.conflicts += c.conflicts;
  to.hits += c.hits;
  to.dramReads += c.dramReads;
  to.dramWrites += c.dramWrites;
  to.copyWaits += c.copyWaits;
  to.copyDistance += c.copyDistance;
  to.copyFlops += c.copyFlops;
  to.leastDistance = std::min(to.leastDistance, c.leastDistance);
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c != '\t')
      out += c;
  }
  return out + "\"";
}

std::string memoryJson(const InstCounters &c) {
  auto field = [](const char *name, uint64_t value) {
    return std::string("\"") + name + "\": " + std::to_string(value);
  };
  return field("requests", c.requests) + ", " + field("sectors", c.sectors) +
         ", " + field("least_sectors", c.leastSectors) + ", " +
         field("shared_wavefronts", c.wavefronts) + ", " +
         field("bank_conflicts", c.conflicts) + ", " +
         field("l2_hits", c.hits) + ", " +
         field("dram_read_bytes", c.dramReads * kSector) + ", " +
         field("dram_written_bytes", c.dramWrites * kSector) + ", " +
         field("copy_waits", c.copyWaits) + ", " +
         field("copy_distance", c.copyDistance) + ", " +
         field("least_copy_distance", c.copyWaits ? c.leastDistance : 0) +
         ", " + field("copy_distance_flops", c.copyFlops);
}

std::string json() {
  std::string out = "{\"version\": 1, \"kernels\": [";
  bool first = true;
  for (const auto &[name, k] : kernels()) {
    out += std::string(first ? "\n" : ",\n") + "  {\"name\": " + quoted(name) +
           ", \"launches\": " + std::to_string(k.launches) +
           ", \"blocks\": " + std::to_string(k.blocks) +
           ", \"instructions\": " + std::to_string(k.instructions) +
           ",\n   \"classes\": {";
    first = false;
    for (const auto &[kind, count] : k.classes)
      out += (out.back() == '{' ? "" : ", ") + quoted(kind) + ": " +
             std::to_string(count);
    out += "},\n   " + memoryJson(k.sum) +
           ", \"global_bytes\": " + std::to_string(k.sum.sectors * kSector) +
           ", \"distinct_bytes\": " + std::to_string(k.distinctBytes) +
           ", \"tensor_flops\": " + std::to_string(k.tensorFlops) +
           ",\n   \"lines\": [";
    for (const auto &[line, c] : k.lines)
      out += std::string(out.back() == '[' ? "\n" : ",\n") +
             "     {\"line\": " + std::to_string(line) +
             ", \"text\": " + quoted(c.text) +
             ", \"source\": " + quoted(c.source) + ", " + memoryJson(c) + "}";
    out += "],\n   \"sources\": [";
    for (const auto &[source, c] : k.sources)
      out += std::string(out.back() == '[' ? "\n" : ",\n") +
             "     {\"source\": " + quoted(source) +
             ", \"instructions\": " + std::to_string(c.executed) + ", " +
             memoryJson(c) +
             ", \"tensor_flops\": " + std::to_string(c.tensorFlops) + "}";
    out += "]}";
  }
  return out + "\n]}\n";
}

std::string table() {
  char row[512];
  std::string out =
      "kernel                                  launches instructions  tensor  "
      "global bytes  sectors/least  conflicts  barriers    DRAM bytes  "
      "copy distance\n";
  for (const auto &kernel : kernels()) {
    const std::string &name = kernel.first;
    const KernelCounters &k = kernel.second;
    auto of = [&](const char *kind) {
      auto it = k.classes.find(kind);
      return it == k.classes.end() ? uint64_t(0) : it->second;
    };
    std::snprintf(row, sizeof(row),
                  "%-40s %7llu %12llu %6.1f%% %13llu %14.2f %10llu %9llu "
                  "%13llu %14.0f\n",
                  name.c_str(), static_cast<unsigned long long>(k.launches),
                  static_cast<unsigned long long>(k.instructions),
                  100.0 * double(of("tensor")) /
                      double(std::max<uint64_t>(k.instructions, 1)),
                  static_cast<unsigned long long>(k.sum.sectors * kSector),
                  double(k.sum.sectors) /
                      double(std::max<uint64_t>(k.sum.leastSectors, 1)),
                  static_cast<unsigned long long>(k.sum.conflicts),
                  static_cast<unsigned long long>(of("barrier")),
                  static_cast<unsigned long long>(
                      (k.sum.dramReads + k.sum.dramWrites) * kSector),
                  double(k.sum.copyDistance) /
                      double(std::max<uint64_t>(k.sum.copyWaits, 1)));
    out += row;
  }
  return out;
}
} // namespace

bool shardir::emulated::ptx::isCounting() { return counting; }

LaunchCounters::LaunchCounters(const Code &code, const Order &order,
                               uint64_t cacheBytes)
    : code(code), order(order), insts(code.insts.size()), cache(cacheBytes),
      agents(order.size()) {
  for (const Statement &s : code.kernel->statements) {
    flops.push_back(std::string(classOf(s.opcode, s.words)) == "tensor"
                        ? tensorFlops(s.words)
                        : 0);
    writes.push_back(s.opcode == "st" || s.opcode == "red" ||
                     says(s.words, "bulk_group"));
    reads.push_back(!writes.back() || s.opcode == "red" ||
                    says(s.words, "reduce"));
  }
}

void LaunchCounters::begin() {
  issued.clear();
  for (size_t i = 0; i < agents.size(); ++i) {
    agents[i].clock = order.clock(i);
    agents[i].until.assign(1, {0, agents[i].work});
  }
}

void LaunchCounters::execute(const Inst &inst, size_t agent) {
  ++of(inst).executed;
  Agent &a = agents[agent];
  ++a.work.instructions;
  a.work.flops += flops[numberOf(inst)];
  if (uint32_t clock = order.clock(agent); clock != a.clock) {
    a.until.push_back({a.clock, a.work});
    a.clock = clock;
  }
}

/// The progress of the agent when its clock left `clock`.
Work LaunchCounters::workAt(const Agent &agent, uint32_t clock) const {
  if (clock >= agent.clock)
    return agent.work;
  auto next = std::upper_bound(
      agent.until.begin(), agent.until.end(), clock,
      [](uint32_t c, const auto &entry) { return c < entry.first; });
  return (next - 1)->second;
}

Work LaunchCounters::issue(size_t agent) const {
  Work work = agents[agent].work;
  ++work.instructions; // the copy
  return work;
}

void LaunchCounters::await(const Inst &inst, size_t agent, Work since) {
  InstCounters &c = of(inst);
  const Work &now = agents[agent].work;
  uint64_t distance = now.instructions - since.instructions;
  ++c.copyWaits;
  c.copyDistance += distance;
  c.copyFlops += now.flops - since.flops;
  c.leastDistance = std::min(c.leastDistance, distance);
}

void LaunchCounters::issue(size_t agent, const void *barrier) {
  Issued &copy = issued[barrier];
  copy.before.clear();
  for (size_t i = 0; i < agents.size(); ++i)
    copy.before.push_back(i == agent
                              ? issue(agent)
                              : workAt(agents[i], order.knowsUntil(agent, i)));
  copy.awaited.assign(agents.size(), false);
}

void LaunchCounters::await(const Inst &inst, size_t agent,
                           const void *barrier) {
  auto copy = issued.find(barrier);
  if (copy == issued.end() || copy->second.awaited[agent])
    return;
  copy->second.awaited[agent] = true;
  await(inst, agent, copy->second.before[agent]);
}

void LaunchCounters::touch(const Inst &inst,
                           const std::set<uint64_t> &sectors) {
  size_t number = numberOf(inst);
  InstCounters &c = insts[number];
  c.sectors += sectors.size();
  for (uint64_t sector : sectors) {
    bool hit = cache.access(sector, writes[number] ? number : Cache::kClean,
                            [&](size_t writer) { ++insts[writer].dramWrites; });
    c.hits += hit;
    c.dramReads += !hit && reads[number];
  }
  distinct.insert(sectors.begin(), sectors.end());
}

/// Inserts the sectors of `bytes` from `address` on.
static void insertSectors(std::set<uint64_t> &sectors, uint64_t address,
                          uint64_t bytes) {
  uint64_t first = address / kSector, last = (address + bytes - 1) / kSector;
  for (uint64_t s = first; s <= last; ++s)
    sectors.insert(s);
}

void LaunchCounters::access(const Inst &inst, uint32_t mask,
                            const uint64_t *addresses, int64_t bytes) {
  InstCounters &c = of(inst);
  int first = __builtin_ctz(mask);
  uint64_t window = addresses[first] & kWindowMask;
  auto size = uint64_t(bytes);
  if (window == 0) {
    std::set<uint64_t> sectors;
    std::set<uint64_t> starts;
    for (uint32_t m = mask; m; m &= m - 1) {
      uint64_t a = addresses[__builtin_ctz(m)];
      starts.insert(a);
      insertSectors(sectors, a, size);
    }
    ++c.requests;
    c.leastSectors += (starts.size() * size + kSector - 1) / kSector;
    touch(inst, sectors);
    return;
  }
  if (window != kSharedWindow)
    return;
  int group = size <= 4 ? kLanes : size == 8 ? 16 : 8; // lanes of a pass
  for (int begin = 0; begin < kLanes; begin += group) {
    std::set<uint64_t> words;
    uint64_t perBank[kBanks] = {}, most = 0;
    for (int l = begin; l < begin + group; ++l)
      if (mask >> l & 1)
        for (uint64_t w = addresses[l] / 4; w <= (addresses[l] + size - 1) / 4;
             ++w)
          if (words.insert(w).second)
            most = std::max(most, ++perBank[w % kBanks]);
    if (words.empty())
      continue;
    c.wavefronts += most;
    c.conflicts += most - (words.size() + kBanks - 1) / kBanks;
  }
}

void LaunchCounters::box(const Inst &inst,
                         const shardir_emulated_tensor_map &map,
                         const int32_t *coordinates) {
  int64_t begin[5] = {}, extent[5] = {1, 1, 1, 1, 1};
  for (int dim = 0; dim < map.rank; ++dim) {
    begin[dim] = std::max<int64_t>(coordinates[dim], 0);
    int64_t end = std::min<int64_t>(int64_t(coordinates[dim]) + map.box[dim],
                                    int64_t(map.extents[dim]));
    extent[dim] = std::max<int64_t>(end - begin[dim], 0);
  }
  InstCounters &c = of(inst);
  ++c.requests;
  // A box is one piece of shared memory, whose rows are swizzled within it.
  c.wavefronts += (uint64_t(boxBytes(map)) + 4 * kBanks - 1) / (4 * kBanks);
  uint64_t rowBytes = uint64_t(extent[0]) * map.element_bytes;
  if (rowBytes == 0)
    return;
  auto start = uint64_t(uintptr_t(map.address));
  for (int64_t e = 0; e < extent[4]; ++e)
    for (int64_t d = 0; d < extent[3]; ++d)
      for (int64_t z = 0; z < extent[2]; ++z)
        for (int64_t y = 0; y < extent[1]; ++y) {
          int64_t at[4] = {y, z, d, e};
          uint64_t a = start + uint64_t(begin[0]) * map.element_bytes;
          for (int dim = 1; dim < map.rank; ++dim)
            a += uint64_t(begin[dim] + at[dim - 1]) * map.strides[dim - 1];
          std::set<uint64_t> sectors;
          insertSectors(sectors, a, rowBytes);
          touch(inst, sectors);
        }
  c.leastSectors +=
      (rowBytes * uint64_t(extent[1] * extent[2] * extent[3] * extent[4]) +
       kSector - 1) /
      kSector;
}

/// `mlp.mlir:12`, as .file names the file; "" where there is no .loc.
std::string LaunchCounters::sourceOf(const Statement &statement) const {
  auto file = code.module->files.find(statement.source.file);
  if (file == code.module->files.end() || statement.source.line == 0)
    return "";
  return file->second + ":" + std::to_string(statement.source.line);
}

void LaunchCounters::finish(uint64_t blocks) {
  cache.flush([&](size_t writer) { ++insts[writer].dramWrites; });
  std::lock_guard<std::mutex> lock(mutex());
  KernelCounters &k = kernels()[code.kernel->name];
  ++k.launches;
  k.blocks += blocks;
  k.distinctBytes += distinct.size() * kSector;
  const std::vector<Statement> &statements = code.kernel->statements;
  for (size_t i = 0; i < statements.size(); ++i) {
    const InstCounters &c = insts[i];
    if (!c.executed)
      continue;
    const Statement &s = statements[i];
    const char *kind = classOf(s.opcode, s.words);
    k.instructions += c.executed;
    k.classes[kind] += c.executed;
    add(k.sum, c);
    uint64_t products = c.flops + c.executed * flops[i];
    k.tensorFlops += products;
    std::string source = sourceOf(s);
    add(k.sources[source], c);
    k.sources[source].tensorFlops += products;
    if (c.requests || c.wavefronts || c.copyWaits) {
      LineCounters &line = k.lines[s.line];
      add(line, c);
      line.text = code.module->lines[size_t(s.line - 1)];
      line.source = source;
    }
  }
}

#define SHARDIR_EXPORT extern "C" __attribute__((visibility("default")))

/// Launches are counted from now on, and none before.
SHARDIR_EXPORT void shardir_emulated_counters_start(void) {
  std::lock_guard<std::mutex> lock(mutex());
  kernels().clear();
  counting = true;
}
/// The counts, as JSON or as a table for people; the text is valid until the
/// next call on this thread. "" where no kernel of PTX has run.
SHARDIR_EXPORT const char *shardir_emulated_counters(int asTable) {
  static thread_local std::string text;
  std::lock_guard<std::mutex> lock(mutex());
  text = kernels().empty() ? "" : asTable ? table() : json();
  return text.c_str();
}
