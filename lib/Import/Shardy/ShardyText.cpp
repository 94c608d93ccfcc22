//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the outer shape of Shardy's attributes; the dims of a sharding are
// spelled as in a placement and left to its parser. Requires nothing of the
// text; guarantees that no input is read past its end and that the first error
// is reported.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Import/ShardyText.h"

#include "../TextCursor.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace shardir;
using llvm::StringRef;

namespace {

/// Reads one attribute.
class Cursor : public TextCursor {
public:
  using TextCursor::TextCursor;

  /// The text between `open`, which comes next, and the `close` that matches
  /// it.
  bool takeBracketed(char open, char close, StringRef &inner) {
    if (!expect(StringRef(&open, 1)))
      return false;
    int depth = 1;
    char quote = 0;
    for (size_t i = 0; i < rest.size(); ++i) {
      char c = rest[i];
      if (quote) {
        if (c == quote)
          quote = 0;
        continue;
      }
      if (c == '"' || c == '\'')
        quote = c;
      else if (c == open)
        ++depth;
      else if (c == close && --depth == 0) {
        inner = rest.take_front(i);
        rest = rest.drop_front(i + 1);
        return true;
      }
    }
    return fail("expected '" + llvm::Twine(close) + "' at the end");
  }

  /// `"name"` or `'name'`.
  bool takeString(std::string &string) {
    rest = rest.ltrim();
    char quote = rest.empty() ? 0 : rest.front();
    size_t end =
        quote == '"' || quote == '\'' ? rest.find(quote, 1) : StringRef::npos;
    if (end == StringRef::npos)
      return fail("expected a name in quotes before '" + rest + "'");
    string = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }

  /// A bare word, as keys of dictionaries and names of symbols are.
  bool takeWord(std::string &word) {
    rest = rest.ltrim();
    if (rest.starts_with("\""))
      return takeString(word);
    StringRef found = rest.take_while([](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
    });
    if (found.empty())
      return fail("expected a name before '" + rest + "'");
    word = found.str();
    rest = rest.drop_front(found.size());
    return true;
  }

  bool mesh(Mesh &mesh);
  bool sharding(ShardySharding &sharding);
  bool axisNames(std::vector<std::string> &names);
};

} // namespace

/// `<["a"=2], device_ids=[1, 0]>`.
bool Cursor::mesh(Mesh &mesh) {
  if (!expect("<") || !expect("["))
    return false;
  while (!take("]")) {
    MeshAxis &axis = mesh.axes.emplace_back();
    if ((mesh.axes.size() > 1 && !expect(",")) || !takeString(axis.name) ||
        !expect("=") || !integer(axis.size))
      return false;
    if (axis.size < 1)
      return fail("the size of axis \"" + axis.name + "\" must be at least 1");
    axis.assumed = axis.size;
  }
  if (take(",")) {
    if (!expect("device_ids") || !expect("=") || !expect("["))
      return false;
    while (!take("]"))
      if ((!mesh.devices.empty() && !expect(",")) ||
          !integer(mesh.devices.emplace_back()))
        return false;
    if (mesh.axes.empty() && mesh.devices.size() != 1)
      return fail("a mesh without axes has one device at most");
  }
  if (!expect(">"))
    return false;
  // Shardy takes the natural order for none, too.
  bool isNatural = !mesh.axes.empty();
  for (size_t i = 0; i < mesh.devices.size(); ++i)
    isNatural &= mesh.devices[i] == int64_t(i);
  if (isNatural)
    mesh.devices.clear();
  return true;
}

