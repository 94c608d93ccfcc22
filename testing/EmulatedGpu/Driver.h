//===- Driver.h - What the emulated driver's calls share --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's state, and one call of it: what it checks of its arguments, and
// the line that it leaves in the log. Requires one Call object at the start of
// each exported function; guarantees that a call which a test wants to fail
// does nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_DRIVER_H
#define SHARDIR_TESTING_EMULATEDGPU_DRIVER_H

#include "Memory.h"
#include "Ptx/Machine.h"
#include "Queue.h"
#include "Settings.h"

#include "ShardIR/Runtime/EmulatedGpu.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#define SHARDIR_EXPORT extern "C" __attribute__((visibility("default")))

namespace shardir {
namespace emulated {

enum : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kInvalidPtx = 218,
  kNoBinaryForGpu = 209,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kLaunchFailed = 719,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureUnjoined = 904,
  kCapturedEvent = 907,
  kInvalidClusterSize = 912,
  kNotSupported = 801,
};
/// Of cuDeviceGetAttribute.
constexpr unsigned kSharedDefault = 48 * 1024;

/// A host function, or a kernel of a PTX module.
struct Function {
  const shardir_emulated_kernel *kernel = nullptr;
  std::unique_ptr<ptx::LoadedKernel> ptx;
  unsigned maxShared = kSharedDefault;

  std::string name() const { return kernel ? kernel->name : ptx->name(); }
  /// Bytes before those of the launch.
  int64_t staticShared() const {
    return kernel ? kernel->shared_bytes : ptx->staticShared();
  }
};
struct Module {
  std::vector<std::unique_ptr<Function>> functions;
};
struct Context {};

struct State {
  std::mutex mutex;
  std::atomic<bool> started{false};
  Context context;
  std::set<Module *> modules;
  std::set<Function *> functions;
  std::set<void *> pinned;
};
State &state();
extern thread_local Context *current;

using Pointer = unsigned long long;

inline void *hostOf(Pointer p) {
  return reinterpret_cast<void *>(uintptr_t(p));
}
inline std::string text(Pointer p) { return Memory::get().name(p); }
inline std::string text(Stream *s) {
  return s ? std::to_string(s->number) : "0";
}

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
  /// Fails on a stream that is being captured, and spoils the capture.
  bool isNotCaptured(Stream *stream) {
    if (isStream(stream) && Queue::get().spoilCapture(stream))
      fail(kCaptureUnsupported, "the stream is being captured");
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
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_DRIVER_H
