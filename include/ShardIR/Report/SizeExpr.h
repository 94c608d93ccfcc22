//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer expressions over named sizes, for formulas in reports.
//
// Requires sizes that are not negative; guarantees that the text, read by the
// usual precedence, has the value that `at` gives, where nothing overflows.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_REPORT_SIZEEXPR_H
#define SHARDIR_REPORT_SIZEEXPR_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace shardir {

/// An integer expression over named sizes, none negative. Its text has `+`,
/// `-`, `*`, `ceil(a/b)`, `floor(a/b)`, `min(a, b)`, `max(a, b)`, numbers and
/// names: `2 * ceil(arg0_dim0/4)`.
class SizeExpr {
public:
  SizeExpr(int64_t number = 0);
  static SizeExpr named(const std::string &name);

  friend SizeExpr operator+(const SizeExpr &a, const SizeExpr &b);
  friend SizeExpr operator-(const SizeExpr &a, const SizeExpr &b);
  friend SizeExpr operator*(const SizeExpr &a, const SizeExpr &b);
  static SizeExpr ceilDiv(const SizeExpr &a, const SizeExpr &b);
  static SizeExpr floorDiv(const SizeExpr &a, const SizeExpr &b);
  static SizeExpr min(const SizeExpr &a, const SizeExpr &b);
  static SizeExpr max(const SizeExpr &a, const SizeExpr &b);

  std::optional<int64_t> number() const;
  bool operator==(const SizeExpr &o) const { return str() == o.str(); }
  std::string str() const;
  /// The value where names have these sizes; a division by 0 is 0.
  int64_t at(const std::map<std::string, int64_t> &sizes) const;
  void collectNames(std::set<std::string> &names) const;

  struct Node;

private:
  explicit SizeExpr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  static SizeExpr make(char op, const SizeExpr &a, const SizeExpr &b);
  std::shared_ptr<const Node> node;
};

} // namespace shardir

#endif // SHARDIR_REPORT_SIZEEXPR_H
