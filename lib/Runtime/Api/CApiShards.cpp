//===- CApiShards.cpp - Whole arrays and shards for embedders -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API's way between whole arrays and one shard per rank, for callers that
// run on shards of their own but have, or want, whole arrays. The same code
// that shardir_run uses does the work, on the calling thread. Requires buffers
// of the tensor's type; every wrong one is an error with a message.
//
//===----------------------------------------------------------------------===//

#include "CApiDetail.h"
#include "Core/Distribute.h"

using namespace shardir;
using namespace shardir::runtime;
using shardir::runtime::capi::refuse;

namespace {

void checkBuffer(const shardir_buffer &b, const TensorSpec &spec,
                 const std::vector<int64_t> &shape, const std::string &name,
                 bool needsData = true) {
  if (b.element_type != spec.type)
    refuse(name + " has element type " + elementTypeName(b.element_type) +
           ", expected " + elementTypeName(spec.type));
  bool same = b.rank == shape.size() && (b.rank == 0 || b.shape);
  for (size_t d = 0; same && d < b.rank; ++d)
    same = b.shape[d] >= 0 && (shape[d] < 0 || b.shape[d] == shape[d]);
  if (!same)
    refuse(name + " is " +
           (b.rank == 0 || b.shape
                ? shapeText(std::vector<int64_t>(b.shape, b.shape + b.rank))
                : "without a shape") +
           ", expected " + shapeText(shape));
  int64_t elements;
  if (!countElements(std::vector<int64_t>(b.shape, b.shape + b.rank),
                     elementSize(spec.type), elements))
    refuse(name + " is too large");
  if (needsData && elements > 0 && !b.data)
    refuse(name + " has no data");
}

/// A tensor of a function's signature, and its name in messages.
struct NamedTensor {
  const TensorSpec &spec;
  std::string name;
};

/// Argument or result i of `f`.
NamedTensor tensorOf(const FunctionSpec &f, bool isResult, size_t i) {
  const std::vector<TensorSpec> &specs = isResult ? f.results : f.arguments;
  std::string name = std::string(isResult ? "result " : "argument ") +
                     std::to_string(i) + " of @" + f.name;
  if (i >= specs.size())
    refuse("there is no " + name);
  return {specs[i], name};
}

/// The tensor's mesh, over which it can be placed with the extents `shape`;
/// null where it has none.
const Mesh *meshFor(const Metadata &m, const TensorSpec &spec,
                    const std::vector<int64_t> &shape,
                    const std::string &name) {
  if (spec.mesh < 0)
    return nullptr;
  const Mesh &mesh = m.meshes[size_t(spec.mesh)];
  if (std::optional<PlacementError> e = verifyPlacement(
          spec.placement, mesh, shape, elementTypeName(spec.type)))
    refuse(name + ": " + e->message);
  return &mesh;
}

/// Checks whole array and shards against argument or result i, and calls
/// `body` with the tensor, the whole shape and every rank's view.
template <typename Body>
shardir_status withViews(const shardir_program *program, const char *function,
                         bool isResult, size_t i, const shardir_buffer *whole,
                         const shardir_buffer *shards, bool all, Body body) {
  return capi::guarded([&] {
    const FunctionSpec &f = capi::functionOf(program, function);
    capi::notNull(whole, "whole");
    capi::notNull(shards, "shards");
    auto [spec, name] = tensorOf(f, isResult, i);
    checkBuffer(*whole, spec, spec.shape, name);
    std::vector<int64_t> shape(whole->shape, whole->shape + whole->rank);
    const Metadata &m = program->program->metadata;
    const Mesh *mesh = meshFor(m, spec, shape, name);
    std::vector<ShardView> views;
    for (int64_t rank = 0; rank < m.ranks; ++rank) {
      views.push_back(viewShard(spec, mesh, shape, rank));
      // A rank that the mesh lacks holds nothing, a scalar neither.
      if (views.back().elements > 0 && (all || shards[rank].data))
        checkBuffer(shards[rank], spec, views.back().shape,
                    name + " on rank " + std::to_string(rank));
    }
    body(spec, shape, views);
    return SHARDIR_OK;
  });
}

shardir_status collectShards(const shardir_program *program,
                             const char *function, bool isResult, size_t i,
                             const shardir_buffer *shards,
                             shardir_buffer *whole) {
  return withViews(program, function, isResult, i, whole, shards, /*all=*/true,
                   [&](const TensorSpec &spec,
                       const std::vector<int64_t> &shape,
                       const std::vector<ShardView> &views) {
                     for (const ShardView &view : views) {
                       std::vector<const void *> terms;
                       for (int rank : view.terms)
                         terms.push_back(shards[rank].data);
                       collect(spec, view, shape, terms, whole->data);
                     }
                   });
}

/// Checks rank `rank`'s shard of argument or result i, of a whole array of
/// shape `whole`, and calls `body` with the tensor, its name, the shape and the
/// view.
template <typename Body>
shardir_status withShard(const shardir_program *program, const char *function,
                         bool isResult, size_t i, const int64_t *whole,
                         int64_t rank, const shardir_buffer *shard, Body body) {
  return capi::guarded([&] {
    const FunctionSpec &f = capi::functionOf(program, function);
    capi::notNull(shard, "shard");
    auto [spec, name] = tensorOf(f, isResult, i);
    if (!spec.shape.empty())
      capi::notNull(whole, "whole");
    std::vector<int64_t> shape(whole, whole + spec.shape.size());
    shardir_buffer global = {nullptr, shape.data(), shape.size(), spec.type};
    checkBuffer(global, spec, spec.shape, name, /*needsData=*/false);
    const Metadata &m = program->program->metadata;
    if (rank < 0 || rank >= m.ranks)
      refuse("there is no rank " + std::to_string(rank) + ": the program has " +
             std::to_string(m.ranks));
    const Mesh *mesh = meshFor(m, spec, shape, name);
    ShardView view = viewShard(spec, mesh, shape, rank);
    checkBuffer(*shard, spec, view.shape,
                name + " on rank " + std::to_string(rank));
    if (view.elements > 0)
      body(spec, name, shape, view);
    return SHARDIR_OK;
  });
}

/// Calls `move` for the runs of a shard, those that follow each other on both
/// sides as one.
void moveRuns(const ShardView &view, const std::vector<int64_t> &shape,
              size_t size, void *shard, shardir_move_fn move, void *context,
              const std::string &name) {
  Piece::Run run{0, 0, 0};
  bool goesOn = true;
  auto flush = [&] {
    if (goesOn && run.length > 0)
      goesOn = move(context,
                    static_cast<char *>(shard) + size_t(run.destination) * size,
                    run.source, run.length) == 0;
    run.length = 0;
  };
  CopyPlan(view.runs, shape, view.shape)
      .forEachSpan([&](int64_t from, int64_t to, int64_t n) {
        if (run.source + run.length != from ||
            run.destination + run.length != to) {
          flush();
          run = {from, to, 0};
        }
        run.length += n;
      });
  flush();
  if (!goesOn)
    refuse("the caller has ended the move of " + name);
}

} // namespace

