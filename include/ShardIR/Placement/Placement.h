//===- Placement.h - Meshes and placements as plain values ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meshes and placements as plain values, without IR or LLVM: the compiler and
// the runtime share this library, so that both derive the same shard from the
// same placement.
//
// The rules P1 to P8 are those of docs/Semantics.md.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_PLACEMENT_H
#define SHARDIR_PLACEMENT_PLACEMENT_H

#include "ShardIR/Placement/MachineModel.h"
#include "ShardIR/Placement/PartialKind.h"
#include "ShardIR/Placement/PlacementFwd.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace shardir {

/// The extent of a tensor dimension or the size of a mesh axis that is not
/// known yet.
inline constexpr int64_t kUnknown = INT64_MIN;

/// The extent that decisions assume for an unknown tensor dimension (P6).
inline constexpr int64_t kAssumedDimSize = 1024;

//===----------------------------------------------------------------------===//
// Mesh
//===----------------------------------------------------------------------===//

/// One named dimension of a mesh.
struct MeshAxis {
  std::string name;
  int64_t size = 1;    ///< number of positions, or kUnknown
  int64_t assumed = 8; ///< the size decisions assume while `size` is unknown
  std::optional<Link> link = std::nullopt;

  /// The size to use in decisions.
  int64_t assumedSize() const { return size == kUnknown ? assumed : size; }
  bool operator==(const MeshAxis &o) const {
    return name == o.name && size == o.size && assumed == o.assumed &&
           link == o.link;
  }
};

/// A grid of devices with named axes, major axis first. Position p of the grid
/// (row-major over the axes) is rank `devices[p]`, or rank p if `devices` is
/// empty (P7).
struct Mesh {
  std::string name;
  std::vector<MeshAxis> axes;
  std::vector<int64_t> devices;

  /// The index of the axis called `name`, or -1.
  int axisIndex(const std::string &axis) const;
  /// True if every axis has a known size.
  bool isConcrete() const;
  /// The number of positions. Unknown sizes count as assumed.
  int64_t numDevices() const;
  /// One more than the largest rank that this mesh names.
  int64_t numRanks() const;
  /// The rank at a position.
  int64_t rankAt(int64_t position) const;
  /// The position of a rank, or -1 where this mesh does not name it.
  int64_t positionOf(int64_t rank) const;
  /// The ranks that this mesh names.
  std::set<int64_t> ranks() const;
  /// Coordinates of a position along each axis, major first.
  std::vector<int64_t> coordinates(int64_t position) const;
  bool operator==(const Mesh &o) const {
    return name == o.name && axes == o.axes && devices == o.devices;
  }
};

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

/// A mesh axis or a factor of one, spelled `"tp"` or `"tp":(pre)size` as in
/// Shardy: the axis seen as [pre, size, rest], and this is the middle part.
struct AxisRef {
  std::string name;
  int64_t preSize = 1;
  int64_t size = 0; ///< 0: the whole axis

  bool isWhole() const { return size == 0; }
  bool operator==(const AxisRef &o) const {
    return name == o.name && preSize == o.preSize && size == o.size;
  }
  bool operator!=(const AxisRef &o) const { return !(*this == o); }
  bool operator<(const AxisRef &o) const {
    return std::tie(name, preSize, size) < std::tie(o.name, o.preSize, o.size);
  }
};

/// One split of a dimension: by a mesh axis, or an integer factor that stays
/// on the device (P4).
struct Split {
  std::optional<AxisRef> axis;
  int64_t factor = 1; ///< meaningful if `axis` is not set

  static Split byAxis(AxisRef a) { return Split{std::move(a), 1}; }
  static Split byAxis(std::string name) {
    return Split{AxisRef{std::move(name), 1, 0}, 1};
  }
  static Split byFactor(int64_t f) { return Split{std::nullopt, f}; }
  bool isAxis() const { return axis.has_value(); }
  bool operator==(const Split &o) const {
    return axis == o.axis && (isAxis() || factor == o.factor);
  }
  bool operator!=(const Split &o) const { return !(*this == o); }
};

/// The splits of one dimension, major to minor, and whether propagation may
/// add to them.
struct DimPlacement {
  std::vector<Split> splits;
  bool open = false;
  std::optional<int64_t> priority; ///< `p0` is decided first

  bool operator==(const DimPlacement &o) const {
    return splits == o.splits && open == o.open && priority == o.priority;
  }
};

/// The spelling in the IR: `sum`, `maxnum`, …
const char *stringifyPartialKind(PartialKind kind);
std::optional<PartialKind> parsePartialKind(const std::string &text);
/// All spellings, for messages: `sum, prod, …`.
std::string listPartialKinds();

