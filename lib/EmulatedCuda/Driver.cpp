//===- Driver.cpp - The driver API of an emulated GPU ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libShardIREmulatedCuda.so: what the runtime uses of libcuda.so.1, for tests
// on machines without a GPU, chosen by $SHARDIR_CUDA_LIBRARY. Requires programs
// compiled for arch=host; guarantees that every call is checked (handles,
// addresses, sizes, the order of making and destroying), that it is recorded
// where a log is asked for, and that what is wrong is a CUresult whose text
// says what.
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include "Grid.h"
#include "Memory.h"
#include "Queue.h"
#include "Settings.h"

#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

using namespace shardir::emulated;

namespace {

enum : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kLaunchFailed = 719,
  kNotSupported = 801,
};
/// Of cuDeviceGetAttribute.
enum : int {
  kMultiprocessors = 16,
  kMajor = 75,
  kMinor = 76,
  kSharedOptin = 97
};
constexpr int kVersion = 12080;
constexpr unsigned kSharedDefault = 48 * 1024;

struct Function {
  const shardir_emulated_kernel *kernel;
  unsigned maxShared = kSharedDefault;
};
struct Module {
  std::vector<std::unique_ptr<Function>> functions;
};
struct Context {};

struct State {
  std::mutex mutex;
  bool started = false;
  Context context;
  std::set<Module *> modules;
  std::set<Function *> functions;
  std::set<void *> pinned;
};
State &state() {
  static State &state = *new State; // outlives static destructors
  return state;
}
thread_local Context *current = nullptr;

using Pointer = unsigned long long;

void *hostOf(Pointer p) { return reinterpret_cast<void *>(uintptr_t(p)); }
std::string text(Pointer p) { return Memory::get().name(p); }
std::string text(Stream *s) { return s ? std::to_string(s->number) : "0"; }

/// One call: counts down faults, checks the context, keeps the log. The result
/// stands behind what was called with what.
class Call {
public:
  explicit Call(const char *name, bool needsContext = true) : name(name) {
    lastDetail().clear();
    if (Settings::get().fails(name, code)) {
      lastDetail() = "a fault that a test asked for";
    } else if (!state().started) {
      code = kNotInitialized;
    } else if (needsContext && !current) {
      code = kInvalidContext;
      lastDetail() = std::string(name) + " without a current context";
    }
  }
  ~Call() {
    if (Settings::get().logs())
      Settings::get().log(std::string(name) + line +
                          (code ? " -> " + std::to_string(code) : ""));
  }
  bool ok() const { return code == kSuccess; }
  Call &with(const char *key, const std::string &value) {
    line += std::string(" ") + key + "=" + value;
    return *this;
  }
  Call &with(const char *key, uint64_t value) {
    return with(key, std::to_string(value));
  }
  int fail(int result, const std::string &detail = "") {
    code = result;
    if (!detail.empty())
      lastDetail() = detail;
    return code;
  }
  /// Fails unless the range is in device memory.
  bool inMemory(Pointer p, size_t bytes, const char *what) {
    if (code == kSuccess && !Memory::get().check(p, bytes, what))
      code = kInvalidValue;
    return ok();
  }
  bool isStream(Stream *stream) {
    if (code == kSuccess && !Queue::get().knows(stream))
      fail(kInvalidHandle, "no such stream");
    return ok();
  }
  bool isEvent(Event *event) {
    if (code == kSuccess && !Queue::get().knows(event))
      fail(kInvalidHandle, "no such event");
    return ok();
  }
  int result() const { return code; }

private:
  const char *name;
  std::string line;
  int code = kSuccess;
};

/// Moves bytes where device memory may be touched.
void moveBytes(void *to, const void *from, size_t n) {
  Memory::Access access;
  std::memmove(to, from, n);
}

template <class T>
int setMemory(const char *name, Pointer to, T value, size_t count,
              Stream *stream) {
  Call call(name);
  call.with("to", text(to)).with("bytes", count * sizeof(T));
  call.with("stream", text(stream));
  if (!call.isStream(stream) ||
      !call.inMemory(to, count * sizeof(T), "the destination"))
    return call.result();
  Queue::get().add(stream, [=] {
    Memory::Access access;
    auto *p = static_cast<T *>(hostOf(to));
    for (size_t i = 0; i < count; ++i)
      p[i] = value;
  });
  return call.result();
}

