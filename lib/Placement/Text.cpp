//===- Text.cpp - Placements as text ----------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires nothing of the text: it may come from a file that anyone wrote.
// Guarantees that parsePlacement(toString(p)) == p for every placement that the
// grammar of docs/Semantics.md can spell, and that a text outside the grammar
// is refused with the column where it went wrong.
// The names and sizes in it are checked by verifyPlacement, not here.
//
//===----------------------------------------------------------------------===//

#include "PlacementMath.h"

#include <cctype>

using namespace shardir;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string subAxisSuffix(const AxisRef &axis) {
  if (axis.isWhole())
    return "";
  return ":(" + std::to_string(axis.preSize) + ")" + std::to_string(axis.size);
}

std::string shardir::toString(const AxisRef &axis) {
  return "\"" + axis.name + "\"" + subAxisSuffix(axis);
}

std::string shardir::toReportString(const AxisRef &axis) {
  return axis.name + subAxisSuffix(axis);
}

static std::string axesToString(const std::vector<AxisRef> &axes) {
  std::string text = "[";
  for (size_t i = 0; i < axes.size(); ++i)
    text += (i ? ", " : "") + toString(axes[i]);
  return text + "]";
}

static std::string toString(const DimPlacement &dim) {
  std::string text = "{";
  for (size_t i = 0; i < dim.splits.size(); ++i) {
    const Split &split = dim.splits[i];
    text += i ? ", " : "";
    text += split.isAxis() ? shardir::toString(*split.axis)
                           : std::to_string(split.factor);
  }
  if (dim.open)
    text += dim.splits.empty() ? "?" : ", ?";
  text += "}";
  if (dim.priority)
    text += "p" + std::to_string(*dim.priority);
  return text;
}

static std::string toString(const std::vector<MeshAxisPlacement> &sugar) {
  std::string text = "placements = [";
  for (size_t i = 0; i < sugar.size(); ++i) {
    text += i ? ", " : "";
    switch (sugar[i].kind) {
    case MeshAxisPlacement::Replicate:
      text += "replicate";
      break;
    case MeshAxisPlacement::Shard:
      text += "shard(" + std::to_string(sugar[i].dim) + ")";
      break;
    case MeshAxisPlacement::Partial:
      text += std::string("partial(") + stringifyPartialKind(sugar[i].partial) +
              ")";
      break;
    }
  }
  return text + "]";
}

std::string shardir::toString(const Placement &placement) {
  if (placement.sugar)
    return ::toString(*placement.sugar);
  std::string text = "[";
  for (size_t i = 0; i < placement.dims.size(); ++i)
    text += (i ? ", " : "") + ::toString(placement.dims[i]);
  text += "]";
  if (!placement.replicated.empty())
    text += ", replicated = " + axesToString(placement.replicated);
  if (placement.partial)
    text += std::string(", partial = ") +
            stringifyPartialKind(*placement.partial) + " " +
            axesToString(placement.partialAxes);
  return text;
}

