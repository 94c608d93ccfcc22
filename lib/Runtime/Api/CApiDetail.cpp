//===- CApiDetail.cpp - Errors and handles of the C API -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last error of each thread, and lookups by name. Requires null-terminated
// names; guarantees messages that say what there is to choose from.
// A message that cannot be stored for lack of memory is replaced by a fixed
// one.
//
//===----------------------------------------------------------------------===//

#include "CApiDetail.h"

#include "Core/Distribute.h"
#include "ShardIR/Placement/NearestName.h"

namespace shardir {
namespace runtime {
namespace capi {

namespace {
struct LastError {
  std::string text;
  const char *shown = "";
};
thread_local LastError last;
} // namespace

void refuse(const std::string &message) {
  throw Failure{SHARDIR_INVALID_ARGUMENT, message};
}

void notNull(const void *pointer, const char *name) {
  if (!pointer)
    refuse(std::string(name) + " is null");
}

const char *lastError() { return last.shown; }

shardir_status report(const Failure &failure) noexcept {
  try {
    last.text = failure.message;
    last.shown = last.text.c_str();
  } catch (...) {
    last.shown = "out of memory";
  }
  return failure.status;
}

shardir_status finish(const std::string &error) {
  return error.empty() ? SHARDIR_OK : report({SHARDIR_RANK_FAILED, error});
}

size_t functionIndex(const shardir_program *program, const char *name) {
  notNull(program, "program");
  const std::vector<FunctionSpec> &functions =
      program->program->metadata.functions;
  std::string names;
  std::vector<std::string> known;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (name ? functions[i].name == name : functions.size() == 1)
      return i;
    names += (i ? ", @" : "@") + functions[i].name;
    known.push_back(functions[i].name);
  }
  if (names.empty())
    refuse("the program has no functions");
  refuse(name ? "there is no function @" + std::string(name) +
                    "; the program has " + names +
                    didYouMean(name, known, "@", "")
              : "name a function; the program has " + names);
}

const FunctionSpec &functionOf(const shardir_program *program,
                               const char *name) {
  size_t i = functionIndex(program, name);
  return program->program->metadata.functions[i];
}

std::vector<int64_t> localShape(const Metadata &metadata,
                                const TensorSpec &spec,
                                std::vector<int64_t> shape, int64_t rank) {
  // Dimensions are cut independently: put any size for those not known.
  std::vector<int64_t> sizes = shape;
  for (int64_t &s : sizes)
    s = s < 0 ? 0 : s;
  const Mesh *mesh =
      spec.mesh < 0 ? nullptr : &metadata.meshes[size_t(spec.mesh)];
  if (!mesh)
    return shape;
  ShardView view = viewShard(spec, mesh, sizes, rank);
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] >= 0)
      shape[d] = view.shape[d];
  return shape;
}

} // namespace capi
} // namespace runtime
} // namespace shardir
