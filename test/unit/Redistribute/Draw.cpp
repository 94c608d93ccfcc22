//===- Draw.cpp - Which pairs are tested ----------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs with partials take the kinds and types of kKinds, and now and then are
// partial one thing before and another after. Requires any list; guarantees
// pairs in the order of the list, and random placements that verify.
//
//===----------------------------------------------------------------------===//

#include "Draw.h"

#include "Values.h"

#include <algorithm>

using namespace shardir;
using namespace shardir::test;

using Random = std::mt19937_64;
using Shape = std::vector<int64_t>;

std::vector<Pair> test::drawPairs(const std::vector<Placement> &placements,
                                  const std::vector<int64_t> &shape,
                                  size_t sample, uint64_t seed) {
  std::mt19937_64 random(seed);
  size_t total = placements.size() * placements.size();
  std::vector<Pair> pairs;
  for (const Placement &src : placements)
    for (const Placement &dst : placements) {
      if (total > sample && random() % total >= sample)
        continue;
      Pair pair{src, dst, shape, kTypes[random() % kTypes.size()]};
      if (src.partial || dst.partial) {
        const KindAndType &chosen = kKinds[random() % kKinds.size()];
        PartialKind other = kKinds[random() % kKinds.size()].kind;
        bool differs = random() % 16 == 0 && hasKind(other, chosen.type);
        pair.type = chosen.type;
        if (src.partial)
          pair.src.partial = chosen.kind;
        if (dst.partial)
          pair.dst.partial = differs ? other : chosen.kind;
      }
      pairs.push_back(std::move(pair));
    }
  return pairs;
}

//===----------------------------------------------------------------------===//
// At random
//===----------------------------------------------------------------------===//

static bool oneIn(Random &random, uint64_t n) { return random() % n == 0; }

template <class T> static const T &pick(const std::vector<T> &list, Random &r) {
  return list[r() % list.size()];
}

template <class T> static void shuffle(std::vector<T> &list, Random &random) {
  for (size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[random() % i]);
}

Mesh test::randomMesh(Random &random) {
  static const std::vector<int64_t> kSizes = {1, 2, 2, 2, 3, 3, 4, 6};
  Mesh mesh;
  mesh.name = "m";
  size_t axes = 1 + random() % 4;
  int64_t devices = 1;
  while (mesh.axes.size() < axes) {
    MeshAxis axis;
    axis.name = std::string(1, static_cast<char>('a' + mesh.axes.size()));
    axis.size = pick(kSizes, random);
    if (devices * axis.size > 18)
      break;
    devices *= axis.size;
    mesh.axes.push_back(axis);
  }
  if (oneIn(random, 3)) {
    // Now and then some ranks have no part in the mesh.
    int64_t ranks = devices + (oneIn(random, 3) ? 2 : 0);
    for (int64_t i = 0; i < ranks; ++i)
      mesh.devices.push_back(i);
    shuffle(mesh.devices, random);
    mesh.devices.resize(static_cast<size_t>(devices));
  }
  return mesh;
}

Shape test::randomShape(Random &random) {
  static const Shape kExtents = {1, 2,  3,  4,  5,  6,  7,
                                 8, 12, 12, 13, 16, 24, 36};
  Shape shape;
  int64_t elements = 1;
  for (size_t rank = oneIn(random, 20) ? 0 : 1 + random() % 4;
       shape.size() < rank;) {
    shape.push_back(oneIn(random, 30) ? 0 : pick(kExtents, random));
    elements *= std::max<int64_t>(1, shape.back());
    if (elements > 2000)
      shape.back() = 1 + static_cast<int64_t>(random() % 3);
    elements = std::min<int64_t>(elements, 2000);
  }
  return shape;
}

Placement test::randomPlacement(const Mesh &mesh, const Shape &shape,
                                std::optional<PartialKind> kind,
                                Random &random) {
  std::vector<AxisRef> parts;
  for (const MeshAxis &axis : mesh.axes) {
    std::vector<int64_t> factors;
    for (int64_t f = 2; f < axis.size; ++f)
      if (axis.size % f == 0)
        factors.push_back(f);
    if (factors.empty() || !oneIn(random, 2)) {
      parts.push_back({axis.name, 1, 0});
      continue;
    }
    int64_t factor = pick(factors, random);
    parts.push_back({axis.name, 1, factor});
    parts.push_back({axis.name, factor, axis.size / factor});
  }
  shuffle(parts, random);

  Placement placement = Placement::replicatedOfRank(shape.size());
  for (const AxisRef &part : parts) {
    uint64_t where = random() % 10;
    if (where < 5 && !shape.empty())
      placement.dims[random() % shape.size()].splits.push_back(
          Split::byAxis(part));
    else if (where >= 8 && kind)
      placement.partialAxes.push_back(part);
  }
  if (!placement.partialAxes.empty())
    placement.partial = kind;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!oneIn(random, 3))
      continue;
    Placement next = placement;
    std::vector<Split> &splits = next.dims[d].splits;
    int64_t factor = 2 + static_cast<int64_t>(random() % 3);
    splits.insert(splits.begin() +
                      static_cast<ptrdiff_t>(random() % (splits.size() + 1)),
                  Split::byFactor(factor));
    if (!verifyPlacement(next, mesh, shape))
      placement = next;
  }
  // Axes before an integer must divide: else the dim gives one up.
  while (verifyPlacement(placement, mesh, shape))
    for (DimPlacement &dim : placement.dims)
      if (!dim.splits.empty())
        dim.splits.pop_back();
  return placement;
}

Pair test::randomPair(const Mesh &mesh, Random &random) {
  Pair pair;
  pair.shape = randomShape(random);
  std::optional<PartialKind> from, to;
  pair.type = pick(kTypes, random);
  if (!oneIn(random, 3)) {
    const KindAndType &kind = pick(kKinds, random);
    pair.type = kind.type;
    from = to = kind.kind;
    PartialKind other = pick(kKinds, random).kind;
    if (oneIn(random, 8) && hasKind(other, kind.type))
      to = other;
  }
  pair.src = randomPlacement(mesh, pair.shape, from, random);
  pair.dst = randomPlacement(mesh, pair.shape, to, random);
  return pair;
}
