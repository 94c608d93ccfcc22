//===- Driver.cpp - The driver API of an emulated GPU ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libShardIREmulatedGpu.so: what the runtime uses of libcuda.so.1, for tests
// on machines without a GPU, chosen by $SHARDIR_CUDA_LIBRARY. Requires programs
// compiled for arch=host; guarantees that every call is checked (handles,
// addresses, sizes, the order of making and destroying), that it is recorded
// where a log is asked for, and that what is wrong is a CUresult whose text
// says what. Here are the device, streams and events; memory and kernels are in
// files of their own.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "Core/Fiber.h"
#include "Grid.h"

#include <cstdio>
#include <map>

using namespace shardir::emulated;

namespace {
enum : int {
  kMultiprocessors = 16,
  kCacheBytes = 38,
  kMajor = 75,
  kMinor = 76,
  kSharedOptin = 97
};
constexpr int kVersion = 12080;
constexpr int kGreatestPriority = -5;
} // namespace

namespace shardir {
namespace emulated {

State &state() {
  static State &state = *new State; // outlives static destructors
  return state;
}
thread_local Context *current = nullptr;

} // namespace emulated
} // namespace shardir

/// For tests: settings as in $SHARDIR_EMULATED_CUDA.
SHARDIR_EXPORT void shardir_emulated_cuda_configure(const char *text) {
  Settings::get().configure(text);
}
/// For tests: bytes that are allocated on the GPU.
SHARDIR_EXPORT size_t shardir_emulated_cuda_used(void) {
  return Memory::get().used();
}

SHARDIR_EXPORT int cuInit(unsigned) {
  state().started = true;
  Call call("cuInit", false);
  if (!shardir::runtime::kHaveFibers)
    call.fail(kNotSupported, "the emulated GPU needs a processor of x86-64");
  return call.result();
}

SHARDIR_EXPORT int cuDriverGetVersion(int *version) {
  *version = kVersion;
  return kSuccess;
}

