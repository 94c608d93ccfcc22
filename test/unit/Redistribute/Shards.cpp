//===- Shards.cpp - The data of a change of placement -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element by element, from global indices. Requires placements that verify on a
// mesh and a shape with known sizes; guarantees to look at every element of
// every device.
//
//===----------------------------------------------------------------------===//

#include "Shards.h"

#include "Values.h"

#include <algorithm>

using namespace shardir;
using namespace shardir::test;

using Shape = std::vector<int64_t>;

/// The coordinate along the partial axes, linear over them.
static int64_t termOf(const Placement &placement, const Mesh &mesh,
                      int64_t position) {
  std::vector<int64_t> coords = mesh.coordinates(position);
  int64_t term = 0;
  for (const AxisRef &axis : placement.partialAxes)
    term = term * axisSize(mesh, axis) + axisCoordinate(mesh, axis, coords);
  return term;
}

static int64_t numTerms(const Placement &placement, const Mesh &mesh) {
  int64_t count = 1;
  for (const AxisRef &axis : placement.partialAxes)
    count *= axisSize(mesh, axis);
  return count;
}

/// The positions that hold the terms of what `position` holds.
static std::vector<int64_t> groupOf(const Placement &placement,
                                    const Mesh &mesh, int64_t position) {
  // The device index along an axis without the partial digits.
  auto rest = [&](int64_t p) {
    std::vector<int64_t> coords = mesh.coordinates(p), kept = coords;
    for (const AxisRef &axis : placement.partialAxes) {
      auto i = static_cast<size_t>(mesh.axisIndex(axis.name));
      int64_t inner =
          axis.isWhole() ? 1 : mesh.axes[i].size / (axis.preSize * axis.size);
      kept[i] -= axisCoordinate(mesh, axis, coords) * inner;
    }
    return kept;
  };
  std::vector<int64_t> group;
  for (int64_t p = 0; p < mesh.numDevices(); ++p)
    if (rest(p) == rest(position))
      group.push_back(p);
  return group;
}

int64_t test::largestShard(const Placement &placement, const Mesh &mesh,
                           const Pair &pair) {
  int64_t most = 0;
  for (int64_t p = 0; p < mesh.numDevices(); ++p)
    most = std::max(most, Shard(placement, mesh, pair.shape, p).size());
  return most * static_cast<int64_t>(runtime::elementSize(pair.type));
}

void test::fillSource(const Mesh &mesh, const Pair &pair, int64_t position,
                      void *data) {
  int64_t term = termOf(pair.src, mesh, position);
  Shard(pair.src, mesh, pair.shape, position)
      .forEach([&](int64_t i, int64_t element, const Shape &) {
        store(pair.type, valueOf(pair.src.partial, pair.type, element, term),
              data, static_cast<size_t>(i));
      });
}

bool test::isSource(const Mesh &mesh, const Pair &pair, int64_t position,
                    const void *data) {
  bool same = true;
  int64_t term = termOf(pair.src, mesh, position);
  Shard(pair.src, mesh, pair.shape, position)
      .forEach([&](int64_t i, int64_t element, const Shape &) {
        same &= load(pair.type, data, static_cast<size_t>(i)) ==
                valueOf(pair.src.partial, pair.type, element, term);
      });
  return same;
}

std::string test::checkResult(const Mesh &mesh, const Pair &pair,
                              const std::vector<const void *> &shards) {
  int64_t terms = numTerms(pair.src, mesh);
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    if (termOf(pair.dst, mesh, p) != 0)
      continue;
    Shard shard(pair.dst, mesh, pair.shape, p);
    std::vector<int64_t> group = groupOf(pair.dst, mesh, p);
    std::string wrong;
    shard.forEach([&](int64_t i, int64_t element, const Shape &) {
      Number expected = valueOf(pair.src.partial, pair.type, element, 0);
      for (int64_t t = 1; t < terms; ++t)
        expected = combine(*pair.src.partial, pair.type, expected,
                           valueOf(pair.src.partial, pair.type, element, t));
      std::optional<Number> found;
      for (int64_t q : group) {
        Number value = load(pair.type, shards[static_cast<size_t>(q)],
                            static_cast<size_t>(i));
        found = found ? combine(*pair.dst.partial, pair.type, *found, value)
                      : value;
      }
      if (!(*found == expected) && wrong.empty())
        wrong = "element " + std::to_string(element) + " is " +
                toString(*found) + " at position " + std::to_string(p) +
                ", expected " + toString(expected);
    });
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

int64_t test::leastBytes(const Mesh &mesh, const Pair &pair) {
  int64_t most = 0;
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    Shard before(pair.src, mesh, pair.shape, p);
    int64_t lacking = 0;
    Shard(pair.dst, mesh, pair.shape, p)
        .forEach([&](int64_t, int64_t, const Shape &index) {
          lacking += before.localOf(index) < 0;
        });
    most = std::max(most, lacking);
  }
  return most * static_cast<int64_t>(runtime::elementSize(pair.type));
}

std::string test::describe(const Mesh &mesh, const Pair &pair) {
  std::string text = toString(pair.src) + " -> " + toString(pair.dst) + " of ";
  for (size_t d = 0; d < pair.shape.size(); ++d)
    text += (d ? "x" : "") + std::to_string(pair.shape[d]);
  text += std::string(pair.shape.empty() ? "" : " ") +
          runtime::elementTypeName(pair.type) + " on ";
  for (size_t a = 0; a < mesh.axes.size(); ++a)
    text += (a ? ", " : "") + mesh.axes[a].name + "=" +
            std::to_string(mesh.axes[a].size);
  for (size_t i = 0; i < mesh.devices.size(); ++i)
    text += (i ? ", " : ", devices ") + std::to_string(mesh.devices[i]);
  return text;
}
