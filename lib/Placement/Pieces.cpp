//===- Pieces.cpp - Which device holds what another needs -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires two placements that verify against mesh and shape; sizes that are
// not known count as assumed.
// Guarantees that every element of the receiver's new shard comes in exactly
// one piece, or in one per term where terms are added up, and that runs are
// maximal. Costs are in the number of blocks that meet, not in elements: the
// dimensions are intersected apart, so there are as many intersections as
// coordinates along the axes of one dimension.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/CrossMesh.h"
#include "Steps.h"

using namespace shardir;
using namespace shardir::detail;

//===----------------------------------------------------------------------===//
// Intersection of two shards of one dimension
//===----------------------------------------------------------------------===//

namespace {

/// The maximal intervals of global indices that a shard holds, by number.
class Intervals {
public:
  explicit Intervals(const DimShard &shard) {
    size_t last = shard.digits.size();
    // Minor digits that are whole belong to the block of the digit before.
    while (last > 0 &&
           shard.digits[last - 1].length == shard.digits[last - 1].extent) {
      inner = mulSaturated(inner, shard.digits[last - 1].extent);
      --last;
    }
    if (last > 0) {
      const Digit &cut = shard.digits[last - 1];
      blockLength = mulSaturated(cut.length, inner);
      blockOffset = mulSaturated(cut.offset, inner);
      blockStride = mulSaturated(cut.extent, inner);
      leading.assign(shard.digits.begin(), shard.digits.begin() + last - 1);
    } else {
      blockLength = blockStride = inner;
    }
    for (const Digit &digit : leading)
      number = mulSaturated(number, digit.length);
    if (shard.localExtent() == 0)
      number = 0;
  }

