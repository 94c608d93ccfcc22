//===- Arrays.cpp - Arrays of the package and of others -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Arrays.h says.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "Errors.h"
#include "ShardIR/Runtime/ElementTypes.h"

#include <cstring>

namespace nb = nanobind;

namespace shardir {
namespace python {

nb::object Block::toArray(const std::string &framework, Sign sign) && {
  std::vector<size_t> extents(shape.begin(), shape.end());
  void *memory = data.get();
  nb::capsule owner(
      new std::shared_ptr<void>(std::move(data)),
      [](void *p) noexcept { delete static_cast<std::shared_ptr<void> *>(p); });
  bool isNumpy = framework == "numpy";
  nb::dlpack::dtype dtype = toDtype(type, sign, isNumpy);
  auto make = [&](auto tag) {
    return nb::ndarray<decltype(tag)>(memory, extents.size(), extents.data(),
                                      owner, nullptr, dtype)
        .cast();
  };
  if (isNumpy)
    return make(nb::numpy{});
  if (framework == "torch")
    return make(nb::pytorch{});
  return make(nb::jax{});
}

Shards *Shards::clone() const {
  auto made = std::make_unique<Shards>();
  made->shape = shape;
  made->digest = digest;
  for (const Block &block : blocks) {
    made->blocks.emplace_back(block.type, block.shape);
    std::memcpy(made->blocks.back().data.get(), block.data.get(),
                block.bytes());
  }
  return made.release();
}

void keep(const std::vector<const Shards *> &all) {
  static auto &kept = *new std::vector<std::shared_ptr<void>>;
  for (const Shards *shards : all)
    for (const Block &block : shards->blocks)
      kept.push_back(block.data);
}

Input::Input(nb::handle object, shardir_element_type type,
             const std::string &name) {
  try {
    array =
        nb::cast<nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>>(object);
  } catch (const std::exception &) {
    std::string kind = nb::str(object.type().attr("__name__")).c_str();
    if (nb::hasattr(object, "dtype")) {
      nb::object dtype = object.attr("dtype");
      kind += std::string(" of dtype ") + nb::str(nb::handle(dtype)).c_str();
    }
    raise("UsageError", name +
                            " is no array of numbers in the host's memory and "
                            "byte order, but a " +
                            kind);
  }
  if (!matches(array.dtype(), type))
    raise("UsageError", name + " has element type " + describe(array.dtype()) +
                            ", expected " + shardir::infoOf(type)->name);
  for (size_t d = 0; d < array.ndim(); ++d)
    shape.push_back(int64_t(array.shape(d)));
}

} // namespace python
} // namespace shardir
