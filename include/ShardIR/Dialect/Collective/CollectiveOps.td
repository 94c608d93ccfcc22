//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The collective dialect: communication within groups of devices.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_COLLECTIVE_COLLECTIVEOPS_TD
#define SHARDIR_DIALECT_COLLECTIVE_COLLECTIVEOPS_TD

include "ShardIR/Dialect/Collective/CollectiveOpInterface.td"
include "ShardIR/Dialect/ShardIR/ShardIRAttrs.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Collective_Dialect : Dialect {
  let name = "collective";
  let cppNamespace = "::shardir::collective";
  let summary = "Communication within groups of devices.";
  let description = [{
    Two families. The steps of a redistribution (`all_gather`, `all_reduce`,
    `reduce_scatter`, `all_to_all`, `permute`, `exchange`, `halo_exchange`, and
    the local `slice` and `make_partial`) carry the placement they lead `from`
    and the one they lead `to`, so that uneven, empty and strided shards need
    nothing more. An `exchange`, a `halo_exchange` and a `slice` may lead from
    one mesh to another: ranks that the result's mesh lacks hold nothing of it. The
    rooted and point-to-point ops (`broadcast`, `gather`, `scatter`, `send`,
    `recv`) act on shards and name their group by mesh axes. Besides, `host_copy`
    moves what a device does not keep to its host's memory and back.

    A step has three forms:

    ```mlir
    // global tensors, in the collective stage
    %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"} ]>
                                    to #shardir.placement<@m, [{} ]> : tensor<10xf32>
    // shards, from the local stage on
    %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"} ]>
                                    to #shardir.placement<@m, [{} ]> of tensor<10xf32>
                                    : tensor<?xf32> -> tensor<10xf32>
    // buffers
    collective.all_gather %0 into %1 from #shardir.placement<@m, [{"x"} ]>
                                    to #shardir.placement<@m, [{} ]> of tensor<10xf32>
                                    : memref<?xf32>, memref<10xf32>
    ```
  }];
  let dependentDialects = ["::shardir::ShardIRDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

/// A global tensor, a shard of one, or the buffer of a shard.
def Collective_Operand
    : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "ranked tensor or memref", "::mlir::ShapedType">;

//===----------------------------------------------------------------------===//
// Steps of a redistribution
//===----------------------------------------------------------------------===//

class Collective_StepOp<string mnemonic, string kind>
    : Op<Collective_Dialect, mnemonic, [
        AttrSizedOperandSegments,
        DeclareOpInterfaceMethods<CollectiveOpInterface,
          ["getKind", "getGlobalTensorType", "isLocal", "getOutput"]>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins Collective_Operand:$input,
                       Optional<AnyMemRef>:$destination,
                       Variadic<Index>:$sizes,
                       Variadic<Index>:$dims,
                       ShardIR_PlacementAttr:$from,
                       ShardIR_PlacementAttr:$to,
                       OptionalAttr<ArrayAttr>:$halo,
                       OptionalAttr<TypeAttr>:$global,
                       OptionalAttr<ShardIR_ReasonAttr>:$reason);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::shardir::PlacementAttr":$from,
                   "::shardir::PlacementAttr":$to,
                   CArg<"::shardir::ReasonAttr", "{}">:$reason,
                   CArg<"::mlir::ArrayAttr", "{}">:$halo), [{
      build($_builder, $_state, ::mlir::TypeRange{input.getType()}, input,
            ::mlir::Value(), ::mlir::ValueRange(), ::mlir::ValueRange(), from, to,
            halo, ::mlir::TypeAttr(), reason);
    }]>
  ];
  let extraClassDeclaration = [{
    static constexpr ::shardir::CollectiveKind kKind = ::shardir::CollectiveKind::}] # kind # [{;
  }];
  let extraClassDefinition = [{
    ::shardir::CollectiveKind $cppClass::getKind() { return kKind; }
    ::mlir::Value $cppClass::getOutput() { return getDestination(); }
    bool $cppClass::isLocal() { return getGlobal().has_value(); }
    ::mlir::RankedTensorType $cppClass::getGlobalTensorType() {
      return ::shardir::collective::detail::globalTensorType(*this);
    }
    void $cppClass::getEffects(::llvm::SmallVectorImpl<
        ::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      ::shardir::collective::detail::stepEffects(
          getInputMutable(),
          getDestination() ? &getDestinationMutable()[0] : nullptr, effects);
    }
    ::mlir::LogicalResult $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &tables) {
      return ::shardir::collective::detail::verifyStepSymbols(*this, tables);
    }
    ::mlir::LogicalResult $cppClass::verify() {
      return ::shardir::collective::detail::verifyStep(*this);
    }
    ::mlir::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return ::shardir::collective::detail::reifyStep(*this, builder, shapes);
    }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &state) {
      return ::shardir::collective::detail::parseStep(parser, state);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::shardir::collective::detail::printStep(printer, *this, getProperties().operandSegmentSizes);
    }
    ::llvm::LogicalResult $cppClass::fold(FoldAdaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &results) {
      return ::shardir::collective::detail::foldStep(*this, results);
    }
  }];
}

