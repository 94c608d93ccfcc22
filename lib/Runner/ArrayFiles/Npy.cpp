//===- Npy.cpp - numpy's .npy format --------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads versions 1 to 3 of the format: a magic string, a header that is a
// Python dictionary, then the elements in C or Fortran order, of either byte
// order. Writes version 1, C order, little-endian.
// The header is read by a small parser that accepts exactly the literals that
// numpy writes; sizes are compared with the file before memory is taken.
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include "ShardIR/Runner/Failure.h"

#include <cstring>

using namespace shardir;
using namespace shardir::runner;

namespace {

/// How elements are stored: a numpy type string, taken apart.
struct Dtype {
  char kind = 0;    ///< b i u f V, or B for bfloat16, 3 and 2 for the f8 types
  size_t size = 0;  ///< bytes
  bool big = false; ///< big-endian
};

struct Header {
  std::string descr;
  bool fortran = false;
  Shape shape;
};

/// Parses the header's dictionary.
class HeaderParser {
public:
  HeaderParser(const Source &source, const std::string &text)
      : source(source), text(text) {}

  Header parse() {
    Header header;
    bool seen[3] = {false, false, false};
    expect('{');
    while (!accept('}')) {
      std::string key = parseString();
      expect(':');
      if (key == "descr") {
        seen[0] = true;
        if (peek() == '[' || peek() == '(')
          source.fail("structured elements are not supported");
        header.descr = parseString();
      } else if (key == "fortran_order") {
        seen[1] = true;
        header.fortran = parseBool();
      } else if (key == "shape") {
        seen[2] = true;
        header.shape = parseTuple();
      } else {
        bad();
      }
      if (!accept(',') && peek() != '}')
        bad();
    }
    if (!seen[0] || !seen[1] || !seen[2])
      bad();
    return header;
  }

private:
  [[noreturn]] void bad() { source.fail("the .npy header is damaged"); }

  char peek() {
    while (at < text.size() && std::strchr(" \t\r\n", text[at]) && text[at])
      ++at;
    return at < text.size() ? text[at] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at >= text.size())
      return false;
    ++at;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      bad();
  }
  std::string parseString() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      bad();
    size_t end = text.find(quote, at + 1);
    if (end == std::string::npos)
      bad();
    std::string value = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return value;
  }
  bool parseBool() {
    peek();
    for (const char *word : {"True", "False"})
      if (text.compare(at, std::strlen(word), word) == 0) {
        at += std::strlen(word);
        return word[0] == 'T';
      }
    bad();
  }
  Shape parseTuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      if (peek() == '-')
        source.fail("the shape has a negative extent");
      if (peek() < '0' || peek() > '9')
        bad();
      int64_t extent = 0;
      while (at < text.size() && text[at] >= '0' && text[at] <= '9')
        if (__builtin_mul_overflow(extent, int64_t(10), &extent) ||
            __builtin_add_overflow(extent, int64_t(text[at++] - '0'), &extent))
          source.fail("the shape has an extent beyond 64 bits");
      accept('L'); // Python 2 wrote long integers so.
      shape.push_back(extent);
      if (shape.size() > 64)
        source.fail("the shape has more than 64 dims");
      if (!accept(',') && peek() != ')')
        bad();
    }
    return shape;
  }

  const Source &source;
  const std::string &text;
  size_t at = 0;
};

std::optional<Dtype> parseDtype(const std::string &descr) {
  if (descr == "bfloat16")
    return Dtype{'B', 2, false};
  if (descr == "float8_e4m3fn")
    return Dtype{'3', 1, false};
  if (descr == "float8_e5m2")
    return Dtype{'2', 1, false};
  if (descr.size() != 3 || !std::strchr("<>|=", descr[0]) ||
      !std::strchr("biufV", descr[1]) || !std::strchr("1248", descr[2]))
    return std::nullopt;
  return Dtype{descr[1], size_t(descr[2] - '0'), descr[0] == '>'};
}

/// Whether elements stored so can be taken as `type`. Signless integers take
/// both signs.
bool readsAs(const Dtype &dtype, ElementType type) {
  return dtype.size == elementSize(type) &&
         std::strchr(infoOf(type)->npyKinds, dtype.kind);
}

void swapBytes(Bytes &bytes, size_t size) {
  for (size_t i = 0; i + size <= bytes.size(); i += size)
    for (size_t j = 0; j != size / 2; ++j)
      std::swap(bytes.data()[i + j], bytes.data()[i + size - 1 - j]);
}