/// DTensor-style sugar: what one mesh axis does to the tensor.
struct MeshAxisPlacement {
  enum Kind { Replicate, Shard, Partial } kind = Replicate;
  int64_t dim = 0;                        ///< Shard: may be negative
  PartialKind partial = PartialKind::Sum; ///< Partial
  bool operator==(const MeshAxisPlacement &o) const {
    return kind == o.kind && (kind != Shard || dim == o.dim) &&
           (kind != Partial || partial == o.partial);
  }
};

/// How one tensor is distributed over a mesh, whose name is stored elsewhere.
struct Placement {
  std::vector<DimPlacement> dims;  ///< one per tensor dimension
  std::vector<AxisRef> replicated; ///< axes propagation may not use here
  std::optional<PartialKind> partial;
  std::vector<AxisRef> partialAxes; ///< not empty exactly if `partial` is set
  /// `placements = [shard(0), …]`; if set, everything above is empty.
  std::optional<std::vector<MeshAxisPlacement>> sugar;

  /// The replicated placement of a tensor of rank `rank`.
  static Placement replicatedOfRank(size_t rank) {
    Placement p;
    p.dims.resize(rank);
    return p;
  }
  /// True if every device holds the whole tensor (no axis split, no partial).
  bool isReplicated() const;
  /// The axes that split dimension `dim`, major first.
  std::vector<AxisRef> axesOf(size_t dim) const;
  /// True if this is partial and `wanted` is not, with equal dims: one
  /// all-reduce leads there.
  bool isPartialOf(const Placement &wanted) const;
  /// Splits and partial alone: closed, no priorities, no `replicated`.
  Placement closed() const;
  bool operator==(const Placement &o) const {
    return dims == o.dims && replicated == o.replicated &&
           partial == o.partial && partialAxes == o.partialAxes &&
           sugar == o.sugar;
  }
  bool operator!=(const Placement &o) const { return !(*this == o); }
};

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `"tp"` or `"tp":(1)2`.
std::string toString(const AxisRef &axis);
/// `tp` or `tp:(1)2`, as reports spell it.
std::string toReportString(const AxisRef &axis);
/// The text between the mesh and the closing bracket of the attribute:
/// `[{"dp"}, {4, "tp", ?}p1], replicated = ["x"], partial = sum ["pp"]`.
std::string toString(const Placement &placement);
/// `#shardir.placement<@m, […]>`.
std::string toString(const std::string &mesh, const Placement &placement);
/// Parses what `toString(placement)` prints, sugar included. On failure
/// returns nothing and says why in `error`.
std::optional<Placement> parsePlacement(const std::string &text,
                                        std::string &error);

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// A failed check: one line in the field's terms, lower case, no full stop, and
/// the way out where there is one.
struct PlacementError {
  std::string message;
  std::string hint; ///< may be empty
};

/// Checks P1, P4, P5 and that axes and sub-axes exist in `mesh`. `shape` has
/// one entry per dim. One that is kUnknown is assumed to be a multiple of its
/// exactFactor; the compiled program checks that. Unknown axis sizes count as
/// assumed.
std::optional<PlacementError>
verifyPlacement(const Placement &placement, const Mesh &mesh,
                const std::vector<int64_t> &shape,
                const std::string &elementType = "");

/// The number that must divide the extent of a dim with this placement: the
/// product of its integers and of all runs of axes but the last (P4).
int64_t exactFactor(const DimPlacement &dim, const Mesh &mesh);

/// Checks that every axis and sub-axis exists in `mesh` and that no two overlap
/// (P1). `where` names the list in messages: `the group`.
std::optional<PlacementError> verifyAxes(const std::vector<AxisRef> &axes,
                                         const Mesh &mesh,
                                         const std::string &where);

/// Rewrites sugar into dims for a tensor of rank `rank`.
std::optional<PlacementError> lowerDTensorSyntax(Placement &placement,
                                                 const Mesh &mesh, size_t rank);

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

/// The size of an axis or sub-axis on `mesh` (assumed where unknown).
int64_t axisSize(const Mesh &mesh, const AxisRef &axis);
/// The coordinate along an axis or sub-axis of the device at `coords`.
int64_t axisCoordinate(const Mesh &mesh, const AxisRef &axis,
                       const std::vector<int64_t> &coords);
/// The number of devices of a group along `axes` (saturated).
int64_t groupSize(const Mesh &mesh, const std::vector<AxisRef> &axes);
/// The position of the device at `coords` in its group along `axes`, major
/// first.
int64_t groupCoordinate(const Mesh &mesh, const std::vector<AxisRef> &axes,
                        const std::vector<int64_t> &coords);

