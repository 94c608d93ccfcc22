//===- RunPairs.cpp - Changes of placement through the compiler -*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a module with one function per pair of placements, compiles it with
// shard-compile, and runs every function on shards through the C API. Checks
// what AllPairsTests.cpp checks of plans alone: every element on every rank,
// the bytes counted by the runtime against the plan and against set arithmetic,
// and the memory counted by the runtime against rule D2.
//
// run-pairs --compiler=shard-compile --folder=DIR --seed=N and one of
//   --mesh=2,4 --shape=5x7 [--sample=N]   all pairs of placements by undivided
//   axes
//     [--part=1/2]                        the first half of them
//   --random=N                            N modules of pairs drawn at random:
//                                         sub-axes, strided, device orders
//
// DIR keeps modules and programs. Status 1 where a pair is wrong, 2 for wrong
// usage, 3 where a module does not compile.
//
//===----------------------------------------------------------------------===//

#include "Draw.h"
#include "ShardIR/Placement/RedistributePlan.h"
#include "ShardIR/Runtime/ShardIR.h"
#include "Support.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

using namespace shardir;
using namespace shardir::test;

namespace {

struct Free {
  void operator()(void *p) const { std::free(p); }
};
/// A shard's memory, aligned as the runtime's own.
using Memory = std::unique_ptr<void, Free>;

Memory allocate(int64_t bytes) {
  size_t rounded = (static_cast<size_t>(bytes) / 64 + 1) * 64;
  Memory memory(std::aligned_alloc(64, rounded));
  std::memset(memory.get(), 0xAB, rounded);
  return memory;
}

std::vector<int64_t> parseList(const std::string &text, char separator) {
  std::vector<int64_t> list;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, separator);)
    list.push_back(std::atoll(item.c_str()));
  return list;
}

std::string tensorType(const Pair &pair) {
  std::string text = "tensor<";
  for (int64_t extent : pair.shape)
    text += std::to_string(extent) + "x";
  return text + runtime::elementTypeName(pair.type) + ">";
}

void writeModule(std::ostream &out, const Mesh &mesh,
                 const std::vector<Pair> &pairs) {
  out << "shardir.mesh @m <[";
  for (size_t a = 0; a < mesh.axes.size(); ++a)
    out << (a ? ", " : "") << '"' << mesh.axes[a].name
        << "\"=" << mesh.axes[a].size;
  out << "]";
  for (size_t i = 0; i < mesh.devices.size(); ++i)
    out << (i ? ", " : ", devices = [") << mesh.devices[i];
  out << (mesh.devices.empty() ? ">\n" : "]>\n");
  for (size_t i = 0; i < pairs.size(); ++i) {
    std::string type = tensorType(pairs[i]);
    out << "func.func @pair" << i << "(%x: " << type
        << " {shardir.placement = " << toString("m", pairs[i].src)
        << "})\n    -> (" << type
        << " {shardir.placement = " << toString("m", pairs[i].dst)
        << "}) {\n  return %x : " << type << "\n}\n";
  }
}

