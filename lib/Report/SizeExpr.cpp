//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions as trees that are shared and never change. What is made of
// numbers is a number, and little more is simplified: what two products or a
// difference of one whole have in common. See SizeExpr.h for what is
// guaranteed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Report/SizeExpr.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace shardir;

/// `op` is one of `#` (a number), `$` (a name), `+ - * c f < >`: the divisions
/// rounded up and down, the smaller and the larger.
struct SizeExpr::Node {
  char op = '#';
  int64_t value = 0;
  std::string name;
  std::shared_ptr<const Node> a, b;
};

SizeExpr::SizeExpr(int64_t number)
    : node(std::make_shared<Node>(Node{'#', number, "", {}, {}})) {}

SizeExpr SizeExpr::named(const std::string &name) {
  return SizeExpr(std::make_shared<Node>(Node{'$', 0, name, {}, {}}));
}

SizeExpr SizeExpr::make(char op, const SizeExpr &a, const SizeExpr &b) {
  return SizeExpr(std::make_shared<Node>(Node{op, 0, "", a.node, b.node}));
}

std::optional<int64_t> SizeExpr::number() const {
  return node->op == '#' ? std::optional(node->value) : std::nullopt;
}

static int64_t applied(char op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
  case '+':
    return llvm::AddOverflow(a, b, result) ? INT64_MAX : result;
  case '-':
    return llvm::SubOverflow(a, b, result) ? INT64_MAX : result;
  case '*':
    return llvm::MulOverflow(a, b, result) ? INT64_MAX : result;
  case 'c':
    return b <= 0 ? 0 : a / b + (a % b > 0);
  case 'f':
    return b <= 0 ? 0 : a / b;
  case '<':
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

namespace shardir {
SizeExpr operator+(const SizeExpr &a, const SizeExpr &b) {
  if (a.number() && b.number())
    return applied('+', *a.number(), *b.number());
  if (a.number() == 0)
    return b;
  return b.number() == 0 ? a : SizeExpr::make('+', a, b);
}

SizeExpr operator-(const SizeExpr &a, const SizeExpr &b) {
  if (a.number() && b.number())
    return applied('-', *a.number(), *b.number());
  if (b.number() == 0)
    return a;
  if (a == b)
    return 0;
  // a - (a - c) is c.
  if (b.node->op == '-' && SizeExpr(b.node->a) == a)
    return SizeExpr(b.node->b);
  // A common factor moves to the front.
  if (a.node->op == '*' && b.node->op == '*' &&
      SizeExpr(a.node->a) == SizeExpr(b.node->a))
    return SizeExpr(a.node->a) * (SizeExpr(a.node->b) - SizeExpr(b.node->b));
  return SizeExpr::make('-', a, b);
}

SizeExpr operator*(const SizeExpr &a, const SizeExpr &b) {
  if (a.number() && b.number())
    return applied('*', *a.number(), *b.number());
  if (b.number())
    return b * a;
  if (a.number() == 0)
    return 0;
  if (a.number() == 1)
    return b;
  // Numbers come first, in one.
  if (b.node->op == '*' && SizeExpr(b.node->a).number())
    return a.number() ? SizeExpr(applied('*', *a.number(), b.node->a->value)) *
                            SizeExpr(b.node->b)
                      : SizeExpr(b.node->a) * (a * SizeExpr(b.node->b));
  if (a.node->op == '*' && SizeExpr(a.node->a).number())
    return SizeExpr(a.node->a) * (SizeExpr(a.node->b) * b);
  return SizeExpr::make('*', a, b);
}
} // namespace shardir

SizeExpr SizeExpr::ceilDiv(const SizeExpr &a, const SizeExpr &b) {
  if (a.number() && b.number())
    return applied('c', *a.number(), *b.number());
  return b.number() == 1 ? a : make('c', a, b);
}

SizeExpr SizeExpr::floorDiv(const SizeExpr &a, const SizeExpr &b) {
  if (a.number() && b.number())
    return applied('f', *a.number(), *b.number());
  return b.number() == 1 ? a : make('f', a, b);
}

SizeExpr SizeExpr::min(const SizeExpr &a, const SizeExpr &b) {
  if (a.number() && b.number())
    return std::min(*a.number(), *b.number());
  return a == b ? a : make('<', a, b);
}

SizeExpr SizeExpr::max(const SizeExpr &a, const SizeExpr &b) {
  if (a.number() && b.number())
    return std::max(*a.number(), *b.number());
  return a == b ? a : make('>', a, b);
}

/// `inner` is whether an operator that binds closer than `+` is around it.
static std::string textOf(const SizeExpr::Node &node, bool inner) {
  auto both = [&](const char *between, bool close) {
    return textOf(*node.a, close) + between + textOf(*node.b, close);
  };
  std::string text;
  switch (node.op) {
  case '#':
    return std::to_string(node.value);
  case '$':
    return node.name;
  case '+':
    text = both(" + ", false);
    break;
  case '-':
    text = textOf(*node.a, false) + " - " + textOf(*node.b, true);
    break;
  case '*':
    return both(" * ", true);
  case 'c':
  case 'f':
    return (node.op == 'c' ? "ceil(" : "floor(") + textOf(*node.a, true) + "/" +
           (node.b->op == '*' ? "(" + textOf(*node.b, false) + ")"
                              : textOf(*node.b, true)) +
           ")";
  case '<':
    return "min(" + both(", ", false) + ")";
  default:
    return "max(" + both(", ", false) + ")";
  }
  return inner ? "(" + text + ")" : text;
}

std::string SizeExpr::str() const { return textOf(*node, false); }

static int64_t valueOf(const SizeExpr::Node &node,
                       const std::map<std::string, int64_t> &sizes) {
  if (node.op == '#')
    return node.value;
  if (node.op == '$') {
    auto found = sizes.find(node.name);
    return found == sizes.end() ? 0 : found->second;
  }
  return applied(node.op, valueOf(*node.a, sizes), valueOf(*node.b, sizes));
}

int64_t SizeExpr::at(const std::map<std::string, int64_t> &sizes) const {
  return valueOf(*node, sizes);
}

static void namesIn(const SizeExpr::Node &node, std::set<std::string> &names) {
  if (node.op == '$')
    names.insert(node.name);
  for (const auto &side : {node.a, node.b})
    if (side)
      namesIn(*side, names);
}

void SizeExpr::collectNames(std::set<std::string> &names) const {
  namesIn(*node, names);
}
