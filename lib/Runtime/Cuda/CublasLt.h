//===- CublasLt.h - Products by cuBLASLt ------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cublasLtMatmul, of the library that $SHARDIR_CUBLASLT_LIBRARY names, else
// libcublasLt.so.13 or libcublasLt.so.12, loaded when the first product needs
// it. Requires the GPU to be the calling thread's; guarantees that what the
// library chose for a product is kept, as it takes much longer than a launch.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_CUBLASLT_H
#define SHARDIR_LIB_RUNTIME_CUDA_CUBLASLT_H

#include "CudaApi.h"
#include "Elements/ElementType.h"

#include <array>
#include <map>
#include <memory>

namespace shardir {
namespace runtime {

/// As shardir_gpu_library_matmul has it.
struct LibraryMatmul {
  int64_t m, n, k, batch;
  int64_t rows[3], products[3]; ///< strides of a, b and c, in elements
  ElementType operandType, resultType;
  int flags;
  const void *a, *b;
  void *c;
  const void *bias;

  std::string describe() const;
};

class CublasLt {
public:
  CublasLt();
  ~CublasLt();
  CublasLt(const CublasLt &) = delete;

  /// Bytes of device memory that a product may use besides.
  static constexpr size_t kWorkspace = size_t(32) << 20;
  /// Queues the product. Throws cuda::Failure.
  void run(const LibraryMatmul &product, void *workspace, cuda::Stream stream);

private:
  struct Plan;
  using Key = std::array<int64_t, 17>;
  static Key keyOf(const LibraryMatmul &product);
  std::unique_ptr<Plan> makePlan(const LibraryMatmul &product) const;

  void *handle = nullptr;
  std::map<Key, std::unique_ptr<Plan>> plans;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_CUBLASLT_H
