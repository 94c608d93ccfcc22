//===- CudaRegion.h - Copy plans as kernels take them -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts what CopyPlan describes into pieces that one launch of the runtime's
// kernels carries. Requires runs within both arrays; guarantees that the
// regions together are the plan, each of its elements once, and that a unit is
// as wide as extents, strides and addresses allow.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CUDA_CUDAREGION_H
#define SHARDIR_LIB_RUNTIME_CUDA_CUDAREGION_H

#include "DeviceKernels.h"
#include "Elements/Copy.h"

#include <functional>

namespace shardir {
namespace runtime {

/// The widest unit in bytes, a power of two up to `widest`, of which all runs
/// of elements of `size` bytes consist; `addresses` is the bitwise or of all
/// addresses. At least `size`.
size_t regionUnit(const std::vector<CopyDim> &dims, size_t size, size_t widest,
                  uintptr_t addresses);

/// Calls f(region, sourceBytes, destinationBytes) for each region of `dims`, of
/// elements of `size` bytes, in units of `unit` bytes; the numbers are to be
/// added to the addresses. Nothing where a dimension has no runs.
void forEachRegion(
    const std::vector<CopyDim> &dims, size_t size, size_t unit,
    const std::function<void(const Region &, int64_t, int64_t)> &f);

/// The dims of a copy between strided arrays, adjacent ones merged; strides
/// count elements. Empty if there is nothing to copy.
std::vector<CopyDim> stridedDims(const int64_t *shape,
                                 const int64_t *sourceStrides,
                                 const int64_t *destinationStrides,
                                 int64_t rank);

/// The whole plan as one span with steps of one element, or null.
const Piece::Run *wholeSpan(const std::vector<CopyDim> &dims);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CUDA_CUDAREGION_H
