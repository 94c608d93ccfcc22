//===- CApi.cpp - Programs for embedders ----------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of ShardIR.h and Trace.h over the runtime's classes. Requires
// nothing of its callers; guarantees that every wrong argument, null pointers
// included, is an error with a message, and that no exception gets out.
//
//===----------------------------------------------------------------------===//

#include "CApiChecks.h"
#include "CApiDetail.h"
#include "Core/Distribute.h"
#include "Cuda/CudaRank.h"
#include "Processes/ProcessWorld.h"

#include <algorithm>
#include <cmath>

using namespace shardir;
using namespace shardir::runtime;
using shardir::runtime::capi::guarded;
using shardir::runtime::capi::nameOf;
using shardir::runtime::capi::refuse;

namespace {

const TensorSpec &tensorAt(const FunctionSpec &f, bool isResult, size_t i) {
  const std::vector<TensorSpec> &list = isResult ? f.results : f.arguments;
  if (i >= list.size())
    refuse("@" + f.name + " has " + std::to_string(list.size()) +
           (isResult ? " results" : " arguments") + ", not " +
           std::to_string(i + 1));
  return list[i];
}

void fillInfo(const TensorSpec &spec, shardir_tensor_info *info) {
  capi::notNull(info, "info");
  info->element_type = spec.type;
  info->rank = spec.shape.size();
  info->shape = spec.shape.data();
  info->placement = spec.placementText.c_str();
}

void localShapeOf(const shardir_program *program, const TensorSpec &spec,
                  int64_t rank, int64_t *shape) {
  const Metadata &m = program->program->metadata;
  if (rank < 0 || rank >= m.ranks)
    refuse("there is no rank " + std::to_string(rank) + ": the program has " +
           std::to_string(m.ranks));
  if (!spec.shape.empty())
    capi::notNull(shape, "shape");
  std::vector<int64_t> local = capi::localShape(m, spec, spec.shape, rank);
  std::copy(local.begin(), local.end(), shape);
}

std::string deviceName(const shardir_run_options *options) {
  return options && options->device ? options->device : "threads";
}

/// Programs for GPUs go with devices that have them, and others do not. The
/// unsharded version is for the processor in either.
void chooseGpu(RunRequest &request, const std::string &device) {
  const Metadata &m = request.program->metadata;
  bool onGpus = device == "cuda-local" || device == "nccl";
  if (request.unsharded)
    return;
  if (onGpus && !m.gpu)
    refuse("device '" + device +
           "' runs programs for GPUs, and this one was compiled for "
           "processors: compile it with arch=, or run it on threads or mpi");
  if (m.gpu && !onGpus)
    refuse("the program was compiled for GPUs (arch=" + m.gpu->arch +
           "), and device '" + device +
           "' has none: run it on cuda-local or nccl, or compile it without "
           "arch=");
  if (!onGpus)
    return;
  std::string error;
  if (device == "nccl" && !(request.options.nccl = nccl::Api::get(error)))
    refuse(error);
  int ordinal = device == "nccl" ? gpuOfProcess(error) : 0;
  CudaDevice *gpu = ordinal < 0 ? nullptr : CudaDevice::get(ordinal, error);
  if (gpu)
    request.options.cuda = request.program->onDevice(*gpu, error);
  if (!request.options.cuda)
    refuse(error);
}

/// The shape of whole argument `i`, of which rank r has `shapeAt(r)`.
template <class F>
std::vector<int64_t> globalShapeFrom(const Metadata &m, const FunctionSpec &f,
                                     size_t i, F shapeAt) {
  std::vector<std::vector<int64_t>> shapes;
  for (size_t r = 0; r < size_t(m.ranks); ++r)
    shapes.push_back(shapeAt(r));
  const TensorSpec &spec = f.arguments[i];
  const Mesh *mesh = spec.mesh < 0 ? nullptr : &m.meshes[size_t(spec.mesh)];
  std::vector<int64_t> whole;
  std::string error = globalShapeOf(spec, mesh, shapes, whole);
  if (!error.empty())
    refuse(nameOf("argument", i, f) + " " + error);
  return whole;
}

/// The shapes of the global arguments, from checked buffers of all ranks.
void findGlobalArguments(RunRequest &request, const FunctionSpec &f) {
  size_t count = f.arguments.size();
  auto shapes = std::make_shared<Shapes>();
  for (size_t i = 0; i < count; ++i) {
    auto shapeAt = [&](size_t r) {
      const shardir_buffer &b = request.arguments[r * count + i];
      return std::vector<int64_t>(b.shape, b.shape + b.rank);
    };
    shapes->push_back(request.local ? globalShapeFrom(request.program->metadata,
                                                      f, i, shapeAt)
                                    : shapeAt(0));
  }
  if (std::string error = differingExtents(f, *shapes); !error.empty())
    refuse(error);
  request.globalArguments = std::move(shapes);
}

shardir_status shardShape(const shardir_program *program, const char *function,
                          bool isResult, size_t i, const int64_t *whole,
                          int64_t rank, int64_t *shape) {
  return guarded([&] {
    const FunctionSpec &f = capi::functionOf(program, function);
    TensorSpec spec = tensorAt(f, isResult, i);
    if (!spec.shape.empty())
      capi::notNull(whole, "whole");
    shardir_buffer buffer = {nullptr, whole, spec.shape.size(), spec.type};
    std::string name = nameOf(isResult ? "result" : "argument", i, f);
    capi::checkBuffer(buffer, spec, spec.shape, name, /*noData=*/true);
    capi::checkCut(program->program->metadata, spec, buffer, name);
    spec.shape.assign(whole, whole + spec.shape.size());
    localShapeOf(program, spec, rank, shape);
    return SHARDIR_OK;
  });
}

/// The index of `value` in `values`; NULL is the first.
size_t choose(const char *name, const char *value,
              const std::vector<std::string> &values) {
  auto it = std::find(values.begin(), values.end(), value ? value : values[0]);
  if (it == values.end())
    refuse(std::string(name) + " must be '" + values[0] + "' or '" + values[1] +
           "', not '" + value + "'");
  return size_t(it - values.begin());
}

JobOptions readOptions(const shardir_run_options *options) {
  JobOptions result;
  result.checksEach = false;
  if (!options)
    return result;
  std::string device = deviceName(options);
  if (device != "threads" && device != "mpi" && device != "cuda-local" &&
      device != "nccl")
    refuse("device '" + device +
           "' is not available, this runtime has: threads, mpi, cuda-local, "
           "nccl");
  if (!(options->timeout >= 0) || std::isinf(options->timeout))
    refuse("the timeout must be a number of seconds, 0 or more");
  if (options->timeout > 0)
    result.timeout = options->timeout;
  if (options->threads_per_rank < 0 || options->threads_per_rank > 4096)
    refuse("threads_per_rank must be between 0 and 4096");
  result.threadsPerRank = options->threads_per_rank;
  result.orderedReductions =
      choose("reductions", options->reductions, {"engine", "ordered"}) == 1;
  result.checksEach = choose("check", options->check, {"load", "every"}) == 1;
  // The unsharded version runs in this process alone.
  if ((device == "mpi" || device == "nccl") && !options->unsharded)
    result.mpi = &capi::processWorld(device, result.timeout);
  return result;
}

/// Takes this process' part in the next run over MPI.
void beginProcessRun(JobOptions &options, const Metadata &metadata) {
  ProcessWorld &world = *options.mpi;
  capi::checkProcesses(world, metadata);
  if (world.broken)
    refuse("an earlier run has failed and left the processes' connections "
           "unusable: start the processes again");
  if (!world.beginRun(options.mpiRun))
    refuse("a run over processes is going on in this one: one at a time");
}

} // namespace

