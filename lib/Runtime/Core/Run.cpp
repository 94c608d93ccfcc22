//===- Run.cpp - Runs an entry on whole arrays or shards ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every rank cuts its own shards, waits until all have theirs, runs the entry,
// waits again, and writes the results that it owns. Requires a checked request;
// guarantees that the time measured is that of the entry alone, and that the
// peak counts arguments and results, whoever owns them.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "Distribute.h"
#include "Processes/RunProcesses.h"

#include <algorithm>

namespace shardir {
namespace runtime {
namespace {

/// Memref descriptors, each of two pointers, an offset, sizes and strides.
class Descriptors {
public:
  void add(void *data, const int64_t *shape, size_t rank) {
    begins.push_back(words.size());
    words.push_back(reinterpret_cast<int64_t>(data));
    words.push_back(reinterpret_cast<int64_t>(data));
    words.push_back(0);
    words.insert(words.end(), shape, shape + rank);
    words.resize(words.size() + rank);
    int64_t stride = 1;
    for (size_t d = rank; d-- > 0;) {
      words[words.size() - rank + d] = stride;
      stride *= shape[d];
    }
  }
  void add(void *data, const std::vector<int64_t> &shape) {
    add(data, shape.data(), shape.size());
  }
  /// Valid until the next call of add.
  std::vector<void *> pointers() {
    std::vector<void *> result;
    result.reserve(begins.size());
    for (size_t begin : begins)
      result.push_back(&words[begin]);
    return result;
  }

  const std::vector<int64_t> &contents() const { return words; }

private:
  static_assert(sizeof(void *) == sizeof(int64_t), "descriptors are words");
  std::vector<int64_t> words;
  std::vector<size_t> begins;
};

std::vector<int64_t> shapeOf(const shardir_buffer &b) {
  return std::vector<int64_t>(b.shape, b.shape + b.rank);
}

/// State that the ranks share. Owned by the job's body, so a rank that is left
/// behind finds it alive.
struct Shared {
  RunRequest request;
  std::vector<std::vector<int64_t>> resultShapes;
  std::vector<std::vector<const void *>> resultShards; ///< by rank
  ProcessReport overProcesses; ///< where ranks are processes