def Collective_SliceOp : Collective_StepOp<"slice", "Slice"> {
  let summary = "Keeps of a shard what a finer placement holds; no communication.";
  let description = [{
    Localization turns it into a plain `tensor.extract_slice`.

    Example:

    ```mlir
    %1 = collective.slice %0 from #shardir.placement<@m, [{} ]> to #shardir.placement<@m, [{"x"} ]> : tensor<8xf32>
    ```
  }];
}

def Collective_MakePartialOp : Collective_StepOp<"make_partial", "MakePartial"> {
  let summary = "A device's term is what it holds of its new shard, and the identity elsewhere.";
  let description = [{
    No communication; the identity is the reduction's (P5). Each shard of an axis that
    splits the operand is a term; along other axes the first device has the elements.

    Example:

    ```mlir
    %1 = collective.make_partial %0 from #shardir.placement<@m, [{} ]>
                                      to #shardir.placement<@m, [{} ], partial = sum ["x"]> : tensor<8xf32>
    ```
  }];
}

def Collective_AllGatherOp : Collective_StepOp<"all_gather", "AllGather"> {
  let summary = "Every device of a group receives the blocks of all.";
  let description = [{
    Drops minor splits of one or several dims.

    Example:

    ```mlir
    %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"} ]> to #shardir.placement<@m, [{} ]> : tensor<8xf32>
    ```
  }];
}

def Collective_AllReduceOp : Collective_StepOp<"all_reduce", "AllReduce"> {
  let summary = "Every device of a group receives the reduction of all terms.";
  let description = [{
    Drops partial axes. The order of the reduction is fixed, and all devices of
    a group receive the same bits.

    Example:

    ```mlir
    %1 = collective.all_reduce %0 from #shardir.placement<@m, [{} ], partial = sum ["x"]>
                                    to #shardir.placement<@m, [{} ]> : tensor<8xf32>
    ```
  }];
}

def Collective_ReduceScatterOp : Collective_StepOp<"reduce_scatter", "ReduceScatter"> {
  let summary = "Every device of a group receives its block of the reduction.";
  let description = [{
    Turns partial axes into splits.

    Example:

    ```mlir
    %1 = collective.reduce_scatter %0 from #shardir.placement<@m, [{} ], partial = sum ["x"]>
                                        to #shardir.placement<@m, [{"x"} ]> : tensor<8xf32>
    ```
  }];
}

def Collective_AllToAllOp : Collective_StepOp<"all_to_all", "AllToAll"> {
  let summary = "Moves axes from one dim to another.";
  let description = [{
    Example:

    ```mlir
    %1 = collective.all_to_all %0 from #shardir.placement<@m, [{"x"}, {} ]>
                                    to #shardir.placement<@m, [{}, {"x"} ]> : tensor<8x8xf32>
    ```
  }];
}

def Collective_PermuteOp : Collective_StepOp<"permute", "Permute"> {
  let summary = "Every device receives one other device's shard.";
  let description = [{
    Example:

    ```mlir
    %1 = collective.permute %0 from #shardir.placement<@m, [{"x", "y"} ]>
                                 to #shardir.placement<@m, [{"y", "x"} ]> : tensor<8xf32>
    ```
  }];
}

def Collective_ExchangeOp : Collective_StepOp<"exchange", "Exchange"> {
  let summary = "Every device receives exactly what it lacks.";
  let description = [{
    Sparse point-to-point with exact counts that each rank derives from the two
    placements; any pair without a reduction. From one mesh to another it is what
    sends and receives of a pipeline's stages are.

    Example:

    ```mlir
    %1 = collective.exchange %0 from #shardir.placement<@m, [{"x"}, {"y"} ]>
                                  to #shardir.placement<@m, [{}, {"x"} ]> : tensor<5x7xf32>
    %2 = collective.exchange %1 from #shardir.placement<@m, [{}, {"x"} ]>
                                  to #shardir.placement<@n, [{"z"}, {} ]> : tensor<5x7xf32>
    ```
  }];
}

def Collective_HaloExchangeOp : Collective_StepOp<"halo_exchange", "HaloExchange"> {
  let summary = "Every device receives what its overlapping shard lacks.";
  let description = [{
    `halo` has, per dim, how many elements below and above the block that `to`
    gives are wanted (D6): the result's block [s, e) is [max(0, s - low),
    min(N, e + high)). They come from several neighbours where blocks are short,
    corners included; an empty block stays empty. A dim with a halo is one block
    per device, so it has no integer before its last axis.

    Example:

    ```mlir
    %1 = collective.halo_exchange %0 from #shardir.placement<@m, [{"x"}, {} ]>
                                       to #shardir.placement<@m, [{"x"}, {} ]> halo [[1, 1], [0, 0]] : tensor<5x7xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Rooted and point-to-point collectives on shards
//===----------------------------------------------------------------------===//

class Collective_RootedOp<string mnemonic, list<Trait> traits = []>
    : Op<Collective_Dialect, mnemonic,
         !listconcat(traits, [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                              DeclareOpInterfaceMethods<SymbolUserOpInterface>])> {
  let hasVerifier = 1;
  code rootedDefinition = [{
    ::mlir::LogicalResult $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &tables) {
      return ::shardir::collective::detail::verifyGroup(*this, getMeshAttr(), getAxes(), tables);
    }
  }];
  let extraClassDefinition = rootedDefinition;
}

def Collective_BroadcastOp : Collective_RootedOp<"broadcast",
    [DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Every device of a group receives the root's shard.";
  let description = [{
    `root` is the root's coordinate along the axes, flattened, major first.

    Example:

    ```mlir
    %1 = collective.broadcast %0 root %c0 on @m ["tp"] : tensor<8xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Collective_Operand:$input, Optional<AnyMemRef>:$destination, Index:$root,
                       FlatSymbolRefAttr:$mesh, StrArrayAttr:$axes);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    $input (`into` $destination^)? `root` $root `on` $mesh $axes attr-dict `:` type($input)
    (`,` type($destination)^)? (`->` type($result)^)?
  }];
}

