//===- Options.h - The command line of shard-run ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Every flag of shard-run as a value. parseOptions checks everything that can
// be told without opening a file: unknown and repeated flags, missing values,
// numbers, and flags that contradict each other. What it rejects is a Failure
// with Exit::Usage and one message.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_OPTIONS_H
#define SHARDIR_RUNNER_OPTIONS_H

#include "ShardIR/Runner/ArrayFile.h"
#include "ShardIR/Runner/ArrayText.h"

namespace shardir::runner {

/// One --input, --output or --expected_output.
struct ArrayArgument {
  enum Kind {
    File,   ///< `@x.npy`
    Local,  ///< `local:@x.{rank}.npy`: one file per rank
    Text,   ///< `2x2xf32=…`
    Raw,    ///< `2x2xf32=@x.bin`: elements without a header
    Stdout, ///< `-`
  } kind = File;
  ArrayRef file;  ///< File, Local, Raw
  ArrayText text; ///< Text, Raw (its type alone)
  std::string spelling;

  /// The file of one rank; requires Local.
  ArrayRef fileOfRank(int64_t rank) const;
};

/// One entry of --mesh.
struct AxisSize {
  std::string mesh; ///< empty: every mesh
  std::string axis;
  int64_t size = 1;
};

struct Options {
  std::string program; ///< a file, or `-` for standard input
  std::optional<std::string> function;
  std::vector<ArrayArgument> inputs, outputs, expected;
  std::vector<ArrayRef> inputArchives;   ///< --inputs
  std::optional<ArrayRef> outputArchive; ///< --outputs
  /// Of one part of an indexed archive, as those of Hugging Face.
  uint64_t partBytes = 5'000'000'000;
  std::optional<double> tolerance;
  bool verify = false;
  std::string device = "threads";
  std::string mesh; ///< as written; `axes` is the same, read
  std::vector<AxisSize> axes;
  std::string pipelineOptions;
  std::vector<std::string> plugins; ///< --load-…-plugin=FILE, as written
  bool compileOnly = false, measureMachine = false, tune = false;
  std::string compiledFile; ///< -o
  std::string report, trace, html, counters;
  std::vector<std::string> show; ///< arguments and results by name
  int64_t benchmark = 0;         ///< the number of timed runs; 0: none
  int64_t repeat = 1;            ///< runs whose results must be the same bits
  uint64_t seed = 0;
  double timeout = 0;                ///< seconds; 0: the runtime's default
  std::string reductions = "engine"; ///< or "ordered"
  std::string check = "load";        ///< or "every"
  bool help = false, version = false;

  /// As messages and reports name the program.
  std::string programName() const {
    return program == "-" ? "<stdin>" : program;
  }
};

Options parseOptions(const std::vector<std::string> &arguments);

/// The text of --help.
const char *helpText();

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_OPTIONS_H
