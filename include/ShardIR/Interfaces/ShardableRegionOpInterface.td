//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data flow of loops and branches, as an op tells it; a pure query.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_INTERFACES_SHARDABLEREGIONOPINTERFACE_TD
#define SHARDIR_INTERFACES_SHARDABLEREGIONOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def ShardableRegionOpInterface : OpInterface<"ShardableRegionOpInterface"> {
  let cppNamespace = "::shardir";
  let description = [{
    An op whose regions run on shards: ops inside are placed like those outside
    of it, and it says which of its operands, region arguments, terminators'
    operands and results are one tensor as it flows. All of these have one type
    and one placement. See Interfaces/ShardableRegion.h. What decides how often
    a region runs (bounds, conditions, indices) is a scalar and the same on all
    devices. Ops with regions that lack the interface run replicated.
  }];
  let methods = [
    InterfaceMethod<[{
        The region value groups of the op: every ranked tensor that enters or leaves one of its
        regions is in exactly one. A result is in the group of its number; groups
        without a result come last.
      }],
      "::llvm::SmallVector<::shardir::RegionValueGroup>", "getValueGroups">,
    InterfaceMethod<[{
        The result in the group of a region's argument; null where its group has
        none, or the argument is no tensor. Constant time in the number of groups.
      }],
      "::mlir::OpResult", "getGroupedResult",
      (ins "::mlir::BlockArgument":$argument), "", "return {};">,
    InterfaceMethod<[{
        How many times the region runs each time the op does: a loop's trip
        count, 1 for a branch; nothing where that is not known.
      }],
      "::std::optional<int64_t>", "getTripCount",
      (ins "::mlir::Region &":$region), "", "return int64_t(1);">,
  ];
}

#endif // SHARDIR_INTERFACES_SHARDABLEREGIONOPINTERFACE_TD