/// `<@mesh, [{"a"}, {?}], replicated={"b"}, unreduced=max{"c"}>`.
bool Cursor::sharding(ShardySharding &sharding) {
  if (!expect("<"))
    return false;
  if (take("@")) {
    if (!takeWord(sharding.meshName))
      return false;
  } else {
    take("#sdy.");
    if (!expect("mesh") || !mesh(sharding.inlinedMesh.emplace()))
      return false;
  }
  StringRef dims;
  if (!expect(",") || !takeBracketed('[', ']', dims))
    return false;
  std::string replicated, unreduced;
  while (take(",")) {
    StringRef axes;
    if (replicated.empty() && take("replicated")) {
      if (!expect("=") || !takeBracketed('{', '}', axes))
        return false;
      if (!axes.trim().empty())
        replicated = ("replicated = [" + axes + "]").str();
      continue;
    }
    if (!unreduced.empty() || !take("unreduced"))
      return fail("expected 'replicated' or 'unreduced', each at most once");
    take("=");
    std::string kind = "sum";
    for (StringRef word : {"sum", "max", "min"})
      if (take(word))
        kind = word.str();
    if (!takeBracketed('{', '}', axes))
      return false;
    if (!axes.trim().empty())
      unreduced = ("partial = " + kind + " [" + axes + "]").str();
  }
  if (!expect(">"))
    return false;
  std::string text = ("[" + dims + "]").str();
  for (const std::string &part : {replicated, unreduced})
    text += part.empty() ? "" : ", " + part;
  std::replace(text.begin(), text.end(), '\'', '"');
  std::string why;
  auto placement = parsePlacement(text, why);
  if (!placement)
    return fail(why);
  sharding.placement = *placement;
  return true;
}

bool Cursor::axisNames(std::vector<std::string> &names) {
  if (!expect("{"))
    return false;
  while (!take("}"))
    if ((!names.empty() && !expect(",")) || !takeString(names.emplace_back()))
      return false;
  return true;
}

std::optional<Mesh> shardir::parseShardyMesh(StringRef text,
                                             std::string &error) {
  Cursor cursor(text, error);
  cursor.take("#sdy.");
  cursor.take("mesh");
  Mesh mesh;
  if (!cursor.mesh(mesh) || !cursor.expectEnd())
    return std::nullopt;
  return mesh;
}

std::optional<std::vector<Mesh>>
shardir::parseShardyMeshes(StringRef text, std::string &error) {
  Cursor cursor(text, error);
  std::vector<Mesh> meshes;
  if (!cursor.expect("{"))
    return std::nullopt;
  while (!cursor.take("}")) {
    Mesh mesh;
    if ((!meshes.empty() && !cursor.expect(",")) ||
        !cursor.takeWord(mesh.name) || !cursor.expect("="))
      return std::nullopt;
    cursor.take("#sdy.");
    cursor.take("mesh");
    if (!cursor.mesh(mesh))
      return std::nullopt;
    meshes.push_back(mesh);
  }
  if (!cursor.expectEnd())
    return std::nullopt;
  return meshes;
}

std::optional<std::vector<ShardySharding>>
shardir::parseShardyShardings(StringRef text, std::string &error) {
  Cursor cursor(text, error);
  std::vector<ShardySharding> shardings;
  cursor.take("#sdy.");
  bool isList = cursor.take("sharding_per_value");
  if (isList && !cursor.expect("<"))
    return std::nullopt;
  if (!isList)
    cursor.take("sharding");
  if (isList || cursor.rest.ltrim().starts_with("[")) {
    if (!cursor.expect("["))
      return std::nullopt;
    while (!cursor.take("]"))
      if ((!shardings.empty() && !cursor.expect(",")) ||
          !cursor.sharding(shardings.emplace_back()))
        return std::nullopt;
    if (isList && !cursor.expect(">"))
      return std::nullopt;
  } else if (!cursor.sharding(shardings.emplace_back())) {
    return std::nullopt;
  }
  if (!cursor.expectEnd())
    return std::nullopt;
  return shardings;
}

std::optional<std::vector<std::string>>
shardir::parseShardyManualAxes(StringRef text, std::string &error) {
  Cursor cursor(text, error);
  std::vector<std::string> names;
  bool isAttribute = cursor.take("#sdy");
  bool isLong = isAttribute && cursor.take("<");
  if (isAttribute && !isLong)
    cursor.take(".");
  cursor.take("manual_axes");
  if (!cursor.axisNames(names) || (isLong && !cursor.expect(">")) ||
      !cursor.expectEnd())
    return std::nullopt;
  return names;
}
