//===- MetadataTests.cpp - Wrong metadata is refused ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One change at a time to good metadata, and the message that it must give.
// Requires only the parser; guarantees that no text, however damaged, is
// accepted with sizes that later code would multiply into an overflow.
//
//===----------------------------------------------------------------------===//

#include "Core/Metadata.h"
#include "Cuda/CudaDevice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace shardir;
using namespace shardir::runtime;
using testing::HasSubstr;
using Json = nlohmann::json;

namespace {

Json good() {
  return Json::parse(R"({
    "abi": 1, "hash": "x", "ranks": 4,
    "meshes": [{"name": "m", "axes": [{"name": "dp", "size": 2},
                                      {"name": "tp", "size": 2}],
                "devices": [3, 2, 1, 0]}],
    "functions": [{"name": "main", "symbol": "entry",
                   "unsharded_symbol": "whole",
      "arguments": [{"shape": [8, -1], "element_type": "f32", "mesh": "m",
                     "placement": "[{\"dp\"}, {}]"}],
      "results": [{"shape": [], "element_type": "i64", "mesh": ""}]}],
    "collectives": [
      {"kind": "all_reduce", "mesh": "m",
       "from": "[{\"dp\"}, {}], partial = sum [\"tp\"]",
       "to": "[{\"dp\"}, {}]", "shape": [8, 32], "element_type": "bf16",
       "loc": "a.mlir:9:8"},
      {"kind": "broadcast", "mesh": "m", "axes": ["tp", "dp:(1)2"],
       "element_type": "f32", "loc": "a.mlir:12:8"}],
    "report": {"version": 1}})");
}

TEST(Metadata, GoodIsRead) {
  Metadata m;
  std::string error;
  ASSERT_TRUE(parseMetadata(good().dump(), m, error)) << error;
  EXPECT_EQ(m.ranks, 4);
  EXPECT_EQ(m.meshes[0].rankAt(0), 3);
  EXPECT_EQ(m.functions[0].unshardedSymbol, "whole");
  EXPECT_EQ(m.functions[0].arguments[0].placementText,
            "#shardir.placement<@m, [{\"dp\"}, {}]>");
  EXPECT_EQ(m.functions[0].results[0].mesh, -1);
  EXPECT_EQ(m.collectives[0].describe(),
            "all_reduce of bf16 8x32 (a.mlir:9:8)");
  EXPECT_EQ(m.collectives[1].axes[1].size, 2);
  EXPECT_EQ(m.collectives[1].kind, OpKind::Broadcast);
}

struct Change {
  const char *pointer;
  const char *value; ///< JSON; null removes the member
  const char *message;
};

