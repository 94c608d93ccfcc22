//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole tensors to shards and terms, and back. Requires verified placements on
// concrete meshes; guarantees that every element of every device is looked at.
//
//===----------------------------------------------------------------------===//

#include "Validate/Soundness.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

static std::vector<int64_t> shapeOfTensor(const TensorData &tensor) {
  return {tensor.shape.begin(), tensor.shape.end()};
}

std::vector<Tensor> validate::distribute(const TensorData &whole,
                                         const Placement &placement,
                                         const Mesh &mesh, TestData &data) {
  std::vector<Tensor> terms = {std::make_shared<TensorData>(whole)};
  if (placement.partial)
    terms = data.terms(*placement.partial, whole,
                       groupSize(mesh, placement.partialAxes));
  std::vector<Tensor> shards;
  for (int64_t position = 0; position < mesh.numDevices(); ++position)
    shards.push_back(
        cut(*terms[groupCoordinate(mesh, placement.partialAxes,
                                   mesh.coordinates(position))],
            shardOf(placement, mesh, shapeOfTensor(whole), position)));
  return shards;
}

std::optional<std::string> Assembly::compare(const TensorData &whole,
                                             const Placement &placement,
                                             ArrayRef<Tensor> shards) const {
  std::vector<int64_t> shape = shapeOfTensor(whole);
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    std::vector<int64_t> extents = localShape(placement, mesh, shape, position);
    if (ArrayRef<int64_t>(extents) !=
        ArrayRef<int64_t>(shards[position]->shape))
      return "has extents " + indexText(shards[position]->shape) + " on rank " +
             std::to_string(position) + ", expected " + indexText(extents);
  }
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    std::vector<DimShard> shard = shardOf(placement, mesh, shape, position);
    // The devices whose terms make up this shard: those that differ from this
    // one along the partial axes alone.
    std::vector<int64_t> group;
    std::vector<int64_t> own = mesh.coordinates(position);
    for (int64_t other = 0; other < mesh.numDevices(); ++other) {
      std::vector<int64_t> coordinates = mesh.coordinates(other);
      bool same = true;
      for (auto [axis, a, b] : llvm::zip(mesh.axes, own, coordinates))
        same &= a == b || llvm::is_contained(placement.partialAxes,
                                             AxisRef{axis.name, 1, 0});
      if (same)
        group.push_back(other);
    }
    SmallVector<int64_t> extents(ArrayRef<int64_t>(shards[position]->shape));
    std::optional<std::string> wrong;
    size_t next = 0;
    forEachIndex(extents, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> at;
      for (auto [i, dim] : llvm::zip(index, shard))
        at.push_back(dim.toGlobal(i));
      Scalar found = shards[group.front()]->elements[next];
      for (int64_t other : ArrayRef(group).drop_front())
        found = combine(*placement.partial, whole.element, found,
                        shards[other]->elements[next]);
      ++next;
      const Scalar &expected = whole.elements[whole.position(at)];
      if (agrees(whole.element, expected, found, exactness))
        return true;
      wrong = "is " + toString(whole.element, found) + " at " + indexText(at) +
              " on rank " + std::to_string(position) + ", expected " +
              toString(whole.element, expected);
      if (group.size() > 1) {
        *wrong += "; its terms are ";
        llvm::raw_string_ostream out(*wrong);
        llvm::interleaveComma(group, out, [&](int64_t other) {
          out << toString(whole.element, shards[other]->elements[next - 1]);
        });
      }
      return false;
    });
    if (wrong)
      return wrong;
  }
  return std::nullopt;
}
