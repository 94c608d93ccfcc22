//===- Sha256.cpp - The SHA-256 hash --------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// FIPS 180-4, section 6.2, straight from the text. Whole messages only: what is
// hashed is in memory anyway. Requires nothing; guarantees the same digits on
// machines of either byte order.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Hash/Sha256.h"

#include <array>
#include <cstdint>
#include <cstdio>

using namespace shardir;

static const uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void addBlock(std::array<uint32_t, 8> &hash, const uint8_t *block) {
  uint32_t w[64];
  for (int i = 0; i != 16; ++i)
    w[i] = uint32_t(block[4 * i]) << 24 | uint32_t(block[4 * i + 1]) << 16 |
           uint32_t(block[4 * i + 2]) << 8 | block[4 * i + 3];
  for (int i = 16; i != 64; ++i) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
           (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (int i = 0; i != 64; ++i) {
    uint32_t t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                  ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                  ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const uint32_t added[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i != 8; ++i)
    hash[i] += added[i];
}

static std::array<uint32_t, 8> hashOf(const std::string &data) {
  std::array<uint32_t, 8> hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                  0xa54ff53a, 0x510e527f, 0x9b05688c,
                                  0x1f83d9ab, 0x5be0cd19};
  std::string tail = data.substr(data.size() / 64 * 64);
  tail += '\x80';
  while (tail.size() % 64 != 56)
    tail += '\0';
  for (int i = 7; i >= 0; --i)
    tail += char(uint64_t(data.size()) * 8 >> (8 * i) & 0xff);
  for (size_t at = 0; at + 64 <= data.size(); at += 64)
    addBlock(hash, reinterpret_cast<const uint8_t *>(data.data()) + at);
  for (size_t at = 0; at != tail.size(); at += 64)
    addBlock(hash, reinterpret_cast<const uint8_t *>(tail.data()) + at);
  return hash;
}

static std::string bytesOf(const std::array<uint32_t, 8> &hash) {
  std::string bytes;
  for (uint32_t word : hash)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes += char(word >> shift & 0xff);
  return bytes;
}

static std::string textOf(const std::array<uint32_t, 8> &hash) {
  char text[65];
  for (int i = 0; i != 8; ++i)
    std::snprintf(text + 8 * i, 9, "%08x", hash[i]);
  return text;
}

std::string shardir::sha256(const std::string &data) {
  return textOf(hashOf(data));
}

std::string shardir::hmacSha256(const std::string &key,
                                const std::string &data) {
  std::string padded = key.size() > 64 ? bytesOf(hashOf(key)) : key;
  padded.resize(64);
  std::string inner = padded, outer = padded;
  for (int i = 0; i != 64; ++i) {
    inner[i] = char(padded[i] ^ 0x36);
    outer[i] = char(padded[i] ^ 0x5c);
  }
  return textOf(hashOf(outer + bytesOf(hashOf(inner + data))));
}