/// Runs one function. Returns what is wrong, or "".
std::string runPair(const shardir_program *program, const Mesh &mesh,
                    const Pair &pair, size_t number) {
  std::vector<Memory> memory;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<shardir_buffer> arguments, results;
  std::vector<const void *> shards;
  auto add = [&](std::vector<shardir_buffer> &buffers,
                 const Placement &placement, int64_t p) {
    shapes.push_back(localShape(placement, mesh, pair.shape, p));
    int64_t bytes = static_cast<int64_t>(shardir_element_size(pair.type));
    for (int64_t extent : shapes.back())
      bytes *= extent;
    memory.push_back(allocate(bytes));
    buffers.push_back(
        {memory.back().get(), nullptr, pair.shape.size(), pair.type});
  };
  int64_t devices = mesh.numDevices();
  // The runtime takes buffers by rank, the checks by position in the mesh.
  for (int64_t rank = 0; rank < devices; ++rank) {
    int64_t p = mesh.positionOf(rank);
    add(arguments, pair.src, p);
    fillSource(mesh, pair, p, arguments.back().data);
  }
  for (int64_t rank = 0; rank < devices; ++rank)
    add(results, pair.dst, mesh.positionOf(rank));
  for (int64_t p = 0; p < devices; ++p)
    shards.push_back(results[static_cast<size_t>(mesh.rankAt(p))].data);
  for (size_t p = 0; p < static_cast<size_t>(devices); ++p) {
    arguments[p].shape = shapes[p].data();
    results[p].shape = shapes[p + static_cast<size_t>(devices)].data();
  }
  std::string name = "pair" + std::to_string(number);
  shardir_run_options options = {nullptr, 20, 0, 1, nullptr, nullptr};
  if (shardir_run_local(program, name.c_str(), arguments.data(), 1,
                        results.data(), 1, &options) != SHARDIR_OK)
    return shardir_last_error();
  shardir_measurement measured;
  if (shardir_last_measurement(program, &measured) != SHARDIR_OK)
    return shardir_last_error();

  std::string wrong = checkResult(mesh, pair, shards);
  if (!wrong.empty())
    return wrong;
  for (int64_t p = 0; p < devices; ++p)
    if (!isSource(mesh, pair, p,
                  arguments[static_cast<size_t>(mesh.rankAt(p))].data))
      return "the argument was overwritten";
  auto plan = planRedistribute(pair.src, pair.dst, mesh, pair.shape);
  if (auto *error = std::get_if<PlacementError>(&plan))
    return error->message;
  int64_t planned =
      planBytes(std::get<RedistributePlan>(plan), mesh, pair.shape,
                static_cast<int64_t>(shardir_element_size(pair.type)));
  bool partial = pair.src.partial || pair.dst.partial;
  int64_t least = partial ? planned : leastBytes(mesh, pair);
  if (measured.bytes_per_device != planned || planned != least)
    return "receives " + std::to_string(measured.bytes_per_device) +
           " bytes, planned were " + std::to_string(planned) +
           ", a device lacks " + std::to_string(least);
  int64_t source = largestShard(pair.src, mesh, pair);
  int64_t destination = largestShard(pair.dst, mesh, pair);
  // Compiled programs round what they allocate up to cache lines of 64 bytes.
  auto buffers =
      static_cast<int64_t>(std::get<RedistributePlan>(plan).steps.size());
  int64_t bound =
      source + destination + std::max(source, destination) + 63 * buffers;
  if (measured.peak_bytes_per_device > bound)
    return "holds " + std::to_string(measured.peak_bytes_per_device) +
           " bytes, allowed are " + std::to_string(bound);
  return "";
}

struct Options {
  std::string compiler, folder, mesh, shape;
  uint64_t sample = 0, random = 0, seed = 1;
  uint64_t part = 1, parts = 1; ///< the part that is run, from 1 on
};

/// Compiles and runs the pairs; prints at most 10 that are wrong, and returns
/// their number. Nothing: the module does not compile.
std::optional<size_t> runModule(const Options &options, const Mesh &mesh,
                                const std::vector<Pair> &pairs) {
  // A program stays loaded: each is a file of its own.
  static size_t number = 0;
  std::string stem = options.folder + "/pairs" + std::to_string(number++);
  std::ofstream file(stem + ".mlir");
  writeModule(file, mesh, pairs);
  file.close();
  std::string command = "'" + options.compiler + "' '" + stem + ".mlir' -o '" +
                        stem + ".so' --options=cost=bytes";
  if (std::system(command.c_str()) != 0)
    return std::nullopt;
  shardir_program *program = nullptr;
  if (shardir_program_load((stem + ".so").c_str(), &program) != SHARDIR_OK) {
    std::cout << shardir_last_error() << "\n";
    return std::nullopt;
  }
  size_t failures = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    std::string wrong = runPair(program, mesh, pairs[i], i);
    if (!wrong.empty() && ++failures <= 10)
      std::cout << stem << ".mlir @pair" << i << ": "
                << describe(mesh, pairs[i]) << ": " << wrong << "\n";
  }
  shardir_program_free(program);
  std::remove((stem + ".so").c_str());
  if (failures == 0)
    std::remove((stem + ".mlir").c_str());
  return failures;
}

