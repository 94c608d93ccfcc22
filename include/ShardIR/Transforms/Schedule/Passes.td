//===- Passes.td - The passes that end scheduling --------*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_SCHEDULE_PASSES_TD
#define SHARDIR_TRANSFORMS_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PipelineMicroBatches : Pass<"shardir-pipeline-micro-batches", "::mlir::ModuleOp"> {
  let summary = "Runs the micro-batches of a loop as 1F1B.";
  let description = [{
    A loop whose iterations take a micro-batch through the stages of a model, on
    meshes of different ranks, runs one micro-batch after the other: while one
    mesh works, the others wait. This pass begins the next micro-batches
    meanwhile. The work between two moves to other ranks is a *segment*; a
    micro-batch begins every `period` slots, as many as the busiest rank has
    segments. For a forward and a backward pass that is 1F1B: a mesh holds the
    activations of as many micro-batches as there are stages, however many
    micro-batches there are. A mesh with several stages of the model has them
    interleaved.

    A remark says how many segments there are, and how many micro-batches are in
    flight. A warning says why a loop stays as it is: too few micro-batches or
    an unknown number of them, or one that begins with what the one before it made
    on a later mesh.

    Example (test/Transforms/Schedule/pipeline-micro-batches.mlir):

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) {
      %f = ... %x[%i]                                   // on @first
      %g = collective.exchange %f from #first to #second
      %b = ... %g                                       // on @second
      %h = collective.exchange %b from #second to #first
      %next = ... %h, %f, %sum                          // on @first
    }
    // becomes
    %f0 = ... %x[0]
    %g0 = collective.exchange %f0 from #first to #second
    scf.for %i = %c0 to %c7 step %c1 iter_args(%sum = %zero, %f = %f0, ...) {
      %f1 = ... %x[%i + 1]
      ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def RecomputeToFit : Pass<"shardir-recompute-to-fit", "::mlir::ModuleOp"> {
  let summary = "Computes values again where keeping them exceeds the memory limit.";
  let description = [{
    A function that needs more than `memory-limit` at its peak drops values that
    are alive there and only used behind it, as activations are that a backward
    pass reads. In front of their first such user the ops that made them are
    repeated, on what is alive there anyway, behind a
    `shardir.optimization_barrier` that keeps the two computations apart. The
    value that saves most bytes per second of recomputation, by the machine's
    rates, comes first; after each one the peak is found again, until it is an
    eighth below the limit, as later stages add temporaries, or nothing helps. A
    recomputation that does not lower the peak is not made. Results count from the
    start, as their buffers do.

    Elementwise ops, reductions, products, changes of shape and gathers are
    repeated; other collectives and loops never are: what they made is kept. So is
    what a product or a gather made where the bytes are the better bargain. A weight that the program gathers
    again for the backward pass is no longer kept for a recomputation: that gather
    moves in front of it. Results are those of the program without it, bit by bit
    where later passes compile both computations alike.

    Where the machine describes a link to the host, a value may also be copied there
    behind its last user in front of the peak, and back in front of its first user behind
    it (`collective.host_copy`). That costs the seconds of the link which the work in
    between does not hide, beside the copies chosen before, and what the device's
    memory takes to read and write it. Of both ways the better bargain comes first
    (test/Transforms/Schedule/offload-to-fit.mlir). `overlap=false` says that no work
    hides copies.

    Before that, loops keep less. A scan over layers writes activations of each
    iteration to row `i` of a tensor, for the loop of the backward pass. Such a
    tensor is dropped, those that save most per second first, and each iteration
    of the reader repeats the ops of the one that made the row, on the rows that
    are kept (test/Transforms/Schedule/recompute-stacks.mlir).

    A remark says how many values are computed twice or copied and what that costs,
    and notes the five largest. The module's `shardir.recomputed` and
    `shardir.offloaded` have all of them for the report. A program within the limit stays as it is.

    Example (test/Transforms/Schedule/recompute-to-fit.mlir):

    ```mlir
    %h = math.tanh %x
    ...                                  // the peak
    %g = arith.mulf %d, %h
    // becomes
    %h = math.tanh %x
    ...
    %b = shardir.optimization_barrier %x
    %h1 = math.tanh %b
    %g = arith.mulf %d, %h1
    ```
  }];
  let options = [
    Option<"memoryLimit", "memory-limit", "int64_t", "0", "Bytes per device; 0 is no limit">,
    Option<"overlap", "overlap", "bool", "true", "Copies to the host go on beside work">,
  ];
  let dependentDialects = ["::shardir::ShardIRDialect", "::shardir::collective::CollectiveDialect"];
  let statistics = [
    Statistic<"numRecomputed", "recomputed",
              "values that are computed a second time">,
    Statistic<"numOffloaded", "offloaded",
              "values that are on the host meanwhile">,
  ];
}

def ScheduleCollectives : Pass<"shardir-schedule-collectives", "::mlir::ModuleOp"> {
  let summary = "Makes rings of collectives.";
  let description = [{
    The last choice of collectives: no later pass adds, removes or replaces one.
    Modules that are scheduled already, and those without collectives, stay as they
    are.

    **Rings of gathers.** An operand that is gathered for one op alone, a product
    or attention, need not be there in full. The op is tiled along the gathered
    dim: each device begins with its own block, and receives each other block from
    its neighbor during the work on the block before. If the op sums over the dim,
    blocks add to its accumulator (attention continues acc, max and sum); otherwise
    each block gives a slice of the result. A device receives as many bytes as by
    the gather, and holds two blocks of an operand instead of all.

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

    **Rings of sums.** If only a reduce-scatter reads the partial result of a
    product, each device computes its terms block by block, beginning with its
    neighbor's and ending with its own. Meanwhile it receives the sum so far of the
    next block from its neighbor, and adds to it. It receives as many bytes as by
    the reduce-scatter, and holds blocks instead of
    all terms. A block's terms are added in the order in which it comes around:
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

def CombineCollectives : Pass<"shardir-combine-collectives", "::mlir::ModuleOp"> {
  let summary = "Combines collectives of the same groups in buckets; the program is scheduled then.";
  let description = [{
    Collectives of one kind (all_reduce, reduce_scatter or all_gather), group,
    reduction and element type become one transfer: a *bucket*. They follow each
    other and carry the same number, `collective.bucket`. The runtime then waits
    once for the group, and sends all of them in the same messages, each from its
    own buffer to its own buffer: nothing is packed, so the bytes and the bits
    are those of single collectives, and shards may be uneven. Collectives on
    global tensors of unknown extents stay alone.

    1. A reduction whose operand has no other user moves up, after the op that
       makes the operand: its result takes the operand's memory. Elementwise ops
       that make the operand, and nothing else, move along.
    2. In program order, a collective joins the bucket of its kind if the shards
       of all together have at most `threshold` bytes, and if no op before it uses
       the result of one of them; otherwise it begins a new bucket.
    3. All move down to the last one.

    Example (test/Transforms/Schedule/combine-collectives.mlir):

    ```mlir
    %g1 = linalg.matmul ...
    %g2 = linalg.matmul ...
    %r1 = collective.all_reduce %g1 from #p to #q of tensor<8xf32> : tensor<8xf32> -> tensor<8xf32>
    %w1 = linalg.sub ins(%v1, %r1 : ...)
    %r2 = collective.all_reduce %g2 from #p to #q of tensor<8xf32> : tensor<8xf32> -> tensor<8xf32>
    // becomes
    %g1 = linalg.matmul ...
    %g2 = linalg.matmul ...
    %r1 = collective.all_reduce %g1 from #p to #q of tensor<8xf32> {collective.bucket = 0 : i64} : ...
    %r2 = collective.all_reduce %g2 from #p to #q of tensor<8xf32> {collective.bucket = 0 : i64} : ...
    %w1 = linalg.sub ins(%v1, %r1 : ...)
    ```

    `threshold` is in bytes on the device that has most: 0 combines nothing, and
    a negative one is derived from the links: the bytes whose transfer takes 10
    times as long as the latencies of an all_reduce, so that latency is
    about a tenth of the time. With `memory-limit`, a function that would need more
    than that, and more than before, stays as it is.

    Rings come first, and their exchanges are not combined. On the GPU a bucket
    goes on beside other work as one collective does, from the moment at which its
    last operand is ready.
  }];
  let options = [
    Option<"threshold", "threshold", "int64_t", "-1", "Bytes of a bucket; 0: none; below: from the links">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0", "Bytes per device; 0 is no limit">,
    Option<"explain", "explain", "bool", "false", "Remarks: which collectives travel together">,
  ];
  let dependentDialects = ["::shardir::collective::CollectiveDialect", "::shardir::ShardIRDialect"];
  let statistics = [
    Statistic<"numCombined", "combined",
              "collectives that travel with others">,
  ];
}

def OverlapCollectives
    : Pass<"shardir-overlap-collectives", "::mlir::func::FuncOp"> {
  let summary = "Let collectives go on beside work that does not need them";
  let description = [{
    A collective starts just early enough to be done when it is needed, by the
    predicted times of kernels and of the mesh's links, and moves past other
    collectives for that; the result's allocation moves up with the start. It is
    waited for before the first op that may touch its result or write to its
    operand. If work hides less than a quarter of its time, it stays in line. A
    buffer that is made by control flow or a call, or that has a symbol, is not
    followed. Copies to the host and back (`collective.host_copy`) are started
    likewise, in a sequence of their own.

    ```mlir
    %g = memref.alloc() : memref<8xf32>      // the weight of this layer
    collective.all_gather %w into %g … : memref<4xf32>, memref<8xf32>
    gpu.launch … { // this layer, reads %g }
    %h = memref.alloc() : memref<8xf32>      // the weight of the next layer
    collective.all_gather %v into %h … : memref<4xf32>, memref<8xf32>
    gpu.launch … { // the next layer, reads %h }
    ```
    becomes
    ```mlir
    %g = memref.alloc() : memref<8xf32>
    collective.all_gather %w into %g … : memref<4xf32>, memref<8xf32>
    %h = memref.alloc() : memref<8xf32>
    collective.all_gather %v into %h … {collective.start} : memref<4xf32>, memref<8xf32>
    gpu.launch … { // this layer, reads %g }
    collective.wait %h : memref<8xf32>
    gpu.launch … { // the next layer, reads %h }
    ```

    What this adds to the memory is what is under way: results from their starts
    on, and operands that are freed behind the collective until it should be
    done. With a `memory-limit` neither is done where more bytes would be alive
    than that, or where this is not known.
    Tests: `test/Transforms/Schedule/overlap-collectives.mlir` and
    `overlap-host-copies.mlir`.
  }];
  let options = [
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "Bytes that a device may hold; 0 for no limit">
  ];
  let dependentDialects = ["::shardir::collective::CollectiveDialect"];
}

#endif // SHARDIR_TRANSFORMS_SCHEDULE_PASSES_TD
