//===- Signature.h - What a program says about a function -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// A loaded program and the signature of the function that is run, as values.
// Requires the runtime's C interface; guarantees that the program is freed, and
// that failures of that interface become Failures with its message and status.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_SIGNATURE_H
#define SHARDIR_LIB_RUNNER_SIGNATURE_H

#include "ShardIR/Placement/Placement.h"
#include "ShardIR/Runner/Array.h"
#include "ShardIR/Runner/Options.h"

#include <nlohmann/json.hpp>

namespace shardir::runner {

/// Where an unknown extent of a result comes from: an expression over the
/// extents of the arguments, as the metadata has it, or null.
using ExtentSource = nlohmann::ordered_json;

struct Tensor {
  ElementType type = SHARDIR_F32;
  Shape shape;      ///< -1 for an extent known only when run
  std::string name; ///< in files; `arg0` and `result0` where none is given
  /// One per dim of a result; empty if the program does not say.
  std::vector<ExtentSource> extents;
  int64_t inPlace = -1; ///< the argument in whose memory a result is; -1: none

  bool isStatic() const { return countElements(shape).has_value(); }
  std::string typeString() const { return formatType(shape, type); }
};

class Program {
public:
  /// Fails with Exit::BadProgram if `path` is no program.
  explicit Program(const std::string &path);
  ~Program() { shardir_program_free(handle); }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// Finds the function; fails with Exit::Usage if there is none of that name.
  void select(const std::optional<std::string> &name);
  /// Fails unless every axis of --mesh exists and has that size.
  void checkMesh(const std::vector<AxisSize> &axes) const;
  /// The compiler's report; an empty object if there is none.
  nlohmann::ordered_json report() const;
  /// Where an argument or result is placed; no mesh where the program has none.
  std::pair<Placement, std::optional<Mesh>> placement(bool isResult,
                                                      size_t i) const;
  /// The extent that `source` gives for arguments of these shapes; nothing
  /// where it is null, no expression, or none for these shapes.
  static std::optional<int64_t> evaluate(const ExtentSource &source,
                                         const std::vector<Shape> &shapes);

  const shardir_program *get() const { return handle; }
  shardir_program *get() { return handle; }
  const char *functionName() const { return function.c_str(); }
  int64_t numRanks() const { return shardir_program_num_ranks(handle); }
  /// The shape of one rank's shard, -1 where it is known only when run.
  Shape localShape(bool isResult, size_t i, int64_t rank) const;
  /// The shape of one rank's shard of a whole array.
  Shape shardShape(bool isResult, size_t i, const Shape &whole,
                   int64_t rank) const;
  bool hasUnsharded() const;

  std::vector<Tensor> arguments, results;

private:
  nlohmann::ordered_json metadataOfFunction() const;
  shardir_program *handle = nullptr;
  nlohmann::ordered_json metadata;
  std::string function;
};

/// Throws the runtime's last error unless `status` is SHARDIR_OK.
void check(shardir_status status);

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_SIGNATURE_H
