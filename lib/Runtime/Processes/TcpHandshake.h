//===- TcpHandshake.h - The first words on a connection ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first words of two processes of a job on a connection. Whoever accepts
// sends a Challenge, the other one answers with a Hello, and the first one with
// a Verdict. Each of the two proves that it knows the job's token, by an HMAC
// of a random number of the other one's. Requires both to read the bytes as
// they are in memory; guarantees that a process of another job, or one that
// does not know the token, is recognized.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_TCPHANDSHAKE_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_TCPHANDSHAKE_H

#include "Processes/Launch.h"
#include "Socket.h"

#include <cstdint>
#include <cstring>
#include <string>

struct sockaddr_storage;

namespace shardir {
namespace runtime {

/// A number that is never used again, and hexadecimal digits of an HMAC.
struct TcpNonce {
  unsigned char bytes[16];
};
struct TcpProof {
  char digits[64];
};
/// The first message on a connection, by who has accepted it.
struct TcpChallenge {
  char magic[8];
  TcpNonce nonce;
};
/// The first message of a process that has connected.
struct TcpHello {
  char magic[8];
  uint32_t rank, size;
  uint64_t job, machine;
  uint16_t port, unused = 0;
  uint32_t unused2 = 0;
  TcpNonce nonce;
  TcpProof proof; ///< of the challenge and all before
};
/// The answer to a Hello: success, or an error message of `length` bytes.
struct TcpVerdict {
  char magic[8];
  uint32_t failed, length;
  TcpProof proof; ///< of the nonce of the Hello
};
/// The address at which a process listens, as rank 0 sees it. None where the
/// port is 0.
struct TcpPlace {
  unsigned char address[16];
  uint16_t port;
  uint8_t isIpv6, isRootsMachine;
};

/// Throws std::runtime_error where the system has no random numbers.
TcpNonce makeTcpNonce();

class TcpHandshake {
public:
  explicit TcpHandshake(const JobLaunch &launch);

  template <class T> static bool isOurs(const T &message) {
    return std::memcmp(message.magic, kMagic, sizeof(kMagic)) == 0;
  }
  TcpChallenge challenge(const TcpNonce &nonce) const;
  /// The answer to `challenge`, of a process that listens at `port`.
  TcpHello hello(const TcpNonce &challenge, const TcpNonce &own,
                 uint16_t port) const;
  /// Whether a message is from a process of this job.
  bool isOfJob(const TcpHello &hello, const TcpNonce &challenge) const;
  /// The answer to the Hello that had `nonce`.
  TcpVerdict verdict(bool failed, uint32_t length, const TcpNonce &nonce) const;
  bool isOfJob(const TcpVerdict &verdict, const TcpNonce &own) const;

  int rank = 0, size = 1;
  uint64_t job = 0, machine = 0; ///< hashes

private:
  static constexpr char kMagic[8] = {'S', 'h', 'a', 'r', 'd', 'I', 'R', '3'};
  TcpProof prove(const std::string &text) const;
  TcpProof proofOf(const TcpHello &hello, const TcpNonce &challenge) const;
  std::string token;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_TCPHANDSHAKE_H