std::shared_ptr<CudaEvent>
capi::endOfStream(const shardir_program &program,
                  const shardir_run_options *options) {
  void *stream = program.stream;
  if (!stream)
    return nullptr;
  std::string error, device = deviceName(options);
  int ordinal = device == "nccl" ? gpuOfProcess(error) : 0;
  CudaDevice *gpu = ordinal < 0 ? nullptr : CudaDevice::get(ordinal, error);
  if (!gpu)
    refuse(error);
  CudaScope scope(*gpu);
  auto end = std::make_shared<CudaEvent>(gpu->api);
  gpu->api.check(
      gpu->api.EventRecord(end->handle, static_cast<cuda::Stream>(stream)),
      "cuEventRecord", "wait for the caller's stream");
  return end;
}

shardir_status capi::run(const shardir_program *program, const char *function,
                         bool local, const shardir_buffer *arguments,
                         size_t numArguments, shardir_buffer *results,
                         size_t numResults, const shardir_run_options *options,
                         std::shared_ptr<const std::atomic<bool>> cancelled,
                         std::shared_ptr<CudaEvent> after) {
  return guarded([&] {
    capi::notNull(program, "program");
    RunRequest request;
    request.program = program->program;
    request.function = capi::functionIndex(program, function);
    request.options = readOptions(options);
    request.options.cancelled = std::move(cancelled);
    request.unsharded = options && options->unsharded;
    request.local = local;
    request.hostShards = program->hostShards;
    const Metadata &m = request.program->metadata;
    const FunctionSpec &f = m.functions[request.function];
    if (request.unsharded && local)
      refuse("the unsharded version runs on global arrays: use shardir_run");
    if (request.unsharded &&
        !request.program->entries[request.function].unsharded)
      refuse("@" + f.name +
             " was compiled without its unsharded version: compile it with "
             "--verify");
    auto checkCount = [&](const char *kind, size_t n, size_t expected,
                          const void *buffers) {
      if (n != expected)
        refuse("@" + f.name + " takes " + std::to_string(expected) + " " +
               kind + ", not " + std::to_string(n));
      if (n > 0)
        capi::notNull(buffers, kind);
    };
    checkCount("arguments", numArguments, f.arguments.size(), arguments);
    checkCount("results", numResults, f.results.size(), results);
    size_t copies = local && !request.options.mpi ? size_t(m.ranks) : 1;
    if (numArguments)
      request.arguments.assign(arguments, arguments + numArguments * copies);
    if (numResults)
      request.results.assign(results, results + numResults * copies);
    std::vector<int64_t> description = capi::describeBuffers(request, f);
    bool isKnown;
    {
      std::lock_guard<std::mutex> lock(program->mutex);
      request.options.trace = program->trace;
      request.options.benchmark = program->benchmark;
      isKnown = description == program->checked;
      if (isKnown)
        request.globalArguments = program->checkedArguments;
    }
    if (!isKnown) {
      capi::checkBuffers(request, f);
      if (!local || !request.options.mpi)
        findGlobalArguments(request, f);
      std::lock_guard<std::mutex> lock(program->mutex);
      program->checked = std::move(description);
      program->checkedArguments = request.globalArguments;
    }
    chooseGpu(request, deviceName(options));
    if (request.options.cuda)
      request.options.after =
          after ? std::move(after) : endOfStream(*program, options);
    capi::checkAddresses(request, f);
    request.options.entry = request.function;
    request.options.checksEach |= !f.staticCollectives;
    if (request.options.mpi)
      beginProcessRun(request.options, m);
    RunReport report = runFunction(std::move(request));
    std::lock_guard<std::mutex> lock(program->mutex);
    program->hasRun = report.error.empty();
    program->measurement = report.measurement;
    program->events = std::move(report.events);
    return capi::finish(report.error);
  });
}

