//===- Support.cpp - Meshes and placements to test over ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The evaluation is deliberately naive: it looks at every element of every
// device, so that it shares no shortcut with the library that it checks.
// Values differ for every element and term, in size and in sign; sums of them
// are small integers, so that every comparison is exact.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cstdlib>
#include <cstring>
#include <random>
#include <set>

using namespace shardir;
using namespace shardir::test;

bool test::isExhaustive() {
  const char *value = std::getenv("SHARDIR_EXHAUSTIVE");
  return value && std::strcmp(value, "1") == 0;
}

Mesh test::makeMesh(const std::vector<int64_t> &sizes) {
  Mesh mesh;
  mesh.name = "m";
  for (size_t i = 0; i < sizes.size(); ++i) {
    MeshAxis axis;
    axis.name = std::string(1, static_cast<char>('a' + i));
    axis.size = sizes[i];
    mesh.axes.push_back(axis);
  }
  return mesh;
}

Placement test::parse(const std::string &text) {
  std::string error;
  std::optional<Placement> placement = parsePlacement(text, error);
  EXPECT_TRUE(placement) << error;
  return placement.value_or(Placement());
}

CollectiveStep test::step(CollectiveKind kind, const std::string &from,
                          const std::string &to) {
  return CollectiveStep{kind, parse(from), parse(to)};
}

RedistributePlan test::planOf(const Placement &src, const Placement &dst,
                              const Mesh &mesh, const Shape &shape,
                              const PlanOptions &options) {
  auto result = planRedistribute(src, dst, mesh, shape, options);
  EXPECT_TRUE(std::holds_alternative<RedistributePlan>(result));
  return std::get<RedistributePlan>(result);
}

std::vector<AxisRef> test::replicatedAxes(const Mesh &mesh) {
  std::vector<AxisRef> axes;
  for (const MeshAxis &axis : mesh.axes)
    axes.push_back(AxisRef{axis.name, 1, 0});
  return axes;
}

static bool isFree(const Placement &placement, const AxisRef &axis,
                   const Mesh &mesh) {
  for (size_t d = 0; d < placement.dims.size(); ++d)
    for (const AxisRef &other : placement.axesOf(d))
      if (axis == other || overlap(axis, other, mesh))
        return false;
  for (const AxisRef &other : placement.partialAxes)
    if (axis == other || overlap(axis, other, mesh))
      return false;
  return true;
}

std::vector<Placement> test::allPlacements(const Mesh &mesh, size_t rank,
                                           const std::vector<AxisRef> &axes,
                                           std::optional<PartialKind> partial) {
  // Dims are filled one after another, so that each placement comes once.
  std::vector<Placement> result;
  std::vector<std::pair<Placement, size_t>> open = {
      {Placement::replicatedOfRank(rank), 0}};
  while (!open.empty()) {
    auto [placement, firstDim] = open.back();
    open.pop_back();
    result.push_back(placement);
    for (size_t d = firstDim; d < rank; ++d)
      for (const AxisRef &axis : axes)
        if (isFree(placement, axis, mesh)) {
          Placement next = placement;
          next.dims[d].splits.push_back(Split::byAxis(axis));
          open.push_back({next, d});
        }
  }
  if (!partial)
    return result;
  size_t withoutPartial = result.size();
  for (size_t i = 0; i < withoutPartial; ++i) {
    std::vector<std::pair<Placement, size_t>> found = {{result[i], 0}};
    while (!found.empty()) {
      auto [placement, firstAxis] = found.back();
      found.pop_back();
      for (size_t a = firstAxis; a < axes.size(); ++a)
        if (isFree(placement, axes[a], mesh)) {
          Placement next = placement;
          next.partial = partial;
          next.partialAxes.push_back(axes[a]);
          result.push_back(next);
          found.push_back({next, a + 1});
        }
    }
  }
  return result;
}