SHARDIR_EXPORT int cuGetErrorName(int code, const char **name) {
  static const std::map<int, const char *> names = {
      {kSuccess, "CUDA_SUCCESS"},
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
      {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
      {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
      {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
      {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
      {kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
      {kNotFound, "CUDA_ERROR_NOT_FOUND"},
      {kNotReady, "CUDA_ERROR_NOT_READY"},
      {kCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {kCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
      {kCaptureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
      {kCapturedEvent, "CUDA_ERROR_CAPTURED_EVENT"},
      {kInvalidClusterSize, "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
      {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
      {kNotSupported, "CUDA_ERROR_NOT_SUPPORTED"},
  };
  auto it = names.find(code);
  *name = it == names.end() ? nullptr : it->second;
  return it == names.end() ? kInvalidValue : kSuccess;
}

SHARDIR_EXPORT int cuGetErrorString(int code, const char **what) {
  *what = lastDetail().empty() ? nullptr : lastDetail().c_str();
  return code && *what ? kSuccess : kInvalidValue;
}

SHARDIR_EXPORT int cuDeviceGetCount(int *n) {
  Call call("cuDeviceGetCount", false);
  *n = 1;
  return call.result();
}

SHARDIR_EXPORT int cuDeviceGet(int *device, int ordinal) {
  Call call("cuDeviceGet", false);
  *device = 0;
  return ordinal == 0 ? call.result() : call.fail(kInvalidDevice);
}

SHARDIR_EXPORT int cuDeviceGetName(char *name, int n, int) {
  Call call("cuDeviceGetName", false);
  std::snprintf(name, size_t(n), "emulated GPU");
  return call.result();
}

SHARDIR_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  Call call("cuDeviceGetAttribute", false);
  const int capability = Settings::get().capability;
  const std::map<int, int> values = {
      {kMultiprocessors, Settings::get().multiprocessors},
      {kMajor, capability / 10},
      {kMinor, capability % 10},
      {kCacheBytes, 1 << 20},
      {kSharedOptin, int(Settings::get().sharedBytes())}};
  auto it = values.find(attribute);
  if (it == values.end())
    return call.fail(kInvalidValue);
  *value = it->second;
  return call.result();
}

SHARDIR_EXPORT int cuDevicePrimaryCtxRetain(Context **context, int) {
  Call call("cuDevicePrimaryCtxRetain", false);
  *context = &state().context;
  return call.result();
}

SHARDIR_EXPORT int cuCtxSetCurrent(Context *context) {
  if (context && context != &state().context)
    return kInvalidContext;
  current = context;
  return kSuccess;
}

SHARDIR_EXPORT int cuCtxGetCurrent(Context **context) {
  *context = current;
  return kSuccess;
}

SHARDIR_EXPORT int cuCtxSynchronize() {
  Call call("cuCtxSynchronize");
  if (call.ok())
    Queue::get().finishAll();
  return call.result();
}

SHARDIR_EXPORT int cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  Call call("cuCtxGetStreamPriorityRange");
  *least = 0;
  *greatest = kGreatestPriority;
  return call.result();
}

SHARDIR_EXPORT int cuStreamCreateWithPriority(Stream **stream, unsigned,
                                              int priority) {
  Call call("cuStreamCreateWithPriority");
  if (call.ok()) {
    *stream = Queue::get().makeStream();
    call.with("stream", text(*stream));
    call.with("priority", std::to_string(priority));
  }
  return call.result();
}

SHARDIR_EXPORT int cuStreamCreate(Stream **stream, unsigned) {
  Call call("cuStreamCreate");
  if (!call.ok())
    return call.result();
  *stream = Queue::get().makeStream();
  call.with("stream", text(*stream));
  return call.result();
}

SHARDIR_EXPORT int cuStreamDestroy_v2(Stream *stream) {
  Call call("cuStreamDestroy");
  if (call.isStream(stream) && !Queue::get().destroy(stream))
    call.fail(kInvalidHandle, "no such stream");
  return call.result();
}

SHARDIR_EXPORT int cuStreamQuery(Stream *stream) {
  Call call("cuStreamQuery");
  call.with("stream", text(stream));
  if (call.isNotCaptured(stream) && !Queue::get().isEmpty(stream))
    return kNotReady;
  return call.result();
}

SHARDIR_EXPORT int cuStreamSynchronize(Stream *stream) {
  Call call("cuStreamSynchronize");
  call.with("stream", text(stream));
  if (call.isNotCaptured(stream))
    Queue::get().finish(stream);
  return call.result();
}

SHARDIR_EXPORT int cuStreamWaitEvent(Stream *stream, Event *event, unsigned) {
  Call call("cuStreamWaitEvent");
  if (!call.isStream(stream) || !call.isEvent(event))
    return call.result();
  call.with("event", uint64_t(event->number)).with("stream", text(stream));
  Queue::get().await(stream, event);
  return call.result();
}

SHARDIR_EXPORT int cuEventCreate(Event **event, unsigned) {
  Call call("cuEventCreate");
  if (!call.ok())
    return call.result();
  *event = Queue::get().makeEvent();
  call.with("event", uint64_t((*event)->number));
  return call.result();
}

SHARDIR_EXPORT int cuEventDestroy_v2(Event *event) {
  Call call("cuEventDestroy", false);
  if (call.ok() && !Queue::get().destroy(event))
    call.fail(kInvalidHandle, "no such event");
  return call.result();
}

SHARDIR_EXPORT int cuEventRecord(Event *event, Stream *stream) {
  Call call("cuEventRecord");
  if (!call.isStream(stream) || !call.isEvent(event))
    return call.result();
  call.with("event", uint64_t(event->number)).with("stream", text(stream));
  Queue::get().record(event, stream);
  return call.result();
}

SHARDIR_EXPORT int cuEventQuery(Event *event) {
  Call call("cuEventQuery");
  if (!call.isEvent(event))
    return call.result();
  call.with("event", uint64_t(event->number));
  if (event->captured)
    return call.fail(kCapturedEvent, "the event is part of a capture");
  if (std::string lost = Queue::get().fault(); !lost.empty())
    return call.fail(kLaunchFailed, lost);
  return Queue::get().query(event) ? call.result() : kNotReady;
}

SHARDIR_EXPORT int cuEventElapsedTime(float *milliseconds, Event *from,
                                      Event *to) {
  Call call("cuEventElapsedTime");
  if (!call.isEvent(from) || !call.isEvent(to))
    return call.result();
  call.with("from", uint64_t(from->number)).with("to", uint64_t(to->number));
  if (!Queue::get().elapsed(from, to, milliseconds))
    call.fail(kInvalidHandle, "an event was not recorded");
  return call.result();
}