extern "C" {

int shardir_version(void) { return SHARDIR_VERSION; }

const char *shardir_last_error(void) { return capi::lastError(); }

size_t shardir_element_size(shardir_element_type type) {
  return elementSize(type);
}

shardir_status shardir_program_load(const char *path,
                                    shardir_program **program) {
  return guarded([&] {
    capi::notNull(path, "path");
    capi::notNull(program, "program");
    *program = nullptr;
    shardir_status status;
    std::string error;
    std::shared_ptr<Program> loaded = Program::load(path, status, error);
    if (!loaded)
      throw capi::Failure{status, error};
    *program = new shardir_program{std::move(loaded)};
    return SHARDIR_OK;
  });
}

void shardir_program_free(shardir_program *program) { delete program; }

shardir_status shardir_set_stream(shardir_program *program, void *stream) {
  return guarded([&] {
    capi::notNull(program, "program");
    if (stream && !program->program->metadata.gpu)
      refuse("a stream is for programs for GPUs, and this one is for "
             "processors");
    program->stream = stream;
    return SHARDIR_OK;
  });
}

void shardir_set_host_shards(shardir_program *program, int yes) {
  if (program)
    program->hostShards = yes != 0;
}

int64_t shardir_program_num_ranks(const shardir_program *program) {
  return program ? program->program->metadata.ranks : 0;
}

size_t shardir_program_num_functions(const shardir_program *program) {
  return program ? program->program->metadata.functions.size() : 0;
}

const char *shardir_program_function_name(const shardir_program *program,
                                          size_t function) {
  if (function >= shardir_program_num_functions(program))
    return nullptr;
  return program->program->metadata.functions[function].name.c_str();
}

const char *shardir_program_metadata_json(const shardir_program *program) {
  return program ? program->program->metadata.json.c_str() : nullptr;
}

shardir_status shardir_function_num_arguments(const shardir_program *program,
                                              const char *function, size_t *n) {
  return guarded([&] {
    capi::notNull(n, "n");
    *n = capi::functionOf(program, function).arguments.size();
    return SHARDIR_OK;
  });
}

shardir_status shardir_function_num_results(const shardir_program *program,
                                            const char *function, size_t *n) {
  return guarded([&] {
    capi::notNull(n, "n");
    *n = capi::functionOf(program, function).results.size();
    return SHARDIR_OK;
  });
}

shardir_status shardir_function_argument(const shardir_program *program,
                                         const char *function, size_t i,
                                         shardir_tensor_info *info) {
  return guarded([&] {
    fillInfo(tensorAt(capi::functionOf(program, function), false, i), info);
    return SHARDIR_OK;
  });
}

shardir_status shardir_function_result(const shardir_program *program,
                                       const char *function, size_t i,
                                       shardir_tensor_info *info) {
  return guarded([&] {
    fillInfo(tensorAt(capi::functionOf(program, function), true, i), info);
    return SHARDIR_OK;
  });
}

shardir_status shardir_argument_local_shape(const shardir_program *program,
                                            const char *function, size_t i,
                                            int64_t rank, int64_t *shape) {
  return guarded([&] {
    localShapeOf(program,
                 tensorAt(capi::functionOf(program, function), false, i), rank,
                 shape);
    return SHARDIR_OK;
  });
}

shardir_status shardir_result_local_shape(const shardir_program *program,
                                          const char *function, size_t i,
                                          int64_t rank, int64_t *shape) {
  return guarded([&] {
    localShapeOf(program,
                 tensorAt(capi::functionOf(program, function), true, i), rank,
                 shape);
    return SHARDIR_OK;
  });
}

shardir_status shardir_argument_shard_shape(const shardir_program *program,
                                            const char *function, size_t i,
                                            const int64_t *whole, int64_t rank,
                                            int64_t *shape) {
  return shardShape(program, function, /*isResult=*/false, i, whole, rank,
                    shape);
}

shardir_status shardir_result_shard_shape(const shardir_program *program,
                                          const char *function, size_t i,
                                          const int64_t *whole, int64_t rank,
                                          int64_t *shape) {
  return shardShape(program, function, /*isResult=*/true, i, whole, rank,
                    shape);
}

shardir_status shardir_argument_global_shape(const shardir_program *program,
                                             const char *function, size_t i,
                                             const shardir_buffer *shards,
                                             int64_t *whole) {
  return guarded([&] {
    const FunctionSpec &f = capi::functionOf(program, function);
    const TensorSpec &spec = tensorAt(f, false, i);
    capi::notNull(shards, "shards");
    const Metadata &m = program->program->metadata;
    for (int64_t r = 0; r < m.ranks; ++r)
      capi::checkBuffer(
          shards[r], spec, capi::localShape(m, spec, spec.shape, r),
          nameOf("argument", i, f) + " on rank " + std::to_string(r),
          /*noData=*/true);
    std::vector<int64_t> shape = globalShapeFrom(m, f, i, [&](size_t r) {
      return std::vector<int64_t>(shards[r].shape,
                                  shards[r].shape + shards[r].rank);
    });
    if (!shape.empty())
      capi::notNull(whole, "whole");
    std::copy(shape.begin(), shape.end(), whole);
    return SHARDIR_OK;
  });
}

shardir_status shardir_run(const shardir_program *program, const char *function,
                           const shardir_buffer *arguments,
                           size_t num_arguments, shardir_buffer *results,
                           size_t num_results,
                           const shardir_run_options *options) {
  return capi::run(program, function, /*local=*/false, arguments, num_arguments,
                   results, num_results, options);
}

shardir_status shardir_run_local(const shardir_program *program,
                                 const char *function,
                                 const shardir_buffer *arguments,
                                 size_t num_arguments, shardir_buffer *results,
                                 size_t num_results,
                                 const shardir_run_options *options) {
  return capi::run(program, function, /*local=*/true, arguments, num_arguments,
                   results, num_results, options);
}

const char *shardir_gpu_architecture(void) {
  static thread_local std::string text;
  shardir_status status = guarded([&] {
    std::string error;
    int ordinal = gpuOfProcess(error);
    CudaDevice *gpu = ordinal < 0 ? nullptr : CudaDevice::get(ordinal, error);
    if (!gpu)
      refuse(error);
    text = gpu->compilerArchitecture();
    return SHARDIR_OK;
  });
  return status == SHARDIR_OK ? text.c_str() : nullptr;
}

shardir_status shardir_last_measurement(const shardir_program *program,
                                        shardir_measurement *m) {
  return guarded([&] {
    capi::notNull(program, "program");
    capi::notNull(m, "measurement");
    std::lock_guard<std::mutex> lock(program->mutex);
    if (!program->hasRun)
      refuse("the program has not run to its end yet");
    *m = program->measurement;
    return SHARDIR_OK;
  });
}

void shardir_program_set_trace(shardir_program *program, int enable) {
  if (!program)
    return;
  std::lock_guard<std::mutex> lock(program->mutex);
  program->trace = enable != 0;
}

void shardir_program_set_benchmark(shardir_program *program, int enable) {
  if (!program)
    return;
  std::lock_guard<std::mutex> lock(program->mutex);
  program->benchmark = enable != 0;
}

shardir_status shardir_last_trace(const shardir_program *program,
                                  const shardir_trace_event **events,
                                  size_t *n) {
  return guarded([&] {
    capi::notNull(program, "program");
    capi::notNull(events, "events");
    capi::notNull(n, "n");
    std::lock_guard<std::mutex> lock(program->mutex);
    *events = program->events.data();
    *n = program->events.size();
    return SHARDIR_OK;
  });
}

const char *shardir_program_collective_text(const shardir_program *program,
                                            size_t i) {
  return program && i < program->collectiveTexts.size()
             ? program->collectiveTexts[i].c_str()
             : nullptr;
}

const char *shardir_program_kernel_text(const shardir_program *program,
                                        size_t i) {
  return program && i < program->kernelTexts.size()
             ? program->kernelTexts[i].c_str()
             : nullptr;
}

} // extern "C"
