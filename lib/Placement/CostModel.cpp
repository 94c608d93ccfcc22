//===- CostModel.cpp - What a redistribution costs --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires steps between placements that verify; sizes that are not known count
// as assumed.
// Guarantees the bytes of bytesReceived without making pieces, and seconds that
// two chains share exactly where the model gives them the same time: they are
// rounded to picoseconds.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include <cmath>

using namespace shardir;
using namespace shardir::detail;

double DeviceRates::flopsOf(int64_t elementBytes) const {
  double rate = elementBytes > 4 && flops64 > 0 ? flops64 : flops32;
  if (elementBytes <= 2 && flops16 > 0)
    rate = flops16;
  if (elementBytes <= 1 && flops8 > 0)
    rate = flops8;
  return rate;
}

Link MachineModel::linkOf(const MeshAxis &axis) const {
  Link link = axis.link.value_or(Link{});
  if (!(link.bandwidth > 0))
    link.bandwidth = bandwidth;
  // A link that names its bandwidth alone has the default latency.
  if (!(link.latency > 0))
    link.latency = latency;
  link.gatherBandwidth = std::max(link.bandwidth, link.gatherBandwidth);
  return link;
}

bool shardir::isCheaper(const Cost &a, const Cost &b, CostMode mode) {
  auto rest = [](const Cost &c) {
    return std::tie(c.bytes, c.steps, c.exchanges, c.peak, c.copies);
  };
  if (mode == CostMode::Time && a.seconds != b.seconds)
    return a.seconds < b.seconds;
  if (rest(a) != rest(b))
    return rest(a) < rest(b);
  return a.seconds < b.seconds;
}

static int64_t addSaturated(int64_t a, int64_t b) {
  return b > INT64_MAX - a ? INT64_MAX : a + b;
}

/// The number of terms that a step adds up for one element.
static int64_t termsOf(const CollectiveStep &step, const Mesh &mesh) {
  int64_t terms = groupSize(mesh, step.from.partialAxes);
  return step.from.partial == step.to.partial
             ? std::max<int64_t>(1,
                                 terms / groupSize(mesh, step.to.partialAxes))
             : terms;
}

static int64_t ceilLog2(int64_t n) {
  int64_t log = 0;
  while (log < 62 && (int64_t{1} << log) < n)
    ++log;
  return log;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Costs::Costs(ShardSizes &shardSizes, const Mesh &mesh,
             const std::vector<int64_t> &shape, int64_t elementBytes,
             const MachineModel *machine, const std::vector<double> &weights,
             const StepCost &stepCost)
    : shardSizes(shardSizes), mesh(mesh), shape(shape),
      elementBytes(elementBytes), machine(machine), stepCost(stepCost) {
  if (weights.empty())
    return;
  this->weights.assign(shardSizes.sampleSize(), 0);
  for (int64_t p = 0; p < mesh.numDevices(); ++p)
    if (auto rank = static_cast<size_t>(mesh.rankAt(p)); rank < weights.size())
      this->weights[shardSizes.deviceAt(mesh.coordinates(p))] += weights[rank];
}

Costs::Table Costs::product(const std::vector<const Table *> &tables) const {
  Table result(shardSizes.sampleSize(), 1);
  for (const Table *table : tables)
    for (size_t p = 0; p < result.size(); ++p)
      result[p] = (*table)[p] == 0 || result[p] == 0
                      ? 0
                      : mulSaturated(result[p], (*table)[p]);
  return result;
}

Costs::Table Costs::held(const Placement &placement) {
  std::vector<const Table *> tables;
  for (size_t d = 0; d < shape.size(); ++d)
    tables.push_back(
        &shardSizes.extents(d, shardSizes.option(d, placement.dims[d])));
  return product(tables);
}

int64_t Costs::mostHeld(const Placement &placement) {
  // The first device has the first block of every cut, which is the longest.
  int64_t most = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t extent =
        shardSizes.extents(d, shardSizes.option(d, placement.dims[d])).front();
    most = extent == 0 || most == 0 ? 0 : mulSaturated(most, extent);
  }
  return most;
}

