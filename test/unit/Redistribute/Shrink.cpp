//===- Shrink.cpp - The smallest case that fails ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes one thing after another away from a failing case and keeps what still
// fails, until nothing can be taken away. Requires a test of failure that gives
// the same answer to the same case. Guarantees an end: every step removes an
// axis, a dim, a split or a partial axis, lowers a size, or replaces something
// by its plain form, never the other way.
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include <algorithm>

using namespace shardir;
using namespace shardir::test;

namespace {

/// Calls f on the axes that a placement names, f returning whether to keep it.
template <class F> void filterAxes(Placement &p, F &&f) {
  for (DimPlacement &dim : p.dims)
    dim.splits.erase(std::remove_if(dim.splits.begin(), dim.splits.end(),
                                    [&](Split &split) {
                                      return split.isAxis() && !f(*split.axis);
                                    }),
                     dim.splits.end());
  p.partialAxes.erase(std::remove_if(p.partialAxes.begin(), p.partialAxes.end(),
                                     [&](AxisRef &axis) { return !f(axis); }),
                      p.partialAxes.end());
  if (p.partialAxes.empty())
    p.partial.reset();
}

class Candidates {
public:
  explicit Candidates(const Case &from) : from(from) {
    dropAxes();
    dropDims();
    plainForms();
    dropSplits();
    lowerSizes();
  }
  std::vector<Case> cases;

private:
  template <class F> void add(F &&change) {
    Case c = from;
    change(c);
    bool changed =
        !(c.mesh == from.mesh) || c.pair.src != from.pair.src ||
        c.pair.dst != from.pair.dst || c.pair.shape != from.pair.shape ||
        c.pair.type != from.pair.type || c.unknownAxes != from.unknownAxes ||
        c.unknownDims != from.unknownDims;
    if (changed && isValid(c))
      cases.push_back(std::move(c));
  }

  void dropAxes() {
    for (size_t a = 0; from.mesh.axes.size() > 1 && a < from.mesh.axes.size();
         ++a)
      add([&](Case &c) {
        // The axes behind it move up in the alphabet.
        std::string name = c.mesh.axes[a].name;
        auto keep = [&](AxisRef &axis) {
          if (axis.name == name)
            return false;
          if (axis.name > name)
            --axis.name[0];
          return true;
        };
        filterAxes(c.pair.src, keep);
        filterAxes(c.pair.dst, keep);
        auto at = static_cast<ptrdiff_t>(a);
        c.mesh.axes.erase(c.mesh.axes.begin() + at);
        for (size_t i = a; i < c.mesh.axes.size(); ++i)
          --c.mesh.axes[i].name[0];
        c.mesh.devices.clear();
        if (!c.unknownAxes.empty())
          c.unknownAxes.erase(c.unknownAxes.begin() + at);
      });
  }

  void dropDims() {
    for (size_t d = 0; d < from.pair.shape.size(); ++d)
      add([&](Case &c) {
        auto at = static_cast<ptrdiff_t>(d);
        c.pair.shape.erase(c.pair.shape.begin() + at);
        c.pair.src.dims.erase(c.pair.src.dims.begin() + at);
        c.pair.dst.dims.erase(c.pair.dst.dims.begin() + at);
        if (!c.unknownDims.empty())
          c.unknownDims.erase(c.unknownDims.begin() + at);
      });
  }

  void plainForms() {
    if (!from.mesh.devices.empty())
      add([](Case &c) { c.mesh.devices.clear(); });
    for (size_t i = 0; i < from.unknownAxes.size(); ++i)
      if (from.unknownAxes[i])
        add([&](Case &c) { c.unknownAxes[i] = false; });
    for (size_t i = 0; i < from.unknownDims.size(); ++i)
      if (from.unknownDims[i])
        add([&](Case &c) { c.unknownDims[i] = false; });
    if (from.pair.type != SHARDIR_I32)
      add([](Case &c) { c.pair.type = SHARDIR_I32; });
    auto isPlain = [](const Placement &p) {
      return !p.partial || p.partial == PartialKind::Sum;
    };
    if (!isPlain(from.pair.src) || !isPlain(from.pair.dst))
      add([](Case &c) {
        for (Placement *p : {&c.pair.src, &c.pair.dst})
          if (p->partial)
            p->partial = PartialKind::Sum;
        c.pair.type = SHARDIR_I32;
      });
    // A sub-axis becomes its axis where it is the only part of it.
    for (Placement Pair::*member : {&Pair::src, &Pair::dst})
      for (const MeshAxis &axis : from.mesh.axes)
        add([&](Case &c) {
          filterAxes(c.pair.*member, [&](AxisRef &ref) {
            if (ref.name == axis.name)
              ref = AxisRef{axis.name, 1, 0};
            return true;
          });
        });
  }

  void dropSplits() {
    for (Placement Pair::*member : {&Pair::src, &Pair::dst}) {
      const Placement &p = from.pair.*member;
      for (size_t d = 0; d < p.dims.size(); ++d)
        for (size_t i = 0; i < p.dims[d].splits.size(); ++i)
          add([&](Case &c) {
            std::vector<Split> &splits = (c.pair.*member).dims[d].splits;
            splits.erase(splits.begin() + static_cast<ptrdiff_t>(i));
          });
      for (size_t i = 0; i < p.partialAxes.size(); ++i)
        add([&](Case &c) {
          Placement &changed = c.pair.*member;
          changed.partialAxes.erase(changed.partialAxes.begin() +
                                    static_cast<ptrdiff_t>(i));
          if (changed.partialAxes.empty())
            changed.partial.reset();
        });
    }
  }

  void lowerSizes() {
    for (size_t a = 0; a < from.mesh.axes.size(); ++a)
      for (int64_t size = 2; size < from.mesh.axes[a].size; ++size)
        add([&](Case &c) {
          c.mesh.axes[a].size = size;
          c.mesh.devices.clear();
        });
    for (size_t d = 0; d < from.pair.shape.size(); ++d) {
      int64_t extent = from.pair.shape[d];
      for (int64_t smaller : {int64_t{1}, int64_t{2}, int64_t{3}, extent / 2,
                              extent - 2, extent - 1})
        if (smaller >= 1 && smaller < extent)
          add([&](Case &c) { c.pair.shape[d] = smaller; });
    }
  }

  const Case &from;
};

} // namespace

Case test::shrink(Case c, const std::function<bool(const Case &)> &fails) {
  while (true) {
    std::vector<Case> candidates = Candidates(c).cases;
    auto smaller = std::find_if(candidates.begin(), candidates.end(), fails);
    if (smaller == candidates.end())
      return c;
    c = std::move(*smaller);
  }
}
