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
    for (size_t p = 0; p < n; ++p) {
      describe(p, int64_t(p));
      if (!route->parts[p].identity)
        pieces[p] = receivePieces(spec.step, mesh, route->shape, int64_t(p));
    }
    route->zeros = route->parts[0].resultCount;
    formGroups(ranks);
    for (size_t p = 0; p < n; ++p)
      if (!addTransfers(p, int64_t(p)))
        return nullptr;
    route->flatReduce = route->reduce && isFlat();
    route->sameResult = !route->reduce && isSameForAll();
    return std::move(route);
  }

  /// The route of one rank. Null if the pieces do not make a route.
  std::unique_ptr<Route> buildLocal(int rank) {
    route->isLocal = true;
    route->self = rank;
    route->zeros = product(
        localShape(spec.step.to, spec.step.halo, mesh, route->shape, 0));
    int64_t position = mesh.positionOf(rank);
    if (position < 0)
      return std::move(route);
    std::vector<int64_t> members =
        membersOf(position, groupAxes(spec.step, mesh, route->shape));
    size_t n = members.size();
    start(n);
    route->groups.emplace_back();
    for (size_t i = 0; i < n; ++i) {
      placeOf[members[i]] = i;
      route->groups[0].push_back(int(mesh.rankAt(members[i])));
      route->parts[i].place = i;
      describe(i, members[i]);
    }
    size_t own = placeOf[position];
    route->selfIndex = int64_t(own);
    RoutePart &part = route->parts[own];
    part.bytes = bytesReceived(spec.step, mesh, route->shape,
                               int64_t(elementSize(spec.type)), position);
    if (!part.identity)
      pieces[own] = receivePieces(spec.step, mesh, route->shape, position);
    if (!addTransfers(own, position))
      return nullptr;
    route->flatReduce = route->reduce && isFlatForGroup(part);
    std::vector<Piece> sent =
        sendPieces(spec.step, mesh, route->shape, position, members);
    for (size_t i = 0; i < n; ++i)
      if (i != own && sent[i].source >= 0)
        route->parts[i].transfers.push_back(
            {{uint32_t(own)},
             CopyPlan(
                 sent[i].runs, operandShapes[own],
                 localShape(spec.step.to, mesh, route->shape, members[i]))});
    route->pattern = patternOf();
    return std::move(route);
  }

