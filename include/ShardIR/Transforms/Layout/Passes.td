//===- Passes.td - Passes that choose memory layouts -------*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_LAYOUT_PASSES_TD
#define SHARDIR_TRANSFORMS_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseLayouts : Pass<"shardir-choose-layouts", "::mlir::ModuleOp"> {
  let summary = "Orders dims in memory so that collectives move contiguous data.";
  let description = [{
    A shard is row-major, so a collective that splits or joins another dim than
    the outermost moves data in pieces, which a transport with contiguous
    messages packs and unpacks. A linalg op can make and read a tensor in any
    order of its dims. `mode=auto` reorders what costs nothing: no copy, no op
    that loses its run along memory, no sum in another order. `mode=contiguous`
    copies least in all: it also transposes, and reads against the run of
    memory, where that moves fewer bytes than packing. `mode=row-major` does
    nothing.

    The module's `shardir.layout_saved_bytes` is what a device copies less.
    Signatures and what loops carry stay row-major.

    Example (test/Transforms/Layout/choose-layouts.mlir):

    ```mlir
    // a sequence, gathered: in row-major order each of the 4 batches apart
    %1 = collective.all_gather %0 from #shardir.placement<@m, [{}, {"x"}, {} ]> to
        #shardir.placement<@m, [{}, {}, {} ]> of tensor<4x128x64xf32> : tensor<4x64x64xf32> -> tensor<4x128x64xf32>
    // becomes
    %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"}, {}, {} ]> to
        #shardir.placement<@m, [{}, {}, {} ]> of tensor<128x4x64xf32> : tensor<64x4x64xf32> -> tensor<128x4x64xf32>
    ```
  }];
  let options = [
    Option<"mode", "mode", "std::string", "\"auto\"", "row-major, auto or contiguous">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect",
  ];
}

#endif // SHARDIR_TRANSFORMS_LAYOUT_PASSES_TD