Costs::Table Costs::received(const CollectiveStep &step) {
  switch (step.kind) {
  case CollectiveKind::Slice:
  case CollectiveKind::MakePartial:
    return Table(shardSizes.sampleSize(), 0);
  case CollectiveKind::AllReduce: {
    Table result = held(step.from);
    int64_t n = termsOf(step, mesh);
    for (int64_t &count : result)
      count = mulSaturated(mulSaturated(2, n - 1), ceilDiv(count, n));
    return result;
  }
  case CollectiveKind::ReduceScatter: {
    Table result = held(step.to);
    int64_t n = termsOf(step, mesh);
    for (int64_t &count : result)
      count = mulSaturated(n - 1, count);
    return result;
  }
  case CollectiveKind::AllGather: {
    Table result = held(step.to), own = held(step.from);
    for (size_t p = 0; p < result.size(); ++p)
      result[p] = std::max<int64_t>(0, result[p] - own[p]);
    return result;
  }
  case CollectiveKind::AllToAll:
  case CollectiveKind::Permute:
  case CollectiveKind::Exchange:
  case CollectiveKind::HaloExchange:
    break;
  }
  if (step.kind == CollectiveKind::HaloExchange ||
      step.from.partial != step.to.partial ||
      step.from.partialAxes != step.to.partialAxes) {
    // Shards overlap, or a chain of someone else's adds up or makes terms.
    StepParts parts(step, mesh);
    Table result;
    for (size_t p = 0; p < shardSizes.sampleSize(); ++p) {
      int64_t position = 0;
      for (size_t i = 0; i < mesh.axes.size(); ++i)
        position = position * mesh.axes[i].size + shardSizes.coordinates(p)[i];
      result.push_back(elementsReceived(step, parts, mesh, shape, position));
    }
    return result;
  }
  std::vector<const Table *> shared;
  for (size_t d = 0; d < shape.size(); ++d) {
    int from = shardSizes.option(d, step.from.dims[d]);
    int to = shardSizes.option(d, step.to.dims[d]);
    shared.push_back(&shardSizes.shared(d, from, to));
  }
  Table result = held(step.to), both = product(shared);
  for (size_t p = 0; p < result.size(); ++p)
    result[p] -= both[p];
  return result;
}

Costs::Table Costs::received(const std::vector<CollectiveStep> &steps) {
  Table total(shardSizes.sampleSize(), 0);
  for (const CollectiveStep &step : steps) {
    Table elements = received(step);
    for (size_t p = 0; p < total.size(); ++p)
      total[p] = addSaturated(total[p], elements[p]);
  }
  return total;
}

int64_t Costs::bytes(const Table &received) {
  int64_t bytesEach = std::max<int64_t>(0, elementBytes);
  if (weights.empty())
    return mulSaturated(*std::max_element(received.begin(), received.end()),
                        bytesEach);
  double sum = 0;
  for (size_t p = 0; p < received.size(); ++p)
    sum += weights[p] * static_cast<double>(received[p]);
  return std::llround(std::min(sum * static_cast<double>(bytesEach), 9e18));
}

Cost Costs::of(const std::vector<CollectiveStep> &steps) {
  Cost cost;
  Table total(shardSizes.sampleSize(), 0);
  int64_t peak = 0, alive = 0;
  double time = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const CollectiveStep &step = steps[i];
    bool local = step.kind == CollectiveKind::Slice ||
                 step.kind == CollectiveKind::MakePartial;
    cost.copies += local;
    cost.steps += !local;
    cost.exchanges += step.kind == CollectiveKind::Exchange;
    if (i == 0)
      peak = mostHeld(step.from);
    // The device that holds most of one placement holds most of all.
    int64_t result = mostHeld(step.to), now = mostHeld(steps[0].from);
    peak = std::max(peak, result);
    if (i > 0)
      now = addSaturated(now, mostHeld(step.from));
    bool overwrites = step.kind == CollectiveKind::MakePartial && i > 0 &&
                      step.from.dims == step.to.dims;
    if (!overwrites)
      now = addSaturated(now, result);
    alive = std::max(alive, now);
    if (local)
      continue;
    if (stepCost) {
      Cost own = stepCost(step, mesh, shape, elementBytes);
      cost.bytes = addSaturated(cost.bytes, own.bytes);
      time += own.seconds;
      continue;
    }
    Table elements = received(step);
    for (size_t p = 0; p < total.size(); ++p)
      total[p] = addSaturated(total[p], elements[p]);
    if (machine)
      time += seconds(step, elements);
  }
  if (!stepCost)
    cost.bytes = bytes(total);
  cost.peak = mulSaturated(peak, std::max<int64_t>(0, elementBytes));
  cost.alive = mulSaturated(alive, std::max<int64_t>(0, elementBytes));
  cost.seconds = std::round(time * 1e12) / 1e12;
  return cost;
}

