// Grouped products: each group of rows has weights of its own, and bounds that are known when the program runs. As PTX on an emulated GPU.
// DEFINE: %{function} =
// DEFINE: %{bounds} =
// DEFINE: %{plan} = tile_n=64
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=sm_90a schedule=ws_gemm plan=%{plan}" --verify --tolerance=0 --function=%{function} %{bounds}
// A group ends within a tile, one has no rows, rows behind the last group are zero.
// REDEFINE: %{function} = four
// REDEFINE: %{bounds} = --input=4xi32=0,100,120,120 --input=4xi32=100,120,120,300
// RUN: %{run}
// REDEFINE: %{plan} = tile_n=256
// RUN: %{run}
// Rows of two groups; bounds outside of the rows; groups without any row.
// REDEFINE: %{bounds} = --input=4xi32=-5,64,300,10 --input=4xi32=70,200,1000,10
// RUN: %{run}
// REDEFINE: %{bounds} = --input=4xi32=9 --input=4xi32=3
// RUN: %{run}
// More groups than a warp has lanes; neither rows nor k fill a tile.
// REDEFINE: %{function} = many
// REDEFINE: %{bounds} = --input=40xi64=0,0,13,14,44,51,51,51,73,73,86,87,117,124,124,124,146,146,159,160,190,197,197,197,219,219,232,233,263,270,270,270,292,292,305,306,336,343,343,343 --input=40xi64=0,13,14,44,51,51,51,73,73,86,87,117,124,124,124,146,146,159,160,190,197,197,197,219,219,232,233,263,270,270,270,292,292,305,306,336,343,343,343,365
// RUN: %{run}
// Of tcgen05, whose warp sets other groups' rows to 0 before it multiplies: of 12 pairs of groups and tiles 5 have steps.
// DEFINE: %{tensors} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=capability=100 shard-run %s --device=cuda-local --options="arch=sm_100a schedule=tcgen05_gemm plan=%{plan}" --verify --tolerance=0 --function=%{function} %{bounds}
// RUN: %{tensors}
// REDEFINE: %{function} = four
// REDEFINE: %{plan} = tile_n=256
// REDEFINE: %{bounds} = --input=4xi32=-5,64,300,10 --input=4xi32=70,200,1000,10
// RUN: %{tensors}
// REDEFINE: %{bounds} = --input=4xi32=9 --input=4xi32=3
// RUN: %{tensors}
// REDEFINE: %{bounds} = --input=4xi32=0,100,120,120 --input=4xi32=100,120,120,300
// RUN: %{tensors} --counters=%t.json
// RUN: %python %S/Inputs/check-counters.py %t.json --no-conflicts --tensor-flops=41943040
// REDEFINE: %{function} = many
// REDEFINE: %{bounds} = --input=40xi64=0,0,13,14,44,51,51,51,73,73,86,87,117,124,124,124,146,146,159,160,190,197,197,197,219,219,232,233,263,270,270,270,292,292,305,306,336,343,343,343 --input=40xi64=0,13,14,44,51,51,51,73,73,86,87,117,124,124,124,146,146,159,160,190,197,197,197,219,219,232,233,263,270,270,270,292,292,305,306,336,343,343,343,365
// No mask is stored, and nobody multiplies with it.
// RUN: shard-opt %s --shardir-to-gpu="arch=sm_90a ptxas=none explain schedule=ws_gemm" -o /dev/null 2>&1 | FileCheck %s
// By mma.sync: of 12 pairs of groups and tiles, those from a tile's first group to its last one, 6, have steps; and
// nothing is read of the weights of a group without rows.
// DEFINE: %{mma} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=sm_80 plan=%{plan}" --verify --tolerance=0 --function=%{function} %{bounds}
// REDEFINE: %{plan} = tile_m=32,tile_n=64
// RUN: %{mma}
// REDEFINE: %{function} = four
// REDEFINE: %{bounds} = --input=4xi32=9 --input=4xi32=3
// RUN: %{mma}
// REDEFINE: %{bounds} = --input=4xi32=-5,64,300,10 --input=4xi32=70,200,1000,10
// RUN: %{mma}
// REDEFINE: %{bounds} = --input=4xi32=0,100,120,120 --input=4xi32=100,120,120,300
// REDEFINE: %{plan} = tile_m=128,tile_n=128
// RUN: %{mma} --counters=%t.json
// RUN: %python %S/Inputs/check-counters.py %t.json --no-conflicts --tensor-flops=50331648
// Where a kernel cannot leave steps out, the product is as any other one.
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --tolerance=0 --function=four --input=4xi32=0,100,120,120 --input=4xi32=100,120,120,300

// CHECK: linalg.generic is scheduled by ws_gemm ({{.*}}, the steps of each tile's own groups of rows, elementwise op behind it fused), {{.*}} with 3 ops beside it

#id2 = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(i, j, l) -> (i, j, l)>

