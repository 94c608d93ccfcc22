//===- CudaStep.h - A run of a program as one CUDA graph --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With $SHARDIR_CUDA_GRAPHS=step a run that queues what the run before it
// queued, collectives included, becomes one CUDA graph, and later runs are one
// launch each. NCCL wants all ranks to capture a collective, or none, and to
// launch the graphs of one capture ("Using NCCL with CUDA Graphs" in its
// guide). So ranks decide together, before the program is entered: they tell
// each other what each can do, and all do the least of it. A rank can promise
// that its run will be the same, since the host's code depends on nothing but
// the arguments' addresses and shapes, and on the addresses of memory, which
// the arena gives out again as it did: a run that reads from the GPU is never
// one graph.
//
// Requires calls from the rank's thread in the order prepare, agree, begin,
// put, end; guarantees that a run that cannot be a graph says why, once, and
// that one which breaks its promise fails.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_CUDASTEP_H
#define SHARDIR_LIB_RUNTIME_CUDA_CUDASTEP_H

#include "CudaGraphs.h"

#include <map>

namespace shardir {
namespace runtime {

class CudaStep {
public:
  /// `issue` gives work to the stream of its lane. `arenas` have all memory of
  /// a run.
  CudaStep(const cuda::Api &api, std::vector<DeviceArena *> arenas,
           std::function<void(const CudaWork &)> issue);
  ~CudaStep() { clear(); }
  CudaStep(const CudaStep &) = delete;

  /// A rank's means in a run: it can queue it piece by piece; the same as one
  /// graph, once it is captured; launch the graph.
  enum Level : uint64_t { Pieces, Steady, Captured };
  /// Of the next run, of function `entry` on arguments that `key` tells.
  /// `obstacle`: why it can be no graph whatever it queues, or null.
  void prepare(size_t entry, std::vector<int64_t> key, const char *obstacle);
  Level level() const { return own; }
  /// The least level of all ranks.
  void agree(Level all);
  void begin();
  /// Whether the work is kept back until end().
  bool put(CudaWork &work);
  /// The host waits, or does what no graph holds. Throws cuda::Failure in a run
  /// that is one graph.
  void interrupt(const char *why);
  /// Launches the graph on `stream`, where the run is one. Throws
  /// cuda::Failure.
  void end(cuda::Stream stream);
  bool isKeptBack() const { return mode == Mode::Graph; }
  /// Ends what a run that failed has left.
  void drop();
  /// Forgets all graphs: their kernels or communicators go.
  void clear();

  int rank = 0; ///< for messages

private:
  enum class Mode { Off, Recording, Graph };
  struct Record {
    std::vector<int64_t> key;
    std::vector<CudaWork> works; ///< a graph's parameters are in them
    std::vector<std::vector<cuda::DevicePtr>> blocks; ///< by arena
    bool isSteady = false;                            ///< came twice
    cuda::GraphExec exec = nullptr;
    std::string said; ///< why it is no graph
  };
  void say(const std::string &why);
  void forget(Record &old);
  void capture(cuda::Stream stream);
  [[noreturn]] void breakPromise(const std::string &what);

  const cuda::Api &api;
  const std::vector<DeviceArena *> arenas;
  const std::function<void(const CudaWork &)> issue;
  bool enabled = false;
  std::map<size_t, Record> records; ///< by entry
  Record *record = nullptr;         ///< of the run at hand
  Level own = Pieces;
  Mode next = Mode::Off, mode = Mode::Off;
  std::vector<CudaWork> works; ///< of this run; of a graph's only to capture
  size_t count = 0;            ///< of works so far
  std::vector<int64_t> key;    ///< of this run
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_CUDASTEP_H
