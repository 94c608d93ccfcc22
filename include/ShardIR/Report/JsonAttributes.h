//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_REPORT_JSONATTRIBUTES_H
#define SHARDIR_REPORT_JSONATTRIBUTES_H

#include "mlir/IR/Attributes.h"
#include "llvm/Support/JSON.h"

namespace shardir {

/// JSON as an attribute and back: objects are dictionaries, integers i64, null
/// the unit attribute. Numbers must be integers.
mlir::Attribute toAttribute(const llvm::json::Value &value,
                            mlir::MLIRContext *context);
llvm::json::Value toJson(mlir::Attribute attr);

} // namespace shardir

#endif // SHARDIR_REPORT_JSONATTRIBUTES_H
