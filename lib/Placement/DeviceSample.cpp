//===- DeviceSample.cpp - Devices that stand for all of a mesh --*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires what DeviceSample.h says. Guarantees samples whose size depends on
// the number of axes and of uneven cuts, and not on the sizes of the axes.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/DeviceSample.h"
#include "Steps.h"

using namespace shardir;
using namespace shardir::detail;

DeviceSample::DeviceSample(const Mesh &mesh, int64_t few)
    : mesh(assumedMesh(mesh)), few(few), axes(mesh.axes.size()) {}

DeviceSample DeviceSample::allOf(const Mesh &mesh) {
  DeviceSample sample(mesh, INT64_MAX);
  for (const MeshAxis &axis : mesh.axes)
    sample.add(AxisRef{axis.name, 1, 0});
  return sample;
}

int64_t DeviceSample::numDevices() const {
  int64_t devices = 1;
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i].isUsed)
      devices = mulSaturated(devices, mesh.axes[i].size);
  return devices;
}

void DeviceSample::add(const AxisRef &axis) {
  int index = mesh.axisIndex(axis.name);
  if (index < 0)
    return;
  Axis &own = axes[static_cast<size_t>(index)];
  own.isUsed = true;
  own.ends.insert(axis.isWhole() ? 1 : axis.preSize);
  own.ends.insert(axisEnd(mesh, axis));
}

/// Takes a coordinate along an axis or sub-axis, and its neighbours.
void DeviceSample::addCorner(const AxisRef &axis, int64_t coordinate) {
  int index = mesh.axisIndex(axis.name);
  if (index < 0)
    return;
  int64_t size = axisSize(mesh, axis);
  int64_t stride =
      mesh.axes[static_cast<size_t>(index)].size / axisEnd(mesh, axis);
  for (int64_t near = coordinate - 1; near <= coordinate + 1; ++near)
    if (near >= 0 && near < size)
      axes[static_cast<size_t>(index)].corners.insert(near * stride);
}

void DeviceSample::add(const DimPlacement &dim, int64_t extent) {
  for (const Split &split : dim.splits)
    if (split.isAxis())
      add(*split.axis);
  // All runs of axes but the last cut evenly.
  SymbolicDigit cut;
  for (const SymbolicDigit &digit : digitsOf(dim, mesh, extent))
    if (!digit.axes.empty())
      cut = digit;
  // The lengths that the axis cuts: of full blocks, and of short ones.
  std::set<int64_t> lengths = {cut.extent};
  for (const AxisRef &axis : cut.axes) {
    std::set<int64_t> inner;
    for (int64_t length : lengths) {
      int64_t block = ceilDiv(length, axisSize(mesh, axis));
      if (block == 0)
        continue;
      inner.insert(block);
      if (length % axisSize(mesh, axis) == 0)
        continue;
      addCorner(axis, length / block);
      if (length % block != 0)
        inner.insert(length % block);
    }
    lengths = std::move(inner);
  }
}

void DeviceSample::add(const Placement &placement,
                       const std::vector<int64_t> &shape) {
  std::vector<int64_t> sizes = assumedShape(shape, mesh, {&placement});
  for (size_t d = 0; d < placement.dims.size(); ++d)
    add(placement.dims[d], sizes[d]);
  for (const AxisRef &axis : placement.partialAxes)
    add(axis);
}

/// Takes block number `block` of those that `run` cuts.
void DeviceSample::addBlock(const std::vector<AxisRef> &run, int64_t block) {
  for (size_t i = run.size(); i-- > 0;) {
    int64_t size = axisSize(mesh, run[i]);
    addCorner(run[i], block % size);
    block /= size;
  }
}

void DeviceSample::addAll(const std::vector<AxisRef> &refs) {
  for (const AxisRef &axis : refs)
    if (int index = mesh.axisIndex(axis.name); index >= 0)
      axes[static_cast<size_t>(index)].takesAll = true;
}