int launchKernel(Call &call, Function *function, const unsigned grid[3],
                 const unsigned block[3], unsigned shared, Stream *stream,
                 void **arguments) {
  {
    std::lock_guard<std::mutex> lock(state().mutex);
    if (call.ok() && !state().functions.count(function))
      call.fail(kInvalidHandle, "no such kernel");
  }
  if (!call.isStream(stream))
    return call.result();
  const shardir_emulated_kernel &kernel = *function->kernel;
  auto dims = [](const unsigned d[3]) {
    return std::to_string(d[0]) + "x" + std::to_string(d[1]) + "x" +
           std::to_string(d[2]);
  };
  call.with("kernel", kernel.name).with("grid", dims(grid));
  call.with("block", dims(block)).with("shared", shared);
  call.with("stream", text(stream));
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  if (!grid[0] || !grid[1] || !grid[2] || grid[1] > 65535 || grid[2] > 65535 ||
      threads == 0 || threads > uint64_t(kMaxThreads) || block[2] > 64)
    return call.fail(kInvalidValue, "a grid of " + dims(grid) + " blocks of " +
                                        dims(block) + " threads");
  if (kernel.shared_bytes > int64_t(kSharedDefault) ||
      uint64_t(kernel.shared_bytes) + shared >
          std::max(function->maxShared, kSharedDefault))
    return call.fail(kInvalidValue, std::to_string(kernel.shared_bytes) +
                                        " static and " +
                                        std::to_string(shared) +
                                        " dynamic bytes of shared memory");
  Launch launch = {&kernel,
                   {grid[0], grid[1], grid[2]},
                   {block[0], block[1], block[2]},
                   shared,
                   arguments};
  std::string fault;
  bool ran = Queue::get().runNow(stream, [&] {
    Memory::Access access;
    fault = run(launch);
    return fault.empty();
  });
  if (!ran)
    call.fail(kLaunchFailed, std::string(kernel.name) + ": " + fault);
  return call.result();
}

} // namespace

#define SHARDIR_EXPORT extern "C" __attribute__((visibility("default")))

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
      {kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
      {kNotFound, "CUDA_ERROR_NOT_FOUND"},
      {kNotReady, "CUDA_ERROR_NOT_READY"},
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
  static const std::map<int, int> values = {
      {kMultiprocessors, 2},
      {kMajor, 9},
      {kMinor, 0},
      {kSharedOptin, int(kMaxSharedBytes)}};
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

SHARDIR_EXPORT int cuMemGetInfo_v2(size_t *left, size_t *all) {
  Call call("cuMemGetInfo");
  *all = Settings::get().memory;
  *left = *all - std::min(*all, Memory::get().used());
  return call.result();
}

SHARDIR_EXPORT int cuMemAlloc_v2(Pointer *p, size_t bytes) {
  Call call("cuMemAlloc");
  call.with("bytes", bytes);
  if (!call.ok())
    return call.result();
  if (bytes == 0)
    return call.fail(kInvalidValue, "no bytes");
  *p = Memory::get().allocate(bytes);
  if (!*p)
    return call.fail(kOutOfMemory, "out of memory");
  call.with("at", text(*p));
  return call.result();
}

SHARDIR_EXPORT int cuMemFree_v2(Pointer p) {
  Call call("cuMemFree");
  call.with("at", text(p));
  if (!call.ok() || !p)
    return call.result();
  Queue::get().finishAll(); // as the driver does
  if (!Memory::get().release(p))
    call.fail(kInvalidValue, "no block starts there");
  return call.result();
}

SHARDIR_EXPORT int cuMemHostAlloc(void **p, size_t bytes, unsigned) {
  Call call("cuMemHostAlloc");
  call.with("bytes", bytes);
  if (!call.ok())
    return call.result();
  *p = std::malloc(bytes ? bytes : 1);
  std::lock_guard<std::mutex> lock(state().mutex);
  state().pinned.insert(*p);
  return *p ? kSuccess : call.fail(kOutOfMemory);
}

SHARDIR_EXPORT int cuMemFreeHost(void *p) {
  Call call("cuMemFreeHost");
  if (!call.ok())
    return call.result();
  std::lock_guard<std::mutex> lock(state().mutex);
  if (!state().pinned.erase(p))
    return call.fail(kInvalidValue, "not from cuMemHostAlloc");
  std::free(p);
  return call.result();
}

SHARDIR_EXPORT int cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t n,
                                        Stream *stream) {
  Call call("cuMemcpyHtoDAsync");
  call.with("to", text(to)).with("bytes", n).with("stream", text(stream));
  if (call.isStream(stream) && call.inMemory(to, n, "the destination"))
    Queue::get().add(stream, [=] { moveBytes(hostOf(to), from, n); });
  return call.result();
}

SHARDIR_EXPORT int cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t n,
                                        Stream *stream) {
  Call call("cuMemcpyDtoHAsync");
  call.with("from", text(from)).with("bytes", n).with("stream", text(stream));
  if (call.isStream(stream) && call.inMemory(from, n, "the source"))
    Queue::get().add(stream, [=] { moveBytes(to, hostOf(from), n); });
  return call.result();
}

SHARDIR_EXPORT int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t n,
                                        Stream *stream) {
  Call call("cuMemcpyDtoDAsync");
  call.with("to", text(to)).with("from", text(from)).with("bytes", n);
  call.with("stream", text(stream));
  if (call.isStream(stream) && call.inMemory(to, n, "the destination") &&
      call.inMemory(from, n, "the source"))
    Queue::get().add(stream, [=] { moveBytes(hostOf(to), hostOf(from), n); });
  return call.result();
}

