//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shardir dialect's ops: meshes, constraints, redistributions, manual regions,
// and (IndexedOps.td) scatters and sorts.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_SHARDIROPS_TD
#define SHARDIR_DIALECT_SHARDIR_SHARDIROPS_TD

include "ShardIR/Dialect/ShardIR/ShardIRAttrs.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
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
    the cost model, and `gather_bandwidth` where gathers and reductions are
    faster because devices of one node share what comes from another.

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
  let builders = [
    /// The op whose getMesh() is `mesh`, but for links, which it leaves out.
    OpBuilder<(ins "const ::shardir::Mesh &":$mesh)>
  ];
  let extraClassDeclaration = [{
    /// The mesh as a plain value.
    ::shardir::Mesh getMesh();
  }];
}

def ShardIR_ConstrainOp : ShardIR_Op<"constrain",
    [Pure, AllTypesMatch<["input", "result"]>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Requests a placement for a value at this point.";
  let description = [{
    Intent that survives passes which drop attributes. Open dims (`{?}`) leave
    the choice to propagation. An explicit request under `strict`.

    Values of one shape whose constraints in a function have the same `group`,
    and name no axes, get the same placement. A constraint with a `direction`
    lets axes through from its operand to its users (`"forward"`), from its
    users to its operand (`"backward"`), or not at all (`"none"`: without axes
    of its own it has its operand's placement).

    Example:

    ```mlir
    %1 = shardir.constrain %0 to #shardir.placement<@m, [{?}, {"tp"} ]> : tensor<8x32xf32>
    %2 = shardir.constrain %1 to #shardir.placement<@m, [{?}, {?} ]> {group = 1} : tensor<8x32xf32>
    %3 = shardir.constrain %2 to #shardir.placement<@m, [{?}, {?} ]> {direction = "forward"} : tensor<8x32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, ShardIR_PlacementAttr:$placement,
                       OptionalAttr<I64Attr>:$group,
                       OptionalAttr<StrAttr>:$direction);
  let results = (outs AnyRankedTensor:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$input,
                   "PlacementAttr":$placement), [{
      build($_builder, $_state, type, input, placement, /*group=*/nullptr,
            /*direction=*/nullptr);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ShardIR_RedistributeOp : ShardIR_Op<"redistribute",
    [Pure, AllTypesMatch<["input", "result"]>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Changes a tensor's placement and keeps its value.";
  let description = [{
    Types are those of the global tensor. `halo` requests an overlapping shard:
    per dim how many elements below and above the own block are needed (D6).
    `dims` holds, of each window that is known at run time alone, its extent and
    its shift.
    `reason` names the user that the op is for.

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
                       OptionalAttr<ShardIR_ReasonAttr>:$reason,
                       Variadic<Index>:$dims);
  let results = (outs AnyRankedTensor:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$input,
                   "::shardir::PlacementAttr":$from,
                   "::shardir::PlacementAttr":$to,
                   "::mlir::ArrayAttr":$halo, "::shardir::ReasonAttr":$reason), [{
      build($_builder, $_state, type, input, from, to, halo, reason,
            ::mlir::ValueRange());
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ShardIR_OptimizationBarrierOp : ShardIR_Op<"optimization_barrier",
    [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "Its operand, which no pass looks through.";
  let description = [{
    The result is equal to the operand and has the same placement, yet ops on it are not
    merged with equal ops on the operand: a backward pass that recomputes what the
    forward pass has dropped stays a second computation. Collectives do not move across it.
    Bufferization replaces the result by the operand's buffer.

    This is the op of StableHLO with this name, for one operand: what
    `jax.checkpoint` and `torch.utils.checkpoint` become.

    Example:

    ```mlir
    %1 = shardir.optimization_barrier %0 : tensor<8x32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
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

def ShardIR_ExtentOp : ShardIR_Op<"extent", [Pure]> {
  let summary = "The extent of a dim of an argument's global tensor.";
  let description = [{
    Where the extent is known only when the program runs and devices hold parts
    of the dim: a part does not tell the whole, so the runtime does. The same on
    all devices. `argument` counts the arguments of the entry that the op is in.

    Example:

    ```mlir
    %n = shardir.extent argument 0 dim 1
    ```
  }];
  let arguments = (ins I64Attr:$argument, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "`argument` $argument `dim` $dim attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Manual regions
//===----------------------------------------------------------------------===//

def ShardIR_ManualOp : ShardIR_Op<"manual",
    [SingleBlock, RecursiveMemoryEffects,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A region written for one device along some axes.";
  let description = [{
    The body sees what one device along the manual axes holds of each operand,
    and yields its shard of each result; the placements of the tensors outside are in
    `in` and `out`. Manual axes are full axes, no sub-axes, major to others in a dim, and
    divide it. Along all other axes the program goes on as outside: they
    propagate through the borders, and what is inside is annotated with them
    alone.

    Collectives over manual axes are written in the form that they have on
    shards: all_gather, all_reduce, reduce_scatter, all_to_all, permute and
    exchange, whose placements name manual axes alone. An exchange to a mesh of the
    same axes with other `devices` sends shards to any devices. `shardir.axis_index`
    tells the device's coordinate along a manual axis. A result that varies along a
    manual axis names it, in a dim or as partial; with `unchecked` the program
    vouches for that. `shardir-inline-manual` turns the region into
    `shardir.manual_in`, its ops, and `shardir.manual_out`.

    This is JAX's `shard_map` and Shardy's `sdy.manual_computation`.

    Example:

    ```mlir
    %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}, {?} ]>]
        out [#shardir.placement<@m, [{?} ]>] manual = ["dp"] {
    ^bb0(%local: tensor<8x4xf32>):
      %1 = linalg.reduce { arith.addf } ins(%local : tensor<8x4xf32>) outs(%zero : tensor<4xf32>) dimensions = [0]
      %2 = collective.all_reduce %1 from #shardir.placement<@m, [{} ], partial = sum ["dp"]>
          to #shardir.placement<@m, [{} ]> of tensor<4xf32> : tensor<4xf32> -> tensor<4xf32>
      shardir.yield %2 : tensor<4xf32>
    } : (tensor<16x4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       TypedArrayAttrBase<ShardIR_PlacementAttr, "placements">:$in,
                       TypedArrayAttrBase<ShardIR_PlacementAttr, "placements">:$out,
                       StrArrayAttr:$axes, UnitAttr:$unchecked);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `in` $in `out` $out `manual` `=` $axes (`unchecked` $unchecked^)?
    $body attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

def ShardIR_YieldOp : ShardIR_Op<"yield", [Pure, Terminator, ReturnLike,
                                   ParentOneOf<["ManualOp", "ScatterRowsOp", "SortOp"]>]> {
  let summary = "Terminates a manual region, or the body of a scatter or a sort.";
  let description = [{
    Example:

    ```mlir
    shardir.yield %0 : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

class ShardIR_ManualBorderOp<string mnemonic> : ShardIR_Op<mnemonic,
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let results = (outs AnyRankedTensor:$result);
}

def ShardIR_ManualInOp : ShardIR_ManualBorderOp<"manual_in"> {
  let summary = "What one device along the manual axes holds of a tensor.";
  let description = [{
    The border of a manual region once that is inlined. The operand lies as
    `placement` says, and may be split further along axes that are not manual;
    the result is its shard along the manual axes, split by the rest. On a device
    both are the same elements.

    Example:

    ```mlir
    %1 = shardir.manual_in %0 at #shardir.placement<@m, [{"dp", ?} ]> over ["dp"] : tensor<16xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, ShardIR_PlacementAttr:$placement, StrArrayAttr:$axes);
  let assemblyFormat = "$input `at` $placement `over` $axes attr-dict `:` type($input) `->` type($result)";
}

def ShardIR_ManualOutOp : ShardIR_ManualBorderOp<"manual_out"> {
  let summary = "The tensor whose shards along the manual axes devices hold.";
  let description = [{
    The inverse of `shardir.manual_in`. If `placement` is partial along manual axes,
    so is the result. `unchecked`: the program vouches that devices along an axis
    that `placement` does not name hold the same.

    Example:

    ```mlir
    %1 = shardir.manual_out %0 at #shardir.placement<@m, [{"dp", ?} ]> over ["dp"] : tensor<8xf32> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, ShardIR_PlacementAttr:$placement, StrArrayAttr:$axes,
                       UnitAttr:$unchecked);
  let assemblyFormat = [{
    $input `at` $placement `over` $axes (`unchecked` $unchecked^)?
    attr-dict `:` type($input) `->` type($result)
  }];
}

def ShardIR_ManualCollectiveOp : ShardIR_Op<"manual_collective",
    [Pure, AttrSizedOperandSegments,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A collective written in the program, along manual axes.";
  let description = [{
    What a collective of a manual region is once that is inlined: the collective
    dialect's op `kind` on shards along manual axes, which other axes may split
    further in the dims that it leaves as they are. An `exchange` may lead to a
    mesh of the same axes whose devices stand elsewhere; what it gives is on the
    source's mesh again, other shards than before. `sizes` are the extents of the
    result that its type leaves open, `dims` those of the tensor before it was cut
    along manual axes.

    Example:

    ```mlir
    %1 = shardir.manual_collective "all_gather" %0 from #shardir.placement<@m, [{"dp"} ]>
        to #shardir.placement<@m, [{} ]> of tensor<16xf32> : tensor<8xf32> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, AnyRankedTensor:$input,
                       ShardIR_PlacementAttr:$source, ShardIR_PlacementAttr:$target,
                       TypeAttrOf<AnyRankedTensor>:$global,
                       Variadic<Index>:$sizes, Variadic<Index>:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $kind $input (`sizes` `[` $sizes^ `]`)? (`dims` `[` $dims^ `]`)? `from` $source `to` $target `of` $global attr-dict `:` type($input) `->` type($result)
  }];
}

include "ShardIR/Dialect/ShardIR/IndexedOps.td"

#endif // SHARDIR_DIALECT_SHARDIR_SHARDIROPS_TD
