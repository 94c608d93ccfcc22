//===- Metadata.h - What a compiled program says about itself ---*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata of a compiled program (docs/RuntimeInternals.md) as values.
// Requires JSON text from anywhere; guarantees that what parseMetadata accepts
// is consistent: every mesh, placement and size has been checked against the
// others and against overflow, so that the rest of the runtime need not check
// again.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_METADATA_H
#define SHARDIR_LIB_RUNTIME_CORE_METADATA_H

#include "Elements/ElementType.h"
#include "ShardIR/Placement/Collectives.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardir {
namespace runtime {

/// The extent that another one, known only when run, has to be equal to.
struct NeededExtent {
  int argument = -1; ///< its dim `number`; or -1: the number itself
  int64_t number = 0;
};

/// One argument or result of an entry: the whole tensor.
struct TensorSpec {
  std::vector<int64_t> shape; ///< -1 for an extent known only when run
  ElementType type = SHARDIR_F32;
  int mesh = -1; ///< index into the table of meshes; -1 for none
  Placement placement;
  std::string placementText; ///< `#shardir.placement<@m, …>`, or ""
  /// Of a result: the argument whose memory it is written into, or -1.
  int inPlace = -1;
  /// Of an argument with unknown extents: per dim, or none.
  std::vector<std::optional<NeededExtent>> extents;

  bool hasOpenExtents() const {
    return std::find(shape.begin(), shape.end(), -1) != shape.end();
  }
};

struct FunctionSpec {
  std::string name, symbol, unshardedSymbol;
  std::vector<TensorSpec> arguments, results;
  /// Whether the sequence of collectives is the same on all ranks, whatever the
  /// data: it depends on the program and on extents alone.
  bool staticCollectives = false;
};

enum class OpKind { Redistribute, Broadcast, Gather, Scatter, Send, Recv };

/// One entry of the table of collectives.
struct CollectiveSpec {
  OpKind kind = OpKind::Redistribute;
  std::string name; ///< `all_gather`, `broadcast`, …
  int mesh = 0;
  int toMesh = 0;             ///< Redistribute: of the result
  CollectiveStep step;        ///< Redistribute: from, to, kind and halo
  std::vector<AxisRef> axes;  ///< the others: who takes part
  std::vector<int64_t> shape; ///< Redistribute: -1 where unknown
  size_t unknownExtents = 0;
  ElementType type = SHARDIR_F32;
  std::string loc;

  /// `all_reduce of f32 8x32 (mlp.mlir:9:8)`
  std::string describe() const;
};

/// One image of kernels; `symbol` of the program's object holds it.
struct GpuModuleSpec {
  std::string symbol, format; ///< `cubin`, `ptx` or `host`
};
struct KernelSpec {
  int module = 0;
  std::string name, loc;
  unsigned cluster[3] = {1, 1, 1};
  int64_t maxSharedBytes = 0; ///< the most that a launch requests
  /// Bytes of each parameter; none where the compiler did not say.
  std::vector<uint32_t> parameters;
  bool hasParameters = false;
  /// `main_kernel (mlp.mlir:7:8)`
  std::string describe() const {
    return loc.empty() ? name : name + " (" + loc + ")";
  }
};
struct GpuConstantSpec {
  std::string symbol;
  int64_t bytes = 0;
  bool perRank = false; ///< programs write to it: each rank has its own
};
/// The GPU code and launch data of a program for GPUs.
struct GpuSpec {
  std::string arch; ///< `sm_90a`, `host`
  std::vector<GpuModuleSpec> modules;
  std::vector<KernelSpec> kernels;
  std::vector<GpuConstantSpec> constants;
};

struct Metadata {
  std::string json, hash;
  int64_t ranks = 1;
  std::vector<Mesh> meshes;
  std::vector<FunctionSpec> functions;
  std::vector<CollectiveSpec> collectives;
  std::optional<GpuSpec> gpu; ///< none: the program is for processors
};

/// Parses and checks; false with a one-line reason in `error`.
bool parseMetadata(const std::string &json, Metadata &metadata,
                   std::string &error);

/// Stores the number of elements of a shape in `elements`; unknown extents
/// count as 1. Returns false where their bytes reach 2^62.
bool countElements(const std::vector<int64_t> &shape, size_t elementBytes,
                   int64_t &elements);

/// `2x?x4`
std::string shapeText(const std::vector<int64_t> &shape);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_METADATA_H