std::vector<Placement>
test::stridedPlacements(const Mesh &mesh, int64_t size,
                        const std::vector<AxisRef> &axes,
                        const std::vector<int64_t> &factors, size_t maxSplits) {
  std::vector<Placement> result, open = {Placement::replicatedOfRank(1)};
  while (!open.empty()) {
    Placement placement = open.back();
    open.pop_back();
    if (!verifyPlacement(placement, mesh, {size}))
      result.push_back(placement);
    std::vector<Split> &splits = placement.dims[0].splits;
    if (splits.size() == maxSplits)
      continue;
    for (int64_t factor : factors) {
      Placement next = placement;
      next.dims[0].splits.push_back(Split::byFactor(factor));
      open.push_back(next);
    }
    for (const AxisRef &axis : axes)
      if (isFree(placement, axis, mesh)) {
        Placement next = placement;
        next.dims[0].splits.push_back(Split::byAxis(axis));
        open.push_back(next);
      }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static int64_t elementsOf(const std::vector<DimShard> &shard) {
  int64_t count = 1;
  for (const DimShard &dim : shard)
    count *= dim.localExtent();
  return count;
}

int64_t test::globalIndex(const std::vector<DimShard> &shard,
                          const Shape &shape, int64_t local) {
  int64_t global = 0, stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t extent = shard[d].localExtent();
    global += shard[d].toGlobal(local % extent) * stride;
    local /= extent;
    stride *= shape[d];
  }
  return global;
}

int64_t test::maxLocalElements(const Placement &placement, const Mesh &mesh,
                               const Shape &shape) {
  int64_t most = 0;
  for (int64_t p = 0; p < mesh.numDevices(); ++p)
    most = std::max(most, elementsOf(shardOf(placement, mesh, shape, p)));
  return most;
}

static int64_t combine(PartialKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case PartialKind::Sum:
    return a + b;
  case PartialKind::Max:
    return std::max(a, b);
  case PartialKind::Min:
    return std::min(a, b);
  default:
    ADD_FAILURE() << "kind not evaluated here";
    return 0;
  }
}

static int64_t identityOf(PartialKind kind) {
  return kind == PartialKind::Sum   ? 0
         : kind == PartialKind::Max ? INT64_MIN
                                    : INT64_MAX;
}

static int64_t term(int64_t element, int64_t coordinate) {
  return ((element * 7919 + coordinate * 104729 + 13) * 31) % 2001 - 1000;
}

/// The coordinate along the partial axes, linear over them.
static int64_t partialCoordinate(const Placement &placement, const Mesh &mesh,
                                 int64_t position) {
  std::vector<int64_t> coords = mesh.coordinates(position);
  int64_t linear = 0;
  for (const AxisRef &axis : placement.partialAxes)
    linear = linear * axisSize(mesh, axis) + axisCoordinate(mesh, axis, coords);
  return linear;
}

static int64_t numTerms(const Placement &placement, const Mesh &mesh) {
  int64_t count = 1;
  for (const AxisRef &axis : placement.partialAxes)
    count *= axisSize(mesh, axis);
  return count;
}

using Values = std::vector<std::vector<int64_t>>; ///< per device

