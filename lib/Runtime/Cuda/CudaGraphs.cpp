//===- CudaGraphs.cpp - Work that repeats, launched as one ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what CudaGraphs.h says. The first time a segment is
// queued piece by piece, the second time it is captured, and replayed from then
// on. Where the driver refuses, that segment stays in pieces, and a message
// says so under $SHARDIR_CUDA_GRAPHS=explain; `off` is for comparison.
//
//===----------------------------------------------------------------------===//

#include "CudaGraphs.h"

#include "Core/Metadata.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace shardir {
namespace runtime {

namespace {
/// Fewer pieces are as fast by themselves.
constexpr size_t kLeast = 4;
/// More are cut: a graph's launch waits for all of its pieces.
constexpr size_t kMost = 1024;
constexpr size_t kSegments = 64;
constexpr size_t kArgumentAlignment = 64;
size_t aligned(size_t at) {
  return (at + kArgumentAlignment - 1) / kArgumentAlignment *
         kArgumentAlignment;
}
} // namespace

bool CudaWork::operator==(const CudaWork &other) const {
  auto same = [](const unsigned (&a)[3], const unsigned (&b)[3]) {
    return std::equal(a, a + 3, b);
  };
  return kind == other.kind && lane == other.lane &&
         function == other.function && same(grid, other.grid) &&
         same(block, other.block) && same(cluster, other.cluster) &&
         sharedBytes == other.sharedBytes && to == other.to &&
         from == other.from && count == other.count && value == other.value &&
         width == other.width && sizes == other.sizes &&
         arguments == other.arguments;
}

void CudaWork::addArgument(const void *value, uint32_t size) {
  size_t at = aligned(arguments.size());
  arguments.resize(at + size);
  std::memcpy(arguments.data() + at, value, size);
  sizes.push_back(size);
}

void **CudaWork::addresses() const {
  pointers.clear();
  size_t at = 0;
  for (uint32_t size : sizes) {
    at = aligned(at);
    pointers.push_back(const_cast<char *>(arguments.data()) + at);
    at += size;
  }
  return pointers.data();
}

CudaGraphs::CudaGraphs(const cuda::Api &api, DeviceArena &arena,
                       std::function<void(const CudaWork &)> issue)
    : api(api), arena(arena), issue(std::move(issue)) {
  if (const char *text = std::getenv("SHARDIR_CUDA_GRAPHS")) {
    enabled = std::string_view(text) != "off";
    explains = std::string_view(text) == "explain";
  }
}

template <class Text> void CudaGraphs::explain(Text &&text) const {
  if (explains)
    std::fprintf(stderr, "note: rank %d: %s\n", rank, text().c_str());
}

void CudaGraphs::put(CudaWork work, cuda::Stream on) {
  if (!enabled)
    return issue(work);
  if (current.size() == kMost)
    end("it is long");
  stream = on;
  if (current.empty()) {
    for (std::unique_ptr<Segment> &known : segments)
      if (known->works.front() == work)
        segment = known.get();
    // The graph may still need memory that the program frees meanwhile.
    arena.hold(segment != nullptr);
  }
  current.push_back(std::move(work));
  if (!segment)
    return issue(current.back());
  size_t last = current.size() - 1;
  if (last < segment->works.size() && segment->works[last] == current[last])
    return;
  ++segment->misses;
  explain([&] {
    return "launch or copy " + std::to_string(last + 1) + " of " +
           std::to_string(segment->works.size()) +
           " is not what it was: those before it are launched one by one";
  });
  segment = nullptr;
  for (const CudaWork &each : current)
    issue(each);
  arena.hold(false);
}

void CudaGraphs::end(const char *why) {
  if (current.empty())
    return;
  Segment *known = segment;
  segment = nullptr;
  bool same = known && known->works.size() == current.size();
  bool replayed = same && replay(*known);
  if (known && !replayed)
    for (const CudaWork &each : current)
      issue(each);
  arena.hold(false);
  if (known && !same)
    ++known->misses;
  if (!same && current.size() >= kLeast)
    remember();
  else if (!same)
    explain([&] {
      return std::to_string(current.size()) +
             (current.size() == 1 ? " launch or copy is"
                                  : " launches and copies are") +
             " too few for a CUDA graph: behind it " + why;
    });
  current.clear();
}

/// False where it must go piece by piece.
bool CudaGraphs::replay(Segment &known) {
  if (!known.exec && !known.refused)
    capture(known);
  if (!known.exec)
    return false;
  cuda::Result result = api.GraphLaunch(known.exec, stream);
  if (result != cuda::Success)
    api.fail(result, "cuGraphLaunch",
             "launch a graph of " + std::to_string(known.works.size()) +
                 " launches and copies");
  ++known.hits;
  return true;
}

void CudaGraphs::capture(Segment &known) {
  const char *call = "cuStreamBeginCapture";
  cuda::Result result =
      api.StreamBeginCapture(stream, cuda::StreamCaptureRelaxed);
  cuda::Graph graph = nullptr;
  std::string why;
  if (result == cuda::Success) {
    try {
      for (const CudaWork &work : known.works)
        issue(work);
    } catch (const cuda::Failure &failure) {
      why = failure.what();
    }
    // In any case: the stream is of use again only behind this.
    cuda::Result ended = api.StreamEndCapture(stream, &graph);
    if (why.empty() && (result = ended) != cuda::Success)
      call = "cuStreamEndCapture";
    if (why.empty() && result == cuda::Success) {
      call = "cuGraphInstantiate";
      result = api.GraphInstantiate(&known.exec, graph, 0);
    }
    if (graph)
      (void)api.GraphDestroy(graph);
  }
  if (why.empty() && result != cuda::Success)
    why = std::string(call) + " says " + api.text(result);
  known.refused = !why.empty();
  explain([&] {
    std::string what =
        std::to_string(known.works.size()) + " launches and copies";
    return known.refused ? what + " stay as they are: " + why
                         : what + " become a CUDA graph";
  });
}

void CudaGraphs::remember() {
  auto fresh = std::make_unique<Segment>();
  fresh->works = std::move(current);
  // In place of one with the same beginning that does not come again, else of
  // one that has not come again yet.
  auto old = std::find_if(segments.begin(), segments.end(), [&](auto &known) {
    return known->works.front() == fresh->works.front();
  });
  if (old != segments.end() && (*old)->hits > (*old)->misses)
    return;
  if (old == segments.end() && segments.size() >= kSegments)
    old = std::find_if(segments.begin(), segments.end(),
                       [](auto &known) { return known->hits == 0; });
  if (old != segments.end()) {
    destroy(**old);
    *old = std::move(fresh);
  } else if (segments.size() < kSegments) {
    segments.push_back(std::move(fresh));
  }
}

void CudaGraphs::destroy(Segment &known) {
  if (known.exec)
    (void)api.GraphExecDestroy(known.exec);
  known.exec = nullptr;
}

void CudaGraphs::drop() {
  current.clear();
  segment = nullptr;
  arena.hold(false);
}

void CudaGraphs::clear() {
  drop();
  for (std::unique_ptr<Segment> &known : segments)
    destroy(*known);
  segments.clear();
}

} // namespace runtime
} // namespace shardir
