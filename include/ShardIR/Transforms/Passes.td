//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of the stages annotated to collective to local, in the order of
// docs/Pipeline.md.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_PASSES_TD
#define SHARDIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// annotated -> propagated
//===----------------------------------------------------------------------===//

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

#endif // SHARDIR_TRANSFORMS_PASSES_TD
