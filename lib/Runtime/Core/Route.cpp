//===- Route.cpp - Builds routes from placements --------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derives groups, pieces and bytes from a collective's two placements. Requires
// checked metadata; guarantees that all ranks agree on the groups. A route of
// all ranks is built for every mesh position at once, and a group holds
// everyone whom the step's axes connect and everyone whom some piece comes
// from. A route of one rank takes as its group the positions that differ along
// the step's axes alone; no piece comes from elsewhere.
//
//===----------------------------------------------------------------------===//

#include "Route.h"

#include "Metadata.h"

#include <algorithm>
#include <numeric>

namespace shardir {
namespace runtime {
namespace {

using Coordinates = std::vector<int64_t>;

constexpr size_t kMaxRoutes = 4096;

/// The coordinates with the digits of `axes` set to zero: what positions of one
/// group have in common.
Coordinates withoutAxes(const Mesh &mesh, Coordinates coords,
                        const std::vector<AxisRef> &axes) {
  for (const AxisRef &ref : axes) {
    int a = mesh.axisIndex(ref.name);
    int64_t inner =
        ref.isWhole() ? 1 : mesh.axes[a].size / (ref.preSize * ref.size);
    coords[a] -= axisCoordinate(mesh, ref, coords) * inner;
  }
  return coords;
}

/// The parts of `axes` that are not parts of `others`, in mesh order.
std::vector<AxisRef> difference(const std::vector<AxisRef> &axes,
                                const std::vector<AxisRef> &others,
                                const Mesh &mesh,
                                const std::vector<AxisRef> &parts) {
  auto holds = [&](const std::vector<AxisRef> &list, const AxisRef &part) {
    for (const AxisRef &axis : list)
      for (const AxisRef &p : refine(axis, mesh, parts))
        if (p == part)
          return true;
    return false;
  };
  std::vector<AxisRef> result;
  for (const AxisRef &part : parts)
    if (holds(axes, part) && !holds(others, part))
      result.push_back(part);
  return result;
}

int64_t product(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// Sets of positions that grow together.
class Sets {
public:
  explicit Sets(size_t n) : parent(n) {
    std::iota(parent.begin(), parent.end(), size_t(0));
  }
  size_t find(size_t i) {
    while (parent[i] != i)
      i = parent[i] = parent[parent[i]];
    return i;
  }
  void unite(size_t a, size_t b) {
    a = find(a), b = find(b);
    parent[std::max(a, b)] = std::min(a, b);
  }

private:
  std::vector<size_t> parent;
};

/// Builds one route.
class Builder {
public:
  Builder(const CollectiveSpec &spec, const Mesh &mesh,
          std::vector<int64_t> shape)
      : spec(spec), mesh(mesh), route(std::make_unique<Route>()) {
    route->shape = std::move(shape);
  }

  /// Null if the pieces do not make a route.
  std::unique_ptr<Route> build(int64_t ranks) {
    auto n = size_t(mesh.numDevices());
    start(n);
    std::vector<std::vector<Piece>> pieces(n);
    std::vector<std::vector<int64_t>> operandShapes;
    for (size_t p = 0; p < n; ++p) {
      RoutePart &part = route->parts[p];
      describe(part, int64_t(p));
      operandShapes.push_back(
          localShape(spec.step.from, mesh, route->shape, int64_t(p)));
      if (!part.identity)
        pieces[p] = receivePieces(spec.step, mesh, route->shape, int64_t(p));
    }
    route->zeros = route->parts[0].resultCount;
    formGroups(ranks, pieces);
    for (size_t p = 0; p < n; ++p) {
      TransferList list(*this, int64_t(p));
      for (const Piece &piece : pieces[p])
        list.add(piece, route->parts[size_t(piece.source)].place,
                 operandShapes[size_t(piece.source)]);
      if (!list.finish(route->parts[p]))
        return nullptr;
    }
    route->flatReduce = route->reduce && isFlat();
    route->sameResult = !route->reduce && isSameForAll();
    return std::move(route);
  }

  /// The route of one rank. Null if the pieces do not make a route.
  std::unique_ptr<Route> buildLocal(int rank) {
    const CollectiveStep &step = spec.step;
    route->isLocal = true;
    route->self = rank;
    route->zeros =
        product(localShape(step.to, step.halo, mesh, route->shape, 0));
    int64_t position = mesh.positionOf(rank);
    if (position < 0)
      return std::move(route);
    std::vector<int64_t> members = membersOf(position);
    start(1);
    RoutePart &part = route->parts[0];
    describe(part, position);
    auto placeOf = [&](int64_t p) {
      return size_t(std::lower_bound(members.begin(), members.end(), p) -
                    members.begin());
    };
    part.place = placeOf(position);
    route->selfIndex = 0;
    route->groups.emplace_back();
    route->groups[0].reserve(members.size());
    for (int64_t member : members)
      route->groups[0].push_back(int(mesh.rankAt(member)));
    if (!part.identity) {
      std::vector<int64_t> shape =
          localShape(step.from, mesh, route->shape, position);
      bool isSame = hasSameStrides(step.from);
      TransferList list(*this, position);
      forEachReceivedPiece(
          step, mesh, route->shape, position, [&](const Piece &piece) {
            if (!isSame)
              shape = localShape(step.from, mesh, route->shape, piece.source);
            list.add(piece, placeOf(piece.source), shape);
          });
      if (!list.finish(part))
        return nullptr;
    }
    Counts operands = countsOf(step.from, members);
    Counts results = countsOf(step.to, members);
    route->largest = std::max(operands.largest, results.largest);
    route->evenResults = results.areEven;
    route->flatReduce = route->reduce &&
                        isFlatForGroup(part, operands, results, members.size());
    route->pattern = patternOf(operands, results, members.size());
    route->sends = [&spec = spec, &mesh = mesh, shape = route->shape,
                    position] {
      return Builder(spec, mesh, shape).sendsOf(position);
    };
    return std::move(route);
  }

private:
  /// Elements of the shards of a group.
  struct Counts {
    int64_t sum = 0, largest = 0;
    bool areEven = true;
  };

  /// The transfers of one part, made of its pieces.
  class TransferList {
  public:
    TransferList(const Builder &builder, int64_t position)
        : builder(builder),
          shape(localShape(builder.spec.step.to, builder.spec.step.halo,
                           builder.mesh, builder.route->shape, position)) {}

    /// The terms of a region come one after another. They differ in coordinates
    /// along partial axes alone, which cut no dim, so their pieces are alike.
    void add(const Piece &piece, size_t place,
             const std::vector<int64_t> &operandShape) {
      auto terms = size_t(builder.route->terms);
      size_t term = pieces++ % terms;
      if (term == 0)
        transfers.push_back({std::vector<uint32_t>(terms),
                             CopyPlan(piece.runs, operandShape, shape)});
      transfers.back().sources[term] = uint32_t(place);
    }

    /// Gives `part` its transfers in the order of the result; false if terms
    /// are missing.
    bool finish(RoutePart &part) {
      auto before = [](const Transfer &a, const Transfer &b) {
        return a.plan.firstDestination() < b.plan.firstDestination();
      };
      if (!std::is_sorted(transfers.begin(), transfers.end(), before))
        std::sort(transfers.begin(), transfers.end(), before);
      transfers.shrink_to_fit();
      part.transfers = std::move(transfers);
      return pieces % size_t(builder.route->terms) == 0;
    }

  private:
    const Builder &builder;
    const std::vector<int64_t> shape;
    size_t pieces = 0;
    std::vector<Transfer> transfers;
  };

  /// Sets the fields that all of the `n` parts share.
  void start(size_t n) {
    const CollectiveStep &step = spec.step;
    route->elements = product(route->shape);
    route->parts.resize(n);
    std::vector<AxisRef> parts = commonRefinement(step.from, step.to, mesh);
    std::vector<AxisRef> reduced =
        difference(step.from.partialAxes, step.to.partialAxes, mesh, parts);
    added = difference(step.to.partialAxes, step.from.partialAxes, mesh, parts);
    if (!reduced.empty()) {
      route->kind = *step.from.partial;
      route->reduce = reduceFunction(route->kind, spec.type);
    } else if (!added.empty()) {
      route->kind = *step.to.partial;
    }
    route->terms = groupSize(mesh, reduced);
  }

  /// Sizes of the shards at `position`, whose part is `part`.
  void describe(RoutePart &part, int64_t position) const {
    const CollectiveStep &step = spec.step;
    part.operandCount =
        product(localShape(step.from, mesh, route->shape, position));
    part.resultCount =
        product(localShape(step.to, step.halo, mesh, route->shape, position));
    part.bytes = bytesReceived(step, mesh, route->shape,
                               int64_t(elementSize(spec.type)), position);
    part.identity =
        groupCoordinate(mesh, added, mesh.coordinates(position)) != 0;
  }

  /// The elements that the member at `position` sends to each, by place.
  std::vector<CopyPlan> sendsOf(int64_t position) const {
    const CollectiveStep &step = spec.step;
    std::vector<int64_t> members = membersOf(position);
    std::vector<int64_t> operand =
        localShape(step.from, mesh, route->shape, position);
    std::vector<CopyPlan> plans(members.size());
    std::vector<int64_t> result =
        localShape(step.to, mesh, route->shape, position);
    bool isSame = hasSameStrides(step.to);
    forEachSentPiece(step, mesh, route->shape, position, members,
                     [&](size_t i, const Piece &piece) {
                       if (members[i] == position)
                         return;
                       if (!isSame)
                         result = localShape(step.to, mesh, route->shape,
                                             members[i]);
                       plans[i] = CopyPlan(piece.runs, operand, result);
                     });
    return plans;
  }

  /// Whether all shards of `placement` have the same strides: all extents but
  /// the outermost one are equal.
  bool hasSameStrides(const Placement &placement) const {
    for (size_t d = 1; d < route->shape.size(); ++d)
      if (!uniformLocalExtent(placement, mesh, route->shape[d], d))
        return false;
    return true;
  }

  Counts countsOf(const Placement &placement,
                  const std::vector<int64_t> &members) const {
    int64_t count = 1;
    bool isUniform = true;
    for (size_t d = 0; d < route->shape.size() && isUniform; ++d) {
      std::optional<int64_t> extent =
          uniformLocalExtent(placement, mesh, route->shape[d], d);
      isUniform = extent.has_value();
      count *= extent.value_or(0);
    }
    if (isUniform)
      return {count * int64_t(members.size()), count, true};
    Counts counts;
    std::vector<int64_t> all =
        localElements(placement, mesh, route->shape, members);
    for (int64_t n : all) {
      counts.sum += n;
      counts.largest = std::max(counts.largest, n);
      counts.areEven &= n == all[0];
    }
    return counts;
  }

  /// The positions of the group of `position`, which differ from it along the
  /// step's axes alone, in order.
  std::vector<int64_t> membersOf(int64_t position) const {
    std::vector<AxisRef> axes = groupAxes(spec.step, mesh, route->shape);
    Coordinates first = withoutAxes(mesh, mesh.coordinates(position), axes);
    std::vector<int64_t> members{0};
    for (size_t i = 0; i < first.size(); ++i)
      members[0] = members[0] * mesh.axes[i].size + first[i];
    for (const AxisRef &axis : axes) {
      int64_t stride = 1;
      auto a = size_t(mesh.axisIndex(axis.name));
      for (size_t i = a + 1; i < mesh.axes.size(); ++i)
        stride *= mesh.axes[i].size;
      if (!axis.isWhole())
        stride *= mesh.axes[a].size / (axis.preSize * axis.size);
      size_t count = members.size();
      for (size_t i = 0; i < count; ++i)
        // Nothing for an axis that overlaps one before it.
        if (axisCoordinate(mesh, axis, mesh.coordinates(members[i])) == 0)
          for (int64_t k = 1; k < axisSize(mesh, axis); ++k)
            members.push_back(members[i] + k * stride);
    }
    if (!std::is_sorted(members.begin(), members.end()))
      std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
  }

  void formGroups(int64_t ranks,
                  const std::vector<std::vector<Piece>> &pieces) {
    size_t n = route->parts.size();
    Sets sets(n);
    std::map<Coordinates, size_t> first;
    std::vector<AxisRef> axes = groupAxes(spec.step, mesh, route->shape);
    for (size_t p = 0; p < n; ++p) {
      auto key = withoutAxes(mesh, mesh.coordinates(int64_t(p)), axes);
      sets.unite(p, first.emplace(std::move(key), p).first->second);
      for (const Piece &piece : pieces[p])
        sets.unite(p, size_t(piece.source));
    }
    std::map<size_t, size_t> groupOfRoot;
    route->positionOfRank.assign(size_t(ranks), -1);
    for (size_t p = 0; p < n; ++p) {
      auto [it, isNew] =
          groupOfRoot.emplace(sets.find(p), route->groups.size());
      if (isNew)
        route->groups.emplace_back();
      std::vector<int> &group = route->groups[it->second];
      route->parts[p].group = it->second;
      route->parts[p].place = group.size();
      int64_t rank = mesh.rankAt(int64_t(p));
      group.push_back(int(rank));
      route->positionOfRank[size_t(rank)] = int64_t(p);
    }
  }

  /// isFlat for the group of a local route, the same for all its members: where
  /// all terms of `own` are whole operands, all operands are of one region, and
  /// a result of as many elements is that region.
  bool isFlatForGroup(const RoutePart &own, const Counts &operands,
                      const Counts &results, size_t members) const {
    return groupSize(mesh, added) == 1 && operands.areEven && results.areEven &&
           operands.largest == results.largest &&
           (own.resultCount == 0 ||
            (isWhole(own) && own.transfers[0].sources.size() == members));
  }

  /// The pattern of a local route, from what all members know of all: counts
  /// and the step. Where operands are as many elements as a result that is made
  /// of them, or results as many as an operand, each is needed whole.
  Pattern patternOf(const Counts &operands, const Counts &results,
                    size_t members) const {
    if (route->flatReduce)
      return Pattern::AllReduce;
    bool plain = added.empty();
    bool gathers = results.areEven && results.largest == operands.sum;
    bool scatters = operands.areEven && operands.largest == results.sum;
    switch (spec.step.kind) {
    case CollectiveKind::AllGather:
      return plain && gathers && route->terms == 1 ? Pattern::AllGather
                                                   : Pattern::AllToAll;
    case CollectiveKind::ReduceScatter:
      return plain && scatters && route->terms == int64_t(members)
                 ? Pattern::ReduceScatter
                 : Pattern::AllToAll;
    case CollectiveKind::AllToAll:
    case CollectiveKind::AllReduce:
      return Pattern::AllToAll;
    default:
      return Pattern::General;
    }
  }

  /// Whether all that a part receives is one whole operand, or its terms.
  static bool isWhole(const RoutePart &part) {
    const Piece::Run *span = part.transfers.size() == 1
                                 ? part.transfers[0].plan.singleSpan()
                                 : nullptr;
    return span && span->source == 0 && span->destination == 0 &&
           span->length == part.resultCount;
  }

  bool isFlat() const {
    std::vector<const std::vector<uint32_t> *> sources(route->groups.size());
    for (const RoutePart &part : route->parts) {
      if (part.identity || part.operandCount != part.resultCount)
        return false;
      if (part.resultCount == 0)
        continue;
      if (!isWhole(part))
        return false;
      const std::vector<uint32_t> *&common = sources[part.group];
      if (!common)
        common = &part.transfers[0].sources;
      // All members, each once, in one order for all.
      if (*common != part.transfers[0].sources ||
          common->size() != route->groups[part.group].size())
        return false;
    }
    return true;
  }

  bool isSameForAll() const {
    constexpr size_t kLargest = 64; // it takes time, and many have little each
    std::vector<const RoutePart *> first(route->groups.size());
    for (const RoutePart &part : route->parts) {
      const RoutePart *&other = first[part.group];
      if (part.identity || part.transfers.empty() ||
          route->groups[part.group].size() > kLargest)
        return false;
      if (!other) {
        other = &part;
        continue;
      }
      if (part.resultCount != other->resultCount ||
          part.transfers.size() != other->transfers.size())
        return false;
      for (size_t i = 0; i < part.transfers.size(); ++i)
        if (part.transfers[i].sources != other->transfers[i].sources ||
            !(part.transfers[i].plan == other->transfers[i].plan))
          return false;
    }
    return true;
  }

  const CollectiveSpec &spec;
  const Mesh &mesh;
  std::unique_ptr<Route> route;
  std::vector<AxisRef> added;
};

} // namespace

RoutePlan::~RoutePlan() = default;

std::shared_ptr<const Route> RouteCache::get(int32_t id, const int64_t *dims,
                                             std::string &error, int rank) {
  const CollectiveSpec &spec = metadata.collectives[size_t(id)];
  if (spec.mesh != spec.toMesh || !spec.step.halo.empty())
    rank = kAllRanks;
  std::vector<int64_t> known(dims, dims + (dims ? spec.unknownExtents : 0));
  std::lock_guard<std::mutex> lock(mutex);
  // Programs of ever-changing shapes must not grow without bound; a route in
  // use is kept alive by its users.
  if (routes.size() > kMaxRoutes)
    routes.clear();
  std::shared_ptr<Route> &route = routes[{id, rank, known}];
  if (route)
    return route;
  std::vector<int64_t> shape = spec.shape;
  size_t next = 0;
  for (int64_t &extent : shape) {
    if (extent >= 0)
      continue;
    if (next == known.size() || known[next] < 0) {
      error = "the extents of " + spec.describe() + " are not known";
      return nullptr;
    }
    extent = known[next++];
  }
  const Mesh &mesh = metadata.meshes[size_t(spec.mesh)];
  // The program's values for windows whose place only the program knows.
  CollectiveSpec closed;
  for (size_t d = 0; d < spec.step.halo.size(); ++d) {
    if (!spec.step.halo[d].isOpen)
      continue;
    if (closed.step.halo.empty())
      closed = spec;
    if (known.size() < next + 2) {
      error = "the windows of " + spec.describe() + " are not known";
      return nullptr;
    }
    DimHalo &own = closed.step.halo[d];
    for (int64_t number : {known[next], known[next + 1]})
      if (number < -kMaxWindow || number > kMaxWindow) {
        error = spec.describe() + ": a window along dim " + std::to_string(d) +
                " has the extent or place " + std::to_string(number) +
                "; the largest is " + std::to_string(kMaxWindow);
        return nullptr;
      }
    own = own.closed(std::max<int64_t>(0, known[next]), known[next + 1]);
    next += 2;
  }
  const CollectiveSpec &actual = closed.step.halo.empty() ? spec : closed;
  int64_t elements;
  if (!countElements(shape, elementSize(spec.type), elements)) {
    error = spec.describe() + " is too large";
    return nullptr;
  }
  const Mesh &toMesh = metadata.meshes[size_t(spec.toMesh)];
  for (auto [p, m] :
       {std::pair(&spec.step.from, &mesh), std::pair(&spec.step.to, &toMesh)})
    if (std::optional<PlacementError> e =
            verifyPlacement(*p, *m, shape, elementTypeName(spec.type))) {
      error = spec.describe() + ": " + e->message;
      return nullptr;
    }
  if (spec.mesh == spec.toMesh)
    route = rank == kAllRanks
                ? Builder(actual, mesh, shape).build(metadata.ranks)
                : Builder(actual, mesh, shape).buildLocal(rank);
  else
    route = buildCrossRoute(actual, mesh, toMesh, shape, metadata.ranks);
  if (route)
    route->known = known;
  if (!route)
    error = "the terms of " + spec.describe() + " do not line up";
  return route;
}

const PeerRoute *RouteCache::getPeer(int32_t id) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<PeerRoute> &route = peers[id];
  if (route)
    return route.get();
  const CollectiveSpec &spec = metadata.collectives[size_t(id)];
  const Mesh &mesh = metadata.meshes[size_t(spec.mesh)];
  auto built = std::make_unique<PeerRoute>();
  built->placeOfRank.resize(size_t(metadata.ranks));
  built->inMesh.resize(size_t(metadata.ranks));
  std::map<Coordinates, size_t> groupOf;
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    Coordinates coords = mesh.coordinates(p);
    auto [it, isNew] = groupOf.emplace(withoutAxes(mesh, coords, spec.axes),
                                       built->groups.size());
    if (isNew)
      built->groups.emplace_back(size_t(groupSize(mesh, spec.axes)));
    auto place = size_t(groupCoordinate(mesh, spec.axes, coords));
    auto rank = size_t(mesh.rankAt(p));
    built->groups[it->second][place] = int(rank);
    built->placeOfRank[rank] = {it->second, place};
    built->inMesh[rank] = true;
  }
  route = std::move(built);
  return route.get();
}

} // namespace runtime
} // namespace shardir
