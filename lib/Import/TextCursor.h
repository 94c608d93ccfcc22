//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading short texts token by token: annotations that other systems print.
// Requires nothing of the text; guarantees that nothing is read past its end
// and that the first error is reported, with the full text.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_TEXTCURSOR_H
#define SHARDIR_LIB_IMPORT_TEXTCURSOR_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace shardir {

/// Methods return false once something went wrong, or where an optional token
/// is not next. Space before a token is skipped.
class TextCursor {
public:
  TextCursor(llvm::StringRef text, std::string &error)
      : rest(text), whole(text), error(error) {}

  bool fail(const llvm::Twine &message) {
    if (error.empty())
      error = (message + " in '" + whole + "'").str();
    return false;
  }
  bool take(llvm::StringRef word) {
    rest = rest.ltrim();
    return rest.consume_front(word);
  }
  bool expect(llvm::StringRef word) {
    return take(word) || fail("expected '" + word + "' before '" + rest + "'");
  }
  bool expectEnd() {
    rest = rest.ltrim();
    return rest.empty() || fail("expected the end before '" + rest + "'");
  }
  /// A number without a sign.
  bool integer(int64_t &value) {
    rest = rest.ltrim();
    return (!rest.empty() && llvm::isDigit(rest.front()) &&
            !rest.consumeInteger(10, value)) ||
           fail("expected an integer before '" + rest + "'");
  }

  llvm::StringRef rest; ///< what has not been read

protected:
  llvm::StringRef whole;
  std::string &error;
};

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_TEXTCURSOR_H
