//===- Passes.td - Passes that make CPU code ---------------*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes between a rank's linalg program and LLVM dialect, in the order in
// which the pipelines run them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_LINALGTOCPU_PASSES
#define SHARDIR_CONVERSION_LINALGTOCPU_PASSES

include "mlir/Pass/PassBase.td"

def SortRowsByGroup : Pass<"shardir-sort-rows-by-group", "::mlir::func::FuncOp"> {
  let summary = "Have the rows of each group lie side by side";
  let description = [{
    Rows that each choose a matrix are multiplied group by group: a device sorts
    its rows by their choice, once for all products of it, and computes what is
    computed row by row between them on the sorted rows.

    ```mlir
    %chosen = linalg.generic {…groupOf[m] == g ? x[m, k] : 0…} ins(%x, %groupOf)
    %0 = linalg.generic {…sum over g and k…} ins(%chosen, %w) outs(%init)
    ```
    becomes
    ```mlir
    %sorted:2 = shardir.sort %groupOf, %numbers : … dim = 0 {…}
    %rows = linalg.generic {…tensor.extract %x[sorted[m], k]…} ins(%sorted#1)
    %own = linalg.generic {…from[g] <= m < to[g] ? rows[m, k] : 0…} ins(%rows, %from, %to)
    %product = linalg.generic {…sum over g and k…} ins(%own, %w) outs(%init)
    %0 = linalg.generic {…tensor.extract %product[places[m], n]…} ins(%places)
    ```
    where `%from` and `%to` count the rows of smaller groups, and `%places` is
    where the sort put each row.

    Stage: local, on tensors, behind `shardir-fuse-for-cpu`.

    Test: `test/Conversion/LinalgToCPU/sort-rows-by-group.mlir`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::shardir::ShardIRDialect"];
}

def RowGroupsToLoops : Pass<"shardir-row-groups-to-loops", "::mlir::func::FuncOp"> {
  let summary = "Multiply the rows of each group alone";
  let description = [{
    A contraction, one factor of which is zero outside of the rows of a group,
    becomes a loop over groups. Experts with as many tokens as chose them are
    such products (`jax.lax.ragged_dot`, `torch._grouped_mm`).

    ```mlir
    %masked = linalg.generic {…from[g] <= m < to[g] ? x[m, k] : 0…} ins(%x, %from, %to)
    %0 = linalg.generic {…sum over g and k…} ins(%masked, %w) outs(%init)
    ```
    becomes
    ```mlir
    %0 = scf.for %g = … iter_args(%sums = %init) {
      %rows = tensor.extract_slice %x[%from_g, 0] [%count_g, …] [1, 1]
      %weights = tensor.extract_slice %w[%g, 0, 0] [1, …] [1, 1, 1]
      %own = tensor.extract_slice %sums[%from_g, 0] [%count_g, …] [1, 1]
      %product = linalg.generic {…sum over k…} ins(%rows, %weights) outs(%own)
      %next = tensor.insert_slice %product into %sums[%from_g, 0] …
      scf.yield %next
    }
    ```

    Stage: local, on tensors, behind `shardir-fuse-for-cpu`. A weight that is
    infinite or not a number does not reach rows of other groups.

    Test: `test/Conversion/LinalgToCPU/row-groups-to-loops.mlir`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SortsToKeys : Pass<"shardir-sorts-to-keys", "::mlir::func::FuncOp"> {
  let summary = "Sort integer keys and places instead of elements";
  let description = [{
    A `shardir.sort` whose region compares one function of the left elements with
    the same function of the right ones computes that function once for each
    element, as an integer whose order is that of the sort. These integers and
    the places of the elements are sorted, and the results read the tensors at
    the places. A float is the integer of its bits, where -0.0 is 0.0 and NaN is
    greater than all numbers.

    Other comparators stay, and so does a tensor of integers that are compared
    with `<`, alone or with one other tensor.

    ```mlir
    %0:2 = shardir.sort %k, %v : tensor<9xf32>, tensor<9xf64> dim = 0 {…arith.cmpf olt…}
    ```
    becomes
    ```mlir
    %keys = linalg.generic {…} ins(%k) {…bits in the order of integers…} -> tensor<9xi32>
    %sorted:2 = shardir.sort %keys, %places : tensor<9xi32>, tensor<9xi32> dim = 0 {…arith.cmpi slt…}
    %values = linalg.generic {…} ins(%sorted#1) {…tensor.extract %v[place]…} -> tensor<9xf64>
    ```
    Test: `test/Conversion/LinalgToCPU/sorts-to-keys.mlir`.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def IndexedOpsToLoops
    : Pass<"shardir-indexed-ops-to-loops", "::mlir::func::FuncOp"> {
  let summary = "Lower shardir.scatter and shardir.sort to loops";
  let description = [{
    A `shardir.scatter` becomes loops over its rows, in order, each of which
    combines one window in place. A `shardir.sort` becomes a merge sort of each
    row along the sorted dim; with `parallel` the rows are an `scf.forall`. With
    `radix`, rows of 16 or more elements whose first tensor holds integers that
    are compared with `<` are sorted by their bytes instead. Where slices read
    only a few first elements of each row, these are selected: each element of the
    row that belongs among them is inserted in its place.

    ```mlir
    %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x1xi64>) outs(%x : tensor<4x6xf32>) index_dims = [0] {…}
    ```
    becomes
    ```mlir
    %0 = scf.for %row = %c0 to %c5 step %c1 iter_args(%y = %x) -> (tensor<4x6xf32>) {
      …the index of the row; if it is in bounds:
      %old = tensor.extract_slice %y[%index, 0] [1, 6] [1, 1]
      %new = linalg.generic {…} ins(%window) outs(%old) {…}
      tensor.insert_slice %new into %y[%index, 0] [1, 6] [1, 1]
    }
    ```
    Test: `test/Conversion/LinalgToCPU/indexed-ops-to-loops.mlir`.
  }];
  let options = [
    Option<"parallel", "parallel", "bool", "false", "Sort rows in an scf.forall">,
    Option<"radix", "radix", "bool", "false", "Sort by bytes of integers">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def DecomposeForCpu : Pass<"shardir-decompose-for-cpu", "::mlir::func::FuncOp"> {
  let summary = "Rewrite tensor ops that neither bufferize nor lower to loops";
  let description = [{
    Turns what later stages have no lowering for into linalg and plain tensor
    ops: `linalg.softmax`, `linalg.pack`, `linalg.unpack`, `tensor.concat`,
    `tensor.gather`, `tensor.bitcast`, and elementwise `arith` and `math` ops on
    tensors. Powers of 2 to 4 become products. Operands and results of linalg
    ops that nothing uses are dropped. A convolution of a tensor with zeros
    between its elements, as the gradient of a strided one's input, is split by
    the residue of its results' positions modulo the stride; none of these
    convolutions reads the zeros. Everything else is left alone.

    ```mlir
    %0 = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<5xf32>
    %1 = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<5xf32>
    %0 = tensor.insert_slice %b into %1[2] [3] [1] : tensor<3xf32> into tensor<5xf32>
    ```
    Tests: `test/Conversion/LinalgToCPU/decompose.mlir` and
    `test/Conversion/LinalgToCPU/dilated-convolutions.mlir`.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::scf::SCFDialect"];
}

def PackConvolutionsForCpu
    : Pass<"shardir-pack-convolutions-for-cpu", "::mlir::func::FuncOp"> {
  let summary = "Copy convolutions' filters into the order they are read in";
  let description = [{
    A convolution of static shape, by any op or `linalg.generic` that is one, reads
    a copy of its filter in which the features of a few vectors are neighbours,
    panel by panel, as products pack their right operand. An input whose pixels are
    neighbours is transposed, so that its channels are, and the result transposed
    back. Grouped and depthwise convolutions are left, and those whose features are
    no multiple of a vector.

    ```mlir
    %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<8x30x30x64xf32>, tensor<3x3x64x128xf32>) …
    ```
    becomes for AVX2
    ```mlir
    %packed = linalg.generic {…} ins(%w) outs(%e : tensor<8x3x3x64x16xf32>)
    %1 = linalg.generic {…} ins(%x, %packed) outs(%f : tensor<8x28x28x8x16xf32>)
    %0 = tensor.collapse_shape %1 … into tensor<8x28x28x128xf32>
    ```
    Test: `test/Conversion/LinalgToCPU/pack-convolutions.mlir`.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "The CPU: host, or a target of docs/Performance.md">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::affine::AffineDialect"];
}

def FuseForCpu : Pass<"shardir-fuse-for-cpu", "::mlir::func::FuncOp"> {
  let summary = "Fuse elementwise linalg ops where that saves memory traffic";
  let description = [{
    Fuses all-parallel producers into the linalg ops that use them, so that
    intermediate tensors are never written. A producer with several users is
    copied into them only where computing it again is cheaper than writing and
    loading it: a cast, or exponentials of bf16 that far users read in f32. One
    with expensive math is never put where it would be computed more than once
    per element. What `tensor.extract` reads of an elementwise op is computed
    there, if that is all that is needed of it. An op whose result the function
    returns joins the elementwise op that reads it, which has both results.
    Contractions stay recognisable: only transposes and widening casts are fused
    into them. Ops other than linalg's are barriers.

    ```mlir
    %0 = linalg.generic {…} ins(%a, %b) outs(%e) { …mulf… }
    %1 = linalg.generic {…} ins(%0, %c) outs(%e) { …addf… }
    ```
    becomes
    ```mlir
    %1 = linalg.generic {…} ins(%a, %b, %c) outs(%e) { …mulf… …addf… }
    ```
    Test: `test/Conversion/LinalgToCPU/fuse-for-cpu.mlir`.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::affine::AffineDialect"];
}

def ComplexToParts : Pass<"shardir-complex-to-parts", "::mlir::func::FuncOp"> {
  let summary = "Compute complex numbers by their real and imaginary parts";
  let description = [{
    A complex tensor becomes two tensors of floats, through linalg and tensor ops
    and control flow; ops of other dialects, such as collectives, keep complex
    tensors. A sum of products becomes one real sum of twice the terms and
    results, which has the schedules of real products, and other bodies become
    arithmetic on parts, which vectorizes. Products of fewer than 2048
    multiply-adds, and those that use an element less than 8 times, as those of a
    matrix and a vector, stay one loop.

    ```mlir
    %0 = linalg.matmul ins(%a, %b : tensor<64x64xcomplex<f32>>, tensor<64x64xcomplex<f32>>) outs(%c)
    ```
    becomes, with both parts of one factor below each other and (re, -im) and
    (im, re) of the other one,
    ```mlir
    %1 = linalg.generic {…} ins(%x, %y) outs(%z) { …sum of real products… }
    ```
    Stage: local, on tensors, behind `shardir-fuse-for-cpu`, which runs once more
    on what changed.

    Test: `test/Conversion/LinalgToCPU/complex-to-parts.mlir`.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def TileForCpu : Pass<"shardir-tile-for-cpu", "::mlir::func::FuncOp"> {
  let summary = "Compute chains with row reductions some rows at a time";
  let description = [{
    A chain of elementwise ops and reductions along rows, such as softmax or
    layer normalisation, is computed for one group of rows after the other in a
    `scf.forall`, if its intermediate tensors are too large for caches. Each
    element is still computed once: producers that other ops read too, and those
    that do not run along the rows, stay outside. Reductions lose the dims of
    extent 1 that they keep of what they reduce.

    ```mlir
    %m = linalg.generic {…row maximum…} ins(%x : tensor<4096x4096xf32>) …
    %e = linalg.generic {…exp(x - m)…} …
    %s = linalg.generic {…row sum…} ins(%e) …
    %r = linalg.generic {…e / s…} …
    ```
    becomes
    ```mlir
    %r = scf.forall (%i) = (0) to (4096) step (2) shared_outs(%o = …) {
      %rows = tensor.extract_slice %x[%i, 0] [2, 4096] [1, 1]
      …the four ops on two rows…
      scf.forall.in_parallel { tensor.parallel_insert_slice … into %o[%i, 0] … }
    }
    ```
    Test: `test/Conversion/LinalgToCPU/tile-for-cpu.mlir`.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def TileAttentionForCpu
    : Pass<"shardir-tile-attention-for-cpu", "::mlir::func::FuncOp"> {
  let summary = "Compute attention in tiles whose scores stay in caches";
  let description = [{
    A large `kernel.attention`, or one part of those that carry on each other's
    sums, becomes an `scf.forall` over batches and tiles of rows, with an `scf.for`
    over tiles of columns that carries acc, max and sum. A large `kernel.attention_backward`
    becomes an `scf.forall` over batches, with loops over tiles of rows and columns
    that carry all three gradients. Small ones are left: caches hold their scores.

    ```mlir
    %0:3 = kernel.attention … ins(%q, %k, %v : tensor<16x1024x64xf32>, …)
    ```
    becomes
    ```mlir
    %0:3 = scf.forall (%h, %m) = (0, 0) to (16, 1024) step (1, 128) shared_outs(…) {
      %1:3 = scf.for %n = %c0 to %c1024 step %c256 iter_args(%acc = %zero, %max = %low, %sum = %zero) {
        %2:3 = kernel.attention … ins(%q_tile, %k_tile, %v_tile : tensor<1x128x64xf32>, …) outs(%acc, %max, %sum)
        scf.yield %2#0, %2#1, %2#2
      }
      …
    }
    ```
    Tests: `test/Conversion/LinalgToCPU/tile-attention.mlir`,
    `test/Conversion/LinalgToCPU/tile-attention-backward.mlir`.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def OutlineCpuKernels
    : Pass<"shardir-outline-cpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Move each loop nest into a function; equal ones share it";
  let description = [{
    Every linalg op on memrefs, and every outermost `scf.forall`, becomes a call
    of a private function that holds it. Nests that are equal up to the values
    they use share one function, so that the layers of a model are compiled
    once, and LLVM never sees one function of a model's size. Ops
    without loops stay where they are.

    ```mlir
    linalg.fill ins(%c : f32) outs(%a : memref<8xf32>)
    linalg.fill ins(%c : f32) outs(%b : memref<8xf32>)
    ```
    becomes
    ```mlir
    call @main_kernel_0(%a) : (memref<8xf32>) -> ()
    call @main_kernel_0(%b) : (memref<8xf32>) -> ()
    ```
    Test: `test/Conversion/LinalgToCPU/outline-cpu-kernels.mlir`.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def ContractionsToCpuLoops
    : Pass<"shardir-contractions-to-cpu-loops", "::mlir::func::FuncOp"> {
  let summary = "Lower large contractions to packed, register-tiled loops";
  let description = [{
    Every linalg op on memrefs that is a sum of products of floats or of i8 and
    is large enough becomes loops over blocks of k, packed rows of A, packed
    panels of B and register tiles, in vectors of the target's width. Operands may be
    transposed or have several batch, row, column and reduction dims; loops that
    are one in memory are merged. Extents may be ragged or unknown. Independent
    chunks are `scf.forall` loops, whose number does not depend on how many
    threads there will be. A `linalg.fill` with zero right before is taken into
    the first block of k. Operands in bf16 and f16 are widened while they are
    packed, where the target does not multiply them as they are. With `explain` a
    remark names the schedule of each (docs/Performance.md), and the function
    has it as `shardir.schedule`, for the report.

    ```mlir
    linalg.matmul ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>)
                  outs(%c : memref<512x512xf32>)
    ```
    becomes, in outline, for AVX-512
    ```mlir
    %rows = memref.alloc() : memref<512x512xf32>
    scf.forall (%g) in (8) { …copy 11 tiles of 6 rows of %a… }
    scf.forall (%p) in (8) {
      %panel = memref.alloc() : memref<512x64xf32>
      …copy 64 columns of %b…
      scf.for %t = … {
        %sums:24 = scf.for %k = %c0 to %c512 step %c1 iter_args(…) { …vector.fma… }
        …vector.store…
      }
    }
    ```
    Test: `test/Conversion/LinalgToCPU/contractions.mlir`.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "The CPU: host, or a target of docs/Performance.md">,
    Option<"explain", "explain", "bool", "false",
           "Remarks: how each contraction is computed">,
    Option<"plan", "plan", "std::string", "",
           "Tile sizes: tile_m=8,tile_n=32">,
    Option<"kernelTimes", "kernel-times", "std::string", "",
           "A file of measured times, whose plans are taken where it has the "
           "product and no plan is given">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def VectorizeForCpu
    : Pass<"shardir-vectorize-for-cpu", "::mlir::func::FuncOp"> {
  let summary = "Lower elementwise ops and reductions to loops over vectors";
  let description = [{
    Linalg ops on memrefs whose bodies consist of elementwise ops become loops
    over vectors of the target's width. The loop that becomes lanes is the one
    along which memory accesses cost least, parallel or reduction; a reduction
    keeps several vectors of partial results. Ends are masked, so ragged and
    unknown extents need no scalar remainder. Reads of captured memrefs become
    row loads where their lanes are neighbours, branches become selects. Inputs
    that lie across the result are transposed in blocks on the stack. Outer
    iterations are `scf.forall` loops where the work is worth several threads.
    Ops that gain nothing are left.

    ```mlir
    linalg.generic {…} ins(%a : memref<40xf32>) outs(%b : memref<40xf32>) {
    ^bb0(%x: f32, %o: f32):
      %y = arith.negf %x : f32
      linalg.yield %y : f32
    }
    ```
    becomes for AVX-512
    ```mlir
    scf.for %i = %c0 to %c32 step %c16 {
      %x = vector.load %flat_a[%i] : memref<40xf32, strided<[1]>>, vector<16xf32>
      %y = arith.negf %x : vector<16xf32>
      vector.store %y, %flat_b[%i] : memref<40xf32, strided<[1]>>, vector<16xf32>
    }
    …the same masked to 8 lanes…
    ```
    Test: `test/Conversion/LinalgToCPU/vectorize-for-cpu.mlir`.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "The CPU: host, or a target of docs/Performance.md">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def OutlineParallelLoops
    : Pass<"shardir-outline-parallel-loops", "::mlir::ModuleOp"> {
  let summary = "Turn forall loops into calls of the runtime's parallel loop";
  let description = [{
    The body of every outermost `scf.forall` without results becomes a function
    of the iteration and a pointer to what the body captures, and the loop a
    call of `shardir_parallel_for`, which runs the iterations on as many threads
    as the rank may use. Loops inside other ones, and all of them under
    `serial`, become `scf.for`.

    ```mlir
    scf.forall (%i) in (%n) { memref.store %v, %m[%i] : memref<?xf32> }
    ```
    becomes
    ```mlir
    llvm.store %m_descriptor, %context : …
    %body = constant @main_body_0 : (i64, !llvm.ptr) -> ()
    llvm.call @shardir_parallel_for(%n, %body, %context)
    …
    func.func private @main_body_0(%i: i64, %context: !llvm.ptr) {…}
    ```
    Test: `test/Conversion/LinalgToCPU/outline-parallel-loops.mlir`.
  }];
  let options = [
    Option<"serial", "serial", "bool", "false", "Use the calling thread alone">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpandMathForCpu : Pass<"shardir-expand-math-for-cpu", "::mlir::ModuleOp"> {
  let summary = "Replace math functions by polynomials and exact library calls";
  let description = [{
    Functions of f32 vectors become polynomials that are computed in all lanes,
    with errors of a few units in the last place and the special values of the
    library's functions; angles and remainders are computed in f64. Scalars, f64
    and the functions that have no good polynomial keep calling libm;
    `math.expm1` and `math.log1p` do so before other lowerings make them
    exp(x)-1 and log(1+x), which are wrong for small arguments.

    ```mlir
    %y = math.exp %x : vector<16xf32>
    ```
    becomes
    ```mlir
    %k = math.floor %scaled : vector<16xf32>
    …
    %y = arith.select %in_range, %product, %special : vector<16xi1>, vector<16xf32>
    ```
    With AVX-512 the exponential ends in `vscalefps`: errors are below one unit
    in the last place.
    Test: `test/Conversion/LinalgToCPU/expand-math-for-cpu.mlir`.
  }];
  let options = [
    Option<"avx512", "avx512", "bool", "false",
           "Scale by powers of two with AVX-512's instruction">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandFloat8 : Pass<"shardir-expand-float8"> {
  let summary = "Spell out conversions from and to floats of eight bits";
  let description = [{
    `arith.extf` from and `arith.truncf` to f8E4M3FN and f8E5M2, of scalars and
    vectors, become integer arithmetic and exact operations of f32. Narrowing
    rounds to nearest even, as the runtime does: too large a number is infinity in
    f8E5M2 and NaN in f8E4M3FN, which has no infinity. From f64 it rounds to f32
    first. Other arithmetic on these types is emulated in f32 before.

    ```mlir
    %y = arith.extf %x : f8E5M2 to f32
    ```
    becomes
    ```mlir
    %b = arith.bitcast %x : f8E5M2 to i8
    %w = arith.extui %b : i8 to i16
    %s = arith.shli %w, %c8_i16 : i16
    %h = arith.bitcast %s : i16 to f16
    %y = arith.extf %h : f16 to f32
    ```
    Test: `test/Conversion/LinalgToCPU/expand-float8.mlir`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // SHARDIR_CONVERSION_LINALGTOCPU_PASSES