def Collective_GatherOp : Collective_RootedOp<"gather",
    [DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "The root receives the shards of all, one after another along dim 0.";
  let description = [{
    The blocks are those that P3 cuts the result's dim 0 into: where they differ,
    the operand has `?` there and the result's type says the extent; a result of
    unknown extent is the operand's times the size of the group. On other devices
    than the root the result's content is unspecified.

    Example:

    ```mlir
    %1 = collective.gather %0 root %c0 on @m ["tp"] : tensor<8xf32> -> tensor<16xf32>
    ```
  }];
  let arguments = Collective_BroadcastOp.arguments;
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = Collective_BroadcastOp.assemblyFormat;
}

def Collective_ScatterOp : Collective_RootedOp<"scatter",
    [DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Every device receives its block, along dim 0, of the root's operand.";
  let description = [{
    The blocks are those that P3 cuts the operand's dim 0 into, the last ones
    short or empty.

    Example:

    ```mlir
    %1 = collective.scatter %0 root %c0 on @m ["tp"] : tensor<16xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = Collective_BroadcastOp.arguments;
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = Collective_BroadcastOp.assemblyFormat;
}

def Collective_SendOp : Collective_RootedOp<"send"> {
  let summary = "Sends a shard to one device of the group, which must receive it.";
  let description = [{
    Example:

    ```mlir
    collective.send %0 to %c1 on @m ["pp"] : tensor<8xf32>
    ```
  }];
  let arguments = (ins Collective_Operand:$input, Index:$peer, FlatSymbolRefAttr:$mesh, StrArrayAttr:$axes);
  let assemblyFormat = "$input `to` $peer `on` $mesh $axes attr-dict `:` type($input)";
}

def Collective_RecvOp : Collective_RootedOp<"recv"> {
  let summary = "Receives a shard from one device of the group.";
  let description = [{
    Example:

    ```mlir
    %1 = collective.recv from %c0 on @m ["pp"] -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Optional<AnyMemRef>:$destination, Index:$peer, FlatSymbolRefAttr:$mesh,
                       StrArrayAttr:$axes);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    (`into` $destination^)? `from` $peer `on` $mesh $axes attr-dict
    (`:` type($destination)^)? (`->` type($result)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Between a device and its host
//===----------------------------------------------------------------------===//

def Collective_HostCopyOp : Op<Collective_Dialect, "host_copy",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Copies a tensor to the host's memory, or back from there.";
  let description = [{
    What is copied to the host takes no memory of the device, and nothing but
    another `host_copy` can read it. Operand and result have the same placement:
    each device copies its own shard, or its own term of a partial. On buffers it
    can be started and waited for, as steps can, with the attribute
    `collective.start` and the op `collective.wait`.

    Example:

    ```mlir
    %h = collective.host_copy %0 to host : tensor<8xf32> -> tensor<8xf32>
    %1 = collective.host_copy %h to device : tensor<8xf32> -> tensor<8xf32>
    // buffers
    collective.host_copy %0 into %h to host : memref<8xf32>, memref<8xf32, #shardir.host>
    ```
  }];
  let arguments = (ins Collective_Operand:$input, Optional<AnyMemRef>:$destination, UnitAttr:$to_host);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $input (`into` $destination^)? `to` (`host` $to_host^) : (`device`)? attr-dict `:` type($input)
    (`,` type($destination)^)? (`->` type($result)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "bool":$toHost), [{
      build($_builder, $_state, ::mlir::TypeRange{input.getType()}, input, ::mlir::Value(), toHost);
    }]>
  ];
}

def Collective_WaitOp : Op<Collective_Dialect, "wait"> {
  let summary = "Waits for the step or host copy that was started with this result.";
  let description = [{
    A step or a `host_copy` on buffers that is marked `collective.start` goes on beside what
    follows it; neither of its buffers may be touched until a `wait` for its
    result, which stands in the same block.

    Example:

    ```mlir
    collective.all_reduce %0 into %1 from #p to #q of tensor<8xf32> {collective.start} : memref<8xf32>, memref<8xf32>
    collective.wait %1 : memref<8xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

#endif // SHARDIR_DIALECT_COLLECTIVE_COLLECTIVEOPS_TD