/// Copies from Fortran order (first dim varies fastest) to C order.
void copyFromFortran(const Bytes &from, Array &to) {
  size_t size = elementSize(to.type), rank = to.shape.size();
  std::vector<size_t> stride(rank), index(rank, 0);
  size_t step = size;
  for (size_t d = 0; d != rank; ++d) {
    stride[d] = step;
    step *= size_t(to.shape[d]);
  }
  size_t offset = 0;
  for (size_t i = 0, n = to.numElements(); i != n; ++i) {
    std::memcpy(to.element(i), from.data() + offset, size);
    for (size_t d = rank; d-- > 0;) {
      offset += stride[d];
      if (++index[d] != size_t(to.shape[d]))
        break;
      offset -= stride[d] * index[d];
      index[d] = 0;
    }
  }
}

} // namespace

/// Reads and checks the header; the elements begin at `dataAt`.
static Header readHeader(const Source &source, ElementType type,
                         const Shape &wanted, Dtype &dtype, uint64_t &dataAt) {
  uint8_t start[12] = {};
  source.require(0, 10, "it is too short for a .npy file");
  source.readAt(0, start, std::min<uint64_t>(12, source.size()));
  if (std::memcmp(start, "\x93NUMPY", 6) != 0)
    source.fail("it is not a .npy file");
  int version = start[6];
  if (version < 1 || version > 3)
    source.fail(".npy version " + std::to_string(version) +
                " is not supported");
  uint64_t headerAt = version == 1 ? 10 : 12;
  uint64_t headerSize = loadLittle(start + 8, version == 1 ? 2 : 4);
  source.require(headerAt, headerSize, "the .npy header is cut off");
  if (headerSize > (1 << 20))
    source.fail("the .npy header is longer than 1 MiB");
  std::string text = source.readString(headerAt, headerSize);
  Header header = HeaderParser(source, text).parse();

  std::optional<Dtype> parsed = parseDtype(header.descr);
  std::string held =
      "it holds " +
      (header.shape.empty() ? "a scalar" : formatShape(header.shape)) +
      " of '" + header.descr + "', expected " + formatType(wanted, type);
  if (!parsed)
    source.fail("elements of '" + header.descr + "' are not supported");
  dtype = *parsed;
  if (!readsAs(dtype, type) || !shapeMatches(header.shape, wanted))
    source.fail(held);
  std::optional<uint64_t> bytes = countBytes(header.shape, elementSize(type));
  if (!bytes)
    source.fail("its shape " + formatShape(header.shape) + " is too large");
  dataAt = headerAt + headerSize;
  if (*bytes > source.size() - dataAt)
    source.fail("it is cut off: " + formatType(header.shape, type) + " has " +
                std::to_string(*bytes) + " bytes, the file has " +
                std::to_string(source.size() - dataAt));
  return header;
}

StoredArray runner::findNpy(const Source &source, ElementType type,
                            const Shape &wanted) {
  Dtype dtype;
  uint64_t dataAt;
  Header header = readHeader(source, type, wanted, dtype, dataAt);
  bool rowMajor = !header.fortran || header.shape.size() <= 1;
  return {dataAt, header.shape, rowMajor && !(dtype.big && dtype.size > 1)};
}

Array runner::readNpy(const Source &source, ElementType type,
                      const Shape &wanted) {
  Dtype dtype;
  uint64_t dataAt;
  Header header = readHeader(source, type, wanted, dtype, dataAt);
  Array array(type, header.shape);
  if (header.fortran && header.shape.size() > 1) {
    Bytes stored(array.bytes.size());
    source.readAt(dataAt, stored.data(), stored.size());
    copyFromFortran(stored, array);
  } else {
    source.readAt(dataAt, array.bytes.data(), array.bytes.size());
  }
  if (dtype.big && dtype.size > 1)
    swapBytes(array.bytes, dtype.size);
  return array;
}

std::string runner::npyHeader(ElementType type, const Shape &shape) {
  std::string dict = std::string("{'descr': '") + infoOf(type)->npy +
                     "', 'fortran_order': False, 'shape': (";
  for (size_t d = 0; d != shape.size(); ++d)
    dict += (d ? ", " : "") + std::to_string(shape[d]);
  dict += shape.size() == 1 ? ",), }" : "), }";
  // Elements start at a multiple of 64, and the header ends in a newline.
  dict.append((64 - (10 + dict.size() + 1) % 64) % 64, ' ');
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  appendLittle(header, dict.size(), 2);
  return header + dict;
}
