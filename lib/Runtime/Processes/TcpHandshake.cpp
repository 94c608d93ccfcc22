//===- TcpHandshake.cpp - The first words on a connection -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what TcpHandshake.h says.
//
//===----------------------------------------------------------------------===//

#include "TcpHandshake.h"

#include "ShardIR/Hash/Sha256.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <sys/random.h>
#include <unistd.h>

namespace shardir {
namespace runtime {

namespace {

/// In a time that does not depend on where they differ.
bool areEqual(const TcpProof &a, const TcpProof &b) {
  int difference = 0;
  for (size_t i = 0; i < sizeof(a.digits); ++i)
    difference |= a.digits[i] ^ b.digits[i];
  return difference == 0;
}

std::string textOf(const void *data, size_t bytes) {
  return {static_cast<const char *>(data), bytes};
}

uint64_t hashOf(const std::string &text) {
  uint64_t value = 0xcbf29ce484222325u; // FNV-1a
  for (unsigned char c : text)
    value = (value ^ c) * 0x100000001b3u;
  return value;
}

/// The same for processes that reach each other by the addresses of one
/// machine: containers there may have networks of their own.
uint64_t thisMachine() {
  char text[256] = "";
  ::gethostname(text, sizeof(text) - 1);
  std::string name = text;
  if (FILE *file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
    if (std::fgets(text, sizeof(text), file))
      name += text;
    std::fclose(file);
  }
  ssize_t length = ::readlink("/proc/self/ns/net", text, sizeof(text));
  name.append(text, size_t(std::max<ssize_t>(length, 0)));
  return hashOf(name);
}

} // namespace

TcpNonce makeTcpNonce() {
  TcpNonce nonce;
  if (::getrandom(&nonce, sizeof(nonce), 0) != ssize_t(sizeof(nonce)))
    throw std::runtime_error("cannot get a random number from the system");
  return nonce;
}

TcpHandshake::TcpHandshake(const JobLaunch &launch)
    : rank(launch.rank), size(launch.size), job(hashOf(launch.job)),
      machine(thisMachine()), token(launch.token) {}

TcpProof TcpHandshake::prove(const std::string &text) const {
  TcpProof proof;
  std::memcpy(proof.digits, hmacSha256(token, text).data(),
              sizeof(proof.digits));
  return proof;
}

TcpProof TcpHandshake::proofOf(const TcpHello &h,
                               const TcpNonce &challenge) const {
  return prove("hello" + textOf(&challenge, sizeof(challenge)) +
               textOf(&h, offsetof(TcpHello, proof)));
}

TcpChallenge TcpHandshake::challenge(const TcpNonce &nonce) const {
  TcpChallenge c;
  std::memcpy(c.magic, kMagic, sizeof(kMagic));
  c.nonce = nonce;
  return c;
}

TcpHello TcpHandshake::hello(const TcpNonce &challenge, const TcpNonce &own,
                             uint16_t port) const {
  TcpHello h = {};
  std::memcpy(h.magic, kMagic, sizeof(kMagic));
  h.rank = uint32_t(rank);
  h.size = uint32_t(size);
  h.job = job;
  h.machine = machine;
  h.port = port;
  h.nonce = own;
  h.proof = proofOf(h, challenge);
  return h;
}

bool TcpHandshake::isOfJob(const TcpHello &h, const TcpNonce &challenge) const {
  return isOurs(h) && h.job == job && areEqual(h.proof, proofOf(h, challenge));
}

TcpVerdict TcpHandshake::verdict(bool failed, uint32_t length,
                                 const TcpNonce &nonce) const {
  TcpVerdict v = {};
  std::memcpy(v.magic, kMagic, sizeof(kMagic));
  v.failed = failed;
  v.length = length;
  v.proof = prove("verdict" + textOf(&nonce, sizeof(nonce)));
  return v;
}

bool TcpHandshake::isOfJob(const TcpVerdict &v, const TcpNonce &own) const {
  return isOurs(v) && areEqual(v.proof, verdict(false, 0, own).proof);
}

} // namespace runtime
} // namespace shardir