//===----------------------------------------------------------------------===//
// Seconds
//===----------------------------------------------------------------------===//

double Costs::seconds(const CollectiveStep &step, const Table &received) {
  int64_t most = *std::max_element(received.begin(), received.end());
  if (most == 0)
    return 0;
  // The group's axes by their links, the slowest first.
  struct Class {
    Link link;
    int64_t size;
  };
  std::vector<Class> classes;
  int64_t devices = 1;
  for (const AxisRef &axis : groupAxes(step, mesh, shape)) {
    int index = mesh.axisIndex(axis.name);
    if (index < 0)
      continue;
    Link link = machine->linkOf(mesh.axes[static_cast<size_t>(index)]);
    int64_t size = axisSize(mesh, axis);
    devices = mulSaturated(devices, size);
    auto same = std::find_if(classes.begin(), classes.end(),
                             [&](const Class &c) { return c.link == link; });
    if (same != classes.end())
      same->size = mulSaturated(same->size, size);
    else
      classes.push_back({link, size});
  }
  std::sort(classes.begin(), classes.end(), [](const Class &a, const Class &b) {
    return std::tie(a.link.bandwidth, b.link.latency) <
           std::tie(b.link.bandwidth, a.link.latency);
  });
  if (classes.empty())
    return 0;

  double rounds = 0, slowest = 0;
  for (const Class &c : classes) {
    rounds += static_cast<double>(ceilLog2(c.size)) * c.link.latency;
    slowest = std::max(slowest, c.link.latency);
  }
  if (step.kind == CollectiveKind::Permute)
    rounds = slowest;
  if (step.kind == CollectiveKind::Exchange ||
      step.kind == CollectiveKind::AllToAll) {
    rounds = static_cast<double>(ceilLog2(1 + mostPeers(step))) * slowest;
    most = std::max(most, mostSent(step));
  }
  auto travel = [&](int64_t elements) {
    double bytes =
        static_cast<double>(elements) * static_cast<double>(elementBytes);
    bool isShared = step.kind == CollectiveKind::AllGather ||
                    step.kind == CollectiveKind::ReduceScatter ||
                    step.kind == CollectiveKind::AllReduce;
    auto bandwidthOf = [&](const Class &c) {
      return isShared ? c.link.gatherBandwidth : c.link.bandwidth;
    };
    if (step.kind == CollectiveKind::Permute || classes.size() == 1)
      return bytes / bandwidthOf(classes.front());
    // Of all others, those that differ along an axis of the slowest links get
    // their bytes over these; of the rest, along the next ones; and so on.
    double time = 0;
    double all = static_cast<double>(devices), left = all;
    for (const Class &c : classes) {
      double inner = left / static_cast<double>(c.size);
      time += bytes * (left - inner) / (all - 1) / bandwidthOf(c);
      left = inner;
    }
    return time;
  };
  if (step.kind != CollectiveKind::AllReduce)
    return slowest + rounds + travel(most);
  // In chunks that are then sent to all; or the full operand to all at once.
  Table whole = held(step.from);
  int64_t all = mulSaturated(termsOf(step, mesh) - 1,
                             *std::max_element(whole.begin(), whole.end()));
  return slowest + std::min(2 * rounds + travel(most), rounds + travel(all));
}

/// How many other devices one device gets elements from, at most.
int64_t Costs::mostPeers(const CollectiveStep &step) {
  std::vector<const Table *> tables, shared;
  for (size_t d = 0; d < shape.size(); ++d) {
    int from = shardSizes.option(d, step.from.dims[d]);
    int to = shardSizes.option(d, step.to.dims[d]);
    tables.push_back(&shardSizes.meeting(d, from, to));
    shared.push_back(&shardSizes.shared(d, from, to));
  }
  Table all = product(tables), own = product(shared);
  int64_t most = 0;
  for (size_t p = 0; p < all.size(); ++p)
    most = std::max(most, all[p] - (own[p] != 0));
  return most;
}

