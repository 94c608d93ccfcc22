//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads GSPMD's shardings. Requires nothing of the text; guarantees that a
// tiled sharding lists as many devices as it has tiles, none twice, and at most
// as many as a mesh may have, so that bad text costs no memory.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Import/GspmdSharding.h"

#include "../TextCursor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace shardir;
using llvm::StringRef;

namespace {

constexpr int64_t kMaxDevices = int64_t(1) << 20;

class GspmdParser : public TextCursor {
public:
  using TextCursor::TextCursor;

  bool parse(std::vector<GspmdSharding> &shardings) {
    if (!expect("{"))
      return false;
    bool isTuple = rest.ltrim().starts_with("{");
    if (!isTuple)
      return body(shardings.emplace_back()) && expectEnd();
    do {
      if (!expect("{") || !body(shardings.emplace_back()))
        return false;
    } while (take(","));
    return expect("}") && expectEnd();
  }

private:
  /// `[2,4]` or `(1,0)`.
  bool list(StringRef open, StringRef close, std::vector<int64_t> &values) {
    if (!expect(open))
      return false;
    do {
      if (!integer(values.emplace_back()))
        return false;
    } while (take(","));
    return expect(close);
  }
  /// The product of sizes, each at least 1; 0 after an error.
  int64_t count(llvm::ArrayRef<int64_t> sizes) {
    int64_t product = 1;
    for (int64_t size : sizes)
      if (size < 1 || llvm::MulOverflow(product, size, product) ||
          product > kMaxDevices) {
        fail("expected sizes of at least 1 and at most 2^20 devices");
        return 0;
      }
    return product;
  }

  bool body(GspmdSharding &sharding) {
    while (!take("}")) {
      if (take("replicated")) {
        sharding.kind = GspmdSharding::Replicated;
      } else if (take("manual")) {
        sharding.kind = GspmdSharding::Manual;
      } else if (take("unknown")) {
        sharding.kind = GspmdSharding::Unknown;
      } else if (take("maximal")) {
        sharding.kind = GspmdSharding::Maximal;
        if (!expect("device") || !expect("=") || !integer(sharding.device))
          return false;
      } else if (take("devices")) {
        if (!devices(sharding))
          return false;
      } else if (take("last_tile_dims")) {
        if (!subgroups(sharding))
          return false;
      } else if (take("last_tile_dim_replicate")) {
        sharding.subgroups = {GspmdSharding::Same};
      } else if (take("metadata")) {
        if (!skipBraces())
          return false;
      } else {
        return fail("expected a sharding that is known before '" + rest + "'");
      }
    }
    if (sharding.subgroups.size() > sharding.tiles.size())
      return fail("there are more subgroups than tile dims");
    return true;
  }

  bool subgroups(GspmdSharding &sharding) {
    if (!expect("=") || !expect("{"))
      return false;
    do {
      if (take("replicated"))
        sharding.subgroups.push_back(GspmdSharding::Same);
      else if (take("manual"))
        sharding.subgroups.push_back(GspmdSharding::ManualGroup);
      else if (take("unreduced"))
        sharding.subgroups.push_back(GspmdSharding::Unreduced);
      else
        return fail("expected replicated, manual or unreduced before '" + rest +
                    "'");
    } while (take(","));
    return expect("}");
  }

  bool skipBraces() {
    if (!expect("=") || !expect("{"))
      return false;
    bool isString = false;
    for (int depth = 1; depth > 0; rest = rest.drop_front()) {
      if (rest.empty())
        return fail("expected '}' at the end");
      if (rest.front() == '"')
        isString = !isString;
      else if (!isString)
        depth += rest.front() == '{' ? 1 : rest.front() == '}' ? -1 : 0;
    }
    return true;
  }

  bool devices(GspmdSharding &sharding) {
    sharding.kind = GspmdSharding::Tiled;
    if (!expect("=") || !list("[", "]", sharding.tiles))
      return false;
    int64_t total = count(sharding.tiles);
    if (!total)
      return false;
    if (take("<="))
      return iota(sharding, total);
    do {
      if (!integer(sharding.devices.emplace_back()))
        return false;
    } while (take(","));
    if (int64_t(sharding.devices.size()) != total)
      return fail("lists " + llvm::Twine(sharding.devices.size()) +
                  " devices for " + llvm::Twine(total) + " tiles");
    std::vector<int64_t> sorted = sharding.devices;
    llvm::sort(sorted);
    if (sorted.back() >= kMaxDevices)
      return fail("device " + llvm::Twine(sorted.back()) + " is not a rank");
    auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    return twice == sorted.end() ||
           fail("device " + llvm::Twine(*twice) + " is listed twice");
  }

  /// `[2,2,2]T(2,0,1)`: the devices in order, reshaped, transposed, flattened.
  bool iota(GspmdSharding &sharding, int64_t total) {
    std::vector<int64_t> shape, order;
    if (!list("[", "]", shape))
      return false;
    int64_t devices = count(shape);
    if (!devices)
      return false;
    if (devices != total)
      return fail("has " + llvm::Twine(devices) + " devices for " +
                  llvm::Twine(total) + " tiles");
    for (size_t i = 0; i < shape.size(); ++i)
      order.push_back(i);
    if (take("T")) {
      std::vector<int64_t> natural = order;
      order.clear();
      if (!list("(", ")", order))
        return false;
      if (!std::is_permutation(natural.begin(), natural.end(), order.begin(),
                               order.end()))
        return fail("the transposition is no permutation of " +
                    llvm::Twine(shape.size()) + " dims");
    }
    std::vector<int64_t> stride(shape.size(), 1), index(shape.size(), 0);
    for (size_t i = shape.size(); i-- > 1;)
      stride[i - 1] = stride[i] * shape[i];
    for (int64_t n = 0; n < devices; ++n) {
      int64_t device = 0;
      for (size_t i = 0; i < shape.size(); ++i)
        device += index[i] * stride[i];
      sharding.devices.push_back(device);
      for (size_t i = order.size(); i-- > 0;) {
        if (++index[order[i]] < shape[order[i]])
          break;
        index[order[i]] = 0;
      }
    }
    return true;
  }
};

} // namespace

std::optional<std::vector<GspmdSharding>>
shardir::parseGspmdShardings(StringRef text, std::string &error) {
  std::vector<GspmdSharding> shardings;
  if (!GspmdParser(text, error).parse(shardings))
    return std::nullopt;
  return shardings;
}
