//===- CudaStep.cpp - A run of a program as one CUDA graph ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what CudaStep.h says.
//
//===----------------------------------------------------------------------===//

#include "CudaStep.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace shardir {
namespace runtime {

/// A run of more is not recorded: its works are kept in memory.
static constexpr size_t kMostRecorded = size_t(1) << 18;

CudaStep::CudaStep(const cuda::Api &api, std::vector<DeviceArena *> arenas,
                   std::function<void(const CudaWork &)> issue)
    : api(api), arenas(std::move(arenas)), issue(std::move(issue)) {
  const char *text = std::getenv("SHARDIR_CUDA_GRAPHS");
  enabled = text && std::string_view(text) == "step";
}

void CudaStep::say(const std::string &why) {
  if (record->said == why)
    return;
  record->said = why;
  std::fprintf(stderr,
               "note: rank %d: this run is no CUDA graph of its own: %s\n",
               rank, why.c_str());
}

void CudaStep::breakPromise(const std::string &what) {
  throw cuda::Failure("cannot repeat a run as a CUDA graph: " + what +
                      "; run without SHARDIR_CUDA_GRAPHS=step");
}

void CudaStep::prepare(size_t entry, std::vector<int64_t> arguments,
                       const char *obstacle) {
  own = Pieces;
  next = Mode::Off;
  if (!enabled)
    return;
  record = &records[entry];
  if (obstacle)
    return say(obstacle);
  next = Mode::Recording;
  key = std::move(arguments);
  if (!record->isSteady || record->key != key)
    return;
  for (size_t a = 0; a < arenas.size(); ++a)
    if (!arenas[a]->areKept(record->blocks[a]))
      return;
  own = record->exec ? Captured : Steady;
}

void CudaStep::agree(Level all) {
  if (next != Mode::Recording || all == Pieces)
    return;
  next = Mode::Graph;
  if (all == Steady)
    forget(*record);
}

void CudaStep::begin() {
  mode = next;
  next = Mode::Off;
  works.clear();
  count = 0;
  for (size_t a = 0; mode != Mode::Off && a < arenas.size(); ++a) {
    arenas[a]->hold(mode == Mode::Graph);
    arenas[a]->startScript(mode == Mode::Graph ? &record->blocks[a] : nullptr);
  }
}

bool CudaStep::put(CudaWork &work) {
  switch (mode) {
  case Mode::Off:
    return false;
  case Mode::Recording:
    if (works.size() == kMostRecorded) {
      interrupt("it is long");
      return false;
    }
    works.push_back(work);
    works.back().run = nullptr; // what it needs ends with the run
    return false;
  case Mode::Graph:
    break;
  }
  if (count == record->works.size() || !(record->works[count] == work))
    breakPromise("launch or copy " + std::to_string(count + 1) + " of " +
                 std::to_string(record->works.size()) + " is not what it was");
  ++count;
  if (!record->exec)
    works.push_back(std::move(work));
  return true;
}

void CudaStep::interrupt(const char *why) {
  if (mode == Mode::Graph)
    breakPromise(why);
  if (mode != Mode::Recording)
    return;
  say(why);
  forget(*record);
  record->isSteady = false;
  mode = Mode::Off;
  works.clear();
}

void CudaStep::capture(cuda::Stream stream) {
  const char *call = "cuStreamBeginCapture";
  cuda::Result result =
      api.StreamBeginCapture(stream, cuda::StreamCaptureRelaxed);
  cuda::Graph graph = nullptr;
  if (result == cuda::Success) {
    try {
      for (const CudaWork &work : works)
        issue(work);
    } catch (...) {
      (void)api.StreamEndCapture(stream, &graph);
      if (graph)
        (void)api.GraphDestroy(graph);
      throw;
    }
    call = "cuStreamEndCapture";
    result = api.StreamEndCapture(stream, &graph);
  }
  if (result == cuda::Success) {
    call = "cuGraphInstantiate";
    result = api.GraphInstantiate(&record->exec, graph, 0);
  }
  if (graph)
    (void)api.GraphDestroy(graph);
  if (result != cuda::Success)
    breakPromise(std::string(call) + " says " + api.text(result));
  for (CudaWork &work : works)
    work.run = nullptr;
  record->works = std::move(works);
}

void CudaStep::end(cuda::Stream stream) {
  Mode ended = mode;
  drop();
  if (ended == Mode::Recording) {
    std::vector<std::vector<cuda::DevicePtr>> blocks;
    for (DeviceArena *arena : arenas)
      blocks.push_back(arena->script());
    bool isSame = record->key == key && record->works == works &&
                  record->blocks == blocks;
    if (isSame) {
      record->isSteady = true;
      return;
    }
    forget(*record);
    record->key = key;
    record->works = std::move(works);
    record->blocks = std::move(blocks);
    record->isSteady = false;
  }
  if (ended != Mode::Graph)
    return;
  if (count != record->works.size())
    breakPromise("it ends after " + std::to_string(count) + " of " +
                 std::to_string(record->works.size()) + " launches and copies");
  if (!record->exec)
    capture(stream);
  cuda::Result result = api.GraphLaunch(record->exec, stream);
  if (result != cuda::Success)
    api.fail(result, "cuGraphLaunch",
             "launch a run as one graph of " +
                 std::to_string(record->works.size()) + " launches and copies");
}

void CudaStep::drop() {
  mode = Mode::Off;
  for (DeviceArena *arena : arenas) {
    arena->endScript();
    arena->hold(false);
  }
}

void CudaStep::forget(Record &old) {
  if (old.exec)
    (void)api.GraphExecDestroy(old.exec);
  old.exec = nullptr;
}

void CudaStep::clear() {
  drop();
  for (auto &[entry, old] : records)
    forget(old);
  records.clear();
  record = nullptr;
  next = Mode::Off;
}

} // namespace runtime
} // namespace shardir
