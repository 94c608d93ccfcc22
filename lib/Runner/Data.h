//===- Data.h - Arguments and results of one run ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Private to the runner's library. Holds the arrays that a run reads and
// writes, as whole arrays or as one shard per rank, and calls the runtime with
// them. Requires a program whose function is selected; guarantees that arrays
// fit the signature before anything runs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_DATA_H
#define SHARDIR_LIB_RUNNER_DATA_H

#include "Processes.h"
#include "Signature.h"
#include "Slices.h"

#include "ShardIR/Runner/Random.h"

#include <memory>

namespace shardir::runner {

/// Shards by rank. Those that this process does not need are empty.
using Shards = std::vector<Array>;

class RunData {
public:
  RunData(const Program &program, const Options &options,
          const Processes &processes)
      : program(program), options(options), processes(processes) {}

  /// Reads or makes the arguments. Says on standard error which are random.
  void loadArguments();
  /// Makes other values for the arguments that are random.
  void makeRandom(Spread spread);
  /// Whether any argument is random.
  bool hasRandom() const;
  /// Reads the expected outputs.
  void loadExpected();
  /// Finds the results' shapes and takes memory for them.
  void prepareResults();

  /// Copies the arguments to the ranks, where later runs leave them. Nothing on
  /// GPUs.
  void keepOnRanks();
  /// Runs once. Results are in `results` unless `collect` is false, and per
  /// rank if outputs are local.
  void run(bool collect = true);
  /// Runs the unsharded program on the same arguments.
  std::vector<Array> runUnsharded();

  /// Writes the results to where --output says, but for those in files below.
  void writeResults();
  // Files that several processes write, in steps: no process takes one before
  // all have taken the last one. Process 0 alone creates and publishes.
  bool hasFiles() const { return files != nullptr; }
  void createFiles() { files->create(); }
  void fillFiles();
  void publishFiles() { files->publish(); }
  /// Prints result `i` on standard output; `limit` as in printArray.
  void printResult(size_t i, size_t limit) const;

  std::vector<Array> results;  ///< whole; shapes alone but in process 0
  std::vector<Array> expected; ///< may be fewer than results
  std::vector<Shape> shapes;   ///< of the global arguments

private:
  /// Finds where each argument comes from, in `sources`.
  void findSources();
  /// Whether processes can read and write nothing but their own shards.
  bool canSlice() const;
  /// The shape that the file of an argument may have, of which some may be -1.
  const Shape &wantedShape(size_t i, const ArrayArgument &input) const;
  /// Reads this process' shard alone; false where the file is stored otherwise.
  bool loadOwnShard(size_t i, const ArrayArgument &input);
  void prepareFiles();
  Array &resultShard(size_t i, int64_t rank);
  Array loadWhole(size_t i, const ArrayArgument &input) const;
  Shards loadShards(size_t i, const ArrayArgument &input) const;
  /// The shape of whole argument `i`, of whose shards some may be here alone.
  Shape globalShape(size_t i);
  std::vector<shardir_buffer> viewsByRank(std::vector<Shards> &shards) const;
  void prepareResultShards();
  void distributeArguments();
  void collectResults();
  /// The arguments as whole arrays, collected from shards if need be.
  std::vector<Array> &globalArguments();

  const Program &program;
  const Options &options;
  const Processes &processes;
  std::vector<ArrayArgument> named;           ///< arguments that --inputs has
  std::vector<const ArrayArgument *> sources; ///< by argument; null: random
  bool local = false;           ///< run on shards that the caller holds
  std::vector<Array> arguments; ///< whole; empty ones if given as shards
  std::vector<Shards> argumentShards, resultShards; ///< by argument, by result
  bool argumentsAreGlobal = true;
  bool sliced = false; ///< whole arrays are in files alone
  std::unique_ptr<SlicedFiles> files;
};

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_DATA_H
