//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax that ops of several foreign dialects share. Requires a parser behind
// the op's name.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_PARSEUTILS_H
#define SHARDIR_LIB_IMPORT_PARSEUTILS_H

#include "mlir/IR/OpImplementation.h"

namespace shardir {

/// `%0, %1 : type, type`, or nothing.
inline mlir::ParseResult parseReturn(mlir::OpAsmParser &parser,
                                     mlir::OperationState &state) {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Type> types;
  llvm::SMLoc loc = parser.getCurrentLocation();
  return mlir::failure(
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseOperandList(operands) ||
      (!operands.empty() && parser.parseColonTypeList(types)) ||
      parser.resolveOperands(operands, types, loc, state.operands));
}

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_PARSEUTILS_H
