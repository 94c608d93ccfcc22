//===- Passes.td - Passes that verify stages ---------------*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_STAGES_PASSES_TD
#define SHARDIR_TRANSFORMS_STAGES_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyStage : Pass<"shardir-verify-stage", "::mlir::ModuleOp"> {
  let summary = "Checks what a stage promises.";
  let description = [{
    `stage=propagated`, `redistributed`, `collective`, `local`, `scheduled` or
    `bufferized` (docs/Pipeline.md). The pipelines run it between stages.

    Example (test/Transforms/Stages/verify-stage.mlir):

    ```mlir
    %0 = math.exp %x : tensor<8xf32>  // error: the propagated stage needs 'shardir.placements' here
    ```
  }];
  let options = [Option<"stage", "stage", "std::string", "\"propagated\"", "the stage">];
}

#endif // SHARDIR_TRANSFORMS_STAGES_PASSES_TD