/// One step on every device. Returns what is wrong.
static std::string runStep(const CollectiveStep &step, const Mesh &mesh,
                           const Shape &shape, Values &values) {
  bool local = step.kind == CollectiveKind::Slice ||
               step.kind == CollectiveKind::MakePartial;
  std::vector<AxisRef> group = groupAxes(step, mesh, shape);
  PartialKind kind = step.from.partial.value_or(PartialKind::Sum);
  int64_t fill = identityOf(step.to.partial.value_or(PartialKind::Sum));
  Values next;
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    std::vector<DimShard> to = shardOf(step.to, mesh, shape, p);
    std::vector<int64_t> result(elementsOf(to), fill);
    std::vector<int> writes(result.size(), 0);
    int64_t received = 0;
    std::vector<int64_t> own = mesh.coordinates(p);
    std::set<int64_t> sources;
    for (const Piece &piece : receivePieces(step, mesh, shape, p)) {
      if (local && piece.source != p)
        return "a local step receives";
      if (!sources.insert(piece.source).second)
        return "two pieces from one device";
      // Only along the group's axes may the source differ.
      std::vector<int64_t> coords = mesh.coordinates(piece.source);
      std::vector<AxisRef> parts = commonRefinement(step.from, step.to, mesh);
      for (const AxisRef &part : parts) {
        bool inGroup = false;
        for (const AxisRef &axis : group)
          inGroup |= overlap(part, axis, mesh);
        if (!inGroup && axisCoordinate(mesh, part, coords) !=
                            axisCoordinate(mesh, part, own))
          return "a source outside of the group";
      }
      if (piece.source != p)
        received += piece.elements();
      std::vector<DimShard> from =
          shardOf(step.from, mesh, shape, piece.source);
      // Walks the runs of all dims together.
      std::vector<std::vector<std::pair<int64_t, int64_t>>> pairs(shape.size());
      int64_t count = 1;
      for (size_t d = 0; d < shape.size(); ++d) {
        int64_t end = -1;
        for (const Piece::Run &run : piece.runs[d]) {
          if (run.length <= 0 || run.source <= end)
            return "runs out of order";
          end = run.source + run.length - 1;
          for (int64_t i = 0; i < run.length; ++i)
            pairs[d].push_back({run.source + i, run.destination + i});
        }
        count *= static_cast<int64_t>(pairs[d].size());
      }
      if (count != piece.elements())
        return "a piece miscounts its elements";
      for (int64_t i = 0; i < count; ++i) {
        int64_t rest = i, s = 0, t = 0, strideS = 1, strideT = 1;
        for (size_t d = shape.size(); d-- > 0;) {
          auto [a, b] = pairs[d][rest % pairs[d].size()];
          rest /= static_cast<int64_t>(pairs[d].size());
          s += a * strideS;
          t += b * strideT;
          strideS *= from[d].localExtent();
          strideT *= to[d].localExtent();
        }
        if (globalIndex(from, shape, s) != globalIndex(to, shape, t))
          return "a piece mixes up elements";
        int64_t value = values[piece.source][s];
        result[t] = writes[t]++ ? combine(kind, result[t], value) : value;
      }
    }
    // Elements that a make_partial leaves out are the identity.
    bool mayLack = step.kind == CollectiveKind::MakePartial;
    for (int count : writes)
      if (mayLack ? count > 1 : count != writes[0])
        return "not every element gets as many terms";
    bool standard = step.kind == CollectiveKind::AllReduce ||
                    step.kind == CollectiveKind::ReduceScatter;
    if (!standard && bytesReceived(step, mesh, shape, 4, p) != received * 4)
      return "bytes differ from the pieces";
    if (step.kind == CollectiveKind::ReduceScatter &&
        bytesReceived(step, mesh, shape, 4, p) != received * 4)
      return "a reduce-scatter receives more than its result per device";
    next.push_back(std::move(result));
  }
  values = std::move(next);
  return "";
}

