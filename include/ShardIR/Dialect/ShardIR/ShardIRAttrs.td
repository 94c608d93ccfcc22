//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shardir dialect and its placement attribute.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_SHARDIRATTRS_TD
#define SHARDIR_DIALECT_SHARDIR_SHARDIRATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def ShardIR_Dialect : Dialect {
  let name = "shardir";
  let cppNamespace = "::shardir";
  let summary = "Meshes of devices and placements of tensors on them.";
  let description = [{
    A program is annotated with placements in attributes, never in types, so
    that every upstream op keeps working:

    - `shardir.placement` on function arguments and results;
    - `shardir.placements`, one per result, on ops (after propagation on all);
    - `shardir.alias` on a function result: it takes that argument's placement;
    - `shardir.in_place` on a function result that has an alias, a unit: the
      result is written into the argument's memory, which the caller gives up;
    - `shardir.name` on arguments and results of the entry: the name that the
      array has in files, as in `shard-run --inputs=w.safetensors`;
    - `shardir.extents` on an argument of the entry: per dim what an open extent
      is equal to, a number or `[i, d]` for dim `d` of argument `i`, or a unit
      where nothing is said (a run checks them); on its results, from the local
      stage on, where their extents come from;
    - `shardir.global_type` on arguments and results of localized functions;
    - `shardir.result` on arguments of bufferized functions that are buffers for
      results, in order; `shardir.in_place` on one of them is the number of the
      argument that is written in its stead, and it is not used;
    - `shardir.report` on the module: the compiler's report, a dictionary that a
      compiled program carries as JSON;
    - `shardir.machine` on the module: rates and memory of the machine that
      decisions are made for;
    - `shardir.unstored` on ops whose results a kernel of a later stage computes
      without storing them (attention's scores), a unit: they count no memory;
    - `shardir.partial_cast` on `arith.truncf`, a unit: a partial sum passes it;
    - `shardir.kernel` on ops of host code that are to be one kernel (a unit), on
      launches and kernels the name that tells them apart (a string);
    - `shardir.gpu` on the module: its kernels' table as JSON text, for the
      metadata;
    - `shardir.rule` on ops of other dialects: their sharding rule;
    - `shardir.carried` on an op with regions (`scf.while`): one placement per
      carried tensor that is no result of the op;
    - `shardir.decided_by` on ops, arguments and results: the annotations that
      their placements came from, a list of `#shardir.provenance`; on an op with
      regions a list for each tensor that flows through them, where these differ;
    - `shardir.manual_axes` on a redistribution: axes along which its operand
      varies, as it is inside of a manual region;
    - `shardir.stage` on the module, from the local stage on: `"local"`,
      `"scheduled"`, `"bufferized"`, `"cpu"`,
      `"gpu"`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The names of the discardable attributes of this dialect.
    static constexpr ::llvm::StringLiteral kPlacement = "shardir.placement";
    static constexpr ::llvm::StringLiteral kPlacements = "shardir.placements";
    static constexpr ::llvm::StringLiteral kCarried = "shardir.carried";
    static constexpr ::llvm::StringLiteral kAlias = "shardir.alias";
    static constexpr ::llvm::StringLiteral kInPlace = "shardir.in_place";
    static constexpr ::llvm::StringLiteral kName = "shardir.name";
    static constexpr ::llvm::StringLiteral kGlobalType = "shardir.global_type";
    static constexpr ::llvm::StringLiteral kResult = "shardir.result";
    static constexpr ::llvm::StringLiteral kExtents = "shardir.extents";
    static constexpr ::llvm::StringLiteral kUnstored = "shardir.unstored";
    static constexpr ::llvm::StringLiteral kMachine = "shardir.machine";
    static constexpr ::llvm::StringLiteral kReport = "shardir.report";
    static constexpr ::llvm::StringLiteral kStage = "shardir.stage";
    static constexpr ::llvm::StringLiteral kLayoutSavedBytes = "shardir.layout_saved_bytes";
    static constexpr ::llvm::StringLiteral kKernel = "shardir.kernel";
    static constexpr ::llvm::StringLiteral kSchedule = "shardir.schedule";
    static constexpr ::llvm::StringLiteral kLaunchSeconds = "shardir.launch_seconds";
    static constexpr ::llvm::StringLiteral kGpu = "shardir.gpu";
    static constexpr ::llvm::StringLiteral kRule = "shardir.rule";
    static constexpr ::llvm::StringLiteral kDecidedBy = "shardir.decided_by";
    static constexpr ::llvm::StringLiteral kConstrained = "shardir.constrained";
    static constexpr ::llvm::StringLiteral kManualAxes = "shardir.manual_axes";
    // On an op of one result: its shards have this halo (redistributed stage).
    static constexpr ::llvm::StringLiteral kHalo = "shardir.halo";

    void registerAttributes();
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def ShardIR_PlacementAttr : AttrDef<ShardIR_Dialect, "Placement"> {
  let mnemonic = "placement";
  let summary = "The placement of one tensor on a mesh.";
  let description = [{
    One entry per dimension, each a list of splits from major to minor: mesh
    axes, sub-axes, and integers for factors that stay on the device.

    ```
    placement ::= `#shardir.placement` `<` `@`mesh `,` `[` (dim (`,` dim)*)? `]`
                      (`,` `replicated` `=` axes)? (`,` `partial` `=` kind axes)? `>`
    axes      ::= `[` axis (`,` axis)* `]`
    dim       ::= `{` `}` | `{` `?` `}` | `{` split (`,` split)* (`,` `?`)? `}`, then (`p` int)?
    split     ::= axis | int
    axis      ::= string (`:` `(` int `)` int)?
    kind      ::= `sum`|`prod`|`max`|`min`|`maxnum`|`minnum`|`umax`|`umin`|`and`|`or`|`xor`
    ```

    Examples:

    ```mlir
    #shardir.placement<@m, [{"dp"}, {"tp"} ]>                    // rows over dp, columns over tp
    #shardir.placement<@m, [{}, {"tp":(1)2} ]>                   // columns over the major half of tp
    #shardir.placement<@m, [{4, "tp"} ]>                         // [4, tp, rest]: a strided shard
    #shardir.placement<@m, [{"dp"}, {} ], partial = sum ["tp"]>  // a sum over tp still pending
    #shardir.placement<@m, placements = [shard(0), replicate]>  // one entry per mesh axis
    ```

    Two attributes may differ and mean the same: compare with
    `shardir::equivalent`, which needs the mesh (P8).
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh,
                        AttrParameter<"::shardir::Placement", "", "const ::shardir::Placement &">:$value);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$mesh, "const ::shardir::Placement &":$value), [{
      return $_get($_ctxt, ::mlir::FlatSymbolRefAttr::get($_ctxt, mesh), value);
    }]>
  ];
}

def ShardIR_HostAttr : AttrDef<ShardIR_Dialect, "Host"> {
  let mnemonic = "host";
  let summary = "The memory space of buffers in the host's memory.";
  let description = [{
    `collective.host_copy` alone reads and writes such a buffer. No memory of the
    device counts for it.

    Example:

    ```mlir
    %h = memref.alloc() : memref<8x32xf32, #shardir.host>
    ```
  }];
}

def ShardIR_RuleAttr : AttrDef<ShardIR_Dialect, "Rule"> {
  let mnemonic = "rule";
  let summary = "A sharding rule written on an op.";
  let description = [{
    For ops of other dialects that have no ShardingRuleOpInterface: one list per
    operand and result, with the factor of each dim, or `_` for a dim that must
    be unsharded; scalars have `[]`. Factors pass through unless listed under
    `reduction`, with the kind by which their terms combine.

    Example:

    ```mlir
    %2 = "my.matmul"(%0, %1) {shardir.rule = #shardir.rule<([i, k], [k, j]) -> ([i, j]), reduction = {k = sum}>}
         : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$operands, "::mlir::ArrayAttr":$results,
                        "::mlir::DictionaryAttr":$reduction);
  let hasCustomAssemblyFormat = 1;
}

def ShardIR_ProvenanceAttr : AttrDef<ShardIR_Dialect, "Provenance"> {
  let mnemonic = "provenance";
  let summary = "The annotation that a placement came from.";
  let description = [{
    The annotation, then the ops through which its axes reached the value. Of a
    long way the first three and the last two ops are listed, with the number of
    those that are left out between them. Where a function is called in several
    places, a place in it is followed by the callers that tell the calls apart.

    ```
    provenance ::= `#shardir.provenance` `<` origin (`,` `through` `[` through `]`)? `>`
    origin     ::= (`argument` | `result`) int `of` symbol
                 | (`annotation` `of` | `op`) string (`at` place (`from` place)*)?
    place      ::= string `:` int `:` int
    through    ::= string (`,` (string | int))*
    ```

    Example:

    ```mlir
    #shardir.provenance<argument 1 of @main, through ["linalg.matmul", "arith.maximumf"]>
    ```
  }];
  let parameters = (ins "::shardir::ProvenanceKind":$kind, "unsigned":$index,
                        "::mlir::StringAttr":$name, "::mlir::LocationAttr":$loc,
                        ArrayRefParameter<"::mlir::StringAttr">:$through,
                        "unsigned":$omitted);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Through so many ops at the start of a way, all are listed.
    static constexpr unsigned kFirst = 3;

    static ProvenanceAttr ofArgument(::mlir::FunctionOpInterface function, unsigned index);
    static ProvenanceAttr ofResult(::mlir::FunctionOpInterface function, unsigned index);
    /// The placements written on `op`.
    static ProvenanceAttr ofAnnotation(::mlir::Operation *op);
    /// An op that wants a placement: `shardir.constrain`, a user of a tensor.
    static ProvenanceAttr ofOp(::mlir::StringAttr name, ::mlir::Location loc);

    /// `argument 1 of @main, through linalg.matmul, arith.maximumf`.
    std::string describe() const;
    /// True if both are of one annotation, whatever they came through.
    bool hasOriginOf(ProvenanceAttr other) const {
      return getKind() == other.getKind() && getIndex() == other.getIndex() &&
             getName() == other.getName() && getLoc() == other.getLoc();
    }
  }];
}

def ShardIR_ReasonAttr : AttrDef<ShardIR_Dialect, "Reason"> {
  let mnemonic = "reason";
  let summary = "Why a redistribution is there.";
  let description = [{
    The user that wants the other placement. `region` counts from 1 the regions
    of a block before each of which a tensor is gathered again to save memory;
    `block` tells which part of a collective an exchange around a ring stands
    for; `step` is the place in the report of what the op was lowered from.

    ```
    reason ::= `#shardir.reason` `<` user (`,` `region` int)?
                   (`,` `block` int `of` int)? (`,` `step` int)? `>`
    user   ::= `constrain` | `program` | `result` int `of` symbol | `body` `of` string
             | `operand` int `of` string (`in` string)?
    ```

    Example:

    ```mlir
    %1 = shardir.redistribute %0 from #shardir.placement<@m, [{} ], partial = sum ["tp"]>
        to #shardir.placement<@m, [{} ]> {reason = #shardir.reason<operand 1 of "math.exp">} : tensor<8xf32>
    ```
  }];
  let parameters = (ins "::shardir::ReasonKind":$kind, "unsigned":$index,
                        "::mlir::StringAttr":$name, "::mlir::StringAttr":$parent,
                        "unsigned":$region, "unsigned":$block,
                        "unsigned":$numBlocks, "int64_t":$step);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The op that uses the tensor, its function's result, or the region in
    /// which it is read.
    static ReasonAttr ofUse(::mlir::OpOperand &use);
    static ReasonAttr ofResult(::mlir::FunctionOpInterface function, unsigned index);
    static ReasonAttr ofBody(::mlir::Operation *op);
    static ReasonAttr ofConstrain(::mlir::MLIRContext *context);
    static ReasonAttr ofProgram(::mlir::MLIRContext *context);

    ReasonAttr withRegion(unsigned region) const;
    ReasonAttr withBlock(unsigned block, unsigned numBlocks) const;
    /// -1 for none.
    ReasonAttr withStep(int64_t step) const;

    /// `operand 1 of 'linalg.matmul'`; without the step.
    std::string describe() const;
  }];
}

#endif // SHARDIR_DIALECT_SHARDIR_SHARDIRATTRS_TD
