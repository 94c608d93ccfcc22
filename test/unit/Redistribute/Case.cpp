//===- Case.cpp - Redistributions drawn at random ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs cases and prints them. Requires cases that are valid; guarantees that
// what is printed makes the same case when it is pasted into a test.
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include "Draw.h"

#include <algorithm>

using namespace shardir;
using namespace shardir::test;

using Random = std::mt19937_64;
using Shape = std::vector<int64_t>;

Case test::randomCase(Random &random) {
  Case c;
  c.mesh = randomMesh(random);
  c.pair = randomPair(c.mesh, random);
  return c;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Mesh test::planningMesh(const Case &c) {
  Mesh mesh = c.mesh;
  for (size_t i = 0; i < c.unknownAxes.size(); ++i)
    if (c.unknownAxes[i])
      mesh.axes[i].size = kUnknown;
  // The order of devices comes with their number.
  if (!mesh.isConcrete())
    mesh.devices.clear();
  return mesh;
}

Shape test::planningShape(const Case &c) {
  Shape shape = c.pair.shape;
  for (size_t d = 0; d < c.unknownDims.size(); ++d)
    if (c.unknownDims[d])
      shape[d] = kUnknown;
  return shape;
}

bool test::isValid(const Case &c) {
  const std::string type = runtime::elementTypeName(c.pair.type);
  Mesh mesh = planningMesh(c);
  for (const Placement *p : {&c.pair.src, &c.pair.dst})
    if (verifyPlacement(*p, c.mesh, c.pair.shape, type) ||
        verifyPlacement(*p, mesh, planningShape(c), type))
      return false;
  return true;
}

std::string test::runCase(const Case &c) {
  Mesh mesh = planningMesh(c);
  Shape shape = planningShape(c);
  bool known = mesh.isConcrete() && shape == c.pair.shape;
  Outcome outcome = runPairs(
      c.mesh, {c.pair},
      [&](const Pair &pair) {
        return planRedistribute(pair.src, pair.dst, mesh, shape);
      },
      known ? Promise::Everything : Promise::RightValues)[0];
  if (outcome.wrong.empty())
    return "";
  return outcome.wrong + "\n" + toString(outcome.plan, c.mesh, c.pair.shape);
}

std::string test::asTest(const Case &c, const std::string &name) {
  auto list = [](const auto &values) {
    std::string text;
    for (auto value : values)
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "{" + text + "}";
  };
  std::vector<int64_t> sizes;
  for (const MeshAxis &axis : c.mesh.axes)
    sizes.push_back(axis.size);
  std::string type = runtime::elementTypeName(c.pair.type);
  for (char &letter : type)
    letter = static_cast<char>(std::toupper(letter));
  std::string text = "TEST(Pairs, " + name +
                     ") {\n  Case c;\n  c.mesh = makeMesh(" + list(sizes) +
                     ");\n";
  if (!c.mesh.devices.empty())
    text += "  c.mesh.devices = " + list(c.mesh.devices) + ";\n";
  text += "  c.pair = makePair(R\"(" + toString(c.pair.src) + ")\", R\"(" +
          toString(c.pair.dst) + ")\", " + list(c.pair.shape) + ", SHARDIR_" +
          type + ");\n";
  if (std::count(c.unknownAxes.begin(), c.unknownAxes.end(), true))
    text += "  c.unknownAxes = " + list(c.unknownAxes) + ";\n";
  if (std::count(c.unknownDims.begin(), c.unknownDims.end(), true))
    text += "  c.unknownDims = " + list(c.unknownDims) + ";\n";
  return text + "  EXPECT_EQ(runCase(c), \"\");\n}\n";
}