std::string test::checkPlan(const RedistributePlan &plan, const Placement &src,
                            const Placement &dst, const Mesh &mesh,
                            const Shape &shape) {
  PartialKind srcKind = src.partial.value_or(PartialKind::Sum);
  PartialKind dstKind = dst.partial.value_or(PartialKind::Sum);
  int64_t n = mesh.numDevices();
  Values values;
  for (int64_t p = 0; p < n; ++p) {
    std::vector<DimShard> shard = shardOf(src, mesh, shape, p);
    int64_t coordinate = partialCoordinate(src, mesh, p);
    std::vector<int64_t> &mine = values.emplace_back();
    for (int64_t i = 0, e = elementsOf(shard); i < e; ++i)
      mine.push_back(term(globalIndex(shard, shape, i), coordinate));
  }

  Placement reached = normalForm(src, mesh, shape);
  int64_t bound = std::max(maxLocalElements(src, mesh, shape),
                           maxLocalElements(dst, mesh, shape));
  for (const CollectiveStep &step : plan.steps) {
    if (step.from != reached)
      return "the chain breaks";
    if (step.to != normalForm(step.to, mesh, shape))
      return "not in normal form: " + toString(step.to);
    if (auto error = verifyPlacement(step.to, mesh, shape))
      return "does not verify: " + error->message;
    if (maxLocalElements(step.to, mesh, shape) > bound)
      return "holds too much: " + toString(step.to);
    std::string wrong = runStep(step, mesh, shape, values);
    if (!wrong.empty())
      return std::string(stringifyCollectiveKind(step.kind)) + ": " + wrong;
    reached = step.to;
  }
  if (reached != normalForm(dst, mesh, shape))
    return "ends at " + toString(reached);

  // Combine over the groups of dst and compare with the tensor.
  int64_t terms = numTerms(src, mesh);
  for (int64_t p = 0; p < n; ++p) {
    if (partialCoordinate(dst, mesh, p) != 0)
      continue;
    std::vector<DimShard> shard = shardOf(dst, mesh, shape, p);
    std::vector<int64_t> total(elementsOf(shard), identityOf(dstKind));
    for (int64_t q = 0; q < n; ++q) {
      // The devices that differ from p along the partial axes alone.
      std::vector<int64_t> a = mesh.coordinates(p), b = mesh.coordinates(q);
      bool member = true;
      for (const AxisRef &part : commonRefinement(dst, dst, mesh)) {
        bool isPartial = false;
        for (const AxisRef &axis : dst.partialAxes)
          isPartial |= overlap(part, axis, mesh);
        member &= isPartial || axisCoordinate(mesh, part, a) ==
                                   axisCoordinate(mesh, part, b);
      }
      if (!member)
        continue;
      if (values[q].size() != total.size())
        return "wrong local size";
      for (size_t i = 0; i < total.size(); ++i)
        total[i] = combine(dstKind, total[i], values[q][i]);
    }
    for (size_t i = 0; i < total.size(); ++i) {
      int64_t element = globalIndex(shard, shape, static_cast<int64_t>(i));
      int64_t expected = term(element, 0);
      for (int64_t c = 1; c < terms; ++c)
        expected = combine(srcKind, expected, term(element, c));
      if (total[i] != expected)
        return "wrong value on device " + std::to_string(p);
    }
  }
  return "";
}

/// The least bytes for a pair without partials, by looking at every element.
static int64_t leastElements(const Placement &src, const Placement &dst,
                             const Mesh &mesh, const Shape &shape) {
  int64_t most = 0;
  for (int64_t p = 0; p < mesh.numDevices(); ++p) {
    std::vector<DimShard> a = shardOf(src, mesh, shape, p);
    std::vector<DimShard> b = shardOf(dst, mesh, shape, p);
    int64_t shared = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t both = 0;
      for (int64_t i = 0; i < shape[d]; ++i)
        both += a[d].toLocal(i) >= 0 && b[d].toLocal(i) >= 0;
      shared *= both;
    }
    most = std::max(most, elementsOf(b) - shared);
  }
  return most;
}

void test::checkAllPairs(const std::vector<Placement> &placements,
                         const Mesh &mesh, const Shape &shape, size_t sample) {
  size_t pairs = placements.size() * placements.size();
  std::mt19937 random(7);
  double keep = isExhaustive() || pairs <= sample
                    ? 1.0
                    : static_cast<double>(sample) / static_cast<double>(pairs);
  std::bernoulli_distribution chosen(keep);
  int failures = 0;
  for (const Placement &src : placements)
    for (const Placement &dst : placements) {
      if (!chosen(random))
        continue;
      auto result = planRedistribute(src, dst, mesh, shape);
      auto *plan = std::get_if<RedistributePlan>(&result);
      std::string wrong = plan ? checkPlan(*plan, src, dst, mesh, shape)
                               : std::get<PlacementError>(result).message;
      if (wrong.empty() && !src.partial && !dst.partial &&
          planBytes(*plan, mesh, shape, 1) !=
              leastElements(src, dst, mesh, shape))
        wrong = "receives more than needed";
      if (wrong.empty())
        continue;
      ADD_FAILURE() << toString(src) << " -> " << toString(dst) << " of "
                    << ::testing::PrintToString(shape) << " on "
                    << mesh.numDevices() << " devices: " << wrong << "\n"
                    << (plan ? toString(*plan, mesh, shape) : "");
      if (++failures == 10)
        return;
    }
}
