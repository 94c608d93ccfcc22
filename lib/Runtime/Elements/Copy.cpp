//===- Copy.cpp - Copies of rectangular sets of elements ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds copy plans and runs them. Requires buffers as large as the shapes the
// plan was built for; guarantees one memcpy, or stores past the caches, per
// long span and a plain loop per short one, where a call would cost more than
// it.
//
//===----------------------------------------------------------------------===//

#include "Copy.h"

#include "Stream.h"

#include <optional>

namespace shardir {
namespace runtime {
namespace {

/// Joins runs that continue each other on both sides.
std::vector<Piece::Run> joined(const std::vector<Piece::Run> &runs) {
  std::vector<Piece::Run> result;
  for (const Piece::Run &run : runs) {
    if (run.length == 0)
      continue;
    if (!result.empty()) {
      Piece::Run &last = result.back();
      if (last.source + last.length == run.source &&
          last.destination + last.length == run.destination) {
        last.length += run.length;
        continue;
      }
    }
    result.push_back(run);
  }
  return result;
}

/// The one span of both arrays that `runs` are, of length 0 where they are
/// empty; nothing where they are several.
std::optional<Piece::Run>
spanOf(const std::vector<std::vector<Piece::Run>> &runs,
       const std::vector<int64_t> &sourceShape,
       const std::vector<int64_t> &destinationShape) {
  Piece::Run span{0, 0, 1};
  int64_t sourceStride = 1, destinationStride = 1;
  for (size_t d = runs.size(); d-- > 0;) {
    if (runs[d].empty())
      return Piece::Run();
    const Piece::Run &run = runs[d][0];
    // Several places of a dimension continue each other where what is inside of
    // it is whole.
    if (runs[d].size() > 1 ||
        (run.length > 1 &&
         (span.length != sourceStride || span.length != destinationStride)))
      return std::nullopt;
    span.source += run.source * sourceStride;
    span.destination += run.destination * destinationStride;
    span.length *= run.length;
    sourceStride *= sourceShape[d];
    destinationStride *= destinationShape[d];
  }
  return span;
}

/// Copies `n` elements of type T; short spans without a call.
template <class T>
inline void copySpan(const void *source, int64_t s, void *destination,
                     int64_t d, int64_t n) {
  const char *from = static_cast<const char *>(source) + s * sizeof(T);
  char *to = static_cast<char *>(destination) + d * sizeof(T);
  if (n * sizeof(T) > 64) {
    std::memcpy(to, from, size_t(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

template <class T>
void copyAll(const CopyPlan &plan, const void *source, void *destination) {
  plan.forEachSpan([&](int64_t s, int64_t d, int64_t n) {
    copySpan<T>(source, s, destination, d, n);
  });
}

/// Whole lines from `from` to each place, with the source read ahead.
void streamLines(void *const *outs, size_t numOuts, const char *from,
                 size_t n) {
  for (size_t i = 0; i < n; i += kLineBytes) {
    prefetchLine(from + i + kPrefetchBytes);
    for (size_t o = 0; o < numOuts; ++o)
      if (outs[o] != from)
        streamLine(static_cast<char *>(outs[o]) + i, from + i);
  }
}

void streamSpan(void *to, const char *from, size_t n) {
  for (size_t i = 0; i < n; i += kLineBytes) {
    prefetchLine(from + i + kPrefetchBytes);
    streamLine(static_cast<char *>(to) + i, from + i);
  }
}

} // namespace

void copyToAll(void *const *outs, size_t numOuts, const void *from, size_t n,
               bool stream) {
  auto *source = static_cast<const char *>(from);
  for (size_t o = 0; o < numOuts; ++o)
    stream &= canStreamTo(outs[o]);
  size_t lines = stream ? n / kLineBytes * kLineBytes : 0;
  if (lines) {
    if (numOuts == 1 && outs[0] != from)
      streamSpan(outs[0], source, lines);
    else
      streamLines(outs, numOuts, source, lines);
    streamFence();
  }
  if (lines == n)
    return;
  for (size_t o = 0; o < numOuts; ++o)
    if (outs[o] != from)
      std::memcpy(static_cast<char *>(outs[o]) + lines, source + lines,
                  n - lines);
}

CopyPlan::CopyPlan(const std::vector<std::vector<Piece::Run>> &runs,
                   const std::vector<int64_t> &sourceShape,
                   const std::vector<int64_t> &destinationShape) {
  if (std::optional<Piece::Run> one =
          spanOf(runs, sourceShape, destinationShape)) {
    if (one->length > 0)
      span = *one;
    return;
  }
  std::vector<CopyDim> reversed;
  int64_t sourceStride = 1, destinationStride = 1;
  for (size_t d = runs.size(); d-- > 0;) {
    CopyDim dim{joined(runs[d]), sourceStride, destinationStride};
    if (dim.runs.empty())
      return;
    sourceStride *= sourceShape[d];
    destinationStride *= destinationShape[d];
    // The dims inside of this one are unsharded on both sides: count in its
    // elements instead.
    if (!reversed.empty() && reversed.back().runs.size() == 1) {
      const Piece::Run &inner = reversed.back().runs[0];
      if (inner.length == dim.sourceStride / reversed.back().sourceStride &&
          inner.length ==
              dim.destinationStride / reversed.back().destinationStride) {
        for (Piece::Run &run : dim.runs) {
          run.source *= inner.length;
          run.destination *= inner.length;
          run.length *= inner.length;
        }
        dim.sourceStride = reversed.back().sourceStride;
        dim.destinationStride = reversed.back().destinationStride;
        reversed.back() = std::move(dim);
        continue;
      }
    }
    reversed.push_back(std::move(dim));
  }
  if (reversed.size() == 1 && reversed[0].runs.size() == 1)
    span = reversed[0].runs[0];
  else
    dims = std::make_shared<std::vector<CopyDim>>(reversed.rbegin(),
                                                  reversed.rend());
}

std::vector<CopyDim> CopyPlan::dimensions() const {
  if (dims)
    return *dims;
  if (span.length == 0)
    return {};
  return {{{span}, 1, 1}};
}

int64_t CopyPlan::firstDestination() const {
  if (!dims)
    return span.destination;
  int64_t first = 0;
  for (const CopyDim &dim : *dims)
    first += dim.runs[0].destination * dim.destinationStride;
  return first;
}

void CopyPlan::copy(const void *source, void *destination, size_t size,
                    bool stream) const {
  if (stream) {
    forEachSpan([&](int64_t s, int64_t d, int64_t n) {
      void *to = static_cast<char *>(destination) + size_t(d) * size;
      copyToAll(&to, 1, static_cast<const char *>(source) + size_t(s) * size,
                size_t(n) * size, size_t(n) * size >= kLongSpan);
    });
    return;
  }
  switch (size) {
  case 1:
    return copyAll<uint8_t>(*this, source, destination);
  case 2:
    return copyAll<uint16_t>(*this, source, destination);
  case 4:
    return copyAll<uint32_t>(*this, source, destination);
  default:
    return copyAll<uint64_t>(*this, source, destination);
  }
}

bool CopyPlan::operator==(const CopyPlan &o) const {
  auto sameRun = [](const Piece::Run &a, const Piece::Run &b) {
    return a.source == b.source && a.destination == b.destination &&
           a.length == b.length;
  };
  if (!dims || !o.dims)
    return !dims && !o.dims && sameRun(span, o.span);
  if (dims->size() != o.dims->size())
    return false;
  for (size_t d = 0; d < dims->size(); ++d) {
    const CopyDim &a = (*dims)[d], &b = (*o.dims)[d];
    if (a.sourceStride != b.sourceStride ||
        a.destinationStride != b.destinationStride ||
        a.runs.size() != b.runs.size())
      return false;
    for (size_t i = 0; i < a.runs.size(); ++i)
      if (!sameRun(a.runs[i], b.runs[i]))
        return false;
  }
  return true;
}

void copyStrided(const char *source, const int64_t *sourceStrides,
                 char *destination, const int64_t *destinationStrides,
                 const int64_t *shape, int64_t rank, size_t elementSize) {
  // Innermost dimensions that are contiguous on both sides are one span.
  int64_t span = 1, outer = rank;
  for (; outer > 0; --outer) {
    int64_t d = outer - 1;
    if (shape[d] != 1 &&
        (sourceStrides[d] != span || destinationStrides[d] != span))
      break;
    span *= shape[d];
  }
  for (int64_t d = 0; d < rank; ++d)
    if (shape[d] == 0)
      return;
  // The innermost of the other dimensions is a loop, the rest an odometer.
  int64_t inner = outer > 0 ? shape[outer - 1] : 1;
  int64_t sourceStep = outer > 0 ? sourceStrides[outer - 1] : 0;
  int64_t destinationStep = outer > 0 ? destinationStrides[outer - 1] : 0;
  auto bytes = size_t(span) * elementSize;
  auto size = int64_t(elementSize);
  std::vector<int64_t> index(outer > 0 ? size_t(outer - 1) : 0, 0);
  while (true) {
    const char *s = source;
    char *t = destination;
    for (size_t d = 0; d < index.size(); ++d) {
      s += index[d] * sourceStrides[d] * size;
      t += index[d] * destinationStrides[d] * size;
    }
    for (int64_t i = 0; i < inner; ++i) {
      const char *from = s + i * sourceStep * size;
      char *to = t + i * destinationStep * size;
      if (bytes == 4)
        std::memcpy(to, from, 4);
      else if (bytes == 2)
        std::memcpy(to, from, 2);
      else if (bytes == 8)
        std::memcpy(to, from, 8);
      else
        std::memcpy(to, from, bytes);
    }
    size_t d = index.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

} // namespace runtime
} // namespace shardir
