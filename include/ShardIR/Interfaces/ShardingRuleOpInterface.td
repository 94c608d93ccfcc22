//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sharding rule of an op: a pure query.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_INTERFACES_SHARDINGRULEOPINTERFACE_TD
#define SHARDIR_INTERFACES_SHARDINGRULEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::shardir";
  let description = [{
    An op gives its factors (iteration dimensions seen across its operands and
    results), where each appears, and what sharding each one means. See
    Interfaces/ShardingRule.h. Ops that lack the interface are replicated.
  }];
  let methods = [
    InterfaceMethod<"The op's sharding rule; it depends on the op's types, attributes and regions alone.",
                    "::shardir::SharedRule", "getShardingRule">,
  ];
}

#endif // SHARDIR_INTERFACES_SHARDINGRULEOPINTERFACE_TD
