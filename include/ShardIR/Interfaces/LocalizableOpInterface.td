//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites an op on global tensors to the same op on shards.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_INTERFACES_LOCALIZABLEOPINTERFACE_TD
#define SHARDIR_INTERFACES_LOCALIZABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def LocalizableOpInterface : OpInterface<"LocalizableOpInterface"> {
  let cppNamespace = "::shardir";
  let description = [{
    Rewrites one op to its local form. Operands and results agree under the
    op's sharding rule already, so no communication is needed (D6 of
    docs/Semantics.md). Where the rule has windows, operands are overlapping
    shards, and `localizer.digits` says which part of a dim a device has. An op
    that lacks the interface and has a sharded operand or result is cloned on
    local types, which is right for every op whose rule lists pass-through
    factors of operands alone and that has no attribute that depends on an
    extent.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the local form of this op at the builder's insertion point.
        `operands` are its operands in local form. Returns one value per result,
        with the types that `localizer` gives, or failure after an error.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "localize",
      (ins "::mlir::OpBuilder &":$builder, "::shardir::Localizer &":$localizer,
           "::mlir::ValueRange":$operands)>,
  ];
}

#endif // SHARDIR_INTERFACES_LOCALIZABLEOPINTERFACE_TD