  const FunctionSpec &function() const {
    return request.program->metadata.functions[request.function];
  }
  EntryFn entry() const {
    const Program::Entry &e = request.program->entries[request.function];
    return request.unsharded ? e.unsharded : e.sharded;
  }
  const Mesh *meshOf(const TensorSpec &spec) const {
    return spec.mesh < 0 || request.unsharded
               ? nullptr
               : &request.program->metadata.meshes[size_t(spec.mesh)];
  }
};

void enter(RankContext &rank, const Shared &shared, Descriptors &descriptors) {
  std::vector<void *> pointers = descriptors.pointers();
  if (rank.gpu)
    rank.prepareStep(descriptors.contents());
  rank.barrier();
  rank.enter([&] { shared.entry()(pointers.data()); });
}

/// A shard on the host for as long as it is cut or put together: where the rank
/// computes on a GPU, apart from the shard itself.
struct HostShard {
  HostShard(RankContext &rank, size_t bytes) : data(rank.allocate(bytes)) {}
  ~HostShard() { Arena::release(data); }
  HostShard(const HostShard &) = delete;
  void *const data;
};

void *allocateShard(RankContext &rank, size_t bytes) {
  return rank.gpu ? rank.gpu->allocate(bytes) : rank.allocate(bytes);
}

/// Copies of a rank's shards on its GPU, for shards of the host.
class DeviceShards {
public:
  DeviceShards(RankContext &rank, bool isNeeded)
      : gpu(isNeeded ? rank.gpu : nullptr) {}
  void *addArgument(void *shard, size_t bytes) {
    if (!gpu)
      return shard;
    arguments.push_back(gpu->allocate(bytes));
    gpu->upload(arguments.back(), shard, bytes);
    return arguments.back();
  }
  /// In place of an argument, or -1.
  void *addResult(void *shard, size_t bytes, int inPlace) {
    if (!gpu)
      return shard;
    void *there =
        inPlace >= 0 ? arguments[size_t(inPlace)] : gpu->allocate(bytes);
    results.push_back({there, shard, bytes});
    return there;
  }
  void readResults() {
    for (const Result &result : results)
      gpu->download(result.shard, result.there, result.bytes);
  }

private:
  CudaRank *const gpu; ///< null where nothing is copied
  std::vector<void *> arguments;
  struct Result {
    const void *there;
    void *shard;
    size_t bytes;
  };
  std::vector<Result> results;
};

void *takeArgument(RankContext &rank, const TensorSpec &spec,
                   const ShardView &view, const std::vector<int64_t> &shape,
                   const void *whole) {
  size_t bytes = size_t(view.elements) * elementSize(spec.type);
  void *shard = allocateShard(rank, bytes);
  if (!rank.gpu) {
    distribute(spec, view, shape, whole, shard);
    return shard;
  }
  HostShard onHost(rank, bytes);
  distribute(spec, view, shape, whole, onHost.data);
  rank.gpu->upload(shard, onHost.data, bytes);
  return shard;
}

void runWhole(RankContext &rank, Shared &shared) {
  const FunctionSpec &f = shared.function();
  Descriptors descriptors;
  std::vector<ShardView> views;
  std::vector<void *> arguments;
  for (size_t i = 0; i < f.arguments.size(); ++i) {
    const TensorSpec &spec = f.arguments[i];
    const std::vector<int64_t> &shape = (*shared.request.globalArguments)[i];
    ShardView view = viewShard(spec, shared.meshOf(spec), shape, rank.rank);
    void *shard =
        takeArgument(rank, spec, view, shape, shared.request.arguments[i].data);
    arguments.push_back(shard);
    descriptors.add(shard, view.shape);
  }
  std::vector<const void *> &shards = shared.resultShards[size_t(rank.rank)];
  for (size_t i = 0; i < f.results.size(); ++i) {
    const TensorSpec &spec = f.results[i];
    views.push_back(viewShard(spec, shared.meshOf(spec), shared.resultShapes[i],
                              rank.rank));
    // The unsharded version keeps its arguments.
    void *shard = spec.inPlace >= 0 && !shared.request.unsharded
                      ? arguments[size_t(spec.inPlace)]
                      : allocateShard(rank, size_t(views[i].elements) *
                                                elementSize(spec.type));
    shards.push_back(shard);
    descriptors.add(shard, views[i].shape);
  }
  rank.globalArguments = shared.request.globalArguments;
  enter(rank, shared, descriptors);
  std::vector<std::unique_ptr<HostShard>> onHost;
  for (size_t i = 0; rank.gpu && i < f.results.size(); ++i) {
    size_t bytes = size_t(views[i].elements) * elementSize(f.results[i].type);
    onHost.push_back(std::make_unique<HostShard>(rank, bytes));
    rank.gpu->download(onHost[i]->data, shards[i], bytes);
    shards[i] = onHost[i]->data;
  }
  if (PointToPoint *link = rank.pointToPoint()) {
    shared.overProcesses =
        reportOverProcesses(*link, rank, /*hasMore=*/!f.results.empty());
    for (size_t i = 0; i < f.results.size(); ++i)
      collectOverProcesses(*link, rank, f.results[i],
                           shared.meshOf(f.results[i]), shared.resultShapes[i],
                           shards[i], shared.request.results[i].data);
    return;
  }
  rank.barrier();
  for (size_t i = 0; i < f.results.size(); ++i) {
    std::vector<const void *> terms;
    for (int r : views[i].terms)
      terms.push_back(shared.resultShards[size_t(r)][i]);
    collect(f.results[i], views[i], shared.resultShapes[i], terms,
            shared.request.results[i].data);
  }
  if (rank.gpu)
    rank.barrier(); // others read what is on the host
}

/// Where a shape says less than the entry needs, each process tells the others
/// its shards' shapes.
void tellShapes(PointToPoint &link, RankContext &rank, Shared &shared) {
  const FunctionSpec &f = shared.function();
  auto ranks = int(rank.job.numRanks());
  auto all = std::make_shared<Shapes>();
  for (size_t i = 0; i < f.arguments.size(); ++i) {
    const TensorSpec &spec = f.arguments[i];
    std::vector<int64_t> own = shapeOf(shared.request.arguments[i]);
    std::vector<int64_t> &whole = all->emplace_back(spec.shape);
    if (!spec.hasOpenExtents())
      continue;
    // Rank 0 hears all, and tells all.
    size_t dims = own.size(), bytes = dims * sizeof(int64_t);
    std::vector<int64_t> told(size_t(ranks) * dims);
    for (int r = 0; r < ranks; ++r)
      if (rank.rank == 0 || rank.rank == r)
        link.carry(r, 0, own.data(), &told[size_t(r) * dims], bytes);
    for (int r = 1; r < ranks; ++r)
      if (rank.rank == 0 || rank.rank == r)
        link.carry(0, r, told.data(), told.data(), size_t(ranks) * bytes);
    std::vector<std::vector<int64_t>> shapes;
    for (auto at = told.begin(); shapes.size() < size_t(ranks);
         at += long(dims))
      shapes.emplace_back(at, at + long(dims));
    std::string error = globalShapeOf(spec, shared.meshOf(spec), shapes, whole);
    if (!error.empty())
      rank.fail("failed: argument " + std::to_string(i) + " of @" + f.name +
                " " + error);
  }
  if (std::string error = differingExtents(f, *all); !error.empty())
    rank.fail("failed: " + error);
  rank.globalArguments = std::move(all);
}

void runLocal(RankContext &rank, Shared &shared) {
  const FunctionSpec &f = shared.function();
  Descriptors descriptors;
  int64_t bytes = 0;
  DeviceShards copies(rank, shared.request.hostShards);
  auto add = [&](const std::vector<shardir_buffer> &buffers,
                 const std::vector<TensorSpec> &specs, bool isResult) {
    size_t perRank = specs.size();
    for (size_t i = 0; i < perRank; ++i) {
      // A process is given its own shards alone.
      size_t place = rank.pointToPoint() ? 0 : size_t(rank.rank);
      const shardir_buffer &b = buffers[place * perRank + i];
      int64_t elements = 1;
      for (size_t d = 0; d < b.rank; ++d)
        elements *= b.shape[d];
      size_t size = size_t(elements) * elementSize(b.element_type);
      if (specs[i].inPlace < 0 && !(rank.gpu && shared.request.hostShards))
        bytes += int64_t(size); // what is copied is counted as it is allocated
      descriptors.add(isResult
                          ? copies.addResult(b.data, size, specs[i].inPlace)
                          : copies.addArgument(b.data, size),
                      b.shape, b.rank);
    }
  };
  add(shared.request.arguments, f.arguments, /*isResult=*/false);
  add(shared.request.results, f.results, /*isResult=*/true);
  struct Account {
    RankContext &rank;
    int64_t bytes;
    Account(RankContext &rank, int64_t bytes) : rank(rank), bytes(bytes) {
      add(bytes);
    }
    ~Account() { add(-bytes); }
    void add(int64_t n) {
      if (rank.gpu)
        rank.gpu->arena.account(n);
      else
        rank.arena.account(n);
    }
  } account(rank, bytes);
  rank.globalArguments = shared.request.globalArguments;
  PointToPoint *link = rank.pointToPoint();
  bool isOpen =
      std::any_of(f.arguments.begin(), f.arguments.end(),
                  [](const TensorSpec &spec) { return spec.hasOpenExtents(); });
  if (link && isOpen) {
    rank.barrier(); // all are in this function
    tellShapes(*link, rank, shared);
  }
  enter(rank, shared, descriptors);
  copies.readResults();
  if (link)
    shared.overProcesses = reportOverProcesses(*link, rank, /*hasMore=*/false);
  else
    rank.barrier();
}

} // namespace

RunReport runFunction(RunRequest request) {
  auto shared = std::make_shared<Shared>();
  shared->request = std::move(request);
  const RunRequest &r = shared->request;
  size_t ranks = r.unsharded ? 1 : size_t(r.program->metadata.ranks);
  shared->resultShards.resize(ranks);
  if (!r.local)
    for (const shardir_buffer &b : r.results)
      shared->resultShapes.push_back(shapeOf(b));
  auto job = std::make_shared<Job>(r.program, ranks, r.options);
  bool ok = job->run([shared](RankContext &rank) {
    if (shared->request.local)
      runLocal(rank, *shared);
    else
      runWhole(rank, *shared);
  });
  RunReport report;
  if (!ok)
    report.error = job->error();
  if (job->abandoned())
    return report;
  if (r.options.mpi) {
    report.measurement = shared->overProcesses.measurement;
    report.events = std::move(shared->overProcesses.events);
    return report;
  }
  shardir_measurement &m = report.measurement;
  for (size_t i = 0; i < ranks; ++i) {
    RankContext &rank = job->rank(i);
    m.bytes_per_device = std::max(m.bytes_per_device, rank.bytesReceived);
    m.peak_bytes_per_device = std::max(m.peak_bytes_per_device, rank.peakBytes);
    m.milliseconds = std::max(m.milliseconds, rank.milliseconds);
    std::vector<shardir_trace_event> &events = rank.events;
    std::sort(events.begin(), events.end(),
              [](const shardir_trace_event &a, const shardir_trace_event &b) {
                return a.start < b.start;
              });
    report.events.insert(report.events.end(), events.begin(), events.end());
  }
  return report;
}

} // namespace runtime
} // namespace shardir
