//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of the stages annotated to collective to local, in the order of
// docs/Pipeline.md; the first of them are those of PropagationPasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_PASSES_TD
#define SHARDIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "ShardIR/Transforms/PropagationPasses.td"

//===----------------------------------------------------------------------===//
// propagated -> redistributed
//===----------------------------------------------------------------------===//

def EraseUnused : Pass<"shardir-erase-unused", "::mlir::ModuleOp"> {
  let summary = "Erases pure ops whose results nobody uses.";
  let description = [{
    Chains of such ops go at once, so that nothing is moved for them.

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
  let summary = "Makes every change of placement one `shardir.redistribute`.";
  let description = [{
    Requires the propagated stage. Every op's operands then agree with its
    results under its rule. Fresh tensors (constants, empty, fill) are cloned
    per placement instead of moved (R5); equal redistributions of one value are
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
  let summary = "Lowers what redistributions move, by fewer, shared and better placed ones.";
  let description = [{
    Requires the redistributed stage and keeps it; uses the patterns of
    Transforms/Patterns.h. Chains collapse, what has its placement already goes
    (placements are compared in normal form, P8), redistributions of one value are
    shared or start from one another, and a redistribution moves to the side of
    an op where it costs less, terms of sums included. docs/Pipeline.md has the
    rules. Gathers of arguments are repeated per region of use, unless
    `share-gathers` keeps them for all uses; with a `memory-limit` only while
    the predicted peak stays within it.

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

//===----------------------------------------------------------------------===//
// redistributed -> collective
//===----------------------------------------------------------------------===//

def RedistributeToCollectives : Pass<"shardir-redistribute-to-collectives", "::mlir::ModuleOp"> {
  let summary = "Makes each redistribution a chain of collectives and local slices.";
  let description = [{
    Materialises the plan of Placement/RedistributePlan.h. Running it twice
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
}

//===----------------------------------------------------------------------===//
// collective -> local
//===----------------------------------------------------------------------===//

def Localize : Pass<"shardir-localize", "::mlir::ModuleOp"> {
  let summary = "Rewrites whole tensors to shards: one SPMD function.";
  let description = [{
    Requires the collective stage and concrete meshes. The rank enters through
    `shardir.axis_index`; extents that differ among devices become `?`. Adds no
    communication (D6). Arguments and results keep their placement and gain
    `shardir.global_type`.

    Example (test/Transforms/Localize/localize.mlir):

    ```mlir
    %0 = math.exp %x : tensor<8x16xf32>   // rows over dp=2
    // becomes
    %0 = math.exp %x : tensor<4x16xf32>
    ```
  }];
  let dependentDialects = [
    "::shardir::ShardIRDialect", "::shardir::collective::CollectiveDialect",
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
  ];
}

//===----------------------------------------------------------------------===//
// local -> scheduled
//===----------------------------------------------------------------------===//

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

def RingGathers : Pass<"shardir-ring-gathers", "::mlir::ModuleOp"> {
  let summary = "Works on blocks of gathered operands as they come around a ring.";
  let description = [{
    An operand that is gathered for one op alone, a product or attention, need not
    be there as a whole: the op is tiled along the gathered dim, each device
    begins with its own block, and the others come from its neighbour, one after
    the other, while the one before is worked on. Products add up in what the op
    accumulates in (attention continues acc, max and sum), or each block's part of
    the result is put in its place. As many bytes are received as by the gather,
    and two blocks of an operand are held instead of all.

    `mode=auto` does so where it is predicted to take less time: where
    collectives go on beside work (`overlap`), and there is enough of it.
    `mode=always` does it wherever it can, which needs the least memory.

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
  }];
  let options = [
    Option<"mode", "mode", "std::string", "\"auto\"", "auto, always or never">,
    Option<"overlap", "overlap", "bool", "true", "Collectives go on beside work">,
    Option<"flops", "flops", "double", "5e10", "Of a device, in floating-point operations/s">,
    Option<"narrowFlops", "narrow-flops", "double", "5e10", "The same for operands of 16 bits or less">,
    Option<"launch", "launch", "double", "0", "Of an op, in seconds">,
    Option<"explain", "explain", "bool", "false", "Remarks: which operands come around rings">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::shardir::collective::CollectiveDialect", "::shardir::ShardIRDialect",
  ];
}

def RingSums : Pass<"shardir-ring-sums", "::mlir::ModuleOp"> {
  let summary = "Computes terms of a reduce-scatter block by block as sums come around a ring.";
  let description = [{
    Where the terms that a product gives are reduced and scattered, and nothing
    else reads them, each device computes its terms of one block after the other,
    beginning with its neighbour's and ending with its own; the sum of a block so
    far comes from the neighbour meanwhile, and is added to. As many bytes are
    received as by the reduce-scatter, and blocks are held instead of all terms.

    A block's terms are added in the order in which it comes around: first those
    of the device whose own block is the one before, then of the one before that,
    and so on, those of the device that keeps it last. Modes and options
    are those of `shardir-ring-gathers`; `bandwidth` is what adding costs.

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
  }];
  let options = [
    Option<"mode", "mode", "std::string", "\"auto\"", "auto, always or never">,
    Option<"overlap", "overlap", "bool", "true", "Collectives go on beside work">,
    Option<"flops", "flops", "double", "5e10", "Of a device, in floating-point operations/s">,
    Option<"narrowFlops", "narrow-flops", "double", "5e10", "The same for operands of 16 bits or less">,
    Option<"launch", "launch", "double", "0", "Of an op, in seconds">,
    Option<"bandwidth", "bandwidth", "double", "1e10", "Of a device's memory, in bytes/s">,
    Option<"explain", "explain", "bool", "false", "Remarks: which sums come around rings">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::shardir::collective::CollectiveDialect", "::shardir::ShardIRDialect",
  ];
}

//===----------------------------------------------------------------------===//
// local -> bufferized
//===----------------------------------------------------------------------===//

def LowerGlobals : Pass<"shardir-lower-globals", "::mlir::ModuleOp"> {
  let summary = "Gives each rank its own copy of a program's mutable globals.";
  let description = [{
    A mutable `ml_program.global` becomes a buffer with one row for each rank,
    which keeps its value from call to call. A load copies the rank's row where it
    stands, a store copies to it. An error where a global has no value in the
    module.

    Example (test/Transforms/Bufferize/lower-globals.mlir):

    ```mlir
    ml_program.global private mutable @seed(dense<7> : tensor<i64>) : tensor<i64>
    // on 4 ranks becomes
    memref.global "private" @seed : memref<4xi64> = dense<7> {alignment = 64 : i64}
    ```
  }];
  let dependentDialects = [
    "::shardir::ShardIRDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
  ];
}

def Bufferize : Pass<"shardir-bufferize", "::mlir::ModuleOp"> {
  let summary = "Turns local tensors into buffers.";
  let description = [{
    Entries (public functions) take buffers for arguments, which are never
    written, then buffers for results, marked `shardir.result`, and return
    nothing. Collectives read and write contiguous buffers. Every buffer that
    the program allocates is freed. Scalars travel as buffers of rank 0.

    Example (test/Transforms/Bufferize/entries.mlir):

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: memref<4xf32> {shardir.global_type = tensor<4xf32>},
                    %r: memref<4xf32> {shardir.global_type = tensor<4xf32>, shardir.result}) {
      memref.copy %x, %r : memref<4xf32> to memref<4xf32>
      return
    }
    ```
  }];
}

//===----------------------------------------------------------------------===//
// All stages
//===----------------------------------------------------------------------===//

def Report : Pass<"shardir-report", "::mlir::ModuleOp"> {
  let summary = "Writes what moves, why, and what each device holds.";
  let description = [{
    `file=r.json` writes the report of docs/Report.md; `file=-` prints it;
    `embed` keeps it on the module as `shardir.report`, for the compiled program
    to carry. Any stage from propagated on.

    Example (test/Transforms/Report/report.mlir):

    ```mlir
    %1 = collective.all_reduce %0 from P to Q : tensor<8x32xf32>
    // is reported as
    // {"kind": "all_reduce", "axes": ["tp"], "group_size": 4, "bytes_per_device": 1536, ...}
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "", "where to write; - for standard output">,
    Option<"embed", "embed", "bool", "false", "keep it on the module">,
    Option<"renew", "renew", "bool", "false",
           "name the collectives that rings have made in what the module keeps">,
  ];
}

def Explain : Pass<"shardir-explain", "::mlir::ModuleOp"> {
  let summary = "Says why, as remarks at the places in the source.";
  let description = [{
    Of each value where it lies, which annotation decided that and through which
    ops, and what was compared where placements competed. Of each collective what
    it receives, who asked for it, what was compared, and the way to do without.
    Any stage from propagated to collective.

    Example (test/Transforms/Report/explain.mlir):

    ```mlir
    %1 = collective.all_reduce %0 from P to Q : tensor<8x32xf32>
    // remark: all_reduce over "tp": a device receives 1536 bytes; result 0 of
    // @main is placed so: reduces the sum over "tp"; ...
    ```
  }];
  let options = [
    Option<"values", "values", "bool", "true", "explain placements of values">,
    Option<"collectives", "collectives", "bool", "true", "explain collectives">,
  ];
}

def CheckMemory : Pass<"shardir-check-memory", "::mlir::ModuleOp"> {
  let summary = "Holds the peak of memory against a limit.";
  let description = [{
    `limit` is in bytes per device; 0 is no limit. The error names the op at the
    peak, which is predicted for tensors and counted for buffers, where extents
    are known.

    Example (test/Transforms/Report/check-memory.mlir):

    ```mlir
    // with limit=100
    %1 = math.exp %0 : tensor<8x16xf32>
    // error: needs 1024 bytes at one time on a device, above the memory limit of 100
    ```
  }];
  let options = [Option<"limit", "limit", "int64_t", "0", "bytes per device">];
}

def VerifyStage : Pass<"shardir-verify-stage", "::mlir::ModuleOp"> {
  let summary = "Checks what a stage promises.";
  let description = [{
    `stage=propagated`, `redistributed`, `collective`, `local`, `bufferized`.
    The pipelines run it between stages.

    Example (test/Transforms/Stages/verify-stage.mlir):

    ```mlir
    %0 = math.exp %x : tensor<8xf32>  // error: the propagated stage needs 'shardir.placements' here
    ```
  }];
  let options = [Option<"stage", "stage", "std::string", "\"propagated\"", "the stage">];
}

#endif // SHARDIR_TRANSFORMS_PASSES_TD
