//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies and reductions on the GPU, and transfers between host and GPU.
// Transfers go through pinned memory, two pieces by turns: the processor fills
// or reads one while the GPU moves the other. A single contiguous span is the
// driver's copy; anything else is a kernel, because the driver's copies have
// three dimensions at most.
//
//===----------------------------------------------------------------------===//

#include "CudaRank.h"

#include "CudaRegion.h"

#include <algorithm>
#include <cstring>

namespace shardir {
namespace runtime {

namespace {

constexpr size_t kStagingBytes = size_t(4) << 20;
/// Blocks of the runtime's kernels per multiprocessor.
constexpr uint64_t kBlocksEach = 8;

cuda::DevicePtr address(const void *p) {
  return cuda::DevicePtr(reinterpret_cast<uintptr_t>(p));
}

std::string bytesText(size_t bytes) { return std::to_string(bytes) + " bytes"; }

} // namespace

template <class Arguments>
void CudaRank::launchOwn(const char *name, uint64_t units,
                         const Arguments &arguments) {
  uint64_t blocks = (units + kKernelThreads - 1) / kKernelThreads;
  blocks = std::min(blocks, kBlocksEach * uint64_t(device.multiprocessors));
  CudaWork work;
  work.function = device.kernel(name);
  work.name = name;
  work.grid[0] = unsigned(blocks);
  work.block[0] = kKernelThreads;
  work.addArgument(&arguments, sizeof(Arguments));
  put(std::move(work));
}

void CudaRank::copy(void *to, const void *from, size_t bytes) {
  if (!bytes || to == from)
    return;
  CudaWork work;
  work.kind = CudaWork::Copy;
  work.to = address(to);
  work.from = address(from);
  work.count = bytes;
  put(std::move(work));
}

void CudaRank::hostCopy(void *to, const void *from, size_t bytes, bool toHost) {
  if (!bytes)
    return;
  CudaWork work;
  work.kind = toHost ? CudaWork::ToHost : CudaWork::FromHost;
  work.to = address(to);
  work.from = address(from);
  work.count = bytes;
  put(std::move(work));
}

void CudaRank::copyDims(const std::vector<CopyDim> &dims, size_t size,
                        const void *from, void *to) {
  if (const Piece::Run *span = wholeSpan(dims))
    return copy(static_cast<char *>(to) + size_t(span->destination) * size,
                static_cast<const char *>(from) + size_t(span->source) * size,
                size_t(span->length) * size);
  size_t unit = regionUnit(dims, size, 16,
                           reinterpret_cast<uintptr_t>(from) |
                               reinterpret_cast<uintptr_t>(to));
  forEachRegion(
      dims, size, unit, [&](const Region &region, int64_t s, int64_t d) {
        CopyArguments arguments = {region, uint32_t(unit),
                                   static_cast<const char *>(from) + s,
                                   static_cast<char *>(to) + d};
        launchOwn("shardir_copy", region.total, arguments);
      });
}

void CudaRank::set(void *p, unsigned value, unsigned width, size_t count) {
  if (!count)
    return;
  CudaWork work;
  work.kind = CudaWork::Set;
  work.to = address(p);
  work.value = value;
  work.width = width;
  work.count = count;
  put(std::move(work));
}

void CudaRank::clear(void *p, size_t bytes) { set(p, 0, 1, bytes); }

void CudaRank::fill(PartialKind kind, ElementType type, void *p, size_t count) {
  if (!count)
    return;
  uint64_t bits = 0;
  fillIdentity(kind, type, &bits, 1); // in the low bytes
  size_t width = elementSize(type);
  if (width == 1 || width == 2 || width == 4)
    return set(p, unsigned(bits), unsigned(width), count);
  FillArguments arguments = {p, count, bits};
  launchOwn("shardir_fill", count, arguments);
}

void CudaRank::reduce(PartialKind kind, ElementType type,
                      const std::vector<CopyDim> &dims,
                      const std::vector<const void *> &terms,
                      const std::vector<void *> &outs) {
  // More than a launch carries go by a table in the GPU's memory, so that all
  // terms are combined in one pass, in order, and rounded once.
  void *table = nullptr;
  std::vector<const void *> all;
  if (terms.size() > kReduceTerms || outs.size() > kReduceTerms) {
    all = terms;
    all.insert(all.end(), outs.begin(), outs.end());
    table = stage(all.size() * sizeof(void *));
    upload(table, all.data(), all.size() * sizeof(void *));
  }
  size_t size = elementSize(type);
  uintptr_t bits = 0;
  for (const void *p : terms)
    bits |= reinterpret_cast<uintptr_t>(p);
  for (void *p : outs)
    bits |= reinterpret_cast<uintptr_t>(p);
  auto packed = size_t(packedBytes(int(size)));
  size_t unit = regionUnit(dims, size, packed, bits) == packed ? packed : size;
  std::string name =
      std::string("shardir_reduce_") +
      elementTypeName(type == SHARDIR_INDEX ? SHARDIR_I64 : type);
  forEachRegion(
      dims, size, unit, [&](const Region &region, int64_t s, int64_t d) {
        ReduceArguments arguments = {};
        arguments.region = region;
        arguments.kind = uint32_t(kind);
        arguments.packed = unit != size;
        arguments.numTerms = uint32_t(terms.size());
        arguments.numOuts = uint32_t(outs.size());
        arguments.table = static_cast<void *const *>(table);
        arguments.sourceOffset = s;
        arguments.destinationOffset = d;
        for (size_t t = 0; !table && t < terms.size(); ++t)
          arguments.terms[t] = static_cast<const char *>(terms[t]) + s;
        for (size_t o = 0; !table && o < outs.size(); ++o)
          arguments.outs[o] = static_cast<char *>(outs[o]) + d;
        launchOwn(name.c_str(), region.total, arguments);
      });
  if (table)
    dropStage(table, all.size() * sizeof(void *));
}

CudaRank::Staging &CudaRank::nextStaging() {
  Staging &piece = staging[nextStage++ % 2];
  if (!piece.memory) {
    check(
        api.MemHostAlloc(&piece.memory, kStagingBytes, 0), "cuMemHostAlloc",
        [] { return "get " + bytesText(kStagingBytes) + " of pinned memory"; });
    piece.used = std::make_unique<CudaEvent>(api);
  } else {
    wait(*piece.used);
  }
  return piece;
}

void CudaRank::upload(void *to, const void *from, size_t bytes) {
  interrupt("the host copies to the GPU");
  for (size_t at = 0; at < bytes; at += kStagingBytes) {
    size_t n = std::min(kStagingBytes, bytes - at);
    Staging &piece = nextStaging();
    std::memcpy(piece.memory, static_cast<const char *>(from) + at, n);
    check(api.MemcpyHtoDAsync(address(to) + at, piece.memory, n, stream),
          "cuMemcpyHtoDAsync",
          [&] { return "copy " + bytesText(n) + " to the GPU"; });
    record(*piece.used);
  }
}

void CudaRank::download(void *to, const void *from, size_t bytes) {
  interrupt("the host reads from the GPU");
  // One piece is on its way while the one before is read.
  Staging *before = nullptr;
  size_t beforeAt = 0;
  auto take = [&](size_t until) {
    if (!before)
      return;
    wait(*before->used);
    std::memcpy(static_cast<char *>(to) + beforeAt, before->memory,
                until - beforeAt);
  };
  for (size_t at = 0; at < bytes; at += kStagingBytes) {
    size_t n = std::min(kStagingBytes, bytes - at);
    Staging &piece = nextStaging();
    check(api.MemcpyDtoHAsync(piece.memory, address(from) + at, n, stream),
          "cuMemcpyDtoHAsync",
          [&] { return "copy " + bytesText(n) + " from the GPU"; });
    record(*piece.used);
    take(at);
    before = &piece;
    beforeAt = at;
  }
  take(bytes);
}

} // namespace runtime
} // namespace shardir
