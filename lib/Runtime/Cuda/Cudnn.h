//===- Cudnn.h - Attention by cuDNN -----------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operation "scaled dot-product attention forward" of cuDNN 9.13.1 or
// later, of the library that $SHARDIR_CUDNN_LIBRARY names, else libcudnn.so.9,
// loaded when the first attention needs it. Requires the GPU to be the calling
// thread's; guarantees that the plan that the library made for an attention is
// kept, as making one may compile a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_CUDNN_H
#define SHARDIR_LIB_RUNTIME_CUDA_CUDNN_H

#include "CudaApi.h"
#include "Elements/ElementType.h"

#include <array>
#include <map>
#include <memory>

namespace shardir {
namespace runtime {

/// As shardir_gpu_library_attention has it.
struct LibraryAttention {
  int64_t batch, queryHeads, keyHeads, rows, columns, k, v;
  /// Of batch, heads and positions, of query, key, value and result.
  int64_t strides[4][3];
  float scale;
  ElementType type;
  const void *data[4]; ///< of query, key, value and result

  bool isEmpty() const { return batch == 0 || queryHeads == 0 || rows == 0; }
  std::string describe() const;
};

class Cudnn {
public:
  Cudnn();
  ~Cudnn();
  Cudnn(const Cudnn &) = delete;

  /// Bytes of device memory that the attention needs besides. Throws
  /// cuda::Failure, as `run`.
  size_t workspaceOf(const LibraryAttention &attention);
  /// Queues the attention.
  void run(const LibraryAttention &attention, void *workspace,
           cuda::Stream stream);

private:
  struct Plan;
  using Key = std::array<int64_t, 20>; ///< sizes, type and strides
  static Key keyOf(const LibraryAttention &attention);
  Plan &planOf(const LibraryAttention &attention);

  void *handle = nullptr;
  std::map<Key, std::unique_ptr<Plan>> plans;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_CUDNN_H
