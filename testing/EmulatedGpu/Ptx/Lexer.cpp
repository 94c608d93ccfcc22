//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the text. Numbers are those of PTX: decimal, hexadecimal,
// binary, octal, and floats as their bits (0f, 0d).
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "Program.h"

#include <cctype>

using namespace shardir::emulated::ptx;

namespace {
bool startsName(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}
bool inName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool isHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)); }

class Lexer {
public:
  explicit Lexer(const std::string &text) : text(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text.size() / 4);
    while (skipBlanks()) {
      Token token;
      token.line = line;
      read(token);
      tokens.push_back(std::move(token));
    }
    Token end;
    end.line = line;
    tokens.push_back(end);
    return tokens;
  }

private:
  char at(size_t i) const { return i < text.size() ? text[i] : '\0'; }

  bool skipBlanks() {
    for (;;) {
      char c = at(place);
      if (c == '\n')
        ++line;
      if (std::isspace(static_cast<unsigned char>(c))) {
        ++place;
      } else if (c == '/' && at(place + 1) == '/') {
        while (place < text.size() && text[place] != '\n')
          ++place;
      } else if (c == '/' && at(place + 1) == '*') {
        while (place < text.size() &&
               !(text[place] == '*' && at(place + 1) == '/'))
          line += text[place++] == '\n';
        place += 2;
      } else {
        return place < text.size();
      }
    }
  }

  void read(Token &token) {
    size_t start = place;
    char c = text[place];
    if (startsName(c)) {
      token.kind = Token::Name;
      ++place;
      while (inName(at(place)))
        ++place;
      if (c == '%' && at(place) == '.' && at(place + 1) >= 'w' &&
          at(place + 1) <= 'z' && !inName(at(place + 2)))
        place += 2;
    } else if (c == '.' && inName(at(place + 1))) {
      token.kind = Token::Dotted;
      ++place;
      while (inName(at(place)) || (at(place) == ':' && at(place + 1) == ':')) {
        place += at(place) == ':' ? 2 : 1;
      }
    } else if (isDigit(c)) {
      readNumber(token);
    } else if (c == '"') {
      token.kind = Token::String;
      while (at(++place) != '"')
        if (place >= text.size())
          throw Error("line " + std::to_string(line) +
                      ": a string that does not end");
      ++place;
    } else {
      token.kind = Token::Mark;
      ++place;
    }
    token.text = text.substr(start, place - start);
  }

  void readNumber(Token &token) {
    token.kind = Token::Number;
    char second = at(place + 1);
    if (text[place] == '0' &&
        (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
      token.kind = Token::Float;
      token.isDouble = second == 'd' || second == 'D';
      place += 2;
      token.value = digits(16, token.isDouble ? 16 : 8);
      return;
    }
    if (text[place] == '0' && (second == 'x' || second == 'X')) {
      place += 2;
      token.value = digits(16, 16);
    } else if (text[place] == '0' && (second == 'b' || second == 'B')) {
      place += 2;
      token.value = digits(2, 64);
    } else {
      token.value = digits(text[place] == '0' ? 8 : 10, 22);
      if (at(place) == '.' && isDigit(at(place + 1))) // .version 8.1
        for (++place; isDigit(at(place));)
          ++place;
    }
    if (at(place) == 'U')
      ++place;
  }

  uint64_t digits(unsigned base, int most) {
    uint64_t value = 0;
    int count = 0;
    for (; isHex(at(place)) && count < most; ++place, ++count) {
      char c = at(place);
      unsigned digit =
          isDigit(c) ? unsigned(c - '0') : unsigned(std::tolower(c) - 'a') + 10;
      if (digit >= base)
        break;
      value = value * base + digit;
    }
    if (count == 0 || inName(at(place)) != (at(place) == 'U'))
      throw Error("line " + std::to_string(line) + ": a number that is none");
    return value;
  }

  const std::string &text;
  size_t place = 0;
  int line = 1;
};
} // namespace

std::vector<Token> shardir::emulated::ptx::tokenize(const std::string &text) {
  return Lexer(text).run();
}
