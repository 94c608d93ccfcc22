//===- PlanCache.cpp - Plans that were made before --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires placements in normal form: other spellings would be other keys.
// Guarantees that equal keys have equal plans, and that one lock is held for
// the time of a look-up alone, never while a plan is made: two threads may make
// the same plan, and keep one.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/PlanCache.h"

#include <cstring>

using namespace shardir;

PlanCache::PlanCache(const PlanCache &other) { *this = other; }

PlanCache &PlanCache::operator=(const PlanCache &other) {
  if (this == &other)
    return *this;
  std::scoped_lock lock(mutex, other.mutex);
  plans = other.plans;
  found = other.found;
  return *this;
}

static void append(std::string &key, int64_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  key.append(bytes, sizeof value);
}

static void append(std::string &key, double value) {
  int64_t bits;
  static_assert(sizeof bits == sizeof value);
  std::memcpy(&bits, &value, sizeof bits);
  append(key, bits);
}

static void append(std::string &key, const AxisRef &axis) {
  key += axis.name;
  key += '\0'; // ends a name
  append(key, axis.preSize);
  append(key, axis.size);
}

static void append(std::string &key, const Placement &placement) {
  for (const DimPlacement &dim : placement.dims) {
    for (const Split &split : dim.splits) {
      key += split.isAxis() ? 'a' : 'f';
      if (split.isAxis())
        append(key, *split.axis);
      else
        append(key, split.factor);
    }
    key += ';';
  }
  if (placement.partial) {
    append(key, static_cast<int64_t>(*placement.partial));
    for (const AxisRef &axis : placement.partialAxes)
      append(key, axis);
  }
  key += '|';
}

std::string PlanCache::keyOf(const Placement &src, const Placement &dst,
                             const Mesh &mesh,
                             const std::vector<int64_t> &shape,
                             const PlanOptions &options) {
  std::string key;
  key.reserve(256);
  append(key, static_cast<int64_t>(mesh.axes.size()));
  for (const MeshAxis &axis : mesh.axes) {
    key += axis.name;
    key += '\0';
    append(key, axis.size);
    append(key, axis.assumed);
    key += axis.link ? 'l' : 'n';
    if (axis.link) {
      append(key, axis.link->bandwidth);
      append(key, axis.link->latency);
      append(key, axis.link->gatherBandwidth);
    }
  }
  append(key, static_cast<int64_t>(shape.size()));
  for (int64_t extent : shape)
    append(key, extent);
  append(key, src);
  append(key, dst);
  append(key, static_cast<int64_t>(options.mode));
  append(key, options.elementBytes);
  append(key, options.machine.bandwidth);
  append(key, options.machine.latency);
  if (options.deviceWeights.empty())
    return key;
  for (double weight : options.deviceWeights)
    append(key, weight);
  for (int64_t rank : mesh.devices)
    append(key, rank);
  return key;
}

std::optional<RedistributePlan> PlanCache::find(const std::string &key) {
  std::lock_guard<std::mutex> lock(mutex);
  auto entry = plans.find(key);
  if (entry == plans.end())
    return std::nullopt;
  ++found;
  return entry->second;
}

void PlanCache::insert(const std::string &key, const RedistributePlan &plan) {
  std::lock_guard<std::mutex> lock(mutex);
  plans.emplace(key, plan);
}

size_t PlanCache::size() const {
  std::lock_guard<std::mutex> lock(mutex);
  return plans.size();
}

size_t PlanCache::hits() const {
  std::lock_guard<std::mutex> lock(mutex);
  return found;
}