/// The first and the last blocks that read past no end of a dim of `extent`.
void DeviceSample::addHalo(const DimPlacement &dim, const DimHalo &halo,
                           int64_t extent) {
  std::vector<AxisRef> run;
  for (const Split &split : dim.splits)
    if (split.isAxis())
      run.push_back(*split.axis);
  if (run.empty())
    return;
  int64_t cut = halo.isWindow() ? halo.extent : extent;
  // The halo of a block depends on its place modulo the dilation, and where
  // blocks of several axes are short, on the short ones next to it.
  if (halo.dilation != 1 || (run.size() > 1 && cut % groupSize(mesh, run) != 0))
    addAll(run);
  int64_t step = mulSaturated(
      std::max<int64_t>(1, ceilDiv(cut, groupSize(mesh, run))), halo.stride);
  int64_t last = groupSize(mesh, run) - 1;
  for (int64_t block : {(halo.low - halo.shift) / step,
                        (extent - 1 - halo.high - halo.shift) / step - 1})
    addBlock(run, std::clamp<int64_t>(block, 0, last));
  addBlock(run, last - 1);
}

void DeviceSample::add(const CollectiveStep &step,
                       const std::vector<int64_t> &known) {
  std::vector<int64_t> shape =
      assumedShape(known, mesh, {&step.from, &step.to});
  add(step.from, shape);
  if (step.halo.empty()) {
    add(step.to, shape);
    // Where integers cut across the other's blocks, what two shards share is no
    // product of ranges.
    for (size_t d = 0; d < shape.size(); ++d)
      if (!haveCommonRanges(step.from, step.to, mesh, shape[d], d))
        for (const Placement *placement : {&step.from, &step.to})
          addAll(placement->axesOf(d));
    return;
  }
  for (size_t d = 0; d < step.to.dims.size(); ++d) {
    const DimHalo &halo = step.halo[d];
    add(step.to.dims[d], halo.isWindow() ? halo.extent : shape[d]);
    if (!halo.isZero())
      addHalo(step.to.dims[d], halo, shape[d]);
  }
  for (const AxisRef &axis : step.to.partialAxes)
    add(axis);
}

std::vector<std::vector<int64_t>> DeviceSample::coordinates() const {
  std::vector<std::vector<int64_t>> result;
  bool takesFew = numDevices() <= few;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Axis &axis = axes[i];
    std::vector<int64_t> &own = result.emplace_back();
    int64_t size = axis.isUsed ? mesh.axes[i].size : 1;
    bool takesAll = takesFew || axis.takesAll;
    // The sizes of the parts that the ends cut the axis into.
    std::vector<int64_t> parts;
    int64_t before = 1;
    std::set<int64_t> ends = axis.ends;
    ends.insert(size);
    for (int64_t end : ends) {
      takesAll |= end % before != 0;
      if (end > before)
        parts.push_back(end / before);
      before = std::max(before, end);
    }
    int64_t combinations = 1;
    std::vector<std::set<int64_t>> digits(parts.size());
    for (size_t p = parts.size(), rest = 1; p-- > 0; rest *= parts[p]) {
      std::set<int64_t> &digit = digits[p];
      for (int64_t value : {int64_t(0), int64_t(1), parts[p] / 2, parts[p] - 1})
        digit.insert(value);
      for (int64_t corner : axis.corners)
        digit.insert(corner / int64_t(rest) % parts[p]);
      combinations = mulSaturated(combinations, int64_t(digit.size()));
    }
    if (takesAll || combinations >= size) {
      for (int64_t value = 0; value < size; ++value)
        own.push_back(value);
      continue;
    }
    own = {0};
    for (size_t p = 0; p < parts.size(); ++p) {
      std::vector<int64_t> longer;
      for (int64_t prefix : own)
        for (int64_t digit : digits[p])
          longer.push_back(prefix * parts[p] + digit);
      own = std::move(longer);
    }
  }
  return result;
}

std::vector<int64_t> DeviceSample::positions() const {
  std::vector<int64_t> result = {0};
  std::vector<std::vector<int64_t>> values = coordinates();
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<int64_t> longer;
    for (int64_t prefix : result)
      for (int64_t value : values[i])
        longer.push_back(prefix * mesh.axes[i].size + value);
    result = std::move(longer);
  }
  return result;
}
