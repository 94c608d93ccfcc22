//===- ArrayText.cpp - Arrays as text on the command line -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing is strict where a slip would run the wrong numbers: as many values as
// elements or exactly one, integers in range of their type (signed or
// unsigned), no trailing text. Works for rank 0 and for empty arrays, and
// allocates only after the extents are known to be sane.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/ArrayText.h"
#include "ShardIR/Runner/Failure.h"

#include <charconv>
#include <cmath>
#include <cstring>

using namespace shardir;
using namespace shardir::runner;

ArrayText runner::splitArrayText(const std::string &text) {
  ArrayText result;
  size_t equals = text.find('=');
  std::string_view type = std::string_view(text).substr(0, equals);
  if (equals != std::string::npos) {
    result.hasValues = true;
    result.values = text.substr(equals + 1);
  }
  std::string quoted = "'" + std::string(type) + "'";
  const char *at = type.data(), *end = at + type.size();
  while (at != end && *at >= '0' && *at <= '9') {
    int64_t extent = 0;
    std::from_chars_result read = std::from_chars(at, end, extent);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != 'x')
      failUsage("cannot read the type " + quoted +
                ": expected extents and an element type, as in 2x3xf32");
    result.shape.push_back(extent);
    at = read.ptr + 1;
  }
  std::string_view element(at, size_t(end - at));
  std::optional<ElementType> parsed = parseElementType(element);
  if (!parsed)
    failUsage("cannot read the type " + quoted + ": unknown element type '" +
              std::string(element) +
              "'; a file is written with @, as in @x.npy");
  result.type = *parsed;
  return result;
}

static bool isSeparator(char c) { return c && std::strchr(", \t\r\n[]", c); }

/// Stores one value of `text`; false if it cannot be read or does not fit.
static bool parseElement(ElementType type, std::string_view text,
                         void *element) {
  if (!text.empty() && text[0] == '+')
    text.remove_prefix(1);
  const char *begin = text.data(), *end = begin + text.size();
  if (isFloatType(type)) {
    double value;
    std::from_chars_result read = std::from_chars(begin, end, value);
    if (read.ec != std::errc() || read.ptr != end)
      return false;
    storeFloat(type, value, element);
    // A finite value that becomes infinite (or NaN) was out of range.
    return !std::isfinite(value) || std::isfinite(loadFloat(type, element));
  }
  if (type == SHARDIR_I1 && (text == "true" || text == "false")) {
    storeInteger(type, text == "true", element);
    return true;
  }
  bool negative = !text.empty() && text[0] == '-';
  begin += negative;
  int base = 10;
  if (end - begin > 2 && begin[0] == '0' && (begin[1] | 32) == 'x') {
    begin += 2;
    base = 16;
  }
  uint64_t magnitude;
  std::from_chars_result read = std::from_chars(begin, end, magnitude, base);
  if (read.ec != std::errc() || read.ptr != end)
    return false;
  size_t bits = type == SHARDIR_I1 ? 1 : 8 * elementSize(type);
  uint64_t limit =
      negative ? uint64_t(1) << (bits - 1) : ~uint64_t(0) >> (64 - bits);
  if (type == SHARDIR_I1 && negative)
    limit = 0;
  if (magnitude > limit)
    return false;
  storeInteger(type, int64_t(negative ? 0 - magnitude : magnitude), element);
  return true;
}

Array runner::parseArrayText(const ArrayText &text) {
  std::string type = formatType(text.shape, text.type);
  std::optional<uint64_t> count = countElements(text.shape);
  if (!count)
    failUsage("an array of type " + type + " is too large");
  std::string_view rest = text.values;
  // Values are counted before memory is taken: the shape may be a slip.
  uint64_t given = 0;
  for (size_t i = 0; i != rest.size(); ++i)
    given += !isSeparator(rest[i]) && (i == 0 || isSeparator(rest[i - 1]));
  bool splat = given == 1 && *count != 0;
  bool zeros = !text.hasValues;
  if (!zeros && !splat && given != *count)
    failUsage(type + " has " + std::to_string(*count) + " elements, " +
              std::to_string(given) + " values are given");
  Array array(text.type, text.shape);
  size_t size = elementSize(text.type);
  if (zeros) {
    std::memset(array.bytes.data(), 0, array.bytes.size());
    return array;
  }
  size_t at = 0;
  for (uint64_t i = 0; i != given; ++i) {
    while (isSeparator(rest[at]))
      ++at;
    size_t end = at;
    while (end != rest.size() && !isSeparator(rest[end]))
      ++end;
    std::string_view word = rest.substr(at, end - at);
    if (!parseElement(text.type, word, array.element(i)))
      failUsage("'" + std::string(word) + "' is no value of type " +
                elementName(text.type));
    at = end;
  }
  if (splat)
    for (uint64_t i = 1; i != *count; ++i)
      std::memcpy(array.element(i), array.element(0), size);
  return array;
}

namespace {

struct Printer {
  const Array &array;
  size_t limit;
  const std::function<void(const std::string &)> &write;

  /// Prints the sub-array at dims [d, rank) that starts at element `at`.
  void print(size_t d, size_t at) {
    if (d == array.shape.size())
      return write(formatElement(array.type, array.element(at)));
    size_t step = 1;
    for (size_t e = d + 1; e != array.shape.size(); ++e)
      step *= size_t(array.shape[e]);
    bool innermost = d + 1 == array.shape.size();
    auto extent = size_t(array.shape[d]);
    for (size_t i = 0; i != extent; ++i) {
      if (limit && i == limit)
        return write(innermost ? " ..." : "...");
      if (innermost && i)
        write(" ");
      if (!innermost)
        write("[");
      print(d + 1, at + i * step);
      if (!innermost)
        write("]");
    }
  }
};

} // namespace

void runner::printArray(const Array &array, size_t limit,
                        const std::function<void(const std::string &)> &write) {
  write(array.typeString() + "=");
  if (array.numElements())
    Printer{array, limit, write}.print(0, 0);
}
