//===- Passes.td - The pass that ends scheduling ---------*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_SCHEDULE_PASSES_TD
#define SHARDIR_TRANSFORMS_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScheduleCollectives : Pass<"shardir-schedule-collectives", "::mlir::ModuleOp"> {
  let summary = "Makes rings of collectives; what is local is scheduled then.";
  let description = [{
    The last choice of collectives: after it the module is *scheduled*
    (docs/Pipeline.md), and no pass adds, removes or replaces one. Modules that
    are scheduled already, and those without collectives, stay as they are.

    **Rings of gathers.** An operand that is gathered for one op alone, a product
    or attention, need not be there in full: the op is tiled along the gathered dim,
    each device begins with its own block, and the others come from its neighbour,
    one after the other, while the one before is worked on. Products add up in what
    the op accumulates in (attention continues acc, max and sum), or each block's
    part of the result is put in its place. As many bytes are received as by the
    gather, and two blocks of an operand are held instead of all.

    Example (test/Transforms/Schedule/ring-gathers.mlir):

    ```mlir
    %k = collective.all_gather %0 from #shardir.placement<@m, [{"x"}, {} ]> to
        #shardir.placement<@m, [{}, {} ]> of tensor<8x4xf32> : tensor<4x4xf32> -> tensor<8x4xf32>
    %s = linalg.matmul ins(%a, %k : tensor<2x8xf32>, tensor<8x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
    // becomes, where %a0 and %a1 are the columns that belong to the blocks,
    %1 = collective.exchange %0 from #shardir.placement<@m, [{"x"}, {} ]> to
        #shardir.placement<@m_ring1, [{"x"}, {} ]> of tensor<8x4xf32> : tensor<4x4xf32> -> tensor<4x4xf32>
    %s0 = linalg.matmul ins(%a0, %0 : tensor<2x4xf32>, tensor<4x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
    %s = linalg.matmul ins(%a1, %1 : tensor<2x4xf32>, tensor<4x4xf32>) outs(%s0 : tensor<2x4xf32>) -> tensor<2x4xf32>
    ```

    **Rings of sums.** Where the terms that a product gives are reduced and
    scattered, and nothing else reads them, each device computes its terms of one
    block after the other, beginning with its neighbour's and ending with its own;
    the sum of a block so far comes from the neighbour meanwhile, and is added to.
    As many bytes are received as by the reduce-scatter, and blocks are held instead
    of all terms. A block's terms are added in the order in which it comes around:
    first those of the device whose own block is the one before, then of the one
    before that, and so on, those of the device that keeps it last.

    Example (test/Transforms/Schedule/ring-sums.mlir):

    ```mlir
    %y = linalg.matmul ins(%a, %b : tensor<8x2xf32>, tensor<2x4xf32>) outs(%z : tensor<8x4xf32>) -> tensor<8x4xf32>
    %s = collective.reduce_scatter %y from #shardir.placement<@m, [{}, {} ], partial = sum ["x"]> to
        #shardir.placement<@m, [{"x"}, {} ]> of tensor<8x4xf32> : tensor<8x4xf32> -> tensor<4x4xf32>
    // becomes, where %a1 are the other device's rows and %a0 the device's own,
    %0 = linalg.matmul ins(%a1, %b : tensor<4x2xf32>, tensor<2x4xf32>) outs(%z1 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = collective.exchange %0 from #shardir.placement<@m_ring1, [{"x"}, {} ]> to
        #shardir.placement<@m, [{"x"}, {} ]> of tensor<8x4xf32> : tensor<4x4xf32> -> tensor<4x4xf32>
    %2 = linalg.matmul ins(%a0, %b : tensor<4x2xf32>, tensor<2x4xf32>) outs(%z0 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = linalg.add %1 and %2
    ```

    `rings=auto` makes them where that is predicted to take less time: where
    collectives go on beside work (`overlap`), and there is enough of it.
    `rings=always` makes them wherever it can, which needs the least memory;
    `rings=never` makes none.
  }];
  let options = [
    Option<"rings", "rings", "std::string", "\"auto\"", "auto, always or never">,
    Option<"overlap", "overlap", "bool", "true", "Collectives go on beside work">,
    Option<"flops", "flops", "double", "5e10", "Of a device, in floating-point operations/s">,
    Option<"narrowFlops", "narrow-flops", "double", "5e10", "The same for operands of 16 bits or less">,
    Option<"launch", "launch", "double", "0", "Of an op, in seconds">,
    Option<"bandwidth", "bandwidth", "double", "1e10", "Of a device's memory, in bytes/s">,
    Option<"explain", "explain", "bool", "false", "Remarks: which operands and sums come around rings">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::shardir::collective::CollectiveDialect", "::shardir::ShardIRDialect",
  ];
}

#endif // SHARDIR_TRANSFORMS_SCHEDULE_PASSES_TD
