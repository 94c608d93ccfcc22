//===- CApiChecks.h - Whether a run's buffers are right ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_API_CAPICHECKS_H
#define SHARDIR_LIB_RUNTIME_API_CAPICHECKS_H

#include "Core/Run.h"

#include <string>

namespace shardir {
namespace runtime {
namespace capi {

/// `argument 1 of @main`, for messages.
std::string nameOf(const char *kind, size_t i, const FunctionSpec &f);

/// Checks one buffer against the extents that it must have; -1 is any. Throws
/// Failure.
void checkBuffer(const shardir_buffer &b, const TensorSpec &spec,
                 const std::vector<int64_t> &shape, const std::string &name,
                 bool noData);

/// An extent known only now must be one that the placement can cut. Throws
/// Failure.
void checkCut(const Metadata &metadata, const TensorSpec &spec,
              const shardir_buffer &b, const std::string &name);

/// Types, ranks, extents and null pointers. Throws Failure.
void checkBuffers(const RunRequest &request, const FunctionSpec &f);

/// All that checkBuffers reads: a run whose description is that of one that
/// passed needs no check.
std::vector<int64_t> describeBuffers(const RunRequest &request,
                                     const FunctionSpec &f);

/// The memory of shards: aligned, and that of an argument for a result in
/// place. Throws Failure.
void checkAddresses(const RunRequest &request, const FunctionSpec &f);

} // namespace capi
} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_API_CAPICHECKS_H
