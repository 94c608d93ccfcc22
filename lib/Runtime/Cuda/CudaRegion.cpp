//===- CudaRegion.cpp - Copy plans as kernels take them -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what CudaRegion.h says. A region that would exceed a
// launch is cut in two, at its list of runs if that is too long, else through
// its largest dimension.
//
//===----------------------------------------------------------------------===//

#include "CudaRegion.h"

#include <algorithm>

namespace shardir {
namespace runtime {
namespace {

/// Indices of a region stay below this, and so do its units.
constexpr int64_t kMostUnits = int64_t(1) << 31;

int64_t lengthOf(const CopyDim &dim) {
  int64_t length = 0;
  for (const Piece::Run &run : dim.runs)
    length += run.length;
  return length;
}

/// Cuts the runs of a dimension into two lists that are not empty. Requires a
/// length of at least 2.
std::pair<CopyDim, CopyDim> cut(const CopyDim &dim) {
  CopyDim first = dim, second = dim;
  if (dim.runs.size() > 1) {
    auto middle = std::ptrdiff_t(dim.runs.size() / 2);
    first.runs.assign(dim.runs.begin(), dim.runs.begin() + middle);
    second.runs.assign(dim.runs.begin() + middle, dim.runs.end());
    return {first, second};
  }
  Piece::Run run = dim.runs[0];
  int64_t half = run.length / 2;
  first.runs[0].length = half;
  second.runs[0] = {run.source + half, run.destination + half,
                    run.length - half};
  return {first, second};
}

class Cutter {
public:
  Cutter(size_t unit,
         const std::function<void(const Region &, int64_t, int64_t)> &f)
      : unit(int64_t(unit)), f(f) {}

  /// `source` and `destination` are offsets in units.
  void cutAll(std::vector<CopyDim> dims, int64_t source, int64_t destination) {
    if (dims.size() > kRegionDims) {
      CopyDim outer = dims.front();
      dims.erase(dims.begin());
      for (const Piece::Run &run : outer.runs)
        for (int64_t i = 0; i < run.length; ++i)
          cutAll(dims, source + (run.source + i) * outer.sourceStride,
                 destination + (run.destination + i) * outer.destinationStride);
      return;
    }
    size_t runs = 0, longest = 0, largest = 0;
    int64_t total = 1;
    for (size_t d = 0; d < dims.size(); ++d) {
      runs += dims[d].runs.size();
      int64_t length = lengthOf(dims[d]);
      if (length == 0)
        return;
      // Cut long before the product could overflow.
      total = length > kMostUnits / total ? kMostUnits : total * length;
      if (dims[d].runs.size() > dims[longest].runs.size())
        longest = d;
      if (length > lengthOf(dims[largest]))
        largest = d;
    }
    if (runs > kRegionRuns || total >= kMostUnits) {
      size_t at = runs > kRegionRuns ? longest : largest;
      auto [first, second] = cut(dims[at]);
      std::vector<CopyDim> rest = dims;
      dims[at] = std::move(first);
      rest[at] = std::move(second);
      cutAll(std::move(dims), source, destination);
      cutAll(std::move(rest), source, destination);
      return;
    }
    emit(dims, uint32_t(total), source, destination);
  }

private:
  void emit(const std::vector<CopyDim> &dims, uint32_t total, int64_t source,
            int64_t destination) {
    Region region = {};
    region.total = total;
    region.numDims = uint32_t(dims.size());
    uint32_t next = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      RegionDim &dim = region.dims[d];
      dim.firstRun = next;
      dim.sourceStride = dims[d].sourceStride;
      dim.destinationStride = dims[d].destinationStride;
      for (const Piece::Run &run : dims[d].runs) {
        region.runs[next++] = {dim.length, run.source * dim.sourceStride,
                               run.destination * dim.destinationStride};
        dim.length += uint32_t(run.length);
      }
      dim.lastRun = next - 1;
    }
    f(region, source * unit, destination * unit);
  }

  const int64_t unit;
  const std::function<void(const Region &, int64_t, int64_t)> &f;
};

} // namespace

size_t regionUnit(const std::vector<CopyDim> &dims, size_t size, size_t widest,
                  uintptr_t addresses) {
  if (dims.empty() || dims.back().sourceStride != 1 ||
      dims.back().destinationStride != 1)
    return size;
  uint64_t bits = addresses | widest;
  auto add = [&](int64_t elements) {
    bits |= uint64_t(elements) * uint64_t(size);
  };
  for (const Piece::Run &run : dims.back().runs) {
    add(run.source);
    add(run.destination);
    add(run.length);
  }
  for (size_t d = 0; d + 1 < dims.size(); ++d) {
    add(dims[d].sourceStride);
    add(dims[d].destinationStride);
  }
  // The lowest bit that is set is the largest power of two that divides all.
  return std::max(size, size_t(bits & ~(bits - 1)));
}

void forEachRegion(
    const std::vector<CopyDim> &dims, size_t size, size_t unit,
    const std::function<void(const Region &, int64_t, int64_t)> &f) {
  if (dims.empty())
    return;
  auto wide = int64_t(unit / size);
  std::vector<CopyDim> inUnits = dims;
  if (wide > 1) {
    for (Piece::Run &run : inUnits.back().runs) {
      run.source /= wide;
      run.destination /= wide;
      run.length /= wide;
    }
    for (size_t d = 0; d + 1 < inUnits.size(); ++d) {
      inUnits[d].sourceStride /= wide;
      inUnits[d].destinationStride /= wide;
    }
  }
  Cutter(unit, f).cutAll(std::move(inUnits), 0, 0);
}

std::vector<CopyDim> stridedDims(const int64_t *shape,
                                 const int64_t *sourceStrides,
                                 const int64_t *destinationStrides,
                                 int64_t rank) {
  std::vector<CopyDim> dims; // innermost first
  for (int64_t d = rank; d-- > 0;) {
    if (shape[d] == 0)
      return {};
    if (shape[d] == 1)
      continue;
    int64_t s = sourceStrides[d], t = destinationStrides[d];
    if (!dims.empty()) {
      CopyDim &inner = dims.back();
      int64_t length = inner.runs[0].length;
      if (s == inner.sourceStride * length &&
          t == inner.destinationStride * length) {
        inner.runs[0].length *= shape[d];
        continue;
      }
    }
    dims.push_back({{{0, 0, shape[d]}}, s, t});
  }
  if (dims.empty())
    dims.push_back({{{0, 0, 1}}, 1, 1});
  std::reverse(dims.begin(), dims.end());
  return dims;
}

const Piece::Run *wholeSpan(const std::vector<CopyDim> &dims) {
  return dims.size() == 1 && dims[0].runs.size() == 1 &&
                 dims[0].sourceStride == 1 && dims[0].destinationStride == 1
             ? &dims[0].runs[0]
             : nullptr;
}

} // namespace runtime
} // namespace shardir