SHARDIR_EXPORT int cuMemsetD8Async(Pointer to, unsigned char value, size_t n,
                                   Stream *stream) {
  return setMemory<uint8_t>("cuMemsetD8Async", to, value, n, stream);
}
SHARDIR_EXPORT int cuMemsetD16Async(Pointer to, unsigned short value, size_t n,
                                    Stream *stream) {
  return setMemory<uint16_t>("cuMemsetD16Async", to, value, n, stream);
}
SHARDIR_EXPORT int cuMemsetD32Async(Pointer to, unsigned value, size_t n,
                                    Stream *stream) {
  return setMemory<uint32_t>("cuMemsetD32Async", to, value, n, stream);
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
  if (call.isStream(stream))
    Queue::get().finish(stream);
  return call.result();
}

SHARDIR_EXPORT int cuStreamSynchronize(Stream *stream) {
  Call call("cuStreamSynchronize");
  call.with("stream", text(stream));
  if (call.isStream(stream))
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
  return Queue::get().query(event) ? call.result() : kNotReady;
}

SHARDIR_EXPORT int cuEventElapsedTime(float *milliseconds, Event *from,
                                      Event *to) {
  Call call("cuEventElapsedTime");
  if (!call.isEvent(from) || !call.isEvent(to))
    return call.result();
  if (!Queue::get().elapsed(from, to, milliseconds))
    call.fail(kInvalidHandle, "an event was not recorded");
  return call.result();
}

SHARDIR_EXPORT int cuModuleLoadDataEx(Module **module, const void *image,
                                      unsigned, int *, void **) {
  Call call("cuModuleLoadData");
  if (!call.ok())
    return call.result();
  // A table starts with the address of a name; PTX and cubins with text.
  uint64_t first;
  std::memcpy(&first, image, sizeof(first));
  if (first >> 48)
    return call.fail(kNoBinaryForGpu,
                     "the emulated GPU runs programs of arch=host alone");
  auto loaded = std::make_unique<Module>();
  std::lock_guard<std::mutex> lock(state().mutex);
  for (auto *k = static_cast<const shardir_emulated_kernel *>(image); k->name;
       ++k) {
    loaded->functions.push_back(std::make_unique<Function>(Function{k}));
    state().functions.insert(loaded->functions.back().get());
  }
  call.with("kernels", loaded->functions.size());
  *module = loaded.release();
  state().modules.insert(*module);
  return call.result();
}

SHARDIR_EXPORT int cuModuleUnload(Module *module) {
  Call call("cuModuleUnload");
  if (!call.ok())
    return call.result();
  Queue::get().finishAll();
  std::lock_guard<std::mutex> lock(state().mutex);
  if (!state().modules.erase(module))
    return call.fail(kInvalidHandle, "no such module");
  for (std::unique_ptr<Function> &f : module->functions)
    state().functions.erase(f.get());
  delete module;
  return call.result();
}

SHARDIR_EXPORT int cuModuleGetFunction(Function **function, Module *module,
                                       const char *name) {
  Call call("cuModuleGetFunction");
  call.with("name", name);
  std::lock_guard<std::mutex> lock(state().mutex);
  if (call.ok() && !state().modules.count(module))
    call.fail(kInvalidHandle, "no such module");
  if (!call.ok())
    return call.result();
  for (std::unique_ptr<Function> &f : module->functions)
    if (std::strcmp(f->kernel->name, name) == 0) {
      *function = f.get();
      return call.result();
    }
  return call.fail(kNotFound, std::string("the module has no kernel ") + name);
}

SHARDIR_EXPORT int cuFuncSetAttribute(Function *function, int attribute,
                                      int value) {
  Call call("cuFuncSetAttribute");
  call.with("attribute", uint64_t(attribute)).with("value", uint64_t(value));
  std::lock_guard<std::mutex> lock(state().mutex);
  if (call.ok() && !state().functions.count(function))
    call.fail(kInvalidHandle, "no such kernel");
  if (!call.ok() || attribute != 8)
    return call.result();
  if (value < 0 || value > kMaxSharedBytes)
    return call.fail(kInvalidValue, "a block has at most " +
                                        std::to_string(kMaxSharedBytes) +
                                        " bytes of shared memory");
  function->maxShared = unsigned(value);
  return call.result();
}

SHARDIR_EXPORT int cuLaunchKernel(Function *function, unsigned gx, unsigned gy,
                                  unsigned gz, unsigned bx, unsigned by,
                                  unsigned bz, unsigned shared, Stream *stream,
                                  void **arguments, void **) {
  Call call("cuLaunchKernel");
  unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  return launchKernel(call, function, grid, block, shared, stream, arguments);
}

SHARDIR_EXPORT int cuLaunchKernelEx(const void *, Function *, void **,
                                    void **) {
  Call call("cuLaunchKernelEx");
  return call.fail(kNotSupported, "the emulated GPU has no clusters");
}