std::string shardir::toString(const std::string &mesh,
                              const Placement &placement) {
  return "#shardir.placement<@" + mesh + ", " + toString(placement) + ">";
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// Recursive descent without recursion: the grammar does not nest. Every
/// method returns false once something went wrong; the first error stays.
class Parser {
public:
  Parser(const std::string &text, std::string &error)
      : text(text), error(error) {}

  std::optional<Placement> parse() {
    Placement placement;
    bool ok = peekWord() == "placements" ? parseDTensorSyntax(placement)
                                         : parsePlain(placement);
    skipSpace();
    if (ok && pos != text.size())
      ok = fail("expected the end of the placement");
    if (!ok)
      return std::nullopt;
    return placement;
  }

private:
  bool fail(const std::string &message) {
    if (error.empty())
      error = message + " at column " + std::to_string(pos + 1) + " of '" +
              text + "'";
    return false;
  }

  void skipSpace() {
    while (pos < text.size() &&
           std::isspace(static_cast<unsigned char>(text[pos])))
      ++pos;
  }

  bool consume(char c) {
    skipSpace();
    if (pos >= text.size() || text[pos] != c)
      return false;
    ++pos;
    return true;
  }

  bool expect(char c) {
    return consume(c) || fail(std::string("expected '") + c + "'");
  }

  std::string peekWord() {
    skipSpace();
    size_t end = pos;
    while (end < text.size() &&
           std::isalpha(static_cast<unsigned char>(text[end])))
      ++end;
    return text.substr(pos, end - pos);
  }

  bool consumeWord(const char *word) {
    if (peekWord() != word)
      return false;
    pos += std::char_traits<char>::length(word);
    return true;
  }

  bool parseInt(int64_t &value) {
    skipSpace();
    bool negative = pos < text.size() && text[pos] == '-';
    size_t digits = pos + negative;
    if (digits >= text.size() ||
        !std::isdigit(static_cast<unsigned char>(text[digits])))
      return fail("expected an integer");
    int64_t magnitude = 0;
    for (; digits < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[digits]));
         ++digits)
      if (__builtin_mul_overflow(magnitude, int64_t{10}, &magnitude) ||
          __builtin_add_overflow(magnitude, int64_t{text[digits] - '0'},
                                 &magnitude))
        return fail("integer does not fit in 64 bits");
    pos = digits;
    value = negative ? -magnitude : magnitude;
    return true;
  }

  bool parseName(std::string &name) {
    if (!expect('"'))
      return false;
    size_t begin = pos;
    while (pos < text.size() && text[pos] != '"')
      ++pos;
    name = text.substr(begin, pos - begin);
    if (pos == text.size())
      return fail("expected '\"'");
    ++pos;
    auto isNameChar = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
             c == '-';
    };
    if (name.empty() || name[0] == '-' ||
        std::isdigit(static_cast<unsigned char>(name[0])) ||
        !std::all_of(name.begin(), name.end(), isNameChar))
      return fail("axis name '" + name +
                  "' does not match [A-Za-z_][A-Za-z0-9_-]*");
    return true;
  }

  bool parseAxis(AxisRef &axis) {
    if (!parseName(axis.name))
      return false;
    if (!consume(':'))
      return true;
    if (!expect('(') || !parseInt(axis.preSize) || !expect(')') ||
        !parseInt(axis.size))
      return false;
    if (axis.preSize < 1 || axis.size < 1)
      return fail("sub-axis of \"" + axis.name + "\" needs sizes above 0");
    return true;
  }

  bool parseAxes(std::vector<AxisRef> &axes) {
    if (!expect('['))
      return false;
    if (consume(']'))
      return fail("expected an axis");
    do {
      if (!parseAxis(axes.emplace_back()))
        return false;
    } while (consume(','));
    return expect(']');
  }

  bool parseDim(DimPlacement &dim) {
    if (!expect('{'))
      return false;
    if (!consume('}')) {
      do {
        skipSpace();
        if (consume('?')) {
          dim.open = true;
          break;
        }
        if (pos < text.size() && text[pos] == '"') {
          AxisRef axis;
          if (!parseAxis(axis))
            return false;
          dim.splits.push_back(Split::byAxis(axis));
          continue;
        }
        int64_t factor;
        if (!parseInt(factor))
          return false;
        dim.splits.push_back(Split::byFactor(factor));
      } while (consume(','));
      if (!expect('}'))
        return false;
    }
    if (consume('p')) {
      int64_t priority;
      if (!parseInt(priority))
        return false;
      dim.priority = priority;
    }
    return true;
  }

  bool parsePlain(Placement &placement) {
    if (!expect('['))
      return false;
    if (!consume(']')) {
      do {
        if (!parseDim(placement.dims.emplace_back()))
          return false;
      } while (consume(','));
      if (!expect(']'))
        return false;
    }
    bool more = consume(',');
    if (more && consumeWord("replicated")) {
      if (!expect('=') || !parseAxes(placement.replicated))
        return false;
      more = consume(',');
    }
    if (!more)
      return true;
    if (!consumeWord("partial"))
      return fail("expected 'replicated' or 'partial'");
    if (!expect('='))
      return false;
    std::string word = peekWord();
    placement.partial = parsePartialKind(word);
    if (!placement.partial)
      return fail("unknown partial kind '" + word + "'");
    pos += word.size();
    return parseAxes(placement.partialAxes);
  }

  bool parseDTensorEntry(MeshAxisPlacement &entry) {
    std::string word = peekWord();
    if (word == "replicate") {
      pos += word.size();
      return true;
    }
    if (word == "shard") {
      pos += word.size();
      entry.kind = MeshAxisPlacement::Shard;
      return expect('(') && parseInt(entry.dim) && expect(')');
    }
    if (word == "partial") {
      pos += word.size();
      entry.kind = MeshAxisPlacement::Partial;
      if (!expect('('))
        return false;
      std::string kindName = peekWord();
      std::optional<PartialKind> kind = parsePartialKind(kindName);
      if (!kind)
        return fail("unknown partial kind '" + kindName + "'");
      pos += kindName.size();
      entry.partial = *kind;
      return expect(')');
    }
    return fail("expected 'shard(dim)', 'replicate' or 'partial(kind)'");
  }

  bool parseDTensorSyntax(Placement &placement) {
    consumeWord("placements");
    if (!expect('=') || !expect('['))
      return false;
    placement.sugar.emplace();
    if (consume(']'))
      return true;
    do {
      if (!parseDTensorEntry(placement.sugar->emplace_back()))
        return false;
    } while (consume(','));
    return expect(']');
  }

  const std::string &text;
  std::string &error;
  size_t pos = 0;
};

} // namespace

std::optional<Placement> shardir::parsePlacement(const std::string &text,
                                                 std::string &error) {
  error.clear();
  return Parser(text, error).parse();
}