private:
  /// Sets the fields that all of the `n` parts share.
  void start(size_t n) {
    const CollectiveStep &step = spec.step;
    route->elements = product(route->shape);
    route->parts.resize(n);
    std::vector<AxisRef> parts = commonRefinement(step.from, step.to, mesh);
    reduced =
        difference(step.from.partialAxes, step.to.partialAxes, mesh, parts);
    added = difference(step.to.partialAxes, step.from.partialAxes, mesh, parts);
    if (!reduced.empty()) {
      route->kind = *step.from.partial;
      route->reduce = reduceFunction(route->kind, spec.type);
    } else if (!added.empty()) {
      route->kind = *step.to.partial;
    }
    route->terms = groupSize(mesh, reduced);
    pieces.resize(n);
    operandShapes.resize(n);
  }

  /// Sizes of the shards at `position`, whose part is `p`.
  void describe(size_t p, int64_t position) {
    const CollectiveStep &step = spec.step;
    RoutePart &part = route->parts[p];
    operandShapes[p] = localShape(step.from, mesh, route->shape, position);
    part.operandCount = product(operandShapes[p]);
    part.resultCount =
        product(localShape(step.to, step.halo, mesh, route->shape, position));
    if (!route->isLocal)
      part.bytes = bytesReceived(step, mesh, route->shape,
                                 int64_t(elementSize(spec.type)), position);
    part.identity =
        groupCoordinate(mesh, added, mesh.coordinates(position)) != 0;
  }

  /// The positions that differ from `position` along `axes` alone, in order.
  std::vector<int64_t> membersOf(int64_t position,
                                 const std::vector<AxisRef> &axes) const {
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
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
  }

  size_t partOf(int64_t position) const {
    return route->isLocal ? placeOf.at(position) : size_t(position);
  }

  void formGroups(int64_t ranks) {
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

  /// False if the terms' pieces do not line up. Terms differ in coordinates
  /// along partial axes alone, which cut no dim: receivePieces gives each the
  /// same regions.
  bool addTransfers(size_t p, int64_t position) {
    RoutePart &part = route->parts[p];
    std::vector<int64_t> shape =
        localShape(spec.step.to, spec.step.halo, mesh, route->shape, position);
    // By term, each in the order of the result: the terms' pieces line up.
    std::vector<std::vector<const Piece *>> byTerm{
        size_t(groupSize(mesh, reduced))};
    for (const Piece &piece : pieces[p])
      byTerm[size_t(groupCoordinate(mesh, reduced,
                                    mesh.coordinates(piece.source)))]
          .push_back(&piece);
    std::vector<std::vector<Transfer>> terms;
    for (std::vector<const Piece *> &list : byTerm) {
      std::sort(list.begin(), list.end(), [](const Piece *a, const Piece *b) {
        return firstIndex(*a) < firstIndex(*b);
      });
      std::vector<Transfer> transfers;
      for (const Piece *piece : list)
        transfers.push_back(
            {{uint32_t(route->parts[partOf(piece->source)].place)},
             CopyPlan(piece->runs, operandShapes[partOf(piece->source)],
                      shape)});
      terms.push_back(std::move(transfers));
    }
    bool aligned = true;
    for (const std::vector<Transfer> &t : terms) {
      aligned &= t.size() == terms[0].size();
      for (size_t i = 0; aligned && i < t.size(); ++i)
        aligned = t[i].plan == terms[0][i].plan;
    }
    if (!aligned)
      return false;
    part.transfers = std::move(terms[0]);
    for (size_t t = 1; t < terms.size(); ++t)
      for (size_t i = 0; i < part.transfers.size(); ++i)
        part.transfers[i].sources.push_back(terms[t][i].sources[0]);
    return true;
  }

  static std::vector<int64_t> firstIndex(const Piece &piece) {
    std::vector<int64_t> index;
    for (const std::vector<Piece::Run> &runs : piece.runs)
      index.push_back(runs.empty() ? 0 : runs[0].destination);
    return index;
  }

  /// isFlat for the group of a local route, the same for all its members: where
  /// all terms of `own` are whole operands, all operands are of one region, and
  /// a result of as many elements is that region.
  bool isFlatForGroup(const RoutePart &own) const {
    for (const RoutePart &part : route->parts)
      if (part.identity || part.operandCount != part.resultCount ||
          part.operandCount != own.resultCount)
        return false;
    return own.resultCount == 0 ||
           (isWhole(own) &&
            own.transfers[0].sources.size() == route->parts.size());
  }

  /// The pattern of a local route, from what all members know of all: counts
  /// and the step. Where operands are as many elements as a result that is made
  /// of them, or results as many as an operand, each is needed whole.
  Pattern patternOf() const {
    if (route->flatReduce)
      return Pattern::AllReduce;
    int64_t operands = 0, results = 0;
    for (const RoutePart &part : route->parts) {
      operands += part.operandCount;
      results += part.resultCount;
    }
    bool plain = added.empty(), gathers = true, scatters = true;
    for (const RoutePart &part : route->parts) {
      gathers &= part.resultCount == operands;
      scatters &= part.operandCount == results;
    }
    size_t members = route->parts.size();
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
  std::vector<AxisRef> reduced, added;
  std::vector<std::vector<Piece>> pieces;          ///< by part
  std::vector<std::vector<int64_t>> operandShapes; ///< by part
  std::map<int64_t, size_t> placeOf; ///< by position: of a local route
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