// Products of whole numbers, which are exact.
func.func @four(%from: tensor<4xi32>, %to: tensor<4xi32>) -> tensor<384x256xbf16> {
  %z = arith.constant 0.0 : bf16
  %zf = arith.constant 0.0 : f32
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %ex = tensor.empty() : tensor<384x128xbf16>
  %x = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%ex : tensor<384x128xbf16>) {
  ^bb0(%old: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.muli %i, %c5 : index
    %1 = arith.addi %0, %j : index
    %2 = arith.remui %1, %c7 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.sitofp %3 : i32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<384x128xbf16>
  %ew = tensor.empty() : tensor<4x128x256xbf16>
  %w = linalg.generic {indexing_maps = [#id3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ew : tensor<4x128x256xbf16>) {
  ^bb0(%old: bf16):
    %g = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %0 = arith.muli %i, %j : index
    %1 = arith.addi %0, %g : index
    %2 = arith.remui %1, %c3 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.sitofp %3 : i32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<4x128x256xbf16>
  %em = tensor.empty() : tensor<4x384x128xbf16>
  %masked = linalg.generic {indexing_maps = [affine_map<(g, m, k) -> (m, k)>, affine_map<(g, m, k) -> (g)>, affine_map<(g, m, k) -> (g)>, #id3],
                            iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %from, %to : tensor<384x128xbf16>, tensor<4xi32>, tensor<4xi32>) outs(%em : tensor<4x384x128xbf16>) {
  ^bb0(%v: bf16, %first: i32, %end: i32, %old: bf16):
    %i = linalg.index 1 : index
    %m = arith.index_cast %i : index to i32
    %0 = arith.cmpi sle, %first, %m : i32
    %1 = arith.cmpi slt, %m, %end : i32
    %2 = arith.andi %0, %1 : i1
    %3 = arith.select %2, %v, %z : bf16
    linalg.yield %3 : bf16
  } -> tensor<4x384x128xbf16>
  %es = tensor.empty() : tensor<384x256xf32>
  %zero = linalg.fill ins(%zf : f32) outs(%es : tensor<384x256xf32>) -> tensor<384x256xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(m, n, k, g) -> (g, m, k)>, affine_map<(m, n, k, g) -> (g, k, n)>, affine_map<(m, n, k, g) -> (m, n)>],
                          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%masked, %w : tensor<4x384x128xbf16>, tensor<4x128x256xbf16>) outs(%zero : tensor<384x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<384x256xf32>
  %eo = tensor.empty() : tensor<384x256xbf16>
  %o = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<384x256xf32>) outs(%eo : tensor<384x256xbf16>) {
  ^bb0(%a: f32, %old: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<384x256xbf16>
  return %o : tensor<384x256xbf16>
}

// 40 groups.
func.func @many(%from: tensor<40xi64>, %to: tensor<40xi64>) -> tensor<370x72xf16> {
  %z = arith.constant 0.0 : f16
  %zf = arith.constant 0.0 : f32
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %ex = tensor.empty() : tensor<370x200xf16>
  %x = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%ex : tensor<370x200xf16>) {
  ^bb0(%old: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.muli %i, %c5 : index
    %1 = arith.addi %0, %j : index
    %2 = arith.remui %1, %c7 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.sitofp %3 : i32 to f16
    linalg.yield %4 : f16
  } -> tensor<370x200xf16>
  %ew = tensor.empty() : tensor<40x200x72xf16>
  %w = linalg.generic {indexing_maps = [#id3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ew : tensor<40x200x72xf16>) {
  ^bb0(%old: f16):
    %g = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %0 = arith.muli %i, %j : index
    %1 = arith.addi %0, %g : index
    %2 = arith.remui %1, %c3 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.sitofp %3 : i32 to f16
    linalg.yield %4 : f16
  } -> tensor<40x200x72xf16>
  %em = tensor.empty() : tensor<40x370x200xf16>
  %masked = linalg.generic {indexing_maps = [affine_map<(g, m, k) -> (m, k)>, affine_map<(g, m, k) -> (g)>, affine_map<(g, m, k) -> (g)>, #id3],
                            iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %from, %to : tensor<370x200xf16>, tensor<40xi64>, tensor<40xi64>) outs(%em : tensor<40x370x200xf16>) {
  ^bb0(%v: f16, %first: i64, %end: i64, %old: f16):
    %i = linalg.index 1 : index
    %m = arith.index_cast %i : index to i64
    %0 = arith.cmpi sle, %first, %m : i64
    %1 = arith.cmpi slt, %m, %end : i64
    %2 = arith.andi %0, %1 : i1
    %3 = arith.select %2, %v, %z : f16
    linalg.yield %3 : f16
  } -> tensor<40x370x200xf16>
  %es = tensor.empty() : tensor<370x72xf32>
  %zero = linalg.fill ins(%zf : f32) outs(%es : tensor<370x72xf32>) -> tensor<370x72xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(m, n, k, g) -> (g, m, k)>, affine_map<(m, n, k, g) -> (g, k, n)>, affine_map<(m, n, k, g) -> (m, n)>],
                          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%masked, %w : tensor<40x370x200xf16>, tensor<40x200x72xf16>) outs(%zero : tensor<370x72xf32>) {
  ^bb0(%a: f16, %b: f16, %sum: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<370x72xf32>
  %eo = tensor.empty() : tensor<370x72xf16>
  %o = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<370x72xf32>) outs(%eo : tensor<370x72xf16>) {
  ^bb0(%a: f32, %old: f16):
    %0 = arith.truncf %a : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<370x72xf16>
  return %o : tensor<370x72xf16>
}
