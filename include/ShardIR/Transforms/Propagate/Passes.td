//===- Passes.td - Passes from annotated to propagated -----*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_PROPAGATE_PASSES_TD
#define SHARDIR_TRANSFORMS_PROPAGATE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SpecializeMesh : Pass<"shardir-specialize-mesh", "::mlir::ModuleOp"> {
  let summary = "Sets mesh axes of unknown size.";
  let description = [{
    `mesh="dp=2,tp=4"` sets an axis in every mesh where it is `?`; `m.dp=2`
    names one mesh; an axis that is concrete must agree; an unknown name is an
    error.

    Example (test/Transforms/Propagate/specialize-mesh.mlir):

    ```mlir
    shardir.mesh @m <["dp"=?, "tp"=2]>
    // with mesh="dp=4"
    shardir.mesh @m <["dp"=4, "tp"=2]>
    ```
  }];
  let options = [Option<"mesh", "mesh", "std::string", "", "sizes: `dp=2,m.tp=4`">];
}

def UseMachine : Pass<"shardir-use-machine", "::mlir::ModuleOp"> {
  let summary = "Describes the machine that decisions are made for.";
  let description = [{
    `machine` is a name (`h100x8`: nodes of eight H100) or a file
    (docs/howto/describe-a-machine.md). The rates and the memory of one device
    become `shardir.machine` on the module. Every mesh axis without a link gets
    one: that of a node where all devices along it are in one node, as ranks fill
    nodes in order, else the network's. Links and rates that the program has stay.

    Example (test/Transforms/Propagate/use-machine.mlir):

    ```mlir
    shardir.mesh @m <["dp"=4, "tp"=8]>
    // with machine=h100x8
    shardir.mesh @m <["dp"=4, "tp"=8],
                     links = {dp = {bandwidth = 5.0e10, latency = 1.0e-5},
                              tp = {bandwidth = 4.5e11, latency = 3.0e-6}}>
    ```
  }];
  let options = [Option<"machine", "machine", "std::string", "\"\"", "a name or a file">];
}

def CastPartials : Pass<"shardir-cast-partials", "::mlir::ModuleOp"> {
  let summary = "Lets partial sums pass casts to narrower floats.";
  let description = [{
    Marks every `arith.truncf`, on tensors and in bodies of linalg ops, with
    `shardir.partial_cast`. A partial sum then passes it: each device rounds its
    term, and the terms are reduced in the narrower type, which moves half of
    the bytes from f32 to bf16. Pipelines run it for `reduce=result-type`.

    Example (test/Transforms/Propagate/cast-partials.mlir):

    ```mlir
    %y = arith.truncf %x : tensor<8xf32> to tensor<8xbf16>
    // becomes
    %y = arith.truncf %x {shardir.partial_cast} : tensor<8xf32> to tensor<8xbf16>
    ```
  }];
}

def CheckExits : Pass<"shardir-check-exits", "::mlir::ModuleOp"> {
  let summary = "Rejects loops of blocks that no branch leaves.";
  let description = [{
    A loop of blocks that no branch leaves never returns. As `scf` it would be a
    loop without results, which counts as dead, and what follows it would return
    undefined values. That is an error at the first branch from where nothing leaves;
    blocks that nothing reaches are not looked at.

    Example (test/Transforms/Propagate/check-exits-errors.mlir):

    ```mlir
    func.func @forever(%x: tensor<4xf32>) -> tensor<4xf32> {
      cf.br ^bb1
    ^bb1:
      cf.br ^bb1  // error: 'cf.br' op leads into a loop that no branch leaves
    }
    ```
  }];
}

