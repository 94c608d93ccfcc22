//===- Sha256.h - The SHA-256 hash ------------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// The hash that names compiled programs in the cache by what they were made
// from, and by which processes prove that they know a job's token. A short
// hash would do against accidents; this one also holds against files that were
// made to collide, in a cache that several users' jobs may share.
// FIPS 180-4.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_HASH_SHA256_H
#define SHARDIR_HASH_SHA256_H

#include <string>

namespace shardir {

/// The hash of `data` as 64 hexadecimal digits.
std::string sha256(const std::string &data);
/// HMAC-SHA-256 of `data` with a secret `key` (RFC 2104), 64 hexadecimal
/// digits.
std::string hmacSha256(const std::string &key, const std::string &data);

} // namespace shardir

#endif // SHARDIR_HASH_SHA256_H
