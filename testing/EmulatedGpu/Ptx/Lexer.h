//===- Lexer.h - Words of PTX -----------------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits PTX into tokens (PTX ISA 9.0, section 4). A modifier is a token with
// its dot, `.shared::cta`; so is the component of a special register a part of
// its name, `%tid.x`. Comments are skipped. Requires text without NULs;
// guarantees one end token at its end, and an Error for what is no token.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_LEXER_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_LEXER_H

#include <cstdint>
#include <string>
#include <vector>

namespace shardir {
namespace emulated {
namespace ptx {

struct Token {
  enum Kind : uint8_t { Name, Dotted, Number, Float, String, Mark, End };
  Kind kind = End;
  int line = 0;
  std::string text;
  uint64_t value = 0;    ///< of numbers; a float's bits, as f32 or f64
  bool isDouble = false; ///< of floats
  bool is(const char *mark) const { return kind != String && text == mark; }
};

std::vector<Token> tokenize(const std::string &text);

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_LEXER_H
