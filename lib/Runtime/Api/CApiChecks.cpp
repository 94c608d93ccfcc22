//===- CApiChecks.cpp - Whether a run's buffers are what it takes ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires as many buffers as the function has arguments and results, for each
// rank that the caller gives shards of. Guarantees that what passes can be read
// and written by the run; what does not is refused by name.
//
//===----------------------------------------------------------------------===//

#include "CApiChecks.h"
#include "CApiDetail.h"
#include "Processes/ProcessWorld.h"
#include "ShardIR/Runtime/Abi.h"

#include <algorithm>

using namespace shardir;
using namespace shardir::runtime;
using shardir::runtime::capi::nameOf;
using shardir::runtime::capi::refuse;

std::string capi::nameOf(const char *kind, size_t i, const FunctionSpec &f) {
  return std::string(kind) + " " + std::to_string(i) + " of @" + f.name;
}

void capi::checkBuffer(const shardir_buffer &b, const TensorSpec &spec,
                       const std::vector<int64_t> &shape,
                       const std::string &name, bool noData) {
  if (b.element_type != spec.type)
    refuse(name + " has element type " + elementTypeName(b.element_type) +
           ", expected " + elementTypeName(spec.type));
  if (b.rank != shape.size())
    refuse(name + " has rank " + std::to_string(b.rank) + ", expected " +
           std::to_string(shape.size()));
  if (b.rank > 0)
    capi::notNull(b.shape, (name + "'s shape").c_str());
  for (size_t d = 0; d < b.rank; ++d)
    if (b.shape[d] < 0 || (shape[d] >= 0 && b.shape[d] != shape[d]))
      refuse(name + " has extent " + std::to_string(b.shape[d]) + " in dim " +
             std::to_string(d) + ", expected " +
             (shape[d] < 0 ? "0 or more" : std::to_string(shape[d])));
  int64_t elements;
  if (!countElements({b.shape, b.shape + b.rank}, elementSize(spec.type),
                     elements))
    refuse(name + " is too large");
  if (elements > 0 && !b.data && !noData)
    refuse(name + " has no data");
}

void capi::checkCut(const Metadata &m, const TensorSpec &spec,
                    const shardir_buffer &b, const std::string &name) {
  if (spec.mesh < 0)
    return;
  if (std::optional<PlacementError> e = verifyPlacement(
          spec.placement, m.meshes[size_t(spec.mesh)],
          {b.shape, b.shape + b.rank}, elementTypeName(spec.type)))
    refuse(name + ": " + e->message);
}

namespace {

void checkAll(const RunRequest &request, const FunctionSpec &f, bool isResult) {
  const Metadata &m = request.program->metadata;
  const std::vector<TensorSpec> &specs = isResult ? f.results : f.arguments;
  const std::vector<shardir_buffer> &buffers =
      isResult ? request.results : request.arguments;
  const char *kind = isResult ? "result" : "argument";
  for (size_t k = 0; k < buffers.size(); ++k) {
    size_t i = k % specs.size();
    // A process of MPI has its own shards alone.
    auto rank = request.options.mpi ? int64_t(request.options.mpi->rank)
                                    : int64_t(k / specs.size());
    std::string name = nameOf(kind, i, f);
    std::vector<int64_t> shape = specs[i].shape;
    if (request.local) {
      name += " on rank " + std::to_string(rank);
      shape = capi::localShape(m, specs[i], shape, rank);
    }
    // Whole results are put together in process 0.
    bool noData = isResult && !request.local && request.options.mpi &&
                  request.options.mpi->rank != 0;
    capi::checkBuffer(buffers[k], specs[i], shape, name, noData);
    if (!request.local && !request.unsharded)
      capi::checkCut(m, specs[i], buffers[k], name);
  }
}

/// Kernels load vectors from shards where they are, at multiples of
/// SHARDIR_GPU_ALIGNMENT; code for processors relies on an element's alignment
/// alone.
void checkAlignment(const RunRequest &request, const FunctionSpec &f,
                    bool isResult) {
  const std::vector<shardir_buffer> &buffers =
      isResult ? request.results : request.arguments;
  size_t count = (isResult ? f.results : f.arguments).size();
  for (size_t k = 0; k < buffers.size(); ++k) {
    const shardir_buffer &b = buffers[k];
    bool empty = std::find(b.shape, b.shape + b.rank, 0) != b.shape + b.rank;
    size_t wanted = request.options.cuda && !request.hostShards
                        ? SHARDIR_GPU_ALIGNMENT
                        : elementSize(b.element_type);
    size_t excess = reinterpret_cast<uintptr_t>(b.data) % wanted;
    if (empty || excess == 0)
      continue;
    auto rank =
        request.options.mpi ? size_t(request.options.mpi->rank) : k / count;
    refuse(nameOf(isResult ? "result" : "argument", k % count, f) +
           " on rank " + std::to_string(rank) + " begins " +
           std::to_string(excess) + " bytes behind a multiple of " +
           std::to_string(wanted) + " bytes; give it memory at a multiple of " +
           std::to_string(wanted) +
           ", such as a copy in an allocation of its own");
  }
}

/// The results in place of runs on shards have the memory of their arguments.
void checkInPlace(const RunRequest &request, const FunctionSpec &f) {
  for (size_t k = 0; k < request.results.size(); ++k) {
    size_t i = k % f.results.size(), rank = k / f.results.size();
    int argument = f.results[i].inPlace;
    if (argument >= 0 &&
        request.results[k].data !=
            request.arguments[rank * f.arguments.size() + size_t(argument)]
                .data)
      refuse(nameOf("result", i, f) + " is written into argument " +
             std::to_string(argument) + ": give it the same data");
  }
}

} // namespace

void capi::checkBuffers(const RunRequest &request, const FunctionSpec &f) {
  checkAll(request, f, /*isResult=*/false);
  checkAll(request, f, /*isResult=*/true);
}

std::vector<int64_t> capi::describeBuffers(const RunRequest &request,
                                           const FunctionSpec &f) {
  std::vector<int64_t> text = {
      int64_t(request.function), int64_t(request.local),
      int64_t(request.unsharded),
      request.options.mpi ? int64_t(request.options.mpi->rank) : -1};
  auto add = [&](const std::vector<shardir_buffer> &buffers,
                 const std::vector<TensorSpec> &specs) {
    for (size_t k = 0; k < buffers.size(); ++k) {
      const shardir_buffer &b = buffers[k];
      text.insert(text.end(), {int64_t(b.element_type), int64_t(b.rank),
                               b.data != nullptr, b.shape != nullptr});
      // A wrong rank may stand for extents that are not there.
      if (b.shape && b.rank == specs[k % specs.size()].shape.size())
        text.insert(text.end(), b.shape, b.shape + b.rank);
    }
  };
  add(request.arguments, f.arguments);
  add(request.results, f.results);
  return text;
}

void capi::checkAddresses(const RunRequest &request, const FunctionSpec &f) {
  if (!request.local)
    return;
  checkInPlace(request, f);
  checkAlignment(request, f, /*isResult=*/false);
  checkAlignment(request, f, /*isResult=*/true);
}