extern "C" {

shardir_status shardir_read_argument(const shardir_program *program,
                                     const char *function, size_t i,
                                     const int64_t *whole, int64_t rank,
                                     shardir_buffer *shard,
                                     shardir_move_fn read, void *context) {
  return withShard(
      program, function, /*isResult=*/false, i, whole, rank, shard,
      [&](const TensorSpec &spec, const std::string &name,
          const std::vector<int64_t> &shape, const ShardView &view) {
        capi::notNull(reinterpret_cast<const void *>(read), "read");
        if (view.outside || view.identity)
          distribute(spec, view, shape, nullptr, shard->data);
        else
          moveRuns(view, shape, elementSize(spec.type), shard->data, read,
                   context, name);
      });
}

shardir_status shardir_write_result(const shardir_program *program,
                                    const char *function, size_t i,
                                    const int64_t *whole, int64_t rank,
                                    const shardir_buffer *shard,
                                    shardir_move_fn write, void *context) {
  return withShard(
      program, function, /*isResult=*/true, i, whole, rank, shard,
      [&](const TensorSpec &spec, const std::string &name,
          const std::vector<int64_t> &shape, const ShardView &view) {
        capi::notNull(reinterpret_cast<const void *>(write), "write");
        if (!spec.placement.partialAxes.empty())
          refuse(name + " is partial: collect it from all ranks");
        if (view.owner)
          moveRuns(view, shape, elementSize(spec.type), shard->data, write,
                   context, name);
      });
}

shardir_status shardir_distribute_argument(const shardir_program *program,
                                           const char *function, size_t i,
                                           const shardir_buffer *whole,
                                           shardir_buffer *shards) {
  return withViews(
      program, function, /*isResult=*/false, i, whole, shards, /*all=*/false,
      [&](const TensorSpec &spec, const std::vector<int64_t> &shape,
          const std::vector<ShardView> &views) {
        for (size_t rank = 0; rank < views.size(); ++rank)
          if (shards[rank].data)
            distribute(spec, views[rank], shape, whole->data,
                       shards[rank].data);
      });
}

shardir_status shardir_collect_argument(const shardir_program *program,
                                        const char *function, size_t i,
                                        const shardir_buffer *shards,
                                        shardir_buffer *whole) {
  return collectShards(program, function, /*isResult=*/false, i, shards, whole);
}

shardir_status shardir_collect_result(const shardir_program *program,
                                      const char *function, size_t i,
                                      const shardir_buffer *shards,
                                      shardir_buffer *whole) {
  return collectShards(program, function, /*isResult=*/true, i, shards, whole);
}

} // extern "C"
