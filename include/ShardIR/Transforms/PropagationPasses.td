//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes from annotated to propagated, which lie in lib/Transforms/Annotate
// and lib/Transforms/Propagate. Included by Passes.td alone.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_PROPAGATIONPASSES_TD
#define SHARDIR_TRANSFORMS_PROPAGATIONPASSES_TD

include "mlir/Pass/PassBase.td"

def ImportAnnotations : Pass<"shardir-import-annotations", "::mlir::ModuleOp"> {
  let summary = "Reads the annotations of Shardy and GSPMD.";
  let description = [{
    Turns what JAX writes into meshes, placements and `shardir.constrain`, and
    leaves other programs as they are (docs/Importing.md): `sdy.mesh`,
    `sdy.sharding` on arguments, results and ops, `sdy.sharding_constraint` and
    the other ops of Shardy that keep a tensor's value; the strings
    `corpus.sharding`, which hold the same where Shardy's attributes cannot
    stand; and `mhlo.sharding`, GSPMD's, for which meshes are found. GSPMD's
    manual regions, between custom calls SPMDFullToShardShape and
    SPMDShardToFullShape, become `shardir.manual`, and StableHLO's collectives in
    manual regions those of `collective`. Ops and attributes are read as text, so
    that no dialect of theirs is needed: MLIR must be told to allow unregistered
    ones, or have them.

    Example (test/Transforms/Annotate/import-shardy.mlir):

    ```mlir
    "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "m"}> : () -> ()
    func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?} ]>})
    // becomes
    shardir.mesh @m <["a"=2, "b"=4]>
    func.func @main(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {?} ]>})
    ```
  }];
  let dependentDialects = ["::shardir::ShardIRDialect", "::shardir::collective::CollectiveDialect",
                           "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

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

def CheckExits : Pass<"shardir-check-exits", "::mlir::ModuleOp"> {
  let summary = "Refuses branches from where nothing leads out.";
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
    What the threads of an `scf.forall` share is carried by loops, so that its
    placement can follow. Iterations read what was there before the loop, as
    threads do. Left alone, and then whole on each device: loops with a
    `mapping`, and modules without a mesh.

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

def ResolveSugar : Pass<"shardir-resolve-sugar", "::mlir::ModuleOp"> {
  let summary = "Rewrites `placements = [shard(0), ...]` into placements by dim.";
  let description = [{
    The first step of `--shardir-to-propagated`: dims become closed, `shard(-1)`
    counts from the end, several axes on one dim split in mesh order.

    Example (test/Transforms/Propagate/resolve-sugar.mlir):

    ```mlir
    #shardir.placement<@m, placements = [shard(-1), partial(sum)]>
    // for a tensor of rank 2
    #shardir.placement<@m, [{}, {"dp"} ], partial = sum ["tp"]>
    ```
  }];
}

def Normalize : Pass<"shardir-normalize", "::mlir::ModuleOp"> {
  let summary = "Says ops by others that may be sharded in more ways.";
  let description = [{
    `linalg.softmax` becomes its two reductions and what is between them, so that
    the dim of a softmax may be split; `tensor.reshape` to a known shape becomes
    `tensor.collapse_shape` and `tensor.expand_shape`; loads of immutable globals
    and the shapes of tensors of known extents become constants; witnesses of the
    `shape` dialect become assertions, and `shape.assuming` its region. A
    `linalg.generic` that reads one of several tensors by its own index becomes
    `tensor.concat`, and a slice of all of a tensor the tensor; where it takes
    all of a dim, the start that was computed for it becomes 0. The real or
    imaginary part of what another op makes of two parts becomes that part, and
    operands that a body does not read are dropped: compiled they are gone, and
    nothing should move for them. The place of a
    largest or least element, a reduction of pairs, becomes the reduction of the
    elements and that of the places where their extremum is found, where ties and
    NaN stay the same (docs/Semantics.md). Placements on such an op go to the op
    that makes its result.

    Example (test/Transforms/Annotate/normalize.mlir):

    ```mlir
    %s = arith.constant dense<[48, 4]> : tensor<2xindex>
    %0 = tensor.reshape %x(%s) : (tensor<2x3x32xf32>, tensor<2xindex>) -> tensor<48x4xf32>
    // becomes
    %1 = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x3x32xf32> into tensor<192xf32>
    %0 = tensor.expand_shape %1 [[0, 1]] output_shape [48, 4] : tensor<192xf32> into tensor<48x4xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::mlir::math::MathDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::shape::ShapeDialect",
  ];
}

def SplitArgReductions : Pass<"shardir-split-arg-reductions", "::mlir::func::FuncOp"> {
  let summary = "Makes two reductions of one that gives an extremum and its place.";
  let description = [{
    The largest or least element along a dim and its place, from one op whose
    steps do not combine, become the extremum's reduction and that of the first
    (or last) place where it is found, NaN as the op treats them. Of zeros with
    different signs the extremum may be another one than before, which is why
    GPUs' pipeline alone runs this; shardir-normalize splits the rest.

    Example (test/Transforms/Annotate/split-arg-reductions.mlir):

    ```mlir
    %max, %at = linalg.generic … ins(%x : tensor<4x8xf32>) outs(%least, %zero : tensor<4xf32>, tensor<4xi32>) {
      // the larger one, and linalg.index of it
    // becomes
    %max = linalg.generic … ins(%x) outs(%least) { maximumf }
    %at = linalg.generic … ins(%x, %max) outs(…) { minsi of the places where x == max }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
}

def StripAnnotations : Pass<"shardir-strip-annotations", "::mlir::ModuleOp"> {
  let summary = "Leaves the unsharded program.";
  let description = [{
    Drops meshes, placements and `shardir.constrain`. What `--verify` compares a
    sharded program with. An error where the program has collectives or
    redistributions, or is past the propagated stage.

    Example (test/Transforms/Annotate/strip-annotations.mlir):

    ```mlir
    shardir.mesh @m <["x"=2]>
    func.func @main(%x: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"} ]>})
        -> tensor<4xf32> {
      %0 = shardir.constrain %x to #shardir.placement<@m, [{} ]> : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    ```
  }];
}

def ConstrainCallees : Pass<"shardir-constrain-callees", "::mlir::ModuleOp"> {
  let summary = "Turns placements on functions that are called into constraints in their bodies.";
  let description = [{
    Calls are inlined next, and what a callee's signature says must survive it.
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

def InlineCallees : Pass<"shardir-inline-callees", "::mlir::ModuleOp"> {
  let summary = "Inlines calls and drops what only they used, where there are any.";
  let description = [{
    What `-inline` and `-symbol-dce` do. A module that has neither calls nor
    private symbols is left alone after one look.

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
    and writes what is best by prediction as `shardir.placement`, within
    `memory-limit`. Annotations that are there are kept and count. A remark says
    what was compared, `file=` as JSON. Where nothing stays within the limit, an
    error names the op at the peak. docs/Proposing.md has the search and its
    limits.

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

def Propagate : Pass<"shardir-propagate", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor value one placement.";
  let description = [{
    Forward, backward and sideways over the factors of each op's sharding rule,
    to a fixed point that does not depend on the order of ops (R3). Annotations
    never change (R1). An axis that arrives at one factor alone is taken. Where
    it arrives at two, where orders of axes differ, or where what is owed can be
    reduced at several places, all such conflicts of the program are decided at
    once by the predicted cost of work and redistributions (R6). Under
    `cost=bytes` the answers that the search starts from and that of
    least time are planned beside its own in modules of up to 1,024 nodes, and
    the least is kept. Priorities are
    decided level by level. What has placements already keeps them. An op that
    spreads a constant scalar becomes `linalg.fill`, which later passes make
    anew for each user (R5). docs/Propagation.md follows one program.

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
           "who decides: `search` (least over the program), `greedy` (nearest to "
           "annotations first) or `shardy` (Shardy's rules, without costs)">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "bytes per device to stay below where cost leaves a choice">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

#endif // SHARDIR_TRANSFORMS_PROPAGATIONPASSES_TD
