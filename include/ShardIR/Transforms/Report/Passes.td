//===- Passes.td - Passes that describe a program ----------*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_REPORT_PASSES_TD
#define SHARDIR_TRANSFORMS_REPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def Report : Pass<"shardir-report", "::mlir::ModuleOp"> {
  let summary = "Writes the report: collectives with their reasons, placements and memory.";
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
  ];
}

def Explain : Pass<"shardir-explain", "::mlir::ModuleOp"> {
  let summary = "Explains placements and collectives, in remarks at their places in the source.";
  let description = [{
    Of each value: its placement, the annotation that decided it and the ops on
    the way, and the placements that competed. Of each collective: the bytes that
    a device receives, its users, the alternatives, and a way to avoid it.
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
  let summary = "Checks the peak of memory against a limit.";
  let description = [{
    `limit` is in bytes per device; 0 is no limit. The error names the op at the
    peak, which is predicted for tensors and counted for buffers, where extents
    are known. Notes name the five largest values alive there: their location,
    bytes and provenance, and what a split over a free axis would save. Up to
    stage *collective* they also say what recomputing a value after the peak would
    save, unless `shardir-recompute-to-fit` has run (`recomputed`). Values of a
    loop's body count as alive together; if buffers, which may share memory, are
    checked later (`checked-again`), values end at their last use.

    Example (test/Transforms/Report/check-memory.mlir):

    ```mlir
    // with limit=100
    %1 = math.exp %0 : tensor<8x16xf32>
    // error: 'math.exp' needs 1024 bytes at one time on a device, above the memory limit of 100
    // note: 512 bytes: argument 0 of @main ("x"), 'tensor<16x16xf32>', ...
    ```
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "0", "bytes per device">,
    Option<"recomputed", "recomputed", "bool", "false",
           "shardir-recompute-to-fit has run with this limit">,
    Option<"checkedAgain", "checked-again", "bool", "false",
           "The program's buffers are checked, too">
  ];
}

#endif // SHARDIR_TRANSFORMS_REPORT_PASSES_TD