/// One digit of a dimension that is seen as a mixed-radix number, major digit
/// first (P3, P4). The extent of the dimension is the product of `extent`s.
/// A device holds all values of a digit, a block of them, or one.
struct Digit {
  int64_t extent = 1; ///< number of values in the global tensor
  int64_t offset = 0; ///< first value that this device holds
  int64_t length = 1; ///< number of values it holds; 0 for an empty shard
  bool operator==(const Digit &o) const {
    return extent == o.extent && offset == o.offset && length == o.length;
  }
};

/// The part of one dimension that one device holds: the local index runs over
/// the digits' lengths, row-major.
struct DimShard {
  std::vector<Digit> digits; ///< never empty
  int64_t localExtent() const;
  int64_t globalExtent() const;
  /// The global index of a local index.
  int64_t toGlobal(int64_t local) const;
  /// The local index of a global index, or -1 where this device lacks it.
  int64_t toLocal(int64_t global) const;
};

/// The shard of the device at mesh position `position` of a tensor of shape
/// `shape`, dim by dim. Requires a concrete mesh and shape, and a placement
/// that verifies and has no sugar. Adjacent axes cut one digit, one after the
/// other; the digits are those of symbolicDigits.
std::vector<DimShard> shardOf(const Placement &placement, const Mesh &mesh,
                              const std::vector<int64_t> &shape,
                              int64_t position);

/// The shape of the shard at `position`.
std::vector<int64_t> localShape(const Placement &placement, const Mesh &mesh,
                                const std::vector<int64_t> &shape,
                                int64_t position);

/// The number of elements of the shard at each of `positions`. Requires a
/// concrete mesh and shape.
std::vector<int64_t> localElements(const Placement &placement, const Mesh &mesh,
                                   const std::vector<int64_t> &shape,
                                   const std::vector<int64_t> &positions);

/// The largest local extent of dimension `dim` over all devices.
int64_t maxLocalExtent(const Placement &placement, const Mesh &mesh,
                       int64_t dimSize, size_t dim);

/// The extent of dimension `dim` on every device. Nothing if devices differ, or
/// if the size of the dim or of an axis that splits it is unknown.
std::optional<int64_t> uniformLocalExtent(const Placement &placement,
                                          const Mesh &mesh, int64_t dimSize,
                                          size_t dim);

/// A digit of a dimension for code that runs on every device: offset and length
/// depend on the device's coordinates.
struct SymbolicDigit {
  int64_t extent = 1; ///< kUnknown for a dimension of unknown size
  /// The axes that cut this digit, major first; none if every device holds all
  /// of it. Cut into single positions, its extent is the axes' product.
  std::vector<AxisRef> axes;
};
/// The digits of dimension `dim` for a tensor extent of `dimSize` (may be
/// kUnknown if the dim is split by axes alone).
std::vector<SymbolicDigit> symbolicDigits(const Placement &placement,
                                          const Mesh &mesh, int64_t dimSize,
                                          size_t dim);

//===----------------------------------------------------------------------===//
// Normal form (P8)
//===----------------------------------------------------------------------===//

/// The normal form for a tensor of shape `shape` (kUnknown entries: only what
/// holds for every size is rewritten). Drops openness, priorities and
/// `replicated`; axes of size 1 and integers of 1 go first; adjacent integers
/// multiply; adjacent sub-axes merge where both spellings cut the same blocks;
/// a trailing integer becomes the smallest that cuts the same blocks, 1 being
/// none; partial axes are sorted by mesh order and merged.
Placement normalForm(const Placement &placement, const Mesh &mesh,
                     const std::vector<int64_t> &shape);

/// True if two placements have the same normal form.
bool equivalent(const Placement &a, const Placement &b, const Mesh &mesh,
                const std::vector<int64_t> &shape);

/// The parts of axes of which each axis or sub-axis of `a` and `b` is a run:
/// the common refinement, in mesh order, major part first. An axis whose
/// sub-axes have none (2 and 3 of 6), or whose size is unknown, is one part.
std::vector<AxisRef> commonRefinement(const Placement &a, const Placement &b,
                                      const Mesh &mesh);

/// `axis` as a run of `parts`, which commonRefinement has returned; `axis`
/// alone if it is no such run.
std::vector<AxisRef> refine(const AxisRef &axis, const Mesh &mesh,
                            const std::vector<AxisRef> &parts);

/// True if two axes or sub-axes share a factor.
bool overlap(const AxisRef &a, const AxisRef &b, const Mesh &mesh);

} // namespace shardir

namespace std {
template <> struct hash<shardir::Placement> {
  size_t operator()(const shardir::Placement &p) const {
    return shardir::hashValue(p);
  }
};
} // namespace std

#endif // SHARDIR_PLACEMENT_PLACEMENT_H
