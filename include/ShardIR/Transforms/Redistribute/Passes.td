//===- Passes.td - Passes from propagated to collective ----*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_REDISTRIBUTE_PASSES_TD
#define SHARDIR_TRANSFORMS_REDISTRIBUTE_PASSES_TD

include "mlir/Pass/PassBase.td"

def EraseUnused : Pass<"shardir-erase-unused", "::mlir::ModuleOp"> {
  let summary = "Erases pure ops whose results are unused.";
  let description = [{
    Erases chains of such ops too, so that nothing is redistributed for them.

    Example (test/Transforms/Redistribute/erase-unused.mlir):

    ```mlir
    %a = math.exp %x : tensor<8xf32>
    %b = math.exp %a : tensor<8xf32>
    return %x : tensor<8xf32>
    // becomes
    return %x : tensor<8xf32>
    ```
  }];
}

def InsertRedistribute : Pass<"shardir-insert-redistribute", "::mlir::ModuleOp"> {
  let summary = "Inserts a `shardir.redistribute` wherever a placement changes.";
  let description = [{
    Requires the propagated stage. Afterwards every op's operands agree with its
    results under its rule. Rematerializable tensors (constants, empty, fill) are
    cloned per placement, not redistributed (R5); equal redistributions of one value are
    shared. With `strict` any redistribution but those of function results and
    `shardir.constrain` is an error.

    Example (test/Transforms/Redistribute/insert.mlir):

    ```mlir
    %0 = linalg.matmul ... {shardir.placements = [#shardir.placement<@m, [{}, {} ], partial = sum ["tp"]>]}
    %1 = shardir.redistribute %0 from #shardir.placement<@m, [{}, {} ], partial = sum ["tp"]>
                                   to #shardir.placement<@m, [{}, {} ]> {reason = "..."} : tensor<8x8xf32>
    ```
  }];
  let options = [
    Option<"strict", "strict", "bool", "false",
           "an implicit redistribution is an error">,
    Option<"mergeEqual", "merge-equal", "bool", "false",
           "merge equal ops afterwards, as -cse does, where anything has changed">,
  ];
  let dependentDialects = ["::shardir::ShardIRDialect"];
}

def SimplifyRedistribute : Pass<"shardir-simplify-redistribute", "::mlir::ModuleOp"> {
  let summary = "Lowers the cost of redistributions: fewer, shared and better placed ones.";
  let description = [{
    Requires the redistributed stage and keeps it; uses the patterns of
    Transforms/Patterns.h. Chains collapse. Redistributions to the placement that
    a value has already are erased (placements are compared in normal form, P8).
    Redistributions of one value are shared or start from one another. A
    redistribution, of a partial too, moves to the side of an op where it costs
    less. Gathers of arguments are repeated per region of use, unless
    `share-gathers` keeps them for all uses; with a `memory-limit` only while the
    predicted peak stays within it. docs/Pipeline.md has the rules.

    Example (test/Transforms/Redistribute/simplify.mlir):

    ```mlir
    %1 = shardir.redistribute %0 from A to B
    %2 = shardir.redistribute %1 from B to A   // is %0
    ```
  }];
  let options = [
    Option<"cost", "cost", "std::string", "\"time\"",
           "what decides: `time` (of a machine model) or `bytes`">,
    Option<"shareGathers", "share-gathers", "bool", "false",
           "gather an argument once for all of its uses">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "bytes per device; what would keep values alive for longer stays below">,
    Option<"mergeEqual", "merge-equal", "bool", "false",
           "merge equal ops afterwards, as -cse does, where anything has changed">,
  ];
}

def RedistributeToCollectives : Pass<"shardir-redistribute-to-collectives", "::mlir::ModuleOp"> {
  let summary = "Makes each redistribution a chain of collectives and local slices.";
  let description = [{
    Materializes the plan of Placement/RedistributePlan.h. Running it twice
    changes nothing.

    Example (test/Transforms/Redistribute/to-collectives.mlir):

    ```mlir
    %1 = shardir.redistribute %0 from #shardir.placement<@m, [{} ], partial = sum ["tp"]>
                                   to #shardir.placement<@m, [{} ]> : tensor<8xf32>
    // becomes
    %1 = collective.all_reduce %0 from #shardir.placement<@m, [{} ], partial = sum ["tp"]>
                                    to #shardir.placement<@m, [{} ]> : tensor<8xf32>
    ```
  }];
  let options = [
    Option<"cost", "cost", "std::string", "\"time\"",
           "what decides between plans: `time` (of a machine model) or `bytes`">,
    Option<"mergeEqual", "merge-equal", "bool", "false",
           "merge equal ops afterwards, as -cse does, where anything has changed">,
  ];
  let dependentDialects = ["::shardir::collective::CollectiveDialect"];
  let statistics = [
    Statistic<"numPlanned", "planned",
              "redistributions that became plans">,
  ];
}

#endif // SHARDIR_TRANSFORMS_REDISTRIBUTE_PASSES_TD