def ForallToFor : Pass<"shardir-forall-to-for", "::mlir::ModuleOp"> {
  let summary = "Writes `scf.forall` on tensors as `scf.for`.";
  let description = [{
    The tensors that the threads of an `scf.forall` share become loop-carried
    values, which can be sharded. Iterations read their values before the loop, as
    threads do. Loops with a `mapping`, and modules without a mesh, stay as they
    are; such a loop runs on replicated tensors.

    Example (test/Transforms/Propagate/forall-to-for.mlir):

    ```mlir
    %0 = scf.forall (%i) in (8) shared_outs(%o = %e) -> (tensor<8x4xf32>) {
      %1 = math.exp %row : tensor<1x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %1 into %o[%i, 0] [1, 4] [1, 1]
            : tensor<1x4xf32> into tensor<8x4xf32>
      }
    }
    // becomes
    %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%o = %e) -> (tensor<8x4xf32>) {
      %1 = math.exp %row : tensor<1x4xf32>
      %2 = tensor.insert_slice %1 into %o[%i, 0] [1, 4] [1, 1]
          : tensor<1x4xf32> into tensor<8x4xf32>
      scf.yield %2 : tensor<8x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def LowerDTensorSyntax : Pass<"shardir-lower-dtensor-syntax", "::mlir::ModuleOp"> {
  let summary = "Rewrites `placements = [shard(0), ...]` into placements by dim.";
  let description = [{
    The first step of `--shardir-to-propagated`: dims become closed, `shard(-1)`
    counts from the end, several axes on one dim split in mesh order.

    Example (test/Transforms/Propagate/lower-dtensor-syntax.mlir):

    ```mlir
    #shardir.placement<@m, placements = [shard(-1), partial(sum)]>
    // for a tensor of rank 2
    #shardir.placement<@m, [{}, {"dp"} ], partial = sum ["tp"]>
    ```
  }];
}

def ConstrainCallees : Pass<"shardir-constrain-callees", "::mlir::ModuleOp"> {
  let summary = "Turns placements on functions that are called into constraints in their bodies.";
  let description = [{
    Calls are inlined next, and the placements in a callee's signature must survive.
    A public function keeps its signature too. Recursive calls and calls of
    functions without a body are errors.

    Example (test/Transforms/Propagate/calls.mlir):

    ```mlir
    func.func private @f(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"} ]>}) {
    // becomes
    func.func private @f(%x: tensor<8xf32>) {
      %0 = shardir.constrain %x to #shardir.placement<@m, [{"a"} ]> : tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::shardir::ShardIRDialect"];
}

def ShortenCallStacks : Pass<"shardir-shorten-call-stacks", "::mlir::ModuleOp"> {
  let summary = "Shortens call stacks in locations to the frames that distinguish ops.";
  let description = [{
    JAX gives each op the stack of Python frames that made it. Two calls of one
    function make ops whose innermost frames are equal. A frame stays if it is
    the innermost one, or if stacks with the same frames inside of it differ
    there. A location without a stack stays as it is, and so does the name
    around a stack.

    Example (test/Transforms/Propagate/shorten-call-stacks.mlir):

    ```mlir
    loc("mul"(callsite("f.py":3:4 at callsite("f.py":6:8 at "f.py":9:4))))
    loc("mul"(callsite("f.py":3:4 at callsite("f.py":7:8 at "f.py":9:4))))
    // become
    loc("mul"(callsite("f.py":3:4 at "f.py":6:8)))
    loc("mul"(callsite("f.py":3:4 at "f.py":7:8)))
    ```
  }];
}

def InlineCallees : Pass<"shardir-inline-callees", "::mlir::ModuleOp"> {
  let summary = "Inlines calls and erases private functions without users.";
  let description = [{
    Does the same as `-inline` and `-symbol-dce`, and nothing to a module that has
    neither calls nor private symbols.

    Example (test/Transforms/Propagate/inline-callees.mlir):

    ```mlir
    func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    // becomes
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }
    ```
  }];
}

def InlineManual : Pass<"shardir-inline-manual", "::mlir::ModuleOp"> {
  let summary = "Inlines manual regions.";
  let description = [{
    The borders of a `shardir.manual` become `shardir.manual_in` and
    `shardir.manual_out`, its collectives `shardir.manual_collective`: ops with
    sharding rules, through which axes that are not manual propagate. An error
    where a result varies along a manual axis that its placement does not name.

    Example (test/Transforms/Propagate/inline-manual.mlir):

    ```mlir
    %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"} ]>] out [#shardir.placement<@m, [{"dp"} ]>] manual = ["dp"] {
    ^bb0(%local: tensor<8xf32>):
      %1 = math.exp %local : tensor<8xf32>
      shardir.yield %1 : tensor<8xf32>
    } : (tensor<16xf32>) -> tensor<16xf32>
    // becomes
    %1 = shardir.manual_in %x at #shardir.placement<@m, [{"dp"} ]> over ["dp"] : tensor<16xf32> -> tensor<8xf32>
    %2 = math.exp %1 : tensor<8xf32>
    %3 = shardir.manual_out %2 at #shardir.placement<@m, [{"dp"} ]> over ["dp"] : tensor<8xf32> -> tensor<16xf32>
    ```
  }];
}

def Propose : Pass<"shardir-propose", "::mlir::ModuleOp"> {
  let summary = "Finds placements for arguments that have none.";
  let description = [{
    Tries splits of each function's arguments, one mesh axis and one dim of all
    arguments of one role at a time, propagates each through the whole function,
    and writes the best one by prediction, within `memory-limit`, as
    `shardir.placement`. Existing annotations are kept, and part of the cost. A
    remark lists the candidates that were compared, and `file=` writes them as
    JSON. docs/Proposing.md has the search and its limits.

    Example (test/Transforms/Propagate/propose.mlir):

    ```mlir
    func.func @mlp(%x: tensor<8x512xf32>, %w1: tensor<512x2048xf32>, %w2: tensor<2048x512xf32>)
        -> tensor<8x512xf32> {
    // becomes
    func.func @mlp(%x: tensor<8x512xf32> {shardir.placement = #shardir.placement<@m, [{}, {} ]>},
                   %w1: tensor<512x2048xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"} ]>},
                   %w2: tensor<2048x512xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {} ]>})
        -> (tensor<8x512xf32> {shardir.placement = #shardir.placement<@m, [{}, {} ]>}) {
    ```
  }];
  let options = [
    Option<"cost", "cost", "std::string", "\"time\"",
           "what is compared first: `time` (of a machine model) or `bytes`">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "bytes per device that the predicted peak may not exceed; 0 is no limit">,
    Option<"file", "file", "std::string", "\"\"",
           "where to write what was compared, as JSON; `-` is stdout">,
  ];
  let dependentDialects = ["::shardir::ShardIRDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect"];
}

def ShardOptimizerState : Pass<"shardir-shard-optimizer-state", "::mlir::ModuleOp"> {
  let summary = "Splits optimizer states and their updates over axes (ZeRO-1).";
  let description = [{
    An optimizer state, such as a momentum, is an argument that is only read
    element by element, and from which a result is computed that is also computed
    element by element from another argument of its shape, the parameter. So no
    loss, input or parameter is one. States are annotated as split over `axes`, on top
    of their own placement or their parameter's, in the first dim that these
    divide, else in the longest. Constraints split what the update reads, the
    gradient and the parameter, and keep the axes from spreading to the rest of
    the program. So gradients are reduced and scattered, each rank updates its
    shards, and next parameters, which take their arguments' placement
    (`shardir.alias`), are gathered. Pipelines run the pass in front of
    propagation for `shard-optimizer-state=dp`.

    Example (test/Transforms/Propagate/shard-optimizer-state.mlir):

    ```mlir
    func.func @momentum(%g: tensor<4x6xf32>, %w: tensor<4x6xf32>, %m: tensor<4x6xf32>)
        -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    // with axes=dp becomes
    func.func @momentum(%g: tensor<4x6xf32>, %w: tensor<4x6xf32>,
                        %m: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {} ]>})
        -> (tensor<4x6xf32> {shardir.alias = 1 : i64}, tensor<4x6xf32> {shardir.alias = 2 : i64}) {
      %0 = shardir.constrain %g to #shardir.placement<@m, [{"dp"}, {} ]> {direction = "forward"} : tensor<4x6xf32>
    ```
  }];
  let options = [Option<"axes", "axes", "std::string", "\"\"", "names of axes of one mesh: `dp,fsdp`">];
  let dependentDialects = ["::shardir::ShardIRDialect"];
}

def FitOptimizerState : Pass<"shardir-fit-optimizer-state", "::mlir::ModuleOp"> {
  let summary = "Splits optimizer states where the program exceeds the memory limit.";
  let description = [{
    Runs `shardir-shard-optimizer-state` over each axis of the mesh in turn, then
    over all, on copies that go on to the collective stage, until a device needs
    no more than `memory-limit` at its peak. Axes that save too few bytes of
    arguments for that are not tried, or if all do, only those that save most. The
    split that fits, or has the lowest peak, is written into the program, with a
    remark, and into the module as `shardir.fitted_states`, for the report. A
    program within the limit stays as it is. Pipelines run the pass for
    `memory-limit` without `shard-optimizer-state`.

    Example (test/Transforms/Propagate/fit-optimizer-state.mlir):

    ```mlir
    // a momentum of 96 bytes beside its parameter, with memory-limit=450
    func.func @momentum(%g: tensor<4x6xf32>, %w: tensor<4x6xf32>, %m: tensor<4x6xf32>)
    // becomes
    func.func @momentum(%g: tensor<4x6xf32>, %w: tensor<4x6xf32>,
                        %m: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {} ]>})
    ```
  }];
  let options = [
    Option<"cost", "cost", "std::string", "\"time\"", "what decides: time or bytes">,
    Option<"conflicts", "conflicts", "std::string", "\"search\"", "as shardir-propagate takes it">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0", "bytes of a device; 0 is no limit">];
  let dependentDialects = ["::shardir::ShardIRDialect"];
}

def Propagate : Pass<"shardir-propagate", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor value one placement.";
  let description = [{
    Annotations spread forward, backward and sideways over the factors of each
    op's sharding rule, to a fixed point that does not depend on the order of ops
    (R3). They never change (R1). A sharding without a competitor is kept. Where an axis can
    reach two factors, where orders of axes differ, or where a partial can be
    reduced at several places, all such conflicts of the program are decided at
    once by the predicted cost of work and redistributions (R6). Priorities are
    decided level by level. Existing placements stay. An op that broadcasts a
    constant scalar becomes `linalg.fill`, which later passes rematerialize for
    each user (R5). docs/Propagation.md follows one program.

    Example (test/Transforms/Propagate/propagate.mlir):

    ```mlir
    func.func @forward(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {} ]>})
      %0 = math.exp %x : tensor<8x16xf32>
    // becomes
      %0 = math.exp %x {shardir.decided_by = "argument 0 of @forward",
                        shardir.placements = [#shardir.placement<@m, [{"dp"}, {} ]>]} : tensor<8x16xf32>
    ```
  }];
  let options = [
    Option<"cost", "cost", "std::string", "\"time\"",
           "what decides conflicts: `time` (of a machine model) or `bytes`">,
    Option<"conflicts", "conflicts", "std::string", "\"search\"",
           "the solver: `search` (least cost over the program), `greedy` (nearest to "
           "annotations first) or `shardy` (Shardy's rules, without costs)">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "bytes per device to stay below where cost leaves a choice">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
  let statistics = [
    Statistic<"numContested", "contested",
              "ops, arguments and results for which candidates competed">,
  ];
}

#endif // SHARDIR_TRANSFORMS_PROPAGATE_PASSES_TD
