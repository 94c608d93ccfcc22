//===- Settings.h - Settings of the emulated driver -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the emulating driver behaves, from $SHARDIR_EMULATED_CUDA or a test:
// words apart by blanks.
//
//   lazy             queued work is done when somebody waits for it, and no
//                    sooner: who forgets to wait reads old data
//   unified          kernels and copies may use the host's memory, too
//   waits            calls of NCCL return when the data is there
//   memory=BYTES     of the GPU (8589934592)
//   capability=N     of the GPU: 80, 86, 90, … (90)
//   multiprocessors=N of the GPU (2)
//   cache=BYTES      of the L2 cache that is counted (52428800)
//   fail=CALL:N:CODE the Nth call of CALL from now returns CODE
//   delay=CALL:MS    each call of CALL takes so many milliseconds more
//   log=FILE         each call, in the order of the calls; also
//                    $SHARDIR_EMULATED_CUDA_LOG
//
// Requires nothing; guarantees that a word it does not know ends the process
// with a message, as a test with a wrong setting would test nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_SETTINGS_H
#define SHARDIR_TESTING_EMULATEDGPU_SETTINGS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

namespace shardir {
namespace emulated {

class Settings {
public:
  static Settings &get();
  /// In place of all settings before.
  void configure(const std::string &text);
  /// Whether this call of `function` is to fail; with what.
  bool fails(const std::string &function, int &code);
  /// Sleeps where `function` is to take longer.
  void delay(const std::string &function);
  void log(const std::string &line);
  bool logs() const { return logging.load(); }

  std::atomic<bool> lazy{false}, unified{false}, waits{false};
  std::atomic<size_t> memory{0}, cache{0};
  std::atomic<int> capability{90}, multiprocessors{2};
  /// The most shared memory of a block of PTX, by the capability.
  int64_t sharedBytes() const {
    int here = capability;
    bool small = here == 86 || here == 89 || here / 10 == 12;
    return (small ? 99 : here / 10 == 8 ? 163 : 227) * 1024;
  }

private:
  Settings();
  struct Fault {
    int left = 0, code = 0;
  };
  std::mutex mutex;
  std::map<std::string, Fault> faults;
  std::map<std::string, int> delays; ///< milliseconds
  std::atomic<bool> logging{false};
  FILE *file = nullptr;
};

/// Details of the last call that failed on this thread, for messages.
std::string &lastDetail();

} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_SETTINGS_H