TEST(Metadata, WrongIsRefused) {
  const Change changes[] = {
      {"/abi", "7", "ABI version 7"},
      {"/abi", "\"1\"", "abi is not an integer"},
      {"/abi", nullptr, "the metadata lacks \"abi\""},
      {"/ranks", "0", "ranks is not an integer between 1 and 65536"},
      {"/ranks", "1e300", "ranks is not an integer"},
      {"/ranks", "18446744073709551615", "ranks is not an integer"},
      {"/ranks", "2", "meshes[0].devices[0] is not an integer"},
      {"/meshes", "{}", "meshes is not an array"},
      {"/meshes/0", "5", "meshes[0] is not an object"},
      {"/meshes/0/name", "5", "meshes[0].name is not a string"},
      {"/meshes/0/axes", "[]", "meshes[0] does not have 1 to 8 axes"},
      {"/meshes/0/axes/1/name", "\"dp\"", "has no name of its own"},
      {"/meshes/0/axes/0/size", "-2", "meshes[0].axes[0].size"},
      {"/meshes/0/axes/0/size", "60000", "more than 65536 devices"},
      {"/meshes/0/devices", "[0, 1, 1, 2]", "does not list 4 distinct ranks"},
      {"/meshes/0/devices", "[0, 1]", "does not list 4 distinct ranks"},
      {"/functions/0/symbol", "\"\"", "empty name or symbol"},
      {"/functions/0/arguments/0/mesh", "\"q\"", "names mesh \"q\""},
      {"/functions/0/arguments/0/shape/0", "-2", "arguments[0].shape[0]"},
      {"/functions/0/arguments/0/shape", "[9223372036854775807, 8]",
       "shape is too large"},
      {"/functions/0/arguments/0/shape", "[0, 4611686018427387904, 16]",
       "shape is too large"},
      {"/functions/0/arguments/0/shape", "[8]",
       "has 2 dims for a tensor of rank 1"},
      {"/functions/0/arguments/0/element_type", "\"f33\"", "\"f33\""},
      {"/functions/0/arguments/0/placement", "\"[{\"", "does not parse"},
      {"/functions/0/arguments/0/placement", "\"[{\\\"zz\\\"}, {}]\"",
       "arguments[0].placement is wrong"},
      {"/functions/0/arguments/0/placement", "\"[{\\\"dp\\\"}, {\\\"dp\\\"}]\"",
       "arguments[0].placement is wrong"},
      {"/functions/0/arguments/0/placement",
       "\"[{}, {}], partial = xor [\\\"dp\\\"]\"", "placement"},
      {"/collectives/0/kind", "\"all_done\"", "\"all_done\""},
      {"/collectives/0/from", "\"[{}, {}], partial = maxnum [\\\"tp\\\"]\"",
       ""},
      {"/collectives/0/to", "\"[{}, {}], partial = max [\\\"tp\\\"]\"",
       "collectives[0] leads from a partial sum to a max"},
      {"/collectives/0/mesh", nullptr, "collectives[0] lacks \"mesh\""},
      {"/collectives/1/axes/0", "\"up\"", "names axis \"up\""},
      {"/collectives/1/axes/0", "\"tp:(1)3\"", "does not divide axis"},
      {"/collectives/1/axes/0", "\"tp:(1\"", "not an axis or a sub-axis"},
      {"/collectives/1/axes/0", "\"tp:(0)0\"", "does not divide axis"},
      {"/collectives/1/axes/0", "\"tp:(99999999999)2\"", "not an axis"},
      {"/collectives/1/axes/0", "\"dp\"", "overlaps an axis named before"},
  };
  for (const Change &change : changes) {
    Json json = good();
    Json::json_pointer pointer(change.pointer);
    if (change.value)
      json[pointer] = Json::parse(change.value);
    else
      json[pointer.parent_pointer()].erase(pointer.back());
    Metadata m;
    std::string error;
    bool ok = parseMetadata(json.dump(), m, error);
    if (!*change.message) {
      EXPECT_TRUE(ok) << error;
      continue;
    }
    EXPECT_FALSE(ok) << change.pointer << " = " << change.value;
    EXPECT_THAT(error, HasSubstr(change.message)) << change.pointer;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(Metadata, AnyTextEndsInAMessage) {
  std::string text = good().dump();
  Metadata m;
  for (size_t n = 0; n < text.size(); ++n) {
    std::string error;
    EXPECT_FALSE(parseMetadata(text.substr(0, n), m, error)) << n;
    EXPECT_FALSE(error.empty());
    // One byte changed: accepted or not, nothing but a message may come of it.
    std::string damaged = text;
    for (char c : {'0', '9', '"', '-', '}', '\xff'}) {
      damaged[n] = c;
      parseMetadata(damaged, m, error);
    }
  }
  std::string error, deep(100000, '[');
  EXPECT_FALSE(parseMetadata(deep, m, error));
}

// A cubin runs on GPUs of its own major version alone: PTX is for the others.
TEST(Metadata, CompilerKnowsTheGpu) {
  EXPECT_EQ(CudaDevice::compilerArchitecture(80), "sm_80");
  EXPECT_EQ(CudaDevice::compilerArchitecture(86), "sm_86");
  EXPECT_EQ(CudaDevice::compilerArchitecture(89), "sm_89");
  EXPECT_EQ(CudaDevice::compilerArchitecture(90), "sm_90a");
  EXPECT_EQ(CudaDevice::compilerArchitecture(100), "sm_100a");
  EXPECT_EQ(CudaDevice::compilerArchitecture(103), "compute_80");
  EXPECT_EQ(CudaDevice::compilerArchitecture(120), "compute_80");
  Json program = good();
  program["gpu"] = {{"arch", "compute_80"},
                    {"modules", Json::array()},
                    {"kernels", Json::array()},
                    {"constants", Json::array()}};
  Metadata m;
  std::string error;
  EXPECT_TRUE(parseMetadata(program.dump(), m, error)) << error;
}

} // namespace