/// Pairs of all placements by undivided axes, in modules of some size.
int runAll(const Options &options) {
  Mesh mesh = makeMesh(parseList(options.mesh, ','));
  Shape shape = parseList(options.shape, 'x');
  std::vector<Placement> placements =
      allPlacements(mesh, shape.size(), replicatedAxes(mesh), PartialKind::Sum);
  size_t total = placements.size() * placements.size();
  std::vector<Pair> pairs = drawPairs(
      placements, shape, options.sample ? options.sample : total, options.seed);
  // Pairs next to one another are alike, and cost alike.
  std::vector<Pair> mine;
  for (size_t i = options.part - 1; i < pairs.size(); i += options.parts)
    mine.push_back(pairs[i]);
  constexpr size_t kFunctions = 1000;
  size_t failures = 0;
  for (size_t begin = 0; begin < mine.size(); begin += kFunctions) {
    size_t end = std::min(begin + kFunctions, mine.size());
    std::optional<size_t> wrong =
        runModule(options, mesh,
                  {mine.begin() + static_cast<ptrdiff_t>(begin),
                   mine.begin() + static_cast<ptrdiff_t>(end)});
    if (!wrong)
      return 3;
    failures += *wrong;
  }
  std::cout << mine.size() << " of " << total << " pairs of " << options.shape
            << " on " << options.mesh << ", seed " << options.seed << ": "
            << failures << " wrong\n";
  return failures != 0;
}

/// Modules of pairs drawn at random, each on a mesh of its own.
int runRandom(const Options &options) {
  constexpr size_t kFunctions = 50;
  size_t failures = 0;
  for (uint64_t i = 0; i < options.random; ++i) {
    std::mt19937_64 random(options.seed + i);
    Mesh mesh = randomMesh(random);
    // A program names each of its ranks.
    if (mesh.numRanks() > mesh.numDevices())
      mesh.devices.clear();
    std::vector<Pair> pairs;
    while (pairs.size() < kFunctions)
      pairs.push_back(randomPair(mesh, random));
    std::optional<size_t> wrong = runModule(options, mesh, pairs);
    if (!wrong)
      return 3;
    failures += *wrong;
  }
  std::cout << options.random << " modules of " << kFunctions
            << " pairs, seeds from " << options.seed << ": " << failures
            << " wrong\n";
  return failures != 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i], value;
    if (size_t equal = flag.find('='); equal != std::string::npos) {
      value = flag.substr(equal + 1);
      flag.resize(equal);
    }
    uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (flag == "--compiler")
      options.compiler = value;
    else if (flag == "--folder")
      options.folder = value;
    else if (flag == "--mesh")
      options.mesh = value;
    else if (flag == "--shape")
      options.shape = value;
    else if (flag == "--sample")
      options.sample = number;
    else if (flag == "--part") {
      size_t slash = value.find('/');
      options.part = number;
      options.parts =
          slash == std::string::npos
              ? 0
              : std::strtoull(value.c_str() + slash + 1, nullptr, 10);
      if (options.part < 1 || options.part > options.parts) {
        std::cerr << "error: '" << value << "' is no part such as 1/2\n";
        return 2;
      }
    } else if (flag == "--random")
      options.random = number;
    else if (flag == "--seed")
      options.seed = number;
    else {
      std::cerr << "error: unknown flag '" << argv[i] << "'\n";
      return 2;
    }
  }
  if (options.compiler.empty() || options.folder.empty() ||
      options.mesh.empty() == (options.random == 0)) {
    std::cerr << "error: --compiler, --folder, and --mesh or --random are "
                 "needed\n";
    return 2;
  }
  return options.random ? runRandom(options) : runAll(options);
}
