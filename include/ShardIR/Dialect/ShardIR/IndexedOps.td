//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on tensors that linalg lacks and frontends have: scatters and sorts.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_INDEXEDOPS_TD
#define SHARDIR_DIALECT_SHARDIR_INDEXEDOPS_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"

def ShardIR_ScatterRowsOp : ShardIR_Op<"scatter",
    [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable,
     AllTypesMatch<["init", "result"]>,
     DeclareOpInterfaceMethods<DestinationStyleOpInterface, ["getDpsInitsMutable"]>]> {
  let summary = "Combines windows into a tensor at places that are data.";
  let description = [{
    `indices` is a list of rows, whose last dim holds one coordinate for each of
    `index_dims`. A row places one window of `updates`; each element `new` of the
    window replaces the element `old` of `init` at its place by what the region
    yields. Rows are applied in row-major order. A row with a coordinate that is
    negative or beyond its dim is skipped.

    The first dims of `indices` and `updates` are the dims `batch_dims` of
    `init`: their coordinate is the row's own. The other dims of `updates` are
    the remaining dims of the rows and then those dims of `init`, in order, that
    neither list names. `unique` promises that no two rows have one place.

    A sharded dim of `init` that is indexed needs no communication: each device
    applies the rows that fall into its shard. If the region is one reduction of
    `old` and something else, sharded rows make the result partial.

    Example:

    ```mlir
    %0 = shardir.scatter ins(%updates, %rows : tensor<5x6xf32>, tensor<5x1xi64>)
        outs(%init : tensor<4x6xf32>) index_dims = [0] {
    ^bb0(%new: f32, %old: f32):
      %1 = arith.addf %old, %new : f32
      shardir.yield %1 : f32
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$updates, AnyRankedTensor:$indices, AnyRankedTensor:$init,
                       DenseI64ArrayAttr:$index_dims,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$batch_dims,
                       UnitAttr:$unique);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `ins` `(` $updates `,` $indices `:` type($updates) `,` type($indices) `)`
    `outs` `(` $init `:` type($init) `)` `index_dims` `=` $index_dims
    (`batch_dims` `=` $batch_dims^)? (`unique` $unique^)? $combiner attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of leading dims that `indices` and `updates` share.
    int64_t getNumRowDims() { return getIndices().getType().getRank() - 1; }
    /// The dims of `init` that are neither indexed nor batch dims, in order.
    ::llvm::SmallVector<int64_t> getWindowDims();
  }];
}

def ShardIR_SortOp : ShardIR_Op<"sort",
    [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable,
     DeclareOpInterfaceMethods<DestinationStyleOpInterface, ["getDpsInitsMutable"]>,
     RangedTypesMatchWith<"results have the types of operands", "inputs", "results",
                          "::llvm::make_range($_self.begin(), $_self.end())">]> {
  let summary = "Sorts tensors along a dim.";
  let description = [{
    All tensors have one shape and get one permutation. The region takes a pair of
    elements of each tensor, `lhs0, rhs0, lhs1, rhs1, …`, and yields whether the
    left ones come before the right ones. The sort is stable: elements keep their
    order unless the right one comes before the left one and the left one does
    not come before the right one, so `>=` sorts as `>` does. Where the region is
    no order, as `<` of NaN, the result is some permutation.

    All dims but the sorted one may be sharded.

    Example:

    ```mlir
    %0:2 = shardir.sort %keys, %values : tensor<4x6xf32>, tensor<4x6xi64> dim = 1 {
    ^bb0(%k0: f32, %k1: f32, %v0: i64, %v1: i64):
      %1 = arith.cmpf olt, %k0, %k1 : f32
      shardir.yield %1 : i1
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$dim);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$comparator);
  let assemblyFormat = "$inputs `:` type($inputs) `dim` `=` $dim $comparator attr-dict";
  let hasVerifier = 1;
}

#endif // SHARDIR_DIALECT_SHARDIR_INDEXEDOPS_TD
