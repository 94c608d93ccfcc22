//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges that profilers show beside the kernels and copies that are queued in
// them.
// Guarantees that nothing is done unless $SHARDIR_NVTX_LIBRARY names NVTX's
// library (libnvtx3interop.so.1 of PyPI's nvidia-nvtx), and a cuda::Failure
// where what it names cannot be used.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_NVTX_H
#define SHARDIR_LIB_RUNTIME_CUDA_NVTX_H

#include <cstdint>
#include <string>

namespace shardir {
namespace runtime {

/// One range of this thread, from its construction to its destruction.
class NvtxRange {
public:
  /// `text` is called where ranges are wanted, and gives the name.
  template <typename Text> explicit NvtxRange(const Text &text) {
    if (isWanted())
      begin(text());
  }
  NvtxRange(const NvtxRange &) = delete;
  ~NvtxRange();

private:
  static bool isWanted();
  void begin(const std::string &name);
  bool isOpen = false;
  friend class NvtxSpan;
};

/// A range that others of the thread may begin or end in: ranks that share a
/// thread take turns while a collective waits for its members.
class NvtxSpan {
public:
  template <typename Text> explicit NvtxSpan(const Text &text) {
    if (NvtxRange::isWanted())
      begin(text());
  }
  NvtxSpan(const NvtxSpan &) = delete;
  ~NvtxSpan();

private:
  void begin(const std::string &name);
  uint64_t id = 0; ///< nvtxRangeId_t
  bool isOpen = false;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_NVTX_H