/// The elements that one device sends, at most. A device serves those that it
/// shares all coordinates with along the axes that `from` is replicated over.
/// Each of its elements is wanted by one of them per coordinate along the axes
/// that split `from` and not `to`, if by any: if the device's own coordinates
/// along the axes that only `to` is split by are those of the element's block.
int64_t Costs::mostSent(const CollectiveStep &step) {
  std::vector<AxisRef> parts = commonRefinement(step.from, step.to, mesh);
  auto splits = [&](const Placement &placement, const AxisRef &part) {
    for (size_t d = 0; d < placement.dims.size(); ++d)
      for (const AxisRef &axis : placement.axesOf(d))
        if (isFactorOf(part, axis, mesh))
          return true;
    return false;
  };
  int64_t copies = 1;
  std::vector<AxisRef> both;
  for (const AxisRef &part : parts)
    if (splits(step.from, part)) {
      if (splits(step.to, part))
        both.push_back(part);
      else
        copies = mulSaturated(copies, axisSize(mesh, part));
    }
  std::vector<Table> wanted;
  wanted.reserve(shape.size());
  std::vector<const Table *> tables, shared;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<AxisRef> varied;
    bool all = true;
    for (const AxisRef &axis : step.to.axesOf(d))
      for (const AxisRef &part : refine(axis, mesh, parts)) {
        bool vary = std::find(both.begin(), both.end(), part) != both.end();
        all &= vary;
        if (vary)
          varied.push_back(part);
      }
    int from = shardSizes.option(d, step.from.dims[d]);
    int to = shardSizes.option(d, step.to.dims[d]);
    // Blocks of all coordinates together are the full dim.
    wanted.push_back(all ? shardSizes.extents(d, from)
                         : shardSizes.sharedByAny(d, from, to, varied));
    shared.push_back(&shardSizes.shared(d, from, to));
  }
  for (const Table &table : wanted)
    tables.push_back(&table);
  Table sent = product(tables), own = product(shared);
  int64_t most = 0;
  for (size_t p = 0; p < sent.size(); ++p)
    most = std::max(most, mulSaturated(copies, sent[p]) - own[p]);
  return most;
}

bool Costs::isBalanced(const CollectiveStep &step) {
  Table all = received(step);
  return mostSent(step) <= *std::max_element(all.begin(), all.end());
}

//===----------------------------------------------------------------------===//
// The public interface
//===----------------------------------------------------------------------===//

/// Returns the result of `use` on the costs of chains of `steps`, on the
/// devices of `sample`, or of one that is made for these steps.
template <typename Use>
static auto withCosts(const std::vector<CollectiveStep> &steps,
                      const Mesh &mesh, const std::vector<int64_t> &shape,
                      int64_t elementBytes, const MachineModel *machine,
                      const DeviceSample *sample, Use use,
                      const StepCost &stepCost = nullptr) {
  Mesh concrete = assumedMesh(mesh);
  std::vector<const Placement *> placements;
  for (const CollectiveStep &step : steps) {
    placements.push_back(&step.from);
    placements.push_back(&step.to);
  }
  std::vector<int64_t> sizes = assumedShape(shape, concrete, placements);
  DeviceSample own(concrete);
  for (const CollectiveStep &step : steps)
    own.add(step, sizes);
  ShardSizes shardSizes(concrete, sizes, sample ? *sample : own);
  Costs costs(shardSizes, concrete, sizes, elementBytes, machine,
              /*weights=*/{}, stepCost);
  return use(costs);
}

Cost shardir::costOf(const std::vector<CollectiveStep> &steps, const Mesh &mesh,
                     const std::vector<int64_t> &shape, int64_t elementBytes,
                     const MachineModel &machine, const StepCost &stepCost) {
  return withCosts(
      steps, mesh, shape, elementBytes, &machine, /*sample=*/nullptr,
      [&](Costs &costs) { return costs.of(steps); }, stepCost);
}

std::vector<int64_t>
shardir::bytesReceived(const std::vector<CollectiveStep> &steps,
                       const Mesh &mesh, const std::vector<int64_t> &shape,
                       int64_t elementBytes, const DeviceSample &sample) {
  std::vector<int64_t> bytes =
      withCosts(steps, mesh, shape, elementBytes, /*machine=*/nullptr, &sample,
                [&](Costs &costs) { return costs.received(steps); });
  for (int64_t &own : bytes)
    own = mulSaturated(own, std::max<int64_t>(0, elementBytes));
  return bytes;
}

int64_t detail::bytesOf(const std::vector<CollectiveStep> &steps,
                        const Mesh &mesh, const std::vector<int64_t> &shape,
                        int64_t elementBytes) {
  return withCosts(steps, mesh, shape, elementBytes, /*machine=*/nullptr,
                   /*sample=*/nullptr,
                   [&](Costs &costs) { return costs.of(steps).bytes; });
}
