//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shardir dialect's ops: meshes and what asks for placements.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_SHARDIROPS_TD
#define SHARDIR_DIALECT_SHARDIR_SHARDIROPS_TD

include "ShardIR/Dialect/ShardIR/ShardIRAttrs.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class ShardIR_Op<string mnemonic, list<Trait> traits = []>
    : Op<ShardIR_Dialect, mnemonic, traits>;

def ShardIR_MeshOp : ShardIR_Op<"mesh", [Symbol]> {
  let summary = "A named grid of devices with named axes.";
  let description = [{
    Axis names match `[A-Za-z_][A-Za-z0-9_-]*`; a mesh has 1 to 8 axes. A size
    may be unknown until `shardir-specialize-mesh`: `"dp"=?`, or `"dp"=?8` with
    the size that decisions assume. `devices` names the rank at each position of
    the grid, row-major; `links` gives bandwidth (bytes/s) and latency (s) for
    the cost model.

    Example:

    ```mlir
    shardir.mesh @m <["dp"=2, "tp"=4]>
    shardir.mesh @n <["dp"=?, "tp"=?8]>
    shardir.mesh @o <["x"=2, "y"=2], devices = [3, 2, 1, 0],
                     links = {x = {bandwidth = 5.0e10, latency = 1.0e-5}}>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       StrArrayAttr:$axis_names,
                       DenseI64ArrayAttr:$axis_sizes,
                       DenseI64ArrayAttr:$assumed_sizes,
                       OptionalAttr<DenseI64ArrayAttr>:$devices,
                       OptionalAttr<DictionaryAttr>:$links);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The mesh as a plain value.
    ::shardir::Mesh getMesh();
  }];
}

def ShardIR_ConstrainOp : ShardIR_Op<"constrain",
    [Pure, AllTypesMatch<["input", "result"]>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Asks that a value have a placement here.";
  let description = [{
    Intent that survives passes which drop attributes. Open dims (`{?}`) leave
    the choice to propagation. An explicit request under `strict`.

    Example:

    ```mlir
    %1 = shardir.constrain %0 to #shardir.placement<@m, [{?}, {"tp"} ]> : tensor<8x32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, ShardIR_PlacementAttr:$placement);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
}

def ShardIR_RedistributeOp : ShardIR_Op<"redistribute",
    [Pure, AllTypesMatch<["input", "result"]>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Changes a tensor's placement and keeps its value.";
  let description = [{
    Types are those of the whole tensor. `halo` asks for an overlapping shard:
    per dim how many elements below and above the own block are needed (D6).
    `reason` says why the op is there.

    Example:

    ```mlir
    %2 = shardir.redistribute %1 from #shardir.placement<@m, [{} ], partial = sum ["tp"]>
                                 to #shardir.placement<@m, [{} ]> : tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       ShardIR_PlacementAttr:$from,
                       ShardIR_PlacementAttr:$to,
                       OptionalAttr<ArrayAttr>:$halo,
                       OptionalAttr<StrAttr>:$reason);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ShardIR_AxisIndexOp : ShardIR_Op<"axis_index",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "This device's coordinate along a mesh axis.";
  let description = [{
    The one place where the rank enters a local program.

    Example:

    ```mlir
    %i = shardir.axis_index @m "tp"
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$mesh, StrAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$mesh $axis attr-dict";
}

#endif // SHARDIR_DIALECT_SHARDIR_SHARDIROPS_TD
