//===- Sha256.h - The SHA-256 hash ------------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Names compiled programs in the cache by what they were made from. A short
// hash would do against accidents; this one also holds against files that were
// made to collide, in a cache that several users' jobs may share.
// FIPS 180-4.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_SHA256_H
#define SHARDIR_RUNNER_SHA256_H

#include <string>

namespace shardir::runner {

/// The hash of `data` as 64 hexadecimal digits.
std::string sha256(const std::string &data);

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_SHA256_H
