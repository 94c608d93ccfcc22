//===- DriverGraphs.cpp - The emulated driver: captured streams -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs that are captured from one stream and those that join it by events:
// launches, copies, fills and collectives of NCCL, run in the order in which
// they were queued, all checked as they are captured. A wait of the host spoils
// a capture, and so does a stream that has joined it and that nobody waits for
// at the end (CUDA Driver API, 6.13). Parameters of captured launches must stay
// where they are.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

using namespace shardir::emulated;

namespace {
constexpr int kModes = 3; ///< of CUstreamCaptureMode

bool knows(Call &call, GraphExec *graph) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (call.ok() && !Queue::get().executables.count(graph))
    call.fail(kInvalidHandle, "no such graph");
  return call.ok();
}
bool knows(Call &call, Graph *graph) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (call.ok() && !Queue::get().graphs.count(graph))
    call.fail(kInvalidHandle, "no such graph");
  return call.ok();
}
} // namespace

SHARDIR_EXPORT int cuStreamBeginCapture_v2(Stream *stream, int mode) {
  Call call("cuStreamBeginCapture");
  call.with("stream", text(stream));
  if (!call.isStream(stream))
    return call.result();
  if (!stream)
    return call.fail(kCaptureUnsupported, "the null stream");
  if (mode < 0 || mode >= kModes)
    return call.fail(kInvalidValue, "no such mode");
  if (!Queue::get().beginCapture(stream))
    call.fail(kInvalidValue, "the stream is being captured");
  return call.result();
}

SHARDIR_EXPORT int cuStreamEndCapture(Stream *stream, Graph **graph) {
  Call call("cuStreamEndCapture");
  call.with("stream", text(stream));
  *graph = nullptr;
  // Whatever comes of it, the capture has ended.
  std::unique_ptr<Graph> captured = stream && Queue::get().knows(stream)
                                        ? Queue::get().endCapture(stream)
                                        : nullptr;
  if (!call.isStream(stream))
    return call.result();
  if (!captured)
    return call.fail(kInvalidValue, "the stream is not being captured");
  if (captured->spoiled)
    return call.fail(kCaptureInvalidated);
  if (captured->unjoined)
    return call.fail(kCaptureUnjoined,
                     "a stream that joined is not waited for");
  call.with("nodes", captured->nodes.size());
  *graph = captured.release();
  std::lock_guard<std::mutex> lock(state().mutex);
  Queue::get().graphs.insert(*graph);
  return call.result();
}

SHARDIR_EXPORT int cuGraphInstantiateWithFlags(GraphExec **executable,
                                               Graph *graph,
                                               unsigned long long) {
  Call call("cuGraphInstantiate");
  if (!knows(call, graph))
    return call.result();
  *executable = new GraphExec{std::make_shared<Graph>(*graph)};
  std::lock_guard<std::mutex> lock(state().mutex);
  Queue::get().executables.insert(*executable);
  return call.result();
}

SHARDIR_EXPORT int cuGraphLaunch(GraphExec *executable, Stream *stream) {
  Call call("cuGraphLaunch");
  if (!knows(call, executable) || !call.isNotCaptured(stream))
    return call.result();
  call.with("nodes", executable->graph->nodes.size());
  call.with("stream", text(stream));
  std::string fault = Queue::get().launch(executable->graph, stream);
  if (!fault.empty())
    call.fail(kLaunchFailed, fault);
  return call.result();
}

SHARDIR_EXPORT int cuGraphExecDestroy(GraphExec *executable) {
  Call call("cuGraphExecDestroy");
  if (!knows(call, executable))
    return call.result();
  std::lock_guard<std::mutex> lock(state().mutex);
  Queue::get().executables.erase(executable);
  delete executable;
  return call.result();
}

SHARDIR_EXPORT int cuGraphDestroy(Graph *graph) {
  Call call("cuGraphDestroy");
  if (!knows(call, graph))
    return call.result();
  std::lock_guard<std::mutex> lock(state().mutex);
  Queue::get().graphs.erase(graph);
  delete graph;
  return call.result();
}