  int64_t count() const { return number; }
  int64_t length() const { return blockLength; }
  int64_t localStart(int64_t i) const { return i * blockLength; }
  int64_t globalStart(int64_t i) const {
    int64_t global = blockOffset, stride = blockStride;
    for (size_t d = leading.size(); d-- > 0;) {
      global += (leading[d].offset + i % leading[d].length) * stride;
      i /= leading[d].length;
      stride *= leading[d].extent;
    }
    return global;
  }
  /// The first interval that ends after `global`.
  int64_t firstEndingAfter(int64_t global) const {
    int64_t low = 0, high = number;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (globalStart(middle) + blockLength > global)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

private:
  std::vector<Digit> leading;
  int64_t inner = 1, number = 1;
  int64_t blockLength = 1, blockOffset = 0, blockStride = 1;
};

/// Calls `visit(localA, localB, length)` for each overlap of two intervals.
template <typename Visit>
void forEachOverlap(const DimShard &shardA, const DimShard &shardB,
                    Visit visit) {
  Intervals a(shardA), b(shardB);
  if (a.count() == 0 || b.count() == 0)
    return;
  int64_t i = a.firstEndingAfter(b.globalStart(0));
  if (i == a.count())
    return;
  int64_t j = b.firstEndingAfter(a.globalStart(i));
  while (i < a.count() && j < b.count()) {
    int64_t startA = a.globalStart(i), startB = b.globalStart(j);
    int64_t begin = std::max(startA, startB);
    int64_t endA = startA + a.length(), endB = startB + b.length();
    int64_t end = std::min(endA, endB);
    if (begin < end)
      visit(a.localStart(i) + begin - startA, b.localStart(j) + begin - startB,
            end - begin);
    if (endA <= endB)
      ++i;
    if (endB <= endA)
      ++j;
  }
}

} // namespace

std::vector<Piece::Run> detail::intersect(const DimShard &source,
                                          const DimShard &destination) {
  std::vector<Piece::Run> runs;
  forEachOverlap(source, destination,
                 [&](int64_t from, int64_t to, int64_t length) {
                   if (!runs.empty()) {
                     Piece::Run &last = runs.back();
                     if (last.source + last.length == from &&
                         last.destination + last.length == to) {
                       last.length += length;
                       return;
                     }
                   }
                   runs.push_back(Piece::Run{from, to, length});
                 });
  return runs;
}

int64_t detail::intersectionSize(const DimShard &a, const DimShard &b) {
  int64_t size = 0;
  forEachOverlap(a, b,
                 [&](int64_t, int64_t, int64_t length) { size += length; });
  return size;
}

int64_t Piece::elements() const {
  int64_t count = 1;
  for (const std::vector<Run> &dim : runs) {
    int64_t extent = 0;
    for (const Run &run : dim)
      extent += run.length;
    count = extent == 0 ? 0 : mulSaturated(count, extent);
  }
  return count;
}

//===----------------------------------------------------------------------===//
// The parts of the axes that a step tells apart
//===----------------------------------------------------------------------===//

bool detail::isFactorOf(const AxisRef &inner, const AxisRef &outer,
                        const Mesh &mesh) {
  if (inner.name != outer.name)
    return false;
  int64_t innerPre = inner.isWhole() ? 1 : inner.preSize;
  int64_t outerPre = outer.isWhole() ? 1 : outer.preSize;
  return innerPre % outerPre == 0 &&
         axisEnd(mesh, outer) % axisEnd(mesh, inner) == 0;
}

/// The parts of axis `name`: those of both placements together, or of `from`
/// alone where the two have no common refinement.
static std::vector<AxisRef> partsOfAxis(const std::string &name,
                                        const Placement &from,
                                        const Placement &to, const Mesh &mesh) {
  auto select = [&](const std::vector<AxisRef> &parts) {
    std::vector<AxisRef> selected;
    for (const AxisRef &part : parts)
      if (part.name == name)
        selected.push_back(part);
    return selected;
  };
  std::vector<AxisRef> joint = select(commonRefinement(from, to, mesh));
  auto isRun = [&](const AxisRef &axis) {
    if (axis.name != name)
      return true;
    for (const AxisRef &part : refine(axis, mesh, joint))
      if (std::find(joint.begin(), joint.end(), part) == joint.end() &&
          axisSize(mesh, axis) != axisSize(mesh, {name, 1, 0}))
        return false;
    return true;
  };
  bool fits = true;
  for (const Placement *placement : {&from, &to}) {
    for (size_t d = 0; d < placement->dims.size(); ++d)
      for (const AxisRef &axis : placement->axesOf(d))
        fits &= isRun(axis);
    for (const AxisRef &axis : placement->partialAxes)
      fits &= isRun(axis);
  }
  return fits ? joint : select(commonRefinement(from, from, mesh));
}

StepParts::StepParts(const CollectiveStep &step, const Mesh &mesh) {
  // Of `to` only the partial matters here: its dims say what is needed, not
  // who holds it.
  Placement toPartial;
  toPartial.partialAxes = step.to.partialAxes;
  bool sameKind = step.from.partial == step.to.partial;

  for (size_t m = 0; m < mesh.axes.size(); ++m)
    for (const AxisRef &axis :
         partsOfAxis(mesh.axes[m].name, step.from, toPartial, mesh)) {
      Part part;
      part.axis = axis;
      part.meshAxis = static_cast<int>(m);
      part.size = axisSize(mesh, axis);
      part.stride = axisSize(mesh, {axis.name, 1, 0}) / axisEnd(mesh, axis);
      for (size_t d = 0; d < step.from.dims.size(); ++d)
        for (const AxisRef &split : step.from.axesOf(d))
          if (isFactorOf(axis, split, mesh) && part.size > 1) {
            part.role = Splits;
            part.dim = d;
          }
      bool inFrom = false, inTo = false;
      for (const AxisRef &partial : step.from.partialAxes)
        inFrom |= isFactorOf(axis, partial, mesh);
      for (const AxisRef &partial : step.to.partialAxes)
        inTo |= isFactorOf(axis, partial, mesh);
      if (part.role != Splits && inFrom)
        part.role = sameKind && inTo ? Kept : Reduced;
      part.turnsPartial = inTo && part.role == Splits;
      bool keepsShard =
          step.kind == CollectiveKind::MakePartial && part.turnsPartial;
      if (inTo && part.role != Kept && !keepsShard)
        made.push_back(axis);
      parts.push_back(part);
    }

  // A sub-axis that is no run of parts becomes partial as one axis.
  for (const AxisRef &partial : step.to.partialAxes) {
    int64_t covered = 1;
    for (const Part &part : parts)
      if (isFactorOf(part.axis, partial, mesh))
        covered = mulSaturated(covered, part.size);
    if (covered != axisSize(mesh, partial))
      made.push_back(partial);
  }
}

int64_t StepParts::terms() const {
  int64_t count = 1;
  for (const Part &part : parts)
    if (part.role == Reduced)
      count = mulSaturated(count, part.size);
  return count;
}

bool StepParts::receives(const Mesh &mesh,
                         const std::vector<int64_t> &coords) const {
  for (const AxisRef &axis : made)
    if (axisCoordinate(mesh, axis, coords) != 0)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static int64_t positionAt(const Mesh &mesh,
                          const std::vector<int64_t> &coords) {
  int64_t position = 0;
  for (size_t i = 0; i < mesh.axes.size(); ++i)
    position =
        position * std::max<int64_t>(1, mesh.axes[i].assumedSize()) + coords[i];
  return position;
}

/// Calls `visit` with `coords` set to every combination of coordinates along
/// `parts`, the last part varying fastest, and restores it.
template <typename Visit>
static void forEachCoordinate(const std::vector<StepParts::Part> &parts,
                              std::vector<int64_t> &coords, Visit visit) {
  std::vector<int64_t> saved = coords;
  for (const StepParts::Part &part : parts) {
    int64_t &c = coords[part.meshAxis];
    c -= c / part.stride % part.size * part.stride;
  }
  while (true) {
    visit();
    size_t i = parts.size();
    for (; i > 0; --i) {
      const StepParts::Part &part = parts[i - 1];
      int64_t &c = coords[part.meshAxis];
      if (c / part.stride % part.size + 1 < part.size) {
        c += part.stride;
        break;
      }
      c -= (part.size - 1) * part.stride;
    }
    if (i == 0)
      break;
  }
  coords = saved;
}

namespace {
/// Part of the receiver's shard along one dimension, and where it is held.
struct Source {
  int64_t offset = 0; ///< of the holder's position from the receiver's
  std::vector<Piece::Run> runs;
};
} // namespace

static const DimPlacement &dimOf(const Placement &placement, size_t d) {
  static const DimPlacement whole;
  return d < placement.dims.size() ? placement.dims[d] : whole;
}

std::vector<Piece> shardir::receivePieces(const CollectiveStep &step,
                                          const Mesh &mesh,
                                          const std::vector<int64_t> &shape,
                                          int64_t receiver) {
  if (!mesh.isConcrete())
    return receivePieces(step, assumedMesh(mesh), shape, receiver);
  if (!step.halo.empty())
    return receivePieces(step, mesh, mesh, shape, receiver);
  std::vector<Piece> pieces;
  forEachReceivedPiece(step, mesh, shape, receiver,
                       [&](const Piece &piece) { pieces.push_back(piece); });
  return pieces;
}

void shardir::forEachReceivedPiece(
    const CollectiveStep &step, const Mesh &mesh,
    const std::vector<int64_t> &shape, int64_t receiver,
    const std::function<void(const Piece &)> &visit) {
  std::vector<int64_t> sizes =
      assumedShape(shape, mesh, {&step.from, &step.to});
  std::vector<int64_t> own = mesh.coordinates(receiver);
  StepParts step_(step, mesh);
  if (!step_.receives(mesh, own))
    return;

  std::vector<std::vector<StepParts::Part>> splitting(sizes.size());
  std::vector<StepParts::Part> reduced;
  for (const StepParts::Part &part : step_.parts) {
    // A make_partial takes what the device has itself.
    if (part.role == StepParts::Splits && part.dim < sizes.size() &&
        step.kind != CollectiveKind::MakePartial)
      splitting[part.dim].push_back(part);
    if (part.role == StepParts::Reduced)
      reduced.push_back(part);
  }

  // A holder is fixed along the axes that split `from`. Along all others the
  // receiver's own coordinates are the nearest choice, and a balanced one: the
  // receivers that share a holder differ only along axes that split. Each axis
  // splits one dimension, so the offsets of the dimensions' holders add up.
  const int64_t base = positionAt(mesh, own);
  std::vector<std::vector<Source>> sources(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    DimShard needed = dimShardOf(dimOf(step.to, d), mesh, sizes[d], own);
    std::vector<int64_t> coords = own;
    std::vector<SymbolicDigit> digits =
        digitsOf(dimOf(step.from, d), mesh, sizes[d]);
    // Of equal blocks the own one alone meets what is needed.
    bool isSame = dimOf(step.from, d).splits == dimOf(step.to, d).splits;
    forEachCoordinate(
        isSame ? std::vector<StepParts::Part>() : splitting[d], coords, [&] {
          DimShard held = dimShardOf(digits, mesh, coords);
          std::vector<Piece::Run> runs = intersect(held, needed);
          if (!runs.empty())
            sources[d].push_back(
                Source{positionAt(mesh, coords) - base, std::move(runs)});
        });
    if (sources[d].empty())
      return;
  }
  std::vector<int64_t> terms; // offsets of their holders
  forEachCoordinate(reduced, own,
                    [&] { terms.push_back(positionAt(mesh, own) - base); });

  std::vector<size_t> choice(sizes.size(), 0);
  Piece piece;
  piece.runs.resize(sizes.size());
  do {
    int64_t source = base;
    for (size_t d = 0; d < sizes.size(); ++d) {
      source += sources[d][choice[d]].offset;
      piece.runs[d] = sources[d][choice[d]].runs;
    }
    for (int64_t term : terms) {
      piece.source = source + term;
      visit(piece);
    }
  } while (nextChoice(choice, sources));
}

void shardir::forEachSentPiece(
    const CollectiveStep &step, const Mesh &mesh,
    const std::vector<int64_t> &shape, int64_t sender,
    const std::vector<int64_t> &receivers,
    const std::function<void(size_t, const Piece &)> &visit) {
  StepParts parts(step, mesh);
  std::vector<int64_t> own = mesh.coordinates(sender), nearest;
  std::vector<DimShard> held;
  std::vector<std::vector<SymbolicDigit>> digits;
  for (size_t d = 0; d < shape.size(); ++d) {
    held.push_back(dimShardOf(dimOf(step.from, d), mesh, shape[d], own));
    digits.push_back(digitsOf(dimOf(step.to, d), mesh, shape[d]));
  }
  // Elsewhere a receiver takes the holder of its own coordinates.
  auto isHolderFor = [&](const std::vector<int64_t> &coords) {
    nearest = coords;
    for (const StepParts::Part &part : parts.parts) {
      bool splits = part.role == StepParts::Splits && part.dim < shape.size() &&
                    step.kind != CollectiveKind::MakePartial;
      if (!splits && part.role != StepParts::Reduced)
        continue;
      int64_t &c = nearest[part.meshAxis];
      c += (own[part.meshAxis] / part.stride % part.size -
            c / part.stride % part.size) *
           part.stride;
    }
    return nearest == own;
  };
  Piece piece;
  piece.source = sender;
  piece.runs.resize(shape.size());
  for (size_t i = 0; i < receivers.size(); ++i) {
    std::vector<int64_t> coords = mesh.coordinates(receivers[i]);
    if (!parts.receives(mesh, coords) || !isHolderFor(coords))
      continue;
    bool isEmpty = false;
    for (size_t d = 0; d < shape.size() && !isEmpty; ++d) {
      piece.runs[d] = intersect(held[d], dimShardOf(digits[d], mesh, coords));
      isEmpty = piece.runs[d].empty();
    }
    if (!isEmpty)
      visit(i, piece);
  }
}

int64_t detail::receivedElements(const CollectiveStep &step,
                                 const StepParts &parts, const Mesh &mesh,
                                 const std::vector<int64_t> &shape,
                                 int64_t position) {
  std::vector<int64_t> coords = mesh.coordinates(position);
  if (!parts.receives(mesh, coords))
    return 0;
  int64_t needed = parts.terms(), mine = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    DimShard to = dimShardOf(dimOf(step.to, d), mesh, shape[d], coords);
    DimShard from = dimShardOf(dimOf(step.from, d), mesh, shape[d], coords);
    int64_t extent = to.localExtent();
    int64_t shared = intersectionSize(from, to);
    needed = extent == 0 || needed == 0 ? 0 : mulSaturated(needed, extent);
    mine = shared == 0 || mine == 0 ? 0 : mulSaturated(mine, shared);
  }
  return needed - mine;
}
